// SPDX-License-Identifier: BSD-3-Clause
// The steps of a solve: read → state → choose → factor and answer → certify → publish.
#include <algorithm>

#include "algorithm/support.hpp"
#include "linear/vectors.hpp"
#include "solve/solver_parts.hpp"

namespace zwang {
namespace {

bool may_be_early(const SolverSettings& s, const ConstraintSet& set) {
  const Place place = method_of(s.method).place;
  return place == Place::early || place == Place::where_met ||
         (place == Place::as_given && set.rows() + s.spare_rows >= PlaceOfRows::few);
}

void check_limits(const Model& model, const MotorLimits& limits) {
  if (limits.empty()) return;
  const std::size_t lower = limits.lower.size(), upper = limits.upper.size(), nv = static_cast<std::size_t>(model.nv());
  if (lower != nv || upper != nv)
    throw std::invalid_argument("Solver: motor_limits has " + std::to_string(lower) + " lower and " +
                                std::to_string(upper) + " upper entries, expected nv = " + std::to_string(nv));
  for (std::size_t y = 0; y < nv; ++y)
    if (!(limits.lower[y] <= limits.upper[y]))
      throw std::invalid_argument("Solver: motor_limits of '" + model.coordinate_names()[y] + "' are " +
                                  std::to_string(limits.lower[y]) + " and " + std::to_string(limits.upper[y]) +
                                  ", expected lower <= upper");
}

const SolverSettings& checked(const Model& model, const SolverSettings& settings) {
  const auto refuse = [](const char* name, const char* expected, double got) {
    throw std::invalid_argument(std::string("Solver: ") + name + " is " + expected + "; got " + std::to_string(got));
  };
  if (!(settings.tolerance >= 0 && settings.tolerance < 1))
    refuse("tolerance", "relative, in [0, 1)", settings.tolerance);
  if (!(settings.feasibility > 0 && settings.feasibility < 1))
    refuse("feasibility", "relative, in (0, 1)", settings.feasibility);
  if (!(settings.regularisation >= 0 && settings.regularisation <= 1e6))
    refuse("regularisation", "relative, in [0, 1e6]", settings.regularisation);
  if (settings.max_iterations < 1) refuse("max_iterations", "at least 1", settings.max_iterations);
  if (settings.spare_rows < 0 || settings.spare_rows > k_most_rows)
    refuse("spare_rows", ("in [0, " + std::to_string(k_most_rows) + "]").c_str(), settings.spare_rows);
  if (settings.singularity < Singularity::truncation || settings.singularity > Singularity::weighted)
    refuse("singularity", "one of the four policies", static_cast<double>(settings.singularity));
  check_limits(model, settings.motor_limits);
  return settings;
}

}  // namespace

SolverParts::SolverParts(const Model& model, const ConstraintSet& set, const SolverSettings& s)
    : settings(checked(model, s)),
      problem(model, set, s.spare_rows, may_be_early(s, set)),
      method(&method_of(s.method)),
      factors(problem, *method),
      answer(problem),
      certificate(problem),
      numbers(problem),
      sides_(problem),
      bias_(model.nv()),
      left_out_(problem.layout.capacity),
      residual_(problem.layout.capacity),
      multiplier_(problem.layout.capacity),
      scale_(problem.layout.capacity),
      active_row_(problem.layout.capacity) {
  SolveReport& r = solution.report;
  const auto c = static_cast<std::size_t>(problem.layout.capacity);
  r.redundant.reserve(c);
  r.infeasible.reserve(c);
  r.given_up.reserve(c);
  r.dependencies.reserve(c);
  r.terms.reserve((c + 2) * (c + 2) / 4);
  r.warnings.reserve(3 * c + 2 * static_cast<std::size_t>(model.nv()) + 1);
  r.motors_at_limit.reserve(static_cast<std::size_t>(model.nv()));
  for (std::vector<std::string_view>* names : {&r.held, &r.released, &r.at_limit}) names->reserve(c);
  bind_rows();
}

SolverParts::~SolverParts() = default;

BoundedSolve& SolverParts::make_bounded() {
  if (bounded == nullptr) bounded = std::make_unique<BoundedSolve>(*this);
  return *bounded;
}

void SolverParts::check_settings() {
  checked(problem.state.data.model(), settings);
  if (settings.method != method->name) method = &method_of(settings.method);
  problem.reader.limit_motors(!settings.motor_limits.empty());
}

/// Gives the views of the solution the number of rows that the set has now.
void SolverParts::bind_rows() {
  const Index rows = problem.layout.rows();
  const auto bind = [&](VectorView& view, const Buffer<double>& b) { new (&view) VectorView(b.data(), rows); };
  bind(solution.multipliers, numbers.multipliers);
  bind(solution.residual, certificate.residual);
  bind(solution.position_error, certificate.position_error);
  bind(solution.velocity_error, certificate.velocity_error);
}

void SolverParts::read() {
  check_settings();
  problem.read(method->purpose(settings.singularity));
  if (problem.rows.reading == accepted_) return;
  bind_rows();
  factors.choose(problem, *method, settings.singularity);
  accepted_ = problem.rows.reading;
}

void SolverParts::solve(const SolveInput& input) {
  clear_lists(solution.report);
  solution.report.complementarity = 0;
  problem.state.set(input.q.data(), input.v.size() > 0 ? input.v.data() : nullptr);
  problem.state.effects = settings.joint_effects;
  problem.state.take_prescribed(input.prescribed);
  problem.state.take_forces(input.tau.size() > 0 ? input.tau.data() : nullptr, input.external);
  solve_stated();
}

void SolverParts::solve_stated() {
  const Interruption::Scope scope(problem.state.interruption, settings.stop);
  if (is_stopped()) return;
  if (problem.rows.traits.bounded) return make_bounded().solve();
  border = nullptr;
  solve_by(RowPolicy(settings));
}

/// Whether the caller has stopped the solve; then it is refused. What it may have taught about dependent
/// rows and those that hold does not count.
bool SolverParts::is_stopped() {
  if (!problem.state.interruption.asked()) return false;
  refuse(Status::stopped, "");
  factors.forget();
  forget_bounds();
  return true;
}

void SolverParts::solve_by(const RowPolicy& policy) {
  solved_by = method;
  last_.reading = problem.rows.reading;
  last_.stabilisation = problem.rows.stabilisation;
  last_.tolerance = policy.tolerance;
  last_.refined = false;
  if (!is_limited() && factors.paths.try_plan(problem, *method, policy) && solve_by_paths(policy)) return;
  if (!factors.compressed.finds(problem, policy)) return solve_as_given(policy);
  factors.compressed.use(factors.chosen(), factors.sweep);
  factor = &factors.compressed;
  factor->solve(problem, policy, answer);
  finish(policy);
}

void SolverParts::solve_forces_by(const RowPolicy& policy) {
  solve_by(policy);
  settle_forces(policy);
}

void SolverParts::settle_forces(const RowPolicy& policy) {
  const auto loses = [&] {
    return factor != nullptr && solution.report.status == Status::ok && certificate.loses_motion(problem, answer);
  };
  if (factor == nullptr || !answer.hard.by_W || !policy.is_exact()) return;
  for (const RowPolicy& by : {policy, policy.with_W()}) {  // what is refined may be solved by W once more
    if (!loses()) return;
    for (int k = 0; k < 3 && loses(); ++k) refine(by, true);  // z has determined the motion
    clear_lists(solution.report);
    finish(by);
  }
  if (loses() && certificate.left_over > policy.feasibility) solution.report.status = Status::not_converged;
}

/// Rows at the ends of their own paths: solved, certified and published in one pass.
/// False where another factor must decide.
bool SolverParts::solve_by_paths(const RowPolicy& policy) {
  PathFactor& paths = factors.paths;
  factor = &paths;
  paths.solve(problem, policy, answer);
  if (answer.outcome != Outcome::solved) return false;
  SolveReport& r = solution.report;
  const bool notable = certificate.certify_paths(problem, paths, policy, answer, r);
  if (!numbers.publish_paths(problem, answer, paths, solution)) return false;
  if ((notable || problem.rows.traits.driver) && !problem.rows.traits.bounded) warn();
  r.method = answer.method;
  r.place = answer.place;
  r.singularity = name_of(settings.singularity);
  r.iterations = answer.iterations;
  return true;
}

void SolverParts::warn() {
  certificate.warn(problem, is_limited() ? static_cast<const Problem&>(bounded->chooser.whole) : problem, answer,
                   numbers.multipliers.data(), numbers.driver_torque.data(), numbers.motor_torque.data(),
                   solution.report);
  if (problem.rows.shock == nullptr)
    Certificate::warn_effort(problem, settings.motor_limits, numbers.driver_torque.data(), numbers.motor_torque.data(),
                             solution.report);
}

/// Without compression of relations.
void SolverParts::solve_as_given(const RowPolicy& policy) {
  last_.refined = false;
  factor = policy.soft_travels ? &factors.sweep : &factors.chosen();
  factor->solve(problem, policy, answer);
  if (answer.outcome == Outcome::to_root && !problem.state.interruption.asked()) {
    factor = &factors.sweep;
    factor->solve(problem, policy, answer);
  }
  finish(policy);
}

void SolverParts::finish(const RowPolicy& policy) {
  if (is_stopped()) return;
  const bool is_compressed = factor == &factors.compressed;
  if (is_compressed && answer.outcome != Outcome::solved) return solve_as_given(policy);
  if (answer.outcome == Outcome::singular_mass) return refuse_singular(policy, answer.massless);
  const bool finite = answer.outcome == Outcome::solved &&
                      all_finite(answer.acceleration.size(), answer.acceleration.data()) &&
                      all_finite(problem.rows.m, answer.lambda.data());
  if (!finite) return refuse(Status::overflow, "");
  SolveReport& r = solution.report;
  certificate.certify(problem, answer, policy, r);
  if (is_stopped() || solve_better(policy)) return;
  if (!numbers.publish(problem, answer, certificate, solution)) return refuse(Status::overflow, "");
  if (!problem.rows.traits.bounded) warn();
  if (!is_compressed && !answer.hard.beyond_doubt()) factors.compressed.examine_all(problem);
  if (factors.by_loops()) {
    answer.place = factors.sweep.estimate();
    if (factor == &factors.sweep || (is_compressed && factors.compressed.went_to_root())) {
      answer.place.reason = PlaceOfRows::Reason::dependent;
      factors.use_sweep();
    }
  }
  r.method = answer.method;
  r.place = answer.place;
  r.singularity = name_of(settings.singularity);
  r.iterations = answer.iterations;
}

/// What the certificate asks for: another solve or a step of refinement, which finish by themselves. False if the
/// answer stands. These calls of finish() end: policies only grow, and refine() sets last_.refined.
bool SolverParts::solve_better(const RowPolicy& policy) {
  const SolveReport& r = solution.report;
  const auto solve_with = [&](RowPolicy better) {
    clear_lists(solution.report);
    solve_by(better);
    return true;
  };
  if (factor == &factors.compressed && (certificate.loose || r.status != Status::ok || !r.given_up.empty())) {
    clear_lists(solution.report);
    solve_as_given(policy);
    return true;
  }
  const bool exact = policy.is_exact();
  if (exact && certificate.loose && !policy.by_W) return solve_with(policy.with_W());
  if (certificate.hidden && may_travel(policy)) return solve_with(policy.with_soft_rows_in_W());
  if (may_travel(policy) && (r.status == Status::infeasible ? Certificate::has_stiff_springs(problem)
                                                            : certificate.hides_motion(problem, answer)))
    return solve_with(policy.with_soft_rows_in_W());
  const bool rounds = r.status == Status::ok && certificate.stiff && !policy.soft_travels;
  if (exact && rounds && !last_.refined) {
    refine(policy);
    clear_lists(solution.report);
    finish(policy);
    return true;
  }
  if (r.status != Status::ok) return false;
  const bool doubtful = certificate.stiff || certificate.soft_open > policy.feasibility;
  if (exact && doubtful && !holds_soft_rows(policy)) {
    if (may_travel(policy)) return solve_with(policy.with_soft_rows_in_W());
    solution.report.status = Status::not_converged;
  }
  // Where W has decided, the motion follows from z and is certified with it; multipliers are not as good.
  if (!answer.careful || !exact || answer.hard.by_W || last_.refined || !certificate.loses_motion(problem, answer))
    return false;
  bool loses = true;
  for (int k = 0; k < 3 && loses; ++k) {  // the first one is nearly always the last
    refine(policy);
    loses = certificate.loses_motion(problem, answer);
  }
  clear_lists(solution.report);
  if (loses)
    refuse_singular(policy, certificate.lost_coordinate);
  else
    finish(policy);
  return true;
}

/// Whether soft rows of one body may go to the root instead of stiffening the inertia of their body by 1/R, in whose
/// rounding what other rows do is lost where R is tiny. W has sqrt(R) there.
bool SolverParts::may_travel(const RowPolicy& policy) const {
  return problem.rows.traits.soft && policy.is_exact() && !policy.soft_travels;
}

void SolverParts::refuse_singular(const RowPolicy& policy, Index coordinate) {
  const bool by_sweep = factor == &factors.sweep;
  if (may_travel(policy)) {
    solve_by(policy.with_soft_rows_in_W());
    if (solution.report.status != Status::singular_mass) return;
  }
  refuse_massless(coordinate);
  solution.report.method = by_sweep ? method_at(Place::root).name : method->name;
}

/// Whether the motion follows from the forces, and soft rows hold, within the rounding of their own terms. Refines what
/// W has answered, whose multipliers are not as good as its motion: where large ones cancel, their rounding is in the
/// others. True, too, where the refined answer has a status of its own.
bool SolverParts::holds_soft_rows(const RowPolicy& policy) {
  const auto holds = [&] {
    const bool loses = certificate.loses_motion(problem, answer) && !(policy.soft_travels && certificate.cancels);
    return !loses && certificate.soft_open <= policy.feasibility;
  };
  if (holds()) return true;
  for (int k = 0; k < 3 && policy.soft_travels; ++k) {
    refine(policy);
    clear_lists(solution.report);
    certificate.certify(problem, answer, policy, solution.report);
    if (solution.report.status != Status::ok || holds()) return true;
  }
  return false;
}

/// A step of iterative refinement: what the answer leaves of the equations of motion and of the rows is solved with the
/// same factor and added. Soft rows of small R need it, because their lambda is a small difference divided by R, and
/// sweeps that have made columns orthogonal. Where soft rows are in W and large multipliers cancel, what they leave of
/// the equations of motion is their rounding: z has determined the motion, and only multipliers are refined, with the
/// torques of prescribed coordinates, which follow from them. `keeps_motion`: so it is here.
void SolverParts::refine(const RowPolicy& policy, bool keeps_motion) {
  const Index nv = bias_.size();
  HardRows& hard = answer.hard;
  last_.refined = true;
  sides_.clear();
  sides_.count = 1;
  problem.state.bias_forces(bias_.data());
  for (Index y = 0; y < nv; ++y) sides_.tau[y] = Columns(problem.state.total[y] - bias_[y]);
  problem.torques_of_motion(answer.acceleration.data(), answer.lambda.data(), bias_.data());
  for (Index y = 0; y < nv; ++y) sides_.tau[y] -= Columns(bias_[y]);
  for (Index k = 0; k < problem.rows.m; ++k) {
    const double value = page::row_residual(problem.state.data, problem.rows, k).value;
    sides_.b[k] = Columns(answer.left_out[k] - value - problem.rows.compliance[k] * answer.lambda[k]);
  }
  const double free_motion = hard.free_motion;
  for (Index i = 0; i < hard.count; ++i) {
    left_out_[i] = hard.b[i];
    residual_[i] = hard.size[i];
    multiplier_[i] = hard.lambda[i];
  }
  std::copy_n(answer.scale.data(), problem.rows.m, scale_.data());
  keeps_motion = keeps_motion || (policy.soft_travels && certificate.cancels);
  const double energy = !keeps_motion ? -1 : hard.by_W ? hard.system.ranked.energy() : hard.energy;
  const bool solved = factor->apply(problem, policy, answer, sides_);
  std::copy_n(scale_.data(), problem.rows.m, answer.scale.data());
  hard.free_motion = free_motion;
  for (Index i = 0; i < hard.count; ++i) {
    hard.b[i] = left_out_[i];
    hard.size[i] = residual_[i];
    hard.lambda[i] = multiplier_[i] + (solved ? hard.lambda[i] : 0.0);
  }
  for (Index k = 0; solved && k < problem.rows.m; ++k) answer.lambda[k] += sides_.lambda[k][0];
  hard.by_W = false;  // W has solved for the correction last
  hard.energy = energy;
  for (Index y = 0; solved && y < nv; ++y)
    answer.given_torque[y] += sides_.given_torque[y][0];  // M q'' + h - J^T lambda, whose lambda has changed
  for (Index y = 0; solved && !keeps_motion && y < nv; ++y) {
    answer.acceleration[y] += sides_.acceleration[y][0];
    answer.articulated[y] += sides_.articulated[y][0];
  }
  problem.state.accelerate(answer.acceleration.data());
}

void SolverParts::refuse_massless(Index coordinate) {
  refuse(Status::singular_mass, "");
  solution.report.singular_joint = detail::joint_of_coordinate(problem.state.data.model(), coordinate).name;
}

void SolverParts::refuse(Status status, const char* argument) {
  SolveReport& r = solution.report;
  clear_lists(solution.report);
  r.status = status;
  r.invalid = argument;
  r.rows = r.rank = problem.rows.m = 0;
  r.residual = r.complementarity = r.tolerance = 0;
  r.method = method->name;
  r.singularity = name_of(settings.singularity);
  r.place = {};
  r.iterations = 1;
  for (Buffer<double>* b : {&answer.acceleration, &answer.articulated, &certificate.residual,
                            &certificate.position_error, &certificate.velocity_error})
    for (double& x : *b) x = 0;
  numbers.clear();
  if (problem.layout.known) bind_rows();
  solution.zwang = 0;
  factor = nullptr;
}

/// Whether the last solve used this method and its factor still serves the settings and the rows as they are now.
bool SolverParts::can_resolve() const {
  const bool same_rank =
      factor == &factors.sweep || RowPolicy(settings).tolerance == last_.tolerance;  // the sweep ranks its rows again
  return solved_by == method && same_rank && factor->serves(problem, RowPolicy(settings));
}

void SolverParts::read_rows_again(const char* function) {
  if (problem.read_again(residual_.data())) {
    last_.reading = problem.rows.reading;
    return;
  }
  refuse(Status::invalid_input, "constraints");
  throw WorkspaceMismatch(std::string(function) +
                          ": other rows are active, or other compliances, than in the last solve");
}

/// r_tau = tau - h,  r_b = beta - J' v, plus the accelerations caused by drivers that rows leave uncompensated.
void SolverParts::state_right_hand_side() {
  const Index nv = problem.state.data.tree().nv;
  for (Index k = 0; k < problem.rows.m; ++k) page::set_lane(problem.rows.l.data(), problem.rows.place[k], residual_[k]);
  problem.state.bias_forces(bias_.data());
  factor->leave_drivers_out(problem, answer);
  sides_.count = 1;
  for (Index y = 0; y < nv; ++y) {
    sides_.tau[y] = Columns(problem.state.total[y] - bias_[y]);
    sides_.given[y] = Columns(problem.state.prescribed.is[y] ? problem.state.prescribed.value[y] : 0.0);
  }
  for (Index k = 0; k < problem.rows.m; ++k) sides_.b[k] = Columns(answer.left_out[k] - residual_[k]);
}

void SolverParts::resolve(const ResolveInput& input) {
  clear_lists(solution.report);
  solution.report.complementarity = 0;
  const unsigned stages = problem.state.data.stages;
  problem.state.take_prescribed(input.prescribed);
  problem.state.take_forces(input.tau.size() > 0 ? input.tau.data() : nullptr, input.external);
  problem.state.data.stages = stages;  // external wrenches in world axes recomputed the positions: same values
  read_rows_again("Solver::resolve");
  last_.stabilisation = problem.rows.stabilisation;
  if (problem.rows.traits.bounded || !can_resolve()) return solve_stated();
  const RowPolicy policy(settings);
  const Interruption::Scope scope(problem.state.interruption, settings.stop);
  if (is_stopped()) return;
  state_right_hand_side();
  if (!factor->apply(problem, policy, answer, sides_)) return solve_stated();
  take_first(sides_, answer);
  for (Index y = 0; problem.state.prescribed.any && y < bias_.size(); ++y)
    if (problem.state.prescribed.is[y]) answer.given_torque[y] += bias_[y];
  problem.state.accelerate(answer.acceleration.data());
  answer.outcome = Outcome::solved;
  last_.refined = false;
  if (!factor->holds(problem, policy, answer)) return solve_stated();  // the new right-hand side is contradictory
  finish(policy);
}

}  // namespace zwang
