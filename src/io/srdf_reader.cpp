// SPDX-License-Identifier: BSD-3-Clause
// SrdfReader: the elements of SRDF (srdfdom's of MoveIt, and <rotor_params> of Pinocchio).
//
//   <group_state name="" group="">   the configuration `name`: <joint name="" value=""/>, the other joints neutral
//   <passive_joint name=""/>         a joint without a motor, whatever the robot's file describes
//   <rotor_params>                   <joint name="" mass="" gear_ratio=""/>: armature = gear_ratio^2 * mass, where
//                                    `mass` is the rotor's inertia
//   <disable_collisions link1="" link2="" reason=""/>, <enable_collisions ...>, <disable_default_collisions link=""/>
//                                    pairs of links that never touch: a pair that is enabled is none of them
//
// Groups, end effectors, virtual joints, spheres and properties have no counterpart: named once each.
#include "io/srdf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "io/number.hpp"
#include "io/xml_reader.hpp"
#include "zwang/model/joint_info.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::io {
namespace {

using detail::Weight;

const ElementRule k_srdf = {
    {"group*", "group_state*", "end_effector*", "virtual_joint*", "passive_joint*", "disable_collisions*",
     "enable_collisions*", "disable_default_collisions*", "rotor_params"},
    {"specificities", "link_sphere_approximation", "joint_property"},
    {"name", "version"}};
const ElementRule k_state = {{"joint*"}, {}, {"name", "group"}};
const ElementRule k_value = {{}, {}, {"name", "value"}};
const ElementRule k_passive = {{}, {}, {"name"}};
const ElementRule k_rotors = {{"joint*"}, {}, {}};
const ElementRule k_rotor = {{}, {}, {"name", "mass", "gear_ratio"}};
const ElementRule k_pair = {{}, {}, {"link1", "link2", "reason"}};
const ElementRule k_alone = {{}, {}, {"link"}};

constexpr int k_most_numbers = 16;  // of one joint

/// What has no counterpart, and what it is.
struct Named {
  const char *element, *is;
};
constexpr Named k_named[] = {{"group", "a group of joints for planners"},
                             {"end_effector", "an end effector for planners"},
                             {"link_sphere_approximation", "spheres in place of a link's shapes"},
                             {"joint_property", "a property of a joint for planners"}};

class SrdfReader : public XmlReader {
 public:
  SrdfReader(XmlDocument& srdf, const LoadOptions& options, RobotDocument& of, detail::Findings& found);
  void read();

 private:
  using Pair = std::pair<std::string, std::string>;

  void groups();
  void state(const Element& node);
  void value(const Element& node, DescribedConfiguration& c);
  void look_at_limits(const Element& node, const JointDescription& joint, const std::vector<double>& q);
  void passive(const Element& node);
  void rotor(const Element& node);
  void collisions();
  /// The joint of that name; nullptr with a warning, or with a note where it is the joint of a root that is fixed here.
  JointDescription* joint_of(const Element& node);
  const std::string* link_of(const Element& node, const char* attribute);

