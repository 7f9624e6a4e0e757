// SPDX-License-Identifier: BSD-3-Clause
// mobility: which motions a set of constraints leaves, at a configuration or along a path.
#include "zwang/question/mobility.hpp"

#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "frames.hpp"
#include "mechanisms.hpp"
#include "record.hpp"
#include "settings.hpp"

namespace zwang::python {

nb::object python_value(Shown, const MobilityReport&, const std::vector<double>& x) { return new_array(x); }
nb::object python_value(Shown, const MobilityReport&, const std::vector<RedundantConstraint>& loops) {
  nb::dict all;
  for (const RedundantConstraint& c : loops) all[text_of(c.name)] = c.redundant;
  return all;
}

void check_record(const ActuatedJacobian& j, const Pickled& read) {
  const auto inputs = static_cast<std::size_t>(std::max<Index>(j.inputs, 0));
  if (j.inputs < 0 || j.numbers.size() != 6 * inputs || j.names.size() != inputs)
    read.refuse("its numbers are not those of its inputs");
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
  Index most = 0;
};
template <class V> void fields(V& v, Type<PathMobilityObject>) {
  using T = PathMobilityObject;
  v.record("PathMobility", "The mobility along a path of N configurations.");
  v("mobility", &T::mobility, "(N,)", {.type = "NDArray[numpy.int64]"});
  v("rank", &T::rank, "(N,)", {.type = "NDArray[numpy.int64]"});
  v("smallest_singular_value", &T::smallest,
    "(N,): singular value number most_rank, scaled: 0 where the rank drops, small near there");
  v("singular", &T::singular, "(N,): the rank is lower than elsewhere on the path", {.type = "NDArray[numpy.bool_]"});
  v("most_rank", &T::most, "the highest rank on the path");
}

nb::object matrix_of(const Eigen::Map<const Eigen::MatrixXd>& x) {
  return new_matrix(static_cast<Index>(x.rows()), static_cast<Index>(x.cols()),
                    [&](Index i, Index j) { return x(i, j); });
}

nb::object mobility(const Robot& robot, const SetObject& set, nb::handle q_, const MobilitySettings& settings) {
  const Model& model = robot.model;
  const Input q("mobility", "q", q_, model.nq(), VectorKind::configuration, &model);
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
  const auto array = [](const auto& x, const char* type) { return array_of(x, type, [](auto one) { return one; }); };
  return nb::cast(PathMobilityObject{array(r.mobility, "int64"), array(r.ranks, "int64"),
                                     array(r.smallest_singular_value, "float64"), array(r.singular, "bool"), r.rank});
}

WithNames<ActuatedJacobian> jacobian(const MobilityObject& self, FrameGiven frame, nb::handle actuated,
                                     const char* reference) {
  const std::vector<std::string> names = names_from("Mobility.jacobian", "actuated", actuated);
  const Reference seen = reference_of(reference);
  const FrameId id = frame_of(self.set->robot, "jacobian", frame);
  const nb::gil_scoped_release release;
  const std::lock_guard<SetMutex> lock(self.set->mutex);
  const Eigen::Map<const Eigen::VectorXd> q(self.q.data(), static_cast<Eigen::Index>(self.q.size()));
  return WithNames(Mobility(self.set->robot.model, self.set->set, self.settings).jacobian(q, id, names, seen));
}

void bind_jacobian(nb::module_& m) {
  using J = WithNames<ActuatedJacobian>;
  record_class<ActuatedJacobian>(m).get("jacobian", "Array", "(6, inputs), linear rows first",
                                        [](const J& j) { return matrix_of(j.record.jacobian()); });
}

}  // namespace

void bind_mobility(nb::module_& m) {
  named_tuples<RowTerm>(m);
  bind_jacobian(m);
  result_class<PathMobilityObject>(m);
  using M = MobilityObject;
  ClassOf<M> c(m, "Mobility", "Which motions a set of constraints leaves at a configuration, and why not more.");
  attributes<MobilityReport>(c, [](const M& x) -> const MobilityReport& { return x.report; });
  c.get("free", "Array", "(nv, mobility): an orthonormal basis of the velocities that rows permit",
        [](const M& x) { return matrix_of(x.report.free()); })
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
  kept_by_fields<MobilityObject>();
  def_with<MobilitySettings>(
      m,
      ZWANG_SIGNATURE("def mobility(model: Model, constraints: ConstraintSet, q: Vector, *, {samples seed step "
                      "tolerance}) -> Mobility | PathMobility"),
      &mobility,
      "Which motions the active hard rows of a set leave at q, which rows are redundant, and whether motions go on.\n\n"
      "samples: configurations around q, at the distance step (scaled: about 0.05 rad, or 5 % of the size), that tell\n"
      "motions at first order from finite ones; 0: none. tolerance: smallest angle between rows that counts, in the "
      "metric\n"
      "of the mass matrix, as of a Solver; 0: 1e-11. The rank is what a Solver reports there.\n"
      "q (N, nq): a path, where the rank drops on it. Raises ValueError naming argument, got and expected.");
}

}  // namespace zwang::python
