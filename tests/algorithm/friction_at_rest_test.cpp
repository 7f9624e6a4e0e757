// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics with Coulomb friction at rest, against all choices of who sticks and who slides where.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/cases.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/batch/batch.hpp"

namespace zwang::test {
namespace {

constexpr JointEffects k_rub{.friction = true};

/// The one q'' of all sides of the coordinates `at_rest` that satisfies the conditions, by dense solves.
Eigen::VectorXd by_choices(const Eigen::MatrixXd& M, const Eigen::VectorXd& free_force,
                           const std::vector<Index>& at_rest, const std::vector<double>& c, int& found) {
  const auto nv = M.rows();
  int choices = 1;
  for (std::size_t k = 0; k < at_rest.size(); ++k) choices *= 3;
  Eigen::VectorXd answer;
  found = 0;
  for (int choice = 0; choice < choices; ++choice) {
    Eigen::MatrixXd A = M;
    Eigen::VectorXd b = free_force;
    std::vector<int> side(at_rest.size());
    for (std::size_t k = 0, rest = static_cast<std::size_t>(choice); k < at_rest.size(); ++k, rest /= 3)
      side[k] = static_cast<int>(rest % 3) - 1;
    for (std::size_t k = 0; k < at_rest.size(); ++k) b[at_rest[k]] += side[k] * c[static_cast<std::size_t>(at_rest[k])];
    // sticking: q'' = 0 and a force of its own
    Eigen::MatrixXd K =
        Eigen::MatrixXd::Zero(nv + static_cast<Index>(at_rest.size()), nv + static_cast<Index>(at_rest.size()));
    Eigen::VectorXd r = Eigen::VectorXd::Zero(K.rows());
    K.topLeftCorner(nv, nv) = A;
    r.head(nv) = b;
    for (std::size_t k = 0; k < at_rest.size(); ++k) {
      const Eigen::Index row = nv + static_cast<Index>(k);
      if (side[k] == 0)
        K(row, at_rest[k]) = 1, K(at_rest[k], row) = -1;
      else
        K(row, row) = 1;
    }
    const Eigen::VectorXd x = K.fullPivLu().solve(r);
    bool right = true;
    for (std::size_t k = 0; k < at_rest.size(); ++k) {
      const double most = c[static_cast<std::size_t>(at_rest[k])];
      right = right && (side[k] == 0 ? std::fabs(x[nv + static_cast<Index>(k)]) <= most : side[k] * x[at_rest[k]] <= 0);
    }
    if (!right) continue;
    ++found;
    answer = x.head(nv);
  }
  return answer;
}

TEST(FrictionAtRest, HoldsAJointWithinItsFriction) {
  RobotDescription r{"slider",
                     {make_link("rail", 0, {0, 0, 0}, Sym3<double>::zero()),
                      make_link("cart", 2, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1))},
                     {make_joint("x", "prismatic", "rail", "cart", {1, 0, 0})}};
  r.joints[0].friction = {3};
  const Model m = build(r);
  Data d(m);
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), v = q;
  for (const double tau : {0.0, 0.5, -2.999, 3.0, -3.0})
    EXPECT_EQ(forward_dynamics(m, d, q, v, Eigen::VectorXd::Constant(1, tau), {}, k_rub)[0], 0.0);
  for (const double tau : {3.5, -3.001, 100.0})
    EXPECT_NEAR(forward_dynamics(m, d, q, v, Eigen::VectorXd::Constant(1, tau), {}, k_rub)[0],
                (tau - std::copysign(3.0, tau)) / 2, 1e-12);
}

