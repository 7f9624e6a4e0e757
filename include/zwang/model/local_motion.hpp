// SPDX-License-Identifier: BSD-3-Clause
// What the outward pass of inverse dynamics carries from body to body.
#pragma once
#include "zwang/spatial/vec3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Velocity and acceleration of a body in its own axes, as the outward pass of inverse dynamics carries them.
template <class S> struct LocalMotion {
  Vec3<S> w;   ///< angular velocity
  Vec3<S> al;  ///< angular acceleration
  Vec3<S> a;   ///< classical acceleration of the origin
};

}  // namespace ZWANG_ISA
}  // namespace zwang
