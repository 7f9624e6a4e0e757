// SPDX-License-Identifier: BSD-3-Clause
// FrameConstraint bound to the body of its frame.
#include "constraint/bind.hpp"

namespace zwang {

Constraint bind(const Model& model, const FrameConstraint& f) {
  Constraint c = detail::begin("frame", f.name, f.frame, f.role, f.active);
  const Frame& frame = model.frame(f.frame);
  c.in = f.in;
  c.acceleration = f.acceleration;
  detail::set_rows(c, f.rows.names, f.beta);
  detail::set_policy(c, f);
  RowsOnBody& r = c.rows_on_body;
  r.body = frame.body.value;
  r.point = frame.in_body.p;
  r.matrix = f.rows.matrix;
  detail::check_finite(r.matrix.data(), static_cast<Index>(r.matrix.size()), c.name, "rows");
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

}  // namespace zwang
