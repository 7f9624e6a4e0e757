// SPDX-License-Identifier: BSD-3-Clause
// Meshes from text and bytes: a tetrahedron in every form, broken files,
// and a sphere that loses triangles but not its shape.
#include "viewer/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace zwang::test {
namespace {

using viewer::Mesh;
using viewer::parse_mesh;

const float k_corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const int k_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

std::string stl_text() {
  std::string s = "solid four\n";
  for (const auto& f : k_faces) {
    s += "facet normal 0 0 0\n outer loop\n";
    for (const int c : f)
      s += "  vertex " + std::to_string(k_corners[c][0]) + " " + std::to_string(k_corners[c][1]) + " " +
           std::to_string(k_corners[c][2]) + "\n";
    s += " endloop\nendfacet\n";
  }
  return s + "endsolid four\n";
}
std::string stl_binary(const char* title) {
  std::string s(80, ' ');
  std::memcpy(s.data(), title, std::strlen(title));
  const std::uint32_t count = 4;
  s.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& f : k_faces) {
    s.append(12, '\0');
    for (const int c : f) s.append(reinterpret_cast<const char*>(k_corners[c]), 12);
    s.append(2, '\0');
  }
  return s;
}
double volume(const Mesh& m) {
  double sum = 0;
  for (const auto& t : m.triangles) {
    const auto &a = m.points[t[0]], &b = m.points[t[1]], &c = m.points[t[2]];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return std::abs(sum) / 6;
}

TEST(Mesh, TheSameTetrahedronInEveryForm) {
  const std::string obj =
      "# four\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1/1/1 3 2\nf 1 2 4\nf -3//1 -2//1 -1//1\nf 1 4 3\n";
  for (const auto& [ending, bytes] : {std::pair<std::string, std::string>{"stl", stl_text()},
                                      {"stl", stl_binary("binary")},
                                      {"stl", stl_binary("solid, but binary")},
                                      {"obj", obj}}) {
    Mesh m;
    std::string why;
    ASSERT_TRUE(parse_mesh(bytes, ending, m, why)) << why;
    EXPECT_EQ(m.points.size(), 4u);
    EXPECT_EQ(m.triangles.size(), 4u);
    EXPECT_NEAR(volume(m), 1 / 6., 1e-7);
  }
}

TEST(Mesh, AFaceOfManyCornersIsAFan) {
  Mesh m;
  std::string why;
  ASSERT_TRUE(parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4", "obj", m, why)) << why;
  EXPECT_EQ(m.triangles.size(), 2u);
}

TEST(Mesh, BrokenFilesAreRefusedWithAReason) {
  const std::string binary = stl_binary("x");
  for (const auto& [ending, bytes] : {std::pair<std::string, std::string>{"stl", ""},
                                      {"stl", "solid\nfacet\nvertex 0 0\nvertex a b c"},
                                      {"stl", binary.substr(0, 120)},
                                      {"stl", "solid empty\nendsolid"},
                                      {"obj", "v 0 0 0\nf 1 2 3"},
                                      {"obj", "v 0 nan 0"},
                                      {"obj", "v 0 0"},
                                      {"dae", "<COLLADA/>"},
                                      {"", "x"}}) {
    Mesh m;
    std::string why;
    EXPECT_FALSE(parse_mesh(bytes, ending, m, why)) << bytes;
    EXPECT_FALSE(why.empty());
  }
}

TEST(Mesh, ASimplerSphereIsASphere) {
  Mesh m;
  const int n = 120;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = 3.14159265 * i / n, b = 2 * 3.14159265 * j / n;
      m.points.push_back({static_cast<float>(std::sin(a) * std::cos(b)), static_cast<float>(std::sin(a) * std::sin(b)),
                          static_cast<float>(std::cos(a))});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const auto at = [&](int x, int y) { return static_cast<std::uint32_t>(x * n + y % n); };
      m.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      m.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  const double before = volume(m);
  viewer::simplify(m, 3000);
  EXPECT_LE(m.triangles.size(), 3000u);
  EXPECT_GT(m.triangles.size(), 800u);
  EXPECT_NEAR(volume(m), before, 0.05 * before);
  for (const auto& p : m.points) EXPECT_NEAR(std::hypot(p[0], p[1], p[2]), 1, 0.06);
  const std::size_t left = m.triangles.size();
  viewer::simplify(m, 3000);
  EXPECT_EQ(m.triangles.size(), left);
}

}  // namespace
}  // namespace zwang::test
