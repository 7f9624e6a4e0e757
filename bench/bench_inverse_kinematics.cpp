// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of arms: 10 000 random reachable poses each (fewer with --benchmark_min_time below 0.01), from a
// seed in the middle and a random one; targets with joints on limits and at singular angles; targets out of reach. A
// table before the programs of Google Benchmark: misses, median, 99 %, maximum of single calls. Each call is timed
// three times and the least counts, so that other programs do not show.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numbers>

#include "zwang/algorithm/kinematics.hpp"
#include "zwang/batch/batch_inverse_kinematics.hpp"
#include "zwang/core/random.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"

namespace {

using zwang::Index;
constexpr double k_pi = std::numbers::pi;

struct Arm {
  const char *name, *file, *base, *tip;
};
constexpr Arm k_arms[] = {{"panda", "panda", "panda_link0", "panda_hand_tcp"},
                          {"ur5", "ur5", "base_link", "tool0"},
                          {"kinova", "kinova", "base", "j2s6s200_end_effector"},
                          {"pr2", "pr2", "torso_lift_link", "r_gripper_tool_frame"},
                          {"tiago", "tiago", "torso_lift_link", "arm_tool_link"},
                          {"pr2 with torso", "pr2", "base_footprint", "r_gripper_tool_frame"}};
enum class Targets { random, on_limits, singular, out_of_reach };
constexpr const char* k_words[] = {"random", "on limits", "singular", "out of reach"};

struct Case {
  Case(const Arm& arm, const zwang::Model& m) : name(arm.name), base(arm.base), tip(arm.tip), model(m), data(m) {
    zwang::SerialInverseKinematicsSettings settings;
    settings.tolerance = settings.angle_tolerance = 1e-5;
    ik = std::make_unique<zwang::SerialInverseKinematics>(model, arm.base, arm.tip, settings);
    for (const Index v : ik->coordinates())
      for (const zwang::Joint& j : model.joints())
        if (j.v.size == 1 && j.v.first == v && j.mimic.leader.empty()) at.push_back(j.q.first);
  }
  double low(Index k) const { return limit(model.lower(), k, -k_pi); }
  double high(Index k) const { return limit(model.upper(), k, k_pi); }
  static double limit(const std::vector<double>& of, Index k, double otherwise) {
    const double x = of[static_cast<std::size_t>(k)];
    return std::isfinite(x) ? x : otherwise;
  }
  Eigen::VectorXd draw(zwang::Random& random, Targets how) const {
    Eigen::VectorXd q = zwang::neutral(model);
    for (const Index k : at) {
      const double u = random.uniform(), x = random.uniform(low(k), high(k));
      q(k) = x;
      if (how == Targets::on_limits && u < 0.3) q(k) = u < 0.15 ? low(k) : high(k);
      if (how == Targets::singular && u < 0.4)
        q(k) = std::clamp(std::round(x / (k_pi / 2)) * (k_pi / 2), low(k), high(k));
    }
    return q;
  }
  Eigen::VectorXd middle() const {
    Eigen::VectorXd q = zwang::neutral(model);
    for (const Index k : at) q(k) = 0.5 * (low(k) + high(k));
    return q;
  }
  zwang::Transform<double> target(const Eigen::VectorXd& q) { return relative_pose(model, data, q, tip, base); }

