// SPDX-License-Identifier: BSD-3-Clause
#include "json_output.hpp"

#include <cmath>

namespace zwang::cli {
namespace {

Document number(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return std::isnan(x) ? Document() : Document(x);
}
Document vec3(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Document range(Range r) { return {{"first", r.first}, {"size", r.size}}; }
Document slice(const std::vector<double>& all, Range r) {
  Document out = Document::array();
  for (Index k = r.first; k < r.end(); ++k) out.push_back(number(all[static_cast<std::size_t>(k)]));
  return out;
}
Document link_name(const Model& model, LinkId id) {
  return id ? Document(model.links()[static_cast<std::size_t>(id.value)].name) : Document();
}
Document names(const std::vector<std::string_view>& list) {
  Document out = Document::array();
  for (const std::string_view& name : list) out.push_back(std::string(name));
  return out;
}

Document joint_json(const Model& model, const Joint& j) {
  const bool follows = !j.mimic.leader.empty();
  Document out = {{"name", j.name},
                  {"type", j.type},
                  {"parent", link_name(model, j.parent)},
                  {"child", link_name(model, j.child)},
                  {"q", range(j.q)},
                  {"v", range(j.v)},
                  {"limits",
                   {{"lower", slice(model.lower(), j.q)},
                    {"upper", slice(model.upper(), j.q)},
                    {"velocity", slice(model.velocity_limit(), j.v)},
                    {"effort", slice(model.effort_limit(), j.v)}}},
                  {"damping", slice(model.damping(), j.v)},
                  {"friction", slice(model.friction(), j.v)},
                  {"armature", slice(model.armature(), j.v)},
                  {"actuated", !follows && j.v.size > 0 && model.actuated()[static_cast<std::size_t>(j.v.first)]},
                  {"lumped", j.lumped}};
  if (follows)
    out["mimic"] = {{"joint", j.mimic.leader}, {"multiplier", j.mimic.multiplier}, {"offset", j.mimic.offset}};
  return out;
}

const char* kind_of(SolveWarning::Kind kind) {
  switch (kind) {
    case SolveWarning::Kind::driver_on_unactuated: return "driver_on_unactuated";
    case SolveWarning::Kind::contact_pulls: return "contact_pulls";
    case SolveWarning::Kind::moving_contact: return "moving_contact";
  }
  return "unknown";
}

Document constraint_json(const Constraint& c, const ConstraintSolution& part) {
  Document rows = Document::array(), wrench = Document::array();
  for (const std::string& row : c.row_names) rows.push_back(row.substr(c.name.size() + 1));  // without `name:`
  for (int k = 0; k < 6; ++k) wrench.push_back(part.wrench[k]);
  return {{"name", c.name},
          {"type", c.type},
          {"role", c.role == Role::driver ? "driver" : "physical"},
          {"active", c.active},
          {"rows", rows},
          {"lambda", vector_json(part.multipliers)},
          {"wrench", wrench},
          {"frame", c.frame},
          {"in", c.in},
          {"residual", vector_json(part.residual)}};
}

Document report_json(const SolveReport& r) {
  Document warnings = Document::array();
  for (const SolveWarning& w : r.warnings)
    warnings.push_back(
        {{"kind", kind_of(w.kind)}, {"row", std::string(w.row)}, {"value", number(w.value)}, {"text", w.text()}});
  Document out = {{"rank", r.rank},
                  {"rows", r.rows},
                  {"residual", number(r.residual)},
                  {"redundant", names(r.redundant)},
                  {"infeasible", names(r.infeasible)},
                  {"method", r.method},
                  {"iterations", r.iterations},
                  {"tolerance", r.tolerance},
                  {"warnings", warnings},
                  {"text", r.explain()}};
  if (!r.singular_joint.empty()) out["singular_joint"] = std::string(r.singular_joint);
  return out;
}

}  // namespace

Document to_json(const Diagnostics& found) {
  static const char* const k_severity[] = {"note", "warning", "error"};
  Document out = Document::array();
  for (const Diagnostic& d : found)
    out.push_back({{"severity", k_severity[static_cast<int>(d.severity)]},
                   {"code", d.code},
                   {"file", d.file},
                   {"line", d.line},
                   {"column", d.column},
                   {"path", d.path},
                   {"found", d.found},
                   {"expected", d.expected},
                   {"hint", d.hint}});
  return out;
}

Document counts_json(const Model& model) {
  return {{"links", model.links().size()},
          {"joints", model.joints().size()},
          {"bodies", model.bodies()},
          {"nq", model.nq()},
          {"nv", model.nv()},
          {"mass", model.mass()}};
}

Document model_json(const Model& model) {
  Document joints = Document::array(), links = Document::array(), lumped = Document::array();
  for (const Joint& j : model.joints()) {
    joints.push_back(joint_json(model, j));
    if (j.lumped)
      lumped.push_back({{"joint", j.name}, {"link", link_name(model, j.child)}, {"into", link_name(model, j.parent)}});
  }
  for (const Link& l : model.links())
    links.push_back({{"name", l.name},
                     {"mass", l.mass},
                     {"centre", vec3(l.centre)},
                     {"inertia",
                      {{"ixx", l.inertia.xx},
                       {"ixy", l.inertia.xy},
                       {"ixz", l.inertia.xz},
                       {"iyy", l.inertia.yy},
                       {"iyz", l.inertia.yz},
                       {"izz", l.inertia.zz}}},
                     {"parent", link_name(model, l.parent)},
                     {"body", l.body.value}});
  return {{"status", "ok"},
          {"name", model.name()},
          {"counts", counts_json(model)},
          {"nq", model.nq()},
          {"nv", model.nv()},
          {"mass", model.mass()},
          {"gravity", vec3(model.gravity())},
          {"names", model.coordinate_names()},
          {"joints", joints},
          {"links", links},
          {"frames", model.frame_names()},
          {"lumped", lumped}};
}

Document vector_json(VectorView values) {
  Document out = Document::array();
  for (const double x : values) out.push_back(number(x));
  return out;
}

Document solution_json(const Problem& p, const Solution& s) {
  Document constraints = Document::array();
  for (const Constraint& c : p.constraints.constraints()) constraints.push_back(constraint_json(c, s[c.name]));
  return {{"status", name_of(s.report.status)},
          {"qdd", vector_json(s.acceleration)},
          {"names", p.model.coordinate_names()},
          {"constraints", constraints},
          {"motor_torque", vector_json(s.motor_torque)},
          {"reaction", vector_json(s.reaction)},
          {"articulated_constraint_torque", vector_json(s.articulated_constraint_torque)},
          {"zwang", number(s.zwang)},
          {"report", report_json(s.report)}};
}

Document methods_json(const std::vector<MethodResult>& results) {
  Document out = Document::array();
  for (const MethodResult& m : results)
    out.push_back({{"method", m.method},
                   {"status", name_of(m.status)},
                   {"rank", m.rank},
                   {"rows", m.rows},
                   {"residual", number(m.residual)},
                   {"difference", number(m.difference)},
                   {"microseconds", number(m.microseconds)}});
  return out;
}

void print_json(const Document& document) {
  print(document.dump(-1, ' ', false, Document::error_handler_t::replace) + '\n');
}

}  // namespace zwang::cli
