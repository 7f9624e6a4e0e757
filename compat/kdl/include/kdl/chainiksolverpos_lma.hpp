// SPDX-License-Identifier: BSD-3-Clause
// Joint values for a pose of the tip, by Levenberg and Marquardt's method with weights.
#pragma once
#include <Eigen/Dense>
#include <memory>

#include "chainiksolver.hpp"

namespace KDL {

namespace detail {
class LeastSquares;
}

/// Minimises |L e|, e = diff(tip, p_in) [m, rad] in base axes, L the diagonal matrix of weights; found where |L
/// e| < eps. Damping as Nielsen (1999). Where this ends elsewhere and all weights are above 0, a search with several
/// descents begins (zwang::SerialInverseKinematics, chains of 1 to 16 joints). No limits.
class ChainIkSolverPos_LMA : public ChainIkSolverPos {
 public:
  static constexpr int E_GRADIENT_JOINTS_TOO_SMALL = -100;
  static constexpr int E_INCREMENT_JOINTS_TOO_SMALL = -101;

  ChainIkSolverPos_LMA(const Chain& chain, const Eigen::Matrix<double, 6, 1>& L, double eps = 1E-5, int maxiter = 500,
                       double eps_joints = 1E-15);
  /// Weights 1 of positions and 0.01 of angles.
  explicit ChainIkSolverPos_LMA(const Chain& chain, double eps = 1E-5, int maxiter = 500, double eps_joints = 1E-15);
  ChainIkSolverPos_LMA(const ChainIkSolverPos_LMA& other);
  ~ChainIkSolverPos_LMA() override;

  /// E_GRADIENT_JOINTS_TOO_SMALL, E_INCREMENT_JOINTS_TOO_SMALL: q_out is a stationary point of |L e|, or nearly.
  /// E_MAX_ITERATIONS_EXCEEDED: q_out is the best that was seen.
  int CartToJnt(const JntArray& q_init, const Frame& T_base_goal, JntArray& q_out) override;
  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

  /// Of the last call: steps, |L e|, and of e the length of the linear and of the angular part.
  int lastNrOfIter = 0;
  double lastDifference = 0, lastTransDiff = 0, lastRotDiff = 0;
  VectorStorage lastSV;  ///< singular values of L J, where it ended
  // Of the last configuration: L J, its product with L e, and the tip.
  MatrixStorage jac;
  VectorStorage grad;
  Frame T_base_head;
  bool display_information = false;  ///< writes a line for each step to std::cout

  // Codes of these three are in getError().
  void compute_fwdpos(const Eigen::VectorXd& q);    ///< T_base_head
  void compute_jacobian(const Eigen::VectorXd& q);  ///< jac, without weights
  void display_jac(const JntArray& jval);           ///< writes the singular values of the Jacobian to std::cout

 private:
  void resize();
  void finish(const Eigen::Matrix<double, 6, 1>& e);
  int move(const JntArray& q);
  void read_jacobian();
  void weigh();
  int take(const Eigen::VectorXd& q);
  int descend(const Frame& goal, JntArray& q);
  Eigen::Matrix<double, 6, 1> difference(const Frame& goal) const;
  std::unique_ptr<detail::LeastSquares> squares_;
  double weights_[6];
  double eps_, eps_joints_;
  int maxiter_;
  JntArray step_, next_;
};

}  // namespace KDL
