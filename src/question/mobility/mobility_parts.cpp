// SPDX-License-Identifier: BSD-3-Clause
#include "question/mobility/mobility_parts.hpp"

#include <algorithm>
#include <cmath>

#include "linear/singular_values.hpp"
#include "manifold/instances.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_rounding = 64 * epsilon_of<double>;
constexpr double k_closed = 1e-12;  ///< of a scaled position error: closed. Positions are sums of some tens of terms.
constexpr double k_open = 1e-6;     ///< of a scaled position error: a row with a sense is open
constexpr double k_coarse = 1e-7;   ///< Newton's steps do not use rows that are nearer to dependent
constexpr double k_far = 0.3;       ///< scaled: nothing is special about a configuration at random so far away

}  // namespace

MobilityParts::MobilityParts(const Model& model, const ConstraintSet& set, const MobilitySettings& s)
    : rows(model, set, "Mobility"),
      row_rank(rows),
      settings(s),
      hard(rows.problem.layout.capacity),
      row_scale(rows.problem.layout.capacity),
      column_scale(model.nv()),
      open(rows.problem.layout.capacity),
      span(std::max(rows.problem.layout.capacity, 2 * model.nv() + 6), model.nv()),
      closing(rows.problem.layout.capacity, model.nv()),
      secants(model.nv(), model.nv()),
      matrix((rows.problem.layout.capacity + model.nv() + 6) * model.nv()),
      transposed(matrix.size()),
      errors(rows.problem.layout.capacity),
      work(std::max(rows.problem.layout.capacity, model.nv()) + 6),
      step_(model.nv()),
      here(model.nq()),
      there(model.nq()),
      further(model.nq()) {}

/// Rows with a sense whose position error, scaled, leaves them room to move. A row without a wanted position is closed.
void MobilityParts::find_open() {
  for (Index k = 0; k < count; ++k) {
    const Index i = hard[k];
    const Constraint& x = rows.constraint_of(i);
    const Sense sense = x.sense.empty() ? Sense::equal : x.sense[rows.row_in_constraint(i)];
    if (sense == Sense::equal || (x.target.empty() && x.relation != nullptr && x.relation->position_is_free()))
      continue;
    const double phi = sense == Sense::at_most ? -rows.position_error[i] : rows.position_error[i];
    open[i] = std::isfinite(phi) && row_scale[i] * phi > k_open;
  }
}

void MobilityParts::evaluate(const double* q, bool choose) {
  rows.evaluate(q, nullptr);
  rows.evaluate_magnitudes();
  if (choose) {
    std::fill_n(open.data(), open.size(), static_cast<unsigned char>(0));
    list_rows();
    scale();
    find_open();
    scaled = false;
  }
  list_rows();
  if (!scaled) scale();
}

void MobilityParts::list_rows() {
  count = 0;
  all_close = true;
  for (Index i = 0; i < rows.rows; ++i) {
    if (rows.compliance(i) > 0 || open[i]) continue;
    hard[count++] = i;
    all_close = all_close && std::isfinite(rows.position_error[i]);
  }
}

void MobilityParts::scale() {
  const Index n = rows.nv;
  scaled = true;
  std::fill(row_scale.begin(), row_scale.end(), 1.0);
  std::fill(column_scale.begin(), column_scale.end(), 1.0);
  for (int pass = 0; pass < 6; ++pass) {
    for (Index k = 0; k < count; ++k) {
      double largest = 0;
      for (Index c = 0; c < n; ++c) largest = std::max(largest, rows.magnitudes(hard[k])[c] * column_scale[c]);
      largest *= row_scale[hard[k]];
      if (largest > 0) row_scale[hard[k]] /= std::sqrt(largest);
    }
    for (Index c = 0; c < n; ++c) {
      double largest = 0;
      for (Index k = 0; k < count; ++k)
        largest = std::max(largest, rows.magnitudes(hard[k])[c] * row_scale[hard[k]] * column_scale[c]);
      if (largest > 0) column_scale[c] /= std::sqrt(largest);
    }
  }
}

double MobilityParts::tolerance() const { return RowPolicy({.tolerance = settings.tolerance}).tolerance; }

