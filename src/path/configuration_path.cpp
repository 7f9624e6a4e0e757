// SPDX-License-Identifier: BSD-3-Clause
// Cubic splines on the groups of the joints.
//
// Source: Kim, Kim & Shin, A general construction scheme for unit quaternion curves with simple high order derivatives,
// SIGGRAPH 1995 (cumulative B-splines); Sommer et al., Efficient derivative computation for cumulative B-splines on Lie
// groups, CVPR 2020 (derivatives by recursion); Lee, Choosing nodes in parametric curve interpolation, CAD 1989 (knots).
// DIFFERS: the recursion runs over dual numbers, whose derivatives give q'' for every joint type; control points come from
// repeated solves of the tridiagonal system of flat splines, which is exact at once where q is additive.
//
//   q(s) = c_k (+) B1 d1 (+) B2 d2 (+) B3 d3,   d_j = c_{k+j} (-) c_{k+j-1},   B_j(s) = N_{k+j} + ... + N_{k+3}
#include "zwang/path/configuration_path.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "manifold/instances.hpp"
#include "zwang/core/dual.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang {

struct ConfigurationPathImpl {
  explicit ConfigurationPathImpl(const Model& m) : model(m) {}
  Model model;
  Eigen::VectorXd knots;       ///< s of the columns
  Eigen::MatrixXd control;     ///< [nq, points + 2]: c_0, ..., or the two ends of a line
  Eigen::MatrixXd increments;  ///< [nv, points + 1]: d between them
  bool is_line = false;
};

namespace {

using Number = Dual<double>;
constexpr double k_eps = std::numeric_limits<double>::epsilon();

/// B1, B2, B3 and two derivatives at s in the interval `k` of the knots u, by the triangle of Cox and de Boor with both end
/// knots counted four times.
struct Basis {
  double value[3], first[3], second[3];
};
Basis basis_at(const Eigen::VectorXd& u, Eigen::Index k, double s) {
  using Twice = Dual<Number>;
  const Eigen::Index last = u.size() - 1;
  const auto knot = [&](Eigen::Index i) { return u[std::clamp<Eigen::Index>(k + i, 0, last)]; };
  const Twice x(Number(s, 1), Number(1, 0));
  Twice n[4] = {Twice(Number(1)), Twice(Number(0)), Twice(Number(0)), Twice(Number(0))};
  for (Eigen::Index degree = 1; degree <= 3; ++degree) {
    Twice left(Number(0));
    for (Eigen::Index j = 0; j < degree; ++j) {
      const double low = knot(j + 1 - degree), high = knot(j + 1);
      const Twice part = n[j] / (high - low);
      n[j] = left + (high - x) * part;
      left = (x - low) * part;
    }
    n[degree] = left;
  }
  Basis b;
  Twice sum(Number(0));
  for (int j = 3; j >= 1; --j) {
    sum += n[j];
    b.value[j - 1] = sum.v.v;
    b.first[j - 1] = sum.v.d;
    b.second[j - 1] = sum.d.d;
  }
  return b;
}

Eigen::Index interval_of(const Eigen::VectorXd& u, double s) {
  const double* end = u.data() + u.size() - 1;
  return std::max<Eigen::Index>(std::upper_bound(u.data(), end, s) - u.data() - 1, 0);
}

void spline_at(const ConfigurationPathImpl& path, Eigen::Index k, const Basis& b, PathPoint& out) {
  const Tree<double>& tree = path.model.tree<double>();
  const Index nq = path.model.nq(), nv = path.model.nv();
  const auto room = [](Index n) { return std::vector<Number>(static_cast<std::size_t>(n), Number(0)); };
  std::vector<Number> q = room(nq), v = room(nv), d = room(nv), rate = room(nv);
  for (Index i = 0; i < nq; ++i) q[static_cast<std::size_t>(i)] = Number(path.control(i, k));
  for (int j = 0; j < 3; ++j) {
    for (Index i = 0; i < nv; ++i) {
      const double full = path.increments(i, k + j);
      d[static_cast<std::size_t>(i)] = Number(full * b.value[j], full * b.first[j]);
      rate[static_cast<std::size_t>(i)] = Number(full * b.first[j], full * b.second[j]);
    }
    page::integrate_blocks(tree, q.data(), d.data(), [&](Index at, Index n, const Number* by_q, const Number* by_d) {
      Number sum[max_joint_columns];
      for (Index i = 0; i < n; ++i) {
        sum[i] = Number(0);
        for (Index c = 0; c < n; ++c)
          sum[i] += by_q[i * n + c] * v[static_cast<std::size_t>(at + c)] +
                    by_d[i * n + c] * rate[static_cast<std::size_t>(at + c)];
      }
      std::copy_n(sum, n, v.data() + at);
    });
    page::integrate(tree, q.data(), d.data(), q.data());
  }
  for (Index i = 0; i < nq; ++i) out.q[i] = q[static_cast<std::size_t>(i)].v;
  for (Index i = 0; i < nv; ++i) {
    out.first[i] = v[static_cast<std::size_t>(i)].v;
    out.second[i] = v[static_cast<std::size_t>(i)].d;
  }
}

/// c_1 and c_{n+1}, so that q'' = 0 at the ends: on the way from the end to its second neighbour.
void set_ends(ConfigurationPathImpl& path) {
  const Tree<double>& tree = path.model.tree<double>();
  Eigen::MatrixXd& c = path.control;
  const Eigen::VectorXd& u = path.knots;
  const Eigen::Index n = u.size() - 1;
  const auto place = [&](Eigen::Index end, Eigen::Index next, Eigen::Index second, double part) {
    page::interpolate(tree, c.col(end).data(), c.col(second).data(), part, c.col(next).data());
  };
  place(0, 1, 2, (u[1] - u[0]) / (u[1] - u[0] + u[2] - u[0]));
  place(n + 2, n + 1, n, (u[n] - u[n - 1]) / (u[n] - u[n - 1] + u[n] - u[n - 2]));
}
void set_increments(ConfigurationPathImpl& path) {
  const Tree<double>& tree = path.model.tree<double>();
  for (Eigen::Index k = 0; k + 1 < path.control.cols(); ++k)
    page::difference(tree, path.control.col(k).data(), path.control.col(k + 1).data(), path.increments.col(k).data());
}

/// N_k, N_{k+1}, N_{k+2} at the inner knots, with the ends' control points put in: a tridiagonal system, factored.
class Tridiagonal {
 public:
  explicit Tridiagonal(const Eigen::VectorXd& u) : size_(u.size() - 2), below_(size_), diagonal_(size_), above_(size_) {
    const Eigen::Index n = u.size() - 1;
    for (Eigen::Index k = 1; k < n; ++k) {
      const Basis b = basis_at(u, k, u[k]);  // N_{k+3} = 0 there
      below_[k - 1] = 1 - b.value[0];
      diagonal_[k - 1] = b.value[0] - b.value[1];
      above_[k - 1] = b.value[1];
    }
    diagonal_[0] += below_[0] * (u[1] - u[0]) / (u[1] - u[0] + u[2] - u[0]);
    diagonal_[size_ - 1] += above_[size_ - 1] * (u[n] - u[n - 1]) / (u[n] - u[n - 1] + u[n] - u[n - 2]);
    for (Eigen::Index k = 1; k < size_; ++k) {
      below_[k] /= diagonal_[k - 1];
      diagonal_[k] -= below_[k] * above_[k - 1];
    }
  }
  /// In place, a right-hand side in each row of X.
  void solve(Eigen::MatrixXd& X) const {
    for (Eigen::Index k = 1; k < size_; ++k) X.col(k) -= below_[k] * X.col(k - 1);
    for (Eigen::Index k = size_; k-- > 0;) {
      if (k + 1 < size_) X.col(k) -= above_[k] * X.col(k + 1);
      X.col(k) /= diagonal_[k];
    }
  }

