// SPDX-License-Identifier: BSD-3-Clause
// ChainHdSolver_Vereshchagin on given chains: KDL's own numbers, and the cases in which KDL has none: fixed joints
// anywhere, rows that nearly depend, bodies without inertia, changed chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <kdl/chaindynparam.hpp>
#include <limits>

#include "hybrid_case.hpp"

namespace zwang::test {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN(), k_inf = std::numeric_limits<double>::infinity();

Chain readme_arm() {
  Chain chain;
  const Joint::JointType types[] = {Joint::RotZ, Joint::RotY,   Joint::RotX, Joint::RotZ,
                                    Joint::RotY, Joint::TransZ, Joint::RotX};
  for (int i = 0; i < 7; ++i)
    chain.addSegment(Segment(Joint(types[i], 1, 0, 0.02 * (i + 1)),
                             Frame(Rotation::RPY(0.1 * i, 0.2, -0.05 * i), Vector(0.05, 0.02 * i, 0.3 - 0.03 * i)),
                             RigidBodyInertia(3 - 0.3 * i, Vector(0.01 * i, 0.02, -0.1),
                                              RotationalInertia(0.03, 0.025, 0.02, 0.001, 0.002, -0.001))));
  return chain;
}

/// The directions of one of the README's examples, -1: a column of zeros; and what KDL 1.5.1 (Debian 12, x86-64)
/// answers to the program below, printed with %.16g.
struct ReadmeExample {
  std::vector<int> rows;
  std::vector<double> beta;
  double qdd[7], constraint[7], total[7];
  std::vector<double> nu;
  double tip[6], third[6];  ///< accelerations of the last and of the third tip
};

const ReadmeExample k_one = {{0},
                             {0},
                             {5.412895977594884, 9.751077087593693, 3.134084252046706, -11.36126659594103,
                              -4.290519090713873, -3.476764349506383, -11.13965182596229},
                             {0.0718537732350454, -0.1906755043658627, 0.2141297277333517, -0.978793433335135,
                              -0.3233736044005445, -1.780689793802853, 0.4121858273686398},
                             {2.077285756204132, 25.98299000098756, 3.858885986805924, -14.39242508681258,
                              -9.686398938965706, -9.803112087223631, -2.329917152698295},
                             {2.54154530738969},
                             {-5.551115123125783e-16, -0.6030838403036096, 2.691276491781447, -6.76905261836591,
                              7.11558066187727, 4.907894586097098},
                             {3.451081726815098, 2.351894757113826, 6.764146965298091, -0.4481310985881418,
                              9.978932805277841, 3.724984014218318}};
const ReadmeExample k_five = {
    {0, 1, 3, 4, 5},
    {0, 0, 0, 0, 0},
    {10.54373706805462, 11.63661834981576, 13.00983699116447, -5.498999988640748, -16.19475119654782,
     -5.106084406089076, -6.653871142122201},
    {2.040896437028238, 4.609132122807998, 5.028308745315814, 3.106197259985735, -7.068682870537237, -2.431620191284763,
     0.8772834586604142},
    {4.046328419997325, 31.00725545624665, 16.01854756235372, -6.966119905783255, -36.56173472029792,
     -14.39715572521404, -1.391692374957643},
    {1.997070651253898, -1.508539915351067, -0.7187265698445816, 7.877469406100476, 2.08950185384816},
    {0, 0, 3.89901439431505, 0, 0, 0},
    {4.186114892465751, 1.996408156729227, 6.151730388397548, 7.170038917744737, 13.80284337535118, 3.698042997571001}};
const ReadmeExample k_six = {
    {0, 1, 2, 3, 4, 5},
    {0.5, 0.2, -0.1, -0.4, -0.7, -1},
    {20.3505544886418, 20.91060770603563, 24.05346867984965, -10.19884798180872, -30.38897759978026, -8.424609527334725,
     -10.47551016076656},
    {5.80442010823908, 28.89184416191125, 2.011130195068191, -2.106524488063461, 1.159577451449511, -0.5195786306366498,
     0.1899210341128673},
    {7.809852091208167, 55.71898427833824, 29.61617677065683, -12.91987599361616, -68.60702729789917,
     -23.75409524067394, -2.191008407457734},
    {6.262789663866794, -3.7069359620241, 69.05004638840762, 34.54467390322696, 54.45580987425178, 1.524412453869537},
    {0.5, 0.2, -0.1, -0.4, -0.7, -1},
    {7.4110201195387, 3.870338799876774, 3.254458926858567, 13.57157150015672, 24.92439316889582, 7.737133397638494}};

void expect_kdls_numbers(const ReadmeExample& example) {
  const Chain chain = readme_arm();
  const auto nc = static_cast<unsigned int>(example.rows.size());
  ChainHdSolver_Vereshchagin solver(chain, Twist(Vector(0, 0, 9.81), Vector::Zero()), nc);
  JntArray q(7), v(7), qdd(7), tau(7), constraint(7), total(7), beta(nc);
  Jacobian alfa(nc);
  SetToZero(alfa);
  for (int i = 0; i < 7; ++i) {
    q(i) = 0.3 - 0.2 * i + 0.05 * i * i;
    v(i) = 0.4 - 0.1 * i;
    tau(i) = 1.0 - 0.5 * i;
  }
  Wrenches wrenches(7);
  wrenches[6] = Wrench(Vector(1, -2, 3), Vector(0.1, 0.2, -0.3));
  wrenches[2] = Wrench(Vector(0, 4, 0), Vector(0, 0, 0.5));
  for (unsigned int k = 0; k < nc; ++k) {
    if (example.rows[k] >= 0) alfa(example.rows[k], k) = 1;
    beta(k) = example.beta[k];
  }
  ASSERT_EQ(solver.CartToJnt(q, v, qdd, alfa, beta, wrenches, tau, constraint), 0);
  solver.getTotalTorque(total);
  Eigen::VectorXd nu(nc);
  solver.getContraintForceMagnitude(nu);
  std::vector<Twist> x(8);
  solver.getTransformedLinkAcceleration(x);
  EXPECT_EQ(solver.getError(), 0);
  // Two algorithms on numbers up to 1e2 with condition numbers up to 1e3: eps * 1e5, and room.
  constexpr double rounding = 1e-10;
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(qdd(i), example.qdd[i], rounding);
    EXPECT_NEAR(constraint(i), example.constraint[i], rounding);
    EXPECT_NEAR(total(i), example.total[i], rounding);
  }
  for (unsigned int k = 0; k < nc; ++k) EXPECT_NEAR(nu[k], example.nu[k], rounding);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(x[7](i), example.tip[i], rounding);
    EXPECT_NEAR(x[3](i), example.third[i], rounding);
  }
}

