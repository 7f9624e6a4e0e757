// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: against a dense lexicographic reference in long double, against forward dynamics of the
// Solver, and against the equations of RBDL's relaxed form.
#include "zwang/question/constrained_inverse_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <map>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// x that meets one level of equations after the other in least squares, in the null space of those before.
class Levels {
 public:
  explicit Levels(Eigen::Index n) : x(Vec::Zero(n)), Z_(Mat::Identity(n, n)) {}
  void meet(const Mat& A, const Vec& b, Real tolerance = 1e-10L) {
    if (A.rows() == 0 || Z_.cols() == 0) return;
    Vec length = A.rowwise().norm();  // ranks of rows of unit length
    for (Real& l : length) l = l > 0 ? l : 1;
    const Mat unit = length.cwiseInverse().asDiagonal() * A * Z_;
    const Eigen::JacobiSVD<Mat> svd(unit, Eigen::ComputeFullV);
    Eigen::Index rank = 0;
    for (; rank < svd.singularValues().size() && svd.singularValues()(rank) > tolerance; ++rank) {}
    for (const Real s : svd.singularValues()) doubtful = doubtful || (s > 1e-13L && s < 1e-6L);
    const Mat along = Z_ * svd.matrixV().leftCols(rank);  // least squares in the rows' own units
    if (rank > 0)
      x += along * Eigen::JacobiSVD<Mat>(A * along, Eigen::ComputeThinU | Eigen::ComputeThinV).solve(b - A * x);
    Z_ = (Z_ * svd.matrixV().rightCols(Z_.cols() - rank)).eval();
  }
  Vec x;
  bool doubtful = false;

 private:
  Mat Z_;
};

struct Question {
  Mat M, J = {}, D = {};  ///< D: driver rows
  Vec h, gamma = {}, d = {}, wish = {}, weight = {};
  std::vector<bool> motor = {};
  double torque = 1, force = 0;
};
struct Reference {
  Vec a, tau, lambda;
  bool doubtful;
};
Mat root(const Mat& M) {
  const Eigen::LLT<Mat> llt(M);
  return llt.matrixU();
}
/// Unknown (sqrt(M_ii) a_i, lambda).
Reference answer(const Question& q) {
  const Eigen::Index n = q.M.rows(), m = q.J.rows();
  const Vec scale = q.M.diagonal().cwiseSqrt().cwiseInverse();
  const auto of_motion = [&](const Mat& A) {
    Mat wide = Mat::Zero(A.rows(), n + m);
    wide.leftCols(n) = A * scale.asDiagonal();
    return wide;
  };
  Mat equations(n, n + m);
  equations << Mat(q.M * scale.asDiagonal()), -q.J.transpose();
  const auto select = [&](bool motor) {
    Mat A(0, n + m);
    Vec b(0);
    for (Eigen::Index c = 0; c < n; ++c) {
      if (q.motor[static_cast<std::size_t>(c)] != motor) continue;
      A.conservativeResize(A.rows() + 1, n + m);
      b.conservativeResize(b.size() + 1);
      A.bottomRows(1) = equations.row(c);
      b(b.size() - 1) = -q.h(c);
    }
    return std::pair(A, b);
  };
  Levels x(n + m);
  x.meet(of_motion(q.J), q.gamma);
  const auto [rest, rest_b] = select(false);
  x.meet(rest, rest_b);
  x.meet(of_motion(q.D), q.d);
  Mat demanded(0, n);
  for (Eigen::Index c = 0; c < n; ++c)
    if (q.weight(c) > 0) {
      demanded.conservativeResize(demanded.rows() + 1, n);
      demanded.bottomRows(1) = Mat::Identity(n, n).row(c);
    }
  if (demanded.rows() > 0) {
    const Mat S = demanded * q.weight.cwiseSqrt().asDiagonal();
    const Mat W = root(demanded * q.M * demanded.transpose()) * S;
    x.meet(of_motion(W), W * q.wish);
  }
  const Mat L = root(q.M);
  x.meet(of_motion(L), L * q.wish);
  const auto [motors, motors_b] = select(true);
  Mat forces = Mat::Zero(m, n + m);
  forces.rightCols(m).setIdentity();
  if (q.force > 0) {
    Mat both(motors.rows() + m, n + m);
    both << std::sqrt(q.torque) * motors, std::sqrt(q.force) * forces;
    Vec b = Vec::Zero(both.rows());
    b.head(motors.rows()) = std::sqrt(q.torque) * motors_b;
    x.meet(both, b);
  } else {
    x.meet(motors, motors_b);
  }
  x.meet(forces, Vec::Zero(m));
  Reference r{scale.asDiagonal() * x.x.head(n), Vec::Zero(n), x.x.tail(m), x.doubtful};
  const Vec t = q.M * r.a + q.h - q.J.transpose() * r.lambda;
  for (Eigen::Index c = 0; c < n; ++c)
    if (q.motor[static_cast<std::size_t>(c)]) r.tau(c) = t(c);
  return r;
}

