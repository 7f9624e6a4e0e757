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

/// The size of the forces that supported_force() adds for a link. With d the distance of its centre of mass from
/// `about`, a and v of the link's frame:  m (|a| + |alpha| d + |w| (|v| + |w| d)) + m |g| (1 + |gravity_scale - 1|).
double force_terms(const Model& model, const Data& data, LinkId link, const Vec3<double>& about) {
  const FrameId frame = model.links()[static_cast<std::size_t>(link.value)].frame;
  const Transform<double> X = frame_pose(model, data, frame);
  const Motion<double> v = frame_velocity(model, data, frame);
  const Motion<double> a = frame_acceleration(model, data, frame, AccelerationKind::classical);
  const Inertia<double> I = data.link_inertia(link);
  const double md = length(X.R * I.h + (X.p - about) * I.m), w = length(v.w);
  const double weight = length(data.gravity) * (1 + std::fabs(data.tree().link[link.value].excess));
  return I.m * (length(a.v) + w * length(v.v) + weight) + (length(a.w) + w * w) * md;
}

/// The wrench on the whole robot about the frame of its first root link, world axes.
struct Whole {
  Force<double> wrench = Force<double>::zero();
  Vec3<double> about{0, 0, 0};
};
Whole whole_wrench(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, ExternalsIn external) {
  Whole whole;
  bool is_first = true;
  for (const Link& link : model.links()) {
    if (link.parent) continue;
    const Force<double> local = supported_force(model, data, q, v, a, link.frame, external);
    const Transform<double> X = frame_pose(model, data, link.frame);
    if (is_first) whole.about = X.p;
    is_first = false;
    const Vec3<double> f = X.R * local.f;
    whole.wrench += Force<double>{f, X.R * local.n + cross(X.p - whole.about, f)};
  }
  return whole;
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
  const Whole whole = whole_wrench(model, data, q, v, a, external);
  // The wrench is a sum, which has the rounding of its terms.
  double scale = 0;
  for (Index k = 0; k < static_cast<Index>(model.links().size()); ++k)
    scale += force_terms(model, data, LinkId{k}, whole.about);
  for (const ExternalWrench* w = external.data(); w != external.data() + external.size(); ++w)
    scale += length({w->wrench[0], w->wrench[1], w->wrench[2]});
  return centre_of_pressure(whole.wrench, whole.about, normal, point, scale);
}

}  // namespace zwang
