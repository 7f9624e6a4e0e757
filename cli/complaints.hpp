// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a command line, in the words of the other messages: the command, the option, what was given, what
// is accepted. For `zwang` and `zwang-bench`.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "zwang/core/error.hpp"

namespace zwang::cli {

inline std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}
inline std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// A value that is one of these words.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  CLI::Validator check("");
  return check.operation([words](std::string& given) {
    for (const std::string& word : words)
      if (word == given) return std::string();
    return "got '" + given + "', expected one of " + listed(words) + did_you_mean(given, words);
  });
}

/// A value that is a whole number within these.
inline CLI::Validator whole_number(long least, long most) {
  CLI::Validator check("");
  return check.operation([least, most](std::string& given) {
    long x = 0;
    if (CLI::detail::lexical_cast(given, x) && x >= least && x <= most) return std::string();
    return "got '" + given + "', expected a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  });
}

/// An option without a value: `--json=no` is refused.
inline void refuse_values_of_flags(const CLI::App& command) {
  for (const CLI::Option* o : command.get_options())
    if (o->get_expected_max() == 0) const_cast<CLI::Option*>(o)->disable_flag_override();
}

/// The command that was chosen, or the program itself.
inline const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

/// The option that an error of CLI11 is about, whose text alone names it. Nothing where it names none.
inline const CLI::Option* option_in(const CLI::App& command, const std::string& text) {
  const CLI::Option* found = nullptr;
  for (const CLI::Option* o : command.get_options()) {
    const std::string whole = o->get_name();
    const bool flag = o->get_expected_max() == 0;  // these errors name it without dashes
    const std::string name = flag ? whole.substr(std::min(whole.find_first_not_of('-'), whole.size())) : whole;
    if (name.empty() || (found != nullptr && found->get_name().size() > whole.size())) continue;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const auto apart = [](char c) { return c == ' ' || c == ':' || c == ','; };
      const std::size_t end = at + name.size();
      if ((at == 0 || apart(text[at - 1])) && (end == text.size() || apart(text[end]))) found = o;
    }
  }
  return found;
}

/// Words that no option takes: the first of them, with the nearest option or command, or the commands that have it.
inline std::string unexpected(const CLI::App& app) {
  const std::string word = app.remaining(true).front();
  const CLI::App& command = chosen_command(app);
  std::vector<std::string> known, elsewhere;
  const bool option = word.rfind("-", 0) == 0;
  const std::string name = word.substr(0, word.find('='));
  if (option) {
    for (const CLI::Option* o : command.get_options())
      for (const std::string& one : o->get_lnames()) known.push_back("--" + one);
    for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; }))
      if (name.rfind("--", 0) == 0 && other->get_option_no_throw(name) != nullptr)
        elsewhere.push_back(other->get_name());
  }
  return "'" + word + "' was not expected" +
         (elsewhere.empty() ? did_you_mean(name, known) : "; it is an option of " + listed(elsewhere));
}

/// Why CLI11 refused the words.
inline std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what(), kind = error.get_name();
  if (!app.remaining(true).empty()) return unexpected(app);
  const CLI::App& command = chosen_command(app);
  const CLI::Option* const o = option_in(command, text);
  if (o == nullptr) return text;
  const std::string name = o->get_name();
  const std::string written =
      name + (o->get_type_name().empty() || o->get_positional() ? "" : ' ' + o->get_type_name());
  if (kind == "RequiredError") return "expected " + name + ": " + o->get_description();
  if (kind == "ConversionError") {
    const std::string value = o->results().empty() ? "" : o->results().front();
    return name + ": got '" + value + "', expected a " +
           (o->get_type_name() == "N" ? "whole number" : "decimal number") + " (" + written + ": " +
           o->get_description() + ')';
  }
  if (kind == "ArgumentMismatch") {
    if (o->get_expected_max() == 0) return name + " takes no value";
    if (o->count() > 1) return name + " is given " + std::to_string(o->count()) + " times, expected once";
    return name + " needs a value (" + written + ": " + o->get_description() + ')';
  }
  return text;
}

}  // namespace zwang::cli
