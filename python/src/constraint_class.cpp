// SPDX-License-Identifier: BSD-3-Clause
// Constraint: one of a set, with attributes that may be changed between solves.
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_drivers[] = {"gravity", "external", "tau", "prescribed"};
bool& driver_of(Compensate& c, std::size_t k) {
  return k == 0 ? c.gravity : k == 1 ? c.external : k == 2 ? c.tau : c.prescribed;
}

}  // namespace

std::vector<Sense> senses_of(const char* function, nb::handle words) {
  std::vector<Sense> out;
  if (words.is_none()) return out;
  if (PyUnicode_Check(words.ptr())) return {sense_of(text_argument(function, "sense", words))};
  if (!PyList_Check(words.ptr()) && !PyTuple_Check(words.ptr()))
    throw nb::type_error((std::string(function) + ": sense is a word, or a list with a word for each row").c_str());
  for (nb::handle word : words) out.push_back(sense_of(text_argument(function, "sense", word)));
  return out;
}

bool is_present(const ConstraintObject& self) {
  const std::vector<Constraint>& all = std::as_const(self.shared->set).constraints();
  return std::any_of(all.begin(), all.end(), [&](const Constraint& c) { return c.name == self.name; });
}

const Constraint& present(const ConstraintObject& self) {
  for (const Constraint& c : std::as_const(self.shared->set).constraints())
    if (c.name == self.name) return c;
  throw nb::attribute_error(("constraint '" + self.name + "' was removed from its set; add it again").c_str());
}

