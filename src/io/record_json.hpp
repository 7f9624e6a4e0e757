// SPDX-License-Identifier: BSD-3-Clause
// Records as documents: the tree of a record, and the JSON Schema of such trees. What a kind of member needs beyond the
// rules below is an overload beside the list: json_of(record, member) and schema_of(Type<Record>, Type<Member>).
#pragma once
#include <cmath>
#include <string>

#include "io/document.hpp"
#include "zwang/core/record.hpp"

namespace zwang::io {

template <class X>
concept ListOf = !std::is_convertible_v<X, std::string_view> && requires(const X& x) {
  typename X::value_type;
  x.begin();
};

template <Record T> Json tree_of(const T& x);
template <class T, class X> Json schema_of(Type<T>, Type<X>);

/// A value of a record: null where a number is not known.
template <class X> Json json_value(const X& x) {
  if constexpr (Record<X>) {
    return tree_of(x);
  } else if constexpr (std::is_enum_v<X>) {
    return name_of(x);
  } else if constexpr (std::is_floating_point_v<X>) {
    return std::isnan(x) ? Json() : number(x);
  } else if constexpr (std::is_same_v<X, std::string_view>) {
    return std::string(x);
  } else if constexpr (ListOf<X>) {
    Json out = Json::array();
    for (const auto& one : x) out.push_back(json_value(one));
    return out;
  } else {
    return x;
  }
}
template <class T, class X> Json json_of(const T&, const X& x) { return json_value(x); }

namespace records {
/// Empty text, no items.
template <class X> bool is_unset(const X& x) {
  if constexpr (requires { x.empty(); }) return x.empty();
  return false;
}
/// What lets a group stand in a document: an item of a list, or where it has no lists a number that is not 0.
template <class T> struct HasLists {
  const char* group;
  bool found = false;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char*, M T::*, const char*, Field field = {}) {
    if (field.group != nullptr && std::string_view(field.group) == group) found = found || ListOf<M>;
  }
  template <class F> void computed(const char*, F, const char*, Field = {}) {}
};

template <class T> class TreeWriter {
 public:
  explicit TreeWriter(const T& x) : x_(x) {}
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*member, const char*, Field field = {}) {
    const M& value = x_.*member;
    if (!field.document || (field.optional && is_unset(value))) return;
    if constexpr (std::is_signed_v<M>)
      if (field.known_from_0 && value < 0) return put(name, Json(), field, false);
    put(name, json_of(x_, value), field, sets_group(value, field));
  }
  template <class F> void computed(const char* name, F f, const char*, Field field = {}) {
    if (field.document) put(name, json_value(f(x_)), field, true);
  }
  Json take() {
    close();
    return std::move(tree_);
  }

 private:
  template <class M> bool sets_group(const M& value, const Field& field) {
    if (field.group == nullptr) return true;
    if constexpr (std::is_arithmetic_v<M>) {
      HasLists<T> lists{field.group};
      fields(lists, Type<T>());
      return !lists.found && value != 0;
    } else {
      return !is_unset(value);
    }
  }
  void put(const char* name, Json value, const Field& field, bool set) {
    if (group_ != nullptr && (field.group == nullptr || std::string_view(field.group) != group_)) close();
    if (field.group == nullptr) return tree_.add(name, std::move(value));
    group_ = field.group;
    is_set_ |= set;
    inner_.add(name, std::move(value));
  }
  void close() {
    if (group_ != nullptr && is_set_) tree_.add(group_, std::move(inner_));
    inner_ = Json::object();
    group_ = nullptr;
    is_set_ = false;
  }
  const T& x_;
  Json tree_ = Json::object(), inner_ = Json::object();
  const char* group_ = nullptr;
  bool is_set_ = false;
};

template <class X> Json schema_of_value(Type<X>);

/// The object of a record's keys.
template <class T> class SchemaWriter {
 public:
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*, const char* says, Field field = {}) {
    if (field.document) put(name, schema_of(Type<T>(), Type<M>()), says, field);
  }
  template <class F> void computed(const char* name, F, const char* says, Field field = {}) {
    if (field.document)
      put(name, schema_of_value(Type<std::remove_cvref_t<std::invoke_result_t<F, const T&>>>()), says, field);
  }
  Json take() {
    close();
    return whole_.take();
  }

 private:
  struct Object {
    Json properties = Json::object(), required = Json::array();
    Json take() {
      return {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}};
    }
  };
  void put(const char* name, Json schema, const char* says, const Field& field) {
    if (group_ != nullptr && (field.group == nullptr || std::string_view(field.group) != group_)) close();
    Json described = {{"description", says}};
    described.append(std::move(schema));
    Object& at = field.group == nullptr ? whole_ : inner_;
    if (!field.optional) at.required.push_back(name);
    at.properties.add(name, std::move(described));
    group_ = field.group;
  }
  void close() {
    if (group_ != nullptr) whole_.properties.add(group_, inner_.take());
    inner_ = Object();
    group_ = nullptr;
  }
  Object whole_, inner_;
  const char* group_ = nullptr;
};
}  // namespace records

/// The keys of a record in the order of its list.
template <Record T> Json tree_of(const T& x) {
  records::TreeWriter<T> v(x);
  fields(v, Type<T>());
  return v.take();
}

/// JSON Schema 2020-12 of tree_of(); numbers are "#/$defs/number": a number, null or the word of an infinity.
template <Record T> Json schema_of() {
  records::SchemaWriter<T> v;
  fields(v, Type<T>());
  return v.take();
}

namespace records {
template <class X> Json schema_of_value(Type<X>) {
  if constexpr (Record<X>) {
    return zwang::io::schema_of<X>();
  } else if constexpr (std::is_enum_v<X>) {
    Json words = Json::array();
    for (const char* word : words_of(Type<X>())) words.push_back(word);
    return {{"enum", words}};
  } else if constexpr (std::is_same_v<X, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<X>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<X>) {
    return {{"$ref", "#/$defs/number"}};
  } else if constexpr (ListOf<X>) {
    return {{"type", "array"}, {"items", schema_of_value(Type<typename X::value_type>())}};
  } else {
    static_assert(std::is_convertible_v<X, std::string_view>);
    return {{"type", "string"}};
  }
}
}  // namespace records
template <class T, class X> Json schema_of(Type<T>, Type<X> x) { return records::schema_of_value(x); }

}  // namespace zwang::io
