// SPDX-License-Identifier: BSD-3-Clause
// Three arms as chains of KDL: a UR5, a Panda and a Kinova Gen2. The numbers are those of their URDF
// descriptions (example-robot-data, BSD licence).
#pragma once
#include <kdl/chain.hpp>
#include <kdl/jntarray.hpp>
#include <string>
#include <vector>

namespace arms {

struct ArmJoint {
  bool moves;
  double xyz[3], rpy[3], axis[3], lower, upper;  // upper < lower: no limits
};

inline const std::vector<ArmJoint> ur5 = {
    {false, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1, 0, 0}, 1, -1},
    {true, {0.0, 0.0, 0.089159}, {0.0, 0.0, 0.0}, {0, 0, 1}, -6.28318530718, 6.28318530718},
    {true, {0.0, 0.13585, 0.0}, {0.0, 1.57079632679, 0.0}, {0, 1, 0}, -6.28318530718, 6.28318530718},
    {true, {0.0, -0.1197, 0.425}, {0.0, 0.0, 0.0}, {0, 1, 0}, -3.14159265359, 3.14159265359},
    {true, {0.0, 0.0, 0.39225}, {0.0, 1.57079632679, 0.0}, {0, 1, 0}, -6.28318530718, 6.28318530718},
    {true, {0.0, 0.093, 0.0}, {0.0, 0.0, 0.0}, {0, 0, 1}, -6.28318530718, 6.28318530718},
    {true, {0.0, 0.0, 0.09465}, {0.0, 0.0, 0.0}, {0, 1, 0}, -6.28318530718, 6.28318530718},
    {false, {0, 0.0823, 0}, {-1.57079632679, 0, 0}, {1, 0, 0}, 1, -1},
};
inline const std::vector<ArmJoint> panda = {
    {true, {0, 0, 0.333}, {0, 0, 0}, {0, 0, 1}, -2.8973, 2.8973},
    {true, {0, 0, 0}, {-1.5707963267948966, 0, 0}, {0, 0, 1}, -1.7628, 1.7628},
    {true, {0, -0.316, 0}, {1.5707963267948966, 0, 0}, {0, 0, 1}, -2.8973, 2.8973},
    {true, {0.0825, 0, 0}, {1.5707963267948966, 0, 0}, {0, 0, 1}, -3.0718, -0.0698},
    {true, {-0.0825, 0.384, 0}, {-1.5707963267948966, 0, 0}, {0, 0, 1}, -2.8973, 2.8973},
    {true, {0, 0, 0}, {1.5707963267948966, 0, 0}, {0, 0, 1}, -0.0175, 3.7525},
    {true, {0.088, 0, 0}, {1.5707963267948966, 0, 0}, {0, 0, 1}, -2.8973, 2.8973},
    {false, {0, 0, 0.107}, {0, 0, 0}, {1, 0, 0}, 1, -1},
    {false, {0, 0, 0}, {0, 0, -0.7853981633974483}, {1, 0, 0}, 1, -1},
};
inline const std::vector<ArmJoint> kinova = {
    {false, {0.000, 0.000, 0.000}, {0, 0, 1.57079632679}, {0, 0, 0}, 1, -1},
    {true, {0, 0, 0.15675}, {0, 3.14159265359, 0}, {0, 0, 1}, 1, -1},
    {true, {0, 0.0016, -0.11875}, {-1.57079632679, 0, 3.14159265359}, {0, 0, 1}, 0.820304748437, 5.46288055874},
    {true, {0, -0.410, 0}, {0, 3.14159265359, 0}, {0, 0, 1}, 0.331612557879, 5.9515727493},
    {true, {0, 0.2073, -0.0114}, {-1.57079632679, 0, 3.14159265359}, {0, 0, 1}, 1, -1},
    {true, {0, 0, -0.10375}, {1.57079632679, 0, 3.14159265359}, {0, 0, 1}, 0.523598775598, 5.75958653158},
    {true, {0, 0.10375, 0}, {-1.57079632679, 0, 3.14159265359}, {0, 0, 1}, 1, -1},
    {false, {0, 0, -0.1600}, {3.14159265359, 1.57079632679, 0}, {0, 0, 0}, 1, -1},
};

/// A segment for each joint: its frame is the next joint's.
inline KDL::Chain chain_of(const std::vector<ArmJoint>& joints) {
  using namespace KDL;
  Chain chain;
  for (const ArmJoint& joint : joints) {
    const Vector origin(joint.xyz[0], joint.xyz[1], joint.xyz[2]);
    const Rotation turn = Rotation::RPY(joint.rpy[0], joint.rpy[1], joint.rpy[2]);
    const Vector axis = turn * Vector(joint.axis[0], joint.axis[1], joint.axis[2]);
    const std::string name = "joint " + std::to_string(chain.getNrOfSegments());
    chain.addSegment(Segment(name, joint.moves ? Joint(name, origin, axis, Joint::RotAxis) : Joint(name, Joint::Fixed),
                             Frame(turn, origin)));
  }
  return chain;
}

/// Limits of the joints that move; +-2 pi where the description has none.
inline void limits_of(const std::vector<ArmJoint>& joints, KDL::JntArray& lower, KDL::JntArray& upper) {
  std::vector<const ArmJoint*> moving;
  for (const ArmJoint& joint : joints)
    if (joint.moves) moving.push_back(&joint);
  lower = upper = KDL::JntArray(static_cast<unsigned int>(moving.size()));
  for (unsigned int i = 0; i < lower.rows(); ++i) {
    const bool has_limits = moving[i]->lower < moving[i]->upper;
    lower(i) = has_limits ? moving[i]->lower : -2 * KDL::PI;
    upper(i) = has_limits ? moving[i]->upper : 2 * KDL::PI;
  }
}

}  // namespace arms
