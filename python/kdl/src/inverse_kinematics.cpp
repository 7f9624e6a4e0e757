// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics. A solver keeps its chain and the solvers that it calls alive.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>

#include <kdl/chainfksolver.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_givens.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/treeiksolverpos_nr_jl.hpp>
#include <kdl/treeiksolverpos_online.hpp>
#include <kdl/treeiksolvervel_wdls.hpp>

#include "bind.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

void bind_velocities(nb::module_& m) {
  nb::class_<ChainIkSolverVel, SolverI>(m, "ChainIkSolverVel")
      .def(
          "CartToJnt",
          [](ChainIkSolverVel& s, const JntArray& q, const Twist& v, JntArray& out) { return s.CartToJnt(q, v, out); },
          "q_in"_a, "v_in"_a, "qdot_out"_a);
  nb::class_<ChainIkSolverVel_pinv, ChainIkSolverVel>(m, "ChainIkSolverVel_pinv")
      .def(nb::init<const Chain&, double, int>(), "chain"_a, "eps"_a = 0.00001, "maxiter"_a = 150,
           nb::keep_alive<1, 2>())
      .def("getNrZeroSigmas", &ChainIkSolverVel_pinv::getNrZeroSigmas)
      .def("getSVDResult", &ChainIkSolverVel_pinv::getSVDResult);
  nb::class_<ChainIkSolverVel_pinv_givens, ChainIkSolverVel>(m, "ChainIkSolverVel_pinv_givens")
      .def(nb::init<const Chain&>(), "chain"_a, nb::keep_alive<1, 2>());
  using Nso = ChainIkSolverVel_pinv_nso;
  nb::class_<Nso, ChainIkSolverVel>(m, "ChainIkSolverVel_pinv_nso")
      .def(nb::init<const Chain&, const JntArray&, const JntArray&, double, int, double>(), "chain"_a, "opt_pos"_a,
           "weights"_a, "eps"_a = 0.00001, "maxiter"_a = 150, "alpha"_a = 0.25, nb::keep_alive<1, 2>())
      .def(nb::init<const Chain&, double, int, double>(), "chain"_a, "eps"_a = 0.00001, "maxiter"_a = 150,
           "alpha"_a = 0.25, nb::keep_alive<1, 2>())
      .def("setWeights", &Nso::setWeights, "weights"_a)
      .def("setOptPos", &Nso::setOptPos, "opt_pos"_a)
      .def("setAlpha", &Nso::setAlpha, "alpha"_a)
      .def("getWeights", [](const Nso& s) { return JntArray(s.getWeights()); })
      .def("getOptPos", [](const Nso& s) { return JntArray(s.getOptPos()); })
      .def("getAlpha", [](const Nso& s) { return double(s.getAlpha()); });
  using Wdls = ChainIkSolverVel_wdls;
  nb::class_<Wdls, ChainIkSolverVel>(m, "ChainIkSolverVel_wdls")
      .def(nb::init<const Chain&, double, int>(), "chain"_a, "eps"_a = 0.00001, "maxiter"_a = 150,
           nb::keep_alive<1, 2>())
      .def(
          "setWeightTS", [](Wdls& s, const Eigen::MatrixXd& M) { return s.setWeightTS(M); }, "Mx"_a)
      .def(
          "setWeightJS", [](Wdls& s, const Eigen::MatrixXd& M) { return s.setWeightJS(M); }, "Mq"_a)
      .def("setLambda", &Wdls::setLambda, "lambda_"_a)
      .def("setEps", &Wdls::setEps, "eps"_a)
      .def("setMaxIter", &Wdls::setMaxIter, "maxiter"_a)
      .def("getNrZeroSigmas", &Wdls::getNrZeroSigmas)
      .def("getSigmaMin", &Wdls::getSigmaMin)
      .def(
          "getSigma",
          [](Wdls& s, nb::ndarray<double, nb::ndim<1>> out) {
            Eigen::VectorXd sigma(static_cast<Eigen::Index>(out.shape(0)));
            const int code = s.getSigma(sigma);
            for (std::size_t i = 0; code == 0 && i < out.shape(0); ++i)
              out.data()[static_cast<std::int64_t>(i) * out.stride(0)] = sigma[static_cast<Eigen::Index>(i)];
            return code;
          },
          "Sout"_a, "Writes into the array.")
      .def("getEps", &Wdls::getEps)
      .def("getLambda", &Wdls::getLambda)
      .def("getLambdaScaled", &Wdls::getLambdaScaled)
      .def("getSVDResult", &Wdls::getSVDResult);
}

