// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/start_notes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace zwang {

void note_warnings(const SolveReport& of, std::vector<SimulationNote>& notes) {
  for (const SolveWarning& w : of.warnings) {
    const std::string about =
        std::string(name_of(w.kind)) + " " + std::string(w.row.substr(0, w.row.rfind(':'))) + std::string(w.coordinate);
    const bool is_there =
        std::any_of(notes.begin(), notes.end(), [&](const SimulationNote& n) { return n.about == about; });
    if (!is_there) notes.push_back({about, "at the start " + w.text()});
  }
}

void note_velocity(const SimulationInput& input, const ConstVector& v, std::vector<SimulationNote>& notes) {
  double change = 0, largest = 1;
  for (Index k = 0; k < static_cast<Index>(v.size()); ++k) {
    const double from = input.v.size() > 0 ? input.v.data()[k] : 0.0;
    change = std::max(change, std::fabs(v.data()[k] - from));
    largest = std::max(largest, std::fabs(from));
  }
  if (!(change > 1e-9 * largest)) return;
  char text[120];
  std::snprintf(text, sizeof text,
                "the velocities at the start are changed by up to %.3g, to those that the rows permit", change);
  notes.push_back({"start velocity", text});
}

}  // namespace zwang
