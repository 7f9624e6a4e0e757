// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of constraint sets, from the lists of fields.
#include "io/constraint_keys.hpp"
#include "io/document.hpp"
#include "zwang/io/constraints.hpp"

namespace zwang {
namespace {

using io::Json;

Json ref(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }
Json type(const char* name) { return {{"type", name}}; }
Json either(Json a, Json b) { return {{"oneOf", Json::array({std::move(a), std::move(b)})}}; }
Json list(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json list(Json items, int count) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}
Json object(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}
Json words(const std::vector<std::string>& all) { return {{"enum", all}}; }
template <class X> Json words_in_order(Type<X> of) {
  constexpr auto all = words_of(of);
  return words({all.begin(), all.end()});
}

// The schema of a member, by its type.
Json schema(Type<bool>, KeyForm) { return type("boolean"); }
Json schema(Type<int>, KeyForm) { return type("integer"); }
Json schema(Type<double>, KeyForm) { return type("number"); }
Json schema(Type<std::optional<double>>, KeyForm) { return type("number"); }
Json schema(Type<std::vector<std::string>>, KeyForm) { return list(type("string")); }
Json schema(Type<std::string>, KeyForm form) {
  if (form == KeyForm::frames) return list(type("string"), 2);
  return form == KeyForm::words ? either(type("string"), list(type("string"))) : type("string");
}
Json schema(Type<std::vector<double>>, KeyForm form) {
  if (form == KeyForm::three_wide) return list(list(type("number"), 3));
  const bool each = form == KeyForm::per_row || form == KeyForm::positive;
  return each ? either(type("number"), list(type("number"))) : list(type("number"));
}
Json schema(Type<Vec3<double>>, KeyForm form) { return form == KeyForm::axis ? ref("axis") : list(type("number"), 3); }
Json schema(Type<Transform<double>>, KeyForm) {
  return object({{"position", list(type("number"), 3)}, {"rotation", list(list(type("number"), 3), 3)}}, Json::array());
}
Json schema(Type<RowSelection>, KeyForm form) {
  return form == KeyForm::joint_rows ? either(ref("rows"), ref("rows_of_joint")) : ref("rows");
}
template <Worded E> Json schema(Type<E> of, KeyForm) { return words_in_order(of); }
template <Worded E> Json schema(Type<std::vector<E>>, KeyForm) {
  return either(words_in_order(Type<E>()), list(words_in_order(Type<E>())));
}
Json schema(Type<Compensate>, KeyForm) {
  std::vector<std::string> all;
  for (const Cause& cause : k_causes) all.emplace_back(cause.word);
  return list(words(all));
}
Json described(const char* says, Json schema) {
  Json all = {{"description", says}};
  all.append(std::move(schema));
  return all;
}
struct StabilisationKeys {
  Json properties = Json::object();
  void record(const char*, const char*) {}
  void operator()(const char* name, double Stabilisation::*, const char* says) {
    properties[name] = described(says, type("number"));
  }
};
Json schema(Type<Stabilisation> of, KeyForm) {
  StabilisationKeys keys;
  fields(keys, of);
  return object(std::move(keys.properties), Json::array({"time_constant"}));
}

/// The keys of a type; of its options they are references to define_options().
template <class T> struct Keys {
  Json properties = {{"type", {{"const", T::k_type}}}}, required = Json::array({"name", "type"});
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M T::*, const char* says, ConstraintKey key = {}) {
    if constexpr (io::k_is_key<M>) {
      if (key.form == KeyForm::hidden) return;
      properties[name] = key.option ? ref(name) : described(says, schema(Type<M>(), key.form));
      if (key.needed && std::string_view(name) != "name") required.push_back(name);
    }
  }
  Json take() {
    if (io::k_has_acceleration<T>)
      properties["acceleration"] =
          described("classical or spatial, gravity not counted", schema(Type<AccelerationKind>(), {}));
    properties["warn_of_pull"] = ref("warn_of_pull");
    return object(std::move(properties), std::move(required));
  }
};

/// Rows in the forms that are not of one type alone.
void define_rows(Json& all) {
  all["axis"] = either(words({"x", "y", "z"}), list(type("number"), 3));
  Json some_words = {{"type", "array"}, {"minItems", 1}, {"items", type("string")}};
  const Json matrix = list(list(type("number"), 6));
  Json named = {{"names", list(type("string"))}, {"matrix", matrix}, {"free_axes", list(list(type("number"), 3))}};
  all["rows"] = {{"oneOf", Json::array({type("string"), std::move(some_words), matrix,
                                        object(std::move(named), Json::array({"matrix"}))})}};
  all["rows_of_joint"] =
      object({{"joint", type("string")}, {"axis", ref("axis")}, {"second_axis", ref("axis")}}, Json::array({"joint"}));
}
/// What all types have.
void define_options(Json& all) {
  const auto one = [&]<class M>(const RowOption& option, M Holding::*) {
    all.add(option.name, described(option.says, schema(Type<M>(), option.form)));
  };
  for_each_option(one, Type<Holding>());
  all.add("warn_of_pull", described("whether a report warns where the last row of a contact, or of what rolls, pulls",
                                    type("boolean")));
}

}  // namespace

std::string constraints_schema() {
  Json types = Json::array(), definitions = Json::object();
  define_rows(definitions);
  define_options(definitions);
  ConstraintTypes::find([&](auto t) {
    using T = typename decltype(t)::type;
    Keys<T> keys;
    fields(keys, Type<T>());
    types.push_back(ref(T::k_type));
    definitions.add(T::k_type, keys.take());
    return false;
  });
  Json groups = {{"type", "object"}, {"additionalProperties", list(type("string"))}};
  return io::json_text(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
       {"title", "zwang.constraints, version " + std::to_string(k_constraints_version)},
       {"description",
        "Constraints on a model as zwang::to_json(set) writes them; members with their default are left "
        "out. A problem file holds the same two keys."},
       {"type", "object"},
       {"properties",
        {{"format", {{"const", "zwang.constraints"}}},
         {"version", {{"const", k_constraints_version}}},
         {"constraints", list({{"oneOf", std::move(types)}})},
         {"groups", std::move(groups)}}},
       {"required", Json::array({"constraints"})},
       {"additionalProperties", false},
       {"$defs", std::move(definitions)}});
}

}  // namespace zwang
