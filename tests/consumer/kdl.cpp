// SPDX-License-Identifier: BSD-3-Clause
// A program written for KDL. Compiled with -march=native, too: it gives the library arrays that it allocated itself, and back.
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <cstdio>

int main() {
  KDL::Chain chain;
  for (int i = 0; i < 6; ++i)
    chain.addSegment(KDL::Segment(KDL::Joint(i % 2 == 0 ? KDL::Joint::RotZ : KDL::Joint::RotY),
                                  KDL::Frame(KDL::Vector(0.1, 0, 0.3))));
  KDL::JntArray q(6), found(6);
  for (unsigned int i = 0; i < 6; ++i) q(i) = 0.1 * (i + 1);
  KDL::ChainFkSolverPos_recursive forward(chain);
  KDL::ChainJntToJacSolver jacobian(chain);
  KDL::ChainIkSolverPos_LMA inverse(chain);
  KDL::Frame goal;
  KDL::Jacobian J(6);
  if (forward.JntToCart(q, goal) != 0 || jacobian.JntToJac(q, J) != 0) return 1;
  for (int i = 0; i < 100; ++i) {  // what one side allocates the other one frees
    KDL::JntArray copy(found);
    copy.resize(6 + i % 3);
    J.resize(6 + i % 3);
    found = KDL::JntArray(6);
  }
  if (inverse.CartToJnt(KDL::JntArray(6), goal, found) != 0) return 1;
  KDL::Frame reached;
  forward.JntToCart(found, reached);
  std::printf("kdl: %s\n", KDL::Equal(goal, reached, 1e-2) ? "reached" : "missed");
  return KDL::Equal(goal, reached, 1e-2) ? 0 : 1;
}
