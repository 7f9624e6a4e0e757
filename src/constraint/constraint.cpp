// SPDX-License-Identifier: BSD-3-Clause
// A bound constraint: its words, its stamp.
#include <algorithm>

#include "constraint/bind.hpp"

namespace zwang {

Policy policy_of(const std::string& word) {
  for (const Policy p : {Policy::hard, Policy::early, Policy::soft})
    if (word == name_of(p)) return p;
  detail::throw_unknown("policy", word, {"hard", "early", "soft"});
}
const char* name_of(Policy policy) {
  return policy == Policy::hard ? "hard" : policy == Policy::early ? "early" : "soft";
}
Role role_of(const std::string& word) {
  if (word == "physical") return Role::physical;
  if (word == "driver") return Role::driver;
  detail::throw_unknown("role", word, {"physical", "driver"});
}
const char* name_of(Role role) { return role == Role::physical ? "physical" : "driver"; }
Sense sense_of(const std::string& word) {
  for (const Sense s : {Sense::equal, Sense::at_least, Sense::at_most})
    if (word == name_of(s)) return s;
  detail::throw_unknown("sense", word, {"equal", "at_least", "at_most"});
}
const char* name_of(Sense sense) {
  return sense == Sense::equal ? "equal" : sense == Sense::at_least ? "at_least" : "at_most";
}

bool Constraint::is_sided() const {
  return std::any_of(sense.begin(), sense.end(), [](Sense s) { return s != Sense::equal; });
}
bool Constraint::is_bounded() const { return !limit.empty() || is_sided(); }
std::uint64_t Constraint::stamp() const {
  std::uint64_t sum = name.stamp() + type.stamp() + frame.stamp() + other.stamp() + in.stamp() + acceleration.stamp() +
                      row_names.stamp() + rows_on_body.stamp() + relation.stamp() + unilateral.stamp() + others.value();
  for_each_option([&](const auto& option) { sum += option.stamp(); }, *this);
  return sum;
}

}  // namespace zwang
