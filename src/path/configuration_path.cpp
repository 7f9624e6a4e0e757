// SPDX-License-Identifier: BSD-3-Clause
// Cubic splines on the groups of the joints.
//
// Source: Kim, Kim & Shin, A general construction scheme for unit quaternion curves with simple high order
// derivatives, SIGGRAPH 1995 (cumulative B-splines); Sommer et al., Efficient derivative computation for
// cumulative B-splines on Lie groups, CVPR 2020 (derivatives by recursion); Lee, Choosing nodes in parametric
// curve interpolation, CAD 1989 (knots). DIFFERS: the recursion runs over dual numbers, whose derivatives give
// q'' for every joint type; control points come from repeated solves of the tridiagonal system of flat splines,
// which is exact at once where q is additive.
//
//   q(s) = c_k (+) B1 d1 (+) B2 d2 (+) B3 d3,   d_j = c_{k+j} (-) c_{k+j-1},   B_j(s) = N_{k+j} + ... + N_{k+3}
#include "zwang/path/configuration_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "manifold/instances.hpp"
#include "path/columns.hpp"
#include "path/limits.hpp"
#include "zwang/core/dual.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang {

struct ConfigurationPathImpl {
  explicit ConfigurationPathImpl(const Model& m) : model(m) {}
  Model model;
  Numbers knots;       ///< s of the columns
  Columns control;     ///< c_0, ..., one more than columns at each end; or the two ends of a line
  Columns increments;  ///< d between them
  bool is_line = false;
};

