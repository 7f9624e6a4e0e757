// SPDX-License-Identifier: BSD-3-Clause
// Assembly of positions: against closed forms, brute force and the conditions of the nearest point, and on random
// closed mechanisms.
#include "zwang/question/assembly.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdio>
#include <numbers>

#include "dynamics/assembly_cases.hpp"
#include "dynamics/mechanisms.hpp"
#include "support/effort.hpp"
#include "support/says.hpp"
#include "zwang/batch/batch_assembler.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

bool same_bits(const Vector& a, const Vector& b) { return (a.array() == b.array()).all(); }

/// W of the settings at q0 as a matrix.
Matrix metric(const Model& model, const AssemblySettings& s, const Vector& q0) {
  const Index n = model.nv();
  if (s.kinetic) {
    Data data(model);
    Matrix M(n, n);
    mass_matrix(model, data, q0, M);
    return M;
  }
  Vector w = Vector::Ones(n);
  for (Index i = 0; i < n && !s.weights.empty(); ++i) w(i) = std::max(s.weights[static_cast<std::size_t>(i)], 1e-6);
  return w.asDiagonal();
}

/// |W (q (-) q0) + J^T lambda| at its smallest, along the joints that are free to move, over |W (q (-) q0)|. Limits
/// hold back only. From the definition: no code of the assembly.
double stationarity(const OpenMechanism& m, const Vector& q0, const Vector& q) {
  const Model& model = *m.model;
  const Index n = model.nv();
  ConstraintEvaluator rows(model, *m.set);
  rows.evaluate(q, Vector::Zero(n));
  Matrix J(rows.rows(), n), by0(n, n), by1(n, n);
  rows.jacobian(J);
  difference_jacobians(model, q0, q, by0, by1);
  const Vector g = by1.transpose() * (metric(model, m.settings, q0) * difference(model, q0, q));
  std::vector<Index> free, limited;
  std::vector<double> side;
  for (Index v = 0; v < n; ++v) {
    bool fixed = false;
    for (const std::string& name : m.settings.fixed) {
      const Range r = model.joint(name).v;
      fixed = fixed || (v >= r.first && v < r.end());
    }
    if (!fixed) free.push_back(v);
  }
  for (const Joint& j : model.joints())
    for (Index k = 0; k < j.q.size && j.q.size == j.v.size && j.mimic.leader.empty(); ++k) {
      const double low = model.lower()[static_cast<std::size_t>(j.q.first + k)],
                   high = model.upper()[static_cast<std::size_t>(j.q.first + k)];
      const Index at = j.q.first + k;
      if (m.settings.limits && j.type != "planar" && (q(at) <= low || q(at) >= high)) {
        limited.push_back(j.v.first + k);
        side.push_back(q(at) <= low ? -1 : 1);
      }
    }
  Matrix A(static_cast<Index>(free.size()), J.rows() + static_cast<Index>(limited.size()));
  Vector b(A.rows());
  A.setZero();
  for (Index r = 0; r < A.rows(); ++r) {
    const Index v = free[static_cast<std::size_t>(r)];
    b(r) = -g(v);
    for (Index c = 0; c < J.rows(); ++c) A(r, c) = J(c, v);
    for (std::size_t l = 0; l < limited.size(); ++l)
      A(r, J.rows() + static_cast<Index>(l)) = limited[l] == v ? side[l] : 0;
  }
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
  cod.setThreshold(1e-9);
  cod.compute(A);
  const Vector x = cod.solve(b);
  double pulls = 0;
  if (cod.rank() == A.cols())  // otherwise multipliers are not unique
    for (Index l = J.rows(); l < x.size(); ++l) pulls = std::max(pulls, -x(l));
  return std::max((A * x - b).norm(), pulls) / std::max(b.norm(), 1e-12);
}

struct Count {
  int all = 0, ok = 0, nearest = 0, infeasible = 0, steps = 0, most = 0;
  void print(const char* what) const {
    std::printf(
        "%s: %d mechanisms, %d assembled (%.3f %%), %d of them nearest, %d infeasible, %.1f steps each, at most %d\n",
        what, all, ok, 100.0 * ok / std::max(all, 1), nearest, infeasible, 1.0 * steps / std::max(all, 1), most);
  }
};

