// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "failure.hpp"
#include "impulse.hpp"
#include "robot_file.hpp"
#include "simulate.hpp"
#include "vectors.hpp"
#include "zwang/io/constraints.hpp"

namespace zwang::cli {
namespace {

constexpr const char* k_impulse_keys[] = {"restitution", "target", "impact"};
constexpr const char* k_assembly_keys[] = {"assembly"};
constexpr const char* k_ik_keys[] = {"targets", "ik"};

void check_keys(const Node& problem, const std::string& command) {
  problem.object({"model",       "root",     "loops",      "actuated", "state",           "tau",    "external",
                  "constraints", "groups",   "prescribed", "solver",   "restitution",     "target", "impact",
                  "fixed",       "assembly", "time",       "dt",       "integrator",      "keep",   "every",
                  "events",      "scene",    "targets",    "ik",       "file_constraints"},
                 {"baumgarte"});
  const auto only_for = [&](const char* owner, std::span<const char* const> keys) {
    for (const char* key : keys)
      if (command != owner && problem.has(key)) problem[key].fail(fmt::format("this key is for zwang {}", owner));
  };
  only_for("impulse", k_impulse_keys);
  only_for("assemble", k_assembly_keys);
  if (command != "assemble" && command != "ik" && problem.has("fixed"))
    problem["fixed"].fail("this key is for zwang assemble and ik");
  only_for("ik", k_ik_keys);
  only_for("simulate", k_simulation_keys);
  problem["model"].text();
  if (problem.has("state")) problem["state"].object({"q", "v"});
}

/// `loops` of a problem file: true or "constraints", or an object with what stabilises them.
/// Nothing where there are to be none.
std::optional<Stabilisation> read_loops(const Arguments& arguments, const Node& problem) {
  const bool given = problem.has("loops");
  if (given && problem["loops"].is_object()) {
    const Node loops = problem["loops"];
    loops.object({"baumgarte"});
    Stabilisation s;
    if (!loops.has("baumgarte")) return s;
    const Node times = loops["baumgarte"];
    times.object({"time_constant", "damping_ratio"});
    s.time_constant = times["time_constant"].number();
    if (times.has("damping_ratio")) s.damping_ratio = times["damping_ratio"].number();
    return s;
  }
  bool close = arguments.loops;
  if (given && problem["loops"].is_text()) {
    close = problem["loops"].word({"refuse", "constraints"}) == "constraints" || close;
  } else if (given && problem["loops"].is_boolean()) {
    close = problem["loops"].boolean() || close;
  } else if (given) {
    problem["loops"].expected("true, false, constraints, refuse, or {\"baumgarte\": {\"time_constant\": T}}");
  }
  return close ? std::optional(Stabilisation()) : std::nullopt;
}

/// `actuated` of a problem file: names of joints.
std::vector<std::string> read_actuated(const Node& problem) {
  std::vector<std::string> names;
  if (!problem.has("actuated")) return names;
  const Node list = problem["actuated"];
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) names.push_back(list[k].text());
  if (names.empty()) list.expected("at least one joint");
  return names;
}

/// What is typed, else what the file says, else zero.
Eigen::VectorXd choose(const Model& model, VectorKind kind, const char* option, const std::optional<std::string>& typed,
                       const Node* holder, const char* key, const std::string& folder) {
  if (typed) return read_vector(model, kind, option, *typed);
  if (holder && holder->has(key)) return read_vector(model, kind, (*holder)[key], folder);
  return default_vector(model, kind);
}

/// A configuration of the robot's file by its name; where nothing is said of q, the robot stands as its file draws it.
Eigen::VectorXd choose_q(const Model& model, const Arguments& arguments, const Node* state, const std::string& folder,
                         const OfFile& file) {
  std::string name = arguments.q.value_or("");
  if (!arguments.q && state && state->has("q") && (*state)["q"].is_text()) name = (*state)["q"].text();
  if (!arguments.q && !(state && state->has("q"))) name = "file";
  const auto is_it = [&](const Configuration& c) { return c.name == name; };
  if (std::any_of(file.configurations.begin(), file.configurations.end(), is_it))
    return read_configuration(model, "--q", name, file.configurations);
  return choose(model, VectorKind::configuration, "--q", arguments.q, state, "q", folder);
}

/// The constraints of the robot's file but its loops, which the model has.
void add_of_file(const ConstraintSet& of_file, ConstraintSet& to) {
  const std::vector<Loop>& loops = to.model().loops();
  for (const Constraint& c : of_file.constraints()) {
    const auto is_this = [&](const Loop& loop) { return loop.name == c.name; };
    if (std::any_of(loops.begin(), loops.end(), is_this)) continue;
    ConstraintTypes::find([&]<class T>(std::type_identity<T>) {
      const T* const given = of_file.added_as<T>(c.name);
      if (given) to.add(*given);
      return given != nullptr;
    });
  }
}

/// Adds FRAME:rows, held by the motors.
void add_hold(ConstraintSet& constraints, const std::string& text) {
  const std::size_t colon =
      constraints.model().find_frame(text) ? std::string::npos : text.rfind(':');  // link:NAME is a frame
  const std::string frame = text.substr(0, colon);
  std::string name = frame;  // a frame may be held several times
  for (Index k = 0, n = 1; k < constraints.size(); ++k)
    if (constraints.constraints()[static_cast<std::size_t>(k)].frame == frame) name = frame + '#' + std::to_string(++n);
  read_option("--hold " + printable(text), [&] {
    constraints.add(FrameConstraint{.name = name,
                                    .frame = frame,
                                    .rows = rows(colon == std::string::npos ? "all" : text.substr(colon + 1)),
                                    .role = Role::driver});
  });
}

void add_joint_limits(double time_constant, ConstraintSet& set) {
  if (!(time_constant > 0) || !std::isfinite(time_constant))
    throw UsageError(fmt::format("--joint-limits: got {:.10g}, expected a time > 0 [s]", time_constant));
  set.add_joint_limits({.time_constant = time_constant});
}

}  // namespace

