// SPDX-License-Identifier: BSD-3-Clause
// Gradients of the solutions of constrained forward dynamics of many states in lanes, without a matrix: for a scalar
// whose weights are g_a of the accelerations and g_l of the multipliers,
//
//   solve      q'', lambda by rows carried to the root (constrained_motion.hpp)
//   respond    [M, -J^T; J, 0] [y; -z] = [g_a; -g_l]   through the columns and the rows that the solve has left
//   gradient   by an input x:  -(y . d r1/dx + z . d r2/dx)   (question/derivatives/linearised.hpp)
//
// d r1: page/inverse_dynamics_products.hpp, the wrenches of the rows being external ones; rows add K z, P z, N z to
// Q, P, N of their bodies (rows/page/varying_body_rows.hpp). Lanes in doubt, as in a solve, and those whose response
// leaves a row with more than rounding, are for the solver of one state. For hard rows on single bodies, without
// prescribed or shared coordinates. Cost that of the solve and O(n + m^2). Allocates nothing.
#pragma once
#include "algorithm/page/left_product_lanes.hpp"
#include "kernels/constrained.hpp"
#include "rows/page/varying_body_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

template <class S> struct GradientWorkspace : ConstrainedWorkspace<S> {
  using T = Uniform<S>;
  static constexpr Index k_room = Workspace<S>::k_room;
  GradientWorkspace(const Tree<T>& tree, const Vec3<T>& g, const ConstrainedRoom& room, Index joints)
      : ConstrainedWorkspace<S>(tree, g, room),
        of_acceleration(tree.nv + k_room),
        of_multipliers(room.total_rows + k_room),
        of_torque(tree.nv + k_room),
        y(tree.nv + k_room),
        z(room.total_rows + k_room),
        terms(tree.nv),
        b(room.rows),
        by_q(tree.nv + k_room),
        by_v(tree.nv + k_room),
        by_joints(tree.nv + k_room),
        gravity(3 + k_room),
        inertias(page::k_link_parameters * tree.links + k_room),
        placements(6 * joints + k_room),
        p(tree.n + 1) {}
  Buffer<S> of_acceleration, of_multipliers, of_torque;  ///< weights
  Buffer<S> y, z;                                        ///< response; z in the order of the set
  Buffer<S> terms;                                       ///< [nv] magnitudes of what y is the sum of
  Buffer<S> b;                                           ///< of the rows as attached: -g_l, 0 where they are off
  Buffer<S> by_q, by_v, by_joints, gravity, inertias, placements;
  Buffer<Force<S>> p;  ///< [n + 1] what the forces g_a leave of the bodies
};

// --- one right-hand side through what accelerate() has left:  M y - J^T x = f,  J y = b

/// u of every column, and l of the rows at the root.
template <class S> void respond_inward(GradientWorkspace<S>& w) {
  using T = Uniform<S>;
  const auto& tree = w.data.tree();
  CarriedRows<S>& rows = w.carried;
  for (Force<S>& p : w.p) p = Force<S>::zero();
  for (Index i = tree.n; i > 0; --i) {
    const auto& body = tree.body[i];
    Force<S> p = w.p[i];
    for (Index k = body.v + body.nv; k-- > body.v;) {
      Eliminated<S>& e = w.data.articulated.column[k];
      e.u = (w.of_acceleration[k] - dot(e.s, p)) * e.inv_D;
      p += e.U * e.u;
    }
    if (body.parent > 0) w.p[body.parent] += p;
  }
  for (Index a = 0; a < rows.triples; ++a) {
    Triple<S>& t = rows.triple[a];
    for (Index r = 0; r < 3; ++r) t.l[r] = t.row[r] >= 0 ? -w.b[t.row[r]] : S(T(0));
    const S* x = &rows.w[t.w];
    for (Index j = 0; j < t.columns; ++j, x += 3) {
      const S& u = w.data.articulated.column[rows.path[t.path + j]].u;
      for (Index r = 0; r < 3; ++r) t.l[r] += x[r] * u;
    }
  }
}

/// y, and the bodies' accelerations that belong to it; `again`: what rows add to them where `on`.
template <bool again, class S> void respond_outward(GradientWorkspace<S>& w, const S& on) {
  const auto& tree = w.data.tree();
  const auto here = less(S(Uniform<S>(0)), on);
  w.change[0] = Motion<S>::zero();
  w.data.acceleration.joint[0] = Motion<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    Motion<S>& a = w.change[i];
    a = w.change[body.parent];
    for (Index k = body.v; k < body.v + body.nv; ++k) {
      const Eliminated<S>& e = w.data.articulated.column[k];
      const S x = (w.carried.pushed[k] - dot(a, e.U)) * e.inv_D, y = again ? w.y[k] + x : e.u + x;
      if constexpr (!again) w.terms[k] = abs(e.u) + abs(w.carried.pushed[k] * e.inv_D) + abs(y);
      a += e.s * (again ? x : y);
      w.y[k] = again ? select(here, y, w.y[k]) : y;
    }
    Motion<S> total = w.data.acceleration.joint[i];
    for (Index c = 0; c < 6; ++c) total[c] = again ? select(here, total[c] + a[c], total[c]) : a[c];
    w.data.acceleration.joint[i] = total;
  }
}

