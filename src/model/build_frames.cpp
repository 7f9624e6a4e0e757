// SPDX-License-Identifier: BSD-3-Clause
// Step 5: joints, links and frames as users see them: numbers, poses in their bodies,
// and the tables from name to number.
#include <unordered_map>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

template <class T> std::size_t at(T i) { return static_cast<std::size_t>(i); }

void fill_joints(const Order& order, const Bodies& bodies, const Coordinates& c, Model::Impl& impl) {
  Index next_q = 0, next_v = 0;  // where a joint without coordinates is said to stand
  for (std::size_t i = 0; i < order.edges.size(); ++i) {
    const Edge& edge = order.edges[i];
    if (edge.joint == nullptr) continue;
    Joint& j = impl.joints.emplace_back();
    j.name = edge.joint->name;
    j.type = edge.joint->type;
    j.parent = LinkId(edge.parent);
    j.child = LinkId(edge.link);
    j.q = c.q[i].size > 0 ? c.q[i] : Range{next_q, 0};
    j.v = c.v[i].size > 0 ? c.v[i] : Range{next_v, 0};
    if (c.leader[i] == static_cast<Index>(i)) {
      next_q += c.q[i].size;
      next_v += c.v[i].size;
    }
    j.body = BodyId(bodies.edge_body[i]);
    long ignored = 0;
    j.axis = unit_axis(edge.joint->axis, ignored).value_or(Vec3<double>{0, 0, 1});
    if (c.leader[i] != static_cast<Index>(i)) j.mimic = edge.joint->mimic;
    j.lumped = bodies.lumped[i] != 0;
    j.description = *edge.joint;
    impl.joint_of.add(impl.joints, edge.id);
  }
  impl.body_joint.assign(bodies.body.size(), -1);
  for (std::size_t b = 1; b < bodies.body.size(); ++b) impl.body_joint[b] = order.edges[at(bodies.source[b].edge)].id;
}

void fill_links(const RobotDescription& robot, const Order& order, const Bodies& bodies, Model::Impl& impl) {
  impl.links.resize(robot.links.size());
  for (const Edge& edge : order.edges) {
    const LinkDescription& d = robot.links[at(edge.link)];
    Link& l = impl.links[at(edge.link)];
    l.name = d.name;
    l.body = BodyId(bodies.link_body[at(edge.link)]);
    l.parent = LinkId(edge.parent);
    l.joint = JointId(edge.id);
    l.frame = FrameId(edge.link);
    l.mass = d.mass;
    l.centre = d.centre;
    l.inertia = d.inertia;
    l.in_body = bodies.link_in_body[at(edge.link)];
    l.shapes = d.shapes;
    l.gravity_scale = d.gravity_scale;
    impl.mass += d.mass;
  }
  for (std::size_t i = 0; i < impl.links.size(); ++i) {
    const Link& l = impl.links[i];
    impl.link_of.add(impl.links, static_cast<Index>(i));
    impl.frames.push_back({l.name, Frame::Kind::link, l.body, LinkId(static_cast<Index>(i)), l.in_body});
  }
}

