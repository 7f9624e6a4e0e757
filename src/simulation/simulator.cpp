// SPDX-License-Identifier: BSD-3-Clause
// Simulator: the grid of times, events inside of a step, what is recorded.
#include "zwang/simulation/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "question/motion_notes.hpp"
#include "simulation/check_settings.hpp"
#include "simulation/contact_events.hpp"
#include "simulation/drift.hpp"
#include "simulation/events.hpp"
#include "simulation/fastest_rates.hpp"
#include "simulation/friction_step.hpp"
#include "simulation/keeper.hpp"
#include "simulation/motion_start.hpp"
#include "simulation/stepper.hpp"
#include "simulation/target_notes.hpp"
#include "zwang/algorithm/real_time.hpp"

namespace zwang {
namespace {

constexpr int k_most_events = 50;        // in one step
constexpr double k_event_width = 1e-12;  // of a step
constexpr int k_most_bisections = 200;
constexpr double k_notable_error = 1e-6;  // of a part of a step
constexpr long k_looks_at_rates = 16;     // steps between two more

}  // namespace

struct Simulator::Impl {
  Impl(const Model& of, const ConstraintSet& set, const SimulationSettings& with, const Scene* touching = nullptr)
      : model(of),
        given(set),
        settings(checked_settings(with)) {
    if (touching != nullptr) scene = *touching;
    for (const Constraint& x : given.constraints())
      if (x.active && settings.integrator != Integrator::contact) detail::check_looks_ahead("Simulator", x);
    make();
  }

  /// Everything that a motion may have changed is made anew, so that the next one does not depend on it.
  void make() {
    parts = nullptr;
    parts = std::make_unique<Parts>(model, given, settings, scene ? &*scene : nullptr);
    for (std::size_t k = 0; k < wanted.size(); ++k) parts->add(wanted[k], static_cast<Index>(k));
    parts->motion.control = control.get();
    show();
  }
  void show() {
    Parts& p = *parts;
    const auto bind = [](VectorView& view, const double* data, Index size) { new (&view) VectorView(data, size); };
    bind(state.q, p.now.q.data(), p.now.q.size());
    bind(state.v, p.now.v.data(), p.now.v.size());
    bind(state.acceleration, p.acceleration.data(), p.acceleration.size());
    bind(state.multipliers, p.multipliers.data(), p.multipliers.size());
    bind(p.trial.q, p.next.q.data(), p.next.q.size());
    bind(p.trial.v, p.next.v.data(), p.next.v.size());
    bind(p.trial.acceleration, p.trial_acceleration.data(), p.acceleration.size());
    bind(p.trial.multipliers, p.trial_multipliers.data(), p.multipliers.size());
  }

  bool start(const SimulationInput& input);
  bool step();
  void end(Status status, std::string why);
  void close();
  bool ended() const { return over; }

  /// What one motion needs.
  struct Parts {
    Parts(const Model& model, const ConstraintSet& set, const SimulationSettings& settings, const Scene* scene)
        : motion(model, set, settings, scene),
          keeper(motion),
          events(motion),
          touches(motion),
          drift(motion),
          target_notes(motion),
          rates(motion),
          stepper(integrator_row(settings.integrator).make(motion)),
          data(model),
          now(model.nq(), model.nv()),
          next(now),
          acceleration(model.nv()),
          multipliers(set.rows()),
          trial_acceleration(acceleration),
          trial_multipliers(multipliers),
          friction_step(motion) {}
    void add(const SimulationEvent& e, Index number) { e.contact ? touches.add(e, number) : events.add(e, number); }
    Movement motion;
    Keeper keeper;
    Events events;
    ContactEvents touches;
    bool ends = false;  ///< a change of contact ends the motion with its step
    Drift drift;
    TargetNotes target_notes;
    FastestRates rates;
    std::unique_ptr<Stepper> stepper;
    Data data;  ///< of the energy
    MovementState now, next;
    Buffer<double> acceleration, multipliers, trial_acceleration, trial_multipliers;
    Buffer<double> motor_torque{now.v.size()};  ///< of `state`
    SimulationState trial;                      ///< a view of `next`
    FrictionStep friction_step;
  };

  bool try_step(double h);
  bool observe(const MovementState& at, double h, SimulationState& into, double* acceleration, double* multipliers);
  bool locate(double h);
  bool happen(bool& more);
  void accept();

  Model model;
  ConstraintSet given;
  SimulationSettings settings;
  std::optional<Scene> scene;
  std::unique_ptr<SimulationControl> control;
  std::vector<SimulationEvent> wanted;
  SimulationProgress progress = nullptr;
  void* context = nullptr;
  std::unique_ptr<Parts> parts;
  SimulationState state;
  SimulationReport report;
  std::vector<EventRecord> happened;
  Trajectory* record = nullptr;
  double begin = 0;
  std::int64_t index = 0, last = 0;  ///< of the grid
  bool over = true, started = false;

