// SPDX-License-Identifier: BSD-3-Clause
// Latency of the hybrid solver: a million calls on seven joints with six directions, each with another state. Prints
// the median, the 99th and 99.9th percentile and the maximum in microseconds, and the allocations in all calls.
// kdl_speed.py compiles it as the others.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <random>

#include "allocations.hpp"
#include "arms.hpp"

int main(int argc, char** argv) {
  using namespace KDL;
  const int calls = argc > 1 ? std::atoi(argv[1]) : 1000000;
  Chain chain;  // the Panda's seven joints, without the fixed frames behind them
  for (const arms::ArmJoint& joint : arms::panda) {
    if (!joint.moves) break;
    Chain one = arms::chain_of({joint});
    one.segments[0].setInertia(RigidBodyInertia(2, Vector(0.01, 0.02, 0.1), RotationalInertia(0.02, 0.03, 0.01)));
    chain.addChain(one);
  }
  const unsigned int n = chain.getNrOfJoints(), ns = chain.getNrOfSegments(), nc = 6;
  ChainHdSolver_Vereshchagin solver(chain, Twist(Vector(0, 0, 9.81), Vector::Zero()), nc);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  JntArray q(n), v(n), qdd(n), tau(n), constraint(n), beta(nc);
  Jacobian alfa(nc);
  SetToZero(alfa);
  for (unsigned int k = 0; k < nc; ++k) alfa(k, k) = 1;
  const Wrenches wrenches(ns);
  std::vector<double> times(static_cast<std::size_t>(calls));
  for (double& time : times) {
    for (unsigned int i = 0; i < n; ++i) {
      q(i) = uniform(engine);
      v(i) = uniform(engine);
      tau(i) = uniform(engine);
    }
    is_counting = true;
    const auto begin = std::chrono::steady_clock::now();
    solver.CartToJnt(q, v, qdd, alfa, beta, wrenches, tau, constraint);
    time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    is_counting = false;
  }
  std::sort(times.begin(), times.end());
  const auto part = [&](double p) {
    return times[static_cast<std::size_t>(p * static_cast<double>(times.size() - 1))];
  };
  std::printf("latency %.2f %.2f %.2f %.2f %ld\n", part(0.5), part(0.99), part(0.999), times.back(), allocations);
}
