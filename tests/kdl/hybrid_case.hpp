// SPDX-License-Identifier: BSD-3-Clause
// A random chain with a problem for ChainHdSolver_Vereshchagin, and what its answer is judged by.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "support.hpp"

namespace zwang::test {

using namespace KDL;

inline const Vector k_gravity(0, 0, -9.81);
inline const Twist k_root(-k_gravity, Vector::Zero());
// Systems of up to seven joints have condition numbers of M up to 1e6 here: eps * 1e6 * accelerations of 1e2, and room.
inline constexpr double k_tolerance = 1e-7;

struct HybridCase {
  explicit HybridCase(unsigned seed, int segments = 7, bool fixed = false, unsigned int nc = 6)
      : HybridCase(seed, KdlDraw(seed).chain(segments, false, fixed), nc) {}
  HybridCase(unsigned seed, const Chain& of, unsigned int nc)
      : draw(seed + 1000),
        chain(of),
        n(chain.getNrOfJoints()),
        ns(chain.getNrOfSegments()),
        q(draw.joints(n)),
        v(draw.joints(n)),
        qdd(n),
        tau(draw.joints(n, 5)),
        constraint(n),
        alfa(nc),
        beta(nc),
        wrenches(ns) {
    SetToZero(alfa);
  }
  int solve(ChainHdSolver_Vereshchagin& solver) {
    return solver.CartToJnt(q, v, qdd, alfa, beta, wrenches, tau, constraint);
  }
  void unit(unsigned int column, int row) { alfa(row, column) = 1; }
  void push() {
    for (Wrench& wrench : wrenches) wrench = draw.wrench();
  }
  /// Plain forward dynamics with torques, wrenches in KDL's axes for it (the tip's), and one more wrench at the tip.
  JntArray forward(const JntArray& torque, const Wrench& at_tip = Wrench::Zero()) {
    Wrenches in_tip_axes(ns);
    ChainFkSolverPos_recursive fk(chain);
    Frame tip;
    for (unsigned int i = 0; i < ns; ++i) {
      fk.JntToCart(q, tip, static_cast<int>(i) + 1);
      in_tip_axes[i] = tip.M.Inverse(wrenches[i]);
    }
    in_tip_axes[ns - 1] += tip.M.Inverse(at_tip);
    JntArray out(n);
    EXPECT_EQ(ChainFdSolver_RNE(chain, k_gravity).CartToJnt(q, v, torque, in_tip_axes, out), 0);
    return out;
  }
  /// alfa^T (spatial acceleration of the tip + root_acc), by the Jacobian and its derivative.
  Eigen::VectorXd achieved() {
    Jacobian J(n);
    ChainJntToJacSolver(chain).JntToJac(q, J);
    JntArrayVel qv(q, v);
    Twist bias;
    ChainJntToJacDotSolver(chain).JntToJacDot(qv, bias);
    Eigen::Matrix<double, 6, 1> a = J.data * qdd.data;
    for (int i = 0; i < 6; ++i) a[i] += bias(i) + k_root(i);
    // The Jacobian's derivative gives the acceleration of the moving point; the spatial one lacks omega x v.
    const Eigen::Matrix<double, 6, 1> t = J.data * v.data;
    const Vector turning = Vector(t[3], t[4], t[5]) * Vector(t[0], t[1], t[2]);
    for (int i = 0; i < 3; ++i) a[i] -= turning(i);
    return alfa.data.transpose() * a;
  }

  KdlDraw draw;
  Chain chain;
  unsigned int n, ns;
  JntArray q, v, qdd, tau, constraint;
  Jacobian alfa;
  JntArray beta;
  Wrenches wrenches;
};

inline double distance(const JntArray& a, const JntArray& b) { return (a.data - b.data).norm() / (1 + a.data.norm()); }

}  // namespace zwang::test
