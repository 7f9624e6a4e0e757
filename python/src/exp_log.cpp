// SPDX-License-Identifier: BSD-3-Clause
// Exponential and logarithm of rotations and poses, and their Jacobians: one, or N of them.
#include "zwang/spatial/exp_log.hpp"

#include "bind.hpp"
#include "shaped.hpp"

namespace zwang::python {
namespace {

template <class Set> void set_jacobian(const Set& set, const Mat3<double>& J) { set_block(set, 0, 0, J); }
template <class Set> void set_jacobian(const Set& set, const MotionJacobian<double>& J) {
  set_block(set, 0, 0, J.J);
  set_block(set, 0, 3, J.Q);
  set_block(set, 3, 3, J.J);
  set_block(set, 3, 0, Mat3<double>::zero());
}

nb::object exp_of_rotation(nb::handle phi) {
  constexpr const char* function = "exp_so3";
  const GivenArray given(function, "phi", phi, "shape (3,) or (N, 3)");
  if (given.size(0) != 3 || given.dimensions() > 2) given.refuse_shape();
  const Input x = given.finite_rows(3);
  return results(function, x, given.dimensions() == 2, {3, 3}, 1,
                 [&](Index s, const auto& set) { set_block(set, 0, 0, exp_so3(vector_of(x.at(s)))); });
}
nb::object log_of_rotation(nb::handle R) {
  constexpr const char* function = "log_so3";
  const GivenArray given(function, "R", R, "rotation matrices of shape (3, 3) or (N, 3, 3)");
  if (given.size(0) != 3 || given.size(1) != 3 || given.dimensions() > 3) given.refuse_shape();
  const Input x = given.finite_rows(3);
  return results(function, x, given.dimensions() == 3, {3}, 3, [&](Index s, const auto& set) {
    const Vec3<double> phi = log_so3(rotation_of(given, x, s));
    for (Index k = 0; k < 3; ++k) set(k, 0, phi[k]);
  });
}
nb::object exp_of_twist(nb::handle twist) {
  constexpr const char* function = "exp_se3";
  const GivenArray given(function, "twist", twist, "shape (6,) or (N, 6)");
  if (given.size(0) != 6 || given.dimensions() > 2) given.refuse_shape();
  const Input x = given.finite_rows(6);
  return results(function, x, given.dimensions() == 2, {4, 4}, 1, [&](Index s, const auto& set) {
    const Transform<double> X = exp_se3(motion_of(x.at(s)));
    set_block(set, 0, 0, X.R);
    for (Index k = 0; k < 3; ++k) set(k, 3, X.p[k]), set(3, k, 0);
    set(3, 3, 1);
  });
}
nb::object log_of_pose(nb::handle pose) {
  constexpr const char* function = "log_se3";
  const GivenArray given(function, "pose", pose,
                         "poses of shape (4, 4) or (N, 4, 4): a rotation, a position, last row 0 0 0 1");
  if (given.size(0) != 4 || given.size(1) != 4 || given.dimensions() > 3) given.refuse_shape();
  const Input x = given.finite_rows(4);
  return results(function, x, given.dimensions() == 3, {6}, 4, [&](Index s, const auto& set) {
    const double* const last = x.at(s + 3);
    if (last[0] != 0 || last[1] != 0 || last[2] != 0 || last[3] != 1) given.refuse("another last row");
    const Motion<double> xi =
        log_se3(Transform<double>{rotation_of(given, x, s), {x.at(s)[3], x.at(s + 1)[3], x.at(s + 2)[3]}});
    for (Index k = 0; k < 6; ++k) set(k, 0, xi[static_cast<int>(k)]);
  });
}

/// A Jacobian of the exponential: of rotations by three numbers, of poses by six.
template <class F> nb::object jacobians(const char* function, nb::handle x_, F&& jacobian) {
  const GivenArray given(function, "x", x_, "shape (3,), (6,), (N, 3) or (N, 6)");
  const Index size = given.size(0);
  if ((size != 3 && size != 6) || given.dimensions() > 2) given.refuse_shape();
  const Input x = given.finite_rows(size);
  return results(function, x, given.dimensions() == 2, {size, size}, 1, [&](Index s, const auto& set) {
    if (size == 3)
      set_jacobian(set, jacobian(vector_of(x.at(s))));
    else
      set_jacobian(set, jacobian(motion_of(x.at(s))));
  });
}

}  // namespace

void bind_exp_log(nb::module_& m) {
  def(m, ZWANG_SIGNATURE("def exp_so3(phi: ArrayLike) -> Array"), &exp_of_rotation,
      "The rotation matrix exp([phi]) of a rotation vector [rad]; phi (3,) or (N, 3), result (3, 3) or (N, 3, 3).");
  def(m, ZWANG_SIGNATURE("def log_so3(R: ArrayLike) -> Array"), &log_of_rotation,
      "The rotation vector of a rotation matrix, at most pi long [rad]; R (3, 3) or (N, 3, 3), result (3,) or (N, "
      "3).\n\n"
      "Raises ValueError where a matrix is not a rotation to 1e-6.");
  def(m, ZWANG_SIGNATURE("def exp_se3(twist: ArrayLike) -> Array"), &exp_of_twist,
      "The pose that a twist leads to in one second, held in the axes that move along.\n\n"
      "twist [linear; angular] (6,) or (N, 6); result 4 x 4, (4, 4) or (N, 4, 4). frame_pose @ exp_se3(d) moves a "
      "frame by d\nin its own axes.");
  def(m, ZWANG_SIGNATURE("def log_se3(pose: ArrayLike) -> Array"), &log_of_pose,
      "The twist [linear; angular] with exp_se3(twist) == pose, its rotation at most pi; pose (4, 4) or (N, 4, 4).\n\n"
      "The error of a pose T against a wanted one, in the axes of the frame: log_se3(inv(wanted) @ T); its derivative "
      "by q\nis right_jacobian_inverse(error) @ jacobian(model, q, frame, \"local\"). Raises ValueError where the "
      "rotation is none\nto 1e-6 or the last row is not 0 0 0 1.");
#define ZWANG_JACOBIAN_DOC                                                                                           \
  "\n\nx: a rotation vector (3,) or a twist [linear; angular] (6,), or N of them; result (3, 3) or (6, 6), or N of " \
  "them."
  def(
      m, ZWANG_SIGNATURE("def left_jacobian(x: ArrayLike) -> Array"),
      [](nb::handle x) { return jacobians("left_jacobian", x, [](const auto& y) { return left_jacobian(y); }); },
      "Jl with exp(x + d) = exp(Jl d) exp(x) to first order." ZWANG_JACOBIAN_DOC);
  def(
      m, ZWANG_SIGNATURE("def right_jacobian(x: ArrayLike) -> Array"),
      [](nb::handle x) { return jacobians("right_jacobian", x, [](const auto& y) { return right_jacobian(y); }); },
      "Jr with exp(x + d) = exp(x) exp(Jr d) to first order." ZWANG_JACOBIAN_DOC);
  def(
      m, ZWANG_SIGNATURE("def left_jacobian_inverse(x: ArrayLike) -> Array"),
      [](nb::handle x) {
        return jacobians("left_jacobian_inverse", x, [](const auto& y) { return left_jacobian_inverse(y); });
      },
      "The inverse of left_jacobian; singular at rotations by 2 pi." ZWANG_JACOBIAN_DOC);
  def(
      m, ZWANG_SIGNATURE("def right_jacobian_inverse(x: ArrayLike) -> Array"),
      [](nb::handle x) {
        return jacobians("right_jacobian_inverse", x, [](const auto& y) { return right_jacobian_inverse(y); });
      },
      "The inverse of right_jacobian: log(exp(x) exp(d)) = x + Jr^-1 d to first order; singular at rotations by 2 "
      "pi." ZWANG_JACOBIAN_DOC);
#undef ZWANG_JACOBIAN_DOC
}

}  // namespace zwang::python
