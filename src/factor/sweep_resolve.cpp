// SPDX-License-Identifier: BSD-3-Clause
// Other right-hand sides with the factor of a sweep, and the motion that drivers alone cause.
#include <cmath>

#include "factor/sweep_factor.hpp"

namespace zwang {
namespace {

/// |q''|_M of the free motion, from u of every eliminated column.
template <class U, class Shared> double motion_norm(const Data& data, U u, Shared shared_u) {
  const Tree<double>& tree = data.tree();
  double squares = 0;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Eliminated<double>& e = data.articulated.column[k];
    if (e.inv_D != 0 && !tree.column[k].deferred) squares += u(k) * u(k) / e.inv_D;
  }
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0) squares += shared_u(y) * shared_u(y) / data.shared.done[y].inv_D;
  return std::sqrt(squares);
}

double number(double x, Index) { return x; }
double number(const Columns& x, Index c) { return x[c]; }
void set_number(double& x, Index, double value) { x = value; }
void set_number(Columns& x, Index c, double value) { x.set(c, value); }
void from_columns(const Columns& x, double& to) { to = x[0]; }
void from_columns(const Columns& x, Columns& to) { to = x; }
Columns to_columns(double x) { return Columns(x); }
Columns to_columns(const Columns& x) { return x; }

}  // namespace

/// Motion caused by each of gravity, external wrenches, torques and prescribed accelerations alone: four right-hand
/// sides side by side.
void SweepFactor::find_causes(Problem& problem) {
  double* const h = torque_.data();
  causes_.clear();
  problem.state.starting_torques(false, true, false, h);
  for (Index y = 0; y < causes_.tau.size(); ++y) causes_.tau[y].set(0, -h[y]);
  problem.state.starting_torques(false, false, true, h);
  for (Index y = 0; y < causes_.tau.size(); ++y) {
    causes_.tau[y].set(1, -h[y]);
    causes_.tau[y].set(2, problem.state.tau[y]);
    if (problem.state.prescribed.any && problem.state.prescribed.is[y])
      causes_.given[y].set(3, problem.state.prescribed.value[y]);
  }
  respond(problem, causes_);
}

void SweepFactor::leave_drivers_out(Problem& problem, Answer& answer) {
  const bool some = problem.rows.traits.leaves_out;
  if (!some && nothing_left_out_) return;
  for (double& x : answer.left_out) x = 0;
  nothing_left_out_ = !some;
  if (!some || !answer.hard.is_named()) return;
  find_causes(problem);
  for (Index i = 0; i < answer.hard.count; ++i) {
    const Index k = answer.hard.row[i];
    const Compensate& c = problem.constraint_of(k).compensate;
    const Columns& caused = causes_.b[k];
    answer.left_out[k] = (c.gravity ? 0.0 : caused[0]) + (c.external ? 0.0 : caused[1]) + (c.tau ? 0.0 : caused[2]) +
                         (c.prescribed ? 0.0 : caused[3]);
  }
}

/// causes_ still holds gravity, wrenches and prescribed accelerations, from leave_drivers_out() of the answer.
void SweepFactor::leave_drivers_out(Problem& problem, RightHandSides& sides) {
  if (!problem.rows.traits.leaves_out) return;
  const auto drivers_of = [&](Index k) { return problem.constraint_of(k).compensate; };
  for (Index k = 0; k < problem.rows.m; ++k) {
    const Compensate c = drivers_of(k);
    if (!problem.is_hard(k)) continue;
    const Columns& caused = causes_.b[k];
    sides.b[k] +=
        Columns((c.gravity ? 0.0 : caused[0]) + (c.external ? 0.0 : caused[1]) + (c.prescribed ? 0.0 : caused[3]));
  }
  torques_.clear();
  for (Index y = 0; y < sides.tau.size(); ++y) torques_.tau[y] = sides.tau[y];
  respond(problem, torques_);
  for (Index k = 0; k < problem.rows.m; ++k)
    if (!drivers_of(k).tau) sides.b[k] += torques_.b[k];
}

template <class R>
void SweepFactor::load(const Problem& problem, const RightHandSides& sides, page::RightHandSide<R>& x) const {
  const Tree<double>& tree = problem.state.data.tree();
  for (Force<R>& p : x.p) p = Force<R>::zero();
  for (Index y = 0; y < tree.nv; ++y) from_columns(sides.tau[y], x.tau[y]);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    from_columns(sides.given[tree.column[k].v], x.given[k]);
    x.given[k] = x.given[k] * tree.column[k].multiplier;
  }
}

bool SweepFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  const bool other_ranks = answer.hard.take_ranks(problem, policy.singularity);
  if (other_ranks || !answer.hard.is_for(policy)) factor_rows(problem, policy, answer.hard);
  if (sides.count == 1)
    run(problem, policy, answer, sides, single_);
  else
    run(problem, policy, answer, sides, several_);
  return true;
}