std::vector<std::string> names_of(const Model& model, const std::vector<bool>& motor) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < motor.size(); ++c)
    if (motor[c]) names.push_back(model.coordinate_names()[c]);
  return names;
}
/// Frames and contacts of both roles, loops, every joint type, wrenches from outside; any motors, weights, objectives.
TEST(ConstrainedInverseDynamics, IsTheLexicographicAnswerOnRandomRobots) {
  int compared = 0, under = 0, dependent = 0;
  const int all = effort(300, 30);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 9000);
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 40000, 3 + seed % 7);
    const Imposed x = seed % 3 == 0 ? random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed))
                                    : random_imposed(robot, static_cast<std::uint64_t>(seed));
    const Posed p = pose(robot, x);
    const int n = static_cast<int>(robot.model.nv());
    Question q{.M = p.M, .J = Mat(0, n), .D = Mat(0, n), .h = p.h, .wish = random.vector(n, 1).cast<Real>()};
    std::vector<int> of_set;
    for (Eigen::Index i = 0; i < p.A.rows(); ++i) {
      const bool driver =
          role_of(x.constraints[static_cast<std::size_t>(p.constraint[static_cast<std::size_t>(i)])]) == Role::driver;
      Mat& A = driver ? q.D : q.J;
      Vec& b = driver ? q.d : q.gamma;
      A.conservativeResize(A.rows() + 1, n);
      b.conservativeResize(A.rows());
      A.bottomRows(1) = p.A.row(i);
      b(A.rows() - 1) = p.b(i);
      if (!driver) of_set.push_back(p.row[static_cast<std::size_t>(i)]);
    }
    q.weight = Vec::Ones(n);
    q.motor.assign(static_cast<std::size_t>(n), false);
    const double share = random.uniform(0.2, 1.3);
    for (int c = 0; c < n; ++c) {
      q.motor[static_cast<std::size_t>(c)] = random.uniform(0, 1) < share;
      if (seed % 2 == 0) q.weight(c) = random.uniform(0, 1) < 0.3 ? 0 : random.uniform(0.1, 3);
    }
    q.motor[static_cast<std::size_t>(random.below(n))] = true;
    if (seed % 5 == 0) q.torque = 0.7, q.force = 0.3;
    const Reference expected = answer(q);
    if (expected.doubtful) continue;
    ConstrainedInverseDynamics inverse(robot.model, x.set(robot.model), names_of(robot.model, q.motor),
                                       {.torque = q.torque, .force = q.force});
    const Vector wish = q.wish.cast<double>(), weight = q.weight.cast<double>();
    const InverseSolution& s =
        inverse.solve({.q = x.state.q, .v = x.state.v, .a = wish, .weight = weight, .external = &x.external});
    ASSERT_TRUE(s.report.status == Status::ok || s.report.status == Status::infeasible)
        << s.report.explain() << s.report.motion << ' ' << s.report.residual << ' ' << s.report.optimality;
    ++compared;
    under += s.report.conditions > 0;
    dependent += s.report.rank < s.report.rows;
    // Random rows: conditions up to 1e4 in each of two steps, times epsilon, times some tens of terms.
    EXPECT_TRUE(within(s.acceleration, expected.a, 1e-8, 1 + largest(expected.a)));
    EXPECT_TRUE(within(s.tau, expected.tau, 1e-7, 1 + largest(expected.tau) + largest(q.h)));
    Vec lambda(of_set.size());
    for (std::size_t k = 0; k < of_set.size(); ++k) lambda(static_cast<Eigen::Index>(k)) = s.multipliers(of_set[k]);
    EXPECT_TRUE(within(lambda, expected.lambda, 1e-7, 1 + largest(expected.lambda) + largest(q.h)));
    if (HasFailure()) return;
  }
  RecordProperty("compared", compared);
  EXPECT_GE(compared, all / 2);
  EXPECT_GE(under, all / 10);
  EXPECT_GE(dependent, all / 20);
}

