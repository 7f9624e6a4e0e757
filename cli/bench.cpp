// SPDX-License-Identifier: BSD-3-Clause
#include "bench.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "failure.hpp"
#include "program_path.hpp"

namespace zwang::cli {

void become_bench(char** words) {
  std::string name = "zwang-bench";
  std::vector<char*> list = {name.data()};
  for (; *words != nullptr; ++words) list.push_back(*words);
  list.push_back(nullptr);
  const std::filesystem::path self = program_path();
  const std::string beside = (self.parent_path() / name).string();
  if (!self.empty()) ::execv(beside.c_str(), list.data());
  const bool broken = !self.empty() && errno != ENOENT;
  const std::string why = std::strerror(errno);
  ::execvp(name.c_str(), list.data());
  if (broken) throw IoError(beside + " cannot be started: " + why);
  throw IoError("zwang-bench is neither beside this program (" + self.parent_path().string() +
                ") nor in PATH; it is built with the command line program (cmake target zwang_bench)");
}

}  // namespace zwang::cli
