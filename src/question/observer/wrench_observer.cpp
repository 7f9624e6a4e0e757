// SPDX-License-Identifier: BSD-3-Clause
// A. De Luca, R. Mattone, Sensorless Robot Collision Detection and Hybrid Force/Motion Control, ICRA 2005,
// eq. 10 to 14.
//
// DIFFERS: with rows and a floating base, see wrench_observer.hpp. With s the
// right-hand side of dp/dt but for P tau_ext,
//   m = (p_k - p_{k-1}) / dt - (s_{k-1} + s_k) / 2     the mean of P tau_ext since the last sample, to O(dt^2)
//   r_k = e^{-K dt} r_{k-1} + (1 - e^{-K dt}) m        exact for a constant m, at any K dt; the source sums r
// and wrenches follow from r by a problem of least constraint instead of a pseudo-inverse of J^T.
#include "zwang/question/wrench_observer.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "linear/vectors.hpp"
#include "question/observer/least_multipliers.hpp"
#include "solve/solver_calls.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang {
namespace {

constexpr const char* k_who = "WrenchObserver";

const WrenchObserverSettings& checked(const WrenchObserverSettings& s) {
  const auto refuse = [](const char* what, double got) {
    throw std::invalid_argument(std::string(k_who) + ": " + what + "; got " + std::to_string(got));
  };
  if (!(s.gain > 0)) refuse("gain is > 0", s.gain);
  if (!(s.tolerance > 0 && s.tolerance < 1)) refuse("tolerance is between 0 and 1", s.tolerance);
  if (!(s.feasibility > 0) || !is_finite(s.feasibility)) refuse("feasibility is > 0 and finite", s.feasibility);
  return s;
}

/// Whether a solve with this status has numbers that mean something: least squares, where rows contradict each other.
bool is_answer(Status s) { return s == Status::ok || s == Status::infeasible; }

/// The rows that act on the robot from outside: drivers are switched off, and nothing but mechanics moves the others.
ConstraintSet physical_rows(const ConstraintSet& given) {
  ConstraintSet set(given);
  for (const Constraint& of : given.constraints()) {
    Constraint& x = set[of.name];
    if (x.role == Role::driver) {
      x.active = false;
      continue;
    }
    const auto refuse = [&](const char* what) {
      throw UnsupportedError(std::string(k_who) + ": constraint '" + std::string(x.name) + "' " + what);
    };
    if (x.policy == Policy::soft) refuse("is soft: give its force as an external wrench, or as torques");
    if (x.is_bounded()) refuse("has a sense or a limit: use a hard row, and switch it by set_active()");
    if (!x.compensate.all()) refuse("leaves causes uncompensated, which no physical constraint does");
    x.stabilisation = Stabilisation{};
  }
  return set;
}
ConstraintSet with_wrenches(ConstraintSet set, const std::vector<UnknownWrench>& at) {
  for (const UnknownWrench& w : at)
    set.add(FrameConstraint{.name = w.name.empty() ? w.frame : w.name, .frame = w.frame, .rows = w.rows, .in = w.in});
  return set;
}

}  // namespace

struct WrenchObserver::Impl {
  Impl(const Model& model, const ConstraintSet& given, const std::vector<UnknownWrench>& at,
       const WrenchObserverSettings& settings);

  enum class Sample { start, resume, next };
  Refusal wrong(const WrenchObserverInput& in, Sample kind);
  const WrenchEstimate& refuse(Status status, std::string_view what);
  const WrenchEstimate& observe(const WrenchObserverInput& in, Sample kind);
  const WrenchEstimate& use(const WrenchObserverInput& in, Sample kind);
  void take_overrides();
  void momentum_and_known_forces(const WrenchObserverInput& in);
  void filter(double dt);
  const Impulse& stop(const ConstVector& q);
  void publish(const Impulse& stopped, const ConstVector& q, Status status);

  const WrenchObserverSettings settings;
  ConstraintSet rows, rows_and_wrenches;
  std::vector<std::string> names, wrench_rows;
  Solver known, unknown;  ///< the rows against known forces; the wrenches that explain r
  LeastMultipliers least;
  Data data;  ///< p, C^T v, g
  Buffer<double> p, p_now, r, r_now, minus_r, tau;
  Buffer<double> rest, before, after;  ///< C^T v - g; s of the last sample; s of this one, with the torque up to it
  Buffer<double> forces, w, unexplained, zeros;  ///< mu and w; w; what they leave of r
  bool started = false;
  WrenchEstimate result;
};

