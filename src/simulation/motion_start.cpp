// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/motion_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace zwang {
namespace {

void note_warnings(const SolveReport& of, std::vector<SimulationNote>& notes) {
  for (const SolveWarning& w : of.warnings) {
    const std::string about =
        std::string(name_of(w.kind)) + " " + std::string(w.row.substr(0, w.row.rfind(':'))) + std::string(w.coordinate);
    const bool is_there =
        std::any_of(notes.begin(), notes.end(), [&](const SimulationNote& n) { return n.about == about; });
    if (!is_there) notes.push_back({about, "at the start " + w.text()});
  }
}

/// Where the rows do not permit the velocities that were given; v: those that they permit.
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

}  // namespace

bool keeps_rows(const Movement& motion, const Stepper& stepper) {
  return motion.settings.keep != Keep::stabilisation || stepper.keeps_velocities();
}

bool MotionStart::put_on_rows(const SimulationInput& input) {
  const Index nq = motion.model.nq(), nv = motion.model.nv();
  now.time = input.time;
  std::copy_n(input.q.data(), nq, now.q.data());
  std::fill_n(now.v.data(), nv, 0.0);
  if (input.v.size() > 0) std::copy_n(input.v.data(), nv, now.v.data());
  const bool holds = keeps_rows(motion, stepper);
  const bool projected = !holds || keeper.project(now, &report.start_distance);
  note_velocity(input, view_of(now.v), report.notes);
  motion.friction.begin(now.v.data(), nv, motion.prescribed(), motion.set);
  next.copy(now);
  if (!projected || !stepper.start(now, h, report)) return false;
  const bool moved = !std::equal(now.q.begin(), now.q.end(), next.q.begin());
  return !moved || !holds || keeper.project(now);
}

bool MotionStart::look() {
  rates.begin();
  if (!rates.follow(h, integrator_row(motion.settings.integrator), FastestRates::k_first_iterations)) return false;
  note_warnings(motion.solver.solution().report, report.notes);
  return true;
}

}  // namespace zwang
