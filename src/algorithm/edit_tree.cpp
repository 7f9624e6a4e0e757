// SPDX-License-Identifier: BSD-3-Clause
// Edits of the tree: robots put together and taken apart, links merged.
#include <algorithm>
#include <set>
#include <utility>

#include "algorithm/editing.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/structure.hpp"

namespace zwang {
namespace editing {

void leave_out_lost_data(RobotDescription& robot) {
  const Names<std::vector<JointDescription>> joints(robot.joints);
  const Names<std::vector<LinkDescription>> links(robot.links);
  std::erase_if(robot.motors, [&](const MotorDescription& m) { return joints.find(m.joint) < 0; });
  std::erase_if(robot.contact_exclusions,
                [&](const ContactExclusion& x) { return links.find(x.first) < 0 || links.find(x.second) < 0; });
}

}  // namespace editing

namespace {

using editing::at;
using editing::Names;
using editing::refuse;
using Links = std::vector<LinkDescription>;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// Links that a joint of the tree carries.
std::vector<char> carried(const RobotDescription& robot, const Names<Links>& number) {
  std::vector<char> hangs(robot.links.size(), 0);
  for (const JointDescription& j : robot.joints)
    if (!j.closes_loop) hangs[at(number.find(j.child))] = 1;
  return hangs;
}

void add_prefix(RobotDescription& robot, const std::string& prefix) {
  for (LinkDescription& l : robot.links) l.name.insert(0, prefix);
  for (JointDescription& j : robot.joints) {
    for (std::string* name : {&j.name, &j.parent, &j.child}) name->insert(0, prefix);
    if (!j.mimic.leader.empty()) j.mimic.leader.insert(0, prefix);
  }
  for (FrameDescription& f : robot.frames) f.name.insert(0, prefix), f.parent.insert(0, prefix);
  for (MotorDescription& m : robot.motors) m.name.insert(0, prefix), m.joint.insert(0, prefix);
  for (ContactExclusion& x : robot.contact_exclusions) x.first.insert(0, prefix), x.second.insert(0, prefix);
}

template <class Items> void refuse_clashes(const Model& model, const Items& items, const char* kind) {
  const auto taken = [&](const std::string& name) {
    if (model.find_frame(name) || model.find_link(name)) return true;
    return std::any_of(model.loops().begin(), model.loops().end(), [&](const Loop& l) { return l.name == name; });
  };
  for (const auto& x : items)
    if (taken(x.name))
      refuse("E_DUPLICATE", std::string("robot/") + kind + "[" + x.name + "]",
             std::string("a ") + kind + " " + quoted(x.name) + " of the other robot, and the same name in this one",
             "names of its own", "give the other robot's names a prefix");
}

void refuse_motor_clashes(const RobotDescription& robot, const RobotDescription& more) {
  const Names<std::vector<MotorDescription>> number(robot.motors);
  for (const MotorDescription& m : more.motors)
    if (number.find(m.name) >= 0)
      refuse("E_DUPLICATE", "robot/motor[" + m.name + "]",
             "a motor " + quoted(m.name) + " of the other robot, and the same name in this one", "names of its own",
             "give the other robot's names a prefix");
}

/// The inertia of a link about its own origin, and back. A link behind a fixed joint need not be a solid.
Inertia<double> about_origin(const LinkDescription& l) { return from_centre(l.mass, l.centre, l.inertia); }
bool is_zero(const Inertia<double>& I) {
  for (const double x : {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz})
    if (x != 0) return false;
  return true;
}
void set_inertia(LinkDescription& l, const Inertia<double>& I) {
  l.mass = I.m;
  l.centre = I.m > 0 ? I.h * (1 / I.m) : Vec3<double>::zero();
  l.inertia = I.I - point_inertia(l.mass, l.centre);
}

/// Links that are merged into others: into which, and where they are in it.
struct Merged {
  std::vector<Index> into;  ///< of each link; itself where it stays
  std::vector<Transform<double>> pose;
};

Merged merged_links(const Model& model, const RobotDescription& robot, const Names<Links>& number) {
  Merged x;
  x.into.resize(robot.links.size());
  x.pose.assign(robot.links.size(), Transform<double>::identity());
  std::vector<char> ends_loop(robot.links.size(), 0);
  for (const JointDescription& j : robot.joints)
    if (j.closes_loop) ends_loop[at(number.find(j.child))] = 1;
  for (std::size_t k = 0; k < x.into.size(); ++k) x.into[k] = static_cast<Index>(k);
  for (const Joint& j : model.joints()) {  // depth first: parents come before their children
    if (j.type != "fixed" || !j.parent || ends_loop[at(j.child.value)]) continue;
    const LinkDescription& link = robot.links[at(j.child.value)];
    if (link.mass != 0 && link.gravity_scale != robot.links[at(x.into[at(j.parent.value)])].gravity_scale) continue;
    x.into[at(j.child.value)] = x.into[at(j.parent.value)];
    x.pose[at(j.child.value)] = x.pose[at(j.parent.value)] * j.description.origin * inverse(j.description.child_origin);
  }
  return x;
}

/// Tree joints depth first, then those that close loops: the order of
/// coordinates does not change where links are merged.
std::vector<JointDescription> depth_first(const Model& model, std::vector<JointDescription> joints) {
  const Names<std::vector<JointDescription>> number(joints);
  std::vector<JointDescription> sorted;
  for (const Joint& j : model.joints())
    if (const Index k = number.find(j.name); k >= 0) sorted.push_back(joints[at(k)]);
  for (JointDescription& j : joints)
    if (j.closes_loop) sorted.push_back(std::move(j));
  return sorted;
}

/// Keeps the links that `stays` names, and what hangs on them.
RobotDescription part_of(const Model& model, const std::vector<char>& stays) {
  const RobotDescription& whole = model.description();
  const Names<Links> number(whole.links);
  const auto is_there = [&](const std::string& link) { return stays[at(number.find(link))] != 0; };
  RobotDescription part{.name = whole.name, .motors = whole.motors, .contact_exclusions = whole.contact_exclusions};
  for (std::size_t k = 0; k < whole.links.size(); ++k)
    if (stays[k]) part.links.push_back(whole.links[k]);
  for (const JointDescription& j : whole.joints)
    if (is_there(j.parent) && is_there(j.child)) part.joints.push_back(j);
  for (const FrameDescription& f : whole.frames)
    if (stays[at(model.frame(f.name).link.value)]) part.frames.push_back(f);
  const Names<std::vector<JointDescription>> joints(part.joints);
  for (const JointDescription& j : part.joints)
    if (!j.closes_loop && !j.mimic.leader.empty() && joints.find(j.mimic.leader) < 0)
      refuse("E_MIMIC", "robot/joint[" + j.name + "]/mimic",
             quoted(j.name) + ", which follows " + quoted(j.mimic.leader), "its leader among the joints that stay",
             "remove the mimic, or lock the joint, first");
  editing::leave_out_lost_data(part);
  return part;
}

/// Exclusions of links that are merged become those of the links that take their shapes, each pair once.
void merge_exclusions(RobotDescription& robot, const Names<Links>& number, const Merged& merged) {
  std::set<std::pair<Index, Index>> seen;
  std::vector<ContactExclusion> kept;
  for (ContactExclusion& x : robot.contact_exclusions) {
    const Index a = merged.into[at(number.find(x.first))], b = merged.into[at(number.find(x.second))];
    if (a == b || !seen.insert(std::minmax(a, b)).second) continue;
    x.first = robot.links[at(a)].name;
    x.second = robot.links[at(b)].name;
    kept.push_back(std::move(x));
  }
  robot.contact_exclusions = std::move(kept);
}

/// 1 for the link and all that it carries.
std::vector<char> behind(const Model& model, const std::string& link) {
  const Link& first = model.link(link);
  std::vector<char> in(model.links().size(), 0);
  in[static_cast<std::size_t>(&first - model.links().data())] = 1;
  for (const Joint& j : model.joints())  // depth first
    if (j.parent && in[at(j.parent.value)]) in[at(j.child.value)] = 1;
  return in;
}

/// From child to parent, with the frames of both links where they were. With before and after, what is fixed on both
/// sides of the part that moves: (before X(q) after)^-1 = after^-1 X(q)^-1 before^-1.
JointDescription reversed(JointDescription j) {
  Transform<double> before = j.origin, after = Transform<double>::identity();
  JointPart moving{.type = j.type, .axis = j.axis, .parameters = j.parameters};
  int moves = 0;
  for (const JointPart& part : j.parts) {
    Transform<double>& side = moves > 0 ? after : before;
    side = side * part.origin;
    if (part.type == "fixed") continue;
    ++moves;
    moving = part;
  }
  after = after * inverse(j.child_origin);
  j.child_origin = Transform<double>::identity();
  const Vec3<double> axis = before.R * moving.axis;  // in the frame of the old parent
  const Vec3<double> arm = cross(before.p, axis);
  const bool turns = moving.type == "revolute" || moving.type == "continuous" || moving.type == "helical";
  if (moves > 1 || !(turns || moving.type == "prismatic" || moving.type == "fixed"))
    refuse(
        "E_JOINT_TYPE", "robot/joint[" + j.name + "]",
        quoted(j.name) + " of type " + quoted(j.type) + " between the new root and the old one",
        "on the way fixed, revolute, continuous, prismatic or helical joints, or composite joints of one of these and "
        "fixed parts");
  std::swap(j.parent, j.child);
  if (turns && dot(arm, arm) > 1e-28 * dot(before.p, before.p) * dot(axis, axis)) {
    j.type = "composite";
    j.origin = inverse(after);
    j.parts = {{.type = moving.type, .axis = -moving.axis, .parameters = moving.parameters},
               {.type = "fixed", .origin = inverse(before)}};
    j.parameters.clear();
  } else {
    j.type = moving.type;
    j.origin = inverse(before * after);
    j.axis = -axis;
    j.parameters = moving.parameters;
    j.parts.clear();
  }
  return j;
}

}  // namespace

Model append(const Model& model, const Model& other, const std::string& at_frame, const Transform<double>& pose,
             const std::string& prefix) {
  model.frame(at_frame);  // throws with the nearest name
  const FramePlace place = place_of(model, model.find_frame(at_frame));
  RobotDescription robot = model.description(), more = other.description();
  add_prefix(more, prefix);
  const Names<Links> number(more.links);
  const std::vector<char> hangs = carried(more, number);
  const std::ptrdiff_t roots = std::count(hangs.begin(), hangs.end(), 0);
  if (roots != 1)
    refuse("E_LINK", "robot", std::to_string(roots) + " root links of the other robot " + quoted(other.name()),
           "one root link");
  const std::string root =
      more.links[static_cast<std::size_t>(std::find(hangs.begin(), hangs.end(), 0) - hangs.begin())].name;
  const JointDescription mount{.name = root + "_mount",
                               .parent = model.links()[at(place.link.value)].name,
                               .child = root,
                               .origin = place.pose * pose};
  refuse_clashes(model, more.links, "link");
  refuse_clashes(model, more.joints, "joint");
  refuse_clashes(model, more.frames, "frame");
  refuse_clashes(model, std::vector<JointDescription>{mount}, "joint");
  refuse_motor_clashes(robot, more);
  const auto add = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  add(robot.links, more.links);
  robot.joints.push_back(mount);
  add(robot.joints, more.joints);
  add(robot.frames, more.frames);
  add(robot.motors, more.motors);
  add(robot.contact_exclusions, more.contact_exclusions);
  BuildOptions options = model.options();
  if (!other.loops().empty()) options.loops = ClosedLoops::constraints;
  return build(std::move(robot), options);
}

Model merge_fixed(const Model& model) {
  RobotDescription robot = model.description();
  robot.joints = depth_first(model, std::move(robot.joints));
  const Names<Links> number(model.description().links);
  const Merged merged = merged_links(model, robot, number);
  const auto goes = [&](Index link) { return merged.into[at(link)] != link; };

  std::vector<Inertia<double>> sum(robot.links.size(), Inertia<double>::zero());
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    if (!goes(static_cast<Index>(k))) continue;
    LinkDescription& into = robot.links[at(merged.into[k])];
    sum[at(merged.into[k])] += merged.pose[k] * about_origin(robot.links[k]);
    for (Shape& s : robot.links[k].shapes) {
      s.origin = merged.pose[k] * s.origin;
      into.shapes.push_back(std::move(s));
    }
    robot.frames.push_back({robot.links[k].name, into.name, merged.pose[k]});
  }
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    if (!is_zero(sum[k])) set_inertia(robot.links[k], about_origin(robot.links[k]) + sum[k]);

