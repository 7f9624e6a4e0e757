// SPDX-License-Identifier: BSD-3-Clause
// zwang impulse: the velocities after a shock.
#include "impulse.hpp"

#include <cstdio>

#include "failure.hpp"
#include "json_output.hpp"
#include "numbers.hpp"
#include "tables.hpp"
#include "zwang/io/solution.hpp"

namespace zwang::cli {
namespace {

/// {name: number or list} of a problem file.
NumbersByName read_by_name(const Node& node) {
  if (!node.is_object()) node.expected("an object from constraints or groups to numbers");
  NumbersByName out;
  for (const std::string& name : node.keys()) {
    const Node entry = node[name.c_str()];
    if (!entry.is_array() && !entry.is_number()) entry.expected("a number, or an array with one number per row");
    out.emplace_back(name, entry.is_array() ? entry.numbers() : std::vector<double>{entry.number()});
  }
  return out;
}

/// What is typed, else what the file says, else 0.
std::vector<double> read_restitution(const Arguments& a, const ConstraintSet& set, const Node& problem) {
  NumbersByName typed;
  for (const std::string& text : a.restitution) {
    const std::string what = "--restitution " + printable(text);
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos && a.restitution.size() > 1)
      throw UsageError(what + ": a number for all rows stands alone; expected NAME=E[,E...]");
    const std::vector<double> x = read_numbers(what, std::string_view(text).substr(equals + 1));
    if (equals == std::string::npos) {
      if (x.size() != 1) throw UsageError(what + ": expected one number, or NAME=E[,E...]");
      return std::vector<double>(static_cast<std::size_t>(set.rows()), x[0]);
    }
    typed.emplace_back(text.substr(0, equals), x);
  }
  if (!typed.empty()) return read_option("--restitution", [&] { return restitution_of(set, typed); });
  if (!problem.has("restitution")) return restitution_of(set, {});
  const Node node = problem["restitution"];
  if (node.is_number()) return std::vector<double>(static_cast<std::size_t>(set.rows()), node.number());
  const NumbersByName named = read_by_name(node);
  try {
    return restitution_of(set, named);
  } catch (const std::invalid_argument& error) { node.fail(error.what()); }
}

Document impulse_json(const Problem& p, const Impulse& x) {
  Document constraints = Document::array();
  for (const Constraint& c : p.constraints.constraints()) {
    const ConstraintImpulse part = x[c.name];
    constraints.push_back({{"name", c.name.value()},
                           {"type", c.type.value()},
                           {"active", c.active.value()},
                           {"role", name_of(c.role)},
                           {"row_names", c.row_names.value()},
                           {"lambda", vector_json(part.multipliers)},
                           {"wrench", vector_json(part.wrench)},
                           {"in", c.in.value()},
                           {"velocity_before", vector_json(part.velocity_before)},
                           {"velocity_after", vector_json(part.velocity_after)},
                           {"residual", vector_json(part.residual)},
                           {"energy", number_json(part.energy)}});
  }
  return {{"status", name_of(x.report.status)},
          {"names", p.model.coordinate_names()},
          {"velocity", vector_json(x.velocity)},
          {"change", vector_json(x.change)},
          {"motor_impulse", vector_json(x.motor_impulse)},
          {"reaction", vector_json(x.reaction)},
          {"energy_before", number_json(x.energy_before)},
          {"energy_after", number_json(x.energy_after)},
          {"impact", name_of(p.impact)},
          {"constraints", constraints},
          {"report", Document::parse(to_json(x.report))}};
}

}  // namespace

void read_impact(const Arguments& a, const Node& problem, Problem& p) {
  p.restitution = read_restitution(a, p.constraints, problem);
  if (problem.has("impact")) p.impact = read_word<Restitution>(problem["impact"]);
  if (a.impact) p.impact = read_option("--impact", [&] { return restitution_of(*a.impact); });
  p.target = target_of(p.constraints, {});
  if (!problem.has("target")) return;
  const Node node = problem["target"];
  const NumbersByName named = read_by_name(node);
  try {
    p.target = target_of(p.constraints, named);
  } catch (const std::invalid_argument& error) { node.fail(error.what()); }
}

int run_impulse(const Arguments& a, Diagnostics& found) {
  const Problem p = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  if (p.settings.method == "all") throw UsageError("zwang impulse: method all is for zwang solve");
  Solver solver(p.model, p.constraints, p.settings);
  const Impulse& x = solver.impulse({.q = p.q,
                                     .v = p.v,
                                     .restitution = p.restitution,
                                     .target = p.target,
                                     .model = p.impact,
                                     .impulse = p.tau,
                                     .external = &p.external,
                                     .prescribed = &p.prescribed});
  if (a.json) {
    Document document = impulse_json(p, x);
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(impulse_table(p, x));
  }
  return x.report.status == Status::ok ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
