// SPDX-License-Identifier: BSD-3-Clause
// Rows of a comparison: checked first, then timed beside every peer's algorithms.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "peers.hpp"
#include "tasks.hpp"
#include "timing.hpp"

namespace zwang::bench {

/// One task beside one peer; without a peer where `peer` is empty.
struct Row {
  std::string robot;
  Index nv = 0, rows = 0;
  const Task* task = nullptr;
  double ns = 0, minimum = 0;
  double residual = 0;                  ///< zwang's
  std::optional<double> allocations{};  ///< per call
  double solve_ns = 0;                  ///< of the solve alone that the task contains; 0: none
  WorstCall worst{};                    ///< of tasks that contain a solve

  std::string peer{}, peer_algorithm{};
  std::string refused{};         ///< why the peer's column is empty
  bool lacks_algorithm = false;  ///< that is why
  double peer_ns = 0, peer_minimum = 0, agreement = 0, peer_residual = 0;
  std::optional<double> peer_allocations{};
  bool disagrees = false;  ///< then nothing of the peer is timed
  struct Other {
    std::string algorithm;
    double ns, agreement, residual;
  };
  std::vector<Other> others{};  ///< the peer's slower or wrong algorithms; ns < 0: not timed
  double ratio() const { return peer_ns > 0 ? peer_ns / ns : 0; }
};

struct Selection {
  std::vector<std::string> algorithms{}, modes{}, scalars{};  ///< empty: all
  bool check = true;                                          ///< whether to compare with a reference that is no peer
  bool has(const Task& task) const;
};

/// All chosen tasks of a problem beside all plugins.
std::vector<Row> compare(const Problem& problem, const Selection& selection, const std::vector<Plugin>& plugins,
                         const TimingOptions& options, std::optional<int> cpu);

}  // namespace zwang::bench
