// SPDX-License-Identifier: BSD-3-Clause
// Copies of one motion by Integrator::contact. A thread owns one Movement and its Stepper, and lends them to a copy for
// the steps of a call: what a copy keeps for itself is its state and the memory of the stepper.
#include "zwang/simulation/batch_simulator.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "batch/thread_pool.hpp"
#include "core/all_finite.hpp"
#include "question/motion_notes.hpp"
#include "simulation/check_settings.hpp"
#include "simulation/motion_start.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/pace.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {
namespace {

constexpr long k_at_once = 8;  // copies that a thread takes
constexpr double k_nothing = std::numeric_limits<double>::quiet_NaN();

SimulationSettings checked(SimulationSettings settings, Index copies) {
  if (settings.integrator != Integrator::contact)
    throw std::invalid_argument("BatchSimulator: integrator is 'contact'; got '" +
                                std::string(name_of(settings.integrator)) +
                                "', which BatchSolver::rollout or simulate_states takes");
  if (copies < 0) throw std::invalid_argument("BatchSimulator: copies is >= 0; got " + std::to_string(copies));
  settings.time = settings.dt > 0 ? settings.dt : 1;  // motions have no end
  return checked_settings(settings);
}

/// Numbers of one copy, wherever the caller has them. `room`: where they are put if they do not follow each other.
const double* row_of(const StatesIn<double>& x, long copy, Buffer<double>& room) {
  const StateLayout<const double>& l = x.layout();
  if (!x.given()) return nullptr;
  const long s = l.states < 0 ? 0 : copy;
  const double* const from = l.data + (s / 32) * l.tile + (s % 32) * l.lane;
  if (l.number == 1) return from;
  for (Index k = 0; k < l.size; ++k) room[k] = from[k * l.number];
  return room.data();
}

/// What a thread needs.
struct Worker {
  Worker(const Model& model, const ConstraintSet& set, const SimulationSettings& settings, const Scene& scene)
      : motion(model, set, settings, &scene),
        keeper(motion),
        rates(motion),
        stepper(integrator_row(settings.integrator).make(motion)),
        keeps(keeps_rows(motion, *stepper)),
        data(model),
        now(model.nq(), model.nv()),
        next(now),
        q(model.nq()),
        v(model.nv()),
        tau(model.nv()) {
    stepper->begin();
    if (keeps) keeper.begin(stepper->keeps_velocities());
  }
  /// As Simulator::start(): `now` becomes the nearest state at which the rows hold and nothing overlaps.
  bool start(const SimulationInput& input, SimulationReport& report) {
    const double h = motion.settings.dt;
    MotionStart first{motion, keeper, *stepper, rates, now, next, h, report};
    return first.put_on_rows(input) && motion.accelerate(now, stepper->implicit(h)) && first.look();
  }
  /// now becomes the state after dt, which is at `time`. False: it has none, or shapes overlap there (drifted).
  bool step(double time, SimulationReport& report) {
    if (!stepper->step(motion.settings.dt, now, next)) return false;
    if (keeps && !keeper.project(next)) return false;
    if (!all_finite(next.q.data(), next.q.size()) || !all_finite(next.v.data(), next.v.size()))
      return motion.fail(Status::overflow, "the state leaves the range of double");
    next.time = time;
    now.copy(next);
    stepper->accept(report);
    ++report.steps;
    report.time = time;
    std::string broken = stepper->broken();
    return broken.empty() || motion.fail(Status::drifted, std::move(broken));
  }
  Movement motion;
  Keeper keeper;
  FastestRates rates;
  std::unique_ptr<Stepper> stepper;
  bool keeps;  ///< the keeper takes part
  Data data;   ///< of the energy
  MovementState now, next;
  Buffer<double> q, v, tau;  ///< of inputs whose numbers do not follow each other
};

/// What a copy keeps, besides its state.
struct Copy {
  ContactMemory memory;
  SimulationReport report;
  double begin = 0;
};

/// A stepper steps the motion of a copy.
struct Lent {
  Lent(Stepper& to, ContactMemory& of) : stepper(to), memory(of) { stepper.exchange(memory); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { stepper.exchange(memory); }
  Stepper& stepper;
  ContactMemory& memory;
};

}  // namespace

struct BatchSimulator::Impl {
  Impl(const Model& of, const ConstraintSet& set, const SimulationSettings& with, const Scene& touching, Index n,
       int threads)
      : model(of),
        settings(checked(with, n)),
        scene(touching),
        pool(threads),
        copies(static_cast<std::size_t>(n)),
        q(copies.size() * static_cast<std::size_t>(of.nq())),
        v(copies.size() * static_cast<std::size_t>(of.nv())),
        time(copies.size()),
        energy(copies.size(), k_nothing),
        force(copies.size() * 3 * of.links().size()),
        statuses(copies.size(), static_cast<unsigned char>(Status::stopped)) {
    for (int t = 0; t < pool.threads(); ++t)
      workers.push_back(std::make_unique<Worker>(model, set, settings, touching));
    const Worker& any = *workers.front();
    for (Copy& x : copies) {
      x.report.status = Status::stopped;
      x.report.reason = "the copy has no state yet: reset() gives it one";
    }
    if (std::string text = left_out_of_motion(model, set, settings.solver, scene.limits); !text.empty())
      note = {"left out", std::move(text)};
    for (const SceneShape& shape : any.motion.scene().shapes()) {
      Index at = -1;
      for (std::size_t i = 0; i < model.links().size() && !shape.link.empty(); ++i)
        if (model.links()[i].name == shape.link) at = static_cast<Index>(i);
      link_of_shape.push_back(at);
    }
    read_contacts_of(any.motion.set);
    report.states = n;
    report.status_data = statuses.data();
  }