/// 1 in the lanes where J y is not b: measured against the magnitudes of its terms, and of those of y, which cancel
/// where rows leave no motion. The rest stays in w.residual.
template <class S> S loose_response(GradientWorkspace<S>& w, Uniform<S> tolerance) {
  using T = Uniform<S>;
  const auto& tree = w.data.tree();
  S loose(T(0));
  Motion<S> gross = Motion<S>::zero();
  for (Index i = 0, last = -1; i < w.carried.count; ++i) {
    const AttachedRow<S>& x = w.carried.row[i];
    if (x.hard < 0) continue;
    if (x.body != last) {
      last = x.body;
      gross = Motion<S>::zero();
      for (Index body = last; body > 0; body = tree.body[body].parent)
        add_gross(w.data, static_cast<const S*>(w.terms.data()), body, gross);
    }
    const Motion<S> a = w.data.acceleration.joint[x.body];
    const S value = dot(a, x.K) - w.b[i];
    S scale = abs(w.b[i]) + std::numeric_limits<T>::min();
    for (Index c = 0; c < 6; ++c) scale += abs(x.K[c]) * gross[c];
    w.residual[i] = value;
    loose = select(less(abs(value), scale * tolerance), loose, S(T(1)));
  }
  return loose;
}

/// w.y, w.z; refined once in the lanes where rows do not hold. 1 in the lanes where they do not hold then.
template <class S> S respond(GradientWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t) {
  using T = Uniform<S>;
  const S zero(T(0)), one(T(1));
  CarriedRows<S>& rows = w.carried;
  for (Index k = 0, row = 0; k < t.count; ++k)
    for (Index i = 0; i < t.rows[k].count; ++i, ++row) {
      const S weight = w.of_multipliers[t.rows[k].first_row + i];
      w.b[row] = t.active.data != nullptr ? -weight * w.on[t.rows[k].constraint] : -weight;
      rows.row[row].lambda = zero;
    }
  respond_inward(w);
  solve_rows(rows);
  push_rows(rows);
  respond_outward<false>(w, one);
  S loose = loose_response(w, T(t.feasibility));
  if (any(less(zero, loose))) {
    for (Index a = 0; a < rows.triples; ++a) {
      Triple<S>& x = rows.triple[a];
      for (Index r = 0; r < 3; ++r) x.l[r] = x.row[r] >= 0 ? w.residual[x.row[r]] * loose : zero;
    }
    solve_rows(rows);
    push_rows(rows);
    respond_outward<true>(w, loose);
    loose = loose_response(w, T(t.feasibility));
  }
  for (Index r = 0; r < t.total_rows; ++r) w.z[r] = zero;
  for (Index k = 0, row = 0; k < t.count; ++k)
    for (Index i = 0; i < t.rows[k].count; ++i, ++row) w.z[t.rows[k].first_row + i] = -rows.row[row].lambda;
  return loose;
}

// --- y . d r1 + z . d r2

/// What rows add, and how their wrenches turn.
template <class S>
void add_rows(GradientWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, const page::ProductFromTheLeft<S>& x) {
  const BasicData<S>& data = w.data;
  const Force<S> none = Force<S>::zero();
  const Motion<S> gravity{widen<S>(data.gravity), Vec3<S>::zero()};
  for (Index k = 0; k < t.count; ++k) {
    const RowsTask& task = t.rows[k];
    const RowsOnBody& r = *static_cast<const RowsOnBody*>(task.rows);
    if (r.body == 0) continue;
    const page::VaryingBodyRows<S> rows(data, r,
                                        task.classical ? AccelerationKind::classical : AccelerationKind::spatial);
    Force<S> Q = none, P = none, N = none, of_axes = none, at_point = none;
    for (Index i = 0; i < task.count; ++i) {
      const page::VaryingRow<S> row = rows.row(i);
      const S &z = w.z[task.first_row + i], &lambda = w.multipliers[task.first_row + i];
      Q += row.K * z;
      P += row.P * z;
      of_axes += row.N * z;
      at_point += Force<S>{row.d, row.e} * lambda;
    }
    N = of_axes - cross(gravity, Q);
    if (!rows.own_axes) {
      const Force<S> turned = rows.turning(at_point).transposed_times(x.w(r.body));
      N += turned;
      if (rows.of_another) x.N.add(r.axes_body, -(of_axes + turned));
    }
    x.Q.add(r.body, Q);
    x.P.add(r.body, P);
    x.N.add(r.body, N);
    x.f.add(r.body, -rows.seen.wrench(at_point.f, at_point.n));
  }
}

