// SPDX-License-Identifier: BSD-3-Clause
// Kinematics and dynamics of chains and trees. A solver keeps its chain alive.
#include <nanobind/eigen/dense.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainexternalwrenchestimator.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include <nanobind/stl/map.h>

#include "bind.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

void bind_kinematics(nb::module_& m) {
  nb::class_<ChainFkSolverPos, SolverI>(m, "ChainFkSolverPos")
      .def(
          "JntToCart",
          [](ChainFkSolverPos& s, const JntArray& q, Frame& out, int nr) { return s.JntToCart(q, out, nr); }, "q_in"_a,
          "p_out"_a, "segmentNr"_a = -1)
      .def(
          "JntToCart",
          [](ChainFkSolverPos& s, const JntArray& q, nb::typed<nb::list, Frame> out, int nr) {
            return write_list<Frame>(out, [&](std::vector<Frame>& frames) { return s.JntToCart(q, frames, nr); });
          },
          "q_in"_a, "p_out"_a, "segmentNr"_a = -1,
          "Writes into the frames of the list; where it holds None, new ones.");
  nb::class_<ChainFkSolverPos_recursive, ChainFkSolverPos>(m, "ChainFkSolverPos_recursive")
      .def(nb::init<const Chain&>(), "chain"_a, nb::keep_alive<1, 2>());
  nb::class_<ChainFkSolverVel, SolverI>(m, "ChainFkSolverVel")
      .def(
          "JntToCart",
          [](ChainFkSolverVel& s, const JntArrayVel& q, FrameVel& out, int nr) { return s.JntToCart(q, out, nr); },
          "q_in"_a, "p_out"_a, "segmentNr"_a = -1)
      .def(
          "JntToCart",
          [](ChainFkSolverVel& s, const JntArrayVel& q, nb::typed<nb::list, FrameVel> out, int nr) {
            return write_list<FrameVel>(out, [&](std::vector<FrameVel>& frames) { return s.JntToCart(q, frames, nr); });
          },
          "q_in"_a, "p_out"_a, "segmentNr"_a = -1,
          "Writes into the frames of the list; where it holds None, new ones.");
  nb::class_<ChainFkSolverVel_recursive, ChainFkSolverVel>(m, "ChainFkSolverVel_recursive")
      .def(nb::init<const Chain&>(), "chain"_a, nb::keep_alive<1, 2>());
  nb::class_<ChainJntToJacSolver, SolverI>(m, "ChainJntToJacSolver")
      .def(nb::init<const Chain&>(), "chain"_a, nb::keep_alive<1, 2>())
      .def("JntToJac", &ChainJntToJacSolver::JntToJac, "q_in"_a, "jac"_a, "seg_nr"_a = -1)
      .def(
          "setLockedJoints", [](ChainJntToJacSolver& s, const std::vector<bool>& l) { return s.setLockedJoints(l); },
          "locked_joints"_a);
  nb::class_<ChainJntToJacDotSolver, SolverI> dot(m, "ChainJntToJacDotSolver");
  dot.def(nb::init<const Chain&>(), "chain"_a, nb::keep_alive<1, 2>())
      .def(
          "JntToJacDot",
          [](ChainJntToJacDotSolver& s, const JntArrayVel& q, Jacobian& out, int nr) {
            return s.JntToJacDot(q, out, nr);
          },
          "q_in"_a, "jdot"_a, "seg_nr"_a = -1)
      .def(
          "JntToJacDot",
          [](ChainJntToJacDotSolver& s, const JntArrayVel& q, Twist& out, int nr) { return s.JntToJacDot(q, out, nr); },
          "q_in"_a, "jac_dot_q_dot"_a, "seg_nr"_a = -1)
      .def("setLockedJoints", &ChainJntToJacDotSolver::setLockedJoints, "locked_joints"_a)
      .def("setHybridRepresentation",
           [](ChainJntToJacDotSolver& s) { s.setRepresentation(ChainJntToJacDotSolver::HYBRID); })
      .def("setBodyFixedRepresentation",
           [](ChainJntToJacDotSolver& s) { s.setRepresentation(ChainJntToJacDotSolver::BODYFIXED); })
      .def("setInertialRepresentation",
           [](ChainJntToJacDotSolver& s) { s.setRepresentation(ChainJntToJacDotSolver::INERTIAL); })
      .def("setRepresentation", &ChainJntToJacDotSolver::setRepresentation, "representation"_a);
  dot.attr("E_JAC_DOT_FAILED") = int{ChainJntToJacDotSolver::E_JAC_DOT_FAILED};
  dot.attr("E_JACSOLVER_FAILED") = int{ChainJntToJacDotSolver::E_JACSOLVER_FAILED};
  dot.attr("E_FKSOLVERPOS_FAILED") = int{ChainJntToJacDotSolver::E_FKSOLVERPOS_FAILED};
  dot.attr("HYBRID") = int{ChainJntToJacDotSolver::HYBRID};
  dot.attr("BODYFIXED") = int{ChainJntToJacDotSolver::BODYFIXED};
  dot.attr("INERTIAL") = int{ChainJntToJacDotSolver::INERTIAL};
}