  double* q_of(long k) { return q.data() + k * model.nq(); }
  double* v_of(long k) { return v.data() + k * model.nv(); }
  long count() const { return static_cast<long>(copies.size()); }
  Copy& copy(long k) { return copies[static_cast<std::size_t>(k)]; }
  const Copy& copy(Index k) const {
    if (k < 0 || static_cast<std::size_t>(k) >= copies.size())
      throw std::out_of_range("BatchSimulator: no copy " + std::to_string(k) + " of " + std::to_string(copies.size()));
    return copies[static_cast<std::size_t>(k)];
  }
  void say(long k, Status status, std::string reason) {
    copy(k).report.status = status;
    copy(k).report.reason = std::move(reason);
    statuses[static_cast<std::size_t>(k)] = static_cast<unsigned char>(status);
  }
  void check(const char* function, const char* argument, const StatesIn<double>& x, Index size) const {
    const StateLayout<const double>& l = x.layout();
    if (l.size != size) detail::throw_size(function, argument, l.size, size);
    if (l.states >= 0 && l.states != count()) detail::throw_size(function, argument, l.states, count());
  }

  /// What is shown of a copy: state, energy, sums of forces.
  void publish(Worker& w, long k) {
    std::copy_n(w.now.q.data(), model.nq(), q_of(k));
    std::copy_n(w.now.v.data(), model.nv(), v_of(k));
    const auto at = static_cast<std::size_t>(k);
    time[at] = w.now.time;
    if (try_mechanical_energy(model, w.data, view_of(w.now.q), view_of(w.now.v), energy[at],
                              settings.solver.joint_effects) != Status::ok)
      energy[at] = k_nothing;
    const std::size_t links = model.links().size();
    double* const sums = force.data() + at * 3 * links;
    std::fill_n(sums, 3 * links, 0.0);
    for (const ContactState& x : copies[at].memory.contacts) {
      if (x.what == ContactState::What::point) {
        add_force(sums, link_of_shape[static_cast<std::size_t>(x.a)], x.force * -1.0);
        add_force(sums, link_of_shape[static_cast<std::size_t>(x.b)], x.force);
      } else if (x.is_of_set()) {
        const SetRow& row = row_of_set[static_cast<std::size_t>(x.coordinate)];
        add_force(sums, row.link, x.has_place() ? x.force : row.direction * x.force.x);
      }
    }
  }
  static void add_force(double* sums, Index link, const Vec3<double>& force) {
    for (int i = 0; link >= 0 && i < 3; ++i) sums[3 * link + i] += force[i];
  }
  /// The ContactConstraints of the set push on the links of their frames.
  void read_contacts_of(const ConstraintSet& set) {
    for (const Constraint& x : set.constraints()) {
      const bool touches = x.type.value() == ContactConstraint::k_type;
      for (std::size_t k = 0; k < static_cast<std::size_t>(x.size()); ++k) {
        SetRow row;
        if (touches) {
          const double* const d = x.rows_on_body->matrix.data() + 6 * k;
          row = {model.frame(x.frame.value()).link.value, {d[0], d[1], d[2]}};
        }
        row_of_set.push_back(row);
      }
    }
  }

