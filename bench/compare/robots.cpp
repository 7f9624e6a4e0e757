// SPDX-License-Identifier: BSD-3-Clause
#include "robots.hpp"

#include <filesystem>

#include "zwang/model/sample.hpp"

namespace zwang::bench {
namespace {

std::vector<RobotChoice> well_known() {
  const std::string folder = ZWANG_SHARED_ROBOTS;
  return {{"panda", folder + "/panda.urdf", "fixed", {{"panda_link8", 6}}, {{"panda_link0", "panda_link8", "ball"}}},
          {"ur5", folder + "/ur5.urdf", "fixed", {{"tool0", 6}}, {}},
          {"solo12",
           folder + "/solo12.urdf",
           "floating",
           {{"FL_FOOT", 3}, {"FR_FOOT", 3}, {"HL_FOOT", 3}, {"HR_FOOT", 3}},
           {{"FL_FOOT", "FR_FOOT", "ball"}, {"HL_FOOT", "HR_FOOT", "ball"}}},
          {"talos_reduced",
           folder + "/talos_reduced.urdf",
           "floating",
           {{"left_sole_link", 6}, {"right_sole_link", 6}},
           {{"gripper_left_base_link", "gripper_right_base_link", "weld"}}}};
}
std::vector<RobotChoice> our_own() {
  const std::string folder = ZWANG_MODELS;
  return {{"arm7", folder + "/arm7.urdf", "fixed", {{"tool0", 6}}, {{"base", "tool0", "ball"}}},
          {"quadruped",
           folder + "/quadruped.urdf",
           "floating",
           {{"LF_foot", 3}, {"RF_foot", 3}, {"LH_foot", 3}, {"RH_foot", 3}},
           {{"LF_foot", "RF_foot", "ball"}, {"LH_foot", "RH_foot", "ball"}}},
          {"humanoid",
           folder + "/humanoid.urdf",
           "floating",
           {{"left_foot", 6}, {"right_foot", 6}},
           {{"left_hand", "right_hand", "weld"}}}};
}

/// Six rows on the deepest link.
std::vector<Contact> deepest(const Model& model) {
  const Tree<double>& t = model.tree<double>();
  const Link* best = nullptr;
  for (const Link& link : model.links())
    if (best == nullptr || t.body[link.body.value].depth > t.body[best->body.value].depth) best = &link;
  return {{best->name, 6}};
}

LinkDescription rod(const std::string& name) {
  LinkDescription l{.name = name, .mass = 0.5, .centre = {0, 0.01, 0.05}};
  l.inertia = Sym3<double>::diagonal(6e-4, 5e-4, 2e-4);
  return l;
}
void hang(RobotDescription& r, const std::string& parent, const std::string& child, const Vec3<double>& at, int k) {
  const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  r.links.push_back(rod(child));
  r.joints.push_back({.name = "to_" + child, .type = "continuous", .parent = parent, .child = child});
  r.joints.back().origin.p = at;
  r.joints.back().axis = axes[k % 3];
}

}  // namespace

std::vector<RobotChoice> default_robots() {
  std::vector<RobotChoice> out = well_known();
  for (const RobotChoice& r : out)
    if (!std::filesystem::exists(r.file)) return our_own();
  return out;
}

RobotChoice find_robot(const std::string& word) {
  const std::string stem = std::filesystem::path(word).stem().string();
  for (const std::vector<RobotChoice>& list : {well_known(), our_own()})
    for (const RobotChoice& r : list) {
      if (r.label != stem) continue;
      RobotChoice found = r;
      if (word != r.label || std::filesystem::is_regular_file(word)) found.file = word;
      return found;
    }
  return {stem, word, "automatic", {}};
}

Problem load_problem(const RobotChoice& choice, int states, int batch) {
  LoadOptions options;
  options.root = choice.root;
  options.expand_mimic = true;  // as the peers' own readers do
  options.resolve_meshes = false;
  Diagnostics ignored;
  const Model model = load(choice.file, options, &ignored);
  return {choice.label, model, choice.contacts.empty() ? deepest(model) : choice.contacts, states, batch, choice.loops};
}

Problem chain_problem(int joints, int states) {
  RobotDescription r{.name = "chain"};
  r.links.push_back(rod("link0"));
  for (int k = 1; k <= joints; ++k) hang(r, "link" + std::to_string(k - 1), "link" + std::to_string(k), {0, 0, 0.1}, k);
  return {"chain", build(r), {{"link" + std::to_string(joints), 6}}, states};
}

Problem comb_problem(int joints, int states) {
  RobotDescription r{.name = "comb"};
  r.links.push_back(rod("spine0"));
  // Every second joint carries the spine on, the one before it a tooth of a single link.
  std::string last;
  for (int k = 1; k <= joints; ++k) {
    const std::string number = std::to_string((k + 1) / 2), before = std::to_string((k - 1) / 2);
    last = (k % 2 ? "tooth" : "spine") + number;
    hang(r, "spine" + before, last, {0, k % 2 ? 0.1 : 0.0, k % 2 ? 0.0 : 0.1}, k + k / 3);
  }
  return {"comb", build(r), {{last, 3}}, states};
}

Problem legs_problem(int standing, int states) {
  RobotDescription r{.name = "legs"};
  r.links.push_back(rod("trunk"));
  r.links.back().mass = 20;
  r.links.back().inertia = Sym3<double>::diagonal(0.5, 0.6, 0.7);
  std::vector<Contact> contacts;
  for (int leg = 0; leg < 16; ++leg) {
    std::string parent = "trunk";
    for (int k = 1; k <= 6; ++k) {
      const std::string child = "leg" + std::to_string(leg) + "_" + std::to_string(k);
      const Vec3<double> at = k == 1 ? Vec3<double>{0.1 * (leg % 8), leg < 8 ? 0.3 : -0.3, 0} : Vec3<double>{0, 0, 0.1};
      hang(r, parent, child, at, k);
      parent = child;
    }
    if (leg < standing) contacts.push_back({parent, 6});
  }
  BuildOptions options;
  options.root = "floating";
  return {"legs", build(r, options), contacts, states};
}

}  // namespace zwang::bench
