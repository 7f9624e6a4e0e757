// SPDX-License-Identifier: BSD-3-Clause
// Solver: the public calls, their checks, and the words of the settings.
#include "zwang/dynamics/solver.hpp"

#include <algorithm>

#include "algorithm/support.hpp"
#include "dynamics/solver_impl.hpp"

namespace zwang {
namespace {

constexpr const char* k_singularity[] = {"truncation", "proximal", "damping", "weighted"};

/// Coordinates that the model has, each once, finite accelerations. Null where all is well.
const char* wrong_prescribed(SolverImpl& s, const Prescribed* list) {
  if (list == nullptr) return nullptr;
  const Model& model = s.data.model();
  Buffer<unsigned char>& seen = s.seen;
  if (!list->empty())
    for (unsigned char& x : seen) x = 0;
  for (std::size_t k = 0; k < list->size(); ++k) {
    const PrescribedCoordinate& p = (*list)[k];
    if (p.v < 0 || p.v >= model.nv()) return "a coordinate that the model does not have";
    if (!is_finite(p.acceleration)) return "an acceleration that is not finite";
    if (seen[p.v]) return "a coordinate twice";
    seen[p.v] = 1;
  }
  return nullptr;
}

void check_forces(SolverImpl& s, const char* function, const ConstVector& tau, const Externals* external,
                  const Prescribed* prescribed) {
  const Model& model = s.data.model();
  if (tau.size() > 0) check_tangent(model, tau.data(), tau.size(), function, "tau");
  if (external != nullptr) detail::check_external(model, external->data(), static_cast<Index>(external->size()));
  if (const char* wrong = wrong_prescribed(s, prescribed))
    throw std::invalid_argument(std::string(function) + ": prescribed holds " + wrong);
}

void finish(SolverImpl& s) {
  SolveReport& r = s.solution.report;
  if (r.status == Status::singular_mass) {
    const std::string_view joint = r.singular_joint;
    s.refuse(Status::singular_mass, "");
    r.method = s.by_matrices() ? s.method->published : "popov_vereshchagin";
    r.singular_joint = joint;
    return;
  }
  if (r.status != Status::overflow) s.publish();
  if (r.status == Status::overflow || !s.finite()) return s.refuse(Status::overflow, "");
  s.report();
}

void check_factor(const SolverImpl& s, const char* function) {
  if (!s.has_factor())
    throw std::logic_error(std::string(function) +
                           ": there is no factorisation: the last call failed or was refused, or data() was written to "
                           "since; call solve() "
                           "first");
}

/// The set as it is now, for the last factorisation. What is wrong with it voids that.
void gather_again(SolverImpl& s) {
  try {
    s.gather();
  } catch (...) {
    s.refuse(Status::invalid_input, "constraints");
    throw;
  }
}

}  // namespace

Singularity singularity_of(const std::string& word) {
  for (int k = 0; k < 4; ++k)
    if (word == k_singularity[k]) return static_cast<Singularity>(k);
  detail::throw_unknown("singularity policy", word, {"truncation", "proximal", "damping", "weighted"});
}
const char* name_of(Singularity s) { return k_singularity[static_cast<int>(s)]; }

void prescribe(const Model& model, Prescribed& list, const std::string& name, const std::vector<double>& acceleration) {
  Range range{-1, 0};
  const JointId joint = model.find_joint(name);
  if (joint.value >= 0) {
    const Joint& j = model.joints()[static_cast<std::size_t>(joint.value)];
    if (!j.mimic.leader.empty())
      throw std::invalid_argument("prescribe: joint '" + name + "' mimics '" + j.mimic.leader +
                                  "'; prescribe that one");
    range = j.v;
    if (range.size == 0) throw std::invalid_argument("prescribe: joint '" + name + "' does not move");
  } else {
    const std::vector<std::string>& names = model.coordinate_names();
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name) range = {static_cast<Index>(k), 1};
    if (range.first < 0) {
      std::vector<std::string> known = model.joint_names();
      known.insert(known.end(), names.begin(), names.end());
      detail::throw_unknown("joint or coordinate", name, known);
    }
  }
  if (static_cast<Index>(acceleration.size()) != range.size)
    detail::throw_size("prescribe", name.c_str(), static_cast<long>(acceleration.size()), range.size);
  for (Index k = 0; k < range.size; ++k) {
    const double a = acceleration[static_cast<std::size_t>(k)];
    if (!is_finite(a)) detail::throw_not_finite("prescribe", name.c_str(), k, a);
    for (const PrescribedCoordinate& p : list)
      if (p.v == range.first + k) throw std::invalid_argument("prescribe: '" + name + "' is prescribed already");
    list.push_back({range.first + k, a});
  }
}

