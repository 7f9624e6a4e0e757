// SPDX-License-Identifier: BSD-3-Clause
// The three faces (algorithm/three_faces.hpp) of the calls of kinematics, dynamics, quantities and first derivatives.
#include "zwang/algorithm/real_time.hpp"

#include "algorithm/three_faces.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

using namespace faces;

Index columns_of_a_joint(const Model& m) { return m.joints()[static_cast<std::size_t>(moving_joint(m).value)].v.size; }

std::vector<Call> all_calls(const Model& model) {
  const Index n = model.nv(), links = static_cast<Index>(model.links().size());
  const Vec3<double> point{0.3, -0.2, 0.7};
  return {
      {"frame_pose", 0, 0, 1, 4, 4, [](A x) { return of(frame_pose(x.m, x.d, x.q, x.f)); },
       [](A x, Out o) {
         return into<Transform<double>>(o, [&](auto& r) { return try_frame_pose(x.m, x.d, x.q, x.f, r); });
       },
       false},
      {"frame_velocity", 1, 0, 1, 6, 1, [](A x) { return of(frame_velocity(x.m, x.d, x.q, x.v, x.f, k_own)); },
       [](A x, Out o) {
         return into<Motion<double>>(o, [&](auto& r) { return try_frame_velocity(x.m, x.d, x.q, x.v, x.f, k_own, r); });
       },
       false},
      {"frame_acceleration", 1, 1, 1, 6, 1,
       [](A x) {
         return of(frame_acceleration(x.m, x.d, x.q, x.v, x.a, x.f, AccelerationKind::classical, k_seen, true));
       },
       [](A x, Out o) {
         return into<Motion<double>>(o, [&](auto& r) {
           return try_frame_acceleration(x.m, x.d, x.q, x.v, x.a, x.f, AccelerationKind::classical, k_seen, r, true);
         });
       },
       false},
      {"jacobian", 0, 0, 1, 6, n, [](A x) { return jacobian(x.m, x.d, x.q, x.f, k_own); },
       [](A x, Out o) { return try_jacobian(x.m, x.d, x.q, x.f, k_own, o); }},
      {"jacobian_dot", 1, 0, 1, 6, n, [](A x) { return jacobian_dot(x.m, x.d, x.q, x.v, x.f); },
       [](A x, Out o) { return try_jacobian_dot(x.m, x.d, x.q, x.v, x.f, k_seen, o); }},
      {"jacobian_at", 0, 0, 1, 6, n, [=](A x) { return jacobian_at(x.m, x.d, x.q, x.f, point); },
       [=](A x, Out o) { return try_jacobian_at(x.m, x.d, x.q, x.f, point, o); }},
      {"relative_pose", 0, 0, 1, 4, 4, [](A x) { return of(relative_pose(x.m, x.d, x.q, x.f, x.from)); },
       [](A x, Out o) {
         return into<Transform<double>>(o, [&](auto& r) { return try_relative_pose(x.m, x.d, x.q, x.f, x.from, r); });
       },
       false},
      {"relative_velocity", 1, 0, 1, 6, 1, [](A x) { return of(relative_velocity(x.m, x.d, x.q, x.v, x.f, x.from)); },
       [](A x, Out o) {
         return into<Motion<double>>(
             o, [&](auto& r) { return try_relative_velocity(x.m, x.d, x.q, x.v, x.f, x.from, k_seen, r); });
       },
       false},
      {"relative_jacobian", 0, 0, 1, 6, n, [](A x) { return relative_jacobian(x.m, x.d, x.q, x.f, x.from); },
       [](A x, Out o) { return try_relative_jacobian(x.m, x.d, x.q, x.f, x.from, k_seen, o); }},
      {"inverse_dynamics", 1, 1, 0, n, 1,
       [](A x) { return Matrix(inverse_dynamics(x.m, x.d, x.q, x.v, x.a, x.external, k_effects)); },
       [](A x, Out o) { return try_inverse_dynamics(x.m, x.d, x.q, x.v, x.a, column(o), x.external, k_effects); }},
      {"forward_dynamics", 1, 1, 0, n, 1,
       [](A x) { return Matrix(forward_dynamics(x.m, x.d, x.q, x.v, x.a, x.external, {})); },
       [](A x, Out o) { return try_forward_dynamics(x.m, x.d, x.q, x.v, x.a, column(o), x.external); }},
      {"bias_forces", 1, 0, 0, n, 1, [](A x) { return Matrix(bias_forces(x.m, x.d, x.q, x.v, x.external, k_effects)); },
       [](A x, Out o) { return try_bias_forces(x.m, x.d, x.q, x.v, column(o), x.external, k_effects); }},
      {"gravity_forces", 0, 0, 0, n, 1, [](A x) { return Matrix(gravity_forces(x.m, x.d, x.q)); },
       [](A x, Out o) { return try_gravity_forces(x.m, x.d, x.q, column(o)); }},
      {"static_torque", 0, 0, 0, n, 1, [](A x) { return Matrix(static_torque(x.m, x.d, x.q, x.external, k_effects)); },
       [](A x, Out o) { return try_static_torque(x.m, x.d, x.q, column(o), x.external, k_effects); }},
      {"mass_matrix", 0, 0, 0, n, n, [](A x) { return mass_matrix(x.m, x.d, x.q, k_effects); },
       [](A x, Out o) { return try_mass_matrix(x.m, x.d, x.q, o, k_effects); }},
      {"coriolis_matrix", 1, 0, 0, n, n, [](A x) { return coriolis_matrix(x.m, x.d, x.q, x.v); },
       [](A x, Out o) { return try_coriolis_matrix(x.m, x.d, x.q, x.v, o); }},
      {"generalised_momentum", 1, 0, 0, n, 2,
       [=](A x) {
         Matrix both(n, 2);
         generalised_momentum(x.m, x.d, x.q, x.v, both.col(0), both.col(1), k_effects);
         return both;
       },
       [](A x, Out o) { return try_generalised_momentum(x.m, x.d, x.q, x.v, o.col(0), o.col(1), k_effects); }},
      {"kinetic_energy", 1, 0, 0, 1, 1,
       [](A x) { return Matrix::Constant(1, 1, kinetic_energy(x.m, x.d, x.q, x.v, k_effects)); },
       [](A x, Out o) {
         return number(o, [&](double& r) { return try_kinetic_energy(x.m, x.d, x.q, x.v, r, k_effects); });
       },
       false},
      {"potential_energy", 0, 0, 0, 1, 1,
       [](A x) { return Matrix::Constant(1, 1, potential_energy(x.m, x.d, x.q, k_effects)); },
       [](A x, Out o) {
         return number(o, [&](double& r) { return try_potential_energy(x.m, x.d, x.q, r, k_effects); });
       },
       false},
      {"mechanical_energy", 1, 0, 0, 1, 1,
       [](A x) { return Matrix::Constant(1, 1, mechanical_energy(x.m, x.d, x.q, x.v, k_effects)); },
       [](A x, Out o) {
         return number(o, [&](double& r) { return try_mechanical_energy(x.m, x.d, x.q, x.v, r, k_effects); });
       },
       false},
      {"centre_of_mass", 0, 0, 0, 3, 1, [](A x) { return of(centre_of_mass(x.m, x.d, x.q)); },
       [](A x, Out o) { return into<Vec3<double>>(o, [&](auto& r) { return try_centre_of_mass(x.m, x.d, x.q, r); }); },
       false},
      {"centre_of_mass_velocity", 1, 0, 0, 3, 1, [](A x) { return of(centre_of_mass_velocity(x.m, x.d, x.q, x.v)); },
       [](A x, Out o) {
         return into<Vec3<double>>(o, [&](auto& r) { return try_centre_of_mass_velocity(x.m, x.d, x.q, x.v, r); });
       },
       false},
      {"centre_of_mass_acceleration", 1, 1, 0, 3, 1,
       [](A x) { return of(centre_of_mass_acceleration(x.m, x.d, x.q, x.v, x.a)); },
       [](A x, Out o) {
         return into<Vec3<double>>(
             o, [&](auto& r) { return try_centre_of_mass_acceleration(x.m, x.d, x.q, x.v, x.a, r); });
       },
       false},
      {"centre_of_mass_jacobian", 0, 0, 0, 3, n, [](A x) { return centre_of_mass_jacobian(x.m, x.d, x.q); },
       [](A x, Out o) { return try_centre_of_mass_jacobian(x.m, x.d, x.q, o); }},
      {"centroidal_map", 0, 0, 0, 6, n, [](A x) { return centroidal_map(x.m, x.d, x.q); },
       [](A x, Out o) { return try_centroidal_map(x.m, x.d, x.q, o); }},
      {"centroidal_map_dot", 1, 0, 0, 6, n, [](A x) { return centroidal_map_dot(x.m, x.d, x.q, x.v); },
       [](A x, Out o) { return try_centroidal_map_dot(x.m, x.d, x.q, x.v, o); }},
      {"centroidal_momentum", 1, 0, 0, 6, 1, [](A x) { return of(centroidal_momentum(x.m, x.d, x.q, x.v)); },
       [](A x, Out o) {
         return into<Force<double>>(o, [&](auto& r) { return try_centroidal_momentum(x.m, x.d, x.q, x.v, r); });
       },
       false},
      {"centroidal_momentum_rate", 1, 1, 0, 6, 1,
       [](A x) { return of(centroidal_momentum_rate(x.m, x.d, x.q, x.v, x.a)); },
       [](A x, Out o) {
         return into<Force<double>>(o,
                                    [&](auto& r) { return try_centroidal_momentum_rate(x.m, x.d, x.q, x.v, x.a, r); });
       },
       false},
      {"centroidal_inertia", 0, 0, 0, 6, 6, [](A x) { return of(centroidal_inertia(x.m, x.d, x.q)); },
       [](A x, Out o) {
         return into<Inertia<double>>(o, [&](auto& r) { return try_centroidal_inertia(x.m, x.d, x.q, r); });
       },
       false},
      {"subtree_centre_of_mass", 0, 0, 1, 3, 1, [](A x) { return of(subtree_centre_of_mass(x.m, x.d, x.q, x.f)); },
       [](A x, Out o) {
         return into<Vec3<double>>(o, [&](auto& r) { return try_subtree_centre_of_mass(x.m, x.d, x.q, x.f, r); });
       },
       false},
      {"composite_inertia", 0, 0, 1, 6, 6, [](A x) { return of(composite_inertia(x.m, x.d, x.q, x.f)); },
       [](A x, Out o) {
         return into<Inertia<double>>(o, [&](auto& r) { return try_composite_inertia(x.m, x.d, x.q, x.f, r); });
       },
       false},
      {"composite_inertia_rate", 1, 0, 1, 6, 6, [](A x) { return composite_inertia_rate(x.m, x.d, x.q, x.v, x.f); },
       [](A x, Out o) { return try_composite_inertia_rate(x.m, x.d, x.q, x.v, x.f, o); }},
      {"articulated_inertia", 0, 0, 1, 6, 6, [](A x) { return articulated_inertia(x.m, x.d, x.q, x.f); },
       [](A x, Out o) { return try_articulated_inertia(x.m, x.d, x.q, x.f, o); }},
      {"body_momentum", 1, 0, 1, 6, 1, [](A x) { return of(body_momentum(x.m, x.d, x.q, x.v, x.f)); },
       [](A x, Out o) {
         return into<Force<double>>(o, [&](auto& r) { return try_body_momentum(x.m, x.d, x.q, x.v, x.f, r); });
       },
       false},
      {"kinematic_hessian", 0, 0, 1, 6 * n * n, 1,
       [](A x) { return Matrix(kinematic_hessian(x.m, x.d, x.q, x.f, k_own)); },
       [](A x, Out o) { return try_kinematic_hessian(x.m, x.d, x.q, x.f, k_own, column(o)); }},
      {"column_rates", 1, 1, 0, 6, n,
       [](A x) {
         Matrix S(6, x.m.nv()), first(6, x.m.nv()), second(6, x.m.nv());
         column_rates(x.m, x.d, x.q, x.v, x.a, S, first, second);
         return second;
       },
       [](A x, Out o) {
         Matrix S(6, x.m.nv()), first(6, x.m.nv());
         return try_column_rates(x.m, x.d, x.q, x.v, x.a, S, first, o);
       }},
      {"joint_columns", 1, 0, 0, 6, columns_of_a_joint(model),
       [](A x) {
         const JointId joint = moving_joint(x.m);
         Matrix S(6, columns_of_a_joint(x.m)), rate = S;
         joint_columns(x.m, x.d, x.q, x.v, joint, S, rate);
         return rate;
       },
       [](A x, Out o) {
         const JointId joint = moving_joint(x.m);
         Matrix S(6, columns_of_a_joint(x.m));
         Motion<double> bias;
         return try_joint_columns(x.m, x.d, x.q, x.v, joint, S, o, bias);
       }},
      {"inverse_dynamics_regressor", 1, 1, 0, n, 10 * links,
       [](A x) { return inverse_dynamics_regressor(x.m, x.d, x.q, x.v, x.a); },
       [](A x, Out o) { return try_inverse_dynamics_regressor(x.m, x.d, x.q, x.v, x.a, o); }},
      {"supported_inertia", 0, 0, 1, 6, 6, [](A x) { return of(supported_inertia(x.m, x.d, x.q, x.f)); },
       [](A x, Out o) {
         return into<Inertia<double>>(o, [&](auto& r) { return try_supported_inertia(x.m, x.d, x.q, x.f, r); });
       },
       false},
      {"supported_force", 1, 1, 1, 6, 1,
       [](A x) { return of(supported_force(x.m, x.d, x.q, x.v, x.a, x.f, x.external)); },
       [](A x, Out o) {
         return into<Force<double>>(
             o, [&](auto& r) { return try_supported_force(x.m, x.d, x.q, x.v, x.a, x.f, r, x.external); });
       },
       false},
      {"gravity_forces_derivatives", 0, 0, 0, n, n,
       [](A x) {
         Matrix by_q(x.m.nv(), x.m.nv());
         gravity_forces_derivatives(x.m, x.d, x.q, by_q);
         return by_q;
       },
       [](A x, Out o) { return try_gravity_forces_derivatives(x.m, x.d, x.q, o); }},
      {"static_torque_derivatives", 0, 0, 0, n, n,
       [](A x) {
         Matrix by_q(x.m.nv(), x.m.nv());
         static_torque_derivatives(x.m, x.d, x.q, by_q, x.external, k_effects);
         return by_q;
       },
       [](A x, Out o) { return try_static_torque_derivatives(x.m, x.d, x.q, o, x.external, k_effects); }},
      {"bias_forces_derivatives", 1, 0, 0, n, n,
       [](A x) {
         Matrix by_q(x.m.nv(), x.m.nv()), by_v = by_q;
         bias_forces_derivatives(x.m, x.d, x.q, x.v, by_q, by_v, x.external, k_effects);
         return by_v;
       },
       [](A x, Out o) {
         Matrix by_q(x.m.nv(), x.m.nv());
         return try_bias_forces_derivatives(x.m, x.d, x.q, x.v, by_q, o, x.external, k_effects);
       }},
      {"inverse_dynamics_derivatives", 1, 1, 0, n, n,
       [](A x) { return inverse_dynamics_derivatives(x.m, x.d, x.q, x.v, x.a, x.external, k_effects).q; },
       [](A x, Out o) {
         Matrix by_v(x.m.nv(), x.m.nv()), by_a = by_v;
         return try_inverse_dynamics_derivatives(x.m, x.d, x.q, x.v, x.a, o, by_v, by_a, x.external, k_effects);
       }},
      {"forward_dynamics_derivatives", 1, 1, 0, n, n,
       [](A x) { return forward_dynamics_derivatives(x.m, x.d, x.q, x.v, x.a, x.external, k_effects).q; },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         Matrix by_v(x.m.nv(), x.m.nv()), by_a = by_v;
         return try_forward_dynamics_derivatives(x.m, x.d, factor, x.q, x.v, x.a, o, by_v, by_a, x.external, k_effects);
       }},
      {"frame_regressor", 1, 1, 1, 6, 10, [](A x) { return frame_regressor(x.m, x.d, x.q, x.v, x.a, x.f); },
       [](A x, Out o) { return try_frame_regressor(x.m, x.d, x.q, x.v, x.a, x.f, o); }},
      {"kinetic_energy_regressor", 1, 0, 0, 10 * links, 1,
       [](A x) { return Matrix(kinetic_energy_regressor(x.m, x.d, x.q, x.v)); },
       [](A x, Out o) { return try_kinetic_energy_regressor(x.m, x.d, x.q, x.v, column(o)); }},
      {"potential_energy_regressor", 0, 0, 0, 10 * links, 1,
       [](A x) { return Matrix(potential_energy_regressor(x.m, x.d, x.q)); },
       [](A x, Out o) { return try_potential_energy_regressor(x.m, x.d, x.q, column(o)); }},
      {"momentum_regressor", 1, 0, 0, 6, 10 * links, [](A x) { return momentum_regressor(x.m, x.d, x.q, x.v); },
       [](A x, Out o) { return try_momentum_regressor(x.m, x.d, x.q, x.v, o); }},
      {"static_regressor", 0, 0, 0, 3, 4 * links, [](A x) { return static_regressor(x.m, x.d, x.q); },
       [](A x, Out o) { return try_static_regressor(x.m, x.d, x.q, o); }},
  };
}

