// SPDX-License-Identifier: BSD-3-Clause
// Copies of a BatchSimulator: rows of a set that touch, rows that depend on each other, notes, overlaps.
#include <gtest/gtest.h>

#include <limits>

#include "simulation/many_copies.hpp"

namespace zwang::test {
namespace {

using Rows = StateRows<double>;
constexpr double k_pi = 3.141592653589793;
constexpr double k_epsilon = std::numeric_limits<double>::epsilon();

template <class A, class B> bool same(const A& a, const B& b) { return (a.array() == b.array()).all(); }

/// A box without a shape, which stands on its lower corners: 24 rows with friction, 8 without, and 6 coordinates.
struct StandingBox {
  explicit StandingBox(bool friction)
      : b({{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1}, .bare = true}}),
        set(b.model) {
    for (int k = 0; k < 8; ++k)
      set.add(ContactConstraint{.name = "corner" + std::to_string(k),
                                .frame = "box",
                                .point = {k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, k & 4 ? 0.1 : -0.1},
                                .rows = friction ? 3 : 1,
                                .friction = friction ? std::optional<double>(0.4) : std::nullopt,
                                .sense = {Sense::at_least},
                                .has_target = true});
    // A row with a sense that is no contact: its force is none of contact.
    set.add(JointConstraint{
        .name = "ceiling", .coordinates = {b.model.coordinate_names()[2]}, .sense = {Sense::at_most}, .target = {0.0}});
  }
  LooseBodies b;
  ConstraintSet set;
};

TEST(BatchMotions, ContactsOfTheSetPushOnTheLinksOfTheirFrames) {
  for (const bool friction : {true, false}) {
    const StandingBox x(friction);
    BatchSimulator batch(x.b.model, x.set, touching(1, 1e-3), Scene(x.b.model), 2, {.threads = 1});
    Rows v = Rows::Zero(2, x.b.model.nv());
    v(1, 0) = 3;  // slides
    ASSERT_EQ(batch.reset({.q = StatesIn<double>::for_all(x.b.q), .v = v}).ok, 2) << batch.report(0).reason;
    Rows tau = Rows::Zero(2, x.b.model.nv());
    tau(0, 2) = 50;  // up, against the ceiling
    batch.step(tau, 20);
    EXPECT_NEAR(batch.contact_force().row(0).norm(), 0, 1e-9) << "the ceiling is no contact";
    batch.reset({.q = StatesIn<double>::for_all(x.b.q), .v = v});
    ASSERT_EQ(batch.step({}, 50).ok, 2) << batch.report(0).reason;
    constexpr Index box = 1;  // after `base`
    ASSERT_EQ(x.b.model.links()[box].name, "box");
    const double weight = 2 * k_fall;
    for (Eigen::Index k = 0; k < 2; ++k) {
      const Eigen::Vector3d f = batch.contact_force().row(k).segment<3>(3 * box).transpose();
      const double pull = friction && k == 1 ? 0.4 * weight : 0;
      EXPECT_NEAR(f.z(), weight, 1e-9 * weight) << "copy " << k << (friction ? " with friction" : "");
      EXPECT_NEAR(f.x(), -pull, 1e-9 * weight) << "copy " << k;
      EXPECT_NEAR(f.y(), 0, 1e-9 * weight);
      EXPECT_EQ(batch.contact_force().row(k).head<3>().norm(), 0) << "nothing pushes on the base";
    }
  }
}

TEST(BatchMotions, ACopyGoesOnWithContactsOfTheSet) {
  const StandingBox x(true);
  ASSERT_GT(x.set.rows(), x.b.model.nv());
  BatchSimulator batch(x.b.model, x.set, touching(1, 1e-3), Scene(x.b.model), 2, {.threads = 1});
  Eigen::VectorXd v = x.b.v;
  v(0) = 1, v(5) = 4;
  batch.reset({.q = StatesIn<double>::for_all(x.b.q), .v = StatesIn<double>::for_all(v)});
  batch.step({}, 50);
  std::vector<ContactState> contacts(batch.contacts(0).begin(), batch.contacts(0).end());
  Index last = 0;
  for (const ContactState& c : contacts) last = std::max(last, c.coordinate);
  ASSERT_GE(last, x.b.model.nv());
  const Eigen::VectorXd q = batch.q().row(0), speed = batch.v().row(0);
  ASSERT_EQ(batch.reset(1, q, speed, contacts, batch.time()[0]), Status::ok) << batch.report(1).reason;
  batch.step({}, 50);
  EXPECT_TRUE(same(batch.q().row(0), batch.q().row(1)) && same(batch.v().row(0), batch.v().row(1)));
  contacts.back().coordinate = x.set.rows();
  EXPECT_THROW(batch.reset(1, q, speed, contacts), std::invalid_argument);
}

/// A parallelogram of links of 0.3 m about y, with a fourth link at its end. Where it is flat, both bars on the base's
/// line, the row of x is zero.
struct Chain {
  Chain() : model(made()), set(model) {
    set.add(LoopConstraint{.name = "pin", .frame = "anchor", .other = "link3", .rows = rows("linear.x linear.z")});
  }
  static Model made() {
    RobotDescription d{.name = "chain"};
    d.links = {{.name = "base"}, {.name = "anchor"}};
    JointDescription fixed{.name = "fixed", .type = "fixed", .parent = "base", .child = "anchor"};
    fixed.origin.p = {0.3, 0, 0};
    d.joints.push_back(fixed);
    for (int k = 0; k < 4; ++k) {
      LinkDescription link{.name = "link" + std::to_string(k), .mass = 1};
      link.inertia = Sym3<double>::diagonal(0.01, 0.01, 0.01);
      link.centre = {0.15, 0, 0};
      JointDescription j{
          .name = "turn" + std::to_string(k), .type = "revolute", .parent = k > 0 ? d.links.back().name : "base"};
      j.child = link.name;
      j.axis = {0, 1, 0};
      if (k > 0) j.origin.p = {0.3, 0, 0};
      d.links.push_back(link);
      d.joints.push_back(j);
    }
    return build(d, {.gravity = {0, 0, 0}});
  }
  /// Flat, and open.
  static Rows poses() {
    Rows q = Rows::Zero(2, 4);
    q.row(0) << 0, 0, k_pi, 0;
    q.row(1) << 0.6, -0.6, 0.6 + k_pi, 0.2;
    return q;
  }
  Model model;
  ConstraintSet set;
};

/// What a solve learns of one copy, that rows are dependent, does not change the bits of the next.
TEST(BatchMotions, DependentRowsOfOneCopyDoNotChangeAnother) {
  const Chain x;
  const Scene scene(x.model);
  const Rows q = Chain::poses(), v = Rows::Zero(2, 4);
  Rows tau = Rows::Zero(2, 4);
  tau.row(1) << 0.1, -0.05, 0.07, 0.02;
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), scene, 2, {.threads = 1});
  ASSERT_EQ(batch.reset({.q = q, .v = v}).ok, 2) << batch.report(0).reason;
  Simulator alone(x.model, x.set, touching(1, 1e-3), scene);
  const Eigen::VectorXd at = q.row(1), torque = tau.row(1);
  ASSERT_TRUE(alone.start({.q = at, .tau = torque}));
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(batch.step(tau).ok, 2) << batch.report(0).reason;
    ASSERT_TRUE(alone.step());
    ASSERT_TRUE(same(batch.q().row(1).transpose(), alone.state().q)) << "step " << k;
    ASSERT_TRUE(same(batch.v().row(1).transpose(), alone.state().v)) << "step " << k;
  }
}

