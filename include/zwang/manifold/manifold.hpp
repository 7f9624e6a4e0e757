// SPDX-License-Identifier: BSD-3-Clause
// The configuration space of a robot: increments, differences and interpolation of configurations.
//
//   integrate    q (+) dq: where velocity v leads in time h, with dq = h v
//   difference   dq with q0 (+) dq = q1, by the shortest rotation
//
// Velocities and increments have nv entries: in body axes for floating, spherical and planar joints.
// Calls with an output argument neither allocate nor resize; the output may be an input of the same size. Every call
// throws std::invalid_argument naming the argument for a wrong size, an entry that is not finite, or a quaternion whose
// length is further than 1e-6 from 1 (normalize takes any length but zero).
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <utility>

#include "zwang/model/check_configuration.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

/// No translation, no rotation, every angle and slide 0 (also where 0 is outside of the limits).
void neutral(const Model& model, Eigen::Ref<Eigen::VectorXd> out);
/// Within limits. Unlimited angles and slides come from [-pi, pi], a free position from [-1, 1]^3, attitudes uniformly.
void random(const Model& model, std::uint64_t seed, Eigen::Ref<Eigen::VectorXd> out);

void integrate(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
               const Eigen::Ref<const Eigen::VectorXd>& dq, Eigen::Ref<Eigen::VectorXd> out);
void difference(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                const Eigen::Ref<const Eigen::VectorXd>& q1, Eigen::Ref<Eigen::VectorXd> out);
/// q0 (+) t (q1 (-) q0): q0 at t = 0, q1 at t = 1, beyond them for other t.
void interpolate(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                 const Eigen::Ref<const Eigen::VectorXd>& q1, double t, Eigen::Ref<Eigen::VectorXd> out);

/// The length of difference(q0, q1): angles [rad] and lengths [m] weigh alike.
double distance(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                const Eigen::Ref<const Eigen::VectorXd>& q1);
/// The squared length per joint, in the order of model.joints(); 0 for fixed and mimicking joints.
void squared_distances(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                       const Eigen::Ref<const Eigen::VectorXd>& q1, Eigen::Ref<Eigen::VectorXd> out);

/// Brings every quaternion to unit length, in place. Throws, naming the joint, where one is zero or its square is not a
/// normal number; q is then unchanged.
void normalize(const Model& model, Eigen::Ref<Eigen::VectorXd> q);
/// Finite, and every quaternion of unit length within `tolerance`.
bool is_normalized(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q, double tolerance = k_unit_tolerance);
/// Throws unless q may be given to the algorithms.
void check_configuration(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q);

// --- Jacobians: nv x nv, of increments at the result with respect to increments at the arguments -----------

/// d(q (+) dq)/dq and d(q (+) dq)/d(dq)
void integrate_jacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& dq, Eigen::Ref<Eigen::MatrixXd> by_q,
                         Eigen::Ref<Eigen::MatrixXd> by_dq);
/// d(q1 (-) q0)/dq0 and d(q1 (-) q0)/dq1
void difference_jacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                          const Eigen::Ref<const Eigen::VectorXd>& q1, Eigen::Ref<Eigen::MatrixXd> by_q0,
                          Eigen::Ref<Eigen::MatrixXd> by_q1);
/// d(q (+) dq)/dq u, without the matrix: the increment u at q as an increment at q (+) dq.
void transport(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
               const Eigen::Ref<const Eigen::VectorXd>& dq, const Eigen::Ref<const Eigen::VectorXd>& u,
               Eigen::Ref<Eigen::VectorXd> out);
/// The same for every column of a matrix with nv rows, in place.
void transport_columns(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                       const Eigen::Ref<const Eigen::VectorXd>& dq, Eigen::Ref<Eigen::MatrixXd> U);

// --- the same with fresh results
// ----------------------------------------------------------------------------- Allocated and freed in the
// caller's program. Templates, so that a program that does not call them does not compile them.

template <class Vector = Eigen::VectorXd> Vector neutral(const Model& model) {
  Vector out(model.nq());
  neutral(model, out);
  return out;
}
/// A velocity, acceleration or torque of zeros.
template <class Vector = Eigen::VectorXd> Vector zero(const Model& model) { return Vector::Zero(model.nv()); }
template <class Vector = Eigen::VectorXd> Vector random(const Model& model, std::uint64_t seed) {
  Vector out(model.nq());
  random(model, seed, out);
  return out;
}
template <class Vector = Eigen::VectorXd> Vector integrate(const Model& model,
                                                           const Eigen::Ref<const Eigen::VectorXd>& q,
                                                           const Eigen::Ref<const Eigen::VectorXd>& dq) {
  Vector out(model.nq());
  integrate(model, q, dq, out);
  return out;
}
template <class Vector = Eigen::VectorXd> Vector difference(const Model& model,
                                                            const Eigen::Ref<const Eigen::VectorXd>& q0,
                                                            const Eigen::Ref<const Eigen::VectorXd>& q1) {
  Vector out(model.nv());
  difference(model, q0, q1, out);
  return out;
}
template <class Vector = Eigen::VectorXd> Vector interpolate(const Model& model,
                                                             const Eigen::Ref<const Eigen::VectorXd>& q0,
                                                             const Eigen::Ref<const Eigen::VectorXd>& q1, double t) {
  Vector out(model.nq());
  interpolate(model, q0, q1, t, out);
  return out;
}
template <class Vector = Eigen::VectorXd> Vector squared_distances(const Model& model,
                                                                   const Eigen::Ref<const Eigen::VectorXd>& q0,
                                                                   const Eigen::Ref<const Eigen::VectorXd>& q1) {
  Vector out(static_cast<Eigen::Index>(model.joints().size()));
  squared_distances(model, q0, q1, out);
  return out;
}
template <class Matrix = Eigen::MatrixXd>
std::pair<Matrix, Matrix> integrate_jacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                                              const Eigen::Ref<const Eigen::VectorXd>& dq) {
  std::pair<Matrix, Matrix> out{Matrix(model.nv(), model.nv()), Matrix(model.nv(), model.nv())};
  integrate_jacobians(model, q, dq, out.first, out.second);
  return out;
}
template <class Matrix = Eigen::MatrixXd>
std::pair<Matrix, Matrix> difference_jacobians(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q0,
                                               const Eigen::Ref<const Eigen::VectorXd>& q1) {
  std::pair<Matrix, Matrix> out{Matrix(model.nv(), model.nv()), Matrix(model.nv(), model.nv())};
  difference_jacobians(model, q0, q1, out.first, out.second);
  return out;
}
template <class Vector = Eigen::VectorXd>
Vector transport(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& dq, const Eigen::Ref<const Eigen::VectorXd>& u) {
  Vector out(model.nv());
  transport(model, q, dq, u, out);
  return out;
}

}  // namespace zwang
