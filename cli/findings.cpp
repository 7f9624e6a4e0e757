// SPDX-License-Identifier: BSD-3-Clause
// What reading a robot found, on standard error: each error in full, warnings and notes of one code in one line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "commands.hpp"

namespace zwang::cli {
namespace {

constexpr std::size_t k_named = 3;  ///< names in a line

/// Of `robot/joint[elbow]/mimic`: `joint` and `elbow`; empty where no name is in it.
std::pair<std::string, std::string> place_of(const std::string& path) {
  const std::size_t open = path.find('[');
  const std::size_t close = open == std::string::npos ? open : path.find(']', open);
  if (close == std::string::npos) return {};
  const std::size_t begin = path.rfind('/', open);
  return {path.substr(begin == std::string::npos ? 0 : begin + 1, open - (begin == std::string::npos ? 0 : begin + 1)),
          path.substr(open + 1, close - open - 1)};
}

/// `7 joints: a, b, c, ...`; `47 times at 32 links: a, b, c, ...` where a link has several.
std::string places_named(const std::vector<const Diagnostic*>& group) {
  std::vector<std::string> names;
  std::set<std::string> kinds;
  for (const Diagnostic* d : group) {
    const auto [kind, name] = place_of(d->path);
    kinds.insert(kind);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return fmt::format("{} times", group.size());
  const std::string kind = kinds.size() == 1 ? *kinds.begin() : "place";
  std::string text = fmt::format("{} {}{}: ", names.size(), kind, names.size() == 1 ? "" : "s");
  if (names.size() != group.size()) text = fmt::format("{} times at ", group.size()) + text;
  for (std::size_t k = 0; k < std::min(names.size(), k_named); ++k) text += (k == 0 ? "" : ", ") + names[k];
  return text + (names.size() > k_named ? ", ..." : "");
}

std::string line_of(const std::vector<const Diagnostic*>& group) {
  const Diagnostic& first = *group.front();
  if (group.size() == 1) return first.text();
  const auto alike = [&](auto&& same) {
    return std::all_of(group.begin(), group.end(), [&](const Diagnostic* d) { return same(*d); });
  };
  Diagnostic rest;
  const bool one_text = alike([&](const Diagnostic& d) { return d.found == first.found && d.hint == first.hint; });
  rest.found = first.found;
  rest.expected = first.expected;
  rest.hint = first.hint;
  const bool one_file = alike([&](const Diagnostic& d) { return d.file == first.file; });
  return fmt::format("{}{}: {}; {}{} (zwang check lists all)", first.code,
                     one_file && !first.file.empty() ? ' ' + first.file : std::string(), places_named(group),
                     one_text ? "" : "the first: ", rest.text().substr(2));
}

}  // namespace

void print_diagnostics(const Diagnostics& found, Severity least, bool all) {
  static const char* const k_severity[] = {"note", "warning", "error"};
  static std::set<std::string> said;  // each line once, also where a wrong argument ends the command later
  std::vector<std::vector<const Diagnostic*>> groups;
  for (const Diagnostic& d : found) {
    if (d.severity < least) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<const Diagnostic*>& group) {
      return group.front()->code == d.code && group.front()->severity == d.severity;
    });
    if (all || d.severity == Severity::error || same == groups.end())
      groups.push_back({&d});
    else
      same->push_back(&d);
  }
  for (const std::vector<const Diagnostic*>& group : groups) {
    const std::string line =
        fmt::format("{}: {}\n", k_severity[static_cast<int>(group.front()->severity)], line_of(group));
    if (said.insert(line).second) std::fputs(line.c_str(), stderr);
  }
}

}  // namespace zwang::cli
