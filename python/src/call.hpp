// SPDX-License-Identifier: BSD-3-Clause
// Call: one call of a function of the library from Python, for one state or for many.
//
//   Call call("inverse_dynamics", robot, Precision::any);
//   const Input &q = call.configuration(q_), &v = call.tangent("v", v_);       // one vector, or N of them
//   Output& out = call.output(out_, {robot.model.nv()});                       // a fresh array, or the caller's
//   call.run([&](Workspace& w, Index state) { out.put(state, ...); },          // one state, or each by itself
//            [&](auto& x) { x.batch.inverse_dynamics(x(q), ..., x(out)); });   // many at once, where there is a batch
//
// The algorithms of the list are called by algorithms.cpp; other functions make their own Call.
//
// Long calls run without the GIL. A state that a batch refuses is repeated alone, so that it raises the same exception
// as a single call.
#pragma once
#include <algorithm>
#include <array>

#include "lane.hpp"
#include "slots.hpp"
#include "watch.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang::python {

/// The words of `reference=` and `in_=`: one of Reference, or the axes of a frame of the model.
struct Seen {
  Reference reference = Reference::local_world_aligned;
  FrameId axes = {};  ///< if valid: the world's axes of `reference` are turned into those of this frame
  static Seen from(const Model& model, const char* word, const char* argument);
};

/// `classical` or `spatial`.
AccelerationKind acceleration_of(const char* function, const char* argument, const std::string& word);

inline Eigen::Map<const Eigen::VectorXd> vector(const Input& x, Index state) { return {x.at(state), x.size()}; }

class Call {
 public:
  /// Precision::any: arrays of float32 are also accepted, if all are float32 and there are many states.
  Call(const char* function, const Robot& robot, Precision precision = Precision::twice)
      : function_(function),
        robot_(robot),
        precision_(precision) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Input& configuration(nb::handle given, const char* name = "q") {
    return add(Input(function_, name, given, robot_.model.nq(), VectorKind::configuration, &robot_.model, precision_));
  }
  /// A configuration stored elsewhere, for wrenches along the axes of a frame.
  const Input& configuration(const std::vector<double>& q) { return add(Input("q", q.data(), robot_.model.nq())); }
  const Input& tangent(const char* name, nb::handle given) {
    return add(Input(function_, name, given, robot_.model.nv(), VectorKind::tangent, &robot_.model, precision_));
  }
  /// Further numbers of each state.
  const Input& numbers(const char* name, nb::handle given, Index size) {
    return add(Input(function_, name, given, size, VectorKind::numbers, nullptr, precision_));
  }
  /// `gravity=` and `external=` with `in_=` of this call. None: the model's gravity and no wrench.
  void environment(nb::handle gravity, nb::handle external, const char* in);
  void gravity(nb::handle given) { environment(given, nb::none(), "local_world_aligned"); }
  FrameId axes() const { return in_.axes; }  ///< of the wrenches, where `in_` is the name of a frame
  bool has_gravity() const { return has_gravity_; }
  const Vec3<double>& own_gravity() const { return gravity_; }

  Index states() const { return states_; }  ///< -1 if every argument is one vector
  Index count() const { return states_ < 0 ? 1 : states_; }
  /// Something other than the inputs has this number of states.
  void count_states(const char* name, Index states);
  bool single();  ///< float32; throws if only some of the inputs are
  const Output& output(nb::handle out, std::span<const Index> shape, const char* name = "out");
  const Output& output(nb::handle out, std::initializer_list<Index> shape, const char* name = "out") {
    return output(out, std::span(shape.begin(), shape.size()), name);
  }
  /// `status=` and `progress=`, after the inputs.
  void report_to(nb::handle status, nb::handle progress);
  const StatusOutput& status() const { return status_; }
  /// With `status=`: why the last state that was refused was refused; ok where none was.
  Status refused() const { return refused_; }
  Watch& watch() { return watch_; }
  /// The Python result: the output, or a float if it is one number and the caller gave no array.
  nb::object result(const Output& out, nb::handle given) const;

  void check_memory() const;
  void refuse_overlap(const Output& out) const;  ///< with an argument
  /// Wrenches of N states for a batch. `w` is needed if they are along the axes of a frame.
  template <class T> void place_external(Outputs<T>& room, BatchWrenches<T>& list, Workspace* w) const;
  bool needs_axes() const { return in_.axes && !external_.empty(); }
  void place_external(Workspace& w, Index state) const;
  /// Throws the error in the arguments of a state; returns if there is none.
  void check_state(Index state) const;
  bool is_long() const { return static_cast<long>(count()) * std::max(robot_.model.nv(), rows_) >= k_long_call; }
  void weigh(Index rows) { rows_ = rows; }  ///< each state has that many rows of constraints

  /// An array of the caller is left as it was where the arguments of a state are refused: nothing else may tell so.
  bool all_or_nothing() const { return writes_to_caller_ && !status_.wanted(); }
  /// The same with an `out=` that is not one of this call's outputs.
  void writes_to_caller() { writes_to_caller_ = true; }
  /// Throws for the first state that a batch refused for its numbers.
  void check_report(const BatchReport& report) const;

