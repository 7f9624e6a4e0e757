// SPDX-License-Identifier: BSD-3-Clause
// LoopConstraint bound to its two bodies, and the rows of joints.
#include "constraint/bind.hpp"
#include "constraint/loop_geometry.hpp"

namespace zwang {
namespace {

const char* const k_words[] = {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};

/// A row along d; named after the axis if d is one.
void add(RowSelection& s, bool angular, const Vec3<double>& d) {
  const int first = angular ? 3 : 0;
  std::string name;
  for (int i = 0; i < 3; ++i)
    if (d[i] == 1) name = k_words[first + i];
  int count = 0;
  for (const std::string& n : s.names) count += n.starts_with(angular ? "angular" : "linear");
  s.names.push_back(name.empty() ? std::string(angular ? "angular" : "linear") + "[" + std::to_string(count) + "]"
                                 : name);
  for (int i = 0; i < 6; ++i) s.matrix.push_back(i / 3 == first / 3 ? d[i % 3] : 0.0);
}

}  // namespace

page::LoopGeometry loop_geometry(const RowSelection& rows, const std::string& name) {
  std::vector<Vec3<double>> basis;  // orthonormal
  for (Index r = 0; r < rows.size(); ++r) {
    const double* const m = &rows.matrix[static_cast<std::size_t>(6 * r + 3)];
    Vec3<double> w{m[0], m[1], m[2]};
    const double size = norm(w);
    for (int again = 0; again < 2; ++again)
      for (const Vec3<double>& b : basis) w -= b * dot(b, w);
    if (basis.size() < 3 && norm(w) > 1e-9 * size) basis.push_back(w * (1 / norm(w)));
  }
  using Angles = page::LoopGeometry::Angles;
  page::LoopGeometry g;
  g.angles = basis.empty() ? Angles::none : basis.size() == 2 ? Angles::axis : Angles::vector;
  if (basis.size() == 2) {
    g.first = cross(basis[0], basis[1]);
    g.second = basis[0];
  }
  if (rows.free_axes.empty()) return g;
  if (basis.size() != 1)
    throw std::invalid_argument("constraint '" + name +
                                "': rows: the axes of a universal joint leave 1 angle to hold; " +
                                std::to_string(basis.size()) + " are held");
  if (rows.free_axes.size() != 6)
    detail::throw_size(("constraint '" + name + "'").c_str(), "rows.free_axes",
                       static_cast<long>(rows.free_axes.size()), 6);
  const double* const u = rows.free_axes.data();
  g.angles = Angles::between;
  g.first = detail::unit({u[0], u[1], u[2]}, name, "first axis");
  g.second = detail::unit({u[3], u[4], u[5]}, name, "second axis");
  if (std::fabs(dot(g.first, g.second)) > 1e-9)
    throw std::invalid_argument("constraint '" + name + "': the two axes of a universal joint are perpendicular");
  if (norm(cross(basis[0], cross(g.first, g.second))) > 1e-9)
    throw std::invalid_argument("constraint '" + name +
                                "': rows: the angle held is not the one between the two axes of "
                                "the universal joint");
  return g;
}

RowSelection joint_rows(const std::string& joint, const Vec3<double>& axis, const Vec3<double>& second) {
  struct Kind {
    const char *name, *alias;
    bool along, across, turn, tilt;  ///< held: linear along and across the axis, angular about it and across it
  };
  static constexpr Kind k_kinds[] = {
      {"hinge", "revolute", true, true, false, true},          {"slider", "prismatic", false, true, true, true},
      {"cylindrical", "cylinder", false, true, false, true},   {"planar", "plane", true, false, false, true},
      {"ball", "spherical", true, true, false, false},         {"weld", "fixed", true, true, true, true},
      {"universal", "cardan", true, true, false, false},       {"point_on_line", "line", false, true, false, false},
      {"point_on_plane", "surface", true, false, false, false}};
  for (const Kind& k : k_kinds) {
    if (joint != k.name && joint != k.alias) continue;
    const std::string where = "joint_rows(" + joint + ")";
    const Mat3<double> axes = detail::axes_along(detail::unit(axis, where, "axis"), Vec3<double>::zero(), where);
    Vec3<double> direction[3] = {column_x(axes), column_y(axes), column_z(axes)};
    if (direction[2].x == 1 || direction[2].y == 1) {  // named axes in their usual order
      direction[0] = direction[2].x == 1 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0};
      direction[1] = {0, 0, 1};
    }
    RowSelection s;
    const bool whole[2] = {k.along && k.across, k.turn && k.tilt};
    for (const bool angular : {false, true}) {
      const bool held[3] = {angular ? k.tilt : k.across, angular ? k.tilt : k.across, angular ? k.turn : k.along};
      for (int i = 0; i < 3; ++i) {
        const Vec3<double> e{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        if (whole[angular])
          add(s, angular, e);
        else if (held[i])
          add(s, angular, direction[i]);
      }
    }
    if (joint == "universal" || joint == "cardan") {
      const Vec3<double> u1 = direction[2];
      const Vec3<double> u2 = detail::unit(dot(second, second) == 0 ? direction[0] : second, where, "second axis");
      if (std::fabs(dot(u1, u2)) > 1e-9) throw std::invalid_argument(where + ": the two axes are perpendicular");
      s.free_axes = {u1.x, u1.y, u1.z, u2.x, u2.y, u2.z};
      add(s, true, cross(u1, u2));
    }
    return s;
  }
  std::vector<std::string> known;
  for (const Kind& k : k_kinds) known.insert(known.end(), {k.name, k.alias});
  detail::throw_unknown("joint to close a loop with", joint, known);
}

LoopConstraint loop_constraint(const Model& model, const Loop& loop) {
  LoopConstraint c{.name = loop.name};
  c.frame = model.frame(loop.predecessor).name;
  c.other = model.frame(loop.successor).name;
  const std::string& type = loop.type;
  if (type == "floating")
    c.rows = {};
  else if (type == "translation")
    c.rows = rows("angular");
  else
    c.rows = joint_rows(type == "continuous" || type == "revolute_unbounded" ? "revolute"
                        : type == "spherical_zyx"                            ? "spherical"
                                                                             : type,
                        loop.axis, loop.second_axis);
  return c;
}

namespace {

/// Rows along axes of the world that stand still.
std::shared_ptr<const Relation> between_points(const LoopConstraint& f, const page::BodyFrame& a,
                                               const page::BodyFrame& b) {
  std::vector<Vec3<double>> directions;
  for (std::size_t k = 0; k < f.rows.matrix.size(); k += 6) {
    const double* const m = &f.rows.matrix[k];
    if (m[3] != 0 || m[4] != 0 || m[5] != 0)
      throw std::invalid_argument("constraint '" + f.name + "': in: rows in local_world_aligned are linear; '" +
                                  f.rows.names[k / 6] + "' holds an angle, which is seen in a's axes: 'local'");
    directions.push_back({m[0], m[1], m[2]});
  }
  const auto size = static_cast<Index>(directions.size());
  return detail::relation_of(size, {a.body, b.body}, page::PointPairRows{a, b, {directions.data(), size}});
}

}  // namespace

Constraint bind(const Model& model, const LoopConstraint& f) {
  Constraint c = detail::begin(f, f.frame);
  const Frame &a = model.frame(f.frame), &b = model.frame(f.other);
  c.other = f.other;
  c.in = f.in;
  detail::set_rows(c, f.rows.names);
  detail::check_finite(f.rows.matrix.data(), static_cast<Index>(f.rows.matrix.size()), c.name, "rows");
  if (f.rows.matrix.size() != 6 * f.rows.names.size())
    throw std::invalid_argument("constraint '" + c.name + "': " + std::to_string(f.rows.names.size()) +
                                " row names for a matrix of " + std::to_string(f.rows.matrix.size()) + " numbers");
  const page::BodyFrame on_a{a.body.value, a.in_body}, on_b{b.body.value, b.in_body};
  if (f.in == "local")
    c.relation = detail::relation_of(loop_geometry(f.rows, c.name), on_a, on_b, f.rows.matrix);
  else if (f.in == "local_world_aligned")
    c.relation = between_points(f, on_a, on_b);
  else
    throw std::invalid_argument("constraint '" + f.name + "': in is '" + f.in +
                                "', expected 'local' (the axes of frame '" + f.frame +
                                "', which move) or 'local_world_aligned' (the world's)");
  return c;
}

template Constraint& ConstraintSet::add(const LoopConstraint&);
template const LoopConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
