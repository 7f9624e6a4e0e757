// SPDX-License-Identifier: BSD-3-Clause
// Against KDL on random chains of fixed axes: 1e-9 where KDL can, and what zwang says where KDL gives no numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "peers/kdl_chain.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "support/reference_constrained.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

constexpr double k_agreement = 1e-9;  // asked for; rounding of chains of up to 10 joints is near 1e-13

RobotDescription random_chain(std::uint64_t seed, int joints,
                              std::vector<std::string> types = {"revolute", "prismatic", "continuous"}) {
  RandomRobot options;
  options.joints = joints;
  options.types = std::move(types);
  options.branching = options.mimic = options.damping = options.springs = options.friction = 0;
  RobotDescription d = random_robot(seed, options);
  d.links[0].mass = 0;  // KDL's root has none
  d.links[0].inertia = Sym3<double>::zero();
  return d;
}

/// One chain in both libraries, in one random state.
struct Both {
  RobotDescription description;
  BuildOptions options;
  Model model;
  KDL::Chain chain;
  RandomState s;
  std::string tip;
  KDL::Vector gravity;

  explicit Both(std::uint64_t seed, std::vector<std::string> types = {"revolute", "prismatic", "continuous"})
      : description(random_chain(seed, 2 + static_cast<int>(seed % 9), std::move(types))),
        options(gravity_of(seed)),
        model(build(description, options)),
        chain(kdl_chain(description)),
        s(random_state(model, seed + 1)),
        tip(description.links.back().name),
        gravity(kdl(options.gravity)) {}
  static BuildOptions gravity_of(std::uint64_t seed) {
    Random random(seed + 31);
    BuildOptions o;
    o.gravity = {random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-12, -4)};
    return o;
  }
  SolveInput input() const {
    SolveInput in;
    in.q = s.q;
    in.v = s.v;
    in.tau = s.tau;
    return in;
  }
};

TEST(Kdl, AgreesOnPosesJacobiansAndTheirRates) {
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("chain " + std::to_string(seed));
    const Both b(static_cast<std::uint64_t>(seed));
    KDL::ChainFkSolverPos_recursive fk(b.chain);
    KDL::Frame pose;
    ASSERT_EQ(fk.JntToCart(kdl(b.s.q), pose), 0);
    Data data(b.model);
    const Transform<double> X = frame_pose(b.model, data, b.s.q, b.tip);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(X.p[i], pose.p(i), k_agreement);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(X.R(i, j), pose.M(i, j), k_agreement);
    }
    const unsigned n = b.chain.getNrOfJoints();
    ASSERT_EQ(static_cast<Index>(n), b.model.nv());
    KDL::Jacobian J(n);
    KDL::ChainJntToJacSolver jacobian_solver(b.chain);
    ASSERT_EQ(jacobian_solver.JntToJac(kdl(b.s.q), J), 0);
    EXPECT_CLOSE(jacobian(b.model, data, b.s.q, b.tip), J.data, k_agreement);

    KDL::ChainJntToJacDotSolver rate(b.chain);
    const KDL::JntArrayVel state(kdl(b.s.q), kdl(b.s.v));
    Eigen::MatrixXd got(6, b.model.nv());
    const auto compare = [&](Reference in, const char* name) {
      KDL::Jacobian Jdot(n);
      ASSERT_EQ(rate.JntToJacDot(state, Jdot), 0);
      jacobian_dot(b.model, data, b.s.q, b.s.v, b.model.find_frame(b.tip), in, got);
      EXPECT_TRUE(within(got, Jdot.data, k_agreement, 1 + Jdot.data.cwiseAbs().maxCoeff())) << name;
    };
    rate.setHybridRepresentation();
    compare(Reference::local_world_aligned, "hybrid");
    rate.setBodyFixedRepresentation();
    compare(Reference::local, "body fixed");
    rate.setInertialRepresentation();
    compare(Reference::world, "inertial");
  }
}

