// SPDX-License-Identifier: BSD-3-Clause
// Constraints and groups as JSON says them: problem files, and what to_json wrote.
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"

namespace zwang {
namespace {

constexpr std::initializer_list<const char*> k_later_keys = {"friction", "unilateral"};
/// What every type has beside its own keys.
constexpr const char* k_common_keys[] = {
    "name",       "type",       "beta",   "role",   "active",          "policy",    "priority",
    "compensate", "compliance", "weight", "target", "target_velocity", "baumgarte", "warn_of_pull"};

/// Refuses keys that are neither common nor of this type.
void check_keys(const JsonNode& node, std::initializer_list<const char*> own) {
  std::vector<const char*> all(own);
  all.insert(all.end(), std::begin(k_common_keys), std::end(k_common_keys));
  node.object(all, k_later_keys);
}

/// A number for all rows, or one per row.
std::vector<double> per_row(const JsonNode& node) {
  if (node.is_number()) return {node.number()};
  if (!node.is_array()) node.expected("a number, or an array with one number per row");
  return node.numbers();
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
  if (node.has("target")) c.target = per_row(node["target"]);
  if (node.has("target_velocity")) c.target_velocity = per_row(node["target_velocity"]);
  if (!node.has("baumgarte")) return;
  const JsonNode s = node["baumgarte"];
  s.object({"time_constant", "damping_ratio"});
  c.stabilisation.time_constant = s["time_constant"].number();
  if (s.has("damping_ratio")) c.stabilisation.damping_ratio = s["damping_ratio"].number();
}

/// "frames": [a, b].
template <class Type> void read_frames(const JsonNode& node, Type& c) {
  const JsonNode frames = node["frames"];
  if (frames.array().size() != 2) frames.expected("the names of two frames");
  c.frame = frames[std::size_t{0}].text();
  c.other = frames[std::size_t{1}].text();
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
Vec3<double> vector3(const JsonNode& node, const char* key, const Vec3<double>& otherwise) {
  if (!node.has(key)) return otherwise;
  const std::vector<double> x = node[key].numbers(3);
  return {x[0], x[1], x[2]};
}

/// `x`, `y`, `z`, or three numbers.
Vec3<double> axis_of(const JsonNode& node) {
  if (node.is_text()) {
    const std::string word = node.word({"x", "y", "z"});
    return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
  }
  const std::vector<double> x = node.numbers(3);
  return {x[0], x[1], x[2]};
}

/// Words, a matrix k x 6, a matrix with names, or those of a joint that closes a loop.
RowSelection rows_of(const JsonNode& node, bool of_loop = false) {
  if (node.is_text()) return rows(node.text());
  if (node.is_object() && node.has("matrix")) {
    node.object({"names", "matrix", "free_axes"});
    RowSelection selection = rows(matrix_of(node["matrix"], 6));
    if (node.has("names")) selection.names = texts(node["names"]);
    if (node.has("free_axes")) selection.free_axes = matrix_of(node["free_axes"], 3);
    return selection;
  }
  if (node.is_object()) {
    if (!of_loop) node.fail("rows of a joint close a loop: of a constraint of type 'loop'");
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
  X.p = vector3(node, "position", X.p);
  if (!node.has("rotation")) return X;
  const JsonNode R = node["rotation"];
  if (R.array().size() != 3) R.expected("three rows of three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> row = R[i].numbers(3);
    for (int j = 0; j < 3; ++j) X.R[static_cast<int>(i)][j] = row[static_cast<std::size_t>(j)];
  }
  return X;
}

AccelerationKind acceleration_of(const JsonNode& node) {
  const bool spatial = node.has("acceleration") && node["acceleration"].word({"classical", "spatial"}) == "spatial";
  return spatial ? AccelerationKind::spatial : AccelerationKind::classical;
}

Constraint& add_frame(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"frame", "rows", "in", "acceleration", "target_pose"});
  FrameConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"]);
  if (node.has("in")) c.in = node["in"].text();
  c.acceleration = acceleration_of(node);
  if (node.has("target_pose")) {
    c.has_target = true;
    c.target_pose = pose_of(node["target_pose"]);
  }
  read_common(node, c);
  return constraints.add(c);
}

Constraint& add_contact(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"frame", "normal", "tangent", "point", "rows", "acceleration", "target_point"});
  ContactConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  c.normal = vector3(node, "normal", c.normal);
  c.tangent = vector3(node, "tangent", c.tangent);
  c.point = vector3(node, "point", c.point);
  if (node.has("rows")) c.rows = node["rows"].integer();
  c.has_target = node.has("target_point");
  c.target_point = vector3(node, "target_point", c.target_point);
  read_common(node, c);
  Constraint& added = constraints.add(c);
  added.acceleration = acceleration_of(node);
  return added;
}

