// SPDX-License-Identifier: BSD-3-Clause
// with_parameters: other numbers for links and joints, and how such numbers are read.
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

constexpr const char* k_function = "with_parameters";

/// {name: {word: number}}: calls begin(name) and each(word, number).
template <class Begin, class Each> void read(const char* argument, nb::handle given, Begin begin, Each each) {
  if (given.is_none()) return;
  if (!PyDict_Check(given.ptr()))
    wrong(k_function, argument, "of type " + type_text(given), "a dictionary from names to dictionaries");
  for (auto [key, value] : copy_of_dictionary(given)) {
    const std::string name = text_argument(k_function, argument, key);
    begin(name);
    if (!PyDict_Check(value.ptr()))
      wrong(k_function, argument, "of type " + type_text(value) + " for '" + name + "'",
            "a dictionary from words to numbers");
    for (auto [word, number] : copy_of_dictionary(value)) each(text_argument(k_function, argument, word), number);
  }
}

void set(LinkParameters& p, const std::string& word, nb::handle given) {
  if (word == "mass" || word == "gravity_scale") {
    const std::vector<double> one = bounds(k_function, word.c_str(), given);
    if (one.size() != 1) wrong(k_function, word, "of " + std::to_string(one.size()) + " numbers", "a number");
    (word == "mass" ? p.mass : p.gravity_scale) = one[0];
  } else if (word == "centre") {
    p.centre = vec3(k_function, "centre", given);
  } else if (word == "inertia") {
    p.inertia = inertia_of(k_function, given);
  } else {
    detail::throw_unknown("parameter of a link", word, {"mass", "centre", "inertia", "gravity_scale"});
  }
}

void set(JointParameters& p, const std::string& word, nb::handle given) {
#define ZWANG_SET(key)                       \
  if (word == #key) {                        \
    p.key = bounds(k_function, #key, given); \
    return;                                  \
  }
  ZWANG_JOINT_NUMBERS(ZWANG_SET)
  ZWANG_SET(armature)
#undef ZWANG_SET
#define ZWANG_NAME(key) #key,
  detail::throw_unknown("parameter of a joint", word, {ZWANG_JOINT_NUMBERS(ZWANG_NAME) "armature"});
#undef ZWANG_NAME
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
        read(
            "links", links, [&](const std::string& name) { on_links.push_back({.link = name}); },
            [&](const std::string& word, nb::handle x) { set(on_links.back(), word, x); });
        read(
            "joints", joints, [&](const std::string& name) { on_joints.push_back({.joint = name}); },
            [&](const std::string& word, nb::handle x) { set(on_joints.back(), word, x); });
        return Robot(with_parameters(model.model, on_links, on_joints));
      },
      "The robot with other numbers, as links={'link7': {'mass': 2.5}}, joints={'joint3': {'damping': 0.1}}.\n\n"
      "Of a link: mass [kg], centre of mass in the link frame [m], 3 x 3 inertia about it in link axes [kg m^2],\n"
      "gravity_scale. Of a joint, numbers per coordinate or one for all: lower, upper, velocity, effort, damping,\n"
      "friction, stiffness, spring_reference, rotor_inertia, gear_ratio, or armature in place of the last two; None:\n"
      "as if nothing were said. What is not given stays; a mass alone leaves centre and inertia. Coordinates, frames\n"
      "and loops stay.\n"
      "ModelError where load() would refuse the numbers.");
}

}  // namespace zwang::python
