// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/io/solution.hpp"

#include <cmath>

#include "io/document.hpp"

namespace zwang {
namespace {

using io::Json;

Json number(double x) { return std::isnan(x) ? Json() : io::number(x); }
Json vector_json(VectorView values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(number(x));
  return out;
}
Json names(const std::vector<std::string_view>& list) {
  Json out = Json::array();
  for (const std::string_view& name : list) out.push_back(std::string(name));
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

Json warnings_json(const SolveReport& r) {
  Json out = Json::array();
  for (const SolveWarning& w : r.warnings)
    out.push_back({{"kind", name_of(w.kind)},
                   {"row", std::string(w.row)},
                   {"coordinate", std::string(w.coordinate)},
                   {"value", number(w.value)},
                   {"text", w.text()}});
  return out;
}

Json given_up_json(const SolveReport& r) {
  Json out = Json::array();
  for (const GivenUp& g : r.given_up)
    out.push_back({{"row", std::string(g.row)}, {"amount", number(g.amount)}, {"reason", name_of(g.reason)}});
  return out;
}

/// Minimal sets of dependent rows: sum of coefficient * row = 0.
Json dependencies_json(const SolveReport& r) {
  Json out = Json::array();
  for (const Dependency& d : r.dependencies) {
    Json rows = Json::array(), coefficients = Json::array();
    for (const DependencyTerm& t : r.terms_of(d)) {
      rows.push_back(std::string(t.row));
      coefficients.push_back(number(t.coefficient));
    }
    out.push_back({{"rows", rows},
                   {"coefficients", coefficients},
                   {"contradiction", number(d.contradiction)},
                   {"conflicting", d.conflicting}});
  }
  return out;
}

/// Why rows were eliminated where they were; estimates of the time in microseconds.
Json place_json(const PlaceOfRows& p) {
  Json out = {{"reason", name_of(p.reason)}};
  if (p.root > 0)
    out["estimates"] = {{"root", p.root}, {"where_met", p.where_met}, {"early", p.early}, {"loops", p.loops}};
  return out;
}

Json report_json(const SolveReport& r) {
  Json out = {{"rank", r.rank},
              {"rows", r.rows},
              {"residual", number(r.residual)},
              {"redundant", names(r.redundant)},
              {"infeasible", names(r.infeasible)},
              {"given_up", given_up_json(r)},
              {"dependencies", dependencies_json(r)},
              {"method", r.method},
              {"place", place_json(r.place)},
              {"singularity", r.singularity},
              {"iterations", r.iterations},
              {"tolerance", r.tolerance},
              {"warnings", warnings_json(r)},
              {"text", r.explain()}};
  if (!r.held.empty() || !r.released.empty() || !r.at_limit.empty() || !r.motors_at_limit.empty())
    out["inequalities"] = {{"held", names(r.held)},
                           {"released", names(r.released)},
                           {"at_limit", names(r.at_limit)},
                           {"motors_at_limit", names(r.motors_at_limit)},
                           {"complementarity", number(r.complementarity)}};
  if (!r.singular_joint.empty()) out["singular_joint"] = std::string(r.singular_joint);
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
          {"report", report_json(s.report)}};
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
std::string to_json(const SolveReport& report) { return io::json_text(report_json(report)); }

}  // namespace zwang
