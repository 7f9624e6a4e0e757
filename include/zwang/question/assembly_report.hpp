// SPDX-License-Identifier: BSD-3-Clause
// AssemblyReport: what an assembly has reached, and what it proves.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "zwang/core/config.hpp"
#include "zwang/core/status.hpp"

namespace zwang {

/// Names are views into the constraints of the set and into the model: valid until the next add() or their end.
struct AssemblyReport {
  /// ok: every row holds within `tolerance`, fixed joints have kept their values, coordinates are within their
  /// limits. infeasible: rows do not hold, and no small motion brings them nearer: `gradient` <= 1e-6. q is the
  /// nearest such point that was found; rows that are met far away are not excluded. Of velocities this holds for
  /// every motion. not_converged: neither. singular_mass: W is the mass matrix, and some motion has no inertia.
  /// overflow: at q0 numbers leave the range of double.
  Status status = Status::ok;
  Index rows = 0;  ///< rows that take part, open ones as well
  Index rank = 0;  ///< of their Jacobian on the joints that are not fixed, without rows that are open
  /// Largest |phi - target|, of rows with a sense the violation, over the row's size: max(|f| L, |n|) summed over its
  /// bodies, with f, n the row's force and moment per unit of lambda about the body's origin, and L the largest
  /// distance of a body from its base [m]. What rounding leaves of positions far from there does not count.
  double residual = 0;
  double tolerance = 0;
  /// Of velocities: largest |J v - target_velocity| over the sum of the magnitudes of its terms. After project(),
  /// `rows` and `rank` are those of positions.
  double velocity_residual = 0;
  Index velocity_rows = 0, velocity_rank = 0;
  double distance = 0;  ///< |q (-) q0|_W, or |v - v0|_W after assemble_velocity
  /// Length of the tangential part of the gradient of 1/2 |q (-) q0|^2_W, in the metric of W: to first order the
  /// distance along the rows from the nearest point.
  double stationarity = 0;
  /// The conditions of the nearest point hold: stationarity is at most 1e-8 of the distance, or 1e3 tolerance,
  /// and limits only hold coordinates back.
  bool nearest = true;
  /// |J^T phi| / (|J| |phi|) over scaled rows in the metric of W, without what limits take: 0 where a motion brings the
  /// rows no nearer. 0 if they hold.
  double gradient = 0;
  int iterations = 0, evaluations = 0;  ///< steps; configurations at which the rows were evaluated
  int attempt = 0;                      ///< start from which the rows were met; 0: q0
  /// Smallest sine of a row that counts to the others, by the coefficients of their dependencies: 1 far from singular
  /// configurations, 0 in one.
  double conditioning = 1;
  /// Sign of the determinant of the independent rows on the joints that are not fixed, where their numbers agree;
  /// else 0. It changes where a mechanism passes a singular configuration: elbow up, elbow down.
  int branch = 0;
  std::vector<std::string_view> redundant = {};  ///< rows that depend on rows given before them
  std::vector<std::string_view> unmet = {};      ///< rows that do not hold
  std::vector<std::string_view> at_limit = {};   ///< coordinates that a limit holds
  std::vector<std::string_view> held = {};  ///< rows with a sense that hold as equalities; of positions after project()
  std::vector<std::string_view> released = {};          ///< rows with a sense that are open, and do not act
  std::vector<std::string_view> without_position = {};  ///< active rows that positions do not depend on

  /// A few sentences in the user's names.
  std::string explain() const;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<AssemblyReport>) {
  using T = AssemblyReport;
  v.record("AssemblyReport", "What an assembly has reached, and what it proves.");
  v("status", &T::status,
    "ok: rows hold, fixed joints have kept their values, limits are kept. infeasible: no small motion brings "
    "the rows nearer. not_converged: neither.");
  v("rows", &T::rows, "rows that take part");
  v("rank", &T::rank, "of their Jacobian on the joints that are not fixed");
  v("residual", &T::residual, "largest |phi - target| over the row's size");
  v("tolerance", &T::tolerance, "largest residual of ok");
  v("velocity_residual", &T::velocity_residual, "largest |J v - target_velocity| over the magnitudes of its terms");
  v("velocity_rows", &T::velocity_rows, "rows that take part in velocities");
  v("velocity_rank", &T::velocity_rank, "their rank");
  v("distance", &T::distance, "from the start, in the metric of the weights");
  v("stationarity", &T::stationarity, "tangential gradient: to first order the distance from the nearest point");
  v("nearest", &T::nearest, "whether the conditions of the nearest point hold");
  v("gradient", &T::gradient,
    "of rows that do not hold: |J^T phi| / (|J| |phi|); 0 where no motion brings them nearer");
  v("iterations", &T::iterations, "steps");
  v("evaluations", &T::evaluations, "configurations at which the rows were evaluated");
  v("attempt", &T::attempt, "start from which the rows were met; 0: q0");
  v("conditioning", &T::conditioning, "smallest sine between rows: 0 in a singular configuration");
  v("branch", &T::branch, "sign of the determinant of the rows on the joints that are not fixed, where it is square");
  v("redundant", &T::redundant, "rows that depend on rows given before them");
  v("unmet", &T::unmet, "rows that do not hold");
  v("at_limit", &T::at_limit, "coordinates that a limit holds");
  v("held", &T::held, "rows with a sense that hold as equalities; of positions after project");
  v("released", &T::released, "rows with a sense that are open, and do not act");
  v("without_position", &T::without_position, "active rows that positions do not depend on");
}

}  // namespace zwang
