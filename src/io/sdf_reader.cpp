// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: the root, worlds, models, includes, names, values in elements.
#include "io/sdf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/number.hpp"
#include "io/readers.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

constexpr int k_sdf_oldest = 2, k_sdf_newest = 12;  // 1.2 to 1.12
constexpr int k_sdf_model_depth = 64, k_sdf_include_depth = 16;

const ElementRule k_sdf = {{"world*", "model*", "include*"}, {"actor", "light", "plugin", "road"}, {"version"}};
const ElementRule k_sdf_world_rule = {{"model*", "include*", "frame*", "joint*", "gravity", "physics*"},
                                      {"actor", "light", "plugin", "road", "population", "state", "scene", "gui",
                                       "audio", "wind", "atmosphere", "magnetic_field", "spherical_coordinates"},
                                      {"name"}};
const ElementRule k_sdf_model_rule = {
    {"link*", "joint*", "frame*", "model*", "include*", "pose", "static", "self_collide*"},
    {"plugin", "gripper", "allow_auto_disable", "enable_wind", "state", "light"},
    {"name", "canonical_link", "placement_frame"}};
const ElementRule k_sdf_frame_rule = {{"pose"}, {}, {"name", "attached_to"}};
const ElementRule k_sdf_include_rule = {
    {"uri", "name", "pose", "static", "placement_frame"}, {"plugin", "experimental:params"}, {"merge"}};
const ElementRule k_sdf_pose_rule = {{}, {}, {"relative_to", "frame", "degrees", "rotation_format"}};

bool is_reserved(const std::string& name) {
  return name == "world" || (name.size() >= 4 && name.starts_with("__") && name.ends_with("__"));
}

}  // namespace

RobotDocument read_sdf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found) {
  return SdfReader(document, options, found).read();
}

RobotDocument SdfReader::read() {
  RobotDocument document;
  if (top() && !found_.refused()) document = assemble();
  report_once();
  return document;
}

bool SdfReader::version_of(pugi::xml_node sdf, int& minor) {
  const std::string_view text = trimmed(sdf.attribute("version").value());
  const std::size_t point = text.find('.');
  double major = 0, number = 0;
  const bool good = point != std::string_view::npos &&
                    parse_number(text.substr(0, point), major) == NumberFault::none &&
                    parse_number(text.substr(point + 1), number) == NumberFault::none && major == 1 &&
                    number >= k_sdf_oldest && number <= k_sdf_newest && number == std::floor(number);
  if (!good)
    return refuse(sdf, "E_VERSION", text.empty() ? "<sdf> without a version" : "SDF version " + detail::quoted(text),
                  "1." + std::to_string(k_sdf_oldest) + " to 1." + std::to_string(k_sdf_newest));
  minor = static_cast<int>(number);
  return true;
}

/// One world, or one model.
bool SdfReader::top() {
  const pugi::xml_node root = main_.root();
  int minor = 0;
  if (!version_of(root, minor)) return false;
  look(root, k_sdf);
  pugi::xml_node world_node, model_node;
  for (const pugi::xml_node child : root.children()) {
    const std::string_view name = child.name();
    if (name == "world") {
      if (world_node)
        return refuse(child, "E_REPEATED", "a second world", "one world", "split the file: a robot is in one world");
      world_node = child;
    } else if (name == "model" || name == "include") {
      if (model_node)
        return refuse(child, "E_REPEATED", "a second model outside of a world", "one model", "put them into a <world>");
      model_node = child;
    } else if (name == "actor" || name == "light") {
      named_once(Weight::note, child, "N_SDF", '<' + std::string(name) + '>', "it is left out: it moves nothing");
    }
  }
  if (world_node) {
    world(world_node, minor);
    return true;
  }
  if (!model_node) return refuse(root, "E_EMPTY", "neither a world nor a model", "<world> or <model>");
  if (model_node.child("pose").attribute("relative_to"))
    return refuse(model_node.child("pose"), "E_FRAME", "relative_to of a model that is in no world", "a plain pose");
  if (std::string_view(model_node.name()) == "include") {
    include(model_node, -1, minor);
  } else {
    model(model_node, -1, minor, {});
  }
  return !scopes_.empty();
}

void SdfReader::world(pugi::xml_node node, int minor) {
  look(node, k_sdf_world_rule);
  Scope scope;
  scope.node = node;
  scope.minor = minor;
  scope.world = true;
  scopes_.push_back(std::move(scope));
  const std::string name = node.attribute("name").value();
  if (name.empty()) refuse(node, "E_NAME", "a world without a name", "<world name=\"...\">");
  robot_name_ = name;
  double g[3] = {0, 0, -9.8};  // SDF's default
  if (node.child("gravity"))
    numbers_of(node, "gravity", 3, g);
  else if (node.child("physics").child("gravity"))  // up to 1.5
    numbers_of(node.child("physics"), "gravity", 3, g);
  gravity_ = Vec3<double>{g[0], g[1], g[2]};
  children(node, 0);
}