void MobilityParts::rank_rows() {
  const Index n = rows.nv;
  if (!row_rank.find(open.data(), tolerance())) {
    scaled_rows();
    for (Index k = 0; k < count; ++k)
      for (Index c = 0; c < n; ++c)
        transposed[k * n + c] = row_scale[hard[k]] * rows.magnitudes(hard[k])[c] * column_scale[c];
    row_rank.find(hard.data(), count, matrix.data(), transposed.data(), tolerance());
  }
}

void MobilityParts::find_rank() {
  const Index n = rows.nv;
  rank_rows();
  span.begin(n);
  for (Index k = 0; k < count; ++k) {
    const Index i = hard[k];
    if (!row_rank.counts(i)) continue;
    for (Index c = 0; c < n; ++c) work[c] = row_scale[i] * rows.row(i)[c] * column_scale[c];
    span.add(work.data(), 0, row_scale[i]);
  }
}

void MobilityParts::span_closing() {
  const Index n = rows.nv;
  closing.begin(n);
  for (Index k = 0; k < count; ++k) {
    const Index i = hard[k];
    if (!std::isfinite(rows.position_error[i])) continue;
    double own = 0, size = 0;
    for (Index c = 0; c < n; ++c) {
      work[c] = row_scale[i] * rows.row(i)[c] * column_scale[c];
      const double magnitude = row_scale[i] * rows.magnitudes(i)[c] * column_scale[c];
      own += work[c] * work[c];
      size += magnitude * magnitude;
    }
    errors[closing.rows()] = row_scale[i] * rows.position_error[i];
    closing.add(work.data(), std::max(k_coarse, rows.openness(i)) * std::sqrt(own) + k_rounding * std::sqrt(size),
                row_scale[i]);
  }
}

void MobilityParts::scaled_rows() {
  for (Index k = 0; k < count; ++k)
    for (Index c = 0; c < rows.nv; ++c)
      matrix[k * rows.nv + c] = row_scale[hard[k]] * rows.row(hard[k])[c] * column_scale[c];
}

void MobilityParts::singular_values(Index m, Index n, std::vector<double>& out) {
  const Index fewer = std::min(m, n);
  out.assign(static_cast<std::size_t>(fewer), 0.0);
  if (fewer == 0) return;
  if (m <= n) return dense::singular_values(m, n, matrix.data(), out.data());
  for (Index i = 0; i < m; ++i)
    for (Index c = 0; c < n; ++c) transposed[c * m + i] = matrix[i * n + c];
  dense::singular_values(n, m, transposed.data(), out.data());
}

double MobilityParts::smallest_singular_value(Index rank) {
  std::vector<double> values;
  scaled_rows();
  singular_values(count, rows.nv, values);
  return rank > 0 ? values[static_cast<std::size_t>(rank - 1)] : 0.0;
}

double MobilityParts::closure() const {
  double largest = 0;
  for (Index k = 0; k < count; ++k)
    if (std::isfinite(rows.position_error[hard[k]]))
      largest = std::max(largest, row_scale[hard[k]] * std::fabs(rows.position_error[hard[k]]));
  return largest;
}

bool MobilityParts::close(Buffer<double>& q) {
  const Index n = rows.nv;
  for (int iteration = 0; iteration < 80; ++iteration) {
    evaluate(q.data());
    if (closure() <= k_closed) return true;
    span_closing();
    closing.solve(1, errors.data(), step_.data());
    double largest = 0;
    for (Index c = 0; c < n; ++c) largest = std::max(largest, std::fabs(step_[c]));
    if (!(largest < 1e6)) return false;
    const double shorter = largest > 0.3 ? 0.3 / largest : 1;
    for (Index c = 0; c < n; ++c) step_[c] *= -shorter * column_scale[c];
    page::integrate(rows.problem.state.data.tree(), q.data(), step_.data(), q.data());
  }
  return false;
}

bool MobilityParts::follow(const Buffer<double>& from, const double* direction, double step, Buffer<double>& to,
                           double* secant) {
  const Tree<double>& tree = rows.problem.state.data.tree();
  const Index n = rows.nv;
  for (Index c = 0; c < n; ++c) step_[c] = step * column_scale[c] * direction[c];
  page::integrate(tree, from.data(), step_.data(), to.data());
  if (!close(to)) return false;
  page::difference(tree, from.data(), to.data(), secant);
  for (Index c = 0; c < n; ++c) secant[c] /= step * column_scale[c];
  const double length = std::sqrt(dot(n, secant, secant));
  return length > 0.25 && length < 4;
}

