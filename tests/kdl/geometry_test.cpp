// SPDX-License-Identifier: BSD-3-Clause
// Geometry with KDL's names: laws of rotations, frames, twists and inertias.
#include <gtest/gtest.h>

#include <kdl/frames.hpp>

#include "support.hpp"

namespace zwang::test {
namespace {

// A rotation vector survives the way through the matrix: 32 eps of the angle,
// at tiny angles and beside half a turn, too.
TEST(KdlRotation, KeepsTheRotationVectorAtEveryAngle) {
  KdlDraw draw(1);
  for (const double angle : {1e-300, 1e-12, 1e-9, 1e-7, 1e-6, 1e-3, 1.0, 3.0, KDL::PI - 1e-6, KDL::PI - 1e-9})
    for (int i = 0; i < 20; ++i) {
      KDL::Vector axis = draw.vector();
      axis.Normalize();
      const KDL::Vector found = KDL::Rotation::Rot(axis, angle).GetRot();
      EXPECT_LT((found - angle * axis).Norm(0), 32 * 2.3e-16 * std::fmax(angle, angle > 3 ? 1 : 0)) << angle;
    }
}

}  // namespace
}  // namespace zwang::test