/// Everything that a report claims is true of the configuration.
void expect_true(const OpenMechanism& m, const AssembledState<>& x, Count& count) {
  const AssemblyReport& r = x.report;
  const Model& model = *m.model;
  ++count.all;
  count.steps += r.iterations;
  count.most = std::max(count.most, r.iterations);
  ASSERT_TRUE(x.q.allFinite());
  EXPECT_TRUE(is_normalized(model, x.q, 4e-16)) << "quaternions";
  for (const std::string& name : m.settings.fixed) {
    const Range q = model.joint(name).q;
    EXPECT_TRUE(same_bits(x.q.segment(q.first, q.size), m.start.segment(q.first, q.size))) << name;
  }
  ConstraintEvaluator rows(model, *m.set);
  rows.evaluate(x.q, Vector::Zero(model.nv()));
  if (r.status == Status::infeasible) {
    ++count.infeasible;
    EXPECT_LE(r.gradient, 1e-6);
    EXPECT_FALSE(r.unmet.empty());
    EXPECT_GT(rows.position_error().cwiseAbs().maxCoeff(), 1e-12);
  }
  if (r.status != Status::ok) return;
  ++count.ok;
  count.nearest += r.nearest;
  // |phi| <= 1e-12 max(|f| L, |n|): two bodies of a robot whose links are 0.4 m long
  EXPECT_LE(r.residual, 1e-12);
  const double size = 2 * (1 + 0.4 * static_cast<double>(model.bodies()) + x.q.cwiseAbs().maxCoeff());
  EXPECT_LE(rows.position_error().cwiseAbs().maxCoeff(), 1e-12 * size);
  EXPECT_TRUE(r.unmet.empty());
  for (const Joint& j : model.joints())
    for (Index k = j.q.first; k < j.q.end() && j.q.size == j.v.size; ++k) {
      bool fixed = false;
      for (const std::string& name : m.settings.fixed) fixed = fixed || model.joint(name).q.first == j.q.first;
      if (fixed) continue;
      EXPECT_FALSE(x.q(k) < model.lower()[static_cast<std::size_t>(k)]) << j.name;
      EXPECT_FALSE(x.q(k) > model.upper()[static_cast<std::size_t>(k)]) << j.name;
    }
  const Vector d = difference(model, m.start, x.q);
  EXPECT_NEAR(r.distance, std::sqrt(d.dot(metric(model, m.settings, m.start) * d)), 1e-9 * (1 + r.distance));
}

TEST(Assembly, OfRandomMechanismsMeetsTheRowsAtTheNearestPoint) {
  Count near, far;
  const int cases = effort(10000, 200);
  for (int seed = 1; seed <= cases; ++seed) {
    const bool is_far = seed % 5 == 0;
    const OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), is_far ? 1.0 : 0.5);
    if (m.set->rows() == 0) continue;
    SCOPED_TRACE(m.what);
    const AssembledState<> x = assemble(*m.model, *m.set, m.start, m.settings);
    expect_true(m, x, is_far ? far : near);
    if (x.report.status == Status::ok && x.report.nearest && seed % 4 == 1 && x.report.distance > 1e-6) {
      // 1e-8 of the distance in the report; J's dependent rows are off by the root of what they do not hold
      EXPECT_LE(stationarity(m, m.start, x.q), 1e-5);
    }
    if (HasFailure()) return;
  }
  near.print("starts 0.5 away");
  far.print("starts 1.0 away");
  EXPECT_GE(near.ok, 0.998 * near.all);
  EXPECT_GE(near.nearest, 0.995 * near.ok);
  EXPECT_GE(far.ok, 0.97 * far.all);
}