Index MobilityParts::going_on(const Buffer<double>& q, double step) {
  const Index n = rows.nv;
  evaluate(q.data());
  find_rank();
  span.complete();
  const Index rank = span.rank();
  secants.begin(n);
  for (Index k = rank; k < n; ++k) {
    const bool goes =
        follow(q, span.basis(k), step, further, work.data()) || follow(q, span.basis(k), -step, further, work.data());
    if (goes) secants.add(work.data(), 0.1);
  }
  return secants.rank();
}

Index MobilityParts::generic_rank(const Buffer<double>& q) {
  const Index n = rows.nv;
  Index most = 0;
  for (int s = 0; s < 3 && most < std::min(count, n); ++s) {
    for (Index c = 0; c < n; ++c) {
      const auto index = static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(c);
      step_[c] = k_far * column_scale[c] * Random(settings.seed, 1).at(index).uniform(-1, 1);
    }
    page::integrate(rows.problem.state.data.tree(), q.data(), step_.data(), further.data());
    evaluate(further.data());
    rank_rows();
    most = std::max(most, row_rank.rank());
  }
  return most;
}

/// The theorem of constant rank. The rows hold at a configuration at a distance of |phi| / sigma, sigma the smallest
/// singular value that counts; their derivatives, which are of size 1 as scaled, change by less than sigma up to there
/// (Kantorovich: n |phi| < sigma^2 / 4, with the rounding of phi).
bool MobilityParts::is_regular(Index generic) {
  if (row_rank.rank() < generic) return false;
  const double sigma = smallest_singular_value(generic);
  return generic == 0 || 4 * rows.nv * (closure() + k_rounding) < sigma * sigma;
}

/// Where q is regular this decides. Else directions at random among the free ones are followed, both ways.
/// Configurations there are regular, unless singular ones fill the neighbourhood.
void MobilityParts::sample(MobilityReport& report, const double* q) {
  const Index n = rows.nv, rank = report.rank;
  std::copy_n(q, here.size(), here.data());
  if (!(report.closure <= 1e-6 && close(here))) return evaluate(q);
  const dense::RowSpan at_q = span;
  const Index elsewhere = generic_rank(here);
  evaluate(here.data());
  rank_rows();
  const Index here_rank = row_rank.rank(), generic = std::max(elsewhere, here_rank);
  const bool regular = is_regular(generic);
  const bool doubtful = !regular && here_rank > 0 && smallest_singular_value(here_rank) < 2 * settings.step;
  Buffer<double> direction(n), secant(n);
  Index most = regular ? n - generic : 0;
  bool moved = regular;
  if (regular) report.mobility_nearby = most;
  for (int s = 0; s < settings.samples && !regular && report.mobility > 0; ++s) {
    std::fill_n(direction.data(), n, 0.0);
    for (Index k = rank; k < n; ++k) {
      const auto index = static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(k);
      const double part = Random(settings.seed).at(index).uniform(-1, 1);
      subtract_multiple(n, -part, at_q.basis(k), direction.data());
    }
    const double length = std::sqrt(dot(n, direction.data(), direction.data()));
    for (double& x : direction) x /= length;
    const double step = s % 2 == 0 ? settings.step : -settings.step;
    if (!follow(here, direction.data(), step, there, secant.data())) continue;
    moved = true;
    rank_rows();
    const Index nearby = n - row_rank.rank();
    report.mobility_nearby = report.mobility_nearby < 0 ? nearby : std::min(report.mobility_nearby, nearby);
    if (all_close && (most < nearby || s == 0))
      most = std::max(most, is_regular(generic) ? nearby : going_on(there, settings.step / 2));
  }
  span = at_q;
  report.singular = report.mobility > 0 && (moved ? report.mobility_nearby < report.mobility : rank < generic);
  evaluate(q);
  // Nothing has moved by a step: a point, or a motion of less than a step, which leaves a small singular value.
  if (all_close && (moved || !doubtful)) report.finite_mobility = most;
}

}  // namespace zwang
