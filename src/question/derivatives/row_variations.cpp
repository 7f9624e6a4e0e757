// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/row_variations.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/page/body_forces.hpp"
#include "rows/page/varying_body_rows.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {
namespace {

/// The origin of a frame about the centre of its branch, its velocity and classical acceleration.
template <class S> struct MovingPoint {
  Vec3<S> p, velocity, acceleration;
  MovingPoint(const BasicData<S>& data, const page::BodyFrame& frame) {
    const Transform<S>& X = data.position.placement[frame.body];
    const Motion<S> v = data.velocity.twist[frame.body], a = page::body_acceleration(data, frame.body);
    p = X.R * widen<S>(frame.in_body.p) + X.p;
    velocity = v.v + cross(v.w, p);
    acceleration = a.v + cross(a.w, p) + cross(v.w, velocity);
  }
};

}  // namespace

/// The rows of a constraint in the sweep: from `first` on those that are not released.
template <class S> struct BasicRowVariations<S>::Rows {
  const Constraint& constraint;
  Index first, count, kept;       ///< count: of the constraint
  const unsigned char* released;  ///< [count]
  bool stabilised;                ///< not in an impulse
  bool has(Index row) const { return first <= row && row < first + kept; }
  /// Of the constraint's row i, which is kept.
  Index at(Index i) const {
    Index row = first;
    for (Index k = 0; k < i; ++k) row += released[k] == 0;
    return row;
  }
  /// The constraint's row of a row of the sweep.
  Index row_in_constraint(Index row) const {
    Index i = 0;
    for (Index left = row - first; released[i] != 0 || left > 0; ++i) left -= released[i] == 0;
    return i;
  }
  /// The constraint's row i, which is kept, by itself.
  Rows only(Index i) const { return {constraint, at(i), 1, 1, released + i, stabilised}; }
  page::Gains<double> gains() const {
    const Stabilisation& s = constraint.stabilisation;
    if (!stabilised || !(s.time_constant > 0)) return {0, 0};
    const double inverse = 1 / s.time_constant;
    return {2 * s.damping_ratio * inverse, inverse * inverse};
  }
};

/// Calls each(rows, page) for the active constraints; the page of rows on one body is RowsOnBody.
template <class S> template <class Each>
const char* BasicRowVariations<S>::for_each(const Problem& problem, Each&& each) {
  const char* refused = nullptr;
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& x = problem.layout.constraint(c);
    const Index first = x.size() > 0 ? problem.rows.sweep_row[problem.rows.first_kept(problem.layout, c)] : -1;
    if (first < 0) continue;
    const unsigned char* const released = problem.rows.released.data() + problem.layout.first_row_of(c);
    const auto kept = static_cast<Index>(std::count(released, released + x.size(), 0));
    const Rows rows{x, first, x.size(), kept, released, problem.rows.shock == nullptr};
    if (x.relation == nullptr)
      each(rows, x.rows_on_body.value());
    else if (const RelationPage* const page = x.relation->page(); page == nullptr)
      refused = "rows written by the user have no derivatives";
    else
      page->visit([&](const auto& of) { each(rows, of); });
  }
  return refused;
}

template <class S> BasicRowVariations<S>::BasicRowVariations(const Problem& problem)
    : K_(problem.layout.capacity),
      P_(problem.layout.capacity),
      N_(problem.layout.capacity),
      lambda_(problem.layout.capacity) {
  const RowLayout& layout = problem.layout;
  const auto constraints = static_cast<std::size_t>(layout.constraint_capacity);
  parts.reserve(static_cast<std::size_t>(2 * layout.room.rows + layout.room.further));
  turning.reserve(static_cast<std::size_t>(layout.part_capacity) + constraints);
  pairs.reserve(static_cast<std::size_t>(layout.capacity));  // of a free joint: one for each coordinate
  axes.reserve(constraints);
  coordinates.reserve(2 * static_cast<std::size_t>(layout.part_row_capacity));
  forces.reserve(constraints);
  centre_of_mass.reserve(static_cast<std::size_t>(layout.capacity));
}

