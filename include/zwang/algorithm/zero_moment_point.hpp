// SPDX-License-Identifier: BSD-3-Clause
// Centre of pressure and zero-moment point: where on a plane a wrench has no moment along the plane.
//
// A wrench [f; n] about the point o of a plane with the unit normal e has about the point z of the plane the moment
// n - (z - o) x f. It is along e where  z = o + e x n / (e.f), and is there  e.n + f.(z - o) x e  about the normal
// (Sardain & Bessonnet, Forces acting on a biped robot, 2004).
#pragma once
#include "zwang/algorithm/supported.hpp"
#include "zwang/core/record.hpp"

namespace zwang {

/// What a plane of contacts can say of a wrench.
enum class Pressure {
  pressing,  ///< the force along the normal is positive: contacts that push can have their centre of pressure here
  pulling,   ///< it is negative: the point is there, but only contacts that pull give this wrench
  none       ///< it vanishes: there is no such point (NaN)
};
/// The words of its values, in their order.
constexpr auto words_of(Type<Pressure>) { return std::array{"pressing", "pulling", "none"}; }

/// Where on a plane a wrench has no moment along the plane.
struct CentreOfPressure {
  Vec3<double> point{0, 0, 0};  ///< on the plane, world [m]; NaN where there is none
  double normal_force = 0;      ///< along the normal [N]
  double normal_moment = 0;     ///< about the normal through the point [N m]; NaN where there is none
  Pressure pressure = Pressure::none;
};

/// Of a wrench [f; n] about the point `about`, world axes, on the plane through `point` with the normal `normal`, which
/// is brought to length 1. No point where |e.f| <= 64 eps max(|f|, force_scale): where the force is what is left of
/// larger ones, force_scale is their size [N]. Throws std::invalid_argument for numbers that are not finite and a
/// normal of length 0. A constraint set's groups have the net wrench of their contacts, about the world's origin.
CentreOfPressure centre_of_pressure(const Force<double>& wrench, const Vec3<double>& about = {0, 0, 0},
                                    const Vec3<double>& normal = {0, 0, 1}, const Vec3<double>& point = {0, 0, 0},
                                    double force_scale = 0);

/// The zero-moment point of a motion: of the wrench that the ground must give for it, which is what moves the robot
/// minus gravity and `external` (the sum of supported_force() of the root links; springs and dampers are inner forces).
/// Vukobratovic & Borovac 2004. q, v, a as everywhere; cost O(n) for each root link. There is none in flight, whatever
/// the motors do: where the force is rounding of its terms, which are weights, inertial forces of links and `external`.
CentreOfPressure zero_moment_point(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                   const Vec3<double>& normal = {0, 0, 1}, const Vec3<double>& point = {0, 0, 0},
                                   ExternalsIn external = {});

}  // namespace zwang
