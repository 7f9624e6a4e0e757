// SPDX-License-Identifier: BSD-3-Clause
// The configuration space of a whole robot: the product of its joints' groups (model/joints/groups.hpp).
//
// Everything is on coordinates of the model: q has tree.nq numbers, increments have tree.nv. Joint by joint, so out may
// be any of the inputs of the same kind. Jacobians are block diagonal, one block per joint, between tangent increments.
//
// Reads: tree. Cost: O(n); dense Jacobians O(n^2) for the zeros. Allocates: nothing.
#pragma once
#include "zwang/model/for_each_joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> void neutral(const Tree<Uniform<S>>& tree, S* q) {
  for_each_joint(tree, [&](const auto& joint) { joint.neutral(q + joint.q); });
}

/// Brings quaternions and points of circles to unit length.
template <class S> void normalize(const Tree<Uniform<S>>& tree, S* q) {
  for_each_joint(tree, [&](const auto& joint) { joint.normalize(q + joint.q); });
}

/// out = q (+) d
template <class S> void integrate(const Tree<Uniform<S>>& tree, const S* q, const S* d, S* out) {
  for_each_joint(tree, [&](const auto& joint) { joint.integrate(q + joint.q, d + joint.v, out + joint.q); });
}

/// d = q1 (-) q0, so that q0 (+) d = q1
template <class S> void difference(const Tree<Uniform<S>>& tree, const S* q0, const S* q1, S* d) {
  for_each_joint(tree, [&](const auto& joint) { joint.difference(q0 + joint.q, q1 + joint.q, d + joint.v); });
}

/// out = q0 (+) t (q1 (-) q0): every joint moves at a constant rate.
template <class S> void interpolate(const Tree<Uniform<S>>& tree, const S* q0, const S* q1, const S& t, S* out) {
  for_each_joint(tree, [&](const auto& joint) {
    S d[max_joint_columns];
    joint.difference(q0 + joint.q, q1 + joint.q, d);
    for (Index i = 0; i < joint.nv; ++i) d[i] *= t;
    joint.integrate(q0 + joint.q, d, out + joint.q);
  });
}

/// Calls f(joint, |q1 (-) q0|^2 of this joint): angles [rad] and lengths [m] weigh alike.
template <class S, class F>
void for_each_squared_distance(const Tree<Uniform<S>>& tree, const S* q0, const S* q1, F&& f) {
  for_each_joint(tree, [&](const auto& joint) {
    S d[max_joint_columns], sum(0);
    joint.difference(q0 + joint.q, q1 + joint.q, d);
    for (Index i = 0; i < joint.nv; ++i) sum += d[i] * d[i];
    f(joint, sum);
  });
}

/// |q1 (-) q0|^2; its root is the length of the way that interpolate goes.
template <class S> S squared_distance(const Tree<Uniform<S>>& tree, const S* q0, const S* q1) {
  S total(0);
  for_each_squared_distance(tree, q0, q1, [&](const auto&, const S& joint_part) { total += joint_part; });
  return total;
}

/// A configuration within the limits (groups.hpp says what an unlimited joint does).
inline void random(const Tree<double>& tree, Random& numbers, const double* lower, const double* upper, double* q) {
  for_each_joint(tree,
                 [&](const auto& joint) { joint.random(numbers, lower + joint.q, upper + joint.q, q + joint.q); });
}

// --- Jacobians ---------------------------------------------------------------------------------------------

/// Calls f(v, nv, Jq, Jd) for every joint: the nv x nv blocks, row by row,
/// at (v, v) of d(q (+) d)/dq and d(q (+) d)/dd.
template <class S, class F> void integrate_blocks(const Tree<Uniform<S>>& tree, const S* q, const S* d, F&& f) {
  for_each_joint(tree, [&](const auto& joint) {
    constexpr Index room = max_joint_columns * max_joint_columns;
    S Jq[room], Jd[room];
    joint.integrate_jacobians(q + joint.q, d + joint.v, Jq, Jd);
    f(joint.v, joint.nv, static_cast<const S*>(Jq), static_cast<const S*>(Jd));
  });
}
/// The same of d(q1 (-) q0)/dq0 and d(q1 (-) q0)/dq1.
template <class S, class F> void difference_blocks(const Tree<Uniform<S>>& tree, const S* q0, const S* q1, F&& f) {
  for_each_joint(tree, [&](const auto& joint) {
    constexpr Index room = max_joint_columns * max_joint_columns;
    S J0[room], J1[room];
    joint.difference_jacobians(q0 + joint.q, q1 + joint.q, J0, J1);
    f(joint.v, joint.nv, static_cast<const S*>(J0), static_cast<const S*>(J1));
  });
}

/// Where entry (i, j) of a matrix is: data[i * row + j * column].
struct MatrixSteps {
  Index row, column;
};

template <class S> ZWANG_INLINE void clear_square(S* data, Index n, MatrixSteps at) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) data[i * at.row + j * at.column] = S(0);
}
template <class S> ZWANG_INLINE void put_block(const S* block, Index n, S* data, MatrixSteps at) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) data[i * at.row + j * at.column] = block[i * n + j];
}

/// Dense nv x nv matrices; either may be null. Row-major: steps {tree.nv, 1} for both.
template <class S> void integrate_jacobians(const Tree<Uniform<S>>& tree, const S* q, const S* d, S* Jq,
                                            MatrixSteps at_q, S* Jd, MatrixSteps at_d) {
  if (Jq != nullptr) clear_square(Jq, tree.nv, at_q);
  if (Jd != nullptr) clear_square(Jd, tree.nv, at_d);
  integrate_blocks(tree, q, d, [&](Index v, Index nv, const S* by_q, const S* by_d) {
    if (Jq != nullptr) put_block(by_q, nv, Jq + v * (at_q.row + at_q.column), at_q);
    if (Jd != nullptr) put_block(by_d, nv, Jd + v * (at_d.row + at_d.column), at_d);
  });
}
template <class S> void difference_jacobians(const Tree<Uniform<S>>& tree, const S* q0, const S* q1, S* J0,
                                             MatrixSteps at_0, S* J1, MatrixSteps at_1) {
  if (J0 != nullptr) clear_square(J0, tree.nv, at_0);
  if (J1 != nullptr) clear_square(J1, tree.nv, at_1);
  difference_blocks(tree, q0, q1, [&](Index v, Index nv, const S* by_0, const S* by_1) {
    if (J0 != nullptr) put_block(by_0, nv, J0 + v * (at_0.row + at_0.column), at_0);
    if (J1 != nullptr) put_block(by_1, nv, J1 + v * (at_1.row + at_1.column), at_1);
  });
}

/// out = d(q (+) d)/dq U for `columns` tangent vectors at q: the same motions, seen from q (+) d. out may be U.
template <class S> void transport(const Tree<Uniform<S>>& tree, const S* q, const S* d, const S* U, MatrixSteps at_u,
                                  Index columns, S* out, MatrixSteps at_out) {
  integrate_blocks(tree, q, d, [&](Index v, Index nv, const S* Jq, const S*) {
    for (Index c = 0; c < columns; ++c) {
      S u[max_joint_columns];
      for (Index i = 0; i < nv; ++i) u[i] = U[(v + i) * at_u.row + c * at_u.column];
      for (Index i = 0; i < nv; ++i) {
        S sum(0);
        for (Index j = 0; j < nv; ++j) sum += Jq[i * nv + j] * u[j];
        out[(v + i) * at_out.row + c * at_out.column] = sum;
      }
    }
  });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
