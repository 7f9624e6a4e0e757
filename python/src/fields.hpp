// SPDX-License-Identifier: BSD-3-Clause
// What pickle keeps of an object: its fields, as a tuple of plain objects, and back. kept_by_fields() gives its class
// pickle, copy and deepcopy. What is read is checked, and refused with std::invalid_argument.
//
// A record (zwang/core/record.hpp) is kept by name, as pairs; another struct by position. It lists its fields once, for
// both directions:
//
//   template <class A> void fields(A& a) { a(q), a(v); }           // or fields(A& a, X& x) beside it
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <type_traits>

#include "constraints.hpp"
#include "pickled.hpp"
#include "zwang/core/record.hpp"

namespace zwang::python {

/// The largest value of an enumeration that may be read.
template <class T> constexpr int last_word() {
  if constexpr (Worded<T>)
    return static_cast<int>(words_of(Type<T>()).size()) - 1;
  else
    return 8;
}

template <class T, template <class...> class Of> inline constexpr bool k_is = false;
template <template <class...> class Of, class... A> inline constexpr bool k_is<Of<A...>, Of> = true;

/// A type with names of its own for a record T::Kept (record.hpp).
template <class T>
concept OwnsNames = requires {
  typename T::Kept;
};
/// A word that lives as long as the program: a method, a policy. nullptr if there is none such.
const char* static_word(const std::string& text);

/// A model for fields that are read later.
const Robot& blank_robot();

/// The C++ object in one of Python.
template <class T> const T& object_in(const Pickled& read, nb::handle item) {
  if (!nb::isinstance<T>(item) || !nb::inst_ready(item)) read.refuse("a part is of type " + type_text(item));
  return *nb::inst_ptr<T>(item);
}

template <class A> void fields(A& a, Vec3<double>& v) { a(v.x), a(v.y), a(v.z); }
template <class A> void fields(A& a, Transform<double>& X) { a(X.R.r0), a(X.R.r1), a(X.R.r2), a(X.p); }
template <class A> void fields(A& a, JointEffects& e) {
  a(e.armature), a(e.damping), a(e.springs), a(e.friction), a(e.gravity_scale);
}

/// The list of a record, from where `fields` is a member, too.
template <class V, class R> void list_fields(V& v, Type<R> type) { fields(v, type); }

class FieldWriter {
 public:
  template <class X> void operator()(X& x) {
    using T = std::remove_const_t<X>;
    if constexpr (std::is_base_of_v<nb::object, T>)
      list_.append(x.is_valid() ? nb::object(x) : nb::borrow(Py_Ellipsis));
    else if constexpr (std::is_same_v<T, std::string>)  // names in files may have any bytes
      list_.append(nb::bytes(x.data(), x.size()));
    else if constexpr (std::is_same_v<T, std::string_view>)
      list_.append(nb::bytes(x.data(), x.size()));
    else if constexpr (std::is_same_v<T, const char*>)
      list_.append(nb::str(x));
    else if constexpr (std::is_same_v<T, Robot>)
      list_.append(nb::cast(x));
    else if constexpr (std::is_same_v<T, SetPointer>)
      list_.append(nb::cast(SetObject{x}));
    else if constexpr (std::is_enum_v<T>)
      list_.append(static_cast<int>(x));
    else if constexpr (std::is_arithmetic_v<T>)
      list_.append(x);
    else
      list_.append(tuple_of(x));
  }
  nb::tuple take() const { return nb::tuple(list_); }
  /// A pair of name and value.
  template <class X> void named(const char* name, X&& x) {
    FieldWriter one;
    one(x);
    list_.append(nb::make_tuple(name, one.list_[0]));
  }
  /// The fields of a struct, or the entries of a list.
  template <class X> static nb::tuple tuple_of(X& x) {
    using T = std::remove_const_t<X>;
    FieldWriter inner;
    if constexpr (OwnsNames<T>) {
      return tuple_of(x.record);
    } else if constexpr (Record<T>) {
      NamedWriter<T> v{x, inner};
      list_fields(v, Type<T>());
    } else if constexpr (k_is<T, std::vector>) {
      for (auto& item : x) inner(item);
    } else if constexpr (k_is<T, std::map>) {
      for (auto& [key, value] : x) {
        std::string name = key;
        inner(name), inner(value);
      }
    } else if constexpr (k_is<T, std::pair>) {
      inner(x.first), inner(x.second);
    } else if constexpr (k_is<T, std::optional>) {
      if (x) inner(*x);
    } else if constexpr (k_is<T, std::shared_ptr>) {
      if (x == nullptr) return inner.take();
      auto copy = *x;
      inner(copy);
    } else if constexpr (requires { x.fields(inner); }) {
      x.fields(inner);
    } else {
      fields(inner, x);
    }
    return inner.take();
  }

