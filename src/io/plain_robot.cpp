// SPDX-License-Identifier: BSD-3-Clause
#include "io/plain_robot.hpp"

#include <algorithm>
#include <cmath>

#include "core/number.hpp"
#include "io/xml_reader.hpp"
#include "model/build_steps.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/joint_info.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {
namespace {

bool same_rotation(const Mat3<double>& a, const Mat3<double>& b) {
  for (int i = 0; i < 9; ++i)
    if (a(i / 3, i % 3) != b(i / 3, i % 3)) return false;
  return true;
}

/// Frames hang on links; those that the builder makes for loops are left out. A frame that hangs on another one is
/// resolved after that, once: chains may be long.
void hang_frames(RobotDescription& robot) {
  std::unordered_set<std::string> of_loops;
  for (const JointDescription& j : robot.joints)
    if (j.closes_loop) of_loops.insert({j.name + "_predecessor", j.name + "_successor"});
  std::vector<FrameDescription>& frames = robot.frames;
  std::unordered_map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < frames.size(); ++i) at.emplace(frames[i].name, i);
  std::vector<char> hung(frames.size(), 0);
  std::vector<std::size_t> way;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (std::size_t k = i; !hung[k];) {
      way.push_back(k);
      hung[k] = 1;
      const auto on = at.find(frames[k].parent);
      if (on == at.end()) break;
      k = on->second;
    }
    for (; !way.empty(); way.pop_back()) {
      FrameDescription& f = frames[way.back()];
      const auto on = at.find(f.parent);
      if (on == at.end()) continue;
      f.placement = frames[on->second].placement * f.placement;
      f.parent = frames[on->second].parent;
    }
  }
  std::erase_if(frames, [&](const FrameDescription& f) { return of_loops.contains(f.name); });
}

void expand_mimics(const Model& model, PlainRobot& out, Losses& losses) {
  const BuildOptions& options = model.options();
  for (JointDescription& j : out.robot.joints) {
    if (!options.expand_mimic || j.mimic.leader.empty()) continue;
    losses.add("L_MIMIC", "joint", j.name, "that it follows joint " + j.mimic.leader,
               "a coordinate of its own, as the model has");
    j.mimic = {};
  }
}

}  // namespace

std::string plain_name(const std::string& name) {
  const auto is_taken = [](const std::string& one) {
    return !refused(check(RobotDescription{.name = "r", .links = {{.name = one}}}));
  };
  if (name.empty()) return "unnamed";
  if (is_taken(name)) return name;
  const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // of UTF-8
  std::string plain;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i + 1;
    while (end < name.size() && follows(name[end])) ++end;
    const std::string character = name.substr(i, end - i);
    plain += is_taken('x' + character + 'x') ? character : "_";
    i = end;
  }
  return plain;
}

void lose_options(const Model& model, Losses& losses) {
  const BuildOptions& options = model.options();
  BuildOptions standard = options;
  standard.mode = Mode::standard;
  if (options.mode == Mode::lenient && refused(check(model.description(), standard)))
    losses.add("L_OPTION", "robot", model.name(), "the mode lenient, without which it is refused when it is read");
  const std::vector<Joint>& joints = model.joints();
  if (!options.lump && std::any_of(joints.begin(), joints.end(), [](const Joint& j) { return j.type == "fixed"; }))
    losses.add("L_OPTION", "robot", model.name(), "bodies of their own for links behind fixed joints",
               "such links are merged where the file is read by default");
}

const JointDescription* PlainRobot::carrier_of(const std::string& name) const {
  const auto it = carrier.find(name);
  return it == carrier.end() ? nullptr : &robot.joints[it->second];
}

PlainRobot plain_robot(const Robot& of, const WriteOptions& write, Losses& losses) {
  const Model& model = of.model;
  const BuildOptions& options = model.options();
  PlainRobot out{.robot = model.description()};
  RobotDescription& robot = out.robot;
  for (const JointDescription& j : robot.joints)
    if (j.user)
      throw UnsupportedError("joint '" + j.name + "' is a user-defined joint: a file cannot hold its functions");
  if (write.shapes == WrittenShapes::none)
    for (LinkDescription& l : robot.links) l.shapes.clear();
  expand_mimics(model, out, losses);
  lose_options(model, losses);
  hang_frames(robot);
  std::vector<JointDescription> tree;
  for (JointDescription& j : robot.joints)
    if (j.closes_loop)
      out.loops.push_back({std::move(j)});
    else
      tree.push_back(std::move(j));
  robot.joints = std::move(tree);
  for (std::size_t i = 0; i < robot.links.size(); ++i) out.link.emplace(robot.links[i].name, i);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) out.carrier.emplace(robot.joints[i].child, i);
  for (const PlainLoop& loop : out.loops) {
    const JointDescription& j = loop.joint;
    const auto bounds = [](const std::vector<double>& x) {
      return std::any_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
    };
    const auto any = [](const std::vector<double>& x) {
      return std::any_of(x.begin(), x.end(), [](double a) { return a != 0; });
    };
    if (bounds(j.lower) || bounds(j.upper) || bounds(j.velocity) || bounds(j.effort) || any(j.damping) ||
        any(j.friction) || any(j.stiffness) || any(j.rotor_inertia) || !j.mimic.leader.empty())
      losses.add(LossCode("L_LOOP").of_data(), "joint", j.name,
                 "limits and dynamics of a joint that closes a loop, which have no effect");
  }
  if (options.root == "automatic" || options.root == "fixed") return out;
  for (const Joint& j : model.joints())
    if (!j.parent) {
      out.roots.push_back(j.description);
      out.roots.back().parent.clear();
    }
  return out;
}

