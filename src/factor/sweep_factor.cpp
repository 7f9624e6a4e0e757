// SPDX-License-Identifier: BSD-3-Clause
#include "factor/sweep_factor.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "core/kernel_table.hpp"
#include "factor/place_of_rows.hpp"

namespace zwang {
namespace {

using Reason = PlaceOfRows::Reason;

constexpr double k_early_doubt = 1e-5;  // early elimination cannot tell dependent rows by a larger tolerance

/// Stiffness along the rows, as large as the robot's own inertia, so that neither is lost in the other's rounding.
void choose_stiffening(const Data& data, page::SweepStage<double>& stage) {
  double mass = 0, moment = 0;
  for (Index i = 1; i <= data.tree().n; ++i) {
    const Vec3<double>& p = data.position.placement[i].p;
    mass += data.inertia[i].m;
    moment += trace(data.inertia[i].I) + data.inertia[i].m * dot(p, p);
  }
  stage.stiffening_mass = mass > 0 ? mass / data.tree().n : 1.0;
  stage.stiffening_length2 = mass > 0 && moment > 0 ? moment / mass : 1.0;
}

/// Whether the rows eliminated early and at the root are satisfied and none is dependent.
bool fits(const Problem& problem, const Answer& answer) {
  if (!answer.hard.beyond_doubt()) return false;
  for (Index k = 0; k < problem.rows.m; ++k) {
    if (!problem.is_hard(k)) continue;
    const page::RowResidual<double> e = page::row_residual(problem.state.data, problem.rows, k);
    if (!(std::fabs(e.value) <= std::max(1e-12 * e.scale, problem.rounding(k)))) return false;
  }
  return true;
}

}  // namespace

/// A column whose coordinate is eliminated where the columns that share it meet.
bool SweepFactor::is_postponed(const Data& data, Index k) {
  return data.tree().column[k].deferred && !(data.articulated.has_given && data.articulated.is_given[k]);
}

SweepFactor::SweepFactor(const Problem& problem)
    : stage_(problem.state.data.tree(), problem.layout.room),
      single_(problem.state.data.tree(), problem.layout.capacity, stage_.root.slot.size()),
      several_(problem.state.data.tree(), problem.layout.capacity, stage_.root.slot.size()),
      causes_(problem),
      torques_(problem),
      torque_(problem.state.data.model().nv()),
      right_(problem.layout.capacity),
      soft_right_(problem.layout.capacity),
      index_(stage_.root.slot.size()) {}

void SweepFactor::plan(Problem& problem, const Method& method) {
  const RowTraits& t = problem.rows.traits;
  method_ = &method;
  dependent_ = false;
  estimate_ = {};
  place_ = method.place == Place::own ? Place::root : method.place;
  if (place_ == Place::early && !t.hard) place_ = Place::root;
  if (place_ == Place::as_given) {
    place_ = t.early ? Place::early : Place::root;
    if (!t.early && problem.rows.count > 0) {
      estimate_places(problem, false, estimate_);
      place_ = fastest_place(estimate_);
    }
  }
  stage_.bodies_to_root = place_ == Place::where_met;
}

bool SweepFactor::wants_early(const Problem& problem) const {
  const RowTraits& t = problem.rows.traits;
  return place_ == Place::early || (place_ == Place::where_met && (t.relation || t.early));
}

/// Early elimination only saves time: where it is not exact, the rows go to the root.
bool SweepFactor::may_be_early(const Problem& problem, const RowPolicy& policy) const {
  const RowTraits& t = problem.rows.traits;
  return wants_early(problem) && !policy.soft_travels && !dependent_ && !t.levels && !t.leaves_out &&
         !problem.state.data.tree().mimic && problem.layout.room.early &&
         policy.singularity == Singularity::truncation && policy.tolerance < k_early_doubt;
}

void SweepFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  answer.begin();
  const bool early = may_be_early(problem, policy), estimated = estimate_.reason == Reason::estimated;
  answer.place = estimate_;
  if (dependent_ || method_->place == Place::own)
    answer.place.reason = Reason::dependent;
  else if (wants_early(problem) && !early)
    answer.place.reason = Reason::settings;
  bool regular = sweep(problem, policy, answer, early, false);
  if (early && regular && !fits(problem, answer)) {
    regular = sweep(problem, policy, answer, false, false);
    answer.place.reason = Reason::dependent;
    dependent_ = estimated;
  }
  const auto singular = [&] {
    return problem.state.data.tree().column[problem.state.data.articulated.singular_column].v;
  };
  if (!regular) answer.massless = singular();
  const bool determines = problem.rows.m > 0 && !problem.rows.traits.leaves_out;
  if (!regular && determines && policy.singularity != Singularity::damping) {
    regular = sweep(problem, policy, answer, false, true);
    if (!regular) answer.massless = singular();
  }
  if (!regular) answer.outcome = Outcome::singular_mass;
  if (!regular || problem.state.interruption.asked()) return;
  const bool early_now = stage_.early;
  answer.method = early_now                  ? method_at(place_).name
                  : method_->makes_rows_soft ? method_->name
                                             : method_at(Place::root).name;
  answer.only_hard_rows = !early_now && !answer.stiffened && !problem.rows.traits.soft;
  take_multipliers(problem, answer);
  take_torques(problem, answer);
}