Solver::Solver(const Model& model, const ConstraintSet& constraints) : Solver(model, constraints, SolverSettings()) {}
Solver::Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings) {
  if (constraints.model().id() != model.id())
    throw WorkspaceMismatch("Solver: the constraint set was made for another model ('" + constraints.model().name() +
                            "')");
  if (settings.spare_rows < 0) throw std::invalid_argument("Solver: spare_rows is negative");
  impl_ = std::make_unique<SolverImpl>(model, constraints, settings);
  impl_->set.state_ = constraints.state_;  // follow the user's set instead of a copy
  Solution& s = impl_->solution;
  s.impl_ = impl_.get();
  const auto bind = [](VectorView& v, const Buffer<double>& b) { new (&v) VectorView(b.data(), b.size()); };
  bind(s.acceleration, impl_->acceleration);
  bind(s.motor_torque, impl_->motor_torque);
  bind(s.reaction, impl_->reaction);
  bind(s.articulated_constraint_torque, impl_->articulated);
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const Solution& Solver::solve(const SolveInput& input) {
  if (!impl_) throw std::logic_error("Solver::solve: this solver was moved from");
  const Model& model = impl_->data.model();
  try {
    check_configuration(model, input.q.data(), input.q.size(), "Solver::solve", "q");
    if (input.v.size() > 0) check_tangent(model, input.v.data(), input.v.size(), "Solver::solve", "v");
    check_forces(*impl_, "Solver::solve", input.tau, input.external, input.prescribed);
    impl_->gather();
  } catch (...) {
    impl_->refuse(Status::invalid_input, "solve");
    throw;
  }
  try {
    run(input);
  } catch (...) {  // rows that the user has written
    impl_->refuse(Status::invalid_input, "constraints");
    throw;
  }
  return impl_->solution;
}

void Solver::run(const SolveInput& input) {
  SolverImpl& s = *impl_;
  s.clear_report();
  std::copy_n(input.q.data(), s.q.size(), s.q.data());
  if (input.v.size() > 0)
    std::copy_n(input.v.data(), s.v.size(), s.v.data());
  else
    std::fill_n(s.v.data(), s.v.size(), 0.0);
  s.effects = s.settings.joint_effects;
  s.take_prescribed(input.prescribed, false);
  s.take_forces(input.tau.size() > 0 ? input.tau.data() : nullptr, input.external);
  s.sweep();
  finish(s);
}

const Solution& Solver::resolve(const ResolveInput& input) {
  if (!impl_) throw std::logic_error("Solver::resolve: this solver was moved from");
  SolverImpl& s = *impl_;
  check_factor(s, "Solver::resolve");
  check_forces(s, "Solver::resolve", input.tau, input.external, input.prescribed);
  gather_again(s);
  s.take_prescribed(input.prescribed, true);  // refuses other coordinates; the last solution is untouched then
  s.clear_report();
  const unsigned stages = s.data.stages;
  s.take_forces(input.tau.size() > 0 ? input.tau.data() : nullptr, input.external);
  s.data.stages = stages;  // wrenches in world axes asked for the position anew: the same
  try {
    s.resolve();
    finish(s);
  } catch (...) {  // rows that the user has written
    s.refuse(Status::invalid_input, "constraints");
    throw;
  }
  return s.solution;
}

void Solver::solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers) {
  SolverImpl& s = *impl_;
  check_factor(s, "Solver::solve_columns");
  impl_->refuse_by_matrices("Solver::solve_columns");
  gather_again(s);
  const long nv = s.data.model().nv(), rows = s.set.rows(), k = static_cast<long>(tau.cols());
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
  for (long c = 0; c < k; ++c) {
    for (long i = 0; i < nv; ++i)
      if (!is_finite(tau(i, c))) detail::throw_not_finite("Solver::solve_columns", "tau", i, tau(i, c));
    for (Index i = 0; i < s.row_count(); ++i)
      if (s.sweep_row[i] >= 0 && !is_finite(beta(i, c)))
        detail::throw_not_finite("Solver::solve_columns", "beta", i, beta(i, c));
  }
  s.solve_columns(tau, beta, acceleration, multipliers);
}

const Solution& Solver::try_solve(const SolveInput& input) noexcept {
  SolverImpl& s = *impl_;
  const Model& model = s.data.model();
  const auto finite = [](const ConstVector& x) {
    for (Index k = 0; k < x.size(); ++k)
      if (!is_finite(x.data()[k])) return false;
    return true;
  };
  const auto refuse = [&](Status status, const char* argument) -> const Solution& {
    s.refuse(status, argument);
    return s.solution;
  };
  const struct {
    const ConstVector& x;
    Index size;
    const char* name;
  } inputs[] = {{input.q, model.nq(), "q"},
                {input.v, input.v.size() > 0 ? model.nv() : 0, "v"},
                {input.tau, input.tau.size() > 0 ? model.nv() : 0, "tau"}};
  for (const auto& i : inputs)
    if (i.x.size() != i.size) return refuse(Status::invalid_input, i.name);
  for (const auto& i : inputs)
    if (!finite(i.x)) return refuse(Status::non_finite_input, i.name);
  if (!detail::normalized_within(s.data.tree(), input.q.data(), k_unit_tolerance))
    return refuse(Status::invalid_input, "q");
  for (Index e = 0; input.external != nullptr && e < static_cast<Index>(input.external->size()); ++e) {
    const ExternalWrench& x = (*input.external)[static_cast<std::size_t>(e)];
    if (x.frame.value < 0 || x.frame.value >= static_cast<Index>(model.frames().size()))
      return refuse(Status::invalid_input, "external");
    for (const double f : x.wrench)
      if (!is_finite(f)) return refuse(Status::non_finite_input, "external");
  }
  if (wrong_prescribed(s, input.prescribed) != nullptr) return refuse(Status::invalid_input, "prescribed");
  try {
    s.gather();
    run(input);
  } catch (...) {  // rows of the user may throw anything
    return refuse(Status::invalid_input, "constraints");
  }
  return s.solution;
}

