// SPDX-License-Identifier: BSD-3-Clause
// The steps of a Delassus: rows and factor at a configuration, the matrix by its pages, products and solves without it.
#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "core/kernel_table.hpp"
#include "factor/delassus/delassus_impl.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr Index k_lanes = page::RowNumbers<double>::lanes;
constexpr int k_most_repeats = 4;

/// Copies rows out of an array of numbers; fills up with zeros.
page::RowBlock<double>::Rows side_by_side(const page::RowBlock<double>& b, const double* x) {
  double numbers[k_lanes] = {};
  for (Index r = 0; r < b.count; ++r) numbers[r] = x[b.row[r]];
  return page::RowBlock<double>::Rows::load(numbers);
}

}  // namespace

DelassusImpl::DelassusImpl(const Model& model, const ConstraintSet& set)
    : problem(model, set, 0, false),
      damped(model) {
  problem.layout.owner = "Delassus";
  problem.layout.remedy = "make a new one";
  const Index n = model.bodies(), nv = model.nv(), m = problem.layout.capacity,
              parts = problem.layout.part_row_capacity;
  const Index blocks = parts / k_lanes + std::min(n, parts);  // at most one block per body is not full
  block = Buffer<page::RowBlock<double>>(blocks);
  compliance = mu = answer = Buffer<double>(m);
  scratch.rest = scratch.step = scratch.image = scratch.zero = Buffer<double>(m);
  row_in_order = Buffer<Index>(m);
  rows_on = first_block = Buffer<Index>(n + 1);
  osimr = page::OsimrStage<double>(n, blocks);
  efpa = page::EfpaStage<double>(n, blocks);
  sparse = page::SparseStage<double>(nv, m);
  no_rows = page::RowNumbers<double>(page::RowRoom());
  no_sweep = page::SweepStage<double>(model.tree<double>(), page::RowRoom());
  rhs = page::RightHandSide<double>(model.tree<double>(), 0, 0);
  zero = qdd = Buffer<double>(nv);
  factor = Buffer<double>(m * m);
}

void DelassusImpl::compute(const double* q, const JointEffects& effects, const Prescribed* prescribed) {
  is_damped = is_factored = false;
  Data& data = problem.state.data;
  problem.read(k_evaluation);
  problem.state.set(q, nullptr);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  problem.state.take_prescribed(prescribed);
  data.articulated.has_given = problem.state.prescribed.any;
  if (!kernels().delassus->articulate(&data, q, &rows, nullptr, zero.data(), qdd.data())) detail::throw_singular(data);
  problem.attach();
  read_rows();
  find_shared();
  computed = true;
}

/// Sorts the rows that the reader has attached by bodies.
void DelassusImpl::read_rows() {
  const page::RowNumbers<double>& r = problem.rows;
  Index m = 0;
  for (Index i = 0; i < problem.layout.rows(); ++i)
    if (problem.rows.sweep_row[i] >= 0) row_in_order[problem.rows.sweep_row[i]] = m++;
  joined = false;
  for (Index& count : rows_on) count = 0;
  for (Index k = 0; k < m; ++k) {
    compliance[row_in_order[k]] = r.compliance[k];
    joined = joined || r.last_further[k] >= 0;
    page::for_each_part(r, k, [&](Index body, const Force<double>&) { ++rows_on[body]; });
  }
  rows = {m, 0, block.data()};
  for (Index i = 1; i <= problem.state.data.tree().n; ++i) {
    first_block[i] = rows.count;
    for (Index left = rows_on[i]; left > 0; left -= k_lanes) {
      page::RowBlock<double>& b = block[rows.count++];
      for (int c = 0; c < 6; ++c) b.K[c] = page::RowBlock<double>::Rows(0.0);
      b.body = i;
      b.count = 0;
    }
  }
  for (Index k = 0; k < m; ++k)
    page::for_each_part(r, k, [&](Index body, const Force<double>& K) {
      if (body == 0) return;  // the ground does not move
      page::RowBlock<double>& b = block[first_block[body]];
      for (int c = 0; c < 6; ++c) page::set_lane(&b.K[c], b.count, K[c]);
      b.row[b.count++] = row_in_order[k];
      if (b.count == k_lanes) ++first_block[body];
    });
}

