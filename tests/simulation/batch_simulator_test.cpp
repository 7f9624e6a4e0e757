// SPDX-License-Identifier: BSD-3-Clause
// Copies of a BatchSimulator move as Simulators of their own do, whatever the others, the threads and the calls.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "simulation/many_copies.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Rows = StateRows<double>;

template <class A, class B> bool same_row(const A& a, const B& b, Eigen::Index k, Eigen::Index j) {
  return std::memcmp(a.data() + k * a.cols(), b.data() + j * b.cols(),
                     sizeof(double) * static_cast<std::size_t>(a.cols())) == 0;
}
bool same_contacts(std::span<const ContactState> a, std::span<const ContactState> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ContactState& x, const ContactState& y) {
    return x.what == y.what && x.a == y.a && x.b == y.b && x.feature == y.feature && x.kind == y.kind &&
           std::memcmp(&x.force, &y.force, sizeof x.force) == 0 && std::memcmp(&x.slip, &y.slip, sizeof x.slip) == 0;
  });
}

/// A box that slides and tumbles, a ball that bounces, a heap: with restitution and a surface that gives way.
struct Heap {
  Heap() : bodies(made()), scene(on_ground(bodies.model, 0.4)), set(bodies.model) {
    scene.set_pair("ball", "ground", {.friction = 0.5, .restitution = 0.7});
    scene.set_pair("other", "ground", {.stiffness = 1e4, .damping = 20});
  }
  static LooseBodies made() {
    Loose sliding = box("box", 2, {0.4, 0.3, 0.2}, {0, 0, 0.1});
    sliding.velocity = {2, 1, 0};
    return LooseBodies({sliding, ball("ball", 1, 0.1, {1, 0, 0.4}), box("other", 1, {0.2, 0.2, 0.2}, {0, 0, 0.3})});
  }
  LooseBodies bodies;
  Scene scene;
  ConstraintSet set;
};

const std::vector<long> k_300 = {1, 1, 7, 91, 200}, k_1000 = {1, 1, 7, 91, 400, 500};

/// Each copy beside a Simulator: states, contacts, totals and energy are equal to the bit after steps that are asked
/// for in calls of these lengths, and something has touched.
void expect_as_alone(const Model& model, const ConstraintSet& set, const Scene& scene, const Rows& q, const Rows& v,
                     const Rows& tau, const std::vector<long>& calls,
                     const SimulationSettings& settings = touching(1.5, 1e-3)) {
  BatchSimulator batch(model, set, settings, scene, static_cast<Index>(q.rows()), {.threads = 2});
  EXPECT_EQ(batch.reset({.q = q, .v = v}).ok, q.rows());
  std::vector<Simulator> alone;
  for (Eigen::Index k = 0; k < q.rows(); ++k) {
    const Eigen::VectorXd at = q.row(k), speed = v.row(k), torque = tau.row(k);
    alone.emplace_back(model, set, settings, scene);
    ASSERT_TRUE(alone.back().start({.q = at, .v = speed, .tau = torque})) << alone.back().report().reason;
  }
  bool touched = false;
  for (const long count : calls) {
    ASSERT_EQ(batch.step(tau, count).ok, q.rows());
    for (Index k = 0; k < static_cast<Index>(q.rows()); ++k) {
      Simulator& one = alone[static_cast<std::size_t>(k)];
      for (long i = 0; i < count; ++i) ASSERT_TRUE(one.step()) << one.report().reason;
      const SimulationState& s = one.state();
      ASSERT_TRUE((batch.q().row(k).transpose().array() == s.q.array()).all()) << "copy " << k << " at " << s.time;
      ASSERT_TRUE((batch.v().row(k).transpose().array() == s.v.array()).all()) << "copy " << k << " at " << s.time;
      EXPECT_EQ(batch.time()[k], s.time);
      EXPECT_EQ(batch.energy()[k], s.energy);
      EXPECT_TRUE(same_contacts(batch.contacts(k), s.contacts));
      for (const ContactState& c : s.contacts) touched = touched || c.what == ContactState::What::point;
      const ContactTotals &a = batch.report(k).contact, &b = one.report().contact;
      EXPECT_EQ(a.residual, b.residual);
      EXPECT_EQ(a.penetration, b.penetration);
      EXPECT_EQ(a.iterations, b.iterations);
      EXPECT_EQ(a.impacts, b.impacts);
      EXPECT_EQ(a.free_steps + a.warm_steps + a.cold_steps, b.free_steps + b.warm_steps + b.cold_steps);
      EXPECT_EQ(batch.report(k).notes.size(), one.report().notes.size());
    }
  }
  EXPECT_TRUE(touched);
}

