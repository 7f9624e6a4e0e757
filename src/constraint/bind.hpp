// SPDX-License-Identifier: BSD-3-Clause
// What binding a constraint of any type to a model has in common.
#pragma once
#include <cmath>

#include "zwang/constraint/constraint_types.hpp"
#include "zwang/core/error.hpp"

namespace zwang::detail {

inline Constraint begin(const char* type, const std::string& name, const std::string& frame, Role role, bool active) {
  if (name.empty()) throw std::invalid_argument(std::string(type) + " constraint: the name is empty");
  Constraint c;
  c.name = name;
  c.type = type;
  c.frame = frame;
  c.role = role;
  c.active = active;
  return c;
}

/// One entry for each of the rows: none, one for all, or as many as there are.
inline std::vector<double> per_row(const Constraint& c, const std::vector<double>& given, const char* what) {
  std::vector<double> x = given;
  if (x.size() == 1) x.assign(c.beta.size(), given[0]);
  if (!x.empty() && x.size() != c.beta.size())
    throw_size(("constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()),
               static_cast<long>(c.beta.size()));
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!(x[k] > 0) || !std::isfinite(x[k]))
      throw std::invalid_argument("constraint '" + c.name + "': " + what + "[" + std::to_string(k) +
                                  "] is positive and finite; got " + std::to_string(x[k]));
  return x;
}

/// How the rows are held, for every type alike.
template <class Type> void set_policy(Constraint& c, const Type& f) {
  c.policy = f.policy;
  c.priority = f.priority;
  c.compensate = f.compensate;
  c.compliance = per_row(c, f.compliance, "compliance");
  c.weight = per_row(c, f.weight, "weight");
  if (f.priority < 0)
    throw std::invalid_argument("constraint '" + c.name + "': priority is " + std::to_string(f.priority) +
                                "; 0 is the highest");
  if (f.policy == Policy::soft && c.compliance.empty())
    throw std::invalid_argument("constraint '" + c.name + "': policy soft needs a compliance");
  if (f.policy != Policy::soft && f.policy != Policy::hard && f.policy != Policy::early)
    throw std::invalid_argument("constraint '" + c.name + "': policy is not one of hard, early, soft");
}

inline void check_finite(const double* x, Index size, const std::string& constraint, const char* what) {
  for (Index k = 0; k < size; ++k)
    if (!std::isfinite(x[k])) throw_not_finite(("constraint '" + constraint + "'").c_str(), what, k, x[k]);
}

inline void set_rows(Constraint& c, const std::vector<std::string>& names, const std::vector<double>& beta) {
  if (names.empty()) throw std::invalid_argument("constraint '" + c.name + "': it has no rows");
  for (const std::string& row : names) c.row_names.push_back(c.name + ":" + row);
  c.beta = beta.empty() ? std::vector<double>(names.size(), 0.0) : beta;
  if (c.beta.size() != names.size())
    throw_size(("constraint '" + c.name + "'").c_str(), "beta", static_cast<long>(c.beta.size()),
               static_cast<long>(names.size()));
  check_finite(c.beta.data(), static_cast<Index>(c.beta.size()), c.name, "beta");
}

inline Vec3<double> unit(const Vec3<double>& a, const std::string& constraint, const char* what) {
  const double n = norm(a);
  if (!std::isfinite(n) || n <= 0)
    throw std::invalid_argument("constraint '" + constraint + "': the " + what + " has no direction (length " +
                                std::to_string(n) + ")");
  return a * (1 / n);
}

/// Columns t1, t2, n: two directions that make a right-handed set with n, t1 being `wanted` without its part along n, or
/// the axis least along n.
inline Mat3<double> axes_along(const Vec3<double>& n, const Vec3<double>& wanted, const std::string& constraint) {
  Vec3<double> t = wanted;
  if (dot(t, t) == 0) {
    const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
    t = x <= y && x <= z ? Vec3<double>{1, 0, 0} : y <= z ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  }
  t = unit(t - n * dot(t, n), constraint, "tangent");
  return from_columns(t, cross(n, t), n);
}

/// Targets and stabilisation of constraints that have a position error.
template <class Type> void set_errors(Constraint& c, const Type& f) {
  c.stabilisation = f.stabilisation;
  if (!(f.stabilisation.time_constant >= 0) || !std::isfinite(f.stabilisation.time_constant))
    throw std::invalid_argument("constraint '" + c.name + "': time_constant is >= 0 and finite; got " +
                                std::to_string(f.stabilisation.time_constant));
  if (!(f.stabilisation.damping_ratio >= 0) || !std::isfinite(f.stabilisation.damping_ratio))
    throw std::invalid_argument("constraint '" + c.name + "': damping_ratio is >= 0 and finite; got " +
                                std::to_string(f.stabilisation.damping_ratio));
  const auto set = [&](std::vector<double>& to, const std::vector<double>& from, const char* what) {
    to = from;
    if (!to.empty() && to.size() != c.beta.size())
      throw_size(("constraint '" + c.name + "'").c_str(), what, static_cast<long>(to.size()),
                 static_cast<long>(c.beta.size()));
    check_finite(to.data(), static_cast<Index>(to.size()), c.name, what);
  };
  set(c.target, f.target, "target");
  set(c.target_velocity, f.target_velocity, "target_velocity");
}

/// The same for types that have a position error where a target is given alone.
template <class Type> void set_errors_of_target(Constraint& c, const Type& f, const char* target) {
  if (!f.has_target && (f.stabilisation.time_constant != 0 || !f.target.empty() || !f.target_velocity.empty()))
    throw std::invalid_argument("constraint '" + c.name + "': stabilisation, target and target_velocity need a " +
                                target + " (has_target)");
  set_errors(c, f);
}

}  // namespace zwang::detail