/// Torques and forces of a motion make that motion, in every method's problem: the Solver's forward dynamics.
void expect_reproduced(const Model& model, const ConstraintSet& set, const std::vector<std::string>& motors,
                       const RandomState& state, const Vector& wish, double tolerance) {
  ConstrainedInverseDynamics inverse(model, set, motors);
  const InverseSolution& r = inverse.solve({.q = state.q, .v = state.v, .a = wish});
  ASSERT_TRUE(r.report.status == Status::ok || r.report.status == Status::infeasible)
      << r.report.explain() << r.report.motion << ' ' << r.report.residual << ' ' << r.report.optimality;
  for (Index c = 0; c < model.nv(); ++c)
    if (!inverse.actuated()[static_cast<std::size_t>(c)]) { EXPECT_EQ(r.tau(c), 0); }
  Solver solver(model, set);
  const Vector tau = r.tau;
  const Solution& s = solver.solve({.q = state.q, .v = state.v, .tau = tau});
  const double size = 1 + r.acceleration.cwiseAbs().maxCoeff() + Vector(r.acceleration).norm() +
                      forward_dynamics(model, solver.data(), state.q, state.v, tau).cwiseAbs().maxCoeff();
  EXPECT_TRUE(within(s.acceleration, r.acceleration, tolerance, size));
  EXPECT_TRUE(within(s.reaction, r.reaction, tolerance, 1 + r.reaction.cwiseAbs().maxCoeff() + tau.norm()));
}

TEST(ConstrainedInverseDynamics, TorquesOfEverySharedRobotOnItsFeetReproduceTheMotion) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  const std::map<std::string, std::vector<std::string>> feet = {
      {"go1.urdf", {"FR_foot", "FL_foot", "RR_foot", "RL_foot"}},
      {"hyq.urdf", {"lf_foot", "rf_foot", "lh_foot", "rh_foot"}},
      {"simple_humanoid.urdf", {"l_ankle", "r_ankle"}},
      {"solo12.urdf", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}},
      {"talos_full_v2.urdf", {"left_sole_link", "right_sole_link"}},
      {"talos_reduced.urdf", {"left_sole_link", "right_sole_link"}},
      {"tiago.urdf", {"wheel_left_link", "wheel_right_link"}}};
  for (const auto& [file, links] : feet) {
    if (!exists(shared_robot(file))) continue;
    LoadOptions options;
    options.root = "floating";
    options.resolve_meshes = false;
    const Model model = load(shared_robot(file), options);
    ConstraintSet set(model);
    for (const std::string& link : links)
      if (links.size() == 4)
        set.add(ContactConstraint{.name = link, .frame = link});
      else
        set.add(FrameConstraint{.name = link, .frame = link});
    for (int seed = 1; seed <= effort(4); ++seed) {
      SCOPED_TRACE(file + ", seed " + std::to_string(seed));
      RandomState state = random_state(model, static_cast<std::uint64_t>(seed));
      // Any wish: what the feet do not permit is missed, what is left must be exact. At rest, too.
      if (seed == 1) state.v.setZero();
      expect_reproduced(model, set, {}, state, seed == 1 ? Vector(Vector::Zero(model.nv())) : state.a, 1e-10);
      if (HasFailure()) return;
    }
  }
}

