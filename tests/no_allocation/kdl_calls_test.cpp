// SPDX-License-Identifier: BSD-3-Clause
// No solver of compat/kdl allocates after its construction.
#include <gtest/gtest.h>

#include <functional>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "../kdl/support.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

TEST(NoKdlAllocation, InAnySolverOfChains) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  KdlDraw draw(1);
  const Chain chain = draw.chain(8, false, true);
  const unsigned int n = chain.getNrOfJoints(), ns = chain.getNrOfSegments(), nc = 6;
  const Vector gravity(0, 0, -9.81);
  const JntArray q = draw.joints(n), v = draw.joints(n), a = draw.joints(n), tau = draw.joints(n);
  const JntArrayVel qv(q, v);
  const JntArrayAcc qa(q, v, a);
  JntArray out(n), other(n), lower(n), upper(n), beta(nc);
  lower.data.setConstant(-3);
  upper.data.setConstant(3);
  Jacobian jac(n), alfa(nc);
  SetToZero(alfa);
  for (unsigned int k = 0; k < nc; ++k) alfa(k, k) = 1;
  JntSpaceInertiaMatrix M(n);
  Frame frame, goal;
  FrameVel frame_vel;
  FrameAcc frame_acc;
  std::vector<Frame> frames(ns);
  std::vector<Twist> twists(ns + 1);
  Wrenches wrenches(ns, Wrench(Vector(1, 2, 3), Vector(4, 5, 6)));
  Wrench wrench;
  const Twist twist = draw.twist();

  ChainFkSolverPos_recursive fk(chain);
  ChainFkSolverVel_recursive fk_vel(chain);
  ChainFkSolverAcc_recursive fk_acc(chain);
  ChainJntToJacSolver jacobian(chain);
  ChainJntToJacDotSolver jacobian_dot(chain);
  ChainIdSolver_RNE id(chain, gravity);
  ChainFdSolver_RNE fd(chain, gravity);
  ChainDynParam parameters(chain, gravity);
  ChainHdSolver_Vereshchagin hd(chain, Twist(-gravity, Vector::Zero()), nc);
  ChainIkSolverVel_pinv pinv(chain);
  ChainIkSolverVel_pinv_givens givens(chain);
  ChainIkSolverVel_pinv_nso nso(chain, q, upper);
  ChainIkSolverVel_wdls wdls(chain);
  ChainIkSolverPos_NR nr(chain, fk, pinv);
  ChainIkSolverPos_NR_JL nr_jl(chain, lower, upper, fk, pinv);
  ChainIkSolverPos_LMA lma(chain);
  ChainExternalWrenchEstimator estimator(chain, gravity, 1000, 10, 0.1);
  fk.JntToCart(a, goal);

  const std::pair<const char*, std::function<int()>> calls[] = {
      {"forward kinematics", [&] { return fk.JntToCart(q, frame); }},
      {"all tips", [&] { return fk.JntToCart(q, frames); }},
      {"velocities", [&] { return fk_vel.JntToCart(qv, frame_vel); }},
      {"accelerations", [&] { return fk_acc.JntToCart(qa, frame_acc); }},
      {"Jacobian", [&] { return jacobian.JntToJac(q, jac); }},
      {"its derivative", [&] { return jacobian_dot.JntToJacDot(qv, jac); }},
      {"inverse dynamics", [&] { return id.CartToJnt(q, v, a, wrenches, out); }},
      {"forward dynamics", [&] { return fd.CartToJnt(q, v, tau, wrenches, out); }},
      {"mass matrix", [&] { return parameters.JntToMass(q, M); }},
      {"Coriolis torques", [&] { return parameters.JntToCoriolis(q, v, out); }},
      {"gravity torques", [&] { return parameters.JntToGravity(q, out); }},
      {"hybrid dynamics", [&] { return hd.CartToJnt(q, v, out, alfa, beta, wrenches, tau, other); }},
      {"its accelerations",
       [&] {
         hd.getTransformedLinkAcceleration(twists);
         hd.getTotalTorque(out);
         hd.getMotorTorque(out);
         return hd.getError();
       }},
      {"pinv", [&] { return pinv.CartToJnt(q, twist, out); }},
      {"pinv_givens", [&] { return givens.CartToJnt(q, twist, out); }},
      {"pinv_nso", [&] { return nso.CartToJnt(q, twist, out); }},
      {"wdls", [&] { return wdls.CartToJnt(q, twist, out); }},
      {"NR", [&] { return nr.CartToJnt(q, goal, out); }},
      {"NR_JL", [&] { return nr_jl.CartToJnt(q, goal, out); }},
      {"LMA", [&] { return lma.CartToJnt(q, goal, out); }},
      {"estimator", [&] { return estimator.JntToExtWrench(q, v, tau, wrench); }},
  };
  for (const auto& [name, call] : calls) {
    const long before = allocations();
    const int first = call();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(call(), first) << name;
    EXPECT_EQ(allocations(), before) << name;
    EXPECT_NE(first, int{SolverI::E_SIZE_MISMATCH}) << name;
    EXPECT_NE(first, int{SolverI::E_NOT_UP_TO_DATE}) << name;
  }
}

}  // namespace
}  // namespace zwang::test
