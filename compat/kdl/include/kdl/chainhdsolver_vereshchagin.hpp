// SPDX-License-Identifier: BSD-3-Clause
// Hybrid dynamics of a chain whose last tip is held in some directions (Popov & Vereshchagin 1974),
// by Gauss' principle.
//
//   M qdd + h = ff_torques + external wrenches - J^T alfa nu,      alfa^T (X_dotdot_tip + root_acc) = beta
//
// alfa: unit forces in the base's axes, at the tip, force first; a column of zeros asks for nothing. X_dotdot: the
// spatial acceleration in the base's axes, its reference point at the tip: that of the point is omega x v more.
// beta = 0 along the vertical lets the tip fall: to hold it, beta = alfa^T root_acc.
#pragma once
#include <memory>
#include <vector>

#include "articulatedbodyinertia.hpp"
#include "chainidsolver.hpp"
#include "jacobian.hpp"

namespace KDL {

namespace detail {
class HybridDynamics;
}

class ChainHdSolver_Vereshchagin : public SolverI {
 public:
  typedef std::vector<Twist> Twists;
  typedef std::vector<Frame> Frames;
  typedef Eigen::Matrix<double, 6, 1> Vector6d;
  typedef Eigen::Matrix<double, 6, 6> Matrix6d;
  typedef Eigen::Matrix<double, 6, Eigen::Dynamic> Matrix6Xd;

  /// What happens to directions in which the tip cannot be held, or nearly not.
  enum SingularityPolicy {
    TRUNCATION,  ///< they are left out: nu is the shortest that holds the others; E_DEGRADED where beta is missed
    PROXIMAL,    ///< the same nu by iteration, without a decision about rank
    DAMPING      ///< nu stays small, beta is missed a little
  };

  /// `root_acc`: the acceleration of the base as gravity makes it seem: (0, 0, +9.81) for a base that stands upright,
  /// the opposite of the other solvers' gravity. `nc`: columns of alfa, any number.
  ChainHdSolver_Vereshchagin(const Chain& chain, const Twist& root_acc, const unsigned int nc);
  ChainHdSolver_Vereshchagin(const ChainHdSolver_Vereshchagin& other);
  ~ChainHdSolver_Vereshchagin() override;

  /// Joints may be fixed anywhere. f_ext: acts on each segment, in the base's axes about the segment's tip. Results:
  /// q_dotdot, and in constraint_torques what the constraint contributes at each joint while the joints behind it move
  /// freely: KDL's number, not a torque to command (getMotorTorque()).
  ///   E_NOERROR     beta is met
  ///   E_DEGRADED    some directions cannot be met; the others are, and beta is met as well as it can be
  ///   E_UNDEFINED   a joint moves without inertia, or numbers are not finite: results are as they were
  ///   E_SIZE_MISMATCH, E_NOT_UP_TO_DATE, E_NOT_IMPLEMENTED (a joint of scale 0)
  int CartToJnt(const JntArray& q, const JntArray& q_dot, JntArray& q_dotdot, const Jacobian& alfa,
                const JntArray& beta, const Wrenches& f_ext, const JntArray& ff_torques, JntArray& constraint_torques);
  void updateInternalDataStructures() override;

  // Results of the last call. A size that does not fit is E_SIZE_MISMATCH in getError(), and nothing is written.
  /// ns + 1 accelerations, of the root and of each tip: spatial, in the base's axes at the tip, root_acc included.
  void getTransformedLinkAcceleration(Twists& x_dotdot);
  /// The inertia that each joint moves while the joints behind it are free, times its acceleration.
  void getTotalTorque(JntArray& total_tau);
  void getContraintForceMagnitude(Eigen::VectorXd& nu_) {
    if (check_size(static_cast<unsigned int>(nu_.size()), multipliers().rows()))
      for (unsigned int i = 0; i < multipliers().rows(); ++i) nu_(i) = multipliers()(i);
  }

  // Not in KDL.
  /// ff_torques - J^T alfa nu: what motors must give for q_dotdot, if they provide the constraint.
  void getMotorTorque(JntArray& torque);
  /// -alfa nu, at the tip in the base's axes: the wrench that the constraint puts on the last segment.
  Wrench getConstraintWrench() const;
  unsigned int getRank() const;  ///< independent directions among the columns of alfa
  /// The largest |alfa^T (X_dotdot + root_acc) - beta| of a row, over the sizes of the terms that it consists of.
  double getResidual() const;
  /// `regularisation` of PROXIMAL and DAMPING over the mean diagonal of the coupling matrix; 0: 1e-8, 1e-6.
  void setSingularityPolicy(SingularityPolicy policy, double regularisation = 0);
  /// Smallest angle between directions that counts [rad]; 0: 1e-11.
  void setSingularityTolerance(double angle);

 private:
  const JntArray& multipliers() const;
  bool check_size(unsigned int got, unsigned int expected) {
    if (got != expected) error = E_SIZE_MISMATCH;
    return got == expected;
  }
  std::unique_ptr<detail::HybridDynamics> dynamics_;
};

}  // namespace KDL
