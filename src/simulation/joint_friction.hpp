// SPDX-License-Identifier: BSD-3-Clause
// Coulomb friction of joints in a motion. A coordinate slides one way or sticks:
//
//   slides, s = 1 or -1     tau_i - c_i s, whatever a step does to the sign of v_i; it stops where s v_i reaches 0
//   sticks, s = 0           a row q''_i = 0 with |lambda| <= c_i; v_i = 0 while the row holds
// A step goes to the first stop within it, where v_i becomes 0 to the bit, and on from there: the forces of
// an integrator's stages are smooth, and keep its order. A row at its limit gives way: its coordinate slides
// from the end of the step on, the way that the friction opposes. No step makes energy of friction: what
// sticks does no work, what slides is braked.
#pragma once
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {

class JointFriction {
 public:
  /// None where the settings leave friction out. Throws UnsupportedError for a
  /// joint whose coordinates are not numbers of q.
  JointFriction(const Model& model, const SolverSettings& settings);
  bool any() const { return !list_.empty(); }
  /// The set with a row for each coordinate behind its own.
  ConstraintSet with_rows(const ConstraintSet& set) const;

  /// At a state: which coordinates slide. Of those that stuck before, a velocity at the level of noise counts as zero.
  /// Friction of prescribed coordinates changes no motion, but the torques of their motors: see add_to_motors().
  void begin(const double* v, Index nv, const Prescribed& prescribed, ConstraintSet& set);
  void release(ConstraintSet& set) const;  ///< no row holds: for impulses
  void add_to(double* tau) const;
  /// Torques of a solve with add_to() become those of motors, which have to overcome the
  /// friction of what slides. v: of the solve.
  void add_to_motors(const double* v, double* torque) const;
  /// What a solve says of the rows.
  void note(const Solution& solution);

  /// A step begins at the last state for which keep() was called. True: other rows are active than before.
  bool start_step(ConstraintSet& set);
  void clear_notes();
  /// Whether some coordinate has stopped and gone back in a step from v0 to v1; `fraction`:
  /// where a line would stop first.
  bool stops(const double* v0, const double* v1, double& fraction) const;
  /// At the end of a step, or of the part that ends at a stop: those that stop have v_i = 0.
  void settle(double* v, ConstraintSet& set);
  void keep();

 private:
  struct One {
    Index v;
    double friction;
    std::string row;
    Index at = 0;  ///< its multiplier
    int sign = 0, kept = 0;
    bool free = false;   ///< prescribed
    double reached = 0;  ///< the limit that the row has reached in this step, with its sign
  };
  bool activate(ConstraintSet& set) const;
  std::vector<One> list_;
  const Model model_;
};

}  // namespace zwang