 private:
  Eigen::Index size_;
  Eigen::VectorXd below_, diagonal_, above_;
};

/// Control points whose spline meets the columns of Q.
void find_control(ConfigurationPathImpl& path, const Eigen::MatrixXd& Q) {
  const Tree<double>& tree = path.model.tree<double>();
  const Index nq = path.model.nq(), nv = path.model.nv();
  const Eigen::Index n = Q.cols() - 1;
  path.control.resize(nq, n + 3);
  path.control.col(0) = Q.col(0);
  path.control.middleCols(1, n + 1) = Q;
  path.control.col(n + 2) = Q.col(n);
  path.increments.resize(nv, n + 2);
  const Tridiagonal system(path.knots);
  Eigen::MatrixXd miss(nv, n - 1);
  PathPoint x{Eigen::VectorXd(nq), Eigen::VectorXd(nv), Eigen::VectorXd(nv)};
  std::vector<Basis> basis;
  for (Eigen::Index k = 1; k < n; ++k) basis.push_back(basis_at(path.knots, k, path.knots[k]));
  double before = std::numeric_limits<double>::infinity();
  int slow = 0;
  for (int round = 0; round < 200; ++round) {
    set_ends(path);
    set_increments(path);
    double largest = 0, size = 0;
    Eigen::Index where = 1;
    for (Eigen::Index k = 1; k < n; ++k) {
      spline_at(path, k, basis[static_cast<std::size_t>(k - 1)], x);
      page::difference(tree, x.q.data(), Q.col(k).data(), miss.col(k - 1).data());
      if (const double e = miss.col(k - 1).lpNorm<Eigen::Infinity>(); !(e <= largest)) {
        largest = e;
        where = k;
      }
      size = std::max(size, Q.col(k).lpNorm<Eigen::Infinity>());
    }
    if (largest <= 16 * k_eps * (1 + size)) return;
    slow = largest < 0.9 * before ? 0 : slow + 1;
    if (largest <= 1e-12 * (1 + size) && slow > 0) return;  // no further than rounding lets it
    if (slow > 5 || !std::isfinite(largest))
      throw std::invalid_argument("ConfigurationPath::through: no spline meets column " + std::to_string(where) +
                                  " of argument 'Q': attitudes of its neighbours are too far apart; expected more "
                                  "columns between them");
    before = std::min(before, largest);
    system.solve(miss);
    for (Eigen::Index k = 2; k <= n; ++k)
      page::integrate(tree, path.control.col(k).data(), miss.col(k - 2).data(), path.control.col(k).data());
  }
  throw std::invalid_argument(
      "ConfigurationPath::through: no spline was found in 200 rounds; expected attitudes of "
      "neighbouring columns closer to each other");
}

}  // namespace

