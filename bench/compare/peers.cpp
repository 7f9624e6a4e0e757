// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace zwang::bench {
namespace {

const std::string k_prefix = "libzwang_peer_";

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> out;
  if (const char* given = std::getenv("ZWANG_PEERS")) {
    std::istringstream words(given);
    for (std::string word; std::getline(words, word, ':');)
      if (!word.empty()) out.emplace_back(word);
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) out.push_back(self.parent_path().parent_path() / "lib" / "zwang" / "peers");
  return out;
}

Plugin opened(const std::string& name, const std::string& file) {
  Plugin p{name, file, nullptr, ""};
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open until the program ends
  if (library == nullptr) {
    p.refused = ::dlerror();
    return p;
  }
  const auto entry = reinterpret_cast<const ZwangPeer* (*)()>(::dlsym(library, "zwang_peer"));
  if (entry == nullptr) {
    p.refused = "it defines no zwang_peer()";
    return p;
  }
  p.peer = entry();
  if (p.peer->interface != ZWANG_PEER_INTERFACE) {
    p.refused = "it was built for another interface";
    p.peer = nullptr;
  }
  return p;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string Plugin::title() const { return peer ? std::string(peer->name) + ' ' + peer->version : name; }

std::vector<Plugin> find_plugins(const std::vector<std::string>& only) {
  std::vector<Plugin> out;
  const auto has = [&](const std::string& name) {
    return std::any_of(out.begin(), out.end(), [&](const Plugin& p) { return p.name == name; });
  };
  for (const std::filesystem::path& folder : folders()) {
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      const std::string stem = std::filesystem::path(file).stem().string();
      if (!file.ends_with(".so") || !stem.starts_with(k_prefix)) continue;
      const std::string name = stem.substr(k_prefix.size());
      const bool wanted = only.empty() || std::find(only.begin(), only.end(), name) != only.end();
      if (wanted && !has(name)) out.push_back(opened(name, file));
    }
  }
  for (const std::string& name : only)
    if (!has(name)) out.push_back({name, "", nullptr, "no " + k_prefix + name + ".so was found"});
  // The one that targets are given against comes first.
  std::stable_sort(out.begin(), out.end(),
                   [](const Plugin& x, const Plugin& y) { return (x.name == "pinocchio") > (y.name == "pinocchio"); });
  return out;
}

PeerRun::PeerRun(const Plugin& plugin, const PeerProblem& problem) : plugin_(plugin), refused_(plugin.refused) {
  if (refused_.empty()) refused_ = problem.refused();
  if (!refused_.empty()) return;
  char why[256] = "";
  self_ = plugin.peer->create(&problem.get(), why);
  if (self_ == nullptr)
    refused_ = first_line(why[0] ? why : "it refuses without a reason");
  else
    algorithms_ = plugin.peer->algorithms(self_, &algorithm_);
}

PeerRun::~PeerRun() {
  if (self_ != nullptr) plugin_.peer->destroy(self_);
}

std::vector<int> PeerRun::algorithms(ZwangPeerTask task) const {
  std::vector<int> out;
  for (int k = 0; k < algorithms_; ++k)
    if (algorithm_[k].task == task) out.push_back(k);
  return out;
}

}  // namespace zwang::bench
