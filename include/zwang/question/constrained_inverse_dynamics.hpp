// SPDX-License-Identifier: BSD-3-Clause
// ConstrainedInverseDynamics: the torques of the motors and the forces of the rows that produce a desired motion.
//
//   M a + h = tau + J^T lambda     tau = B u     J: the physical rows
// u: torques of the motors. Without an ActuationMap every motor drives a coordinate: tau_i = 0 where there is none.
// Fully, over- and under-actuated robots; feet on the ground; loops, also redundant ones.
#pragma once
#include <string>
#include <vector>

#include "zwang/core/owned.hpp"
#include "zwang/core/record.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {

struct InverseParts;

/// Coulomb's cone of a contact: |(lambda_t1, lambda_t2)| <= mu lambda_n of its three rows; of one row lambda_n >= 0.
struct FrictionCone {
  std::string contact;
  double mu = 0;  ///< > 0
};

/// The answer, in this order; each step keeps what the steps before it have decided:
///
///   1. the physical rows, J a = gamma, and the equations of motion where there is no motor;
///   2. driver rows by priority: demands on the motion of frames, which the motors have to meet;
///   3. the demanded accelerations:  minimise 1/2 |sqrt(w) (a - a*)|^2_M  (RBDL's W is the same with w = 1 on motors)
///      and, of what is then still free, the acceleration nearest to a* in the metric of M;
///   4. torques and forces:  minimise 1/2 t |u - u*|^2 + 1/2 f |lambda - lambda*|^2; then the least |lambda - lambda*|.
///
/// t, f: InverseSettings. With t = 1, f = 0 torques are those of least norm. What no torque can do is left out in least
/// squares, and the report names it.
///
/// Bounds. Step 4 is solved under limits of motors, friction cones, and the senses and limits of rows. Where no forces
/// within them carry the motion of steps 1 to 3, coordinates and directions that are not demanded give way. Where that
/// does not help either the status is infeasible: forces are those without bounds, and the report names a minimal set
/// of demands and bounds that contradict each other. With `best_effort` the bounds hold and demands are missed.
///
/// Rows with a sense: the motion says which act. A row that it satisfies strictly is open, lambda = 0; the others hold
/// as equalities and may only push (at_least) or pull (at_most). Rows with a limit hold with |lambda| <= limit. A
/// contact with a friction cone whose normal is open releases its tangents, too. Of a driver row, a sense is a demand
/// of one side. UnsupportedError: senses and limits of soft rows or with a penalty, limits of driver rows.
struct InverseSettings {
  double torque = 1;  ///< t >= 0: how much torques count [1 / (N m)^2]
  double force = 0;   ///< f >= 0: how much multipliers count
  /// 0: as above. p > 0: RBDL's relaxed form, one step instead of 3 and 4: every motor carries the bias force h of its
  /// coordinate and pulls towards a*, tau = h + p W (a* - a) at motors, W = M between them, scaled by sqrt(w). a is the
  /// motion that this gives. The larger p, the less is missed (RBDL: 100). Not with driver rows.
  double penalty = 0;
  double tolerance = 0;       ///< smallest angle between rows worth obeying; 0: 1e-11
  double feasibility = 1e-9;  ///< a relative residual that is larger counts as missed
  JointEffects joint_effects = {};
  /// Forces of these contacts stay in their cones: exact cones, by an interior point method, with f at least 1e-8 of t
  /// (relative), so that multipliers are unique. Not with `penalty`.
  std::vector<FrictionCone> friction = {};
  /// |tau_i| <= Model::effort_limit() where motors act and it is known. Not with `penalty`.
  bool effort_limits = false;
  /// Where no forces within the bounds carry the demanded accelerations: false: the motion is as demanded and the
  /// forces are those without bounds; true: forces are within the bounds and the motion is the one nearest to a* in the
  /// metric of M that they carry. Driver rows are kept in both. The status is infeasible, `missed` says by how much;
  /// not_converged where the program for these forces has not ended.
  bool best_effort = false;
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<InverseSettings>) {
  using T = InverseSettings;
  v.record("InverseSettings", "What is least, and within which bounds.");
  v("torque", &T::torque, "how much torques count");
  v("force", &T::force, "how much multipliers count");
  v("penalty", &T::penalty, "0: exact; > 0: RBDL's relaxed form");
  v("tolerance", &T::tolerance, "smallest angle between rows worth obeying; 0: 1e-11");
  v("feasibility", &T::feasibility, "a relative residual that is larger counts as missed");
  v("joint_effects", &T::joint_effects, "armature, damping, springs, friction, gravity_scale");
  v("friction", &T::friction, "contacts whose forces stay in cones");
  v("effort_limits", &T::effort_limits, "those of the model");
  v("best_effort", &T::best_effort, "forces within their bounds that come nearest to the motion");
}

