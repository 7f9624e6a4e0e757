// SPDX-License-Identifier: BSD-3-Clause
// Problem: constrained dynamics at one state, independent of the method that solves it.
//
//   M a + h = tau + J^T lambda,   J a + R lambda = beta - J' v        a_k given where coordinate k is prescribed
#pragma once
#include <string_view>

#include "rows/row_reader.hpp"
#include "rows/state.hpp"

namespace zwang {

/// A state and rows. It refers to both: what solves it may be given other rows at the same state.
struct Problem {
  /// Reads the set as it is now; throws if it is not valid for the purpose.
  void read(const RowPurpose& purpose) { reader.read(layout, purpose, rows); }
  /// Prepares rows between bodies, and rows in the axes of a body that the sweep enters later, before a sweep begins.
  void prepare_rows();
  /// Attaches the rows to their bodies without a sweep: K, l, R of each. Reads positions and velocities of `data`.
  void attach();
  /// Residuals at zero joint acceleration of the rows as the set has them now, into l [m]. False if these rows are not
  /// the attached ones.
  bool read_again(double* l);

  // The attached rows, by their index in the sweep.
  const Constraint& constraint_of(Index k) const { return layout.constraint(rows.constraint_of[k]); }
  std::size_t row_in_constraint(Index k) const {
    return static_cast<std::size_t>(rows.row_of[k] - layout.first_row_of(rows.constraint_of[k]));
  }
  /// The acceleration that a row asks for, or the change of velocity.
  double asked(Index k) const {
    return rows.shock != nullptr ? rows.shock->change[rows.row_of[k]] : constraint_of(k).beta[row_in_constraint(k)];
  }
  std::string_view row_name(Index k) const { return constraint_of(k).row_names[row_in_constraint(k)]; }
  /// How far the row of a relation may be off, relative to its size, because the relation is not closed: a loop that an
  /// integrator has left by 1e-8 of its length must not gain directions. 0 for other rows.
  double openness(Index k) const;
  /// The same for the row's right-hand side, which also follows the velocities: openness + how far they violate the
  /// relation, relative to the velocities in it.
  double drift(Index k) const;
  bool is_hard(Index k) const { return rows.compliance[k] == 0; }
  /// Entry of J: K s of a row for a column of the tree, all joints in between rigid.
  double jacobian(Index k, Index column) const;
  /// What rounding may leave of a residual: 8 (n + m) eps times the sizes of the row's wrenches and of the
  /// accelerations in `data`, which do not vanish where the row holds by symmetry.
  double rounding(Index k) const;
  /// Adds J^T lambda of physical rows, of driver rows or of both to out [nv]. Visits only the paths from their bodies.
  void add_joint_forces(bool physical, bool driver, const double* lambda, double* out);
  /// out [nv] = M q'' - J^T lambda; data.acceleration must belong to q''.
  void torques_of_motion(const double* qdd, const double* lambda, double* out);
  void evaluate_relations() { reader.evaluate(layout, state.data, state.q.data(), state.v.data(), rows); }

  State& state;
  RowLayout& layout;
  RowReader& reader;
  Rows& rows;
};

/// What an OwnProblem refers to.
struct ProblemParts {
  ProblemParts(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early);
  ProblemParts(const ProblemParts&) = delete;
  ProblemParts& operator=(const ProblemParts&) = delete;
  State own_state;
  RowLayout own_layout;
  RowReader own_reader;
  Rows own_rows;
};
/// A problem with a state of its own.
class OwnProblem : private ProblemParts, public Problem {
 public:
  OwnProblem(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early)
      : ProblemParts(model, set, spare_rows, may_be_early),
        Problem{own_state, own_layout, own_reader, own_rows} {}
};

/// What a SharedProblem refers to.
struct RowParts {
  explicit RowParts(const RowLayout& layout) : own_reader(layout), own_rows(layout) {}
  RowReader own_reader;
  Rows own_rows;
};
/// Rows of the same set, read for themselves, at the state of another problem.
class SharedProblem : private RowParts, public Problem {
 public:
  explicit SharedProblem(const Problem& of) : RowParts(of.layout), Problem{of.state, of.layout, own_reader, own_rows} {}
};

}  // namespace zwang
