// SPDX-License-Identifier: BSD-3-Clause
// The signature of a function is written once, as Python writes it:
//
//   def(m, ZWANG_SIGNATURE("def mobility(model: Model, q: Vector, *, tolerance: float = 0.0) -> Mobility"),
//       &mobility, "help");
//   ClassOf<X>(m, "X").def(ZWANG_SIGNATURE("def at(self, time: ArrayLike) -> Array"), &at, "help");
//
// Its name, the names of arguments, their defaults, and which are given by name only are read from that
// text, the latter while compiling. An argument may be None where its default is None, its type says
// so, or where C++ takes any Python object.
#pragma once
#include <nanobind/eval.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lost_writes.hpp"

namespace zwang::python {

namespace nb = nanobind;

/// A text that templates can read.
#define ZWANG_SIGNATURE(...) [] { return std::string_view(__VA_ARGS__); }

namespace signature {

template <class T>
concept Text = std::is_convertible_v<decltype(std::declval<T>()()), std::string_view> && std::is_empty_v<T>;

/// Parts of the text: where they begin and how long they are.
struct Part {
  std::size_t begin = 0, size = 0;
  constexpr std::string_view of(std::string_view text) const { return text.substr(begin, size); }
};
struct Argument {
  Part name, type, value;  ///< value: no size where there is none
};
struct Arguments {
  static constexpr int k_most = 48;
  Part function;
  Argument list[k_most];
  int count = 0;
  int by_name = k_most;  ///< the first that is given by name only
};

constexpr Part trimmed(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end && text[begin] == ' ') ++begin;
  while (begin < end && text[end - 1] == ' ') --end;
  return {begin, end - begin};
}
/// The place of `mark` from `begin` on where no bracket and no quotation mark is open; `end` if there is none.
constexpr std::size_t find(std::string_view text, char mark, std::size_t begin, std::size_t end) {
  int depth = 0;
  char quote = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const char c = text[k];
    if (quote != 0 ? c == quote : c == '"' || c == '\'') quote = quote != 0 ? '\0' : c;
    if (quote != 0) continue;
    if (depth == 0 && c == mark) return k;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return end;
}
constexpr Arguments arguments_of(std::string_view text) {
  Arguments all;
  const std::size_t open = text.find('('), close = find(text, ')', open + 1, text.size());
  const std::size_t def = text.find("def ") + 4;
  all.function = trimmed(text, def, open);
  for (std::size_t begin = open + 1; begin < close;) {
    const std::size_t end = find(text, ',', begin, close);
    const std::size_t equal = find(text, '=', begin, end), colon = find(text, ':', begin, equal);
    const Part name = trimmed(text, begin, colon);
    const std::string_view word = name.of(text);
    if (word == "*") {
      all.by_name = all.count;
    } else if (word != "self" && word != "/") {
      all.list[all.count++] = {name, colon < equal ? trimmed(text, colon + 1, equal) : Part{},
                               equal < end ? trimmed(text, equal + 1, end) : Part{}};
    }
    begin = end + 1;
  }
  return all;
}
/// Whether `None` is one of the types.
constexpr bool may_be_none(std::string_view type) {
  for (std::size_t begin = 0; begin < type.size();) {
    const std::size_t end = find(type, '|', begin, type.size());
    if (trimmed(type, begin, end).of(type) == "None") return true;
    begin = end + 1;
  }
  return false;
}

template <Text T> inline constexpr Arguments k_arguments = arguments_of(T()());

/// C++ types of the arguments, that of `self` among them.
template <class... A> struct Types {
  static constexpr std::size_t k_count = sizeof...(A);
  template <std::size_t i> using At = std::tuple_element_t<i, std::tuple<std::type_identity<A>...>>::type;
};
template <class R, class... A> Types<A...> types_of(R (*)(A...));
template <class C, class R, class... A> Types<C, A...> types_of(R (C::*)(A...));
template <class C, class R, class... A> Types<C, A...> types_of(R (C::*)(A...) const);
template <class L, class R, class... A> Types<A...> types_of_lambda(R (L::*)(A...) const);
template <class L>
requires std::is_class_v<L>
auto types_of(const L&) -> decltype(types_of_lambda(&L::operator()));

/// Any Python object, which None is, too.
template <class A> inline constexpr bool k_takes_any =
    std::is_same_v<std::decay_t<A>, nb::handle> || std::is_same_v<std::decay_t<A>, nb::object>;

inline nb::object value_of(std::string_view text) {
  return nb::eval(nb::str(text.data(), text.size()), nb::module_::import_("builtins").attr("__dict__"));
}

/// nanobind's form of argument `i`.
template <Text T, class Types, int i> auto annotation(std::string& name) {
  constexpr Argument a = k_arguments<T>.list[i];
  constexpr std::size_t self = Types::k_count - static_cast<std::size_t>(k_arguments<T>.count);
  static_assert(self <= 1, "the signature and the function have different numbers of arguments");
  constexpr bool none = k_takes_any<typename Types::template At<self + i>> || may_be_none(a.type.of(T()())) ||
                        a.value.of(T()()) == "None";
  name = a.name.of(T()());
  const auto plain = [&] {
    if constexpr (none)
      return nb::arg(name.c_str()).none();
    else
      return nb::arg(name.c_str());
  }();
  if constexpr (a.value.size == 0)
    return plain;
  else
    return plain = value_of(a.value.of(T()()));
}
template <Text T, class Types, int i> auto annotations(std::string* names) {
  if constexpr (i == k_arguments<T>.by_name)
    return std::make_tuple(nb::kw_only(), annotation<T, Types, i>(names[i]));
  else
    return std::make_tuple(annotation<T, Types, i>(names[i]));
}
/// Calls define(name, annotations..., signature).
template <Text T, class F, class Define> void with_annotations(Define&& define) {
  using Types = decltype(types_of(std::declval<std::decay_t<F>>()));
  std::string names[Arguments::k_most];
  const std::string name(k_arguments<T>.function.of(T()()));
  [&]<int... i>(std::integer_sequence<int, i...>) {
    std::apply([&](const auto&... annotation) { define(name.c_str(), annotation..., nb::sig(T()().data())); },
               std::tuple_cat(annotations<T, Types, i>(names)...));
  }
  (std::make_integer_sequence<int, k_arguments<T>.count>());
}

}  // namespace signature

