// SPDX-License-Identifier: BSD-3-Clause
// Constrained dynamics of one state: settings, solves, what stands in a solution.
#include <algorithm>

#include "fields.hpp"
#include "lists.hpp"
#include "solver_objects.hpp"
#include "zwang/io/solution.hpp"

namespace zwang::c {

Acting::Acting(const Model& model) {
  const std::size_t room = usual_wrenches(model);
  wrenches.reserve(room);
  external.reserve(room);
  prescribed.reserve(static_cast<std::size_t>(model.nv()));
}
void Acting::read(const Model& model, const zwang_wrench* given, std::size_t count, std::size_t states) {
  wrenches.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const zwang_wrench& wrench = (&needed(given, "external"))[k];
    check_wrench(model, wrench, states);
    wrenches.push_back(wrench);
  }
  if (states == 1) wrenches_of(wrenches, 0, external);
}
void Acting::read(const Model& model, const int* coordinates, const double* accelerations, std::size_t count) {
  prescribed.clear();
  for (std::size_t k = 0; k < count; ++k)
    prescribed.push_back({needed_index((&needed(coordinates, "prescribed"))[k], model.nv(), "prescribed"),
                          accelerations == nullptr ? 0.0 : accelerations[k]});
}

}  // namespace zwang::c

using namespace zwang;
using namespace zwang::c;

namespace {

ConstVector vector_of(const zwang_input& x, const char* argument) {
  needed_size(x.data, x.size, x.size, argument);
  return {x.data, needed_index(static_cast<int>(std::min<std::size_t>(x.size, 1u << 30)), (1 << 30) + 1, argument)};
}

/// f(solver), alone, while nobody changes the set.
template <class F> int with(const char* function, const zwang_solver* solver, F&& f) {
  return call(function, [&] {
    const Pin<SolverObject> own(solver, "solver");
    const Passage alone(own->gate, true, "solver");
    const Passage beside(*own->set_gate, false, "constraints");
    return f(*own);
  });
}

/// The solution of the last solve.
const Solution& solution_of(const SolverObject& own) {
  if (!own.solved) throw Refusal(ZWANG_NOT_READY, "solver", "has not solved yet, expected zwang_solver_solve before");
  return own.solver.solution();
}

/// Row after row, from a matrix that the library writes column by column.
template <class F> void put_matrix(SolverObject& own, Index rows, Index columns, double* out, std::size_t size, F&& f) {
  const auto numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  needed_size(out, size, numbers, "out");
  if (own.room.size() < numbers) own.room.resize(numbers);
  Eigen::Map<Eigen::MatrixXd> matrix(own.room.data(), rows, columns);
  f(matrix);
  copy_matrix(Strided<const double>{own.room.data(), 1, rows}, Strided<double>{out, columns, 1}, rows, columns);
}

/// What a solve refused, in words: the throwing call says it.
template <class F> int told(Status status, const char* function, F&& again) {
  if (status == Status::ok) return ZWANG_OK;
  if (status == Status::non_finite_input || status == Status::invalid_input) {
    const int thrown = call(function, again);
    if (thrown != ZWANG_OK) return thrown == ZWANG_INVALID_INPUT ? static_cast<int>(status) : thrown;
  }
  return failed(static_cast<int>(status), function, "",
                std::string("the solve ended with the status ") + name_of(status) + "; the report says why");
}

}  // namespace

int zwang_solver_create(const zwang_constraints* constraints, int spare_rows, zwang_solver** solver) {
  return call(__func__, [&] {
    const Pin<SetObject> set(constraints, "constraints");
    const Passage beside(*set->gate, false, "constraints");
    needed(solver, "solver");
    SolverSettings settings;
    settings.spare_rows = needed_index(spare_rows, k_most_rows + 1, "spare_rows");
    *solver = static_cast<zwang_solver*>(publish(Kind::solver, std::make_unique<SolverObject>(*set, settings)));
  });
}
int zwang_solver_free(zwang_solver* solver) {
  return call(__func__, [&] { end(solver, Kind::solver, "solver"); });
}

