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

/// Files by what they are, not by what they are called: a link, another path and a hard link lead to the same file.
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
    std::string path;  ///< whole, without links
    std::string name;
  };
  std::vector<File> files_;
};

}  // namespace zwang
