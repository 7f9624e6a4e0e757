// SPDX-License-Identifier: BSD-3-Clause
// In how many states of a call rows are violated, as Certificate::warn_of_state() says it of one state
// (src/certify/warnings.cpp). Rows in lanes have no sense.
#pragma once
#include <algorithm>

#include "kernels/constrained_workspace.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Violations, and what the lanes have counted of them: of one kind, at the first or the last state that is looked at.
template <class S> RowTally<S>* tally_of(ConstrainedWorkspace<S>& w, bool last, RowCounts::Kind kind) {
  return w.tally.data() + ((last ? RowCounts::k_kinds : 0) + kind) * w.carried.row.size();
}
template <class S> S* violations(ConstrainedWorkspace<S>& w, bool last, RowCounts::Kind kind) {
  return w.violation.data() + ((last ? RowCounts::k_kinds : 0) + kind) * w.carried.row.size();
}

/// Before the first state of a call.
template <class S> void begin_counts(ConstrainedWorkspace<S>& w) {
  std::fill_n(w.tally.data(), w.tally.size(), RowTally<S>{S(Uniform<S>(0)), S(Uniform<S>(0))});
}

/// J v of a row.
template <class S> ZWANG_INLINE S speed_of(const ConstrainedWorkspace<S>& w, const AttachedRow<S>& x) {
  S speed(Uniform<S>(0));
  w.carried.for_each_part(x, [&](Index body, const Force<S>& K) ZWANG_LAMBDA {
    if (body != 0) speed += dot(w.data.velocity.twist[body], K);
  });
  return speed;
}

/// Keeps the errors of position and velocity of physical rows at the state of the last solve; 0 where they are not
/// worth a word. They are counted by add_counts(), where it is known how the states end.
template <class S>
[[gnu::noinline]] void keep_violations(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, bool last) {
  using T = Uniform<S>;
  const S zero(T(0)), notable(static_cast<T>(t.notable));
  S* const open = violations(w, last, RowCounts::position);
  S* const fast = violations(w, last, RowCounts::velocity);
  const auto keep = [&](const auto& r, Index row, Index i, const S& error) ZWANG_LAMBDA {
    open[row] = fast[row] = zero;
    if (r.driver) return;
    S speed = speed_of(w, w.carried.row[row]);
    if (r.target_velocity != nullptr) speed -= S(static_cast<T>(r.target_velocity[i]));
    auto here = less(notable, abs(speed));
    fast[row] = select(here, speed, zero);
    here = less(notable, abs(error));
    open[row] = select(here, error, zero);
    if (t.active.data == nullptr) return;
    fast[row] *= w.on[r.constraint];
    open[row] *= w.on[r.constraint];
  };
  Index row = 0;
  for (Index k = 0; k < t.count; ++k)
    for (Index i = 0; i < t.rows[k].count; ++i, ++row) keep(t.rows[k], row, i, zero);
  for (Index k = 0; k < t.relations; ++k)
    for (Index i = 0; i < t.relation[k].count; ++i) {
      const RelationTask& r = t.relation[k];
      row = w.carried.relation[k].first + i;
      S error = w.carried.row[row].phi;
      if (r.target != nullptr) error -= S(static_cast<T>(r.target[i]));
      if (r.anywhere || r.inverse_time > 0) error = zero;
      keep(r, row, i, error);
    }
}

/// Adds what was kept of the states s, s + 1, ... that have a result and have not been left to the solver of one state.
/// `pulls`: w.multipliers are those of the first state. `last`: a last state was looked at, too.
template <class S> [[gnu::noinline]] void add_counts(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s,
                                                     bool pulls, bool last) {
  using T = Uniform<S>;
  const ConstrainedTask<T>& t = *c.constrained;
  const S zero(T(0));
  S counted = zero;
  for (int l = 0; l < lanes_of<S> && s + l < c.states; ++l)
    if (c.status[s + l] == static_cast<unsigned char>(Status::ok)) counted.set(l, T(1));
  const auto add = [&](RowTally<S>& tally, const S& x) ZWANG_LAMBDA {
    const S size = abs(x) * counted;  // of numbers that are finite: the lanes have a result
    tally.states += select(less(zero, size), counted, zero);
    tally.largest = select(less(abs(tally.largest), size), x, tally.largest);
  };
  for (Index row = 0; row < w.carried.count; ++row)
    for (const RowCounts::Kind kind : {RowCounts::position, RowCounts::velocity}) {
      add(tally_of(w, false, kind)[row], violations(w, false, kind)[row]);
      if (last) add(tally_of(w, true, kind)[row], violations(w, true, kind)[row]);
    }
  if (!pulls) return;
  const auto add_pull = [&](const auto& r, Index first) ZWANG_LAMBDA {
    if (!r.contact || r.driver) return;
    const S& x = w.multipliers[r.first_row + r.count - 1];
    add(tally_of(w, false, RowCounts::pull)[first + r.count - 1], select(less(x, zero), x, zero));
  };
  Index row = 0;
  for (Index k = 0; k < t.count; row += t.rows[k++].count) add_pull(t.rows[k], row);
  for (Index k = 0; k < t.relations; ++k) add_pull(t.relation[k], w.carried.relation[k].first);
}

/// What the lanes of this call have counted.
template <class S> void finish_counts(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t) {
  const auto finish = [&](Index row, Index of_set) {
    for (int kind = 0; kind < RowCounts::k_kinds; ++kind)
      for (const bool last : {false, true}) {
        const RowTally<S>& x = tally_of(w, last, static_cast<RowCounts::Kind>(kind))[row];
        RowCount& sum = (last ? t.counts[of_set].last : t.counts[of_set].first)[kind];
        for (int l = 0; l < lanes_of<S>; ++l)
          sum.add(RowCount{static_cast<long>(x.states[l]), static_cast<double>(x.largest[l])});
      }
  };
  Index row = 0;
  for (Index k = 0; k < t.count; ++k)
    for (Index i = 0; i < t.rows[k].count; ++i) finish(row++, t.rows[k].first_row + i);
  for (Index k = 0; k < t.relations; ++k)
    for (Index i = 0; i < t.relation[k].count; ++i)
      finish(w.carried.relation[k].first + i, t.relation[k].first_row + i);
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