TEST(Assembly, OfRandomMechanismsByWeightsAndByTheMassMatrix) {
  Count by_weights, kinetic;
  for (int seed = 1; seed <= effort(600, 60); ++seed) {
    OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), 0.4);
    if (m.set->rows() == 0) continue;
    SCOPED_TRACE(m.what);
    Random random(static_cast<std::uint64_t>(seed));
    m.settings.kinetic = seed % 2 == 0;
    for (Index i = 0; i < m.model->nv() && seed % 2 == 1; ++i)
      m.settings.weights.push_back(std::exp(random.uniform(-3, 3)));
    const AssembledState<> x = assemble(*m.model, *m.set, m.start, m.settings);
    if (x.report.status == Status::singular_mass) continue;  // coaxial joints: some motion has no inertia
    expect_true(m, x, seed % 2 == 0 ? kinetic : by_weights);
    if (x.report.status == Status::ok && x.report.nearest && x.report.distance > 1e-6) {
      EXPECT_LE(stationarity(m, m.start, x.q), 1e-4);
    }
    if (HasFailure()) return;
  }
  by_weights.print("weights");
  kinetic.print("mass matrix");
  EXPECT_GE(by_weights.ok, 0.99 * by_weights.all);
  EXPECT_GE(kinetic.ok, 0.99 * kinetic.all);
  EXPECT_GE(kinetic.nearest, 0.95 * kinetic.ok);
}

// --- the four-bar, in its plane: crank 0.1, coupler 0.35, rocker 0.25, ground 0.3 -------------------------------
struct FourBar {
  Mechanism m = four_bar_in_space();
  ConstraintSet set = m.set();
  /// (coupler, rocker) relative to the body before for a crank angle, by Freudenstein's equation; side = +-1.
  Eigen::Vector3d closed(double crank, int side) const {
    const double x = -0.1 * std::sin(crank), y = 0.1 * std::cos(crank);  // rods point along y
    const double dx = 0.3 - x, dy = -y, r = std::hypot(dx, dy);
    const double cosine = (0.35 * 0.35 + r * r - 0.25 * 0.25) / (2 * 0.35 * r);
    const double coupler = std::atan2(-dx, dy) + side * std::acos(cosine);  // of the rod's y axis
    const double ex = 0.3 - (x - 0.35 * std::sin(coupler)), ey = -(y + 0.35 * std::cos(coupler));
    const double rocker = std::atan2(-ex, ey);
    return {crank, std::remainder(coupler - crank, 2 * std::numbers::pi),
            std::remainder(rocker - coupler, 2 * std::numbers::pi)};
  }
};

