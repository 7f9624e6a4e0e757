// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solver's last solution.
#include <mutex>

#include "bind.hpp"
#include "call.hpp"
#include "solver_object.hpp"
#include "turning_axes.hpp"
#include "zwang/dynamics/derivatives.hpp"

namespace zwang::python {
namespace {

nb::object matrix(const Eigen::MatrixXd& x) {
  return new_matrix(x.rows(), x.cols(), [&](Index i, Index j) { return x(i, j); });
}
nb::object vector_of(const Eigen::VectorXd& x) { return new_array(x.data(), x.size()); }
std::string text(std::string_view x) { return std::string(x); }

/// Derivatives of one vector of the solution.
struct Jacobian {
  nb::object q, v, tau, beta;
  Eigen::MatrixXd force;  ///< by generalised forces that are no motor's
  std::vector<double> at;
  Robot robot;
};
struct DerivativesObject {
  Status status = Status::ok;
  std::string reason;
  nb::object acceleration, multipliers, motor_torque;
};
struct GradientObject {
  Status status = Status::ok;
  std::string reason;
  nb::object q, v, tau, prescribed, beta, target, target_velocity, compliance, armature, damping, stiffness, gravity,
      inertial_parameters, placement;
  Eigen::VectorXd force;  ///< by generalised forces that are no motor's
  std::vector<double> at;
  Robot robot;
};
struct VariationObject {
  Status status = Status::ok;
  std::string reason;
  nb::object acceleration, multipliers, motor_torque;
};

/// J of the frame a wrench is given on: power is wrench . J v.
Eigen::MatrixXd jacobian_of(const Robot& robot, const std::vector<double>& q, const char* frame, const char* in) {
  Eigen::MatrixXd J(6, robot.model.nv());
  const Lease lease(robot);
  const Seen seen = Seen::from(robot.model, in, "in_");
  const Eigen::Map<const Eigen::VectorXd> at(q.data(), robot.model.nq());
  jacobian(robot.model, (*lease).data, at, frame, seen.reference, J);
  if (seen.axes) {
    forward_kinematics(robot.model, (*lease).data, at);
    const Eigen::Matrix3d R = frame_pose(robot.model, (*lease).data, seen.axes).R.eigen();
    J = (Eigen::Matrix<double, 6, 6>() << R.transpose(), Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(),
         R.transpose())
            .finished() *
        J;
  }
  return J;
}

Eigen::VectorXd given(const char* function, const char* name, nb::handle x, Index size) {
  if (x.is_none()) return {};
  const Input in(function, name, x, size);
  if (in.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has " +
                                std::to_string(in.states()) + " rows, expected one vector of " + std::to_string(size));
  return Eigen::Map<const Eigen::VectorXd>(in.at(0), size);
}
ConstVector view(const Eigen::VectorXd& x) { return {x.data(), static_cast<Index>(x.size())}; }

template <class T> void bind_status(nb::class_<T>& c) {
  c.def_ro("status", &T::status, "ok, not_differentiable or overflow")
      .def_ro("reason", &T::reason, "why there is no derivative, or empty")
      .def("__repr__", [](const T& x) {
        return std::string("<derivatives of a solution, ") + name_of(x.status) +
               (x.reason.empty() ? "" : std::string(": ").append(x.reason)) + ">";
      });
}

/// d/dq of J^T w for the wrenches of the last solution that turn with the axes of a frame; empty where there are none.
Eigen::MatrixXd turned(const SolverCore& core) {
  if (core.turning.empty()) return {};
  const Robot& robot = core.shared->robot;
  const Lease lease(robot);
  return by_turning_axes(robot.model, (*lease).data, core.turning, core.axes,
                         Eigen::Map<const Eigen::VectorXd>(core.q.data(), robot.model.nq()));
}

/// compute() without the GIL, after which the lock is held: what it returns is the solver's.
template <class F> auto& unlocked(std::unique_lock<SetMutex>& lock, F&& compute) {
  const nb::gil_scoped_release release;
  lock.lock();
  return compute();
}

nb::object derivatives_of(const std::shared_ptr<SolverCore>& core) {
  std::unique_lock<SetMutex> lock(core->shared->mutex, std::defer_lock);
  Eigen::MatrixXd by_axes;
  const SolutionDerivatives& d = unlocked(
      lock, [&]() -> auto& {
        by_axes = turned(*core);
        return core->solver.derivatives();
      });
  const auto jacobian = [&](const SolutionJacobian& x) {
    const Eigen::MatrixXd by_force = by_generalised_force(d, x);
    Eigen::MatrixXd by_q = x.q;
    if (by_axes.size() > 0) by_q += by_force * by_axes;
    return nb::cast(
        Jacobian{matrix(by_q), matrix(x.v), matrix(x.tau), matrix(x.beta), by_force, core->q, core->shared->robot});
  };
  return nb::cast(DerivativesObject{d.status, text(d.reason), jacobian(d.acceleration), jacobian(d.multipliers),
                                    jacobian(d.motor_torque)});
}

nb::object vjp_of(const std::shared_ptr<SolverCore>& core, nb::handle acceleration, nb::handle multipliers,
                  nb::handle motor_torque) {
  const Index nv = core->shared->robot.model.nv(), rows = core->shared->set.rows();
  const Eigen::VectorXd a = given("Solver.vjp", "acceleration", acceleration, nv),
                        l = given("Solver.vjp", "multipliers", multipliers, rows),
                        t = given("Solver.vjp", "motor_torque", motor_torque, nv);
  std::unique_lock<SetMutex> lock(core->shared->mutex, std::defer_lock);
  Eigen::VectorXd by_q;
  const InputGradient& g = unlocked(
      lock, [&]() -> auto& {
        const Eigen::MatrixXd by_axes = turned(*core);
        const InputGradient& gradient = core->solver.vjp({view(a), view(l), view(t)});
        by_q = gradient.q;
        if (by_axes.size() > 0) by_q += by_axes.transpose() * gradient.force;
        return gradient;
      });
  return nb::cast(GradientObject{
      g.status, text(g.reason), vector_of(by_q), vector_of(g.v), vector_of(g.tau), vector_of(g.prescribed),
      vector_of(g.beta), vector_of(g.target), vector_of(g.target_velocity), vector_of(g.compliance),
      vector_of(g.armature), vector_of(g.damping), vector_of(g.stiffness), new_array(g.gravity.data(), 3),
      vector_of(g.inertial_parameters), matrix(g.placement.transpose()), g.force, core->q, core->shared->robot});
}

nb::object jvp_of(SolverCore& core, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle beta_) {
  const Index nv = core.shared->robot.model.nv(), rows = core.shared->set.rows();
  const Eigen::VectorXd q = given("Solver.jvp", "q", q_, nv), v = given("Solver.jvp", "v", v_, nv),
                        tau = given("Solver.jvp", "tau", tau_, nv), beta = given("Solver.jvp", "beta", beta_, rows);
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const SolutionVariation& x = unlocked(
      lock, [&]() -> auto& {
        Eigen::VectorXd force;
        if (q.size() > 0)
          if (const Eigen::MatrixXd by_axes = turned(core); by_axes.size() > 0) force = by_axes * q;
        return core.solver.jvp({view(q), view(v), view(tau), view(beta), view(force)});
      });
  return nb::cast(VariationObject{x.status, text(x.reason), vector_of(x.acceleration), vector_of(x.multipliers),
                                  vector_of(x.motor_torque)});
}

void bind_classes(nb::module_& m) {
  nb::class_<Jacobian>(m, "SolutionJacobian", "Derivatives of one vector of a solution.")
      .def_ro("q", &Jacobian::q, nb::sig("def q(self) -> Array"), "(size, nv) along q (+) d")
      .def_ro("v", &Jacobian::v, nb::sig("def v(self) -> Array"), "(size, nv)")
      .def_ro("tau", &Jacobian::tau, nb::sig("def tau(self) -> Array"), "(size, nv); 0 at prescribed coordinates")
      .def_ro("beta", &Jacobian::beta, nb::sig("def beta(self) -> Array"), "(size, rows)")
      .def(
          "external",
          [](const Jacobian& x, const char* frame, const char* in) {
            return matrix(x.force * jacobian_of(x.robot, x.at, frame, in).transpose());
          },
          nb::arg("frame"), nb::arg("in_") = "local_world_aligned",
          nb::sig("def external(self, frame: str, in_: str = \"local_world_aligned\") -> Array"),
          "By a wrench [force; moment] on a frame, (size, 6), given as `external=` of a solve takes it.");
  nb::class_<DerivativesObject> d(m, "SolutionDerivatives", "Derivatives of a solution: Solver.derivatives().");
  d.def_ro("acceleration", &DerivativesObject::acceleration, nb::sig("def acceleration(self) -> SolutionJacobian"),
           "of q''")
      .def_ro("multipliers", &DerivativesObject::multipliers, nb::sig("def multipliers(self) -> SolutionJacobian"),
              "of lambda")
      .def_ro("motor_torque", &DerivativesObject::motor_torque, nb::sig("def motor_torque(self) -> SolutionJacobian"),
              "of tau + J^T lambda of driver rows");
  bind_status(d);
  using G = GradientObject;
  nb::class_<G> g(m, "InputGradient", "The gradient of a scalar by what a solve has read: Solver.vjp().");
  const auto field = [&](const char* name, nb::object G::*x, const char* signature, const char* doc) {
    g.def_ro(name, x, nb::sig(signature), doc);
  };
  field("q", &G::q, "def q(self) -> Array", "(nv,) along q (+) d");
  field("v", &G::v, "def v(self) -> Array", "(nv,)");
  field("tau", &G::tau, "def tau(self) -> Array", "(nv,); 0 at prescribed coordinates");
  field("prescribed", &G::prescribed, "def prescribed(self) -> Array", "(nv,) by prescribed accelerations");
  field("beta", &G::beta, "def beta(self) -> Array", "(rows,)");
  field("target", &G::target, "def target(self) -> Array", "(rows,); 0 without stabilisation");
  field("target_velocity", &G::target_velocity, "def target_velocity(self) -> Array", "(rows,)");
  field("compliance", &G::compliance, "def compliance(self) -> Array", "(rows,) of soft rows");
  field("armature", &G::armature, "def armature(self) -> Array", "(nv,) by the rotor inertia at each coordinate");
  field("damping", &G::damping, "def damping(self) -> Array", "(nv,) by the damping at each coordinate");
  field("stiffness", &G::stiffness, "def stiffness(self) -> Array", "(nv,) by the spring at each coordinate");
  field("gravity", &G::gravity, "def gravity(self) -> Array", "(3,)");
  field("inertial_parameters", &G::inertial_parameters, "def inertial_parameters(self) -> Array",
        "(10 links,) in the order of Model.inertial_parameters");
  field("placement", &G::placement, "def placement(self) -> Array",
        "(joints, 6) along X exp(d), X the joint's frame in its parent link, d = [shift; turn] in joint axes; NaN at "
        "joints "
        "that are merged into a body: build with lump=False to have them");
  g.def(
      "external",
      [](const G& x, const char* frame, const char* in) {
        return vector_of(jacobian_of(x.robot, x.at, frame, in) * x.force);
      },
      nb::arg("frame"), nb::arg("in_") = "local_world_aligned",
      nb::sig("def external(self, frame: str, in_: str = \"local_world_aligned\") -> Array"),
      "By a wrench [force; moment] on a frame, (6,), given as `external=` of a solve takes it.");
  bind_status(g);
  nb::class_<VariationObject> x(m, "SolutionVariation", "How a solution varies along a direction: Solver.jvp().");
  x.def_ro("acceleration", &VariationObject::acceleration, nb::sig("def acceleration(self) -> Array"), "(nv,)")
      .def_ro("multipliers", &VariationObject::multipliers, nb::sig("def multipliers(self) -> Array"), "(rows,)")
      .def_ro("motor_torque", &VariationObject::motor_torque, nb::sig("def motor_torque(self) -> Array"), "(nv,)");
  bind_status(x);
}

}  // namespace

void bind_solver_derivatives(nb::module_& m, nb::class_<SolverObject>& c) {
  bind_classes(m);
  c.def(
      "derivatives", [](const SolverObject& s) { return derivatives_of(s.core); },
      nb::sig("def derivatives(self) -> SolutionDerivatives"),
      "Derivatives of the last solution of one state by q, v, tau and beta: accelerations, multipliers, motor "
      "torques.\n\n"
      "At the factor that the solve left, whatever method solved; dependent rows at constant rank. Where there is no\n"
      "derivative, status is not_differentiable, reason says why, and the numbers are 0: contradictory rows, a rank "
      "that\n"
      "changes at the state, rows written by the user. Raises RuntimeError where no solve left a factorisation.");
  c.def(
      "vjp",
      [](const SolverObject& s, nb::handle acceleration, nb::handle multipliers, nb::handle motor_torque) {
        return vjp_of(s.core, acceleration, multipliers, motor_torque);
      },
      nb::kw_only(), nb::arg("acceleration") = nb::none(), nb::arg("multipliers") = nb::none(),
      nb::arg("motor_torque") = nb::none(),
      nb::sig("def vjp(self, *, acceleration: Vector | None = None, multipliers: Vector | None = None, "
              "motor_torque: Vector | None = None) -> InputGradient"),
      "The gradient of a scalar by what the last solve of one state has read, from its gradient by the solution:\n"
      "acceleration (nv,), multipliers (rows,), motor_torque (nv,); None: zeros. One right-hand side and a sweep of "
      "O(n):\n"
      "no matrix. What has no derivative has the status not_differentiable.");
  c.def(
      "jvp",
      [](const SolverObject& s, nb::handle q, nb::handle v, nb::handle tau, nb::handle beta) {
        return jvp_of(*s.core, q, v, tau, beta);
      },
      nb::kw_only(), nb::arg("q") = nb::none(), nb::arg("v") = nb::none(), nb::arg("tau") = nb::none(),
      nb::arg("beta") = nb::none(),
      nb::sig("def jvp(self, *, q: Vector | None = None, v: Vector | None = None, tau: Vector | None = None, "
              "beta: Vector | None = None) -> SolutionVariation"),
      "How the last solution of one state varies along a direction of its inputs: q (nv,) as a tangent increment, v "
      "(nv,),\n"
      "tau (nv,), beta (rows,); None: zeros. One right-hand side and a sweep of O(n).");
}

}  // namespace zwang::python
