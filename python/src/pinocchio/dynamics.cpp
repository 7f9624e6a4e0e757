// SPDX-License-Identifier: BSD-3-Clause
// Inverse and forward dynamics with their derivatives, mass matrix, centre of mass. Armature counts; a Core has no
// damping and no springs.
#include <algorithm>
#include <initializer_list>

#include "robot.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"

namespace zwang::python::pinocchio {
namespace {

/// The argument is a member of an enumeration (convention, level), not numbers.
bool is_word(nb::handle x) { return PyLong_Check(x.ptr()); }
constexpr long k_in_world = 0;  ///< Convention.WORLD
bool in_world(nb::handle convention) { return PyLong_AsLong(convention.ptr()) == k_in_world; }

/// Memory for vectors over q and v of one call.
class Room {
 public:
  Room(const CoreObject& core, int vectors) : core_(core), step_(std::max(core.model.nq(), core.nv)) {
    if (vectors * step_ <= k_size) return;
    more_.resize(static_cast<std::size_t>(vectors * step_));
    at_ = more_.data();
  }
  ConstVector q(nb::handle given) {
    double* const x = next();
    core_.read_q(given, x);
    return {x, core_.model.nq()};
  }
  ConstVector v(nb::handle given, const char* what = "v") {
    double* const x = next();
    core_.read_v(given, what, x);
    return {x, core_.nv};
  }

