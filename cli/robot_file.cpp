// SPDX-License-Identifier: BSD-3-Clause
#include "robot_file.hpp"

#include <filesystem>
#include <span>

#include "commands.hpp"
#include "failure.hpp"
#include "json_reader.hpp"
#include "vectors.hpp"
#include "written_file.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::cli {
namespace {

bool ends_with(const std::string& path, const std::string& ending) {
  return path.size() > ending.size() && path.ends_with(ending);
}

Model take(Robot robot, OfFile& more) {
  more.constraints = std::move(robot.constraints);
  more.configurations = std::move(robot.configurations);
  return robot.model;
}

/// A document that is no model is refused as a URDF is: exit 2.
[[noreturn]] void refuse_document(const std::string& path, const std::string& why) {
  throw ModelError({{.code = "E_DOCUMENT",
                     .file = path == k_standard_input ? "standard input" : path,
                     .found = why,
                     .expected = "a model document, as `zwang convert` writes it"}});
}

/// What a document says that it is: zwang.model, zwang.robot, or nothing.
std::string format_of(const JsonDocument& document) {
  const JsonNode root = document.root();
  return root.is_object() && root.has("format") && root["format"].is_text() ? root["format"].text() : "";
}
bool is_of_robot(const std::string& format) { return format == "zwang.model" || format == "zwang.robot"; }

void note_rows(long rows, const std::string& path, Diagnostics& found) {
  if (rows <= 0) return;
  found.push_back({.severity = Severity::note,
                   .code = "N_CONSTRAINTS",
                   .file = path,
                   .path = "constraints",
                   .found = "the file has " + std::to_string(rows) + (rows == 1 ? " constraint" : " constraints"),
                   .hint = "a model alone moves without them"});
}

Model read_document(const std::string& path, Diagnostics& found, OfFile* more) {
  const std::string text = read_text_file(path, k_model_bytes);
  const bool json = is_json_file(path);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    const std::string format = format_of(json ? JsonDocument::parse(text, "JSON", k_model_bytes)
                                              : JsonDocument::parse_cbor(bytes, "CBOR", k_model_bytes));
    if (format != "zwang.robot") return json ? model_from_json(text, {}, &found) : model_from_cbor(bytes, {}, &found);
    Robot robot = json ? robot_from_json(text, {}, {}, &found) : robot_from_cbor(bytes, {}, {}, &found);
    if (more) return take(std::move(robot), *more);
    note_rows(robot.constraints.size(), path, found);
    return robot.model;
  } catch (const JsonError& error) { refuse_document(path, error.what()); }
}

}  // namespace

bool is_model_document(const std::string& path) {
  if (ends_with(path, ".cbor")) return true;
  if (!is_json_file(path) || (path != k_standard_input && !std::filesystem::exists(path))) return false;
  return is_of_robot(format_of(JsonDocument::parse(read_text_file(path, k_model_bytes), path, k_model_bytes)));
}

bool is_document_of_robot(const std::string& path) {
  try {
    return is_model_document(path);
  } catch (const JsonError& error) {
    const std::string text = error.what();  // begins with the path
    refuse_document(path, text.rfind(path + ": ", 0) == 0 ? text.substr(path.size() + 2) : text);
  }
}

namespace {

Model load_as_it_is(const Arguments& a, const std::string& path, const LoadOptions& options, Diagnostics& found,
                    OfFile* more) {
  if (path == k_standard_input && !is_json_file(path)) {
    LoadOptions of_text = options;
    of_text.file_name = "standard input";
    of_text.base_directory = ".";
    const std::string text = read_text_file(path, k_model_bytes);
    return more ? take(loads_robot(text, of_text, &found), *more) : loads(text, of_text, &found);
  }
  if (!is_document_of_robot(path))
    return more ? take(zwang::load_robot(path, options, &found), *more) : load(path, options, &found);
  if (a.root || a.mode || a.gravity || a.expand_mimic || a.keep_fixed || !a.srdf.empty())
    throw UsageError(
        path +
        " is a model document, which holds its own options: --root, --mode, --gravity, "
        "--expand-mimic, --keep-fixed and --srdf are given where `zwang convert` writes it from a robot's file");
  return read_document(path, found, more);
}

}  // namespace

Model load_any(const Arguments& a, const std::string& path, const LoadOptions& options, Diagnostics& found,
               const std::vector<std::string>& actuated, OfFile* more) {
  if (path != k_standard_input) input_files().add(path);
  if (!options.srdf.empty()) input_files().add(options.srdf);
  const Model model = load_as_it_is(a, path, options, found, more);
  input_files().add(model);
  const std::vector<std::string>& motors = a.actuated.empty() ? actuated : a.actuated;
  return motors.empty() ? model : with_actuated(model, motors);
}

bool may_name_configuration(const std::string& text) {
  const bool word = text == "zero" || text == "neutral" || text.starts_with("random:") || text.starts_with('@');
  return !word && text.find_first_not_of("0123456789+-.,eE \t") != std::string::npos;
}

Eigen::VectorXd read_configuration(const Model& model, const std::string& option, const std::string& text,
                                   const std::vector<Configuration>& of_file) {
  std::vector<std::string> names;
  for (const Configuration& c : of_file) {
    if (c.name == text && text != "zero" && text != "neutral")
      return Eigen::Map<const Eigen::VectorXd>(c.q.data(), model.nq());
    names.push_back(c.name);
  }
  const bool is_word = may_name_configuration(text) && text.find_first_of("=,[") == std::string::npos;
  const std::string near = is_word ? nearest_name(text, names) : "";
  if (!near.empty())
    throw UsageError(option + ": got '" + printable(text) + "', did you mean '" + printable(near) + "'?");
  try {
    return read_vector(model, VectorKind::configuration, option, text);
  } catch (const UsageError& error) {
    if (!is_word || names.size() < 2) throw;  // `file` is in every one
    std::string known;
    for (const std::string& one : names) known += (known.empty() ? "" : ", ") + printable(one);
    throw UsageError(std::string(error.what()) + "; the robot's file has the configurations " + known);
  }
}

void note_constraints(const OfFile& file, const Model& model, const std::string& path, Diagnostics& found) {
  if (file.constraints)
    note_rows(static_cast<long>(file.constraints->size()) - static_cast<long>(model.loops().size()), path, found);
}

}  // namespace zwang::cli
