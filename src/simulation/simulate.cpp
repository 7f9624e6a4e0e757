// SPDX-License-Identifier: BSD-3-Clause
// Whole motions, and many of them on threads.
#include "zwang/simulation/simulate.hpp"

#include <atomic>

#include "batch/thread_pool.hpp"
#include "core/all_finite.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {
namespace {

/// The motions of a call. A thread takes the next one that none has begun.
struct Motions {
  const Model& model;
  const ConstraintSet& set;
  const SimulationSettings& settings;
  MatrixIn q, v, tau;
  std::vector<Trajectory>& out;
  SimulationProgress progress;
  void* context;
  const Scene* scene;
  std::atomic<long> next{0}, done{0};
  std::atomic<bool> stop{false};

  static ConstVector column(MatrixIn x, long k) {
    if (x.cols() == 0) return {};
    const long at = x.cols() == 1 ? 0 : k;
    return {x.data() + at * static_cast<long>(x.outerStride()), static_cast<Index>(x.rows())};
  }
  Status fault(const ConstVector& at, const ConstVector& speed, const ConstVector& torque) const {
    for (const ConstVector* x : {&at, &speed, &torque})
      if (!all_finite(x->data(), x->size())) return Status::non_finite_input;
    return detail::normalized_within(model.tree<double>(), at.data(), k_unit_tolerance) ? Status::ok
                                                                                        : Status::invalid_input;
  }
  void one(long k, bool of_caller) {
    Trajectory& t = out[static_cast<std::size_t>(k)];
    const ConstVector at = column(q, k), speed = column(v, k), torque = column(tau, k);
    t.report.status = fault(at, speed, torque);
    if (t.report.status != Status::ok) {
      t.nq = model.nq();
      t.nv = model.nv();
      t.rows = set.rows();
      t.report.reason = t.report.status == Status::invalid_input ? "q: a quaternion that is not of unit length"
                                                                 : "q, v or tau: an entry that is not finite";
      return;
    }
    Simulator simulator = scene != nullptr ? Simulator(model, set, settings, *scene) : Simulator(model, set, settings);
    if (of_caller)
      simulator.on_progress([](void* self, double, double) { return static_cast<Motions*>(self)->look(); }, this);
    else
      simulator.on_progress([](void* self, double, double) { return !static_cast<Motions*>(self)->stop; }, this);
    t = simulator.run({.q = at, .v = speed, .tau = torque});
  }
  void work(int thread) {
    const long count = static_cast<long>(out.size());
    for (long k = next++; k < count && !stop; k = next++) {
      one(k, thread == 0);
      ++done;
      if (thread == 0) look();
    }
  }
  /// By the calling thread alone. False: all motions end here.
  bool look() {
    if (stop || progress == nullptr) return !stop;
    try {
      stop = !progress(context, static_cast<double>(done), static_cast<double>(out.size()));
    } catch (...) {
      stop = true;
      throw;
    }
    return !stop;
  }
};

void check(const char* argument, MatrixIn x, Index rows, Eigen::Index states, bool may_be_absent) {
  if (may_be_absent && x.cols() == 0) return;
  if (x.rows() != rows) detail::throw_size("simulate_states", argument, static_cast<long>(x.rows()), rows);
  if (x.cols() != states && x.cols() != 1)
    detail::throw_size("simulate_states", argument, static_cast<long>(x.cols()), static_cast<long>(states));
}

}  // namespace

Trajectory simulate(const Model& model, const ConstraintSet& constraints, const SimulationInput& input,
                    const SimulationSettings& settings) {
  return Simulator(model, constraints, settings).run(input);
}
Trajectory simulate(const Model& model, const ConstraintSet& constraints, const SimulationInput& input,
                    const SimulationSettings& settings, const Scene& scene) {
  return Simulator(model, constraints, settings, scene).run(input);
}

std::vector<Trajectory> simulate_states(const Model& model, const ConstraintSet& constraints, MatrixIn q, MatrixIn v,
                                        MatrixIn tau, const SimulationSettings& settings, int threads,
                                        SimulationProgress progress, void* context, const Scene* scene) {
  const Eigen::Index states = std::max({q.cols(), v.cols(), tau.cols()});
  check("q", q, model.nq(), states, false);
  check("v", v, model.nv(), states, true);
  check("tau", tau, model.nv(), states, true);
  const Simulator refuses =
      scene != nullptr
          ? Simulator(model, constraints, settings, *scene)
          : Simulator(model, constraints, settings);  // what is wrong with the settings, before threads begin
  std::vector<Trajectory> out(static_cast<std::size_t>(states));
  for (Trajectory& t : out) {
    t.report.status = Status::stopped;
    t.report.reason = "stopped by the caller";
  }
  Motions motions{model, constraints, settings, q, v, tau, out, progress, context, scene};
  ThreadPool pool(threads);
  if (states > 0)
    pool.run(
        static_cast<int>(std::min<long>(pool.threads(), static_cast<long>(states))),
        [](void* self, int t) { static_cast<Motions*>(self)->work(t); },
        [](void* self) { static_cast<Motions*>(self)->look(); }, &motions);
  return out;
}

}  // namespace zwang
