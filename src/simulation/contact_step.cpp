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
#include <cstdio>
#include <limits>

#include "manifold/instances.hpp"
#include "simulation/contact_impulses.hpp"
#include "simulation/stepper.hpp"
#include "simulation/unfit_side.hpp"
#include "simulation/unturned_axes.hpp"

namespace zwang {
namespace {

constexpr double k_least = 1e-3;     // gap at which a point is found [m, rad]
constexpr double k_close = 1e-9;     // gap of what touches [m]
constexpr double k_overlap = 1e-11;  // that is left [m, rad]
constexpr double k_hit = 2e-11;      // overlap that is an impact [m]
constexpr double k_inside = 1e-6;    // overlap at the start that is said [m]
constexpr double k_rest = 2;         // approach that does not bounce, beside the speed that gravity gives in a step
constexpr double k_instant = 1e-12;  // of a step
constexpr double k_behind = 0.05;    // of a step: how long after that a look is taken
constexpr int k_most_impacts = 50, k_most_tries = 200, k_passes = 20, k_first_passes = 40;

/// Whether a point bounces where it touches.
bool bounces(const ContactRow& x) { return x.is_point() && !x.gives_way() && x.law.restitution > 0; }

class ContactStep : public Stepper {
 public:
  explicit ContactStep(Movement& motion);
  bool start(MovementState& state, double h, SimulationReport& report) override;
  bool step(double h, const MovementState& from, MovementState& to) override;
  void accept(SimulationReport& report) override;
  bool means(double* acceleration, double* multipliers, double* motor_torque) const override;
  std::span<const ContactState> contacts() const override { return *shown_; }
  std::span<const ContactImpact> impacts() const override { return shown_impacts_; }
  std::string broken() const override;
  double implicit(double h) const override { return motion_.settings.solver.joint_effects.damping ? h : 0; }

 private:
  using Row = ContactRow;
  bool is_fast(const Row& x, const double* v) const { return impulses_.rows.approach(x, v) < -rest_; }
  bool flies(const Row& x, const double* v) const;
  bool strike(MovementState& at, bool& struck);
  bool hits(const MovementState& at, bool& slow);
  double gap_of_what_strikes(const MovementState& at, double h);
  bool locate(double h, const MovementState& from, MovementState& to, double& low);
  bool advance(double h, const MovementState& from, MovementState& to, bool bouncing);
  bool free_flight(double h, const MovementState& from, MovementState& to, bool bouncing, bool& good);
  void publish(double h);
  void say(SimulationReport& report);

