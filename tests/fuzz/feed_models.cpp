// SPDX-License-Identifier: BSD-3-Clause
// Robots: URDF, SDF, MJCF and model documents.
#include <optional>

#include "fuzz/readers.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/io/write.hpp"

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

/// A robot that is built is written in every format, or refused by name (a text that XML does not hold); what is
/// written is read, or refused as files are: limits of readers and what they want of names are not those of the model.
void check_writers(const Robot& robot) {
  for (const auto write : {&write_urdf, &write_sdf, &write_mjcf}) {
    std::string text;
    try {
      const WrittenRobot written = write(robot, {});
      text = written.text;
      for (const Loss& loss : written.losses)
        promise(loss.code.starts_with("L_") && !loss.element.empty() && !loss.lost.empty(), "a loss without words");
    } catch (const ModelError& error) {
      check_refusal(error);
      continue;
    } catch (const UnsupportedError&) { continue; }
    LoadOptions options;
    options.use_environment = options.resolve_meshes = false;
    try {
      Diagnostics found;
      loads_robot(text, options, &found);
      check_findings(found);
    } catch (const ModelError& error) {
      check_refusal(error);
      promise(error.code() != "E_XML", "what is written is no XML");
    }
  }
}

/// A text of any format: what load_robot and check say of it agrees. load refuses constraints, too, where it is
/// strict.
void feed_text(const std::string& text, const LoadOptions& options) {
  try {
    Diagnostics found;
    const Model model = loads(text, options, &found);
    check_findings(found);
    promise(!has_error(found), "a model is built although an error was found");
    use(model);
    check_documents(model);
  } catch (const ModelError& error) { check_refusal(error); }
  std::optional<Robot> robot;
  try {
    Diagnostics found;
    robot.emplace(loads_robot(text, options, &found));
    promise(!has_error(found), "a robot is built although an error was found");
  } catch (const ModelError& error) { check_refusal(error); }
  const Diagnostics found = check_robot_text(text, options);
  check_findings(found);
  promise(has_error(found) != robot.has_value(),
          robot ? "check finds an error in a file that is accepted" : "check finds no error in a file that is refused");
  if (!robot) return;
  promise(robot->configurations.at(0).name == "file", "a robot without the configuration of its file");
  for (const Configuration& c : robot->configurations)
    promise(static_cast<Index>(c.q.size()) == robot->model.nq() && all_finite(c.q), "a configuration that is none");
  solve_at_rest(robot->constraints);
  promise(robot_from_json(to_json(*robot)) == *robot, "a robot that is read again from its document is another one");
  check_writers(*robot);
}

/// A robot with joints of several types, for an SRDF to be about.
const char* const k_robot_of_srdf =
    R"(<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
  <link name="d"/><joint name="hinge" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint>
  <joint name="slab" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
  <joint name="follower" type="continuous"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/>
  <mimic joint="hinge" multiplier="2"/></joint></robot>)";

template <class Read> void feed_document(Read&& read) {
  try {
    Diagnostics found;
    const Model model = read(&found);
    check_findings(found);
    use(model);
    check_documents(model);
    check_writers({model, ConstraintSet(model), {}});
  } catch (const ModelError& error) { check_refusal(error); } catch (const JsonError& error) {
    promise(!std::string(error.what()).empty(), "a document is refused without a message");
  }
}

}  // namespace

void feed_robot(Input input) {
  const auto [text, choice] = split(input);
  feed_text(text, options_of(choice));
}
void feed_srdf(Input input) {
  const auto [text, choice] = split(input);
  LoadOptions options = options_of(choice);
  options.srdf_text = text;
  feed_text(k_robot_of_srdf, options);
}

void feed_model_json(Input input) {
  const std::string text(input.begin(), input.end());
  feed_document([&](Diagnostics* found) { return model_from_json(text, {}, found); });
}

void feed_model_cbor(Input input) {
  feed_document([&](Diagnostics* found) { return model_from_cbor(input, {}, found); });
}

}  // namespace zwang::test
