// SPDX-License-Identifier: BSD-3-Clause
#include "shell.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "zwang/simulation.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::cli {
namespace {

using Words = std::vector<std::string>;

struct Option {
  std::string name, help;  ///< `--root`
  std::string value;       ///< how the value is written, empty for a flag
};
struct Command {
  std::string name, help, footer, file;  ///< file: name of the first argument without a dash, or empty
  std::vector<Option> options;
};

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> all;
  for (const CLI::App* const x : app.get_subcommands([](const CLI::App*) { return true; })) {
    Command command{x->get_name(), x->get_description(), x->get_footer(), "", {}};
    for (const CLI::Option* const o : x->get_options()) {
      if (o->get_lnames().empty()) {
        if (command.file.empty()) command.file = o->get_name(true);
        continue;
      }
      const std::string value = o->get_expected_max() == 0 ? "" : o->get_type_name();
      command.options.push_back({"--" + o->get_lnames().front(), o->get_description(), value});
    }
    all.push_back(command);
  }
  return all;
}

/// The words that an option takes, where they can be listed.
std::map<std::string, Words> values() {
  return {{"--mode", {"standard", "strict", "lenient"}},
          {"--root", {"auto", "fixed", "floating", "planar"}},
          {"--method", methods()},
          {"--singularity", {"truncation", "proximal", "damping", "weighted"}},
          {"--integrator", integrators()},
          {"--keep", {"automatic", "stabilisation", "projection"}},
          {"--damping", {"on", "off"}},
          {"--impact", {"newton", "poisson", "energetic"}},
          {"--against", {"pinocchio", "mujoco", "kdl"}},
          {"--geometry", {"visual", "collision", "skeleton"}},
          {"--in", {"local_world_aligned", "local", "world"}}};
}

std::string side_by_side(const Words& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}
/// Between single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}
/// fish ends a quoted word at an apostrophe alone.
std::string fish_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return "'" + out + "'";
}

std::string bash(const std::vector<Command>& commands) {
  Words names{"help"};
  for (const Command& c : commands) names.push_back(c.name);
  std::string text =
      "# zwang: completions for bash. eval \"$(zwang completion bash)\"\n_zwang() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
      "  COMPREPLY=()\n";
  text += "  if ((COMP_CWORD == 1)) || [[ $before == help ]]; then\n    words=" + quoted(side_by_side(names)) + "\n";
  text += "  else\n    case $before in\n";
  for (const auto& [option, words] : values())
    text += fmt::format("      {}) words={} ;;\n", option, quoted(side_by_side(words)));
  text += "    esac\n    [[ -z $words && $word == -* ]] && case ${COMP_WORDS[1]} in\n";
  for (const Command& c : commands) {
    Words options{"--help"};
    for (const Option& o : c.options)
      if (o.name != "--help") options.push_back(o.name);
    text += fmt::format("      {}) words={} ;;\n", c.name, quoted(side_by_side(options)));
  }
  text +=
      "    esac\n  fi\n  [[ -n $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
      "complete -o default -F _zwang zwang\n";
  return text;
}

std::string zsh(const std::vector<Command>& commands) {
  const auto entry = [](const std::string& name, const std::string& help) {
    return quoted(name + ':' + help.substr(0, help.find('\n')));
  };
  std::string text =
      "#compdef zwang\n# zwang: completions for zsh. eval \"$(zwang completion zsh)\"\n_zwang() {\n"
      "  local -a commands options\n  commands=(\n    'help:What a command does'\n";
  for (const Command& c : commands) text += "    " + entry(c.name, c.help) + '\n';
  text +=
      "  )\n  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n    _describe command commands\n    return\n  "
      "fi\n"
      "  case $words[CURRENT-1] in\n";
  for (const auto& [option, words] : values())
    text += fmt::format("    {}) compadd -- {}; return ;;\n", option, side_by_side(words));
  text += "  esac\n  case $words[2] in\n";
  for (const Command& c : commands) {
    text += "    " + c.name + ") options=(\n";
    for (const Option& o : c.options) text += "      " + entry(o.name, o.help) + '\n';
    text += "    ) ;;\n";
  }
  text +=
      "  esac\n  if [[ $words[CURRENT] == -* ]]; then\n    _describe -o option options\n  else\n    _files\n  fi\n}\n"
      "compdef _zwang zwang\n";
  return text;
}

std::string fish(const std::vector<Command>& commands) {
  const auto listed = values();
  std::string text =
      "# zwang: completions for fish. zwang completion fish | source\n"
      "complete -c zwang -n __fish_use_subcommand -f -a help -d 'What a command does'\n";
  for (const Command& c : commands) {
    text += fmt::format("complete -c zwang -n __fish_use_subcommand -f -a {} -d {}\n", c.name, fish_quoted(c.help));
    for (const Option& o : c.options) {
      const auto words = listed.find(o.name);
      std::string takes = o.value.empty() ? "" : " -r";
      if (words != listed.end()) takes = " -x -a " + fish_quoted(side_by_side(words->second));
      text += fmt::format("complete -c zwang -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n", c.name,
                          o.name.substr(2), takes, fish_quoted(o.help));
    }
  }
  return text;
}

/// Text of a manual page: a minus and a backslash have names there, and a line may not begin with a point.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else
      out += c;
  }
  return out;
}

std::string man(const CLI::App& app, const std::vector<Command>& commands) {
  std::string text = ".TH ZWANG 1 \"\" \"zwang " ZWANG_VERSION "\" \"User Commands\"\n.SH NAME\nzwang \\- " +
                     roff("dynamics of articulated bodies under constraints") +
                     "\n.SH SYNOPSIS\n.B zwang\n.I COMMAND FILE\n[\\fIOPTION\\fR...]\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + "\n.SH COMMANDS\n";
  for (const Command& c : commands) {
    text += ".SS zwang " + roff(c.name) + (c.file.empty() ? "" : " \\fI" + roff(c.file) + "\\fR") + '\n' +
            roff(c.help) + ".\n";
    for (const Option& o : c.options)
      text += ".TP\n\\fB" + roff(o.name) + "\\fR" + (o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR") + '\n' +
              roff(o.help) + '\n';
  }
  text += ".SH VALUES\n.nf\n";
  for (const Command& c : commands)
    if (!c.footer.empty()) {
      text += roff(c.footer) + '\n';
      break;
    }
  return text + ".fi\n.SH EXIT STATUS\n" + roff(app.get_footer()) + '\n';
}

}  // namespace

const Words& shell_formats() {
  static const Words formats = {"bash", "zsh", "fish", "man"};
  return formats;
}

std::string shell_text(const CLI::App& app, const std::string& format) {
  const std::vector<Command> commands = commands_of(app);
  if (format == "bash") return bash(commands);
  if (format == "zsh") return zsh(commands);
  if (format == "fish") return fish(commands);
  return man(app, commands);
}

}  // namespace zwang::cli
