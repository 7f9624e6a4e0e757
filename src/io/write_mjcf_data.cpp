// SPDX-License-Identifier: BSD-3-Clause
// write_mjcf: pairs of links that never touch, motors, configurations.
#include <algorithm>
#include <cmath>
#include <set>

#include "io/mjcf_schema.hpp"
#include "io/write_mjcf.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

namespace {

using Kind = MjcfPart::Kind;
using Follows = MjcfPart::Follows;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class DataWriter {
 public:
  DataWriter(MjcfWriting& work, const MjcfTree& tree) : work_(work), model_(work.model()), tree_(tree) {
    for (const int k : tree.order)
      for (const MjcfPart& part : tree.bodies[static_cast<std::size_t>(k)].joints) parts_.push_back(&part);
  }

  void exclusions(XmlElement contact) {
    std::set<std::pair<int, int>> written;
    for (const ContactExclusion& e : model_.description().contact_exclusions) {
      const std::string pair = e.first + ", " + e.second;
      const LinkId a = model_.find_link(e.first), b = model_.find_link(e.second);
      if (!e.reason.empty())
        work_.lose("L_CONTACT", "link", pair, "why they never touch: " + e.reason, "that they do not");
      const int one = tree_.body_of[at(a.value)], other = tree_.body_of[at(b.value)];
      if (!written.insert(std::minmax(one, other)).second) continue;
      contact.add("exclude")
          .set("body1", tree_.bodies[static_cast<std::size_t>(one)].name)
          .set("body2", tree_.bodies[static_cast<std::size_t>(other)].name);
    }
  }

  void motors(XmlElement actuator) {
    std::unordered_map<std::string, const MjcfPart*> first;  // of each joint
    for (const MjcfPart* p : parts_) {
      const auto [it, is_new] = first.emplace(work_.joint(*p).name, p);
      if (!is_new && p->v < it->second->v) it->second = p;
    }
    UsedNames described;  // by their joints
    for (const MotorDescription& m : model_.description().motors) work_.names.actuator.add(m.name);
    for (const MotorDescription& m : model_.description().motors) {
      const auto it = first.find(m.joint);
      if (it == first.end()) {
        work_.lose("L_MOTOR", "motor", m.name, "a motor of joint " + m.joint + ", which does not move");
        continue;
      }
      if (!is_driven(work_.joint(*it->second))) {
        work_.lose("L_MOTOR", "motor", m.name, "a motor of joint " + m.joint + ", which is not actuated");
        continue;
      }
      described.add(m.joint);
      motor(m, *it->second, actuator);
    }
    for (const MjcfPart* p : parts_) effort(*p);
    for (const MjcfPart* p : parts_) {
      const Joint& joint = work_.joint(*p);
      if (!is_driven(joint) || described.has(joint.name) || p->follows == Follows::pitch) continue;
      plain_motors(*p, actuator);
    }
    const auto drives = [](const MjcfPart* p) { return p->kind != Kind::free; };
    if (actuator.node().first_child() || std::none_of(parts_.begin(), parts_.end(), drives)) return;
    work_.lose("L_MOTOR", "robot", model_.name(), "that no joint has a motor",
               "no actuator: readers may take all joints for driven");
  }

  void keyframes(XmlElement keyframe) {
    UsedNames used;
    for (const Configuration& c : work_.robot.configurations) {
      const bool fits = static_cast<Index>(c.q.size()) == model_.nq() &&
                        (c.v.empty() || static_cast<Index>(c.v.size()) == model_.nv());
      const bool finite = std::all_of(c.q.begin(), c.q.end(), [](double x) { return std::isfinite(x); }) &&
                          std::all_of(c.v.begin(), c.v.end(), [](double x) { return std::isfinite(x); });
      if (!fits || !finite) {
        work_.lose("L_CONFIGURATION", "configuration", c.name,
                   fits ? "numbers that are not finite" : "numbers that are not those of the model's coordinates");
        continue;
      }
      std::vector<double> q, v;
      for (const MjcfPart* p : parts_) positions(*p, c.q, q);
      const bool rests = std::all_of(c.v.begin(), c.v.end(), [](double x) { return x == 0; });
      for (const MjcfPart* p : parts_)
        if (!rests) velocities(*p, c.q, c.v, v);
      if (c.name == "file" && rests && is_drawn(q)) continue;
      const std::string wanted =
          c.name.empty() ? "key_" + std::to_string(&c - work_.robot.configurations.data()) : c.name;
      const std::string name = work_.name(used, "configuration", wanted);
      if (c.name.empty()) work_.lose("L_NAME", "configuration", c.name, "its name, which is empty", name);
      const XmlElement key = keyframe.add("key");
      key.set("name", name);
      if (c.name == "file")
        work_.lose("L_CONFIGURATION", "configuration", c.name, "how the robot is drawn", "keyframe file");
      if (!q.empty()) key.set("qpos", std::span<const double>(q));
      if (!v.empty()) key.set("qvel", std::span<const double>(v));
    }
  }

 private:
  /// As the model takes it: with BuildOptions::expand_mimic no joint follows another one.
  bool is_driven(const Joint& joint) const {
    const JointDescription& d = joint.description;
    if (!model_.options().expand_mimic || d.mimic.leader.empty()) return has_motor(d);
    JointDescription alone;
    alone.type = d.type;
    alone.actuated = d.actuated;
    return has_motor(alone);
  }

  void motor(const MotorDescription& from, const MjcfPart& part, XmlElement actuator) {
    constexpr const char* k_kinds[] = {"motor",  "position", "velocity", "intvelocity", "general", "orientation",
                                       "damper", "cylinder", "muscle",   "dcmotor",     "pid"};
    const bool known =
        std::any_of(std::begin(k_kinds), std::end(k_kinds), [&](const char* kind) { return from.kind == kind; });
    motors_on_[&part].push_back(&from);
    const XmlElement e = actuator.add(known ? from.kind.c_str() : "motor");
    e.set("name", from.name).set("joint", part.name).set("gear", from.gear);
    range(e, "ctrlrange", from.control_lower, from.control_upper, from.name);
    range(e, "forcerange", from.force_lower, from.force_upper, from.name);
    const MjcfRule* const rule = known ? mjcf_rule("actuator", from.kind) : nullptr;
    std::vector<std::string> left_out;
    for (const NamedText& a : from.attributes) {
      if (a.name == "armature" || a.name == "damping") continue;  // in the joint
      if (rule && (rule->is_text_of_motor(a.name) || (a.name == "gear" && part.freedoms() > 1)))
        e.set(a.name.c_str(), a.text);
      else
        left_out.push_back(a.name);
    }
    const Joint& joint = work_.joint(part);
    if (part.freedoms() != joint.v.size)
      work_.lose("L_MOTOR", "motor", from.name, "a motor of all coordinates of joint " + joint.name,
                 "joint " + part.name + " alone");
    if (!known)
      work_.lose("L_MOTOR", "motor", from.name,
                 "kind " + from.kind + (left_out.empty() ? "" : " with its " + listed_names(left_out)),
                 "a motor with its gear");
    else if (!left_out.empty())
      work_.lose("L_MOTOR", "motor", from.name,
                 "attributes that a <" + from.kind + "> does not have: " + listed_names(left_out));
  }

  static bool is_range(double lower, double upper) {
    return std::isfinite(lower) && std::isfinite(upper) && lower < upper;
  }

  /// MuJoCo's motors give no more than their ranges allow: a limit of the joint that is not the least of these is lost.
  void effort(const MjcfPart& part) {
    const Joint& joint = work_.joint(part);
    double by_motors = 0;
    bool described = false, endless = false;
    for (const MotorDescription* m : motors_on_[&part]) {
      const bool by_force = is_range(m->force_lower, m->force_upper);
      const bool by_control = !by_force && m->kind == "motor" && is_range(m->control_lower, m->control_upper);
      const double most = by_force     ? std::max(std::fabs(m->force_lower), std::fabs(m->force_upper))
                          : by_control ? std::max(std::fabs(m->control_lower), std::fabs(m->control_upper))
                                       : 0;
      described = true;
      endless = endless || most * m->gear == 0;
      by_motors += most * std::fabs(m->gear);
    }
    if (!described || endless) return;
    const double given = entry_of(joint.description.effort, joint.v.size, part.v, unlimited);
    if (given <= by_motors && given > 0) return;
    work_.lose("L_EFFORT", "joint", part.name,
               std::isfinite(given) ? "the limit " + number_text(given) + " of its force or torque"
                                    : std::string("that nothing limits its force or torque"),
               number_text(by_motors) + ", which the ranges of its motors allow");
  }

  void range(XmlElement e, const char* name, double lower, double upper, const std::string& motor) {
    if (is_range(lower, upper)) {
      const double numbers[2] = {lower, upper};
      set_numbers(e, name, numbers);
    } else if (std::isfinite(lower) || std::isfinite(upper)) {
      work_.lose("L_MOTOR", "motor", motor, std::string("a ") + name + " without two ends");
    }
  }

  /// Motors with gear 1 of a joint of which no motor is described; of a ball or free joint one for each freedom.
  void plain_motors(const MjcfPart& part, XmlElement actuator) {
    const int n = part.freedoms();
    for (int k = 0; k < n; ++k) {
      const XmlElement e = actuator.add("motor");
      const std::string number = n > 1 ? '_' + std::to_string(k + 1) : "";
      e.set("name", work_.names.actuator.fresh(part.name + number)).set("joint", part.name);
      if (n == 1) continue;
      std::vector<double> gear(6, 0.0);
      gear[static_cast<std::size_t>(k)] = 1;
      e.set("gear", std::span<const double>(gear.data(), static_cast<std::size_t>(n)));
    }
  }

  /// Number k of a joint's own positions or velocities. What a joint that follows has are those of its leader.
  double number(const Joint& joint, const std::vector<double>& all, Index k, bool velocity) const {
    double factor = 1, sum = 0;
    const Joint* of = &joint;
    while (!of->mimic.leader.empty()) {
      if (!velocity) sum += factor * of->mimic.offset;
      factor *= of->mimic.multiplier;
      of = &model_.joint(of->mimic.leader);
    }
    return sum + factor * all[at((velocity ? of->v.first : of->q.first) + k)];
  }

  Quat<double> turn(const Joint& joint, const std::vector<double>& q, Index k) const {
    const double* x = q.data() + joint.q.first + k;
    return normalized(Quat<double>{x[0], x[1], x[2], x[3]});
  }

  void positions(const MjcfPart& part, const std::vector<double>& all, std::vector<double>& out) const {
    const Joint& joint = work_.joint(part);
    const auto q = [&](Index k) { return number(joint, all, k, false); };
    const auto put = [&](const Quat<double>& x) { out.insert(out.end(), {x.w, x.x, x.y, x.z}); };
    switch (part.follows) {
      case Follows::number:
      case Follows::plane:
      case Follows::place: return out.push_back(q(part.q));
      case Follows::pitch: return out.push_back(part.pitch * q(part.q));
      case Follows::circle: return out.push_back(std::atan2(q(part.q + 1), q(part.q)));
      case Follows::quaternion: return put(turn(joint, all, part.q));
      case Follows::pose: break;
    }
    const Transform<double> X = pose(part, all);
    out.insert(out.end(), {X.p.x, X.p.y, X.p.z});
    put(part_is_home(part) ? turn(joint, all, 3) : from_rotation(X.R));
  }

  static bool part_is_home(const MjcfPart& part) {
    const Mat3<double>& R = part.frame.R;
    return R(0, 0) == 1 && R(1, 1) == 1 && R(2, 2) == 1;
  }

  Transform<double> pose(const MjcfPart& part, const std::vector<double>& all) const {
    const Joint& joint = work_.joint(part);
    const double* x = all.data() + joint.q.first;
    return part.frame * Transform<double>{rotation(turn(joint, all, 3)), {x[0], x[1], x[2]}};
  }

  void velocities(const MjcfPart& part, const std::vector<double>& all, const std::vector<double>& all_v,
                  std::vector<double>& out) const {
    const Joint& joint = work_.joint(part);
    const auto v = [&](Index k) { return number(joint, all_v, k, true); };
    // Row k of R times the linear part.
    const auto turned = [&](const Mat3<double>& R, Index k) {
      return dot(R[static_cast<int>(k)], Vec3<double>{v(part.type_v), v(part.type_v + 1), v(part.type_v + 2)});
    };
    switch (part.follows) {
      case Follows::number:
      case Follows::circle: return out.push_back(v(part.v));
      case Follows::pitch: return out.push_back(part.pitch * v(part.v));
      case Follows::quaternion:
        for (Index k = 0; k < 3; ++k) out.push_back(v(part.v + k));
        return;
      case Follows::plane: {
        const double angle = number(joint, all, part.type_q + 2, false), c = std::cos(angle), s = std::sin(angle);
        const double x = v(part.type_v), y = v(part.type_v + 1);
        return out.push_back(part.v == part.type_v ? c * x - s * y : s * x + c * y);
      }
      case Follows::place:
        return out.push_back(turned(rotation(turn(joint, all, part.type_q + 3)), part.v - part.type_v));
      case Follows::pose: break;
    }
    const Mat3<double> R = pose(part, all).R;
    for (Index k = 0; k < 3; ++k) out.push_back(turned(R, k));
    for (Index k = 3; k < 6; ++k) out.push_back(v(k));
  }

  /// Whether MuJoCo's reference configuration is this one: 0, and free bodies where the file has them.
  bool is_drawn(const std::vector<double>& q) const {
    std::size_t k = 0;
    for (const MjcfPart* p : parts_) {
      if (p->kind == Kind::free) {
        k += 7;
      } else if (p->kind == Kind::ball) {
        if (std::fabs(q[k]) != 1) return false;
        k += 4;
      } else if (q[k++] != 0) {
        return false;
      }
    }
    return true;
  }

  MjcfWriting& work_;
  const Model& model_;
  const MjcfTree& tree_;
  std::vector<const MjcfPart*> parts_;  ///< in MuJoCo's order
  std::unordered_map<const MjcfPart*, std::vector<const MotorDescription*>> motors_on_;
};

}  // namespace

void write_mjcf_data(MjcfWriting& work, const MjcfTree& tree, XmlElement root) {
  DataWriter writer(work, tree);
  const XmlElement sections[] = {root.add("contact"), root.add("actuator"), root.add("keyframe")};
  writer.exclusions(sections[0]);
  writer.motors(sections[1]);
  writer.keyframes(sections[2]);
  for (const XmlElement& e : sections)
    if (!e.node().first_child()) e.node().parent().remove_child(e.node());
}

}  // namespace zwang::io
