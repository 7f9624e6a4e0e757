// SPDX-License-Identifier: BSD-3-Clause
// Assembly: configurations and velocities that satisfy a constraint set.
//
//   position    minimise 1/2 |q (-) q0|^2_W  subject to  phi(q) = target,  lower <= q <= upper,  fixed joints as in q0
//   velocity    minimise 1/2 |v - v0|^2_W    subject to  J v = target_velocity,                  fixed joints as in v0
//
// q (-) q0: the increment that leads from q0 to q on the joints' groups, so that quaternions stay of unit length.
// W: a weight for each coordinate, or the mass matrix, M(q0) for positions and M(q) for velocities. All active
// rows must hold, whatever their priority; soft rows are springs and take no part. Of positions take part the
// rows that have a position error and a wanted value for it: loops, distances, couplings, frames and contacts
// with a target, rolling rows along the normal, custom rows with phi; the centre of mass and coordinates where a
// target or posture is given. Of velocities all.
#pragma once
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/question/assembly_report.hpp"

namespace zwang {

/// What is kept, how distances are measured, and how long is searched.
struct AssemblySettings {
  /// Joints, or coordinates q' = v of joints (`Model::coordinate_names()`), that keep their values to the bit.
  std::vector<std::string> fixed = {};
  /// [nv] >= 0, not all zero: a coordinate with a larger weight moves less. Empty: ones. 0 counts as 1e-6 of the
  /// largest: the coordinate moves freely.
  std::vector<double> weights = {};
  bool kinetic = false;      ///< W is the mass matrix, instead of `weights`
  bool limits = true;        ///< q stays within the limits of the joints; those of fixed joints do not count
  double tolerance = 1e-12;  ///< largest residual of `ok`, see AssemblyReport::residual; > 0
  int max_iterations = 100;  ///< steps in all, >= 1
  /// Starts besides q0, each further away, where rows do not meet from q0. 0: only the neighbourhood of q0 is searched.
  int attempts = 8;
  /// [rad, m] q stays so far within the limits; a range narrower than twice that is left its middle. >= 0
  double limit_margin = 0;
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<AssemblySettings>) {
  using T = AssemblySettings;
  v.record("AssemblySettings", "How configurations and velocities are searched.");
  v("fixed", &T::fixed, "joints or coordinates that keep their values");
  v("weights", &T::weights, "one per coordinate, larger ones move less");
  v("kinetic", &T::kinetic, "the kinetic metric instead of weights");
  v("limits", &T::limits, "stay within those of the joints");
  v("tolerance", &T::tolerance, "largest residual of ok");
  v("max_iterations", &T::max_iterations, "steps in all");
  v("attempts", &T::attempts, "random starts besides q0 where the rows do not meet");
  v("limit_margin", &T::limit_margin, "[rad, m] within the limits");
}

/// Views of the Assembler's memory, until its next call or its end.
struct Assembly {
  VectorView q{nullptr, 0};  ///< [nq]
  VectorView v{nullptr, 0};  ///< [nv]; empty after assemble()
  AssemblyReport report;
};

struct AssemblerImpl;
class AssemblyPathWalk;
class BatchAssembler;

/// Settings and workspace for one model and one set. Allocates at construction; its calls do not. Follows the set:
/// switches and targets are used from the next call on. After a move the source may only be assigned to.
/// Calls throw std::invalid_argument naming the argument for wrong sizes and entries that are not finite, and what the
/// set throws where it is not valid. Numerical outcomes are in the report.
class Assembler {
 public:
  /// Throws WorkspaceMismatch where the set was made for another model, std::invalid_argument for
  /// settings: unknown names with the nearest one, one coordinate of a joint whose coordinates
  /// turn with it (fix the whole joint), weights.
  Assembler(const Model& model, const ConstraintSet& constraints, const AssemblySettings& settings = {});
  Assembler(Assembler&&) noexcept;
  Assembler& operator=(Assembler&&) noexcept;
  ~Assembler();

  /// The configuration nearest to q0. A q0 that satisfies everything is returned as it is.
  const Assembly& assemble(VectorIn q0);
  /// The velocity nearest to v0 at q, which is not moved.
  const Assembly& assemble_velocity(VectorIn q, VectorIn v0);
  /// Both, for a state that an integrator has left: assemble(q), then assemble_velocity there. With the mass matrix as
  /// W, and no target velocities, the kinetic energy falls by exactly 1/2 |v - v0|^2_M.
  const Assembly& project(VectorIn q, VectorIn v);

