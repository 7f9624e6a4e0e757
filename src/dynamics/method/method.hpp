// SPDX-License-Identifier: BSD-3-Clause
// Method: the properties of a solution method. A method is one file in this folder and one line in THE list
// (zwang/dynamics/methods.hpp). Names are never compared in code: the properties in Capabilities are asked for instead.
#pragma once
#include <memory>
#include <string>

#include "zwang/core/index.hpp"
#include "zwang/model/model.hpp"

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

/// What a method supports beyond hard and soft rows with singularity truncation. A problem that needs more is refused
/// with the name of the method.
struct Capabilities {
  bool levels = false;          ///< priorities
  bool leaves_drivers = false;  ///< rows that leave drivers of the motion uncompensated
  bool other_policies = false;  ///< singularity policies other than truncation
  bool mimic = true;            ///< joints that share a coordinate
  bool many_loops = false;      ///< `automatic` may choose it, for loops whose number makes the root expensive
  bool lanes = false;           ///< batches solve regular states by the same elimination in lanes
};

struct Method {
  const char* name;
  const char* text;  ///< one line for users
  Place place;
  bool makes_rows_soft = false;  ///< every row is soft, by its compliance
  /// If `place` is own: makes the method's factor, for all rows that the problem has room for.
  std::unique_ptr<Factor> (*make)(const Problem& problem, const Method& method) = nullptr;
  Capabilities can = {};
};

/// What all methods support whose rows travel with the sweep.
inline constexpr Capabilities k_sweep{.levels = true, .leaves_drivers = true, .other_policies = true, .lanes = true};

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
/// Throws UnsupportedError if the model or the settings need more than the method supports. `policy`: name of the
/// singularity policy, nullptr for truncation.
void check_method(const Method& method, const Model& model, const char* policy);

}  // namespace zwang
