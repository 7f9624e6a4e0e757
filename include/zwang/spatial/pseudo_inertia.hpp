// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-inertia and log-Cholesky parameters: which ten numbers are the inertia of a body.
//
//   P = [Sigma, h; h^T, m] = integral of [x; 1] [x; 1]^T dm,   Sigma = tr(I)/2 1 - I,   I = tr(Sigma) 1 - Sigma
// A body whose mass is not all in one plane has a positive definite P, and every such P is one of a body (Wensing, Kim
// & Slotine, Linear matrix inequalities for physically consistent inertial parameter identification, 2018). Its factor
// P = U U^T with an upper triangle U and a positive diagonal gives coordinates without bounds (Rucker & Wensing, Smooth
// parameterization of rigid-body inertia, 2022):
//
//   U = e^alpha [e^d1 s12 s13 t1;  0 e^d2 s23 t2;  0 0 e^d3 t3;  0 0 0 1]
//   x = (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3)      m = e^(2 alpha),  h = m t
// Derivatives: dP = dU U^T + U dU^T, hence U^-1 dU = upper half of U^-1 dP U^-T, its diagonal halved.
// The ten numbers are mass, h = m c, and I about the origin: xx xy yy xz yz zz, in one frame (Model::links(): the
// link's). The scalar is any real one, std::complex<double> or a dual number that has exp and log.
#pragma once
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "zwang/spatial/inertia.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// P = [sigma, h; h^T, m].
template <class S> struct PseudoInertia {
  Sym3<S> sigma;  ///< integral of x x^T over the mass [kg m^2]
  Vec3<S> h;      ///< m c [kg m]
  S m;            ///< [kg]
  ZWANG_INLINE S operator()(int i, int j) const {
    if (i == 3 && j == 3) return m;
    if (i == 3) return h[j];
    if (j == 3) return h[i];
    const S rows[3][3] = {
        {sigma.xx, sigma.xy, sigma.xz}, {sigma.xy, sigma.yy, sigma.yz}, {sigma.xz, sigma.yz, sigma.zz}};
    return rows[i][j];
  }
};
/// alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3.
template <class S> using LogCholesky = std::array<S, 10>;
/// Ten by ten numbers, row by row.
template <class S> using TenByTen = std::array<std::array<S, 10>, 10>;

/// m, m c, I: xx xy yy xz yz zz.
template <class S> ZWANG_INLINE std::array<S, 10> parameters_from_inertia(const Inertia<S>& J) {
  return {J.m, J.h.x, J.h.y, J.h.z, J.I.xx, J.I.xy, J.I.yy, J.I.xz, J.I.yz, J.I.zz};
}
/// The inertia of these ten numbers.
template <class S> ZWANG_INLINE Inertia<S> inertia_from_parameters(const std::array<S, 10>& p) {
  return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[7], p[6], p[8], p[9]}};
}

/// P of an inertia about the same origin.
template <class S> ZWANG_INLINE PseudoInertia<S> pseudo_inertia(const Inertia<S>& J) {
  const S half = (J.I.xx + J.I.yy + J.I.zz) * Uniform<S>(0.5);
  return {{half - J.I.xx, -J.I.xy, -J.I.xz, half - J.I.yy, -J.I.yz, half - J.I.zz}, J.h, J.m};
}
/// The inertia of P.
template <class S> ZWANG_INLINE Inertia<S> inertia_from_pseudo(const PseudoInertia<S>& P) {
  const Sym3<S>& s = P.sigma;
  return {P.m, P.h, {s.yy + s.zz, -s.xy, -s.xz, s.xx + s.zz, -s.yz, s.xx + s.yy}};
}

namespace impl {
template <class S> struct UpperTriangle { S u[4][4]; };

template <class S> UpperTriangle<S> cholesky_factor(const LogCholesky<S>& x) {
  using std::exp;
  const S a = exp(x[0]), o(0);
  return {{{a * exp(x[1]), a * x[4], a * x[6], a * x[7]},
           {o, a * exp(x[2]), a * x[5], a * x[8]},
           {o, o, a * exp(x[3]), a * x[9]},
           {o, o, o, a}}};
}
/// U dU^T + dU U^T of U = factor, as the ten numbers of an inertia.
template <class S> std::array<S, 10> varied_parameters(const UpperTriangle<S>& U, const UpperTriangle<S>& dU) {
  S P[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) {
      P[i][j] = S(0);
      for (int k = j; k < 4; ++k) P[i][j] += U.u[i][k] * dU.u[j][k] + dU.u[i][k] * U.u[j][k];
    }
  return parameters_from_inertia(inertia_from_pseudo(
      PseudoInertia<S>{{P[0][0], P[0][1], P[0][2], P[1][1], P[1][2], P[2][2]}, {P[0][3], P[1][3], P[2][3]}, P[3][3]}));
}
}  // namespace impl

