// SPDX-License-Identifier: BSD-3-Clause
// The gradients that a solver gives by parameters of the model, against differences of solves of models built anew.
// Tolerance: central differences of order 6, steps h: truncation h^6 = 1e-12, rounding eps / h = 2e-14 of the scalar
// for each, times the condition of M and of the rows; 1e-8 leaves room for both and is far below any term left out.
#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

struct Weights {
  Vector acceleration, multipliers, motor_torque;
};

bool is_twice(std::uint64_t seed) { return seed % 8 == 0 && seed % 3 != 0; }

/// The rows of the problem, and in every other one rows on the centre of mass with a target and a rate.
ConstraintSet set_of(const Mixed& x, const Model& model, std::uint64_t seed) {
  ConstraintSet set = x.set(model);
  if (seed % 2 || x.settings.method == "pv_soft") return set;
  CentreOfMassConstraint c;
  c.name = "balance";
  Random random(seed + 17);
  for (int k = 0; k < 6; ++k) c.matrix.push_back(random.uniform(-1, 1));
  c.beta = {0.7, -0.4};
  c.role = seed % 4 ? Role::driver : Role::physical;
  c.stabilisation = Stabilisation{0.5, 0.8};
  c.target = {0.1, 0.3};
  if (seed % 3 == 0) {
    c.policy = Policy::soft;
    c.compliance = {0.2, 0.5};
  }
  set.add(c);
  if (is_twice(seed)) {  // dependent whatever the parameters are
    c.name = "again";
    set.add(c);
  }
  return set;
}

