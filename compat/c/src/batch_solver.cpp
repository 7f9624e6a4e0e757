// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics of N states.
#include <algorithm>
#include <limits>

#include "fields.hpp"
#include "lists.hpp"
#include "solver_objects.hpp"

using namespace zwang;
using namespace zwang::c;

namespace {

template <class F> int with(const char* function, zwang_batch_solver* solver, F&& f) {
  return call(function, [&] {
    const Pin<BatchSolverObject> own(solver, "solver");
    const Passage alone(own->gate, true, "solver");
    const Passage beside(*own->set_gate, false, "constraints");
    return f(*own);
  });
}

/// `size` numbers of each state, or the same for all.
StatesIn<double> states_in(const zwang_input& x, std::size_t states, Index size, const char* argument) {
  if (x.data == nullptr && x.size == 0) return {};
  const auto one = static_cast<std::size_t>(size);
  needed_states(x.data, x.size, one, states, argument);
  const long step = x.size == one ? 0 : size;
  return StatesIn<double>(StateLayout<const double>{x.data, static_cast<long>(states), size, 32 * step, step, 1});
}
StatesOut<double> states_out(const zwang_output& x, std::size_t states, Index size, const char* argument) {
  if (x.data == nullptr && x.size == 0) return {};
  const auto one = static_cast<std::size_t>(size);
  if (one != 0 && states > std::numeric_limits<std::size_t>::max() / 8 / one)
    throw Refusal(ZWANG_INVALID_INPUT, argument, "has more numbers than memory can hold");
  needed_size(x.data, x.size, one * states, argument);
  return StatesOut<double>(StateLayout<double>{x.data, static_cast<long>(states), size, 32L * size, size, 1});
}

}  // namespace

int zwang_batch_solver_create(const zwang_constraints* constraints, int threads, zwang_batch_solver** solver) {
  return call(__func__, [&] {
    const Pin<SetObject> set(constraints, "constraints");
    const Passage beside(*set->gate, false, "constraints");
    needed(solver, "solver");
    needed_threads(threads);
    *solver = static_cast<zwang_batch_solver*>(
        publish(Kind::batch_solver, std::make_unique<BatchSolverObject>(*set, threads)));
  });
}
int zwang_batch_solver_free(zwang_batch_solver* solver) {
  return call(__func__, [&] { end(solver, Kind::batch_solver, "solver"); });
}
int zwang_batch_solver_set_number(zwang_batch_solver* solver, const char* field, double value) {
  return with(__func__, solver, [&](BatchSolverObject& own) {
    refuse_spare_rows(field);
    set_number_at(own.solver.settings(), field, value);
  });
}
int zwang_batch_solver_set_word(zwang_batch_solver* solver, const char* field, const char* word) {
  return with(__func__, solver, [&](BatchSolverObject& own) {
    SolverSettings to = own.solver.settings();
    set_word_at(to, field, word);
    (void)solve_method_of(to.method);
    own.solver.settings() = to;
  });
}

int zwang_batch_solver_solve(zwang_batch_solver* solver, size_t states, const zwang_solve_input* input,
                             const zwang_solve_output* output, int* status) {
  return with("zwang_batch_solver_solve", solver, [&](BatchSolverObject& own) -> int {
    needed_count_of_states(states);
    const zwang_solve_input& in = needed(input, "input");
    const zwang_solve_output& to = needed(output, "output");
    const Model& model = own.solver.model();
    own.acting.read(model, in.external, in.external_count, states);
    own.acting.read(model, in.prescribed, nullptr, in.prescribed_count);
    const zwang_input inputs[] = {in.q, in.v, in.tau};
    const zwang_output outputs[] = {to.acceleration, to.multipliers, to.motor_torque, to.reaction};
    needed(in.q.data, "q");
    BatchSolveInput<double> given{states_in(in.q, states, model.nq(), "q"), states_in(in.v, states, model.nv(), "v"),
                                  states_in(in.tau, states, model.nv(), "tau")};
    for (const zwang_wrench& w : own.acting.wrenches)
      given.external.push_back(
          {FrameId(w.frame), states_in(w.wrench, states, 6, "external.wrench"), static_cast<Reference>(w.reference)});
    for (const PrescribedCoordinate& p : own.acting.prescribed) given.prescribed.push_back(p.v);
    if (in.prescribed_count != 0)
      given.prescribed_acceleration =
          states_in({in.prescribed_acceleration, in.prescribed_acceleration == nullptr ? 0 : in.prescribed_count},
                    states, static_cast<Index>(in.prescribed_count), "prescribed_acceleration");
    const BatchSolveOutput<double> wanted{states_out(to.acceleration, states, model.nv(), "acceleration"),
                                          states_out(to.multipliers, states, own.set_gate->rows, "multipliers"),
                                          states_out(to.motor_torque, states, model.nv(), "motor_torque"),
                                          states_out(to.reaction, states, model.nv(), "reaction")};
    const Written written(outputs, status, states);
    for (const zwang_input& x : inputs) written.check(x);
    for (const zwang_wrench& w : own.acting.wrenches) written.check(w.wrench);
    written.check(in.external, in.external_count);
    written.check(in.prescribed, in.prescribed_count);
    written.check(in.prescribed_acceleration, in.prescribed_acceleration == nullptr ? 0 : in.prescribed_count);
    const BatchReport& report = own.solver.solve(given, wanted);
    if (status != nullptr) std::copy_n(report.status_data, states, status);
    if (report.good()) return ZWANG_OK;
    const auto bad = std::find_if(report.status_data, report.status_data + states,
                                  [](unsigned char s) { return static_cast<Status>(s) != Status::ok; });
    return failed(*bad, "zwang_batch_solver_solve", "",
                  "state " + std::to_string(bad - report.status_data) + " has the status " + word_of("status", *bad));
  });
}
