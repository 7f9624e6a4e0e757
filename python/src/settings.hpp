// SPDX-License-Identifier: BSD-3-Clause
// Settings as keyword arguments. The words in braces are fields of a record (zwang/core/record.hpp), whose lists give
// their types, and whose initial values are their defaults:
//
//   def_with<AssemblySettings>(
//       m, ZWANG_SIGNATURE("def assemble(model: Model, q0: Vector, *, {fixed limits}) -> Assembled"),
//       [](const Robot& model, nb::handle q0, const AssemblySettings& s) { ... }, "help");
//
// The function gets them in one object, as its last argument.
#pragma once
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record.hpp"
#include "robot.hpp"
#include "signature.hpp"
#include "words.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang::python {

namespace settings {

/// A number as Python writes it.
inline std::string text_of(double x) { return nb::repr(nb::float_(x)).c_str(); }
/// The value of a word of the setting `name`.
template <Worded X> X value_of_setting(const char* name, const std::string& word) {
  return value_of<X>(std::is_same_v<X, Singularity> ? "singularity policy" : name, word);
}
/// Reads the setting `name`; nb::next_overload where its type is wrong, so that the call is refused as any wrong call.
template <class X> void read(const char* name, nb::handle given, X& x) {
  if constexpr (std::is_enum_v<X>) {
    std::string word;
    read(name, given, word);
    x = value_of_setting<X>(name, word);
  } else if constexpr (std::is_same_v<X, JointEffects>) {
    const JointEffects* effects = nullptr;
    if (!nb::try_cast(given, effects)) throw nb::next_overload();
    if (effects != nullptr) x = *effects;
  } else if constexpr (std::is_floating_point_v<X>) {
    if (given.is_none() && std::isnan(x)) return;  // not known, as it is where nothing is given
    if (!nb::try_cast(given, x)) throw nb::next_overload();
  } else if constexpr (k_is<X, std::optional>) {
    if (!given.is_none()) read(name, given, x.emplace());
  } else if constexpr (k_is<X, std::vector>) {
    if (given.is_none()) return;
    if (PyUnicode_Check(given.ptr()))
      read(name, given, x.emplace_back());
    else if (!nb::try_cast(given, x))
      throw nb::next_overload();
  } else if (!nb::try_cast(given, x)) {
    throw nb::next_overload();
  }
}

/// `tolerance: float = 0.0`
template <class X> std::string parameter(const char* name, const X& initial) {
  const std::string before = std::string(name) + ": ";
  if constexpr (std::is_same_v<X, bool>) {
    return before + "bool = " + (initial ? "True" : "False");
  } else if constexpr (std::is_integral_v<X>) {
    return before + "int = " + std::to_string(initial);
  } else if constexpr (std::is_floating_point_v<X>) {
    if (std::isnan(initial)) return before + "float | None = None";
    return before + "float = " + (std::isinf(initial) ? "float('inf')" : text_of(initial));
  } else if constexpr (std::is_enum_v<X>) {
    return before + "str = \"" + name_of(initial) + "\"";
  } else if constexpr (std::is_same_v<X, std::string>) {
    return before + "str = \"" + initial + "\"";
  } else if constexpr (std::is_same_v<X, std::optional<double>>) {
    return before + "float | None = None";
  } else if constexpr (std::is_same_v<X, JointEffects>) {
    return before + "JointEffects | None = None";
  } else {
    static_assert(std::is_same_v<X, std::vector<std::string>>, "how Python writes a setting of this type");
    return before + "str | Sequence[str] = ()";
  }
}
template <class X> inline constexpr bool k_is_keyword =
    std::is_arithmetic_v<X> || std::is_enum_v<X> || std::is_same_v<X, std::string> || std::is_same_v<X, JointEffects> ||
    std::is_same_v<X, std::optional<double>> || std::is_same_v<X, std::vector<std::string>>;

/// Calls f(name, member, sentence, field) for the fields that may be keywords.
template <class R, class F> struct EachKeyword {
  F& f;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M R::*member, const char* says, Field field = {}) {
    if constexpr (k_is_keyword<M>) f(name, member, says, field);
  }
  template <class G> void computed(const char*, G, const char*, Field = {}) {}
};
template <class R, class F> void for_each_keyword(F&& f) {
  EachKeyword<R, std::remove_reference_t<F>> v{f};
  fields(v, Type<R>());
}

