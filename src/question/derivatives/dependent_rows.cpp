// SPDX-License-Identifier: BSD-3-Clause
// Dependent rows of a linearised problem.
#include <algorithm>
#include <cmath>

#include "core/kernel_table.hpp"
#include "question/derivatives/linearised.hpp"
#include "question/derivatives/products.hpp"
#include "zwang/core/random.hpp"

namespace zwang {
namespace {

/// Relations that an integrator keeps closed to 1e-8 of their length may still depend on each other.
constexpr double k_constant_rank = 1e-6;

double largest(Index n, const double* x) {
  double out = 0;
  for (Index i = 0; i < n; ++i) out = std::max(out, std::fabs(x[i]));
  return out;
}
double size(const Force<double>& x) {
  double out = 0;
  for (int c = 0; c < 6; ++c) out = std::max(out, std::fabs(x[c]));
  return out;
}

}  // namespace

/// rows := (1 - G G^+) rows of the hard rows, 0 for soft ones. Twice: where rows nearly depend, the first leaves
/// rounding of the size of their motion among the rows that count. Null, or why there is no answer.
const char* Linearised::project(double* rows) {
  const char* const why = project_once(rows);
  return why != nullptr ? why : project_once(rows);
}

const char* Linearised::project_once(double* rows) {
  Problem& p = problem_;
  ask_nothing(1);
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.is_hard(k)) sides_.b[k] = Columns(rows[k]);
  if (const char* why = respond()) return why;
  for (Index k = 0; k < p.rows.m; ++k) {
    if (!p.is_hard(k)) rows[k] = 0;
    for (Index c = 0; p.is_hard(k) && c < p.state.data.tree().spanning_nv; ++c)
      rows[k] -= p.jacobian(k, c) * sides_.acceleration[p.state.data.tree().column[c].v][0];
  }
  return nullptr;
}

/// Null, or why the derivatives of dependent rows do not exist. Leaves dependent_motion_,
/// the motion of the multipliers.
const char* Linearised::find_dependent_rows(bool will_eliminate) {
  Problem& p = problem_;
  Data& data = p.state.data;
  const Index nv = data.tree().nv, m = p.rows.m;
  const SolveReport& report = parts_.solution.report;
  const Singularity policy = parts_.settings.singularity;
  dependent_ = report.rank < report.rows && policy != Singularity::damping;
  if (policy != Singularity::damping && !will_eliminate)
    if (const char* why = check_response()) return why;
  if (!dependent_) return nullptr;
  if (policy == Singularity::weighted && p.rows.traits.weights) return "rows depend on each other and have weights";
  if (p.rows.traits.levels) return "rows of several priorities depend on each other";
  Random random(1);
  for (Index k = 0; k < m; ++k) scratch_.null[k] = random.uniform(-1, 1);
  if (const char* why = project(scratch_.null.data())) return why;

  // c . d rho = 0
  std::fill_n(y_.data(), nv, 0.0);
  kernels().derivative->vary_columns(&data, p.state.q.data(), p.state.v.data(), acceleration_.data());
  kernels().derivative->enter_from_the_left(&data, y_.data());
  double scale_q = 0, scale_v = 0, psi[3] = {0, 0, 0};
  for (Index k = 0; k < data.tree().spanning_nv; ++k) {
    const ColumnVariation<double>& column = data.derivative.variation[k];
    for (int c = 0; c < 6; ++c) {
      psi[0] = std::max(psi[0], std::fabs(column.s[c]));
      psi[1] = std::max({psi[1], std::fabs(column.first[c]), std::fabs(column.sum[c])});
      psi[2] = std::max(psi[2], std::fabs(column.second[c]));
    }
  }
  for (const RowPart& part : rows_.parts) {
    const double c = std::fabs(scratch_.null[part.row]);
    scale_q += c * (size(part.K) * psi[2] + size(part.P) * psi[1] + size(part.N) * psi[0]);
    scale_v += c * (size(part.K) * psi[1] + size(part.P) * psi[0]);
  }
  for (const CoordinateRow& row : rows_.coordinates) {
    const double c = std::fabs(scratch_.null[row.row]);
    scale_q += c * std::fabs(row.by_q);
    scale_v += c * std::fabs(row.by_v);
  }
  std::fill_n(scratch_.by_q.data(), nv, 0.0);
  std::fill_n(scratch_.by_v.data(), nv, 0.0);
  const Left x(data);
  zwang::add_rows(rows_, x, scratch_.null.data(), scratch_.by_q.data(), scratch_.by_v.data());
  double* const out[] = {scratch_.by_q.data(), scratch_.by_v.data(), nullptr};
  kernels().derivative->leave_from_the_left(&data, p.state.q.data(), p.state.v.data(), acceleration_.data(), y_.data(),
                                            false, false, out);
  if (p.rows.shock != nullptr) add_shock_of_dependent_rows(psi[0], scale_q, scale_v);
  const bool consistent = largest(nv, scratch_.by_q.data()) <= k_constant_rank * scale_q &&
                          largest(nv, scratch_.by_v.data()) <= k_constant_rank * scale_v;

  // c . d(J x) = 0 of a motion x that the rows allow
  ask_nothing(1);
  for (Index y = 0; y < nv; ++y) sides_.tau[y] = Columns(p.state.prescribed.is[y] ? 0.0 : random.uniform(-1, 1));
  if (const char* why = respond()) return why;
  for (Index y = 0; y < nv; ++y) scratch_.x[y] = sides_.acceleration[y][0];
  double scale = 0;
  std::fill_n(scratch_.by_v.data(), nv, 0.0);
  rates_from_the_left(scratch_.x.data(), scratch_.null.data(), scratch_.by_v.data());
  for (const RowPart& part : rows_.parts) scale += std::fabs(scratch_.null[part.row]) * size(part.K);
  double speed = 0;
  for (Index i = 1; i <= data.tree().n; ++i)
    for (int c = 0; c < 6; ++c) speed = std::max(speed, std::fabs(data.velocity.twist[i][c]));
  scale *= speed * psi[0];
  for (const CoordinateRow& row : rows_.coordinates)
    scale += std::fabs(scratch_.null[row.row] * row.turned * scratch_.x[row.v]);
  const bool constant =
      !moves_freely(scratch_.x.data()) || largest(nv, scratch_.by_v.data()) <= k_constant_rank * scale;

  if (consistent && constant)
    if (const char* why = find_vanishing_rows(random)) return why;

  // the motion of the multipliers
  ask_nothing(1);
  for (Index k = 0; k < m; ++k)
    if (p.is_hard(k)) sides_.b[k] = Columns(lambda_[k]);
  if (const char* why = respond()) return why;
  for (Index y = 0; y < nv; ++y) dependent_motion_[y] = sides_.acceleration[y][0];
  page::kinematics(data, p.state.q.data(), p.state.v.data(), acceleration_.data());
  moved_ = false;
  return consistent && constant ? nullptr : "the rank of the rows changes at this state";
}