template <class R> void SweepFactor::run(const Problem& problem, const RowPolicy& policy, Answer& answer,
                                         RightHandSides& sides, page::RightHandSide<R>& x) {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  HardRows& hard = answer.hard;
  load(problem, sides, x);
  for (Index k = 0; k < problem.rows.m; ++k) {
    from_columns(sides.b[k], x.l0[k]);
    x.l0[k] = -x.l0[k];
  }
  answer.iterations = 1;
  answer.converged = true;
  page::Resolve<double, R>(data, problem.rows, stage_, x)([&](page::RightHandSide<R>& at) {
    for (Index c = 0; c < sides.count; ++c) {
      hard.free_motion = motion_norm(
          data, [&](Index k) { return number(at.u[k], c); }, [&](Index y) { return number(at.shared_u[y], c); });
      for (Index i = 0; i < hard.count; ++i) {
        hard.b[i] = -number(at.l[stage_.root.slot[i]], c);
        hard.size[i] = std::fabs(hard.is_named() ? number(at.l0[hard.row[i]], c) : hard.b[i]);
      }
      const bool apart = stage_.root.soft > 0, motion = (hard.count > 0 || apart) && hard.has_motion(policy);
      if (hard.count == 0 && !motion) continue;
      for (Index i = 0; motion && i < hard.count; ++i)
        right_[i] = -number(apart ? at.l_apart[stage_.root.slot[i]] : at.l[stage_.root.slot[i]], c);
      for (Index i = 0; motion && i < stage_.root.soft; ++i)
        soft_right_[i] = -number(at.l_apart[stage_.root.soft_slot[i]], c);
      const bool settled = hard.solve(policy, soft_right_.data(), motion ? right_.data() : hard.b.data(),
                                      hard.lambda.data(), answer.iterations);
      answer.converged = answer.converged && settled;
      for (Index i = 0; i < hard.count; ++i) set_number(at.lambda[stage_.root.slot[i]], c, hard.lambda[i]);
      if (motion) push_motion(problem, hard.system.ranked, at, c);
    }
  });
  for (Index y = 0; y < tree.nv; ++y) {
    sides.acceleration[y] = problem.state.prescribed.is[y] ? sides.given[y] : to_columns(x.qdd[y]);
    sides.given_torque[y] = sides.articulated[y] = Columns(0.0);
  }
  for (Index k = 0; k < problem.rows.m; ++k) sides.lambda[k] = to_columns(x.row[k]);
  if (stage_.stiffening_mass > 0) project_multipliers(hard, sides);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    const bool given = data.articulated.has_given && data.articulated.is_given[k];
    if (given) sides.given_torque[c.v] += to_columns(x.given_force[k]) * c.multiplier;
    if (!c.deferred || given) sides.articulated[c.v] += to_columns(x.pushed[k]) * c.multiplier;
  }
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0) sides.articulated[tree.shared[y].v] += to_columns(x.pushed_shared[y]);
}

/// push_motion() of right-hand side c.
template <class R> void SweepFactor::push_motion(const Problem& problem, const MassWeightedRows& W,
                                                 page::RightHandSide<R>& at, Index c) const {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  constexpr Index lanes = page::SweepStage<double>::lanes;
  for (Index i = 0; i < stage_.root.soft; ++i) set_number(at.lambda[stage_.root.soft_slot[i]], c, W.soft_multiplier(i));
  const auto product = [&](Index k) {
    const Index body = tree.column[k].body;
    const auto* const w = page::w_of(tree, stage_, k);
    double sum = 0;
    for (Index j = 0; j < stage_.live.list_size[body]; ++j)
      for (Index l = 0, b = stage_.live.list_of(body)[j]; l < stage_.strand.filled[b]; ++l)
        sum += number(at.lambda[b * lanes + l], c) * page::lane<double>(w + j, l);
    return sum;
  };
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const bool given = data.articulated.has_given && data.articulated.is_given[k];
    set_number(at.pushed[k], c,
               given                   ? product(k)
               : is_postponed(data, k) ? 0.0
                                       : W.motion()[k] / std::sqrt(data.articulated.column[k].inv_D));
  }
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0)
      set_number(at.pushed_shared[y], c, W.motion()[tree.spanning_nv + y] / std::sqrt(data.shared.done[y].inv_D));
  at.motion_known = true;
}

/// Residuals that remain have added to lambda what moves nothing, where hard rows stiffen their bodies.
void SweepFactor::project_multipliers(HardRows& hard, RightHandSides& sides) {
  for (Index c = 0; c < sides.count; ++c) {
    for (Index i = 0; i < hard.count; ++i) hard.lambda[i] = sides.lambda[hard.row[i]][c];
    hard.system.least_norm(hard.lambda.data());
    for (Index i = 0; i < hard.count; ++i) sides.lambda[hard.row[i]].set(c, hard.lambda[i]);
  }
}

void SweepFactor::respond(const Problem& problem, RightHandSides& sides) {
  page::RightHandSide<Columns>& x = several_;
  load(problem, sides, x);
  for (Index k = 0; k < problem.rows.m; ++k) x.l0[k] = sides.b[k] = Columns(0.0);
  page::Resolve<double, Columns>(problem.state.data, problem.rows, stage_, x).inward();
  for (Index k = 0; k < problem.rows.m; ++k)
    if (problem.is_hard(k)) sides.b[k] = x.l[stage_.slot[k]];
}

}  // namespace zwang
