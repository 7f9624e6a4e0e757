// SPDX-License-Identifier: BSD-3-Clause
// Base parameters, the regressor of a free body, columns of a joint, and centres of mass of subtrees:
// functions outside of the list of algorithms.
#include "zwang/algorithm/quantities.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "bind.hpp"
#include "call.hpp"
#include "frames.hpp"
#include "record.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/base_parameters.hpp"
#include "zwang/algorithm/supported.hpp"

namespace zwang::python {

template <class A> void fields(A& a, BaseParameters& b) {
  a(b.rank), a(b.columns), a(b.names), a(b.matrix), a(b.largest_dependent), a(b.smallest_independent);
}

namespace {

nb::object joint_columns(const Robot& robot, nb::handle q_, nb::handle v_, const std::string& name) {
  Call call("joint_columns", robot);
  const Input& q = call.configuration(q_);
  const Input* const v = v_.is_none() ? nullptr : &call.tangent("v", v_);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(robot.model.nv());
  robot.model.joint(name);  // throws with the nearest name
  const JointId id = robot.model.find_joint(name);
  const Joint& joint = robot.model.joints()[static_cast<std::size_t>(id.value)];
  const Index count = joint.lumped || joint.body.value == 0 ? 0 : joint.v.size;
  const Output &S = call.output(nb::none(), {6, count}, "S"), &S_dot = call.output(nb::none(), {6, count}, "S_dot");
  const Output& bias = call.output(nb::none(), {6}, "bias");
  call.run([&](Workspace& w, Index k) {
    Eigen::Matrix<double, 6, Eigen::Dynamic> columns(6, count), rates(6, count);
    const Motion<double> b = v != nullptr
                                 ? joint_columns(robot.model, w.data, vector(q, k), vector(*v, k), id, columns, rates)
                                 : joint_columns(robot.model, w.data, vector(q, k), rest, id, columns, rates);
    S.put_matrix(k, columns.data());
    S_dot.put_matrix(k, rates.data());
    for (Index r = 0; r < 6; ++r) bias.set(k, r, 0, b[r]);
  });
  return nb::make_tuple(S.array, S_dot.array, bias.array);
}

nb::object supported_inertia(const Robot& robot, nb::handle q_, FrameGiven frame, nb::handle out_) {
  Call call("supported_inertia", robot);
  const Input& q = call.configuration(q_);
  const FrameId id = frame_of(robot, "supported_inertia", frame);
  const Output& out = call.output(out_, {6, 6});
  call.run([&](Workspace& w, Index k) {
    const Inertia<double> I = supported_inertia(robot.model, w.data, vector(q, k), id);
    for (Index c = 0; c < 6; ++c) {
      Motion<double> e = Motion<double>::zero();
      e[c] = 1;
      const Force<double> column = I * e;
      for (Index r = 0; r < 6; ++r) out.set(k, r, c, column[r]);
    }
  });
  return out.array;
}
nb::object supported_force(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, FrameGiven frame,
                           nb::handle external, const char* in, nb::handle gravity, nb::handle out_) {
  Call call("supported_force", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  const FrameId id = frame_of(robot, "supported_force", frame);
  const Output& out = call.output(out_, {6});
  call.run([&](Workspace& w, Index k) {
    const Force<double> f =
        supported_force(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), id, w.external);
    for (Index r = 0; r < 6; ++r) out.set(k, r, 0, f[r]);
  });
  return out.array;
}

/// Arrays; with N states they have a leading dimension.
struct Terms {
  nb::object mass_matrix, coriolis_matrix, bias_forces, gravity_forces, columns, centroidal_map, centre_of_mass,
      centre_of_mass_velocity, kinetic_energy, potential_energy, torque;
};
template <class V> void fields(V& v, Type<Terms>) {
  using T = Terms;
  v.record("AllTerms", "Results of all_terms; with N states arrays have a leading dimension N.");
  v("mass_matrix", &T::mass_matrix, "(nv, nv)");
  v("coriolis_matrix", &T::coriolis_matrix, "(nv, nv)");
  v("bias_forces", &T::bias_forces, "(nv,)");
  v("gravity_forces", &T::gravity_forces, "(nv,)");
  v("columns", &T::columns,
    "(6, nv): of all joints, world axes about the world's origin; where model.support(frame) says so, the columns of "
    "the\nframe's Jacobian in the reference `world`");
  v("centroidal_map", &T::centroidal_map, "(6, nv)");
  v("centre_of_mass", &T::centre_of_mass, "(3,) [m]");
  v("centre_of_mass_velocity", &T::centre_of_mass_velocity, "(3,) [m/s]");
  v("kinetic_energy", &T::kinetic_energy, "[J]");
  v("potential_energy", &T::potential_energy, "[J]");
  v("torque", &T::torque, "(nv,): M a + h, where a is given", {.type = "Array | None"});
}

Terms terms_of(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, const JointEffects* effects,
               nb::handle gravity) {
  Call call("all_terms", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  const Input* const a = a_.is_none() ? nullptr : &call.tangent("a", a_);
  call.gravity(gravity);
  const Index nv = robot.model.nv();
  const auto array = [&](const char* name, std::initializer_list<Index> shape) {
    return Output("all_terms", name, nb::none(), call.states(), shape);
  };
  const Output M = array("mass_matrix", {nv, nv}), C = array("coriolis_matrix", {nv, nv}),
               h = array("bias_forces", {nv}), g = array("gravity_forces", {nv}), S = array("columns", {6, nv}),
               A = array("centroidal_map", {6, nv}), c = array("centre_of_mass", {3}),
               speed = array("centre_of_mass_velocity", {3}), kinetic = array("kinetic_energy", {}),
               potential = array("potential_energy", {}), torque = array("torque", {nv});
  call.run([&](Workspace& w, Index k) {
    if (!w.terms) w.terms = std::make_shared<AllTerms>(robot.model);
    AllTerms& x = *w.terms;
    all_terms(robot.model, w.data, vector(q, k), vector(v, k), x, effects != nullptr ? *effects : JointEffects());
    M.put_matrix(k, x.mass_matrix().data());
    C.put_matrix(k, x.coriolis_matrix().data());
    S.put_matrix(k, x.columns().data());
    A.put_matrix(k, x.centroidal_map().data());
    h.put(k, x.bias_forces().data());
    g.put(k, x.gravity_forces().data());
    for (Index i = 0; i < 3; ++i) c.set(k, i, 0, x.centre_of_mass[i]), speed.set(k, i, 0, x.centre_of_mass_velocity[i]);
    kinetic.put(k, x.kinetic_energy);
    potential.put(k, x.potential_energy);
    if (a == nullptr) return;
    for (Index i = 0; i < nv; ++i)
      if (!is_finite(a->at(k)[i])) detail::throw_not_finite("all_terms", "a", i, a->at(k)[i]);
    const Eigen::VectorXd tau = x.mass_matrix() * vector(*a, k) + x.bias_forces();
    if (!tau.allFinite()) detail::throw_overflow("all_terms");
    torque.put(k, tau.data());
  });
  return {M.array,
          C.array,
          h.array,
          g.array,
          S.array,
          A.array,
          c.array,
          speed.array,
          kinetic.array,
          potential.array,
          a != nullptr ? nb::object(torque.array) : nb::object(nb::none())};
}

Motion<double> motion_of(const Input& x, Index state) {
  const double* const y = x.at(state);
  for (Index k = 0; k < 6; ++k)
    if (!is_finite(y[k])) detail::throw_not_finite("body_regressor", x.name(), k, y[k]);
  return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}
nb::object regressor_of_a_body(nb::handle velocity_, nb::handle acceleration_, nb::handle out_) {
  constexpr const char* function = "body_regressor";
  const Input velocity(function, "velocity", velocity_, 6), acceleration(function, "acceleration", acceleration_, 6);
  const Index states = std::max(velocity.states(), acceleration.states());
  if (velocity.states() >= 0 && acceleration.states() >= 0 && velocity.states() != acceleration.states())
    throw std::invalid_argument("E_SIZE body_regressor: argument 'acceleration' has " +
                                std::to_string(acceleration.states()) + " states, but 'velocity' has " +
                                std::to_string(velocity.states()));
  const Output out(function, "out", out_, states, {6, 10});
  for (const Input* x : {&velocity, &acceleration}) out.refuse_overlap(function, x->memory(), x->name());
  const Index count = states < 0 ? 1 : states;
  std::vector<Eigen::Matrix<double, 6, 10>> Y(
      static_cast<std::size_t>(count));  // nothing is written before all is checked
  for (Index k = 0; k < count; ++k)
    body_regressor(motion_of(velocity, k), motion_of(acceleration, k), Y[static_cast<std::size_t>(k)]);
  for (Index k = 0; k < count; ++k) out.put_matrix(k, Y[static_cast<std::size_t>(k)].data());
  return out.array;
}

void bind_supported(nb::module_& m) {
  def(m,
      ZWANG_SIGNATURE(
          "def supported_inertia(model: Model, q: Vector, frame: str | int, *, out: Array | None = None) -> Array"),
      &supported_inertia,
      "Inertia of the frame's link and of all links behind it as one rigid body, 6 x 6 about the frame's origin, its\n"
      "axes. The cut is at the joint that carries the link, fixed or not.");
  def(m,
      ZWANG_SIGNATURE(
          "def supported_force(model: Model, q: Vector, v: Vector, a: Vector, frame: str | int, *, external: External "
          "| "
          "None = None, in_: str = \"local_world_aligned\", gravity: ArrayLike | None = None, out: Array | None = "
          "None) -> Array"),
      &supported_force,
      "The wrench through that cut, on the links behind it: what a force-torque sensor at the frame reads.\n\n"
      "[force; moment about the frame's origin], the frame's axes. For the root link: on the whole robot.");
}

}  // namespace

void bind_quantities(nb::module_& m) {
  bind_supported(m);
  ClassOf<BaseParameters>(m, "BaseParameters",
                          "The combinations of inertial parameters that motions and torques can tell apart:\n"
                          "Y @ phi == Y[:, columns] @ (matrix @ phi) for the regressor Y of inverse dynamics and every "
                          "phi.")
      .def_ro("rank", &BaseParameters::rank, "how many there are")
      .def_ro("columns", &BaseParameters::columns, nb::sig("def columns(self) -> list[int]"),
              "of the regressor, ascending: parameters that stand for themselves")
      .def_ro("names", &BaseParameters::names, nb::sig("def names(self) -> list[str]"),
              "of these columns: link.m, link.mx, ... link.Izz")
      .get("matrix", "Array", "(rank, 10 links): base parameters = matrix @ inertial_parameters",
           [](const BaseParameters& b) {
             const Index parameters = b.rank > 0 ? static_cast<Index>(b.matrix.size()) / b.rank : 0;
             const Output out("base_parameters", "matrix", nb::none(), -1, {b.rank, parameters});
             if (b.rank > 0) out.put_rows(0, b.matrix.data());
             return out.array;
           })
      .def_ro("largest_dependent", &BaseParameters::largest_dependent,
              "sine of the clearest column that was given up; the rank is certain where this is far below "
              "smallest_independent")
      .def_ro("smallest_independent", &BaseParameters::smallest_independent,
              "sine of the least clear column that was kept")
      .def("__repr__", [](const BaseParameters& b) {
        return "<zwang.BaseParameters: rank " + std::to_string(b.rank) + " of " +
               std::to_string(b.rank > 0 ? static_cast<Index>(b.matrix.size()) / b.rank : 0) + ">";
      });
  result_class<Terms>(m);
  kept_by_fields<BaseParameters>();
  def(m,
      ZWANG_SIGNATURE(
          "def all_terms(model: Model, q: Vector, v: Vector, a: Vector | None = None, *, joint_effects: JointEffects | "
          "None = None, gravity: ArrayLike | None = None) -> AllTerms"),
      &terms_of,
      "The terms of M a + C v + g = tau at one state, from one sweep: mass and Coriolis matrix, bias and gravity "
      "forces,\n"
      "columns of all joints, centroidal map, centre of mass and its velocity, energies; with a the torque.\n\n"
      "Each as the function of its name gives it. q (nq,) or (N, nq), and so on. Raises ValueError naming argument, "
      "got "
      "and\nexpected.");
  def(
      m, ZWANG_SIGNATURE("def base_parameters(model: Model, tolerance: float = 1e-8) -> BaseParameters"),
      [](const Robot& r, double tolerance) { return base_parameters(r.model, tolerance); },
      "Base inertial parameters from regressors of random states. Gautier 1991.\n\n"
      "tolerance: the smallest sine of the angle between a column and those before it that counts. Raises ValueError\n"
      "unless 0 < tolerance < 1.");
  def(m,
      ZWANG_SIGNATURE(
          "def joint_columns(model: Model, q: Vector, v: Vector, joint: str) -> tuple[Array, Array, Array]"),
      &joint_columns,
      "Columns of one joint, world axes about the world's origin: S (6, k), dS/dt (6, k), and the bias dS/dt v of the\n"
      "joint (6,): what it adds to its child's spatial acceleration while its own acceleration is zero.\n\n"
      "Of a joint that mimics, per unit of its leader. q (nq,) or (N, nq), and so on. Raises ValueError for unknown "
      "joints\n"
      "with the nearest name, and for fixed joints that were merged.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def joint_columns(model: Model, q: Vector, joint: str, v: Vector | None = None) -> tuple[Array, Array, "
          "Array]"),
      [](const Robot& robot, nb::handle q, const std::string& joint, nb::handle v) {
        return joint_columns(robot, q, v, joint);
      },
      "The same with the velocities last, zeros unless given.");
  def(m,
      ZWANG_SIGNATURE(
          "def body_regressor(velocity: ArrayLike, acceleration: ArrayLike, *, out: Array | None = None) -> Array"),
      &regressor_of_a_body,
      "(6, 10) of one free body, (N, 6, 10) for N motions: times its parameters (m, m c, I: xx xy yy xz yz zz) the "
      "wrench that moves it.\n\n"
      "velocity, and acceleration minus gravity, both spatial, [linear; angular] in its axes about its origin.");
}

}  // namespace zwang::python
