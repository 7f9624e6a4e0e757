// SPDX-License-Identifier: BSD-3-Clause
// Kinematics and dynamics.
#include "bind.hpp"

namespace zwang::python::rbdl {

namespace {

using M = rb::Model;
using Targets = rb::InverseKinematicsConstraintSet;
using Given = std::optional<VectorNd>;

using Jacobian = void (*)(M&, const VectorNd&, unsigned int, const Vector3d&, MatrixNd&, bool);
void jacobian(nb::module_& m, const char* name, Jacobian call, const char* help) {
  m.def(
      name,
      [call](M& model, const VectorNd& q, unsigned int id, const Vector3d& point, OutMatrix G, bool update) {
        filled(G, [&](MatrixNd& x) { call(model, q, id, point, x, update); });
      },
      "model"_a, "q"_a, "body_id"_a, "body_point"_a, "G"_a, "update_kinematics"_a = true, help);
}

void bind_kinematics(nb::module_& m) {
  m.def("UpdateKinematics", &rb::UpdateKinematics, "model"_a, "q"_a, "qdot"_a, "qddot"_a,
        "Poses, velocities and accelerations of all bodies.");
  m.def(
      "UpdateKinematicsCustom",
      [](M& model, const Given& q, const Given& qdot, const Given& qddot) {
        const auto at = [](const Given& x) { return x ? &*x : nullptr; };
        rb::UpdateKinematicsCustom(model, at(q), at(qdot), at(qddot));
      },
      "model"_a, "q"_a = nb::none(), "qdot"_a = nb::none(), "qddot"_a = nb::none(),
      "The same of what is given; the rest stays as it was.");
  m.def("CalcBodyToBaseCoordinates", &rb::CalcBodyToBaseCoordinates, "model"_a, "q"_a, "body_id"_a, "body_point"_a,
        "update_kinematics"_a = true, "A point of a body in base coordinates.");
  m.def("CalcBaseToBodyCoordinates", &rb::CalcBaseToBodyCoordinates, "model"_a, "q"_a, "body_id"_a, "base_point"_a,
        "update_kinematics"_a = true, "The way back.");
  m.def(
      "CalcBodyWorldOrientation",
      [](M& model, const VectorNd& q, unsigned int id, bool update) {
        return Matrix3(rb::CalcBodyWorldOrientation(model, q, id, update));
      },
      "model"_a, "q"_a, "body_id"_a, "update_kinematics"_a = true, "From base axes to body axes.");
  jacobian(m, "CalcPointJacobian", &rb::CalcPointJacobian, "3 x qdot_size, into G.");
  jacobian(m, "CalcPointJacobian6D", &rb::CalcPointJacobian6D, "6 x qdot_size, angular rows first, into G.");
  m.def(
      "CalcBodySpatialJacobian",
      [](M& model, const VectorNd& q, unsigned int id, OutMatrix G, bool update) {
        filled(G, [&](MatrixNd& x) { rb::CalcBodySpatialJacobian(model, q, id, x, update); });
      },
      "model"_a, "q"_a, "body_id"_a, "G"_a, "update_kinematics"_a = true, "6 x qdot_size, body coordinates, into G.");
  m.def("CalcPointVelocity", &rb::CalcPointVelocity, "model"_a, "q"_a, "qdot"_a, "body_id"_a, "body_point"_a,
        "update_kinematics"_a = true, "Base axes.");
  m.def("CalcPointVelocity6D", &rb::CalcPointVelocity6D, "model"_a, "q"_a, "qdot"_a, "body_id"_a, "body_point"_a,
        "update_kinematics"_a = true, "[angular; linear].");
  m.def("CalcPointAcceleration", &rb::CalcPointAcceleration, "model"_a, "q"_a, "qdot"_a, "qddot"_a, "body_id"_a,
        "body_point"_a, "update_kinematics"_a = true, "Base axes.");
  m.def("CalcPointAcceleration6D", &rb::CalcPointAcceleration6D, "model"_a, "q"_a, "qdot"_a, "qddot"_a, "body_id"_a,
        "body_point"_a, "update_kinematics"_a = true, "[angular; rate of the point's velocity].");
  m.def(
      "InverseKinematics",
      [](M& model, const VectorNd& guess, const std::vector<unsigned int>& ids, const std::vector<Vector3d>& points,
         const std::vector<Vector3d>& targets, Out q, double tolerance, double damping, unsigned int most) {
        bool found = false;
        filled(q, [&](VectorNd& x) {
          found = rb::InverseKinematics(model, guess, ids, points, targets, x, tolerance, damping, most);
        });
        return found;
      },
      "model"_a, "q_init"_a, "body_ids"_a, "body_points"_a, "target_positions"_a, "q"_a, "step_tol"_a = 1e-12,
      "lambda_"_a = 0.01, "max_iter"_a = 50, "q with the points at their targets; whether it was found.");
  m.def(
      "InverseKinematics",
      [](M& model, const VectorNd& guess, Targets& set, Out q) {
        bool found = false;
        filled(q, [&](VectorNd& x) { found = rb::InverseKinematics(model, guess, set, x); });
        return found;
      },
      "model"_a, "q_init"_a, "CS"_a, "q"_a, "q that meets the targets of a set; whether it was found.");
}

/// Targets of inverse kinematics.
void bind_targets(nb::module_& m) {
  using Math3 = rb::Math::Matrix3d;
  nb::class_<Targets>(m, "InverseKinematicsConstraintSet", "Where points and axes of bodies shall be.")
      .def(nb::init<>())
      .def("AddPointConstraint", &Targets::AddPointConstraint, "body_id"_a, "body_point"_a, "target_pos"_a,
           "weight"_a = 1.f, "A point at a target; returns the number of the target.")
      .def("AddPointConstraintXY", &Targets::AddPointConstraintXY, "body_id"_a, "body_point"_a, "target_pos"_a,
           "weight"_a = 1.f, "Its x and y alone.")
      .def("AddPointConstraintZ", &Targets::AddPointConstraintZ, "body_id"_a, "body_point"_a, "target_pos"_a,
           "weight"_a = 1.f, "Its z alone.")
      .def("AddPointConstraintCoMXY", &Targets::AddPointConstraintCoMXY, "body_id"_a, "target_pos"_a, "weight"_a = 1.f,
           "x and y of the centre of mass; the id is of no account.")
      .def(
          "AddOrientationConstraint",
          [](Targets& set, unsigned int id, const Matrix3& E, float weight) {
            return set.AddOrientationConstraint(id, Math3(E), weight);
          },
          "body_id"_a, "target_orientation"_a, "weight"_a = 1.f, "As CalcBodyWorldOrientation gives it.")
      .def(
          "AddFullConstraint",
          [](Targets& set, unsigned int id, const Vector3d& point, const Vector3d& target, const Matrix3& E,
             float weight) { return set.AddFullConstraint(id, point, target, Math3(E), weight); },
          "body_id"_a, "body_point"_a, "target_pos"_a, "target_orientation"_a, "weight"_a = 1.f, "Both.")
      .def("ClearConstraints", &Targets::ClearConstraints, "Removes all; returns 0.")
      .def_rw("lambda_", &Targets::lambda, "Damping beside the one that follows the error.")
      .def_rw("max_steps", &Targets::max_steps, "False where so many are not enough.")
      .def_rw("step_tol", &Targets::step_tol, "True where a step is shorter.")
      .def_rw("constraint_tol", &Targets::constraint_tol, "True where error_norm is below.")
      .def_ro("num_steps", &Targets::num_steps, "Steps that were taken.")
      .def_ro("error_norm", &Targets::error_norm, "Of e.")
      .def_ro("num_constraints", &Targets::num_constraints, "Rows.")
      .def_ro("e", &Targets::e, "What was missing at the end.")
      .def_ro("J", &Targets::J, "Its rows.");
}

}  // namespace

void bind_calls(nb::module_& m) {
  bind_targets(m);
  bind_kinematics(m);
  m.def(
      "InverseDynamics",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& qddot, Out tau, Wrenches f_ext) {
        filled(tau, [&](VectorNd& x) { rb::InverseDynamics(model, q, qdot, qddot, x, pointer(f_ext)); });
      },
      "model"_a, "q"_a, "qdot"_a, "qddot"_a, "tau"_a, "f_external"_a = nb::none(), "Into tau.");
  m.def(
      "NonlinearEffects",
      [](M& model, const VectorNd& q, const VectorNd& qdot, Out tau, Wrenches f_ext) {
        filled(tau, [&](VectorNd& x) { rb::NonlinearEffects(model, q, qdot, x, pointer(f_ext)); });
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "f_external"_a = nb::none(), "tau at qddot = 0.");
  m.def(
      "CompositeRigidBodyAlgorithm",
      [](M& model, const VectorNd& q, OutMatrix H, bool update) {
        filled(H, [&](MatrixNd& x) { rb::CompositeRigidBodyAlgorithm(model, q, x, update); });
      },
      "model"_a, "q"_a, "H"_a, "update_kinematics"_a = true, "The mass matrix, into H.");
  m.def(
      "ForwardDynamics",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& tau, Out qddot, Wrenches f_ext) {
        filled(qddot, [&](VectorNd& x) { rb::ForwardDynamics(model, q, qdot, tau, x, pointer(f_ext)); });
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "qddot"_a, "f_external"_a = nb::none(), "Into qddot.");
  m.def(
      "ForwardDynamicsLagrangian",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& tau, Out qddot, Wrenches f_ext) {
        filled(qddot, [&](VectorNd& x) {
          rb::ForwardDynamicsLagrangian(model, q, qdot, tau, x, rb::Math::LinearSolverUnknown, pointer(f_ext));
        });
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "qddot"_a, "f_external"_a = nb::none(), "As ForwardDynamics.");
  m.def(
      "CalcMInvTimesTau",
      [](M& model, const VectorNd& q, const VectorNd& tau, Out qddot, bool update) {
        filled(qddot, [&](VectorNd& x) { rb::CalcMInvTimesTau(model, q, tau, x, update); });
      },
      "model"_a, "q"_a, "tau"_a, "qddot"_a, "update_kinematics"_a = true, "H^-1 tau, into qddot.");
  m.def(
      "CalcCenterOfMass",
      [](M& model, const VectorNd& q, const VectorNd& qdot, Out com, std::optional<VectorNd> qddot, Out3 velocity,
         Out3 acceleration, Out3 momentum, Out3 rate, bool update) {
        double mass = 0;
        Vector3d c, out[4];
        Out3* const wanted[4] = {&velocity, &acceleration, &momentum, &rate};
        Vector3d* at[4];
        for (int k = 0; k < 4; ++k) at[k] = wanted[k]->has_value() ? &out[k] : nullptr;
        rb::Utils::CalcCenterOfMass(model, q, qdot, qddot ? &*qddot : nullptr, mass, c, at[0], at[1], at[2], at[3],
                                    update);
        if (com.size() != 3) throw nb::value_error("CalcCenterOfMass: com has not three numbers");
        com = c;
        for (int k = 0; k < 4; ++k) {
          if (at[k] == nullptr) continue;
          if ((*wanted[k])->size() != 3) throw nb::value_error("CalcCenterOfMass: a result has not three numbers");
          **wanted[k] = out[k];
        }
        return mass;
      },
      "model"_a, "q"_a, "qdot"_a, "com"_a, "qddot"_a = nb::none(), "com_velocity"_a = nb::none(),
      "com_acceleration"_a = nb::none(), "angular_momentum"_a = nb::none(), "change_of_angular_momentum"_a = nb::none(),
      "update_kinematics"_a = true, "Into com and what else is given; returns the mass.");
  m.def(
      "CalcZeroMomentPoint",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& qddot, Out zmp, const Vector3d& normal,
         const Vector3d& point, bool update) {
        Vector3d found;
        rb::Utils::CalcZeroMomentPoint(model, q, qdot, qddot, &found, normal, point, update);
        if (zmp.size() != 3) throw nb::value_error("CalcZeroMomentPoint: zmp has not three numbers");
        zmp = found;
      },
      "model"_a, "q"_a, "qdot"_a, "qddot"_a, "zmp"_a, "normal"_a = Vector3d(0, 0, 1), "point"_a = Vector3d(0, 0, 0),
      "update_kinematics"_a = true, "Of the plane through point with that normal, into zmp.");
  m.def("CalcPotentialEnergy", &rb::Utils::CalcPotentialEnergy, "model"_a, "q"_a, "update_kinematics"_a = true, "[J]");
  m.def("CalcKineticEnergy", &rb::Utils::CalcKineticEnergy, "model"_a, "q"_a, "qdot"_a, "update_kinematics"_a = true,
        "[J]");
}

}  // namespace zwang::python::rbdl
