// SPDX-License-Identifier: BSD-3-Clause
// DistanceConstraint: its geometry, with frames whose origins are the two points.
#include "constraint/bind.hpp"
#include "constraint/page_relation.hpp"

namespace zwang {
Constraint bind(const Model& model, const DistanceConstraint& f) {
  Constraint c = detail::begin(f, f.frame);
  const Frame &a = model.frame(f.frame), &b = model.frame(f.other);
  c.other = f.other;
  c.in = "local";
  const double numbers[6] = {f.point.x, f.point.y, f.point.z, f.other_point.x, f.other_point.y, f.other_point.z};
  detail::check_finite(numbers, 3, c.name, "point");
  detail::check_finite(numbers + 3, 3, c.name, "other_point");
  if (!(f.length > 0) || !std::isfinite(f.length))
    throw std::invalid_argument("constraint '" + c.name + "': length is > 0 and finite; got " +
                                std::to_string(f.length) +
                                " (points that shall coincide are held by a loop of joint_rows(\"ball\"))");
  detail::set_rows(c, {"distance"});
  const auto at = [](const Frame& frame, const Vec3<double>& point) {
    return page::BodyFrame{frame.body.value, frame.in_body * Transform<double>{Mat3<double>::identity(), point}};
  };
  c.relation = detail::relation_of(page::DistanceGeometry{f.length}, at(a, f.point), at(b, f.other_point), {1.0});
  return c;
}

template Constraint& ConstraintSet::add(const DistanceConstraint&);
template const DistanceConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
