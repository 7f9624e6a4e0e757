// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: meshes. Those whose vertices stand in the file give mass; files are kept by name.
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/convex_hull.hpp"
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

using Triangle = std::array<Vec3<double>, 3>;

/// Volume, centre and inertia of unit mass of a closed surface, or of the surface itself (`shell`).
///
/// Pyramids from a point o to the triangles: volume v = n . (c - o) / 3, signed, or its absolute value (`legacy`), and
/// centroid o + 3/4 (c - o). About the centre m, each has the second moment v / 20 (aa + bb + cc + ss), s = a + b + c,
/// corners relative to m.
struct Moments {
  double volume = 0;
  Vec3<double> centre = Vec3<double>::zero();
  Sym3<double> inertia = Sym3<double>::zero();

  Moments(const std::vector<Triangle>& triangles, bool absolute, bool shell) {
    double area = 0;
    Vec3<double> middle = Vec3<double>::zero();  // of the surface
    for (const Triangle& t : triangles) {
      const double a = norm(cross(t[1] - t[0], t[2] - t[0])) / 2;
      area += a;
      middle += (t[0] + t[1] + t[2]) * (a / 3);
    }
    if (!(area > 0)) return;
    middle = middle * (1 / area);
    const auto weight = [&](const Triangle& t, const Vec3<double>& from) {
      const Vec3<double> n = cross(t[1] - t[0], t[2] - t[0]);
      if (shell) return norm(n) / 2;
      const double v = dot((t[0] + t[1] + t[2]) * (1.0 / 3) - from, n) / 6;
      return absolute ? std::fabs(v) : v;
    };
    Vec3<double> sum = Vec3<double>::zero();
    for (const Triangle& t : triangles) {
      const Vec3<double> c = (t[0] + t[1] + t[2]) * (1.0 / 3);
      const double v = weight(t, middle);
      volume += v;
      sum += (shell ? c : c * 0.75 + middle * 0.25) * v;
    }
    if (!(volume > 0)) return;
    centre = sum * (1 / volume);
    double total = 0;
    Sym3<double> second = Sym3<double>::zero();
    for (const Triangle& t : triangles) {
      const double v = weight(t, centre);
      total += v;
      const Vec3<double> a = t[0] - centre, b = t[1] - centre, c = t[2] - centre;
      for (const Vec3<double>& x : {a, b, c, a + b + c}) {
        const double k = v / (shell ? 12 : 20);
        second += Sym3<double>{x.x * x.x, x.x * x.y, x.x * x.z, x.y * x.y, x.y * x.z, x.z * x.z} * k;
      }
    }
    const double s = trace(second);
    inertia = (Sym3<double>::diagonal(s, s, s) - second) * (1 / total);
  }
};

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
  if (!of.has("vertex"))
    fresh.obstacle = "whose geometry is " + (of.has("builtin") ? "builtin " + detail::quoted(of.text("builtin"))
                                             : file.empty()    ? std::string("missing")
                                                               : "in the file " + detail::quoted(file));
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

/// Vertices are kept as float, as MuJoCo keeps them; scale, refpos and refquat place them.
void MjcfReader::compute(MjcfMesh& mesh) {
  if (mesh.computed) return;
  mesh.computed = true;
  const MjcfFields of{mesh.node, defaults_.record(mesh.of_class, MjcfKind::mesh)};
  mesh.obstacle = "whose vertices are wrong";
  std::vector<double> numbers;
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
  if (!read("vertex", "a number that a float can hold", [&](double x) {
        if (std::fabs(x) > static_cast<double>(std::numeric_limits<float>::max())) return false;
        numbers.push_back(static_cast<double>(static_cast<float>(x)));
        return true;
      }))
    return;
  if (numbers.size() % 3 != 0 || numbers.size() < 12)
    return document_.refuse(mesh.node, "E_VECTOR_SIZE", std::to_string(numbers.size()) + " numbers in 'vertex'",
                            "three for each of at least four vertices");
  Vec3<double> reference = Vec3<double>::zero();
  double quat[4] = {1, 0, 0, 0};
  values_.vector(of, "refpos", reference);
  values_.numbers(of, "refquat", 4, 4, quat);
  const Quat<double> q{quat[1], quat[2], quat[3], quat[0]};
  if (norm(q) < 1e-14) return document_.refuse(mesh.node, "E_QUATERNION", "refquat of length 0", "a quaternion");
  const Mat3<double> turn = rotation(q);
  std::vector<Vec3<double>> vertices;
  for (std::size_t k = 0; k + 2 < numbers.size(); k += 3) {
    const Vec3<double> v = transpose_times(turn, Vec3<double>{numbers[k], numbers[k + 1], numbers[k + 2]} - reference);
    vertices.push_back({v.x * mesh.scale.x, v.y * mesh.scale.y, v.z * mesh.scale.z});
  }
  const int mode = values_.word(of, "inertia", {"legacy", "exact", "convex", "shell"}, 0);
  std::vector<std::array<int, 3>> faces;
  if (of.has("face") && mode != 2) {
    std::vector<int> corners;
    const double count = static_cast<double>(vertices.size());
    if (!read("face", "the number of a vertex, from 0", [&](double x) {
          if (x != std::floor(x) || x < 0 || x >= count) return false;
          corners.push_back(static_cast<int>(x));
          return true;
        }))
      return;
    if (corners.size() % 3 != 0)
      return document_.refuse(mesh.node, "E_VECTOR_SIZE", std::to_string(corners.size()) + " numbers in 'face'",
                              "three for each triangle");
    const bool mirrored = mesh.scale.x * mesh.scale.y * mesh.scale.z < 0;
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3)
      faces.push_back({corners[k], corners[mirrored ? k + 2 : k + 1], corners[mirrored ? k + 1 : k + 2]});
  } else {
    HullFault fault = HullFault::none;
    faces = convex_hull(vertices, most_heights(vertices.size()), fault);
    if (fault == HullFault::torn || fault == HullFault::long_work) {
      mesh.obstacle =
          fault == HullFault::torn ? "whose convex hull is torn by rounding" : "whose convex hull is too much work";
      return;
    }
  }
  std::vector<Triangle> triangles;
  for (const std::array<int, 3>& f : faces)
    triangles.push_back({vertices[static_cast<std::size_t>(f[0])], vertices[static_cast<std::size_t>(f[1])],
                         vertices[static_cast<std::size_t>(f[2])]});
  const Moments moments(triangles, mode == 0, mode == 3);
  mesh.obstacle = moments.volume > 1e-14 ? "" : "whose volume is 0";
  mesh.volume = moments.volume;
  mesh.centre = moments.centre;
  mesh.inertia = moments.inertia;
}

}  // namespace zwang::io
