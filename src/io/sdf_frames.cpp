// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: which link or frame a name means, and where frames are. Walks with stacks of their own: a chain of frames
// may be as long as the file.
#include <algorithm>

#include "io/sdf_reader.hpp"

namespace zwang::io {

int SdfReader::find(int scope, const std::string& name) const {
  const auto& names = scopes_[at_index(scope)].names;
  const auto it = names.find(name);
  return it == names.end() ? -1 : it->second;
}

/// A::B is B in the model A, or a name with colons, as flattened files have them.
bool SdfReader::path(int scope, const std::string& name, std::vector<int>& entities) const {
  entities.clear();
  std::string rest = name;
  for (;;) {
    const bool model = !scopes_[at_index(scope)].world;
    if (const int id = find(scope, rest); id >= 0) {
      entities.push_back(id);
      return true;
    }
    if (rest == "__model__" && model) return true;
    if (rest == "world" && !model && entities.empty()) return true;
    const std::size_t colons = rest.find("::");
    if (colons == std::string::npos) return false;
    const int id = find(scope, rest.substr(0, colons));
    if (id < 0 || named_[at_index(id)].kind != Kind::model) return false;
    entities.push_back(id);
    scope = named_[at_index(id)].index;
    rest.erase(0, colons + 2);
  }
}

std::vector<std::string> SdfReader::names_in(int scope) const {
  std::vector<std::string> names;
  for (const auto& [name, id] : scopes_[at_index(scope)].names) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool SdfReader::unknown_name(pugi::xml_node node, const char* code, int scope, const std::string& name,
                             const std::string& what) {
  std::string hint = "there is none of that name";
  if (may_list(scopes_[at_index(scope)].names.size())) hint = found_.did_you_mean(name, names_in(scope), hint);
  return refuse(node, code, what + ' ' + detail::quoted(name), "a link, joint, frame or model of this model or world",
                hint);
}

bool SdfReader::unknown_base(const Named& e, const std::string& base) {
  const pugi::xml_node pose = e.node.child("pose");
  if (!e.relative_to.empty()) return unknown_name(pose ? pose : e.node, "E_FRAME", e.scope, base, "relative_to");
  if (e.kind == Kind::joint) return unknown_name(e.node.child("child"), "E_LINK", e.scope, base, "child");
  return unknown_name(e.node, "E_FRAME", e.scope, base, "attached_to");
}

/// The entities whose poses the pose of this one is given in: those on the way to its base, and to the frame that a
/// model is placed by.
bool SdfReader::needs(int entity, std::vector<int>& entities) {
  const Named& e = named_[at_index(entity)];
  entities.clear();
  if (e.scope >= 0) {
    const std::string& base = !e.relative_to.empty() ? e.relative_to : e.attached_to;
    const bool named = !base.empty() && (!e.relative_to.empty() || e.kind == Kind::joint || e.kind == Kind::frame);
    if (named && !path(e.scope, base, entities)) return unknown_base(e, base);
  }
  if (e.kind == Kind::model && !scopes_[at_index(e.index)].placement.empty()) {
    std::vector<int> more;
    const std::string& placement = scopes_[at_index(e.index)].placement;
    if (!path(e.index, placement, more)) return unknown_name(e.node, "E_FRAME", e.index, placement, "placement_frame");
    entities.insert(entities.end(), more.begin(), more.end());
  }
  return true;
}

Transform<double> SdfReader::pose_along(const std::vector<int>& entities) const {
  Transform<double> X = Transform<double>::identity();
  for (const int id : entities) X = X * named_[at_index(id)].pose;
  return X;
}

/// `entity` and all that it needs; false, with a finding, where a name is unknown or poses are given in a circle.
bool SdfReader::resolve_pose(int entity) {
  std::vector<int> walk{entity}, wanted;
  while (!walk.empty()) {
    const int id = walk.back();
    Named& e = named_[at_index(id)];
    if (e.pose_state == 2) {
      walk.pop_back();
      continue;
    }
    if (!needs(id, wanted)) return false;
    if (e.pose_state == 0) {
      e.pose_state = 1;
      bool waits = false;
      for (const int other : wanted) {
        const Named& base = named_[at_index(other)];
        if (base.pose_state == 1)
          return refuse(e.node, "E_CYCLE",
                        "the pose of " + detail::quoted(e.name) + ", which leads back to itself over " +
                            detail::quoted(base.name),
                        "poses that start at the model or world");
        if (base.pose_state == 2) continue;
        walk.push_back(other);
        waits = true;
      }
      if (waits) continue;
    }
    // Those on the way to the frame that places a model come after those on the way to the base.
    std::vector<int> base;
    const std::string& from = !e.relative_to.empty() ? e.relative_to : e.attached_to;
    if (e.scope >= 0 && !from.empty()) path(e.scope, from, base);
    e.pose = base.empty() ? e.raw : pose_along(base) * e.raw;
    if (e.kind == Kind::model && wanted.size() > base.size()) {
      const std::vector<int> placing(wanted.begin() + static_cast<std::ptrdiff_t>(base.size()), wanted.end());
      e.pose = e.pose * inverse(pose_along(placing));
    }
    e.pose_state = 2;
    walk.pop_back();
  }
  return true;
}

bool SdfReader::resolve_poses() {
  for (std::size_t i = 0; i < named_.size(); ++i)
    if (!resolve_pose(static_cast<int>(i))) return false;
  for (Scope& scope : scopes_)  // parents come first
    if (scope.entity >= 0) {
      const Transform<double>& own = named_[at_index(scope.entity)].pose;
      scope.in_world = scope.parent < 0 ? own : scopes_[at_index(scope.parent)].in_world * own;
    }
  return true;
}

/// The link that stands for a model: the one it names, its first, or that of its first model.
int SdfReader::canonical_link(int scope) {
  for (;;) {
    const Scope& s = scopes_[at_index(scope)];
    if (!s.canonical.empty()) {
      std::vector<int> way;
      if (path(scope, s.canonical, way) && !way.empty() && named_[at_index(way.back())].kind == Kind::link)
        return named_[at_index(way.back())].index;
      unknown_name(s.node, "E_LINK", scope, s.canonical, "canonical_link");
      return k_unknown;
    }
    if (s.first_link >= 0) return named_[at_index(s.first_link)].index;
    if (s.first_model < 0) return k_unknown;
    scope = named_[at_index(s.first_model)].index;
  }
}

int SdfReader::body_of(int scope, const std::string& name) {
  std::vector<int> walk, way;
  std::string wanted = name;
  int body = k_unknown;
  for (;;) {
    if (wanted == "world") {
      body = k_world;
      break;
    }
    if (!path(scope, wanted, way)) break;
    if (way.empty()) {  // the frame of the model itself
      body = scopes_[at_index(scope)].world ? k_world : canonical_link(scope);
      break;
    }
    Named& e = named_[at_index(way.back())];
    if (e.kind == Kind::link || e.kind == Kind::model) {
      body = e.kind == Kind::link ? e.index : canonical_link(e.index);
      break;
    }
    if (e.body_state == 2) {
      body = e.body;
      break;
    }
    if (e.body_state == 1) break;  // in a circle
    e.body_state = 1;
    walk.push_back(way.back());
    scope = e.scope;
    if (e.attached_to.empty()) {
      body = scopes_[at_index(scope)].world ? k_world : canonical_link(scope);
      break;
    }
    wanted = e.attached_to;
  }
  for (const int id : walk) {
    named_[at_index(id)].body = body;
    named_[at_index(id)].body_state = 2;
  }
  return body;
}

Transform<double> SdfReader::in_scope(int link, int scope) const {
  const Named& e = named_[at_index(link_entity_[at_index(link)])];
  Transform<double> X = e.pose;
  for (int s = e.scope; s != scope && s >= 0; s = scopes_[at_index(s)].parent)
    X = named_[at_index(scopes_[at_index(s)].entity)].pose * X;
  return X;
}

Transform<double> SdfReader::in_world(int entity) const {
  const Named& e = named_[at_index(entity)];
  return e.scope < 0 ? e.pose : scopes_[at_index(e.scope)].in_world * e.pose;
}

std::string SdfReader::full_name(int entity) const {
  const Named& e = named_[at_index(entity)];
  return e.scope < 0 ? e.name : scopes_[at_index(e.scope)].prefix + e.name;
}

}  // namespace zwang::io
