// SPDX-License-Identifier: BSD-3-Clause
// Robot: the Python class Model. The C++ Model, the diagnostics of reading it,
// and workspaces for calls from any thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "waiting.hpp"
#include "zwang/batch/batch_derivatives.hpp"
#include "zwang/io/load.hpp"
#include "zwang/model/model.hpp"

namespace zwang {
class AllTerms;
class Evaluator;
}  // namespace zwang

namespace zwang::python {

/// Whether a joint of the model is written in Python (user_joints.hpp).
bool has_python_joints(const Model& model);
/// Throws UnsupportedError for a model with such a joint; `what`: what cannot be done with it.
void refuse_python_joints(const Model& model, const char* what,
                          const char* instead = "ask for one state after the other");

/// The workspace of one call. Never used by two threads at once.
struct Workspace {
  explicit Workspace(const Model& model) : data(model) {}
  Data data;
  std::shared_ptr<Evaluator> evaluator;  ///< made by the first call of a row of the list of algorithms
  std::shared_ptr<AllTerms> terms;       ///< by the first call of all_terms
  std::vector<double> scratch;
  Externals external;
  double* numbers(Index size) {
    if (static_cast<Index>(scratch.size()) < size) scratch.resize(static_cast<std::size_t>(size));
    return scratch.data();
  }
};

/// The value of zwang.set_threads; 0: one for each processor.
int wanted_threads();

/// A batch, and memory for copies. Never used by two threads at once.
template <class T> struct Lanes {
  Lanes(const Model& model, int n)
      : batch((refuse_python_joints(model, "batches"), model), {.threads = n}),
        threads(n) {}
  BasicBatch<T> batch;
  int threads;
  std::vector<std::vector<T>> rooms;
};

/// The same with constraints: a copy of the user's set, so that a change of the set need not wait for a long call.
template <class T> struct SolverLanes {
  SolverLanes(const Model& model, const ConstraintSet& from, const SolverSettings& settings, int n)
      : set(from),
        solver((refuse_python_joints(model, "solves of N states"), model), set, settings, {.threads = n}),
        version(from.version()),
        threads(n) {}
  /// Takes what may have changed between two calls.
  void follow(const ConstraintSet& from, const SolverSettings& settings) {
    for (const Constraint& x : from.constraints()) set[x.name] = x;
    solver.settings() = settings;
  }
  /// To differentiate the solutions; made when it is first asked for.
  BasicBatchDerivatives<T>& differentiator(const SolverSettings& settings) {
    if (derivatives == nullptr)
      derivatives = std::make_unique<BasicBatchDerivatives<T>>(solver.model(), set, settings, BatchOptions{threads});
    derivatives->settings() = settings;
    return *derivatives;
  }
  ConstraintSet set;
  BasicBatchSolver<T> solver;
  unsigned version;
  int threads;
  std::vector<std::vector<T>> rooms;
  std::unique_ptr<BasicBatchDerivatives<T>> derivatives = {};
};

/// Batches of one kind, for both precisions.
template <template <class> class Kind> struct BothPrecisions {
  Waiting<Kind<double>> twice;
  Waiting<Kind<float>> single;
  template <class T> Waiting<Kind<T>>& of() {
    if constexpr (sizeof(T) == sizeof(float))
      return single;
    else
      return twice;
  }
};

struct Pool {
  std::atomic<std::int64_t> hash = -1;  ///< of the model, once it was asked for
  Waiting<Workspace> workspaces;
  BothPrecisions<Lanes> lanes;
  BothPrecisions<SolverLanes> unconstrained;
};

struct Robot {
  explicit Robot(Model m) : Robot(std::move(m), nullptr) {}
  Robot(Model m, std::shared_ptr<const Diagnostics> all)
      : model(std::move(m)),
        found(all ? std::move(all) : std::make_shared<const Diagnostics>(model.diagnostics())),
        pool(std::make_shared<Pool>()),
        one_by_one(has_python_joints(model)) {}
  Model model;
  std::shared_ptr<const Diagnostics> found;  ///< from reading and building
  std::shared_ptr<Pool> pool;
  bool one_by_one;  ///< a joint is written in Python: states are computed one after the other
};

/// A workspace for the length of a scope, with the model's own gravity.
class Lease {
 public:
  explicit Lease(const Robot& robot)
      : pool_(robot.pool),
        workspace_(pool_->workspaces.take([](const Workspace&) { return true; },
                                          [&] { return std::make_unique<Workspace>(robot.model); })) {
    workspace_->data.gravity = robot.model.gravity();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { pool_->workspaces.give(std::move(workspace_)); }
  Workspace& operator*() const { return *workspace_; }

 private:
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Workspace> workspace_;
};

/// A batch for the length of a scope.
template <class T> class LanesLease {
 public:
  explicit LanesLease(const Robot& robot)
      : pool_(robot.pool),
        lanes_(pool_->lanes.template of<T>().take(
            [](const Lanes<T>& x) { return x.threads == wanted_threads(); },
            [&] { return std::make_unique<Lanes<T>>(robot.model, wanted_threads()); })) {}
  LanesLease(const LanesLease&) = delete;
  LanesLease& operator=(const LanesLease&) = delete;
  ~LanesLease() {
    lanes_->batch.on_progress(nullptr, nullptr);
    pool_->lanes.template of<T>().give(std::move(lanes_));
  }
  Lanes<T>& operator*() const { return *lanes_; }

 private:
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Lanes<T>> lanes_;
};

}  // namespace zwang::python
