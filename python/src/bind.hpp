// SPDX-License-Identifier: BSD-3-Clause
// The parts of the module, each in a file of its own.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "robot.hpp"
#include "signature.hpp"

namespace zwang::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_model(nb::module_& m);
void bind_load(nb::module_& m);
void bind_building(nb::module_& m);
void bind_algorithms(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_derivatives(nb::module_& m);
void bind_derivative_products(nb::module_& m);
void bind_joint_wrench_derivatives(nb::module_& m);
void bind_parameter_derivatives(nb::module_& m);
void bind_second_derivatives(nb::module_& m);
void bind_quantities(nb::module_& m);
void bind_cholesky(nb::module_& m);
void bind_manifold(nb::module_& m);
void bind_random_states(nb::module_& m);
void bind_exp_log(nb::module_& m);
void bind_constraints(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_delassus(nb::module_& m);
void bind_assembly(nb::module_& m);
void bind_inverse_kinematics(nb::module_& m);
void bind_documents(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_systems(nb::module_& m);
void bind_contact_cholesky(nb::module_& m);
void bind_formulas(nb::module_& m);
void bind_inverse(nb::module_& m);
void bind_mobility(nb::module_& m);
void bind_wrench_observer(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_path_planning(nb::module_& m);
void bind_view(nb::module_& m);

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
