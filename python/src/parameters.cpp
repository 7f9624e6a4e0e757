// SPDX-License-Identifier: BSD-3-Clause
// with_parameters and its like: other numbers for links and joints, other gravity, and how such numbers are read.
#include <cmath>

#include "arrays.hpp"
#include "bind.hpp"
#include "building.hpp"
#include "robot.hpp"
#include "zwang/algorithm/edit.hpp"

namespace zwang::python {

[[noreturn]] void wrong(const char* function, const std::string& argument, const std::string& got,
                        const std::string& expected) {
  throw std::invalid_argument(std::string(function) + ": argument '" + argument + "' is " + got + ", expected " +
                              expected);
}

Sym3<double> inertia_of(const char* function, nb::handle given) {
  const Input x(function, "inertia", given, 3);
  if (x.states() != 3) wrong(function, "inertia", "of another shape", "a symmetric 3 x 3 matrix");
  double largest = 0, skew = 0;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      const double e = x.at(i)[j];
      if (!std::isfinite(e)) detail::throw_not_finite(function, "inertia", 3 * i + j, e);
      largest = std::max(largest, std::fabs(e));
      skew = std::max(skew, std::fabs(e - x.at(j)[i]));
    }
  if (skew > 1e-9 * largest) wrong(function, "inertia", "not symmetric", "a symmetric 3 x 3 matrix");
  return {x.at(0)[0], x.at(0)[1], x.at(0)[2], x.at(1)[1], x.at(1)[2], x.at(2)[2]};
}

std::vector<double> bounds(const char* function, const char* name, nb::handle given) {
  if (given.is_none()) return {};
  const char* const expected = "a number, or one for each coordinate";
  const bool text = nb::isinstance<nb::str>(given) || nb::isinstance<nb::bytes>(given);
  const Py_ssize_t size = text ? -1 : PyObject_Size(given.ptr());
  PyErr_Clear();
  if (size < 0) {
    const double one = text ? -1 : PyFloat_AsDouble(given.ptr());
    const bool beyond = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    if (!text && PyErr_Occurred() == nullptr) return {one};
    PyErr_Clear();
    wrong(function, name, beyond ? "beyond the range of double" : "of type " + type_text(given), expected);
  }
  const Input x(function, name, given, static_cast<Index>(std::min<Py_ssize_t>(size, 1 << 20)));
  if (x.states() >= 0) wrong(function, name, "of several rows", expected);
  return {x.at(0), x.at(0) + x.size()};
}