/// Shared coordinates are eliminated where the subtrees of their joints meet. Until then they are coupled with every
/// column that is eliminated above one of these joints, and so with all rows that such a column moves.
void DelassusImpl::find_shared() {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  shared_column = -1;
  if (!tree.mimic) return;
  for (Index& count : rows_on) count = 0;
  for (Index b = 0; b < rows.count; ++b)
    for (Index i = rows.block[b].body; i > 0 && rows_on[i] == 0; i = tree.body[i].parent) rows_on[i] = 1;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    if (!c.deferred || (data.articulated.has_given && data.articulated.is_given[k])) continue;
    const Index meeting = tree.shared[tree.shared_of[c.v]].body;
    Index i = c.body;
    while (i != meeting && tree.body[i].parent != meeting) i = tree.body[i].parent;
    if (rows_on[i] != 0) shared_column = k;
  }
}

void DelassusImpl::matrix(double* out, Index stride, DelassusMethod method) {
  const DelassusKernels& kernel = *kernels().delassus;
  Data& data = problem.state.data;
  if (method == DelassusMethod::automatic)
    method = shared_column < 0 ? DelassusMethod::pv_osimr : DelassusMethod::dense;
  if (method != DelassusMethod::dense && shared_column >= 0)
    throw UnsupportedError(
        std::string("Delassus::matrix: ") + name_of(method) + " knows no rows that move with joint '" +
        detail::joint_of_coordinate(data.model(), data.tree().column[shared_column].v).name +
        "' and its like, which share a coordinate, on a branch where these have not met; dense does");
  if (method == DelassusMethod::pv_osimr) kernel.pv_osimr(&data, &rows, &osimr, out, stride);
  if (method == DelassusMethod::efpa) kernel.efpa(&data, &rows, &efpa, out, stride);
  if (method == DelassusMethod::dense) kernel.sparse(&data, problem.state.q.data(), &rows, &sparse, out, stride);
  for (Index i = 0; i < rows.m; ++i) out[static_cast<std::ptrdiff_t>(i) * stride + i] += compliance[i];
}

void DelassusImpl::accelerate(const Data& of, const double* x) {
  for (Force<double>& p : rhs.p) p = Force<double>::zero();
  for (Index k = 0; k < rows.count; ++k) {
    const page::RowBlock<double>& b = rows.block[k];
    const auto lambda = side_by_side(b, x);
    Force<double>& p = rhs.p[b.body];
    for (int c = 0; c < 6; ++c) p[c] -= sum(b.K[c] * lambda);
  }
  page::Resolve<double, double>(of, no_rows, no_sweep, rhs)([](page::RightHandSide<double>&) {});
}

void DelassusImpl::look_at_rows(const double* x, double* y) const {
  for (Index i = 0; i < rows.m; ++i) y[i] = compliance[i] * x[i];
  for (Index k = 0; k < rows.count; ++k) {
    const page::RowBlock<double>& b = rows.block[k];
    const auto a = dot(rhs.a[b.body], b.K);
    for (Index r = 0; r < b.count; ++r) y[b.row[r]] += page::lane<double>(&a, r);
  }
}

void DelassusImpl::take_mu(const char* function, const double* given, Index count) {
  // count: 1 or the number of rows
  for (Index i = 0; i < count; ++i)
    if (!(given[i] > 0) || !is_finite(given[i]))
      throw std::invalid_argument(std::string(function) + ": mu" + (count > 1 ? "[" + std::to_string(i) + "]" : "") +
                                  " is " + std::to_string(given[i]) + "; it has to be > 0");
  bool same = true;
  for (Index i = 0; i < rows.m; ++i) {
    const double a = given[count > 1 ? i : 0];
    same = same && a == mu[i];
    mu[i] = a;
  }
  if (!same) is_damped = is_factored = false;
}

