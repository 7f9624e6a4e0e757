// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Kinematics.h>

#include <Eigen/Cholesky>
#include <zwang/algorithm/dynamics.hpp>
#include <zwang/spatial/exp_log.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics {

using detail::Robot;
using Math::Matrix3d;
using Math::MatrixNd;
using Math::Vector3d;
using Math::VectorNd;

bool InverseKinematics(Model& model, const VectorNd& Qinit, const std::vector<unsigned int>& body_id,
                       const std::vector<Vector3d>& body_point, const std::vector<Vector3d>& target_pos, VectorNd& Qres,
                       double step_tol, double lambda, unsigned int max_iter) {
  const long points = static_cast<long>(body_id.size());
  detail::check_size("InverseKinematics", "the number of points", static_cast<long>(body_point.size()), points);
  detail::check_size("InverseKinematics", "the number of targets", static_cast<long>(target_pos.size()), points);
  detail::check_size("InverseKinematics", "the size of Qres", Qres.size(), model.q_size);
  Robot& robot = model.kept.of(model);
  const long n = model.qdot_size;
  MatrixNd J(3 * points, n), G(3, n);
  VectorNd e(3 * points), step(n);
  Qres = Qinit;
  for (unsigned int iteration = 0; iteration < max_iter; ++iteration) {
    UpdateKinematicsCustom(model, &Qres, nullptr, nullptr);
    for (long k = 0; k < points; ++k) {
      const auto i = static_cast<std::size_t>(k);
      CalcPointJacobian(model, Qres, body_id[i], body_point[i], G, false);
      J.middleRows<3>(3 * k) = G;
      e.segment<3>(3 * k) = target_pos[i] - CalcBodyToBaseCoordinates(model, Qres, body_id[i], body_point[i], false);
    }
    if (e.norm() < step_tol) return true;
    // (J J^T + lambda^2 1)^-1 on the side of the points (Wampler 1986).
    MatrixNd JJ = J * J.transpose();
    JJ.diagonal().array() += lambda * lambda;
    step = J.transpose() * JJ.ldlt().solve(e);
    robot.integrate(step, Qres);
    if (step.norm() < step_tol) return true;
  }
  return false;
}

using Set = InverseKinematicsConstraintSet;

unsigned int Set::add(ConstraintType type, unsigned int rows, unsigned int body_id, const Vector3d& point,
                      const Vector3d& position, const Matrix3d& orientation, double weight) {
  constraint_type.push_back(type);
  body_ids.push_back(body_id);
  body_points.push_back(point);
  target_positions.push_back(position);
  target_orientations.push_back(orientation);
  constraint_weight.push_back(weight);
  constraint_row_index.push_back(num_constraints);
  num_constraints += rows;
  return static_cast<unsigned int>(constraint_type.size()) - 1;
}
unsigned int Set::AddPointConstraint(unsigned int body_id, const Vector3d& point, const Vector3d& target,
                                     float weight) {
  return add(ConstraintTypePosition, 3, body_id, point, target, Math::Matrix3dIdentity, weight);
}
unsigned int Set::AddPointConstraintXY(unsigned int body_id, const Vector3d& point, const Vector3d& target,
                                       float weight) {
  return add(ConstraintTypePositionXY, 2, body_id, point, target, Math::Matrix3dIdentity, weight);
}
unsigned int Set::AddPointConstraintZ(unsigned int body_id, const Vector3d& point, const Vector3d& target,
                                      float weight) {
  return add(ConstraintTypePositionZ, 1, body_id, point, target, Math::Matrix3dIdentity, weight);
}
unsigned int Set::AddPointConstraintCoMXY(unsigned int body_id, const Vector3d& target, float weight) {
  return add(ConstraintTypePositionCoMXY, 2, body_id, Vector3d::Zero(), target, Math::Matrix3dIdentity, weight);
}
unsigned int Set::AddOrientationConstraint(unsigned int body_id, const Matrix3d& target, float weight) {
  return add(ConstraintTypeOrientation, 3, body_id, Vector3d::Zero(), Vector3d::Zero(), target, weight);
}
unsigned int Set::AddFullConstraint(unsigned int body_id, const Vector3d& point, const Vector3d& target,
                                    const Matrix3d& orientation, float weight) {
  return add(ConstraintTypeFull, 6, body_id, point, target, orientation, weight);
}
unsigned int Set::ClearConstraints() {
  constraint_type.clear();
  body_ids.clear();
  body_points.clear();
  target_positions.clear();
  target_orientations.clear();
  constraint_weight.clear();
  constraint_row_index.clear();
  return num_constraints = 0;
}

