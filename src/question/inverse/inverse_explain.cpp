// SPDX-License-Identifier: BSD-3-Clause
// InverseReport in sentences.
#include "core/words.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang {

std::string InverseReport::explain() const {
  using words::number;
  if (!invalid.empty()) return std::string(name_of(status)) + ": " + std::string(invalid);
  std::string text = std::string(name_of(status)) + ": " + std::to_string(motors) + " motors, rank " +
                     std::to_string(rank) + " of " + std::to_string(rows) + " rows";
  text += conditions == 0 ? ", any motion that the rows permit can be produced"
                          : ", " + std::to_string(conditions) + " equations of motion that no motor and no row carries";
  text += choices == 0 ? ", one choice of torques.\n"
                       : ", torques can be chosen in " + std::to_string(choices) + " directions.\n";
  if (!singular_joint.empty())
    text += "Coordinate '" + std::string(singular_joint) + "' has no inertia, no motor and no row that carries it.\n";
  const auto list = [&](const char* what, const std::vector<std::string_view>& names) {
    if (!names.empty()) text += what + words::list(names) + ".\n";
  };
  list("Rows that depend on others: ", redundant);
  list("Rows that no motion satisfies: ", infeasible);
  list("Contacts that pull: ", pulling);
  list("Rows with a sense that are held: ", held);
  list("Rows with a sense that are open: ", released);
  list("No torques and forces within their bounds carry this motion; beyond are: ", beyond);
  list("No forces carry this motion that are in the cones of all contacts; outside are: ", outside);
  for (const MissedDemand& m : missed)
    text += std::string(m.kind == MotionTerm::Kind::row ? "Row " : "Coordinate ") + std::string(m.name) +
            " misses its demand by " + number(m.amount) + ".\n";
  for (const MotionConflict& c : conflicts) {
    text += "These cannot hold together (" + number(c.contradiction) + "):";
    for (Index k = 0; k < c.size; ++k) {
      const MotionTerm& t = terms[static_cast<std::size_t>(c.first + k)];
      constexpr const char* words[] = {"row ",      "demand at ", "no motor at ",    "friction cone of ",
                                       "sense of ", "limit of ",  "torque limit of "};
      const char* const what = words[static_cast<int>(t.kind)];
      text += (k == 0 ? " " : ", ") + std::string(what) + std::string(t.name);
    }
    text += ".\n";
  }
  return text;
}

}  // namespace zwang
