// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/straight_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/prune.hpp"
#include "zwang/core/error.hpp"

namespace zwang::codegen {
namespace {

constexpr std::size_t k_longest = 56;  ///< characters of an expression that stands inside of another

bool is_choice(Operation o) { return o >= Operation::less && o <= Operation::complement; }

/// Text of the nodes of a formula.
class Expressions {
 public:
  Expressions(const Formula& formula, const CScalar& scalar)
      : formula_(formula),
        scalar_(scalar),
        text_(formula.nodes.size()),
        uses_(formula.nodes.size(), 0) {
    for (const FormulaNode& n : formula.nodes)
      if (n.operation > Operation::input)
        for (const int operand : {n.a, n.b, n.c}) ++uses_[at(operand)];
    for (const FormulaArgument& x : formula.outputs)
      for (const int k : x.nodes) ++uses_[at(k)];
    ++uses_[at(formula.singular)];
    for (const FormulaArgument& x : formula.inputs)
      for (std::size_t k = 0; k < x.nodes.size(); ++k) text_[at(x.nodes[k])] = fmt::format("{}[{}]", x.name, k);
  }

  /// A statement, or nothing: then the node stands where it is used.
  std::string statement(std::size_t k) {
    const FormulaNode& n = formula_.nodes[k];
    if (n.operation == Operation::input) return "";
    if (n.operation == Operation::constant) {
      text_[k] = literal(n.value, scalar_);
      if (n.value < 0 || std::signbit(n.value)) text_[k] = '(' + text_[k] + ')';
      return "";
    }
    const std::string x = expression(n);
    const bool is_function = n.operation == Operation::sine || n.operation == Operation::cosine;  // a pair stays one
    if (uses_[k] == 1 && x.size() <= k_longest && !is_function) {
      text_[k] = '(' + x + ')';
      return "";
    }
    text_[k] = fmt::format("{}{}", is_choice(n.operation) ? 'b' : 't', k);
    return fmt::format("  const {} {} = {};\n", is_choice(n.operation) ? "int" : scalar_.type, text_[k], x);
  }
  void name(std::size_t k, const std::string& text) { text_[k] = text; }
  /// The node stands where it is used, however often.
  void inline_node(std::size_t k) { text_[k] = '(' + expression(formula_.nodes[k]) + ')'; }
  /// The text of a node whose operands have theirs.
  const std::string& text(int k) const { return text_[at(k)]; }
  /// Without parentheses around it.
  std::string bare(int k) const {
    const std::string& x = text(k);
    return x.front() == '(' && formula_.nodes[at(k)].operation > Operation::input ? x.substr(1, x.size() - 2) : x;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  std::string expression(const FormulaNode& n) const {
    const std::string &a = text(n.a), &b = text(n.b), &f = std::string(scalar_.suffix);
    switch (n.operation) {
      case Operation::constant:
      case Operation::input: break;
      case Operation::add: return fmt::format("{} + {}", a, b);
      case Operation::subtract: return fmt::format("{} - {}", a, b);
      case Operation::multiply: return fmt::format("{} * {}", a, b);
      case Operation::divide: return fmt::format("{} / {}", a, b);
      case Operation::negate: return fmt::format("-{}", a);
      case Operation::square_root: return fmt::format("sqrt{}({})", f, bare(n.a));
      case Operation::sine: return fmt::format("sin{}({})", f, bare(n.a));
      case Operation::cosine: return fmt::format("cos{}({})", f, bare(n.a));
      case Operation::arc_tangent: return fmt::format("atan2{}({}, {})", f, bare(n.a), bare(n.b));
      case Operation::less: return fmt::format("{} < {}", a, b);
      case Operation::both: return fmt::format("{} && {}", truth(n.a), truth(n.b));
      case Operation::either: return fmt::format("{} || {}", truth(n.a), truth(n.b));
      case Operation::complement: return fmt::format("!{}", truth(n.a));
      case Operation::choose: return fmt::format("{} ? {} : {}", truth(n.a), b, text(n.c));
    }
    return text(n.a);
  }
  /// The outcome of a comparison; constants 0 and 1 are outcomes that are known.
  std::string truth(int k) const {
    const FormulaNode& n = formula_.nodes[at(k)];
    return n.operation == Operation::constant ? (n.value != 0 ? "1" : "0") : text(k);
  }

  const Formula& formula_;
  const CScalar& scalar_;
  std::vector<std::string> text_;
  std::vector<int> uses_;
};

}  // namespace

std::string literal(double value, const CScalar& scalar) {
  if (scalar.is_float()) {
    const float x = static_cast<float>(value);
    if (!std::isfinite(x))
      throw UnsupportedError(fmt::format("E_RANGE generate: the constant {} does not fit into a float", value));
    const std::string text = fmt::format("{}", x);
    return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
  }
  if (!std::isfinite(value))
    throw UnsupportedError(fmt::format("E_RANGE generate: the constant {} is not a finite number", value));
  const std::string text = fmt::format("{}", value);
  return text + (text.find_first_of(".e") == std::string::npos ? ".0" : "");
}

std::string statements(const Formula& formula, const CScalar& scalar, const std::string& sines, Zeros zeros) {
  const std::vector<FormulaNode>& nodes = formula.nodes;
  const auto is_sine = [&](std::size_t k) {
    return nodes[k].operation == Operation::sine || nodes[k].operation == Operation::cosine;
  };
  // Nodes behind a sine, and nodes that angles before any sine need.
  std::vector<char> behind(nodes.size(), 0), early(nodes.size(), 0);
  std::vector<int> angles;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].operation <= Operation::input) continue;
    for (const int x : {nodes[k].a, nodes[k].b, nodes[k].c})
      behind[k] = behind[k] || behind[static_cast<std::size_t>(x)] || is_sine(static_cast<std::size_t>(x));
    if (!sines.empty() && is_sine(k) && !behind[k] &&
        std::find(angles.begin(), angles.end(), nodes[k].a) == angles.end())
      angles.push_back(nodes[k].a);
  }
  for (const int k : angles) early[static_cast<std::size_t>(k)] = 1;
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (early[k] && nodes[k].operation > Operation::input)
      for (const int x : {nodes[k].a, nodes[k].b, nodes[k].c}) early[static_cast<std::size_t>(x)] = 1;

  Expressions x(formula, scalar);
  std::string text;
  if (!angles.empty())
    text += fmt::format("  {} angle[{}], sine[{}], cosine[{}];\n", scalar.type, angles.size(), angles.size(),
                        angles.size());
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].operation <= Operation::input || early[k]) text += x.statement(k);
  for (std::size_t k = 0; k < angles.size(); ++k) text += fmt::format("  angle[{}] = {};\n", k, x.bare(angles[k]));
  if (!angles.empty()) text += fmt::format("  {}({}, angle, sine, cosine);\n", sines, angles.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].operation <= Operation::input || early[k]) continue;
    const auto angle = std::find(angles.begin(), angles.end(), nodes[k].a);
    if (is_sine(k) && angle != angles.end())
      x.name(k,
             fmt::format("{}[{}]", nodes[k].operation == Operation::sine ? "sine" : "cosine", angle - angles.begin()));
    else
      text += x.statement(k);
  }
  for (const FormulaArgument& out : formula.outputs)
    for (std::size_t k = 0; k < out.nodes.size(); ++k)
      if (zeros == Zeros::are_written || out.nodes[k] != 0)
        text += fmt::format("  {}[{}] = {};\n", out.name, k, x.bare(out.nodes[k]));
  if (formula.singular != 0) text += fmt::format("  singular = {} ? 1 : 0;\n", x.bare(formula.singular));
  return text;
}

