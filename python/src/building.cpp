// SPDX-License-Identifier: BSD-3-Clause
// Models built in code and models made from models: ModelBuilder, lock_joints, append and their like.
#include <cmath>

#include "arrays.hpp"
#include "bind.hpp"
#include "building.hpp"
#include "fields.hpp"
#include "kept_data.hpp"
#include "mechanisms.hpp"
#include "shaped.hpp"
#include "user_joints.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

#include <nanobind/stl/vector.h>

namespace zwang::python {
namespace {

/// A description in the making, and how to build it unless build() is told otherwise.
struct BuilderObject {
  RobotDescription robot;
  BuildOptions options;
};

Transform<double> pose_or_identity(const char* function, const char* name, nb::handle given) {
  return given.is_none() ? Transform<double>::identity() : pose(function, name, given);
}

/// A shape of a link from what add_shape takes.
Shape shape_of(const std::string& kind, nb::handle size, nb::handle origin, nb::handle colour, bool collision,
               nb::handle mesh, nb::handle contact) {
  const std::vector<std::string> kinds = {"box", "cylinder", "sphere", "capsule", "mesh", "plane", "ellipsoid"};
  const auto at = std::find(kinds.begin(), kinds.end(), kind);
  if (at == kinds.end()) detail::throw_unknown("add_shape: kind", kind, kinds);
  Shape s{.kind = static_cast<Shape::Kind>(at - kinds.begin()), .collision = collision};
  std::vector<double> numbers_of_size = numbers("add_shape", "size", size);
  static constexpr std::size_t wanted[] = {3, 2, 1, 2, 3, 2, 3};
  const std::size_t n = wanted[at - kinds.begin()];
  if (s.kind == Shape::Kind::mesh && numbers_of_size.size() == 1) numbers_of_size.resize(3, numbers_of_size[0]);
  if (numbers_of_size.size() != n)
    throw std::invalid_argument("E_SIZE add_shape: argument 'size' has " + std::to_string(numbers_of_size.size()) +
                                " numbers, a " + kind + " has " + std::to_string(n));
  for (std::size_t k = 0; k < n; ++k) {
    if (!(numbers_of_size[k] > 0) && !(s.kind == Shape::Kind::plane && numbers_of_size[k] == 0))
      throw std::invalid_argument("add_shape: argument 'size' has the entry " + std::to_string(numbers_of_size[k]) +
                                  ", expected numbers above 0");
    s.size[k] = numbers_of_size[k];
  }
  s.origin = pose_or_identity("add_shape", "origin", origin);
  if (!colour.is_none()) {
    const std::vector<double> rgba = numbers("add_shape", "colour", colour);
    if (rgba.size() != 3 && rgba.size() != 4)
      throw std::invalid_argument("E_SIZE add_shape: argument 'colour' has " + std::to_string(rgba.size()) +
                                  " numbers, expected 3 or 4");
    s.colour[3] = 1;
    std::copy(rgba.begin(), rgba.end(), s.colour);
  }
  if ((s.kind == Shape::Kind::mesh) == mesh.is_none())
    throw std::invalid_argument("add_shape: a file is given as argument 'mesh' where kind is 'mesh', and only there");
  s.contact = contact_argument("add_shape", contact);
  if (!mesh.is_none()) s.mesh = s.mesh_path = nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(mesh));
  return s;
}

Mimic mimic_of(nb::handle given) {
  Mimic m;
  if (given.is_none()) return m;
  if (nb::isinstance<nb::str>(given)) {
    m.leader = nb::cast<std::string>(given);
    return m;
  }
  const std::string expected = "(leader, multiplier, offset)";
  if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given))
    wrong("add_joint", "mimic", "of type " + type_text(given), expected);
  const std::size_t size = nb::len(given);
  if (size < 1 || size > 3) wrong("add_joint", "mimic", "of " + std::to_string(size) + " items", expected);
  m.leader = text_argument("add_joint", "mimic", given[0]);
  if (size > 1 && !nb::try_cast(given[1], m.multiplier))
    wrong("add_joint", "mimic", "(..., " + type_text(given[1]) + ")", expected);
  if (size > 2 && !nb::try_cast(given[2], m.offset))
    wrong("add_joint", "mimic", "(..., ..., " + type_text(given[2]) + ")", expected);
  return m;
}

