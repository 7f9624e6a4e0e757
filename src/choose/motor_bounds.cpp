// SPDX-License-Identifier: BSD-3-Clause
#include "choose/motor_bounds.hpp"

namespace zwang {

MotorBounds::MotorBounds(Index nv)
    : coordinate(nv),
      lower(nv),
      upper(nv),
      unit(nv),
      slip(nv),
      growth(nv),
      at_limit(nv) {}

void MotorBounds::choose(const Problem& whole, const MotorLimits& limits, const double* J) {
  const Index nv = lower.size();
  forget();
  count = 0;
  for (Index y = 0; !limits.empty() && y < nv; ++y) {
    const auto at = static_cast<std::size_t>(y);
    lower[y] = limits.lower[at] - whole.state.tau[y];
    upper[y] = limits.upper[at] - whole.state.tau[y];
    bool used = is_finite(lower[y]) || is_finite(upper[y]);
    used = used && !(whole.state.prescribed.any && whole.state.prescribed.is[y]);
    bool driven = false;
    for (Index k = 0; used && k < whole.rows.m; ++k)
      driven = driven || (whole.rows.role[k] == Role::driver && J[k * nv + y] != 0);
    if (driven) coordinate[count++] = y;
  }
}

void MotorBounds::write(const Problem& whole, const double* J, Index first_coordinate, ActiveSet& set) const {
  const Index nv = lower.size(), rows = whole.rows.m;
  for (Index i = 0; i < count; ++i) {
    const Index y = coordinate[i];
    for (Index k = 0; k < rows; ++k)
      if (whole.rows.role[k] == Role::driver) set.row(k)[first_coordinate + i] = -unit[i] * J[k * nv + y];
    set.row(rows + i)[first_coordinate + i] = unit[i];
    set.lower[rows + i] = lower[y];
    set.upper[rows + i] = upper[y];
    set.b[rows + i] = 0;
  }
}

void MotorBounds::take(Index rows, Index first_coordinate, const ActiveSet& set) {
  for (Index i = 0; i < count; ++i) {
    const Index y = coordinate[i];
    at_limit[y] = set.at(rows + i) != ActiveSet::At::inside;
    growth[y] = -unit[i] * set.growth(first_coordinate + i);
    slip[y] = at_limit[y] ? -unit[i] * set.motion(first_coordinate + i) : 0.0;
  }
}

}  // namespace zwang
