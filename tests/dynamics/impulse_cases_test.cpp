// SPDX-License-Identifier: BSD-3-Clause
// Impulses with closed forms: a ball, a rod, a box, a quadruped that lands; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr Restitution k_models[] = {Restitution::newton, Restitution::poisson, Restitution::energetic};

/// A free body with frames at points of it.
Model body(const std::string& root, double mass, const Vec3<double>& inertia, const std::vector<Vec3<double>>& points) {
  RobotDescription d{.name = "body"};
  d.links.push_back({.name = "body", .mass = mass, .inertia = Sym3<double>::diagonal(inertia.x, inertia.y, inertia.z)});
  for (const Vec3<double>& p : points) {
    const std::string name = "p" + std::to_string(d.links.size());
    d.links.push_back({.name = name});
    d.joints.push_back({.name = "at_" + name,
                        .type = "fixed",
                        .parent = "body",
                        .child = name,
                        .origin = {Mat3<double>::identity(), p}});
  }
  BuildOptions options;
  options.root = root;
  return Robot(d, options).model;
}
bool warns(const SolveReport& report, SolveWarning::Kind kind) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const SolveWarning& w) { return w.kind == kind; });
}

TEST(ImpulseCase, ABallBouncesByItsNumberOfRestitution) {
  const double m = 0.6, R = 0.12, e = 0.8;
  const Model ball = body("floating", m, {0.003, 0.003, 0.003}, {});
  ConstraintSet set(ball);
  set.add(ContactConstraint{.name = "ground", .frame = "body", .point = {0, 0, -R}, .normal = {0, 0, 1}, .rows = 1});
  Solver solver(ball, set);
  Vector q = Vector::Zero(7), v = Vector::Zero(6);
  q << 1, 2, R, 0, 0, 0, 1;
  v << 0.5, -0.2, -3, 1, 2, 4;
  for (const Restitution model : k_models) {
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1), .model = model});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    Vector after = v;
    after(2) = 3 * e;
    EXPECT_CLOSE(got.velocity, after, 1e-15);
    EXPECT_NEAR(got["ground"].multipliers(0), m * 3 * (1 + e), 1e-14);  // upwards, on the ball
    EXPECT_NEAR(got["ground"].wrench(2), m * 3 * (1 + e), 1e-14);
    EXPECT_NEAR(got["ground"].energy, -0.5 * m * 9 * (1 - e * e), 1e-14);
    EXPECT_NEAR(got.energy_after - got.energy_before, got["ground"].energy, 1e-14);
  }
  double height = 1, fall = std::sqrt(2 * 9.81 * height);  // heights e^2k h
  for (int k = 1; k <= 5; ++k) {
    v.setZero();
    v(2) = -fall;
    fall = solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1)}).velocity(2);
    EXPECT_NEAR(fall * fall / (2 * 9.81), std::pow(e, 2 * k) * height, 1e-14);
  }
}

TEST(ImpulseCase, ARodHitsTheGroundWithItsEnd) {
  const double m = 2, I = 0.3, r = 0.7, e = 0.25, drop = -1.5, turn = 0.4;
  const Model rod = body("planar", m, {1, 1, I}, {{r, 0, 0}});
  ConstraintSet set(rod);
  set.add(ContactConstraint{.name = "end", .frame = "p1", .normal = {0, 1, 0}, .rows = 1});
  Solver solver(rod, set);
  const Vector q = Vector::Zero(3), v = (Vector(3) << 0.3, drop, turn).finished();
  const double expected = -(1 + e) * (drop + r * turn) / (1 / m + r * r / I);
  for (const Restitution model : k_models) {
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1), .model = model});
    EXPECT_NEAR(got.multipliers(0), expected, 1e-14) << name_of(model);
    EXPECT_NEAR(got.velocity(2), turn + r * expected / I, 1e-14);
    EXPECT_NEAR(got.velocity_after(0), -e * (drop + r * turn), 1e-14);
  }
}

