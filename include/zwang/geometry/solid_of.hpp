// SPDX-License-Identifier: BSD-3-Clause
// The solid of a shape of a description.
#pragma once
#include <string>

#include "zwang/geometry/mesh.hpp"
#include "zwang/geometry/solid.hpp"
#include "zwang/model/description.hpp"

namespace zwang {

/// The solid of a shape, in the shape's own frame (`Shape::origin` is the pose of the solid in its link). A mesh file
/// is read and becomes its convex hull; a plane becomes a half space without end. What is so lost is said in `warning`,
/// which is left empty otherwise: of a mesh that is not convex, where the volumes of mesh and hull differ by more than
/// 1e-5 of it. Throws std::invalid_argument, which names the shape, for lengths that are not above 0 or not finite, a
/// mesh file that is not there or cannot be read, and meshes that lie in a plane.
Solid solid_of(const Shape& shape, std::string* warning = nullptr);

/// A shape to draw a solid from, in its own frame. A half space is a plane without end; a hull and a height field
/// are of kind `mesh`, and their surface is in `mesh`, which is left empty otherwise.
Shape shape_of(const Solid& solid, TriangleMesh& mesh);

}  // namespace zwang
