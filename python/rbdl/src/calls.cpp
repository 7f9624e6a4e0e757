// SPDX-License-Identifier: BSD-3-Clause
// Kinematics and dynamics.
#include "bind.hpp"

namespace zwang::python::rbdl {

namespace {

using M = rb::Model;

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
}

}  // namespace

void bind_calls(nb::module_& m) {
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
  m.def("CalcPotentialEnergy", &rb::Utils::CalcPotentialEnergy, "model"_a, "q"_a, "update_kinematics"_a = true, "[J]");
  m.def("CalcKineticEnergy", &rb::Utils::CalcKineticEnergy, "model"_a, "q"_a, "qdot"_a, "update_kinematics"_a = true,
        "[J]");
}

}  // namespace zwang::python::rbdl