const Solution& Solver::solution() const { return impl_->solution; }
const Model& Solver::model() const { return impl_->data.model(); }
Data& Solver::data() { return impl_->data; }
const Data& Solver::data() const { return impl_->data; }
SolverSettings& Solver::settings() { return impl_->settings; }
const SolverSettings& Solver::settings() const { return impl_->settings; }
Index Solver::active_rows() const { return impl_->rows.m; }

Force<double> Solver::joint_wrench(LinkId child) const {
  const SolverImpl& s = *impl_;
  const Model& model = s.data.model();
  check_factor(s, "Solver::joint_wrench");
  if (child.value < 0 || child.value >= static_cast<Index>(model.links().size()))
    throw std::invalid_argument("Solver::joint_wrench: no link has the id " + std::to_string(child.value));
  const Link& link = model.links()[static_cast<std::size_t>(child.value)];
  if (link.joint.value < 0)
    throw std::invalid_argument("Solver::joint_wrench: link '" + link.name + "' is the root and hangs on no joint");
  if (model.joints()[static_cast<std::size_t>(link.joint.value)].lumped)
    throw UnsupportedError("Solver::joint_wrench: the fixed joint of link '" + link.name +
                           "' was merged into a body; build the model with lump = false to read its wrench");
  return s.joint_wrench(child);
}

void Solver::joint_wrenches(MatrixOut out) const {
  check_factor(*impl_, "Solver::joint_wrenches");
  detail::check_matrix(out, 6, static_cast<Index>(impl_->data.model().joints().size()), "Solver::joint_wrenches");
  impl_->joint_wrenches(out);
}

void Solver::constraint_jacobian(MatrixOut out) const {
  check_factor(*impl_, "Solver::constraint_jacobian");
  detail::check_matrix(out, impl_->rows.m, impl_->data.model().nv(), "constraint_jacobian");
  impl_->constraint_jacobian(out);
}
void Solver::constraint_target(VectorOut out) const {
  check_factor(*impl_, "Solver::constraint_target");
  if (out.size() != impl_->rows.m)
    detail::throw_size("Solver::constraint_target", "out", static_cast<long>(out.size()), impl_->rows.m);
  impl_->constraint_target(out);
}
void Solver::operational_inertia(MatrixOut out) {
  check_factor(*impl_, "Solver::operational_inertia");
  impl_->refuse_by_matrices("Solver::operational_inertia");
  detail::check_matrix(out, impl_->rows.m, impl_->rows.m, "operational_inertia");
  impl_->operator_columns(out, SolverImpl::Operator::inertia);
}
void Solver::dynamic_pseudo_inverse(MatrixOut out) {
  check_factor(*impl_, "Solver::dynamic_pseudo_inverse");
  impl_->refuse_by_matrices("Solver::dynamic_pseudo_inverse");
  detail::check_matrix(out, impl_->data.model().nv(), impl_->rows.m, "dynamic_pseudo_inverse");
  impl_->operator_columns(out, SolverImpl::Operator::pseudo_inverse);
}
void Solver::nullspace_projector(MatrixOut out) {
  check_factor(*impl_, "Solver::nullspace_projector");
  impl_->refuse_by_matrices("Solver::nullspace_projector");
  detail::check_matrix(out, impl_->data.model().nv(), impl_->data.model().nv(), "nullspace_projector");
  impl_->operator_columns(out, SolverImpl::Operator::projector);
}

ConstraintSolution Solution::operator[](const std::string& name) const {
  const auto& all = impl_->constraints();
  for (Index c = 0; c < impl_->added && c < static_cast<Index>(all.size()); ++c) {
    const Constraint& x = all[static_cast<std::size_t>(c)];
    if (x.name != name) continue;
    const Index row = impl_->first_row[static_cast<std::size_t>(c)];
    if (impl_->first_row[static_cast<std::size_t>(c) + 1] - row != x.size())
      throw std::logic_error("Solution: the set was replaced by another one since the last solve");
    return {VectorView(impl_->lambda.data() + row, x.size()),
            Eigen::Map<const Eigen::Matrix<double, 6, 1, Eigen::DontAlign>>(impl_->wrench.data() + 6 * c),
            VectorView(impl_->residual.data() + row, x.size()),
            VectorView(impl_->position_error.data() + row, x.size()),
            VectorView(impl_->velocity_error.data() + row, x.size()),
            impl_->power(c)};
  }
  std::vector<std::string> known;
  for (const Constraint& x : all) known.push_back(x.name);
  detail::throw_unknown("constraint", name, known);
}

}  // namespace zwang
