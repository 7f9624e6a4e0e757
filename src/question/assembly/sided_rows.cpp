// SPDX-License-Identifier: BSD-3-Clause
#include "question/assembly/sided_rows.hpp"

#include <algorithm>
#include <limits>

#include "zwang/core/scalar.hpp"

namespace zwang {
namespace {
constexpr double k_infinite = std::numeric_limits<double>::infinity();
constexpr double k_feasible = 1e-9;  // a dependent row that is violated by less is left to the steps that follow
}  // namespace

SidedRows::SidedRows(const Metric& metric, Index rows, Index nv)
    : metric_(metric),
      n_(metric.size()),
      set_(n_, n_ + rows),
      unit_(nv) {}

void SidedRows::put(Index k, int side, double b) {
  set_.b[k] = b;
  set_.lower[k] = side > 0 ? 0.0 : -k_infinite;
  set_.upper[k] = side < 0 ? 0.0 : k_infinite;
}

void SidedRows::put_rows(const ScaledRows& rows, const HeldCoordinates& held, double mu, bool at_phi) {
  first_ = held.count;
  set_.begin(n_ + (mu > 0 ? rows.m : 0), first_ + rows.m);
  for (Index h = 0; h < first_; ++h) {
    unit_[metric_.coordinate(held.at[h])] = 1;
    metric_.columns_of(unit_.data(), set_.row(h));
    unit_[metric_.coordinate(held.at[h])] = 0;
    put(h, 0, at_phi ? held.by[h] : 0.0);
  }
  for (Index i = 0; i < rows.m; ++i) {
    double* const w = set_.row(first_ + i);
    std::copy_n(rows.row(i), n_, w);
    if (mu > 0) w[n_ + i] = mu;
    put(first_ + i, rows.side[i], at_phi || rows.side[i] != 0 ? -rows.phi[i] : 0.0);
  }
}

void SidedRows::choose_damped(ScaledRows& rows, const HeldCoordinates& held, double mu) {
  put_rows(rows, held, mu, true);
  choose();
  for (Index i = 0; i < rows.m; ++i) rows.acts[i] = acts(i);
}

void SidedRows::choose_along(ScaledRows& rows, const HeldCoordinates& held, const double* g) {
  put_rows(rows, held, 0, false);
  for (Index j = 0; j < n_; ++j) set_.start()[j] = -g[j];
  choose();
  for (Index i = 0; i < rows.m; ++i) rows.acts[i] = acts(i);
}

void SidedRows::begin(Index rows) {
  first_ = 0;
  set_.begin(n_, rows);
}
void SidedRows::set(Index i, int side, double right) { put(i, side, right); }
void SidedRows::leave_out(Index i) { put(i, 1, -1); }  // 0 >= -1

void SidedRows::choose() {
  const Index m = set_.rows();
  set_.find({64 * epsilon_of<double> * static_cast<double>(n_ + m), k_feasible});
}

bool SidedRows::acts(Index i) const {
  return set_.at(first_ + i) == ActiveSet::At::inside || set_.contradicted() == first_ + i;
}

}  // namespace zwang