TEST(Kdl, AgreesOnInverseDynamicsAndTheMassMatrix) {
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("chain " + std::to_string(seed));
    const Both b(static_cast<std::uint64_t>(seed));
    KDL::ChainIdSolver_RNE rne(b.chain, b.gravity);
    const unsigned n = b.chain.getNrOfJoints();
    Random random(static_cast<std::uint64_t>(seed));
    KDL::Wrenches wrenches(b.chain.getNrOfSegments());
    Externals external;
    for (unsigned i = 0; i < wrenches.size(); ++i) {  // in the tip's axes about the tip
      ExternalWrench w{b.model.find_frame(b.description.joints[i].child), {}, Reference::local};
      for (double& x : w.wrench) x = random.uniform(-5, 5);
      wrenches[i] = kdl_wrench(w.wrench);
      external.push_back(w);
    }
    KDL::JntArray torque(n);
    ASSERT_EQ(rne.CartToJnt(kdl(b.s.q), kdl(b.s.v), kdl(b.s.a), wrenches, torque), 0);
    Data data(b.model);
    const Eigen::VectorXd tau = inverse_dynamics(b.model, data, b.s.q, b.s.v, b.s.a, external);
    EXPECT_CLOSE(tau, torque.data, k_agreement);

    KDL::ChainDynParam parameters(b.chain, b.gravity);
    KDL::JntSpaceInertiaMatrix H(n);
    ASSERT_EQ(parameters.JntToMass(kdl(b.s.q), H), 0);
    EXPECT_CLOSE(mass_matrix(b.model, data, b.s.q), H.data, k_agreement);
    KDL::JntArray g(n);
    ASSERT_EQ(parameters.JntToGravity(kdl(b.s.q), g), 0);
    EXPECT_TRUE(within(gravity_forces(b.model, data, b.s.q), g.data, k_agreement, 1 + g.data.cwiseAbs().maxCoeff()));
  }
}

/// Rows at the tip in base axes, as KDL takes them: nu = -lambda,
/// beta_KDL = beta + alpha^T (-g; 0), spatial acceleration.
struct Vereshchagin {
  KDL::Jacobian alpha;
  KDL::JntArray beta, acceleration, constraint_torque;
  Eigen::VectorXd nu;
  int code = 0;
  Vereshchagin(const Both& b, const std::vector<double>& rows, const std::vector<double>& physical,
               const KDL::Wrenches& external) {
    const unsigned nc = static_cast<unsigned>(physical.size()), n = b.chain.getNrOfJoints();
    alpha = KDL::Jacobian(nc);
    beta = KDL::JntArray(nc);
    nu.setZero(nc);
    acceleration = constraint_torque = KDL::JntArray(n);
    for (unsigned i = 0; i < nc; ++i) {
      for (unsigned c = 0; c < 6; ++c) alpha(c, i) = rows[6 * i + c];
      beta(i) =
          physical[i] - (rows[6 * i] * b.gravity(0) + rows[6 * i + 1] * b.gravity(1) + rows[6 * i + 2] * b.gravity(2));
    }
    KDL::ChainHdSolver_Vereshchagin solver(b.chain, KDL::Twist(-b.gravity, KDL::Vector::Zero()), nc);
    code =
        solver.CartToJnt(kdl(b.s.q), kdl(b.s.v), acceleration, alpha, beta, external, kdl(b.s.tau), constraint_torque);
    solver.getContraintForceMagnitude(nu);
  }
};

std::vector<double> random_alpha(Random& random, int nc) {
  std::vector<double> rows;
  for (int k = 0; k < 6 * nc; ++k) rows.push_back(random.uniform(-1, 1));
  return rows;
}

