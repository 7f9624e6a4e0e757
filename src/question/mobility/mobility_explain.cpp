// SPDX-License-Identifier: BSD-3-Clause
// MobilityReport in sentences.
#include "core/words.hpp"
#include "zwang/question/mobility.hpp"

namespace zwang {

std::string MobilityReport::explain() const {
  const auto count_of = [](Index k, const char* what) { return std::to_string(k) + " " + what; };
  const std::string all =
      rows == 0 ? "no row counts" : "rank " + std::to_string(rank) + " of " + count_of(rows, "rows");
  std::string text =
      "Mobility " + std::to_string(mobility) + ": " + count_of(coordinates, "coordinates") + ", " + all + ".\n";
  if (mobility != count)
    text += "By counting it would be " + std::to_string(count) + ": " + count_of(mobility - count, "rows") +
            " depend on others.\n";
  if (!open.empty()) {
    text += "Open, and not counted:";
    for (std::size_t k = 0; k < open.size(); ++k) text += (k == 0 ? " " : ", ") + open[k];
    text += ".\n";
  }
  if (finite_mobility < 0)
    text += "How many motions go on by a finite step is not known.\n";
  else if (mobility == 0)
    text += "Nothing moves.\n";
  else if (finite_mobility == mobility)
    text += "All of these motions go on.\n";
  else if (finite_mobility == 0)
    text += "None of these motions goes on: the mechanism is shaky.\n";
  else
    text += "Around here the mobility is " + std::to_string(finite_mobility) + ".\n";
  if (singular) text += "The configuration is singular.\n";
  if (closure > 1e-6)
    text += "The rows are not closed: position errors up to " + words::number(closure) + ", scaled.\n";
  if (rank > 0) text += "Smallest singular value that counts: " + words::number(smallest_singular_value) + ".\n";
  for (const RedundantConstraint& c : loops)
    text += "'" + c.name + "': " + std::to_string(c.redundant) + " of " + count_of(c.rows, "rows") + " redundant.\n";
  for (const std::vector<RowTerm>& terms : dependencies) {
    if (terms.size() == 1) {
      text += "No motion violates " + terms[0].row + ".\n";
      continue;
    }
    text += "Dependent:";
    for (std::size_t k = 0; k < terms.size(); ++k)
      text += (k == 0 ? " " : ", ") + words::number(terms[k].coefficient) + " " + terms[k].row;
    text += ".\n";
  }
  return text;
}

}  // namespace zwang
