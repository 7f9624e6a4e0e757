// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: URDF+, which adds joints that close loops and gears to URDF (Chignoli et al., "URDF+: an enhanced URDF
// for robots with kinematic loops", Humanoids 2024).
//
//   <loop name="" type="">      a joint between a frame on each of two links
//   <coupling name="" type="rolling">   ratio (sum of q up to the predecessor) - (sum of q up to the successor) = 0,
//                               both from the nearest link that carries both
//   <joint independent="">      which coordinates the file's author would take as independent: a hint, passed over
#include "io/number.hpp"
#include "io/urdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_plus_loop = {{"predecessor", "successor", "axis"}, {}, {"name", "type"}};
const ElementRule k_plus_end = {{"origin"}, {}, {"link"}};
const ElementRule k_plus_axis = {{}, {}, {"xyz"}};
const ElementRule k_plus_coupling = {{"predecessor", "successor", "ratio"}, {}, {"name", "type"}};
const ElementRule k_plus_ratio = {{}, {}, {"value"}};

bool has_axis(const std::string& type) { return type == "revolute" || type == "continuous" || type == "prismatic"; }

}  // namespace

bool UrdfReader::is_of_urdf_plus(std::string_view name) { return name == "loop" || name == "coupling"; }

/// A <predecessor> or <successor>: a link, and a frame on it.
bool UrdfReader::plus_end(const Element& node, const char* which, std::string& link, Transform<double>& pose) {
  const pugi::xml_node end = node.child(which);
  if (end) {
    const Element element = look(end, k_plus_end);
    link = element.text("link");
    if (!link.empty()) return origin(element.child("origin"), pose, Weight::refuse);
  }
  return refuse(end ? end : node.node, "E_LINK", end ? "no link" : std::string("no <") + which + '>',
                std::string("<") + which + " link=\"...\">");
}

void UrdfReader::plus_loop(pugi::xml_node of) {
  const Element node = look(of, k_plus_loop);
  JointDescription joint;
  joint.place = place_of(node);
  joint.name = name_of(node);
  joint.type = std::string(trimmed(node.text("type")));
  if (joint.type == "ball") joint.type = "spherical";
  joint.closes_loop = true;
  if (!has_axis(joint.type) && joint.type != "fixed" && joint.type != "spherical") {
    refuse(node, "E_LOOP",
           joint.type.empty() ? "a loop without a type" : "a loop of type " + detail::quoted(joint.type),
           "revolute, continuous, prismatic, fixed or spherical");
    return;
  }
  if (const pugi::xml_node axis = node.child("axis")) {
    double xyz[3] = {0, 0, 1};
    vector(look(axis, k_plus_axis), "xyz", 3, xyz, Weight::refuse);
    joint.axis = {xyz[0], xyz[1], xyz[2]};
  } else if (has_axis(joint.type)) {
    refuse(node, "E_AXIS", "no <axis>", "<axis xyz=\"...\"/> in the predecessor's frame");
  }
  if (!plus_end(node, "predecessor", joint.parent, joint.origin) ||
      !plus_end(node, "successor", joint.child, joint.child_origin))
    return;
  robot_.joints.push_back(std::move(joint));
}

UrdfReader::Tree::Tree(const std::vector<JointDescription>& joints) : up(joints.size(), -1), depth(joints.size(), -1) {
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (!joints[j].closes_loop) carrier.emplace(joints[j].child, static_cast<long>(j));
  for (std::size_t j = 0; j < joints.size(); ++j) up[j] = of(joints[j].parent);
  std::vector<std::size_t> walk;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    long at = static_cast<long>(j);
    for (; at >= 0 && depth[static_cast<std::size_t>(at)] < 0; at = up[static_cast<std::size_t>(at)]) {
      depth[static_cast<std::size_t>(at)] = 0;  // in a circle, which check() refuses, it stays
      walk.push_back(static_cast<std::size_t>(at));
    }
    long d = at < 0 ? -1 : depth[static_cast<std::size_t>(at)];
    for (; !walk.empty(); walk.pop_back()) depth[walk.back()] = ++d;
  }
}

