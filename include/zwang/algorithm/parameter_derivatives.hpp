// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of dynamics by parameters of the robot and by external wrenches,
// exact to rounding, for every joint.
//
//   tau = ID(q, v, a; p):   d tau/dp        a = FD(q, v, tau; p):   d a/dp = -M^-1 d tau/dp at the accelerations of FD
//
// One column for each number of the parameter; matrices are nv rows high and written whole. Coordinates, velocities and
// the other parameters are held. External wrenches are constant in the axes in which they are given and move with their
// frames. What does not count in the call by its JointEffects has a derivative of 0. Nothing is allocated.
//
// Each throws what the function that it differentiates throws, std::invalid_argument naming an output of the
// wrong size, and ArithmeticOverflowError.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang {

enum class Parameter {
  /// 10 a link in the order of model.links(): m, m c, I about the link's origin (xx xy yy xz yz zz), link axes; the
  /// matrix is inverse_dynamics_regressor() where every gravity_scale is 1. Atkeson, An & Hollerbach 1986.
  inertial_parameters,
  /// 6 a joint in the order of model.joints(): along X exp(d), X the joint frame in its parent link
  /// (description.origin), d = [shift; turn] in joint axes [m, rad]. NaN at joints that were merged into a
  /// body: build without `lump` to have them.
  placement,
  /// nv: of the joint of each coordinate [kg m^2, kg]; of a coordinate that several joints share, the leader's
  armature,
  damping,    ///< nv, likewise [N m s/rad, N s/m]
  stiffness,  ///< nv, likewise [N m/rad, N/m]; 0 where the joint has no spring; of a spherical joint by all three k
  gravity     ///< 3, world axes [m/s^2]
};

/// Columns of a derivative by this parameter.
Index columns_of(const Model& model, Parameter parameter);

/// d tau of inverse_dynamics() by a parameter, nv x columns_of(model, parameter). Cost O(n d) for placements,
/// O(links d) for inertial parameters, O(n) otherwise, writing the matrix.
void inverse_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                            Parameter parameter, MatrixOut out, ExternalsIn external = {},
                                            const JointEffects& effects = {});

/// d a of forward_dynamics(), which it returns. `factor`, made for the model, holds the factors of M afterwards. Cost
/// that of inverse dynamics and one solve a column. Throws SingularMassError.
VectorView forward_dynamics_parameter_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                                  VectorIn v, VectorIn tau, Parameter parameter, MatrixOut out,
                                                  ExternalsIn external = {}, const JointEffects& effects = {});

/// The same by a wrench on a frame in these axes, [force; moment], nv x 6: -J^T, and M^-1 J^T with the frame's Jacobian
/// J in `reference`. They do not depend on the wrench.
void inverse_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                                         MatrixOut out);
void forward_dynamics_wrench_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                         FrameIn frame, Reference reference, MatrixOut out,
                                         const JointEffects& effects = {});

// --- the same, returned ---------------------------------------------------------------------------------------------

template <class Matrix = Eigen::MatrixXd>
Matrix inverse_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                              Parameter parameter, ExternalsIn external = {},
                                              const JointEffects& effects = {}) {
  Matrix out(model.nv(), columns_of(model, parameter));
  inverse_dynamics_parameter_derivatives(model, data, q, v, a, parameter, out, external, effects);
  return out;
}
template <class Matrix = Eigen::MatrixXd>
Matrix forward_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau,
                                              Parameter parameter, ExternalsIn external = {},
                                              const JointEffects& effects = {}) {
  Matrix out(model.nv(), columns_of(model, parameter));
  TreeCholesky factor(model);
  forward_dynamics_parameter_derivatives(model, data, factor, q, v, tau, parameter, out, external, effects);
  return out;
}
template <class Matrix = Eigen::MatrixXd>
Matrix inverse_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                           Reference reference = Reference::local_world_aligned) {
  Matrix out(model.nv(), 6);
  inverse_dynamics_wrench_derivatives(model, data, q, frame, reference, out);
  return out;
}
template <class Matrix = Eigen::MatrixXd>
Matrix forward_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                           Reference reference = Reference::local_world_aligned,
                                           const JointEffects& effects = {}) {
  Matrix out(model.nv(), 6);
  TreeCholesky factor(model);
  forward_dynamics_wrench_derivatives(model, data, factor, q, frame, reference, out, effects);
  return out;
}

}  // namespace zwang
