// SPDX-License-Identifier: BSD-3-Clause
// Limits of joints, as the position solvers keep them.
#pragma once
#include <algorithm>
#include <kdl/jntarray.hpp>

namespace KDL::detail {

/// They leave a place for each joint. False for numbers that are none.
inline bool are_limits(const JntArray& low, const JntArray& high) {
  for (unsigned int j = 0; j < low.rows(); ++j)
    if (!(low(j) <= high(j))) return false;
  return true;
}

inline void put_within(const JntArray& low, const JntArray& high, JntArray& q) {
  for (unsigned int j = 0; j < q.rows(); ++j) q(j) = std::min(std::max(q(j), low(j)), high(j));
}

}  // namespace KDL::detail
