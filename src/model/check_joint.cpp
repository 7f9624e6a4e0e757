// SPDX-License-Identifier: BSD-3-Clause
// check: joint types, parameters, axes, limits, damping, friction, springs, rotors.
#include <algorithm>
#include <cmath>

#include "model/check_detail.hpp"
#include "zwang/model/joint_info.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::detail {
namespace {

constexpr double k_axis_rounding = 1e-3;      // 0.577 0.577 0.577 is meant as a unit vector
constexpr double k_rotation_rounding = 1e-6;  // of R^T R - 1

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool all_finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}
/// Entry k of a vector that holds one number per coordinate, one for all, or none.
double entry(const std::vector<double>& v, std::size_t k) { return v.empty() ? unknown : v.size() == 1 ? v[0] : v[k]; }

std::vector<std::string> every_type() {
  std::vector<std::string> names = joint_type_names();
  for (const char* more : {"fixed", "continuous", "composite"})
    if (std::find(names.begin(), names.end(), more) == names.end()) names.emplace_back(more);
  return names;
}
std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

void Checker::types() {
  facts_.resize(robot_.joints.size());
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) type_of(j);
}

void Checker::type_of(Index j) {
  const JointDescription& joint = robot_.joints[j];
  TypeFacts& facts = facts_[j];
  if (!joint.parts.empty() && (joint.user || joint.type != "composite")) {
    Diagnostic d = at_joint(j, "E_PARAMETERS");
    d.found = std::to_string(joint.parts.size()) + " parts of a joint of type " + quoted(joint.type);
    d.expected = "parts of a joint of type 'composite' only";
    found_.add(Weight::refuse, d);
  }
  if (joint.user) {
    facts = {joint.user->nq, joint.user->nv, true, false, true};
    if (joint.user != spline_functions()) return;
    if (joint.type != spline_functions()->name) {
      Diagnostic d = at_joint(j, "E_JOINT_TYPE");
      d.found = "the functions of a spline for a joint of type " + quoted(joint.type);
      d.expected = "type " + quoted(spline_functions()->name);
      found_.add(Weight::refuse, d);
    } else if (const std::string fault = spline_fault(joint.parameters); !fault.empty()) {
      Diagnostic d = at_joint(j, "E_PARAMETERS");
      d.found = fault;
      d.expected = "those of spline_parameters()";
      found_.add(Weight::refuse, d);
    }
    return;
  }
  if (joint.type == "fixed") {
    facts = {0, 0, true, true, false};
    return;
  }
  const auto info_of = [&](const std::string& type, const char* below) {
    const JointTypeInfo* info = find_joint_type(type == "continuous" ? "revolute" : type);
    if (info && type != "user") return info;
    Diagnostic d = at_joint(j, "E_JOINT_TYPE", below);
    d.found = type.empty() ? "no type" : type == "user" ? "type 'user' without its functions" : quoted(type);
    d.expected = "one of " + joined(every_type());
    d.hint = found_.did_you_mean(type, every_type());
    found_.add(Weight::refuse, d);
    return static_cast<const JointTypeInfo*>(nullptr);
  };
  if (joint.type == "composite") {
    facts = {0, 0, !joint.parts.empty(), false, false};
    for (const zwang::JointPart& part : joint.parts) {
      if (part.type == "fixed") continue;
      const JointTypeInfo* info = info_of(part.type, "part");
      if (!info) {
        facts.known = false;
        continue;
      }
      facts.nq += info->nq;
      facts.nv += info->nv;
    }
    if (joint.parts.empty()) {
      Diagnostic d = at_joint(j, "E_PARAMETERS");
      d.found = "a composite joint without parts";
      found_.add(Weight::refuse, d);
    }
    return;
  }
  if (const JointTypeInfo* info = info_of(joint.type, "")) {
    facts = {info->nq, info->nv, true, false, info->has_axis};
    parameters(j, *info);
  }
}