TEST(KdlHybridReadme, OneDirectionGivesKdlsNumbers) { expect_kdls_numbers(k_one); }
TEST(KdlHybridReadme, FiveDirectionsGiveKdlsNumbers) { expect_kdls_numbers(k_five); }
TEST(KdlHybridReadme, FiveDirectionsWithAColumnOfZerosAreTheSameSpecification) {
  ReadmeExample example = k_five;
  example.rows = {0, 1, -1, 3, 4, 5};
  example.beta = {0, 0, 7, 0, 0, 0};  // what a column of zeros asks for is of no account
  example.nu.insert(example.nu.begin() + 2, 0);
  expect_kdls_numbers(example);
}
TEST(KdlHybridReadme, SixDirectionsGiveKdlsNumbers) { expect_kdls_numbers(k_six); }

/// The same mechanism without its fixed segments: each is welded to the body before it, and moves the joint behind it.
Chain welded(const Chain& chain) {
  Chain out;
  Frame root;  // fixed segments at the beginning
  for (const Segment& segment : chain.segments) {
    const Joint& joint = segment.getJoint();
    const Frame tip = segment.getFrameToTip();
    if (joint.getType() != Joint::Fixed) {
      const Joint::JointType type = joint.getType() <= Joint::RotZ ? Joint::RotAxis : Joint::TransAxis;
      const Joint moved(joint.getName(), root * joint.JointOrigin(), root.M * joint.JointAxis(), type, joint.getScale(),
                        joint.getOffset(), joint.getInertia());
      out.addSegment(Segment(segment.getName(), moved, root * tip, segment.getInertia()));
      root = Frame();
    } else if (out.segments.empty()) {
      root = root * tip;
    } else {
      const Segment before = out.segments.back();
      const RigidBodyInertia both = tip.Inverse() * before.getInertia() + segment.getInertia();
      out.segments.back() = Segment(before.getName(), before.getJoint(), before.getFrameToTip() * tip, both);
    }
  }
  return out;
}

