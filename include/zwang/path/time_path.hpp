// SPDX-License-Identifier: BSD-3-Clause
// time_path: the fastest motion along a given path between limits of velocities, accelerations and torques.
//
//   minimise T with   |v_i| <= velocity_i,   |a_i| <= acceleration_i,   |tau_i| <= torque_i,   tau = ID(q, v, a)
// where q = q(s(t)): with x = s'^2 and u = s'' every limit but viscous damping is linear in (u, x).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "zwang/core/record.hpp"
#include "zwang/core/status.hpp"
#include "zwang/path/timed_path.hpp"

namespace zwang {

/// Limits of each coordinate, [nv] numbers, or one for all; infinite: none.
struct PathLimits {
  std::vector<double> velocity = {};      ///< [rad/s, m/s]; empty: those of the model; NaN: none known
  std::vector<double> acceleration = {};  ///< [rad/s^2, m/s^2]; empty: none
  /// Of the motors [N m, N]; empty: the model's limits of effort. They are those of
  /// inverse_dynamics() with the joint effects of the settings.
  std::vector<double> torque = {};
};

/// How finely the motion is computed, and its rates at both ends.
struct PathTimingSettings {
  int grid = 200;               ///< intervals of s to begin with, >= 2; at least two between two knots of the path
  double start_rate = 0;        ///< s' at the start [1/s], >= 0
  double end_rate = 0;          ///< and at the end
  bool position_limits = true;  ///< a path that leaves the limits of a joint is infeasible
  /// What motors carry beside gravity and the inertia of links, as in inverse_dynamics():
  /// Coulomb friction where it says so.
  JointEffects joint_effects = {};
  /// Of a limit, > 0: between points of the grid a value may exceed it by so much; where it exceeds it by more, the
  /// grid is made finer, up to most_grid intervals (or `grid`, if that is more).
  double tolerance = 1e-4;
  int most_grid = 20000;
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<PathTimingSettings>) {
  using T = PathTimingSettings;
  v.record("PathTimingSettings", "The grid of a path, its ends, and what motors carry.");
  v("grid", &T::grid, "intervals of s to begin with");
  v("start_rate", &T::start_rate, "ds/dt at the start");
  v("end_rate", &T::end_rate, "ds/dt at the end");
  v("position_limits", &T::position_limits, "a path that leaves the limits of a joint is infeasible");
  v("joint_effects", &T::joint_effects, "what motors carry beside gravity and inertia");
  v("tolerance", &T::tolerance, "of a limit, between points of the grid");
  v("most_grid", &T::most_grid, "intervals at most");
}

/// Part of a path and the limit that holds the motion back there, e.g. `torque of elbow`.
struct BindingLimit {
  double begin, end;  ///< of s
  std::string what;
};
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<BindingLimit>) {
  using T = BindingLimit;
  v.record("BindingLimit", "Part of a path and the limit that holds the motion back there.");
  v("begin", &T::begin, "s where it begins");
  v("end", &T::end, "s where it ends");
  v("what", &T::what, "which limit, by your names");
}

/// What time_path found: the motion, and which limits hold it back.
struct PathTiming {
  /// ok: limits hold at all points of the grid, to 1e-6 of themselves, and at three or more points between two of them,
  /// to the tolerance; those of position at all s, to 1e-9 (1 + |limit|). infeasible: no motion along the path keeps
  /// them, see `reason`. not_converged: a limit is exceeded by `utilisation`, where the iteration for viscous damping
  /// did not settle, or by `utilisation_between`, where most_grid was too few.
  Status status = Status::ok;
  std::string reason = {};         ///< in sentences; empty if ok
  double utilisation = 0;          ///< the largest |value| / limit at the points of the grid
  double utilisation_between = 0;  ///< and at the points looked at between two of them
  std::string worst = {};          ///< what the larger of both belongs to
  std::vector<BindingLimit> binding = {};
  /// What else is to know, in sentences: friction of the model that is not counted,
  /// a joint that begins a little beyond limits.
  std::vector<std::string> notes = {};
  std::optional<TimedPath> motion = {};  ///< with ok and not_converged
};

/// Throws std::invalid_argument for limits and settings that are none, where nothing limits accelerations, and for
/// limits of torque of a coordinate without a motor; UnsupportedError for limits of torque of a model with loops.
PathTiming time_path(const ConfigurationPath& path, const PathLimits& limits, const PathTimingSettings& settings = {});

}  // namespace zwang