/// A function of the module.
template <signature::Text T, class F, class... Extra> void def(nb::module_& m, T, F&& f, const Extra&... extra) {
  signature::with_annotations<T, F>(
      [&](const char* name, const auto&... annotation) { m.def(name, std::forward<F>(f), annotation..., extra...); });
}

template <class T>
concept NoText = !signature::Text<std::decay_t<T>>;

/// A getter that gives a Python object, and what it is asked of.
template <class F>
concept GivesObject = requires(F f) {
  signature::types_of(f);
  requires std::is_base_of_v<
      nb::object, std::decay_t<std::invoke_result_t<F, typename decltype(signature::types_of(f))::template At<0>>>>;
};
/// The getter of a property: what it makes at each reading is read-only.
template <class F> auto getter_of(F f) {
  if constexpr (GivesObject<F>) {
    using Self = decltype(signature::types_of(f))::template At<0>;
    return [f](Self self) -> nb::object { return without_lost_writes(f(std::forward<Self>(self))); };
  } else {
    return f;
  }
}

inline std::string signature_of_getter(const char* name, const char* type) {
  return std::string("def ") + name + "(self) -> " + type;
}

/// nanobind's class_, whose functions may be given by their signature.
template <class C, class... More> class ClassOf : public nb::class_<C, More...> {
 public:
  using Base = nb::class_<C, More...>;
  using Base::Base;
  template <NoText First, class... A> ClassOf& def(First&& first, A&&... a) {
    return Base::def(std::forward<First>(first), std::forward<A>(a)...), *this;
  }
  template <signature::Text T, class F, class... Extra> ClassOf& def(T, F&& f, const Extra&... extra) {
    Base& base = *this;
    signature::with_annotations<T, F>([&base, &f, &extra...](const char* name, const auto&... annotation) {
      base.def(name, std::forward<F>(f), annotation..., extra...);
    });
    return *this;
  }
  template <NoText First, class... A> ClassOf& def_static(First&& first, A&&... a) {
    return Base::def_static(std::forward<First>(first), std::forward<A>(a)...), *this;
  }
  template <signature::Text T, class F, class... Extra> ClassOf& def_static(T, F&& f, const Extra&... extra) {
    Base& base = *this;
    signature::with_annotations<T, F>([&base, &f, &extra...](const char* name, const auto&... annotation) {
      base.def_static(name, std::forward<F>(f), annotation..., extra...);
    });
    return *this;
  }
  template <class F, class... A> ClassOf& def_prop_ro(const char* name, F f, A&&... a) {
    return Base::def_prop_ro(name, getter_of(std::move(f)), std::forward<A>(a)...), *this;
  }
  /// A read-only property: its type as Python writes it, what it is, and its getter.
  template <class F> ClassOf& get(const char* name, const char* type, const char* says, F f) {
    return def_prop_ro(name, std::move(f), nb::sig(signature_of_getter(name, type).c_str()), says);
  }
  template <class F> ClassOf& get(const char* name, const char* type, F f) {
    return def_prop_ro(name, std::move(f), nb::sig(signature_of_getter(name, type).c_str()));
  }
  template <class F, class... A> ClassOf& def_prop_rw(const char* name, F f, A&&... a) {
    return Base::def_prop_rw(name, getter_of(std::move(f)), std::forward<A>(a)...), *this;
  }
  template <class... A> ClassOf& def_ro(A&&... a) { return Base::def_ro(std::forward<A>(a)...), *this; }
  template <class... A> ClassOf& def_rw(A&&... a) { return Base::def_rw(std::forward<A>(a)...), *this; }
};

}  // namespace zwang::python