TEST(KdlHybrid, FixedJointsMayBeFirstInTheMiddleAndLast) {
  // Fixed joints are at the places of the bits. KDL 1.5.1 on such chains: an assertion of Eigen where the first or the
  // last joint is fixed, not a number with code 0 where another one is.
  for (unsigned int places = 1; places < 128; ++places) {
    KdlDraw draw(places);
    Chain chain;
    for (int i = 0; i < 7; ++i) {
      const Segment segment = draw.segment("s" + std::to_string(i));
      chain.addSegment(places >> i & 1 ? Segment(segment.getName(), Joint("fixed", Joint::Fixed),
                                                 segment.getFrameToTip(), segment.getInertia())
                                       : segment);
    }
    if (chain.getNrOfJoints() < 2) continue;
    HybridCase kept(places, chain, 2);
    for (int row = 0; row < 6; ++row)
      for (int k = 0; k < 2; ++k) kept.alfa(row, k) = kept.draw.number();
    kept.beta(0) = 0.7;
    kept.beta(1) = -0.4;
    kept.wrenches.back() = kept.draw.wrench();
    HybridCase without(places, welded(chain), 2);
    without.alfa = kept.alfa;
    without.beta = kept.beta;
    without.wrenches.back() = kept.wrenches.back();
    ChainHdSolver_Vereshchagin a(kept.chain, k_root, 2), b(without.chain, k_root, 2);
    const int code = kept.solve(a);
    ASSERT_EQ(code, without.solve(b)) << places;
    ASSERT_GE(code, 0);
    EXPECT_LE(distance(without.qdd, kept.qdd), k_tolerance) << places;
    EXPECT_LE(distance(without.constraint, kept.constraint), k_tolerance);
    JntArray total(kept.n), total_without(kept.n);
    a.getTotalTorque(total);
    b.getTotalTorque(total_without);
    EXPECT_LE(distance(total_without, total), k_tolerance);
    std::vector<Twist> x(kept.ns + 1), x_without(without.ns + 1);
    a.getTransformedLinkAcceleration(x);
    b.getTransformedLinkAcceleration(x_without);
    EXPECT_TRUE(Equal(x.back(), x_without.back(), k_tolerance * (1 + kept.qdd.data.norm())));
    if (code != 0) continue;
    EXPECT_LE((kept.achieved() - kept.beta.data).norm(), k_tolerance * (1 + kept.qdd.data.norm()));
  }
}

TEST(KdlHybrid, NothingThatMovesIsACode) {
  Chain chain;
  chain.addSegment(Segment("post", Joint("fixed", Joint::Fixed), Frame(Vector(0, 0, 1))));
  for (const Chain& rigid : {Chain(), chain}) {
    ChainHdSolver_Vereshchagin solver(rigid, k_root, 1);
    JntArray none, beta(1);
    EXPECT_EQ(solver.CartToJnt(none, none, none, Jacobian(1), beta, Wrenches(rigid.getNrOfSegments()), none, none),
              int{SolverI::E_UNDEFINED});
    EXPECT_EQ(solver.getRank(), 0u);
  }
}

