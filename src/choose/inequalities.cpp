// SPDX-License-Identifier: BSD-3-Clause
#include "choose/inequalities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/instances.hpp"
#include "certify/certificate.hpp"
#include "core/kernel_table.hpp"
#include "factor/method.hpp"
#include "linear/cholesky.hpp"

namespace zwang {
namespace {
constexpr double k_unbounded = std::numeric_limits<double>::infinity();
constexpr double k_least_give = 1e-12;  ///< of the terms of a row: it holds if it gives way by less

constexpr double k_parallel = 1e-8;  ///< of the terms: a sum that is smaller is 0

double length(Index n, const double* x) {
  double sum = 0;
  for (Index k = 0; k < n; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}
}  // namespace

Inequalities::Inequalities(const Problem& of)
    : whole(of),
      stop_(of.state.interruption),
      nv_(of.state.data.model().nv()),
      set_(2 * nv_, of.layout.capacity + nv_, &stop_),
      J_(of.layout.capacity * nv_),
      terms_(of.layout.capacity * nv_),
      b_(of.layout.capacity),
      size_(of.layout.capacity),
      reach_(of.layout.capacity),
      needed_(of.layout.capacity),
      M_(nv_ * nv_),
      force_(nv_),
      scratch_(nv_),
      motors_(nv_),
      fixed_(of.layout.capacity),
      loaded_(of.layout.capacity),
      bounded_(of.layout.capacity),
      gives_(of.layout.capacity),
      released_(of.layout.capacity) {}

void Inequalities::evaluate(const Problem& of, const Method& method, const MotorLimits& limits) {
  limited_ = idle_ = chosen_ = false;
  limits_ = &limits;
  whole.reader.limit_motors(!limits.empty());
  whole.read(method.purpose(Singularity::truncation));
  whole.rows.shock = of.rows.shock;
  if (whole.rows.shock != nullptr) RowReader::take_shock(whole.layout, whole.rows);
  if (has_levels() && levels_ == nullptr) levels_ = std::make_unique<ByLevel>(nv_, whole.layout.capacity);
  Data& data = whole.state.data;
  const double *const q = whole.state.q.data(), *const v = whole.state.v.data();
  page::kinematics(data, q, v);
  page::columns_of_positions(data, q);
  whole.rows.at_state = false;
  whole.attach();
  write_rows();
  std::fill_n(scratch_.data(), nv_, 0.0);
  kernels().state->inverse_dynamics(&data, q, v, scratch_.data(), force_.data());
  for (Index y = 0; y < nv_; ++y) force_[y] = whole.state.total[y] - force_[y];
  page::kinematics(data, q, v);
  page::columns_of_positions(data, q);
  write_bounds();
  motors_.choose(whole, limits, J_.data());
}

/// J and the magnitudes of the terms of its entries. An entry that is rounding of these is 0.
void Inequalities::write_rows() {
  const Data& data = whole.state.data;
  const Tree<double>& tree = data.tree();
  const page::RowNumbers<double>& rows = whole.rows;
  std::fill_n(J_.data(), rows.m * nv_, 0.0);
  std::fill_n(terms_.data(), rows.m * nv_, 0.0);
  for (Index k = 0; k < rows.m; ++k) {
    b_[k] = -page::attached_residual(rows, k);
    size_[k] = std::fabs(b_[k]);
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
      const double moment = norm(K.n) + norm(K.f) * norm(data.position.placement[body].p);  // before summation
      const Motion<double>& bias = data.velocity.bias[body];
      size_[k] += norm(K.f) * (norm(bias.v) + norm(data.gravity)) + moment * norm(bias.w);
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c) {
          const Motion<double> s = data.articulated.column[c].s;
          const Index at = k * nv_ + tree.column[c].v;
          J_[at] += dot(s, K) * tree.column[c].multiplier;
          terms_[at] += std::fabs(tree.column[c].multiplier) * (norm(s.v) * norm(K.f) + norm(s.w) * moment);
        }
    });
    for (Index at = k * nv_; at < (k + 1) * nv_; ++at)
      if (std::fabs(J_[at]) <= 4 * epsilon_of<double> * terms_[at]) J_[at] = 0;
  }
}

