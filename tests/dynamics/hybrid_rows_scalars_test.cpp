// SPDX-License-Identifier: BSD-3-Clause
// One test per row of what hybrid dynamics must do beyond KDL's solver (hybrid_rows_test.cpp): B28, other scalars, and
// B30, whose operations a scalar counts.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/tape.hpp"
#include "zwang/generic.hpp"

namespace zwang::test {
namespace {

/// The hybrid page on S: a hard driver and soft rows in one sweep, some joint prescribed or not.
template <class S> std::vector<S> on_page(const Model& model, const ConstraintSet& set, const std::vector<S>& q,
                                          const std::vector<S>& v, const std::vector<S>& tau) {
  using T = Uniform<S>;
  BasicData<S> data(model);
  const Tree<T>& tree = data.tree();
  const Index m = set.rows();
  std::vector<std::vector<S>> beta, compliance;
  std::vector<page::ActiveRows<S>> rows;
  beta.reserve(8);
  compliance.reserve(8);
  for (const Constraint& c : set.constraints()) {  // given in the order of their bodies
    beta.emplace_back(c.beta.begin(), c.beta.end());
    compliance.emplace_back(c.compliance.begin(), c.compliance.end());
    rows.push_back({&c.rows_on_body.value(), beta.back().data(), c.acceleration,
                    c.policy == Policy::soft ? compliance.back().data() : nullptr});
  }
  page::RowRoom room;
  room.rows = room.blocks = m;
  room.w = static_cast<long>(m) * tree.spanning_nv;
  room.lists = static_cast<long>(m) * (tree.n + 1);
  page::RowNumbers<S> numbers(room);
  page::SweepStage<S> stage(tree, room);
  const auto n = static_cast<std::size_t>(m);
  std::vector<S> Lambda(n * n), lambda(n), bound(n), a(static_cast<std::size_t>(model.nv()));
  const auto root = [&](page::SweepStage<S>& r) {
    page::gather_rows(r, Lambda.data(), m);
    page::gather_right_hand_side(r, lambda.data());
    for (Index i = 0; i < r.root.count; ++i)
      bound[static_cast<std::size_t>(i)] = page::lane<S>(r.strand.bound.data(), r.root.slot[i]);
    page::solve_by_selection(r.root.count, Lambda.data(), m, bound.data(), T(64) * epsilon_of<S>, lambda.data());
    page::scatter_rows(r, lambda.data());
  };
  EXPECT_TRUE(page::hybrid_dynamics(data, numbers, stage, rows.data(), rows.data() + rows.size(), root, q.data(),
                                    v.data(), tau.data(), a.data()));
  return a;
}

template <class S> std::vector<S> as(const Eigen::VectorXd& x) {
  std::vector<S> out;
  for (const double e : x) out.push_back(S(static_cast<Uniform<S>>(e)));
  return out;
}

TEST(HybridRow, B28_OtherScalars) {
  RobotDescription d = sample_arm7();
  for (JointDescription& j : d.joints) j.damping = j.friction = j.stiffness = {};  // the page alone knows rotors
  const Robot robot(d);
  Mixed x;
  x.state = random_state(robot.reference, 4);
  FrameConstraint elbow, tool;
  elbow.name = "elbow";
  elbow.frame = d.links[4].name;
  elbow.rows = rows("linear.x linear.z");
  elbow.beta = {1, 2};
  elbow.policy = Policy::soft;
  elbow.compliance = {0.2, 0.3};
  tool.name = "tool";
  tool.frame = "tool0";
  tool.in = "local";
  tool.rows = rows("linear angular.x");
  tool.beta = {0.5, -1, 2, 3};
  x.constraints = {elbow, tool};
  const ConstraintSet set = x.set(robot.model);
  const auto solved = [&](const RandomState& s) {
    Solver solver(robot.model, set);
    const SolveInput in{.q = s.q, .v = s.v, .tau = s.tau};
    return Eigen::VectorXd(solver.solve(in).acceleration);
  };
  const Eigen::VectorXd expected = solved(x.state);
  const double scale = expected.cwiseAbs().maxCoeff();
  const std::size_t n = static_cast<std::size_t>(expected.size());

  const auto single =
      on_page<float>(robot.model, set, as<float>(x.state.q), as<float>(x.state.v), as<float>(x.state.tau));
  const auto wide = on_page<long double>(robot.model, set, as<long double>(x.state.q), as<long double>(x.state.v),
                                         as<long double>(x.state.tau));
  // A derivative along q alone: revolute joints, q + h dq.
  using D = Dual<double>;
  Random random(6);
  const Eigen::VectorXd along = random.vector(static_cast<int>(n));
  std::vector<D> q = as<D>(x.state.q);
  for (std::size_t k = 0; k < n; ++k) q[k].d = along(static_cast<Eigen::Index>(k));
  const auto dual = on_page<D>(robot.model, set, q, as<D>(x.state.v), as<D>(x.state.tau));
  RandomState plus = x.state, minus = x.state;
  const double h = 1e-5;
  plus.q += h * along;
  minus.q -= h * along;
  const Eigen::VectorXd slope = (solved(plus) - solved(minus)) / (2 * h);
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(single[k], expected(i), 1e-3 * scale);  // eps of float times a condition of some thousands
    EXPECT_NEAR(static_cast<double>(wide[k]), expected(i), 1e-11 * scale);
    EXPECT_NEAR(dual[k].v, expected(i), 1e-11 * scale);
    EXPECT_NEAR(dual[k].d, slope(i), 1e-6 * (scale + slope.cwiseAbs().maxCoeff()));  // h^2 and eps / h
  }
}

/// O(n + m^2 d + m^3): each further link costs the same, and the solver sweeps.
/// Operations are counted, no time is taken.
TEST(HybridRow, B30_CostGrowsLinearlyWithTheNumberOfLinks) {
  const auto operations = [](int links) {
    const RobotDescription d = sample_chain(links);
    const Model chain = build(d);
    ConstraintSet set(chain);
    FrameConstraint tip;
    tip.name = "tip";
    tip.frame = d.links.back().name;
    tip.rows = rows("linear angular.x");
    set.add(tip);
    const RandomState state = random_state(chain, 3, 0.1);
    Solver solver(chain, set);
    EXPECT_STREQ(solver.solve({.q = state.q, .v = state.v}).report.method, "popov_vereshchagin");
    tape::Tape record;
    std::vector<tape::Number> q, v, tau;
    for (Eigen::Index k = 0; k < chain.nv(); ++k) {
      q.push_back(record.input(state.q(k)));
      v.push_back(record.input(state.v(k)));
      tau.push_back(record.input(state.tau(k)));
    }
    on_page<tape::Number>(chain, set, q, v, tau);
    return static_cast<long>(record.size());
  };
  const long few = operations(60), twice = operations(120);
  EXPECT_GT(few, 60 * 100);
  EXPECT_EQ(operations(600) - few, 9 * (twice - few));
}

}  // namespace
}  // namespace zwang::test
