// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/derivatives/row_variations.hpp"

#include <cmath>

#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {

/// The rows of a constraint in the sweep: first + i for its row i.
struct RowVariations::Rows {
  const Constraint& constraint;
  Index first, count;
  bool has(Index row) const { return first <= row && row < first + count; }
  page::Gains<double> gains() const {
    const Stabilisation& s = constraint.stabilisation;
    if (!(s.time_constant > 0)) return {0, 0};
    const double inverse = 1 / s.time_constant;
    return {2 * s.damping_ratio * inverse, inverse * inverse};
  }
};

/// Calls each(rows, page) for the active constraints; the page of rows on one body is RowsOnBody.
template <class Each> const char* RowVariations::for_each(const Problem& problem, Each&& each) {
  const char* refused = nullptr;
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& x = problem.layout.constraint(c);
    const Index first = x.size() > 0 ? problem.reader.sweep_row[problem.layout.first_row_of(c)] : -1;
    if (first < 0) continue;
    const Rows rows{x, first, x.size()};
    if (x.relation == nullptr)
      each(rows, x.rows_on_body.value());
    else if (const RelationPage* const page = x.relation->page(); page == nullptr)
      refused = "rows written by the user have no derivatives";
    else
      page->visit([&](const auto& of) { each(rows, of); });
  }
  return refused;
}

RowVariations::RowVariations(const Problem& problem) : P_(problem.layout.capacity), N_(problem.layout.capacity) {
  const RowLayout& layout = problem.layout;
  const auto constraints = static_cast<std::size_t>(layout.constraint_capacity);
  parts.reserve(static_cast<std::size_t>(2 * layout.room.rows + layout.room.further));
  turning.reserve(static_cast<std::size_t>(layout.part_capacity));
  pairs.reserve(constraints);
  axes.reserve(constraints);
  coordinates.reserve(2 * static_cast<std::size_t>(layout.part_row_capacity));
  forces.reserve(constraints);
}

const char* RowVariations::evaluate(Problem& problem, const double* acceleration, const double* lambda) {
  parts.clear();
  turning.clear();
  pairs.clear();
  axes.clear();
  coordinates.clear();
  forces.clear();
  centre_of_mass.clear();
  const char* const refused = for_each(problem, [&](const Rows& rows, const auto& of) {
    using Page = std::remove_cvref_t<decltype(of)>;
    const double* const own = lambda + rows.first;
    if constexpr (std::is_same_v<Page, RowsOnBody>)
      rows_on_body(problem, rows, own);
    else if constexpr (std::is_same_v<Page, page::CouplingRows>)
      coupling_rows(problem, rows, of, acceleration, own);
    else if constexpr (std::is_same_v<Page, page::CentreOfMassRows>)
      centre_of_mass_rows(problem, rows, of, own);
    else
      pose_rows(problem, rows, of, own);
  });
  const Motion<double> gravity{problem.data.gravity, Vec3<double>::zero()};
  for (RowPart& part : parts) part.N -= cross(gravity, part.K);
  return refused;
}