Constraint& add_loop(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"frames", "rows"});
  LoopConstraint c{.name = node["name"].text()};
  read_frames(node, c);
  if (node.has("rows")) c.rows = rows_of(node["rows"], true);
  read_common(node, c);
  return constraints.add(c);
}

Constraint& add_distance(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"frames", "point", "other_point", "length"});
  DistanceConstraint c{.name = node["name"].text()};
  read_frames(node, c);
  c.point = vector3(node, "point", c.point);
  c.other_point = vector3(node, "other_point", c.other_point);
  c.length = node["length"].number();
  read_common(node, c);
  return constraints.add(c);
}

Constraint& add_coupling(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"coordinates", "ratio", "offset", "polynomial"});
  CouplingConstraint c{.name = node["name"].text()};
  c.coordinates = texts(node["coordinates"]);
  if (node.has("ratio")) c.ratio = node["ratio"].numbers();
  if (node.has("offset")) c.offset = node["offset"].number();
  if (node.has("polynomial")) c.polynomial = node["polynomial"].numbers();
  read_common(node, c);
  return constraints.add(c);
}

Constraint& add_rolling(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"frame", "radius", "axis", "other", "normal", "plane_point", "tangent", "rows"});
  RollingConstraint c{.name = node["name"].text(), .frame = node["frame"].text(), .radius = node["radius"].number()};
  if (node.has("axis")) c.axis = axis_of(node["axis"]);
  if (node.has("other")) c.other = node["other"].text();
  c.normal = vector3(node, "normal", c.normal);
  c.plane_point = vector3(node, "plane_point", c.plane_point);
  c.tangent = vector3(node, "tangent", c.tangent);
  if (node.has("rows")) c.rows = words_of(node["rows"]);
  read_common(node, c);
  return constraints.add(c);
}

Constraint& add_centre_of_mass(ConstraintSet& constraints, const JsonNode& node) {
  check_keys(node, {"rows", "matrix"});
  CentreOfMassConstraint c{.name = node["name"].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"]);
  if (node.has("matrix")) c.matrix = matrix_of(node["matrix"], 3);
  read_common(node, c);
  return constraints.add(c);
}

/// All but the function is in the text.
Constraint& add_custom(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  const std::string own = node.has("name") ? node["name"].text() : "";
  CustomConstraint c{.name = own};
  for (const auto& [name, rows] : custom)
    if (name == own) c.rows = rows;
  if (c.rows == nullptr)
    node["type"].fail(
        "'custom' is written in code: add it to a ConstraintSet in C++ or Python (no function is given for '" +
        printable(own) + "')");
  check_keys(node, {"coordinates", "row_names"});
  if (node.has("coordinates")) c.coordinates = texts(node["coordinates"]);
  if (node.has("row_names")) c.row_names = texts(node["row_names"]);
  read_common(node, c);
  return constraints.add(c);
}

struct Type {
  const char* name;
  Constraint& (*add)(ConstraintSet&, const JsonNode&);
};
constexpr Type k_types[] = {{"frame", add_frame},
                            {"contact", add_contact},
                            {"loop", add_loop},
                            {"distance", add_distance},
                            {"coupling", add_coupling},
                            {"rolling", add_rolling},
                            {"centre_of_mass", add_centre_of_mass}};

Constraint& add_any(ConstraintSet& constraints, const JsonNode& node, const NamedCustomRows& custom) {
  const JsonNode type = node["type"];
  if (type.is_text() && type.text() == "custom") return add_custom(constraints, node, custom);
  std::vector<std::string> words;
  for (const Type& known : k_types) words.push_back(known.name);
  const std::string word = type.word(words, {"joint"});
  std::size_t k = 0;
  while (word != k_types[k].name) ++k;
  return k_types[k].add(constraints, node);
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

ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom) {
  const JsonDocument document = JsonDocument::parse(text, "JSON");
  document.root().object({"constraints", "groups"});
  ConstraintSet set(model);
  read_constraints(document.root(), set, custom);
  return set;
}

}  // namespace zwang