long UrdfReader::Tree::of(std::string_view link) const {
  const auto it = carrier.find(link);
  return it == carrier.end() ? -1 : it->second;
}

void UrdfReader::couplings(RobotDocument& document) {
  if (!root_.child("coupling")) return;
  const Tree tree(robot_.joints);
  std::unordered_set<std::string_view> links;
  for (const LinkDescription& link : robot_.links) links.insert(link.name);
  long steps = 0;  // a hostile file has many couplings of long paths
  for (const pugi::xml_node of : root_.children("coupling")) {
    const Element node = look(of, k_plus_coupling);
    CouplingConstraint rows{.name = name_of(node)};
    const std::string_view type = node.has("type") ? trimmed(node.text("type")) : "rolling";
    if (type != "rolling") {
      refuse(node, "E_COUPLING", "a coupling of type " + detail::quoted(type), "rolling");
      continue;
    }
    std::string ends[2];
    Transform<double> unused = Transform<double>::identity();
    if (!plus_end(node, "predecessor", ends[0], unused) || !plus_end(node, "successor", ends[1], unused)) continue;
    bool known = true;
    for (int side = 0; side < 2; ++side)
      if (!links.contains(ends[side])) {
        std::string hint = "there is no link of that name";
        if (may_list(links.size())) hint = found_.did_you_mean(ends[side], {links.begin(), links.end()}, hint);
        known = refuse(node.child(side == 0 ? "predecessor" : "successor"), "E_LINK", detail::quoted(ends[side]),
                       "a link of this robot", hint);
      }
    double ratio = 0;
    const pugi::xml_node given = node.child("ratio");
    if (!given) known = refuse(node, "E_COUPLING", "no <ratio>", "<ratio value=\"...\"/>");
    if (!known || !number(look(given, k_plus_ratio), "value", ratio, Weight::refuse)) continue;
    steps += coupling(node, tree, ends, ratio, rows) + 1;
    if (steps > options_.limits.elements) {
      refuse(node, "E_LIMIT_ELEMENTS",
             "couplings over more than " + std::to_string(options_.limits.elements) + " joints",
             "fewer couplings, or shorter paths");
      return;
    }
    if (!rows.coordinates.empty()) document.constraints.push_back({std::move(rows), place_of(node)});
  }
}

/// Terms of the joints between each end and the nearest link that carries both; none, with a finding, where there are
/// none. Returns how many joints it went over.
long UrdfReader::coupling(pugi::xml_node node, const Tree& tree, const std::string (&ends)[2], double ratio,
                          CouplingConstraint& rows) {
  long at[2] = {tree.of(ends[0]), tree.of(ends[1])};
  const auto depth = [&](long j) { return j < 0 ? -1 : tree.depth[static_cast<std::size_t>(j)]; };
  long steps = 0;
  for (; at[0] != at[1] && steps <= static_cast<long>(robot_.joints.size()); ++steps) {
    const int side = depth(at[0]) >= depth(at[1]) ? 0 : 1;
    const JointDescription& joint = robot_.joints[static_cast<std::size_t>(at[side])];
    at[side] = tree.up[static_cast<std::size_t>(at[side])];
    if (joint.type == "fixed") continue;
    const bool mimics = !joint.mimic.leader.empty() && !options_.expand_mimic;
    if (!has_axis(joint.type) || mimics) {
      rows.coordinates.clear();
      refuse(node, "E_COUPLING",
             "joint " + detail::quoted(joint.name) + " of type " + detail::quoted(joint.type) +
                 (mimics ? ", which mimics another" : "") + " between the coupled links",
             "revolute, continuous and prismatic joints with coordinates of their own");
      return steps;
    }
    rows.coordinates.push_back(joint.name);
    rows.ratio.push_back(side == 0 ? ratio : -1);
  }
  if (rows.coordinates.empty())
    refuse(node, "E_COUPLING",
           "links " + detail::quoted(ends[0]) + " and " + detail::quoted(ends[1]) + ", between which nothing moves",
           "two links that move relative to each other");
  return steps;
}

}  // namespace zwang::io