Problem read_problem(const Arguments& arguments, LoadOptions options, Diagnostics& found) {
  const bool is_file = is_json_file(arguments.file) && !is_model_document(arguments.file);
  const JsonDocument document = is_file ? read_json_file(arguments.file) : JsonDocument::parse("{}", arguments.file);
  const Node problem = document.root();
  const std::string folder = is_file ? folder_of(arguments.file) : std::string();
  const bool impulse = arguments.command == "impulse";
  if (is_file) check_keys(problem, arguments.command);
  if (is_file && !arguments.root && problem.has("root")) {
    const std::string root = problem["root"].text();
    options.root = root == "auto" ? "automatic" : root;
  }
  std::optional<Stabilisation> loops = read_loops(arguments, problem);
  if (arguments.time_constant) {
    if (!loops) throw UsageError("--time-constant: there are no loops that it could be of; give --loops, too");
    loops->time_constant = *arguments.time_constant;
  }
  if (loops) options.loops = ClosedLoops::constraints;
  const std::string file = is_file ? join_path(folder, problem["model"].text()) : arguments.file;
  const bool take_constraints = !problem.has("file_constraints") || problem["file_constraints"].boolean();
  OfFile of_file;
  const Model model = load_any(arguments, file, options, found, read_actuated(problem), &of_file);

  std::optional<Node> state, prescribed, solver;
  if (problem.has("state")) state = problem["state"];
  if (problem.has("prescribed")) prescribed = problem["prescribed"];
  if (problem.has("solver")) solver = problem["solver"];
  const Node* state_node = state ? &*state : nullptr;
  Problem p{.model = model,
            .q = choose_q(model, arguments, state_node, folder, of_file),
            .v = choose(model, VectorKind::velocity, "--v", arguments.v, state_node, "v", folder),
            .tau = choose(model, VectorKind::torque, "--tau", arguments.tau, &problem, "tau", folder),
            .external = problem.has("external") ? read_externals(model, problem["external"]) : Externals(),
            .constraints = ConstraintSet(model),
            .prescribed = read_prescribed(model, arguments, prescribed ? &*prescribed : nullptr),
            .settings = read_settings(model, arguments, solver ? &*solver : nullptr),
            .assembly = read_assembly(arguments, problem),
            .moves = arguments.v.has_value() || (state && state->has("v"))};
  add_externals(model, arguments, p.external);
  // A file or a model document may bring loops of its own.
  if (loops || (take_constraints && !model.loops().empty())) p.constraints.add_loops(loops.value_or(Stabilisation()));
  if (take_constraints && of_file.constraints) add_of_file(*of_file.constraints, p.constraints);
  read_constraints(problem, p.constraints);
  if (arguments.joint_limits) add_joint_limits(*arguments.joint_limits, p.constraints);
  for (const std::string& hold : arguments.hold) add_hold(p.constraints, hold);
  if (arguments.command == "ik" && !arguments.q && !(state && state->has("q"))) p.q = default_start(model);
  if (impulse) read_impact(arguments, problem, p);
  if (arguments.command == "simulate") read_motion(arguments, problem, p);
  if (arguments.command == "ik" || (arguments.command == "move" && !arguments.targets.empty()))
    read_targets(arguments, problem, folder, p);
  return p;
}

}  // namespace zwang::cli