/// A normal row with restitution and a tangential row that sticks, coupled: an eccentric impact. With s the coupling,
///   newton -e n,   poisson -e (n - s t),   energetic the geometric mean of both.
TEST(ImpulseCase, ModelsOfRestitutionDifferWhereATangentSticksAndTheImpactIsEccentric) {
  const double m = 1.3, I = 0.05, x = 0.3, y = -0.4, e = 0.6;
  const Model rod = body("planar", m, {1, 1, I}, {{x, y, 0}});
  ConstraintSet set(rod);
  set.add(FrameConstraint{.name = "end", .frame = "p1", .rows = rows("linear.x linear.y")});
  Solver solver(rod, set);
  const Vector q = Vector::Zero(3), v = (Vector(3) << 0.4, -2, 0.1).finished();
  const double t = 0.4 - y * 0.1, n = -2 + x * 0.1;
  const double coupling = (-x * y / I) / (1 / m + y * y / I), along = n - coupling * t;
  ASSERT_LT(along, 0);
  const double expected[] = {-e * n, -e * along, e * std::sqrt(n * along)};
  const std::vector<double> E = restitution_of(set, {{"end", {0, e}}});
  Vector after[3];
  for (int k = 0; k < 3; ++k) {
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = E, .model = k_models[k]});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    EXPECT_NEAR(got.velocity_after(0), 0, 1e-14);
    EXPECT_NEAR(got.velocity_after(1), expected[k], 1e-13) << name_of(k_models[k]);
    after[k] = got.velocity;
  }
  EXPECT_GT((after[0] - after[1]).norm(), 0.1);
  EXPECT_GT((after[1] - after[2]).norm(), 0.05);
  const Vector central = (Vector(3) << 0, -2, 0).finished();  // t = 0: all agree
  const Impulse& got = solver.impulse({.q = q, .v = central, .restitution = E});
  const Vector newton = got.velocity;
  for (const Restitution model : k_models) {
    solver.impulse({.q = q, .v = central, .restitution = E, .model = model});
    EXPECT_CLOSE(got.velocity, newton, 1e-13) << name_of(model);
  }
}

TEST(ImpulseCase, ANeighbourThatIsPulledIsNotCompressed) {
  const Model rod = body("planar", 1, {1, 1, 1}, {{0.5, 0, 0}, {1, 0, 0}});
  ConstraintSet set(rod);
  for (const char* at : {"p1", "p2"})
    set.add(ContactConstraint{.name = at, .frame = at, .normal = {0, 1, 0}, .rows = 1});
  Solver solver(rod, set);
  const double e = 0.5;
  const Vector q = Vector::Zero(3), v = (Vector(3) << 0, -0.95, -0.1).finished();
  const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1)});
  EXPECT_TRUE(warns(got.report, SolveWarning::Kind::contact_pulls));
  EXPECT_LT(got["p2"].multipliers(0), 0);
  solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1), .model = Restitution::energetic});
  EXPECT_EQ(got.report.status, Status::ok);
  ASSERT_TRUE(warns(got.report, SolveWarning::Kind::no_compression));
  EXPECT_NE(got.report.explain().find("p2"), std::string::npos) << got.report.explain();
  EXPECT_NEAR(got["p2"].velocity_after(0), 0, 1e-14);
  EXPECT_GT(got["p1"].velocity_after(0), 0);
}

