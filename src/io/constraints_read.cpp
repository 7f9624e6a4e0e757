// SPDX-License-Identifier: BSD-3-Clause
// Constraints and groups as JSON says them: problem files, and what to_json wrote.
#include "io/constraint_keys.hpp"
#include "io/document_head.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"

namespace zwang {
namespace {

constexpr std::initializer_list<const char*> k_later_keys = {"friction", "unilateral"};
/// What every type has beside its own keys.
constexpr const char* k_common_keys[] = {
    "name",       "type",   "beta",  "role",  "active", "policy",          "priority",  "compensate",
    "compliance", "weight", "sense", "limit", "target", "target_velocity", "baumgarte", "warn_of_pull"};

/// A number for all rows, or one per row.
std::vector<double> per_row(const JsonNode& node) {
  if (node.is_number()) return {node.number()};
  if (!node.is_array()) node.expected("a number, or an array with one number per row");
  return node.numbers();
}

/// A word for all rows, or one per row.
std::vector<Sense> senses(const JsonNode& node) {
  const std::vector<std::string> words = {"equal", "at_least", "at_most"};
  if (!node.is_array()) return {sense_of(node.word(words))};
  std::vector<Sense> out;
  for (std::size_t k = 0; k < node.size(); ++k) out.push_back(sense_of(node[k].word(words)));
  return out;
}

/// The drivers that are listed are made up for; the others act on the rows.
Compensate compensate_of(const JsonNode& list) {
  Compensate c{.gravity = false, .external = false, .tau = false, .prescribed = false};
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string word = list[k].word({"gravity", "external", "tau", "prescribed"});
    bool& driver = word == "gravity"    ? c.gravity
                   : word == "external" ? c.external
                   : word == "tau"      ? c.tau
                                        : c.prescribed;
    if (driver) list[k].fail("'" + word + "' is given twice");
    driver = true;
  }
  return c;
}

/// The keys that every type has.
template <class Type> void read_common(const JsonNode& node, Type& c) {
  if (node.has("beta")) c.beta = node["beta"].numbers();
  if (node.has("role")) c.role = role_of(node["role"].word({"physical", "driver"}));
  if (node.has("active")) c.active = node["active"].boolean();
  if (node.has("policy")) c.policy = policy_of(node["policy"].word({"hard", "early", "soft"}));
  if (node.has("priority")) c.priority = node["priority"].integer();
  if (node.has("compensate")) c.compensate = compensate_of(node["compensate"]);
  if (node.has("compliance")) c.compliance = per_row(node["compliance"]);
  if (node.has("weight")) c.weight = per_row(node["weight"]);
  if (node.has("sense")) c.sense = senses(node["sense"]);
  if (node.has("limit")) c.limit = per_row(node["limit"]);
  if (node.has("target")) c.target = per_row(node["target"]);
  if (node.has("target_velocity")) c.target_velocity = per_row(node["target_velocity"]);
  if (!node.has("baumgarte")) return;
  const JsonNode s = node["baumgarte"];
  s.object({"time_constant", "damping_ratio"});
  c.stabilisation.time_constant = s["time_constant"].number();
  if (s.has("damping_ratio")) c.stabilisation.damping_ratio = s["damping_ratio"].number();
}

/// k rows of some numbers each.
std::vector<double> matrix_of(const JsonNode& node, std::size_t width) {
  std::vector<double> matrix;
  for (std::size_t k = 0; k < node.array().size(); ++k) {
    const std::vector<double> row = node[k].numbers(width);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}
std::vector<std::string> texts(const JsonNode& node) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < node.array().size(); ++k) out.push_back(node[k].text());
  return out;
}

std::string words_of(const JsonNode& node) {
  if (node.is_text()) return node.text();
  std::string words;
  for (const std::string& word : texts(node)) words += word + ' ';
  return words;
}
Vec3<double> vector3(const JsonNode& node) {
  const std::vector<double> x = node.numbers(3);
  return {x[0], x[1], x[2]};
}

/// `x`, `y`, `z`, or three numbers.
Vec3<double> axis_of(const JsonNode& node) {
  if (node.is_text()) {
    const std::string word = node.word({"x", "y", "z"});
    return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
  }
  return vector3(node);
}

