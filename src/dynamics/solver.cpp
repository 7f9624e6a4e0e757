// SPDX-License-Identifier: BSD-3-Clause
// Solver: checks, the sweep, and what is published of it.
#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "dynamics/solver_impl.hpp"

namespace zwang {
namespace {

void assign(VectorView& v, const double* data, Index size) { new (&v) VectorView(data, size); }

Index bodies_with_rows(const ConstraintSet& set) {
  std::vector<Index> bodies;
  for (const Constraint& c : set.constraints()) bodies.push_back(c.rows_on_body.body);
  std::sort(bodies.begin(), bodies.end());
  return static_cast<Index>(std::unique(bodies.begin(), bodies.end()) - bodies.begin());
}

const SolverSettings& checked(const SolverSettings& s) {
  if (s.method != "automatic" && s.method != "popov_vereshchagin") detail::throw_unknown("method", s.method, methods());
  if (s.singularity != "truncation") detail::throw_unknown("singularity policy", s.singularity, {"truncation"});
  if (!(s.tolerance >= 0 && s.tolerance < 1))
    throw std::invalid_argument("Solver: tolerance is relative, in [0, 1); got " + std::to_string(s.tolerance));
  if (!(s.feasibility > 0 && s.feasibility < 1))
    throw std::invalid_argument("Solver: feasibility is relative, in (0, 1); got " + std::to_string(s.feasibility));
  return s;
}

}  // namespace

std::vector<std::string> methods() { return {"automatic", "popov_vereshchagin"}; }

SolverImpl::SolverImpl(const Model& model, const ConstraintSet& given, const SolverSettings& s)
    : data(model),
      set(given),
      settings(checked(s)),
      capacity(given.rows()),
      added(given.size()),
      version(given.version()),
      look_ahead(false),
      rows(model.tree<double>(), capacity, bodies_with_rows(given)),
      root(capacity),
      row_of(capacity),
      sweep_row(capacity),
      order(capacity),
      size(capacity),
      lambda_sweep(capacity),
      tau(model.nv()),
      total(model.nv()),
      driver_force(model.bodies() + 1),
      physical_force(model.bodies() + 1),
      dependent(new bool[static_cast<std::size_t>(capacity) + 1]()),
      acceleration(model.nv()),
      lambda(capacity),
      motor_torque(model.nv()),
      reaction(model.nv()),
      articulated(model.nv()),
      residual(capacity),
      relative(capacity),
      wrench(6 * added) {
  Index row = 0;
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = given.constraints()[static_cast<std::size_t>(c)];
    first_row.push_back(row);
    row += x.size();
    by_body.push_back(c);
    bodies.push_back(x.rows_on_body.body);
    look_ahead =
        look_ahead || (x.rows_on_body.axes == RowsOnBody::Axes::body && x.rows_on_body.axes_body > x.rows_on_body.body);
  }
  std::stable_sort(by_body.begin(), by_body.end(), [&](Index a, Index b) {
    const auto& all = given.constraints();
    return all[static_cast<std::size_t>(a)].rows_on_body.body < all[static_cast<std::size_t>(b)].rows_on_body.body;
  });
  active.reserve(static_cast<std::size_t>(added));
  solution.report.redundant.reserve(static_cast<std::size_t>(capacity));
  solution.report.infeasible.reserve(static_cast<std::size_t>(capacity));
  solution.report.warnings.reserve(static_cast<std::size_t>(2 * capacity + model.nv()));
}

bool SolverImpl::gather(bool throws) {
  if (set.version() != version) {
    if (throws)
      throw WorkspaceMismatch(
          "Solver: constraints were added after the solver was made, or the set was replaced: make a new one");
    return false;
  }
  active.clear();
  for (const Index c : by_body) {
    const Constraint& x = constraints()[static_cast<std::size_t>(c)];
    if (!x.active) continue;
    const Index rows_then = (c + 1 < added ? first_row[static_cast<std::size_t>(c) + 1] : capacity) -
                            first_row[static_cast<std::size_t>(c)];
    if (x.size() != rows_then || static_cast<Index>(x.rows_on_body.matrix.size()) != 6 * rows_then ||
        x.rows_on_body.body != bodies[static_cast<std::size_t>(c)]) {
      if (throws)
        throw WorkspaceMismatch("Solver: the rows of constraint '" + x.name + "' were changed: make a new solver");
      return false;
    }
    bool good = static_cast<Index>(x.beta.size()) == x.size();
    for (const double b : x.beta) good = good && is_finite(b);
    if (!good) {
      if (throws)
        throw std::invalid_argument("Solver: beta of constraint '" + x.name + "' needs " + std::to_string(x.size()) +
                                    " finite entries");
      return false;
    }
    active.push_back({&x.rows_on_body, x.beta.data(), x.acceleration});
  }
  for (Index& r : sweep_row) r = -1;
  Index k = 0;
  for (const Index c : by_body) {
    const Constraint& x = constraints()[static_cast<std::size_t>(c)];
    for (Index i = 0; x.active && i < x.size(); ++i) {
      row_of[k] = first_row[static_cast<std::size_t>(c)] + i;
      sweep_row[row_of[k]] = k;
      ++k;
    }
  }
  Index n = 0;
  for (const Index r : sweep_row)
    if (r >= 0) order[n++] = r;
  return true;
}

