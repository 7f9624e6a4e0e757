// SPDX-License-Identifier: BSD-3-Clause
// What rows add to the products of the derivatives of inverse dynamics with a vector.
#include <algorithm>

#include "core/kernel_table.hpp"
#include "question/derivatives/linearised.hpp"
#include "question/derivatives/products.hpp"

namespace zwang {
void Linearised::add_rows(const Right& x, const InputVariation& along, double* rho) const {
  for (const RowPart& part : rows_.parts)
    rho[part.row] += dot(x.alpha(part.body), part.K) + dot(x.nu(part.body), part.P) + dot(x.xi(part.body), part.N);
  for (const CoordinateRow& row : rows_.coordinates) {
    if (along.q.size() > 0) rho[row.row] += row.by_q * along.q.data()[row.v];
    if (along.v.size() > 0) rho[row.row] += row.by_v * along.v.data()[row.v];
  }
}

/// How wrenches turn with other bodies than their own.
void Linearised::turn_wrenches(const Right& x, Of which, const double* dq, double* torque) const {
  for (const PairWrench& pair : rows_.pairs) {
    if (!counts(pair.row, which)) continue;
    const Motion<double> apart = at_pair(x.xi, pair.b, pair.to_b) - at_pair(x.xi, pair.a, pair.to_a);
    const Force<double> turned = pair.turned_by(apart);
    add_at_pair(x.Phi, pair.b, cross(apart, pair.F) - turned, pair.to_b);
    add_at_pair(x.Phi, pair.a, turned, pair.to_a);
  }
  for (const AxesWrench& wrench : rows_.axes)
    if (counts(wrench.row, which)) x.Phi.add(wrench.b, -(wrench.W * x.xi(wrench.axes)));
  for (const CoordinateForce& force : rows_.forces)
    if (dq != nullptr && counts(force.row, which)) torque[force.v] -= force.by_q * dq[force.v];
}

/// by_q += d(weight . J^T lambda)/dq of driver rows, lambda held: minus that of inverse dynamics of bodies without
/// inertia on which they act.
void Linearised::driver_torque_from_the_left(const double* weight, double* by_q) {
  Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  const Left x(data);
  std::fill_n(scratch_.by_q.data(), tree.nv, 0.0);
  enter_wrenches(data, rows_, counted(Of::drivers), lambda_.data(), weight, x, scratch_.by_q.data());
  double* const out[] = {scratch_.by_q.data(), nullptr, nullptr};
  kernels().derivative->leave_from_the_left(&data, problem_.state.q.data(), problem_.state.v.data(),
                                            acceleration_.data(), weight, false, false, out);
  add_placements(-1);
  add_masses_of_rows(x, Of::drivers);
  for (Index y = 0; y < tree.nv; ++y) by_q[y] -= scratch_.by_q[y];
}

/// out += d(J^T lambda) of driver rows along dq, lambda held.
void Linearised::driver_torque_from_the_right(const double* dq, double* out) {
  Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  const double* const d[] = {dq, nullptr, nullptr};
  kernels().derivative->enter_from_the_right(&data, problem_.state.q.data(), problem_.state.v.data(),
                                             acceleration_.data(), d);
  const Right x(data);
  for (Index i = 1; i <= tree.n; ++i)
    for (const auto* to : {&x.Phi, &x.f}) to->set(i, Force<double>::zero());
  for (const RowPart& part : rows_.parts) {
    if (!counts(part.row, Of::drivers)) continue;
    const Force<double> F = part.K * -lambda_[part.row];
    x.f.add(part.body, F);
    x.Phi.add(part.body, cross(x.xi(part.body), F));
  }
  for (const OwnWrench& own : rows_.turning)
    if (counts(own.row, Of::drivers)) x.Phi.add(own.body, own.W * x.xi(own.body));
  std::fill_n(scratch_.x.data(), tree.nv, 0.0);
  turn_wrenches(x, Of::drivers, dq, scratch_.x.data());
  kernels().derivative->leave_from_the_right(&data, problem_.state.q.data(), d, false, false, scratch_.torque.data());
  for (Index y = 0; y < tree.nv; ++y) out[y] -= scratch_.torque[y] + scratch_.x[y];
}

void Linearised::add_driver_torque(const double* multipliers, double* out) const {
  problem_.add_joint_forces(false, true, multipliers, out);
}

}  // namespace zwang
