// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of the wrench that a joint transmits, exact to rounding, for every joint: the gradients of what a
// force-torque sensor reads, and of the loads that limit a gear or a bearing.
//
// By q along q (+) d at d = 0, one column for each coordinate of v (algorithm/derivatives.hpp); external wrenches
// are constant in the axes in which they are given. Throws what inverse_dynamics() throws, std::invalid_argument
// naming an output of the wrong size or a joint that does not exist, UnsupportedError for a fixed joint that was
// merged into a body, and ArithmeticOverflowError.
#pragma once
#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

/// d of joint_wrench() of the joint's child link by q, v and a, 6 x nv each: [force; moment], in the child link's axes
/// about its origin, which move with q. After Singh, Russell & Wensing 2022. Cost O(n). Leaves positions, velocities
/// and accelerations of the bodies in Data.
void joint_wrench_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, JointId joint,
                              MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external = {});

// --- the same, returned ---------------------------------------------------------------------------------------------

template <class Matrix = Eigen::MatrixXd> struct JointWrenchDerivatives { Matrix q, v, a; };

template <class Matrix = Eigen::MatrixXd>
JointWrenchDerivatives<Matrix> joint_wrench_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                        VectorIn a, JointId joint, ExternalsIn external = {}) {
  const Index n = model.nv();
  JointWrenchDerivatives<Matrix> d{Matrix(6, n), Matrix(6, n), Matrix(6, n)};
  joint_wrench_derivatives(model, data, q, v, a, joint, d.q, d.v, d.a, external);
  return d;
}

}  // namespace zwang
