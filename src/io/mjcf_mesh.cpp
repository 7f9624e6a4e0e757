// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: meshes, their vertices in the file itself or in one of their own, which is opened where it gives mass.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "geometry/convex_hull.hpp"
#include "io/mjcf.hpp"
#include "io/number.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

/// Calls f(token) for each.
template <class F> bool each_token(std::string_view text, F&& f) {
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && is_space(text[i])) ++i;
    const std::size_t start = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i > start && !f(text.substr(start, i - start))) return false;
  }
  return true;
}

}  // namespace

void MjcfReader::mesh(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::mesh, 0);
  MjcfMesh fresh;
  fresh.node = node;
  fresh.of_class = defaults_.of(node, 0);
  fresh.name = values_.name_of(of);
  const std::string file = values_.name_of(of, "file");
  if (fresh.name.empty()) fresh.name = std::filesystem::path(file).stem().string();
  if (!take_name("mesh", fresh.name, node)) return;
  values_.vector(of, "scale", fresh.scale);
  if (!file.empty()) {
    std::filesystem::path path(file);
    if (compiler_.strip_path) path = path.filename();
    if (path.is_relative() && !compiler_.mesh_folder.empty())
      path = std::filesystem::path(compiler_.mesh_folder) / path;
    fresh.file = path.string();
    if (work_.options.resolve_meshes) {
      const Resolved resolved = document_.mesh(fresh.file);
      fresh.path = resolved.path;
      if (resolved.code) {
        Diagnostic d = document_.at(node, resolved.code);
        d.found = resolved.found;
        d.expected = resolved.expected;
        d.hint = resolved.hint;
        if (!resolved.absent) {
          work_.found.add(Weight::warn, d);
        } else if (const auto [it, first] = notes_.emplace(std::string(k_mjcf_absent) + resolved.code, d); !first) {
          ++more_meshes_;
        }
      }
    }
  }
  if (of.has("builtin"))
    fresh.obstacle = "whose geometry is builtin " + detail::quoted(of.text("builtin"));
  else if (!of.has("vertex") && fresh.path.empty())
    fresh.obstacle = file.empty() ? std::string("whose geometry is missing")
                                  : "whose file " + detail::quoted(file) + " is not there, or not looked for";
  mesh_index_.emplace(fresh.name, static_cast<int>(meshes_.size()));
  meshes_.push_back(std::move(fresh));
}

/// nullptr where the geom names no mesh, or, with a finding, none of this file.
MjcfMesh* MjcfReader::find_mesh(const MjcfFields& of) {
  const char* name = of.text("mesh");
  if (!name) return nullptr;
  const auto it = mesh_index_.find(name);
  if (it != mesh_index_.end()) return &meshes_[static_cast<std::size_t>(it->second)];
  unknown(of.where("mesh"), "mesh", name, mesh_index_);
  return nullptr;
}

/// Vertices are kept as float, as MuJoCo keeps them. False, with a finding, where they are wrong.
bool MjcfReader::inline_mesh(const MjcfFields& of, TriangleMesh& out) {
  const auto read = [&](const char* name, const char* expected, auto&& take) {
    return each_token(of.text(name), [&](std::string_view token) {
      double x = 0;
      const NumberFault fault = parse_number(token, x);
      if (fault == NumberFault::none && take(x)) return true;
      document_.refuse(of.where(name), "E_NUMBER", std::string(name) + ' ' + detail::quoted(token), expected,
                       explain(fault));
      return false;
    });
  };
  const auto wrong_count = [&](const char* name, std::size_t count, const char* expected) {
    document_.refuse(of.node, "E_VECTOR_SIZE", std::to_string(count) + " numbers in '" + name + '\'', expected);
    return false;
  };
  std::vector<float> numbers;
  if (!read("vertex", "a number that a float can hold", [&](double x) {
        if (std::fabs(x) > static_cast<double>(std::numeric_limits<float>::max())) return false;
        numbers.push_back(static_cast<float>(x));
        return true;
      }))
    return false;
  if (numbers.size() % 3 != 0 || numbers.size() < 12)
    return wrong_count("vertex", numbers.size(), "three for each of at least four vertices");
  for (std::size_t k = 0; k + 2 < numbers.size(); k += 3)
    out.points.push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
  if (!of.has("face")) return true;
  std::vector<std::uint32_t> corners;
  const double count = static_cast<double>(out.points.size());
  if (!read("face", "the number of a vertex, from 0", [&](double x) {
        if (x != std::floor(x) || x < 0 || x >= count) return false;
        corners.push_back(static_cast<std::uint32_t>(x));
        return true;
      }))
    return false;
  if (corners.size() % 3 != 0) return wrong_count("face", corners.size(), "three for each triangle");
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3)
    out.triangles.push_back({corners[k], corners[k + 1], corners[k + 2]});
  return true;
}

