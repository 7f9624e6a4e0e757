// SPDX-License-Identifier: BSD-3-Clause
// HybridDynamics: a chain and a zwang::Solver with one constraint, on the tip of the last segment.
#pragma once
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <optional>
#include <zwang/solve/solver.hpp>

#include "robot.hpp"

namespace KDL::detail {

class HybridDynamics {
 public:
  HybridDynamics(const Chain& chain, const Twist& root_acc, unsigned int nc);
  HybridDynamics(const HybridDynamics& other);
  void rebuild();

  Robot& robot() { return robot_; }
  unsigned int rows() const { return nc_; }
  /// Follows the chain. Codes of SolverI.
  int refresh();
  /// Arguments have the right sizes.
  int solve(const JntArray& q, const JntArray& q_dot, const Jacobian& alfa, const JntArray& beta, const Wrenches& f_ext,
            const JntArray& ff_torques);
  const zwang::Solution& solution() const { return solver_->solution(); }
  bool has_solution() const { return has_solution_; }
  const JntArray& multipliers() const { return nu_; }  ///< nu = -lambda
  const JntArray& accelerations() const { return q_dotdot_; }

  void accelerations(std::vector<Twist>& out);
  void total_torque(JntArray& out);
  void motor_torque(JntArray& out) const;
  Wrench wrench() const;
  void set(zwang::Singularity policy, double regularisation);
  void set_tolerance(double angle);

 private:
  void apply_settings();
  void renew();
  void take_rows(const Jacobian& alfa, const JntArray& beta, const Twist& root_at_tip);
  void take_wrenches(const Wrenches& f_ext);
  zwang::SolverSettings settings_ = {.method = "popov_vereshchagin"};
  Robot robot_;
  Twist root_acc_;
  bool turns_;  ///< root_acc has an angular part
  unsigned int nc_, version_ = 0, inertia_version_ = 0;
  std::optional<zwang::ConstraintSet> set_;
  std::optional<zwang::Solver> solver_;
  zwang::Constraint* constraint_ = nullptr;  ///< of set_
  zwang::Externals external_;
  std::vector<double> rows_;  ///< alfa^T, row by row, as the constraint has it
  std::vector<double> beta_;
  std::vector<double> root_;         ///< alfa^T root_acc at the tip
  std::vector<unsigned char> asks_;  ///< for each column of alfa: it is not zero
  bool has_rows_ = false;            ///< rows_ are those of a call
  JntArray nu_, q_dotdot_;
  bool has_solution_ = false;
};

}  // namespace KDL::detail
