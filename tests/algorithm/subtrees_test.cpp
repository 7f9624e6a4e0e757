// SPDX-License-Identifier: BSD-3-Clause
// Centres of mass of subtrees, columns of joints, supports, and the regressors of friction and of geometry:
// laws, and the reference in long double.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithm/held.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

/// Of the links that stand behind the body of `link`, by the reference:
/// mass, and mass-weighted Jacobian of their centres.
template <class S> auto centre_jacobian(const Held& h, const S& s, const Link& link) {
  using T = std::remove_cvref_t<decltype(s.pose(link.name).p(0))>;
  reference::MatrixX<T> J = reference::MatrixX<T>::Zero(3, h.nv);
  Real mass = 0;
  const Index first = link.body.value, last = h.data.tree().body[first].last;
  for (const reference::RigidLink& other : h.c.reference.links()) {
    const Index body = h.m.links()[static_cast<std::size_t>(h.m.find_link(other.name).value)].body.value;
    if (body < first || body >= last || other.mass == 0) continue;
    const reference::MatrixX<T> six = s.jacobian(other.name, axes_of(Reference::local_world_aligned));
    const reference::Vector3<T> c = s.pose(other.name).R * other.centre.template cast<T>();
    for (Index k = 0; k < h.nv; ++k) {
      // Not cross(): Eigen conjugates complex numbers there.
      const reference::Vector3<T> v = six.col(k).head(3), w = six.col(k).tail(3);
      const reference::Vector3<T> turned(w(1) * c(2) - w(2) * c(1), w(2) * c(0) - w(0) * c(2),
                                         w(0) * c(1) - w(1) * c(0));
      J.col(k) += T(other.mass) * (v + turned);
    }
    mass += other.mass;
  }
  if (mass > 0) J /= T(mass);
  return J;
}

TEST(Subtrees, CentresMoveAsTheReferenceSays) {
  for_cases(60, [](Held& h) {
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0 || !(subtree_mass(h.m, h.data, link.frame) > 0)) continue;
      const auto jacobian = [&](const auto& s) { return centre_jacobian(h, s, link); };
      const reference::MatrixX<Real> expected = jacobian(h.s);
      const double scale = largest(expected) + 1;
      const Eigen::MatrixXd J = subtree_centre_of_mass_jacobian(h.m, h.data, h.x.q, link.frame);
      EXPECT_TRUE(within(J, expected, k_sweep, scale)) << link.name;
      const double speed = scale * static_cast<double>(h.nv) * (largest(h.x.v) + 1);
      EXPECT_TRUE(within(eigen(subtree_centre_of_mass_velocity(h.m, h.data, h.x.q, h.x.v, link.frame)), J * h.x.v,
                         k_sweep, speed));
      const Eigen::MatrixXd rate = h.along(h.x.v, Eigen::VectorXd::Zero(h.nv), jacobian);
      EXPECT_TRUE(within(eigen(subtree_centre_of_mass_acceleration(h.m, h.data, h.x.q, h.x.v, h.x.a, link.frame)),
                         J * h.x.a + rate * h.x.v, k_sweep,
                         scale * static_cast<double>(h.nv) * (largest(h.x.a) + 1) + speed * (largest(h.x.v) + 1) * 10));
    }
  });
}

TEST(Subtrees, OfTheRootAreTheWholeRobot) {
  for_cases(40, [](Held& h) {
    if (h.m.bodies() == 0 || h.data.tree().body[1].last != h.m.bodies() + 1) return;  // several branches
    const auto root =
        std::find_if(h.m.links().begin(), h.m.links().end(), [](const Link& l) { return l.body.value == 1; });
    if (!(subtree_mass(h.m, h.data, root->frame) > 0)) return;
    EXPECT_TRUE(within(subtree_centre_of_mass_jacobian(h.m, h.data, h.x.q, root->frame),
                       centre_of_mass_jacobian(h.m, h.data, h.x.q), k_sweep, 10));
    EXPECT_TRUE(within(eigen(subtree_centre_of_mass(h.m, h.data, h.x.q, root->frame)),
                       eigen(centre_of_mass(h.m, h.data, h.x.q)), k_sweep, 100));
  });
}

/// The joints between the ground and a link, also those that were merged.
std::vector<JointId> joints_towards(const Model& m, LinkId at) {
  std::vector<JointId> path;
  while (at.value >= 0) {
    const Link& link = m.links()[static_cast<std::size_t>(at.value)];
    if (link.joint.value >= 0) path.push_back(link.joint);
    at = link.parent;
  }
  return path;
}

TEST(JointColumns, AddUpToTheJacobianAndItsRateAlongAPath) {
  for_cases(80, [](Held& h) {
    const Link& link = h.m.links().back();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, h.nv), J_dot = J;
    Eigen::VectorXd bias = Eigen::VectorXd::Zero(6);
    for (const JointId id : joints_towards(h.m, h.m.find_link(link.name))) {
      const Joint& joint = h.m.joints()[static_cast<std::size_t>(id.value)];
      if (joint.lumped || joint.body.value == 0) {
        Eigen::MatrixXd none(6, 0);
        EXPECT_THROW(joint_columns(h.m, h.data, h.x.q, h.x.v, id, none, none), std::invalid_argument);
        continue;
      }
      Eigen::MatrixXd S(6, joint.v.size), S_dot(6, joint.v.size);
      bias += joint_columns(h.m, h.data, h.x.q, h.x.v, id, S, S_dot).eigen();
      J.middleCols(joint.v.first, joint.v.size) += S;
      J_dot.middleCols(joint.v.first, joint.v.size) += S_dot;
    }
    const double scale = largest(J) + largest(J_dot) + 10;
    EXPECT_TRUE(within(J, jacobian(h.m, h.data, h.x.q, link.frame, Reference::world), k_sweep, scale));
    const Eigen::MatrixXd expected = jacobian_dot(h.m, h.data, h.x.q, h.x.v, link.frame, Reference::world);
    EXPECT_TRUE(within(J_dot, expected, k_sweep, scale));
    EXPECT_TRUE(within(bias, expected * h.x.v, k_sweep, scale * (largest(h.x.v) + 1) * static_cast<double>(h.nv)));
  });
}

