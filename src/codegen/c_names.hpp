// SPDX-License-Identifier: BSD-3-Clause
// Names of a robot as identifiers of C, and its texts in comments of C.
#pragma once
#include <string>
#include <vector>

namespace zwang::codegen {

/// Letters, digits and single underscores: every other run of bytes becomes one underscore. Not empty.
std::string c_identifier(const std::string& text);

/// Throws std::invalid_argument where `name` cannot begin the names of functions: `E_NAME`.
void check_prefix(const std::string& name);

/// Throws std::invalid_argument where a file of that name cannot be included: quotation marks, backslashes, breaks,
/// trigraphs.
void check_file(const std::string& name);

/// Text that may stand in a comment: printable ASCII, without an end of the comment, trigraphs and line breaks; cut
/// where it is long.
std::string comment(const std::string& text);

/// Names that are all different.
class CNames {
 public:
  /// The name, or one with a number behind it where it is taken: `pose_a`, `pose_a_2`.
  std::string add(const std::string& name);

 private:
  std::vector<std::string> taken_;
};

}  // namespace zwang::codegen