struct SweepFactor::AtRoot {
  SweepFactor& self;
  Problem& problem;
  const RowPolicy& policy;
  Answer& answer;
  static void call(void* context) {
    const AtRoot& x = *static_cast<AtRoot*>(context);
    x.self.solve_rows(x.problem, x.policy, x.answer);
  }
};

/// A sweep; where it finds columns with next to no inertia, another that makes these orthogonal.
bool SweepFactor::sweep(Problem& problem, const RowPolicy& policy, Answer& answer, bool early, bool stiffened) {
  const bool regular = sweep_once(problem, policy, answer, early, stiffened);
  if (!page::is_doubtful(problem.state.data)) return regular;
  problem.state.data.articulated.is_careful = answer.careful = true;
  const bool still_regular = sweep_once(problem, policy, answer, false, stiffened);
  problem.state.data.articulated.is_careful = false;
  return still_regular;
}

bool SweepFactor::sweep_once(Problem& problem, const RowPolicy& policy, Answer& answer, bool early, bool stiffened) {
  Data& data = problem.state.data;
  stage_.early = early;
  stage_.stiffening_mass = 0;
  answer.stiffened = stiffened;
  if (stiffened) choose_stiffening(data, stage_);
  stage_.joined = problem.rows.traits.joined;
  stage_.soft_travels = policy.soft_travels;
  stage_.stop = problem.state.interruption.for_kernels();
  problem.prepare_rows();
  data.articulated.has_given = problem.state.prescribed.any;
  answer.converged = true;
  answer.iterations = 1;
  AtRoot root{*this, problem, policy, answer};
  const page::ActiveRows<double>* const first = problem.rows.active.data();
  const bool regular = kernels().hybrid->sweep(
      &data, problem.rows.for_kernels(), &stage_, first, first + problem.rows.active.size(), AtRoot::call, &root,
      problem.state.q.data(), problem.state.v.data(), problem.state.total.data(), answer.acceleration.data());
  if (problem.rows.m == 0) answer.hard.take_combinations(problem, 0);
  data.stages |= stage_factor;
  for (Index k = 0; problem.state.prescribed.any && k < data.tree().nv; ++k)
    if (problem.state.prescribed.is[k]) answer.acceleration[k] = problem.state.prescribed.value[k];
  return regular;
}

/// Lambda of the rows that have reached the root, and the bounds of its diagonal.
void SweepFactor::gather_rows(RankRevealing& system) const {
  const RootRows x = system.begin(stage_.root.count);
  if (!stage_.early && stage_.root.soft == 0) return kernels().hybrid->gather(&stage_, x);
  page::gather_rows(stage_, x.A, x.stride);
  for (Index i = 0; i < x.m; ++i) {
    x.bound[i] = page::lane<double>(stage_.strand.bound.data(), stage_.root.slot[i]);
    for (Index j = 0; j < i; ++j) x.A[j * x.stride + i] = x.A[i * x.stride + j];
    for (Index j = x.m; j % RankRevealing::k_padding != 0; ++j) x.A[i * x.stride + j] = 0;
  }
}