  double time_at(std::int64_t k) const {
    return k >= last ? begin + settings.time : begin + static_cast<double>(k) * settings.dt;
  }
  /// To the next time of the grid: dt to the bit where the whole step is ahead.
  double next_length() const {
    const double now = parts->now.time;
    if (now != time_at(index)) return std::max(time_at(index + 1) - now, 0.0);
    const double left = settings.time - static_cast<double>(index) * settings.dt;
    const bool whole = index + 1 < last || std::fabs(left - settings.dt) <= 1e-12 * settings.time;
    return whole ? settings.dt : left;  // a last step that differs by rounding is a whole one
  }
  void put();
};

/// Acceleration, multipliers, energy and errors at a state. False: it has no solution.
bool Simulator::Impl::observe(const MovementState& at, double h, SimulationState& into, double* acceleration,
                              double* multipliers) {
  Movement& m = parts->motion;
  if (!m.accelerate(at, parts->stepper->implicit(h))) return false;
  double energy = 0;
  const Status status =
      try_mechanical_energy(model, parts->data, view_of(at.q), view_of(at.v), energy, settings.solver.joint_effects);
  if (status != Status::ok) return m.fail(status, "the energy leaves the range of double");
  const Solution& s = m.solver.solution();
  double* const motor = &into == &state ? parts->motor_torque.data() : nullptr;
  std::copy_n(s.acceleration.data(), model.nv(), acceleration);
  std::copy_n(s.multipliers.data(), m.rows, multipliers);
  if (motor != nullptr) {
    std::copy_n(s.motor_torque.data(), model.nv(), motor);
    m.friction.add_to_motors(at.v.data(), motor);
  }
  parts->stepper->means(acceleration, multipliers, motor);
  into.time = at.time;
  into.energy = energy;
  parts->drift.measure(s, into);
  into.contacts = parts->stepper->contacts();
  return true;
}

/// next: the state after h, back on the rows if they are kept. h = 0: the state itself.
bool Simulator::Impl::try_step(double h) {
  Parts& p = *parts;
  if (h > 0) {
    if (!(p.motion.friction.any() ? p.friction_step.step(*p.stepper, h, p.now, p.next)
                                  : p.stepper->step(h, p.now, p.next)))
      return false;
    const bool projects = settings.keep != Keep::stabilisation && !p.stepper->keeps_positions();
    if (projects && !p.keeper.project(p.next)) return false;
  } else {
    p.next.copy(p.now);
  }
  p.trial.time = p.next.time;
  return !p.events.read_forces() ||
         observe(p.next, h, p.trial, p.trial_acceleration.data(), p.trial_multipliers.data());
}

bool Simulator::Impl::start(const SimulationInput& input) {
  if (started) make();
  started = true;
  over = true;
  report = {};
  const bool keeps_limits = settings.integrator == Integrator::contact && parts->motion.scene().limits;
  if (std::string left_out = left_out_of_motion(model, given, settings.solver, keeps_limits); !left_out.empty())
    report.notes.push_back({"left out", std::move(left_out)});
  happened.clear();
  Parts& p = *parts;
  p.motion.begin(input);
  p.stepper->begin();
  begin = report.time = input.time;
  index = 0;
  last = static_cast<std::int64_t>(std::min(std::ceil(settings.time / settings.dt * (1 - 1e-12)), 9e18));
  p.now.time = begin;
  MotionStart first{p.motion, p.keeper, *p.stepper, p.rates, p.now, p.next, next_length(), report};
  if (keeps_rows(p.motion, *p.stepper)) p.keeper.begin(p.stepper->keeps_velocities());
  if (!first.put_on_rows(input) || !observe(p.now, first.h, state, p.acceleration.data(), p.multipliers.data()) ||
      !first.look()) {
    end(p.motion.status, p.motion.reason);
    return false;
  }
  over = false;
  p.drift.begin(state, input);
  p.drift.measure(p.motion.solver.solution(), state);
  p.drift.accept(state, report);
  p.target_notes.begin();
  if (p.events.any()) p.events.begin(state, report.notes);
  p.touches.begin(state.contacts);
  if (record != nullptr) put();
  return true;
}

void Simulator::Impl::end(Status status, std::string why) {
  over = true;
  report.status = status;
  report.reason = std::move(why);
  if (status == Status::overflow && index > 0 && settings.integrator != Integrator::dormand_prince)
    report.reason += " The steps may be too long for what is stiff: take shorter ones, or integrator dormand_prince.";
  report.iterations = parts->stepper->iterations();
  report.step_error = parts->stepper->largest_error();
}

/// At the end of the motion, in time or by an event.
void Simulator::Impl::close() {
  const double error = parts->stepper->largest_error();
  if (error > k_notable_error) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "the error of one part of a step is up to %.2g, and %.2g was asked for: the motion is too fast for "
                  "its steps, or "
                  "forces jump; take shorter steps",
                  error, settings.accuracy);
    report.notes.push_back({"step error", text});
  }
  const bool holds = parts->drift.holds();
  std::string broken = parts->stepper->broken();
  if (holds && broken.empty())
    end(Status::ok, "");
  else if (holds)
    end(Status::drifted, std::move(broken));
  else
    end(parts->motion.status, parts->motion.reason);
}

