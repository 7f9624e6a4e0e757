// SPDX-License-Identifier: BSD-3-Clause
// Solver: the public calls and their checks.
#include "zwang/solve/solver.hpp"

#include "algorithm/friction_at_rest.hpp"
#include "algorithm/support.hpp"
#include "linear/vectors.hpp"
#include "rows/check_constraint.hpp"
#include "solve/joint_wrenches.hpp"
#include "solve/solver_calls.hpp"

namespace zwang {
namespace {

/// Checks that the coordinates exist, that none is given twice and that accelerations are finite. Null if all is well.
const char* wrong_prescribed(SolverParts& s, const Prescribed* list) {
  if (list == nullptr || list->empty()) return nullptr;
  const Index nv = s.problem.state.data.model().nv();
  Buffer<unsigned char>& seen = s.problem.state.prescribed.seen;
  for (unsigned char& x : seen) x = 0;
  for (const PrescribedCoordinate& p : *list) {
    if (p.v < 0 || p.v >= nv) return "a coordinate that the model does not have";
    if (!is_finite(p.acceleration)) return "an acceleration that is not finite";
    if (seen[p.v]) return "a coordinate twice";
    seen[p.v] = 1;
  }
  return nullptr;
}

[[noreturn]] void throw_unusable(const char* function, const char* why) {
  throw std::logic_error(std::string(function) + ": this solver " + why);
}
SolverParts& existing(const Owned<SolverParts>& parts, const char* function) {
  if (parts == nullptr) throw_unusable(function, "was moved from");
  return *parts;
}

/// The answer of a solver that cannot be asked.
const Solution& refused_solution() {
  static const Solution refused = [] {
    Solution s;
    s.report.status = Status::invalid_input;
    s.report.invalid = "solver";
    return s;
  }();
  return refused;
}

}  // namespace

void check_factor(const SolverParts& s, const char* function) {
  if (!s.has_factor())
    throw std::logic_error(std::string(function) +
                           ": there is no factorisation: the last call failed or was refused, or data() was written to "
                           "since; call solve() first");
}

SolverParts& ready(const Owned<SolverParts>& parts, const char* function) {
  SolverParts& s = existing(parts, function);
  if (s.busy) throw_unusable(function, "was called by rows that it evaluates");
  return s;
}

void check_forces(SolverParts& s, const char* function, const ConstVector& tau, const Externals* external,
                  const Prescribed* prescribed) {
  const Model& model = s.problem.state.data.model();
  if (tau.size() > 0) check_tangent(model, tau.data(), tau.size(), function, "tau");
  if (external != nullptr) detail::check_external(model, external->data(), static_cast<Index>(external->size()));
  if (const char* wrong = wrong_prescribed(s, prescribed))
    throw std::invalid_argument(std::string(function) + ": prescribed holds " + wrong);
}

Refusal wrong_state(SolverParts& s, const ConstVector& q, std::initializer_list<NamedVector> others,
                    const Externals* external, const Prescribed* prescribed) {
  const Model& model = s.problem.state.data.model();
  const auto all_are = [&](auto&& good) -> const char* {
    if (!good(q, model.nq())) return "q";
    for (const NamedVector& x : others)
      if (!good(*x.vector, x.vector->size() > 0 ? model.nv() : 0)) return x.name;
    return nullptr;
  };
  const auto has_size = [](const ConstVector& x, Index size) {
    return x.size() == size && (x.data() != nullptr || size == 0);
  };
  const auto finite = [](const ConstVector& x, Index size) { return all_finite(size, x.data()); };
  if (const char* name = all_are(has_size)) return {Status::invalid_input, name};
  if (const char* name = all_are(finite)) return {Status::non_finite_input, name};
  if (!detail::normalized_within(s.problem.state.data.tree(), q.data(), k_unit_tolerance))
    return {Status::invalid_input, "q"};
  for (Index e = 0; external != nullptr && e < static_cast<Index>(external->size()); ++e) {
    const ExternalWrench& x = (*external)[static_cast<std::size_t>(e)];
    if (x.frame.value < 0 || x.frame.value >= static_cast<Index>(model.frames().size()))
      return {Status::invalid_input, "external"};
    for (const double f : x.wrench)
      if (!is_finite(f)) return {Status::non_finite_input, "external"};
  }
  if (wrong_prescribed(s, prescribed) != nullptr) return {Status::invalid_input, "prescribed"};
  return {};
}

void read_again(SolverParts& s) {
  try {
    s.read();
  } catch (...) {
    s.refuse(Status::invalid_input, "constraints");
    throw;
  }
}

void check_vector(const char* function, const char* name, const ConstVector& x, Index size) {
  if (x.size() == 0) return;
  if (x.size() != size) detail::throw_size(function, name, static_cast<long>(x.size()), size);
  for (Index k = 0; k < size; ++k)
    if (!is_finite(x.data()[k])) detail::throw_not_finite(function, name, k, x.data()[k]);
}

/// A coordinate with Coulomb friction that is at rest and not prescribed, or -1. Such friction is a row with a limit,
/// and a solve takes rows from the set alone.
static Index rubs_at_rest(const SolverParts& s, const SolveInput& input) {
  const Model& model = s.problem.state.data.model();
  if (!s.settings.joint_effects.friction) return -1;
  const std::vector<double>& c = model.friction();
  for (Index k = 0; k < model.nv(); ++k) {
    if (!(c[static_cast<std::size_t>(k)] > 0) || (input.v.size() > 0 && input.v.data()[k] != 0)) continue;
    bool given = false;
    if (input.prescribed != nullptr)
      for (const PrescribedCoordinate& p : *input.prescribed) given = given || p.v == k;
    if (!given) return k;
  }
  return -1;
}

Solver::Solver(const Model& model, const ConstraintSet& constraints) : Solver(model, constraints, SolverSettings()) {}
Solver::Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings) {
  check_model("Solver", model, constraints);
  if (settings.spare_rows < 0) throw std::invalid_argument("Solver: spare_rows is negative");
  parts_ = make_owned<SolverParts>(model, constraints, settings);
  bool bounded = !settings.motor_limits.empty();
  for (const Constraint& x : constraints.constraints()) bounded = bounded || x.is_bounded();
  if (bounded) parts_->make_bounded();
  Solution& s = parts_->solution;
  s.parts_ = parts_.get();
  const auto bind = [](VectorView& v, const Buffer<double>& b) { new (&v) VectorView(b.data(), b.size()); };
  bind(s.acceleration, parts_->answer.acceleration);
  bind(s.motor_torque, parts_->numbers.motor_torque);
  bind(s.reaction, parts_->numbers.reaction);
  bind(s.articulated_constraint_torque, parts_->answer.articulated);
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const Solution& Solver::solve(const SolveInput& input) {
  SolverParts& s = ready(parts_, "Solver::solve");
  const Model& model = s.problem.state.data.model();
  try {
    check_configuration(model, input.q.data(), input.q.size(), "Solver::solve", "q");
    if (input.v.size() > 0) check_tangent(model, input.v.data(), input.v.size(), "Solver::solve", "v");
    check_forces(s, "Solver::solve", input.tau, input.external, input.prescribed);
    s.read();
    if (const Index k = rubs_at_rest(s, input); k >= 0)
      throw std::invalid_argument("Solver::solve: " + detail::friction_text(model, k) +
                                  ": add it to the set as a joint constraint with this limit, and leave friction off "
                                  "(simulate() does so by itself)");
  } catch (...) {
    s.refuse(Status::invalid_input, "solve");
    throw;
  }
  try {
    const Busy busy(s);
    s.solve(input);
  } catch (...) {  // rows that the user has written
    s.refuse(Status::invalid_input, "constraints");
    throw;
  }
  return s.solution;
}

const Solution& Solver::resolve(const ResolveInput& input) {
  SolverParts& s = ready(parts_, "Solver::resolve");
  check_factor(s, "Solver::resolve");
  check_forces(s, "Solver::resolve", input.tau, input.external, input.prescribed);
  if (!s.problem.state.prescribes_the_same(input.prescribed))  // the last solution is untouched
    throw WorkspaceMismatch("Solver::resolve: other coordinates are prescribed than in the last solve");
  read_again(s);
  try {
    const Busy busy(s);
    s.resolve(input);
  } catch (...) {  // rows that the user has written
    s.refuse(Status::invalid_input, "constraints");
    throw;
  }
  return s.solution;
}

void Solver::solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers) {
  SolverParts& s = ready(parts_, "Solver::solve_columns");
  check_factor(s, "Solver::solve_columns");
  const long nv = s.problem.state.data.model().nv(), rows = s.problem.layout.set.rows(),
             k = static_cast<long>(tau.cols());
  const struct {
    const char* name;
    long got, expected;
  } sizes[] = {{"tau.rows()", static_cast<long>(tau.rows()), nv},
               {"beta.rows()", static_cast<long>(beta.rows()), rows},
               {"beta.cols()", static_cast<long>(beta.cols()), k},
               {"acceleration.rows()", static_cast<long>(acceleration.rows()), nv},
               {"acceleration.cols()", static_cast<long>(acceleration.cols()), k},
               {"multipliers.rows()", static_cast<long>(multipliers.rows()), rows},
               {"multipliers.cols()", static_cast<long>(multipliers.cols()), k}};
  for (const auto& x : sizes)
    if (x.got != x.expected) detail::throw_size("Solver::solve_columns", x.name, x.got, x.expected);
  for (long c = 0; c < k; ++c)
    for (long i = 0; i < nv; ++i)
      if (!is_finite(tau(i, c))) detail::throw_not_finite("Solver::solve_columns", "tau", i, tau(i, c));
  read_again(s);
  const Busy busy(s);
  s.solve_columns(tau, beta, acceleration, multipliers);
}

