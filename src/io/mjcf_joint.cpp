// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: joints.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"

namespace zwang::io {

void MjcfReader::free_joint(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};  // takes no defaults
  MjcfJoint fresh;
  fresh.kind = MjcfJoint::Kind::free;
  fresh.name = suffixed(values_.name_of(of), scope);
  const int align = values_.word(of, "align", {"false", "true", "auto"}, 2);
  fresh.aligned = align == 1 || (align == 2 && compiler_.align_free);
  add_joint(node, scope, std::move(fresh));
}

void MjcfReader::joint(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of = fields(node, MjcfKind::joint, scope.of_class);
  MjcfJoint fresh;
  using Kind = MjcfJoint::Kind;
  fresh.kind = static_cast<Kind>(values_.word(of, "type", {"hinge", "slide", "ball", "free"}, 0));
  const bool turns = fresh.kind == Kind::hinge, scalar = turns || fresh.kind == Kind::slide;
  fresh.name = suffixed(values_.name_of(of), scope);
  values_.vector(of, "pos", fresh.position);
  values_.vector(of, "axis", fresh.axis);
  if (scalar) {
    const double length = norm(fresh.axis);
    if (!(length >= 1e-14)) {
      document_.refuse(of.where("axis"), "E_AXIS", "axis " + detail::quoted(of.text("axis") ? of.text("axis") : ""),
                       "an axis that is not zero");
      return;
    }
    fresh.axis = fresh.axis * (1 / length);
  }
  fresh.position = scope.pose * fresh.position;
  fresh.axis = scope.pose.R * fresh.axis;
  values_.number(of, "ref", fresh.reference);
  values_.number(of, "springref", fresh.spring_reference);
  if (turns) fresh.reference = compiler_.angles.radian(fresh.reference);
  if (turns) fresh.spring_reference = compiler_.angles.radian(fresh.spring_reference);
  if (!scalar) fresh.reference = 0;
  // Polynomials: the linear coefficient comes first.
  for (const auto& [name, out] : {std::pair{"stiffness", &fresh.stiffness}, std::pair{"damping", &fresh.damping}}) {
    double terms[3] = {0, 0, 0};
    values_.numbers(of, name, 1, 3, terms);
    *out = terms[0];
    if (terms[1] != 0 || terms[2] != 0)
      values_.warn(of.where(name), "W_MJCF_IGNORED", std::string(name) + " " + detail::quoted(of.text(name)),
                   "one coefficient", "springs and dampers are linear: the others are left out");
  }
  values_.number(of, "frictionloss", fresh.friction);
  values_.number(of, "armature", fresh.armature);
  values_.numbers(of, "springdamper", 2, 2, fresh.spring_damper);
  const double* times = fresh.spring_damper;
  if ((times[0] != 0 || times[1] != 0) && !(times[0] > 0 && times[1] > 0))
    return document_.refuse(of.where("springdamper"), "E_NUMBER",
                            "springdamper " + detail::quoted(of.text("springdamper")),
                            "a time constant and a damping ratio, both larger than 0");
  if (fresh.kind == Kind::free && fresh.stiffness != 0) {
    values_.warn(of.where("stiffness"), "W_MJCF_IGNORED", "the spring of a free joint",
                 "a spring of a hinge, slide or ball", "left out: the robot moves otherwise without it");
    fresh.stiffness = 0;
  }
  if (fresh.kind == Kind::free && fresh.armature != 0)
    values_.warn(of.where("armature"), "W_MJCF_IGNORED", "the armature of a free joint", "none",
                 "it acts in the body's axes here, in the world's axes in MuJoCo");
  limits(of, fresh);
  effort(of, fresh);
  fresh.aligned = fresh.kind == Kind::free && compiler_.align_free;
  add_joint(node, scope, std::move(fresh));
}

