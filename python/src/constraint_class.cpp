// SPDX-License-Identifier: BSD-3-Clause
// Constraint: one of a set, with attributes that may be changed between solves.
#include "bind.hpp"
#include "constraint_fields.hpp"
#include "record.hpp"

namespace zwang::python {
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
  std::vector<std::string> known;
  for (const auto& [cause, member] : k_causes) known.emplace_back(cause), c.*member = false;
  std::vector<std::string> list;
  if (PyUnicode_Check(words.ptr()))
    list.push_back(text_argument("Constraint", "compensate", words));
  else
    for (nb::handle word : words) list.push_back(text_argument("Constraint", "compensate", word));
  for (const std::string& word : list) {
    const auto is_this = [&](const Cause& cause) { return word == cause.word; };
    const auto* found = std::find_if(std::begin(k_causes), std::end(k_causes), is_this);
    if (found == std::end(k_causes)) detail::throw_unknown("driver to compensate", word, known);
    c.*found->member = true;
  }
  return c;
}
namespace {

nb::list words_of(Compensate c) {
  nb::list list;
  for (const auto& [word, member] : k_causes)
    if (c.*member) list.append(word);
  return list;
}

/// Calls f(constraint) to change it, under the lock. f must not call Python.
template <class F> auto with(const ConstraintObject& c, F&& f) {
  const std::lock_guard<SetMutex> lock(c.shared->mutex);
  return f(c.shared->set[c.name]);
}
/// One number per row, from one per row or one for all, written into the existing vector. None, or an empty array (the
/// value of an entry that was never given), resets it to not given; where that means zeros, None alone does.
void assign(const ConstraintObject& self, const RowOption& option, nb::handle given,
            Tracked<std::vector<double>> Constraint::*to) {
  const char* const what = option.name;
  const bool zeros = option.form == KeyForm::or_zeros;
  if (given.is_none()) return with(self, [&](Constraint& c) { (c.*to).assign(zeros ? (c.*to).size() : 0, 0.0); });
  const std::vector<double> x = numbers("Constraint", what, given);
  with(self, [&](Constraint& c) {
    const std::size_t size = static_cast<std::size_t>(c.size());
    if (x.empty() && !zeros) return (c.*to).clear();
    const bool for_all = x.size() == 1 && (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()));
    if (x.size() != size && !for_all)
      detail::throw_size(("Constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()), c.size());
    if (for_all)
      (c.*to).assign(size, x[0]);
    else
      (c.*to).assign(x.begin(), x.end());
  });
}
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

/// A word is that of all rows, of rows along tangents and a normal that of the normal.
void assign(const ConstraintObject& self, const RowOption& option, nb::handle given,
            Tracked<std::vector<Sense>> Constraint::*to) {
  std::vector<Sense> words = senses_of((std::string("Constraint.") + option.name).c_str(), given);
  with(self, [&](Constraint& c) {
    if (words.size() == 1 && c.size() > 1) {
      const bool normal = c.row_names.back().ends_with(":normal");
      words.insert(words.begin(), static_cast<std::size_t>(c.size()) - 1, normal ? Sense::equal : words[0]);
    }
    if (!words.empty() && words.size() != static_cast<std::size_t>(c.size()))
      throw std::invalid_argument("Constraint '" + c.name + "': " + option.name + " needs " + std::to_string(c.size()) +
                                  " words, or one; got " + std::to_string(words.size()));
    c.*to = words;
  });
}
void assign(const ConstraintObject& self, const RowOption&, nb::handle words, Tracked<Compensate> Constraint::*to) {
  const Compensate given = compensate_of(words);
  with(self, [&](Constraint& c) { c.*to = given; });
}
nb::object shown(const Tracked<std::vector<double>>& x) { return new_array(x.value()); }
nb::object shown(const Tracked<std::vector<Sense>>& x) { return words_in(x.value()); }
nb::object shown(const Tracked<Compensate>& x) { return words_of(x); }

/// The properties of the options, by the type of their members.
struct OptionProperties {
  using C = ConstraintObject;
  ClassOf<C>& c;
  template <class X> void operator()(const RowOption& o, Tracked<X> Constraint::*member) const {
    if constexpr (std::is_arithmetic_v<X>) {
      c.def_prop_rw(
          o.name, reader([member](const Constraint& x) { return (x.*member).value(); }),
          [member](const C& self, X value) { with(self, [&](Constraint& x) { x.*member = value; }); }, o.says);
    } else if constexpr (Worded<X>) {
      c.def_prop_rw(
          o.name, reader([member](const Constraint& x) { return std::string(name_of(x.*member)); }),
          [member, name = o.name](const C& self, const std::string& word) {
            const X value = value_of<X>(name, word);
            with(self, [&](Constraint& x) { x.*member = value; });
          },
          o.says);
    } else if constexpr (std::is_same_v<X, Stabilisation>) {
      const StabilisationProperties v{c, member};
      fields(v, Type<X>());
    } else {
      const std::string name = o.name, type = Arguments<Holding>::type_of(Type<X>(), {.form = o.form}),
                        shows = std::is_same_v<X, std::vector<double>> ? "Array" : "list[str]";
      const char* const says = kept_text(o.says + std::string(unset_by(o.form)) + "; reading gives a copy");
      c.def_prop_rw(
          o.name, reader([member](const Constraint& x) { return shown(x.*member); }),
          [member, o](const C& self, nb::handle given) { assign(self, o, given, member); }, nb::arg().none(),
          nb::for_getter(nb::sig(kept_text("def " + name + "(self) -> " + shows))),
          nb::for_setter(nb::sig(kept_text("def " + name + "(self, value: " + type + ", /) -> None"))), says);
    }
  }

 private:
  /// What takes back the numbers or words of an option.
  static const char* unset_by(KeyForm form) {
    if (form == KeyForm::per_row) return "; of relations alone; empty or None: as if not given";
    return form == KeyForm::positive ? "; empty or None: as if not given" : "; None: as if not given";
  }
  struct StabilisationProperties {
    ClassOf<C>& c;
    Tracked<Stabilisation> Constraint::*of;
    void record(const char*, const char*) const {}
    void operator()(const char* name, double Stabilisation::*member, const char* says) const {
      c.def_prop_rw(
          name, reader([of = of, member](const Constraint& x) { return Stabilisation(x.*of).*member; }),
          [of = of, member](const C& self, double value) {
            with(self, [&](Constraint& x) {
              Stabilisation s = x.*of;
              s.*member = value;
              x.*of = s;
            });
          },
          says);
    }
  };
};

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
                   "tool:linear.x and so on");
  for_each_option(OptionProperties{constraint}, Type<Constraint>());
  constraint
      .def_prop_rw(
          "acceleration", reader([](const Constraint& c) { return std::string(name_of(c.acceleration)); }),
          [](const C& self, const std::string& word) {
            const AccelerationKind kind = acceleration_of("Constraint", "acceleration", word);
            with(self, [&](Constraint& c) { c.acceleration = kind; });
          },
          "classical or spatial")
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
      .def("__len__", reader([](const Constraint& c) { return c.size(); }))
      .def("__repr__", [](const C& self) {
        if (!is_present(self)) return "<Constraint '" + self.name + "', removed>";
        const Constraint& c = present(self);
        return "<Constraint '" + c.name + "': " + c.type + frames_of(c) + ", " + std::to_string(c.size()) + " rows, " +
               name_of(c.role) + (c.active ? ">" : ", not active>");
      });
}

}  // namespace zwang::python