const Solution& Solver::try_solve(const SolveInput& input) noexcept {
  if (parts_ == nullptr || parts_->busy) return refused_solution();
  SolverParts& s = *parts_;
  const auto refuse = [&](Status status, const char* argument) -> const Solution& {
    s.refuse(status, argument);
    return s.solution;
  };
  const Refusal wrong =
      wrong_state(s, input.q, {{&input.v, "v"}, {&input.tau, "tau"}}, input.external, input.prescribed);
  if (wrong.status != Status::ok) return refuse(wrong.status, wrong.argument);
  if (rubs_at_rest(s, input) >= 0) return refuse(Status::invalid_input, "v");
  try {
    s.read();
    const Busy busy(s);
    s.solve(input);
  } catch (...) {  // rows of the user may throw anything
    return refuse(Status::invalid_input, "constraints");
  }
  return s.solution;
}

void Solver::forget_states() {
  SolverParts& s = existing(parts_, "Solver::forget_states");
  s.factors.forget();
  s.questions.forget();
  s.forget_bounds();
}

const Solution& Solver::solution() const { return existing(parts_, "Solver::solution").solution; }
const Model& Solver::model() const { return existing(parts_, "Solver::model").problem.state.data.model(); }
Data& Solver::data() { return existing(parts_, "Solver::data").problem.state.data; }
const Data& Solver::data() const { return existing(parts_, "Solver::data").problem.state.data; }
SolverSettings& Solver::settings() { return existing(parts_, "Solver::settings").settings; }
const SolverSettings& Solver::settings() const { return existing(parts_, "Solver::settings").settings; }
Index Solver::active_rows() const { return existing(parts_, "Solver::active_rows").problem.rows.m; }

