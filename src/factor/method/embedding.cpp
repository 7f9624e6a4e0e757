// SPDX-License-Identifier: BSD-3-Clause
// Joints that rows couple are eliminated as one joint (tree/embedding.hpp).
#include "factor/tree/embedding.hpp"
#include "factor/method.hpp"
#include "factor/tree_factor.hpp"

namespace zwang {
namespace {

class EmbeddingFactor final : public TreeFactor {
 public:
  EmbeddingFactor(const Problem& problem, const char* name)
      : TreeFactor(problem, name),
        workspace_(problem.state.data.tree(), problem.layout.room) {}

 private:
  void walk(const TreeProblem& problem, TreeAnswer& answer) override { workspace_.solve(problem, answer); }
  void walk_again(const TreeProblem& problem, TreeAnswer& answer) override { workspace_.apply(problem, answer); }
  EmbeddingWorkspace workspace_;
};

}  // namespace

namespace method {

extern const Method embedding;
const Method embedding{.name = "embedding",
                       .text = "joints that rows bind move like one",
                       .place = Place::own,
                       .make = make_factor<EmbeddingFactor>,
                       .can = {}};

}  // namespace method
}  // namespace zwang
