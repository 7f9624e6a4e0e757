// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/references.hpp"

#include <limits>

#include "algorithm/support.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang {
namespace {

/// The frame as the reference sees it, once positions are known.
Transform<double> seen_by(const Model& model, const Data& data, FrameIn frame, Reference reference) {
  if (reference == Reference::local) return Transform<double>::identity();
  const Transform<double> X = frame_pose(model, data, frame);
  return reference == Reference::world ? X : Transform<double>{X.R, Vec3<double>::zero()};
}

}  // namespace

Force<double> body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                            Reference reference) {
  const Force<double> momentum = body_momentum(model, data, q, v, frame);
  return detail::checked(Force<double>(seen_by(model, data, frame, reference) * momentum), "body_momentum");
}

Inertia<double> composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference) {
  const Inertia<double> I = composite_inertia(model, data, q, frame);
  const Inertia<double> seen = seen_by(model, data, frame, reference) * I;
  const double numbers[] = {seen.m,    seen.h.x,  seen.h.y,  seen.h.z,  seen.I.xx,
                            seen.I.xy, seen.I.xz, seen.I.yy, seen.I.yz, seen.I.zz};
  detail::check_result(numbers, 10, "composite_inertia");
  return seen;
}

void composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                            MatrixOut out) {
  composite_inertia_rate(model, data, q, v, frame, out);
  if (reference == Reference::local) return;
  const Transform<double> X = seen_by(model, data, frame, reference);
  double local[6][6];
  for (Index r = 0; r < 6; ++r)
    for (Index k = 0; k < 6; ++k) local[r][k] = out(r, k);
  for (Index k = 0; k < 6; ++k) {
    Motion<double> e = Motion<double>::zero();
    e[k] = 1;
    const Motion<double> here = inverse_times(X, e);
    Force<double> f = Force<double>::zero();
    for (Index r = 0; r < 6; ++r)
      for (Index i = 0; i < 6; ++i) f[r] += local[r][i] * here[i];
    const Force<double> column = X * f;
    for (Index r = 0; r < 6; ++r) out(r, k) = column[r];
  }
  detail::check_result(out, "composite_inertia_rate");
}

Force<double> joint_wrench(const Model& model, Data& data, VectorIn q, LinkId child, Reference reference) {
  const Force<double> wrench = joint_wrench(model, data, child);
  if (reference == Reference::local) return wrench;
  forward_kinematics(model, data, q);
  const FrameId frame = model.links()[static_cast<std::size_t>(child.value)].frame;
  return detail::checked(Force<double>(seen_by(model, data, frame, reference) * wrench), "joint_wrench");
}

void joint_wrenches(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, Reference reference,
                    MatrixOut out, ExternalsIn external, const JointEffects& effects) {
  const Index n = static_cast<Index>(model.joints().size());
  detail::check_matrix(out, 6, n, "joint_wrenches");
  inverse_dynamics(model, data, q, v, a, external, effects);
  Index k = 0;
  for (const Joint& j : model.joints()) {
    const bool merged = j.lumped || j.body.value == 0;
    for (Index i = 0; merged && i < 6; ++i) out(i, k) = std::numeric_limits<double>::quiet_NaN();
    if (!merged) {
      const Force<double> f = joint_wrench(model, data, j.child);
      for (Index i = 0; i < 6; ++i) out(i, k) = f[static_cast<int>(i)];
    }
    ++k;
  }
  if (reference == Reference::local) return;
  forward_kinematics(model, data, q);
  k = 0;
  for (const Joint& j : model.joints()) {
    const Index column = k++;
    if (j.lumped || j.body.value == 0) continue;
    const FrameId frame = model.links()[static_cast<std::size_t>(j.child.value)].frame;
    const Force<double> f{{out(0, column), out(1, column), out(2, column)},
                          {out(3, column), out(4, column), out(5, column)}};
    const Force<double> seen =
        detail::checked(Force<double>(seen_by(model, data, frame, reference) * f), "joint_wrenches");
    for (Index i = 0; i < 6; ++i) out(i, column) = seen[static_cast<int>(i)];
  }
}

Inertia<double> body_inertia(const Model& model, const Data& data, FrameIn id) {
  const Frame& frame = detail::frame_of(model, id, "body_inertia");
  detail::check_data(model, data, "body_inertia");
  if (frame.body.value == 0)
    throw std::invalid_argument("body_inertia: frame '" + frame.name +
                                "' belongs to the ground, expected one that moves");
  return inverse(frame.in_body) * data.inertia[frame.body.value];
}

}  // namespace zwang
