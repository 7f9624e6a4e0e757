// SPDX-License-Identifier: BSD-3-Clause
// Relations far from the map's origin, where joints lose a coordinate, and under velocities that do not count.
#include <gtest/gtest.h>

#include "constraint/relations.hpp"

namespace zwang::test {
namespace {

struct Ones : CustomRows {
  Index rows() const override { return 1; }
  void evaluate(const double*, const double*, double*, double* J, double*) const override {
    for (int k = 0; k < 18; ++k) J[k] = 1;
  }
};

/// Whatever holds between bodies of one branch does not see where the branch is:
/// bit by bit the same a thousand kilometres away.
TEST(Relations, LoseNothingFarAway) {
  BuildOptions options;
  options.root = "floating";
  const Model m = build(sample("quadruped"), options);
  ConstraintSet set(m);
  const std::string foot = "LF_foot", other = "RH_foot";
  set.add(LoopConstraint{.name = "loop", .frame = foot, .other = other});
  set.add(DistanceConstraint{.name = "rod", .frame = foot, .other = other, .length = 1});
  set.add(RollingConstraint{.name = "ball", .frame = foot, .radius = 0.1, .other = other});
  const std::vector<std::string> legs{m.coordinate_names()[6], m.coordinate_names()[8]};
  set.add(CouplingConstraint{.name = "gear", .coordinates = legs, .ratio = {1, 3}});
  ASSERT_EQ(m.nv(), 18);
  set.add(CustomConstraint{.name = "own", .rows = std::make_shared<Ones>()});
  Data data(m);
  RandomState x = random_state(m, 4);
  std::vector<Said> near;
  for (const Constraint& c : set.constraints()) near.push_back(said_by(m, data, *c.relation, x.q, x.v));
  x.q.head(3) *= 1e6;
  for (std::size_t k = 0; k < near.size(); ++k) {
    SCOPED_TRACE(set.constraints()[k].name);
    const Said far = said_by(m, data, *set.constraints()[k].relation, x.q, x.v);
    EXPECT_EQ((far.jacobian - near[k].jacobian).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ((far.drift - near[k].drift).cwiseAbs().maxCoeff(), 0);
    for (Eigen::Index r = 0; r < far.phi.size(); ++r)
      if (!std::isnan(near[k].phi(r))) { EXPECT_EQ(far.phi(r), near[k].phi(r)); }
  }
}

/// The middle angle of a ZYX joint at a quarter turn: the first and the last axis are one. Their rows vanish there, the
/// middle one stays, and near by all three are exact in the size of their terms.
TEST(Relations, StayFiniteWhereAJointLosesACoordinate) {
  RobotDescription d;
  d.links = {make_link("base", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}),
             make_link("arm", 1, {0.1, 0.2, 0.3}, {1, 0, 0, 1, 0, 1})};
  d.joints = {make_joint("wrist", "spherical_zyx", "base", "arm", {0, 0, 1}, {0.3, -0.2, 0.5})};
  const Case c(d, {}, "wrist");
  ConstraintSet set(c.model);
  for (int k = 0; k < 3; ++k) {
    CouplingConstraint f;
    f.name = std::to_string(k);
    f.coordinates = {c.model.coordinate_names()[static_cast<std::size_t>(k)]};
    f.ratio = {1};
    set.add(f);
  }
  Data data(c.model);
  const Eigen::Vector3d v(0.3, -0.5, 0.7);
  for (const double from : {0.0, 1e-15, 1e-9, 1e-6, 1e-3}) {
    SCOPED_TRACE(from);
    const Eigen::Vector3d q(0.4, 1.5707963267948966 - from, -0.9);
    for (int k = 0; k < 3; ++k) {
      const Said said = said_by(c.model, data, *set.constraints()[static_cast<std::size_t>(k)].relation, q, v);
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(std::isfinite(static_cast<double>(said.jacobian(0, i))));
      ASSERT_TRUE(std::isfinite(static_cast<double>(said.drift(0))));
      EXPECT_EQ(said.phi(0), q(k));
      if (k != 1 && from < 1e-12) {
        EXPECT_EQ(said.jacobian.cwiseAbs().maxCoeff(), 0);
        continue;
      }
      Defined one{Vec::Constant(1, q(k)), Mat::Zero(1, 3), Vec::Zero(1)};
      one.jacobian(0, k) = 1;
      expect_same(said, one, 1e-12);
    }
  }
}

/// gamma is quadratic in v: nothing at rest, four times as much at twice the speed.
TEST(Relations, HaveVelocityProductsOfSecondDegree) {
  for (int seed = 0; seed < effort(20); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(seed), 8);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    ConstraintSet set(c.model);
    LoopConstraint loop;
    loop.name = "loop";
    loop.frame = c.model.links().back().name;
    loop.other = "far";
    set.add(loop);
    CentreOfMassConstraint balance;
    balance.name = "balance";
    set.add(balance);
    Data data(c.model);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    for (const Constraint& k : set.constraints()) {
      const Said rest = said_by(c.model, data, *k.relation, x.q, 0 * x.v);
      const Said once = said_by(c.model, data, *k.relation, x.q, x.v),
                 twice = said_by(c.model, data, *k.relation, x.q, 2 * x.v);
      EXPECT_LE(rest.drift.cwiseAbs().maxCoeff(), 1e-13L * (1 + rest.size_of_drift.maxCoeff()));
      EXPECT_LE((twice.drift - 4 * once.drift).cwiseAbs().maxCoeff(), 1e-13L * (1 + twice.size_of_drift.maxCoeff()));
    }
  }
}

}  // namespace
}  // namespace zwang::test
