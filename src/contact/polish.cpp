// SPDX-License-Identifier: BSD-3-Clause
#include "contact/polish.hpp"

#include "core/all_finite.hpp"
#include "linear/lu.hpp"

namespace zwang::contact {
namespace {

constexpr double k_proximal = 1e-9;  // on the diagonal, taken out by refinement
constexpr double k_even = 1e-6;      // part of the loads that moves nothing
constexpr int k_refinements = 3;
constexpr double k_most_compliance = 1e12;  // of the direction, where lambda_n is next to nothing
constexpr double k_still = 1e-15;           // of V: it does not slip
constexpr double k_open = 1e-6;             // of the slip: sigma_n of what is open
constexpr double k_edge = 1e-14;            // on the edge of the cone it sticks

}  // namespace

void Polish::reserve(Index rows, Index all) {
  unknown_ = Buffer<Unknown>(rows);
  soft_ = Buffer<double>(rows), shift_ = Buffer<double>(rows), next_ = Buffer<double>(rows),
  best_ = Buffer<double>(rows), s_ = Buffer<double>(rows);
  y_ = Buffer<double>(all);
  A_ = Buffer<double>(rows * rows), LU_ = Buffer<double>(rows * rows);
  r_ = Buffer<double>(rows), x_ = Buffer<double>(rows), d_ = Buffer<double>(rows), rest_ = Buffer<double>(rows);
  order_ = Buffer<Index>(rows);
}

/// The state of each cone at l, whose motion is in y_, s_: unknowns, and the impulses from which they are counted.
void Polish::classify(const ScaledProblem& p, const double* l) {
  const double still = k_still * p.speed(y_.data());
  count_ = 0;
  sticks_ = true;
  const auto held = [&](const Cone& cone, Index k) {
    soft_[count_] = 0, shift_[count_] = k_proximal * cone.weight * cone.weight;
    unknown_[count_++] = {.row = {k}, .equation = {k}, .by = {1}, .of = {1}, .rows = 1, .equations = 1};
  };
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    const Index a = cone.first, b = a + 1, n = a + 2;
    if (!cone.is_contact()) {
      const double z = l[a] - s_[a];
      const bool friction = cone.kind == ContactCone::Kind::friction;
      next_[a] = friction ? std::clamp(z, -cone.bound, cone.bound) : 0;
      if (friction ? std::fabs(z) >= cone.bound : z <= 0) continue;
      next_[a] = l[a];
      held(cone, a);
      continue;
    }
    const double slip = length(s_[a], s_[b]), z_n = l[n] - s_[n] - cone.mu * slip;
    const double z_a = l[a] - s_[a], z_b = l[b] - s_[b], t = length(z_a, z_b);
    next_[a] = next_[b] = next_[n] = 0;
    if (cone.mu * t <= -z_n) {
      sticks_ = sticks_ && s_[n] > k_open * (slip + still);  // else it is closed, and slips without a load
      continue;
    }
    if (cone.mu > 0 && (t <= cone.mu * z_n * (1 + k_edge) || slip <= still)) {
      for (const Index k : {a, b, n}) next_[k] = l[k], held(cone, k);
      continue;
    }
    const double normal = std::max(l[n], 1e-300), d_a = t > 0 ? z_a / t : 0, d_b = t > 0 ? z_b / t : 0;
    sticks_ = false;
    next_[n] = normal, next_[a] = cone.mu * normal * d_a, next_[b] = cone.mu * normal * d_b;
    soft_[count_] = 0, shift_[count_] = k_proximal;
    unknown_[count_++] = {.row = {n, a, b},
                          .equation = {n},
                          .by = {1, cone.mu * d_a, cone.mu * d_b},
                          .of = {1},
                          .rows = 3,
                          .equations = 1};
    if (cone.mu == 0) continue;
    const double compliance = slip / (cone.mu * normal);
    shift_[count_] = k_proximal;
    soft_[count_] = compliance < k_most_compliance ? compliance : k_most_compliance;
    unknown_[count_++] = {
        .row = {a, b}, .equation = {a, b}, .by = {-d_b, d_a}, .of = {-d_b, d_a}, .rows = 2, .equations = 2};
  }
}

