// SPDX-License-Identifier: BSD-3-Clause
// Movement: what moves. Forces by the control, accelerations by a Solver, at any state; why a motion cannot go on.
#pragma once
#include <optional>

#include "constraint/looks_ahead.hpp"
#include "core/borrowed.hpp"
#include "simulation/joint_friction.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/simulation/scene.hpp"
#include "zwang/simulation/settings.hpp"

namespace zwang {

/// A state that an integrator steps from or to.
struct MovementState {
  MovementState(Index nq, Index nv) : q(nq), v(nv) {}
  void copy(const MovementState& from);  ///< allocates nothing
  double time = 0;
  Buffer<double> q, v;
};

using detail::has_position;

inline BorrowedVector view_of(const Buffer<double>& x) { return vector_in(x.data(), x.size()); }
inline Eigen::Map<Eigen::VectorXd> map_of(Buffer<double>& x) { return {x.data(), x.size()}; }

class Movement {
 public:
  /// scene: of Integrator::contact; without one it is that of the model's own shapes.
  Movement(const Model& of, const ConstraintSet& constraints, const SimulationSettings& with, const Scene* scene);

  /// The constant inputs. Throws for wrong sizes and entries that are not finite.
  void begin(const SimulationInput& input);
  /// Other constant torques [nv]; nullptr: zeros.
  void take_torques(const double* tau);
  /// The control at a state: afterwards tau(), external() and the set are those of this state.
  void apply_control(double time, const double* q, const double* v);
  /// The control and a solve, with damping at the end of a step of length `implicit` (0: as it is). False: failed().
  bool accelerate(double time, const double* q, const double* v, double implicit);
  /// The same at a state that may be the last one asked for: then nothing is done.
  bool accelerate(const MovementState& at, double implicit);
  void forget() { known_ = false; }  ///< numbers of the set have changed

  const double* acceleration() const { return solver.solution().acceleration.data(); }
  const double* tau() const { return tau_.data(); }
  const Externals& external() const { return external_; }
  const Prescribed& prescribed() const { return prescribed_; }
  /// Of Integrator::contact: the constraints of `set` whose rows have a sense. They are rows of its steps, of no solve.
  const std::vector<Index>& sided() const { return sided_; }
  std::span<const ContactState> first_contacts() const { return first_contacts_; }
  const Scene& scene() const { return *scene_; }

  /// False, for the caller to return. The text is made only here: where a motion ends,
  /// or a step is tried in shorter parts.
  bool fail(Status status, std::string why);

  /// While it lives, what is sided() is switched off.
  class WithoutSided {
   public:
    explicit WithoutSided(Movement& motion);
    ~WithoutSided();
    WithoutSided(const WithoutSided&) = delete;
    WithoutSided& operator=(const WithoutSided&) = delete;

   private:
    Movement& motion_;
  };
  Status status = Status::ok;
  std::string reason;

  Model model;
  SimulationSettings settings;
  bool dry_friction;  ///< impulses of a ContactSolver, not rows, are the friction of joints
  JointFriction friction;
  Index rows;         ///< of the user's set; those of joint friction follow
  ConstraintSet set;  ///< with them

 private:
  std::vector<Index> sided_;
  std::vector<bool> were_active_;  ///< of these

 public:
  Solver solver;
  SimulationControl* control = nullptr;

 private:
  std::optional<Scene> scene_;
  std::span<const ContactState> first_contacts_;
  Externals external_, given_external_;
  Prescribed prescribed_, given_prescribed_;
  Buffer<double> tau_, given_tau_;
  bool known_ = false;
  double known_time_ = 0, known_implicit_ = 0;
  Buffer<double> known_q_, known_v_;
};

}  // namespace zwang
