// SPDX-License-Identifier: BSD-3-Clause
// Dynamics without constraints: H(Q) QDDot + N(Q, QDot) = Tau.
//
// External forces are [moment about the base's origin; force] in base axes, one for each movable body, entry 0 of the
// base first. Outputs must have their size before and are overwritten as a whole. After the first call on a model
// nothing is allocated. update_kinematics = false means: at the state of the last call that was given one.
#pragma once
#include <rbdl/Model.h>

namespace RigidBodyDynamics {

/// Tau.
void InverseDynamics(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, const Math::VectorNd& QDDot,
                     Math::VectorNd& Tau, std::vector<Math::SpatialVector>* f_ext = nullptr);
/// N: Tau at QDDot = 0.
void NonlinearEffects(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, Math::VectorNd& Tau,
                      std::vector<Math::SpatialVector>* f_ext = nullptr);
/// H, both triangles.
void CompositeRigidBodyAlgorithm(Model& model, const Math::VectorNd& Q, Math::MatrixNd& H,
                                 bool update_kinematics = true);
/// QDDot, cost linear in the number of bodies.
void ForwardDynamics(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, const Math::VectorNd& Tau,
                     Math::VectorNd& QDDot, std::vector<Math::SpatialVector>* f_ext = nullptr);
/// QDDot; H and C receive the mass matrix and N where they are given. The method named by linear_solver changes
/// nothing.
void ForwardDynamicsLagrangian(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                               const Math::VectorNd& Tau, Math::VectorNd& QDDot,
                               Math::LinearSolver linear_solver = Math::LinearSolverColPivHouseholderQR,
                               std::vector<Math::SpatialVector>* f_ext = nullptr, Math::MatrixNd* H = nullptr,
                               Math::VectorNd* C = nullptr);
/// QDDot = H^-1 Tau.
void CalcMInvTimesTau(Model& model, const Math::VectorNd& Q, const Math::VectorNd& Tau, Math::VectorNd& QDDot,
                      bool update_kinematics = true);

}  // namespace RigidBodyDynamics
