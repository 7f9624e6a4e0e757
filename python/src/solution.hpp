// SPDX-License-Identifier: BSD-3-Clause
// Solution in Python: a snapshot in arrays of its own, for one state or for many.
#pragma once
#include "arrays.hpp"
#include "constraints.hpp"
#include "record.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::python {

using ReportObject = WithNames<SolveReport>;

/// Indices of the rows of each constraint, and how they are held; valid while is_of() says so.
struct RowLayout {
  RowLayout() = default;
  explicit RowLayout(const ConstraintSet& set);
  /// How a constraint was held. It may change from one solve to the next.
  struct Held {
    Held() = default;
    explicit Held(const Constraint& c) : role(c.role), policy(c.policy), priority(c.priority), active(c.active) {}
    bool operator==(const Held&) const = default;
    Role role = Role::physical;
    Policy policy = Policy::hard;
    int priority = 0;
    bool active = true;
  };
  struct Part {
    std::string name, frame, in, type, other;
    Held held;
    std::vector<std::string> row_names;
    Index first;
  };
  struct Group {
    std::string name;
    std::vector<std::string> members;
  };
  bool is_of(const ConstraintSet& set) const;
  std::vector<Part> parts;
  std::vector<Group> groups;
  std::vector<std::string> joints;  ///< those that transmit a wrench: not merged into a body
  Index rows = 0;
  unsigned version = 0;
};

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

/// What the parts of solutions and of impulses say of their constraint.
template <class P> void bind_constraint_of_part(ClassOf<P>& c) {
  c.def_prop_ro("name", [](const P& p) { return p.layout().name; })
      .def_prop_ro("frame", [](const P& p) { return p.layout().frame; })
      .def_prop_ro(
          "in_", [](const P& p) { return p.layout().in; }, "the axes of the wrench")
      .def_prop_ro(
          "rows",
          [](const P& p) {
            nb::list list;
            for (const std::string& name : p.layout().row_names) list.append(name);
            return list;
          },
          nb::sig("def rows(self) -> list[str]"), "names of its rows");
}

struct SolutionObject;
/// The inputs of a batch call, to compute parts of its solution when they are read.
class Question {
 public:
  virtual ~Question() = default;
  virtual void complete(SolutionObject& s) const = 0;
};

struct SolutionObject {
  const Model& model() const { return core->shared->robot.model; }  ///< where there is a solver
  std::shared_ptr<SolverCore> core;                                 ///< none: a copy, whose numbers do not change
  std::shared_ptr<const RowLayout> layout;
  Index states = -1;        ///< -1: one state
  std::uint64_t solve = 0;  ///< number of the solve, where it is of one state
  nb::object acceleration, multipliers, motor_torque, reaction, articulated, residual, wrench, zwang, wrenches;
  nb::object position_error, velocity_error, power, group_wrench, group_power;
  nb::object status;  ///< of N states
  std::vector<ReportObject> reports;
  std::shared_ptr<Question> question;  ///< of a batch, until all parts are computed
  /// The same numbers in arrays of its own, without a solver.
  SolutionObject snapshot();
  void complete() {
    const std::shared_ptr<const Question> asked = question;
    if (asked) asked->complete(*this);
  }
};

/// Writes solutions into the arrays of a SolutionObject.
class SolutionWriter {
 public:
  /// `out`: gets fresh arrays, or keeps its own with `reuse`.
  SolutionWriter(const char* function, SolutionObject& out, bool reuse, Index states);
  /// Also allowed without the GIL.
  void put(Index state, const Solution& s);
  void put_failed(Index state, const SolveReport& report);
  /// Publishes the reports, under the GIL: before, no one can see them change.
  void finish();
  const std::vector<ReportObject>& reports() const { return reports_; }
  void refuse_overlap(const char* function, const Input& input) const;

 private:
  static Output make(const char* function, nb::object& array, bool reuse, Index states,
                     std::initializer_list<Index> shape);
  SolutionObject& out_;
  Output acceleration_, multipliers_, motor_torque_, reaction_, articulated_, residual_, wrench_, zwang_;
  Output wrenches_, position_error_, velocity_error_, power_, group_wrench_, group_power_;
  Index states_;
  std::vector<ReportObject> reports_;
};

/// For the joints that are not merged into a body, 6 numbers each.
void joint_wrenches(SolverCore& core, const Output& out, Index state);

// In pickle; what is read is checked, and refused with std::invalid_argument.
ReportObject report_from(nb::handle state);
nb::tuple state_of(SolutionObject& s);
SolutionObject solution_from(nb::handle state);

std::string solution_table(const SolutionObject& s);
std::string report_table(const ReportObject& r);

}  // namespace zwang::python
