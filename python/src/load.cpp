// SPDX-License-Identifier: BSD-3-Clause
// Reading robots: load, loads, check, check_text; sample and random robots.
#include "arrays.hpp"
#include "bind.hpp"
#include "constraints.hpp"
#include "mechanisms.hpp"
#include "record.hpp"
#include "whole_robot.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/joint_info.hpp"
#include "zwang/model/joint_types.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/model/spline_joint.hpp"

#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>

namespace zwang::python {

namespace {

/// A path as Python gives it: str, bytes or os.PathLike.
std::string path_text(nb::handle path) {
  nb::object bytes;
  PyObject* found = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &found) == 0) nb::raise_python_error();
  bytes = nb::steal(found);
  return std::string(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
}

// The group that a joint's q moves in, by the struct it derives from. A joint of another group does not compile here:
// name the group, and say in _tangent.py how gradients go along it.
template <int N> constexpr const char* group_of(const Additive<N>&) { return "additive"; }
constexpr const char* group_of(const UnitCircle&) { return "unit_circle"; }
constexpr const char* group_of(const Rotations&) { return "rotations"; }
constexpr const char* group_of(const PlanarMotions&) { return "planar_motions"; }
constexpr const char* group_of(const RigidMotions&) { return "rigid_motions"; }

/// {name: (nq, nv, group)} of every type that a joint of a model, or a part of one, can have but `composite`, and but
/// `user`: joints written in Python have sizes of their own.
template <class... J> nb::dict joint_table(JointList<J...>) {
  nb::dict found;
  const auto add = [&]<class T>(T joint) {
    if constexpr (!std::is_same_v<T, User>) found[T::name] = nb::make_tuple(T::nq, T::nv, group_of(joint));
  };
  (add(J{}), ...);
  found["continuous"] = found[Revolute::name];
  found[spline_functions()->name] = nb::make_tuple(1, 1, "additive");
  return found;
}

Mode mode_of(const std::string& word) {
  if (word == "standard") return Mode::standard;
  if (word == "strict") return Mode::strict;
  if (word == "lenient") return Mode::lenient;
  throw std::invalid_argument("argument 'mode' is '" + word + "', expected standard, strict or lenient");
}

ClosedLoops loops_of(nb::handle given) {
  if (PyBool_Check(given.ptr())) return nb::cast<bool>(given) ? ClosedLoops::constraints : ClosedLoops::refuse;
  const std::string word = text_argument("load", "loops", given);
  if (word == "refuse") return ClosedLoops::refuse;
  if (word == "constraints") return ClosedLoops::constraints;
  throw std::invalid_argument("E_ARGUMENT load: argument 'loops' is '" + word +
                              "', expected refuse or constraints (False or True)");
}

/// The keywords that all readers share, as given.
struct Keywords {
  std::string root;
  bool lump;
  std::string mode;
  nb::object gravity, packages, package_dirs;
  nb::handle loops;
  bool expand_mimic;
  std::string root_joint;
  bool use_environment, allow_outside_package, resolve_meshes;
};

BuildOptions build_options(const std::string& root, bool lump, const std::string& mode, nb::handle gravity) {
  BuildOptions o;
  o.root = root;
  o.lump = lump;
  o.mode = mode_of(mode);
  if (!gravity.is_none()) o.gravity = vec3("load", "gravity", gravity);
  return o;
}

LoadOptions options_of(const Keywords& k) {
  LoadOptions o;
  static_cast<BuildOptions&>(o) = build_options(k.root, k.lump, k.mode, k.gravity);
  o.file_gravity = k.gravity.is_none();
  o.loops = loops_of(k.loops);
  o.expand_mimic = k.expand_mimic;
  o.root_joint = k.root_joint;
  o.use_environment = k.use_environment;
  o.allow_outside_package = k.allow_outside_package;
  o.resolve_meshes = k.resolve_meshes;
  if (!k.packages.is_none()) {
    if (!PyDict_Check(k.packages.ptr()))
      throw std::invalid_argument("load: argument 'packages' has type " + type_text(k.packages) +
                                  ", expected a dictionary from package names to folders");
    for (auto [name, folder] : nb::borrow<nb::dict>(k.packages))
      o.packages.push_back({text_argument("load", "packages", name), path_text(folder)});
  }
  if (!k.package_dirs.is_none()) {
    if (PyUnicode_Check(k.package_dirs.ptr()) || PyBytes_Check(k.package_dirs.ptr()) ||
        nb::hasattr(k.package_dirs, "__fspath__"))
      o.package_dirs.push_back(path_text(k.package_dirs));
    else
      for (nb::handle folder : k.package_dirs) o.package_dirs.push_back(path_text(folder));
  }
  return o;
}

template <class F> Robot read(F&& reader) {
  auto found = std::make_shared<Diagnostics>();
  const nb::gil_scoped_release release;
  Model model = reader(found.get());
  return Robot(std::move(model), std::move(found));
}

using Names = std::vector<std::string>;
Model moved_by(const Model& model, const Names& motors) {
  return motors.empty() ? model : with_actuated(model, motors);
}

nb::object read_robot(const std::function<zwang::Robot(Diagnostics*)>& reader, const Names& motors) {
  auto found = std::make_shared<Diagnostics>();
  std::optional<zwang::Robot> robot;
  {
    const nb::gil_scoped_release release;
    robot = reader(found.get());
    if (!motors.empty()) {
      const std::string rows = to_json(robot->constraints);
      robot->model = moved_by(robot->model, motors);
      robot->constraints = constraints_from_json(robot->model, rows);
    }
  }
  return whole_robot(std::move(*robot), std::move(found));
}

/// m.def of a reader: `function` takes the text or path, and the options.
template <signature::Text S, class F>
void bind_reader(nb::module_& m, const char* name, S signature, const char* doc, F function) {
  def(
      m, signature,
      [function, name](nb::object source, const std::string& root, bool lump, const std::string& mode,
                       nb::object gravity, nb::object packages, nb::object package_dirs, nb::handle loops,
                       bool expand_mimic, const std::string& root_joint, bool use_environment,
                       bool allow_outside_package, bool resolve_meshes, const std::string& file_name,
                       nb::object base_directory, nb::object actuated, nb::object srdf, const std::string& srdf_text) {
        LoadOptions o = options_of({root, lump, mode, gravity, packages, package_dirs, loops, expand_mimic, root_joint,
                                    use_environment, allow_outside_package, resolve_meshes});
        o.file_name = file_name;
        if (!base_directory.is_none()) o.base_directory = path_text(base_directory);
        if (!srdf.is_none()) o.srdf = path_text(srdf);
        o.srdf_text = srdf_text;
        return function(source, o, names_from(name, "actuated", actuated));
      },
      doc);
}

#define ZWANG_LOAD_SIGNATURE                                                                                    \
  "*, root: str = \"auto\", lump: bool = True, mode: str = \"standard\", gravity: ArrayLike | None = None, "    \
  "packages: Mapping[str, StrPath] | None = None, package_dirs: StrPath | Sequence[StrPath] | None = None, "    \
  "loops: str | bool = \"refuse\", expand_mimic: bool = False, root_joint: str = \"root_joint\", "              \
  "use_environment: bool = True, allow_outside_package: bool = False, resolve_meshes: bool = True, "            \
  "file_name: str = \"\", base_directory: StrPath | None = None, actuated: str | Sequence[str] | None = None, " \
  "srdf: StrPath | None = None, srdf_text: str = \"\""
#define ZWANG_LOAD_DOC                                                                                                 \
  "\n\n"                                                                                                               \
  "root: how the root link hangs on the world: auto (fixed unless the file says floating), fixed, floating, planar,\n" \
  "    or a joint type's name; the joint that it adds is called root_joint.\n"                                         \
  "lump: merge links behind fixed joints into one body; they stay as links and frames.\n"                              \
  "mode: standard, strict (warnings refuse) or lenient (repairs what it can and warns).\n"                             \
  "gravity: [m/s^2], default that of the file (an SDF's world, an MJCF's option), else (0, 0, -9.81). expand_mimic: "  \
  "give mimicking "                                                                                                    \
  "joints coordinates of their own.\n"                                                                                 \
  "loops: what becomes of a link with several parents: refuse, or constraints (True): the first joint of the file "    \
  "stays in\n"                                                                                                         \
  "    the tree, the others become Model.loops, which ConstraintSet.add_loops closes.\n"                               \
  "packages: {name: folder} for package://name/...; package_dirs: folders that hold packages; use_environment:\n"      \
  "    also AMENT_PREFIX_PATH, ROS_PACKAGE_PATH, ZWANG_PACKAGE_PATH. resolve_meshes: look for mesh files at all;\n"    \
  "    allow_outside_package: also outside of the package.\n"                                                          \
  "file_name, base_directory: of a text: its name in diagnostics, and where its relative paths start.\n"               \
  "actuated: joints with motors, and no others; None: what the file's transmissions say, or all that move.\n"          \
  "srdf, srdf_text: the robot's SRDF, a file or a text: its states become configurations (load_robot), passive "       \
  "joints\n"                                                                                                           \
  "    lose their motors, rotors and pairs of links that never touch are added.\n"

void bind_readers(nb::module_& m) {
  bind_reader(m, "load", ZWANG_SIGNATURE("def load(path: StrPath, " ZWANG_LOAD_SIGNATURE ") -> Model"),
              "Reads a robot from a file, URDF, SDF or MJCF by its root element, and builds the model." ZWANG_LOAD_DOC
              "Raises ModelError (a ValueError) with .diagnostics and .code for a file that is refused.",
              [](nb::handle source, const LoadOptions& o, const Names& motors) {
                const std::string path = path_text(source);
                return nb::cast(read([&](Diagnostics* found) { return moved_by(load(path, o, found), motors); }));
              });
  bind_reader(
      m, "loads", ZWANG_SIGNATURE("def loads(text: str, " ZWANG_LOAD_SIGNATURE ") -> Model"),
      "Reads a robot from a text, as a robot_description parameter holds it, and builds the model." ZWANG_LOAD_DOC
      "Raises ModelError (a ValueError) with .diagnostics and .code for a text that is refused.",
      [](nb::handle source, const LoadOptions& o, const Names& motors) {
        const std::string text = text_argument("loads", "text", source);
        return nb::cast(read([&](Diagnostics* found) { return moved_by(loads(text, o, found), motors); }));
      });
  define_whole_robot(m);
  bind_reader(m, "load_robot", ZWANG_SIGNATURE("def load_robot(path: StrPath, " ZWANG_LOAD_SIGNATURE ") -> Robot"),
              "Reads all that a file says: the model, its constraints (loops, gears, couplings) and its "
              "configurations." ZWANG_LOAD_DOC
              "Raises ModelError (a ValueError) with .diagnostics and .code for a file that is refused.",
              [](nb::handle source, const LoadOptions& o, const Names& motors) {
                const std::string path = path_text(source);
                return read_robot([&](Diagnostics* found) { return load_robot(path, o, found); }, motors);
              });
  bind_reader(m, "loads_robot", ZWANG_SIGNATURE("def loads_robot(text: str, " ZWANG_LOAD_SIGNATURE ") -> Robot"),
              "Reads all that a text says, as load_robot does of a file." ZWANG_LOAD_DOC
              "Raises ModelError (a ValueError) with .diagnostics and .code for a text that is refused.",
              [](nb::handle source, const LoadOptions& o, const Names& motors) {
                const std::string text = text_argument("loads_robot", "text", source);
                return read_robot([&](Diagnostics* found) { return loads_robot(text, o, found); }, motors);
              });
  bind_reader(
      m, "check", ZWANG_SIGNATURE("def check(path: StrPath, " ZWANG_LOAD_SIGNATURE ") -> list[Diagnostic]"),
      "Everything that is wrong with a file of a robot, without building a model and without raising for what it "
      "says." ZWANG_LOAD_DOC,
      [](nb::handle source, const LoadOptions& o, const Names& motors) -> nb::object {
        const std::string path = path_text(source);
        const Diagnostics found = check_robot(path, o);
        if (!motors.empty() && !refused(found)) moved_by(load(path, o), motors);
        return list_of(found);
      });
  bind_reader(
      m, "check_text", ZWANG_SIGNATURE("def check_text(text: str, " ZWANG_LOAD_SIGNATURE ") -> list[Diagnostic]"),
      "Everything that is wrong with a text of a robot, without building a model and without raising for what it "
      "says." ZWANG_LOAD_DOC,
      [](nb::handle source, const LoadOptions& o, const Names& motors) -> nb::object {
        const std::string text = text_argument("loads", "text", source);
        const Diagnostics found = check_robot_text(text, o);
        if (!motors.empty() && !refused(found)) moved_by(loads(text, o), motors);
        return list_of(found);
      });
}

}  // namespace

