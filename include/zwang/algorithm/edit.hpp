// SPDX-License-Identifier: BSD-3-Clause
// Models made from models: parameters changed, joints locked, robots put together and taken apart,
// mimics and motors changed, the root moved.
//
// Each function edits a copy of model.description() and builds it with model.options(): the model given stays as it is.
// The names of what remains stay, too; result.layout(names) and model.layout(names) say where its coordinates are.
// Unknown names throw std::invalid_argument with the nearest name; everything else that is refused throws ModelError,
// and names the joint, link or frame.
//
// Frames of the user stay where their link stays. A joint that closes a loop (Model::loops) stays where both of its
// links do; else it goes, and of its two frames the one whose link stays remains as a frame of the user. Motors
// (RobotDescription::motors) stay where their joint does, and pairs of links that never touch where both links do.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"
#include "zwang/model/builder.hpp"

namespace zwang {

/// Numbers of a link that change, in the words of LinkDescription; what is not given stays.
/// A mass alone leaves centre and inertia.
struct LinkParameters {
  std::string link;
  std::optional<double> mass = {};
  std::optional<Vec3<double>> centre = {};
  std::optional<Sym3<double>> inertia = {};  ///< about the centre of mass
  std::optional<double> gravity_scale = {};
};
/// Numbers of a joint that change, in the words of JointDescription: one per coordinate, or one for all;
/// what is not given stays. Also `origin`: the joint frame's pose in the parent link at q = 0.
struct JointParameters {
  std::string joint;
  std::optional<std::vector<double>> lower = {}, upper = {}, velocity = {}, effort = {};
  std::optional<std::vector<double>> damping = {}, friction = {}, stiffness = {}, spring_reference = {};
  std::optional<std::vector<double>> rotor_inertia = {}, gear_ratio = {};
  std::optional<std::vector<double>> armature = {};  ///< in place of rotor_inertia and gear_ratio: a ratio of 1
  std::optional<Transform<double>> origin = {};      ///< of fixed joints, too
};
/// The robot with other numbers: masses, centres, inertias, scales of gravity; limits, damping, friction, springs,
/// armature, places of joints. It is the robot that build() makes of the description with these numbers.
/// Coordinates, frames and loops stay; links behind a joint that is placed elsewhere move with it. The joint between
/// world and root link has no such numbers, a fixed joint only a place, a continuous joint no limits of position: they
/// are refused, as build() refuses an inertia that is none or lower above upper.
Model with_parameters(const Model& model, const std::vector<LinkParameters>& links,
                      const std::vector<JointParameters>& joints = {});
/// with_parameters of one link.
inline Model with_link(const Model& model, const LinkParameters& link) { return with_parameters(model, {link}); }
/// with_parameters of one joint.
inline Model with_joint(const Model& model, const JointParameters& joint) {
  return with_parameters(model, {}, {joint});
}
/// The same robot under another gravity [m/s^2], the true vector. Three finite numbers.
Model with_gravity(const Model& model, const Vec3<double>& gravity);

/// The joints become fixed where q [nq] has them: their links keep their poses at q, their coordinates are gone, and so
/// are their limits, rotors, dampers, friction, springs and motors. The other coordinates keep names and order. With a
/// joint, all that follow it are locked; a follower alone leaves its group, and what follows it follows its leader.
/// Fixed joints may be named. The joint between world and root link becomes a fixed joint on a new massless link
/// `world`.
Model lock_joints(const Model& model, const std::vector<std::string>& joints, VectorIn q);
/// Locks every joint that moves but these and those that follow them. To keep a follower, name its leader.
Model keep_joints(const Model& model, const std::vector<std::string>& joints, VectorIn q);

/// The joint follows: q_joint = multiplier q_leader + offset, instead of what it followed before.
/// Both have one coordinate.
Model add_mimic(const Model& model, const std::string& joint, const std::string& leader, double multiplier = 1,
                double offset = 0);
/// The joint moves on its own. Refused where it follows nothing.
Model remove_mimic(const Model& model, const std::string& joint);

/// These joints have motors, and no others, whatever the file's transmissions say: Model::actuated(). A follower gives
/// its motor to the leader. The joint between world and root link has none. Of the motors of the description those of
/// the other joints go.
Model with_actuated(const Model& model, const std::vector<std::string>& joints);

/// `other` on top of `model`: its root link is fixed to the frame at `pose` [in the frame] by a joint named
/// `ROOT_mount`, ROOT being its root link. All names of `other` get the prefix; a name that both have is refused
/// (links, joints and frames: E_DUPLICATE). `other` needs one root link, and leaves its root joint, gravity and other
/// options behind. Motors and exclusions of contact come along. Its coordinates stand behind those of what the frame's
/// link carries otherwise.
Model append(const Model& model, const Model& other, const std::string& at_frame,
             const Transform<double>& pose = Transform<double>::identity(), const std::string& prefix = "");

/// Links behind fixed joints are added to the link that carries them: mass, centre, inertia and shapes. Their names and
/// those of the fixed joints stay as frames. A pair of links that never touch becomes that of the links that carry
/// them; within one such link it goes. A link on which a joint closes a loop as its child stays, and so does a link
/// with a mass whose gravity_scale is not that of the link that carries it. Coordinates keep names and order.
Model merge_fixed(const Model& model);

/// The link and all that it carries, the link fixed to the world. A joint that
/// follows one outside is refused (E_MIMIC).
Model subtree(const Model& model, const std::string& link);
/// What remains without the link and all that it carries. A root link is refused, and so is a joint left behind that
/// follows one that goes (E_MIMIC).
Model remove_subtree(const Model& model, const std::string& link);

/// The same robot with this link as root: it hangs on the world by the model's option `root`; where that is fixed, its
/// frame is the world's. Joints on the way to the old root are reversed and keep name, coordinate and effects; links
/// keep their frames, so that a turning joint whose axis misses the frame of its new child becomes a composite joint:
/// itself, and a fixed offset. Only fixed, revolute, continuous, prismatic and helical joints can be reversed, and such
/// composite joints (E_JOINT_TYPE).
Model re_root(const Model& model, const std::string& link);

}  // namespace zwang