void Checker::parameters(Index j, const JointTypeInfo& info) {
  const std::vector<double>& given = robot_.joints[j].parameters;
  if (info.parameters >= 0 && static_cast<int>(given.size()) != info.parameters) {
    Diagnostic d = at_joint(j, "E_PARAMETERS");
    d.found = std::to_string(given.size()) + " parameters";
    d.expected = std::to_string(info.parameters) + " for a joint of type " + quoted(info.name);
    found_.add(Weight::refuse, d);
  } else if (!all_finite(given)) {
    Diagnostic d = at_joint(j, "E_NUMBER");
    d.found = "a parameter that is not finite";
    found_.add(Weight::refuse, d);
  } else if (std::string_view(info.name) == "ellipsoid" &&
             std::any_of(given.begin(), given.end(), [](double x) { return x <= 0; })) {
    Diagnostic d = at_joint(j, "E_PARAMETERS");
    d.found = "a radius that is not positive";
    d.expected = "three positive radii";
    found_.add(Weight::refuse, d);
  }
}

void Checker::rotation(const char* kind, const std::string& name, const SourcePlace& place,
                       const Transform<double>& pose) {
  const Mat3<double>& R = pose.R;
  if (!finite(pose.p) || !finite(R.r0) || !finite(R.r1) || !finite(R.r2)) {
    Diagnostic d = at(place, kind, name, "E_NUMBER", "origin");
    d.found = "a placement that is not finite";
    d.expected = "finite numbers";
    found_.add(Weight::refuse, d);
    return;
  }
  const double lengths =
      std::fabs(dot(R.r0, R.r0) - 1) + std::fabs(dot(R.r1, R.r1) - 1) + std::fabs(dot(R.r2, R.r2) - 1);
  const double angles = std::fabs(dot(R.r0, R.r1)) + std::fabs(dot(R.r1, R.r2)) + std::fabs(dot(R.r2, R.r0));
  const double determinant = dot(R.r0, cross(R.r1, R.r2));
  if (lengths + angles <= k_rotation_rounding && determinant > 0) return;
  Diagnostic d = at(place, kind, name, "E_ROTATION", "origin");
  d.found = determinant > 0 ? "a matrix that is no rotation" : "a matrix of determinant " + number_text(determinant);
  d.expected = "orthonormal axes of determinant 1";
  found_.add(Weight::refuse, d);
}

void Checker::joint_values(Index j) {
  if (!facts_[j].known || facts_[j].fixed) return;
  axis(j);
  limits(j);
  effects(j);
}

void Checker::axis(Index j) {
  const JointDescription& joint = robot_.joints[j];
  const auto one = [&](const Vec3<double>& a, const char* below) {
    const double scale = std::max({std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)});
    const double length = scale > 0 && finite(a) ? scale * norm(a * (1.0 / scale)) : 0.0;
    if (finite(a) && length > 1e-100 && std::fabs(length - 1) <= k_axis_rounding) return;
    const bool usable = finite(a) && length > 1e-100;
    Diagnostic d = at_joint(j, usable ? "W_AXIS" : "E_AXIS", below);
    d.found = number_text(a.x) + ' ' + number_text(a.y) + ' ' + number_text(a.z);
    d.expected = "an axis of length 1";
    d.hint = usable ? "its length " + number_text(length) + " is divided out" : "an axis needs a direction";
    found_.add(usable ? Weight::warn : Weight::refuse, d);
  };
  if (joint.type != "composite") {
    if (facts_[j].has_axis) one(joint.axis, "axis");
    return;
  }
  for (const zwang::JointPart& part : joint.parts) {
    const JointTypeInfo* info = find_joint_type(part.type == "continuous" ? "revolute" : part.type);
    if (info && info->has_axis) one(part.axis, "part/axis");
  }
}

