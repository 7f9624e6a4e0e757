// SPDX-License-Identifier: BSD-3-Clause
// Delassus: the public calls and their checks.
#include "zwang/factor/delassus.hpp"
#include "core/words.hpp"

#include "algorithm/support.hpp"
#include "factor/delassus/delassus_impl.hpp"
#include "rows/check_constraint.hpp"

namespace zwang {
namespace {

void check_prescribed(Problem& problem, const Prescribed* list) {
  if (list == nullptr || list->empty()) return;
  const auto refuse = [](const PrescribedCoordinate& p, const char* wrong) {
    throw std::invalid_argument("Delassus::compute: prescribed coordinate " + std::to_string(p.v) + wrong);
  };
  for (unsigned char& x : problem.state.prescribed.seen) x = 0;
  for (const PrescribedCoordinate& p : *list) {
    if (p.v < 0 || p.v >= problem.state.data.model().nv()) refuse(p, " is not one of the model's");
    if (problem.state.prescribed.seen[p.v]) refuse(p, " stands there twice");
    problem.state.prescribed.seen[p.v] = 1;
  }
}

DelassusImpl& existing(const Owned<DelassusImpl>& impl, const char* function) {
  if (impl == nullptr) throw std::logic_error(std::string(function) + ": this operator was moved from");
  return *impl;
}
DelassusImpl& computed(const Owned<DelassusImpl>& impl, const char* function) {
  DelassusImpl& x = existing(impl, function);
  if (!x.computed) throw std::logic_error(std::string(function) + ": call compute first");
  return x;
}

void check_rows(const DelassusImpl& x, const char* function, const char* argument, Eigen::Index size) {
  if (size != x.rows.m) detail::throw_size(function, argument, static_cast<long>(size), x.rows.m);
}
void check_numbers(const DelassusImpl& x, const char* function, const char* argument, VectorIn v) {
  check_rows(x, function, argument, v.size());
  for (Index i = 0; i < x.rows.m; ++i)
    if (!is_finite(v[i])) detail::throw_not_finite(function, argument, i, v[i]);
}

void invert_damped(DelassusImpl& x, const double* mu, Index count, MatrixOut& out) {
  constexpr const char* function = "Delassus::damped_inverse";
  detail::check_matrix(out, x.rows.m, x.rows.m, function);
  x.take_mu(function, mu, count);
  x.factor_damped(function);
  x.inverse(out.data(), static_cast<Index>(out.outerStride()));
}

void solve_damped(DelassusImpl& s, VectorIn b, const double* mu, Index count, VectorOut& x) {
  constexpr const char* function = "Delassus::solve";
  check_numbers(s, function, "b", b);
  check_rows(s, function, "x", x.size());
  s.take_mu(function, mu, count);
  s.solve(function, b.data());
  for (Index i = 0; i < s.rows.m; ++i) x[i] = s.answer[i];
}

}  // namespace

DelassusMethod delassus_method_of(const std::string& word) {
  return words::value_of<DelassusMethod>("Delassus method", word);
}

Delassus::Delassus(const Model& model, const ConstraintSet& constraints) {
  check_model("Delassus", model, constraints);
  impl_ = make_owned<DelassusImpl>(model, constraints);
}
Delassus::Delassus(Delassus&&) noexcept = default;
Delassus& Delassus::operator=(Delassus&&) noexcept = default;
Delassus::~Delassus() = default;

void Delassus::compute(VectorIn q, const JointEffects& effects, const Prescribed* prescribed) {
  DelassusImpl& x = existing(impl_, "Delassus::compute");
  if (x.busy) throw std::logic_error("Delassus::compute: this operator was called by rows that it evaluates");
  x.computed = false;
  detail::check_q(model(), q, "Delassus::compute");
  check_prescribed(x.problem, prescribed);
  struct Busy {
    bool& flag;
    ~Busy() { flag = false; }
  } const busy{x.busy = true};
  x.compute(q.data(), effects, prescribed);
}

Index Delassus::rows() const { return computed(impl_, "Delassus::rows").rows.m; }

void Delassus::matrix(MatrixOut out, DelassusMethod method) {
  DelassusImpl& x = computed(impl_, "Delassus::matrix");
  detail::check_matrix(out, x.rows.m, x.rows.m, "Delassus::matrix");
  x.matrix(out.data(), static_cast<Index>(out.outerStride()), method);
}

void Delassus::damped_inverse(double mu, MatrixOut out) {
  invert_damped(computed(impl_, "Delassus::damped_inverse"), &mu, 1, out);
}
void Delassus::damped_inverse(VectorIn mu, MatrixOut out) {
  DelassusImpl& x = computed(impl_, "Delassus::damped_inverse");
  check_rows(x, "Delassus::damped_inverse", "mu", mu.size());
  invert_damped(x, mu.data(), x.rows.m, out);
}

void Delassus::apply(VectorIn x, VectorOut y) {
  DelassusImpl& s = computed(impl_, "Delassus::apply");
  check_numbers(s, "Delassus::apply", "x", x);
  check_rows(s, "Delassus::apply", "y", y.size());
  s.accelerate(s.problem.state.data, x.data());
  s.look_at_rows(x.data(), s.scratch.image.data());
  for (Index i = 0; i < s.rows.m; ++i) y[i] = s.scratch.image[i];
}

void Delassus::solve(VectorIn b, double mu, VectorOut x) {
  solve_damped(computed(impl_, "Delassus::solve"), b, &mu, 1, x);
}
void Delassus::solve(VectorIn b, VectorIn mu, VectorOut x) {
  DelassusImpl& s = computed(impl_, "Delassus::solve");
  check_rows(s, "Delassus::solve", "mu", mu.size());
  solve_damped(s, b, mu.data(), s.rows.m, x);
}

const Model& Delassus::model() const { return existing(impl_, "Delassus::model").problem.state.data.model(); }
Data& Delassus::data() { return existing(impl_, "Delassus::data").problem.state.data; }
const Data& Delassus::data() const { return existing(impl_, "Delassus::data").problem.state.data; }

}  // namespace zwang
