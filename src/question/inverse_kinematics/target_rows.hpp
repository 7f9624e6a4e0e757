// SPDX-License-Identifier: BSD-3-Clause
// The rows of a target as a measure: how far a pose is from it in what is asked for.
//
//   e = [p; psi] in the axes of the rows, as in types/frame.hpp       psi: angles, see types/loop.hpp
//   error = max over rows r of |K_r e| / max(|K_r,linear|, |K_r,angular|)
// Where two angular directions are held, rows that are angles alone count as the whole angle between the axes; where
// three are, and that is nearly half a turn, as the whole angle, since the axis of half a turn may point either way.
#pragma once
#include <algorithm>
#include <cmath>

#include "constraint/loop_geometry.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/question/inverse_kinematics.hpp"

namespace zwang {

class TargetRows {
 public:
  /// `t` names known frames. `rest`: any configuration, at which the axes of a fixed frame are read.
  TargetRows(const Model& model, const PoseTarget& t, Data& data, VectorIn rest)
      : matrix_(t.rows.matrix),
        geometry_(loop_geometry(t.rows, t.frame)),
        local_(t.in == "local") {
    for (std::size_t k = 0; k < matrix_.size(); ++k) (k % 6 < 3 ? position_ : turn_) |= matrix_[k] != 0;
    const Vec3<double>* first = nullptr;
    Vec3<double> part[2];
    for (std::size_t r = 0; r < matrix_.size() && geometry_.angles == page::LoopGeometry::Angles::vector; r += 6) {
      part[first != nullptr] = {matrix_[r + 3], matrix_[r + 4], matrix_[r + 5]};
      if (first == nullptr && norm(part[0]) > 0)
        first = part;
      else if (first != nullptr)  // one angular direction is held, or three
        attitude_ = attitude_ || norm(cross(part[0], part[1])) > 1e-9 * norm(part[0]) * norm(part[1]);
    }
    if (!local_ && t.in != "local_world_aligned") axes_ = frame_pose(model, data, rest, t.in).R;
  }

  bool position() const { return position_; }  ///< some row has a linear part
  bool turn() const { return turn_; }

  /// Of a frame at X with the target T.
  double error(const Transform<double>& X, const Transform<double>& T) const {
    using Angles = page::LoopGeometry::Angles;
    const Mat3<double> A = local_ ? X.R : axes_, B = local_ ? T.R : X.R * (transpose(T.R) * axes_);
    const Vec3<double> p = transpose_times(A, local_ ? T.p - X.p : X.p - T.p);
    double e[6] = {p.x, p.y, p.z, 0, 0, 0};
    Force<double> rate[3];
    if (turn_) geometry_.turned(A, B, e + 3, rate);
    const double angle = std::sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    double worst = 0;
    for (std::size_t r = 0; r < matrix_.size(); r += 6) {
      const double* const m = &matrix_[r];
      const double linear = std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
      const double angular = std::sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
      double row = 0;
      for (int k = 0; k < 6; ++k) row += m[k] * e[k];
      const double size = std::max(linear, angular);
      if (size > 0) row = std::fabs(row) / size;
      if (linear == 0 && angular > 0 && geometry_.angles == Angles::axis) row = angle;
      worst = std::max(worst, row);
    }
    return std::max(worst, whole_error(angle));
  }
  /// What counts of the length of a rotation vector where all of an attitude is asked for.
  double whole_error(double angle) const { return attitude_ && angle > 3 ? angle : 0; }

 private:
  std::vector<double> matrix_;  ///< k x 6
  page::LoopGeometry geometry_;
  bool local_, position_ = false, turn_ = false, attitude_ = false;
  Mat3<double> axes_ = Mat3<double>::identity();
};

}  // namespace zwang
