// SPDX-License-Identifier: BSD-3-Clause
// What a solve by an algorithm on the tree needs: made with the solver, or when it first gets such a method.
#pragma once
#include <memory>

#include "dynamics/loop_articulated.hpp"
#include "zwang/dynamics/tree/embedding.hpp"

namespace zwang {

enum class TreeMethod { none, constrained_aba, loop_aba, embedding };

struct TreeWorkspaces {
  /// Solves by the method, in its workspace: for as many rows as the stage has room for.
  void solve(TreeMethod which, const TreeProblem& problem, TreeAnswer& answer);
  std::unique_ptr<LoopArticulated> loops;
  std::unique_ptr<EmbeddingWorkspace> embedding;
};

}  // namespace zwang