template <class S> const char* BasicRowVariations<S>::evaluate(const Problem& problem, const BasicData<S>& data,
                                                               const S* q, const S* v, const S* acceleration,
                                                               const S* lambda) {
  parts.clear();
  turning.clear();
  pairs.clear();
  axes.clear();
  coordinates.clear();
  forces.clear();
  centre_of_mass.clear();
  const char* const refused = for_each(problem, [&](const Rows& rows, const auto& of) {
    using Page = std::remove_cvref_t<decltype(of)>;
    for (Index i = 0, k = rows.first; i < rows.count; ++i) lambda_[i] = rows.released[i] ? S(0.0) : lambda[k++];
    const S* const own = lambda_.data();
    if constexpr (std::is_same_v<Page, RowsOnBody>)
      rows_on_body(data, rows, own);
    else if constexpr (std::is_same_v<Page, page::CouplingRows>)
      coupling_rows(rows, of, q, v, acceleration, own);
    else if constexpr (std::is_same_v<Page, page::JointRows>)
      joint_rows(data, rows, of, own);
    else if constexpr (std::is_same_v<Page, page::PointPairRows>)
      point_pair_rows(data, rows, of, own);
    else if constexpr (std::is_same_v<Page, page::CentreOfMassRows>)
      centre_of_mass_rows(data, rows, of, own);
    else
      pose_rows(data, rows, of, own);
  });
  const Motion<S> gravity{widen<S>(data.gravity), Vec3<S>::zero()};
  for (BasicRowPart<S>& part : parts) part.N -= cross(gravity, part.K);
  return refused;
}

template <class S>
void BasicRowVariations<S>::rows_on_body(const BasicData<S>& data, const Rows& rows, const S* lambda) {
  const RowsOnBody& r = rows.constraint.rows_on_body;
  if (r.body == 0) return;
  const page::VaryingBodyRows<S> varying(data, r, rows.constraint.acceleration);
  Force<S> wrench = Force<S>::zero();  // about the point
  for (Index i = 0; i < rows.count; ++i) {
    if (rows.released[i]) continue;
    const page::VaryingRow<S> row = varying.row(i);
    BasicRowPart<S>& part = add(rows.at(i), r.body);
    part.K = row.K;
    part.P = row.P;
    part.N = row.N;
    wrench += Force<S>{row.d, row.e} * lambda[i];
    if (varying.of_another) add(rows.at(i), r.axes_body).N = -row.N;
  }
  if (varying.own_axes) return;
  const page::Turning<S> W = varying.turning(wrench);
  turning.push_back({rows.first, r.body, W});
  if (varying.of_another) axes.push_back({rows.first, r.body, r.axes_body, W});
}

template <class S> template <class Geometry>
void BasicRowVariations<S>::pose_rows(const BasicData<S>& data, const Rows& rows, const page::PoseRows<Geometry>& page,
                                      const S* lambda) {
  const page::FramePair<S> at = page::frame_pair(data, page.a, page.b);
  const auto acceleration = [&](Index body, const Vec3<S>& to) {
    return body == 0 ? Motion<S>::zero() : with_reference_point(page::body_acceleration(data, body), -to);
  };
  const Force<S> none = Force<S>::zero();
  BasicPairWrench<S>& pair =
      pairs.emplace_back(BasicPairWrench<S>{rows.first, page.a.body, page.b.body, at.to_a, at.to_b, none, {}});
  for (Force<S>& column : pair.D) column = none;
  page::pose_wrenches(page, rows.count, at, K_.data());
  page::vary_pose_rows(page, rows.count, at, acceleration(page.a.body, at.to_a), acceleration(page.b.body, at.to_b),
                       rows.gains(), lambda, P_.data(), N_.data(), pair.D);
  const auto on = [&](Index body, Index i, const Vec3<S>& to, double sign) {
    if (body == 0 || rows.released[i]) return;
    BasicRowPart<S>& part = add(rows.at(i), body);
    part.K = with_reference_point(K_[i], to) * sign;
    part.P = with_reference_point(P_[i], to) * sign;
    part.N = with_reference_point(N_[i], to) * sign;
  };
  for (Index i = 0; i < rows.count; ++i) {
    pair.F += K_[i] * lambda[i];
    on(page.a.body, i, at.to_a, -1);
    on(page.b.body, i, at.to_b, 1);
  }
}

