// SPDX-License-Identifier: BSD-3-Clause
#include "choose/chooser.hpp"

#include <limits>

#include "algorithm/instances.hpp"

namespace zwang {

Chooser::Chooser(const Problem& of)
    : whole(of),
      stop_(of.state.interruption),
      set_(2 * of.state.data.model().nv(), of.layout.capacity + of.state.data.model().nv(), &stop_),
      exact_(of.state.data.model().nv() + of.layout.capacity, of.layout.capacity, of.state.data.model().nv(), &stop_),
      rows_(whole),
      box_(of.layout.capacity),
      clutch_(of.state.data.model().nv()),
      choice_(whole),
      holds_(of.layout.capacity + of.state.data.model().nv()) {}

void Chooser::evaluate(const Problem& of, const Method& method, const MotorLimits& limits) {
  whole.reader.limit_motors(!limits.empty());
  whole.read(method.purpose(Singularity::truncation));
  whole.rows.shock = of.rows.shock;
  if (whole.rows.shock != nullptr) RowReader::take_shock(whole.layout, whole.rows);
  if (has_levels() && levels_ == nullptr) levels_ = std::make_unique<ByLevel>(rows_.nv(), whole.layout.capacity);
  State& state = whole.state;
  page::kinematics(state.data, state.q.data(), state.v.data());
  page::columns_of_positions(state.data, state.q.data());
  whole.rows.at_state = false;
  whole.attach();
  rows_.evaluate();
  choice_.begin();
  box_.read(whole);
  clutch_.read(rows_, limits);
}

/// The problem of the set. False where a coordinate is without inertia.
bool Chooser::begin_choice() {
  choice_.made = true;
  choice_.singular = rows_.factor(box_.bounded.data());
  if (choice_.singular >= 0) return false;
  const Index first_clutch = rows_.nv() + rows_.soft(), m = whole.rows.m;
  set_.begin(first_clutch + clutch_.count, m + clutch_.count);
  rows_.write(set_);
  box_.write(m, set_);
  clutch_.find_units(rows_);
  clutch_.write(whole, rows_.J(), first_clutch, set_);
  return true;
}

/// The smallest sine of a row to others that counts as a direction of its own.
double Chooser::angle_of(const RowPolicy& policy) const {
  return std::max(policy.tolerance, 64 * epsilon_of<double> * (rows_.nv() + whole.rows.m));
}

const Choice& Chooser::choose(const RowPolicy& policy) {
  if (!begin_choice()) return choice_;
  choice_.end = set_.find_stiff({angle_of(policy), policy.feasibility}, clutch_.count);
  if (!stop_.asked()) take();
  return choice_;
}

void Chooser::take() {
  box_.take(set_, choice_);
  if (clutch_.count > 0) clutch_.take(rows_, box_, rows_.nv() + rows_.soft(), set_, choice_);
}

bool Chooser::choose_exactly(const RowPolicy& policy) {
  if (!choice_.made || rows_.stiffened() >= 0) return false;
  const Index m = whole.rows.m, coordinates = rows_.nv() + rows_.soft();
  const LimitedForces::End end =
      exact_.find(set_, {angle_of(policy), policy.feasibility}, coordinates, m, clutch_.count);
  if (stop_.asked()) return false;
  if (clutch_.count > 0 && end != LimitedForces::End::unsettled)
    for (Index i = 0; i < clutch_.count; ++i)
      clutch_.growth[clutch_.coordinate[i]] = end == LimitedForces::End::limits_contradict ? exact_.slip(i) : 0.0;
  const bool contradicts = end == LimitedForces::End::rows_contradict;
  if (end != LimitedForces::End::found && !contradicts) return false;
  for (Index k = 0; k < m + clutch_.count; ++k) set_.replace(k, exact_.at(k), k < m ? exact_.lambda(k) : 0.0);
  for (Index i = 0; i < clutch_.count; ++i) set_.replace_motion(coordinates + i, -exact_.slip(i) / clutch_.unit[i]);
  choice_.choose();
  choice_.limited = false;
  if (contradicts) {
    clutch_.forget();
    box_.take(set_, choice_);
    return true;
  }
  take();
  for (Index k = 0; k < m; ++k) {
    if (choice_.acts[k] != Choice::Acts::as_row || set_.at(k) != ActiveSet::At::inside) continue;
    if (!box_.bounded[k] && !(clutch_.count > 0 && whole.rows.role[k] == Role::driver)) continue;
    choice_.fix(k, Choice::Acts::as_wrench, set_.lambda(k));
    choice_.limited = true;
  }
  return true;
}

const unsigned char* Chooser::release(bool idle) {
  Buffer<unsigned char>& out = choice_.released;
  std::fill_n(out.data(), out.size(), static_cast<unsigned char>(0));
  for (Index k = 0; k < whole.rows.m; ++k) {
    const bool at_bound = choice_.made && box_.bounded[k] && set_.at(k) != ActiveSet::At::inside &&
                          k != set_.contradicted() && !(idle && set_.is_idle(k));
    out[whole.rows.row_of[k]] = choice_.acts[k] != Choice::Acts::as_row || at_bound;
  }
  return out.data();
}

Violation Chooser::measure(const Found& of, double feasibility) {
  const double strength = choice_.made ? 0 : rows_.strength(of);
  rows_.take_wrenches(choice_);
  Violation v;
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Clutch::Give slip = clutch_.give(rows_, k);
    if (!box_.bounded[k] && slip.terms == 0 && choice_.acts[k] == Choice::Acts::as_row) continue;
    const double open = rows_.residual(k, of, slip.value, slip.terms, choice_.made).relative(), size = rows_.size_of(k),
                 terms = choice_.made ? rows_.force_terms(k)
                         : size > 0   ? strength / size
                                      : 0.0;
    box_.measure(k, of.multipliers[whole.rows.row_of[k]], terms, open, feasibility, v);
  }
  clutch_.measure(rows_, of, choice_.made, feasibility, v);
  return v;
}

