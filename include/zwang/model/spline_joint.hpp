// SPDX-License-Identifier: BSD-3-Clause
// A joint along a curve of poses: one degree of freedom, the child moves in the joint frame along a cubic cumulative
// B-spline on SE(3) with n >= 4 control poses X_0 ... X_(n-1) at equal steps h of q:
//
//   Omega_i = log(X_(i-1)^-1 X_i),   k = floor(q / h) within 0 ... n - 4,   t = q / h - k
//   X_J(q) = X_k exp(b_1 Omega_(k+1)) exp(b_2 Omega_(k+2)) exp(b_3 Omega_(k+3))
//   b_1 = (5 + 3 t - 3 t^2 + t^3) / 6,   b_2 = (1 + 3 t + 3 t^2 - 2 t^3) / 6,   b_3 = t^3 / 6
// (Kim, Kim & Shin, SIGGRAPH 1995; Sommer, Usenko, Schubert, Demmel & Cremers, CVPR 2020.) S and dS/dt follow factor
// by factor: with A = exp(b Omega), S <- Ad(A^-1) S + b' Omega and dS/dq <- Ad(A^-1) dS/dq + (Ad(A^-1) S) x b' Omega +
// b'' Omega. The curve is as smooth as its second derivative is continuous: S and dS/dq are continuous at the knots
// q = k h, d2S/dq2 jumps there, and derivatives of dynamics by q take the side of the segment that begins. It passes
// near its control poses, not through them; where these lie on a screw at equal steps it is that screw.
//
// The range is 0 <= q <= (n - 3) h, which spline_joint() writes as the limits. Beyond it the first and the last segment
// go on with their own polynomials: smooth, and of no use far outside. Where S vanishes (four equal poses) the
// coordinate moves nothing there, and forward dynamics says so (SingularMassError, singular_mass).
//
// It is a joint of user_joint.hpp that ships with the library, not a case of the kernels: no page is compiled again for
// it, and lanes compute it state by state. Documents and pickles keep it by its name. v = dq/dt.
#pragma once
#include <span>

#include "zwang/model/description.hpp"

namespace zwang {

/// The functions of the joint type "spline", for every scalar of the library.
std::shared_ptr<const UserJoint> spline_functions();

/// The constants of a joint along these control poses (in the joint frame), `step` of q apart. Throws
/// std::invalid_argument for less than four poses, a step that is not above 0, poses that are none or not finite, and
/// neighbours that are half a turn apart (to 1e-6 rad), between which there is no shorter way.
std::vector<double> spline_parameters(std::span<const Transform<double>> poses, double step = 1);

/// The joint, made one along these poses: type, functions, parameters, limits lower = 0 and upper = (n - 3) step.
JointDescription spline_joint(JointDescription joint, std::span<const Transform<double>> poses, double step = 1);

/// What is wrong with the parameters of a joint of this type, as a document may give them; empty: nothing.
std::string spline_fault(std::span<const double> parameters);

}  // namespace zwang
