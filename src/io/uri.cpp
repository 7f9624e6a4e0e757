// SPDX-License-Identifier: BSD-3-Clause
// Resolution of URIs. Everything is canonicalised before it is compared,
// so that neither `..` nor a link leaves a package unseen.
#include "io/uri.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pugixml.hpp>
#include <stdexcept>

#include "io/number.hpp"
#include "io/source.hpp"
#include "io/xml_document.hpp"

namespace zwang::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t k_longest_uri = 4096;

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// The folder itself and every one above it.
std::vector<fs::path> upwards(const std::string& folder) {
  std::vector<fs::path> out;
  if (folder.empty()) return out;
  for (fs::path p = folder;; p = p.parent_path()) {
    out.push_back(p);
    if (p == p.parent_path()) return out;
  }
}

/// The name in a package.xml, or an empty text.
std::string package_name(const fs::path& folder) {
  detail::Findings ignored(false, false);
  std::string text;
  constexpr long k_most = 1L << 20;
  if (!read_text((folder / "package.xml").string(), k_most, text, ignored)) return {};
  const std::size_t start = text.find("<name>");
  const std::size_t end = text.find("</name>");
  if (start == std::string::npos || end == std::string::npos || end < start) return {};
  return std::string(trimmed(std::string_view(text).substr(start + 6, end - start - 6)));
}

bool has_package_file(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "package.xml", error);
}

