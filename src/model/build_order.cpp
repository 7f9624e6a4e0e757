// SPDX-License-Identifier: BSD-3-Clause
// Step 1: links and joints depth first, siblings in the order of the description, and the joint that hangs the root
// on the world.
#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "model/build_steps.hpp"

namespace zwang::building {
namespace {

/// Names under which the root links hang on the world: `root_joint`, or
/// `root_joint_LINK` where there are several roots.
std::string root_joint_name(const BuildOptions& options, const std::string& link, bool several) {
  return several ? options.root_joint + "_" + link : options.root_joint;
}

/// Is there anything to add between the world and a root link?
bool moves(const std::string& root) { return root != "automatic" && root != "auto" && root != "fixed"; }

/// Refuses root joint types that the options cannot describe.
bool usable_root(const BuildOptions& options, Diagnostics& found) {
  const std::optional<JointTypeInfo> type = type_of(options.root, nullptr);
  if (type && type->parameters == 0) return true;
  Diagnostic d;
  d.code = "E_JOINT_TYPE";
  d.path = "options/root";
  d.found = "'" + options.root + "'";
  d.expected = "automatic, fixed, floating, planar, or another joint type without parameters";
  std::vector<std::string> known = joint_type_names();
  known.insert(known.end(), {"automatic", "fixed", "continuous"});
  const std::string close = nearest_name(options.root, known);
  if (type)
    d.hint = "describe the joint in the robot itself, where its parameters can be given";
  else if (!close.empty())
    d.hint = "did you mean '" + close + "'?";
  found.push_back(d);
  return false;
}

void add_roots(const RobotDescription& robot, const BuildOptions& options, const std::vector<Index>& roots,
               Order& order, Diagnostics& found) {
  const bool with_joint = moves(options.root);
  if (with_joint && !usable_root(options, found)) return;
  std::unordered_set<std::string> taken;
  if (with_joint)
    for (const JointDescription& j : robot.joints) taken.insert(j.name);
  for (const Index link : roots) {
    Edge edge{nullptr, link, -1, with_joint};
    if (with_joint) {
      JointDescription joint;
      joint.name = root_joint_name(options, robot.links[static_cast<std::size_t>(link)].name, roots.size() > 1);
      joint.type = options.root;
      joint.child = robot.links[static_cast<std::size_t>(link)].name;
      joint.actuated = JointDescription::Actuated::no;
      joint.place = robot.links[static_cast<std::size_t>(link)].place;
      if (!taken.insert(joint.name).second)
        refuse(found, "E_DUPLICATE", joint, "a joint of the robot named '" + joint.name + "'",
               "another name for the root joint", "set the option root_joint to a name that the robot does not use");
      order.root_joints.push_back(joint);
      edge.joint = &order.root_joints.back();
    }
    order.edges.push_back(edge);
  }
}

}  // namespace

void refuse(Diagnostics& found, const char* code, const JointDescription& joint, const std::string& what,
            const std::string& expected, const std::string& hint) {
  Diagnostic d;
  d.code = code;
  d.file = joint.place.file;
  d.line = joint.place.line;
  d.column = joint.place.column;
  d.path = joint.place.path.empty() ? "robot/joint[" + joint.name + "]" : joint.place.path;
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  found.push_back(std::move(d));
}

Order order(const RobotDescription& robot, const BuildOptions& options, Diagnostics& found) {
  const std::size_t n = robot.links.size();
  detail::NameTable link_of;
  link_of.reserve(n);
  for (std::size_t i = 0; i < n; ++i) link_of.add(robot.links, static_cast<Index>(i));
  const auto number = [&](const std::string& link) {
    const Index i = link_of.find(robot.links, link);
    if (i < 0) throw std::out_of_range("zwang::build: a joint of an unknown link");  // check() lets none pass
    return i;
  };

  // Children of each link as a linked list in document order: first[link], next[joint].
  std::vector<Index> first(n, -1), next(robot.joints.size(), -1), child(robot.joints.size()),
      parent_of(robot.joints.size());
  std::vector<char> hangs(n, 0);
  for (std::size_t j = robot.joints.size(); j-- > 0;) {
    if (robot.joints[j].closes_loop) continue;
    parent_of[j] = number(robot.joints[j].parent);
    const auto parent = static_cast<std::size_t>(parent_of[j]);
    child[j] = number(robot.joints[j].child);
    next[j] = first[parent];
    first[parent] = static_cast<Index>(j);
    hangs[static_cast<std::size_t>(child[j])] = 1;
  }
  std::vector<Index> roots;
  for (std::size_t i = 0; i < n; ++i)
    if (!hangs[i]) roots.push_back(static_cast<Index>(i));

  Order starts, result;
  add_roots(robot, options, roots, starts, found);
  result.edges.reserve(n);
  std::vector<Index> stack;  // joints still to visit; the top is next
  for (const Edge& start : starts.edges) {
    result.edges.push_back(start);
    const auto push_children = [&](Index link) {
      const std::size_t from = stack.size();
      for (Index j = first[static_cast<std::size_t>(link)]; j >= 0; j = next[static_cast<std::size_t>(j)])
        stack.push_back(j);
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(from), stack.end());
    };
    push_children(start.link);
    while (!stack.empty()) {
      const auto j = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      result.edges.push_back({&robot.joints[j], child[j], parent_of[j], false});
      push_children(child[j]);
    }
  }
  result.root_joints.swap(starts.root_joints);  // swapping a deque leaves the addresses of its elements
  Index id = 0;
  for (Edge& e : result.edges)
    if (e.joint != nullptr) e.id = id++;
  return result;
}

}  // namespace zwang::building