TEST(Kdl, AgreesOnHybridDynamicsInItsOwnSigns) {
  int compared = 0;
  for (int seed = 1; seed <= effort(400); ++seed) {
    SCOPED_TRACE("chain " + std::to_string(seed));
    const Both b(static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed) + 9);
    const int nc = 1 + random.below(std::min(4, static_cast<int>(b.model.nv()) - 1));
    FrameConstraint c;
    c.name = "tip";
    c.frame = b.tip;
    const std::vector<double> matrix = random_alpha(random, nc);
    c.rows = rows(matrix);
    c.acceleration = AccelerationKind::spatial;
    for (int i = 0; i < nc; ++i) c.beta.push_back(random.uniform(-5, 5));
    KDL::Wrenches wrenches(b.chain.getNrOfSegments());
    Externals external;
    for (unsigned i = 0; i < wrenches.size(); ++i) {  // in base axes about the tip of each segment
      ExternalWrench w{b.model.find_frame(b.description.joints[i].child), {}};
      for (double& x : w.wrench) x = random.uniform(-5, 5);
      wrenches[i] = kdl_wrench(w.wrench);
      external.push_back(w);
    }
    ConstraintSet set(b.model);
    set.add(c);
    Solver solver(b.model, set);
    SolveInput in = b.input();
    in.external = &external;
    const Solution& s = solver.solve(in);
    Eigen::MatrixXd inertia(nc, nc);
    solver.operational_inertia(inertia);
    if (s.report.rank < nc || inertia.cwiseAbs().maxCoeff() > 1e4)
      continue;  // KDL has no rank to compare, and loses digits
    const Vereshchagin v(b, matrix, c.beta, wrenches);
    ++compared;
    ASSERT_EQ(v.code, 0);
    EXPECT_CLOSE(s.acceleration, v.acceleration.data, k_agreement);
    EXPECT_TRUE(within(Eigen::VectorXd(-v.nu), s.multipliers, k_agreement, 1 + s.multipliers.cwiseAbs().maxCoeff()));
    // What KDL calls the torque to command is the articulated contribution.
    EXPECT_TRUE(within(v.constraint_torque.data, s.articulated_constraint_torque, k_agreement,
                       1 + s.articulated_constraint_torque.cwiseAbs().maxCoeff()));
    // The classical acceleration is the spatial one with beta - alpha . (w x v).
    FrameConstraint classical = c;
    Data data(b.model);
    forward_kinematics(b.model, data, b.s.q, b.s.v);
    const Motion<double> twist = frame_velocity(b.model, data, b.model.find_frame(b.tip));
    const Vec3<double> turn = cross(twist.w, twist.v);
    for (std::size_t i = 0; i < c.beta.size(); ++i)
      classical.beta[i] += matrix[6 * i] * turn.x + matrix[6 * i + 1] * turn.y + matrix[6 * i + 2] * turn.z;
    classical.acceleration = AccelerationKind::classical;
    ConstraintSet other(b.model);
    other.add(classical);
    Solver again(b.model, other);
    EXPECT_CLOSE(again.solve(in).acceleration, v.acceleration.data, k_agreement);
  }
  EXPECT_GE(compared, effort(400) / 3);
}

TEST(Kdl, DocumentedCommandTorqueDoesNotGiveTheMotionThatTheMotorTorqueGives) {
  const Both b(7, {"revolute"});
  Random random(3);
  const std::vector<double> matrix = random_alpha(random, 3), beta = {1, -2, 0.5};
  const Vereshchagin v(b, matrix, beta, KDL::Wrenches(b.chain.getNrOfSegments(), KDL::Wrench::Zero()));
  FrameConstraint c;
  c.name = "tip";
  c.frame = b.tip;
  c.rows = rows(matrix);
  c.acceleration = AccelerationKind::spatial;
  c.beta = beta;
  c.role = Role::driver;
  ConstraintSet set(b.model);
  set.add(c);
  Solver solver(b.model, set);
  const Solution& s = solver.solve(b.input());
  Data data(b.model);
  const Eigen::VectorXd motor = s.motor_torque, documented = b.s.tau + v.constraint_torque.data;
  EXPECT_CLOSE(forward_dynamics(b.model, data, b.s.q, b.s.v, motor), v.acceleration.data, 1e-10);
  const Eigen::VectorXd wrong = forward_dynamics(b.model, data, b.s.q, b.s.v, documented);
  EXPECT_GT((wrong - v.acceleration.data).norm(), 0.01 * v.acceleration.data.norm());
}

