// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/polytope.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "geometry/convex_hull.hpp"

namespace zwang::geometry {
namespace {

using Loop = std::vector<int>;
constexpr int k_few = 24;  // points among which a look at all is quicker than a walk

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Lists of numbers, one after the other.
void flatten(const std::vector<std::vector<int>>& lists, std::vector<int>& first, std::vector<int>& all) {
  first.assign(1, 0);
  all.clear();
  for (std::vector<int> list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    all.insert(all.end(), list.begin(), list.end());
    first.push_back(static_cast<int>(all.size()));
  }
}

void add_face(PolytopeData& p, const Point& normal, const Loop& loop) {
  Face f{.normal = normal, .offset = dot(normal, p.point[at(loop[0])]), .first = static_cast<int>(p.corner.size())};
  f.count = static_cast<int>(loop.size());
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Point& a = p.point[at(loop[k])];
    const Point out = cross(p.point[at(loop[(k + 1) % loop.size()])] - a, normal);
    p.corner.push_back(loop[k]);
    p.side.push_back(out * (1 / norm(out)));
    f.offset = std::max(f.offset, dot(normal, a));
  }
  p.face.push_back(f);
}

/// Edges from faces.
void join(PolytopeData& p) {
  std::map<std::pair<int, int>, int> known;
  for (const Face& f : p.face)
    for (int k = 0; k < f.count; ++k) {
      const int a = p.corner[at(f.first + k)], b = p.corner[at(f.first + (k + 1) % f.count)];
      const auto found = known.find({b, a});
      if (found != known.end()) {
        p.edge[at(found->second)].out[1] = p.side[at(f.first + k)];
        continue;
      }
      known[{a, b}] = static_cast<int>(p.edge.size());
      Edge e{.from = a, .to = b, .has_faces = true};
      e.out[0] = e.out[1] = p.side[at(f.first + k)];
      p.edge.push_back(e);
    }
}

/// What the corners of faces say of points: which faces meet there, and which of them are sharp.
void gather(PolytopeData& p, std::vector<std::vector<int>> beside, std::vector<std::vector<int>> faces) {
  for (int f = 0; f < static_cast<int>(p.face.size()); ++f)
    for (int k = 0; k < p.face[at(f)].count; ++k) {
      const int a = p.corner[at(p.face[at(f)].first + k)];
      faces[at(a)].push_back(f);
    }
  for (const Edge& e : p.edge) beside[at(e.from)].push_back(e.to), beside[at(e.to)].push_back(e.from);
  flatten(beside, p.beside_first, p.beside);
  flatten(faces, p.face_first, p.face_beside);
  for (int k = 0; k < static_cast<int>(p.point.size()); ++k)
    if (p.face_first[at(k) + 1] - p.face_first[at(k)] > 2) p.sharp.push_back(k);
}

using Triangles = std::vector<std::array<int, 3>>;

/// Triangles of a hull, joined to faces: from the largest on, those beside it whose corners are in its plane.
class Faces {
 public:
  Faces(const std::vector<Point>& points, const Triangles& triangles, double flat)
      : points_(points),
        triangles_(triangles),
        flat_(flat),
        group_(triangles.size(), -1) {
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
      for (std::size_t k = 0; k < 3; ++k) across_[{corner(t, k), corner(t, k + 1)}] = t;
  }

  void run(PolytopeData& p, std::vector<std::vector<int>>& faces) {
    std::vector<std::pair<double, int>> order;
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) order.push_back({-norm(area(t)), t});
    std::sort(order.begin(), order.end());
    for (const auto& [size, first] : order) {
      if (group_[at(first)] >= 0) continue;
      const int name = static_cast<int>(p.face.size());
      std::vector<int> members = flood(first, name, area(first));
      Point normal = Point::zero();
      for (const int t : members) normal += area(t);
      Loop loop = outline(members, name);
      if (loop.empty() || !(norm(normal) > 0)) {  // no polygon: the triangle alone
        for (const int t : members) group_[at(t)] = -1;
        members = {first};
        group_[at(first)] = name;
        normal = area(first);
        loop = {corner(first, 0), corner(first, 1), corner(first, 2)};
      }
      if (!(norm(normal) > 0)) throw std::invalid_argument("a triangle of the hull has no area");
      for (const int t : members)
        for (const int k : triangles_[at(t)]) faces[at(k)].push_back(name);
      add_face(p, normal * (1 / norm(normal)), loop);
    }
  }

 private:
  int corner(int t, std::size_t k) const { return triangles_[at(t)][k % 3]; }
  const Point& point(int t, std::size_t k) const { return points_[at(corner(t, k))]; }
  Point area(int t) const { return cross(point(t, 1) - point(t, 0), point(t, 2) - point(t, 0)); }

