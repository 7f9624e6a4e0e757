// SPDX-License-Identifier: BSD-3-Clause
// Mesh files: a mesh whose corners are all there, and a body of it that is finite or none.
#include "fuzz/readers.hpp"
#include "geometry/convex_hull.hpp"
#include "io/solids.hpp"

namespace zwang::test {
namespace {

void check_mesh(const TriangleMesh& mesh, std::size_t bytes) {
  promise(!mesh.triangles.empty(), "a mesh without triangles");
  promise(mesh.points.size() + mesh.triangles.size() <= bytes, "a mesh larger than its file");
  for (const std::array<float, 3>& p : mesh.points)
    for (const float x : p) promise(std::isfinite(x), "a point that is not finite");
  for (const auto& t : mesh.triangles) {
    for (const std::uint32_t c : t) promise(c < mesh.points.size(), "a corner that is not there");
    promise(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "a triangle with two equal corners");
  }
}

void check_bodies(const io::Surface& surface) {
  for (const io::MeshMass how : {io::MeshMass::legacy, io::MeshMass::exact, io::MeshMass::shell}) {
    const io::MeshBody body = mesh_body(surface, how);
    if (!(body.volume > 1e-14)) continue;  // there is none
    const Sym3<double>& I = body.inertia;
    for (const double x :
         {body.volume, body.centre.x, body.centre.y, body.centre.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz})
      promise(std::isfinite(x), "a body that is not finite");
    if (how != io::MeshMass::exact) promise(I.xx >= 0 && I.yy >= 0 && I.zz >= 0, "an inertia below 0");
  }
}

}  // namespace

/// The first byte chooses the kind of file.
void feed_mesh(Input input) {
  if (input.empty()) return;
  static const char* const endings[] = {"stl", "obj", "msh", "dae"};
  const std::string bytes(input.begin() + 1, input.end());
  TriangleMesh mesh;
  std::string why;
  if (!parse_mesh(bytes, endings[input[0] % 4], mesh, why)) {
    promise(!why.empty(), "a mesh is refused without a reason");
    return;
  }
  check_mesh(mesh, bytes.size());
  io::Surface surface = io::surface_of(mesh, {1, -2, 0.5});
  promise(surface.triangles.size() == mesh.triangles.size(), "a surface of another size");
  check_bodies(surface);
  (void)fault_of(surface);
  if (surface.points.size() > 300) return;
  geometry::HullFault fault = geometry::HullFault::none;
  surface.triangles = geometry::convex_hull(surface.points, geometry::most_heights(surface.points.size()), fault);
  promise(surface.triangles.empty() == (fault != geometry::HullFault::none), "a hull with a fault");
  check_bodies(surface);
}

}  // namespace zwang::test
