// SPDX-License-Identifier: BSD-3-Clause
// Ten inertial parameters, pseudo-inertias and log-Cholesky parameters: one, or N of them.
#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "shaped.hpp"
#include "zwang/spatial/pseudo_inertia.hpp"

namespace zwang::python {
namespace {

using Ten = std::array<double, 10>;

/// f(ten numbers, set) for each.
template <class F>
nb::object of_tens(const char* function, const char* name, nb::handle x_, std::initializer_list<Index> shape, F&& f) {
  const GivenArray given(function, name, x_, "shape (10,) or (N, 10)");
  if (given.size(0) != 10 || given.dimensions() > 2) given.refuse_shape();
  const Input x = given.finite_rows(10);
  return results(function, x, given.dimensions() == 2, shape, 1, [&](Index s, const auto& set) {
    Ten ten;
    std::copy(x.at(s), x.at(s) + 10, ten.begin());
    f(ten, set);
  });
}
template <class Set> void set_ten(const Set& set, const Ten& x) {
  for (Index k = 0; k < 10; ++k) set(k, 0, x[static_cast<std::size_t>(k)]);
}
template <class Set> void set_matrix(const Set& set, const TenByTen<double>& J) {
  for (Index i = 0; i < 10; ++i)
    for (Index j = 0; j < 10; ++j) set(i, j, J[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
}

nb::object parameters_from_pseudo(nb::handle P) {
  constexpr const char* function = "parameters_from_pseudo_inertia";
  const GivenArray given(function, "P", P, "symmetric matrices of shape (4, 4) or (N, 4, 4)");
  if (given.size(0) != 4 || given.size(1) != 4 || given.dimensions() > 3) given.refuse_shape();
  const Input x = given.finite_rows(4);
  return results(function, x, given.dimensions() == 3, {10}, 4, [&](Index s, const auto& set) {
    const auto at = [&](Index i, Index j) { return x.at(s + i)[j]; };
    double largest = 0, skew = 0;
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j) {
        largest = std::max(largest, std::fabs(at(i, j)));
        skew = std::max(skew, std::fabs(at(i, j) - at(j, i)));
      }
    if (skew > 1e-9 * largest) given.refuse("a matrix that is not symmetric");
    const PseudoInertia<double> pseudo{
        {at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)}, {at(0, 3), at(1, 3), at(2, 3)}, at(3, 3)};
    set_ten(set, parameters_from_inertia(inertia_from_pseudo(pseudo)));
  });
}

/// What with_parameters takes of a link.
nb::dict link_of(nb::handle x_) {
  constexpr const char* function = "link_from_parameters";
  const GivenArray given(function, "parameters", x_, "shape (10,), the mass above 0");
  if (given.size(0) != 10 || given.dimensions() != 1) given.refuse_shape();
  const Input x = given.finite_rows(10);
  Ten ten;
  std::copy(x.at(0), x.at(0) + 10, ten.begin());
  if (!(ten[0] > 0)) given.refuse("a mass of " + std::to_string(ten[0]));
  const Inertia<double> J = inertia_from_parameters(ten);
  const Vec3<double> centre = J.h * (1 / J.m);
  const Sym3<double> of_point = point_inertia(J.m, centre);
  const double about[3][3] = {{J.I.xx - of_point.xx, J.I.xy - of_point.xy, J.I.xz - of_point.xz},
                              {J.I.xy - of_point.xy, J.I.yy - of_point.yy, J.I.yz - of_point.yz},
                              {J.I.xz - of_point.xz, J.I.yz - of_point.yz, J.I.zz - of_point.zz}};
  for (const auto& row : about)
    for (const double e : row)
      if (!is_finite(e)) detail::throw_overflow(function);
  nb::dict out;
  out["mass"] = J.m;
  out["centre"] = new_array(centre);
  out["inertia"] = new_matrix(3, 3, [&](Index i, Index j) { return about[i][j]; });
  return out;
}

}  // namespace

void bind_inertial_parameters(nb::module_& m) {
#define ZWANG_TEN                                                                                        \
  "\n\nparameters: m, m c, I about the origin (xx xy yy xz yz zz), as model.inertial_parameters has of " \
  "each link; (10,) or\n(N, 10)."
  def(
      m, ZWANG_SIGNATURE("def pseudo_inertia_from_parameters(parameters: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("pseudo_inertia_from_parameters", "parameters", x, {4, 4}, [](const Ten& ten, const auto& set) {
          const PseudoInertia<double> P = pseudo_inertia(inertia_from_parameters(ten));
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) set(i, j, P(i, j));
        });
      },
      "The pseudo-inertia P = [Sigma, h; h^T, m], Sigma = tr(I)/2 1 - I, 4 x 4: positive definite for every body whose "
      "mass\nis not all in one plane (Wensing, Kim and Slotine 2018)." ZWANG_TEN);
  def(m, ZWANG_SIGNATURE("def parameters_from_pseudo_inertia(P: ArrayLike) -> Array"), &parameters_from_pseudo,
      "The ten parameters of a pseudo-inertia; P (4, 4) or (N, 4, 4), result (10,) or (N, 10).\n\n"
      "Raises ValueError where it is not symmetric to 1e-9.");
  def(
      m, ZWANG_SIGNATURE("def log_cholesky_from_parameters(parameters: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("log_cholesky_from_parameters", "parameters", x, {10}, [](const Ten& ten, const auto& set) {
          LogCholesky<double> out;
          if (!log_cholesky_from_inertia(inertia_from_parameters(ten), out))
            throw std::invalid_argument(
                "log_cholesky_from_parameters: argument 'parameters' is of no body: its pseudo-inertia is not positive "
                "definite (consistency_margin)");
          set_ten(set, out);
        });
      },
      "Log-Cholesky parameters (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3): any ten numbers are a body's "
      "inertia.\n\n"
      "P = U U^T, U = e^alpha [e^d1 s12 s13 t1; 0 e^d2 s23 t2; 0 0 e^d3 t3; 0 0 0 1] (Rucker and Wensing 2022). "
      "Raises\n"
      "ValueError where the pseudo-inertia P is not positive definite." ZWANG_TEN);
  def(
      m, ZWANG_SIGNATURE("def parameters_from_log_cholesky(x: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("parameters_from_log_cholesky", "x", x, {10}, [](const Ten& ten, const auto& set) {
          set_ten(set, parameters_from_inertia(inertia_from_log_cholesky(ten)));
        });
      },
      "The ten inertial parameters of log-Cholesky parameters; x (10,) or (N, 10).");
  def(
      m, ZWANG_SIGNATURE("def log_cholesky_jacobian(x: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("log_cholesky_jacobian", "x", x, {10, 10},
                       [](const Ten& ten, const auto& set) { set_matrix(set, log_cholesky_jacobian(ten)); });
      },
      "d(ten parameters)/d(log-Cholesky parameters), 10 x 10: Y @ J is the regressor by x. x (10,) or (N, 10).");
  def(
      m, ZWANG_SIGNATURE("def log_cholesky_jacobian_inverse(x: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("log_cholesky_jacobian_inverse", "x", x, {10, 10},
                       [](const Ten& ten, const auto& set) { set_matrix(set, log_cholesky_jacobian_inverse(ten)); });
      },
      "d(log-Cholesky parameters)/d(ten parameters) at x, 10 x 10. x (10,) or (N, 10).");
  def(
      m, ZWANG_SIGNATURE("def consistency_margin(parameters: ArrayLike) -> Array"),
      [](nb::handle x) {
        return of_tens("consistency_margin", "parameters", x, {}, [](const Ten& ten, const auto& set) {
          set(0, 0, consistency_margin(inertia_from_parameters(ten)));
        });
      },
      "The smallest eigenvalue of the pseudo-inertia: above 0 for a body; else minus the least change of it, in the\n"
      "spectral norm, that makes it a body's. An array of shape () or (N,)." ZWANG_TEN);
#undef ZWANG_TEN
  def(m, ZWANG_SIGNATURE("def link_from_parameters(parameters: ArrayLike) -> dict[str, ArrayLike]"), &link_of,
      "mass, centre, and inertia about it of ten parameters: with_parameters(model, {'link7': "
      "link_from_parameters(x)}).\n\n"
      "parameters: as model.inertial_parameters has of each link. Raises ValueError where the mass is not above 0.");
}

}  // namespace zwang::python