TEST(ImpulseCase, ABoxLandsOnFourCornersWithDependentRows) {
  const std::vector<Vec3<double>> corners = {
      {0.3, 0.2, -0.1}, {-0.3, 0.2, -0.1}, {-0.3, -0.2, -0.1}, {0.3, -0.2, -0.1}};
  const double m = 4;
  const Model box = body("floating", m, {0.1, 0.15, 0.2}, corners);
  ConstraintSet set(box);
  for (const char* at : {"p1", "p2", "p3", "p4"})
    set.add(ContactConstraint{.name = at, .frame = at, .normal = {0, 0, 1}});
  set.add_group("corners", {"p1", "p2", "p3", "p4"});
  Solver solver(box, set);
  Vector q = Vector::Zero(7), v = Vector::Zero(6);
  q(6) = 1;
  const double e = 0.4;
  const std::vector<double> E = restitution_of(set, {{"corners", {0, 0, e}}});
  v(2) = -2;
  for (const Restitution model : k_models) {
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = E, .model = model});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    EXPECT_EQ(got.report.rank, 6);
    EXPECT_NEAR(got.velocity(2), 2 * e, 1e-13);
    for (const char* at : {"p1", "p2", "p3", "p4"})
      EXPECT_NEAR(got[at].multipliers(2), m * 2 * (1 + e) / 4, 1e-13);  // least norm: equal shares
  }
  v << 0.3, -0.2, -2, 0.5, -0.4, 0.6;
  for (const Restitution model : k_models) {
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = E, .model = model});
    ASSERT_EQ(got.report.status, Status::ok) << name_of(model) << got.report.explain();
    for (const char* at : {"p1", "p2", "p3", "p4"}) EXPECT_NEAR(got[at].velocity_after.head(2).norm(), 0, 1e-13);
  }
  // Corners of different restitution contradict each other: three rows say how the box moves up, the fourth another.
  const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = restitution_of(set, {{"p1", {0, 0, 1}}})});
  EXPECT_EQ(got.report.status, Status::infeasible);
  EXPECT_FALSE(got.report.infeasible.empty());
  // After the impulses of Poisson's law they do not: the other corners hold, and with them the first.
  const Impulse& other = solver.impulse(
      {.q = q, .v = v, .restitution = restitution_of(set, {{"p1", {0, 0, 1}}}), .model = Restitution::poisson});
  EXPECT_EQ(other.report.status, Status::ok) << other.report.explain();
  EXPECT_NEAR(other.velocity.norm(), 0, 1e-12);
}

/// A row of a lower level gives way to the bounce of a higher one; a row of the same level holds it.
TEST(ImpulseCase, RowsOfALowerLevelDoNotHoldABounce) {
  const double m = 0.6, e = 0.5;
  const Model ball = body("floating", m, {0.003, 0.003, 0.003}, {});
  ConstraintSet set(ball);
  for (const char* name : {"ground", "wish"})
    set.add(ContactConstraint{.name = name, .frame = "body", .normal = {0, 0, 1}, .rows = 1});
  Solver solver(ball, set);
  Vector q = Vector::Zero(7), v = Vector::Zero(6);
  q(6) = 1;
  v(2) = -3;
  const std::vector<double> E = restitution_of(set, {{"ground", {e}}});
  for (const bool lower : {true, false}) {
    set["wish"].priority = lower ? 1 : 0;
    for (const Restitution model : {Restitution::poisson, Restitution::energetic}) {
      SCOPED_TRACE(std::string(name_of(model)) + (lower ? " lower" : " same"));
      const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = E, .model = model});
      ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
      EXPECT_NEAR(got.velocity(2), lower ? 3 * e : 0, 1e-13);
      EXPECT_EQ(got.report.given_up.size(), lower ? 1u : 0u);
    }
  }
}

TEST(ImpulseCase, ASoftRowIsAFreeBodyOfTheInverseMass) {
  const double R = 0.4, e = 0.3;
  const auto sliders = [](double second) {
    RobotDescription d{.name = "sliders"};
    d.links.push_back({.name = "ground"});
    for (const char* name : {"a", "b"}) {
      d.links.push_back({.name = name, .mass = name[0] == 'a' ? 1.7 : second});
      d.joints.push_back({.name = std::string("slide_") + name,
                          .type = "prismatic",
                          .parent = "ground",
                          .child = name,
                          .axis = {0, 0, 1}});
    }
    return Robot(d).model;
  };
  const Vector q = Vector::Zero(2), v = (Vector(2) << -2, 0).finished();
  const Model free = sliders(1 / R), alone = sliders(1);
  ConstraintSet hits(free), soft(alone);
  hits.add(CouplingConstraint{.name = "hit", .coordinates = {"slide_a", "slide_b"}, .ratio = {1, -1}});
  soft.add(ContactConstraint{
      .name = "hit", .frame = "a", .normal = {0, 0, 1}, .rows = 1, .policy = Policy::soft, .compliance = {R}});
  for (const Restitution model : k_models) {
    SCOPED_TRACE(name_of(model));
    Solver two(free, hits), one(alone, soft);
    const Impulse& a = two.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1), .model = model});
    const Impulse& b = one.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1), .model = model});
    ASSERT_EQ(a.report.status, Status::ok) << a.report.explain();
    EXPECT_NEAR(b.velocity(0), a.velocity(0), 1e-14);
    EXPECT_NEAR(b.residual(0), -R * b.multipliers(0), 1e-14);
    EXPECT_NEAR(a.energy_after - b.energy_after, 0.5 * R * b.multipliers(0) * b.multipliers(0), 1e-14);
    const double expected = -(1 + e) * -2 / (1 / 1.7 + R);
    EXPECT_NEAR(b.multipliers(0), expected, 1e-14);
  }
}

