// SPDX-License-Identifier: BSD-3-Clause
// The articulated factor of M + J^T mu^-1 J where every row is on one body: rows with compliance mu add the inertia K
// mu^-1 K^T to their body (Sathya & Carpentier, constrainedABA; MuJoCo's soft constraints).
//
//   forward_dynamics.hpp at rest, with a rider that adds this inertia on entering a body.
// Reads q. Writes position, the columns U, D of M + J^T mu^-1 J. Cost: forward dynamics plus 21 multiplications per
// row. Allocates nothing.
#pragma once
#include "factor/page/row_blocks.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// I_A += K K^T / mu. mu: one per row of the set; nullptr: nothing is added.
template <class S> struct CompliantBodies : NoRiders<S> {
  const RowBlocks<S>& rows;
  const S* mu;
  Index next;  ///< block

  CompliantBodies(const RowBlocks<S>& r, const S* compliance) : rows(r), mu(compliance), next(0) {}
  ZWANG_INLINE void enter(Index body, Level<S>& x) {
    for (; mu != nullptr && next < rows.count && rows.block[next].body == body; ++next) {
      const RowBlock<S>& b = rows.block[next];
      for (Index r = 0; r < b.count; ++r) {
        const Force<S> K{{lane<S>(&b.K.f.x, r), lane<S>(&b.K.f.y, r), lane<S>(&b.K.f.z, r)},
                         {lane<S>(&b.K.n.x, r), lane<S>(&b.K.n.y, r), lane<S>(&b.K.n.z, r)}};
        const S g = S(1) / mu[b.row[r]];
        subtract_outer(x.IA, K * -g, K);
        x.gross_mass += dot(K.f, K.f) * g;
        x.gross_moment += dot(K.n, K.n) * g;
      }
    }
  }
};

/// False if a column has no inertia. `zero` [nv] zeros, `qdd` [nv] scratch.
template <class S>
bool compliant_bodies(BasicData<S>& data, const S* q, const RowBlocks<S>& rows, const S* mu, const S* zero, S* qdd) {
  data.force.has_external = false;
  CompliantBodies<S> riders(rows, mu);
  return articulated_sweep(data, q, zero, zero, qdd, riders);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