/// w.by_q, w.by_v: of y . r1 + z . r2, which the gradient is minus; w.gravity.
template <class S> void multiply_from_the_left(GradientWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
  using T = Uniform<S>;
  BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  const S *const qdd = w.qdd.data(), *const y = w.y.data();
  data.acceleration.joint[0] = Motion<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    Motion<S> a = data.acceleration.joint[tree.body[i].parent];
    for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k)
      a += data.articulated.column[k].s * qdd[k];
    data.acceleration.joint[i] = a;
  }
  data.stages = stage_position | stage_velocity | stage_columns | stage_acceleration;
  enter_turning(w, c);
  const page::SpanningState<S> state(data, w.q.data(), w.v.data(), qdd);
  page::vary_columns(data, state);
  const page::ProductFromTheLeft<S> x = page::enter_from_the_left(data, y);
  Vec3<S> g = Vec3<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    g += x.Q(i).f;
    if (c.excess) g += page::excess_power(data, i, x.w(i));
  }
  for (int k = 0; k < 3; ++k) w.gravity[k] = g[k];
  add_rows(w, *c.constrained, x);
  for (Index k = 0; k < tree.nv; ++k) w.by_q[k] = w.by_v[k] = S(T(0));
  page::leave_from_the_left(data, x, state.in, y, page::PassiveEffects{c.damping, c.friction, c.springs},
                            {w.by_q.data(), w.by_v.data(), nullptr});
}

/// Of y . r1 + z . r2 by the inertial parameters of every link, into w.inertias, where the product has been left.
template <class S> void multiply_inertias(GradientWorkspace<S>& w, bool excess) {
  const auto& tree = w.data.tree();
  const page::ProductFromTheLeft<S> x(w.data);
  for (Index l = 0; l < tree.links; ++l) {
    S* const row = &w.inertias[page::k_link_parameters * l];
    const Index body = tree.link[l].body;
    for (Index k = 0; k < page::k_link_parameters; ++k) row[k] = S(Uniform<S>(0));
    if (body == 0) continue;
    const page::LocalFrame<S> frame = page::local_frame(w.data, body, tree.link[l].in_body);
    page::wrench_row(frame, acceleration_field(frame.twist.w, frame.al), inverse_times(frame.X, x.w(body)), row);
    if (excess)
      page::add_excess_row(transpose_times(frame.X.R, widen<S>(w.data.gravity)), inverse_times(frame.X, x.w(body)),
                           S(-tree.link[l].excess), row);
  }
}
/// The same by the placements of joints.
template <class S> void multiply_placements(GradientWorkspace<S>& w, const page::JointPlace* place, Index count) {
  const auto& tree = w.data.tree();
  const BasicData<S>& data = w.data;
  const page::ProductFromTheLeft<S> x(w.data);
  for (Index k = 0; k < count; ++k) {
    const page::JointPlace& at = place[k];
    const Index before = at.before, behind = at.behind;
    Transform<S> X = data.position.placement[before] * at.in_body;
    if (before == 0) X.p -= data.position.centre[tree.body[behind].root];
    const Motion<S> v = data.velocity.twist[before], a = data.acceleration.joint[before] + data.velocity.bias[before],
                    motion = before > 0 ? x.w(before) : Motion<S>::zero();
    const Force<S> sum =
        page::placement_product<S>(X, v, a, motion, {x.Q(behind), x.P(behind), x.N(behind), x.f(behind)});
    for (Index c = 0; c < 6; ++c) w.placements[6 * at.joint + c] = sum[c];
  }
}

/// Results by armature, damping and stiffness of the joints' own: number(k) of column k, times -y.
template <class S, class Number> void put_of_joints(GradientWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s,
                                                    const StateArray<Uniform<S>>& out, bool acts, Number&& number) {
  if (out.data == nullptr) return;
  for (Index k = 0; k < w.data.tree().nv; ++k) w.by_joints[k] = acts ? -w.y[k] * number(k) : S(Uniform<S>(0));
  put_out(w, c, out, s, static_cast<const S*>(w.by_joints.data()));
}

