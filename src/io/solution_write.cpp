// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/io/solution.hpp"

#include "io/record_json.hpp"

namespace zwang {

using io::Json;

/// Minimal sets of dependent rows: sum of coefficient * row = 0.
static Json json_of(const SolveReport& r, const std::vector<Dependency>& all) {
  Json out = Json::array();
  for (const Dependency& d : all) {
    Json rows = Json::array(), coefficients = Json::array();
    for (const DependencyTerm& t : r.terms_of(d)) {
      rows.push_back(std::string(t.row));
      coefficients.push_back(io::json_value(t.coefficient));
    }
    out.push_back({{"rows", rows}, {"coefficients", coefficients}});
    out.last().append(io::tree_of(d));
  }
  return out;
}
static Json schema_of(Type<SolveReport>, Type<std::vector<Dependency>>) {
  const Json names = io::records::schema_of_value(Type<std::vector<std::string>>()),
             numbers = io::records::schema_of_value(Type<std::vector<double>>());
  Json item = io::schema_of<Dependency>();
  Json properties = {{"rows", names}, {"coefficients", numbers}}, required = Json::array({"rows", "coefficients"});
  properties.append(*item.find("properties"));
  for (const Json& key : item.find("required")->items()) required.push_back(key);
  item["properties"] = std::move(properties);
  item["required"] = std::move(required);
  return {{"type", "array"}, {"items", std::move(item)}};
}

namespace {

Json number(double x) { return io::json_value(x); }
Json vector_json(VectorView values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(number(x));
  return out;
}
Json constraint_json(const Constraint& c, const ConstraintSolution& part) {
  Json rows = Json::array(), wrench = Json::array();
  for (const std::string& row : c.row_names) rows.push_back(row.substr(c.name.size() + 1));  // without `name:`
  for (int k = 0; k < 6; ++k) wrench.push_back(number(part.wrench[k]));
  return {{"name", c.name.value()},
          {"type", c.type.value()},
          {"role", name_of(c.role)},
          {"policy", name_of(c.policy)},
          {"priority", c.priority.value()},
          {"active", c.active.value()},
          {"rows", rows},
          {"lambda", vector_json(part.multipliers)},
          {"wrench", wrench},
          {"frame", c.frame.value()},
          {"other", c.other.value()},
          {"in", c.in.value()},
          {"residual", vector_json(part.residual)}};
}

Json groups_json(const ConstraintSet& set, const Solution& s) {
  Json out = Json::object();
  for (const ConstraintGroup& group : set.groups()) {
    const GroupSolution g = s.group(group.name);
    Json members = Json::array(), wrench = Json::array();
    for (const Index k : group.members) members.push_back(set.constraints()[static_cast<std::size_t>(k)].name.value());
    for (int k = 0; k < 6; ++k) wrench.push_back(number(g.wrench[k]));
    out[group.name] = {{"constraints", members}, {"wrench", wrench}, {"power", number(g.power)}};
  }
  return out;
}

Json document(const ConstraintSet& set, const Solution& s) {
  Json constraints = Json::array();
  for (const Constraint& c : set.constraints()) constraints.push_back(constraint_json(c, s[c.name]));
  return {{"format", "zwang.solution"},
          {"version", k_solution_version},
          {"status", name_of(s.report.status)},
          {"qdd", vector_json(s.acceleration)},
          {"names", set.model().coordinate_names()},
          {"constraints", constraints},
          {"groups", groups_json(set, s)},
          {"motor_torque", vector_json(s.motor_torque)},
          {"reaction", vector_json(s.reaction)},
          {"articulated_constraint_torque", vector_json(s.articulated_constraint_torque)},
          {"zwang", number(s.zwang)},
          {"report", io::tree_of(s.report)}};
}

}  // namespace

std::string to_json(const ConstraintSet& set, const Solution& s) { return io::json_text(document(set, s)); }
std::vector<std::uint8_t> to_cbor(const ConstraintSet& set, const Solution& s) {
  return io::cbor_bytes(document(set, s));
}
std::size_t to_json(const ConstraintSet& set, const Solution& s, std::span<std::byte> out) {
  return io::json_into(document(set, s), out);
}
std::size_t to_cbor(const ConstraintSet& set, const Solution& s, std::span<std::byte> out) {
  return io::cbor_into(document(set, s), out);
}
std::string to_json(const SolveReport& report) { return io::json_text(io::tree_of(report)); }

std::string solve_report_schema() { return io::json_text(io::schema_of<SolveReport>()); }

}  // namespace zwang
