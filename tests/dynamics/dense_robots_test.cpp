// SPDX-License-Identifier: BSD-3-Clause
// Solvers on matrices, on real robots: frames held in all six directions, more rows than coordinates among them.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/dense_problems.hpp"
#include "support/close.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

/// Some links of the robot held still, all rows against the world; with `contradictory`, asked for anything.
DenseProblem held_links(const Model& model, int count, bool contradictory) {
  Data data(model);
  Random random(3);
  const Eigen::VectorXd q = random_configuration(model, random);
  const Index n = model.nv();
  DenseProblem p;
  p.M = mass_matrix(model, data, q);
  p.tau = random.vector(n, 10);
  p.parent.assign(model.tree<double>().row_parent, model.tree<double>().row_parent + n);
  p.J = RowMajor::Zero(6 * count, n);
  const auto& links = model.links();
  for (int c = 0; c < count; ++c) {
    const std::size_t link = links.size() - 1 - static_cast<std::size_t>(c) * links.size() / 4;
    Eigen::MatrixXd J(6, n);
    jacobian(model, data, q, links[link].frame, Reference::local_world_aligned, J);
    p.J.middleRows(6 * c, 6) = J;
  }
  // Axes that are right angles in all but rounding.
  p.J = p.J.unaryExpr([](double x) { return std::fabs(x) < 1e-13 ? 0.0 : x; }).eval();
  p.b = contradictory ? random.vector(6 * count, 5) : Eigen::VectorXd(p.J * random.vector(n, 5));
  return p;
}

TEST(DenseRobots, AgreeOnHeldLinks) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  int compared = 0;
  for (const std::string& file : shared_robots())
    for (const char* root : {"automatic", "floating"}) {
      const Model model = build(read_urdf(shared_robot(file)), {.root = root});
      for (const int count : {1, 4})
        for (const bool contradictory : {false, true}) {
          SCOPED_TRACE(file + ", root " + root + ", links " + std::to_string(count) +
                       (contradictory ? ", contradictory" : ""));
          const DenseProblem p = held_links(model, count, contradictory);
          const reference::HybridMotion expected = reference::hybrid_motion(p.reference());
          if (!expected.clear()) continue;
          ++compared;
          // pr2: 1e7. The roundings of M beside.
          const double tolerance = std::max(1e-11, 1e-14 * static_cast<double>(expected.amplification));
          for (const DenseMethod& m : dense_methods(model.nv(), 6 * count)) {
            SCOPED_TRACE(m.name);
            const DenseAnswer got = solve(m, p);
            EXPECT_EQ(got.rank, expected.rank);
            EXPECT_TRUE(within(got.acceleration, expected.acceleration, tolerance,
                               static_cast<double>(expected.acceleration.cwiseAbs().maxCoeff() +
                                                   expected.free.cwiseAbs().maxCoeff())));
            EXPECT_TRUE(within(got.lambda, expected.multipliers, 10 * tolerance,
                               static_cast<double>(expected.multipliers.cwiseAbs().maxCoeff())));
          }
        }
    }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace zwang::test