void bind_dynamics(nb::module_& m) {
  nb::class_<ChainIdSolver, SolverI>(m, "ChainIdSolver")
      .def(
          "CartToJnt",
          [](ChainIdSolver& s, const JntArray& q, const JntArray& qd, const JntArray& qdd, const Wrenches& f,
             JntArray& tau) { return s.CartToJnt(q, qd, qdd, f, tau); },
          "q"_a, "q_dot"_a, "q_dotdot"_a, "f_ext"_a, "torques"_a);
  nb::class_<ChainIdSolver_RNE, ChainIdSolver>(m, "ChainIdSolver_RNE")
      .def(nb::init<const Chain&, Vector>(), "chain"_a, "grav"_a, nb::keep_alive<1, 2>());
  nb::class_<ChainFdSolver_RNE, SolverI>(m, "ChainFdSolver_RNE")
      .def(nb::init<const Chain&, Vector>(), "chain"_a, "grav"_a, nb::keep_alive<1, 2>())
      .def(
          "CartToJnt",
          [](ChainFdSolver_RNE& s, const JntArray& q, const JntArray& qd, const JntArray& tau, const Wrenches& f,
             JntArray& qdd) { return s.CartToJnt(q, qd, tau, f, qdd); },
          "q"_a, "q_dot"_a, "torques"_a, "f_ext"_a, "q_dotdot"_a);
  nb::class_<ChainDynParam, SolverI>(m, "ChainDynParam")
      .def(nb::init<const Chain&, Vector>(), "chain"_a, "grav"_a, nb::keep_alive<1, 2>())
      .def("JntToCoriolis", &ChainDynParam::JntToCoriolis, "q"_a, "q_dot"_a, "coriolis"_a)
      .def("JntToMass", &ChainDynParam::JntToMass, "q"_a, "H"_a)
      .def("JntToGravity", &ChainDynParam::JntToGravity, "q"_a, "gravity"_a)
      .def("JntToCoriolisMatrix", &ChainDynParam::JntToCoriolisMatrix, "q"_a, "q_dot"_a, "C"_a);
  using Hd = ChainHdSolver_Vereshchagin;
  nb::class_<Hd, SolverI> hd(m, "ChainHdSolver_Vereshchagin");
  nb::enum_<Hd::SingularityPolicy>(hd, "SingularityPolicy")
      .value("TRUNCATION", Hd::TRUNCATION)
      .value("PROXIMAL", Hd::PROXIMAL)
      .value("DAMPING", Hd::DAMPING)
      .export_values();
  hd.def(nb::init<const Chain&, const Twist&, unsigned int>(), "chain"_a, "root_acc"_a, "nc"_a, nb::keep_alive<1, 2>())
      .def("CartToJnt", &Hd::CartToJnt, "q"_a, "q_dot"_a, "q_dotdot"_a, "alfa"_a, "beta"_a, "f_ext"_a, "ff_torques"_a,
           "constraint_torques"_a)
      .def(
          "getTransformedLinkAcceleration",
          [](Hd& s, nb::typed<nb::list, Twist> out) {
            write_list<Twist>(out, [&s](std::vector<Twist>& twists) {
              s.getTransformedLinkAcceleration(twists);
              return 0;
            });
          },
          "x_dotdot"_a, "Writes into the twists of the list: one more than segments.")
      .def("getTotalTorque", &Hd::getTotalTorque, "total_tau"_a)
      .def(
          "getContraintForceMagnitude",
          [](Hd& s, nb::ndarray<double, nb::ndim<1>> out) {
            Eigen::VectorXd nu(static_cast<Eigen::Index>(out.shape(0)));
            s.getContraintForceMagnitude(nu);
            for (std::size_t i = 0; i < out.shape(0); ++i)
              out.data()[static_cast<std::int64_t>(i) * out.stride(0)] = nu[static_cast<Eigen::Index>(i)];
          },
          "nu"_a, "Writes into the array.")
      .def("getMotorTorque", &Hd::getMotorTorque, "torque"_a)
      .def("getConstraintWrench", &Hd::getConstraintWrench)
      .def("getRank", &Hd::getRank)
      .def("getResidual", &Hd::getResidual)
      .def("setSingularityPolicy", &Hd::setSingularityPolicy, "policy"_a, "regularisation"_a = 0.)
      .def("setSingularityTolerance", &Hd::setSingularityTolerance, "angle"_a);
  nb::class_<ChainExternalWrenchEstimator, SolverI>(m, "ChainExternalWrenchEstimator")
      .def(nb::init<const Chain&, const Vector&, double, double, double, double, int>(), "chain"_a, "gravity"_a,
           "sample_frequency"_a, "estimation_gain"_a, "filter_constant"_a, "eps"_a = 0.00001, "maxiter"_a = 150,
           nb::keep_alive<1, 2>())
      .def("setInitialMomentum", &ChainExternalWrenchEstimator::setInitialMomentum, "joint_position"_a,
           "joint_velocity"_a)
      .def(
          "JntToExtWrench",
          [](ChainExternalWrenchEstimator& s, const JntArray& q, const JntArray& v, const JntArray& tau, Wrench& out) {
            return s.JntToExtWrench(q, v, tau, out);
          },
          "joint_position"_a, "joint_velocity"_a, "joint_torque"_a, "external_wrench"_a)
      .def("getEstimatedJntTorque", &ChainExternalWrenchEstimator::getEstimatedJntTorque, "external_joint_torque"_a)
      .def("setSVDEps", &ChainExternalWrenchEstimator::setSVDEps, "eps"_a)
      .def("setSVDMaxIter", &ChainExternalWrenchEstimator::setSVDMaxIter, "maxiter"_a);
}

