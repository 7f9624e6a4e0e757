// SPDX-License-Identifier: BSD-3-Clause
// Time stepping with contact, limits and dry friction: Moreau 1988, with the friction of De Saxcé & Feng 1998.
//
//   v_f = v + h q''(q, v)                       q'': a solve with all rows of the user, joint damping at the step's end
//   v'  = v_f + M^-1 J^T lambda                 lambda: impulses in their cones that satisfy the laws (ContactSolver)
//   q'  = q (+) h v'
//   sigma_n >= -gap / h at rigid points and limits: what is apart closes at most
//   a point that gives way (k, d): lambda_n = -h (k (gap + h sigma_n) + d sigma_n) where that is positive
// Then q' goes to the nearest configuration in the metric of M at which no gap is negative. Velocities stay: nothing is
// thrown out of where it overlaps, and where nothing but contact and friction does work, the kinetic energy of v' is at
// most that of v_f.
//
// Steps in which nothing touches are steps of rk4. Restitution (Newton's law, all touching points at once): what
// approaches faster than k_rest |g| h flies freely to the instant of the impact, which is found to k_instant of a step.
// Reads: q, v. Cost: a solve, a factor of M, O(rows nv) for W, the contact problem. Allocates where there are more
// points than in any step before.
#include <algorithm>
#include <cmath>
#include <limits>

#include "manifold/instances.hpp"
#include "simulation/contact_step.hpp"