std::vector<std::string> folders_of(const char* variable) {
  std::vector<std::string> out;
  const char* value = std::getenv(variable);
  if (!value) return out;
  const std::string_view list = value;
  for (std::size_t i = 0; i <= list.size();) {
    const std::size_t end = std::min(list.find(':', i), list.size());
    if (end > i) out.emplace_back(list.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

/// %20 and the like; a broken escape stays as it is.
std::string percent_decoded(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high >= 0 ? digit(text[i + 2]) : -1;
    if (low < 0 || high * 16 + low == 0) {
      out += text[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool inside(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

Resolved failure(const char* code, const std::string& found, const std::string& expected, const std::string& hint) {
  return {{}, code, false, found, expected, hint};
}
Resolved absent(const char* code, const std::string& found, const std::string& expected, const std::string& hint) {
  return {{}, code, true, found, expected, hint};
}

/// A folder that the caller names is there: packages would be missed one by one otherwise, as if it had not been named.
[[noreturn]] void refuse_folder(const char* option, const std::string& what, const std::string& folder) {
  throw std::invalid_argument("E_URI_PACKAGE load: option '" + std::string(option) + "' has " + detail::quoted(folder) +
                              what + ", where there is no folder");
}

}  // namespace

UriResolver::UriResolver(const std::string& file, const LoadOptions& options, const std::string& enclosing)
    : options_(options) {
  for (const std::string& folder : options.package_dirs)
    if (!is_folder(folder)) refuse_folder("package_dirs", "", folder);
  for (const PackagePlace& place : options.packages)
    if (!is_folder(place.directory))
      refuse_folder("packages", " for package " + detail::quoted(place.name), place.directory);
  std::error_code error;
  if (!file.empty()) folder_ = fs::weakly_canonical(fs::path(file), error).parent_path().string();
  if (folder_.empty() && !options.base_directory.empty())
    folder_ = fs::weakly_canonical(options.base_directory, error).string();
  enclosing_ = enclosing.empty() ? folder_ : enclosing;
  if (!enclosing.empty()) return;
  for (const fs::path& p : upwards(folder_)) {
    if (!has_package_file(p)) continue;
    enclosing_ = p.string();
    break;
  }
}

Resolved UriResolver::resolve(const std::string& uri) {
  if (uri.empty() || uri.size() > k_longest_uri || uri.find('\0') != std::string::npos)
    return failure("E_URI_MISSING",
                   uri.empty() ? "an empty path" : "a path of " + std::to_string(uri.size()) + " bytes", "a path", "");
  if (starts(uri, "package://")) return in_package(uri.substr(10));
  if (starts(uri, "model://")) return in_package(uri.substr(8));
  if (starts(uri, "file://")) {
    std::string path = uri.substr(7);
    if (starts(path, "localhost/")) path.erase(0, 9);
    return plain(percent_decoded(path));
  }
  if (uri.find("://") != std::string::npos)
    return failure("E_URI_SCHEME", detail::quoted(uri), "package://, model://, file:// or a path", "download the file");
  return plain(uri);
}

Resolved UriResolver::in_package(const std::string& rest) {
  const std::size_t slash = rest.find('/');
  const std::string name = rest.substr(0, slash);
  const std::string below = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
  if (name.empty() || name == "." || name == ".." || below.empty())
    return failure("E_URI_PACKAGE", detail::quoted(rest), "package://NAME/path",
                   name.empty() ? "the package's name is missing: there are three slashes" : "");
  const Package& p = package(name);
  if (p.root.empty()) {
    std::string tried;
    for (const std::string& t : p.tried) tried += (tried.empty() ? "tried " : ", ") + t;
    if (tried.empty()) tried = "no place to look for packages is known";
    return absent("E_URI_PACKAGE", "package " + detail::quoted(name), "a package that can be found",
                  tried + "; name its folder in the options or in ZWANG_PACKAGE_PATH");
  }
  Resolved file = regular_file(p.root + '/' + below, p.root);
  if (file.code && below.find('%') != std::string::npos) {
    const Resolved decoded = regular_file(p.root + '/' + percent_decoded(below), p.root);
    if (!decoded.code) return decoded;
  }
  return file;
}

Resolved UriResolver::plain(const std::string& path) {
  if (path.empty()) return failure("E_URI_MISSING", "an empty path", "a path", "");
  if (path.front() == '/') return regular_file(path, enclosing_);
  if (folder_.empty())
    return absent("E_URI_MISSING", detail::quoted(path), "an absolute path",
                  "a text has no folder of its own: give base_directory");
  return regular_file(folder_ + '/' + path, enclosing_);
}

/// A main file that is a link names the parts beside the link: its own folder is as good as the one that it leads to.
Resolved UriResolver::part(const std::string& path, const std::string& folder) const {
  if (path.size() > k_longest_uri || path.find('\0') != std::string::npos)
    return failure("E_URI_MISSING", "a path of " + std::to_string(path.size()) + " bytes", "a path", "");
  const std::string whole = path.front() == '/' ? path : folder + '/' + path;
  const Resolved beside = regular_file(whole, folder);
  return beside.code && !beside.absent ? regular_file(whole, enclosing_) : beside;
}

Resolved UriResolver::model(const std::string& uri) {
  if (uri.empty() || uri.size() > k_longest_uri || uri.find('\0') != std::string::npos)
    return failure("E_URI_MISSING", "an empty or too long path", "a model", "");
  std::string path = uri;
  bool packaged = false;
  for (const char* scheme : {"model://", "package://", "file://"}) {
    if (!starts(uri, scheme)) continue;
    path = percent_decoded(uri.substr(std::string_view(scheme).size()));
    packaged = scheme[0] != 'f';
  }
  if (path.find("://") != std::string::npos)
    return failure("E_URI_SCHEME", detail::quoted(uri), "model://, file:// or a path", "download the model");
  if (path.empty()) return failure("E_URI_MISSING", "an empty path", "a model", "");
  if (path.front() == '/') return model_at(path, enclosing_);
  std::string tried;
  const auto look = [&](const std::string& folder, const std::string& below, const std::string& root, Resolved& out) {
    std::error_code error;
    const std::string whole = below.empty() ? folder : folder + '/' + below;
    tried += (tried.empty() ? "tried " : ", ") + whole;
    if (!fs::exists(whole, error)) return false;
    out = model_at(whole, root);
    return true;
  };
  Resolved out;
  if (!packaged && !folder_.empty() && look(folder_, path, enclosing_, out)) return out;
  for (const std::string& folder : options_.package_dirs)
    if (look(folder, path, folder, out)) return out;
  const std::size_t slash = path.find('/');
  const std::string name = path.substr(0, slash);
  if (name != "." && name != "..") {
    const Package& p = package(name);
    if (!p.root.empty() && look(p.root, slash == std::string::npos ? "" : path.substr(slash + 1), p.root, out))
      return out;
  }
  if (packaged && !folder_.empty() && look(folder_, path, enclosing_, out)) return out;
  return failure("E_URI_MISSING", "no model " + detail::quoted(uri), "a model that can be found",
                 (tried.empty() ? std::string("no place to look for models is known") : tried) +
                     "; name the folder that holds it in package_dirs or in ZWANG_PACKAGE_PATH");
}

Resolved UriResolver::model_at(const std::string& path, const std::string& root) const {
  if (!is_folder(path)) return regular_file(path, root);
  std::string text, file = "model.sdf";
  detail::Findings ignored(false, false);
  constexpr long k_most = 1L << 20;
  if (read_text(path + "/model.config", k_most, text, ignored)) {
    XmlDocument config(std::move(text), path + "/model.config", {}, options_.limits, ignored);
    if (!config.parse()) return regular_file(path + '/' + file, root);
    long highest = -1;
    for (const pugi::xml_node sdf : config.root().children("sdf")) {
      const std::string version = sdf.attribute("version").as_string("1.0");
      const std::size_t point = version.find('.');
      const long number = point == std::string::npos ? 0 : std::strtol(version.c_str() + point + 1, nullptr, 10);
      if (number <= highest) continue;
      highest = number;
      file = std::string(trimmed(sdf.child_value()));
    }
  }
  return regular_file(path + '/' + file, root);
}

Resolved UriResolver::regular_file(const std::string& path, const std::string& root) const {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error == std::errc::too_many_symbolic_link_levels)
    return failure("E_URI_LOOP", detail::quoted(path), "a file", "symbolic links lead in a circle");
  if (error) return absent("E_URI_MISSING", "no file at " + path, "a file", "tried " + path);
  if (!fs::is_regular_file(real, error))
    return failure("E_URI_NOT_REGULAR", detail::quoted(real.string()), "a regular file", "");
  std::error_code root_error;
  const fs::path real_root = root.empty() ? fs::path() : fs::canonical(root, root_error);
  if (!options_.allow_outside_package && (root.empty() || root_error || !inside(real, real_root)))
    return failure("E_URI_OUTSIDE", detail::quoted(real.string()),
                   root.empty() ? "a file of a package" : "a file inside of " + real_root.string(),
                   "allow_outside_package admits it");
  return {real.string(), nullptr, false, {}, {}, {}};
}

const UriResolver::Package& UriResolver::package(const std::string& name) {
  const auto it = packages_.find(name);
  return it != packages_.end() ? it->second : packages_.emplace(name, find_package(name)).first->second;
}

UriResolver::Package UriResolver::find_package(const std::string& name) const {
  Package out;
  const auto take = [&](const fs::path& folder) {
    out.tried.push_back(folder.string());
    if (is_folder(folder)) out.root = folder.string();
    return !out.root.empty();
  };
  /// `folder` holds packages, or is this one.
  const auto holds = [&](const std::string& folder) {
    const fs::path p = fs::path(folder).lexically_normal();
    const fs::path leaf = p.has_filename() ? p.filename() : p.parent_path().filename();
    if (take(p / name)) return true;
    return (leaf == name || package_name(p) == name) && take(p);
  };
  for (const PackagePlace& place : options_.packages)
    if (place.name == name && take(place.directory)) return out;
  for (const std::string& folder : options_.package_dirs)
    if (holds(folder)) return out;
  for (const fs::path& p : upwards(folder_)) {
    if (!has_package_file(p)) continue;
    const std::string found = package_name(p);
    if (found == name || (found.empty() && p.filename() == name)) {
      if (take(p)) return out;
    } else {
      out.tried.push_back(p.string() + " (package '" + detail::excerpt(found, 60) + "')");
    }
  }
  if (!options_.use_environment) return out;
  for (const std::string& prefix : folders_of("AMENT_PREFIX_PATH"))
    if (take(fs::path(prefix) / "share" / name)) return out;
  for (const char* variable : {"ROS_PACKAGE_PATH", "ZWANG_PACKAGE_PATH"})
    for (const std::string& folder : folders_of(variable))
      if (holds(folder)) return out;
  return out;
}

}  // namespace zwang::io