/// Words, a matrix k x 6, a matrix with names, or those of a joint that closes a loop.
RowSelection rows_of(const JsonNode& node, bool of_joint) {
  if (node.is_text()) return rows(node.text());
  if (node.is_object() && node.has("matrix")) {
    node.object({"names", "matrix", "free_axes"});
    RowSelection selection = rows(matrix_of(node["matrix"], 6));
    if (node.has("names")) selection.names = texts(node["names"]);
    if (node.has("free_axes")) selection.free_axes = matrix_of(node["free_axes"], 3);
    return selection;
  }
  if (node.is_object()) {
    if (!of_joint) node.fail("rows of a joint close a loop: of a constraint of type 'loop'");
    node.object({"joint", "axis", "second_axis"});
    const Vec3<double> axis = node.has("axis") ? axis_of(node["axis"]) : Vec3<double>{0, 0, 1};
    const Vec3<double> second = node.has("second_axis") ? axis_of(node["second_axis"]) : Vec3<double>{0, 0, 0};
    return joint_rows(node["joint"].text(), axis, second);
  }
  if (node.array().size() == 0) node.fail("no row is named");
  if (node[std::size_t{0}].is_text()) {
    std::string words;
    for (std::size_t k = 0; k < node.size(); ++k) words += node[k].text() + ' ';
    return rows(words);
  }
  return rows(matrix_of(node, 6));
}

/// {"position": three numbers, "rotation": three rows of three}, each of them the world's where it is not there.
Transform<double> pose_of(const JsonNode& node) {
  node.object({"position", "rotation"});
  Transform<double> X = Transform<double>::identity();
  if (node.has("position")) X.p = vector3(node["position"]);
  if (!node.has("rotation")) return X;
  const JsonNode R = node["rotation"];
  if (R.array().size() != 3) R.expected("three rows of three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> row = R[i].numbers(3);
    for (int j = 0; j < 3; ++j) X.R[static_cast<int>(i)][j] = row[static_cast<std::size_t>(j)];
  }
  return X;
}

/// Notes the keys that a type has.
class KeyNames {
 public:
  template <class... X> void needed(const char* key, X&...) { names_.push_back(key); }
  template <class... X> void always(const char* key, X&...) { names_.push_back(key); }
  template <class... X> void maybe(const char* key, X&...) { names_.push_back(key); }
  template <class X> void given(const char* key, bool&, X&) { names_.push_back(key); }
  template <class Type> void frames(Type&) { names_.push_back("frames"); }
  void rows(RowSelection&, io::RowsKey = {}) { names_.push_back("rows"); }
  void axis(const char* key, Vec3<double>&) { names_.push_back(key); }
  void words(const char* key, std::string&) { names_.push_back(key); }
  void matrix(const char* key, std::vector<double>&, std::size_t) { names_.push_back(key); }
  void acceleration() { names_.push_back("acceleration"); }
  const std::vector<const char*>& names() const { return names_; }

 private:
  std::vector<const char*> names_;
};

/// Reads them into the struct.
class KeyReader {
 public:
  explicit KeyReader(const JsonNode& node) : node_(node) {}
  template <class X> void needed(const char* key, X& x) { read(node_[key], x); }
  template <class X> void always(const char* key, X& x) { maybe(key, x); }
  template <class X> void maybe(const char* key, X& x) {
    if (node_.has(key)) read(node_[key], x);
  }
  template <class X> void given(const char* key, bool& has, X& x) {
    has = node_.has(key);
    maybe(key, x);
  }
  template <class Type> void frames(Type& f) {
    const JsonNode both = node_["frames"];
    if (both.array().size() != 2) both.expected("the names of two frames");
    f.frame = both[std::size_t{0}].text();
    f.other = both[std::size_t{1}].text();
  }
  void rows(RowSelection& x, io::RowsKey how = {}) {
    if (node_.has("rows")) x = rows_of(node_["rows"], how.of_joint);
  }
  void axis(const char* key, Vec3<double>& x) {
    if (node_.has(key)) x = axis_of(node_[key]);
  }
  void words(const char* key, std::string& x) {
    if (node_.has(key)) x = words_of(node_[key]);
  }
  void matrix(const char* key, std::vector<double>& x, std::size_t width) {
    if (node_.has(key)) x = matrix_of(node_[key], width);
  }
  void acceleration() {
    if (node_.has("acceleration")) is_spatial_ = node_["acceleration"].word({"classical", "spatial"}) == "spatial";
  }
  bool is_spatial() const { return is_spatial_; }

