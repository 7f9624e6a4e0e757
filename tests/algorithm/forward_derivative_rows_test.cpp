// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of forward dynamics from the columns of its sweep, by their factor or as responses: M times them is minus
// the derivatives of inverse dynamics that the readable page gives, for every joint, root, wrench and joint effect,
// whatever stood in the outputs, and nothing else is touched.
// Tolerance: residuals of a backward stable factorisation, some 60 operations for each of up to 60 coordinates of a
// path: 4000 roundings of |M| |X| + |d ID|. The condition of M has no part in it.
#include "algorithm/page/forward_dynamics_derivative_rows.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "algorithm/page/articulated_cholesky.hpp"
#include "algorithm/page/forward_dynamics_derivative_responses.hpp"
#include "algorithm/row_cases.hpp"
#include "zwang/algorithm/derivatives.hpp"

namespace zwang::test {
namespace {

constexpr long double k_residual = 4000;

/// n x n numbers by columns.
template <class S> std::vector<S> square(Index n) {
  return std::vector<S>(static_cast<std::size_t>(n * n), S(Uniform<S>(0)));
}
template <class S> long double largest_part(const std::vector<S>& x, bool derivative) {
  long double most = 0;
  for (const S& y : x)
    most = std::max(most, std::fabs(derivative ? Lanes<S>::derivative(y, 0) : Lanes<S>::value(y, 0)));
  return most;
}

/// M X = -B. `terms`: v^2 + |a|, what entries of B that cancel to nothing are made of, but for M.
template <class S>
void expect_solved(const std::vector<S>& M, const RowsOutput<S>& X, int k, const std::vector<S>& B, long double terms) {
  const Index n = X.n;
  std::vector<S> own = square<S>(n), rest = square<S>(n);
  for (Index c = 0; c < n; ++c)
    for (Index r = 0; r < n; ++r) {
      const auto at = static_cast<std::size_t>(c * n + r);
      own[at] = X.at(k, r, c);
      rest[at] = B[at];
      for (Index i = 0; i < n; ++i) rest[at] += M[static_cast<std::size_t>(i * n + r)] * X.at(k, i, c);
    }
  const long double m = largest_part(M, false), x = largest_part(own, false), b = largest_part(B, false);
  const long double scale = n * m * x + b + m * terms;
  EXPECT_LE(largest_part(rest, false), k_residual * rounding<S> * scale) << "matrix " << k << " of " << n;
  const long double dm = largest_part(M, true), dx = largest_part(own, true), db = largest_part(B, true);
  EXPECT_LE(largest_part(rest, true), k_residual * rounding<S> * (n * (m * dx + dm * x) + db + scale))
      << "derivative, matrix " << k << " of " << n;
}

template <class S> bool expect_rows(const Model& m, std::uint64_t seed, bool wrenches, Index gap) {
  const page::PassiveEffects effects{true, false, true};
  RowsState<S> s(m, seed, wrenches), plain(m, seed, wrenches);
  const Index n = m.nv();
  if (s.data.tree().mimic || n == 0 || !page::has_constant_columns(s.data.tree())) return false;
  const std::vector<S> tau = s.a;
  std::vector<S> a(tau.size()), M = square<S>(n), unit = square<S>(n);
  if (!page::forward_dynamics(s.data, s.q.data(), s.v.data(), tau.data(), a.data())) return false;
  if (any(page::is_doubtful(s.data))) return false;
  RowsOutput<S> rows(n, gap, 3), responses(n, gap, 2), expected(n, 0, 2);
  Buffer<S> L(n * n), scratch(page::panel_scratch(n)), room(page::response_scratch(n, s.data.tree().n));
  page::forward_dynamics_derivative_responses(s.data, s.q.data(), s.v.data(), a.data(), effects, room.data(),
                                              responses.views());
  page::factor_of_columns(s.data, L.data(), n, static_cast<page::ArticulatedColumn<S>*>(nullptr));
  page::forward_dynamics_derivative_rows(s.data, s.q.data(), s.v.data(), a.data(), effects, L.data(), n, scratch.data(),
                                         rows.views());
  page::kinematics(plain.data, plain.q.data(), plain.v.data(), a.data());
  for (int k = 0; k < 2; ++k) page::clear(expected.view(k));
  page::inverse_dynamics_derivatives(plain.data, plain.q.data(), plain.v.data(), a.data(), effects, expected.views());
  page::mass_matrix(plain.data, plain.q.data(), M.data(), n);
  for (Index k = 0; k < n; ++k) unit[static_cast<std::size_t>(k * (n + 1))] = S(Uniform<S>(-1));
  long double terms = largest_part(a, false);
  for (const S& x : s.v) terms += Lanes<S>::value(x, 0) * Lanes<S>::value(x, 0);
  for (int k = 0; k < 2; ++k) {
    std::vector<S> B = square<S>(n);
    for (Index i = 0; i < n * n; ++i) B[static_cast<std::size_t>(i)] = expected.at(k, i % n, i / n);
    expect_solved(M, rows, k, B, terms);
    expect_solved(M, responses, k, B, terms);
  }
  expect_solved(M, rows, 2, unit, 0);
  for (const RowsOutput<S>* out : {&rows, &responses})
    for (int k = 0; k < 3; ++k)
      for (Index c = 0; c < n; ++c)
        for (Index r = k < out->count ? n : 0; r < out->stride; ++r)
          EXPECT_TRUE(near(Lanes<S>::value(out->at(k, r, c), 0), Lanes<S>::value(out->before, 0), 0)) << k << r << c;
  return true;
}

template <class S> struct ForwardDerivativeRows : ::testing::Test {};
using PanelScalars = ::testing::Types<double, Dual<double>, std::complex<double>>;
TYPED_TEST_SUITE(ForwardDerivativeRows, PanelScalars);

TYPED_TEST(ForwardDerivativeRows, SolveWhatTheReadablePageGives) {
  int seen = 0;
  for (int seed = 0; seed < effort(600, 100); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = rows_model<TypeParam>(seed);
    seen += expect_rows<TypeParam>(m, static_cast<std::uint64_t>(seed), seed % 2 == 1, seed % 3);
    if (this->HasFailure()) return;
  }
  EXPECT_GT(seen, 0);
}
TEST(ForwardDerivativeRowsOfRobots, SolveWhatTheReadablePageGives) {
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    const Case c = load_case(file);
    for (const bool wrenches : {false, true}) expect_rows<double>(c.model, 3, wrenches, wrenches ? 0 : 5);
  }
}

// --- the public call, whichever way it takes -------------------------------------------------------------------------

/// A chain with its joints about x, y, z in turn; every third of them is a ball, every seventh a rail.
Model long_chain(int joints) {
  RobotDescription r{.name = "chain"};
  const auto link = [](int k) {
    return make_link("link" + std::to_string(k), 0.5 + 0.1 * (k % 4), {0.01, 0.02, 0.05},
                     Sym3<double>::diagonal(6e-3, 5e-3, 4e-3));
  };
  r.links.push_back(link(0));
  for (int k = 1; k <= joints; ++k) {
    const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    r.links.push_back(link(k));
    r.joints.push_back(make_joint("joint" + std::to_string(k),
                                  k % 3 == 2   ? "spherical"
                                  : k % 7 == 6 ? "prismatic"
                                               : "revolute",
                                  "link" + std::to_string(k % 5 == 4 ? k - 2 : k - 1), "link" + std::to_string(k),
                                  axes[k % 3], {0, 0, 0.1}));
  }
  return build(r);
}

/// What the call has done: the second where forward dynamics has an answer, the last where it has none either.
enum class Went { given, refused, without_answer };

/// `lost`: how many times the rounding of a coordinate's inertia is its own.
Went expect_answer(const Model& m, std::uint64_t seed, double lost = 1) {
  const Index n = m.nv();
  Data data(m), other(m);
  TreeCholesky factor(m);
  RandomState x = random_state(m, seed);
  Eigen::MatrixXd by_q = Eigen::MatrixXd::Constant(n, n, -77), by_v = by_q, by_tau = by_q;
  Eigen::VectorXd a;
  try {
    a = forward_dynamics(m, other, x.q, x.v, x.tau);
  } catch (const std::exception&) {
    EXPECT_ANY_THROW(forward_dynamics_derivatives(m, data, factor, x.q, x.v, x.tau, by_q, by_v, by_tau));
    return Went::without_answer;
  }
  try {
    a = forward_dynamics_derivatives(m, data, factor, x.q, x.v, x.tau, by_q, by_v, by_tau);
  } catch (const std::exception&) { return Went::refused; }
  EXPECT_TRUE(by_q.allFinite() && by_v.allFinite() && by_tau.allFinite());
  if (n == 0) return Went::given;
  EXPECT_EQ(by_tau, by_tau.transpose().eval());
  Eigen::MatrixXd q(n, n), v(n, n), M(n, n), unit = Eigen::MatrixXd::Identity(n, n);
  inverse_dynamics_derivatives(m, other, x.q, x.v, a, q, v, M);
  // Entries of d ID may cancel to nothing. Where M is nearly singular, it is rounding itself: then no worse than -M^-1
  // times d ID.
  TreeCholesky own(m);
  Eigen::MatrixXd by_inverse(n, n);
  own.compute(other, x.q);
  own.inverse(by_inverse);
  const double terms = largest(M) * (x.v.squaredNorm() + a.norm());
  const auto limit = [&](const Eigen::MatrixXd& X, const Eigen::MatrixXd& B) {
    return lost * static_cast<double>(k_residual) * k_eps * (n * largest(M) * largest(X) + largest(B) + terms) +
           10 * largest(B - M * (by_inverse * B));
  };
  EXPECT_LE(largest(M * by_q + q), limit(by_q, q));
  EXPECT_LE(largest(M * by_v + v), limit(by_v, v));
  EXPECT_LE(largest(M * by_tau - unit), limit(by_tau, unit));
  // The factor is that of M.
  Eigen::MatrixXd product = unit, inverse(n, n);
  for (Index k = 0; k < n; ++k) factor.multiply(product.col(k));
  EXPECT_LE(largest(product - M), lost * static_cast<double>(k_residual) * k_eps * largest(M));
  factor.inverse(inverse);
  EXPECT_LE(largest(M * inverse - unit), limit(inverse, unit));
  return Went::given;
}

TEST(ForwardDerivativesByTheirSweep, SolveTheEquationsOfMotion) {
  int given = 0;
  for (int seed = 0; seed < effort(400); ++seed) {
    SCOPED_TRACE(seed);
    const Went went = expect_answer(rows_model(seed), static_cast<std::uint64_t>(seed));
    EXPECT_NE(went, Went::refused);
    given += went == Went::given;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(given, effort(400) * 3 / 4);
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    EXPECT_EQ(expect_answer(load_case(file).model, 4), Went::given);
  }
}
/// Every number of coordinates up to where products take over, and beyond: all widths of panels and their edges.
TEST(ForwardDerivativesByTheirSweep, SolveForAnyNumberOfCoordinates) {
  for (int joints = 0; joints <= 44; ++joints) {
    SCOPED_TRACE(joints);
    EXPECT_EQ(expect_answer(long_chain(joints), static_cast<std::uint64_t>(joints)), Went::given);
  }
}
/// Serial chains, whose masses lie within 10^-decades and 10^decades, up to where responses take over, and beyond.
TEST(ForwardDerivativesByTheirSweep, SolveForLongChains) {
  for (const int joints : {8, 30, 42, 43, 44, 45, 51, 63, 64, 65, 66, 100})
    for (const int decades : {0, 3, 6}) {
      SCOPED_TRACE(std::to_string(joints) + " joints, masses of 10^" + std::to_string(decades));
      RobotDescription r{.name = "chain"};
      const auto link = [&](int k) {
        const double mass = std::pow(10.0, decades * std::sin(1.0 + k * k));
        return make_link("link" + std::to_string(k), mass, {0.01, 0.02, 0.05},
                         Sym3<double>::diagonal(6e-3 * mass, 5e-3 * mass, 4e-3 * mass));
      };
      r.links.push_back(link(0));
      for (int k = 1; k <= joints; ++k) {
        const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        r.links.push_back(link(k));
        r.joints.push_back(make_joint("joint" + std::to_string(k), "revolute", "link" + std::to_string(k - 1),
                                      "link" + std::to_string(k), axes[k % 3], {0, 0, 0.1}));
      }
      EXPECT_EQ(expect_answer(build(r), static_cast<std::uint64_t>(joints), decades == 0 ? 1 : 1e5), Went::given);
    }
}
/// Where motions are huge, the answer is finite or refused, never NaN or infinite without a word.
TEST(ForwardDerivativesByTheirSweep, SayWhereTheyOverflow) {
  int refused = 0, given = 0;
  for (int seed = 0; seed < effort(300, 100); ++seed) {
    const Model m = seed % 2 == 1 ? build(sample_arm7()) : rows_model(seed);
    if (m.nv() == 0) continue;
    Data data(m);
    TreeCholesky factor(m);
    RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    x.v *= std::pow(10.0, 60 + seed % 100);
    Eigen::MatrixXd d[3];
    for (Eigen::MatrixXd& y : d) y = Eigen::MatrixXd::Zero(m.nv(), m.nv());
    try {
      forward_dynamics_derivatives(m, data, factor, x.q, x.v, x.tau, d[0], d[1], d[2]);
      for (const Eigen::MatrixXd& y : d) EXPECT_TRUE(y.allFinite()) << seed;
      ++given;
    } catch (const std::exception&) { ++refused; }
    x.v.setZero();  // what a refused call has left is nothing to the next one
    EXPECT_NE(expect_answer(m, static_cast<std::uint64_t>(seed)), Went::refused);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(given, 0);
}
/// Light and heavy links in any order, and links without mass: an answer that fits, or the refusal of forward dynamics.
TEST(ForwardDerivativesByTheirSweep, OfMassesOfAnySize) {
  int given = 0, refused = 0, count = 0;
  for (int seed = 0; seed < effort(200); ++seed) {
    SCOPED_TRACE(seed);
    RandomRobot robot;
    robot.joints = 1 + seed % 9;
    RobotDescription r = random_robot(static_cast<std::uint64_t>(seed) + 5000, robot);
    Random random(static_cast<std::uint64_t>(seed));
    for (LinkDescription& l : r.links) {
      const double k = seed % 4 == 3 && random.below(3) == 0 ? 0.0 : std::pow(10.0, random.below(19) - 9.0);
      l.mass *= k;
      l.inertia = l.inertia * k;
    }
    try {
      const Went went = expect_answer(build(r), static_cast<std::uint64_t>(seed), 1e5);
      ++count;
      given += went == Went::given;
      refused += went == Went::refused;
    } catch (const ModelError&) {}  // a model that has no mass
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("  of %d, %d given, %d refused where forward dynamics has an answer\n", count, given, refused);
  EXPECT_GT(given, count / 2);
  EXPECT_LE(refused, count / 20);
}
/// A factor of another model is refused, and so is one that was moved from.
TEST(ForwardDerivativesByTheirSweep, RefuseAFactorOfAnotherModel) {
  const Model m = build(sample_arm7()), other = long_chain(7);
  Data data(m);
  TreeCholesky factor(other), moved(m), to(std::move(moved));
  const RandomState x = random_state(m, 1);
  Eigen::MatrixXd q(m.nv(), m.nv()), v(q), tau(q);
  EXPECT_THROW(forward_dynamics_derivatives(m, data, factor, x.q, x.v, x.tau, q, v, tau), std::invalid_argument);
  EXPECT_THROW(forward_dynamics_derivatives(m, data, moved, x.q, x.v, x.tau, q, v, tau), std::logic_error);
}

}  // namespace
}  // namespace zwang::test
