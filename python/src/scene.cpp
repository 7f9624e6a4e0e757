// SPDX-License-Identifier: BSD-3-Clause
// Scene: what a robot can touch, built shape by shape.
#include "scene.hpp"

#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "matrices.hpp"
#include "settings.hpp"

namespace zwang::python {

namespace {

/// What a solid is made from.
struct Numbers {
  Solid::Kind kind;
  std::vector<double> x = {};
  Index columns = 0;
};

Solid solid_of(const AddedShape& s) {
  const std::vector<double>& x = s.numbers;
  switch (s.kind) {
    case Solid::Kind::half_space: return Solid::half_space();
    case Solid::Kind::sphere: return Solid::sphere(x[0]);
    case Solid::Kind::capsule: return Solid::capsule(x[0], x[1]);
    case Solid::Kind::box: return Solid::box({x[0], x[1], x[2]});
    case Solid::Kind::cylinder: return Solid::cylinder(x[0], x[1]);
    case Solid::Kind::ellipsoid: return Solid::ellipsoid({x[0], x[1], x[2]});
    case Solid::Kind::convex: {
      std::vector<Vec3<double>> points;
      for (std::size_t k = 0; k + 2 < x.size(); k += 3) points.push_back({x[k], x[k + 1], x[k + 2]});
      return Solid::convex(points);
    }
    case Solid::Kind::height_field: {
      const int rows = s.columns > 0 ? static_cast<int>((x.size() - 2) / static_cast<std::size_t>(s.columns)) : 0;
      return Solid::height_field(s.columns, rows, x[0], x[1], {x.begin() + 2, x.end()});
    }
  }
  throw std::logic_error("a solid of no kind");
}
/// Of a height field and of points at least so many.
std::size_t numbers_of(Solid::Kind kind) {
  constexpr std::size_t k_numbers[] = {0, 1, 2, 3, 2, 3, 3, 2};
  return k_numbers[static_cast<std::size_t>(kind)];
}
constexpr const char* k_functions[] = {"Scene.add_half_space", "Scene.add_sphere",      "Scene.add_capsule",
                                       "Scene.add_box",        "Scene.add_cylinder",    "Scene.add_ellipsoid",
                                       "Scene.add_convex",     "Scene.add_height_field"};

void put(SceneObject& to, AddedShape shape) {
  to.scene.add_shape({.name = shape.name,
                      .link = shape.link,
                      .solid = solid_of(shape),
                      .pose = shape.pose,
                      .law = shape.law,
                      .priority = shape.priority});
  to.added.push_back(std::move(shape));
}

nb::object add(nb::handle self, const std::string& name, const std::string& link, nb::handle given_pose,
               const ContactLaw& law, Numbers of) {
  const char* const function = k_functions[static_cast<std::size_t>(of.kind)];
  AddedShape shape{.name = name, .link = link, .law = law, .kind = of.kind, .numbers = std::move(of.x)};
  shape.columns = of.columns;
  if (!given_pose.is_none()) shape.pose = pose(function, "pose", given_pose);
  put(nb::cast<SceneObject&>(self), std::move(shape));
  return nb::borrow(self);
}

nb::object add_ground(nb::handle self, double friction, nb::handle normal, double offset, const std::string& name,
                      ContactLaw law) {
  SceneObject& x = nb::cast<SceneObject&>(self);
  law.friction = friction;
  x.scene.add_ground({.normal = vec3("Scene.ground", "normal", normal), .offset = offset, .law = law, .name = name});
  const SceneShape& made = x.scene.shapes().back();
  x.added.push_back({.name = name, .pose = made.pose, .law = made.law, .priority = made.priority});
  return nb::borrow(self);
}

/// A function that takes the arguments of its own of a shape; make(them...): its Numbers.
template <class... Own, class F> auto adder(F make) {
  return [make](nb::handle self, const std::string& name, Own... own, const std::string& link, nb::handle pose,
                const ContactLaw& law) { return add(self, name, link, pose, law, make(own...)); };
}
#define ZWANG_ADD(shape, own)                                                                  \
  ZWANG_SIGNATURE("def add_" shape "(self, name: str, " own                                    \
                  "*, link: str = \"\", pose: ArrayLike | None = None, {friction restitution " \
                  "stiffness damping}) -> Scene")

std::vector<double> three(Solid::Kind kind, const char* name, nb::handle given) {
  const Vec3<double> x = vec3(k_functions[static_cast<std::size_t>(kind)], name, given);
  return {x.x, x.y, x.z};
}

/// The entries of a matrix row by row after some others.
Numbers grid(Solid::Kind kind, const char* name, nb::handle given, std::vector<double> before, Index columns) {
  const char* const function = k_functions[static_cast<std::size_t>(kind)];
  const Matrices given_matrix(function, name, given, 2);
  if (given_matrix.states() >= 0) detail::throw_size(function, name, given_matrix.states(), 1);
  if (columns > 0 && given_matrix.columns() != columns)
    detail::throw_size(function, name, given_matrix.columns(), columns);
  const Eigen::MatrixXd x = given_matrix.at(0);
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j) before.push_back(x(i, j));
  return {kind, std::move(before), given_matrix.columns()};
}

void bind_shapes(ClassOf<SceneObject>& c) {
  using Kind = Solid::Kind;
  def_with<ContactLaw>(
      c, ZWANG_ADD("box", "size: ArrayLike, "), adder<nb::handle>([](nb::handle size) {
        return Numbers{Kind::box, three(Kind::box, "size", size)};
      }),
      "A box about the origin of its pose; size: its three lengths [m]. Returns the scene.\n\n"
      "link: it is fixed to, in whose frame the pose is; empty: to the ground. pose: a 4 x 4 matrix or a position.\n"
      "friction: None: that of the other shape, else Scene.friction. restitution: speed after an impact beside that "
      "before\n"
      "it. stiffness [N/m] and damping [N s/m]: of a point, where surfaces give way.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("sphere", "radius: float, "), adder<double>([](double radius) {
        return Numbers{Kind::sphere, {radius}};
      }),
      "A sphere about the origin of its pose; the other arguments are those of add_box. Returns the scene.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("capsule", "radius: float, length: float, "),
      adder<double, double>([](double radius, double length) {
        return Numbers{Kind::capsule, {radius, length}};
      }),
      "A capsule along z; length: between the centres of its ends. The other arguments are those of add_box. Returns\n"
      "the scene.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("cylinder", "radius: float, length: float, "),
      adder<double, double>([](double radius, double length) {
        return Numbers{Kind::cylinder, {radius, length}};
      }),
      "A cylinder along z about the origin of its pose; the other arguments are those of add_box. Returns the scene.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("ellipsoid", "radii: ArrayLike, "), adder<nb::handle>([](nb::handle radii) {
        return Numbers{Kind::ellipsoid, three(Kind::ellipsoid, "radii", radii)};
      }),
      "An ellipsoid, which touches half spaces and spheres alone; the other arguments are those of add_box. Returns "
      "the\nscene.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("half_space", ""), adder<>([] { return Numbers{Kind::half_space}; }),
      "Everything below z = 0 of its pose; the arguments are those of add_box. Returns the scene. ground() has a "
      "higher\npriority.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("convex", "points: ArrayLike, "),
      adder<nb::handle>([](nb::handle points) { return grid(Kind::convex, "points", points, {}, 3); }),
      "The convex hull of points (n, 3); the other arguments are those of add_box. Returns the scene. ValueError where "
      "they\nlie in a plane.");
  def_with<ContactLaw>(
      c, ZWANG_ADD("height_field", "heights: ArrayLike, size: ArrayLike, "),
      adder<nb::handle, nb::handle>([](nb::handle heights, nb::handle size) {
        std::vector<double> lengths = numbers("Scene.add_height_field", "size", size);
        if (lengths.size() != 2)
          detail::throw_size("Scene.add_height_field", "size", static_cast<long>(lengths.size()), 2);
        return grid(Kind::height_field, "heights", heights, std::move(lengths), 0);
      }),
      "Terrain: heights [m] (rows along y, row 0 at the lowest y; columns along x) over a grid that is centred at "
      "the\n"
      "origin of its pose, and everything below; size: its lengths along x and y, beyond which nothing holds. Of a "
      "picture,\n"
      "whose first row is at the top, give heights[::-1]. The other arguments are those of add_box. Returns the "
      "scene.");
}
#undef ZWANG_ADD

