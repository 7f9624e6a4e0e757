// SPDX-License-Identifier: BSD-3-Clause
#include "solve/joint_wrenches.hpp"

#include "algorithm/page/body_forces.hpp"

namespace zwang {
namespace {

/// Transforms a wrench in world axes about the branch's centre to the axes and origin of a link.
Force<double> seen_from(const Problem& p, const Link& link, const Force<double>& f) {
  return inverse_times(p.state.data.position.placement[link.body.value] * link.in_body, f);
}

}  // namespace

void joint_wrenches(Problem& p, const Answer& answer, MatrixOut out) {
  const Tree<double>& tree = p.state.data.tree();
  Buffer<Force<double>>& f = p.state.force;
  for (Index i = 1; i <= tree.n; ++i) f[i] = page::inertial_force(p.state.data, i);
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.rows.role[k] == Role::physical)
      page::for_each_part(p.rows, k, [&](Index body, const Force<double>& K) { f[body] -= K * answer.lambda[k]; });
  for (Index i = tree.n; i > 0; --i)
    if (tree.body[i].parent > 0) f[tree.body[i].parent] += f[i];
  Index column = 0;
  for (const Joint& j : p.state.data.model().joints()) {
    Force<double> w = Force<double>::zero();
    if (!j.lumped) {
      const Link& link = p.state.data.model().links()[static_cast<std::size_t>(j.child.value)];
      w = seen_from(p, link, f[link.body.value]);
    }
    for (Index k = 0; k < 6; ++k) out(k, column) = w[k];
    ++column;
  }
}

Force<double> joint_wrench(const Problem& p, const Answer& answer, LinkId child) {
  const Link& link = p.state.data.model().links()[static_cast<std::size_t>(child.value)];
  const Index body = link.body.value, last = p.state.data.tree().body[body].last;
  Force<double> f = Force<double>::zero();
  for (Index i = body; i < last; ++i) f += page::inertial_force(p.state.data, i);
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.rows.role[k] == Role::physical)
      page::for_each_part(p.rows, k, [&](Index i, const Force<double>& K) {
        if (i >= body && i < last) f -= K * answer.lambda[k];
      });
  return seen_from(p, link, f);
}

}  // namespace zwang
