// SPDX-License-Identifier: BSD-3-Clause
// Hostile sets with senses, limits of rows and limits of motors: masses 1e+-9, lengths 1e+-6, rows 1e+-8, R 1e+-12,
// near copies. Half of the sets are made from a motion, forces and bounds reached: they have an answer.
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"

namespace zwang::test::hostile {

inline constexpr double k_open = std::numeric_limits<double>::infinity();
inline constexpr Real k_promise = 4e-9L;  ///< `feasibility`, and a factor of a few: terms are bounded otherwise here

inline double decade(Random& random, double low, double high) { return std::pow(10.0, random.uniform(low, high)); }

/// min |B z - c| over z >= 0 (Lawson & Hanson 1974, Solving Least Squares Problems, 23.3). B: columns of unit length.
inline Vec least_squares_of_signs(const Mat& B, const Vec& c) {
  const Eigen::Index n = B.cols();
  Vec z = Vec::Zero(n);
  std::vector<Eigen::Index> in;
  std::vector<bool> passed(static_cast<std::size_t>(n));  // depends on those that are in
  const auto solve = [&] {
    Vec out = Vec::Zero(n);
    if (in.empty()) return out;
    Eigen::CompleteOrthogonalDecomposition<Mat> factor;
    factor.setThreshold(1e-16L);
    const Vec found = factor.compute(Mat(B(Eigen::all, in))).solve(c);
    for (std::size_t i = 0; i < in.size(); ++i) out(in[i]) = found(static_cast<Eigen::Index>(i));
    return out;
  };
  for (Eigen::Index steps = 0; steps < 20 * (1 + n); ++steps) {
    const Vec gain = B.transpose() * (c - B * z);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j)
      if (z(j) == 0 && !passed[static_cast<std::size_t>(j)] && gain(j) > 1e-17L * c.norm() &&
          (best < 0 || gain(j) > gain(best)))
        best = j;
    if (best < 0) break;
    in.push_back(best);
    Vec next = solve();
    if (!(next(best) > 0)) {
      in.pop_back();
      passed[static_cast<std::size_t>(best)] = true;
      continue;
    }
    std::fill(passed.begin(), passed.end(), false);
    while (!in.empty() && !(next(in).minCoeff() > 0)) {
      Real t = 1;
      Eigen::Index out = in.front();
      for (const Eigen::Index j : in)
        if (!(next(j) > 0) && z(j) / (z(j) - next(j)) < t) t = z(j) / (z(j) - next(j)), out = j;
      z += t * (next - z);
      z(out) = 0;
      std::erase_if(in, [&](Eigen::Index j) { return !(z(j) > 0); });
      next = solve();
    }
    z = next;
  }
  return z;
}

inline Robot hostile_chain(std::uint64_t seed, double length) {
  Random random(seed * 31 + 3);
  const double mass = random.below(3) ? decade(random, -9, 9) : 1.0, spread = random.below(4) == 0 ? 4 : 0.3;
  RobotDescription d{.name = "chain"};
  BuildOptions options;
  options.gravity = {0, 0, -9.81 * (random.below(2) ? 1.0 : length)};
  const auto place = [&](double by) {
    return Vec3<double>{random.uniform(-by, by), random.uniform(-by, by), random.uniform(-by, by)};
  };
  const auto add_link = [&](bool has_mass) {
    LinkDescription link{.name = "l" + std::to_string(d.links.size())};
    link.mass = has_mass ? mass * decade(random, -spread, spread) : 0.0;
    link.centre = place(0.2 * length);
    if (has_mass) link.inertia = random.inertia(link.mass, 0.3 * length);
    d.links.push_back(link);
  };
  const bool floats = random.below(3) == 0;
  if (floats) options.root = "floating";
  add_link(floats);
  for (int i = 1, joints = 2 + random.below(5); i <= joints; ++i) {
    add_link(true);
    JointDescription j{.name = "j" + std::to_string(i),
                       .type = random.below(4) ? "continuous" : "prismatic",
                       .parent = "l" + std::to_string(random.below(4) ? i - 1 : random.below(i)),
                       .child = d.links.back().name,
                       .axis = random.direction()};
    j.origin.p = place(0.5 * length);
    d.joints.push_back(j);
  }
  return Robot(d, options);
}

