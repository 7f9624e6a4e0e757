// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/kinematics.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"

namespace zwang {

namespace {
void keep(Data& data, VectorIn q) { std::copy_n(q.data(), data.q.size(), data.q.data()); }
}  // namespace

using detail::at_point, detail::between_centres;
using detail::check_data, detail::check_q, detail::check_v, detail::check_stage, detail::frame_of;

void forward_kinematics(const Model& model, Data& data, VectorIn q) {
  check_data(model, data, "forward_kinematics");
  check_q(model, q, "forward_kinematics");
  page::kinematics(data, q.data());
  keep(data, q);
}
void forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v) {
  check_data(model, data, "forward_kinematics");
  check_q(model, q, "forward_kinematics");
  check_v(model, v, "forward_kinematics", "v");
  page::kinematics(data, q.data(), v.data());
  keep(data, q);
}
void forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) {
  check_data(model, data, "forward_kinematics");
  check_q(model, q, "forward_kinematics");
  check_v(model, v, "forward_kinematics", "v");
  check_v(model, a, "forward_kinematics", "a");
  page::kinematics(data, q.data(), v.data(), a.data());
  keep(data, q);
}

Transform<double> frame_pose(const Model& model, const Data& data, FrameIn id) {
  check_data(model, data, "frame_pose");
  check_stage(data, stage_position, "frame_pose", "positions");
  const Frame& frame = frame_of(model, id, "frame_pose");
  Transform<double> X = page::frame_about_centre(data, frame.body.value, frame.in_body);
  X.p += data.position.centre[data.tree().body[frame.body.value].root];
  return detail::checked(X, "frame_pose");
}
Transform<double> frame_pose(const Model& model, Data& data, VectorIn q, FrameIn frame) {
  const FrameId id = detail::id_of(model, frame, "frame_pose");
  forward_kinematics(model, data, q);
  return frame_pose(model, data, id);
}

Motion<double> frame_velocity(const Model& model, const Data& data, FrameIn id, Reference reference) {
  check_data(model, data, "frame_velocity");
  check_stage(data, stage_velocity, "frame_velocity", "velocities");
  const Frame& frame = frame_of(model, id, "frame_velocity");
  const Index body = frame.body.value;
  return detail::checked(page::point_of_view(data, body, frame.in_body, reference).see(data.velocity.twist[body]),
                         "frame_velocity");
}

Motion<double> frame_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                              Reference reference) {
  const FrameId id = detail::id_of(model, frame, "frame_velocity");
  forward_kinematics(model, data, q, v);
  return frame_velocity(model, data, id, reference);
}

Motion<double> frame_acceleration(const Model& model, const Data& data, FrameIn id, AccelerationKind kind,
                                  Reference reference, bool with_gravity) {
  check_data(model, data, "frame_acceleration");
  check_stage(data, stage_acceleration, "frame_acceleration", "accelerations");
  const Frame& frame = frame_of(model, id, "frame_acceleration");
  const Index body = frame.body.value;
  const page::PointOfView<double> view = page::point_of_view(data, body, frame.in_body, reference);
  const Motion<double>& twist = data.velocity.twist[body];
  Motion<double> a = page::body_acceleration(data, body);
  if (body == 0) a = Motion<double>::zero();
  if (with_gravity) a.v -= data.gravity;
  if (kind == AccelerationKind::classical) a.v += cross(twist.w, twist.v + cross(twist.w, view.point));
  return detail::checked(view.see(a), "frame_acceleration");
}

Motion<double> frame_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                                  AccelerationKind kind, Reference reference, bool with_gravity) {
  const FrameId id = detail::id_of(model, frame, "frame_acceleration");
  forward_kinematics(model, data, q, v, a);
  return frame_acceleration(model, data, id, kind, reference, with_gravity);
}

void jacobian(const Model& model, Data& data, FrameIn id, Reference reference, MatrixOut out) {
  check_data(model, data, "jacobian");
  check_stage(data, stage_position, "jacobian", "positions");
  detail::check_matrix(out, 6, model.nv(), "jacobian");
  const Frame& frame = frame_of(model, id, "jacobian");
  if ((data.stages & stage_columns) == 0) page::columns_of_positions(data, data.q.data());
  const page::MatrixView<double> J{out.data(), 6, model.nv(), 1, static_cast<Index>(out.outerStride())};
  page::jacobian(data, frame.body.value, frame.in_body, reference, J);
  detail::check_result(out, "jacobian");
}

void jacobian(const Model& model, Data& data, VectorIn q, FrameIn id, Reference reference, MatrixOut out) {
  check_data(model, data, "jacobian");
  detail::check_q(model, q, "jacobian");
  detail::check_matrix(out, 6, model.nv(), "jacobian");
  const Frame& frame = frame_of(model, id, "jacobian");
  const double sum =
      page::frame_jacobian(data, q.data(), frame, reference, out.data(), static_cast<Index>(out.outerStride()));
  if (!(sum * 0 == 0)) [[unlikely]]
    detail::check_result(out, "jacobian");
}