namespace zwang {
namespace {

constexpr double k_least = 1e-3;     // gap at which a point is found [m, rad]
constexpr double k_close = 1e-9;     // gap of what touches [m]
constexpr double k_hit = 2e-11;      // overlap that is an impact [m]
constexpr double k_instant = 1e-12;  // of a step
constexpr double k_behind = 0.05;    // of a step: how long after that a look is taken
constexpr int k_most_impacts = 50, k_most_tries = 200, k_passes = 20;
constexpr double k_small_move = 0.02;  // of a coordinate in a step [rad, m]: no inertia changes
constexpr double k_most_turn = 1, k_most_change = 0.2;
constexpr int k_parts = 32;  // of a step, at most

/// Whether a point bounces where it touches.
bool bounces(const ContactRow& x) { return x.is_point() && !x.gives_way() && x.law.restitution > 0; }

}  // namespace

/// Whether a point takes no part in a step, since it will bounce where it touches.
bool ContactStep::flies(const Row& x, const double* v) const {
  return bounces(x) && (x.gap > k_close || impulses_.rows.approach(x, v) > rest_);
}

void ContactStep::keep() { kept_ = {impulses_.totals, impulses_.doubt, kept_.many, impacts_.size()}; }

void ContactStep::restore() {
  impulses_.totals = kept_.totals;
  impulses_.doubt = kept_.doubt;
}

/// A part that is not resolved, or whose impulses are not found, is halved: that of half the length is another problem.
bool ContactStep::step(double h, const MovementState& from, MovementState& to) {
  kept_ = {};
  impacts_.clear();
  parts_.whole = h, parts_.count = 0, parts_.touched = false;
  if (record_ != nullptr) record_->clear();
  begin_.copy(from);
  for (int done = 0, size = k_parts; done < k_parts;) {
    const Kept before = kept_;
    const int parts = parts_.count;
    if (parts > 0) saved_ = parts_;
    if (step_whole(h * size / k_parts, begin_, to)) {
      done += size;
      keep();
      begin_.copy(to);
    } else if (motion_.status == Status::not_converged && size > 1) {
      motion_.status = Status::ok;
      motion_.forget();
      kept_ = before;
      impacts_.resize(before.impacts);
      if (parts > 0) std::swap(parts_, saved_);
      parts_.count = parts, parts_.touched = parts > 0 && parts_.touched;
      ++kept_.totals.halved;
      if (record_ != nullptr) ++record_->halved;
      size /= 2;
    } else {
      return false;
    }
  }
  restore();
  if (parts_.count > 0) finish_parts(from, to);
  to.time = from.time + h;
  return true;
}

/// The last advance(), of the length h, stays, and is not the whole step.
void ContactStep::add_part(double h) {
  Parts& p = parts_;
  const double share = h / p.whole;
  if (p.count++ == 0) {
    p.contacts.clear();
    p.motor_torque.assign(static_cast<std::size_t>(model_.nv()), 0.0);
    p.multipliers.assign(static_cast<std::size_t>(motion_.rows), 0.0);
  }
  const Solution& free = motion_.solver.solution();
  const double* const torque = is_free_ ? free.motor_torque.data() : means_.motor_torque.data();
  const double* const multipliers = is_free_ ? free.multipliers.data() : means_.multipliers.data();
  for (std::size_t k = 0; k < p.motor_torque.size(); ++k) p.motor_torque[k] += share * torque[k];
  for (std::size_t k = 0; k < p.multipliers.size(); ++k) p.multipliers[k] += share * multipliers[k];
  if (is_free_) return;
  p.touched = true;
  for (ContactState x : trial_) {
    x.force = x.force * share;
    const auto at = std::lower_bound(p.contacts.begin(), p.contacts.end(), x, is_before);
    if (at == p.contacts.end() || is_before(x, *at)) {
      p.contacts.insert(at, x);
      continue;
    }
    at->force = at->force + x.force;
    at->slip = x.slip;
    if (x.kind != ContactState::Kind::open) at->kind = x.kind;
  }
}

void ContactStep::finish_parts(const MovementState& from, const MovementState& to) {
  is_free_ = !parts_.touched;
  trial_.swap(parts_.contacts);
  if (is_free_) trial_.clear();
  std::copy(parts_.motor_torque.begin(), parts_.motor_torque.end(), means_.motor_torque.data());
  std::copy(parts_.multipliers.begin(), parts_.multipliers.end(), means_.multipliers.data());
  for (Index k = 0; k < model_.nv(); ++k) means_.acceleration[k] = (to.v[k] - from.v[k]) / parts_.whole;
}

bool ContactStep::record(ContactRecord* to) {
  record_ = impulses_.record = to;
  if (to != nullptr) to->names = &impulses_.rows;
  return true;
}

bool ContactStep::step_whole(double h, const MovementState& from, MovementState& to) {
  now_.copy(from);
  double left = h;  // not from times, whose rounding a motion that goes on from a saved state has not
  bool bouncing = bounces_, slow = false;
  for (int impacts = 0;;) {
    bool struck = false;
    if (bouncing && !strike(now_, struck)) return false;
    if (struck) {
      bouncing = ++impacts < k_most_impacts;
      if (!bouncing) kept_.many = true;
      keep();
      continue;
    }
    if (!advance(left, now_, to, bouncing)) return false;
    if (!bouncing) break;
    bool hit = hits(to, slow);
    double length = left;
    if (!hit && first_hit_ < left) {  // it may have gone through: a look where it should have struck
      length = std::fmin(left, first_hit_ + k_behind * left);
      if (!advance(length, now_, to, true)) return false;
      hit = hits(to, slow);
      if (!hit && !advance(left, now_, to, true)) return false;
    }
    if (!hit) break;
    if (slow) {  // it comes to rest: an impact without a bounce
      if (!advance(left, now_, to, false)) return false;
      break;
    }
    double low = 0;
    if (record_ != nullptr) note_impact();
    if (!locate(length, now_, to, low)) return false;
    to.time = now_.time + low;
    now_.copy(to);
    keep();
    left -= low;
    if (low > 0) add_part(low);
    if (left <= k_instant * h) {
      left = 0;
      break;
    }
  }
  if (left > 0 && (parts_.count > 0 || h < parts_.whole)) add_part(left);
  to.time = from.time + h;
  return true;
}

/// All that touch at once, without forces: impulses are those of an instant.
bool ContactStep::strike(MovementState& at, bool& struck) {
  impulses_.find(at.q.data(), nullptr, nullptr, k_close, 0);
  impulses_.keep([](const Row& x) { return !x.gives_way(); });
  const auto& list = impulses_.rows.list();
  struck = std::any_of(list.begin(), list.end(), [&](const Row& x) { return bounces(x) && is_fast(x, at.v.data()); });
  if (!struck) return true;
  if (record_ != nullptr) note_impact();
  for (const Row& x : list)
    if (bounces(x) && is_fast(x, at.v.data())) {
      const ContactPairs::Pair& pair = impulses_.rows.pair_of(x);
      const bool is_new = std::none_of(impacts_.begin(), impacts_.end(), [&](const ContactImpact& y) {
        return y.time == at.time && y.at.a == pair.a && y.at.b == pair.b;
      });
      if (is_new) impacts_.push_back({at.time, {.a = pair.a, .b = pair.b, .point = x.point, .normal = x.normal}});
    }
  restore();
  if (!motion_.accelerate(at, 0) || !impulses_.shock(at.q.data(), rest_, at.v.data())) return false;
  motion_.forget();
  return true;
}

/// That the rows there are strike.
void ContactStep::note_impact() {
  ++record_->impacts;
  if (!impulses_.rows.list().empty()) record_->struck = impulses_.rows.list().front();
}

/// The rows that may act in this step.
void ContactStep::note_rows() {
  ContactRecord& r = *record_;
  r.rows = impulses_.rows.list();
  r.approach.clear();
  for (const Row& x : r.rows) r.approach.push_back(impulses_.rows.approach(x, v_free_.data()));
  for (std::vector<double>* x : {&r.impulses, &r.sigma, &r.v}) x->clear();
  r.apart.clear();
}

/// Whether some point that was left to fly overlaps; slow: none of them is fast enough to bounce.
bool ContactStep::hits(const MovementState& at, bool& slow) {
  impulses_.find(at.q.data(), nullptr, nullptr, 0, 0);
  impulses_.keep([](const Row& x) { return bounces(x) && x.gap < -k_hit; });
  const auto& list = impulses_.rows.list();
  slow = std::none_of(list.begin(), list.end(), [&](const Row& x) { return is_fast(x, at.v.data()); });
  return !list.empty();
}

double ContactStep::gap_of_what_strikes(const MovementState& at, double h) {
  impulses_.find(at.q.data(), at.v.data(), at.v.data(), k_least, h);
  impulses_.keep(bounces);
  double least = std::numeric_limits<double>::infinity();
  for (const Row& x : impulses_.rows.list())
    if (is_fast(x, at.v.data())) least = std::fmin(least, x.gap);
  return least;
}

/// to: the state before the first impact. By secants of the smallest gap of what approaches, and halves where these are
/// slow.
bool ContactStep::locate(double h, const MovementState& from, MovementState& to, double& low) {
  double high = h, low_gap = gap_of_what_strikes(from, h), high_gap = gap_of_what_strikes(to, h);
  low = 0;
  const double width = k_instant * motion_.settings.dt;
  bool halve = false;
  for (int k = 0; high - low > width && k < k_most_tries; ++k) {
    const double before = high - low, line = low_gap / (low_gap - high_gap);
    double at = low + (halve || !(line >= 0 && line <= 1) ? 0.5 : line) * before;
    at = std::fmin(std::fmax(at, low + 0.25 * width), high - 0.25 * width);
    if (!advance(at, from, to, true)) return false;
    const double gap = gap_of_what_strikes(to, h);
    (gap < 0 ? high : low) = at;
    (gap < 0 ? high_gap : low_gap) = gap;
    halve = k > 1 && high - low > 0.5 * before;
  }
  if (low > 0) return advance(low, from, to, true);
  to.copy(from);
  return true;
}

bool ContactStep::advance(double h, const MovementState& from, MovementState& to, bool bouncing) {
  to.time = from.time + h;
  restore();
  const auto takes_part = [&](const Row& x) { return !(bouncing && flies(x, from.v.data())); };
  const auto begin = [&] {
    if (!motion_.accelerate(from, implicit(h))) return false;
    for (Index k = 0; k < model_.nv(); ++k) v_free_[k] = from.v[k] + h * motion_.acceleration()[k];
    axes_.free(h, from.v.data(), v_free_.data(), motion_.prescribed().empty());
    impulses_.find(from.q.data(), v_free_.data(), v_free_.data(), k_least, h);
    impulses_.keep([](const Row&) { return true; });
    first_hit_ = h;
    for (const Row& x : impulses_.rows.list()) {
      const double speed = impulses_.rows.approach(x, v_free_.data());
      if (!takes_part(x) && speed < -rest_) first_hit_ = std::fmin(first_hit_, x.gap / -speed);
    }
    if (bouncing) impulses_.keep(takes_part);
    if (record_ != nullptr) note_rows();
    return true;
  };
  if (!begin()) return false;
  const auto& list = impulses_.rows.list();
  is_free_ = std::none_of(list.begin(), list.end(),
                          [&](const Row& x) {
                            return x.kind == Row::Kind::friction ||
                                   x.gap + h * impulses_.rows.approach(x, v_free_.data()) <= 0;
                          }) &&
             !impulses_.has_fast_dampers(h, from.q.data());
  if (is_free_) {
    bool good = false;
    if (!free_flight(h, from, to, bouncing, good)) return false;
    if (record_ != nullptr) record_->is_free = good;
    if (good) return is_resolved(h, from.q.data(), to.v.data(), to);
    is_free_ = false;
    if (!begin()) return false;
  }
  if (record_ != nullptr) record_->is_free = false;
  std::copy_n(v_free_.data(), model_.nv(), to.v.data());
  if (!impulses_.step(h, from.q.data(), memory_.contacts, to.v.data())) return false;
  publish(h);
  if (record_ != nullptr) impulses_.note_step(to.v.data());
  for (Index k = 0; k < model_.nv(); ++k) move_[k] = h * to.v[k];
  std::copy_n(to.v.data(), model_.nv(), v_free_.data());
  axes_.straighten(move_.data());
  page::integrate(model_.tree<double>(), from.q.data(), move_.data(), to.q.data());
  axes_.turn(h, to.v.data());
  for (Index k = 0; k < model_.nv(); ++k) means_.acceleration[k] = (to.v[k] - from.v[k]) / h;
  // What flies and did not take part may overlap: hits() looks for that.
  const auto counts = [&](const Row& x) {
    if (!bouncing || !bounces(x)) return true;
    return std::any_of(trial_.begin(), trial_.end(), [&](const ContactState& s) {
      return s.a == impulses_.rows.pair_of(x).a && s.b == impulses_.rows.pair_of(x).b;
    });
  };
  return impulses_.take_apart(to.q.data(), k_overlap, k_passes, counts, [&](const double* moved) {
    axes_.turn_by(moved, to.v.data());
  }) && is_resolved(h, from.q.data(), v_free_.data(), to);
}

/// v: the velocity of `to`, in the axes that joints have at q. An inertia that changes by a fifth within a step (near a
/// singularity of spherical_zyx, or where an arm whips) is beyond a method of first order.
bool ContactStep::is_resolved(double h, const double* q, const double* v, const MovementState& to) {
  double most = 0;
  for (Index k = 0; k < model_.nv(); ++k) most = std::fmax(most, h * std::fabs(to.v[k]));
  if (!(most > k_small_move)) return true;
  if (h * axes_.largest_turning(to.v.data()) > k_most_turn)
    return motion_.fail(Status::not_converged, "a body turns by more than a radian in a step; shorter steps");
  const double before = impulses_.kinetic_energy(q, v), after = impulses_.kinetic_energy(to.q.data(), to.v.data());
  if (std::fabs(after - before) <= k_most_change * std::fmax(before, after)) return true;
  return motion_.fail(Status::not_converged,
                      "the inertia that moves changes by more than a fifth in a step; shorter steps, or, near a "
                      "singularity of a joint, another joint");
}

/// good: nothing overlaps at the end.
bool ContactStep::free_flight(double h, const MovementState& from, MovementState& to, bool bouncing, bool& good) {
  if (!free_->step(h, from, to)) return false;
  impulses_.find(to.q.data(), nullptr, nullptr, 0, 0);
  const auto& list = impulses_.rows.list();
  good = std::none_of(list.begin(), list.end(), [&](const Row& x) { return x.gap < 0 && !(bouncing && bounces(x)); });
  if (!good) return true;
  trial_.clear();
  ++impulses_.totals.free_steps;
  return true;
}

/// The contacts of the step, and what the user's rows and motors have to do beside them.
void ContactStep::publish(double h) {
  const Index nv = model_.nv();
  std::copy_n(motion_.tau(), nv, torque_.data());
  std::copy_n(motion_.tau(), nv, means_.motor_torque.data());
  std::fill_n(means_.multipliers.data(), motion_.rows, 0.0);
  impulses_.publish(h, trial_, means_.multipliers.data());
  if (motion_.rows == 0 && motion_.prescribed().empty()) return;
  impulses_.add_torques(h, torque_.data());
  const Movement::WithoutSided without(motion_);
  const Solution& s = motion_.solver.resolve(
      {.tau = {torque_.data(), nv}, .external = &motion_.external(), .prescribed = &motion_.prescribed()});
  motion_.forget();
  for (Index r = 0; r < motion_.rows; ++r) means_.multipliers[r] += s.multipliers[r];  // 0 of those of the step
  for (Index k = 0; k < nv; ++k) means_.motor_torque[k] += s.motor_torque[k] - torque_[k];
}

}  // namespace zwang
