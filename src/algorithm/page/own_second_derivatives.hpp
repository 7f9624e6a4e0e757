// SPDX-License-Identifier: BSD-3-Clause
// What second derivatives of inverse dynamics gain by joints whose columns depend on q, and by wrenches that do not
// turn with their bodies. Own derivation.
//
//   columns t, r, p of one joint j, sigma_tr = L_r S_t (body axes, seen in the world), what they gain over turning:
//   E1 = L_r psi'_t - S_r x psi'_t - psi'_r x S_t                         E3 = L_r S'_t - S_r x S'_t - psi'_r x S_t
//   E2 = L_r psi''_t - S_r x psi''_t - psi''_r x S_t - 2 psi'_r x psi'_t
//   row w at j or below (I, B of w) or above (of j), t and r at j:
//     qq[w, t, r] += S_w.(B E1 + I E2) + [w above] S_w.(sigma_tr x* f_j)
//     qv[w, r, t] += S_w.(B sigma_tr + I (E1 + E3))       vv[w, t, r] += S_w.I (sigma_tr + sigma_rt)
//   rows p and r at j, t at w above or below (the deeper's I, B, f): g = B psi'_t + I psi''_t (+ S_t x* f below),
//     h = B S_t + I (psi'_t + S'_t):
//     qq[p, t, r], qq[p, r, t] += sigma_pr.g   qv[p, r, t] += sigma_pr.h   M_pt by q_r += sigma_pr.I S_t
//   all at j:   qq[p, t, r] += sigma_pr.g_t + sigma_pt.g_r + (L_r L_t S_p).f    qv[p, r, t] += sigma_pr.h_t
//     M_pt by q_r += sigma_pr.I S_t + sigma_tr.I S_p
//   W of the subtree of the deepest of t, x, y (turning.hpp):
//     L_y S_t = S_y x S_t where y is at t or above, + sigma_ty at t
//     qq[t, x, y] += (L_y S_t)^T W S_x + S_t^T (L_y W) S_x + S_t^T W L_y S_x
//                    + [x below t] S_t.(S_x x* W S_y) + [x at t] sigma_tx.W S_y
//     L_y W of local_world_aligned (f, n) at p: [0, 0; 0, -[v_y + w_y x p][f]], else 0
//
// Derivatives of psi', psi'', S' are those of dual numbers: of what the joint's `rates` says, dual
// numbers of dual numbers. Reads the terms of first derivatives. Adds to the tensors. Cost O(n d)
// of the first kind, O(n d^2) of the second.
#pragma once
#include "algorithm/page/inverse_dynamics_second_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A joint's coordinates at q (+) e d, with their sines and cosines.
template <class S> struct MovedInput {
  using D = Dual<S>;
  D q[7], sin[max_joint_columns], cos[max_joint_columns];
  template <class J> MovedInput(J, const Body<Uniform<S>>& body, const JointInput<S>& in, Index direction) {
    const S zero(Uniform<S>(0)), one(Uniform<S>(1));
    D at[7], d[max_joint_columns];
    for (Index i = 0; i < body.nq; ++i) at[i] = D(in.q[i], zero);
    for (Index i = 0; i < body.nv; ++i) d[i] = D(zero, i == direction ? one : zero);
    if constexpr (std::is_same_v<J, User>)
      UserCalls<D>(*body.user).integrate(at, d, q);
    else
      J::integrate(at, d, q);
    for (Index i = 0, slot = 0; i < body.nq; ++i)
      if (J::angles >> i & 1) {
        sin[slot] = D(in.sin[slot], in.cos[slot] * q[i].d);
        cos[slot] = D(in.cos[slot], -in.sin[slot] * q[i].d);
        ++slot;
      }
  }
};

/// What moves before a joint.
template <class S> struct BeforeJoint {
  Transform<S> placement;
  Motion<S> velocity, acceleration;  ///< with -g
  Vec3<S> centre;                    ///< that placement refers to, where it is that of the ground
  const S *v, *a;                    ///< of the joint
};