/// Frames of the user in the order of the description, each after the frames that it hangs on.
void fill_user_frames(const RobotDescription& robot, double tiny, Model::Impl& impl, Diagnostics& found) {
  const std::size_t n = robot.frames.size(), first = impl.frames.size(), before = found.size();
  std::unordered_map<std::string, std::size_t> user;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = robot.frames[i].name;
    if (impl.frame_number(name) < 0 && user.emplace(name, i).second) continue;
    Diagnostic d;
    d.path = "robot/frame[" + name + "]";
    d.code = "E_DUPLICATE";
    d.found = "'" + name + "', the name of another link, joint or frame";
    d.expected = "a name of its own";
    found.push_back(std::move(d));
  }
  if (found.size() > before) return;  // what was found earlier are warnings
  impl.frames.resize(first + n);
  std::vector<char> state(n, 0);  // 1 waiting for its parent, 2 placed
  std::vector<std::size_t> walk;
  long snapped_count = 0;
  for (std::size_t start = 0; start < n; ++start) {
    if (state[start] == 0) walk.push_back(start);
    while (!walk.empty()) {
      const std::size_t i = walk.back();
      const FrameDescription& d = robot.frames[i];
      const Index fixed = impl.frame_number(d.parent);  // a link or a joint: the user's are not in the table yet
      const auto other = user.find(d.parent);
      const bool waits = fixed < 0 && other != user.end() && state[other->second] == 0;
      if (waits) {
        state[i] = 1;
        walk.push_back(other->second);
        continue;
      }
      const bool known = fixed >= 0 || (other != user.end() && state[other->second] == 2);
      if (!known) {
        Diagnostic wrong;
        wrong.code = "E_LINK";
        wrong.path = "robot/frame[" + d.name + "]/parent";
        wrong.found = "'" + d.parent + "'";
        wrong.expected = "a link, a joint or another frame, without going in a circle";
        found.push_back(std::move(wrong));
        return;
      }
      const std::size_t parent = fixed >= 0 ? at(fixed) : first + other->second;
      impl.frames[first + i] = placed_frame(d.name, impl.frames[parent], d.placement, tiny, snapped_count);
      state[i] = 2;
      walk.pop_back();
    }
  }
  for (std::size_t i = 0; i < n; ++i) impl.user_frame_of.add(impl.frames, static_cast<Index>(first + i));
}

void fill_loops(const RobotDescription& robot, Model::Impl& impl) {
  const auto frame = [&](const std::string& name) { return FrameId(impl.frame_number(name)); };
  for (const JointDescription& j : robot.joints) {
    if (!j.closes_loop) continue;
    Loop& loop = impl.loops.emplace_back();
    loop.name = j.name;
    loop.type = j.type;
    loop.parent = LinkId(impl.link_of.find(impl.links, j.parent));
    loop.child = LinkId(impl.link_of.find(impl.links, j.child));
    loop.predecessor = frame(j.name + "_predecessor");
    loop.successor = frame(j.name + "_successor");
    long ignored = 0;
    loop.axis = unit_axis(j.axis, ignored).value_or(Vec3<double>{0, 0, 1});
    loop.second_axis = j.type == "universal" ? column_x(canonical_rotation(loop.axis)) : Vec3<double>::zero();
    loop.description = j;
  }
}

}  // namespace

Frame placed_frame(const std::string& name, const Frame& parent, const Transform<double>& pose, double tiny,
                   long& count) {
  return {name, Frame::Kind::user, parent.body, parent.link, snapped(parent.in_body * pose, tiny, count)};
}

void fill_names_and_frames(const RobotDescription& robot, const Order& order, const Bodies& bodies,
                           const Coordinates& coordinates, Model::Impl& impl, Diagnostics& found) {
  impl.joints.reserve(order.edges.size());
  impl.frames.reserve(robot.links.size() + order.edges.size() + robot.frames.size());
  impl.joint_of.reserve(order.edges.size());
  impl.link_of.reserve(robot.links.size());
  fill_joints(order, bodies, coordinates, impl);
  fill_links(robot, order, bodies, impl);
  long snapped_count = 0;
  for (const Joint& j : impl.joints) {
    const Link& child = impl.links[at(j.child.value)];
    const Transform<double>& in_child = j.description.child_origin;
    impl.frames.push_back(
        {j.name, Frame::Kind::joint, child.body, j.child,
         is_identity(in_child) ? child.in_body : snapped(child.in_body * in_child, bodies.tiny, snapped_count)});
  }
  const std::size_t before = found.size();
  fill_user_frames(robot, bodies.tiny, impl, found);
  if (found.size() == before) fill_loops(robot, impl);
}

}  // namespace zwang::building
