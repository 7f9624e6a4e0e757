// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "complaints.hpp"
#include "failure.hpp"
#include "generate_options.hpp"
#include "numbers.hpp"
#include "scene_options.hpp"
#include "shared_options.hpp"
#include "shell.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/instruction_set.hpp"
#include "zwang/simulation.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::cli {
namespace {

const std::vector<std::string> k_commands = {
    "info",     "check", "convert",  "generate", "id",   "fd",     "quantities", "solve", "assemble",  "impulse",
    "mobility", "ik",    "simulate", "move",     "view", "verify", "study",      "bench", "completion"};

const char* const k_robot = "A robot (URDF, SDF, MJCF or model document)";
const char* const k_robot_or_problem = "A robot (URDF, SDF, MJCF), or a problem (its name ends in .json)";
const char* const k_vectors =
    "A vector V is one of:\n"
    "  0.1,-0.2,0.3       all coordinates in the model's order (`zwang info` shows it)\n"
    "  zero  neutral      no motion; the configuration without translation and rotation\n"
    "  random:SEED        q within limits; v and a in [-1, 1]; tau of motors in [-10, 10]\n"
    "  elbow=0.5,base[2]=1   some coordinates by joint, the others neutral or zero\n"
    "  @file.json         an array of numbers, or an object {\"elbow\": 0.5, \"base\": [0, 0, 1]}\n"
    "  home               of q: a configuration of the robot's file or SRDF, by its name";

const char* const k_drawn =
    "Configuration, or the name of one in the robot's file or SRDF; default as the file draws the robot";

void telling_options(CLI::App& command, Arguments& a) {
  command.add_flag("--json", a.json, "One JSON document on standard output, nothing else");
  command.add_flag("--quiet", a.quiet, "No notes and warnings on standard error, errors alone");
}

void reading_options(CLI::App& command, Arguments& a) {
  telling_options(command, a);
  command
      .add_option("--root", a.root,
                  "How the root link hangs on the world: auto, fixed, floating, planar, or a joint type")
      ->type_name("TYPE");
  command
      .add_option("--mode", a.mode,
                  "What is refused: standard, strict (every warning too), lenient (repairs what it can)")
      ->type_name("MODE")
      ->check(one_of({"standard", "strict", "lenient"}));
  command.add_option("--gravity", a.gravity, "Gravity in the world [m/s^2], default that of the file, else 0,0,-9.81")
      ->type_name("X,Y,Z");
  command.add_flag("--expand-mimic", a.expand_mimic, "Mimicking joints get coordinates of their own");
}

void common_options(CLI::App& command, Arguments& a) {
  reading_options(command, a);
  command.add_option("--package-dir", a.package_dirs, "A folder that holds packages, for package:// (may be repeated)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  command.add_option("--package", a.packages, "Where one package is (may be repeated)")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  command.add_flag("--no-environment", a.no_environment,
                   "Do not search AMENT_PREFIX_PATH, ROS_PACKAGE_PATH, ZWANG_PACKAGE_PATH");
  command.add_option("--srdf", a.srdf, "The robot's SRDF: configurations, joints without motors, rotors")
      ->type_name("FILE");
  command.add_flag("--allow-outside-package", a.allow_outside_package, "Meshes may lie outside of their package");
  command.add_flag("--keep-fixed", a.keep_fixed, "Links behind fixed joints stay bodies of their own");
}

void loops_option(CLI::App& command, Arguments& a) {
  command.add_flag("--loops", a.loops,
                   "A link with several parents closes loops: cut its later joints, and close them by constraints");
}

void actuated_option(CLI::App& command, Arguments& a) {
  command.add_option("--actuated", a.actuated, "Joints with motors, and no others (default: what the file says)")
      ->type_name("JOINT[,JOINT...]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void vector_option(CLI::App& command, const char* name, std::optional<std::string>& to, const char* what) {
  command.add_option(name, to, what)->type_name("V");
}

void external_options(CLI::App& command, Arguments& a, const char* what = "A wrench [N, N m]") {
  command
      .add_option("--external", a.external,
                  std::string(what) + " from outside on a frame, moments about its origin (may be repeated)")
      ->type_name("FRAME:FX,FY,FZ,MX,MY,MZ")
      ->allow_extra_args(false);
  command
      .add_option("--in", a.in,
                  "Axes of the --external wrenches: local_world_aligned (default), local, or world (moments about the "
                  "world's origin)")
      ->type_name("WORD");
}

const char* help_of(Takes what) {
  switch (what) {
    case Takes::configuration: return "Configuration, default neutral";
    case Takes::tangent: return "Default zero";
    case Takes::frame: return "The frame that is meant";
    case Takes::seen_from: return "The frame from which it is seen";
    case Takes::frames: return "The frames that are meant, separated by commas";
    case Takes::point: return "A point in the world [m]";
    case Takes::number: return "From 0 (the first configuration) to 1 (the second)";
    case Takes::kind: return "classical (default) or spatial acceleration";
    case Takes::reference: return "local_world_aligned (default), local, world, or a frame whose axes are used";
    case Takes::effects: return k_effects_help;
    case Takes::with_gravity: return "-g is added, as an accelerometer feels it";
    default: return "";
  }
}
/// One option for each argument of the list of algorithms.
void quantity_options(CLI::App& command, Arguments& a) {
  command.add_option(
      "quantity", a.quantity,
      "Its name; without it: all that the options given suffice for; without robot and name: lists them");
  for (const Algorithm& row : algorithms())
    for (const Argument& argument : row.takes) {
      const std::string option = option_of(argument);
      if (argument.what == Takes::gravity || argument.what == Takes::external) continue;
      if (a.quantity_options.contains(option)) continue;
      std::optional<std::string>& value = a.quantity_options[option];
      if (argument.what == Takes::with_gravity)
        command.add_flag_callback(
            option, [&value] { value = "true"; }, help_of(argument.what));
      else
        command.add_option(option, value, help_of(argument.what))->type_name(is_vector(argument) ? "V" : "X");
    }
  external_options(command, a);
}

void solve_options(CLI::App& command, Arguments& a, bool impulse) {
  hold_option(command, a, "Hold these directions of a frame by the motors");
  command
      .add_option(
          "--prescribe", a.prescribe,
          std::string("Give the ") + (impulse ? "change of velocity" : "acceleration") +
              " of a joint (as many numbers as it has coordinates) or of one coordinate, as root_joint[2]=1; its " +
              (impulse ? "impulse" : "torque") + " is solved for (may be repeated)")
      ->type_name("JOINT=X[,X...]")
      ->allow_extra_args(false);
  const char* const all = impulse ? "" : ", or all: methods and singularity policies side by side";
  command.add_option("--method", a.method, listed(methods()) + all)->type_name("METHOD");
  command
      .add_option("--tolerance", a.tolerance, "Relative rank tolerance on equilibrated rows; 0: chosen from rounding")
      ->type_name("X");
  command
      .add_option("--singularity", a.singularity,
                  "What is done about dependent rows: truncation (default), proximal, damping, weighted")
      ->type_name("WORD");
}

void convert_options(CLI::App& command, Arguments& a) {
  command.add_option("output", a.output, "The file to write: .json, .cbor, .urdf, .sdf, .xml or .mjcf")->required();
  command.add_option("--report", a.report, "Write what the format cannot hold to a file, as JSON")->type_name("FILE");
  command.add_flag("--strict", a.strict, "Write nothing where the format cannot hold all of the robot");
  command.add_flag("--balance", a.balance, "MJCF: let MuJoCo make equal the moments of inertia that no body has");
  CLI::Option* none = command.add_flag("--no-shapes", a.no_shapes, "Write no boxes, meshes and other shapes");
  command.add_flag("--missing-meshes", a.missing_meshes, "MJCF: name meshes that are not there, too")->excludes(none);
}

void mobility_options(CLI::App& command, Arguments& a) {
  command
      .add_option("--samples", a.samples,
                  "How many configurations around it tell motions at first order from finite ones (default 8, 0: none)")
      ->type_name("N");
  command
      .add_option("--tolerance", a.tolerance, "Smallest angle between rows that counts, in the metric of M; 0: 1e-11")
      ->type_name("X");
  command.add_option("--frame", a.frame, "Also the motion of this frame by the rates of the motors")
      ->type_name("FRAME");
}

void assemble_options(CLI::App& command, Arguments& a) {
  command.add_option("--fixed", a.fixed, "A joint or coordinate that keeps its value (may be repeated)")
      ->type_name("JOINT")
      ->allow_extra_args(false);
  command.add_flag("--mass", a.kinetic, "Nearest in the metric of the mass matrix, instead of equal weights");
  command.add_option("--tolerance", a.tolerance, "Largest residual of rows that hold, default 1e-12")->type_name("X");
}

void simulate_options(CLI::App& command, Arguments& a) {
  command.add_option("--time", a.time, "Length of the motion [s], default 1")->type_name("T");
  command.add_option("--dt", a.dt, "Step [s], default 0.001")->type_name("H");
  command.add_option("--integrator", a.integrator, listed(integrators()) + "; default dormand_prince")
      ->type_name("WORD");
  command
      .add_option(
          "--keep", a.keep,
          "What keeps constraints: automatic (default: projection of rows of position without a time constant), "
          "projection, or their own stabilisation")
      ->type_name("WORD");
  command
      .add_option("--time-constant", a.time_constant,
                  "Of the loops of --loops: their errors decay in this time [s], by stabilisation")
      ->type_name("T");
  command.add_option("--damping", a.damping, "on (default) or off: the dampers of the joints")->type_name("WORD");
  joint_effects_option(command, a);
  scene_options(command, a);
  command.add_option("--every", a.every, "Record every N-th state, default 1")->type_name("N");
  command.add_option("--out", a.output, "Write the states to a file: .csv, .json or .npz")->type_name("FILE");
}

void picture_options(CLI::App& command, Arguments& a, const char* html) {
  command.add_option("--html", a.html, html)->type_name("FILE");
  command.add_option("--geometry", a.geometry, "What is drawn of the links: visual (default), collision, skeleton")
      ->type_name("WORD");
  command.add_option("--show-frame", a.frames, "A frame whose axes are drawn (may be repeated)")
      ->type_name("FRAME")
      ->allow_extra_args(false);
  command.add_option("--title", a.title, "Of the page, default: the robot's name")->type_name("TEXT");
}

void move_options(CLI::App& command, Arguments& a) {
  command
      .add_option("--to", a.to, "A configuration to come to; of several, a spline passes through all (may be repeated)")
      ->type_name("V")
      ->allow_extra_args(false);
  const auto limit = [&](const char* option, std::optional<std::string>& to, const char* what) {
    command.add_option(option, to, what)->type_name("X");
  };
  limit("--velocity", a.velocity_limit, "Limit for all coordinates, or elbow=1,...; default: those of the model");
  limit("--acceleration", a.acceleration_limit, "Likewise; default: none");
  limit("--jerk", a.jerk_limit, "Likewise, with one --to and no --torque; default: none");
  limit("--torque", a.torque_limit, "Likewise, inf: none; default along splines and targets: those of the model");
  command.add_flag("--no-position-limits", a.no_position_limits,
                   "Joints may leave the limits of position of the model");
  joint_effects_option(command, a);
  command
      .add_option("--grid", a.grid,
                  "Points of the path at which limits are kept to begin with, default 200; more where they are "
                  "exceeded between two")
      ->type_name("N");
  command.add_option("--dt", a.dt, "Between two states of --out [s], default 0.01")->type_name("H");
  command.add_option("--out", a.output, "Write the states to a file: .csv, .json or .npz")->type_name("FILE");
}

void ik_options(CLI::App& command, Arguments& a, bool alone = true) {
  command
      .add_option(
          "--target", a.targets,
          "A frame and its position in the world, with its attitude as a unit quaternion x y z w or without (may "
          "be repeated)")
      ->type_name("FRAME:X,Y,Z[,QX,QY,QZ,QW]")
      ->allow_extra_args(false);
  if (alone)
    command.add_option("--fixed", a.fixed, "A joint or coordinate that keeps its value (may be repeated)")
        ->type_name("JOINT")
        ->allow_extra_args(false);
  command
      .add_option("--tolerance", a.tolerance,
                  alone ? "Of each entry of a pose error [m, rad], default 1e-8"
                        : "Of the frame beside the path of --target [m, rad], default 1e-5")
      ->type_name("X");
}

void verify_options(CLI::App& command, Arguments& a) {
  command.add_option("robot", a.file, "A robot (URDF)")->required();
  reading_options(command, a);
  command
      .add_option("--against", a.against,
                  "pinocchio, mujoco, kdl, separated by commas; default: those that are installed")
      ->type_name("LIBRARY[,LIBRARY...]");
  command.add_option("--samples", a.samples, "Random states, default 8")->type_name("N");
  command.add_option("--seed", a.seed, "Of the random states, default 1")->type_name("N");
}

void study_options(CLI::App& command, Arguments& a) {
  command.add_option("study", a.file, "A study's document (JSON); - is the standard input")->required();
  telling_options(command, a);
  command.add_option("--out", a.folder, "The folder of the results; what it has of this study is kept")
      ->type_name("FOLDER");
  command
      .add_option("--engine", a.engine,
                  "local (default), processes[:N], dask[:N], dask://HOST:PORT, ray[:N], ray://HOST:PORT, mpi")
      ->type_name("ENGINE");
  command.add_option("--threads", a.threads, "Of each worker")->type_name("N");
  command.add_flag("--fail-fast", a.fail_fast, "Stop at the first block that fails");
  command.add_flag("--check", a.check_blocks, "Read what is there, and compute anew what is not as it was written");
  command.add_flag("--dry-run", a.dry_run, "Try the first state, say what would be computed, and stop");
}

/// `zwang help [command]` and `zwang` alone: what `--help` says.
std::vector<std::string> words_of(int count, const char* const* words) {
  std::vector<std::string> out(words + (count > 0 ? 1 : 0), words + count);
  if (out.empty()) return {"--help"};
  if (out.front() != "help") return out;
  out.erase(out.begin());
  out.push_back("--help");
  return out;
}

/// A first word that is no command. Options before one are for CLI11.
void check_command(const std::vector<std::string>& words) {
  if (words.front().empty() || words.front()[0] == '-') return;
  const std::string& word = words.front();
  if (std::find(k_commands.begin(), k_commands.end(), word) != k_commands.end()) return;
  const std::string near = nearest_name(word, k_commands);
  throw UsageError("unknown command '" + word + "'; the commands are: " + listed(k_commands) +
                   (near.empty() ? "" : ". Did you mean '" + near + "'?"));
}

/// Why the words were refused.
std::string why(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands().empty()) return "zwang " + chosen_command(app).get_name() + ": " + complaint(app, error);
  const std::vector<std::string> left = app.remaining(true);
  return "expected a command first" + (left.empty() ? "" : ", got '" + left.front() + "'") +
         "; the commands are: " + listed(k_commands) +
         (left.empty() ? "" : did_you_mean(left.front(), {"--help", "--version"}));
}

}  // namespace