  void begin(Worker& w, long k, const double* at, const double* speed, double when,
             std::span<const ContactState> contacts) {
    if (!all_finite(at, model.nq()) || (speed != nullptr && !all_finite(speed, model.nv())) || !std::isfinite(when))
      return say(k, Status::non_finite_input, "q, v or time: an entry that is not finite");
    if (!detail::normalized_within(model.tree<double>(), at, k_unit_tolerance))
      return say(k, Status::invalid_input, "q: a quaternion that is not of unit length");
    SimulationInput input{.q = {at, model.nq()}, .time = when, .contacts = contacts};
    if (speed != nullptr) input.v = {speed, model.nv()};
    w.motion.begin(input);
    SimulationReport fresh;
    if (note.text.size() > 0) fresh.notes.push_back(note);
    const bool good = w.start(input, fresh);
    Copy& x = copy(k);
    if (!good) return say(k, w.motion.status, "at the start: " + w.motion.reason);
    x.report = std::move(fresh);
    x.report.time = when;
    x.begin = when;
    w.stepper->exchange(x.memory);
    say(k, Status::ok, {});
    publish(w, k);
  }

  void move(Worker& w, long k, bool of_caller) {
    Copy& x = copy(k);
    if (x.report.status != Status::ok) return;
    const double* const torque = row_of(tau, k, w.tau);
    if (torque != nullptr && !all_finite(torque, model.nv()))
      return say(k, Status::non_finite_input, "tau: an entry that is not finite");
    w.motion.take_torques(torque);
    w.now.time = time[static_cast<std::size_t>(k)];
    std::copy_n(q_of(k), model.nq(), w.now.q.data());
    std::copy_n(v_of(k), model.nv(), w.now.v.data());
    bool good = true;
    {
      const Lent lent(*w.stepper, x.memory);
      for (long i = 0; good && i < steps; ++i) {
        if (i > 0 && (of_caller ? !look() : stop.load(std::memory_order_relaxed))) break;
        good = w.step(x.begin + static_cast<double>(x.report.steps + 1) * settings.dt, x.report);
      }
    }
    publish(w, k);
    if (!good) say(k, w.motion.status, w.motion.reason);
  }

  void work(int thread) {
    Worker& w = *workers[static_cast<std::size_t>(thread)];
    for (long first = next.fetch_add(at_once); first < count() && !stop; first = next.fetch_add(at_once))
      for (long k = first; k < std::min(first + at_once, count()) && !stop; ++k) {
        if (start == nullptr)
          move(w, k, thread == 0);
        else if (start->mask.empty() || start->mask[static_cast<std::size_t>(k)] != 0)
          begin(w, k, row_of(start->q, k, w.q), row_of(start->v, k, w.v), 0, {});
        ++done;
        if (thread == 0) look();
      }
  }
  /// By the calling thread alone. False: the call ends.
  bool look() {
    if (stop || progress == nullptr || !pace.due()) return !stop;
    try {
      stop = !progress(context, done, count());
    } catch (...) {
      stop = true;
      throw;
    }
    return !stop;
  }
  const BatchReport& run(long chunk) {
    at_once = chunk;
    next = done = 0;
    stop = false;
    pace.begin();
    if (count() > 0)
      pool.run(
          static_cast<int>(std::min<long>(pool.threads(), (count() + chunk - 1) / chunk)),
          [](void* self, int t) { static_cast<Impl*>(self)->work(t); },
          [](void* self) { static_cast<Impl*>(self)->look(); }, this);
    return tell();
  }
  const BatchReport& tell() {
    report.stopped = stop;
    report.ok = 0;
    for (const unsigned char s : statuses) report.ok += s == static_cast<unsigned char>(Status::ok);
    return report;
  }

  Model model;
  SimulationSettings settings;
  Scene scene;
  ThreadPool pool;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Copy> copies;
  std::vector<double> q, v, time, energy, force;
  std::vector<unsigned char> statuses;
  std::vector<Index> link_of_shape;  ///< -1: the ground
  /// A row of the set: the link that a ContactConstraint pushes on, -1 of other rows, and where to, in the world.
  struct SetRow {
    Index link = -1;
    Vec3<double> direction = {0, 0, 0};
  };
  std::vector<SetRow> row_of_set;
  SimulationNote note;  ///< of the model, in the report of every copy
  BatchReport report;
  bool begun = false;
  // Of the call that runs.
  const BatchStart* start = nullptr;
  StatesIn<double> tau;
  long steps = 0, at_once = k_at_once;
  std::atomic<long> next{0}, done{0};
  std::atomic<bool> stop{false};
  BatchProgress progress = nullptr;
  void* context = nullptr;
  Pace pace{0.1};
};

namespace {
template <class X> X& existing(const Owned<X>& impl) {
  if (impl == nullptr) throw std::logic_error("BatchSimulator: this simulator was moved from");
  return *impl;
}
}  // namespace

BatchSimulator::BatchSimulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                               const Scene& scene, Index copies, const BatchOptions& options)
    : impl_(make_owned<Impl>(model, constraints, settings, scene, copies, options.threads)) {}
