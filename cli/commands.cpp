// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "failure.hpp"
#include "json_output.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::cli {
namespace {

/// Two methods that differ by more than this, relative to the largest acceleration, do not agree.
constexpr double k_agreement = 1e-8;

Model load_robot(const Arguments& a, Diagnostics& found) {
  const std::string ending = ".json";
  if (a.file.size() > ending.size() && a.file.compare(a.file.size() - ending.size(), ending.size(), ending) == 0)
    throw UsageError("zwang " + a.command + " reads a robot; a problem (" + a.file + ") is for zwang solve");
  Model model = load(a.file, load_options(a), &found);
  if (!a.json) print_diagnostics(found, false);
  return model;
}

Eigen::VectorXd vector_of(const Model& model, VectorKind kind, const char* option,
                          const std::optional<std::string>& text) {
  return text ? read_vector(model, kind, option, *text) : default_vector(model, kind);
}

/// The result of id or fd. Numbers too large for a double are an outcome that is not ok.
int show(const Arguments& a, const Model& model, const char* key, const char* header, VectorView values,
         const Diagnostics& found) {
  const bool good = values.allFinite();
  if (a.json) {
    print_json({{"status", good ? "ok" : "overflow"},
                {"names", model.coordinate_names()},
                {key, vector_json(values)},
                {"diagnostics", to_json(found)}});
  } else {
    print(coordinate_table(model, header, values));
    if (!good) std::fputs("zwang: the result is too large for a double\n", stderr);
  }
  return good ? k_ok : k_not_ok;
}

/// Microseconds of one solve: the least of a few batches.
double time_of(Solver& solver, const SolveInput& input) {
  using Clock = std::chrono::steady_clock;
  double least = 1e300;
  int repeat = 1;
  for (int batch = 0; batch < 8; ++batch) {
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < repeat; ++k) solver.solve(input);
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    least = std::min(least, time / repeat);
    if (time < 1000) repeat = std::min(10000, static_cast<int>(repeat * std::max(2.0, 2000 / std::max(time, 0.1))));
  }
  return least;
}

std::vector<MethodResult> compare_methods(Problem& problem, const SolveInput& input) {
  std::vector<MethodResult> results;
  Eigen::VectorXd first;
  for (const std::string& method : methods()) {
    if (method == "automatic") continue;
    problem.settings.method = method;
    Solver solver(problem.model, problem.constraints, problem.settings);
    const Solution& s = solver.solve(input);
    if (results.empty()) first = s.acceleration;
    const double scale = first.size() > 0 ? first.cwiseAbs().maxCoeff() : 0;
    const double difference = first.size() > 0 ? (s.acceleration - first).cwiseAbs().maxCoeff() : 0;
    results.push_back({method, s.report.status, s.report.rank, s.report.rows, s.report.residual,
                       scale > 0 ? difference / scale : difference, 0});
    results.back().microseconds = time_of(solver, input);
  }
  problem.settings.method = results.front().method;
  return results;
}

}  // namespace

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw IoError("standard output cannot be written");
}

void print_diagnostics(const Diagnostics& found, bool notes) {
  static const char* const k_severity[] = {"note", "warning", "error"};
  for (const Diagnostic& d : found) {
    if (d.severity == Severity::note && !notes) continue;
    const std::string line = fmt::format("{}: {}\n", k_severity[static_cast<int>(d.severity)], d.text());
    std::fputs(line.c_str(), stderr);
  }
}

int run_info(const Arguments& a, Diagnostics& found) {
  const Model model = load_robot(a, found);
  if (a.json) {
    Document document = model_json(model);
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(model_table(model));
  }
  return k_ok;
}

int run_check(const Arguments& a, Diagnostics& found) {
  const Model model = load(a.file, load_options(a), &found);
  if (a.json) {
    print_json({{"status", "ok"}, {"model", counts_json(model)}, {"diagnostics", to_json(found)}});
    return k_ok;
  }
  print_diagnostics(found, true);
  int warnings = 0;
  for (const Diagnostic& d : found) warnings += d.severity == Severity::warning ? 1 : 0;
  print(fmt::format("{}: ok, {} warning{}; {} links, {} joints, nq {}, nv {}, {:.6g} kg\n", a.file, warnings,
                    warnings == 1 ? "" : "s", model.links().size(), model.joints().size(), model.nq(), model.nv(),
                    model.mass()));
  return k_ok;
}

int run_inverse_dynamics(const Arguments& a, Diagnostics& found) {
  const Model model = load_robot(a, found);
  Data data(model);
  const Eigen::VectorXd q = vector_of(model, VectorKind::configuration, "--q", a.q);
  const Eigen::VectorXd v = vector_of(model, VectorKind::velocity, "--v", a.v);
  const Eigen::VectorXd acceleration = vector_of(model, VectorKind::acceleration, "--a", a.a);
  return show(a, model, "tau", "torque [N m, N]", inverse_dynamics(model, data, q, v, acceleration), found);
}

int run_forward_dynamics(const Arguments& a, Diagnostics& found) {
  const Model model = load_robot(a, found);
  Data data(model);
  const Eigen::VectorXd q = vector_of(model, VectorKind::configuration, "--q", a.q);
  const Eigen::VectorXd v = vector_of(model, VectorKind::velocity, "--v", a.v);
  const Eigen::VectorXd tau = vector_of(model, VectorKind::torque, "--tau", a.tau);
  return show(a, model, "qdd", "acceleration [rad/s², m/s²]", forward_dynamics(model, data, q, v, tau), found);
}

int run_solve(const Arguments& a, Diagnostics& found) {
  Problem problem = read_problem(a, load_options(a), found);
  if (!a.json) print_diagnostics(found, false);
  const SolveInput input{.q = problem.q, .v = problem.v, .tau = problem.tau, .external = &problem.external};
  const bool all = problem.settings.method == "all";
  const std::vector<MethodResult> results = all ? compare_methods(problem, input) : std::vector<MethodResult>();
  bool agree = true;
  for (const MethodResult& m : results)
    agree = agree && m.status == results.front().status && m.difference <= k_agreement;

  Solver solver(problem.model, problem.constraints, problem.settings);
  const Solution& s = solver.solve(input);
  if (a.json) {
    Document document = solution_json(problem, s);
    if (all) document["methods"] = methods_json(results);
    if (!agree) document["status"] = "methods_disagree";
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else {
    print(solution_table(problem, s) + (all ? '\n' + methods_table(results) : std::string()));
    if (!agree) std::fputs("zwang: the methods do not agree\n", stderr);
  }
  return s.report.status != Status::ok ? k_not_ok : agree ? k_ok : k_disagree;
}

}  // namespace zwang::cli
