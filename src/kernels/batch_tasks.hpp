// SPDX-License-Identifier: BSD-3-Clause
// Algorithms in lanes: the page of each row of algorithm_list.hpp. task(Row<"name">, w, c) reads the
// vectors of its row, in order, from w.q, w.v, w.a (and w.x), its other arguments from c, and writes
// its results one after the other to w.out.
#pragma once
#include <type_traits>

#include "kernels/gross_inertia.hpp"
#include "kernels/matrices.hpp"
#include "zwang/algorithm/page/centroidal.hpp"
#include "zwang/algorithm/page/coriolis.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

template <class S> using Call = BatchCall<Uniform<S>>;

template <class S> page::PassiveEffects effects_of(const Call<S>& c) { return {c.damping, c.friction, c.springs}; }

/// Of the springs and of links' own scales of gravity.
template <class S> ZWANG_INLINE S energy_of_effects(const Workspace<S>& w, const Call<S>& c) {
  S V(Uniform<S>(0));
  if (c.springs) V += page::spring_energy(w.data.tree(), w.q.data());
  if (c.excess) V += page::excess_energy(w.data);
  return V;
}

/// tau of the motors, without the passive joint effects.
template <class S> ZWANG_INLINE void motor_torques(Workspace<S>& w, const Call<S>& c, const S* v, const S* a) {
  page::inverse_dynamics(w.data, w.q.data(), v, a, w.out.data());
  page::add_passive(w.data.tree(), w.q.data(), v, effects_of<S>(c), Uniform<S>(-1), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"inverse_dynamics">, Workspace<S>& w, const Call<S>& c) {
  motor_torques(w, c, w.v.data(), w.a.data());
}
template <class S> ZWANG_INLINE void task(Row<"bias_forces">, Workspace<S>& w, const Call<S>& c) {
  w.data.armature_factor = 0;  // no acceleration: rotors have no effect
  for (Index k = 0; k < w.data.tree().nv; ++k) w.a[k] = S(Uniform<S>(0));
  motor_torques(w, c, w.v.data(), w.a.data());
}
template <class S> ZWANG_INLINE void task(Row<"gravity_forces">, Workspace<S>& w, const Call<S>&) {
  for (Index k = 0; k < w.data.tree().nv; ++k) w.a[k] = S(Uniform<S>(0));
  page::inverse_dynamics(w.data, w.q.data(), w.a.data(), w.a.data(), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"forward_dynamics">, Workspace<S>& w, const Call<S>& c) {
  page::add_passive(w.data.tree(), w.q.data(), w.v.data(), effects_of<S>(c), Uniform<S>(1), w.a.data());
  page::forward_accelerations(w.data, w.q.data(), w.v.data(), w.a.data(), w.out.data());
}

template <class S> ZWANG_INLINE void task(Row<"mass_matrix">, Workspace<S>& w, const Call<S>& c) {
  if (w.data.tree().mimic)
    page::mass_matrix(w.data, w.q.data(), w.out.data(), w.data.tree().nv);
  else
    mass_matrix_of(w, MatrixOut<S>(w, c));
}
/// Factors M into w.factor if joints mimic each other; a pivot without inertia marks its lanes.
template <class S> ZWANG_INLINE page::TreeFactor<S> factor(Workspace<S>& w) {
  const auto& tree = w.data.tree();
  const page::TreeFactor<S> f = page::tree_factor(tree, w.factor.data(), tree.nv);
  S* const bound = w.factor.data() + tree.nv * tree.nv;
  page::mass_matrix(w.data, w.q.data(), f.a, tree.nv);
  gross_inertias(w.data, bound);
  page::ltl_factor(f, [&](Index k, const S& pivot) ZWANG_LAMBDA {
    note_singular(w.data.articulated, k, !less(bound[k] * (32 * epsilon_of<S>), pivot));
  });
  return f;
}
template <class S> ZWANG_INLINE void task(Row<"mass_matrix_inverse">, Workspace<S>& w, const Call<S>& c) {
  if (w.data.tree().mimic)
    page::mass_matrix_inverse<S>(factor(w), w.out.data(), w.data.tree().nv, w.x.data());
  else
    mass_matrix_inverse_of(w, MatrixOut<S>(w, c));
}
template <class S> ZWANG_INLINE void task(Row<"mass_matrix_solve">, Workspace<S>& w, const Call<S>&) {
  if (!w.data.tree().mimic) return mass_matrix_solve_of(w, w.v.data(), w.out.data());
  for (Index k = 0; k < w.data.tree().nv; ++k) w.out[k] = w.v[k];
  page::ltl_solve(factor(w), w.out.data());
}

template <class S> ZWANG_INLINE void put(const Motion<S>& m, S* out) {
  for (Index k = 0; k < 6; ++k) out[k] = m[k];
}
template <class S> ZWANG_INLINE page::PointOfView<S> view_of(const Workspace<S>& w, const Call<S>& c) {
  return page::point_of_view(w.data, c.frame.body, pose_of(c.frame), static_cast<Reference>(c.frame.reference));
}
/// A 4 x 4 matrix by rows.
template <class S> ZWANG_INLINE void put_pose(const BasicData<S>& data, const FrameTask<Uniform<S>>& frame, S* out) {
  Transform<S> X = page::frame_about_centre(data, frame.body, pose_of(frame));
  X.p += data.position.centre[data.tree().body[frame.body].root];
  for (Index r = 0; r < 3; ++r) {
    for (Index k = 0; k < 3; ++k) out[4 * r + k] = X.R(r, k);
    out[4 * r + 3] = X.p[r];
    out[12 + r] = S(Uniform<S>(0));
  }
  out[15] = S(Uniform<S>(1));
}
template <class S> ZWANG_INLINE void task(Row<"frame_pose">, Workspace<S>& w, const Call<S>& c) {
  page::kinematics(w.data, w.q.data());
  put_pose(w.data, c.frame, w.out.data());
}
/// Writes each pose at once to its destination: there may be more than w.out has room for.
template <class S> ZWANG_INLINE void task(Row<"frame_poses">, Workspace<S>& w, const Call<S>& c) {
  using T = Uniform<S>;
  page::kinematics(w.data, w.q.data());
  S* const pose = w.out.data();
  for (Index f = 0; f < c.frames; ++f) {
    put_pose(w.data, c.frame_list[f], pose);
    for (Index k = 3; k < 12; k += 4) w.overflow += pose[k] * T(0);
    const StateArray<T>& all = c.out[0];
    store_states(pose, StateArray<T>{all.data + 16 * f * all.number, 16, all.tile, all.lane, all.number}, w.state,
                 c.states);
  }
  w.written = true;
}
template <class S> ZWANG_INLINE void task(Row<"frame_velocity">, Workspace<S>& w, const Call<S>& c) {
  page::kinematics(w.data, w.q.data(), w.v.data());
  put(view_of(w, c).see(w.data.velocity.twist[c.frame.body]), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"frame_acceleration">, Workspace<S>& w, const Call<S>& c) {
  page::kinematics(w.data, w.q.data(), w.v.data(), w.a.data());
  const Index body = c.frame.body;
  const page::PointOfView<S> view = view_of(w, c);
  const Motion<S>& twist = w.data.velocity.twist[body];
  Motion<S> a = page::body_acceleration(w.data, body);
  if (body == 0) a = Motion<S>::zero();
  if (c.frame.with_gravity) a.v -= w.data.gravity;
  if (c.frame.classical) a.v += cross(twist.w, twist.v + cross(twist.w, view.point));
  put(view.see(a), w.out.data());
}
/// 6 x nv by rows.
template <class S> ZWANG_INLINE void task(Row<"jacobian">, Workspace<S>& w, const Call<S>& c) {
  const Index nv = w.data.tree().nv;
  page::enter_path(w.data, w.q.data(), c.frame.body);
  page::jacobian(w.data, c.frame.body, pose_of(c.frame), static_cast<Reference>(c.frame.reference),
                 page::MatrixView<S>{w.out.data(), 6, nv, nv, 1});
}
template <class S> ZWANG_INLINE void task(Row<"jacobian_dot">, Workspace<S>& w, const Call<S>& c) {
  const auto& tree = w.data.tree();
  page::kinematics(w.data, w.q.data(), w.v.data());
  const SweepInput<S> in{tree.mimic ? w.data.q_spanning.data() : w.q.data(), w.data.sin.data(), w.data.cos.data()};
  page::jacobian_dot(w.data, in, tree.mimic ? w.data.v_spanning.data() : w.v.data(), c.frame.body, pose_of(c.frame),
                     static_cast<Reference>(c.frame.reference),
                     page::MatrixView<S>{w.out.data(), 6, tree.nv, tree.nv, 1});
}

template <class S> ZWANG_INLINE void put(const Vec3<S>& x, S* out) {
  for (Index k = 0; k < 3; ++k) out[k] = x[k];
}
template <class S> ZWANG_INLINE void task(Row<"centre_of_mass">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data());
  put(page::centre_of_mass(w.data).position, w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"centre_of_mass_velocity">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data());
  put(page::centre_of_mass(w.data).velocity, w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"centre_of_mass_acceleration">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data(), w.a.data());
  put(page::centre_of_mass(w.data).acceleration, w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"centre_of_mass_motion">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data(), w.a.data());
  const page::CentreOfMass<S> x = page::centre_of_mass(w.data);
  put(x.position, w.out.data());
  put(x.velocity, w.out.data() + 3);
  put(x.acceleration, w.out.data() + 6);
}
template <class S> ZWANG_INLINE void task(Row<"centre_of_mass_jacobian">, Workspace<S>& w, const Call<S>&) {
  const Index nv = w.data.tree().nv;
  page::columns(w.data, w.q.data());
  page::centre_of_mass_jacobian(w.data, page::MatrixView<S>{w.out.data(), 3, nv, nv, 1});
}
template <class S> ZWANG_INLINE void task(Row<"kinetic_energy">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data());
  w.out[0] = page::kinetic_energy(w.data, w.data.tree().mimic ? w.data.v_spanning.data() : w.v.data());
}
template <class S> ZWANG_INLINE void task(Row<"potential_energy">, Workspace<S>& w, const Call<S>& c) {
  page::kinematics(w.data, w.q.data());
  w.out[0] = page::potential_energy(w.data) + energy_of_effects(w, c);
}

/// Coordinates of the spanning tree as the last kinematics with v has read them.
template <class S> struct Spanning {
  explicit Spanning(Workspace<S>& w)
      : in{w.data.tree().mimic ? w.data.q_spanning.data() : w.q.data(), w.data.sin.data(), w.data.cos.data()},
        v(w.data.tree().mimic ? w.data.v_spanning.data() : w.v.data()) {}
  SweepInput<S> in;
  const S* v;
};
template <class S> ZWANG_INLINE void put(const Force<S>& f, S* out) {
  for (Index k = 0; k < 6; ++k) out[k] = f[k];
}
template <class S> ZWANG_INLINE void task(Row<"static_torque">, Workspace<S>& w, const Call<S>& c) {
  w.data.armature_factor = 0;
  for (Index k = 0; k < w.data.tree().nv; ++k) w.a[k] = S(Uniform<S>(0));
  motor_torques(w, c, w.a.data(), w.a.data());
}
template <class S> ZWANG_INLINE void task(Row<"mechanical_energy">, Workspace<S>& w, const Call<S>& c) {
  page::kinematics(w.data, w.q.data(), w.v.data());
  w.out[0] = page::kinetic_energy(w.data, Spanning<S>(w).v) + page::potential_energy(w.data) + energy_of_effects(w, c);
}
template <class S> ZWANG_INLINE void task(Row<"coriolis_matrix">, Workspace<S>& w, const Call<S>&) {
  page::coriolis_matrix(w.data, w.q.data(), w.v.data(), w.out.data(), w.data.tree().nv, false);
}
template <class S> ZWANG_INLINE void task(Row<"generalised_momentum">, Workspace<S>& w, const Call<S>&) {
  S* const out = w.out.data();
  page::generalised_momentum(w.data, w.q.data(), w.v.data(), out, out + w.data.tree().nv);
}
template <class S> ZWANG_INLINE void task(Row<"centroidal_map">, Workspace<S>& w, const Call<S>&) {
  const Index nv = w.data.tree().nv;
  page::columns(w.data, w.q.data());
  page::centroidal_map(w.data, page::MatrixView<S>{w.out.data(), 6, nv, nv, 1});
}
template <class S> ZWANG_INLINE void task(Row<"centroidal_map_dot">, Workspace<S>& w, const Call<S>&) {
  const Index nv = w.data.tree().nv;
  page::kinematics(w.data, w.q.data(), w.v.data());
  const Spanning<S> x(w);
  page::centroidal_map_dot(w.data, x.in, x.v, page::MatrixView<S>{w.out.data(), 6, nv, nv, 1});
}
template <class S> ZWANG_INLINE void task(Row<"centroidal_momentum">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data());
  put(page::centroidal_momentum(w.data), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"centroidal_momentum_rate">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data(), w.v.data(), w.a.data());
  put(page::centroidal_momentum_rate(w.data), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"centroidal_inertia">, Workspace<S>& w, const Call<S>&) {
  page::kinematics(w.data, w.q.data());
  const Inertia<S> I = page::centroidal_inertia(w.data);
  for (Index k = 0; k < 6; ++k) {
    Motion<S> e = Motion<S>::zero();
    e[k] = S(Uniform<S>(1));
    const Force<S> f = I * e;
    for (Index r = 0; r < 6; ++r) w.out[6 * r + k] = f[r];
  }
}
template <class S> ZWANG_INLINE void task(Row<"inverse_dynamics_regressor">, Workspace<S>& w, const Call<S>&) {
  const auto& tree = w.data.tree();
  const Index parameters = page::k_link_parameters * tree.links;
  page::kinematics(w.data, w.q.data(), w.v.data(), w.a.data());
  page::inverse_dynamics_regressor(w.data, page::MatrixView<S>{w.out.data(), tree.nv, parameters, parameters, 1});
}

template <class S> ZWANG_INLINE void task(Row<"integrate">, Workspace<S>& w, const Call<S>&) {
  page::integrate(w.data.tree(), w.q.data(), w.v.data(), w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"difference">, Workspace<S>& w, const Call<S>&) {
  page::difference(w.data.tree(), w.q.data(), w.v.data(), w.out.data());
}

/// Rows of list/derivatives.hpp: their tasks stand in batch_derivatives.hpp and are compiled beside the others.
inline constexpr int k_first_derivative = algorithm_index(algorithm_list::k_derivatives[0].name);
inline constexpr int k_derivative_rows = std::extent_v<decltype(algorithm_list::k_derivatives)>;
constexpr bool is_derivative(int k) { return k >= k_first_derivative && k < k_first_derivative + k_derivative_rows; }
template <class S, int k> void run_derivative(void* workspace, const Call<S>& c, long first, long last);

/// `room`: the largest number of results that an algorithm of the list writes to w.out.
template <class S> void* make(const void* tree, const double* g, Index room) {
  using T = Uniform<S>;
  const Tree<T>& t = *static_cast<const Tree<T>*>(tree);
  const Index products = 5 * t.nv * t.nv;  // of forward_dynamics_derivatives, with what it reads twice
  return new Workspace<S>(t, Vec3<T>{T(g[0]), T(g[1]), T(g[2])}, room > products ? room : products);
}
template <class S> void drop(void* workspace) { delete static_cast<Workspace<S>*>(workspace); }

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
