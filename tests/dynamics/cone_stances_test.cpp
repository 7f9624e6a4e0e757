// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics with friction cones of any steepness on redundant contacts. What is feasible by construction is ok,
// whatever the coefficients, masses and lengths; every ok is checked by the equations of motion, the cones and the
// limits, each against its own terms; and no known feasible forces take less than the answer.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <sstream>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_free = std::numeric_limits<double>::infinity();
const std::vector<std::string> k_feet{"LF_foot", "RF_foot", "LH_foot", "RH_foot"};

int full(int usual, int whole) { return std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? whole : effort(usual, 40); }

/// The quadruped with all masses times `mass` and all lengths times `length`.
Model quadruped(double mass = 1, double length = 1) {
  std::ifstream file(model_file("quadruped.urdf"));
  std::stringstream whole;
  whole << file.rdbuf();
  const std::string text = whole.str();
  const std::regex attribute("(<mass value|xyz|i[xyz][xyz])=\"([^\"]*)\"");
  std::string scaled;
  auto last = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), attribute), end; at != end; ++at) {
    const bool axis = text.compare(static_cast<std::size_t>(at->position()) - 5, 5, "axis ") == 0;
    const double factor = axis                        ? 1
                          : (*at)[1] == "xyz"         ? length
                          : (*at)[1] == "<mass value" ? mass
                                                      : mass * length * length;
    std::istringstream numbers((*at)[2]);
    std::ostringstream out;
    out.precision(17);
    for (double x = 0; numbers >> x;) out << factor * x << ' ';
    scaled.append(last, text.cbegin() + at->position());
    scaled += std::string((*at)[1]) + "=\"" + out.str() + "\"";
    last = text.cbegin() + at->position() + at->length();
  }
  scaled.append(last, text.cend());
  LoadOptions options;
  options.root = "floating";
  return loads(scaled, options);
}

/// A stance, and what is asked of it.
struct Stance {
  explicit Stance(const Model& of) : model(&of), set(of), q(neutral(of)), still(Vector::Zero(of.nv())) {
    for (Eigen::Index j = 7; j + 2 < q.size(); j += 3) q.segment(j, 3) << 0.1, 0.5, -0.9;
  }
  void add(const std::string& name, const std::string& foot, const Vec3<double>& normal, double mu) {
    set.add(ContactConstraint{.name = name, .frame = foot, .normal = normal});
    settings.friction.push_back({name, mu});
  }
  InverseInput input() const {
    return {.q = q, .a = still, .external = &push, .motor_lower = low, .motor_upper = high};
  }
  double mu(Eigen::Index contact) const { return settings.friction[static_cast<std::size_t>(contact)].mu; }
  Matrix jacobian() const {
    ConstraintEvaluator rows(*model, set);
    rows.evaluate(q, still);
    Matrix J(set.rows(), model->nv());
    rows.jacobian(J);
    return J;
  }
  double objective(const Vector& u, const Vector& lambda) const {
    return settings.torque * u.squaredNorm() + settings.force * lambda.squaredNorm();
  }

  const Model* model;
  ConstraintSet set;
  InverseSettings settings;
  Vector q, still, low, high;
  Externals push;
};

