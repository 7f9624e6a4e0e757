// SPDX-License-Identifier: BSD-3-Clause
// Which of N solids may be near: boxes along the axes of the world, sorted by where they begin along the axis along
// which they are spread most (Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992, sweep and prune).
//
// The order is kept from call to call and mended by insertion: O(N) where little has changed. Nothing is allocated
// after reserve(). Half spaces and height fields, which have no end, are near everything.
#pragma once
#include <utility>
#include <vector>

#include "zwang/geometry/solid.hpp"

namespace zwang {

class BroadPhase {
 public:
  /// For so many solids; `solids` of the calls has this size.
  void reserve(std::size_t count);
  /// Pairs (i, k), i < k, of solids whose boxes, each larger by half the margin, meet: sorted. Valid until the next
  /// call. Grows beyond what is reserved only where there are more pairs than in any call before.
  const std::vector<std::pair<int, int>>& pairs(const std::vector<Solid>& solids,
                                                const std::vector<Transform<double>>& poses, double margin);

 private:
  struct Box {
    Vec3<double> low, high;
    bool endless = false;
  };
  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace zwang