// Reduction by pi/2 in parts (Cody & Waite 1980), n to the nearest integer by adding and taking away 1.5 * 2^52; the
// minimax polynomials of fdlibm (double) and Cephes (float). As core/sincos.hpp, but for the bits: quarter = n mod 4 in
// {-2, ..., 2}. Absolute error 2.3e-16 up to 1e6 (double), 1e-7 up to 1e3 (float); math.h beyond.
std::string sines_function(const CScalar& scalar, const std::string& name) {
  const bool f = scalar.is_float();
  const char* const reduction =
      f ? "    const T r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;\n"
        : "    const T r = (x - n * 1.57079632673412561417e+00) - n * 6.07710050650619224932e-11;\n";
  const char* const polynomials =
      f ? "    const T s = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));\n"
          "    const T c = 1.0f - 0.5f * z + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f +\n"
          "                z * 2.443315711809948e-5f));\n"
        : "    const T s = r + r * z * (-1.66666666666666324348e-1 + z * (8.33333333332248946124e-3 +\n"
          "                z * (-1.98412698298579493134e-4 + z * (2.75573137070700676789e-6 +\n"
          "                z * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)))));\n"
          "    const T c = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-2 + z * (-1.38888888888741095749e-3 +\n"
          "                z * (2.48015872894767294178e-5 + z * (-2.75573143513906633035e-7 +\n"
          "                z * (2.08757232129817482790e-9 + z * -1.13596475577881948265e-11)))));\n";
  std::string text =
      "\n/* Sines and cosines of `count` angles. */\n"
      "static void NAME(int count, const T *restrict angle, T *restrict sine, T *restrict cosine) {\n"
      "  int k;\n"
      "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != "
      "0)\n"
      "  for (k = 0; k < count; ++k) { /* sums are not rounded one by one, as the reduction below needs it */\n"
      "    sine[k] = SIN(angle[k]);\n"
      "    cosine[k] = COS(angle[k]);\n"
      "  }\n"
      "#else\n"
      "  const T big = BIG;\n"
      "  for (k = 0; k < count; ++k) {\n"
      "    const T x = angle[k];\n"
      "    const T raised = x * TWO_OVER_PI + big;\n"
      "    const T n = raised - big;\n"
      "    const T raised_quarter = n * QUARTER + big;\n"
      "    const T quarter = n - (raised_quarter - big) * FOUR;\n" +
      std::string(reduction) + "    const T z = r * r;\n" + polynomials +
      "    const T odd = quarter * quarter;\n"
      "    const T a = (odd > HALF && odd < TWO) ? c : s;\n"
      "    const T b = (odd > HALF && odd < TWO) ? s : c;\n"
      "    sine[k] = (quarter < -HALF || quarter > ONE_HALF) ? -a : a;\n"
      "    cosine[k] = (quarter > HALF || quarter < -ONE_HALF) ? -b : b;\n"
      "  }\n"
      "  for (k = 0; k < count; ++k) {\n"
      "    if (!(angle[k] < LIMIT && angle[k] > -LIMIT)) {\n"
      "      sine[k] = SIN(angle[k]);\n"
      "      cosine[k] = COS(angle[k]);\n"
      "    }\n"
      "  }\n"
      "#endif\n"
      "}\n";
  const std::pair<const char*, std::string> words[] = {
      {"BIG", f ? "12582912.0f" : "6755399441055744.0"},
      {"TWO_OVER_PI", f ? "0.6366197723675814f" : "0.63661977236758134308"},
      {"QUARTER", f ? "0.25f" : "0.25"},
      {"FOUR", f ? "4.0f" : "4.0"},
      {"ONE_HALF", f ? "1.5f" : "1.5"},
      {"HALF", f ? "0.5f" : "0.5"},
      {"TWO", f ? "2.0f" : "2.0"},
      {"LIMIT", f ? "1e3f" : "1e6"},
      {"SIN", f ? "sinf" : "sin"},
      {"COS", f ? "cosf" : "cos"},
      {" T ", ' ' + std::string(scalar.type) + ' '},
      {"NAME", name}};  // last: it is the user's
  for (const auto& [word, meaning] : words)
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + meaning.size()))
      text.replace(at, std::string_view(word).size(), meaning);
  return text;
}

