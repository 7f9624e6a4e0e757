// SPDX-License-Identifier: BSD-3-Clause
// SolveReport: which rows a solve satisfied and which it gave up, in the user's names.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/algorithm/dynamics.hpp"
#include "zwang/factor/place_of_rows.hpp"

namespace zwang {

/// A fact about a row or coordinate that the results do not show.
struct SolveWarning {
  enum class Kind {
    driver_on_unactuated,  ///< the driver row needs the force `value` [N m, N] at `coordinate`, which has no motor
    contact_pulls,         ///< a contact's normal multiplier is `value` < 0 [N]
    position_violates,     ///< a relation has the error `value` [m, rad] along the row and no feedback: time_constant 0
    velocity_violates,     ///< the velocity along a physical row differs from its target by `value` [m/s, rad/s]
    massless_joint,        ///< `coordinate` has no inertia; only the rows determine its motion
    /// The acceleration prescribed at `coordinate`, which has no motor, needs the force `value` [N m, N] beyond tau.
    prescribed_on_unactuated,
    energy_grows,    ///< of an impulse: the rows do the work `value` > 0 [J], more than their rounding
    no_compression,  ///< of an impulse: the compression of the row's constraint takes no energy, but gives `value` [J]
    /// The motor torque at `coordinate` is `value` [N m, N] beyond its limit: no driver row changes it.
    motor_beyond_limit,
    contact_enters,  ///< of an impulse: a contact's normal has the velocity `value` < 0 [m/s] after it, relative to w
    /// Driver rows or prescribed accelerations need a motor torque at `coordinate` that is `value` times the effort
    /// limit of the model there, the largest such ratio; the solve has no limit for that motor.
    beyond_effort,
  };
  Kind kind;
  /// In the user's names; empty for massless_joint, prescribed_on_unactuated, energy_grows and beyond_effort.
  std::string_view row;
  double value;
  std::string_view coordinate = {};
  std::string text() const;
};
/// The words of its values, in their order.
constexpr auto words_of(Type<SolveWarning::Kind>) {
  return std::array{"driver_on_unactuated", "contact_pulls",  "position_violates",
                    "velocity_violates",    "massless_joint", "prescribed_on_unactuated",
                    "energy_grows",         "no_compression", "motor_beyond_limit",
                    "contact_enters",       "beyond_effort"};
}

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<SolveWarning>) {
  using T = SolveWarning;
  v.record("SolveWarning", "A fact about a row or coordinate that the results do not show.");
  v("kind", &T::kind, "what it is about");
  v("row", &T::row, "by your name; empty where no row is meant");
  v("value", &T::value, "its number");
  v("coordinate", &T::coordinate, "by its name; empty where none is meant");
  v.computed(
      "text", [](const T& x) { return x.text(); }, "the same as a sentence");
}

/// A row that is not held, why, and by how much.
struct GivenUp {
  enum class Reason {
    conflict,  ///< no motion satisfies it together with the rows of its level and above
    priority,  ///< rows of a higher level leave no motion to satisfy it
    damping,   ///< regularisation
    limit,     ///< a motor, or a row of this level or above, is at its limit
  };
  std::string_view row;
  double amount;  ///< K a - beta, in the row's own units
  Reason reason;
};
/// The words of its values, in their order.
constexpr auto words_of(Type<GivenUp::Reason>) { return std::array{"conflict", "priority", "damping", "limit"}; }

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<GivenUp>) {
  using T = GivenUp;
  v.record("GivenUp", "A row that is not held, why, and by how much.");
  v("row", &T::row, "by your name");
  v("amount", &T::amount, "K a - beta, in the row's own units");
  v("reason", &T::reason, "why");
}

/// One row of a dependency: sum of coefficient * (row of J) = 0 over the terms.
struct DependencyTerm {
  std::string_view row;
  double coefficient;  ///< in the rows' own units; 1 for the row that is given last
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<DependencyTerm>) {
  using T = DependencyTerm;
  v.record("DependencyTerm", "One row of a dependency: sum of coefficient * (row of J) = 0 over the terms.");
  v("row", &T::row, "by your name");
  v("coefficient", &T::coefficient, "in the rows' own units; 1 for the row that is given last");
}

/// A minimal set of dependent rows: together they are dependent, every proper subset is independent. The coefficients
/// give the lost direction: no motion of the joints changes this combination of accelerations.
struct Dependency {
  Index first, size;     ///< of SolveReport::terms
  double contradiction;  ///< sum of coefficient * (desired - free acceleration): the amount of the contradiction
  bool conflicting;      ///< more than rounding: these rows are a minimal conflicting set
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<Dependency>) {
  using T = Dependency;
  v.record("Dependency", "A minimal set of dependent rows: without any one of them the others are independent.");
  v("first", &T::first, "place of its first term among all", {.document = false, .attribute = false});
  v("size", &T::size, "number of terms", {.document = false, .attribute = false});
  v("contradiction", &T::contradiction, "sum of coefficient * (desired - free acceleration)");
  v("conflicting", &T::conflicting, "more than rounding: these rows are a minimal conflicting set");
}