/// At rest on four feet nothing is missed: any tall stance is in equilibrium.
TEST(ConstrainedInverseDynamics, AQuadrupedStandsByTorquesOfLeastNorm) {
  const Model model = load(model_file("quadruped.urdf"), [] {
    LoadOptions o;
    o.root = "floating";
    return o;
  }());
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot});
  Vector q = neutral(model);
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    q(model.joint(std::string(leg) + "_hip_pitch").q.first) = 0.6;
    q(model.joint(std::string(leg) + "_knee").q.first) = -1.2;
  }
  ConstrainedInverseDynamics inverse(model, set);
  const Vector a = Vector::Zero(model.nv());
  const InverseSolution& s = inverse.solve({.q = q, .a = a});
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_TRUE(s.report.fully_actuated());
  EXPECT_EQ(s.report.choices, 6);  // twelve forces hold six coordinates
  double weight = 0;
  for (int k = 0; k < 4; ++k) weight += s.multipliers(3 * k + 2);
  EXPECT_NEAR(weight, model.mass() * 9.81, 1e-9 * weight);
  // No other distribution of the forces takes less torque.
  const Vector least = s.tau;
  for (int seed = 1; seed <= 20; ++seed) {
    const Vector wish = Random(static_cast<std::uint64_t>(seed)).vector(12, 50);
    const InverseSolution& other = inverse.solve({.q = q, .a = a, .torque_wish = {}, .force_wish = wish});
    EXPECT_TRUE(within(other.tau, least, 1e-10, least.norm()));  // forces are fixed where torques depend on them
    inverse.settings().force = 1e6;
    const InverseSolution& pushed = inverse.solve({.q = q, .a = a, .force_wish = wish});
    EXPECT_EQ(pushed.report.status, Status::ok) << pushed.report.explain();
    EXPECT_GT(pushed.tau.norm(), least.norm());
    inverse.settings().force = 0;
  }
}

TEST(ConstrainedInverseDynamics, SixMotorsMoveAStewartPlatformAndThreeADelta) {
  for (const bool stewart : {true, false}) {
    const Mechanism m = stewart ? stewart_platform() : delta_robot();
    const Model& model = m.robot.model;
    std::vector<std::string> motors;
    for (const Joint& j : model.joints())
      if (stewart ? j.type == "prismatic" : j.type == "revolute") motors.push_back(j.name);
    ASSERT_EQ(motors.size(), stewart ? 6U : 3U);
    const ConstraintSet set = m.set();
    for (int seed = 1; seed <= effort(10); ++seed) {
      SCOPED_TRACE(std::string(stewart ? "stewart" : "delta") + ", seed " + std::to_string(seed));
      const RandomState state = closed_state(m, static_cast<std::uint64_t>(seed));
      expect_reproduced(model, set, motors, state,
                        Random(static_cast<std::uint64_t>(seed)).vector(24 + 3 * !stewart, 1), 1e-10);
      if (!stewart) continue;
      // Six motors can give the platform any acceleration: a demand on its coordinates alone is met.
      ConstrainedInverseDynamics inverse(model, set, motors);
      Vector weight = Vector::Zero(model.nv()), wish = Vector::Zero(model.nv());
      const Range platform = model.joint("to platform").v;
      weight.segment(platform.first, 6).setOnes();
      wish.segment(platform.first, 6) = Random(static_cast<std::uint64_t>(seed)).vector(6, 2);
      const InverseSolution& s = inverse.solve({.q = state.q, .v = state.v, .a = wish, .weight = weight});
      EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
      EXPECT_TRUE(s.report.fully_actuated());
      EXPECT_EQ(s.report.choices, 0);
      EXPECT_TRUE(within(s.acceleration.segment(platform.first, 6), wish.segment(platform.first, 6), 1e-11, 2));
    }
  }
}

