// SPDX-License-Identifier: BSD-3-Clause
// Files of a test, in a folder that is gone afterwards.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT: mkdtemp is POSIX

#include <filesystem>
#include <fstream>
#include <string>

namespace zwang::test {

class FilesInAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "zwang_files_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = std::filesystem::canonical(name);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  /// The path of a new file, whose name may hold folders.
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }
  std::filesystem::path root_;
};

}  // namespace zwang::test
