// SPDX-License-Identifier: BSD-3-Clause
// From MJCF's bodies to links and joints.
//
//   pose of a body in its parent = P . prod_i T(p_i) J_i(q_i - r_i) T(-p_i)
//
// with P as drawn, and for each joint its place p in the body, its motion J and its `ref` r. A joint here has its frame
// at T(p) in the parent, turned or shifted back by r, and at T(p) in the child. Of several joints of a body all but the
// last carry a link without mass, `BODY/JOINT`, in the body's frame so far.
#include "io/mjcf_robot.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "io/used_names.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {
namespace {

using JointKind = MjcfJoint::Kind;

/// Names for what has none: body_K by its number, BODY_joint, BODY_joint2, ... by its place in the body, JOINT_motor.
void name_all(MjcfModel& model) {
  UsedNames bodies, joints, equalities;
  for (const MjcfBody& body : model.bodies) {
    bodies.add(body.name);
    for (const MjcfJoint& joint : body.joints) joints.add(joint.name);
  }
  for (const MjcfEquality& row : model.equalities) equalities.add(row.name);
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    MjcfBody& body = model.bodies[k];
    if (body.name.empty()) body.name = bodies.fresh("body_" + std::to_string(k));
    int unnamed = 0;
    for (MjcfJoint& joint : body.joints) {
      if (!joint.name.empty()) continue;
      const std::string number = ++unnamed > 1 ? std::to_string(unnamed) : "";
      joint.name = joints.fresh(body.name + "_joint" + number);
    }
  }
  for (std::size_t k = 0; k < model.equalities.size(); ++k)
    if (model.equalities[k].name.empty()) model.equalities[k].name = equalities.fresh("equality_" + std::to_string(k));
  UsedNames motors;
  for (const MjcfMotor& motor : model.motors) motors.add(motor.data.name);
  for (MjcfMotor& motor : model.motors) {
    motor.data.joint = model.joint(motor.joint).name;
    if (motor.data.name.empty()) motor.data.name = motors.fresh(motor.data.joint + "_motor");
  }
}

const char* joint_type_of(JointKind kind) {
  switch (kind) {
    case JointKind::hinge: return "revolute";
    case JointKind::slide: return "prismatic";
    case JointKind::ball: return "spherical";
    case JointKind::free: break;
  }
  return "floating";
}

/// The joint's own motion back by its `ref`.
Transform<double> drawn_back(const MjcfJoint& joint) {
  if (joint.kind == JointKind::slide) return {Mat3<double>::identity(), joint.axis * -joint.reference};
  return {rotation(from_rotation_vector(joint.axis * -joint.reference)), Vec3<double>::zero()};
}

JointDescription joint_of(const MjcfJoint& from, bool has_actuators) {
  JointDescription out;
  out.name = from.name;
  out.type = joint_type_of(from.kind);
  out.axis = from.axis;
  out.place = from.place;
  const auto set = [](std::vector<double>& to, double x) {
    if (x != 0) to = {x};
  };
  set(out.damping, from.damping + from.motor_damping);
  set(out.friction, from.friction);
  set(out.rotor_inertia, from.armature);
  if (has_actuators) out.actuated = from.actuated ? JointDescription::Actuated::yes : JointDescription::Actuated::no;
  if (from.kind == JointKind::ball) set(out.stiffness, from.stiffness);
  if (from.freedoms() > 1) return out;
  out.lower = {from.lower};
  out.upper = {from.upper};
  set(out.stiffness, from.stiffness);
  set(out.spring_reference, from.spring_reference);
  double effort = from.effort;
  if (from.actuated && !from.unbounded_motor) effort = std::min(effort, from.motor_effort);
  if (std::isfinite(effort) && effort > 0) out.effort = {effort};
  return out;
}

/// Takes the free joints out, their motors, and their numbers out of the keyframes.
void fix_free_bodies(MjcfModel& model) {
  std::erase_if(model.motors, [&](const MjcfMotor& m) { return model.joint(m.joint).kind == JointKind::free; });
  for (MjcfKey& key : model.keys) {
    const MjcfKey old = std::move(key);
    key = {old.name, {}, {}, old.place};
    auto q = old.q.begin(), v = old.v.begin();
    for (const MjcfBody& body : model.bodies)
      for (const MjcfJoint& joint : body.joints) {
        const auto q_end = q + joint.coordinates(), v_end = v + joint.freedoms();
        if (joint.kind != JointKind::free) {
          key.q.insert(key.q.end(), q, q_end);
          key.v.insert(key.v.end(), v, v_end);
        }
        q = q_end;
        v = v_end;
      }
  }
  for (MjcfBody& body : model.bodies)
    if (!body.joints.empty() && body.joints.front().kind == JointKind::free) body.joints.clear();
}

