// SPDX-License-Identifier: BSD-3-Clause
// The peers that are there: plugins beside the program (../lib/zwang/peers) and in the folders of $ZWANG_PEERS.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"

namespace zwang::bench {

/// A plugin, or why it cannot be used.
struct Plugin {
  std::string name, file;
  const ZwangPeer* peer = nullptr;
  std::string refused;
  std::string title() const;  ///< `pinocchio 4.1.0`
};

/// All plugins found; those of `only` where it is not empty. The first of a name counts. A name of `only` that is not
/// there is a plugin that is refused.
std::vector<Plugin> find_plugins(const std::vector<std::string>& only);

/// A peer made for a problem.
class PeerRun {
 public:
  PeerRun(const Plugin& plugin, const PeerProblem& problem);
  ~PeerRun();
  PeerRun(const PeerRun&) = delete;
  PeerRun& operator=(const PeerRun&) = delete;

  const std::string& refused() const { return refused_; }
  const Plugin& plugin() const { return plugin_; }
  /// Its ways of doing a task, as arguments of the calls below.
  std::vector<int> algorithms(ZwangPeerTask task) const;
  const char* name(int algorithm) const { return algorithm_[algorithm].name; }
  void run(int algorithm, int state) { plugin_.peer->run(self_, algorithm, state); }
  void result(int algorithm, int state, double* out) { plugin_.peer->result(self_, algorithm, state, out); }

 private:
  Plugin plugin_;
  std::string refused_;
  void* self_ = nullptr;
  const ZwangPeerAlgorithm* algorithm_ = nullptr;
  int algorithms_ = 0;
};

}  // namespace zwang::bench