Compensate compensate_of(nb::handle words) {
  Compensate c;
  if (words.is_none()) return c;
  for (std::size_t k = 0; k < 4; ++k) driver_of(c, k) = false;
  std::vector<std::string> list;
  if (PyUnicode_Check(words.ptr()))
    list.push_back(text_argument("Constraint", "compensate", words));
  else
    for (nb::handle word : words) list.push_back(text_argument("Constraint", "compensate", word));
  for (const std::string& word : list) {
    const auto* found = std::find(std::begin(k_drivers), std::end(k_drivers), word);
    if (found == std::end(k_drivers))
      detail::throw_unknown("driver to compensate", word, {std::begin(k_drivers), std::end(k_drivers)});
    driver_of(c, static_cast<std::size_t>(found - k_drivers)) = true;
  }
  return c;
}
namespace {

nb::list words_of(Compensate c) {
  nb::list list;
  for (std::size_t k = 0; k < 4; ++k)
    if (driver_of(c, k)) list.append(k_drivers[k]);
  return list;
}

/// Calls f(constraint) to change it, under the lock. f must not call Python.
template <class F> auto with(const ConstraintObject& c, F&& f) {
  const std::lock_guard<SetMutex> lock(c.shared->mutex);
  return f(c.shared->set[c.name]);
}
/// One number per row, from one per row or one for all, written into the existing vector. None, or an empty array (the
/// value of an entry that was never given), resets it to not given; for beta that means zeros.
void assign(const ConstraintObject& self, const char* what, nb::handle given,
            Tracked<std::vector<double>> Constraint::*to) {
  const bool is_beta = to == &Constraint::beta;
  if (given.is_none()) return with(self, [&](Constraint& c) { (c.*to).assign(is_beta ? (c.*to).size() : 0, 0.0); });
  const std::vector<double> x = numbers("Constraint", what, given);
  with(self, [&](Constraint& c) {
    const std::size_t size = static_cast<std::size_t>(c.size());
    if (x.empty() && !is_beta) return (c.*to).clear();
    const bool for_all = x.size() == 1 && (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()));
    if (x.size() != size && !for_all)
      detail::throw_size(("Constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()), c.size());
    if (for_all)
      (c.*to).assign(size, x[0]);
    else
      (c.*to).assign(x.begin(), x.end());
  });
}
/// A copy, which the property makes read-only.
nb::object copy_of(const std::vector<double>& x) { return new_array(x); }

/// Reading needs no lock: a change of a set also needs the GIL.
template <class F> auto reader(F f) {
  return [f](const ConstraintObject& self) { return f(present(self)); };
}

/// `frame, contact ... or custom`.
std::string known_types() {
  std::vector<std::string> words;
  ConstraintTypes::find([&](auto type) {
    words.push_back(decltype(type)::type::k_type);
    return false;
  });
  std::string text = words.front();
  for (std::size_t k = 1; k < words.size(); ++k) text += (k + 1 < words.size() ? ", " : " or ") + words[k];
  return text;
}

/// ` on 'a'`, ` between 'a' and 'b'`, or nothing.
std::string frames_of(const Constraint& c) {
  if (c.frame.empty()) return "";
  return c.other.empty() ? " on '" + c.frame + "'" : " between '" + c.frame + "' and '" + c.other + "'";
}

}  // namespace

void bind_constraint(nb::module_& m) {
  using C = ConstraintObject;
  ClassOf<C> constraint(
      m, "Constraint",
      "A constraint of a ConstraintSet: rows K a = beta on the acceleration of a frame; lambda acts +K^T on "
      "its body.\n\n"
      "What can be set may be set between solves; the next solve sees it, and no solver allocates for it.");
  bind_constraint_definition(constraint);
  kept_by<C>(
      2, [](const C& c) { return nb::make_tuple(SetObject{c.shared}, text_of(c.name)); },
      [](const Pickled& read, const nb::tuple& state) {
        return C{object_in<SetObject>(read, state[0]).shared, read.text(state[1], "its name")};
      });
  constraint.def_prop_ro("name", [](const C& c) { return c.name; })
      .def_prop_ro("type", reader([](const Constraint& c) { return c.type.value(); }), known_types().c_str())
      .def_prop_ro("frame", reader([](const Constraint& c) { return c.frame.value(); }), "the frame that it holds")
      .def_prop_ro("other", reader([](const Constraint& c) { return c.other.value(); }),
                   "the second frame of a relation between two, else empty")
      .def_prop_ro("in_", reader([](const Constraint& c) { return c.in.value(); }),
                   "axes of its rows and of its wrench")
      .def_prop_ro("row_names", reader([](const Constraint& c) { return c.row_names.value(); }),
                   "tool:linear.x and so on")
      .def_prop_rw("active", reader([](const Constraint& c) { return c.active.value(); }),
                   [](const C& self, bool on) { with(self, [&](Constraint& c) { c.active = on; }); })
      .def_prop_rw(
          "beta", reader([](const Constraint& c) { return copy_of(c.beta); }),
          [](const C& self, nb::handle x) { assign(self, "beta", x, &Constraint::beta); }, nb::arg().none(),
          nb::for_getter(nb::sig("def beta(self) -> Array")),
          nb::for_setter(nb::sig("def beta(self, value: ArrayLike | None, /) -> None")),
          "desired acceleration, one per row [m/s^2, rad/s^2]; None: zeros; reading gives a copy")
      .def_prop_rw(
          "role", reader([](const Constraint& c) { return std::string(name_of(c.role)); }),
          [](const C& self, const std::string& word) {
            const Role role = role_of(word);
            with(self, [&](Constraint& c) { c.role = role; });
          },
          "physical (a reaction) or driver (asked of the motors)")
      .def_prop_rw(
          "acceleration", reader([](const Constraint& c) {
            return std::string(c.acceleration == AccelerationKind::classical ? "classical" : "spatial");
          }),
          [](const C& self, const std::string& word) {
            const AccelerationKind kind = acceleration_of("Constraint", "acceleration", word);
            with(self, [&](Constraint& c) { c.acceleration = kind; });
          },
          "classical or spatial")
      .def_prop_rw(
          "policy", reader([](const Constraint& c) { return std::string(name_of(c.policy)); }),
          [](const C& self, const std::string& word) {
            const Policy policy = policy_of(word);
            with(self, [&](Constraint& c) { c.policy = policy; });
          },
          "hard, early or soft (K a + R lambda = beta, with the compliance R)")
      .def_prop_rw(
          "priority", reader([](const Constraint& c) { return c.priority.value(); }),
          [](const C& self, int level) { with(self, [&](Constraint& c) { c.priority = level; }); },
          "0 is highest; level k is held as well as the levels before it allow")
      .def_prop_rw(
          "compensate", reader([](const Constraint& c) { return words_of(c.compensate); }),
          [](const C& self, nb::handle words) {
            const Compensate given = compensate_of(words);
            with(self, [&](Constraint& c) { c.compensate = given; });
          },
          nb::arg().none(), nb::for_getter(nb::sig("def compensate(self) -> list[str]")),
          nb::for_setter(nb::sig("def compensate(self, value: Sequence[str] | None, /) -> None")),
          "which of gravity, external, tau, prescribed its multipliers make up for")
      .def_prop_rw(
          "compliance", reader([](const Constraint& c) { return copy_of(c.compliance); }),
          [](const C& self, nb::handle x) { assign(self, "compliance", x, &Constraint::compliance); }, nb::arg().none(),
          nb::for_getter(nb::sig("def compliance(self) -> Array")),
          nb::for_setter(nb::sig("def compliance(self, value: ArrayLike | None, /) -> None")),
          "R of the policy soft, one per row, > 0 [acceleration / force]; None: not given")
      .def_prop_rw(
          "weight", reader([](const Constraint& c) { return copy_of(c.weight); }),
          [](const C& self, nb::handle x) { assign(self, "weight", x, &Constraint::weight); }, nb::arg().none(),
          nb::for_getter(nb::sig("def weight(self) -> Array")),
          nb::for_setter(nb::sig("def weight(self, value: ArrayLike | None, /) -> None")),
          "one per row, > 0, for singularity weighted; None: ones")
      .def_prop_rw(
          "sense", reader([](const Constraint& c) {
            std::vector<std::string> words;
            for (const Sense word : c.sense) words.emplace_back(name_of(word));
            return words;
          }),
          [](const C& self, nb::handle given) {
            std::vector<Sense> words = senses_of("Constraint.sense", given);
            with(self, [&](Constraint& c) {
              if (words.size() == 1 && c.size() > 1) {
                const bool normal = c.row_names.back().ends_with(":normal");
                words.insert(words.begin(), static_cast<std::size_t>(c.size()) - 1, normal ? Sense::equal : words[0]);
              }
              if (!words.empty() && words.size() != static_cast<std::size_t>(c.size()))
                throw std::invalid_argument("Constraint '" + c.name + "': sense needs " + std::to_string(c.size()) +
                                            " words, or one; got " + std::to_string(words.size()));
              c.sense = words;
            });
          },
          nb::arg().none(), nb::for_getter(nb::sig("def sense(self) -> list[str]")),
          nb::for_setter(nb::sig("def sense(self, value: str | Sequence[str] | None, /) -> None")),
          "equal, at_least or at_most, one per row; one word is that of all rows, of a contact that of its normal; "
          "empty or None: equal")
      .def_prop_rw(
          "limit", reader([](const Constraint& c) { return copy_of(c.limit); }),
          [](const C& self, nb::handle x) { assign(self, "limit", x, &Constraint::limit); }, nb::arg().none(),
          nb::for_getter(nb::sig("def limit(self) -> Array")),
          nb::for_setter(nb::sig("def limit(self, value: ArrayLike | None, /) -> None")),
          "|lambda| <= limit, one per row, > 0; empty or None: no limit")
      .def_prop_rw(
          "warn_of_pull", reader([](const Constraint& c) { return c.unilateral.value(); }),
          [](const C& self, bool on) {
            with(self, [&](Constraint& c) {
              if (on && c.type != "contact" && c.type != "rolling")
                throw std::invalid_argument("Constraint '" + c.name +
                                            "': warn_of_pull is for contact and rolling, whose last row is a normal");
              c.unilateral = on;
            });
          },
          "whether a report warns where the last row of a contact, or of what rolls, pulls")
      .def_prop_rw(
          "target", reader([](const Constraint& c) { return copy_of(c.target); }),
          [](const C& self, nb::handle x) { assign(self, "target", x, &Constraint::target); }, nb::arg().none(),
          nb::for_getter(nb::sig("def target(self) -> Array")),
          nb::for_setter(nb::sig("def target(self, value: ArrayLike | None, /) -> None")),
          "desired phi of a relation, one per row; empty or None: zeros")
      .def_prop_rw(
          "target_velocity", reader([](const Constraint& c) { return copy_of(c.target_velocity); }),
          [](const C& self, nb::handle x) { assign(self, "target_velocity", x, &Constraint::target_velocity); },
          nb::arg().none(), nb::for_getter(nb::sig("def target_velocity(self) -> Array")),
          nb::for_setter(nb::sig("def target_velocity(self, value: ArrayLike | None, /) -> None")),
          "desired phi' of a relation, one per row; empty or None: zeros")
      .def_prop_rw(
          "time_constant", reader([](const Constraint& c) { return c.stabilisation.time_constant.value(); }),
          [](const C& self, double T) { with(self, [&](Constraint& c) { c.stabilisation.time_constant = T; }); },
          "T of phi'' = beta - 2 zeta / T phi' - phi / T^2 [s]; 0: errors are left alone")
      .def_prop_rw(
          "damping_ratio", reader([](const Constraint& c) { return c.stabilisation.damping_ratio.value(); }),
          [](const C& self, double z) { with(self, [&](Constraint& c) { c.stabilisation.damping_ratio = z; }); },
          "zeta of the same; 1: critically damped")
      .def("__len__", reader([](const Constraint& c) { return c.size(); }))
      .def("__repr__", [](const C& self) {
        if (!is_present(self)) return "<Constraint '" + self.name + "', removed>";
        const Constraint& c = present(self);
        return "<Constraint '" + c.name + "': " + c.type + frames_of(c) + ", " + std::to_string(c.size()) + " rows, " +
               name_of(c.role) + (c.active ? ">" : ", not active>");
      });
}

}  // namespace zwang::python
