// SPDX-License-Identifier: BSD-3-Clause
// Rotations from angles, axes and quaternions, and back.
#include <algorithm>
#include <kdl/frames.hpp>
#include <limits>

namespace KDL {

void Rotation::DoRotX(double angle) { *this = *this * RotX(angle); }
void Rotation::DoRotY(double angle) { *this = *this * RotY(angle); }
void Rotation::DoRotZ(double angle) { *this = *this * RotZ(angle); }

Rotation Rotation::Rot(const Vector& rotvec, double angle) {
  Vector axis = rotvec;
  return axis.Normalize(0) == 0 ? Rotation() : Rot2(axis, angle);
}

/// 1 + sin(angle) [a] + (1 - cos(angle)) (a a^T - 1), Rodrigues 1840.
/// 1 - cos(angle) = 2 sin^2(angle/2) loses no digits.
Rotation Rotation::Rot2(const Vector& a, double angle) {
  const double s = std::sin(angle), h = std::sin(angle / 2), v = 2 * h * h, c = std::cos(angle);
  const double x = a(0), y = a(1), z = a(2);
  return Rotation(c + v * x * x, v * x * y - s * z, v * x * z + s * y,  //
                  v * x * y + s * z, c + v * y * y, v * y * z - s * x,  //
                  v * x * z - s * y, v * y * z + s * x, c + v * z * z);
}

Rotation Rotation::EulerZYZ(double alfa, double beta, double gamma) { return RotZ(alfa) * RotY(beta) * RotZ(gamma); }

Rotation Rotation::RPY(double roll, double pitch, double yaw) { return RotZ(yaw) * RotY(pitch) * RotX(roll); }

Rotation Rotation::Quaternion(double x, double y, double z, double w) {
  return Rotation(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
                  2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),  //
                  2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z);
}

namespace {
/// Two axes coincide where the sine (cosine) between them is below this: their angles are then noise.
constexpr double coincident = 1e-12;
}  // namespace

void Rotation::GetEulerZYZ(double& alfa, double& beta, double& gamma) const {
  const double sine = std::hypot(data[6], data[7]);
  beta = std::atan2(sine, data[8]);
  if (sine > coincident) {
    alfa = std::atan2(data[5], data[2]);
    gamma = std::atan2(data[7], -data[6]);
  } else {
    const double side = data[8] > 0 ? 1 : -1;
    beta = data[8] > 0 ? 0 : PI;
    alfa = std::atan2(side * data[3], side * data[0]);
    gamma = 0;
  }
}

void Rotation::GetRPY(double& roll, double& pitch, double& yaw) const {
  const double cosine = std::hypot(data[0], data[3]);
  pitch = std::atan2(-data[6], cosine);
  if (cosine > coincident) {
    roll = std::atan2(data[7], data[8]);
    yaw = std::atan2(data[3], data[0]);
  } else {
    roll = 0;
    yaw = std::atan2(-data[1], data[4]);
  }
}

/// The largest of the four numbers is found first, so that nothing is divided by a small one (Shepperd 1978). w >= 0,
/// but where it is not the largest.
void Rotation::GetQuaternion(double& x, double& y, double& z, double& w) const {
  const double trace = data[0] + data[4] + data[8];
  if (trace > 0) {
    const double root = 2 * std::sqrt(1 + trace);
    w = root / 4;
    x = (data[7] - data[5]) / root;
    y = (data[2] - data[6]) / root;
    z = (data[3] - data[1]) / root;
    return;
  }
  const int i = data[4] > data[0] ? (data[8] > data[4] ? 2 : 1) : (data[8] > data[0] ? 2 : 0);
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double root = 2 * std::sqrt(std::max(0.0, 1 + (*this)(i, i) - (*this)(j, j) - (*this)(k, k)));
  double v[3];
  v[i] = root / 4;
  v[j] = ((*this)(j, i) + (*this)(i, j)) / root;
  v[k] = ((*this)(k, i) + (*this)(i, k)) / root;
  w = ((*this)(k, j) - (*this)(j, k)) / root;
  x = v[0];
  y = v[1];
  z = v[2];
}

/// By the unit quaternion: its vector is sin(angle/2) times the axis, which keeps its digits at every angle.
double Rotation::GetRotAngle(Vector& axis, double eps) const {
  double x, y, z, w;
  GetQuaternion(x, y, z, w);
  Vector v(x, y, z);
  const double sine = v.Norm(0);
  // As KDL, eps is compared with 2 sin(angle) axis_i. Half a turn is the same about either direction of the axis.
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  const double largest =
      std::max({std::fabs(data[7] - data[5]), std::fabs(data[2] - data[6]), std::fabs(data[3] - data[1])});
  const bool is_symmetric = largest < eps, is_half_turn = std::fabs(w) <= rounding || (is_symmetric && sine > 0.5);
  if (sine == 0 || !std::isfinite(sine) || (is_symmetric && !is_half_turn)) {
    axis = Vector(0, 0, 1);
    return std::isfinite(sine) ? 0 : sine;
  }
  double direction = w;
  if (is_half_turn) {
    for (const double number : v.data)
      if (std::fabs(number) > rounding) direction = number;
  }
  axis = v / (direction < 0 ? -sine : sine) + Vector::Zero();  // no negative zeros
  return is_symmetric ? PI : 2 * std::atan2(sine, std::fabs(w));
}

Vector Rotation::GetRot() const {
  Vector axis;
  const double angle = GetRotAngle(axis, 0);
  return axis * angle;
}

bool Equal(const Rotation& a, const Rotation& b, double eps) {
  for (int i = 0; i < 9; ++i)
    if (!Equal(a.data[i], b.data[i], eps)) return false;
  return true;
}

}  // namespace KDL
