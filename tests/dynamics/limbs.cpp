// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/limbs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "support/close.hpp"

namespace zwang::test {

Robot random_limbs(std::uint64_t seed, const LimbOptions& o) {
  Random random(seed * 7 + 3);
  const int torso = random.below(3);  // bodies beyond the first
  std::vector<int> length(static_cast<std::size_t>(o.limbs));
  int joints = torso;
  for (int& n : length) joints += n = 2 + random.below(4);
  RandomRobot r;
  const char* roots[] = {"fixed", "floating", "floating", "planar", "spherical"};
  r.root = roots[random.below(5)];
  r.joints = joints;
  r.branching = 0;
  r.mimic = o.mimic;
  r.user = {rolling_joint()};
  if (random.below(2)) r.types = {"revolute", "prismatic", "revolute", "helical", "continuous"};
  RobotDescription d = random_robot(seed, r);
  for (JointDescription& j : d.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  const std::size_t base = r.root == std::string("fixed") ? 0 : 1;  // joints above joint1
  std::size_t at = base + static_cast<std::size_t>(torso);
  for (std::size_t limb = 0; limb < length.size(); ++limb) {
    const auto n = static_cast<std::size_t>(length[limb]);
    const int from = random.below(3) > 0 ? torso : random.below(torso + 1);
    d.joints[at].parent = "link" + std::to_string(from);
    d.frames.push_back({"tip" + std::to_string(limb), d.joints[at + n - 1].child, random.pose(0.3)});
    at += n;
  }
  BuildOptions b;
  b.gravity = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-12, 3)};
  return Robot(d, b);
}

namespace {

FrameConstraint frame_rows(const Robot& robot, Random& random, const std::string& name, const std::string& frame) {
  static const char* const words[] = {
      "linear",    "angular",          "all",   "linear.x,angular.z", "angular.y linear.z", "linear.y",
      "angular.x", "linear angular.y", "linear"};
  FrameConstraint c = random_frame_constraint(robot, random, name);
  c.frame = frame;
  if (random.below(4) > 0) {
    c.rows = rows(words[random.below(9)]);
    c.beta.clear();
    if (random.below(4) > 0)
      for (Index i = 0; i < c.rows.size(); ++i) c.beta.push_back(random.uniform(-5, 5));
  }
  return c;
}

AnyConstraint rows_on(const Robot& robot, Random& random, const std::string& name, const std::string& frame,
                      bool single) {
  if (single) {
    FrameConstraint c = frame_rows(robot, random, name, frame);
    c.rows = rows(random.below(2) ? "linear.x" : "angular.z");
    c.beta = {random.uniform(-5, 5)};
    return c;
  }
  if (random.below(2)) {
    ContactConstraint c = random_contact(robot, random, name);
    c.frame = frame;
    return c;
  }
  return frame_rows(robot, random, name, frame);
}

}  // namespace

Imposed random_rows_on_limbs(const Robot& robot, std::uint64_t seed, const LimbOptions& o) {
  Imposed x = random_imposed(robot, seed);  // its state and wrenches
  x.constraints.clear();
  Random random(seed + 500009);
  int count = 0;
  const auto add_rows = [&](const std::string& frame, bool single) {
    x.constraints.push_back(rows_on(robot, random, "rows" + std::to_string(count++), frame, single));
  };
  for (int limb = 0; limb < o.limbs; ++limb) {
    const std::string tip = "tip" + std::to_string(limb);
    if (random.below(6) == 0) continue;
    add_rows(tip, random.below(4) == 0);
    if (o.any_rows && random.below(5) == 0) add_rows(tip, true);  // beside it, on one body
    if (o.any_rows && random.below(8) == 0) {                     // inward of it, on the same limb
      for (const FrameDescription& f : robot.description.frames)
        for (const JointDescription& j : robot.description.joints)
          if (f.name == tip && j.child == f.parent) add_rows(j.parent, true);
    }
  }
  if (o.any_rows && random.below(4) == 0) add_rows("link0", random.below(2) == 0);
  if (o.any_rows && random.below(6) == 0) x.constraints.push_back(random_frame_constraint(robot, random, "anywhere"));
  if (x.constraints.empty()) add_rows("tip0", true);
  for (std::size_t i = x.constraints.size(); i > 1; --i)
    std::swap(x.constraints[i - 1], x.constraints[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  if (x.constraints.size() > 2 && random.below(4) == 0) std::visit([](auto& c) { c.active = false; }, x.constraints[1]);
  return x;
}

Went how_it_goes(const Model& model, const ConstraintSet& set, const SolveInput& input, const SolverSettings& s) {
  SolverParts parts(model, set, s);
  parts.read();
  parts.solve(input);
  const bool own = parts.factor == &parts.factors.paths;
  if (!own && !parts.factors.paths.try_plan(parts.problem, *parts.method, RowPolicy(parts.settings))) return {};
  const PathStage& t = parts.factors.paths.stage();
  const PathDoubt& d = t.doubt;
  const double gross = parts.problem.state.data.articulated.gross_ratio;
  const bool free_root = t.root_is_free && model.joints().front().type == "floating";
  const Ends ends = t.inward_bodies == 0                ? Ends::at_ground
                    : free_root && t.inward_bodies == 1 ? Ends::at_free_root
                                                        : Ends::between;
  return {own ? Way::own_paths : Way::fell_back, ends, d.rows + 2 * std::sqrt(gross) * d.bounds + gross};
}

double Differences::largest() const {
  return std::max({acceleration, multipliers, motor, reaction, wrench, residual, zwang});
}
void Differences::take(const Differences& x) {
  acceleration = std::max(acceleration, x.acceleration);
  multipliers = std::max(multipliers, x.multipliers);
  motor = std::max(motor, x.motor);
  reaction = std::max(reaction, x.reaction);
  wrench = std::max(wrench, x.wrench);
  residual = std::max(residual, x.residual);
  zwang = std::max(zwang, x.zwang);
}
std::string Differences::text() const {
  char s[200];
  std::snprintf(s, sizeof s, "q'' %.2g, lambda %.2g, motors %.2g, reaction %.2g, wrench %.2g, residual %.2g, Z %.2g",
                acceleration, multipliers, motor, reaction, wrench, residual, zwang);
  return s;
}

namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();

double largest_of(const Eigen::Ref<const Eigen::VectorXd>& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }
double difference(const VectorView& a, const VectorView& b, double size) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    if (!(d <= worst)) worst = std::isfinite(d) ? d : INFINITY;
  }
  return worst == 0 ? 0 : worst / (size * k_eps);
}

}  // namespace

