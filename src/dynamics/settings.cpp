// SPDX-License-Identifier: BSD-3-Clause
// The words of the settings, and lists of prescribed coordinates.
#include "algorithm/support.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {
namespace {

constexpr const char* k_singularity[] = {"truncation", "proximal", "damping", "weighted"};

}  // namespace

Singularity singularity_of(const std::string& word) {
  for (int k = 0; k < 4; ++k)
    if (word == k_singularity[k]) return static_cast<Singularity>(k);
  detail::throw_unknown("singularity policy", word, {"truncation", "proximal", "damping", "weighted"});
}
const char* name_of(Singularity s) { return k_singularity[static_cast<int>(s)]; }

void prescribe(const Model& model, Prescribed& list, const std::string& name, const std::vector<double>& acceleration) {
  Range range{-1, 0};
  const JointId joint = model.find_joint(name);
  if (joint.value >= 0) {
    const Joint& j = model.joints()[static_cast<std::size_t>(joint.value)];
    if (!j.mimic.leader.empty())
      throw std::invalid_argument("prescribe: joint '" + name + "' mimics '" + j.mimic.leader +
                                  "'; prescribe that one");
    range = j.v;
    if (range.size == 0) throw std::invalid_argument("prescribe: joint '" + name + "' does not move");
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

}  // namespace zwang
