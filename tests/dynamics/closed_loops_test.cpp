// SPDX-License-Identifier: BSD-3-Clause
// Closed loops by closed forms: a joint of any type cut open and closed again with rows, four-bars side by side, and
// targets that errors decay to.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/imposed.hpp"
#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// The rows that a joint leaves nothing but its own motions with.
RowSelection rows_of_joint(const std::string& type, double pitch) {
  if (type == "helical")
    return rows(std::vector<double>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                                    1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -pitch});
  if (type == "translation") return rows("angular");
  if (type == "universal") return joint_rows("universal", {0, 0, 1}, {1, 0, 0});  // about z in a, about x in b
  return joint_rows(type);
}

/// A tree, and the same with one joint replaced by a free one and rows between its two sides.
struct Cut {
  Cut(RobotDescription d, const std::string& joint) : tree(build(d)), opened(build(open(d, joint))), name(joint) {}
  static RobotDescription open(RobotDescription d, const std::string& joint) {
    for (JointDescription& j : d.joints) {
      if (j.name != joint) continue;
      d.frames.push_back({"side a", j.parent, j.origin});
      j.type = "floating";
      j.parent = d.links[0].name;
      j.origin = Transform<double>::identity();
      j.parameters = {};
    }
    return d;
  }
  /// The same state on the opened tree.
  void transfer(const RandomState& from, Vector& q, Vector& v, Vector& tau) const {
    Data data(tree);
    forward_kinematics(tree, data, from.q, from.v);
    q = Vector::Zero(opened.nq());
    v = tau = Vector::Zero(opened.nv());
    for (const Joint& j : opened.joints()) {
      const Joint& same = tree.joint(j.name);
      if (j.name != name) {
        q.segment(j.q.first, j.q.size) = from.q.segment(same.q.first, same.q.size);
        v.segment(j.v.first, j.v.size) = from.v.segment(same.v.first, same.v.size);
        tau.segment(j.v.first, j.v.size) = from.tau.segment(same.v.first, same.v.size);
        continue;
      }
      const FrameId child = tree.links()[static_cast<std::size_t>(same.child.value)].frame;
      const Transform<double> X = frame_pose(tree, data, child);
      const Quat<double> r = from_rotation(X.R);
      const Motion<double> V = frame_velocity(tree, data, child, Reference::local);
      q.segment(j.q.first, 7) << X.p.x, X.p.y, X.p.z, r.x, r.y, r.z, r.w;
      v.segment(j.v.first, 6) << V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z;
    }
  }
  Model tree, opened;
  std::string name;
};

