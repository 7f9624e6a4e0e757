// SPDX-License-Identifier: BSD-3-Clause
// The rank of a mobility: that of a Solver, and that of W = L^-1 J^T in long double; near flat poses, at every
// tolerance, in every unit.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "dynamics/mechanisms.hpp"
#include "support/effort.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/mobility.hpp"
#include "zwang/solve/solver.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_half_turn = std::numbers::pi;
constexpr double k_tolerances[] = {0, 1e-3, 1e-4, 1e-6, 1e-8, 1e-9, 1e-12};

int pick(Random& random, int n) { return std::min(static_cast<int>(random.uniform(0, n)), n - 1); }
double power(Random& random, double digits) { return std::pow(10, random.uniform(-digits, digits)); }
double sign(Random& random) { return pick(random, 2) == 0 ? 1 : -1; }

/// A mobility and a Solver say the same rank and the same redundant rows. Soft rows keep nothing from moving: to a
/// mobility they are as if they were not there.
void expect_as_solver(const Model& model, ConstraintSet set, const Vector& q, double tolerance) {
  const MobilityReport r = mobility(model, set, q, {.tolerance = tolerance, .samples = 0});
  std::vector<std::string> soft;
  for (const Constraint& c : set.constraints())
    if (c.policy == Policy::soft) soft.push_back(c.name);
  for (const std::string& name : soft) set[name].active = false;
  SolverSettings settings;
  settings.tolerance = tolerance;
  Solver solver(model, set, settings);
  const SolveReport& said = solver.solve({.q = q}).report;
  EXPECT_EQ(r.rank, said.rank) << "tolerance " << tolerance << "\n" << r.explain() << said.explain();
  EXPECT_EQ(r.redundant.size(), said.redundant.size());
  for (std::size_t k = 0; k < std::min(r.redundant.size(), said.redundant.size()); ++k)
    EXPECT_EQ(r.redundant[k], said.redundant[k]);
  EXPECT_EQ(r.free().cols(), r.mobility);
  for (const std::string& name : soft) set[name].active = true;
}

// --- planar chains between two pins, in long double ---------------------------------------------------------------

/// Hinges one after the other about z; the end is pinned. Its rows are turned by `turn` in the plane.
struct PinnedChain {
  std::vector<double> length = {}, mass = {};
  double unit = 1, kilogram = 1, heading = 0, turn = 0;
  double pin = 0;                 ///< distance of the pins, times the unit
  bool in_space = false;          ///< with the rows out of the plane, which are nothing but rounding
  Vec3<double> tilt = {0, 0, 0};  ///< of the plane: roll, pitch and yaw

  Model model() const {
    RobotDescription d{.name = "chain"};
    d.links.push_back({.name = "ground"});
    const auto at = [](double angle, double x, double y) {
      const double c = std::cos(angle), s = std::sin(angle);
      return Transform<double>{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}, {x, y, 0}};
    };
    const Transform<double> base{rotation_from_rpy(tilt), {0, 0, 0}};
    std::string last = "ground";
    for (std::size_t k = 0; k < length.size(); ++k) {
      const std::string name = "link" + std::to_string(k);
      const double m = mass[k] * kilogram, I = 0.1 * m * unit * unit;
      d.links.push_back({.name = name, .mass = m, .inertia = Sym3<double>::diagonal(I, I, I)});
      d.joints.push_back({.name = "to " + name,
                          .type = "revolute",
                          .parent = last,
                          .child = name,
                          .origin = k == 0 ? base * at(heading, 0, 0) : at(0, length[k - 1] * unit, 0),
                          .axis = {0, 0, 1}});
      last = name;
    }
    d.frames.push_back({"end", last, at(turn, length.back() * unit, 0)});
    d.frames.push_back({"pin", "ground", base * at(0, pin * unit * std::cos(heading), pin * unit * std::sin(heading))});
    return build(d);
  }
  ConstraintSet set(const Model& of) const {
    ConstraintSet s(of);
    const auto add = [&](const char* name, const char* selected) {
      s.add(LoopConstraint{.name = name, .frame = "end", .other = "pin", .rows = rows(selected)});
    };
    if (in_space) add("out", "linear.z angular.x angular.y");  // first: they must not count
    add("loop", "linear.x linear.y");
    return s;
  }
  /// The smaller of rest / (1 + |c|) of both rows in the metric of M: what the tolerance is compared with.
  double share(const Vector& q) const {
    const Eigen::Index n = q.size();
    Mat J = Mat::Zero(2, n), M = Mat::Zero(n, n);
    std::vector<Real> x(static_cast<std::size_t>(n) + 1, 0), y = x;  // of hinges and the end, in units
    Real angle = heading;
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto i = static_cast<std::size_t>(k);
      angle += static_cast<Real>(q(k));
      x[i + 1] = x[i] + length[i] * std::cos(angle);
      y[i + 1] = y[i] + length[i] * std::sin(angle);
    }
    const Real c = std::cos(angle + turn), s = std::sin(angle + turn);
    const auto speed = [&](std::size_t of, Eigen::Index hinge) {
      const auto i = static_cast<std::size_t>(hinge);
      return std::pair<Real, Real>(-(y[of] - y[i]), x[of] - x[i]);
    };
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto [vx, vy] = speed(static_cast<std::size_t>(n), k);
      J(0, k) = c * vx + s * vy;
      J(1, k) = -s * vx + c * vy;
      for (Eigen::Index l = 0; l < n; ++l)
        for (Eigen::Index link = std::max(k, l); link < n; ++link) {  // its mass is at its hinge
          const auto i = static_cast<std::size_t>(link);
          const auto [ax, ay] = speed(i, k);
          const auto [bx, by] = speed(i, l);
          M(k, l) += mass[i] * (ax * bx + ay * by + 0.1L);
        }
    }
    const Mat W = M.llt().matrixL().solve(Mat(J.transpose()));
    const Vec a = W.col(0).normalized(), b = W.col(1).normalized();
    const Real along = a.dot(b), rest = (b - along * a).norm();
    return static_cast<double>(rest / (1 + std::fabs(along)));
  }
};

