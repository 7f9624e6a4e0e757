// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/question/constraint_evaluator.hpp"

#include "algorithm/support.hpp"
#include "rows/check_constraint.hpp"
#include "rows/evaluated_rows.hpp"

namespace zwang {

struct EvaluatorImpl : EvaluatedRows {
  EvaluatorImpl(const Model& model, const ConstraintSet& set) : EvaluatedRows(model, set, "ConstraintEvaluator") {}
  bool evaluated = false, busy = false;
};

namespace {
EvaluatorImpl& existing(const Owned<EvaluatorImpl>& impl, const char* function) {
  if (impl == nullptr) throw std::logic_error(std::string(function) + ": this evaluator was moved from");
  return *impl;
}
EvaluatorImpl& evaluated(const Owned<EvaluatorImpl>& impl, const char* function) {
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
  impl_ = make_owned<EvaluatorImpl>(model, constraints);
}
ConstraintEvaluator::ConstraintEvaluator(ConstraintEvaluator&&) noexcept = default;
ConstraintEvaluator& ConstraintEvaluator::operator=(ConstraintEvaluator&&) noexcept = default;
ConstraintEvaluator::~ConstraintEvaluator() = default;

void ConstraintEvaluator::evaluate(VectorIn q, VectorIn v) {
  constexpr const char* function = "ConstraintEvaluator::evaluate";
  EvaluatorImpl& x = existing(impl_, function);
  if (x.busy) throw std::logic_error(std::string(function) + ": this evaluator was called by rows that it evaluates");
  x.evaluated = false;
  detail::check_q(x.problem.state.data.model(), q, function);
  detail::check_v(x.problem.state.data.model(), v, function, "v");
  struct Busy {
    bool& flag;
    ~Busy() { flag = false; }
  } const busy{x.busy = true};
  x.evaluate(q.data(), v.data());
  x.evaluated = true;
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
  detail::check_matrix(out, x.rows, x.nv, "ConstraintEvaluator::jacobian");
  for (Index i = 0; i < x.rows; ++i)
    for (Index c = 0; c < x.nv; ++c) out(i, c) = x.jacobian[i * x.nv + c];
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