/// Each side is a row on one body along an axis that stands still (varying_body_rows.hpp, classical), with feedback:
/// R = [0; v_p x d] says how d . v_p varies as the body turns.
template <class S> void BasicRowVariations<S>::point_pair_rows(const BasicData<S>& data, const Rows& rows,
                                                               const page::PointPairRows& page, const S* lambda) {
  const page::Gains<double> gains = rows.gains();
  Vec3<S> force = Vec3<S>::zero();
  for (Index i = 0; i < rows.count; ++i)
    if (!rows.released[i]) force += widen<S>(page.direction[i]) * lambda[i];
  const auto side = [&](const page::BodyFrame& frame, double sign) {
    if (frame.body == 0) return;
    const MovingPoint<S> at(data, frame);
    for (Index i = 0; i < rows.count; ++i) {
      if (rows.released[i]) continue;
      const Vec3<S> d = widen<S>(page.direction[i] * sign);
      const Force<S> turned{Vec3<S>::zero(), cross(at.velocity, d)};
      BasicRowPart<S>& part = add(rows.at(i), frame.body);
      part.K = {d, cross(at.p, d)};
      part.P = turned * 2.0 + part.K * gains.damping;
      part.N = Force<S>{Vec3<S>::zero(), cross(at.acceleration, d)} + turned * gains.damping + part.K * gains.stiffness;
    }
    turning.push_back({rows.first, frame.body, page::turning_at<S>(at.p, {force * sign, Vec3<S>::zero()})});
  };
  side(page.a, -1);
  side(page.b, 1);
}

template <class S> void BasicRowVariations<S>::coupling_rows(const Rows& rows, const page::CouplingRows& page,
                                                             const S* q, const S* v, const S* acceleration,
                                                             const S* lambda) {
  const page::Gains<double> gains = rows.gains();
  const S zero(0.0);
  const auto row = [&](Index at, const S& by_a, const S& by_q, const S& by_v, const S& turned) {
    coordinates.push_back({rows.first, at, by_a, by_q, by_v, turned});
  };
  if (page.polynomial.size == 0) {
    for (Index i = 0; i < page.coordinate.size; ++i)
      if (const double ratio = page.ratio[i]; ratio != 0)
        row(page.coordinate[i].v, S(ratio), S(gains.stiffness * ratio), S(gains.damping * ratio), zero);
    return;
  }
  // phi = q_0 - P(q_1):  phi'' = a_0 - P' a_1 - P'' v_1^2
  const auto &first = page.coordinate[0], &second = page.coordinate[1];
  const S at = q[second.q], rate = v[second.v];
  S P[4] = {zero, zero, zero, zero};  // P^(k) / k!
  for (Index j = page.polynomial.size; j-- > 0;)
    for (int k = 3; k >= 0; --k) P[k] = P[k] * at + (k > 0 ? P[k - 1] : S(page.polynomial[j]));
  const S slope = P[1], curve = P[2] * 2.0, third = P[3] * 6.0;
  row(first.v, S(1.0), S(gains.stiffness), S(gains.damping), zero);
  row(second.v, -slope,
      -curve * acceleration[second.v] - third * rate * rate - curve * rate * gains.damping - slope * gains.stiffness,
      curve * rate * -2.0 - slope * gains.damping, -curve);
  forces.push_back({rows.first, second.v, -curve * lambda[0]});
}

template <class S> void BasicRowVariations<S>::joint_rows(const BasicData<S>& data, const Rows& rows,
                                                          const page::JointRows& page, const S* lambda) {
  const page::Gains<double> gains = rows.gains();
  for (Index r = 0; r < rows.count; ++r) {
    if (rows.released[r]) continue;
    if (page.of_pose(r))
      pose_rows(data, rows.only(r), page.pose[r], lambda + r);
    else
      coordinates.push_back({rows.at(r), page.coordinate[r].v, S(1.0), S(gains.stiffness), S(gains.damping), S(0.0)});
  }
}