/// tau = B u: what nu motors do at nv coordinates. Two motors of a differential, a tendon over several joints, several
/// motors at one. Its transpose turns velocities of coordinates into those of motors.
struct ActuationMap {
  /// A motor, and the coordinates where it acts, with dtau/du.
  struct Motor {
    std::string name;
    std::vector<std::pair<std::string, double>> at;
  };
  /// B [nv x nu] in the order of coordinates; motors without names are called motor[0], motor[1], ...
  explicit ActuationMap(MatrixIn B, std::vector<std::string> motor_names = {})
      : coordinates(static_cast<Index>(B.rows())),
        motors(static_cast<Index>(B.cols())),
        names(std::move(motor_names)) {
    for (Eigen::Index i = 0; i < B.rows(); ++i)
      for (Eigen::Index j = 0; j < B.cols(); ++j) matrix.push_back(B(i, j));
  }
  /// By names of coordinates, or of joints with one. Throws std::invalid_argument with the nearest name.
  ActuationMap(const Model& model, const std::vector<Motor>& list);

  Index coordinates, motors;
  std::vector<double> matrix = {};  ///< row by row
  std::vector<std::string> names = {};
};

/// The state, the desired motion, and what acts from outside.
struct InverseInput {
  ConstVector q;
  ConstVector v = {};            ///< empty: at rest
  ConstVector a = {};            ///< a* [nv]; empty: no coordinate is demanded, and a* = 0 is the wish
  ConstVector weight = {};       ///< w >= 0 [nv]; 0: not demanded, a* is a wish; empty: ones
  ConstVector torque_wish = {};  ///< tau* [nv], read at motors; with an ActuationMap u* [nu]; empty: zeros
  ConstVector force_wish = {};   ///< lambda* of all rows of the set, read at physical hard ones; empty: zeros
  const Externals* external = nullptr;
  ConstVector motor_lower = {},
              motor_upper = {};  ///< bounds of u [nu], may be infinite; empty: none. Not with `penalty`
};

/// One condition on the motion in a set of conditions.
struct MotionTerm {
  enum class Kind {
    row,     ///< a row of the set
    demand,  ///< the demanded acceleration of a coordinate
    motion,  ///< the equation of motion of a coordinate without a motor
    cone,    ///< the friction cone of a contact
    sense,   ///< lambda >= 0 or <= 0 of a row
    limit,   ///< the limit of a row's multiplier
    torque,  ///< the limit of a motor, or the effort limit of a coordinate
  };
  Kind kind;
  std::string_view name;
  double coefficient;  ///< in own units; the last term's is 1. In sets with bounds: 1, of lower limits and at_most -1
};
/// The words of its values, in their order.
constexpr auto words_of(Type<MotionTerm::Kind>) {
  return std::array{"row", "demand", "motion", "cone", "sense", "limit", "torque"};
}

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<MotionTerm>) {
  using T = MotionTerm;
  v.record("MotionTerm", "One condition on the motion in a set of conditions that contradict each other.");
  v("kind", &T::kind,
    "'row', 'demand', 'motion': an equation of motion without motor, 'cone', 'sense', 'limit', 'torque'");
  v("name", &T::name, "of the row, coordinate or motor");
  v("coefficient", &T::coefficient, "in own units; of conditions with bounds 1 or -1");
}

/// What is not met, and by how much (a - a*, or J a - beta; own units).
struct MissedDemand {
  MotionTerm::Kind kind;
  std::string_view name;
  double amount;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<MissedDemand>) {
  using T = MissedDemand;
  v.record("MissedDemand", "What is not met, and by how much.");
  v("kind", &T::kind, "'row' or 'demand'");
  v("name", &T::name, "of the row or coordinate");
  v("amount", &T::amount, "a - a* or J a - beta, in own units");
}

