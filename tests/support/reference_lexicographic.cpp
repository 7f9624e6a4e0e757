// SPDX-License-Identifier: BSD-3-Clause
// Lexicographic least constraint by singular values in long double (reference_lexicographic.hpp).
#include "support/reference_lexicographic.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <stdexcept>

namespace zwang::reference {

namespace {

using Vec = VectorX<Real>;
using Mat = MatrixX<Real>;
using Svd = Eigen::JacobiSVD<Mat>;
constexpr unsigned k_thin = Eigen::ComputeThinU | Eigen::ComputeThinV;

Mat some_rows(const Mat& A, const std::vector<int>& of) { return A(of, Eigen::all); }
Vec some(const Vec& x, const std::vector<int>& of) { return x(of); }

/// Which rows and coordinates are which; soft rows as springs: M + A_s^T R^-1 A_s, h - A_s^T R^-1 b_s.
struct Parts {
  explicit Parts(const HybridProblem& p) {
    const int n = static_cast<int>(p.M.rows()), m = static_cast<int>(p.A.rows());
    if (p.A.cols() != n || p.h.size() != n || p.tau.size() != n || p.b.size() != m)
      throw std::invalid_argument("reference: sizes of M, h, tau, A and b differ");
    std::vector<bool> given(static_cast<std::size_t>(n), false);
    prescribed = Vec::Zero(n);
    for (const auto& [k, a] : p.prescribed) {
      given[static_cast<std::size_t>(k)] = true;
      prescribed(k) = a;
    }
    for (int k = 0; k < n; ++k) (given[static_cast<std::size_t>(k)] ? held : free).push_back(k);
    for (int i = 0; i < m; ++i) (p.R.size() > 0 && p.R(i) > 0 ? soft : hard).push_back(i);
    M = p.M;
    force = p.tau - p.h;
    if (!soft.empty()) {
      const Mat As = some_rows(p.A, soft);
      const Vec stiffness = some(p.R, soft).cwiseInverse();
      M += As.transpose() * stiffness.asDiagonal() * As;
      force += As.transpose() * stiffness.cwiseProduct(some(p.b, soft));
    }
    A = some_rows(p.A, hard);
  }
  Mat on_free(const Mat& X) const { return X(Eigen::all, free); }
  std::vector<int> held, free, hard, soft;
  Vec prescribed, force;
  Mat M, A;
};

/// The factor of what the free coordinates weigh.
struct Factor {
  explicit Factor(const Mat& M) : L(M) {
    if (M.rows() > 0 && L.info() != Eigen::Success)
      throw std::domain_error("reference: the inertia of the free coordinates is not positive definite");
    if (M.rows() == 0) return;
    const Vec scale = M.diagonal().cwiseSqrt().cwiseInverse();
    const Mat E = scale.asDiagonal() * M * scale.asDiagonal();
    const Vec e = Eigen::SelfAdjointEigenSolver<Mat>(E, Eigen::EigenvaluesOnly).eigenvalues();
    condition = e(e.size() - 1) / e(0);
  }
  Eigen::LLT<Mat> L;
  Real condition = 1;
};

/// Acceleration of all coordinates when the free ones feel `force` and the others move as `prescribed`.
Vec moved(const Parts& parts, const Factor& factor, const Vec& force, const Vec& prescribed) {
  Vec a = prescribed;
  if (parts.free.empty()) return a;
  a(parts.free) = Vec(factor.L.solve(some(Vec(force - parts.M * prescribed), parts.free)));
  return a;
}

/// What the drivers left out would do to each row on their own.
Vec uncompensated(const HybridProblem& p, const Parts& parts, const Factor& factor) {
  Vec shift = Vec::Zero(p.b.size());
  if (p.left_out.empty()) return shift;
  const Vec none = Vec::Zero(p.h.size());
  const std::pair<unsigned, Vec> drivers[] = {
      {HybridProblem::gravity_driver, moved(parts, factor, p.gravity.size() > 0 ? p.gravity : none, none)},
      {HybridProblem::external_driver, moved(parts, factor, p.external.size() > 0 ? p.external : none, none)},
      {HybridProblem::tau_driver, moved(parts, factor, p.tau, none)},
      {HybridProblem::prescribed_driver, moved(parts, factor, none, parts.prescribed)}};
  for (const int i : parts.hard)
    for (const auto& [bit, a] : drivers)
      if (p.left_out[static_cast<std::size_t>(i)] & bit) shift(i) += p.A.row(i).dot(a);
  return shift;
}

/// Rows of unit length, zero where nothing but rounding is left of a row.
Mat equilibrated(const Mat& Y, const Mat& A, const Eigen::LLT<Mat>& L, Real tolerance) {
  const Mat factor = L.matrixL();
  const Mat inverse = factor.triangularView<Eigen::Lower>().solve(Mat::Identity(factor.rows(), factor.cols()));
  const Mat bound = A.cwiseAbs() * inverse.transpose().cwiseAbs();
  Mat E = Mat::Zero(Y.rows(), Y.cols());
  for (Eigen::Index i = 0; i < Y.rows(); ++i)
    if (Y.row(i).norm() > tolerance * bound.row(i).norm()) E.row(i) = Y.row(i).normalized();
  return E;
}

/// Levels one after the other: x least-norm among those that are best for each level in turn; V spans what rows see.
void descend(const HybridProblem& p, const Parts& parts, const Mat& E, const Mat& Y, const Vec& b, Vec& x, Mat& V,
             HybridMotion& out) {
  const Eigen::Index n = Y.cols();
  Mat N = Mat::Identity(n, n);  // directions that the levels before leave free
  x = Vec::Zero(n);
  V.resize(n, 0);
  std::vector<int> levels;
  for (const int i : parts.hard) levels.push_back(p.level.empty() ? 0 : p.level[static_cast<std::size_t>(i)]);
  const int last = levels.empty() ? -1 : *std::max_element(levels.begin(), levels.end());
  for (int level = 0; level <= last; ++level) {
    std::vector<int> of;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i] == level) of.push_back(static_cast<int>(i));
    if (of.empty() || N.cols() == 0) continue;
    const Svd seen(some_rows(E, of) * N, Eigen::ComputeThinU | Eigen::ComputeFullV);
    Eigen::Index rank = 0;
    for (const Real s : seen.singularValues()) {
      out.singular_values.push_back(s);
      rank += s > p.tolerance;
    }
    const Mat W = N * seen.matrixV().leftCols(rank);  // new directions that this level sees
    N = (N * seen.matrixV().rightCols(N.cols() - rank)).eval();
    if (rank == 0) continue;
    const Mat Yk = some_rows(Y, of);
    const Svd best(Yk * W, k_thin);
    x += W * best.solve(some(b, of) - Yk * x);
    const Vec& sizes = best.singularValues();  // rows in conflict are weighed in the user's units
    if (rank < Yk.rows()) out.amplification = std::max(out.amplification, sizes(0) / sizes(rank - 1));
    V.conservativeResize(Eigen::NoChange, V.cols() + rank);
    V.rightCols(rank) = W;
  }
}

}  // namespace