struct HostileLimits {
  Random random;
  double length;
  Robot robot;
  bool made;  ///< from an answer
  Mixed x;
  Mat M, A, D, reach;  ///< rows; D: of drivers, 0 for the others; reach: of q'' in the terms of rows
  Vec h, b, size, R, lower, upper, motor_lower, motor_upper;  ///< size: terms of b
  Vec unit;                                                   ///< [nv] length of a coordinate, or 1
  Mat W;                                                      ///< A L^-T
  Vec weight;                                                 ///< |W_k|
  std::vector<int> level;

  HostileLimits(std::uint64_t seed, bool levels)
      : random(seed * 31 + 1),
        length(random.below(3) ? decade(random, -6, 6) : 1.0),
        robot(hostile_chain(seed, length)),
        made(seed % 2 == 0) {
    draw_state();
    draw_rows(levels);
    read_rows();
    draw_answer(levels);
  }
  ConstraintSet set() const { return x.set(robot.model); }
  /// Of some row or motor. Without, forces that W has decided are not as good as the motion (docs/report.md).
  bool has_bounds() const {
    return lower.maxCoeff() > -k_open || upper.minCoeff() < k_open || motor_lower.maxCoeff() > -k_open ||
           motor_upper.minCoeff() < k_open;
  }
  /// Of hard rows; soft ones stand above them where there are several.
  bool has_levels() const {
    return std::any_of(level.begin(), level.end(),
                       [&](int p) { return p >= 0 && p != *std::max_element(level.begin(), level.end()); });
  }

 private:
  Vec scaled_motion(double low, double high) {
    Vec a(unit.size());
    for (Eigen::Index y = 0; y < a.size(); ++y) a(y) = random.normal() * unit(y);
    return a * Real(decade(random, low, high));
  }
  void draw_state() {
    const int nv = robot.model.nv();
    const bool floats = robot.options.root == "floating";
    unit = Vec::Ones(nv);
    x.state.q = random_configuration(robot.model, random);
    x.state.v = random.below(2) ? random.vector(nv) : Eigen::VectorXd::Zero(nv);
    x.state.tau = Eigen::VectorXd::Zero(nv);
    if (floats) unit.head(3).setConstant(length), x.state.q.head(3) *= length;
    for (const JointDescription& j : robot.description.joints) {
      const reference::SpanningJoint& at = robot.reference.joint(j.name);
      if (j.type == "prismatic") unit(at.v.first) = length, x.state.q(at.q.first) *= length;
    }
    x.state.v = (x.state.v.cast<Real>().cwiseProduct(unit)).cast<double>();
  }
  void draw_rows(bool levels) {
    const int count = (levels ? 2 : 1) + random.below(3);
    for (int i = 0; i < count; ++i) {
      FrameConstraint c{.name = "c" + std::to_string(i)};
      std::vector<double> numbers;
      const double scale = random.below(2) ? decade(random, -8, 8) : 1.0;
      const bool copies = i > 0 && random.below(3) == 0;
      const double angle = random.below(2) ? 0.0 : decade(random, -9, -1);
      const auto number = [&](std::size_t k) { return random.normal() / (k % 6 < 3 ? length : 1.0); };
      if (copies) {
        const auto& of = std::get<FrameConstraint>(x.constraints[static_cast<std::size_t>(random.below(i))]);
        double largest = 0;  // the scale of the one that is copied
        for (std::size_t k = 0; k < of.rows.matrix.size(); ++k)
          largest = std::max(largest, std::fabs(of.rows.matrix[k]) * (k % 6 < 3 ? length : 1.0));
        c.frame = of.frame;
        for (std::size_t k = 0; k < of.rows.matrix.size(); ++k)
          numbers.push_back(scale * (of.rows.matrix[k] / largest + angle * number(k)));
      } else {
        c.frame = "l" + std::to_string(1 + random.below(static_cast<int>(robot.description.joints.size())));
        for (std::size_t k = 0, rows = 6 * (1 + static_cast<std::size_t>(random.below(3))); k < rows; ++k)
          numbers.push_back(scale * number(k));
      }
      c.rows = rows(numbers);
      c.in = "local_world_aligned";
      c.role = random.below(4) ? Role::driver : Role::physical;
      if (random.below(5) == 0) c.policy = Policy::soft;
      if (levels && c.policy != Policy::soft) c.priority = i < 2 ? i : random.below(3);
      x.constraints.push_back(c);
    }
  }
  FrameConstraint& constraint(int i) { return std::get<FrameConstraint>(x.constraints[static_cast<std::size_t>(i)]); }

