// SPDX-License-Identifier: BSD-3-Clause
// check: are the links and joints a tree? Unknown links, joints onto themselves,
// links with several parents, cycles, roots.
#include <algorithm>

#include "model/check_detail.hpp"

namespace zwang::detail {
namespace {

/// What other libraries and formats call a floating joint.
bool is_free(const std::string& word) {
  for (const char* name :
       {"free_flyer", "freeflyer", "FreeFlyer", "free", "freejoint", "free_joint", "quaternion_floating", "6dof"})
    if (word == name) return true;
  return false;
}

}  // namespace

Index Checker::end_of(const JointDescription& joint, const std::string& link, const char* which) {
  const Index number = link_index_.find(robot_.links, link);
  if (number >= 0) return number;
  Diagnostic d = at(joint.place, "joint", joint.name, "E_LINK", which);
  d.found = link.empty() ? "an empty name" : quoted(link);
  d.expected = "a link of this robot";
  d.hint = found_.did_you_mean(link, link_names(), "there is no link of that name");
  found_.add(Weight::repairable, d);
  return -1;
}

void Checker::ends() {
  const Index n = static_cast<Index>(robot_.joints.size());
  parent_.assign(n, -1);
  child_.assign(n, -1);
  leaving_.assign(robot_.links.size(), {});
  closes_.assign(n, 0);
  for (Index j = 0; j < n; ++j) {
    const JointDescription& joint = robot_.joints[j];
    parent_[j] = end_of(joint, joint.parent, "parent");
    child_[j] = end_of(joint, joint.child, "child");
    if (parent_[j] >= 0 && parent_[j] == child_[j]) {
      Diagnostic d = at_joint(j, "E_SELF_JOINT");
      d.found = "link " + quoted(joint.parent) + " as parent and as child";
      d.expected = "two different links";
      found_.add(Weight::repairable, d);
      parent_[j] = -1;
    }
    if (parent_[j] < 0 || child_[j] < 0) {
      drop_joint_[j] = 1;
    } else if (joint.closes_loop) {
      closes_[j] = 1;
    } else {
      leaving_[parent_[j]].push_back(j);
    }
  }
}

/// Breadth first from `queue`: a link is reached through its carrier alone.
void Checker::reach(Index link, std::vector<Index>& queue) {
  reached_[link] = 1;
  queue.push_back(link);
  for (std::size_t k = queue.size() - 1; k < queue.size(); ++k) {
    for (const Index j : leaving_[queue[k]]) {
      if (carrier_[child_[j]] != j || reached_[child_[j]]) continue;
      reached_[child_[j]] = 1;
      queue.push_back(child_[j]);
    }
  }
}

/// If several joints carry a link, the first one in the document is kept,
/// unless that would cut the link off from every root.
void Checker::choose_carriers() {
  const Index n = static_cast<Index>(robot_.links.size());
  carrier_.assign(n, -1);
  reached_.assign(n, 0);
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j)
    if (!drop_joint_[j] && !closes_[j] && carrier_[child_[j]] < 0) carrier_[child_[j]] = j;
  order_.reserve(n);
  for (Index i = 0; i < n; ++i)
    if (carrier_[i] < 0) reach(i, order_);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    for (const Index j : leaving_[order_[k]]) {
      if (reached_[child_[j]]) continue;
      carrier_[child_[j]] = j;
      reach(child_[j], order_);
    }
  }
}

void Checker::two_parents() {
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) {
    if (drop_joint_[j] || closes_[j] || carrier_[child_[j]] == j) continue;
    if (options_.loops == ClosedLoops::constraints) {
      closes_[j] = 1;
      continue;
    }
    const JointDescription& joint = robot_.joints[j];
    const JointDescription& kept = robot_.joints[carrier_[child_[j]]];
    Diagnostic d = at_joint(j, "E_TWO_PARENTS", "child");
    d.found = "link " + quoted(joint.child) + " carried by joint " + quoted(kept.name) + " and by joint " +
              quoted(joint.name);
    d.expected = "one joint that carries a link";
    d.hint =
        "this closes a loop: load it with loops = constraints (zwang info, check or solve --loops), or cut joint " +
        quoted(joint.name) + " and add a loop constraint of its kind between " + quoted(joint.parent) +
        " (predecessor) and " + quoted(joint.child) + " (successor)";
    found_.add(Weight::repairable, d);
    drop_joint_[j] = 1;
    if (!edit_) continue;
    // The cut joint stays visible as the two frames that a loop constraint needs.
    const FrameDescription ends[2] = {{joint.name + "_predecessor", joint.parent, joint.origin},
                                      {joint.name + "_successor", joint.child, joint.child_origin}};
    for (const FrameDescription& frame : ends) {
      const bool taken =
          link_index_.find(robot_.links, frame.name) >= 0 || joint_index_.find(robot_.joints, frame.name) >= 0 ||
          std::any_of(edit_->frames.begin(), edit_->frames.end(), [&](const auto& f) { return f.name == frame.name; });
      if (!taken) edit_->frames.push_back(frame);
    }
  }
}