TEST(ClosedLoop, OfAnyJointCutOpenMovesLikeTheJointAndBearsItsWrench) {
  const char* const types[] = {"revolute",  "prismatic",   "helical", "cylindrical", "universal",
                               "spherical", "translation", "planar",  "fixed"};
  for (const char* type : types)
    for (int seed = 1; seed <= effort(12); ++seed) {
      SCOPED_TRACE(std::string(type) + ", seed " + std::to_string(seed));
      RandomRobot options;
      options.joints = 10;
      options.mimic = options.friction = 0;
      RobotDescription d = random_robot(static_cast<std::uint64_t>(seed) + 500, options);
      const auto at = static_cast<std::size_t>(seed) % d.joints.size();
      JointDescription& j = d.joints[at];
      // Nothing but the joint itself acts between its sides: what a motor does would be a force of its own.
      j = {.name = j.name, .type = type, .parent = j.parent, .child = j.child, .origin = j.origin};
      if (std::string(type) == "helical") j.parameters = {0.13};
      for (JointDescription& k : d.joints)  // parts of a composite joint may move alike: rotors keep M regular
        if (k.type == "composite") k.rotor_inertia = {0.05};
      const std::string child = j.child;
      const Cut cut(d, j.name);
      RandomState state = random_state(cut.tree, static_cast<std::uint64_t>(seed));
      const Range own = cut.tree.joint(cut.name).v;
      state.tau.segment(own.first, own.size).setZero();
      Vector q, v, tau;
      cut.transfer(state, q, v, tau);

      Solver tree(cut.tree, ConstraintSet(cut.tree));
      const Solution& expected = tree.solve({.q = state.q, .v = state.v, .tau = state.tau});
      ConstraintSet set(cut.opened);
      set.add(LoopConstraint{.name = "cut", .frame = "side a", .other = child, .rows = rows_of_joint(type, 0.13)});
      Solver opened(cut.opened, set);
      const SolveInput input{.q = q, .v = v, .tau = tau};
      for (const std::string& method : methods()) {
        if (method == "pv_soft" || solution_by(opened, method, input) == nullptr) continue;
        SCOPED_TRACE(method);
        const Solution& got = opened.solution();
        ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
        EXPECT_EQ(got.report.rank, set.rows());
        const double size = 1 + expected.acceleration.cwiseAbs().maxCoeff();
        for (const Joint& k : cut.opened.joints()) {
          if (k.name == cut.name) continue;
          const Range there = cut.tree.joint(k.name).v;
          EXPECT_LE(
              (got.acceleration.segment(k.v.first, k.v.size) - expected.acceleration.segment(there.first, there.size))
                  .cwiseAbs()
                  .sum(),
              1e-9 * size)
              << k.name;
        }
        if (cut.tree.joint(cut.name).lumped) continue;                         // then nobody carries its wrench
        const Force<double> w = tree.joint_wrench(cut.tree.find_link(child));  // child's axes, about its origin
        Data data(cut.opened);
        forward_kinematics(cut.opened, data, q);
        const Mat3<double> Ra = frame_pose(cut.opened, data, cut.opened.find_frame("side a")).R,
                           Rb = frame_pose(cut.opened, data, cut.opened.find_frame(child)).R;
        const auto wrench = got["cut"].wrench;
        const Vec3<double> f = transpose_times(Rb, Ra * Vec3<double>{wrench(0), wrench(1), wrench(2)}),
                           n = transpose_times(Rb, Ra * Vec3<double>{wrench(3), wrench(4), wrench(5)});
        const double strength = 1 + norm(w.f) + norm(w.n);
        EXPECT_LE(norm(f - w.f) + norm(n - w.n), 1e-8 * strength);
      }
    }
}

/// N four-bars side by side (IFToMM's benchmark A02): rods of 1 kg and 1 m, N + 1 upright ones on pins, N across.
RobotDescription four_bars(int loops) {
  RobotDescription d{.name = "four_bars"};
  const Sym3<double> upright = Sym3<double>::diagonal(1.0 / 12, 1e-3, 1.0 / 12),
                     across = Sym3<double>::diagonal(1e-3, 1.0 / 12, 1.0 / 12);
  const auto joint = [&](const std::string& child, const std::string& parent, const Vec3<double>& at) {
    d.joints.push_back({.name = "to " + child,
                        .type = "revolute",
                        .parent = parent,
                        .child = child,
                        .origin = {Mat3<double>::identity(), at}});
  };
  d.links.push_back({.name = "ground"});
  d.links.push_back({.name = "rod0", .mass = 1, .centre = {0, 0.5, 0}, .inertia = upright});
  joint("rod0", "ground", {0, 0, 0});
  for (int k = 1; k <= loops; ++k) {
    const std::string n = std::to_string(k), before = "bar" + std::to_string(k - 1);
    d.links.push_back({.name = "bar" + n, .mass = 1, .centre = {0.5, 0, 0}, .inertia = across});
    joint("bar" + n, k == 1 ? "rod0" : before, k == 1 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0});
    d.links.push_back({.name = "rod" + n, .mass = 1, .centre = {0, -0.5, 0}, .inertia = upright});
    joint("rod" + n, "bar" + n, {1, 0, 0});
    d.frames.push_back({"foot" + n, "rod" + n, {Mat3<double>::identity(), {0, -1, 0}}});
    d.frames.push_back({"pin" + n, "ground", {Mat3<double>::identity(), {1.0 * k, 0, 0}}});
  }
  return d;
}

