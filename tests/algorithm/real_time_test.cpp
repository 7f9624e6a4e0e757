// SPDX-License-Identifier: BSD-3-Clause
// The three faces of a call - writing, returning a value, returning a status - give the same numbers; frames go by id and
// by name. What one face refuses, the status of the other says.
#include "zwang/algorithm/real_time.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Arguments {
  const Model& m;
  Data& d;
  Vector q, v, a;
  FrameIn f, from;
  Externals external;
};
struct Call {
  const char* name;
  bool takes_v, takes_a, takes_frame;
  Index rows, columns;
  std::function<Matrix(const Arguments&)> throwing;
  std::function<Status(const Arguments&, Eigen::Ref<Matrix>)> trying;
  bool rebuilt = true;  ///< whether a result of a wrong size can be handed over
};

Matrix of(const Vec3<double>& x) { return x.eigen(); }
Matrix of(const Motion<double>& x) { return x.eigen(); }
Matrix of(const Force<double>& x) { return x.eigen(); }
Matrix of(const Inertia<double>& x) { return x.eigen(); }
Matrix of(const Transform<double>& x) { return x.matrix(); }
/// Gives what a twin wrote into a struct.
template <class T, class F> Status into(Eigen::Ref<Matrix> out, const F& twin) {
  T result{};
  const Status s = twin(result);
  if (s == Status::ok) out = of(result);
  return s;
}
template <class F> Status number(Eigen::Ref<Matrix> out, const F& twin) { return twin(out(0, 0)); }
VectorOut column(Eigen::Ref<Matrix> out) { return out.col(0); }

constexpr auto k_seen = Reference::local_world_aligned;
constexpr auto k_own = Reference::local;
constexpr JointEffects k_effects{false, true, false, true};
using A = const Arguments&;
using Out = Eigen::Ref<Matrix>;

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

/// A frame that a joint carries, or an empty id.
FrameId moving_frame(const Model& m) {
  for (Index k = static_cast<Index>(m.frames().size()) - 1; k >= 0; --k)
    if (m.frames()[static_cast<std::size_t>(k)].body.value > 0) return FrameId(k);
  return {};
}

TEST(ThreeFaces, OfACallGiveTheSameNumbers) {
  int with_frames = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 1 + seed % 9);
    const Model& m = c.model;
    const FrameId frame = moving_frame(m);
    if (m.nv() == 0 || !frame) continue;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed) + 5);
    const std::string& name = m.frame(frame).name;
    SCOPED_TRACE(c.name + ", frame " + name);
    Data data(m), other(m);
    Arguments by_id{m, data, x.q, x.v, x.a, frame, FrameId(0), {}};
    by_id.external.push_back(external_wrench(m, frame, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::world));
    Arguments by_name{m, other, x.q, x.v, x.a, name, m.frames()[0].name, by_id.external};
    for (const Call& call : all_calls(m)) {
      SCOPED_TRACE(call.name);
      Matrix expected;
      Status status = Status::ok;
      try {
        expected = call.throwing(by_id);
      } catch (const UnsupportedError&) { status = Status::invalid_input; } catch (const SingularMassError&) {
        status = Status::singular_mass;
      }
      Matrix out = Matrix::Constant(call.rows, call.columns, 3);
      ASSERT_EQ(call.trying(by_name, out), status);
      if (status != Status::ok) continue;
      ASSERT_EQ(out.rows(), expected.rows());
      ASSERT_EQ(out.cols(), expected.cols());
      EXPECT_EQ(out, expected);
      with_frames += call.takes_frame;
    }
  }
  EXPECT_GT(with_frames, 0);
}

TEST(ThreeFaces, RefuseTheSameArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 900, 2 + seed % 6);
    const Model& m = c.model;
    const FrameId frame = moving_frame(m);
    if (m.nv() == 0 || !frame) continue;
    SCOPED_TRACE(c.name);
    const RandomState x = random_state(m, 3);
    const Case strange = random_case(static_cast<std::uint64_t>(seed) + 901, 3);
    Data data(m), foreign(strange.model);
    const Arguments good{m, data, x.q, x.v, x.a, frame, FrameId(0), {}};
    for (const Call& call : all_calls(m)) {
      SCOPED_TRACE(call.name);
      const Matrix before = Matrix::Constant(call.rows, call.columns, 3);
      const auto refused = [&](const Arguments& bad, Status expected, const char* what) {
        SCOPED_TRACE(what);
        Matrix out = before;
        EXPECT_EQ(call.trying(bad, out), expected);
        EXPECT_EQ(out, before) << "a refused call left its result alone";
        EXPECT_THROW(call.throwing(bad), std::invalid_argument);
      };
      const auto changed = [&](auto&& change) {
        Arguments bad = good;
        change(bad);
        return bad;
      };
      refused(changed([&](Arguments& y) { y.q(y.q.size() - 1) = nan; }), Status::non_finite_input, "q of NaN");
      refused(changed([&](Arguments& y) { y.q.resize(m.nq() + 1), y.q.setZero(); }), Status::invalid_input,
              "q too long");
      if (call.takes_v) {
        refused(changed([&](Arguments& y) { y.v(0) = std::numeric_limits<double>::infinity(); }),
                Status::non_finite_input, "v of infinity");
        refused(changed([&](Arguments& y) { y.v.resize(m.nv() - 1), y.v.setZero(); }), Status::invalid_input,
                "v short");
      }
      if (call.takes_a) {
        refused(changed([&](Arguments& y) { y.a(0) = nan; }), Status::non_finite_input, "a of NaN");
        refused(changed([&](Arguments& y) { y.a.resize(0); }), Status::invalid_input, "no a");
      }
      if (call.takes_frame) {
        refused(changed([&](Arguments& y) { y.f = "no such frame"; }), Status::invalid_input, "an unknown name");
        refused(changed([&](Arguments& y) { y.f = std::string_view(); }), Status::invalid_input, "an empty name");
        refused(changed([&](Arguments& y) { y.f = FrameId(); }), Status::invalid_input, "an empty id");
        refused(changed([&](Arguments& y) { y.f = FrameId(1 << 30); }), Status::invalid_input, "an id too large");
      }
      if (!foreign.made_for(m)) {
        const Arguments bad{m, foreign, x.q, x.v, x.a, frame, FrameId(0), {}};
        Matrix out = before;
        EXPECT_EQ(call.trying(bad, out), Status::invalid_input);
        EXPECT_ANY_THROW(call.throwing(bad));
      }
      if (call.rebuilt) {
        Matrix out = Matrix::Constant(call.rows + 1, call.columns, 3);
        EXPECT_EQ(call.trying(good, out), Status::invalid_input) << "a result too long";
      }
    }
    Vector out = Vector::Constant(m.nv(), 3);
    ExternalWrench wrench = external_wrench(m, frame, {1, 2, 3, 4, 5, 6});
    wrench.wrench[4] = nan;
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
