// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/bounds.hpp"

namespace zwang {

void BroadPhase::reserve(std::size_t count) {
  boxes_.reserve(count);
  order_.reserve(count);
  pairs_.reserve(8 * count);
}

const std::vector<std::pair<int, int>>& BroadPhase::pairs(const std::vector<Solid>& solids,
                                                          const std::vector<Transform<double>>& poses, double margin) {
  const std::size_t n = solids.size();
  boxes_.resize(n);
  if (order_.size() != n) {
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
  }
  Vec3<double> sum = Vec3<double>::zero(), squares = Vec3<double>::zero();
  for (std::size_t k = 0; k < n; ++k) {
    Box& b = boxes_[k];
    b.endless = !(solids[k].radius() < HUGE_VAL);
    geometry::bounding_box(solids[k].data(), poses[k], b.low, b.high);
    const Vec3<double> more{margin / 2, margin / 2, margin / 2};
    b.low = b.low - more, b.high = b.high + more;
    if (b.endless) continue;
    const Vec3<double> c = poses[k].p;
    sum += c;
    squares += Vec3<double>{c.x * c.x, c.y * c.y, c.z * c.z};
  }
  int axis = 0;
  const auto spread = [&](int k) { return squares[k] - sum[k] * sum[k] / static_cast<double>(n); };
  for (int k = 1; k < 3; ++k)
    if (spread(k) > spread(axis)) axis = k;
  const auto box = [&](int k) -> const Box& { return boxes_[static_cast<std::size_t>(k)]; };
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t k = i; k > 0 && box(order_[k]).low[axis] < box(order_[k - 1]).low[axis]; --k)
      std::swap(order_[k], order_[k - 1]);
  pairs_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Box& a = box(order_[i]);
    for (std::size_t k = i + 1; k < n; ++k) {
      const Box& b = box(order_[k]);
      if (b.low[axis] > a.high[axis]) break;
      bool meets = true;
      for (int c = 0; c < 3; ++c) meets = meets && !(b.low[c] > a.high[c]) && !(a.low[c] > b.high[c]);
      if (meets) pairs_.push_back(std::minmax(order_[i], order_[k]));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace zwang
