// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/row_matrices.hpp"

#include <algorithm>

#include "core/kernel_table.hpp"
#include "linear/page/small_products.hpp"

namespace zwang {

RowMatrices::RowMatrices(const Model& model) : nv_(model.nv()), moving_(nv_), moves_(nv_) {}

void RowMatrices::place_rows(const Problem& problem) {
  const Index m = problem.rows.m, most = problem.layout.rows();
  rows_ = m;
  height_ = page::whole_blocks(m);
  all_ = m == most;
  if (place_.size() < most) {
    place_ = Buffer<Index>(most);
    in_set_ = Buffer<Index>(most);
    store_ = Buffer<double>((4 * nv_ + 4) * page::whole_blocks(most));  // 4: what transposes may read behind
  }
  for (Index r = 0, row = 0; r < most; ++r) {
    const Index k = problem.rows.sweep_row[r];
    if (k < 0) continue;
    place_[k] = row;
    in_set_[row++] = r;
  }
}

/// The same by the columns' variations one by one, of joints that share coordinates.
void RowMatrices::add_columns(const Data& data, const RowVariations& rows, bool rates_alone) {
  const Tree<double>& tree = data.tree();
  for (const RowPart& part : rows.parts)
    for (Index i = part.body; i > 0; i = tree.body[i].parent)
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
        const ColumnVariation<double>& c = data.derivative.variation[k];
        const auto& column = tree.column[k];
        const Index at = column.v * height_ + place_[part.row];
        rate()[at] += (dot(c.first, part.K) + dot(c.s, part.R)) * column.multiplier;
        if (rates_alone) continue;
        moves_[column.v] = 1;
        by_a()[at] += dot(c.s, part.K) * column.multiplier;
        by_q()[at] += (dot(c.second, part.K) + dot(c.first, part.P) + dot(c.s, part.N)) * column.multiplier;
        by_v()[at] += (dot(c.sum, part.K) + dot(c.s, part.P)) * column.multiplier;
      }
}

void RowMatrices::evaluate(Problem& problem, const RowVariations& rows, const double* acceleration) {
  Data& data = problem.state.data;
  place_rows(problem);
  if (data.tree().mimic) {
    std::fill_n(store_.data(), 4 * height_ * nv_, 0.0);
    std::fill_n(moves_.data(), nv_, static_cast<unsigned char>(0));
    kernels().derivative->vary_columns(&data, problem.state.q.data(), problem.state.v.data(), acceleration);
    add_columns(data, rows, false);
  } else {
    double* const out[] = {by_q(), by_v(), by_a(), rate()};
    kernels().elimination->row_matrices(&data, rows.parts.data(), static_cast<Index>(rows.parts.size()), place_.data(),
                                        height_, out, moves_.data());
  }
  for (const CoordinateRow& row : rows.coordinates) {
    const Index at = row.v * height_ + place_[row.row];
    moves_[row.v] = 1;
    by_q()[at] += row.by_q;
    by_v()[at] += row.by_v;
    by_a()[at] += row.by_a;
    rate()[at] += row.turned * problem.state.v[row.v];
  }
  moving_count_ = 0;
  for (Index c = 0; c < nv_; ++c)
    if (moves_[c] != 0) moving_[moving_count_++] = c;
}

void RowMatrices::evaluate_rates(const Problem& problem, const RowVariations& rows, const double* v) {
  std::fill_n(rate(), height_ * nv_, 0.0);
  add_columns(problem.state.data, rows, true);
  for (const CoordinateRow& row : rows.coordinates) rate()[row.v * height_ + place_[row.row]] += row.turned * v[row.v];
}

}  // namespace zwang