/// All rows have reached the root: factors Lambda and solves.
void SweepFactor::solve_rows(Problem& problem, const RowPolicy& policy, Answer& answer) {
  HardRows& hard = answer.hard;
  if (page::is_doubtful(problem.state.data) && !problem.state.data.articulated.is_careful)
    return;  // another sweep will follow
  gather_rows(hard.system);
  if (stage_.early)
    hard.take_combinations(problem, stage_.root.count);
  else
    hard.take_all(problem);
  hard.weighed = false;
  hard.take_ranks(problem, policy.singularity);
  factor_rows(problem, policy, hard);
  if (problem.state.interruption.asked()) return;
  hard.free_motion = std::sqrt(page::free_motion_norm2(problem.state.data));
  leave_drivers_out(problem, answer);
  const bool motion = hard.has_motion(policy);
  if (hard.count > 0 || motion) {
    page::gather_right_hand_side(stage_, hard.b.data());
    for (Index i = 0; i < hard.count; ++i) {
      if (hard.is_named()) hard.b[i] += answer.left_out[hard.row[i]];
      hard.size[i] = std::fabs(hard.is_named() ? page::attached_residual(problem.rows, hard.row[i]) : hard.b[i]);
    }
    for (Index i = 0; motion && i < hard.count; ++i) {
      right_[i] = -page::lane<double>(stage_.root.soft > 0 ? stage_.root.l_apart.data() : stage_.strand.l.data(),
                                      stage_.root.slot[i]) +
                  (hard.is_named() ? answer.left_out[hard.row[i]] : 0.0);
    }
    for (Index i = 0; motion && i < stage_.root.soft; ++i)
      soft_right_[i] = -page::lane<double>(stage_.root.l_apart.data(), stage_.root.soft_slot[i]);
    answer.converged = hard.solve(policy, soft_right_.data(), motion ? right_.data() : hard.b.data(),
                                  hard.lambda.data(), answer.iterations);
    if (motion) push_motion(problem, hard.system.ranked);
  }
  page::scatter_rows(stage_, hard.lambda.data());
}

/// Rows that were eliminated early leave no W: in doubt they go to the root together.
void SweepFactor::factor_rows(const Problem& problem, const RowPolicy& policy, HardRows& hard) {
  hard.factor(problem, policy, problem.state.data.articulated.gross_ratio,
              [&](MassWeightedRows& W) { write_W(problem, hard, W); });
}

/// W = D^-1/2 w of the rows at the root, column by column of the tree, shared coordinates last.
void SweepFactor::write_W(const Problem& problem, const HardRows& hard, MassWeightedRows& W) {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  constexpr Index lanes = page::SweepStage<double>::lanes;
  const Index soft = stage_.early ? 0 : stage_.root.soft;
  W.begin(tree.spanning_nv + tree.shared_count, soft, hard.count);
  if (stage_.early) return;
  for (Index s = 0; s < stage_.block.count * lanes; ++s) index_[s] = -1;
  for (Index i = 0; i < hard.count; ++i) index_[stage_.root.slot[i]] = i;
  for (Index i = 0; i < soft; ++i) index_[stage_.root.soft_slot[i]] = -2 - i;
  const auto write = [&](Index column, Index block, const page::SweepStage<double>::Side& w, double root) {
    for (Index l = 0; l < stage_.strand.filled[block]; ++l) {
      const Index i = index_[block * lanes + l];
      if (i == -1) continue;
      (i >= 0 ? W.hard_row(i) : W.soft_row(-2 - i))[column] = page::lane<double>(&w, l) * root;
    }
  };
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index body = tree.column[k].body, count = stage_.live.list_size[body];
    const double inv_D = data.articulated.column[k].inv_D;
    if (count == 0 || inv_D == 0 || is_postponed(data, k)) continue;
    const auto* const w = page::w_of(tree, stage_, k);
    for (Index j = 0; j < count; ++j) write(k, stage_.live.list_of(body)[j], w[j], std::sqrt(inv_D));
  }
  for (Index y = 0; y < tree.shared_count; ++y) {
    if (data.shared.order[y] < 0) continue;
    const double root = std::sqrt(data.shared.done[y].inv_D);
    for (Index b = 0; b < stage_.block.count; ++b)
      write(tree.spanning_nv + y, b, stage_.block.coupling[y * stage_.block.most + b], root);
  }
  for (Index i = 0; i < soft; ++i) {
    const Index s = stage_.root.soft_slot[i];
    for (Index k = 0; k < problem.rows.m; ++k)
      if (stage_.slot[k] == s) {
        const double R = page::rest_of_compliance(problem.rows.compliance[k], stage_.stiffness[k]);
        W.set_compliance(i, R, page::lane<double>(stage_.strand.bound.data(), s) - R);
      }
  }
}

