// SPDX-License-Identifier: BSD-3-Clause
// Differences of solves along a direction of their inputs.
#pragma once
#include "dynamics/mixed.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {

/// Central differences of fourth order: f(step, weight) at the four places whose weighted sum is the derivative. Its
/// error is of h^4 and of eps / h.
template <class F> void at_four_places(double h, F&& f) {
  const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, step[] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; ++k) f(h * step[k], weight[k] / h);
}

/// A direction of all inputs.
struct Direction {
  Eigen::VectorXd q, v, tau, beta;
  Direction() = default;
  Direction(Random& random, Index nv, Index rows)
      : q(random.vector(static_cast<int>(nv))),
        v(random.vector(static_cast<int>(nv))),
        tau(random.vector(static_cast<int>(nv))),
        beta(random.vector(static_cast<int>(rows))) {}
};

/// The state and forces of x, moved by e along d.
inline Mixed moved(const Model& model, Mixed x, const Direction& d, double e) {
  integrate(model, Eigen::VectorXd(x.state.q), e * d.q, x.state.q);
  x.state.v += e * d.v;
  x.state.tau += e * d.tau;
  return x;
}
/// beta + by, of all rows of a set.
inline void move_beta(ConstraintSet& set, const Eigen::VectorXd& by) {
  Index r = 0;
  for (std::size_t k = 0; k < set.constraints().size(); ++k) {
    Constraint& c = set[set.constraints()[k].name];
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.size()); ++i) c.beta[i] = c.beta.value()[i] + by(r++);
  }
}

}  // namespace zwang::test
