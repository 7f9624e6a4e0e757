// SPDX-License-Identifier: BSD-3-Clause
#include "contact/scaled_problem.hpp"

#include <algorithm>
#include <limits>

#include "core/all_finite.hpp"

namespace zwang::contact {

void ScaledProblem::reserve(Index most_n, Index rows, Index cones) {
  const Index all = most_n + rows;  // with an entry for each row that has a compliance
  cone = Buffer<Cone>(cones);
  W = Buffer<double>(all * rows);
  G = Buffer<double>(rows * rows);
  y_0 = Buffer<double>(all), y_ = Buffer<double>(all);
  b = Buffer<double>(rows), g = Buffer<double>(rows);
  s_ = Buffer<double>(rows), z_ = Buffer<double>(rows);
  begin_ = Buffer<Index>(rows), end_ = Buffer<Index>(rows);
}

void ScaledProblem::set(Index plain, Index rows, const double* from, Index stride, const double* y,
                        const double* offset, const double* R, const ContactCone* cones, Index cone_count) {
  m = rows;
  count = cone_count;
  Index springs = 0;
  for (Index k = 0; R && k < m; ++k) springs += R[k] > 0;
  n = plain + springs;
  Index spring = plain;
  for (Index k = 0; k < m; ++k) {
    double* const w = W.data() + k * n;
    std::copy(from + k * stride, from + k * stride + plain, w);
    std::fill(w + plain, w + n, 0.0);
    if (R && R[k] > 0) w[spring++] = std::sqrt(R[k]);
    b[k] = offset ? offset[k] : 0;
    Index first = 0, last = n;
    while (first < last && w[first] == 0) ++first;
    while (last > first && w[last - 1] == 0) --last;
    begin_[k] = first;
    end_[k] = last;
  }
  std::copy(y, y + plain, y_0.begin());
  std::fill(y_0.begin() + plain, y_0.begin() + n, 0.0);
  scale(cones);
  for (Index i = 0; i < m; ++i) {
    g[i] = dot(n, column(i), y_0.data()) + b[i];
    for (Index j = 0; j <= i; ++j) {
      const Index low = std::max(begin(i), begin(j)), high = std::min(end(i), end(j));
      G[i * m + j] = G[j * m + i] = low < high ? dot(high - low, column(i) + low, column(j) + low) : 0.0;
    }
  }
}

void ScaledProblem::scale(const ContactCone* cones) {
  Index first = 0, points = 0;
  double scales = 0;
  for (Index c = 0; c < count; ++c) {
    Cone& to = cone[c];
    to = {.kind = cones[c].kind, .first = first, .mu = cones[c].mu};
    double square = 0;
    for (Index k = first; k < first + to.rows(); ++k) square += dot(n, column(k), column(k));
    double most = 0;
    for (Index k = first; k < first + to.rows(); ++k) most = std::max(most, largest(n, column(k)));
    // 0 of a row whose square is none: not representable.
    to.scale = square > 0 ? 1 / std::sqrt(square / static_cast<double>(to.rows())) : most > 0 ? 0 : 1;
    to.bound = cones[c].bound > 0 ? cones[c].bound / to.scale : 0;
    for (Index k = first; k < first + to.rows(); ++k) {
      for (Index i = 0; i < n; ++i) W[k * n + i] *= to.scale;
      b[k] *= to.scale;
    }
    first += to.rows();
    if (!to.is_contact()) continue;
    ++points;
    scales += to.scale;
  }
  for (Index c = 0; c < count; ++c)
    if (cone[c].is_contact() && scales > 0) cone[c].weight = cone[c].scale * static_cast<double>(points) / scales;
}

bool ScaledProblem::is_representable() const {
  for (Index c = 0; c < count; ++c)
    if (!(cone[c].scale > 0) || !std::isfinite(cone[c].scale) || !std::isfinite(cone[c].bound)) return false;
  const double V = speed(y_0.data()), most = std::max(largest(n, y_0.data()), largest(m, b.data()));
  return std::isfinite(V * V) && (most == 0 || most * most > std::numeric_limits<double>::min()) &&
         all_finite(G.data(), static_cast<long>(m * m)) &&  // and so is W, whose squares it has
         all_finite(g.data(), static_cast<long>(m));
}

double ScaledProblem::rounding(const double* l, double matters) const {
  const double still = std::sqrt(dot(n, y_0.data(), y_0.data())), offset = largest(m, b.data());
  double length = 0, sum = still;
  for (Index k = 0; k < m; ++k) {
    const double row = std::sqrt(G[k * m + k]);
    sum += row * std::fabs(l[k]);
    length = std::max(length, row);
  }
  if (std::numeric_limits<double>::epsilon() * (length * sum + offset) < matters * (still + offset)) return 0;
  for (Index i = 0; i < n; ++i) y_[i] = std::fabs(y_0[i]);
  for (Index k = 0; k < m; ++k)
    for (Index i = 0; i < n; ++i) y_[i] += std::fabs(column(k)[i] * l[k]);
  double most = 0;
  for (Index k = 0; k < m; ++k) {
    double gross = std::fabs(b[k]);
    for (Index i = 0; i < n; ++i) gross += std::fabs(column(k)[i]) * y_[i];
    most = std::max(most, gross);
  }
  motion(l, y_.data(), s_.data());
  return std::numeric_limits<double>::epsilon() * most / speed(y_.data());
}

void ScaledProblem::motion(const double* l, double* y, double* s) const {
  std::copy(y_0.begin(), y_0.begin() + n, y);
  for (Index k = 0; k < m; ++k) add(end(k) - begin(k), l[k], column(k) + begin(k), y + begin(k));
  for (Index k = 0; k < m; ++k) s[k] = dot(end(k) - begin(k), column(k) + begin(k), y + begin(k)) + b[k];
}

double ScaledProblem::speed(const double* y) const {
  return std::sqrt(dot(n, y_0.data(), y_0.data())) + std::sqrt(dot(n, y, y)) + largest(m, b.data()) + 1e-300;
}

void ScaledProblem::shift(const double* s, double* out) const {
  std::fill(out, out + m, 0.0);
  for (Index c = 0; c < count; ++c)
    if (cone[c].is_contact()) out[cone[c].first + 2] = contact::shift(cone[c], s);
}

void ScaledProblem::projected(const double* l, double* out) const {
  motion(l, y_.data(), s_.data());
  shift(s_.data(), z_.data());
  for (Index k = 0; k < m; ++k) z_[k] = l[k] - s_[k] - z_[k];
  project(z_.data(), out);
}

double ScaledProblem::residual(const double* l, Index* worst) const {
  motion(l, y_.data(), s_.data());
  double most = 0;
  for (Index c = 0; c < count; ++c) {
    const double e = distance(cone[c], l, s_.data());
    if (e <= most) continue;  // NaN is larger than any number
    most = e;
    if (worst) *worst = c;
    if (e != e) return e;
  }
  const double V = speed(y_.data());
  return std::isfinite(V) ? most / V : std::numeric_limits<double>::infinity();
}

}  // namespace zwang::contact