/// next_ += the correction; false where it is none.
bool Polish::correct(const ScaledProblem& p) {
  const Index q = count_;
  p.motion(next_.data(), y_.data(), s_.data());
  for (Index i = 0; i < q; ++i) {
    const Unknown& e = unknown_[i];
    r_[i] = 0;
    for (int k = 0; k < e.equations; ++k) r_[i] -= e.of[k] * s_[e.equation[k]];
    if (sticks_) {  // rows alone
      const double* const G = p.G.data() + e.row[0] * p.m;
      for (Index j = 0; j < q; ++j) A_[i * q + j] = G[unknown_[j].row[0]];
      std::copy_n(A_.data() + i * q, q, LU_.data() + i * q);
    }
    for (Index j = sticks_ ? q : 0; j < q; ++j) {
      const Unknown& u = unknown_[j];
      double sum = i == j ? soft_[i] : 0;
      for (int k = 0; k < e.equations; ++k)
        for (int h = 0; h < u.rows; ++h) sum += e.of[k] * u.by[h] * p.G[e.equation[k] * p.m + u.row[h]];
      A_[i * q + j] = LU_[i * q + j] = sum;
    }
    LU_[i * q + i] += shift_[i];
  }
  if (!dense::lu(q, LU_.data(), order_.data())) return false;
  std::fill(x_.begin(), x_.begin() + q, 0.0);
  for (int pass = 0; pass < k_refinements; ++pass) {
    for (Index i = 0; i < q; ++i) rest_[i] = r_[i] - dot(q, A_.data() + i * q, x_.data());
    dense::solve_lu(q, LU_.data(), order_.data(), rest_.data(), d_.data());
    add(q, 1, d_.data(), x_.data());
  }
  for (Index j = 0; j < q; ++j)
    for (int h = 0; h < unknown_[j].rows; ++h) next_[unknown_[j].row[h]] += unknown_[j].by[h] * x_[j];
  if (!all_finite(next_.data(), static_cast<long>(p.m))) return false;
  for (Index c = 0; c < p.count; ++c) {
    const Cone& cone = p.cone[c];
    if (!cone.is_contact() || !(next_[cone.first + 2] > 0)) continue;
    double *const a = &next_[cone.first], most = cone.mu * a[2], t = length(a[0], a[1]);
    if (t > most) a[0] *= most / t, a[1] *= most / t;
  }
  return true;
}

bool Polish::is_even(const double* l) {
  if (!sticks_) return false;
  double size = 0, rest = 0;
  for (Index i = 0; i < count_; ++i) rest_[i] = shift_[i] * l[unknown_[i].row[0]];
  dense::solve_lu(count_, LU_.data(), order_.data(), rest_.data(), d_.data());
  for (Index i = 0; i < count_; ++i) {
    const double load = l[unknown_[i].row[0]];
    size += shift_[i] * load * load;
    rest += shift_[i] * d_[i] * d_[i];
  }
  return rest <= k_even * k_even * size;
}

double Polish::run(const ScaledProblem& p, double* l, int steps, double goal) {
  double least = p.residual(l);
  sticks_ = false;
  ++runs;
  std::copy(l, l + p.m, best_.begin());
  for (int k = 0; k < steps && !(least <= goal); ++k) {
    ++iterations;
    p.motion(l, y_.data(), s_.data());
    classify(p, l);
    if (!correct(p)) {
      sticks_ = false;
      break;
    }
    const double e = p.residual(next_.data());
    std::copy(next_.begin(), next_.begin() + p.m, l);
    if (e < least || least != least) {
      least = e;
      std::copy(next_.begin(), next_.begin() + p.m, best_.begin());
    }
    if (k > 3 && e > 1e3 * least) break;
  }
  std::copy(best_.begin(), best_.begin() + p.m, l);
  return least;
}

}  // namespace zwang::contact