BatchSimulator::BatchSimulator(BatchSimulator&&) noexcept = default;
BatchSimulator& BatchSimulator::operator=(BatchSimulator&&) noexcept = default;
BatchSimulator::~BatchSimulator() = default;

const Model& BatchSimulator::model() const { return existing(impl_).model; }
const ConstraintSet& BatchSimulator::constraints() const { return existing(impl_).workers.front()->motion.set; }
const Scene& BatchSimulator::scene() const { return existing(impl_).scene; }
const SimulationSettings& BatchSimulator::settings() const { return existing(impl_).settings; }
Index BatchSimulator::copies() const { return static_cast<Index>(existing(impl_).count()); }
int BatchSimulator::threads() const { return existing(impl_).pool.threads(); }
void BatchSimulator::on_progress(BatchProgress callback, void* context, double interval) {
  Impl& x = existing(impl_);
  x.pace = Pace(interval);
  x.progress = callback;
  x.context = context;
}

const BatchReport& BatchSimulator::reset(const BatchStart& start) {
  constexpr const char* k_function = "BatchSimulator::reset";
  Impl& x = existing(impl_);
  x.check(k_function, "q", start.q, x.model.nq());
  if (start.v.given()) x.check(k_function, "v", start.v, x.model.nv());
  if (!start.mask.empty() && static_cast<long>(start.mask.size()) != x.count())
    detail::throw_size(k_function, "mask", static_cast<long>(start.mask.size()), x.count());
  x.begun = true;
  x.start = &start;
  return x.run(1);
}

Status BatchSimulator::reset(Index copy, ConstVector q, ConstVector v, std::span<const ContactState> contacts,
                             double time) {
  constexpr const char* k_function = "BatchSimulator::reset";
  Impl& x = existing(impl_);
  (void)std::as_const(x).copy(copy);
  if (q.size() != x.model.nq()) detail::throw_size(k_function, "q", q.size(), x.model.nq());
  if (v.size() > 0 && v.size() != x.model.nv()) detail::throw_size(k_function, "v", v.size(), x.model.nv());
  const Index shapes = static_cast<Index>(x.scene.shapes().size());
  for (const ContactState& c : contacts) {
    const Index coordinates = c.is_of_set() ? static_cast<Index>(x.row_of_set.size()) : x.model.nv();
    if (c.a >= shapes || c.b >= shapes || c.coordinate >= coordinates ||
        (c.what == ContactState::What::point ? std::min(c.a, c.b) : c.coordinate) < 0)
      throw std::invalid_argument(
          "BatchSimulator::reset of one copy: contacts: one of them is that of another scene, set or model");
  }
  x.begun = true;
  x.begin(*x.workers.front(), copy, q.data(), v.size() > 0 ? v.data() : nullptr, time, contacts);
  x.tell();
  return x.copy(static_cast<long>(copy)).report.status;
}

const BatchReport& BatchSimulator::step(const StatesIn<double>& tau, long count) {
  constexpr const char* k_function = "BatchSimulator::step";
  Impl& x = existing(impl_);
  if (tau.given()) x.check(k_function, "tau", tau, x.model.nv());
  if (count < 1) throw std::invalid_argument("BatchSimulator::step: count is at least 1; got " + std::to_string(count));
  if (!x.begun && x.count() > 0) throw std::logic_error("BatchSimulator::step: no copy has a state yet, call reset()");
  x.start = nullptr;
  x.tau = tau;
  x.steps = count;
  return x.run(k_at_once);
}

BatchSimulator::Rows BatchSimulator::q() const {
  const Impl& x = existing(impl_);
  return {x.q.data(), x.count(), x.model.nq()};
}
BatchSimulator::Rows BatchSimulator::v() const {
  const Impl& x = existing(impl_);
  return {x.v.data(), x.count(), x.model.nv()};
}
VectorView BatchSimulator::time() const {
  const Impl& x = existing(impl_);
  return {x.time.data(), x.count()};
}
VectorView BatchSimulator::energy() const {
  const Impl& x = existing(impl_);
  return {x.energy.data(), x.count()};
}
BatchSimulator::Rows BatchSimulator::contact_force() const {
  const Impl& x = existing(impl_);
  return {x.force.data(), x.count(), 3 * static_cast<Eigen::Index>(x.model.links().size())};
}
std::span<const ContactState> BatchSimulator::contacts(Index copy) const {
  return std::as_const(existing(impl_)).copy(copy).memory.contacts;
}
const SimulationReport& BatchSimulator::report(Index copy) const {
  return std::as_const(existing(impl_)).copy(copy).report;
}
const BatchReport& BatchSimulator::report() const { return existing(impl_).report; }

}  // namespace zwang