/// The inertia of log-Cholesky parameters.
template <class S> Inertia<S> inertia_from_log_cholesky(const LogCholesky<S>& x) {
  const impl::UpperTriangle<S> U = impl::cholesky_factor(x);
  impl::UpperTriangle<S> half = U;
  for (auto& row : half.u)
    for (S& e : row) e = e * Uniform<S>(0.5);
  return inertia_from_parameters(impl::varied_parameters(U, half));
}
/// Writes the log-Cholesky parameters of an inertia; false, and x as it was, where P is not positive definite.
template <class S> bool log_cholesky_from_inertia(const Inertia<S>& J, LogCholesky<S>& x) {
  using std::log;
  using std::sqrt;
  const PseudoInertia<S> P = pseudo_inertia(J);
  S u[4][4] = {};
  for (int j = 3; j >= 0; --j) {
    S pivot = P(j, j);
    for (int k = j + 1; k < 4; ++k) pivot = pivot - u[j][k] * u[j][k];
    if (!(value_of(pivot) > 0)) return false;
    u[j][j] = sqrt(pivot);
    for (int i = j - 1; i >= 0; --i) {
      S e = P(i, j);
      for (int k = j + 1; k < 4; ++k) e = e - u[i][k] * u[j][k];
      u[i][j] = e / u[j][j];
    }
  }
  const S a = u[3][3];
  x = {log(a),      log(u[0][0] / a), log(u[1][1] / a), log(u[2][2] / a), u[0][1] / a,
       u[1][2] / a, u[0][2] / a,      u[0][3] / a,      u[1][3] / a,      u[2][3] / a};
  return true;
}

/// d(ten parameters)/d(log-Cholesky parameters) at x: [row: parameter][column: x].
template <class S> TenByTen<S> log_cholesky_jacobian(const LogCholesky<S>& x) {
  constexpr int place[10][2] = {{3, 3}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  const impl::UpperTriangle<S> U = impl::cholesky_factor(x);
  TenByTen<S> J;
  for (std::size_t k = 0; k < 10; ++k) {
    impl::UpperTriangle<S> dU = {};
    const int i = place[k][0], j = place[k][1];
    if (k == 0)
      dU = U;
    else
      dU.u[i][j] = i == j ? U.u[i][i] : U.u[3][3];
    const std::array<S, 10> column = impl::varied_parameters(U, dU);
    for (std::size_t r = 0; r < 10; ++r) J[r][k] = column[r];
  }
  return J;
}
/// d(log-Cholesky parameters)/d(ten parameters) at x: the inverse of log_cholesky_jacobian(x), column by column from
/// the factor.
template <class S> TenByTen<S> log_cholesky_jacobian_inverse(const LogCholesky<S>& x) {
  const impl::UpperTriangle<S> U = impl::cholesky_factor(x);
  TenByTen<S> J;
  for (std::size_t k = 0; k < 10; ++k) {
    std::array<S, 10> unit;
    unit.fill(S(0));
    unit[k] = S(1);
    const PseudoInertia<S> dP = pseudo_inertia(inertia_from_parameters(unit));
    S w[4][4];  // U^-1 dP, then U^-1 dP U^-T
    for (int i = 3; i >= 0; --i)
      for (int j = 0; j < 4; ++j) {
        w[i][j] = dP(i, j);
        for (int l = i + 1; l < 4; ++l) w[i][j] -= U.u[i][l] * w[l][j];
        w[i][j] = w[i][j] / U.u[i][i];
      }
    for (int j = 3; j >= 0; --j)
      for (int i = 0; i < 4; ++i) {
        for (int l = j + 1; l < 4; ++l) w[i][j] -= w[i][l] * U.u[j][l];
        w[i][j] = w[i][j] / U.u[j][j];
      }
    S d[4][4];  // U^-1 times dU; d U then
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) d[i][j] = j < i ? S(0) : j == i ? w[i][i] * Uniform<S>(0.5) : w[i][j];
    const auto dU = [&](int i, int j) {
      S e(0);
      for (int l = i; l <= j; ++l) e += U.u[i][l] * d[l][j];
      return e;
    };
    const S a = U.u[3][3], da = d[3][3];  // da / a
    const auto ratio = [&](int i, int j) { return dU(i, j) / a - U.u[i][j] / a * da; };
    const S column[10] = {da,          d[0][0] - da, d[1][1] - da, d[2][2] - da, ratio(0, 1),
                          ratio(1, 2), ratio(0, 2),  ratio(0, 3),  ratio(1, 3),  ratio(2, 3)};
    for (std::size_t r = 0; r < 10; ++r) J[r][k] = column[r];
  }
  return J;
}

/// The smallest eigenvalue of P: positive of the inertia of a body; otherwise minus the least change of P, in the
/// spectral norm, that makes it one. Its numbers have three units (kg m^2, kg m, kg): it is a distance in the units of
/// the caller. By Jacobi's rotations (Golub & Van Loan 2013, section 8.5), to rounding of the largest number in P. NaN
/// where a number of J, or of P, is not finite.
inline double consistency_margin(const Inertia<double>& J) {
  const PseudoInertia<double> P = pseudo_inertia(J);
  double a[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      a[i][j] = P(i, j);
      if (!std::isfinite(a[i][j])) return std::numeric_limits<double>::quiet_NaN();
    }
  for (int sweep = 0; sweep < 16; ++sweep) {
    double off = 0;
    for (int p = 0; p < 3; ++p)
      for (int q = p + 1; q < 4; ++q) {
        if (a[p][q] == 0) continue;
        off = std::fmax(off, std::fabs(a[p][q]));
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = std::copysign(1 / (std::fabs(theta) + std::hypot(1, theta)), theta);
        const double c = 1 / std::hypot(1, t), s = t * c;
        for (int k = 0; k < 4; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 4; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
        a[p][q] = a[q][p] = 0;
      }
    if (off == 0) break;
  }
  return std::fmin(std::fmin(a[0][0], a[1][1]), std::fmin(a[2][2], a[3][3]));
}

}  // namespace ZWANG_ISA
}  // namespace zwang
