// SPDX-License-Identifier: BSD-3-Clause
// worse(a, b): the larger of two differences, where NaN is worse than any number (std::max and fmax lose it).
#pragma once
#include <cmath>

namespace zwang::test {

inline double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }
template <class... T> double worse(double a, double b, double c, T... more) { return worse(worse(a, b), c, more...); }

}  // namespace zwang::test