  void read_rows() {
    const Posed p = pose(robot, x);
    const auto state = robot.reference.at(x.state.q, x.state.v);
    M = p.M, h = p.h, A = p.A, b = p.b;
    const Eigen::Index m = A.rows(), nv = M.rows();
    reach = Mat::Zero(m, nv);
    size = R = Vec::Zero(m);
    Real arm = 0;  // of the farthest link about the root
    for (const LinkDescription& link : robot.description.links)
      arm = std::max(arm, (state.pose(link.name).p - state.pose("l0").p).norm());
    for (Eigen::Index k = 0, i = 0; k < m; ++k, ++i) {
      if (k > 0 && p.constraint[static_cast<std::size_t>(k)] != p.constraint[static_cast<std::size_t>(k - 1)]) i = 0;
      const FrameConstraint& c = constraint(p.constraint[static_cast<std::size_t>(k)]);
      Vec row(6);
      for (Eigen::Index j = 0; j < 6; ++j) row(j) = c.rows.matrix[static_cast<std::size_t>(6 * i + j)];
      const Real f = row.head(3).norm(), n = row.tail(3).norm();
      const Mat J = state.jacobian(c.frame, reference::Axes::local_world_aligned);
      for (Eigen::Index y = 0; y < nv; ++y)
        reach(k, y) = f * (J.col(y).head(3).norm() + 2 * arm * J.col(y).tail(3).norm()) + n * J.col(y).tail(3).norm();
      const auto rest =
          state.acceleration(c.frame, Vec::Zero(nv), reference::Axes::local_world_aligned, reference::Kind::classical);
      A.row(k) = row.transpose() * J;  // of any lengths: pose() takes small entries for rounding
      b(k) = -row.dot(rest);
      size(k) = f * (rest.head(3).norm() + std::fabs(robot.options.gravity.z)) + n * rest.tail(3).norm();
      level.push_back(c.policy == Policy::soft ? -1 : c.priority);
      of_.push_back(p.constraint[static_cast<std::size_t>(k)]);
    }
    D = A;
    for (Eigen::Index k = 0; k < m; ++k)
      if (constraint(of_[static_cast<std::size_t>(k)]).role == Role::physical) D.row(k).setZero();
    const Mat L = Eigen::LLT<Mat>(M).matrixL();
    W = L.triangularView<Eigen::Lower>().solve(Mat(A.transpose())).transpose();
    weight = W.rowwise().norm();
  }

