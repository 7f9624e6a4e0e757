// SPDX-License-Identifier: BSD-3-Clause
// Each row is a penalty scaled to its inertia, on one moving body; proximal passes remove the penalty's error.
#include "factor/loop_factor.hpp"
#include "factor/method.hpp"

namespace zwang {
namespace {

class ConstrainedAba final : public LoopFactor {
 public:
  using LoopFactor::LoopFactor;
  void accept(const Problem& problem) override {
    LoopFactor::accept(problem);
    for (const Constraint& x : problem.layout.constraints())
      if (x.active && moving_bodies(x) > 1)
        throw UnsupportedError("Solver: method constrained_aba is for rows on one moving body; constraint '" + x.name +
                               "' acts on several: loop_aba does that");
  }
};

}  // namespace

namespace method {

extern const Method constrained_aba;
const Method constrained_aba{.name = "constrained_aba",
                             .text = "rows on one body each, as stiff as they are heavy, and proximal passes",
                             .place = Place::own,
                             .make = make_factor<ConstrainedAba>,
                             .can = {.mimic = false}};

}  // namespace method
}  // namespace zwang
