// SPDX-License-Identifier: BSD-3-Clause
// Findings: collects diagnostics while a file is read or a description is checked. Internal to the library.
//
// Bounded on purpose: a hostile file may be wrong in a million places, so each code is kept a limited number of times,
// text taken from a file is shortened and made printable, and the search for similar names has a budget.
#pragma once
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "zwang/core/error.hpp"

namespace zwang::detail {

/// Severity of a finding before the mode is applied.
enum class Weight {
  refuse,      ///< an error in every mode: the text has no defined meaning
  repairable,  ///< an error, but a warning in lenient mode, where the caller repairs it
  warn,        ///< a warning, an error in strict mode
  note         ///< never more than a note
};

/// `text` shortened to about `limit` bytes, control characters and broken UTF-8 written as \xNN.
std::string excerpt(std::string_view text, std::size_t limit = 160);
/// 'text', shortened and printable.
std::string quoted(std::string_view text);
/// The shortest decimal text that reads back as the same number, whatever the locale.
std::string number_text(double value);
/// The whole of a text as std::from_chars reads a decimal number, `inf` and `nan`, whatever the locale; also where the
/// standard library reads no double. invalid_argument: it is none; result_out_of_range: no double can hold it.
std::errc read_decimal(std::string_view text, double& value);
/// Position of the first byte that does not belong to well-formed UTF-8, or npos.
std::size_t broken_utf8(std::string_view text);

class Findings {
 public:
  Findings(bool strict, bool lenient) : strict_(strict), lenient_(lenient) {}

  void add(Weight weight, Diagnostic finding);
  bool refused() const { return refused_; }
  bool lenient() const { return lenient_; }
  /// "did you mean 'x'?" or `otherwise`; the search stops suggesting when its budget is used up.
  std::string did_you_mean(const std::string& name, const std::vector<std::string>& known,
                           const std::string& otherwise = {});
  /// Everything found, in the order of the file's lines, with one note per code that was cut short.
  Diagnostics take();

 private:
  bool strict_, lenient_, refused_ = false;
  long budget_ = 4'000'000;  ///< names that may still be compared
  Diagnostics found_;
  std::unordered_map<std::string, long> count_;
};

}  // namespace zwang::detail
