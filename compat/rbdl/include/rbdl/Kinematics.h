// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of bodies and of points on them. [m, rad, s]
//
// Points of bodies are in body coordinates; results in base coordinates about the point, unless said otherwise.
// update_kinematics = false means: at the state of the last call that was given one. Matrices must have their size
// before (RBDLSizeMismatchError) and are overwritten as a whole. After the first call on a model nothing is allocated.
#pragma once
#include <rbdl/Logging.h>
#include <rbdl/Model.h>

#include <cassert>

namespace RigidBodyDynamics {

/// Poses, velocities and accelerations of all bodies.
void UpdateKinematics(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, const Math::VectorNd& QDDot);
/// The same for what is given; the rest stays as it was.
void UpdateKinematicsCustom(Model& model, const Math::VectorNd* Q, const Math::VectorNd* QDot,
                            const Math::VectorNd* QDDot);

/// A point of a body in base coordinates.
Math::Vector3d CalcBodyToBaseCoordinates(Model& model, const Math::VectorNd& Q, unsigned int body_id,
                                         const Math::Vector3d& body_point_position, bool update_kinematics = true);
/// The way back: a point in base coordinates as the body sees it.
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

/// Of the point, base axes.
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

/// Where points and axes of bodies shall be, for InverseKinematics. Each row of J and e is multiplied by the weight of
/// its target; targets that exclude each other are met by least squares of these rows.
struct InverseKinematicsConstraintSet {
  /// What of a body has a target.
  enum ConstraintType {
    ConstraintTypePosition = 0,
    ConstraintTypeOrientation,
    ConstraintTypeFull,
    ConstraintTypePositionXY,
    ConstraintTypePositionZ,
    ConstraintTypePositionCoMXY
  };

  /// A point of a body at a target [base coordinates]. All functions that add return the number of the target.
  unsigned int AddPointConstraint(unsigned int body_id, const Math::Vector3d& body_point,
                                  const Math::Vector3d& target_pos, float weight = 1.f);
  /// Its x and y alone.
  unsigned int AddPointConstraintXY(unsigned int body_id, const Math::Vector3d& body_point,
                                    const Math::Vector3d& target_pos, float weight = 1.f);
  /// Its z alone.
  unsigned int AddPointConstraintZ(unsigned int body_id, const Math::Vector3d& body_point,
                                   const Math::Vector3d& target_pos, float weight = 1.f);
  /// x and y of the centre of mass of the whole model; the id is of no account.
  unsigned int AddPointConstraintCoMXY(unsigned int body_id, const Math::Vector3d& target_pos, float weight = 1.f);
  /// The attitude of a body, as CalcBodyWorldOrientation gives it.
  unsigned int AddOrientationConstraint(unsigned int body_id, const Math::Matrix3d& target_orientation,
                                        float weight = 1.f);
  /// Attitude and point.
  unsigned int AddFullConstraint(unsigned int body_id, const Math::Vector3d& body_point,
                                 const Math::Vector3d& target_pos, const Math::Matrix3d& target_orientation,
                                 float weight = 1.f);
  /// Removes all targets; returns their number, 0.
  unsigned int ClearConstraints();

  // Settings.
  double lambda = 1e-9;           ///< damping beside the one that follows the error
  unsigned int max_steps = 300;   ///< false where so many are not enough
  double step_tol = 1e-12;        ///< true where a step is shorter: error_norm says how far off
  double constraint_tol = 1e-12;  ///< true where error_norm is below

  // Results.
  Math::MatrixNd J;            ///< rows of all targets at the last step
  Math::MatrixNd G;            ///< of the last point, angular rows first
  Math::VectorNd e;            ///< what is missing; of attitudes the rotation vector in base axes [rad]
  unsigned int num_steps = 0;  ///< steps that were taken
  double error_norm = 0;       ///< of e

  // The targets, one entry each.
  unsigned int num_constraints = 0;  ///< rows
  std::vector<ConstraintType> constraint_type;
  std::vector<unsigned int> body_ids;
  std::vector<Math::Vector3d> body_points;
  std::vector<Math::Vector3d> target_positions;
  std::vector<Math::Matrix3d> target_orientations;
  std::vector<double> constraint_weight;
  std::vector<unsigned int> constraint_row_index;  ///< the first row

 private:
  unsigned int add(ConstraintType type, unsigned int rows, unsigned int body_id, const Math::Vector3d& point,
                   const Math::Vector3d& position, const Math::Matrix3d& orientation, double weight);
};

/// Q that meets the targets of a set, from Qinit by Levenberg and Marquardt's method, whose damping is half the squared
/// error plus lambda (Sugihara 2011). True where the error or the step ends below its tolerance.
bool InverseKinematics(Model& model, const Math::VectorNd& Qinit, InverseKinematicsConstraintSet& CS,
                       Math::VectorNd& Qres);

/// The rotation vector of R, axis times angle in [0, pi].
Math::Vector3d CalcAngularVelocityfromMatrix(const Math::Matrix3d& RotMat);

}  // namespace RigidBodyDynamics
