// SPDX-License-Identifier: BSD-3-Clause
#include "io/document_robot.hpp"

#include <cstdint>
#include <span>

#include "io/document_trees.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::io {
namespace {

using detail::Weight;

bool is_cbor(std::string_view text) {  // an object; no text in UTF-8 begins with such a byte
  return !text.empty() && static_cast<unsigned char>(text[0]) >= 0xa0 && static_cast<unsigned char>(text[0]) <= 0xbf;
}

/// A document holds the options that its model was built with: which of the given ones would have no effect.
std::string without_effect(const LoadOptions& given) {
  const BuildOptions standard;
  const Vec3<double>&g = given.gravity, &down = standard.gravity;
  std::string names;
  const auto list = [&](bool is, const char* name) {
    if (is) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  list(given.root != standard.root && given.root != "auto", "root");
  list(given.root_joint != standard.root_joint, "root_joint");
  list(given.lump != standard.lump, "lump");
  list(given.expand_mimic != standard.expand_mimic, "expand_mimic");
  list(given.mode != standard.mode, "mode");
  list(g.x != down.x || g.y != down.y || g.z != down.z || !given.file_gravity, "gravity");
  list(!given.srdf.empty() || !given.srdf_text.empty(), "srdf");
  return names;
}

Robot with_loops(const Model& model) {
  Robot robot{model, ConstraintSet(model), {}};
  robot.constraints.add_loops();
  Configuration file{.name = "file",
                     .q = std::vector<double>(static_cast<std::size_t>(model.nq())),
                     .v = std::vector<double>(static_cast<std::size_t>(model.nv()))};
  neutral(model, Eigen::Map<Eigen::VectorXd>(file.q.data(), model.nq()));
  robot.configurations.push_back(std::move(file));
  return robot;
}

}  // namespace

bool is_document(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return is_cbor(text) || (first != std::string_view::npos && text[first] == '{');
}

std::optional<Robot> read_document(const std::string& text, const std::string& file, const LoadOptions& options,
                                   detail::Findings& found, Diagnostics& built) {
  const auto refuse = [&](std::string what, std::string expected, std::string hint) -> std::optional<Robot> {
    Diagnostic d;
    d.code = "E_DOCUMENT";
    d.file = file;
    d.found = std::move(what);
    d.expected = std::move(expected);
    d.hint = std::move(hint);
    found.add(Weight::refuse, d);
    return {};
  };
  const char* const expected = "a document zwang.robot or zwang.model";
  if (const std::string names = without_effect(options); !names.empty())
    return refuse("options " + names, "none of them", "a document holds the options that its model was built with");
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    const JsonDocument document = is_cbor(text) ? JsonDocument::parse_cbor(bytes, "CBOR", k_model_bytes)
                                                : JsonDocument::parse(text, "JSON", k_model_bytes);
    const JsonNode root = document.root();
    const bool named = root.is_object() && root.has("format") && root["format"].is_text();
    const std::string format = named ? root["format"].text() : "";
    if (format == "zwang.robot") return robot_of(document, {}, {}, &built);
    if (format == "zwang.model") return with_loops(model_of(root, {}, &built));
    return refuse(named ? "a document " + detail::quoted(format) : "a document without a format", expected,
                  "constraints_from_json and the other readers of documents take the others");
  } catch (const JsonError& error) { return refuse(error.what(), expected, ""); } catch (const ModelError& error) {
    for (const Diagnostic& d : error.diagnostics())
      if (d.severity == Severity::error) found.add(Weight::refuse, d);
  }
  return {};
}

}  // namespace zwang::io
