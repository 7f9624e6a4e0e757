// SPDX-License-Identifier: BSD-3-Clause
// Common steps of binding a constraint of any type to a model.
#pragma once
#include <cmath>

#include "constraint/constraint_state.hpp"
#include "zwang/core/error.hpp"

namespace zwang::detail {

/// The name and the options that all types share, as the struct has them; checked when the rows are known.
template <class Type> Constraint begin(const Type& f, const std::string& frame) {
  if (f.name.empty()) throw std::invalid_argument(std::string(Type::k_type) + " constraint: the name is empty");
  Constraint c;
  c.name = f.name;
  c.type = Type::k_type;
  c.frame = frame;
  copy_options(c, f);
  return c;
}

inline void check_finite(const double* x, Index size, const std::string& constraint, const char* what) {
  for (Index k = 0; k < size; ++k)
    if (!std::isfinite(x[k])) throw_not_finite(("constraint '" + constraint + "'").c_str(), what, k, x[k]);
}

/// One entry for each row, from none, one for all rows, or one per row.
inline void per_row(const Constraint& c, Tracked<std::vector<double>>& x, const char* what) {
  if (x.size() == 1) {
    const double of_all = x.front();  // a copy: assign() may not take a reference into its own memory
    x.assign(c.beta.size(), of_all);
  }
  if (!x.empty() && x.size() != c.beta.size())
    throw_size(("constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()),
               static_cast<long>(c.beta.size()));
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!(x[k] > 0) || !std::isfinite(x.value()[k]))
      throw std::invalid_argument("constraint '" + c.name + "': " + what + "[" + std::to_string(k) +
                                  "] is positive and finite; got " + std::to_string(x[k]));
}

/// A sense for each row. Of rows along tangents and a normal, the last, one word is that of the normal.
inline void check_senses(Constraint& c, bool last_is_normal) {
  std::vector<Sense> all = c.sense;
  if (all.size() == 1 && c.beta.size() > 1) {
    const Sense word = all.front();
    all.assign(c.beta.size(), last_is_normal ? Sense::equal : word);
    all.back() = word;
    c.sense = all;
  }
  if (!all.empty() && all.size() != c.beta.size())
    throw_size(("constraint '" + c.name + "'").c_str(), "sense", static_cast<long>(all.size()),
               static_cast<long>(c.beta.size()));
  for (const Sense s : all)
    if (s != Sense::equal && s != Sense::at_least && s != Sense::at_most)
      throw std::invalid_argument("constraint '" + c.name + "': sense is not one of equal, at_least, at_most");
}

/// Options that are numbers of this form, against the rows.
inline void complete(Constraint& c, KeyForm which) {
  const auto one = [&]<class X>(const RowOption& option, Tracked<X> Constraint::*member) {
    if constexpr (std::is_same_v<X, std::vector<double>>) {
      Tracked<X>& x = c.*member;
      if (option.form != which) return;
      if (which == KeyForm::positive) return per_row(c, x, option.name);
      if (which == KeyForm::or_zeros && x.empty()) x.assign(c.row_names.size(), 0.0);
      if (!x.empty() && x.size() != c.row_names.size())
        throw_size(("constraint '" + c.name + "'").c_str(), option.name, static_cast<long>(x.size()),
                   static_cast<long>(c.row_names.size()));
      check_finite(x.data(), static_cast<Index>(x.size()), c.name, option.name);
    }
  };
  for_each_option(one, Type<Constraint>());
}

inline void check_stabilisation(const Constraint& c) {
  const Stabilisation& s = c.stabilisation;
  if (!(s.time_constant >= 0) || !std::isfinite(s.time_constant))
    throw std::invalid_argument("constraint '" + c.name + "': time_constant is >= 0 and finite; got " +
                                std::to_string(s.time_constant));
  if (!(s.damping_ratio >= 0) || !std::isfinite(s.damping_ratio))
    throw std::invalid_argument("constraint '" + c.name + "': damping_ratio is >= 0 and finite; got " +
                                std::to_string(s.damping_ratio));
}

/// Before anything is made for the rows.
inline void check_row_count(const std::string& constraint, std::size_t count) {
  if (count > static_cast<std::size_t>(k_most_rows))
    throw std::invalid_argument("constraint '" + constraint + "': rows: there are at most " +
                                std::to_string(k_most_rows) + "; got " + std::to_string(count));
}

/// Names the rows; checks what begin() took against them and completes it. `needs`: what stabilisation and targets
/// require and the struct lacks, or nullptr.
inline void set_rows(Constraint& c, const std::vector<std::string>& names, const char* needs = nullptr) {
  if (names.empty()) throw std::invalid_argument("constraint '" + c.name + "': it has no rows");
  check_row_count(c.name, names.size());
  for (const std::string& row : names) c.row_names.push_back(c.name + ":" + row);
  complete(c, KeyForm::or_zeros);
  complete(c, KeyForm::positive);
  check_senses(c, names.size() > 1 && names.back() == "normal");
  if (c.priority < 0)
    throw std::invalid_argument("constraint '" + c.name + "': priority is " + std::to_string(c.priority) +
                                "; 0 is the highest");
  if (c.policy == Policy::soft && c.compliance.empty())
    throw std::invalid_argument("constraint '" + c.name + "': policy soft needs a compliance");
  if (c.policy != Policy::soft && c.policy != Policy::hard && c.policy != Policy::early)
    throw std::invalid_argument("constraint '" + c.name + "': policy is not one of hard, early, soft");
  if (needs != nullptr && (c.stabilisation.time_constant != 0 || !c.target.empty() || !c.target_velocity.empty()))
    throw std::invalid_argument("constraint '" + c.name + "': stabilisation, target and target_velocity need a " +
                                needs + " (has_target)");
  check_stabilisation(c);
  complete(c, KeyForm::per_row);
}

inline Vec3<double> unit(const Vec3<double>& a, const std::string& constraint, const char* what) {
  const double n = norm(a);
  if (!std::isfinite(n) || n <= 0)
    throw std::invalid_argument("constraint '" + constraint + "': the " + what + " has no direction (length " +
                                std::to_string(n) + ")");
  return a * (1 / n);
}

/// Columns t1, t2, n of a right-handed set: t1 is the part of `wanted` normal to n, or made from the axis with the
/// smallest component along n.
inline Mat3<double> axes_along(const Vec3<double>& n, const Vec3<double>& wanted, const std::string& constraint) {
  Vec3<double> t = wanted;
  if (dot(t, t) == 0) {
    const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
    t = x <= y && x <= z ? Vec3<double>{1, 0, 0} : y <= z ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  }
  t = unit(t - n * dot(t, n), constraint, "tangent");
  return from_columns(t, cross(n, t), n);
}

}  // namespace zwang::detail
