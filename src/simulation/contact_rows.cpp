// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_rows.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/joint_columns.hpp"
#include "zwang/model/stages.hpp"

namespace zwang {
namespace {

/// Two directions that are orthogonal to the normal and to each other, the same for the same normal.
void tangents(const Vec3<double>& n, Vec3<double>& t1, Vec3<double>& t2) {
  const Vec3<double> axis = std::fabs(n.x) < 0.7 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  t1 = axis - n * dot(n, axis);
  t1 = t1 * (1 / norm(t1));
  t2 = cross(n, t1);
}

}  // namespace

ContactRows::ContactRows(Movement& motion)
    : model_(motion.model),
      pairs_(motion.scene(), !motion.sided().empty()),
      sided_(motion),
      nv_(model_.nv()) {
  const Model& model = model_;
  const Scene& scene = motion.scene();
  for (Index k = 0; k < nv_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const std::string& name = model.coordinate_names()[at];
    const double F = model.friction()[at];
    if (motion.dry_friction && F != 0 && !std::isnan(F)) {
      if (F < 0)
        throw std::invalid_argument("Simulator: the friction of '" + name + "' is " + std::to_string(F) +
                                    ", which drives; expected >= 0, or joint_effects.friction off");
      friction_.push_back({k, F});
    }
    const Index q = detail::coordinate_column(model, k).q;
    if (!scene.limits || q < 0) continue;
    const double lower = model.lower()[static_cast<std::size_t>(q)], upper = model.upper()[static_cast<std::size_t>(q)];
    if (std::isfinite(lower) || std::isfinite(upper)) limits_.push_back({k, q, lower, upper});
  }
  std::string open;
  for (const Joint& j : model.joints()) {
    bool limited = false, kept = j.v.size > 0;
    for (Index k = j.q.first; k < j.q.end(); ++k)
      limited = limited || std::isfinite(model.lower()[static_cast<std::size_t>(k)]) ||
                std::isfinite(model.upper()[static_cast<std::size_t>(k)]);
    for (Index k = j.v.first; k < j.v.end(); ++k) kept = kept && detail::coordinate_column(model, k).q >= 0;
    if (scene.limits && limited && !kept && j.mimic.leader.empty()) open += (open.empty() ? "'" : ", '") + j.name + "'";
  }
  if (!open.empty())
    notes_.push_back("limits are kept of coordinates that are numbers of q alone, not all of those of " + open);
  const std::size_t room = 64 + 2 * limits_.size() + friction_.size();
  list_.reserve(room);
  points_.reserve(room);
  J_.reserve(3 * room * static_cast<std::size_t>(nv_));
}

void ContactRows::find(const Data& data, const double* q, const double* speed, double least, double ahead) {
  list_.clear();
  if (pairs_.any()) {
    pairs_.place(data, speed != nullptr);
    pairs_.find(least, speed != nullptr ? ahead : 0, points_);
    for (const TouchingPoint& x : points_) {
      ContactRow row;
      row.pair = x.pair;
      row.feature = x.at.feature;
      row.gap = x.at.gap;
      row.point = (x.at.on_a + x.at.on_b) * 0.5;
      row.normal = x.at.normal;
      row.law = pair_of(row).law;
      tangents(row.normal, row.t1, row.t2);
      list_.push_back(row);
    }
  }
  for (const Limit& x : limits_) {
    const double near = speed != nullptr ? std::fmax(least, 2 * ahead * std::fabs(speed[x.v])) : least;
    const double above = q[x.q] - x.lower, below = x.upper - q[x.q];  // NaN and infinity are no limits
    if (above <= near) list_.push_back({.kind = ContactRow::Kind::lower, .coordinate = x.v, .gap = above});
    if (below <= near) list_.push_back({.kind = ContactRow::Kind::upper, .coordinate = x.v, .gap = below, .side = -1});
  }
  if (sided_.any()) sided_.find(data, q, speed, least, ahead, list_);
  if (speed != nullptr)
    for (const DryFriction& x : friction_)
      list_.push_back({.kind = ContactRow::Kind::friction, .coordinate = x.v, .law = {.friction = x.bound}});
  number();
}

void ContactRows::number() {
  rows_ = 0;
  for (ContactRow& x : list_) {
    x.first = rows_;
    rows_ += x.size();
  }
}

/// Columns of the bodies that move this one: the velocity of the point, along t1, t2 and the normal.
void ContactRows::add_point_row(const Data& data, const ContactRow& x, Index body, double sign) {
  if (body == 0) return;
  const Tree<double>& tree = data.tree();
  const Vec3<double> at = x.point - data.position.centre[tree.body[body].root];
  double* const J = J_.data() + static_cast<std::size_t>(x.first) * static_cast<std::size_t>(nv_);
  for (Index i = body; i > 0; i = tree.body[i].parent)
    for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
      const Motion<double> s = data.articulated.column[k].s;
      const Vec3<double> velocity = (s.v + cross(s.w, at)) * (sign * tree.column[k].multiplier);
      double* const to = J + tree.column[k].v;
      to[0] += dot(x.t1, velocity);
      to[nv_] += dot(x.t2, velocity);
      to[2 * nv_] += dot(x.normal, velocity);
    }
}

