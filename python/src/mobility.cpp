// SPDX-License-Identifier: BSD-3-Clause
// mobility: which motions a set of constraints leaves, at a configuration or along a path.
#include "zwang/question/mobility.hpp"

#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"
#include "frames.hpp"
#include "mechanisms.hpp"

namespace zwang::python {
/// The fields of what the library reports.
template <class A> void fields(A& a, RowTerm& t) { a(t.row), a(t.coefficient); }
template <class A> void fields(A& a, RedundantConstraint& c) { a(c.name), a(c.rows), a(c.redundant); }
template <class A> void fields(A& a, MobilitySettings& s) { a(s.tolerance), a(s.samples), a(s.step), a(s.seed); }
template <class A> void fields(A& a, MobilityReport& r) {
  a(r.coordinates), a(r.rows), a(r.rank), a(r.mobility), a(r.count), a(r.finite_mobility), a(r.mobility_nearby);
  a(r.singular), a(r.closure), a(r.smallest_singular_value), a(r.singular_values), a(r.open), a(r.redundant);
  a(r.loops), a(r.dependencies), a(r.basis);
}
template <class A> void fields(A& a, ActuatedJacobian& j) {
  a(j.mobility), a(j.passive), a(j.inputs), a(j.lost), a(j.uncontrolled), a(j.dependent_inputs);
  a(j.input_singular_value), a(j.output_singular_value), a(j.names), a(j.numbers);
}

namespace {

/// A report, and what is needed to ask for Jacobians at its configuration.
struct MobilityObject {
  MobilityReport report;
  SetPointer set;
  MobilitySettings settings;
  std::vector<double> q;
  template <class A> void fields(A& a) { a(report), a(set), a(settings), a(q); }
  void check(const Pickled& read) const {
    const auto nv = static_cast<std::size_t>(set->robot.model.nv());
    const auto free = static_cast<std::size_t>(std::max<Index>(report.mobility, 0));
    if (static_cast<Index>(q.size()) != set->robot.model.nq() || report.coordinates != set->robot.model.nv() ||
        report.mobility < 0 || report.basis.size() != nv * free)
      read.refuse("its numbers are not those of its model");
  }
};
struct PathMobilityObject {
  nb::object mobility, rank, smallest, singular;
  Index most;
  template <class A> void fields(A& a) { a(mobility), a(rank), a(smallest), a(singular), a(most); }
};

template <class T> nb::object array_of(const std::vector<T>& x, const char* dtype) {
  static PyObject* slot;
  nb::list list;
  for (const auto& e : x) list.append(static_cast<T>(e));
  return kept(slot, "numpy", "array")(list, nb::arg("dtype") = dtype);
}
nb::object matrix_of(const Eigen::Map<const Eigen::MatrixXd>& x) {
  return new_matrix(static_cast<Index>(x.rows()), static_cast<Index>(x.cols()),
                    [&](Index i, Index j) { return x(i, j); });
}

nb::object mobility(const Robot& robot, const SetObject& set, nb::handle q_, int samples, std::uint64_t seed,
                    double step, double tolerance) {
  const Model& model = robot.model;
  const Input q("mobility", "q", q_, model.nq(), VectorKind::configuration, &model);
  const MobilitySettings settings{.tolerance = tolerance, .samples = samples, .step = step, .seed = seed};
  if (q.states() < 0) {
    MobilityObject x{.report = {}, .set = set.shared, .settings = settings, .q = {q.at(0), q.at(0) + q.size()}};
    {
      const nb::gil_scoped_release release;
      const std::lock_guard<SetMutex> lock(set.shared->mutex);
      x.report = Mobility(model, set.shared->set, settings).at(vector(q, 0));
    }
    return nb::cast(std::move(x));
  }
  Eigen::MatrixXd path(model.nq(), q.states());
  for (Index k = 0; k < q.states(); ++k) path.col(k) = vector(q, k);
  PathMobility r;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    r = Mobility(model, set.shared->set, settings).along(path);
  }
  return nb::cast(PathMobilityObject{array_of(r.mobility, "int64"), array_of(r.ranks, "int64"),
                                     array_of(r.smallest_singular_value, "float64"), array_of(r.singular, "bool"),
                                     r.rank});
}

ActuatedJacobian jacobian(const MobilityObject& self, FrameGiven frame, nb::handle actuated, const char* reference) {
  const std::vector<std::string> names = names_from("Mobility.jacobian", "actuated", actuated);
  const Reference seen = reference_of(reference);
  const FrameId id = frame_of(self.set->robot, "jacobian", frame);
  const nb::gil_scoped_release release;
  const std::lock_guard<SetMutex> lock(self.set->mutex);
  const Eigen::Map<const Eigen::VectorXd> q(self.q.data(), static_cast<Eigen::Index>(self.q.size()));
  return Mobility(self.set->robot.model, self.set->set, self.settings).jacobian(q, id, names, seen);
}

void bind_jacobian(nb::module_& m) {
  using J = ActuatedJacobian;
  ClassOf<J>(m, "ActuatedJacobian",
             "How the twist of a frame follows from the rates of motors: twist = jacobian @ rates. Motions that\n"
             "neither turn a motor nor move the frame are passive and left out.")
      .def_prop_ro(
          "jacobian", [](const J& j) { return matrix_of(j.jacobian()); }, nb::sig("def jacobian(self) -> Array"),
          "(6, inputs), linear rows first")
      .def_ro("names", &J::names, nb::sig("def names(self) -> list[str]"), "of the inputs")
      .def_ro("mobility", &J::mobility, "nv - rank")
      .def_ro("passive", &J::passive, "directions that neither turn a motor nor move the frame")
      .def_ro("lost", &J::lost, "directions in which motors turn and the frame does not move")
      .def_ro("uncontrolled", &J::uncontrolled, "directions in which the frame moves though all motors are locked")
      .def_ro("dependent_inputs", &J::dependent_inputs, "rates that cannot be chosen freely")
      .def_ro("input_singular_value", &J::input_singular_value, "smallest, scaled; small near type 2")
      .def_ro("output_singular_value", &J::output_singular_value, "smallest, scaled; small near type 1")
      .def_prop_ro(
          "type1", [](const J& j) { return j.type1(); }, "lost > 0 (Gosselin and Angeles)")
      .def_prop_ro(
          "type2", [](const J& j) { return j.type2(); }, "uncontrolled > 0");
}

void bind_path(nb::module_& m) {
  ClassOf<PathMobilityObject>(m, "PathMobility", "The mobility along a path of N configurations.")
      .def_ro("mobility", &PathMobilityObject::mobility, nb::sig("def mobility(self) -> NDArray[numpy.int64]"), "(N,)")
      .def_ro("rank", &PathMobilityObject::rank, nb::sig("def rank(self) -> NDArray[numpy.int64]"), "(N,)")
      .def_ro("smallest_singular_value", &PathMobilityObject::smallest,
              nb::sig("def smallest_singular_value(self) -> Array"),
              "(N,): singular value number most_rank, scaled: 0 where the rank drops, small near there")
      .def_ro("singular", &PathMobilityObject::singular, nb::sig("def singular(self) -> NDArray[numpy.bool_]"),
              "(N,): the rank is lower than elsewhere on the path")
      .def_ro("most_rank", &PathMobilityObject::most, "the highest rank on the path");
}

}  // namespace

