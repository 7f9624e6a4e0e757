// SPDX-License-Identifier: BSD-3-Clause
// Rotations as quaternions x y z w and as roll, pitch, yaw; the matrix of a cross product.
#include <cmath>

#include "spatial.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::python::pinocchio {
namespace {

nb::object array_of(const Mat3<double>& M) {
  const Fresh out = fresh_rows(3, 3);
  for (int i = 0; i < 3; ++i) put(M[i], out.numbers + 3 * i);
  return out.array;
}

/// 1 + 2 w [u] + 2 [u]^2: a rotation if the quaternion has unit length.
Mat3<double> rotation_of(const double* q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

/// Of unit length, w >= 0.
void put_quaternion(const Mat3<double>& R, double* out) {
  const Quat<double> q = from_rotation(R);
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double factor = (q.w >= 0 ? 1 : -1) / length;
  out[0] = q.x * factor, out[1] = q.y * factor, out[2] = q.z * factor, out[3] = q.w * factor;
}

nb::object skew(nb::handle u) {
  double x[3];
  read(u, 3, "u", x);
  return array_of({{0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}});
}

nb::object coefficients_of(nb::handle R) {
  double x[9];
  read(R, 3, 3, "R", x, 3);
  const Fresh out = fresh(4);
  put_quaternion({vec3_at(x), vec3_at(x + 3), vec3_at(x + 6)}, out.numbers);
  return out.array;
}

nb::object matrix_of(nb::handle quaternion) {
  double q[4];
  read(quaternion, 4, "quaternion", q);
  return array_of(rotation_of(q));
}

nb::object seven_of(const Pose& M) {
  const Fresh out = fresh(7);
  const Transform<double> X = transform_of(M.at);
  put(X.p, out.numbers);
  put_quaternion(X.R, out.numbers + 3);
  return out.array;
}

nb::object pose_of_seven(nb::handle given) {
  double x[7];
  read(given, 7, "XYZQUAT", x);
  double* const q = x + 3;
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; ++k) q[k] /= length;
  return new_pose({rotation_of(q), vec3_at(x)});
}

nb::object from_rpy(nb::args given) {
  double x[3];
  if (given.size() == 1) {
    read(given[0], 3, "rpy", x);
  } else if (given.size() == 3) {
    for (std::size_t k = 0; k < 3; ++k) x[k] = nb::cast<double>(nb::object(given[k]));
  } else {
    throw std::invalid_argument("rpy has " + std::to_string(given.size()) +
                                " numbers, expected 3 (roll, pitch, yaw) or one vector of them");
  }
  return array_of(rotation_from_rpy(vec3_at(x)));
}

}  // namespace

void bind_rotations(nb::module_& m) {
  m.def("skew", &skew, nb::arg("u"), "The matrix of u x, of a vector of three.");
  m.def("coefficients_of", &coefficients_of, nb::arg("R"), "The unit quaternion x y z w of a rotation, w >= 0.");
  m.def("rotation_of", &matrix_of, nb::arg("quaternion"), "The rotation of a unit quaternion x y z w.");
  m.def("SE3ToXYZQUAT", &seven_of, nb::arg("M"), "Position and quaternion x y z w of a pose, (7,).");
  m.def("XYZQUATToSE3", &pose_of_seven, nb::arg("x"),
        "The pose of a position and a quaternion x y z w, which is brought to unit length.");
  m.def("rpyToMatrix", &from_rpy, nb::arg("rpy"),
        "The rotation of (roll, pitch, yaw), given as three numbers or one vector.");
}

}  // namespace zwang::python::pinocchio
