// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/simulation/scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/geometry/solid_of.hpp"

namespace zwang {
namespace {

constexpr int k_named = 4;                                          // of a list in a note
constexpr int k_ground_priority = std::numeric_limits<int>::max();  // above whatever a file says

/// Of what is given: numbers in their ranges.
void check(const char* function, const std::string& name, const PairLaw& x) {
  const auto refuse = [&](const char* what, double got) {
    throw std::invalid_argument(std::string("Scene::") + function + ": '" + name + "': " + what + "; got " +
                                std::to_string(got));
  };
  const auto is_number = [](double number) { return number >= 0 && std::isfinite(number); };
  if (x.friction && !is_number(*x.friction)) refuse("friction is a number >= 0", *x.friction);
  if (x.restitution && !(*x.restitution >= 0 && *x.restitution <= 1))
    refuse("restitution is between 0 and 1", *x.restitution);
  if (x.stiffness && !(*x.stiffness > 0)) refuse("stiffness is > 0 [N/m]", *x.stiffness);
  if (x.stiffness.value_or(unlimited) < unlimited && x.restitution.value_or(0) > 0)
    refuse("a surface that gives way has no restitution, but damping", *x.restitution);
  if (x.damping && !is_number(*x.damping)) refuse("damping is a number >= 0 [N s/m]", *x.damping);
}
void check(const char* function, const std::string& name, const ContactLaw& x) {
  check(function, name, PairLaw{x.friction, x.restitution, x.stiffness, x.damping});
}

/// The sliding friction of a shape's file, where the file says it.
std::optional<double> friction_of(const ContactData& data) {
  if (data.dimension == 1) return 0.0;
  if (std::isnan(data.friction[0])) return {};
  return data.friction[0];
}

/// Its axes are orthogonal and of length 1 to 1e-6, right-handed, its numbers finite.
bool is_pose(const Transform<double>& x) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (!(std::fabs(dot(x.R[i], x.R[k]) - (i == k)) < 1e-6)) return false;
  const double volume = dot(cross(x.R[0], x.R[1]), x.R[2]);
  return volume > 0 && std::isfinite(x.p.x) && std::isfinite(x.p.y) && std::isfinite(x.p.z);
}

/// A frame whose z axis is the normal.
Transform<double> plane_pose(const Vec3<double>& n, double offset) {
  Vec3<double> x{1, 0, 0};
  if (std::fabs(n.x) > std::fabs(n.z)) x = {0, 1, 0};
  x = x - n * dot(n, x);
  x = x * (1 / norm(x));
  const Vec3<double> y = cross(n, x);
  Mat3<double> R;
  for (int i = 0; i < 3; ++i) R[i] = {x[i], y[i], n[i]};
  return {R, n * offset};
}

}  // namespace

Scene::Scene(const Model& model, const SceneSettings& settings) : model_(model), settings_(settings) {
  int left_out = 0;
  std::string list;
  for (const Link& link : model.links()) {
    int count = 0;
    for (const Shape& shape : link.shapes) {
      if (!shape.collision) continue;
      if (settings.missing_meshes && shape.kind == Shape::Kind::mesh && shape.mesh_path.empty()) {
        if (++left_out <= k_named) list += (list.empty() ? "" : ", ") + shape.mesh + " of '" + link.name + "'";
        ++count;
        continue;
      }
      std::string name = shape.name.empty() ? link.name + ":" + std::to_string(count) : shape.name;
      ++count;
      const auto taken = [&](const std::string& x) {
        return std::any_of(shapes_.begin(), shapes_.end(), [&](const SceneShape& s) { return s.name == x; });
      };
      if (taken(name)) name = link.name + ":" + name;
      for (int k = 2; taken(name); ++k) name = link.name + ":" + std::to_string(count) + "#" + std::to_string(k);
      std::string warning;
      Shape named = shape;
      named.name = name;
      const ContactData& data = shape.contact;
      shapes_.push_back({.name = name,
                         .link = link.name,
                         .solid = solid_of(named, &warning),
                         .pose = shape.origin,
                         .law = {.friction = friction_of(data)},
                         .priority = data.priority,
                         .type = data.type,
                         .affinity = data.affinity});
      if (!warning.empty()) notes_.push_back(std::move(warning));
      check("Scene", name, shapes_.back().law);
    }
  }
  of_model_ = shapes_.size();
  if (left_out > k_named) list += " and " + std::to_string(left_out - k_named) + " more";
  if (left_out > 0) notes_.push_back("touches nothing, since its mesh was not found: " + list);
}

Scene& Scene::add_ground(const Ground& ground) {
  const double length = norm(ground.normal);
  if (!(length > 0) || !std::isfinite(length) || !std::isfinite(ground.offset))
    throw std::invalid_argument("Scene::add_ground: normal is a vector that is not zero, offset a finite number [m]");
  for (const SceneShape& x : shapes_)
    if (x.solid.kind() == Solid::Kind::half_space)
      notes_.push_back("'" + x.name + "' is a plane, too: '" + ground.name +
                       "' is added to it, and both are touched where both are reached");
  return add_shape({.name = ground.name,
                    .solid = Solid::half_space(),
                    .pose = plane_pose(ground.normal * (1 / length), ground.offset / length),
                    .law = ground.law,
                    .priority = k_ground_priority});
}

Scene& Scene::add_shape(const SceneShape& shape) {
  if (shape.name.empty()) throw std::invalid_argument("Scene::add_shape: a shape has a name");
  for (const SceneShape& x : shapes_)
    if (x.name == shape.name)
      throw std::invalid_argument("Scene::add_shape: there is a shape '" + shape.name + "' already");
  if (!shape.link.empty()) (void)model_.link(shape.link);  // throws with the nearest name
  if (!is_pose(shape.pose))
    throw std::invalid_argument("Scene::add_shape: the pose of '" + shape.name + "' is no rotation and translation");
  check("add_shape", shape.name, shape.law);
  shapes_.push_back(shape);
  return *this;
}

void Scene::check_name(const char* function, const std::string& name) const {
  if (model_.find_link(name)) return;
  if (std::any_of(shapes_.begin(), shapes_.end(), [&](const SceneShape& x) { return x.name == name; })) return;
  throw std::invalid_argument(std::string("Scene::") + function + ": '" + name +
                              "' is neither a link of the robot nor a shape of the scene");
}

Scene& Scene::set_pair(const std::string& a, const std::string& b, const PairLaw& law) {
  check_name("set_pair", a);
  check_name("set_pair", b);
  check("set_pair", a + "', '" + b, law);
  rules_.push_back({a, b, false, law});
  return *this;
}

Scene& Scene::leave_out(const std::string& a, const std::string& b) {
  check_name("leave_out", a);
  check_name("leave_out", b);
  rules_.push_back({a, b, true, {}});
  return *this;
}

}  // namespace zwang
