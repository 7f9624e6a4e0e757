// SPDX-License-Identifier: BSD-3-Clause
// A sphere that loses triangles but not its shape.
#include "viewer/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace zwang::test {
namespace {

using viewer::Mesh;

double volume(const Mesh& m) {
  double sum = 0;
  for (const auto& t : m.triangles) {
    const auto &a = m.points[t[0]], &b = m.points[t[1]], &c = m.points[t[2]];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return std::abs(sum) / 6;
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