/// A slider without mass: nothing says how fast it is after a shock, but for a row that holds it;
/// and it can give nothing back.
TEST(ImpulseCase, MassThatIsNotThereIsNamed) {
  RobotDescription d{.name = "sliders"};
  d.links.push_back({.name = "ground"});
  d.links.push_back({.name = "cart", .mass = 2});
  d.links.push_back({.name = "tip"});
  d.joints.push_back({.name = "rail", .type = "prismatic", .parent = "ground", .child = "cart", .axis = {1, 0, 0}});
  d.joints.push_back({.name = "ghost", .type = "prismatic", .parent = "cart", .child = "tip", .axis = {1, 0, 0}});
  const Model model = Robot(d).model;
  ConstraintSet set(model);
  set.add(FrameConstraint{.name = "stop", .frame = "tip", .rows = rows("linear.x")});
  const Vector q = Vector::Zero(2), v = (Vector(2) << 3, 1).finished();
  const double e = 0.5;
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    SCOPED_TRACE(method);
    Solver solver(model, set, {.method = method});
    set["stop"].active = true;
    const Impulse& got = solver.impulse({.q = q, .v = v, .restitution = ConstVector(&e, 1)});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();  // the cart does not feel it
    EXPECT_NEAR(got.velocity(0), 3, 1e-12);
    EXPECT_NEAR(got.velocity(0) + got.velocity(1), -e * 4, 1e-12);
    EXPECT_NEAR(got.multipliers(0), 0, 1e-12);
    EXPECT_TRUE(warns(got.report, SolveWarning::Kind::massless_joint));
    set["stop"].active = false;
    solver.impulse({.q = q, .v = v});
    EXPECT_EQ(got.report.status, Status::singular_mass);
    EXPECT_EQ(got.report.singular_joint, "ghost");
    EXPECT_EQ(got.velocity.norm() + got.energy_before + got.energy_after, 0);
  }
}

/// Rows that move are what restitution is relative to; rows of loops hold in every model.
TEST(ImpulseCase, AQuadrupedLands) {
  BuildOptions options;
  options.root = "floating";
  const Robot robot(sample_quadruped(), options);
  const Model& model = robot.model;
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .normal = {0, 0, 1}});
  set.add(LoopConstraint{.name = "strap", .frame = "LH_foot", .other = "RH_foot", .rows = rows("linear")});
  const RandomState s = random_state(robot.reference, 11);
  Data data(model);
  const Vec3<double> c = centre_of_mass(model, data, s.q);
  for (const char* method : {"automatic", "popov_vereshchagin", "dense_cod", "range_space", "test_force"}) {
    Solver solver(model, set, {.method = method});
    const std::vector<double> w = target_of(set, {{"LF_foot", {0.5, 0, 0.2}}}),
                              E = restitution_of(set, {{"LF_foot", {0, 0, 0.5}}, {"RF_foot", {0, 0, 0.5}}});
    for (const Restitution restitution : k_models) {
      SCOPED_TRACE(std::string(method) + " " + name_of(restitution));
      const Impulse& got = solver.impulse({.q = s.q, .v = s.v, .restitution = E, .target = w, .model = restitution});
      ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
      EXPECT_NEAR(got["strap"].velocity_after.norm(), 0, 1e-12);
      EXPECT_NEAR(got["LF_foot"].velocity_after(0), 0.5, 1e-12);
      if (restitution == Restitution::newton) {
        EXPECT_NEAR(got["LF_foot"].velocity_after(2) - 0.2, -0.5 * (got["LF_foot"].velocity_before(2) - 0.2), 1e-12);
      }
      // Momentum: what the ground gives, about the centre of mass. The strap gives nothing.
      Vec3<double> force = Vec3<double>::zero(), moment = Vec3<double>::zero();
      for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) {
        const VectorView f = got[foot].wrench;
        const Vec3<double> given{f(0), f(1), f(2)}, at = frame_pose(model, data, s.q, foot).p - c;
        force += given;
        moment += cross(at, given);
      }
      const Force<double> before = centroidal_momentum(model, data, s.q, s.v),
                          after = centroidal_momentum(model, data, s.q, Vector(got.velocity));
      const double size = 1e-11 * (1 + got.multipliers.cwiseAbs().maxCoeff());
      EXPECT_LE(norm(after.f - before.f - force), size);
      EXPECT_LE(norm(after.n - before.n - moment), size);
    }
  }
}

