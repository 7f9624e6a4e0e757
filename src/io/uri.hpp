// SPDX-License-Identifier: BSD-3-Clause
// Finding the files that a robot names: package://, model://, file:// and plain paths (CONVENTIONS.md, Paths).
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "zwang/io/load.hpp"

namespace zwang::io {

/// A file, or why there is none.
struct Resolved {
  std::string path;            ///< canonical; empty where it was refused
  const char* code = nullptr;  ///< E_URI_...
  bool absent = false;         ///< nothing is wrong with the URI: its file or package is not on this machine
  std::string found, expected, hint;
};

class UriResolver {
 public:
  /// `file` is the robot's, or empty for a text. `enclosing`: the folder that files may not leave; empty: that of the
  /// package around the file, or the file's own.
  UriResolver(const std::string& file, const LoadOptions& options, const std::string& enclosing = {});
  Resolved resolve(const std::string& uri);
  /// A part of the robot's file, by its path: absolute, or relative to `folder`.
  Resolved part(const std::string& path, const std::string& folder) const;
  const std::string& enclosing() const { return enclosing_; }
  /// The file of a model that an SDF includes: itself, or the one of the highest version that the model.config of a
  /// folder lists. In the including file's folder, the folders of packages, the packages.
  Resolved model(const std::string& uri);

 private:
  struct Package {
    std::string root;  ///< empty: not found
    std::vector<std::string> tried;
  };
  const Package& package(const std::string& name);
  Package find_package(const std::string& name) const;
  Resolved in_package(const std::string& rest);
  Resolved plain(const std::string& path);
  Resolved model_at(const std::string& path, const std::string& root) const;
  Resolved regular_file(const std::string& path, const std::string& root) const;

  const LoadOptions& options_;
  std::string folder_;     ///< where relative paths start; empty: nowhere
  std::string enclosing_;  ///< root of the package around the file, or its folder
  std::unordered_map<std::string, Package> packages_;
};

}  // namespace zwang::io