/// Whether a row with a sense is beyond its position by more than what is warned of: in a shock it is not touched. One
/// without a position is.
bool Inequalities::is_open(Index k, Sense sense) const {
  const Constraint& x = whole.constraint_of(k);
  if (sense == Sense::equal || x.relation == nullptr || (x.target.empty() && x.relation->position_is_free()))
    return false;
  const double error = whole.rows.phi[whole.rows.row_of[k]];
  return (sense == Sense::at_least ? error : -error) > Certificate::k_fast;
}

void Inequalities::write_bounds() {
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Constraint& x = whole.constraint_of(k);
    const std::size_t i = whole.row_in_constraint(k);
    const Sense sense = x.sense.empty() ? Sense::equal : x.sense[i];
    const double limit = x.limit.empty() ? k_unbounded : x.limit[i];
    set_.lower[k] = sense == Sense::at_least ? 0.0 : -limit;
    set_.upper[k] = sense == Sense::at_most ? 0.0 : limit;
    bounded_[k] = sense != Sense::equal || limit < k_unbounded;
    if (whole.rows.shock != nullptr && is_open(k, sense)) set_.lower[k] = set_.upper[k] = 0;
  }
  for (Buffer<double>* x : {&fixed_, &loaded_}) std::fill_n(x->data(), x->size(), 0.0);
  std::fill_n(gives_.data(), gives_.size(), static_cast<unsigned char>(0));
}

bool Inequalities::may_stay(const Problem& of) const {
  const unsigned char* const out = of.rows.released.data();
  for (Index k = 0; k < whole.rows.m; ++k)
    if (out[whole.rows.row_of[k]] && !(bounded_[k] && (set_.lower[k] == 0 || set_.upper[k] == 0))) return false;
  return true;
}

void Inequalities::write_mass() {
  const Tree<double>& tree = whole.state.data.tree();
  kernels().state->mass_matrix(&whole.state.data, whole.state.q.data(), M_.data(), nv_);
  for (Index k = 0; k < tree.spanning_nv && whole.state.data.damping_step > 0 && tree.passive != nullptr; ++k) {
    const auto& c = tree.column[k];
    M_[c.v * nv_ + c.v] += tree.passive[k].damping * whole.state.data.damping_step * c.multiplier * c.multiplier;
  }
}

/// Prescribed coordinates go to the right-hand sides.
void Inequalities::hold_prescribed() {
  for (Index p = 0; whole.state.prescribed.any && p < nv_; ++p) {
    if (!whole.state.prescribed.is[p]) continue;
    const double a = whole.state.prescribed.value[p];
    for (Index y = 0; y < nv_; ++y) force_[y] -= M_[y * nv_ + p] * a;
    for (Index k = 0; k < whole.rows.m; ++k) {
      b_[k] -= J_[k * nv_ + p] * a;
      J_[k * nv_ + p] = 0;
    }
    for (Index y = 0; y < nv_; ++y) M_[y * nv_ + p] = M_[p * nv_ + y] = 0;
    M_[p * nv_ + p] = 1;
    force_[p] = 0;
  }
}