std::string text_of_scene(const SceneObject& x) {
  const auto count = [](std::size_t n, const std::string& one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
  };
  std::string out = "Scene of '" + x.scene.model().name() + "': " + count(x.scene.shapes().size(), "shape") +
                    ", friction " + std::string(nb::repr(nb::float_(x.scene.friction)).c_str());
  if (!x.scene.rules().empty()) out += ", " + count(x.scene.rules().size(), "rule") + " for pairs";
  if (!x.scene.limits) out += ", without limits of joints";
  if (!x.scene.notes().empty()) out += ", " + count(x.scene.notes().size(), "note");
  return out;
}

/// A rule of a pair as pickle keeps it.
struct KeptRule {
  std::string a, b;
  bool left_out = false;
  PairLaw law;
  template <class A> void fields(A& each) { each(a), each(b), each(left_out), each(law); }
};
struct KeptScene {
  bool limits = true;
  double friction = 0;
  std::vector<AddedShape> added;
  std::vector<KeptRule> rules;
  bool missing_meshes = false;
  template <class A> void fields(A& a) { a(limits), a(friction), a(added), a(rules), a(missing_meshes); }
};

nb::tuple pickled(const SceneObject& x) {
  KeptScene kept{x.scene.limits, x.scene.friction, x.added, {}, x.scene.settings().missing_meshes};
  for (const Scene::PairRule& rule : x.scene.rules()) kept.rules.push_back({rule.a, rule.b, rule.left_out, rule.law});
  return nb::make_tuple(x.model, FieldWriter::tuple_of(kept));
}
void restore(SceneObject& self, nb::handle state) {
  const Pickled read("Scene");
  const nb::tuple parts = read.parts(state, 2, "the state");
  const nb::object model = parts[0];
  KeptScene kept;
  FieldReader(parts[1], read).into(kept);
  SceneObject made{model, Scene(object_in<Robot>(read, model).model, {kept.missing_meshes})};
  for (const AddedShape& shape : kept.added) {
    if (shape.kind > Solid::Kind::height_field) read.refuse("a shape is of no kind");
    const std::size_t size = shape.numbers.size(), least = numbers_of(shape.kind);
    const bool is_grid = shape.kind == Solid::Kind::height_field;
    const bool fits = is_grid ? size >= least && shape.columns > 0
                              : size == least || (shape.kind == Solid::Kind::convex && size % 3 == 0);
    if (!fits) read.refuse("a shape has " + std::to_string(size) + " numbers");
    put(made, shape);
  }
  for (const KeptRule& rule : kept.rules)
    rule.left_out ? made.scene.leave_out(rule.a, rule.b) : made.scene.set_pair(rule.a, rule.b, rule.law);
  made.scene.limits = kept.limits, made.scene.friction = kept.friction;
  new (&self) SceneObject(std::move(made));
}

}  // namespace