TEST(BatchSimulator, QuadrupedsMoveAsSimulatorsOfTheirOwn) {
  Quadrupeds x(4);
  x.q.col(2).array() -= 0.15;
  Rows tau = Rows::Zero(4, x.model.nv());
  for (Eigen::Index k = 0; k < 4; ++k)
    for (Eigen::Index i = 6; i < tau.cols(); ++i) tau(k, i) = 2 * std::sin(static_cast<double>(i + 5 * k));
  expect_as_alone(x.model, x.set, x.scene, x.q, x.v, tau, k_300);
}

/// A row that projection holds, limits, dry friction and dampers.
TEST(BatchSimulator, RowsLimitsAndDryFrictionAreThoseOfASimulator) {
  Quadrupeds x(3);
  x.q.col(2).array() -= 0.15;
  x.set.add(JointConstraint{.name = "stiff", .coordinates = {"LF_knee"}});
  x.scene.set_pair("RF_foot", "ground", {.restitution = 0.3});
  SimulationSettings settings = touching(1.5, 1e-3);
  settings.solver.joint_effects.friction = settings.solver.joint_effects.damping = true;
  Rows tau = Rows::Zero(3, x.model.nv());
  for (Eigen::Index k = 0; k < 3; ++k) tau(k, 10) = 30.0 * static_cast<double>(k - 1);
  expect_as_alone(x.model, x.set, x.scene, x.q, x.v, tau, k_300, settings);
}

/// Three links: one copy begins folded, so that its first and last pass through each other; those of the others touch.
TEST(BatchSimulator, PairsAreLeftOutOfTheCopyThatBeginsInside) {
  RobotDescription d{.name = "fold"};
  Shape bar{.kind = Shape::Kind::box, .collision = true};
  bar.size[0] = 0.3, bar.size[1] = bar.size[2] = 0.04;
  bar.origin.p = {0.175, 0, 0};
  d.links = {{.name = "base"}};
  for (const char* name : {"first", "second", "third"}) {
    LinkDescription link{.name = name, .mass = 1, .inertia = Sym3<double>::diagonal(0.01, 0.01, 0.01)};
    link.centre = {0.175, 0, 0};
    link.shapes = {bar};
    link.shapes[0].name = name;
    JointDescription j{.name = std::string("to ") + name, .type = "revolute", .parent = d.links.back().name};
    j.child = name;
    j.axis = {0, 0, 1};
    if (d.links.size() > 1) j.origin.p = {0.35, 0, 0};
    d.links.push_back(link);
    d.joints.push_back(j);
  }
  const Model m = build(d, {.gravity = {0, 0, 0}});
  Rows q = Rows::Zero(4, 3), tau = Rows::Zero(4, 3);
  for (Eigen::Index k = 0; k < 4; ++k) q(k, 1) = q(k, 2) = k % 2 == 0 ? 2.2 : 1.9;
  tau.rightCols<2>().setConstant(0.2);
  const ConstraintSet set(m);
  const Scene scene(m);
  expect_as_alone(m, set, scene, q, Rows(Rows::Zero(4, 3)), tau, k_1000);
  BatchSimulator batch(m, set, touching(1, 1e-3), scene, 4, {.threads = 1});
  batch.reset({.q = q});
  EXPECT_EQ(batch.report(0).notes.size(), batch.report(1).notes.size() + 1);
  bool touched = false;
  for (int k = 0; k < 1000; ++k) {
    batch.step(tau);
    touched = touched || !batch.contacts(3).empty();
    EXPECT_TRUE(batch.contacts(2).empty());
  }
  EXPECT_TRUE(touched);
}

