// SPDX-License-Identifier: BSD-3-Clause
// ContactState: what is known of one point of contact in a motion.
#pragma once
#include <array>
#include <cstdint>

#include "zwang/core/index.hpp"
#include "zwang/core/record.hpp"
#include "zwang/spatial/vec3.hpp"

namespace zwang {

/// A point of contact at a state of a motion by Integrator::contact, a limit that a joint is close to, the dry friction
/// of a joint, or a row of the user's set that has a sense.
struct ContactState {
  /// lower, upper: limits of a coordinate. contact: a ContactConstraint with friction. row: a row with a sense
  enum class What { point, lower, upper, friction, contact, row };
  enum class Kind { open, stick, slip };
  What what = What::point;
  Index a = -1, b = -1;                          ///< of a point: shapes of the scene
  Index coordinate = -1;                         ///< of a limit and of friction: in v; of a row: in the set, its first
  std::uint64_t feature = 0;                     ///< with a and b: the same as long as the same features touch
  Vec3<double> point{0, 0, 0}, normal{0, 0, 0};  ///< world; the normal from a to b
  double gap = 0;                                ///< at the start of the step [m, rad]
  Vec3<double> force{
      0, 0, 0};  ///< on b, world, the mean of the step [N]; x: on the coordinate [N m, N], of a row its multiplier
  Vec3<double> slip{0, 0, 0};  ///< velocity of b beside a at the end of the step, tangential [m/s]
  Kind kind = Kind::open;
  bool is_of_set() const { return what >= What::contact; }                         ///< a row of the user's
  bool has_place() const { return what == What::point || what == What::contact; }  ///< point and normal are known
};
/// The words of its values, in their order.
constexpr auto words_of(Type<ContactState::Kind>) { return std::array{"open", "stick", "slip"}; }
/// The words of its values, in their order.
constexpr auto words_of(Type<ContactState::What>) {
  return std::array{"point", "lower", "upper", "friction", "contact", "row"};
}

}  // namespace zwang
