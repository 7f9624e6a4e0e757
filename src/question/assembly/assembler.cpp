// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "question/assembly/assembler_impl.hpp"
#include "rows/check_constraint.hpp"

namespace zwang {
namespace {

constexpr double k_free_weight = 1e-6;  // of the largest: what a weight of 0 counts as

std::vector<double> checked_weights(const Model& model, const AssemblySettings& s) {
  std::vector<double> weights = s.weights;
  if (s.kinetic && !weights.empty())
    throw std::invalid_argument("Assembler: either weights or kinetic are given, not both");
  if (weights.empty()) weights.assign(static_cast<std::size_t>(model.nv()), 1.0);
  if (static_cast<Index>(weights.size()) != model.nv())
    detail::throw_size("Assembler", "weights", static_cast<long>(weights.size()), model.nv());
  double largest = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!(weights[k] >= 0) || !std::isfinite(weights[k]))
      throw std::invalid_argument("Assembler: weights[" + std::to_string(k) + "] is >= 0 and finite; got " +
                                  std::to_string(weights[k]));
    largest = std::max(largest, weights[k]);
  }
  if (!weights.empty() && largest == 0) throw std::invalid_argument("Assembler: weights: all are zero");
  for (double& w : weights) w = std::max(w, k_free_weight * largest);
  return weights;
}

const AssemblySettings& checked(const AssemblySettings& s) {
  const auto refuse = [](const char* what, const std::string& got) {
    throw std::invalid_argument(std::string("Assembler: ") + what + "; got " + got);
  };
  if (!(s.tolerance > 0) || !std::isfinite(s.tolerance))
    refuse("tolerance is > 0 and finite", std::to_string(s.tolerance));
  if (s.max_iterations < 1) refuse("max_iterations is at least 1", std::to_string(s.max_iterations));
  if (!(s.limit_margin >= 0) || !std::isfinite(s.limit_margin))
    refuse("limit_margin is >= 0 and finite", std::to_string(s.limit_margin));
  if (s.attempts < 0) refuse("attempts is at least 0", std::to_string(s.attempts));
  return s;
}

}  // namespace

AssemblerImpl::AssemblerImpl(const Model& of, const ConstraintSet& set, const AssemblySettings& given)
    : model(of),
      settings(checked(given)),
      weights(checked_weights(model, settings)),
      coordinates(model, settings),
      metric(model.nv(), coordinates.free, coordinates.count),
      rows(model, set),
      point(model, rows, metric, coordinates, settings),
      velocity(model, rows, metric, settings),
      M(settings.kinetic ? model.nv() * model.nv() : 0),
      q(model.nq()),
      v(model.nv()) {
  metric.set_weights(weights.data());
  AssemblyReport& r = result.report;
  for (auto* names : {&r.redundant, &r.unmet, &r.without_position, &r.held, &r.released})
    names->reserve(static_cast<std::size_t>(rows.problem.layout.capacity));
  r.at_limit.reserve(static_cast<std::size_t>(model.nv()));
  for (Index c = 0; c < rows.problem.layout.count; ++c)
    if (rows.problem.layout.constraint(c).is_bounded()) make_room_for_sides();
}

void AssemblerImpl::make_room_for_sides() {
  point.make_room_for_sides();
  velocity.make_room_for_sides();
}

void AssemblerImpl::begin() {
  AssemblyReport& r = result.report;
  AssemblyReport fresh;
  fresh.tolerance = settings.tolerance;
  const auto keep = [](std::vector<std::string_view>& from, std::vector<std::string_view>& to) {
    to.swap(from);
    to.clear();
  };
  keep(r.redundant, fresh.redundant);
  keep(r.unmet, fresh.unmet);
  keep(r.at_limit, fresh.at_limit);
  keep(r.without_position, fresh.without_position);
  keep(r.held, fresh.held);
  keep(r.released, fresh.released);
  r = std::move(fresh);
  rows.read();
  if (rows.has_sides()) make_room_for_sides();
}

/// W at a configuration. False, with the status, where the mass matrix is singular.
bool AssemblerImpl::weigh(const double* at) {
  if (!settings.kinetic) return true;
  page::mass_matrix(rows.problem.state.data, at, M.data(), model.nv());
  if (metric.set_matrix(M.data(), model.nv())) return true;
  result.report.status = Status::singular_mass;
  return false;
}

void AssemblerImpl::position(const double* q0) {
  AssemblyReport& r = result.report;
  std::copy_n(q0, model.nq(), q.data());
  if (!weigh(q0)) return;
  point.find(q0, r);
  if (r.status == Status::overflow) return;
  std::copy_n(point.q(), model.nq(), q.data());
  Index next = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const bool takes_part = next < point.rows() && point.row(next) == i;
    if (!takes_part) {
      r.without_position.push_back(rows.name(i));
      continue;
    }
    const bool open = point.has_side(next) && !point.is_closed(next);
    if (open)
      r.released.push_back(rows.name(i));
    else if (point.has_side(next) && !point.is_unmet(next))
      r.held.push_back(rows.name(i));
    if (!open && !point.counts(next)) r.redundant.push_back(rows.name(i));
    if (point.is_unmet(next)) r.unmet.push_back(rows.name(i));
    ++next;
  }
  for (Index j = 0; j < coordinates.count; ++j)
    if (point.is_at_limit(j))
      r.at_limit.push_back(model.coordinate_names()[static_cast<std::size_t>(coordinates.free[j])]);
}

