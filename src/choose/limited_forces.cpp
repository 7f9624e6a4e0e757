// SPDX-License-Identifier: BSD-3-Clause
#include "choose/limited_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/vectors.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang {
namespace {

constexpr double k_no_bound = std::numeric_limits<double>::infinity();
constexpr double k_no_rate = 16 * epsilon_of<double>;  ///< of its terms: what does not change
constexpr double k_no_excess = 1e-13;                  ///< of the excess at the start: the limits can be kept
constexpr double k_no_step = 1e-14;                    ///< of x: a step of length 0

double dot_of(Index n, const double* x, const double* y) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
double euclidean(Index n, const double* x) { return std::sqrt(dot_of(n, x, x)); }

/// Takes the parts along `count` orthonormal vectors out of x, twice; they are added to `along`.
void orthogonalise(Index n, Index count, const double* vectors, Index stride, double* along, double* x) {
  for (int again = 0; again < 2; ++again)
    for (Index j = 0; j < count; ++j) {
      const double c = dot_of(n, vectors + j * stride, x);
      if (along != nullptr) along[j] += c;
      for (Index i = 0; i < n; ++i) x[i] -= c * vectors[j * stride + i];
    }
}

}  // namespace

LimitedForces::LimitedForces(Index coordinates, Index rows, Index motors, const Interruption* stop)
    : of_{Buffer<double>((rows + 1) * coordinates),
          Buffer<double>(motors * (rows + 1)),
          Buffer<double>(coordinates),
          Buffer<double>(rows + 1),
          Buffer<double>(rows + 1 + motors),
          Buffer<double>(rows + 1 + motors),
          Buffer<double>(rows + 1),
          Buffer<double>(motors)},
      point_{Buffer<double>(rows + 1), Buffer<double>(coordinates),   Buffer<double>(rows + 1),
             Buffer<double>(rows + 1), Buffer<double>(motors),        Buffer<double>(motors),
             Buffer<double>(rows + 1), Buffer<At>(rows + 1 + motors), Buffer<unsigned char>(rows + 1 + motors)},
      f_{Buffer<Index>(rows + 1),
         Buffer<Index>(motors),
         Buffer<Index>(rows + 1),
         0,
         0,
         0,
         Buffer<double>((rows + 1) * (rows + 1)),
         Buffer<double>(motors * motors),
         Buffer<double>((rows + 1) * coordinates),
         Buffer<double>((rows + 1) * (rows + 1)),
         Buffer<double>(rows + 1),
         Buffer<double>(rows + 1),
         Buffer<double>(rows + 1),
         Buffer<double>(rows + 1 + motors)},
      stop_(stop) {}

void LimitedForces::read(const ActiveSet& set, Index coordinates, Index rows, Index motors) {
  n_ = coordinates, m_ = rows, motors_ = motors;
  std::fill_n(of_.W.data(), (m_ + 1) * n_, 0.0);
  std::fill_n(of_.A.data(), motors_ * (m_ + 1), 0.0);
  std::copy_n(set.start(), n_, of_.start.data());
  of_.b[m_] = of_.lower[m_] = of_.upper[m_] = 0;
  of_.size[m_] = 1;
  for (Index k = 0; k < m_; ++k) {
    double size = euclidean(n_, set.row(k));
    if (!(size > 0)) size = 1;
    of_.size[k] = size;
    for (Index i = 0; i < n_; ++i) of_.W[k * n_ + i] = set.row(k)[i] / size;
    of_.b[k] = set.b[k] / size;
    of_.lower[k] = set.lower[k] * size;
    of_.upper[k] = set.upper[k] * size;
  }
  for (Index j = 0; j < motors_; ++j) {
    double* const to = of_.A.data() + j * (m_ + 1);
    const double unit = set.row(m_ + j)[n_ + j];  // of the stiff coordinate
    for (Index k = 0; k < m_; ++k) to[k] = -set.row(k)[n_ + j] / unit / of_.size[k];
    const double size = euclidean(m_, to);
    of_.motor_size[j] = size > 0 ? size : 1.0;
    for (Index k = 0; k < m_; ++k) to[k] /= of_.motor_size[j];
    of_.lower[bound_of_motor(j)] = set.lower[m_ + j] / of_.motor_size[j];
    of_.upper[bound_of_motor(j)] = set.upper[m_ + j] / of_.motor_size[j];
  }
}

double LimitedForces::torque(Index motor, const double* x) const { return dot_of(m_ + 1, a(motor), x); }

