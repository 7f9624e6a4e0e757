// SPDX-License-Identifier: BSD-3-Clause
// Solver: constrained forward (hybrid) dynamics by Gauss' principle of least constraint.
//
//   minimise Z = 1/2 |q'' - q''_free|^2_M   subject to   K a = beta,      M q'' + h = tau + J^T lambda
//
// lambda acts +K^T on the body; J^T lambda of `driver` rows is asked of the motors, of `physical` rows it is a reaction.
// Rows of the user are solved in the user's units: lambda least-norm, inconsistent rows in least squares, q'' then nearest the
// free motion in M.
#pragma once
#include <memory>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/dynamics/solve_report.hpp"

namespace zwang {

struct SolverImpl;

/// A vector of coordinates that somebody else owns: from any Eigen vector, std::vector or pointer and size.
class ConstVector {
 public:
  ConstVector() = default;
  ConstVector(const double* data, Index size) : data_(data), size_(size) {}
  ConstVector(const Eigen::VectorXd& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const Eigen::Ref<const Eigen::VectorXd>& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const VectorView& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  ConstVector(const std::vector<double>& v) : ConstVector(v.data(), static_cast<Index>(v.size())) {}
  const double* data() const { return data_; }
  Index size() const { return size_; }

 private:
  const double* data_ = nullptr;
  Index size_ = 0;
};

struct SolveInput {
  ConstVector q;
  ConstVector v;
  ConstVector tau = {};                 ///< feed-forward torques; empty: zeros
  const Externals* external = nullptr;  ///< wrenches from outside
};

struct SolverSettings {
  std::string method = "automatic";        ///< automatic, popov_vereshchagin
  double tolerance = 0;                    ///< relative rank tolerance on equilibrated rows; 0: 64 eps rows
  double feasibility = 1e-9;               ///< a row whose relative residual is larger is infeasible
  std::string singularity = "truncation";  ///< what is done about dependent rows
  JointEffects joint_effects = {};
};

/// The part of a solution that belongs to one constraint.
struct ConstraintSolution {
  VectorView multipliers;  ///< lambda, rows as given
  Eigen::Map<const Eigen::Matrix<double, 6, 1, Eigen::DontAlign>>
      wrench;           ///< on the body, axes of `in`, about the point
  VectorView residual;  ///< K a - beta, raw
};

/// Results of the last solve. Views, also those of a copy, show the last solve of the Solver that they came from. After a refused or
/// failed solve all numbers are 0.
class Solution {
 public:
  VectorView acceleration{nullptr, 0};  ///< q'' [nv]
  VectorView multipliers{nullptr, 0};   ///< lambda of all rows in order of insertion; 0 for inactive ones
  VectorView motor_torque{nullptr, 0};  ///< tau + J^T lambda of driver rows [nv]
  VectorView reaction{nullptr, 0};      ///< J^T lambda of physical rows [nv]
  VectorView articulated_constraint_torque{nullptr, 0};  ///< w^T lambda [nv]: KDL's quantity, not a torque to command
  VectorView residual{nullptr, 0};                       ///< K a - beta of all rows
  double zwang = 0;                                      ///< Z = 1/2 |q'' - q''_free|^2_M [J/s^2]
  SolveReport report;

  ConstraintSolution operator[](const std::string& constraint) const;

 private:
  friend class Solver;
  const SolverImpl* impl_ = nullptr;
};

/// One that was moved from may only be assigned to. Allocates everything when made; solve() allocates nothing unless a row is named in the report.
class Solver {
 public:
  Solver(const Model& model, const ConstraintSet& constraints);
  Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Throws std::invalid_argument naming the argument for wrong sizes and entries that are not finite. Numerical outcomes are in
  /// the report, never NaN with status ok.
  const Solution& solve(const SolveInput& input);
  /// The same without throwing: sizes and finiteness become a status.
  const Solution& try_solve(const SolveInput& input) noexcept;

  const Solution& solution() const;
  const Model& model() const;
  /// Velocities and accelerations of the last solve: for frame_velocity, frame_acceleration and the like, and for overrides of
  /// inertias, payloads and gravity.
  Data& data();
  const Data& data() const;
  /// (J M^-1 J^T)^+ of the active rows, rows x rows, from the last solve's factorisation.
  void operational_inertia(MatrixOut out) const;
  Index active_rows() const;

 private:
  void run(const SolveInput& input);
  std::unique_ptr<SolverImpl> impl_;
};

/// The methods that SolverSettings::method takes.
std::vector<std::string> methods();

}  // namespace zwang
