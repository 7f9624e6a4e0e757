// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: from what was read to a tree of joints that hangs on the world, the joints that close loops, and gears.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/sdf_reader.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

/// Which links hang together (Tarjan 1975; union by path halving).
class Parts {
 public:
  explicit Parts(std::size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), std::size_t{0}); }
  std::size_t of(std::size_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { up_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> up_;
};

bool turns(const std::string& type) { return type == "revolute" || type == "continuous"; }

}  // namespace

const std::string& SdfReader::link_name(int link) const {
  static const std::string world = "world";
  return link < 0 ? world : links_[at_index(link)].name;
}

/// The frames of a joint; false, with a finding, where a name leads to no link.
bool SdfReader::place(const JointText& joint, Placed& placed) {
  const Named& e = named_[at_index(joint.entity)];
  std::vector<int> way;
  const auto end = [&](const char* which, const std::string& name, int& link) {
    link = which[0] == 'p' && name == "world" ? k_world : body_of(e.scope, name);
    if (link != k_unknown) return true;
    const pugi::xml_node at = e.node.child(which);
    if (!path(e.scope, name, way)) return unknown_name(at, "E_LINK", e.scope, name, which);
    return refuse(at, "E_CYCLE", which + (' ' + detail::quoted(name)) + ", which is fixed to no link",
                  "a name that leads to a link");
  };
  if (!end("parent", joint.parent, placed.parent) || !end("child", joint.child, placed.child)) return false;
  if (placed.child == k_world)
    return refuse(e.node.child("child"), "E_LINK",
                  detail::quoted(joint.child) + " as a child, which is fixed to the world", "the world as a parent",
                  "exchange parent and child");
  if (placed.parent == placed.child)
    return refuse(e.node, "E_SELF_JOINT",
                  detail::quoted(joint.parent) + " and " + detail::quoted(joint.child) + ", both on link " +
                      detail::quoted(link_name(placed.child)),
                  "two different links");
  const bool in_child = e.relative_to.empty() && path(e.scope, joint.child, way) && way.size() == 1 &&
                        named_[at_index(way[0])].kind == Kind::link;
  placed.child_origin = in_child ? e.raw : inverse_times(in_scope(placed.child, e.scope), e.pose);
  placed.origin =
      placed.parent == k_world ? in_world(joint.entity) : inverse_times(in_scope(placed.parent, e.scope), e.pose);
  return axes_of(joint, placed, e.pose.R);
}

bool SdfReader::axes_of(const JointText& joint, Placed& placed, const Mat3<double>& in_scope) {
  const int scope = named_[at_index(joint.entity)].scope;
  std::vector<int> way;
  for (const Axis& a : joint.axes) {
    Vec3<double> v = a.xyz;
    if (!a.expressed_in.empty()) {
      if (!path(scope, a.expressed_in, way))
        return unknown_name(a.node.child("xyz") ? a.node.child("xyz") : a.node, "E_FRAME", scope, a.expressed_in,
                            "expressed_in");
      v = transpose_times(in_scope, pose_along(way).R * v);
    }
    const double length = norm(v);
    placed.axes.push_back(length > 0 && std::isfinite(length) ? v * (1 / length) : v);
  }
  return true;
}

/// The world and links of static models.
bool SdfReader::is_fixed(int link) const {
  return link == k_world || scopes_[at_index(named_[at_index(link_entity_[at_index(link)])].scope)].fixed;
}

/// The joint that carries each link: its first, unless that would close a circle; -1 for those that hang on none.
std::vector<int> SdfReader::carriers(const std::vector<Placed>& placed) {
  std::vector<int> carrier(links_.size(), -1);
  Parts parts(links_.size() + 1);
  const auto number = [&](int link) { return link < 0 ? links_.size() : at_index(link); };
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (is_fixed(static_cast<int>(i))) parts.join(i, links_.size());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const std::size_t child = at_index(placed[j].child), parent = number(placed[j].parent);
    const bool free = joints_[j].type != "gearbox" && carrier[child] < 0 && !is_fixed(placed[j].child);
    if (!free || parts.of(child) == parts.of(parent)) continue;
    carrier[child] = static_cast<int>(j);
    parts.join(child, parent);
  }
  return carrier;
}