/// x nearest to 0 within the bounds of rows; what motors are beyond their limits there becomes the part of row m.
/// False if that is nothing.
bool LimitedForces::start() {
  for (Index k = 0; k <= m_; ++k) {
    point_.x[k] = std::clamp(0.0, of_.lower[k], of_.upper[k]);
    point_.at[k] = point_.x[k] == of_.lower[k] ? At::lower : point_.x[k] == of_.upper[k] ? At::upper : At::inside;
  }
  double most = 0;
  const auto excess = [&](Index j) {
    const double u = torque(j, point_.x.data());
    return std::min(u - of_.lower[bound_of_motor(j)], 0.0) + std::max(u - of_.upper[bound_of_motor(j)], 0.0);
  };
  for (Index j = 0; j < motors_; ++j) {
    point_.at[bound_of_motor(j)] = At::inside;
    point_.nu[j] = 0;
    most = std::max(most, std::fabs(excess(j)));
  }
  if (!(most > 0)) return false;
  for (Index j = 0; j < motors_; ++j) of_.A[j * (m_ + 1) + m_] = -excess(j) / most;
  of_.upper[m_] = k_no_bound;
  point_.x[m_] = most;
  point_.at[m_] = At::inside;
  return true;
}

/// Q and R of the columns A^T of motors at their limit, over the rows inside. Behind them Q is what unit vectors add,
/// the longest rest first.
void LimitedForces::factor_limits() {
  f_.rows = f_.limits = 0;
  for (Index k = 0; k <= m_; ++k)
    if (point_.at[k] == At::inside) f_.inside[f_.rows++] = k;
  const Index n = f_.rows, stride = m_ + 1;
  for (Index motor = 0; motor < motors_; ++motor) {
    if (point_.at[bound_of_motor(motor)] == At::inside) continue;
    const Index j = f_.limits;
    double* const q = f_.Q.data() + j * stride;
    double* const along = f_.c.data();
    std::fill_n(along, j, 0.0);
    for (Index i = 0; i < n; ++i) q[i] = a(motor)[f_.inside[i]];
    orthogonalise(n, j, f_.Q.data(), stride, along, q);
    const double left = euclidean(n, q);
    if (!(left > k_no_rate)) {  // the limits before it hold this one, too, or no row inside moves it
      point_.at[bound_of_motor(motor)] = At::inside;
      continue;
    }
    for (Index i = 0; i < j; ++i) f_.R[i * motors_ + j] = along[i];
    f_.R[j * motors_ + j] = left;
    for (Index i = 0; i < n; ++i) q[i] /= left;
    f_.reached[f_.limits++] = motor;
  }
  for (Index j = f_.limits; j < n; ++j) {
    double* const q = f_.Q.data() + j * stride;
    Index best = 0;
    double most = -1;
    for (Index i = 0; i < n; ++i) {
      double left = 1;
      for (Index l = 0; l < j; ++l) left -= f_.Q[l * stride + i] * f_.Q[l * stride + i];
      if (left > most) most = left, best = i;
    }
    std::fill_n(q, n, 0.0);
    q[best] = 1;
    orthogonalise(n, j, f_.Q.data(), stride, nullptr, q);
    const double left = euclidean(n, q);
    for (Index i = 0; i < n; ++i) q[i] /= left;
  }
}

/// The shortest change of the rows inside with which the limits reached are exact.
void LimitedForces::meet_limits() {
  for (Index j = 0; j < f_.limits; ++j) {
    const Index motor = f_.reached[j], bound = bound_of_motor(motor);
    double sum = (point_.at[bound] == At::lower ? of_.lower[bound] : of_.upper[bound]) - torque(motor, point_.x.data());
    for (Index i = 0; i < j; ++i) sum -= f_.R[i * motors_ + j] * f_.c[i];
    f_.c[j] = sum / f_.R[j * motors_ + j];
  }
  for (Index i = 0; i < f_.rows; ++i) {
    const Index k = f_.inside[i];
    for (Index j = 0; j < f_.limits; ++j) point_.x[k] += f_.c[j] * f_.Q[j * (m_ + 1) + i];
    point_.x[k] = std::clamp(point_.x[k], of_.lower[k], of_.upper[k]);
  }
}

