// SPDX-License-Identifier: BSD-3-Clause
// A binding in plain C (consumer.c), which walks the list of algorithms by number on one state and on many, and solves
// and simulates with constraints: each number that it prints is that of C++, to the last bit.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <zwang.h>
#include "support/robots.hpp"
#include "zwang/batch/evaluate.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

#ifdef ZWANG_C_CONSUMER
namespace zwang::test {
namespace {

constexpr int k_states = 7;

void print(std::ostream& to, const std::string& what, const std::string& name, const double* x, std::size_t n) {
  to << what << ' ' << name;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    char text[20];
    std::snprintf(text, sizeof text, " %016llx",
                  static_cast<unsigned long long>(std::isnan(x[i]) ? 0x7ff8000000000000u : bits));
    to << text;
  }
  to << '\n';
}
void print(std::ostream& to, const std::string& what, const std::string& name, const std::vector<double>& x) {
  print(to, what, name, x.data(), x.size());
}

std::vector<double> tangent(int seed, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (2 * static_cast<double>((i * 37 + static_cast<std::size_t>(seed) * 11) % 19) - 19) / 16.0;
  return x;
}
std::vector<double> configuration(const Model& m, int seed) {
  const Eigen::VectorXd q = random(m, static_cast<std::uint64_t>(seed));
  return {q.data(), q.data() + q.size()};
}

AlgorithmOptions options_of(const Algorithm& row, const std::array<FrameId, 2>& frames, int frame_count, int variant) {
  AlgorithmOptions o;
  o.frame = FrameId(frame_count - 1);
  o.seen_from = FrameId(frame_count / 2);
  o.frames = frames;
  o.number = 0.25;
  o.point = {0.1, 0, -0.2};
  o.kind = variant % 2 == 1 ? AccelerationKind::spatial : AccelerationKind::classical;
  o.with_gravity = variant % 2 == 1;
  o.reference = variant < 3 ? static_cast<Reference>(variant) : Reference::local_world_aligned;
  if (variant == 1)
    o.effects = {.armature = false, .damping = false, .springs = false, .friction = true, .gravity_scale = false};
  if (variant == 3 && row.reads(Takes::reference)) o.axes = FrameId(frame_count / 2);
  return o;
}

void walk(std::ostream& to, const Model& m) {
  const int frame_count = static_cast<int>(m.frames().size());
  const std::array<FrameId, 2> frames{FrameId(0), FrameId(frame_count - 1)};
  const std::array<double, 6> six{1, -2, 3, 0.5, -0.25, 0.125};
  Externals push(1);
  push[0].frame = FrameId(frame_count - 1);
  std::copy(six.begin(), six.end(), push[0].wrench);
  push[0].in = Reference::world;
  Batch batch(m, {.threads = 1});
  for (int number = 0; number < zwang_list_size(ZWANG_LIST_ALGORITHM); ++number) {
    const Algorithm& row = algorithm(zwang_list_word(ZWANG_LIST_ALGORITHM, number, nullptr));
    std::vector<StateRows<double>> in;
    for (const Argument& a : row.takes) {
      if (!is_vector(a)) continue;
      const bool q = a.what == Takes::configuration;
      StateRows<double>& x = in.emplace_back(k_states, q ? m.nq() : m.nv());
      for (int s = 0; s < k_states; ++s) {
        const int seed = 10 * static_cast<int>(in.size() - 1) + s;
        const std::vector<double> one = q ? configuration(m, seed) : tangent(seed, static_cast<std::size_t>(m.nv()));
        std::copy(one.begin(), one.end(), x.row(s).data());
      }
    }
    for (int variant = 0; variant < 4; ++variant) {
      const AlgorithmOptions o = options_of(row, frames, frame_count, variant);
      const bool own_gravity = variant == 3 && row.reads(Takes::gravity);
      const bool pushed = variant >= 2 && row.reads(Takes::external);
      Data d(m);
      if (own_gravity) d.set_gravity({0.5, -1, -9});
      Evaluator evaluator(m);
      std::vector<StateRows<double>> out;
      for (const Result& r : row.gives) out.emplace_back(k_states, numbers_of(r.shape, sizes_of(m, o)));
      for (int s = 0; s < k_states; ++s) {
        std::vector<const double*> from;
        std::vector<double*> result;
        for (const StateRows<double>& x : in) from.push_back(x.row(s).data());
        for (StateRows<double>& x : out) result.push_back(x.row(s).data());
        evaluator.run(row, d, from, result, o, pushed ? ExternalsIn(push) : ExternalsIn());
      }
      const std::string name = std::string(row.name) + '/' + std::to_string(variant);
      for (const StateRows<double>& x : out)
        print(to, "one", name, x.row(0).data(), static_cast<std::size_t>(x.cols()));
      if (row.lanes && row.vectors() > 0 && !own_gravity && !o.axes) {
        const std::vector<StatesIn<double>> from(in.begin(), in.end());
        const std::vector<StatesOut<double>> result(out.begin(), out.end());
        const Eigen::Map<const Eigen::VectorXd> wrench(six.data(), 6);
        BatchWrenches<double> external;
        if (pushed) external.push_back({FrameId(frame_count - 1), StatesIn<double>::for_all(wrench), Reference::world});
        batch.run(row, from, result, o, external);
      }
      for (const StateRows<double>& x : out) print(to, "all", name, x.data(), static_cast<std::size_t>(x.size()));
    }
  }
}

void solve(std::ostream& to, const Model& m, const std::string& problem) {
  ConstraintSet set = constraints_from_json(m, problem);
  set.add(FrameConstraint{.name = "last", .frame = m.links().back().name, .rows = rows("angular.x")});
  StateRows<double> q(k_states, m.nq()), v(k_states, m.nv()), a(k_states, m.nv());
  for (int s = 0; s < k_states; ++s) {
    const std::vector<double> own = configuration(m, s), rate = tangent(s, static_cast<std::size_t>(m.nv()));
    std::copy(own.begin(), own.end(), q.row(s).data());
    std::copy(rate.begin(), rate.end(), v.row(s).data());
  }
  const ConstVector q0(q.data(), m.nq()), v0(v.data(), m.nv());
  Solver solver(m, set);
  const Solution& x = solver.solve({.q = q0, .v = v0});
  const auto show = [&](const char* name, const VectorView& view) {
    print(to, "solution", name, view.data(), static_cast<std::size_t>(view.size()));
  };
  show("acceleration", x.acceleration);
  show("multipliers", x.multipliers);
  show("motor_torque", x.motor_torque);
  show("reaction", x.reaction);
  show("articulated_constraint_torque", x.articulated_constraint_torque);
  show("residual", x.residual);
  show("position_error", x.position_error);
  show("velocity_error", x.velocity_error);
  print(to, "report", "residual", {x.report.residual});
  to << x.report.explain() << '\n';
  solver.settings().method = "dense_cod";
  show("dense", solver.solve({.q = q0, .v = v0}).multipliers);
  BatchSolver batch(m, set, {}, {.threads = 1});
  batch.solve({.q = q, .v = v}, {.acceleration = a});
  print(to, "solutions", "acceleration", a.data(), static_cast<std::size_t>(a.size()));
  Simulator motion(m, set,
                   {.time = 0.005, .dt = 0.001, .integrator = Integrator::semi_implicit, .keep = Keep::stabilisation});
  motion.start({.q = q0, .v = v0});
  bool more = true;
  while (more) {
    more = motion.step();
    print(to, "motion", "q", motion.state().q.data(), static_cast<std::size_t>(m.nq()));
  }
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  char piece[4096];
  for (std::size_t n; (n = fread(piece, 1, sizeof piece, pipe)) > 0;) text.append(piece, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

void expect_same(const std::string& robot, const std::string& root, const std::string& problem) {
  const std::string folder = std::string(ZWANG_MODELS) + '/';
  const std::string file = folder + "../tests/c/" + problem;
  const std::string got =
      output_of(std::string(ZWANG_C_CONSUMER) + ' ' + ZWANG_C_LIBRARY + ' ' + folder + robot + ' ' + root + ' ' + file);
  std::ostringstream wanted;
  const Model m = load(folder + robot, {BuildOptions{.root = root}});
  walk(wanted, m);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  solve(wanted, m, text.str());
  std::istringstream ours(got), theirs(wanted.str());
  int lines = 0;
  for (std::string a, b; std::getline(theirs, b); ++lines) {
    ASSERT_TRUE(std::getline(ours, a)) << "the program ends after " << lines << " lines";
    ASSERT_EQ(a, b) << "line " << lines;
  }
  EXPECT_GT(lines, 8 * zwang_list_size(ZWANG_LIST_ALGORITHM));
}

TEST(CConsumer, PrintsTheBitsOfCppForAFloatingRobot) { expect_same("quadruped.urdf", "floating", "standing.json"); }
TEST(CConsumer, PrintsTheBitsOfCppForAnArm) { expect_same("arm7.urdf", "fixed", "holding.json"); }

}  // namespace
}  // namespace zwang::test
#endif