/// f(body, joint, place in q, place in v) in MuJoCo's order.
template <class Model, class F> void each_joint(Model& model, F&& f) {
  std::size_t at = 0, of_v = 0;
  for (auto& body : model.bodies)
    for (auto& joint : body.joints) {
      f(body, joint, at, of_v);
      at += static_cast<std::size_t>(joint.coordinates());
      of_v += static_cast<std::size_t>(joint.freedoms());
    }
}

/// q of zwang as drawn.
std::vector<double> drawn(const MjcfModel& model) {
  std::vector<double> q;
  each_joint(model, [&](const MjcfBody& body, const MjcfJoint& joint, std::size_t, std::size_t) {
    const Quat<double> r = from_rotation(body.pose.R);
    const Vec3<double>& p = body.pose.p;
    if (joint.freedoms() == 1) q.push_back(joint.reference);
    if (joint.kind == JointKind::free) q.insert(q.end(), {p.x, p.y, p.z, r.x, r.y, r.z, r.w});
    if (joint.kind == JointKind::ball) q.insert(q.end(), {0, 0, 0, 1});
  });
  return q;
}

class RobotWriter {
 public:
  RobotWriter(MjcfModel model, MjcfWork& work) : model_(std::move(model)), work_(work) { name_all(model_); }

  /// Links and joints alone.
  RobotDescription bare() {
    for (MjcfBody& body : model_.bodies) link(body);
    for (const MjcfBody& body : model_.bodies) joints(body);
    return std::move(out_.robot);
  }

  RobotDocument write() {
    out_.robot.name = model_.name.empty() ? "mujoco" : model_.name;
    for (MjcfBody& body : model_.bodies) link(body);
    for (const MjcfBody& body : model_.bodies) joints(body);
    for (const LinkDescription& l : out_.robot.links) names_.add(l.name);
    for (const JointDescription& j : out_.robot.joints) names_.add(j.name);
    for (const MjcfBody& body : model_.bodies)
      for (const MjcfSite& site : body.sites) {
        if (site.name.empty()) continue;
        const std::string name = names_.has(site.name) ? site.name + "_site" : site.name;
        out_.robot.frames.push_back({names_.fresh(name), body.name, site.pose});
        frame_of_site_.emplace(place_of(body.name, site.pose), out_.robot.frames.back().name);
      }
    for (const MjcfEquality& row : model_.equalities) constraint(row);
    for (MjcfMotor& motor : model_.motors) out_.robot.motors.push_back(std::move(motor.data));
    const auto name_of = [&](int body) { return model_.bodies[static_cast<std::size_t>(body)].name; };
    for (const auto& [a, b] : model_.exclusions) out_.robot.contact_exclusions.push_back({name_of(a), name_of(b), {}});
    configurations();
    out_.gravity = model_.gravity;
    out_.rooted = true;
    return std::move(out_);
  }

 private:
  void link(MjcfBody& body) {
    LinkDescription& l = out_.robot.links.emplace_back();
    l.name = body.name;
    l.mass = body.mass;
    l.centre = body.centre;
    l.inertia = body.inertia;
    l.gravity_scale = 1 - body.gravcomp;
    l.shapes = std::move(body.shapes);
    l.place = body.place;
    taken_links_.add(l.name);
  }

