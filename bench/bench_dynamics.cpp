// SPDX-License-Identifier: BSD-3-Clause
// ns per call of the hot algorithms on the robots of models/ and, where they are there, of
// ../shared/robots, for tools that read Google Benchmark. States are random and change with every call.
// `zwang bench` compares with other libraries.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "zwang/core/random.hpp"
#include "zwang/zwang.hpp"

namespace {

constexpr int k_states = 128;
const zwang::JointEffects k_plain{.armature = true, .damping = false, .springs = false, .friction = false};

/// A robot with its states, workspaces and six rows on a frame.
struct Case {
  Case(const std::string& file, const std::string& root, const std::string& frame, zwang::Diagnostics&& found = {})
      : model(zwang::load(file, options(root), &found)),
        data(model),
        set(rows_on(model, frame)),
        solver(model, set, settings()) {
    zwang::Random random(11, 3);
    for (int i = 0; i < k_states; ++i) {
      q.push_back(zwang::random(model, static_cast<std::uint64_t>(i)));
      for (std::vector<Eigen::VectorXd>* x : {&v, &a, &tau}) {
        x->emplace_back(model.nv());
        for (double& e : x->back()) e = random.uniform(-2, 2);
      }
    }
    M.resize(model.nv(), model.nv());
  }
  static zwang::LoadOptions options(const std::string& root) {
    zwang::LoadOptions o;
    o.root = root;
    return o;
  }
  static zwang::ConstraintSet rows_on(const zwang::Model& model, const std::string& frame) {
    zwang::ConstraintSet set(model);
    set.add(zwang::FrameConstraint{
        .name = "tool", .frame = frame, .in = "local_world_aligned", .beta = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6}});
    return set;
  }
  static zwang::SolverSettings settings() {
    zwang::SolverSettings s;
    s.joint_effects = k_plain;
    return s;
  }
  zwang::Model model;
  zwang::Data data;
  zwang::ConstraintSet set;
  zwang::Solver solver;
  std::vector<Eigen::VectorXd> q, v, a, tau;
  Eigen::MatrixXd M;
  const zwang::Externals none;
};

template <class Call> void time(const std::string& name, const std::shared_ptr<Case>& c, Call call) {
  benchmark::RegisterBenchmark(name.c_str(), [c, call](benchmark::State& state) {
    int i = 0;
    for (auto _ : state) {
      call(*c, i);
      i = (i + 1) % k_states;
    }
  });
}

void add(const std::string& label, const std::string& file, const std::string& root, const std::string& frame) {
  if (!std::filesystem::exists(file)) {
    std::printf("skipped %s: %s is absent\n", label.c_str(), file.c_str());
    return;
  }
  const auto c = std::make_shared<Case>(file, root, frame);
  time(label + "/fk", c, [](Case& x, int i) { zwang::forward_kinematics(x.model, x.data, x.q[i]); });
  time(label + "/rnea", c,
       [](Case& x, int i) { zwang::inverse_dynamics(x.model, x.data, x.q[i], x.v[i], x.a[i], x.none, k_plain); });
  time(label + "/aba", c,
       [](Case& x, int i) { zwang::forward_dynamics(x.model, x.data, x.q[i], x.v[i], x.tau[i], x.none, k_plain); });
  time(label + "/crba", c, [](Case& x, int i) { zwang::mass_matrix(x.model, x.data, x.q[i], x.M, k_plain); });
  time(label + "/hybrid_6_rows", c,
       [](Case& x, int i) { x.solver.solve({.q = x.q[i], .v = x.v[i], .tau = x.tau[i]}); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string own = ZWANG_MODELS, shared = ZWANG_SHARED_ROBOTS;
  add("arm7", own + "/arm7.urdf", "fixed", "tool0");
  add("quadruped", own + "/quadruped.urdf", "floating", "LF_foot");
  add("humanoid", own + "/humanoid.urdf", "floating", "left_foot");
  add("ur5", shared + "/ur5.urdf", "fixed", "tool0");
  add("panda", shared + "/panda.urdf", "fixed", "panda_link8");
  add("solo12", shared + "/solo12.urdf", "floating", "FL_FOOT");
  add("talos_reduced", shared + "/talos_reduced.urdf", "floating", "left_sole_link");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
