// SPDX-License-Identifier: BSD-3-Clause
// Base parameters do with `rank` numbers what all inertial parameters do, and there are no fewer: laws, closed forms,
// and the rank by singular values of regressors of other states.
#include "zwang/algorithm/base_parameters.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <set>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd matrix_of(const BaseParameters& b, Eigen::Index parameters) {
  return Eigen::Map<const RowMajor>(b.matrix.data(), b.rank, parameters);
}
Eigen::MatrixXd some_regressors(const Model& m, Index states, std::uint64_t seed) {
  Data data(m);
  Eigen::MatrixXd W(states * m.nv(), 10 * static_cast<Index>(m.links().size()));
  for (Index k = 0; k < states; ++k) {
    const RandomState x = random_state(m, seed + static_cast<std::uint64_t>(k));
    W.middleRows(k * m.nv(), m.nv()) = inverse_dynamics_regressor(m, data, x.q, x.v, x.a);
  }
  return W;
}

void check(const Model& m, std::uint64_t seed) {
  const BaseParameters base = base_parameters(m);
  const Eigen::VectorXd phi = inertial_parameters(m);
  const Eigen::MatrixXd B = matrix_of(base, phi.size());
  ASSERT_EQ(base.columns.size(), static_cast<std::size_t>(base.rank));
  ASSERT_EQ(base.names.size(), static_cast<std::size_t>(base.rank));
  EXPECT_EQ(std::set<std::string>(base.names.begin(), base.names.end()).size(), base.names.size());
  EXPECT_GT(base.smallest_independent, 1e2 * base.largest_dependent) << "the rank is a matter of taste";
  // The law, for all parameters, not for the model's alone: Y = Y_columns B.
  const Eigen::MatrixXd W = some_regressors(m, 5, seed);
  Eigen::MatrixXd kept(W.rows(), base.rank);
  for (Index k = 0; k < base.rank; ++k) {
    kept.col(k) = W.col(base.columns[static_cast<std::size_t>(k)]);
    EXPECT_EQ(B(k, base.columns[static_cast<std::size_t>(k)]), 1);
  }
  // B is known to some rounding over the smallest sine of its columns.
  const double tolerance = 1e4 * k_eps / base.smallest_independent;
  const auto unit = [](Eigen::Index c) { return c % 10 == 0 ? 0 : c % 10 < 4 ? 1 : 2; };  // mass, moments, inertia
  double largest[3] = {0, 0, 0};
  for (Eigen::Index c = 0; c < W.cols(); ++c) largest[unit(c)] = std::max(largest[unit(c)], W.col(c).norm());
  for (Index k = 0; k < base.rank; ++k)  // none is nothing but rounding of others of its unit
    EXPECT_GT(kept.col(k).norm(), 1e-10 * largest[unit(base.columns[static_cast<std::size_t>(k)])]) << k;
  for (Eigen::Index c = 0; c < W.cols(); ++c) {
    const double scale = W.col(c).norm() + kept.colwise().norm() * B.col(c).cwiseAbs();
    EXPECT_LE((W.col(c) - kept * B.col(c)).norm(), tolerance * scale + 1e4 * k_eps * largest[unit(c)])
        << "parameter " << c;
  }
}

TEST(BaseParameters, DoWhatAllParametersDo) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 1 + seed % 7);
    SCOPED_TRACE(c.name);
    if (c.model.nv() > 0) check(c.model, static_cast<std::uint64_t>(seed) + 50);
  }
}

TEST(BaseParameters, AreAsManyAsTheRegressorsHaveSingularValues) {
  for (int seed = 0; seed < effort(30); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 300, 1 + seed % 5);
    const Model& m = c.model;
    if (m.nv() == 0) continue;
    SCOPED_TRACE(c.name);
    Eigen::MatrixXd W = some_regressors(m, 30 * static_cast<Index>(m.links().size()), 9000);
    for (Eigen::Index k = 0; k < W.cols(); ++k)
      if (W.col(k).norm() > 0) W.col(k).normalize();
    const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(W.transpose() * W).singularValues();  // squares
    const Index rank = base_parameters(m).rank;
    Eigen::Index count = 0;
    while (count < s.size() && s(count) > 1e-12 * s(0)) ++count;
    EXPECT_EQ(rank, count);
  }
}

RobotDescription pendulum(const std::string& type, const Vec3<double>& axis) {
  RobotDescription d;
  d.name = "pendulum";
  d.links.resize(2);
  d.links[0].name = "base";
  d.links[1].name = "bob";
  d.links[1].mass = 2;
  d.links[1].centre = {0.1, 0.2, -0.3};
  d.links[1].inertia = {0.3, 0.01, 0.02, 0.4, 0.03, 0.5};
  d.joints.resize(1);
  d.joints[0].name = "pivot";
  d.joints[0].type = type;
  d.joints[0].parent = "base";
  d.joints[0].child = "bob";
  d.joints[0].axis = axis;
  return d;
}

TEST(BaseParameters, OfOneBodyAreThoseOfTheBooks) {
  // About a horizontal axis: the moment about it and the two moments of gravity.
  // About a vertical one: the former alone.
  const BaseParameters swing = base_parameters(build(pendulum("continuous", {1, 0, 0})));
  EXPECT_EQ(swing.names, (std::vector<std::string>{"bob.my", "bob.mz", "bob.Ixx"}));
  const BaseParameters turn = base_parameters(build(pendulum("continuous", {0, 0, 1})));
  EXPECT_EQ(turn.names, (std::vector<std::string>{"bob.Izz"}));
  const BaseParameters slide = base_parameters(build(pendulum("prismatic", {0, 0, 1})));
  EXPECT_EQ(slide.names, (std::vector<std::string>{"bob.m"}));
  EXPECT_EQ(base_parameters(build(pendulum("floating", {1, 0, 0}))).rank, 10);
  EXPECT_EQ(base_parameters(build(pendulum("fixed", {1, 0, 0}))).rank, 0);
  // A ball: nothing of the mass, all of first and second moments.
  EXPECT_EQ(base_parameters(build(pendulum("spherical", {1, 0, 0}))).rank, 9);
}

TEST(BaseParameters, OfRealRobotsHaveAClearRank) {
  for (const RobotFile& file : robot_files()) {
    const Case c = load_case(file);
    if (c.model.nv() == 0 || c.model.nv() > effort(40)) continue;
    SCOPED_TRACE(c.name);
    const BaseParameters base = base_parameters(c.model);
    std::printf("%-40s nv %3d, %3d of %4d parameters; sines: kept >= %.1e, given up <= %.1e\n", c.name.c_str(),
                static_cast<int>(c.model.nv()), static_cast<int>(base.rank),
                static_cast<int>(10 * c.model.links().size()), base.smallest_independent, base.largest_dependent);
    check(c.model, 3);
  }
}

TEST(BaseParameters, RefuseATolerance) {
  const Model m = build(pendulum("continuous", {1, 0, 0}));
  for (const double bad : {0.0, -1.0, 1.0, 2.0, std::nan("")})
    EXPECT_THROW(base_parameters(m, bad), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
