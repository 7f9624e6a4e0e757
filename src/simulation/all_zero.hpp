// SPDX-License-Identifier: BSD-3-Clause
// Whether numbers are all 0.
#pragma once
#include <algorithm>
#include <vector>

#include "zwang/core/config.hpp"

namespace zwang {

inline bool all_zero(const double* x, Index n) {
  return std::all_of(x, x + n, [](double y) { return y == 0; });
}
inline bool all_zero(const std::vector<double>& x) { return all_zero(x.data(), static_cast<Index>(x.size())); }

}  // namespace zwang
