// SPDX-License-Identifier: BSD-3-Clause
// Meshes of triangles from files: STL (text and binary), OBJ, and MuJoCo's own MSH.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zwang {

/// Triangles over points. Corners whose coordinates are equal are one point; triangles with two equal corners are left
/// out.
struct TriangleMesh {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< as the file orders the corners, from 0
};

/// Reads an .stl, .obj or .msh of at most `most_bytes`. False, with the reason in `why`, for what cannot be read:
/// another ending, no regular file, too large, cut off, a number that is none or not finite, a corner that is not
/// there, no triangles. Throws only std::bad_alloc; memory is a small multiple of the file's size, whatever counts it
/// claims. Quadrilaterals of an OBJ are cut along their shorter diagonal, larger polygons become fans.
bool read_mesh(const std::string& path, TriangleMesh& mesh, std::string& why, long most_bytes = 256L << 20);
/// The same from memory; `ending`: stl, obj or msh.
bool parse_mesh(std::string_view bytes, const std::string& ending, TriangleMesh& mesh, std::string& why);

}  // namespace zwang