void bind_mobility(nb::module_& m) {
  bind_jacobian(m);
  bind_path(m);
  using M = MobilityObject;
  const auto number = [](auto MobilityReport::*field) { return [field](const M& x) { return x.report.*field; }; };
  ClassOf<M>(m, "Mobility", "Which motions a set of constraints leaves at a configuration, and why not more.")
      .def_prop_ro("mobility", number(&MobilityReport::mobility),
                   "nv - rank: directions in which q can move at first order")
      .def_prop_ro("rank", number(&MobilityReport::rank), "of the Jacobian of the active hard rows")
      .def_prop_ro("rows", number(&MobilityReport::rows), "active hard rows")
      .def_prop_ro("count", number(&MobilityReport::count),
                   "nv - rows, as Gruebler and Kutzbach count; mobility - count rows are redundant")
      .def_prop_ro(
          "finite_mobility",
          [](const M& x) -> nb::object {
            return x.report.finite_mobility < 0 ? nb::none() : nb::cast(x.report.finite_mobility);
          },
          nb::sig("def finite_mobility(self) -> int | None"),
          "dimension of the motions that go on by a finite step; None: not known (samples 0, rows without\n"
          "position, rows that do not close, or q too near to a singular configuration for 16 digits or the step)")
      .def_prop_ro(
          "mobility_nearby",
          [](const M& x) -> nb::object {
            return x.report.mobility_nearby < 0 ? nb::none() : nb::cast(x.report.mobility_nearby);
          },
          nb::sig("def mobility_nearby(self) -> int | None"), "at the configurations around q, the least")
      .def_prop_ro("singular", number(&MobilityReport::singular),
                   "the rank is lower at q than around it on the rows, or where nothing moves, than off them")
      .def_prop_ro("closure", number(&MobilityReport::closure), "largest position error of a row, scaled")
      .def_prop_ro("smallest_singular_value", number(&MobilityReport::smallest_singular_value),
                   "of those that count, scaled")
      .def_prop_ro(
          "singular_values", [](const M& x) { return new_array(x.report.singular_values); },
          nb::sig("def singular_values(self) -> Array"), "of the scaled Jacobian, largest first")
      .def_prop_ro(
          "open", [](const M& x) { return x.report.open; }, nb::sig("def open(self) -> list[str]"),
          "rows with a sense that have room to move, and do not count")
      .def_prop_ro(
          "redundant", [](const M& x) { return x.report.redundant; }, nb::sig("def redundant(self) -> list[str]"),
          "rows that depend on rows given before them")
      .def_prop_ro(
          "loops",
          [](const M& x) {
            nb::dict all;
            for (const RedundantConstraint& c : x.report.loops) all[text_of(c.name)] = c.redundant;
            return all;
          },
          nb::sig("def loops(self) -> dict[str, int]"), "constraints with such rows, and how many")
      .def_prop_ro(
          "dependencies",
          [](const M& x) {
            nb::list all;
            for (const std::vector<RowTerm>& terms : x.report.dependencies) {
              nb::list one;
              for (const RowTerm& t : terms) one.append(nb::make_tuple(text_of(t.row), t.coefficient));
              all.append(one);
            }
            return all;
          },
          nb::sig("def dependencies(self) -> list[list[tuple[str, float]]]"),
          "one minimal set of dependent rows for each redundant one: row, coefficient")
      .def_prop_ro(
          "free", [](const M& x) { return matrix_of(x.report.free()); }, nb::sig("def free(self) -> Array"),
          "(nv, mobility): an orthonormal basis of the velocities that rows permit")
      .def(
          "explain", [](const M& x) { return text_of(x.report.explain()); }, nb::sig("def explain(self) -> str"),
          "The same in sentences.")
      .def(ZWANG_SIGNATURE(
               "def jacobian(self, frame: str | int, actuated: str | Sequence[str] | None = None, *, reference: str = "
               "\"local_world_aligned\") -> ActuatedJacobian"),
           &jacobian,
           "The Jacobian of a frame by the rates of motors, at the same configuration with the set as it is now.\n"
           "actuated: joints or coordinates; None: model.actuated.")
      .def("__repr__", [](const M& x) {
        const std::string text = x.report.explain();
        return "<zwang.Mobility " + text.substr(0, text.find('\n')) + ">";
      });
  kept_by_fields<MobilityObject, PathMobilityObject, ActuatedJacobian>();
  def(m,
      ZWANG_SIGNATURE(
          "def mobility(model: Model, constraints: ConstraintSet, q: Vector, *, samples: int = 8, seed: int = 1, "
          "step: float = 0.05, tolerance: float = 0.0) -> Mobility | PathMobility"),
      &mobility,
      "Which motions the active hard rows of a set leave at q, which rows are redundant, and whether motions go on.\n\n"
      "samples: configurations around q, at the distance step (scaled: about 0.05 rad, or 5 % of the size), that tell\n"
      "motions at first order from finite ones; 0: none. tolerance: smallest angle between rows that counts, in the "
      "metric\n"
      "of the mass matrix, as of a Solver; 0: 1e-11. The rank is what a Solver reports there.\n"
      "q (N, nq): a path, where the rank drops on it. Raises ValueError naming argument, got and expected.");
}

}  // namespace zwang::python
