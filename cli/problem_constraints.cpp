// SPDX-License-Identifier: BSD-3-Clause
// Constraints of a problem file, and those of --hold.
#include "failure.hpp"
#include "problem.hpp"

namespace zwang::cli {
namespace {

constexpr std::initializer_list<const char*> k_later_keys = {"friction", "unilateral"};
/// What every type has beside its own keys.
constexpr const char* k_common_keys[] = {"name",     "type",       "beta",       "role",   "active", "policy",
                                         "priority", "compensate", "compliance", "weight", "target", "target_velocity",
                                         "baumgarte"};

/// Refuses keys that are neither common nor of this type.
void check_keys(const Node& node, std::initializer_list<const char*> own) {
  std::vector<const char*> all(own);
  all.insert(all.end(), std::begin(k_common_keys), std::end(k_common_keys));
  node.object(all, k_later_keys);
}

/// A number for all rows, or one per row.
std::vector<double> per_row(const Node& node) {
  if (node.value().is_number()) return {node.number()};
  if (!node.value().is_array()) node.expected("a number, or an array with one number per row");
  return node.numbers();
}

/// The drivers that are listed are made up for; the others act on the rows.
Compensate compensate_of(const Node& list) {
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
template <class Type> void read_common(const Node& node, Type& c) {
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
  const Node s = node["baumgarte"];
  s.object({"time_constant", "damping_ratio"});
  c.stabilisation.time_constant = s["time_constant"].number();
  if (s.has("damping_ratio")) c.stabilisation.damping_ratio = s["damping_ratio"].number();
}

/// "frames": [a, b].
template <class Type> void read_frames(const Node& node, Type& c) {
  const Node frames = node["frames"];
  if (frames.array().size() != 2) frames.expected("the names of two frames");
  c.frame = frames[std::size_t{0}].text();
  c.other = frames[std::size_t{1}].text();
}
std::string words_of(const Node& node) {
  if (node.value().is_string()) return node.text();
  std::string words;
  for (std::size_t k = 0; k < node.array().size(); ++k) words += node[k].text() + ' ';
  return words;
}
Vec3<double> vector3(const Node& node, const char* key, const Vec3<double>& otherwise) {
  if (!node.has(key)) return otherwise;
  const std::vector<double> x = node[key].numbers(3);
  return {x[0], x[1], x[2]};
}

/// `x`, `y`, `z`, or three numbers.
Vec3<double> axis_of(const Node& node) {
  if (node.value().is_string()) {
    const std::string word = node.word({"x", "y", "z"});
    return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
  }
  const std::vector<double> x = node.numbers(3);
  return {x[0], x[1], x[2]};
}

/// Words, a matrix k x 6, or those of a joint that closes a loop.
RowSelection rows_of(const Node& node, bool of_loop = false) {
  if (node.value().is_string()) return rows(node.text());
  if (node.value().is_object()) {
    if (!of_loop) node.fail("rows of a joint close a loop: of a constraint of type 'loop'");
    node.object({"joint", "axis", "second_axis"});
    const Vec3<double> axis = node.has("axis") ? axis_of(node["axis"]) : Vec3<double>{0, 0, 1};
    const Vec3<double> second = node.has("second_axis") ? axis_of(node["second_axis"]) : Vec3<double>{0, 0, 0};
    return joint_rows(node["joint"].text(), axis, second);
  }
  if (node.array().size() == 0) node.fail("no row is named");
  if (node.value().front().is_string()) {
    std::string words;
    for (std::size_t k = 0; k < node.size(); ++k) words += node[k].text() + ' ';
    return rows(words);
  }
  std::vector<double> matrix;
  for (std::size_t k = 0; k < node.size(); ++k) {
    const std::vector<double> row = node[k].numbers(6);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return rows(matrix);
}

/// {"position": three numbers, "rotation": three rows of three}, each of them the world's where it is not there.
Transform<double> pose_of(const Node& node) {
  node.object({"position", "rotation"});
  Transform<double> X = Transform<double>::identity();
  X.p = vector3(node, "position", X.p);
  if (!node.has("rotation")) return X;
  const Node R = node["rotation"];
  if (R.array().size() != 3) R.expected("three rows of three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> row = R[i].numbers(3);
    for (int j = 0; j < 3; ++j) X.R[static_cast<int>(i)][j] = row[static_cast<std::size_t>(j)];
  }
  return X;
}

void add_frame(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"frame", "rows", "in", "acceleration", "target_pose"});
  FrameConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"]);
  if (node.has("in")) c.in = node["in"].text();
  if (node.has("acceleration") && node["acceleration"].word({"classical", "spatial"}) == "spatial")
    c.acceleration = AccelerationKind::spatial;
  if (node.has("target_pose")) {
    c.has_target = true;
    c.target_pose = pose_of(node["target_pose"]);
  }
  read_common(node, c);
  constraints.add(c);
}

void add_contact(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"frame", "normal", "tangent", "point", "rows", "target_point"});
  ContactConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  c.normal = vector3(node, "normal", c.normal);
  c.tangent = vector3(node, "tangent", c.tangent);
  c.point = vector3(node, "point", c.point);
  if (node.has("rows")) c.rows = node["rows"].integer();
  c.has_target = node.has("target_point");
  c.target_point = vector3(node, "target_point", c.target_point);
  read_common(node, c);
  constraints.add(c);
}

