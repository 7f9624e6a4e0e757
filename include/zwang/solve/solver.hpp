// SPDX-License-Identifier: BSD-3-Clause
// Solver: constrained forward (hybrid) dynamics by Gauss' principle of least constraint.
//
//   minimise Z = 1/2 |q'' - q''_free|^2_M   subject to   K a = beta,      M q'' + h = tau + J^T lambda
//
// lambda acts +K^T on the body. J^T lambda of `driver` rows must come from the motors, of `physical` rows it
// is a reaction. Rows are solved in the user's units: lambda is least-norm, inconsistent rows are met in
// least squares, and q'' is then nearest to the free motion in the metric of M. Rows may have a sense, K
// a >= beta with lambda >= 0, and a limit |lambda| <= L, motors may have limits (docs/inequalities.md): the
// solve finds which rows hold, and which give way.
#pragma once
#include <memory>

#include "zwang/certify/solve_report.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/const_vector.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/factor/methods.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang {

struct SolverParts;
struct SolutionDerivatives;
struct GradientParts;
struct SolutionGradient;
struct SolutionVariation;
struct GradientVariation;
struct InputGradient;
struct InputVariation;
struct KeptSolution;
struct ImpulseInput;
struct ImpulseParts;
class Impulse;
struct ImpulseDerivatives;
struct ImpulseGradient;
struct ImpulseInputGradient;
struct ImpulseInputVariation;
struct ImpulseVariation;

/// The state, the torques, and what acts from outside.
struct SolveInput {
  ConstVector q;
  ConstVector v = {};                      ///< empty: at rest
  ConstVector tau = {};                    ///< feed-forward torques; empty: zeros. Not read at prescribed coordinates.
  const Externals* external = nullptr;     ///< external wrenches
  const Prescribed* prescribed = nullptr;  ///< coordinates whose accelerations are given
};

/// The inputs that may differ between solves with one factorisation.
struct ResolveInput {
  ConstVector tau = {};
  const Externals* external = nullptr;
  const Prescribed* prescribed = nullptr;  ///< the same coordinates as in solve()
};

/// The part of a solution that belongs to one constraint.
struct ConstraintSolution {
  VectorView multipliers;  ///< lambda, in the order of the rows
  /// On the body, in the axes of `in`, about the point.
  VectorView wrench;
  VectorView residual;                        ///< K a - beta, raw (soft rows: -R lambda)
  VectorView position_error, velocity_error;  ///< as in Solution
  double power;                               ///< of the multipliers: sum of lambda phi' [W]
};

/// Net wrench and power of the constraints of a group.
struct GroupSolution {
  Force<double> wrench;  ///< on the robot [force; moment], world axes; forces between its bodies cancel
  double power;          ///< of their multipliers [W]
};

/// Results of the last solve of a Solver, which its views show as long as the Solver is there. A copy keeps numbers and
/// names of its own: later solves, changes of the set and the end of the Solver do not reach it. After a refused or
/// failed solve all numbers are 0. A Solution made by its default constructor has no constraints: operator[] and
/// group() throw std::logic_error.
class Solution {
 public:
  Solution();
  Solution(const Solution& other);  ///< allocates
  Solution& operator=(const Solution&) = delete;
  ~Solution();

  VectorView acceleration{nullptr, 0};  ///< q'' [nv]
  VectorView multipliers{nullptr, 0};   ///< lambda of all rows in order of insertion; 0 for inactive ones
  /// tau + J^T lambda of driver rows [nv]; at prescribed coordinates the torque that gives the prescribed acceleration.
  VectorView motor_torque{nullptr, 0};
  VectorView reaction{nullptr, 0};  ///< J^T lambda of physical rows [nv]
  /// w^T lambda of the rows that a joint still carries [nv]: KDL's constraint torque if all rows go to the root. Not a
  /// torque to command.
  VectorView articulated_constraint_torque{nullptr, 0};
  VectorView residual{nullptr, 0};  ///< K a - beta of all rows
  /// phi - target of all rows; NaN if a row has no position error: a frame without a target, or a velocity row.
  VectorView position_error{nullptr, 0};
  VectorView velocity_error{nullptr, 0};  ///< phi' - target_velocity of all rows
  /// Z = 1/2 |q'' - q''_free|^2_M [J/s^2]. q''_free: no rows, prescribed coordinates as prescribed.
  double zwang = 0;
  SolveReport report;

