// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace zwang::viewer {
namespace {

constexpr std::size_t k_most_bytes = std::size_t{256} << 20;

/// Points by their bits.
class Welder {
 public:
  explicit Welder(Mesh& mesh) : mesh_(mesh) {}
  std::uint32_t add(std::array<float, 3> p) {
    for (float& x : p) x += 0.0f;  // -0 and 0 are one point
    std::string key(reinterpret_cast<const char*>(p.data()), sizeof p);
    const auto [at, fresh] = known_.try_emplace(std::move(key), static_cast<std::uint32_t>(mesh_.points.size()));
    if (fresh) mesh_.points.push_back(p);
    return at->second;
  }
  void triangle(const std::array<std::uint32_t, 3>& t) {
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh_.triangles.push_back(t);
  }

 private:
  Mesh& mesh_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

bool fail(std::string& why, std::string text) {
  why = std::move(text);
  return false;
}
bool is_finite(const std::array<float, 3>& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

/// Words of a text, line by line.
class Words {
 public:
  explicit Words(const std::string& text) : at_(text.c_str()), end_(at_ + text.size()) {}
  /// The next word of any line; empty at the end.
  std::string next() {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
    return word();
  }
  /// The next word of this line; empty at its end.
  std::string of_line() {
    while (at_ < end_ && *at_ != '\n' && std::isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
    return at_ < end_ && *at_ != '\n' ? word() : std::string();
  }
  void skip_line() {
    while (at_ < end_ && *at_ != '\n') ++at_;
    if (at_ < end_) ++at_;
  }
  bool done() const { return at_ >= end_; }

 private:
  std::string word() {
    const char* const begin = at_;
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_)) == 0) ++at_;
    return {begin, at_};
  }
  const char* at_;
  const char* end_;
};

bool number(const std::string& word, float& x) {
  char* end = nullptr;
  x = std::strtof(word.c_str(), &end);
  return !word.empty() && *end == '\0';
}

bool stl_text(const std::string& bytes, Mesh& mesh, std::string& why) {
  Words words(bytes);
  Welder welder(mesh);
  std::array<std::uint32_t, 3> t{};
  std::size_t corner = 0;
  while (true) {
    const std::string word = words.next();
    if (word.empty()) break;
    if (word == "solid" || word == "endsolid") {
      words.skip_line();
    } else if (word == "facet") {
      corner = 0;
    } else if (word == "vertex") {
      std::array<float, 3> p{};
      for (float& x : p)
        if (!number(words.next(), x)) return fail(why, "a vertex of the STL text has no three numbers");
      if (!is_finite(p)) return fail(why, "a vertex is not finite");
      if (corner < 3) t[corner++] = welder.add(p);
      if (corner == 3) {
        welder.triangle(t);
        ++corner;
      }
    }
  }
  return true;
}

bool stl_binary(const std::string& bytes, Mesh& mesh, std::string& why) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  if (bytes.size() < 84 + std::size_t{50} * count) return fail(why, "the binary STL is cut off");
  Welder welder(mesh);
  for (std::uint32_t k = 0; k < count; ++k) {
    std::array<std::uint32_t, 3> t{};
    for (std::size_t c = 0; c < 3; ++c) {
      std::array<float, 3> p{};
      std::memcpy(p.data(), bytes.data() + 84 + std::size_t{50} * k + 12 + 12 * c, 12);
      if (!is_finite(p)) return fail(why, "a vertex is not finite");
      t[c] = welder.add(p);
    }
    welder.triangle(t);
  }
  return true;
}

