// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/solid_data.hpp"
#include "zwang/model/stages.hpp"

namespace zwang {
namespace {

constexpr double k_distance_rounding = 1e-12;  // more than that of a distance

bool is_of(const SceneShape& shape, const std::string& name) { return shape.name == name || shape.link == name; }

/// The numbers of a rule; where it has none, those of the other law.
TouchLaw joined(const PairLaw& rule, const TouchLaw& other) {
  return {.friction = rule.friction.value_or(other.friction),
          .restitution = rule.restitution.value_or(other.restitution),
          .stiffness = rule.stiffness.value_or(other.stiffness),
          .damping = rule.damping.value_or(other.damping)};
}

/// Of two laws of shapes: that of the higher priority; else the larger friction and restitution, the softer contact.
/// `friction`: where neither says.
TouchLaw joined(const SceneShape& a, const SceneShape& b, double friction) {
  const bool b_decides = b.priority > a.priority;
  const ContactLaw &first = b_decides ? b.law : a.law, &second = b_decides ? a.law : b.law;
  TouchLaw law{first.friction ? *first.friction : second.friction.value_or(friction), first.restitution,
               first.stiffness, first.damping};
  if (a.priority != b.priority) return law;
  if (second.friction) law.friction = std::fmax(law.friction, *second.friction);
  law.restitution = std::fmax(first.restitution, second.restitution);
  if (second.stiffness < first.stiffness) {
    law.stiffness = second.stiffness;
    law.damping = second.damping;
  }
  return law;
}

/// Whether a joint of the tree connects the two bodies, or joints behind each other with nothing but links without mass
/// between. What floats is not connected with the ground.
bool are_neighbours(const Tree<double>& tree, Index a, Index b) {
  if (a > b) std::swap(a, b);
  Index parent = b;
  bool floats = false;
  do {
    floats = floats || tree.body[parent].nv == 6;
    parent = tree.body[parent].parent;
  } while (parent > a && tree.body[parent].inertia.m == 0);
  return parent == a && !(a == 0 && floats);
}

}  // namespace

ContactPairs::ContactPairs(const Scene& scene, bool rows_touch) : scene_(scene) {
  const Model& model = scene_.model();
  const Tree<double>& tree = model.tree<double>();
  const std::vector<SceneShape>& shapes = scene_.shapes();
  for (const SceneShape& shape : shapes) {
    Placed x;
    if (!shape.link.empty()) {
      const Link& link = model.link(shape.link);
      x.body = link.body.value;
      x.in_body = link.in_body * shape.pose;
    } else {
      x.in_body = shape.pose;
    }
    x.pose = x.in_body;
    x.radius = shape.solid.radius();
    const std::vector<double>& z = shape.solid.data().heights.z;
    if (!z.empty()) x.top = *std::max_element(z.begin(), z.end());
    placed_.push_back(x);
    bubbles_.push_back({.centre = x.pose.p, .radius = x.radius});
  }
  const auto body_of = [&](LinkId link) { return model.links()[static_cast<std::size_t>(link.value)].body.value; };
  const auto excluded = [&](const SceneShape& a, const SceneShape& b) {
    const auto& all = model.description().contact_exclusions;
    return std::any_of(all.begin(), all.end(), [&](const ContactExclusion& x) {
      return (is_of(a, x.first) && is_of(b, x.second)) || (is_of(a, x.second) && is_of(b, x.first));
    });
  };
  const auto closes_loop = [&](Index a, Index b) {
    return std::any_of(model.loops().begin(), model.loops().end(), [&](const Loop& x) {
      const Index p = body_of(x.parent), c = body_of(x.child);
      return (p == a && c == b) || (p == b && c == a);
    });
  };
  int unknown_kinds = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t k = i + 1; k < shapes.size(); ++k) {
      const SceneShape &a = shapes[i], &b = shapes[k];
      const Index body_a = placed_[i].body, body_b = placed_[k].body;
      if (body_a == body_b) continue;
      if (!(a.type & b.affinity) && !(b.type & a.affinity)) continue;
      const bool of_links = !a.link.empty() && !b.link.empty(),
                 of_robot = of_links && body_a != 0 && body_b != 0 && tree.body[body_a].root == tree.body[body_b].root;
      if (of_links && (are_neighbours(tree, body_a, body_b) || closes_loop(body_a, body_b) || excluded(a, b))) continue;
      TouchLaw law = joined(a, b, scene_.friction);
      bool out = false;
      for (const Scene::PairRule& rule : scene_.rules()) {
        if (!(is_of(a, rule.a) && is_of(b, rule.b)) && !(is_of(a, rule.b) && is_of(b, rule.a))) continue;
        out = rule.left_out;
        if (!out) law = joined(rule.law, law);
      }
      if (out) continue;
      if (!can_touch(a.solid.kind(), b.solid.kind())) {
        ++unknown_kinds;
        continue;
      }
      Pair pair{static_cast<Index>(i), static_cast<Index>(k), body_a, body_b, law, of_robot};
      if (body_b == 0) std::swap(pair.a, pair.b), std::swap(pair.body_a, pair.body_b);  // forces act on what moves
      pairs_.push_back(pair);
    }
  pair_is_out_.assign(pairs_.size(), false);
  if (!rows_touch && std::none_of(placed_.begin(), placed_.end(), [](const Placed& x) { return x.body != 0; }))
    notes_.push_back(
        "nothing that moves can touch: the robot has no collision shapes, and those of <visual> touch nothing");
  if (!(scene_.friction >= 0) || !std::isfinite(scene_.friction))
    throw std::invalid_argument("Scene: friction is >= 0 and finite; got " + std::to_string(scene_.friction));
  if (unknown_kinds > 0)
    notes_.push_back(std::to_string(unknown_kinds) +
                     " pairs of shapes are left out: half spaces and height fields do not touch each other, ellipsoids "
                     "only half spaces and "
                     "spheres");
  found_.reserve(64);
}

