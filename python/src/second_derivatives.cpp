// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of dynamics.
#include "zwang/algorithm/second_derivatives.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "fields.hpp"

namespace zwang::python {
namespace {

/// Four tensors; with N states they have a leading dimension.
struct Tensors {
  nb::object qq = nb::none(), qv = nb::none(), vv = nb::none(), last = nb::none();
  template <class A> void fields(A& a) { a(qq), a(qv), a(vv), a(last); }
};
struct TorqueTensors : Tensors {
  static constexpr const char* last_name = "qa";
};
struct AccelerationTensors : Tensors {
  static constexpr const char* last_name = "qtau";
};
/// Sums over the first index.
template <class Of> struct Contracted : Tensors {};

template <class Of> nb::object dense(const Of& h, const std::string& name) {
  if (name == "qq") return h.qq;
  if (name == "qv") return h.qv;
  if (name == "vv") return h.vv;
  if (name == Of::last_name) return h.last;
  throw std::invalid_argument("dense: argument 'name' is \"" + name + "\"; expected qq, qv, vv or " + Of::last_name);
}
template <class Of> nb::object symmetric(const Of& h, const std::string& name) {
  const nb::object H = dense(h, name);
  if (name != "qq" && name != "vv")
    throw std::invalid_argument("symmetric: argument 'name' is \"" + name +
                                "\", which is by two different things; expected qq or vv");
  return (H + H.attr("swapaxes")(-1, -2)) * nb::float_(0.5);
}
template <class Of> Contracted<Of> contract(const Of& h, nb::handle w) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object weights = numpy.attr("asarray")(w, nb::arg("dtype") = "float64");
  const nb::tuple size = nb::cast<nb::tuple>(weights.attr("shape")), whole = nb::cast<nb::tuple>(h.qq.attr("shape"));
  const std::size_t vectors = nb::len(whole) - 2;  // one number for each t, of each state if there are several
  const bool one = nb::len(size) == 1 && size[0].equal(whole[vectors - 1]);
  const nb::object each = whole.attr("__getitem__")(nb::slice(nb::int_(0), nb::int_(vectors), nb::int_(1)));
  if (!one && !size.equal(each))
    throw std::invalid_argument("contract: argument 'w' has shape " + std::string(nb::repr(size).c_str()) +
                                "; expected one number for each coordinate of v");
  Contracted<Of> out;
  const auto sum = [&](const nb::object& H) {
    return nb::object(numpy.attr("einsum")(one ? "t,...txy->...xy" : "...t,...txy->...xy", weights, H));
  };
  out.qq = sum(h.qq);
  out.qv = sum(h.qv);
  out.vv = sum(h.vv);
  out.last = sum(h.last);
  return out;
}

JointEffects effects_of(const JointEffects* given) { return given != nullptr ? *given : JointEffects(); }

/// Outputs of a call, and what is put there.
struct TensorOutputs {
  TensorOutputs(Call& call, Index n, const char* last)
      : qq(call.output(nb::none(), {n, n * n}, "qq")),
        qv(call.output(nb::none(), {n, n * n}, "qv")),
        vv(call.output(nb::none(), {n, n * n}, "vv")),
        rest(call.output(nb::none(), {n, n * n}, last)) {}
  void put(Index k, const SecondOrderTensors& h, const char* last) const {
    qq.put_rows(k, h.dense("qq").data);
    qv.put_rows(k, h.dense("qv").data);
    vv.put_rows(k, h.dense("vv").data);
    rest.put_rows(k, h.dense(last).data);
  }
  void give(Tensors& to, Index states, Index n) const {
    const auto cube = [&](const Output& x) {
      const nb::tuple shape = states < 0 ? nb::make_tuple(n, n, n) : nb::make_tuple(states, n, n, n);
      return nb::object(x.array.attr("reshape")(shape));
    };
    to.qq = cube(qq);
    to.qv = cube(qv);
    to.vv = cube(vv);
    to.last = cube(rest);
  }
  const Output &qq, &qv, &vv, &rest;
};

void refuse_axes(const Call& call, const char* in) {
  if (call.needs_axes())
    throw std::invalid_argument(std::string("second derivatives: argument 'in_' is the frame '") + in +
                                "', expected local, world or local_world_aligned");
}

TorqueTensors inverse(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle external,
                      const char* in, const JointEffects* effects, nb::handle gravity) {
  Call call("inverse_dynamics_second_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  refuse_axes(call, in);
  SecondDerivatives h(robot.model);
  const TensorOutputs to(call, robot.model.nv(), "qa");
  call.run([&](Workspace& w, Index k) {
    inverse_dynamics_second_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), h, w.external,
                                        effects_of(effects));
    to.put(k, h, "qa");
  });
  TorqueTensors out;
  to.give(out, call.states(), robot.model.nv());
  return out;
}

