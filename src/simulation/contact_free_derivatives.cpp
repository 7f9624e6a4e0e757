// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a step in which nothing touches: the page of the classical step by dual numbers, whose accelerations
// vary by the derivatives of a solve at each stage.
#include <cmath>

#include "manifold/page/classical_step.hpp"
#include "simulation/contact_derivatives_impl.hpp"
#include "zwang/core/dual.hpp"

namespace zwang {

using derivatives::Numbers;
using derivatives::place;

bool ContactDerivatives::Impl::free_flight(double h) {
  for (std::size_t k = 0; k < record.rows.size(); ++k)
    if (std::fabs(record.rows[k].gap + h * record.approach[k]) < ContactRow::k_touch)
      out.borders.push_back({ContactBorder::What::grazes, record.names->name(record.rows[k])});
  const Tree<double>& tree = model.tree<double>();
  struct Stage {
    Numbers q, A_q, A_v, A_tau, a;
  };
  std::vector<Stage> stages;
  Numbers q(from.q.begin(), from.q.end()), v(from.v.begin(), from.v.end()), acceleration(place(nv));
  page::ClassicalStep<double> plain(tree);
  bool good = true;
  page::classical_step<double>(tree, h, q.data(), v.data(), acceleration.data(), plain, [&] {
    motion.solver.data().damping_step = 0;
    good = good && solve(q.data(), v.data(), motion.tau());
    if (!good) return;
    acceleration = a;
    stages.push_back({q, A_q, A_v, A_tau, a});
  });
  if (!good) return false;
  page::ClassicalStep<Dual<double>> work(tree);
  std::vector<Dual<double>> x(place(model.nq())), u(place(nv)), of_u(place(nv)), start(place(model.nq())),
      turn(place(nv));
  const std::vector<Dual<double>> end(to.q.begin(), to.q.end());
  for (Index c = 0; c < columns; ++c) {
    const Index kind = c / nv, k = c % nv;
    for (Index i = 0; i < model.nq(); ++i) start[place(i)] = from.q[i];
    for (Index i = 0; i < nv; ++i) {
      u[place(i)] = Dual<double>(from.v[i], kind == 1 && i == k ? 1 : 0);
      turn[place(i)] = Dual<double>(0, kind == 0 && i == k ? 1 : 0);
    }
    page::integrate<Dual<double>>(tree, start.data(), turn.data(), x.data());
    std::size_t stage = 0;
    page::classical_step<Dual<double>>(tree, h, x.data(), u.data(), of_u.data(), work, [&] {
      const Stage& s = stages[stage++];
      const std::vector<Dual<double>> at(s.q.begin(), s.q.end());
      page::difference<Dual<double>>(tree, at.data(), x.data(), turn.data());
      for (Index i = 0; i < nv; ++i) {
        double sum = kind == 2 ? s.A_tau[place(i * nv + k)] : 0;
        for (Index j = 0; j < nv; ++j)
          sum += s.A_q[place(i * nv + j)] * turn[place(j)].d + s.A_v[place(i * nv + j)] * u[place(j)].d;
        of_u[place(i)] = Dual<double>(s.a[place(i)], sum);
      }
    });
    page::difference<Dual<double>>(tree, end.data(), x.data(), turn.data());
    for (Index i = 0; i < nv; ++i)
      by_q[place(i * columns + c)] = turn[place(i)].d, by_v[place(i * columns + c)] = u[place(i)].d;
  }
  return true;
}

}  // namespace zwang
