// SPDX-License-Identifier: BSD-3-Clause
// What an MJCF says, in plain numbers: radians, poses of bodies in bodies, joints in body frames. Names are resolved to
// indices, so that a model can be attached to another one. mjcf_robot.cpp makes a RobotDescription of it.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zwang/core/error.hpp"
#include "zwang/model/description.hpp"

namespace zwang::io {

struct MjcfJoint {
  enum class Kind { hinge, slide, ball, free };
  Kind kind = Kind::hinge;
  std::string name;
  Vec3<double> position = Vec3<double>::zero(), axis{0, 0, 1};  ///< in the body's frame; the axis has length 1
  double reference = 0;                                         ///< the coordinate in the pose drawn
  double lower = -unlimited, upper = unlimited;
  double stiffness = 0, spring_reference = 0, damping = 0, friction = 0, armature = 0;
  double spring_damper[2] = {0, 0};  ///< time constant, damping ratio; 0 0: absent
  double effort = unlimited;
  double motor_effort = 0;   ///< of all actuators with bounds together
  double motor_damping = 0;  ///< of all actuators together
  bool actuated = false, unbounded_motor = false;
  bool uneven_effort = false;  ///< the bounds of both directions differ
  bool aligned = false;        ///< MuJoCo moves the frame of this free body to its principal axes
  SourcePlace place;

  int coordinates() const { return kind == Kind::free ? 7 : kind == Kind::ball ? 4 : 1; }
  int freedoms() const { return kind == Kind::free ? 6 : kind == Kind::ball ? 3 : 1; }
};

/// A part of a body's mass; or why it cannot be known, which matters only where the body needs it. What takes work is
/// found then: `weigh` sets the rest, and comes before the model is attached to another one.
struct MjcfSolid {
  double mass = 0;
  Transform<double> pose = Transform<double>::identity();  ///< centre and axes in the body
  Sym3<double> inertia = Sym3<double>::zero();             ///< about the centre, its own axes
  std::shared_ptr<const Diagnostic> fault = nullptr;
  std::function<void(MjcfSolid&)> weigh = nullptr;
};

struct MjcfSite {
  std::string name;
  Transform<double> pose = Transform<double>::identity();
};

struct MjcfBody {
  std::string name;
  int parent = -1;
  Transform<double> pose = Transform<double>::identity();  ///< in the parent, as drawn
  Transform<double> own = Transform<double>::identity();   ///< as written: without the frames around it
  std::vector<MjcfJoint> joints;
  std::vector<MjcfSite> sites;
  std::vector<MjcfSolid> solids;
  std::vector<Shape> shapes;
  int frame = -1;  ///< the innermost frame with a name around it in the parent, in MjcfModel::frames
  bool has_inertial = false, mocap = false, weighed = false;
  std::vector<SourcePlace> planes;  ///< geoms that only a fixed body may have
  double mass = 0, gravcomp = 0;
  Vec3<double> centre = Vec3<double>::zero();
  Sym3<double> inertia = Sym3<double>::zero();
  SourcePlace place;
};

/// A frame with a name, and the one around it in the same body.
struct MjcfFrame {
  std::string name;
  int around = -1;
  bool loaded = false;  ///< holds geoms, joints or sites itself
};

/// A joint by its body and its place there.
struct MjcfJointPlace {
  int body = 0, joint = 0;
};

/// A site by its body and its place there.
struct MjcfSitePlace {
  int body = 0, site = 0;
};

struct MjcfEquality {
  enum class Kind { ball, weld, coupling };
  Kind kind = Kind::ball;
  std::string name;
  bool active = true;
  double time_constant = 0, damping_ratio = 1;
  int body[2] = {0, 0};
  Transform<double> frame[2] = {Transform<double>::identity(), Transform<double>::identity()};  ///< in these bodies
  std::vector<MjcfJointPlace> joints = {};                                                      ///< of a coupling
  std::vector<double> ratio = {}, polynomial = {};                                              ///< one of them
  double offset = 0;
  int drawn = -1;         ///< the frame that follows from the other one and the pose drawn; -1: neither
  bool of_sites = false;  ///< the frames are sites
  SourcePlace place = {};
};

/// A keyframe: q and v as MuJoCo orders them.
struct MjcfKey {
  std::string name;
  std::vector<double> q, v;
  SourcePlace place;
};

/// A tendon: a sum of coordinates, where it is fixed.
struct MjcfTendon {
  std::string name;
  bool fixed = false;
  std::vector<std::pair<int, double>> terms;  ///< joint, in MjcfModel::joints, and its coefficient
};

/// A motor of a joint; its `joint` is named when all joints have names.
struct MjcfMotor {
  MjcfJointPlace joint;
  MotorDescription data;
};

struct MjcfModel {
  std::string name;
  std::optional<Vec3<double>> gravity;
  bool has_total_mass = false;   ///< settotalmass of <compiler>
  std::vector<MjcfBody> bodies;  ///< the world first; depth first, a parent before its children
  std::vector<MjcfJointPlace> joints;
  std::vector<MjcfTendon> tendons;
  std::vector<MjcfEquality> equalities;
  std::vector<MjcfKey> keys;
  bool has_actuators = false;
  std::vector<MjcfMotor> motors;
  std::vector<std::array<int, 2>> exclusions;  ///< bodies whose geoms never touch
  std::vector<MjcfFrame> frames;               ///< those with a name; a frame before the frames in it

  MjcfJoint& joint(const MjcfJointPlace& at) {
    return bodies[static_cast<std::size_t>(at.body)].joints[static_cast<std::size_t>(at.joint)];
  }
  const MjcfJoint& joint(const MjcfJointPlace& at) const {
    return bodies[static_cast<std::size_t>(at.body)].joints[static_cast<std::size_t>(at.joint)];
  }
};

}  // namespace zwang::io
