// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets as JSON, in the words of problem files (CONVENTIONS.md, Problems):
//
//   {"constraints": [{"name": "foot", "type": "contact", "frame": "LF_foot", ...}], "groups": {"feet": ["foot"]}}
//
// What is written is the set as it is now, in the numbers it has: read again it gives the same motion, bit for bit.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

class JsonNode;

/// The functions of custom constraints, which no text holds, by the constraint's name.
using NamedCustomRows = std::vector<std::pair<std::string, std::shared_ptr<const CustomRows>>>;

/// How custom constraints are written.
enum class CustomAs {
  error,    ///< UnsupportedError that names the first
  by_name,  ///< all but the function, which has to be handed in when it is read
};

/// Every constraint with all it holds now, and the groups. Keys that have their default are left out. Throws
/// std::invalid_argument naming the constraint where it holds what no key says: numbers that are not finite, rows or a
/// relation that were replaced after it was added.
std::string to_json(const ConstraintSet& set, CustomAs custom = CustomAs::error);

/// The set that to_json wrote, or the `constraints` and `groups` of a problem file. Throws JsonError with the place of
/// what is wrong: unknown keys and names (with the nearest), sizes, numbers.
ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom = {});

/// Adds `constraints` and `groups` of a document, where they are there; other keys are not looked at.
void read_constraints(const JsonNode& document, ConstraintSet& set, const NamedCustomRows& custom = {});

}  // namespace zwang