/// y, the slope along every x_k, and along Z.
void LimitedForces::evaluate(Phase phase) {
  if (phase == Phase::feasible) {
    std::fill_n(point_.slope.data(), m_, 0.0);
    std::fill_n(point_.terms.data(), m_, 0.0);
    point_.slope[m_] = point_.terms[m_] = 1;
  } else {
    double* const moved = f_.B.data();  // sizes of the terms of y
    for (Index i = 0; i < n_; ++i) {
      point_.y[i] = of_.start[i];
      moved[i] = std::fabs(of_.start[i]);
    }
    for (Index k = 0; k < m_; ++k)
      for (Index i = 0; i < n_ && point_.x[k] != 0; ++i) {
        point_.y[i] += w(k)[i] * point_.x[k];
        moved[i] += std::fabs(w(k)[i] * point_.x[k]);
      }
    for (Index k = 0; k <= m_; ++k) {
      point_.slope[k] = dot_of(n_, w(k), point_.y.data()) - of_.b[k];
      point_.terms[k] = std::fabs(of_.b[k]);
      for (Index i = 0; i < n_; ++i) point_.terms[k] += std::fabs(w(k)[i]) * moved[i];
    }
  }
  for (Index j = f_.limits; j < f_.rows; ++j) {
    f_.r[j] = f_.r_terms[j] = 0;
    for (Index i = 0; i < f_.rows; ++i) {
      const double q = f_.Q[j * (m_ + 1) + i];
      f_.r[j] += q * point_.slope[f_.inside[i]];
      f_.r_terms[j] += std::fabs(q) * point_.terms[f_.inside[i]];
    }
  }
}

/// B = W^T Z, by Gram and Schmidt with the longest rest first.
void LimitedForces::factor_rows(Phase phase) {
  const Index d = f_.rows - f_.limits, stride = m_ + 1;
  f_.rank = 0;
  for (Index j = 0; j < d; ++j) {
    f_.order[j] = f_.limits + j;
    double* const column = f_.B.data() + j * n_;
    std::fill_n(column, n_, 0.0);
    for (Index i = 0; i < f_.rows && phase == Phase::optimal; ++i)
      for (Index l = 0; l < n_; ++l) column[l] += f_.Q[(f_.limits + j) * stride + i] * w(f_.inside[i])[l];
    std::fill_n(f_.T.data() + j * stride, stride, 0.0);  // column j of the triangle
  }
  for (; f_.rank < d; ++f_.rank) {
    Index best = f_.rank;
    double most = 0;
    for (Index j = f_.rank; j < d; ++j)
      if (const double left = euclidean(n_, f_.B.data() + j * n_); left > most) most = left, best = j;
    if (!(most > tolerance_.angle)) break;
    std::swap(f_.order[f_.rank], f_.order[best]);
    std::swap_ranges(f_.B.data() + best * n_, f_.B.data() + (best + 1) * n_, f_.B.data() + f_.rank * n_);
    std::swap_ranges(f_.T.data() + best * stride, f_.T.data() + (best + 1) * stride, f_.T.data() + f_.rank * stride);
    double* const basis = f_.B.data() + f_.rank * n_;
    orthogonalise(n_, f_.rank, f_.B.data(), n_, f_.T.data() + f_.rank * stride, basis);
    const double left = euclidean(n_, basis);
    f_.T[f_.rank * stride + f_.rank] = left;
    for (Index i = 0; i < n_; ++i) basis[i] /= left;
    for (Index j = f_.rank + 1; j < d; ++j) {
      double* const rest = f_.B.data() + j * n_;
      const double c = dot_of(n_, basis, rest);
      f_.T[j * stride + f_.rank] += c;
      for (Index i = 0; i < n_; ++i) rest[i] -= c * basis[i];
    }
  }
}

/// The step of x for z, by columns of B.
void LimitedForces::step_of(const double* z) {
  std::fill_n(point_.step.data(), m_ + 1, 0.0);
  for (Index j = 0; j < f_.rows - f_.limits; ++j)
    for (Index i = 0; i < f_.rows && z[j] != 0; ++i)
      point_.step[f_.inside[i]] += z[j] * f_.Q[f_.order[j] * (m_ + 1) + i];
}

/// A step that does not change y and along which the objective falls. False: there is none.
bool LimitedForces::find_descent(Phase phase) {
  const Index d = f_.rows - f_.limits, stride = m_ + 1;
  bool some = false;
  std::fill_n(f_.z.data(), d, 0.0);
  for (Index j = f_.rank; j < d; ++j) {
    double* const t = f_.c.data();  // T t = -column j
    double slope = f_.r[f_.order[j]], terms = f_.r_terms[f_.order[j]];
    for (Index i = f_.rank; i-- > 0;) {
      double sum = -f_.T[j * stride + i];
      for (Index l = i + 1; l < f_.rank; ++l) sum -= f_.T[l * stride + i] * t[l];
      t[i] = sum / f_.T[i * stride + i];
      slope += t[i] * f_.r[f_.order[i]];
      terms += std::fabs(t[i]) * f_.r_terms[f_.order[i]];
    }
    const double least = phase == Phase::feasible ? tolerance_.angle : tolerance_.feasible * terms;
    if (!(std::fabs(slope) > least)) continue;
    some = true;
    for (Index i = 0; i < f_.rank; ++i) f_.z[i] -= slope * t[i];
    f_.z[j] -= slope;
  }
  if (some) step_of(f_.z.data());
  return some;
}

