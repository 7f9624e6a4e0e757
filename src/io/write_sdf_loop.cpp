// SPDX-License-Identifier: BSD-3-Clause
// SdfWriter: loops, which are joints whose child another joint carries, and couplings: gearboxes of two joints that
// turn on one link, mimic joints where that is not so.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "io/write_sdf.hpp"

namespace zwang::io {
namespace {

constexpr double k_meets = 1e-9;  // [m, rad] between the two frames of a loop as it is drawn

/// How far b is from where the joint lets it be in a.
double apart(const std::string& type, const Vec3<double>& axis, const Transform<double>& X) {
  const Vec3<double> u = axis * (1 / norm(axis));
  const double turned = norm(cross(u, X.R * u)) + (dot(u, X.R * u) < 0 ? 2 : 0);
  const double off = std::max({std::fabs(X.R.r0.x - 1), std::fabs(X.R.r1.y - 1), std::fabs(X.R.r2.z - 1),
                               std::fabs(X.R.r0.y), std::fabs(X.R.r0.z), std::fabs(X.R.r1.z)});
  if (type == "ball") return norm(X.p);
  if (type == "fixed") return std::max(norm(X.p), off);
  if (type == "prismatic") return std::max(norm(cross(u, X.p)), off);
  return std::max(norm(X.p), turned);
}

bool has_one_axis(const std::string& type) {
  return type == "revolute" || type == "continuous" || type == "prismatic" || type == "helical";
}

}  // namespace

void SdfWriter::loop(const PlainLoop& given) {
  JointDescription j = given.joint;
  const auto lost = [&](const std::string& why) { losses_.add("L_LOOP", given.element(), j.name, why); };
  std::string type = j.type;
  if (type == "spherical" || type == "spherical_zyx") type = "ball";
  if (type == "revolute_unbounded" || type == "revolute") type = "continuous";
  if (type != "ball" && type != "continuous" && type != "prismatic" && type != "fixed")
    return lost("a loop closed by a joint of type " + j.type);
  const Stand parent = stand_of(j.parent), child = stand_of(j.child);
  j.origin = parent.pose * j.origin, j.child_origin = child.pose * j.child_origin;
  if (child.link < 0) return lost("a loop whose second frame is fixed to the world");
  if (parent.link == child.link) return lost("a loop between two frames of one link");
  const Written& held = written_[static_cast<std::size_t>(child.link)];
  if (held.carrier < 0 && !held.still)  // one that is still has its joint to the world
    return lost("a loop that ends at a link that floats: SDF would hang it on this joint");
  const Transform<double> a = drawn_of({parent.link, j.origin}), b = drawn_of({child.link, j.child_origin});
  const double distance = apart(type, j.axis, inverse_times(a, b));
  if (!(distance <= k_meets))
    return lost("a loop that is open by " + number_text(distance) +
                " where the robot is drawn: SDF has one frame for it");
  const XmlElement element = model_.add("joint");
  element.set("name", j.name).set("type", type);
  pose(element, j.origin, parent.link < 0 ? "__model__" : name_of(parent.link));
  element.add("parent").text(name_of(parent.link));
  element.add("child").text(name_of(child.link));
  if (type == "ball" || type == "fixed") return;
  element.add("axis").add("xyz").text(number_text(std::array<double, 3>{j.axis.x, j.axis.y, j.axis.z}));
}

JointDescription* SdfWriter::find_joint(const std::string& name) {
  const auto it = joint_at_.find(name);
  return it == joint_at_.end() ? nullptr : &plain_.robot.joints[it->second];
}
const JointDescription* SdfWriter::find_joint(const std::string& name) const {
  return const_cast<SdfWriter*>(this)->find_joint(name);
}

void SdfWriter::find_mimics() {
  const std::vector<JointDescription>& joints = plain_.robot.joints;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    joint_at_.emplace(joints[i].name, i);
    leaders_.insert(joints[i].mimic.leader);
  }
  for (const CouplingConstraint& c : plain_.couplings)
    for (const std::string& name : std::set<std::string>(c.coordinates.begin(), c.coordinates.end()))
      ++couplings_of_[name];
  for (const CouplingConstraint& c : plain_.couplings) mimic(c);
}

/// q_1 = -(r_0 / r_1) q_0 + offset / r_1 where no gearbox says it: a coordinate fewer instead of a row. The follower
/// is in no other coupling, and nothing follows it.
bool SdfWriter::mimic(const CouplingConstraint& rows) {
  if (gearbox(rows) || rows.coordinates.size() != 2) return false;
  for (const std::size_t follower : {std::size_t{1}, std::size_t{0}}) {
    JointDescription *const own = find_joint(rows.coordinates[follower]), *const lead = find_joint(
                                                                              rows.coordinates[1 - follower]);
    if (!own || !lead || !has_one_axis(own->type) || !has_one_axis(lead->type)) continue;
    if (own == lead || !own->mimic.leader.empty() || rows.ratio[follower] == 0) continue;
    if (couplings_of_.at(own->name) > 1 || leaders_.contains(own->name)) continue;
    const double r = rows.ratio[follower];
    own->mimic = {lead->name, -rows.ratio[1 - follower] / r, rows.offset / r};
    leaders_.insert(lead->name);
    losses_.add("L_COUPLING", "constraint", rows.name, "its row, and with it a coordinate",
                "joint " + own->name + " follows joint " + lead->name);
    return true;
  }
  return false;
}

/// Can a gearbox say it, and is it no mimic?
bool SdfWriter::gearbox(const CouplingConstraint& rows) const {
  if (rows.coordinates.size() != 2 || rows.offset != 0 || rows.ratio[1] == 0) return false;
  const JointDescription* const of[2] = {find_joint(rows.coordinates[0]), find_joint(rows.coordinates[1])};
  for (const JointDescription* j : of)
    if (!j || (j->type != "revolute" && j->type != "continuous") || !joint_name_.contains(j->name)) return false;
  return stand_of(of[0]->parent).link == stand_of(of[1]->parent).link && of[0] != of[1];
}

void SdfWriter::coupling(const CouplingConstraint& rows) {
  if (!gearbox(rows)) {
    for (std::size_t k = 0; k < 2 && rows.coordinates.size() == 2; ++k)
      if (const JointDescription* const j = find_joint(rows.coordinates[k]))
        if (j->mimic.leader == rows.coordinates[1 - k]) return;  // mimic() has said it
    losses_.add("L_COUPLING", "constraint", rows.name,
                "a relation that is neither of two joints on one link nor a mimic");
    return;
  }
  const JointDescription *const first = find_joint(rows.coordinates[0]), *const second =
                                                                             find_joint(rows.coordinates[1]);
  const XmlElement element = model_.add("joint");
  element.set("name", named("constraint", rows.name, "_gear")).set("type", "gearbox");
  element.add("parent").text(name_of(stand_of(first->child).link));
  element.add("child").text(name_of(stand_of(second->child).link));
  const auto axis = [&](const char* which, const JointDescription& j) {
    const XmlElement xyz = element.add(which).add("xyz");
    xyz.set("expressed_in", joint_name_.at(j.name));
    xyz.text(number_text(std::array<double, 3>{j.axis.x, j.axis.y, j.axis.z}));
  };
  axis("axis", *first);
  axis("axis2", *second);
  element.add("gearbox_ratio").text(number_text(rows.ratio[0] / rows.ratio[1]));
  element.add("gearbox_reference_body").text(name_of(stand_of(first->parent).link));
}

}  // namespace zwang::io
