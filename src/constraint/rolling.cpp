// SPDX-License-Identifier: BSD-3-Clause
// RollingConstraint: its geometry, with the frames of the plane and of the wheel.
#include "constraint/bind.hpp"
#include "constraint/page_relation.hpp"

namespace zwang {
namespace {

const char* const k_row_words[3] = {"tangent1", "tangent2", "normal"};

/// Rows over the three errors for the words of `rows`, in their order.
std::vector<double> choose(const RollingConstraint& f, std::vector<std::string>& names) {
  bool held[3] = {false, false, false};
  std::string word;
  for (const char letter : f.rows + ' ') {
    if (letter != ' ' && letter != ',') {
      word += letter;
      continue;
    }
    if (word.empty()) continue;
    int i = 0;
    while (i < 3 && word != k_row_words[i]) ++i;
    if (i == 3)
      detail::throw_unknown(("constraint '" + f.name + "': row").c_str(), word,
                            {k_row_words[0], k_row_words[1], k_row_words[2]});
    if (held[i]) throw std::invalid_argument("constraint '" + f.name + "': row " + word + " is named twice");
    held[i] = true;
    word.clear();
  }
  std::vector<double> matrix;
  for (int i = 0; i < 3; ++i) {
    if (!held[i]) continue;
    names.push_back(k_row_words[i]);
    for (int j = 0; j < 3; ++j) matrix.push_back(i == j ? 1.0 : 0.0);
  }
  if (names.empty()) throw std::invalid_argument("constraint '" + f.name + "': rows: none is named");
  return matrix;
}

}  // namespace

Constraint bind(const Model& model, const RollingConstraint& f) {
  Constraint c = detail::begin(f, f.frame);
  const Frame& frame = model.frame(f.frame);
  c.other = f.other;
  c.in = f.other.empty() ? "local_world_aligned" : f.other;
  if (!(f.radius >= 0) || !std::isfinite(f.radius))
    throw std::invalid_argument("constraint '" + c.name + "': radius is >= 0 and finite; got " +
                                std::to_string(f.radius));
  const double numbers[3] = {f.plane_point.x, f.plane_point.y, f.plane_point.z};
  detail::check_finite(numbers, 3, c.name, "plane_point");
  const double axis[3] = {f.axis.x, f.axis.y, f.axis.z};
  detail::check_finite(axis, 3, c.name, "axis");
  page::RollingGeometry g;
  g.radius = f.radius;
  g.wheel = dot(f.axis, f.axis) != 0;
  if (g.wheel) g.axis = detail::unit(f.axis, c.name, "axis");
  std::vector<std::string> names;
  const std::vector<double> matrix = choose(f, names);
  c.unilateral = f.role == Role::physical && names.back() == "normal";
  detail::set_rows(c, names);
  const Mat3<double> axes = detail::axes_along(detail::unit(f.normal, c.name, "normal"), f.tangent, c.name);
  g.normal = column_z(axes);
  g.tangent = column_x(axes);
  page::BodyFrame plane{0, {Mat3<double>::identity(), f.plane_point}};
  if (!f.other.empty()) {
    const Frame& other = model.frame(f.other);
    plane = {other.body.value, other.in_body * plane.in_body};
  }
  c.relation = detail::relation_of(g, plane, {frame.body.value, frame.in_body}, matrix);
  return c;
}

template Constraint& ConstraintSet::add(const RollingConstraint&);
template const RollingConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