bool SdfReader::plain_name(pugi::xml_node node, const std::string& name) {
  if (name.empty()) return refuse(node, "E_NAME", "no attribute 'name'", std::string("a name for this ") + node.name());
  if (is_reserved(name))
    return refuse(node, "E_NAME", detail::quoted(name) + ", which is reserved",
                  "a name that is not world and not __like_this__");
  return true;
}

/// -1, with a finding, where the name cannot be taken.
int SdfReader::add_named(Kind kind, pugi::xml_node node, int scope, const std::string& given) {
  if (!plain_name(node, given)) return -1;
  constexpr const char* words[] = {"_link", "_joint", "_frame", "_model"};
  const auto place_in = [&](int s) -> std::unordered_map<std::string, int>& {
    return scopes_[static_cast<std::size_t>(s)].names;
  };
  std::string name = given;
  const int id = static_cast<int>(named_.size());
  if (scope >= 0) {
    auto& names = place_in(scope);
    const auto taken = names.find(name);
    if (taken != names.end()) {
      Named& other = named_[static_cast<std::size_t>(taken->second)];
      const auto yields = [](Kind k) { return k == Kind::joint || k == Kind::frame; };
      const bool old = scopes_[static_cast<std::size_t>(scope)].minor <= 6 && other.kind != kind;
      if (!old || !(yields(kind) || yields(other.kind))) {
        refuse(node, "E_DUPLICATE",
               detail::quoted(name) + ", the name of a <" + other.node.name() + "> of line " +
                   std::to_string(place_of(other.node).line),
               "one name for one link, joint, frame or model of a model");
        return -1;
      }
      const bool renames_this = yields(kind);
      const std::string changed = name + words[static_cast<int>(renames_this ? kind : other.kind)];
      if (names.contains(changed)) {
        refuse(node, "E_DUPLICATE", detail::quoted(name) + " and " + detail::quoted(changed) + " both",
               "names of their own");
        return -1;
      }
      warn(renames_this ? node : other.node, "W_NAME",
           detail::quoted(name) + ", which a <" + std::string(renames_this ? other.node.name() : node.name()) +
               "> has, too",
           "names that differ, as from SDF 1.7 on", "it is called " + detail::quoted(changed));
      if (renames_this) {
        name = changed;
      } else {
        other.name = changed;
        names.emplace(changed, taken->second);
        names.erase(name);
      }
    }
    names.emplace(name, id);
  }
  Named entity{.kind = kind, .name = name, .node = node, .scope = scope};
  named_.push_back(std::move(entity));
  return id;
}

int SdfReader::model(pugi::xml_node node, int scope, int minor, const Override& from) {
  look(node, k_sdf_model_rule);
  const int depth = scope < 0 ? 0 : scopes_[static_cast<std::size_t>(scope)].depth + 1;
  if (depth > k_sdf_model_depth) {
    refuse(node, "E_LIMIT_DEPTH", "models nested deeper than " + std::to_string(k_sdf_model_depth), "fewer levels");
    return -1;
  }
  const std::string name = from.name.empty() ? std::string(node.attribute("name").value()) : from.name;
  const int id = add_named(Kind::model, node, scope, name);
  if (id < 0) return -1;
  Scope own;
  own.node = node;
  own.parent = scope;
  own.entity = id;
  own.minor = minor;
  own.depth = depth;
  own.fixed = from.fixed.value_or(truth(node, "static", false));
  if (scope >= 0) {
    Scope& above = scopes_[static_cast<std::size_t>(scope)];
    own.prefix = above.prefix + named_[static_cast<std::size_t>(id)].name + "::";
    own.fixed = own.fixed || above.fixed;
    ++above.models;
    if (above.first_model < 0) above.first_model = id;
  } else {
    robot_name_ = name;
  }
  reference(node, "canonical_link", own.canonical);
  reference(node, "placement_frame", own.placement);
  if (!from.placement.empty()) own.placement = from.placement;
  const bool placed = from.include && from.include.child("pose");
  Transform<double> raw = Transform<double>::identity();
  std::string relative_to;
  pose(placed ? from.include : node, placed ? from.minor : minor, raw, &relative_to);
  named_[static_cast<std::size_t>(id)].raw = raw;
  named_[static_cast<std::size_t>(id)].relative_to = relative_to;
  const int index = static_cast<int>(scopes_.size());
  named_[static_cast<std::size_t>(id)].index = index;
  scopes_.push_back(std::move(own));
  children(node, index);
  const Scope& read = scopes_[static_cast<std::size_t>(index)];
  if (!read.fixed && read.links + read.models == 0)
    refuse(node, "E_EMPTY", "model " + detail::quoted(name) + " without a link", "a link, or a static model");
  return index;
}