 private:
  template <class R> struct NamedWriter {
    const R& x;
    FieldWriter& to;
    void record(const char*, const char*) {}
    template <class M> void operator()(const char* name, M R::*member, const char*, Field = {}) {
      to.named(name, x.*member);
    }
    template <class F> void computed(const char*, F, const char*, Field = {}) {}
  };
  nb::list list_;
};

class FieldReader {
 public:
  /// `names`: owns the names of records.
  FieldReader(nb::handle state, const Pickled& read, std::deque<std::string>* names = nullptr)
      : read_(read),
        state_(tuple_from(state)),
        names_(names) {}
  bool more() const { return next_ < nb::len(state_); }
  [[noreturn]] void refuse() const { read_.refuse("this is not the state of one; pickle the object again"); }

  template <class T> void operator()(T& x) {
    if (!more()) refuse();
    take(state_[next_++], x);
  }
  template <class T> void take(const nb::object& item, T& x) {
    if constexpr (std::is_same_v<T, nb::object>) {
      x = item.ptr() == Py_Ellipsis ? nb::object() : item;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!PyBytes_Check(item.ptr())) refuse();
      const nb::bytes text = nb::borrow<nb::bytes>(item);
      x.assign(text.c_str(), text.size());
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      if (names_ == nullptr || !PyBytes_Check(item.ptr())) refuse();
      const nb::bytes text = nb::borrow<nb::bytes>(item);
      x = names_->emplace_back(text.c_str(), text.size());
    } else if constexpr (std::is_same_v<T, const char*>) {
      x = static_word(read_.text(item, "a word"));
      if (x == nullptr) read_.refuse("there is no method or policy of this name");
    } else if constexpr (std::is_same_v<T, Robot>) {
      x = object_in<Robot>(read_, item);
    } else if constexpr (std::is_same_v<T, SetPointer>) {
      x = object_in<SetObject>(read_, item).shared;
    } else if constexpr (std::is_enum_v<T>) {
      int value = -1;
      if (!nb::try_cast(item, value) || value < 0 || value > last_word<T>()) refuse();
      x = static_cast<T>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!nb::try_cast(item, x)) refuse();
    } else {
      FieldReader(item, read_, names_).into(x);
    }
  }
  /// The next pair of name and value. Of an older version: what stands there is no such pair.
  template <class T> void named(const char* name, T& x) {
    if (!more()) refuse();
    const nb::object given = state_[next_++];
    const bool pair = PyTuple_Check(given.ptr()) && nb::len(given) == 2;
    const nb::object first = pair ? nb::object(given[0]) : nb::none();
    if (!PyUnicode_Check(first.ptr()) || PyUnicode_CompareWithASCIIString(first.ptr(), name) != 0)
      read_.refuse(std::string("another version of zwang has written this: there is no '") + name +
                   "'; pickle the object again");
    take(given[1], x);
  }
  /// The reverse of FieldWriter::tuple_of.
  template <class T> void into(T& x) {
    if constexpr (OwnsNames<T>) {
      std::deque<std::string> names;
      typename T::Kept record;
      names_ = &names;
      into(record);
      x.assign(record);
    } else if constexpr (Record<T>) {
      NamedReader<T> v{x, *this};
      list_fields(v, Type<T>());
    } else if constexpr (k_is<T, std::vector>) {
      while (more()) (*this)(x.emplace_back());
    } else if constexpr (k_is<T, std::map>) {
      while (more()) {
        std::string name;
        (*this)(name), (*this)(x[name]);
      }
    } else if constexpr (k_is<T, std::pair>) {
      (*this)(x.first), (*this)(x.second);
    } else if constexpr (k_is<T, std::optional>) {
      if (more()) (*this)(x.emplace());
    } else if constexpr (k_is<T, std::shared_ptr>) {
      if (!more()) return;
      std::remove_const_t<typename T::element_type> one;
      (*this)(one);
      x = std::make_shared<typename T::element_type>(std::move(one));
    } else if constexpr (requires { x.fields(*this); }) {
      x.fields(*this);
    } else {
      fields(*this, x);
    }
    if (more()) refuse();
  }

 private:
  /// Pairs of name and value, in the order of the list.
  template <class R> struct NamedReader {
    R& x;
    FieldReader& from;
    void record(const char*, const char*) {}
    template <class M> void operator()(const char* name, M R::*member, const char*, Field = {}) {
      from.named(name, x.*member);
    }
    template <class F> void computed(const char*, F, const char*, Field = {}) {}
  };
  nb::tuple tuple_from(nb::handle given) const {
    if (!PyTuple_Check(given.ptr())) refuse();
    return nb::borrow<nb::tuple>(given);
  }

  const Pickled& read_;
  nb::tuple state_;
  std::deque<std::string>* names_;
  std::size_t next_ = 0;
};

