// SPDX-License-Identifier: BSD-3-Clause
// Robots whose links have scales of gravity of their own, and whose spherical joints have springs.
#pragma once
#include "support/random.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {

/// Scales from -0.5 to 2 of two links in three, springs of every other spherical joint, half of them about a turned
/// reference. What else the description says stays.
inline void add_passive_forces(RobotDescription& robot, std::uint64_t seed) {
  Random random(seed + 4711);
  for (LinkDescription& link : robot.links)
    if (random.below(3) > 0) link.gravity_scale = random.uniform(-0.5, 2);
  int count = 0;
  for (JointDescription& joint : robot.joints) {
    if (joint.type != "spherical") continue;
    if (count++ % 2 == 1) continue;
    joint.stiffness = {random.uniform(2, 15)};
    if (count % 4 != 1) continue;
    joint.spring_reference.clear();
    for (int k = 0; k < 4; ++k) joint.spring_reference.push_back(random.uniform(-1, 1));
  }
}

}  // namespace zwang::test