  /// Bounds, beta and tau: from an answer, or without one.
  void draw_answer(bool levels) {
    const Eigen::Index m = A.rows(), nv = M.rows();
    const Mat L = Eigen::LLT<Mat>(M).matrixL();
    const Vec a = scaled_motion(-1, 3);
    const Real strength = (L.transpose() * a).norm();
    lower = Vec::Constant(m, -k_open);
    upper = -lower;
    Vec lambda(m), slack = Vec::Zero(m), nu = Vec::Zero(nv);
    for (Eigen::Index k = 0; k < m; ++k) {
      FrameConstraint& c = constraint(of_[static_cast<std::size_t>(k)]);
      const Real force = strength / weight(k) * decade(random, -3, 3);
      lambda(k) = static_cast<double>(random.normal() * force);
      const bool first = k == 0 || of_[static_cast<std::size_t>(k)] != of_[static_cast<std::size_t>(k - 1)];
      if (first) {
        sense_ = !levels && random.below(3) == 0;
        limit_ = random.below(2) == 1;
        compliance_ = static_cast<double>(weight(k) * weight(k)) * decade(random, -12, 12);
      }
      if (c.policy == Policy::soft) c.compliance.push_back(compliance_), R(k) = compliance_;
      const Sense sense = sense_ ? static_cast<Sense>(random.below(3)) : Sense::equal;
      if (sense == Sense::at_least) lambda(k) = std::fabs(lambda(k)), lower(k) = 0;
      if (sense == Sense::at_most) lambda(k) = -std::fabs(lambda(k)), upper(k) = 0;
      if (sense_) c.sense.push_back(sense);
      const int kind = random.below(4);  // at a bound: 0 lower, 1 upper
      const Real open = strength * weight(k) * decade(random, -3, 1);
      if (sense != Sense::equal && kind == 0) lambda(k) = 0, slack(k) = sense == Sense::at_least ? open : -open;
      if (limit_) {
        double limit = static_cast<double>(std::fabs(lambda(k)));
        const bool reached = kind == 1 && lambda(k) != 0;
        if (reached) slack(k) = lambda(k) > 0 ? -open : open;
        if (!reached) limit = limit * (1 + decade(random, -3, 2)) + (lambda(k) == 0 ? static_cast<double>(force) : 0.0);
        if (!made && random.below(10) == 0) limit *= 1e-9;
        c.limit.push_back(limit);
        lower(k) = std::max(lower(k), Real(-limit));
        upper(k) = std::min(upper(k), Real(limit));
      }
    }
    x.state.tau = Vec(M * a + h - A.transpose() * lambda).cast<double>();
    const Vec tau = x.state.tau.cast<Real>(), u = tau + D.transpose() * lambda;
    motor_lower = Vec::Constant(nv, -k_open);
    motor_upper = -motor_lower;
    const bool motors = random.below(2) == 1;
    for (Eigen::Index y = robot.options.root == "floating" ? 6 : 0; y < nv && motors; ++y) {
      if (random.below(2)) continue;
      const bool reached = random.below(3) == 0 && D.col(y).cwiseAbs().maxCoeff() > 0 && u(y) != 0;
      const double most = static_cast<double>(std::fabs(u(y))),
                   limit = reached ? most : most * (1 + decade(random, -6, 1));
      if (reached) nu(y) = (u(y) > 0 ? 1 : -1) * std::fabs(a(y)) * decade(random, -2, 2);
      motor_lower(y) = -limit, motor_upper(y) = limit;
      limit_motor(robot.model, x.settings.motor_limits, robot.model.coordinate_names()[static_cast<std::size_t>(y)],
                  -limit, limit);
    }
    if (!made) x.state.tau = scaled(x.state.tau);
    const bool consistent = levels || made;
    if (levels) slack.setZero(), nu.setZero();
    const Vec asked = (levels || !made) ? scaled_motion(-1, 3) : a;
    for (Eigen::Index k = 0; k < m; ++k) {
      FrameConstraint& c = constraint(of_[static_cast<std::size_t>(k)]);
      const Real to = A.row(k).dot(asked) + R(k) * lambda(k) + D.row(k).dot(nu) - slack(k);
      double beta = static_cast<double>(to - b(k));
      if (!consistent) beta += static_cast<double>(random.normal() * open_of(k, strength));
      c.beta.push_back(beta);
      b(k) += Real(beta);
      size(k) += std::fabs(Real(beta));
    }
  }
  Real open_of(Eigen::Index k, Real strength) { return strength * weight(k) * decade(random, -6, 1); }
  Eigen::VectorXd scaled(const Eigen::VectorXd& tau) {
    Eigen::VectorXd out = tau;
    for (double& t : out) t *= random.below(2) ? 1.0 : random.uniform(-2, 2);
    return out;
  }

