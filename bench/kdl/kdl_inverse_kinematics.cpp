// SPDX-License-Identifier: BSD-3-Clause
// Position solvers of a program written for KDL: 10 000 reachable poses of three arms, from the middle of the limits.
// Prints: arm, solver, poses found (the tip is within 1e-5, for the solver with limits these hold, too), median, 99th
// percentile and maximum of microseconds a call, allocations in all calls. kdl_speed.py runs it with both libraries.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <random>

#include "allocations.hpp"
#include "arms.hpp"

namespace {

using namespace KDL;

bool is_reached(const Frame& tip, const Frame& goal) { return Equal(diff(tip, goal), Twist::Zero(), 1e-5); }

template <class Call, class Verify>
void measure(const char* arm, const char* solver, const std::vector<Frame>& goals, Call call, Verify verify) {
  std::vector<double> times;
  times.reserve(goals.size());
  int found = 0;
  allocations = 0;
  for (const Frame& goal : goals) {
    is_counting = true;
    const auto begin = std::chrono::steady_clock::now();
    const int code = call(goal);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    is_counting = false;
    found += code >= 0 && verify(goal);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s %s %d %.2f %.2f %.2f %ld\n", arm, solver, found, times[times.size() / 2],
              times[times.size() * 99 / 100], times.back(), allocations);
}

void run(const char* name, const std::vector<arms::ArmJoint>& joints, int poses) {
  const Chain chain = arms::chain_of(joints);
  const unsigned int n = chain.getNrOfJoints();
  JntArray lower, upper, middle(n), q(n);
  arms::limits_of(joints, lower, upper);
  for (unsigned int i = 0; i < n; ++i) middle(i) = (lower(i) + upper(i)) / 2;
  ChainFkSolverPos_recursive fk(chain);
  std::mt19937 engine(5);
  std::vector<Frame> goals(static_cast<std::size_t>(poses));
  for (Frame& goal : goals) {
    for (unsigned int i = 0; i < n; ++i) q(i) = std::uniform_real_distribution<double>(lower(i), upper(i))(engine);
    fk.JntToCart(q, goal);
  }
  ChainIkSolverVel_pinv velocity(chain);
  ChainIkSolverPos_NR_JL nr_jl(chain, lower, upper, fk, velocity, 100, 1e-6);
  ChainIkSolverPos_LMA lma(chain, 1e-7);  // its default of 1e-5 is 1e-3 rad
  Frame tip;
  measure(
      name, "NR_JL", goals, [&](const Frame& goal) { return nr_jl.CartToJnt(middle, goal, q); },
      [&](const Frame& goal) {
        for (unsigned int i = 0; i < n; ++i)
          if (q(i) < lower(i) || q(i) > upper(i)) return false;
        return fk.JntToCart(q, tip) >= 0 && is_reached(tip, goal);
      });
  measure(
      name, "LMA", goals, [&](const Frame& goal) { return lma.CartToJnt(middle, goal, q); },
      [&](const Frame& goal) { return fk.JntToCart(q, tip) >= 0 && is_reached(tip, goal); });
}

}  // namespace

int main(int argc, char** argv) {
  const int poses = argc > 1 ? std::atoi(argv[1]) : 10000;
  run("ur5", arms::ur5, poses);
  run("panda", arms::panda, poses);
  run("kinova", arms::kinova, poses);
}
