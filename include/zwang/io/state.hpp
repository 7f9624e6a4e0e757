// SPDX-License-Identifier: BSD-3-Clause
// The results of a model at one state as one document (docs/serialisation.md, docs/schema/state.json): poses and
// motions of links and frames, the matrices and vectors of the equation of motion, energies, centre of mass, momentum.
//
//   {"format": "zwang.state", "version": 1, "model": "arm", "names": [...], "q": [...], "v": [...], "a": [...],
//    "tau": [...], "mass_matrix": [[...]], ..., "links": [{"name": ..., "position": [...], ...}], "frames": [...]}
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

inline constexpr int k_state_version = 1;

/// Each value as all_terms or, up to rounding, the call of its name gives it at q [nq], v and a [nv]; tau is
/// inverse_dynamics(q, v, a). Positions are those of frame origins in the world [m], rotations the world axes of the
/// frame, row by row; velocities and accelerations (classical) are linear and angular in world axes at the frame's
/// origin; momentum is about the centre of mass. Throws as these calls do. Cost O(n^2 + n frames); allocates a
/// workspace and the tree of the document.
std::string state_json(const Model& model, VectorIn q, VectorIn v, VectorIn a);
std::vector<std::uint8_t> state_cbor(const Model& model, VectorIn q, VectorIn v, VectorIn a);
/// The same into memory of the caller: writes what has room, nothing beyond it, and returns the size of the whole.
std::size_t state_json(const Model& model, VectorIn q, VectorIn v, VectorIn a, std::span<std::byte> out);
std::size_t state_cbor(const Model& model, VectorIn q, VectorIn v, VectorIn a, std::span<std::byte> out);

}  // namespace zwang
