// SPDX-License-Identifier: BSD-3-Clause
// Constraint sets as JSON, in the words of problem files (CONVENTIONS.md, Problems):
//
//   {"format": "zwang.constraints", "version": 1,
//    "constraints": [{"name": "foot", "type": "contact", "frame": "LF_foot", ...}], "groups": {"feet": ["foot"]}}
//
// CBOR holds the same tree (docs/serialisation.md, docs/schema/constraints.json). A problem file
// has neither format nor version. The set is written in its present state with exact numbers: read
// again it gives the same motion, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

class JsonNode;

inline constexpr int k_constraints_version = 1;

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

/// The same as CBOR.
std::vector<std::uint8_t> to_cbor(const ConstraintSet& set, CustomAs custom = CustomAs::error);
/// The same into memory of the caller: writes what has room, nothing beyond it, and returns the size of the whole. An
/// empty span asks for that size. Allocates the tree of the document, not its bytes.
std::size_t to_json(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom = CustomAs::error);
std::size_t to_cbor(const ConstraintSet& set, std::span<std::byte> out, CustomAs custom = CustomAs::error);

/// JSON Schema 2020-12 of what to_json writes and of problem files: docs/schema/constraints.json.
std::string constraints_schema();

/// The set that to_json wrote, or the `constraints` and `groups` of a problem file. Throws JsonError with the place of
/// the error: unknown keys and names (with the nearest known one), sizes, numbers.
ConstraintSet constraints_from_json(const Model& model, const std::string& text, const NamedCustomRows& custom = {});

/// As constraints_from_json, from CBOR.
ConstraintSet constraints_from_cbor(const Model& model, std::span<const std::uint8_t> bytes,
                                    const NamedCustomRows& custom = {});

/// The same constraints in the same state on the same robot, to the last bit. Functions of custom constraints are the
/// same where they are one object. Throws as to_json does where a set cannot be written. Linear in the documents.
bool same_constraints(const ConstraintSet& a, const ConstraintSet& b);
inline bool operator==(const ConstraintSet& a, const ConstraintSet& b) { return same_constraints(a, b); }
/// Equal for equal sets, in every process; of their present state. Functions of custom constraints count by name.
std::uint64_t hash(const ConstraintSet& set);

/// Adds `constraints` and `groups` of a document, where they are there; other keys are not looked at.
void read_constraints(const JsonNode& document, ConstraintSet& set, const NamedCustomRows& custom = {});

}  // namespace zwang
