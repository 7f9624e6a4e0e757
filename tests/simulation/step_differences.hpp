// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a step of contact beside differences of the whole step.
#pragma once
#include <gtest/gtest.h>

#include "simulation/scenery.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/simulation/contact_derivatives.hpp"

namespace zwang::test {

struct StepCase {
  Model model;
  ConstraintSet set;
  SimulationSettings settings;
  Scene scene;
  Eigen::VectorXd q, v, tau;
  Prescribed prescribed = {};
  SimulationInput input(const Eigen::VectorXd& of_q, const Eigen::VectorXd& of_v, const Eigen::VectorXd& of_tau) const {
    SimulationInput x{.q = of_q, .v = of_v, .tau = of_tau};
    if (!prescribed.empty()) x.prescribed = &prescribed;
    return x;
  }
};

/// (q', v') by q, v, tau [2 nv x 3 nv]: central differences, twice extrapolated.
inline Eigen::MatrixXd by_differences(const StepCase& c, double step, bool& good) {
  const Index n = c.model.nv();
  ContactDerivatives of(c.model, c.set, c.settings, c.scene);
  const ContactStepDerivatives& d = of.step(c.input(c.q, c.v, c.tau));
  const Eigen::VectorXd q0 = d.q;
  Eigen::MatrixXd out(2 * n, 3 * n);
  good = d.status == Status::ok;
  for (Index k = 0; k < 3 * n; ++k) {
    Eigen::VectorXd by[3];
    for (int level = 0; level < 3; ++level) {
      const double e = step / (1 << level);
      Eigen::VectorXd side[2];
      for (const int sign : {0, 1}) {
        Eigen::VectorXd x[3] = {Eigen::VectorXd::Zero(n), c.v, c.tau};
        x[k / n](k % n) += (sign == 0 ? -e : e);
        Eigen::VectorXd q(c.q.size());
        integrate(c.model, c.q, x[0], q);
        const ContactStepDerivatives& s = of.step(c.input(q, x[1], x[2]));
        good = good && s.v.allFinite() && s.v.squaredNorm() > 0;  // a step, whether or not it has derivatives
        side[sign].resize(2 * n);
        const Eigen::VectorXd reached = s.q;
        Eigen::VectorXd apart(n);
        difference(c.model, q0, reached, apart);
        side[sign] << apart, s.v;
      }
      by[level] = (side[1] - side[0]) / (2 * e);
    }
    const Eigen::VectorXd first = (4 * by[1] - by[0]) / 3, second = (4 * by[2] - by[1]) / 3;
    out.col(k) = (16 * second - first) / 15;
  }
  return out;
}

inline Eigen::MatrixXd whole(const ContactStepDerivatives& d) {
  const Index n = d.v.size();
  Eigen::MatrixXd out(2 * n, 3 * n);
  out << d.q_by.q, d.q_by.v, d.q_by.tau, d.v_by.q, d.v_by.v, d.v_by.tau;
  return out;
}

/// The largest difference in the six blocks, each beside its largest entry (or 1).
inline double disagreement(const StepCase& c, double step) {
  ContactDerivatives of(c.model, c.set, c.settings, c.scene);
  const ContactStepDerivatives& d = of.step(c.input(c.q, c.v, c.tau));
  EXPECT_EQ(d.status, Status::ok) << d.reason;
  EXPECT_TRUE(d.is_unique) << (d.borders.empty() ? "" : d.borders[0].name);
  const Eigen::MatrixXd exact = whole(d);
  bool good = false;
  const Eigen::MatrixXd differences = by_differences(c, step, good);
  EXPECT_TRUE(good);
  const Index n = c.model.nv();
  double most = 0;
  for (Index i = 0; i < 2; ++i)
    for (Index k = 0; k < 3; ++k) {
      const auto a = exact.block(i * n, k * n, n, n), b = differences.block(i * n, k * n, n, n);
      const double off = (a - b).cwiseAbs().maxCoeff() / std::max(1.0, a.cwiseAbs().maxCoeff());
      if (off > most) most = off;
    }
  return most;
}

}  // namespace zwang::test
