// SPDX-License-Identifier: BSD-3-Clause
// UrdfWriter: couplings of URDF+, ratio (sum of q up to the predecessor) - (sum of q up to the successor) = 0, both
// from the nearest link that carries both.
#include <algorithm>

#include "io/write_urdf.hpp"

namespace zwang::io {
namespace {

constexpr std::size_t k_none = static_cast<std::size_t>(-1);

/// A run of joints from a link upward: the lowest link that they move, the joint above the run (k_none: there is none),
/// the link that carries them, their ratio.
struct Run {
  std::string low, top;
  std::size_t above = k_none;
  double ratio = 0;
};

bool moves_one(const JointDescription& j) {
  return j.type == "revolute" || j.type == "continuous" || j.type == "prismatic";
}

}  // namespace

/// The joints of a robot as a tree, numbered from the root such that what hangs on a joint has the numbers behind it.
class MovingTree {
 public:
  explicit MovingTree(const std::vector<JointDescription>& joints)
      : joints_(joints),
        first_(joints.size()),
        last_(joints.size()),
        mover_(joints.size()) {
    std::unordered_map<std::string_view, std::size_t> carrier;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      at_.emplace(joints[i].name, i);
      carrier.emplace(joints[i].child, i);
    }
    std::vector<std::size_t> up(joints.size()), way;
    std::vector<std::vector<std::size_t>> on(joints.size());
    for (std::size_t i = joints.size(); i-- > 0;) {
      const auto it = carrier.find(joints[i].parent);
      up[i] = it == carrier.end() ? k_none : it->second;
      (up[i] == k_none ? way : on[up[i]]).push_back(i);
    }
    std::vector<std::size_t> order;
    while (!way.empty()) {
      const std::size_t i = way.back();
      way.pop_back();
      first_[i] = last_[i] = order.size();
      order.push_back(i);
      mover_[i] = joints[i].type != "fixed" ? i : up[i] == k_none ? k_none : mover_[up[i]];
      way.insert(way.end(), on[i].begin(), on[i].end());
    }
    for (std::size_t k = order.size(); k-- > 0;)
      if (const std::size_t i = order[k]; up[i] != k_none) last_[up[i]] = std::max(last_[up[i]], last_[i]);
    for (std::size_t i = 0; i < joints.size(); ++i) above_.push_back(up[i] == k_none ? k_none : mover_[up[i]]);
  }
  const JointDescription& operator[](std::size_t joint) const { return joints_[joint]; }
  std::size_t find(const std::string& name) const {
    const auto it = at_.find(name);
    return it == at_.end() ? k_none : it->second;
  }
  /// The next joint above it that moves.
  std::size_t above(std::size_t joint) const { return above_[joint]; }
  std::size_t number(std::size_t joint) const { return first_[joint]; }
  bool carries(std::size_t upper, std::size_t lower) const {
    return first_[upper] <= first_[lower] && first_[lower] <= last_[upper];
  }

 private:
  const std::vector<JointDescription>& joints_;
  std::unordered_map<std::string_view, std::size_t> at_;
  std::vector<std::size_t> first_, last_, mover_, above_;
};

void UrdfWriter::couplings() {
  if (plain_.couplings.empty()) return;
  const MovingTree tree(plain_.robot.joints);
  for (const CouplingConstraint& c : plain_.couplings) coupling(c, tree);
}

void UrdfWriter::coupling(const CouplingConstraint& rows, const MovingTree& tree) {
  const auto lost = [&](const char* why) { losses_.add("L_COUPLING", "constraint", rows.name, why); };
  if (rows.offset != 0) return lost("a relation with an offset");
  const char* const form = "a relation that is not a ratio of two sums of joints one behind the other";
  std::unordered_map<std::size_t, double> ratio;  // of joints that are not in a run yet
  std::vector<std::size_t> all;
  bool known = true;
  for (std::size_t k = 0; k < rows.coordinates.size(); ++k) {
    const std::size_t j = tree.find(rows.coordinates[k]);
    if (j == k_none)
      known = false;
    else if (!moves_one(tree[j]))
      return lost(form);
    else if (ratio.emplace(j, rows.ratio[k]).second)
      all.push_back(j);
  }
  if (!known) return lost("coordinates that are not joints of one coordinate");
  const auto from_the_root = [&](std::size_t a, std::size_t b) { return tree.number(a) < tree.number(b); };
  std::sort(all.begin(), all.end(), from_the_root);
  std::vector<std::size_t> low;  // joints that carry no other one of the relation
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k + 1 == all.size() || !tree.carries(all[k], all[k + 1])) low.push_back(all[k]);
  std::sort(low.begin(), low.end(), [&](std::size_t a, std::size_t b) { return tree[a].child < tree[b].child; });
  std::vector<Run> runs;
  for (const std::size_t lowest : low) {
    Run run{tree[lowest].child, tree[lowest].parent, tree.above(lowest), ratio.at(lowest)};
    for (std::size_t j = lowest; j != k_none; j = tree.above(j)) {
      const auto it = ratio.find(j);
      if (it == ratio.end() || it->second != run.ratio) break;
      ratio.erase(it);
      run.top = tree[j].parent, run.above = tree.above(j);
    }
    runs.push_back(run);
  }
  if (!ratio.empty() || runs.empty() || runs.size() > 2) return lost(form);
  // What carries both: a joint that moves between it and the top of a run would count, too.
  std::string ends[2] = {runs[0].low, runs[0].top};
  double value = 1;
  if (runs.size() == 2) {
    if (runs[0].above != runs[1].above) return lost(form);
    // A leader first, as the file of a gear has it: ratio q_1 - q_2 = 0.
    const std::size_t leader = tree.find(rows.coordinates[0]);
    const bool first = tree[leader].child == runs[0].low;
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
