// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: demands and bounds of forces that contradict each other.
//
//   margin = min t   over the ways of forces and of the motion that the demands kept leave,  s + t e in the cones
// with s relative to the forces of its kind: > 0 where no forces within the bounds carry what is demanded. Physical
// rows and equations of motion always hold. Every demand, driver row and bound is taken out once; it stays out where
// the rest still contradicts itself. What is left is a minimal set.
// Before that the multipliers y of the program show which bounds matter, S^T y = 0 along the ways, and the slope of
// s_0^T y along motions shows which demands matter.
#include <algorithm>
#include <cmath>

#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_flat = 1e-20;    ///< of the squares of the ways beside t, where nothing else decides them
constexpr double k_matters = 1e-6;  ///< of multipliers of a contradiction: smaller ones are rounding

using Kind = ForceBound::Kind;

}  // namespace

/// The motion that is still asked for: rows of `asked` that are not left out.
void InverseParts::span_asked() {
  asked.span.begin(rows.nv);
  for (Index i = 0; i < motion_span.rows(); ++i)
    if (!asked.left_out[i]) asked.span.add(asked.row.data() + i * rows.nv, asked.noise[i]);
}

double InverseParts::margin() {
  const Index n = rows.nv, m = problem.physical_rows, nu = motors.count;
  asked.span.complete();
  set_ways(asked.span, asked.span.rank());
  const Index count = bounds.ways;
  dense::ConeProgram& program = bounds.program;
  program.begin(count + 1);
  for (Index k = 0; k <= count; ++k) {
    program.c(k) = k == count ? 1 : 0;
    for (Index l = 0; l <= count; ++l) program.P(k, l) = k == l && k < count ? k_flat : 0;
  }
  for (Index b = 0; b < bounds.count; ++b) {
    const ForceBound& x = bounds.list[b];
    if (bounds.left_out[b]) continue;
    const double unit = unit_of(x);
    const Index at = program.rows();
    program.add_block(x.size);
    for (Index r = 0; r < x.size; ++r) {
      const double now = along(x, r, lambda.data(), u.data(), a.data());
      program.s_0(at + r) = (x.kind == Kind::cone ? now : x.side * (x.value - now)) / unit;
      for (Index k = 0; k < count; ++k)
        program.S(at + r)[k] = (x.kind == Kind::cone ? 1 : -x.side) / unit *
                               along(x, r, bounds.force_way.data() + k * m, bounds.motor_way.data() + k * nu,
                                     bounds.motion_way.data() + k * n);
      program.S(at + r)[count] = r == 0 ? 1 : 0;
    }
  }
  const Index last = program.rows();
  program.add_block(1);
  program.s_0(last) = 1;
  for (Index k = 0; k <= count; ++k) program.S(last)[k] = k == count ? 1 : 0;
  return program.margin();
}

/// No forces within the bounds carry the motion that is asked for.
bool InverseParts::is_contradicted() {
  span_asked();
  return margin() > 0;
}