  void joints(const MjcfBody& body) {
    if (body.parent < 0) return;
    const std::string& parent = model_.bodies[static_cast<std::size_t>(body.parent)].name;
    if (body.joints.empty()) {
      JointDescription& j = out_.robot.joints.emplace_back();
      j.name = fixed_names().fresh(body.name + "_fixed");
      j.parent = parent;
      j.child = body.name;
      j.origin = body.pose;
      j.place = body.place;
      return;
    }
    std::string from = parent;
    Transform<double> pose = body.pose;
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      const MjcfJoint& joint = body.joints[k];
      const bool last = k + 1 == body.joints.size();
      JointDescription& j = out_.robot.joints.emplace_back(joint_of(joint, model_.has_actuators));
      j.parent = from;
      j.child = last ? body.name : taken_links_.fresh(body.name + '/' + joint.name);
      if (joint.kind != JointKind::free) {
        const Transform<double> at{Mat3<double>::identity(), joint.position};
        j.origin = pose * at * drawn_back(joint);
        j.child_origin = at;
      }
      if (!last) {
        LinkDescription& l = out_.robot.links.emplace_back();
        l.name = j.child;
        l.place = joint.place;
      }
      from = j.child;
      pose = Transform<double>::identity();
    }
  }

  /// Names that joints have or will have.
  UsedNames& fixed_names() {
    if (joint_names_.empty())
      for (const MjcfBody& body : model_.bodies)
        for (const MjcfJoint& joint : body.joints) joint_names_.add(joint.name);
    return joint_names_;
  }

  /// A body and a pose in it, to the last bit.
  static std::string place_of(const std::string& body, const Transform<double>& pose) {
    std::string key = body + '\n';
    const auto add = [&](double x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
    for (int i = 0; i < 3; ++i) {
      add(pose.p[i]);
      for (int k = 0; k < 3; ++k) add(pose.R(i, k));
    }
    return key;
  }

  void constraint(const MjcfEquality& row) {
    const auto hold = [&](auto& c) {
      c.name = row.name;
      c.active = row.active;
      c.stabilisation.time_constant = row.time_constant;
      c.stabilisation.damping_ratio = row.damping_ratio;
    };
    if (row.kind == MjcfEquality::Kind::coupling) {
      CouplingConstraint c;
      hold(c);
      for (const MjcfJointPlace& at : row.joints) c.coordinates.push_back(model_.joint(at).name);
      c.ratio = row.ratio;
      c.polynomial = row.polynomial;
      if (c.polynomial.empty()) c.offset = row.offset;
      out_.constraints.push_back({std::move(c), row.place});
      return;
    }
    LoopConstraint c;
    hold(c);
    std::string* names[2] = {&c.frame, &c.other};
    for (int e = 0; e < 2; ++e) {
      if (row.of_sites) {
        const std::string& body = model_.bodies[static_cast<std::size_t>(row.body[e])].name;
        const auto site = frame_of_site_.find(place_of(body, row.frame[e]));
        if (site != frame_of_site_.end()) {
          *names[e] = site->second;
          continue;
        }
      }
      *names[e] = names_.fresh(row.name + (e == 0 ? "_1" : "_2"));
      out_.robot.frames.push_back({*names[e], model_.bodies[static_cast<std::size_t>(row.body[e])].name, row.frame[e]});
    }
    c.rows = joint_rows(row.kind == MjcfEquality::Kind::weld ? "weld" : "ball");
    out_.constraints.push_back({std::move(c), row.place});
  }

  void configurations() {
    out_.configurations.push_back({"file", {}});
    each_joint([&](const MjcfBody& body, const MjcfJoint& joint, std::size_t, std::size_t) {
      const Quat<double> q = from_rotation(body.pose.R);
      const Vec3<double>& p = body.pose.p;
      JointState state{joint.name, {joint.reference}, {}};
      if (joint.kind == JointKind::ball) return;
      if (joint.kind == JointKind::free) state.q = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
      out_.configurations.back().joints.push_back(std::move(state));
    });
    UsedNames taken{"file"};
    for (const MjcfKey& key : model_.keys) taken.add(key.name);
    for (std::size_t k = 0; k < model_.keys.size(); ++k) {
      const MjcfKey& key = model_.keys[k];
      const bool changed = key.name == "file";
      const std::string name = key.name.empty() ? taken.fresh("key_" + std::to_string(k))
                               : changed        ? taken.fresh(key.name)
                                                : key.name;
      if (changed)
        work_.warn(key.place, "W_NAME", "key 'file'", "another name: 'file' is the pose drawn",
                   "its configuration is called " + detail::quoted(name));
      keyframe(key, name);
    }
  }

  /// Quaternions w x y z become x y z w, of unit length; linear velocities of free bodies turn from the world's axes
  /// into the body's.
  void keyframe(const MjcfKey& key, const std::string& name) {
    out_.configurations.push_back({name, {}});
    each_joint([&](const MjcfBody&, const MjcfJoint& joint, std::size_t at, std::size_t of_v) {
      const auto q0 = key.q.begin() + static_cast<std::ptrdiff_t>(at);
      const auto v0 = key.v.begin() + static_cast<std::ptrdiff_t>(of_v);
      JointState state{joint.name, {q0, q0 + joint.coordinates()}, {v0, v0 + joint.freedoms()}};
      if (joint.freedoms() > 1) {
        double* w = state.q.data() + (joint.kind == JointKind::free ? 3 : 0);
        Quat<double> q{w[1], w[2], w[3], w[0]};
        bool finite = std::isfinite(norm(q));
        q = norm(q) < 1e-14 ? Quat<double>::identity() : normalized(q);
        w[0] = q.x, w[1] = q.y, w[2] = q.z, w[3] = q.w;
        if (joint.kind == JointKind::free) {
          const Vec3<double> v = transpose_times(rotation(q), Vec3<double>{state.v[0], state.v[1], state.v[2]});
          for (int i = 0; i < 3; ++i) state.v[static_cast<std::size_t>(i)] = v[i];
          finite = finite && std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
        }
        if (!finite)
          work_.refuse(key.place, "E_NUMBER", "numbers of joint " + detail::quoted(joint.name) + " that are too large",
                       "a quaternion and a velocity whose lengths are finite");
      }
      out_.configurations.back().joints.push_back(std::move(state));
    });
  }

  template <class F> void each_joint(F&& f) const { io::each_joint(model_, f); }

  MjcfModel model_;
  RobotDocument out_;
  MjcfWork& work_;
  UsedNames names_, taken_links_, joint_names_;
  std::unordered_map<std::string, std::string> frame_of_site_;  ///< by its place: the first one there
};