struct TurningRow : CustomRows {
  Index rows() const override { return 1; }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    phi[0] = q[0];
    J[0] = 1;
    J[1] = 1 + v[0];
    Jdot_v[0] = 7;  // of finite size: it has no impulse
  }
};

// A block on two points, of which one is leaving while the other hits. By Newton's law with E the leaving one would be
// thrown back into the ground; a contact that only pushes lets it go.
TEST(ImpulseCase, AContactWithASenseDoesNotThrowBackWhatIsLeaving) {
  const Model block = body("floating", 2, {0.1, 0.1, 0.1}, {{-0.5, 0, 0}, {0.5, 0, 0}});
  ConstraintSet set(block);
  for (const char* point : {"p1", "p2"})
    set.add(ContactConstraint{.name = point, .frame = point, .normal = {0, 0, 1}, .rows = 1});
  Solver solver(block, set);
  Vector v = Vector::Zero(6);
  v(2) = -0.3;
  v(4) = 1.2;  // about y: the points move with -0.3 -+ 0.6 (-1) along z
  const double half = 0.5;
  const Vector q = neutral(block);
  const ImpulseInput input{.q = q, .v = v, .restitution = ConstVector(&half, 1)};
  const Impulse& both = solver.impulse(input);
  const Vector before = both.velocity_before;
  ASSERT_LT(before.minCoeff(), 0);
  ASSERT_GT(before.maxCoeff(), 0);
  EXPECT_TRUE(warns(both.report, SolveWarning::Kind::contact_enters));
  EXPECT_LT((both.velocity_after + 0.5 * before).norm(), 1e-14);
  for (const char* point : {"p1", "p2"}) set[point].sense = {Sense::at_least};
  const Impulse& got = solver.impulse(input);
  EXPECT_EQ(got.report.status, Status::ok);
  EXPECT_FALSE(warns(got.report, SolveWarning::Kind::contact_enters));
  // The impulse at one end pushes the other one down, where the ground is: both push. G: 1/m +- l^2 / I.
  const Index leaving = before(0) > 0 ? 0 : 1, hitting = 1 - leaving;
  const double own = 1 / 2.0 + 0.25 / 0.1, other = 1 / 2.0 - 0.25 / 0.1, determinant = own * own - other * other,
               rise = -1.5 * before(hitting), stop = -before(leaving);
  EXPECT_NEAR(got.velocity_after(hitting), -0.5 * before(hitting), 1e-14);
  EXPECT_NEAR(got.velocity_after(leaving), 0, 1e-14);
  EXPECT_NEAR(got.multipliers(hitting), (own * rise - other * stop) / determinant, 1e-13);
  EXPECT_NEAR(got.multipliers(leaving), (own * stop - other * rise) / determinant, 1e-13);
  EXPECT_GT(got.multipliers.minCoeff(), 0);
  v(4) = 8;  // fast enough to leave in spite of that
  const Impulse& one = solver.impulse({.q = q, .v = v});
  const Vector fast = one.velocity_before;
  ASSERT_EQ(one.report.released.size(), 1u);
  EXPECT_EQ(one.multipliers(leaving), 0);
  EXPECT_NEAR(one.multipliers(hitting), -fast(hitting) / own, 1e-13);
  EXPECT_NEAR(one.velocity_after(leaving), fast(leaving) - fast(hitting) / own * other, 1e-13);
  v(4) = 1.2;
  EXPECT_LT(got.energy_after, got.energy_before);
  set["p1"].limit = {10};
  EXPECT_THROW(solver.impulse(input), UnsupportedError);
  EXPECT_EQ(solver.try_impulse(input).report.status, Status::invalid_input);
  set["p1"].limit = {};
  ImpulseInput by_poisson = input;
  by_poisson.model = Restitution::poisson;
  EXPECT_THROW(solver.impulse(by_poisson), UnsupportedError);
  for (const char* point : {"p1", "p2"}) set[point].sense = {};
  EXPECT_EQ(solver.impulse(by_poisson).report.status, Status::ok);
}

