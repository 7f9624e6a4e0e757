// SPDX-License-Identifier: BSD-3-Clause
// Frames: matrices, integration, Denavit-Hartenberg parameters; random numbers.
#include <cstdint>
#include <kdl/frames.hpp>

namespace KDL {

void Frame::Make4x4(double* d) const {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) d[4 * i + j] = (*this)(i, j);
}

void Frame2::Make4x4(double* d) const {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) d[3 * i + j] = (*this)(i, j);
}

void Frame::Integrate(const Twist& t_this, double frequency) {
  p += M * (t_this.vel / frequency);
  M = M * Rotation::Rot(t_this.rot, t_this.rot.Norm(0) / frequency);
}

void Frame2::Integrate(const Twist& t_this, double frequency) {
  p += M * (Vector2(t_this.vel(0), t_this.vel(1)) / frequency);
  M = M * Rotation2(t_this.rot(2) / frequency);
}

Frame Frame::addDelta(const Twist& t, double dt) const { return KDL::addDelta(*this, t, dt); }

Frame Frame::DH(double a, double alpha, double d, double theta) {
  return Frame(Rotation::RotZ(theta) * Rotation::RotX(alpha), Vector(a * std::cos(theta), a * std::sin(theta), d));
}

Frame Frame::DH_Craig1989(double a, double alpha, double d, double theta) {
  return Frame(Rotation::RotX(alpha) * Rotation::RotZ(theta), Vector(a, -d * std::sin(alpha), d * std::cos(alpha)));
}

/// Steele, Lea and Flood 2014 (SplitMix64).
void posrandom(double& x) {
  thread_local std::uint64_t state = 0;
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  x = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
void random(double& x) {
  posrandom(x);
  x = 2 * x - 1;
}
void random(Vector& v) {
  for (double& number : v.data) random(number);
}
void random(Twist& t) { random(t.vel), random(t.rot); }
void random(Wrench& w) { random(w.force), random(w.torque); }
void random(Rotation& R) {
  double alfa, beta, gamma;
  random(alfa);
  random(beta);
  random(gamma);
  R = Rotation::EulerZYX(PI * alfa, PI * beta, PI * gamma);
}
void random(Frame& F) { random(F.M), random(F.p); }
void posrandom(Vector& v) {
  for (double& number : v.data) posrandom(number);
}
void posrandom(Twist& t) { posrandom(t.vel), posrandom(t.rot); }
void posrandom(Wrench& w) { posrandom(w.force), posrandom(w.torque); }
void posrandom(Rotation& R) {
  double alfa, beta, gamma;
  posrandom(alfa);
  posrandom(beta);
  posrandom(gamma);
  R = Rotation::EulerZYX(PI * alfa, PI * beta, PI * gamma);
}
void posrandom(Frame& F) { posrandom(F.M), posrandom(F.p); }

}  // namespace KDL