WrenchObserver::Impl::Impl(const Model& model, const ConstraintSet& given, const std::vector<UnknownWrench>& at,
                           const WrenchObserverSettings& s)
    : settings(checked(s)),
      rows(physical_rows(given)),
      rows_and_wrenches(with_wrenches(rows, at)),
      known(model, rows, {.method = s.method, .feasibility = s.feasibility, .joint_effects = s.joint_effects}),
      unknown(model, rows_and_wrenches,
              {.method = s.method, .tolerance = s.tolerance, .joint_effects = s.joint_effects}),
      least(model, rows_and_wrenches),
      data(model),
      p(model.nv()),
      p_now(model.nv()),
      r(model.nv()),
      r_now(model.nv()),
      minus_r(model.nv()),
      tau(model.nv()),
      rest(model.nv()),
      before(model.nv()),
      after(model.nv()),
      forces(rows_and_wrenches.rows()),
      w(rows_and_wrenches.rows() - rows.rows()),
      unexplained(model.nv()),
      zeros(std::max(model.nv(), rows_and_wrenches.rows())) {
  for (Index i = rows.size(); i < rows_and_wrenches.size(); ++i) {
    const Constraint& x = rows_and_wrenches.constraints()[static_cast<std::size_t>(i)];
    names.push_back(x.name);
    for (const std::string& row : x.row_names) wrench_rows.push_back(row);
  }
  new (&result.torque) VectorView(r.data(), model.nv());
  new (&result.unexplained) VectorView(unexplained.data(), model.nv());
  new (&result.wrenches) VectorView(w.data(), w.size());
  result.redundant.reserve(wrench_rows.size());
  // The first impulse allocates: here, not in a control loop.
  Buffer<double> q(model.nq());
  neutral(model, Eigen::Map<Eigen::VectorXd>(q.data(), model.nq()));
  unknown.try_impulse({.q = ConstVector(q.data(), model.nq())});
}

/// What is wrong with a sample, in the order of its members.
Refusal WrenchObserver::Impl::wrong(const WrenchObserverInput& in, Sample kind) {
  const Model& m = known.model();
  if (kind != Sample::start && !started) return {Status::invalid_input, "start"};
  const auto fits = [](const ConstVector& x, Index n) { return x.size() == n && (n == 0 || x.data() != nullptr); };
  if (!fits(in.q, m.nq())) return {Status::invalid_input, "q"};
  if (!fits(in.v, m.nv())) return {Status::invalid_input, "v"};
  if (in.tau.size() > 0 && !fits(in.tau, m.nv())) return {Status::invalid_input, "tau"};
  if (!all_finite(in.q.size(), in.q.data())) return {Status::non_finite_input, "q"};
  if (!all_finite(in.v.size(), in.v.data())) return {Status::non_finite_input, "v"};
  if (!all_finite(in.tau.size(), in.tau.data())) return {Status::non_finite_input, "tau"};
  if (!detail::normalized_within(data.tree(), in.q.data(), k_unit_tolerance)) return {Status::invalid_input, "q"};
  if (in.external != nullptr)
    if (const Status s = detail::status_of(m, *in.external); s != Status::ok) return {s, "external"};
  if (kind == Sample::next && (!(in.dt > 0) || !is_finite(in.dt))) return {Status::invalid_input, "dt"};
  return {};
}

const WrenchEstimate& WrenchObserver::Impl::refuse(Status status, std::string_view what) {
  result.status = status;
  result.invalid = what;
  return result;
}

void WrenchObserver::Impl::take_overrides() {
  for (Solver* const solver : {&known, &unknown}) {
    Data& to = solver->data();
    to.gravity = data.gravity;
    for (Index i = 1; i <= data.tree().n; ++i) {
      to.inertia[i] = data.inertia[i];
      to.lanes.set_inertia(i, data.inertia[i]);
      if (data.excess.size() > 0) to.excess[i] = data.excess[i];
    }
  }
}

/// p_now, and `rest`: C^T v - g.
void WrenchObserver::Impl::momentum_and_known_forces(const WrenchObserverInput& in) {
  const Model& m = known.model();
  const Eigen::Map<const Eigen::VectorXd> q(in.q.data(), m.nq()), v(in.v.data(), m.nv());
  Eigen::Map<Eigen::VectorXd> momentum(p_now.data(), m.nv()), others(rest.data(), m.nv());
  generalised_momentum(m, data, q, v, momentum, others, settings.joint_effects);
  others -= in.external != nullptr ? static_torque(m, data, q, *in.external, settings.joint_effects)
                                   : static_torque(m, data, q, {}, settings.joint_effects);
  JointEffects moving = settings.joint_effects;
  moving.springs = false;  // in static_torque
  detail::add_passive(data, in.q.data(), in.v.data(), moving, 1.0, rest.data());
}

