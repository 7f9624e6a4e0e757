// SPDX-License-Identifier: BSD-3-Clause
// Certificate of rows eliminated at the ends of their own paths. PathFactor has checked what the status claims: every
// block is independent beyond doubt, and every residual is rounding of its terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/certificate.hpp"
#include "factor/path_factor.hpp"

namespace zwang {

bool Certificate::certify_paths(const Problem& problem, const PathFactor& paths, const RowPolicy& policy,
                                Answer& answer, SolveReport& report) {
  const Rows& rows = problem.rows;
  const PathStage& t = paths.stage();
  if (paths.is_fresh()) {
    const Index all = problem.layout.rows();
    for (Buffer<double>* b : {&residual, &relative, &velocity_error}) std::fill_n(b->data(), all, 0.0);
    std::fill_n(position_error.data(), all, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(drifted_.data(), all, static_cast<unsigned char>(0));
  }
  double largest = 0, fastest = 0;
  bool notable = false;
  for (Index k = 0; k < t.blocks; ++k) {
    const PathBlock& b = t.block[k];
    const auto number = [](const PathBlock::Rows& x) { return reinterpret_cast<const double*>(&x); };
    const double *const value = number(b.residual), *const part = number(b.relative), *const speed = number(b.speed);
    std::copy_n(number(b.lambda), b.count, &answer.lambda[b.row]);
    Index at = 0;
    for (Index e = b.strand[0].entry; e < b.strand[0].entry + b.strand[0].entries; ++e) {
      const Index c = rows.constraint[static_cast<std::size_t>(e)];
      const Constraint& x = problem.layout.constraint(c);
      const Index size = page::AttachRows<double>::row_count(rows.active[static_cast<std::size_t>(e)]);
      const Index* const row = &rows.row_of[b.row + at];
      for (Index i = 0; i < size; ++i, ++at) {
        residual[row[i]] = value[at];
        velocity_error[row[i]] = speed[at];
        largest = std::max(largest, part[at]);
      }
      if (!x.target_velocity.empty())
        for (Index i = 0; i < size; ++i)
          velocity_error[row[i]] -= x.target_velocity[problem.row_in_constraint(b.row + at - size + i)];
      for (Index i = 0; i < size; ++i) fastest = std::max(fastest, std::fabs(velocity_error[row[i]]));
      if (x.relation != nullptr) {
        for (Index i = 0; i < size; ++i) position_error[row[i]] = problem.rows.phi[row[i]];
        notable = true;
      }
      notable = notable || (x.unilateral && answer.lambda[b.row + at - 1] < 0);
    }
  }
  begin_report(problem, policy, problem.rows.m, largest, report);
  return notable || fastest > k_fast;
}

}  // namespace zwang