void SolverImpl::sweep(const SolveInput& input) {
  const Model& model = data.model();
  const Index nv = model.nv();
  for (Index k = 0; k < nv; ++k) total[k] = tau[k] = input.tau.size() > 0 ? input.tau.data()[k] : 0.0;
  data.armature_factor = settings.joint_effects.armature ? 1.0 : 0.0;
  const Externals* e = input.external;
  detail::set_external(model, data, input.q.data(), e != nullptr ? e->data() : nullptr,
                       e != nullptr ? static_cast<Index>(e->size()) : 0);
  detail::add_passive(data, input.q.data(), input.v.data(), settings.joint_effects, 1.0, total.data());
  if (look_ahead) page::kinematics(data, input.q.data());
  RootByRank by_rank{data, root, size.data(), lambda_sweep.data(), settings.tolerance, settings.feasibility};
  const auto* first = active.data();
  const bool regular = run_hybrid(data, rows, first, first + active.size(), by_rank, input.q.data(), input.v.data(),
                                  total.data(), acceleration.data());
  free_motion = by_rank.free_motion;
  SolveReport& r = solution.report;
  r.status = regular ? Status::ok : Status::singular_mass;
  r.rows = rows.m;
  r.rank = rows.m > 0 ? root.rank() : 0;
  r.tolerance = settings.tolerance > 0 ? settings.tolerance : 64 * epsilon_of<double> * rows.m;
  if (regular) return;
  r.singular_joint = detail::joint_of_coordinate(model, data.tree().column[data.articulated.singular_column].v).name;
}

void SolverImpl::publish(const double* feed_forward) {
  const Index nv = data.model().nv();
  for (Index k = 0; k < nv; ++k) {
    motor_torque[k] = feed_forward[k];
    reaction[k] = 0;
  }
  for (Index r = 0; r < capacity; ++r) lambda[r] = residual[r] = relative[r] = 0;
  for (double& w : wrench) w = 0;
  solution.zwang = 0;
  if (rows.m == 0) {
    for (double& x : articulated) x = 0;
    return;
  }
  bool role[2] = {false, false};
  for (const Constraint& x : constraints())
    if (x.active) role[x.role == Role::driver] = true;
  if (role[1])
    for (Force<double>& f : driver_force) f = Force<double>::zero();
  if (role[0])
    for (Force<double>& f : physical_force) f = Force<double>::zero();
  // By Cauchy and Schwarz the accelerations that a row sums up are at most sqrt(Lambda_ii) (|q''_free|_M + |q'' - q''_free|_M): a
  // scale that stays where a row holds by cancellation or by symmetry.
  solution.zwang = root.energy(lambda_sweep.data());
  const double strength = free_motion + std::sqrt(2 * std::fabs(solution.zwang));
  for (Index k = 0; k < rows.m; ++k) lambda[row_of[k]] = lambda_sweep[k];
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = constraints()[static_cast<std::size_t>(c)];
    if (!x.active) continue;
    Buffer<Force<double>>& force = x.role == Role::driver ? driver_force : physical_force;
    for (Index i = 0; i < x.size(); ++i) {
      const Index r = first_row[static_cast<std::size_t>(c)] + i, k = sweep_row[r];
      force[rows.body[k]] += rows.K0[k] * lambda[r];
      const page::RowResidual<double> e = page::row_residual(data, rows, k);
      const double scale = e.scale + std::fabs(x.beta[static_cast<std::size_t>(i)]) + root.row_scale(k) * strength;
      residual[r] = e.value;
      relative[r] = scale == 0 ? 0.0 : std::fabs(e.value) / scale;
      for (Index w = 0; w < 6; ++w)
        wrench[6 * c + w] += x.rows_on_body.matrix[static_cast<std::size_t>(6 * i + w)] * lambda[r];
    }
  }
  if (role[1]) page::add_joint_forces(data, driver_force, motor_torque.data());
  if (role[0]) page::add_joint_forces(data, physical_force, reaction.data());
  page::articulated_torque(data.tree(), rows, articulated.data());
}