/// What hangs on no joint is fixed to the world in a static model, and floats otherwise.
void SdfReader::add_roots(const std::vector<int>& carrier, RobotDocument& document) {
  const bool several = std::count(carrier.begin(), carrier.end(), -1) > 1;
  const std::string& wanted = options_.root;
  const std::string type = wanted == "automatic" || wanted == "auto" ? "floating" : wanted;
  DescribedConfiguration file{.name = "file"};
  for (std::size_t i = 0; i < carrier.size(); ++i) {
    if (carrier[i] >= 0) continue;
    const Named& link = named_[at_index(link_entity_[i])];
    const Transform<double> X = in_world(link_entity_[i]);
    JointDescription joint{
        .name = {}, .parent = "world", .child = links_[i].name, .actuated = JointDescription::Actuated::no};
    joint.place = links_[i].place;
    const bool fixed = scopes_[at_index(link.scope)].fixed;
    joint.type = fixed ? "fixed" : type;
    document.uses_root = document.uses_root || !fixed;
    if (joint.type == "fixed")
      joint.name = joint_names_.fresh(links_[i].name + "_fixed");
    else
      joint.name = joint_names_.fresh(several ? links_[i].name + "_root" : options_.root_joint);
    if (joint.type == "floating") {
      const Quat<double> u = from_rotation(X.R);
      file.joints.push_back({.joint = joint.name, .q = {X.p.x, X.p.y, X.p.z, u.x, u.y, u.z, u.w}});
    } else {
      joint.origin = X;
    }
    document.robot.joints.push_back(std::move(joint));
  }
  document.configurations.push_back(std::move(file));
}

void SdfReader::add_numbers(const JointText& joint, JointDescription& to) {
  struct Number {
    std::vector<double> JointDescription::*to;
    double Axis::*from;
    bool bound;  ///< written where there is none, too: SDF says that there is none
  };
  static constexpr Number k_numbers[] = {{&JointDescription::lower, &Axis::lower, true},
                                         {&JointDescription::upper, &Axis::upper, true},
                                         {&JointDescription::effort, &Axis::effort, true},
                                         {&JointDescription::velocity, &Axis::velocity, true},
                                         {&JointDescription::damping, &Axis::damping, false},
                                         {&JointDescription::friction, &Axis::friction, false},
                                         {&JointDescription::stiffness, &Axis::stiffness, false},
                                         {&JointDescription::spring_reference, &Axis::reference, false}};
  for (const Number& n : k_numbers) {
    const bool says =
        n.bound || std::any_of(joint.axes.begin(), joint.axes.end(), [&](const Axis& a) { return a.*n.from != 0; });
    if (says)
      for (const Axis& a : joint.axes) (to.*n.to).push_back(a.*n.from);
  }
}

JointDescription SdfReader::description_of(const JointText& joint, const Placed& placed) {
  const Named& e = named_[at_index(joint.entity)];
  JointDescription to{.name = full_name(joint.entity), .type = joint.type};
  to.parent = link_name(placed.parent), to.child = link_name(placed.child);
  to.origin = placed.origin, to.child_origin = placed.child_origin;
  to.place = place_of(e.node);
  if (joint.type == "ball") to.type = "spherical";
  if (joint.type == "screw") to.type = "helical", to.parameters = {joint.pitch};
  if (joint.axes.empty()) return to;
  if (joint.axes.size() == 2) {
    to.type = "composite";
    for (const Vec3<double>& a : placed.axes) to.parts.push_back({.type = "revolute", .axis = a});
  } else {
    to.axis = placed.axes[0];
  }
  add_numbers(joint, to);
  const Axis& first = joint.axes[0];
  if (joint.axes.size() == 1 && !first.leader.empty()) {
    std::vector<int> way;
    if (path(e.scope, first.leader, way) && !way.empty() && named_[at_index(way.back())].kind == Kind::joint)
      to.mimic = {full_name(way.back()), first.multiplier, first.offset};
    else
      unknown_name(first.node.child("mimic"), "E_MIMIC", e.scope, first.leader, "mimic of");
  }
  return to;
}

