// SPDX-License-Identifier: BSD-3-Clause
#include "library_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/algorithm/algorithm.hpp"

namespace zwang::cli {
namespace {

/// Classes and functions whose names begin a message, beside the list of algorithms. A message may begin with a name of
/// the user, too, so that only these are taken away.
constexpr std::string_view k_functions[] = {"Assembler",
                                            "Batch",
                                            "BatchSolver",
                                            "ConfigurationPath",
                                            "ConstrainedInverseDynamics",
                                            "ConstraintEvaluator",
                                            "ConstraintSet",
                                            "Data",
                                            "Delassus",
                                            "Impulse",
                                            "InverseKinematics",
                                            "Mobility",
                                            "Model",
                                            "MotionProfile",
                                            "PosePath",
                                            "SerialInverseKinematics",
                                            "Simulator",
                                            "Solution",
                                            "Solver",
                                            "TimedPath",
                                            "beyond_limits",
                                            "constrained_inverse_dynamics",
                                            "difference",
                                            "follow",
                                            "frame_pose",
                                            "integrate",
                                            "inverse_kinematics",
                                            "move",
                                            "simulate",
                                            "time_path"};
/// Arguments that have another name on the command line. The first option that the command has is said.
constexpr std::pair<std::string_view, std::string_view> k_options[] = {
    {"Q", "--to"}, {"q0", "--q"}, {"q1", "--to"}, {"v0", "--v"}, {"poses", "--target"}, {"target", "--target"}};
/// What the command line says otherwise, where it has the option.
struct Phrase {
  std::string_view library, program, option;
};
constexpr Phrase k_phrases[] = {
    {"position_limits = false moves", "--no-position-limits moves", "--no-position-limits"},
    {"torque = infinity", "--torque inf", "--torque"},
    {"joint_effects with friction counts it", "friction in --joint-effects counts it", "--joint-effects"},
    {"add_joint_limits(time_constant=T) keeps them", "--joint-limits T keeps them", "--joint-limits"},
    {"motor_limits bounds drivers by it", "motor_limits of a problem's solver bounds drivers by it", "--integrator"},
    {"time_path() and move() plan within it", "zwang move plans within it", "--integrator"},
    {"waypoints are the same", "waypoints (the start, and each --to or --target) are the same", "--to"},
    {"most_grid or tolerance", "--grid", "--grid"}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_function(std::string_view name) {
  if (std::find(std::begin(k_functions), std::end(k_functions), name) != std::end(k_functions)) return true;
  const auto rows = algorithms();
  return std::any_of(rows.begin(), rows.end(), [&](const Algorithm& row) { return name == row.name; });
}

class Words {
 public:
  explicit Words(const Arguments& a) : arguments_(a) {}

  std::string of(std::string text) const {
    const bool begins = take_function(text);
    take_arguments(text);
    if (begins) take_first_word(text);
    for (const Phrase& p : k_phrases)
      if (const std::size_t at = text.find(p.library); at != std::string::npos && has(p.option))
        text.replace(at, p.library.size(), p.program);
    return begins && !arguments_.command.empty() ? "zwang " + arguments_.command + ": " + text : text;
  }

 private:
  bool has(std::string_view option) const {
    return std::find(arguments_.options.begin(), arguments_.options.end(), option) != arguments_.options.end();
  }
  /// Empty where the command has none.
  std::string option_of(std::string_view name) const {
    std::string option = "--" + std::string(name);
    std::replace(option.begin(), option.end(), '_', '-');
    if (has(option)) return option;
    for (const auto& [argument, other] : k_options)
      if (argument == name && has(other)) return std::string(other);
    return "";
  }

  /// `E_SIZE Solver::solve: ` at the beginning; the code remains.
  static bool take_function(std::string& text) {
    std::size_t begin = 0;
    if (text.rfind("E_", 0) == 0) begin = std::min(text.find(' '), text.size() - 1) + 1;
    std::size_t end = begin;
    while (end < text.size() && (is_word(text[end]) || text.compare(end, 2, "::") == 0))
      end += is_word(text[end]) ? 1 : 2;
    if (text.compare(end, 2, ": ") != 0) return false;
    std::string_view name = std::string_view(text).substr(begin, end - begin);
    if (name.rfind("zwang::", 0) == 0) name.remove_prefix(7);
    if (!is_function(name.substr(0, name.find("::")))) return false;
    text.erase(begin, end + 2 - begin);
    return true;
  }

  /// `argument 'a'`, `arguments 'a' or 'b'`, `setting 'a'`: where all have options, these.
  void take_arguments(std::string& text) const {
    for (const std::string_view word : {"argument", "setting", "limit"})
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if (at > 0 && is_word(text[at - 1])) continue;
        std::size_t end = at + word.size();
        if (text.compare(end, 1, "s") == 0) ++end;
        std::string said;
        bool known = true;
        while (text.compare(end, 2, " '") == 0) {
          const std::size_t close = text.find('\'', end + 2);
          if (close == std::string::npos) break;
          const std::string option = option_of(std::string_view(text).substr(end + 2, close - end - 2));
          known = known && !option.empty();
          said += option;
          end = close + 1;
          for (const std::string_view between : {" or", " and", ","})
            if (text.compare(end, between.size(), between) == 0 && text.compare(end + between.size(), 2, " '") == 0) {
              said += std::string(between) + " ";
              end += between.size();
              break;
            }
        }
        if (known && !said.empty()) text.replace(at, end - at, said);
      }
  }

  /// `dt is > 0; got 0`: messages about settings begin with their names.
  void take_first_word(std::string& text) const {
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string option = option_of(std::string_view(text).substr(0, end));
    if (end > 0 && !option.empty() && text.compare(end, 4, " is ") == 0) text.replace(0, end, option);
  }

  const Arguments& arguments_;
};

}  // namespace

std::string in_words_of_program(const std::string& message, const Arguments& arguments) {
  return Words(arguments).of(message);
}

}  // namespace zwang::cli
