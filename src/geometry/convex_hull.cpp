// SPDX-License-Identifier: BSD-3-Clause
// Quickhull: faces with the points outside of them; the farthest point replaces the faces that it sees.
#include "geometry/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace zwang::geometry {
namespace {

struct HullFace {
  std::array<int, 3> corner;
  std::array<int, 3> beside = {-1, -1, -1};  ///< the face across the edge from corner k to k + 1
  Vec3<double> normal = Vec3<double>::zero();
  double offset = 0;
  std::vector<int> outside = {};
  bool alive = true, seen = false;
};

class Hull {
 public:
  Hull(const std::vector<Vec3<double>>& points, long most) : points_(points), left_(most) {}

  std::vector<std::array<int, 3>> run(HullFault& fault) {
    fault = HullFault::flat;
    if (!start()) return {};
    fault = HullFault::torn;
    while (!work_.empty()) {
      const int f = work_.back();
      work_.pop_back();
      if (face(f).alive && !face(f).outside.empty() && !extend(f)) return {};
      if (left_ >= 0) continue;
      fault = HullFault::long_work;
      return {};
    }
    fault = HullFault::none;
    std::vector<std::array<int, 3>> out;
    for (const HullFace& f : faces_)
      if (f.alive) out.push_back(f.corner);
    return out;
  }

 private:
  struct Edge {
    int from, to, beyond;
  };

  const Vec3<double>& point(int k) const { return points_[static_cast<std::size_t>(k)]; }
  HullFace& face(int f) { return faces_[static_cast<std::size_t>(f)]; }
  double height(const HullFace& f, int k) {
    --left_;
    return dot(f.normal, point(k)) - f.offset;
  }

  int add(int a, int b, int c) {
    HullFace f{{a, b, c}};
    const Vec3<double> n = cross(point(b) - point(a), point(c) - point(a));
    const double length = norm(n);
    f.normal = length > 0 ? n * (1 / length) : n;
    f.offset = dot(f.normal, point(a));
    faces_.push_back(std::move(f));
    return static_cast<int>(faces_.size()) - 1;
  }

  /// Four points that are far from each other: two ends along an axis, the farthest from their line, from their plane.
  bool start() {
    const int count = static_cast<int>(points_.size());
    if (count < 4) return false;
    int low = 0, high = 0;
    double widest = -1, reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
      int a = 0, b = 0;
      for (int k = 1; k < count; ++k) {
        if (point(k)[axis] < point(a)[axis]) a = k;
        if (point(k)[axis] > point(b)[axis]) b = k;
      }
      reach += std::max(std::fabs(point(a)[axis]), std::fabs(point(b)[axis]));
      if (point(b)[axis] - point(a)[axis] > widest) {
        widest = point(b)[axis] - point(a)[axis];
        low = a;
        high = b;
      }
    }
    // Distances are computed with the rounding of a dot product of this size.
    eps_ = 8 * std::numeric_limits<double>::epsilon() * reach;
    if (!(widest > eps_)) return false;
    const Vec3<double> along = (point(high) - point(low)) * (1 / norm(point(high) - point(low)));
    const auto farthest = [&](auto&& distance, double& best) {
      int at = -1;
      best = eps_;
      for (int k = 0; k < count; ++k)
        if (distance(k) > best) {
          best = distance(k);
          at = k;
        }
      return at;
    };
    double best = 0;
    const int third = farthest([&](int k) { return norm(cross(along, point(k) - point(low))); }, best);
    if (third < 0) return false;
    Vec3<double> normal = cross(point(high) - point(low), point(third) - point(low));
    normal = normal * (1 / norm(normal));
    const int fourth = farthest([&](int k) { return std::fabs(dot(normal, point(k) - point(low))); }, best);
    if (fourth < 0) return false;
    int a = low, b = high;
    if (dot(normal, point(fourth) - point(low)) > 0) std::swap(a, b);  // the fourth is behind the first face
    const int faces[4] = {add(a, b, third), add(b, a, fourth), add(third, b, fourth), add(a, third, fourth)};
    face(faces[0]).beside = {faces[1], faces[2], faces[3]};
    face(faces[1]).beside = {faces[0], faces[3], faces[2]};
    face(faces[2]).beside = {faces[0], faces[1], faces[3]};
    face(faces[3]).beside = {faces[0], faces[2], faces[1]};
    std::vector<int> all;
    for (int k = 0; k < count; ++k) all.push_back(k);
    share(all, {faces[0], faces[1], faces[2], faces[3]});
    return true;
  }

  /// Gives each point to the first of the faces that it lies outside of.
  void share(const std::vector<int>& from, const std::vector<int>& faces) {
    for (const int k : from)
      for (const int f : faces)
        if (height(face(f), k) > eps_) {
          face(f).outside.push_back(k);
          break;
        }
    for (const int f : faces)
      if (!face(f).outside.empty()) work_.push_back(f);
  }

  /// The farthest point outside of a face becomes a corner. False where rounding has torn the surface.
  bool extend(int first) {
    int eye = -1;
    double best = -1;
    for (const int k : face(first).outside)
      if (height(face(first), k) > best) {
        best = height(face(first), k);
        eye = k;
      }
    std::vector<int> visible = {first}, orphans;
    std::vector<Edge> horizon;
    face(first).seen = true;
    for (std::size_t i = 0; i < visible.size(); ++i) {
      const int f = visible[i];
      for (std::size_t e = 0; e < 3; ++e) {
        const int other = face(f).beside[e];
        if (face(other).seen) continue;
        if (height(face(other), eye) > eps_) {
          face(other).seen = true;
          visible.push_back(other);
        } else {
          horizon.push_back({face(f).corner[e], face(f).corner[(e + 1) % 3], other});
        }
      }
    }
    for (const int f : visible) {
      for (const int k : face(f).outside)
        if (k != eye) orphans.push_back(k);
      face(f).alive = false;
      face(f).outside = {};
    }
    std::unordered_map<int, int> starts, ends;  // the new face whose edge of the horizon starts or ends at a point
    std::vector<int> fresh;
    for (const Edge& edge : horizon) {
      const int f = add(edge.from, edge.to, eye);
      fresh.push_back(f);
      if (!starts.emplace(edge.from, f).second || !ends.emplace(edge.to, f).second) return false;
      face(f).beside[0] = edge.beyond;
      for (std::size_t e = 0; e < 3; ++e)
        if (face(edge.beyond).corner[e] == edge.to && face(edge.beyond).corner[(e + 1) % 3] == edge.from)
          face(edge.beyond).beside[e] = f;
    }
    for (const int f : fresh) {
      const auto next = starts.find(face(f).corner[1]), last = ends.find(face(f).corner[0]);
      if (next == starts.end() || last == ends.end()) return false;
      face(f).beside[1] = next->second;
      face(f).beside[2] = last->second;
    }
    share(orphans, fresh);
    return true;
  }

  const std::vector<Vec3<double>>& points_;
  std::vector<HullFace> faces_;
  std::vector<int> work_;
  long left_;
  double eps_ = 0;
};

}  // namespace

std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3<double>>& points, long most, HullFault& fault) {
  return Hull(points, most).run(fault);
}

}  // namespace zwang::geometry