  /// State by state.
  template <class One> void run(One&& one) {
    check_memory();
    {
      const Lease lease(robot_);
      std::optional<nb::gil_scoped_release> release;
      if (is_long()) release.emplace();
      const bool whole = states_ >= 0 && all_or_nothing();  // of one state, results come after all checks
      if (whole)
        for (Output& out : outputs_) out.hold_back();
      loop(*lease, one);
      if (whole)
        for (Output& out : outputs_) out.deliver();
    }
    watch_.finish();
  }
  /// Many states at once, if there are many; `possible`: the batch supports the call.
  template <class One, class Many> void run(One&& one, Many&& many, bool possible = true) {
    if (states_ <= 0 || has_gravity_ || !possible || robot_.model.nv() == 0 || robot_.one_by_one) return run(one);
    if (single())
      run_in_lanes<float>(one, many);
    else
      run_in_lanes<double>(one, many);
  }

 private:
  static constexpr long k_long_call = 512;  ///< states times coordinates: some 10 us
  struct External {
    FrameId frame;
    Input wrench;
  };
  const Input& add(Input&& input);

  template <class One> void alone(Workspace& w, Index k, One& one) {
    try {
      if (!external_.empty()) place_external(w, k);
      one(w, k);
    } catch (const UnsupportedError&) { throw; } catch (const std::invalid_argument& error) {
      if (states_ < 0) throw;
      throw std::invalid_argument("state " + std::to_string(k) + ": " + error.what());
    } catch (const ArithmeticOverflowError& error) {
      if (states_ < 0) throw;
      throw ArithmeticOverflowError("state " + std::to_string(k) + ": " + error.what());
    }
  }
  template <class One> void loop(Workspace& w, One& one) {
    w.external.clear();
    if (has_gravity_) w.data.set_gravity(gravity_);
    for (Index k = 0; k < count(); ++k) {
      if (!watch_.go_on(k, count())) return refuse_rest(k);
      if (!status_.wanted()) {
        alone(w, k, one);
        if (watch_.stopped()) return refuse_rest(k);
        continue;
      }
      Status status = Status::ok;
      try {
        alone(w, k, one);
      } catch (const UnsupportedError&) { throw; } catch (const SingularMassError&) {
        status = Status::singular_mass;
      } catch (const ArithmeticOverflowError&) { status = Status::overflow; } catch (const std::invalid_argument&) {
        status = finite(k) ? Status::invalid_input : Status::non_finite_input;
      }
      if (watch_.stopped()) return refuse_rest(k);
      note(k, status);
    }
  }
  template <class T, class One, class Many> void run_in_lanes(One& one, Many& many) {
    check_memory();
    {
      const LanesLease<T> lanes(robot_);
      std::optional<Lease> lease;
      if (needs_axes()) lease.emplace(robot_);
      std::optional<nb::gil_scoped_release> release;
      if (is_long()) release.emplace();
      Lane<T> lane(*lanes, states_);
      if (!external_.empty()) place_external(lane.out, lane.external, lease ? &**lease : nullptr);
      lane.batch.on_progress(&Watch::look, &watch_, watch_.interval());
      lane.batch.all_or_nothing(all_or_nothing());
      many(lane);
      if (all_or_nothing()) check_report(lane.batch.report());
      lane.out.finish();
      settle(lane.batch.report(), one);
    }
    watch_.finish();
  }
  /// States that the batch refused: their status, or the exceptions of single calls.
  template <class One> void settle(const BatchReport& report, One& one) {
    for (Index k = 0; status_.wanted() && k < states_; ++k) status_.put(k, report.status(k));
    if (status_.wanted() || report.stopped || report.good()) return;
    const Lease lease(robot_);
    (*lease).external.clear();
    for (Index k = 0; k < states_; ++k) {
      if (report.status(k) == Status::ok) continue;
      if (!watch_.go_on(k, states_)) return;
      alone(*lease, k, one);
      if (report.status(k) == Status::overflow) detail::throw_overflow(function_);  // beyond float32
    }
  }
  bool finite(Index state) const;
  void note(Index state, Status status);
  void refuse_rest(Index first);

  const char* function_;
  const Robot& robot_;
  Precision precision_;
  Slots<Input, 6> inputs_;
  Slots<Output, 4> outputs_;
  Index states_ = -1, rows_ = 0;
  const char* first_batch_ = "";
  bool has_gravity_ = false, writes_to_caller_ = false;
  Vec3<double> gravity_ = Vec3<double>::zero();
  std::vector<External> external_;
  Seen in_;
  StatusOutput status_;
  Status refused_ = Status::ok;
  Watch watch_;
};

template <class T> void Call::place_external(Outputs<T>& room, BatchWrenches<T>& list, Workspace* w) const {
  const auto n = static_cast<std::size_t>(count());
  std::vector<T*> copy;
  for (const External& e : external_) {
    if (sizeof(T) == sizeof(double) && w == nullptr) {
      list.push_back({e.frame, states_in(reinterpret_cast<const T*>(e.wrench.at(0)), count(), 6, e.wrench.stride()),
                      in_.reference});
    } else {
      copy.push_back(room.take(6 * n));
      list.push_back({e.frame, states_in<T>(copy.back(), count(), 6, 6), in_.reference});
    }
  }
  if (copy.empty()) return;
  for (std::size_t s = 0; s < n; ++s) {
    if (w != nullptr && finite(static_cast<Index>(s))) place_external(*w, static_cast<Index>(s));
    for (std::size_t i = 0; i < external_.size(); ++i) {
      const double* const x = w != nullptr ? w->external[i].wrench : external_[i].wrench.at(static_cast<Index>(s));
      for (std::size_t k = 0; k < 6; ++k) copy[i][6 * s + k] = static_cast<T>(x[k]);
    }
  }
}

}  // namespace zwang::python