TEST(BatchSimulator, BouncingAndSoftBodiesMoveAsAlone) {
  const Heap x;
  Rows q = x.bodies.q.transpose().replicate(4, 1), v = x.bodies.v.transpose().replicate(4, 1);
  const Joint& ball = x.bodies.model.joint("free ball");
  for (Eigen::Index k = 0; k < 4; ++k) {
    q(k, ball.q.first + 2) += 0.1 * static_cast<double>(k);
    v(k, ball.v.first) = 0.3 * static_cast<double>(k);
  }
  expect_as_alone(x.bodies.model, x.set, x.scene, q, v, Rows(Rows::Zero(4, x.bodies.model.nv())), k_1000);
}

/// Torques by a controller of the state, so that errors would grow: two and three threads, other places, one at a time.
TEST(BatchSimulator, BitsDoNotDependOnThreadsPlacesAndNumbers) {
  constexpr Eigen::Index n = 13;
  const Quadrupeds x(n);
  const auto run = [&](const Rows& q, const Rows& v, int threads, Rows& end_q, Rows& end_v) {
    BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, static_cast<Index>(q.rows()),
                         {.threads = threads});
    ASSERT_EQ(batch.reset({.q = q, .v = v}).ok, q.rows());
    for (int k = 0; k < 120; ++k) ASSERT_EQ(batch.step(x.holding(batch), 2).ok, q.rows());
    end_q = batch.q();
    end_v = batch.v();
  };
  Rows q1, v1, q2, v2;
  run(x.q, x.v, 1, q1, v1);
  for (const int threads : {2, 3}) {
    run(x.q, x.v, threads, q2, v2);
    EXPECT_TRUE((q1.array() == q2.array()).all() && (v1.array() == v2.array()).all()) << threads << " threads";
  }
  run(x.q.colwise().reverse(), x.v.colwise().reverse(), 2, q2, v2);
  for (Eigen::Index k = 0; k < n; ++k)
    EXPECT_TRUE(same_row(q1, q2, k, n - 1 - k) && same_row(v1, v2, k, n - 1 - k)) << k;
  for (const Eigen::Index k : {Eigen::Index{0}, Eigen::Index{9}}) {
    run(x.q.row(k), x.v.row(k), 1, q2, v2);
    EXPECT_TRUE(same_row(q1, q2, k, 0) && same_row(v1, v2, k, 0)) << k;
  }
}

TEST(BatchSimulator, ACopyThatFailsLeavesTheOthersAlone) {
  const Quadrupeds x(5);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 5, {.threads = 2});
  BatchSimulator well(x.model, x.set, touching(1, 1e-3), x.scene, 5, {.threads = 1});
  Rows q = x.q;
  q(4, 3) = 2;  // a quaternion that is none
  EXPECT_EQ(batch.reset({.q = q, .v = x.v}).status(4), Status::invalid_input);
  well.reset({.q = x.q, .v = x.v});
  for (int k = 0; k < 400; ++k) {
    Rows tau = x.holding(batch);
    if (k == 200) tau(1, 8) = std::numeric_limits<double>::quiet_NaN();
    if (k == 250) tau.row(2).setConstant(1e300);
    batch.step(tau);
    well.step(x.holding(well));
  }
  EXPECT_EQ(batch.report().ok, 2);
  EXPECT_EQ(batch.report().status(1), Status::non_finite_input);
  EXPECT_NE(batch.report(1).reason.find("tau"), std::string::npos) << batch.report(1).reason;
  EXPECT_NE(batch.report().status(2), Status::ok);
  EXPECT_FALSE(batch.report(2).reason.empty());
  EXPECT_NEAR(batch.time()[1], 0.2, 1e-12);
  EXPECT_NEAR(batch.time()[2], 0.25, 1e-12);
  EXPECT_TRUE(batch.q().topRows(4).allFinite() && batch.v().topRows(4).allFinite());
  for (const Eigen::Index k : {0, 3})
    EXPECT_TRUE(same_row(batch.q(), well.q(), k, k) && same_row(batch.v(), well.v(), k, k)) << k;
  // A new state, and it goes on.
  EXPECT_EQ(batch.reset(1, Eigen::VectorXd(x.q.row(1)), Eigen::VectorXd(x.v.row(1))), Status::ok);
  EXPECT_EQ(batch.time()[1], 0);
  for (int k = 0; k < 400; ++k) batch.step(x.holding(batch));
  EXPECT_EQ(batch.report().ok, 3);
  EXPECT_TRUE(same_row(batch.q(), well.q(), 1, 1)) << "what has failed left nothing behind";
}

