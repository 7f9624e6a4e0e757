// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/factor/loop_factor.hpp"

namespace zwang {

void LoopFactor::make_room(const Problem& problem) {
  const RowLayout& layout = problem.layout;
  if (loops_ != nullptr && loops_->serves(layout.constraints())) return;
  is_factored_ = false;
  loops_ = std::make_unique<LoopArticulated>(problem.data.tree(), layout.constraints(), layout.capacity,
                                             layout.part_row_capacity);
}

void LoopFactor::accept(const Problem& problem) {
  const RowLayout& layout = problem.layout;
  for (const Constraint& x : layout.constraints())
    if (x.active && moving_bodies(x) > 1 && x.name == loops_->too_dense())
      throw UnsupportedError(std::string("Solver: method ") + name() + " would couple nearly all bodies; constraint '" +
                             x.name + "' acts on " + std::to_string(part_count(x)) +
                             " bodies: popov_vereshchagin does that");
}

}  // namespace zwang