/// Directions of rows, units and places at random. A pose nearer to flat than d = 1e-12 is one of rounding.
TEST(MobilityRank, NearFlatPosesIsThatOfTheAnglesInTheMetricOfM) {
  int lost = 0, kept = 0;
  for (int seed = 1; seed <= effort(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 900);
    PinnedChain x{.length = {1, 2, 1}, .pin = 2};
    for (int k = 0; k < 3; ++k) x.mass.push_back(power(random, 0.5));
    x.unit = power(random, 6);
    x.kilogram = power(random, 6);
    x.heading = random.uniform(-3, 3);
    x.turn = random.uniform(-3, 3);
    x.in_space = pick(random, 2) == 0;
    x.tilt = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const double d = std::pow(10, random.uniform(-12, -1)) * sign(random);
    const Vector q = Eigen::Vector3d(d, -d, k_half_turn + d);
    const Model model = x.model();
    const ConstraintSet set = x.set(model);
    const double share = x.share(q);
    expect_as_solver(model, set, q, k_tolerances[pick(random, 7)]);
    for (const double tolerance : k_tolerances) {
      const double least = tolerance > 0 ? tolerance : 1e-11;
      const MobilityReport r = mobility(model, set, q, {.tolerance = tolerance, .samples = 0});
      // What the numbers of the pose are rounded by, pi foremost, turns the rows by some epsilon.
      if (std::fabs(share - least) < 1e-2 * least + 1e-14 || share < 1e-13) continue;
      EXPECT_EQ(r.mobility, share > least ? 1 : 2) << "d " << d << " share " << share << " tolerance " << tolerance;
      EXPECT_EQ(r.redundant.size(), (x.in_space ? 3U : 0U) + (share > least ? 0U : 1U)) << r.explain();
      (share > least ? kept : lost)++;
    }
    if (HasFailure()) return;
  }
  if (effort(1000) == 1500) {
    EXPECT_GE(kept, 700);
    EXPECT_GE(lost, 700);
  }
}

/// Flat, two motions at first order and one by a finite step; one beside it, at any distance.
TEST(MobilityRank, OfAParallelogramBesideItsFlatPoseIsOneMotionThatGoesOn) {
  for (int seed = 1; seed <= effort(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 30);
    PinnedChain x{.length = {1, 2, 1}, .mass = {1, 1, 1}, .pin = 2};
    x.unit = power(random, 3);
    x.kilogram = power(random, 6);
    x.turn = random.uniform(-3, 3);
    x.in_space = pick(random, 2) == 0;
    x.tilt = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Model model = x.model();
    const ConstraintSet set = x.set(model);
    const double d = std::pow(10, random.uniform(-10, -1)) * sign(random);
    const MobilityReport r = mobility(model, set, Eigen::Vector3d(d, -d, k_half_turn + d));
    EXPECT_EQ(r.mobility, 1) << d << r.explain();
    EXPECT_EQ(r.finite_mobility, 1) << d << r.explain();
    EXPECT_FALSE(r.singular) << d;
    const MobilityReport flat = mobility(model, set, Eigen::Vector3d(0, 0, k_half_turn));
    EXPECT_EQ(flat.mobility, 2);
    EXPECT_EQ(flat.finite_mobility, 1);
    EXPECT_TRUE(flat.singular);
    if (HasFailure()) return;
  }
}