/// A minimal set of conditions that contradict each other: without any one of them the others can be met. Sets with
/// bounds hold demands, driver rows and bounds; physical rows and equations of motion always hold beside them.
struct MotionConflict {
  Index first, size;  ///< of InverseReport::terms
  /// Sum of coefficient * right-hand side, which would have to be 0. Of sets with bounds: how far all bounds would have
  /// to move, over the size of the forces.
  double contradiction;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<MotionConflict>) {
  using T = MotionConflict;
  v.record("MotionConflict", "A minimal set of conditions that contradict each other.");
  v("first", &T::first, "place of its first term among all");
  v("size", &T::size, "number of terms");
  v("contradiction", &T::contradiction, "sum of coefficient * right-hand side, which would have to be 0");
}

/// Names are views into the set and the model: valid until the next add() or the end of the set's life.
struct InverseReport {
  /// ok: rows, equations of motion and demands hold within `feasibility`, and torques are optimal. infeasible: some are
  /// missed (`missed`, `conflicts`), or forces leave their bounds (`outside`, `beyond`, `conflicts`). singular_mass: an
  /// equation of motion without inertia and motor cannot hold.
  /// not_converged: numbers are there, but rounding has spoilt one of the equations; or neither forces within the
  /// bounds nor a proof that there are none were found.
  Status status = Status::ok;
  Index rows = 0;         ///< active physical hard rows
  Index rank = 0;         ///< of them
  Index motors = 0;       ///< nu
  Index conditions = 0;   ///< on the motion, because neither motors nor rows can carry an equation of motion
  Index choices = 0;      ///< directions of lambda that move torques from one motor to another
  double residual = 0;    ///< largest relative residual of the physical rows
  double motion = 0;      ///< largest relative residual of M a + h = tau + J^T lambda, by inverse dynamics
  double optimality = 0;  ///< largest relative gradient of steps 3 and 4
  std::vector<std::string_view> redundant = {};   ///< physical rows that depend on rows before them
  std::vector<std::string_view> infeasible = {};  ///< physical rows that no motion can satisfy
  std::vector<std::string_view> pulling = {};     ///< contacts whose normal force is negative
  std::vector<std::string_view> outside = {};     ///< contacts whose forces are not in their cones
  double cone = 0;                                ///< largest violation of a cone over the largest multiplier
  std::vector<std::string_view> held = {};        ///< rows with a sense that hold as equalities
  std::vector<std::string_view> released = {};    ///< rows with a sense that are open, lambda = 0
  std::vector<std::string_view> beyond = {};      ///< motors, and rows with a sense or a limit, outside of their bounds
  double bound = 0;                               ///< largest violation of a bound over the size of the terms
  std::vector<MissedDemand> missed = {};          ///< driver rows and demands
  std::vector<MotionConflict> conflicts = {};
  std::vector<MotionTerm> terms = {};
  std::string_view singular_joint = {};  ///< a coordinate, if status is singular_mass
  std::string_view invalid = {};         ///< what try_solve refused

  /// Motors and rows can produce any motion that the rows permit.
  bool fully_actuated() const { return conditions == 0; }
  std::string explain() const;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<InverseReport>) {
  using T = InverseReport;
  v.record("InverseReport", "What is true of the answer of constrained_inverse_dynamics.");
  v("status", &T::status,
    "ok: rows, equations of motion and demands hold. infeasible: some are missed. singular_mass,\n"
    "not_converged, overflow: as in SolveReport");
  v("rows", &T::rows, "active physical hard rows");
  v("rank", &T::rank, "of these rows");
  v("motors", &T::motors, "number of motors");
  v("conditions", &T::conditions, "on the motion, because neither motors nor rows can carry an equation of motion");
  v("choices", &T::choices, "directions in which torques can be chosen");
  v("residual", &T::residual, "largest relative residual of the physical rows");
  v("motion", &T::motion, "largest relative residual of M a + h = tau + J^T lambda");
  v("optimality", &T::optimality, "largest relative gradient of what is minimised");
  v.computed(
      "fully_actuated", [](const T& r) { return r.fully_actuated(); },
      "motors and rows can produce any motion that the rows permit");
  v("redundant", &T::redundant, "physical rows that depend on rows before them");
  v("infeasible", &T::infeasible, "physical rows that no motion satisfies");
  v("pulling", &T::pulling, "contacts whose normal force is negative");
  v("outside", &T::outside,
    "contacts whose forces are not in their friction cones: no forces in the cones carry the motion");
  v("cone", &T::cone, "largest violation of a cone over the largest multiplier");
  v("held", &T::held, "rows with a sense that hold as equalities");
  v("released", &T::released, "rows with a sense that are open: their multipliers are 0");
  v("beyond", &T::beyond,
    "motors, and rows with a sense or a limit, outside of their bounds: none within carry the motion");
  v("bound", &T::bound, "largest violation of a bound over the size of its terms");
  v("missed", &T::missed, "what is missed: kind ('row' or 'demand'), name, a - a* or J a - beta");
  v("conflicts", &T::conflicts,
    "minimal sets of conditions that contradict each other: kind ('row', 'demand', 'motion': an\n"
    "equation of motion without motor, 'cone', 'sense', 'limit', 'torque'), name, coefficient",
    {.type = "list[list[MotionTerm]]"});
  v("terms", &T::terms, "of all conflicts, one after the other", {.attribute = false});
  v("singular_joint", &T::singular_joint, "a coordinate without inertia and motor, where status is singular_mass",
    {.optional = true});
  v("invalid", &T::invalid, "the argument that was refused", {.attribute = false});
}