namespace {

using Number = Dual<double>;
constexpr double k_same = 1e-12;  ///< a spline meets its columns to this, times 1 + |Q|: nearer ones are the same
constexpr double k_eps = std::numeric_limits<double>::epsilon();

/// B1, B2, B3 and two derivatives at s in the interval `k` of the knots u,
/// by the triangle of Cox and de Boor with both end knots counted four times.
struct Basis {
  double value[3], first[3], second[3];
};
Basis basis_at(const Numbers& u, Index k, double s) {
  using Twice = Dual<Number>;
  const Index last = static_cast<Index>(u.size()) - 1;
  const auto knot = [&](Index i) { return u[at_index(std::clamp<Index>(k + i, 0, last))]; };
  const Twice x(Number(s, 1), Number(1, 0));
  Twice n[4] = {Twice(Number(1)), Twice(Number(0)), Twice(Number(0)), Twice(Number(0))};
  for (Index degree = 1; degree <= 3; ++degree) {
    Twice left(Number(0));
    for (Index j = 0; j < degree; ++j) {
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

/// Counts on from `before`: the numbers of the same attitude that are next to its own. A plane's angle changes by whole
/// turns, a quaternion its sign, so that the path's numbers do not jump where it passes q.
void count_on(const Model& model, const double* before, double* q) {
  for_each_joint(model.tree<double>(), [&](const auto& joint) {
    if (joint.additive()) return;
    double d[max_joint_columns], there[max_joint_columns + 1];
    joint.difference(before + joint.q, q + joint.q, d);
    joint.integrate(before + joint.q, d, there);
    double apart = 0;
    for (Index i = 0; i < joint.nq; ++i) apart = std::max(apart, std::abs(there[i] - q[joint.q + i]));
    if (apart > 0.5) std::copy_n(there, joint.nq, q + joint.q);  // more than rounding: other numbers of one attitude
  });
}

Index interval_of(const Numbers& u, double s) {
  const double* const end = u.data() + u.size() - 1;
  return std::max(static_cast<Index>(std::upper_bound(u.data(), end, s) - u.data()) - 1, Index{0});
}

/// first and second may be null.
void spline_at(const ConfigurationPathImpl& path, Index k, const Basis& b, double* q_out, double* first,
               double* second) {
  const Tree<double>& tree = path.model.tree<double>();
  const Index nq = path.model.nq(), nv = path.model.nv();
  const auto room = [](Index n) { return std::vector<Number>(static_cast<std::size_t>(n), Number(0)); };
  std::vector<Number> q = room(nq), v = room(nv), d = room(nv), rate = room(nv);
  for (Index i = 0; i < nq; ++i) q[static_cast<std::size_t>(i)] = Number(path.control.column(k)[i]);
  for (int j = 0; j < 3; ++j) {
    for (Index i = 0; i < nv; ++i) {
      const double full = path.increments.column(k + j)[i];
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
  for (Index i = 0; i < nq; ++i) q_out[i] = q[static_cast<std::size_t>(i)].v;
  for (Index i = 0; i < nv && first != nullptr; ++i) first[i] = v[static_cast<std::size_t>(i)].v;
  for (Index i = 0; i < nv && second != nullptr; ++i) second[i] = v[static_cast<std::size_t>(i)].d;
}

/// c_1 and c_{n+1}, so that q'' = 0 at the ends: on the way from the end to its second neighbour.
void set_ends(ConfigurationPathImpl& path) {
  const Tree<double>& tree = path.model.tree<double>();
  Columns& c = path.control;
  const Numbers& u = path.knots;
  const auto n = static_cast<Index>(u.size()) - 1;
  const auto place = [&](Index end, Index next, Index second, double part) {
    page::interpolate(tree, c.column(end), c.column(second), part, c.column(next));
  };
  const double begin = u[1] - u[0], end = u[at_index(n)] - u[at_index(n - 1)];
  place(0, 1, 2, begin / (begin + u[2] - u[0]));
  place(n + 2, n + 1, n, end / (end + u[at_index(n)] - u[at_index(n - 2)]));
}
void set_increments(ConfigurationPathImpl& path) {
  const Tree<double>& tree = path.model.tree<double>();
  for (Index k = 0; k + 1 < path.control.count; ++k)
    page::difference(tree, path.control.column(k), path.control.column(k + 1), path.increments.column(k));
}

/// N_k, N_{k+1}, N_{k+2} at the inner knots, with the ends' control points put in: a tridiagonal system, factored.
class Tridiagonal {
 public:
  explicit Tridiagonal(const Numbers& u) : size_(u.size() - 2), below_(size_), diagonal_(size_), above_(size_) {
    const std::size_t n = u.size() - 1;
    for (std::size_t k = 1; k < n; ++k) {
      const Basis b = basis_at(u, static_cast<Index>(k), u[k]);  // N_{k+3} = 0 there
      below_[k - 1] = 1 - b.value[0];
      diagonal_[k - 1] = b.value[0] - b.value[1];
      above_[k - 1] = b.value[1];
    }
    const double begin = u[1] - u[0], end = u[n] - u[n - 1];
    diagonal_[0] += below_[0] * begin / (begin + u[2] - u[0]);
    diagonal_[size_ - 1] += above_[size_ - 1] * end / (end + u[n] - u[n - 2]);
    for (std::size_t k = 1; k < size_; ++k) {
      below_[k] /= diagonal_[k - 1];
      diagonal_[k] -= below_[k] * above_[k - 1];
    }
  }
  /// In place, a right-hand side in each row of X.
  void solve(Columns& X) const {
    const auto subtract = [&](std::size_t from, double factor, std::size_t other) {
      for (Index i = 0; i < X.rows; ++i)
        X.column(static_cast<Index>(from))[i] -= factor * X.column(static_cast<Index>(other))[i];
    };
    for (std::size_t k = 1; k < size_; ++k) subtract(k, below_[k], k - 1);
    for (std::size_t k = size_; k-- > 0;) {
      if (k + 1 < size_) subtract(k, above_[k], k + 1);
      for (Index i = 0; i < X.rows; ++i) X.column(static_cast<Index>(k))[i] /= diagonal_[k];
    }
  }

 private:
  std::size_t size_;
  Numbers below_, diagonal_, above_;
};

/// Control points whose spline meets the columns of Q.
void find_control(ConfigurationPathImpl& path, const Columns& Q, const std::vector<Index>& numbers,
                  const char* function) {
  const Tree<double>& tree = path.model.tree<double>();
  const Index nq = path.model.nq(), nv = path.model.nv(), n = Q.count - 1;
  path.control = Columns(nq, n + 3);
  path.control.set(0, Q.column(0));
  for (Index k = 0; k <= n; ++k) path.control.set(k + 1, Q.column(k));
  path.control.set(n + 2, Q.column(n));
  path.increments = Columns(nv, n + 2);
  const Tridiagonal system(path.knots);
  Columns miss(nv, n - 1);
  Numbers q(at_index(nq));
  std::vector<Basis> basis;
  for (Index k = 1; k < n; ++k) basis.push_back(basis_at(path.knots, k, path.knots[at_index(k)]));
  const double size = largest_of(Q.numbers);
  double before = std::numeric_limits<double>::infinity();
  int slow = 0;
  for (int round = 0; round < 200; ++round) {
    set_ends(path);
    set_increments(path);
    double largest = 0;
    Index where = 1;
    for (Index k = 1; k < n; ++k) {
      spline_at(path, k, basis[at_index(k - 1)], q.data(), nullptr, nullptr);
      page::difference(tree, q.data(), Q.column(k), miss.column(k - 1));
      for (Index i = 0; i < nv; ++i)
        if (const double e = std::abs(miss.column(k - 1)[i]); !(e <= largest)) {
          largest = e;
          where = k;
        }
    }
    if (largest <= 16 * k_eps * (1 + size)) return;
    slow = largest < 0.9 * before ? 0 : slow + 1;
    if (largest <= 1e-12 * (1 + size) && slow > 0) return;  // no further than rounding lets it
    if (slow > 5 || !std::isfinite(largest))
      throw std::invalid_argument(std::string(function) + ": no spline meets waypoint " +
                                  std::to_string(numbers[at_index(where)]) +
                                  ": attitudes of its neighbours are too far apart, or steps of the knots too "
                                  "different; expected more waypoints between them");
    before = std::min(before, largest);
    system.solve(miss);
    for (Index k = 2; k <= n; ++k)
      page::integrate(tree, path.control.column(k), miss.column(k - 2), path.control.column(k));
  }
  throw std::invalid_argument(
      std::string(function) +
      ": no spline was found in 200 rounds; expected attitudes of neighbouring waypoints closer "
      "to each other");
}

}  // namespace

ConfigurationPath ConfigurationPath::line(const Model& model, VectorIn q0, VectorIn q1) {
  const auto impl = std::make_shared<ConfigurationPathImpl>(model);
  impl->is_line = true;
  impl->knots = {0, 1};
  impl->increments = Columns(model.nv(), 1);
  difference(model, q0, q1, map_of(impl->increments.numbers));
  impl->control = Columns(model.nq(), 2);
  impl->control.set(0, q0.data());
  impl->control.set(1, q1.data());
  count_on(model, q0.data(), impl->control.column(1));
  return ConfigurationPath(impl);
}

ConfigurationPath ConfigurationPath::through(const Model& model, MatrixIn Q, VectorIn knots) {
  return through(model, Q, knots, "ConfigurationPath::through");
}

ConfigurationPath ConfigurationPath::through(const Model& model, MatrixIn Q, VectorIn knots, const char* function) {
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument(std::string(function) + ": " + why); };
  const auto given = static_cast<Index>(Q.cols());
  if (Q.rows() != model.nq()) detail::throw_size(function, "rows of Q", static_cast<long>(Q.rows()), model.nq());
  if (given < 2)
    refuse("got " + std::to_string(given) + (given == 1 ? " waypoint" : " waypoints") +
           ", expected at least 2 that differ");
  Columns columns(model.nq(), given);
  for (Index k = 0; k < given; ++k) {
    columns.set(k, Q.data() + k * Q.outerStride());
    check_configuration(model, columns.column(k), model.nq(), function, ("waypoint " + std::to_string(k)).c_str());
    if (k > 0) count_on(model, columns.column(k - 1), columns.column(k));
  }
  Numbers u;
  std::vector<Index> numbers;  // of the waypoints that count
  if (knots.size() > 0) {
    detail::check_entries(knots.data(), static_cast<Index>(knots.size()), given, function, "knots");
    u.assign(knots.data(), knots.data() + given);
    for (Index k = 0; k < given; ++k) numbers.push_back(k);
    for (Index k = 1; k < given; ++k)
      if (!(u[at_index(k)] > u[at_index(k - 1)]))
        refuse("argument 'knots' does not increase at entry " + std::to_string(k));
  } else {
    u.push_back(0);
    numbers.push_back(0);
    for (Index k = 1; k < given; ++k) {
      const Index last = static_cast<Index>(numbers.size()) - 1;
      const double way =
          distance(model, vector_in(columns.column(last), model.nq()), vector_in(columns.column(k), model.nq()));
      double size = 0;
      for (Index i = 0; i < model.nq(); ++i) size = std::max(size, std::abs(columns.column(k)[i]));
      if (way <= k_same * (1 + size)) continue;
      if (last + 1 < k) columns.set(last + 1, columns.column(k));
      numbers.push_back(k);
      u.push_back(u.back() + std::sqrt(way));
    }
    if (numbers.size() == 1)
      refuse("all " + std::to_string(given) + " waypoints are the same, expected at least 2 that differ");
    columns.count = static_cast<Index>(numbers.size());
    columns.numbers.resize(at_index(columns.count * columns.rows));
    const double whole = u.back();
    for (double& x : u) x /= whole;
  }
  if (columns.count == 2) {
    const ConfigurationPath line = ConfigurationPath::line(model, vector_in(columns.column(0), model.nq()),
                                                           vector_in(columns.column(1), model.nq()));
    const auto impl = std::make_shared<ConfigurationPathImpl>(*line.impl_);
    impl->knots = u;
    return ConfigurationPath(impl);
  }
  const auto impl = std::make_shared<ConfigurationPathImpl>(model);
  impl->knots = u;
  find_control(*impl, columns, numbers, function);
  return ConfigurationPath(impl);
}

void ConfigurationPath::at(double s, VectorOut q, VectorOut first, VectorOut second) const {
  const ConfigurationPathImpl& path = *impl_;
  const Model& m = path.model;
  const auto check = [](const char* name, Eigen::Index got, Index expected) {
    if (got != expected) detail::throw_size("ConfigurationPath::at", name, static_cast<long>(got), expected);
  };
  check("q", q.size(), m.nq());
  check("first", first.size(), m.nv());
  check("second", second.size(), m.nv());
  if (!(s >= begin() && s <= end())) {
    const Texts text = texts_of(s, s < begin() ? begin() : end());
    throw std::invalid_argument(fmt::format("ConfigurationPath::at: argument 's' is {}, expected at {} {}", text.x,
                                            s < begin() ? "least" : "most", text.y));
  }
  if (!path.is_line) {
    const Index k = interval_of(path.knots, s);
    spline_at(path, k, basis_at(path.knots, k, s), q.data(), first.data(), second.data());
    return;
  }
  const double length = end() - begin(), part = (s - begin()) / length;
  const double* const d = path.increments.column(0);
  for (Index i = 0; i < m.nv(); ++i) {
    first[i] = d[i] / length;
    second[i] = 0;
  }
  if (part == 0 || part == 1) {
    std::copy_n(path.control.column(part == 0 ? 0 : 1), m.nq(), q.data());
    return;
  }
  Numbers way(at_index(m.nv()));
  for (Index i = 0; i < m.nv(); ++i) way[at_index(i)] = part * d[i];
  page::integrate(m.tree<double>(), path.control.column(0), way.data(), q.data());
}

double ConfigurationPath::begin() const { return impl_->knots.front(); }
double ConfigurationPath::end() const { return impl_->knots.back(); }
VectorView ConfigurationPath::knots() const {
  return {impl_->knots.data(), static_cast<Eigen::Index>(impl_->knots.size())};
}
const Model& ConfigurationPath::model() const { return impl_->model; }

std::vector<double> ConfigurationPath::numbers() const {
  const ConfigurationPathImpl& path = *impl_;
  std::vector<double> x{path.is_line ? 1.0 : 0.0, static_cast<double>(path.knots.size())};
  x.insert(x.end(), path.knots.begin(), path.knots.end());
  x.insert(x.end(), path.control.numbers.begin(), path.control.numbers.end());
  return x;
}

ConfigurationPath ConfigurationPath::from_numbers(const Model& model, VectorIn x) {
  const char* const function = "ConfigurationPath::from_numbers";
  const auto refuse = [&] {
    throw std::invalid_argument(std::string(function) +
                                ": argument 'numbers' is not what numbers() gives of a path of '" + model.name() + "'");
  };
  const auto size = static_cast<Index>(x.size());
  if (size < 2 || (x[0] != 0 && x[0] != 1) || !(x[1] >= 2 && x[1] <= size)) refuse();
  const auto impl = std::make_shared<ConfigurationPathImpl>(model);
  impl->is_line = x[0] == 1;
  const auto n = static_cast<Index>(x[1]);
  const Index columns = impl->is_line ? 2 : n + 2;
  if (n != x[1] || (impl->is_line ? n != 2 : n < 3) || size != 2 + n + model.nq() * columns) refuse();
  impl->knots.assign(x.data() + 2, x.data() + 2 + n);
  for (Index k = 0; k < n; ++k)
    if (!std::isfinite(impl->knots[at_index(k)]) ||
        (k > 0 && !(impl->knots[at_index(k)] > impl->knots[at_index(k - 1)])))
      refuse();
  impl->control = Columns(model.nq(), columns);
  for (Index k = 0; k < columns; ++k) {
    impl->control.set(k, x.data() + 2 + n + k * model.nq());
    check_configuration(model, impl->control.column(k), model.nq(), function, "numbers");
  }
  impl->increments = Columns(model.nv(), columns - 1);
  if (impl->is_line)
    difference(model, vector_in(impl->control.column(0), model.nq()), vector_in(impl->control.column(1), model.nq()),
               map_of(impl->increments.numbers));
  else
    set_increments(*impl);
  return ConfigurationPath(impl);
}

}  // namespace zwang
