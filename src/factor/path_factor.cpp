// SPDX-License-Identifier: BSD-3-Clause
#include "factor/path_factor.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/kernel_table.hpp"

namespace zwang {

PathFactor::PathFactor(const Problem& problem, SweepFactor& sweep)
    : sweep_(sweep),
      stage_(problem.state.data.tree(), problem.layout.capacity),
      torque_(problem.state.data.tree().spanning_nv),
      kept_(2 * problem.state.data.model().nv()),
      kept_lambda_(problem.layout.capacity),
      kept_row_(problem.layout.capacity) {}

namespace {
/// A row's own path is a part of what moves it: it shows how far rows are from dependent ones up to the share of the
/// path in the row's Lambda_kk. With a larger tolerance the root decides.
constexpr double k_most_tolerance = 1e-9;
}  // namespace

bool PathFactor::try_plan(Problem& problem, const Method& method, const RowPolicy& policy) {
  const RowTraits& t = problem.rows.traits;
  const bool asked = method.place == Place::as_given ? !t.early : method.place == Place::early;
  method_ = &method;
  if (policy.tolerance > k_most_tolerance) return false;
  if (!asked || !policy.is_exact() || policy.by_W || problem.state.prescribed.any || t.soft || t.leaves_out || !t.hard)
    return false;
  if (reading_ != problem.rows.reading) {
    fits_ = try_plan_paths(problem, stage_);
    reading_ = problem.rows.reading;
  }
  return fits_ && !(t.relation && doubted_ == reading_);
}

namespace {
/// Relations are evaluated in the middle of the sweep.
void evaluate(void* context) { static_cast<Problem*>(context)->evaluate_relations(); }
}  // namespace

void PathFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  Data& data = problem.state.data;
  answer.begin();
  policy_ = policy;
  factored_ = columns_are_mine_ = false;
  answer.outcome = Outcome::to_root;
  data.articulated.has_given = false;
  fresh_ = !problem.rows.in_path_blocks || planned_ != reading_ || problem.rows.m != problem.rows.count;
  if (fresh_) arrange_rows(stage_, problem.rows);
  planned_ = reading_;
  const PathKernels& kernel = *kernels().path;
  if (!kernel.sweep(&data, problem.rows.for_kernels(), &stage_, problem.rows.active.data(), evaluate, &problem,
                    problem.state.q.data(), problem.state.v.data(), problem.state.total.data(),
                    answer.acceleration.data()))
    return;
  const double g2 = data.articulated.gross_ratio;
  if (!RankRevealing::is_beyond_doubt(stage_.doubt.bounds, stage_.doubt.rows, g2, policy.tolerance)) {
    doubted_ = reading_;
    return;
  }
  if (!kernel.publish(&data, problem.rows.for_kernels(), &stage_, answer.acceleration.data(), torque_.data(), energy_))
    return;
  sweep_.leave_drivers_out(problem, answer);  // none are: clears what an earlier solve has left
  data.stages |= stage_factor;
  std::copy_n(stage_.pushed.data(), answer.articulated.size(), answer.articulated.data());
  answer.place = sweep_.estimate();
  if (method_->place == Place::as_given) {
    answer.method = method_at(stage_.inward_bodies > 0 ? Place::early : Place::root).name;
    answer.place.reason = PlaceOfRows::Reason::own_paths;
  } else {
    answer.method = method_->name;
  }
  answer.outcome = Outcome::solved;
  columns_are_mine_ = true;
}

void PathFactor::keep(const Problem& problem, const Answer& answer) {
  const Index nv = answer.acceleration.size();
  std::copy_n(answer.acceleration.data(), nv, kept_.data());
  std::copy_n(answer.articulated.data(), nv, kept_.data() + nv);
  std::copy_n(answer.lambda.data(), problem.rows.m, kept_lambda_.data());
  for (Index k = 0; k < problem.rows.m; ++k) kept_row_[k] = page::attached_residual(problem.rows, k);
}

void PathFactor::restore(Problem& problem, Answer& answer) {
  const Index nv = answer.acceleration.size();
  std::copy_n(kept_.data(), nv, answer.acceleration.data());
  std::copy_n(kept_.data() + nv, nv, answer.articulated.data());
  std::copy_n(kept_lambda_.data(), problem.rows.m, answer.lambda.data());
  for (Index k = 0; k < problem.rows.m; ++k) page::set_lane(problem.rows.l.data(), problem.rows.place[k], kept_row_[k]);
  answer.outcome = Outcome::solved;
}

/// A sweep at the same state, which attaches the rows again: they must be those of the solve. The published answer
/// keeps its bits. False where the sweep finds the mass matrix singular.
bool PathFactor::make_factor(Problem& problem, Answer& answer) {
  if (factored_) return true;
  const RowReader& reader = problem.reader;
  if (!reader.is_current(problem.layout) &&
      !(reader.has_same_rows(problem.layout) && problem.read_again(kept_row_.data())))
    throw std::logic_error(
        "Solver: the rows of the set are others than in the last solve, and its factorisation has not been made yet; "
        "call solve() first");
  keep(problem, answer);
  columns_are_mine_ = false;
  bool regular = false;
  try {
    sweep_.solve(problem, policy_, answer);
    regular = answer.outcome == Outcome::solved;
  } catch (...) {  // rows that the user has written
    problem.state.data.stages &= ~static_cast<unsigned>(stage_factor);
    throw;
  }
  restore(problem, answer);
  problem.state.accelerate(answer.acceleration.data());
  factored_ = regular;
  return regular;
}

bool PathFactor::serves(const Problem& problem, const RowPolicy& policy) const {
  if (policy.singularity != policy_.singularity && !factored_) return false;
  return !factored_ || sweep_.serves(problem, policy);
}

bool PathFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  return make_factor(problem, answer) && sweep_.apply(problem, policy, answer, sides);
}

bool PathFactor::respond(const Problem& problem, RightHandSides& sides) {
  if (!is_as_solved(problem) || sides.count != 1) return false;
  const Index nv = problem.state.data.tree().nv, m = problem.rows.m;
  double *const tau = kept_.data(), *const x = tau + nv, *const b = kept_row_.data(),
                *const lambda = kept_lambda_.data();
  for (Index y = 0; y < nv; ++y) tau[y] = sides.tau[y][0];
  for (Index k = 0; k < m; ++k) b[k] = sides.b[k][0];
  if (!kernels().path->respond(&problem.state.data, problem.rows.for_kernels(), &stage_, tau, b, x, lambda))
    return false;
  for (Index y = 0; y < nv; ++y) {
    sides.acceleration[y] = Columns(x[y]);
    sides.given_torque[y] = Columns(0.0);
  }
  for (Index k = 0; k < m; ++k) sides.lambda[k] = Columns(lambda[k]);
  return true;
}

void PathFactor::leave_drivers_out(Problem& problem, Answer& answer) {
  if (problem.rows.traits.leaves_out) make_factor(problem, answer);
  sweep_.leave_drivers_out(problem, answer);
}

void PathFactor::leave_drivers_out(Problem& problem, RightHandSides& sides) {
  sweep_.leave_drivers_out(problem, sides);
}

bool PathFactor::holds(const Problem& problem, const RowPolicy& policy, const Answer& answer) {
  return sweep_.holds(problem, policy, answer);
}

}  // namespace zwang