/// Whether x, found as a motion that the rows allow, is more than rounding: where they leave none, their rank is that
/// of the free coordinates, nearby too. The kinematics are those of x.
bool Linearised::moves_freely(const double* x) const {
  const Problem& p = problem_;
  const Tree<double>& tree = p.state.data.tree();
  double fastest = 0, size_of_terms = 0;
  for (Index k = 0; k < p.rows.m; ++k) {
    if (!p.is_hard(k)) continue;
    double speed = 0, terms = 0;
    for (Index j = 0; j < tree.spanning_nv; ++j) {
      const double term = p.jacobian(k, j) * x[tree.column[j].v];
      speed += term;
      terms += std::fabs(term);
    }
    fastest = std::max(fastest, std::fabs(speed));
    size_of_terms = std::max(size_of_terms, terms);
  }
  return fastest <= k_constant_rank * size_of_terms;
}

/// What c . (share J v-) adds to scratch_.by_q and by_v, and to the sizes of their terms.
void Linearised::add_shock_of_dependent_rows(double column, double& scale_q, double& scale_v) {
  const Problem& p = problem_;
  const Tree<double>& tree = p.state.data.tree();
  const Shock& shock = *p.rows.shock;
  for (Index k = 0; k < p.rows.m; ++k) {
    const double c = scratch_.row[k] = scratch_.null[k] * shock.share[row_of(k)];
    for (Index j = 0; j < tree.spanning_nv; ++j) scratch_.by_v[tree.column[j].v] += c * p.jacobian(k, j);
  }
  rates_from_the_left(shock.velocity, scratch_.row.data(), scratch_.by_q.data());
  double speed = 0;
  for (Index i = 1; i <= tree.n; ++i)
    for (int c = 0; c < 6; ++c) speed = std::max(speed, std::fabs(p.state.data.velocity.twist[i][c]));
  for (const RowPart& part : rows_.parts) {
    const double size_of_row = std::fabs(scratch_.row[part.row]) * size(part.K) * column;
    scale_q += size_of_row * speed;
    scale_v += size_of_row;
  }
  for (const CoordinateRow& row : rows_.coordinates) {
    const double c = std::fabs(scratch_.row[row.row]);
    scale_q += c * std::fabs(row.turned * shock.velocity[row.v]);
    scale_v += c * std::fabs(row.by_a);
  }
}

