// SPDX-License-Identifier: BSD-3-Clause
// The three faces (algorithm/three_faces.hpp) of the derivatives and of all_terms.
#include "zwang/algorithm/real_time_derivatives.hpp"

#include "algorithm/three_faces.hpp"

namespace zwang::test {
namespace {

using namespace faces;

constexpr auto k_kind = AccelerationKind::classical;
/// Several results side by side.
Matrix beside(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix out(a.rows(), a.cols() + b.cols() + c.cols());
  out << a, b, c;
  return out;
}
Matrix beside(const Matrix& a, const Matrix& b) { return beside(a, b, Matrix(a.rows(), 0)); }
/// One of several results side by side.
Out block(Out o, Index which, Index columns) { return o.middleCols(which * columns, columns); }
/// qq of a tensor: n^2 rows.
Matrix joined(const SecondOrderTensors& t) {
  const Index n = t.nv();
  Matrix out(n * n, n);
  for (Index i = 0; i < n * n * n; ++i) out.data()[i] = t.dense("qq").data[i];
  return out;
}
Matrix joined(const AllTerms& x) { return beside(x.mass_matrix(), x.coriolis_matrix(), x.bias_forces()); }

std::vector<Call> of_kinematics(const Model& model) {
  const Index n = model.nv();
  return {
      {"all_terms", 1, 0, 0, n, 2 * n + 1, [](A x) { return joined(all_terms(x.m, x.d, x.q, x.v, k_effects)); },
       [](A x, Out o) {
         AllTerms terms(x.m);
         const Status s = try_all_terms(x.m, x.d, x.q, x.v, terms, k_effects);
         if (s == Status::ok) o = joined(terms);
         return s;
       },
       false},
      {"frame_velocity_derivatives", 1, 0, 1, 6, 2 * n,
       [](A x) {
         const auto d = frame_velocity_derivatives(x.m, x.d, x.q, x.v, x.f, k_own);
         return beside(d.q, d.v);
       },
       [n](A x, Out o) {
         return try_frame_velocity_derivatives(x.m, x.d, x.q, x.v, x.f, k_own, block(o, 0, n), block(o, 1, n));
       }},
      {"frame_acceleration_derivatives", 1, 1, 1, 6, 3 * n,
       [](A x) {
         const auto d = frame_acceleration_derivatives(x.m, x.d, x.q, x.v, x.a, x.f, k_kind, k_own, true);
         return beside(d.q, d.v, d.a);
       },
       [n](A x, Out o) {
         return try_frame_acceleration_derivatives(x.m, x.d, x.q, x.v, x.a, x.f, k_kind, k_own, block(o, 0, n),
                                                   block(o, 1, n), block(o, 2, n), true);
       }},
      {"centre_of_mass_velocity_derivatives", 1, 0, 0, 3, 2 * n,
       [](A x) {
         const auto d = centre_of_mass_velocity_derivatives(x.m, x.d, x.q, x.v);
         return beside(d.q, d.v);
       },
       [n](A x, Out o) {
         return try_centre_of_mass_velocity_derivatives(x.m, x.d, x.q, x.v, block(o, 0, n), block(o, 1, n));
       }},
      {"centroidal_derivatives", 1, 1, 0, 6, 3 * n,
       [](A x) {
         const auto d = centroidal_derivatives(x.m, x.d, x.q, x.v, x.a);
         return beside(d.momentum.q, d.rate.q, d.rate.v);
       },
       [n](A x, Out o) {
         Matrix by_v(6, n), by_a(6, n);
         return try_centroidal_derivatives(x.m, x.d, x.q, x.v, x.a, block(o, 0, n), by_v, block(o, 1, n),
                                           block(o, 2, n), by_a);
       }},
      {"joint_wrench_derivatives", 1, 1, 0, 6, 3 * n,
       [](A x) {
         const auto d = joint_wrench_derivatives(x.m, x.d, x.q, x.v, x.a, moving_joint(x.m), x.external);
         return beside(d.q, d.v, d.a);
       },
       [n](A x, Out o) {
         return try_joint_wrench_derivatives(x.m, x.d, x.q, x.v, x.a, moving_joint(x.m), block(o, 0, n), block(o, 1, n),
                                             block(o, 2, n), x.external);
       }},
  };
}

std::vector<Call> of_dynamics(const Model& model) {
  const Index n = model.nv();
  return {
      {"inverse_dynamics_jvp", 1, 1, 0, n, 1,
       [](A x) { return inverse_dynamics_jvp(x.m, x.d, x.q, x.v, x.a, x.a, x.v, x.a, x.external, k_effects); },
       [](A x, Out o) {
         return try_inverse_dynamics_jvp(x.m, x.d, x.q, x.v, x.a, x.a, x.v, x.a, column(o), x.external, k_effects);
       }},
      {"inverse_dynamics_vjp", 1, 1, 0, n, 3,
       [](A x) {
         const auto d = inverse_dynamics_vjp(x.m, x.d, x.q, x.v, x.a, x.v, x.external, k_effects);
         return beside(d.q, d.v, d.a);
       },
       [](A x, Out o) {
         return try_inverse_dynamics_vjp(x.m, x.d, x.q, x.v, x.a, x.v, o.col(0), o.col(1), o.col(2), x.external,
                                         k_effects);
       }},
      {"forward_dynamics_jvp", 1, 1, 0, n, 1,
       [](A x) { return forward_dynamics_jvp(x.m, x.d, x.q, x.v, x.a, x.a, x.v, x.a, x.external, k_effects); },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         return try_forward_dynamics_jvp(x.m, x.d, factor, x.q, x.v, x.a, x.a, x.v, x.a, column(o), x.external,
                                         k_effects);
       }},
      {"forward_dynamics_vjp", 1, 1, 0, n, 3,
       [](A x) {
         const auto d = forward_dynamics_vjp(x.m, x.d, x.q, x.v, x.a, x.v, x.external, k_effects);
         return beside(d.q, d.v, d.tau);
       },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         return try_forward_dynamics_vjp(x.m, x.d, factor, x.q, x.v, x.a, x.v, o.col(0), o.col(1), o.col(2), x.external,
                                         k_effects);
       }},
      {"inverse_dynamics_parameter_derivatives", 1, 1, 0, n, n,
       [](A x) {
         return inverse_dynamics_parameter_derivatives(x.m, x.d, x.q, x.v, x.a, Parameter::damping, x.external);
       },
       [](A x, Out o) {
         return try_inverse_dynamics_parameter_derivatives(x.m, x.d, x.q, x.v, x.a, Parameter::damping, o, x.external);
       }},
      {"forward_dynamics_parameter_derivatives", 1, 1, 0, n, 3,
       [](A x) {
         return forward_dynamics_parameter_derivatives(x.m, x.d, x.q, x.v, x.a, Parameter::gravity, x.external);
       },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         return try_forward_dynamics_parameter_derivatives(x.m, x.d, factor, x.q, x.v, x.a, Parameter::gravity, o,
                                                           x.external);
       }},
      {"inverse_dynamics_wrench_derivatives", 0, 0, 1, n, 6,
       [](A x) { return inverse_dynamics_wrench_derivatives(x.m, x.d, x.q, x.f, k_own); },
       [](A x, Out o) { return try_inverse_dynamics_wrench_derivatives(x.m, x.d, x.q, x.f, k_own, o); }},
      {"forward_dynamics_wrench_derivatives", 0, 0, 1, n, 6,
       [](A x) { return forward_dynamics_wrench_derivatives(x.m, x.d, x.q, x.f, k_own); },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         return try_forward_dynamics_wrench_derivatives(x.m, x.d, factor, x.q, x.f, k_own, o);
       }},
      {"inverse_dynamics_second_derivatives", 1, 1, 0, n * n, n,
       [](A x) { return joined(inverse_dynamics_second_derivatives(x.m, x.d, x.q, x.v, x.a, x.external)); },
       [](A x, Out o) {
         SecondDerivatives h(x.m);
         const Status s = try_inverse_dynamics_second_derivatives(x.m, x.d, x.q, x.v, x.a, h, x.external);
         if (s == Status::ok) o = joined(h);
         return s;
       },
       false},
      {"forward_dynamics_second_derivatives", 1, 1, 0, n * n, n,
       [](A x) { return joined(forward_dynamics_second_derivatives(x.m, x.d, x.q, x.v, x.a, x.external)); },
       [](A x, Out o) {
         TreeCholesky factor(x.m);
         ForwardSecondDerivatives h(x.m);
         const Status s = try_forward_dynamics_second_derivatives(x.m, x.d, factor, x.q, x.v, x.a, h, x.external);
         if (s == Status::ok) o = joined(h);
         return s;
       },
       false},
  };
}

