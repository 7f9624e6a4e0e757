// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/skeleton.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/spatial/exp_log.hpp"

namespace zwang::viewer {
namespace {

double length_of(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

/// The rotation that turns z to a direction.
Mat3<double> towards(const Vec3<double>& direction) {
  const Vec3<double> d = direction * (1 / length_of(direction));
  const Vec3<double> axis = cross(Vec3<double>{0, 0, 1}, d);
  const double s = length_of(axis), angle = std::atan2(s, d[2]);
  return s > 1e-12  ? exp_so3(axis * (angle / s))
         : d[2] > 0 ? Mat3<double>::identity()
                    : exp_so3(Vec3<double>{angle, 0, 0});
}

/// From the joint of a link to another place on it.
struct Limb {
  std::size_t link;
  Vec3<double> from, to;
  double length() const { return length_of(to - from); }
};

}  // namespace

std::vector<bool> helper_links(const Model& model) {
  const auto at = [](LinkId id) { return static_cast<std::size_t>(id.value); };
  std::vector<bool> helper(model.links().size(), false);
  const auto moves = [](const Joint& j) { return j.type != "fixed" && j.parent; };
  for (const Joint& j : model.joints())
    if (moves(j)) helper[at(j.parent)] = true;
  for (const Joint& j : model.joints())
    if (!moves(j)) helper[at(j.child)] = false;
  for (std::size_t k = 0; k < helper.size(); ++k) {
    const Link& link = model.links()[k];
    if (link.mass > 0 || !link.shapes.empty() || !link.parent) helper[k] = false;
  }
  return helper;
}

std::vector<std::vector<Shape>> skeleton_of(const Model& model) {
  std::vector<Limb> limbs;
  std::vector<bool> has_child(model.links().size(), false);
  std::vector<Vec3<double>> start(model.links().size(), Vec3<double>::zero());  // where a link's own joint is on it
  const auto at = [](LinkId id) { return static_cast<std::size_t>(id.value); };
  for (const Joint& j : model.joints()) start[at(j.child)] = j.description.child_origin.p;
  const auto add = [&](std::size_t link, const Vec3<double>& to) { limbs.push_back({link, start[link], to}); };
  for (const Joint& j : model.joints()) {
    if (!j.parent) continue;
    has_child[at(j.parent)] = true;
    add(at(j.parent), j.description.origin.p);
  }
  for (const Loop& l : model.loops()) {
    add(at(l.parent), l.description.origin.p);
    add(at(l.child), l.description.child_origin.p);
  }
  for (std::size_t k = 0; k < model.links().size(); ++k)
    if (!has_child[k] && model.links()[k].mass > 0) add(k, model.links()[k].centre * 2.0 - start[k]);
  std::vector<double> lengths;
  for (const Limb& l : limbs)
    if (l.length() > 1e-6) lengths.push_back(l.length());
  std::sort(lengths.begin(), lengths.end());
  const double radius = lengths.empty() ? 0.03 : 0.12 * lengths[lengths.size() / 2];

  std::vector<std::vector<Shape>> out(model.links().size());
  for (const Limb& l : limbs) {
    const double length = l.length();
    if (length < radius) continue;
    Shape limb{.kind = Shape::Kind::cylinder};
    limb.origin = {towards(l.to - l.from), (l.from + l.to) * 0.5};
    limb.size[0] = 0.7 * radius;
    limb.size[1] = length;
    out[l.link].push_back(limb);
  }
  const std::vector<bool> helpers = helper_links(model);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Link& link = model.links()[k];
    if (helpers[k] && out[k].empty()) continue;
    if (!link.parent && out[k].empty() && model.links().size() > 1) continue;  // a root without extent
    Shape ball{.kind = Shape::Kind::sphere};
    ball.size[0] = radius;
    ball.origin.p = start[k];
    ball.material = "joint";
    out[k].push_back(ball);
  }
  return out;
}

}  // namespace zwang::viewer
