// SPDX-License-Identifier: BSD-3-Clause
// Rows at the ends of their own paths, while sets, settings and inputs change between solves: every number is that of a
// new solver, every word that of the root.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "dynamics/limbs.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Everything that a solution says in numbers.
struct Numbers {
  explicit Numbers(const Solution& s, const ConstraintSet& set) {
    for (const VectorView* v : {&s.acceleration, &s.multipliers, &s.motor_torque, &s.reaction,
                                &s.articulated_constraint_torque, &s.residual, &s.position_error, &s.velocity_error})
      for (Index i = 0; i < v->size(); ++i) all.push_back((*v)[i]);
    for (const Constraint& c : set.constraints()) {
      for (int i = 0; i < 6; ++i) all.push_back(s[c.name].wrench[i]);
      all.push_back(s[c.name].power);
    }
    all.push_back(s.zwang);
    all.push_back(s.report.residual);
    for (const SolveWarning& w : s.report.warnings) all.push_back(w.value);
  }
  bool operator==(const Numbers& o) const {
    return all.size() == o.all.size() && std::memcmp(all.data(), o.all.data(), all.size() * sizeof(double)) == 0;
  }
  std::vector<double> all;
};

double size_of(const Eigen::Ref<const Matrix>& x) { return 1e-3 + (x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0); }

/// A robot, rows on it, and two solvers of them: `automatic`, and everything at the root.
struct Twins {
  explicit Twins(std::uint64_t seed)
      : options{.limbs = 2 + static_cast<int>(seed % 6)},
        robot(random_limbs(seed, options)),
        x(random_rows_on_limbs(robot, seed, options)),
        set(x.set(robot.model)),
        random(seed + 99),
        paths(robot.model, set, {.spare_rows = 9}),
        root(robot.model, set, {.method = "popov_vereshchagin", .spare_rows = 9}) {
    const FrameId tip = robot.model.find_frame("tip0");
    push = {ExternalWrench{tip, {1, -2, 3, 0.5, 0.2, -0.1}, Reference::local}};
    const Joint& last = robot.model.joints().back();
    if (last.v.size > 0)
      prescribe(robot.model, given, last.name, std::vector<double>(static_cast<std::size_t>(last.v.size), 0.7));
  }
  Constraint& any() {
    const std::vector<Constraint>& all = set.constraints();
    return set[all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))].name];
  }
  SolveInput input() { return {.q = x.state.q, .v = x.state.v, .tau = x.state.tau, .external = &push}; }
  /// Both solve; a new solver gives the same bits.
  void solve_and_compare() {
    const SolveInput in = input();
    const Solution &a = paths.solve(in), &b = root.solve(in);
    expect_same_words(a, b);
    SolverSettings settings = paths.settings();
    Solver fresh(robot.model, set, settings);
    const Solution& c = fresh.solve(in);
    went = how_it_goes(robot.model, set, in, settings);
    if (went.way != Way::own_paths) return;
    ++by_paths;
    EXPECT_TRUE(Numbers(a, set) == Numbers(c, set)) << "the past shows";
    for (const Constraint& k : set.constraints()) {
      if (k.active) continue;
      EXPECT_EQ(size_of(Vector(a[k.name].multipliers)), 1e-3) << k.name;
      EXPECT_EQ(a[k.name].wrench.norm(), 0) << k.name;
    }
    EXPECT_TRUE(within(a.acceleration, Vector(b.acceleration), tolerance(), size_of(b.acceleration)));
  }
  bool is_calm() const { return went.way != Way::fell_back && went.doubt < 1e5; }
  double tolerance() const { return 1e3 * std::numeric_limits<double>::epsilon() * (1e4 + went.doubt); }

  LimbOptions options;
  Robot robot;
  Imposed x;
  ConstraintSet set;
  Random random;
  Solver paths, root;
  Externals push;
  Prescribed given;
  Went went;
  int by_paths = 0, added = 0;
};

