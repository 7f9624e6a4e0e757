// SPDX-License-Identifier: BSD-3-Clause
// The pages of relations from outside, over every scalar: each lane is Relation::evaluate in double, and where a scalar
// carries derivatives those along a motion are phi' = sum K V and phi'' = sum K a + gamma.
#include "constraint/relations.hpp"
#include "core/scalars.hpp"
#include "zwang/generic.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

template <class S> class RelationPages : public testing::Test {};
#ifdef ZWANG_TEST_FEW_SCALARS
using Scalars = testing::Types<Dual<double>, NativePack<double>>;
#else
using Scalars = testing::Types<double, float, long double, std::complex<double>, Dual<double>, NativePack<double>,
                               NativePack<float>>;
#endif
TYPED_TEST_SUITE(RelationPages, Scalars);

/// A constraint of every relation, between frames that move.
ConstraintSet every_relation(const Case& c, Random& random) {
  ConstraintSet set(c.model);
  const auto& links = c.model.links();
  const std::string a = links[links.size() / 2].name, b = links.back().name;
  const auto point = [&] { return random.direction() * 0.4; };
  set.add(LoopConstraint{.name = "weld", .frame = a, .other = b});
  set.add(LoopConstraint{.name = "hinge", .frame = a, .other = b, .rows = joint_rows("hinge", random.direction())});
  set.add(LoopConstraint{.name = "cardan", .frame = a, .other = b, .rows = joint_rows("universal", {0, 0, 1})});
  set.add(
      LoopConstraint{.name = "points", .frame = a, .other = b, .rows = rows("linear"), .in = "local_world_aligned"});
  set.add(ContactConstraint{.name = "foot",
                            .frame = b,
                            .point = point(),
                            .normal = random.direction(),
                            .has_target = true,
                            .target_point = point()});
  set.add(FrameConstraint{.name = "pose", .frame = a, .in = "local", .has_target = true, .target_pose = random.pose()});
  set.add(DistanceConstraint{
      .name = "rod", .frame = a, .point = point(), .other = b, .other_point = point(), .length = 0.3});
  set.add(RollingConstraint{.name = "ball", .frame = b, .radius = 0.2, .normal = random.direction()});
  set.add(RollingConstraint{
      .name = "wheel", .frame = b, .radius = 0.2, .axis = random.direction(), .other = a, .rows = "tangent1 normal"});
  std::vector<std::string> own;  // coordinates whose rate is v
  for (const Joint& j : c.model.joints())
    if ((j.type == "revolute" || j.type == "prismatic" || j.type == "helical" || j.type == "continuous") &&
        j.mimic.leader.empty())
      own.push_back(c.model.coordinate_names()[static_cast<std::size_t>(j.v.first)]);
  EXPECT_GE(own.size(), 2u) << c.name << " leaves the coupling out";
  if (own.size() >= 2) {
    set.add(CouplingConstraint{.name = "gear", .coordinates = {own[0], own[1]}, .ratio = {1, -2.5}, .offset = 0.1});
    set.add(CouplingConstraint{.name = "cam", .coordinates = {own[0], own[1]}, .polynomial = {0.1, 0.2, -0.3, 0.4}});
  }
  set.add(CentreOfMassConstraint{.name = "balance"});
  return set;
}

/// Positions, velocities and accelerations of all lanes, moving along v and a.
template <class S> struct Moving {
  Moving(const Model& m, const std::vector<RandomState>& x)
      : q(static_cast<std::size_t>(m.nq())),
        v(static_cast<std::size_t>(m.nv())),
        a(v.size()),
        data(m) {
    using D = Dual<double>;
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const RandomState& s = x[static_cast<std::size_t>(lane)];
      std::vector<D> at(s.q.begin(), s.q.end()), along;
      for (const double rate : s.v) along.push_back(D(0, rate));
      page::integrate(m.tree<double>(), at.data(), along.data(), at.data());
      for (std::size_t i = 0; i < q.size(); ++i) Lanes<S>::set(q[i], lane, at[i].v, at[i].d);
      for (std::size_t k = 0; k < v.size(); ++k) {
        Lanes<S>::set(v[k], lane, s.v(static_cast<Index>(k)), s.a(static_cast<Index>(k)));
        Lanes<S>::set(a[k], lane, s.a(static_cast<Index>(k)), 0);
      }
    }
    page::kinematics(data, q.data(), v.data(), a.data());
  }
  std::vector<S> q, v, a;
  BasicData<S> data;
};