/// Names are views into the constraints of the set: valid until the next add() or the end of the set's life.
struct SolveReport {
  Status status = Status::ok;
  Index rows = 0;  ///< active rows, without those that a sense or a limit has released
  Index rank = 0;  ///< of them, on equilibrated rows; soft rows count in full
  int iterations = 1;
  double tolerance = 0;  ///< relative rank tolerance used
  /// Largest |K a + R lambda - beta| over rows that are not given up by priority, divided by the row's scale.
  double residual = 0;
  const char* method = "popov_vereshchagin";
  const char* singularity = "truncation";
  PlaceOfRows place = {};
  std::vector<std::string_view> redundant;  ///< rows that depend on rows given before them
  /// Rows of the highest level in use that no motion can satisfy together.
  std::vector<std::string_view> infeasible;
  std::vector<GivenUp> given_up;         ///< every row that is not satisfied
  std::vector<Dependency> dependencies;  ///< one per redundant row
  std::vector<DependencyTerm> terms;     ///< of all dependencies, one after the other
  std::vector<SolveWarning> warnings;
  // Of rows with a sense or a limit (docs/inequalities.md):
  std::vector<std::string_view> held;             ///< rows that hold as equalities
  std::vector<std::string_view> released;         ///< rows that hold without a force: their multipliers are 0
  std::vector<std::string_view> at_limit;         ///< rows whose multipliers are at their limit, and which give way
  std::vector<std::string_view> motors_at_limit;  ///< coordinates whose motor torque is at its limit
  /// The largest violation of their conditions: the step from lambda to the point within its bounds that is next to
  /// lambda - w, with w relative to its terms and lambda to the largest generalised force.
  double complementarity = 0;
  std::string_view singular_joint = {};  ///< has no inertia, if status is singular_mass
  std::string_view invalid = {};         ///< the argument that try_solve refused

  std::span<const DependencyTerm> terms_of(const Dependency& d) const;
  /// A few sentences in the user's names.
  std::string explain() const;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<SolveReport>) {
  using T = SolveReport;
  v.record("SolveReport",
           "What a solve achieved and what it gave up, in the user's names. explain() says it in sentences.");
  v("status", &T::status, "how the solve ended", {.document = false});
  v("rank", &T::rank, "independent rows, on equilibrated rows; soft rows count in full");
  v("rows", &T::rows, "active rows, without those that a sense or a limit has released");
  v("residual", &T::residual,
    "largest |K a + R lambda - beta| of a row that is not given up by priority, over the row's scale");
  v("redundant", &T::redundant, "rows that depend on rows given before them");
  v("infeasible", &T::infeasible, "rows of the highest level in use that no motion can satisfy together");
  v("given_up", &T::given_up, "every row that is not held");
  v("dependencies", &T::dependencies, "a minimal dependent set of rows for every redundant row");
  v("terms", &T::terms, "of all dependencies, one after the other", {.document = false, .attribute = false});
  v("method", &T::method, "by which rows were eliminated");
  v("place", &T::place, "where the rows were eliminated, and why there");
  v("singularity", &T::singularity, "the policy for rows that depend on each other");
  v("iterations", &T::iterations, "1 for direct methods");
  v("tolerance", &T::tolerance, "relative rank tolerance used");
  v("warnings", &T::warnings, "facts about rows and coordinates that the results do not show");
  v.computed("text", [](const T& x) { return x.explain(); }, "the report in sentences", {.attribute = false});
  v("held", &T::held, "rows with a sense or a limit that hold as equalities", {.group = "inequalities"});
  v("released", &T::released, "rows with a sense that hold without a force: their multipliers are 0",
    {.group = "inequalities"});
  v("at_limit", &T::at_limit, "rows whose multipliers are at their limit, and which give way",
    {.group = "inequalities"});
  v("motors_at_limit", &T::motors_at_limit, "coordinates whose motor torque is at its limit",
    {.group = "inequalities"});
  v("complementarity", &T::complementarity,
    "largest violation of the conditions of rows with a sense or a limit, relative to the terms",
    {.group = "inequalities"});
  v("singular_joint", &T::singular_joint, "without inertia, where status is singular_mass", {.optional = true});
  v("invalid", &T::invalid, "the argument that was refused", {.document = false, .attribute = false});
}

}  // namespace zwang