Differences differences(const Robot& robot, const Imposed& x, const Solution& got, const Solution& expected) {
  const Eigen::VectorXd a = expected.acceleration, lambda = expected.multipliers;
  Data data(robot.model);
  Eigen::VectorXd free(robot.model.nv());
  free = forward_dynamics(robot.model, data, x.state.q, x.state.v, x.state.tau, x.external);
  const double motion = largest_of(a) + largest_of(free), multiplier = largest_of(lambda);
  const double share = largest_of(a - free) / motion;
  const double torque = largest_of(expected.motor_torque) + largest_of(expected.reaction);
  double beta = 1, wrench = 0;
  Differences d;
  for (const AnyConstraint& c : x.constraints) {
    for (const double b : std::visit([](const auto& y) { return y.beta; }, c)) beta = std::max(beta, std::fabs(b));
    wrench = std::max(wrench, largest_of(expected[name_of(c)].wrench));
  }
  for (const AnyConstraint& c : x.constraints) {
    const Eigen::VectorXd e = got[name_of(c)].wrench - expected[name_of(c)].wrench;
    if (largest_of(e) > 0) d.wrench = std::max(d.wrench, share * largest_of(e) / (wrench * k_eps));
  }
  d.acceleration = difference(got.acceleration, expected.acceleration, motion);
  d.multipliers = share * difference(got.multipliers, expected.multipliers, multiplier);
  d.motor = difference(got.motor_torque, expected.motor_torque, torque);
  d.reaction = difference(got.reaction, expected.reaction, torque);
  d.residual = difference(got.residual, expected.residual, 10 * (beta + motion + norm(data.gravity)));
  d.zwang = share * std::fabs(got.zwang - expected.zwang) / ((expected.zwang + 1e-300) * k_eps);
  return d;
}

void expect_same_words(const Solution& got, const Solution& expected, double rounding) {
  const SolveReport &a = got.report, &b = expected.report;
  EXPECT_EQ(a.status, b.status) << a.explain() << " / " << b.explain();
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_STREQ(a.singularity, b.singularity);
  EXPECT_EQ(a.redundant, b.redundant);
  EXPECT_EQ(a.infeasible, b.infeasible);
  EXPECT_EQ(a.singular_joint, b.singular_joint);
  EXPECT_EQ(a.invalid, b.invalid);
  EXPECT_EQ(a.given_up.size(), b.given_up.size());
  ASSERT_EQ(a.dependencies.size(), b.dependencies.size());
  ASSERT_EQ(a.terms.size(), b.terms.size());
  for (std::size_t i = 0; i < a.terms.size(); ++i) EXPECT_EQ(a.terms[i].row, b.terms[i].row);
  ASSERT_EQ(a.warnings.size(), b.warnings.size()) << a.explain() << " / " << b.explain();
  for (std::size_t i = 0; i < a.warnings.size(); ++i) {
    EXPECT_EQ(a.warnings[i].kind, b.warnings[i].kind);
    EXPECT_EQ(a.warnings[i].row, b.warnings[i].row);
    EXPECT_EQ(a.warnings[i].coordinate, b.warnings[i].coordinate);
    const double size = std::fabs(b.warnings[i].value) + largest_of(expected.multipliers);
    EXPECT_NEAR(a.warnings[i].value, b.warnings[i].value, rounding * (1e-3 + size));
  }
  ASSERT_EQ(got.position_error.size(), expected.position_error.size());
  for (Index i = 0; i < got.position_error.size(); ++i) {
    EXPECT_EQ(std::isnan(got.position_error[i]), std::isnan(expected.position_error[i])) << "row " << i;
    if (!std::isnan(expected.position_error[i])) { EXPECT_EQ(got.position_error[i], expected.position_error[i]); }
    EXPECT_NEAR(got.velocity_error[i], expected.velocity_error[i], 1e-12 * (1 + std::fabs(expected.velocity_error[i])));
    EXPECT_EQ(got.velocity_error[i] == 0, expected.velocity_error[i] == 0) << "row " << i;
  }
}

}  // namespace zwang::test