/// Random robots with trees, mimic groups, springs and rotors, some coordinates at rest:
/// the one of 3^k choices that satisfies the conditions.
TEST(FrictionAtRest, IsTheOneOfAllChoicesThatIsRight) {
  int compared = 0, stuck = 0, slid = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 3 + seed % 4);
    RobotDescription described = c.model.description();
    Random random(static_cast<std::uint64_t>(seed) + 17);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Model& m = c.model;
    Data d(m);
    Eigen::VectorXd v = x.v;
    std::vector<Index> at_rest;
    for (Index k = 0; k < m.nv() && at_rest.size() < 6; ++k)
      if (m.friction()[static_cast<std::size_t>(k)] > 0) v[k] = 0, at_rest.push_back(k);
    if (at_rest.empty()) continue;
    for (const double size : {0.05, 1.0, 30.0}) {
      const Eigen::VectorXd bias = bias_forces(m, d, x.q, v, {}, k_rub),
                            tau = bias + size * 0.05 * x.tau;  // near rest, so that some stick
      Eigen::MatrixXd M(m.nv(), m.nv());
      mass_matrix(m, d, x.q, M);
      int found = 0;
      const Eigen::VectorXd right = by_choices(M, tau - bias, at_rest, m.friction(), found);
      ASSERT_GE(found, 1) << c.name;
      const Eigen::VectorXd a = forward_dynamics(m, d, x.q, v, tau, {}, k_rub);
      const double scale = right.cwiseAbs().maxCoeff() + M.inverse().cwiseAbs().maxCoeff();
      EXPECT_LT((a - right).cwiseAbs().maxCoeff(), 1e-9 * scale) << c.name << " " << size;
      for (const Index k : at_rest) ++(a[k] == 0 ? stuck : slid);
      ++compared;
    }
  }
  EXPECT_GT(compared, effort(30));
  EXPECT_GT(stuck, effort(20));
  EXPECT_GT(slid, effort(20));
}

/// The same in a batch, of double and of float, in lanes that lie beside states that move; and no derivative there.
TEST(FrictionAtRest, OfABatchIsThatOfOneState) {
  for (int seed = 0; seed < effort(12); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 5);
    const Model& m = c.model;
    const Index n = 21;
    Eigen::MatrixXd q(n, m.nq()), v(n, m.nv()), tau(n, m.nv()), a(n, m.nv());
    for (Index s = 0; s < n; ++s) {
      const RandomState x = random_state(m, static_cast<std::uint64_t>(seed * 100 + s));
      q.row(s) = x.q;
      v.row(s) = s % 2 == 0 ? Eigen::VectorXd(x.v) : Eigen::VectorXd::Zero(m.nv());
      tau.row(s) = x.tau;
    }
    Batch batch(m, {.threads = 2});
    Data d(m);
    batch.forward_dynamics(q, v, tau, a, k_rub);
    double most = 0;
    for (const double f : m.friction()) most = std::max(most, f);
    for (Index s = 0; s < n; ++s) {
      const Eigen::VectorXd qs = q.row(s), vs = v.row(s), ts = tau.row(s);
      ASSERT_EQ(batch.report().status(s), Status::ok);
      const Eigen::VectorXd alone = forward_dynamics(m, d, qs, vs, ts, {}, k_rub);
      EXPECT_EQ((a.row(s).transpose() - alone).cwiseAbs().maxCoeff(), 0.0);
      TreeCholesky factor(m);
      Eigen::MatrixXd by_q(m.nv(), m.nv()), by_v = by_q, by_tau = by_q;
      const auto derive = [&] {
        forward_dynamics_derivatives(m, d, factor, qs, vs, ts, by_q, by_v, by_tau, {}, k_rub);
      };
      if (most > 0 && s % 2 == 1) {
        EXPECT_THROW(derive(), std::invalid_argument);
        EXPECT_SAYS("at rest", derive());
      } else {
        EXPECT_NO_THROW(derive());
      }
    }
    const Index nn = m.nv() * m.nv();
    Eigen::MatrixXd by_q(n, nn), by_v(n, nn), by_tau(n, nn);
    batch.run(Row<"forward_dynamics_derivatives">::row(), {q, v, tau}, {by_q, by_v, by_tau}, {.effects = k_rub});
    for (Index s = 0; s < n; ++s)
      EXPECT_EQ(batch.report().status(s), most > 0 && s % 2 == 1 ? Status::not_differentiable : Status::ok);
  }
}

}  // namespace
}  // namespace zwang::test