  std::string name, base, tip;
  zwang::Model model;
  zwang::Data data;
  std::unique_ptr<zwang::SerialInverseKinematics> ik;
  std::vector<Index> at;
};

bool met(Case& c, const Eigen::VectorXd& q, const zwang::Transform<double>& wanted) {
  const zwang::Transform<double> X = c.target(q);
  const zwang::Mat3<double> D = wanted.R * transpose(X.R);
  bool in = true;
  for (int i = 0; i < 3; ++i) in = in && std::fabs(X.p[i] - wanted.p[i]) <= 1.000001e-5;
  const double turn[3] = {0.5 * (D(2, 1) - D(1, 2)), 0.5 * (D(0, 2) - D(2, 0)), 0.5 * (D(1, 0) - D(0, 1))};
  for (const double t : turn) in = in && std::fabs(t) <= 1.000001e-5;
  for (Index k = 0; k < c.model.nq(); ++k)
    in = in && !(q(k) < c.model.lower()[static_cast<std::size_t>(k)]) &&
         !(q(k) > c.model.upper()[static_cast<std::size_t>(k)]);
  return in && D(0, 0) + D(1, 1) + D(2, 2) > 0;
}

double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void row(Case& c, Targets how, bool random_seed, int poses) {
  std::vector<double> times;
  int missed = 0, most = 0;
  for (int k = 0; k < poses; ++k) {
    zwang::Random random(1234, static_cast<std::uint64_t>(k));
    zwang::Transform<double> wanted = c.target(c.draw(random, how));
    if (how == Targets::out_of_reach) wanted.p.x += wanted.p.x > 0 ? 1.5 : -1.5;
    const Eigen::VectorXd seed = random_seed ? c.draw(random, Targets::random) : c.middle();
    double least = 1e300;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double begin = now();
      c.ik->solve(wanted, seed);
      least = std::min(least, now() - begin);
    }
    const zwang::SerialSolution& x = c.ik->solve(wanted, seed);
    times.push_back(least);
    most = std::max(most, x.descents);
    missed += how == Targets::out_of_reach ? x.status != zwang::PoseStatus::nearest_found || x.gradient > 1e-9
                                           : x.status != zwang::PoseStatus::ok || !met(c, x.q, wanted);
  }
  std::sort(times.begin(), times.end());
  const auto part = [&](double p) {
    return times[static_cast<std::size_t>(p * (static_cast<double>(times.size()) - 1))];
  };
  std::printf("%-15s %-13s %-7s missed %3d   median %6.2f  99 %% %7.2f  maximum %7.1f us   descents <= %d\n",
              c.name.c_str(), k_words[static_cast<int>(how)], random_seed ? "random" : "middle", missed, part(0.5),
              part(0.99), part(1), most);
}

/// Mean time of a pose where many are solved at once, on one thread.
void many(Case& c, int poses) {
  const zwang::Model& m = c.model;
  zwang::InverseKinematicsSettings settings;
  settings.tolerance = 1e-5;
  zwang::BatchInverseKinematics batch(m, {{c.tip}}, nullptr, settings, {.threads = 1});
  std::vector<zwang::Transform<double>> targets;
  Eigen::MatrixXd random_seeds(m.nq(), poses), q(m.nq(), poses);
  for (int k = 0; k < poses; ++k) {
    zwang::Random random(1234, static_cast<std::uint64_t>(k));
    targets.push_back(frame_pose(m, c.data, c.draw(random, Targets::random), c.tip));
    random_seeds.col(k) = c.draw(random, Targets::random);
  }
  for (const bool random_seed : {false, true}) {
    const Eigen::MatrixXd seeds = random_seed ? random_seeds : Eigen::MatrixXd(c.middle());
    double least = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double begin = now();
      batch.solve(targets, seeds, q);
      least = std::min(least, now() - begin);
    }
    std::printf("%-15s %d at once    %-7s mean %6.2f us\n", c.name.c_str(), poses, random_seed ? "random" : "middle",
                least / poses);
  }
}