void bind_trees(nb::module_& m) {
  nb::class_<TreeFkSolverPos>(m, "TreeFkSolverPos")
      .def(
          "JntToCart",
          [](TreeFkSolverPos& s, const JntArray& q, Frame& out, const std::string& name) {
            return s.JntToCart(q, out, name);
          },
          "q_in"_a, "p_out"_a, "segmentName"_a);
  nb::class_<TreeFkSolverPos_recursive, TreeFkSolverPos>(m, "TreeFkSolverPos_recursive")
      .def(nb::init<const Tree&>(), "tree"_a, nb::keep_alive<1, 2>());
  nb::class_<TreeJntToJacSolver>(m, "TreeJntToJacSolver")
      .def(nb::init<const Tree&>(), "tree"_a, nb::keep_alive<1, 2>())
      .def("JntToJac", &TreeJntToJacSolver::JntToJac, "q_in"_a, "jac"_a, "segmentname"_a);
  nb::class_<TreeIdSolver_RNE, SolverI>(m, "TreeIdSolver_RNE")
      .def(nb::init<const Tree&, Vector>(), "tree"_a, "grav"_a, nb::keep_alive<1, 2>())
      .def(
          "CartToJnt",
          [](TreeIdSolver_RNE& s, const JntArray& q, const JntArray& qd, const JntArray& qdd, const WrenchMap& f,
             JntArray& tau) { return s.CartToJnt(q, qd, qdd, f, tau); },
          "q"_a, "q_dot"_a, "q_dotdot"_a, "f_ext"_a, "torques"_a);
}

}  // namespace

void bind_solvers(nb::module_& m) {
  nb::class_<SolverI> base(m, "SolverI");
  base.def("getError", &SolverI::getError)
      .def("strError", &SolverI::strError, "code"_a)
      .def("updateInternalDataStructures", &SolverI::updateInternalDataStructures);
  const std::pair<const char*, int> codes[] = {{"E_DEGRADED", SolverI::E_DEGRADED},
                                               {"E_NOERROR", SolverI::E_NOERROR},
                                               {"E_NO_CONVERGE", SolverI::E_NO_CONVERGE},
                                               {"E_UNDEFINED", SolverI::E_UNDEFINED},
                                               {"E_NOT_UP_TO_DATE", SolverI::E_NOT_UP_TO_DATE},
                                               {"E_SIZE_MISMATCH", SolverI::E_SIZE_MISMATCH},
                                               {"E_MAX_ITERATIONS_EXCEEDED", SolverI::E_MAX_ITERATIONS_EXCEEDED},
                                               {"E_OUT_OF_RANGE", SolverI::E_OUT_OF_RANGE},
                                               {"E_NOT_IMPLEMENTED", SolverI::E_NOT_IMPLEMENTED},
                                               {"E_SVD_FAILED", SolverI::E_SVD_FAILED}};
  for (const auto& [name, code] : codes) base.attr(name) = code;
  bind_kinematics(m);
  bind_dynamics(m);
  bind_trees(m);
}

}  // namespace zwang::python::kdl
