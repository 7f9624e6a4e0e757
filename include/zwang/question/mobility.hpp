// SPDX-License-Identifier: BSD-3-Clause
// Mobility: which motions the rows of a set leave, why there are not more, and whether they go on.
//
//   J v = 0      mobility = nv - rank J      the hard rows of the set that are active, of both roles
// A row with a sense counts as an equality where it is closed, and not at all where it is open: `free` are the motions
// that keep what is closed closed. A limit of a multiplier has no meaning here: the row counts.
// The rank is that of a Solver, by the same rule: angles between rows in the metric of M (in that of scaled
// coordinates, where M is singular and the rows leave a motion without inertia), against `tolerance` and rounding.
// Singular values, steps and position errors are those of the scaled J: rows and coordinates are divided so that all
// are of the same size (Ruiz 2001), whatever their units.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/core/owned.hpp"

namespace zwang {

struct MobilityParts;

/// Which angles between rows count, and at how many states.
struct MobilitySettings {
  /// Smallest angle between rows that counts, as in SolverSettings: a row counts if what the others leave of it exceeds
  /// the tolerance, in the metric of M, relative to the row and to what it is the difference of. 0: 1e-11. For rows of
  /// motors and of frames in Jacobians by motors, scaled; 0: 1e-9.
  double tolerance = 0;
  int samples = 8;         ///< configurations around q that are looked at; 0: none
  double step = 0.05;      ///< how far away, in scaled coordinates: about 0.05 rad, or 5 % of the mechanism's size
  std::uint64_t seed = 1;  ///< of their directions
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<MobilitySettings>) {
  using T = MobilitySettings;
  v.record("MobilitySettings", "Which angles between rows count, and at how many states.");
  v("tolerance", &T::tolerance, "smallest angle between rows that counts, in the metric of the mass matrix; 0: 1e-11");
  v("samples", &T::samples, "configurations around q that are looked at; 0: none");
  v("step", &T::step, "how far away, scaled: about 0.05 rad, or 5 % of the size");
  v("seed", &T::seed, "of their directions");
}

/// One row of a minimal set of dependent rows: sum of coefficient * row = 0, own units.
struct RowTerm {
  std::string row;
  double coefficient;
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<RowTerm>) {
  using T = RowTerm;
  v.record("RowTerm", "One row of a minimal set of dependent rows: sum of coefficient * row = 0.");
  v("row", &T::row, "by your name");
  v("coefficient", &T::coefficient, "in own units");
}
/// How many rows of a constraint depend on rows before them.
struct RedundantConstraint {
  std::string name;
  Index rows, redundant;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<RedundantConstraint>) {
  using T = RedundantConstraint;
  v.record("RedundantConstraint", "How many rows of a constraint depend on rows before them.");
  v("name", &T::name, "of the constraint");
  v("rows", &T::rows, "its rows");
  v("redundant", &T::redundant, "those that depend on others");
}

/// Ranks and freedoms at a configuration, and which rows depend on each other.
struct MobilityReport {
  Index coordinates = 0;  ///< nv
  Index rows = 0;         ///< active hard rows, without those that are open
  Index rank = 0;         ///< of J
  Index mobility = 0;     ///< nv - rank: directions in which q can move at first order
  Index count = 0;        ///< nv - rows, the count of Gruebler and Kutzbach; mobility - count rows are redundant
  /// Dimension of the motions that go on by a finite step: below `mobility` where q is a branch point or the mechanism
  /// is shaky. -1: not known (samples = 0, a row without position, rows that do not close at q, or q so near to a
  /// singular configuration that rounding, or the step, cannot tell them apart).
  Index finite_mobility = -1;
  /// nv - rank at the configurations around q, the least of them; -1: none.
  Index mobility_nearby = -1;
  /// The rank is lower at q than around it on the rows, or where nothing moves, than off them.
  bool singular = false;
  double closure = 0;                  ///< largest position error of a row, scaled: 0 where the mechanism is closed
  double smallest_singular_value = 0;  ///< of those that count; 0 without rows
  std::vector<double> singular_values = {};  ///< of the scaled J, largest first
  /// Rows with a sense that do not count: their position is on their side, by more than 1e-6, scaled as `closure`.
  /// A row without a position counts.
  std::vector<std::string> open = {};
  std::vector<std::string> redundant = {};              ///< rows that depend on rows given before them
  std::vector<RedundantConstraint> loops = {};          ///< constraints with such rows
  std::vector<std::vector<RowTerm>> dependencies = {};  ///< one for each redundant row
  std::vector<double> basis = {};                       ///< of `free`, column by column

