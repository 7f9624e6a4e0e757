// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/supported.hpp"

#include "algorithm/support.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/page/applied.hpp"
#include "zwang/algorithm/page/kinematics.hpp"

namespace zwang {
namespace {

using detail::between_centres;

bool carries(const Model& model, LinkId link, LinkId other) {
  while (other.value >= 0 && other != link) other = model.links()[static_cast<std::size_t>(other.value)].parent;
  return other.value >= 0;
}

/// The frame, and the bodies as it sees them: its axes, its origin.
struct View {
  const Data& data;
  const Frame& frame;
  Transform<double> X = page::frame_about_centre(data, frame.body.value, frame.in_body);

  Transform<double> pose(Index body) const {
    Transform<double> at = data.position.placement[body];
    at.p += between_centres(data, frame.body.value, body);
    return inverse(X) * at;
  }
  Motion<double> motion(Index body, const Motion<double>& about_centre) const {
    return inverse_times(X, detail::at_point(about_centre, between_centres(data, body, frame.body.value)));
  }
};

/// Calls f(link's inertia in the frame's axes about its origin, its place) for every link that the frame supports.
template <class F> void for_each_link(const Model& model, const View& view, F&& f) {
  Index k = 0;
  for (const Link& link : model.links()) {
    const LinkId id{k++};
    if (carries(model, view.frame.link, id))
      f(view.pose(link.body.value) * link.in_body * view.data.link_inertia(id), view.data.tree().link[id.value]);
  }
}

}  // namespace

Inertia<double> supported_inertia(const Model& model, Data& data, VectorIn q, FrameIn id) {
  const Frame& frame = detail::frame_of(model, id, "supported_inertia");
  forward_kinematics(model, data, q);
  Inertia<double> sum = Inertia<double>::zero();
  for_each_link(model, View{data, frame}, [&](const Inertia<double>& I, const auto&) { sum += I; });
  const double numbers[] = {sum.m,    sum.h.x,  sum.h.y,  sum.h.z,  sum.I.xx,
                            sum.I.xy, sum.I.xz, sum.I.yy, sum.I.yz, sum.I.zz};
  detail::check_result(numbers, 10, "supported_inertia");
  return sum;
}

Force<double> supported_force(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn id,
                              ExternalsIn external) {
  const Frame& frame = detail::frame_of(model, id, "supported_force");
  detail::check_external(model, external.data(), external.size());
  forward_kinematics(model, data, q, v, a);
  const View view{data, frame};
  Force<double> sum = Force<double>::zero();
  const Vec3<double> g = transpose_times(view.X.R, data.gravity);
  for_each_link(model, view, [&](const Inertia<double>& I, const LinkPlace<double>& link) {
    const Index body = link.body;
    const Motion<double> acceleration = data.acceleration.joint[body] + data.velocity.bias[body];  // minus gravity
    const Motion<double> twist = view.motion(body, data.velocity.twist[body]);
    sum += I * view.motion(body, acceleration) + cross(twist, I * twist) -
           Force<double>{g * I.m, cross(I.h, g)} * link.excess;
  });
  for (const ExternalWrench* e = external.data(); e != external.data() + external.size(); ++e) {
    const Frame& at = detail::frame_of(model, e->frame, "supported_force");
    if (!carries(model, frame.link, at.link)) continue;
    const Index body = at.body.value;
    const double* const w = e->wrench;
    data.force.external[body] = Force<double>::zero();
    page::add_wrench(data, body, at.in_body, e->in, Force<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
    sum -= view.pose(body) * data.force.external[body];
  }
  return detail::checked(sum, "supported_force");
}

}  // namespace zwang
