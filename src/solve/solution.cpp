// SPDX-License-Identifier: BSD-3-Clause
// Solution: the parts of a solve that belong to one constraint or to a group of them, and copies that keep them.
#include <algorithm>

#include "solve/solver_parts.hpp"

namespace zwang {
namespace {

/// The sum of K_b lambda over the moving bodies b, in world axes about a point of the world.
Force<double> wrench_on_robot(const SolverParts& s, const std::vector<Index>& members, const Vec3<double>& about) {
  const Problem& p = s.problem;
  const page::RowNumbers<double>& rows = p.rows;
  Force<double> sum = Force<double>::zero();
  const auto add = [&](Index k, Index body, Index at) {
    const bool is_member = std::find(members.begin(), members.end(), p.rows.constraint_of[k]) != members.end();
    if (body == 0 || !is_member) return;
    const Force<double> f = page::row_at(rows, at) * s.answer.lambda[k];
    const Vec3<double> arm = p.state.data.position.centre[p.state.data.tree().body[body].root] - about;
    sum += Force<double>{f.f, f.n + cross(arm, f.f)};
  };
  for (Index k = 0; k < rows.m; ++k) add(k, rows.body[k], rows.place[k]);
  for (Index j = 0; j < rows.further; ++j) add(rows.further_row[j], rows.further_body[j], rows.further_place[j]);
  if (!p.rows.traits.bounded || s.bounded == nullptr) return sum;
  const Problem& whole = s.bounded->chooser.whole;
  s.bounded->chooser.choice().for_each_wrench([&](Index k, Index body, const Force<double>& f) {
    if (std::find(members.begin(), members.end(), whole.rows.constraint_of[k]) == members.end()) return;
    const Vec3<double> arm = p.state.data.position.centre[p.state.data.tree().body[body].root] - about;
    sum += Force<double>{f.f, f.n + cross(arm, f.f)};
  });
  return sum;
}

/// A constraint of the last solve as users see it.
ConstraintSolution part_of(const SolverParts& s, Index c) {
  const Index row = s.problem.layout.first_row_of(c), rows = s.problem.layout.constraint(c).size();
  const auto rows_of = [&](const Buffer<double>& b) { return VectorView(b.data() + row, rows); };
  return {rows_of(s.numbers.multipliers),        VectorView(s.numbers.wrench.data() + 6 * c, 6),
          rows_of(s.certificate.residual),       rows_of(s.certificate.position_error),
          rows_of(s.certificate.velocity_error), s.numbers.power(s.problem, s.certificate, c)};
}

template <class Named> [[noreturn]] void throw_unknown(const char* kind, const std::string& name, const Named& all) {
  std::vector<std::string> known;
  for (const auto& x : all) known.push_back(x.name);
  detail::throw_unknown(kind, name, known);
}
[[noreturn]] void throw_empty() { throw std::logic_error("Solution: it is empty, no solver has filled it"); }
[[noreturn]] void throw_replaced() {
  throw std::logic_error("Solution: the set was replaced by another one since the last solve");
}
[[noreturn]] void throw_used() {
  throw std::logic_error("Solution::group: the solver's Data was used for another state since the last solve");
}

constexpr VectorView Solution::*k_views[] = {&Solution::acceleration,
                                             &Solution::multipliers,
                                             &Solution::motor_torque,
                                             &Solution::reaction,
                                             &Solution::articulated_constraint_torque,
                                             &Solution::residual,
                                             &Solution::position_error,
                                             &Solution::velocity_error};

/// A constraint in a copy.
struct KeptPart {
  std::string name;
  bool known;  ///< the last solve knew it
  Index row, rows;
  double wrench[6];
  Force<double> on_robot;  ///< world axes, about the world's origin
  double power;
};

}  // namespace

/// What the copies of a Solution own together.
struct KeptSolution {
  explicit KeptSolution(const SolverParts& s);
  void keep_names(SolveReport& report);