std::optional<Arguments> read_arguments(int count, const char* const* words) {
  Arguments a;
  std::vector<std::string> given = words_of(count, words);
  check_command(given);
  CLI::App app{"zwang: dynamics of articulated bodies under constraints, by Gauss' principle of least constraint",
               "zwang"};
  app.set_version_flag("--version", "zwang " ZWANG_VERSION " (kernels " + instruction_set() + ")");
  app.require_subcommand(1);
  app.footer(
      "A file named - is the standard input. `zwang help COMMAND` says more.\n"
      "Exit codes: 0 ok, 1 usage, 2 model refused, 3 numerical outcome not ok, 4 comparison above tolerance, 5 input "
      "or output.");

  const auto add = [&](const char* name, const char* what, const char* file, const char* file_help) -> CLI::App& {
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_option(file, a.file, file_help)->required();
    common_options(command, a);
    return command;
  };
  CLI::App& info =
      add("info", "Links, joints, coordinates, limits, masses, what was merged, warnings", "robot", k_robot);
  CLI::App& check =
      add("check", "Diagnostics only: exit 0 where the robot loads, 2 where it is refused", "robot", k_robot);
  CLI::App& convert = add("convert", "Writes a robot in another format, or as a document that every language reads",
                          "robot", "A robot (URDF, SDF, MJCF or document)");
  convert_options(convert, a);
  CLI::App& generate = add("generate", "Functions of the robot as plain C, for controllers without this library",
                           "robot-or-problem", k_robot_or_problem);
  generate_options(generate, a);
  CLI::App& id = add("id", "Inverse dynamics: the torques that an acceleration takes", "robot", k_robot);
  CLI::App& fd = add("fd", "Forward dynamics: the acceleration that torques make", "robot", k_robot);
  CLI::App& quantities = add("quantities", "Any quantity of the library at one state, by its name", "robot", k_robot);
  quantities.get_option("robot")->required(false);
  CLI::App& solve = add("solve", "Motion of least constraint, constraint forces, motor torques", "robot-or-problem",
                        k_robot_or_problem);
  CLI::App& assemble =
      add("assemble", "The configuration nearest to a start that satisfies the constraints; with --v the velocity, too",
          "robot-or-problem", k_robot_or_problem);
  CLI::App& impulse = add("impulse", "The velocities after a shock, impulses, restitution, energies",
                          "robot-or-problem", k_robot_or_problem);
  CLI::App& mobility = add("mobility", "Which motions constraints leave, redundant rows, singular configurations",
                           "robot-or-problem", k_robot_or_problem);
  CLI::App& simulate =
      add("simulate", "The motion in time, with events and constraints kept", "robot-or-problem", k_robot_or_problem);
  CLI::App& ik = add("ik", "Joint values with which frames have given poses, within limits, while constraints hold",
                     "robot-or-problem", k_robot_or_problem);
  CLI::App& move = add("move", "The fastest motion to configurations, or of a frame to poses, within limits",
                       "robot-or-problem", k_robot_or_problem);
  CLI::App& view =
      add("view", "A page for the browser that shows the robot, with the forces of a problem's constraints",
          "robot-or-problem", k_robot_or_problem);
  verify_options(*app.add_subcommand("verify", "Whether a robot means the same in other libraries, with what differs"),
                 a);
  study_options(*app.add_subcommand("study", "Calculations over many states, on one core or a cluster, resumable"), a);
  app.add_subcommand("bench", "Times of the algorithms, beside other libraries with --peers (zwang bench --help)");
  std::string format;
  CLI::App& completion = *app.add_subcommand("completion", "Completions for a shell, or a page of the manual");
  completion.add_option("format", format, "bash, zsh, fish, or man")->required()->check(one_of(shell_formats()));
  info.add_flag("--state", a.state, "What it is and does at one state: poses, motions, forces, energies, momentum");
  const std::vector<CLI::App*> at_neutral = {&info, &id, &fd};
  for (CLI::App* command : {&info, &id, &fd, &solve, &assemble, &impulse, &simulate}) {
    const bool neutral = std::find(at_neutral.begin(), at_neutral.end(), command) != at_neutral.end();
    vector_option(*command, "--q", a.q,
                  neutral ? "Configuration, or the name of one in the robot's file or SRDF; default neutral" : k_drawn);
    vector_option(*command, "--v", a.v, "Velocity, default zero");
    command->footer(k_vectors);
  }
  for (CLI::App* command : {&id, &fd, &solve, &simulate}) external_options(*command, a);
  external_options(impulse, a, "An impulse [N s, N m s]");
  for (CLI::App* command : {&info, &check, &convert, &generate, &solve, &assemble, &impulse, &simulate})
    loops_option(*command, a);  // id and fd would move the open tree
  quantity_options(quantities, a);
  quantities.footer(k_vectors);
  for (CLI::App* command : {&info, &id}) vector_option(*command, "--a", a.a, "Acceleration, default zero");
  vector_option(fd, "--tau", a.tau, "Torque, default zero");
  vector_option(solve, "--tau", a.tau, "Feed-forward torque, default zero");
  vector_option(impulse, "--tau", a.tau, "Impulses of the motors [N m s, N s], default zero");
  for (CLI::App* command : {&solve, &simulate}) solve_options(*command, a, false);
  solve_options(impulse, a, true);
  vector_option(simulate, "--tau", a.tau, "Constant torque, default zero");
  simulate_options(simulate, a);
  assemble_options(assemble, a);
  impulse
      .add_option(
          "--restitution", a.restitution,
          "A number in [0, 1] for all rows, or of a constraint or group: NAME=E, NAME=E1,E2,... (may be repeated)")
      ->type_name("E")
      ->allow_extra_args(false);
  impulse.add_option("--impact", a.impact, "What restitution is of: newton (default), poisson, energetic")
      ->type_name("WORD");
  vector_option(mobility, "--q", a.q, k_drawn);
  mobility.footer(k_vectors);
  loops_option(mobility, a);
  mobility_options(mobility, a);
  vector_option(ik, "--q", a.q, "Where to begin, default neutral, within limits");
  ik.footer(k_vectors);
  loops_option(ik, a);
  ik_options(ik, a);
  vector_option(move, "--q", a.q, "Where the motion begins, default as the file draws the robot (a URDF: neutral)");
  move.footer(k_vectors);
  loops_option(move, a);
  move_options(move, a);
  ik_options(move, a, false);
  for (CLI::App* command : {&simulate, &move})
    picture_options(*command, a, "Write a page for the browser that plays the motion: .html");
  picture_options(view, a, "The page, default: the robot's name with .html, in this folder");
  vector_option(view, "--q", a.q, k_drawn);
  view.footer(k_vectors);
  loops_option(view, a);
  for (CLI::App* command :
       {&info, &check, &convert, &generate, &fd, &solve, &assemble, &impulse, &mobility, &ik, &simulate, &move, &view})
    actuated_option(*command, a);

  refuse_values_of_flags(app);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_values_of_flags(*command);

  try {
    std::reverse(given.begin(), given.end());  // as CLI11 takes them
    app.parse(std::move(given));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(why(app, error));
    app.exit(error);  // prints help or the version
    return std::nullopt;
  }
  const CLI::App& chosen = *app.get_subcommands().front();
  a.command = chosen.get_name();
  for (const CLI::Option* o : chosen.get_options())
    for (const std::string& name : o->get_lnames()) a.options.push_back("--" + name);
  if (completion.parsed()) {
    print(shell_text(app, format));
    return std::nullopt;
  }
  return a;
}

