// SPDX-License-Identifier: BSD-3-Clause
// What `ok` of forward dynamics promises, in long double, from the reference of tests/support.
//
//   |ID(q, v, q'') - tau|_j <= k eps (sqrt(G_j) sum_k sqrt(G_k) |q''_k| + |tau_j| + H_j)
//
// G_k is the inertia of column k as the sum of the magnitudes of its terms, with everything behind the joint rigid; H_j
// is the same sum for the bias forces. Both are formed about the centre of the branch, where the sweep works. That is
// the residual of an elimination that is exact for bodies whose inertias have been rounded.
#pragma once
#include "algorithm/cases.hpp"
#include "zwang/model/stages.hpp"

namespace zwang::test {

class MotionTerms {
 public:
  using Real = reference::Real;
  using Vec = reference::VectorX<Real>;
  MotionTerms(const Case& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// The residual of an answer over eps times the sum of magnitudes: the largest over all coordinates.
  Real lost(const Vec& tau, const Vec& qdd, Real eps = k_eps) const;
  const Vec& gross() const { return gross_; }
  const reference::State& state() const { return state_; }

 private:
  reference::State state_;
  reference::Vector3<Real> centre_of(const std::string& link) const;

  const Model* model_;
  Data data_;
  Vec gross_, bias_;
};

}  // namespace zwang::test
