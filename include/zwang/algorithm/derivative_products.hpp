// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of dynamics times a vector, in O(n) and without a matrix (page/inverse_dynamics_products.hpp).
//
//   jvp, from the right:  d tau = (d tau/dq) dq + (d tau/dv) dv + (d tau/da) da
//   vjp, from the left:   the gradients of w . tau by q, v and a:  (d tau/dq)^T w, and so on
// What is differentiated, with respect to what, and what is thrown: algorithm/derivatives.hpp. Vectors have nv entries.
// Forms that return them are at the end.
#pragma once
#include "zwang/algorithm/derivatives.hpp"

namespace zwang {

/// Of inverse_dynamics(). Leaves positions, velocities and accelerations of the bodies in Data.
void inverse_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn dq, VectorIn dv,
                          VectorIn da, VectorOut dtau, ExternalsIn external = {}, const JointEffects& effects = {});
void inverse_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn w,
                          VectorOut by_q, VectorOut by_v, VectorOut by_a, ExternalsIn external = {},
                          const JointEffects& effects = {});

/// Of forward_dynamics(), whose accelerations they return: M^-1 (d tau - jvp of inverse dynamics), and with
/// y = M^-1 w minus the vjp of inverse dynamics by y; the gradient by tau is y. `factor`, made for the model, holds the
/// factors of M afterwards, which cost O(n d). Throws SingularMassError.
VectorView forward_dynamics_jvp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn dq, VectorIn dv, VectorIn dtau, VectorOut da,
                                ExternalsIn external = {}, const JointEffects& effects = {});
VectorView forward_dynamics_vjp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn w, VectorOut by_q, VectorOut by_v, VectorOut by_tau,
                                ExternalsIn external = {}, const JointEffects& effects = {});

// --- the same, returned ---------------------------------------------------------------------------------------------

/// Of w . tau, and of w . a.
template <class Vector = Eigen::VectorXd> struct TorqueGradient { Vector q, v, a; };
/// The gradient of a scalar of the accelerations by q, v and tau.
template <class Vector = Eigen::VectorXd> struct AccelerationGradient { Vector q, v, tau; };

template <class Vector = Eigen::VectorXd>
Vector inverse_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn dq,
                            VectorIn dv, VectorIn da, ExternalsIn external = {}, const JointEffects& effects = {}) {
  Vector dtau(model.nv());
  inverse_dynamics_jvp(model, data, q, v, a, dq, dv, da, dtau, external, effects);
  return dtau;
}
template <class Vector = Eigen::VectorXd>
TorqueGradient<Vector> inverse_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                            VectorIn w, ExternalsIn external = {}, const JointEffects& effects = {}) {
  const Index n = model.nv();
  TorqueGradient<Vector> d{Vector(n), Vector(n), Vector(n)};
  inverse_dynamics_vjp(model, data, q, v, a, w, d.q, d.v, d.a, external, effects);
  return d;
}
template <class Vector = Eigen::VectorXd>
Vector forward_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau, VectorIn dq,
                            VectorIn dv, VectorIn dtau, ExternalsIn external = {}, const JointEffects& effects = {}) {
  Vector da(model.nv());
  TreeCholesky factor(model);
  forward_dynamics_jvp(model, data, factor, q, v, tau, dq, dv, dtau, da, external, effects);
  return da;
}
template <class Vector = Eigen::VectorXd>
AccelerationGradient<Vector> forward_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau,
                                                  VectorIn w, ExternalsIn external = {},
                                                  const JointEffects& effects = {}) {
  const Index n = model.nv();
  TreeCholesky factor(model);
  AccelerationGradient<Vector> d{Vector(n), Vector(n), Vector(n)};
  forward_dynamics_vjp(model, data, factor, q, v, tau, w, d.q, d.v, d.tau, external, effects);
  return d;
}

}  // namespace zwang
