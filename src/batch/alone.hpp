// SPDX-License-Identifier: BSD-3-Clause
// Alone: the solver of one state of a batch, for one thread.
#pragma once
#include <cmath>

#include "batch/batch_task.hpp"
#include "manifold/instances.hpp"
#include "manifold/page/classical_step.hpp"
#include "zwang/batch/batch_solver.hpp"

namespace zwang {

inline ConstVector view(const Buffer<double>& x) { return {x.data(), x.size()}; }

/// The user's settings for single states: rows that float inputs cannot distinguish from dependent ones do not count,
/// although the state is solved in double.
template <class T> void read_settings(const SolverSettings& of_user, SolverSettings& single) {
  single = of_user;
  if (sizeof(T) < sizeof(double)) single.tolerance = std::max<double>(single.tolerance, 64 * epsilon_of<T>);
}

/// Which coordinates are prescribed in the states of a call.
struct GivenCoordinates {
  std::vector<unsigned char> is_given;  ///< [nv]
  std::vector<Index> given_of;          ///< [nv] column of the accelerations

  void resize(Index nv) {
    is_given.resize(static_cast<std::size_t>(nv));
    given_of.resize(static_cast<std::size_t>(nv));
  }
  template <class T> void prepare(const std::vector<Index>& prescribed, ConstrainedTask<T>& t) {
    if (prescribed.empty()) return;
    std::fill(is_given.begin(), is_given.end(), static_cast<unsigned char>(0));
    for (std::size_t k = 0; k < prescribed.size(); ++k) {
      is_given[static_cast<std::size_t>(prescribed[k])] = 1;
      given_of[static_cast<std::size_t>(prescribed[k])] = static_cast<Index>(k);
    }
    t.is_given = is_given.data();
    t.given_of = given_of.data();
  }
};

/// The accelerations of prescribed coordinates, of a task.
template <class T> void take_given(const BatchTask<T>& task, const char* function,
                                   const std::vector<Index>& coordinates, const StatesIn<T>& accelerations,
                                   ConstrainedTask<T>& t) {
  if (coordinates.empty() && accelerations.layout().size > 0)
    throw std::invalid_argument(std::string(function) +
                                ": prescribed_acceleration is given, but no coordinate is prescribed");
  if (coordinates.empty()) return;
  t.given = task.array("prescribed_acceleration", accelerations, static_cast<Index>(coordinates.size()));
  if (t.given.data == nullptr)
    throw std::invalid_argument(std::string(function) + ": coordinates are prescribed without prescribed_acceleration");
}

/// A Solver with a set of its own.
struct Alone {
  Alone(const Model& model, const ConstraintSet& from, const SolverSettings& settings)
      : set(from),
        solver(model, set, settings),
        q(model.nq()),
        v(model.nv()),
        tau(model.nv()),
        step(model.nv()),
        acceleration(model.nv()),
        classical(model.tree<double>()),
        of_rows{Buffer<double>(from.rows()), Buffer<double>(from.rows())},
        counts(static_cast<std::size_t>(from.rows())),
        followed(from.constraints().size()) {}