bool fits(const Model& model, const Configuration& c) {
  const auto finite = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
  };
  return static_cast<Index>(c.q.size()) == model.nq() &&
         (c.v.empty() || static_cast<Index>(c.v.size()) == model.nv()) && finite(c.q) && finite(c.v);
}

void lose_configurations(const Robot& robot, const std::unordered_set<std::string>& placed, Losses& losses) {
  const Model& model = robot.model;
  std::vector<double> at_zero(static_cast<std::size_t>(model.nq()));
  neutral(model, Eigen::Map<Eigen::VectorXd>(at_zero.data(), model.nq()));
  for (const Configuration& c : robot.configurations) {
    if (c.name != "file") {
      losses.add("L_CONFIGURATION", "configuration", c.name, "its positions and velocities");
      continue;
    }
    if (!fits(model, c)) {
      losses.add("L_CONFIGURATION", "configuration", c.name,
                 "numbers that are not finite ones for the model's coordinates");
      continue;
    }
    for (const Joint& j : model.joints()) {
      if (placed.contains(j.name) || !j.mimic.leader.empty()) continue;
      bool drawn = true;
      for (Index k = j.q.first; k < j.q.end(); ++k)
        drawn = drawn && c.q[static_cast<std::size_t>(k)] == at_zero[static_cast<std::size_t>(k)];
      if (drawn) continue;
      losses.add("L_CONFIGURATION", "configuration", c.name, "where joint " + j.name + " stands",
                 "the robot is drawn with this joint at 0");
    }
    if (std::any_of(c.v.begin(), c.v.end(), [](double x) { return x != 0; }))
      losses.add("L_CONFIGURATION", "configuration", c.name, "its velocities", "the robot at rest");
  }
}

void split_composites(PlainRobot& plain, bool keep_universal,
                      const std::unordered_map<std::string, std::string>& type_of, Losses& losses) {
  RobotDescription& robot = plain.robot;
  const auto is_composite = [](const JointDescription& j) { return j.type == "composite"; };
  if (std::none_of(robot.joints.begin(), robot.joints.end(), is_composite)) return;
  UsedNames links, joints;
  for (const LinkDescription& l : robot.links) links.add(l.name);
  for (const FrameDescription& f : robot.frames) links.add(f.name), joints.add(f.name);
  for (const JointDescription& j : robot.joints) joints.add(j.name);
  std::vector<JointDescription> all;
  std::unordered_map<std::string, std::string> renamed;  // coordinates
  for (JointDescription& joint : robot.joints) {
    if (!is_composite(joint) || (keep_universal && is_universal(joint))) {
      all.push_back(std::move(joint));
      continue;
    }
    std::vector<std::size_t> moving;
    for (std::size_t k = 0; k < joint.parts.size(); ++k)
      if (joint.parts[k].type != "fixed") moving.push_back(k);
    Transform<double> at = joint.origin;
    std::string parent = joint.parent, names;
    std::size_t q = 0, v = 0, next = 0;
    const std::size_t first = all.size();
    for (std::size_t m = 0; m < moving.size(); ++m) {
      for (; next < moving[m]; ++next) at = at * joint.parts[next].origin;
      const JointPart& part = joint.parts[next++];
      const bool last = m + 1 == moving.size();
      JointDescription own = joint;
      own.parts.clear();
      own.type = part.type, own.axis = part.axis, own.parameters = part.parameters;
      own.origin = at * part.origin;
      own.child_origin = Transform<double>::identity();
      own.parent = parent;
      if (has_motor(joint) && !has_motor_by_default(own)) own.actuated = JointDescription::Actuated::yes;
      if (moving.size() > 1) own.name = joints.fresh(joint.name + '_' + std::to_string(m + 1));
      if (!last) {
        own.child = parent = links.fresh(own.name + "_link");
        robot.links.push_back({.name = parent, .place = joint.place});
        plain.link.emplace(parent, robot.links.size() - 1);
      }
      const auto [nq, nv] = numbers_of(part.type);
      const auto slice = [](std::vector<double>& x, std::size_t from, std::size_t count) {
        if (x.size() > 1)
          x = std::vector<double>(x.begin() + static_cast<std::ptrdiff_t>(from),
                                  x.begin() + static_cast<std::ptrdiff_t>(from + count));
      };
      for (auto member : {&JointDescription::lower, &JointDescription::upper}) slice(own.*member, q, nq);
      for (auto member :
           {&JointDescription::velocity, &JointDescription::effort, &JointDescription::damping,
            &JointDescription::friction, &JointDescription::stiffness, &JointDescription::spring_reference,
            &JointDescription::rotor_inertia, &JointDescription::gear_ratio})
        slice(own.*member, v, nv);
      if (nv == 1) renamed.emplace(joint.name + '[' + std::to_string(v) + ']', own.name);
      q += nq, v += nv;
      at = Transform<double>::identity();
      names += (names.empty() ? "" : ", ") + own.name;
      all.push_back(std::move(own));
    }
    for (; next < joint.parts.size(); ++next) at = at * joint.parts[next].origin;
    if (all.size() > first) all.back().child_origin = joint.child_origin * inverse(at);
    const auto type = type_of.find(joint.name);
    losses.add("L_JOINT", "joint", joint.name,
               type == type_of.end() ? "a joint of several parts" : "a joint of type " + type->second,
               "joints " + names + (moving.size() > 1 ? ", with links without mass between them" : ""));
  }
  robot.joints = std::move(all);
  plain.carrier.clear();
  for (std::size_t i = 0; i < robot.joints.size(); ++i) plain.carrier.emplace(robot.joints[i].child, i);
  for (CouplingConstraint& c : plain.couplings)
    for (std::string& name : c.coordinates)
      if (const auto it = renamed.find(name); it != renamed.end()) name = it->second;
}