/// Leaves out what has no part in the contradiction that the last margin, of all bounds and demands, has found.
void InverseParts::keep_what_matters() {
  const Index n = rows.nv, m = problem.physical_rows, nu = motors.count;
  const double* const y = bounds.program.u();
  const auto each_row = [&](auto&& f) {
    for (Index b = 0, at = 0; b < bounds.count; at += bounds.list[b++].size)
      for (Index r = 0; r < bounds.list[b].size; ++r) f(b, r, y[at + r]);
  };
  double largest = 0;
  each_row([&](Index, Index, double multiplier) { largest = std::max(largest, std::fabs(multiplier)); });
  std::fill(asked.slope.begin(), asked.slope.end(), 0.0);
  for (Index i = 0; i < motion_span.rows(); ++i) asked.left_out[i] = is_demand(i);
  span_asked();
  asked.span.complete();
  set_ways(asked.span, asked.span.rank());
  for (Index k = 0; k < bounds.moving; ++k) {
    double slope = 0;
    each_row([&](Index b, Index r, double multiplier) {
      const ForceBound& x = bounds.list[b];
      slope += multiplier * (x.kind == Kind::cone ? 1 : -x.side) / unit_of(x) *
               along(x, r, bounds.force_way.data() + k * m, bounds.motor_way.data() + k * nu,
                     bounds.motion_way.data() + k * n);
    });
    subtract_multiple(n, -slope, asked.span.basis(asked.span.rank() + k), asked.slope.data());
  }
  each_row([&](Index b, Index r, double multiplier) {
    if (r == 0) bounds.left_out[b] = bounds.list[b].kind != Kind::open && !(multiplier > k_matters * largest);
  });
  // The slope as a sum of the rows that are asked for.
  for (Index i = 0; i < motion_span.rows(); ++i) asked.left_out[i] = 0;
  span_asked();
  const Index at = asked.span.rows();
  asked.span.add(asked.slope.data(), unlimited);
  const Index count = asked.span.dependency(at, 0, more.data());
  double most = 0;
  for (Index k = 0; k < count; ++k) most = std::max(most, std::fabs(more[k]));
  for (Index i = 0; i < motion_span.rows(); ++i) asked.left_out[i] = is_demand(i);
  for (Index k = 0; k < count; ++k)
    if (std::fabs(more[k]) > k_matters * most) asked.left_out[asked.span.row_of(k)] = 0;
}

/// A demand on a coordinate or a driver row: what may be taken out.
bool InverseParts::is_demand(Index i) const {
  const Condition& x = conditions.of[i];
  return x.kind == MotionTerm::Kind::demand ||
         (x.kind == MotionTerm::Kind::row && rows.constraint_of(x.index).role == Role::driver);
}

void InverseParts::add_bound_term(const ForceBound& b) {
  InverseReport& r = solution.report;
  using Term = MotionTerm::Kind;
  const auto row = [&] { return problem.physical[b.at]; };
  switch (b.kind) {
    case Kind::cone: r.terms.push_back({Term::cone, rows.constraint_of(row()).name.value(), 1}); break;
    case Kind::sense: r.terms.push_back({Term::sense, rows.name(row()), -b.side}); break;
    case Kind::limit: r.terms.push_back({Term::limit, rows.name(row()), b.side}); break;
    case Kind::motor: r.terms.push_back({Term::torque, motors.names[static_cast<std::size_t>(b.at)], b.side}); break;
    case Kind::effort:
      r.terms.push_back(
          {Term::torque, rows.problem.state.data.model().coordinate_names()[static_cast<std::size_t>(b.at)], b.side});
      break;
    case Kind::open: break;
  }
}

void InverseParts::find_minimal_set() {
  const auto restore = [&] {
    std::fill_n(bounds.left_out.data(), bounds.count, static_cast<unsigned char>(0));
    std::fill_n(asked.left_out.data(), motion_span.rows(), static_cast<unsigned char>(0));
  };
  restore();
  if (!is_contradicted()) return;
  keep_what_matters();
  if (!is_contradicted()) restore();
  const auto try_without = [&](unsigned char& out) {
    if (out != 0) return;
    out = 1;
    if (!is_contradicted()) out = 0;
  };
  for (Index i = 0; i < motion_span.rows(); ++i)
    if (is_demand(i)) try_without(asked.left_out[i]);
  for (Index b = 0; b < bounds.count; ++b)
    if (bounds.list[b].kind != Kind::open) try_without(bounds.left_out[b]);
  InverseReport& r = solution.report;
  const std::vector<std::string>& names = rows.problem.state.data.model().coordinate_names();
  const Index first = static_cast<Index>(r.terms.size());
  for (Index i = 0; i < motion_span.rows(); ++i) {
    if (!is_demand(i) || asked.left_out[i]) continue;
    const Condition& x = conditions.of[i];
    const bool row = x.kind == MotionTerm::Kind::row;
    r.terms.push_back({x.kind, row ? rows.name(x.index) : names[static_cast<std::size_t>(x.index)], 1});
  }
  for (Index b = 0; b < bounds.count; ++b)
    if (!bounds.left_out[b]) add_bound_term(bounds.list[b]);
  span_asked();
  r.conflicts.push_back({first, static_cast<Index>(r.terms.size()) - first, margin()});
  restore();
}

}  // namespace zwang
