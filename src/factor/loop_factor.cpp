// SPDX-License-Identifier: BSD-3-Clause
#include "factor/loop_factor.hpp"

#include <algorithm>

namespace zwang {

void LoopFactor::make_room(const Problem& problem) {
  const RowLayout& layout = problem.layout;
  if (loops_ != nullptr && loops_->serves(layout.constraints())) return;
  is_factored_ = false;
  loops_ = std::make_unique<LoopArticulated>(problem.state.data.tree(), layout.constraints(), layout.capacity,
                                             layout.part_row_capacity);
}

bool LoopFactor::is_too_dense(const Constraint& x) const {
  return x.active && moving_bodies(x) > 1 && x.name == loops_->too_dense();
}

bool LoopFactor::takes(const Problem& problem) const {
  const std::vector<Constraint>& all = problem.layout.constraints();
  return std::none_of(all.begin(), all.end(), [&](const Constraint& x) { return is_too_dense(x); });
}

void LoopFactor::accept(const Problem& problem) {
  for (const Constraint& x : problem.layout.constraints())
    if (is_too_dense(x))
      throw UnsupportedError(std::string("Solver: method ") + name() + " would couple nearly all bodies; constraint '" +
                             x.name + "' acts on " + std::to_string(part_count(x)) +
                             " bodies: popov_vereshchagin does that");
}

}  // namespace zwang