void SdfReader::children(pugi::xml_node node, int scope) {
  const int minor = scopes_[static_cast<std::size_t>(scope)].minor;
  const bool in_world = scopes_[static_cast<std::size_t>(scope)].world;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (name == "link" && !in_world) {
      link(child, scope);
    } else if (name == "joint") {
      joint(child, scope);
    } else if (name == "frame") {
      look(child, k_sdf_frame_rule);
      const int id = add_named(Kind::frame, child, scope, child.attribute("name").value());
      if (id < 0) continue;
      Named& frame = named_[static_cast<std::size_t>(id)];
      Transform<double> raw = Transform<double>::identity();
      pose(child, minor, raw, &frame.relative_to);
      frame.raw = raw;
      reference(child, "attached_to", frame.attached_to);
    } else if (name == "model") {
      model(child, scope, minor, {});
    } else if (name == "include") {
      include(child, scope, minor);
    } else if (name == "gripper" || name == "actor" || name == "light" || name == "road" || name == "population" ||
               name == "state") {
      named_once(Weight::note, child, "N_SDF", '<' + std::string(name) + '>', "it is left out");
    } else if (name == "enable_wind" && truth(node, "enable_wind", false)) {
      named_once(Weight::note, child, "N_SDF", "<enable_wind>", "it is left out: there is no wind");
    } else if (name == "self_collide") {
      named_once(Weight::note, child, "N_SDF", "<self_collide>", k_sdf_self_collide);
    }
    const auto many = static_cast<std::size_t>(std::max(options_.limits.links, 0L));
    if (links_.size() > many || scopes_.size() > many + 1) {
      refuse(child, "E_LIMIT_LINKS", "more than " + std::to_string(options_.limits.links) + " links and models",
             "fewer links");
      return;
    }
    if (found_.refused() && (name == "include" || name == "model")) return;
  }
}

/// The <model> of the file that an include names; empty where it holds none that moves, or with a finding.
pugi::xml_node SdfReader::included(pugi::xml_node node, int& minor) {
  const std::string uri = text_of(node, "uri");
  if (uri.empty()) return refuse(node, "E_INCLUDE", "an include without a uri", "<uri>"), pugi::xml_node();
  const Resolved file = uris(node).model(uri);
  if (file.code) return refuse(node.child("uri"), file.code, file.found, file.expected, file.hint), pugi::xml_node();
  XmlDocument* const document = open(file.path, node);
  if (document == nullptr) {
    refuse(node, "E_INCLUDE", detail::quoted(uri) + ", which cannot be read", "a file of SDF");
    return {};
  }
  const pugi::xml_node root = document->root();
  if (std::string_view(root.name()) != "sdf") {
    refuse(node, "E_INCLUDE", detail::quoted(uri) + ", whose root is <" + detail::excerpt(root.name(), 60) + '>',
           "a file of SDF",
           std::string_view(root.name()) == "robot" ? "an include of a URDF is not read: convert it" : "");
    return {};
  }
  if (!version_of(root, minor)) return {};
  pugi::xml_node only;
  for (const pugi::xml_node child : root.children()) {
    const std::string_view name = child.name();
    if (name != "model" && name != "actor" && name != "light" && name != "world") continue;
    if (only || name == "world") {
      refuse(node, "E_INCLUDE",
             detail::quoted(uri) + (name == "world" ? ", which has a world" : ", which has several elements"),
             "a file of one model");
      return {};
    }
    only = child;
  }
  if (std::string_view(only.name()) == "model") return only;
  named_once(Weight::note, node, "N_SDF", "an include of " + (only ? '<' + std::string(only.name()) + '>' : "nothing"),
             "it is left out: it moves nothing");
  return {};
}

void SdfReader::include(pugi::xml_node node, int scope, int minor) {
  look(node, k_sdf_include_rule);
  if (node.attribute("merge").as_bool()) {
    refuse(node, "E_INCLUDE", "merge=\"true\"", "an include that stays a model of its own",
           "merging includes are not read");
    return;
  }
  if (const pugi::xml_node params = node.child("experimental:params")) {
    refuse(params, "E_INCLUDE", "<experimental:params>", "an include without changes to its elements",
           "write the changed model into a file");
    return;
  }
  if (includes_ >= k_sdf_include_depth) {
    refuse(node, "E_INCLUDE", "includes nested deeper than " + std::to_string(k_sdf_include_depth), "fewer levels",
           "does a file include itself?");
    return;
  }
  Override from;
  from.include = node;
  from.minor = minor;
  from.name = text_of(node, "name");
  from.placement = text_of(node, "placement_frame");
  if (node.child("static")) from.fixed = truth(node, "static", false);
  if (!from.placement.empty() && !node.child("pose")) {
    refuse(node, "E_INCLUDE", "placement_frame without a pose", "<pose> beside it");
    return;
  }
  int own = 0;
  const pugi::xml_node model_node = included(node, own);
  if (!model_node) return;
  ++includes_;
  model(model_node, scope, own, from);
  --includes_;
}