std::vector<JointPart> parts_of(nb::handle given) {
  std::vector<JointPart> parts;
  if (given.is_none()) return parts;
  const std::vector<std::string> known = {"type", "origin", "axis", "parameters"};
  if (!nb::isinstance<nb::list>(given) && !nb::isinstance<nb::tuple>(given))
    wrong("add_joint", "parts", "of type " + type_text(given), "a list of dictionaries");
  for (const nb::handle item : given) {
    if (!PyDict_Check(item.ptr()))
      wrong("add_joint", "parts", "a list with " + type_text(item), "dictionaries with type, origin, axis, parameters");
    JointPart part;
    for (auto [key, value] : nb::borrow<nb::dict>(item)) {
      const std::string word = text_argument("add_joint", "parts", key);
      if (word == "type") {
        part.type = text_argument("add_joint", "type of a part", value);
      } else if (word == "origin") {
        part.origin = pose_or_identity("add_joint", "origin of a part", value);
      } else if (word == "axis") {
        part.axis = vec3("add_joint", "axis of a part", value);
      } else if (word == "parameters") {
        part.parameters = numbers("add_joint", "parameters of a part", value);
      } else {
        const std::string close = nearest_name(word, known);
        wrong("add_joint", "parts", "a dictionary with '" + word + "'",
              "type, origin, axis, parameters" + (close.empty() ? "" : "; did you mean '" + close + "'?"));
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

JointDescription::Actuated actuated_of(nb::handle given) {
  using A = JointDescription::Actuated;
  if (given.is_none()) return A::by_default;
  bool yes = false;
  if (!nb::try_cast(given, yes)) wrong("add_joint", "actuated", "of type " + type_text(given), "True, False or None");
  return yes ? A::yes : A::no;
}

template <class T> void take(T& option, nb::handle given, const char* name) {
  if (given.is_none()) return;
  if constexpr (std::is_same_v<T, std::string>)
    option = text_argument("build", name, given);
  else if (!nb::try_cast(given, option))
    wrong("build", name, "of type " + type_text(given), "True or False");
}

BuildOptions options_of(const BuilderObject& b, nb::handle root, nb::handle root_joint, nb::handle lump,
                        nb::handle expand_mimic, nb::handle mode, nb::handle gravity, nb::handle loops) {
  BuildOptions o = b.options;
  take(o.root, root, "root"), take(o.root_joint, root_joint, "root_joint");
  take(o.lump, lump, "lump"), take(o.expand_mimic, expand_mimic, "expand_mimic");
  std::string word;
  take(word, mode, "mode");
  if (word == "standard" || word == "strict" || word == "lenient")
    o.mode = word == "strict" ? Mode::strict : word == "lenient" ? Mode::lenient : Mode::standard;
  else if (!mode.is_none())
    wrong("build", "mode", "'" + word + "'", "standard, strict or lenient");
  word.clear();
  take(word, loops, "loops");
  if (word == "refuse" || word == "constraints")
    o.loops = word == "refuse" ? ClosedLoops::refuse : ClosedLoops::constraints;
  else if (!loops.is_none())
    wrong("build", "loops", "'" + word + "'", "refuse or constraints");
  if (!gravity.is_none()) o.gravity = vec3("build", "gravity", gravity);
  return o;
}

/// The type of a joint: a word, or an object that says how it moves.
void take_type(JointDescription& joint, nb::handle given) {
  if (!nb::isinstance<nb::str>(given)) return take_python_joint(joint, given);
  joint.type = nb::cast<std::string>(given);
  if (joint.type != spline_functions()->name) return;
  joint.user = spline_functions();
  joint.axis = {0, 0, 1};
  if (!spline_fault(joint.parameters).empty()) return;  // build() says what is wrong
  joint.lower = {0.0};
  joint.upper = {(joint.parameters[1] - 3) * joint.parameters[0]};
}

using BuilderClass = ClassOf<BuilderObject>;
void bind_add_joint(BuilderClass& c) {
  c.def(
      ZWANG_SIGNATURE(
          "def add_joint(self, name: str, type: str | UserJoint, parent: str, child: str, origin: ArrayLike | None = "
          "None, axis: "
          "ArrayLike = (0, 0, 1), *, parameters: ArrayLike = (), lower: ArrayLike | None = None, upper: ArrayLike | "
          "None = None, velocity: ArrayLike | None = None, effort: ArrayLike | None = None, damping: ArrayLike | None "
          "= None, friction: ArrayLike | None = None, stiffness: ArrayLike | None = None, spring_reference: ArrayLike "
          "| None = None, rotor_inertia: ArrayLike | None = None, gear_ratio: ArrayLike | None = None, mimic: str | "
          "tuple[str, float, float] | None = None, actuated: bool | None = None, closes_loop: bool = False, parts: "
          "Sequence[Mapping[str, object]] | None = None, child_origin: ArrayLike | None = None) -> ModelBuilder"),
      [](nb::handle self, const std::string& name, nb::handle type, const std::string& parent, const std::string& child,
         nb::handle origin, nb::handle axis, nb::handle parameters, nb::handle lower, nb::handle upper,
         nb::handle velocity, nb::handle effort, nb::handle damping, nb::handle friction, nb::handle stiffness,
         nb::handle spring_reference, nb::handle rotor_inertia, nb::handle gear_ratio, nb::handle mimic,
         nb::handle actuated, bool closes_loop, nb::handle parts, nb::handle child_origin) {
        JointDescription j{.name = name, .parent = parent, .child = child};
        j.origin = pose_or_identity("add_joint", "origin", origin);
        j.child_origin = pose_or_identity("add_joint", "child_origin", child_origin);
        j.axis = vec3("add_joint", "axis", axis);
        j.parameters = numbers("add_joint", "parameters", parameters);
        take_type(j, type);
        j.parts = parts_of(parts);
#define ZWANG_TAKE(x) \
  if (!x.is_none()) j.x = bounds("add_joint", #x, x);
        ZWANG_JOINT_NUMBERS(ZWANG_TAKE)
#undef ZWANG_TAKE
        j.mimic = mimic_of(mimic);
        j.actuated = actuated_of(actuated);
        j.closes_loop = closes_loop;
        nb::cast<BuilderObject&>(self).robot.joints.push_back(std::move(j));
        return nb::borrow(self);
      },
      "A joint of a type of joint_types(), or fixed, continuous, composite, spline, or one written in Python. Returns "
      "the builder.\n\n"
      "origin: 4 x 4 pose of the joint frame in the parent link at q = 0; axis: in the joint frame. parameters: pitch "
      "of\n"
      "a helical joint [m/rad], radii of an ellipsoid [m], spline_parameters() of a spline, whose limits follow. "
      "Numbers per coordinate, or one for all: lower and upper "
      "(of\n"
      "q; NaN unknown, inf none), velocity, effort, damping, friction (Coulomb), stiffness and spring_reference,\n"
      "rotor_inertia and gear_ratio (armature = gear_ratio^2 rotor_inertia). mimic: (leader, multiplier, offset).\n"
      "actuated: None: all but floating and planar joints are. closes_loop: no joint of the tree, it becomes one of\n"
      "Model.loops. parts: of a composite joint, from parent to child: dictionaries with type, origin, axis,\n"
      "parameters. Python: type is an object with nv (1 to 6), pose(q) (4 x 4, in the joint frame), columns(q) (6 x "
      "nv, "
      "body\naxes), rates(q, v) (dS/dt, unless columns are constant) and, for derivatives by q, rates_derivative(q, v, "
      "direction);\ncoordinates are additive, axis and parameters have no meaning. child_origin: 4 x 4 pose of the "
      "joint frame in the child link, default identity. What is wrong, "
      "unknown\n"
      "names included, is refused by build().");
}

void bind_builder(nb::module_& m) {
  BuilderClass c(m, "ModelBuilder",
                 "A robot described link by link, in any order; build() checks it as load() checks a file.\n\n"
                 "ModelBuilder(name), or ModelBuilder(model): what the model was built from, to add to it.");
  c.def(ZWANG_SIGNATURE("def __init__(self, name: str | Model = \"robot\") -> None"),
        [](BuilderObject* b, nb::handle from) {
          if (nb::isinstance<Robot>(from)) {
            const Model& model = nb::cast<const Robot&>(from).model;
            new (b) BuilderObject{model.description(), model.options()};
          } else {
            std::string name = text_argument("ModelBuilder", "name", from);
            new (b) BuilderObject{};
            b->robot.name = std::move(name);
          }
        })
      .def(
          ZWANG_SIGNATURE(
              "def add_link(self, name: str, mass: float = 0, centre: ArrayLike | None = None, inertia: ArrayLike | "
              "None = None, *, gravity_scale: float = 1) -> ModelBuilder"),
          [](nb::handle self, const std::string& name, double mass, nb::handle centre, nb::handle inertia,
             double gravity_scale) {
            LinkDescription l{.name = name, .mass = mass};
            l.gravity_scale = gravity_scale;
            if (!centre.is_none()) l.centre = vec3("add_link", "centre", centre);
            l.inertia = inertia.is_none() ? Sym3<double>::zero() : inertia_of("add_link", inertia);
            nb::cast<BuilderObject&>(self).robot.links.push_back(std::move(l));
            return nb::borrow(self);
          },
          "A link: mass [kg], centre of mass in the link frame [m], 3 x 3 inertia about the centre of mass in link "
          "axes\n"
          "[kg m^2]. gravity_scale: how much of gravity pulls at it. Returns the builder.")
      .def(
          ZWANG_SIGNATURE("def add_frame(self, name: str, parent: str, pose: ArrayLike | None = None) -> ModelBuilder"),
          [](nb::handle self, const std::string& name, const std::string& parent, nb::handle T) {
            nb::cast<BuilderObject&>(self).robot.frames.push_back(
                {name, parent, pose_or_identity("add_frame", "pose", T)});
            return nb::borrow(self);
          },
          "A frame at the 4 x 4 pose in a link or another frame. Returns the builder.")
      .def(
          ZWANG_SIGNATURE(
              "def add_shape(self, link: str, kind: str, size: ArrayLike, origin: ArrayLike | None = None, colour: "
              "ArrayLike | None = None, *, collision: bool = False, mesh: StrPath | None = None, contact: dict[str, "
              "object] | None = None) -> ModelBuilder"),
          [](nb::handle self, const std::string& link, const std::string& kind, nb::handle size, nb::handle origin,
             nb::handle colour, bool collision, nb::handle mesh, nb::handle contact) {
            RobotDescription& robot = nb::cast<BuilderObject&>(self).robot;
            std::vector<std::string> names;
            for (const LinkDescription& l : robot.links) names.push_back(l.name);
            const auto at = std::find(names.begin(), names.end(), link);
            if (at == names.end()) detail::throw_unknown("add_shape: link", link, names);
            robot.links[static_cast<std::size_t>(at - names.begin())].shapes.push_back(
                shape_of(kind, size, origin, colour, collision, mesh, contact));
            return nb::borrow(self);
          },
          "A shape for pictures; dynamics never looks at it. kind and size [m]: 'box' (x, y, z), 'cylinder' and "
          "'capsule'\n"
          "(radius, length along z), 'sphere' (radius,), 'mesh' (a factor or three) with a file, .stl or .obj, 'plane' "
          "(lengths\n"
          "in x and y, 0 without end; normal z), 'ellipsoid' (radii). origin: 4 x 4 pose in the link. colour: (r, g, "
          "b) "
          "or\n"
          "(r, g, b, a) from 0 to 1. contact: fields of Contact, as {'friction': (0.8, 0.01)}. Returns the builder.")
      .def(
          ZWANG_SIGNATURE(
              "def add_motor(self, name: str, joint: str, kind: str = \"motor\", *, gear: float = 1, control: "
              "ArrayLike | None = None, force: ArrayLike | None = None, attributes: dict[str, str] | None = "
              "None) -> ModelBuilder"),
          [](nb::handle self, const std::string& name, const std::string& joint, const std::string& kind, double gear,
             nb::handle control, nb::handle force, nb::handle attributes) {
            nb::cast<BuilderObject&>(self).robot.motors.push_back(
                motor_argument(name, joint, kind, gear, control, force, attributes));
            return nb::borrow(self);
          },
          "A motor of a joint, as data that files keep: what it is, its gear, (lower, upper) of its control and of "
          "its\n"
          "force before the gear, gains in attributes. Which joints are driven, their effort and rotors are arguments "
          "of\n"
          "add_joint. Returns the builder.")
      .def(
          ZWANG_SIGNATURE("def exclude_contact(self, first: str, second: str, reason: str = \"\") -> ModelBuilder"),
          [](nb::handle self, const std::string& first, const std::string& second, const std::string& reason) {
            nb::cast<BuilderObject&>(self).robot.contact_exclusions.push_back({first, second, reason});
            return nb::borrow(self);
          },
          "Shapes of these two links never touch each other: data. Returns the builder.")
      .def(
          ZWANG_SIGNATURE(
              "def add_loop(self, name: str, type: str, parent: str, child: str, origin: ArrayLike | None = None, "
              "axis: ArrayLike = (0, 0, 1)) -> ModelBuilder"),
          [](nb::handle self, const std::string& name, const std::string& type, const std::string& parent,
             const std::string& child, nb::handle origin, nb::handle axis) {
            JointDescription j{.name = name, .type = type, .parent = parent, .child = child};
            j.origin = pose_or_identity("add_loop", "origin", origin);
            j.axis = vec3("add_loop", "axis", axis);
            j.closes_loop = true;
            nb::cast<BuilderObject&>(self).robot.joints.push_back(std::move(j));
            return nb::borrow(self);
          },
          "A joint that closes a loop: it becomes one of Model.loops, which ConstraintSet.add_loops closes. origin: 4 "
          "x 4\n"
          "pose in the parent link, which the child link's frame meets. Returns the builder.")
      .def(
          ZWANG_SIGNATURE(
              "def build(self, *, root: str | None = None, root_joint: str | None = None, lump: bool | None = None, "
              "expand_mimic: bool | None = None, mode: str | None = None, gravity: ArrayLike | None = None, loops: "
              "str | None = None) -> Model"),
          [](const BuilderObject& b, nb::handle root, nb::handle root_joint, nb::handle lump, nb::handle expand_mimic,
             nb::handle mode, nb::handle gravity, nb::handle loops) {
            return Robot(build(b.robot, options_of(b, root, root_joint, lump, expand_mimic, mode, gravity, loops)));
          },
          "The model. The options mean what they mean in load(); those that are not given are those of the model that\n"
          "the builder started from, or load()'s. The builder can be used again. Raises ModelError.")
      .def("__repr__", [](const BuilderObject& b) {
        return "<ModelBuilder '" + b.robot.name + "': " + std::to_string(b.robot.links.size()) + " links, " +
               std::to_string(b.robot.joints.size()) + " joints, " + std::to_string(b.robot.frames.size()) + " frames>";
      });
  bind_add_joint(c);
}

nb::object parameters_along(nb::handle poses_, double step) {
  const GivenArray given("spline_parameters", "poses", poses_, "poses of shape (N, 4, 4), N from 4: last row 0 0 0 1");
  if (given.dimensions() != 3 || given.size(0) != 4 || given.size(1) != 4) given.refuse_shape();
  const Input x = given.finite_rows(4);
  std::vector<Transform<double>> poses;
  for (Index s = 0; s < x.states(); s += 4) {
    const double* const last = x.at(s + 3);
    if (last[0] != 0 || last[1] != 0 || last[2] != 0 || last[3] != 1) given.refuse("another last row");
    poses.push_back({rotation_of(given, x, s), {x.at(s)[3], x.at(s + 1)[3], x.at(s + 2)[3]}});
  }
  return new_array(spline_parameters(poses, step));
}

/// Names, or one.
std::vector<std::string> names_of(const char* function, nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return {nb::cast<std::string>(given)};
  if (!nb::hasattr(given, "__iter__")) wrong(function, "joints", "of type " + type_text(given), "names");
  std::vector<std::string> names;
  for (const nb::handle x : given) names.push_back(text_argument(function, "joints", x));
  return names;
}

using Lock = Model (*)(const Model&, const std::vector<std::string>&, VectorIn);
template <signature::Text S>
void bind_lock(nb::module_& m, const char* name, Lock function, S signature, const char* doc) {
  def(
      m, signature,
      [name, function](const Robot& robot, nb::handle joints, nb::handle given) {
        const Input q = one_configuration(name, "q", given, robot.model);
        const Eigen::Map<const Eigen::VectorXd> x(q.at(0), robot.model.nq());
        return Robot(function(robot.model, names_of(name, joints), x));
      },
      doc);
}

}  // namespace

void bind_building(nb::module_& m) {
  bind_builder(m);
  def(m, ZWANG_SIGNATURE("def spline_parameters(poses: ArrayLike, step: float = 1) -> Array"), &parameters_along,
      "Parameters of a joint of type spline: along a cubic cumulative B-spline on SE(3) with these control poses, 4 x "
      "4 in "
      "the\njoint frame, at least four, `step` of q apart: 0 <= q <= (n - 3) step.\n\n"
      "The curve is smooth to its second derivative and passes near its control poses; where they lie on a screw at "
      "equal\nsteps it is that screw. Raises ValueError for neighbours that are half a turn apart.");
  kept_by<BuilderObject>(
      2, [](const BuilderObject& b) { return nb::make_tuple(state_of(b.robot), state_of(b.options)); },
      [](const Pickled&, const nb::tuple& state) {
        return BuilderObject{description_from(nb::object(state[0])), options_from(nb::object(state[1]))};
      });
  bind_lock(
      m, "lock_joints", &lock_joints,
      ZWANG_SIGNATURE("def lock_joints(model: Model, joints: str | Sequence[str], q: Vector) -> Model"),
      "A model whose joints of these names are fixed where q has them; the other coordinates keep names and order.\n\n"
      "With a joint, all that follow it are locked; a follower alone leaves its group. The joint between world and\n"
      "root link becomes a fixed joint on a new massless link `world`. new.layout(names) and model.layout(names)\n"
      "say which number is which.");
  bind_lock(m, "keep_joints", &keep_joints,
            ZWANG_SIGNATURE("def keep_joints(model: Model, joints: str | Sequence[str], q: Vector) -> Model"),
            "A model in which every joint that moves is locked at q but these and those that follow them.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def append(model: Model, other: Model, at: str, pose: ArrayLike | None = None, prefix: str = \"\") -> "
          "Model"),
      [](const Robot& model, const Robot& other, const std::string& at, nb::handle T, const std::string& prefix) {
        return Robot(append(model.model, other.model, at, pose_or_identity("append", "pose", T), prefix));
      },
      "The other robot, its root link fixed to the frame `at` of the model at the 4 x 4 pose in it, by a joint named\n"
      "ROOT_mount. All names of the other one get the prefix; names that both have are refused. Root joint, gravity "
      "and\n"
      "other options are the model's.");
  def(
      m, ZWANG_SIGNATURE("def merge_fixed(model: Model) -> Model"),
      [](const Robot& model) { return Robot(merge_fixed(model.model)); },
      "A model without fixed joints: links behind them are added to the link that carries them, their names stay as\n"
      "frames. A link on which a joint closes a loop as its child stays.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def add_mimic(model: Model, joint: str, leader: str, multiplier: float = 1, offset: float = 0) -> Model"),
      [](const Robot& model, const std::string& joint, const std::string& leader, double multiplier, double offset) {
        return Robot(add_mimic(model.model, joint, leader, multiplier, offset));
      },
      "A model whose joint follows: q_joint = multiplier q_leader + offset.");
  def(
      m, ZWANG_SIGNATURE("def remove_mimic(model: Model, joint: str) -> Model"),
      [](const Robot& model, const std::string& joint) { return Robot(remove_mimic(model.model, joint)); },
      "A model whose joint moves on its own.");
  def(
      m, ZWANG_SIGNATURE("def with_actuated(model: Model, joints: str | Sequence[str] | None) -> Model"),
      [](const Robot& model, nb::handle joints) {
        return Robot(with_actuated(model.model, names_from("with_actuated", "joints", joints)));
      },
      "A model in which these joints have motors, and no others, whatever the file's transmissions say. None: no "
      "motors.");
  bind_parameters(m);
  def(
      m, ZWANG_SIGNATURE("def subtree(model: Model, link: str) -> Model"),
      [](const Robot& model, const std::string& link) { return Robot(subtree(model.model, link)); },
      "The link and all that it carries, the link fixed to the world.");
  def(
      m, ZWANG_SIGNATURE("def remove_subtree(model: Model, link: str) -> Model"),
      [](const Robot& model, const std::string& link) { return Robot(remove_subtree(model.model, link)); },
      "The model without the link and all that it carries.");
  def(
      m, ZWANG_SIGNATURE("def re_root(model: Model, link: str) -> Model"),
      [](const Robot& model, const std::string& link) { return Robot(re_root(model.model, link)); },
      "The same robot with another root link. Joints on the way to the old root are reversed and keep name and\n"
      "coordinate; links keep their frames. Fixed, revolute, continuous, prismatic and helical joints can be "
      "reversed.");
}

}  // namespace zwang::python