bool obj(const std::string& bytes, Mesh& mesh, std::string& why) {
  Words words(bytes);
  Welder welder(mesh);
  std::vector<std::uint32_t> points;
  for (; !words.done(); words.skip_line()) {
    const std::string word = words.of_line();
    if (word == "v") {
      std::array<float, 3> p{};
      for (float& x : p)
        if (!number(words.of_line(), x)) return fail(why, "a line v of the OBJ has no three numbers");
      if (!is_finite(p)) return fail(why, "a vertex is not finite");
      points.push_back(welder.add(p));
    } else if (word == "f") {
      std::vector<std::uint32_t> face;
      for (std::string corner = words.of_line(); !corner.empty(); corner = words.of_line()) {
        const long k = std::strtol(corner.c_str(), nullptr, 10);  // of 3/1/2 the first
        const long at = k < 0 ? static_cast<long>(points.size()) + k : k - 1;
        if (k == 0 || at < 0 || at >= static_cast<long>(points.size()))
          return fail(why, "a face of the OBJ names point '" + corner.substr(0, 20) + "', which is not there");
        face.push_back(points[static_cast<std::size_t>(at)]);
      }
      for (std::size_t c = 2; c < face.size(); ++c) welder.triangle({face[0], face[c - 1], face[c]});
    }
  }
  return true;
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

}  // namespace

bool parse_mesh(const std::string& bytes, const std::string& ending, Mesh& mesh, std::string& why) {
  mesh = {};
  bool read = false;
  if (ending == "stl") {
    std::uint32_t count = 0;
    if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
    // A binary file may begin with `solid`, too: its length decides.
    const bool binary = bytes.size() >= 84 && bytes.size() == 84 + std::size_t{50} * count;
    read = binary || bytes.compare(0, 5, "solid") != 0
               ? (bytes.size() < 84 ? fail(why, "the file is too short for an STL") : stl_binary(bytes, mesh, why))
               : stl_text(bytes, mesh, why);
  } else if (ending == "obj") {
    read = obj(bytes, mesh, why);
  } else {
    why = "meshes are read from .stl and .obj files, not from ." + ending;
  }
  if (read && mesh.triangles.empty()) {
    why = "the mesh has no triangles";
    return false;
  }
  return read;
}

bool read_mesh(const std::string& path, Mesh& mesh, std::string& why) {
  const std::string ending = ending_of(path);
  if (ending != "stl" && ending != "obj") return parse_mesh({}, ending, mesh, why);
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    why = "the file cannot be opened";
    return false;
  }
  std::string bytes;
  char room[65536];
  std::size_t got = 0;
  while (bytes.size() < k_most_bytes && (got = std::fread(room, 1, sizeof room, file)) > 0) bytes.append(room, got);
  const bool whole = std::ferror(file) == 0 && bytes.size() < k_most_bytes;
  std::fclose(file);
  if (!whole) {
    why = "the file cannot be read, or is larger than 256 MB";
    return false;
  }
  return parse_mesh(bytes, ending, mesh, why);
}

void simplify(Mesh& mesh, std::size_t most_triangles) {
  if (mesh.triangles.size() <= most_triangles || mesh.points.empty()) return;
  std::array<float, 3> low = mesh.points[0], high = low;
  for (const auto& p : mesh.points)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  const float size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-30f});
  const Mesh whole = std::move(mesh);
  for (int cells = 256; cells >= 2; cells = cells * 3 / 4) {
    mesh = {};
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::vector<std::uint32_t> place;
    std::vector<float> count;
    for (const auto& p : whole.points) {
      std::uint64_t key = 0;
      for (std::size_t i = 0; i < 3; ++i)
        key = key * 1024 + static_cast<std::uint64_t>((p[i] - low[i]) / size * static_cast<float>(cells - 1) + 0.5f);
      const auto [at, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(mesh.points.size()));
      if (fresh) {
        mesh.points.push_back({0, 0, 0});
        count.push_back(0);
      }
      for (std::size_t i = 0; i < 3; ++i) mesh.points[at->second][i] += p[i];
      count[at->second] += 1;
      place.push_back(at->second);
    }
    for (std::size_t k = 0; k < mesh.points.size(); ++k)
      for (float& x : mesh.points[k]) x /= count[k];
    for (const auto& t : whole.triangles) {
      const std::array<std::uint32_t, 3> moved{place[t[0]], place[t[1]], place[t[2]]};
      if (moved[0] != moved[1] && moved[1] != moved[2] && moved[2] != moved[0]) mesh.triangles.push_back(moved);
    }
    if (mesh.triangles.size() <= most_triangles) return;
  }
}

}  // namespace zwang::viewer
