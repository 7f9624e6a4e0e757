// SPDX-License-Identifier: BSD-3-Clause
// Where a motion with contact begins, what is kept from step to step, and what is said of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "simulation/contact_step.hpp"
#include "simulation/unfit_side.hpp"

namespace zwang {
namespace {

constexpr double k_inside = 1e-6;  // overlap at the start that is said [m]
constexpr double k_rest = 2;       // approach that does not bounce, beside the speed that gravity gives in a step
constexpr int k_first_passes = 40;

}  // namespace

ContactStep::ContactStep(Movement& motion)
    : motion_(motion),
      model_(motion.model),
      impulses_(motion),
      axes_(model_.tree<double>(), UnturnedAxes::holds(motion.set)),
      free_(integrator_row(Integrator::rk4).make(motion)),
      rest_(k_rest * norm(model_.gravity()) * motion.settings.dt),
      begin_(model_.nq(), model_.nv()),
      now_(model_.nq(), model_.nv()),
      v_free_(model_.nv()),
      move_(model_.nv()),
      torque_(model_.nv()),
      means_{Buffer<double>(model_.nv()), Buffer<double>(model_.nv()), Buffer<double>(motion.set.rows())} {
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
  trial_.reserve(64);
  impacts_.reserve(64);
  shown_impacts_.reserve(64);
  for (Parts* const x : {&parts_, &saved_}) {
    x->contacts.reserve(64);
    x->motor_torque.reserve(static_cast<std::size_t>(model_.nv()));
    x->multipliers.reserve(static_cast<std::size_t>(motion.rows));
  }
}

bool ContactStep::means(double* acceleration, double* multipliers, double* motor_torque) const {
  if (is_free_) return false;
  std::copy_n(means_.acceleration.data(), model_.nv(), acceleration);
  std::copy_n(means_.multipliers.data(), motion_.rows, multipliers);
  if (motor_torque != nullptr) std::copy_n(means_.motor_torque.data(), model_.nv(), motor_torque);
  return true;
}

void ContactStep::accept(SimulationReport& report) {
  ContactTotals& all = report.contact;
  const ContactTotals& step = impulses_.totals;
  for (const auto worst : {&ContactTotals::residual, &ContactTotals::signorini, &ContactTotals::coulomb,
                           &ContactTotals::dissipation, &ContactTotals::penetration})
    all.*worst = std::fmax(all.*worst, step.*worst);
  for (const auto count : {&ContactTotals::free_steps, &ContactTotals::warm_steps, &ContactTotals::cold_steps,
                           &ContactTotals::iterations, &ContactTotals::impacts, &ContactTotals::halved})
    all.*count += step.*count;
  all.most_points = std::max(all.most_points, step.most_points);
  say(report);
  if (kept_.many && !memory_.said_many)
    report.notes.push_back({"impacts", "more than 50 impacts in one step: what remains of it is without restitution"});
  memory_.said_many = memory_.said_many || kept_.many;
  if (step.penetration > memory_.depth) {
    memory_.depth = step.penetration;
    memory_.deepest = impulses_.deepest;
  }
  memory_.contacts.swap(trial_);
  shown_ = &memory_.contacts;
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
  if (!(memory_.depth > motion_.settings.drift_tolerance)) return {};
  char text[80];
  std::snprintf(text, sizeof text, "' overlap by up to %.3g, which could not be taken apart", memory_.depth);
  return "'" + impulses_.rows.name(memory_.deepest) + text;
}

void ContactStep::exchange(ContactMemory& other) {
  std::vector<bool>& left_out = impulses_.rows.pairs().left_out();
  other.left_out.resize(left_out.size());
  memory_.left_out.swap(left_out);
  memory_.hard = impulses_.hard;
  std::swap(memory_, other);
  memory_.left_out.swap(left_out);
  impulses_.hard = memory_.hard;
  impulses_.doubt = {};  // of a step that failed
  shown_ = &memory_.contacts;
}

/// Overlaps are taken apart; a step that is not kept says what acts at the first state.
bool ContactStep::start(MovementState& state, double h, SimulationReport& report) {
  ContactMemory nothing;
  exchange(nothing);
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
    report.notes.push_back({"overlap at the start", "shapes or limits overlap at the start, '" + where + "'" + text});
  }
  for (std::string& note : notes) report.notes.push_back({"contact", std::move(note)});
  memory_.contacts.assign(motion_.first_contacts().begin(), motion_.first_contacts().end());
  std::sort(memory_.contacts.begin(), memory_.contacts.end(), is_before);
  MovementState next(model_.nq(), model_.nv());
  if (!step(h, state, next)) return false;
  motion_.forget();
  first_ = trial_;
  shown_ = &first_;
  return true;
}

const IntegratorRow integrator::contact{
    .name = "contact",
    .make = [](Movement& motion) -> std::unique_ptr<Stepper> { return std::make_unique<ContactStep>(motion); },
    .dampers = std::numeric_limits<double>::infinity(),
    .springs = 2};

}  // namespace zwang