/// The links of the cycle that is found by climbing from `link`, starting with
/// the one that comes first in the document.
std::vector<Index> Checker::loop_through(Index link) const {
  std::vector<Index> loop;
  for (Index i = link; loop.empty() || i != link; i = parent_[carrier_[i]]) loop.push_back(i);
  std::reverse(loop.begin(), loop.end());
  std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  return loop;
}

void Checker::cycles() {
  const Index n = static_cast<Index>(robot_.links.size());
  const bool good_part = !order_.empty();
  std::vector<char> state(n, 0);  // 1 on the walk, 2 done
  for (Index start = 0; start < n; ++start) {
    if (reached_[start] || state[start]) continue;
    Index i = start;
    for (; state[i] == 0; i = parent_[carrier_[i]]) state[i] = 1;
    if (state[i] == 1) {
      const std::vector<Index> loop = loop_through(i);
      Diagnostic d = at_joint(carrier_[loop.front()], "E_CYCLE");
      constexpr std::size_t k_printed = 20;
      for (std::size_t k = 0; k < loop.size() && k < k_printed; ++k)
        d.found += quoted(robot_.links[loop[k]].name) + " -> ";
      if (loop.size() > k_printed) d.found += "... (" + std::to_string(loop.size()) + " links) -> ";
      d.found += quoted(robot_.links[loop.front()].name);
      d.expected = "a tree: every link hangs on a root";
      d.hint = good_part ? "these links hang on each other and on no root"
                         : "no link is a root: every link is some joint's child";
      found_.add(good_part ? Weight::repairable : Weight::refuse, d);
    }
    for (i = start; state[i] == 1; i = parent_[carrier_[i]]) state[i] = 2;
  }
  for (Index i = 0; i < n; ++i) {
    if (reached_[i]) continue;
    drop_link_[i] = 1;
    drop_joint_[carrier_[i]] = 1;
  }
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j)
    if (closes_[j] && (drop_link_[parent_[j]] || drop_link_[child_[j]])) drop_joint_[j] = 1;
}

/// Several roots are each joined to the world as the options say.
void Checker::roots() {
  std::vector<Index> roots;
  for (Index i = 0; i < static_cast<Index>(robot_.links.size()); ++i)
    if (carrier_[i] < 0) roots.push_back(i);
  if (!root_is_fixed() && !find_joint_type(options_.root)) {
    Diagnostic d;
    d.code = "E_JOINT_TYPE";
    d.path = "root";
    d.found = quoted(options_.root);
    d.expected = "automatic, fixed or a joint type";
    d.hint =
        is_free(options_.root) ? "did you mean 'floating'?" : found_.did_you_mean(options_.root, joint_type_names());
    found_.add(Weight::refuse, d);
  }
  if (roots.size() < 2) return;
  Diagnostic d = at_link(roots[1], "W_ROOTS");
  constexpr std::size_t k_printed = 20;
  d.found = std::to_string(roots.size()) + " links without a parent:";
  for (std::size_t k = 0; k < roots.size() && k < k_printed; ++k) d.found += ' ' + quoted(robot_.links[roots[k]].name);
  if (roots.size() > k_printed) d.found += " ...";
  d.expected = "one root";
  d.hint = root_is_fixed() ? "each of them is fixed to the world" : "each of them gets a root joint of its own";
  d.hint += "; a joint is missing if that is not meant";
  found_.add(Weight::warn, d);
}

}  // namespace zwang::detail