void expect_same_columns(Twins& t) {
  const Index nv = t.robot.model.nv(), m = t.set.rows(), active = t.root.active_rows();
  ASSERT_EQ(t.paths.active_rows(), active);
  const Numbers before(t.paths.solution(), t.set);
  Matrix tau(nv, 3), beta(m, 3), a(nv, 3), b(nv, 3), lambda(m, 3), mu(m, 3);
  for (Matrix* x : {&tau, &beta})
    for (Eigen::Index i = 0; i < x->size(); ++i) x->data()[i] = t.random.uniform(-3, 3);
  t.paths.solve_columns(tau, beta, a, lambda);
  t.root.solve_columns(tau, beta, b, mu);
  EXPECT_TRUE(within(a, b, 1e-8, size_of(b)));
  EXPECT_TRUE(within(lambda, mu, 1e-7, size_of(mu)));
  EXPECT_TRUE(before == Numbers(t.paths.solution(), t.set)) << "columns change what is published";
  Matrix J(active, nv), J0 = J, P(nv, active), P0 = P, L(active, active), L0 = L, N(nv, nv), N0 = N;
  Vector target(active), target0 = target;
  t.paths.constraint_jacobian(J);
  t.root.constraint_jacobian(J0);
  t.paths.constraint_target(target);
  t.root.constraint_target(target0);
  t.paths.dynamic_pseudo_inverse(P);
  t.root.dynamic_pseudo_inverse(P0);
  t.paths.operational_inertia(L);
  t.root.operational_inertia(L0);
  t.paths.nullspace_projector(N);
  t.root.nullspace_projector(N0);
  EXPECT_TRUE(within(J, J0, 1e-13, size_of(J0)));
  EXPECT_TRUE(within(target, target0, 1e-12, size_of(target0) + 100));
  EXPECT_TRUE(within(P, P0, 1e-8, size_of(P0)));
  EXPECT_TRUE(within(L, L0, 1e-7, size_of(L0)));
  EXPECT_TRUE(within(N, N0, 1e-8, size_of(N0)));
  EXPECT_TRUE(before == Numbers(t.paths.solution(), t.set)) << "operators change what is published";
  Matrix wrench(6, static_cast<Eigen::Index>(t.robot.model.joints().size())), wrench0 = wrench;
  t.paths.joint_wrenches(wrench);
  t.root.joint_wrenches(wrench0);
  EXPECT_TRUE(within(wrench, wrench0, 1e-8, size_of(wrench0)));
}

void expect_same_resolve(Twins& t) {
  const Vector tau = t.random.vector(static_cast<int>(t.robot.model.nv()), 10);
  Constraint& c = t.any();
  if (!c.beta.empty()) c.beta[0] = t.random.uniform(-5, 5);
  const Solution &a = t.paths.resolve({.tau = tau, .external = &t.push}),
                 &b = t.root.resolve({.tau = tau, .external = &t.push});
  expect_same_words(a, b);
  EXPECT_TRUE(within(a.acceleration, Vector(b.acceleration), 1e-8, size_of(b.acceleration)));
  EXPECT_TRUE(within(a.multipliers, Vector(b.multipliers), 1e-7, size_of(b.multipliers)));
  EXPECT_TRUE(within(a.reaction, Vector(b.reaction), 1e-7, size_of(b.reaction) + size_of(b.motor_torque)));
  EXPECT_NEAR(a.zwang, b.zwang, 1e-6 * (1e-3 + b.zwang));
}

/// One thing changes.
void change(Twins& t) {
  SolverSettings &p = t.paths.settings(), &r = t.root.settings();
  p.method = "automatic";
  p.singularity = r.singularity = Singularity::truncation;
  p.tolerance = r.tolerance = 0;
  switch (t.random.below(9)) {
    case 0:
    case 1: {
      Constraint& c = t.any();
      c.active = !c.active;
      break;
    }
    case 2: {
      Constraint& c = t.any();
      if (!c.beta.empty()) c.beta[0] = t.random.uniform(-5, 5);
      break;
    }
    case 3:
      if (t.added == 3) break;
      t.set.add(ContactConstraint{.name = "added" + std::to_string(t.added),
                                  .frame = "tip" + std::to_string(t.added % t.options.limbs),
                                  .rows = 1});
      ++t.added;
      break;
    case 4: {  // a solve with a prescribed coordinate in between
      SolveInput in = t.input();
      in.prescribed = &t.given;
      const Solution &a = t.paths.solve(in), &b = t.root.solve(in);
      expect_same_words(a, b);
      EXPECT_TRUE(within(a.acceleration, Vector(b.acceleration), 1e-6, size_of(b.acceleration)));
      break;
    }
    case 5: {  // solves with other settings in between
      p.method = t.random.below(2) ? "pv_early" : "dense_cod";
      if (p.method == "pv_early") p.singularity = t.random.below(2) ? Singularity::proximal : Singularity::damping;
      t.paths.try_solve(t.input());
      p.method = "automatic";
      p.singularity = Singularity::truncation;
      break;
    }
    case 6: p.singularity = r.singularity = Singularity::weighted; break;
    case 7: p.tolerance = r.tolerance = 1e-9; break;
    case 8: {  // a state that is refused
      SolveInput in = t.input();
      Vector q = t.x.state.q;
      q[0] = NAN;
      in.q = q;
      EXPECT_NE(t.paths.try_solve(in).report.status, Status::ok);
      break;
    }
  }
}