void bind_contact_records(nb::module_& m);
void bind_contact_derivatives(nb::module_& m);

void bind_scene(nb::module_& m) {
  bind_contact_records(m);
  using S = SceneObject;
  ClassOf<S> c(
      m, "Scene",
      "What a robot can touch, and how: simulate(..., scene=Scene(robot).ground(), integrator=\"contact\").\n\n"
      "It begins with the collision shapes of the robot's file, a mesh as its convex hull. Pairs of shapes of "
      "one body, of\n"
      "neighbours and those that the file excludes are not looked at.");
  c.def(
      ZWANG_SIGNATURE("def __init__(self, model: Model, *, missing_meshes: bool = False) -> None"),
      [](S* x, const Robot& model, bool missing_meshes) {
        new (x) S{nb::borrow(nb::find(model)), Scene(model.model, {missing_meshes})};
      },
      "The collision shapes of the model's links. ValueError naming link and shape where a mesh was not found;\n"
      "missing_meshes: such shapes are left out, which `notes` say.");
  def_with<ContactLaw>(
      c,
      ZWANG_SIGNATURE("def ground(self, friction: float = 0.7, *, normal: ArrayLike = (0, 0, 1), offset: float = 0, "
                      "{restitution stiffness damping}, name: str = \"ground\") -> Scene"),
      &add_ground,
      "A half space under everything: its surface is where normal . x = offset. Its friction holds whatever the "
      "robot's file\nsays. Returns the scene.");
  bind_shapes(c);
  def_with<PairLaw>(
      c, ZWANG_SIGNATURE("def set_pair(self, a: str, b: str, *, {friction restitution stiffness damping}) -> Scene"),
      [](nb::handle self, const std::string& a, const std::string& b, const PairLaw& law) {
        nb::cast<S&>(self).scene.set_pair(a, b, law);
        return nb::borrow(self);
      },
      "The law of all pairs of a shape or link `a` with a shape or link `b`; what is None stays. Returns the scene.");
  c.def(
       ZWANG_SIGNATURE("def leave_out(self, a: str, b: str) -> Scene"),
       [](nb::handle self, const std::string& a, const std::string& b) {
         nb::cast<S&>(self).scene.leave_out(a, b);
         return nb::borrow(self);
       },
       "Pairs of these shapes or links are not looked at. Returns the scene.")
      .get("model", "Model", "whose shapes they are", [](const S& x) { return x.model; })
      .get("shapes", "list[str]", "names, those of the robot first",
           [](const S& x) {
             std::vector<std::string> names;
             for (const SceneShape& shape : x.scene.shapes()) names.push_back(shape.name);
             return names;
           })
      .get("notes", "list[str]", "on shapes that are not taken as they are", [](const S& x) { return x.scene.notes(); })
      .def_prop_rw(
          "limits", [](const S& x) { return x.scene.limits; }, [](S& x, bool limits) { x.scene.limits = limits; },
          "joints stay between their limits of position")
      .def_prop_rw(
          "friction", [](const S& x) { return x.scene.friction; },
          [](S& x, double friction) {
            if (!(friction >= 0 && std::isfinite(friction)))
              throw std::invalid_argument("E_NUMBER Scene.friction is " + std::to_string(friction) +
                                          ", expected a number >= 0");
            x.scene.friction = friction;
          },
          "of pairs of which neither shape says")
      .def(
          "__repr__", [](const S& x) { return text_of(text_of_scene(x)); }, nb::sig("def __repr__(self) -> str"))
      .def(
          "copy", [](const S& x) { return x; }, nb::sig("def copy(self) -> Scene"), "A scene of its own.")
      .def(
          "__copy__", [](const S& x) { return x; }, nb::sig("def __copy__(self) -> Scene"))
      .def(
          ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Scene"), [](const S& x, nb::handle) { return x; },
          "A scene of its own, of the same model.")
      .def("__getstate__", &pickled, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"), &restore);
  bind_contact_derivatives(m);
}

}  // namespace zwang::python
