// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Kinematics.h>

#include <zwang/algorithm/kinematics.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics {

using detail::from;
using detail::Place;
using detail::Robot;
using detail::to;
using Math::MatrixNd;
using Math::SpatialVector;
using Math::Vector3d;
using Math::VectorNd;

namespace {

/// The robot, with the given part of its state where kinematics are to be updated, and computed up to it.
Robot& at(const char* function, Model& model, bool update, const VectorNd& Q, const VectorNd* QDot = nullptr,
          const VectorNd* QDDot = nullptr) {
  Robot& robot = model.kept.of(model);
  if (update) robot.set(function, Q, QDot, QDDot);
  robot.update(QDDot != nullptr ? 3 : QDot != nullptr ? 2 : 1);
  return robot;
}

/// A point of a body in the coordinates of the movable body.
Vector3d in_movable(const Place& place, const Vector3d& point) {
  return place.is_fixed ? Vector3d(place.in_body.E.transpose() * point + place.in_body.r) : point;
}
/// The point in base coordinates.
Vector3d in_base(const Robot& robot, const Place& place, const Vector3d& point) {
  return from(zwang::frame_pose(robot.model, robot.data, place.frame) * to(in_movable(place, point)));
}

/// Columns of a Jacobian of zwang in RBDL's order, with the rows from `first` of its angular and linear halves.
void put_rows(const Robot& robot, long from_row, long to_row, MatrixNd& G) {
  for (std::size_t k = 0; k < robot.columns.size(); ++k)
    G.block<3, 1>(to_row, static_cast<long>(k)) = robot.jacobian.block<3, 1>(from_row, robot.columns[k]);
}
void point_jacobian(Robot& robot, const Place& place, const Vector3d& point) {
  zwang::jacobian_at(robot.model, robot.data, place.frame, to(in_base(robot, place, point)), robot.jacobian);
}

}  // namespace

void UpdateKinematics(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& QDDot) {
  at("UpdateKinematics", model, true, Q, &QDot, &QDDot);
}

void UpdateKinematicsCustom(Model& model, const VectorNd* Q, const VectorNd* QDot, const VectorNd* QDDot) {
  Robot& robot = model.kept.of(model);
  if (Q != nullptr) robot.set_q("UpdateKinematicsCustom", *Q);
  if (QDot != nullptr) robot.set_v("UpdateKinematicsCustom", *QDot);
  if (QDDot != nullptr) robot.set_a("UpdateKinematicsCustom", *QDDot);
  robot.update(QDDot != nullptr ? 3 : QDot != nullptr ? 2 : 1);
}

Vector3d CalcBodyToBaseCoordinates(Model& model, const VectorNd& Q, unsigned int body_id, const Vector3d& point,
                                   bool update_kinematics) {
  const Robot& robot = at("CalcBodyToBaseCoordinates", model, update_kinematics, Q);
  return in_base(robot, robot.place("CalcBodyToBaseCoordinates", body_id), point);
}

Vector3d CalcBaseToBodyCoordinates(Model& model, const VectorNd& Q, unsigned int body_id, const Vector3d& point,
                                   bool update_kinematics) {
  const Robot& robot = at("CalcBaseToBodyCoordinates", model, update_kinematics, Q);
  const Place place = robot.place("CalcBaseToBodyCoordinates", body_id);
  const Vector3d seen = from(zwang::inverse(zwang::frame_pose(robot.model, robot.data, place.frame)) * to(point));
  return place.is_fixed ? Vector3d(place.in_body.E * (seen - place.in_body.r)) : seen;
}

Math::Matrix3d CalcBodyWorldOrientation(Model& model, const VectorNd& Q, unsigned int body_id, bool update_kinematics) {
  const Robot& robot = at("CalcBodyWorldOrientation", model, update_kinematics, Q);
  const Place place = robot.place("CalcBodyWorldOrientation", body_id);
  const Math::Matrix3d E = from(zwang::frame_pose(robot.model, robot.data, place.frame).R).transpose();
  return place.in_body.E * E;
}