Counts numbers_of(const std::string& type) {
  const JointTypeInfo* info = find_joint_type(type == "continuous" ? "revolute" : type);
  return info ? Counts{static_cast<std::size_t>(info->nq), static_cast<std::size_t>(info->nv)} : Counts{};
}

bool is_universal(const JointDescription& joint) {
  const auto turns = [](const JointPart& part) { return part.type == "revolute" || part.type == "continuous"; };
  if (joint.type != "composite" || joint.parts.size() != 2 || !turns(joint.parts[0]) || !turns(joint.parts[1]))
    return false;
  const Vec3<double>& p = joint.parts[1].origin.p;
  return p.x == 0 && p.y == 0 && p.z == 0;
}

OneNumber one_number(const std::vector<double>& numbers) {
  OneNumber out{.given = !numbers.empty(), .value = numbers.empty() ? 0 : numbers[0]};
  for (const double x : numbers) out.same = out.same && (x == out.value || (std::isnan(x) && std::isnan(out.value)));
  out.given = out.given && out.same && !std::isnan(out.value);
  return out;
}

bool is_massless(const LinkDescription& link) {
  const Sym3<double>& I = link.inertia;
  return link.mass == 0 && I.xx == 0 && I.xy == 0 && I.xz == 0 && I.yy == 0 && I.yz == 0 && I.zz == 0;
}
bool is_bare(const LinkDescription& link) { return is_massless(link) && link.shapes.empty(); }

Vec3<double> written_rpy(const Mat3<double>& R) {
  const Vec3<double> all = rpy_from_rotation(R);
  for (int digits = 1; digits <= 17; ++digits) {
    const Vec3<double> some{numerals::rounded(all.x, digits), numerals::rounded(all.y, digits),
                            numerals::rounded(all.z, digits)};
    if (same_rotation(from_rpy(some.x, some.y, some.z), R)) return some;
  }
  return all;
}

void lose_numbers_of_fixed(const JointDescription& j, Losses& losses) {
  const auto any = [](const std::vector<double>& x) {
    return std::any_of(x.begin(), x.end(), [](double a) { return std::isfinite(a) && a != 0; });
  };
  std::string what;
  const auto list = [&](bool is, const char* of) {
    if (is) what += (what.empty() ? "" : ", ") + std::string(of);
  };
  list(any(j.lower) || any(j.upper), "limits");
  list(any(j.velocity) || any(j.effort), "limits of velocity and force");
  list(any(j.damping) || any(j.friction) || any(j.stiffness) || any(j.rotor_inertia), "effects");
  list(!std::isnan(j.soft_lower) || !std::isnan(j.soft_upper) || !std::isnan(j.k_position) ||
           !std::isnan(j.k_velocity) || !std::isnan(j.rising) || !std::isnan(j.falling),
       "safety controller or calibration");
  if (!what.empty()) losses.add("L_LIMIT", "joint", j.name, what + " of a fixed joint, which have no effect");
}

bool has_motor_by_default(const JointDescription& joint) {
  return building::is_driven_by_default(joint) && joint.type != "fixed" && joint.mimic.leader.empty();
}
bool has_motor(const JointDescription& joint) {
  const bool by_default = joint.actuated == JointDescription::Actuated::by_default;
  return by_default ? has_motor_by_default(joint) : joint.actuated == JointDescription::Actuated::yes;
}

bool is_plain(const ContactData& contact) {
  const ContactData standard;
  for (const double mu : contact.friction)
    if (!std::isnan(mu)) return false;
  return contact.type == standard.type && contact.affinity == standard.affinity &&
         contact.dimension == standard.dimension && contact.priority == standard.priority &&
         contact.margin == standard.margin;
}

}  // namespace zwang::io
