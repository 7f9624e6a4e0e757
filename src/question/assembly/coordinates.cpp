// SPDX-License-Identifier: BSD-3-Clause
// AssemblyCoordinates: the coordinates that move, and their limits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/serial_chain.hpp"
#include "constraint/joint_columns.hpp"
#include "question/assembly/closest_point.hpp"

namespace zwang {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// Marks the coordinates of a name in `fixed` [nv] and their numbers in `kept` [nq].
void fix(const Model& model, const std::string& name, std::vector<bool>& fixed, std::vector<bool>& kept) {
  const auto mark = [](std::vector<bool>& list, Index from, Index count) {
    std::fill_n(list.begin() + from, count, true);
  };
  if (const JointId id = model.find_joint(name); id.value >= 0) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(id.value)];
    mark(fixed, joint.v.first, joint.v.size);
    mark(kept, joint.q.first, joint.q.size);
    return;
  }
  const std::vector<std::string>& names = model.coordinate_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::vector<std::string> known = model.joint_names();
    for (const std::string& other : names)
      if (std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
    detail::throw_unknown("Assembler: fixed: joint or coordinate", name, known);
  }
  const page::CoordinateColumn c = detail::coordinate_column(model, static_cast<Index>(found - names.begin()));
  if (c.q < 0)
    throw std::invalid_argument("Assembler: fixed: coordinate '" + name +
                                "' turns with the others of its joint; fix the whole joint, or hold it by a joint "
                                "constraint");
  mark(fixed, c.v, 1);
  mark(kept, c.q, 1);
}

}  // namespace

AssemblyCoordinates::AssemblyCoordinates(const Model& model, const AssemblySettings& settings)
    : free(model.nv()),
      kept_q(model.nq()),
      q_of(model.nv()),
      lower(model.nv()),
      upper(model.nv()),
      loose_q(model.nq()) {
  std::vector<bool> fixed(static_cast<std::size_t>(model.nv())), is_kept(static_cast<std::size_t>(model.nq()));
  for (const std::string& name : settings.fixed) fix(model, name, fixed, is_kept);
  std::vector<bool> limited = is_kept;  // numbers of q whose limits are searched for, or do not count
  for (Index v = 0; v < model.nv(); ++v) {
    if (fixed[static_cast<std::size_t>(v)]) continue;
    const Index q = detail::coordinate_column(model, v).q;
    free[count] = v;
    q_of[count] = -1;
    lower[count] = -k_infinity;
    upper[count] = k_infinity;
    if (q >= 0 && settings.limits) {
      const double low = model.lower()[static_cast<std::size_t>(q)], high = model.upper()[static_cast<std::size_t>(q)];
      LimitsKept{true, settings.limit_margin}.read(low, high, lower[count], upper[count]);
      if (std::isfinite(lower[count]) || std::isfinite(upper[count])) q_of[count] = q;
      limited[static_cast<std::size_t>(q)] = true;
    }
    ++count;
  }
  for (Index q = 0; q < model.nq(); ++q) {
    const auto k = static_cast<std::size_t>(q);
    if (is_kept[k]) kept_q[kept++] = q;
    if (settings.limits && !limited[k] && (std::isfinite(model.lower()[k]) || std::isfinite(model.upper()[k])))
      loose_q[loose++] = q;
  }
}

}  // namespace zwang
