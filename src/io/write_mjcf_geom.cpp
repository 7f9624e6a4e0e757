// SPDX-License-Identifier: BSD-3-Clause
// write_mjcf: shapes as geoms. Their classes `visual` and `collision` say that they give no mass, and in which group a
// viewer shows them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "io/write_mjcf.hpp"

namespace zwang::io {

namespace {

constexpr const char* k_types[] = {"box", "cylinder", "sphere", "capsule", "mesh", "plane", "ellipsoid"};
constexpr double k_grid = 1;  // between the lines that a plane is drawn with [m]

/// The model's check says that all four numbers of a colour are known, or none.
bool is_coloured(const Shape& shape) { return !std::isnan(shape.colour[0]); }

const char* type_of(const Shape& shape) { return k_types[static_cast<std::size_t>(shape.kind)]; }

/// FNV-1a, 32 bits, in hexadecimal digits.
std::string hash_text(const std::string& text) {
  std::uint32_t h = 0x811c9dc5u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x01000193u;
  std::string out;
  for (int k = 28; k >= 0; k -= 4) out += "0123456789abcdef"[(h >> k) & 15];
  return out;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// What MuJoCo would open: the file that was found, else the URI without its scheme.
struct MeshFile {
  explicit MeshFile(const Shape& shape) : path(shape.mesh_path.empty() ? shape.mesh : shape.mesh_path) {
    const std::size_t scheme = path.find("://");
    local = scheme == std::string::npos || path.compare(0, scheme, "file") == 0;
    if (scheme != std::string::npos) path = path.substr(scheme + 3);
    found = !shape.mesh_path.empty();
  }
  bool is_read() const {
    const std::string extension = lower(std::filesystem::path(path).extension().string());
    return extension == ".stl" || extension == ".obj" || extension == ".msh";
  }
  /// A relative path that no reader has found is seen from a folder that is not known.
  bool is_there() const {
    std::error_code error;
    return local && (found || std::filesystem::path(path).is_absolute()) &&
           std::filesystem::is_regular_file(path, error);
  }

  std::string path;
  bool local = true, found = false;
};

}  // namespace

/// False where MuJoCo takes no shape of that size.
bool MjcfGeoms::sizes(const Shape& shape, XmlElement geom) const {
  const double* s = shape.size;
  const auto set = [&](std::initializer_list<double> numbers, double least) {
    for (const double x : numbers)
      if (!(x > least) || !std::isfinite(x)) return false;
    geom.set("size", std::span<const double>(numbers.begin(), numbers.size()));
    return true;
  };
  switch (shape.kind) {
    case Shape::Kind::box: return set({s[0] / 2, s[1] / 2, s[2] / 2}, 0);
    case Shape::Kind::sphere: return set({s[0]}, 0);
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule: return set({s[0], s[1] / 2}, 0);
    case Shape::Kind::ellipsoid: return set({s[0], s[1], s[2]}, 0);
    case Shape::Kind::plane: return s[0] >= 0 && s[1] >= 0 && set({s[0] / 2, s[1] / 2, k_grid}, -1);
    case Shape::Kind::mesh: break;
  }
  return std::all_of(s, s + 3, [](double x) { return x != 0 && std::isfinite(x); });
}

void MjcfGeoms::write(const Shape& shape, const std::string& link, bool moves, XmlElement body) {
  const std::string name = shape.name.empty() ? std::string(type_of(shape)) + " of link " + link : shape.name;
  const XmlElement geom = body.add("geom");
  const auto leave_out = [&](LossCode code, const std::string& what) {
    work_.lose(code, "shape", name, what);
    pugi::xml_node(body.node()).remove_child(geom.node());
  };
  if (moves && shape.kind == Shape::Kind::plane) return leave_out("L_SHAPE", "a plane on a link that moves");
  if (!shape.name.empty()) geom.set("name", work_.name(work_.names.geom, "shape", shape.name));
  geom.set("class", shape.collision ? "collision" : "visual").set("type", type_of(shape));
  if (!sizes(shape, geom))
    return leave_out("L_SHAPE", std::string(type_of(shape)) + " of size " + number_text(shape.size[0]) + ", " +
                                    number_text(shape.size[1]) + ", " + number_text(shape.size[2]));
  if (shape.kind == Shape::Kind::mesh) {
    const MeshFile file(shape);
    if (!file.is_read()) return leave_out("L_MESH", "mesh " + shape.mesh + ": MuJoCo reads stl, obj and msh");
    if (!file.is_there()) {
      if (work_.options.shapes == WrittenShapes::found)
        return leave_out("L_MESH", "mesh " + shape.mesh + ", which was not found: MuJoCo refuses files that name it");
      work_.lose("L_MESH", "shape", name, "where " + shape.mesh + " is, which was not found",
                 file.path + ": MuJoCo refuses the file where it is not there");
    }
    geom.set("mesh", mesh(shape, file.path));
  }
  set_pose(geom, shape.origin);
  if (!shape.material.empty()) geom.set("material", material(shape, name));
  if (is_coloured(shape)) set_numbers(geom, "rgba", shape.colour);
  contact(shape, name, geom);
}

/// What is not as MuJoCo has it where nothing is said. Readers look for contact in collision shapes only.
void MjcfGeoms::contact(const Shape& shape, const std::string& name, XmlElement geom) {
  const ContactData &c = shape.contact, plain;
  if (!shape.collision) {
    if (!is_plain(c)) work_.lose("L_CONTACT", "shape", name, "what it says about contact: it is a visual shape");
    return;
  }
  if (c.type != plain.type) geom.set("contype", c.type);
  if (c.affinity != plain.affinity) geom.set("conaffinity", c.affinity);
  if (c.type == 0 && c.affinity == 0)
    work_.lose("L_CONTACT", "shape", name, "that it is a collision shape, which touches nothing", "a visual shape");
  const bool known = c.dimension == 1 || c.dimension == 3 || c.dimension == 4 || c.dimension == 6;
  if (!known) work_.lose("L_CONTACT", "shape", name, "contact dimension " + std::to_string(c.dimension), "3");
  if (known && c.dimension != plain.dimension) geom.set("condim", c.dimension);
  if (c.priority != plain.priority) geom.set("priority", c.priority);
  if (c.margin != plain.margin) geom.set("margin", c.margin);
  constexpr const char* k_names[] = {"sliding", "torsional", "rolling"};
  std::size_t known_first = 0;
  while (known_first < 3 && !std::isnan(c.friction[known_first])) ++known_first;
  if (known_first > 0) geom.set("friction", std::span<const double>(c.friction, known_first));
  for (std::size_t k = known_first; k < 3; ++k)
    if (!std::isnan(c.friction[k]))
      work_.lose("L_CONTACT", "shape", name,
                 std::string(k_names[k]) + " friction, without " + k_names[known_first] + " friction before it");
}

/// The name of its asset. One asset for each file and scale.
std::string MjcfGeoms::mesh(const Shape& shape, const std::string& file) {
  const std::string key = file + ' ' + number_text(shape.size);
  const auto [known, is_new] = meshes_.emplace(key, "");
  if (!is_new) return known->second;
  std::string asset = std::filesystem::path(file).stem().string();
  if (asset.empty() || !mesh_names_.add(asset)) asset = mesh_names_.fresh(asset + '_' + hash_text(key));
  known->second = asset;
  const XmlElement e = asset_.add("mesh");
  e.set("name", asset).set("file", file);
  if (shape.size[0] != 1 || shape.size[1] != 1 || shape.size[2] != 1) set_numbers(e, "scale", shape.size);
  e.set("inertia", "shell");  // surfaces that enclose no volume are no fault: they give no mass
  return asset;
}

/// The name of a material; its colour is that of the first shape with this material.
std::string MjcfGeoms::material(const Shape& shape, const std::string& name) {
  const auto [known, is_new] = materials_.emplace(shape.material, false);
  if (!is_new) {
    if (known->second && !is_coloured(shape))
      work_.lose("L_MATERIAL", "shape", name, "material " + shape.material + " without the colour of others",
                 "that colour");
    return shape.material;
  }
  const XmlElement e = asset_.add("material");
  e.set("name", shape.material);
  if (is_coloured(shape)) set_numbers(e, "rgba", shape.colour);
  known->second = is_coloured(shape);
  return shape.material;
}

}  // namespace zwang::io
