// SPDX-License-Identifier: BSD-3-Clause
// StatesQuestion: the inputs of Solver.solve for N states. They are solved again for the parts of a solution that a
// batch does not compute, and for its derivatives.
#pragma once
#include "solve_states.hpp"

namespace zwang::python {

/// Arguments of vjp and jvp; None: zeros.
struct SolutionWeights {
  nb::handle acceleration, multipliers, motor_torque;
  nb::object asked = nb::none();  ///< of vjp: its wrt=, by asked_parts
};
struct InputDirection {
  nb::handle q, v, tau, beta;
};

/// Stored numbers: for N states, or one row for all.
template <class T> struct Numbers {
  std::vector<T> x;
  Index size = 0;
  std::ptrdiff_t stride = 0;
  bool there = false;

  void assign(const T* from, Index states, Index n, std::ptrdiff_t distance) {
    const Index rows = distance == 0 ? 1 : states;
    size = n, stride = distance == 0 ? 0 : n, there = true;
    x.clear();
    if (distance == n || rows == 1)
      return static_cast<void>(x.assign(from, from + static_cast<std::ptrdiff_t>(rows) * n));
    for (Index s = 0; s < rows; ++s) x.insert(x.end(), from + s * distance, from + s * distance + n);
  }
  void assign(const Input* given, Index states) {
    there = false;
    if (given != nullptr) assign(given->numbers<T>(), states, given->size(), given->stride());
  }
  void assign(const StateRows& from) {
    x.assign(from.x.begin(), from.x.end());
    size = from.size, stride = from.states < 0 ? 0 : from.size, there = from.size > 0;
  }
  StatesIn<T> view(Index states) const { return there ? states_in<T>(x.data(), states, size, stride) : StatesIn<T>(); }
  T at(Index state, Index k) const { return x[static_cast<std::size_t>(state * stride + k)]; }
  void copy(Index state, std::vector<double>& to) const {
    for (Index k = 0; there && k < size; ++k) to[static_cast<std::size_t>(k)] = static_cast<double>(at(state, k));
  }
};
/// The inputs of a solve of N states, whose solutions can be differentiated.
class AskedStates : public Question {
 public:
  virtual nb::object derivatives(SolverCore& core, nb::handle progress) const = 0;
  virtual nb::object vjp(SolverCore& core, const SolutionWeights& of, nb::handle progress) const = 0;
  virtual nb::object jvp(SolverCore& core, const InputDirection& along, nb::handle progress) const = 0;
};
template <class T> class StatesQuestion : public AskedStates {
 public:
  explicit StatesQuestion(const Robot& robot) : set(std::make_shared<SharedSet>(robot)) {}
  void complete(SolutionObject& s) const override {
    SolutionObject all;
    all.layout = s.layout;
    solve_alone(all, false, nullptr);
    for (const auto& part : arrays_of<SolutionObject>())
      if (part.late) s.*part.array = all.*part.array;
    s.reports.swap(all.reports);
    s.question = nullptr;
  }
  /// Parts that a batch does not compute are computed when they are read.
  static void forget_answers(SolutionObject& s) {
    for (const auto& part : arrays_of<SolutionObject>())
      if (part.late) s.*part.array = nb::object();
    s.reports.clear();
  }
  nb::object derivatives(SolverCore& core, nb::handle progress) const override;
  nb::object vjp(SolverCore& core, const SolutionWeights& of, nb::handle progress) const override;
  nb::object jvp(SolverCore& core, const InputDirection& along, nb::handle progress) const override;
  /// Copies the wrenches, and points `given` to the copies.
  void keep(BatchWrenches<T>& given_wrenches) {
    external.clear();
    for (BatchWrench<T>& e : given_wrenches) {
      const StateLayout<const T>& at = e.wrench.layout();
      external.push_back({e.frame, e.in, {}});
      external.back().wrench.assign(at.data, states, 6, at.lane);
      e.wrench = external.back().wrench.view(states);
    }
  }
  /// Of all states, for as long as this stays as it is.
  BatchSolveInput<T> input() const {
    BatchSolveInput<T> in{.q = q.view(states),
                          .v = v.view(states),
                          .tau = tau.view(states),
                          .beta = beta.view(states),
                          .active = active.view(states),
                          .prescribed = prescribed,
                          .prescribed_acceleration = given.view(states)};
    for (const Wrench& x : external) in.external.push_back({x.frame, x.wrench.view(states), x.in});
    return in;
  }
  /// State by state, all parts.
  void solve_alone(SolutionObject& s, bool reuse, Watch* watch) const;

  SetPointer set;  ///< at the time of the call
  SolverSettings settings;
  Index states = 0, leading = -1;
  Numbers<T> q, v, tau, beta, active, given;
  std::vector<Index> prescribed;
  struct Wrench {
    FrameId frame;
    Reference in;
    Numbers<T> wrench;
  };
  std::vector<Wrench> external;
  FrameId axes = {};  ///< if valid: the wrenches were given along the axes of this frame, with which they turn
  Vec3<double> gravity = Vec3<double>::zero();
};

/// A batch with a copy of the set, for one call.
template <class T>
std::unique_ptr<SolverLanes<T>> lanes_for(SolverCore& core, const ConstraintSet& set, const SolverSettings& settings) {
  const int threads = wanted_threads();
  const unsigned version = set.version();
  auto lanes = core.lanes.of<T>().take(
      [&](const SolverLanes<T>& x) { return x.threads == threads && x.version == version; },
      [&] { return std::make_unique<SolverLanes<T>>(core.shared->robot.model, set, settings, threads); });
  lanes->follow(set, settings);
  return lanes;
}

/// Gives it back at the end of a scope.
template <class T> struct LanesOfCall {
  LanesOfCall(SolverCore& c, std::unique_ptr<SolverLanes<T>> taken) : core(c), lanes(std::move(taken)) {}
  LanesOfCall(const LanesOfCall&) = delete;
  LanesOfCall& operator=(const LanesOfCall&) = delete;
  ~LanesOfCall() {
    if (lanes == nullptr) return;
    lanes->solver.on_progress(nullptr, nullptr);
    if (lanes->derivatives) lanes->derivatives->on_progress(nullptr, nullptr);
    core.lanes.of<T>().give(std::move(lanes));
  }
  SolverLanes<T>* operator->() const { return lanes.get(); }
  SolverCore& core;
  std::unique_ptr<SolverLanes<T>> lanes;
};

}  // namespace zwang::python
