// SPDX-License-Identifier: BSD-3-Clause
// Laws of impulses on random robots with random rows, by every method, against dense algebra in long double: momentum,
// restitution, energy, and what the models of restitution share.
#include "zwang/question/impulse.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// A random impulse, and the same in the reference.
struct Shot {
  Robot robot;
  Mixed x;
  ConstraintSet set;
  Stated s;
  Vector restitution, target;  ///< of all rows of the set
  Vec before, w, E;            ///< of the active rows
  reference::HybridMotion oracle;

  Shot(std::uint64_t seed, const MixedOptions& options, bool one_restitution = false, bool senses = false)
      : robot(random_robot_of_all_joints(seed + 500, 3 + static_cast<int>(seed) % 8)),
        x(senses ? with_senses(robot, random_mixed(robot, seed + 500, options), seed)
                 : random_mixed(robot, seed + 500, options)),
        set(x.set(robot.model)),
        s(stated(robot, x)) {
    Random random(seed);
    restitution = Vector::Zero(set.rows());
    const double one = random.uniform(0, 1);
    for (double& e : restitution) e = one_restitution ? one : std::max(0.0, random.uniform(-0.5, 1));
    target = Eigen::Map<const Vector>(target_of(set, {}).data(), set.rows());
    if (random.below(2)) target += random.vector(static_cast<int>(set.rows()));
    const Eigen::Index m = s.posed.A.rows();
    before = s.posed.A * s.state->v();
    w.resize(m);
    E.resize(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      w(i) = Real(target(s.posed.row[static_cast<std::size_t>(i)]));
      E(i) = Real(restitution(s.posed.row[static_cast<std::size_t>(i)]));
    }
  }
  void solve_reference() {
    reference::HybridProblem p = s.problem;
    p.external = s.state->generalised_force(x.reference_external);
    p.h = -p.external;
    p.gravity.setZero();
    p.b = (E.array() + 1) * (w - before).array();
    oracle = reference::hybrid_motion(p);
  }
  ImpulseInput input(Restitution model = Restitution::newton) const {
    return {.q = x.state.q,
            .v = x.state.v,
            .restitution = restitution,
            .target = target,
            .model = model,
            .impulse = x.state.tau,
            .external = &x.external,
            .prescribed = &x.prescribed};
  }
  bool held(Eigen::Index y) const {
    for (const PrescribedCoordinate& p : x.prescribed)
      if (p.v == y) return true;
    return false;
  }
};

/// What holds of every impulse, however its rows are met.
void expect_laws(const Shot& shot, const Impulse& got) {
  const Mat& M = shot.s.posed.M;
  const Vec v = shot.x.state.v.cast<Real>(), after = got.velocity.cast<Real>(),
            external = shot.s.state->generalised_force(shot.x.reference_external),
            impulses = got.motor_impulse.cast<Real>() + got.reaction.cast<Real>() + external;
  const Vec change = M * got.change.cast<Real>();
  const Vec size = M.cwiseAbs() * got.change.cast<Real>().cwiseAbs() + external.cwiseAbs() +
                   got.motor_impulse.cast<Real>().cwiseAbs() + got.reaction.cast<Real>().cwiseAbs();
  const Real scale = 1 + size.maxCoeff();
  // M dv = J^T lambda + s. 1e5 eps: wrenches on links far apart in mass, stiff soft rows.
  EXPECT_TRUE(within(change, impulses, 1e-10, static_cast<double>(scale)));
  EXPECT_TRUE(
      within(after, Vec(v + got.change.cast<Real>()), 4e-16, static_cast<double>(1 + after.cwiseAbs().maxCoeff())));
  // T+ - T- = (v+ + v-) / 2 . impulses
  const Real T0 = v.dot(M * v) / 2, T1 = after.dot(M * after) / 2, work = (v + after).dot(impulses) / 2;
  EXPECT_NEAR(got.energy_before, static_cast<double>(T0), 1e-13 * static_cast<double>(T0));
  EXPECT_NEAR(got.energy_after, static_cast<double>(T1), 1e-12 * static_cast<double>(T1));
  const Real terms = T0 + T1 + (v.cwiseAbs() + after.cwiseAbs()).dot(size);
  EXPECT_NEAR(static_cast<double>(T1 - T0), static_cast<double>(work), 1e-11 * static_cast<double>(terms));
  const Vec lambda = active_part(shot.s.posed, got.multipliers), rows = shot.s.posed.A * after;
  double shares = 0;
  for (const Constraint& c : shot.set.constraints()) shares += got[c.name].energy;
  const Real by_rows = lambda.dot(shot.before + rows) / 2;
  EXPECT_NEAR(shares, static_cast<double>(by_rows),
              1e-10 * static_cast<double>(1e-3 + lambda.cwiseAbs().dot(shot.before.cwiseAbs() + rows.cwiseAbs())));
  const Vec sizes = shot.s.posed.reach * (v.cwiseAbs() + after.cwiseAbs());
  const double fast = 1 + (sizes.size() > 0 ? static_cast<double>(sizes.maxCoeff()) : 0.0);
  EXPECT_TRUE(within(active_part(shot.s.posed, got.velocity_before), shot.before, 1e-13, fast));
  EXPECT_TRUE(within(active_part(shot.s.posed, got.velocity_after), rows, 1e-13, fast));
}

