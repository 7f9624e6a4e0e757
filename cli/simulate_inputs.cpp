// SPDX-License-Identifier: BSD-3-Clause
// The keys of a problem that zwang simulate reads.
#include "failure.hpp"
#include "simulate.hpp"
#include "vectors.hpp"

namespace zwang::cli {
namespace {

std::vector<std::string> names_of(const Node& list) {
  std::vector<std::string> names;
  if (list.is_text()) return {list.text()};
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) names.push_back(list[k].text());
  return names;
}

std::shared_ptr<EventFunction> read_function(const Node& when, const Problem& p) {
  when.object({"frame", "point", "normal", "offset", "coordinate", "rate", "multiplier", "value"});
  const double value = when.has("value") ? when["value"].number() : 0.0;
  const int kinds = when.has("frame") + when.has("coordinate") + when.has("rate") + when.has("multiplier");
  if (kinds != 1) when.expected("one of frame, coordinate, rate, multiplier, touch, leave");
  return with_place(when, [&] {
    if (when.has("coordinate")) return coordinate_value(p.model, when["coordinate"].text(), value);
    if (when.has("rate")) return coordinate_rate(p.model, when["rate"].text(), value);
    if (when.has("multiplier")) return row_multiplier(p.constraints, when["multiplier"].text(), value);
    const auto three = [&](const char* key, const Vec3<double>& otherwise) {
      if (!when.has(key)) return otherwise;
      const std::vector<double> x = when[key].numbers(3);
      return Vec3<double>{x[0], x[1], x[2]};
    };
    return point_height(p.model, when["frame"].text(), three("point", {0, 0, 0}), three("normal", {0, 0, 1}),
                        when.has("offset") ? when["offset"].number() : 0.0);
  });
}

bool is_null(const Node& x) {
  return !(x.is_text() || x.is_number() || x.is_boolean() || x.is_array() || x.is_object());
}

/// Names of touch and leave; an empty one, of null, stands for any.
std::vector<std::string> sides_of(const Node& given) {
  if (is_null(given)) return {};
  if (given.is_text()) return {given.text()};
  given.array();
  if (given.size() > 2) given.expected("at most two names");
  std::vector<std::string> names;
  for (std::size_t k = 0; k < given.size(); ++k) names.push_back(is_null(given[k]) ? "" : given[k].text());
  return names;
}

/// {"touch": [a, b]} or {"leave": [a, b]}, of which one or both may be null or left out.
ContactChange read_change(const Node& when) {
  when.object({"touch", "leave"});
  if (when.has("touch") && when.has("leave")) when.expected("one of touch, leave");
  ContactChange change{.kind = when.has("touch") ? ContactChange::Kind::touch : ContactChange::Kind::leave};
  const std::vector<std::string> names = sides_of(when[name_of(change.kind)]);
  if (!names.empty()) change.a = names[0];
  if (names.size() > 1) change.b = names[1];
  return change;
}

SimulationEvent read_event(const Node& node, const Problem& p) {
  node.object({"name", "when", "crossing", "on", "off", "bounce", "restitution", "impact", "stop"});
  SimulationEvent e;
  e.name = node["name"].text();
  const Node when = node["when"];
  if (when.is_object() && (when.has("touch") || when.has("leave")))
    e.contact = read_change(when);
  else
    e.function = read_function(when, p);
  if (node.has("crossing")) e.crossing = read_word<Crossing>(node["crossing"]);
  if (node.has("on")) e.on = names_of(node["on"]);
  if (node.has("off")) e.off = names_of(node["off"]);
  if (node.has("bounce")) e.bounce = names_of(node["bounce"]);
  if (node.has("impact")) e.model = read_word<Restitution>(node["impact"]);
  if (node.has("stop")) e.stop = node["stop"].boolean();
  if (!node.has("restitution")) return e;
  const Node given = node["restitution"];
  if (!given.is_object()) given.expected("an object from constraints or groups to numbers");
  for (const std::string& name : given.keys()) {
    const Node entry = given[name.c_str()];
    e.restitution.emplace_back(name, entry.is_array() ? entry.numbers() : std::vector<double>{entry.number()});
  }
  return e;
}

}  // namespace

void read_motion(const Arguments& a, const Node& problem, Problem& to) {
  SimulationSettings& s = to.simulation;
  if (problem.has("time")) s.time = problem["time"].number();
  if (problem.has("dt")) s.dt = problem["dt"].number();
  if (problem.has("every")) s.every = problem["every"].integer();
  if (problem.has("integrator")) s.integrator = read_word<Integrator>(problem["integrator"]);
  if (problem.has("keep")) s.keep = read_word<Keep>(problem["keep"]);
  if (a.time) s.time = *a.time;
  if (a.dt) s.dt = *a.dt;
  if (a.every) s.every = *a.every;
  if (a.integrator) s.integrator = read_option("--integrator", [&] { return integrator_of(*a.integrator); });
  if (a.keep) s.keep = read_option("--keep", [&] { return keep_of(*a.keep); });
  s.solver = to.settings;
  if (a.joint_effects) s.solver.joint_effects = effects_of("--joint-effects", *a.joint_effects);
  if (a.damping) {
    if (*a.damping != "on" && *a.damping != "off") throw UsageError("--damping " + *a.damping + ": expected on or off");
    s.solver.joint_effects.damping = *a.damping == "on";
  }
  read_scene(a, problem, to);
  if (!problem.has("events")) return;
  const Node list = problem["events"];
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    to.events.push_back(read_event(list[k], to));
    try {
      if (to.scene)
        Simulator(to.model, to.constraints, to.simulation, *to.scene).add_event(to.events.back());
      else
        Simulator(to.model, to.constraints).add_event(to.events.back());
    } catch (const UnsupportedError&) { throw; } catch (const std::invalid_argument& error) {
      list[k].fail(error.what());
    }
  }
}

}  // namespace zwang::cli
