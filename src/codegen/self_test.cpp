// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zwang::codegen {
namespace {

Index total(const std::vector<FormulaArgument>& list) {
  Index sum = 0;
  for (const FormulaArgument& x : list) sum += x.size();
  return sum;
}

std::string row(const std::vector<double>& numbers, const CScalar& scalar) {
  std::string text;
  for (const double x : numbers)
    text += (text.empty() ? "" : ", ") + literal(scalar.is_float() ? static_cast<float>(x) : x, scalar);
  return text.empty() ? literal(0, scalar) : text;
}

/// `{1.0, 2.0}`, one row for each example.
template <class F> std::string table(const Written& w, F&& numbers, const CScalar& scalar) {
  std::string text;
  for (const Example& x : w.examples) text += (text.empty() ? "" : ",") + ("\n      {" + row(numbers(x), scalar) + '}');
  return text;
}

/// The arguments of the call: places in the row of inputs of a state, and in `out`.
std::string arguments(const Written& w, Index room) {
  std::string text;
  Index at = 0;
  for (const FormulaArgument& x : w.formula.inputs) {
    text += fmt::format("{}in[state] + {}", text.empty() ? "" : ", ", at);
    at += x.size();
  }
  at = 0;
  for (const FormulaArgument& x : w.formula.outputs) {  // empty ones at places of their own behind the others
    text += fmt::format(", out + {}", x.size() > 0 ? at : --room);
    at += x.size();
  }
  return text;
}

}  // namespace

double tolerance(const Formula& formula, bool in_float) {
  const bool solves = formula.singular != 0;
  return in_float ? (solves ? 5e-3 : 1e-5) : (solves ? 1e-7 : 1e-12);
}

std::string self_test(const std::vector<Written>& all, const std::string& name, const std::string& upper_name,
                      const CScalar& scalar) {
  const CScalar in_double{"double", ""};
  std::string text = fmt::format(R"(
#ifdef {0}_SELF_TEST
#include <math.h>
#include <stdio.h>

/* Largest difference between results and those of the library, beside a scale of them. */
static double {1}_self_test(const {2} *x, const double *expected, int size, double scale) {{
  double worst = 0;
  int k;
  for (k = 0; k < size; ++k) {{
    const double d = fabs((double)x[k] - expected[k]);
    worst = d <= worst ? worst : (d > worst ? d : HUGE_VAL);
  }}
  return worst > 0 ? worst / scale : worst;
}}

int main(void) {{
  int failed = 0, state;
)",
                                 upper_name, name, scalar.type);
  for (const Written& w : all) {
    const std::string tolerance = fmt::format("{:.0e}", codegen::tolerance(w.formula, scalar.is_float()));
    const Index in = total(w.formula.inputs), out = total(w.formula.outputs),
                room = out + static_cast<Index>(w.formula.outputs.size()),
                states = static_cast<Index>(w.examples.size());
    std::vector<double> scales;
    for (const Example& x : w.examples) scales.push_back(x.scale);
    text += fmt::format(
        R"(  {{
    static const {scalar} in[{states}][{in}] = {{{inputs}}};
    static const double expected[{states}][{out}] = {{{outputs}}};
    static const double scale[{states}] = {{{scales}}};
    {scalar} out[{room}];
    double worst = 0;
    for (state = 0; state < {states}; ++state) {{
      const int status = {function}({arguments});
      const double d = status == 0 ? {name}_self_test(out, expected[state], {size}, scale[state]) : HUGE_VAL;
      worst = d <= worst ? worst : d;
    }}
    failed += worst <= {tolerance} ? 0 : 1;
    printf("%s %.1e {function}\n", worst <= {tolerance} ? "ok    " : "FAILED", worst);
  }}
)",
        fmt::arg("scalar", scalar.type), fmt::arg("states", states), fmt::arg("in", std::max<Index>(in, 1)),
        fmt::arg("out", std::max<Index>(out, 1)), fmt::arg("size", out), fmt::arg("name", name),
        fmt::arg("inputs", table(
                               w, [](const Example& x) { return x.inputs; }, scalar)),
        fmt::arg("outputs", table(
                                w, [](const Example& x) { return x.outputs; }, in_double)),
        fmt::arg("scales", row(scales, in_double)), fmt::arg("function", w.function.name),
        fmt::arg("arguments", arguments(w, room)), fmt::arg("room", room), fmt::arg("tolerance", tolerance));
  }
  return text + "  return failed;\n}\n#endif\n";
}

}  // namespace zwang::codegen