void CalcPointJacobian(Model& model, const VectorNd& Q, unsigned int body_id, const Vector3d& point, MatrixNd& G,
                       bool update_kinematics) {
  Robot& robot = at("CalcPointJacobian", model, update_kinematics, Q);
  detail::check_shape("CalcPointJacobian", G, 3, model.qdot_size);
  point_jacobian(robot, robot.place("CalcPointJacobian", body_id), point);
  put_rows(robot, 0, 0, G);
}

void CalcPointJacobian6D(Model& model, const VectorNd& Q, unsigned int body_id, const Vector3d& point, MatrixNd& G,
                         bool update_kinematics) {
  Robot& robot = at("CalcPointJacobian6D", model, update_kinematics, Q);
  detail::check_shape("CalcPointJacobian6D", G, 6, model.qdot_size);
  point_jacobian(robot, robot.place("CalcPointJacobian6D", body_id), point);
  put_rows(robot, 3, 0, G);
  put_rows(robot, 0, 3, G);
}

void CalcBodySpatialJacobian(Model& model, const VectorNd& Q, unsigned int body_id, MatrixNd& G,
                             bool update_kinematics) {
  Robot& robot = at("CalcBodySpatialJacobian", model, update_kinematics, Q);
  detail::check_shape("CalcBodySpatialJacobian", G, 6, model.qdot_size);
  const Place place = robot.place("CalcBodySpatialJacobian", body_id);
  zwang::jacobian(robot.model, robot.data, place.frame, zwang::Reference::local, robot.jacobian);
  put_rows(robot, 3, 0, G);
  put_rows(robot, 0, 3, G);
  if (!place.is_fixed) return;
  for (long k = 0; k < G.cols(); ++k) G.col(k) = place.in_body.apply(SpatialVector(G.col(k)));
}

SpatialVector CalcPointVelocity6D(Model& model, const VectorNd& Q, const VectorNd& QDot, unsigned int body_id,
                                  const Vector3d& point, bool update_kinematics) {
  const Robot& robot = at("CalcPointVelocity6D", model, update_kinematics, Q, &QDot);
  const Place place = robot.place("CalcPointVelocity6D", body_id);
  SpatialVector V = from(zwang::frame_velocity(robot.model, robot.data, place.frame));
  const Vector3d arm = from(zwang::frame_pose(robot.model, robot.data, place.frame).R * to(in_movable(place, point)));
  V.tail<3>() += Math::VectorCrossMatrix(V.head<3>()) * arm;
  return V;
}
Vector3d CalcPointVelocity(Model& model, const VectorNd& Q, const VectorNd& QDot, unsigned int body_id,
                           const Vector3d& point, bool update_kinematics) {
  return CalcPointVelocity6D(model, Q, QDot, body_id, point, update_kinematics).tail<3>();
}

SpatialVector CalcPointAcceleration6D(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& QDDot,
                                      unsigned int body_id, const Vector3d& point, bool update_kinematics) {
  const Robot& robot = at("CalcPointAcceleration6D", model, update_kinematics, Q, &QDot, &QDDot);
  const Place place = robot.place("CalcPointAcceleration6D", body_id);
  const SpatialVector V = from(zwang::frame_velocity(robot.model, robot.data, place.frame));
  SpatialVector A =
      from(zwang::frame_acceleration(robot.model, robot.data, place.frame, zwang::AccelerationKind::classical));
  const Vector3d arm = from(zwang::frame_pose(robot.model, robot.data, place.frame).R * to(in_movable(place, point)));
  const Math::Matrix3d w = Math::VectorCrossMatrix(V.head<3>());
  A.tail<3>() += Math::VectorCrossMatrix(A.head<3>()) * arm + w * (w * arm);
  return A;
}
Vector3d CalcPointAcceleration(Model& model, const VectorNd& Q, const VectorNd& QDot, const VectorNd& QDDot,
                               unsigned int body_id, const Vector3d& point, bool update_kinematics) {
  return CalcPointAcceleration6D(model, Q, QDot, QDDot, body_id, point, update_kinematics).tail<3>();
}

}  // namespace RigidBodyDynamics
