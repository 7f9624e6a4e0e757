// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/dense_problems.hpp"

#include <cmath>
#include <memory>

#include "support/reference.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {

dense::KktProblem DenseProblem::view() const {
  dense::KktProblem p;
  p.nv = static_cast<Index>(M.rows());
  p.m = static_cast<Index>(J.rows());
  p.M = M.data();
  p.M_stride = p.J_stride = p.nv;
  p.tau = tau.data();
  p.J = J.data();
  p.b = b.data();
  p.R = R.size() > 0 ? R.data() : nullptr;
  p.held = held.empty() ? nullptr : held.data();
  p.held_value = held_value.data();
  p.row_parent = parent.data();
  return p;
}

reference::HybridProblem DenseProblem::reference() const {
  reference::HybridProblem p;
  using reference::Real;
  p.M = M.cast<Real>();
  p.A = J.cast<Real>();
  p.h = reference::VectorX<Real>::Zero(M.rows());
  p.tau = tau.cast<Real>();
  p.b = b.cast<Real>();
  p.R = R.cast<Real>();
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k]) p.prescribed.push_back({static_cast<int>(k), held_value(static_cast<Eigen::Index>(k))});
  return p;
}

namespace {
template <class Workspace>
DenseMethod method(const char* name, Index nv, Index m, bool needs_inertia, bool tells = false) {
  const auto workspace = std::make_shared<Workspace>(nv, m);
  return {name, needs_inertia, tells,
          [workspace](const dense::KktProblem& p, dense::KktAnswer& a) { workspace->solve(p, a); }};
}
}  // namespace

std::vector<DenseMethod> dense_methods(Index nv, Index m) {
  return {method<dense::KktLuWorkspace>("kkt_lu", nv, m, false, true),
          method<dense::KktQrWorkspace>("kkt_qr", nv, m, false, true),
          method<dense::KktPivotedQrWorkspace>("kkt_pivoted_qr", nv, m, false),
          method<dense::KktCodWorkspace>("kkt_cod", nv, m, false),
          method<dense::NullSpaceWorkspace>("null_space", nv, m, false),
          method<dense::RangeSpaceWorkspace>("range_space", nv, m, true, true),
          method<dense::ContactCholeskyWorkspace>("contact_cholesky", nv, m, true),
          method<dense::TestForcesWorkspace>("test_forces", nv, m, true)};
}

DenseAnswer solve(const DenseMethod& method, const DenseProblem& problem) {
  const dense::KktProblem p = problem.view();
  DenseAnswer out;
  out.acceleration = Eigen::VectorXd::Constant(p.nv, NAN);
  out.lambda = Eigen::VectorXd::Constant(p.m, NAN);
  dense::KktAnswer a;
  a.acceleration = out.acceleration.data();
  a.lambda = out.lambda.data();
  method.solve(p, a);
  out.rank = a.rank;
  out.iterations = a.iterations;
  out.outcome = a.outcome;
  return out;
}

DenseProblem random_inertia(std::uint64_t seed, int joints) {
  RandomRobot options;
  options.joints = joints;
  options.root = seed % 2 == 0 ? "floating" : "fixed";
  const RobotDescription description = random_robot(seed, options);
  const Model model = build(description);
  const reference::Reference robot(description, {}, model);
  const RandomState x = random_state(robot, seed + 5);
  DenseProblem p;
  p.M = robot.at(x.q, x.v).mass_matrix().cast<double>();
  p.M = (p.M + p.M.transpose()).eval() / 2;
  p.tau = x.tau;
  p.parent.assign(model.tree<double>().row_parent, model.tree<double>().row_parent + model.nv());
  return p;
}

DenseProblem random_tree_inertia(Random& random, int nv) {
  DenseProblem p;
  RowMajor L = RowMajor::Identity(nv, nv);
  Eigen::VectorXd D(nv);
  for (int k = 0; k < nv; ++k) {
    p.parent.push_back(k == 0 ? -1 : random.below(3) == 0 ? random.below(k + 1) - 1 : k - 1);
    D(k) = random.uniform(0.1, 2);
    for (Index j = p.parent.back(); j >= 0; j = p.parent[static_cast<std::size_t>(j)]) L(k, j) = random.uniform(-1, 1);
  }
  p.M = L.transpose() * D.asDiagonal() * L;
  p.tau = random.vector(nv, 10);
  return p;
}

namespace {
/// A row along the path of coordinate k, times s.
void along_path(Random& random, const DenseProblem& p, Index k, double s, Eigen::RowVectorXd& row) {
  for (; k >= 0; k = p.parent[static_cast<std::size_t>(k)]) row(k) += s * random.uniform(-1, 1);
}
}  // namespace

void add_rows(Random& random, const RowMix& mix, DenseProblem& p) {
  const Eigen::Index n = p.M.rows();
  p.J = RowMajor::Zero(mix.rows, n);
  const Eigen::VectorXd wanted = random.vector(static_cast<int>(n), 5);
  for (int i = 0; i < mix.rows; ++i) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
    const int kind = mix.dependent && i > 0 ? random.below(7) : 0;
    const int other = i > 0 ? random.below(i) : 0, third = i > 0 ? random.below(i) : 0;
    if (kind <= 2) along_path(random, p, random.below(static_cast<int>(n)), 1, row);
    if (kind == 2 || (kind == 0 && random.below(3) == 0)) {  // a loop: zero on what its two paths share
      const Eigen::RowVectorXd first = row;
      Eigen::RowVectorXd second = Eigen::RowVectorXd::Zero(n);
      along_path(random, p, random.below(static_cast<int>(n)), -1, second);
      for (Eigen::Index k = 0; k < n; ++k) row(k) = first(k) != 0 && second(k) != 0 ? 0.0 : first(k) + second(k);
    }
    if (kind == 3) row = p.J.row(other);
    if (kind == 4) row = -random.uniform(0.3, 3) * p.J.row(other);
    if (kind == 5) {
      row = random.uniform(0.3, 3) * p.J.row(other);
      row -= random.uniform(0.3, 3) * p.J.row(third);
    }
    p.J.row(i) = row;  // kind 6: a zero row
  }
  p.b = p.J * wanted;
  if (mix.inconsistent) p.b += random.vector(mix.rows, 3);
  for (int i = 0; i < mix.rows; ++i) {
    const double unit = std::pow(10.0, random.uniform(-mix.units, mix.units));
    p.J.row(i) *= unit;
    p.b(i) *= unit;
  }
}

}  // namespace zwang::test