template <class S> void BasicRowVariations<S>::centre_of_mass_rows(const BasicData<S>& data, const Rows& rows,
                                                                   const page::CentreOfMassRows& page,
                                                                   const S* lambda) {
  const double mass = page::moving_mass(data);
  if (!(mass > 0)) return;
  const page::Gains<double> gains = rows.gains();
  Vec3<S> force = Vec3<S>::zero();
  for (Index i = 0; i < rows.count; ++i) {
    if (rows.released[i]) continue;
    force += widen<S>(page.direction[i]) * lambda[i];
    centre_of_mass.push_back({rows.at(i), page.direction[i], gains.stiffness, gains.damping});
  }
  for (const Index body : rows.constraint.relation->bodies()) {
    if (body == 0) continue;
    const Inertia<S> I = page::world_inertia(data, body);
    const Motion<S> v = data.velocity.twist[body];
    const Force<S> h = I * v, f = I * page::body_acceleration(data, body) + cross(v, h);
    for (Index i = 0; i < rows.count; ++i) {
      if (rows.released[i]) continue;
      const Motion<S> u{widen<S>(page.direction[i] * (1 / mass)), Vec3<S>::zero()};
      BasicRowPart<S>& part = add(rows.at(i), body);
      part.K = I * u;
      part.P = page::transposed_momentum_times(I, v, u, part.K) + part.K * gains.damping;
      part.N = part.K * gains.stiffness - cross(u, f + h * gains.damping);
    }
    const double own = data.inertia[body].m;
    if (!(own > 0)) continue;
    turning.push_back(
        {rows.first, body, page::turning_at<S>(I.h * (1 / own), {force * (own / mass), Vec3<S>::zero()})});
  }
}

template <class S> void BasicRowVariations<S>::evaluate_rates(const Problem& problem, const BasicData<S>& data) {
  auto part = parts.begin();
  const auto pose_rates = [&](const Rows& rows, const auto& of) {
    const page::FramePair<S> at = page::frame_pair(data, of.a, of.b);
    page::vary_pose_rates(of, rows.count, at, P_.data());
    for (; part != parts.end() && rows.has(part->row); ++part) {
      part->R = Force<S>::zero();
      if (part->body == of.b.body) part->R += with_reference_point(P_[rows.row_in_constraint(part->row)], at.to_b);
      if (part->body == of.a.body) part->R -= with_reference_point(P_[rows.row_in_constraint(part->row)], at.to_a);
    }
  };
  for_each(problem, [&](const Rows& rows, const auto& of) {
    using Page = std::remove_cvref_t<decltype(of)>;
    if constexpr (std::is_same_v<Page, RowsOnBody>) {
      if (of.body == 0) return;
      const page::SeenRows<S> seen(data, of, rows.constraint.acceleration);
      const Motion<S> v = data.velocity.twist[of.body];
      const bool own_axes = of.axes == RowsOnBody::Axes::body && of.axes_body == of.body;
      for (; part != parts.end() && rows.has(part->row); ++part) {
        const Vec3<S> d = part->K.f, e = part->K.n - cross(seen.p, d);
        if (part->body != of.body)
          part->R = -std::prev(part)->R;
        else if (of.about_world_origin)
          part->R = cross(v, part->K);
        else if (!own_axes)
          part->R = {Vec3<S>::zero(), cross(v.v + cross(v.w, seen.p), d) + cross(v.w, e)};
      }
    } else if constexpr (std::is_same_v<Page, page::PointPairRows>) {
      for (const page::BodyFrame& frame : {of.a, of.b}) {  // in the order of point_pair_rows()
        if (frame.body == 0) continue;
        const MovingPoint<S> at(data, frame);
        for (Index i = 0; i < rows.kept; ++i, ++part) part->R = {Vec3<S>::zero(), cross(at.velocity, part->K.f)};
      }
    } else if constexpr (std::is_same_v<Page, page::CentreOfMassRows>) {
      const double mass = page::moving_mass(data);
      for (; part != parts.end() && rows.has(part->row); ++part) {
        const Motion<S> u{widen<S>(of.direction[rows.row_in_constraint(part->row)] * (1 / mass)), Vec3<S>::zero()};
        part->R = -cross(u, page::world_inertia(data, part->body) * Motion<S>(data.velocity.twist[part->body]));
      }
    } else if constexpr (std::is_same_v<Page, page::JointRows>) {
      for (Index r = 0; r < rows.count; ++r)
        if (of.of_pose(r) && rows.released[r] == 0) pose_rates(rows.only(r), of.pose[r]);
    } else if constexpr (!std::is_same_v<Page, page::CouplingRows>) {
      pose_rates(rows, of);
    }
  });
}

template class BasicRowVariations<double>;
template class BasicRowVariations<Dual<double>>;

}  // namespace zwang
