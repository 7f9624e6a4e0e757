// SPDX-License-Identifier: BSD-3-Clause
// write_mjcf: joints, their limits and effects.
#include <algorithm>
#include <cmath>

#include "io/write_mjcf.hpp"

namespace zwang::io {

namespace {

using Kind = MjcfPart::Kind;
using Follows = MjcfPart::Follows;

/// Stands for a bound that there is none: MuJoCo stops where a position is larger.
constexpr double k_far = 1e10;

const char* type_word(Kind kind) {
  switch (kind) {
    case Kind::hinge: return "hinge";
    case Kind::slide: return "slide";
    case Kind::ball: return "ball";
    case Kind::free: break;
  }
  return "free";
}

bool is_bound(double x) { return std::isfinite(x) && x > 0; }
bool any_bound(const std::vector<double>& x) { return std::any_of(x.begin(), x.end(), is_bound); }

class JointWriter {
 public:
  JointWriter(MjcfWriting& work, const MjcfPart& part, XmlElement element)
      : work_(work),
        part_(part),
        joint_(work.joint(part)),
        d_(joint_.description),
        element_(element) {}

  void write() {
    element_.set("name", part_.name).set("type", type_word(part_.kind));
    if (part_.kind != Kind::free) {
      const Vec3<double>& p = part_.frame.p;
      if (p.x != 0 || p.y != 0 || p.z != 0) element_.set("pos", p);
    }
    if (part_.freedoms() == 1) element_.set("axis", part_.frame.R * part_.axis);
    if (part_.follows == Follows::pitch) return;  // the hinge beside it has the limits and effects
    limits();
    effort();
    effects();
  }

 private:
  double q_of(const std::vector<double>& x, double otherwise) const {
    return entry_of(x, joint_.q.size, part_.q, otherwise);
  }
  double q_at(const std::vector<double>& x, Index k, double otherwise) const {
    return entry_of(x, joint_.q.size, part_.q + k, otherwise);
  }
  double v_of(const std::vector<double>& x, Index k, double otherwise) const {
    return entry_of(x, joint_.v.size, part_.v + k, otherwise);
  }
  void lose(LossCode code, const std::string& lost, const std::string& instead = "") {
    work_.lose(code, "joint", part_.name, lost, instead);
  }

  void limits() {
    if (part_.freedoms() > 1 || part_.follows == Follows::circle || joint_.type == "continuous") return;
    const double lower = q_of(d_.lower, unknown), upper = q_of(d_.upper, unknown);
    const bool low = std::isfinite(lower), high = std::isfinite(upper);
    if (!low && !high) return;
    if (low && high && !(lower < upper))
      return lose("L_LIMIT", "lower and upper limit, which are both " + number_text(lower), "no limits");
    const double range[2] = {low ? lower : -k_far, high ? upper : k_far};
    set_numbers(element_, "range", range);
    if (low != high)
      lose("L_LIMIT", std::string("that it has ") + (low ? "a lower" : "an upper") + " limit alone",
           number_text(low ? range[1] : range[0]) + " as the other one");
  }

  void effort() {
    if (part_.follows != Follows::number && part_.follows != Follows::circle) return;  // lose_rest_of_joint
    const double most = v_of(d_.effort, 0, unknown);
    if (!is_bound(most)) return;
    const double range[2] = {-most, most};
    set_numbers(element_, "actuatorfrcrange", range);
  }

  /// Of a joint of several freedoms one number for all.
  double one_number(const std::vector<double>& x, LossCode code, const char* what) {
    const double first = v_of(x, 0, 0);
    double sum = 0;
    bool same = true;
    for (int k = 0; k < part_.freedoms(); ++k) {
      sum += v_of(x, k, 0);
      same = same && v_of(x, k, 0) == first;
    }
    if (same) return first;
    const double mean = sum / part_.freedoms();
    lose(code, std::string(what) + " that differs from axis to axis", number_text(mean) + " about every axis");
    return mean;
  }