void RowVariations::rows_on_body(const Problem& problem, const Rows& rows, const double* lambda) {
  const Data& data = problem.data;
  const RowsOnBody& r = rows.constraint.rows_on_body;
  if (r.body == 0) return;
  const bool classical = rows.constraint.acceleration == AccelerationKind::classical;
  const page::SeenRows<double> seen(data, r, rows.constraint.acceleration);
  const Motion<double> v = data.velocity.twist[r.body], a = page::body_acceleration(data, r.body);
  const Vec3<double> v_p = v.v + cross(v.w, seen.p);
  Vec3<double> a_p = a.v + cross(a.w, seen.p);
  if (classical) a_p += cross(v.w, v_p);
  const bool local = r.axes == RowsOnBody::Axes::body && r.axes_body == r.body;
  const bool of_another = r.axes == RowsOnBody::Axes::body && r.axes_body != r.body && r.axes_body > 0;
  Force<double> wrench = Force<double>::zero();  // about the point
  for (Index i = 0; i < rows.count; ++i) {
    const double* const m = &r.matrix[static_cast<std::size_t>(6 * i)];
    Vec3<double> d{m[0], m[1], m[2]}, e{m[3], m[4], m[5]};
    if (seen.turned) {
      d = seen.A * d;
      e = seen.A * e;
    }
    RowPart& part = add(rows.first + i, r.body);
    part.K = seen.wrench(d, e);
    part.P = classical ? Force<double>{Vec3<double>::zero(), cross(v_p, d) * 2.0 + cross(v.w, e)} : cross(v, part.K);
    wrench += Force<double>{d, e} * lambda[i];
    if (local) continue;
    if (r.about_world_origin) {
      part.N = cross(a, part.K);
      if (classical) {
        const Vec3<double> turned = cross(d, v.w);
        part.N += cross(v, Force<double>{turned, cross(v_p, d) + cross(seen.p, turned)});
      }
      continue;
    }
    const Force<double> aligned{Vec3<double>::zero(), cross(a_p, d) + cross(a.w, e)};
    part.N = aligned;
    if (of_another) add(rows.first + i, r.axes_body).N = -aligned;
  }
  if (local) return;
  const page::Turning<double> W = r.about_world_origin ? page::turning_at_rest(with_reference_point(wrench, -seen.p))
                                                       : page::turning_at(seen.p, wrench);
  turning.push_back({rows.first, r.body, W});
  if (of_another) axes.push_back({rows.first, r.body, r.axes_body, W});
}

template <class Geometry> void RowVariations::pose_rows(const Problem& problem, const Rows& rows,
                                                        const page::PoseRows<Geometry>& page, const double* lambda) {
  const Data& data = problem.data;
  const page::FramePair<double> at = page::frame_pair(data, page.a, page.b);
  const auto acceleration = [&](Index body, const Vec3<double>& to) {
    return body == 0 ? Motion<double>::zero() : with_reference_point(page::body_acceleration(data, body), -to);
  };
  PairWrench& pair =
      pairs.emplace_back(PairWrench{rows.first, page.a.body, page.b.body, at.to_a, at.to_b, Force<double>::zero(), {}});
  for (Force<double>& column : pair.D) column = Force<double>::zero();
  page::vary_pose_rows(page, rows.count, at, acceleration(page.a.body, at.to_a), acceleration(page.b.body, at.to_b),
                       rows.gains(), lambda, P_.data(), N_.data(), pair.D);
  for (Index i = 0; i < rows.count; ++i) {
    const Index k = rows.first + i;
    page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
      if (body == 0) return;
      RowPart& part = add(k, body);
      part.K = K;
      for (const bool second : {false, true}) {
        if (body != (second ? page.b.body : page.a.body)) continue;
        const Vec3<double>& to = second ? at.to_b : at.to_a;
        const double sign = second ? 1 : -1;
        part.P += with_reference_point(P_[i], to) * sign;
        part.N += with_reference_point(N_[i], to) * sign;
        if (second) pair.F += with_reference_point(K, -to) * lambda[i];
        if (!second && page.b.body == 0) pair.F -= with_reference_point(K, -to) * lambda[i];
      }
    });
  }
}

void RowVariations::coupling_rows(const Problem& problem, const Rows& rows, const page::CouplingRows& page,
                                  const double* acceleration, const double* lambda) {
  const page::Gains<double> gains = rows.gains();
  const auto row = [&](Index v, double by_q, double by_v, double turned) {
    coordinates.push_back({rows.first, v, by_q, by_v, turned});
  };
  if (page.polynomial.size == 0) {
    for (Index i = 0; i < page.coordinate.size; ++i) {
      const double ratio = page.ratio[i];
      if (ratio != 0) row(page.coordinate[i].v, gains.stiffness * ratio, gains.damping * ratio, 0);
    }
    return;
  }
  // phi = q_0 - P(q_1):  phi'' = a_0 - P' a_1 - P'' v_1^2
  const auto &first = page.coordinate[0], &second = page.coordinate[1];
  const double at = problem.q[second.q], rate = problem.v[second.v];
  double P[4] = {0, 0, 0, 0};  // P^(k) / k!
  for (Index j = page.polynomial.size; j-- > 0;)
    for (int k = 3; k >= 0; --k) P[k] = P[k] * at + (k > 0 ? P[k - 1] : page.polynomial[j]);
  const double slope = P[1], curve = 2 * P[2], third = 6 * P[3];
  row(first.v, gains.stiffness, gains.damping, 0);
  row(second.v,
      -curve * acceleration[second.v] - third * rate * rate - gains.damping * curve * rate - gains.stiffness * slope,
      -2 * curve * rate - gains.damping * slope, -curve);
  forces.push_back({rows.first, second.v, -curve * lambda[0]});
}

