// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/zero_moment_point.hpp"

#include <cmath>
#include <limits>

#include "algorithm/support.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang {
namespace {

double length(const Vec3<double>& x) { return std::hypot(std::hypot(x.x, x.y), x.z); }

void check_finite(const char* name, const Vec3<double>& x) {
  for (int k = 0; k < 3; ++k)
    if (!is_finite(x[k])) detail::throw_not_finite("centre_of_pressure", name, k, x[k]);
}

}  // namespace

CentreOfPressure centre_of_pressure(const Force<double>& wrench, const Vec3<double>& about, const Vec3<double>& normal,
                                    const Vec3<double>& point, double force_scale) {
  check_finite("wrench", wrench.f);
  check_finite("wrench", wrench.n);
  check_finite("about", about);
  check_finite("normal", normal);
  check_finite("point", point);
  const double size = length(normal);
  if (!(size > 0)) throw std::invalid_argument("centre_of_pressure: argument 'normal' is zero, expected a direction");
  const Vec3<double> e = normal * (1 / size), &f = wrench.f;
  const Vec3<double> n = wrench.n + cross(about - point, f);
  const double pressed = dot(e, f);
  CentreOfPressure out;
  out.normal_force = pressed;
  if (!(std::fabs(pressed) > 64 * epsilon_of<double> * std::fmax(length(f), force_scale))) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    out.point = {nan, nan, nan};
    out.normal_moment = nan;
    return out;
  }
  const Vec3<double> arm = cross(e, n) * (1 / pressed);
  out.point = point + arm;
  out.normal_moment = dot(e, n - cross(arm, f));
  out.pressure = pressed > 0 ? Pressure::pressing : Pressure::pulling;
  const double numbers[] = {out.point.x, out.point.y, out.point.z, out.normal_moment, pressed};
  detail::check_result(numbers, 5, "centre_of_pressure");
  return out;
}

CentreOfPressure zero_moment_point(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                   const Vec3<double>& normal, const Vec3<double>& point, ExternalsIn external) {
  FrameId root;
  for (const Link& link : model.links())
    if (link.parent.value < 0) root = link.frame;
  const Force<double> local = supported_force(model, data, q, v, a, root, external);
  const Transform<double> X = frame_pose(model, data, root);
  // What the inertia of the links and gravity are each: their difference has the rounding of the larger one.
  double mass = 0;
  for (Index k = 0; k < static_cast<Index>(model.links().size()); ++k) mass += data.link_inertia(LinkId{k}).m;
  double scale = mass * length(data.gravity);
  for (const ExternalWrench* w = external.data(); w != external.data() + external.size(); ++w)
    scale = std::fmax(scale, length({w->wrench[0], w->wrench[1], w->wrench[2]}));
  return centre_of_pressure({X.R * local.f, X.R * local.n}, X.p, normal, point, scale);
}

}  // namespace zwang
