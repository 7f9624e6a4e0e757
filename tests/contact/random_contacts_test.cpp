// SPDX-License-Identifier: BSD-3-Clause
// ContactSolver on random problems: matrices of a given condition, and bodies with masses of a given ratio, whose
// contacts are redundant. Signorini's and Coulomb's laws are judged here, in long double, from impulses alone.
// ZWANG_WHOLE_TABLE=1: 2000 problems for each power of ten, as docs/contact.md says; otherwise 60.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>

#include "zwang/contact/contact_solver.hpp"

namespace zwang::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine_); }
  double normal() { return std::normal_distribution<>()(engine_); }
  VectorXd vector(Eigen::Index n) {
    return VectorXd::NullaryExpr(n, [&](Eigen::Index) { return normal(); });
  }
  Eigen::Vector3d point() { return Eigen::Vector3d{normal(), normal(), normal()}; }
  int whole(int most) { return static_cast<int>(engine_() % static_cast<unsigned>(most)); }

 private:
  std::mt19937_64 engine_;
};

struct Problem {
  MatrixXd W;
  VectorXd y;
  std::vector<ContactCone> cones = {};
};

/// Five contacts whose G has the condition kappa.
Problem of_condition(double kappa, unsigned seed) {
  Random random(seed);
  const int m = 15;
  MatrixXd A(m, m);
  for (int k = 0; k < m; ++k) A.col(k) = random.vector(m);
  const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(A).householderQ();
  VectorXd s(m);
  for (int k = 0; k < m; ++k) s[k] = std::exp(random.uniform(0, 1) * std::log(kappa) / 2);
  s[0] = 1, s[m - 1] = std::sqrt(kappa);
  Problem p{.W = (Q * s.asDiagonal()).transpose(), .y = random.vector(m)};
  for (int k = 0; k < m / 3; ++k) p.cones.push_back({.mu = random.uniform(0, 1.2)});
  return p;
}

/// Ten contacts anywhere among four bodies and the ground; the masses are between 1 and `ratio`.
Problem of_bodies(double ratio, unsigned seed) {
  Random random(seed);
  const int bodies = 4, contacts = 10;
  MatrixXd J = MatrixXd::Zero(3 * contacts, 6 * bodies);
  VectorXd root(6 * bodies), size(bodies), y(6 * bodies);
  for (int i = 0; i < bodies; ++i) {
    const double mass = i == 0 ? 1 : i == 1 ? ratio : std::exp(random.uniform(0, 1) * std::log(ratio));
    size[i] = random.uniform(0.05, 0.5);
    root.segment<3>(6 * i).setConstant(1 / std::sqrt(mass));
    root.segment<3>(6 * i + 3).setConstant(1 / std::sqrt(0.4 * mass * size[i] * size[i]));
  }
  for (int c = 0; c < contacts; ++c) {
    const int one = random.whole(bodies), other = random.whole(bodies + 1) - 1;
    const Eigen::Vector3d n = random.point().normalized(), t = n.cross(random.point()).normalized();
    Eigen::Matrix3d axes;
    axes << t.transpose(), n.cross(t).transpose(), n.transpose();
    for (const int body : {one, other}) {
      if (body < 0 || (body == other && other == one)) continue;
      const double sign = body == one ? 1 : -1;
      const Eigen::Vector3d r = size[body] * random.point();
      J.block<3, 3>(3 * c, 6 * body) += sign * axes;
      for (int k = 0; k < 3; ++k)
        J.block<1, 3>(3 * c + k, 6 * body + 3) += sign * r.cross(axes.row(k).transpose()).transpose();
    }
  }
  for (int k = 0; k < 6 * bodies; ++k) y[k] = (random.normal() - (k % 6 == 2 ? 1 : 0)) / root[k];
  Problem p{.W = (J * root.asDiagonal()).transpose(), .y = y};
  for (int c = 0; c < contacts; ++c) p.cones.push_back({.mu = random.uniform(0, 1.2)});
  return p;
}

/// The largest violation of the laws, with the motion in long double, in rows of length 1 and beside the speeds.
double violation(const Problem& p, const VectorXd& impulses) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const LongMatrix W = p.W.cast<long double>();
  const Long y = p.y.cast<long double>() + W * impulses.cast<long double>(), s = W.transpose() * y;
  const long double speed = p.y.cast<long double>().norm() + y.norm();
  long double most = 0;
  for (std::size_t c = 0; c < p.cones.size(); ++c) {
    const auto k = static_cast<Eigen::Index>(3 * c);
    const long double scale = std::sqrt(3 / W.middleCols(k, 3).squaredNorm()), mu = p.cones[c].mu;
    const Long l = impulses.segment(k, 3).cast<long double>() / scale, v = s.segment(k, 3) * scale;
    const long double force = l.head(2).norm(), slip = v.head(2).norm();
    // |l_t| <= mu l_n to the last bits, whatever the size of the impulses.
    EXPECT_LE(force, mu * l[2] * (1 + 8 * std::numeric_limits<double>::epsilon()) + 1e-300);
    // Signorini: one of l_n, v_n is 0 and neither is negative. Coulomb: where it slips, v_t is against l_t, which is on
    // the surface of the cone.
    long double wrong = std::max({-v[2], -l[2], std::min(std::fabs(l[2]), std::fabs(v[2]))});
    const long double against = force > 0 ? (v.head(2) + slip * l.head(2) / force).norm() : 0;
    wrong = std::max(wrong, std::min(slip, std::max(against, std::fabs(force - mu * l[2]))));
    most = std::max(most, wrong / speed);
  }
  return static_cast<double>(most);
}

