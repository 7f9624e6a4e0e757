// SPDX-License-Identifier: BSD-3-Clause
// UrdfWriter: a robot in, a URDF out. Steps live in write_urdf.cpp (robot, links, frames), write_urdf_joint.cpp
// (joints, loops, transmissions) and write_urdf_coupling.cpp.
//
// A URDF has no joint frame in the child link: the link's frame is that of its joint. Where child_origin C is not the
// identity, the link is written with the frame C in its place, and all that stands on it is moved along:
//   pose' = C^-1 pose      centre' = C^-1 centre      I' = R_C^T I R_C
// so that q and the dynamics stay as they are.
#pragma once
#include "io/plain_robot.hpp"

namespace zwang::io {

class MovingTree;

class UrdfWriter {
 public:
  UrdfWriter(const Robot& robot, const WriteOptions& options);
  WrittenRobot write();

 private:
  // write_urdf.cpp
  void hang_roots();
  void shift_links();
  void link(const LinkDescription& link);
  void shape(XmlElement holder, const LinkDescription& link, const Shape& shape);
  void material(XmlElement holder, const LinkDescription& link, const Shape& shape);
  void frames();
  Transform<double> moved(const std::string& link, const Transform<double>& pose) const;
  static void origin(XmlElement holder, const Transform<double>& pose);
  // write_urdf_joint.cpp
  void joint(const JointDescription& joint);
  std::string type_of(const JointDescription& joint);
  void limit(XmlElement holder, const JointDescription& joint, const std::string& type);
  void dynamics(XmlElement holder, const JointDescription& joint);
  void loop(const PlainLoop& loop);
  std::vector<char> moved_by_motors() const;
  void transmissions();
  void lose_motor(const MotorDescription& motor, double ratio);
  void transmission(const MotorDescription& motor, const double* ratio, const double* rotor);
  /// False where the coordinates have different numbers: a loss.
  bool one(const JointDescription& joint, const std::vector<double>& numbers, LossCode code, const char* what,
           double& value);
  // write_urdf_coupling.cpp
  void couplings();
  void coupling(const CouplingConstraint& rows, const MovingTree& tree);

  const Robot& given_;
  const WriteOptions& options_;
  Losses losses_;
  XmlText text_;
  PlainRobot plain_;
  UsedNames links_, joints_;
  std::unordered_set<std::string> colours_;                   // materials that have one
  std::unordered_map<std::string, Transform<double>> shift_;  // by link: its written frame in its own
};

}  // namespace zwang::io
