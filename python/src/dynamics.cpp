// SPDX-License-Identifier: BSD-3-Clause
// Inverse and forward dynamics, mass matrix, energies, centre of mass, joint wrenches.
#include "zwang/algorithm/dynamics.hpp"

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {
namespace {

const JointEffects& or_default(const JointEffects* effects) {
  static const JointEffects usual;
  return effects != nullptr ? *effects : usual;
}
#define ZWANG_STATE_ARGUMENTS nb::arg("model"), nb::arg("q").none(), nb::arg("v").none()
#define ZWANG_DYNAMICS_ARGUMENTS                                                           \
  nb::kw_only(), nb::arg("external") = nb::none(), nb::arg("in_") = "local_world_aligned", \
                 nb::arg("joint_effects").none() = nb::none(), nb::arg("gravity") = nb::none()
#define ZWANG_DYNAMICS_SIGNATURE                                              \
  "*, external: External | None = None, in_: str = \"local_world_aligned\", " \
  "joint_effects: JointEffects | None = None, gravity: ArrayLike | None = None, " ZWANG_BATCH_SIGNATURE
#define ZWANG_ENVIRONMENT_DOC                                                                                     \
  "\n\n"                                                                                                          \
  "external: wrenches [force; moment] [N, N m] from outside by frame name, about the frame's origin (about the\n" \
  "    world's for in_=\"world\"), with in_ the axes: local, world, local_world_aligned or a frame's name.\n"     \
  "joint_effects: which effects of joints count (JointEffects). gravity: [m/s^2] instead of the model's.\n"       \
  "out: an array that receives the result. Vectors may be lists or dictionaries {joint: number}.\n"               \
  "Raises ValueError naming argument, got and expected; SingularMassError only where said."

void bind_torques(nb::module_& m) {
  m.def(
      "inverse_dynamics",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle external, const char* in,
         const JointEffects* effects, nb::handle gravity, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("inverse_dynamics", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
        call.environment(gravity, external, in);
        const Output& out = call.output(out_, {robot.model.nv()});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              out.put(k, inverse_dynamics(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), w.external,
                                          or_default(effects))
                             .data());
            },
            [&](auto& x) { x.batch.inverse_dynamics(x(q), x(v), x(a), x(out), or_default(effects), x.external); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, nb::arg("a").none(), ZWANG_DYNAMICS_ARGUMENTS, ZWANG_BATCH_ARGUMENTS,
      nb::sig("def inverse_dynamics(model: Model, q: Vector, v: Vector, a: Vector, " ZWANG_DYNAMICS_SIGNATURE
              ") -> Array"),
      "Torques that produce the acceleration a:  tau = M(q) a + h(q, v)  [N m, N], shape (nv,).\n\n"
      "q (nq,), v and a (nv,) in the model's order; floating joints: body twists. Recursive Newton-Euler (Luh, Walker\n"
      "and Paul 1980), cost O(n). Alias: rnea." ZWANG_ENVIRONMENT_DOC ZWANG_BATCH_DOC);

  m.def(
      "forward_dynamics",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle external, const char* in,
         const JointEffects* effects, nb::handle gravity, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("forward_dynamics", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &tau = call.tangent("tau", tau_);
        call.environment(gravity, external, in);
        const Output& out = call.output(out_, {robot.model.nv()});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              out.put(k, forward_dynamics(robot.model, w.data, vector(q, k), vector(v, k), vector(tau, k), w.external,
                                          or_default(effects))
                             .data());
            },
            [&](auto& x) { x.batch.forward_dynamics(x(q), x(v), x(tau), x(out), or_default(effects), x.external); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, nb::arg("tau").none(), ZWANG_DYNAMICS_ARGUMENTS, ZWANG_BATCH_ARGUMENTS,
      nb::sig("def forward_dynamics(model: Model, q: Vector, v: Vector, tau: Vector, " ZWANG_DYNAMICS_SIGNATURE
              ") -> Array"),
      "Accelerations that torques tau cause:  a = M(q)^-1 (tau - h(q, v))  [rad/s^2, m/s^2], shape (nv,).\n\n"
      "Articulated-body algorithm (Featherstone 2008, chapter 7), cost O(n). Raises SingularMassError naming the "
      "joint\n"
      "where a coordinate moves no inertia. Alias: aba." ZWANG_ENVIRONMENT_DOC ZWANG_BATCH_DOC);
}

void bind_biases(nb::module_& m) {
  m.def(
      "bias_forces",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle external, const char* in,
         const JointEffects* effects, nb::handle gravity, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("bias_forces", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        call.environment(gravity, external, in);
        const Output& out = call.output(out_, {robot.model.nv()});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              out.put(
                  k,
                  bias_forces(robot.model, w.data, vector(q, k), vector(v, k), w.external, or_default(effects)).data());
            },
            [&](auto& x) { x.batch.bias_forces(x(q), x(v), x(out), or_default(effects), x.external); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, ZWANG_DYNAMICS_ARGUMENTS, ZWANG_BATCH_ARGUMENTS,
      nb::sig("def bias_forces(model: Model, q: Vector, v: Vector, " ZWANG_DYNAMICS_SIGNATURE ") -> Array"),
      "h(q, v) of  M a + h = tau: velocity products, gravity, external wrenches, damping and springs  [N m, N], "
      "(nv,).\n\n"
      "Inverse dynamics at a = 0." ZWANG_ENVIRONMENT_DOC ZWANG_BATCH_DOC);

  m.def(
      "gravity_forces",
      [](const Robot& robot, nb::handle q_, nb::handle gravity, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("gravity_forces", robot, Precision::any);
        const Input& q = call.configuration(q_);
        call.gravity(gravity);
        const Output& out = call.output(out_, {robot.model.nv()});
        call.report_to(status, progress);
        call.run([&](Workspace& w, Index k) { out.put(k, gravity_forces(robot.model, w.data, vector(q, k)).data()); },
                 [&](auto& x) { x.batch.gravity_forces(x(q), x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), nb::arg("gravity") = nb::none(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def gravity_forces(model: Model, q: Vector, *, gravity: ArrayLike | None = None, "
              "" ZWANG_BATCH_SIGNATURE ") -> Array"),
      "g(q): what the motors need to hold the robot still against gravity alone  [N m, N], shape (nv,).\n\n"
      "Springs and external wrenches are not counted: see bias_forces. q (nq,) or (N, nq); out: (nv,) or (N, nv).\n"
      "Raises ValueError naming argument, got and expected." ZWANG_BATCH_DOC);
}

void bind_mass(nb::module_& m) {
  m.def(
      "mass_matrix",
      [](const Robot& robot, nb::handle q_, const JointEffects* effects, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("mass_matrix", robot, Precision::any);
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {nv, nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              Eigen::Map<Eigen::MatrixXd> M(w.numbers(nv * nv), nv, nv);
              mass_matrix(robot.model, w.data, vector(q, k), M, or_default(effects));
              out.put_matrix(k, M.data());
            },
            [&](auto& x) { x.batch.mass_matrix(x(q), x(out), or_default(effects)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), nb::arg("joint_effects").none() = nb::none(),
      ZWANG_BATCH_ARGUMENTS,
      nb::sig("def mass_matrix(model: Model, q: Vector, *, joint_effects: JointEffects | None = None, "
              "" ZWANG_BATCH_SIGNATURE ") -> Array"),
      "M(q), symmetric, shape (nv, nv)  [kg m^2, kg m, kg]; 1/2 v^T M v is the kinetic energy.\n\n"
      "Composite rigid bodies (Walker and Orin 1982), cost O(n depth). Rotor inertias count unless\n"
      "joint_effects.armature is False. q (nq,) or (N, nq); out: (nv, nv) or (N, nv, nv). Alias: crba.\n"
      "Raises ValueError naming argument, got and expected." ZWANG_BATCH_DOC);
  m.def(
      "mass_matrix_inverse",
      [](const Robot& robot, nb::handle q_, const JointEffects* effects, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("mass_matrix_inverse", robot, Precision::any);
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {nv, nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              if (!w.cholesky) w.cholesky.emplace(robot.model);
              w.cholesky->compute(w.data, vector(q, k), or_default(effects));
              Eigen::Map<Eigen::MatrixXd> M(w.numbers(nv * nv), nv, nv);
              w.cholesky->inverse(M);
              out.put_matrix(k, M.data());
            },
            [&](auto& x) { x.batch.mass_matrix_inverse(x(q), x(out), or_default(effects)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), nb::arg("joint_effects").none() = nb::none(),
      ZWANG_BATCH_ARGUMENTS,
      nb::sig("def mass_matrix_inverse(model: Model, q: Vector, *, joint_effects: JointEffects | None = None, "
              "" ZWANG_BATCH_SIGNATURE ") -> Array"),
      "M(q)^-1, symmetric, shape (nv, nv), through the factorisation along the tree (see cholesky).\n\n"
      "q (nq,) or (N, nq); out: (nv, nv) or (N, nv, nv). Raises SingularMassError naming the joint where a coordinate\n"
      "moves no inertia; ValueError naming argument, got and expected." ZWANG_BATCH_DOC);
}

void bind_energy(nb::module_& m) {
  m.def(
      "kinetic_energy",
      [](const Robot& robot, nb::handle q_, nb::handle v_, const JointEffects* effects, nb::handle out_,
         nb::handle status, nb::handle progress) {
        Call call("kinetic_energy", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        const Output& out = call.output(out_, {});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              out.put(k, kinetic_energy(robot.model, w.data, vector(q, k), vector(v, k), or_default(effects)));
            },
            [&](auto& x) { x.batch.kinetic_energy(x(q), x(v), x(out), or_default(effects)); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, nb::kw_only(), nb::arg("joint_effects").none() = nb::none(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def kinetic_energy(model: Model, q: Vector, v: Vector, *, joint_effects: JointEffects | None = None, "
              "" ZWANG_BATCH_SIGNATURE ") -> float | Array"),
      "1/2 v^T M(q) v  [J]: a float, or shape (N,) for N states. Rotors count unless joint_effects.armature is "
      "False.\n\n"
      "Raises ValueError naming argument, got and expected." ZWANG_BATCH_DOC);
  m.def(
      "potential_energy",
      [](const Robot& robot, nb::handle q_, const JointEffects* effects, nb::handle gravity, nb::handle out_,
         nb::handle status, nb::handle progress) {
        Call call("potential_energy", robot, Precision::any);
        const Input& q = call.configuration(q_);
        call.gravity(gravity);
        const Output& out = call.output(out_, {});
        call.report_to(status, progress);
        call.run([&](Workspace& w,
                     Index k) { out.put(k, potential_energy(robot.model, w.data, vector(q, k), or_default(effects))); },
                 [&](auto& x) { x.batch.potential_energy(x(q), x(out), or_default(effects)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), nb::arg("joint_effects").none() = nb::none(),
      nb::arg("gravity") = nb::none(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def potential_energy(model: Model, q: Vector, *, joint_effects: JointEffects | None = None, "
              "gravity: ArrayLike | None = None, " ZWANG_BATCH_SIGNATURE ") -> float | Array"),
      "-sum m g.c over moving bodies, plus the energy of springs  [J]; zero at the world's origin.\n\n"
      "A float, or shape (N,) for N states. Raises ValueError naming argument, got and expected." ZWANG_BATCH_DOC);
}

void put(const Output& out, Index k, const Vec3<double>& c) {
  const double x[3] = {c.x, c.y, c.z};
  out.put(k, x);
}

void bind_centre_of_mass(nb::module_& m) {
  m.def(
      "centre_of_mass",
      [](const Robot& robot, nb::handle q_, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("centre_of_mass", robot, Precision::any);
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {3});
        call.report_to(status, progress);
        call.run([&](Workspace& w, Index k) { put(out, k, centre_of_mass(robot.model, w.data, vector(q, k))); },
                 [&](auto& x) { x.batch.centre_of_mass(x(q), {}, {}, x.out(out, 9, 0)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def centre_of_mass(model: Model, q: Vector, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Centre of mass of everything that moves  [m], in the world, shape (3,) or (N, 3).\n\n"
      "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
      "argument,\n"
      "got and expected." ZWANG_BATCH_DOC);
  m.def(
      "centre_of_mass_velocity",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("centre_of_mass_velocity", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        const Output& out = call.output(out_, {3});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k), vector(v, k));
              put(out, k, centre_of_mass_velocity(robot.model, w.data));
            },
            [&](auto& x) { x.batch.centre_of_mass(x(q), x(v), {}, x.out(out, 9, 3)); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def centre_of_mass_velocity(model: Model, q: Vector, v: Vector, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Velocity of the centre of mass  [m/s], in world axes, shape (3,) or (N, 3).\n\n"
      "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
      "argument,\n"
      "got and expected." ZWANG_BATCH_DOC);
  m.def(
      "centre_of_mass_acceleration",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("centre_of_mass_acceleration", robot, Precision::any);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
        const Output& out = call.output(out_, {3});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k));
              put(out, k, centre_of_mass_acceleration(robot.model, w.data));
            },
            [&](auto& x) { x.batch.centre_of_mass(x(q), x(v), x(a), x.out(out, 9, 6)); });
        return call.result(out, out_);
      },
      ZWANG_STATE_ARGUMENTS, nb::arg("a").none(), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def centre_of_mass_acceleration(model: Model, q: Vector, v: Vector, a: Vector, *, "
              "" ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Acceleration of the centre of mass  [m/s^2], in world axes, gravity not counted, shape (3,) or (N, 3).\n\n"
      "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
      "argument,\n"
      "got and expected." ZWANG_BATCH_DOC);
  m.def(
      "centre_of_mass_jacobian",
      [](const Robot& robot, nb::handle q_, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("centre_of_mass_jacobian", robot, Precision::any);
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {3, nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              Eigen::Map<Eigen::MatrixXd> J(w.numbers(3 * nv), 3, nv);
              centre_of_mass_jacobian(robot.model, w.data, vector(q, k), J);
              out.put_matrix(k, J.data());
            },
            [&](auto& x) { x.batch.centre_of_mass_jacobian(x(q), x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def centre_of_mass_jacobian(model: Model, q: Vector, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "J with (velocity of the centre of mass) = J v, shape (3, nv) or (N, 3, nv).\n\n"
      "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
      "argument,\n"
      "got and expected." ZWANG_BATCH_DOC);
}

/// Joints that transmit a wrench of their own: all but those merged into a body.
nb::object joint_wrenches(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle external,
                          const char* in, const JointEffects* effects, nb::handle gravity, nb::handle out_) {
  Call call("joint_wrenches", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  std::vector<LinkId> child;
  for (const Joint& j : robot.model.joints())
    if (!j.lumped) child.push_back(j.child);
  const Index n = static_cast<Index>(child.size());
  const Output& out = call.output(nb::none(), {n, 6});
  call.run([&](Workspace& w, Index k) {
    inverse_dynamics(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), w.external, or_default(effects));
    for (Index j = 0; j < n; ++j) {
      const Force<double> f = joint_wrench(robot.model, w.data, child[static_cast<std::size_t>(j)]);
      for (Index i = 0; i < 6; ++i) *out.entry(k, j, i) = f[i];
    }
  });
  if (!out_.is_none() && !PyDict_Check(out_.ptr()))
    throw std::invalid_argument("E_OUT joint_wrenches: argument 'out' has type " + type_text(out_) +
                                ", expected a dictionary: an earlier result");
  nb::dict result = out_.is_none() ? nb::dict() : nb::borrow<nb::dict>(out_);
  const nb::object all = nb::ellipsis(), every = nb::slice(nb::none(), nb::none(), nb::none());
  Index row = 0;
  for (const Joint& j : robot.model.joints()) {
    if (j.lumped) continue;
    const nb::object own = out.array[nb::make_tuple(all, row++, every)];
    const char* name = j.name.c_str();
    if (result.contains(name))
      result[name][all] = own;
    else
      result[name] = own;
  }
  return result;
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  nb::class_<JointEffects>(m, "JointEffects",
                           "Which effects of joints count in a dynamics call. Plain attributes that may be changed.\n\n"
                           "armature: reflected rotor inertia; damping: -d v; springs: -k (q - reference);\n"
                           "friction: Coulomb, -c sign(v).")
      .def(
          "__init__",
          [](JointEffects* e, bool armature, bool damping, bool springs, bool friction) {
            new (e) JointEffects{armature, damping, springs, friction};
          },
          nb::kw_only(), nb::arg("armature") = true, nb::arg("damping") = true, nb::arg("springs") = true,
          nb::arg("friction") = false)
      .def_rw("armature", &JointEffects::armature)
      .def_rw("damping", &JointEffects::damping)
      .def_rw("springs", &JointEffects::springs)
      .def_rw("friction", &JointEffects::friction)
      .def(
          "__eq__",
          [](const JointEffects& a, nb::handle other) {
            const JointEffects* b = nullptr;
            if (!nb::try_cast(other, b) || b == nullptr) return false;
            return a.armature == b->armature && a.damping == b->damping && a.springs == b->springs &&
                   a.friction == b->friction;
          },
          nb::arg("other"), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__getstate__",
          [](const JointEffects& e) { return nb::make_tuple(e.armature, e.damping, e.springs, e.friction); },
          nb::sig("def __getstate__(self) -> tuple[bool, bool, bool, bool]"))
      .def(
          "__setstate__",
          [](JointEffects& e, nb::object s) {
            new (&e)
                JointEffects{nb::cast<bool>(s[0]), nb::cast<bool>(s[1]), nb::cast<bool>(s[2]), nb::cast<bool>(s[3])};
          },
          nb::sig("def __setstate__(self, state: tuple[bool, bool, bool, bool], /) -> None"))
      .def("__repr__", [](const JointEffects& e) {
        const auto word = [](bool b) { return b ? "True" : "False"; };
        return std::string("JointEffects(armature=") + word(e.armature) + ", damping=" + word(e.damping) +
               ", springs=" + word(e.springs) + ", friction=" + word(e.friction) + ")";
      });
  bind_torques(m);
  bind_biases(m);
  bind_mass(m);
  bind_energy(m);
  bind_centre_of_mass(m);
  m.def(
      "joint_wrenches", &joint_wrenches, ZWANG_STATE_ARGUMENTS, nb::arg("a").none(), ZWANG_DYNAMICS_ARGUMENTS,
      nb::arg("out") = nb::none(),
      nb::sig("def joint_wrenches(model: Model, q: Vector, v: Vector, a: Vector, *, external: External | None = None, "
              "in_: str = \"local_world_aligned\", joint_effects: JointEffects | None = None, "
              "gravity: ArrayLike | None = None, out: dict[str, Array] | None = None) -> dict[str, Array]"),
      "The wrench [force; moment] [N, N m] that each joint transmits to its child link, by joint name, shape (6,) or\n"
      "(N, 6): in the child link's axes about its origin, what a force-torque sensor in the joint reads.\n\n"
      "Fixed joints that were merged into a body are absent: load with lump=False to read theirs. out: an earlier\n"
      "result, whose arrays are filled. With a leading dimension (N, ...) the results have it "
      "too." ZWANG_ENVIRONMENT_DOC);
  m.attr("rnea") = m.attr("inverse_dynamics");
  m.attr("aba") = m.attr("forward_dynamics");
  m.attr("crba") = m.attr("mass_matrix");
}

}  // namespace zwang::python