TEST(Impulse, IsTheDenseOneForEveryKindOfRow) {
  int soft = 0, deficient = 0, prescribed = 0, levels = 0, refused = 0, clear = 0;
  for (int seed = 1; seed <= effort(250, 30); ++seed) {
    SCOPED_TRACE(seed);
    Shot shot(static_cast<std::uint64_t>(seed), {}, seed % 2 == 0);
    Solver solver(shot.robot.model, shot.set, shot.x.settings);
    const Impulse& got = solver.impulse(shot.input());
    if (got.report.status != Status::ok && got.report.status != Status::infeasible) {
      ++refused;
      continue;
    }
    expect_laws(shot, got);
    shot.solve_reference();
    if (!shot.oracle.clear()) continue;
    ++clear;
    EXPECT_EQ(got.report.rank, shot.oracle.rank);
    const double amplified = static_cast<double>(shot.oracle.amplification);
    const double tolerance = std::min(1e-6, std::max(1e-10, 1e-15 * amplified));
    const double size = 1 + static_cast<double>(shot.oracle.acceleration.cwiseAbs().maxCoeff() +
                                                shot.oracle.free.cwiseAbs().maxCoeff());
    EXPECT_TRUE(within(got.change, shot.oracle.acceleration, tolerance, size)) << amplified;
    const Vec lambda = active_part(shot.s.posed, got.multipliers);
    if (lambda.size() > 0) {
      EXPECT_TRUE(within(lambda, shot.oracle.multipliers, std::min(1e-5, std::max(1e-9, 1e-15 * amplified * amplified)),
                         1 + static_cast<double>(shot.oracle.multipliers.cwiseAbs().maxCoeff())))
          << amplified;
    }
    soft += (shot.s.problem.R.array() > 0).any();
    deficient += shot.oracle.rank < shot.s.posed.A.rows();
    prescribed += !shot.x.prescribed.empty();
    for (const int level : shot.s.problem.level) levels += level > 0;
    if (HasFailure()) return;
  }
  EXPECT_LE(refused, effort(250, 30) / 20);
  EXPECT_GE(clear, effort(250, 30) / 2);
  EXPECT_GE(soft, clear / 20);
  EXPECT_GE(deficient, clear / 50);
  EXPECT_GE(prescribed, clear / 10);
  EXPECT_GE(levels, clear / 20);
}

TEST(Impulse, OfEveryMethodIsTheSame) {
  std::map<std::string, int> count;
  for (int seed = 1; seed <= effort(60, 60); ++seed) {
    const Shot shot(static_cast<std::uint64_t>(seed) + 300, for_every_method(), seed % 3 != 0);
    if (shot.x.settings.method == "pv_soft") continue;
    Solver solver(shot.robot.model, shot.set);
    const Impulse& first = solver.impulse(shot.input());
    if (first.report.status != Status::ok) continue;
    const Vector velocity = first.velocity, multipliers = first.multipliers;
    const double energy = first.energy_after, size = 1 + velocity.cwiseAbs().maxCoeff();
    const double force = 1 + (multipliers.size() > 0 ? multipliers.cwiseAbs().maxCoeff() : 0.0);
    for (const std::string& method : methods()) {
      SCOPED_TRACE(method + ", seed " + std::to_string(seed));
      solver.settings().method = method;
      try {
        const Impulse& got = solver.impulse(shot.input());
        ++count[method];
        ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
        EXPECT_TRUE(within(got.velocity, velocity, 1e-7, size));
        EXPECT_TRUE(within(got.multipliers, multipliers, 1e-6, force));
        EXPECT_NEAR(got.energy_after, energy, 1e-6 * (1 + energy));
        expect_laws(shot, got);
      } catch (const UnsupportedError&) {  // loops or mimic joints that it does not take
      }
      if (HasFailure()) return;
    }
  }
  for (const std::string& method : methods())
    if (method != "pv_soft") { EXPECT_GE(count[method], 3) << method; }
}

