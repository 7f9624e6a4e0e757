// SPDX-License-Identifier: BSD-3-Clause
// PlaceOfRows: where a method eliminates rows, and why there.
#pragma once
#include "zwang/core/index.hpp"
#include "zwang/core/record.hpp"

namespace zwang {

/// Where rows were eliminated, and why. Times are estimates [us], 0 if none was made.
struct PlaceOfRows {
  enum class Reason {
    asked,      ///< by the method or a constraint's policy
    own_paths,  ///< each body's rows at the end of their own path: where other rows join, at a free root, the ground
    estimated,  ///< `automatic`: the shortest of the times
    few_rows,   ///< `automatic`: fewer than `few`, which always go to the root
    dependent,  ///< dependent rows, or rows that are not met (loop_aba did not converge): the root decides the rank
    settings,   ///< levels, drivers left out, other singularity policies, mimic joints: handled only at the root
  };
  static constexpr Index few = 24;  ///< rows; fewer always go to the root
  Reason reason = Reason::asked;
  double root = 0, where_met = 0, early = 0, loops = 0;  ///< loops: by loop_aba
};
/// The words of its values, in their order.
constexpr auto words_of(Type<PlaceOfRows::Reason>) {
  return std::array{"asked", "own_paths", "estimated", "few_rows", "dependent", "settings"};
}

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<PlaceOfRows>) {
  using T = PlaceOfRows;
  v.record("PlaceOfRows", "Where rows were eliminated, and why there. Times are estimates [us], 0 if none was made.");
  v("reason", &T::reason, "why there");
  v("root", &T::root, "all at the root", {.group = "estimates"});
  v("where_met", &T::where_met, "where the rows of several bodies meet", {.group = "estimates"});
  v("early", &T::early, "as soon as the joints below can satisfy them", {.group = "estimates"});
  v("loops", &T::loops, "by loop_aba", {.group = "estimates"});
}

}  // namespace zwang
