// SPDX-License-Identifier: BSD-3-Clause
// What the user typed.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "zwang/io/load.hpp"

namespace zwang::cli {

struct Arguments {
  std::string command;  ///< info, check, convert, id, fd, quantities, solve, assemble, impulse, mobility, ik, simulate
  std::vector<std::string> options;  ///< that the command has, `--q` and so on
  std::string file;      ///< a robot, or for solve, assemble, impulse, mobility, ik and simulate also a problem
  std::string output;    ///< of convert and simulate
  std::string contacts;  ///< of simulate
  bool json = false;
  bool quiet = false;                              ///< errors alone on standard error
  bool speaks() const { return !json && !quiet; }  ///< of warnings
  bool state = false;                              ///< of info: what the model does at one state

  std::optional<std::string> report;     ///< of convert: where losses are written
  bool strict = false, balance = false;  ///< of convert
  bool no_shapes = false, missing_meshes = false;

  std::optional<std::string> root, mode, gravity;
  std::vector<std::string> package_dirs, packages;
  std::string srdf;
  bool no_environment = false, allow_outside_package = false, expand_mimic = false, keep_fixed = false;
  bool loops = false;                 ///< further parents of a link become loops
  std::vector<std::string> actuated;  ///< joints with motors

  std::optional<std::string> q, v, a, tau;
  std::vector<std::string> hold;       ///< FRAME:rows
  std::vector<std::string> prescribe;  ///< JOINT=acceleration
  std::vector<std::string> external;   ///< FRAME:fx,fy,fz,mx,my,mz
  std::optional<std::string> in;       ///< axes of `external`
  std::optional<std::string> method, singularity;
  std::optional<double> tolerance;
  std::vector<std::string> restitution;  ///< E, or NAME=E[,E...]
  std::optional<std::string> impact;     ///< model of restitution
  std::optional<int> samples;            ///< of mobility and verify
  std::optional<std::string> frame;      ///< of mobility: whose motion by the motors is asked
  std::vector<std::string> fixed;        ///< joints or coordinates that assemble does not move
  std::vector<std::string> targets;      ///< of ik: FRAME:x,y,z or FRAME:x,y,z,qx,qy,qz,qw
  bool kinetic = false;                  ///< assemble in the metric of the mass matrix

  std::optional<double> time, dt, time_constant, joint_limits;  ///< of simulate
  std::optional<int> every;                                     ///< steps between two recorded states
  std::optional<std::string> integrator, keep, damping;
  bool ground = false;  ///< of simulate: a half space below z = 0
  std::string height_field;
  std::optional<std::string> height_size;
  std::optional<double> height_scale;
  std::optional<double> friction, restitution_of_ground;

  std::vector<std::string> to;  ///< of move: configurations
  std::optional<std::string> velocity_limit, acceleration_limit, jerk_limit, torque_limit;
  std::optional<std::string> joint_effects;
  std::optional<int> grid;
  bool no_position_limits = false;  ///< of move

  std::string html;  ///< of view, simulate and move
  std::optional<std::string> geometry, title;
  std::vector<std::string> frames;

  std::string quantity;  ///< a name of the list of algorithms
  /// By option (`--frame`): one for each argument of the list, but for wrenches and gravity.
  std::map<std::string, std::optional<std::string>> quantity_options;

  // of generate
  std::string functions, language = "c", scalar = "double", name;
  std::vector<std::string> wrenches;  ///< frames
  std::optional<std::string> wrenches_in, reference, kind;
  bool sines_as_inputs = false, size = false;

  std::optional<std::string> against;  ///< of verify: other libraries

  // of study
  std::optional<std::string> folder, engine;
  std::optional<int> threads;
  bool fail_fast = false, check_blocks = false, dry_run = false;
  std::optional<int> seed;  ///< of its random states
};

/// Reads the command line. Returns nothing where help or the version was asked for and printed.
/// Throws UsageError. `bench` never comes here: it is another program's (bench.hpp).
std::optional<Arguments> read_arguments(int count, const char* const* words);

/// How the model is to be read. Throws UsageError for a gravity or a package that cannot be understood.
LoadOptions load_options(const Arguments& arguments);

}  // namespace zwang::cli