TEST(ThreeFaces, OfACallGiveTheSameNumbers) { expect_equal_faces(all_calls); }
TEST(ThreeFaces, RefuseTheSameArguments) { expect_equal_refusals(all_calls); }

TEST(ThreeFaces, RefuseTheSameWrenches) {
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 900, 2 + seed % 6);
    const Model& m = c.model;
    const FrameId frame = moving_frame(m);
    if (m.nv() == 0 || !frame) continue;
    SCOPED_TRACE(c.name);
    const RandomState x = random_state(m, 3);
    Data data(m);
    Vector out = Vector::Constant(m.nv(), 3);
    ExternalWrench wrench = external_wrench(m, frame, {1, 2, 3, 4, 5, 6});
    wrench.wrench[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(try_inverse_dynamics(m, data, x.q, x.v, x.a, out, {wrench}), Status::non_finite_input);
    EXPECT_EQ(try_forward_dynamics(m, data, x.q, x.v, x.a, out, {wrench}), Status::non_finite_input);
    EXPECT_EQ(try_static_torque(m, data, x.q, out, {wrench}), Status::non_finite_input);
    wrench.wrench[4] = 5;
    wrench.frame = FrameId(-7);
    EXPECT_EQ(try_bias_forces(m, data, x.q, x.v, out, {wrench}), Status::invalid_input);
    EXPECT_EQ(try_forward_dynamics(m, data, x.q, x.v, x.a, out, {wrench}), Status::invalid_input);
    EXPECT_EQ(out, Vector::Constant(m.nv(), 3));
  }
}

