// SPDX-License-Identifier: BSD-3-Clause
// Assembler and its functions: configurations and velocities that satisfy a set.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "record.hpp"
#include "settings.hpp"
#include "statuses.hpp"
#include "zwang/batch/batch_assembler.hpp"

namespace zwang::python {
namespace {

using Names = std::vector<std::string>;

using AssemblyReportObject = WithNames<AssemblyReport>;

/// One state: a report. N states: arrays.
struct AssembledObject {
  nb::object q = nb::none(), v = nb::none();
  nb::object status = nb::none(), residual = nb::none(), iterations = nb::none(), rank = nb::none();
  nb::object report = nb::none();
};
template <class V> void fields(V& v, Type<AssembledObject>) {
  using T = AssembledObject;
  v.record("Assembled", "Result of assemble, assemble_velocity, project. Of N states: arrays, and no report.");
  v("q", &T::q, "(nq,); None after assemble_velocity", {.type = "NDArray[numpy.float64]"});
  v("v", &T::v, "(nv,); None after assemble", {.type = "NDArray[numpy.float64]"});
  status_field(v, &T::status, "as in the report");
  v("residual", &T::residual, "the larger one after project", {.type = "float | NDArray[numpy.float64]"});
  v("iterations", &T::iterations, "steps", {.type = "int | NDArray[numpy.int64]"});
  v("rank", &T::rank, "of the rows that take part", {.type = "int | NDArray[numpy.int64]"});
  v("report", &T::report, "None for N states", {.type = "AssemblyReport"});
}

struct AssembledPathObject {
  nb::object q;
  nb::object status, residual, distance, conditioning, alignment, parts;
  Index reached = 0;
};
template <class V> void fields(V& v, Type<AssembledPathObject>) {
  using T = AssembledPathObject;
  const Field numbers{.type = "NDArray[numpy.float64]"};
  v.record("AssembledPath", "Result of assemble_path: an entry, or a row of q, for each step.");
  v("q", &T::q, "(steps, nq)", numbers);
  v("status", &T::status, "of each step", {.attribute = false});
  v.computed("status", [](const T& x) { return as_statuses(x.status); }, "of each step", {.type = "Statuses"});
  v("residual", &T::residual, "as in the report", numbers);
  v("distance", &T::distance, "from the step before, in the metric of the weights", numbers);
  v("conditioning", &T::conditioning, "smallest sine between rows: 0 in a singular configuration", numbers);
  v("alignment", &T::alignment,
    "cosine between the rows here and at the step before; below 0: passed a singular configuration", numbers);
  v("parts", &T::parts, "steps that this one was divided into", {.type = "NDArray[numpy.int64]"});
  v("reached", &T::reached, "steps that are ok");
}

struct AssemblerObject {
  AssemblerObject(const Robot& robot, const SetObject& set, const AssemblySettings& given)
      : shared(set.shared),
        settings(given),
        core(robot.model, set.shared->set, given) {}
  SetPointer shared;
  AssemblySettings settings;
  Assembler core;
  std::unique_ptr<BatchAssembler> batch = nullptr;
  int threads = -1;

