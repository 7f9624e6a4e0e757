// SPDX-License-Identifier: BSD-3-Clause
// Collecting diagnostics within bounds.
#include "zwang/core/findings.hpp"

#include <algorithm>

#include "core/number.hpp"

namespace zwang::detail {
namespace {

constexpr long k_most_of_one_code = 500;

/// Length of the UTF-8 sequence that starts at text[i], or 0 where it is broken (overlong,
/// surrogate or cut forms included).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned a = byte(i), b = byte(i + 1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return follows(i + 1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    if (!follows(i + 1) || !follows(i + 2) || (a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F)) return 0;
    return 3;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool tail = follows(i + 1) && follows(i + 2) && follows(i + 3);
    if (!tail || (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

void append_hex(std::string& out, unsigned char c) {
  constexpr char k_digit[] = "0123456789abcdef";
  out += "\\x";
  out += k_digit[c >> 4];
  out += k_digit[c & 15];
}

}  // namespace

std::size_t broken_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = static_cast<unsigned char>(text[i]) < 0x80 ? 1 : sequence_length(text, i);
    if (n == 0) return i;
    i += n;
  }
  return std::string_view::npos;
}

std::string excerpt(std::string_view text, std::size_t limit) {
  const bool plain =
      text.size() <= limit && std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= limit) return out + "... (" + std::to_string(text.size()) + " bytes)";
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const std::size_t n = sequence_length(text, i);
    const bool c1_control = n == 2 && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (n == 0 || c < 0x20 || c == 0x7F || c1_control) {
      append_hex(out, c);
      if (c1_control) append_hex(out, static_cast<unsigned char>(text[i + 1]));
    } else {
      out.append(text.substr(i, n));
    }
    i += std::max<std::size_t>(n, 1);
  }
  return out;
}

std::string quoted(std::string_view text) { return '\'' + excerpt(text) + '\''; }

std::string number_text(double value) { return numerals::shortest(value); }

void Findings::add(Weight weight, Diagnostic finding) {
  switch (weight) {
    case Weight::refuse: finding.severity = Severity::error; break;
    case Weight::repairable: finding.severity = lenient_ ? Severity::warning : Severity::error; break;
    case Weight::warn: finding.severity = strict_ ? Severity::error : Severity::warning; break;
    case Weight::note: finding.severity = Severity::note; break;
  }
  if (finding.severity == Severity::error && weight != Weight::refuse) {
    if (!finding.hint.empty()) finding.hint += finding.hint.back() == '?' ? " " : "; ";
    finding.hint += weight == Weight::repairable ? "mode lenient loads it" : "mode standard only warns";
  }
  refused_ = refused_ || finding.severity == Severity::error;
  if (++count_[finding.code] > k_most_of_one_code) return;
  constexpr std::size_t k_text = 2000;  // room for the list of paths that were tried
  finding.path = excerpt(finding.path, 400);
  finding.found = excerpt(finding.found, k_text);
  finding.expected = excerpt(finding.expected, k_text);
  finding.hint = excerpt(finding.hint, k_text);
  found_.push_back(std::move(finding));
}

std::string Findings::did_you_mean(const std::string& name, const std::vector<std::string>& known,
                                   const std::string& otherwise) {
  budget_ -= static_cast<long>(known.size());
  const std::string nearest = budget_ >= 0 ? nearest_name(name, known) : std::string();
  return nearest.empty() ? otherwise : "did you mean " + quoted(nearest) + '?';
}

Diagnostics Findings::take() {
  std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  std::vector<std::string> cut;
  for (const auto& [code, count] : count_)
    if (count > k_most_of_one_code) cut.push_back(code);
  std::sort(cut.begin(), cut.end());
  for (const std::string& code : cut) {
    Diagnostic more;
    more.severity = Severity::note;
    more.code = "N_MORE";
    more.found = std::to_string(count_[code] - k_most_of_one_code) + " more findings with code " + code;
    found_.push_back(std::move(more));
  }
  count_.clear();
  return std::move(found_);
}

}  // namespace zwang::detail
