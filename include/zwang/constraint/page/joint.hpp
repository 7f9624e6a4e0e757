// SPDX-License-Identifier: BSD-3-Clause
// Rows on coordinates. Derivation: types/joint.hpp.
#pragma once
#include "zwang/constraint/page/coordinate_rows.hpp"
#include "zwang/constraint/page/loop.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows of PoseRows<LoopGeometry> that hold one error each.
inline constexpr double k_one_error[6][6] = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                                             {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};

struct JointRows {
  static constexpr bool position_is_free = true;  ///< without a target any position is allowed
  ConstArray<CoordinateColumn> coordinate;        ///< [rows]; q = -1: the row is that of `pose`
  ConstArray<double> reference;                   ///< [rows] of q
  /// [rows] the child of the joint in the pose that the posture gives it; one row each, of k_one_error.
  ConstArray<PoseRows<LoopGeometry>> pose;

  bool of_pose(Index r) const { return coordinate[r].q < 0; }
  template <class F> void for_each_array(F&& f) {
    f(coordinate);
    f(reference);
    f(pose);
  }

  template <class S> void operator()(const BasicData<S>& data, const S* q, const S* v, const RelationShape& on,
                                     const BasicRowValues<S>& out) const {
    using T = Uniform<S>;
    for (Index k = 0; k < on.rows * on.body_count; ++k) out.K[k] = Force<S>::zero();
    for (Index k = 0; k < 6 * on.rows && out.as_given != nullptr; ++k) out.as_given[k] = S(T(0));
    for (Index r = 0; r < on.rows; ++r) {
      const CoordinateColumn& c = coordinate[r];
      Force<S>* const child = out.K + c.child_place * on.rows + r;
      Force<S>* const parent = c.parent_place < 0 ? nullptr : out.K + c.parent_place * on.rows + r;
      if (!of_pose(r)) {
        out.phi[r] = q[c.q] - static_cast<T>(reference[r]);
        out.gamma[r] = -add_coordinate(data, c, S(T(1)), child, parent);
        continue;
      }
      const Index bodies[2] = {c.parent, c.child};
      Force<S> K[2];
      pose[r](data, q, v, RelationShape{1, bodies, 2}, BasicRowValues<S>{out.phi + r, out.gamma + r, K, nullptr});
      *child = K[1];
      if (parent != nullptr) *parent = K[0];
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