TEST(Assembly, OfAFourBarIsFreudensteinsOnBothBranches) {
  FourBar f;
  AssemblySettings s;
  s.fixed = {"to crank"};
  Assembler assembler(f.m.robot.model, f.set, s);
  int branches[2] = {0, 0};
  for (const int side : {-1, 1})
    for (double crank = -3; crank < 3; crank += 0.37) {
      const Eigen::Vector3d expected = f.closed(crank, side), start = expected + Eigen::Vector3d(0, 0.2, -0.15);
      const Assembly& x = assembler.assemble(start);
      ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
      EXPECT_EQ(x.q(0), crank);
      EXPECT_LE((x.q - expected).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_EQ(x.report.rank, 2);  // of five rows
      EXPECT_EQ(x.report.redundant.size(), 3u);
      ASSERT_NE(x.report.branch, 0);
      int& branch = branches[side > 0];
      EXPECT_TRUE(branch == 0 || branch == x.report.branch);
      branch = x.report.branch;
    }
  EXPECT_EQ(branches[0], -branches[1]);
}

TEST(Assembly, OfAFourBarIsTheNearestPointOfItsCurve) {
  FourBar f;
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector3d on = f.closed(random.uniform(-3, 3), 1), start = on + 0.1 * random.vector(3);
    AssemblySettings s;
    s.weights = {random.uniform(0.2, 3), random.uniform(0.2, 3), random.uniform(0.2, 3)};
    const Eigen::Vector3d w(s.weights[0], s.weights[1], s.weights[2]);
    const AssembledState<> x = assemble(f.m.robot.model, f.set, start, s);
    ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
    EXPECT_TRUE(x.report.nearest);
    const auto cost = [&](double crank) {
      const Eigen::Vector3d d = f.closed(crank, 1) - start;
      return d.dot(w.cwiseProduct(d));
    };
    double low = on(0) - 0.5, high = on(0) + 0.5;  // golden section: one minimum so near
    const double part = (std::sqrt(5.0) - 1) / 2;
    for (int i = 0; i < 90; ++i) {
      const double a = high - part * (high - low), b = low + part * (high - low);
      (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
    }
    const double best = std::sqrt(cost(0.5 * (low + high)));
    EXPECT_NEAR(x.report.distance, best, 1e-12 + 1e-10 * best);
  }
}

TEST(Assembly, OfAStewartPlatformHasTheLegsOfItsPose) {
  const Mechanism m = stewart_platform();
  const Model& model = m.robot.model;
  const ConstraintSet set = m.set();
  AssemblySettings s;
  s.fixed = {"to platform"};
  Assembler assembler(model, set, s);
  for (int seed = 1; seed <= 20; ++seed) {
    const RandomState state = near_start(m, static_cast<std::uint64_t>(seed));
    const Assembly& x = assembler.assemble(state.q);
    ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
    EXPECT_EQ(x.report.rank, 18);
    Data data(model);
    forward_kinematics(model, data, state.q);
    for (int k = 0; k < 6; ++k) {
      const std::string n = std::to_string(k);
      const Vec3<double> seat = frame_pose(model, data, "seat" + n).p, foot = frame_pose(model, data, "cylinder" + n).p;
      const Vec3<double> neutral_way = [&] {
        Data still(model);
        forward_kinematics(model, still, neutral(model));
        return frame_pose(model, still, "seat" + n).p - frame_pose(model, still, "cylinder" + n).p;
      }();
      EXPECT_NEAR(x.q(model.joint("to piston" + n).q.first), norm(seat - foot) - norm(neutral_way), 1e-11);
    }
  }
}

TEST(Assembly, ThatCannotMeetStopsAtTheNearestPointAndProvesIt) {
  // An arm of three links, 0.9 m long, whose end is to be at 1.2 m: stretched towards it, 0.3 m short.
  RobotDescription d = sample_chain(3);
  d.frames.push_back({"end", "link3", {Mat3<double>::identity(), {0, 0, 0.3}}});
  const Model model = build(d);
  Data data(model);
  forward_kinematics(model, data, neutral(model));
  const Vec3<double> base = frame_pose(model, data, model.joints()[0].name).p, end = frame_pose(model, data, "end").p;
  ConstraintSet set(model);
  const double reach = norm(end - base);
  ContactConstraint c;
  c.name = "far";
  c.frame = "end";
  c.has_target = true;
  c.target_point = base + Vec3<double>{0.2, 0.3, 1.5 * reach};
  set.add(c);
  AssemblySettings s;
  s.limits = false;
  const AssembledState<> x = assemble(model, set, Vector::Constant(model.nq(), 0.3), s);
  EXPECT_EQ(x.report.status, Status::infeasible) << x.report.explain();
  EXPECT_LE(x.report.gradient, 1e-6);
  EXPECT_FALSE(x.report.nearest);
  forward_kinematics(model, data, x.q);
  // No point of the end is nearer than along the line from the base, if the first joint turns about the base.
  const double gap = norm(frame_pose(model, data, "end").p - c.target_point);
  Random random(5);
  for (int k = 0; k < 2000; ++k) {
    forward_kinematics(model, data,
                       integrate(model, x.q, random.vector(static_cast<int>(model.nv()), k % 2 ? 1e-2 : 1e-3)));
    EXPECT_GE(norm(frame_pose(model, data, "end").p - c.target_point), gap * (1 - 1e-12));
  }
  EXPECT_NE(x.report.explain().find("far:"), std::string::npos);
}

TEST(Assembly, MovesOnlyWhatWeighsNothing) {
  FourBar f;
  AssemblySettings s;
  s.weights = {1, 0, 0};
  const Eigen::Vector3d start = f.closed(0.4, 1) + Eigen::Vector3d(0, 0.2, -0.1);
  const AssembledState<> x = assemble(f.m.robot.model, f.set, start, s);
  ASSERT_EQ(x.report.status, Status::ok);
  EXPECT_NEAR(x.q(0), 0.4, 1e-5);  // its weight is a million times theirs
  s.weights = {0, 0, 0};
  EXPECT_SAYS("all are zero", assemble(f.m.robot.model, f.set, start, s));
}

/// One angular row is met at its angle, never half a turn away; two hold an axis, also from starts that are nearly
/// opposed, and are infeasible by the angle between the axes where they cannot be met.
TEST(Assembly, MeasuresAnglesUpToHalfATurn) {
  const auto turning = [](const char* type, double lower, double upper) {
    RobotDescription d;
    d.links = {{.name = "base"}, {.name = "arm", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}}};
    JointDescription j{.name = "joint", .type = type, .parent = "base", .child = "arm"};
    j.lower = {lower};
    j.upper = {upper};
    if (std::string(type) == "spherical") j.lower = j.upper = {};
    d.joints = {j};
    return build(d, {.root = "fixed"});
  };
  const auto held = [](const Model& model, const char* words, const Vec3<double>& turn) {
    auto set = std::make_unique<ConstraintSet>(model);
    FrameConstraint c{.name = "held", .frame = "arm", .rows = rows(words)};
    c.has_target = true;
    c.target_pose.R = exp_so3(turn);
    set->add(c);
    return set;
  };
  const double pi = std::numbers::pi;
  const Model hinge = turning("revolute", -7, 7);
  for (const double yaw : {0.0, 1.2, -2.0})
    for (const double start : {2.0, -3.1, 0.1, 1.5}) {
      const AssembledState<> x = assemble(hinge, *held(hinge, "angular.z", {0, 0, yaw}), Vector{{start}});
      ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
      EXPECT_NEAR(std::remainder(x.q(0) - yaw, 2 * pi), 0, 1e-12) << yaw << " from " << start;
    }
  const Model ball = turning("spherical", 0, 0);
  Random random(41);
  for (int k = 0; k < effort(60, 6); ++k) {
    const double off = k % 3 == 0   ? pi
                       : k % 3 == 1 ? pi - std::pow(10.0, -random.uniform(1, 9))
                                    : random.uniform(0, pi);
    const Quat<double> turn = from_rotation(exp_so3(Vec3<double>{std::cos(k) * off, std::sin(k) * off, 0}) *
                                            exp_so3(Vec3<double>{0, 0, random.uniform(-3, 3)}));
    const Vector q0{{turn.x, turn.y, turn.z, turn.w}};
    const auto set = held(ball, "angular.x angular.y", Vec3<double>::zero());
    const AssembledState<> x = assemble(ball, *set, q0);
    ASSERT_EQ(x.report.status, Status::ok) << k << x.report.explain();
    const Mat3<double> R = rotation(Quat<double>{x.q(0), x.q(1), x.q(2), x.q(3)});
    EXPECT_LE(std::atan2(std::hypot(R(0, 2), R(1, 2)), R(2, 2)), 2e-12) << k;
  }
  for (const double tilt : {0.3, 1.5, 2.5, 3.0}) {  // a hinge about z cannot tilt its axis
    const AssembledState<> x = assemble(hinge, *held(hinge, "angular.x angular.y", {tilt, 0, 0}), Vector{{0.4}});
    EXPECT_EQ(x.report.status, Status::infeasible) << tilt << x.report.explain();
    EXPECT_LE(x.report.residual, tilt * (1 + 1e-12));
    EXPECT_GE(x.report.residual, tilt / std::sqrt(2.0) * (1 - 1e-12));  // the larger of two rows
  }
}