  /// Without the GIL, the set locked.
  template <class F> void run(F&& f) {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(shared->mutex);
    f();
  }
  BatchAssembler& many() {
    if (batch == nullptr || threads != wanted_threads()) {
      refuse_python_joints(shared->robot.model, "assemblies of N states");
      threads = wanted_threads();
      batch = std::make_unique<BatchAssembler>(shared->robot.model, shared->set, settings, BatchOptions{threads});
    }
    return *batch;
  }
};

/// With `weights=`: numbers, or 'mass'.
AssemblySettings with_weights(AssemblySettings s, nb::handle weights) {
  if (!nb::isinstance<nb::str>(weights)) {
    s.weights = numbers("Assembler", "weights", weights);
    return s;
  }
  const auto word = nb::cast<std::string>(weights);
  if (word != "mass")
    throw std::invalid_argument("E_NAME Assembler: argument 'weights' is '" + word +
                                "', expected 'mass', numbers or None");
  s.kinetic = true;
  return s;
}

void make(AssemblerObject* place, const Robot& model, const SetObject& set, nb::handle weights,
          const AssemblySettings& given) {
  const AssemblySettings s = with_weights(given, weights);
  const std::lock_guard<SetMutex> lock(set.shared->mutex);
  new (place) AssemblerObject(model, set, s);
}

Eigen::MatrixXd columns_of(const Input& x) {
  const Index n = x.states() < 0 ? 1 : x.states();
  Eigen::MatrixXd out(x.size(), n);
  for (Index k = 0; k < n; ++k) out.col(k) = vector(x, k);
  return out;
}

nb::object rows_of(const Eigen::MatrixXd& x) {
  return new_matrix(static_cast<Index>(x.cols()), static_cast<Index>(x.rows()),
                    [&](Index i, Index j) { return x(j, i); });
}

enum class What { position, velocity, both };

/// What there is of one state and of N: number(type, of) of what of(x) gives.
template <class F> void put_numbers(AssembledObject& to, What what, F&& number) {
  to.status = number("uint8", [](const auto& x) { return x.status; });
  to.residual = number("float64", [what](const auto& x) {
    return what == What::velocity ? x.velocity_residual : std::max(x.residual, x.velocity_residual);
  });
  to.iterations = number("int64", [](const auto& x) { return x.iterations; });
  to.rank = number("int64", [](const auto& x) { return x.rank; });
}

AssembledObject many_states(AssemblerObject& self, What what, const Input& q, const Input* v, Index states) {
  const Model& model = self.shared->robot.model;
  const Eigen::MatrixXd q0 = columns_of(q), v0 = v != nullptr ? columns_of(*v) : Eigen::MatrixXd();
  Eigen::MatrixXd q_out(model.nq(), states), v_out(model.nv(), states);
  std::vector<AssemblyOutcome> outcomes;
  self.run([&] {
    BatchAssembler& batch = self.many();
    outcomes = what == What::position   ? batch.assemble(q0, q_out)
               : what == What::velocity ? batch.assemble_velocity(q0, v0, v_out)
                                        : batch.project(q0, v0, q_out, v_out);
  });
  if (self.shared->raised) self.shared->raised->rethrow();
  AssembledObject x;
  if (what != What::velocity) x.q = rows_of(q_out);
  if (what != What::position) x.v = rows_of(v_out);
  put_numbers(x, what, [&](const char* type, auto&& of) { return array_of(outcomes, type, of); });
  return x;
}

AssembledObject call(AssemblerObject& self, What what, const char* function, nb::handle q_, nb::handle v_) {
  const Model& model = self.shared->robot.model;
  const Input q(function, what == What::position ? "q0" : "q", q_, model.nq(), VectorKind::configuration, &model);
  std::optional<Input> v;
  if (what != What::position)
    v.emplace(function, what == What::velocity ? "v0" : "v", v_, model.nv(), VectorKind::tangent, &model);
  const Index states = std::max(q.states(), v ? v->states() : -1);
  if (states >= 0 && v && v->states() >= 0 && q.states() >= 0 && q.states() != v->states())
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + v->name() + "' has " +
                                std::to_string(v->states()) + " states, expected " + std::to_string(q.states()));
  if (states >= 0) return many_states(self, what, q, v ? &*v : nullptr, states);
  AssembledObject x;
  const Assembly* done = nullptr;
  self.run([&] {
    done = what == What::position   ? &self.core.assemble(vector(q, 0))
           : what == What::velocity ? &self.core.assemble_velocity(vector(q, 0), vector(*v, 0))
                                    : &self.core.project(vector(q, 0), vector(*v, 0));
  });
  const AssemblyReport& r = done->report;
  if (what != What::velocity) x.q = new_array(done->q.data(), static_cast<Index>(done->q.size()));
  if (what != What::position) x.v = new_array(done->v.data(), static_cast<Index>(done->v.size()));
  put_numbers(x, what, [&](const char*, auto&& of) { return nb::cast(of(r)); });
  x.report = nb::cast(AssemblyReportObject(r));
  return x;
}

AssembledPathObject path(const Robot& robot, const SetObject& set, nb::handle q0_, const std::string& constraint,
                         nb::handle targets_, nb::handle weights, const AssemblySettings& given) {
  const Model& model = robot.model;
  const AssemblySettings s = with_weights(given, weights);
  const Input q0 = one_configuration("assemble_path", "q0", q0_, model);
  const Index rows = std::as_const(set.shared->set)[constraint].size();
  const Input targets("assemble_path", "targets", targets_, rows);
  const Eigen::MatrixXd columns = columns_of(targets);
  AssembledPath<> done;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    done = assemble_path(model, set.shared->set, vector(q0, 0), constraint, columns, s);
  }
  const auto array = [&](const char* type, auto&& of) { return array_of(done.steps, type, of); };
  AssembledPathObject x;
  x.q = rows_of(done.q);
  x.status = array("uint8", [](const AssemblyPathStep& a) { return a.status; });
  x.residual = array("float64", [](const AssemblyPathStep& a) { return a.residual; });
  x.distance = array("float64", [](const AssemblyPathStep& a) { return a.distance; });
  x.conditioning = array("float64", [](const AssemblyPathStep& a) { return a.conditioning; });
  x.alignment = array("float64", [](const AssemblyPathStep& a) { return a.alignment; });
  x.parts = array("int64", [](const AssemblyPathStep& a) { return a.parts; });
  x.reached = done.reached;
  return x;
}

void bind_report(nb::module_& m) {
  using R = AssemblyReportObject;
  record_class<AssemblyReport>(m).def("__repr__",
                                      [](const R& r) { return "AssemblyReport(" + r.record.explain() + ")"; });
}

#define ZWANG_ASSEMBLY_SIGNATURE \
  "*, {fixed}, weights: ArrayLike | str | None = None, {limits tolerance max_iterations attempts})"
