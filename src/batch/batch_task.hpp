// SPDX-License-Identifier: BSD-3-Clause
// One call of a batch: its arguments are checked and brought into the form that kernels read.
#pragma once
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "algorithm/support.hpp"
#include "batch/batch_impl.hpp"
#include "core/all_finite.hpp"
#include "zwang/algorithm/algorithm.hpp"

namespace zwang {

/// One call: its arguments are checked and taken in the order of the public signature.
template <class T> class BatchTask {
 public:
  BatchTask(BatchCore<T>& core, const char* function) : core_(core), function_(function) { core.check_idle(function); }

  /// An input of `size` numbers per state. The first one says how many states there are.
  BatchTask& in(const char* name, const StatesIn<T>& x, Index size, bool configuration = false) {
    const StateLayout<const T>& l = x.layout();
    c_.in[inputs_] = {l.data, size, l.tile, l.lane, l.number};
    const bool first = inputs_ == 0;
    is_configuration_[inputs_++] = configuration;
    if (!x.given() && !first) return *this;  // zeros
    check_layout(name, l, size);
    if (first && l.states < 0)
      throw std::invalid_argument(std::string("Batch::") + function_ + ": " + name +
                                  " says how many states there are: give it one row per state");
    if (first) c_.states = l.states;
    if (l.states >= 0) check(name, ".rows()", l.states, c_.states);
    return *this;
  }
  /// An output; where it may be left out, only if it is wanted.
  BatchTask& out(const char* name, const StatesOut<T>& x, Index size, bool optional = false) {
    const StateLayout<T>& l = x.layout();
    if (optional && !x.given()) {
      c_.out[outputs_++] = {nullptr, size};
      return *this;
    }
    check_layout(name, l, size);
    check(name, ".rows()", l.states, c_.states);
    c_.out[outputs_++] = {l.data, size, l.tile, l.lane, l.number};
    return *this;
  }
  BatchTask& effects(const JointEffects& e) {
    c_.armature = e.armature;
    c_.damping = e.damping;
    c_.springs = e.springs;
    c_.friction = e.friction;
    c_.excess = e.gravity_scale && core_.model.template tree<T>().excess != nullptr;
    return *this;
  }
  BatchTask& external(const BatchWrenches<T>& list) {
    core_.wrench.clear();
    for (const BatchWrench<T>& e : list) {
      const StateLayout<const T>& l = e.wrench.layout();
      check_layout("external wrench", l, 6);
      if (l.states >= 0) check("external wrench", ".rows()", l.states, c_.states);
      core_.wrench.push_back({frame_task(e.frame, e.in), {l.data, 6, l.tile, l.lane, l.number}, e.frame.value});
    }
    c_.wrench = core_.wrench.data();
    c_.wrenches = static_cast<Index>(core_.wrench.size());
    return *this;
  }
  BatchTask& frame(FrameId id, Reference reference, bool classical = false, bool with_gravity = false) {
    c_.frame = frame_task(id, reference);
    c_.frame.classical = classical;
    c_.frame.with_gravity = with_gravity;
    return *this;
  }
  BatchTask& frames(std::span<const FrameId> list) {
    core_.frame.clear();
    for (const FrameId id : list) core_.frame.push_back(frame_task(id, Reference::local));
    c_.frame_list = core_.frame.data();
    c_.frames = static_cast<Index>(core_.frame.size());
    return *this;
  }
  /// Throws where an output shares memory with an input: for tasks that come back to their inputs.
  void refuse_overlap(const char* output, int out, const char* input, int in) const {
    const StateArray<const T>& a = c_.in[in];
    const StateArray<T>& b = c_.out[out];
    if (a.data == nullptr || b.data == nullptr || a.size == 0 || b.size == 0 || c_.states == 0) return;
    if (a.lane == b.lane && a.tile == b.tile && a.number == 1 && b.number == 1 && a.lane > 0) {  // columns of one array
      const long apart = b.data - a.data, column = (apart % a.lane + a.lane) % a.lane;
      if (column >= a.size && column + b.size <= a.lane) return;
    }
    const auto [a0, a1] = range(a);
    const auto [b0, b1] = range(StateArray<const T>{b.data, b.size, b.tile, b.lane, b.number});
    if (a0 < b1 && b0 < a1)
      throw std::invalid_argument(std::string("Batch::") + function_ + ": " + output + " shares memory with " + input +
                                  "; give memory of its own");
  }
  /// All that a row of the list of algorithms names.
  BatchTask& take(const Algorithm& row, std::span<const StatesIn<T>> x, std::span<const StatesOut<T>> results,
                  const AlgorithmOptions& options, const BatchWrenches<T>& wrenches) {
    const Sizes sizes = sizes_of(core_.model, options);
    check("vectors", "", static_cast<long>(x.size()), row.vectors());
    check("results", "", static_cast<long>(results.size()), row.gives.count);
    for (const Argument& a : row.takes)
      if (is_vector(a))
        in(a.name, x[static_cast<std::size_t>(inputs_)], a.what == Takes::configuration ? sizes.nq : sizes.nv,
           a.what == Takes::configuration);
    if (row.reads(Takes::frame))
      frame(options.frame, options.reference, options.kind == AccelerationKind::classical, options.with_gravity);
    if (row.reads(Takes::frames)) frames(options.frames);
    for (const Result& r : row.gives)
      out(r.name, results[static_cast<std::size_t>(outputs_)], numbers_of(r.shape, sizes), row.gives.count > 1);
    if (row.reads(Takes::effects)) effects(options.effects);
    if (!wrenches.empty() && !row.reads(Takes::external))
      throw std::invalid_argument(std::string("Batch::") + function_ + ": takes no wrenches from outside");
    return external(wrenches);
  }
  BatchCall<T>& call() { return c_; }

  /// Whether the numbers of a state would be refused; then its status says so. Looks at them in the threads of the
  /// batch and writes no output. `beta_is_good(s)` decides on the targets of rows where one is not finite.
  template <class Beta> bool refuses(Beta&& beta_is_good) {
    core_.begin(c_);
    std::atomic<bool> refused{false};
    const BatchProgress progress = std::exchange(core_.runner.progress, nullptr);  // it is shown by the call itself
    core_.runner.run(c_.states, 1, c_.status, [&](int, long first, long last) {
      if (are_good(first, last, beta_is_good)) return;
      for (long s = first; s < last; ++s) {
        const bool finite = are_finite(s, s + 1, beta_is_good);
        if (finite && have_unit_length(s, s + 1)) continue;
        c_.status[s] = static_cast<unsigned char>(finite ? Status::invalid_input : Status::non_finite_input);
        refused = true;
      }
    });
    core_.runner.progress = progress;
    return refused;
  }
  bool refuses() {
    return refuses([](long) { return true; });
  }

  /// An array of states beside the inputs; absent where nothing was given.
  StateArray<const T> array(const char* name, const StatesIn<T>& x, Index size) const {
    const StateLayout<const T>& l = x.layout();
    if (!x.given()) return {};
    check_layout(name, l, size);
    if (l.states >= 0) check(name, ".rows()", l.states, c_.states);
    return {l.data, size, l.tile, l.lane, l.number};
  }
  /// Checks a result beside the outputs, where it is given.
  void result(const char* name, const StatesOut<T>& x, Index size) const {
    if (!x.given()) return;
    check_layout(name, x.layout(), size);
    check(name, ".rows()", x.layout().states, c_.states);
  }

 private:
  template <class Beta> bool are_good(long first, long last, Beta& beta_is_good) const {
    return are_finite(first, last, beta_is_good) && have_unit_length(first, last);
  }
  template <class Beta> bool are_finite(long first, long last, Beta& beta_is_good) const {
    for (int i = 0; i < inputs_; ++i)
      if (!is_finite(c_.in[i], first, last)) return false;
    for (Index k = 0; k < c_.wrenches; ++k)
      if (!is_finite(c_.wrench[k].wrench, first, last)) return false;
    if (c_.constrained == nullptr) return true;
    const ConstrainedTask<T>& t = *c_.constrained;
    if (!is_finite(t.active, first, last) || !is_finite(t.given, first, last)) return false;
    if (is_finite(t.beta, first, last)) return true;
    for (long s = first; s < last; ++s)
      if (!beta_is_good(s)) return false;
    return true;
  }
  static bool is_finite(const StateArray<const T>& a, long first, long last) {
    if (a.data == nullptr || a.size == 0) return true;
    if (a.lane == 0 && a.tile == 0) last = first + 1;  // one row for all states
    if (a.number == 1 && a.lane == a.size && a.tile == a.k_tile * a.lane)
      return all_finite(a.data + first * a.lane, (last - first) * a.size);
    for (long s = first; s < last; ++s) {
      if (a.number == 1) {
        if (!all_finite(&number_of(a, s, 0), a.size)) return false;
        continue;
      }
      for (Index k = 0; k < a.size; ++k)
        if (!std::isfinite(number_of(a, s, k))) return false;
    }
    return true;
  }
  bool have_unit_length(long first, long last) const {
    const Tree<double>& tree = core_.model.template tree<double>();
    if (tree.spanning_nq == tree.spanning_nv) return true;
    std::vector<double> room;
    for (int i = 0; i < inputs_; ++i)
      for (long s = first; is_configuration_[i] && s < last; ++s)
        if (!detail::normalized_within(tree, configuration(c_.in[i], s, room), k_unit_tolerance)) return false;
    return true;
  }
  /// In place where its numbers are doubles side by side.
  static const double* configuration(const StateArray<const T>& a, long s, std::vector<double>& room) {
    if constexpr (std::is_same_v<T, double>)
      if (a.number == 1) return &number_of(a, s, 0);
    room.resize(static_cast<std::size_t>(a.size));
    for (Index k = 0; k < a.size; ++k) room[static_cast<std::size_t>(k)] = static_cast<double>(number_of(a, s, k));
    return room.data();
  }
  /// The first number of all states, and one past the last.
  std::pair<const T*, const T*> range(const StateArray<const T>& x) const {
    const long s = c_.states - 1, tiles = s / x.k_tile;
    const long last = tiles * x.tile + s % x.k_tile * x.lane;
    const long full = tiles > 0 ? (tiles - 1) * x.tile + (x.k_tile - 1) * x.lane : 0;  // end of the tile before
    const long numbers = (x.size - 1) * x.number;
    return {x.data + std::min({0L, last, full}) + std::min(0L, numbers),
            x.data + std::max({0L, last, full}) + std::max(0L, numbers) + 1};
  }
  void check(const char* name, const char* what, long got, long expected) const {
    if (got != expected) detail::throw_size(function_, std::string(name).append(what).c_str(), got, expected);
  }
  /// As many numbers per state as expected, and a place where they are.
  template <class Number> void check_layout(const char* name, const StateLayout<Number>& l, Index size) const {
    check(name, ".cols()", l.size, size);
    if (l.data == nullptr && l.size > 0 && l.states != 0)
      throw std::invalid_argument(std::string(function_) + ": argument '" + name + "' is a null pointer");
  }
  FrameTask<T> frame_task(FrameId id, Reference reference) const {
    const Frame& x = detail::frame_of(core_.model, id, function_);
    return zwang::frame_task<T>(x, reference);
  }

  BatchCore<T>& core_;
  const char* function_;
  BatchCall<T> c_;
  int inputs_ = 0, outputs_ = 0;
  bool is_configuration_[std::extent_v<decltype(BatchCall<T>::in)>] = {};
};

}  // namespace zwang