ConfigurationPath ConfigurationPath::line(const Model& model, VectorIn q0, VectorIn q1) {
  const auto impl = std::make_shared<ConfigurationPathImpl>(model);
  impl->is_line = true;
  impl->knots = Eigen::Vector2d(0, 1);
  impl->increments.resize(model.nv(), 1);
  impl->increments.col(0) = difference(model, q0, q1);
  impl->control.resize(model.nq(), 2);
  impl->control << q0, q1;
  return ConfigurationPath(impl);
}

ConfigurationPath ConfigurationPath::through(const Model& model, MatrixIn Q, VectorIn knots) {
  const char* const function = "ConfigurationPath::through";
  const Eigen::Index n = Q.cols();
  if (Q.rows() != model.nq()) detail::throw_size(function, "rows of Q", static_cast<long>(Q.rows()), model.nq());
  if (n < 2)
    throw std::invalid_argument("ConfigurationPath::through: argument 'Q' has " + std::to_string(n) +
                                " columns, expected at least 2");
  const Eigen::MatrixXd copy = Q;
  for (Eigen::Index k = 0; k < n; ++k)
    check_configuration(model, copy.col(k).data(), model.nq(), function,
                        ("column " + std::to_string(k) + " of Q").c_str());
  Eigen::VectorXd u(n);
  if (knots.size() == 0) {
    u[0] = 0;
    for (Eigen::Index k = 1; k < n; ++k) u[k] = u[k - 1] + std::sqrt(distance(model, copy.col(k - 1), copy.col(k)));
  } else {
    if (knots.size() != n) detail::throw_size(function, "knots", static_cast<long>(knots.size()), static_cast<long>(n));
    detail::check_entries(knots.data(), static_cast<Index>(n), static_cast<Index>(n), function, "knots");
    u = knots;
  }
  for (Eigen::Index k = 1; k < n; ++k)
    if (!(u[k] > u[k - 1]))
      throw std::invalid_argument("ConfigurationPath::through: " +
                                  (knots.size() == 0
                                       ? "columns " + std::to_string(k - 1) + " and " + std::to_string(k) +
                                             " of argument 'Q' are equal, expected different neighbours"
                                       : "argument 'knots' does not increase at entry " + std::to_string(k)));
  if (knots.size() == 0) u /= u[n - 1];
  if (n == 2) {
    ConfigurationPath line = ConfigurationPath::line(model, copy.col(0), copy.col(1));
    const auto impl = std::make_shared<ConfigurationPathImpl>(*line.impl_);
    impl->knots = u;
    return ConfigurationPath(impl);
  }
  const auto impl = std::make_shared<ConfigurationPathImpl>(model);
  impl->knots = u;
  find_control(*impl, copy);
  return ConfigurationPath(impl);
}

void ConfigurationPath::at(double s, PathPoint& out) const {
  const ConfigurationPathImpl& path = *impl_;
  const Model& m = path.model;
  if (!(s >= begin() && s <= end()))
    throw std::invalid_argument("ConfigurationPath::at: argument 's' is " + std::to_string(s) + ", expected one from " +
                                std::to_string(begin()) + " to " + std::to_string(end()));
  out.q.resize(m.nq());
  out.first.resize(m.nv());
  out.second.resize(m.nv());
  if (path.is_line) {
    const double length = end() - begin(), part = (s - begin()) / length;
    out.first = path.increments.col(0) / length;
    out.second.setZero();
    if (part == 0 || part == 1) {
      out.q = path.control.col(part == 0 ? 0 : 1);
      return;
    }
    const Eigen::VectorXd d = part * path.increments.col(0);
    page::integrate(m.tree<double>(), path.control.col(0).data(), d.data(), out.q.data());
    return;
  }
  const Eigen::Index k = interval_of(path.knots, s);
  spline_at(path, k, basis_at(path.knots, k, s), out);
}

double ConfigurationPath::begin() const { return impl_->knots[0]; }
double ConfigurationPath::end() const { return impl_->knots[impl_->knots.size() - 1]; }
const Eigen::VectorXd& ConfigurationPath::knots() const { return impl_->knots; }
const Model& ConfigurationPath::model() const { return impl_->model; }

}  // namespace zwang
