// SPDX-License-Identifier: BSD-3-Clause
#include "constraint/joint_columns.hpp"

#include <cmath>

#include "zwang/model/for_each_joint.hpp"

namespace zwang::detail {
namespace {

double dot6(const Motion<double>& a, const Motion<double>& b) { return dot(a.v, b.v) + dot(a.w, b.w); }

/// Takes the parts along an orthonormal basis off x, twice: once leaves rounding of the size of what was taken.
void project_off(Motion<double>& x, const Motion<double>* basis, Index size) {
  for (int again = 0; again < 2; ++again)
    for (Index i = 0; i < size; ++i) x -= basis[i] * dot6(basis[i], x);
}

}  // namespace

CoordinateColumn coordinate_column(const Model& model, Index v) {
  const Tree<double>& tree = model.tree<double>();
  CoordinateColumn c;
  c.v = v;
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (tree.column[k].v == v && (c.column < 0 || std::fabs(tree.column[k].multiplier) > std::fabs(c.multiplier))) {
      c.column = k;
      c.multiplier = tree.column[k].multiplier;
    }
  c.child = tree.column[c.column].body;
  c.parent = tree.body[c.child].parent;
  for_each_joint(tree, [&](const auto& joint) {
    if (v < joint.v || v >= joint.v + joint.nv) return;
    const Index i = v - joint.v;  // the angle of a planar joint, its third number, is additive too
    if (joint.additive() || (tree.body[joint.body].kind == kind_of<Planar> && i == 2)) c.q = joint.q + i;
  });
  return c;
}

CoordinateColumn find_coordinate(const Model& model, const std::string& name, const std::string& constraint) {
  const std::vector<std::string>& names = model.coordinate_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return coordinate_column(model, static_cast<Index>(k));
  throw_unknown(("constraint '" + constraint + "': coordinate").c_str(), name, names);
}

std::vector<Index> bodies_of(const std::vector<CoordinateColumn>& coordinates) {
  std::vector<Index> bodies;
  for (const CoordinateColumn& c : coordinates) bodies.insert(bodies.end(), {c.child, c.parent});
  return bodies;
}

Index place_of(const std::vector<Index>& bodies, Index body) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i] == body) return static_cast<Index>(i);
  return -1;
}

Force<double> dual_of_column(const Data& data, Index column) {
  const Tree<double>& tree = data.tree();
  const Body<double>& b = tree.body[tree.column[column].body];
  const Vec3<double> origin = data.position.placement[tree.column[column].body].p;
  const auto own = [&](Index k) { return with_reference_point(Motion<double>(data.articulated.column[k].s), origin); };
  Motion<double> basis[6], x = own(column);
  Index size = 0;
  for (Index k = b.v; k < b.v + b.nv; ++k) {
    if (k == column) continue;
    Motion<double> y = own(k);
    const double before = dot6(y, y);
    project_off(y, basis, size);
    const double after = dot6(y, y);
    if (after > 1e-24 * before) basis[size++] = y * (1 / std::sqrt(after));
  }
  const double before = dot6(x, x);
  project_off(x, basis, size);
  const double after = dot6(x, x);
  if (!(after > 1e-24 * before)) return Force<double>::zero();
  return with_reference_point(Force<double>{x.v * (1 / after), x.w * (1 / after)}, -origin);
}

}  // namespace zwang::detail