TEST(Impulse, ModelsOfRestitutionAgreeWhereAllRowsHaveOneNumber) {
  int compared = 0, deficient = 0;
  for (int seed = 1; seed <= effort(120, 40); ++seed) {  // about every other one is compared, twice
    SCOPED_TRACE(seed);
    Shot shot(static_cast<std::uint64_t>(seed) + 900, for_every_method(), true);
    shot.x.external.clear();
    shot.x.prescribed.clear();
    ImpulseInput input = shot.input();
    input.impulse = {};
    Solver solver(shot.robot.model, shot.set);
    const Impulse& got = solver.impulse(input);
    if (got.report.status != Status::ok || got.report.rows == 0) continue;
    const Vector newton = got.velocity, lambda = got.multipliers;
    const double force = 1 + lambda.cwiseAbs().maxCoeff(), size = 1 + newton.cwiseAbs().maxCoeff();
    for (const Restitution model : {Restitution::poisson, Restitution::energetic}) {
      input.model = model;
      solver.impulse(input);
      const bool held = std::any_of(got.report.warnings.begin(), got.report.warnings.end(),
                                    [](const SolveWarning& w) { return w.kind == SolveWarning::Kind::no_compression; });
      if (held) continue;  // its rows are not restituted
      ASSERT_EQ(got.report.status, Status::ok) << name_of(model) << " " << got.report.explain();
      EXPECT_TRUE(within(got.velocity, newton, 1e-7, size)) << name_of(model);
      EXPECT_TRUE(within(got.multipliers, lambda, 1e-6, force)) << name_of(model);
      ++compared;
      deficient += got.report.rank < got.report.rows;
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(120, 20));
  EXPECT_GE(deficient, 1);
}

/// Poisson's law by dense algebra: the motion of the compression, and that of
/// the impulses E c under the rows with E = 0.
TEST(Impulse, PoissonsRestitutionIsTheDenseOne) {
  int compared = 0, deficient = 0, soft = 0, prescribed = 0;
  for (int seed = 1; seed <= effort(250, 30); ++seed) {
    SCOPED_TRACE(seed);
    Shot shot(static_cast<std::uint64_t>(seed) + 5000, for_every_method());
    Solver solver(shot.robot.model, shot.set, shot.x.settings);
    const Impulse& got = solver.impulse(shot.input(Restitution::poisson));
    if (got.report.status != Status::ok) continue;
    expect_laws(shot, got);
    const Vec E = shot.E;
    shot.E.setZero();
    shot.solve_reference();
    if (!shot.oracle.clear()) continue;
    const Vec c = shot.oracle.multipliers;
    reference::HybridProblem second = shot.s.problem;
    std::vector<Eigen::Index> rows;
    for (Eigen::Index k = 0; k < E.size(); ++k)
      if (E(k) == 0) rows.push_back(k);
    second.tau = shot.s.posed.A.transpose() * Vec(E.array() * c.array());
    second.h.setZero();
    second.gravity.setZero();
    second.external.setZero();
    second.A = shot.s.posed.A(rows, Eigen::all);
    second.R = second.R.size() > 0 ? Vec(second.R(rows)) : second.R;
    second.weight = second.weight.size() > 0 ? Vec(second.weight(rows)) : second.weight;
    second.b = Vec::Zero(static_cast<Eigen::Index>(rows.size()));
    second.level.assign(rows.size(), 0);
    second.left_out.assign(rows.size(), 0);
    for (auto& [coordinate, value] : second.prescribed) value = 0;
    const reference::HybridMotion rest = reference::hybrid_motion(second);
    if (!rest.clear()) continue;
    const Vec expected = shot.oracle.acceleration + rest.acceleration;
    const double amplified = static_cast<double>(std::max(shot.oracle.amplification, rest.amplification));
    const double tolerance = std::min(1e-6, std::max(1e-9, 1e-14 * amplified));
    EXPECT_TRUE(
        within(got.change, expected, tolerance,
               1 + static_cast<double>(expected.cwiseAbs().maxCoeff() + shot.oracle.free.cwiseAbs().maxCoeff())))
        << amplified;
    ++compared;
    deficient += shot.oracle.rank < E.size();
    soft += (shot.s.problem.R.array() > 0).any();
    prescribed += !shot.x.prescribed.empty();
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, effort(250, 30) / 3);
  EXPECT_GE(deficient, 2);
  EXPECT_GE(soft, compared / 20);
  EXPECT_GE(prescribed, compared / 10);
}

/// Whatever is asked: never NaN, never ok without the balances; levels, drivers left out,
/// singularity policies, huge numbers.
TEST(Impulse, HoldsItsBalancesUnderEverySetting) {
  std::map<Status, int> seen;
  for (int seed = 1; seed <= effort(300, 30); ++seed) {
    Shot shot(static_cast<std::uint64_t>(seed) + 7000, {});
    for (const Restitution model : {Restitution::newton, Restitution::poisson, Restitution::energetic}) {
      SCOPED_TRACE(std::to_string(seed) + " " + name_of(model));
      Solver solver(shot.robot.model, shot.set, shot.x.settings);
      const Impulse& got = solver.try_impulse(shot.input(model));
      ++seen[got.report.status];
      for (const VectorView* x :
           {&got.velocity, &got.multipliers, &got.motor_impulse, &got.reaction, &got.velocity_after})
        ASSERT_TRUE(x->allFinite());
      if (got.report.status == Status::ok || got.report.status == Status::infeasible) expect_laws(shot, got);
      if (HasFailure()) return;
      for (const double huge : {1e160, 1e305}) {
        ImpulseInput input = shot.input(model);
        const Vector fast = huge * shot.x.state.v;
        input.v = fast;
        const Status status = solver.try_impulse(input).report.status;
        EXPECT_TRUE(got.velocity.allFinite() && std::isfinite(got.energy_before) && std::isfinite(got.energy_after));
        EXPECT_NE(status, Status::non_finite_input);
      }
    }
  }
  EXPECT_GT(seen[Status::ok], effort(300, 30));
  EXPECT_GT(seen[Status::infeasible], 0);
}

/// Work of the restitution on constraint c is -E^2 times that of the compression;
/// its rows get their impulse in proportion.
TEST(Impulse, EnergeticRestitutionGivesEveryConstraintItsShare) {
  int shares = 0;
  for (int seed = 1; seed <= effort(120, 120); ++seed) {
    SCOPED_TRACE(seed);
    MixedOptions options = for_every_method();
    options.prescribed = options.soft = false;
    Shot shot(static_cast<std::uint64_t>(seed) + 1500, options, true);
    Random random(static_cast<std::uint64_t>(seed));
    Index row = 0;
    for (const Constraint& c : shot.set.constraints()) {
      const double e = random.uniform(0.05, 1);
      for (Index i = 0; i < c.size(); ++i, ++row) shot.restitution(row) = random.below(3) == 0 ? 0.0 : e;
    }
    ImpulseInput input = shot.input(Restitution::energetic);
    const Vector none = Vector::Zero(shot.set.rows());
    Solver solver(shot.robot.model, shot.set);
    input.restitution = none;
    const Impulse& got = solver.impulse(input);
    if (got.report.status != Status::ok || got.report.rank < got.report.rows) continue;
    const Vector compression = got.multipliers;
    input.restitution = shot.restitution;
    solver.impulse(input);
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    const Vector lambda = got.multipliers, before = got.velocity_before - shot.target,
                 after = got.velocity_after - shot.target;
    row = 0;
    for (const Constraint& c : shot.set.constraints()) {
      double absorbed = 0, given = 0, e = 0, largest = 1e-300;
      for (Index i = 0; i < c.size(); ++i, ++row) {
        if (!c.active || shot.restitution(row) == 0) {
          if (c.active) { EXPECT_NEAR(after(row), 0, 1e-8 * (1 + before.cwiseAbs().maxCoeff())); }
          continue;
        }
        e = shot.restitution(row);
        absorbed -= compression(row) * before(row) / 2;
        given += (lambda(row) - compression(row)) * after(row) / 2;
        largest = std::max(largest, std::fabs(compression(row) * before(row)) + std::fabs(lambda(row) * after(row)));
      }
      if (e == 0 || absorbed <= 0) continue;
      EXPECT_NEAR(given, e * e * absorbed, 1e-7 * largest) << c.name.value();
      ++shares;
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(shares, effort(120, 120) / 3);
}

TEST(Impulse, WarnsWhereEnergyGrowsAndNowhereElse) {
  int grown = 0, not_grown = 0;
  for (int seed = 1; seed <= effort(200, 200); ++seed) {
    SCOPED_TRACE(seed);
    MixedOptions options = for_every_method();
    options.prescribed = false;
    const Shot shot(static_cast<std::uint64_t>(seed) + 2500, options, seed % 3 == 0);
    const Vector none = Vector::Zero(shot.set.rows());
    Solver solver(shot.robot.model, shot.set);
    const Impulse& got =
        solver.impulse({.q = shot.x.state.q, .v = shot.x.state.v, .restitution = shot.restitution, .target = none});
    if (got.report.status != Status::ok || (shot.s.problem.R.array() > 0).any()) continue;
    const double growth = got.energy_after - got.energy_before;
    const bool warned = std::any_of(got.report.warnings.begin(), got.report.warnings.end(), [&](const SolveWarning& w) {
      if (w.kind == SolveWarning::Kind::energy_grows) { EXPECT_NEAR(w.value, growth, 1e-9 * got.energy_before); }
      return w.kind == SolveWarning::Kind::energy_grows;
    });
    if (growth > 1e-9 * got.energy_before) { EXPECT_TRUE(warned) << growth; }
    if (growth < -1e-9 * got.energy_before || seed % 3 == 0) { EXPECT_FALSE(warned) << growth; }
    ++(warned ? grown : not_grown);
    if (HasFailure()) return;
  }
  EXPECT_GE(grown, 3);
  EXPECT_GE(not_grown, effort(200, 200) / 4);
}

/// dT = -1/2 (1 - e^2) (J v)^T G^+ (J v); nothing is left of a second impulse;
/// no other velocity that the rows allow has less energy relative to v-.
TEST(Impulse, DissipatesByTheClosedFormAndIsIdempotent) {
  MixedOptions options = for_every_method();
  options.soft = options.prescribed = false;
  for (int seed = 1; seed <= effort(60, 12); ++seed) {
    SCOPED_TRACE(seed);
    const Shot shot(static_cast<std::uint64_t>(seed) + 3300, options, true);
    const Vector none = Vector::Zero(shot.set.rows());
    Solver solver(shot.robot.model, shot.set);
    ImpulseInput input{.q = shot.x.state.q, .v = shot.x.state.v, .target = none};
    const Impulse& got = solver.impulse(input);
    if (got.report.status != Status::ok || got.report.rows == 0) continue;
    const double T0 = got.energy_before, size = 1e-9 * T0;
    const Vector lambda = got.multipliers, v0 = got.velocity;
    const double absorbed = -0.5 * lambda.dot(got.velocity_before);  // 1/2 (J v)^T G^+ (J v)
    EXPECT_NEAR(got.energy_after, T0 - absorbed, size);
    EXPECT_GE(absorbed, -size);
    for (const double e : {0.35, 1.0}) {
      input.restitution = ConstVector(&e, 1);
      solver.impulse(input);
      EXPECT_NEAR(got.energy_after, T0 - (1 - e * e) * absorbed, size) << e;
      EXPECT_TRUE(within(got.multipliers, Vector((1 + e) * lambda), 1e-8, 1 + lambda.cwiseAbs().maxCoeff()));
    }
    solver.impulse({.q = shot.x.state.q, .v = v0, .target = none});
    EXPECT_TRUE(within(got.velocity, v0, 1e-9, 1 + v0.cwiseAbs().maxCoeff()));
    EXPECT_NEAR(got.energy_after, T0 - absorbed, size);
  }
}

/// Whether a row with a sense is closed, or has no position that could be open.
bool is_touched(const Constraint& c, Sense sense, double position_error) {
  if (c.relation == nullptr || (c.target.empty() && c.relation->position_is_free())) return true;
  return !((sense == Sense::at_least ? position_error : -position_error) > 1e-6);
}

// M (v+ - v-) = J^T lambda + s, and with xi = J v+ - w + E (J v- - w) + R lambda, E = 0 of a row with a sense that is
// leaving: xi = 0 of an equality; xi >= 0, lambda >= 0, lambda xi = 0 of at_least; turned round of at_most; lambda = 0
// of rows that are open. The problem is convex: no other motion satisfies these.
TEST(Impulse, OfRowsWithASenseIsComplementary) {
  int ok = 0, infeasible = 0, pushing = 0, released = 0, open = 0;
  double worst = 0;
  for (int seed = 1; seed <= effort(400, 40); ++seed) {
    SCOPED_TRACE(seed);
    Shot shot(static_cast<std::uint64_t>(seed) + 7000, for_every_method(), seed % 2 == 0, true);
    Solver solver(shot.robot.model, shot.set, shot.x.settings);
    const Solution& still = solver.solve({.q = shot.x.state.q, .v = shot.x.state.v});
    const Vector position = still.position_error;
    const bool has_position = still.report.status == Status::ok;
    const Impulse& got = solver.impulse(shot.input());
    if (got.report.status != Status::ok || !has_position) {
      infeasible += got.report.status == Status::infeasible;
      continue;
    }
    ++ok;
    expect_laws(shot, got);
    const Vec after = got.velocity.cast<Real>(), lambda = active_part(shot.s.posed, got.multipliers);
    const Vec R = shot.s.problem.R.size() > 0 ? shot.s.problem.R : Vec::Zero(lambda.size());
    const Vec terms = shot.s.posed.reach * (after.cwiseAbs() + shot.x.state.v.cwiseAbs().cast<Real>());
    Real force = 1e-3;
    for (Eigen::Index k = 0; k < lambda.size(); ++k)
      force = std::max(force, std::fabs(lambda(k)) * shot.s.posed.A.row(k).cwiseAbs().maxCoeff());
    for (Eigen::Index k = 0; k < lambda.size(); ++k) {
      const Constraint& c = constraint_of(shot.set, shot.s.posed, k);
      Eigen::Index first = k;
      while (first > 0 && &constraint_of(shot.set, shot.s.posed, first - 1) == &c) --first;
      const Sense sense = c.sense.empty() ? Sense::equal : c.sense[static_cast<std::size_t>(k - first)];
      const double error = position(shot.s.posed.row[static_cast<std::size_t>(k)]);
      if (sense != Sense::equal && !is_touched(c, sense, error)) {
        EXPECT_EQ(lambda(k), 0);
        ++open;
        continue;
      }
      const Real comes = shot.before(k) - shot.w(k);
      const bool leaves = sense == Sense::at_least ? comes > 0 : sense == Sense::at_most && comes < 0;
      const Real xi =
                     shot.s.posed.A.row(k).dot(after) - shot.w(k) + (leaves ? 0 : shot.E(k) * comes) + R(k) * lambda(k),
                 size = 1e-3 + terms(k) + 2 * std::fabs(shot.w(k)) + std::fabs(R(k) * lambda(k));
      const Real reach = shot.s.posed.A.row(k).cwiseAbs().maxCoeff();
      const Real turned = sense == Sense::at_most ? -1 : 1, push = turned * lambda(k) * reach / force,
                 apart = turned * xi / size;
      const Real error_here =
          sense == Sense::equal ? std::fabs(apart) : std::max({-push, -apart, std::min(push, apart)});
      worst = std::max(worst, static_cast<double>(error_here));
      // feasibility is 1e-9 of the terms of the library, which are at most those here
      EXPECT_LE(static_cast<double>(error_here), 2e-9) << c.name;
      pushing += sense != Sense::equal && lambda(k) != 0;
      released += sense != Sense::equal && lambda(k) == 0;
    }
  }
  std::printf("ok %d, infeasible %d; rows that push %d, let go %d, not touched %d; worst %.1e\n", ok, infeasible,
              pushing, released, open, worst);
  EXPECT_GT(pushing, effort(100, 8));
  EXPECT_GT(released, effort(100, 8));
  EXPECT_GT(open, effort(50, 4));
}

}  // namespace
}  // namespace zwang::test