int zwang_solver_set_number(zwang_solver* solver, const char* field, double value) {
  return with(__func__, solver, [&](SolverObject& own) {
    refuse_spare_rows(field);
    set_number_at(own.solver.settings(), field, value);
  });
}
int zwang_solver_get_number(const zwang_solver* solver, const char* field, double* value) {
  return with(__func__, solver, [&](SolverObject& own) {
    needed(value, "value") = number_at(std::as_const(own.solver).settings(), field);
  });
}
int zwang_solver_set_word(zwang_solver* solver, const char* field, const char* word) {
  return with(__func__, solver, [&](SolverObject& own) {
    SolverSettings to = own.solver.settings();
    set_word_at(to, field, word);
    (void)solve_method_of(to.method);  // refuses what is none
    own.solver.settings() = to;
  });
}
int zwang_solver_get_word(const zwang_solver* solver, const char* field, char* out, size_t capacity, size_t* length) {
  return with(__func__, solver, [&](SolverObject& own) {
    word_at(std::as_const(own.solver).settings(), field,
            [&](std::string_view text) { put_text(text, out, capacity, length); });
  });
}
int zwang_solver_limit_motors(zwang_solver* solver, const double* lower, const double* upper, size_t size) {
  return with(__func__, solver, [&](SolverObject& own) {
    const auto nv = static_cast<std::size_t>(own.solver.model().nv());
    MotorLimits limits;
    if (size != 0) {
      needed_size(lower, size, nv, "lower");
      needed_size(upper, size, nv, "upper");
      for (std::size_t k = 0; k < nv; ++k)
        if (!(lower[k] <= upper[k]))
          throw Refusal(ZWANG_INVALID_INPUT, "lower", "is not below upper in entry " + std::to_string(k));
      limits.lower.assign(lower, lower + nv);
      limits.upper.assign(upper, upper + nv);
    }
    own.solver.settings().motor_limits = limits;
  });
}

int zwang_solver_solve(zwang_solver* solver, const zwang_solve_input* input) {
  return with("zwang_solver_solve", solver, [&](SolverObject& own) {
    const zwang_solve_input& in = needed(input, "input");
    const Model& model = own.solver.model();
    own.acting.read(model, in.external, in.external_count, 1);
    own.acting.read(model, in.prescribed, in.prescribed_acceleration, in.prescribed_count);
    const SolveInput given{vector_of(in.q, "q"), vector_of(in.v, "v"), vector_of(in.tau, "tau"), &own.acting.external,
                           &own.acting.prescribed};
    const Status status = own.solver.try_solve(given).report.status;
    own.solved = true;
    return told(status, "zwang_solver_solve", [&] { own.solver.solve(given); });
  });
}
int zwang_solver_resolve(zwang_solver* solver, const zwang_solve_input* input) {
  return with("zwang_solver_resolve", solver, [&](SolverObject& own) {
    const zwang_solve_input& in = needed(input, "input");
    const Model& model = own.solver.model();
    if (in.q.data != nullptr || in.v.data != nullptr)
      throw Refusal(ZWANG_INVALID_INPUT, in.q.data != nullptr ? "q" : "v",
                    "is given, expected NULL: the state is that of the last solve");
    own.acting.read(model, in.external, in.external_count, 1);
    own.acting.read(model, in.prescribed, in.prescribed_acceleration, in.prescribed_count);
    const ResolveInput given{vector_of(in.tau, "tau"), &own.acting.external, &own.acting.prescribed};
    return told(own.solver.resolve(given).report.status, "zwang_solver_resolve", [] {});
  });
}