TEST(ThreeFacesOfDerivatives, GiveTheSameNumbers) {
  expect_equal_faces(of_kinematics);
  expect_equal_faces(of_dynamics);
}
TEST(ThreeFacesOfDerivatives, RefuseTheSameArguments) {
  expect_equal_refusals(of_kinematics);
  expect_equal_refusals(of_dynamics);
}

TEST(ThreeFacesOfDerivatives, RefuseResultsOfAnotherModel) {
  const Case c = random_case(4, 7), other = random_case(5, 3);
  const Model& m = c.model;
  const RandomState x = random_state(m, 3);
  Data data(m);
  TreeCholesky factor(m);
  SecondDerivatives h(other.model);
  ForwardSecondDerivatives f(other.model);
  EXPECT_EQ(try_inverse_dynamics_second_derivatives(m, data, x.q, x.v, x.a, h), Status::invalid_input);
  EXPECT_EQ(try_forward_dynamics_second_derivatives(m, data, factor, x.q, x.v, x.a, f), Status::invalid_input);
  Matrix out(m.nv(), m.nv());
  Matrix A(6, m.nv()), B = A, C = A;
  EXPECT_EQ(try_joint_wrench_derivatives(m, data, x.q, x.v, x.a, JointId(1000), A, B, C), Status::invalid_input);
  EXPECT_EQ(try_friction_regressor(m, x.v, out), Status::invalid_input);
  Matrix right(m.nv(), 2 * m.nv());
  EXPECT_EQ(try_friction_regressor(m, x.v, right), Status::ok);
  Vector v = x.v;
  v(0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(try_friction_regressor(m, v, right), Status::non_finite_input);
}

}  // namespace
}  // namespace zwang::test
