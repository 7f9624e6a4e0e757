// SPDX-License-Identifier: BSD-3-Clause
// Centre of mass, energies, names.
#pragma once
#include <rbdl/Model.h>

namespace RigidBodyDynamics {
namespace Utils {

/// Total mass of what moves, its centre of mass, and what is asked for by pointers that are not null: velocity,
/// acceleration (needs qddot), angular momentum about the centre of mass and its rate (needs qddot); base axes.
void CalcCenterOfMass(Model& model, const Math::VectorNd& q, const Math::VectorNd& qdot, const Math::VectorNd* qddot,
                      double& mass, Math::Vector3d& com, Math::Vector3d* com_velocity = nullptr,
                      Math::Vector3d* com_acceleration = nullptr, Math::Vector3d* angular_momentum = nullptr,
                      Math::Vector3d* change_of_angular_momentum = nullptr, bool update_kinematics = true);
/// [J], zero at the base's origin.
double CalcPotentialEnergy(Model& model, const Math::VectorNd& q, bool update_kinematics = true);
/// [J]
double CalcKineticEnergy(Model& model, const Math::VectorNd& q, const Math::VectorNd& qdot,
                         bool update_kinematics = true);
/// The point of a plane about which the ground's wrench has no moment along the plane.
void CalcZeroMomentPoint(Model& model, const Math::VectorNd& q, const Math::VectorNd& qdot, const Math::VectorNd& qddot,
                         Math::Vector3d* zmp, const Math::Vector3d& normal = Math::Vector3d(0., 0., 1.),
                         const Math::Vector3d& point = Math::Vector3d(0., 0., 0.), bool update_kinematics = true);

/// `RX`, `TZ`, ...: what a unit axis is called, `custom` for others.
std::string GetDofName(const Math::SpatialVector& joint_dof);
/// A body's name, of a body between axes that of the body behind them with its place.
std::string GetBodyName(const Model& model, unsigned int body_id);
/// A line for each coordinate.
std::string GetModelDOFOverview(const Model& model);
/// A line for each body, indented by its depth.
std::string GetModelHierarchy(const Model& model);

}  // namespace Utils
}  // namespace RigidBodyDynamics