/// A slider that is driven into a wall: those that arrive have no answer.
TEST(BatchSimulator, CopiesWithoutAnAnswerStopThere) {
  const LooseBodies b({box("box", 1, {0.2, 0.2, 0.2}, {0, 0, 0})}, {0, 0, 0});
  Scene scene(b.model);
  scene.add_ground({.normal = {-1, 0, 0}, .offset = -1});  // x <= 1
  ConstraintSet set(b.model);
  set.add(JointConstraint{.name = "drive", .coordinates = {b.model.coordinate_names()[0]}});
  BatchSimulator batch(b.model, set, touching(1, 1e-3), scene, 3, {.threads = 2});
  Rows q = b.q.transpose().replicate(3, 1), v = Rows::Zero(3, b.model.nv());
  v.col(0).setConstant(1);
  q(1, 0) = 0.8;
  ASSERT_EQ(batch.reset({.q = q, .v = v}).ok, 3) << batch.report(0).reason;
  batch.step({}, 300);
  EXPECT_EQ(batch.report().status(1), Status::infeasible) << batch.report(1).reason;
  EXPECT_NE(batch.report(1).reason.find("ground"), std::string::npos) << batch.report(1).reason;
  EXPECT_LE(batch.q()(1, 0), 0.9 + 1e-9);
  EXPECT_NEAR(batch.time()[1], 0.1, 2e-3);
  for (const Index k : {0, 2}) {
    EXPECT_EQ(batch.report().status(k), Status::ok);
    EXPECT_NEAR(batch.q()(k, 0), 0.3, 1e-12);
  }
}

TEST(BatchSimulator, ResetsTheCopiesOfItsMask) {
  const Quadrupeds x(4);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 4, {.threads = 2});
  batch.reset({.q = x.q, .v = x.v});
  for (int k = 0; k < 300; ++k) batch.step(x.holding(batch));
  EXPECT_GT(batch.contact_force().row(1).norm(), 0);
  const Rows before = batch.q();
  const std::vector<unsigned char> mask = {0, 1, 0, 1};
  EXPECT_EQ(batch.reset({.q = x.q, .v = x.v, .mask = mask}).ok, 4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    EXPECT_TRUE(same_row(batch.q(), mask[static_cast<std::size_t>(k)] ? x.q : before, k, k)) << k;
    EXPECT_EQ(batch.report(static_cast<Index>(k)).steps, mask[static_cast<std::size_t>(k)] ? 0 : 300);
  }
  EXPECT_EQ(batch.contact_force().row(1).norm(), 0);
  EXPECT_TRUE(batch.contacts(1).empty());
  // A state and its contacts are all that a motion carries: copy 3 goes on as copy 0.
  const Eigen::VectorXd q = batch.q().row(0), v = batch.v().row(0);
  const std::vector<ContactState> contacts(batch.contacts(0).begin(), batch.contacts(0).end());
  ASSERT_FALSE(contacts.empty());
  EXPECT_EQ(batch.reset(3, q, v, contacts, batch.time()[0]), Status::ok);
  EXPECT_TRUE(same_row(batch.contact_force(), batch.contact_force(), 3, 0));
  for (int k = 0; k < 200; ++k) batch.step(x.holding(batch), 2);
  EXPECT_TRUE(same_row(batch.q(), batch.q(), 0, 3) && same_row(batch.v(), batch.v(), 0, 3));
  EXPECT_TRUE(same_contacts(batch.contacts(0), batch.contacts(3)));
}

/// What the ground does is weight and change of momentum.
TEST(BatchSimulator, ForcesOnLinksCarryTheWeight) {
  const Quadrupeds x(2);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 2);
  batch.reset({.q = x.q});
  for (int k = 0; k < 3000; ++k) batch.step(x.holding(batch));
  const double weight = 9.81 * x.model.mass();
  for (Eigen::Index k = 0; k < 2; ++k) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    int carry = 0;
    for (std::size_t link = 0; link < x.model.links().size(); ++link) {
      const Eigen::Vector3d f =
          batch.contact_force().row(k).segment<3>(3 * static_cast<Eigen::Index>(link)).transpose();
      sum += f;
      carry += f.norm() > 0;
    }
    EXPECT_EQ(carry, 4);
    EXPECT_NEAR(sum.z(), weight, 1e-3 * weight);  // it has nearly come to rest
  }
}