/// By how much an ok answer is wrong, each equation and bound against its own terms: > 1 is too much.
double error_of(const Stance& x, const InverseSolution& s) {
  const Eigen::Index n = x.model->nv();
  const Matrix J = x.jacobian();
  const Vector lambda = s.multipliers, tau = s.tau, a = s.acceleration;
  Data data(*x.model);
  const Vector needed = inverse_dynamics(*x.model, data, x.q, x.still, a, x.push);
  const Vector bare = inverse_dynamics(*x.model, data, x.q, x.still, a);
  double worst = (a - x.still).norm() > 1e-8 ? 2.0 : 0.0;
  const auto count = [&](double error, double allowed) {
    worst = std::max(worst, !(error <= allowed) ? std::max(2.0, error / allowed) : error > 0 ? error / allowed : 0.0);
  };
  for (Eigen::Index c = 0; c < n; ++c) {
    const double terms = std::fabs(tau(c)) + std::fabs(bare(c)) + std::fabs(needed(c) - bare(c)) +
                         J.col(c).cwiseAbs().dot(lambda.cwiseAbs());
    count(std::fabs(needed(c) - tau(c) - J.col(c).dot(lambda)), 1e-9 * terms);
  }
  for (Eigen::Index k = 0; 3 * k < lambda.size(); ++k) {
    const double along = x.mu(k) * lambda(3 * k + 2), across = lambda.segment(3 * k, 2).norm();
    count(across - along, 1e-9 * (std::fabs(along) + across) + 1e-14 * x.mu(k) * lambda.cwiseAbs().maxCoeff());
  }
  for (Eigen::Index j = 0; j < s.motors.size() && x.high.size() > 0; ++j) {
    const double terms = std::fabs(bare(j + 6)) + J.col(j + 6).cwiseAbs().dot(lambda.cwiseAbs());
    count(std::max(s.motors(j) - x.high(j), x.low(j) - s.motors(j)), 1e-9 * terms);
  }
  return worst;
}

struct Count {
  std::map<std::string, std::map<std::string, int>> of;  ///< kind, status
  int all = 0, ok = 0, infeasible = 0;
  std::string bad;
  void add(const std::string& kind, int seed, const InverseReport& r) {
    ++of[kind][name_of(r.status)];
    ++all;
    ok += r.status == Status::ok;
    infeasible += r.status == Status::infeasible;
    if (r.status != Status::ok && bad.size() < 400)
      bad += std::to_string(seed) + ' ' + kind + ' ' + name_of(r.status) + "; ";
  }
  void print() const {
    for (const auto& [kind, statuses] : of) {
      std::printf("%-40s", kind.c_str());
      for (const auto& [status, n] : statuses) std::printf("  %s %d", status.c_str(), n);
      std::printf("\n");
    }
    std::printf("%d of %d ok; %s\n", ok, all, bad.c_str());
  }
};
bool prints() { return std::getenv("ZWANG_WHOLE_TABLE") != nullptr; }