 private:
  double* next() { return at_ + step_ * taken_++; }
  static constexpr Index k_size = 256;
  const CoreObject& core_;
  Index step_, taken_ = 0;
  double own_[k_size];
  std::vector<double> more_;
  double* at_ = own_;
};

#define ZWANG_SET(data, name, value)  \
  do {                                \
    static PyObject* slot;            \
    set((data).h, slot, name, value); \
  } while (false)

nb::object rnea(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle a, nb::handle fext) {
  const nb::object& object = core_of(model, data);
  CoreObject& core = core_in(object);
  Room room(core, 3);
  const ConstVector x = room.q(q), w = room.v(v), b = room.v(a, "a");
  Externals external = core.externals(fext);
  Numbers& s = *data.p->make(object, {Group::motion, Group::forces});
  std::copy_n(x.data(), x.size(), s.q.begin());
  s.v.assign(w.data(), w.data() + w.size());
  s.a.assign(b.data(), b.data() + b.size());
  s.external = std::move(external);
  nb::object tau = core.vector(inverse_dynamics(core.model, core.scratch, x, w, b, s.external).data());
  ZWANG_SET(data, "tau", tau);
  return tau;
}

nb::object aba(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle tau, nb::handle fext,
               nb::handle convention) {
  if (is_word(fext)) convention = fext, fext = nb::none();
  CoreObject& core = core_in(core_of(model, data));
  Room room(core, 3);
  const Externals external = core.externals(fext);
  const ConstVector x = room.q(q), w = room.v(v), t = room.v(tau, "tau");
  nb::object ddq = core.vector(forward_dynamics(core.model, core.scratch, x, w, t, external).data());
  ZWANG_SET(data, "ddq", ddq);
  if (!convention.is_none() && in_world(convention)) data.p->move(core_of(model, data), q, v, ddq);
  return ddq;
}

nb::object crba(ModelArgument model, DataArgument data, nb::handle q, nb::handle convention) {
  CoreObject& core = core_in(core_of(model, data));
  Room room(core, 1);
  const ConstVector x = room.q(q);
  nb::object M = core.square([&](Matrix out) { mass_matrix(core.model, core.scratch, x, out); });
  ZWANG_SET(data, "M", M);
  if (!convention.is_none() && in_world(convention)) data.p->move(core_of(model, data), q, nb::none(), nb::none());
  return M;
}

nb::object non_linear_effects(ModelArgument model, DataArgument data, nb::handle q, nb::handle v) {
  CoreObject& core = core_in(core_of(model, data));
  Room room(core, 2);
  const ConstVector x = room.q(q), w = room.v(v);
  nb::object nle = core.vector(bias_forces(core.model, core.scratch, x, w).data());
  ZWANG_SET(data, "nle", nle);
  return nle;
}

nb::object gravity(ModelArgument model, DataArgument data, nb::handle q) {
  CoreObject& core = core_in(core_of(model, data));
  Room room(core, 1);
  const ConstVector x = room.q(q);
  nb::object g = core.vector(gravity_forces(core.model, core.scratch, x).data());
  ZWANG_SET(data, "g", g);
  return g;
}

nb::object inverse_of_mass(ModelArgument model, DataArgument data, nb::handle q) {
  const StatePointer& s =
      q.is_none() ? now(model, data, "computeMinverse") : data.p->move(core_of(model, data), q, nb::none(), nb::none());
  CoreObject& core = s->core;
  core.factor.compute(core.scratch, s->q_());
  nb::object inverse = core.square([&](Matrix out) { core.factor.inverse(out); });
  ZWANG_SET(data, "Minv", inverse);
  return inverse;
}

nb::object coriolis(DataArgument data, Numbers& s) {
  CoreObject& core = s.core;
  nb::object C = core.square([&](Matrix out) { coriolis_matrix(core.model, core.scratch, s.q_(), s.v_(), out); });
  ZWANG_SET(data, "C", C);
  return C;
}

/// Members of Data that all_terms leaves to their first reading: name, function of a State. Filled by Python.
PyObject* members_of_all_terms;

void compute_all_terms(ModelArgument model, DataArgument data, nb::handle q, nb::handle v) {
  check_given("computeAllTerms", "v", v, model.p->nv);
  const StatePointer s =
      data.p->move(core_of(model, data), q, v, nb::none(), {Group::poses, Group::motion, Group::centre});
  CoreObject& core = s->core;
  all_terms(core.model, core.scratch, s->q_(), s->v_(), core.terms);
  data.p->centre(s, false);
  ZWANG_SET(data, "M", core.square([&](Matrix out) { out = core.terms.mass_matrix(); }));
  ZWANG_SET(data, "nle", core.vector(core.terms.bias_forces().data()));
  ZWANG_SET(data, "g", core.vector(core.terms.gravity_forces().data()));
  ZWANG_SET(data, "Ag", core.columns(6, [&](Matrix out) { out = core.terms.centroidal_map(); }));
  if (members_of_all_terms != nullptr) data.h.attr("later")(StateObject{s}, nb::handle(members_of_all_terms));
}

nb::object centre(DataArgument data, const StatePointer& s) {
  CoreObject& core = s->core;
  data.p->centre(s, false);
  const Fresh out = fresh(3);
  put(centre_of_mass(core.model, core.scratch, s->q_()), out.numbers);
  return out.array;
}
/// centerOfMass without q: of the last state of velocities where the robot still stands there.
nb::object centre_now(ModelArgument model, DataArgument data) {
  const StatePointer &poses = now(model, data, "centerOfMass"), &motion = (*data.p)[Group::motion];
  const bool here = motion != nullptr && motion->same_place(*poses);
  return centre(data, data.p->afresh(here ? Group::motion : Group::poses));
}
nb::object centre_of(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle a, nb::handle) {
  if (q.is_none() || is_word(q)) return centre_now(model, data);
  if (PyBool_Check(v.ptr())) v = nb::none();
  if (PyBool_Check(a.ptr())) a = nb::none();
  const std::initializer_list<Group> still = {Group::poses, Group::centre},
                                     moves = {Group::poses, Group::motion, Group::centre};
  return centre(data, data.p->move(core_of(model, data), q, v, a, v.is_none() ? still : moves));
}

nb::object centre_jacobian(ModelArgument model, DataArgument data, nb::handle q, nb::handle) {
  const StatePointer& s =
      q.is_none() || PyBool_Check(q.ptr())
          ? now(model, data, "jacobianCenterOfMass")
          : data.p->move(core_of(model, data), q, nb::none(), nb::none(), {Group::poses, Group::centre});
  CoreObject& core = s->core;
  data.p->centre(s, true);
  nb::object J = core.columns(3, [&](Matrix out) { centre_of_mass_jacobian(core.model, core.scratch, s->q_(), out); });
  ZWANG_SET(data, "Jcom", J);
  return J;
}

/// Three nv x nv matrices in Pinocchio's order, from f(a, b, c).
template <class F> nb::tuple three(const CoreObject& core, F&& f) {
  nb::object a, b, c;
  a = core.square(
      [&](Matrix A) { b = core.square([&](Matrix B) { c = core.square([&](Matrix C) { f(A, B, C); }); }); });
  return nb::make_tuple(a, b, c);
}

nb::object rnea_derivatives(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle a,
                            nb::handle fext) {
  const StatePointer s = moved(model, data, "computeRNEADerivatives", q, v, a);
  CoreObject& core = s->core;
  const Externals external = core.externals(fext);
  if (external.empty()) {
    (*data.p)[Group::forces] = s;
  } else {
    const StatePointer own = std::make_shared<Numbers>(s->core_object);
    own->take(*s), own->external = external;
    (*data.p)[Group::forces] = own;
  }
  nb::object tau;
  nb::tuple all = three(core, [&](Matrix by_q, Matrix by_v, Matrix by_a) {
    inverse_dynamics_derivatives(core.model, core.scratch, s->q_(), s->v_(), s->a_(), by_q, by_v, by_a, external);
    tau = core.vector(inverse_dynamics(core.model, core.scratch, s->q_(), s->v_(), s->a_(), external).data());
  });
  ZWANG_SET(data, "dtau_dq", nb::object(all[0]));
  ZWANG_SET(data, "dtau_dv", nb::object(all[1]));
  ZWANG_SET(data, "M", nb::object(all[2]));
  ZWANG_SET(data, "tau", tau);
  return all;
}

nb::object aba_derivatives(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle tau,
                           nb::handle fext) {
  const StatePointer s = moved(model, data, "computeABADerivatives", q, v);
  CoreObject& core = s->core;
  const Externals external = core.externals(fext);
  Room room(core, 1);
  const ConstVector t = room.v(tau, "tau");
  nb::object ddq;
  nb::tuple all = three(core, [&](Matrix by_q, Matrix by_v, Matrix by_tau) {
    ddq = core.vector(forward_dynamics_derivatives(core.model, core.scratch, core.factor, s->q_(), s->v_(), t, by_q,
                                                   by_v, by_tau, external)
                          .data());
  });
  ZWANG_SET(data, "ddq", ddq);
  ZWANG_SET(data, "ddq_dq", nb::object(all[0]));
  ZWANG_SET(data, "ddq_dv", nb::object(all[1]));
  ZWANG_SET(data, "ddq_dtau", nb::object(all[2]));
  ZWANG_SET(data, "Minv", nb::object(all[2]));
  return all;
}

#define ZWANG_Q nb::arg("model"), nb::arg("data"), nb::arg("q")
#define ZWANG_QV ZWANG_Q, nb::arg("v").none()
#define ZWANG_FEXT nb::arg("fext").none() = nb::none()

}  // namespace

void bind_dynamics(nb::module_& m) {
  m.def("rnea", &rnea, ZWANG_QV, nb::arg("a").none(), ZWANG_FEXT,
        "data.tau: torques that produce the acceleration a. fext: a Force per joint, in its axes about its origin.");
  m.def("aba", &aba, ZWANG_QV, nb::arg("tau"), ZWANG_FEXT, nb::arg("convention").none() = nb::none(),
        "data.ddq: accelerations that torques cause.");
  m.def("crba", &crba, ZWANG_Q, nb::arg("convention").none() = nb::none(),
        "data.M: the mass matrix, both triangles, armature on its diagonal.");
  m.def("nonLinearEffects", &non_linear_effects, ZWANG_QV, "data.nle: C v + g.");
  m.def("computeGeneralizedGravity", &gravity, ZWANG_Q, "data.g: torques that hold the robot still.");
  m.def("computeMinverse", &inverse_of_mass, nb::arg("model"), nb::arg("data"), nb::arg("q").none() = nb::none(),
        "data.Minv: the inverse of the mass matrix, both triangles.");
  m.def(
      "computeCoriolisMatrix",
      [](ModelArgument model, DataArgument data, nb::handle q, nb::handle v) {
        return coriolis(data, *moved(model, data, "computeCoriolisMatrix", q, v));
      },
      ZWANG_QV, "data.C with C v + g = nle, and dM/dt - 2 C antisymmetric.");
  m.def(
      "getCoriolisMatrix",
      [](ModelArgument model, DataArgument data) {
        Numbers& s = *moving(model, data, "getCoriolisMatrix");
        s.need_v("getCoriolisMatrix");
        return coriolis(data, s);
      },
      nb::arg("model"), nb::arg("data"), "data.C of the state of the last call.");
  m.def("computeAllTerms", &compute_all_terms, ZWANG_QV, "M, nle, g, kinematics, J, com, Jcom, Ag, hg, Ig, energies.");
  m.def("register_all_terms", [](nb::dict members) { members_of_all_terms = members.inc_ref().ptr(); });
  m.def(
      "centerOfMass", &centre_of, nb::arg("model"), nb::arg("data"), nb::arg("q").none() = nb::none(),
      nb::arg("v").none() = nb::none(), nb::arg("a").none() = nb::none(), nb::arg("compute_subtree_coms") = true,
      "data.com[0], with v data.vcom[0], with a data.acom[0].\n\n"
      "(q[, v[, a]][, compute_subtree_coms]), or (kinematic_level[, compute_subtree_coms]) or nothing: of the state of "
      "the last call.");
  m.def(
      "centerOfMass",
      [](ModelArgument model, DataArgument data, nb::handle, nb::handle) { return centre_now(model, data); },
      nb::arg("model"), nb::arg("data"), nb::arg("kinematic_level"), nb::arg("compute_subtree_coms") = true);
  m.def("jacobianCenterOfMass", &centre_jacobian, nb::arg("model"), nb::arg("data"), nb::arg("q").none() = nb::none(),
        nb::arg("compute_subtree_coms") = true, "data.Jcom: (3, nv), world axes.");
  m.def("computeRNEADerivatives", &rnea_derivatives, ZWANG_QV, nb::arg("a").none(), ZWANG_FEXT,
        "data.dtau_dq, data.dtau_dv, and the mass matrix: d rnea by its arguments.");
  m.def("computeABADerivatives", &aba_derivatives, ZWANG_QV, nb::arg("tau"), ZWANG_FEXT,
        "data.ddq_dq, data.ddq_dv, data.ddq_dtau (the inverse of the mass matrix): d aba by its arguments.");
}

}  // namespace zwang::python::pinocchio
