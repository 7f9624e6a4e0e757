// SPDX-License-Identifier: BSD-3-Clause
// Evaluates any row of the list of algorithms on one state, for programs that know its name only at run time: Python,
// the command line, benchmarks. If the name is known, call the function of that name. This file also holds THE calls:
// how each row is computed by the public function of its name (those of derivatives in derivative_calls.hpp). All of it
// is compiled in the program that includes it (ARCHITECTURE.md, Eigen at the border).
//
//   Evaluator evaluator(model);
//   evaluator.run(algorithm("bias_forces"), data, {q.data(), v.data()}, {h.data()});
#pragma once
#include <utility>

#include "zwang/batch/derivative_calls.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang {
namespace one_state {

// --- M(q) a + h(q, v) = tau -----------------------------------------------------------------------------------------

inline void call(Row<"inverse_dynamics">, const State& x) {
  x.put(inverse_dynamics(x.model, x.data, x.q(), x.v(), x.v(2), x.external, x.options.effects));
}
inline void call(Row<"forward_dynamics">, const State& x) {
  x.put(forward_dynamics(x.model, x.data, x.q(), x.v(), x.v(2), x.external, x.options.effects));
}
inline void call(Row<"bias_forces">, const State& x) {
  x.put(bias_forces(x.model, x.data, x.q(), x.v(), x.external, x.options.effects));
}
inline void call(Row<"gravity_forces">, const State& x) { x.put(gravity_forces(x.model, x.data, x.q())); }
inline void call(Row<"mass_matrix">, const State& x) {
  Matrix M = x.own.matrix(x.nv(), x.nv());
  mass_matrix(x.model, x.data, x.q(), M, x.options.effects);
  x.put(M);
}
inline void call(Row<"mass_matrix_inverse">, const State& x) {
  x.own.factor().compute(x.data, x.q(), x.options.effects);
  Matrix M = x.own.matrix(x.nv(), x.nv());
  x.own.factor().inverse(M);
  x.put(M);
}
inline void call(Row<"mass_matrix_solve">, const State& x) {
  check_tangent(x.model, x.in[1], x.nv(), "mass_matrix_solve", "b");
  x.own.factor().compute(x.data, x.q(), x.options.effects);
  Eigen::Map<Eigen::VectorXd> solution = x.result(x.nv());
  solution = x.v();
  x.own.factor().solve(solution);
}

inline void call(Row<"coriolis_matrix">, const State& x) {
  Matrix C = x.own.matrix(x.nv(), x.nv());
  coriolis_matrix(x.model, x.data, x.q(), x.v(), C);
  x.put(C);
}
inline void call(Row<"generalised_momentum">, const State& x) {
  generalised_momentum(x.model, x.data, x.q(), x.v(), x.result(x.nv()), x.result(x.nv(), 1), x.options.effects);
}
inline void call(Row<"static_torque">, const State& x) {
  x.put(static_torque(x.model, x.data, x.q(), x.external, x.options.effects));
}

// --- energies and the centre of mass --------------------------------------------------------------------------------

inline void call(Row<"kinetic_energy">, const State& x) {
  x.put(kinetic_energy(x.model, x.data, x.q(), x.v(), x.options.effects));
}
inline void call(Row<"potential_energy">, const State& x) {
  x.put(potential_energy(x.model, x.data, x.q(), x.options.effects));
}
inline void call(Row<"centre_of_mass">, const State& x) { x.put(centre_of_mass(x.model, x.data, x.q())); }
inline void call(Row<"centre_of_mass_velocity">, const State& x) {
  forward_kinematics(x.model, x.data, x.q(), x.v());
  x.put(centre_of_mass_velocity(x.model, x.data));
}
inline void call(Row<"centre_of_mass_acceleration">, const State& x) {
  forward_kinematics(x.model, x.data, x.q(), x.v(), x.v(2));
  x.put(centre_of_mass_acceleration(x.model, x.data));
}
inline void call(Row<"centre_of_mass_motion">, const State& x) {
  x.put(centre_of_mass(x.model, x.data, x.q()));
  forward_kinematics(x.model, x.data, x.q(), x.v(), x.v(2));
  x.put(centre_of_mass_velocity(x.model, x.data), 1);
  x.put(centre_of_mass_acceleration(x.model, x.data), 2);
}
inline void call(Row<"centre_of_mass_jacobian">, const State& x) {
  Matrix J = x.own.matrix(3, x.nv());
  centre_of_mass_jacobian(x.model, x.data, x.q(), J);
  x.put(J);
}

inline void call(Row<"mechanical_energy">, const State& x) {
  x.put(mechanical_energy(x.model, x.data, x.q(), x.v(), x.options.effects));
}
inline void call(Row<"subtree_mass">, const State& x) { x.put(subtree_mass(x.model, x.data, x.options.frame)); }
inline void call(Row<"subtree_centre_of_mass">, const State& x) {
  x.put(subtree_centre_of_mass(x.model, x.data, x.q(), x.options.frame));
}

inline void call(Row<"subtree_centre_of_mass_velocity">, const State& x) {
  x.put(subtree_centre_of_mass_velocity(x.model, x.data, x.q(), x.v(), x.options.frame));
}
inline void call(Row<"subtree_centre_of_mass_acceleration">, const State& x) {
  x.put(subtree_centre_of_mass_acceleration(x.model, x.data, x.q(), x.v(), x.v(2), x.options.frame));
}
inline void call(Row<"subtree_centre_of_mass_jacobian">, const State& x) {
  Matrix J = x.own.matrix(3, x.nv());
  subtree_centre_of_mass_jacobian(x.model, x.data, x.q(), x.options.frame, J);
  x.put(J);
}

// --- momentum -------------------------------------------------------------------------------------------------------

inline void call(Row<"centroidal_map">, const State& x) {
  Matrix A = x.jacobian();
  centroidal_map(x.model, x.data, x.q(), A);
  x.put(A);
}
inline void call(Row<"centroidal_map_dot">, const State& x) {
  Matrix A = x.jacobian();
  centroidal_map_dot(x.model, x.data, x.q(), x.v(), A);
  x.put(A);
}
inline void call(Row<"centroidal_momentum">, const State& x) {
  x.put(centroidal_momentum(x.model, x.data, x.q(), x.v()));
}
inline void call(Row<"centroidal_momentum_rate">, const State& x) {
  x.put(centroidal_momentum_rate(x.model, x.data, x.q(), x.v(), x.v(2)));
}
inline void call(Row<"centroidal_inertia">, const State& x) { x.put(centroidal_inertia(x.model, x.data, x.q())); }
inline void call(Row<"body_momentum">, const State& x) {
  x.put(body_momentum(x.model, x.data, x.q(), x.v(), x.options.frame));
}
inline void call(Row<"composite_inertia">, const State& x) {
  x.put(composite_inertia(x.model, x.data, x.q(), x.options.frame));
}
inline void call(Row<"composite_inertia_rate">, const State& x) {
  Matrix rate = x.own.matrix(6, 6);
  composite_inertia_rate(x.model, x.data, x.q(), x.v(), x.options.frame, rate);
  x.put(rate);
}
inline void call(Row<"articulated_inertia">, const State& x) {
  Matrix I = x.own.matrix(6, 6);
  articulated_inertia(x.model, x.data, x.q(), x.options.frame, I, x.options.effects);
  x.put(I);
}

// --- regressors -----------------------------------------------------------------------------------------------------

inline void call(Row<"inverse_dynamics_regressor">, const State& x) {
  Matrix Y = x.own.matrix(x.nv(), x.parameters());
  inverse_dynamics_regressor(x.model, x.data, x.q(), x.v(), x.v(2), Y);
  x.put(Y);
}
inline void call(Row<"frame_regressor">, const State& x) {
  Matrix Y = x.own.matrix(6, 10);
  frame_regressor(x.model, x.data, x.q(), x.v(), x.v(2), x.options.frame, Y);
  x.put(Y);
}
inline void call(Row<"kinetic_energy_regressor">, const State& x) {
  kinetic_energy_regressor(x.model, x.data, x.q(), x.v(), x.result(x.parameters()));
}
inline void call(Row<"potential_energy_regressor">, const State& x) {
  potential_energy_regressor(x.model, x.data, x.q(), x.result(x.parameters()));
}
inline void call(Row<"momentum_regressor">, const State& x) {
  Matrix Y = x.own.matrix(6, x.parameters());
  momentum_regressor(x.model, x.data, x.q(), x.v(), Y);
  x.put(Y);
}
inline void call(Row<"static_regressor">, const State& x) {
  Matrix Y = x.own.matrix(3, x.parameters() / 10 * 4);
  static_regressor(x.model, x.data, x.q(), Y);
  x.put(Y);
}
inline void call(Row<"friction_regressor">, const State& x) {
  Matrix Y = x.own.matrix(x.nv(), 2 * x.nv());
  friction_regressor(x.model, x.v(0), Y);
  x.put(Y);
}
inline void call(Row<"kinematic_regressor">, const State& x) {
  Matrix Y = x.own.matrix(6, 6 * static_cast<Index>(x.model.joints().size()));
  kinematic_regressor(x.model, x.data, x.q(), x.options.frame, x.options.reference, Y);
  x.put_seen(Y);
}

// --- frames ---------------------------------------------------------------------------------------------------------

inline void call(Row<"frame_pose">, const State& x) {
  forward_kinematics(x.model, x.data, x.q());
  x.put(frame_pose(x.model, x.data, x.options.frame));
}
inline void call(Row<"frame_poses">, const State& x) {
  forward_kinematics(x.model, x.data, x.q());
  Index place = 0;
  for (const FrameId frame : x.options.frames) x.put(frame_pose(x.model, x.data, frame), place++);
}
inline void call(Row<"frame_velocity">, const State& x) {
  forward_kinematics(x.model, x.data, x.q(), x.v());
  x.put_seen(frame_velocity(x.model, x.data, x.options.frame, x.options.reference));
}
inline void call(Row<"frame_acceleration">, const State& x) {
  const AlgorithmOptions& o = x.options;
  forward_kinematics(x.model, x.data, x.q(), x.v(), x.v(2));
  x.put_seen(frame_acceleration(x.model, x.data, o.frame, o.kind, o.reference, o.with_gravity));
}
inline void call(Row<"jacobian">, const State& x) {
  Matrix J = x.jacobian();
  if (x.options.axes) {
    forward_kinematics(x.model, x.data, x.q());
    jacobian(x.model, x.data, x.options.frame, x.options.reference, J);
  } else {
    jacobian(x.model, x.data, x.q(), x.options.frame, x.options.reference, J);
  }
  x.put_seen(J);
}
inline void call(Row<"jacobian_dot">, const State& x) {
  Matrix rate = x.jacobian();
  jacobian_dot(x.model, x.data, x.q(), x.v(), x.options.frame, x.options.reference, rate);
  if (x.options.axes) {  // d/dt (R^T J) = R^T (dJ/dt - omega x J)
    Matrix J = x.own.matrix(6, x.nv(), 1);
    jacobian(x.model, x.data, x.options.frame, x.options.reference, J);
    const Vec3<double> omega = frame_velocity(x.model, x.data, x.options.axes, Reference::local_world_aligned).w;
    for (Index c = 0; c < x.nv(); ++c)
      for (Index part = 0; part < 6; part += 3) {
        const Vec3<double> y = cross(omega, Vec3<double>{J(part, c), J(part + 1, c), J(part + 2, c)});
        for (int i = 0; i < 3; ++i) rate(part + i, c) -= y[i];
      }
  }
  x.put_seen(rate);
}
inline void call(Row<"jacobian_at">, const State& x) {
  forward_kinematics(x.model, x.data, x.q());
  Matrix J = x.jacobian();
  jacobian_at(x.model, x.data, x.options.frame, x.options.point, J);
  x.put(J);
}
inline void call(Row<"relative_pose">, const State& x) {
  forward_kinematics(x.model, x.data, x.q());
  x.put(relative_pose(x.model, x.data, x.options.frame, x.options.seen_from));
}
inline void call(Row<"relative_velocity">, const State& x) {
  const AlgorithmOptions& o = x.options;
  forward_kinematics(x.model, x.data, x.q(), x.v());
  x.put_seen(relative_velocity(x.model, x.data, o.frame, o.seen_from, o.reference));
}
inline void call(Row<"relative_jacobian">, const State& x) {
  const AlgorithmOptions& o = x.options;
  forward_kinematics(x.model, x.data, x.q());
  Matrix J = x.jacobian();
  relative_jacobian(x.model, x.data, o.frame, o.seen_from, o.reference, J);
  x.put_seen(J);
}

inline void call(Row<"kinematic_hessian">, const State& x) {
  const Index nv = x.nv();
  kinematic_hessian(x.model, x.data, x.q(), x.options.frame, x.options.reference, x.result(6 * nv * nv));
  if (!x.options.axes) return;
  // d (R^T J)/dq_j = R^T (dJ/dq_j - omega_j x J), omega_j the turning of the axes by coordinate j
  Matrix J = x.jacobian(), turning = x.own.matrix(6, nv, 1);
  forward_kinematics(x.model, x.data, x.q());
  jacobian(x.model, x.data, x.options.frame, x.options.reference, J);
  jacobian(x.model, x.data, x.options.axes, Reference::world, turning);
  const Mat3<double> R = frame_pose(x.model, x.data, x.options.axes).R;
  const auto at = [&](Index r, Index k, Index j) -> double& { return x.out[0][(r * nv + k) * nv + j]; };
  for (Index k = 0; k < nv; ++k)
    for (Index j = 0; j < nv; ++j)
      for (Index part = 0; part < 6; part += 3) {
        const Vec3<double> d{at(part, k, j), at(part + 1, k, j), at(part + 2, k, j)};
        const Vec3<double> omega{turning(3, j), turning(4, j), turning(5, j)};
        const Vec3<double> y =
            transpose_times(R, d - cross(omega, Vec3<double>{J(part, k), J(part + 1, k), J(part + 2, k)}));
        for (int i = 0; i < 3; ++i) at(part + i, k, j) = y[i];
      }
}
inline void call(Row<"column_rates">, const State& x) {
  Matrix S = x.own.matrix(6, x.nv()), rate = x.own.matrix(6, x.nv(), 1), second = x.own.matrix(6, x.nv(), 2);
  column_rates(x.model, x.data, x.q(), x.v(), x.v(2), S, rate, second);
  x.put(S);
  x.put(rate, 1);
  x.put(second, 2);
}

// --- the space of configurations ------------------------------------------------------------------------------------

inline void call(Row<"integrate">, const State& x) { integrate(x.model, x.q(), x.v(), x.result(x.nq())); }
inline void call(Row<"difference">, const State& x) { difference(x.model, x.q(0), x.q(1), x.result(x.nv())); }
inline void call(Row<"interpolate">, const State& x) {
  interpolate(x.model, x.q(0), x.q(1), x.options.number, x.result(x.nq()));
}
inline void call(Row<"distance">, const State& x) { x.put(distance(x.model, x.q(0), x.q(1))); }
inline void call(Row<"squared_distances">, const State& x) {
  squared_distances(x.model, x.q(0), x.q(1), x.result(static_cast<Index>(x.model.joints().size())));
}
inline void call(Row<"integrate_jacobians">, const State& x) {
  Matrix A = x.own.matrix(x.nv(), x.nv()), B = x.own.matrix(x.nv(), x.nv(), 1);
  integrate_jacobians(x.model, x.q(), x.v(), A, B);
  x.put(A);
  x.put(B, 1);
}
inline void call(Row<"difference_jacobians">, const State& x) {
  Matrix A = x.own.matrix(x.nv(), x.nv()), B = x.own.matrix(x.nv(), x.nv(), 1);
  difference_jacobians(x.model, x.q(0), x.q(1), A, B);
  x.put(A);
  x.put(B, 1);
}
inline void call(Row<"transport">, const State& x) { transport(x.model, x.q(), x.v(), x.v(2), x.result(x.nv())); }
inline void call(Row<"normalize">, const State& x) {
  Eigen::Map<Eigen::VectorXd> q = x.result(x.nq());
  q = x.q();
  normalize(x.model, q);
}

/// The calls of all rows, in the order of the list.
struct Calls {
  using Function = void (*)(const State&);
  template <int k> static void run(const State& x) { call(RowAt<k>(), x); }
  template <int... k> static constexpr Calls of_rows(std::integer_sequence<int, k...>) { return {{run<k>...}}; }
  Function of[k_algorithms];
};
inline constexpr Calls k_calls = Calls::of_rows(std::make_integer_sequence<int, k_algorithms>());

}  // namespace one_state

inline TreeCholesky& Evaluator::factor() {
  if (!factor_) factor_.emplace(model_);
  return *factor_;
}

inline Eigen::Map<Eigen::MatrixXd> Evaluator::matrix(Index rows, Index columns, int which) {
  std::vector<double>& room = room_[which];
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (room.size() < size) room.resize(size);
  return {room.data(), rows, columns};
}

inline void Evaluator::run(const Algorithm& row, Data& data, std::span<const double* const> in,
                           std::span<double* const> out, const AlgorithmOptions& options, ExternalsIn external) {
  const long vectors = row.vectors();
  if (static_cast<long>(in.size()) != vectors)
    detail::throw_size(row.name, "vectors", static_cast<long>(in.size()), vectors);
  if (static_cast<int>(out.size()) != row.gives.count)
    detail::throw_size(row.name, "results", static_cast<long>(out.size()), row.gives.count);
  one_state::k_calls.of[index_of(row)]({*this, model_, data, in, out, options, external});
}

}  // namespace zwang
