// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/dynamics/constraint_evaluator.hpp"

#include <limits>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "dynamics/method/method.hpp"
#include "dynamics/problem/check_constraint.hpp"
#include "dynamics/problem/problem.hpp"

namespace zwang {

struct EvaluatorImpl {
  EvaluatorImpl(const Model& model, const ConstraintSet& set)
      : problem(model, set, 0, false),
        order(problem.layout.capacity),
        position_error(problem.layout.capacity),
        velocity_error(problem.layout.capacity),
        gamma(problem.layout.capacity),
        jacobian(problem.layout.capacity * model.nv()) {
    problem.layout.owner = "ConstraintEvaluator";
    problem.layout.remedy = "make a new one";
  }
  void evaluate(const double* q, const double* v);

  Problem problem;
  Buffer<Index> order;  ///< [rows] row of the sweep
  Buffer<double> position_error, velocity_error, gamma;
  Buffer<double> jacobian;  ///< [rows x nv] row by row
  Index rows = 0;
  bool evaluated = false, busy = false;
};

void EvaluatorImpl::evaluate(const double* q, const double* v) {
  Problem& p = problem;
  p.read(method_at(Place::root), Singularity::truncation);
  p.set_state(q, v);
  p.relations_known = false;
  page::kinematics(p.data, q, v);
  page::columns_of_positions(p.data, q);
  p.attach();
  rows = 0;
  for (Index r = 0; r < p.layout.rows(); ++r)
    if (const Index k = p.reader.sweep_row[r]; k >= 0) order[rows++] = k;
  const Tree<double>& tree = p.data.tree();
  for (Index i = 0; i < rows; ++i) {
    const Index k = order[i];
    double* const J = jacobian.data() + i * tree.nv;
    for (Index c = 0; c < tree.nv; ++c) J[c] = 0;
    for (Index c = 0; c < tree.spanning_nv; ++c) J[tree.column[c].v] += p.jacobian(k, c);
    double speed = 0;
    for (Index c = 0; c < tree.nv; ++c) speed += J[c] * v[c];
    const Constraint& x = p.constraint_of(k);
    position_error[i] =
        x.relation != nullptr ? p.relations.phi[p.reader.row_of[k]] : std::numeric_limits<double>::quiet_NaN();
    velocity_error[i] = speed - (x.target_velocity.empty() ? 0.0 : x.target_velocity[p.row_in_constraint(k)]);
    gamma[i] = -page::attached_residual(p.rows, k);
  }
  evaluated = true;
}

namespace {
EvaluatorImpl& existing(const std::unique_ptr<EvaluatorImpl>& impl, const char* function) {
  if (impl == nullptr) throw std::logic_error(std::string(function) + ": this evaluator was moved from");
  return *impl;
}
EvaluatorImpl& evaluated(const std::unique_ptr<EvaluatorImpl>& impl, const char* function) {
  EvaluatorImpl& x = existing(impl, function);
  if (!x.evaluated) throw std::logic_error(std::string(function) + ": call evaluate first");
  return x;
}
Index row_of(const EvaluatorImpl& x, Index k, const char* function) {
  if (k < 0 || k >= x.rows)
    throw std::invalid_argument(std::string(function) + ": row " + std::to_string(k) + ", expected 0 to " +
                                std::to_string(x.rows - 1));
  return x.order[k];
}
}  // namespace

ConstraintEvaluator::ConstraintEvaluator(const Model& model, const ConstraintSet& constraints) {
  check_model("ConstraintEvaluator", model, constraints);
  impl_ = std::make_unique<EvaluatorImpl>(model, constraints);
  impl_->problem.layout.set.state_ = constraints.state_;  // follow the user's set instead of a copy
}
ConstraintEvaluator::ConstraintEvaluator(ConstraintEvaluator&&) noexcept = default;
ConstraintEvaluator& ConstraintEvaluator::operator=(ConstraintEvaluator&&) noexcept = default;
ConstraintEvaluator::~ConstraintEvaluator() = default;

void ConstraintEvaluator::evaluate(VectorIn q, VectorIn v) {
  constexpr const char* function = "ConstraintEvaluator::evaluate";
  EvaluatorImpl& x = existing(impl_, function);
  if (x.busy) throw std::logic_error(std::string(function) + ": this evaluator was called by rows that it evaluates");
  x.evaluated = false;
  detail::check_q(x.problem.data.model(), q, function);
  detail::check_v(x.problem.data.model(), v, function, "v");
  struct Busy {
    bool& flag;
    ~Busy() { flag = false; }
  } const busy{x.busy = true};
  x.evaluate(q.data(), v.data());
  for (const Buffer<double>* numbers : {&x.velocity_error, &x.gamma})
    detail::check_result(numbers->data(), x.rows, function);
}

Index ConstraintEvaluator::rows() const { return evaluated(impl_, "ConstraintEvaluator::rows").rows; }
VectorView ConstraintEvaluator::position_error() const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::position_error");
  return {x.position_error.data(), x.rows};
}
VectorView ConstraintEvaluator::velocity_error() const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::velocity_error");
  return {x.velocity_error.data(), x.rows};
}
VectorView ConstraintEvaluator::gamma() const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::gamma");
  return {x.gamma.data(), x.rows};
}
void ConstraintEvaluator::jacobian(MatrixOut out) const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::jacobian");
  const Index nv = x.problem.data.tree().nv;
  detail::check_matrix(out, x.rows, nv, "ConstraintEvaluator::jacobian");
  for (Index i = 0; i < x.rows; ++i)
    for (Index c = 0; c < nv; ++c) out(i, c) = x.jacobian[i * nv + c];
}
std::string_view ConstraintEvaluator::row_name(Index k) const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::row_name");
  return x.problem.row_name(row_of(x, k, "ConstraintEvaluator::row_name"));
}
std::string_view ConstraintEvaluator::constraint_name(Index k) const {
  const EvaluatorImpl& x = evaluated(impl_, "ConstraintEvaluator::constraint_name");
  return x.problem.constraint_of(row_of(x, k, "ConstraintEvaluator::constraint_name")).name;
}

}  // namespace zwang
