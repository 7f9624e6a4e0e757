// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions where rows nearly depend, contradict each other or change their rank: never a number that is
// not finite, all numbers 0 where the status is not ok, the three calls agree on the status, and where it is ok the
// numbers are those of differences of solves, wherever these say anything.
//
// 8000 random problems in the ordinary run; ZWANG_WHOLE_TABLE=1: a million, with a table (ZWANG_SEED: others).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

constexpr const char* k_unsettled = "the method has not settled on the derivative";

double tiny(Random& random) { return std::pow(10.0, random.uniform(-16, 0)); }

/// n equal links about parallel axes, one after the other along x: stretched at q = 0.
RobotDescription planar_chain(int n) {
  RobotDescription robot = sample_chain(n);
  for (JointDescription& j : robot.joints) {
    j.axis = {0, 1, 0};
    j.origin.R = Mat3<double>::identity();
    j.origin.p = {0.5, 0, 0};
  }
  return robot;
}

struct Pool {
  std::vector<Model> models;
  Pool() {
    for (const int n : {2, 3, 4}) add(planar_chain(n));
    for (const int n : {2, 3, 6}) add(sample_chain(n));
    add(sample_arm7());
    add(sample_cart_pole());
    add(sample_gripper());
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      RandomRobot options;
      options.joints = 2 + static_cast<int>(seed % 4);
      const char* roots[] = {"fixed", "floating", "planar", "spherical"};
      options.root = roots[seed % 4];
      options.mimic = 0.3;
      RobotDescription robot = random_robot(seed, options);
      for (JointDescription& j : robot.joints)
        if (j.type == "composite") j.rotor_inertia = {0.05};
      add(robot);
    }
  }
  void add(const RobotDescription& robot) {
    BuildOptions options;
    options.lump = false;  // every joint has a place that can be differentiated
    models.push_back(build(robot, options));
    if (models.back().nv() == 0) models.pop_back();
  }
};

std::string any_frame(const Model& m, Random& random) {
  const auto& frames = m.frames();
  return frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
}

/// Rows of which some depend, or nearly, on others: over [linear; angular].
std::vector<double> dependent_rows(Random& random, int count) {
  std::vector<double> m;
  for (int i = 0; i < count; ++i) {
    const int how = i == 0 ? 0 : random.below(5);
    for (int c = 0; c < 6; ++c) {
      const double old = i > 0 ? m[static_cast<std::size_t>(c)] : 0,
                   first = i > 1 ? m[static_cast<std::size_t>(6 + c)] : 0;
      const double fresh = random.below(3) == 0 ? 0.0 : random.uniform(-2, 2);
      m.push_back(how == 0   ? fresh
                  : how == 1 ? old
                  : how == 2 ? old + first
                  : how == 3 ? old + tiny(random) * fresh
                             : -3 * old);
    }
  }
  return m;
}

/// One constraint; the names tell them apart.
void add_one(const Model& m, ConstraintSet& set, Random& random, const std::string& name, const std::string& frame,
             bool zeros) {
  static const char* const words[] = {"linear",   "angular",           "all",
                                      "linear.x", "linear.x linear.z", "angular.y linear.z"};
  const auto beta = [&](Index rows) {
    std::vector<double> b(static_cast<std::size_t>(rows), 0.0);
    if (!zeros)
      for (double& x : b) x = random.uniform(-3, 3);
    return b;
  };
  const int kind = random.below(6);
  const Stabilisation feedback{random.below(2) ? 0.0 : random.uniform(0.2, 1), 1};
  if (kind <= 1) {
    FrameConstraint c{.name = name, .frame = frame};
    c.rows = kind == 0 ? rows(words[random.below(6)]) : rows(dependent_rows(random, 1 + random.below(5)));
    c.in = random.below(2) ? "local" : "local_world_aligned";
    c.beta = beta(c.rows.size());
    c.role = random.below(3) ? Role::physical : Role::driver;
    set.add(c);
  } else if (kind == 2) {
    ContactConstraint c{.name = name, .frame = frame};
    c.rows = 1 + random.below(3);
    c.has_target = random.below(2) == 1;
    if (c.has_target) c.stabilisation = feedback;
    c.beta = beta(c.rows);
    set.add(c);
  } else if (kind == 3) {
    static const char* const joints[] = {"hinge", "slider", "cylindrical", "planar", "ball", "weld", "universal"};
    LoopConstraint c{.name = name, .frame = frame, .other = any_frame(m, random)};
    c.rows = joint_rows(joints[random.below(7)], random.direction());
    if (c.rows.size() == 3 && c.rows.names[0] == "linear.x" && random.below(2)) c.in = "local_world_aligned";
    c.beta = beta(c.rows.size());
    c.stabilisation = feedback;
    set.add(c);
  } else if (kind == 4) {
    DistanceConstraint c{.name = name, .frame = frame, .other = any_frame(m, random), .length = 0.5};
    c.other_point = {0.3, 0.1, -0.2};
    c.beta = beta(1);
    c.stabilisation = feedback;
    set.add(c);
  } else {
    CentreOfMassConstraint c{.name = name};
    c.matrix = {1, 0, random.below(2) * tiny(random)};
    if (random.below(2)) c.matrix.insert(c.matrix.end(), {1, 0, 0});
    c.beta = beta(static_cast<Index>(c.matrix.size() / 3));
    c.stabilisation = feedback;
    set.add(c);
  }
}

