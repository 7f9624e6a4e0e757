// SPDX-License-Identifier: BSD-3-Clause
// What a program has read, so that it does not write over it.
#pragma once
#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang {

/// The files that a model was made of: the one that describes the robot, and those of its meshes. Each once, as it was
/// named when it was read; of a model built by hand none.
std::vector<std::string> files_of(const Model& model);

/// The paths of files that were read. An output is compared when it is named: links, other paths and hard links to the
/// file that stands at such a path then are found.
class InputFiles {
 public:
  InputFiles() = default;
  explicit InputFiles(const std::vector<std::string>& paths);
  /// Remembers a regular file; anything else cannot be written over. `name` is what refuse() calls it.
  void add(const std::string& path, const std::string& name);
  void add(const std::string& path) { add(path, path); }
  void add(const Model& model);
  /// Throws std::invalid_argument where the output would take the place of one of these files.
  void refuse(const std::string& output) const;

 private:
  struct File {
    std::string path;  ///< absolute, symbolic links followed; as given where that cannot be had
    std::string name;
  };
  std::vector<File> files_;
};

}  // namespace zwang
