// SPDX-License-Identifier: BSD-3-Clause
// STL, text and binary: triangles by their corners. OBJ: lines `v` and `f`, everything else is passed over. MSH: four
// counts (points, normals, texture coordinates, triangles), then the arrays.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>

#include "core/number.hpp"
#include "zwang/geometry/mesh.hpp"

namespace zwang {
namespace {

using Point = std::array<float, 3>;
using Corners = std::array<std::uint32_t, 3>;

bool fail(std::string& why, std::string text) {
  why = std::move(text);
  return false;
}

bool is_finite(const Point& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

/// Makes one point of those that are equal, in the order of their first ones, and leaves out triangles that lose a
/// corner. By sorting: no file can make it slow.
void weld(TriangleMesh& mesh) {
  for (Point& p : mesh.points)
    for (float& x : p) x += 0.0f;  // -0 and 0 are one number
  std::vector<std::uint32_t> order(mesh.points.size()), first(mesh.points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return mesh.points[a] != mesh.points[b] ? mesh.points[a] < mesh.points[b] : a < b;
  });
  for (std::size_t k = 0; k < order.size(); ++k)
    first[order[k]] = k > 0 && mesh.points[order[k]] == mesh.points[order[k - 1]] ? first[order[k - 1]] : order[k];
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < first.size(); ++k) {
    if (first[k] != k) {
      first[k] = first[first[k]];  // it came before: its new number is known
      continue;
    }
    mesh.points[count] = mesh.points[k];
    first[k] = count++;
  }
  mesh.points.resize(count);
  std::size_t kept = 0;
  for (const Corners& t : mesh.triangles) {
    const Corners now{first[t[0]], first[t[1]], first[t[2]]};
    if (now[0] != now[1] && now[1] != now[2] && now[2] != now[0]) mesh.triangles[kept++] = now;
  }
  mesh.triangles.resize(kept);
}

/// Words of a text, line by line.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// The next word of any line; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return word();
  }
  /// The next word of this line; empty at its end.
  std::string_view of_line() {
    while (at_ < text_.size() && text_[at_] != '\n' && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() && text_[at_] != '\n' ? word() : std::string_view();
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (at_ < text_.size()) ++at_;
  }
  bool done() const { return at_ >= text_.size(); }

 private:
  static bool is_blank(char c) { return numerals::is_space(c) || c == '\v' || c == '\f'; }
  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

/// False where one of three words is no number that a float can hold.
template <class Next> bool point(Next&& next, Point& p) {
  for (float& x : p) {
    std::string_view word = next();
    if (!word.empty() && word[0] == '+') word.remove_prefix(1);
    double value = 0;
    if (numerals::parse_number(word, value) != numerals::NumberFault::none) return false;
    x = static_cast<float>(value);
  }
  return is_finite(p);
}

bool stl_text(std::string_view bytes, TriangleMesh& mesh, std::string& why) {
  Words words(bytes);
  std::uint32_t corner = 3;  // of a facet; 3: no more
  while (true) {
    const std::string_view word = words.next();
    if (word.empty()) break;
    if (word == "solid" || word == "endsolid") {
      words.skip_line();
    } else if (word == "facet") {
      if (corner != 3) return fail(why, "a facet of the STL text has fewer than three corners");
      corner = 0;
    } else if (word == "vertex") {
      Point p;
      if (!point([&] { return words.next(); }, p))
        return fail(why, "a vertex of the STL text has no three finite numbers");
      if (corner == 3) return fail(why, "a facet of the STL text has more than three corners");
      mesh.points.push_back(p);
      if (++corner < 3) continue;
      const auto last = static_cast<std::uint32_t>(mesh.points.size() - 1);
      mesh.triangles.push_back({last - 2, last - 1, last});
    }
  }
  return corner == 3 || fail(why, "the STL text is cut off");
}

/// A number of the file's bytes, least significant first.
template <class T> T number_at(std::string_view bytes, std::size_t at) {
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

bool stl_binary(std::string_view bytes, TriangleMesh& mesh, std::string& why) {
  const std::size_t count = number_at<std::uint32_t>(bytes, 80);
  if ((bytes.size() - 84) / 50 < count) return fail(why, "the binary STL is cut off");
  mesh.points.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      mesh.points.push_back(number_at<Point>(bytes, 84 + 50 * k + 12 + 12 * c));
      if (!is_finite(mesh.points.back())) return fail(why, "a vertex is not finite");
    }
    const auto first = static_cast<std::uint32_t>(3 * k);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return true;
}

bool stl(std::string_view bytes, TriangleMesh& mesh, std::string& why) {
  const std::size_t count = bytes.size() >= 84 ? number_at<std::uint32_t>(bytes, 80) : 0;
  // A binary file may begin with `solid`, too: its length decides.
  const bool binary = bytes.size() >= 84 && bytes.size() == 84 + 50 * count;
  if (!binary && bytes.substr(0, 5) == "solid") return stl_text(bytes, mesh, why);
  return bytes.size() < 84 ? fail(why, "the file is too short for an STL") : stl_binary(bytes, mesh, why);
}

/// The point that a corner `7`, `7/2`, `7//3` or `-1` names; false where there is none.
bool corner_of(std::string_view word, std::size_t points, std::uint32_t& at) {
  word = word.substr(0, word.find('/'));
  double k = 0;
  if (numerals::parse_number(word, k) != numerals::NumberFault::none || k != std::floor(k)) return false;
  const double index = k < 0 ? static_cast<double>(points) + k : k - 1;
  if (k == 0 || index < 0 || index >= static_cast<double>(points)) return false;
  at = static_cast<std::uint32_t>(index);
  return true;
}

/// Of the distance of two points.
double squared(const TriangleMesh& mesh, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = static_cast<double>(mesh.points[a][k]) - static_cast<double>(mesh.points[b][k]);
    sum += d * d;
  }
  return sum;
}

