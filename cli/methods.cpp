// SPDX-License-Identifier: BSD-3-Clause
#include "methods.hpp"

#include <algorithm>
#include <chrono>

#include "zwang/core/error.hpp"

namespace zwang::cli {
namespace {

/// Two methods that differ by more than this, relative to the largest acceleration, do not agree.
constexpr double k_agreement = 1e-8;
constexpr int k_batches = 31;

/// Largest |a - b| over the largest |b|.
double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (b.size() == 0) return 0;
  const double largest = (a - b).cwiseAbs().maxCoeff(), scale = b.cwiseAbs().maxCoeff();
  return scale > 0 ? largest / scale : largest;
}

/// Microseconds of one solve: the median over batches, each long enough for the clock.
double time_of(Solver& solver, const SolveInput& input) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&](int repeat) {
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < repeat; ++k) solver.solve(input);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / repeat;
  };
  batch(1);  // caches
  const int repeat = static_cast<int>(std::clamp(500 / std::max(batch(1), 0.05), 1.0, 1000.0));
  std::vector<double> times;
  double total = 0;
  while (times.size() < k_batches && (times.size() < 5 || total < 1e5)) {
    times.push_back(batch(repeat));
    total += times.back() * repeat;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Methods that know one singularity policy: rows for the others would only say so.
bool truncates_only(const std::string& method) { return method != "popov_vereshchagin" && method != "pv_early"; }

MethodResult result_of(const Problem& problem, const SolverSettings& settings) {
  MethodResult r{.method = settings.method, .singularity = name_of(settings.singularity)};
  try {
    Solver solver(problem.model, problem.constraints, settings);
    const Solution& s = solver.solve(problem.input());
    r.status = s.report.status;
    r.rank = s.report.rank;
    r.rows = s.report.rows;
    r.iterations = s.report.iterations;
    r.residual = s.report.residual;
    r.zwang = s.zwang;
    r.acceleration = s.acceleration;
    r.microseconds = time_of(solver, problem.input());
  } catch (const UnsupportedError& error) { r.refused = error.what(); }
  return r;
}

bool same(const MethodResult& a, const MethodResult& b) {
  if (a.status != b.status) return false;
  return a.status == Status::not_converged || difference(b.acceleration, a.acceleration) <= k_agreement;
}

}  // namespace

std::vector<MethodResult> compare_methods(const Problem& problem) {
  std::vector<MethodResult> results;
  const MethodResult* first = nullptr;
  const std::vector<std::string> all = methods();
  results.reserve(4 * all.size());  // `first` points into it
  for (const std::string& method : all) {
    if (method == "automatic") continue;
    for (const Singularity policy :
         {Singularity::truncation, Singularity::proximal, Singularity::damping, Singularity::weighted}) {
      if (truncates_only(method) && policy != Singularity::truncation) continue;
      SolverSettings settings = problem.settings;
      settings.method = method;
      settings.singularity = policy;
      results.push_back(result_of(problem, settings));
      MethodResult& r = results.back();
      if (!r.refused.empty()) continue;
      if (first == nullptr) first = &r;
      r.difference = difference(r.acceleration, first->acceleration);
    }
  }
  return results;
}

bool agree(const std::vector<MethodResult>& results) {
  for (const MethodResult& a : results)
    for (const MethodResult& b : results) {
      const bool skip = a.method == "pv_soft" || b.method == "pv_soft" || !a.refused.empty() || !b.refused.empty();
      if (!skip && a.singularity == b.singularity && !same(a, b)) return false;
    }
  return true;
}

}  // namespace zwang::cli