void bind_positions(nb::module_& m) {
  nb::class_<ChainIkSolverPos, SolverI>(m, "ChainIkSolverPos")
      .def(
          "CartToJnt",
          [](ChainIkSolverPos& s, const JntArray& q, const Frame& p, JntArray& out) { return s.CartToJnt(q, p, out); },
          "q_init"_a, "p_in"_a, "q_out"_a);
  nb::class_<ChainIkSolverPos_NR, ChainIkSolverPos>(m, "ChainIkSolverPos_NR")
      .def(nb::init<const Chain&, ChainFkSolverPos&, ChainIkSolverVel&, unsigned int, double>(), "chain"_a,
           "fksolver"_a, "iksolver"_a, "maxiter"_a = 100, "eps"_a = 1e-6, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());
  nb::class_<ChainIkSolverPos_NR_JL, ChainIkSolverPos>(m, "ChainIkSolverPos_NR_JL")
      .def(nb::init<const Chain&, const JntArray&, const JntArray&, ChainFkSolverPos&, ChainIkSolverVel&, unsigned int,
                    double>(),
           "chain"_a, "q_min"_a, "q_max"_a, "fksolver"_a, "iksolver"_a, "maxiter"_a = 100, "eps"_a = 1e-6,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>())
      .def(nb::init<const Chain&, ChainFkSolverPos&, ChainIkSolverVel&, unsigned int, double>(), "chain"_a,
           "fksolver"_a, "iksolver"_a, "maxiter"_a = 100, "eps"_a = 1e-6, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("setJointLimits", &ChainIkSolverPos_NR_JL::setJointLimits, "q_min"_a, "q_max"_a);
  nb::class_<ChainIkSolverPos_LMA, ChainIkSolverPos>(m, "ChainIkSolverPos_LMA")
      .def(nb::init<const Chain&, const Eigen::Matrix<double, 6, 1>&, double, int, double>(), "chain"_a, "L"_a,
           "eps"_a = 1e-5, "maxiter"_a = 500, "eps_joints"_a = 1e-15, nb::keep_alive<1, 2>())
      .def(nb::init<const Chain&, double, int, double>(), "chain"_a, "eps"_a = 1e-5, "maxiter"_a = 500,
           "eps_joints"_a = 1e-15, nb::keep_alive<1, 2>())
      .def_ro("lastNrOfIter", &ChainIkSolverPos_LMA::lastNrOfIter)
      .def_ro("lastDifference", &ChainIkSolverPos_LMA::lastDifference)
      .def_ro("lastTransDiff", &ChainIkSolverPos_LMA::lastTransDiff)
      .def_ro("lastRotDiff", &ChainIkSolverPos_LMA::lastRotDiff);
}

void bind_trees(nb::module_& m) {
  nb::class_<TreeIkSolverVel>(m, "TreeIkSolverVel")
      .def(
          "CartToJnt",
          [](TreeIkSolverVel& s, const JntArray& q, const Twists& v, JntArray& out) { return s.CartToJnt(q, v, out); },
          "q_in"_a, "v_in"_a, "qdot_out"_a);
  nb::class_<TreeIkSolverVel_wdls, TreeIkSolverVel>(m, "TreeIkSolverVel_wdls")
      .def(nb::init<const Tree&, const std::vector<std::string>&>(), "tree"_a, "endpoints"_a, nb::keep_alive<1, 2>())
      .def(
          "setWeightJS", [](TreeIkSolverVel_wdls& s, const Eigen::MatrixXd& M) { s.setWeightJS(M); }, "Mq"_a)
      .def(
          "setWeightTS", [](TreeIkSolverVel_wdls& s, const Eigen::MatrixXd& M) { s.setWeightTS(M); }, "Mx"_a)
      .def("setLambda", &TreeIkSolverVel_wdls::setLambda, "lambda_"_a);
  nb::class_<TreeIkSolverPos>(m, "TreeIkSolverPos")
      .def(
          "CartToJnt",
          [](TreeIkSolverPos& s, const JntArray& q, const Frames& p, JntArray& out) { return s.CartToJnt(q, p, out); },
          "q_init"_a, "p_in"_a, "q_out"_a);
  nb::class_<TreeIkSolverPos_NR_JL, TreeIkSolverPos>(m, "TreeIkSolverPos_NR_JL")
      .def(nb::init<const Tree&, const std::vector<std::string>&, const JntArray&, const JntArray&, TreeFkSolverPos&,
                    TreeIkSolverVel&, unsigned int, double>(),
           "tree"_a, "endpoints"_a, "q_min"_a, "q_max"_a, "fksolver"_a, "iksolver"_a, "maxiter"_a = 100, "eps"_a = 1e-6,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>());
  nb::class_<TreeIkSolverPos_Online, TreeIkSolverPos>(m, "TreeIkSolverPos_Online")
      .def(nb::init<double, const std::vector<std::string>&, const JntArray&, const JntArray&, const JntArray&, double,
                    double, TreeFkSolverPos&, TreeIkSolverVel&>(),
           "nr_of_jnts"_a, "endpoints"_a, "q_min"_a, "q_max"_a, "q_dot_max"_a, "x_dot_trans_max"_a, "x_dot_rot_max"_a,
           "fksolver"_a, "iksolver"_a, nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>());
}

}  // namespace

void bind_inverse_kinematics(nb::module_& m) {
  bind_velocities(m);
  bind_positions(m);
  bind_trees(m);
}

}  // namespace zwang::python::kdl