/// Several tips of one robot by one call of InverseKinematics.
void several_tips(const char* file_name, const std::vector<std::string>& tips, int poses) {
  const std::string file = std::string(ZWANG_SHARED_ROBOTS) + "/" + file_name + ".urdf";
  if (!std::filesystem::exists(file)) return;
  zwang::LoadOptions options;
  options.root = "fixed";
  options.resolve_meshes = false;
  const zwang::Model model = zwang::load(file, options);
  zwang::Data data(model);
  std::vector<zwang::PoseTarget> targets;
  for (const std::string& tip : tips) targets.push_back({tip});
  zwang::InverseKinematicsSettings settings;
  settings.tolerance = 1e-5;
  zwang::InverseKinematics ik(model, targets, nullptr, settings);
  std::vector<zwang::Transform<double>> wanted(tips.size());
  const Eigen::VectorXd neutral = zwang::neutral(model);
  Eigen::VectorXd middle = neutral;
  for (Index k = 0; k < model.nq(); ++k) {
    const double m = 0.5 * (model.lower()[static_cast<std::size_t>(k)] + model.upper()[static_cast<std::size_t>(k)]);
    if (std::isfinite(m)) middle(k) = m;
  }
  for (const bool random_seed : {false, true}) {
    std::vector<double> times;
    int missed = 0, most = 0;
    for (int k = 0; k < poses; ++k) {
      const Eigen::VectorXd q = zwang::random(model, static_cast<std::uint64_t>(k));
      const Eigen::VectorXd seed = random_seed ? zwang::random(model, static_cast<std::uint64_t>(k + 1000000)) : middle;
      for (std::size_t t = 0; t < tips.size(); ++t) wanted[t] = frame_pose(model, data, q, tips[t]);
      double least = 1e300;
      for (int repeat = 0; repeat < 3; ++repeat) {
        const double begin = now();
        ik.solve(wanted, seed);
        least = std::min(least, now() - begin);
      }
      const zwang::InverseKinematicsSolution& x = ik.solve(wanted, seed);
      times.push_back(least);
      most = std::max(most, x.iterations);
      bool good = x.status == zwang::PoseStatus::ok;
      for (std::size_t t = 0; t < tips.size() && good; ++t) {
        const zwang::Transform<double> X = frame_pose(model, data, x.q, tips[t]);
        good = norm(X.p - wanted[t].p) <= 2e-5 && norm(X.R.r0 - wanted[t].R.r0) + norm(X.R.r1 - wanted[t].R.r1) <= 1e-4;
      }
      for (Index i = 0; i < model.nq(); ++i)
        good = good && !(x.q(i) < model.lower()[static_cast<std::size_t>(i)]) &&
               !(x.q(i) > model.upper()[static_cast<std::size_t>(i)]);
      missed += !good;
    }
    std::sort(times.begin(), times.end());
    const auto part = [&](double p) {
      return times[static_cast<std::size_t>(p * (static_cast<double>(times.size()) - 1))];
    };
    std::printf("%-15s %zu tips        %-7s missed %3d   median %6.2f  99 %% %7.2f  maximum %7.1f us   looks <= %d\n",
                file_name, tips.size(), random_seed ? "random" : "middle", missed, part(0.5), part(0.99), part(1),
                most);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int poses = 10000;
  for (int k = 1; k < argc; ++k)
    if (const char* const text = std::strstr(argv[k], "min_time="); text != nullptr && std::atof(text + 9) < 0.01)
      poses = 100;
  several_tips("pr2", {"r_gripper_tool_frame", "l_gripper_tool_frame"}, poses);
  several_tips("talos_reduced", {"gripper_left_base_link", "gripper_right_base_link"}, poses);
  several_tips("talos_reduced",
               {"gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link"}, poses);
  for (const Arm& arm : k_arms) {
    const std::string file = std::string(ZWANG_SHARED_ROBOTS) + "/" + arm.file + ".urdf";
    if (!std::filesystem::exists(file)) {
      std::printf("skipped %s: %s is absent\n", arm.name, file.c_str());
      continue;
    }
    zwang::LoadOptions options;
    options.root = "fixed";
    options.resolve_meshes = false;
    const auto c = std::make_shared<Case>(arm, zwang::load(file, options));
    for (const Targets how : {Targets::random, Targets::on_limits, Targets::singular})
      for (const bool random_seed : {false, true}) row(*c, how, random_seed, poses);
    row(*c, Targets::out_of_reach, false, poses / 10);
    many(*c, poses);
    benchmark::RegisterBenchmark((std::string(arm.name) + "/construct").c_str(), [c](benchmark::State& state) {
      for (auto _ : state) zwang::SerialInverseKinematics(c->model, c->base, c->tip);
    });
    benchmark::RegisterBenchmark((std::string(arm.name) + "/velocity").c_str(), [c](benchmark::State& state) {
      const Eigen::VectorXd q = c->middle(), none;
      const zwang::Motion<double> twist{{0.1, 0.2, -0.1}, {0.3, 0, 0.2}};
      const zwang::SerialVelocitySettings limits;
      for (auto _ : state) benchmark::DoNotOptimize(c->ik->velocity(q, twist, limits, none, none).error);
    });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
