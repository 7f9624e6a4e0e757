// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of the motion of frames, of the centre of mass, and of the momentum about it, exact to rounding,
// for every joint. Singh, Russell & Wensing 2022, extended to columns that depend on q.
//
// Derivatives by q are those along q (+) d at d = 0, one column for each coordinate of v (algorithm/derivatives.hpp).
// Rows are those of the quantity in the axes in which it is given, linear rows first: in `local` axes they are the
// changes of the numbers that are read in the moving frame. Matrices are written whole; nothing is allocated.
// Forms that return matrices are at the end.
//
// Each throws what the function that it differentiates throws, std::invalid_argument naming an output of the wrong
// size, and ArithmeticOverflowError.
#pragma once
#include "zwang/algorithm/kinematics.hpp"

namespace zwang {

/// d of frame_velocity() by q and v, 6 x nv each [m/s, rad/s per unit of the coordinate]; by v it is the Jacobian. Cost
/// O(n). Leaves positions and velocities of the bodies in Data.
void frame_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                Reference reference, MatrixOut by_q, MatrixOut by_v);

/// d of frame_acceleration() by q, v and a, 6 x nv each; by a it is the Jacobian. Cost O(n). Leaves positions,
/// velocities and accelerations of the bodies in Data. `with_gravity`: of the acceleration with -g, whose numbers in
/// `local` axes also change because gravity turns as seen from the frame; in the world's axes nothing differs.
void frame_acceleration_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                                    AccelerationKind kind, Reference reference, MatrixOut by_q, MatrixOut by_v,
                                    MatrixOut by_a, bool with_gravity = false);

/// d of the velocity of the centre of mass by q and v, 3 x nv each, world axes; by v it is centre_of_mass_jacobian().
/// Cost O(n). Leaves positions and velocities of the bodies in Data.
void centre_of_mass_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                         MatrixOut by_v);

/// d of centroidal_momentum() by q and v, where by v is centroidal_map(), and of centroidal_momentum_rate() by q, v and
/// a; 6 x nv each, world axes, about the centre of mass, which moves with q. Cost O(n). Leaves positions, velocities
/// and accelerations of the bodies in Data.
void centroidal_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut momentum_by_q,
                            MatrixOut momentum_by_v, MatrixOut rate_by_q, MatrixOut rate_by_v, MatrixOut rate_by_a);

// --- the same, returned ---------------------------------------------------------------------------------------------

/// Derivatives of a frame's velocity by q and v, 6 x nv each.
template <class Matrix = Eigen::MatrixXd> struct FrameVelocityDerivatives { Matrix q, v; };
/// Derivatives of a frame's acceleration by q, v and a, 6 x nv each.
template <class Matrix = Eigen::MatrixXd> struct FrameAccelerationDerivatives { Matrix q, v, a; };
/// Derivatives of the velocity of the centre of mass by q and v, 3 x nv each.
template <class Matrix = Eigen::MatrixXd> struct CentreOfMassVelocityDerivatives { Matrix q, v; };
/// Derivatives of the momentum about the centre of mass, and of its rate.
template <class Matrix = Eigen::MatrixXd> struct CentroidalDerivatives {
  struct {
    Matrix q, v;
  } momentum;
  struct {
    Matrix q, v, a;
  } rate;
};

template <class Matrix = Eigen::MatrixXd>
FrameVelocityDerivatives<Matrix> frame_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                            FrameIn frame,
                                                            Reference reference = Reference::local_world_aligned) {
  const Index n = model.nv();
  FrameVelocityDerivatives<Matrix> d{Matrix(6, n), Matrix(6, n)};
  frame_velocity_derivatives(model, data, q, v, frame, reference, d.q, d.v);
  return d;
}
template <class Matrix = Eigen::MatrixXd> FrameAccelerationDerivatives<Matrix> frame_acceleration_derivatives(
    const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame, AccelerationKind kind,
    Reference reference = Reference::local_world_aligned, bool with_gravity = false) {
  const Index n = model.nv();
  FrameAccelerationDerivatives<Matrix> d{Matrix(6, n), Matrix(6, n), Matrix(6, n)};
  frame_acceleration_derivatives(model, data, q, v, a, frame, kind, reference, d.q, d.v, d.a, with_gravity);
  return d;
}
template <class Matrix = Eigen::MatrixXd>
CentreOfMassVelocityDerivatives<Matrix> centre_of_mass_velocity_derivatives(const Model& model, Data& data, VectorIn q,
                                                                            VectorIn v) {
  const Index n = model.nv();
  CentreOfMassVelocityDerivatives<Matrix> d{Matrix(3, n), Matrix(3, n)};
  centre_of_mass_velocity_derivatives(model, data, q, v, d.q, d.v);
  return d;
}
template <class Matrix = Eigen::MatrixXd> CentroidalDerivatives<Matrix> centroidal_derivatives(const Model& model,
                                                                                               Data& data, VectorIn q,
                                                                                               VectorIn v, VectorIn a) {
  const Index n = model.nv();
  CentroidalDerivatives<Matrix> d{{Matrix(6, n), Matrix(6, n)}, {Matrix(6, n), Matrix(6, n), Matrix(6, n)}};
  centroidal_derivatives(model, data, q, v, a, d.momentum.q, d.momentum.v, d.rate.q, d.rate.v, d.rate.a);
  return d;
}

}  // namespace zwang