/// The points where scale, refpos and refquat place them.
bool MjcfReader::place_points(const MjcfFields& of, const MjcfMesh& mesh, const TriangleMesh& from, Surface& to) {
  Vec3<double> reference = Vec3<double>::zero();
  double quat[4] = {1, 0, 0, 0};
  values_.vector(of, "refpos", reference);
  values_.numbers(of, "refquat", 4, 4, quat);
  const Quat<double> q{quat[1], quat[2], quat[3], quat[0]};
  if (norm(q) < 1e-14) {
    document_.refuse(mesh.node, "E_QUATERNION", "refquat of length 0", "a quaternion");
    return false;
  }
  to = surface_of(from, mesh.scale);  // its triangles
  const Mat3<double> turn = rotation(q);
  for (std::size_t k = 0; k < from.points.size(); ++k) {
    const std::array<float, 3>& p = from.points[k];
    const Vec3<double> v = transpose_times(turn, Vec3<double>{p[0], p[1], p[2]} - reference);
    to.points[k] = {v.x * mesh.scale.x, v.y * mesh.scale.y, v.z * mesh.scale.z};
  }
  return true;
}

/// Volume, centre and inertia; or in mesh.obstacle why there are none.
void MjcfReader::compute(MjcfMesh& mesh) {
  if (mesh.computed) return;
  mesh.computed = true;
  const MjcfFields of{mesh.node, defaults_.record(mesh.of_class, MjcfKind::mesh)};
  mesh.obstacle = "whose vertices are wrong";
  TriangleMesh from;
  if (of.has("vertex")) {
    if (!inline_mesh(of, from)) return;
  } else {
    std::string why;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(mesh.path, error);  // a kilobyte counts as an element
    if (!error && !spend(mesh.node, static_cast<long>(std::min<std::uintmax_t>(bytes / 1024, 1L << 30)))) return;
    if (!read_mesh(mesh.path, from, why, work_.options.limits.file_bytes)) {
      mesh.obstacle = "whose file " + detail::quoted(mesh.file) + " gives none: " + why;
      return;
    }
  }
  Surface surface;
  if (!place_points(of, mesh, from, surface)) return;
  const int mode = values_.word(of, "inertia", {"legacy", "exact", "convex", "shell"}, 0);
  constexpr int k_exact = 1, k_convex = 2, k_shell = 3;
  const bool hull = surface.triangles.empty() || mode == k_convex;
  if (hull) {
    using geometry::HullFault;
    HullFault fault = HullFault::none;
    const long most = geometry::most_heights(surface.points.size());
    surface.triangles = geometry::convex_hull(surface.points, most, fault);
    if (fault == HullFault::torn || fault == HullFault::long_work) {
      mesh.obstacle =
          fault == HullFault::torn ? "whose convex hull is torn by rounding" : "whose convex hull is too much work";
      return;
    }
  }
  const SurfaceFault fault = hull || mode == k_shell ? SurfaceFault::none : fault_of(surface);
  if (mode == k_exact && fault == SurfaceFault::inconsistent) {
    mesh.obstacle = "whose triangles are not all turned the same way";
    return;
  }
  const MeshBody body = mesh_body(surface, mode == k_shell ? MeshMass::shell
                                           : mode == 0     ? MeshMass::legacy
                                                           : MeshMass::exact);
  mesh.obstacle = body.volume > k_mjcf_tiny ? ""
                  : mode == k_exact         ? "whose volume is not above 0: its triangles face inwards"
                                            : "whose volume is 0";
  if (mesh.obstacle.empty() && fault == SurfaceFault::open) note_open_mesh(mesh);
  mesh.volume = body.volume;
  mesh.centre = body.centre;
  mesh.inertia = body.inertia;
}

void MjcfReader::note_open_mesh(const MjcfMesh& mesh) {
  Diagnostic d = document_.at(mesh.node, "N_MJCF_MESH");
  d.found = "mesh " + detail::quoted(mesh.name) + ", which is not closed";
  d.expected = "a surface without boundary";
  d.hint = "its mass is that of pyramids from its centre, as in MuJoCo";
  notes_.emplace("open mesh", std::move(d));
}

}  // namespace zwang::io