TEST(Kdl, GivesNoNumbersForFixedJointsWhereZwangIsRight) {
  for (const bool at_the_end : {false, true}) {
    SCOPED_TRACE(at_the_end ? "fixed joint at the end" : "fixed joint in the middle");
    Both b(23, {"revolute"});
    JointDescription& j = b.description.joints[at_the_end ? b.description.joints.size() - 1 : 2];
    j.type = "fixed";
    b.model = build(b.description, b.options);
    b.chain = kdl_chain(b.description);
    b.s = random_state(b.model, 4);
    Random random(8);
    const std::vector<double> matrix = random_alpha(random, 2), beta = {1, -2};
    if (!at_the_end) {  // behind the last moving joint KDL reads q beyond its end: not called there
      const Vereshchagin v(b, matrix, beta, KDL::Wrenches(b.chain.getNrOfSegments(), KDL::Wrench::Zero()));
      EXPECT_FALSE(v.code == 0 && v.acceleration.data.allFinite()) << "KDL can do this now: compare with it";
    }
    FrameConstraint c;
    c.name = "tip";
    c.frame = b.tip;
    c.rows = rows(matrix);
    c.acceleration = AccelerationKind::spatial;
    c.beta = beta;
    ConstraintSet set(b.model);
    set.add(c);
    Solver solver(b.model, set);
    const Solution& s = solver.solve(b.input());
    EXPECT_EQ(s.report.status, Status::ok);
    const reference::Reference dense(b.description, b.options, b.model);
    const reference::State state = dense.at(b.s.q, b.s.v);
    using Mat = reference::MatrixX<reference::Real>;
    using Vec = reference::VectorX<reference::Real>;
    Mat K(2, 6);
    for (int i = 0; i < 12; ++i) K(i / 6, i % 6) = matrix[static_cast<std::size_t>(i)];
    const auto axes = reference::Axes::local_world_aligned;
    const Vec rest = state.acceleration(b.tip, Vec::Zero(dense.nv()), axes, reference::Kind::spatial);
    const Vec wanted = Vec(Eigen::Map<const Eigen::VectorXd>(beta.data(), 2).cast<reference::Real>()) - K * rest;
    const reference::Constrained oracle = reference::constrained_motion(
        state.mass_matrix(), state.bias(), b.s.tau.cast<reference::Real>(), K * state.jacobian(b.tip, axes), wanted);
    EXPECT_CLOSE(s.acceleration, oracle.acceleration, 1e-11);
    EXPECT_CLOSE(s.multipliers, oracle.multipliers, 1e-11);
  }
}

TEST(Kdl, GivesNoNumbersForAMasslessTipWhereZwangNamesTheJoint) {
  Both b(23, {"revolute"});
  LinkDescription& tip = b.description.links.back();
  tip = {.name = tip.name};
  JointDescription& last = b.description.joints.back();
  last.rotor_inertia.clear();
  last.gear_ratio.clear();
  b.model = build(b.description, b.options);
  b.chain = kdl_chain(b.description);
  const std::vector<double> matrix = {0, 0, 1, 0, 0, 0}, beta = {0};
  const Vereshchagin v(b, matrix, beta, KDL::Wrenches(b.chain.getNrOfSegments(), KDL::Wrench::Zero()));
  EXPECT_FALSE(v.acceleration.data.allFinite()) << "KDL can do this now";
  ConstraintSet set(b.model);
  set.add(FrameConstraint{.name = "tip", .frame = b.tip, .rows = rows(matrix)});
  Solver solver(b.model, set);
  const Solution& s = solver.solve(b.input());
  EXPECT_EQ(s.report.status, Status::singular_mass);
  EXPECT_EQ(s.report.singular_joint, last.name);
  Data data(b.model);
  EXPECT_THROW(forward_dynamics(b.model, data, b.s.q, b.s.v, b.s.tau), SingularMassError);
}

}  // namespace
}  // namespace zwang::test