  RobotDocument& of_;
  std::unordered_map<std::string, std::size_t> joints_;  // by name
  std::set<std::string> links_;
  std::set<std::string> virtual_;                 // names of joints between the world and the root
  JointDescription root_;                         // the joint that build() will add
  std::set<std::string> configured_;              // names of configurations
  std::unordered_map<std::string, long> states_;  // how many states have a name, in different groups
};

SrdfReader::SrdfReader(XmlDocument& srdf, const LoadOptions& options, RobotDocument& of, detail::Findings& found)
    : XmlReader(srdf, options, found),
      of_(of) {
  for (std::size_t j = 0; j < of.robot.joints.size(); ++j) joints_.emplace(of.robot.joints[j].name, j);
  for (const LinkDescription& link : of.robot.links) links_.insert(link.name);
  for (const DescribedConfiguration& c : of.configurations) configured_.insert(c.name);
  configured_.insert("file");
  virtual_.insert(options.root_joint);
  root_.name = options.root_joint;
  if (!of.rooted && options.root != "automatic" && options.root != "auto") root_.type = options.root;
}

void SrdfReader::read() {
  const pugi::xml_node root = main_.root();
  const Element robot = look(root, k_srdf);
  if (robot.text("name") != of_.robot.name)
    warn(root, "W_SRDF_ROBOT", "an SRDF of robot " + detail::quoted(robot.text("name")),
         "one of robot " + detail::quoted(of_.robot.name), "is it the right file?");
  groups();
  for (const pugi::xml_node node : root.children("passive_joint")) passive(look(node, k_passive));
  for (const pugi::xml_node node : root.children("rotor_params"))
    for (const pugi::xml_node joint : look(node, k_rotors).node.children("joint")) rotor(look(joint, k_rotor));
  for (const pugi::xml_node node : root.children("group_state")) ++states_[node.attribute("name").value()];
  for (const pugi::xml_node node : root.children("group_state")) state(look(node, k_state));
  collisions();
  report_once();
}

/// Virtual joints, and what is named only.
void SrdfReader::groups() {
  for (const pugi::xml_node node : main_.root().children("virtual_joint")) {
    virtual_.insert(node.attribute("name").value());
    const std::string type = node.attribute("type").value();
    if (type != "fixed" && root_.type == "fixed")
      note(node, "N_SRDF_ROOT", "a virtual joint of type " + detail::quoted(type) + " between the world and the root",
           "the root stays as the robot's file or `root` says: root = " + detail::excerpt(type, 60) + " makes it move");
  }
  for (const Named& named : k_named)
    for (const pugi::xml_node node : main_.root().children(named.element)) {
      Diagnostic d = at(node, "N_SRDF");
      d.found = std::string("<") + named.element + ">, " + named.is;
      d.hint = "a model has no place for it";
      once(Weight::note, named.element, std::move(d));
    }
}

JointDescription* SrdfReader::joint_of(const Element& node) {
  const std::string name(trimmed(node.text("name")));
  if (const auto it = joints_.find(name); it != joints_.end()) return &of_.robot.joints[it->second];
  if (virtual_.contains(name)) {
    if (root_.type != "fixed") return &root_;
    note(node, "N_SRDF_ROOT", "joint " + detail::quoted(name) + " between the world and the root, which is fixed here",
         "root = floating (or another type) makes it move");
    return nullptr;
  }
  std::string hint = "it has no effect";
  if (may_list(joints_.size())) {
    std::vector<std::string> names;
    for (const auto& [known, at] : joints_) names.push_back(known);
    std::sort(names.begin(), names.end());
    hint = found_.did_you_mean(name, names, hint);
  }
  warn(node, "W_SRDF_JOINT", node.has("name") ? detail::quoted(name) : "no name", "a joint of this robot", hint);
  return nullptr;
}

/// The types that a joint is made of, in the order of its coordinates; none where it does not move.
std::vector<const JointTypeInfo*> types_of(const JointDescription& joint) {
  std::vector<const JointTypeInfo*> types;
  const auto add = [&](const std::string& type) {
    if (const JointTypeInfo* const info = find_joint_type(type == "continuous" ? "revolute" : type);
        info && info->nq > 0)
      types.push_back(info);
  };
  if (joint.type != "composite") add(joint.type);
  for (const JointPart& part : joint.parts) add(part.type);
  return types;
}

int numbers_of(const JointDescription& joint) {
  if (joint.user) return joint.user->nq;
  int sum = 0;
  for (const JointTypeInfo* const type : types_of(joint)) sum += type->nq;
  return sum;
}

/// The angle of this joint may be given alone: its cosine and sine are the coordinates.
bool is_a_circle(const JointDescription& joint) { return joint.type == "revolute_unbounded"; }

/// Numbers that belong to a unit quaternion or circle get length 1; false where they are too far from it.
bool made_unit(const JointDescription& joint, std::vector<double>& q) {
  constexpr double k_rounding = 1e-3;  // files have few digits
  std::size_t first = 0;
  for (const JointTypeInfo* const type : types_of(joint)) {
    double square = 0;
    const auto each = [&](auto&& f) {
      for (int k = 0; k < type->nq; ++k)
        if (type->unit >> k & 1) f(q[first + static_cast<std::size_t>(k)]);
    };
    each([&](double x) { square += x * x; });
    const double length = std::sqrt(square);
    if (type->unit != 0 && !(std::fabs(length - 1) <= k_rounding)) return false;
    each([&](double& x) { x /= length; });
    first += static_cast<std::size_t>(type->nq);
  }
  return true;
}

void SrdfReader::value(const Element& node, DescribedConfiguration& c) {
  JointDescription* const joint = joint_of(node);
  if (!joint) return;
  const int wanted = numbers_of(*joint);
  if (wanted > k_most_numbers) {
    refuse(node, "E_VECTOR_SIZE", "a joint with " + std::to_string(wanted) + " coordinates",
           "at most " + std::to_string(k_most_numbers));
    return;
  }
  if (wanted == 0) {
    warn(node, "W_SRDF_JOINT", "a value of joint " + detail::quoted(joint->name) + ", which does not move");
    return;
  }
  if (!joint->mimic.leader.empty() && !options_.expand_mimic) {
    note(node, "N_SRDF_MIMIC", "a value of joint " + detail::quoted(joint->name),
         "it mimics " + detail::excerpt(joint->mimic.leader, 60) + ", whose value counts");
    return;
  }
  std::string_view unused;
  const int given = tokens(node.text("value"), &unused, 1, wanted + 1);
  const bool angle = is_a_circle(*joint) && given == 1;
  JointState state{.joint = joint->name, .q = std::vector<double>(static_cast<std::size_t>(wanted))};
  if (!vector(node, "value", angle ? given : wanted, state.q.data(), Weight::refuse)) return;
  if (angle) state.q = {std::cos(state.q[0]), std::sin(state.q[0])};
  look_at_limits(node, *joint, state.q);
  if (joint->user || made_unit(*joint, state.q))
    c.joints.push_back(std::move(state));
  else
    refuse(node, "E_QUATERNION", detail::quoted(node.text("value")),
           "a quaternion x y z w, or cosine and sine, of length 1");
}

void SrdfReader::look_at_limits(const Element& node, const JointDescription& joint, const std::vector<double>& q) {
  constexpr double k_rounding = 1e-3;  // files have few digits
  for (std::size_t k = 0; k < q.size(); ++k) {
    const auto bound = [&](const std::vector<double>& limit) {
      return limit.empty() ? unknown : limit.size() == 1 ? limit[0] : k < limit.size() ? limit[k] : unknown;
    };
    const double lower = bound(joint.lower), upper = bound(joint.upper);
    const bool below = q[k]<lower - k_rounding, above = q[k]> upper + k_rounding;  // false where it is unknown
    if (!below && !above) continue;
    warn(node, "W_SRDF_LIMIT", detail::number_text(q[k]) + " for joint " + detail::quoted(joint.name),
         below ? detail::number_text(lower) + " or more" : detail::number_text(upper) + " or less",
         "the configuration keeps it, beyond the limit");
    return;
  }
}

void SrdfReader::state(const Element& node) {
  DescribedConfiguration c{.name = name_of(node)};
  const std::string group(trimmed(node.text("group")));
  if (!group.empty() && (states_[c.name] > 1 || configured_.contains(c.name))) c.name = group + '/' + c.name;
  if (!configured_.insert(c.name).second) {
    warn(node, "W_SRDF_STATE", "a second configuration " + detail::quoted(c.name), "a name of its own",
         "the first one stays");
    return;
  }
  for (const pugi::xml_node joint : node.node.children("joint")) value(look(joint, k_value), c);
  of_.configurations.push_back(std::move(c));
}

void SrdfReader::passive(const Element& node) {
  JointDescription* const joint = joint_of(node);
  if (!joint) return;
  joint->actuated = JointDescription::Actuated::no;
  std::erase_if(of_.robot.motors, [&](const MotorDescription& m) { return m.joint == joint->name; });
}

void SrdfReader::rotor(const Element& node) {
  double inertia = 0, ratio = 1;
  if (!number(node, "mass", inertia, Weight::refuse) || !number(node, "gear_ratio", ratio, Weight::refuse)) return;
  if (inertia < 0) {
    refuse(node, "E_INERTIA", "a rotor of inertia " + detail::number_text(inertia), "0 or more");
    return;
  }
  JointDescription* const joint = joint_of(node);
  if (!joint || joint == &root_) return;
  if (numbers_of(*joint) != 1) {
    warn(node, "W_SRDF_JOINT",
         "a rotor of joint " + detail::quoted(joint->name) + ", which has more than one coordinate", "a joint with one",
         "it has no effect");
    return;
  }
  joint->rotor_inertia = {inertia};
  joint->gear_ratio = {ratio};
}

const std::string* SrdfReader::link_of(const Element& node, const char* attribute) {
  const auto it = links_.find(std::string(trimmed(node.text(attribute))));
  if (it != links_.end()) return &*it;
  Diagnostic d = at(node, "W_SRDF_LINK");
  d.found = node.has(attribute) ? detail::quoted(node.text(attribute)) : std::string("no ") + attribute;
  d.expected = "a link of this robot";
  d.hint = "the pair is left out";
  once(Weight::warn, d.found, std::move(d));
  return nullptr;
}

void SrdfReader::collisions() {
  const pugi::xml_node root = main_.root();
  std::set<Pair> enabled, seen;
  const auto pair = [](const std::string& a, const std::string& b) { return a < b ? Pair(a, b) : Pair(b, a); };
  for (const pugi::xml_node of : root.children("enable_collisions")) {
    const Element node = look(of, k_pair);
    const std::string *const a = link_of(node, "link1"), *const b = link_of(node, "link2");
    if (a && b) enabled.insert(pair(*a, *b));
  }
  const auto exclude = [&](const std::string& a, const std::string& b, std::string reason) {
    if (!enabled.contains(pair(a, b)) && seen.insert(pair(a, b)).second)
      of_.robot.contact_exclusions.push_back({a, b, std::move(reason)});
  };
  for (const pugi::xml_node of : root.children("disable_collisions")) {
    const Element node = look(of, k_pair);
    const std::string *const a = link_of(node, "link1"), *const b = link_of(node, "link2");
    if (!a || !b) continue;
    if (a == b)
      warn(node, "W_SRDF_LINK", "a pair of link " + detail::quoted(*a) + " and itself", "two links");
    else
      exclude(*a, *b, std::string(node.text("reason")));
  }
  for (const pugi::xml_node of : root.children("disable_default_collisions")) {
    const Element node = look(of, k_alone);
    const std::string* const a = link_of(node, "link");
    if (!a) continue;
    if (!may_list(links_.size())) {
      refuse(node, "E_LIMIT_ELEMENTS", "too many links without collisions by default", "fewer of them");
      return;
    }
    for (const std::string& b : links_)
      if (b != *a) exclude(*a, b, "Default");
  }
}

}  // namespace

bool is_srdf(pugi::xml_node robot) {
  if (robot.child("link") || robot.child("joint")) return false;
  for (const char* name :
       {"group", "group_state", "disable_collisions", "virtual_joint", "passive_joint", "rotor_params", "end_effector"})
    if (robot.child(name)) return true;
  return false;
}

void read_srdf(XmlDocument& srdf, const LoadOptions& options, RobotDocument& robot, detail::Findings& found) {
  SrdfReader(srdf, options, robot, found).read();
}

}  // namespace zwang::io