bool HybridMotion::clear(Real low, Real high) const {
  return std::none_of(singular_values.begin(), singular_values.end(), [&](Real s) { return s > low && s < high; });
}

HybridMotion hybrid_motion(const HybridProblem& p) {
  const Parts parts(p);
  const Factor factor(parts.M(parts.free, parts.free));
  HybridMotion out;
  const Vec start = moved(parts, factor, parts.force, parts.prescribed);  // with soft rows, without hard ones
  out.target = p.b + uncompensated(p, parts, factor);
  out.acceleration = start;
  out.multipliers = Vec::Zero(p.b.size());
  const Vec gap = some(Vec(out.target - p.A * start), parts.hard);
  if (!parts.hard.empty() && !parts.free.empty()) {
    const Mat Af = parts.on_free(parts.A);
    const Mat Y = factor.L.matrixL().solve(Af.transpose()).transpose();
    const Mat E = equilibrated(Y, Af, factor.L, p.tolerance);
    Vec root = Vec::Ones(Y.rows());
    if (p.rule == HybridProblem::Rule::weighted && p.weight.size() > 0) root = some(p.weight, parts.hard).cwiseSqrt();
    const Mat Yw = root.asDiagonal() * Y;
    Vec x, lambda;
    Mat V;
    descend(p, parts, E, Yw, root.cwiseProduct(gap), x, V, out);
    out.rank = static_cast<int>(V.cols());
    if (p.rule == HybridProblem::Rule::damping) {
      Mat G = Y * Y.transpose();
      const Real mu = p.regularisation * G.diagonal().mean();
      G.diagonal().array() += mu;
      lambda = mu > 0 ? Vec(G.ldlt().solve(gap)) : Vec(Vec::Zero(gap.size()));
      x = Y.transpose() * lambda;
    } else if (out.rank > 0) {
      const Svd rows(Yw * V, k_thin);  // least-norm lambda with Yw^T lambda = x
      lambda = root.cwiseProduct(
          rows.matrixU() * (rows.matrixV().transpose() * (V.transpose() * x)).cwiseQuotient(rows.singularValues()));
    } else {
      lambda = Vec::Zero(gap.size());
    }
    out.acceleration(parts.free) += Vec(factor.L.matrixU().solve(x));
    out.multipliers(parts.hard) = lambda;
    Real least = 1;
    for (const Real s : out.singular_values)
      if (s > p.tolerance) least = std::min(least, s);
    // Damping divides what dependent rows contradict each other by, and rounding of it, by mu.
    const bool damped = p.rule == HybridProblem::Rule::damping, dependent = out.rank < static_cast<int>(Y.rows());
    out.amplification *= damped && dependent ? 1 / p.regularisation : 1 / least;
  }
  out.amplification *= factor.condition;
  out.rank += static_cast<int>(parts.soft.size());
  for (const int i : parts.soft) out.multipliers(i) = (p.b(i) - p.A.row(i).dot(out.acceleration)) / p.R(i);
  out.residual = p.A * out.acceleration - out.target;
  HybridProblem bare = p;
  bare.A.resize(0, p.M.cols());
  bare.b = bare.R = Vec(0);
  const Parts alone(bare);
  out.free = out.acceleration;
  // Without rows the coordinates that rows alone determine have no motion of their own: then Z is not defined.
  const Eigen::LLT<Mat> plain(Mat(p.M(parts.free, parts.free)));
  if (parts.free.empty() || plain.info() == Eigen::Success) {
    out.free = moved(alone, Factor(p.M(parts.free, parts.free)), alone.force, alone.prescribed);
    const Vec away = out.acceleration - out.free;
    out.zwang = away.dot(p.M * away) / 2;
  }
  return out;
}

std::pair<Vec, Vec> kkt_motion(const HybridProblem& p) {
  const Parts parts(p);
  const Eigen::Index n = static_cast<Eigen::Index>(parts.free.size()), m = p.A.rows();
  const Mat Af = p.A(Eigen::all, parts.free);
  Mat K = Mat::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = p.M(parts.free, parts.free);
  K.topRightCorner(n, m) = -Af.transpose();
  K.bottomLeftCorner(m, n) = Af;
  if (p.R.size() > 0) K.bottomRightCorner(m, m).diagonal() = p.R;
  Vec right(n + m);
  right << some(Vec(p.tau - p.h - p.M * parts.prescribed), parts.free), p.b - p.A * parts.prescribed;
  Eigen::FullPivLU<Mat> lu(K);
  if (n + m > 0 && !lu.setThreshold(1e-14L).isInvertible())
    throw std::domain_error("reference: the KKT system is singular");
  const Vec x = n + m > 0 ? Vec(lu.solve(right)) : right;
  Vec a = parts.prescribed;
  a(parts.free) = x.head(n);
  return {a, x.tail(m)};
}

}  // namespace zwang::reference