void SdfReader::add_frames(RobotDocument& document) {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    const Named& e = named_[i];
    if (e.kind != Kind::frame) continue;
    int body = body_of(e.scope, e.name);
    if (body == k_unknown && scopes_[at_index(e.scope)].fixed && e.attached_to.empty()) body = k_world;
    std::vector<int> way;
    if (body == k_unknown) {
      if (!e.attached_to.empty() && !path(e.scope, e.attached_to, way))
        unknown_name(e.node, "E_FRAME", e.scope, e.attached_to, "attached_to");
      else
        refuse(e.node, "E_CYCLE", "frame " + detail::quoted(e.name) + ", which is attached to no link",
               "a frame that leads to a link");
      continue;
    }
    const Transform<double> X =
        body == k_world ? in_world(static_cast<int>(i)) : inverse_times(in_scope(body, e.scope), e.pose);
    document.robot.frames.push_back({full_name(static_cast<int>(i)), link_name(body), X});
  }
}

/// theta_2 = -ratio theta_1: theta_1, theta_2 are the angles of parent and child on the body that holds both, about the
/// axes of the gearbox; so far as those links turn on that body about these axes.
void SdfReader::gearbox(std::size_t j, const std::vector<Placed>& placed, const std::vector<int>& carrier,
                        RobotDocument& document) {
  const JointText& gear = joints_[j];
  const Named& e = named_[at_index(gear.entity)];
  const int holder = body_of(e.scope, gear.reference_body);
  if (holder == k_unknown) {
    unknown_name(e.node.child("gearbox_reference_body"), "E_GEARBOX", e.scope, gear.reference_body,
                 "gearbox_reference_body");
    return;
  }
  const auto world_rotation = [&](int entity) { return in_world(entity).R; };
  CouplingConstraint rows{.name = full_name(gear.entity)};
  for (int side = 0; side < 2; ++side) {
    const int link = side == 0 ? placed[j].parent : placed[j].child;
    const int on = link < 0 ? -1 : carrier[at_index(link)];
    if (on < 0 || placed[at_index(on)].parent != holder || !turns(joints_[at_index(on)].type)) {
      refuse(
          e.node, "E_GEARBOX",
          "link " + detail::quoted(link_name(link)) + ", which does not turn on " + detail::quoted(link_name(holder)),
          "a revolute joint between them", "the angles of a gearbox are those of its links on the reference body");
      return;
    }
    const Vec3<double> own = world_rotation(gear.entity) * placed[j].axes[at_index(side)];
    const Vec3<double> of_joint = world_rotation(joints_[at_index(on)].entity) * placed[at_index(on)].axes[0];
    const double along = dot(own, of_joint);
    if (std::fabs(std::fabs(along) - 1) > 1e-6) {
      refuse(e.node, "E_GEARBOX",
             std::string(side == 0 ? "axis" : "axis2") + " off the axis of joint " +
                 detail::quoted(full_name(joints_[at_index(on)].entity)),
             "the axis about which link " + detail::quoted(link_name(link)) + " turns");
      return;
    }
    rows.coordinates.push_back(full_name(joints_[at_index(on)].entity));
    rows.ratio.push_back((side == 0 ? gear.ratio : 1) * std::copysign(1.0, along));
  }
  document.constraints.push_back({std::move(rows), place_of(e.node)});
}

RobotDocument SdfReader::assemble() {
  RobotDocument document;
  if (!resolve_poses()) return document;
  std::vector<Placed> placed(joints_.size());
  bool good = true;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    good = place(joints_[j], placed[j]) && good;
    joint_names_.add(full_name(joints_[j].entity));
  }
  add_frames(document);
  if (!good || found_.refused()) return document;
  settle_bitmasks();
  document.rooted = true;
  document.gravity = gravity_;
  document.robot.name = robot_name_;
  const std::vector<int> carrier = carriers(placed);
  document.robot.joints.reserve(joints_.size() + 1);
  add_roots(carrier, document);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j].type == "gearbox") {
      gearbox(j, placed, carrier, document);
      continue;
    }
    if (is_fixed(placed[j].parent) && is_fixed(placed[j].child)) {
      named_once(Weight::note, named_[at_index(joints_[j].entity)].node, "N_SDF",
                 "a joint between links of static models", "it is left out: both are fixed to the world");
      continue;
    }
    JointDescription joint = description_of(joints_[j], placed[j]);
    joint.closes_loop = carrier[at_index(placed[j].child)] != static_cast<int>(j);
    document.robot.joints.push_back(std::move(joint));
  }
  LinkDescription ground{.name = "world"};
  ground.place = place_of(scopes_[0].node);
  document.robot.links.reserve(links_.size() + 1);
  document.robot.links.push_back(std::move(ground));
  for (LinkDescription& link : links_) document.robot.links.push_back(std::move(link));
  return document;
}

}  // namespace zwang::io
