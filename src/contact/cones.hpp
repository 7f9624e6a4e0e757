// SPDX-License-Identifier: BSD-3-Clause
// The cones of contact: projection, the term of De Saxcé, the derivative of the projection.
//
//   contact      three rows t1 t2 n     |z_t| <= mu z_n
//   unilateral   one row                z >= 0
//   friction     one row                |z| <= bound
// De Saxcé & Feng 1998: with u = sigma + Gamma(sigma), Gamma = (0, 0, mu |sigma_t|) at a contact and 0 elsewhere, the
// laws of Signorini and Coulomb are  K ∋ lambda ⟂ u ∈ K*,  which is  lambda = P_K(lambda - u).
#pragma once
#include <algorithm>
#include <cmath>

#include "zwang/contact/contact_solver.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang::contact {

/// std::hypot, which is slow, where squares might leave the range of double.
inline double length(double a, double b) {
  const double square = a * a + b * b;
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(a, b);
}

struct Cone {
  ContactCone::Kind kind = ContactCone::Kind::contact;
  Index first = 0;   ///< row
  double mu = 0;     ///< of a contact
  double bound = 0;  ///< of friction, in scaled impulses
  double scale = 1;  ///< impulse = scale * scaled impulse
  /// By which loads are compared: those of points in N s, those of coordinates in rows of length 1.
  double weight = 1;

  bool is_contact() const { return kind == ContactCone::Kind::contact; }
  Index rows() const { return is_contact() ? 3 : 1; }
};

/// Where a contact's z is projected: it is in the cone, the apex is nearest, or a point of the surface.
enum class Part { inside, apex, surface };
inline Part part_of(double mu, double t, double n) {
  if (t <= mu * n && n >= 0) return Part::inside;
  return mu * t <= -n ? Part::apex : Part::surface;
}

inline void project(const Cone& c, const double* z, double* out) {
  const Index i = c.first;
  if (c.kind == ContactCone::Kind::unilateral) {
    out[i] = std::max(z[i], 0.0);
  } else if (c.kind == ContactCone::Kind::friction) {
    out[i] = std::clamp(z[i], -c.bound, c.bound);
  } else {
    const double a = z[i], b = z[i + 1], n = z[i + 2], t = length(a, b);
    const Part part = part_of(c.mu, t, n);
    const double normal = part == Part::apex ? 0 : part == Part::inside ? n : (n + c.mu * t) / (1 + c.mu * c.mu);
    const double along = part == Part::inside ? 1 : part == Part::apex || t == 0 ? 0 : c.mu * normal / t;
    out[i] = along * a;
    out[i + 1] = along * b;
    out[i + 2] = normal;
  }
}

/// mu |sigma_t|, what Gamma adds to the normal row of a contact.
inline double shift(const Cone& c, const double* sigma) { return c.mu * length(sigma[c.first], sigma[c.first + 1]); }

/// How far l and sigma of a cone are from a pair that obeys the laws: the least of |l - l'| + |sigma - sigma'| over
/// open, stuck and slipping (or: closed and at a bound). The natural map lambda - P_K(lambda - u) would not do as a
/// measure: at lambda = 0 it falls with 1/mu^2, so that a body might fall through a floor that is rough.
inline double distance(const Cone& c, const double* l, const double* sigma) {
  const Index i = c.first;
  const double x = l[i], v = sigma[i];
  if (c.kind == ContactCone::Kind::unilateral)
    return std::min(std::fabs(x) + std::max(0.0, -v), std::fabs(v) + std::max(0.0, -x));
  if (c.kind == ContactCone::Kind::friction) {
    const double held = std::fabs(v) + std::max(0.0, std::fabs(x) - c.bound);
    const double up = std::fabs(x - c.bound) + std::max(0.0, v), down = std::fabs(x + c.bound) + std::max(0.0, -v);
    return std::min(held, std::min(up, down));
  }
  const double n = l[i + 2], t = length(x, l[i + 1]), v_n = sigma[i + 2], slip = length(v, sigma[i + 1]);
  const double outside = std::max(0.0, t - c.mu * n) + std::max(0.0, -n);
  const double open = length(t, n) + std::max(0.0, -v_n), stuck = length(slip, v_n) + outside;
  // It slips against its friction: sigma_t = -s l_t, s >= 0, on the surface of the cone.
  const double a = t > 0 ? x / t : 0, b = t > 0 ? l[i + 1] / t : 0;
  const double along = std::min(0.0, v * a + sigma[i + 1] * b);
  const double across = length(v - along * a, sigma[i + 1] - along * b);
  const double slips = std::fabs(t - c.mu * n) + std::max(0.0, -n) + std::fabs(v_n) + (c.mu > 0 ? across : 0);
  return std::min(open, std::min(stuck, slips));
}

/// B [rows x rows]: an element of the generalised derivative of the projection at z.
inline void project_derivative(const Cone& c, const double* z, double (&B)[3][3]) {
  for (auto& row : B) row[0] = row[1] = row[2] = 0;
  const Index i = c.first;
  if (!c.is_contact()) {
    B[0][0] = c.kind == ContactCone::Kind::unilateral ? z[i] > 0 : std::fabs(z[i]) < c.bound;
    return;
  }
  const double n = z[i + 2], t = length(z[i], z[i + 1]), mu = c.mu;
  const Part part = part_of(mu, t, n);
  if (part == Part::apex) return;
  if (part == Part::inside) {
    B[0][0] = B[1][1] = B[2][2] = 1;
    return;
  }
  // On the surface: P(z) = a (mu d, 1), a = (n + mu t)/(1 + mu^2), d = z_t/t.
  const double d[2] = {t > 0 ? z[i] / t : 0, t > 0 ? z[i + 1] / t : 0}, inv = 1 / (1 + mu * mu);
  const double along[3] = {mu * d[0], mu * d[1], 1}, a = (n + mu * t) * inv, turn = t > 0 ? mu * a / t : 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) B[r][s] = along[r] * along[s] * inv;
  for (int r = 0; r < 2; ++r)
    for (int s = 0; s < 2; ++s) B[r][s] += turn * ((r == s) - d[r] * d[s]);
}

}  // namespace zwang::contact
