// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: actuators, as motors of joints, and tendons, as sums of coordinates.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"
#include "io/xml_writer.hpp"

namespace zwang::io {

/// An actuator of a joint: the joint is driven, its armature and damping act through the square of the gear.
void MjcfReader::actuator(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::actuator, 0);
  if (!take_name("actuator", values_.name_of(of), node)) return;
  model_.has_actuators = true;
  const auto note = [&](const std::string& key, const std::string& what, const std::string& hint) {
    Diagnostic d = document_.at(node, "N_MJCF_ACTUATOR");
    d.found = what;
    d.expected = "a motor of a joint";
    d.hint = hint;
    notes_.emplace("actuator " + key, std::move(d));
  };
  const char* joint = node.attribute("joint") ? "joint" : node.attribute("jointinparent") ? "jointinparent" : nullptr;
  if (!joint) {
    const char* on = "nothing";
    for (const char* name : {"tendon", "slidersite", "site", "body"})
      if (node.attribute(name)) on = name;
    const std::string target = node.attribute(on).value();
    const auto refers = [&](const char* kind, const std::unordered_map<std::string, int>& known) {
      if (std::string_view(on) == kind && !known.count(target)) unknown(node, kind, target, known);
    };
    refers("tendon", tendon_index_);
    refers("site", site_index_);
    refers("body", body_index_);
    return note(on, std::string("<") + node.name() + "> on a " + on, "left out: only motors of joints are read");
  }
  const std::string name = node.attribute(joint).value();
  const auto it = joint_index_.find(name);
  if (it == joint_index_.end()) return unknown(node, "joint", name, joint_index_);
  const MjcfJointPlace& at = model_.joints[static_cast<std::size_t>(it->second)];
  MjcfJoint& driven = model_.joint(at);
  driven.actuated = true;
  double gear[6] = {1, 0, 0, 0, 0, 0}, damping[3] = {0, 0, 0}, armature = 0;
  values_.numbers(of, "gear", 1, 6, gear);
  values_.numbers(of, "damping", 1, 3, damping);
  values_.number(of, "armature", armature);
  const double ratio = gear[0] * gear[0];
  driven.armature += armature * ratio;
  driven.motor_damping += damping[0] * ratio;
  if (damping[1] != 0 || damping[2] != 0)
    values_.warn(node, "W_MJCF_IGNORED", "damping " + detail::quoted(of.text("damping")), "one coefficient",
                 "dampers are linear: the others are left out");
  if (driven.freedoms() > 1 && std::string_view(joint) == "jointinparent")
    note("in parent", "jointinparent of a joint of several freedoms", "its gear is that in the joint's frame");
  motor(of, at, gear);
}

/// What of it is data (MotorDescription), and the largest torque on its joint.
void MjcfReader::motor(const MjcfFields& of, const MjcfJointPlace& at, const double* gear) {
  MjcfMotor fresh{at, {}};
  MotorDescription& motor = fresh.data;
  motor.name = values_.name_of(of);
  motor.kind = of.node.name();
  motor.gear = gear[0];
  motor.place = document_.place_of(of.node);
  MjcfJoint& driven = model_.joint(at);
  if (driven.freedoms() > 1) motor.attributes.push_back({"gear", number_text(std::span(gear, 6))});
  bounds_of_motor(of, driven, gear[0], motor);
  const MjcfRule& rule = *mjcf_rule("actuator", motor.kind);
  for (const std::string& name : rule.attributes) {
    if (!rule.is_text_of_motor(name) || !of.has(name.c_str())) continue;
    motor.attributes.push_back({name, of.whole(name.c_str())});
    if (!spend(of.node, static_cast<long>(motor.attributes.back().text.size() / 64))) return;
  }
  for (const MjcfRecord::Value& value : of.record->values) {
    if (rule.treatment.count(value.name)) continue;
    Diagnostic d = document_.at(of.node, "N_MJCF_ACTUATOR");
    d.found = std::string(value.name) + ", which the class of a <" + motor.kind + "> gives";
    d.expected = "attributes that this kind of actuator has";
    d.hint = "left out of the motor's data";
    notes_.emplace("actuator class " + motor.kind, std::move(d));
  }
  model_.motors.push_back(std::move(fresh));
}

/// The largest torque: of its bounds, else of a motor's control.
void MjcfReader::bounds_of_motor(const MjcfFields& of, MjcfJoint& driven, double gear, MotorDescription& motor) {
  const auto bound = [&](const char* range, const char* limited, double& lower, double& upper) {
    double x[2] = {0, 0};
    if (!bounds(of, range, limited, x)) return 0.0;
    lower = x[0], upper = x[1];
    return std::max(std::fabs(x[0]), std::fabs(x[1])) * std::fabs(gear);
  };
  double most = bound("forcerange", "forcelimited", motor.force_lower, motor.force_upper);
  const double control = bound("ctrlrange", "ctrllimited", motor.control_lower, motor.control_upper);
  if (most == 0 && motor.kind == "motor") most = control;
  driven.motor_effort += most;
  driven.unbounded_motor = driven.unbounded_motor || most == 0;
}

void MjcfReader::tendon(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::tendon, 0);
  const std::string name = values_.name_of(of);
  if (!take_name("tendon", name, node)) return;
  MjcfTendon fresh;
  fresh.name = name;
  fresh.fixed = std::string_view(node.name()) == "fixed";
  if (!name.empty()) tendon_index_.emplace(name, static_cast<int>(model_.tendons.size()));
  if (fresh.fixed) {
    document_.each(node, [&](pugi::xml_node child) {
      if (!spend(child)) return;
      const int joint = scalar_joint(child, child.attribute("joint").value());
      double coefficient = 1;
      if (!child.attribute("coef")) return document_.refuse(child, "E_NUMBER", "no attribute 'coef'", "coef=\"...\"");
      if (values_.number(MjcfFields{child}, "coef", coefficient) && joint >= 0)
        fresh.terms.emplace_back(joint, coefficient);
    });
  } else {
    Diagnostic d = document_.at(node, "N_MJCF_TENDON");
    d.found = "a spatial tendon";
    d.expected = "fixed tendons";
    d.hint = "its length is not a sum of coordinates: left out";
    notes_.emplace("spatial tendon", std::move(d));
  }
  std::string effects;
  for (const char* effect : {"stiffness", "damping", "frictionloss"}) {
    double x[3] = {0, 0, 0};
    if (values_.numbers(of, effect, 1, 3, x) > 0 && (x[0] != 0 || x[1] != 0 || x[2] != 0))
      effects += (effects.empty() ? "" : ", ") + std::string(effect);
  }
  double range[2] = {0, 0};
  values_.numbers(of, "range", 2, 2, range);
  if (range[0] < range[1] && values_.word(of, "limited", {"false", "true", "auto"}, 2) != 0)
    effects += (effects.empty() ? "" : ", ") + std::string("range");
  if (!effects.empty())
    values_.warn(node, "W_MJCF_IGNORED", effects + " of tendon " + detail::quoted(name), "none",
                 "left out: the robot moves otherwise without it");
  double armature = 0;
  values_.number(of, "armature", armature);
  if (armature != 0)
    values_.warn(node, "W_MJCF_IGNORED", "armature of tendon " + detail::quoted(name), "armature of joints",
                 "left out: it changes the mass matrix");
  model_.tendons.push_back(std::move(fresh));
}

}  // namespace zwang::io