/// Springs and dampers of joints that give a time constant T and a damping ratio z instead of k and d: with the
/// inertia I = n / trace of M^-1 in the joint's n coordinates, as drawn, k = I / (T z)^2 and d = 2 I / T. Dampers of
/// actuators come on top.
void spring_dampers(MjcfModel& model, MjcfWork& work) {
  const auto by_time = [](const MjcfJoint& j) { return j.spring_damper[0] > 0 && j.kind != JointKind::free; };
  long solves = 1, freedoms = 0;
  const MjcfJoint* first = nullptr;
  each_joint(model, [&](const MjcfBody&, const MjcfJoint& joint, std::size_t, std::size_t) {
    freedoms += joint.freedoms();
    if (!by_time(joint)) return;
    solves += joint.freedoms();
    if (!first) first = &joint;
  });
  if (!first) return;
  // A forward dynamics for each freedom: eight coordinates cost as much as an element.
  const long cost = solves * freedoms / 8, most = work.options.limits.elements;
  if (cost > most - work.elements) {
    work.refuse(first->place, "E_LIMIT_ELEMENTS",
                "springdamper in " + std::to_string(solves - 1) + " of " + std::to_string(freedoms) + " coordinates",
                "work of at most " + std::to_string(most) + " elements", "give stiffness and damping");
    return;
  }
  const auto left_out = [&](const std::string& why) {
    each_joint(model, [&](MjcfBody&, MjcfJoint& joint, std::size_t, std::size_t) {
      if (by_time(joint))
        work.warn(joint.place, "W_MJCF_IGNORED", "springdamper of joint " + detail::quoted(joint.name),
                  "a mass matrix that can be inverted", "left out: " + why);
    });
  };
  try {
    BuildOptions options = work.options;
    options.gravity = Vec3<double>::zero();
    options.root = "fixed";
    Diagnostics ignored;
    const Model robot = build(RobotWriter(model, work).bare(), options, &ignored);
    Data data(robot);
    const std::vector<double> q = drawn(model), rest(static_cast<std::size_t>(robot.nv()));
    std::vector<double> tau = rest;
    const auto accelerations = [&] {
      using Map = Eigen::Map<const Eigen::VectorXd>;
      return forward_dynamics(robot, data, Map(q.data(), robot.nq()), Map(rest.data(), robot.nv()),
                              Map(tau.data(), robot.nv()));
    };
    const VectorView by_springs = accelerations();
    const std::vector<double> free(by_springs.data(), by_springs.data() + by_springs.size());
    each_joint(model, [&](MjcfBody&, MjcfJoint& joint, std::size_t, std::size_t of_v) {
      if (!by_time(joint)) return;
      double trace = 0;
      for (int i = 0; i < joint.freedoms(); ++i) {
        const std::size_t k = of_v + static_cast<std::size_t>(i);
        tau[k] = 1;
        trace += accelerations().data()[k] - free[k];
        tau[k] = 0;
      }
      const double inertia = joint.freedoms() / std::max(trace, 1e-15), T = joint.spring_damper[0];
      joint.damping = 2 * inertia / T;
      joint.stiffness = inertia / (T * T * joint.spring_damper[1] * joint.spring_damper[1]);
    });
  } catch (const SingularMassError& error) { left_out(error.what()); } catch (const ArithmeticOverflowError& error) {
    left_out(error.what());
  } catch (const ModelError&) { left_out("the robot is refused"); }
}

/// MuJoCo looks at gravcomp where a body has one above 0.
void leave_out_gravcomp(MjcfModel& model, MjcfWork& work) {
  const MjcfBody* below = nullptr;
  for (const MjcfBody& body : model.bodies) {
    if (body.gravcomp > 0) return;
    if (body.gravcomp < 0 && !below) below = &body;
  }
  if (!below) return;
  work.warn(below->place, "W_MJCF_IGNORED", "gravcomp below 0 of body " + detail::quoted(below->name),
            "a body whose gravcomp is above 0", "MuJoCo ignores all of them where none is above 0, and so it is here");
  for (MjcfBody& body : model.bodies) body.gravcomp = 0;
}

}  // namespace

RobotDocument mjcf_robot(MjcfModel model, bool fixed, MjcfWork& work) {
  leave_out_gravcomp(model, work);
  spring_dampers(model, work);  // of the robot as the file has it
  if (fixed) fix_free_bodies(model);
  if (work.found.refused()) return {};
  return RobotWriter(std::move(model), work).write();
}

}  // namespace zwang::io
