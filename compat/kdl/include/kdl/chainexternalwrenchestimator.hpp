// SPDX-License-Identifier: BSD-3-Clause
// The wrench at the tip of a chain, estimated from positions, velocities and torques of its joints.
//
// A. De Luca, R. Mattone, Sensorless Robot Collision Detection and Hybrid Force/Motion Control, ICRA 2005:
//   r = K (p - p_0 - integral of (tau + C^T v - g + r))     p = M v
// r follows the external torques as a filter of first order with the time constant 1 / K.
#pragma once
#include <iostream>
#include <memory>

#include "chain.hpp"
#include "chaindynparam.hpp"
#include "chainfksolverpos_recursive.hpp"
#include "chainjnttojacsolver.hpp"
#include "frames.hpp"
#include "jntarray.hpp"
#include "solveri.hpp"
#include "utilities/svd_eigen_HH.hpp"

namespace KDL {

namespace detail {
class WrenchEstimator;
}

class ChainExternalWrenchEstimator : public SolverI {
 public:
  static constexpr int E_FKSOLVERPOS_FAILED = -100;
  static constexpr int E_JACSOLVER_FAILED = -101;
  static constexpr int E_DYNPARAMSOLVERMASS_FAILED = -102;
  static constexpr int E_DYNPARAMSOLVERCORIOLIS_FAILED = -103;
  static constexpr int E_DYNPARAMSOLVERGRAVITY_FAILED = -104;

  /// One call every 1 / sample_frequency seconds. estimation_gain: K [1/s]. filter_constant: from 0, none, to 1: how
  /// much of the last torques stays. eps: singular values of the Jacobian below it count as zero.
  ChainExternalWrenchEstimator(const Chain& chain, const Vector& gravity, const double sample_frequency,
                               const double estimation_gain, const double filter_constant, const double eps = 0.00001,
                               const int maxiter = 150);
  ChainExternalWrenchEstimator(const ChainExternalWrenchEstimator& other);
  ~ChainExternalWrenchEstimator() override;

  /// Where the motion begins; forgets what was estimated.
  int setInitialMomentum(const JntArray& joint_position, const JntArray& joint_velocity);
  void setSVDEps(const double eps_in);
  void setSVDMaxIter(const int maxiter_in);

  /// external_wrench: on the last segment, in the tip's axes about the tip; joint_torque: of the motors. E_UNDEFINED:
  /// numbers that are not finite, a frequency that is not above 0, a filter constant that is not from 0 to 1; what was
  /// estimated stays. E_DEGRADED: the joints do not feel some directions of a wrench, which are zero in the result.
  int JntToExtWrench(const JntArray& joint_position, const JntArray& joint_velocity, const JntArray& joint_torque,
                     Wrench& external_wrench);
  /// The external torques of the last call, filtered.
  void getEstimatedJntTorque(JntArray& external_joint_torque);

  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::WrenchEstimator> estimator_;
};

}  // namespace KDL
