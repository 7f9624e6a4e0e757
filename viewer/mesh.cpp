// SPDX-License-Identifier: BSD-3-Clause
#include "viewer/mesh.hpp"

#include <algorithm>
#include <unordered_map>

namespace zwang::viewer {

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
