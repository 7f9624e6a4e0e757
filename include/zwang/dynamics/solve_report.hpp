// SPDX-License-Identifier: BSD-3-Clause
// SolveReport: what a solve achieved and what it gave up, in the user's names.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

/// Something about a row or coordinate that the numbers alone do not say.
struct SolveWarning {
  enum class Kind {
    driver_on_unactuated,  ///< the driver row asks `value` [N m, N] of `coordinate`, which has no motor
    contact_pulls,         ///< a contact's normal multiplier is `value` < 0 [N]
    position_violates,  ///< a relation is open by `value` [m, rad] along the row, and nothing closes it: time_constant 0
    velocity_violates,  ///< the state moves by `value` [m/s, rad/s] along a physical row, other than its target asks
    massless_joint,     ///< `coordinate` moves no inertia; the rows alone determine it
  };
  Kind kind;
  std::string_view row;  ///< in the user's names; empty for massless_joint
  double value;
  std::string_view coordinate = {};
  std::string text() const;
};
const char* name_of(SolveWarning::Kind kind);

/// A row that is not held, why, and by how much.
struct GivenUp {
  enum class Reason {
    conflict,  ///< no motion satisfies it together with the rows of its level and above
    priority,  ///< rows of a higher level leave no motion for it
    damping,   ///< regularisation
  };
  std::string_view row;
  double amount;  ///< K a - beta, in the row's own units
  Reason reason;
};
const char* name_of(GivenUp::Reason reason);

/// One row of a dependency: sum of coefficient * (row of J) = 0 over the terms.
struct DependencyTerm {
  std::string_view row;
  double coefficient;  ///< in the rows' own units; the row that is given last has 1
};
/// A minimal set of dependent rows: together they are dependent, every part of them is independent. The combination of
/// accelerations that the coefficients name is the direction lost: no motion of the joints changes it.
struct Dependency {
  Index first, size;     ///< of SolveReport::terms
  double contradiction;  ///< sum of coefficient * (desired - free acceleration): what the rows contradict each other by
  bool conflicting;      ///< more than rounding: these rows are a minimal conflicting set
};

/// Where rows were eliminated, and why there. Times are estimates [us], 0 where none was made.
struct PlaceOfRows {
  enum class Reason {
    asked,      ///< the method, or a constraint's policy, says so
    estimated,  ///< `automatic`: the least of the times
    few_rows,   ///< `automatic`: fewer than `few`, which go to the root in any case
    dependent,  ///< rows depend on each other or are not met (loop_aba has not settled): at the root they are told apart
    settings,   ///< levels, drivers left out, other singularity policies, mimic joints: at the root alone
  };
  static constexpr Index few = 24;  ///< rows; fewer go to the root in any case
  Reason reason = Reason::asked;
  double root = 0, where_met = 0, early = 0;
};
const char* name_of(PlaceOfRows::Reason reason);

/// Names are views into the constraints of the set: they live until it is changed by add() or goes.
struct SolveReport {
  Status status = Status::ok;
  Index rows = 0;  ///< active rows
  Index rank = 0;  ///< of them, on equilibrated rows; soft rows count in full
  int iterations = 1;
  double tolerance = 0;  ///< relative rank tolerance used
  double residual =
      0;  ///< largest |K a + R lambda - beta| of a row that is not given up by priority, divided by the row's scale
  const char* method = "popov_vereshchagin";
  const char* singularity = "truncation";
  PlaceOfRows place = {};
  std::vector<std::string_view> redundant = {};  ///< rows that depend on rows given before them
  std::vector<std::string_view> infeasible =
      {};                                     ///< rows of the highest level in use that no motion can satisfy together
  std::vector<GivenUp> given_up = {};         ///< every row that is not held
  std::vector<Dependency> dependencies = {};  ///< one per redundant row
  std::vector<DependencyTerm> terms = {};     ///< of all dependencies, one after the other
  std::vector<SolveWarning> warnings = {};
  std::string_view singular_joint = {};  ///< without inertia, where status is singular_mass
  std::string_view invalid = {};         ///< which argument try_solve refused

  std::span<const DependencyTerm> terms_of(const Dependency& d) const {
    return {terms.data() + d.first, static_cast<std::size_t>(d.size)};
  }
  /// A few sentences in the user's names.
  std::string explain() const;
};

}  // namespace zwang
