// SPDX-License-Identifier: BSD-3-Clause
// check: joints that follow other joints.
#include <cmath>

#include "model/check_detail.hpp"

namespace zwang::detail {

void Checker::drop_mimic(Index j) {
  leader_[j] = -1;
  if (edit_) edit_->joints[j].mimic = {};
}

void Checker::mimics() {
  const Index n = static_cast<Index>(robot_.joints.size());
  leader_.assign(n, -1);
  for (Index j = 0; j < n; ++j) {
    const std::string name = robot_.joints[j].mimic.leader;  // a copy: lenient mode clears the original
    if (name.empty() || closes_[j]) continue;
    const Index leader = joint_index_.find(robot_.joints, name);
    if (leader < 0) {
      Diagnostic d = at_joint(j, "E_MIMIC", "mimic");
      d.found = quoted(name);
      d.expected = "a joint of this robot";
      d.hint = found_.did_you_mean(name, joint_names(), "there is no joint of that name");
      found_.add(Weight::repairable, d);
      drop_mimic(j);
    } else if (mimic_pair(j, leader)) {
      leader_[j] = leader;
    } else {
      drop_mimic(j);
    }
  }
  mimic_cycles();
}

/// Can `j` follow `leader`? Reports why not.
bool Checker::mimic_pair(Index j, Index leader) {
  const Mimic& mimic = robot_.joints[j].mimic;
  const TypeFacts &own = facts_[j], &other = facts_[leader];
  Diagnostic d = at_joint(j, "E_MIMIC", "mimic");
  if (own.fixed) {
    d.code = "W_MIMIC";
    d.found = "mimic on a fixed joint";
    d.hint = "it has no effect";
    found_.add(Weight::warn, d);
    return false;
  }
  if (j == leader) {
    d.found = quoted(mimic.leader) + " -> " + quoted(mimic.leader);
    d.expected = "another joint";
  } else if (drop_joint_[leader] || closes_[leader]) {
    d.found = quoted(mimic.leader) + (closes_[leader] ? ", which closes a loop and has no coordinate" : "");
    d.expected = "a joint of the tree";
  } else if (other.fixed) {
    d.found = quoted(mimic.leader) + ", which is fixed";
    d.expected = "a joint that moves";
  } else if (own.known && other.known && (own.nv != 1 || other.nv != 1 || own.nq != 1 || other.nq != 1)) {
    d.found = quoted(robot_.joints[j].name) + " (" + robot_.joints[j].type + ") follows " + quoted(mimic.leader) +
              " (" + robot_.joints[leader].type + ')';
    d.expected = "two joints of one coordinate each";
  } else if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset)) {
    d.found = "multiplier " + number_text(mimic.multiplier) + ", offset " + number_text(mimic.offset);
    d.expected = "finite numbers";
  } else {
    if (mimic.multiplier != 0) return true;
    d.code = "W_MIMIC";
    d.found = "multiplier 0";
    d.hint = "the joint stands still at its offset";
    found_.add(Weight::warn, d);
    return true;
  }
  if (found_.lenient()) d.hint = "the mimic is left out; the joint moves on its own";
  found_.add(Weight::repairable, d);
  return false;
}

void Checker::mimic_cycles() {
  const Index n = static_cast<Index>(robot_.joints.size());
  std::vector<char> state(n, 0);  // 1 on the walk, 2 done
  for (Index start = 0; start < n; ++start) {
    Index j = start;
    for (; j >= 0 && state[j] == 0; j = leader_[j]) state[j] = 1;
    const Index meeting = j >= 0 && state[j] == 1 ? j : -1;
    for (j = start; j >= 0 && state[j] == 1; j = leader_[j]) state[j] = 2;
    if (meeting < 0) continue;
    Diagnostic d = at_joint(meeting, "E_MIMIC", "mimic");
    d.found = quoted(robot_.joints[meeting].name);
    int printed = 0;
    for (j = leader_[meeting];; j = leader_[j]) {
      if (++printed < 20 || j == meeting) d.found += " -> " + quoted(robot_.joints[j].name);
      if (j == meeting) break;
    }
    d.expected = "a chain of mimics that ends in a joint which moves on its own";
    if (found_.lenient()) d.hint = "the mimic of " + quoted(robot_.joints[meeting].name) + " is left out";
    found_.add(Weight::repairable, d);
    if (found_.lenient()) drop_mimic(meeting);
  }
}

}  // namespace zwang::detail