  /// A new call has this number of wrenches.
  void begin(Index wrenches) {
    follows = false;
    solved = 0;
    external.resize(static_cast<std::size_t>(wrenches));
  }
  /// Throws where anything that is not a state is wrong. `switched`: the states say which constraints are active, and
  /// all that they may switch on has to be right.
  void check(const ConstraintSet& from, const SolverSettings& settings, bool switched,
             const std::vector<Index>& coordinates) {
    follow(from, settings);
    for (const Constraint& x : from.constraints())
      if (switched) set[x.name].active = true;
    prescribed.clear();
    for (const Index k : coordinates) prescribed.push_back({k, 0.0});
    page::neutral(solver.model().tree<double>(), q.data());
    for (double& x : v) x = 1;  // friction has no value at rest
    solver.solve({.q = view(q), .v = view(v), .prescribed = &prescribed});
  }
  /// The numbers of state s.
  template <class T>
  void load(const ConstraintSet& from, const SolverSettings& settings, const BatchCall<T>& c, long s) {
    if (!follows) follow(from, settings);
    follows = true;
    ++solved;
    look_at = nullptr;
    std::fill(counts.begin(), counts.end(), RowCounts());
    const ConstrainedTask<T>& t = *c.constrained;
    notable = t.notable;
    Buffer<double>* const to[] = {&q, &v, &tau};
    for (int i = 0; i < 3; ++i)
      for (Index k = 0; k < to[i]->size(); ++k)
        (*to[i])[k] = c.in[i].data != nullptr ? static_cast<double>(number_of(c.in[i], s, k)) : 0.0;
    Index row = 0, constraint = 0;
    for (const Constraint& x : from.constraints()) {
      Constraint& mine = set[x.name];
      if (t.active.data != nullptr) mine.active = number_of(t.active, s, constraint) != T(0);
      for (std::size_t i = 0; t.beta.data != nullptr && i < mine.beta.size(); ++i)
        mine.beta[i] = static_cast<double>(number_of(t.beta, s, row + static_cast<Index>(i)));
      row += x.size();
      ++constraint;
    }
    for (Index k = 0; k < c.wrenches; ++k) {
      ExternalWrench& e = external[static_cast<std::size_t>(k)];
      e.frame = FrameId(c.wrench[k].frame_id);
      e.in = static_cast<Reference>(c.wrench[k].frame.reference);
      for (Index i = 0; i < 6; ++i) e.wrench[i] = static_cast<double>(number_of(c.wrench[k].wrench, s, i));
    }
    prescribed.clear();
    for (Index k = 0; t.is_given != nullptr && k < v.size(); ++k)
      if (t.is_given[k]) prescribed.push_back({k, static_cast<double>(number_of(t.given, s, t.given_of[k]))});
  }
  /// Errors that a Solver reports as a wrong set or list, but that come from the numbers of this state.
  template <class T> bool is_finite(const ConstrainedTask<T>& t, long s) const {
    bool good = true;
    for (Index k = 0; t.active.data != nullptr && k < t.active.size; ++k)
      good = good && std::isfinite(number_of(t.active, s, k));
    for (const Constraint& x : set.constraints())
      for (std::size_t i = 0; t.beta.data != nullptr && x.active && i < x.beta.size(); ++i)
        good = good && std::isfinite(x.beta[i]);
    for (const PrescribedCoordinate& p : prescribed) good = good && std::isfinite(p.acceleration);
    return good;
  }
  const Solution& solve() {
    const Solution& x = solver.try_solve(
        {.q = view(q), .v = view(v), .tau = view(tau), .external = &external, .prescribed = &prescribed});
    if (look_at != nullptr) count(x.report, look_at);
    look_at = nullptr;
    return x;
  }
  /// Counts what the report warns of.
  using CountsOfKinds = RowCount (RowCounts::*)[RowCounts::k_kinds];
  void count(const SolveReport& report, CountsOfKinds at) {
    using Kind = SolveWarning::Kind;
    for (const SolveWarning& w : report.warnings) {
      const int kind = w.kind == Kind::position_violates   ? RowCounts::position
                       : w.kind == Kind::velocity_violates ? RowCounts::velocity
                       : w.kind == Kind::contact_pulls     ? RowCounts::pull
                                                           : RowCounts::k_kinds;
      if (kind != RowCounts::pull && !(std::fabs(w.value) > notable)) continue;
      std::size_t row = 0;
      for (const Constraint& x : set.constraints())
        for (const std::string& name : x.row_names.value()) {
          if (kind < RowCounts::k_kinds && name == w.row) (counts[row].*at)[kind].add(w.value);
          ++row;
        }
    }
  }
  /// Adds what was counted of this state to the sums of a thread.
  void add_counts(RowCounts* sums) const {
    for (const RowCounts& x : counts) {
      for (int kind = 0; kind < RowCounts::k_kinds; ++kind)
        sums->first[kind].add(x.first[kind]), sums->last[kind].add(x.last[kind]);
      ++sums;
    }
  }

  /// Steps of a rollout, as those in lanes (kernels/constrained.hpp). The worst status of their solves;
  /// where that is no result, q and v are of no use.
  Status semi_implicit_step(double h, bool damping) {
    solver.data().damping_step = damping ? h : 0;
    const Solution& x = solve();
    if (!has_result(x.report.status)) return x.report.status;
    for (Index k = 0; k < v.size(); ++k) {
      v[k] += h * x.acceleration[k];
      step[k] = h * v[k];
    }
    const double *const from = q.data(), *const by = step.data();
    page::integrate(solver.model().tree<double>(), from, by, q.data());
    return x.report.status;
  }
  Status runge_kutta_step(double h) {
    solver.data().damping_step = 0;
    Status worst = Status::ok;
    page::classical_step(solver.model().tree<double>(), h, q.data(), v.data(), acceleration.data(), classical, [&] {
      if (!has_result(worst)) return;
      const Solution& x = solve();
      if (x.report.status != Status::ok) worst = x.report.status;
      if (has_result(worst)) std::copy_n(x.acceleration.data(), v.size(), acceleration.data());
    });
    return worst;
  }

  ConstraintSet set;
  Solver solver;
  Buffer<double> q, v, tau, step, acceleration;
  page::ClassicalStep<double> classical;
  Buffer<double> of_rows[2];  ///< [rows] restitution and target of an impulse
  Externals external;
  Prescribed prescribed;
  std::vector<RowCounts> counts;    ///< [rows] of this state
  double notable = 0;               ///< as in lanes
  CountsOfKinds look_at = nullptr;  ///< where the next solve() counts; nullptr: nowhere
  long solved = 0;

 private:
  /// Its set becomes the user's as that is now. What changed neither there nor here stays, so that its solver finds it
  /// as it was.
  void follow(const ConstraintSet& from, const SolverSettings& settings) {
    for (std::size_t k = 0; k < from.constraints().size(); ++k) {
      const Constraint& theirs = from.constraints()[k];
      Constraint& mine = set[theirs.name];
      if (followed[k] == std::pair(theirs.stamp(), mine.stamp())) continue;
      mine = theirs;
      followed[k] = {theirs.stamp(), mine.stamp()};
    }
    solver.settings() = settings;
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> followed;  ///< stamps of theirs and mine
  bool follows = false;                                           ///< in this call
};

/// States of the last call that the solvers of all threads have solved.
inline long solved_by(const std::vector<std::unique_ptr<Alone>>& solvers) {
  long sum = 0;
  for (const std::unique_ptr<Alone>& a : solvers) sum += a->solved;
  return sum;
}

}  // namespace zwang
