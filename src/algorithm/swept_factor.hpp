// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics, and a factor of M from the columns that it has eliminated.
#pragma once
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang::detail {

/// forward_dynamics(), which leaves every column for SweptFactor.
VectorView sweep_columns(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau, ExternalsIn external,
                         const JointEffects& effects);

struct SweptFactor {
  TreeCholesky& factor;

  /// Whether sweep_columns has left columns of M itself: no coordinates are shared, and each has
  /// inertia well above rounding.
  static bool is_left(const Data& data);
  /// The factor holds M of that sweep afterwards.
  void take(Data& data) const;
  const double* numbers() const { return factor.a_.data(); }
  /// Whether derivatives of forward dynamics are responses of articulated bodies, else solved for by the factor: long
  /// paths, or a factor that does not stay in the cache.
  bool prefers_responses() const;
  double* scratch() const { return factor.scratch_.data(); }
};

}  // namespace zwang::detail
