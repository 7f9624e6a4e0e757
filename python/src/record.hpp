// SPDX-License-Identifier: BSD-3-Clause
// Records (zwang/core/record.hpp) in Python: attributes with annotations and help, named tuples, pickle by name.
// What a kind of member needs beyond the rules below is an overload python_value(Shown, record, member).
#pragma once
#include <deque>
#include <string>

#include "fields.hpp"
#include "statuses.hpp"
#include "zwang/core/record.hpp"

namespace zwang::python {

/// A record that owns the names which it refers to.
template <Record R> class WithNames {
 public:
  using Kept = R;
  WithNames() = default;
  explicit WithNames(const R& given) { assign(given); }
  WithNames(const WithNames& other) { assign(other.record); }
  WithNames& operator=(const WithNames& other) {
    if (this != &other) assign(other.record);
    return *this;
  }
  void assign(const R& given) {
    names_.clear();
    record = given;
    for_each_name(record, [&](std::string_view& name) {
      name = name.empty() ? std::string_view() : std::string_view(names_.emplace_back(name));
    });
  }
  /// Of what was read from a pickle, where the record has a check_record().
  void check(const Pickled& read) const {
    if constexpr (requires { check_record(record, read); }) check_record(record, read);
  }
  R record;

 private:
  std::deque<std::string> names_;
};

// --- values ---------------------------------------------------------------------------------------------------------

/// What a list says before its fields.
struct Head {
  const char *name = "", *says = "";
  void record(const char* n, const char* s) { name = n, says = s; }
  template <class M> void operator()(const char*, M, const char*, Field = {}) {}
  template <class F> void computed(const char*, F, const char*, Field = {}) {}
};
template <Record R> Head head_of() {
  Head head;
  fields(head, Type<R>());
  return head;
}

/// What Python writes for a C++ type.
template <class X> std::string annotation_of() {
  if constexpr (Record<X>) {
    return head_of<X>().name;
  } else if constexpr (std::is_same_v<X, Status>) {
    return "Status";
  } else if constexpr (std::is_same_v<X, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<X>) {
    return "int";
  } else if constexpr (std::is_floating_point_v<X>) {
    return "float";
  } else if constexpr (k_is<X, std::vector>) {
    return "list[" + annotation_of<typename X::value_type>() + "]";
  } else if constexpr (std::is_base_of_v<nb::object, X>) {
    return "Array";
  } else if constexpr (std::is_enum_v<X> || std::is_convertible_v<X, std::string_view>) {
    return "str";
  } else {
    return "";  // of a field that is no attribute
  }
}

template <Record R> nb::object named_tuple(const R& x);

template <class X> nb::object python_value(const X& x) {
  if constexpr (Record<X>) {
    return named_tuple(x);
  } else if constexpr (std::is_base_of_v<nb::object, X>) {
    return x.is_valid() ? nb::object(x) : nb::none();
  } else if constexpr (std::is_enum_v<X> && !std::is_same_v<X, Status>) {
    return nb::str(name_of(x));
  } else if constexpr (k_is<X, std::vector>) {
    nb::list list;
    for (const auto& one : x) list.append(python_value(one));
    return list;
  } else if constexpr (std::is_same_v<X, std::string>) {
    return text_of(x);
  } else if constexpr (std::is_convertible_v<X, std::string_view>) {
    return text_of(std::string(x));
  } else if constexpr (std::is_arithmetic_v<X> || std::is_same_v<X, Status>) {
    return nb::cast(x);
  } else {
    throw std::logic_error("a field without a form in Python is no attribute");
  }
}
/// Lets overloads for a record be found that are declared later.
struct Shown {};
template <class R, class X> nb::object python_value(Shown, const R&, const X& x) { return python_value(x); }

/// A member as an attribute shows it.
template <class R, class M> nb::object attribute_of(const R& record, M R::*member, const Field& field) {
  if constexpr (std::is_signed_v<M>)
    if (field.known_from_0 && record.*member < 0) return nb::none();
  return python_value(Shown(), record, record.*member);
}

// --- classes --------------------------------------------------------------------------------------------------------

/// Text that a class refers to as long as it lives.
const char* kept_text(std::string text);

/// Gives a class the fields of a record as attributes: get(object) is the record.
template <class Object, Record R, class Get> class Attributes {
 public:
  Attributes(ClassOf<Object>& c, Get get) : class_(c), get_(get) {}
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M R::*member, const char* says, Field field = {}) {
    if (!field.attribute) return;
    std::string type = field.type != nullptr ? field.type : annotation_of<M>();
    if (field.known_from_0) type += " | None";
    define(name, type, says, [get = get_, member, field](const Object& x) {
      return attribute_of(static_cast<const R&>(get(x)), member, field);
    });
  }
  template <class F> void computed(const char* name, F f, const char* says, Field field = {}) {
    if (!field.attribute) return;
    using Value = std::remove_cvref_t<std::invoke_result_t<F, const R&>>;
    define(name, field.type != nullptr ? field.type : annotation_of<Value>(), says,
           [get = get_, f](const Object& x) { return python_value(f(get(x))); });
  }

