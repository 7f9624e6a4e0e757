// SPDX-License-Identifier: BSD-3-Clause
// Rows of the list of algorithms as tasks, whatever they take and give.
#pragma once
#include "tasks.hpp"

namespace zwang::bench {

/// The frame of the first contact, without one that of the last link.
FrameId frame_of(const Problem& problem);
/// What a row takes besides vectors.
AlgorithmOptions options_of(const Problem& problem, const std::vector<FrameId>& frames);
/// The vector of a row, a state a column: those of the problem, and for a second configuration the next state's.
Eigen::MatrixXd vector_of(const Problem& problem, const Argument& argument);

/// One state a call.
std::unique_ptr<Runner> make_single(const Problem& problem, const Algorithm& row);
/// All states a call, in tiles; float or double.
template <class T> std::unique_ptr<Runner> make_batch(const Problem& problem, const Algorithm& row, int threads);

/// Every row that has no task under the peers' word for it: measured where it is asked for by name.
std::vector<Task> list_tasks(const std::vector<Task>& known);

}  // namespace zwang::bench