/// Three links or four, nearly stretched between their pins: the last turns by nv - 2 motions, if only a little.
/// finite_mobility is that, or not known; it is known from a millionth on.
TEST(MobilityRank, OfChainsThatAreNearlyStretchedIsTheGenericOne) {
  int known = 0;
  for (int seed = 1; seed <= effort(400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 70);
    const double d = std::pow(10, random.uniform(-10, -0.5)) * sign(random), unit = power(random, 3);
    PinnedChain x{.length = {1, 1, 1}, .mass = {1, 1, 1}, .unit = unit, .pin = 1 + 2 * std::cos(d)};
    Vector q = Eigen::Vector3d(d, -d, -d);
    if (pick(random, 2) == 0) {
      x.length = x.mass = {1, 1, 1, 1};
      x.pin = 2 * std::cos(d) + 2;
      q = Eigen::Vector4d(d, -d, 0, -d);
    }
    x.in_space = pick(random, 2) == 0;
    x.turn = random.uniform(-3, 3);
    x.tilt = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Model model = x.model();
    const MobilityReport r = mobility(model, x.set(model), q);
    const Index free = static_cast<Index>(q.size()) - 2;
    EXPECT_EQ(r.mobility, free) << d << r.explain();
    EXPECT_FALSE(r.singular) << d;
    if (r.finite_mobility >= 0 || std::fabs(d) > 2e-5) { EXPECT_EQ(r.finite_mobility, free) << d << r.explain(); }
    known += r.finite_mobility == free;
    if (HasFailure()) return;
  }
  if (effort(400) == 400) { EXPECT_GE(known, 150); }
}

// --- every set ------------------------------------------------------------------------------------------------------

/// Rows that couple some coordinates, of any size, copies and near copies of rows before them.
void add_random_rows(ConstraintSet& set, const Model& model, Random& random) {
  std::vector<std::string> names;
  for (const Joint& j : model.joints())
    if (j.type == "revolute" || j.type == "prismatic" || j.type == "continuous") names.push_back(j.name);
  std::vector<std::vector<double>> ratios;
  const int count = pick(random, 5);
  const std::size_t some = std::min<std::size_t>(names.size(), 4);
  for (int k = 0; k < count && some > 1; ++k) {
    CouplingConstraint c{.name = "row" + std::to_string(k)};
    c.coordinates.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(some));
    const bool copied = !ratios.empty() && pick(random, 2) == 0;
    const double near = pick(random, 2) == 0 ? std::pow(10, random.uniform(-13, -1)) : 0.0, size = power(random, 6);
    for (std::size_t i = 0; i < some; ++i)
      c.ratio.push_back(size * (copied ? ratios.back()[i] + near * random.uniform(-1, 1) : random.uniform(-1, 1)));
    ratios.emplace_back();
    for (const double x : c.ratio) ratios.back().push_back(x / size);
    if (pick(random, 8) == 0) {
      c.policy = Policy::soft;
      c.compliance = {power(random, 3)};
    }
    set.add(c);
  }
}