/// w^T lambda of every column from z, and the multipliers of all rows at the root.
void SweepFactor::push_motion(const Problem& problem, const MassWeightedRows& W) {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  for (Index i = 0; i < W.rows(); ++i) page::set_lane(stage_.block.lambda.data(), stage_.root.slot[i], W.multiplier(i));
  for (Index i = 0; i < stage_.root.soft; ++i)
    page::set_lane(stage_.block.lambda.data(), stage_.root.soft_slot[i], W.soft_multiplier(i));
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const double inv_D = data.articulated.column[k].inv_D;
    const bool given = data.articulated.has_given && data.articulated.is_given[k];
    stage_.pushed[k] = given                   ? page::row_product(tree, stage_, k)
                       : is_postponed(data, k) ? 0.0
                                               : W.motion()[k] / std::sqrt(inv_D);
  }
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0)
      stage_.pushed_shared[y] = W.motion()[tree.spanning_nv + y] / std::sqrt(data.shared.done[y].inv_D);
  stage_.motion_known = true;
}

void SweepFactor::take_multipliers(const Problem& problem, Answer& answer) {
  for (Index k = 0; k < problem.rows.m; ++k) {
    answer.scale[k] = 0;
    answer.lambda[k] = stage_.slot[k] >= 0 ? page::lane<double>(stage_.block.lambda.data(), stage_.slot[k]) : 0.0;
    if (stage_.stiffness[k] > 0)
      answer.lambda[k] -= stage_.stiffness[k] * (dot(problem.state.data.acceleration.joint[problem.rows.body[k]],
                                                     page::attached_row(problem.rows, k)) +
                                                 page::attached_residual(problem.rows, k));
  }
  if (!answer.stiffened) return;
  HardRows& hard = answer.hard;  // remove the null-space part of lambda that remaining residuals have added
  for (Index i = 0; i < hard.count; ++i) hard.lambda[i] = answer.lambda[hard.row[i]];
  hard.system.least_norm(hard.lambda.data());
  for (Index i = 0; i < hard.count; ++i) answer.lambda[hard.row[i]] = hard.lambda[i];
}

void SweepFactor::take_torques(const Problem& problem, Answer& answer) {
  const Tree<double>& tree = problem.state.data.tree();
  if (problem.rows.m == 0)
    std::fill_n(answer.articulated.data(), tree.nv, 0.0);
  else if (tree.mimic)
    page::articulated_torque(problem.state.data, stage_, answer.articulated.data());
  else
    std::copy_n(stage_.pushed.data(), tree.nv, answer.articulated.data());
  if (!problem.state.prescribed.any) return;
  std::fill_n(answer.given_torque.data(), tree.nv, 0.0);
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (problem.state.data.articulated.is_given[k])
      answer.given_torque[tree.column[k].v] +=
          problem.state.data.articulated.given_force[k] * tree.column[k].multiplier;
}

bool SweepFactor::serves(const Problem& problem, const RowPolicy& policy) const {
  if (stage_.early) return may_be_early(problem, policy);
  const bool stiffened = stage_.stiffening_mass > 0;
  return !stiffened || (!problem.rows.traits.leaves_out && policy.singularity != Singularity::damping);
}

bool SweepFactor::holds(const Problem& problem, const RowPolicy&, const Answer& answer) {
  return !stage_.early || fits(problem, answer);
}

}  // namespace zwang
