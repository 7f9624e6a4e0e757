// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_value.hpp"

#include <stdexcept>

namespace zwang::io {

Json::Json(const std::vector<std::string>& list) : Json(array()) {
  value_.array->reserve(list.size());
  for (const std::string& text : list) value_.array->emplace_back(text);
}
Json::Json(std::initializer_list<Member> members) : Json(object()) {
  value_.object->reserve(members.size());
  for (const Member& m : members) value_.object->push_back({m.key, std::move(m.value)});
}
Json Json::array(std::initializer_list<Json> items) {
  Json x;
  x.value_.array = new Array(items);
  x.kind_ = Kind::array;
  return x;
}
Json Json::object() {
  Json x;
  x.value_.object = new Object();
  x.kind_ = Kind::object;
  return x;
}

Json::Json(const Json& other) {
  switch (other.kind_) {
    case Kind::null: break;
    case Kind::boolean: value_.boolean = other.value_.boolean; break;
    case Kind::integer: value_.integer = other.value_.integer; break;
    case Kind::natural: value_.natural = other.value_.natural; break;
    case Kind::number: value_.number = other.value_.number; break;
    case Kind::text: value_.text = new std::string(*other.value_.text); break;
    case Kind::array: value_.array = new Array(*other.value_.array); break;
    case Kind::object: value_.object = new Object(*other.value_.object); break;
  }
  kind_ = other.kind_;
}

Json::~Json() {
  if (kind_ == Kind::text) delete value_.text;
  if (kind_ == Kind::array) delete value_.array;
  if (kind_ == Kind::object) delete value_.object;
}

void Json::swap(Json& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(value_, other.value_);
}

const char* Json::kind_name() const {
  switch (kind_) {
    case Kind::null: return "null";
    case Kind::boolean: return "boolean";
    case Kind::text: return "string";
    case Kind::array: return "array";
    case Kind::object: return "object";
    default: return "number";
  }
}

double Json::number() const {
  if (kind_ == Kind::integer) return static_cast<double>(value_.integer);
  if (kind_ == Kind::natural) return static_cast<double>(value_.natural);
  return of(Kind::number).value_.number;
}
std::size_t Json::size() const { return is_array() ? value_.array->size() : is_object() ? value_.object->size() : 0; }

const Json* Json::find(std::string_view key) const {
  if (is_object())
    for (const Member& m : *value_.object)
      if (m.key == key) return &m.value;
  return nullptr;
}

void Json::push_back(Json item) {
  become(Kind::array);
  value_.array->push_back(std::move(item));
}
void Json::add(std::string key, Json value) {
  become(Kind::object);
  value_.object->push_back({std::move(key), std::move(value)});
}
Json& Json::operator[](std::string_view key) {
  become(Kind::object);
  for (const Member& m : *value_.object)
    if (m.key == key) return m.value;
  value_.object->push_back({std::string(key), Json()});
  return value_.object->back().value;
}
Json& Json::last() { return is_array() ? value_.array->back() : const_cast<Object&>(members()).back().value; }
void Json::append(Json object) {
  for (const Member& m : object.members()) add(m.key, std::move(m.value));
}

void Json::wrong_kind() { throw std::logic_error("a value of a document has another kind"); }
void Json::become(Kind kind) {
  if (kind_ == Kind::null) *this = kind == Kind::array ? array() : object();
  of(kind);
}

}  // namespace zwang::io
