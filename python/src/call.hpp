// SPDX-License-Identifier: BSD-3-Clause
// Call: one call of a function of the library from Python, for one state or for many.
//
//   Call call("inverse_dynamics", robot);
//   const Input &q = call.configuration(q_), &v = call.tangent("v", v_);       // one vector, or N of them
//   Output& out = call.output(out_, {robot.model.nv()});                       // a fresh array, or the caller's
//   call.run([&](Workspace& w, Index state) { out.put(state, ...); });         // once per state, without the GIL when
//   long
#pragma once
#include <array>

#include "arrays.hpp"
#include "robot.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang::python {

/// The words of `reference=` and `in_=`: one of Reference, or the axes of a frame of the model.
struct Seen {
  Reference reference = Reference::local_world_aligned;
  FrameId axes = {};  ///< valid: the world's axes of `reference` are turned into those of this frame
  static Seen from(const Model& model, const char* word, const char* argument);
};

/// `classical` or `spatial`.
AccelerationKind acceleration_of(const char* function, const char* argument, const std::string& word);

inline Eigen::Map<const Eigen::VectorXd> vector(const Input& x, Index state) { return {x.at(state), x.size()}; }

class Call {
 public:
  Call(const char* function, const Robot& robot) : function_(function), robot_(robot) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Input& configuration(nb::handle given, const char* name = "q") {
    return add(Input(function_, name, given, robot_.model.nq(), VectorKind::configuration, &robot_.model));
  }
  /// A configuration kept elsewhere, for wrenches along the axes of a frame.
  const Input& configuration(const std::vector<double>& q) { return add(Input("q", q.data(), robot_.model.nq())); }
  const Input& tangent(const char* name, nb::handle given) {
    return add(Input(function_, name, given, robot_.model.nv(), VectorKind::tangent, &robot_.model));
  }
  /// `gravity=` and `external=` with `in_=` of this call; None leaves the model's gravity and no wrench.
  void environment(nb::handle gravity, nb::handle external, const char* in);
  void gravity(nb::handle given) { environment(given, nb::none(), "local_world_aligned"); }

  Index states() const { return states_; }  ///< -1 where every argument is one vector
  const Output& output(nb::handle out, std::initializer_list<Index> shape, const char* name = "out");
  /// What Python gets: the output, or a float where it is one number and the caller gave no array.
  nb::object result(const Output& out, nb::handle given) const;

  template <class F> void run(F&& f) {
    check_memory();
    const Lease lease(robot_);
    Workspace& w = *lease;
    w.external.clear();
    if (has_gravity_) w.data.set_gravity(gravity_);
    const Index count = states_ < 0 ? 1 : states_;
    const auto all = [&] {
      for (Index k = 0; k < count; ++k) {
        try {
          if (!external_.empty()) place_external(w, k);
          f(w, k);
        } catch (const UnsupportedError&) { throw; } catch (const std::invalid_argument& error) {
          if (states_ < 0) throw;
          throw std::invalid_argument("state " + std::to_string(k) + ": " + error.what());
        }
      }
    };
    if (static_cast<long>(count) * robot_.model.nv() < k_long_call) return all();
    const nb::gil_scoped_release release;
    all();
  }

 private:
  static constexpr long k_long_call = 512;  ///< states times coordinates: some 10 us
  struct External {
    FrameId frame;
    Input wrench;
  };
  const Input& add(Input&& input);
  void count_states(const Input& input);
  void check_memory() const;
  void place_external(Workspace& w, Index state) const;

  const char* function_;
  const Robot& robot_;
  std::array<std::optional<Input>, 6> inputs_;
  std::array<std::optional<Output>, 4> outputs_;
  int inputs_given_ = 0, outputs_given_ = 0;
  Index states_ = -1;
  const char* first_batch_ = "";
  bool has_gravity_ = false;
  Vec3<double> gravity_ = Vec3<double>::zero();
  std::vector<External> external_;
  Seen in_;
};

}  // namespace zwang::python
