// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of bodies and of points on them. [m, rad, s]
//
// Points of bodies are in body coordinates; results in base coordinates about the point, unless said otherwise.
// update_kinematics = false means: at the state of the last call that was given one. Matrices must have their size
// before (RBDLSizeMismatchError) and are overwritten as a whole. After the first call on a model nothing is allocated.
#pragma once
#include <rbdl/Model.h>

namespace RigidBodyDynamics {

/// Poses, velocities and accelerations of all bodies.
void UpdateKinematics(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, const Math::VectorNd& QDDot);
/// The same for what is given; the rest stays as it was.
void UpdateKinematicsCustom(Model& model, const Math::VectorNd* Q, const Math::VectorNd* QDot,
                            const Math::VectorNd* QDDot);

Math::Vector3d CalcBodyToBaseCoordinates(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                                         const Math::Vector3d& body_point_position, bool update_kinematics = true);
Math::Vector3d CalcBaseToBodyCoordinates(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                                         const Math::Vector3d& base_point_position, bool update_kinematics = true);
/// E: from base axes to body axes.
Math::Matrix3d CalcBodyWorldOrientation(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                                        bool update_kinematics = true);

/// 3 x qdot_size: velocity of the point = G QDot.
void CalcPointJacobian(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                       const Math::Vector3d& point_position, Math::MatrixNd& G, bool update_kinematics = true);
/// 6 x qdot_size, angular rows first.
void CalcPointJacobian6D(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                         const Math::Vector3d& point_position, Math::MatrixNd& G, bool update_kinematics = true);
/// 6 x qdot_size, angular rows first: velocity of the body in body coordinates = G QDot.
void CalcBodySpatialJacobian(Model& model, const Math::VectorNd& Q, unsigned int body_id, Math::MatrixNd& G,
                             bool update_kinematics = true);

Math::Vector3d CalcPointVelocity(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                 unsigned int body_id, const Math::Vector3d& point_position,
                                 bool update_kinematics = true);
/// [angular; linear].
Math::SpatialVector CalcPointVelocity6D(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                        unsigned int body_id, const Math::Vector3d& point_position,
                                        bool update_kinematics = true);
/// The rate of the point's velocity, without gravity.
Math::Vector3d CalcPointAcceleration(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                     const Math::VectorNd& QDDot, unsigned int body_id,
                                     const Math::Vector3d& point_position, bool update_kinematics = true);
/// [angular acceleration; rate of the point's velocity].
Math::SpatialVector CalcPointAcceleration6D(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                            const Math::VectorNd& QDDot, unsigned int body_id,
                                            const Math::Vector3d& point_position, bool update_kinematics = true);

/// Q with the points of bodies at targets [base coordinates], from Qinit by damped least squares with the damping
/// lambda. True where all distances or the step end below step_tol within max_iter steps.
bool InverseKinematics(Model& model, const Math::VectorNd& Qinit, const std::vector<unsigned int>& body_id,
                       const std::vector<Math::Vector3d>& body_point, const std::vector<Math::Vector3d>& target_pos,
                       Math::VectorNd& Qres, double step_tol = 1.0e-12, double lambda = 0.01,
                       unsigned int max_iter = 50);

}  // namespace RigidBodyDynamics