TEST(ClosedLoop, FourBarsSideBySideMoveAsOnePendulum) {
  for (const int loops : {1, 2, 5, 12}) {
    const Model m = build(four_bars(loops), {.gravity = {0, -9.81, 0}});
    ConstraintSet set(m);
    for (int k = 1; k <= loops; ++k) {
      const std::string n = std::to_string(k);
      set.add(LoopConstraint{.name = "loop" + n, .frame = "pin" + n, .other = "foot" + n, .rows = joint_rows("hinge")});
    }
    Solver solver(m, set);
    const double P = ((loops + 1) / 2.0 + loops) * 9.81 / ((loops + 1) / 3.0 + loops);
    for (const double angle : {0.4, -0.9, 2.3}) {
      Vector q = Vector::Zero(m.nq()), v = Vector::Zero(m.nv());
      const auto set_rod = [&](const std::string& joint, double turn, double rate) {
        q(m.joint(joint).q.first) = turn;
        v(m.joint(joint).v.first) = rate;
      };
      set_rod("to rod0", angle, 1.7);
      for (int k = 1; k <= loops; ++k) {
        set_rod("to bar" + std::to_string(k), k == 1 ? -angle : 0, k == 1 ? -1.7 : 0);
        set_rod("to rod" + std::to_string(k), angle, 1.7);
      }
      for (const std::string& method : methods()) {
        if (method == "pv_soft" || method == "constrained_aba") continue;  // soft rows; rows on one body
        SCOPED_TRACE(method + ", loops " + std::to_string(loops));
        const Solution* answer = solution_by(solver, method, {.q = q, .v = v});
        if (answer == nullptr) continue;
        const Solution& s = *answer;
        EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
        EXPECT_EQ(s.report.rank, 2 * loops);  // a planar loop in space: of five rows three say what the others do
        EXPECT_EQ(static_cast<int>(s.report.redundant.size()), 3 * loops);
        // Squares of the rows' condition, that of a chain as long as the bars are.
        EXPECT_NEAR(s.acceleration(m.joint("to rod0").v.first), P * std::sin(angle), 1e-9 * P);
        EXPECT_NEAR(s.acceleration(m.joint("to rod1").v.first), P * std::sin(angle), 1e-9 * P);
      }
    }
  }
}

/// What a solution says of its rows is what they are: errors, power, J and the right-hand side.
TEST(ClosedLoop, RowsAreToldAsMatricesAndErrors) {
  for (int seed = 1; seed <= effort(40); ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 15000, 9);
    const Imposed x = random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed));
    const Posed p = pose(robot, x);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set);
    const Solution& s = solver.solve(x.input());
    ASSERT_NE(s.report.status, Status::singular_mass);
    Eigen::MatrixXd J(p.A.rows(), p.A.cols());
    Vector b(p.b.size());
    solver.constraint_jacobian(J);
    solver.constraint_target(b);
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      // Sums over at most sixteen bodies of terms of the size of `reach`: some hundred roundings.
      EXPECT_LE((J.row(i).cast<Real>() - p.A.row(i)).cwiseAbs().maxCoeff(), 1e-12L * (1 + p.reach.row(i).maxCoeff()));
      EXPECT_LE(std::fabs(b(i) - p.b(i)), 1e-11L * (1 + p.size(i)));
    }
    const Vec speed = p.A * x.state.v.cast<Real>();
    Real power = 0, expected = 0;
    for (const AnyConstraint& c : x.constraints) power += s[name_of(c)].power;
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      const auto row = p.row[static_cast<std::size_t>(i)];
      expected += s.multipliers(row) * speed(i);
      const auto* loop = std::get_if<LoopConstraint>(
          &x.constraints[static_cast<std::size_t>(p.constraint[static_cast<std::size_t>(i)])]);
      EXPECT_EQ(std::isnan(s.position_error(row)), loop == nullptr);
      if (loop == nullptr) { EXPECT_LE(std::fabs(s.velocity_error(row) - speed(i)), 1e-11L * (1 + p.size(i))); }
    }
    EXPECT_LE(std::fabs(power - expected), 1e-9L * (1 + s.multipliers.cwiseAbs().maxCoeff() * p.size.maxCoeff()));
  }
}

