// SPDX-License-Identifier: BSD-3-Clause
// States of a robot and what the library's own calls give there: what generated code is compared with.
#pragma once
#include <vector>

#include "zwang/codegen/formula.hpp"

namespace zwang::codegen {

/// Inputs of a formula, one argument after the other, and the results of the library's call.
struct Example {
  std::vector<double> inputs, outputs;
  /// Beside which differences are judged: the largest result, and a tenth of the largest number computed on the way to
  /// it, inputs left out, since results may cancel to rounding. Of functions with pivots, whose inverses have other
  /// units, the largest result.
  double scale = 0;
};
/// The largest difference from the results of an example, beside its scale.
double difference(const std::vector<double>& outputs, const Example& example);

/// The formula's own doubt at these inputs: a pivot is too small.
bool is_singular(const Formula& formula, const std::vector<double>& inputs);

/// Whose pivots are judged besides the formula's own: of loops those of the mass matrix.
enum class Pivots { of_formula, of_mass_matrix };

/// `count` random states, within the limits of the joints, where the library has an answer and no pivot is too small.
/// Throws UnsupportedError where more than half as many are passed over: rows that depend on each other, coordinates
/// without inertia, pivots.
std::vector<Example> examples(const Model& model, const Formula& formula, const FormulaOptions& options, int count,
                              Pivots pivots = Pivots::of_formula);

}  // namespace zwang::codegen