int zwang_solver_vector_size(const zwang_solver* solver, int vector, size_t* size) {
  return with(__func__, solver, [&](SolverObject& own) {
    needed_index(vector, static_cast<int>(std::size(k_solution_vectors)), "vector");
    needed(size, "size") = static_cast<size_t>((own.solver.solution().*k_solution_vectors[vector].vector).size());
  });
}
int zwang_solver_vector(const zwang_solver* solver, int vector, double* out, size_t size) {
  return with(__func__, solver, [&](SolverObject& own) {
    needed_index(vector, static_cast<int>(std::size(k_solution_vectors)), "vector");
    const VectorView& x = solution_of(own).*k_solution_vectors[vector].vector;
    needed_size(out, size, static_cast<std::size_t>(x.size()), "out");
    std::copy_n(x.data(), x.size(), out);
  });
}
int zwang_solver_constraint(const zwang_solver* solver, const char* constraint, int vector, double* out,
                            size_t capacity, size_t* size) {
  return with(__func__, solver, [&](SolverObject& own) {
    needed_index(vector, static_cast<int>(std::size(k_constraint_vectors)), "vector");
    const ConstraintSolution part = solution_of(own)[needed_text(constraint, "constraint")];
    const VectorView& x = part.*k_constraint_vectors[vector].vector;
    const auto numbers = static_cast<std::size_t>(x.size());
    if (size != nullptr) *size = numbers;
    if (out == nullptr && capacity != 0) throw Refusal(ZWANG_INVALID_INPUT, "out", "is NULL");
    std::copy_n(x.data(), std::min(capacity, numbers), out);
  });
}
int zwang_solver_power(const zwang_solver* solver, const char* constraint, double* power) {
  return with(__func__, solver, [&](SolverObject& own) {
    needed(power, "power") = solution_of(own)[needed_text(constraint, "constraint")].power;
  });
}
int zwang_solver_group(const zwang_solver* solver, const char* group, const double* about, double* wrench,
                       double* power) {
  return with(__func__, solver, [&](SolverObject& own) {
    const Vec3<double> point = about == nullptr ? Vec3<double>::zero() : Vec3<double>{about[0], about[1], about[2]};
    const GroupSolution x = solution_of(own).group(needed_text(group, "group"), point);
    for (int k = 0; k < 6 && wrench != nullptr; ++k) wrench[k] = x.wrench[k];
    if (power != nullptr) *power = x.power;
  });
}
int zwang_solver_gauss_constraint(const zwang_solver* solver, double* measure) {
  return with(__func__, solver, [&](SolverObject& own) { needed(measure, "measure") = solution_of(own).zwang; });
}

int zwang_solver_jacobian(zwang_solver* solver, double* out, size_t size, int* rows) {
  return with(__func__, solver, [&](SolverObject& own) {
    (void)solution_of(own);
    const Index active = own.solver.active_rows();
    if (rows != nullptr) *rows = active;
    if (out == nullptr && size == 0) return;
    put_matrix(own, active, own.solver.model().nv(), out, size,
               [&](MatrixOut matrix) { own.solver.constraint_jacobian(matrix); });
  });
}
int zwang_solver_target(zwang_solver* solver, double* out, size_t size) {
  return with(__func__, solver, [&](SolverObject& own) {
    (void)solution_of(own);
    needed_size(out, size, static_cast<std::size_t>(own.solver.active_rows()), "out");
    own.solver.constraint_target(Eigen::Map<Eigen::VectorXd>(out, own.solver.active_rows()));
  });
}
int zwang_solver_joint_wrenches(zwang_solver* solver, double* out, size_t size) {
  return with(__func__, solver, [&](SolverObject& own) {
    (void)solution_of(own);
    put_matrix(own, 6, static_cast<Index>(own.solver.model().joints().size()), out, size,
               [&](MatrixOut matrix) { own.solver.joint_wrenches(matrix); });
  });
}

int zwang_solver_report_number(const zwang_solver* solver, const char* field, double* value) {
  return with(__func__, solver,
              [&](SolverObject& own) { needed(value, "value") = number_at(solution_of(own).report, field); });
}
int zwang_solver_report_word(const zwang_solver* solver, const char* field, char* out, size_t capacity,
                             size_t* length) {
  return with(__func__, solver, [&](SolverObject& own) {
    word_at(solution_of(own).report, field, [&](std::string_view text) { put_text(text, out, capacity, length); });
  });
}
int zwang_solver_explain(const zwang_solver* solver, char* out, size_t capacity, size_t* length) {
  return with(__func__, solver,
              [&](SolverObject& own) { put_text(solution_of(own).report.explain(), out, capacity, length); });
}
int zwang_solver_document(const zwang_solver* solver, const zwang_constraints* constraints, char* out, size_t capacity,
                          size_t* length) {
  return with(__func__, solver, [&](SolverObject& own) {
    const Pin<SetObject> set(constraints, "constraints");
    if (set->gate != own.set_gate)
      throw Refusal(ZWANG_MISMATCH, "constraints", "is another set, expected the one that the solver was made from");
    put_text(to_json(set->set, solution_of(own)), out, capacity, length);
  });
}