/// S', psi', psi'' of a joint's columns in the world, and sigma in body axes [b][a].
template <class S> struct JointStep {
  Transform<S> X;
  Motion<S> s[max_joint_columns], rate[max_joint_columns], first[max_joint_columns], second[max_joint_columns];
  Motion<S> sigma[max_joint_columns][max_joint_columns];

  template <class J> void run(J, const Body<Uniform<S>>& body, const JointInput<S>& in, const BeforeJoint<S>& up) {
    Transform<S> own;
    J::place(body, in, own);
    X.R = up.placement.R * own.R;
    X.p = up.placement.p + up.placement.R * own.p - up.centre;
    J::columns(in, s);
    Motion<S> local[max_joint_columns], along[max_joint_columns], v_j = up.velocity;
    J::rates(in, up.v, local);
    column_derivatives<J>(in, body.nv, sigma);
    for (Index b = 0; b < body.nv; ++b) {
      s[b] = X * s[b];
      v_j += s[b] * up.v[b];
    }
    for (Index b = 0; b < body.nv; ++b) {
      rates_along<J>(body, in, up.v, b, along);
      Motion<S> turned = Motion<S>::zero(), rest = Motion<S>::zero();
      for (Index k = 0; k < body.nv; ++k) {
        turned += sigma[b][k] * up.v[k];
        rest += sigma[b][k] * up.a[k] + along[k] * up.v[k];
      }
      turned = X * turned;
      rate[b] = cross(v_j, s[b]) + X * local[b];
      first[b] = cross(up.velocity, s[b]) + turned;
      second[b] = cross(up.acceleration, s[b]) + cross(up.velocity, first[b]) + cross(v_j, turned) + X * rest;
    }
  }
};

/// sigma, E1, E2, E3 at [t][r], and L_r L_t S_p at [p][t][r], seen in the world.
template <class S> struct OwnGains {
  static constexpr Index n = max_joint_columns;
  Motion<S> sigma[n][n], first[n][n], second[n][n], rate[n][n], twice[n][n][n];
  Index count = 0;
};

template <class J, class S>
void own_gains(const BasicData<S>& data, Index i, const JointInput<S>& in, const S* v, const S* a, OwnGains<S>& out) {
  using D = Dual<S>;
  const auto& tree = data.tree();
  const auto& body = tree.body[i];
  const S zero(Uniform<S>(0));
  D vd[max_joint_columns], ad[max_joint_columns];
  for (Index k = 0; k < body.nv; ++k) {
    vd[k] = D(v[body.v + k], zero);
    ad[k] = D(a[body.v + k], zero);
  }
  const Motion<S> a_p = data.acceleration.joint[body.parent] + data.velocity.bias[body.parent];
  const Motion<S> v_p = data.velocity.twist[body.parent];
  const Vec3<S> centre = body.parent == 0 ? data.position.centre[i] : Vec3<S>::zero();
  const auto still = [&](const S& x) ZWANG_LAMBDA { return D(x, zero); };
  const auto vector = [&](const Vec3<S>& x) ZWANG_LAMBDA { return Vec3<D>{still(x.x), still(x.y), still(x.z)}; };
  const auto motion = [&](const Motion<S>& x) ZWANG_LAMBDA { return Motion<D>{vector(x.v), vector(x.w)}; };
  const Transform<S>& P = data.position.placement[body.parent];
  BeforeJoint<D> up;
  up.placement.R = {vector(P.R.r0), vector(P.R.r1), vector(P.R.r2)};
  up.placement.p = vector(P.p);
  up.velocity = motion(v_p);
  up.acceleration = motion(a_p);
  up.centre = vector(centre);
  up.v = vd;
  up.a = ad;
  const Transform<S>& X = data.position.placement[i];
  out.count = body.nv;
  JointStep<D> step;
  const auto dual_part = [](const Motion<D>& x) ZWANG_LAMBDA {
    return Motion<S>{{x.v.x.d, x.v.y.d, x.v.z.d}, {x.w.x.d, x.w.y.d, x.w.z.d}};
  };
  const auto value = [](const Motion<D>& x) ZWANG_LAMBDA {
    return Motion<S>{{x.v.x.v, x.v.y.v, x.v.z.v}, {x.w.x.v, x.w.y.v, x.w.z.v}};
  };
  for (Index r = 0; r < body.nv; ++r) {
    const MovedInput<S> moved(J{}, body, in, r);
    step.run(J{}, body, JointInput<D>{moved.q, moved.sin, moved.cos, in.parameters, in.user}, up);
    const ColumnVariation<S>& c = data.derivative.variation[body.v + r];
    for (Index t = 0; t < body.nv; ++t) {
      const Motion<S> s = value(step.s[t]), first = value(step.first[t]), second = value(step.second[t]);
      out.sigma[t][r] = X * value(step.sigma[r][t]);
      out.first[t][r] = dual_part(step.first[t]) - cross(c.s, first) - cross(c.first, s);
      out.second[t][r] =
          dual_part(step.second[t]) - cross(c.s, second) - cross(c.second, s) - cross(c.first, first) * Uniform<S>(2);
      out.rate[t][r] = dual_part(step.rate[t]) - cross(c.s, value(step.rate[t])) - cross(c.first, s);
      for (Index p = 0; p < body.nv; ++p) out.twice[p][t][r] = X * dual_part(step.sigma[t][p]);
    }
  }
}

