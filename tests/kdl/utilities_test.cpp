// SPDX-License-Identifier: BSD-3-Clause
// Matrix utilities against Eigen, and the estimator of wrenches against a simulated arm.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/utilities/ldl_solver_eigen.hpp>
#include <kdl/utilities/scoped_ptr.hpp>
#include <kdl/utilities/svd_HH.hpp>
#include <kdl/utilities/svd_eigen_HH.hpp>
#include <kdl/utilities/svd_eigen_Macie.hpp>
#include <limits>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

constexpr double k_eps = std::numeric_limits<double>::epsilon();

Eigen::MatrixXd random_matrix(KdlDraw& draw, int rows, int columns) {
  Eigen::MatrixXd out(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out(i, j) = draw.number();
  return out;
}

TEST(KdlUtilities, SingularValuesAreThoseOfEigen) {
  KdlDraw draw(1);
  for (const auto& [m, n] : {std::pair(6, 6), std::pair(6, 4), std::pair(6, 9), std::pair(1, 1), std::pair(3, 3)})
    for (int trial = 0; trial < 10; ++trial) {
      Eigen::MatrixXd A = random_matrix(draw, m, n), U, V, B;
      if (trial % 3 == 0 && n > 1) A.col(n - 1) = 2 * A.col(0);  // singular
      Eigen::VectorXd S, tmp;
      ASSERT_EQ(svd_eigen_HH(A, U, S, V, tmp), 0);
      const Eigen::VectorXd expected = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
      const double rounding = 50 * k_eps * (1 + expected[0]);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(S[i], i < expected.size() ? expected[i] : 0, rounding);
      EXPECT_LE((U * S.asDiagonal() * V.transpose() - A).norm(), rounding);
      EXPECT_LE((V.transpose() * V - Eigen::MatrixXd::Identity(n, n)).norm(), 50 * k_eps);
      ASSERT_EQ(svd_eigen_Macie(A, U, S, V, B, tmp, 1e-9, false), 0);
      EXPECT_LE((U * S.asDiagonal() * V.transpose() - A).norm(), 1e-8);
      if (m != 6) continue;
      Jacobian J(static_cast<unsigned int>(n));
      J.data = A;
      std::vector<JntArray> u(6, JntArray(n)), v(n, JntArray(n));
      JntArray w(n);
      ASSERT_EQ(SVD_HH(J).calculate(J, u, w, v, 100), 0);
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < n; ++j) {
          double entry = 0;
          for (int k = 0; k < n; ++k) entry += u[i](k) * w(k) * v[j](k);
          EXPECT_NEAR(entry, A(i, j), rounding);
        }
      EXPECT_EQ(SVD_HH(J).calculate(J, u, w, u, 100), n == 6 ? 0 : -4);
    }
}

TEST(KdlUtilities, DefiniteMatricesAreSolvedWith) {
  KdlDraw draw(2);
  const Eigen::MatrixXd B = random_matrix(draw, 5, 5), A = B * B.transpose() + Eigen::MatrixXd::Identity(5, 5);
  const Eigen::VectorXd v = random_matrix(draw, 5, 1);
  Eigen::MatrixXd L;
  Eigen::VectorXd D, tmp, q;
  ASSERT_EQ(ldl_solver_eigen(A, v, L, D, tmp, q), 0);
  EXPECT_LE((A * q - v).norm(), 100 * k_eps);
  EXPECT_LE((L * D.asDiagonal() * L.transpose() - A).norm(), 100 * k_eps * A.norm());
  EXPECT_LT(ldl_solver_eigen(-A, v, L, D, tmp, q), 0);
  EXPECT_LT(ldl_solver_eigen(A, Eigen::VectorXd(3), L, D, tmp, q), 0);
}

struct Counted {
  explicit Counted(int& c) : count(c) { ++count; }
  ~Counted() { --count; }
  int& count;
};