template <class S> void expect_pages(const Case& c, std::uint64_t seed) {
  Random random(seed + 77);
  const ConstraintSet set = every_relation(c, random);
  std::vector<RandomState> x;
  for (int lane = 0; lane < lanes_of<S>; ++lane)
    x.push_back(random_state(c.model, seed + 1000 * static_cast<std::uint64_t>(lane)));
  const Moving<S> now(c.model, x);
  for (const Constraint& k : set.constraints()) {
    SCOPED_TRACE(k.name);
    const Relation& relation = *k.relation;
    ASSERT_NE(relation.page(), nullptr);
    const RelationShape on = relation.shape();
    const auto m = static_cast<std::size_t>(on.rows), n = static_cast<std::size_t>(on.body_count);
    std::vector<S> phi(m), gamma(m), given(6 * m);
    std::vector<Force<S>> K(m * n);
    evaluate(*relation.page(), now.data, now.q.data(), now.v.data(), on,
             {phi.data(), gamma.data(), K.data(), given.data()});
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      Data data(c.model);
      const Said said =
          said_by(c.model, data, relation, x[static_cast<std::size_t>(lane)].q, x[static_cast<std::size_t>(lane)].v);
      std::vector<double> of_phi(m), of_gamma(m), of_given(6 * m);
      std::vector<Force<double>> of_K(m * n);
      relation.evaluate(data, x[static_cast<std::size_t>(lane)].q.data(), x[static_cast<std::size_t>(lane)].v.data(),
                        {of_phi.data(), of_gamma.data(), of_K.data(), of_given.data()});
      // Roundings of poses and twists along the tree, over distances and rates of the order of ten.
      const long double wide = std::max(rounding<S>, rounding<double>), tolerance = 3e4L * wide;
      const auto same = [&](long double got, double expected, long double scale) {
        if (std::isnan(expected)) return std::isnan(got) ? testing::AssertionSuccess() : testing::AssertionFailure();
        return near(got, expected, tolerance * (1 + std::fabs(expected) + scale));
      };
      for (std::size_t r = 0; r < m; ++r) {
        EXPECT_TRUE(same(Lanes<S>::value(phi[r], lane), of_phi[r], 0));
        EXPECT_TRUE(
            same(Lanes<S>::value(gamma[r], lane), of_gamma[r], said.size_of_drift(static_cast<Eigen::Index>(r))));
        for (std::size_t i = 0; i < 6; ++i)
          EXPECT_TRUE(same(Lanes<S>::value(given[6 * r + i], lane), of_given[6 * r + i], 0));
        S rate(0), second = gamma[r];
        long double size = 1;
        for (std::size_t t = 0; t < n; ++t) {
          const Index body = relation.bodies()[t];
          const Force<S>& f = K[t * m + r];
          for (int i = 0; i < 6; ++i)
            EXPECT_TRUE(same(Lanes<S>::value(f[i], lane), of_K[t * m + r][i], 0)) << "body " << body;
          if (body == 0) continue;
          rate += dot(Motion<S>(now.data.velocity.twist[body]), f);
          const Motion<S> a = page::body_acceleration(now.data, body);
          second += dot(a, f);
          for (int i = 0; i < 6; ++i)
            size += std::fabs(Lanes<S>::value(f[i], lane)) * std::fabs(Lanes<S>::value(a[i], lane));
        }
        if (!Lanes<S>::differentiates) continue;
        const long double value = Lanes<S>::value(rate, lane), slope = Lanes<S>::value(second, lane);
        if (!std::isnan(of_phi[r])) { EXPECT_TRUE(near(Lanes<S>::derivative(phi[r], lane), value, tolerance * size)); }
        EXPECT_TRUE(near(Lanes<S>::derivative(rate, lane), slope, tolerance * (size + std::fabs(slope))));
      }
    }
  }
}

TYPED_TEST(RelationPages, AreThoseOfOneStateAndTheirOwnDerivatives) {
  for (const std::uint64_t seed : {4u, 5u, 6u}) expect_pages<TypeParam>(random_tree(seed, 9), seed);
}

}  // namespace
}  // namespace zwang::test
