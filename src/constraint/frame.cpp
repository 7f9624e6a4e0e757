// SPDX-License-Identifier: BSD-3-Clause
// FrameConstraint bound to the body of its frame; with a target, a loop between the frame and the world.
#include "constraint/bind.hpp"
#include "constraint/loop_geometry.hpp"

namespace zwang {
namespace {

/// Whether a frame cannot move; if so, its pose in the world.
bool is_fixed(const Tree<double>& tree, const Frame& frame, Transform<double>& X) {
  X = frame.in_body;
  for (Index i = frame.body.value; i > 0; i = tree.body[i].parent) {
    if (tree.body[i].nv > 0) return false;
    X = tree.body[i].placement * X;
  }
  return true;
}

/// The target with a rotation: what single precision or six digits of text leave of one is put right.
/// Throws for other matrices.
Transform<double> target_of(const FrameConstraint& f) {
  double numbers[12];
  for (int i = 0; i < 3; ++i) {
    numbers[9 + i] = f.target_pose.p[i];
    for (int j = 0; j < 3; ++j) numbers[3 * i + j] = f.target_pose.R[i][j];
  }
  detail::check_finite(numbers, 12, f.name, "target_pose");
  const Mat3<double> one = transpose(f.target_pose.R) * f.target_pose.R;
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) worst = std::fmax(worst, std::fabs(one[i][j] - (i == j ? 1.0 : 0.0)));
  if (worst > 1e-6 || dot(cross(column_x(f.target_pose.R), column_y(f.target_pose.R)), column_z(f.target_pose.R)) < 0)
    throw std::invalid_argument("constraint '" + f.name + "': target_pose: R is no rotation");
  if (f.acceleration == AccelerationKind::spatial)
    throw std::invalid_argument("constraint '" + f.name + "' with a target_pose: acceleration is classical");
  if (worst <= 1e-9) return f.target_pose;
  return {rotation(normalized(from_rotation(f.target_pose.R))), f.target_pose.p};
}

/// phi of types/frame.hpp: the frame whose axes the rows use is the first of the two.
std::shared_ptr<const Relation> to_target(const Model& model, const FrameConstraint& f, const Frame& frame) {
  const page::LoopGeometry geometry = loop_geometry(f.rows, f.name);
  const Transform<double> target = target_of(f);
  std::vector<double> matrix = f.rows.matrix;
  Transform<double> axes = Transform<double>::identity();
  if (f.in == "local") {
    for (double& x : matrix) x = -x;
    return detail::relation_of(geometry, {frame.body.value, frame.in_body}, {0, target}, matrix, page::Given::on_a);
  }
  const char* const why = f.in == "world" ? "' refers to the world's origin, where no error of position has these rates"
                                          : "' moves: a target wants axes that are the frame's own or fixed";
  if (f.in == "world" || (f.in != "local_world_aligned" && !is_fixed(model.tree<double>(), model.frame(f.in), axes)))
    throw std::invalid_argument("constraint '" + f.name + "' with a target_pose: in '" + f.in + why +
                                " (local, local_world_aligned, or a frame fixed in the world)");
  const Transform<double> turned{transpose(target.R) * axes.R, Vec3<double>::zero()};
  return detail::relation_of(geometry, {0, {axes.R, target.p}}, {frame.body.value, frame.in_body * turned}, matrix);
}

}  // namespace

Constraint bind(const Model& model, const FrameConstraint& f) {
  Constraint c = detail::begin(f, f.frame);
  const Frame& frame = model.frame(f.frame);
  c.in = f.in;
  c.acceleration = f.acceleration;
  detail::set_rows(c, f.rows.names, f.has_target ? nullptr : "target_pose");
  RowsOnBody r;
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
  c.rows_on_body = std::move(r);
  if (f.has_target) c.relation = to_target(model, f, frame);
  return c;
}

template Constraint& ConstraintSet::add(const FrameConstraint&);
template const FrameConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