/// `limited` is `auto` by default: a range that is not empty is a limit.
void MjcfReader::limits(const MjcfFields& of, MjcfJoint& joint) {
  double range[2] = {0, 0};
  if (values_.numbers(of, "range", 2, 2, range) < 0) return;
  const int limited = values_.word(of, "limited", {"false", "true", "auto"}, 2);
  const bool given = range[0] != 0 || range[1] != 0;
  const pugi::xml_node where = of.where("range");
  const std::string text = "range " + detail::quoted(of.text("range") ? of.text("range") : "");
  if (limited == 2 && !compiler_.auto_limits && given) {
    document_.refuse(where, "E_LIMIT", text + " without 'limited'", "limited=\"true\" or \"false\"",
                     "the compiler's autolimits is false");
    return;
  }
  if (limited == 0 || (limited == 2 && !given)) return;
  const bool ball = joint.kind == MjcfJoint::Kind::ball;
  if (joint.kind == MjcfJoint::Kind::free) return;
  if (ball) {
    if (range[0] != 0) return document_.refuse(where, "E_LIMIT", text, "0 and an angle: a ball joint has a cone");
    if (range[1] > 0)
      values_.warn(where, "W_MJCF_IGNORED", text + " of a ball joint", "limits of hinges and slides",
                   "a cone of angles has no counterpart: left out");
    return;
  }
  if (range[0] >= range[1]) {
    if (limited == 1) {
      document_.refuse(where, "E_LIMIT", text, "a lower limit below the upper one");
    } else {
      values_.warn(where, "W_LIMIT", text, "a lower limit below the upper one", "the joint has no limits");
    }
    return;
  }
  const bool turns = joint.kind == MjcfJoint::Kind::hinge;
  joint.lower = turns ? compiler_.angles.radian(range[0]) : range[0];
  joint.upper = turns ? compiler_.angles.radian(range[1]) : range[1];
}

/// Reads a range of forces or controls. It holds where `limited` is true, or `auto` and the range not empty.
/// False where it does not hold, or, with a finding, where it is wrong.
bool MjcfReader::bounds(const MjcfFields& of, const char* range, const char* limited, double* out) {
  const int how = values_.word(of, limited, {"false", "true", "auto"}, 2);
  if (values_.numbers(of, range, 2, 2, out) < 0 || how == 0) return false;
  const bool given = out[0] != 0 || out[1] != 0;
  const std::string text = std::string(range) + ' ' + detail::quoted(of.text(range) ? of.text(range) : "");
  if (how == 2 && !compiler_.auto_limits && given) {
    document_.refuse(of.where(range), "E_LIMIT", text + " without '" + limited + '\'',
                     std::string(limited) + "=\"true\" or \"false\"", "the compiler's autolimits is false");
    return false;
  }
  if (out[0] < out[1]) return true;
  if (how == 1) document_.refuse(of.where(range), "E_LIMIT", text, "a lower limit below the upper one");
  return false;
}

void MjcfReader::effort(const MjcfFields& of, MjcfJoint& joint) {
  double range[2] = {0, 0};
  if (joint.freedoms() > 1 || !bounds(of, "actuatorfrcrange", "actuatorfrclimited", range)) return;
  joint.effort = std::max(std::fabs(range[0]), std::fabs(range[1]));
  joint.uneven_effort = range[0] != -range[1];
}

/// What a body may have: one free joint alone, or at most six freedoms with no hinge or ball after a ball.
void MjcfReader::add_joint(pugi::xml_node node, const Scope& scope, MjcfJoint&& fresh) {
  using Kind = MjcfJoint::Kind;
  const auto refused = [&](const std::string& what, const std::string& expected) {
    document_.refuse(node, "E_MJCF_JOINT", what, expected);
  };
  if (scope.body == 0) return refused("a joint of the worldbody", "joints inside of a <body>");
  MjcfBody& body = model_.bodies[static_cast<std::size_t>(scope.body)];
  int freedoms = fresh.freedoms();
  bool ball = false, free = false;
  for (const MjcfJoint& j : body.joints) {
    freedoms += j.freedoms();
    ball = ball || j.kind == Kind::ball;
    free = free || j.kind == Kind::free;
  }
  if (free || (fresh.kind == Kind::free && !body.joints.empty()))
    return refused("a free joint beside another joint", "it alone: it has all six freedoms");
  if (fresh.kind == Kind::free && body.parent != 0 && nesting_ == 0)
    return refused("a free joint inside of another body", "it in a body of the worldbody");
  if (freedoms > 6) return refused("a body with " + std::to_string(freedoms) + " freedoms", "at most 6");
  if (ball && (fresh.kind == Kind::ball || fresh.kind == Kind::hinge))
    return refused("a rotation after a ball joint", "nothing that turns after a ball joint");
  if (!take_name("joint", fresh.name, node)) return;
  load_frames(scope);
  fresh.place = document_.place_of(node);
  if (!fresh.name.empty()) joint_index_.emplace(fresh.name, static_cast<int>(model_.joints.size()));
  model_.joints.push_back({scope.body, static_cast<int>(body.joints.size())});
  body.joints.push_back(std::move(fresh));
}

}  // namespace zwang::io
