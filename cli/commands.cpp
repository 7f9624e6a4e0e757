// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "failure.hpp"
#include "json_output.hpp"
#include "methods.hpp"
#include "robot_file.hpp"
#include "state.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::cli {
namespace {

Eigen::VectorXd vector_of(const Model& model, VectorKind kind, const char* option,
                          const std::optional<std::string>& text) {
  return text ? read_vector(model, kind, option, *text) : default_vector(model, kind);
}

/// `--q`, which may name a configuration of the file.
Eigen::VectorXd q_of(const Model& model, const Arguments& a, const OfFile& file) {
  return a.q ? read_configuration(model, "--q", *a.q, file.configurations)
             : default_vector(model, VectorKind::configuration);
}
/// What else the file says is read where `--q` may name a part of it.
OfFile* wanted(const Arguments& a, OfFile& file) { return a.q && may_name_configuration(*a.q) ? &file : nullptr; }

/// The result of id or fd.
int show(const Arguments& a, const Model& model, const char* key, const char* header, VectorView values,
         const Diagnostics& found) {
  if (a.json) {
    print_json({{"status", "ok"},
                {"names", model.coordinate_names()},
                {key, vector_json(values)},
                {"diagnostics", to_json(found)}});
  } else {
    print(coordinate_table(model, header, values));
  }
  return k_ok;
}

/// N_CONSTRAINTS: the rows of the file that the model lacks.
Diagnostics left_out(const Diagnostics& found) {
  Diagnostics rows;
  std::copy_if(found.begin(), found.end(), std::back_inserter(rows),
               [](const Diagnostic& d) { return d.code == "N_CONSTRAINTS"; });
  return rows;
}

}  // namespace

Model load_robot(const Arguments& a, Diagnostics& found, OfFile* more) {
  if (is_json_file(a.file) && !is_document_of_robot(a.file))
    throw UsageError("zwang " + a.command + " reads a robot; a problem (" + a.file +
                     ") is for zwang solve, assemble, impulse, mobility, simulate, ik, move and view");
  Model model = load_any(a, a.file, load_options(a), found, {}, more);
  if (more && a.command != "convert") note_constraints(*more, model, a.file, found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  if (a.speaks()) print_diagnostics(left_out(found), Severity::note);
  if (!model.loops().empty() && (a.command == "id" || a.command == "fd"))
    throw UsageError("zwang " + a.command + " moves open trees, and '" + model.name() + "' has " +
                     std::to_string(model.loops().size()) + " closed loop" + (model.loops().size() > 1 ? "s" : "") +
                     ": zwang solve holds them");
  if (const Diagnostics rows = left_out(found); !rows.empty() && (a.command == "id" || a.command == "fd"))
    throw UsageError("zwang " + a.command + " moves open trees, and of '" + model.name() + "' " + rows.front().found +
                     ": zwang solve holds them");
  return model;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw IoError("standard output cannot be written");
}

int run_info(const Arguments& a, Diagnostics& found) {
  OfFile file;
  const Model model = load_robot(a, found, wanted(a, file));
  if (!a.state && (a.q || a.v || a.a)) throw UsageError("zwang info: --q, --v and --a are for --state");
  if (a.state)
    return show_state(a, model, q_of(model, a, file), vector_of(model, VectorKind::velocity, "--v", a.v),
                      vector_of(model, VectorKind::acceleration, "--a", a.a), found);
  if (a.json) {
    Document document = model_json(model);
    document["data"] = data_json(model);
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(model_table(model) + data_line(model));
  }
  return k_ok;
}

int run_check(const Arguments& a, Diagnostics& found) {
  const Model model = load_any(a, a.file, load_options(a), found);
  if (OfFile rows; !left_out(found).empty()) {  // can they be bound?
    Diagnostics again;
    try {
      load_any(a, a.file, load_options(a), again, {}, &rows);
    } catch (const ModelError&) {
      found = std::move(again);
      throw;
    }
  }
  if (a.json) {
    print_json({{"status", "ok"}, {"model", counts_json(model)}, {"diagnostics", to_json(found)}});
    return k_ok;
  }
  print_diagnostics(found, a.quiet ? Severity::error : Severity::note, true);
  int warnings = 0;
  for (const Diagnostic& d : found) warnings += d.severity == Severity::warning ? 1 : 0;
  const std::size_t loops = model.loops().size();
  print(fmt::format("{}: ok, {} warning{}; {} links, {} joints, {}nq {}, nv {}, {:.6g} kg\n", a.file, warnings,
                    warnings == 1 ? "" : "s", model.links().size(), model.joints().size(),
                    loops == 0 ? "" : fmt::format("{} loop{}, ", loops, loops == 1 ? "" : "s"), model.nq(), model.nv(),
                    model.mass()));
  return k_ok;
}

int run_inverse_dynamics(const Arguments& a, Diagnostics& found) {
  OfFile file;
  const Model model = load_robot(a, found, wanted(a, file));
  Data data(model);
  const Eigen::VectorXd q = q_of(model, a, file);
  const Eigen::VectorXd v = vector_of(model, VectorKind::velocity, "--v", a.v);
  const Eigen::VectorXd acceleration = vector_of(model, VectorKind::acceleration, "--a", a.a);
  Externals external;
  add_externals(model, a, external);
  return show(a, model, "tau", "torque [N m, N]", inverse_dynamics(model, data, q, v, acceleration, external), found);
}

int run_forward_dynamics(const Arguments& a, Diagnostics& found) {
  OfFile file;
  const Model model = load_robot(a, found, wanted(a, file));
  Data data(model);
  const Eigen::VectorXd q = q_of(model, a, file);
  const Eigen::VectorXd v = vector_of(model, VectorKind::velocity, "--v", a.v);
  const Eigen::VectorXd tau = vector_of(model, VectorKind::torque, "--tau", a.tau);
  Externals external;
  add_externals(model, a, external);
  return show(a, model, "qdd", "acceleration [rad/s², m/s²]", forward_dynamics(model, data, q, v, tau, external),
              found);
}

int run_solve(const Arguments& a, Diagnostics& found) {
  Problem problem = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  const bool all = problem.settings.method == "all";
  const std::vector<MethodResult> results = all ? compare_methods(problem) : std::vector<MethodResult>();
  const bool agreed = agree(results);
  if (all) problem.settings.method = "automatic";

  Solver solver(problem.model, problem.constraints, problem.settings);
  const Solution& s = solver.solve(problem.input());
  if (a.json) {
    Document document = solution_json(problem, s);
    if (all) document["methods"] = methods_json(results);
    if (s.report.status == Status::ok && !agreed) document["status"] = "methods_disagree";
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(solution_table(problem, s) + (all ? '\n' + methods_table(results) : std::string()));
    if (!agreed) std::fputs("zwang: the methods do not agree\n", stderr);
  }
  return s.report.status != Status::ok ? k_not_ok : agreed ? k_ok : k_disagree;
}

}  // namespace zwang::cli
