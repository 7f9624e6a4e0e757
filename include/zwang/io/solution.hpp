// SPDX-License-Identifier: BSD-3-Clause
// Solutions as JSON and CBOR, with the keys that `zwang solve --json`
// prints (docs/serialisation.md, docs/schema/solution.json):
//
//   {"format": "zwang.solution", "version": 1, "status": "ok", "qdd": [...], "names": [...], "constraints": [...],
//    "groups": {...}, "motor_torque": [...], ..., "report": {...}}
//
// Written only. A number that is not known is null, infinities are "inf" and "-inf".
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/solve/solver.hpp"

namespace zwang {

inline constexpr int k_solution_version = 1;

/// The solution of a solver that was made from this set. Throws std::invalid_argument for names that are not UTF-8.
std::string to_json(const ConstraintSet& set, const Solution& solution);
std::vector<std::uint8_t> to_cbor(const ConstraintSet& set, const Solution& solution);
/// The same into memory of the caller: writes what has room, nothing beyond it, and returns the size of the whole. An
/// empty span asks for that size. Allocates the tree of the document, not its bytes.
std::size_t to_json(const ConstraintSet& set, const Solution& solution, std::span<std::byte> out);
std::size_t to_cbor(const ConstraintSet& set, const Solution& solution, std::span<std::byte> out);

/// The value of "report" alone.
std::string to_json(const SolveReport& report);

/// The JSON Schema (2020-12) of to_json(report); its `#/$defs/number` is that of docs/schema/solution.json, which holds
/// this schema as `#/$defs/report`.
std::string solve_report_schema();

}  // namespace zwang
