// SPDX-License-Identifier: BSD-3-Clause
// MotionProfile: the fastest motion of one coordinate between limits of velocity, acceleration and jerk.
//
//   p' = v,  v' = a,  a' = j;    lower <= v <= upper,  lower <= a <= upper,  |j| <= jerk
// With a finite jerk these are the double-S profiles, without one the trapezoidal ones (Biagiotti & Melchiorri 2008,
// ch. 3), from any velocity and acceleration to any velocity with acceleration 0.
#pragma once
#include <array>
#include <limits>
#include <vector>

#include "zwang/core/index.hpp"

namespace zwang {

/// In the unit of the coordinate, e.g. [rad/s, rad/s^2, rad/s^3]; infinite: no limit.
/// Acceleration or jerk must be finite.
struct ProfileLimits {
  double velocity = std::numeric_limits<double>::infinity();      ///< > 0
  double acceleration = std::numeric_limits<double>::infinity();  ///< > 0
  double jerk = std::numeric_limits<double>::infinity();          ///< > 0; without it accelerations jump
  /// Below zero, where they differ from -velocity and -acceleration (NaN).
  double lower_velocity = std::numeric_limits<double>::quiet_NaN();
  double lower_acceleration = std::numeric_limits<double>::quiet_NaN();
};

/// A coordinate of a profile at one time.
struct ProfilePoint {
  double position = 0, velocity = 0, acceleration = 0;
  double jerk = 0;  ///< from here on; ignored where a point is an input
};

/// A value: at most eleven polynomials of third degree, no memory of its own.
class MotionProfile {
 public:
  /// A polynomial: p(t) from the point at its start.
  struct Piece {
    double duration = 0;
    ProfilePoint start = {};
  };

  MotionProfile() = default;  ///< of duration 0 at position 0
  /// The fastest motion from `start` to `position` with `velocity` there. Throws std::invalid_argument for limits that
  /// are none, entries that are not finite, a start or end beyond the limits, and a start whose velocity must leave
  /// them before its acceleration can be 0; ArithmeticOverflowError where the result is beyond the range of double.
  /// Without a limit of jerk the acceleration at the start is ignored. A start beyond a limit by no more than 1e-6
  /// (1 + limit), and a thousandth of it, comes back within first, as a measured one does: beyond() says by how much.
  static MotionProfile fastest(const ProfilePoint& start, double position, double velocity,
                               const ProfileLimits& limits);
  /// From rest to rest.
  static MotionProfile fastest(double from, double to, const ProfileLimits& limits) {
    return fastest({.position = from}, to, 0, limits);
  }
  /// The same path in a longer time: velocities, accelerations and jerks are smaller by the factor, its square and
  /// cube. Throws std::invalid_argument for a duration below its own, and where it begins or ends with a velocity.
  MotionProfile stretched(double duration) const;

  double duration() const { return duration_; }  ///< [s]
  /// Before the start its state, after the end that. Time is clamped: the position stays there.
  ProfilePoint at(double time) const;
  /// How far velocity and acceleration at the start are beyond their limits; 0 where they are within.
  struct Excess {
    double velocity = 0, acceleration = 0;
  };
  Excess beyond() const { return beyond_; }
  Index pieces() const { return count_; }
  const Piece& piece(Index k) const;  ///< throws std::invalid_argument beyond pieces()
  /// All that makes the profile, to store it: from_numbers() gives one that is equal to the last bit.
  std::vector<double> numbers() const;
  /// Throws std::invalid_argument for numbers that are not those of a profile.
  static MotionProfile from_numbers(const std::vector<double>& numbers);

 private:
  static MotionProfile within(const ProfilePoint& start, double position, double velocity, const ProfileLimits& limits);
  std::array<Piece, 11> pieces_{};
  ProfilePoint end_{};
  double duration_ = 0;
  Excess beyond_{};
  Index count_ = 0;
};

}  // namespace zwang