/// g, h, I S of a column w in what it or a deeper joint carries; `below`: with S x* f.
template <class S> struct OwnRow {
  Force<S> g, h, F;
  Vec3<S> b;  ///< moment of B^T S
  OwnRow(const SubtreeTerms<S>& x, const ColumnVariation<S>& c, bool below) {
    const Uniform<S> two(2);
    g = x.m.half_times(c.first) * two + x.I * c.second;
    if (below) g += cross(c.s, x.f);
    h = x.m.half_times(c.s) * two + x.I * c.sum;
    F = x.I * c.s;
    b = x.m.half_transposed_times(c.s) * two;
  }
};

template <class S> struct OwnSecond {
  const BasicData<S>& data;
  TensorEntries<S, Uniform<S>> out;
  Index v;  ///< first column of the joint
  const OwnGains<S>& own;

  /// Rows w, the pair (t, r) at the joint.
  void pairs(Index w, const OwnRow<S>& row, const Force<S>* above) const {
    const Motion<S> s = data.articulated.column[w].s;
    for (Index t = 0; t < own.count; ++t)
      for (Index r = 0; r < own.count; ++r) {
        const Motion<S>& sigma = own.sigma[t][r];
        S qq = dot(own.first[t][r].w, row.b) + dot(own.second[t][r], row.F);
        if (above != nullptr) qq += dot(s, cross(sigma, *above));
        out.add(out.to.qq, w, v + t, v + r, qq);
        out.add(out.to.qv, w, v + r, v + t, dot(sigma.w, row.b) + dot(own.first[t][r] + own.rate[t][r], row.F));
        out.add(out.to.vv, w, v + t, v + r, dot(sigma + own.sigma[r][t], row.F));
      }
  }
  void mass(Index p, Index t, Index r, const S& x) const {  // M_pt and M_tp by q_r
    out.add(out.to.qa, p, r, t, x);
    out.add(out.to.qa, t, r, p, x);
  }
  /// Row p and r at the joint, t = w elsewhere.
  void rows(Index w, const OwnRow<S>& row) const {
    for (Index p = 0; p < own.count; ++p)
      for (Index r = 0; r < own.count; ++r) {
        const Motion<S>& sigma = own.sigma[p][r];
        const S g = dot(sigma, row.g);
        out.add(out.to.qq, v + p, w, v + r, g);
        out.add(out.to.qq, v + p, v + r, w, g);
        out.add(out.to.qv, v + p, v + r, w, dot(sigma, row.h));
        mass(v + p, w, v + r, dot(sigma, row.F));
      }
  }
  /// All at the joint, t its column.
  void itself(Index t, const OwnRow<S>& row, const Force<S>& f) const {
    for (Index p = 0; p < own.count; ++p)
      for (Index r = 0; r < own.count; ++r) {
        const Motion<S>& sigma = own.sigma[p][r];
        const S g = dot(sigma, row.g);
        out.add(out.to.qq, v + p, v + t, v + r, g + dot(own.twice[p][t][r], f));
        out.add(out.to.qq, v + p, v + r, v + t, g);
        out.add(out.to.qv, v + p, v + r, v + t, dot(sigma, row.h));
        mass(v + p, v + t, v + r, dot(sigma, row.F));
      }
  }
};