/// Views of the last solve of their ConstrainedInverseDynamics.
struct InverseSolution {
  VectorView tau{nullptr, 0};           ///< [nv]; 0 where there is no motor
  VectorView motors{nullptr, 0};        ///< u [nu]: torques of the motors, tau = B u
  VectorView multipliers{nullptr, 0};   ///< of all rows of the set; 0 of drivers and inactive rows
  VectorView acceleration{nullptr, 0};  ///< a [nv]
  VectorView reaction{nullptr, 0};      ///< J^T lambda [nv]
  InverseReport report;
};

/// Allocates at construction; solve() and try_solve() do not. Follows the set, as a Solver does. Soft physical rows act
/// with lambda = (gamma - J a) / R. UnsupportedError: soft driver rows, rows that leave causes uncompensated.
class ConstrainedInverseDynamics {
 public:
  /// `actuated`: joints, or coordinates by name; empty: those of the model (Model::actuated).
  ConstrainedInverseDynamics(const Model& model, const ConstraintSet& constraints,
                             const std::vector<std::string>& actuated = {}, const InverseSettings& settings = {});
  /// Motors behind transmissions. Not with a penalty. Throws std::invalid_argument for wrong sizes, entries that are
  /// not finite, and names that are empty or not new.
  ConstrainedInverseDynamics(const Model& model, const ConstraintSet& constraints, const ActuationMap& actuation,
                             const InverseSettings& settings = {});
  ConstrainedInverseDynamics(ConstrainedInverseDynamics&&) noexcept;
  ConstrainedInverseDynamics& operator=(ConstrainedInverseDynamics&&) noexcept;
  ~ConstrainedInverseDynamics();

  /// Throws std::invalid_argument naming the argument for wrong sizes and entries that are not finite.
  const InverseSolution& solve(const InverseInput& input);
  /// The same without exceptions: what is wrong becomes a status.
  const InverseSolution& try_solve(const InverseInput& input) noexcept;

  const InverseSolution& solution() const;
  const Model& model() const;
  InverseSettings& settings();                          ///< checked by the next solve
  const std::vector<bool>& actuated() const;            ///< [nv] some motor acts there
  const std::vector<std::string>& motor_names() const;  ///< [nu]
  Data& data();                                         ///< for overrides of inertias, payloads and gravity

 private:
  void start(const ConstraintSet& constraints);
  Owned<InverseParts> parts_;
};

/// The coordinates of joints, or coordinates by name: [nv]. Throws std::invalid_argument with the nearest name, for a
/// joint that mimics another, and for one that does not move.
std::vector<bool> actuated_coordinates(const Model& model, const std::vector<std::string>& names);

/// Whether motors and rows can produce, at q, any motion that the rows permit: the columns of B and of J^T span all nv
/// equations of motion (RBDL: isConstrainedSystemFullyActuated). J: the active physical hard rows, all of them
/// held as equalities, whatever their senses and limits; driver rows and soft rows carry nothing here. A property of
/// set, motors and q alone, unlike the report of a solve, where rows with a sense may be open. `actuated` as above.
/// Allocates. Throws std::invalid_argument naming the argument.
bool is_fully_actuated(const Model& model, const ConstraintSet& constraints, VectorIn q,
                       const std::vector<std::string>& actuated = {});
/// The same of motors behind transmissions.
bool is_fully_actuated(const Model& model, const ConstraintSet& constraints, VectorIn q, const ActuationMap& actuation);

}  // namespace zwang
