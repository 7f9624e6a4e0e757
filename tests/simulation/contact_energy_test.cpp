// SPDX-License-Identifier: BSD-3-Clause
// Energy of twenty scenes without restitution: no step makes any; and what rests stays where it is. With
// ZWANG_WHOLE_TABLE 1e5 steps each, and a table (docs/contact-in-time.md); else 200.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "simulation/scenery.hpp"
#include "support/random.hpp"
#include "zwang/io/load.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

struct Drawn {
  std::string name;
  Model model;
  Eigen::VectorXd q, v;
  Scene scene;
  double dt = 1e-3;
  double allowed = 1e-12;  ///< of the energy, in a step
  bool rests = false;      ///< from the start
};

class Scenes {
 public:
  const std::vector<Drawn>& all() {
    boxes();
    piles();
    robots();
    return list_;
  }

 private:
  void add(const std::string& name, const std::vector<Loose>& bodies, double mu, double allowed = 1e-12,
           const Vec3<double>& gravity = {0, 0, -k_fall}) {
    const LooseBodies b(bodies, gravity);
    list_.push_back({name, b.model, b.q, b.v, on_ground(b.model, mu), 1e-3, allowed});
  }
  Loose turned(Loose x) {
    x.turned.R = random_.pose().R;
    return x;
  }
  void boxes() {
    const Loose cube = box("box", 1, {0.2, 0.2, 0.2}, {0, 0, 0.1});
    add("box at rest", {cube}, 0.5);
    list_.back().rests = true;
    Loose plate = box("box", 1, {0.4, 0.3, 0.2}, {0, 0, 0.1});
    plate.velocity = {2, 0.5, 0}, plate.turning = {0, 0, 6};
    add("box slides and spins", {plate}, 0.4);
    plate = turned(box("box", 1, {0.4, 0.3, 0.2}, {0, 0, 0.6}));
    plate.velocity = {2, 0.5, -1}, plate.turning = {3, -5, 2};
    add("thrown box", {plate}, 0.5);
    for (const double angle : {0.3, 0.6})
      add(angle < 0.5 ? "incline, sticks" : "incline, slides", {cube}, 0.5, 1e-12,
          {k_fall * std::sin(angle), 0, -k_fall * std::cos(angle)});
    list_[list_.size() - 2].rests = true;
    Loose rod = turned(box("rod", 1, {0.6, 0.05, 0.05}, {0, 0, 0.4}));
    rod.turning = {1, 3, 2};
    add("rod falls on its end", {rod}, 0.9, 1e-10);  // of rk4, by which it turns
    Loose ball_ = ball("ball", 1, 0.1, {0, 0, 0.1});
    ball_.velocity = {1, 0, 0};
    add("ball slides, then rolls", {ball_}, 0.3);
    const LooseBodies b({ball("ball", 1, 0.1, {0, 0.3, 0.45})});
    Scene scene = on_ground(b.model, 0.5);
    SceneShape ramp{.name = "ramp", .solid = Solid::box({1, 0.5, 0.1}), .law = {.friction = 0.5}};
    ramp.pose = {{Vec3<double>{1, 0, 0}, Vec3<double>{0, std::cos(0.4), -std::sin(0.4)},
                  Vec3<double>{0, std::sin(0.4), std::cos(0.4)}},
                 {0, 0.1, 0.15}};
    scene.add_shape(ramp);
    list_.push_back({"ball rolls down a ramp", b.model, b.q, b.v, scene, 1e-3, 1e-11});  // gaps below 1e-9 m are 0
  }
  void piles() {
    const auto tower = [](const std::vector<double>& masses) {
      std::vector<Loose> all;
      for (std::size_t k = 0; k < masses.size(); ++k)
        all.push_back(box("b" + std::to_string(k), masses[k], {0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * double(k)}));
      return all;
    };
    add("stack of ten", tower(std::vector<double>(10, 1)), 0.6);
    list_.back().rests = true;
    add("1 to 1e4 kg on each other", tower({1, 10, 100, 1e3, 1e4}), 0.6);
    list_.back().rests = true;
    std::vector<Loose> all;
    for (int k = 0; k < 14; ++k)
      all.push_back(ball("b" + std::to_string(k), 1 + 7 * k, 0.1,
                         {random_.uniform(-0.05, 0.05), random_.uniform(-0.05, 0.05), 0.3 + 0.25 * k}));
    add("14 balls fall on a heap", all, 0.5);
    list_.back().dt = 2e-3;
    all.clear();
    for (int k = 0; k < 8; ++k)
      all.push_back(turned(box("b" + std::to_string(k), 1, {0.3, 0.2, 0.1},
                               {random_.uniform(-0.05, 0.05), random_.uniform(-0.05, 0.05), 0.3 + 0.35 * k})));
    add("8 boxes fall on a heap", all, 0.5, 1e-3);  // where shapes are taken apart; a note says it
    all.clear();
    for (int k = 0; k < 6; ++k) all.push_back(box("b" + std::to_string(k), 1, {0.02, 0.2, 0.1}, {0.1 * k, 0, 0.05}));
    all[0].turning = {0, 3, 0};
    add("dominoes", all, 0.5);
    add("seesaw on a ball",
        {box("plank", 5, {1, 0.2, 0.05}, {0, 0, 0.225}), ball("pivot", 50, 0.1, {0, 0, 0.1}),
         box("load", 2, {0.1, 0.1, 0.1}, {0.4, 0, 0.3})},
        0.8);
    all.clear();
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4 - k; ++j)
        all.push_back(
            box("b" + std::to_string(4 * k + j), 1, {0.2, 0.2, 0.1}, {0.22 * (j + 0.5 * k), 0, 0.05 + 0.1 * k}));
    add("pyramid of ten", all, 0.6);
    list_.back().rests = true;
    add("two balls, one on the other", {ball("low", 1, 0.1, {0, 0, 0.1}), ball("high", 1, 0.1, {0.001, 0, 0.3})}, 0.7);
  }
  void robots() {
    for (const bool thrown : {false, true}) {
      robot("quadruped.urdf", "floating", 0.6, thrown ? "quadruped thrown" : "quadruped falls");
      if (thrown) list_.back().v.head(6) << 1, 0, 0, 2, -1, 0;
    }
    robot("biped.xml", "floating", 1, "biped falls");
    robot("gripper.xml", "automatic", 0, "gripper moves to its stops");
  }
  void robot(const char* file, const char* root, double height, const char* name) {
    LoadOptions options;
    options.root = root;
    const Model m = load(std::string(ZWANG_MODELS "/") + file, options);
    Eigen::VectorXd q = neutral(m);
    if (height > 0) q[2] = height;
    list_.push_back({name, m, q, Eigen::VectorXd::Zero(m.nv()), on_ground(m, 0.7)});
  }

  Random random_{3};
  std::vector<Drawn> list_;
};

