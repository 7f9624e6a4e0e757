// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_terms.hpp"

#include <algorithm>
#include <cmath>

#include "core/borrowed.hpp"
#include "geometry/point_motion.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"

namespace zwang {
namespace {

using Point = Vec3<double>;

Point linear(const double* twist) { return {twist[0], twist[1], twist[2]}; }
Point angular(const double* twist) { return {twist[3], twist[4], twist[5]}; }
Point at(const double* twist, const Point& x) { return linear(twist) + cross(angular(twist), x); }
void put(const Point& f, const Point& m, double sign, double* out) {
  for (int i = 0; i < 3; ++i) out[i] += sign * f[i], out[3 + i] += sign * m[i];
}
Point times(const double (&m)[3][6], const double* x) {
  Point out = Point::zero();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 6; ++k) out[i] += m[i][k] * x[k];
  return out;
}

}  // namespace

ContactTerms::ContactTerms(const Model& model)
    : model_(model),
      nv_(model.nv()),
      data_(model_),
      column_(static_cast<std::size_t>(6 * model.nv())),
      unit_(static_cast<std::size_t>(model.nv())),
      bodies_(static_cast<std::size_t>(model.tree<double>().n) + 1),
      links_(bodies_.size()) {}

/// Columns, twist and its derivative; nullptr: the ground.
ContactTerms::Body* ContactTerms::body(Index k, const std::string& link, const double* q, const double* v) {
  if (k == 0) return nullptr;
  Body& b = bodies_[static_cast<std::size_t>(k)];
  if (b.is_known) return &b;
  b.is_known = true;
  links_[static_cast<std::size_t>(k)] = link;
  const std::size_t size = 6 * static_cast<std::size_t>(nv_);
  b.J.resize(size), b.V.resize(size);
  Eigen::Map<Eigen::MatrixXd> J(b.J.data(), 6, nv_), V(b.V.data(), 6, nv_);
  frame_velocity_derivatives(model_, data_, vector_in(q, model_.nq()), vector_in(v, nv_), link, Reference::world, V, J);
  std::fill_n(b.twist, 6, 0.0);
  std::fill_n(b.force, 6, 0.0);
  for (Index c = 0; c < nv_; ++c)
    for (int i = 0; i < 6; ++i) b.twist[i] += J(i, c) * v[c];
  return &b;
}

bool ContactTerms::evaluate(const double* q, const std::vector<ContactRow>& rows, const ContactRows& names,
                            const double* multipliers, const double* v) {
  rows_ = 0;
  for (const ContactRow& x : rows) rows_ += x.size();
  J_.assign(this->at(rows_), 0.0), S_.assign(this->at(rows_), 0.0), Q_.assign(this->at(nv_), 0.0);
  gap_.assign(this->at(static_cast<Index>(rows.size())), 0.0);
  for (Body& b : bodies_) b.is_known = b.is_loaded = false;
  error = 0;
  why.clear();
  Index cone = 0;
  for (const ContactRow& x : rows) {
    if (x.is_point()) {
      if (!add_point(q, x, names, multipliers, v, cone)) return false;
    } else {
      J_[this->at(x.first) + static_cast<std::size_t>(x.coordinate)] = x.side;
      if (x.kind != ContactRow::Kind::friction) gap_[this->at(cone) + static_cast<std::size_t>(x.coordinate)] = x.side;
    }
    ++cone;
  }
  add_columns(q);
  return true;
}