/// Pickle, copy and deepcopy of bound classes by their fields. `x.check(read)`, where a struct has it,
/// refuses fields that do not fit each other.
template <class... T> void kept_by_fields() {
  const auto one = []<class X>(std::type_identity<X>) {
    auto c = nb::borrow<ClassOf<X>>(nb::type<X>());
    const std::string name = nb::cast<std::string>(c.attr("__name__"));
    c.def(
        "__getstate__", [](X& x) { return FieldWriter::tuple_of(x); },
        nb::sig("def __getstate__(self) -> tuple[object, ...]"));
    c.def(
        "__setstate__",
        [name](X& x, nb::handle state) {
          const Pickled read(name.c_str());
          X made{};
          FieldReader(state, read).into(made);
          if constexpr (requires { made.check(read); }) made.check(read);
          new (&x) X(std::move(made));
        },
        nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
  };
  (one(std::type_identity<T>()), ...);
}

/// Pickle, copy and deepcopy of a bound class by some objects: get(x) gives them as a tuple, make(read,
/// tuple) the object.
template <class T, class Get, class Make> void kept_by(std::size_t size, Get get, Make make) {
  auto c = nb::borrow<ClassOf<T>>(nb::type<T>());
  const std::string name = nb::cast<std::string>(c.attr("__name__"));
  c.def(
      "__getstate__", [get](const T& x) { return get(x); }, nb::sig("def __getstate__(self) -> tuple[object, ...]"));
  c.def(
      "__setstate__",
      [name, size, make](T& x, nb::handle state) {
        const Pickled read(name.c_str());
        new (&x) T(make(read, read.parts(state, size, "the state")));
      },
      nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
}

/// Objects that live where they were made: pickle and copies raise TypeError with `why`.
template <class T> void not_kept(const char* why) {
  auto c = nb::borrow<ClassOf<T>>(nb::type<T>());
  const std::string text = "a " + nb::cast<std::string>(c.attr("__name__")) + " cannot be pickled or copied: " + why;
  c.def(
      "__reduce_ex__", [text](const T&, int) -> nb::object { throw nb::type_error(text.c_str()); },
      nb::sig("def __reduce_ex__(self, protocol: int, /) -> object"));
}

}  // namespace zwang::python
