// SPDX-License-Identifier: BSD-3-Clause
// Meshes with fewer triangles, so that a page stays small.
#pragma once
#include "zwang/geometry/mesh.hpp"

namespace zwang::viewer {

using Mesh = TriangleMesh;

/// At most so many triangles: points of a cell of a grid become their mean (Rossignac & Borrel 1993).
void simplify(Mesh& mesh, std::size_t most_triangles);

}  // namespace zwang::viewer
