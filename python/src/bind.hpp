// SPDX-License-Identifier: BSD-3-Clause
// What the files of the module share; module.cpp has the list of its parts.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "robot.hpp"
#include "signature.hpp"

namespace zwang::python {

namespace nb = nanobind;

// The last words of the help of every function with a batch.
#define ZWANG_BATCH_DOC                                                                                                \
  "\n\n"                                                                                                               \
  "Of N states (a leading dimension N; arrays without one hold for all): the result has that dimension, too. All in\n" \
  "float32: computed and returned in float32. status: a uint8 array (N,) that receives the Status of each state;\n"    \
  "then nothing raises, states that are not ok are NaN. progress: True, a callable (done, total) or ProgressEvery. "   \
  "Ctrl-C stops."

/// Rows of text as columns; the first row is the header. Starts with a new line.
std::string table(const std::vector<std::vector<std::string>>& rows);
std::string model_table(const Robot& robot);
/// The form of a description in pickle: tuples of numbers and strings. Throws UnsupportedError for user-defined joints.
nb::tuple state_of(const RobotDescription& robot);
RobotDescription description_from(nb::handle state);
nb::tuple state_of(const BuildOptions& options);
BuildOptions options_from(nb::handle state);
nb::tuple state_of(const Diagnostics& found);
Diagnostics diagnostics_from(nb::handle state);
nb::list list_of(const Diagnostics& found);

}  // namespace zwang::python
