// SPDX-License-Identifier: BSD-3-Clause
// TimedPath: a path and when its points are reached, i.e. a motion.
//
//   q = q(s(t)),   v = q' s',   a = q'' s'^2 + q' s''
#pragma once
#include <string>
#include <vector>

#include "zwang/path/configuration_path.hpp"
#include "zwang/path/motion_profile.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

/// Limits of each coordinate, [nv] numbers, or one for all; infinite: none.
struct MotionLimits {
  std::vector<double> velocity = {};      ///< [rad/s, m/s]; empty: those of the model; NaN: none known
  std::vector<double> acceleration = {};  ///< [rad/s^2, m/s^2]; empty: none
  std::vector<double> jerk = {};          ///< [rad/s^3, m/s^3]; empty: none
  bool position_limits = true;            ///< a motion that leaves the model's limits of position is refused
};

class TimedPath {
 public:
  /// s(t) is the profile's position. Throws std::invalid_argument where it leaves the path's range.
  TimedPath(ConfigurationPath path, const MotionProfile& law, std::vector<std::string> notes = {});
  /// s(t) of pieces one after the other; the end of the last one is the end of the motion.
  TimedPath(ConfigurationPath path, std::vector<MotionProfile::Piece> law, std::vector<std::string> notes = {});

  double duration() const { return duration_; }  ///< [s]
  /// Before the start and after the end: the state there, at rest. Throws std::invalid_argument for NaN.
  void at(double time, VectorOut q, VectorOut v, VectorOut a) const;
  /// s, s', s'' and s''' at a time.
  ProfilePoint law_at(double time) const;
  /// States every dt seconds, and the one at the end: q, v and acceleration of a Trajectory with
  /// multipliers of no rows and the energy, and motor torques by inverse_dynamics(). Throws
  /// std::invalid_argument for dt <= 0 and more than 10^7 states.
  Trajectory sample(double dt) const;
  const ConfigurationPath& path() const { return path_; }
  const std::vector<MotionProfile::Piece>& pieces() const { return law_; }
  /// What whoever made the motion noticed, in sentences: a joint that begins a little beyond its limits.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void check_law();
  ConfigurationPath path_;
  std::vector<MotionProfile::Piece> law_;
  std::vector<std::string> notes_;
  std::vector<double> begin_;  ///< time of each piece
  double duration_ = 0;
};

/// The fastest motion from rest at q0 to rest at q1 in which all coordinates stay in proportion, so that the way is the
/// line (geodesic) between them: s(t) is a trapezoid or, with limits of jerk, a double S. Throws std::invalid_argument
/// for limits that are none, where a joint would leave its limits of position (a start beyond them by 1e-6
/// (1 + |limit|) may come back, which notes() says), and where a coordinate that moves has neither a limit of
/// acceleration nor one of jerk, naming it. Between equal configurations the motion has duration 0.
TimedPath move(const Model& model, VectorIn q0, VectorIn q1, const MotionLimits& limits);

}  // namespace zwang
