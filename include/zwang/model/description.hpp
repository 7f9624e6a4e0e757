// SPDX-License-Identifier: BSD-3-Clause
// Description of a robot as its author gives it: links, joints, frames. Readers fill it; build() (builder.hpp) turns it
// into a Model.
//
// Everything is given at q = 0 in the frames of the author: a link's inertia in the link's axes about the link's centre
// of mass, a joint's origin in the parent link's frame, its axis in the joint's frame. SI units.
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "zwang/spatial/inertia.hpp"

namespace zwang {

struct UserJoint;  // model/user_joint.hpp

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();   ///< "the file does not say"
inline constexpr double unlimited = std::numeric_limits<double>::infinity();  ///< "there is no limit"

/// Where a description comes from, for diagnostics. Empty for models built by hand.
struct SourcePlace {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string path = {};  ///< `robot/joint[elbow]`
};

/// What a simulator of contact wants to know of a collision shape, as MJCF and SDF say it. Dynamics never looks at it.
struct ContactData {
  double friction[3] = {unknown, unknown, unknown};  ///< sliding [1], torsional [m], rolling [m]
  /// Two shapes may touch where one's type has a bit in common with the other's affinity.
  int type = 1, affinity = 1;
  int dimension = 3;  ///< of the contact force: 1 frictionless, 3 sliding, 4 torsional, 6 rolling friction
  int priority = 0;   ///< of two shapes that touch, the data of the higher one are used
  double margin = 0;  ///< distance at which a contact is seen [m]
};

/// A visual or collision shape, kept as data: dynamics never looks at it.
struct Shape {
  enum class Kind { box, cylinder, sphere, capsule, mesh, plane, ellipsoid };
  Kind kind = Kind::box;
  bool collision = false;
  std::string name = {};
  Transform<double> origin = Transform<double>::identity();  ///< in the link frame
  /// Box: x y z; cylinder, capsule: radius, length; sphere: radius; mesh: scale x y z; plane (normal z): lengths in x
  /// and y, 0 without end; ellipsoid: radii in x y z. [m]
  double size[3] = {0, 0, 0};
  std::string mesh = {};       ///< the URI as written
  std::string mesh_path = {};  ///< the resolved file; empty where it was not found
  std::string material = {};
  double colour[4] = {unknown, unknown, unknown, unknown};  ///< r g b a
  ContactData contact = {};
};

/// A link: its name, inertia and shapes.
struct LinkDescription {
  std::string name;
  double mass = 0.0;                            ///< [kg]
  Vec3<double> centre = Vec3<double>::zero();   ///< centre of mass in the link frame [m]
  Sym3<double> inertia = Sym3<double>::zero();  ///< about the centre of mass, link axes [kg m^2]
  std::vector<Shape> shapes = {};
  SourcePlace place = {};
  /// How much of gravity pulls at its centre of mass; 0: none. A force besides inertia: JointEffects::gravity_scale.
  double gravity_scale = 1.0;
};

/// One part of a composite joint: parts follow each other from the parent link to the child link.
struct JointPart {
  std::string type;
  Transform<double> origin = Transform<double>::identity();  ///< in the frame after the part before
  Vec3<double> axis{0, 0, 1};
  std::vector<double> parameters = {};
};

/// The coordinate of a joint as a multiple of another joint's, with an offset.
struct Mimic {
  std::string leader = {};  ///< empty: this joint leads itself
  double multiplier = 1.0;
  double offset = 0.0;
};

/// Every vector below holds one number per coordinate, or one number for all, or none:
/// none means unknown (limits) or 0.
struct JointDescription {
  std::string name;
  /// A name of model/joint_types.hpp, `fixed`, `continuous` (a revolute joint without limits) or `composite`.
  std::string type = "fixed";
  std::string parent = {}, child = {};                       ///< link names
  Transform<double> origin = Transform<double>::identity();  ///< the joint frame in the parent link, at q = 0
  /// The joint frame in the child link: pose of the child in the parent = origin * motion(q) * child_origin^-1.
  Transform<double> child_origin = Transform<double>::identity();
  Vec3<double> axis{0, 0, 1};                       ///< in the joint frame; need not have unit length
  std::vector<double> parameters = {};              ///< helical: pitch [m/rad]; ellipsoid: radii a b c [m]
  std::vector<JointPart> parts = {};                ///< of a composite joint
  std::shared_ptr<const UserJoint> user = nullptr;  ///< of a user-defined joint

  std::vector<double> lower = {}, upper = {};       ///< of q; NaN unknown, +-inf none
  std::vector<double> velocity = {}, effort = {};   ///< bounds of |v| and |tau|
  std::vector<double> damping = {}, friction = {};  ///< viscous [N m s/rad], Coulomb [N m]
  /// tau = -k (q - reference) where q is additive. Spherical: tau = -k log(R_0^T R), one k for all three directions;
  /// the reference R_0 is a quaternion (x, y, z, w), none the identity.
  std::vector<double> stiffness = {}, spring_reference = {};
  std::vector<double> rotor_inertia = {}, gear_ratio = {};  ///< armature = ratio^2 * rotor inertia; ratio 1 if absent
  Mimic mimic = {};

  enum class Actuated { by_default, yes, no };  ///< by default all but the root joint, floating and planar joints are
  Actuated actuated = Actuated::by_default;
  /// Not a joint of the tree: it closes a loop and is replaced by rows of its
  /// kind between its two links (Model::loops).
  bool closes_loop = false;

  double soft_lower = unknown, soft_upper = unknown, k_position = unknown, k_velocity = unknown;  ///< safety controller
  double rising = unknown, falling = unknown;                                                     ///< calibration
  SourcePlace place = {};
};

/// A frame of the user on a link.
struct FrameDescription {
  std::string name;
  std::string parent = {};  ///< a link or another frame
  Transform<double> placement = Transform<double>::identity();
};

/// An attribute as the file writes it.
struct NamedText {
  std::string name, text = {};
};

/// A motor as the file describes it, kept as data. What of it acts on the dynamics (armature, damping, bounds of the
/// effort) stands in its joint, too.
struct MotorDescription {
  std::string name;
  std::string joint = {};
  std::string kind = "motor";  ///< the file's word: motor, position, velocity, general, ...
  double gear = 1.0;           ///< force on the joint per force of the motor
  double control_lower = unknown, control_upper = unknown;
  double force_lower = unknown, force_upper = unknown;  ///< of the motor's own force, before the gear
  std::vector<NamedText> attributes = {};               ///< what else the file says: gains, time constants
  SourcePlace place = {};
};

/// Two links whose shapes never touch each other, kept as data.
struct ContactExclusion {
  std::string first, second = {};
  std::string reason = {};  ///< as the file says: Adjacent, Never, ...
};

/// A whole robot as described. The order of links and joints is the document's and becomes the model's.
struct RobotDescription {
  std::string name = {};
  std::vector<LinkDescription> links = {};
  std::vector<JointDescription> joints = {};
  std::vector<FrameDescription> frames = {};
  std::vector<MotorDescription> motors = {};
  std::vector<ContactExclusion> contact_exclusions = {};
};

}  // namespace zwang
