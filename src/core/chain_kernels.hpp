// SPDX-License-Identifier: BSD-3-Clause
// The interface between ordinary code and the kernels of inverse kinematics of serial chains (src/kernels/chain.cpp):
// plain data, like kernel_table.hpp, with bytes that are the same at every instruction set.
#pragma once
#include <limits>

#include "zwang/core/config.hpp"

namespace zwang {

/// A chain of joints of one freedom from a base to a tip. The pose of the tip in the base is
///   X = P_0 M_1(q_1) P_1 ... M_n(q_n) P_n,   M_i(q) = (Rz(turn_i q), slide_i q e_z)
/// `turn` is +-1 of a revolute or helical joint, 0 of a prismatic one, times the factor of a mimicking joint; negative
/// where the chain passes the joint from its child to its parent. Arrays are padded to the lanes of a kernel; joints
/// that are not there have turn = slide = 0 and no limits.
struct alignas(64) SerialChain {
  static constexpr Index k_most_joints = 16;
  /// Joint values of the table are read eight or sixteen at a time.
  double turn[k_most_joints] = {}, slide[k_most_joints] = {};
  double lower[k_most_joints], upper[k_most_joints];  ///< infinite where there is no limit
  double period[k_most_joints] = {};        ///< [rad] 2 pi / |turn| where the range of a joint is longer, else 0
  double placement[k_most_joints + 1][12];  ///< P_i: R by rows, p
  Index joints = 0;
  bool wraps = false;  ///< some period is not 0
  double reach = 0;   ///< the tip is at most so far from the origin of the first joint [m]; infinite where it slides on
  double length = 1;  ///< [m] of the links: what a slide is measured by beside an angle

  // Configurations where descents may begin (kernels/chain_seeds.hpp), sixteen side by side.
  static constexpr Index k_side = 16;
  Index seeds = 0;                               ///< a multiple of k_side
  const float* key = nullptr;                    ///< [seeds / k_side][6][k_side]
  const double* azimuth = nullptr;               ///< [seeds] of the last axis about the first, at q_1 = 0
  const double* start = nullptr;                 ///< [seeds][k_most_joints]
  bool first_turns = false, last_turns = false;  ///< purely, so that keys need not know these joints

  SerialChain() {
    for (Index i = 0; i < k_most_joints; ++i) {
      lower[i] = -std::numeric_limits<double>::infinity();
      upper[i] = std::numeric_limits<double>::infinity();
    }
  }
};

/// What is asked of the tip, in the axes of the base: the error of a pose X = (r_1 r_2 r_3, p) is
///   e = [position_weight (p_t - p); direction_weight 2 sin(t/2) u],  sin t u = sum_k axis_k r_k x r_tk
/// with axis = 1/2, 1/2, 1/2 for an attitude, and one 1 for the direction of one axis of the tip.
struct PoseTask {
  double R[9], p[3];  ///< R_t by rows, p_t
  double position_weight, direction_weight;
  double axis[3], axis_offset;  ///< cos t = sum_k axis_k r_k . r_tk - axis_offset
  double position_tolerance, direction_tolerance;
  double asked_tolerance;  ///< of a position, without what rounding leaves of the target
};

struct PoseBudget {
  Index evaluations, ranked, descents;
  Index stall;      ///< steps that may pass before the error has fallen to 0.7 of its value
  Index solutions;  ///< of which the one nearest to the seed is taken
  bool seed_first;  ///< the caller's seed is tried before those of the table
  bool nearest;     ///< look for the nearest pose where none is found
};

struct PoseOutcome {
  bool found = false;       ///< the error of q is within the tolerances
  bool stationary = false;  ///< the gradient of a nearest pose is rounding
  bool out_of_reach = false;
  double error[6];      ///< p_t - p; sin t u
  double cosine;        ///< cos t
  double gradient = 0;  ///< largest entry of the projected gradient of (w^2 |dp|^2) / 2 + v^2 (1 - cos t)
  unsigned bound_below = 0, bound_above = 0;  ///< bit i: the limit of joint i holds it back
  Index evaluations = 0, descents = 0;
};

/// Chains from one base whose joints share coordinates (kernels/joined_chains.hpp).
struct JoinedChains {
  static constexpr Index k_most_chains = 4, k_most_coordinates = k_most_chains * SerialChain::k_most_joints;
  const SerialChain* chain[k_most_chains] = {};
  Index chains = 0, coordinates = 0;
  Index coordinate[k_most_chains][SerialChain::k_most_joints] = {};  ///< of each joint
  double lower[k_most_coordinates] = {}, upper[k_most_coordinates] = {}, period[k_most_coordinates] = {};
  bool fixed[k_most_coordinates] = {};  ///< keeps the value of the seed
  bool repeated = false;                ///< some chain has two joints of one coordinate
};
struct JoinedOutcome {
  bool found = false;
  Index evaluations = 0;  ///< of one chain
};

struct ChainKernels {
  /// Pose of the tip: R by rows, p.
  void (*pose)(const SerialChain& chain, const double* q, double* out);
  /// [6 x joints] Jacobian of the tip in the base's axes about the tip's origin, linear rows first.
  void (*jacobian)(const SerialChain& chain, const double* q, double* out);
  /// The key and azimuth of a configuration.
  void (*key)(const SerialChain& chain, const double* q, float* key, double* azimuth);
  /// From `seed` to q, both [k_most_joints].
  void (*solve)(const SerialChain& chain, const PoseTask& task, const PoseBudget& budget, const double* seed, double* q,
                PoseOutcome& out);
  /// Velocities v [k_most_joints] between `low` and `high` with J v nearest to the twist [6], damped by `damping`; with
  /// `rest` those nearest to it. Returns |J v - twist|, weighted. What was held back: as in PoseOutcome.
  double (*velocity)(const SerialChain& chain, const PoseTask& weights, double damping, const double* q,
                     const double* twist, const double* rest, const double* low, const double* high, double* v,
                     unsigned* held);
  /// From `seed` to x, both [coordinates]; a task for each chain. Of the budget: evaluations, stall.
  void (*solve_joined)(const JoinedChains& chains, const PoseTask* tasks, const PoseBudget& budget, const double* seed,
                       double* x, JoinedOutcome& out);
};

/// Those of the instruction set that kernels() has chosen (core/instruction_set.cpp).
const ChainKernels& chain_kernels();

}  // namespace zwang
