// SPDX-License-Identifier: BSD-3-Clause
// check: joints that close loops (chosen in check_structure.cpp): whether rows can replace them, which of their
// properties are lost, and the two frames between which the rows act.
#include <algorithm>
#include <cmath>

#include "model/check_detail.hpp"

namespace zwang::detail {
namespace {

/// Joint types that rows can replace (constraint/loop.cpp).
constexpr const char* k_closing[] = {"fixed",     "revolute",  "continuous",    "revolute_unbounded",
                                     "prismatic", "planar",    "floating",      "cylindrical",
                                     "universal", "spherical", "spherical_zyx", "translation"};

bool any(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double a) { return a != 0; });
}
bool bounded(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
}
bool same(const Vec3<double>& a, const Vec3<double>& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
bool same(const FrameDescription& a, const FrameDescription& b) {
  const Mat3<double>&R = a.placement.R, &S = b.placement.R;
  return a.parent == b.parent && same(a.placement.p, b.placement.p) && same(R.r0, S.r0) && same(R.r1, S.r1) &&
         same(R.r2, S.r2);
}
void list(std::string& to, bool present, const char* what) {
  if (present) to += (to.empty() ? "" : ", ") + std::string(what);
}

/// Properties that would change the motion but have no place in rows.
std::string lost_motion(const JointDescription& j) {
  std::string lost;
  list(lost, any(j.damping), "damping");
  list(lost, any(j.friction), "friction");
  list(lost, any(j.stiffness), "a spring");
  list(lost, any(j.rotor_inertia), "a rotor");
  list(lost, j.actuated == JointDescription::Actuated::yes, "a motor");
  list(lost, !j.mimic.leader.empty(), "a mimic");
  return lost;
}
/// Properties that limit the motion and effort of a joint.
std::string lost_limits(const JointDescription& j) {
  std::string lost;
  list(lost, bounded(j.lower) || bounded(j.upper), "limits of position");
  list(lost, bounded(j.velocity), "of velocity");
  list(lost, bounded(j.effort), "of effort");
  return lost;
}

}  // namespace

/// NAME_predecessor and NAME_successor: those that are there already stay, if they are where they should be.
bool Checker::loop_frames(Index j) {
  const JointDescription& joint = robot_.joints[j];
  const FrameDescription ends[2] = {{joint.name + "_predecessor", joint.parent, joint.origin},
                                    {joint.name + "_successor", joint.child, joint.child_origin}};
  for (const FrameDescription& frame : ends) {
    const Index there = frame_index_.find(robot_.frames, frame.name);
    const bool taken = link_index_.find(robot_.links, frame.name) >= 0 ||
                       joint_index_.find(robot_.joints, frame.name) >= 0 ||
                       (there >= 0 && !same(frame, robot_.frames[there]));
    if (taken) {
      Diagnostic d = at_joint(j, "E_DUPLICATE");
      d.found = quoted(frame.name) + ", the name of another link, joint or frame";
      d.expected = "that name free for the frame of the loop that joint " + quoted(joint.name) + " closes";
      found_.add(Weight::refuse, d);
      return false;
    }
    if (there >= 0 || !cut_) continue;
    cut_->frames.push_back(frame);
    frame_index_.add(cut_->frames, static_cast<Index>(cut_->frames.size()) - 1);
  }
  return true;
}

void Checker::loop(Index j) {
  const JointDescription& joint = robot_.joints[j];
  const bool known =
      !joint.user && std::find(std::begin(k_closing), std::end(k_closing), joint.type) != std::end(k_closing);
  if (!known) {
    Diagnostic d = at_joint(j, "E_LOOP");
    d.found = "a joint of type " + quoted(joint.type) + " that closes a loop";
    d.expected = "one of";
    for (const char* type : k_closing) d.expected += std::string(type == k_closing[0] ? " " : ", ") + type;
    const Index kept = carrier_[child_[j]];
    d.hint = "no rows between two frames hold what it holds";
    if (kept >= 0 && kept < j)
      d.hint += "; it can stay in the tree where it comes before " + quoted(robot_.joints[kept].name);
    found_.add(Weight::refuse, d);
    return;
  }
  if (!loop_frames(j)) return;
  const Index kept = carrier_[child_[j]];
  const std::string kept_name = kept >= 0 ? quoted(robot_.joints[kept].name) : std::string();
  Diagnostic note = at_joint(j, "N_LOOP");
  note.found = "joint " + quoted(joint.name) + " closes a loop";
  if (kept >= 0) note.found += ": joint " + kept_name + " carries " + quoted(joint.child);
  const std::string limits = lost_limits(joint);
  note.hint = "it has no coordinates; rows between " + quoted(joint.name + "_predecessor") + " and " +
              quoted(joint.name + "_successor") + " stand for it";
  if (joint.type == "floating") note.hint = "it holds nothing, so that no rows stand for it";
  if (!limits.empty()) note.hint += "; its " + limits + " have no effect";
  found_.add(Weight::note, note);
  const std::string lost = lost_motion(joint);
  if (lost.empty()) return;
  Diagnostic d = at_joint(j, "W_LOOP");
  d.found = lost + " of joint " + quoted(joint.name) + ", which closes a loop";
  d.expected = "such things on joints of the tree";
  d.hint = "without effect";
  if (kept >= 0 && kept < j) d.hint += "; the joint stays in the tree where it comes before " + kept_name;
  found_.add(Weight::warn, d);
}

void Checker::loops() {
  for (Index i = 0; i < static_cast<Index>(robot_.frames.size()); ++i) frame_index_.add(robot_.frames, i);
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) {
    if (!closes_[j] || drop_joint_[j]) continue;
    loop(j);
    if (cut_) cut_->joints[j].closes_loop = true;
  }
}

}  // namespace zwang::detail
