// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/io/input_files.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <unordered_set>

namespace zwang {

std::vector<std::string> files_of(const Model& model) {
  std::vector<std::string> files;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && seen.insert(path).second) files.push_back(path);
  };
  const RobotDescription& robot = model.description();
  for (const LinkDescription& link : robot.links) {
    add(link.place.file);
    for (const Shape& shape : link.shapes) add(shape.mesh_path);
  }
  for (const JointDescription& joint : robot.joints) add(joint.place.file);
  for (const MotorDescription& motor : robot.motors) add(motor.place.file);
  return files;
}

InputFiles::InputFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) add(path);
}

void InputFiles::add(const std::string& path, const std::string& name) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return;
  const std::filesystem::path whole = std::filesystem::canonical(path, failed);
  files_.push_back({failed ? path : whole.string(), name});
}

void InputFiles::add(const Model& model) {
  for (const std::string& path : files_of(model)) add(path);
}

void InputFiles::refuse(const std::string& output) const {
  const auto same = std::find_if(files_.begin(), files_.end(), [&](const File& f) {
    std::error_code failed;
    return std::filesystem::equivalent(f.path, output, failed);
  });
  if (same == files_.end()) return;
  throw std::invalid_argument(same->name == output
                                  ? output + " is read here and is not written over: give the output another name"
                                  : output + " is the file " + same->name +
                                        ", which is read here and is not written over: give the output another name");
}

}  // namespace zwang
