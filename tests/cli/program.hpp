// SPDX-License-Identifier: BSD-3-Clause
// Runs the program as a user does and keeps what it said.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/close.hpp"
#include "support/robots.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {

using Json = nlohmann::json;

struct Outcome {
  int code = -1;
  std::string out, err;
  Json json() const { return Json::parse(out); }  ///< throws unless the output is exactly one document
};

/// The program with these words; `redirect` may send its output elsewhere, or give it an input.
Outcome zwang(const std::vector<std::string>& words, const std::string& redirect = "");
/// A copy of the program at another place.
Outcome run_at(const std::string& program, const std::vector<std::string>& words, const std::string& redirect = "");
/// The same with --json, and nothing on standard error.
Outcome zwang_json(std::vector<std::string> words);

std::string arm7();
std::string quadruped();
Model arm7_model();
Model quadruped_model();

/// A folder of this test, emptied at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string path(const std::string& name) const;

 private:
  std::string path_;
};

/// A problem of arm7 at a random state, its tool held by the motors in five rows; `change` goes over its constraint.
Json arm_problem(const std::string& change = "{}");
/// Writes the problem to a file and solves it, with --json.
Outcome solve_problem(const Json& problem, const std::vector<std::string>& more = {});
/// The document of a solve that exits with `code`.
Json solved(const Json& problem, const std::vector<std::string>& more = {}, int code = 0);
/// What is said of a problem that is refused with exit 1.
std::string refusal(const Json& problem, const std::vector<std::string>& more = {});

Eigen::VectorXd vector_of(const Json& array);
bool contains(const std::string& text, const std::string& part);

}  // namespace zwang::test

#define EXPECT_SAYS(text, part) EXPECT_TRUE(::zwang::test::contains((text), (part))) << "said: " << (text)
