// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets as JSON, in the words of problem files (CONVENTIONS.md, Problems):
//
//   {"constraints": [{"name": "foot", "type": "contact", "frame": "LF_foot", ...}], "groups": {"feet": ["foot"]}}
//
// The set is written in its present state with exact numbers: read again it gives the same motion, bit for bit.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

class JsonNode;

/// The functions of custom constraints, which JSON cannot hold, by the constraint's name.
using NamedCustomRows = std::vector<std::pair<std::string, std::shared_ptr<const CustomRows>>>;

/// How custom constraints are written.
enum class CustomAs {
  error,    ///< not: UnsupportedError that names the first one
  by_name,  ///< without the function, which the reader must be given
};

/// Every constraint in its present state, and the groups. Keys with their default value are left out. Throws
/// std::invalid_argument naming a constraint that the keys cannot describe: numbers that are not finite, rows or a
/// relation that were replaced after it was added.
std::string to_json(const ConstraintSet& set, CustomAs custom = CustomAs::error);

/// The set that to_json wrote, or the `constraints` and `groups` of a problem file. Throws JsonError with the place of
/// the error: unknown keys and names (with the nearest known one), sizes, numbers.
ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom = {});

/// Adds `constraints` and `groups` of a document, where they are there; other keys are not looked at.
void read_constraints(const JsonNode& document, ConstraintSet& set, const NamedCustomRows& custom = {});

}  // namespace zwang