  /// nv x mobility: an orthonormal basis of the velocities that rows permit.
  Eigen::Map<const Eigen::MatrixXd> free() const { return {basis.data(), coordinates, mobility}; }
  std::string explain() const;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<MobilityReport>) {
  using T = MobilityReport;
  v.record("Mobility", "Which motions a set of constraints leaves at a configuration, and why not more.");
  v("mobility", &T::mobility, "nv - rank: directions in which q can move at first order");
  v("rank", &T::rank, "of the Jacobian of the active hard rows");
  v("rows", &T::rows, "active hard rows");
  v("count", &T::count, "nv - rows, as Gruebler and Kutzbach count; mobility - count rows are redundant");
  v("coordinates", &T::coordinates, "nv", {.attribute = false});
  v("finite_mobility", &T::finite_mobility,
    "dimension of the motions that go on by a finite step; None: not known (samples 0, rows without\n"
    "position, rows that do not close, or q too near to a singular configuration for 16 digits or the step)",
    {.known_from_0 = true});
  v("mobility_nearby", &T::mobility_nearby, "at the configurations around q, the least", {.known_from_0 = true});
  v("singular", &T::singular,
    "the rank is lower at q than around it on the rows, or where nothing moves, than off them");
  v("closure", &T::closure, "largest position error of a row, scaled");
  v("smallest_singular_value", &T::smallest_singular_value, "of those that count, scaled");
  v("singular_values", &T::singular_values, "of the scaled Jacobian, largest first", {.type = "Array"});
  v("open", &T::open, "rows with a sense that have room to move, and do not count");
  v("redundant", &T::redundant, "rows that depend on rows given before them");
  v("loops", &T::loops, "constraints with such rows, and how many", {.type = "dict[str, int]"});
  v("dependencies", &T::dependencies, "one minimal set of dependent rows for each redundant one: row, coefficient");
  v("basis", &T::basis, "of the free velocities, column by column", {.attribute = false});
}

/// Along a path of N configurations. Where rows with a sense open or close on the way, ranks are compared among the
/// configurations at which the same rows count.
struct PathMobility {
  Index rank = 0;  ///< the highest on the path
  std::vector<Index> mobility, ranks;
  /// Singular value number `rank` of each, the highest with the same rows:
  /// 0 where the rank drops, small near such a configuration.
  std::vector<double> smallest_singular_value;
  std::vector<bool> singular;  ///< the rank is lower than elsewhere on the path, with the same rows
};

/// How the motion of a frame follows from the rates of motors: twist = J rates, 6 x inputs.
/// Gosselin & Angeles 1990. Motions that neither turn a motor nor move the frame are `passive` and left out.
struct ActuatedJacobian {
  Index mobility = 0, passive = 0;
  Index inputs = 0;  ///< coordinates with a motor
  /// Type 1: directions in which motors turn and the frame does not move: it has lost a freedom, or the robot has more
  /// motors than its frame needs.
  Index lost = 0;
  /// Type 2: directions in which the frame moves although all motors are locked. J then holds for the rest alone.
  Index uncontrolled = 0;
  /// Rates that cannot be chosen freely: inputs - rank. Redundant actuation.
  Index dependent_inputs = 0;
  double input_singular_value = 0;      ///< smallest, scaled: near type 2 small
  double output_singular_value = 0;     ///< near type 1 small
  std::vector<std::string> names = {};  ///< of the inputs
  std::vector<double> numbers = {};     ///< of `jacobian`, column by column
  bool type1() const { return lost > 0; }
  bool type2() const { return uncontrolled > 0; }
  Eigen::Map<const Eigen::MatrixXd> jacobian() const { return {numbers.data(), 6, inputs}; }
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ActuatedJacobian>) {
  using T = ActuatedJacobian;
  v.record("ActuatedJacobian",
           "How the twist of a frame follows from the rates of motors: twist = jacobian @ rates. Motions that\n"
           "neither turn a motor nor move the frame are passive and left out.");
  v("names", &T::names, "of the inputs");
  v("inputs", &T::inputs, "coordinates with a motor", {.attribute = false});
  v("mobility", &T::mobility, "nv - rank");
  v("passive", &T::passive, "directions that neither turn a motor nor move the frame");
  v("lost", &T::lost, "directions in which motors turn and the frame does not move");
  v("uncontrolled", &T::uncontrolled, "directions in which the frame moves though all motors are locked");
  v("dependent_inputs", &T::dependent_inputs, "rates that cannot be chosen freely");
  v("input_singular_value", &T::input_singular_value, "smallest, scaled; small near type 2");
  v("output_singular_value", &T::output_singular_value, "smallest, scaled; small near type 1");
  v("numbers", &T::numbers, "of the Jacobian, column by column", {.attribute = false});
  v.computed(
      "type1", [](const T& j) { return j.type1(); }, "lost > 0 (Gosselin and Angeles)");
  v.computed(
      "type2", [](const T& j) { return j.type2(); }, "uncontrolled > 0");
}

/// Owns the workspace. Follows the set. Calls allocate their results.
class Mobility {
 public:
  /// Throws WorkspaceMismatch where the set was made for another model, std::invalid_argument for settings.
  Mobility(const Model& model, const ConstraintSet& constraints, const MobilitySettings& settings = {});
  Mobility(Mobility&&) noexcept;
  Mobility& operator=(Mobility&&) noexcept;
  ~Mobility();

  /// Throws std::invalid_argument naming q for a wrong size and entries that are not finite.
  MobilityReport at(VectorIn q);
  PathMobility along(MatrixIn q);  ///< nq x N, a configuration in each column
  /// `actuated`: joints or coordinates; empty: those of the model.
  ActuatedJacobian jacobian(VectorIn q, FrameIn frame, const std::vector<std::string>& actuated = {},
                            Reference reference = Reference::local_world_aligned);

 private:
  Owned<MobilityParts> parts_;
};

inline MobilityReport mobility(const Model& model, const ConstraintSet& constraints, VectorIn q,
                               const MobilitySettings& settings = {}) {
  return Mobility(model, constraints, settings).at(q);
}

}  // namespace zwang
