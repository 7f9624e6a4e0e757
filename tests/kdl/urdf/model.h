// SPDX-License-Identifier: BSD-3-Clause
// What kdl_parser.hpp uses of urdfdom's headers, where these are not installed.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace urdf {

struct Vector3 {
  double x = 0, y = 0, z = 0;
};
struct Rotation {
  double x = 0, y = 0, z = 0, w = 1;
  void getQuaternion(double& a, double& b, double& c, double& d) const { a = x, b = y, c = z, d = w; }
};
struct Pose {
  Vector3 position;
  Rotation rotation;
};
struct Inertial {
  Pose origin;
  double mass = 0, ixx = 0, ixy = 0, ixz = 0, iyy = 0, iyz = 0, izz = 0;
};
struct Joint {
  enum { UNKNOWN, REVOLUTE, CONTINUOUS, PRISMATIC, FLOATING, PLANAR, FIXED } type = UNKNOWN;
  std::string name;
  Vector3 axis;
  Pose parent_to_joint_origin_transform;
};
struct Link {
  std::string name;
  std::shared_ptr<Inertial> inertial;
  std::shared_ptr<Joint> parent_joint;
  std::vector<std::shared_ptr<Link>> child_links;
};
struct ModelInterface {
  std::shared_ptr<Link> root_link_;
  std::shared_ptr<const Link> getRoot() const { return root_link_; }
};

}  // namespace urdf
