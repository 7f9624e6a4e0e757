// SPDX-License-Identifier: BSD-3-Clause
// The Delassus operator: time of compute and of G by each method on a humanoid with six rows on each foot and hand, and
// how it grows with the rows on a chain of 300 joints, three rows on every k-th body.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "zwang/factor/delassus.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace {

struct Case {
  Case(const zwang::Model& m, const std::vector<std::string>& frames, const char* words)
      : model(m),
        set(m),
        q(zwang::random(m, 2)) {
    for (const std::string& frame : frames) {
      zwang::FrameConstraint c{.name = frame, .frame = frame};
      c.rows = zwang::rows(words);
      set.add(c);
    }
    G.resize(set.rows(), set.rows());
    x = y = Eigen::VectorXd::Ones(set.rows());
    delassus = std::make_unique<zwang::Delassus>(model, set);
    delassus->compute(q);
  }
  zwang::Model model;
  zwang::ConstraintSet set;
  std::unique_ptr<zwang::Delassus> delassus;
  Eigen::VectorXd q, x, y;
  Eigen::MatrixXd G;
};

template <class Call> void time(const std::string& name, const std::shared_ptr<Case>& c, Call call) {
  benchmark::RegisterBenchmark(name.c_str(), [c, call](benchmark::State& state) {
    for (auto _ : state) call(*c, *c->delassus);
    state.counters["rows"] = c->set.rows();
  });
}

void add(const std::string& label, const std::shared_ptr<Case>& c) {
  using zwang::Delassus;
  using zwang::DelassusMethod;
  time(label + "/compute", c, [](Case& x, Delassus& d) { d.compute(x.q); });
  for (const DelassusMethod method : {DelassusMethod::pv_osimr, DelassusMethod::efpa, DelassusMethod::dense})
    time(label + "/matrix_" + name_of(method), c, [=](Case& x, Delassus& d) { d.matrix(x.G, method); });
  time(label + "/apply", c, [](Case& x, Delassus& d) { d.apply(x.x, x.y); });
  time(label + "/solve_factored", c, [](Case& x, Delassus& d) { d.solve(x.x, 1e-3, x.y); });
  time(label + "/compute_and_solve", c, [](Case& x, Delassus& d) {
    d.compute(x.q);
    d.solve(x.x, 1e-3, x.y);
  });
  time(label + "/compute_and_damped_inverse", c, [](Case& x, Delassus& d) {
    d.compute(x.q);
    d.damped_inverse(1e-6, x.G);
  });
}

std::shared_ptr<Case> humanoid(const std::string& file, const std::vector<std::string>& frames) {
  zwang::LoadOptions options;
  options.root = "floating";
  options.resolve_meshes = false;
  return std::make_shared<Case>(zwang::load(file, options), frames, "all");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string talos = std::string(ZWANG_SHARED_ROBOTS) + "/talos_reduced.urdf";
  if (std::filesystem::exists(talos))
    add("talos_reduced",
        humanoid(talos, {"left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link"}));
  else
    std::printf("skipped talos_reduced: %s is absent\n", talos.c_str());
  add("humanoid",
      humanoid(std::string(ZWANG_MODELS) + "/humanoid.urdf", {"left_foot", "right_foot", "left_hand", "right_hand"}));
  for (const int every : {100, 30, 10, 3}) {
    std::vector<std::string> frames;
    for (int k = every; k <= 300; k += every) frames.push_back("link" + std::to_string(k));
    add("chain300/every_" + std::to_string(every),
        std::make_shared<Case>(zwang::build(zwang::sample_chain(300)), frames, "linear"));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
