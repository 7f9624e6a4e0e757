// SPDX-License-Identifier: BSD-3-Clause
// Momenta, wrenches and inertias of quantities.hpp and dynamics.hpp about another point, in other axes.
//
//   Reference::local                 about the frame's origin, in its axes: what the functions there give
//   Reference::local_world_aligned   about the frame's origin, in the world's axes
//   Reference::world                 about the world's origin, in the world's axes
// With X the pose of the frame, or its rotation alone:  f' = Ad(X)^-T f,   I' = Ad(X)^-T I Ad(X)^-1.  About the world's
// origin numbers lose digits with the square of the distance.
#pragma once
#include "zwang/algorithm/quantities.hpp"

namespace zwang {

/// body_momentum() [kg m/s; kg m^2/s].
Force<double> body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference);
/// composite_inertia().
Inertia<double> composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference);
/// composite_inertia_rate(), 6 x 6: point and axes stay.
void composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                            MatrixOut out);
/// joint_wrench() of the last inverse_dynamics() on this Data, which was at this q; the frame is that of the child link
/// [N; N m]. Other references call forward_kinematics, after which joint_wrench() has nothing to read: read all local
/// wrenches before.
Force<double> joint_wrench(const Model& model, Data& data, VectorIn q, LinkId child, Reference reference);
/// The wrenches that all joints transmit, 6 x joints in the order of model.joints(): columns of joints that were merged
/// into a body are NaN. inverse_dynamics() at (q, v, a), then each as above.
void joint_wrenches(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, Reference reference,
                    MatrixOut out, ExternalsIn external = {}, const JointEffects& effects = {});

/// The body that the frame belongs to, links that are fixed to each other merged: mass, first and second moment about
/// the frame's origin, in its axes, with payloads of Data. Frames on the ground: std::invalid_argument.
Inertia<double> body_inertia(const Model& model, const Data& data, FrameIn frame);

}  // namespace zwang
