// SPDX-License-Identifier: BSD-3-Clause
// What the constraints of a group do together: the sum of K_b lambda over the bodies b that move.
#include <algorithm>

#include "dynamics/solver_impl.hpp"

namespace zwang {

Force<double> SolverImpl::wrench_on_robot(const std::vector<Index>& members, const Vec3<double>& about) const {
  Force<double> sum = Force<double>::zero();
  const auto add = [&](Index k, Index body, Index at) {
    if (body == 0 || std::find(members.begin(), members.end(), constraint_of[k]) == members.end()) return;
    const Force<double> f = page::row_at(rows, at) * lambda[row_of[k]];
    const Vec3<double> arm = data.position.centre[data.tree().body[body].root] - about;
    sum += Force<double>{f.f, f.n + cross(arm, f.f)};
  };
  for (Index k = 0; k < rows.m; ++k) add(k, rows.body[k], rows.place[k]);
  for (Index j = 0; j < rows.further; ++j) add(rows.further_row[j], rows.further_body[j], rows.further_place[j]);
  return sum;
}

GroupSolution Solution::group(const std::string& name, const Vec3<double>& about) const {
  const ConstraintGroup& group = impl_->set.group(name);
  if (!is_finite(about.x + about.y + about.z))
    throw std::invalid_argument("Solution::group: the point 'about' is not finite");
  GroupSolution result{Force<double>::zero(), 0};
  if (!impl_->factored) return result;
  if (!impl_->has_factor())
    throw std::logic_error("Solution::group: the solver's Data was used for another state since the last solve");
  result.wrench = impl_->wrench_on_robot(group.members, about);
  for (const Index c : group.members) {  // those that the last solve knew
    const auto k = static_cast<std::size_t>(c);
    if (c >= impl_->added || impl_->first_row[k + 1] - impl_->first_row[k] != impl_->constraint(c).size()) continue;
    result.power += impl_->power(c);
  }
  return result;
}

}  // namespace zwang
