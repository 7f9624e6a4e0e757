// SPDX-License-Identifier: BSD-3-Clause
#include "json_output.hpp"

#include <cmath>

#include "out_of_memory.hpp"
#include "vectors.hpp"
#include "zwang/io/solution.hpp"
#include "zwang/model/data_size.hpp"

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

Document loop_json(const Model& model, const Loop& loop) {
  const LoopConstraint c = loop_constraint(model, loop);
  return {{"name", loop.name},
          {"type", loop.type},
          {"parent", link_name(model, loop.parent)},
          {"child", link_name(model, loop.child)},
          {"predecessor", c.frame},
          {"successor", c.other},
          {"axis", vec3(loop.axis)},
          {"rows", c.rows.names}};
}

}  // namespace

Document to_json(const Diagnostics& found) {
  static const char* const k_severity[] = {"note", "warning", "error"};
  Document out = Document::array();
  const auto add = [&](const Diagnostic& d) {
    out.push_back({{"severity", k_severity[static_cast<int>(d.severity)]},
                   {"code", d.code},
                   {"file", d.file},
                   {"line", d.line},
                   {"column", d.column},
                   {"path", d.path},
                   {"found", d.found},
                   {"expected", d.expected},
                   {"hint", d.hint}});
  };
  for (const Diagnostic& d : found) add(d);
  for (const Diagnostic& d : questions()) add(d);
  return out;
}

Document counts_json(const Model& model) {
  return {{"links", model.links().size()},
          {"joints", model.joints().size()},
          {"bodies", model.bodies()},
          {"loops", model.loops().size()},
          {"nq", model.nq()},
          {"nv", model.nv()},
          {"mass", model.mass()}};
}

Document data_json(const Model& model) {
  const Data data(model);
  Document stages = Document::object();
  for (const StageSize& stage : stage_sizes(data)) stages[std::string(stage.stage)] = stage.bytes;
  return {{"bytes", bytes_of(data)}, {"stages", stages}};
}

Document model_json(const Model& model) {
  Document joints = Document::array(), links = Document::array(), lumped = Document::array(), loops = Document::array();
  for (const Joint& j : model.joints()) {
    joints.push_back(joint_json(model, j));
    if (j.lumped)
      lumped.push_back({{"joint", j.name}, {"link", link_name(model, j.child)}, {"into", link_name(model, j.parent)}});
  }
  for (const Loop& loop : model.loops()) loops.push_back(loop_json(model, loop));
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
          {"loops", loops},
          {"lumped", lumped}};
}

Document number_json(double x) { return number(x); }
Document vector_json(VectorView values) {
  Document out = Document::array();
  for (const double x : values) out.push_back(number(x));
  return out;
}

Document solution_json(const Problem& p, const Solution& s) {
  return Document::parse(zwang::to_json(p.constraints, s));
}

Document methods_json(const std::vector<MethodResult>& results) {
  Document out = Document::array();
  for (const MethodResult& m : results) {
    Document row = {{"method", m.method}, {"singularity", m.singularity}};
    if (!m.refused.empty()) {
      row.update({{"status", "unsupported"}, {"reason", m.refused}});
    } else {
      row.update({{"status", name_of(m.status)},
                  {"rank", m.rank},
                  {"rows", m.rows},
                  {"iterations", m.iterations},
                  {"residual", number(m.residual)},
                  {"difference", number(m.difference)},
                  {"zwang", number(m.zwang)},
                  {"microseconds", number(m.microseconds)}});
    }
    out.push_back(row);
  }
  return out;
}

void print_json(const Document& document) {
  print(document.dump(-1, ' ', false, Document::error_handler_t::replace) + '\n');
  answered();
}

}  // namespace zwang::cli