/// phi'' = -(2 zeta / T) phi' - phi / T^2 along a simulated motion: the error follows its closed form.
TEST(ClosedLoop, ErrorsDecayAsTheStabilisationSays) {
  const Model m = build(four_bars(1), {.gravity = {0, -9.81, 0}});
  ConstraintSet set(m);
  const double T = 0.05;
  set.add(LoopConstraint{.name = "loop",
                         .frame = "pin1",
                         .other = "foot1",
                         .rows = rows("linear.x linear.y"),
                         .stabilisation = {.time_constant = T}});
  Solver solver(m, set);
  Vector q = Vector::Zero(m.nq()), v = Vector::Zero(m.nv());
  q << 0.5, -0.5 + 0.02, 0.5 + 0.03;  // the loop does not close
  const auto error = [&] {
    Data data(m);
    forward_kinematics(m, data, q);
    const Vec3<double> foot = frame_pose(m, data, m.find_frame("foot1")).p;
    return Eigen::Vector2d(foot.x - 1, foot.y);
  };
  const Eigen::Vector2d start = error();
  ASSERT_GT(start.norm(), 0.01);
  const double h = 1e-4;
  const auto rate = [&](const Vector& q1, const Vector& v1) {
    return Vector(solver.solve({.q = q1, .v = v1}).acceleration);
  };
  double t = 0;
  for (int step = 0; step < 1000; ++step, t += h) {  // Runge and Kutta, fourth order
    const Vector k1 = rate(q, v), v2 = v + h / 2 * k1;
    const Vector k2 = rate(q + h / 2 * v, v2), v3 = v + h / 2 * k2;
    const Vector k3 = rate(q + h / 2 * v2, v3), v4 = v + h * k3;
    const Vector k4 = rate(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const Eigen::Vector2d expected = start * ((1 + t / T) * std::exp(-t / T));  // critically damped, from rest
  EXPECT_LE((error() - expected).norm(), 1e-9);
}

/// Andrews' squeezing mechanism: seven bodies, three loops of two rows, a spring, a constant torque (Hairer & Wanner,
/// Solving Ordinary Differential Equations II, ch. VI.9; test set for IVP solvers, problem Andrews).
RobotDescription squeezer() {
  RobotDescription d{.name = "squeezer"};
  d.links.push_back({.name = "ground"});
  const auto body = [&](const std::string& name, const std::string& parent, const Vec3<double>& at, double mass,
                        double inertia, const Vec3<double>& centre) {
    d.links.push_back(
        {.name = name, .mass = mass, .centre = centre, .inertia = Sym3<double>::diagonal(inertia, inertia, inertia)});
    d.joints.push_back({.name = "to " + name,
                        .type = "revolute",
                        .parent = parent,
                        .child = name,
                        .origin = {Mat3<double>::identity(), at}});
  };
  const auto point = [&](const std::string& name, const std::string& link, const Vec3<double>& at) {
    d.frames.push_back({name, link, {Mat3<double>::identity(), at}});
  };
  const Vec3<double> A{-.06934, -.00227, 0}, B{-.03635, .03273, 0};
  body("K1", "ground", {0, 0, 0}, .04325, 2.194e-6, {.00092, 0, 0});
  body("K2", "K1", {.007, 0, 0}, .00365, 4.410e-7, {-.0115, 0, 0});
  body("K3", "ground", B, .02373, 5.255e-6, {.01043, -.01874, 0});
  body("K5", "ground", A, .07050, 1.169e-5, {.02308, .00916, 0});
  body("K4", "K5", {.04, 0, 0}, .00706, 5.667e-7, {0, -(.02 - .01421), 0});
  body("K7", "ground", A, .05498, 1.912e-5, {-.00449, -.01228, 0});
  body("K6", "K7", {0, -.04, 0}, .00706, 5.667e-7, {.02 - .01421, 0, 0});
  point("E2", "K2", {-.028, 0, 0});
  point("E3", "K3", {0, -.035, 0});
  point("E4", "K4", {0, -.02, 0});
  point("E6", "K6", {.02, 0, 0});
  point("D", "K3", {.02, -.018, 0});
  return d;
}

TEST(ClosedLoop, OfAndrewsSqueezerMovesAsPublished) {
  const Model m = build(squeezer(), {.gravity = {0, 0, 0}});
  ConstraintSet set(m);
  for (const char* end : {"E3", "E4", "E6"})
    set.add(LoopConstraint{.name = end, .frame = "E2", .other = end, .rows = rows("linear.x linear.y")});
  Solver solver(m, set);
  const char* const joints[] = {"to K1", "to K2", "to K3", "to K4", "to K5", "to K6", "to K7"};
  const auto from = [&](const double(&x)[7]) {
    Vector out(7);
    for (int k = 0; k < 7; ++k) out(m.joint(joints[k]).v.first) = x[k];
    return out;
  };
  const double start[7] = {
      -.0617138900142764496, 0, .455279819163070380, .222668390165885885, .487364979543842550, -.222668390165885885,
      1.23054744454982120};
  Vector q = from(start), v = Vector::Zero(7);
  Data data(m);
  Externals spring{external_wrench(m, "D", {0, 0, 0, 0, 0, 0})};
  const Vector tau = from({.033, 0, 0, 0, 0, 0, 0});
  const auto rate = [&](const Vector& q1, const Vector& v1) {
    forward_kinematics(m, data, q1);
    const Vec3<double> away = frame_pose(m, data, m.find_frame("D")).p - Vec3<double>{.014, .072, 0};
    const double length = norm(away), pull = 4530 * (length - .07785) / length;
    for (int k = 0; k < 3; ++k) spring[0].wrench[k] = -pull * away[k];
    return Vector(solver.solve({.q = q1, .v = v1, .tau = tau, .external = &spring}).acceleration);
  };
  const int steps = 20000;
  const double h = 0.03 / steps;
  for (int step = 0; step < steps; ++step) {  // Runge and Kutta, fourth order
    const Vector k1 = rate(q, v), v2 = v + h / 2 * k1;
    const Vector k2 = rate(q + h / 2 * v, v2), v3 = v + h / 2 * k2;
    const Vector k3 = rate(q + h / 2 * v2, v3), v4 = v + h * k3;
    const Vector k4 = rate(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const double end[7] = {15.8107711951537, -15.7563710584118, .0408222401196458, -.53473011634208,
                         .524409965879954, .53473011634208,   1.04808074104194};
  const double speed[7] = {1139.92030225911, -1424.37929517754, 11.0329119106186, 19.2933741050321,
                           .573569914829504, -19.2933741050321, .323179149249132};
  const double acceleration[7] = {-24631.7631228747, 51850.3196364643,  324102.600707579, 566749.422000995,
                                  16743.6354183454,  -566749.422000995, 9826.50780154417};
  EXPECT_LE((q - from(end)).cwiseAbs().maxCoeff(), 1e-8 * 16);
  EXPECT_LE((v - from(speed)).cwiseAbs().maxCoeff(), 1e-8 * 1425);
  for (const std::string& method : methods()) {
    SCOPED_TRACE(method);
    if (method == "pv_soft" || solution_by(solver, method, {.q = q, .v = v}) == nullptr) continue;
    EXPECT_LE((rate(q, v) - from(acceleration)).cwiseAbs().maxCoeff(), 1e-7 * 566749);
  }
}

/// Rows of the user that fail as they are told to.
struct Failing final : CustomRows {
  mutable int how = 0;
  Index rows() const override { return 1; }
  void evaluate(const double*, const double*, double* phi, double* J, double* rest) const override {
    if (how == 1) throw std::runtime_error("the user's own words");
    *phi = 0;
    *J = how == 2 ? std::nan("") : 1;
    *rest = how == 3 ? INFINITY : 0;
  }
};

TEST(ClosedLoop, RowsThatFailAreNamedAndLeaveNothingBehind) {
  const Model m = build(sample_arm7());
  ConstraintSet set(m);
  const auto rows = std::make_shared<Failing>();
  set.add(CustomConstraint{.name = "mine", .rows = rows, .coordinates = {m.coordinate_names()[1]}});
  Solver solver(m, set);
  const RandomState x = random_state(m, 3);
  const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau};
  const auto says = [&](const char* words) {
    try {
      solver.solve(input);
    } catch (const std::exception& e) { return std::string(e.what()).find(words) != std::string::npos; }
    return false;
  };
  for (int how : {1, 2, 3}) {
    rows->how = 0;
    EXPECT_EQ(solver.solve(input).report.status, Status::ok);
    EXPECT_NEAR(solver.solution().acceleration(1), 0, 1e-12);
    rows->how = how;
    EXPECT_TRUE(says(how == 1 ? "own words" : "'mine'"));
    EXPECT_THROW(solver.resolve(), std::logic_error);
    EXPECT_EQ(solver.try_solve(input).report.status, Status::invalid_input);
    EXPECT_EQ(solver.solution().acceleration.norm(), 0);
  }
  rows->how = 0;
  set["mine"].target = {std::nan("")};
  EXPECT_TRUE(says("'mine'"));
  set["mine"].target = {0, 0};
  EXPECT_TRUE(says("'mine'"));
  set["mine"].target = {};
  set["mine"].stabilisation.time_constant = -1;
  EXPECT_TRUE(says("'mine'"));
  set["mine"].stabilisation = {};
  EXPECT_EQ(solver.solve(input).report.status, Status::ok);
}

/// A row that is where its target asks and moves as it asks violates nothing; one that does not is told by how much.
TEST(ClosedLoop, OnlyWhatIsNotAskedForIsAViolation) {
  const Model m = build(sample_arm7());
  const RandomState x = random_state(m, 3);
  using Kind = SolveWarning::Kind;
  for (const Kind kind : {Kind::position_violates, Kind::velocity_violates})
    for (const double beyond : {0.0, 0.3}) {
      const double open = kind == Kind::position_violates ? beyond : 0, fast = beyond - open;
      ConstraintSet set(m);
      set.add(CouplingConstraint{.name = "gear",
                                 .coordinates = {m.coordinate_names()[1], m.coordinate_names()[2]},
                                 .ratio = {1, -2},
                                 .target = {x.q(1) - 2 * x.q(2) - open},
                                 .target_velocity = {x.v(1) - 2 * x.v(2) - fast}});
      Solver solver(m, set);
      const SolveReport& r = solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report;
      ASSERT_EQ(r.warnings.size(), beyond > 0 ? 1U : 0U) << r.explain();
      if (beyond == 0) continue;
      EXPECT_EQ(r.warnings[0].kind, kind);
      EXPECT_EQ(r.warnings[0].row, "gear:coupling");
      EXPECT_NEAR(r.warnings[0].value, beyond, 1e-12);
      set["gear"].stabilisation.time_constant = 0.1;  // what is being closed is no news; a speed is
      EXPECT_EQ(solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report.warnings.size(), fast > 0 ? 1U : 0U);
    }
}

/// Gains and targets of a constraint that was added without a target would do nothing.
TEST(ClosedLoop, GainsWithoutAnErrorToMeasureAreRefused) {
  const Model arm = build(sample_arm7());
  ConstraintSet set(arm);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  Solver solver(arm, set);
  const Vector q = zwang::random(arm, 1);
  solver.solve({.q = q});
  set["tool"].stabilisation.time_constant = 0.1;
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
  set["tool"].stabilisation = {};
  set["tool"].target = {0, 0, 1};
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
  set["tool"].target.clear();
  EXPECT_EQ(solver.solve({.q = q}).report.status, Status::ok);
}

}  // namespace
}  // namespace zwang::test
