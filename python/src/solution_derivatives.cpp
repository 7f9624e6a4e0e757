// SPDX-License-Identifier: BSD-3-Clause
// The results of Solver.derivatives, vjp and jvp as classes of Python.
#include "solution_derivatives.hpp"

#include <limits>

#include "bind.hpp"
#include "statuses.hpp"

namespace zwang::python {

void check_taken(const TakenAt& at, const Pickled& read) {
  if (at == nullptr) return;
  const auto count = static_cast<std::size_t>(std::max<Index>(at->count(), 0));
  if (at->states < -1 || at->status.size() != count ||
      at->q.size() != count * static_cast<std::size_t>(at->robot.model.nq()))
    read.refuse("its states do not fit each other");
}
namespace {

/// J of the frame a wrench is given on, at one state after another: power is wrench . J v.
class WrenchJacobian {
 public:
  WrenchJacobian(const Robot& robot, FrameGiven frame, const char* in)
      : lease_(robot),
        model_(robot.model),
        frame_(frame_of(robot, "external", frame)),
        seen_(Seen::from(model_, in, "in_")),
        J_(6, model_.nv()) {}
  const Eigen::MatrixXd& at(const double* q) {
    const Eigen::Map<const Eigen::VectorXd> at(q, model_.nq());
    Data& data = (*lease_).data;
    jacobian(model_, data, at, frame_, seen_.reference, J_);
    if (!seen_.axes) return J_;
    forward_kinematics(model_, data, at);
    const Eigen::Matrix3d R = frame_pose(model_, data, seen_.axes).R.eigen();
    J_.topRows(3) = R.transpose() * J_.topRows(3).eval();
    J_.bottomRows(3) = R.transpose() * J_.bottomRows(3).eval();
    return J_;
  }

