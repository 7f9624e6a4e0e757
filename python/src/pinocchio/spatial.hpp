// SPDX-License-Identifier: BSD-3-Clause
// What zwang.pinocchio's SE3, Motion and Force are made of: numbers of their own, or of an array or object that another
// one keeps. Python's classes derive from them and are registered, so that results are objects of these classes.
#pragma once
#include <memory>

#include "../shaped.hpp"
#include "numbers.hpp"
#include "zwang/spatial/force.hpp"

namespace zwang::python::pinocchio {

/// Six numbers, linear part first.
struct Six {
  Six() = default;
  Six(const Six&) = delete;
  Six& operator=(const Six&) = delete;
  double own[6] = {0, 0, 0, 0, 0, 0};
  double* at = own;
  nb::object owner;  ///< of `at`; not valid: these six themselves
};

/// A 4 x 4 matrix, row by row.
struct Pose {
  Pose() = default;
  Pose(const Pose&) = delete;
  Pose& operator=(const Pose&) = delete;
  double own[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  double* at = own;
  nb::object owner;              ///< of `at`: an object of Python,
  std::shared_ptr<void> keeper;  ///< or one of C++, whose numbers this object lends to arrays
};

/// Python's classes, for the life of the process.
struct Types {
  PyTypeObject *pose = nullptr, *motion = nullptr, *force = nullptr;
};
extern Types types;

inline bool is_force(nb::handle six) {
  PyTypeObject* const type = Py_TYPE(six.ptr());
  return type == types.force || (type != types.motion && PyType_IsSubtype(type, types.force));
}
/// The C++ part of an object of Python, or nullptr.
Six* six_of(nb::handle object);
Pose* pose_of(nb::handle object);

nb::object new_six(PyTypeObject* type, const double* x);
inline nb::object new_motion(const Motion<double>& m) {
  const double x[] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z};
  return new_six(types.motion, x);
}
nb::object new_pose(const Transform<double>& X);
/// On numbers that `keeper` keeps alive.
nb::object pose_view(double* at, std::shared_ptr<void> keeper);

inline void put(const Vec3<double>& x, double* out) { out[0] = x.x, out[1] = x.y, out[2] = x.z; }
Transform<double> transform_of(const double* m);
void put(const Transform<double>& X, double* m);
inline Quat<double> quaternion_at(const double* x) { return {x[0], x[1], x[2], x[3]}; }
/// 3 x 3.
nb::object array_of(const Mat3<double>& M);

void bind_spatial(nb::module_& m);
void bind_exponentials(nb::module_& m);
void bind_rotations(nb::module_& m);

}  // namespace zwang::python::pinocchio