namespace {

/// {name: {word: number}}: calls begin(name) and each(word, number).
template <class Begin, class Each>
void read(const char* function, const char* argument, nb::handle given, Begin begin, Each each) {
  if (given.is_none()) return;
  if (!PyDict_Check(given.ptr()))
    wrong(function, argument, "of type " + type_text(given), "a dictionary from names to dictionaries");
  for (auto [key, value] : copy_of_dictionary(given)) {
    const std::string name = text_argument(function, argument, key);
    begin(name);
    if (!PyDict_Check(value.ptr()))
      wrong(function, argument, "of type " + type_text(value) + " for '" + name + "'",
            "a dictionary from words to numbers");
    for (auto [word, number] : copy_of_dictionary(value)) each(text_argument(function, argument, word), number);
  }
}

void set(const char* function, LinkParameters& p, const std::string& word, nb::handle given) {
  if (word == "mass" || word == "gravity_scale") {
    const std::vector<double> one = bounds(function, word.c_str(), given);
    if (one.size() != 1) wrong(function, word, "of " + std::to_string(one.size()) + " numbers", "a number");
    (word == "mass" ? p.mass : p.gravity_scale) = one[0];
  } else if (word == "centre") {
    p.centre = vec3(function, "centre", given);
  } else if (word == "inertia") {
    p.inertia = inertia_of(function, given);
  } else {
    detail::throw_unknown("parameter of a link", word, {"mass", "centre", "inertia", "gravity_scale"});
  }
}

void set(const char* function, JointParameters& p, const std::string& word, nb::handle given) {
#define ZWANG_SET(key)                     \
  if (word == #key) {                      \
    p.key = bounds(function, #key, given); \
    return;                                \
  }
  ZWANG_JOINT_NUMBERS(ZWANG_SET)
  ZWANG_SET(armature)
#undef ZWANG_SET
  if (word == "origin") {
    p.origin = pose(function, "origin", given);
    return;
  }
#define ZWANG_NAME(key) #key,
  detail::throw_unknown("parameter of a joint", word, {ZWANG_JOINT_NUMBERS(ZWANG_NAME) "armature", "origin"});
#undef ZWANG_NAME
}

/// What is not None, by words.
template <class Parameters> Parameters given_by(const char* function, Parameters p,
                                                std::initializer_list<std::pair<const char*, nb::handle>> words) {
  for (const auto& [word, given] : words)
    if (!given.is_none()) set(function, p, word, given);
  return p;
}

void bind_one_at_a_time(nb::module_& m) {
  def(
      m,
      ZWANG_SIGNATURE(
          "def with_link(model: Model, name: str, *, mass: float | None = None, centre: ArrayLike | None = None, "
          "inertia: ArrayLike | None = None, gravity_scale: float | None = None) -> Model"),
      [](const Robot& model, const std::string& name, nb::handle mass, nb::handle centre, nb::handle inertia,
         nb::handle gravity_scale) {
        return Robot(with_link(
            model.model,
            given_by("with_link", LinkParameters{.link = name},
                     {{"mass", mass}, {"centre", centre}, {"inertia", inertia}, {"gravity_scale", gravity_scale}})));
      },
      "The robot with another link: mass [kg], centre of mass in the link frame [m], 3 x 3 inertia about the centre "
      "in\n"
      "link axes [kg m^2], gravity_scale. None: it stays. A mass alone leaves centre and inertia.\n\n"
      "ModelError where load() would refuse the numbers; ValueError with the nearest name.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def with_joint(model: Model, name: str, *, lower: ArrayLike | None = None, upper: ArrayLike | None = None, "
          "velocity: ArrayLike | None = None, effort: ArrayLike | None = None, damping: ArrayLike | None = None, "
          "friction: ArrayLike | None = None, stiffness: ArrayLike | None = None, spring_reference: ArrayLike | None "
          "= None, rotor_inertia: ArrayLike | None = None, gear_ratio: ArrayLike | None = None, armature: ArrayLike | "
          "None = None, origin: ArrayLike | None = None) -> Model"),
      [](const Robot& model, const std::string& name, nb::handle lower, nb::handle upper, nb::handle velocity,
         nb::handle effort, nb::handle damping, nb::handle friction, nb::handle stiffness, nb::handle spring_reference,
         nb::handle rotor_inertia, nb::handle gear_ratio, nb::handle armature, nb::handle origin) {
#define ZWANG_GIVEN(key) {#key, key},
        return Robot(with_joint(model.model,
                                given_by("with_joint", JointParameters{.joint = name},
                                         {ZWANG_JOINT_NUMBERS(ZWANG_GIVEN) ZWANG_GIVEN(armature){"origin", origin}})));
#undef ZWANG_GIVEN
      },
      "The robot with another joint. Numbers per coordinate or one for all: lower and upper (of q; NaN unknown, inf\n"
      "none), velocity, effort, damping, friction (Coulomb), stiffness and spring_reference, rotor_inertia and\n"
      "gear_ratio, or armature in their place. origin: 4 x 4 pose of the joint frame in the parent link at q = 0, or "
      "a\n"
      "position; what the joint carries moves with it. None: it stays. Coordinates, frames and loops stay.\n\n"
      "The joint between world and root link has no such numbers, a fixed joint only a place. ModelError where load()\n"
      "would refuse the numbers; ValueError with the nearest name.");
  def(
      m, ZWANG_SIGNATURE("def with_gravity(model: Model, gravity: ArrayLike) -> Model"),
      [](const Robot& model, nb::handle gravity) {
        return Robot(with_gravity(model.model, vec3("with_gravity", "gravity", gravity)));
      },
      "The same robot under another gravity [m/s^2], the true vector: (0, 0, -9.81) on Earth. Three finite numbers.\n\n"
      "For one call alone, calls have an argument `gravity`.");
}

}  // namespace

void bind_parameters(nb::module_& m) {
  def(
      m,
      ZWANG_SIGNATURE(
          "def with_parameters(model: Model, links: Mapping[str, Mapping[str, ArrayLike]] | None = None, joints: "
          "Mapping[str, Mapping[str, ArrayLike]] | None = None) -> Model"),
      [](const Robot& model, nb::handle links, nb::handle joints) {
        std::vector<LinkParameters> on_links;
        std::vector<JointParameters> on_joints;
        const char* const name_of_call = "with_parameters";
        read(
            name_of_call, "links", links, [&](const std::string& name) { on_links.push_back({.link = name}); },
            [&](const std::string& word, nb::handle x) { set(name_of_call, on_links.back(), word, x); });
        read(
            name_of_call, "joints", joints, [&](const std::string& name) { on_joints.push_back({.joint = name}); },
            [&](const std::string& word, nb::handle x) { set(name_of_call, on_joints.back(), word, x); });
        return Robot(with_parameters(model.model, on_links, on_joints));
      },
      "The robot with other numbers, as links={'link7': {'mass': 2.5}}, joints={'joint3': {'damping': 0.1}}.\n\n"
      "Of a link: mass [kg], centre of mass in the link frame [m], 3 x 3 inertia about it in link axes [kg m^2],\n"
      "gravity_scale. Of a joint, numbers per coordinate or one for all: lower, upper, velocity, effort, damping,\n"
      "friction, stiffness, spring_reference, rotor_inertia, gear_ratio, or armature in place of the last two; "
      "origin:\n"
      "4 x 4 pose of the joint frame in the parent link at q = 0. None: as if nothing were said. What is not given "
      "stays; a mass alone leaves centre and inertia. Coordinates, frames\n"
      "and loops stay.\n"
      "ModelError where load() would refuse the numbers.");
  bind_one_at_a_time(m);
}

}  // namespace zwang::python
