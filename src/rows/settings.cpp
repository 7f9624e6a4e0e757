// SPDX-License-Identifier: BSD-3-Clause
// The words of the settings, lists of prescribed coordinates, and limits of motors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/support.hpp"
#include "core/words.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// The coordinates of a joint, or one by its name. `verb`: what should be done to the leader of a mimic joint.
Range coordinates_of(const std::string& function, const char* verb, const Model& model, const std::string& name) {
  Range range{-1, 0};
  const JointId joint = model.find_joint(name);
  if (joint.value >= 0) {
    const Joint& j = model.joints()[static_cast<std::size_t>(joint.value)];
    if (!j.mimic.leader.empty())
      throw std::invalid_argument(function + ": joint '" + name + "' mimics '" + j.mimic.leader + "'; " + verb +
                                  " that one");
    range = j.v;
    if (range.size == 0) throw std::invalid_argument(function + ": joint '" + name + "' does not move");
  } else {
    const std::vector<std::string>& names = model.coordinate_names();
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name) range = {static_cast<Index>(k), 1};
    if (range.first < 0) {
      std::vector<std::string> known = model.joint_names();
      known.insert(known.end(), names.begin(), names.end());
      detail::throw_unknown("joint or coordinate", name, known);
    }
  }
  return range;
}

}  // namespace

Singularity singularity_of(const std::string& word) { return words::value_of<Singularity>("singularity policy", word); }

void prescribe(const Model& model, Prescribed& list, const std::string& name, const std::vector<double>& acceleration) {
  const Range range = coordinates_of("prescribe", "prescribe", model, name);
  if (static_cast<Index>(acceleration.size()) != range.size)
    detail::throw_size("prescribe", name.c_str(), static_cast<long>(acceleration.size()), range.size);
  for (Index k = 0; k < range.size; ++k) {
    const double a = acceleration[static_cast<std::size_t>(k)];
    if (!is_finite(a)) detail::throw_not_finite("prescribe", name.c_str(), k, a);
    for (const PrescribedCoordinate& p : list)
      if (p.v == range.first + k) throw std::invalid_argument("prescribe: '" + name + "' is prescribed already");
    list.push_back({range.first + k, a});
  }
}

MotorLimits motor_limits(const Model& model) {
  MotorLimits limits;
  // Efforts of 0 or infinity in a file say that the motors have no limit. A model without any effort is refused below.
  const std::vector<Joint>& joints = model.joints();
  const bool some = std::any_of(joints.begin(), joints.end(), [](const Joint& j) {
    const std::vector<double>& effort = j.description.effort;
    return std::any_of(effort.begin(), effort.end(), [](double x) { return !std::isnan(x); });
  });
  for (const double effort : model.effort_limit()) {
    const bool known = effort >= 0;  // NaN: unknown
    limits.upper.push_back(known ? effort : k_infinite);
    limits.lower.push_back(-limits.upper.back());
  }
  if (!some)
    throw std::invalid_argument("motor_limits: no joint of model '" + model.name() +
                                "' has an effort limit; give limits by joint");
  return limits;
}

void limit_motor(const Model& model, MotorLimits& limits, const std::string& name, double lower, double upper) {
  const Range range = coordinates_of("limit_motor", "limit", model, name);
  if (!(lower <= upper))
    throw std::invalid_argument("limit_motor: the limits of '" + name + "' are " + std::to_string(lower) + " and " +
                                std::to_string(upper) + ", expected lower <= upper");
  limits.lower.resize(static_cast<std::size_t>(model.nv()), -k_infinite);
  limits.upper.resize(static_cast<std::size_t>(model.nv()), k_infinite);
  std::fill_n(limits.lower.begin() + range.first, range.size, lower);
  std::fill_n(limits.upper.begin() + range.first, range.size, upper);
}

}  // namespace zwang