  std::vector<int> flood(int first, int name, Point normal) {
    normal = normal * (norm(normal) > 0 ? 1 / norm(normal) : 0);
    const double offset = dot(normal, point(first, 0));
    std::vector<int> members = {first};
    group_[at(first)] = name;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto found = across_.find({corner(members[i], k + 1), corner(members[i], k)});
        if (found == across_.end() || group_[at(found->second)] >= 0) continue;
        const int t = found->second;
        bool flat = !(dot(area(t), normal) < 0);
        for (std::size_t c = 0; c < 3; ++c) flat = flat && std::fabs(dot(normal, point(t, c)) - offset) <= flat_;
        if (!flat) continue;
        group_[at(t)] = name;
        members.push_back(t);
      }
    return members;
  }

  /// The corners around triangles of a group; empty where they are no single polygon.
  Loop outline(const std::vector<int>& members, int name) const {
    std::map<int, int> next;
    for (const int t : members)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto found = across_.find({corner(t, k + 1), corner(t, k)});
        if (found != across_.end() && group_[at(found->second)] == name) continue;
        if (!next.emplace(corner(t, k), corner(t, k + 1)).second) return {};
      }
    if (next.empty()) return {};
    Loop loop;
    for (int k = next.begin()->first; loop.size() < next.size(); k = next.at(k)) {
      if (!loop.empty() && k == loop[0]) return {};
      loop.push_back(k);
      if (next.find(k) == next.end()) return {};
    }
    return next.at(loop.back()) == loop[0] ? loop : Loop();
  }

  const std::vector<Point>& points_;
  const Triangles& triangles_;
  double flat_;
  std::vector<int> group_;
  std::map<std::pair<int, int>, int> across_;
};

}  // namespace

int Polytope::farthest(const Point& along, int start) const {
  int best = 0;
  double most = dot(along, point[0]);
  if (points <= k_few) {
    for (int k = 1; k < points; ++k) {
      const double h = dot(along, point[k]);
      if (h > most) most = h, best = k;
    }
    return best;
  }
  best = start, most = dot(along, point[start]);
  for (int from = -1; from != best;) {
    from = best;
    for (int i = beside_first[from]; i < beside_first[from + 1]; ++i) {
      const double h = dot(along, point[beside[i]]);
      if (h > most) most = h, best = beside[i];
    }
  }
  return best;
}

int Polytope::face_towards(const Point& along, int at) const {
  int best = -1;
  double most = -2;
  if (faces == 0) return best;
  for (int i = face_first[at]; i < face_first[at + 1]; ++i) {
    const double h = dot(along, face[face_beside[i]].normal);
    if (h > most) most = h, best = face_beside[i];
  }
  return best;
}

Polytope PolytopeData::view() const {
  Polytope p;
  p.point = point.data(), p.points = static_cast<int>(point.size());
  p.face = face.data(), p.faces = static_cast<int>(face.size());
  p.corner = corner.data(), p.side = side.data();
  p.edge = edge.data(), p.edges = static_cast<int>(edge.size());
  p.beside_first = beside_first.data(), p.beside = beside.data();
  p.face_first = face_first.data(), p.face_beside = face_beside.data();
  p.size = size;
  return p;
}

PolytopeData point_polytope() {
  PolytopeData p;
  p.point = {Point::zero()};
  gather(p, {{}}, {{}});
  return p;
}

PolytopeData segment_polytope(double half) {
  PolytopeData p;
  p.point = {{0, 0, -half}, {0, 0, half}};
  p.edge = {{.from = 0, .to = 1}};
  p.size = half;
  gather(p, {{}, {}}, {{}, {}});
  return p;
}

PolytopeData box_polytope(const Point& half) {
  PolytopeData p;
  for (int k = 0; k < 8; ++k)
    p.point.push_back({(k & 1) ? half.x : -half.x, (k & 2) ? half.y : -half.y, (k & 4) ? half.z : -half.z});
  add_face(p, {-1, 0, 0}, {0, 4, 6, 2});
  add_face(p, {1, 0, 0}, {1, 3, 7, 5});
  add_face(p, {0, -1, 0}, {0, 1, 5, 4});
  add_face(p, {0, 1, 0}, {2, 6, 7, 3});
  add_face(p, {0, 0, -1}, {0, 2, 3, 1});
  add_face(p, {0, 0, 1}, {4, 5, 7, 6});
  join(p);
  p.size = norm(half);
  gather(p, std::vector<std::vector<int>>(8), std::vector<std::vector<int>>(8));
  return p;
}

PolytopeData hull_polytope(const std::vector<Point>& points, const char* what) {
  HullFault fault;
  const Triangles hull = convex_hull(points, most_heights(points.size()), fault);
  const std::string name = std::string(what) + ": the " + std::to_string(points.size()) + " points ";
  if (fault == HullFault::flat) throw std::invalid_argument(name + "lie in a plane, to rounding");
  if (fault == HullFault::torn)
    throw std::invalid_argument(name + "have no convex hull: rounding has torn its surface");
  if (fault != HullFault::none) throw std::invalid_argument(name + "are too many for a convex hull");
  PolytopeData p;
  std::vector<int> number(points.size(), -1);
  Triangles triangles;
  Point low = points[at(hull[0][0])], high = low;
  for (const auto& t : hull) {
    triangles.push_back(t);
    for (int& k : triangles.back()) {
      const Point& x = points[at(k)];
      if (number[at(k)] < 0) number[at(k)] = static_cast<int>(p.point.size()), p.point.push_back(x);
      k = number[at(k)];
      for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], x[i]), high[i] = std::max(high[i], x[i]);
    }
  }
  p.size = norm(high - low) / 2;
  std::vector<std::vector<int>> beside(p.point.size()), faces(p.point.size());
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      beside[at(t[k])].push_back(t[(k + 1) % 3]);
      beside[at(t[(k + 1) % 3])].push_back(t[k]);
    }
  Faces(p.point, triangles, k_flat * p.size).run(p, faces);
  join(p);
  gather(p, std::move(beside), std::move(faces));
  return p;
}

}  // namespace zwang::geometry