TEST(ThreeFaces, FillTheStagesAlike) {
  const Case c = random_case(4, 7);
  const Model& m = c.model;
  const RandomState x = random_state(m, 3);
  Data data(m), other(m);
  const FrameId frame = moving_frame(m);
  ASSERT_EQ(try_forward_kinematics(m, data, x.q), Status::ok);
  EXPECT_EQ(frame_pose(m, data, frame).matrix(), frame_pose(m, other, x.q, frame).matrix());
  ASSERT_EQ(try_forward_kinematics(m, data, x.q, x.v), Status::ok);
  EXPECT_EQ(frame_velocity(m, data, frame).eigen(), frame_velocity(m, other, x.q, x.v, frame).eigen());
  ASSERT_EQ(try_forward_kinematics(m, data, x.q, x.v, x.a), Status::ok);
  EXPECT_EQ(centre_of_mass_acceleration(m, data).eigen(), centre_of_mass_acceleration(m, other, x.q, x.v, x.a).eigen());
  EXPECT_EQ(try_forward_kinematics(m, data, x.v.head(0)), Status::invalid_input);
}

TEST(Frames, UnknownNamesAreRefusedWithTheNearestOne) {
  const Case c = random_case(4, 7);
  const Model& m = c.model;
  Data data(m);
  std::string name = m.frame(moving_frame(m)).name;
  name += "x";
  try {
    frame_pose(m, data, random_state(m, 3).q, name);
    ADD_FAILURE() << "an unknown name went through";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(m.frame(moving_frame(m)).name), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace zwang::test