struct Count {
  int problems = 0, solved = 0, exact = 0, silent = 0, warm = 0;
};
template <class Make> Count count(Make&& make, int problems) {
  Count n;
  ContactSolver solver;
  for (int k = 0; k < problems; ++k) {
    Problem p = make(static_cast<unsigned>(k));
    const ContactReport& r = solver.solve(p.cones, {.W = p.W, .y = p.y});
    const double wrong = violation(p, solver.impulses());
    ++n.problems;
    n.solved += r.residual <= 1e-9;
    n.exact += r.residual <= 1e-12;
    if (r.status == Status::ok)
      n.silent += !(wrong <= 4 * r.residual + 1e-12);  // rounding of the double motion that the residual is made of
    else
      EXPECT_EQ(r.status, Status::not_converged);
    const VectorXd impulses = solver.impulses();
    Random random(static_cast<unsigned>(k) + 7);
    p.y += 1e-3 * p.y.norm() / std::sqrt(static_cast<double>(p.y.size())) * random.vector(p.y.size());
    n.warm += solver.solve(p.cones, {.W = p.W, .y = p.y, .warm = impulses}).stage == ContactStage::warm;
  }
  return n;
}
/// Contacts with moving obstacles, made from an answer: W random with few columns of motion, open, stuck and slipping.
struct Known {
  Problem problem;
  VectorXd offset, impulses;
};
Known with_an_answer(unsigned seed) {
  Random random(seed);
  const int contacts = 2 + random.whole(4), n = 2 + random.whole(5), m = 3 * contacts;
  Known k{.problem = {.W = MatrixXd(n, m), .y = random.vector(n)}, .offset = {}, .impulses = VectorXd::Zero(m)};
  VectorXd sigma = VectorXd::Zero(m);
  for (int c = 0; c < contacts; ++c) {
    for (int row = 0; row < 3; ++row) k.problem.W.col(3 * c + row) = random.vector(n);
    const double mu = random.uniform(0.1, 1.2), turn = random.uniform(0, 2 * std::numbers::pi),
                 push = random.uniform(0.1, 2);
    const Eigen::Vector2d d(std::cos(turn), std::sin(turn));
    k.problem.cones.push_back({.mu = mu});
    switch (random.whole(3)) {
      case 0: sigma.segment<3>(3 * c) << random.vector(2), random.uniform(0.1, 2); break;
      case 1: k.impulses.segment<3>(3 * c) << random.uniform(0, 0.9) * mu * push * d, push; break;
      default:
        k.impulses.segment<3>(3 * c) << mu * push * d, push;
        sigma.segment<2>(3 * c) = -random.uniform(0.1, 2) * d;
    }
  }
  k.offset = sigma - k.problem.W.transpose() * (k.problem.y + k.problem.W * k.impulses);
  return k;
}

bool whole_table() { return std::getenv("ZWANG_WHOLE_TABLE") != nullptr; }
/// A line of the table in docs/contact.md.
void show(const char* what, int power, const Count& n) {
  if (!whole_table()) return;
  std::printf("%s 1e%d: %d problems, %d to 1e-12, %d to 1e-9, %d warm\n", what, power, n.problems, n.exact, n.solved,
              n.warm);
}
int problems() { return whole_table() ? 2000 : 60; }

TEST(RandomContacts, OfAnyConditionAreSolved) {
  for (int power = 0; power <= 8; ++power) {
    const Count n = count([&](unsigned seed) { return of_condition(std::pow(10, power), seed); }, problems());
    show("condition", power, n);
    EXPECT_EQ(n.exact, n.problems) << "condition 1e" << power;
    EXPECT_EQ(n.silent, 0) << "condition 1e" << power;
    EXPECT_GE(n.warm, n.problems * 9 / 10) << "condition 1e" << power;
  }
}

TEST(RandomContacts, OfBodiesOfAnyMassAreSolvedOrSayNot) {
  for (int power = 0; power <= 8; ++power) {
    const Count n = count([&](unsigned seed) { return of_bodies(std::pow(10, power), seed); }, problems());
    show("mass ratio", power, n);
    if (power <= 5) { EXPECT_EQ(n.exact, n.problems) << "mass ratio 1e" << power; }
    EXPECT_GE(n.solved, n.problems * 98 / 100) << "mass ratio 1e" << power;
    EXPECT_EQ(n.silent, 0) << "mass ratio 1e" << power;
  }
}

TEST(RandomContacts, WithAnAnswerAreNeverContradicted) {
  ContactSolver solver;
  int solved = 0;
  const int count = 10 * problems();
  for (int k = 0; k < count; ++k) {
    const Known known = with_an_answer(static_cast<unsigned>(k));
    const Problem& p = known.problem;
    const ContactReport& r = solver.solve(p.cones, {.W = p.W, .y = p.y, .offset = known.offset});
    EXPECT_NE(r.status, Status::infeasible) << k << r.explain();
    solved += r.status == Status::ok;
    const ContactReport& warm =
        solver.solve(p.cones, {.W = p.W, .y = p.y, .offset = known.offset, .warm = known.impulses});
    EXPECT_EQ(warm.status, Status::ok) << k << warm.explain();
  }
  EXPECT_GE(solved, count * 98 / 100);
}

}  // namespace
}  // namespace zwang::test
