// SPDX-License-Identifier: BSD-3-Clause
// Folders of robots (support/robots.hpp).
#include "support/robots.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#ifndef ZWANG_MODELS
#error "ZWANG_MODELS, the folder models/ of the project, must be defined"
#endif
#ifndef ZWANG_SHARED_ROBOTS
#define ZWANG_SHARED_ROBOTS ""
#endif

namespace zwang::test {

namespace {
std::vector<std::string> files(const std::string& folder, const std::string& ending) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}
}  // namespace

std::string shared_robots_folder() {
  const char* given = std::getenv("ZWANG_SHARED_ROBOTS");
  return given != nullptr && *given != '\0' ? given : ZWANG_SHARED_ROBOTS;
}
std::string models_folder() { return ZWANG_MODELS; }
std::vector<std::string> shared_robots(const std::string& ending) { return files(shared_robots_folder(), ending); }
std::vector<std::string> closed_models() { return {"five_bar.urdf"}; }
std::vector<std::string> models(const std::string& ending) {
  std::vector<std::string> names = files(models_folder(), ending);
  for (const std::string& closed : closed_models()) std::erase(names, closed);
  return names;
}
std::string shared_robot(const std::string& file) { return shared_robots_folder() + "/" + file; }
std::string model_file(const std::string& file) { return models_folder() + "/" + file; }
bool exists(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path, none);
}
std::string shared_robots_missing(const std::string& file) {
  const std::string path = file.empty() ? shared_robots_folder() : shared_robot(file);
  if (!path.empty() && exists(path)) return {};
  return "no shared robots at '" + path + "' (set ZWANG_SHARED_ROBOTS to a folder of robots to run this test)";
}

}  // namespace zwang::test