void DelassusImpl::factor_damped(const char* function) {
  if (is_factored) return;
  const Index m = rows.m;
  matrix(factor.data(), m, DelassusMethod::automatic);
  for (Index k = 0; k < m; ++k) {
    double* const row = &factor[k * m];
    row[k] += mu[k];
    const double size = row[k];
    for (Index j = 0; j <= k; ++j) {
      const double left = row[j] - dot(j, row, &factor[j * m]);
      if (j < k) {
        row[j] = left / factor[j * m + j];
        continue;
      }
      if (!(left > epsilon_of<double> * size))
        throw std::invalid_argument(
            std::string(function) + ": mu of row " + std::to_string(k) + " is " + std::to_string(mu[k]) +
            ", lost in the rounding of G + mu = " + std::to_string(size) + ", and the rows depend on each other");
      row[k] = std::sqrt(left);
    }
  }
  is_factored = true;
}

namespace {

/// x := (L L^T)^-1 x from `first` on; x is zero before `first` and is not read there afterwards.
void solve_factored(Index m, const double* L, Index first, double* x) {
  for (Index k = first; k < m; ++k) x[k] = (x[k] - dot(k - first, L + k * m + first, x + first)) / L[k * m + k];
  for (Index k = m; k-- > first;) {
    x[k] /= L[k * m + k];
    subtract_multiple(k - first, x[k], L + k * m + first, x + first);
  }
}

}  // namespace

void DelassusImpl::inverse(double* out, Index stride) {
  const Index m = rows.m;
  for (Index k = 0; k < m; ++k) {
    for (Index i = 0; i < m; ++i) answer[i] = i == k ? 1.0 : 0.0;
    solve_factored(m, factor.data(), k, answer.data());
    for (Index i = k; i < m; ++i)
      out[static_cast<std::ptrdiff_t>(k) * stride + i] = out[static_cast<std::ptrdiff_t>(i) * stride + k] = answer[i];
  }
}

void DelassusImpl::solve_damped(const double* b, double* out) {
  for (Index i = 0; i < rows.m; ++i) scratch.image[i] = b[i] / (mu[i] + compliance[i]);
  accelerate(damped, scratch.image.data());
  look_at_rows(scratch.zero.data(), scratch.image.data());
  for (Index i = 0; i < rows.m; ++i) out[i] = (b[i] - scratch.image[i]) / (mu[i] + compliance[i]);
}

void DelassusImpl::solve(const char* function, const double* b) {
  const Index m = rows.m;
  if (joined) {
    factor_damped(function);
    std::copy_n(b, m, answer.data());
    return solve_factored(m, factor.data(), 0, answer.data());
  }
  if (!is_damped) {
    const Data& data = problem.state.data;
    for (Index i = 0; i <= data.tree().n; ++i) {
      damped.inertia[i] = data.inertia[i];
      damped.lanes.set_inertia(i, data.inertia[i]);
    }
    damped.armature_factor = data.armature_factor;
    auto& a = damped.articulated;
    a.has_given = data.articulated.has_given;
    for (Index k = 0; k < data.tree().spanning_nv; ++k) a.is_given[k] = data.articulated.is_given[k];
    for (Index i = 0; i < m; ++i) scratch.image[i] = mu[i] + compliance[i];
    kernels().delassus->articulate(&damped, problem.state.q.data(), &rows, scratch.image.data(), zero.data(),
                                   qdd.data());
    is_damped = true;
  }
  // Iterative refinement: solve for the residual of b as long as it decreases.
  solve_damped(b, answer.data());
  double before = 0;
  for (int repeat = 0; repeat < k_most_repeats; ++repeat) {
    accelerate(problem.state.data, answer.data());
    look_at_rows(answer.data(), scratch.rest.data());
    double left = 0, size = 0;
    for (Index i = 0; i < m; ++i) {
      const double image_of_x = scratch.rest[i] + mu[i] * answer[i];
      scratch.rest[i] = b[i] - image_of_x;
      left = std::max(left, std::fabs(scratch.rest[i]));
      size = std::max({size, std::fabs(b[i]), std::fabs(image_of_x)});
    }
    const double enough = 16 * epsilon_of<double> * size, shrinks_by = left / (repeat == 0 ? size : before);
    if (!(left > enough) || !(shrinks_by < 0.5)) return;
    before = left;
    solve_damped(scratch.rest.data(), scratch.step.data());
    for (Index i = 0; i < m; ++i) answer[i] += scratch.step[i];
    if (left * shrinks_by < enough) return;
  }
}

}  // namespace zwang