/// The words in braces of a signature, and its text with their parameters.
struct Words {
  std::vector<std::string> all;
  std::string text;
};
/// `parameter_of(word)`: its text in the signature.
template <class F> Words words_in(std::string_view text, F&& parameter_of) {
  Words x;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '{') {
      x.text += text[k];
      continue;
    }
    for (++k; text[k] != '}';) {
      const std::size_t end = text.find_first_of(" }", k);
      x.all.emplace_back(text.substr(k, end - k));
      x.text += parameter_of(x.all.back());
      k = end;
      if (text[k] == ' ') x.text += ", ", ++k;
    }
  }
  return x;
}
template <class R> Words words_for(std::string_view text) {
  return words_in(text, [](const std::string& word) {
    std::string found;
    for_each_keyword<R>([&](const char* name, auto member, const char*, const Field&) {
      if (name == word) found = parameter(name, R().*member);
    });
    if (found.empty()) throw std::logic_error("no setting has the name " + word);
    return found;
  });
}
/// The settings that were given, each of them one of `known`.
template <class R> R given_in(const nb::kwargs& given, const std::vector<std::string>& known) {
  R made;
  for (auto [key, value] : given) {
    const auto word = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), word) == known.end()) throw nb::next_overload();
    const nb::handle one = value;
    for_each_keyword<R>([&](const char* name, auto member, const char*, const Field&) {
      if (name == word) read(name, one, made.*member);
    });
  }
  return made;
}

/// The text without what is in braces, for the other arguments.
template <signature::Text T> struct Others {
  struct Kept {
    char text[T()().size() + 1] = {};
    std::size_t size = 0;
  };
  static constexpr Kept k_kept = [] {
    Kept x;
    constexpr std::string_view all = T()();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k] == '{') {
        while (all[k] != '}') ++k;
        if (all.substr(k + 1, 2) == ", ")
          k += 2;
        else if (x.size >= 2 && x.text[x.size - 2] == ',')
          x.size -= 2;
      } else {
        x.text[x.size++] = all[k];
      }
    }
    return x;
  }();
  constexpr std::string_view operator()() const { return {k_kept.text, k_kept.size}; }
};

/// Calls define(name, function, annotations...).
template <class R, signature::Text T, class F, class Define, std::size_t... i>
void with_settings(T, F f, Define&& define, std::index_sequence<i...>) {
  using Types = decltype(signature::types_of(f));
  const Words words = words_for<R>(T()());
  auto call = [f, known = words.all](typename Types::template At<i>... x, const nb::kwargs& given) {
    return std::invoke(f, std::forward<typename Types::template At<i>>(x)..., given_in<R>(given, known));
  };
  using Rest = void (*)(typename Types::template At<i>...);
  signature::with_annotations<Others<T>, Rest>([&](const char* name, const auto&... annotation) {
    define(name, call, annotation..., nb::arg("settings"), nb::sig(words.text.c_str()));
  });
}
template <class R, signature::Text T, class F, class Define> void with_settings(T text, F f, Define&& define) {
  constexpr std::size_t count = decltype(signature::types_of(f))::k_count;
  with_settings<R>(text, f, define, std::make_index_sequence<count - 1>());
}

/// Makes the fields of a record that may be keywords properties of a class: get(object) is the record,
/// set(object, member, value) changes it.
template <class R, class C, class Get, class Set> void properties(ClassOf<C>& c, Get get, Set set) {
  for_each_keyword<R>([&](const char* name, auto member, const char* says, const Field& field) {
    using M = std::remove_cvref_t<decltype(R().*member)>;
    if (!field.attribute) return;
    if constexpr (std::is_enum_v<M>)
      c.def_prop_rw(
          name, [get, member](const C& x) { return std::string(name_of(get(x).*member)); },
          [name, set, member](const C& x, const std::string& word) { set(x, member, value_of_setting<M>(name, word)); },
          says);
    else
      c.def_prop_rw(
          name, [get, member](const C& x) { return get(x).*member; },
          [set, member](const C& x, M value) { set(x, member, std::move(value)); }, says);
  });
}

}  // namespace settings

/// A function of the module.
template <class R, signature::Text T, class F> void def_with(nb::module_& m, T text, F f, const char* says) {
  settings::with_settings<R>(text, f, [&](auto&&... x) { m.def(x..., says); });
}
/// A method of a class, `self` the first argument of the function.
template <class R, class C, signature::Text T, class F, class... Says>
void def_with(ClassOf<C>& c, T text, F f, Says... says) {
  settings::with_settings<R>(text, f, [&](auto&&... x) { static_cast<nb::class_<C>&>(c).def(x..., says...); });
}

}  // namespace zwang::python