  Movement& motion_;
  const Model& model_;
  ContactImpulses impulses_;
  const UnturnedAxes axes_;
  std::unique_ptr<Stepper> free_;
  const double rest_;  ///< approach that does not bounce [m/s]
  bool bounces_ = false, is_free_ = true;
  double first_hit_ = 0;                                ///< when a point that flies should close, by its speed [s]
  std::vector<ContactImpact> impacts_, shown_impacts_;  ///< of the last step; of the last one accepted
  MovementState now_;
  Buffer<double> v_free_, move_, torque_, acceleration_, motor_torque_, multipliers_;
  std::vector<ContactState> kept_, trial_;  ///< of the last step of the motion, and of the last step(); sorted
  std::vector<ContactState> first_;         ///< of the first state
  const std::vector<ContactState>* shown_ = &kept_;
  ContactTotals kept_totals_;  ///< of the parts of a step that stay
  ContactRow deepest_;         ///< overlap of the motion
  double depth_ = 0;
  bool many_ = false, said_many_ = false;
};

ContactStep::ContactStep(Movement& motion)
    : motion_(motion),
      model_(motion.model),
      impulses_(motion),
      axes_(model_.tree<double>()),
      free_(integrator_row(Integrator::rk4).make(motion)),
      rest_(k_rest * norm(model_.gravity()) * motion.settings.dt),
      now_(model_.nq(), model_.nv()),
      v_free_(model_.nv()),
      move_(model_.nv()),
      torque_(model_.nv()),
      acceleration_(model_.nv()),
      motor_torque_(model_.nv()),
      multipliers_(motion.set.rows()) {
  if (!motion.settings.solver.motor_limits.empty())
    throw UnsupportedError("Simulator: integrator 'contact' takes no motor_limits: clip the torques in the control");
  for (const Constraint& x : motion.set.constraints()) {
    const char* const unfit = x.is_sided() ? unfit_side(x) : nullptr;
    if (unfit != nullptr)
      throw UnsupportedError("Simulator: integrator 'contact' and constraint '" + x.name.value() +
                             "', which has a sense, and " + unfit + ": not those of a step");
    if (x.is_sided() || (x.policy != Policy::soft && x.limit.empty())) continue;
    throw UnsupportedError(
        "Simulator: integrator 'contact' and constraint '" + x.name.value() +
        "': rows with a compliance or a limit are not those of a step; use shapes of a Scene, limits "
        "of joints, or another integrator");
  }
  for (const ContactPairs::Pair& x : impulses_.rows.pairs().pairs()) bounces_ = bounces_ || x.law.restitution > 0;
  kept_.reserve(64);
  trial_.reserve(64);
  impacts_.reserve(64);
  shown_impacts_.reserve(64);
}

/// Whether a point takes no part in a step, since it will bounce where it touches.
bool ContactStep::flies(const Row& x, const double* v) const {
  return bounces(x) && (x.gap > k_close || impulses_.rows.approach(x, v) > rest_);
}

bool ContactStep::step(double h, const MovementState& from, MovementState& to) {
  kept_totals_ = {};
  impacts_.clear();
  now_.copy(from);
  double left = h;  // not from times, whose rounding a motion that goes on from a saved state has not
  bool bouncing = bounces_, slow = false;
  for (int impacts = 0;;) {
    bool struck = false;
    if (bouncing && !strike(now_, struck)) return false;
    if (struck) {
      bouncing = ++impacts < k_most_impacts;
      if (!bouncing) many_ = true;
      kept_totals_ = impulses_.totals;
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
    if (!locate(length, now_, to, low)) return false;
    to.time = now_.time + low;
    now_.copy(to);
    kept_totals_ = impulses_.totals;
    left -= low;
    if (left <= k_instant * h) break;
  }
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
  for (const Row& x : list)
    if (bounces(x) && is_fast(x, at.v.data())) {
      const ContactPairs::Pair& pair = impulses_.rows.pair_of(x);
      const bool is_new = std::none_of(impacts_.begin(), impacts_.end(), [&](const ContactImpact& y) {
        return y.time == at.time && y.at.a == pair.a && y.at.b == pair.b;
      });
      if (is_new) impacts_.push_back({at.time, {.a = pair.a, .b = pair.b, .point = x.point, .normal = x.normal}});
    }
  impulses_.totals = kept_totals_;
  if (!motion_.accelerate(at, 0) || !impulses_.shock(at.q.data(), rest_, at.v.data())) return false;
  motion_.forget();
  return true;
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
  impulses_.totals = kept_totals_;
  const auto takes_part = [&](const Row& x) { return !(bouncing && flies(x, from.v.data())); };
  const auto begin = [&] {
    if (!motion_.accelerate(from, implicit(h))) return false;
    for (Index k = 0; k < model_.nv(); ++k) v_free_[k] = from.v[k] + h * motion_.acceleration()[k];
    axes_.free(h, from.v.data(), v_free_.data());
    impulses_.find(from.q.data(), v_free_.data(), v_free_.data(), k_least, h);
    impulses_.keep([](const Row&) { return true; });
    first_hit_ = h;
    for (const Row& x : impulses_.rows.list()) {
      const double speed = impulses_.rows.approach(x, v_free_.data());
      if (!takes_part(x) && speed < -rest_) first_hit_ = std::fmin(first_hit_, x.gap / -speed);
    }
    impulses_.keep(takes_part);
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
    if (good) return true;
    is_free_ = false;
    if (!begin()) return false;
  }
  std::copy_n(v_free_.data(), model_.nv(), to.v.data());
  if (!impulses_.step(h, from.q.data(), kept_, to.v.data())) return false;
  publish(h);
  for (Index k = 0; k < model_.nv(); ++k) move_[k] = h * to.v[k];
  axes_.straighten(move_.data());
  page::integrate(model_.tree<double>(), from.q.data(), move_.data(), to.q.data());
  axes_.turn(h, to.v.data());
  for (Index k = 0; k < model_.nv(); ++k) acceleration_[k] = (to.v[k] - from.v[k]) / h;
  // What flies and did not take part may overlap: hits() looks for that.
  const auto counts = [&](const Row& x) {
    if (!bouncing || !bounces(x)) return true;
    return std::any_of(trial_.begin(), trial_.end(), [&](const ContactState& s) {
      return s.a == impulses_.rows.pair_of(x).a && s.b == impulses_.rows.pair_of(x).b;
    });
  };
  return impulses_.take_apart(to.q.data(), k_overlap, k_passes, counts,
                              [&](const double* moved) { axes_.turn_by(moved, to.v.data()); });
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
  std::copy_n(motion_.tau(), nv, motor_torque_.data());
  std::fill_n(multipliers_.data(), motion_.rows, 0.0);
  impulses_.publish(h, trial_, torque_.data(), multipliers_.data());
  if (motion_.rows == 0 && motion_.prescribed().empty()) return;
  const Movement::WithoutSided without(motion_);
  const Solution& s = motion_.solver.resolve(
      {.tau = {torque_.data(), nv}, .external = &motion_.external(), .prescribed = &motion_.prescribed()});
  motion_.forget();
  for (Index r = 0; r < motion_.rows; ++r) multipliers_[r] += s.multipliers[r];  // 0 of those of the step
  for (Index k = 0; k < nv; ++k) motor_torque_[k] += s.motor_torque[k] - torque_[k];
}

bool ContactStep::means(double* acceleration, double* multipliers, double* motor_torque) const {
  if (is_free_) return false;
  std::copy_n(acceleration_.data(), model_.nv(), acceleration);
  std::copy_n(multipliers_.data(), motion_.rows, multipliers);
  if (motor_torque != nullptr) std::copy_n(motor_torque_.data(), model_.nv(), motor_torque);
  return true;
}

void ContactStep::accept(SimulationReport& report) {
  ContactTotals& all = report.contact;
  const ContactTotals& step = impulses_.totals;
  for (const auto worst : {&ContactTotals::residual, &ContactTotals::signorini, &ContactTotals::coulomb,
                           &ContactTotals::dissipation, &ContactTotals::penetration})
    all.*worst = std::fmax(all.*worst, step.*worst);
  for (const auto count : {&ContactTotals::free_steps, &ContactTotals::warm_steps, &ContactTotals::cold_steps,
                           &ContactTotals::iterations, &ContactTotals::impacts})
    all.*count += step.*count;
  all.most_points = std::max(all.most_points, step.most_points);
  say(report);
  if (many_ && !said_many_)
    report.notes.push_back({"impacts", "more than 50 impacts in one step: what remains of it is without restitution"});
  said_many_ = said_many_ || many_;
  if (step.penetration > depth_) {
    depth_ = step.penetration;
    deepest_ = impulses_.deepest;
  }
  kept_.swap(trial_);
  shown_ = &kept_;
  shown_impacts_.assign(impacts_.begin(), impacts_.end());
}

/// Once for each kind of doubt.
void ContactStep::say(SimulationReport& report) {
  const ContactImpulses::Doubt doubt = impulses_.doubt;
  impulses_.doubt = {};
  if (doubt.about == nullptr) return;
  for (const SimulationNote& x : report.notes)
    if (x.about == doubt.about) return;
  const std::string where = "at '" + impulses_.rows.name(doubt.row) +
                            "', in the step that begins at t = " + std::to_string(report.time) + " s: ";
  const std::string about = doubt.about;
  report.notes.push_back(
      {about,
       where + (about == "energy_grows" ? "an impact has made energy, as Newton's law of restitution can where several "
                                          "points touch, or with friction (Kane 1984); e = 0 does not"
                : about == "overlap"    ? "shapes overlap after it and are taken apart, which may raise or lower what "
                                          "lies on them; shorter steps"
                : about == "not_unique" ? "friction is beyond Painleve's bound, the answer may not be the only one"
                                        : "friction beyond Painleve's bound stops the motion by an impulse that "
                                          "is no collision's")});
}

std::string ContactStep::broken() const {
  if (!(depth_ > motion_.settings.drift_tolerance)) return {};
  char text[80];
  std::snprintf(text, sizeof text, "' overlap by up to %.3g, which could not be taken apart", depth_);
  return "'" + impulses_.rows.name(deepest_) + text;
}

/// Overlaps are taken apart; a step that is not kept says what acts at the first state.
bool ContactStep::start(MovementState& state, double h, SimulationReport& report) {
  ContactPairs& pairs = impulses_.rows.pairs();
  std::vector<std::string> notes = pairs.scene().notes();
  notes.insert(notes.end(), pairs.notes().begin(), pairs.notes().end());
  notes.insert(notes.end(), impulses_.rows.notes().begin(), impulses_.rows.notes().end());
  impulses_.find(state.q.data(), nullptr, nullptr, 0, 0);
  double depth = 0;
  std::string where;
  for (const Row& x : impulses_.rows.list()) {
    if (x.gives_way() || (x.is_point() && impulses_.rows.pair_of(x).of_robot) || !(-x.gap > depth)) continue;
    depth = -x.gap;
    where = impulses_.rows.name(x) + (x.is_point() ? " [m]" : " [rad, m]");
  }
  impulses_.totals = {};
  double* const q = state.q.data();
  if (depth > k_inside &&
      (!motion_.accelerate(state, 0) ||
       !impulses_.take_apart(
           q, k_overlap, k_first_passes, [](const Row& x) { return !x.is_point(); }, [](const double*) {})))
    return false;
  impulses_.find(q, nullptr, nullptr, 0, 0);
  pairs.leave_out_overlaps(k_inside, notes);
  if (depth > k_inside) {
    impulses_.totals = {};
    if (!impulses_.take_apart(q, k_overlap, k_first_passes)) return false;
    motion_.forget();
    if (impulses_.totals.penetration > k_inside) {
      char text[160];
      std::snprintf(
          text, sizeof text,
          " overlap by up to %.3g, and no configuration near it was found where nothing does: %.3g is left at '", depth,
          impulses_.totals.penetration);
      const bool is_fixed =
          std::none_of(model_.joints().begin(), model_.joints().end(), [](const Joint& j) { return j.v.size == 6; });
      return motion_.fail(Status::not_converged,
                          "at the start '" + where + "'" + text + impulses_.rows.name(impulses_.deepest) +
                              (is_fixed ? "'. The root is fixed: load it with root floating, or give another q"
                                        : "'. Give another q, leave the pair out of the scene, or limits"));
    }
    char text[120];
    std::snprintf(text, sizeof text,
                  " by up to %.3g; the motion begins at the nearest configuration where nothing does", depth);
    notes.push_back("shapes or limits overlap at the start, '" + where + "'" + text);
  }
  for (std::string& note : notes) report.notes.push_back({"contact", std::move(note)});
  kept_.assign(motion_.first_contacts().begin(), motion_.first_contacts().end());
  std::sort(kept_.begin(), kept_.end(), is_before);
  MovementState next(model_.nq(), model_.nv());
  if (!step(h, state, next)) return false;
  motion_.forget();
  first_ = trial_;
  shown_ = &first_;
  return true;
}

}  // namespace

const IntegratorRow integrator::contact{
    .name = "contact",
    .make = [](Movement& motion) -> std::unique_ptr<Stepper> { return std::make_unique<ContactStep>(motion); },
    .dampers = std::numeric_limits<double>::infinity(),
    .springs = 2};

}  // namespace zwang
