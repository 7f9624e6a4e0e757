// SPDX-License-Identifier: BSD-3-Clause
// Times of the solvers of a program written for KDL: median and smallest of 30 samples, nanoseconds a call, on a chain
// of seven joints as a Panda has them. Compiled against Debian's KDL and against compat/kdl; kdl_speed.py runs both.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <random>

using namespace KDL;

namespace {

Chain arm() {
  const double half = PI / 2;
  const double a[] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088}, alpha[] = {0, -half, half, half, -half, half, half},
               d[] = {0.333, 0, 0.316, 0, 0.384, 0, 0.107};
  Chain chain;
  for (int i = 0; i < 7; ++i)
    chain.addSegment(Segment(Joint(Joint::RotZ),
                             i < 6 ? Frame::DH_Craig1989(a[i + 1], alpha[i + 1], d[i], 0) : Frame(Vector(0, 0, d[6])),
                             RigidBodyInertia(3 - 0.3 * i, Vector(0.01, 0.02 * i, -0.1),
                                              RotationalInertia(0.03, 0.02, 0.01, 0.001, 0.002, -0.001))));
  return chain;
}

template <class Call> void measure(const char* name, Call call) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&](int count) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) call(i);
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / count;
  };
  run(1000);
  double samples[30];
  for (double& sample : samples) sample = run(4000);
  std::sort(samples, samples + 30);
  std::printf("%s %.1f %.1f\n", name, samples[15], samples[0]);
}

}  // namespace

int main() {
  const Chain chain = arm();
  const unsigned int n = 7;
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  const int states = 64;
  std::vector<JntArray> q(states, JntArray(n)), v(states, JntArray(n)), a(states, JntArray(n));
  for (int k = 0; k < states; ++k)
    for (unsigned int i = 0; i < n; ++i) {
      q[k](i) = uniform(engine);
      v[k](i) = uniform(engine);
      a[k](i) = uniform(engine);
    }
  JntArray out(n), torques(n);
  Frame pose;
  Jacobian jacobian(n);
  JntSpaceInertiaMatrix mass(n);
  const Wrenches wrenches(n);

  ChainFkSolverPos_recursive fk(chain);
  measure("forward_kinematics", [&](int i) { fk.JntToCart(q[i % states], pose); });
  ChainJntToJacSolver jac(chain);
  measure("jacobian", [&](int i) { jac.JntToJac(q[i % states], jacobian); });
  ChainJntToJacDotSolver jacdot(chain);
  std::vector<JntArrayVel> motion;
  for (int k = 0; k < states; ++k) motion.push_back(JntArrayVel(q[k], v[k]));
  measure("jacobian_dot", [&](int i) { jacdot.JntToJacDot(motion[i % states], jacobian); });
  ChainIdSolver_RNE id(chain, Vector(0, 0, -9.81));
  measure("inverse_dynamics", [&](int i) { id.CartToJnt(q[i % states], v[i % states], a[i % states], wrenches, out); });
  ChainFdSolver_RNE fd(chain, Vector(0, 0, -9.81));
  measure("forward_dynamics", [&](int i) { fd.CartToJnt(q[i % states], v[i % states], a[i % states], wrenches, out); });
  ChainDynParam terms(chain, Vector(0, 0, -9.81));
  measure("mass_matrix", [&](int i) { terms.JntToMass(q[i % states], mass); });
#ifndef ZWANG_WITHOUT_HD
  for (const unsigned int nc : {1u, 6u}) {
    ChainHdSolver_Vereshchagin hd(chain, Twist(Vector(0, 0, 9.81), Vector::Zero()), nc);
    Jacobian alpha(nc);
    for (unsigned int k = 0; k < nc; ++k) alpha(k, k) = 1;
    const JntArray beta(nc);
    measure(nc == 1 ? "vereshchagin_1" : "vereshchagin_6", [&](int i) {
      hd.CartToJnt(q[i % states], v[i % states], out, alpha, beta, wrenches, a[i % states], torques);
    });
  }
#endif
}