/// r_now from r, p, p_now, and the known forces at both samples.
void WrenchObserver::Impl::filter(double dt) {
  const double stays = std::exp(-settings.gain * dt);
  for (Index k = 0; k < r.size(); ++k) {
    const double mean = (p_now[k] - p[k]) / dt - 0.5 * (before[k] + after[k]);
    r_now[k] = stays * r[k] + (1 - stays) * mean;
  }
}

const WrenchEstimate& WrenchObserver::Impl::observe(const WrenchObserverInput& in, Sample kind) {
  try {
    return use(in, kind);
  } catch (const ArithmeticOverflowError&) { return refuse(Status::overflow, {}); }
}

const WrenchEstimate& WrenchObserver::Impl::use(const WrenchObserverInput& in, Sample kind) {
  const Index nv = r.size();
  take_overrides();
  momentum_and_known_forces(in);
  const ConstVector now = in.tau.size() > 0 ? in.tau : ConstVector(zeros.data(), nv);
  const bool held = settings.held_torque && kind == Sample::next;
  const ConstVector until_now = held ? ConstVector(tau.data(), nv) : now;

  const Solution* const rows_of = rows.rows() > 0 ? &known.solution() : nullptr;
  const auto sum_of_forces = [&](const ConstVector& torque) {
    for (Index k = 0; k < nv; ++k)
      after[k] = torque.data()[k] + rest[k] + (rows_of != nullptr ? rows_of->reaction[k] : 0.0);
  };
  Status status = Status::ok;  // that of the first answer that is not ok
  const auto take = [&](Status of) {
    if (status == Status::ok) status = of;
    return is_answer(of);
  };
  if (rows_of != nullptr &&
      !take(known.try_solve({.q = in.q, .v = in.v, .tau = until_now, .external = in.external}).report.status))
    return refuse(rows_of->report.status, "constraints");
  sum_of_forces(until_now);
  std::copy_n(r.data(), nv, r_now.data());
  if (kind == Sample::next) filter(in.dt);
  if (kind == Sample::start) std::fill(r_now.begin(), r_now.end(), 0.0);
  if (held) {
    if (rows_of != nullptr && !take(known.resolve({.tau = now, .external = in.external}).report.status))
      return refuse(rows_of->report.status, "constraints");
    sum_of_forces(now);
  }
  if (!all_finite(nv, r_now.data()) || !all_finite(nv, after.data())) return refuse(Status::overflow, {});
  const Impulse& stopped = stop(in.q);
  if (!take(stopped.report.status)) return refuse(stopped.report.status, "at");

  std::swap(p, p_now);
  std::swap(before, after);
  std::copy_n(r_now.data(), nv, r.data());
  std::copy_n(now.data(), nv, tau.data());
  started = true;
  publish(stopped, in.q, status);
  return result;
}

/// As an impulse, -r would move the robot by -M^-1 r: rows and wrenches stop what they can of that.
const Impulse& WrenchObserver::Impl::stop(const ConstVector& q) {
  for (Index k = 0; k < r.size(); ++k) minus_r[k] = -r_now[k];
  return unknown.try_impulse({.q = q,
                              .target = ConstVector(zeros.data(), rows_and_wrenches.rows()),
                              .impulse = ConstVector(minus_r.data(), r.size())});
}

void WrenchObserver::Impl::publish(const Impulse& stopped, const ConstVector& q, Status status) {
  for (Index k = 0; k < r.size(); ++k) unexplained[k] = r[k] - stopped.reaction[k];
  std::copy_n(stopped.multipliers.data(), forces.size(), forces.data());
  least.apply(stopped.report, {q.data(), q.size()}, forces.data(), unexplained.data());
  std::copy_n(forces.data() + rows.rows(), w.size(), w.data());
  result.status = status;
  result.invalid = {};
  result.redundant.clear();
  for (const std::string_view name : stopped.report.redundant)
    if (std::find(wrench_rows.begin(), wrench_rows.end(), name) != wrench_rows.end()) result.redundant.push_back(name);
  result.rank = -static_cast<Index>(result.redundant.size());
  for (Index i = rows.size(); i < rows_and_wrenches.size(); ++i) {
    const Constraint& x = rows_and_wrenches.constraints()[static_cast<std::size_t>(i)];
    if (x.active) result.rank += x.size();
  }
}

WrenchObserver::WrenchObserver(const Model& model, const std::vector<UnknownWrench>& at,
                               const WrenchObserverSettings& settings)
    : WrenchObserver(model, ConstraintSet(model), at, settings) {}
WrenchObserver::WrenchObserver(const Model& model, const ConstraintSet& constraints,
                               const std::vector<UnknownWrench>& at, const WrenchObserverSettings& settings)
    : impl_(make_owned<Impl>(model, constraints, at, settings)) {}
