// SPDX-License-Identifier: BSD-3-Clause
// Lexicographic least squares of small dense problems, over any scalar with a square root: long double, or 128 bits.
//
//   level by level, in the order of `level`:  minimise |W_p^T z - r_p|  among the z that are best for the levels above,
//   and of all z that are best for every level the shortest.
//
// Columns of W are rows J_i of a constraint in the norm of M^-1: W = R^-T J^T with M = R^T R, so that
// z = R (a - a_free) and |z| = |a - a_free|_M.
//
// Rank, row by row: with W_i / e_i = sum c_ij W_j / e_j + rest over the rows j that count already (e_i = |W_i|), row i
// counts if rest > noise_i + sum |c_ij| noise_j, where noise_i is what rounding may do to W_i / e_i.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace zwang::exact {

inline double root(double x) { return std::sqrt(x); }
inline long double root(long double x) { return std::sqrt(x); }
#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
inline Quad root(Quad x) {
  if (!(x > 0)) return 0;
  const Quad y = static_cast<Quad>(std::sqrt(static_cast<long double>(x)));
  return (y + x / y) / 2;  // one step of Newton doubles the 64 bits
}
#endif
template <class S> S size_of(S x) { return x < 0 ? -x : x; }

/// Column by column.
template <class S> struct Matrix {
  Matrix() = default;
  Matrix(int r, int c) : rows(r), columns(c), x(static_cast<std::size_t>(r) * static_cast<std::size_t>(c), S(0)) {}
  S& operator()(int i, int j) { return x[static_cast<std::size_t>(i) + index(j)]; }
  const S& operator()(int i, int j) const { return x[static_cast<std::size_t>(i) + index(j)]; }
  S* column(int j) { return x.data() + index(j); }
  const S* column(int j) const { return x.data() + index(j); }
  int rows = 0, columns = 0;
  std::vector<S> x;

 private:
  std::size_t index(int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(rows); }
};

