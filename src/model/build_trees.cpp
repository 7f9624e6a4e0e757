// SPDX-License-Identifier: BSD-3-Clause
// Last step: the arrays of Tree<double> and, rounded once, of Tree<float>.
#include <algorithm>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

Body<float> rounded(const Body<double>& b) {
  Body<float> f{};
  f.placement = widen<float>(b.placement);
  f.inertia = widen<float>(b.inertia);
  f.parent = b.parent;
  f.kind = b.kind;
  f.q = b.q;
  f.nq = b.nq;
  f.v = b.v;
  f.nv = b.nv;
  f.angle = b.angle;
  f.depth = b.depth;
  f.last = b.last;
  f.root = b.root;
  f.parameters = nullptr;
  f.user = b.user;
  return f;
}
Column<float> rounded(const Column<double>& c) {
  return {static_cast<float>(c.armature), c.body, c.v, static_cast<float>(c.multiplier), c.deferred, c.parent, c.end};
}
Passive<float> rounded(const Passive<double>& p) {
  return {static_cast<float>(p.damping), static_cast<float>(p.friction), static_cast<float>(p.stiffness),
          static_cast<float>(p.reference), p.q};
}

BallSpring<float> rounded(const BallSpring<double>& s) { return {s.body, widen<float>(s.reference)}; }
LinkPlace<float> rounded(const LinkPlace<double>& l) {
  return {l.body, widen<float>(l.in_body), static_cast<float>(l.excess)};
}
ExcessMass<float> rounded(const ExcessMass<double>& x) { return {static_cast<float>(x.m), widen<float>(x.h)}; }

template <class Out, class In> std::vector<Out> rounded_all(const std::vector<In>& in) {
  std::vector<Out> out;
  out.reserve(in.size());
  for (const In& x : in) {
    if constexpr (std::is_floating_point_v<In>)
      out.push_back(static_cast<Out>(x));
    else
      out.push_back(rounded(x));
  }
  return out;
}

template <class T> void point(const Coordinates& c, const Bodies& bodies, const ModelArrays& all, TreeArrays<T>& a) {
  for (std::size_t i = 0; i < a.body.size(); ++i) {
    const BodySource& s = bodies.source[i];
    a.body[i].parameters = s.parameter_count > 0 ? a.parameters.data() + s.parameters : nullptr;
  }
  Tree<T>& t = a.tree;
  t.n = static_cast<Index>(a.body.size()) - 1;
  t.nq = c.nq;
  t.nv = c.nv;
  t.spanning_nq = static_cast<Index>(all.q_source.size());
  t.spanning_nv = static_cast<Index>(a.column.size());
  t.angles = static_cast<Index>(all.angle_q.size());
  t.max_depth = 0;
  for (const Body<T>& b : a.body) t.max_depth = std::max(t.max_depth, b.depth);
  t.body = a.body.data();
  t.column = a.column.data();
  t.passive = a.passive.empty() ? nullptr : a.passive.data();
  t.ball_springs = static_cast<Index>(a.ball_spring.size());
  t.ball_spring = a.ball_spring.data();
  t.excess = a.excess.empty() ? nullptr : a.excess.data();
  t.links = static_cast<Index>(a.link.size());
  t.link = a.link.data();
  t.angle_q = all.angle_q.data();
  t.mimic = !all.shared.empty();
  t.q_source = all.q_source.data();
  t.q_multiplier = a.q_multiplier.data();
  t.q_offset = a.q_offset.data();
  t.shared_count = static_cast<Index>(all.shared.size());
  t.shared = all.shared.data();
  t.shared_of = all.shared_of.data();
  t.row_parent = all.row_parent.data();
  t.row_first = all.row_first.data();
}

/// Where the links are, and what their scales of gravity add.
void place_links(const RobotDescription& robot, const Bodies& bodies, TreeArrays<double>& a) {
  a.link.resize(robot.links.size());
  for (std::size_t i = 0; i < a.link.size(); ++i) {
    const LinkDescription& l = robot.links[i];
    LinkPlace<double>& place = a.link[i] = {bodies.link_body[i], bodies.link_in_body[i], l.gravity_scale - 1};
    if (place.excess == 0 || place.body == 0) continue;
    if (a.excess.empty()) a.excess.assign(bodies.source.size(), {0, Vec3<double>::zero()});
    const Inertia<double> I = place.in_body * from_centre(l.mass, l.centre, l.inertia);
    ExcessMass<double>& sum = a.excess[static_cast<std::size_t>(place.body)];
    sum.m += I.m * place.excess;
    sum.h += I.h * place.excess;
  }
}

}  // namespace

void fill_trees(const RobotDescription& robot, const Coordinates& coordinates, Bodies& bodies, ModelArrays& arrays) {
  TreeArrays<double>& d = arrays.in_double;
  TreeArrays<float>& f = arrays.in_float;
  d.body = std::move(bodies.body);
  d.parameters = std::move(bodies.parameters);
  place_links(robot, bodies, d);
  f.body = rounded_all<Body<float>>(d.body);
  f.link = rounded_all<LinkPlace<float>>(d.link);
  f.column = rounded_all<Column<float>>(d.column);
  f.passive = rounded_all<Passive<float>>(d.passive);
  f.ball_spring = rounded_all<BallSpring<float>>(d.ball_spring);
  f.excess = rounded_all<ExcessMass<float>>(d.excess);
  f.parameters = rounded_all<float>(d.parameters);
  f.q_multiplier = rounded_all<float>(d.q_multiplier);
  f.q_offset = rounded_all<float>(d.q_offset);
  point(coordinates, bodies, arrays, d);
  point(coordinates, bodies, arrays, f);
}

}  // namespace zwang::building