/// M = L L^T. Where M is singular, the hard rows without bounds stiffen it: the motion under these rows is the same.
/// The first coordinate that is without inertia then; -1: none is.
Index Inequalities::factor_mass() {
  double largest = 0;
  for (Index y = 0; y < nv_; ++y) {
    scratch_[y] = M_[y * nv_ + y];
    largest = std::max(largest, scratch_[y]);
  }
  stiffened_ = dense::cholesky(nv_, nv_, 16 * epsilon_of<double> * nv_, M_.data(), &stop_);
  if (stiffened_ < 0) return -1;
  for (Index y = 0; y < nv_; ++y) {  // the upper triangle is as it was
    for (Index x = 0; x < y; ++x) M_[y * nv_ + x] = M_[x * nv_ + y];
    M_[y * nv_ + y] = scratch_[y];
  }
  for (Index k = 0; k < whole.rows.m && !stop_.asked(); ++k) {
    const double size = length(nv_, &J_[k * nv_]);
    if (bounded_[k] || whole.rows.compliance[k] > 0 || !(size > 0)) continue;
    const double stiffness = (largest > 0 ? largest : 1.0) / (size * size);
    for (Index y = 0; y < nv_; ++y) {
      force_[y] += stiffness * J_[k * nv_ + y] * b_[k];
      for (Index x = 0; x < nv_; ++x) M_[y * nv_ + x] += stiffness * J_[k * nv_ + y] * J_[k * nv_ + x];
    }
  }
  return dense::cholesky(nv_, nv_, 16 * epsilon_of<double> * nv_, M_.data(), &stop_);
}

/// W = L^-1 J^T with the columns of soft rows and of clutches, b, and the free motion.
void Inequalities::write_set(Index soft) {
  const page::RowNumbers<double>& rows = whole.rows;
  const Index m = rows.m, first_motor = nv_ + soft;
  set_.begin(first_motor + motors_.count, m + motors_.count);
  std::copy_n(force_.data(), nv_, set_.start());
  dense::solve_lower(nv_, nv_, M_.data(), set_.start());
  for (Index k = 0, own = nv_; k < m && !stop_.asked(); ++k) {
    double* const w = set_.row(k);
    std::copy_n(&J_[k * nv_], nv_, w);
    dense::solve_lower(nv_, nv_, M_.data(), w);
    if (rows.compliance[k] > 0) w[own++] = std::sqrt(rows.compliance[k]);
    set_.b[k] = b_[k];
    const double size = length(own, w);
    reach_[k] = size * length(nv_, set_.start());
    needed_[k] = size > 0 ? size_[k] / (size * size) : 0;
  }
  for (Index i = 0; i < motors_.count && !stop_.asked(); ++i) {
    std::fill_n(scratch_.data(), nv_, 0.0);
    scratch_[motors_.coordinate[i]] = 1;
    dense::solve_lower(nv_, nv_, M_.data(), scratch_.data());
    motors_.set_unit(i, length(nv_, scratch_.data()));
  }
  motors_.write(whole, J_.data(), first_motor, set_);
}

/// The problem of the set. `singular` tells a coordinate without inertia.
Inequalities::Choice Inequalities::begin_choice(Index& soft) {
  chosen_ = true;
  write_mass();
  hold_prescribed();
  if (const Index without = factor_mass(); without >= 0) return {ActiveSet::End::found, without};
  for (Index k = 0; k < whole.rows.m; ++k) soft += whole.rows.compliance[k] > 0;
  write_set(soft);
  return {ActiveSet::End::found, -1};
}

Inequalities::Choice Inequalities::choose(const RowPolicy& policy) {
  Index soft = 0;
  if (const Choice without = begin_choice(soft); without.singular >= 0) return without;
  const Index m = whole.rows.m;
  const double angle = std::max(policy.tolerance, 64 * epsilon_of<double> * (nv_ + m));
  const ActiveSet::End end = set_.find_stiff({angle, policy.feasibility}, motors_.count);
  if (stop_.asked()) return {end, -1};
  for (Index k = 0; k < m; ++k) {
    const ActiveSet::At at = set_.at(k);
    idle_ = idle_ || set_.is_idle(k);
    if (!bounded_[k] || at == ActiveSet::At::inside || k == set_.contradicted()) continue;
    double& fixed = fixed_[whole.rows.row_of[k]];
    fixed = at == ActiveSet::At::lower ? set_.lower[k] : set_.upper[k];
    limited_ = limited_ || fixed != 0;
  }
  if (motors_.count > 0) take_limited(nv_ + soft);
  return {end, -1};
}

