// SPDX-License-Identifier: BSD-3-Clause
// Solution: the parts of a solve that belong to one constraint or to a group of them.
#include <algorithm>

#include "dynamics/solver_parts.hpp"

namespace zwang {
namespace {

/// The sum of K_b lambda over the moving bodies b, in world axes about a point of the world.
Force<double> wrench_on_robot(const SolverParts& s, const std::vector<Index>& members, const Vec3<double>& about) {
  const Problem& p = s.problem;
  const page::RowStage<double>& rows = p.rows;
  Force<double> sum = Force<double>::zero();
  const auto add = [&](Index k, Index body, Index at) {
    const bool is_member = std::find(members.begin(), members.end(), p.reader.constraint_of[k]) != members.end();
    if (body == 0 || !is_member) return;
    const Force<double> f = page::row_at(rows, at) * s.answer.lambda[k];
    const Vec3<double> arm = p.data.position.centre[p.data.tree().body[body].root] - about;
    sum += Force<double>{f.f, f.n + cross(arm, f.f)};
  };
  for (Index k = 0; k < rows.m; ++k) add(k, rows.body[k], rows.place[k]);
  for (Index j = 0; j < rows.further; ++j) add(rows.further_row[j], rows.further_body[j], rows.further_place[j]);
  return sum;
}

}  // namespace

ConstraintSolution Solution::operator[](const std::string& name) const {
  const RowLayout& layout = parts_->problem.layout;
  const auto& all = layout.constraints();
  for (Index c = 0; c < layout.count && c < static_cast<Index>(all.size()); ++c) {
    const Constraint& x = layout.constraint(c);
    if (x.name != name) continue;
    if (!layout.knows(c)) throw std::logic_error("Solution: the set was replaced by another one since the last solve");
    const Index row = layout.first_row_of(c);
    const Certificate& certificate = parts_->certificate;
    const auto rows_of = [&](const Buffer<double>& b) { return VectorView(b.data() + row, x.size()); };
    return {rows_of(parts_->numbers.multipliers),
            Eigen::Map<const Eigen::Matrix<double, 6, 1, Eigen::DontAlign>>(parts_->numbers.wrench.data() + 6 * c),
            rows_of(certificate.residual),
            rows_of(certificate.position_error),
            rows_of(certificate.velocity_error),
            parts_->numbers.power(parts_->problem, certificate, c)};
  }
  std::vector<std::string> known;
  for (const Constraint& x : all) known.push_back(x.name);
  detail::throw_unknown("constraint", name, known);
}

GroupSolution Solution::group(const std::string& name, const Vec3<double>& about) const {
  const RowLayout& layout = parts_->problem.layout;
  const ConstraintGroup& group = layout.set.group(name);
  if (!is_finite(about.x + about.y + about.z))
    throw std::invalid_argument("Solution::group: the point 'about' is not finite");
  GroupSolution result{Force<double>::zero(), 0};
  if (parts_->factor == nullptr) return result;
  if (!parts_->has_factor())
    throw std::logic_error("Solution::group: the solver's Data was used for another state since the last solve");
  result.wrench = wrench_on_robot(*parts_, group.members, about);
  for (const Index c : group.members)  // only constraints that the last solve knew
    if (layout.knows(c)) result.power += parts_->numbers.power(parts_->problem, parts_->certificate, c);
  return result;
}

}  // namespace zwang
