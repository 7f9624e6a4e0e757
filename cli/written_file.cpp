// SPDX-License-Identifier: BSD-3-Clause
#include "written_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "failure.hpp"

namespace zwang::cli {
namespace {

/// A pipe or a device: it is written where it is.
bool is_special(const std::string& path) {
  struct stat there;
  return stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
}

[[noreturn]] void throw_unwritten(const std::string& path, int error) {
  throw IoError(path + ": cannot be written: " + std::strerror(error));
}

void write_file(const std::string& path, const std::string& content, const std::string& shown) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw_unwritten(shown, errno);
  const bool whole = std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0;
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (whole && closed) return;
  const int cause = whole ? errno : error;
  if (path != shown) std::remove(path.c_str());
  throw_unwritten(shown, cause);
}

}  // namespace

void check_place(const std::string& path) {
  if (is_special(path)) return;
  std::FILE* const file = std::fopen((path + ".part").c_str(), "wb");
  if (file == nullptr) throw_unwritten(path, errno);
  std::fclose(file);
  std::remove((path + ".part").c_str());
}

void write_whole(const std::string& path, const std::string& content) {
  if (is_special(path)) return write_file(path, content, path);
  const std::string part = path + ".part";
  write_file(part, content, path);
  if (std::rename(part.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  std::remove(part.c_str());
  throw_unwritten(path, error);
}

}  // namespace zwang::cli