void ContactRows::form(const Data& data) {
  J_.assign(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(nv_), 0.0);
  for (const ContactRow& x : list_) {
    if (x.is_point()) {
      const ContactPairs::Pair& pair = pair_of(x);
      add_point_row(data, x, pair.body_a, -1);
      add_point_row(data, x, pair.body_b, 1);
    } else if (x.is_of_user()) {
      for (Index k = 0; k < x.size(); ++k)
        sided_.write(x, k, J_.data() + static_cast<std::size_t>(x.first + k) * static_cast<std::size_t>(nv_));
    } else {
      J_[static_cast<std::size_t>(x.first) * static_cast<std::size_t>(nv_) + static_cast<std::size_t>(x.coordinate)] =
          x.side;
    }
  }
}

double ContactRows::approach(const ContactRow& x, const double* v) const {
  const double* const J = row(x.normal_row());
  double sum = 0;
  for (Index k = 0; k < nv_; ++k) sum += J[k] * v[k];
  return sum;
}

std::string ContactRows::name(const ContactRow& x) const {
  if (x.is_point()) {
    const ContactPairs::Pair& pair = pair_of(x);
    const auto& shapes = pairs_.scene().shapes();
    return shapes[static_cast<std::size_t>(pair.a)].name + " and " + shapes[static_cast<std::size_t>(pair.b)].name;
  }
  if (x.is_of_user()) return sided_.name(x);
  const std::string& name = model_.coordinate_names()[static_cast<std::size_t>(x.coordinate)];
  switch (x.kind) {
    case ContactRow::Kind::lower: return "lower limit of " + name;
    case ContactRow::Kind::upper: return "upper limit of " + name;
    default: return "friction of " + name;
  }
}

std::string ContactRows::explain(const ContactReport& report) const {
  const auto named = [&](Index cone) {
    return cone >= 0 && cone < static_cast<Index>(list_.size())
               ? "'" + name(list_[static_cast<std::size_t>(cone)]) + "'"
               : std::string("none");
  };
  if (report.status == Status::infeasible) {
    std::vector<std::string> names;  // several points of a pair are one name
    for (const Index cone : report.conflicts)
      if (std::find(names.begin(), names.end(), named(cone)) == names.end()) names.push_back(named(cone));
    std::string all;
    for (std::size_t k = 0; k < names.size() && k < 4; ++k) all += (k == 0 ? "" : ", ") + names[k];
    if (names.size() > 4) all += " and " + std::to_string(names.size() - 4) + " more";
    return "contacts and limits contradict each other: " + all;
  }
  std::string text = "the impulses of contact: " + report.explain();
  if (report.worst >= 0) text += " The worst is " + named(report.worst) + ".";
  return text;
}

}  // namespace zwang