/// More contacts at the feet than carry the robot: no force in them is inside their cones, so that the torques of the
/// feet alone still serve, and no more are needed than without them.
TEST(ConeStances, AnExtraContactNeverHurts) {
  const Model model = quadruped();
  Count count;
  for (int seed = 0; seed < full(1000, 20000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    Stance x(model);
    x.q.tail(12) += random.vector(12, 0.3);
    const int s = random.below(7);
    const auto coefficient = [&] {
      const int which = random.below(3);
      return which == 0 ? 0.7 : std::pow(10.0, which == 1 ? -s : s / 2.0);
    };
    for (const std::string& foot : k_feet) x.add(foot, foot, {0, 0, 1}, coefficient());
    const bool force = random.below(2) == 1;
    x.settings.torque = force ? 0 : 1;
    x.settings.force = force ? 1 : 0;
    ConstrainedInverseDynamics alone(model, x.set, {}, x.settings);
    const InverseSolution& plain = alone.solve(x.input());
    const bool feasible = plain.report.status == Status::ok;
    if (feasible) { EXPECT_LE(error_of(x, plain), 1); }
    const double enough = x.objective(plain.motors, plain.multipliers);
    for (int k = 1 + random.below(3); k > 0; --k)
      x.add("x" + std::to_string(k), k_feet[static_cast<std::size_t>(random.below(4))], random.direction(),
            coefficient());
    ConstrainedInverseDynamics inverse(model, x.set, {}, x.settings);
    const InverseSolution& s_all = inverse.solve(x.input());
    if (feasible) count.add("1e-" + std::to_string(s), seed, s_all.report);
    if (s_all.report.status != Status::ok) continue;
    EXPECT_LE(error_of(x, s_all), 1);
    if (feasible) { EXPECT_LE(x.objective(s_all.motors, s_all.multipliers), enough * (1 + 1e-6)) << s; }
  }
  if (prints()) count.print();
  EXPECT_EQ(count.infeasible, 0) << count.bad;
  EXPECT_GE(count.ok, 0.999 * count.all) << count.bad;
}

/// Forces inside the cones, torques inside the limits, and the push that they balance.
TEST(ConeStances, WhatIsFeasibleByConstructionIsOk) {
  Count count;
  const std::array<double, 3> masses{1, 1e6, 1e-6}, lengths{1, 1e3, 1e-3};
  std::vector<Model> models;
  for (const double mass : masses)
    for (const double length : lengths) models.push_back(quadruped(mass, length));
  const double weight = 9.81 * 24;
  for (int seed = 0; seed < full(1000, 20000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 100000);
    const std::size_t which = random.below(2) == 0 ? 0 : static_cast<std::size_t>(random.below(9));
    const Model& model = models[which];
    const double mass = masses[which / 3];
    Stance x(model);
    x.q.tail(12) += random.vector(12, 0.3);
    const int s = random.below(7);
    const auto coefficient = [&] {
      const int kind = random.below(3);
      return kind == 0 ? 0.7 : std::pow(10.0, kind == 1 ? -s : s / 2.0);
    };
    const auto normal = [&]() -> Vec3<double> {
      if (random.below(2) == 0) return {0, 0, 1};
      return random.direction();
    };
    for (const std::string& foot : k_feet)
      if (random.below(6) != 0) x.add(foot, foot, normal(), coefficient());
    for (int k = 1 + random.below(3); k > 0; --k)
      x.add("x" + std::to_string(k), k_feet[static_cast<std::size_t>(random.below(4))], normal(), coefficient());
    const bool force = random.below(2) == 1;
    x.settings.torque = force ? 0 : 1;
    x.settings.force = force ? 1 : 0;
    Vector lambda(x.set.rows());
    const double depth = random.below(2) == 0 ? 0.5 : 0.99;
    for (Eigen::Index k = 0; 3 * k < lambda.size(); ++k) {
      const double size = mass * weight * (random.below(3) == 0 ? 1e-3 : 1) * random.uniform(0.1, 1),
                   phi = random.uniform(0, 7);
      const double most = std::min(x.mu(k), 1.0) * size * depth * random.uniform(0, 1);
      lambda.segment(3 * k, 3) << most * std::cos(phi), most * std::sin(phi), size;
    }
    Data data(model);
    const Vector h = inverse_dynamics(model, data, x.q, x.still, x.still), carried = x.jacobian().transpose() * lambda;
    Matrix by(6, 6);  // what the wrenches of the trunk do at the root
    for (int k = 0; k < 6; ++k) {
      double unit[6] = {};
      unit[k] = 1;
      const Externals one{external_wrench(model, "trunk", unit)};
      by.col(k) = (inverse_dynamics(model, data, x.q, x.still, x.still, one) - h).head(6);
    }
    const Vector wrench = by.fullPivLu().solve((carried - h).head(6));
    double six[6];
    for (int k = 0; k < 6; ++k) six[k] = wrench(k);
    x.push.push_back(external_wrench(model, "trunk", six));
    const Vector u = (inverse_dynamics(model, data, x.q, x.still, x.still, x.push) - carried).tail(12);
    const bool limited = random.below(2) == 1;
    if (limited) {
      const double room = random.below(2) == 0 ? 0.5 : 0.01;
      x.low = u.array() - room * u.cwiseAbs().maxCoeff();
      x.high = u.array() + room * u.cwiseAbs().maxCoeff();
    }
    ConstrainedInverseDynamics inverse(model, x.set, {}, x.settings);
    const InverseSolution& found = inverse.solve(x.input());
    std::ostringstream kind;
    kind << "1e-" << s << (which == 0 ? "" : " scaled") << (limited ? " limits" : "");
    count.add(kind.str(), seed, found.report);
    if (found.report.status != Status::ok) continue;
    EXPECT_LE(error_of(x, found), 1);
    EXPECT_LE(x.objective(found.motors, found.multipliers), x.objective(u, lambda) * (1 + 1e-6));
  }
  if (prints()) count.print();
  EXPECT_EQ(count.infeasible, 0) << count.bad;
  EXPECT_GE(count.ok, 0.999 * count.all) << count.bad;
}

}  // namespace
}  // namespace zwang::test