TEST(MobilityRank, IsThatOfASolverOnTheModelsWithRandomRows) {
  const std::vector<std::string> files = {"arm7", "bird_leg", "five_bar", "four_bar", "humanoid", "quadruped"};
  std::vector<Model> models;
  for (const std::string& file : files) {
    LoadOptions options;
    options.loops = ClosedLoops::constraints;
    models.push_back(load(ZWANG_MODELS "/" + file + ".urdf", options));
  }
  int dependent = 0;
  for (int seed = 1; seed <= effort(400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Model& model = models[static_cast<std::size_t>(seed) % models.size()];
    ConstraintSet set(model);
    set.add_loops();
    add_random_rows(set, model, random);
    Vector q = neutral(model);
    if (pick(random, 3) > 0) {
      Vector step(model.nv());
      for (double& x : step) x = random.uniform(-1, 1);
      q = integrate(model, q, step);
    }
    for (const double tolerance : k_tolerances) expect_as_solver(model, set, q, tolerance);
    dependent += !mobility(model, set, q, {.samples = 0}).redundant.empty();
    if (HasFailure()) return;
  }
  if (effort(400) == 600) { EXPECT_GE(dependent, 130); }
}

/// Joints and rows of all kinds, roles, levels and policies. A Mobility that has seen other states and rows says what a
/// new one says.
TEST(MobilityRank, IsThatOfASolverOnRandomSetsAndRemembersNothing) {
  int dependent = 0;
  for (int seed = 1; seed <= effort(500); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed), 2 + seed % 8);
    ConstraintSet set = random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed)).set(robot.model);
    const auto q = [&](int k) { return random_state(robot.reference, static_cast<std::uint64_t>(seed + k)).q; };
    const MobilitySettings settings{.samples = seed % 8 == 0 ? 2 : 0};
    Mobility kept(robot.model, set, settings);
    kept.at(q(7));
    for (const bool without : {false, true}) {
      if (without) set[set.constraints().front().name].active = !set.constraints().front().active;
      const MobilityReport r = kept.at(q(0)), fresh = mobility(robot.model, set, q(0), settings);
      EXPECT_EQ(r.rank, fresh.rank);
      EXPECT_EQ(r.redundant, fresh.redundant);
      EXPECT_EQ(r.basis, fresh.basis);
      EXPECT_EQ(r.finite_mobility, fresh.finite_mobility);
      expect_as_solver(robot.model, set, q(0), 0);
      dependent += !r.redundant.empty();
    }
    if (HasFailure()) return;
  }
  if (effort(500) == 500) { EXPECT_GE(dependent, 250); }
}

/// Any joints, any loops, rows beside: the rank of W in long double, where that is clear.
TEST(MobilityRank, IsThatOfWInLongDouble) {
  int general = 0, special = 0;
  for (int seed = 1; seed <= effort(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 4000);
    Mechanism m{.robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 9000, 2 + seed % 6)};
    for (int k = 0; k <= pick(random, 2); ++k) {
      m.constraints.push_back(random_loop(m.robot, random, "loop" + std::to_string(k)));
      std::visit([](auto& c) { c.policy = Policy::hard; }, m.constraints.back());
      std::visit([](auto& c) { c.active = true; }, m.constraints.back());
    }
    const RandomState state = random_state(m.robot.reference, static_cast<std::uint64_t>(seed));
    const MechanismProblem p = problem(m, state);
    Mat W = p.M.llt().matrixL().solve(Mat(p.A.transpose()));
    for (Eigen::Index i = 0; i < W.cols(); ++i)
      if (p.A.row(i).norm() > 1e-13L) W.col(i).normalize();
    if (!W.allFinite()) continue;
    Index rank = 0;
    bool clear = true;
    const Eigen::JacobiSVD<Mat> svd(W);
    for (const Real s : svd.singularValues()) {
      rank += s > 1e-9L;
      clear = clear && (s < 1e-13L || s > 1e-5L);
    }
    expect_as_solver(m.robot.model, m.set(), state.q, 0);
    if (clear) {
      EXPECT_EQ(mobility(m.robot.model, m.set(), state.q, {.samples = 0}).rank, rank);
      (rank == W.cols() ? general : special)++;
    }
    if (HasFailure()) return;
  }
  if (effort(300) == 300) {
    EXPECT_GE(general, 50);
    EXPECT_GE(special, 30);
  }
}

TEST(MobilityRank, IsAlsoFoundWhereMIsSingular) {
  RobotDescription d{.name = "light"};
  d.links.push_back({.name = "ground"});
  const auto joint = [&](const std::string& parent, const std::string& child, double x) {
    d.links.push_back({.name = child});
    d.joints.push_back({.name = "to " + child,
                        .type = "revolute",
                        .parent = parent,
                        .child = child,
                        .origin = {Mat3<double>::identity(), {x, 0, 0}},
                        .axis = {0, 0, 1}});
  };
  joint("ground", "a", 0);
  joint("a", "b", 1);
  joint("b", "c", 1);
  d.frames.push_back({"end", "c", {Mat3<double>::identity(), {1, 0, 0}}});
  d.frames.push_back({"pin", "ground", {Mat3<double>::identity(), {2, 0, 0}}});
  const Model model = build(d);
  ConstraintSet set(model);
  set.add(LoopConstraint{.name = "loop", .frame = "end", .other = "pin", .rows = rows("linear.x linear.y linear.z")});
  const double q1 = std::acos(0.5);  // a trapezium
  const MobilityReport r = mobility(model, set, Eigen::Vector3d(q1, -q1, -q1));
  EXPECT_EQ(r.mobility, 1) << r.explain();
  EXPECT_EQ(r.redundant, std::vector<std::string>{"loop:linear.z"});
  EXPECT_EQ(r.finite_mobility, 1);
}

}  // namespace
}  // namespace zwang::test