void RowVariations::centre_of_mass_rows(const Problem& problem, const Rows& rows, const page::CentreOfMassRows& page,
                                        const double* lambda) {
  const Data& data = problem.data;
  const double mass = page::moving_mass(data);
  if (!(mass > 0)) return;
  const page::Gains<double> gains = rows.gains();
  Vec3<double> force = Vec3<double>::zero();
  for (Index i = 0; i < rows.count; ++i) {
    force += page.direction[i] * lambda[i];
    centre_of_mass.push_back({rows.first + i, page.direction[i], gains.stiffness, gains.damping});
  }
  for (const Index body : rows.constraint.relation->bodies()) {
    if (body == 0) continue;
    const Inertia<double> I = page::world_inertia(data, body);
    const Motion<double> v = data.velocity.twist[body];
    const Force<double> h = I * v, f = I * page::body_acceleration(data, body) + cross(v, h);
    for (Index i = 0; i < rows.count; ++i) {
      const Motion<double> u{page.direction[i] * (1 / mass), Vec3<double>::zero()};
      RowPart& part = add(rows.first + i, body);
      part.K = I * u;
      part.P = page::transposed_momentum_times(I, v, u, part.K) + part.K * gains.damping;
      part.N = part.K * gains.stiffness - cross(u, f + h * gains.damping);
    }
    if (!(I.m > 0)) continue;
    turning.push_back(
        {rows.first, body, page::turning_at<double>(I.h * (1 / I.m), {force * (I.m / mass), Vec3<double>::zero()})});
  }
}

void RowVariations::evaluate_rates(const Problem& problem) {
  const Data& data = problem.data;
  auto part = parts.begin();
  for_each(problem, [&](const Rows& rows, const auto& of) {
    using Page = std::remove_cvref_t<decltype(of)>;
    if constexpr (std::is_same_v<Page, RowsOnBody>) {
      if (of.body == 0) return;
      const page::SeenRows<double> seen(data, of, rows.constraint.acceleration);
      const Motion<double> v = data.velocity.twist[of.body];
      const bool own_axes = of.axes == RowsOnBody::Axes::body && of.axes_body == of.body;
      for (; part != parts.end() && rows.has(part->row); ++part) {
        const Vec3<double> d = part->K.f, e = part->K.n - cross(seen.p, d);
        if (part->body != of.body)
          part->R = -std::prev(part)->R;
        else if (of.about_world_origin)
          part->R = cross(v, part->K);
        else if (!own_axes)
          part->R = {Vec3<double>::zero(), cross(v.v + cross(v.w, seen.p), d) + cross(v.w, e)};
      }
    } else if constexpr (std::is_same_v<Page, page::CentreOfMassRows>) {
      const double mass = page::moving_mass(data);
      for (; part != parts.end() && rows.has(part->row); ++part) {
        const Motion<double> u{of.direction[part->row - rows.first] * (1 / mass), Vec3<double>::zero()};
        part->R = -cross(u, page::world_inertia(data, part->body) * Motion<double>(data.velocity.twist[part->body]));
      }
    } else if constexpr (!std::is_same_v<Page, page::CouplingRows>) {
      const page::FramePair<double> at = page::frame_pair(data, of.a, of.b);
      page::vary_pose_rates(of, rows.count, at, P_.data());
      for (; part != parts.end() && rows.has(part->row); ++part) {
        part->R = Force<double>::zero();
        if (part->body == of.b.body) part->R += with_reference_point(P_[part->row - rows.first], at.to_b);
        if (part->body == of.a.body) part->R -= with_reference_point(P_[part->row - rows.first], at.to_a);
      }
    }
  });
}

}  // namespace zwang
