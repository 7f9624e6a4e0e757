// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace zwang::test {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}
std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "zwang_cli_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder could be made: " + pattern);
  path_ = pattern;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::string Folder::path(const std::string& name) const { return path_ + '/' + name; }
std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

Outcome zwang(const std::vector<std::string>& words, const std::string& redirect) {
  return run_at(ZWANG_CLI, words, redirect);
}

Outcome run_at(const std::string& program, const std::vector<std::string>& words, const std::string& redirect) {
  const Folder folder;
  const std::string errors = folder.path("stderr");
  std::string line = quoted(program);
  for (const std::string& word : words) line += ' ' + quoted(word);
  line += " </dev/null " + redirect + " 2>" + quoted(errors);
  Outcome outcome;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.out.append(buffer, n);
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  outcome.err = contents(errors);
  return outcome;
}

Outcome zwang_json(std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome outcome = zwang(words);
  EXPECT_EQ(outcome.err, "") << "with --json everything is in the document";
  return outcome;
}

Json arm_problem(const std::string& change) {
  Json p = Json::parse(R"({"state": {"q": "random:1", "v": "random:2"}, "tau": "random:3", "constraints": [
      {"name": "hand", "type": "frame", "frame": "tool0", "rows": ["linear.x", "linear.y", "angular"], "in": "local_world_aligned",
       "beta": [0.1, 0.2, 0.3, 0.4, 0.5], "acceleration": "classical", "role": "driver"}],
      "solver": {"method": "automatic", "tolerance": 1e-10, "singularity": "truncation"}})");
  p["model"] = arm7();
  p["constraints"][0].update(Json::parse(change));
  return p;
}
Outcome solve_problem(const Json& problem, const std::vector<std::string>& more) {
  const Folder folder;
  std::vector<std::string> words = {"solve", folder.write("problem.json", problem.dump())};
  words.insert(words.end(), more.begin(), more.end());
  return zwang_json(words);
}
Json solved(const Json& problem, const std::vector<std::string>& more, int code) {
  const Outcome o = solve_problem(problem, more);
  EXPECT_EQ(o.code, code) << o.out;
  return o.json();
}
std::string refusal(const Json& problem, const std::vector<std::string>& more) {
  const Outcome o = solve_problem(problem, more);
  EXPECT_EQ(o.code, 1) << o.out;
  const Json d = o.json();
  EXPECT_EQ(d["status"], "usage");
  return d.value("message", "");
}

std::string arm7() { return model_file("arm7.urdf"); }
std::string quadruped() { return model_file("quadruped.urdf"); }
Model arm7_model() { return load(arm7()); }
Model quadruped_model() {
  LoadOptions options;
  options.root = "floating";
  return load(quadruped(), options);
}

Eigen::VectorXd vector_of(const Json& array) {
  const std::vector<double> x = array.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace zwang::test