/// One to three constraints; then, often, one of them once more, with the same or another beta, or nearly the same.
void draw(const Model& m, ConstraintSet& set, Random& random) {
  const int count = 1 + random.below(3);
  const std::string frame = any_frame(m, random);
  const bool zeros = random.below(2) == 0;
  for (int k = 0; k < count; ++k) {
    const Random before = random;
    const std::string name = "c" + std::to_string(k);
    try {
      add_one(m, set, random, name, random.below(3) ? frame : any_frame(m, random), zeros);
    } catch (const std::invalid_argument&) { continue; }  // two frames on one body
    if (random.below(3)) continue;
    try {
      Random same = before;
      add_one(m, set, same, name + " again", same.below(3) ? frame : any_frame(m, same), zeros);
    } catch (const std::invalid_argument&) { continue; }
    Constraint& c = set[name + " again"];
    const int how = random.below(4);
    if (how == 0 && c.size() > 0) c.beta[0] = c.beta[0] + 1;
    if (how == 1 && c.size() > 0) c.beta[0] = c.beta[0] + tiny(random);
  }
  for (const Constraint& c : set.constraints()) {
    if (random.below(12) == 0) set[c.name].active = false;
    if (random.below(10) == 0) {
      set[c.name].policy = Policy::soft;
      // Smaller ones lose digits in the solution, too: lambda = (beta - K a) / R magnifies the rounding of K a.
      set[c.name].compliance.assign(static_cast<std::size_t>(c.size()), std::pow(10.0, random.uniform(-8, 1)));
    } else if (random.below(10) == 0) {
      set[c.name].policy = Policy::early;
    }
    if (random.below(15) == 0) set[c.name].priority = 1;
  }
}

SolverSettings draw_settings(Random& random) {
  SolverSettings s;
  const std::vector<std::string> all = methods();
  if (random.below(2)) s.method = all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
  const int rule = random.below(10);
  if (rule < 3)
    s.singularity = rule == 0 ? Singularity::damping : rule == 1 ? Singularity::proximal : Singularity::weighted;
  return s;
}

/// a, lambda and motor torques of a solution in one vector.
Vector all_of(const Solution& s) {
  Vector out(s.acceleration.size() + s.multipliers.size() + s.motor_torque.size());
  out << s.acceleration, s.multipliers, s.motor_torque;
  return out;
}
Vector all_of(const SolutionVariation& s) {
  Vector out(s.acceleration.size() + s.multipliers.size() + s.motor_torque.size());
  out << s.acceleration, s.multipliers, s.motor_torque;
  return out;
}

struct RankTally {
  long problems = 0, solved = 0, ok = 0, refused = 0, other = 0;
  long not_finite = 0, not_zero = 0, disagree = 0, not_adjoint = 0, optimistic = 0;
  long compared = 0, unstable = 0, wrong = 0, jumps = 0, refused_smooth = 0, refused_ok = 0, apart_in_noise = 0;
  double worst = 0, worst_adjoint = 0;
  std::map<std::string, long> reasons;
};

