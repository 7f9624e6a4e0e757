// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/base_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "zwang/core/random.hpp"
#include "zwang/model/for_each_joint.hpp"

namespace zwang {
namespace {

constexpr const char* k_names[] = {"m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};

/// Regressors of random states below each other, column by column.
struct Stack {
  Index rows = 0, columns = 0;
  std::vector<double> numbers;
  double* column(Index k) { return numbers.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(rows); }
};

Stack stacked_regressors(const Model& model) {
  const Index nv = model.nv();
  Stack x;
  x.columns = page::k_link_parameters * static_cast<Index>(model.links().size());
  const Index states = nv > 0 ? 2 * (x.columns + nv - 1) / nv + 8 : 0;
  x.rows = states * nv;
  x.numbers.resize(static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.columns));
  Data data(model);
  Buffer<double> start(model.nq()), q(model.nq()), v(nv), a(nv);
  const auto& tree = model.tree<double>();
  for_each_joint(tree, [&](const auto& joint) { joint.neutral(start.data() + joint.q); });
  for (Index k = 0; k < states; ++k) {
    Random numbers(2026, static_cast<std::uint64_t>(k));
    for (double& y : v) y = numbers.uniform(-2, 2);
    for_each_joint(tree, [&](const auto& joint) {  // limits do not change what can be told apart
      joint.integrate(start.data() + joint.q, v.data() + joint.v, q.data() + joint.q);
    });
    for (double& y : v) y = numbers.uniform(-2, 2);
    for (double& y : a) y = numbers.uniform(-8, 8);
    kernels().quantity->regressor(&data, q.data(), v.data(), a.data(), x.numbers.data() + k * nv, x.rows);
  }
  return x;
}

double dot(const double* x, const double* y, Index size) {
  double sum[4] = {0, 0, 0, 0};
  Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (Index k = 0; k < 4; ++k) sum[k] += x[i + k] * y[i + k];
  for (; i < size; ++i) sum[0] += x[i] * y[i];
  return sum[0] + sum[1] + (sum[2] + sum[3]);
}

}  // namespace

BaseParameters base_parameters(const Model& model, double tolerance) {
  if (!(tolerance > 0 && tolerance < 1))
    throw std::invalid_argument("base_parameters: tolerance is " + std::to_string(tolerance) +
                                ", expected a number between 0 and 1");
  Stack W = stacked_regressors(model);
  const Index p = W.columns;
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  BaseParameters base;
  std::vector<double> length(at(p)), R;  // R: [rank x p] of W = Q R, in units of the columns' lengths
  for (Index k = 0; k < p; ++k) {
    double* const w = W.column(k);
    length[at(k)] = std::sqrt(dot(w, w, W.rows));
  }
  // A column that is nothing but rounding of others of its unit (mass, first moments, inertia) counts as zero.
  double largest[3] = {0, 0, 0};
  const auto unit = [](Index k) {
    const Index of = k % page::k_link_parameters;
    return of == 0 ? 0 : of < 4 ? 1 : 2;
  };
  for (Index k = 0; k < p; ++k) largest[unit(k)] = std::max(largest[unit(k)], length[at(k)]);
  for (Index k = 0; k < p; ++k) {
    double* const w = W.column(k);
    if (!(length[at(k)] > 1e4 * epsilon_of<double> * largest[unit(k)])) length[at(k)] = 0;
    for (Index i = 0; i < W.rows; ++i) w[i] = length[at(k)] > 0 ? w[i] / length[at(k)] : 0.0;
  }
  // Columns one after the other against those kept, twice: the second pass leaves nothing but rounding.
  std::vector<double> r(at(p));
  for (Index k = 0; k < p; ++k) {
    double* const w = W.column(k);
    std::fill(r.begin(), r.end(), 0.0);
    double rest = 0;
    if (length[at(k)] > 0) {
      for (int pass = 0; pass < 2; ++pass)
        for (Index j = 0; j < base.rank; ++j) {
          const double* const kept = W.column(base.columns[at(j)]);
          const double c = dot(kept, w, W.rows);
          r[at(j)] += c;
          for (Index i = 0; i < W.rows; ++i) w[i] -= c * kept[i];
        }
      rest = std::sqrt(dot(w, w, W.rows));
    }
    if (rest > tolerance) {
      base.smallest_independent = std::min(base.smallest_independent, rest);
      for (Index i = 0; i < W.rows; ++i) w[i] /= rest;
      r[at(base.rank)] = rest;
      base.columns.push_back(k);
      ++base.rank;
    } else {
      base.largest_dependent = std::max(base.largest_dependent, rest);
    }
    // Column k of R; rows that come later have a zero here.
    R.resize(at(k + 1) * at(p));
    std::copy(r.begin(), r.end(), R.begin() + static_cast<std::ptrdiff_t>(at(k) * at(p)));
  }
  // A dependent column is Q r = W_kept beta with R_kept beta = r: its parameter counts beta times in those kept.
  base.matrix.assign(at(base.rank) * at(p), 0.0);
  std::vector<double> beta(at(p));
  const double rounding = 1e3 * epsilon_of<double> / base.smallest_independent;  // of beta; smaller ones are no share
  for (Index k = 0, kept = 0; k < p; ++k) {
    if (kept < base.rank && base.columns[at(kept)] == k) {
      base.matrix[at(kept) * at(p) + at(k)] = 1;
      base.names.push_back(model.links()[at(k / page::k_link_parameters)].name);
      base.names.back().append(".").append(k_names[k % page::k_link_parameters]);
      ++kept;
      continue;
    }
    if (!(length[at(k)] > 0)) continue;
    for (Index j = kept - 1; j >= 0; --j) {
      double sum = R[at(k) * at(p) + at(j)];
      for (Index i = j + 1; i < kept; ++i) sum -= R[at(base.columns[at(i)]) * at(p) + at(j)] * beta[at(i)];
      beta[at(j)] = sum / R[at(base.columns[at(j)]) * at(p) + at(j)];
    }
    for (Index j = 0; j < kept; ++j) {
      const double share = beta[at(j)] * length[at(k)] / length[at(base.columns[at(j)])];
      if (std::abs(beta[at(j)]) > rounding) base.matrix[at(j) * at(p) + at(k)] = share;
    }
  }
  return base;
}

}  // namespace zwang