  ConstraintSolution operator[](const std::string& constraint) const;
  /// Of a group of the set; `about`: the reference point of moments, in the world. Zeros after a failed solve.
  GroupSolution group(const std::string& group, const Vec3<double>& about = Vec3<double>::zero()) const;

 private:
  friend class Solver;
  const SolverParts* parts_ = nullptr;        ///< of the solver whose solution this is
  std::shared_ptr<const KeptSolution> kept_;  ///< of a copy
};

/// After a move the source may only be assigned to: every other call throws std::logic_error, and try_solve returns
/// invalid_input. The same holds for calls by custom rows that the solver is evaluating. Allocates all memory at
/// construction; solve(), resolve() and all functions with an output argument allocate nothing. The first solve after
/// the first sense, limit or limit of a motor was given to a solver without one does.
class Solver {
 public:
  Solver(const Model& model, const ConstraintSet& constraints);
  Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Throws std::invalid_argument naming the argument for wrong sizes and entries that are not finite; UnsupportedError
  /// for a combination of settings that the method does not support. Numerical problems are in the report, never
  /// NaN with status ok.
  const Solution& solve(const SolveInput& input);
  /// The same without exceptions: wrong sizes, entries that are not finite and unsupported combinations become a
  /// status. A solver that was moved from, or is solving already, returns an empty Solution with `invalid` "solver".
  const Solution& try_solve(const SolveInput& input) noexcept;

