// SPDX-License-Identifier: BSD-3-Clause
// How hybrid dynamics grows: ns per joint of chains of n revolute joints, with six rows at the tip, with rows
// on many bodies eliminated early or as stiff as they are heavy, with prescribed joints, of combs, of rings
// closed by a loop and of ladders with a rung on every fifth pair of links. The counter `per_joint` is what
// stays the same where the cost is linear.
#include <benchmark/benchmark.h>

#include <memory>

#include "zwang/core/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace {

enum class Rows { none, tip, many, many_whole, ring, rungs, linkages };
enum class Shape { chain, comb, ladder };

std::string link(int k) { return "link" + std::to_string(k); }

zwang::RobotDescription robot(int n, Shape shape) {
  zwang::RobotDescription d = zwang::sample_chain(n);
  if (shape == Shape::comb)  // a spine with a tooth on every link
    for (int k = 3; k <= n; ++k) d.joints[static_cast<std::size_t>(k) - 1].parent = link(k % 2 == 0 ? k - 1 : k - 2);
  if (shape == Shape::ladder) {
    zwang::JointDescription& second = d.joints[static_cast<std::size_t>(n) / 2];
    second.parent = d.joints[0].parent;
    second.origin.p.x += 0.3;
  }
  return d;
}

struct Case {
  Case(int n, Rows rows, const char* method, int prescribed_every, Shape shape = Shape::chain)
      : model(zwang::build(robot(n, shape))),
        set(model) {
    zwang::Random random(5, static_cast<std::uint64_t>(n));
    const auto add = [&](int link, const char* words) {
      zwang::FrameConstraint c{.name = "on" + std::to_string(link), .frame = "link" + std::to_string(link)};
      c.rows = zwang::rows(words);
      set.add(c);
    };
    if (rows == Rows::tip) add(n, "all");
    if (rows == Rows::many || rows == Rows::many_whole)
      for (int k = 10; k <= n; k += 10) add(k, rows == Rows::many ? "linear" : "all");
    const auto tie = [&](int a, int b, const char* words) {
      set.add(zwang::LoopConstraint{.name = link(a), .frame = link(a), .other = link(b), .rows = zwang::rows(words)});
    };
    if (rows == Rows::ring) tie(1, n, "all");
    if (rows == Rows::rungs)
      for (int k = 5; k <= n / 2; k += 5) tie(k, k + n / 2, "linear");
    if (rows == Rows::linkages)  // a rod across three joints, on every tenth body
      for (int k = 10; k <= n; k += 10)
        set.add(zwang::DistanceConstraint{.name = "rod" + std::to_string(k),
                                          .frame = "link" + std::to_string(k - 3),
                                          .point = {0, 0.1, 0},
                                          .other = "link" + std::to_string(k),
                                          .other_point = {0, 0.2, 0.1},
                                          .length = 0.7});
    for (int k = 1; prescribed_every > 0 && k <= n; k += prescribed_every)
      zwang::prescribe(model, prescribed, "joint" + std::to_string(k), {0.5});
    zwang::SolverSettings settings;
    settings.method = method;
    solver = std::make_unique<zwang::Solver>(model, set, settings);
    q = zwang::random(model, 2);
    v = tau = Eigen::VectorXd(n);
    for (int k = 0; k < n; ++k) {
      v(k) = random.uniform(-0.1, 0.1);
      tau(k) = random.uniform(-1, 1);
    }
  }
  zwang::Model model;
  zwang::ConstraintSet set;
  std::unique_ptr<zwang::Solver> solver;
  zwang::Prescribed prescribed;
  Eigen::VectorXd q, v, tau;
};

void add(const std::string& name, Rows rows, const char* method, int prescribed_every, Shape shape = Shape::chain) {
  for (const int n : {30, 100, 300, 1000})
    benchmark::RegisterBenchmark((name + "/" + std::to_string(n)).c_str(), [=](benchmark::State& state) {
      Case c(n, rows, method, prescribed_every, shape);
      const zwang::SolveInput in{.q = c.q, .v = c.v, .tau = c.tau, .external = nullptr, .prescribed = &c.prescribed};
      if (c.solver->solve(in).report.status != zwang::Status::ok) return state.SkipWithError("not solved");
      for (auto _ : state) benchmark::DoNotOptimize(c.solver->solve(in).zwang);
      state.counters["per_joint"] = benchmark::Counter(
          static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    });
}

}  // namespace

int main(int argc, char** argv) {
  add("no_rows", Rows::none, "automatic", 0);
  add("tip_6_rows", Rows::tip, "popov_vereshchagin", 0);
  add("tip_6_rows_early", Rows::tip, "pv_early", 0);
  add("tip_6_rows_half_prescribed", Rows::tip, "popov_vereshchagin", 2);
  add("many_rows_early", Rows::many, "pv_early", 0);
  add("many_rows_stiff", Rows::many, "constrained_aba", 0);
  add("many_whole_stiff", Rows::many_whole, "constrained_aba", 0);
  add("comb_early", Rows::many, "pv_early", 0, Shape::comb);
  add("comb_stiff", Rows::many, "constrained_aba", 0, Shape::comb);
  add("linkages_stiff", Rows::linkages, "loop_aba", 0);
  add("comb_linkages_stiff", Rows::linkages, "loop_aba", 0, Shape::comb);
  add("ring", Rows::ring, "loop_aba", 0);
  add("ladder", Rows::rungs, "loop_aba", 0, Shape::ladder);
  add("linkages_where_met", Rows::linkages, "bbo", 0);
  add("linkages_to_root", Rows::linkages, "popov_vereshchagin", 0);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
