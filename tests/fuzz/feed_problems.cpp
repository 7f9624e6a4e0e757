// SPDX-License-Identifier: BSD-3-Clause
// What the command line program reads: problems, and vectors of coordinates (states).
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/failure.hpp"
#include "cli/problem.hpp"
#include "cli/vectors.hpp"
#include "fuzz/readers.hpp"
#include "zwang/io/json.hpp"

namespace zwang::test {
namespace {

namespace files = std::filesystem;

/// Where the problem is written, beside a `models` that leads to the project's. Gone at the end of the process.
class Place {
 public:
  Place() {
    std::string pattern = (files::temp_directory_path() / "zwang_fuzz_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder could be made: " + pattern);
    folder_ = pattern;
    files::create_directory_symlink(ZWANG_MODELS, folder_ / "models");
    files::create_directory(folder_ / "problems");
  }
  ~Place() {
    std::error_code ignored;
    files::remove_all(folder_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string problem(const std::string& text) const {
    const std::string path = (folder_ / "problems" / "problem.json").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  files::path folder_;
};

constexpr const char* k_commands[] = {"solve", "impulse", "assemble", "ik", "simulate", "mobility"};

void check_state(const cli::Problem& p) {
  promise(p.q.size() == p.model.nq() && p.v.size() == p.model.nv() && p.tau.size() == p.model.nv(),
          "a problem is accepted with a vector of another size");
  promise(p.q.allFinite() && p.v.allFinite() && p.tau.allFinite(),
          "a problem is accepted with a number that is not finite");
}

void solve(const cli::Problem& p) {
  if (p.settings.method == "all") return;
  Index rows = 0;
  for (const Constraint& c : p.constraints.constraints()) rows += static_cast<Index>(c.row_names.size());
  if (rows > 48 || p.model.nv() > 60) return;
  Solver solver(p.model, p.constraints, p.settings);
  check_solution(solver.try_solve(p.input()));
}

}  // namespace

void feed_problem(Input input) {
  static const Place place;
  const auto [text, choice] = split(input);
  cli::Arguments a;
  a.command = k_commands[choice % std::size(k_commands)];
  a.file = place.problem(text);
  a.no_environment = true;
  Diagnostics found;
  try {
    const cli::Problem p = cli::read_problem(a, cli::load_options(a), found);
    check_state(p);
    if (a.command == "solve") solve(p);
  } catch (const cli::UsageError& error) {
    promise(!std::string(error.what()).empty(), "a problem is refused without a message");
  } catch (const cli::IoError& error) {
    promise(!std::string(error.what()).empty(), "a problem is refused without a message");
  } catch (const std::invalid_argument& error) {
    promise(!std::string(error.what()).empty(), "a problem is refused without a message");
  }
}

void feed_vector(Input input) {
  const auto [text, choice] = split(input);
  constexpr cli::VectorKind k_kinds[] = {cli::VectorKind::configuration, cli::VectorKind::velocity,
                                         cli::VectorKind::torque};
  const cli::VectorKind kind = k_kinds[choice / 3 % 3];
  const Model& model = robot(choice);
  if (text.find('@') != std::string::npos) return;  // another file's name
  Eigen::VectorXd x;
  try {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '{' || text[first] == '[' || text[first] == '"')) {
      const JsonDocument document = JsonDocument::parse(text, "input");
      x = cli::read_vector(model, kind, document.root());
    } else {
      x = cli::read_vector(model, kind, "--q", text);
    }
  } catch (const cli::UsageError& error) {
    return promise(!std::string(error.what()).empty(), "a vector is refused without a message");
  } catch (const cli::IoError& error) {
    return promise(!std::string(error.what()).empty(), "a vector is refused without a message");
  } catch (const JsonError& error) {
    return promise(!std::string(error.what()).empty(), "a vector is refused without a message");
  }
  promise(x.size() == (kind == cli::VectorKind::configuration ? model.nq() : model.nv()), "a vector of another size");
  promise(x.allFinite(), "a vector with a number that is not finite");
  std::string list;
  char digits[40];
  for (const double number : x) {
    std::snprintf(digits, sizeof digits, "%.17g", number);
    list += (list.empty() ? "" : ",") + std::string(digits);
  }
  const Eigen::VectorXd again = cli::read_vector(model, kind, "--q", list);
  // Quaternions are made of unit length once more.
  promise((x - again).cwiseAbs().maxCoeff() <= (kind == cli::VectorKind::configuration ? 1e-15 : 0.0),
          "what is written and read again is another vector");
}

}  // namespace zwang::test
