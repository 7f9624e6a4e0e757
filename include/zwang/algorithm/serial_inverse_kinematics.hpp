// SPDX-License-Identifier: BSD-3-Clause
// SerialInverseKinematics: joint values that bring a tip to a pose, for a chain of joints of one freedom.
//
//   find q with   X_base,tip(q) = T,   lower <= q <= upper
// error e = [w (p_t - p); 2 sin(t/2) u], w = 2 / (length of the links), t and u the angle and axis of R_t R^T; damped
// Newton steps d = J^T (J J^T + lambda 1)^-1 e with lambda = 0.05 |e|^2 / 2 + 1e-12, always taken; joints that would
// leave their limits are put on them and the others solved for again. Where a descent stalls the next one begins: from
// the caller's seed, from a table of random configurations that is asked for those near the target, from all of the
// table. The budget counts evaluations, never time: the same call gives the same bits, on every instruction set.
#pragma once
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/core/status.hpp"

namespace zwang {

/// How a search for a pose ended.
enum class PoseStatus {
  ok,             ///< every entry that is asked for is within its tolerance, joints are within their limits
  nearest_found,  ///< no solution was found; q is the lowest stationary point of the distance that was found
  not_converged,  ///< neither: q is the nearest configuration that was seen
  non_finite_input,
  invalid_input,  ///< from try_solve(): a size, a rotation that is none
};
/// The words of its values, in their order.
constexpr auto words_of(Type<PoseStatus>) {
  return std::array{"ok", "nearest_found", "not_converged", "non_finite_input", "invalid_input"};
}

/// What of the tip's attitude is asked for: nothing, all of it, or only where one of its axes points to.
enum class AttitudeRows { none, all, x, y, z };

/// What is asked of the tip, how exactly, and how long is searched.
struct SerialInverseKinematicsSettings {
  bool position = true;
  AttitudeRows attitude = AttitudeRows::all;
  /// [m] of each entry of p_t - p; > 0. What rounding leaves of positions, 8 eps |p_t|, does not count.
  double tolerance = 1e-8;
  double angle_tolerance = 1e-8;  ///< [rad] of each entry of the rotation vector; > 0
  double position_weight = 0;     ///< w [1/m]; 0: 2 over the length of the links, so that units of length do not matter
  bool limits = true;
  int max_evaluations = 12000;  ///< of the pose, in all descents; >= 1
  int solutions = 1;            ///< how many are looked for; the one nearest to the seed is returned; >= 1
  bool seed_first = true;       ///< the first descent begins at the seed, not in the table
  bool nearest = true;          ///< where there is no solution, look for the nearest pose
  double limit_margin = 0;      ///< [rad, m] joints stay so far within their limits, as AssemblySettings says; >= 0
};

/// Views of the solver's memory, until its next call or its end.
struct SerialSolution {
  VectorView q{nullptr, 0};  ///< [nq]; joints outside of the chain are as in the seed
  PoseStatus status = PoseStatus::not_converged;
  /// p_t - p [m], and the rotation vector t u that turns the tip to its target [rad]; of one axis the vector that turns
  /// that axis. Axes of the base. What is not asked for is shown, too.
  double error[6] = {};
  double position_error = 0, angle_error = 0;  ///< lengths of both, 0 where not asked for
  /// Largest entry of the gradient of w^2 |p_t - p|^2 / 2 + 1 - cos t by angles, and by slides over the length of the
  /// links, without what limits take: rounding at a stationary point. 0 with ok.
  double gradient = 0;
  /// The target is farther from the first joint than the chain is long: no configuration reaches it.
  bool out_of_reach = false;
  std::vector<Index> at_lower = {}, at_upper = {};  ///< v of the joints that a limit holds back, with nearest_found
  int evaluations = 0, descents = 0;
};

/// Velocities between limits.
struct SerialVelocity {
  VectorView v{nullptr, 0};      ///< [nv]; zero outside of the chain
  double error = 0;              ///< |J v - twist| with w for its linear part
  std::vector<Index> held = {};  ///< v of the joints that are at a limit of velocity, acceleration or position
};
/// How velocities of the joints are found for a velocity of the tip.
struct SerialVelocitySettings {
  double damping = 1e-9;  ///< lambda >= 0, of J J^T with w for linear rows
  double time_step = 0;   ///< [s] > 0: limits of position (v <= (upper - q) / dt) and acceleration count
  bool limits = true;     ///< of velocity, from the model
  /// [nv] for each coordinate, [rad/s^2, m/s^2]; needs time_step and `v_before`. Empty: none.
  std::vector<double> acceleration_limit = {};
};

struct SerialInverseKinematicsImpl;

/// A chain with its table of configurations, and room for one call at a time: one for each thread. Allocates at
/// construction (about 200 us, 0.3 MB); its calls do not.
class SerialInverseKinematics {
 public:
  static constexpr Index k_most_joints = 16;

  /// The chain from the frame `base` to `tip`, which may lie on different branches. Throws std::invalid_argument for
  /// settings, unknown frames and where no joint is between them; UnsupportedError where a joint between them has not
  /// one freedom (a spherical joint; two joints of one mimic group), or there are more than k_most_joints.
  SerialInverseKinematics(const Model& model, FrameIn base, FrameIn tip,
                          const SerialInverseKinematicsSettings& settings = {});
  SerialInverseKinematics(SerialInverseKinematics&&) noexcept;
  SerialInverseKinematics& operator=(SerialInverseKinematics&&) noexcept;
  ~SerialInverseKinematics();

  /// `target`: the pose of the tip in the base. `seed` [nq]: where to begin. Throws std::invalid_argument for sizes,
  /// entries that are not finite, and a target that is no rotation to 1e-6.
  const SerialSolution& solve(const Transform<double>& target, VectorIn seed);
  /// The same without exceptions: such arguments are a status, and q is empty then.
  const SerialSolution& try_solve(const Transform<double>& target, VectorIn seed) noexcept;

  /// Joint velocities with which the tip moves by `twist` (of its origin relative to the base, in the base's axes), or
  /// as near as limits allow; of those the one nearest to `rest` [nv], if it is not empty. `v_before` [nv], or empty.
  /// Limits are met by holding joints at them, one after the other: within limits always, not always the best of all.
  const SerialVelocity& velocity(VectorIn q, const Motion<double>& twist, const SerialVelocitySettings& limits = {},
                                 VectorIn rest = Eigen::VectorXd(), VectorIn v_before = Eigen::VectorXd());

  /// Pose of the tip in the base, by the chain alone.
  Transform<double> pose(VectorIn q) const;
  const std::vector<Index>& coordinates() const;  ///< of v, from base to tip
  const SerialInverseKinematicsSettings& settings() const;
  const Model& model() const;

 private:
  Owned<SerialInverseKinematicsImpl> impl_;
};

}  // namespace zwang
