// SPDX-License-Identifier: BSD-3-Clause
// Meshes of triangles from files: STL (text and binary) and OBJ.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zwang::viewer {

struct Mesh {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Equal corners are one point. False with the reason for what cannot be read; nothing is thrown.
bool read_mesh(const std::string& path, Mesh& mesh, std::string& why);
/// STL and OBJ from memory; `ending` says which.
bool parse_mesh(const std::string& bytes, const std::string& ending, Mesh& mesh, std::string& why);
/// At most so many triangles: points of a cell of a grid become their mean (Rossignac & Borrel 1993).
void simplify(Mesh& mesh, std::size_t most_triangles);

}  // namespace zwang::viewer