Vector3d CalcAngularVelocityfromMatrix(const Matrix3d& R) {
  zwang::Mat3<double> rows;
  for (int i = 0; i < 3; ++i) rows[i] = detail::to(R.row(i));
  return detail::from(zwang::log_so3(rows));
}

namespace {

/// Rows [angular; linear] of the whole body's centre of mass: 3 x n in RBDL's order.
void centre_of_mass_rows(Robot& robot, MatrixNd& G) {
  MatrixNd rows(3, robot.model.nv());
  zwang::centre_of_mass_jacobian(robot.model, robot.scratch, robot.q, rows);
  for (std::size_t k = 0; k < robot.columns.size(); ++k)
    G.block<3, 1>(3, static_cast<long>(k)) = rows.col(robot.columns[k]);
}

/// J and e of all targets at Q, which the model has.
void evaluate(Model& model, const VectorNd& Q, Set& CS) {
  Robot& robot = model.kept.of(model);
  for (std::size_t i = 0; i < CS.constraint_type.size(); ++i) {
    const Set::ConstraintType type = CS.constraint_type[i];
    const long row = CS.constraint_row_index[i];
    const unsigned int id = CS.body_ids[i];
    const double weight = CS.constraint_weight[i];
    Vector3d missing, turn;
    if (type == Set::ConstraintTypePositionCoMXY) {
      centre_of_mass_rows(robot, CS.G);
      missing = CS.target_positions[i] - detail::from(zwang::centre_of_mass(robot.model, robot.scratch, robot.q));
    } else {
      CalcPointJacobian6D(model, Q, id, CS.body_points[i], CS.G, false);
      missing = CS.target_positions[i] - CalcBodyToBaseCoordinates(model, Q, id, CS.body_points[i], false);
    }
    // From the body's axes to those wanted, in base axes: (E*^T) (E^T)^T.
    if (type == Set::ConstraintTypeOrientation || type == Set::ConstraintTypeFull)
      turn = CalcAngularVelocityfromMatrix(CS.target_orientations[i].transpose() *
                                           CalcBodyWorldOrientation(model, Q, id, false));
    const auto write = [&](long at, long from, long rows, const Vector3d& error, long first) {
      CS.J.middleRows(row + at, rows) = weight * CS.G.middleRows(from + first, rows);
      CS.e.segment(row + at, rows) = weight * error.segment(first, rows);
    };
    switch (type) {
      case Set::ConstraintTypePosition: write(0, 3, 3, missing, 0); break;
      case Set::ConstraintTypePositionXY:
      case Set::ConstraintTypePositionCoMXY: write(0, 3, 2, missing, 0); break;
      case Set::ConstraintTypePositionZ: write(0, 3, 1, missing, 2); break;
      case Set::ConstraintTypeFull: write(3, 3, 3, missing, 0); [[fallthrough]];
      case Set::ConstraintTypeOrientation: write(0, 0, 3, turn, 0); break;
    }
  }
  CS.error_norm = CS.e.norm();
}

}  // namespace

// Levenberg and Marquardt's method with the damping of T. Sugihara, "Solvability-unconcerned inverse kinematics by the
// Levenberg-Marquardt method", IEEE T-RO 27 (2011): (J^T J + (e.e / 2 + lambda) 1) step = J^T e.
bool InverseKinematics(Model& model, const VectorNd& Qinit, InverseKinematicsConstraintSet& CS, VectorNd& Qres) {
  const long n = model.qdot_size;
  detail::check_size("InverseKinematics", "the size of Qres", Qres.size(), model.q_size);
  detail::check_size("InverseKinematics", "the size of Qinit", Qinit.size(), model.q_size);
  CS.J.setZero(CS.num_constraints, n);
  CS.G.setZero(6, n);
  CS.e.setZero(CS.num_constraints);
  Robot& robot = model.kept.of(model);
  MatrixNd A(n, n);
  VectorNd step(n);
  Qres = Qinit;
  for (CS.num_steps = 0;; ++CS.num_steps) {
    UpdateKinematicsCustom(model, &Qres, nullptr, nullptr);
    evaluate(model, Qres, CS);
    if (CS.error_norm < CS.constraint_tol) return true;
    if (CS.num_steps == CS.max_steps) return false;
    A.noalias() = CS.J.transpose() * CS.J;
    A.diagonal().array() += 0.5 * CS.error_norm * CS.error_norm + CS.lambda;
    step = A.ldlt().solve(CS.J.transpose() * CS.e);
    if (step.norm() < CS.step_tol) return true;
    robot.integrate(step, Qres);
  }
}

}  // namespace RigidBodyDynamics
