// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities, accelerations and Jacobians of frames.
//
// forward_kinematics fills the position (velocity, acceleration) stage of Data; the functions that take no q read it.
// Those that take q do both. Every size is checked; a stage that is missing throws std::logic_error.
#pragma once
#include "zwang/algorithm/reference.hpp"

namespace zwang {

/// A motion or a force as numbers, linear part first.
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
/// 6 x nv, linear rows first.
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Placements of all bodies; with v their velocities; with a their accelerations. Cost O(n).
void forward_kinematics(const Model& model, Data& data, VectorIn q);
void forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v);
void forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a);

/// Pose of a frame in the world: maps frame coordinates to world coordinates. [m]
Transform<double> frame_pose(const Model& model, const Data& data, FrameIn frame);
Transform<double> frame_pose(const Model& model, Data& data, VectorIn q, FrameIn frame);

/// Velocity of a frame, [linear; angular], [m/s, rad/s].
Motion<double> frame_velocity(const Model& model, const Data& data, FrameIn frame,
                              Reference reference = Reference::local_world_aligned);
Motion<double> frame_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                              Reference reference = Reference::local_world_aligned);

/// Acceleration of a frame, [linear; angular], without gravity (0 for a body at rest). `with_gravity` adds -g, as an
/// accelerometer measures it.
Motion<double> frame_acceleration(const Model& model, const Data& data, FrameIn frame, AccelerationKind kind,
                                  Reference reference = Reference::local_world_aligned, bool with_gravity = false);
Motion<double> frame_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                                  AccelerationKind kind, Reference reference = Reference::local_world_aligned,
                                  bool with_gravity = false);

/// J with V = J v, 6 x nv, linear rows first. Reads the stages of forward_kinematics. `out` is overwritten.
void jacobian(const Model& model, Data& data, FrameIn frame, Reference reference, MatrixOut out);
/// The same from q along the frame's own path, cost O(d). Other bodies are not computed,
/// so no stage of Data is complete afterwards.
void jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference, MatrixOut out);
/// dJ/dt, the time derivative of that matrix: J a + dJ/dt v is the spatial acceleration for `local` and `world`, the
/// classical one for `local_world_aligned`.
void jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                  MatrixOut out);
/// Jacobian of a point fixed to a frame's body, given in world coordinates; world axes.
void jacobian_at(const Model& model, Data& data, FrameIn frame, const Vec3<double>& point, MatrixOut out);
void jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point, MatrixOut out);

/// Pose of a frame in another one: maps coordinates of `frame` to those of `seen_from`. Loses no digits far from the
/// map's origin where both frames are on one branch.
Transform<double> relative_pose(const Model& model, const Data& data, FrameIn frame, FrameIn seen_from);
Transform<double> relative_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from);
/// Velocity of a frame relative to the moving (and rotating) frame `seen_from`: in the world's axes if the reference is
/// `world` or `local_world_aligned`, in the frame's own axes if it is `local`.
///   V = see(V_frame - V_seen_from), both as spatial velocities; zero where one body carries both frames.
Motion<double> relative_velocity(const Model& model, const Data& data, FrameIn frame, FrameIn seen_from,
                                 Reference reference = Reference::local_world_aligned);
Motion<double> relative_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                 FrameIn seen_from, Reference reference = Reference::local_world_aligned);
/// J with that velocity = J v, 6 x nv, linear rows first. Joints that move both frames alike have zero columns.
void relative_jacobian(const Model& model, Data& data, FrameIn frame, FrameIn seen_from, Reference reference,
                       MatrixOut out);
void relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                       Reference reference, MatrixOut out);

}  // namespace zwang
