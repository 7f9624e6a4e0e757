// SPDX-License-Identifier: BSD-3-Clause
// UrdfWriter: couplings of URDF+, ratio (sum of q up to the predecessor) - (sum of q up to the successor) = 0, both
// from the nearest link that carries both.
#include <algorithm>

#include "io/write_urdf.hpp"

namespace zwang::io {
namespace {

/// A run of joints from a link upward: the lowest link that they move, the link that carries them, their ratio.
struct Run {
  std::string low, top;
  double ratio = 0;
};

bool moves_one(const JointDescription& j) {
  return j.type == "revolute" || j.type == "continuous" || j.type == "prismatic";
}

}  // namespace

void UrdfWriter::coupling(const CouplingConstraint& rows) {
  const auto lost = [&](const char* why) { losses_.add("L_COUPLING", "constraint", rows.name, why); };
  if (rows.offset != 0) return lost("a relation with an offset");
  std::unordered_map<std::string, double> ratio;  // of joints that are not in a run yet
  for (std::size_t k = 0; k < rows.coordinates.size(); ++k) ratio.emplace(rows.coordinates[k], rows.ratio[k]);
  const char* const form = "a relation that is not a ratio of two sums of joints one behind the other";
  // The next joint that moves, at or above the one that carries a link.
  const auto mover = [&](const std::string& link) {
    const JointDescription* j = plain_.carrier_of(link);
    while (j && j->type == "fixed") j = plain_.carrier_of(j->parent);
    return j;
  };
  std::vector<std::string> low;  // children of joints below which no other one of the relation is
  std::unordered_set<std::string> above;
  for (const auto& [name, r] : ratio)
    for (const JointDescription& j : plain_.robot.joints) {
      if (j.name != name) continue;
      if (!moves_one(j)) return lost(form);
      low.push_back(j.child);
      for (const JointDescription* up = mover(j.parent); up; up = mover(up->parent)) above.insert(up->name);
    }
  if (low.size() != ratio.size()) return lost("coordinates that are not joints of one coordinate");
  std::sort(low.begin(), low.end());  // the same file for the same robot
  std::vector<Run> runs;
  for (const std::string& link : low) {
    const JointDescription* j = plain_.carrier_of(link);
    if (above.contains(j->name)) continue;
    Run run{link, j->parent, ratio.at(j->name)};
    for (; j && ratio.contains(j->name) && ratio.at(j->name) == run.ratio && moves_one(*j); j = mover(j->parent)) {
      ratio.erase(j->name);
      run.top = j->parent;
    }
    runs.push_back(run);
  }
  if (!ratio.empty() || runs.empty() || runs.size() > 2) return lost(form);
  // What carries both: a joint that moves between it and the top of a run would count, too.
  std::string ends[2] = {runs[0].low, runs[0].top};
  double value = 1;
  if (runs.size() == 2) {
    const JointDescription *a = mover(runs[0].top), *b = mover(runs[1].top);
    if (a != b) return lost(form);
    // A leader first, as the file of a gear has it: ratio q_1 - q_2 = 0.
    const bool first = rows.coordinates[0] == plain_.carrier_of(runs[0].low)->name;
    const Run &lead = runs[first ? 0 : 1], &follow = runs[first ? 1 : 0];
    ends[0] = lead.low, ends[1] = follow.low;
    value = -lead.ratio / follow.ratio;
  }
  const XmlElement element = text_.root().add("coupling");
  element.set("name", rows.name).set("type", "rolling");
  element.add("predecessor").set("link", ends[0]);
  element.add("successor").set("link", ends[1]);
  element.add("ratio").set("value", value);
}

}  // namespace zwang::io