/// The step to the minimum: T z = c - Q^T y with T^T c = Z^T b.
void LimitedForces::find_minimum(Phase phase) {
  const Index d = f_.rows - f_.limits, stride = m_ + 1;
  std::fill_n(f_.z.data(), d, 0.0);
  if (phase == Phase::optimal) {
    for (Index i = 0; i < f_.rank; ++i) {
      double sum = 0;
      for (Index l = 0; l < f_.rows; ++l) sum += f_.Q[f_.order[i] * stride + l] * of_.b[f_.inside[l]];
      for (Index l = 0; l < i; ++l) sum -= f_.T[i * stride + l] * f_.c[l];
      f_.c[i] = sum / f_.T[i * stride + i];
    }
    for (Index i = f_.rank; i-- > 0;) {
      double sum = f_.c[i] - dot_of(n_, f_.B.data() + i * n_, point_.y.data());
      for (Index l = i + 1; l < f_.rank; ++l) sum -= f_.T[l * stride + i] * f_.z[l];
      f_.z[i] = sum / f_.T[i * stride + i];
    }
  }
  step_of(f_.z.data());
}

/// How many steps fit; the bound that is met first: -1, there is none. `free`: along dependent rows, where y and
/// torques change by what the angle of these rows is.
double LimitedForces::find_block(bool free, Index& bound, bool& far) const {
  double fits = k_no_bound, fastest = 0;
  const double longest = euclidean(m_ + 1, point_.step.data());
  bound = -1;
  const auto add = [&](Index at, double value, double rate, double least) {
    if (!(std::fabs(rate) > least)) return;
    const double to = rate > 0 ? of_.upper[at] : of_.lower[at];
    const double t = std::max((to - value) / rate, 0.0);
    if (!(t < fits || (t == fits && t < k_no_bound && std::fabs(rate) > fastest))) return;
    fits = t;
    fastest = std::fabs(rate);
    bound = at;
    far = rate > 0;
  };
  for (Index i = 0; i < f_.rows; ++i) {
    const Index k = f_.inside[i];
    add(k, point_.x[k], point_.step[k], (free ? tolerance_.angle : k_no_rate) * longest);
  }
  for (Index j = 0; j < motors_; ++j) {
    if (point_.at[bound_of_motor(j)] != At::inside) continue;
    double terms = 0;
    for (Index k = 0; k <= m_; ++k) terms += std::fabs(a(j)[k] * point_.step[k]);
    add(bound_of_motor(j), torque(j, point_.x.data()), torque(j, point_.step.data()),
        free ? tolerance_.angle * longest : k_no_rate * terms);
  }
  return fits;
}

void LimitedForces::join(Index bound, bool far) {
  point_.at[bound] = far ? At::upper : At::lower;
  if (!is_motor(bound)) point_.x[bound] = far ? of_.upper[bound] : of_.lower[bound];
}

/// A nu = -slope over the rows inside, by R nu = -Q^T slope. What is left of every row is solved for again: slopes of
/// rows may differ by many powers of ten, and each of them is to vanish in its own terms.
void LimitedForces::find_slips() {
  std::fill_n(point_.nu.data(), motors_, 0.0);
  double* const left = f_.z.data();
  for (int time = 0; time < 4; ++time) {
    for (Index i = 0; i < f_.rows; ++i) {
      const Index k = f_.inside[i];
      left[i] = -point_.slope[k];
      for (Index j = 0; j < motors_; ++j) left[i] -= a(j)[k] * point_.nu[j];
    }
    for (Index j = f_.limits; j-- > 0;) {
      f_.c[j] = dot_of(f_.rows, f_.Q.data() + j * (m_ + 1), left);
      for (Index i = j + 1; i < f_.limits; ++i) f_.c[j] -= f_.R[j * motors_ + i] * f_.c[i];
      f_.c[j] /= f_.R[j * motors_ + j];
    }
    for (Index j = 0; j < f_.limits; ++j) point_.nu[f_.reached[j]] += f_.c[j];
  }
  std::fill_n(point_.nu_terms.data(), motors_, 0.0);
  for (Index j = f_.limits; j-- > 0;) {
    double terms = 0;
    for (Index i = 0; i < f_.rows; ++i) terms += std::fabs(f_.Q[j * (m_ + 1) + i]) * point_.terms[f_.inside[i]];
    for (Index i = j + 1; i < f_.limits; ++i)
      terms += std::fabs(f_.R[j * motors_ + i]) * point_.nu_terms[f_.reached[i]];
    point_.nu_terms[f_.reached[j]] = terms / f_.R[j * motors_ + j];
  }
}

