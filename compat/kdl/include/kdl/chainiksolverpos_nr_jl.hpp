// SPDX-License-Identifier: BSD-3-Clause
// Joint values between limits for a pose of the tip.
#pragma once
#include <memory>

#include "chainfksolver.hpp"
#include "chainiksolver.hpp"

namespace KDL {

namespace detail {
class PoseSearch;
}

/// Newton-Raphson steps as those of ChainIkSolverPos_NR; joints that a step takes out of their limits are put on
/// them. Where 15 steps do not succeed, a search with several descents is tried once
/// (zwang::SerialInverseKinematics); what it finds counts only if fksolver confirms it. It knows chains of 1 to 16
/// joints. Otherwise the steps go on to `maxiter`.
class ChainIkSolverPos_NR_JL : public ChainIkSolverPos {
 public:
  static constexpr int E_IKSOLVERVEL_FAILED = -100;
  static constexpr int E_FKSOLVERPOS_FAILED = -101;

  ChainIkSolverPos_NR_JL(const Chain& chain, const JntArray& q_min, const JntArray& q_max, ChainFkSolverPos& fksolver,
                         ChainIkSolverVel& iksolver, unsigned int maxiter = 100, double eps = 1e-6);
  /// Without limits until setJointLimits().
  ChainIkSolverPos_NR_JL(const Chain& chain, ChainFkSolverPos& fksolver, ChainIkSolverVel& iksolver,
                         unsigned int maxiter = 100, double eps = 1e-6);
  ChainIkSolverPos_NR_JL(const ChainIkSolverPos_NR_JL& other);
  ~ChainIkSolverPos_NR_JL() override;

  /// With 0, q_out is within the limits and each of the six entries of diff(tip, p_in) is below eps.
  /// E_MAX_ITERATIONS_EXCEEDED: q_out is where the steps ended, within the limits.
  int CartToJnt(const JntArray& q_init, const Frame& p_in, JntArray& q_out) override;
  /// E_UNDEFINED, and the old ones stay, where some q_min is not <= q_max;
  /// such limits of the constructor are E_UNDEFINED in CartToJnt().
  int setJointLimits(const JntArray& q_min, const JntArray& q_max);
  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  bool search(const JntArray& q_init, const Frame& p_in);
  const Chain& chain_;
  ChainFkSolverPos& fksolver_;
  ChainIkSolverVel& iksolver_;
  unsigned int joints_, maxiter_;
  double eps_;
  JntArray q_min_, q_max_, step_, found_;
  std::unique_ptr<detail::PoseSearch> search_;
};

}  // namespace KDL
