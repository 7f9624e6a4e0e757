// SPDX-License-Identifier: BSD-3-Clause
// Wrenches from outside, prescribed accelerations and solver settings, of a problem file and of the command line.
#include <algorithm>

#include "failure.hpp"
#include "numbers.hpp"
#include "problem.hpp"

namespace zwang::cli {
namespace {

ExternalWrench wrench_of(const Model& model, const std::string& frame, const std::vector<double>& w, Reference in) {
  return external_wrench(model, frame, {w[0], w[1], w[2], w[3], w[4], w[5]}, in);
}

bool names(const Prescribed& list, Index v) {
  return std::any_of(list.begin(), list.end(), [v](const PrescribedCoordinate& p) { return p.v == v; });
}

/// NAME=X[,X...]; names may hold an equals sign, numbers may not.
void add_prescribed(const Model& model, const std::string& text, Prescribed& to) {
  const std::string what = "--prescribe " + printable(text);
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(what + ": expected JOINT=acceleration, or JOINT=X,X,... with a number per coordinate");
  read_option(what, [&] {
    prescribe(model, to, text.substr(0, equals), read_numbers(what, std::string_view(text).substr(equals + 1)));
  });
}

JointEffects joint_effects(const Node& node) {
  node.object({"armature", "damping", "springs", "friction", "gravity_scale"});
  JointEffects effects;
  if (node.has("armature")) effects.armature = node["armature"].boolean();
  if (node.has("damping")) effects.damping = node["damping"].boolean();
  if (node.has("springs")) effects.springs = node["springs"].boolean();
  if (node.has("friction")) effects.friction = node["friction"].boolean();
  if (node.has("gravity_scale")) effects.gravity_scale = node["gravity_scale"].boolean();
  return effects;
}

/// "effort", or limits by joints and coordinates: a number for both directions, or [lower, upper].
MotorLimits read_motor_limits(const Model& model, const Node& node) {
  return with_place(node, [&] {
    if (!node.is_object()) {
      node.word({"effort"});
      return motor_limits(model);
    }
    MotorLimits limits;
    for (const std::string& name : node.keys()) {
      const Node entry = node[name.c_str()];
      if (!entry.is_array() && !entry.is_number()) entry.expected("a number, or an array [lower, upper]");
      const std::vector<double> x =
          entry.is_array() ? entry.numbers(2) : std::vector<double>{-entry.number(), entry.number()};
      limit_motor(model, limits, name, x[0], x[1]);
    }
    return limits;
  });
}

void read_settings(const Model& model, const Node& solver, SolverSettings& s) {
  solver.object({"method", "tolerance", "feasibility", "singularity", "regularisation", "max_iterations",
                 "joint_effects", "motor_limits"},
                {"warm_start", "baumgarte"});
  if (solver.has("method")) s.method = solver["method"].text();
  if (solver.has("tolerance")) s.tolerance = solver["tolerance"].number();
  if (solver.has("feasibility")) s.feasibility = solver["feasibility"].number();
  if (solver.has("singularity")) s.singularity = read_word<Singularity>(solver["singularity"]);
  if (solver.has("regularisation")) s.regularisation = solver["regularisation"].number();
  if (solver.has("max_iterations")) s.max_iterations = solver["max_iterations"].integer();
  if (solver.has("joint_effects")) s.joint_effects = joint_effects(solver["joint_effects"]);
  if (solver.has("motor_limits")) s.motor_limits = read_motor_limits(model, solver["motor_limits"]);
}

}  // namespace

Externals read_externals(const Model& model, const Node& list) {
  Externals out;
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Node node = list[k];
    node.object({"frame", "wrench", "in"});
    const std::vector<double> w = node["wrench"].numbers(6);
    const std::string in =
        node.has("in") ? node["in"].word({"local", "world", "local_world_aligned"}) : "local_world_aligned";
    const std::string frame = node["frame"].text();
    try {
      out.push_back(wrench_of(model, frame, w, reference_of(in)));
    } catch (const std::invalid_argument& error) { node.fail(error.what()); }
  }
  return out;
}

void add_externals(const Model& model, const Arguments& arguments, Externals& to) {
  if (arguments.in && arguments.external.empty())
    throw UsageError("--in: it gives the axes of --external, which is not there");
  Reference in = Reference::local_world_aligned;
  if (arguments.in) in = read_option("--in", [&] { return reference_of(*arguments.in); });
  for (const std::string& text : arguments.external) {
    const std::string what = "--external " + printable(text);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) throw UsageError(what + ": expected FRAME:fx,fy,fz,mx,my,mz");
    const std::vector<double> w = read_numbers(what, std::string_view(text).substr(colon + 1));
    if (w.size() != 6)
      throw UsageError(what + ": got " + std::to_string(w.size()) + " numbers, expected 6: fx,fy,fz,mx,my,mz");
    to.push_back(read_option(what, [&] { return wrench_of(model, text.substr(0, colon), w, in); }));
  }
}

Prescribed read_prescribed(const Model& model, const Arguments& arguments, const Node* object) {
  Prescribed out, file;
  for (const std::string& text : arguments.prescribe) add_prescribed(model, text, out);
  if (object == nullptr) return out;
  if (!object->is_object()) object->expected("an object from joints or coordinates to accelerations");
  for (const std::string& name : object->keys()) {
    const Node entry = (*object)[name.c_str()];
    if (!entry.is_array() && !entry.is_number()) entry.expected("a number, or an array with one number per coordinate");
    const std::vector<double> x = entry.is_array() ? entry.numbers() : std::vector<double>{entry.number()};
    try {
      prescribe(model, file, name, x);
    } catch (const std::invalid_argument& error) { entry.fail(error.what()); }
  }
  const Prescribed typed = out;
  for (const PrescribedCoordinate& p : file)
    if (!names(typed, p.v)) out.push_back(p);
  return out;
}

AssemblySettings read_assembly(const Arguments& arguments, const Node& problem) {
  AssemblySettings s;
  if (problem.has("fixed")) {
    const Node list = problem["fixed"];
    list.array();
    for (std::size_t k = 0; k < list.size(); ++k) s.fixed.push_back(list[k].text());
  }
  if (problem.has("assembly")) {
    const Node node = problem["assembly"];
    node.object({"weights", "limits", "tolerance", "max_iterations", "attempts"});
    if (node.has("weights") && node["weights"].is_text())
      s.kinetic = node["weights"].word({"mass"}) == "mass";
    else if (node.has("weights"))
      s.weights = node["weights"].numbers();
    if (node.has("limits")) s.limits = node["limits"].boolean();
    if (node.has("tolerance")) s.tolerance = node["tolerance"].number();
    if (node.has("max_iterations")) s.max_iterations = node["max_iterations"].integer();
    if (node.has("attempts")) s.attempts = node["attempts"].integer();
  }
  s.fixed.insert(s.fixed.end(), arguments.fixed.begin(), arguments.fixed.end());
  if (arguments.kinetic) {
    s.kinetic = true;
    s.weights.clear();
  }
  if (arguments.tolerance) s.tolerance = *arguments.tolerance;
  return s;
}

SolverSettings read_settings(const Model& model, const Arguments& arguments, const Node* solver) {
  SolverSettings settings;
  if (solver) read_settings(model, *solver, settings);
  if (arguments.method) settings.method = *arguments.method;
  if (arguments.tolerance) settings.tolerance = *arguments.tolerance;
  if (arguments.singularity)
    settings.singularity = read_option("--singularity", [&] { return singularity_of(*arguments.singularity); });
  return settings;
}

}  // namespace zwang::cli