 private:
  static void read(const JsonNode& node, std::string& x) { x = node.text(); }
  static void read(const JsonNode& node, double& x) { x = node.number(); }
  static void read(const JsonNode& node, int& x) { x = node.integer(); }
  static void read(const JsonNode& node, std::vector<double>& x) { x = node.numbers(); }
  static void read(const JsonNode& node, std::vector<std::string>& x) { x = texts(node); }
  static void read(const JsonNode& node, Vec3<double>& x) { x = vector3(node); }
  static void read(const JsonNode& node, Transform<double>& x) { x = pose_of(node); }

  const JsonNode& node_;
  bool is_spatial_ = false;
};

/// The function of a custom constraint is not in the text.
void find_function(const JsonNode& node, const NamedCustomRows& custom, CustomConstraint& c) {
  const std::string own = node.has("name") ? node["name"].text() : "";
  for (const auto& [name, rows] : custom)
    if (name == own) c.rows = rows;
  if (c.rows == nullptr)
    node["type"].fail(
        "'custom' is written in code: add it to a ConstraintSet in C++ or Python (no function is given for '" +
        printable(own) + "')");
}

template <class Type> Constraint& add(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  Type c;
  if constexpr (std::is_same_v<Type, CustomConstraint>) find_function(node, custom, c);
  KeyNames own;
  io::keys(own, c);
  std::vector<const char*> all = own.names();
  all.insert(all.end(), std::begin(k_common_keys), std::end(k_common_keys));
  node.object(all, k_later_keys);
  c.name = node["name"].text();
  KeyReader reader(node);
  io::keys(reader, c);
  read_common(node, c);
  if constexpr (requires { c.acceleration; })
    if (reader.is_spatial()) c.acceleration = AccelerationKind::spatial;
  Constraint& added = constraints.add(c);
  if (reader.is_spatial()) added.acceleration = AccelerationKind::spatial;
  return added;
}

Constraint& add_any(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  const JsonNode type = node["type"];
  const std::string custom_word = CustomConstraint::k_type;  // of code, not of files
  std::string word = type.is_text() ? type.text() : "";
  if (word != custom_word) {
    std::vector<std::string> words;
    ConstraintTypes::find([&](auto t) {
      using Type = typename decltype(t)::type;
      if (Type::k_type != custom_word) words.push_back(Type::k_type);
      return false;
    });
    word = type.word(words);
  }
  Constraint* added = nullptr;
  ConstraintTypes::find([&](auto t) {
    using Type = typename decltype(t)::type;
    if (word == Type::k_type) added = &add<Type>(constraints, node, custom);
    return added != nullptr;
  });
  return *added;
}

void add_constraint(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  if (!node.is_object()) node.expected("an object");
  try {
    Constraint& c = add_any(constraints, node, custom);
    if (node.has("warn_of_pull")) c.unilateral = node["warn_of_pull"].boolean();
  } catch (const JsonError&) {
    throw;
  } catch (const std::invalid_argument& error) {  // what the library says of frames, rows, sizes and names
    node.fail(error.what());
  }
}

}  // namespace

void read_constraints(const JsonNode& document, ConstraintSet& set, const NamedCustomRows& custom) {
  if (document.has("constraints")) {
    const JsonNode list = document["constraints"];
    for (std::size_t k = 0; k < list.array().size(); ++k) add_constraint(set, list[k], custom);
  }
  if (!document.has("groups")) return;
  const JsonNode groups = document["groups"];
  if (!groups.is_object()) groups.expected("an object from names of groups to names of constraints");
  for (const std::string& name : groups.keys()) {
    const JsonNode group = groups[name.c_str()];
    const std::vector<std::string> members = texts(group);
    try {
      set.add_group(name, members);
    } catch (const std::invalid_argument& error) { group.fail(error.what()); }
  }
}

namespace {

ConstraintSet set_of(const Model& model, const JsonDocument& document, const NamedCustomRows& custom) {
  io::check_head(document.root(), "zwang.constraints", k_constraints_version, false);
  document.root().object({"format", "version", "constraints", "groups"});
  ConstraintSet set(model);
  read_constraints(document.root(), set, custom);
  return set;
}

}  // namespace

ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom) {
  return set_of(model, JsonDocument::parse(text, "JSON"), custom);
}
ConstraintSet constraints_from_cbor(const Model& model, std::span<const std::uint8_t> bytes,
                                    const NamedCustomRows& custom) {
  return set_of(model, JsonDocument::parse_cbor(bytes, "CBOR"), custom);
}

}  // namespace zwang
