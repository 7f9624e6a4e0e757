// SPDX-License-Identifier: BSD-3-Clause
// Solver: constrained forward (hybrid) dynamics by Gauss' principle of least constraint.
//
//   minimise Z = 1/2 |q'' - q''_free|^2_M   subject to   K a = beta,      M q'' + h = tau + J^T lambda
//
// lambda acts +K^T on the body; J^T lambda of `driver` rows is asked of the motors, of `physical` rows it is a
// reaction. Rows of the user are solved in the user's units: lambda least-norm, inconsistent rows in least squares, q''
// then nearest the
// free motion in M.
#pragma once
#include <memory>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/dynamics/solve_report.hpp"

namespace zwang {

struct SolverParts;

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

/// A coordinate whose acceleration is given; its torque is what the solve finds.
struct PrescribedCoordinate {
  Index v = 0;              ///< of the model's velocity
  double acceleration = 0;  ///< [rad/s^2, m/s^2]
};
using Prescribed = std::vector<PrescribedCoordinate>;
/// Adds the coordinates of a joint (as many values as it has), or one coordinate by its name (`root_joint[0]`). Throws
/// std::invalid_argument naming what is wrong: unknown name, wrong count, twice the same, a joint that mimics another.
void prescribe(const Model& model, Prescribed& list, const std::string& name, const std::vector<double>& acceleration);

struct SolveInput {
  ConstVector q;
  ConstVector v = {};                      ///< empty: at rest
  ConstVector tau = {};                    ///< feed-forward torques; empty: zeros. Not read at prescribed coordinates.
  const Externals* external = nullptr;     ///< wrenches from outside
  const Prescribed* prescribed = nullptr;  ///< coordinates whose accelerations are given
};

/// What may differ between solves on one factorisation.
struct ResolveInput {
  ConstVector tau = {};
  const Externals* external = nullptr;
  const Prescribed* prescribed = nullptr;  ///< the same coordinates as in solve()
};

/// What is done about rows that depend on each other, or nearly so.
enum class Singularity {
  truncation,  ///< rank revealed; lambda least-norm, inconsistent rows in least squares, in the rows' own units
  proximal,    ///< (Lambda + mu) lambda' = b + mu lambda until it settles: the same answer without a rank decision
  damping,     ///< (Lambda + mu) lambda = b: bounded multipliers, rows are missed by mu lambda
  weighted,    ///< truncation in the metric of the constraints' weights
};
/// `truncation`, `proximal`, `damping`, `weighted`.
Singularity singularity_of(const std::string& word);
const char* name_of(Singularity s);

/// All but `spare_rows` may change between solves.
struct SolverSettings {
  std::string method = "automatic";  ///< one of methods()
  double tolerance = 0;              ///< relative rank tolerance of Lambda on equilibrated rows; 0: 64 eps rows
  double feasibility = 1e-9;         ///< a row whose relative residual is larger is not held
  Singularity singularity = Singularity::truncation;
  double regularisation = 0;  ///< mu of damping and proximal over the mean of Lambda's diagonal; 0: 1e-6 and 1e-8
  int max_iterations = 200;   ///< of proximal, constrained_aba and loop_aba
  JointEffects joint_effects = {};
  Index spare_rows = 0;  ///< room for rows added to the set after the solver was made
};

/// The part of a solution that belongs to one constraint.
struct ConstraintSolution {
  VectorView multipliers;  ///< lambda, rows as given
  Eigen::Map<const Eigen::Matrix<double, 6, 1, Eigen::DontAlign>>
      wrench;                                 ///< on the body, axes of `in`, about the point
  VectorView residual;                        ///< K a - beta, raw (soft rows: -R lambda)
  VectorView position_error, velocity_error;  ///< as in Solution
  double power;                               ///< of its multipliers: sum of lambda phi' [W]
};

/// What the constraints of a group do together.
struct GroupSolution {
  Force<double> wrench;  ///< on the robot [force; moment], world axes; what acts between its bodies adds up to zero
  double power;          ///< of their multipliers [W]
};

/// Results of the last solve. Views, also those of a copy, show the last solve of the Solver that they came from. After
/// a refused or failed solve all numbers are 0.
class Solution {
 public:
  VectorView acceleration{nullptr, 0};  ///< q'' [nv]
  VectorView multipliers{nullptr, 0};   ///< lambda of all rows in order of insertion; 0 for inactive ones
  VectorView motor_torque{nullptr,
                          0};  ///< tau + J^T lambda of driver rows [nv]; at prescribed coordinates what moves them so
  VectorView reaction{nullptr, 0};  ///< J^T lambda of physical rows [nv]
  /// w^T lambda of the rows that a joint still carries [nv]: with all rows at the root KDL's quantity, not a torque to
  /// command
  VectorView articulated_constraint_torque{nullptr, 0};
  VectorView residual{nullptr, 0};  ///< K a - beta of all rows
  /// phi - target of all rows; NaN where a row has no position error: accelerations of a frame without a target, rows
  /// of velocities alone.
  VectorView position_error{nullptr, 0};
  VectorView velocity_error{nullptr, 0};  ///< phi' - target_velocity of all rows
  double zwang =
      0;  ///< Z = 1/2 |q'' - q''_free|^2_M [J/s^2], q''_free: without rows, prescribed coordinates as prescribed
  SolveReport report;

