// SPDX-License-Identifier: BSD-3-Clause
// Random states for tests: seeded, the same on every machine.
#pragma once
#include <cstdint>

#include "support/reference.hpp"

namespace zwang::test {

/// Splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
  std::uint64_t next();
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double normal();                                  ///< mean 0, variance 1
  Eigen::VectorXd vector(int n, double scale = 1);  ///< uniform in [-scale, scale]
  Vec3<double> direction();                         ///< of unit length
  Transform<double> pose(double reach = 1);
  Sym3<double> inertia(double mass, double size);  ///< of a few random point masses: physically possible

 private:
  std::uint64_t state_;
};

/// Angles in [-pi, pi], displacements in [-1, 1], uniform unit quaternions and unit circles.
Eigen::VectorXd random_configuration(const Model& model, Random& random);
Eigen::VectorXd random_configuration(const reference::Reference& robot, Random& random);

struct RandomState {
  Eigen::VectorXd q, v, a, tau;
};
/// Velocities and accelerations in [-1, 1] times `scale`, torques in [-10, 10].
template <class Robot> RandomState random_state(const Robot& robot, std::uint64_t seed, double scale = 1) {
  Random r(seed);
  Eigen::VectorXd q = random_configuration(robot, r), v = r.vector(robot.nv(), scale), a = r.vector(robot.nv(), scale);
  return {q, v, a, r.vector(robot.nv(), 10)};
}

}  // namespace zwang::test