template <class S> S norm_of(const S* x, int n) {
  S sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return root(sum);
}
template <class S> S dot(const S* x, const S* y, int n) {
  S sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// Householder's 1 - 2 u u^T on entries from `first` on; |u| = 1.
template <class S> struct Reflection {
  int first = 0;
  std::vector<S> u;
  /// Takes x to a multiple of its entry `at`.
  Reflection(const S* x, int at, int n) : first(at), u(x + at, x + n) {
    const S length = norm_of(u.data(), n - at);
    u[0] += u[0] < 0 ? -length : length;
    const S size = norm_of(u.data(), n - at);
    for (S& y : u) y = size > 0 ? y / size : S(0);
  }
  void apply(S* x) const {
    const int k = static_cast<int>(u.size());
    const S twice = 2 * dot(u.data(), x + first, k);
    for (int i = 0; i < k; ++i) x[first + i] -= twice * u[static_cast<std::size_t>(i)];
  }
};

/// A P = Y R of full column rank, Y with orthonormal columns, R upper triangular. Rows by size and columns pivoted, so
/// that small rows beside large ones keep their digits (Cox and Higham 1998).
template <class S> struct ThinQr {
  Matrix<S> Y, R;
  std::vector<int> order;  ///< of the columns: P

  explicit ThinQr(const Matrix<S>& given)
      : Y(given.rows, given.columns),
        R(given.columns, given.columns),
        order(at(given.columns)) {
    const int m = given.rows, n = given.columns;
    std::vector<int> row(at(m));
    std::vector<S> size(at(m), S(0));
    for (int i = 0; i < m; ++i) {
      row[at(i)] = i;
      for (int j = 0; j < n; ++j) size[at(i)] = std::max(size[at(i)], size_of(given(i, j)));
    }
    std::stable_sort(row.begin(), row.end(), [&](int i, int j) { return size[at(i)] > size[at(j)]; });
    Matrix<S> A(m, n);
    for (int j = 0; j < n; ++j) {
      order[at(j)] = j;
      for (int i = 0; i < m; ++i) A(i, j) = given(row[at(i)], j);
    }
    std::vector<Reflection<S>> reflections;
    for (int k = 0; k < n; ++k) {
      int longest = k;
      for (int j = k; j < n; ++j)
        if (norm_of(A.column(j) + k, m - k) > norm_of(A.column(longest) + k, m - k)) longest = j;
      std::swap_ranges(A.column(k), A.column(k) + m, A.column(longest));
      std::swap(order[at(k)], order[at(longest)]);
      reflections.emplace_back(A.column(k), k, m);
      for (int j = k; j < n; ++j) reflections.back().apply(A.column(j));
    }
    std::vector<S> y(at(m));
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i <= j; ++i) R(i, j) = A(i, j);
      std::fill(y.begin(), y.end(), S(0));
      y[at(j)] = 1;
      for (int k = n; k-- > 0;) reflections[at(k)].apply(y.data());
      for (int i = 0; i < m; ++i) Y(row[at(i)], j) = y[at(i)];
    }
  }
  /// Of the columns as given: argmin |A x - right|.
  std::vector<S> least_squares(const std::vector<S>& right) const {
    std::vector<S> y(order.size()), x(order.size());
    for (int j = 0; j < R.columns; ++j) y[at(j)] = dot(Y.column(j), right.data(), Y.rows);
    for (int i = R.columns; i-- > 0;) {
      for (int j = i + 1; j < R.columns; ++j) y[at(i)] -= R(i, j) * y[at(j)];
      y[at(i)] /= R(i, i);
    }
    for (int j = 0; j < R.columns; ++j) x[at(order[at(j)])] = y[at(j)];
    return x;
  }
  /// The shortest x with A^T x = right: Y R^-T P^T right.
  std::vector<S> least_norm(const std::vector<S>& right) const {
    std::vector<S> y(order.size()), x(at(Y.rows), S(0));
    for (int i = 0; i < R.columns; ++i) {
      y[at(i)] = right[at(order[at(i)])];
      for (int j = 0; j < i; ++j) y[at(i)] -= R(j, i) * y[at(j)];
      y[at(i)] /= R(i, i);
    }
    for (int j = 0; j < R.columns; ++j)
      for (int i = 0; i < Y.rows; ++i) x[at(i)] += Y(i, j) * y[at(j)];
    return x;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

template <class S> struct LevelProblem {
  Matrix<S> W;
  std::vector<S> r, noise;
  S tolerance = 0;         ///< a row with a smaller ratio does not count, by policy
  std::vector<int> level;  ///< 0 highest
  std::vector<bool> zero;  ///< rows that nothing moves: no column of W is looked at
};

/// How it was decided whether a row counts.
template <class S> struct RowDecision {
  bool counts = false;
  S rest = 0, terms = 1, threshold = 0;  ///< terms: 1 + sum |c|
  S ratio() const { return rest / terms; }
};

template <class S> struct LevelAnswer {
  std::vector<S> z, lambda;               ///< lambda: of least norm with W lambda = z
  std::vector<RowDecision<S>> row;        ///< of every row
  std::vector<std::vector<int>> rows_of;  ///< the rows of each level
  std::vector<int> rank_of;
  std::vector<Matrix<S>> Y;  ///< of each level: orthonormal basis of what z can change of its rows, levels above kept
  std::vector<Reflection<S>> Q;
  int rank = 0;
  S kappa = 1;  ///< 1 / least ratio of a row that counts
  S gap = 0;    ///< least distance of a row from its threshold, as a factor

  /// How much of a level's residual rho = r_p - W_p^T z some z removes without change of the levels above.
  S betterable(std::size_t p, const std::vector<S>& rho) const {
    S sum = 0;
    for (int j = 0; j < Y[p].columns; ++j) {
      const S part = dot(Y[p].column(j), rho.data(), Y[p].rows);
      sum += part * part;
    }
    return root(sum);
  }
  /// The part of z that no row asks for.
  S beyond_rows(std::vector<S> x) const {
    for (const Reflection<S>& q : Q) q.apply(x.data());
    return norm_of(x.data() + rank, static_cast<int>(x.size()) - rank);
  }
};

namespace detail {

template <class S> class Levels {
 public:
  explicit Levels(const LevelProblem<S>& problem)
      : p_(problem),
        n_(problem.W.rows),
        m_(problem.W.columns),
        T_(problem.W),
        c_(m_, std::min(n_, m_)),
        e_(static_cast<std::size_t>(m_)) {
    for (int i = 0; i < m_; ++i) e_[at(i)] = norm_of(T_.column(i), n_);
    a_.row.resize(at(m_));
    a_.gap = S(1e30L);
  }
  LevelAnswer<S> solve() {
    std::vector<int> order(p_.level);
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    for (const int level : order) {
      const int above = a_.rank;
      count_rows_of(level);
      least_squares(above);
    }
    a_.z = y_;
    a_.z.resize(at(n_), S(0));
    for (std::size_t k = a_.Q.size(); k-- > 0;) a_.Q[k].apply(a_.z.data());
    least_lambda();
    return std::move(a_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void judge(int i) {
    RowDecision<S>& d = a_.row[at(i)];
    d.rest = norm_of(T_.column(i) + a_.rank, n_ - a_.rank) / e_[at(i)];
    d.terms = 1;
    d.threshold = p_.noise[at(i)];
    for (int k = 0; k < a_.rank; ++k) {
      d.terms += size_of(c_(i, k));
      d.threshold += size_of(c_(i, k)) * p_.noise[at(counted_[at(k)])];
    }
    d.threshold = std::max<S>(d.threshold, d.terms * p_.tolerance);
  }
  void count_rows_of(int level) {
    std::vector<int> rows, open;
    for (int i = 0; i < m_; ++i)
      if (p_.level[at(i)] == level) {
        rows.push_back(i);
        if (!p_.zero[at(i)] && e_[at(i)] > 0) open.push_back(i);
      }
    while (a_.rank < n_) {
      int pivot = -1;
      S best = 1;
      for (const int i : open) {
        judge(i);
        const RowDecision<S>& d = a_.row[at(i)];
        if (d.rest > best * d.threshold) {
          best = d.rest / d.threshold;
          pivot = i;
        }
      }
      if (pivot < 0) break;
      open.erase(std::find(open.begin(), open.end(), pivot));
      a_.gap = std::min(a_.gap, best);
      a_.kappa = std::max(a_.kappa, 1 / a_.row[at(pivot)].ratio());
      count(pivot);
    }
    for (const int i : open) {
      judge(i);
      if (a_.row[at(i)].rest > 0) a_.gap = std::min(a_.gap, a_.row[at(i)].threshold / a_.row[at(i)].rest);
    }
    a_.rows_of.push_back(rows);
  }
  void count(int pivot) {
    const int k = a_.rank++;
    a_.row[at(pivot)].counts = true;
    counted_.push_back(pivot);
    a_.Q.emplace_back(T_.column(pivot), k, n_);
    for (int i = 0; i < m_; ++i) a_.Q.back().apply(T_.column(i));
    for (int i = 0; i < m_; ++i) {
      if (a_.row[at(i)].counts || !(e_[at(i)] > 0)) continue;
      const S d = T_(k, i) / e_[at(i)] / (T_(k, pivot) / e_[at(pivot)]);
      c_(i, k) = d;
      for (int j = 0; j < k; ++j) c_(i, j) -= d * c_(pivot, j);
    }
  }
  /// y of the directions that the last level added.
  void least_squares(int above) {
    const std::vector<int>& rows = a_.rows_of.back();
    const int m = static_cast<int>(rows.size()), k = a_.rank - above;
    Matrix<S> G(m, k);
    std::vector<S> right(at(m));
    for (int i = 0; i < m; ++i) {
      const S* w = T_.column(rows[at(i)]);
      for (int j = 0; j < k; ++j) G(i, j) = p_.zero[at(rows[at(i)])] ? S(0) : w[above + j];
      right[at(i)] = p_.r[at(rows[at(i)])] - (p_.zero[at(rows[at(i)])] ? S(0) : dot(w, y_.data(), above));
    }
    const ThinQr<S> qr(G);
    const std::vector<S> y = qr.least_squares(right);
    y_.insert(y_.end(), y.begin(), y.end());
    a_.rank_of.push_back(k);
    a_.Y.push_back(qr.Y);
  }
  void least_lambda() {
    a_.lambda.assign(at(m_), S(0));
    if (a_.rank == 0) return;
    Matrix<S> A(m_, a_.rank);
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < a_.rank; ++j) A(i, j) = p_.zero[at(i)] ? S(0) : T_(j, i);
    a_.lambda = ThinQr<S>(A).least_norm(y_);
  }

  const LevelProblem<S>& p_;
  const int n_, m_;
  Matrix<S> T_, c_;  ///< Q^T W; coefficients of rows on the rows that count
  std::vector<S> e_, y_;
  std::vector<int> counted_;
  LevelAnswer<S> a_;
};

}  // namespace detail

template <class S> LevelAnswer<S> solve_levels(const LevelProblem<S>& problem) {
  return detail::Levels<S>(problem).solve();
}

}  // namespace zwang::exact
