// SPDX-License-Identifier: BSD-3-Clause
// Method: what a method of solving is, as far as anybody else knows. A method is one file in this folder and one line in
// THE list (methods.cpp). Nobody compares names: who has to know something about a method asks what it can.
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
  as_given,   ///< as each constraint's policy says; where all are plainly hard, where the time is least
  root,       ///< at the root of the tree
  where_met,  ///< rows between bodies where these have met, others at the root
  early,      ///< as soon as the joints below can satisfy them
  own,        ///< the method has no sweep of rows: it is a Factor of its own
};

/// What a method can do beyond hard and soft rows on the singularity policy truncation. A problem that asks for more is
/// refused by name.
struct Capabilities {
  bool levels = false;          ///< priorities
  bool leaves_drivers = false;  ///< rows that leave drivers of the motion uncompensated
  bool other_policies = false;  ///< singularity policies other than truncation
  bool mimic = true;            ///< joints that share a coordinate
  bool without_inertia = true;  ///< coordinates without inertia that the rows determine
  bool lanes = false;           ///< batches solve regular states by the same elimination, in lanes
};

struct Method {
  const char* name;
  const char* text;  ///< for users, in a line
  Place place;
  bool makes_rows_soft = false;  ///< every row is soft, by its compliance
  /// `place` own: the method's factor, for all rows that the problem has room for.
  std::unique_ptr<Factor> (*make)(const Problem& problem, const Method& method) = nullptr;
  Capabilities can = {};
};

/// What every method can whose rows ride on the sweep.
inline constexpr Capabilities k_sweep{.levels = true, .leaves_drivers = true, .other_policies = true, .lanes = true};

template <class MethodFactor> std::unique_ptr<Factor> make_factor(const Problem& problem, const Method& method) {
  return std::make_unique<MethodFactor>(problem, method.name);
}

/// THE list, in the order in which users see it.
struct MethodList {
  const Method* const* first;
  const Method* const* last;
  const Method* const* begin() const { return first; }
  const Method* const* end() const { return last; }
  Index size() const { return static_cast<Index>(last - first); }
};
MethodList all_methods();
const Method& method_of(const std::string& name);  ///< throws with the nearest name
/// The first of the list that eliminates rows there: a sweep that has done so is reported under its name.
const Method& method_at(Place place);
/// Throws UnsupportedError where the model or the settings ask for more than the method can; `policy`: its name where it
/// is not truncation, or nullptr.
void check_method(const Method& method, const Model& model, const char* policy);

}  // namespace zwang