void AssemblerImpl::speed(const double* at, const double* v0) {
  AssemblyReport& r = result.report;
  std::copy_n(v0, model.nv(), v.data());
  if (!weigh(at)) return;
  if (!rows.evaluate(at)) {
    r.status = Status::overflow;
    return;
  }
  const Status before = r.status;
  velocity.find(v0, r.residual, r);
  if (before != Status::ok) r.status = before;
  std::copy_n(velocity.v(), model.nv(), v.data());
}

namespace {

AssemblerImpl& existing(const Owned<AssemblerImpl>& impl, const char* function) {
  if (impl == nullptr) throw std::logic_error(std::string(function) + ": this assembler was moved from");
  if (impl->busy)
    throw std::logic_error(std::string(function) + ": this assembler was called by rows that it evaluates");
  return *impl;
}

struct Busy {
  explicit Busy(bool& b) : flag(b) { flag = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { flag = false; }
  bool& flag;
};

void show(VectorView& view, const Buffer<double>& numbers) { new (&view) VectorView(numbers.data(), numbers.size()); }
void hide(VectorView& view) { new (&view) VectorView(nullptr, 0); }

}  // namespace

Assembler::Assembler(const Model& model, const ConstraintSet& constraints, const AssemblySettings& settings) {
  check_model("Assembler", model, constraints);
  impl_ = make_owned<AssemblerImpl>(model, constraints, settings);
}
Assembler::Assembler(Assembler&&) noexcept = default;
Assembler& Assembler::operator=(Assembler&&) noexcept = default;
Assembler::~Assembler() = default;

const Assembly& Assembler::assemble(VectorIn q0) {
  check_configuration(existing(impl_, "assemble").model, q0.data(), detail::size_of(q0), "assemble", "q0");
  return assemble(q0.data());
}
const Assembly& Assembler::assemble(const double* q0) {
  AssemblerImpl& x = *impl_;
  const Busy busy(x.busy);
  x.begin();
  x.position(q0);
  show(x.result.q, x.q);
  hide(x.result.v);
  return x.result;
}

const Assembly& Assembler::assemble_velocity(VectorIn q, VectorIn v0) {
  const AssemblerImpl& x = existing(impl_, "assemble_velocity");
  detail::check_q(x.model, q, "assemble_velocity");
  detail::check_v(x.model, v0, "assemble_velocity", "v0");
  return assemble_velocity(q.data(), v0.data());
}
const Assembly& Assembler::assemble_velocity(const double* q, const double* v0) {
  AssemblerImpl& x = *impl_;
  const Busy busy(x.busy);
  x.begin();
  std::copy_n(q, x.model.nq(), x.q.data());
  x.speed(q, v0);
  AssemblyReport& r = x.result.report;
  r.rows = r.velocity_rows;
  r.rank = r.velocity_rank;
  for (Index i = 0; i < x.rows.rows() && has_result(r.status); ++i) {
    const bool acts = x.velocity.acts(i);
    if (x.rows.side(i) != 0 && !x.velocity.is_unmet(i)) (acts ? r.held : r.released).push_back(x.rows.name(i));
    if (acts && !x.velocity.counts(i)) r.redundant.push_back(x.rows.name(i));
    if (x.velocity.is_unmet(i)) r.unmet.push_back(x.rows.name(i));
  }
  show(x.result.q, x.q);
  show(x.result.v, x.v);
  return x.result;
}

const Assembly& Assembler::project(VectorIn q, VectorIn v) {
  const AssemblerImpl& x = existing(impl_, "project");
  detail::check_q(x.model, q, "project");
  detail::check_v(x.model, v, "project", "v");
  return project(q.data(), v.data());
}
const Assembly& Assembler::project(const double* q, const double* v) {
  AssemblerImpl& x = *impl_;
  const Busy busy(x.busy);
  x.begin();
  x.position(q);
  std::copy_n(v, x.model.nv(), x.v.data());
  if (has_result(x.result.report.status)) x.speed(x.q.data(), v);
  show(x.result.q, x.q);
  show(x.result.v, x.v);
  return x.result;
}

const AssemblySettings& Assembler::settings() const { return existing(impl_, "settings").settings; }
const Model& Assembler::model() const { return existing(impl_, "model").model; }
Data& Assembler::data() { return existing(impl_, "data").rows.problem.state.data; }

}  // namespace zwang