template <class S> void gradient_pack(GradientWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  using T = Uniform<S>;
  const ConstrainedTask<T>& t = *c.constrained;
  const GradientTask<T>& g = *c.gradient;
  const auto& tree = w.data.tree();
  w.state = s;
  begin_pack(w, c, s);
  read(w, c, 2, Input::tangent, s, w.a);
  const auto read_weights = [&](const StateArray<const T>& from, Buffer<S>& x) ZWANG_LAMBDA {
    for (S& number : x) number = S(T(0));
    if (from.data == nullptr) return;
    load_states(from, s, w.end, x.data());
    for (Index k = 0; k < from.size; ++k) w.bad += x[k] * T(0);
  };
  read_weights(g.acceleration, w.of_acceleration);
  read_weights(g.multipliers, w.of_multipliers);
  read_weights(g.motor_torque, w.of_torque);
  add_effects(w, c);
  w.data.damping_step = T(0);
  accelerate(w, t, w.x.data());
  forces(w, c);
  const S one(T(1));
  w.irregular = select(less(S(T(0)), respond(w, t)), one, w.irregular);
  multiply_from_the_left(w, c);
  for (const Buffer<S>* x : {&w.y, &w.by_q, &w.by_v}) mark_infinite(x->data(), tree.nv, w.irregular);
  mark_infinite(static_cast<const S*>(w.z.data()), t.total_rows, w.irregular);
  if (g.inertial_parameters.data != nullptr) {
    multiply_inertias(w, c.excess);
    mark_infinite(static_cast<const S*>(w.inertias.data()), g.inertial_parameters.size, w.irregular);
  }
  if (g.placement.data != nullptr) {
    multiply_placements(w, static_cast<const page::JointPlace*>(g.places), g.place_count);
    mark_infinite(static_cast<const S*>(w.placements.data()), g.placement.size, w.irregular);
  }
  for (Index k = 0; k < tree.nv; ++k) w.of_torque[k] += w.y[k];
  mark_infinite(static_cast<const S*>(w.of_torque.data()), tree.nv, w.irregular);
  if (g.by_gravity.data != nullptr) mark_infinite(static_cast<const S*>(w.gravity.data()), 3, w.irregular);
  const auto spring = [&](Index k)
                          ZWANG_LAMBDA { return page::spring_stretch(tree, k, static_cast<const S*>(w.q.data())); };
  const bool springs = c.springs && tree.passive != nullptr;
  if (g.armature.data != nullptr || g.damping.data != nullptr || g.stiffness.data != nullptr) {
    for (Index k = 0; k < tree.nv; ++k)
      w.terms[k] = w.y[k] * w.qdd[k] + w.y[k] * w.v[k] + (springs ? w.y[k] * spring(k) : S(T(0)));
    mark_infinite(static_cast<const S*>(w.terms.data()), tree.nv, w.irregular);
  }
  judge(w, c, s);
  const auto put = [&](const StateArray<T>& out, const Buffer<S>& x)
                       ZWANG_LAMBDA { put_out(w, c, out, s, static_cast<const S*>(x.data())); };
  const auto put_negative = [&](const StateArray<T>& out, Buffer<S>& x) ZWANG_LAMBDA {
    for (Index k = 0; k < out.size; ++k) x[k] = -x[k];
    put(out, x);
  };
  put_negative(g.q, w.by_q);
  put_negative(g.v, w.by_v);
  put_negative(g.inertial_parameters, w.inertias);
  put_negative(g.placement, w.placements);
  put(g.tau, w.of_torque);
  put(g.force, w.y);
  put(g.beta, w.z);
  put(g.by_gravity, w.gravity);
  put_of_joints(w, c, s, g.armature, c.armature, [&](Index k) ZWANG_LAMBDA { return w.qdd[k]; });
  put_of_joints(w, c, s, g.damping, c.damping, [&](Index k) ZWANG_LAMBDA { return w.v[k]; });
  put_of_joints(w, c, s, g.stiffness, springs, spring);
}

/// The states [first, last) of a call. Placements of joints that have no place stay zero.
template <class S> void gradient(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last) {
  using T = Uniform<S>;
  GradientWorkspace<S>& w = *static_cast<GradientWorkspace<S>*>(workspace);
  const double* const g = c.gradient->gravity;
  w.data.gravity = Vec3<T>{T(g[0]), T(g[1]), T(g[2])};
  list_rows(w, *c.constrained);
  w.end = last;
  for (S& x : w.placements) x = S(T(0));
  for (long s = first; s < last; s += lanes_of<S>) gradient_pack(w, c, s);
}

template <class S> void* make_gradient(const void* tree, const double* g, const ConstrainedRoom& room, Index joints) {
  using T = Uniform<S>;
  return new GradientWorkspace<S>(*static_cast<const Tree<T>*>(tree), Vec3<T>{T(g[0]), T(g[1]), T(g[2])}, room, joints);
}
template <class S> void drop_gradient(void* workspace) { delete static_cast<GradientWorkspace<S>*>(workspace); }

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
