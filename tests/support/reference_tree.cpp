// SPDX-License-Identifier: BSD-3-Clause
// From a description to the spanning tree of the reference.
#include <set>
#include <stdexcept>
#include <tuple>

#include "support/reference.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::reference {

namespace {

std::set<std::string> children_of(const std::vector<JointDescription>& joints) {
  std::set<std::string> children;
  for (const JointDescription& j : joints) children.insert(j.child);
  return children;
}

/// The description's joints and those that `root` adds: one per root link,
/// named after the link where there are several.
std::vector<JointDescription> joints_with_root(const RobotDescription& robot, const BuildOptions& options) {
  std::vector<JointDescription> joints = robot.joints;
  if (options.root == "automatic" || options.root == "auto" || options.root == "fixed") return joints;
  const std::set<std::string> children = children_of(joints);
  std::vector<std::string> roots;
  for (const LinkDescription& l : robot.links)
    if (!children.count(l.name)) roots.push_back(l.name);
  for (const std::string& link : roots) {
    JointDescription root;
    root.name = roots.size() > 1 ? options.root_joint + "_" + link : options.root_joint;
    root.type = options.root;
    root.child = link;
    joints.push_back(root);
  }
  return joints;
}

/// Positions in `joints` so that a parent's joint comes before its children's: depth first, in document order.
std::vector<int> depth_first(const RobotDescription& robot, const std::vector<JointDescription>& joints) {
  std::map<std::string, std::vector<int>> below;
  std::map<std::string, int> on_world;  // by link
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    below[joints[j].parent].push_back(j);
    if (joints[j].parent.empty()) on_world[joints[j].child] = j;
  }
  const std::set<std::string> children = children_of(robot.joints);
  std::vector<int> order, stack;
  const auto push = [&](const std::vector<int>& next) { stack.insert(stack.end(), next.rbegin(), next.rend()); };
  for (auto link = robot.links.rbegin(); link != robot.links.rend(); ++link) {
    if (children.count(link->name)) continue;
    push(on_world.count(link->name) ? std::vector<int>{on_world[link->name]} : below[link->name]);
  }
  while (!stack.empty()) {
    const int j = stack.back();
    stack.pop_back();
    order.push_back(j);
    push(below[joints[j].child]);
  }
  return order;
}

bool follows(const JointDescription& joint, const BuildOptions& options) {
  return !options.expand_mimic && !joint.mimic.leader.empty();
}

std::vector<Real> per_coordinate(const std::vector<double>& given, int n, Real otherwise) {
  std::vector<Real> all(n, otherwise);
  for (int k = 0; k < n && !given.empty(); ++k) all[k] = given.size() == 1 ? given[0] : given.at(k);
  return all;
}

void read_effects(const JointDescription& d, int nq, int nv, SpanningJoint& joint) {
  const std::vector<Real> rotor = per_coordinate(d.rotor_inertia, nv, 0), gear = per_coordinate(d.gear_ratio, nv, 1);
  joint.armature = rotor;
  for (int k = 0; k < nv; ++k) joint.armature[k] *= gear[k] * gear[k];
  joint.damping = per_coordinate(d.damping, nv, 0);
  joint.friction = per_coordinate(d.friction, nv, 0);
  joint.stiffness = per_coordinate(d.stiffness, nv, 0);
  joint.spring_reference = per_coordinate(d.spring_reference, nq, 0);
}

RigidLink rigid_link(const LinkDescription& l) {
  RigidLink link;
  link.name = l.name;
  link.mass = l.mass;
  link.centre << l.centre.x, l.centre.y, l.centre.z;
  const Sym3<double>& I = l.inertia;
  link.inertia << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  return link;
}

}  // namespace

Coordinates depth_first_coordinates(const RobotDescription& robot, const BuildOptions& options) {
  const std::vector<JointDescription> joints = joints_with_root(robot, options);
  Coordinates all;
  for (int j : depth_first(robot, joints)) {
    if (follows(joints[j], options)) continue;
    int nq = 0, nv = 0;
    UserMotions user;
    if (joints[j].user) user[joints[j].name].nq = joints[j].user->nq;
    for (const Part& part : parts_of(joints[j], user)) {
      nq += part.nq;
      nv += part.nv;
    }
    all.of[joints[j].name] = {Range{all.nq, nq}, Range{all.nv, nv}};
    all.nq += nq;
    all.nv += nv;
  }
  return all;
}

Reference::Reference(const RobotDescription& robot, const BuildOptions& options, const Coordinates& layout,
                     const UserMotions& user)
    : nq_(layout.nq),
      nv_(layout.nv),
      gravity_(options.gravity.x, options.gravity.y, options.gravity.z) {
  read_links(robot, options);
  read_joints(robot, options, layout, user);
  read_frames(robot);
}

void Reference::read_links(const RobotDescription& robot, const BuildOptions& options) {
  std::map<std::string, const LinkDescription*> by_name;
  for (const LinkDescription& l : robot.links) by_name[l.name] = &l;
  const std::vector<JointDescription> joints = joints_with_root(robot, options);
  const auto add = [&](const std::string& name) {
    link_index_[name] = static_cast<int>(links_.size());
    links_.push_back(rigid_link(*by_name.at(name)));
  };
  const std::set<std::string> children = children_of(joints);
  for (const LinkDescription& l : robot.links)
    if (!children.count(l.name)) add(l.name);
  for (int j : depth_first(robot, joints)) add(joints[j].child);
}

