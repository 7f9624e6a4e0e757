// SPDX-License-Identifier: BSD-3-Clause
// Rows on coordinates (couplings and the user's own), and on the centre of mass: J and J' v by their definitions.
//
// Tolerance: 1e-12 of the magnitudes of the terms. A coordinate's wrench on bodies grows as its column comes close to
// the others of its joint; its terms grow with it.
#include <gtest/gtest.h>

#include <algorithm>

#include "constraint/relations.hpp"
#include "support/says.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

/// The numbers of q whose rates are numbers of v, by the reference's own list of parts: -1 where there is none.
std::vector<int> places_in_q(const Case& c) {
  std::vector<int> q(static_cast<std::size_t>(c.model.nv()), -1);
  for (const reference::SpanningJoint& joint : c.reference.joints()) {
    int iq = joint.q.first, iv = joint.v.first;
    for (const reference::Part& part : joint.parts) {
      for (int k = 0; k < part.nv; ++k)
        if (part.additive || (part.type == "planar" && k == 2)) q[static_cast<std::size_t>(iv + k)] = iq + k;
      iq += part.nq;
      iv += part.nv;
    }
  }
  return q;
}

TEST(CouplingRows, AreLinearInCoordinatesOfEveryJoint) {
  int coordinates = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(seed), 14);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const std::vector<int> places = places_in_q(c);
    CouplingConstraint f;
    f.name = "gear";
    f.offset = random.uniform(-1, 1);
    Defined expected{Vec::Constant(1, -f.offset), Mat::Zero(1, c.model.nv()), Vec::Zero(1)};
    ConstraintSet set(c.model);
    for (int k = 0; k < c.model.nv(); ++k) {
      const std::string& name = c.model.coordinate_names()[static_cast<std::size_t>(k)];
      CouplingConstraint alone;
      alone.name = name;
      alone.coordinates = {name};
      alone.ratio = {1};
      const int place = places[static_cast<std::size_t>(k)];
      if (place < 0) {
        EXPECT_THROW(set.add(alone), std::invalid_argument) << name;
        continue;
      }
      Data data(c.model);
      Defined one{Vec::Constant(1, x.q(place)), Mat::Zero(1, c.model.nv()), Vec::Zero(1)};
      one.jacobian(0, k) = 1;
      SCOPED_TRACE(name);
      expect_same(said_by(c.model, data, *set.add(alone).relation, x.q, x.v), one, k_tolerance);
      ++coordinates;
      if (random.below(3) == 0) continue;
      f.coordinates.push_back(name);
      f.ratio.push_back(random.uniform(-2, 2));
      expected.phi(0) += Real(f.ratio.back()) * x.q(place);
      expected.jacobian(0, k) = f.ratio.back();
    }
    if (f.coordinates.empty()) continue;
    Data data(c.model);
    expect_same(said_by(c.model, data, *set.add(f).relation, x.q, x.v), expected, k_tolerance);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(coordinates, effort(1000) / 10);
}

TEST(CouplingRows, FollowPolynomialsOfAnyDegree) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(700 + seed), 10);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const std::vector<int> places = places_in_q(c);
    std::vector<int> good;
    for (int k = 0; k < c.model.nv(); ++k)
      if (places[static_cast<std::size_t>(k)] >= 0) good.push_back(k);
    if (good.size() < 2) continue;
    const std::size_t first = static_cast<std::size_t>(random.below(static_cast<int>(good.size())));
    const int k0 = good[first], k1 = good[(first + 1) % good.size()];
    CouplingConstraint f;
    f.name = "cam";
    f.coordinates = {c.model.coordinate_names()[static_cast<std::size_t>(k0)],
                     c.model.coordinate_names()[static_cast<std::size_t>(k1)]};
    for (int j = 0; j <= seed % 6; ++j) f.polynomial.push_back(random.uniform(-1, 1));
    const Real y = x.q(places[static_cast<std::size_t>(k1)]), rate = x.v(k1);
    Real P = 0, dP = 0, ddP = 0;
    for (int j = 0; j < static_cast<int>(f.polynomial.size()); ++j) {
      const Real a = f.polynomial[static_cast<std::size_t>(j)];
      P += a * std::pow(y, Real(j));
      if (j > 0) dP += a * Real(j) * std::pow(y, Real(j - 1));
      if (j > 1) ddP += a * Real(j) * Real(j - 1) * std::pow(y, Real(j - 2));
    }
    Defined expected{Vec::Constant(1, x.q(places[static_cast<std::size_t>(k0)]) - P), Mat::Zero(1, c.model.nv()),
                     Vec::Constant(1, -ddP * rate * rate)};
    expected.jacobian(0, k0) = 1;
    expected.jacobian(0, k1) = -dP;
    ConstraintSet set(c.model);
    Data data(c.model);
    const Said said = said_by(c.model, data, *set.add(f).relation, x.q, x.v);
    expect_same(said, expected, k_tolerance * (1 + static_cast<double>(std::pow(std::fabs(y), 5))));
    if (testing::Test::HasFailure()) return;
  }
}

