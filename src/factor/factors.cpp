// SPDX-License-Identifier: BSD-3-Clause
#include "factor/factors.hpp"

#include <algorithm>

#include "factor/place_of_rows.hpp"

namespace zwang {

Factors::Factors(Problem& problem, const Method& method)
    : sweep(problem),
      paths(problem, sweep),
      compressed(problem),
      own_(static_cast<std::size_t>(all_methods().size())),
      chosen_(&sweep) {
  if (method.place == Place::own) chosen_ = &factor_of(problem, method);
  if (method.place != Place::as_given || problem.state.data.tree().mimic) return;
  PlaceOfRows all;
  estimate_places(problem, true, all);
  has_loops_ = prefers_loops(all);
  if (has_loops_) factor_of(problem, method_for_loops());
}

void Factors::choose(Problem& problem, const Method& method, Singularity singularity) {
  const RowTraits& t = problem.rows.traits;
  sweep.plan(problem, method);
  by_loops_ = has_loops_ && method.place == Place::as_given && !t.levels && !t.leaves_out &&
              singularity == Singularity::truncation && prefers_loops(sweep.estimate()) &&
              factor_of(problem, method_for_loops()).takes(problem);
  chosen_ = by_loops_                    ? &factor_of(problem, method_for_loops())
            : method.place == Place::own ? &factor_of(problem, method)
                                         : static_cast<Factor*>(&sweep);
  loops_ = by_loops_ ? chosen_ : nullptr;
  chosen_->accept(problem);
}

void Factors::forget() {
  sweep.forget();
  paths.forget();
  compressed.forget();
  if (loops_ == nullptr) return;
  by_loops_ = true;
  chosen_ = loops_;
}

void Factors::use_sweep() {
  by_loops_ = false;
  chosen_ = &sweep;
}

/// A method's own factor, with room for all rows of the set.
Factor& Factors::factor_of(Problem& problem, const Method& method) {
  const MethodList all = all_methods();
  std::unique_ptr<Factor>& its =
      own_[static_cast<std::size_t>(std::find(all.begin(), all.end(), &method) - all.begin())];
  if (its == nullptr) its = method.make(problem, method);
  its->make_room(problem);
  return *its;
}

}  // namespace zwang