/// <pose>: x y z roll pitch yaw, or x y z and a quaternion.
bool SdfReader::pose(pugi::xml_node holder, int minor, Transform<double>& raw, std::string* relative_to) {
  const pugi::xml_node node = holder.child("pose");
  if (!node) return true;
  const Element element = look(node, k_sdf_pose_rule);
  std::string base;
  if (!reference(node, "relative_to", base)) return false;
  if (base.empty() && minor <= 6) base = element.text("frame");
  if (relative_to)
    *relative_to = base;
  else if (!base.empty() && minor >= 8)
    refuse(node, "E_FRAME", "relative_to " + detail::quoted(base), "a pose in the link, as here no frame can be named");
  const std::string_view format = element.has("rotation_format") ? element.text("rotation_format") : "euler_rpy";
  const bool quaternion = format == "quat_xyzw";
  if (!quaternion && format != "euler_rpy")
    return refuse(node, "E_FORMAT", "rotation_format " + detail::quoted(format), "euler_rpy or quat_xyzw");
  const std::string_view degree_text = trimmed(element.text("degrees"));
  const bool degrees = degree_text == "true" || degree_text == "1";
  if (degrees && quaternion) return refuse(node, "E_FORMAT", "degrees with quat_xyzw", "one of them");
  const char* const text = node.child_value();
  if (trimmed(text).empty()) return true;
  double x[7] = {0, 0, 0, 0, 0, 0, 1};
  if (!vector(node, "pose", text, quaternion ? 7 : 6, x, Weight::refuse)) return false;
  raw.p = {x[0], x[1], x[2]};
  if (quaternion) {
    if (x[3] == 0 && x[4] == 0 && x[5] == 0 && x[6] == 0)
      return refuse(node, "E_QUATERNION", "a quaternion of zeros", "a direction; 0 0 0 1 is no rotation");
    raw.R = from_quaternion(x[3], x[4], x[5], x[6]);
  } else {
    const double unit = degrees ? std::numbers::pi / 180 : 1;
    raw.R = from_rpy(unit * x[3], unit * x[4], unit * x[5]);
  }
  return true;
}

/// An attribute that names a frame or link; `__root__` names none.
bool SdfReader::reference(pugi::xml_node node, const char* attribute, std::string& to) {
  to = node.attribute(attribute).value();
  if (to != "__root__") return true;
  to.clear();
  return refuse(node, "E_FRAME", std::string(attribute) + " '__root__', which is reserved", "a name of this model");
}

std::string SdfReader::text_of(pugi::xml_node node, const char* child) const {
  return std::string(trimmed(node.child(child).child_value()));
}

bool SdfReader::truth(pugi::xml_node node, const char* child, bool otherwise) {
  std::string text = text_of(node, child);
  if (text.empty()) return otherwise;
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (text == "true" || text == "1") return true;
  if (text != "false" && text != "0")
    refuse(node.child(child), "E_NUMBER", detail::quoted(text), "true, false, 1 or 0");
  return false;
}

double SdfReader::number_of(pugi::xml_node node, const char* child, double otherwise) {
  const std::string text = text_of(node, child);
  if (!text.empty()) number_in(node.child(child), text, child, Weight::refuse, otherwise);
  return otherwise;
}

double SdfReader::bound_of(pugi::xml_node node, const char* child, double otherwise) {
  const std::string text = text_of(node, child);
  if (text.empty()) return otherwise;
  double value = 0;
  const NumberFault fault = parse_number(text, value);
  const bool infinite = fault == NumberFault::overflow ||
                        (fault == NumberFault::not_finite && text.find_first_of("aA") == std::string::npos);
  if (infinite) return text.front() == '-' ? -unlimited : unlimited;
  number_in(node.child(child), text, child, Weight::refuse, value);
  return value;
}

bool SdfReader::numbers_of(pugi::xml_node node, const char* child, int count, double* out) {
  const pugi::xml_node element = node.child(child);
  return vector(element ? element : node, child, element ? element.child_value() : nullptr, count, out, Weight::refuse);
}

void SdfReader::named_once(Weight weight, pugi::xml_node node, const char* code, const std::string& what,
                           const std::string& hint) {
  Diagnostic d = at(node, code);
  d.found = what;
  d.hint = hint;
  once(weight, what, std::move(d));
}

}  // namespace zwang::io