void SolverImpl::report() {
  SolveReport& r = solution.report;
  r.residual = 0;
  for (Index k = 0; k < rows.m; ++k) r.residual = std::max(r.residual, relative[row_of[order[k]]]);
  if (rows.m > 0 && r.rank < r.rows) root.find_dependent(order.data(), dependent.get());
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = constraints()[static_cast<std::size_t>(c)];
    for (Index i = 0; x.active && i < x.size(); ++i) {
      const Index row = first_row[static_cast<std::size_t>(c)] + i;
      const std::string& name = x.row_names[static_cast<std::size_t>(i)];
      if (r.rank < r.rows && dependent[static_cast<std::size_t>(sweep_row[row])]) r.redundant.push_back(name);
      if (!(relative[row] <= settings.feasibility)) r.infeasible.push_back(name);
    }
  }
  if (!r.infeasible.empty()) r.status = Status::infeasible;
  warn(tau.data());
}

void SolverImpl::warn(const double* feed_forward) {
  const Model& model = data.model();
  const Index nv = motor_torque.size();
  double largest = 0;
  for (Index k = 0; k < nv; ++k) largest = std::max(largest, std::fabs(motor_torque[k]));
  for (Index k = 0; k < nv; ++k) {
    const double x = motor_torque[k] - feed_forward[k];
    if (std::fabs(x) > 1e-9 * largest && !model.actuated()[static_cast<std::size_t>(k)])
      solution.report.warnings.push_back(
          {SolveWarning::Kind::driver_on_unactuated, model.coordinate_names()[static_cast<std::size_t>(k)], x});
  }
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = constraints()[static_cast<std::size_t>(c)];
    if (!x.active || !x.unilateral) continue;
    const Index last = first_row[static_cast<std::size_t>(c)] + x.size() - 1;
    if (lambda[last] < 0)
      solution.report.warnings.push_back({SolveWarning::Kind::contact_pulls, x.row_names.back(), lambda[last]});
    for (Index i = 0; i < x.size(); ++i) {
      const Index k = sweep_row[first_row[static_cast<std::size_t>(c)] + i];
      const double speed = dot(data.velocity.twist[rows.body[k]], rows.K0[k]);
      if (std::fabs(speed) > 1e-6)
        solution.report.warnings.push_back(
            {SolveWarning::Kind::moving_contact, x.row_names[static_cast<std::size_t>(i)], speed});
    }
  }
}

/// Finite input may still exceed the range of double on the way.
bool SolverImpl::finite() const {
  bool good = is_finite(solution.zwang);
  for (const Buffer<double>* b : {&acceleration, &lambda, &motor_torque, &reaction})
    for (const double x : *b) good = good && is_finite(x);
  return good;
}

void SolverImpl::refuse(Status status, const char* argument) {
  SolveReport& r = solution.report;
  r.status = status;
  r.invalid = argument;
  r.rows = r.rank = rows.m = 0;
  r.residual = 0;
  r.redundant.clear();
  r.infeasible.clear();
  r.warnings.clear();
  r.singular_joint = {};
  for (Buffer<double>* b : {&acceleration, &lambda, &motor_torque, &reaction, &articulated, &residual, &wrench})
    for (double& x : *b) x = 0;
  solution.zwang = 0;
}