void Reference::read_joints(const RobotDescription& robot, const BuildOptions& options, const Coordinates& layout,
                            const UserMotions& user) {
  const std::vector<JointDescription> given = joints_with_root(robot, options);
  std::map<std::string, const JointDescription*> by_name;
  for (const JointDescription& j : given) by_name[j.name] = &j;
  for (int k : depth_first(robot, given)) {
    const JointDescription& d = given[k];
    SpanningJoint joint;
    joint.name = d.name;
    joint.parent = d.parent.empty() ? -1 : link_index_.at(d.parent);
    joint.child = link_index_.at(d.child);
    joint.origin = pose_of(d.origin);
    joint.parts = parts_of(d, user);
    const JointDescription* leader = &d;
    while (follows(*leader, options)) {  // q = m q_l + o, through every link of the chain of leaders
      joint.offset += joint.multiplier * Real(leader->mimic.offset);
      joint.multiplier *= Real(leader->mimic.multiplier);
      leader = by_name.at(leader->mimic.leader);
    }
    int nq = 0, nv = 0;
    for (const Part& part : joint.parts) {
      if (leader != &d && !part.additive) throw std::invalid_argument("reference: joint '" + d.name + "' cannot mimic");
      nq += part.nq;
      nv += part.nv;
    }
    if (nv > 0) std::tie(joint.q, joint.v) = layout.of.at(leader->name);
    if (joint.q.size != nq || joint.v.size != nv)
      throw std::invalid_argument("reference: the layout gives joint '" + d.name + "' other numbers of coordinates");
    read_effects(d, nq, nv, joint);
    links_[joint.child].parent = joint.parent;
    links_[joint.child].joint = joint_index_[d.name] = static_cast<int>(joints_.size());
    joints_.push_back(joint);
  }
}

void Reference::read_frames(const RobotDescription& robot) {
  for (const SpanningJoint& j : joints_) frames_[j.name] = {j.child, {}};
  for (std::size_t i = 0; i < links_.size(); ++i) frames_[links_[i].name] = {static_cast<int>(i), {}};
  std::vector<const FrameDescription*> waiting;
  for (const FrameDescription& f : robot.frames) waiting.push_back(&f);
  while (!waiting.empty()) {  // a frame may name one that comes later
    std::vector<const FrameDescription*> left;
    for (const FrameDescription* f : waiting) {
      if (frames_.count(f->parent))
        add_frame(f->name, f->parent, f->placement);
      else
        left.push_back(f);
    }
    if (left.size() == waiting.size())
      throw std::invalid_argument("reference: frame '" + left[0]->name + "' hangs on nothing");
    waiting.swap(left);
  }
}

void Reference::add_frame(const std::string& name, const std::string& parent, const Transform<double>& pose) {
  const NamedFrame on = frame(parent);
  frames_[name] = {on.link, on.placement * pose_of(pose)};
}

const NamedFrame& Reference::frame(const std::string& name) const {
  const auto found = frames_.find(name);
  if (found == frames_.end()) throw std::invalid_argument("reference: no frame '" + name + "'");
  return found->second;
}

const SpanningJoint& Reference::joint(const std::string& name) const { return joints_[joint_index_.at(name)]; }

void Reference::set_link(const LinkDescription& link) {
  RigidLink& old = links_.at(link_index_.at(link.name));
  RigidLink now = rigid_link(link);
  now.parent = old.parent;
  now.joint = old.joint;
  old = now;
}

bool Reference::moves(int link) const {
  for (; link >= 0 && links_[link].joint >= 0; link = links_[link].parent)
    if (joints_[links_[link].joint].v.size > 0) return true;
  return false;
}

VectorX<Real> Reference::integrate(const VectorX<Real>& q, const VectorX<Real>& d) const {
  VectorX<Real> out = q;
  for (const SpanningJoint& j : joints_) {  // a follower writes its leader's numbers once more
    int iq = j.q.first, iv = j.v.first;
    for (const Part& part : j.parts) {
      for (int k = 0; k < part.nq; ++k) out(iq + k) = q(iq + k);
      zwang::reference::integrate(part, out.data() + iq, d.data() + iv);
      iq += part.nq;
      iv += part.nv;
    }
  }
  return out;
}

VectorX<Complex> Reference::complex_step(const VectorX<Real>& q, const VectorX<Real>& d, Real h) const {
  VectorX<Complex> out = q.cast<Complex>();
  for (const SpanningJoint& j : joints_) {
    int iq = j.q.first, iv = j.v.first;
    for (const Part& part : j.parts) {
      Jet<Real> x[7], dx[6];
      const int n = part.nq, m = part.nv;
      for (int k = 0; k < n; ++k) x[k] = q(iq + k);
      for (int k = 0; k < m; ++k) dx[k] = Jet<Real>::first(d(iv + k));
      increment(part, x, dx);
      for (int k = 0; k < n; ++k) out(iq + k) = Complex(q(iq + k), h * x[k].b);
      iq += n;
      iv += m;
    }
  }
  return out;
}

}  // namespace zwang::reference