// A joint at its stop: the row of the limit that is touched stops it, those of the others are not touched.
TEST(ImpulseCase, AJointHitsItsStop) {
  const Model arm = Robot(sample_arm7(), {}).model;
  ConstraintSet set(arm);
  set.add_joint_limits({.time_constant = 0.1});
  Solver solver(arm, set);
  Vector q = neutral(arm);
  q(1) = arm.upper()[1];
  const Vector v = Vector::Constant(arm.nv(), 1.0);
  const Impulse& got = solver.impulse({.q = q, .v = v});
  EXPECT_EQ(got.report.status, Status::ok);
  ASSERT_EQ(got.report.held.size(), 1u) << got.report.explain();
  EXPECT_NEAR(got.velocity(1), 0, 1e-14);
  EXPECT_LT(got.energy_after, got.energy_before);
  const Vector back = -v;
  const Impulse& leaving = solver.impulse({.q = q, .v = back});
  EXPECT_TRUE(leaving.report.held.empty());
  EXPECT_EQ(leaving.velocity, back);
}

TEST(ImpulseCase, RefusesWhatHasNoMeaning) {
  BuildOptions options;
  options.root = "floating";
  const Model model = Robot(sample_quadruped(), options).model;
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .normal = {0, 0, 1}});
  Solver solver(model, set);
  const Vector q = neutral(model), v = Vector::Constant(model.nv(), -0.5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [&](const ImpulseInput& input, Status status, const char* argument, const char* says) {
    SCOPED_TRACE(says);
    try {
      solver.impulse(input);
      ADD_FAILURE() << "not refused";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
    const Impulse& got = solver.try_impulse(input);
    EXPECT_EQ(got.report.status, status);
    EXPECT_EQ(got.report.invalid, argument);
    EXPECT_EQ(got.velocity.size(), model.nv());
    EXPECT_EQ(got.velocity.norm() + got.energy_before + got.energy_after, 0);
    EXPECT_EQ(got["LF_foot"].multipliers.norm(), 0);
  };
  const Vector wrong_size = Vector::Zero(3);
  const double half = 0.5, over = 1.01, under = -0.1;
  Vector bad = v, E = Vector::Constant(6, 0.5);
  bad(2) = nan;
  E(4) = 2;
  refuses({.q = wrong_size, .v = v}, Status::invalid_input, "q", "q");
  refuses({.q = q, .v = wrong_size}, Status::invalid_input, "v", "v");
  refuses({.q = q, .v = bad}, Status::non_finite_input, "v", "v");
  refuses({.q = q, .v = v, .restitution = ConstVector(&over, 1)}, Status::invalid_input, "restitution", "[0, 1]");
  refuses({.q = q, .v = v, .restitution = ConstVector(&under, 1)}, Status::invalid_input, "restitution", "-0.1");
  refuses({.q = q, .v = v, .restitution = ConstVector(&nan, 1)}, Status::non_finite_input, "restitution",
          "restitution");
  refuses({.q = q, .v = v, .restitution = E}, Status::invalid_input, "restitution", "RF_foot:tangent2");
  refuses({.q = q, .v = v, .restitution = wrong_size}, Status::invalid_input, "restitution", "6 rows");
  refuses({.q = q, .v = v, .target = wrong_size}, Status::invalid_input, "target", "target");
  refuses({.q = q, .v = v, .impulse = bad}, Status::non_finite_input, "impulse", "impulse");
  refuses({.q = q, .v = v, .model = static_cast<Restitution>(7)}, Status::invalid_input, "model", "newton, poisson");
  E(4) = 0.25;
  refuses({.q = q, .v = v, .restitution = E, .model = Restitution::energetic}, Status::invalid_input, "model",
          "RF_foot:tangent2");
  const Prescribed twice = {{3, 1}, {3, 1}};
  refuses({.q = q, .v = v, .prescribed = &twice}, Status::invalid_input, "prescribed", "twice");
  solver.settings().singularity = Singularity::damping;
  refuses({.q = q, .v = v, .restitution = ConstVector(&half, 1), .model = Restitution::poisson}, Status::invalid_input,
          "model", "damping");
  solver.settings().singularity = Singularity::truncation;
  EXPECT_THROW(restitution_of(set, {{"LF_foto", {0.5}}}), std::invalid_argument);
  EXPECT_THROW(restitution_of(set, {{"LF_foot", {0.5, 0.5}}}), std::invalid_argument);
  EXPECT_THROW(target_of(set, {{"LF_foot", {0}}, {"LF_foot", {1}}}), std::invalid_argument);
  EXPECT_THROW(restitution_of("newtons"), std::invalid_argument);
  EXPECT_EQ(restitution_of(name_of(Restitution::poisson)), Restitution::poisson);
  EXPECT_EQ(solver.impulse({.q = q, .v = v, .restitution = ConstVector(&half, 1)}).report.status, Status::ok);

  set.add(CustomConstraint{.name = "own",
                           .rows = std::make_shared<TurningRow>(),
                           .coordinates = {model.coordinate_names()[6], model.coordinate_names()[7]}});
  Solver own(model, set);
  EXPECT_THROW(own.impulse({.q = q, .v = v}), std::invalid_argument);  // J turns with v
  EXPECT_EQ(own.try_impulse({.q = q, .v = v}).report.status, Status::invalid_input);
  const Impulse& at_rest = own.impulse({.q = q});
  EXPECT_EQ(at_rest.report.status, Status::ok);
  EXPECT_NEAR(at_rest.velocity.norm(), 0, 1e-15);  // J' v is no impulse
}

TEST(ImpulseCase, TheLastSolutionStays) {
  BuildOptions options;
  options.root = "floating";
  const Robot robot(sample_quadruped(), options);
  const Model& model = robot.model;
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .normal = {0, 0, 1}});
  const RandomState s = random_state(robot.reference, 5);
  Solver solver(model, set), fresh(model, set);
  solver.data().set_payload(model.find_link("trunk"), 3, {0.1, 0, 0}, Sym3<double>::diagonal(0.01, 0.01, 0.01));
  const Vector acceleration = solver.solve({.q = s.q, .v = s.v, .tau = s.tau}).acceleration;
  const Impulse& loaded = solver.impulse({.q = s.q, .v = s.v});
  const Vector with_load = loaded.velocity;
  EXPECT_EQ(Vector(solver.solution().acceleration), acceleration);
  EXPECT_EQ(Vector(solver.resolve({.tau = s.tau}).acceleration).size(), model.nv());
  EXPECT_CLOSE(solver.solution().acceleration, acceleration, 1e-10);
  EXPECT_GT((with_load - Vector(fresh.impulse({.q = s.q, .v = s.v}).velocity)).norm(), 1e-3);
  solver.data().clear_overrides();
  EXPECT_EQ(Vector(solver.impulse({.q = s.q, .v = s.v}).velocity),
            Vector(fresh.impulse({.q = s.q, .v = s.v}).velocity));
  set["RF_foot"].active = false;  // followed
  EXPECT_EQ(solver.impulse({.q = s.q, .v = s.v}).report.rows, 3);
}

}  // namespace
}  // namespace zwang::test
