// SPDX-License-Identifier: BSD-3-Clause
#include "compile_cost.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace zwang::bench {

Json compile_cost(bool table) {
  const std::string tool = ZWANG_SOURCE "/tools/compile_cost.py";
  if (!std::filesystem::exists(tool)) {
    if (table) fmt::print("\ncompile cost: absent, the source tree is not at {}\n", ZWANG_SOURCE);
    return {{"absent", "no source tree"}};
  }
  std::fflush(stdout);
  std::FILE* const pipe = ::popen(("python3 '" + tool + "' --time 3 2>&1").c_str(), "r");
  if (pipe == nullptr) return {{"absent", "python3 does not start"}};
  std::string said;
  char buffer[512];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, n);
  ::pclose(pipe);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (table) fmt::print("\n{}\n", said);
  double user = 0, eigen = 0, ratio = 0, peak = 0;
  const std::size_t at = said.find("user program");
  if (at == std::string::npos ||
      std::sscanf(said.c_str() + at, "user program %lf s CPU, <Eigen/Core> alone %lf s, ratio %lf, peak %lf MB", &user,
                  &eigen, &ratio, &peak) != 4)
    return {{"absent", said}};
  return {{"user_program_s", user}, {"eigen_core_s", eigen}, {"ratio", ratio}, {"peak_megabytes", peak}};
}

}  // namespace zwang::bench
