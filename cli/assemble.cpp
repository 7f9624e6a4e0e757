// SPDX-License-Identifier: BSD-3-Clause
// zwang assemble: the configuration, and with a velocity the state, nearest to a start that satisfies the constraints.
#include "failure.hpp"
#include "json_output.hpp"
#include "tables.hpp"

namespace zwang::cli {
namespace {

Document names_json(const std::vector<std::string_view>& names) {
  Document list = Document::array();
  for (const std::string_view& name : names) list.push_back(std::string(name));
  return list;
}

Document report_json(const AssemblyReport& r, bool moves) {
  Document d = {{"rank", r.rank},
                {"rows", r.rows},
                {"residual", number_json(r.residual)},
                {"distance", number_json(r.distance)},
                {"stationarity", number_json(r.stationarity)},
                {"nearest", r.nearest},
                {"gradient", number_json(r.gradient)},
                {"iterations", r.iterations},
                {"attempt", r.attempt},
                {"conditioning", number_json(r.conditioning)},
                {"branch", r.branch},
                {"redundant", names_json(r.redundant)},
                {"unmet", names_json(r.unmet)},
                {"at_limit", names_json(r.at_limit)},
                {"held", names_json(r.held)},
                {"released", names_json(r.released)},
                {"without_position", names_json(r.without_position)}};
  if (moves) {
    d["velocity_residual"] = number_json(r.velocity_residual);
    d["velocity_rank"] = r.velocity_rank;
    d["velocity_rows"] = r.velocity_rows;
  }
  d["text"] = r.explain();
  return d;
}

}  // namespace

int run_assemble(const Arguments& a, Diagnostics& found) {
  const Problem problem = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  Assembler assembler(problem.model, problem.constraints, problem.assembly);
  const Assembly& x = problem.moves ? assembler.project(problem.q, problem.v) : assembler.assemble(problem.q);
  const AssemblyReport& r = x.report;
  if (a.json) {
    Document document = {{"status", name_of(r.status)}, {"q", vector_json(x.q)}};
    if (problem.moves) document["v"] = vector_json(x.v);
    document["names"] = problem.model.coordinate_names();
    document["report"] = report_json(r, problem.moves);
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    std::string text = configuration_table(problem.model, x.q);
    if (problem.moves) text += '\n' + coordinate_table(problem.model, "v [rad/s, m/s]", x.v);
    print(text + '\n' + r.explain() + '\n');
  }
  return r.status == Status::ok ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