/// -w of a driver row whose motors slip.
double Inequalities::give(Index k) const {
  double sum = 0;
  for (Index i = 0; i < motors_.count && whole.rows.role[k] == Role::driver; ++i)
    sum += J_[k * nv_ + motors_.coordinate[i]] * motors_.slip[motors_.coordinate[i]];
  return sum;
}

/// The motors at their limit, and the driver rows that give way with them.
void Inequalities::take_limited(Index first_motor) {
  motors_.take(whole.rows.m, first_motor, set_);
  if (!motors_.any_at_limit()) return;
  limited_ = true;
  for (Index k = 0; k < whole.rows.m; ++k) {
    double terms = size_[k];
    for (Index i = 0; i < motors_.count; ++i)
      terms += std::fabs(J_[k * nv_ + motors_.coordinate[i]] * motors_.slip[motors_.coordinate[i]]);
    if (std::fabs(give(k)) <= k_least_give * terms || k == set_.contradicted()) continue;
    if (bounded_[k] && set_.at(k) != ActiveSet::At::inside) continue;
    gives_[k] = 1;
    fixed_[whole.rows.row_of[k]] = set_.lambda(k);
  }
}

bool Inequalities::fix_drivers() {
  bool some = false;
  for (Index k = 0; chosen_ && motors_.count > 0 && k < whole.rows.m; ++k) {
    if (whole.rows.role[k] != Role::driver || gives_[k]) continue;
    if (bounded_[k] && set_.at(k) != ActiveSet::At::inside) continue;
    some = true;
    gives_[k] = 2;
    fixed_[whole.rows.row_of[k]] = set_.lambda(k);
  }
  limited_ = limited_ || some;
  return some;
}

const unsigned char* Inequalities::released(bool idle) {
  std::fill_n(released_.data(), released_.size(), static_cast<unsigned char>(0));
  for (Index k = 0; k < whole.rows.m; ++k)
    released_[whole.rows.row_of[k]] = gives_[k] || (chosen_ && bounded_[k] && set_.at(k) != ActiveSet::At::inside &&
                                                    k != set_.contradicted() && !(idle && set_.is_idle(k)));
  return released_.data();
}

void Inequalities::load(Problem& problem) {
  if (!limited_) return;
  auto& f = problem.state.data.force;
  if (!f.has_external) std::fill_n(f.external.data(), f.external.size(), Force<double>::zero());
  f.has_external = true;
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Index r = whole.rows.row_of[k];
    const double lambda = fixed_[r] - loaded_[r];
    loaded_[r] = fixed_[r];
    if (lambda == 0) continue;
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      if (body > 0) f.external[body] += inverse(whole.state.data.position.placement[body]) * (K * lambda);
    });
  }
}

void Inequalities::unload(Data& data) const {
  for (Index k = 0; limited_ && k < whole.rows.m; ++k) {
    const double lambda = loaded_[whole.rows.row_of[k]];
    if (lambda == 0) continue;
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      if (body > 0) data.force.external[body] -= inverse(whole.state.data.position.placement[body]) * (K * lambda);
    });
  }
}

/// The largest entry of the row of J.
double Inequalities::size_of(Index k) const {
  double size = 0;
  for (Index y = 0; y < nv_; ++y) size = std::max(size, std::fabs(J_[k * nv_ + y]));
  return size;
}

/// The largest generalised force, also of those that driver rows ask for without limits: what they get is a part of it.
double Inequalities::strength_of(const Numbers& of) const {
  double strength = 0;
  for (Index y = 0; y < nv_; ++y) strength = std::max(strength, std::fabs(force_[y]));
  for (Index k = 0; k < whole.rows.m; ++k) {
    const double needed = chosen_ && gives_[k] ? needed_[k] : 0.0;
    strength = std::max(strength, std::max(std::fabs(of.multipliers[whole.rows.row_of[k]]), needed) * size_of(k));
  }
  return strength;
}

