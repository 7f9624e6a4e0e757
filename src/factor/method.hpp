// SPDX-License-Identifier: BSD-3-Clause
// Method: the properties of a solution method. A method is one file in method/ and one line in THE list
// (zwang/factor/methods.hpp). Names are never compared in code: the properties in Capabilities are asked for instead.
#pragma once
#include <memory>
#include <string>

#include "rows/capabilities.hpp"

namespace zwang {

class Factor;
struct Problem;

/// Where a method eliminates hard rows.
enum class Place {
  as_given,   ///< by each constraint's policy; if all rows are hard without a policy, where it costs least time
  root,       ///< at the root of the tree
  where_met,  ///< rows between bodies where their paths meet, others at the root
  early,      ///< as soon as the joints below can satisfy them
  own,        ///< no sweep of rows: the method has a Factor of its own
};

struct Method {
  const char* name;
  const char* text;  ///< one line for users
  Place place;
  bool makes_rows_soft = false;  ///< every row is soft, by its compliance
  /// If `place` is own: makes the method's factor, for all rows that the problem has room for.
  std::unique_ptr<Factor> (*make)(const Problem& problem, const Method& method) = nullptr;
  Capabilities can = {};

  /// For whom rows are read.
  RowPurpose purpose(Singularity singularity) const { return {name, can, makes_rows_soft, singularity}; }
};

template <class MethodFactor> std::unique_ptr<Factor> make_factor(const Problem& problem, const Method& method) {
  return std::make_unique<MethodFactor>(problem, method.name);
}

/// THE list, in the order shown to users.
struct MethodList {
  const Method* const* first;
  const Method* const* last;
  const Method* const* begin() const { return first; }
  const Method* const* end() const { return last; }
  Index size() const { return static_cast<Index>(last - first); }
};
MethodList all_methods();
const Method& method_of(const std::string& name);  ///< throws with the nearest name
/// The first method in the list that eliminates rows at this place: the name reported for such a sweep.
const Method& method_at(Place place);
const Method& method_for_loops();  ///< the one with Capabilities::many_loops

}  // namespace zwang
