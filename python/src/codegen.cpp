// SPDX-License-Identifier: BSD-3-Clause
// Formulas of kinematics and dynamics as lists of operations, for zwang.casadi (symbolic=True), and as C: generate.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "record.hpp"
#include "set_of_call.hpp"
#include "zwang/codegen/generate.hpp"

namespace zwang {

/// The list of its fields.
template <class V> void fields(V& v, Type<FormulaArgument>) {
  using T = FormulaArgument;
  v.record("GeneratedArgument", "An argument of a generated function: numbers, row by row.");
  v("name", &T::name, "in C");
  v("rows", &T::rows, "of a vector: its size");
  v("columns", &T::columns, "of a vector: 1");
  v("is_matrix", &T::is_matrix, "a matrix may have one column, or none");
  v("meaning", &T::meaning, "what it is, with units");
}
/// The list of its fields.
template <class V> void fields(V& v, Type<OperationCount>) {
  using T = OperationCount;
  v.record("OperationCount", "Operations of a generated function.");
  v("additions", &T::additions, "and subtractions, changes of sign");
  v("multiplications", &T::multiplications, "of two numbers");
  v("divisions", &T::divisions, "of two numbers");
  v("square_roots", &T::square_roots, "calls of sqrt");
  v("sines", &T::sines, "sines, cosines and arc tangents");
}
/// The list of its fields.
template <class V> void fields(V& v, Type<GeneratedFunction>) {
  using T = GeneratedFunction;
  v.record("GeneratedFunction", "A function of generated code.");
  v("word", &T::word, "as it was asked for: 'pose:tool0'");
  v("name", &T::name, "in C: arm_pose_tool0");
  v("inputs", &T::inputs, "in the order of its arguments");
  v("outputs", &T::outputs, "behind the inputs, in the order of its arguments");
  v("operations", &T::operations, "how many of each kind; of loops (size) they are not counted");
  v("stack", &T::stack,
    "bytes of the arrays of a call in loops, with those of functions that it calls; 0: a straight line, or no arrays");
}
/// The list of its fields.
template <class V> void fields(V& v, Type<GeneratedCode>) {
  using T = GeneratedCode;
  v.record("GeneratedCode", "The text of two files of C99, and what is in them.");
  v("name", &T::name, "of the files and before the names of functions");
  v("scalar", &T::scalar, "double or float");
  v("source", &T::source, "of name.c");
  v("header", &T::header, "of name.h");
  v("functions", &T::functions, "in the order in which they were asked for");
}

namespace python {
namespace {

/// What a formula is made of, by the words of a call. `constraints` must live as long.
FormulaOptions options_of(const char* function, const Robot& robot, const std::string& reference,
                          const std::string& kind, const std::vector<std::string>& wrenches, const std::string& in,
                          const JointEffects* effects, const std::optional<std::vector<double>>& gravity) {
  FormulaOptions options;
  const Seen seen = Seen::from(robot.model, reference.c_str(), "reference");
  const Seen wrenches_in = Seen::from(robot.model, in.c_str(), "in_");
  options.reference = seen.reference, options.axes = seen.axes;
  options.kind = acceleration_of(function, "kind", kind);
  options.wrenches = wrenches;
  options.wrenches_in = wrenches_in.reference, options.wrench_axes = wrenches_in.axes;
  if (effects != nullptr) options.effects = *effects;
  if (gravity) {
    if (gravity->size() != 3)
      throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument 'gravity' has size " +
                                  std::to_string(gravity->size()) + ", expected 3");
    options.gravity = {(*gravity)[0], (*gravity)[1], (*gravity)[2]};
  }
  return options;
}

/// (operation, a, b, c, constant) of every node, each a list; then the nodes of the first result.
nb::tuple formula_of(const Robot& robot, const std::string& function, const std::string& frame,
                     const std::string& reference, const std::string& kind, const std::vector<std::string>& wrenches,
                     const std::string& in, const JointEffects* effects,
                     const std::optional<std::vector<double>>& gravity) {
  FormulaOptions options = options_of(function.c_str(), robot, reference, kind, wrenches, in, effects, gravity);
  options.frame = frame;
  const Formula f = formula(robot.model, function, options);
  std::vector<int> operation, a, b, c;
  std::vector<double> value;
  for (const FormulaNode& n : f.nodes) {
    operation.push_back(static_cast<int>(n.operation));
    a.push_back(n.a);
    b.push_back(n.b);
    c.push_back(n.c);
    value.push_back(n.value);
  }
  return nb::make_tuple(operation, a, b, c, value, f.outputs[0].nodes);
}

/// The help of generate, with the functions of the list.
std::string generate_help() {
  std::string plain, of_frame;
  for (const FormulaFunction& f : formula_functions())
    (f.of_frame ? of_frame : plain) += "\n    " + std::string(f.name) + ": " + std::string(f.meaning);
  return "Functions of a robot as plain C, for controllers without this library.\n\n"
         "functions:" +
         plain + "\n  of a frame, as 'pose:tool0':" + of_frame +
         "\n"
         "name: of the files, and before the names of functions. scalar: double or float.\n"
         "size: small instead of fast: loops over bodies with tables.\n"
         "sines_as_inputs: sines and cosines are an argument sc; what has no square root then needs no math.h.\n"
         "reference, kind: of velocities, accelerations and Jacobians. wrenches: frames with an external wrench, each "
         "a\n"
         "    further argument, in the axes of in_.\n"
         "Returns the text of name.c and name.h (C99); zwang.compile_c makes functions of Python of it. Every formula "
         "has\n"
         "been compared with the library at ten random states, which the source keeps behind #ifdef NAME_SELF_TEST. "
         "With "
         "size\n"
         "the text of the loops is compared when this self-test is compiled and run, and only then.";
}

}  // namespace

void bind_codegen(nb::module_& m) {
  named_tuples<FormulaArgument, OperationCount, GeneratedFunction, GeneratedCode>(m);
  m.def("_formula", &formula_of, nb::arg("model"), nb::arg("function"), nb::arg("frame"), nb::arg("reference"),
        nb::arg("kind"), nb::arg("wrenches"), nb::arg("in_"), nb::arg("joint_effects").none(),
        nb::arg("gravity").none());
  def(
      m, ZWANG_SIGNATURE("def generate_functions() -> dict[str, str]"),
      [] {
        nb::dict all;
        for (const FormulaFunction& f : formula_functions())
          all[nb::str((std::string(f.name) + (f.of_frame ? ":FRAME" : "")).c_str())] =
              nb::str(std::string(f.meaning).c_str());
        return all;
      },
      "What generate can write: words for its argument `functions`, with what they give.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def generate(model: Model, functions: Sequence[str], *, name: str = 'robot', scalar: str = "
          "'double', size: bool = False, sines_as_inputs: bool = False, reference: str = 'local_world_aligned', kind: "
          "str = "
          "'classical', wrenches: Sequence[str] = (), in_: str = 'local_world_aligned', joint_effects: "
          "JointEffects | None = None, gravity: Sequence[float] | None = None, constraints: ConstraintSet | "
          "None = None) -> GeneratedCode"),
      [](const Robot& robot, const std::vector<std::string>& functions, const std::string& name,
         const std::string& scalar, bool size, bool sines_as_inputs, const std::string& reference,
         const std::string& kind, const std::vector<std::string>& wrenches, const std::string& in,
         const JointEffects* effects, const std::optional<std::vector<double>>& gravity, const SetObject* constraints) {
        GenerateOptions options;
        options.name = name, options.scalar = scalar, options.size = size, options.sines_as_inputs = sines_as_inputs;
        options.formula = options_of("generate", robot, reference, kind, wrenches, in, effects, gravity);
        const ConstraintSet set = set_of_call(robot.model, constraints);
        if (constraints != nullptr) options.formula.constraints = &set;
        return named_tuple(generate(robot.model, functions, options));
      },
      generate_help().c_str());
}

}  // namespace python
}  // namespace zwang
