// SPDX-License-Identifier: BSD-3-Clause
// GradientLanes: the part of BatchDerivatives::vjp() that lanes of double answer, of states in T. States in float are
// copied, as many as a tile has at a time: their gradients have the digits of a Solver, which works in double, too.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "batch/batch_impl.hpp"
#include "batch/lane_rows.hpp"
#include "question/derivatives/joint_places.hpp"
#include "zwang/batch/batch_derivatives.hpp"

namespace zwang {

template <class T> StateArray<T> array_of(const StatesOut<T>& x) {
  const StateLayout<T>& l = x.layout();
  return {l.data, l.size, l.tile, l.lane, l.number};
}

template <class T> class GradientLanes {
 public:
  explicit GradientLanes(const Model& model) : places_(joint_places(model)) {}

  /// Workspaces for the set as it is now.
  void make(const Model& model, const ConstraintSet& set, int threads);
  bool has_room_for(const ConstraintSet& set) const { return rows_.has_room_for(set); }
  /// Whether lanes may answer a call, but for the states in which they are in doubt. `weights`: of accelerations,
  /// multipliers and motor torques. The call refers to what is kept here.
  bool begin(const Model& model, const ConstraintSet& set, const SolverSettings& settings, const Vec3<double>& gravity,
             std::span<const StateArray<const T>> weights, const BatchInputGradient<T>& out, BatchCall<T>& call,
             ConstrainedTask<T>& task);
  /// The states [first, last) of that call, but for what put_rest() writes. A result beyond the range of T is the
  /// status overflow; its numbers are the caller's to write.
  void run(int thread, const BatchCall<T>& call, long first, long last);
  /// What lanes do not write of a state: zeros by what hard rows on single bodies do not have, NaN by the placements of
  /// joints that were merged into a body.
  void put_rest(const Model& model, const BatchInputGradient<T>& out, long state) const;

 private:
  static constexpr long k_tile = StateArray<T>::k_tile;
  /// f(theirs, ours) for arrays of two tasks: what lanes read, and what they write.
  template <class A, class B, class F> static void for_each_input(A& a, B& b, F&& f) {
    f(a.acceleration, b.acceleration);
    f(a.multipliers, b.multipliers);
    f(a.motor_torque, b.motor_torque);
  }
  template <class A, class B, class F> static void for_each_result(A& a, B& b, F&& f) {
    f(a.q, b.q);
    f(a.v, b.v);
    f(a.tau, b.tau);
    f(a.force, b.force);
    f(a.beta, b.beta);
    f(a.armature, b.armature);
    f(a.damping, b.damping);
    f(a.stiffness, b.stiffness);
    f(a.by_gravity, b.by_gravity);
    f(a.inertial_parameters, b.inertial_parameters);
    f(a.placement, b.placement);
  }
  void run_copies(int thread, const BatchCall<T>& call, long first, long count);

  LaneRows rows_;
  std::vector<page::JointPlace> places_;
  std::vector<KernelWorkspace> workspace_;  ///< one per thread
  GradientTask<T> gradient_;
  // Of copies:
  GradientTask<double> shared_gradient_;                 ///< what all states have in common
  ConstrainedTask<double> shared_task_;                  ///< likewise
  std::vector<WrenchTask<double>> shared_wrench_;        ///< likewise
  std::vector<std::vector<WrenchTask<double>>> wrench_;  ///< of each thread
  std::vector<std::vector<double>> numbers_;             ///< of each thread
};

template <class T> void GradientLanes<T>::make(const Model& model, const ConstraintSet& set, int threads) {
  const BatchKernels<double>& kernels = batch_kernels_of<double>();
  std::vector<KernelWorkspace> fresh;
  const double none[3] = {0, 0, 0};  // every call says which
  for (int t = 0; t < threads; ++t)
    fresh.emplace_back(kernels.make_gradient(&model.tree<double>(), none, LaneRows::room_of(set),
                                             static_cast<Index>(model.joints().size())),
                       kernels.drop_gradient);
  workspace_ = std::move(fresh);
  wrench_.resize(static_cast<std::size_t>(threads));
  numbers_.resize(static_cast<std::size_t>(threads));
  rows_.reserve(set);
}

template <class T>
bool GradientLanes<T>::begin(const Model& model, const ConstraintSet& set, const SolverSettings& settings,
                             const Vec3<double>& gravity, std::span<const StateArray<const T>> weights,
                             const BatchInputGradient<T>& out, BatchCall<T>& call, ConstrainedTask<T>& task) {
  const Tree<double>& tree = model.tree<double>();
  if (tree.mimic || tree.nv == 0 || task.is_given != nullptr) return false;
  if (!LaneRows::suit<double>(model, set, settings)) return false;
  rows_.list(set, settings, task.active.data != nullptr, task);
  if (task.relations > 0) return false;
  for (const RowsTask& x : rows_.rows)
    if (x.compliance != nullptr || (x.driver && weights[2].data != nullptr)) return false;
  gradient_ = {};
  for (int k = 0; k < 3; ++k) gradient_.gravity[k] = gravity[k];
  gradient_.acceleration = weights[0];
  gradient_.multipliers = weights[1];
  gradient_.motor_torque = weights[2];
  gradient_.places = places_.data();
  gradient_.place_count = static_cast<Index>(places_.size());
  const struct {
    const StatesOut<T>&q, &v, &tau, &force, &beta, &armature, &damping, &stiffness, &by_gravity, &inertial_parameters,
        &placement;
  } results{out.q,        out.v,       out.tau,       out.force,   out.beta,
            out.armature, out.damping, out.stiffness, out.gravity, out.inertial_parameters,
            out.placement};
  for_each_result(results, gradient_, [](const StatesOut<T>& x, StateArray<T>& to) {
    if (x.given()) to = array_of(x);
  });
  call.gradient = &gradient_;
  if constexpr (!std::is_same_v<T, double>) {
    for (int k = 0; k < 3; ++k) shared_gradient_.gravity[k] = gravity[k];
    shared_gradient_.places = gradient_.places;
    shared_gradient_.place_count = gradient_.place_count;
    shared_task_ = {};
    rows_.list(set, settings, task.active.data != nullptr, shared_task_);
    Index numbers = task.beta.size + task.active.size + 6 * call.wrenches;
    for (int i = 0; i < 3; ++i) numbers += call.in[i].size;
    const auto count = [&](const auto& x, const auto&) { numbers += x.size; };
    for_each_input(gradient_, gradient_, count);
    for_each_result(gradient_, gradient_, count);
    shared_wrench_.resize(static_cast<std::size_t>(call.wrenches));
    for (Index k = 0; k < call.wrenches; ++k) {
      WrenchTask<double>& x = shared_wrench_[static_cast<std::size_t>(k)];
      const Frame& frame = model.frames()[static_cast<std::size_t>(call.wrench[k].frame_id)];
      x.frame = frame_task<double>(frame, static_cast<Reference>(call.wrench[k].frame.reference));
      x.frame_id = call.wrench[k].frame_id;
    }
    for (std::vector<WrenchTask<double>>& x : wrench_) x.resize(shared_wrench_.size());
    for (std::vector<double>& x : numbers_) x.resize(static_cast<std::size_t>(k_tile * numbers));
  }
  return true;
}

template <class T> void GradientLanes<T>::run(int thread, const BatchCall<T>& call, long first, long last) {
  if constexpr (std::is_same_v<T, double>)
    batch_kernels_of<double>().gradient(workspace_[static_cast<std::size_t>(thread)].get(), call, first, last);
  else
    for (long s = first; s < last; s += k_tile) run_copies(thread, call, s, std::min(k_tile, last - s));
}

template <class T> void GradientLanes<T>::run_copies(int thread, const BatchCall<T>& call, long first, long count) {
  const auto t = static_cast<std::size_t>(thread);
  BatchCall<double> own;
  ConstrainedTask<double> task = shared_task_;
  GradientTask<double> gradient = shared_gradient_;
  unsigned char status[k_tile];
  double* at = numbers_[t].data();
  const auto place = [&](auto& to, Index size) {
    to = {at, size, k_tile * size, size, 1};
    at += k_tile * size;
  };
  const auto read = [&](const StateArray<const T>& from, StateArray<const double>& to) {
    to.size = from.size;
    if (from.data == nullptr) return;
    double* const x = at;
    place(to, from.size);
    for (long s = 0; s < count; ++s)
      for (Index k = 0; k < from.size; ++k) x[s * from.size + k] = static_cast<double>(number_of(from, first + s, k));
  };
  own.states = count;
  own.armature = call.armature;
  own.damping = call.damping;
  own.springs = call.springs;
  own.friction = call.friction;
  own.excess = call.excess;
  own.status = status;
  own.constrained = &task;
  own.gradient = &gradient;
  for (int i = 0; i < 3; ++i) read(call.in[i], own.in[i]);
  read(call.constrained->beta, task.beta);
  read(call.constrained->active, task.active);
  for_each_input(gradient_, gradient, read);
  wrench_[t] = shared_wrench_;
  for (Index k = 0; k < call.wrenches; ++k) read(call.wrench[k].wrench, wrench_[t][static_cast<std::size_t>(k)].wrench);
  own.wrench = wrench_[t].data();
  own.wrenches = call.wrenches;
  for_each_result(gradient_, gradient, [&](const StateArray<T>& theirs, StateArray<double>& ours) {
    if (theirs.data != nullptr) place(ours, theirs.size);
  });
  batch_kernels_of<double>().gradient(workspace_[t].get(), own, 0, count);
  for (long s = 0; s < count; ++s) {
    bool in_range = true;
    if (status[s] == static_cast<unsigned char>(Status::ok))
      for_each_result(gradient_, gradient, [&](const StateArray<T>& theirs, const StateArray<double>& ours) {
        for (Index k = 0; theirs.data != nullptr && k < theirs.size; ++k) {
          const T x = static_cast<T>(number_of(ours, s, k));
          number_of(theirs, first + s, k) = x;
          in_range = in_range && std::isfinite(x);
        }
      });
    call.status[first + s] = in_range ? status[s] : static_cast<unsigned char>(Status::overflow);
  }
}

template <class T>
void GradientLanes<T>::put_rest(const Model& model, const BatchInputGradient<T>& out, long state) const {
  for (const StatesOut<T>* x :
       {&out.prescribed, &out.target, &out.target_velocity, &out.compliance, &out.time_constant, &out.damping_ratio}) {
    if (!x->given()) continue;
    const StateArray<T> to = array_of(*x);
    for (Index k = 0; k < to.size; ++k) number_of(to, state, k) = 0;
  }
  const auto& joints = model.joints();
  if (!out.placement.given() || places_.size() == joints.size()) return;
  const StateArray<T> to = array_of(out.placement);
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (Index k = 0; (joints[j].lumped || joints[j].body.value == 0) && k < 6; ++k)
      number_of(to, state, 6 * static_cast<Index>(j) + k) = std::numeric_limits<T>::quiet_NaN();
}

}  // namespace zwang
