// SPDX-License-Identifier: BSD-3-Clause
// A function of a robot as a list of operations on numbers, each operation on results of earlier ones: what generated
// code (generate.hpp) and the expressions of zwang.casadi are made of. The pages of the library, run on a scalar that
// records, write it.
//
//   Formula f = formula(model, "pose", {.frame = "tool0"});   // f.nodes, f.inputs, f.outputs
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// What a node of a formula does with its operands a, b, c.
enum class Operation : unsigned char {
  constant,  ///< `value`
  input,     ///< a: its number among all inputs
  add,
  subtract,
  multiply,
  divide,
  negate,
  square_root,
  sine,
  cosine,
  arc_tangent,  ///< atan2(a, b)
  less,         ///< a < b: the outcome of a comparison, as those below
  both,
  either,
  complement,
  choose  ///< a ? b : c
};

/// An operation. Its operands are earlier nodes of the same formula.
struct FormulaNode {
  Operation operation = Operation::constant;
  int a = 0, b = 0, c = 0;
  double value = 0;  ///< of a constant
};

/// An input or a result of a formula: numbers, row by row.
struct FormulaArgument {
  std::string name;        ///< `q`, `tau`
  Index rows = 0;          ///< of a vector: its size
  Index columns = 1;       ///< of a vector: 1
  bool is_matrix = false;  ///< which may have one column, or none
  std::string meaning;     ///< a line: what it is, with units
  std::vector<int> nodes;
  Index size() const { return static_cast<Index>(nodes.size()); }
};

/// Operations, inputs in the order of a call, results.
struct Formula {
  std::string function;
  std::vector<FormulaNode> nodes;
  std::vector<FormulaArgument> inputs, outputs;
  int singular = 0;  ///< the node of a comparison: a pivot is too small, results have no meaning; 0: there is none
};

/// What a formula is made of besides the model.
struct FormulaOptions {
  std::string frame = {};                                ///< of functions of a frame
  Reference reference = Reference::local_world_aligned;  ///< of its velocities, accelerations and Jacobian
  FrameId axes = {};                                     ///< if valid: `reference`, turned into the axes of this frame
  AccelerationKind kind = AccelerationKind::classical;
  std::vector<std::string> wrenches = {};  ///< frames with an external wrench: six further inputs each
  Reference wrenches_in = Reference::local_world_aligned;
  FrameId wrench_axes = {};  ///< if valid: wrenches are given in the axes of this frame
  JointEffects effects = {};
  std::optional<Vec3<double>> gravity = {};    ///< in place of the model's
  const ConstraintSet* constraints = nullptr;  ///< of constrained dynamics
  /// Quaternions and other directions in q are divided by their length first. Off: the caller gives unit ones.
  bool normalize = true;
  /// A pivot below this times what it was before others were eliminated is too small: so many digits are lost.
  double least_pivot = 1e-6;
};

/// A function that formula() knows.
struct FormulaFunction {
  std::string_view name;
  bool of_frame;  ///< needs a frame
  std::string_view meaning;
};
/// All of them, in the order of the documentation.
std::vector<FormulaFunction> formula_functions();

/// The operations of one function. Throws std::invalid_argument: E_NAME with the nearest name for unknown functions and
/// frames, E_MISSING where a function of a frame has none, or constrained dynamics no constraints; UnsupportedError for
/// joints of users, which are made for the scalars of the library alone.
Formula formula(const Model& model, const std::string& function, const FormulaOptions& options = {});

/// The results at these inputs, in double: node by node. Throws std::invalid_argument for another number of inputs.
std::vector<double> evaluate(const Formula& formula, const std::vector<double>& inputs);

}  // namespace zwang
