// SPDX-License-Identifier: BSD-3-Clause
#include "io/loop_kind.hpp"

#include <cmath>
#include <vector>

namespace zwang::io {
namespace {

constexpr double k_parallel = 1e-9;

/// The directions that some rows hold: an orthonormal basis of what they span.
class Directions {
 public:
  void add(Vec3<double> d) {
    const double size = norm(d);
    for (int again = 0; again < 2; ++again)
      for (const Vec3<double>& b : basis_) d -= b * dot(b, d);
    if (basis_.size() < 3 && norm(d) > k_parallel * size) basis_.push_back(d * (1 / norm(d)));
  }
  std::size_t count() const { return basis_.size(); }
  /// The one direction of one, and the one that two leave out.
  Vec3<double> axis() const { return basis_.size() == 1 ? basis_[0] : cross(basis_[0], basis_[1]); }

 private:
  std::vector<Vec3<double>> basis_;
};

/// Rounding beside the axis is taken off.
Vec3<double> tidy(Vec3<double> axis) {
  for (int i = 0; i < 3; ++i)
    if (std::fabs(axis[i]) < 1e-15) axis[i] = 0;
  return axis * (1 / norm(axis));
}

bool on_one_line(const Vec3<double>& a, const Vec3<double>& b) { return norm(cross(a, b)) < k_parallel; }

}  // namespace

LoopKind loop_kind(const RowSelection& rows) {
  Directions linear, angular;
  for (std::size_t r = 0; 6 * r + 5 < rows.matrix.size(); ++r) {
    const double* const m = &rows.matrix[6 * r];
    const Vec3<double> p{m[0], m[1], m[2]}, w{m[3], m[4], m[5]};
    const bool moves = norm(p) > 0, turns = norm(w) > 0;
    if (moves && turns) return {};
    if (moves) linear.add(p);
    if (turns) angular.add(w);
  }
  const std::size_t p = linear.count(), w = angular.count();
  const auto along = [](const char* type, const Directions& of) { return LoopKind{type, tidy(of.axis())}; };
  if (!rows.free_axes.empty()) {
    const double* const u = rows.free_axes.data();
    if (p != 3 || w != 1 || rows.free_axes.size() != 6) return {};
    return {"universal", {u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
  }
  if (p == 3 && w == 3) return {"fixed"};
  if (p == 3 && w == 0) return {"spherical"};
  if (p == 0 && w == 3) return {"translation"};
  if (p == 3 && w == 2) return along("revolute", angular);
  if (p == 2 && w == 3) return along("prismatic", linear);
  if (p == 2 && w == 2 && on_one_line(linear.axis(), angular.axis())) return along("cylindrical", angular);
  if (p == 1 && w == 2 && on_one_line(linear.axis(), angular.axis())) return along("planar", angular);
  return {};
}

}  // namespace zwang::io