bool obj(std::string_view bytes, TriangleMesh& mesh, std::string& why) {
  if (const std::size_t nul = bytes.find('\0'); nul != std::string_view::npos) {  // it would hide the word behind it
    const auto lines = std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    return fail(why, "line " + std::to_string(lines + 1) + " of the OBJ holds a zero byte: it is no text");
  }
  Words words(bytes);
  std::vector<std::uint32_t> face;
  for (; !words.done(); words.skip_line()) {
    const std::string_view word = words.of_line();
    if (word == "v") {
      Point p;
      if (!point([&] { return words.of_line(); }, p))
        return fail(why, "a line v of the OBJ has no three finite numbers");
      mesh.points.push_back(p);
    } else if (word == "f") {
      face.clear();
      for (std::string_view text = words.of_line(); !text.empty(); text = words.of_line()) {
        std::uint32_t at = 0;
        if (!corner_of(text, mesh.points.size(), at))
          return fail(why,
                      "a face of the OBJ names point '" + std::string(text.substr(0, 20)) + "', which is not there");
        face.push_back(at);
      }
      // A quadrilateral is cut along its shorter diagonal, as other readers do; what has more corners is a fan.
      if (face.size() == 4 && !(squared(mesh, face[0], face[2]) < squared(mesh, face[1], face[3])))
        std::rotate(face.begin(), face.begin() + 1, face.end());
      for (std::size_t k = 2; k < face.size(); ++k) mesh.triangles.push_back({face[0], face[k - 1], face[k]});
    }
  }
  return true;
}

bool msh(std::string_view bytes, TriangleMesh& mesh, std::string& why) {
  if (bytes.size() < 16) return fail(why, "the file is too short for an MSH");
  std::uint64_t count[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const auto n = number_at<std::int32_t>(bytes, 4 * k);
    if (n < 0) return fail(why, "a count of the MSH is negative");
    count[k] = static_cast<std::uint64_t>(n);
  }
  if (bytes.size() != 16 + 12 * count[0] + 12 * count[1] + 8 * count[2] + 12 * count[3])
    return fail(why, "the MSH has another size than its counts say");
  for (std::size_t k = 0; k < count[0]; ++k) {
    mesh.points.push_back(number_at<Point>(bytes, 16 + 12 * k));
    if (!is_finite(mesh.points.back())) return fail(why, "a vertex is not finite");
  }
  const std::size_t faces = bytes.size() - 12 * count[3];
  for (std::size_t k = 0; k < count[3]; ++k) {
    const auto t = number_at<Corners>(bytes, faces + 12 * k);
    for (const std::uint32_t c : t)
      if (c >= count[0]) return fail(why, "a face of the MSH names a point that is not there");
    mesh.triangles.push_back(t);
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

bool parse_mesh(std::string_view bytes, const std::string& ending, TriangleMesh& mesh, std::string& why) {
  mesh = {};
  if (ending != "stl" && ending != "obj" && ending != "msh")
    return fail(why, "meshes are read from .stl, .obj and .msh files, not from ." + ending);
  const bool read = ending == "stl"   ? stl(bytes, mesh, why)
                    : ending == "obj" ? obj(bytes, mesh, why)
                                      : msh(bytes, mesh, why);
  if (!read) return false;
  weld(mesh);
  return !mesh.triangles.empty() || fail(why, "the mesh has no triangles");
}

bool read_mesh(const std::string& path, TriangleMesh& mesh, std::string& why, long most_bytes) {
  const std::string ending = ending_of(path);
  if (ending != "stl" && ending != "obj" && ending != "msh") return parse_mesh({}, ending, mesh, why);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return fail(why, "the file cannot be opened");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return fail(why, "the file cannot be opened");
  std::string bytes;
  char room[65536];
  std::size_t got = 0;
  const auto most = static_cast<std::size_t>(std::max(most_bytes, 0L));
  while (bytes.size() <= most && (got = std::fread(room, 1, sizeof room, file.get())) > 0) bytes.append(room, got);
  if (std::ferror(file.get()) != 0) return fail(why, "the file cannot be read");
  if (bytes.size() > most) return fail(why, "the file is larger than " + std::to_string(most_bytes) + " bytes");
  return parse_mesh(bytes, ending, mesh, why);
}

}  // namespace zwang