Force<double> Solver::joint_wrench(LinkId child) const {
  SolverParts& s = ready(parts_, "Solver::joint_wrench");
  const Model& model = s.problem.state.data.model();
  check_factor(s, "Solver::joint_wrench");
  if (child.value < 0 || child.value >= static_cast<Index>(model.links().size()))
    throw std::invalid_argument("Solver::joint_wrench: no link has the id " + std::to_string(child.value));
  const Link& link = model.links()[static_cast<std::size_t>(child.value)];
  if (link.joint.value < 0)
    throw std::invalid_argument("Solver::joint_wrench: link '" + link.name + "' is the root and hangs on no joint");
  if (model.joints()[static_cast<std::size_t>(link.joint.value)].lumped)
    throw UnsupportedError("Solver::joint_wrench: the fixed joint of link '" + link.name +
                           "' was merged into a body; build the model with lump = false to read its wrench");
  return zwang::joint_wrench(s.problem, s.answer, child);
}

void Solver::joint_wrenches(MatrixOut out) const {
  SolverParts& s = ready(parts_, "Solver::joint_wrenches");
  check_factor(s, "Solver::joint_wrenches");
  detail::check_matrix(out, 6, static_cast<Index>(model().joints().size()), "Solver::joint_wrenches");
  zwang::joint_wrenches(s.problem, s.answer, out);
}

