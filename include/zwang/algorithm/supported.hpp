// SPDX-License-Identifier: BSD-3-Clause
// What a frame supports: its link and all links behind it, cut off at the joint that carries the link, fixed or not.
// The wrench through this cut is what a force-torque sensor there reads.
#pragma once
#include "zwang/algorithm/reference.hpp"

namespace zwang {

/// Inertia of the frame's link and of all links behind it, as one rigid body: about the frame's origin, its axes.
/// Unlike composite_inertia() it leaves out what fixed joints merge with the link but do not carry. Cost O(links d).
Inertia<double> supported_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame);

/// The wrench through that cut on these links: sum of I a + v x* I v, a minus gravity, less `external` on their frames.
/// [force; moment about the frame's origin], the frame's axes [N, N m]. At the frame of a link that a moving joint
/// carries it is joint_wrench(); for the root link it is the wrench on the whole robot. Cost O(links d).
Force<double> supported_force(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                              ExternalsIn external = {});

}  // namespace zwang
