// SPDX-License-Identifier: BSD-3-Clause
// Capabilities: what a method supports. Rows are read for a purpose, and refused by name where they need more than it
// has.
#pragma once
#include "zwang/rows/settings.hpp"

namespace zwang {

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

/// What all methods support whose rows travel with the sweep.
inline constexpr Capabilities k_sweep{.levels = true, .leaves_drivers = true, .other_policies = true, .lanes = true};

/// For whom rows are read: the method by its name, which stands for the rest of it, what it supports, and the
/// singularity policy.
struct RowPurpose {
  const char* method;
  Capabilities can;
  bool makes_rows_soft = false;  ///< every row is soft, by its compliance
  Singularity singularity = Singularity::truncation;
  bool operator==(const RowPurpose& x) const { return method == x.method && singularity == x.singularity; }
};
/// Rows that are evaluated and not solved for.
inline constexpr RowPurpose k_evaluation{"popov_vereshchagin", k_sweep};

}  // namespace zwang
