// SPDX-License-Identifier: BSD-3-Clause
// Trees of bodies that are nearly points far from their joints: what an elimination at the joints loses digits on.
#pragma once
#include <cmath>

#include "algorithm/cases.hpp"

namespace zwang::test {

/// Any joint types on any root; centres up to 1e3 lengths away, inertias down to 1e-16 of mass times length squared,
/// masses and lengths up to 1e6 larger or smaller.
inline RobotDescription hostile_bodies(std::uint64_t seed, BuildOptions& options) {
  Random r(seed);
  RandomRobot like;
  like.joints = r.below(7);
  const char* const roots[] = {"floating", "floating", "planar", "spherical", "fixed"};
  like.root = roots[r.below(5)];
  if (like.root == std::string("fixed")) like.joints += 1;
  like.mimic = r.below(3) == 0 ? 0.4 : 0;
  like.armature = r.below(3) == 0 ? 0.3 : 0;
  like.damping = like.friction = like.springs = like.limits = 0;
  const double mass = std::pow(10.0, 6 * (r.below(3) - 1)), length = std::pow(10.0, 3 * (r.below(3) - 1));
  like.size = 0.4 * length;
  RobotDescription robot = random_robot(seed, like);
  const double reach = r.uniform(-1, 3), least = r.uniform(-16, 0);
  for (LinkDescription& link : robot.links) {
    if (link.name == "world") continue;
    link.mass = mass * std::pow(10.0, r.uniform(-1, 1));
    const double c = r.below(4) == 0 ? 0 : std::pow(10.0, r.uniform(-1, reach));
    link.centre = r.direction() * (c * length);
    const double e = r.below(4) == 0 ? 1 : std::pow(10.0, r.uniform(least, 0));
    link.inertia = r.inertia(link.mass * e, length);
  }
  for (JointDescription& j : robot.joints)
    for (double& x : j.rotor_inertia) x *= mass * length * length;
  options = {};
  return robot;
}

}  // namespace zwang::test
