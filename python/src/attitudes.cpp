// SPDX-License-Identifier: BSD-3-Clause
// Rotations as matrices, quaternions and roll, pitch, yaw: one, or N of them.
#include "bind.hpp"
#include "shaped.hpp"

namespace zwang::python {
namespace {

template <class Set> void set_vector(const Set& set, const Vec3<double>& x) {
  for (Index k = 0; k < 3; ++k) set(k, 0, x[static_cast<int>(k)]);
}
template <class Set> void set_quaternion(const Set& set, const Quat<double>& given) {
  const Quat<double> q = given.w < 0 ? -given : given;
  set(0, 0, q.x), set(1, 0, q.y), set(2, 0, q.z), set(3, 0, q.w);
}

/// f(numbers, set) for each vector of `size` numbers.
template <class F> nb::object of_vectors(const char* function, const char* name, nb::handle x_, Index size,
                                         const char* expected, std::initializer_list<Index> shape, F&& f) {
  const GivenArray given(function, name, x_, expected);
  if (given.size(0) != size || given.dimensions() > 2) given.refuse_shape();
  const Input x = given.finite_rows(size);
  return results(function, x, given.dimensions() == 2, shape, 1,
                 [&](Index s, const auto& set) { f(given, x.at(s), set); });
}
/// f(R, set) for each rotation.
template <class F>
nb::object of_rotations(const char* function, nb::handle R, std::initializer_list<Index> shape, F&& f) {
  const GivenArray given(function, "R", R, "rotation matrices of shape (3, 3) or (N, 3, 3)");
  if (given.size(0) != 3 || given.size(1) != 3 || given.dimensions() > 3) given.refuse_shape();
  const Input x = given.finite_rows(3);
  return results(function, x, given.dimensions() == 3, shape, 3,
                 [&](Index s, const auto& set) { f(rotation_of(given, x, s), set); });
}
template <class F>
nb::object of_angles(const char* function, nb::handle rpy, std::initializer_list<Index> shape, F&& f) {
  return of_vectors(function, "rpy", rpy, 3, "shape (3,) or (N, 3)", shape,
                    [&](const GivenArray&, const double* x, const auto& set) { f(vector_of(x), set); });
}

nb::object rotation_from_quaternion(nb::handle q) {
  return of_vectors("rotation_from_quaternion", "q", q, 4, "quaternions x y z w of shape (4,) or (N, 4), not zero",
                    {3, 3}, [](const GivenArray& given, const double* x, const auto& set) {
                      // Brought to a size whose square is a number: the direction alone counts.
                      double largest = 0;
                      for (int k = 0; k < 4; ++k) largest = std::max(largest, std::fabs(x[k]));
                      if (!(largest > 0)) given.refuse("a quaternion of length 0");
                      int power = 0;
                      std::frexp(largest, &power);
                      const auto scaled = [&](int k) { return std::ldexp(x[k], -power); };
                      set_block(set, 0, 0, rotation(Quat<double>{scaled(0), scaled(1), scaled(2), scaled(3)}));
                    });
}

/// Whether the angular velocity is in the axes of the body.
bool in_body(const char* function, const std::string& in) {
  if (in != "local" && in != "world")
    throw std::invalid_argument(std::string(function) + ": argument 'in_' is '" + in + "', expected local or world");
  return in == "local";
}
nb::object jacobian(nb::handle rpy, const std::string& in) {
  const bool body = in_body("rpy_jacobian", in);
  return of_angles("rpy_jacobian", rpy, {3, 3}, [&](const Vec3<double>& x, const auto& set) {
    set_block(set, 0, 0, body ? rpy_body_jacobian(x) : rpy_jacobian(x));
  });
}
nb::object jacobian_inverse(nb::handle rpy, const std::string& in) {
  constexpr const char* function = "rpy_jacobian_inverse";
  const bool body = in_body(function, in);
  return of_angles(function, rpy, {3, 3}, [&](const Vec3<double>& x, const auto& set) {
    if (std::fabs(std::cos(x.y)) < 16 * epsilon_of<double>)
      throw std::invalid_argument(std::string(function) +
                                  ": argument 'rpy' has a pitch of +-pi/2, where roll and yaw turn about one axis");
    set_block(set, 0, 0, body ? rpy_body_jacobian_inverse(x) : rpy_jacobian_inverse(x));
  });
}
nb::object jacobian_dot(nb::handle rpy, nb::handle rates_, const std::string& in) {
  constexpr const char* function = "rpy_jacobian_dot";
  const bool body = in_body(function, in);
  const GivenArray angles(function, "rpy", rpy, "shape (3,) or (N, 3)"),
      given(function, "rates", rates_, "the shape of rpy");
  if (angles.size(0) != 3 || angles.dimensions() > 2) angles.refuse_shape();
  if (given.size(0) != 3 || given.dimensions() != angles.dimensions() || given.size(1) != angles.size(1))
    given.refuse_shape();
  const Input x = angles.finite_rows(3), rates = given.finite_rows(3);
  return results(function, x, angles.dimensions() == 2, {3, 3}, 1, [&](Index s, const auto& set) {
    const Vec3<double> at = vector_of(x.at(s)), rate = vector_of(rates.at(s));
    set_block(set, 0, 0, body ? rpy_body_jacobian_dot(at, rate) : rpy_jacobian_dot(at, rate));
  });
}

}  // namespace

void bind_attitudes(nb::module_& m) {
  def(m, ZWANG_SIGNATURE("def rotation_from_quaternion(q: ArrayLike) -> Array"), &rotation_from_quaternion,
      "The rotation matrix of a quaternion x y z w, whose direction alone counts; q (4,) or (N, 4).\n\n"
      "Raises ValueError for a quaternion of length 0.");
  def(
      m, ZWANG_SIGNATURE("def quaternion_from_rotation(R: ArrayLike) -> Array"),
      [](nb::handle R) {
        return of_rotations("quaternion_from_rotation", R, {4},
                            [](const Mat3<double>& x, const auto& set) { set_quaternion(set, from_rotation(x)); });
      },
      "The unit quaternion x y z w of a rotation matrix, w >= 0, to all digits also at half turns; R (3, 3) or (N, 3, "
      "3).\n\n"
      "Raises ValueError where a matrix is not a rotation to 1e-6.");
  def(
      m, ZWANG_SIGNATURE("def rotation_from_rpy(rpy: ArrayLike) -> Array"),
      [](nb::handle rpy) {
        return of_angles("rotation_from_rpy", rpy, {3, 3},
                         [](const Vec3<double>& x, const auto& set) { set_block(set, 0, 0, rotation_from_rpy(x)); });
      },
      "The rotation matrix Rz(yaw) Ry(pitch) Rx(roll) [rad]; rpy (3,) or (N, 3). The `rpy` of robot files.");
  def(
      m, ZWANG_SIGNATURE("def rpy_from_rotation(R: ArrayLike) -> Array"),
      [](nb::handle R) {
        return of_rotations("rpy_from_rotation", R, {3},
                            [](const Mat3<double>& x, const auto& set) { set_vector(set, rpy_from_rotation(x)); });
      },
      "(roll, pitch, yaw) of a rotation matrix, pitch within pi/2 [rad]; R (3, 3) or (N, 3, 3).\n\n"
      "rotation_from_rpy of them is R at every pitch; at +-pi/2, where roll and yaw turn about one axis, yaw is 0. "
      "Raises\n"
      "ValueError where a matrix is not a rotation to 1e-6.");
  def(
      m, ZWANG_SIGNATURE("def quaternion_from_rpy(rpy: ArrayLike) -> Array"),
      [](nb::handle rpy) {
        return of_angles("quaternion_from_rpy", rpy, {4},
                         [](const Vec3<double>& x, const auto& set) { set_quaternion(set, from_rpy(x)); });
      },
      "The unit quaternion x y z w of rotation_from_rpy(rpy), w >= 0; rpy (3,) or (N, 3) [rad].");
  def(m, ZWANG_SIGNATURE("def rpy_jacobian(rpy: ArrayLike, in_: str = \"world\") -> Array"), &jacobian,
      "J with angular velocity = J d(rpy)/dt, in the axes of the world or, in_ 'local', of the body.\n\n"
      "rpy (3,) or (N, 3); result (3, 3) or (N, 3, 3). Its determinant is cos(pitch).");
  def(m, ZWANG_SIGNATURE("def rpy_jacobian_inverse(rpy: ArrayLike, in_: str = \"world\") -> Array"), &jacobian_inverse,
      "d(rpy)/dt = J^-1 angular velocity, as rpy_jacobian says.\n\n"
      "It grows as 1/cos(pitch). Raises ValueError at a pitch of +-pi/2.");
  def(m, ZWANG_SIGNATURE("def rpy_jacobian_dot(rpy: ArrayLike, rates: ArrayLike, in_: str = \"world\") -> Array"),
      &jacobian_dot, "dJ/dt of rpy_jacobian while the angles move with the rates d(rpy)/dt; shapes of rpy.");
}

}  // namespace zwang::python