/// next becomes the state.
void Simulator::Impl::accept() {
  Parts& p = *parts;
  p.now.copy(p.next);
  p.motion.friction.keep();
  p.stepper->accept(report);
  state.contacts = p.stepper->contacts();
  report.time = p.now.time;
  const long next = record != nullptr ? static_cast<long>(record->time.size()) : 0;
  p.ends |= p.touches.any() && p.touches.look(p.now.time, *p.stepper, next, happened);
}

/// A step of the grid, in as many parts as events divide it into.
bool Simulator::Impl::step() {
  if (over) return false;
  Parts& p = *parts;
  for (int count = 0;; ++count) {
    const double h = next_length();
    if (count > k_most_events) {
      end(Status::not_converged, "more than 50 events in one step: let an event switch rows on where impacts are slow");
      return false;
    }
    bool good = try_step(h);
    bool crossed = false;
    if (good && p.events.any()) {
      p.events.measure_next(p.trial);
      crossed = p.events.crosses();
      if (crossed) good = locate(h);
    }
    if (good && crossed) {
      accept();
      state.time = p.now.time;
      bool more = true;
      for (; more && good && !over && count <= k_most_events; count += more ? 1 : 0) good = happen(more);
      if (good && !over) continue;
      if (over) return false;
    }
    if (good) p.next.time = time_at(index + 1);
    good = good && observe(p.next, settings.dt, state, p.acceleration.data(), p.multipliers.data());
    if (!good) {
      end(p.motion.status, p.motion.reason);
      return false;
    }
    break;
  }
  p.target_notes.look(p.next.time - p.now.time, p.keeper.moved(), report.notes);
  accept();
  p.drift.accept(state, report);
  if (p.events.any()) p.events.measure_now(state);
  ++index;
  ++report.steps;
  if (record != nullptr && (index % settings.every == 0 || index >= last || p.ends)) put();
  report.iterations = p.stepper->iterations();
  report.step_error = p.stepper->largest_error();
  if (index >= last || p.ends)
    close();
  else if (index % k_looks_at_rates == 0 && !p.rates.follow(settings.dt, integrator_row(settings.integrator), 1))
    end(p.motion.status, p.motion.reason);
  if (progress != nullptr && !progress(context, p.now.time, begin + settings.time) && !over)
    end(Status::stopped, "stopped by the caller");
  return true;
}

/// next: the state before the first crossing, closer to it than k_event_width of a step.
/// By secants, and halves where these are slow.
bool Simulator::Impl::locate(double h) {
  Parts& p = *parts;
  const double width = std::max(k_event_width * settings.dt, 4e-16 * std::fabs(p.now.time + h));
  double low = 0, high = h;
  bool halve = false;
  for (int k = 0; high - low > width && k < k_most_bisections; ++k) {
    double at = halve ? 0.5 * (low + high) : low + p.events.fraction() * (high - low);
    at = std::min(std::max(at, low + 0.5 * width), high - 0.5 * width);
    if (!(at > low && at < high)) break;
    const double before = high - low;
    if (!try_step(at)) return false;
    (p.events.narrow(p.trial) ? high : low) = at;
    halve = high - low > 0.5 * before;
  }
  return try_step(low);
}

/// The state is at an event: it is recorded before and after. more: others are due at this instant.
bool Simulator::Impl::happen(bool& more) {
  Parts& p = *parts;
  if (!observe(p.now, settings.dt, state, p.acceleration.data(), p.multipliers.data())) {
    end(p.motion.status, p.motion.reason);
    return false;
  }
  if (record != nullptr && (record->time.empty() || record->time.back() != p.now.time)) put();
  const std::size_t first = happened.size();
  p.events.for_crossed([&](Index k, const std::string& name) {
    EventRecord x;
    x.time = p.now.time;
    x.event = k;
    x.name = name;
    happened.push_back(std::move(x));
  });
  Events::Outcome outcome;
  bool good = p.events.apply(p.now, outcome);
  for (std::size_t k = first; k < happened.size(); ++k) {
    if (outcome.struck) happened[k].impulse.assign(p.events.impulse().begin(), p.events.impulse().end());
    happened[k].energy_before = outcome.energy_before;
    happened[k].energy_after = outcome.energy_after;
    happened[k].state = record != nullptr ? static_cast<long>(record->time.size()) : 0;
  }
  const bool holds = keeps_rows(p.motion, *p.stepper);
  if (outcome.struck) p.drift.struck(report);
  good = good && (!holds || p.keeper.project(p.now)) &&
         observe(p.now, settings.dt, state, p.acceleration.data(), p.multipliers.data());
  if (!good) {
    end(p.motion.status, p.motion.reason);
    return false;
  }
  p.target_notes.look(0, holds ? p.keeper.moved() : 0.0, report.notes);
  p.drift.accept(state, report);
  more = p.events.jumps(state);
  if (record != nullptr) put();
  if (outcome.stop) close();
  return true;
}

