// SPDX-License-Identifier: BSD-3-Clause
// A robot as plain C: functions of one model in one .c and one .h of C99, for controllers without this library.
//
//   GeneratedCode arm = generate(model, {"inverse_dynamics", "pose:tool0", "jacobian:tool0"}, {.name = "arm"});
//   arm.source, arm.header;   // int arm_inverse_dynamics(const double *q, const double *v, ..., double *tau);
//
// The code needs math.h alone, has no state, allocates nothing, calls one static function of its own (sines), and each
// function has one exit. Matrices are stored row by row, axes and orders are those of the library (CONVENTIONS.md). A
// function returns 0 where its inputs and results are finite, 1 where some are not (NaN, an overflow, a division by
// zero, a quaternion without direction, a target that is no pose), 2 where a pivot is so small that its digits are
// lost: results have no meaning then.
#pragma once
#include "zwang/codegen/formula.hpp"

namespace zwang {

/// How code is written.
struct GenerateOptions {
  std::string name = "robot";     ///< before the names of functions: a C identifier
  std::string file = {};          ///< of the two files, without their endings; empty: `name`
  std::string scalar = "double";  ///< or `float`
  bool size = false;              ///< small instead of fast: loops over bodies with tables, some times slower
  bool sines_as_inputs = false;   ///< sines and cosines come as an argument `sc` instead of being computed from q
  FormulaOptions formula = {};    ///< frame is not used: functions name theirs, `pose:tool0`
};

/// Operations of a function. Comparisons and selections are not counted.
struct OperationCount {
  Index additions = 0;  ///< and subtractions, changes of sign
  Index multiplications = 0;
  Index divisions = 0;
  Index square_roots = 0;
  Index sines = 0;  ///< sines, cosines and arc tangents
};

/// A function of generated code.
struct GeneratedFunction {
  std::string word;                              ///< as it was asked for: `pose:tool0`
  std::string name;                              ///< in C: `arm_pose_tool0`
  std::vector<FormulaArgument> inputs, outputs;  ///< in the order of its arguments; names are those in C
  OperationCount operations;                     ///< of a straight line; of loops (size) they are not counted
  /// Bytes of the arrays of a call in loops, those of the deepest chain of functions that it calls included; registers
  /// and scalars are not counted. 0: a straight line, or no arrays.
  Index stack = 0;
};

/// The text of two files, and what is in them.
struct GeneratedCode {
  std::string name, scalar;
  std::string
      source;  ///< of `name`.c, with a main behind `#ifdef NAME_SELF_TEST`: ten states and the library's results
  std::string header;  ///< of `name`.h
  std::vector<GeneratedFunction> functions;
};

/// Functions of a model as C. The formula of each is compared with the library at ten random states before it is
/// written, of a straight line in a float file in float, too. Loops (size) are another text, which is compared when the
/// self-test is compiled and run. Throws std::invalid_argument for words that are no function (`E_NAME`, with the
/// nearest), names that are no C identifier, a scalar other than `double` and `float`, functions asked for twice;
/// UnsupportedError for user-defined joints, sets whose rows are not a fixed set of equalities of full rank, robots
/// that lose digits at one of the ten states, constants that do not fit into a float, and masses and moments of
/// inertia below the smallest normal float.
GeneratedCode generate(const Model& model, const std::vector<std::string>& functions,
                       const GenerateOptions& options = {});

}  // namespace zwang
