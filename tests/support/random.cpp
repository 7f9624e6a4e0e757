// SPDX-License-Identifier: BSD-3-Clause
// Random states for tests (support/random.hpp).
#include "support/random.hpp"

#include <cmath>
#include <numbers>

#include "zwang/model/user_joint.hpp"

namespace zwang::test {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1))), angle = uniform(0, 2 * std::numbers::pi);
  return radius * std::cos(angle);
}

Eigen::VectorXd Random::vector(int n, double scale) {
  Eigen::VectorXd x(n);
  for (int k = 0; k < n; ++k) x(k) = uniform(-scale, scale);
  return x;
}

Vec3<double> Random::direction() {
  const double c = normal(), b = normal(), a = normal();  // one draw after the other, with every compiler
  const Eigen::Vector3d x = Eigen::Vector3d(a, b, c).normalized();
  return {x(0), x(1), x(2)};
}

Transform<double> Random::pose(double reach) {
  const Vec3<double> n = direction();
  const reference::Matrix3<double> R =
      reference::turn<reference::Real>({n.x, n.y, n.z}, uniform(-std::numbers::pi, std::numbers::pi)).cast<double>();
  const Eigen::VectorXd p = vector(3, reach);
  return {{{R(0, 0), R(0, 1), R(0, 2)}, {R(1, 0), R(1, 1), R(1, 2)}, {R(2, 0), R(2, 1), R(2, 2)}}, {p(0), p(1), p(2)}};
}

Sym3<double> Random::inertia(double mass, double size) {
  Eigen::Matrix3d I = Eigen::Matrix3d::Zero();
  for (int k = 0; k < 6; ++k) {
    const Eigen::Vector3d r = vector(3, size);
    I += mass / 6 * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }
  return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

namespace {
void unit(Random& random, double* q, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    q[k] = random.normal();
    sum += q[k] * q[k];
  }
  for (int k = 0; k < n; ++k) q[k] /= std::sqrt(sum);
}

void fill(const std::vector<reference::Part>& parts, Random& random, double* q) {
  for (const reference::Part& part : parts) {
    const bool slides = part.type == "prismatic" || part.type == "translation" || part.type == "user";
    for (int k = 0; k < part.nq; ++k) {
      const bool length = slides || (part.type == "planar" && k < 2) || (part.type == "cylindrical" && k == 0) ||
                          part.type == "floating";
      q[k] = length ? random.uniform(-1, 1) : random.uniform(-std::numbers::pi, std::numbers::pi);
    }
    if (part.type == "spherical") unit(random, q, 4);
    if (part.type == "floating") unit(random, q + 3, 4);
    if (part.type == "revolute_unbounded") unit(random, q, 2);
    q += part.nq;
  }
}
}  // namespace

Eigen::VectorXd random_configuration(const reference::Reference& robot, Random& random) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(robot.nq());
  for (const reference::SpanningJoint& j : robot.joints())
    if (j.multiplier == 1 && j.offset == 0) fill(j.parts, random, q.data() + j.q.first);
  return q;
}

Eigen::VectorXd random_configuration(const Model& model, Random& random) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq());
  for (const Joint& j : model.joints()) {
    if (!j.mimic.leader.empty() || j.q.size == 0) continue;
    reference::UserMotions user;
    if (j.description.user) user[j.name].nq = j.description.user->nq;
    fill(reference::parts_of(j.description, user), random, q.data() + j.q.first);
  }
  return q;
}

}  // namespace zwang::test
