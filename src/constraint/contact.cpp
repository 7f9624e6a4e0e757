// SPDX-License-Identifier: BSD-3-Clause
// ContactConstraint bound to the body of its point.
#include "constraint/bind.hpp"

namespace zwang {

Constraint bind(const Model& model, const ContactConstraint& f) {
  Constraint c = detail::begin("contact", f.name, f.frame, f.role, f.active);
  const Frame& frame = model.frame(f.frame);
  if (f.rows < 1 || f.rows > 3)
    throw std::invalid_argument("constraint '" + c.name +
                                "': a contact has 1 row (normal), 2 (tangent 1, normal) or 3; got " +
                                std::to_string(f.rows));
  static const std::vector<std::string> k_names[3] = {
      {"normal"}, {"tangent1", "normal"}, {"tangent1", "tangent2", "normal"}};
  c.in = "local_world_aligned";
  c.unilateral = f.role == Role::physical;
  detail::set_rows(c, k_names[f.rows - 1], f.beta);
  detail::set_policy(c, f);
  const Mat3<double> axes = detail::axes_along(detail::unit(f.normal, c.name, "normal"), f.tangent, c.name);
  const double point[3] = {f.point.x, f.point.y, f.point.z};
  detail::check_finite(point, 3, c.name, "point");
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
