// SPDX-License-Identifier: BSD-3-Clause
// Records: the plain structs that calls take and return (reports, results, settings). Each lists its fields once, next
// to itself:
//
//   template <class V> void fields(V& v, Type<GivenUp>) {
//     v.record("GivenUp", "A row that is not held, why, and by how much.");
//     v("row", &GivenUp::row, "the row, by your name");
//     v("amount", &GivenUp::amount, "K a - beta, in the row's own units");
//   }
//
// Whatever is done with all fields of a record is a visitor V of this list and is written once: clear_lists() and
// for_each_name() below, JSON and its schema in io/record_json.hpp, attributes and pickle in Python.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace zwang {

/// Says whose list is asked for.
template <class T> struct Type {};

/// What a field is for others than C++.
struct Field {
  bool document = true;       ///< a key of documents (JSON, CBOR)
  bool attribute = true;      ///< an attribute in Python; pickle and copies keep the others, too
  bool optional = false;      ///< left out of documents where it is empty
  bool known_from_0 = false;  ///< a negative number means `not known`: None, null
  const char* group =
      nullptr;  ///< the object in documents that holds it; left out where its lists are empty, or all its numbers 0
  const char* type = nullptr;  ///< the annotation in Python, where that of the C++ type is too wide
};

namespace detail {
/// Accepts any list.
struct AnyVisitor {
  void record(const char*, const char*) {}
  template <class M> void operator()(const char*, M, const char*, Field = {}) {}
  template <class F> void computed(const char*, F, const char*, Field = {}) {}
};
}  // namespace detail

/// A type that lists its fields.
template <class T>
concept Record = std::is_class_v<T> && requires(detail::AnyVisitor& v) {
  fields(v, Type<T>());
};

/// An enumeration that lists its words, in its order: `constexpr auto words_of(Type<E>)`.
template <class E>
concept Worded = std::is_enum_v<E> && requires {
  words_of(Type<E>());
};

/// The word of a value; `unknown` where it has none.
template <Worded E> constexpr const char* name_of(E value) {
  constexpr auto words = words_of(Type<E>());
  const auto k = static_cast<std::size_t>(value);
  return k < words.size() ? words[k] : "unknown";
}

namespace detail {
template <class T> struct ClearLists {
  T& x;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char*, M T::*member, const char*, Field = {}) {
    if constexpr (requires { (x.*member).clear(); }) (x.*member).clear();
    if constexpr (std::is_same_v<M, std::string_view>) x.*member = {};
  }
  template <class F> void computed(const char*, F, const char*, Field = {}) {}
};
}  // namespace detail

/// Empties lists and names; lists keep their memory. Numbers stay.
template <Record T> void clear_lists(T& x) {
  detail::ClearLists<T> v{x};
  fields(v, Type<T>());
}

namespace detail {
template <class T, class F> struct EachName {
  T& x;
  F& f;
  template <class X> void look(X& value) {
    if constexpr (std::is_same_v<X, std::string_view>) {
      f(value);
    } else if constexpr (Record<X>) {
      EachName<X, F> inner{value, f};
      fields(inner, Type<X>());
    } else if constexpr (!std::is_same_v<X, std::string> && requires { value.begin(), typename X::value_type(); }) {
      for (auto& one : value) look(one);
    }
  }
  void record(const char*, const char*) {}
  template <class M> void operator()(const char*, M T::*member, const char*, Field = {}) { look(x.*member); }
  template <class G> void computed(const char*, G, const char*, Field = {}) {}
};
}  // namespace detail

/// f(name) for every std::string_view in a record and in the records it holds: the names that belong to somebody else.
template <Record T, class F> void for_each_name(T& x, F&& f) {
  detail::EachName<T, std::remove_reference_t<F>> v{x, f};
  fields(v, Type<T>());
}

}  // namespace zwang
