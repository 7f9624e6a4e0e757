// SPDX-License-Identifier: BSD-3-Clause
#include "choose/metric_rows.hpp"

#include <cmath>

#include "algorithm/instances.hpp"
#include "core/kernel_table.hpp"
#include "linear/cholesky.hpp"

namespace zwang {
namespace {

double length(Index n, const double* x) {
  double sum = 0;
  for (Index k = 0; k < n; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}
/// x <- a bound of |L^-1| x for x >= 0: of all matrices with the sizes of these entries (Higham 2002, Accuracy and
/// Stability, 8.3).
void solve_lower_sizes(Index n, const double* L, double* x) {
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < k; ++j) x[k] += std::fabs(L[k * n + j]) * x[j];
    x[k] /= std::fabs(L[k * n + k]);
  }
}

}  // namespace

MetricRows::MetricRows(const Problem& of)
    : whole(of),
      stop_(of.state.interruption),
      nv_(of.state.data.model().nv()),
      J_(of.layout.capacity * nv_),
      terms_(of.layout.capacity * nv_),
      b_(of.layout.capacity),
      size_(of.layout.capacity),
      reach_(of.layout.capacity),
      needed_(of.layout.capacity),
      square_(of.layout.capacity),
      M_(nv_ * nv_),
      force_(nv_),
      scratch_(nv_) {}

/// An entry of J that is rounding of its terms is 0.
void MetricRows::evaluate() {
  Data& data = whole.state.data;
  const Tree<double>& tree = data.tree();
  const page::RowNumbers<double>& rows = whole.rows;
  std::fill_n(J_.data(), rows.m * nv_, 0.0);
  std::fill_n(terms_.data(), rows.m * nv_, 0.0);
  for (Index k = 0; k < rows.m; ++k) {
    b_[k] = -page::attached_residual(rows, k);
    size_[k] = std::fabs(b_[k]);
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
      const double moment = norm(K.n) + norm(K.f) * norm(data.position.placement[body].p);  // before summation
      const Motion<double>& bias = data.velocity.bias[body];
      size_[k] += norm(K.f) * (norm(bias.v) + norm(data.gravity)) + moment * norm(bias.w);
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c) {
          const Motion<double> s = data.articulated.column[c].s;
          const Index at = k * nv_ + tree.column[c].v;
          J_[at] += dot(s, K) * tree.column[c].multiplier;
          terms_[at] += std::fabs(tree.column[c].multiplier) * (norm(s.v) * norm(K.f) + norm(s.w) * moment);
        }
    });
    for (Index at = k * nv_; at < (k + 1) * nv_; ++at)
      if (std::fabs(J_[at]) <= 4 * epsilon_of<double> * terms_[at]) J_[at] = 0;
  }
  const double *const q = whole.state.q.data(), *const v = whole.state.v.data();
  std::fill_n(scratch_.data(), nv_, 0.0);
  kernels().state->inverse_dynamics(&data, q, v, scratch_.data(), force_.data());
  for (Index y = 0; y < nv_; ++y) force_[y] = whole.state.total[y] - force_[y];
  page::kinematics(data, q, v);
  page::columns_of_positions(data, q);
}

void MetricRows::write_mass() {
  const Data& data = whole.state.data;
  const Tree<double>& tree = data.tree();
  kernels().state->mass_matrix(&whole.state.data, whole.state.q.data(), M_.data(), nv_);
  for (Index k = 0; k < tree.spanning_nv && data.damping_step > 0 && tree.passive != nullptr; ++k) {
    const auto& c = tree.column[k];
    M_[c.v * nv_ + c.v] += tree.passive[k].damping * data.damping_step * c.multiplier * c.multiplier;
  }
}

void MetricRows::hold_prescribed() {
  const PrescribedCoordinates& given = whole.state.prescribed;
  for (Index p = 0; given.any && p < nv_; ++p) {
    if (!given.is[p]) continue;
    const double a = given.value[p];
    for (Index y = 0; y < nv_; ++y) force_[y] -= M_[y * nv_ + p] * a;
    for (Index k = 0; k < whole.rows.m; ++k) {
      b_[k] -= J_[k * nv_ + p] * a;
      J_[k * nv_ + p] = 0;
    }
    for (Index y = 0; y < nv_; ++y) M_[y * nv_ + p] = M_[p * nv_ + y] = 0;
    M_[p * nv_ + p] = 1;
    force_[p] = 0;
  }
}

Index MetricRows::factor(const unsigned char* bounded) {
  write_mass();
  hold_prescribed();
  double largest = 0;
  for (Index y = 0; y < nv_; ++y) {
    scratch_[y] = M_[y * nv_ + y];
    largest = std::max(largest, scratch_[y]);
  }
  stiffened_ = dense::cholesky(nv_, nv_, 16 * epsilon_of<double> * nv_, M_.data(), &stop_);
  if (stiffened_ < 0) return -1;
  for (Index y = 0; y < nv_; ++y) {  // the upper triangle is as it was
    for (Index x = 0; x < y; ++x) M_[y * nv_ + x] = M_[x * nv_ + y];
    M_[y * nv_ + y] = scratch_[y];
  }
  for (Index k = 0; k < whole.rows.m && !stop_.asked(); ++k) {
    const double size = length(nv_, &J_[k * nv_]);
    if (bounded[k] || whole.rows.compliance[k] > 0 || !(size > 0)) continue;
    const double stiffness = (largest > 0 ? largest : 1.0) / (size * size);
    for (Index y = 0; y < nv_; ++y) {
      force_[y] += stiffness * J_[k * nv_ + y] * b_[k];
      for (Index x = 0; x < nv_; ++x) M_[y * nv_ + x] += stiffness * J_[k * nv_ + y] * J_[k * nv_ + x];
    }
  }
  return dense::cholesky(nv_, nv_, 16 * epsilon_of<double> * nv_, M_.data(), &stop_);
}