 private:
  template <class F> void define(const char* name, const std::string& type, const char* says, F f) {
    class_.def_prop_ro(name, std::move(f), nb::sig(kept_text("def " + std::string(name) + "(self) -> " + type)), says);
  }
  ClassOf<Object>& class_;
  Get get_;
};
template <Record R, class Object, class Get> void attributes(ClassOf<Object>& c, Get get) {
  Attributes<Object, R, Get> v(c, get);
  fields(v, Type<R>());
}

/// The class of a record of Python's own, its pickle and copies.
template <Record R> ClassOf<R> result_class(nb::module_& m) {
  const Head head = head_of<R>();
  ClassOf<R> c(m, head.name, head.says);
  attributes<R>(c, [](const R& x) -> const R& { return x; });
  kept_by_fields<R>();
  return c;
}
/// The same of a record of C++, with names of its own, and explain() where it has one.
template <Record R> ClassOf<WithNames<R>> record_class(nb::module_& m) {
  const Head head = head_of<R>();
  ClassOf<WithNames<R>> c(m, head.name, head.says);
  attributes<R>(c, [](const WithNames<R>& x) -> const R& { return x.record; });
  if constexpr (requires(const R& x) { x.explain(); })
    c.def(
        "explain", [](const WithNames<R>& x) { return text_of(x.record.explain()); },
        nb::sig("def explain(self) -> str"), "A few sentences in the user's names.");
  kept_by_fields<WithNames<R>>();
  return c;
}
/// `status` of a result: a Status, or an array of N.
template <class V, class R> void status_field(V& v, nb::object R::*status, const char* says) {
  v("status", status, says, {.attribute = false});
  v.computed("status", [status](const R& x) { return as_statuses(x.*status); }, says, {.type = "Status | Statuses"});
}

/// The values of a record as Python shows them, in order.
template <class R> struct Values {
  const R& x;
  nb::list list = {};
  void record(const char*, const char*) {}
  template <class M> void operator()(const char*, M R::*member, const char*, Field field = {}) {
    if (field.attribute) list.append(attribute_of(x, member, field));
  }
  template <class F> void computed(const char*, F f, const char*, Field field = {}) {
    if (field.attribute) list.append(python_value(f(x)));
  }
};
template <Record R> nb::object named_tuple(const R& x) {
  static PyObject* slot;
  static const std::string name = annotation_of<R>();
  Values<R> v{x};
  fields(v, Type<R>());
  return kept(slot, "zwang._zwang", name.c_str())(*nb::tuple(v.list));
}

/// The attributes of a record and their annotations.
template <class R> struct Annotations {
  nb::dict all = {};
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M R::*, const char*, Field field = {}) { add<M>(name, field); }
  template <class F> void computed(const char* name, F, const char*, Field field = {}) {
    add<std::remove_cvref_t<std::invoke_result_t<F, const R&>>>(name, field);
  }

 private:
  template <class X> void add(const char* name, const Field& field) {
    if (field.attribute) all[name] = field.type != nullptr ? std::string(field.type) : annotation_of<X>();
  }
};
/// Defines a named tuple; tools/named_tuples.py writes its stub.
void define_named_tuple(nb::module_& m, const Head& head, const nb::dict& annotations);
/// Those of small records that others hold.
template <Record... R> void named_tuples(nb::module_& m) {
  const auto one = [&]<class X>(Type<X> type) {
    Annotations<X> v;
    fields(v, type);
    define_named_tuple(m, head_of<X>(), v.all);
  };
  (one(Type<R>()), ...);
}

}  // namespace zwang::python
