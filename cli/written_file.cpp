// SPDX-License-Identifier: BSD-3-Clause
#include "written_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

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

/// Where the bytes of a path are in the end: behind its symbolic links, also where the last one leads to nothing yet.
std::string behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path at = path;
  std::error_code error;
  for (int k = 0; k < 40 && fs::is_symlink(fs::symlink_status(at, error)); ++k) {
    const fs::path to = fs::read_symlink(at, error);
    if (error) break;
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  return at.string();
}

void write_all(int file, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t more = write(file, content.data() + done, content.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw std::system_error(errno, std::generic_category());
    done += static_cast<std::size_t>(more);
  }
}

/// A new file beside the place, with a name that nothing had, and the rights that the file there has or would get.
/// It goes away unless it is moved.
class Part {
 public:
  explicit Part(const std::string& path) : path_(behind_links(path)), name_(path_ + ".XXXXXX") {
    struct stat there;
    const bool exists = stat(path_.c_str(), &there) == 0;
    if (exists && access(path_.c_str(), W_OK) != 0) throw_unwritten(path, errno);
    file_ = mkstemp(name_.data());
    if (file_ < 0) throw_unwritten(path, errno);
#ifndef _WIN32  // there a new file has the rights of its folder
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file_, exists ? there.st_mode & 07777 : 0666 & ~mask);
#endif
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (file_ >= 0) close(file_);
    if (!moved_) std::remove(name_.c_str());
  }
  /// Throws std::system_error.
  void write_and_move(const std::string& content) {
    write_all(file_, content);
    const int closed = close(std::exchange(file_, -1));
    if (closed != 0) throw std::system_error(errno, std::generic_category());
#ifdef _WIN32  // std::rename does not take the place of a file that is there
    std::filesystem::rename(name_, path_);
#else  // std::filesystem::rename allocates
    if (std::rename(name_.c_str(), path_.c_str()) != 0) throw std::system_error(errno, std::generic_category());
#endif
    moved_ = true;
  }

 private:
  std::string path_, name_;
  int file_ = -1;
  bool moved_ = false;
};

void write_in_place(const std::string& path, const std::string& content) {
#ifdef _WIN32  // else each line feed would become two bytes
  const int file = open(path.c_str(), O_WRONLY | O_BINARY);
#else
  const int file = open(path.c_str(), O_WRONLY);
#endif
  if (file < 0) throw std::system_error(errno, std::generic_category());
  try {
    write_all(file, content);
  } catch (const std::system_error&) {
    close(file);
    throw;
  }
  if (close(file) != 0) throw std::system_error(errno, std::generic_category());
}

void refuse_input(const std::string& path) {
  try {
    input_files().refuse(path);
  } catch (const std::invalid_argument& error) { throw UsageError(error.what()); }
}

}  // namespace

InputFiles& input_files() {
  static InputFiles files;
  return files;
}

void check_place(const std::string& path) {
  refuse_input(path);
  if (!is_special(path)) const Part here(path);
}

bool is_one_place(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (is_special(a)) return false;
  return fs::equivalent(a, b, error) ||
         fs::weakly_canonical(behind_links(a), error) == fs::weakly_canonical(behind_links(b), error);
}

void write_whole(const std::string& path, const std::string& content) {
  refuse_input(path);
  try {
    if (is_special(path)) {
      write_in_place(path, content);
    } else {
      Part(path).write_and_move(content);
    }
  } catch (const std::system_error& error) { throw_unwritten(path, error.code().value()); }
}

}  // namespace zwang::cli
