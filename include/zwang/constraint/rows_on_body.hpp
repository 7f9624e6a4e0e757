// SPDX-License-Identifier: BSD-3-Clause
// RowsOnBody: rows on the acceleration of one body, as numbers. The only part of a constraint that kernels read.
#pragma once
#include <vector>

#include "zwang/algorithm/reference.hpp"

namespace zwang {

/// Rows of one constraint on one body: K a = beta with a the acceleration of a point, along given axes.
///
///   a = [acceleration of the point; angular acceleration], classical or spatial; 0 for a body at rest under gravity
///   K = matrix * [A 0; 0 A]^T   with A the axes' columns in the world
struct RowsOnBody {
  enum class Axes { world, body };  ///< the axes are the world's, or turn with axes_body
  Index body = 0;
  Vec3<double> point = Vec3<double>::zero();  ///< in the body's frame; not used with about_world_origin
  bool about_world_origin = false;            ///< the point is the body's point at the world's origin now
  Axes axes = Axes::world;
  Index axes_body = 0;
  Mat3<double> axes_in_body = Mat3<double>::identity();  ///< the axes' columns in axes_body's frame
  std::vector<double> matrix = {};                       ///< k x 6
};

}  // namespace zwang