TEST(KdlUtilities, ScopedPointersDelete) {
  int count = 0;
  {
    scoped_ptr<Counted> a(new Counted(count)), b;
    swap(a, b);
    EXPECT_EQ(a.get(), nullptr);
    delete b.release();
    b.reset(new Counted(count));
    EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(count, 0);
}

TEST(KdlEstimator, AConstantWrenchIsFound) {
  // Simulated by the classical Runge-Kutta method; after 20 time constants the estimate stands.
  KdlDraw draw(3);
  Chain chain;
  for (int i = 0; i < 7; ++i)
    chain.addSegment(
        Segment(Joint(i % 2 == 0 ? Joint::RotZ : Joint::RotY, 1, 0, 0.1), Frame(Vector(0.05, 0, 0.3)), draw.inertia()));
  const Vector gravity(0, 0, -9.81);
  const double dt = 1e-3, gain = 100;
  const unsigned int n = chain.getNrOfJoints();
  const Wrench wrench(Vector(3, -2, 5), Vector(0.3, 0.4, -0.2));
  JntArray q = draw.joints(n), v = draw.joints(n, 0.3), tau(n);
  ChainFdSolver_RNE dynamics(chain, gravity);
  ChainExternalWrenchEstimator estimator(chain, gravity, 1 / dt, gain, 0);
  ASSERT_EQ(estimator.setInitialMomentum(q, v), 0);
  Wrenches external(n, Wrench::Zero());
  external[n - 1] = wrench;
  Wrench found;
  for (int step = 0; step < 300; ++step) {
    for (unsigned int i = 0; i < n; ++i) tau(i) = -2 * v(i);
    // The torques are held over a step, as a controller does.
    const auto rate = [&](const JntArray& at, const JntArray& speed) {
      JntArray a(n);
      EXPECT_EQ(dynamics.CartToJnt(at, speed, tau, external, a), 0);
      return a;
    };
    JntArray k[4], q1(n), v1(n);
    k[0] = rate(q, v);
    for (int stage = 1; stage < 4; ++stage) {
      const double h = stage == 3 ? dt : dt / 2;
      v1.data = v.data + h * k[stage - 1].data;
      q1.data = q.data + h * v.data + (stage > 1 ? 0.5 * h * h : 0) * k[0].data;
      k[stage] = rate(q1, v1);
    }
    q.data += dt * v.data + dt * dt / 6 * (k[0].data + k[1].data + k[2].data);
    v.data += dt / 6 * (k[0].data + 2 * k[1].data + 2 * k[2].data + k[3].data);
    ASSERT_EQ(estimator.JntToExtWrench(q, v, tau, found), 0);
  }
  // The integral is a sum of rectangles: first order in dt.
  EXPECT_TRUE(Equal(found, wrench, 0.15)) << found.force.x() << ' ' << found.force.y() << ' ' << found.force.z();
  JntArray torques(n);
  estimator.getEstimatedJntTorque(torques);
  EXPECT_GT(torques.data.norm(), 0.1);
}

TEST(KdlEstimator, SizesChangesAndShortChains) {
  KdlDraw draw(4);
  Chain chain = draw.chain(3, true);
  ChainExternalWrenchEstimator estimator(chain, Vector(0, 0, -9.81), 100, 10, 0.5);
  Wrench wrench;
  JntArray q(3), longer(4);
  EXPECT_EQ(estimator.setInitialMomentum(longer, q), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(estimator.JntToExtWrench(q, q, longer, wrench), int{SolverI::E_SIZE_MISMATCH});
  EXPECT_EQ(estimator.JntToExtWrench(q, q, q, wrench), int{SolverI::E_DEGRADED})
      << "three joints do not feel six numbers";
  chain.addSegment(draw.segment("more"));
  EXPECT_EQ(estimator.JntToExtWrench(q, q, q, wrench), int{SolverI::E_NOT_UP_TO_DATE});
  estimator.updateInternalDataStructures();
  EXPECT_EQ(estimator.JntToExtWrench(longer, longer, longer, wrench), int{SolverI::E_DEGRADED});
  estimator.getEstimatedJntTorque(q);
  EXPECT_EQ(estimator.getError(), int{SolverI::E_SIZE_MISMATCH});
}

}  // namespace