/// At the start: velocities that rows do not permit, and what the first solve warns of.
TEST(BatchMotions, NotesAreThoseOfASimulator) {
  const Chain x;
  const Scene scene(x.model);
  const Rows q = Chain::poses();
  Rows v = Rows::Zero(2, 4);
  v.row(1) << 1, 1, 1, 1;
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), scene, 2, {.threads = 1});
  ASSERT_EQ(batch.reset({.q = q, .v = v}).ok, 2) << batch.report(0).reason;
  for (Index k = 0; k < 2; ++k) {
    Simulator alone(x.model, x.set, touching(1, 1e-3), scene);
    const Eigen::VectorXd at = q.row(k), speed = v.row(k);
    ASSERT_TRUE(alone.start({.q = at, .v = speed}));
    const std::vector<SimulationNote>&ours = batch.report(k).notes, &theirs = alone.report().notes;
    ASSERT_EQ(ours.size(), theirs.size()) << k;
    EXPECT_GT(theirs.size(), 0U) << k;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].about, theirs[i].about);
      EXPECT_EQ(ours[i].text, theirs[i].text);
    }
  }
}

/// With a tolerance below rounding what is left of an overlap is too much: of the copies that land, after that step.
TEST(BatchMotions, OverlapsBeyondTheToleranceStopTheirCopy) {
  const LooseBodies b({ball("ball", 1, 0.1, {0, 0, 0.11})});
  const Scene scene = on_ground(b.model, 0.5);
  SimulationSettings settings = touching(1, 1e-3);
  settings.drift_tolerance = 1e-3 * k_epsilon;
  BatchSimulator batch(b.model, ConstraintSet(b.model), settings, scene, 2, {.threads = 1});
  Rows q = b.q.transpose().replicate(2, 1), v = Rows::Zero(2, b.model.nv());
  q(1, 2) = 5;
  v(0, 1) = 0.7, v(0, 4) = 3;
  ASSERT_EQ(batch.reset({.q = q, .v = v}).ok, 2) << batch.report(0).reason;
  batch.step({}, 500);
  EXPECT_EQ(batch.report().status(1), Status::ok);
  ASSERT_EQ(batch.report().status(0), Status::drifted) << batch.report(0).reason;
  const double end = batch.time()[0];
  EXPECT_GT(end, 0.03);
  EXPECT_LT(end, 0.5);
  settings.time = end;
  Simulator alone(b.model, ConstraintSet(b.model), settings, scene);
  const Eigen::VectorXd at = q.row(0), speed = v.row(0);
  const Trajectory t = alone.run({.q = at, .v = speed});
  EXPECT_EQ(t.report.status, Status::drifted);
  EXPECT_EQ(t.report.reason, batch.report(0).reason);
  settings.time = end - settings.dt;  // not before
  EXPECT_EQ(Simulator(b.model, ConstraintSet(b.model), settings, scene).run({.q = at, .v = speed}).report.status,
            Status::ok);
  const Rows stays = batch.q();
  batch.step();
  EXPECT_TRUE(same(stays.row(0), batch.q().row(0))) << "it stays";
  EXPECT_EQ(batch.reset(0, at), Status::ok);
}

}  // namespace
}  // namespace zwang::test