  std::vector<KeptPart> parts;
  std::vector<ConstraintGroup> groups;
  bool failed, used;            ///< there is no solution; the solver's Data was used before it was copied
  std::vector<double> numbers;  ///< of all views
  std::string names;            ///< all that the report refers to
};

KeptSolution::KeptSolution(const SolverParts& s) : failed(s.factor == nullptr), used(!failed && !s.has_factor()) {
  const RowLayout& layout = s.problem.layout;
  const auto& all = layout.constraints();
  for (Index c = 0; c < layout.count && c < static_cast<Index>(all.size()); ++c) {
    KeptPart x{layout.constraint(c).name, layout.knows(c), layout.first_row_of(c), 0, {}, Force<double>::zero(), 0};
    if (x.known) {
      const ConstraintSolution part = part_of(s, c);
      x.rows = static_cast<Index>(part.multipliers.size());
      std::copy_n(part.wrench.data(), 6, x.wrench);
      x.power = part.power;
      if (!failed && !used) x.on_robot = wrench_on_robot(s, {c}, Vec3<double>::zero());
    }
    parts.push_back(std::move(x));
  }
  groups = layout.set.groups();
  for (const auto view : k_views) {
    const VectorView& x = s.solution.*view;
    numbers.insert(numbers.end(), x.data(), x.data() + x.size());
  }
}

/// Copies the names that a report refers to, which belong to the set, and lets it refer to the copies.
void KeptSolution::keep_names(SolveReport& report) {
  std::size_t size = 0;
  for_each_name(report, [&](std::string_view name) { size += name.size(); });
  names.reserve(size);
  for_each_name(report, [&](std::string_view& name) {
    const std::size_t at = names.size();
    names.append(name);
    name = std::string_view(names.data() + at, name.size());
  });
}

Solution::Solution() = default;
Solution::~Solution() = default;
Solution::Solution(const Solution& other) : zwang(other.zwang), report(other.report), kept_(other.kept_) {
  if (other.parts_ != nullptr) {
    const auto kept = std::make_shared<KeptSolution>(*other.parts_);
    kept->keep_names(report);
    kept_ = kept;
  }
  const double* from = kept_ == nullptr ? nullptr : kept_->numbers.data();
  for (const auto view : k_views) {
    const auto size = (other.*view).size();
    new (&(this->*view)) VectorView(from, size);
    from += size;
  }
}

ConstraintSolution Solution::operator[](const std::string& name) const {
  if (parts_ == nullptr && kept_ == nullptr) throw_empty();
  if (kept_ != nullptr) {
    for (const KeptPart& x : kept_->parts) {
      if (x.name != name) continue;
      if (!x.known) throw_replaced();
      const auto rows_of = [&](const VectorView& all) { return VectorView(all.data() + x.row, x.rows); };
      return {rows_of(multipliers),    VectorView(x.wrench, 6), rows_of(residual),
              rows_of(position_error), rows_of(velocity_error), x.power};
    }
    throw_unknown("constraint", name, kept_->parts);
  }
  const RowLayout& layout = parts_->problem.layout;
  const auto& all = layout.constraints();
  for (Index c = 0; c < layout.count && c < static_cast<Index>(all.size()); ++c) {
    if (layout.constraint(c).name != name) continue;
    if (!layout.knows(c)) throw_replaced();
    return part_of(*parts_, c);
  }
  throw_unknown("constraint", name, all);
}

GroupSolution Solution::group(const std::string& name, const Vec3<double>& about) const {
  if (parts_ == nullptr && kept_ == nullptr) throw_empty();
  const std::vector<ConstraintGroup>& groups = kept_ != nullptr ? kept_->groups : parts_->problem.layout.set.groups();
  const auto group =
      std::find_if(groups.begin(), groups.end(), [&](const ConstraintGroup& g) { return g.name == name; });
  if (group == groups.end()) throw_unknown("group of constraints", name, groups);
  if (!is_finite(about.x + about.y + about.z))
    throw std::invalid_argument("Solution::group: the point 'about' is not finite");
  GroupSolution result{Force<double>::zero(), 0};
  if (kept_ != nullptr ? kept_->failed : parts_->factor == nullptr) return result;
  if (kept_ != nullptr ? kept_->used : !parts_->has_factor()) throw_used();
  if (kept_ == nullptr) {
    result.wrench = wrench_on_robot(*parts_, group->members, about);
    for (const Index c : group->members)  // only constraints that the last solve knew
      if (parts_->problem.layout.knows(c))
        result.power += parts_->numbers.power(parts_->problem, parts_->certificate, c);
    return result;
  }
  for (const Index c : group->members) {
    if (c >= static_cast<Index>(kept_->parts.size())) continue;
    const KeptPart& x = kept_->parts[static_cast<std::size_t>(c)];
    result.wrench += x.on_robot;
    result.power += x.power;
  }
  result.wrench.n -= cross(about, result.wrench.f);
  return result;
}

}  // namespace zwang
