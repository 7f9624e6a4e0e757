// SPDX-License-Identifier: BSD-3-Clause
// OutsideWrenches: the external wrenches on each body, summed apart by the axes in which they are given, so that
// derivatives can state them at any pose of the body, over any scalar.
//
//   local                 one constant wrench in body axes
//   local_world_aligned   constant (f, n) at points x of the body, p = p_b + R x:  sum f, sum n, sum f x^T, and
//                         sum f p^T = (sum f) p_b^T + (sum f x^T) R^T =: A
//                         sum p x f = (A32 - A23, A13 - A31, A21 - A12)
//                         W = [0, -[f]; 0, tr(A) 1 - A - [n]]
//   world                 a constant wrench about the world's origin
// W: how the wrench turns with its body (algorithm/page/turning.hpp).
#pragma once
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang {

class OutsideWrenches {
 public:
  explicit OutsideWrenches(Index bodies) : wrench_(bodies + 1) {}

  /// `external` (nullptr: none), and what links' own scales of gravity add where `data` has it.
  void take(const Data& data, const Externals* external);

  /// Adds the wrenches at the positions of `data`, and how they turn.
  template <class S> void add_to(BasicData<S>& data) const {
    for (Index i = 1; i <= data.tree().n; ++i) {
      const OnBody& x = wrench_[i];
      const Transform<S>& X = data.position.placement[i];
      Mat3<S> A = widen<S>(x.arm) * transpose(X.R);
      subtract_outer(A, widen<S>(-x.aligned.f), X.p);
      const Vec3<S> moment{A.r2.y - A.r1.z, A.r0.z - A.r2.x, A.r1.x - A.r0.y};
      const Force<S> aligned{widen<S>(x.aligned.f), widen<S>(x.aligned.n) + moment};
      const Force<S> world = with_reference_point(widen<S>(x.world), data.position.centre[data.tree().body[i].root]);
      data.force.external[i] += widen<S>(x.local) + inverse_times(X, aligned + world);
      const S diagonal = trace(A);
      Mat3<S> lower = skew(Vec3<S>(-widen<S>(x.aligned.n))) - A;
      for (int c = 0; c < 3; ++c) lower[c][c] += diagonal;
      page::add_turning(data, i, page::Turning<S>{aligned.f, Vec3<S>::zero(), lower});
      page::add_turning(data, i, page::turning_at_rest(world));
    }
  }

 private:
  struct OnBody {
    Force<double> local, aligned, world;
    Mat3<double> arm;  ///< sum f x^T
  };
  Buffer<OnBody> wrench_;  ///< [n + 1]
};

}  // namespace zwang
