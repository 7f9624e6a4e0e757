// SPDX-License-Identifier: BSD-3-Clause
// A bound constraint: its words, its stamp.
#include <algorithm>

#include "constraint/bind.hpp"
#include "core/words.hpp"

namespace zwang {

Policy policy_of(const std::string& word) { return words::value_of<Policy>("policy", word); }
Role role_of(const std::string& word) { return words::value_of<Role>("role", word); }
Sense sense_of(const std::string& word) { return words::value_of<Sense>("sense", word); }

bool Constraint::is_sided() const {
  return std::any_of(sense.begin(), sense.end(), [](Sense s) { return s != Sense::equal; });
}
bool Constraint::is_bounded() const { return !limit.empty() || is_sided(); }
std::uint64_t Constraint::stamp() const {
  std::uint64_t sum = name.stamp() + type.stamp() + frame.stamp() + other.stamp() + in.stamp() + acceleration.stamp() +
                      row_names.stamp() + rows_on_body.stamp() + relation.stamp() + unilateral.stamp() +
                      friction.stamp() + others.value();
  for_each_option([&](const RowOption&, auto member) { sum += (this->*member).stamp(); }, Type<Constraint>());
  return sum;
}

}  // namespace zwang
