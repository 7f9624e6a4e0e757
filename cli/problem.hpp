// SPDX-License-Identifier: BSD-3-Clause
// A problem: a model, a state, torques, wrenches from outside, constraints, prescribed joints and solver
// settings, as the JSON that CONVENTIONS.md (Problems) describes.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "json_reader.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/impulse.hpp"
#include "zwang/question/inverse_kinematics.hpp"
#include "zwang/simulation.hpp"

namespace zwang::cli {

struct Problem {
  Model model;
  Eigen::VectorXd q, v, tau;
  Externals external;
  ConstraintSet constraints;
  Prescribed prescribed;
  SolverSettings settings;  ///< method may be `all`
  // Of an impulse:
  std::vector<double> restitution = {}, target = {};  ///< of all rows
  Restitution impact = Restitution::newton;
  AssemblySettings assembly;
  SimulationSettings simulation = {};
  std::vector<SimulationEvent> events = {};
  std::optional<Scene> scene = {};       ///< of integrator contact
  bool moves = false;                    ///< a velocity is given
  bool planned = false;                  ///< the motion is planned, not integrated
  std::vector<PoseTarget> targets = {};  ///< of ik and move
  InverseKinematicsSettings ik = {};
  SolveInput input() const { return {.q = q, .v = v, .tau = tau, .external = &external, .prescribed = &prescribed}; }
};

/// Reads the robot or the problem that the arguments name; what is typed goes before what the file says,
/// constraints and external wrenches that are typed come on top. `found` receives the findings about the robot, also
/// where ModelError is thrown. Throws UsageError, IoError.
Problem read_problem(const Arguments& arguments, LoadOptions options, Diagnostics& found);

/// `external` of a problem file.
Externals read_externals(const Model& model, const Node& list);
/// --external, in the axes of --in. Throws UsageError.
void add_externals(const Model& model, const Arguments& arguments, Externals& to);
/// --prescribe, and of `prescribed` in a problem file (or nothing) the coordinates that were not typed.
Prescribed read_prescribed(const Model& model, const Arguments& arguments, const Node* object);
/// `fixed` and `assembly` of a problem file, and what is typed.
AssemblySettings read_assembly(const Arguments& arguments, const Node& problem);
/// `targets` and `ik` of a problem file, and what is typed.
void read_targets(const Arguments& arguments, const Node& problem, const std::string& folder, Problem& to);
/// `solver` of a problem file (or nothing), and what is typed.
SolverSettings read_settings(const Model& model, const Arguments& arguments, const Node* solver);

}  // namespace zwang::cli
