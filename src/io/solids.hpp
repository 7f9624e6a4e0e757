// SPDX-License-Identifier: BSD-3-Clause
// Volume, centre and inertia of simple bodies, solid or as a shell, and of meshes. Sizes: radii and halves of lengths.
#pragma once
#include <array>
#include <vector>

#include "zwang/geometry/mesh.hpp"
#include "zwang/spatial/sym3.hpp"

namespace zwang::io {

/// A body whose centre is its origin.
struct Solid {
  double volume;         ///< of shells: area
  Sym3<double> inertia;  ///< of mass 1, about the centre, z the axis of symmetry
};

Solid solid_box(double a, double b, double c);
Solid solid_sphere(double r);
Solid solid_cylinder(double r, double half);
Solid solid_capsule(double r, double half);  ///< half the length of its cylinder
Solid solid_ellipsoid(double a, double b, double c);
Solid shell_box(double a, double b, double c);
Solid shell_sphere(double r);
Solid shell_cylinder(double r, double half);  ///< with two discs
Solid shell_capsule(double r, double half);
/// As MuJoCo has it: Thomsen's area (to 1.1 %), and the inertia of the layer between two solids whose half axes differ
/// by 1e-6.
Solid shell_ellipsoid(double a, double b, double c);

/// Triangles as the file has them, placed: corners counter-clockwise seen from outside.
struct Surface {
  std::vector<Vec3<double>> points;
  std::vector<std::array<int, 3>> triangles;
};

/// A mesh as a surface: scaled, its triangles turned round where the scale mirrors them.
Surface surface_of(const TriangleMesh& mesh, const Vec3<double>& scale);

/// How the mass of a surface is distributed.
///
/// Pyramids from a point o to the triangles: volume v = n . (c - o) / 3, signed (`exact`), or its absolute value
/// (`legacy`, MuJoCo's default: too much where a mesh is not convex), and centroid o + 3/4 (c - o). With o in the
/// centre of the surface they give the centre of mass, with o there volume and inertia. `shell`: the surface itself.
enum class MeshMass { legacy, exact, shell };

struct MeshBody {
  double volume = 0;  ///< of shells: area; 0: there is none
  Vec3<double> centre = Vec3<double>::zero();
  Sym3<double> inertia = Sym3<double>::zero();  ///< of mass 1, about the centre
};
MeshBody mesh_body(const Surface& surface, MeshMass how);

/// What is wrong with a surface that should enclose a volume.
enum class SurfaceFault {
  none,
  open,         ///< an edge belongs to one triangle
  inconsistent  ///< two triangles have an edge in the same direction: one of them is turned round
};
SurfaceFault fault_of(const Surface& surface);

}  // namespace zwang::io