/// Of additive coordinates by their definition, of the others by differences: phi along increments, J along the motion.
TEST(JointRows, AreDifferencesOfConfigurationsOfEveryJoint) {
  int additive = 0, turning = 0;
  for (int seed = 0; seed < effort(40, 4); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(300 + seed), 14);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const Index n = c.model.nv();
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Eigen::VectorXd posture = integrate(c.model, x.q, random.vector(static_cast<int>(n), 0.8));
    const std::vector<int> places = places_in_q(c);
    JointConstraint f{.name = "posture"};
    f.posture.assign(posture.data(), posture.data() + posture.size());
    const bool refused = std::any_of(c.model.joints().begin(), c.model.joints().end(),
                                     [](const Joint& j) { return j.type == "user" && j.q.size != j.v.size; });
    ConstraintSet set(c.model);
    if (refused) {
      EXPECT_THROW(set.add(f), std::invalid_argument);
      continue;
    }
    const Relation& relation = *set.add(f).relation;
    EXPECT_EQ(set["posture"].target.size(), static_cast<std::size_t>(n));
    const auto at = [&](const Eigen::VectorXd& q) {
      Data data(c.model);
      return said_by(c.model, data, relation, q, x.v);
    };
    const Said said = at(x.q), there = at(posture);
    const double h = 1e-5;
    const Said ahead = at(integrate(c.model, x.q, h * x.v)), behind = at(integrate(c.model, x.q, -h * x.v));
    const Eigen::VectorXd d = difference(c.model, posture, x.q);
    Eigen::MatrixXd slope(n, n);
    for (Index j = 0; j < n; ++j) {
      const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(n, j);
      slope.col(j) =
          ((at(integrate(c.model, x.q, e)).phi - at(integrate(c.model, x.q, -e)).phi) / (2 * h)).cast<double>();
    }
    for (Index k = 0; k < n; ++k) {
      SCOPED_TRACE(c.model.coordinate_names()[static_cast<std::size_t>(k)]);
      const bool is_angle = places[static_cast<std::size_t>(k)] >= 0;
      (is_angle ? additive : turning) += 1;
      EXPECT_NEAR(static_cast<double>(there.phi(k)), 0, 1e-14);
      const Vec unit = Vec::Unit(n, k);
      EXPECT_LE(static_cast<double>((there.jacobian.row(k).transpose() - unit).cwiseAbs().maxCoeff()), 1e-11);
      for (Index j = 0; j < n; ++j) EXPECT_NEAR(static_cast<double>(said.jacobian(k, j)), slope(k, j), 1e-8);
      const double rate =
          static_cast<double>(((ahead.jacobian - behind.jacobian).row(k) * x.v.cast<Real>())(0)) / (2 * h);
      EXPECT_NEAR(static_cast<double>(said.drift(k)), rate, 1e-6 * (1 + static_cast<double>(said.size_of_drift(k))));
      if (is_angle) { EXPECT_NEAR(static_cast<double>(said.phi(k)), d(k), 1e-13); }
    }
    for (const Joint& j : c.model.joints())  // the logarithm of the rotation is that of the difference
      if (j.type == "spherical") {
        for (Index k = j.v.first; k < j.v.end(); ++k) EXPECT_NEAR(static_cast<double>(said.phi(k)), d(k), 1e-12);
      }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(additive, 0);
  EXPECT_GT(turning, 0);
}

