// SPDX-License-Identifier: BSD-3-Clause
// ContactConstraint bound to the body of its point; with a target, also to the body that carries the target.
#include "constraint/bind.hpp"
#include "constraint/page_relation.hpp"

namespace zwang {
namespace {

/// A number, of a point whose normal row alone has a sense.
void check_friction(const Constraint& c) {
  const double mu = c.friction->value();
  const std::string who = "constraint '" + c.name + "': ";
  if (!(mu >= 0) || !std::isfinite(mu))
    throw std::invalid_argument(who + "friction is a number >= 0; got " + std::to_string(mu));
  if (c.size() != 3 || c.sense != std::vector<Sense>{Sense::equal, Sense::equal, Sense::at_least})
    throw std::invalid_argument(who + "friction is of 3 rows with the sense at_least, which is that of the normal");
}

}  // namespace

Constraint bind(const Model& model, const ContactConstraint& f) {
  Constraint c = detail::begin(f, f.frame);
  const Frame& frame = model.frame(f.frame);
  if (f.rows < 1 || f.rows > 3)
    throw std::invalid_argument("constraint '" + c.name +
                                "': a contact has 1 row (normal), 2 (tangent 1, normal) or 3; got " +
                                std::to_string(f.rows));
  static const std::vector<std::string> k_names[3] = {
      {"normal"}, {"tangent1", "normal"}, {"tangent1", "tangent2", "normal"}};
  c.in = "local_world_aligned";
  c.unilateral = f.role == Role::physical;
  detail::set_rows(c, k_names[f.rows - 1], f.has_target ? nullptr : "target_point");
  c.friction = f.friction;
  if (f.friction) check_friction(c);
  const Mat3<double> axes = detail::axes_along(detail::unit(f.normal, c.name, "normal"), f.tangent, c.name);
  const double point[3] = {f.point.x, f.point.y, f.point.z};
  detail::check_finite(point, 3, c.name, "point");
  RowsOnBody r;
  r.body = frame.body.value;
  r.point = frame.in_body * f.point;
  const Vec3<double> directions[3] = {column_x(axes), column_y(axes), column_z(axes)};
  const int chosen[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 1, 2}};
  std::vector<double> of_errors;
  for (int i = 0; i < f.rows; ++i) {
    const Vec3<double>& d = directions[chosen[f.rows - 1][i]];
    r.matrix.insert(r.matrix.end(), {d.x, d.y, d.z, 0, 0, 0});
    of_errors.insert(of_errors.end(), {d.x, d.y, d.z});
  }
  c.rows_on_body = r;
  if (f.has_target) {
    const double target[3] = {f.target_point.x, f.target_point.y, f.target_point.z};
    detail::check_finite(target, 3, c.name, "target_point");
    const Mat3<double> one = Mat3<double>::identity();
    c.relation =
        detail::relation_of(page::PointGeometry{}, {0, {one, f.target_point}}, {r.body, {one, r.point}}, of_errors);
  }
  return c;
}

template Constraint& ConstraintSet::add(const ContactConstraint&);
template const ContactConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