LoadOptions load_options(const Arguments& a) {
  LoadOptions o;
  if (a.root) o.root = *a.root == "auto" ? "automatic" : *a.root;
  if (a.mode) o.mode = *a.mode == "strict" ? Mode::strict : *a.mode == "lenient" ? Mode::lenient : Mode::standard;
  if (a.gravity) {
    const std::vector<double> g = read_numbers("--gravity", *a.gravity);
    if (g.size() != 3) throw UsageError("--gravity: got " + std::to_string(g.size()) + " numbers, expected 3: x,y,z");
    o.gravity = {g[0], g[1], g[2]};
    o.file_gravity = false;
  }
  o.package_dirs = a.package_dirs;
  const auto check_folder = [](const std::string& option, const std::string& folder) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) throw IoError(option + ": there is no folder '" + folder + "'");
  };
  for (const std::string& folder : o.package_dirs) check_folder("--package-dir", folder);
  for (const std::string& p : a.packages) {
    const std::size_t split = p.find('=');
    if (split == 0 || split == std::string::npos || split + 1 == p.size())
      throw UsageError("--package: got '" + p + "', expected NAME=FOLDER");
    check_folder("--package " + p.substr(0, split), p.substr(split + 1));
    o.packages.push_back({p.substr(0, split), p.substr(split + 1)});
  }
  o.use_environment = !a.no_environment;
  o.allow_outside_package = a.allow_outside_package;
  o.srdf = a.srdf;
  o.expand_mimic = a.expand_mimic;
  o.lump = !a.keep_fixed;
  if (a.loops) o.loops = ClosedLoops::constraints;
  return o;
}

}  // namespace zwang::cli
