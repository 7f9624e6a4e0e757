// SPDX-License-Identifier: BSD-3-Clause
// Motion in time, a step at a time.
#include <algorithm>

#include "fields.hpp"
#include "motion_forces.hpp"
#include "solver_objects.hpp"

namespace zwang::c {
namespace {

/// A copy of the set as it was, which the motion changes.
struct SimulatorObject : Object {
  static constexpr Kind k_kind = Kind::simulator;
  explicit SimulatorObject(const ConstraintSet& s)
      : set(s),
        given(s.model()),
        forces(s.model(), usual_wrenches(s.model())) {}
  const ConstraintSet set;
  Gate gate;
  SimulationSettings settings;
  std::optional<Simulator> simulator;  // of the motion that was started
  Acting given;                        // what the call at hand gives
  MotionForces forces;
};

template <class F> int with(const char* function, const zwang_simulator* simulator, F&& f) {
  return call(function, [&] {
    const Pin<SimulatorObject> own(simulator, "simulator");
    const Passage alone(own->gate, true, "simulator");
    return f(*own);
  });
}
Simulator& started(SimulatorObject& own) {
  if (!own.simulator)
    throw Refusal(ZWANG_NOT_READY, "simulator", "has not been started, expected zwang_simulator_start before");
  return *own.simulator;
}
ConstVector vector_or_none(const zwang_input& x, Index size, const char* argument) {
  if (x.data == nullptr && x.size == 0) return {};
  needed_size(x.data, x.size, static_cast<std::size_t>(size), argument);
  return {x.data, size};
}
int told(const Simulator& simulator, const char* function) {
  const SimulationReport& report = simulator.report();
  return report.status == Status::ok ? static_cast<int>(ZWANG_OK)
                                     : failed(static_cast<int>(report.status), function, "", report.reason);
}

}  // namespace
}  // namespace zwang::c

using namespace zwang;
using namespace zwang::c;

int zwang_simulator_create(const zwang_constraints* constraints, zwang_simulator** simulator) {
  return call(__func__, [&] {
    const Pin<SetObject> set(constraints, "constraints");
    const Passage beside(*set->gate, false, "constraints");
    needed(simulator, "simulator");
    *simulator = static_cast<zwang_simulator*>(publish(Kind::simulator, std::make_unique<SimulatorObject>(set->set)));
  });
}
int zwang_simulator_free(zwang_simulator* simulator) {
  return call(__func__, [&] { end(simulator, Kind::simulator, "simulator"); });
}
int zwang_simulator_set_number(zwang_simulator* simulator, const char* field, double value) {
  return with(__func__, simulator, [&](SimulatorObject& own) { set_number_at(own.settings, field, value); });
}
int zwang_simulator_set_word(zwang_simulator* simulator, const char* field, const char* word) {
  return with(__func__, simulator, [&](SimulatorObject& own) {
    SimulationSettings to = own.settings;
    set_word_at(to, field, word);
    (void)solve_method_of(to.solver.method);  // refuses what is none
    own.settings = std::move(to);
  });
}

int zwang_simulator_start(zwang_simulator* simulator, const zwang_solve_input* input) {
  return with("zwang_simulator_start", simulator, [&](SimulatorObject& own) {
    const zwang_solve_input& in = needed(input, "input");
    const Model& model = own.set.model();
    own.given.read(model, in.external, in.external_count, 1);
    own.given.read(model, in.prescribed, in.prescribed_acceleration, in.prescribed_count);
    needed_size(in.q.data, in.q.size, static_cast<std::size_t>(model.nq()), "q");
    Simulator next(model, own.set, own.settings);  // a motion that is there goes on where this one is refused
    next.start({.q = {in.q.data, model.nq()},
                .v = vector_or_none(in.v, model.nv(), "v"),
                .tau = vector_or_none(in.tau, model.nv(), "tau"),
                .external = &own.given.external,
                .prescribed = &own.given.prescribed});
    own.simulator = std::move(next);
    own.forces.begin();
    return told(*own.simulator, "zwang_simulator_start");
  });
}
int zwang_simulator_set_forces(zwang_simulator* simulator, const double* tau, size_t size, const zwang_wrench* external,
                               size_t external_count) {
  return with(__func__, simulator, [&](SimulatorObject& own) {
    Simulator& running = started(own);
    const Model& model = own.set.model();
    if (size != 0) needed_size(tau, size, static_cast<std::size_t>(model.nv()), "tau");
    for (std::size_t k = 0; k < size; ++k)
      if (!std::isfinite(tau[k]))
        throw Refusal(ZWANG_NON_FINITE_INPUT, "tau", "is not finite in entry " + std::to_string(k));
    own.given.read(model, external, external_count, 1);
    own.forces.replace(running, tau, size, own.given.external);
  });
}
int zwang_simulator_step(zwang_simulator* simulator, int* more) {
  return with("zwang_simulator_step", simulator, [&](SimulatorObject& own) {
    Simulator& running = started(own);
    const bool went_on = running.step();
    if (more != nullptr) *more = went_on ? 1 : 0;
    return told(running, "zwang_simulator_step");
  });
}
int zwang_simulator_vector_size(const zwang_simulator* simulator, int vector, size_t* size) {
  return with(__func__, simulator, [&](SimulatorObject& own) {
    needed_index(vector, static_cast<int>(std::size(k_state_vectors)), "vector");
    needed(size, "size") = static_cast<size_t>((started(own).state().*k_state_vectors[vector].vector).size());
  });
}
int zwang_simulator_vector(const zwang_simulator* simulator, int vector, double* out, size_t size) {
  return with(__func__, simulator, [&](SimulatorObject& own) {
    needed_index(vector, static_cast<int>(std::size(k_state_vectors)), "vector");
    const VectorView& x = started(own).state().*k_state_vectors[vector].vector;
    needed_size(out, size, static_cast<std::size_t>(x.size()), "out");
    std::copy_n(x.data(), x.size(), out);
  });
}
int zwang_simulator_describe(const zwang_simulator* simulator, zwang_simulator_info* info) {
  return with(__func__, simulator, [&](SimulatorObject& own) {
    const SimulationState& x = started(own).state();
    const SimulationReport& report = own.simulator->report();
    needed(info, "info") = {static_cast<int>(report.status),        x.time, x.energy, x.error, x.velocity_error,
                            static_cast<std::int64_t>(report.steps)};
  });
}
int zwang_simulator_reason(const zwang_simulator* simulator, char* out, size_t capacity, size_t* length) {
  return with(__func__, simulator,
              [&](SimulatorObject& own) { put_text(started(own).report().reason, out, capacity, length); });
}
