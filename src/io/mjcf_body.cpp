// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: bodies, frames, replicated elements, sites.
#include <cmath>

#include "io/mjcf.hpp"

namespace zwang::io {

Transform<double> MjcfReader::pose_of(const MjcfFields& of) const {
  Transform<double> pose = Transform<double>::identity();
  values_.vector(of, "pos", pose.p);
  pose.R = mjcf_rotation(of, compiler_.angles, values_);
  return pose;
}

std::string MjcfReader::suffixed(const std::string& name, const Scope& scope) const {
  return name.empty() ? name : name + scope.suffix;
}

/// The frames around a geom, joint or site hold it.
void MjcfReader::load_frames(const Scope& scope) {
  for (int f = scope.frame; f >= 0; f = model_.frames[static_cast<std::size_t>(f)].around) {
    bool& loaded = model_.frames[static_cast<std::size_t>(f)].loaded;
    if (loaded) return;  // and so are those around it
    loaded = true;
  }
}

/// The elements of a body, or of a frame or copy within it.
void MjcfReader::children(pugi::xml_node node, const Scope& scope) {
  const bool copied = std::string_view(node.name()) == "replicate";
  document_.each(node, [&](pugi::xml_node child) {
    if (!spend(child)) return;
    const std::string_view name = child.name();
    if (copied && (name == "joint" || name == "freejoint" || name == "inertial"))
      return document_.refuse(child, "E_MJCF_JOINT", '<' + std::string(name) + "> inside of <replicate>",
                              "bodies, geoms, sites and frames", "MuJoCo refuses it, too: put it into a body");
    if (name == "body") return body(child, scope);
    if (name == "geom") return geom(child, scope);
    if (name == "joint") return joint(child, scope);
    if (name == "freejoint") return free_joint(child, scope);
    if (name == "inertial") return inertial(child, scope);
    if (name == "site") return site(child, scope);
    if (name == "frame") return frame(child, scope);
    if (name == "replicate") return replicate(child, scope);
    if (name == "attach") return attach(child, scope);
  });
}

/// Its index; -1, with a finding, where there are too many or the name is taken.
int MjcfReader::add_body(pugi::xml_node node, MjcfBody&& body) {
  if (++work_.bodies >= work_.options.limits.links) {
    if (!work_.exhausted)
      document_.refuse(node, "E_LIMIT_LINKS", "more than " + std::to_string(work_.options.limits.links - 1) + " bodies",
                       "at most that many", "limits.links raises it");
    work_.exhausted = true;
    return -1;
  }
  if (!take_name("body", body.name, node)) return -1;
  const int index = static_cast<int>(model_.bodies.size());
  if (!body.name.empty()) body_index_.emplace(body.name, index);
  model_.bodies.push_back(std::move(body));
  return index;
}

void MjcfReader::body(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  MjcfBody fresh;
  fresh.name = suffixed(values_.name_of(of), scope);
  fresh.parent = scope.body;
  const Transform<double> own = pose_of(of);
  fresh.pose = scope.pose * own;
  fresh.own = own;
  fresh.mocap = values_.flag(of, "mocap", false);
  values_.number(of, "gravcomp", fresh.gravcomp);
  fresh.frame = scope.frame;
  fresh.place = document_.place_of(node);
  Scope inner;
  inner.of_class = defaults_.of(node, scope.of_class, "childclass");
  inner.suffix = scope.suffix;
  inner.body = add_body(node, std::move(fresh));
  if (inner.body < 0) return;
  children(node, inner);
  const MjcfBody& done = model_.bodies[static_cast<std::size_t>(inner.body)];
  if (done.mocap && (!done.joints.empty() || done.parent != 0))
    document_.refuse(node, "E_MJCF_JOINT", "a mocap body with joints, or inside of another body",
                     "a child of the worldbody without joints");
  if (done.mocap)
    values_.warn(node, "W_MJCF_IGNORED", "mocap body " + detail::quoted(done.name),
                 "a body that nothing moves from outside", "it is fixed where the file has it");
}

void MjcfReader::frame(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  Scope inner = scope;
  inner.pose = scope.pose * pose_of(of);
  inner.of_class = defaults_.of(node, scope.of_class, "childclass");
  if (const std::string name = suffixed(values_.name_of(of), scope); !name.empty()) {
    if (!take_name("frame", name, node)) return;
    inner.frame = static_cast<int>(model_.frames.size());
    model_.frames.push_back({name, scope.frame});
  }
  children(node, inner);
}

/// Copy i is turned by Euler(i euler); its place is that of copy i - 1 and the offset in the axes of that copy.
void MjcfReader::replicate(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  if (!node.attribute("count"))
    return document_.refuse(node, "E_NUMBER", "<replicate> without a count", "count=\"...\"");
  const int count = values_.integer(of, "count", 0);
  if (count < 0) return document_.refuse(node, "E_NUMBER", "count " + std::to_string(count), "at least 0");
  if (count > work_.options.limits.links) {
    document_.refuse(node, "E_LIMIT_LINKS", std::to_string(count) + " copies",
                     "at most " + std::to_string(work_.options.limits.links), "limits.links raises it");
    return;
  }
  Vec3<double> offset = Vec3<double>::zero(), euler = Vec3<double>::zero();
  values_.vector(of, "offset", offset);
  values_.vector(of, "euler", euler);
  const std::string separator = values_.name_of(of, "sep");
  if (!short_enough("a sep", separator, node)) return;
  const std::size_t digits = std::to_string(count).size();
  Scope inner = scope;
  inner.of_class = defaults_.of(node, scope.of_class, "childclass");
  Vec3<double> position = Vec3<double>::zero();
  for (int i = 0; i < count && spend(node); ++i) {
    if (i > 0 && work_.found.refused()) return;  // further copies are as wrong as this one
    const double angles[3] = {i * euler.x, i * euler.y, i * euler.z};
    const Transform<double> pose{mjcf_euler(angles, compiler_.angles), position};
    inner.pose = scope.pose * pose;
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    inner.suffix = separator + number + scope.suffix;
    if (!short_enough("a suffix of copies", inner.suffix, node)) return;
    children(node, inner);
    position = position + pose.R * offset;
  }
}

void MjcfReader::site(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of = fields(node, MjcfKind::site, scope.of_class);
  MjcfSite fresh;
  fresh.name = suffixed(values_.name_of(of), scope);
  if (!take_name("site", fresh.name, node)) return;
  load_frames(scope);
  fresh.pose = scope.pose * pose_of(of);
  double ends[6];
  if (of.has("fromto") && values_.numbers(of, "fromto", 6, 6, ends) == 6) {
    const Vec3<double> from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]};
    if (norm(from - to) < 1e-14)
      return document_.refuse(node, "E_AXIS", "fromto of length 0", "two points that differ");
    fresh.pose = scope.pose * Transform<double>{from_z(from - to), (from + to) * 0.5};
  }
  MjcfBody& body = model_.bodies[static_cast<std::size_t>(scope.body)];
  if (!fresh.name.empty()) site_index_.emplace(fresh.name, static_cast<int>(sites_.size()));
  sites_.push_back({scope.body, static_cast<int>(body.sites.size())});
  body.sites.push_back(std::move(fresh));
}

void MjcfReader::check_moving_planes() {
  std::vector<bool> moves(model_.bodies.size(), false);
  for (std::size_t k = 1; k < model_.bodies.size(); ++k) {
    const MjcfBody& body = model_.bodies[k];
    moves[k] = !body.joints.empty() || moves[static_cast<std::size_t>(body.parent)];
    if (!moves[k]) continue;
    for (const SourcePlace& place : body.planes)
      work_.refuse(place, "E_MJCF_GEOM", "a plane or height field on a moving body",
                   "it on the worldbody or a body fixed to it");
  }
}

/// Poses in the world as drawn, at the q that MuJoCo calls qpos0.
void MjcfReader::world_poses() {
  world_.assign(model_.bodies.size(), Transform<double>::identity());
  for (std::size_t k = 1; k < world_.size(); ++k)
    world_[k] = world_[static_cast<std::size_t>(model_.bodies[k].parent)] * model_.bodies[k].pose;
}

}  // namespace zwang::io
