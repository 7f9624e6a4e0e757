// SPDX-License-Identifier: BSD-3-Clause
// A program written for KDL. Compiled with -march=native, too: it gives the library arrays that it allocated itself,
// and back. It includes all of KDL.
#include <kdl/articulatedbodyinertia.hpp>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainfdsolver.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolver.hpp>
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_vereshchagin.hpp>
#include <kdl/chainiksolver.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/frameacc.hpp>
#include <kdl/frameacc_io.hpp>
#include <kdl/frames.hpp>
#include <kdl/frames_io.hpp>
#include <kdl/framevel.hpp>
#include <kdl/framevel_io.hpp>
#include <kdl/jacobian.hpp>
#include <kdl/jntarray.hpp>
#include <kdl/jntarrayacc.hpp>
#include <kdl/jntarrayvel.hpp>
#include <kdl/jntspaceinertiamatrix.hpp>
#include <kdl/joint.hpp>
#include <kdl/kdl.hpp>
#include <kdl/kinfam_io.hpp>
#include <kdl/motion.hpp>
#include <kdl/path.hpp>
#include <kdl/path_circle.hpp>
#include <kdl/path_composite.hpp>
#include <kdl/path_cyclic_closed.hpp>
#include <kdl/path_line.hpp>
#include <kdl/path_point.hpp>
#include <kdl/path_roundedcomposite.hpp>
#include <kdl/rigidbodyinertia.hpp>
#include <kdl/rotational_interpolation.hpp>
#include <kdl/rotational_interpolation_sa.hpp>
#include <kdl/rotationalinertia.hpp>
#include <kdl/segment.hpp>
#include <kdl/solveri.hpp>
#include <kdl/stiffness.hpp>
#include <kdl/trajectory.hpp>
#include <kdl/trajectory_composite.hpp>
#include <kdl/trajectory_segment.hpp>
#include <kdl/trajectory_stationary.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treeiksolver.hpp>
#include <kdl/treeiksolverpos_nr_jl.hpp>
#include <kdl/treeiksolverpos_online.hpp>
#include <kdl/treeiksolvervel_wdls.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <kdl/utilities/ldl_solver_eigen.hpp>
#include <kdl/utilities/scoped_ptr.hpp>
#include <kdl/utilities/svd_HH.hpp>
#include <kdl/utilities/svd_eigen_Macie.hpp>
#include <kdl/velocityprofile.hpp>
#include <kdl/velocityprofile_dirac.hpp>
#include <kdl/velocityprofile_rect.hpp>
#include <kdl/velocityprofile_spline.hpp>
#include <kdl/velocityprofile_trap.hpp>
#include <kdl/velocityprofile_traphalf.hpp>

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
  KDL::TwistVel turning(KDL::Twist(KDL::Vector(1, 0, 0), KDL::Vector(0, 0, 1)));
  KDL::TwistAcc swinging(turning.value());
  if (!KDL::Equal(turning, turning.value(), 1e-9) || !KDL::Equal(swinging.value(), swinging)) return 1;
  KDL::SetToZero(turning);  // with the namespace in front, which finds no function that a class keeps to itself
  KDL::SetToZero(swinging);
  if (!KDL::Equal(turning, KDL::TwistVel()) || !KDL::Equal(swinging, KDL::TwistAcc(), 1e-9)) return 1;
  const KDL::FrameVel still(goal);
  const KDL::FrameAcc held(goal);
  if (!KDL::Equal(still, still) || !KDL::Equal(goal, still, 1e-9) || !KDL::Equal(held, goal, 1e-9)) return 1;
  if (!KDL::Equal(goal.p, still.p) || !KDL::Equal(held.p, goal.p) || !KDL::Equal(still.M, goal.M)) return 1;
  KDL::Frame reached;
  forward.JntToCart(found, reached);
  std::printf("kdl: %s\n", KDL::Equal(goal, reached, 1e-2) ? "reached" : "missed");
  return KDL::Equal(goal, reached, 1e-2) ? 0 : 1;
}
