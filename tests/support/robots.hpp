// SPDX-License-Identifier: BSD-3-Clause
// Where the robots of the tests are: the project's models/, and a shared folder of real robots that need not be there.
//
// The shared folder is the environment variable ZWANG_SHARED_ROBOTS, or the definition of that name.
// Tests that need it skip:
//   ZWANG_NEEDS_SHARED_ROBOTS();                            // the folder
//   const std::string file = shared_robot("panda.urdf");    // in its loop over shared_robots(".urdf")
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zwang::test {

std::string shared_robots_folder();  ///< may not exist
std::string models_folder();
/// Names of the files that end so, sorted; empty where the folder is absent.
std::vector<std::string> shared_robots(const std::string& ending = ".urdf");
std::vector<std::string> models(const std::string& ending = ".urdf");  ///< those that load without options: trees
std::vector<std::string> closed_models();  ///< of models/ those that hold loops, and load with ClosedLoops::constraints
std::string shared_robot(const std::string& file);  ///< whole path
std::string model_file(const std::string& file);
bool exists(const std::string& path);
/// Why a test cannot run, or an empty string; prints nothing.
std::string shared_robots_missing(const std::string& file = "");

}  // namespace zwang::test

#define ZWANG_NEEDS_SHARED_ROBOTS() \
  if (const std::string missing_ = ::zwang::test::shared_robots_missing(); !missing_.empty()) GTEST_SKIP() << missing_
#define ZWANG_NEEDS_SHARED_ROBOT(file)                                                            \
  if (const std::string missing_ = ::zwang::test::shared_robots_missing(file); !missing_.empty()) \
  GTEST_SKIP() << missing_