struct Problem {
  const Model& m;
  const ConstraintSet& set;
  Solver& solver;
  Vector q, v, tau;
  Vector dq, dv, dtau;
};

/// The solution moved by h along the direction; empty where it is not ok or its rank is another.
Vector moved(Problem& p, double h, Index rank, Index redundant) {
  const Vector q = integrate(p.m, p.q, Vector(h * p.dq)), v = p.v + h * p.dv, tau = p.tau + h * p.dtau;
  const Solution& s = p.solver.try_solve({.q = q, .v = v, .tau = tau});
  if (s.report.status != Status::ok || s.report.rank != rank || s.report.rows - s.report.rank != redundant) return {};
  return all_of(s);
}

enum class Differences { unstable, jump, stable };

/// One of the vectors of a solution along the direction by central differences, and what these are good for.
struct Slope {
  Vector value;
  double doubt = 0;
  Differences how = Differences::unstable;
};
/// From the values at h, h/2, -h/2, -h and 0.
Slope slope_of(const Vector& up, const Vector& up2, const Vector& down2, const Vector& down, const Vector& at,
               double h) {
  const Vector coarse = (up - down) / (2 * h), fine = (up2 - down2) / h;
  Slope out{(4 * fine - coarse) / 3};
  const double size = largest(fine) + largest(coarse), bend = largest(up2 + down2 - 2 * at), floor = 1e-9 * largest(at);
  if (largest(coarse - fine) > 1e-4 * size + floor) return out;
  // Halving h quarters the bend of a smooth function: one that stays is a jump at 0, or noise, or a pole nearer than h.
  if (bend > 0.4 * largest(up + down - 2 * at) && bend > 1e-3 * (largest(at) + largest(up2)) && bend > 1e-6) {
    if (largest(at) <= 10 * (1e-3 + largest(up2))) out.how = Differences::jump;
    return out;
  }
  out.doubt = largest(coarse - fine) + bend / h;
  if (out.doubt <= 1e-2 * size) out.how = Differences::stable;
  return out;
}

/// Of accelerations, multipliers and motor torques, at the first step at which both sides have the rank of the middle,
/// and beside which no pole is near.
void differences(Problem& p, const Vector& at, Index rank, Index redundant, double h, Slope (&slopes)[3]) {
  const Vector up = moved(p, h, rank, redundant), down = moved(p, -h, rank, redundant);
  const Vector up2 = moved(p, h / 2, rank, redundant), down2 = moved(p, -h / 2, rank, redundant);
  if (up.size() == 0 || down.size() == 0 || up2.size() == 0 || down2.size() == 0) return;
  const Eigen::Index nv = p.m.nv(), rows = at.size() - 2 * nv, first[] = {0, nv, nv + rows}, count[] = {nv, rows, nv};
  Slope here[3];
  bool pole = false;
  for (int k = 0; k < 3; ++k) {
    const auto part = [&](const Vector& x) { return Vector(x.segment(first[k], count[k])); };
    here[k] = slope_of(part(up), part(up2), part(down2), part(down), part(at), h);
    const double beside = largest(part(up)), middle = largest(part(at));
    pole = pole || (middle > 2 * beside && middle > 1e-3) || (beside > 2 * middle && beside > 1e-3 && middle > 1e-9);
  }
  for (int k = 0; k < 3 && !pole; ++k)
    if (slopes[k].how != Differences::stable) slopes[k] = here[k];
}

bool all_zero(const SolutionJacobian& x) {
  return x.q.isZero(0) && x.v.isZero(0) && x.tau.isZero(0) && x.beta.isZero(0);
}
bool finite(const SolutionJacobian& x) {
  return x.q.allFinite() && x.v.allFinite() && x.tau.allFinite() && x.beta.allFinite();
}
template <class G, class F> bool every(const G& g, F&& f) {
  return f(g.q) && f(g.v) && f(g.tau) && f(g.prescribed) && f(g.force) && f(g.beta) && f(g.target) &&
         f(g.target_velocity) && f(g.compliance) && f(g.armature) && f(g.damping) && f(g.stiffness) && f(g.gravity) &&
         f(g.inertial_parameters);
}