  void effects() {
    const auto set = [&](const char* name, double x) {
      if (x != 0) element_.set(name, x);
    };
    if (part_.follows == Follows::number) {
      set("stiffness", v_of(d_.stiffness, 0, 0));
      if (v_of(d_.stiffness, 0, 0) != 0) set("springref", q_of(d_.spring_reference, 0));
    }
    if (part_.follows == Follows::quaternion && v_of(d_.stiffness, 0, 0) != 0) {
      const Quat<double> reference{q_at(d_.spring_reference, 0, 0), q_at(d_.spring_reference, 1, 0),
                                   q_at(d_.spring_reference, 2, 0), q_at(d_.spring_reference, 3, 1)};
      if (reference.vec().x == 0 && reference.vec().y == 0 && reference.vec().z == 0)
        set("stiffness", v_of(d_.stiffness, 0, 0));
      else
        lose("L_SPRING", "its spring, which rests where the ball is turned");
    }
    set("damping", one_number(d_.damping, "L_DAMPING", "damping"));
    set("frictionloss", one_number(d_.friction, "L_DAMPING", "friction"));
    std::vector<double> armature;
    for (int k = 0; k < part_.freedoms(); ++k) {
      const double ratio = v_of(d_.gear_ratio, k, 1);
      armature.push_back(ratio * ratio * v_of(d_.rotor_inertia, k, 0));
    }
    const bool same = std::all_of(armature.begin(), armature.end(), [&](double x) { return x == armature[0]; });
    double one = 0;
    for (const double x : armature) one += x / part_.freedoms();
    if (same) one = armature[0];
    if (!same) lose("L_ARMATURE", "armature that differs from axis to axis", number_text(one) + " about every axis");
    set("armature", one);
    if (part_.follows == Follows::number || part_.follows == Follows::circle || part_.follows == Follows::quaternion)
      return;
    // Effects along the body's axes: those of the parent or the world are not the same where they differ by axis, where
    // they depend on signs, and where they hold momentum.
    if (part_.follows != Follows::pose && part_.v != part_.type_v) return;  // said once
    const Index linear = part_.follows == Follows::plane ? 2 : 3;
    bool uneven = false;
    for (Index k = 1; k < linear; ++k) uneven = uneven || v_of(d_.damping, k, 0) != v_of(d_.damping, 0, 0);
    const std::string axes = part_.follows == Follows::pose ? "the axes of the world" : "the axes of the parent";
    if ((uneven && part_.follows != Follows::pose) || v_of(d_.friction, 0, 0) != 0)
      lose("L_DAMPING", "damping or friction along its own axes", "along " + axes);
    if (one != 0) lose("L_ARMATURE", "armature along its own axes", "along " + axes);
  }

  MjcfWriting& work_;
  const MjcfPart& part_;
  const Joint& joint_;
  const JointDescription& d_;
  XmlElement element_;
};

}  // namespace

void write_mjcf_joint(MjcfWriting& work, const MjcfPart& part, XmlElement body) {
  JointWriter(work, part, body.add("joint")).write();
}

void lose_rest_of_joint(MjcfWriting& work, const Joint& joint) {
  const JointDescription& d = joint.description;
  const auto lose = [&](LossCode code, const std::string& lost, const std::string& instead = "") {
    work.lose(code, "joint", joint.name, lost, instead);
  };
  const auto given = [](double x) { return !std::isnan(x); };
  if (joint.type == "fixed") lose_numbers_of_fixed(d, work.losses);
  if (joint.type != "fixed" &&
      (given(d.soft_lower) || given(d.soft_upper) || given(d.k_position) || given(d.k_velocity)))
    lose("L_SAFETY", "safety controller and soft limits");
  if (joint.type != "fixed" && (given(d.rising) || given(d.falling))) lose("L_SAFETY", "calibration");
  if (joint.type == "fixed") {
    const std::string& body = work.model().links()[static_cast<std::size_t>(joint.child.value)].name;
    if (joint.name != body + "_fixed") lose("L_NAME", "the name of a fixed joint", "body " + body + " without joint");
    return;
  }
  if (any_bound(d.velocity)) lose("L_VELOCITY", "the limit of its velocity");
  const bool vectors = joint.type == "spherical" || joint.type == "floating" || joint.type == "planar";
  if (vectors && any_bound(d.effort)) lose("L_EFFORT", "the limit of its force and torque");
  const auto finite = [](const std::vector<double>& x) {
    return std::any_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
  };
  bool bare_gear = false;  // with a rotor the armature holds it
  for (Index k = 0; k < joint.v.size; ++k)
    bare_gear = bare_gear ||
                (entry_of(d.gear_ratio, joint.v.size, k, 1) != 1 && entry_of(d.rotor_inertia, joint.v.size, k, 0) == 0);
  if (bare_gear) lose("L_ARMATURE", "a gear ratio without a rotor");
  if (joint.type == "floating" && (finite(d.lower) || finite(d.upper))) lose("L_LIMIT", "limits of where it is");
  if (!work.model().options().expand_mimic || d.mimic.leader.empty()) return;
  lose("L_MIMIC", "that it follows joint " + d.mimic.leader, "a coordinate of its own, as the model has");
}

}  // namespace zwang::io