AccelerationTensors forward(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle external,
                            const char* in, const JointEffects* effects, nb::handle gravity) {
  Call call("forward_dynamics_second_derivatives", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &tau = call.tangent("tau", tau_);
  call.environment(gravity, external, in);
  refuse_axes(call, in);
  ForwardSecondDerivatives h(robot.model);
  TreeCholesky factor(robot.model);
  const TensorOutputs to(call, robot.model.nv(), "qtau");
  call.run([&](Workspace& w, Index k) {
    forward_dynamics_second_derivatives(robot.model, w.data, factor, vector(q, k), vector(v, k), vector(tau, k), h,
                                        w.external, effects_of(effects));
    to.put(k, h, "qtau");
  });
  AccelerationTensors out;
  to.give(out, call.states(), robot.model.nv());
  return out;
}

template <class Class> void bind_members(Class&& c, const char* last, const char* last_signature) {
  using Of = typename std::decay_t<Class>::Type;
  c.def_ro("qq", &Of::qq, nb::sig("def qq(self) -> Array"), "by q, then by q")
      .def_ro("qv", &Of::qv, nb::sig("def qv(self) -> Array"), "x in q, y in v")
      .def_ro("vv", &Of::vv, nb::sig("def vv(self) -> Array"), "by v, twice")
      .def_ro(last, &Of::last, nb::sig(last_signature), "x in q, y in the other");
}
template <class Of, signature::Text S> void bind_tensors(nb::module_& m, const char* name, const char* contracted,
                                                         const char* doc, const char* last_signature,
                                                         S contract_signature) {
  bind_members(ClassOf<Contracted<Of>>(m, contracted, "sum_t w_t H[t, :, :], (nv, nv) or (N, nv, nv) each."),
               Of::last_name, last_signature);
  ClassOf<Of> c(m, name, doc);
  bind_members(c, Of::last_name, last_signature);
  c.def(ZWANG_SIGNATURE("def dense(self, name: str) -> Array"), &dense<Of>, "A tensor by its name.")
      .def(ZWANG_SIGNATURE("def symmetric(self, name: str) -> Array"), &symmetric<Of>,
           "(H[t, x, y] + H[t, y, x]) / 2 of \"qq\" or \"vv\". Of \"qq\" it is the Hessian along q (+) d.")
      .def(contract_signature, &contract<Of>,
           "sum_t w_t H[t, :, :] of each tensor. w: (nv,), or one vector for each state.");
  kept_by_fields<Of, Contracted<Of>>();
}

#define ZWANG_WORDS_SIGNATURE                                                                                      \
  "*, external: External | None = None, in_: str = \"local_world_aligned\", joint_effects: JointEffects | None = " \
  "None, gravity: ArrayLike | None = None) -> "
#define ZWANG_SECOND_DOC                                                                                           \
  "\n\nH[t, x, y] = L_y (d of row t / d x), y differentiated last; by q along q (+) d at d = 0. H of two "         \
  "coordinates\n"                                                                                                  \
  "of one joint on a group depends on their order; symmetric(\"qq\") does not. External wrenches are constant in " \
  "the\n"                                                                                                          \
  "axes in which they are given. With a leading dimension (N, ...) the results have it too."

}  // namespace

void bind_second_derivatives(nb::module_& m) {
  bind_tensors<TorqueTensors>(
      m, "InverseDynamicsSecondDerivatives", "ContractedInverseDynamicsSecondDerivatives",
      "d2 tau of inverse_dynamics, (nv, nv, nv) or (N, nv, nv, nv) each.", "def qa(self) -> Array",
      ZWANG_SIGNATURE("def contract(self, w: ArrayLike) -> ContractedInverseDynamicsSecondDerivatives"));
  bind_tensors<AccelerationTensors>(
      m, "ForwardDynamicsSecondDerivatives", "ContractedForwardDynamicsSecondDerivatives",
      "d2 a of forward_dynamics, (nv, nv, nv) or (N, nv, nv, nv) each.", "def qtau(self) -> Array",
      ZWANG_SIGNATURE("def contract(self, w: ArrayLike) -> ContractedForwardDynamicsSecondDerivatives"));
  def(m,
      ZWANG_SIGNATURE("def inverse_dynamics_second_derivatives(model: Model, q: Vector, v: Vector, a: Vector, "  //
                      ZWANG_WORDS_SIGNATURE "InverseDynamicsSecondDerivatives"),
      &inverse,
      "Second derivatives of inverse_dynamics: by q q, q v, v v and q a." ZWANG_SECOND_DOC
      " joint_effects has no\npart: dampers, springs and rotors are linear.");
  def(m,
      ZWANG_SIGNATURE("def forward_dynamics_second_derivatives(model: Model, q: Vector, v: Vector, tau: Vector, "  //
                      ZWANG_WORDS_SIGNATURE "ForwardDynamicsSecondDerivatives"),
      &forward,
      "Second derivatives of forward_dynamics: by q q, q v, v v and q tau; those by v tau are zero." ZWANG_SECOND_DOC
      " Raises\nSingularMassError where a coordinate has no inertia.");
}

}  // namespace zwang::python
