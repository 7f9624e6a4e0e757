// SPDX-License-Identifier: BSD-3-Clause
// diff: the velocity that leads from a to b in dt seconds, in the axes in which both are given; addDelta: its inverse.
// A rotation turns about the fixed axis of R_a^-1 R_b; the origin of a frame moves on a straight line beside it.
#pragma once
#include "frame.hpp"

namespace KDL {

inline Vector diff(const Vector& a, const Vector& b, double dt = 1.0) { return (b - a) / dt; }
inline Vector diff(const Rotation& a, const Rotation& b, double dt = 1.0) {
  return a * (a.Inverse() * b).GetRot() / dt;
}
inline Twist diff(const Frame& a, const Frame& b, double dt = 1.0) {
  return Twist(diff(a.p, b.p, dt), diff(a.M, b.M, dt));
}
inline Twist diff(const Twist& a, const Twist& b, double dt = 1.0) {
  return Twist(diff(a.vel, b.vel, dt), diff(a.rot, b.rot, dt));
}
inline Wrench diff(const Wrench& a, const Wrench& b, double dt = 1.0) {
  return Wrench(diff(a.force, b.force, dt), diff(a.torque, b.torque, dt));
}

inline Vector addDelta(const Vector& a, const Vector& da, double dt = 1.0) { return a + da * dt; }
inline Rotation addDelta(const Rotation& a, const Vector& da, double dt = 1.0) {
  return a * Rotation::Rot(a.Inverse(da), da.Norm(0) * dt);
}
inline Frame addDelta(const Frame& a, const Twist& da, double dt = 1.0) {
  return Frame(addDelta(a.M, da.rot, dt), addDelta(a.p, da.vel, dt));
}
inline Twist addDelta(const Twist& a, const Twist& da, double dt = 1.0) {
  return Twist(addDelta(a.vel, da.vel, dt), addDelta(a.rot, da.rot, dt));
}
inline Wrench addDelta(const Wrench& a, const Wrench& da, double dt = 1.0) {
  return Wrench(addDelta(a.force, da.force, dt), addDelta(a.torque, da.torque, dt));
}

/// Uniform entries in [-1, 1] (rotations: uniform Euler angles), respectively [0, 1].
void random(Vector& v);
void random(Twist& t);
void random(Wrench& w);
void random(Rotation& R);
void random(Frame& F);
void posrandom(Vector& v);
void posrandom(Twist& t);
void posrandom(Wrench& w);
void posrandom(Rotation& R);
void posrandom(Frame& F);

}  // namespace KDL
