// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets, and the calls that take one.
#include "bind.hpp"

namespace zwang::python::rbdl {

namespace {

using S = rb::ConstraintSet;
using M = rb::Model;
using X = rb::Math::SpatialTransform;

using Forward = void (*)(M&, const VectorNd&, const VectorNd&, const VectorNd&, S&, VectorNd&, bool,
                         std::vector<SpatialVector>*);
void forward(nb::module_& m, const char* name, Forward call) {
  m.def(
      name,
      [call](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& tau, S& set, Out qddot, bool update,
             Wrenches f_ext) {
        filled(qddot, [&](VectorNd& x) { call(model, q, qdot, tau, set, x, update, pointer(f_ext)); });
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "CS"_a, "qddot"_a, "update_kinematics"_a = true, "f_ext"_a = nb::none(),
      "qddot, and the set's force.");
}
using Shock = void (*)(M&, const VectorNd&, const VectorNd&, S&, VectorNd&);
void shock(nb::module_& m, const char* name, Shock call) {
  m.def(
      name,
      [call](M& model, const VectorNd& q, const VectorNd& before, S& set, Out after) {
        filled(after, [&](VectorNd& x) { call(model, q, before, set, x); });
      },
      "model"_a, "q"_a, "qdot_minus"_a, "CS"_a, "qdot_plus"_a, "qdot_plus, and the set's impulse.");
}
using Inverse = void (*)(M&, const VectorNd&, const VectorNd&, const VectorNd&, S&, VectorNd&, VectorNd&, bool,
                         std::vector<SpatialVector>*);
void inverse(nb::module_& m, const char* name, Inverse call) {
  m.def(
      name,
      [call](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& desired, S& set, Out qddot, Out tau,
             bool update, Wrenches f_ext) {
        filled(qddot, [&](VectorNd& x) {
          filled(tau, [&](VectorNd& t) { call(model, q, qdot, desired, set, x, t, update, pointer(f_ext)); });
        });
      },
      "model"_a, "q"_a, "qdot"_a, "qddot_desired"_a, "CS"_a, "qddot"_a, "tau"_a, "update_kinematics"_a = true,
      "f_ext"_a = nb::none(), "qddot and tau, and the set's force.");
}

}  // namespace

void bind_constraints(nb::module_& m) {
  nb::class_<S>(m, "ConstraintSet", "Contacts and loops.")
      .def(nb::init<>())
      .def(
          "AddContactConstraint",
          [](S& set, unsigned int body, const Vector3d& point, const Vector3d& normal, const std::string& name,
             unsigned int id) { return set.AddContactConstraint(body, point, normal, name.c_str(), id); },
          "body_id"_a, "body_point"_a, "world_normal"_a, "constraint_name"_a = "", "user_defined_id"_a = S::no_id,
          "One row; returns its number.")
      .def(
          "AddLoopConstraint",
          [](S& set, unsigned int predecessor, unsigned int successor, const X& a, const X& b,
             const SpatialVector& axis, bool baumgarte, double T, const std::string& name, unsigned int id) {
            return set.AddLoopConstraint(predecessor, successor, a, b, axis, baumgarte, T, name.c_str(), id);
          },
          "id_predecessor"_a, "id_successor"_a, "X_predecessor"_a, "X_successor"_a, "axis"_a,
          "enable_baumgarte"_a = false, "T_stab"_a = 0.1, "constraint_name"_a = "", "user_defined_id"_a = S::no_id,
          "One row; returns its number.")
      .def("Bind", &S::Bind, "model"_a, "Before the first call, and after rows were added.")
      .def("size", &S::size, "Rows.")
      .def("clear", &S::clear, "Forces and impulses become 0.")
      .def("Copy", &S::Copy, "Shares nothing with this one; not bound.")
      .def("SetActuationMap", &S::SetActuationMap, "model"_a, "actuated_dof"_a, "The coordinates with motors.")
      .def(
          "getGroupIndexByName", [](const S& set, const std::string& n) { return set.getGroupIndexByName(n.c_str()); },
          "name"_a, "Of the group with a row of that name.")
      .def("getGroupIndexById", &S::getGroupIndexById, "user_defined_id"_a, "By the user's number.")
      .def("getGroupIndexByAssignedId", &S::getGroupIndexByAssignedId, "assigned_id"_a, "By the number of a row.")
      .def("getGroupIndexMax", &S::getGroupIndexMax, "The last group.")
      .def(
          "getGroupName", [](const S& set, unsigned int g) { return std::string(set.getGroupName(g)); },
          "group_index"_a, "Of its first row.")
      .def("getGroupSize", &S::getGroupSize, "group_index"_a, "Rows.")
      .def("getGroupType", &S::getGroupType, "group_index"_a, "0: contact, 1: loop.")
      .def("getGroupId", &S::getGroupId, "group_index"_a, "The user's number.")
      .def("getGroupAssignedId", &S::getGroupAssignedId, "group_index"_a, "The number of its last row.")
      .def("enableBaumgarteStabilization", &S::enableBaumgarteStabilization, "group_index"_a, "Of a loop.")
      .def("disableBaumgarteStabilization", &S::disableBaumgarteStabilization, "group_index"_a, "Of a loop.")
      .def("isBaumgarteStabilizationEnabled", &S::isBaumgarteStabilizationEnabled, "group_index"_a, "Of a loop.")
      .def_ro("bound", &S::bound, "Whether it has a model.")
      .def_ro("force", &S::force, "Of each row, after a solve.")
      .def_ro("impulse", &S::impulse, "Of each row, after an impulse.")
      .def_prop_rw(
          "v_plus", [](const S& set) { return set.v_plus; }, [](S& set, const VectorNd& v) { set.v_plus = v; },
          "Of each row, the velocity after an impulse.")
      .def_ro("H", &S::H, "The mass matrix, after CalcConstrainedSystemVariables.")
      .def_ro("C", &S::C, "Likewise, the nonlinear effects.")
      .def_ro("G", &S::G, "Likewise, the rows.")
      .def_ro("gamma", &S::gamma, "Likewise, G qddot = gamma.")
      .def_ro("err", &S::err, "Likewise, errors of position.")
      .def_ro("errd", &S::errd, "Likewise, errors of velocity.");
  forward(m, "ForwardDynamicsConstraintsDirect", &rb::ForwardDynamicsConstraintsDirect);
  forward(m, "ForwardDynamicsConstraintsRangeSpaceSparse", &rb::ForwardDynamicsConstraintsRangeSpaceSparse);
  forward(m, "ForwardDynamicsConstraintsNullSpace", &rb::ForwardDynamicsConstraintsNullSpace);
  shock(m, "ComputeConstraintImpulsesDirect", &rb::ComputeConstraintImpulsesDirect);
  shock(m, "ComputeConstraintImpulsesRangeSpaceSparse", &rb::ComputeConstraintImpulsesRangeSpaceSparse);
  shock(m, "ComputeConstraintImpulsesNullSpace", &rb::ComputeConstraintImpulsesNullSpace);
  inverse(m, "InverseDynamicsConstraints", &rb::InverseDynamicsConstraints);
  inverse(m, "InverseDynamicsConstraintsRelaxed", &rb::InverseDynamicsConstraintsRelaxed);
  m.def(
      "isConstrainedSystemFullyActuated",
      [](M& model, const VectorNd& q, const VectorNd& qdot, S& set) {
        return rb::isConstrainedSystemFullyActuated(model, q, qdot, set);
      },
      "model"_a, "q"_a, "qdot"_a, "CS"_a, "Whether motors and rows determine every acceleration.");
  m.def(
      "CalcConstraintsJacobian",
      [](M& model, const VectorNd& q, S& set, OutMatrix G, bool update) {
        filled(G, [&](MatrixNd& x) { rb::CalcConstraintsJacobian(model, q, set, x, update); });
      },
      "model"_a, "q"_a, "CS"_a, "G"_a, "update_kinematics"_a = true, "Rows x qdot_size.");
  m.def(
      "CalcConstraintsPositionError",
      [](M& model, const VectorNd& q, S& set, Out err, bool update) {
        filled(err, [&](VectorNd& x) { rb::CalcConstraintsPositionError(model, q, set, x, update); });
      },
      "model"_a, "q"_a, "CS"_a, "err"_a, "update_kinematics"_a = true, "Of loops, into err; 0 for contacts.");
  m.def(
      "CalcConstraintsVelocityError",
      [](M& model, const VectorNd& q, const VectorNd& qdot, S& set, Out err, bool update) {
        filled(err, [&](VectorNd& x) { rb::CalcConstraintsVelocityError(model, q, qdot, set, x, update); });
      },
      "model"_a, "q"_a, "qdot"_a, "CS"_a, "err"_a, "update_kinematics"_a = true, "G qdot, into err.");
  m.def(
      "ForwardDynamicsContactsKokkevis",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& tau, S& set, Out qddot) {
        filled(qddot, [&](VectorNd& x) { rb::ForwardDynamicsContactsKokkevis(model, q, qdot, tau, set, x); });
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "CS"_a, "qddot"_a, "As ForwardDynamicsConstraintsDirect; no loops.");
  m.def(
      "CalcConstrainedSystemVariables",
      [](M& model, const VectorNd& q, const VectorNd& qdot, const VectorNd& tau, S& set, bool update, Wrenches f_ext) {
        rb::CalcConstrainedSystemVariables(model, q, qdot, tau, set, update, pointer(f_ext));
      },
      "model"_a, "q"_a, "qdot"_a, "tau"_a, "CS"_a, "update_kinematics"_a = true, "f_ext"_a = nb::none(),
      "Fills H, C, G, gamma, err and errd of the set.");
  m.def(
      "CalcAssemblyQ",
      [](M& model, const VectorNd& guess, S& set, Out q, const VectorNd& weights, double tolerance, unsigned int most) {
        bool found = false;
        filled(q, [&](VectorNd& x) { found = rb::CalcAssemblyQ(model, guess, set, x, weights, tolerance, most); });
        return found;
      },
      "model"_a, "q_init"_a, "CS"_a, "q"_a, "weights"_a, "tolerance"_a = 1e-12, "max_iter"_a = 100,
      "The nearest q with closed loops; whether it was found.");
  m.def(
      "CalcAssemblyQDot",
      [](M& model, const VectorNd& q, const VectorNd& guess, S& set, Out qdot, const VectorNd& weights) {
        filled(qdot, [&](VectorNd& x) { rb::CalcAssemblyQDot(model, q, guess, set, x, weights); });
      },
      "model"_a, "q"_a, "qdot_init"_a, "CS"_a, "qdot"_a, "weights"_a, "The nearest qdot that the rows allow.");
}

}  // namespace zwang::python::rbdl
