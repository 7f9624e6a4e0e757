// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/linearised.hpp"

#include <algorithm>
#include <climits>
#include <limits>
#include <stdexcept>
#include <string>

#include "algorithm/instances.hpp"
#include "algorithm/page/excess_gravity.hpp"
#include "core/kernel_table.hpp"
#include "linear/vectors.hpp"
#include "question/derivatives/products.hpp"
#include "zwang/algorithm/page/regressor.hpp"
#include "zwang/model/builder.hpp"

namespace zwang {

Linearised::Linearised(SolverParts& parts)
    : parts_(parts),
      problem_(parts.problem),
      rows_(problem_),
      sides_(problem_),
      rest_(problem_),
      external_(problem_.state.data.tree().n + 1),
      kept_(problem_.state.data.tree().n + 1),
      asked_{Buffer<Columns>(problem_.state.data.tree().nv), Buffer<Columns>(problem_.layout.capacity)},
      acceleration_(problem_.state.data.tree().nv),
      lambda_(problem_.layout.capacity),
      dependent_motion_(acceleration_.size()),
      y_(acceleration_.size()),
      z_(problem_.layout.capacity) {
  scratch_.elimination.emplace(problem_.state.data.model());
  scratch_.rows.emplace(problem_.state.data.model());
  of_model_.mimics = Buffer<unsigned char>(problem_.state.data.tree().spanning_nv);
  for (Buffer<double>* x :
       {&scratch_.torque, &scratch_.by_q, &scratch_.by_v, &scratch_.x, &scratch_.answer, &scratch_.rest})
    *x = Buffer<double>(acceleration_.size());
  for (Buffer<double>* x : {&scratch_.row, &scratch_.null, &scratch_.lambda, &scratch_.known})
    *x = Buffer<double>(problem_.layout.capacity);
  of_model_.placements = joint_places(problem_.state.data.model());
  const Tree<double>& tree = problem_.state.data.tree();
  for (const Joint& j : problem_.state.data.model().joints()) {
    if (j.mimic.leader.empty()) continue;
    const Body<double>& body = tree.body[j.body.value];
    for (Index k = body.v; k < body.v + body.nv; ++k) of_model_.mimics[k] = 1;
  }
}

/// For the rows that the set has now. Throws std::invalid_argument where the matrices have more numbers than Index
/// counts.
void Linearised::make_room() {
  const Index nv = problem_.state.data.tree().nv, rows = problem_.layout.rows();
  const long long columns = nv, height = rows, side = columns + height + 8;  // 8: what registers round up to
  if (std::max((2 * columns + height) * (3 * columns + height) + 6 * height * columns + 16 * 18, side * side) > INT_MAX)
    throw std::invalid_argument("Solver::derivatives: matrices for " + std::to_string(nv) + " coordinates and " +
                                std::to_string(rows) + " rows are too large; use vjp() and jvp()");
  SolutionDerivatives& d = derivatives_;
  const auto apart = [](Index x, Index y) { return ResultMemory::apart(x * y); };
  memory_.derivatives.begin(6 * apart(nv, nv) + 9 * apart(rows, nv) + 2 * apart(nv, rows) + apart(rows, rows));
  for (SolutionJacobian* x : {&d.acceleration, &d.multipliers, &d.motor_torque}) {
    const Index size = x == &d.multipliers ? rows : nv;
    for (JacobianView* by : {&x->q, &x->v, &x->tau}) memory_.derivatives.place_apart(*by, size, nv);
    memory_.derivatives.place_apart(x->beta, size, rows);
  }
  for (JacobianView* x :
       {&d.residual.q, &d.residual.v, &d.residual.a, &d.velocity_error.q, &d.velocity_error.v, &d.position_error.q})
    memory_.derivatives.place_apart(*x, rows, nv);
  if (const Index size = apart(nv, nv) + apart(std::min(rows, nv), nv); scratch_.compact.size() < size)
    scratch_.compact = Buffer<double>(size);
  memory_.residuals.begin(3 * nv * nv);  // those by bodies are written whole
  for (Matrix* x : {&residuals_.torque_by_q, &residuals_.torque_by_v, &residuals_.driver_by_q})
    memory_.residuals.place(*x, nv, nv);
}

/// Zeros, all or those of motors.
void Linearised::clear_results(bool of_motors) {
  SolutionDerivatives& d = derivatives_;
  constant_motors_ = {};
  for (SolutionJacobian* x : {&d.acceleration, &d.multipliers, &d.motor_torque})
    for (JacobianView* by : {&x->q, &x->v, &x->tau, &x->beta})
      if (!of_motors || x == &d.motor_torque) own(*by).setZero();
  if (of_motors) return;
  for (JacobianView* x :
       {&d.residual.q, &d.residual.v, &d.residual.a, &d.velocity_error.q, &d.velocity_error.v, &d.position_error.q})
    own(*x).setZero();
}

const char* Linearised::refusal() const {
  const SolveReport& report = parts_.solution.report;
  if (report.status != Status::ok) return "the last solve is not ok";
  if (!report.given_up.empty()) return "rows are given up: the answer depends on which";
  if (parts_.border != nullptr) return parts_.border;
  if (problem_.rows.traits.leaves_out) return "rows leave drivers uncompensated";
  return nullptr;
}

/// The solve has left the kinematics of its solution. Whoever else writes to Data takes stage_factor away.
bool Linearised::has_kinematics() const {
  constexpr unsigned all = stage_position | stage_velocity | stage_acceleration | stage_columns | stage_factor;
  return parts_.factor == &parts_.factors.paths && parts_.factors.paths.is_as_solved(problem_) &&
         (stages_ & all) == all;
}

/// Kinematics of the solution, the rows' variations, and the wrenches of the rows among the external ones. Null, or why
/// there is no derivative; end() undoes what it has changed in Data.
const char* Linearised::begin(bool will_eliminate) {
  Problem& p = problem_;
  Data& data = p.state.data;
  const Index nv = data.tree().nv;
  stages_ = data.stages;
  moved_ = false;
  has_external_ = data.force.has_external;
  if (has_external_) std::copy_n(data.force.external.data(), external_.size(), external_.data());
  std::copy_n(parts_.solution.acceleration.data(), nv, acceleration_.data());
  for (Index k = 0; k < p.rows.m; ++k) lambda_[k] = parts_.solution.multipliers(row_of(k));
  if (const char* why = refusal()) return why;
  if (!has_kinematics()) page::kinematics(data, p.state.q.data(), p.state.v.data(), acceleration_.data());
  if (const char* why =
          rows_.evaluate(p, data, p.state.q.data(), p.state.v.data(), acceleration_.data(), lambda_.data()))
    return why;
  load_wrenches(p, rows_, lambda_.data(), has_external_, data);
  return find_dependent_rows(will_eliminate);
}

void Linearised::end() {
  Data& data = problem_.state.data;
  if (moved_) page::kinematics(data, problem_.state.q.data(), problem_.state.v.data(), acceleration_.data());
  data.force.has_external = has_external_;
  if (has_external_) std::copy_n(external_.data(), external_.size(), data.force.external.data());
  data.stages = stages_;
}

void Linearised::ask_nothing(Index columns) {
  sides_.clear();
  sides_.count = columns;
}

void Linearised::clear(InputGradient& g) {
  const Tree<double>& tree = problem_.state.data.tree();
  const auto& joints = problem_.state.data.model().joints();
  const Index nv = tree.nv, rows = problem_.layout.rows(),
              numbers = wrt_.inertial_parameters ? page::k_link_parameters * tree.links : 0,
              count = wrt_.placement ? static_cast<Index>(joints.size()) : 0;
  const Index constraints = problem_.layout.count;
  memory_.gradient.clear(8 * nv + 4 * rows + 2 * constraints + numbers + 6 * count);
  for (VectorView* x : {&g.q, &g.v, &g.tau, &g.prescribed, &g.force, &g.armature, &g.damping, &g.stiffness})
    memory_.gradient.place(*x, nv);
  for (VectorView* x : {&g.beta, &g.target, &g.target_velocity, &g.compliance}) memory_.gradient.place(*x, rows);
  for (VectorView* x : {&g.time_constant, &g.damping_ratio}) memory_.gradient.place(*x, constraints);
  memory_.gradient.place(g.inertial_parameters, numbers);
  memory_.gradient.place(g.placement, 6, count);
  for (Index j = 0; j < count; ++j)
    if (const Joint& joint = joints[static_cast<std::size_t>(j)]; joint.lumped || joint.body.value == 0)
      own(g.placement).col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
  g.gravity.setZero();
}

/// All but the placements of joints that were merged, which are NaN. The others stand one after the other.
bool Linearised::is_finite(const InputGradient& g) const {
  const bool merged = of_model_.placements.size() < static_cast<std::size_t>(g.placement.cols());
  const double* const end = g.placement.data() + (merged ? 0 : g.placement.size());
  if (!all_finite(static_cast<Index>(end - g.q.data()), g.q.data())) return false;
  double rest = 0;  // NaN as soon as a number is not finite
  for (const page::JointPlace& x : of_model_.placements)
    for (int c = 0; merged && c < 6; ++c) rest += g.placement(c, x.joint) * 0.0;
  for (const double x : g.gravity) rest += x * 0.0;
  return rest == 0;
}

const InputGradient& Linearised::from_the_left(const SolutionGradient& of, const GradientParts& wrt) {
  Problem& p = problem_;
  Data& data = p.state.data;
  const Tree<double>& tree = data.tree();
  const Index nv = tree.nv, m = p.rows.m;
  InputGradient& g = gradient_;
  wrt_ = wrt;
  clear(g);
  g.reason = {};
  const auto refuse = [&](const char* why) -> const InputGradient& {
    clear(g);
    g.status = Status::not_differentiable;
    g.reason = why;
    return g;
  };
  const Ending ending(*this);
  if (const char* why = begin(false)) return refuse(why);
  const double* const of_torque = of.motor_torque.size() > 0 ? of.motor_torque.data() : nullptr;
  ask_nothing(1);
  for (Index y = 0; y < nv; ++y) {
    if (of.acceleration.size() > 0) sides_.tau[y] = Columns(of.acceleration.data()[y]);
    if (p.state.prescribed.is[y] && of_torque != nullptr) sides_.given[y] = Columns(-of_torque[y]);
  }
  for (Index k = 0; k < m; ++k) {
    scratch_.row[k] = of.multipliers.size() > 0 ? of.multipliers.data()[row_of(k)] : 0.0;
    if (of_torque != nullptr && counts(k, Of::drivers))
      for (Index c = 0; c < tree.spanning_nv; ++c) scratch_.row[k] += p.jacobian(k, c) * of_torque[tree.column[c].v];
    sides_.b[k] = Columns(-scratch_.row[k]);
  }
  if (const char* why = respond()) return refuse(why);
  for (Index y = 0; y < nv; ++y) y_[y] = sides_.acceleration[y][0];
  for (Index k = 0; k < m; ++k) z_[k] = -sides_.lambda[k][0];
  for (Index y = 0; y < nv; ++y) {
    own(g.force)(y) = y_[y];
    own(g.tau)(y) = p.state.prescribed.is[y] ? 0.0 : y_[y] + (of_torque != nullptr ? of_torque[y] : 0.0);
    if (p.state.prescribed.is[y])
      own(g.prescribed)(y) = (of.acceleration.size() > 0 ? of.acceleration.data()[y] : 0.0) - sides_.given_torque[y][0];
  }
  kernels().derivative->enter_from_the_left(&data, y_.data());
  const Left x(data);
  for (Index i = 1; i <= tree.n; ++i) {
    const Force<double> Q = x.Q(i);
    Vec3<double> by_gravity = Q.f;
    if (data.force.has_excess) by_gravity += page::excess_power(data, i, x.w(i));
    for (int c = 0; c < 3; ++c) g.gravity(c) += by_gravity[c];
  }
  std::fill_n(scratch_.by_q.data(), nv, 0.0);
  std::fill_n(scratch_.by_v.data(), nv, 0.0);
  zwang::add_rows(rows_, x, z_.data(), scratch_.by_q.data(), scratch_.by_v.data());
  zwang::turn_wrenches(rows_, x, counted(Of::all), y_.data(), scratch_.by_q.data());
  double* const out[] = {scratch_.by_q.data(), scratch_.by_v.data(), nullptr};
  kernels().derivative->leave_from_the_left(&data, p.state.q.data(), p.state.v.data(), acceleration_.data(), y_.data(),
                                            p.state.effects.damping, p.state.effects.springs, out);
  for (Index y = 0; y < nv; ++y) {
    own(g.q)(y) = -scratch_.by_q[y];
    own(g.v)(y) = -scratch_.by_v[y];
  }
  add_placements(-1);
  if (wrt_.inertial_parameters) kernels().derivative->inertias_from_the_left(&data, own(g.inertial_parameters).data());
  if (wrt_.inertial_parameters && data.force.has_excess) add_excess_by_masses(x);
  add_masses_of_rows(x, Of::all, z_.data());
  numbers_of_rows_and_joints();
  if (of_torque != nullptr && p.rows.traits.driver) driver_torque_from_the_left(of_torque, own(g.q).data());
  if (has_dependent_rows()) {
    if (const char* why = project(scratch_.row.data())) return refuse(why);
    rates_from_the_left(dependent_motion_.data(), scratch_.row.data(), own(g.q).data());
    add_placements(1);
    add_masses_of_rates(scratch_.row.data());
  }
  if (const Shock* const shock = p.rows.shock; shock != nullptr) {
    for (Index k = 0; k < m; ++k) scratch_.row[k] = -z_[k] * shock->share[row_of(k)];
    rates_from_the_left(shock->velocity, scratch_.row.data(), own(g.q).data());
  }
  g.status = Status::ok;
  if (!is_finite(g)) g.status = Status::overflow;
  if (g.status == Status::overflow) clear(g);
  return g;
}

const SolutionVariation& Linearised::from_the_right(const InputVariation& along) {
  Problem& p = problem_;
  Data& data = p.state.data;
  const Index nv = data.tree().nv, m = p.rows.m;
  SolutionVariation& out = variation_;
  memory_.variation.clear(2 * nv + p.layout.rows());
  memory_.variation.place(out.acceleration, nv);
  memory_.variation.place(out.multipliers, p.layout.rows());
  memory_.variation.place(out.motor_torque, nv);
  out.reason = {};
  const auto zeros = [&] {
    for (const VectorView* part : {&out.acceleration, &out.multipliers, &out.motor_torque}) own(*part).setZero();
  };
  const auto refuse = [&](const char* why) -> const SolutionVariation& {
    zeros();
    out.status = Status::not_differentiable;
    out.reason = why;
    return out;
  };
  const Ending ending(*this);
  if (const char* why = begin(false)) return refuse(why);
  const auto given = [](const ConstVector& x) { return x.size() > 0 ? x.data() : nullptr; };
  const double *const dq = given(along.q), *const dtau = given(along.tau), *const dbeta = given(along.beta);
  const Shock* const shock = dq != nullptr ? p.rows.shock : nullptr;
  if (shock != nullptr) {
    rates_from_the_right(shock->velocity, dq, z_.data());
    page::kinematics(data, p.state.q.data(), p.state.v.data(), acceleration_.data());
  }
  const double* const d[] = {dq, given(along.v), nullptr};
  kernels().derivative->enter_from_the_right(&data, p.state.q.data(), p.state.v.data(), acceleration_.data(), d);
  const Right x(data);
  std::fill_n(scratch_.row.data(), m, 0.0);
  add_rows(x, along, scratch_.row.data());
  std::fill_n(scratch_.x.data(), nv, 0.0);
  turn_wrenches(x, Of::all, dq, scratch_.x.data());
  kernels().derivative->leave_from_the_right(&data, p.state.q.data(), d, p.state.effects.damping,
                                             p.state.effects.springs, scratch_.torque.data());
  ask_nothing(1);
  for (Index y = 0; y < nv; ++y) {
    scratch_.torque[y] += scratch_.x[y];
    if (along.force.size() > 0) scratch_.torque[y] -= along.force.data()[y];
    sides_.tau[y] = Columns((dtau != nullptr && !p.state.prescribed.is[y] ? dtau[y] : 0.0) - scratch_.torque[y]);
  }
  for (Index k = 0; k < m; ++k)
    sides_.b[k] = Columns((dbeta != nullptr ? dbeta[row_of(k)] : 0.0) - scratch_.row[k] -
                          (shock != nullptr ? shock->share[row_of(k)] * z_[k] : 0.0));
  if (const char* why = respond()) return refuse(why);
  for (Index y = 0; y < nv; ++y) {
    own(out.acceleration)(y) = sides_.acceleration[y][0];
    own(out.motor_torque)(y) = p.state.prescribed.is[y] ? scratch_.torque[y] + sides_.given_torque[y][0]
                               : dtau != nullptr        ? dtau[y]
                                                        : 0.0;
  }
  for (Index k = 0; k < m; ++k) z_[k] = sides_.lambda[k][0];
  if (has_dependent_rows() && dq != nullptr) {
    rates_from_the_right(dependent_motion_.data(), dq, scratch_.row.data());
    if (const char* why = project(scratch_.row.data())) return refuse(why);
    for (Index k = 0; k < m; ++k) z_[k] += scratch_.row[k];
  }
  for (Index k = 0; k < m; ++k) own(out.multipliers)(row_of(k)) = z_[k];
  if (p.rows.traits.driver) {
    add_driver_torque(z_.data(), own(out.motor_torque).data());
    if (dq != nullptr) driver_torque_from_the_right(dq, own(out.motor_torque).data());
  }
  const bool finite = all_finite(out.acceleration.size(), out.acceleration.data()) &&
                      all_finite(out.multipliers.size(), out.multipliers.data()) &&
                      all_finite(out.motor_torque.size(), out.motor_torque.data());
  out.status = finite ? Status::ok : Status::overflow;
  if (!finite) zeros();
  return out;
}

}  // namespace zwang