  ConstraintSolution operator[](const std::string& constraint) const;
  /// Of a group of the set; `about`: the point of the world that moments are about. Zeros after a failed solve.
  GroupSolution group(const std::string& group, const Vec3<double>& about = Vec3<double>::zero()) const;

 private:
  friend class Solver;
  const SolverParts* parts_ = nullptr;
};

/// One that was moved from may only be assigned to. Allocates everything when made; solve(), resolve() and everything
/// that takes an output allocate nothing.
class Solver {
 public:
  Solver(const Model& model, const ConstraintSet& constraints);
  Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Throws std::invalid_argument naming the argument for wrong sizes and entries that are not finite; UnsupportedError
  /// for a combination of settings that the method cannot do. Numerical outcomes are in the report, never NaN with
  /// status ok.
  const Solution& solve(const SolveInput& input);
  /// The same without throwing: sizes, finiteness and combinations become a status.
  const Solution& try_solve(const SolveInput& input) noexcept;

  /// Another right-hand side at the state, rows and prescribed coordinates of the last solve, on its factorisation:
  /// beta, priority, compensate and weights as the set has them now, singularity as the settings have it now. O(n rows)
  /// instead of a sweep.
  /// Throws std::logic_error where the last solve left no factorisation, WorkspaceMismatch where other rows are active
  /// now.
  /// Joint effects stay those of the solve; without `external` there are no wrenches.
  const Solution& resolve(const ResolveInput& input = {});
  /// Many right-hand sides on the last factorisation, a column each: tau (nv x k), beta (rows of the set x k, inactive
  /// ones are not read) to accelerations (nv x k) and multipliers (rows of the set x k). External wrenches and
  /// prescribed accelerations are
  /// those of the last solve. A column equals what resolve() would give, without a report.
  void solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers);

  const Solution& solution() const;
  const Model& model() const;
  SolverSettings& settings();  ///< checked by the next solve
  const SolverSettings& settings() const;
  /// Velocities and accelerations of the last solve: for frame_velocity, frame_acceleration and the like, and for
  /// overrides of inertias, payloads and gravity.
  Data& data();
  const Data& data() const;
  Index active_rows() const;

  /// The wrench that the joint above a link transmits to it in the last solution, in the link's axes about its origin:
  /// what a force-torque sensor in the joint reads. Constraint and external wrenches are counted.
  Force<double> joint_wrench(LinkId child) const;
  /// That of every joint of model.joints(), a column each, 6 x joints; zeros for merged fixed joints. Cost O(n).
  void joint_wrenches(MatrixOut out) const;
  /// J of the active rows, rows x nv, in the user's order, as the last solve held them; the acceleration a that it found
  /// satisfies J a = constraint_target, soft rows less R lambda. With mass_matrix() and bias_forces() these are the
  /// matrices of the problem.
  void constraint_jacobian(MatrixOut out) const;
  /// beta with its stabilisation, less J' v, of the active rows.
  void constraint_target(VectorOut out) const;
  /// (J M^-1 J^T)^+ of the active rows, rows x rows, from the last solve's factorisation. Soft rows are part of M here
  /// and below, prescribed coordinates are held.
  void operational_inertia(MatrixOut out);
  /// M^-1 J^T (J M^-1 J^T)^+, nv x rows: the accelerations of least constraint that the rows ask for.
  void dynamic_pseudo_inverse(MatrixOut out);
  /// 1 - M^-1 J^T (J M^-1 J^T)^+ J, nv x nv: what of an acceleration the rows do not see.
  void nullspace_projector(MatrixOut out);

 private:
  std::unique_ptr<SolverParts> parts_;
};

/// The names that SolverSettings::method takes. describe_method() says what each method does, docs/hybrid-dynamics.md
/// compares them.
///
/// `automatic` and the methods of the Popov-Vereshchagin sweep take every problem (`pv_soft` needs a compliance of every
/// row). The methods on the matrices M and J, and those that walk the tree by themselves, know the singularity policy
/// truncation alone, no levels, and no rows that leave a driver uncompensated; `constrained_aba` and `loop_aba` know no
/// mimic joints. UnsupportedError names the method and the constraint or joint that it cannot do.
/// Every method keeps its factor for resolve(), solve_columns() and the operators. A solver that was made with another
/// method allocates when it first uses one that has a workspace of its own.
std::vector<std::string> methods();
/// What a method does, in a line; throws std::invalid_argument with the nearest name.
std::string describe_method(const std::string& name);

}  // namespace zwang