void Checker::sizes(const JointDescription& joint, const char* which, const std::vector<double>& values, int expected) {
  if (values.size() <= 1 || static_cast<int>(values.size()) == expected) return;
  Diagnostic d = at(joint.place, "joint", joint.name, "E_PARAMETERS", which);
  d.found = std::to_string(values.size()) + " numbers";
  d.expected = "none, 1 or " + std::to_string(expected);
  found_.add(Weight::refuse, d);
}

void Checker::limits(Index j) {
  const JointDescription& joint = robot_.joints[j];
  const int nq = facts_[j].nq;
  sizes(joint, "limit", joint.lower, nq);
  sizes(joint, "limit", joint.upper, nq);
  sizes(joint, "limit", joint.velocity, facts_[j].nv);
  sizes(joint, "limit", joint.effort, facts_[j].nv);
  const std::size_t n = std::max(joint.lower.size(), joint.upper.size());
  const auto fits = [&](const std::vector<double>& v) {
    return v.size() <= 1 || v.size() == static_cast<std::size_t>(nq);
  };
  bool swap = false;
  for (std::size_t k = 0; k < n && fits(joint.lower) && fits(joint.upper); ++k) {
    const double lower = entry(joint.lower, k), upper = entry(joint.upper, k);
    if (lower == unlimited || upper == -unlimited) {
      Diagnostic d = at_joint(j, "E_LIMIT", "limit");
      d.found = "lower " + number_text(lower) + " and upper " + number_text(upper);
      d.expected = "-inf for a lower limit that is none, inf for an upper one";
      found_.add(Weight::refuse, d);
      return;
    }
    if (!(lower > upper)) continue;
    Diagnostic d = at_joint(j, "E_LIMIT", "limit");
    d.found = "lower " + number_text(lower) + " above upper " + number_text(upper);
    d.expected = "lower at most upper";
    if (found_.lenient()) d.hint = "they are exchanged";
    found_.add(Weight::repairable, d);
    swap = true;
  }
  if (swap && edit_) {
    std::vector<double> low(n), high(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double a = entry(joint.lower, k), b = entry(joint.upper, k);
      low[k] = a > b ? b : a;
      high[k] = a > b ? a : b;
    }
    edit_->joints[j].lower = low;
    edit_->joints[j].upper = high;
  }
  bounds(j, "velocity", joint.velocity);
  bounds(j, "effort", joint.effort);
  zero_bounds(j);
  // A robot made by hand says nothing of limits where it has none; a URDF must.
  const bool needs = (joint.type == "revolute" || joint.type == "prismatic") && joint.place.line > 0;
  const double lower = entry(joint.lower, 0), upper = entry(joint.upper, 0);
  if (!needs || (!std::isnan(lower) && !std::isnan(upper))) return;
  Diagnostic d = at_joint(j, "W_LIMIT");
  d.found = n == 0                                   ? "no limits"
            : std::isnan(lower) && std::isnan(upper) ? "no position limits"
            : std::isnan(lower)                      ? "no lower limit"
                                                     : "no upper limit";
  d.expected = "lower and upper for a joint of type " + quoted(joint.type);
  d.hint = "what is missing is taken as unknown, and the joint as unlimited there";
  if (joint.type == "revolute" && std::isnan(lower) && std::isnan(upper))
    d.hint += "; say type 'continuous' if that is meant";
  found_.add(Weight::warn, d);
}

void Checker::bounds(Index j, const char* which, const std::vector<double>& values) {
  for (const double x : values) {
    if (!(x < 0)) continue;
    Diagnostic d = at_joint(j, "E_LIMIT", "limit");
    d.found = std::string(which) + ' ' + number_text(x);
    d.expected = "a bound of at least 0";
    if (found_.lenient()) d.hint = "it is taken as unknown";
    found_.add(Weight::repairable, d);
    if (!edit_) continue;
    JointDescription& joint = edit_->joints[j];
    for (double& y : &values == &joint.velocity ? joint.velocity : joint.effort) y = y < 0 ? unknown : y;
    return;
  }
}

