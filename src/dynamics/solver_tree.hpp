// SPDX-License-Identifier: BSD-3-Clause
// What a solve by an algorithm on the tree needs: made with the solver, or when it first gets such a method.
#pragma once
#include <memory>

#include "zwang/dynamics/tree/embedding.hpp"

namespace zwang {

enum class TreeMethod { none, embedding };

struct TreeWorkspaces {
  std::unique_ptr<EmbeddingWorkspace> embedding;
  /// Allocates for a method, where it is not done.
  void make(TreeMethod which, const Tree<double>& tree, const page::RowRoom& room);
  /// Solves by the method, in its workspace: for as many rows as the stage has room for.
  void solve(TreeMethod which, const TreeProblem& problem, TreeAnswer& answer);
};

}  // namespace zwang
