// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/arrows.hpp"

#include <algorithm>

#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/model/data.hpp"

namespace zwang::viewer {

Arrows::Arrows(const Model& model, const ConstraintSet& set) : model_(model) {
  Index row = 0;
  for (const Constraint& x : set.constraints()) {
    if (!x.frame.value().empty() && (x.relation.value() != nullptr || !x.rows_on_body.value().matrix.empty())) {
      places_.push_back({&x, row});
      names_.push_back(x.name);
    }
    row += x.size();
  }
}

Transform<double> Arrows::body_pose(const Data& data, Index body) const {
  if (body != 0)
    for (const Link& link : model_.links())
      if (link.body.value == body) return frame_pose(model_, data, link.frame) * inverse(link.in_body);
  return Transform<double>::identity();
}

Arrow Arrows::on_body(const Data& data, const Constraint& x, const double* multipliers) const {
  const RowsOnBody& rows = x.rows_on_body;
  double w[6] = {0, 0, 0, 0, 0, 0};
  for (Index r = 0; r < x.size(); ++r)
    for (Index d = 0; d < 6; ++d) w[d] += rows.matrix[static_cast<std::size_t>(6 * r + d)] * multipliers[r];
  const Mat3<double> A = rows.axes == RowsOnBody::Axes::world ? Mat3<double>::identity()
                                                              : body_pose(data, rows.axes_body).R * rows.axes_in_body;
  Arrow out;
  if (!rows.about_world_origin) out.point = body_pose(data, rows.body) * rows.point;
  out.force = A * Vec3<double>{w[0], w[1], w[2]};
  out.moment = A * Vec3<double>{w[3], w[4], w[5]};
  return out;
}

Arrow Arrows::of_relation(const Data& data, const Constraint& x, const double* q, const double* multipliers) const {
  const Relation& relation = *x.relation.value();
  const std::vector<Index>& bodies = relation.bodies();
  const auto rows = static_cast<std::size_t>(x.size());
  std::vector<double> phi(rows), gamma(rows), v(static_cast<std::size_t>(model_.nv()));
  std::vector<Force<double>> K(rows * bodies.size());
  relation.evaluate(data, q, v.data(), {phi.data(), gamma.data(), K.data(), nullptr});
  // On the body of the first frame; where that is the ground, on that of the second one.
  for (const std::string& name : {x.frame.value(), x.other.value()}) {
    if (name.empty()) continue;
    const Frame& frame = model_.frame(name);
    const auto found = std::find(bodies.begin(), bodies.end(), frame.body.value);
    if (frame.body.value == 0 || found == bodies.end()) continue;
    Force<double> sum = Force<double>::zero();
    const Force<double>* const k = K.data() + static_cast<std::size_t>(found - bodies.begin()) * rows;
    for (std::size_t r = 0; r < rows; ++r) sum += k[r] * multipliers[r];
    const Vec3<double> point = frame_pose(model_, data, name).p;
    const Vec3<double> centre = data.position.centre[data.tree().body[frame.body.value].root];
    return {point, sum.f, sum.n - cross(point - centre, sum.f)};
  }
  return {};
}

std::vector<Arrow> Arrows::at(const Data& data, const double* q, const double* multipliers) const {
  std::vector<Arrow> out;
  for (const Place& p : places_) {
    const Constraint& x = *p.constraint;
    const double* const lambda = multipliers + p.first_row;
    out.push_back(x.relation.value() != nullptr ? of_relation(data, x, q, lambda) : on_body(data, x, lambda));
  }
  return out;
}

}  // namespace zwang::viewer
