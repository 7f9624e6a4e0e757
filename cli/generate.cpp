// SPDX-License-Identifier: BSD-3-Clause
// zwang generate: functions of a robot as C.
#include "zwang/codegen/generate.hpp"
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "commands.hpp"
#include "failure.hpp"
#include "generate_options.hpp"
#include "json_output.hpp"
#include "shared_options.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "written_file.hpp"

namespace zwang::cli {
namespace {

std::string list_of_functions() {
  std::string text;
  for (const FormulaFunction& f : formula_functions())
    text += fmt::format("{:<32}{}\n", std::string(f.name) + (f.of_frame ? ":FRAME" : ""), f.meaning);
  return text;
}

/// Words between commas; `\,` is a comma of a word.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words(1);
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k] == '\\' && k + 1 < list.size() && list[k + 1] == ',')
      words.back() += list[++k];
    else if (list[k] == ',')
      words.emplace_back();
    else if (list[k] != ' ' || !words.back().empty())  // a space behind a comma
      words.back() += list[k];
  return words;
}

/// What an option's word means; a word that means nothing is an error of whoever typed it.
template <class F> auto word_of(const char* option, F&& read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) { throw UsageError(std::string(option) + ": " + error.what()); }
}

GenerateOptions options_of(const Arguments& a, const Problem& problem) {
  GenerateOptions o;
  o.file = std::filesystem::path(a.output).stem().string();
  o.name = a.name.empty() ? o.file : a.name;
  o.scalar = a.scalar, o.size = a.size, o.sines_as_inputs = a.sines_as_inputs;
  FormulaOptions& f = o.formula;
  if (a.reference) f.reference = word_of("--reference", [&] { return reference_of(*a.reference); });
  if (a.wrenches_in) f.wrenches_in = word_of("--wrenches-in", [&] { return reference_of(*a.wrenches_in); });
  if (a.kind && *a.kind != "classical" && *a.kind != "spatial")
    throw UsageError("--kind is classical or spatial, got '" + *a.kind + "'");
  if (a.kind && *a.kind == "spatial") f.kind = AccelerationKind::spatial;
  f.wrenches = a.wrenches;
  f.effects = a.joint_effects ? effects_of("--joint-effects", *a.joint_effects) : problem.settings.joint_effects;
  if (problem.constraints.size() > 0) f.constraints = &problem.constraints;
  return o;
}

Document to_json(const std::vector<FormulaArgument>& list) {
  Document out = Document::array();
  for (const FormulaArgument& x : list)
    out.push_back({{"name", x.name},
                   {"rows", x.rows},
                   {"columns", x.columns},
                   {"is_matrix", x.is_matrix},
                   {"meaning", x.meaning}});
  return out;
}

Document to_json(const GeneratedFunction& f) {
  return {{"word", f.word},
          {"name", f.name},
          {"inputs", to_json(f.inputs)},
          {"outputs", to_json(f.outputs)},
          {"additions", f.operations.additions},
          {"multiplications", f.operations.multiplications},
          {"divisions", f.operations.divisions},
          {"square_roots", f.operations.square_roots},
          {"sines", f.operations.sines},
          {"stack", f.stack}};
}

}  // namespace

void generate_options(CLI::App& command, Arguments& a) {
  command
      .add_option(
          "--functions", a.functions,
          "What is generated, separated by commas (of a name: \\,): inverse_dynamics,pose:tool0; `list` prints all")
      ->type_name("LIST")
      ->required();
  command.add_option("--out", a.output, "The file to write, NAME.c; NAME.h is written beside it")->type_name("FILE");
  command.add_option("--language", a.language, "c: C99")->type_name("WORD")->check(CLI::IsMember({"c"}));
  command.add_option("--scalar", a.scalar, "double (default) or float")
      ->type_name("WORD")
      ->check(CLI::IsMember({"double", "float"}));
  command.add_option("--name", a.name, "Before the names of functions, default: the name of the file")
      ->type_name("NAME");
  command.add_flag("--size", a.size, "Small instead of fast: loops over bodies with tables");
  command.add_flag("--sines-as-inputs", a.sines_as_inputs, "Sines and cosines are an argument instead of math.h");
  command.add_option("--wrench", a.wrenches, "A frame with an external wrench as a further input (may be repeated)")
      ->type_name("FRAME")
      ->allow_extra_args(false);
  command
      .add_option("--wrenches-in", a.wrenches_in, "Axes of the wrenches: local_world_aligned (default), local, world")
      ->type_name("WORD");
  command
      .add_option("--reference", a.reference,
                  "Of velocities and Jacobians: local_world_aligned (default), local, world")
      ->type_name("WORD");
  command.add_option("--kind", a.kind, "classical (default) or spatial acceleration")->type_name("WORD");
  joint_effects_option(command, a);
  hold_option(command, a, "Of constrained_dynamics: hold these directions of a frame");
}

int run_generate(const Arguments& a, Diagnostics& found) {
  if (a.functions == "list") {
    print(list_of_functions());
    return k_ok;
  }
  const std::string ending = ".c";
  if (a.output.size() <= ending.size() || !a.output.ends_with(ending))
    throw UsageError("zwang generate writes --out NAME.c and NAME.h, got '" + a.output + "'");
  const std::string header = a.output.substr(0, a.output.size() - 1) + 'h';
  if (std::filesystem::path(a.output).filename() == ending)
    throw UsageError("zwang generate: --out '" + a.output + "' has no name before .c");
  const Problem problem = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  check_place(a.output), check_place(header);
  GenerateOptions options = options_of(a, problem);
  GeneratedCode code;
  try {
    code = generate(problem.model, split(a.functions), options);
  } catch (const UnsupportedError&) { throw; } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  write_whole(header, code.header);
  write_whole(a.output, code.source);
  if (a.json) {
    Document list = Document::array();
    for (const GeneratedFunction& f : code.functions) list.push_back(to_json(f));
    print_json({{"status", "ok"},
                {"written", {a.output, header}},
                {"functions", list},
                {"diagnostics", zwang::cli::to_json(found)}});
    return k_ok;
  }
  std::string text = fmt::format("{}, {}:\n", a.output, header);
  for (const GeneratedFunction& f : code.functions)
    text += a.size ? fmt::format("  {:<40} loops, {} bytes of stack\n", f.name, f.stack)
                   : fmt::format("  {:<40} {:>6} +  {:>6} *  {:>4} /  {:>3} sqrt  {:>3} sin, cos\n", f.name,
                                 f.operations.additions, f.operations.multiplications, f.operations.divisions,
                                 f.operations.square_roots, f.operations.sines);
  print(text);
  return k_ok;
}

}  // namespace zwang::cli