/// Of a joint whose columns depend on q.
template <class J, class S> void add_own_second(const BasicData<S>& data, Index j, const SweepInput<S>& in, const S* v,
                                                const S* a, const SecondTensors<S>& to, OwnGains<S>& gains) {
  const auto& tree = data.tree();
  const auto& body = tree.body[j];
  own_gains<J>(data, j, in.of(body), v, a, gains);
  const OwnSecond<S> own{data, {tree, to}, body.v, gains};
  for (Index i = j; i < body.last; ++i) {
    const auto& b = tree.body[i];
    const SubtreeTerms<S>& x = data.derivative.subtree[i];
    for (Index w = b.v; w < b.v + b.nv; ++w) {
      const OwnRow<S> row(x, data.derivative.variation[w], i != j);
      own.pairs(w, row, nullptr);
      if (i != j)
        own.rows(w, row);
      else
        own.itself(w - b.v, row, x.f);
    }
  }
  const SubtreeTerms<S>& x = data.derivative.subtree[j];
  for (Index w = tree.column[body.v].parent; w >= 0; w = tree.column[w].parent) {
    const OwnRow<S> row(x, data.derivative.variation[w], false);
    own.pairs(w, row, &x.f);
    own.rows(w, row);
  }
}

/// Of every joint whose columns depend on q. `v`, `a` are the spanning tree's.
template <class S> void own_second_derivatives(const BasicData<S>& data, const SweepInput<S>& in, const S* v,
                                               const S* a, const SecondTensors<S>& to, OwnGains<S>& gains) {
  const auto& tree = data.tree();
  for (Index j = 1; j <= tree.n; ++j)
    visit(tree.body[j].kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) add_own_second<J>(data, j, in, v, a, to, gains);
    });
}

/// Force, and sum of f p^T, of wrenches given in local_world_aligned axes.
template <class S> struct Aligned {
  Vec3<S> f;
  Mat3<S> fp;
  /// S_t^T (L_y W) S_x
  ZWANG_INLINE S along(const Motion<S>& t, const Motion<S>& y, const Motion<S>& x) const {
    const Vec3<S> moment{fp.r2.y - fp.r1.z, fp.r0.z - fp.r2.x, fp.r1.x - fp.r0.y};  // p x f
    return dot(t.w, x.w) * (dot(y.v, f) + dot(y.w, moment)) - dot(t.w, f) * dot(y.v, x.w) -
           dot(t.w, fp * cross(x.w, y.w));
  }
};
template <class S> ZWANG_INLINE void operator+=(Aligned<S>& a, const Aligned<S>& b) {
  a.f += b.f;
  a.fp.r0 += b.fp.r0;
  a.fp.r1 += b.fp.r1;
  a.fp.r2 += b.fp.r2;
}
template <class S>
Aligned<S> aligned(const BasicData<S>& data, Index body, const Transform<Uniform<S>>& in_body, const Vec3<S>& f) {
  const Vec3<S> p = data.position.placement[body] * in_body.p;
  return {f, {p * f.x, p * f.y, p * f.z}};
}

