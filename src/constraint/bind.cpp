// SPDX-License-Identifier: BSD-3-Clause
// Constraints as users give them, bound to the bodies of a model.
#include <cmath>

#include "zwang/constraint/constraint_types.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

Constraint begin(const char* type, const std::string& name, const std::string& frame, Role role, bool active) {
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
std::vector<double> per_row(const Constraint& c, const std::vector<double>& given, const char* what) {
  std::vector<double> x = given;
  if (x.size() == 1) x.assign(c.beta.size(), given[0]);
  if (!x.empty() && x.size() != c.beta.size())
    detail::throw_size(("constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()),
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

void check_finite(const double* x, Index size, const std::string& constraint, const char* what) {
  for (Index k = 0; k < size; ++k)
    if (!std::isfinite(x[k])) detail::throw_not_finite(("constraint '" + constraint + "'").c_str(), what, k, x[k]);
}

void set_rows(Constraint& c, const std::vector<std::string>& names, const std::vector<double>& beta) {
  for (const std::string& row : names) c.row_names.push_back(c.name + ":" + row);
  c.beta = beta.empty() ? std::vector<double>(names.size(), 0.0) : beta;
  if (c.beta.size() != names.size())
    detail::throw_size(("constraint '" + c.name + "'").c_str(), "beta", static_cast<long>(c.beta.size()),
                       static_cast<long>(names.size()));
  check_finite(c.beta.data(), static_cast<Index>(c.beta.size()), c.name, "beta");
}

Vec3<double> unit(const Vec3<double>& a, const std::string& constraint, const char* what) {
  const double n = norm(a);
  if (!std::isfinite(n) || n <= 0)
    throw std::invalid_argument("constraint '" + constraint + "': the " + what + " has no direction (length " +
                                std::to_string(n) + ")");
  return a * (1 / n);
}

/// Two directions that make a right-handed set with n: `wanted` without its part along n, or the world axis least along
/// n.
Mat3<double> contact_axes(const Vec3<double>& n, const Vec3<double>& wanted, const std::string& constraint) {
  Vec3<double> t = wanted;
  if (dot(t, t) == 0) {
    const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
    t = x <= y && x <= z ? Vec3<double>{1, 0, 0} : y <= z ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  }
  t = unit(t - n * dot(t, n), constraint, "tangent");
  return from_columns(t, cross(n, t), n);
}

}  // namespace

Policy policy_of(const std::string& word) {
  for (const Policy p : {Policy::hard, Policy::early, Policy::soft})
    if (word == name_of(p)) return p;
  detail::throw_unknown("policy", word, {"hard", "early", "soft"});
}
const char* name_of(Policy policy) {
  return policy == Policy::hard ? "hard" : policy == Policy::early ? "early" : "soft";
}
Role role_of(const std::string& word) {
  if (word == "physical") return Role::physical;
  if (word == "driver") return Role::driver;
  detail::throw_unknown("role", word, {"physical", "driver"});
}
const char* name_of(Role role) { return role == Role::physical ? "physical" : "driver"; }

Constraint bind(const Model& model, const FrameConstraint& f) {
  Constraint c = begin("frame", f.name, f.frame, f.role, f.active);
  const Frame& frame = model.frame(f.frame);
  c.in = f.in;
  c.acceleration = f.acceleration;
  set_rows(c, f.rows.names, f.beta);
  set_policy(c, f);
  RowsOnBody& r = c.rows_on_body;
  r.body = frame.body.value;
  r.point = frame.in_body.p;
  r.matrix = f.rows.matrix;
  check_finite(r.matrix.data(), static_cast<Index>(r.matrix.size()), c.name, "rows");
  if (r.matrix.size() != 6 * f.rows.names.size())
    throw std::invalid_argument("constraint '" + c.name + "': " + std::to_string(f.rows.names.size()) +
                                " row names for a matrix of " + std::to_string(r.matrix.size()) + " numbers");
  if (f.in == "world") {
    r.about_world_origin = true;
  } else if (f.in != "local_world_aligned") {
    const Frame& axes = f.in == "local" ? frame : model.frame(f.in);
    r.axes = RowsOnBody::Axes::body;
    r.axes_body = axes.body.value;
    r.axes_in_body = axes.in_body.R;
  }
  return c;
}

Constraint bind(const Model& model, const ContactConstraint& f) {
  Constraint c = begin("contact", f.name, f.frame, f.role, f.active);
  const Frame& frame = model.frame(f.frame);
  if (f.rows < 1 || f.rows > 3)
    throw std::invalid_argument("constraint '" + c.name +
                                "': a contact has 1 row (normal), 2 (tangent 1, normal) or 3; got " +
                                std::to_string(f.rows));
  static const std::vector<std::string> k_names[3] = {
      {"normal"}, {"tangent1", "normal"}, {"tangent1", "tangent2", "normal"}};
  c.in = "local_world_aligned";
  c.unilateral = f.role == Role::physical;
  set_rows(c, k_names[f.rows - 1], f.beta);
  set_policy(c, f);
  const Mat3<double> axes = contact_axes(unit(f.normal, c.name, "normal"), f.tangent, c.name);
  const double point[3] = {f.point.x, f.point.y, f.point.z};
  check_finite(point, 3, c.name, "point");
  RowsOnBody& r = c.rows_on_body;
  r.body = frame.body.value;
  r.point = frame.in_body * f.point;
  const Vec3<double> directions[3] = {column_x(axes), column_y(axes), column_z(axes)};
  const int chosen[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 1, 2}};
  for (int i = 0; i < f.rows; ++i) {
    const Vec3<double>& d = directions[chosen[f.rows - 1][i]];
    r.matrix.insert(r.matrix.end(), {d.x, d.y, d.z, 0, 0, 0});
  }
  return c;
}

}  // namespace zwang