Inequalities::Violation Inequalities::measure(const Numbers& of, double feasibility) const {
  const double strength = strength_of(of);
  Violation v{0, true, false, false};
  for (Index k = 0; k < whole.rows.m; ++k) {
    if (!bounded_[k] && give(k) == 0 && !gives_[k]) continue;
    const double lambda = of.multipliers[whole.rows.row_of[k]], soft = whole.rows.compliance[k] * lambda;
    double w = soft - b_[k] + give(k), terms = std::fabs(soft) + size_[k] + std::fabs(give(k));
    if (chosen_) terms += reach_[k];
    for (Index y = 0; y < nv_; ++y) {
      w += J_[k * nv_ + y] * of.acceleration[y];
      terms += terms_[k * nv_ + y] * std::fabs(of.acceleration[y]);
    }
    const double open = terms > 0 ? w / terms : 0.0;
    const double unit = strength > 0 && size_of(k) > 0 ? size_of(k) / strength : 1.0;
    // The distance that a step of the size of -w moves lambda within its bounds: 0 where both conditions hold.
    const double force = lambda * unit;
    const double to = std::clamp(force - open, set_.lower[k] * unit, set_.upper[k] * unit);
    const double low = force - set_.lower[k] * unit, high = set_.upper[k] * unit - force;
    const double near = std::max(std::fabs(open), std::min(low, high));
    if (set_.lower[k] == set_.upper[k]) continue;  // open in a shock
    v.add(std::fabs(force - to), near, feasibility);
  }
  measure_motors(of, strength, feasibility, v);
  return v;
}

/// The same for motors: u - tau moves with nu within its limits.
void Inequalities::measure_motors(const Numbers& of, double strength, double feasibility, Violation& v) const {
  double fastest = 0;
  for (Index y = 0; y < nv_; ++y)
    fastest = std::max({fastest, std::fabs(of.acceleration[y]), std::fabs(motors_.slip[y])});
  for (Index y = 0; !limits_->empty() && y < nv_; ++y) {
    if (whole.state.prescribed.any && whole.state.prescribed.is[y]) continue;
    const double u = of.motor_torque[y] - whole.state.tau[y],
                 largest = std::max(strength, std::fabs(whole.state.tau[y]));
    const double unit = largest > 0 ? 1 / largest : 1.0, force = u * unit;
    const double slip = fastest > 0 ? motors_.slip[y] / fastest : 0.0;
    const double low = force - motors_.lower[y] * unit, high = motors_.upper[y] * unit - force;
    const double to = std::clamp(force + slip, motors_.lower[y] * unit, motors_.upper[y] * unit);
    v.add(std::fabs(force - to), std::max(std::fabs(slip), std::min(low, high)), feasibility);
    if (!(-std::min(low, high) > feasibility)) continue;
    v.beyond = true;
    v.out_of_reach = v.out_of_reach || !motors_.at_limit[y];
  }
}

/// A direction d of torques that driver rows do not change, J_k d = 0, or only within their own limits, while all torques within the
/// limits of motors are on one side of what they give along d (Farkas). Slips grow along such a d without end.
bool Inequalities::limits_contradict() const {
  double largest = 0;
  for (Index i = 0; i < motors_.count; ++i)
    largest = std::max(largest, std::fabs(motors_.growth[motors_.coordinate[i]]));
  if (!(largest > 0) || !is_finite(largest)) return false;
  double low = 0, high = 0, terms = 0;  // d . u by the limits of motors, less what rows give
  const auto add = [&](double c, double lower, double upper) {
    low += c > 0 ? c * lower : c * upper;
    high += c > 0 ? c * upper : c * lower;
    for (const double x : {lower, upper})
      if (is_finite(x)) terms += std::fabs(c * x);
  };
  for (Index i = 0; i < motors_.count; ++i) {
    const Index y = motors_.coordinate[i];
    const double d = motors_.growth[y] / largest;
    if (std::fabs(d) > k_parallel) add(d, motors_.lower[y], motors_.upper[y]);
  }
  for (Index k = 0; k < whole.rows.m; ++k) {
    if (whole.rows.role[k] != Role::driver) continue;
    double sum = 0, size = 0;
    for (Index i = 0; i < motors_.count; ++i) {
      const double term = J_[k * nv_ + motors_.coordinate[i]] * motors_.growth[motors_.coordinate[i]] / largest;
      sum += term;
      size += std::fabs(term);
    }
    if (std::fabs(sum) > k_parallel * size) add(-sum, set_.lower[k], set_.upper[k]);
  }
  return low > k_parallel * terms || high < -k_parallel * terms;
}

