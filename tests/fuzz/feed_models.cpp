// SPDX-License-Identifier: BSD-3-Clause
// Robots: URDF and model documents.
#include "fuzz/readers.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

bool has_error(const Diagnostics& found) {
  for (const Diagnostic& d : found)
    if (d.severity == Severity::error) return true;
  return false;
}

/// Findings that a user can look up.
void check_findings(const Diagnostics& found) {
  for (const Diagnostic& d : found) {
    promise(!d.code.empty(), "a finding without a code");
    promise(d.line >= 0 && d.column >= 0, "a finding at a negative place");
    promise(!d.text().empty(), "a finding without a text");
  }
}
void check_refusal(const ModelError& error) {
  promise(has_error(error.diagnostics()), "a model is refused without an error");
  promise(!std::string(error.what()).empty(), "a model is refused without a message");
  check_findings(error.diagnostics());
}

LoadOptions options_of(unsigned choice) {
  constexpr Mode k_modes[] = {Mode::standard, Mode::strict, Mode::lenient};
  LoadOptions o;
  o.file_name = "input.urdf";
  o.use_environment = false;
  o.mode = k_modes[choice % 3];
  if ((choice & 4) != 0) o.lump = false;
  if ((choice & 8) != 0) o.root = "floating";
  if ((choice & 16) != 0) o.loops = ClosedLoops::constraints;
  if ((choice & 32) != 0) o.base_directory = ".";
  if ((choice & 64) != 0) o.expand_mimic = true;
  return o;
}

template <class Read> void feed_document(Read&& read) {
  try {
    Diagnostics found;
    const Model model = read(&found);
    check_findings(found);
    use(model);
    check_documents(model);
  } catch (const ModelError& error) { check_refusal(error); } catch (const JsonError& error) {
    promise(!std::string(error.what()).empty(), "a document is refused without a message");
  }
}

}  // namespace

void feed_urdf(Input input) {
  const auto [text, choice] = split(input);
  const LoadOptions options = options_of(choice);
  bool accepted = false;
  try {
    Diagnostics found;
    const Model model = loads(text, options, &found);
    accepted = true;
    check_findings(found);
    promise(!has_error(found), "a model is built although an error was found");
    use(model);
    check_documents(model);
    if (!model.loops().empty()) {
      ConstraintSet set(model);
      set.add_loops();
      solve_at_rest(set);
    }
  } catch (const ModelError& error) { check_refusal(error); }
  const Diagnostics found = check_urdf_text(text, options);
  check_findings(found);
  promise(has_error(found) != accepted, accepted ? "check finds an error in a file that is accepted"
                                                 : "check finds no error in a file that is refused");
}

void feed_model_json(Input input) {
  const std::string text(input.begin(), input.end());
  feed_document([&](Diagnostics* found) { return model_from_json(text, {}, found); });
}

void feed_model_cbor(Input input) {
  feed_document([&](Diagnostics* found) { return model_from_cbor(input, {}, found); });
}

}  // namespace zwang::test