/// The weighted solution of a problem whose model has been built from `description`. NaN where it is not ok.
double scalar(const Robot& robot, const RobotDescription& description, const Mixed& x, const Weights& w,
              std::uint64_t seed) {
  const Robot other(description, robot.options);
  const ConstraintSet set = set_of(x, other.model, seed);
  Solver solver(other.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  if (s.report.status != Status::ok) return std::numeric_limits<double>::quiet_NaN();
  return w.acceleration.dot(s.acceleration) + w.multipliers.dot(s.multipliers) + w.motor_torque.dot(s.motor_torque);
}

/// NaN where two steps differ: near a singular configuration the truncation is larger.
template <class Along> double difference(Along&& along, double size) {
  const auto of = [&](double h) {
    const auto pair = [&](double k) { return along(k * h) - along(-k * h); };
    return (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * h);
  };
  const double coarse = of(2e-3), fine = of(1e-3);
  const bool agree = std::fabs(coarse - fine) < 2e-9 * (size + std::fabs(fine));
  return agree ? fine : std::numeric_limits<double>::quiet_NaN();
}

/// The inertial parameters phi + x d of a link, as its description has them.
void change(LinkDescription& link, const double* d, double x) {
  const Inertia<double> I = from_centre(link.mass, link.centre, link.inertia);
  double phi[] = {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.yy, I.I.xz, I.I.yz, I.I.zz};
  for (int k = 0; k < 10; ++k) phi[k] += x * d[k];
  const Vec3<double> h{phi[1], phi[2], phi[3]};
  link.mass = phi[0];
  link.centre = h * (1 / phi[0]);
  Sym3<double> about = I.I;
  double* const part[] = {&about.xx, &about.xy, &about.yy, &about.xz, &about.yz, &about.zz};
  for (int k = 0; k < 6; ++k) *part[k] = phi[4 + k];
  const Inertia<double> rest = from_centre(link.mass, link.centre, Sym3<double>::diagonal(0, 0, 0));
  link.inertia = about - rest.I;
}

struct Compared {
  int inertia = 0, placement = 0, dependent = 0;
};

Compared compare(const Robot& robot, const Mixed& x, std::uint64_t seed) {
  Compared count;
  const ConstraintSet set = set_of(x, robot.model, seed);
  Solver solver(robot.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  if (s.report.status != Status::ok || s.report.rank + (is_twice(seed) ? 2 : 0) < s.report.rows) return count;
  Random random(seed + 3000);
  const int nv = static_cast<int>(robot.model.nv());
  const Weights w{random.vector(nv), random.vector(static_cast<int>(set.rows())), random.vector(nv)};
  const SolutionGradient of{w.acceleration, w.multipliers, w.motor_torque};
  const InputGradient& alone = solver.vjp(of, {.inertial_parameters = false, .placement = false});
  EXPECT_EQ(alone.inertial_parameters.size() + alone.placement.size(), 0);
  const Vector by_q = alone.q, by_v = alone.v, by_tau = alone.tau, by_beta = alone.beta;
  const InputGradient& g = solver.vjp(of);
  if (g.status != Status::ok) return count;
  EXPECT_TRUE(by_q == g.q && by_v == g.v && by_tau == g.tau && by_beta == g.beta) << "with other parts left out";
  count.dependent = s.report.rank < s.report.rows ? 1 : 0;
  const double size = w.acceleration.cwiseAbs().dot(s.acceleration.cwiseAbs()) +
                      w.multipliers.cwiseAbs().dot(s.multipliers.cwiseAbs()) +
                      w.motor_torque.cwiseAbs().dot(s.motor_torque.cwiseAbs()) + 1;
  const auto near = [&](double got, double want, const std::string& what) {
    EXPECT_LT(std::fabs(got - want), 1e-8 * (size + std::fabs(want))) << what << ": " << got << ", " << want;
  };
  for (std::size_t l = 0; l < robot.description.links.size(); ++l) {
    const std::string& name = robot.description.links[l].name;
    const auto& links = robot.model.links();
    const auto at = std::find_if(links.begin(), links.end(), [&](const Link& k) { return k.name == name; });
    if (at == links.end() || !(robot.description.links[l].mass > 0.2)) continue;
    double d[10];
    for (double& k : d) k = random.uniform(-0.05, 0.05);
    const double want = difference(
        [&](double t) {
          RobotDescription changed = robot.description;
          change(changed.links[l], d, t);
          return scalar(robot, changed, x, w, seed);
        },
        size);
    if (!std::isfinite(want)) continue;
    const Index first = 10 * static_cast<Index>(at - links.begin());
    near(Eigen::Map<const Vector>(d, 10).dot(g.inertial_parameters.segment(first, 10)), want, "inertia of " + name);
    ++count.inertia;
  }
  for (std::size_t j = 0; j < robot.description.joints.size(); ++j) {
    const std::string& name = robot.description.joints[j].name;
    const auto& joints = robot.model.joints();
    const auto at = std::find_if(joints.begin(), joints.end(), [&](const Joint& k) { return k.name == name; });
    if (at == joints.end() || at->lumped || at->body.value == 0) continue;
    Eigen::Matrix<double, 6, 1> d = random.vector(6);
    const double want = difference(
        [&](double t) {
          RobotDescription changed = robot.description;
          Transform<double>& X = changed.joints[j].origin;
          const Motion<double> step{Vec3<double>{d(0), d(1), d(2)} * t, Vec3<double>{d(3), d(4), d(5)} * t};
          X = X * exp_se3(step);
          return scalar(robot, changed, x, w, seed);
        },
        size);
    if (!std::isfinite(want)) continue;
    near(d.dot(g.placement.col(at - joints.begin())), want, "placement of " + name + ", " + at->type);
    ++count.placement;
  }
  return count;
}

TEST(GradientsByParameters, AreTheDifferencesOfModelsBuiltAnew) {
  MixedOptions options;
  options.priorities = options.drivers_left_out = options.other_singularities = false;
  Compared sum;
  for (int seed = 0; seed < effort(120, 120); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 900;
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    if (robot.model.nv() == 0) continue;
    const Compared one = compare(robot, random_mixed(robot, at, options), at);
    sum.inertia += one.inertia;
    sum.placement += one.placement;
    sum.dependent += one.dependent;
  }
  EXPECT_GT(sum.inertia, effort(120, 120));
  EXPECT_GT(sum.placement, effort(120, 120));
  EXPECT_GT(sum.dependent, effort(120, 120) / 100);
}

}  // namespace
}  // namespace zwang::test