 private:
  const Lease lease_;
  const Model& model_;
  FrameId frame_;
  Seen seen_;
  Eigen::MatrixXd J_;
};

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Numbers of a contiguous array of float64.
struct Reading {
  explicit Reading(const nb::object& array) : held(in_double(array)) { memory.open(held, PyBUF_STRIDES); }
  /// Users may give an array of a result another shape.
  void check(std::ptrdiff_t numbers) const {
    if (memory->len != numbers * static_cast<std::ptrdiff_t>(sizeof(double)))
      throw std::invalid_argument("E_SIZE external: the array 'tau' of the derivatives has been given another shape");
  }
  const double* of(Index state, std::ptrdiff_t size) const {
    return static_cast<const double*>(memory->buf) + state * size;
  }
  nb::object held;
  Exported memory;
};

template <class T> std::string text_of_derivatives(const T& x) {
  Status status = Status::ok;
  if (!nb::try_cast(x.status, status))
    return std::string("<derivatives of ") + std::to_string(nb::len(x.reason)) + " solutions>";
  const auto reason = nb::cast<std::string>(x.reason);
  return std::string("<derivatives of a solution, ") + name_of(status) +
         (reason.empty() ? "" : std::string(": ").append(reason)) + ">";
}

void check_asked(const GradientObject& g, const char* name) {
  if (!is_asked(g.asked, name))
    throw nb::attribute_error(("'" + std::string(name) + "' was not asked for: wrt= did not name it").c_str());
}

void bind_gradient(nb::module_& m) {
  using G = GradientObject;
  const Head head = head_of<G>();
  ClassOf<G> g(m, head.name, head.says);
  for_each_part_of_gradient([&](const char* name, nb::object G::*x, auto, auto, const char* says) {
    g.def_prop_ro(
        name,
        [=](const G& found) {
          check_asked(found, name);
          return found.*x;
        },
        nb::sig(kept_text(std::string("def ") + name + "(self) -> Array")), says);
  });
  g.def(
      ZWANG_SIGNATURE("def external(self, frame: str | int, in_: str = \"local_world_aligned\") -> Array"),
      [](const G& x, FrameGiven frame, const char* in) {
        check_asked(x, "external");
        return by_wrench(x, frame, in);
      },
      "By a wrench [force; moment] on a frame, (6,), given as `external=` of a solve takes it.");
  g.get("status", "Status | Statuses",
        "ok, not_differentiable or overflow; of N states (N,), where refused states keep the status of their solve",
        [](const G& x) { return as_statuses(x.status); })
      .def_ro("reason", &G::reason, nb::sig("def reason(self) -> str | list[str]"),
              "why there is no derivative, or empty; of N states a list")
      .def("__repr__", &text_of_derivatives<G>);
}

}  // namespace

nb::object asked_parts(nb::handle wrt) {
  if (wrt.is_none()) return nb::none();
  std::vector<std::string> known;
  for_each_part_of_gradient([&](const char* name, auto, auto, auto, const char*) { known.push_back(name); });
  known.push_back("external");
  nb::set asked;
  for (const std::string& name : names_argument("Solver.vjp", "wrt", wrt, known)) asked.add(nb::str(name.c_str()));
  return asked;
}

nb::object in_double(const nb::object& array) {
  static PyObject* slot;
  return kept(slot, "numpy", "ascontiguousarray")(array, "float64");
}

nb::object by_wrench(const JacobianObject& x, FrameGiven frame, const char* in) {
  const WhereTaken& at = *x.at;
  const Index nv = at.robot.model.nv();
  const Reading tau(x.tau);
  const auto size = static_cast<Index>(nb::cast<long>(tau.held.attr("shape")[at.states < 0 ? 0 : 1]));
  tau.check(static_cast<std::ptrdiff_t>(at.count()) * size * nv);
  const Output out("external", "out", nb::none(), at.states, {size, 6}, at.single);
  WrenchJacobian J(at.robot, frame, in);
  for (Index s = 0; s < at.count(); ++s) {
    if (!at.has_numbers(s)) {
      out.fill(s, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    ByRows force = Eigen::Map<const ByRows>(tau.of(s, static_cast<std::ptrdiff_t>(size) * nv), size, nv);
    if (x.of_motors && at.ok(s)) force.diagonal().array() -= 1;
    const ByRows by = force * J.at(at.q_of(s)).transpose();
    out.put_rows(s, by.data());
  }
  return out.array;
}

nb::object by_wrench(const GradientObject& x, FrameGiven frame, const char* in) {
  const WhereTaken& at = *x.at;
  const Index nv = at.robot.model.nv();
  const Reading force(x.force);
  const Output out("external", "out", nb::none(), at.states, {6}, at.single);
  WrenchJacobian J(at.robot, frame, in);
  for (Index s = 0; s < at.count(); ++s) {
    if (!at.has_numbers(s)) {
      out.fill(s, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const Eigen::VectorXd by = J.at(at.q_of(s)) * Eigen::Map<const Eigen::VectorXd>(force.of(s, nv), nv);
    out.put_rows(s, by.data());
  }
  return out.array;
}

void bind_solution_derivatives(nb::module_& m) {
  result_class<JacobianObject>(m).def(
      ZWANG_SIGNATURE("def external(self, frame: str | int, in_: str = \"local_world_aligned\") -> Array"),
      [](const JacobianObject& x, FrameGiven frame, const char* in) { return by_wrench(x, frame, in); },
      "By a wrench [force; moment] on a frame, (size, 6), given as `external=` of a solve takes it.");
  result_class<RowsObject>(m);
  result_class<DerivativesObject>(m).def("__repr__", &text_of_derivatives<DerivativesObject>);
  bind_gradient(m);
  kept_by_fields<GradientObject>();
  result_class<VariationObject>(m).def("__repr__", &text_of_derivatives<VariationObject>);
  result_class<GradientVariationObject>(m).def("__repr__", &text_of_derivatives<GradientVariationObject>);
}

}  // namespace zwang::python