  std::vector<int> of_;  ///< constraint of a row
  bool sense_ = false, limit_ = false;
  double compliance_ = 0;
};

struct Kkt {
  Real worst = 0;   ///< over what is promised
  Real motion = 0;  ///< the same of M q'' + h = tau + A^T lambda
  std::string of;
  void add(Real off, Real bound, const char* what, Eigen::Index at) {
    if (bound > 0 ? off / bound <= worst : off <= 0) return;
    worst = bound > 0 ? off / bound : Real(k_open);
    of = std::string(what) + " " + std::to_string(at);
  }
};

/// Bounds of all forces, and M q'' + h = tau + A^T lambda, from the numbers of a solution.
inline void check_forces(const HostileLimits& x, const Vec& a, const Vec& lambda, const Vec& u, Kkt& worst) {
  const Eigen::Index nv = x.M.rows();
  const Vec tau = x.x.state.tau.cast<Real>(), off = x.M * a + x.h - tau - x.A.transpose() * lambda,
            inertia = x.M.diagonal().cwiseSqrt(), v = x.x.state.v.cast<Real>();
  Real mass = 0;
  for (const LinkDescription& link : x.robot.description.links) mass += link.mass;
  const Real speed = v.cwiseQuotient(x.unit).norm(), pull = std::sqrt(mass) * std::fabs(x.robot.options.gravity.z) +
                                                            std::sqrt(mass) * 10 * Real(x.length) * speed * speed;
  for (Eigen::Index y = 0; y < nv; ++y) {
    const Real forces = x.A.col(y).cwiseAbs().dot(lambda.cwiseAbs());
    const Real terms = inertia(y) * (inertia.dot(a.cwiseAbs()) + pull) + std::fabs(tau(y)) + std::fabs(x.h(y)) + forces;
    if (off(y) != 0) worst.motion = std::max(worst.motion, std::fabs(off(y)) / (k_promise * terms));
    const Real given = tau(y) + x.D.col(y).dot(lambda),
               of_motor = std::fabs(tau(y)) + x.D.col(y).cwiseAbs().dot(lambda.cwiseAbs());
    worst.add(std::fabs(u(y) - given), k_promise * of_motor, "torque", y);
    for (const Real limit : {x.motor_lower(y), x.motor_upper(y)}) {
      if (!(std::fabs(limit) < k_open)) continue;
      const Real beyond = limit == x.motor_upper(y) ? given - limit : limit - given;
      worst.add(std::max(beyond, Real(0)), k_promise * (of_motor + std::fabs(limit)), "motor", y);
    }
  }
}

struct Rates {
  int all = 0, ok = 0, at_bound = 0;
  std::map<std::string, std::pair<int, std::string>> other;
  void miss(const std::string& what, int seed) {
    auto& [count, seeds] = other[what];
    if (count++ < 12) seeds += " " + std::to_string(seed);
  }
  void print(const char* name) const {
    printf("%s: %d sets, ok %d (%.3f %%), at a limit %d\n", name, all, ok, 100.0 * ok / std::max(all, 1), at_bound);
    for (const auto& [what, of] : other) printf("  %s %d:%s\n", what.c_str(), of.first, of.second.c_str());
  }
};

inline int hostile_sets(int usual) {
  return std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? 50 * usual : effort(usual, 40);
}
inline int first_seed() {
  const char* given = std::getenv("ZWANG_SEED");
  return given != nullptr ? std::atoi(given) : 0;
}

}  // namespace zwang::test::hostile