  std::vector<JointDescription> joints;
  for (JointDescription& j : robot.joints) {
    const Index child = number.find(j.child), parent = number.find(j.parent), into = merged.into[at(parent)];
    if (!j.closes_loop && goes(child)) {
      if (j.name != j.child) robot.frames.push_back({j.name, j.child, j.child_origin});
      continue;
    }
    if (goes(parent)) {
      j.parent = robot.links[at(into)].name;
      j.origin = merged.pose[at(parent)] * j.origin;
      for (FrameDescription& f : robot.frames)  // that of a loop must be where the loop is
        if (j.closes_loop && f.name == j.name + "_predecessor") f.parent = j.parent, f.placement = j.origin;
    }
    joints.push_back(std::move(j));
  }
  robot.joints = std::move(joints);
  merge_exclusions(robot, number, merged);
  Links links;
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    if (!goes(static_cast<Index>(k))) links.push_back(std::move(robot.links[k]));
  robot.links = std::move(links);
  editing::leave_out_lost_data(robot);
  return build(std::move(robot), model.options());
}

Model subtree(const Model& model, const std::string& link) {
  RobotDescription part = part_of(model, behind(model, link));
  BuildOptions options = model.options();
  options.root = "fixed";
  return build(std::move(part), options);
}

Model remove_subtree(const Model& model, const std::string& link) {
  if (!model.link(link).parent)
    refuse("E_LINK", "robot/link[" + link + "]", quoted(link) + ", a root link", "a link that another link carries");
  std::vector<char> stays = behind(model, link);
  for (char& s : stays) s = !s;
  return build(part_of(model, stays), model.options());
}

Model re_root(const Model& model, const std::string& link) {
  RobotDescription robot = model.description();
  const Names<std::vector<JointDescription>> number(model.description().joints);
  for (const Link* l = &model.link(link); l->parent; l = &model.links()[at(l->parent.value)]) {
    JointDescription& j = robot.joints[at(number.find(model.joints()[at(l->joint.value)].name))];
    j = reversed(std::move(j));
  }
  return build(std::move(robot), model.options());
}

}  // namespace zwang