Solver::Solver(const Model& model, const ConstraintSet& constraints) : Solver(model, constraints, SolverSettings()) {}
Solver::Solver(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings) {
  if (constraints.model().id() != model.id())
    throw WorkspaceMismatch("Solver: the constraint set was made for another model ('" + constraints.model().name() +
                            "')");
  impl_ = std::make_unique<SolverImpl>(model, constraints, settings);
  impl_->set.state_ = constraints.state_;  // follow the user's set instead of a copy
  impl_->solution.impl_ = impl_.get();
  Solution& s = impl_->solution;
  const auto bind = [](VectorView& v, const Buffer<double>& b) { assign(v, b.data(), b.size()); };
  bind(s.acceleration, impl_->acceleration);
  bind(s.multipliers, impl_->lambda);
  bind(s.motor_torque, impl_->motor_torque);
  bind(s.reaction, impl_->reaction);
  bind(s.articulated_constraint_torque, impl_->articulated);
  bind(s.residual, impl_->residual);
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const Solution& Solver::solve(const SolveInput& input) {
  if (!impl_) throw std::logic_error("Solver::solve: this solver was moved from");
  const Model& model = impl_->data.model();
  check_configuration(model, input.q.data(), input.q.size(), "Solver::solve", "q");
  check_tangent(model, input.v.data(), input.v.size(), "Solver::solve", "v");
  if (input.tau.size() > 0) check_tangent(model, input.tau.data(), input.tau.size(), "Solver::solve", "tau");
  if (input.external != nullptr)
    detail::check_external(model, input.external->data(), static_cast<Index>(input.external->size()));
  impl_->gather(true);
  run(input);
  return impl_->solution;
}

void Solver::run(const SolveInput& input) {
  SolveReport& r = impl_->solution.report;
  r.redundant.clear();
  r.infeasible.clear();
  r.warnings.clear();
  r.singular_joint = r.invalid = {};
  impl_->sweep(input);
  if (r.status == Status::singular_mass) {
    const std::string_view joint = r.singular_joint;
    impl_->refuse(Status::singular_mass, "");
    r.singular_joint = joint;
    return;
  }
  impl_->publish(impl_->tau.data());
  if (!impl_->finite()) {
    impl_->refuse(Status::overflow, "");
    return;
  }
  impl_->report();
}

const Solution& Solver::try_solve(const SolveInput& input) noexcept {
  const Model& model = impl_->data.model();
  const auto finite = [](const ConstVector& x) {
    for (Index k = 0; k < x.size(); ++k)
      if (!is_finite(x.data()[k])) return false;
    return true;
  };
  const struct {
    const ConstVector& x;
    Index size;
    const char* name;
  } inputs[] = {{input.q, model.nq(), "q"},
                {input.v, model.nv(), "v"},
                {input.tau, input.tau.size() > 0 ? model.nv() : 0, "tau"}};
  for (const auto& i : inputs)
    if (i.x.size() != i.size) return impl_->refuse(Status::invalid_input, i.name), impl_->solution;
  for (const auto& i : inputs)
    if (!finite(i.x)) return impl_->refuse(Status::non_finite_input, i.name), impl_->solution;
  if (!detail::normalized_within(impl_->data.tree(), input.q.data(), k_unit_tolerance))
    return impl_->refuse(Status::invalid_input, "q"), impl_->solution;
  for (Index e = 0; input.external != nullptr && e < static_cast<Index>(input.external->size()); ++e) {
    const ExternalWrench& x = (*input.external)[static_cast<std::size_t>(e)];
    if (x.frame.value < 0 || x.frame.value >= static_cast<Index>(model.frames().size()))
      return impl_->refuse(Status::invalid_input, "external"), impl_->solution;
    for (const double f : x.wrench)
      if (!is_finite(f)) return impl_->refuse(Status::non_finite_input, "external"), impl_->solution;
  }
  if (!impl_->gather(false)) return impl_->refuse(Status::invalid_input, "constraints"), impl_->solution;
  run(input);
  return impl_->solution;
}

const Solution& Solver::solution() const { return impl_->solution; }
const Model& Solver::model() const { return impl_->data.model(); }
Data& Solver::data() { return impl_->data; }
const Data& Solver::data() const { return impl_->data; }
Index Solver::active_rows() const { return impl_->rows.m; }

void Solver::operational_inertia(MatrixOut out) const {
  const Index m = impl_->rows.m;
  detail::check_matrix(out, m, m, "operational_inertia");
  if (m > 0) impl_->root.pseudo_inverse(out.data(), static_cast<Index>(out.outerStride()), impl_->order.data());
}

ConstraintSolution Solution::operator[](const std::string& name) const {
  const auto& all = impl_->constraints();
  for (Index c = 0; c < impl_->added; ++c) {
    const Constraint& x = all[static_cast<std::size_t>(c)];
    if (x.name != name) continue;
    const Index row = impl_->first_row[static_cast<std::size_t>(c)];
    return {VectorView(impl_->lambda.data() + row, x.size()),
            Eigen::Map<const Eigen::Matrix<double, 6, 1, Eigen::DontAlign>>(impl_->wrench.data() + 6 * c),
            VectorView(impl_->residual.data() + row, x.size())};
  }
  std::vector<std::string> known;
  for (const Constraint& x : all) known.push_back(x.name);
  detail::throw_unknown("constraint", name, known);
}

}  // namespace zwang