#define ZWANG_ASSEMBLY_DOC                                                                                             \
  "\n\n"                                                                                                               \
  "fixed: joints or coordinates that keep their values. weights: one per coordinate, larger ones move less; 'mass':\n" \
  "    the kinetic metric. limits: stay within those of the joints. attempts: random starts besides q0 where the\n"    \
  "    rows do not meet. N states (a leading dimension) are computed on threads, with arrays of results."

AssembledObject once(What what, const char* function, const Robot& model, const SetObject& set, nb::handle q,
                     nb::handle v, nb::handle weights, const AssemblySettings& given) {
  const AssemblySettings s = with_weights(given, weights);
  std::unique_ptr<AssemblerObject> assembler;
  {
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    assembler = std::make_unique<AssemblerObject>(model, set, s);
  }
  return call(*assembler, what, function, q, v);
}

}  // namespace

void bind_assembly(nb::module_& m) {
  bind_report(m);
  result_class<AssembledObject>(m);
  result_class<AssembledPathObject>(m);
  using A = AssemblerObject;
  using Settings = AssemblySettings;
  ClassOf<A> c(m, "Assembler",
               "Assembly of configurations and velocities with one workspace: of many calls. Follows the "
               "set." ZWANG_ASSEMBLY_DOC);
  def_with<Settings>(
      c,
      ZWANG_SIGNATURE("def __init__(self, model: Model, constraints: ConstraintSet, " ZWANG_ASSEMBLY_SIGNATURE
                      " -> None"),
      &make);
  c.def("__repr__",
        [](const A& a) {
          return "<zwang.Assembler of '" + a.shared->robot.model.name() + "', " + std::to_string(a.shared->set.rows()) +
                 " rows>";
        })
      .def(
          ZWANG_SIGNATURE("def assemble(self, q0: Vector) -> Assembled"),
          [](A& a, nb::handle q0) { return call(a, What::position, "assemble", q0, nb::none()); },
          "The configuration nearest to q0.")
      .def(
          ZWANG_SIGNATURE("def assemble_velocity(self, q: Vector, v0: Vector) -> Assembled"),
          [](A& a, nb::handle q, nb::handle v0) { return call(a, What::velocity, "assemble_velocity", q, v0); },
          "The velocity nearest to v0 at q.")
      .def(
          ZWANG_SIGNATURE("def project(self, q: Vector, v: Vector) -> Assembled"),
          [](A& a, nb::handle q, nb::handle v) { return call(a, What::both, "project", q, v); },
          "Both, for a state that an integrator has left.");
  not_kept<A>("it has the memory of its last call; pickle its ConstraintSet, and make an Assembler of that");
  def_with<Settings>(
      m,
      ZWANG_SIGNATURE("def assemble(model: Model, constraints: ConstraintSet, q0: Vector, " ZWANG_ASSEMBLY_SIGNATURE
                      " -> Assembled"),
      [](const Robot& model, const SetObject& set, nb::handle q0, nb::handle weights, const Settings& s) {
        return once(What::position, "assemble", model, set, q0, nb::none(), weights, s);
      },
      "The configuration nearest to q0 that satisfies the set: min 1/2 |q (-) q0|^2_W with phi(q) = "
      "target." ZWANG_ASSEMBLY_DOC);
  def_with<Settings>(
      m,
      ZWANG_SIGNATURE("def assemble_velocity(model: Model, constraints: ConstraintSet, q: Vector, v0: "
                      "Vector, " ZWANG_ASSEMBLY_SIGNATURE " -> Assembled"),
      [](const Robot& model, const SetObject& set, nb::handle q, nb::handle v0, nb::handle weights, const Settings& s) {
        return once(What::velocity, "assemble_velocity", model, set, q, v0, weights, s);
      },
      "The velocity nearest to v0 with J v = target_velocity at q." ZWANG_ASSEMBLY_DOC);
  def_with<Settings>(
      m,
      ZWANG_SIGNATURE(
          "def project(model: Model, constraints: ConstraintSet, q: Vector, v: Vector, " ZWANG_ASSEMBLY_SIGNATURE
          " -> Assembled"),
      [](const Robot& model, const SetObject& set, nb::handle q, nb::handle v, nb::handle weights, const Settings& s) {
        return once(What::both, "project", model, set, q, v, weights, s);
      },
      "assemble(q), then assemble_velocity there. With weights='mass' the kinetic energy falls by 1/2 |v - "
      "v0|^2_M." ZWANG_ASSEMBLY_DOC);
  def_with<Settings>(
      m,
      ZWANG_SIGNATURE(
          "def assemble_path(model: Model, constraints: ConstraintSet, q0: Vector, constraint: str, targets: "
          "ArrayLike, " ZWANG_ASSEMBLY_SIGNATURE " -> AssembledPath"),
      &path,
      "Follows targets (steps x rows) of one constraint, each step from the one before; tells where the mechanism "
      "passes a\nsingular configuration. The set is not changed." ZWANG_ASSEMBLY_DOC);
}

}  // namespace zwang::python
