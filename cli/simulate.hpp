// SPDX-License-Identifier: BSD-3-Clause
// What zwang simulate reads and writes.
#pragma once
#include <string>

#include "problem.hpp"
#include "zwang/simulation.hpp"

namespace zwang::cli {

/// The keys of a problem file that are of a motion.
inline const std::vector<const char*> k_simulation_keys = {"time",  "dt",     "integrator", "keep",
                                                           "every", "events", "scene"};
/// What is typed, else what the file says. Throws UsageError, JsonError.
void read_motion(const Arguments& arguments, const Node& problem, Problem& to);
/// What can be touched: `scene` and --ground, which ask for integrator contact. Throws UsageError, JsonError.
void read_scene(const Arguments& arguments, const Node& problem, Problem& to);

/// A record of a motion as a file: CSV (a line for each state), JSON or NPZ (arrays for numpy.load), by the end of its
/// name. A regular file is written beside its place and moved there when it is whole. Throws UsageError for another
/// ending, IoError where it cannot be written; then what was there before still is.
void write_trajectory(const std::string& path, const Problem& problem, const Trajectory& motion);
/// Before the motion and after all files are read: looks at --out and --html. Throws UsageError for a name that
/// write_trajectory does not take and for a file that was read, IoError for a place where no file can be made.
void check_outputs(const Arguments& arguments);

}  // namespace zwang::cli
