// SPDX-License-Identifier: BSD-3-Clause
// SdfWriter: a robot in, an SDF 1.11 out: one model. Steps live in write_sdf.cpp (names, links, frames),
// write_sdf_shape.cpp, write_sdf_joint.cpp and write_sdf_loop.cpp (loops, couplings).
//
// The world is the root link without mass that is called `world`; any other root is fixed to the world by a joint, or
// floats, as every link of SDF does that is no joint's child. SDF wants links with mass: one without, fixed to a link
// with mass, becomes a frame on that link and takes its shapes there. A link's pose is written in the link that carries
// it, where the joints between are at 0.
#pragma once
#include "io/plain_robot.hpp"

namespace zwang::io {

/// Names that SDF keeps for itself: `world`, and those between two underscores on either side.
bool sdf_reserves(const std::string& name);
/// A new name that is not reserved.
std::string fresh_sdf_name(UsedNames& names, const std::string& wanted);

class SdfWriter {
 public:
  SdfWriter(const Robot& robot, const WriteOptions& options);
  WrittenRobot write();

 private:
  static constexpr int k_on_world = -1;
  /// Where a link of the description is: on a link that is written (or the world), and its pose there.
  struct Stand {
    int link = k_on_world;
    Transform<double> pose = Transform<double>::identity();
  };
  struct Written {
    const LinkDescription* link;
    std::string name = {};
    int carrier = -1;                                         ///< the joint; -1: it floats
    Stand on = {};                                            ///< of a link that floats: the world
    Transform<double> drawn = Transform<double>::identity();  ///< in the model
    bool still = false;                                       ///< fixed to the world
    std::vector<std::pair<const Shape*, Transform<double>>> shapes = {};
    UsedNames visuals = {}, collisions = {};  ///< names
  };
  // write_sdf.cpp
  void turn_into_axes();
  void hang_roots();
  void place_links();
  void place(std::size_t link);
  Written* written_as(std::size_t link);
  void name_all();
  std::string named(const char* element, const std::string& name, const char* suffix);
  void links();
  void inertial(XmlElement holder, const Written& link);
  void frames();
  void frame(const std::string& name, const Stand& stand, const char* element);
  Stand stand_of(const std::string& link) const;
  const std::string& name_of(int link) const;
  Transform<double> drawn_of(const Stand& stand) const;
  static void pose(XmlElement holder, const Transform<double>& pose, const std::string& relative_to = "");
  // write_sdf_shape.cpp
  void shape(XmlElement holder, Written& link, const Shape& shape, const Transform<double>& at);
  void surface(XmlElement holder, const std::string& where, const ContactData& contact);
  // write_sdf_joint.cpp
  void joint(const JointDescription& joint);
  void axis(XmlElement holder, const char* name, const JointDescription& joint, const Vec3<double>& xyz, std::size_t k);
  void lose_numbers(const JointDescription& joint);
  void lose_effects(const JointDescription& joint);
  void motors();
  // write_sdf_loop.cpp
  void loop(const PlainLoop& loop);
  void coupling(const CouplingConstraint& rows);
  bool gearbox(const CouplingConstraint& rows) const;
  void find_mimics();
  bool mimic(const CouplingConstraint& rows);
  JointDescription* find_joint(const std::string& name);
  const JointDescription* find_joint(const std::string& name) const;

  const Robot& given_;
  const WriteOptions& options_;
  Losses losses_;
  XmlText text_;
  XmlElement model_;
  PlainRobot plain_;
  UsedNames names_;
  std::vector<Written> written_;
  std::vector<Stand> stands_;  // by link of the description
  std::vector<char> placed_;
  std::unordered_map<std::string, std::size_t> joint_at_;      // of the description, by name
  std::unordered_map<std::string, std::size_t> couplings_of_;  // by joint: in how many couplings it is
  std::unordered_set<std::string> leaders_;                    // of mimic joints
  std::unordered_map<std::string, std::string> joint_name_;    // of the description: in the file
  std::unordered_set<std::string> materials_, drawn_joints_;
  bool hung_ = false;        // the first link is a world that BuildOptions::root hangs the robot on
  int anchor_ = k_on_world;  // a link that is fixed to the world
  bool masks_ = false;       // some collision has a mask of its own
};

}  // namespace zwang::io
