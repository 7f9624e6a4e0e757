// SPDX-License-Identifier: BSD-3-Clause
// Rotations as quaternions x y z w and as roll, pitch, yaw; the matrix of a cross product.
#include <cmath>

#include "spatial.hpp"

namespace zwang::python::pinocchio {

nb::object array_of(const Mat3<double>& M) {
  const Fresh out = fresh_rows(3, 3);
  for (int i = 0; i < 3; ++i) put(M[i], out.numbers + 3 * i);
  return out.array;
}

namespace {

/// Of unit length, w >= 0.
void put_quaternion(const Mat3<double>& R, double* out) {
  const Quat<double> q = from_rotation(R);
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double factor = (q.w >= 0 ? 1 : -1) / length;
  out[0] = q.x * factor, out[1] = q.y * factor, out[2] = q.z * factor, out[3] = q.w * factor;
}

nb::object skew_of(nb::handle u) {
  double x[3];
  read(u, 3, "u", x);
  return array_of(skew(vector_of(x)));
}

nb::object coefficients_of(nb::handle R) {
  double x[9];
  read(R, 3, 3, "R", x, 3);
  const Fresh out = fresh(4);
  put_quaternion({vector_of(x), vector_of(x + 3), vector_of(x + 6)}, out.numbers);
  return out.array;
}

nb::object matrix_of(nb::handle quaternion) {
  double q[4];
  read(quaternion, 4, "quaternion", q);
  // 1 + 2 w [u] + 2 [u]^2, also where the length is not 1, as Pinocchio's Quaternion has it: no rotation then.
  const Mat3<double> u = skew(vector_of(q));
  return array_of(Mat3<double>::identity() + u * (2 * q[3]) + (u * u) * 2.0);
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
  return new_pose({rotation(quaternion_at(x + 3)), vector_of(x)});
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
  return array_of(rotation_from_rpy(vector_of(x)));
}

}  // namespace

void bind_rotations(nb::module_& m) {
  m.def("skew", &skew_of, nb::arg("u"), "The matrix of u x, of a vector of three.");
  m.def("coefficients_of", &coefficients_of, nb::arg("R"), "The unit quaternion x y z w of a rotation, w >= 0.");
  m.def("rotation_of", &matrix_of, nb::arg("quaternion"), "The rotation of a unit quaternion x y z w.");
  m.def("SE3ToXYZQUAT", &seven_of, nb::arg("M"), "Position and quaternion x y z w of a pose, (7,).");
  m.def("XYZQUATToSE3", &pose_of_seven, nb::arg("x"),
        "The pose of a position and a quaternion x y z w, which is brought to unit length.");
  m.def("rpyToMatrix", &from_rpy, nb::arg("rpy"),
        "The rotation of (roll, pitch, yaw), given as three numbers or one vector.");
}

}  // namespace zwang::python::pinocchio