void check(Problem& p, Random& random, RankTally& tally, std::uint64_t seed) {
  ++tally.problems;
  const Solution& s = p.solver.try_solve({.q = p.q, .v = p.v, .tau = p.tau});
  const Status solved = s.report.status;
  if (solved == Status::invalid_input) {  // the method does not support the problem
    --tally.problems;
    return;
  }
  const Index rank = s.report.rank, redundant = s.report.rows - rank;
  const Vector at = all_of(s);
  tally.solved += solved == Status::ok;
  const Index nv = p.m.nv(), rows = static_cast<Index>(s.multipliers.size());
  const Vector wa = random.vector(nv), wl = random.vector(rows), wt = random.vector(nv);
  const SolutionDerivatives* d = nullptr;
  try {
    d = &p.solver.derivatives();
  } catch (const std::logic_error& e) {  // it left no factorisation: nothing to differentiate
    ++tally.other;
    ++tally.reasons[std::string(name_of(solved)) + ": no factorisation"];
    if (solved == Status::ok) ADD_FAILURE() << "seed " << seed << ": " << e.what();
    return;
  }
  const auto blame = [&](long& count, const char* what) {
    if (count++ < 5)
      std::printf("seed %llu: %s (%s, rank %d of %d, method %s, %s, %s)\n", static_cast<unsigned long long>(seed), what,
                  name_of(solved), static_cast<int>(rank), static_cast<int>(s.report.rows), s.report.method,
                  name_of(d->status), std::string(d->reason).c_str());
  };
  const SolutionJacobian* const three[] = {&d->acceleration, &d->multipliers, &d->motor_torque};
  bool good = true, zero = true;
  for (const SolutionJacobian* j : three) {
    good = good && finite(*j);
    zero = zero && all_zero(*j);
  }
  const Status status = d->status;
  double apart = 0;  // vjp, jvp and the matrices
  const InputGradient& g = p.solver.vjp({.acceleration = wa, .multipliers = wl, .motor_torque = wt});
  good = good && every(g, [](const auto& x) { return x.allFinite(); }) && g.placement.allFinite();
  zero = (status == Status::ok || zero) &&
         (g.status == Status::ok || (every(g, [](const auto& x) { return x.isZero(0); }) && g.placement.isZero(0)));
  const SolutionVariation& right = p.solver.jvp({.q = p.dq, .v = p.dv, .tau = p.dtau});
  const Vector along = all_of(right);
  good = good && along.allFinite();
  if (!good) blame(tally.not_finite, "not finite");
  zero = zero && (right.status == Status::ok || along.isZero(0));
  if (!zero || (status != Status::ok && d->reason.empty())) blame(tally.not_zero, "not zero, or no reason");
  // Each call of an iterative method settles on its own right-hand sides, or does not.
  const bool unsettled = d->reason == k_unsettled || g.reason == k_unsettled || right.reason == k_unsettled;
  if (!unsettled && (g.status != status || right.status != status)) blame(tally.disagree, "the calls disagree");
  if (solved != Status::ok && status == Status::ok) blame(tally.optimistic, "ok where the solve is not");
  if (status != Status::ok) {
    ++tally.refused;
    tally.refused_ok += solved == Status::ok;
    ++tally.reasons[std::string(d->reason)];
  } else if (g.status == Status::ok && right.status == Status::ok) {
    ++tally.ok;
    const Vector product =
        (Vector(at.size()) << d->acceleration.q * p.dq + d->acceleration.v * p.dv + d->acceleration.tau * p.dtau,
         d->multipliers.q * p.dq + d->multipliers.v * p.dv + d->multipliers.tau * p.dtau,
         d->motor_torque.q * p.dq + d->motor_torque.v * p.dv + d->motor_torque.tau * p.dtau)
            .finished();
    const Vector w = (Vector(at.size()) << wa, wl, wt).finished();
    double size = largest(along) + largest(at) + largest(g.q) + largest(g.v) + largest(g.tau) + 1;
    for (const SolutionJacobian* j : three)
      for (const JacobianView* x : {&j->q, &j->v, &j->tau})
        size = std::max(size, x->size() ? x->cwiseAbs().maxCoeff() : 0);
    const double adjoint = std::fabs(w.dot(along) - g.q.dot(p.dq) - g.v.dot(p.dv) - g.tau.dot(p.dtau)) / size;
    const double columns = largest(product - along) / size;
    apart = std::max(adjoint, columns);
  }
  if (solved != Status::ok) return;
  if (p.solver.settings().singularity == Singularity::damping) return;  // derivatives hold its mu, solves beside do not
  const bool ok = status == Status::ok;
  if (ok && (g.status != Status::ok || right.status != Status::ok)) return;
  const std::string reason(d->reason);
  Slope slopes[3];
  for (const double h : {1e-3, 1e-5, 1e-7}) differences(p, at, rank, redundant, h, slopes);
  const bool all_stable = slopes[0].how == Differences::stable && slopes[1].how == Differences::stable;
  if (!ok) {
    tally.refused_smooth += all_stable;
    return;
  }
  // Rows that count, though they depend to 1e-9 or so, have multipliers to match, and these the rounding to match.
  const bool magnified =
      largest(at) > 1e12 || largest(along) > 1e12 || largest(at.segment(nv, rows)) > 1e6 * (1 + largest(at.head(nv)));
  tally.compared += all_stable && !magnified;
  tally.unstable += !all_stable || magnified;
  if (all_stable && !magnified) {
    tally.worst_adjoint = std::max(tally.worst_adjoint, apart);
    if (!(apart <= 1e-6)) blame(tally.not_adjoint, "vjp, jvp and the matrices differ");
  } else {
    tally.apart_in_noise += !(apart <= 1e-3);
  }
  // A soft row's multiplier (beta - K a) / R has the rounding of K a, divided by R.
  double rounding = 1e-9;
  for (const Constraint& c : p.set.constraints())
    for (const double R : c.compliance)
      if (c.active && c.policy == Policy::soft) rounding = std::max(rounding, 4 * 2.2e-16 / R);
  for (int k = 0; k < 3; ++k) {
    const Slope& slope = slopes[k];
    if (slope.how == Differences::jump) blame(tally.jumps, "ok where the solution jumps");
    if (slope.how != Differences::stable) continue;
    const Vector got = along.segment(k == 0 ? 0 : k == 1 ? nv : nv + rows, slope.value.size());
    const double size = largest(slope.value) + largest(got) + 1e-6, error = largest(slope.value - got);
    const double noise = (k == 1 ? rounding : 1e-9) * (largest(along) + largest(at));
    if (!magnified && error > 1e-3 * size + 30 * slope.doubt + noise) {
      blame(tally.wrong, "not the differences");
      if (tally.wrong <= 5)
        std::printf("  part %d: by differences %g, got %g, error %g, doubt %g\n", k, largest(slope.value), largest(got),
                    error, slope.doubt);
    } else if (!magnified) {
      tally.worst = std::max(tally.worst, error / (size + 1e-6 * (largest(along) + largest(at))));
    }
  }
}