bool calls_mathematics(const std::string& text, const CScalar& scalar) {
  const auto calls = [&](const char* function) {
    return text.find(fmt::format(" {}{}(", function, scalar.suffix)) != std::string::npos ||
           text.find(fmt::format("({}{}(", function, scalar.suffix)) != std::string::npos;
  };
  return calls("sqrt") || calls("sin") || calls("cos") || calls("atan2");
}

OperationCount count_operations(const Formula& formula) {
  OperationCount count;
  for (const FormulaNode& n : formula.nodes) switch (n.operation) {
      case Operation::add:
      case Operation::subtract:
      case Operation::negate: ++count.additions; break;
      case Operation::multiply: ++count.multiplications; break;
      case Operation::divide: ++count.divisions; break;
      case Operation::square_root: ++count.square_roots; break;
      case Operation::sine:
      case Operation::cosine:
      case Operation::arc_tangent: ++count.sines; break;
      default: break;
    }
  return count;
}

SinesApart with_sines_as_inputs(const Formula& plain) {
  Formula formula = plain;
  std::vector<int> angles;  // nodes
  int inputs = 0;
  for (const FormulaArgument& x : formula.inputs) inputs += static_cast<int>(x.nodes.size());
  for (const FormulaNode& n : formula.nodes)
    if ((n.operation == Operation::sine || n.operation == Operation::cosine) &&
        std::find(angles.begin(), angles.end(), n.a) == angles.end())
      angles.push_back(n.a);
  Formula of_angles = plain;
  of_angles.outputs = {{"angles", static_cast<Index>(angles.size()), 1, false, "", angles}};
  if (angles.empty()) return {formula, of_angles};

  // Sums of inputs times constants, as those of mimics, are angles that a caller can compute from their text.
  constexpr std::size_t k_longest_sum = 200;
  const CScalar scalar{"double", ""};
  Expressions x(formula, scalar);
  std::vector<char> is_sum(formula.nodes.size(), 0);
  for (std::size_t k = 0; k < formula.nodes.size(); ++k) {
    const FormulaNode& n = formula.nodes[k];
    const bool sums = n.operation == Operation::add || n.operation == Operation::subtract ||
                      n.operation == Operation::multiply || n.operation == Operation::negate;
    const auto a = static_cast<std::size_t>(n.a), b = static_cast<std::size_t>(n.b);
    if (sums && is_sum[a] && is_sum[b] && x.text(n.a).size() + x.text(n.b).size() < k_longest_sum) {
      is_sum[k] = 1;
      x.inline_node(k);
    } else {
      is_sum[k] = n.operation <= Operation::input;
      (void)x.statement(k);
    }
  }
  FormulaArgument sc{"sc", static_cast<Index>(angles.size()), 2, true, "sine and cosine of", {}};
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const std::string angle = x.bare(angles[k]);
    if (!is_sum[static_cast<std::size_t>(angles[k])])
      throw UnsupportedError("E_UNSUPPORTED generate: a joint has sines of what is itself computed: sines_as_inputs");
    sc.meaning += (k == 0 ? " " : ", ") + angle;
  }
  // The new inputs are nodes of their own, behind the constant 0 and before what uses them.
  std::vector<FormulaNode> nodes(1);
  for (std::size_t k = 0; k < 2 * angles.size(); ++k) {
    sc.nodes.push_back(static_cast<int>(nodes.size()));
    nodes.push_back({Operation::input, inputs + static_cast<int>(k)});
  }
  const int shift = static_cast<int>(nodes.size()) - 1;
  std::vector<int> place(formula.nodes.size(), 0);
  for (std::size_t k = 1; k < formula.nodes.size(); ++k) {
    FormulaNode n = formula.nodes[k];
    if (n.operation == Operation::sine || n.operation == Operation::cosine) {
      const auto angle = static_cast<std::size_t>(std::find(angles.begin(), angles.end(), n.a) - angles.begin());
      place[k] = sc.nodes[2 * angle + (n.operation == Operation::cosine ? 1 : 0)];
    } else {
      place[k] = static_cast<int>(k) + shift;
    }
    if (n.operation > Operation::input)
      for (int* const operand : {&n.a, &n.b, &n.c}) *operand = place[static_cast<std::size_t>(*operand)];
    nodes.push_back(n);
  }
  formula.nodes = std::move(nodes);
  formula.singular = place[static_cast<std::size_t>(formula.singular)];
  for (std::vector<FormulaArgument>* const list : {&formula.inputs, &formula.outputs})
    for (FormulaArgument& argument : *list)
      for (int& k : argument.nodes) k = place[static_cast<std::size_t>(k)];
  formula.inputs.push_back(std::move(sc));
  return {prune(std::move(formula)), of_angles};
}

}  // namespace zwang::codegen
