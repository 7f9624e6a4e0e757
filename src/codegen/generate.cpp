// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/codegen/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "codegen/c_names.hpp"
#include "codegen/loops.hpp"
#include "codegen/recorder.hpp"
#include "codegen/self_test.hpp"
#include "zwang/core/error.hpp"
#include "zwang/io/model.hpp"

namespace zwang {
namespace {

using codegen::CScalar;
using codegen::Example;
using codegen::Written;

constexpr int k_examples = 10;

/// `pose:tool0` -> pose, tool0.
void split(const std::string& word, std::string& function, std::string& frame) {
  const std::size_t colon = word.find(':');
  function = word.substr(0, colon);
  frame = colon == std::string::npos ? "" : word.substr(colon + 1);
  if (colon != std::string::npos && frame.empty())
    throw std::invalid_argument("E_MISSING generate: '" + word + "' names no frame behind the colon");
}

/// The numbers that a formula and the library add in another order: 1e3 of them a body, and solves on M lose what its
/// condition says. 1e-7 is far from a wrong formula all the same.
constexpr double k_equal = 1e-7;

/// What formulas are made of, in a file of this scalar.
FormulaOptions in_file(const GenerateOptions& options) {
  FormulaOptions how = options.formula;
  how.normalize = !options.sines_as_inputs;
  if (options.scalar == "float") how.least_pivot = std::max(how.least_pivot, 1e-3);
  return how;
}

/// Refuses a function that loses digits at one of the states where it is compared with the library.
void check_digits(const std::string& word, const Written& w, bool in_float) {
  const double tolerance = codegen::tolerance(w.formula, true);
  for (const FormulaNode& n : w.formula.nodes)
    if (in_float && n.operation == Operation::constant) (void)codegen::literal(n.value, {"float", "f"});
  for (std::size_t k = 0; k < w.examples.size(); ++k) {
    const Example& x = w.examples[k];
    const double lost = codegen::difference(evaluate(w.formula, x.inputs), x);
    if (!(lost < k_equal))
      throw UnsupportedError(fmt::format(
          "E_UNSUPPORTED generate: {}: at random state {} of this robot the formula is {:.1e} of its largest "
          "number away from the library (limit {:.0e}): digits are lost, as where bodies are far from the "
          "ground or much lighter than others",
          word, k + 1, lost, k_equal));
    if (!in_float) continue;
    const double rounded = codegen::difference(codegen::evaluate_in_float(w.formula, x.inputs), x);
    if (!(rounded <= tolerance))
      throw UnsupportedError(fmt::format(
          "E_UNSUPPORTED generate: {}: in float, at random state {} of this robot, results are {:.1e} of the largest "
          "number away from the library (limit {:.0e}): choose double",
          word, k + 1, rounded, tolerance));
  }
}

/// Masses and moments of inertia that a float holds with all its digits.
void check_inertias(const Model& model) {
  const Tree<double>& tree = model.tree<double>();
  for (Index i = 1; i <= tree.n; ++i) {
    const Inertia<double>& I = tree.body[i].inertia;
    for (const double x : {I.m, I.I.xx, I.I.yy, I.I.zz})
      if (x != 0 && std::fabs(x) < static_cast<double>(std::numeric_limits<float>::min()))
        throw UnsupportedError(
            fmt::format("E_RANGE generate: body {} of the tree has a mass or a moment of inertia of {}, below the "
                        "smallest normal float",
                        i, x));
  }
}

Written write(const Model& model, const std::string& word, const GenerateOptions& options) {
  Written out;
  std::string function, frame;
  split(word, function, frame);
  FormulaOptions how = in_file(options);
  how.frame = frame;
  if (options.size) codegen::check_loops(function);
  if (how.effects.friction && (function == "forward_dynamics" || function == "constrained_dynamics"))
    throw UnsupportedError("E_UNSUPPORTED generate: " + function +
                           " with friction: a joint at rest is held by it, which is no formula of q, v, tau");
  const bool in_float = options.scalar == "float";
  out.formula =
      codegen::record(model, function, how, in_float ? codegen::Digits::of_float : codegen::Digits::of_double);
  bool of_frame = false;
  for (const FormulaFunction& f : formula_functions()) of_frame = of_frame || (f.name == function && f.of_frame);
  if (in_float && !of_frame && function != "integrate" && function != "difference") check_inertias(model);
  if (!of_frame && !frame.empty())
    throw std::invalid_argument("E_NAME generate: '" + word + "': " + function + " is no function of a frame");
  out.examples = codegen::examples(model, out.formula, how, k_examples,
                                   options.size ? codegen::Pivots::of_mass_matrix : codegen::Pivots::of_formula);
  check_digits(word, out, in_float && !options.size);
  if (options.sines_as_inputs) {
    codegen::SinesApart apart = codegen::with_sines_as_inputs(out.formula);
    out.formula = std::move(apart.formula);
    for (Example& x : out.examples)
      for (const double angle : evaluate(apart.angles, x.inputs))
        x.inputs.insert(x.inputs.end(), {std::sin(angle), std::cos(angle)});
  }
  out.function = {word, "", out.formula.inputs, out.formula.outputs, {}, 0};
  if (!options.size) out.function.operations = codegen::count_operations(out.formula);
  return out;
}

/// Names in C: of functions `arm_pose_tool0`, of arguments as they are, or made of letters, digits and underscores.
/// What the file names itself begins with the prefix, too: an underscore at the end keeps an argument from hiding that.
void name_in_c(const std::string& prefix, std::vector<Written>& all) {
  codegen::CNames functions;
  const auto argument = [&](const std::string& name) {
    const std::string word = codegen::c_identifier(name);
    return word.rfind(prefix + '_', 0) == 0 ? word + '_' : word;
  };
  for (Written& w : all) {
    w.function.name = functions.add(prefix + '_' + codegen::c_identifier(w.function.word));
    codegen::CNames arguments;
    for (auto* const list : {&w.formula.inputs, &w.formula.outputs})
      for (FormulaArgument& x : *list) x.name = arguments.add(argument(x.name));
    w.function.inputs = w.formula.inputs, w.function.outputs = w.formula.outputs;
  }
}

std::string shape(const FormulaArgument& x) {
  return !x.is_matrix ? fmt::format("[{}]", x.rows) : fmt::format("[{} x {}]", x.rows, x.columns);
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string signature(const Written& w, const CScalar& scalar, const std::string& restrict_word) {
  std::string text = fmt::format("int {}(", w.function.name);
  bool first = true;
  const auto add = [&](const FormulaArgument& x, const char* constness) {
    text += fmt::format("{}{}{} *{} {}", first ? "" : ", ", constness, scalar.type, restrict_word, x.name);
    first = false;
  };
  for (const FormulaArgument& x : w.formula.inputs) add(x, "const ");
  for (const FormulaArgument& x : w.formula.outputs) add(x, "");
  return text + ')';
}

std::string description(const Written& w, bool loops) {
  const OperationCount& n = w.function.operations;
  std::string text = fmt::format("/* {}\n", codegen::comment(w.function.word));
  for (const FormulaArgument& x : w.formula.inputs)
    text += fmt::format(" *   in   {}{}  {}\n", x.name, shape(x), codegen::comment(x.meaning));
  for (const FormulaArgument& x : w.formula.outputs)
    text += fmt::format(" *   out  {}{}  {}\n", x.name, shape(x), codegen::comment(x.meaning));
  if (loops && w.function.stack == 0) return text + " * Loops; no arrays. */\n";
  if (loops)
    return text + fmt::format(" * Loops; arrays of {} bytes on the stack, with those of functions that it calls. */\n",
                              w.function.stack);
  text += fmt::format(" * {} additions, {} multiplications, {} divisions, {} square roots, {} sines and cosines. */\n",
                      n.additions, n.multiplications, n.divisions, n.square_roots, n.sines);
  return text;
}

/// Of the guard of the header: what two files of one program do not share.
std::string file_word(const GenerateOptions& options) {
  if (options.file == options.name) return options.name;
  std::uint32_t hash = 2166136261u;  // FNV-1a of the raw name: a-b and a_b are one identifier
  for (const char c : options.file) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{}_{}_{:08x}", options.name, codegen::c_identifier(options.file), hash);
}

std::string opening(const Model& model, const GenerateOptions& options, const std::string& file) {
  return fmt::format(
      "/* {} - functions of the robot \"{}\" (hash {:016x}), written by zwang {}.\n"
      " *\n"
      " * Matrices are stored row by row. Motions and wrenches: linear before angular. A function returns\n"
      " *   0  all results are finite numbers\n"
      " *   1  some are not: an input that is not finite, a division by zero, an overflow\n"
      " *   2  a pivot is too small: results have no meaning\n"
      " * Arrays do not overlap. Scalars are {}. Compile without options that assume finite numbers, which lose the "
      "test for 1. */\n",
      codegen::comment(file), codegen::comment(model.name()), hash(model), ZWANG_VERSION, options.scalar);
}

std::string header(const Model& model, const std::vector<Written>& all, const GenerateOptions& options,
                   const CScalar& scalar) {
  const std::string guard = file_word(options) + "_H", restrict_word = file_word(options) + "_RESTRICT";
  std::string text = opening(model, options, options.file + ".h");
  text += fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  text += fmt::format("#ifdef __cplusplus\n#define {0}\nextern \"C\" {{\n#else\n#define {0} restrict\n#endif\n",
                      restrict_word);
  for (const Written& w : all)
    text += '\n' + description(w, options.size) + signature(w, scalar, restrict_word) + ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

/// Statements that end with the status: x - x is 0 for a finite number only. Inputs count, too: a comparison hides one.
std::string body(const Written& w, const CScalar& scalar, const std::string& sines) {
  const bool has_pivots = w.formula.singular != 0;
  std::string text = has_pivots ? "  int singular;\n" : "";
  text += codegen::statements(w.formula, scalar, sines);
  text += fmt::format("  {{\n    int k;\n    {} in = 0, out = 0;\n", scalar.type);
  const auto add = [&](const char* sum, const std::vector<FormulaArgument>& list) {
    for (const FormulaArgument& x : list)
      text += fmt::format("    for (k = 0; k < {0}; ++k) {{\n      {2} += {1}[k] - {1}[k];\n    }}\n", x.size(), x.name,
                          sum);
  };
  add("in", w.formula.inputs), add("out", w.formula.outputs);
  text += has_pivots ? "    status = !(in >= 0) ? 1 : (singular != 0 ? 2 : (out >= 0 ? 0 : 1));\n  }\n"
                     : "    status = (in >= 0 && out >= 0) ? 0 : 1;\n  }\n";
  return text;
}

}  // namespace

GeneratedCode generate(const Model& model, const std::vector<std::string>& functions, const GenerateOptions& given) {
  GenerateOptions options = given;
  if (options.file.empty()) options.file = options.name;
  codegen::check_prefix(options.name);
  codegen::check_file(options.file);
  if (options.scalar != "double" && options.scalar != "float")
    throw std::invalid_argument("E_NAME generate: scalar is 'double' or 'float', got '" + options.scalar + "'");
  if (options.size && options.sines_as_inputs)
    throw UnsupportedError(
        "E_UNSUPPORTED generate: size with sines_as_inputs: joints in loops call sin and cos themselves");
  if (functions.empty()) throw std::invalid_argument("E_EMPTY generate: no functions");
  const CScalar scalar = options.scalar == "float" ? CScalar{"float", "f"} : CScalar{"double", ""};
  std::vector<Written> all;
  for (const std::string& word : functions) {
    for (const Written& w : all)
      if (w.function.word == word)
        throw std::invalid_argument("E_DUPLICATE generate: '" + word + "' is asked for twice");
    all.push_back(write(model, word, options));
  }
  name_in_c(options.name, all);

  std::optional<codegen::Loops> loops;
  if (options.size) loops.emplace(model, in_file(options), scalar, options.name, all);
  const std::string sines = options.name + "_sines";
  std::string text, helpers;
  for (Written& w : all) {
    const std::string statements = loops ? loops->body(w) : body(w, scalar, sines);
    if (loops) w.function.stack = loops->stack(statements);
    text += '\n' + signature(w, scalar, "restrict") + " {\n  int status;\n" + statements + "  return status;\n}\n";
  }
  if (loops)
    helpers = loops->helpers(text);
  else if (text.find(sines + '(') != std::string::npos)
    helpers = codegen::sines_function(scalar, sines);

  GeneratedCode code{options.name, options.scalar, "", header(model, all, options, scalar), {}};
  for (const Written& w : all) code.functions.push_back(w.function);
  code.source = opening(model, options, options.file + ".c") + fmt::format("#include \"{}.h\"\n", options.file);
  if (codegen::calls_mathematics(helpers + text, scalar)) code.source += "\n#include <math.h>\n";
  if (helpers.find("FLT_EVAL_METHOD") != std::string::npos) code.source += "#include <float.h>\n";
  code.source += helpers + text;
  code.source += codegen::self_test(all, options.name, upper(options.name), scalar);
  return code;
}

}  // namespace zwang