WrenchObserver::WrenchObserver(WrenchObserver&&) noexcept = default;
WrenchObserver& WrenchObserver::operator=(WrenchObserver&&) noexcept = default;
WrenchObserver::~WrenchObserver() = default;

namespace {

template <class Impl> Impl& there(const Owned<Impl>& impl) {
  if (impl == nullptr) throw std::logic_error(std::string(k_who) + ": this object was moved from");
  return *impl;
}

/// Throws what `wrong` has found, in words.
void throw_wrong(const Model& m, const WrenchObserverInput& in, const Refusal& wrong) {
  if (wrong.status == Status::ok) return;
  const std::string_view argument = wrong.argument;
  if (argument == "start") throw std::logic_error(std::string(k_who) + ": start() comes first");
  check_configuration(m, in.q.data(), in.q.size(), k_who, "q");
  detail::check_entries(in.v.data(), in.v.size(), m.nv(), k_who, "v");
  if (in.tau.size() > 0) detail::check_entries(in.tau.data(), in.tau.size(), m.nv(), k_who, "tau");
  if (in.external != nullptr) detail::check_external(m, in.external->data(), static_cast<Index>(in.external->size()));
  throw std::invalid_argument(std::string(k_who) + ": dt is > 0 and finite; got " + std::to_string(in.dt));
}

}  // namespace

const WrenchEstimate& WrenchObserver::start(const WrenchObserverInput& sample) {
  Impl& x = there(impl_);
  throw_wrong(model(), sample, x.wrong(sample, Impl::Sample::start));
  return x.observe(sample, Impl::Sample::start);
}
const WrenchEstimate& WrenchObserver::resume(const WrenchObserverInput& sample) {
  Impl& x = there(impl_);
  throw_wrong(model(), sample, x.wrong(sample, Impl::Sample::resume));
  return x.observe(sample, Impl::Sample::resume);
}
const WrenchEstimate& WrenchObserver::update(const WrenchObserverInput& sample) {
  Impl& x = there(impl_);
  throw_wrong(model(), sample, x.wrong(sample, Impl::Sample::next));
  return x.observe(sample, Impl::Sample::next);
}
const WrenchEstimate& WrenchObserver::try_update(const WrenchObserverInput& sample) noexcept {
  static const WrenchEstimate moved = [] {
    WrenchEstimate x;
    x.status = Status::invalid_input;
    x.invalid = "observer";
    return x;
  }();
  if (impl_ == nullptr) return moved;
  const Refusal wrong = impl_->wrong(sample, Impl::Sample::next);
  if (wrong.status != Status::ok) return impl_->refuse(wrong.status, wrong.argument);
  try {
    return impl_->observe(sample, Impl::Sample::next);
  } catch (const ArithmeticOverflowError&) { return impl_->refuse(Status::overflow, ""); } catch (...) {
    return impl_->refuse(Status::invalid_input, "constraints");
  }
}

void WrenchObserver::set_active(const std::string& name, bool active) {
  Impl& x = there(impl_);
  for (const Constraint& of : x.rows.constraints())
    if (of.name == name && of.role == Role::driver)
      throw std::invalid_argument(std::string(k_who) + ": '" + name + "' is a driver: its force is in tau");
  if (std::find(x.names.begin(), x.names.end(), name) == x.names.end()) x.rows.set_active(name, active);
  x.rows_and_wrenches.set_active(name, active);
  for (ConstraintSet* const set : {&x.rows, &x.rows_and_wrenches})  // those of a group, too
    for (const Constraint& of : set->constraints())
      if (of.role == Role::driver) (*set)[of.name].active = false;
}

const WrenchEstimate& WrenchObserver::estimate() const { return there(impl_).result; }
VectorView WrenchObserver::wrench(const std::string& name) const {
  const Impl& x = there(impl_);
  if (std::find(x.names.begin(), x.names.end(), name) == x.names.end()) detail::throw_unknown("wrench", name, x.names);
  Index first = 0;
  const auto& all = x.rows_and_wrenches.constraints();
  std::size_t i = static_cast<std::size_t>(x.rows.size());
  for (; all[i].name != name; ++i) first += all[i].size();
  return {x.w.data() + first, all[i].size()};
}
const std::vector<std::string>& WrenchObserver::names() const { return there(impl_).names; }
const std::vector<std::string>& WrenchObserver::row_names() const { return there(impl_).wrench_rows; }
const Model& WrenchObserver::model() const { return there(impl_).known.model(); }
Data& WrenchObserver::data() { return there(impl_).data; }

}  // namespace zwang
