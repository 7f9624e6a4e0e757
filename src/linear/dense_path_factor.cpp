// SPDX-License-Identifier: BSD-3-Clause
#include "linear/dense_path_factor.hpp"

#include "zwang/core/scalar.hpp"

namespace zwang::dense {

PathFactor::PathFactor(Index nv, Index m) : nv_(nv), first_(nv), runs_(m), size_(nv), touched_(nv), run_(m * nv) {}

bool PathFactor::factor(Index n, const Index* parent, double* M, Index stride) {
  for (Index k = 0; k < n; ++k) {
    first_[k] = k > 0 && parent[k] == k - 1 ? first_[k - 1] : k;
    size_[k] = M[k * stride + k];
  }
  factor_ = {M, n, stride, parent, first_.data()};
  const double rounding = 16 * epsilon_of<double> * n;
  bool definite = true;
  page::ltl_factor(factor_, [&](Index k, double& d) {
    if (d > rounding * size_[k]) return;
    definite = false;
    d = 1;  // keeps the following numbers finite
  });
  return definite;
}

void PathFactor::collect(Index i) {
  Index count = 0, end = -1;
  Range* const run = run_.data() + i * nv_;
  for (Index k = 0; k < factor_.n; ++k) {
    if (!touched_[k]) continue;
    if (k == end)
      ++run[count - 1].size;
    else
      run[count++] = {k, 1};
    end = k + 1;
  }
  runs_[i] = count;
}

void PathFactor::find_support(Index i, const double* row) {
  for (Index k = 0; k < factor_.n; ++k) touched_[k] = row[k] != 0;
  collect(i);
}

void PathFactor::to_root(Index i, double* row) {
  for (Index k = 0; k < factor_.n; ++k) touched_[k] = row[k] != 0;
  for (Index k = factor_.n - 1; k >= 0; --k) {
    const Index above = factor_.parent[k];
    if (!touched_[k] || above < 0) continue;
    touched_[above] = 1;
    page::for_each_run(factor_, above, [&](Index j, Index count) ZWANG_LAMBDA {
      subtract_multiple(count, row[k], factor_.row(k) + j, row + j);
    });
  }
  collect(i);
}

}  // namespace zwang::dense