Chooser::Errors Chooser::errors_of(Index k, const double* acceleration) const {
  const Index r = whole.rows.row_of[k];
  Errors e{std::numeric_limits<double>::quiet_NaN(), 0, -rows_.b(k)};
  if (whole.constraint_of(k).relation != nullptr) {
    e.position = whole.rows.phi[r];
    e.velocity = whole.rows.rate[r];
  } else {
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      e.velocity += dot(Motion<double>(whole.state.data.velocity.twist[body]), K);
    });
  }
  for (Index y = 0; y < rows_.nv(); ++y) e.residual += rows_.J(k, y) * acceleration[y];  // prescribed ones are in b
  return e;
}

/// Rows that hold by forces that choose_exactly() has found are no rows of the solve: counts them.
void Chooser::count_forces(const Problem& of, const Found& found, SolveReport& report) {
  const Index m = whole.rows.m;
  Index forces = 0;
  for (Index k = 0; k < m; ++k) {
    const bool by_force = choice_.acts[k] == Choice::Acts::as_wrench;
    holds_[k] = by_force || !of.rows.released[whole.rows.row_of[k]];
    if (!by_force) continue;
    ++forces;
    report.residual = std::max(report.residual, std::fabs(rows_.residual(k, found, 0, 0, true).relative()));
  }
  if (forces == 0) return;
  std::fill_n(holds_.data() + m, clutch_.count, static_cast<unsigned char>(0));
  report.rows += forces;
  report.rank = set_.rank_of(holds_.data());
}

void Chooser::name(const Problem& of, const Found& found, double feasibility, SolveReport& report) {
  for (Index r = 0; r < whole.layout.rows(); ++r) {
    const Index k = whole.rows.sweep_row[r];
    if (k < 0) continue;
    const bool as_row = choice_.acts[k] == Choice::Acts::as_row;
    if (choice_.acts[k] == Choice::Acts::gives_way)
      report.given_up.push_back({whole.row_name(k), errors_of(k, found.acceleration).residual, GivenUp::Reason::limit});
    else if (box_.bounded[k])
      (choice_.force[r] != 0 && as_row ? report.at_limit
       : of.rows.released[r] && as_row ? report.released
                                       : report.held)
          .push_back(whole.row_name(k));
  }
  count_forces(of, found, report);
  clutch_.name(rows_, found, feasibility, report);
}

}  // namespace zwang
