// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: actuators, as motors of joints, and tendons, as sums of coordinates.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"

namespace zwang::io {

/// An actuator of a joint: the joint is driven, its armature and damping act through the square of the gear.
void MjcfReader::actuator(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::actuator, 0);
  if (!take_name("actuator", values_.name_of(of), node)) return;
  model_.has_actuators = true;
  const auto note = [&](const std::string& key, const std::string& what, const std::string& hint) {
    Diagnostic d = document_.at(node, "N_MJCF_ACTUATOR");
    d.found = what;
    d.expected = "a motor of a joint with gear 1";
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
  MjcfJoint& driven = model_.joint(model_.joints[static_cast<std::size_t>(it->second)]);
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
  if (gear[0] != 1 && driven.freedoms() == 1)
    note("gear", "a gear of " + detail::number_text(gear[0]), "torques are those of the joint");
  // The largest torque: of its bounds, else of a motor's control.
  const auto bound = [&](const char* range, const char* limited) {
    double x[2] = {0, 0};
    if (!bounds(of, range, limited, x)) return 0.0;
    return std::max(std::fabs(x[0]), std::fabs(x[1])) * std::fabs(gear[0]);
  };
  double most = bound("forcerange", "forcelimited");
  const double control = bound("ctrlrange", "ctrllimited");
  if (most == 0 && std::string_view(node.name()) == "motor") most = control;
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