void jacobian_at(const Model& model, Data& data, FrameIn id, const Vec3<double>& point, MatrixOut out) {
  check_data(model, data, "jacobian_at");
  check_stage(data, stage_position, "jacobian_at", "positions");
  detail::check_matrix(out, 6, model.nv(), "jacobian_at");
  const Frame& frame = frame_of(model, id, "jacobian_at");
  if ((data.stages & stage_columns) == 0) page::columns_of_positions(data, data.q.data());
  const Index body = frame.body.value;
  const Transform<double>& X = data.position.placement[body];
  const Vec3<double> about_centre = point - data.position.centre[data.tree().body[body].root];
  const Transform<double> at{Mat3<double>::identity(), transpose_times(X.R, about_centre - X.p)};
  const page::MatrixView<double> J{out.data(), 6, model.nv(), 1, static_cast<Index>(out.outerStride())};
  page::jacobian(data, body, at, Reference::local_world_aligned, J);
  detail::check_result(out, "jacobian_at");
}

Transform<double> relative_pose(const Model& model, const Data& data, FrameIn id, FrameIn seen_from) {
  check_data(model, data, "relative_pose");
  check_stage(data, stage_position, "relative_pose", "positions");
  const Frame &frame = frame_of(model, id, "relative_pose"), &from = frame_of(model, seen_from, "relative_pose");
  const Transform<double> X = page::frame_about_centre(data, frame.body.value, frame.in_body);
  const Transform<double> Y = page::frame_about_centre(data, from.body.value, from.in_body);
  const Vec3<double> p = X.p - Y.p + between_centres(data, from.body.value, frame.body.value);
  return detail::checked(Transform<double>{transpose(Y.R) * X.R, transpose_times(Y.R, p)}, "relative_pose");
}

Motion<double> relative_velocity(const Model& model, const Data& data, FrameIn id, FrameIn seen_from,
                                 Reference reference) {
  check_data(model, data, "relative_velocity");
  check_stage(data, stage_velocity, "relative_velocity", "velocities");
  const Frame& frame = frame_of(model, id, "relative_velocity");
  const Index body = frame.body.value, other = frame_of(model, seen_from, "relative_velocity").body.value;
  Motion<double> twist = data.velocity.twist[body];
  twist -= at_point(data.velocity.twist[other], between_centres(data, other, body));
  if (body == other) twist = Motion<double>::zero();
  return detail::checked(page::point_of_view(data, body, frame.in_body, reference).see(twist), "relative_velocity");
}

Transform<double> relative_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from) {
  const FrameId id = detail::id_of(model, frame, "relative_pose");
  const FrameId from = detail::id_of(model, seen_from, "relative_pose");
  forward_kinematics(model, data, q);
  return relative_pose(model, data, id, from);
}
Motion<double> relative_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                 FrameIn seen_from, Reference reference) {
  const FrameId id = detail::id_of(model, frame, "relative_velocity");
  const FrameId from = detail::id_of(model, seen_from, "relative_velocity");
  forward_kinematics(model, data, q, v);
  return relative_velocity(model, data, id, from, reference);
}
void relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                       Reference reference, MatrixOut out) {
  const FrameId id = detail::id_of(model, frame, "relative_jacobian");
  const FrameId from = detail::id_of(model, seen_from, "relative_jacobian");
  forward_kinematics(model, data, q);
  relative_jacobian(model, data, id, from, reference, out);
}
void jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point, MatrixOut out) {
  const FrameId id = detail::id_of(model, frame, "jacobian_at");
  forward_kinematics(model, data, q);
  jacobian_at(model, data, id, point, out);
}

void relative_jacobian(const Model& model, Data& data, FrameIn id, FrameIn seen_from, Reference reference,
                       MatrixOut out) {
  check_data(model, data, "relative_jacobian");
  check_stage(data, stage_position, "relative_jacobian", "positions");
  detail::check_matrix(out, 6, model.nv(), "relative_jacobian");
  const Frame& frame = frame_of(model, id, "relative_jacobian");
  const Index body = frame.body.value, other = frame_of(model, seen_from, "relative_jacobian").body.value;
  if ((data.stages & stage_columns) == 0) page::columns_of_positions(data, data.q.data());
  const page::MatrixView<double> J{out.data(), 6, model.nv(), 1, static_cast<Index>(out.outerStride())};
  page::clear(J);
  const page::PointOfView<double> view = page::point_of_view(data, body, frame.in_body, reference);
  const Tree<double>& tree = data.tree();
  const Vec3<double> shift = between_centres(data, other, body);
  // The paths are walked in step, the deeper body first, until they meet: joints beyond move both frames alike.
  for (Index i = body, j = other; i != j;) {
    const bool first = i > j;
    Index& k = first ? i : j;
    for (Index c = tree.body[k].v; c < tree.body[k].v + tree.body[k].nv; ++c) {
      const Motion<double>& s = data.articulated.column[c].s;
      const double sign = first ? tree.column[c].multiplier : -tree.column[c].multiplier;
      page::add_column(J, tree.column[c].v, view.see(first ? s : at_point(s, shift)), sign);
    }
    k = tree.body[k].parent;
  }
  detail::check_result(out, "relative_jacobian");
}

void jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn id, Reference reference,
                  MatrixOut out) {
  detail::check_matrix(out, 6, model.nv(), "jacobian_dot");
  const Frame& frame = frame_of(model, id, "jacobian_dot");
  forward_kinematics(model, data, q, v);
  const Tree<double>& tree = data.tree();
  const SweepInput<double> in{tree.mimic ? data.q_spanning.data() : q.data(), data.sin.data(), data.cos.data()};
  const double* vs = tree.mimic ? data.v_spanning.data() : v.data();
  const page::MatrixView<double> J{out.data(), 6, model.nv(), 1, static_cast<Index>(out.outerStride())};
  page::jacobian_dot(data, in, vs, frame.body.value, frame.in_body, reference, J);
  detail::check_result(out, "jacobian_dot");
}

}  // namespace zwang