void ContactPairs::place(const Data& data, bool moving) {
  const Tree<double>& tree = data.tree();
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    Placed& x = placed_[k];
    if (x.body == 0) continue;
    const Transform<double>& body = data.position.placement[x.body];  // about the centre of its branch
    const Vec3<double> centre = data.position.centre[tree.body[x.body].root];
    x.pose = body * x.in_body;
    if (moving) {
      const Motion<double>& twist = data.velocity.twist[x.body];
      x.turning = twist.w;
      x.velocity = twist.v + cross(twist.w, x.pose.p);
    }
    x.pose.p = x.pose.p + centre;
    bubbles_[k].centre = x.pose.p;
    if (moving) bubbles_[k].speed = norm(x.velocity) + norm(x.turning) * x.radius;
  }
}

/// Without a root: whoever is not far is asked by are_close().
bool ContactPairs::are_far(const Pair& pair, double least, double ahead) const {
  const Bubble &a = bubbles_[static_cast<std::size_t>(pair.a)], &b = bubbles_[static_cast<std::size_t>(pair.b)];
  const Vec3<double> between = b.centre - a.centre;
  const double closing = 2 * ahead * (a.speed + b.speed);
  const double reach = a.radius + b.radius + (closing > least ? closing : least);
  return dot(between, between) > (1 + k_distance_rounding) * reach * reach;  // false of NaN and half spaces
}

/// By spheres about the origins of the two; of a half space and another by the distance from its plane, of a height
/// field from the plane through its top.
bool ContactPairs::are_close(const Placed& a, const Placed& b, double least, double ahead, double& margin) const {
  const bool plane_a = !std::isfinite(a.radius), plane_b = !std::isfinite(b.radius);
  const Vec3<double> between = b.pose.p - a.pose.p;
  double distance, speed;
  if (plane_a || plane_b) {
    const Placed &plane = plane_a ? a : b, &other = plane_a ? b : a;
    const Vec3<double> normal{plane.pose.R(0, 2), plane.pose.R(1, 2), plane.pose.R(2, 2)};
    const Vec3<double> to = other.pose.p - plane.pose.p;
    distance = dot(normal, to) - plane.top - other.radius;
    speed = norm(other.velocity - plane.velocity - cross(plane.turning, to)) + norm(other.turning) * other.radius;
  } else {
    distance = norm(between) - a.radius - b.radius;
    speed = norm(b.velocity - a.velocity) + norm(a.turning) * a.radius + norm(b.turning) * b.radius;
  }
  margin = std::fmax(least, 2 * ahead * speed);
  return !(distance > margin);
}

void ContactPairs::find(double least, double ahead, std::vector<TouchingPoint>& out) {
  out.clear();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    if (are_far(pair, least, ahead) || pair_is_out_[k]) continue;
    const Placed &a = placed_[static_cast<std::size_t>(pair.a)], &b = placed_[static_cast<std::size_t>(pair.b)];
    double margin = 0;
    if (!are_close(a, b, least, ahead, margin)) continue;
    found_.clear();
    const auto& shapes = scene_.shapes();
    nearest_points(shapes[static_cast<std::size_t>(pair.a)].solid, a.pose,
                   shapes[static_cast<std::size_t>(pair.b)].solid, b.pose, margin, found_);
    for (const SurfacePair& x : found_) out.push_back({static_cast<Index>(k), x});
  }
}

void ContactPairs::leave_out_overlaps(double depth, std::vector<std::string>& notes) {
  std::vector<TouchingPoint> points;
  find(0, 0, points);
  std::string list;
  int count = 0;
  for (const TouchingPoint& x : points) {
    const auto k = static_cast<std::size_t>(x.pair);
    const Pair& pair = pairs_[k];
    if (!pair.of_robot || pair_is_out_[k] || !(x.at.gap < -depth)) continue;
    pair_is_out_[k] = true;
    if (++count > 3) continue;
    list += (list.empty() ? "'" : ", '") + scene_.shapes()[static_cast<std::size_t>(pair.a)].name + "' and '" +
            scene_.shapes()[static_cast<std::size_t>(pair.b)].name + "'";
  }
  if (count > 3) list += " and " + std::to_string(count - 3) + " more";
  if (count > 0) notes.push_back("pairs of the robot's own shapes that overlap at the start do not touch: " + list);
}

}  // namespace zwang