/// Null, or why rows that vanish at this state count beside it. Where J_i = 0, or rounding of its terms, c .
/// d(J x) sees only how J_i turns; what it does to the motion that the other rows leave, x + dx with J
/// dx = -d(J) x, is of second order: d(J_i) dx.
/// `scratch_.x`: x.
const char* Linearised::find_vanishing_rows(Random& random) {
  Problem& p = problem_;
  const Data& data = p.state.data;
  const HardRows& hard = parts_.answer.hard;
  if (!is_in_doubt() || hard.beyond_doubt() || !hard.is_named() || parts_.answer.compressed != nullptr) return nullptr;
  const auto vanishes = [&](Index i) {
    return i >= 0 && hard.system.row_scale(i) <= k_constant_rank * hard.system.root_bound(i);
  };
  bool some = false;
  for (Index i = 0; i < hard.count; ++i) some = some || vanishes(i);
  if (!some) return nullptr;
  double* const direction = scratch_.by_q.data();
  for (Index y = 0; y < data.tree().nv; ++y) direction[y] = random.uniform(-1, 1);
  rates_from_the_right(scratch_.x.data(), direction, scratch_.row.data());
  ask_nothing(1);
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.is_hard(k)) sides_.b[k] = Columns(-scratch_.row[k]);
  if (const char* why = respond()) return why;
  for (Index y = 0; y < data.tree().nv; ++y) scratch_.x[y] = sides_.acceleration[y][0];
  rates_from_the_right(scratch_.x.data(), direction, scratch_.row.data());
  double speed = 0;
  for (Index i = 1; i <= data.tree().n; ++i)
    for (int c = 0; c < 6; ++c) speed = std::max(speed, std::fabs(data.velocity.twist[i][c]));
  for (const RowPart& part : rows_.parts) {
    if (vanishes(hard.of_row[part.row]) && std::fabs(scratch_.row[part.row]) > k_constant_rank * size(part.K) * speed)
      return "the rank of the rows changes at this state";
  }
  return nullptr;
}

/// The kinematics of joint velocities x, and the rates of the rows.
void Linearised::enter_rates(const double* x) {
  std::fill_n(scratch_.torque.data(), scratch_.torque.size(), 0.0);
  moved_ = true;
  page::kinematics(problem_.state.data, problem_.state.q.data(), x, scratch_.torque.data());
  rows_.evaluate_rates(problem_, problem_.state.data);
}

/// by_q += c . d(J x)/dq. Leaves the kinematics of x.
void Linearised::rates_from_the_left(const double* x, const double* c, double* by_q) {
  Data& data = problem_.state.data;
  const double* const q = problem_.state.q.data();
  enter_rates(x);
  kernels().derivative->enter_from_the_left(&data, scratch_.torque.data());
  const Left out(data);
  for (Index i = 1; i <= data.tree().n; ++i)
    for (const auto* to : {&out.Q, &out.P, &out.N, &out.f}) to->set(i, Force<double>::zero());
  for (const RowPart& part : rows_.parts) {
    out.P.add(part.body, part.K * c[part.row]);
    out.N.add(part.body, part.R * c[part.row]);
  }
  double* const to[] = {by_q, nullptr, nullptr};
  kernels().derivative->leave_from_the_left(&data, q, x, scratch_.torque.data(), scratch_.torque.data(), false, false,
                                            to);
  for (const CoordinateRow& row : rows_.coordinates) by_q[row.v] += c[row.row] * row.turned * x[row.v];
}

/// out [m] = d(J x) along dq. Leaves the kinematics of x.
void Linearised::rates_from_the_right(const double* x, const double* dq, double* out) {
  Data& data = problem_.state.data;
  enter_rates(x);
  const double* const d[] = {dq, nullptr, nullptr};
  kernels().derivative->enter_from_the_right(&data, problem_.state.q.data(), x, scratch_.torque.data(), d);
  const Right motion(data);
  std::fill_n(out, problem_.rows.m, 0.0);
  for (const RowPart& part : rows_.parts)
    out[part.row] += dot(motion.nu(part.body), part.K) + dot(motion.xi(part.body), part.R);
  for (const CoordinateRow& row : rows_.coordinates) out[row.row] += row.turned * x[row.v] * dq[row.v];
}

}  // namespace zwang
