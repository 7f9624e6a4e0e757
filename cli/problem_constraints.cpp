// SPDX-License-Identifier: BSD-3-Clause
// Constraints of a problem file, and those of --hold.
#include "failure.hpp"
#include "problem.hpp"

namespace zwang::cli {
namespace {

constexpr std::initializer_list<const char*> k_later_keys = {"joint", "ratio", "friction", "distance", "unilateral"};

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

void add_frame(ConstraintSet& constraints, const Node& node) {
  node.object({"name", "type", "frame", "rows", "in", "beta", "acceleration", "role", "active", "policy", "priority",
               "compensate", "compliance", "weight"},
              k_later_keys);
  FrameConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"]);
  if (node.has("in")) c.in = node["in"].text();
  if (node.has("acceleration") && node["acceleration"].word({"classical", "spatial"}) == "spatial")
    c.acceleration = AccelerationKind::spatial;
  read_common(node, c);
  constraints.add(c);
}

void add_contact(ConstraintSet& constraints, const Node& node) {
  node.object({"name", "type", "frame", "normal", "tangent", "point", "rows", "beta", "role", "active", "policy",
               "priority", "compensate", "compliance", "weight"},
              k_later_keys);
  ContactConstraint c{.name = node["name"].text(), .frame = node["frame"].text()};
  c.normal = vector3(node, "normal", c.normal);
  c.tangent = vector3(node, "tangent", c.tangent);
  c.point = vector3(node, "point", c.point);
  if (node.has("rows")) c.rows = node["rows"].integer();
  read_common(node, c);
  constraints.add(c);
}

/// What constraints with a position error have.
template <class Type> void read_errors(const Node& node, Type& c) {
  if (node.has("target")) c.target = node["target"].numbers();
  if (node.has("target_velocity")) c.target_velocity = node["target_velocity"].numbers();
  if (!node.has("baumgarte")) return;
  const Node& s = node["baumgarte"];
  s.object({"time_constant", "damping_ratio"});
  c.stabilisation.time_constant = s["time_constant"].number();
  if (s.has("damping_ratio")) c.stabilisation.damping_ratio = s["damping_ratio"].number();
}

void add_loop(ConstraintSet& constraints, const Node& node) {
  node.object({"name", "type", "frames", "rows", "beta", "role", "active", "policy", "priority", "compensate",
               "compliance", "weight", "target", "target_velocity", "baumgarte"},
              k_later_keys);
  const Node& frames = node["frames"];
  if (frames.array().size() != 2) frames.expected("the names of two frames");
  LoopConstraint c{
      .name = node["name"].text(), .frame = frames[std::size_t{0}].text(), .other = frames[std::size_t{1}].text()};
  if (node.has("rows")) c.rows = rows_of(node["rows"], true);
  read_common(node, c);
  read_errors(node, c);
  constraints.add(c);
}

}  // namespace

void add_constraint(ConstraintSet& constraints, const Node& node) {
  if (!node.value().is_object()) node.expected("an object");
  const std::string type =
      node["type"].word({"frame", "contact", "loop"}, {"distance", "coupling", "custom", "joint", "rolling"});
  try {
    if (type == "frame") {
      add_frame(constraints, node);
    } else if (type == "loop") {
      add_loop(constraints, node);
    } else {
      add_contact(constraints, node);
    }
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