TEST(KdlHybrid, RowsThatNearlyDependAreThoseThatSpanTheSame) {
  // x and a direction at a small angle to it, both asked for 1: that is x = 1 and y = tan(angle / 2), two rows at a
  // right angle. KDL 1.5.1 misses beta by 2e-5 at 1e-6 in a like problem, and drops a row without a word from 1e-7 on.
  for (const double angle : {1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9}) {
    HybridCase near(9, 7, false, 2), right(9, 7, false, 2);
    near.alfa(0, 0) = right.alfa(0, 0) = right.alfa(1, 1) = 1;
    near.alfa(0, 1) = std::cos(angle);
    near.alfa(1, 1) = std::sin(angle);
    near.beta(0) = near.beta(1) = right.beta(0) = 1;
    right.beta(1) = std::tan(angle / 2);
    ChainHdSolver_Vereshchagin a(near.chain, k_root, 2), b(right.chain, k_root, 2);
    ASSERT_EQ(near.solve(a), 0) << angle;
    ASSERT_EQ(right.solve(b), 0);
    EXPECT_EQ(a.getRank(), 2u);
    // The problem itself: an error of eps in a row turns the plane of both by eps / angle.
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon() / angle;
    EXPECT_LE(distance(right.qdd, near.qdd), k_tolerance + rounding) << angle;
  }
}

/// qdd of [M alfa^T J; 0] by elimination with pivots: what Gauss' principle says, of a regular or a singular M.
Eigen::VectorXd by_elimination(HybridCase& c) {
  JntSpaceInertiaMatrix M(c.n);
  JntArray coriolis(c.n), gravity(c.n);
  Jacobian J(c.n);
  ChainDynParam terms(c.chain, k_gravity);
  EXPECT_EQ(terms.JntToMass(c.q, M), 0);
  EXPECT_EQ(terms.JntToCoriolis(c.q, c.v, coriolis), 0);
  EXPECT_EQ(terms.JntToGravity(c.q, gravity), 0);
  EXPECT_EQ(ChainJntToJacSolver(c.chain).JntToJac(c.q, J), 0);
  const auto nc = static_cast<Eigen::Index>(c.beta.rows());
  const Eigen::Index n = c.n;
  const Eigen::MatrixXd rows = c.alfa.data.transpose() * J.data;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + nc, n + nc);
  K << M.data, rows.transpose(), rows, Eigen::MatrixXd::Zero(nc, nc);
  SetToZero(c.qdd);
  Eigen::VectorXd right(n + nc);
  right << c.tau.data - coriolis.data - gravity.data, c.beta.data - c.achieved();
  return K.fullPivLu().solve(right).head(n);
}

TEST(KdlHybrid, AMasslessTipIsRightOrNamed) {
  int right = 0;
  for (unsigned int seed = 1; seed <= 20; ++seed)
    for (unsigned int nc : {1u, 3u}) {
      KdlDraw draw(seed);
      Chain chain = draw.chain(6);
      chain.addSegment(
          Segment("loose", Joint(seed % 2 == 0 ? Joint::RotX : Joint::TransY), Frame(Vector(0.1, 0.3, 0.2))));
      HybridCase c(seed, chain, nc);
      for (unsigned int k = 0; k < nc; ++k) c.unit(k, static_cast<int>(k));
      // Torque at a joint without inertia would be undone by the constraint alone,
      // over a tiny arm: large accelerations.
      c.tau(6) = 0;
      ChainHdSolver_Vereshchagin solver(c.chain, k_root, nc);
      const Eigen::VectorXd expected = by_elimination(c);
      const int code = c.solve(solver);
      ASSERT_TRUE(c.qdd.data.allFinite());
      if (code == SolverI::E_UNDEFINED) continue;
      ASSERT_EQ(code, 0) << seed;
      ++right;
      EXPECT_LE((c.achieved() - c.beta.data).norm(), k_tolerance * (1 + c.qdd.data.norm()));
      // M alone is singular: the force of the constraint passes through a joint that nothing but it resists.
      EXPECT_LE((c.qdd.data - expected).norm(), 1e-5 * (1 + expected.norm())) << seed << ' ' << nc;
    }
  EXPECT_GT(right, 20) << "the constraint holds the body that has no inertia";
}