TEST(Support, IsWhereTheJacobianIsNotZero) {
  for_cases(80, [](Held& h) {
    for (const Frame& frame : h.m.frames()) {
      const FrameId id = h.m.find_frame(frame.name);
      const std::vector<Index> moved = support(h.m, id);
      EXPECT_TRUE(std::is_sorted(moved.begin(), moved.end()));
      const Eigen::MatrixXd J = jacobian(h.m, h.data, h.x.q, id, Reference::world);
      for (Index k = 0; k < h.nv; ++k)
        EXPECT_EQ(std::count(moved.begin(), moved.end(), k), J.col(k).norm() > 1e-9) << frame.name << ' ' << k;
    }
  });
}

TEST(FrictionRegressor, TimesTheCoefficientsIsWhatInverseDynamicsAdds) {
  int checked = 0;
  for_cases(80, [&](Held& h) {
    Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(2 * h.nv);
    for (const Joint& j : h.m.joints()) {
      if (!j.mimic.leader.empty()) return;
      const auto take = [&](const std::vector<double>& x, Index first) {
        for (Index k = 0; k < j.v.size && !x.empty(); ++k)
          coefficients(first + j.v.first + k) = x[x.size() == 1 ? 0 : static_cast<std::size_t>(k)];
      };
      take(j.description.damping, 0);
      take(j.description.friction, h.nv);
    }
    const Eigen::VectorXd with = inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a, {}, {false, true, false, true});
    const Eigen::VectorXd without =
        inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a, {}, {false, false, false, false});
    EXPECT_TRUE(within(friction_regressor(h.m, h.x.v) * coefficients, with - without, k_sweep, largest(with) + 1));
    checked += coefficients.norm() > 0;
  });
  EXPECT_GT(checked, 0);
}

TEST(KinematicRegressor, IsTheDerivativeByThePlacementOfJoints) {
  // Central differences with steps of 1e-5: 1e-10 of truncation, 1e-11 of rounding.
  const double h = 1e-5;
  for (int seed = 0; seed < effort(25); ++seed) {
    const RobotDescription robot =
        random_description(static_cast<std::uint64_t>(seed), 4, seed % 2 ? "fixed" : "floating");
    const Model m = build(robot);
    if (m.nv() == 0) continue;
    Data data(m);
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    const std::string frame = m.links().back().name;
    const Transform<double> at = frame_pose(m, data, x.q, frame);
    const Eigen::MatrixXd Y = kinematic_regressor(m, data, x.q, frame, Reference::local);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, Y.cols());
    for (std::size_t k = 0; k < m.joints().size(); ++k) {
      std::size_t j = 0;
      while (j < robot.joints.size() && robot.joints[j].name != m.joints()[k].name) ++j;
      if (j == robot.joints.size()) {  // the joint that the root was hung on
        expected.middleCols(6 * static_cast<Eigen::Index>(k), 6) = Y.middleCols(6 * static_cast<Eigen::Index>(k), 6);
        continue;
      }
      for (int i = 0; i < 6; ++i) {
        Motion<double> step = Motion<double>::zero();
        step[i] = h;
        const auto moved = [&](const Motion<double>& xi) {
          RobotDescription other = robot;
          other.joints[j].origin = other.joints[j].origin * exp_se3(xi);
          const Model there = build(other);
          Data scratch(there);
          return log_se3(inverse_times(at, frame_pose(there, scratch, x.q, frame))).eigen();
        };
        expected.col(6 * static_cast<Eigen::Index>(k) + i) = (moved(step) - moved(-step)) / (2 * h);
      }
    }
    EXPECT_TRUE(within(Y, expected, 1e-8, largest(Y) + 1)) << "seed " << seed;
    // Seen otherwise, the same motion.
    const Transform<double> X = at;
    for (Eigen::Index c = 0; c < Y.cols(); ++c) {
      const Motion<double> world = X * Motion<double>(Y.col(c));
      EXPECT_TRUE(within(kinematic_regressor(m, data, x.q, frame, Reference::world).col(c), world.eigen(), 1e-12, 100));
      const Motion<double> aligned{X.R * Motion<double>(Y.col(c)).v, X.R * Motion<double>(Y.col(c)).w};
      EXPECT_TRUE(within(kinematic_regressor(m, data, x.q, frame).col(c), aligned.eigen(), 1e-12, 100));
    }
  }
}

TEST(Quantities, RefuseWrongSizesAndJoints) {
  const Case c = random_case(5, 6);
  const Model& m = c.model;
  Data data(m);
  const RandomState x = random_state(m, 1);
  const FrameId tip = m.links().back().frame;
  Eigen::MatrixXd small(2, 2);
  EXPECT_THROW(subtree_centre_of_mass_jacobian(m, data, x.q, tip, small), std::invalid_argument);
  EXPECT_THROW(kinematic_regressor(m, data, x.q, tip, Reference::local, small), std::invalid_argument);
  EXPECT_THROW(friction_regressor(m, x.v, small), std::invalid_argument);
  EXPECT_THROW(joint_columns(m, data, x.q, x.v, JointId(), small, small), std::invalid_argument);
  EXPECT_THROW(joint_columns(m, data, x.q, x.v, JointId(1000), small, small), std::invalid_argument);
  EXPECT_THROW(support(m, "no such frame"), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