Inequalities::Errors Inequalities::errors_of(Index k, const double* acceleration) const {
  const Constraint& x = whole.constraint_of(k);
  const Index r = whole.rows.row_of[k];
  Errors e{std::numeric_limits<double>::quiet_NaN(), 0, -b_[k]};
  if (x.relation != nullptr) {
    e.position = whole.rows.phi[r];
    e.velocity = whole.rows.rate[r];
  } else {
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      e.velocity += dot(Motion<double>(whole.state.data.velocity.twist[body]), K);
    });
  }
  for (Index y = 0; y < nv_; ++y) e.residual += J_[k * nv_ + y] * acceleration[y];  // prescribed ones are in b
  return e;
}

void Inequalities::add_torques(Role role, double* out) const {
  for (Index k = 0; limited_ && k < whole.rows.m; ++k)
    if (const double lambda = fixed_[whole.rows.row_of[k]]; lambda != 0 && whole.rows.role[k] == role)
      for (Index c = 0; c < whole.state.data.tree().spanning_nv; ++c)
        out[whole.state.data.tree().column[c].v] += whole.jacobian(k, c) * lambda;
}

double Inequalities::energy(const double* torque) {
  for (Index y = 0; y < nv_; ++y)
    scratch_[y] = whole.state.prescribed.any && whole.state.prescribed.is[y] ? 0.0 : torque[y];
  dense::solve_lower(nv_, nv_, M_.data(), scratch_.data());
  const double z = length(nv_, scratch_.data());
  return 0.5 * z * z;
}

void Inequalities::name(const Problem& of, const Numbers& numbers, double feasibility, SolveReport& report) const {
  const unsigned char* const out = of.rows.released.data();
  for (Index r = 0; r < whole.layout.rows(); ++r) {
    const Index k = whole.rows.sweep_row[r];
    if (k < 0) continue;
    if (gives_[k] == 1)
      report.given_up.push_back(
          {whole.row_name(k), errors_of(k, numbers.acceleration).residual, GivenUp::Reason::limit});
    else if (bounded_[k])
      (fixed_[r] != 0 && !gives_[k] ? report.at_limit
       : out[r] && !gives_[k]       ? report.released
                                    : report.held)
          .push_back(whole.row_name(k));
  }
  name_motors(numbers, feasibility, report);
}

void Inequalities::name_motors(const Numbers& numbers, double feasibility, SolveReport& report) const {
  const double strength = strength_of(numbers);
  for (Index y = 0; !limits_->empty() && y < nv_; ++y) {
    const std::string& name = whole.state.data.model().coordinate_names()[static_cast<std::size_t>(y)];
    const double u = numbers.motor_torque[y], largest = std::max(strength, std::fabs(u));
    const double lower = limits_->lower[static_cast<std::size_t>(y)],
                 upper = limits_->upper[static_cast<std::size_t>(y)];
    if (motors_.at_limit[y])
      report.motors_at_limit.push_back(name);
    else if (const double beyond = std::max(lower - u, u - upper); beyond > feasibility * largest)
      report.warnings.push_back({SolveWarning::Kind::motor_beyond_limit, {}, beyond, name});
  }
}

}  // namespace zwang