template <class F> std::string refused(F&& f) {
  try {
    f();
  } catch (const std::exception& error) { return error.what(); }
  return "nothing was refused";
}
void expect_word(const std::string& text, const char* word) {
  EXPECT_NE(text.find(word), std::string::npos) << text << " lacks " << word;
}

TEST(BatchSimulator, RefusesByName) {
  const Quadrupeds x(3);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 3);
  const Index nq = x.model.nq(), nv = x.model.nv();
  expect_word(refused([&] { batch.step(); }), "reset()");
  expect_word(refused([&] { batch.reset({.q = Rows(Rows::Zero(2, nq))}); }), "'q'");
  expect_word(refused([&] { batch.reset({.q = Rows(Rows::Zero(3, nq + 1))}); }), "'q'");
  expect_word(refused([&] { batch.reset({.q = x.q, .v = Rows(Rows::Zero(3, nq))}); }), "'v'");
  const std::vector<unsigned char> mask(2, 1);
  expect_word(refused([&] { batch.reset({.q = x.q, .mask = mask}); }), "'mask'");
  expect_word(refused([&] { batch.step(); }), "reset()");  // nothing of the above has begun
  batch.reset({.q = x.q});
  expect_word(refused([&] { batch.step(Rows(Rows::Zero(3, nv - 1))); }), "'tau'");
  expect_word(refused([&] { batch.step(Rows(Rows::Zero(4, nv))); }), "'tau'");
  expect_word(refused([&] { batch.step({}, 0); }), "count");
  expect_word(refused([&] { batch.contacts(3); }), "no copy 3");
  expect_word(refused([&] { batch.report(-1); }), "no copy -1");
  expect_word(refused([&] { batch.reset(0, Eigen::VectorXd(Eigen::VectorXd::Zero(nq - 1))); }), "'q'");
  const std::vector<ContactState> other = {{.a = 0, .b = 1000}};
  expect_word(refused([&] { batch.reset(0, Eigen::VectorXd(x.q.row(0)), {}, other); }), "contacts");
  const auto made = [&](const SimulationSettings& s, Index n) {
    return refused([&] { BatchSimulator(x.model, x.set, s, x.scene, n); });
  };
  expect_word(made({.integrator = Integrator::rk4}, 2), "rk4");
  expect_word(made(touching(1, -1), 2), "dt");
  expect_word(made(touching(1, 1e-3), -1), "copies");
  EXPECT_EQ(BatchSimulator(x.model, x.set, touching(1, 1e-3), x.scene, 0).step().ok, 0);
}

TEST(BatchSimulator, OneRowHoldsForAllAndColumnsAreTaken) {
  const Quadrupeds x(3);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 3);
  const Eigen::VectorXd q = x.q.row(1), tau = Eigen::VectorXd::Constant(x.model.nv(), 0.5);
  batch.reset({.q = StatesIn<double>::for_all(q)});
  batch.step(StatesIn<double>::for_all(tau), 3);
  const Rows end = batch.q();
  EXPECT_TRUE(same_row(end, end, 0, 2));
  const Eigen::MatrixXd columns = q.transpose().replicate(3, 1), torques = tau.transpose().replicate(3, 1);
  batch.reset({.q = columns});
  batch.step(torques, 3);
  EXPECT_TRUE((end.array() == batch.q().array()).all());
}

TEST(BatchSimulator, ACallbackStopsACall) {
  const Quadrupeds x(3);
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 3, {.threads = 1});
  batch.reset({.q = x.q});
  batch.on_progress([](void*, long done, long) { return done < 2; }, nullptr, 0);
  EXPECT_TRUE(batch.step({}, 2).stopped);
  EXPECT_EQ(batch.time()[0], 2e-3);
  EXPECT_EQ(batch.time()[2], 0);
  EXPECT_EQ(batch.report().ok, 3);
  batch.on_progress(nullptr, nullptr);
  EXPECT_FALSE(batch.step({}, 2).stopped);
  EXPECT_EQ(batch.time()[2], 2e-3);
}

}  // namespace
}  // namespace zwang::test