void add_loop(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"frames", "rows"});
  LoopConstraint c{.name = node["name"].text()};
  read_frames(node, c);
  if (node.has("rows")) c.rows = rows_of(node["rows"], true);
  read_common(node, c);
  constraints.add(c);
}

void add_distance(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"frames", "point", "other_point", "length"});
  DistanceConstraint c{.name = node["name"].text()};
  read_frames(node, c);
  c.point = vector3(node, "point", c.point);
  c.other_point = vector3(node, "other_point", c.other_point);
  c.length = node["length"].number();
  read_common(node, c);
  constraints.add(c);
}

void add_coupling(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"coordinates", "ratio", "offset", "polynomial"});
  CouplingConstraint c{.name = node["name"].text()};
  const Node coordinates = node["coordinates"];
  for (std::size_t k = 0; k < coordinates.array().size(); ++k) c.coordinates.push_back(coordinates[k].text());
  if (node.has("ratio")) c.ratio = node["ratio"].numbers();
  if (node.has("offset")) c.offset = node["offset"].number();
  if (node.has("polynomial")) c.polynomial = node["polynomial"].numbers();
  read_common(node, c);
  constraints.add(c);
}

void add_rolling(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"frame", "radius", "axis", "other", "normal", "plane_point", "tangent", "rows"});
  RollingConstraint c{.name = node["name"].text(), .frame = node["frame"].text(), .radius = node["radius"].number()};
  if (node.has("axis")) c.axis = axis_of(node["axis"]);
  if (node.has("other")) c.other = node["other"].text();
  c.normal = vector3(node, "normal", c.normal);
  c.plane_point = vector3(node, "plane_point", c.plane_point);
  c.tangent = vector3(node, "tangent", c.tangent);
  if (node.has("rows")) c.rows = words_of(node["rows"]);
  read_common(node, c);
  constraints.add(c);
}

void add_centre_of_mass(ConstraintSet& constraints, const Node& node) {
  check_keys(node, {"rows", "matrix"});
  CentreOfMassConstraint c{.name = node["name"].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"]);
  if (node.has("matrix")) {
    const Node K = node["matrix"];
    for (std::size_t k = 0; k < K.array().size(); ++k) {
      const std::vector<double> row = K[k].numbers(3);
      c.matrix.insert(c.matrix.end(), row.begin(), row.end());
    }
  }
  read_common(node, c);
  constraints.add(c);
}

struct Type {
  const char* name;
  void (*add)(ConstraintSet&, const Node&);
};
constexpr Type k_types[] = {{"frame", add_frame},
                            {"contact", add_contact},
                            {"loop", add_loop},
                            {"distance", add_distance},
                            {"coupling", add_coupling},
                            {"rolling", add_rolling},
                            {"centre_of_mass", add_centre_of_mass}};

}  // namespace

void add_constraint(ConstraintSet& constraints, const Node& node) {
  if (!node.value().is_object()) node.expected("an object");
  if (node["type"].value() == "custom")
    node["type"].fail("'custom' is written in code: add it to a ConstraintSet in C++ or Python");
  std::vector<std::string> words;
  for (const Type& type : k_types) words.push_back(type.name);
  const std::string word = node["type"].word(words, {"joint"});
  try {
    for (const Type& type : k_types)
      if (word == type.name) type.add(constraints, node);
  } catch (const std::invalid_argument& error) {  // what the library says of frames, rows, sizes and names
    node.fail(error.what());
  }
}

void add_hold(ConstraintSet& constraints, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string frame = text.substr(0, colon);
  std::string name = frame;  // a frame may be held several times
  for (Index k = 0, n = 1; k < constraints.size(); ++k)
    if (constraints.constraints()[static_cast<std::size_t>(k)].frame == frame) name = frame + '#' + std::to_string(++n);
  try {
    constraints.add(FrameConstraint{.name = name,
                                    .frame = frame,
                                    .rows = rows(colon == std::string::npos ? "all" : text.substr(colon + 1)),
                                    .role = Role::driver});
  } catch (const std::invalid_argument& error) { throw UsageError("--hold " + printable(text) + ": " + error.what()); }
}

}  // namespace zwang::cli
