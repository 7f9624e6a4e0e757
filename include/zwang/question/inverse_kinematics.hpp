// SPDX-License-Identifier: BSD-3-Clause
// InverseKinematics: configurations that bring frames of a robot to poses, while constraints hold.
//
//   find q with   rows of each target and of the constraint set hold,   lower <= q <= upper,   fixed joints as in q0
// On chains of joints of one freedom from the ground, targets and fixed joints alone are searched for by damped Newton
// steps, without an assembly (`serial`): one target by SerialInverseKinematics in microseconds; up to four targets, and
// joints that mimic others, by the same steps on all coordinates together (kernels/joined_chains.hpp) in some ten
// microseconds. Everything else (other joints, closed loops, rows of any constraint, weights, a posture), and what the
// steps did not find, is a problem of assembly: targets become constraints of frames, and the Assembler finds the
// nearest configuration. It begins at the posture, or q0; where rows do not meet from there, at the joint values that
// the search on each target's own chain finds; then at random steps from q0.
#pragma once
#include <string>
#include <vector>

#include "zwang/algorithm/serial_inverse_kinematics.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"

namespace zwang {

/// A frame and the pose that it shall have in the world.
struct PoseTarget {
  std::string frame = {};
  Transform<double> pose = Transform<double>::identity();
  RowSelection rows = zwang::rows("all");  ///< which of the six errors count
  std::string in = "local_world_aligned";  ///< their axes: this, `local`, or a frame fixed in the world
};

/// How exactly the targets are met, what is kept, and how long is searched.
struct InverseKinematicsSettings {
  /// [m, rad] of the error of each row that is asked for, see `error`; > 0.
  /// What rounding leaves of positions does not count: 8 eps of the farthest coordinate, of the target or of a body
  /// that carries the frame.
  double tolerance = 1e-8;
  bool limits = true;
  std::vector<std::string> fixed = {};  ///< joints, or coordinates, that keep the values of q0
  /// [nv] >= 0: of the solutions the one nearest to q0, or to the posture, where a coordinate with a larger weight
  /// moves less; equal ones count, too. Empty: chains take the solution that they find first, everything else ones.
  std::vector<double> weights = {};
  std::vector<double> posture = {};  ///< [nq] the configuration to stay near; empty: q0
  int attempts = 30;                 ///< random starts where rows do not meet
  int max_iterations = 3000;         ///< steps of the assembly
  int solutions = 1;                 ///< of the chain of a single target: the nearest to q0 of so many
  double limit_margin = 0;           ///< [rad, m] joints stay so far within their limits, as AssemblySettings says
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<InverseKinematicsSettings>) {
  using T = InverseKinematicsSettings;
  v.record("InverseKinematicsSettings", "How joint values are searched.");
  v("tolerance", &T::tolerance, "[m, rad] of each row that is asked for");
  v("limits", &T::limits, "stay within those of the joints");
  v("fixed", &T::fixed, "joints that keep the values of q0");
  v("weights", &T::weights, "one per coordinate, larger ones move less");
  v("posture", &T::posture, "the configuration to stay near; empty: q0");
  v("attempts", &T::attempts, "random starts where rows do not meet");
  v("max_iterations", &T::max_iterations, "steps of the assembly");
  v("solutions", &T::solutions, "of the chain of one target, the nearest of so many");
  v("limit_margin", &T::limit_margin, "[rad, m] within the limits");
}

/// Views of the solver's memory, until its next call or its end.
struct InverseKinematicsSolution {
  VectorView q{nullptr, 0};  ///< [nq]
  PoseStatus status = PoseStatus::not_converged;
  std::vector<double> errors = {};  ///< six for each target: p_t - p [m], rotation vector of R_t R^T [rad], world axes
  /// The largest error of a row that is asked for, in its axes, over the length of the row: of a linear one [m], of an
  /// angular one the entry of the rotation vector [rad]; of two angular ones the angle between the axes that they hold.
  double error = 0;
  double residual = 0;                                 ///< of the rows of targets and constraints, as in AssemblyReport
  double gradient = 0;                                 ///< with nearest_found, as in SerialSolution or AssemblyReport
  std::vector<std::string> unmet = {}, at_limit = {};  ///< rows that do not hold; coordinates that a limit holds back
  bool serial = false;                                 ///< found on the chains of the targets, without an assembly
  bool out_of_reach = false;                           ///< a bound proves that no configuration reaches the target
  int iterations = 0;                                  ///< evaluations of chains, or steps of the assembly
  std::string explain() const;
};

/// Where a search begins that is given no q0: the neutral configuration,
/// with the coordinates that it has beyond limits put on them.
void default_start(const Model& model, Eigen::Ref<Eigen::VectorXd> out);
template <class Vector = Eigen::VectorXd> Vector default_start(const Model& model) {
  Vector out(model.nq());
  default_start(model, out);
  return out;
}

struct InverseKinematicsImpl;

class InverseKinematics {
 public:
  /// `constraints` (may be nullptr) is copied. Throws std::invalid_argument for no targets, unknown frames, settings,
  /// and what ConstraintSet and Assembler refuse; WorkspaceMismatch for a set of another model.
  InverseKinematics(const Model& model, const std::vector<PoseTarget>& targets,
                    const ConstraintSet* constraints = nullptr, const InverseKinematicsSettings& settings = {});
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;
  ~InverseKinematics();

  /// With the poses of the targets as given.
  const InverseKinematicsSolution& solve(VectorIn q0);
  /// With other poses, in the order of the targets. Chains allocate nothing; the general way makes an Assembler.
  const InverseKinematicsSolution& solve(const std::vector<Transform<double>>& poses, VectorIn q0);

  bool is_serial() const;  ///< whether the chain of one target is all there is to solve
  const Model& model() const;
  Index targets() const;

 private:
  Owned<InverseKinematicsImpl> impl_;
};

// --- the same with fresh results ------------------------------------------------------------------------------

/// The configuration that was found, and its report.
template <class Vector = Eigen::VectorXd> struct InverseKinematicsResult {
  Vector q;
  InverseKinematicsSolution solution;  ///< its q is the view of nothing
};
/// One solve with an InverseKinematics of its own, which is allocated in every call.
template <class Vector = Eigen::VectorXd>
InverseKinematicsResult<Vector> inverse_kinematics(const Model& model, const std::vector<PoseTarget>& targets,
                                                   VectorIn q0, const ConstraintSet* constraints = nullptr,
                                                   const InverseKinematicsSettings& settings = {}) {
  InverseKinematics ik(model, targets, constraints, settings);
  const InverseKinematicsSolution& s = ik.solve(q0);
  InverseKinematicsResult<Vector> r{s.q, s};
  new (&r.solution.q) VectorView(nullptr, 0);
  return r;
}

}  // namespace zwang
