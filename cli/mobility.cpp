// SPDX-License-Identifier: BSD-3-Clause
// zwang mobility: which motions the constraints of a problem leave at its state.
#include "zwang/question/mobility.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "tables.hpp"

namespace zwang::cli {
namespace {

Document number_or_null(Index x) { return x < 0 ? Document(nullptr) : Document(x); }

Document columns_json(const Eigen::Map<const Eigen::MatrixXd>& x) {
  Document all = Document::array();
  for (Eigen::Index k = 0; k < x.cols(); ++k) {
    Document column = Document::array();
    for (Eigen::Index i = 0; i < x.rows(); ++i) column.push_back(x(i, k));
    all.push_back(column);
  }
  return all;
}

Document report_json(const Model& model, const MobilityReport& r) {
  Document dependencies = Document::array(), loops = Document::object();
  for (const std::vector<RowTerm>& terms : r.dependencies) {
    Document one = Document::array();
    for (const RowTerm& t : terms) one.push_back({{"row", t.row}, {"coefficient", t.coefficient}});
    dependencies.push_back(one);
  }
  for (const RedundantConstraint& c : r.loops) loops[c.name] = c.redundant;
  return {{"status", "ok"},
          {"mobility", r.mobility},
          {"rank", r.rank},
          {"rows", r.rows},
          {"coordinates", r.coordinates},
          {"count", r.count},
          {"finite_mobility", number_or_null(r.finite_mobility)},
          {"mobility_nearby", number_or_null(r.mobility_nearby)},
          {"singular", r.singular},
          {"closure", r.closure},
          {"smallest_singular_value", r.smallest_singular_value},
          {"singular_values", r.singular_values},
          {"open", r.open},
          {"redundant", r.redundant},
          {"loops", loops},
          {"dependencies", dependencies},
          {"names", model.coordinate_names()},
          {"free", columns_json(r.free())}};
}

Document jacobian_json(const std::string& frame, const ActuatedJacobian& j) {
  return {{"frame", frame},
          {"actuated", j.names},
          {"columns", columns_json(j.jacobian())},
          {"passive", j.passive},
          {"lost", j.lost},
          {"uncontrolled", j.uncontrolled},
          {"dependent_inputs", j.dependent_inputs},
          {"input_singular_value", j.input_singular_value},
          {"output_singular_value", j.output_singular_value}};
}

std::string jacobian_table(const std::string& frame, const ActuatedJacobian& j) {
  static const char* const k_rows[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  Table table;
  table.text("motor", j.names);
  for (Eigen::Index row = 0; row < 6; ++row) {
    std::vector<double> cells;
    for (Eigen::Index k = 0; k < j.inputs; ++k) cells.push_back(j.jacobian()(row, k));
    table.numbers(k_rows[row], cells);
  }
  std::string text =
      fmt::format("\n  motion of {} by the rates of {} motors (world axes)\n{}", frame, j.inputs, table.str());
  if (j.passive > 0) text += fmt::format("  {} passive directions are left out\n", j.passive);
  if (j.type1()) text += fmt::format("  type 1: motors turn in {} directions, and the frame does not move\n", j.lost);
  if (j.type2())
    text += fmt::format("  type 2: the frame moves in {} directions though motors are locked\n", j.uncontrolled);
  if (j.dependent_inputs > 0) text += fmt::format("  {} rates depend on the others\n", j.dependent_inputs);
  return text;
}

/// The free motions, one in each column.
std::string motions_table(const Model& model, const MobilityReport& r) {
  constexpr Index k_most = 8;  // columns that a terminal holds
  if (r.mobility == 0) return "";
  Table table;
  table.text("coordinate", model.coordinate_names());
  for (Index k = 0; k < std::min(r.mobility, k_most); ++k) {
    std::vector<double> cells;
    for (Index c = 0; c < r.coordinates; ++c) cells.push_back(r.free()(c, k));
    table.numbers(fmt::format("motion {}", k + 1), cells);
  }
  return table.str() + (r.mobility > k_most ? fmt::format("  and {} more (--json)\n", r.mobility - k_most) : "") + '\n';
}

}  // namespace

int run_mobility(const Arguments& a, Diagnostics& found) {
  const Problem problem = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  MobilitySettings settings;
  if (a.samples) settings.samples = *a.samples;
  if (a.tolerance) settings.tolerance = *a.tolerance;
  Mobility mobility(problem.model, problem.constraints, settings);
  const MobilityReport r = mobility.at(problem.q);
  std::optional<ActuatedJacobian> j;
  if (a.frame) j = mobility.jacobian(problem.q, *a.frame);
  if (a.json) {
    Document document = report_json(problem.model, r);
    if (j) document["jacobian"] = jacobian_json(*a.frame, *j);
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(motions_table(problem.model, r) + r.explain() + (j ? jacobian_table(*a.frame, *j) : ""));
  }
  return k_ok;
}

}  // namespace zwang::cli