/// The set of a seed, at five states: at q = 0, next to it, anywhere.
void check_set(const Pool& pool, std::uint64_t seed, RankTally& tally) {
  Random random(seed);
  const Model& m = pool.models[static_cast<std::size_t>(random.below(static_cast<int>(pool.models.size())))];
  ConstraintSet set(m);
  draw(m, set, random);
  if (set.rows() == 0) return;
  std::unique_ptr<Solver> solver;
  const SolverSettings settings = draw_settings(random);
  try {
    solver = std::make_unique<Solver>(m, set, settings);
  } catch (const UnsupportedError&) { solver = std::make_unique<Solver>(m, set); }
  const Index nv = m.nv();
  for (int i = 0; i < 5; ++i) {
    Problem p{m,
              set,
              *solver,
              integrate(m, neutral(m),
                        random.vector(nv, i % 2    ? tiny(random)
                                          : i == 0 ? 0
                                                   : 2)),
              random.below(3) ? Vector(Vector::Zero(nv)) : random.vector(nv),
              random.vector(nv, 5),
              random.vector(nv),
              random.vector(nv),
              random.vector(nv)};
    try {
      check(p, random, tally, seed);
    } catch (const UnsupportedError&) { break; }
  }
}

// Soft rows whose J a method on matrices took for nothing, or whose elimination loses 1/R; rows that a proximal
// iteration does not reach; rows that vanish at a state and count beside it; closed loops with soft rows.
TEST(SolutionDerivativesOfRank, AreRightOrAStatusOnSetsThatWereWrong) {
  const Pool pool;
  int compared = 0;
  for (const std::uint64_t seed :
       {118ul,        33520ul,      91922ul,      119022ul,     119381ul,     154720ul,     1000000703ul,
        1000007442ul, 1000019787ul, 1000022840ul, 1000026876ul, 1000041409ul, 1000047039ul, 1000051557ul,
        1000051632ul, 2000007620ul, 2000008179ul, 2000009679ul, 2000014972ul, 2000017810ul, 2000018376ul,
        2000023132ul, 2000025426ul, 2000044730ul, 2000047977ul, 2000048967ul, 2000053942ul, 2000057129ul}) {
    RankTally tally;
    check_set(pool, seed, tally);
    EXPECT_EQ(tally.disagree, 0) << seed;
    EXPECT_EQ(tally.not_adjoint, 0) << seed;
    EXPECT_EQ(tally.wrong, 0) << seed;
    EXPECT_EQ(tally.jumps, 0) << seed;
    compared += tally.compared;
  }
  EXPECT_GT(compared, 60);
  RankTally apart;  // the products of this one still differ by more than 1e-6 where there is no fused multiply-add
  check_set(pool, 2000011031ul, apart);
  EXPECT_EQ(apart.wrong, 0);
  EXPECT_EQ(apart.jumps, 0);
}