TEST(Assembly, ReturnsWhatIsAssembledAsItIs) {
  for (int seed = 1; seed <= effort(100, 10); ++seed) {
    const OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), 0.3);
    Assembler assembler(*m.model, *m.set, m.settings);
    const Vector q = assembler.assemble(m.start).q;
    if (assembler.assemble(m.start).report.status != Status::ok) continue;
    const Assembly& again = assembler.assemble(q);
    EXPECT_TRUE(same_bits(again.q, q)) << m.what;
    EXPECT_EQ(again.report.iterations, 0);
    EXPECT_EQ(again.report.status, Status::ok);
  }
}

TEST(Assembly, NamesRowsThatHaveNoPositionAndRefusesBadSettings) {
  const Model model = build(sample_quadruped(), BuildOptions{.root = "floating"});
  ConstraintSet set(model);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot"});
  set.add(CentreOfMassConstraint{.name = "balance"});
  CentreOfMassConstraint wanted{.name = "wanted"};
  wanted.rows = rows("linear.x");
  wanted.target = {0.01};
  set.add(wanted);
  const Vector q = neutral(model);
  const AssembledState<> x = assemble(model, set, q);
  EXPECT_EQ(x.report.status, Status::ok) << x.report.explain();
  EXPECT_EQ(x.report.rows, 1);
  EXPECT_EQ(x.report.without_position.size(), 6u);
  AssemblySettings s;
  s.fixed = {model.joint_names()[2] + "x"};
  EXPECT_SAYS("did you mean", Assembler(model, set, s));
  s.fixed = {"root_joint[3]"};
  EXPECT_SAYS("fix the whole joint", Assembler(model, set, s));
  s = {};
  s.weights = {1, 2};
  EXPECT_SAYS("weights", Assembler(model, set, s));
  s = {};
  s.tolerance = 0;
  EXPECT_SAYS("tolerance is > 0", Assembler(model, set, s));
  EXPECT_SAYS("q", assemble(model, set, Vector::Zero(3)));
  EXPECT_THROW(assemble(build(sample_arm7()), set, q), WorkspaceMismatch);
}