TEST(KdlHybrid, PoliciesAgreeWhereTheyMayAndBoundTheForcesElsewhere) {
  HybridCase c(14, 7, false, 3);
  for (int k = 0; k < 3; ++k) c.unit(k, k);
  c.beta(0) = 1;
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 3);
  ASSERT_EQ(c.solve(solver), 0);
  const JntArray truncated = c.qdd;
  solver.setSingularityPolicy(ChainHdSolver_Vereshchagin::PROXIMAL);
  ASSERT_EQ(c.solve(solver), 0);
  EXPECT_LE(distance(truncated, c.qdd), k_tolerance) << "a regular problem has one solution";
  // Damping d of the coupling matrix misses beta by about d times nu: the damping is 1e-6 of its mean diagonal.
  solver.setSingularityPolicy(ChainHdSolver_Vereshchagin::DAMPING);
  ASSERT_GE(c.solve(solver), 0);
  EXPECT_LE(distance(truncated, c.qdd), 1e-3);
  EXPECT_GT(distance(truncated, c.qdd), 1e-9) << "it is damped";
  solver.setSingularityPolicy(ChainHdSolver_Vereshchagin::DAMPING, 1e-2);
  const double little = distance(truncated, c.qdd);
  ASSERT_GE(c.solve(solver), 0);
  EXPECT_GT(distance(truncated, c.qdd), 10 * little) << "more damping, more of a miss";

  // Nearly the same direction twice, asked for different numbers: truncation holds
  // both with huge forces, damping does not.
  HybridCase d(9, 7, false, 2);
  d.alfa(0, 0) = 1;
  d.alfa(0, 1) = std::cos(1e-5);
  d.alfa(1, 1) = std::sin(1e-5);
  d.beta(0) = 1;
  d.beta(1) = 2;
  ChainHdSolver_Vereshchagin both(d.chain, k_root, 2);
  Eigen::VectorXd nu(2), damped(2);
  ASSERT_EQ(d.solve(both), 0);
  both.getContraintForceMagnitude(nu);
  both.setSingularityPolicy(ChainHdSolver_Vereshchagin::DAMPING);
  ASSERT_GE(d.solve(both), 0);
  both.getContraintForceMagnitude(damped);
  EXPECT_LT(damped.norm(), 1e-3 * nu.norm());

  both.setSingularityPolicy(ChainHdSolver_Vereshchagin::TRUNCATION);
  both.setSingularityTolerance(1e-3);
  EXPECT_EQ(d.solve(both), int{SolverI::E_DEGRADED}) << "an angle of 1e-5 no longer counts, and the two contradict";
  EXPECT_EQ(both.getRank(), 1u);
  EXPECT_NEAR(d.achieved()[0], 1.5, 1e-4) << "as well as both can be met: in the middle";
}

TEST(KdlHybrid, MoreThanSixDirectionsShareTheForce) {
  HybridCase six(15, readme_arm(), 6), twelve(15, readme_arm(), 12);
  for (unsigned int k = 0; k < 6; ++k) {
    six.unit(k, static_cast<int>(k));
    twelve.unit(k, static_cast<int>(k));
    twelve.unit(k + 6, static_cast<int>(k));
    six.beta(k) = twelve.beta(k) = twelve.beta(k + 6) = 0.1 * k;
  }
  ChainHdSolver_Vereshchagin a(six.chain, k_root, 6), b(twelve.chain, k_root, 12);
  ASSERT_EQ(six.solve(a), 0);
  ASSERT_EQ(twelve.solve(b), 0);
  EXPECT_EQ(b.getRank(), 6u);
  EXPECT_LE(distance(six.qdd, twelve.qdd), k_tolerance);
  Eigen::VectorXd nu(6), shared(12);
  a.getContraintForceMagnitude(nu);
  b.getContraintForceMagnitude(shared);
  const double size = k_tolerance * (1 + nu.norm());
  EXPECT_LE((2 * shared.head(6) - nu).norm(), size) << "the shortest nu takes half of each";
  EXPECT_LE((shared.head(6) - shared.tail(6)).norm(), size);
}

