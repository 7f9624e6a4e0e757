// SPDX-License-Identifier: BSD-3-Clause
// Solution in Python: a snapshot in arrays of its own, for one state or for many.
#pragma once
#include "rows_result.hpp"

namespace zwang::python {

/// A number that is new after every change of which rows are active, of their names or of their compliances.
std::uint64_t stamp_of_rows(const ConstraintSet& set);

class AskedStates;

/// A solver, and the number of its solves. Used by one thread at a time: under the lock of its set.
struct SolverCore {
  SolverCore(const SetPointer& s, const SolverSettings& settings)
      : shared(s),
        solver(s->robot.model, s->set, settings),
        q(static_cast<std::size_t>(s->robot.model.nq())),
        v(static_cast<std::size_t>(s->robot.model.nv())),
        wrenches(6, static_cast<Eigen::Index>(s->robot.model.joints().size())) {}
  SetPointer shared;
  Solver solver;
  std::vector<double> q, v;  ///< these three belong to the last solve
  Externals external;
  Externals turning;  ///< of the last solve or resolve: those that turn with the axes of frame `axes`, placed
  FrameId axes = {};
  JointEffects effects = {};
  std::uint64_t rows_stamp = 0;  ///< likewise: stamp_of_rows of its set
  std::shared_ptr<const RowLayout> layout;
  Eigen::MatrixXd wrenches;  ///< 6 x joints
  std::uint64_t solves = 0;  ///< of one state, that have filled a solution
  BothPrecisions<SolverLanes> lanes;
  // Of the last solve; used under the GIL.
  struct LastImpulse {
    bool there = false;  ///< it was of one state, and not refused
    std::vector<double> q;
    Externals turning;  ///< as above
    FrameId axes = {};
  } impulse;
  std::shared_ptr<const AskedStates> asked;  ///< where it was of N states, and not refused or stopped
  bool of_states = false;
};

struct SolutionObject;
/// The inputs of a batch call, to compute parts of its solution when they are read.
class Question {
 public:
  virtual ~Question() = default;
  virtual void complete(SolutionObject& s) const = 0;
};

struct SolutionObject : RowsResult {
  using Source = Solution;
  using SourceOfConstraint = ConstraintSolution;
  static constexpr bool k_report_of_each = true;
  const Model& model() const { return core->shared->robot.model; }  ///< where there is a solver
  std::shared_ptr<SolverCore> core;                                 ///< none: a copy, whose numbers do not change
  std::uint64_t solve = 0;                                          ///< number of the solve, where it is of one state
  nb::object acceleration, multipliers, motor_torque, reaction, articulated, residual, wrench, zwang, wrenches;
  nb::object position_error, velocity_error, power, group_wrench, group_power;
  std::shared_ptr<Question> question;  ///< of a batch, until all parts are computed
  void complete() {
    const std::shared_ptr<const Question> asked = question;
    if (asked) asked->complete(*this);
  }
};
void list_arrays(RowArrayList<SolutionObject>& v);

/// Writes solutions into the arrays of a SolutionObject.
class SolutionWriter {
 public:
  /// `out`: gets fresh arrays, or keeps its own with `reuse`.
  SolutionWriter(const char* function, SolutionObject& out, bool reuse, Index states)
      : out_(out),
        arrays_(function, out, reuse, out.model().nv(), states),
        states_(states),
        reports_(static_cast<std::size_t>(states < 0 ? 1 : states)) {}
  /// Also allowed without the GIL.
  void put(Index state, const Solution& s);
  void put_failed(Index state, const SolveReport& report);
  /// Publishes the reports, under the GIL: before, no one can see them change.
  void finish();
  const std::vector<ReportObject>& reports() const { return reports_; }
  void refuse_overlap(const char* function, const Input& input) const { arrays_.refuse_overlap(function, input); }

 private:
  SolutionObject& out_;
  RowArrays<SolutionObject> arrays_;
  Index states_;
  std::vector<ReportObject> reports_;
};

/// For the joints that are not merged into a body, 6 numbers each.
void joint_wrenches(SolverCore& core, const Output& out, Index state);

std::string solution_table(const SolutionObject& s);
std::string report_table(const ReportObject& r);

}  // namespace zwang::python