TEST(ConstrainedInverseDynamics, MovesCassieWithItsLoopsByTenMotors) {
  ZWANG_NEEDS_SHARED_ROBOT("cassie.sdf");
  Mechanism m = cassie(shared_robot("cassie.sdf"));
  for (AnyConstraint& any : m.constraints)
    if (name_of(any).find("shin-spring") != std::string::npos) soften(any, 1e-2);
  for (const char* foot : {"left-foot", "right-foot"})
    for (const double at : {-0.05, 0.05})
      m.constraints.push_back(
          ContactConstraint{.name = foot + std::to_string(at), .frame = foot, .point = {at, at, 0}, .rows = 3});
  std::vector<std::string> motors;
  for (const Gear& g : m.gears) motors.push_back(g.in);
  const ConstraintSet set = m.set();
  for (int seed = 1; seed <= effort(4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomState state = closed_state(m, static_cast<std::uint64_t>(seed));
    expect_reproduced(m.robot.model, set, motors, state, Vector::Zero(m.robot.model.nv()), 1e-10);
  }
}

/// A floating body without contacts cannot move its centre of mass: the report says which demands contradict which
/// equations of motion. The set is minimal: without the last demand the others are met.
TEST(ConstrainedInverseDynamics, NamesAMinimalSetOfDemandsThatCannotBeMet) {
  const Mechanism m = four_bar_in_space();
  const Model& model = m.robot.model;
  const RandomState state = closed_state(m, 3);
  ConstrainedInverseDynamics inverse(model, m.set(), {"to crank"});
  Vector wish = Vector::Ones(3);
  const InverseSolution& s = inverse.solve({.q = state.q, .v = state.v, .a = wish});
  EXPECT_EQ(s.report.status, Status::infeasible);
  EXPECT_TRUE(s.report.fully_actuated());
  EXPECT_EQ(s.report.rank, 2);
  EXPECT_EQ(s.report.redundant.size(), 3U);
  EXPECT_EQ(s.report.missed.size(), 3U);
  ASSERT_EQ(s.report.conflicts.size(), 2U);  // mobility 1, three demands
  std::vector<std::string> terms;
  for (Index k = 0; k < s.report.conflicts[0].size; ++k)
    terms.emplace_back(s.report.terms[static_cast<std::size_t>(s.report.conflicts[0].first + k)].name);
  EXPECT_EQ(std::count(terms.begin(), terms.end(), "to crank"), 1) << s.report.explain();
  EXPECT_EQ(std::count(terms.begin(), terms.end(), "to coupler"), 1);
  EXPECT_EQ(std::count(terms.begin(), terms.end(), "to rocker"), 0);
  const Vector weight = Eigen::Vector3d(1, 0, 0);
  EXPECT_EQ(inverse.solve({.q = state.q, .v = state.v, .a = wish, .weight = weight}).report.status, Status::ok);

  const Model quadruped = load(model_file("quadruped.urdf"), [] {
    LoadOptions o;
    o.root = "floating";
    return o;
  }());
  ConstrainedInverseDynamics flying(quadruped, ConstraintSet(quadruped));
  const Vector q = neutral(quadruped), still = Vector::Zero(quadruped.nv());
  const InverseSolution& f = flying.solve({.q = q, .a = still});
  EXPECT_EQ(f.report.status, Status::infeasible);
  EXPECT_EQ(f.report.conditions, 6);
  EXPECT_FALSE(f.report.conflicts.empty());
  EXPECT_NE(f.report.explain().find("no motor at root_joint[2]"), std::string::npos) << f.report.explain();
  EXPECT_NEAR(f.acceleration(2), -9.81, 1e-10);  // it falls, and nothing else moves
  EXPECT_LE(f.tau.norm(), 1e-8);
}

/// A joint without inertia and motor that nothing holds cannot have its equation of motion unless no force acts.
TEST(ConstrainedInverseDynamics, TellsCoordinatesWithoutInertia) {
  RobotDescription d{.name = "massless"};
  d.links = {
      {.name = "ground"}, {.name = "arm", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}, {.name = "tip"}};
  d.joints = {{.name = "shoulder", .type = "revolute", .parent = "ground", .child = "arm"},
              {.name = "wrist", .type = "revolute", .parent = "arm", .child = "tip"}};
  d.joints[1].damping = {0.5};
  const Model model = build(d);
  ConstrainedInverseDynamics inverse(model, ConstraintSet(model), {"shoulder"});
  const Vector q = Vector::Zero(2), v = Vector::Ones(2), a = Vector::Ones(2);
  const InverseSolution& s = inverse.solve({.q = q, .v = v, .a = a});
  EXPECT_EQ(s.report.status, Status::singular_mass) << s.report.explain();
  EXPECT_EQ(s.report.singular_joint, "wrist");
  EXPECT_EQ(inverse.solve({.q = q, .a = a}).report.status, Status::ok);  // at rest nothing pulls
}

TEST(ConstrainedInverseDynamics, RefusesWhatItCannotUse) {
  const Mechanism m = four_bar_in_space();
  const Model& model = m.robot.model;
  const Vector q = m.start, bad = Eigen::Vector3d(0, std::nan(""), 0), two = Vector::Zero(2), minus = -Vector::Ones(3),
               a = Vector::Ones(3);
  EXPECT_SAYS("to crank", ConstrainedInverseDynamics x(model, m.set(), {"to crnk"}));
  ConstraintSet set = m.set();
  ConstrainedInverseDynamics x(model, set, {"to crank"});
  EXPECT_SAYS("argument 'a' has nan in entry 1", x.solve({.q = q, .a = bad}));
  EXPECT_SAYS("argument 'a'", x.solve({.q = q, .a = two}));
  EXPECT_SAYS("weight", x.solve({.q = q, .a = a, .weight = minus}));
  EXPECT_SAYS("weight", x.solve({.q = q, .weight = a}));
  EXPECT_EQ(x.try_solve({.q = q, .a = bad}).report.status, Status::non_finite_input);
  EXPECT_EQ(x.try_solve({.q = two}).report.status, Status::invalid_input);
  EXPECT_EQ(x.solution().report.invalid, "q");
  EXPECT_EQ(x.solution().tau.norm(), 0);
  EXPECT_EQ(x.try_solve({.q = q, .a = a}).report.rows, 5);
  x.settings().friction = {{"closed", 0.5}};
  EXPECT_SAYS("contacts of three rows", x.solve({.q = q, .a = a}));
  x.settings().friction = {{"closd", 0.5}};
  EXPECT_SAYS("closed", x.solve({.q = q, .a = a}));
  x.settings().friction = {{"closed", 0.0}};
  EXPECT_SAYS("friction", x.solve({.q = q, .a = a}));
  x.settings().friction.clear();
  x.settings().torque = 0;
  EXPECT_SAYS("torque", x.solve({.q = q, .a = a}));
  x.settings().torque = 1;
  set["closed"].role = Role::driver;
  x.settings().penalty = 100;
  EXPECT_SAYS("penalty", x.solve({.q = q, .a = a}));
  x.settings().penalty = 0;
  set["closed"].compensate.gravity = false;
  EXPECT_SAYS("closed", x.solve({.q = q, .a = a}));
  const ConstrainedInverseDynamics moved(std::move(x));
  EXPECT_EQ(x.try_solve({.q = q}).report.status, Status::invalid_input);
}

}  // namespace
}  // namespace zwang::test