void bind_load(nb::module_& m) {
  bind_readers(m);
  def(
      m,
      ZWANG_SIGNATURE(
          "def sample(name: str, *, root: str = \"auto\", lump: bool = True, gravity: ArrayLike | None = None) -> "
          "Model"),
      [](const std::string& name, const std::string& root, bool lump, nb::handle gravity) {
        return Robot(build(sample(name), build_options(root, lump, "standard", gravity)));
      },
      "One of the sample robots: see sample_names(). Raises ValueError with the nearest name.");
  m.def("sample_names", &sample_names, "chain, arm7, quadruped, cart_pole, gripper, zoo.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def random_robot(seed: int, *, joints: int = 16, types: Sequence[str] = (), base: str = \"fixed\", "
          "branching: float = 0.3, mimic: float = 0.25, root: str = \"auto\", lump: bool = True, "
          "gravity: ArrayLike | None = None) -> Model"),
      [](std::uint64_t seed, int joints, const std::vector<std::string>& types, const std::string& base,
         double branching, double mimic, const std::string& root, bool lump, nb::handle gravity) {
        if (joints < 0 || joints > 1'000'000)
          throw std::invalid_argument("random_robot: argument 'joints' is " + std::to_string(joints) +
                                      ", expected 0 to 1000000");
        RandomRobot r;
        r.joints = joints, r.types = types, r.root = base, r.branching = branching, r.mimic = mimic;
        return Robot(build(random_robot(seed, r), build_options(root, lump, "standard", gravity)));
      },
      "A random robot of every joint type, or of `types`, with inertias that rigid bodies can have; the same seed "
      "gives\n"
      "the same robot everywhere. base: the joint between the massless root link and the first link.");
  m.def("joint_types", &joint_type_names, "The names of all joint types.");
  m.def("_joint_table", [] { return joint_table(JointTypes{}); });  // for _tangent.py and study/parameters.py
}

}  // namespace zwang::python