/// Programs that export robots write 0 where they know no bound. A joint that could never move or push would be fixed,
/// so that 0 is no bound; the effort of a joint without a motor is none either, and nothing need be said of it.
void Checker::zero_bounds(Index j) {
  const JointDescription& joint = robot_.joints[j];
  const auto zero = [](const std::vector<double>& x) { return std::find(x.begin(), x.end(), 0.0) != x.end(); };
  const bool velocity = zero(joint.velocity);
  const bool effort = zero(joint.effort) && joint.actuated != JointDescription::Actuated::no;
  if (facts_[j].nv == 0 || joint.closes_loop) return;
  if (facts_[j].nq == 1 && entry(joint.lower, 0) == 0 && entry(joint.upper, 0) == 0) {
    Diagnostic d = at_joint(j, "W_LIMIT", "limit");
    d.found = "lower 0 and upper 0";
    d.hint =
        "within them the joint does not move; leave them out where nothing is known, say type 'fixed' if that is meant";
    found_.add(Weight::warn, d);
  }
  if (!velocity && !effort) return;
  Diagnostic d = at_joint(j, "W_LIMIT", "limit");
  d.found = velocity && effort ? "velocity 0 and effort 0" : velocity ? "velocity 0" : "effort 0";
  d.expected = "a bound above 0, inf where there is none";
  d.hint = "0 is taken as unknown: no bound is kept there";
  found_.add(Weight::warn, d);
}

void Checker::effects(Index j) {
  const JointDescription& joint = robot_.joints[j];
  struct Effect {
    const char* name;
    const std::vector<double>& values;
    const char* code;  // where negative
    const char* means;
  };
  const Effect effects[] = {
      {"damping", joint.damping, "W_DAMPING", "negative damping feeds energy in"},
      {"friction", joint.friction, "W_FRICTION", "negative friction feeds energy in"},
      {"stiffness", joint.stiffness, "W_STIFFNESS", "such a spring pushes away from its reference"},
      {"rotor_inertia", joint.rotor_inertia, "E_INERTIA", "a rotor has positive inertia"},
      {"spring_reference", joint.spring_reference, nullptr, ""},
      {"gear_ratio", joint.gear_ratio, nullptr, ""}};
  for (const Effect& e : effects) {
    sizes(joint, e.name, e.values, std::string_view(e.name) == "spring_reference" ? facts_[j].nq : facts_[j].nv);
    const bool negative = std::any_of(e.values.begin(), e.values.end(), [](double x) { return x < 0; });
    if (all_finite(e.values) && !(negative && e.code)) continue;
    Diagnostic d = at_joint(j, all_finite(e.values) ? e.code : "E_NUMBER", "dynamics");
    d.found = e.name;
    for (const double x : e.values) d.found += ' ' + number_text(x);
    d.expected = negative && e.code ? "at least 0" : "finite numbers";
    if (negative && e.code) d.hint = e.means;
    found_.add(d.code[0] == 'W' ? Weight::warn : Weight::refuse, d);
  }
  const auto largest = [](const std::vector<double>& x) {
    double most = 0;
    for (const double e : x) most = std::fmax(most, std::fabs(e));
    return most;
  };
  const double ratio = largest(joint.gear_ratio), rotor = largest(joint.rotor_inertia);
  if (!std::isfinite(ratio) || !std::isfinite(rotor) || std::isfinite(ratio * ratio * rotor)) return;
  Diagnostic d = at_joint(j, "E_NUMBER", "dynamics");
  d.found = "gear_ratio " + number_text(ratio) + " and rotor_inertia " + number_text(rotor);
  d.expected = "an armature, gear_ratio^2 rotor_inertia, within the range of double";
  found_.add(Weight::refuse, d);
}

}  // namespace zwang::detail