Index MetricRows::soft() const {
  Index count = 0;
  for (Index k = 0; k < whole.rows.m; ++k) count += whole.rows.compliance[k] > 0;
  return count;
}

void MetricRows::write(ActiveSet& set) {
  const page::RowNumbers<double>& rows = whole.rows;
  std::copy_n(force_.data(), nv_, set.start());
  dense::solve_lower(nv_, nv_, M_.data(), set.start());
  free_ = length(nv_, set.start());
  for (Index k = 0, own = nv_; k < rows.m && !stop_.asked(); ++k) {
    double* const w = set.row(k);
    std::copy_n(&J_[k * nv_], nv_, w);
    dense::solve_lower(nv_, nv_, M_.data(), w);
    if (rows.compliance[k] > 0) w[own++] = std::sqrt(rows.compliance[k]);
    set.b[k] = b_[k];
    const double size = length(own, w);
    square_[k] = size > 0 ? size * size : 1.0;
    needed_[k] = size > 0 ? size_[k] / (size * size) : 0;
    reach_[k] = 0;
    for (Index y = 0; y < nv_; ++y) reach_[k] += std::fabs(w[y] * set.start()[y]);
  }
}

double MetricRows::response(Index coordinate) {
  std::fill_n(scratch_.data(), nv_, 0.0);
  scratch_[coordinate] = 1;
  dense::solve_lower(nv_, nv_, M_.data(), scratch_.data());
  return length(nv_, scratch_.data());
}

MetricRows::Residual MetricRows::residual(Index k, const Found& of, double slip, double slips, bool chosen) const {
  const double soft = whole.rows.compliance[k] * of.multipliers[whole.rows.row_of[k]];
  Residual r{soft - b_[k] + slip, std::fabs(soft) + size_[k] + slips};
  if (chosen) r.rounding = 8 * epsilon_of<double> * (nv_ + whole.rows.m) * std::sqrt(square_[k]) * pull_;
  for (Index y = 0; y < nv_; ++y) {
    r.value += J_[k * nv_ + y] * of.acceleration[y];
    r.terms += terms_[k * nv_ + y] * std::fabs(of.acceleration[y]);
  }
  return r;
}

void MetricRows::take_wrenches(const Choice& choice) {
  pull_ = choice.made ? free_ : 0;
  for (Index k = 0; choice.limited && k < whole.rows.m; ++k)
    pull_ += std::sqrt(square_[k]) * std::fabs(choice.force[whole.rows.row_of[k]]);
}

double MetricRows::size_of(Index k) const {
  double size = 0;
  for (Index y = 0; y < nv_; ++y) size = std::max(size, std::fabs(J_[k * nv_ + y]));
  return size;
}

double MetricRows::strength(const Found& of) const {
  double strength = 0;
  for (Index y = 0; y < nv_; ++y) strength = std::max(strength, std::fabs(force_[y]));
  for (Index k = 0; k < whole.rows.m; ++k)
    strength = std::max(strength, std::fabs(of.multipliers[whole.rows.row_of[k]]) * size_of(k));
  return strength;
}

double MetricRows::energy(const double* torque) {
  const PrescribedCoordinates& given = whole.state.prescribed;
  for (Index y = 0; y < nv_; ++y) scratch_[y] = given.any && given.is[y] ? 0.0 : torque[y];
  dense::solve_lower(nv_, nv_, M_.data(), scratch_.data());
  const double z = length(nv_, scratch_.data());
  return 0.5 * z * z;
}

void MetricRows::motion(const Found& of, Buffer<double>& out) const {
  std::fill_n(out.data(), out.size(), 0.0);
  const PrescribedCoordinates& given = whole.state.prescribed;
  const auto a = [&](Index y) { return given.any && given.is[y] ? 0.0 : of.acceleration[y]; };
  for (Index y = 0; y < nv_; ++y)
    for (Index x = y; x < nv_; ++x) out[y] += M_[x * nv_ + y] * a(x);
  for (Index k = 0, own = nv_; k < whole.rows.m; ++k)
    if (const double R = whole.rows.compliance[k]; R > 0)
      out[own++] = std::sqrt(R) * of.multipliers[whole.rows.row_of[k]];
}

double MetricRows::rounding(Index k, const double* w) {
  for (Index y = 0; y < nv_; ++y) {
    double sum = terms_[k * nv_ + y];
    for (Index x = 0; x <= y; ++x) sum += static_cast<double>(nv_) * std::fabs(M_[y * nv_ + x] * w[x]);
    scratch_[y] = sum;
  }
  solve_lower_sizes(nv_, M_.data(), scratch_.data());
  const double all = length(nv_, scratch_.data());
  return 8 * epsilon_of<double> * all;
}

}  // namespace zwang
