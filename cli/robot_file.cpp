// SPDX-License-Identifier: BSD-3-Clause
#include "robot_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "json_reader.hpp"
#include "written_file.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/io/model.hpp"

namespace zwang::cli {
namespace {

bool ends_with(const std::string& path, const std::string& ending) {
  return path.size() > ending.size() && path.ends_with(ending);
}

/// A document that is no model is refused as a URDF is: exit 2.
[[noreturn]] void refuse_document(const std::string& path, const std::string& why) {
  throw ModelError({{.code = "E_DOCUMENT",
                     .file = path == k_standard_input ? "standard input" : path,
                     .found = why,
                     .expected = "a model document, as `zwang convert` writes it"}});
}

Model read_document(const std::string& path, Diagnostics& found) {
  const std::string text = read_text_file(path, k_model_bytes);
  try {
    if (is_json_file(path)) return model_from_json(text, {}, &found);
    return model_from_cbor({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {}, &found);
  } catch (const JsonError& error) { refuse_document(path, error.what()); }
}

}  // namespace

bool is_model_document(const std::string& path) {
  if (ends_with(path, ".cbor")) return true;
  if (!is_json_file(path) || (path != k_standard_input && !std::filesystem::exists(path))) return false;
  const JsonDocument document = JsonDocument::parse(read_text_file(path, k_model_bytes), path, k_model_bytes);
  const JsonNode root = document.root();
  return root.is_object() && root.has("format") && root["format"].is_text() && root["format"].text() == "zwang.model";
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

Model take(Robot robot, OfFile& more) {
  more.constraints = std::move(robot.constraints);
  more.configurations = std::move(robot.configurations);
  return robot.model;
}

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
  return read_document(path, found);
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

int run_convert(const Arguments& a, Diagnostics& found) {
  const bool text = ends_with(a.output, ".json");
  if (!text && !ends_with(a.output, ".cbor"))
    throw UsageError("zwang convert writes a name that ends in .json or .cbor, got '" + a.output + "'");
  const Model model = load_robot(a, found);
  check_place(a.output);
  std::string bytes;
  if (text) {
    bytes = zwang::to_json(model);
  } else {
    const std::vector<std::uint8_t> all = to_cbor(model);
    bytes.assign(all.begin(), all.end());
  }
  write_whole(a.output, bytes);
  if (a.json)
    print_json({{"status", "ok"},
                {"written", a.output},
                {"bytes", bytes.size()},
                {"hash", fmt::format("{:016x}", hash(model))},
                {"diagnostics", to_json(found)}});
  else
    print(a.output + ": " + std::to_string(bytes.size()) + " bytes\n");
  return k_ok;
}

}  // namespace zwang::cli
