// SPDX-License-Identifier: BSD-3-Clause
// The writer of MJCF (docs/formats/mjcf.md, Written). Internal to the library.
//
//   mjcf_tree        links and joints of a robot as bodies and joints that MuJoCo has
//   write_mjcf       the document: compiler, bodies, inertias
//   write_mjcf_joint joints, with their limits and effects
//   write_mjcf_geom  shapes as geoms, with their meshes and materials
//   write_mjcf_rows  constraints and mimicking joints as equalities and tendons
//   write_mjcf_data  motors, pairs of links that never touch, configurations
//
// A body has its link's frame. Its pose in its parent is
//   P . prod_k T(p_k) J_k(q_k) T(-p_k)
// with P as at q = 0, and place p_k and axis of each joint in the link's axes: X J(q) X^-1 is the motion of a joint
// whose frame is X in the link at q = 0.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "io/plain_robot.hpp"
#include "io/xml_writer.hpp"
#include "zwang/io/write.hpp"

namespace zwang::io {

/// A joint of MuJoCo: a joint of the robot, or a part of one.
struct MjcfPart {
  enum class Kind { hinge, slide, ball, free };
  /// How MuJoCo's position q' and velocity v' follow from the joint's q and v.
  enum class Follows {
    number,      ///< q' = q, v' = v
    circle,      ///< q' = the angle of q = (cos, sin), v' = v
    quaternion,  ///< q' = w x y z, v' = v
    pose,        ///< q' = the pose in the world, v' = (R v, w)
    plane,       ///< q' = q, v' = Rz(angle) v: of a planar joint, along the parent's axes
    place,       ///< q' = q, v' = R v: of a floating joint, likewise
    pitch,       ///< q' = pitch q, v' = pitch v: the displacement of a screw
  };
  Kind kind = Kind::hinge;
  Follows follows = Follows::number;
  std::string name = {};
  Vec3<double> axis{0, 0, 1};  ///< in its frame
  /// In the body at q = 0. Of a free joint: in the world, where its position is counted from.
  Transform<double> frame = Transform<double>::identity();
  Index joint = -1;              ///< in Model::joints()
  Index q = 0, v = 0;            ///< the first of its numbers among those of the joint
  Index type_q = 0, type_v = 0;  ///< the first numbers of its joint's type: of a part of a composite joint not 0
  double pitch = 0;

  int freedoms() const { return kind == Kind::free ? 6 : kind == Kind::ball ? 3 : 1; }
  bool turns() const { return kind == Kind::hinge || kind == Kind::ball; }
};

struct MjcfWrittenBody {
  std::string name;
  int parent = -1;  ///< -1: it is the worldbody
  Transform<double> pose = Transform<double>::identity();
  std::vector<MjcfPart> joints = {};
  Index link = -1;  ///< in Model::links(); -1: a frame between joints
};

/// What becomes of links and joints.
struct MjcfTree {
  std::vector<MjcfWrittenBody> bodies;  ///< the worldbody first, parents before children
  std::vector<int> body_of;             ///< of each link; -1: it is a place between joints of a body
  std::vector<int> order;               ///< bodies depth first: MuJoCo's order of coordinates
  /// Hinges and slides that are a coordinate of the model, by the coordinate's name.
  std::unordered_map<std::string, std::string> scalar_of;
  int depth = 0;
};

/// What all parts of the writer share.
struct MjcfWriting {
  const Robot& robot;
  const WriteOptions& options;
  /// A kind of MuJoCo's elements, each with names of its own.
  struct {
    UsedNames body, joint, geom, site, equality, tendon, actuator, key;
  } names = {};
  Losses losses = {};

  const Model& model() const { return robot.model; }
  const Joint& joint(const MjcfPart& part) const { return model().joints()[static_cast<std::size_t>(part.joint)]; }
  void lose(LossCode code, const char* element, const std::string& name, const std::string& lost,
            const std::string& instead = "") {
    losses.add(code, element, name, lost, instead);
  }
  /// `wanted`, or, with a loss, another name where that is taken.
  std::string name(UsedNames& taken, const char* element, const std::string& wanted);
};

MjcfTree mjcf_tree(MjcfWriting& work);

/// Elements of bodies: joints.
void write_mjcf_joint(MjcfWriting& work, const MjcfPart& part, XmlElement body);
/// What joints say that MJCF has no place for.
void lose_rest_of_joint(MjcfWriting& work, const Joint& joint);

/// Shapes, and the assets that they refer to.
class MjcfGeoms {
 public:
  MjcfGeoms(MjcfWriting& work, XmlElement asset) : work_(work), asset_(asset) {}
  void write(const Shape& shape, const std::string& link, bool moves, XmlElement body);

 private:
  bool sizes(const Shape& shape, XmlElement geom) const;
  void contact(const Shape& shape, const std::string& name, XmlElement geom);
  std::string mesh(const Shape& shape, const std::string& file);
  std::string material(const Shape& shape, const std::string& name);

  MjcfWriting& work_;
  XmlElement asset_;
  std::unordered_map<std::string, std::string> meshes_;
  std::unordered_map<std::string, bool> materials_;  ///< whether they have a colour
  UsedNames mesh_names_;
};

/// <tendon>, <equality> and the sites that they refer to. `elements`: those of the tree's bodies.
void write_mjcf_rows(MjcfWriting& work, const MjcfTree& tree, const std::vector<XmlElement>& elements, XmlElement root);

/// <contact>, <actuator>, <keyframe>.
void write_mjcf_data(MjcfWriting& work, const MjcfTree& tree, XmlElement root);

/// Entry k of numbers that are one for each of `count`, one for all, or none.
inline double entry_of(const std::vector<double>& numbers, Index count, Index k, double otherwise) {
  if (numbers.empty()) return otherwise;
  if (numbers.size() == 1 || static_cast<Index>(numbers.size()) != count) return numbers[0];
  return numbers[static_cast<std::size_t>(k)];
}
/// An array is no truth value.
template <std::size_t N> void set_numbers(XmlElement element, const char* name, const double (&numbers)[N]) {
  element.set(name, std::span<const double>(numbers));
}
/// pos and quat of an element, where they are not those of the identity.
void set_pose(XmlElement element, const Transform<double>& pose);

}  // namespace zwang::io