/// The bound whose multiplier has the wrong sign most; -1: there is none.
Index LimitedForces::find_wrong(bool lowest) const {
  Index worst = -1;
  double most = 0;
  for (Index at = 0; at < m_ + 1 + motors_; ++at) {
    if (point_.at[at] == At::inside || point_.passed[at] || of_.lower[at] == of_.upper[at]) continue;
    double pull, terms;  // pull: how the objective falls towards the inside
    if (is_motor(at)) {
      const Index j = at - m_ - 1;
      pull = point_.at[at] == At::lower ? point_.nu[j] : -point_.nu[j];
      terms = point_.nu_terms[j];
    } else {
      double slope = point_.slope[at];
      terms = point_.terms[at];
      for (Index j = 0; j < motors_; ++j) {
        slope += a(j)[at] * point_.nu[j];
        terms += std::fabs(a(j)[at]) * point_.nu_terms[j];
      }
      pull = point_.at[at] == At::lower ? -slope : slope;
    }
    if (!(pull > 64 * epsilon_of<double> * (n_ + m_) * terms)) continue;
    if (worst >= 0 && (lowest || pull <= most)) continue;
    worst = at;
    most = pull;
  }
  return worst;
}

LimitedForces::End LimitedForces::run(Phase phase) {
  const Index bounds = m_ + 1 + motors_;
  const int most = 100 + 20 * static_cast<int>(bounds);
  Index let_go = -1;
  int repeats = 0, idle = 0;  // steps to the same minimum; steps of length 0
  std::fill_n(point_.passed.data(), bounds, static_cast<unsigned char>(0));
  for (int steps = 0; steps < most; ++steps) {
    if (is_asked(stop_)) return End::unsettled;
    factor_limits();
    meet_limits();
    evaluate(phase);
    factor_rows(phase);
    const bool falls = find_descent(phase);
    if (!falls && repeats >= 2) {
      find_slips();
      const Index wrong = find_wrong(idle > bounds);
      if (wrong < 0) return End::found;
      point_.at[wrong] = At::inside;
      let_go = wrong;
      repeats = 0;
      continue;
    }
    if (!falls) find_minimum(phase);
    Index bound = -1;
    bool far = false;
    double fits = find_block(falls && phase == Phase::optimal, bound, far);
    if (falls && bound < 0) return End::rows_contradict;
    const bool is_blocked = falls || fits < 1;
    if (!is_blocked) fits = 1;
    for (Index k = 0; k <= m_; ++k) point_.x[k] += fits * point_.step[k];
    if (fits * euclidean(m_ + 1, point_.step.data()) > k_no_step * euclidean(m_ + 1, point_.x.data())) {
      std::fill_n(point_.passed.data(), bounds, static_cast<unsigned char>(0));
      idle = 0;
    } else {
      ++idle;
      if (is_blocked && bound == let_go) point_.passed[bound] = 1;
    }
    repeats = is_blocked ? 0 : repeats + 1;
    if (!is_blocked) continue;
    join(bound, far);
    if (phase == Phase::feasible && bound == m_) return End::found;
  }
  return End::unsettled;
}

LimitedForces::End LimitedForces::find(const ActiveSet& set, const ActiveSet::Tolerances& tolerances, Index coordinates,
                                       Index rows, Index motors) {
  tolerance_ = tolerances;
  read(set, coordinates, rows, motors);
  if (start()) {
    const double most = point_.x[m_];
    if (run(Phase::feasible) != End::found) return End::unsettled;
    if (point_.x[m_] > k_no_excess * most) return End::limits_contradict;
    of_.lower[m_] = of_.upper[m_] = point_.x[m_];
    point_.at[m_] = At::lower;
  }
  const End end = run(Phase::optimal);
  return all_finite(m_ + 1, point_.x.data()) ? end : End::unsettled;
}

}  // namespace zwang