/// W of every triple on a path. `of_body` [n + 1] holds the wrenches of each body, and those of its subtree afterwards.
template <class S> void turning_second_derivatives(const BasicData<S>& data, const SweepInput<S>& in,
                                                   PathColumns<S>& path, Aligned<S>* of_body,
                                                   const SecondTensors<S>& to) {
  const auto& tree = data.tree();
  const TensorEntries<S, Uniform<S>> out{tree, to};
  for (Index i = tree.n; i > 0; --i)
    if (const Index parent = tree.body[i].parent; parent > 0) of_body[parent] += of_body[i];
  const auto turned = [&](Index t, Index y) -> Motion<S> {  // L_y S_t, positions on the path
    if (y >= path.end[t]) return Motion<S>::zero();
    Motion<S> x = cross(path.motion(path_s, y), path.motion(path_s, t));
    if (y < path.first[t]) return x;
    const Index body = tree.column[path.column[t]].body, first = tree.body[body].v;
    visit(tree.body[body].kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        S e[max_joint_columns];
        Motion<S> sigma[max_joint_columns];
        const Index b = path.column[y] - first;
        for (Index k = 0; k < tree.body[body].nv; ++k) e[k] = S(Uniform<S>(k == b ? 1 : 0));
        J::rates(in.of(tree.body[body]), e, sigma);
        x += data.position.placement[body] * sigma[path.column[t] - first];
      }
    });
    return x;
  };
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (body.nv == 0) continue;
    gather_path(data, i, path);
    const Turning<S> W = turning_of(data, i);
    const Aligned<S>& world = of_body[i];
    const Index own = path.size - body.nv;
    for (Index x = 0; x < path.size; ++x)
      for (Index y = 0; y < path.size; ++y) {
        const Motion<S> s_x = path.motion(path_s, x), s_y = path.motion(path_s, y);
        const Force<S> w_x = W * s_x, w_y = W * s_y, w_xy = W * turned(x, y), turned_y = cross(s_x, w_y);
        for (Index t = x < own && y < own ? own : 0; t < path.size; ++t) {
          const Motion<S> s_t = path.motion(path_s, t);
          S sum = dot(turned(t, y), w_x) + world.along(s_t, s_y, s_x) + dot(s_t, w_xy);
          if (path.first[x] >= path.end[t])
            sum += dot(s_t, turned_y);
          else if (x >= path.first[t])
            sum += dot(turned(t, x) - cross(s_x, s_t), w_y);
          out.add(to.qq, path.column[t], path.column[x], path.column[y], sum);
        }
      }
  }
}

/// What a call needs besides Data.
template <class S> struct SecondWork {
  PathColumns<S> path;
  OwnGains<S>* gains;   ///< nullptr: no joint has columns that depend on q
  Aligned<S>* aligned;  ///< [n + 1] wrenches, or nullptr where all turn with their bodies
};

/// Where kinematics(data, q, v, a) has been. Returns true if all entries are known to be finite.
template <class S> bool inverse_dynamics_second_derivatives(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                            SecondWork<S>& work, const SecondTensors<S>& to) {
  const auto& tree = data.tree();
  const S *vs, *as;
  const SweepInput<S> in = derivative_terms(data, q, v, a, &vs, &as);
  if (tree.mimic || work.gains != nullptr)
    for (S* const tensor : {to.qq, to.qv, to.vv, to.qa})
      std::fill_n(tensor, static_cast<std::size_t>(tree.nv) * tree.nv * tree.nv, S(Uniform<S>(0)));
  const S finite = constant_second_derivatives(data, work.path, to);
  if (work.gains != nullptr) own_second_derivatives(data, in, vs, as, to, *work.gains);
  if (work.aligned != nullptr) turning_second_derivatives(data, in, work.path, work.aligned, to);
  if constexpr (has_sides<S>)
    return !tree.mimic && work.gains == nullptr && work.aligned == nullptr && finite * 0 == 0;
  else
    return false;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