bool ContactTerms::add_point(const double* q, const ContactRow& x, const ContactRows& names, const double* multipliers,
                             const double* v, Index cone) {
  const ContactPairs::Pair& pair = names.pair_of(x);
  const auto& shapes = names.pairs().scene().shapes();
  const SceneShape &shape_a = shapes[static_cast<std::size_t>(pair.a)],
                   &shape_b = shapes[static_cast<std::size_t>(pair.b)];
  Body* const a = body(pair.body_a, shape_a.link, q, v);
  Body* const b = body(pair.body_b, shape_b.link, q, v);
  const auto pose_of = [&](const SceneShape& s) {
    return s.link.empty() ? s.pose : frame_pose(model_, data_, vector_in(q, model_.nq()), s.link) * s.pose;
  };
  SurfacePair place{.on_a = x.point - x.normal * (0.5 * x.gap),
                    .on_b = x.point + x.normal * (0.5 * x.gap),
                    .normal = x.normal,
                    .gap = x.gap,
                    .feature = x.feature};
  const Point &p = x.point, &n = x.normal, &t1 = x.t1, &t2 = x.t2;
  const double* const l = multipliers + x.first;
  geometry::PointMotion motion = {};
  const bool acts = l[0] != 0 || l[1] != 0 || l[2] != 0;  // what is open has J alone
  if (acts &&
      !geometry::point_motion(shape_a.solid, pose_of(shape_a), shape_b.solid, pose_of(shape_b), place, motion)) {
    why = "the point of contact of '" + names.name(x) + "' is no smooth function of q here";
    return false;
  }
  if (!motion.is_exact && motion.error > error) error = motion.error;
  const Point f = t1 * l[0] + t2 * l[1] + n * l[2];
  double W[6];
  for (int i = 0; i < 6; ++i) W[i] = (b != nullptr ? b->twist[i] : 0) - (a != nullptr ? a->twist[i] : 0);
  const Point u = zwang::at(W, p), w = angular(W);
  const auto nv = static_cast<std::size_t>(nv_);
  double *const J = &J_[this->at(x.first)], *const S = &S_[this->at(x.first)], *const gap = &gap_[this->at(cone)];
  std::vector<double>& relative = column_;
  const auto part = [](const Body* of, bool columns, std::size_t k, int i) {
    return of == nullptr ? 0.0 : (columns ? of->J : of->V)[6 * k + static_cast<std::size_t>(i)];
  };
  for (std::size_t k = 0; k < nv; ++k)
    for (int i = 0; i < 6; ++i)
      relative[6 * k + static_cast<std::size_t>(i)] = part(b, true, k, i) - part(a, true, k, i);
  for (std::size_t k = 0; k < nv; ++k) {
    const double* const r = &relative[6 * k];
    double of_a[6], turn[6];
    for (int i = 0; i < 6; ++i) of_a[i] = part(a, true, k, i), turn[i] = part(b, false, k, i) - part(a, false, k, i);
    const Point dx = zwang::at(of_a, p) + times(motion.point, r);
    const Point dn = cross(angular(of_a), n) + times(motion.normal, r);
    for (int i = 0; i < 6; ++i) gap[k] += motion.gap[i] * r[i];
    const Point by_v = zwang::at(r, p), du = zwang::at(turn, p) + cross(w, dx);
    const Point d1 = n * -dot(t1, dn), d2 = n * -dot(t2, dn);
    J[k] = dot(t1, by_v), J[nv + k] = dot(t2, by_v), J[2 * nv + k] = dot(n, by_v);
    S[k] = dot(t1, du) + dot(d1, u), S[nv + k] = dot(t2, du) + dot(d2, u), S[2 * nv + k] = dot(n, du) + dot(dn, u);
    const Point df = d1 * l[0] + d2 * l[1] + dn * l[2];
    double dF[6] = {};
    put(df, cross(dx, f) + cross(p, df), 1, dF);
    for (std::size_t j = 0; j < nv; ++j)
      for (int i = 0; i < 6; ++i) Q_[j * nv + k] += relative[6 * j + static_cast<std::size_t>(i)] * dF[i];
  }
  if (a != nullptr) put(f, cross(p, f), -1, a->force), a->is_loaded = true;
  if (b != nullptr) put(f, cross(p, f), 1, b->force), b->is_loaded = true;
  return true;
}

/// Q += (d J^T/dq) F of each body.
void ContactTerms::add_columns(const double* q) {
  const auto nv = static_cast<std::size_t>(nv_);
  for (std::size_t k = 1; k < bodies_.size(); ++k) {
    const Body& b = bodies_[k];
    if (!b.is_loaded || std::all_of(b.force, b.force + 6, [](double f) { return f == 0; })) continue;
    Eigen::Map<Eigen::MatrixXd> by_q(column_.data(), 6, nv_);
    std::vector<double> unused(6 * nv);
    Eigen::Map<Eigen::MatrixXd> by_v(unused.data(), 6, nv_);
    for (std::size_t j = 0; j < nv; ++j) {
      std::fill(unit_.begin(), unit_.end(), 0.0);
      unit_[j] = 1;
      bool moves = false;
      for (int i = 0; i < 6; ++i) moves = moves || b.J[6 * j + static_cast<std::size_t>(i)] != 0;
      if (!moves) continue;
      frame_velocity_derivatives(model_, data_, vector_in(q, model_.nq()), vector_in(unit_.data(), nv_), links_[k],
                                 Reference::world, by_q, by_v);
      for (std::size_t c = 0; c < nv; ++c)
        for (int i = 0; i < 6; ++i) Q_[j * nv + c] += b.force[i] * column_[6 * c + static_cast<std::size_t>(i)];
    }
  }
}

}  // namespace zwang
