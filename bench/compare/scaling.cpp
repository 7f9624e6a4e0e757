// SPDX-License-Identifier: BSD-3-Clause
#include "scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "robots.hpp"

namespace zwang::bench {
namespace {

constexpr int k_reference = 30;  ///< joints: costs per joint are compared with that of this size
/// Joints up to which answers that no peer has are compared with those of a slower way, which is of higher order.
constexpr int k_largest_checked = 100;

/// One line of work: which problem, which algorithms.
struct Step {
  const char* family;
  Problem (*make)(int size, int states);
  std::vector<int> sizes;
  std::vector<std::string> algorithms;
};

std::vector<Step> steps(bool quick) {
  const std::vector<std::string> linear = {"fk", "rnea", "aba", "constrained"}, dense = {"cholesky_solve", "minverse"};
  if (quick)
    return {{"chain", chain_problem, {10, 30}, linear},
            {"chain", chain_problem, {30}, {"vjp"}},
            {"comb", comb_problem, {10}, dense},
            {"legs", legs_problem, {0, 2}, {"constrained"}}};
  return {{"chain", chain_problem, {10, 30, 100, 300, 1000}, linear},
          {"comb", comb_problem, {10, 30, 100, 300, 1000}, linear},
          {"chain", chain_problem, {30, 100, 300, 1000}, {"vjp"}},
          {"chain", chain_problem, {30, 100, 256}, dense},
          {"comb", comb_problem, {30, 100, 256}, dense},
          {"legs", legs_problem, {0, 1, 2, 4, 8, 12, 16}, {"constrained"}}};
}

void print(const Row& row, const char* family, int joints, double growth) {
  fmt::print("  {:6s} {:14s} {:6d} {:5d} {:12.0f} {:10.1f} {:>7s}", family, row.task->algorithm, joints, row.rows,
             row.ns, row.ns / joints, std::isnan(growth) ? "" : fmt::format("{:.2f}", growth));
  if (!row.peer.empty() && row.refused.empty() && !row.disagrees)
    fmt::print("   {:5.2f}x {:12.0f} {:9.1e}  {}: {}", row.ratio(), row.peer_ns, row.agreement, row.peer,
               row.peer_algorithm);
  else if (!row.peer.empty() && !row.lacks_algorithm)
    fmt::print("   {}: {}", row.peer, row.disagrees ? fmt::format("disagrees by {:.1e}", row.agreement) : row.refused);
  fmt::print("\n");
}

}  // namespace

Json scaling(const Selection& selection, const std::vector<Plugin>& plugins, const TimingOptions& options,
             std::optional<int> cpu, bool quick, bool table) {
  Json out = Json::array();
  if (table)
    fmt::print("\nscaling\n  {:6s} {:14s} {:>6s} {:>5s} {:>12s} {:>10s} {:>7s}   {:>6s} {:>12s} {:>9s}  {}\n", "family",
               "algorithm", "joints", "rows", "ns", "per joint", "growth", "ratio", "peer ns", "agreement", "peer");
  std::map<std::string, double> reference;
  for (const Step& step : steps(quick))
    for (const int size : step.sizes) {
      Selection s = selection;
      s.modes = {"single"};
      s.scalars = {"double"};
      std::erase_if(s.algorithms = step.algorithms, [&](const std::string& name) {
        const auto& given = selection.algorithms;
        return !given.empty() && std::find(given.begin(), given.end(), name) == given.end();
      });
      if (s.algorithms.empty()) continue;
      const Problem problem = step.make(size, 16);
      s.check = size <= k_largest_checked;
      TimingOptions few = options;
      few.rounds = std::min(few.rounds, 15);
      const Task* last = nullptr;
      for (const Row& row : compare(problem, s, plugins, few, cpu)) {
        const int joints = problem.model.bodies();
        const std::string key = std::string(step.family) + row.task->algorithm;
        if (joints == k_reference) reference[key] = row.ns / joints;
        const double growth = reference.contains(key) ? row.ns / joints / reference[key] : std::nan("");
        const bool first = row.task != last;
        last = row.task;
        if (!first && !row.refused.empty()) continue;
        if (table) print(row, step.family, joints, growth);
        Json x = to_json(row);
        x["family"] = step.family;
        x["joints"] = joints;
        x["ns_per_joint"] = row.ns / joints;
        x["growth"] = std::isnan(growth) ? Json(nullptr) : Json(growth);
        out.push_back(x);
      }
    }
  return out;
}

}  // namespace zwang::bench
