// SPDX-License-Identifier: BSD-3-Clause
// Sample and random robots: the same for the same seed, physically possible, of every type.
#include "zwang/model/sample.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <set>

#include "model/plain_model.hpp"
#include "zwang/model/check.hpp"

namespace zwang {
namespace {

/// A number that changes with anything a robot is.
double digest(const RobotDescription& r) {
  double sum = 0, weight = 1;
  const auto add = [&](double x) { sum += (weight += 0.37) * x; };
  for (const LinkDescription& l : r.links)
    for (const double x : {l.mass, l.centre.x, l.centre.y, l.inertia.xx, l.inertia.yz, l.inertia.zz}) add(x);
  for (const JointDescription& j : r.joints) {
    for (const char c : j.type + j.parent + j.mimic.leader) add(c);
    for (const double x : {j.origin.p.x, j.origin.R.r1.z, j.axis.y, j.mimic.multiplier, j.mimic.offset}) add(x);
    for (const auto* v : {&j.parameters, &j.lower, &j.damping, &j.rotor_inertia, &j.stiffness}) {
      add(static_cast<double>(v->size()));
      for (const double x : *v) add(x);
    }
    for (const JointPart& p : j.parts) add(p.origin.p.y + static_cast<double>(p.type.size()));
  }
  return sum;
}

TEST(RandomRobot, IsTheSameForTheSameSeedAndDiffersForAnother) {
  std::set<double> digests;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(digest(random_robot(seed)), digest(random_robot(seed)));
    digests.insert(digest(random_robot(seed)));
  }
  EXPECT_EQ(digests.size(), 50u);
}

// The order of the draws is the library's, not the compiler's: of `direction() * length()` g++ for x86-64 evaluates the
// right operand first, g++ for arm64 and clang the left one. Types are named, so that a new one changes nothing here; a
// digest adds some 1e3 terms, each of a few roundings.
TEST(RandomRobot, IsTheSameWithEveryCompiler) {
  RandomRobot options;
  options.types = {"revolute", "prismatic", "helical", "ellipsoid", "floating"};
  const double expected[3] = {2783297.9507589061, 2802330.9500503624, 2715438.6292808307};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_NEAR(digest(random_robot(seed, options)), expected[seed], 1e3 * 2.3e-16 * expected[seed]) << "seed " << seed;
  }
}

TEST(RandomRobot, HasInertiasThatARigidBodyCanHave) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const LinkDescription& l : random_robot(seed).links) {
      const Eigen::Vector3d m =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(plain::eigen(full(l.inertia))).eigenvalues();
      EXPECT_GT(m[0], 0);
      EXPECT_GT(m[0] + m[1], m[2]);
      EXPECT_GT(l.mass, 0);
    }
  }
}

TEST(RandomRobot, BuildsWithoutAWarningInStrictMode) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomRobot options;
    options.joints = static_cast<int>(seed % 40);
    options.mimic = 0.5;
    const char* roots[3] = {"fixed", "floating", "planar"};
    options.root = roots[seed % 3];
    options.user = {user_joint<plain::Rolling>()};
    BuildOptions strict;
    strict.mode = Mode::strict;
    const RobotDescription r = random_robot(seed, options);
    for (const Diagnostic& d : check(r, strict)) EXPECT_NE(d.severity, Severity::error) << seed << ": " << d.text();
    EXPECT_NO_THROW(build(r, strict)) << seed;
  }
}

TEST(RandomRobot, HoldsMimicsOfEveryKind) {
  int ancestor = 0, descendant = 0, elsewhere = 0, chains = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomRobot options;
    options.mimic = 0.5;
    options.joints = 30;
    const RobotDescription r = random_robot(seed, options);
    const Model m = build(r);
    for (const JointDescription& j : r.joints) {
      if (j.mimic.leader.empty()) continue;
      const Tree<double>& t = m.tree<double>();
      const Index follower = m.joint(j.name).body.value, leader = m.joint(j.mimic.leader).body.value;
      if (leader < follower && follower < t.body[leader].last)
        ++ancestor;
      else if (follower < leader && leader < t.body[follower].last)
        ++descendant;
      else
        ++elsewhere;
      chains += m.joint(j.mimic.leader).mimic.leader.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(ancestor, 20);
  EXPECT_GT(descendant, 20);
  EXPECT_GT(elsewhere, 20);
  EXPECT_GT(chains, 20);
}

TEST(Sample, EveryOneBuildsInStrictMode) {
  const Index nv[] = {12, 7, 12, 2, 2};
  const std::vector<std::string> names = sample_names();
  BuildOptions strict;
  strict.mode = Mode::strict;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Model m = build(sample(names[i]), strict);
    EXPECT_EQ(m.name(), names[i]);
    if (i < std::size(nv)) { EXPECT_EQ(m.nv(), nv[i]) << names[i]; }
  }
  EXPECT_THROW(sample("quadrupet"), std::invalid_argument);
  BuildOptions floating;
  floating.root = "floating";
  EXPECT_EQ(build(sample_quadruped(), floating).nv(), 18);
  EXPECT_EQ(build(sample_quadruped()).frame("LF_foot").body, build(sample_quadruped()).link("LF_shank").body);
}

TEST(Sample, TheZooHoldsEveryType) {
  const RobotDescription zoo = sample_zoo();
  std::set<std::string> types;
  for (const JointDescription& j : zoo.joints) types.insert(j.type);
  for (const std::string& name : joint_type_names()) EXPECT_TRUE(types.contains(name)) << name;
  EXPECT_TRUE(types.contains("composite") && types.contains("fixed") && types.contains("continuous"));
}

TEST(RandomRobot, TypesThatAreNoneAreRefusedByName) {
  RandomRobot options;
  options.types = {"revolute", "revolut"};
  try {
    random_robot(1, options);
    FAIL() << "an unknown type is taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "E_NAME: there is no joint type named 'revolut'; did you mean 'revolute'?");
  }
  options.types = {};
  options.root = "a";
  EXPECT_THROW(random_robot(1, options), std::invalid_argument);
}

}  // namespace
}  // namespace zwang
