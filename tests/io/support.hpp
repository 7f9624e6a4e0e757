// SPDX-License-Identifier: BSD-3-Clause
// Texts of small robots and a way to ask for one finding.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "zwang/io/urdf.hpp"
#include "zwang/model/check.hpp"

namespace zwang::test {

inline constexpr Mode k_modes[] = {Mode::standard, Mode::strict, Mode::lenient};

inline std::string link(const std::string& name, const std::string& inside =
                                                     "<inertial><mass value='1.5'/><inertia ixx='0.02' ixy='0.001' "
                                                     "ixz='-0.002' iyy='0.03' iyz='0.0005' izz='0.025'/></inertial>") {
  return "  <link name='" + name + "'>" + inside + "</link>\n";
}
inline std::string joint(
    const std::string& name, const std::string& parent, const std::string& child,
    const std::string& inside = "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='3' velocity='4'/>",
    const std::string& type = "revolute") {
  return "  <joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
         "'/>" + inside + "</joint>\n";
}
inline std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>\n"; }
/// A good arm of two joints; what is added comes after it.
inline std::string arm(const std::string& more = {}) {
  return robot(link("base") + link("upper") + link("lower") + joint("shoulder", "base", "upper") +
               joint("elbow", "upper", "lower") + more);
}

inline LoadOptions in_mode(Mode mode) {
  LoadOptions options;
  options.mode = mode;
  options.file_name = "a.urdf";
  return options;
}
inline Diagnostics findings(const std::string& text, Mode mode = Mode::standard) {
  return check_urdf_text(text, in_mode(mode));
}

inline std::string all(const Diagnostics& found) {
  std::string out;
  for (const Diagnostic& d : found) out += d.text() + "\n";
  return out;
}
inline const Diagnostic* find(const Diagnostics& found, const std::string& code) {
  for (const Diagnostic& d : found)
    if (d.code == code) return &d;
  return nullptr;
}

/// The finding with that code in that mode; a test failure where there is none or its severity is another.
inline Diagnostic expect(const std::string& text, Mode mode, const std::string& code, Severity severity) {
  const Diagnostics found = findings(text, mode);
  const Diagnostic* d = find(found, code);
  EXPECT_NE(d, nullptr) << code << " is missing in\n" << all(found);
  if (!d) return {};
  EXPECT_EQ(d->severity, severity) << d->text();
  EXPECT_EQ(refused(found), severity == Severity::error) << all(found);
  return *d;
}
/// An error in every mode.
inline Diagnostic expect_refused(const std::string& text, const std::string& code) {
  for (const Mode mode : k_modes) expect(text, mode, code, Severity::error);
  return expect(text, Mode::standard, code, Severity::error);
}
/// An error, but a warning in lenient mode.
inline Diagnostic expect_repairable(const std::string& text, const std::string& code) {
  expect(text, Mode::strict, code, Severity::error);
  expect(text, Mode::lenient, code, Severity::warning);
  return expect(text, Mode::standard, code, Severity::error);
}
/// A warning, but an error in strict mode.
inline Diagnostic expect_warning(const std::string& text, const std::string& code) {
  expect(text, Mode::strict, code, Severity::error);
  expect(text, Mode::lenient, code, Severity::warning);
  return expect(text, Mode::standard, code, Severity::warning);
}
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The repaired description of a text in lenient mode.
inline RobotDescription lenient(const std::string& text) {
  RobotDescription r = parse_urdf(text, in_mode(Mode::lenient));
  BuildOptions options;
  options.mode = Mode::lenient;
  const Diagnostics found = repair(r, options);
  EXPECT_FALSE(refused(found)) << all(found);
  EXPECT_FALSE(refused(check(r))) << all(check(r));
  return r;
}

/// Where the shared robots are, or an empty path.
inline std::filesystem::path shared_robots() {
  if (const char* folder = std::getenv("ZWANG_SHARED_ROBOTS"); folder && std::filesystem::is_directory(folder))
    return folder;
#ifdef ZWANG_SHARED_ROBOTS
  if (std::filesystem::is_directory(ZWANG_SHARED_ROBOTS)) return ZWANG_SHARED_ROBOTS;
#endif
  return {};
}

}  // namespace zwang::test