void Solver::constraint_jacobian(MatrixOut out) const {
  SolverParts& s = ready(parts_, "Solver::constraint_jacobian");
  check_factor(s, "Solver::constraint_jacobian");
  const Problem& p = s.problem;
  const Tree<double>& tree = p.state.data.tree();
  detail::check_matrix(out, p.rows.m, tree.nv, "constraint_jacobian");
  Index i = 0;
  for (Index r = 0; r < p.layout.rows(); ++r) {
    const Index k = p.rows.sweep_row[r];
    if (k < 0) continue;
    for (Index y = 0; y < tree.nv; ++y) out(i, y) = 0;
    for (Index c = 0; c < tree.spanning_nv; ++c) out(i, tree.column[c].v) += p.jacobian(k, c);
    ++i;
  }
}
void Solver::constraint_target(VectorOut out) const {
  SolverParts& s = ready(parts_, "Solver::constraint_target");
  check_factor(s, "Solver::constraint_target");
  const Problem& p = s.problem;
  if (out.size() != p.rows.m)
    detail::throw_size("Solver::constraint_target", "out", static_cast<long>(out.size()), p.rows.m);
  Index i = 0;
  for (Index r = 0; r < p.layout.rows(); ++r)
    if (const Index k = p.rows.sweep_row[r]; k >= 0)
      out(i++) = s.answer.left_out[k] - page::attached_residual(p.rows, k);
}
void Solver::free_acceleration(VectorOut out) const {
  SolverParts& s = ready(parts_, "Solver::free_acceleration");
  check_factor(s, "Solver::free_acceleration");
  const Problem& p = s.problem;
  if (out.size() != p.state.data.tree().nv)
    detail::throw_size("Solver::free_acceleration", "out", static_cast<long>(out.size()), p.state.data.tree().nv);
  Data apart(p.state.data);  // the factor of the solve stays as it is
  if (s.is_limited()) s.bounded->chooser.choice().unload(apart);
  apart.articulated.is_careful = false;
  apart.armature_factor = p.state.effects.armature ? 1.0 : 0.0;
  apart.articulated.has_given = p.state.prescribed.any;
  page::NoRiders<double> none;
  if (!page::articulated_sweep(apart, p.state.q.data(), p.state.v.data(), p.state.total.data(), out.data(), none))
    detail::throw_singular(apart);
  for (Index k = 0; p.state.prescribed.any && k < p.state.data.tree().nv; ++k)
    if (p.state.prescribed.is[k]) out(k) = p.state.prescribed.value[k];
  detail::check_result(out.data(), static_cast<Index>(out.size()), "Solver::free_acceleration");
}
void Solver::operational_inertia(MatrixOut out) {
  SolverParts& s = ready(parts_, "Solver::operational_inertia");
  check_factor(s, "Solver::operational_inertia");
  s.check_settings();
  detail::check_matrix(out, active_rows(), active_rows(), "operational_inertia");
  const Busy busy(s);
  s.operator_columns(out, SolverParts::Operator::inertia);
}
void Solver::dynamic_pseudo_inverse(MatrixOut out) {
  SolverParts& s = ready(parts_, "Solver::dynamic_pseudo_inverse");
  check_factor(s, "Solver::dynamic_pseudo_inverse");
  s.check_settings();
  detail::check_matrix(out, model().nv(), active_rows(), "dynamic_pseudo_inverse");
  const Busy busy(s);
  s.operator_columns(out, SolverParts::Operator::pseudo_inverse);
}
void Solver::nullspace_projector(MatrixOut out) {
  SolverParts& s = ready(parts_, "Solver::nullspace_projector");
  check_factor(s, "Solver::nullspace_projector");
  s.check_settings();
  detail::check_matrix(out, model().nv(), model().nv(), "nullspace_projector");
  const Busy busy(s);
  s.operator_columns(out, SolverParts::Operator::projector);
}

}  // namespace zwang