TEST(OwnPaths, FollowChangesBetweenSolves) {
  int by_paths = 0, solves = 0, calm = 0;
  for (int seed = 1; seed <= effort(150); ++seed) {
    Twins t(static_cast<std::uint64_t>(seed) * 1009);
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      if (step > 0) change(t);
      if (t.random.below(2)) t.x.state = random_state(t.robot.model, t.random.next());
      t.solve_and_compare();
      ++solves;
      const int then = t.random.below(4);
      if (t.root.solution().report.rank == t.root.solution().report.rows && t.is_calm() && t.root.active_rows() > 0) {
        ++calm;
        if (then == 0) expect_same_columns(t);
        if (then == 1) expect_same_resolve(t);
        if (then == 2) {
          expect_same_resolve(t);
          expect_same_columns(t);
          expect_same_resolve(t);
        }
      }
      if (HasFailure()) return;
    }
    by_paths += t.by_paths;
  }
  std::printf("  %d of %d solves by own paths, %d followed by others on their factor\n", by_paths, solves, calm);
  EXPECT_GE(by_paths, solves / 3);
  EXPECT_GE(calm, solves / 4);
}

/// The factor that resolve() needs is made when it is asked for: under the settings of that moment.
TEST(OwnPaths, ResolveUnderOtherSettingsLikeTheRoot) {
  int compared = 0;
  for (int seed = 1; seed <= effort(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins t(static_cast<std::uint64_t>(seed) * 2003);
    t.solve_and_compare();
    if (t.went.way != Way::own_paths || !t.is_calm() || t.root.solution().report.status != Status::ok) continue;
    SolverSettings &p = t.paths.settings(), &r = t.root.settings();
    const Singularity other[] = {Singularity::damping, Singularity::proximal, Singularity::weighted};
    if (seed % 4 < 3)
      p.singularity = r.singularity = other[seed % 4];
    else
      p.tolerance = r.tolerance = 1e-3;
    expect_same_resolve(t);
    EXPECT_STREQ(t.paths.solution().report.singularity, t.root.solution().report.singularity);
    if (seed % 2 == 0) expect_same_columns(t);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(120) / 4);
}

/// Loads and gravity that a user gives to the solver's Data take its factor away, and count in the next solve.
TEST(OwnPaths, TakeLoadsAndGravityFromTheNextSolveOn) {
  int compared = 0;
  for (int seed = 1; seed <= effort(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins t(static_cast<std::uint64_t>(seed) * 3001);
    t.solve_and_compare();
    if (t.went.way != Way::own_paths || !t.is_calm()) continue;
    const Numbers before(t.paths.solution(), t.set);
    Matrix N(t.robot.model.nv(), t.robot.model.nv());
    for (Solver* s : {&t.paths, &t.root}) {
      s->data().set_gravity({3, 2, 1});
      if (seed % 2)
        s->data().set_payload(t.robot.model.find_link("link1"), 2, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(.1, .1, .1));
      EXPECT_THROW(s->nullspace_projector(N), std::logic_error);
      EXPECT_THROW(s->resolve(), std::logic_error);
    }
    EXPECT_TRUE(before == Numbers(t.paths.solution(), t.set));
    for (Solver* s : {&t.paths, &t.root}) s->solve(t.input());
    expect_same_words(t.paths.solution(), t.root.solution());
    EXPECT_TRUE(within(t.paths.solution().acceleration, Vector(t.root.solution().acceleration), 1e-8,
                       size_of(t.root.solution().acceleration)));
    EXPECT_FALSE(before == Numbers(t.paths.solution(), t.set));
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(60) / 4);
}

/// Rows that repeat others, of the same body or where a leg is straight.
TEST(OwnPaths, LeaveDependentRowsToTheRoot) {
  int deficient = 0;
  for (int seed = 1; seed <= effort(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = seed % 2 > 0};
    const Robot robot = random_limbs(static_cast<std::uint64_t>(seed) * 4001, o);
    Imposed x = random_rows_on_limbs(robot, static_cast<std::uint64_t>(seed) * 4001, o);
    Random random(static_cast<std::uint64_t>(seed) * 4001);
    FrameConstraint one{.name = "one", .frame = "tip0", .rows = rows("linear.x angular.z"), .beta = {1, 2}};
    FrameConstraint again{.name = "again", .frame = "tip0", .rows = rows("angular.x linear.x"), .beta = {0.5, 1}};
    if (seed % 3 == 0)
      again.rows = rows(std::vector<double>{2, 0, 0, 0, 0, -0.5, 0, 1, 0, 0, 0, 0});  // a combination of rows
    if (seed % 5 == 0) again.beta = {random.uniform(-1, 1), random.uniform(-1, 1)};   // contradictory
    x.constraints.insert(x.constraints.begin(), one);
    x.constraints.push_back(again);
    const ConstraintSet set = x.set(robot.model);
    const Went went = how_it_goes(robot.model, set, x.input(), {});
    EXPECT_NE(went.way, Way::own_paths);
    for (const char* method : {"automatic", "pv_early"}) {
      Solver paths(robot.model, set, {.method = method}), root(robot.model, set, {.method = "popov_vereshchagin"});
      const Solution &a = paths.solve(x.input()), &b = root.solve(x.input());
      expect_same_words(a, b);
      EXPECT_LT(b.report.rank, b.report.rows);
      deficient += a.report.rank < a.report.rows;
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(deficient, 2 * effort(300));
}

/// Four legs of three joints: a straight knee cannot shorten its leg.
/// With a trunk that cannot move either, rows are dependent.
TEST(OwnPaths, LeaveStraightLegsToTheRoot) {
  for (const char* trunk : {"floating", "fixed"}) {
    BuildOptions options;
    options.root = trunk;
    const Model model = build(sample_quadruped(), options);
    ConstraintSet set(model);
    for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
      set.add(ContactConstraint{.name = foot, .frame = foot});
    Solver paths(model, set), root(model, set, {.method = "popov_vereshchagin"});
    int by_paths = 0, straight = 0, dependent = 0;
    for (int k = 0; k <= 60; ++k) {
      for (int legs = 1; legs <= 4; ++legs) {
        SCOPED_TRACE("bend 10^-" + std::to_string(k / 4.0) + " of " + std::to_string(legs) + " legs, trunk " + trunk);
        RandomState x = random_state(model, static_cast<std::uint64_t>(k + 1) * 1009);
        int knees = 0;
        for (const Joint& joint : model.joints())
          if (joint.name.ends_with("_knee") && knees++ < legs)
            x.q[joint.q.first] = k == 60 ? 0.0 : std::pow(10.0, -k / 4.0);
        const SolveInput in{.q = x.q, .v = x.v, .tau = x.tau};
        const Solution &a = paths.solve(in), &b = root.solve(in);
        EXPECT_EQ(a.report.status, b.report.status);
        EXPECT_EQ(a.report.rank, b.report.rank);
        EXPECT_EQ(a.report.redundant, b.report.redundant);
        EXPECT_EQ(a.report.dependencies.size(), b.report.dependencies.size());
        EXPECT_TRUE(within(a.acceleration, Vector(b.acceleration), 1e-6, size_of(b.acceleration)));
        ++(by_own_paths(a.report) ? by_paths : straight);
        dependent += b.report.rank < b.report.rows;
        if (HasFailure()) return;
      }
    }
    std::printf("  trunk %s: %d bent legs by own paths, %d straight ones at the root, %d of them dependent\n", trunk,
                by_paths, straight, dependent);
    EXPECT_GE(by_paths, 20);
    EXPECT_GE(straight, 20);
    if (trunk == std::string("fixed")) { EXPECT_GE(dependent, 20); }
  }
}

/// A body flies free, and rows hold a machine on the ground beside it.
TEST(OwnPaths, HoldAMachineBesideAFreeBody) {
  int by_paths = 0;
  for (int seed = 1; seed <= effort(80); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRobot parts;
    parts.joints = 9;
    parts.branching = parts.mimic = 0;
    parts.types = {"revolute", "prismatic", "revolute"};
    RobotDescription d = random_robot(static_cast<std::uint64_t>(seed), parts);
    // link1 (or link9) flies; link2 carries two limbs of three joints each, link3 ... link5 and link6 ... link8.
    JointDescription& flies = d.joints[seed % 2 ? 0 : 8];
    flies = {.name = flies.name, .type = "floating", .parent = "link0", .child = flies.child};
    if (seed % 2 == 0) d.joints[0].parent = "link0";
    d.joints[1].parent = seed % 2 ? "link0" : "link1";
    d.joints[5].parent = "link2";
    if (seed % 2) d.joints[8].parent = "link8";
    const Robot robot(d);
    Imposed x = random_imposed(robot, static_cast<std::uint64_t>(seed));
    x.constraints.clear();
    for (const char* tip : {"link5", "link8"})
      x.constraints.push_back(FrameConstraint{.name = tip, .frame = tip, .rows = rows("linear.x linear.y")});
    if (seed % 3 == 0)
      x.constraints.push_back(FrameConstraint{.name = "flier", .frame = flies.child, .rows = rows("linear.z")});
    const ConstraintSet set = x.set(robot.model);
    Solver paths(robot.model, set), root(robot.model, set, {.method = "popov_vereshchagin"});
    const Solution &a = paths.solve(x.input()), &b = root.solve(x.input());
    expect_same_words(a, b);
    const Went went = how_it_goes(robot.model, set, x.input(), {});
    if (went.way != Way::own_paths) continue;
    ++by_paths;
    const Differences e = differences(robot, x, a, b);
    EXPECT_LE(e.largest(), 100 * went.doubt) << e.text();
    if (HasFailure()) return;
  }
  EXPECT_GE(by_paths, effort(80) / 2);
}

}  // namespace
}  // namespace zwang::test
