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
  ClassOf<G> g(m, "InputGradient",
               "The gradient of a scalar by what a solve has read: Solver.vjp(). Of N states all arrays have a "
               "leading N.");
  const auto field = [&](const char* name, nb::object G::*x, const char* signature, const char* doc) {
    g.def_prop_ro(
        name,
        [=](const G& found) {
          check_asked(found, name);
          return found.*x;
        },
        nb::sig(signature), doc);
  };
  field("q", &G::q, "def q(self) -> Array", "(nv,) along q (+) d");
  field("v", &G::v, "def v(self) -> Array", "(nv,)");
  field("tau", &G::tau, "def tau(self) -> Array", "(nv,); 0 at prescribed coordinates");
  field("prescribed", &G::prescribed, "def prescribed(self) -> Array", "(nv,) by prescribed accelerations");
  field("beta", &G::beta, "def beta(self) -> Array", "(rows,)");
  field("target", &G::target, "def target(self) -> Array",
        "(rows,); 0 without stabilisation, and at rows whose position error is NaN");
  field("target_velocity", &G::target_velocity, "def target_velocity(self) -> Array", "(rows,)");
  field("compliance", &G::compliance, "def compliance(self) -> Array", "(rows,) of soft rows");
  field("time_constant", &G::time_constant, "def time_constant(self) -> Array",
        "(constraints,) by the time_constant of each; 0 without stabilisation");
  field("damping_ratio", &G::damping_ratio, "def damping_ratio(self) -> Array",
        "(constraints,) by the damping_ratio of each; 0 without stabilisation");
  field("armature", &G::armature, "def armature(self) -> Array", "(nv,) by the rotor inertia at each coordinate");
  field("damping", &G::damping, "def damping(self) -> Array", "(nv,) by the damping at each coordinate");
  field("stiffness", &G::stiffness, "def stiffness(self) -> Array", "(nv,) by the spring at each coordinate");
  field("gravity", &G::gravity, "def gravity(self) -> Array", "(3,)");
  field("inertial_parameters", &G::inertial_parameters, "def inertial_parameters(self) -> Array",
        "(10 links,) in the order of Model.inertial_parameters");
  field("placement", &G::placement, "def placement(self) -> Array",
        "(joints, 6) along X exp(d), X the joint's frame in its parent link, d = [shift; turn] in joint axes; NaN at "
        "joints that are merged into a body: build with lump=False to have them");
  g.def(
      ZWANG_SIGNATURE("def external(self, frame: str | int, in_: str = \"local_world_aligned\") -> Array"),
      [](const G& x, FrameGiven frame, const char* in) {
        check_asked(x, "external");
        return by_wrench(x, frame, in);
      },
      "By a wrench [force; moment] on a frame, (6,), given as `external=` of a solve takes it.");
  g.def_prop_ro(
       "status", [](const G& x) { return as_statuses(x.status); }, nb::sig("def status(self) -> Status | Statuses"),
       "ok, not_differentiable or overflow; of N states (N,), where refused states keep the status of their solve")
      .def_ro("reason", &G::reason, nb::sig("def reason(self) -> str | list[str]"),
              "why there is no derivative, or empty; of N states a list")
      .def("__repr__", &text_of_derivatives<G>);
}

}  // namespace

nb::object asked_parts(nb::handle wrt) {
  if (wrt.is_none()) return nb::none();
  static const std::vector<std::string> known{"q",
                                              "v",
                                              "tau",
                                              "prescribed",
                                              "beta",
                                              "target",
                                              "target_velocity",
                                              "compliance",
                                              "time_constant",
                                              "damping_ratio",
                                              "armature",
                                              "damping",
                                              "stiffness",
                                              "gravity",
                                              "inertial_parameters",
                                              "placement",
                                              "external"};
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