TEST(KdlHybrid, NumbersThatAreNotFiniteLeaveResultsAsTheyWere) {
  HybridCase c(16, 5, true, 2);
  c.unit(0, 0);
  c.unit(1, 4);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  for (const double bad : {k_nan, k_inf, -k_inf}) {
    double* places[] = {&c.q(0), &c.v(0), &c.tau(0), &c.beta(0), &c.alfa(2, 1), &c.wrenches[1].torque(2)};
    for (double* place : places) {
      const double good = *place;
      *place = bad;
      c.qdd.data.setConstant(3);
      c.constraint.data.setConstant(4);
      EXPECT_EQ(c.solve(solver), int{SolverI::E_UNDEFINED}) << bad << ' ' << place - places[0];
      EXPECT_EQ(solver.getError(), int{SolverI::E_UNDEFINED});
      EXPECT_EQ(c.qdd.data.maxCoeff(), 3);
      EXPECT_EQ(c.constraint.data.minCoeff(), 4);
      *place = good;
    }
  }
  EXPECT_EQ(c.solve(solver), 0) << "and the solver recovers";
  EXPECT_EQ(solver.getError(), 0);
}

TEST(KdlHybrid, ChangesOfTheChainAreFollowed) {
  HybridCase c(17, 5, false, 2);
  c.unit(0, 0);
  c.unit(1, 2);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 2);
  ASSERT_EQ(c.solve(solver), 0);
  const auto expect_as_if_new = [&c](ChainHdSolver_Vereshchagin& old) {
    ASSERT_EQ(c.solve(old), 0);
    const JntArray followed = c.qdd;
    ChainHdSolver_Vereshchagin fresh(c.chain, k_root, 2);
    ASSERT_EQ(c.solve(fresh), 0);
    EXPECT_LE(distance(c.qdd, followed), 1e-13);
  };
  const JntArray before = c.qdd;
  c.chain.getSegment(2).setInertia(RigidBodyInertia(9, Vector(0.1, 0.2, 0.3), RotationalInertia(1, 1, 1)));
  expect_as_if_new(solver);
  EXPECT_GT(distance(before, c.qdd), 1e-3);
  c.chain.getSegment(3).setFrameToTip(Frame(Rotation::RotX(0.3), Vector(0.4, 0.1, 0)));
  expect_as_if_new(solver);
  c.chain.getSegment(1) = Segment("other", Joint(Joint::TransX, 2), Frame(Vector(0, 0.2, 0)), RigidBodyInertia(1));
  expect_as_if_new(solver);
  c.chain.addSegment(c.draw.segment("more"));
  EXPECT_EQ(c.solve(solver), int{SolverI::E_NOT_UP_TO_DATE});
  solver.updateInternalDataStructures();
  HybridCase longer(17, c.chain, 2);
  longer.alfa = c.alfa;
  EXPECT_EQ(longer.solve(solver), 0);
  ChainHdSolver_Vereshchagin copied(solver);
  const JntArray first = longer.qdd;
  EXPECT_EQ(copied.getRank(), 0u) << "a copy has solved nothing yet";
  longer.solve(copied);
  EXPECT_EQ(distance(first, longer.qdd), 0);
}

TEST(KdlHybrid, AJointThatItsNumberDoesNotMoveIsACode) {
  KdlDraw draw(18);
  Chain chain = draw.chain(3);
  chain.addSegment(Segment("idle", Joint(Joint::RotX, 0), Frame(Vector(0, 0, 1)), draw.inertia()));
  HybridCase c(18, chain, 1);
  c.unit(0, 0);
  ChainHdSolver_Vereshchagin solver(c.chain, k_root, 1);
  EXPECT_EQ(c.solve(solver), int{SolverI::E_NOT_IMPLEMENTED});
  EXPECT_STRNE(solver.strError(solver.getError()), solver.strError(0));
}

}  // namespace
}  // namespace zwang::test