  /// Solves another right-hand side with the factorisation of the last solve: same state, rows and prescribed
  /// coordinates. beta, priority, compensate and weights are read from the set, singularity from the settings, as they
  /// are now. Cost O(n rows) instead of a sweep. Joint effects stay those of the last solve; without `external` there
  /// are no wrenches. Throws std::logic_error if the last solve left no factorisation, WorkspaceMismatch if other rows
  /// are active now. Where rows have a sense or a limit, others may hold now: it is a solve.
  const Solution& resolve(const ResolveInput& input = {});
  /// Many right-hand sides on the last factorisation, one per column: tau (nv x k) and beta (rows of the set x k;
  /// inactive rows are not read) give accelerations (nv x k) and multipliers (rows of the set x k). External wrenches
  /// and prescribed accelerations are those of the last solve. A column equals the result of resolve(), without a
  /// report. Rows with a sense or a limit stay as in the last solve: released, or at their limit.
  void solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers);

  /// The change of velocity in a shock (question/impulse.hpp), by the method and the settings of the solver. It
  /// allocates in its first call, and in the first with a model of restitution other than Newton's; it has a workspace
  /// of its own: the last solution and its factorisation stay. Inertias and payloads are those of data(). Throws as
  /// solve() does, also for restitution outside [0, 1].
  const Impulse& impulse(const ImpulseInput& input);
  /// The same without exceptions, as try_solve.
  const Impulse& try_impulse(const ImpulseInput& input) noexcept;
  /// Derivatives of the last impulse; they allocate as derivatives() does. std::logic_error if there is none.
  const ImpulseDerivatives& impulse_derivatives();
  /// The gradient of a scalar of the last impulse by its inputs. Cost one right-hand side.
  const ImpulseInputGradient& impulse_vjp(const ImpulseGradient& of);
  /// How the last impulse varies along a direction of its inputs. Cost one right-hand side.
  const ImpulseVariation& impulse_jvp(const ImpulseInputVariation& along);

  const Solution& solution() const;
  const Model& model() const;
  SolverSettings& settings();  ///< checked by the next solve
  const SolverSettings& settings() const;
  /// Velocities and accelerations of the last solve, for frame_velocity, frame_acceleration and similar functions; also
  /// for overrides of inertias, payloads and gravity.
  Data& data();
  const Data& data() const;
  Index active_rows() const;

  /// The wrench that the joint above a link transmits to it in the last solution, in the link's axes about its origin:
  /// the reading of a force-torque sensor in the joint. It includes constraint and external wrenches.
  Force<double> joint_wrench(LinkId child) const;
  /// The same for every joint of model.joints(), one column each, 6 x joints; zeros for merged fixed joints. Cost O(n).
  void joint_wrenches(MatrixOut out) const;
  /// J of the active rows, rows x nv, in the user's order, of the last solve. Its acceleration a satisfies
  /// J a = constraint_target for hard rows and J a + R lambda = constraint_target for soft rows. With mass_matrix() and
  /// bias_forces() this is the whole problem.
  void constraint_jacobian(MatrixOut out) const;
  /// beta with its stabilisation, minus J' v, of the active rows.
  void constraint_target(VectorOut out) const;
  /// q''_free [nv]: the acceleration of the last solve's state without rows, prescribed coordinates as prescribed.
  /// Gauss' function of the solution is Z = 1/2 |q'' - q''_free|^2_M. Allocates scratch, cost O(n). Throws
  /// SingularMassError where a coordinate has no inertia of its own.
  void free_acceleration(VectorOut out) const;
  /// (J M^-1 J^T)^+ of the active rows, rows x rows, from the last solve's factorisation. Here and below M includes the
  /// soft rows, and prescribed coordinates are held.
  void operational_inertia(MatrixOut out);
  /// M^-1 J^T (J M^-1 J^T)^+, nv x rows: the accelerations of least constraint for unit right-hand sides of the rows.
  void dynamic_pseudo_inverse(MatrixOut out);
  /// 1 - M^-1 J^T (J M^-1 J^T)^+ J, nv x nv: projects an acceleration onto the part that does not change the rows.
  void nullspace_projector(MatrixOut out);

  // Derivatives of the last solution (question/derivatives.hpp). They allocate in their first call, and in the first
  // after the set has got more rows. std::logic_error if the last solve left no factorisation; WorkspaceMismatch if
  // other rows are active now, or a time_constant or damping_ratio has changed; std::invalid_argument naming a vector
  // of the wrong size or an entry that is not finite. What cannot be differentiated is the status `not_differentiable`.
  /// By q, v, tau and beta. Cost that of inverse dynamics' derivatives and of eliminating small dense matrices, among
  /// them J M^-1 J^T, or, where rows are soft or (nearly) depend on each other, of 3 nv + rows right-hand sides.
  const SolutionDerivatives& derivatives();
  /// The gradient of a scalar by all inputs, from its gradient by the solution. Cost one right-hand side, O(n + m d).
  const InputGradient& vjp(const SolutionGradient& of, const GradientParts& wrt);
  const InputGradient& vjp(const SolutionGradient& of);  ///< by all
  /// How the solution varies along a direction of the inputs. Cost one right-hand side, O(n + m d).
  const SolutionVariation& jvp(const InputVariation& along);
  /// How the gradient of a scalar varies along a direction of the inputs: the scalar's Hessian times the
  /// direction. By dual numbers, exact to rounding; cost three right-hand sides, O(n + m d). Multipliers of
  /// dependent rows have none: not_differentiable.
  const GradientVariation& hvp(const InputVariation& along, const SolutionGradient& of);

 private:
  template <class T> friend class BasicBatchSolver;
  template <class T> friend class BasicBatchDerivatives;
  /// The bits of the next solve depend on its input alone: what earlier states have taught about dependent rows, which
  /// chooses the factor to begin with, no longer counts.
  void forget_states();
  static ImpulseParts& impulse_parts(SolverParts& parts);

  Owned<SolverParts> parts_;
};

}  // namespace zwang