TEST(JointRows, NameWhatTheyRefuse) {
  const Case c = random_tree(1, 6);
  ConstraintSet set(c.model);
  const std::string first = c.model.coordinate_names().front();
  EXPECT_SAYS("named twice", set.add(JointConstraint{.name = "a", .coordinates = {first, first}}));
  EXPECT_SAYS("there is no coordinate named", set.add(JointConstraint{.name = "a", .coordinates = {"nowhere"}}));
  EXPECT_SAYS("posture", set.add(JointConstraint{.name = "a", .coordinates = {first}, .posture = {1}}));
}

/// Any rows at all: numbers drawn once.
class Drawn : public CustomRows {
 public:
  Drawn(Index rows, Index width, Random& random) : phi(rows), drift(rows), J(rows, width) {
    for (Index r = 0; r < rows; ++r) {
      phi(r) = random.uniform(-1, 1);
      drift(r) = random.uniform(-3, 3);
      for (Index k = 0; k < width; ++k) J(r, k) = random.below(4) ? random.uniform(-2, 2) : 0;
    }
  }
  Index rows() const override { return static_cast<Index>(phi.size()); }
  void evaluate(const double*, const double*, double* p, double* jacobian, double* Jdot_v) const override {
    for (Index r = 0; r < rows(); ++r) {
      p[r] = phi(r);
      Jdot_v[r] = drift(r);
      for (Index k = 0; k < static_cast<Index>(J.cols()); ++k)
        if (J(r, k) != 0) jacobian[r * static_cast<Index>(J.cols()) + k] = J(r, k);
    }
  }
  Eigen::VectorXd phi, drift;
  Eigen::MatrixXd J;
};

TEST(CustomRowsOfAUser, ComeToTheirOwnJacobian) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(seed), 12);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    CustomConstraint f;
    f.name = "mine";
    std::vector<int> columns;
    for (int k = 0; k < c.model.nv(); ++k)
      if (seed % 2 == 0 || random.below(2)) columns.push_back(k);
    if (columns.empty()) continue;
    if (seed % 2)
      for (const int k : columns) f.coordinates.push_back(c.model.coordinate_names()[static_cast<std::size_t>(k)]);
    const auto rows = std::make_shared<Drawn>(1 + random.below(4), static_cast<Index>(columns.size()), random);
    f.rows = rows;
    ConstraintSet set(c.model);
    Data data(c.model);
    const Said said = said_by(c.model, data, *set.add(f).relation, x.q, x.v);
    Defined expected{rows->phi.cast<Real>(), Mat::Zero(rows->rows(), c.model.nv()), rows->drift.cast<Real>()};
    for (std::size_t k = 0; k < columns.size(); ++k)
      expected.jacobian.col(columns[k]) = rows->J.col(static_cast<Eigen::Index>(k)).cast<Real>();
    expect_same(said, expected, k_tolerance);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CentreOfMassRows, AreDerivativesOfTheCentreOfMass) {
  for (int seed = 0; seed < effort(60); ++seed) {
    Case c = random_tree(static_cast<std::uint64_t>(seed), 10);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    CentreOfMassConstraint f;
    f.name = "balance";
    Data data(c.model);
    if (seed % 2) {  // masses are those of Data
      for (int k = 0; k < 9; ++k) f.matrix.push_back(random.uniform(-1, 1));
      const Link& link = c.model.links().back();
      LinkDescription heavy;
      heavy.name = link.name;
      heavy.mass = 20;
      heavy.centre = random.direction();
      heavy.inertia = random.inertia(20, 0.3);
      c.reference.set_link(heavy);
      data.set_inertia(LinkId(static_cast<Index>(c.model.links().size()) - 1), heavy.mass, heavy.centre, heavy.inertia);
    }
    const reference::State s = c.reference.at(x.q, x.v);
    Mat K = Mat::Identity(3, 3);
    for (std::size_t k = 0; k < f.matrix.size(); ++k)
      K(static_cast<Eigen::Index>(k / 3), static_cast<Eigen::Index>(k % 3)) = f.matrix[k];
    ConstraintSet set(c.model);
    const Said said = said_by(c.model, data, *set.add(f).relation, x.q, x.v);
    const Defined expected{K * s.centre_of_mass(), K * s.centre_of_mass_jacobian(),
                           K * s.centre_of_mass_acceleration(Vec::Zero(c.model.nv()))};
    expect_same(said, expected, k_tolerance);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace zwang::test
