// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics next to gimbal lock: three hinges with massless links between them, the last axis an angle delta
// from the first. What their elimination leaves of the third column's inertia is delta^2 of what it was.
#include <gtest/gtest.h>

#include <cmath>

#include "batch/arrays.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// A wrist of three hinges behind an arm of two, and a tool behind it.
Model gimbal() {
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><origin xyz='0.02 0.1 0.3'/><mass value='2'/><inertia ixx='.04' iyy='.05' "
           "izz='.01' ixy='.002' ixz='0' iyz='.003'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& xyz, const std::string& axis) {
    return "<joint name='" + name + "' type='continuous'><origin xyz='" + xyz + "'/><parent link='" + parent +
           "'/><child link='" + child + "'/><axis xyz='" + axis + "'/></joint>";
  };
  return loads("<robot name='gimbal'><link name='base'/>" + link("upper") + link("fore") +
               "<link name='yaw'/><link name='pitch'/>" + link("tool") + joint("a", "base", "upper", "0 0 0", "0 1 0") +
               joint("b", "upper", "fore", "0 0.1 0.6", "1 0 0") + joint("w1", "fore", "yaw", "0 0 0.5", "0 0 1") +
               joint("w2", "yaw", "pitch", "0 0 0", "0 1 0") + joint("w3", "pitch", "tool", "0 0 0", "1 0 0") +
               "</robot>");
}

/// Inverse dynamics give the torques back, to a few roundings of M q'' and of the bias: nothing is lost with 1 / delta.
TEST(Gimbal, ForwardDynamicsIsInvertedByInverseDynamics) {
  const Model model = gimbal();
  Data data(model);
  const Index n = model.nv(), states = 27;
  ASSERT_EQ(model.nq(), n);
  StateRows<double> q(states, n), v(states, n), tau(states, n), a(states, n);
  Random random(3);
  for (Index s = 0; s < states; ++s)
    for (Index k = 0; k < n; ++k) {
      q(s, k) = random.uniform(-1, 1);
      v(s, k) = random.uniform(-1, 1);
      tau(s, k) = random.uniform(-1, 1);
    }
  // Lock at pi / 2 of the second wrist hinge; 1e-3 ... 1e-7 beside it. The other states of a register are far from it.
  for (Index s = 0; s < states; s += 3) q(s, 3) = std::acos(-1.0) / 2 - std::pow(10.0, -3.0 - 0.5 * (s / 3));
  Batch batch(model, {.threads = 1});
  batch.forward_dynamics(q, v, tau, a);
  for (Index s = 0; s < states; ++s) {
    SCOPED_TRACE("state " + std::to_string(s));
    const Eigen::VectorXd qs = q.row(s), vs = v.row(s), ts = tau.row(s), lanes = a.row(s);
    const Eigen::VectorXd alone = forward_dynamics(model, data, qs, vs, ts);
    const Eigen::MatrixXd M = mass_matrix(model, data, qs);
    for (const Eigen::VectorXd& x : {alone, lanes}) {
      const Eigen::VectorXd back = inverse_dynamics(model, data, qs, vs, x);
      const double terms = M.norm() * x.norm() + ts.norm() + bias_forces(model, data, qs, vs).norm();
      EXPECT_LE((back - ts).norm(), 256 * std::numeric_limits<double>::epsilon() * terms);
    }
  }
}

}  // namespace
}  // namespace zwang::test