TEST(SolutionDerivativesOfRank, AreRightOrAStatusOnRandomSetsThatNearlyDepend) {
  const bool whole = std::getenv("ZWANG_WHOLE_TABLE") != nullptr;
  const char* given = std::getenv("ZWANG_SEED");
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) * 1000000007u : 0;
  const Pool pool;
  const int sets = effort(whole ? 260000 : 1600, 800);
  RankTally tally;
  for (int k = 0; k < sets; ++k) {
    check_set(pool, first + static_cast<std::uint64_t>(k), tally);
    if (whole && k % 20000 == 19999) {
      std::printf("%ld problems, %ld ok, %ld compared, %ld wrong\n", tally.problems, tally.ok, tally.compared,
                  tally.wrong);
      std::fflush(stdout);
    }
  }
  std::printf("problems %ld: solved ok %ld, derivatives ok %ld, refused %ld (solve ok: %ld), no factorisation %ld\n",
              tally.problems, tally.solved, tally.ok, tally.refused, tally.refused_ok, tally.other);
  std::printf("not finite %ld, not zero %ld, statuses differ %ld, ok without solve %ld, not adjoint %ld (worst %.1e)\n",
              tally.not_finite, tally.not_zero, tally.disagree, tally.optimistic, tally.not_adjoint,
              tally.worst_adjoint);
  std::printf(
      "compared with differences %ld (worst %.1e), wrong %ld, jumps %ld, differences unstable or rounding magnified "
      "%ld (products apart "
      "there %ld), refused where they are stable %ld\n",
      tally.compared, tally.worst, tally.wrong, tally.jumps, tally.unstable, tally.apart_in_noise,
      tally.refused_smooth);
  for (const auto& [reason, count] : tally.reasons) std::printf("  %9ld %s\n", count, reason.c_str());
  EXPECT_EQ(tally.not_finite, 0);
  EXPECT_EQ(tally.not_zero, 0);
  EXPECT_EQ(tally.disagree, 0);
  EXPECT_EQ(tally.optimistic, 0);
  // Known misses of the long run, some in 100 000: rows of 1e-10 of their terms that count or not, within the rounding
  // of a solve; soft rows and hard ones with the same J.
  const long known = whole ? tally.compared / 10000 : 0;
  EXPECT_LE(tally.not_adjoint, known);
  EXPECT_LE(tally.wrong, known);
  EXPECT_LE(tally.jumps, known);
  EXPECT_LT(tally.apart_in_noise, tally.problems / 200);
  EXPECT_GT(tally.compared, tally.problems / 10);
  EXPECT_GT(tally.refused_ok, tally.problems / 100);
}

}  // namespace
}  // namespace zwang::test