TEST(ContactEnergy, NoStepOfTwentyScenesMakesAny) {
  const bool whole = std::getenv("ZWANG_WHOLE_TABLE") != nullptr;
  const int steps = whole ? 100000 : 200;
  const std::vector<Drawn> scenes = Scenes().all();
  ASSERT_EQ(scenes.size(), 20u);
  if (whole)
    std::printf("%-28s %12s %12s %16s %12s %10s %10s\n", "scene", "E [J]", "E at the end", "rise in a step", "overlap",
                "residual", "moved");
  for (const Drawn& x : scenes) {
    Scenery run(x.model, x.q, x.v, x.scene, touching(steps * x.dt, x.dt));
    ASSERT_TRUE(run.begun) << x.name << ": " << run.report().reason;
    const double first = run.state().energy;
    double before = first, rise = 0, size = std::fabs(first);
    while (run.simulator.step()) {
      const double now = run.state().energy;
      size = std::fmax(size, std::fabs(now));
      rise = std::fmax(rise, now - before);
      before = now;
    }
    const double moved = (run.state().q - x.q).cwiseAbs().maxCoeff();
    if (x.rests) { EXPECT_LE(moved, 1e-12) << x.name; }
    const SimulationReport& r = run.report();
    EXPECT_EQ(r.status, Status::ok) << x.name << ": " << r.reason;
    EXPECT_LE(rise, x.allowed * std::fmax(1, size)) << x.name;
    EXPECT_LE(r.contact.penetration, 2e-11) << x.name;
    EXPECT_LE(r.contact.residual, 1e-8) << x.name;
    if (!whole) continue;
    std::printf("%-28s %12.4f %12.4f %16.1e %12.1e %10.1e", x.name.c_str(), first, before, rise, r.contact.penetration,
                r.contact.residual);
    std::printf(x.rests ? " %10.1e\n" : "\n", moved);
  }
}

}  // namespace
}  // namespace zwang::test