void Simulator::Impl::put() {
  Trajectory& t = *record;
  const auto add = [](std::vector<double>& to, const VectorView& x) {
    to.insert(to.end(), x.data(), x.data() + x.size());
  };
  t.time.push_back(state.time);
  add(t.q_numbers, state.q);
  add(t.v_numbers, state.v);
  add(t.acceleration_numbers, state.acceleration);
  add(t.multiplier_numbers, state.multipliers);
  t.motor_torque_numbers.insert(t.motor_torque_numbers.end(), parts->motor_torque.data(),
                                parts->motor_torque.data() + model.nv());
  t.energy.push_back(state.energy);
  t.error.push_back(state.error);
  t.velocity_error.push_back(state.velocity_error);
  if (settings.integrator != Integrator::contact) return;
  t.contacts.insert(t.contacts.end(), state.contacts.begin(), state.contacts.end());
  t.contact_count.push_back(static_cast<long>(state.contacts.size()));
}

namespace {
template <class Impl> Impl& existing(const Owned<Impl>& impl) {
  if (impl == nullptr) throw std::logic_error("Simulator: this simulator was moved from");
  return *impl;
}
}  // namespace

Simulator::Simulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings)
    : impl_(make_owned<Impl>(model, constraints, settings)) {}
Simulator::Simulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                     const Scene& scene)
    : impl_(make_owned<Impl>(model, constraints, settings, &scene)) {}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

void Simulator::set_control(std::unique_ptr<SimulationControl> control) {
  Impl& x = existing(impl_);
  x.control = std::move(control);
  x.parts->motion.control = x.control.get();
  x.parts->motion.forget();
}
void Simulator::forces_changed() { existing(impl_).parts->motion.forget(); }
void Simulator::add_event(const SimulationEvent& event) {
  Impl& x = existing(impl_);
  x.parts->add(event, static_cast<Index>(x.wanted.size()));
  x.wanted.push_back(event);
}
void Simulator::on_progress(SimulationProgress callback, void* context) {
  Impl& x = existing(impl_);
  x.progress = callback;
  x.context = context;
}
bool Simulator::start(const SimulationInput& input) { return existing(impl_).start(input); }
bool Simulator::step() { return existing(impl_).step(); }

Trajectory Simulator::run(const SimulationInput& input) {
  Impl& x = existing(impl_);
  Trajectory t;
  t.nq = x.model.nq();
  t.nv = x.model.nv();
  t.rows = x.given.rows();
  const double states = std::min(std::ceil(x.settings.time / x.settings.dt / x.settings.every) + 2, 1e6);
  const auto room = static_cast<std::size_t>(states);
  for (std::vector<double>* one : {&t.time, &t.energy, &t.error, &t.velocity_error}) one->reserve(room);
  t.q_numbers.reserve(room * static_cast<std::size_t>(t.nq));
  for (std::vector<double>* some : {&t.v_numbers, &t.acceleration_numbers, &t.motor_torque_numbers})
    some->reserve(room * static_cast<std::size_t>(t.nv));
  t.multiplier_numbers.reserve(room * static_cast<std::size_t>(t.rows));
  struct Recording {
    Impl& x;
    Recording(Impl& to, Trajectory& t) : x(to) { x.record = &t; }
    ~Recording() { x.record = nullptr; }
  } const recording(x, t);
  if (x.start(input)) {
    while (x.step()) {}
    if (t.time.back() != x.report.time) x.put();  // the last good state
  }
  t.events = x.happened;
  t.report = x.report;
  return t;
}

const SimulationState& Simulator::state() const { return existing(impl_).state; }
const SimulationReport& Simulator::report() const { return existing(impl_).report; }
const std::vector<EventRecord>& Simulator::events() const { return existing(impl_).happened; }
const SimulationSettings& Simulator::settings() const { return existing(impl_).settings; }
const Model& Simulator::model() const { return existing(impl_).model; }
const ConstraintSet& Simulator::constraints() const { return existing(impl_).parts->motion.set; }

}  // namespace zwang
