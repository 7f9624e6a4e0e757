// SPDX-License-Identifier: BSD-3-Clause
// Records by path: a field of settings or of a report by its name in the list of the record (zwang/core/record.hpp), of
// a list also its k-th entry: "tolerance", "place.reason", "warnings[2].row".
//
//   at_path("report", report, "warnings[2].row", [&](auto& value) { ... });
#pragma once
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

#include "objects.hpp"
#include "zwang/core/record.hpp"
#include "zwang/io/json.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang::c {

template <class X> inline constexpr bool k_is_list = false;
template <class X> inline constexpr bool k_is_list<std::vector<X>> = true;

/// Names of fields, for the message about one that is unknown.
struct FieldNames {
  std::vector<std::string> names = {};
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M, const char*, Field = {}) { names.emplace_back(name); }
  template <class F> void computed(const char*, F, const char*, Field = {}) {}
};

[[noreturn]] inline void refuse_field(std::string_view path, const std::string& wrong) {
  throw Refusal(ZWANG_INVALID_INPUT, "field", "is '" + printable(std::string(path)) + "', " + wrong);
}
[[noreturn]] inline void refuse_unknown_field(std::string_view name, std::string_view path,
                                              const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(std::string(name), names);
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  refuse_field(path, "where '" + printable(std::string(name)) + "' is none" +
                         (nearest.empty() ? "; " : ", did you mean '" + nearest + "'? ") + "expected one of " + all);
}

/// What stands behind a name or an entry, without its point.
inline std::string_view behind(std::string_view rest, std::string_view path) {
  if (rest.empty() || rest.front() == '[') return rest;
  if (rest.front() != '.' || rest.size() == 1 || rest[1] == '.' || rest[1] == '[')
    refuse_field(path, "expected names between points, as in place.reason and warnings[2].row");
  return rest.substr(1);
}

template <class X, class F> void at_part(X& x, std::string_view part, std::string_view path, F&& f);

/// Finds a field by name and goes on behind it.
template <class R, class F> struct OneField {
  R& record_;
  std::string_view name, rest, path;
  F& f;
  bool found = false;
  void record(const char*, const char*) {}
  template <class M, class T> void operator()(const char* own, M T::*member, const char*, Field = {}) {
    if (found || name != own) return;
    found = true;
    at_part(record_.*member, rest, path, f);
  }
  template <class G> void computed(const char*, G, const char*, Field = {}) {}
};

/// f(value) for what `part`, the end of the whole path, leads to.
template <class X, class F> void at_part(X& x, std::string_view part, std::string_view path, F&& f) {
  using Plain = std::remove_const_t<X>;
  if (part.empty()) {
    f(x);
  } else if constexpr (k_is_list<Plain>) {
    std::size_t k = 0;
    const char* const end = part.data() + part.size();
    const auto read = part.front() == '[' ? std::from_chars(part.data() + 1, end, k)
                                          : std::from_chars_result{end, std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ']' || k >= x.size())
      refuse_field(path, "expected [k] with k below " + std::to_string(x.size()));
    const std::string_view rest(read.ptr + 1, static_cast<std::size_t>(end - read.ptr - 1));
    at_part(x[k], behind(rest, path), path, f);
  } else if constexpr (Record<Plain>) {
    const std::size_t end = std::min(part.find_first_of(".["), part.size());
    OneField<X, std::remove_reference_t<F>> one{x, part.substr(0, end), behind(part.substr(end), path), path, f};
    fields(one, Type<Plain>());
    if (!one.found) {
      FieldNames names;
      fields(names, Type<Plain>());
      refuse_unknown_field(part.substr(0, end), path, names.names);
    }
  } else {
    refuse_field(path, "expected nothing behind a field without parts");
  }
}
template <class X, class F> void at_path(X& x, std::string_view path, F&& f) { at_part(x, path, path, f); }

/// A whole number within the range of its type.
template <class T> T whole(double value, const char* argument) {
  constexpr double k_most = 9007199254740992;  // 2^53
  if (value != std::floor(value) || std::abs(value) > k_most ||
      value < static_cast<double>(std::numeric_limits<T>::min()) ||
      value > static_cast<double>(std::numeric_limits<T>::max()))
    throw Refusal(ZWANG_INVALID_INPUT, argument, "is " + std::to_string(value) + ", expected a whole number");
  return static_cast<T>(value);
}
template <Worded E> E value_of_number(double value, const char* argument) {
  constexpr int k_count = static_cast<int>(words_of(Type<E>()).size());
  return static_cast<E>(needed_index(whole<int>(value, argument), k_count, argument));
}
template <Worded E> E value_of_word(std::string_view word, const char* argument) {
  constexpr auto words = words_of(Type<E>());
  std::string all;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (word == words[k]) return static_cast<E>(k);
    all += (k == 0 ? "" : ", ") + std::string(words[k]);
  }
  throw Refusal(ZWANG_INVALID_INPUT, argument, "is '" + printable(std::string(word)) + "', expected one of " + all);
}

/// Settings may be infinite; what they then mean, the library says.
inline double a_number(double value) {
  if (std::isnan(value)) throw Refusal(ZWANG_NON_FINITE_INPUT, "value", "is NaN, expected a number");
  return value;
}

inline constexpr char k_no_number[] = "which is no number";
inline constexpr char k_no_word[] = "which is no word";

/// Reads and writes of a field as a number: numbers, 0 and 1 of a switch, the place of a word in its list, the bits of
/// JointEffects.
template <class R> double number_at(const R& record, const char* path) {
  double value = 0;
  at_path(record, needed_text(path, "field"), [&](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (std::is_arithmetic_v<X> || std::is_enum_v<X>)
      value = static_cast<double>(x);
    else if constexpr (std::is_same_v<X, JointEffects>)
      value = bits_of(x);
    else if constexpr (k_is_list<X>)
      value = static_cast<double>(x.size());
    else
      refuse_field(path, k_no_number);
  });
  return value;
}
template <class R> void set_number_at(R& record, const char* path, double value) {
  at_path(record, needed_text(path, "field"), [&](auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (std::is_same_v<X, bool>)
      x = needed_index(whole<int>(value, "value"), 2, "value") == 1;
    else if constexpr (std::is_integral_v<X>)
      x = whole<X>(value, "value");
    else if constexpr (std::is_floating_point_v<X>)
      x = a_number(value);
    else if constexpr (Worded<X>)
      x = value_of_number<X>(value, "value");
    else if constexpr (std::is_same_v<X, JointEffects>)
      x = effects_of(whole<int>(value, "value"));
    else
      refuse_field(path, k_no_number);
  });
}
/// The same of texts and words: f(text).
template <class R, class F> void word_at(const R& record, const char* path, F&& f) {
  at_path(record, needed_text(path, "field"), [&](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (std::is_convertible_v<X, std::string_view>)
      f(std::string_view(x));
    else if constexpr (Worded<X>)
      f(std::string_view(name_of(x)));
    else
      refuse_field(path, k_no_word);
  });
}
template <class R> void set_word_at(R& record, const char* path, const char* word) {
  needed_text(word, "word");
  at_path(record, needed_text(path, "field"), [&](auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (std::is_same_v<X, std::string>)
      x = word;
    else if constexpr (Worded<X>)
      x = value_of_word<X>(word, "word");
    else
      refuse_field(path, k_no_word);
  });
}

/// What a solver reads when it is made alone.
inline void refuse_spare_rows(const char* field) {
  if (std::string_view(needed_text(field, "field")) == "spare_rows")
    refuse_field(field, "which a solver has from its creation on");
}

}  // namespace zwang::c
