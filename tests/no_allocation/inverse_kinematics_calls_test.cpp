// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of chains allocates nothing after construction: solutions, nearest poses, velocities, two targets.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

TEST(InverseKinematicsCalls, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model model = build(sample_arm7());
  SerialInverseKinematics chain(model, "base", "tool0");
  InverseKinematics ik(model, {{"tool0"}});
  InverseKinematics two(model, {{"tool0"}, {"link4"}});
  std::vector<Transform<double>> poses(1), both(2);
  const Eigen::VectorXd q0 = neutral(model), none;
  const SerialVelocitySettings limits;
  Motion<double> twist{{0.1, 0.2, 0.3}, {1, 2, 3}};
  int met = 0, nearest = 0, together = 0;
  for (std::uint64_t k = 0; k < 50; ++k) {
    const Eigen::VectorXd q = random(model, k);
    poses[0] = chain.pose(q);
    both = {poses[0], SerialInverseKinematics(model, "base", "link4").pose(q)};
    if (k % 10 == 0) poses[0].p = poses[0].p * 3.0;
    EXPECT_NO_ALLOCATION({
      met += chain.solve(poses[0], q0).status == PoseStatus::ok;
      nearest += chain.try_solve(poses[0], q0).status == PoseStatus::nearest_found;
      chain.velocity(q, twist, limits, none, none);
      ik.solve(poses, q0);
      together += two.solve(both, q0).serial;
    });
  }
  EXPECT_GT(met, 30);
  EXPECT_GT(nearest, 0);
  EXPECT_EQ(together, 50);
}

}  // namespace
}  // namespace zwang::test