  const AssemblySettings& settings() const;
  const Model& model() const;
  Data& data();  ///< for overrides of inertias and payloads, which the centre of mass and `kinetic` see

 private:
  friend class AssemblyPathWalk;
  friend class BatchAssembler;
  // Of numbers that have been checked.
  const Assembly& assemble(const double* q0);
  const Assembly& assemble_velocity(const double* q, const double* v0);
  const Assembly& project(const double* q, const double* v);
  Owned<AssemblerImpl> impl_;
};

/// How a step of a path ended.
struct AssemblyPathStep {
  Status status = Status::stopped;                      ///< stopped: the path ended before
  double residual = 0, distance = 0, conditioning = 1;  ///< as in AssemblyReport; distance: from the step before
  Index rank = 0;
  int parts = 0;  ///< into which the step was divided, so that the rows turn little in each
  /// The product of the cosines between the rows here and at the step before, with the sign of det(J W^-1 J_before^T),
  /// the smallest of the parts. Below 0 the mechanism has passed a singular configuration, or jumped to another branch.
  double alignment = 1;
  bool turned() const { return !(alignment > 0); }
};

/// Follows targets of one constraint: q column k is nearest to column k - 1 and satisfies the set with the target
/// `targets` column k (rows of the constraint x steps); column 0 is assembled from q0. Between two columns the target
/// is interpolated where the rows turn too far, down to 1/1024 of the step. Ends at the first step that is not ok:
/// later columns repeat its configuration, with the status `stopped`. The set is not changed. Returns the number of
/// steps that are ok. Throws std::invalid_argument for sizes and what Assembler refuses.
Index assemble_path(const Model& model, const ConstraintSet& constraints, VectorIn q0, const std::string& constraint,
                    MatrixIn targets, MatrixOut q, std::vector<AssemblyPathStep>& steps,
                    const AssemblySettings& settings = {});

// --- the same with fresh results ------------------------------------------------------------------------------
// Names in the report are views into the constraints of the set.

/// What assemble, assemble_velocity and project return.
template <class Vector = Eigen::VectorXd> struct AssembledState {
  Vector q, v;  ///< v is empty after assemble()
  AssemblyReport report;
};
namespace detail {
template <class Vector> AssembledState<Vector> copy_of(const Assembly& a) { return {a.q, a.v, a.report}; }
}  // namespace detail

template <class Vector = Eigen::VectorXd> AssembledState<Vector> assemble(const Model& model,
                                                                          const ConstraintSet& constraints, VectorIn q0,
                                                                          const AssemblySettings& settings = {}) {
  return detail::copy_of<Vector>(Assembler(model, constraints, settings).assemble(q0));
}
template <class Vector = Eigen::VectorXd>
AssembledState<Vector> assemble_velocity(const Model& model, const ConstraintSet& constraints, VectorIn q, VectorIn v0,
                                         const AssemblySettings& settings = {}) {
  return detail::copy_of<Vector>(Assembler(model, constraints, settings).assemble_velocity(q, v0));
}
template <class Vector = Eigen::VectorXd>
AssembledState<Vector> project(const Model& model, const ConstraintSet& constraints, VectorIn q, VectorIn v,
                               const AssemblySettings& settings = {}) {
  return detail::copy_of<Vector>(Assembler(model, constraints, settings).project(q, v));
}

/// What assemble_path returns.
template <class Matrix = Eigen::MatrixXd> struct AssembledPath {
  Matrix q;  ///< nq x steps
  std::vector<AssemblyPathStep> steps;
  Index reached;  ///< steps that are ok
};
template <class Matrix = Eigen::MatrixXd>
AssembledPath<Matrix> assemble_path(const Model& model, const ConstraintSet& constraints, VectorIn q0,
                                    const std::string& constraint, MatrixIn targets,
                                    const AssemblySettings& settings = {}) {
  AssembledPath<Matrix> path{Matrix(model.nq(), targets.cols()), {}, 0};
  path.reached = assemble_path(model, constraints, q0, constraint, targets, path.q, path.steps, settings);
  return path;
}

}  // namespace zwang