TEST(Assembly, FollowsAPathAndTellsWhereTheBranchEnds) {
  FourBar f;
  JointConstraint drive{.name = "drive", .coordinates = {"to crank"}};
  drive.target = {0};
  f.set.add(drive);
  const Index steps = 40;
  Matrix around(1, steps);
  for (Index k = 0; k < steps; ++k) around(0, k) = -3 + 6.0 * k / (steps - 1);
  const Eigen::Vector3d start = f.closed(-3, 1);
  const AssembledPath<> path = assemble_path(f.m.robot.model, f.set, start, "drive", around);
  ASSERT_EQ(path.reached, steps);
  for (Index k = 0; k < steps; ++k) {
    const Eigen::Vector3d apart = path.q.col(k) - f.closed(around(0, k), 1);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::remainder(apart(i), 2 * std::numbers::pi), 0, 1e-10);
    EXPECT_FALSE(path.steps[static_cast<std::size_t>(k)].turned());
  }
  EXPECT_EQ(f.set["drive"].target[0], 0);  // the user's set is as it was
  // The rocker cannot turn round: driven beyond its dead point the path ends, and says at which step.
  JointConstraint rock{.name = "rock", .coordinates = {"to rocker"}};
  rock.target = {start(2)};
  ConstraintSet set = f.m.set();
  set.add(rock);
  Matrix beyond(1, 30);
  for (Index k = 0; k < 30; ++k) beyond(0, k) = start(2) + 0.2 * k;
  const AssembledPath<> ended = assemble_path(f.m.robot.model, set, start, "rock", beyond);
  EXPECT_GT(ended.reached, 1);
  EXPECT_LT(ended.reached, 30);
  EXPECT_NE(ended.steps[static_cast<std::size_t>(ended.reached)].status, Status::ok);
  EXPECT_EQ(ended.steps.back().status, Status::stopped);
  EXPECT_SAYS("rows of targets", assemble_path(f.m.robot.model, set, start, "rock", Matrix::Zero(2, 3)));
}

TEST(Assembly, OfManyStatesIsThatOfEach) {
  const OpenMechanism m = open_mechanism(7, 0.3);
  const Model& model = *m.model;
  const int n = 9;
  Matrix q0(model.nq(), n), v0(model.nv(), n), q(model.nq(), n), v(model.nv(), n);
  Random random(1);
  for (int k = 0; k < n; ++k) {
    q0.col(k) = integrate(model, m.closed, random.vector(static_cast<int>(model.nv()), 0.2));
    v0.col(k) = random.vector(static_cast<int>(model.nv()));
  }
  q0(0, 4) = std::nan("");
  for (const int threads : {1, 3}) {
    BatchAssembler batch(model, *m.set, {}, {.threads = threads});
    const std::vector<AssemblyOutcome>& outcomes = batch.project(q0, v0, q, v);
    Assembler one(model, *m.set);
    for (int k = 0; k < n; ++k) {
      const AssemblyOutcome& outcome = outcomes[static_cast<std::size_t>(k)];
      if (k == 4) {
        EXPECT_EQ(outcome.status, Status::non_finite_input);
        EXPECT_TRUE(std::isnan(q(0, k)));
        continue;
      }
      const Assembly& x = one.project(q0.col(k), v0.col(k));
      EXPECT_EQ(outcome.status, x.report.status);
      EXPECT_EQ(outcome.iterations, x.report.iterations);
      EXPECT_TRUE(same_bits(q.col(k), x.q));
      EXPECT_TRUE(same_bits(v.col(k), x.v));
    }
  }
}

}  // namespace
}  // namespace zwang::test
