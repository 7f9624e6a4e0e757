// SPDX-License-Identifier: BSD-3-Clause
// The fields of constraints in Python: what an argument is called and annotated with, how its value is read. Each is
// written once for each C++ type; the lists of fields stand beside the structs (zwang/constraint/types).
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "call.hpp"
#include "constraints.hpp"
#include "words.hpp"

namespace zwang::python {

/// `in` is a word of Python's own.
inline std::string python_name(std::string_view name) { return std::string(name) + (name == "in" ? "_" : ""); }

/// A value of one of Python's own types. Of another one: the call is answered as one that fits no signature.
template <class X> X plain(nb::handle given) {
  X x{};
  if (!nb::try_cast<X>(given, x)) throw nb::next_overload();
  return x;
}
template <Worded E> nb::list words_in(const std::vector<E>& values) {
  nb::list list;
  for (const E value : values) list.append(name_of(value));
  return list;
}
/// Types that Python gives as arrays.
template <class M> inline constexpr bool k_is_numbers =
    std::is_same_v<M, Vec3<double>> || std::is_same_v<M, std::vector<double>> || std::is_same_v<M, Transform<double>>;
/// Rows of `width` numbers.
nb::object matrix(const std::vector<double>& x, std::size_t width);

// --- what arguments are ---------------------------------------------------------------------------------------------

/// An argument of add_<type>.
struct ConstraintArgument {
  std::string name, type, value, says;  ///< value: its default as Python writes it; empty: needed
  bool by_position = false;
  std::size_t place = 0;  ///< in the list of the fields
};
/// Whether a field is an argument.
constexpr bool is_argument(const ConstraintKey& key) {
  return key.form != KeyForm::hidden && key.form != KeyForm::three_wide;
}
/// The signature of add_<type>, and its help text.
std::string signature_of(const std::string& function, const std::vector<ConstraintArgument>& arguments);
std::string help_of(std::string head, const std::vector<ConstraintArgument>& arguments);

/// The arguments that the fields of a type are.
template <class T> class Arguments {
 public:
  void record(const char*, const char* says) { head_ = says; }
  template <class M> void operator()(const char* name, M T::*member, const char* says, ConstraintKey key = {}) {
    const T unset{};
    if constexpr (std::is_same_v<M, Stabilisation>) {
      Arguments<M> inner;
      fields(inner, Type<M>());
      for (ConstraintArgument& one : inner.take()) add(std::move(one));
    } else if (is_argument(key)) {
      add({python_name(name), type_of(Type<M>(), key), key.needed ? "" : text_of(unset.*member, key), says,
           key.needed || key.by_position});
      if constexpr (std::is_same_v<M, std::shared_ptr<const CustomRows>>)
        add({"rows", "int", "", "their number", true});
    }
  }
  /// Needed ones first, then those by position, then those by name only, each in the order of the list.
  std::vector<ConstraintArgument> take() {
    const auto rank = [](const ConstraintArgument& a) { return a.value.empty() ? 0 : a.by_position ? 1 : 2; };
    std::stable_sort(all_.begin(), all_.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return std::move(all_);
  }
  const std::string& head() const { return head_; }

  template <class M> static std::string type_of(Type<M>, const ConstraintKey& key) {
    if (key.type != nullptr) return key.type;
    if (key.form == KeyForm::frames) return "tuple[str, str]";
    if (key.form == KeyForm::axis) return "str | ArrayLike | None";
    if (key.form == KeyForm::posture) return "Vector | None";
    if (key.form == KeyForm::joint_rows) return "str | Sequence[str] | ArrayLike | dict[str, object]";
    if constexpr (std::is_same_v<M, std::string> || Worded<M>)
      return "str";
    else if constexpr (std::is_same_v<M, bool>)
      return "bool";
    else if constexpr (std::is_same_v<M, int>)
      return "int";
    else if constexpr (std::is_same_v<M, double>)
      return "float";
    else if constexpr (std::is_same_v<M, std::optional<double>>)
      return "float | None";
    else if constexpr (std::is_same_v<M, std::vector<std::string>>)
      return "Sequence[str]";
    else if constexpr (std::is_same_v<M, Compensate>)
      return "Sequence[str] | None";
    else if constexpr (std::is_same_v<M, std::vector<Sense>>)
      return "str | Sequence[str] | None";
    else if constexpr (std::is_same_v<M, RowSelection>)
      return "str | Sequence[str] | ArrayLike";
    else if constexpr (std::is_same_v<M, std::shared_ptr<const CustomRows>>)
      return "object";
    else if constexpr (k_is_numbers<M>)
      return "ArrayLike | None";
    else
      static_assert(k_is_numbers<M>, "how Python writes this type");
  }

 private:
  void add(ConstraintArgument one) {
    one.place = all_.size();
    all_.push_back(std::move(one));
  }
  template <class M> static std::string text_of(const M& x, const ConstraintKey& key) {
    if constexpr (std::is_same_v<M, std::string>)
      return '"' + x + '"';
    else if constexpr (Worded<M>)
      return '"' + std::string(name_of(x)) + '"';
    else if constexpr (std::is_same_v<M, RowSelection>)
      return x.size() == 6 ? "\"all\"" : "\"linear\"";
    else if constexpr (std::is_arithmetic_v<M>)
      return nb::cast<std::string>(nb::repr(nb::cast(x)));
    else if constexpr (std::is_same_v<M, std::vector<std::string>>)
      return key.type != nullptr ? "None" : "()";
    else if constexpr (k_is_numbers<M> || std::is_same_v<M, Compensate> || std::is_same_v<M, std::vector<Sense>> ||
                       std::is_same_v<M, std::optional<double>> || std::is_same_v<M, std::shared_ptr<const CustomRows>>)
      return "None";
    else
      static_assert(k_is_numbers<M>, "how Python writes the default of this type");
  }
  std::string head_;
  std::vector<ConstraintArgument> all_ = {};
};

// --- reading --------------------------------------------------------------------------------------------------------

/// What a call gave, by the place of the field. Null where it was not given.
class GivenArguments {
 public:
  /// Throws nb::next_overload where the call does not fit the arguments.
  GivenArguments(const char* f, const Model& m, const std::vector<ConstraintArgument>& arguments,
                 const nb::args& positions, const nb::kwargs& names);
  nb::handle operator[](std::size_t place) const { return values_[place]; }
  const char* function;
  const Model& model;

 private:
  std::vector<nb::handle> values_;
};

/// Words in one text, or in a list of texts; false for numbers.
bool is_words(const char* function, nb::handle given, std::string& words);
/// Rows of `width` numbers each, one after the other: one row, or k of them.
std::vector<double> rows_of_numbers(const char* function, nb::handle given, Index width);

// The value of an argument, by the type of its member.
struct ArgumentOf {
  const GivenArguments& call;
  const char* name;
  ConstraintKey key;
  nb::handle given;
  template <class X> void read(X& x) const { x = plain<X>(given); }
  template <Worded E> void read(E& x) const { x = value_of<E>(name, plain<std::string>(given)); }
  void read(AccelerationKind& x) const { x = acceleration_of(call.function, name, plain<std::string>(given)); }
  void read(std::optional<double>& x) const {
    if (!given.is_none()) x = plain<double>(given);
  }
  void read(std::vector<Sense>& x) const { x = senses_of(call.function, given); }
  void read(Compensate& x) const { x = compensate_of(given); }
  void read(std::vector<std::string>& x) const;
  void read(std::vector<double>& x) const;
  void read(Vec3<double>& x) const;
  void read(Transform<double>& x) const;
  void read(RowSelection& x) const;
};

/// Reads the arguments into the struct of a type. A number of custom rows is left to the caller.
template <class T> struct ArgumentReader {
  const GivenArguments& call;
  T& to;
  std::size_t place = 0;  ///< of the next argument
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*member, const char*, ConstraintKey key = {}) {
    if constexpr (std::is_same_v<M, Stabilisation>) {
      ArgumentReader<M> inner{call, to.*member, place};
      fields(inner, Type<M>());
      place = inner.place;
      return;
    }
    if (!is_argument(key)) return;
    const nb::handle given = call[place++];
    if constexpr (std::is_same_v<M, std::shared_ptr<const CustomRows>>) ++place;
    if (!given.is_valid()) return;
    const std::string argument = python_name(name);
    const ArgumentOf a{call, argument.c_str(), key, given};
    if constexpr (requires { to.has_target; })
      if (key.form == KeyForm::target && !(to.has_target = !a.given.is_none())) return;
    if constexpr (requires { to.other; })
      if (key.form == KeyForm::frames)
        return static_cast<void>(std::tie(to.frame, to.other) = plain<std::pair<std::string, std::string>>(a.given));
    if constexpr (requires { to.matrix; }) {
      std::string words;
      if (std::is_same_v<M, RowSelection> && !is_words(call.function, a.given, words))
        return static_cast<void>(to.matrix = rows_of_numbers(call.function, a.given, 3));
    }
    if constexpr (!std::is_same_v<M, std::shared_ptr<const CustomRows>> && !std::is_same_v<M, Stabilisation>)
      a.read(to.*member);
  }
};

}  // namespace zwang::python
