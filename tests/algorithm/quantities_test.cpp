// SPDX-License-Identifier: BSD-3-Clause
// Coriolis matrix, momentum, regressors, Hessian of kinematics, inertias of subtrees: laws, and the reference in long
// double. Derivatives by the complex step of the reference: exact to its rounding.
//
// Tolerance: a sweep is some 40 operations per body on a path of up to 30 bodies,
// so 2000 eps of the terms that are summed.
#include "zwang/algorithm/quantities.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"

namespace zwang::test {
namespace {

constexpr JointEffects k_no_effects{false, false, false, false};

TEST(CoriolisMatrix, GivesTheVelocityTermsAndTheRateOfTheMassMatrix) {
  for_cases(150, [](Held& h) {
    Eigen::MatrixXd C(h.nv, h.nv);
    coriolis_matrix(h.m, h.data, h.x.q, h.x.v, C);
    const Eigen::MatrixXd rate = h.rate([](const ComplexState& s) { return s.mass_matrix({false}); });
    const double scale = largest(rate) + largest(C) + largest(h.s.mass_matrix({false}));
    EXPECT_TRUE(within(C + C.transpose(), rate, k_sweep, scale));
    const Eigen::VectorXd g = gravity_forces(h.m, h.data, h.x.q);
    const Eigen::VectorXd bias = bias_forces(h.m, h.data, h.x.q, h.x.v, {}, k_no_effects);
    EXPECT_TRUE(within(C * h.x.v + g, bias, k_sweep, scale * static_cast<double>(h.nv) + largest(g)));
  });
}

TEST(CoriolisMatrix, IsThatOfTheChristoffelSymbolsWhereCoordinatesAreAdditive) {
  for (int seed = 0; seed < effort(60); ++seed) {
    Held h(random_case(static_cast<std::uint64_t>(seed), 8), 3);
    bool additive = true;
    for (const Joint& j : h.m.joints()) additive = additive && j.q.size == j.v.size && j.type != "planar";
    if (!additive) continue;
    const Eigen::VectorXd w = Random(9).vector(h.nv);
    Eigen::MatrixXd Cv(h.nv, h.nv), Cw(h.nv, h.nv);
    coriolis_matrix(h.m, h.data, h.x.q, h.x.v, Cv);
    coriolis_matrix(h.m, h.data, h.x.q, w, Cw);
    EXPECT_TRUE(within(Cv * w, Cw * h.x.v, k_sweep, largest(Cv) + largest(Cw) + 1)) << h.c.name;
  }
}

TEST(GeneralisedMomentum, IsThatOfTheMatrices) {
  for_cases(150, [](Held& h) {
    Eigen::VectorXd p(h.nv), turning(h.nv);
    generalised_momentum(h.m, h.data, h.x.q, h.x.v, p, turning);
    const Eigen::MatrixXd M = h.s.mass_matrix().cast<double>(), C = h.s.coriolis_matrix().cast<double>();
    const double terms = static_cast<double>(h.nv) * largest(h.x.v);
    EXPECT_TRUE(within(p, M * h.x.v, k_sweep, largest(M) * terms));
    EXPECT_TRUE(within(turning, C.transpose() * h.x.v, k_sweep, (largest(C) + largest(M)) * terms));
  });
}

TEST(GeneralisedMomentum, ChangesByTorquesGravityAndTheTurningAxes) {
  for_cases(60, [](Held& h) {
    Eigen::VectorXd p(h.nv), turning(h.nv);
    generalised_momentum(h.m, h.data, h.x.q, h.x.v, p, turning);
    const Eigen::VectorXd tau = inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a, {}, k_no_effects);
    const Eigen::VectorXd g = gravity_forces(h.m, h.data, h.x.q);
    // dp/dt = dM/dt v + M a, the first by the complex step of the reference
    const Eigen::MatrixXd rate = h.rate([](const ComplexState& s) { return s.mass_matrix({false}); }).cast<double>();
    const Eigen::MatrixXd M = h.s.mass_matrix({false}).cast<double>();
    const double terms =
        static_cast<double>(h.nv) * ((largest(rate) + 1) * largest(h.x.v) + largest(M) * largest(h.x.a));
    EXPECT_TRUE(within(rate * h.x.v + M * h.x.a, tau + turning - g, k_sweep, terms + largest(tau) + largest(g)));
  });
}

TEST(CoriolisMatrix, IsWrittenToMatricesOfEveryLayoutInRoomForIt) {
  const Case c = random_case(3, 9);
  Held h(c, 4);
  Eigen::MatrixXd C(h.nv, h.nv), wide = Eigen::MatrixXd::Constant(h.nv + 5, h.nv + 3, 7);
  coriolis_matrix(h.m, h.data, h.x.q, h.x.v, C);
  coriolis_matrix(h.m, h.data, h.x.q, h.x.v, wide.block(2, 1, h.nv, h.nv));
  EXPECT_EQ((wide.block(2, 1, h.nv, h.nv) - C).norm(), 0);
  wide.block(2, 1, h.nv, h.nv).setConstant(7);
  EXPECT_EQ((wide.array() - 7).abs().sum(), 0);
}

TEST(Centroidal, MapMomentumAndRatesAgreeWithTheReference) {
  for_cases(150, [](Held& h) {
    Eigen::MatrixXd A(6, h.nv), rate(6, h.nv);
    centroidal_map(h.m, h.data, h.x.q, A);
    const double scale = largest(h.s.momentum_matrix()) + 1;
    EXPECT_TRUE(within(A, h.s.momentum_matrix(), k_sweep, scale));
    EXPECT_TRUE(within(six(centroidal_momentum(h.m, h.data, h.x.q, h.x.v)), h.s.momentum(), k_sweep,
                       scale * static_cast<double>(h.nv)));
    centroidal_map_dot(h.m, h.data, h.x.q, h.x.v, rate);
    const Eigen::MatrixXd expected = h.rate([](const ComplexState& s) { return s.momentum_matrix(); });
    EXPECT_TRUE(within(rate, expected, k_sweep, largest(expected) + scale));
    const Eigen::MatrixXd of_momentum = h.rate([](const ComplexState& s) { return s.momentum(); });
    const double most = (largest(expected) + scale) * static_cast<double>(h.nv);
    EXPECT_TRUE(within(six(centroidal_momentum_rate(h.m, h.data, h.x.q, h.x.v, h.x.a)), of_momentum, k_sweep, most));
    EXPECT_TRUE(within(A * h.x.a + rate * h.x.v, of_momentum, k_sweep, most));
  });
}

TEST(Centroidal, MomentumOfAFreeRobotChangesByGravityAndWrenchesAlone) {
  for (const RobotFile& file : robot_files()) {
    if (file.root != "floating") continue;
    Held h(load_case(file), 8);
    if (h.nv > 40) continue;
    SCOPED_TRACE(h.c.name);
    Random random(4);
    Externals external;
    const std::string frame = random_frame(h.c, random);
    const Force<double> w{{3, -2, 5}, {0.4, 0.1, -0.7}};
    external.push_back(external_wrench(h.m, frame, {3, -2, 5, 0.4, 0.1, -0.7}));
    Eigen::VectorXd tau = h.x.tau;
    tau.head(6).setZero();  // the free joint has no motors
    const Eigen::VectorXd a = forward_dynamics(h.m, h.data, h.x.q, h.x.v, tau, external);
    const Force<double> rate = centroidal_momentum_rate(h.m, h.data, h.x.q, h.x.v, a);
    const Vec3<double> c = centre_of_mass(h.m, h.data, h.x.q), p = frame_pose(h.m, h.data, h.x.q, frame).p;
    const Vec3<double> weight = h.m.gravity() * h.m.mass();
    const Eigen::Vector3d force = eigen(w.f + weight), moment = eigen(w.n + cross(p - c, w.f));
    // forward dynamics loses the condition of M, 1e5 here
    const double tolerance = 1e5 * k_sweep, scale = largest(a) * h.m.mass() + force.norm();
    if (h.nv > 6) {
      EXPECT_TRUE(within(eigen(rate.f), force, tolerance, scale));
      EXPECT_TRUE(within(eigen(rate.n), moment, tolerance, scale));
    }
  }
}

TEST(Centroidal, InertiaIsTheSumOfLinksAboutTheCentreOfMass) {
  for_cases(60, [](Held& h) {
    const Inertia<double> I = centroidal_inertia(h.m, h.data, h.x.q);
    const reference::Vector3<Real> c = h.s.centre_of_mass();
    reference::Matrix3<Real> sum = reference::Matrix3<Real>::Zero();
    Real mass = 0;
    for (std::size_t l = 0; l < h.c.reference.links().size(); ++l) {
      const reference::RigidLink& link = h.c.reference.links()[l];
      if (!h.c.reference.moves(static_cast<int>(l))) continue;
      const auto X = h.s.pose(link.name);
      const reference::Vector3<Real> d = X.p + X.R * link.centre - c;
      sum += X.R * link.inertia * X.R.transpose() +
             link.mass * (d.squaredNorm() * reference::Matrix3<Real>::Identity() - d * d.transpose());
      mass += link.mass;
    }
    Eigen::Matrix3d got;
    got << I.I.xx, I.I.xy, I.I.xz, I.I.xy, I.I.yy, I.I.yz, I.I.xz, I.I.yz, I.I.zz;
    EXPECT_TRUE(within(got, sum, k_sweep, largest(sum)));
    EXPECT_NEAR(I.m, static_cast<double>(mass), k_sweep * static_cast<double>(mass));
  });
}

/// Inertial parameters unlike the model's, and Data that has them.
Eigen::VectorXd other_parameters(const Model& m, Data& data, Random& random) {
  Eigen::VectorXd phi(10 * static_cast<Index>(m.links().size()));
  for (std::size_t l = 0; l < m.links().size(); ++l) {
    const double mass = random.uniform(0.1, 3);
    const Vec3<double> c{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Sym3<double> I = random.inertia(mass, 0.3);
    data.set_inertia(LinkId(static_cast<Index>(l)), mass, c, I);
    const Inertia<double> J = from_centre(mass, c, I);
    const double numbers[] = {J.m, J.h.x, J.h.y, J.h.z, J.I.xx, J.I.xy, J.I.yy, J.I.xz, J.I.yz, J.I.zz};
    for (int k = 0; k < 10; ++k) phi(10 * static_cast<Index>(l) + k) = numbers[k];
  }
  return phi;
}

TEST(Regressors, TimesParametersAreTheQuantities) {
  for_cases(100, [](Held& h) {
    const Index size = 10 * static_cast<Index>(h.m.links().size());
    Random random(6);
    Eigen::VectorXd phi(size);
    inertial_parameters(h.m, phi);
    for (int turn = 0; turn < 2; ++turn) {
      if (turn == 1) phi = other_parameters(h.m, h.data, random);
      Eigen::MatrixXd Y(h.nv, size), P(6, size), R(3, size / 10 * 4);
      Eigen::VectorXd T(size), V(size);
      inverse_dynamics_regressor(h.m, h.data, h.x.q, h.x.v, h.x.a, Y);
      const Eigen::VectorXd tau = inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a, {}, k_no_effects);
      const double scale = (Y.cwiseAbs() * phi.cwiseAbs()).maxCoeff();
      EXPECT_TRUE(within(Y * phi, tau, k_sweep, scale));
      kinetic_energy_regressor(h.m, h.data, h.x.q, h.x.v, T);
      EXPECT_NEAR(T.dot(phi), kinetic_energy(h.m, h.data, h.x.q, h.x.v, k_no_effects),
                  k_sweep * T.cwiseAbs().dot(phi.cwiseAbs()));
      potential_energy_regressor(h.m, h.data, h.x.q, V);
      EXPECT_NEAR(V.dot(phi), potential_energy(h.m, h.data, h.x.q, k_no_effects),
                  k_sweep * V.cwiseAbs().dot(phi.cwiseAbs()));
      EXPECT_NEAR(mechanical_energy(h.m, h.data, h.x.q, h.x.v, k_no_effects), (T + V).dot(phi),
                  k_sweep * (T.cwiseAbs() + V.cwiseAbs()).dot(phi.cwiseAbs()));
      static_regressor(h.m, h.data, h.x.q, R);
      Eigen::VectorXd mh(size / 10 * 4);
      for (Index l = 0; l < size / 10; ++l) mh.segment<4>(4 * l) = phi.segment<4>(10 * l);
      EXPECT_TRUE(within(R * mh, eigen(centre_of_mass(h.m, h.data, h.x.q)), k_sweep,
                         (R.cwiseAbs() * mh.cwiseAbs()).maxCoeff()));
      momentum_regressor(h.m, h.data, h.x.q, h.x.v, P);
      const Force<double> momentum = centroidal_momentum(h.m, h.data, h.x.q, h.x.v);
      const Vec3<double> c = centre_of_mass(h.m, h.data, h.x.q);
      EXPECT_TRUE(within(P * phi, six(with_reference_point(momentum, -c)), k_sweep,
                         (P.cwiseAbs() * phi.cwiseAbs()).maxCoeff()));
    }
  });
}

TEST(Regressors, OfAFrameIsThatOfAFreeBodyWithItsMotion) {
  for_cases(40, [](Held& h) {
    Random random(2);
    const FrameId frame = h.m.find_frame(random_frame(h.c, random));
    Eigen::MatrixXd of_frame(6, 10), of_body(6, 10);
    frame_regressor(h.m, h.data, h.x.q, h.x.v, h.x.a, frame, of_frame);
    const Motion<double> v = frame_velocity(h.m, h.data, frame, Reference::local);
    const Motion<double> a = frame_acceleration(h.m, h.data, frame, AccelerationKind::spatial, Reference::local, true);
    body_regressor(v, a, of_body);
    EXPECT_TRUE(within(of_frame, of_body, k_sweep, largest(of_body) + 10));
    // A point mass at the origin feels m a.
    const Eigen::Vector3d expected = eigen(a.v + cross(v.w, v.v));
    EXPECT_TRUE(within(of_frame.col(0).head<3>(), expected, k_sweep, largest(of_body) + 10));
  });
}

TEST(KinematicHessian, IsTheDerivativeOfTheJacobianAlongEveryCoordinate) {
  for_cases(60, [](Held& h) {
    if (h.nv > 20) return;
    Random random(12);
    const std::string name = random_frame(h.c, random);
    const FrameId frame = h.m.find_frame(name);
    for (const Reference r : k_references) {
      Eigen::VectorXd H(6 * h.nv * h.nv);
      kinematic_hessian(h.m, h.data, h.x.q, frame, r, H);
      for (Index j = 0; j < h.nv; ++j) {
        const Eigen::MatrixXd expected = h.along(Eigen::VectorXd::Unit(h.nv, j), Eigen::VectorXd::Zero(h.nv),
                                                 [&](const ComplexState& s) { return s.jacobian(name, axes_of(r)); });
        Eigen::MatrixXd got(6, h.nv);
        for (Index row = 0; row < 6; ++row)
          for (Index k = 0; k < h.nv; ++k) got(row, k) = H((row * h.nv + k) * h.nv + j);
        EXPECT_TRUE(within(got, expected, k_sweep, largest(expected) + 10)) << "coordinate " << j;
      }
    }
  });
}

/// The reference's links behind a frame's body, and columns that move them relative to that body.
TEST(Subtrees, InertiaAndCentreAreSumsOverTheirLinks) {
  for_cases(60, [](Held& h) {
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0) continue;
      const Inertia<double> I = composite_inertia(h.m, h.data, h.x.q, link.frame);
      const auto at = h.s.pose(link.name);
      Real mass = 0;
      reference::Vector3<Real> mc = reference::Vector3<Real>::Zero();
      reference::Matrix3<Real> sum = reference::Matrix3<Real>::Zero();
      const Index first = link.body.value, last = h.data.tree().body[first].last;
      for (const reference::RigidLink& other : h.c.reference.links()) {
        const Index body = h.m.links()[static_cast<std::size_t>(h.m.find_link(other.name).value)].body.value;
        if (body < first || body >= last) continue;
        const auto X = h.s.pose(other.name);
        const reference::Vector3<Real> d = at.R.transpose() * (X.p + X.R * other.centre - at.p);
        const reference::Matrix3<Real> R = at.R.transpose() * X.R;
        mass += other.mass;
        mc += other.mass * d;
        sum += R * other.inertia * R.transpose() +
               other.mass * (d.squaredNorm() * reference::Matrix3<Real>::Identity() - d * d.transpose());
      }
      Eigen::Matrix3d got;
      got << I.I.xx, I.I.xy, I.I.xz, I.I.xy, I.I.yy, I.I.yz, I.I.xz, I.I.yz, I.I.zz;
      const double scale = largest(sum) + static_cast<double>(mass) + 1e-3;
      EXPECT_TRUE(within(got, sum, k_sweep, scale)) << link.name;
      EXPECT_TRUE(within(eigen(I.h), mc, k_sweep, scale));
      EXPECT_NEAR(I.m, static_cast<double>(mass), k_sweep * scale);
      EXPECT_NEAR(subtree_mass(h.m, h.data, link.frame), static_cast<double>(mass), k_sweep * scale);
      if (mass == 0) continue;
      const reference::Vector3<Real> c = at.p + at.R * mc / mass;
      EXPECT_TRUE(within(eigen(subtree_centre_of_mass(h.m, h.data, h.x.q, link.frame)), c, k_sweep,
                         largest(c) + largest(at.p) + 1));
    }
  });
}

TEST(Subtrees, MomentumOfBodiesAddsUpAndInertiaChangesAsItsBodiesMove) {
  for_cases(40, [](Held& h) {
    Force<double> total = Force<double>::zero();
    std::vector<bool> done(static_cast<std::size_t>(h.m.bodies()) + 1);
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0 || done[static_cast<std::size_t>(link.body.value)]) continue;
      done[static_cast<std::size_t>(link.body.value)] = true;
      const Force<double> p = body_momentum(h.m, h.data, h.x.q, h.x.v, link.frame);
      total += frame_pose(h.m, h.data, link.frame) * p;
    }
    const Force<double> about_centre = with_reference_point(total, centre_of_mass(h.m, h.data, h.x.q));
    const double scale = largest(six(total)) + 10;
    EXPECT_TRUE(within(six(about_centre), six(centroidal_momentum(h.m, h.data, h.x.q, h.x.v)), k_sweep, scale));
    // dI/dt v of the whole robot about the frame: what is left of the rate of momentum when no joint accelerates.
    const Link& link = h.m.links().back();
    if (link.body.value == 0) return;
    Eigen::MatrixXd rate(6, 6);
    composite_inertia_rate(h.m, h.data, h.x.q, h.x.v, link.frame, rate);
    EXPECT_TRUE(within(rate, rate.transpose(), k_sweep, largest(rate) + 1));
  });
}

TEST(Subtrees, ArticulatedInertiaIsTheSchurComplementOfWhatItCarries) {
  for_cases(60, [](Held& h) {
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0) continue;
      const Index first = link.body.value, last = h.data.tree().body[first].last;
      std::vector<Index> columns;
      bool shared = false;
      for (Index k = 0; k < h.data.tree().spanning_nv; ++k) {
        const auto& c = h.data.tree().column[k];
        if (c.body <= first || c.body >= last) continue;
        columns.push_back(c.v);
        shared = shared || c.deferred;
      }
      Eigen::MatrixXd got(6, 6);
      if (shared) {
        EXPECT_THROW(articulated_inertia(h.m, h.data, h.x.q, link.frame, got), UnsupportedError);
        continue;
      }
      const auto n = static_cast<Eigen::Index>(columns.size());
      const auto at = h.s.pose(link.name);
      MatrixR I = MatrixR::Zero(6, 6), F = MatrixR::Zero(6, n), M(n, n);
      const MatrixR whole = h.s.mass_matrix();
      for (Eigen::Index r = 0; r < n; ++r)
        for (Eigen::Index c = 0; c < n; ++c)
          M(r, c) = whole(columns[static_cast<std::size_t>(r)], columns[static_cast<std::size_t>(c)]);
      for (const reference::RigidLink& other : h.c.reference.links()) {
        const Index body = h.m.links()[static_cast<std::size_t>(h.m.find_link(other.name).value)].body.value;
        if (body < first || body >= last) continue;
        const auto X = h.s.pose(other.name);
        const reference::Matrix6X<Real> J = h.s.jacobian(other.name, reference::Axes::local_world_aligned);
        const auto momentum = [&](const reference::Vector6<Real>& twist_there) {  // about the frame, its axes
          const reference::Vector3<Real> rc = X.R * other.centre, w = twist_there.tail<3>();
          const reference::Vector3<Real> p = other.mass * (twist_there.head<3>() + w.cross(rc));
          const reference::Vector3<Real> L = X.R * (other.inertia * (X.R.transpose() * w)) + (X.p + rc - at.p).cross(p);
          reference::Vector6<Real> both;
          both << at.R.transpose() * p, at.R.transpose() * L;
          return both;
        };
        for (int k = 0; k < 6; ++k) {
          reference::Vector6<Real> e = reference::Vector6<Real>::Unit(k), twist;
          const reference::Vector3<Real> v = at.R * e.head<3>(), w = at.R * e.tail<3>();
          twist << v + w.cross(X.p - at.p), w;
          I.col(k) += momentum(twist);
        }
        for (Eigen::Index c = 0; c < n; ++c) F.col(c) += momentum(J.col(columns[static_cast<std::size_t>(c)]));
      }
      const MatrixR expected = n == 0 ? I : MatrixR(I - F * M.ldlt().solve(F.transpose()));
      const double condition =
          n == 0 ? 1 : static_cast<double>(M.norm() * M.ldlt().solve(MatrixR::Identity(n, n)).norm());
      if (condition > 1e7) continue;
      articulated_inertia(h.m, h.data, h.x.q, link.frame, got);
      EXPECT_TRUE(within(got, expected, k_sweep * condition, largest(I) + 1)) << link.name;
    }
  });
}

TEST(Columns, AndTheirRatesAreThoseOfTheWorldJacobian) {
  for_cases(60, [](Held& h) {
    Eigen::MatrixXd S(6, h.nv), first(6, h.nv), second(6, h.nv), J(6, h.nv);
    column_rates(h.m, h.data, h.x.q, h.x.v, h.x.a, S, first, second);
    forward_kinematics(h.m, h.data, h.x.q);
    joint_columns(h.m, h.data, J);
    EXPECT_TRUE(within(J, S, k_sweep, largest(S)));  // positions alone give the same
    Random random(5);
    const std::string frame = random_frame(h.c, random);
    jacobian(h.m, h.data, h.x.q, h.m.find_frame(frame), Reference::world, J);
    bool shared = false;
    for (Index k = 0; k < h.data.tree().spanning_nv; ++k) shared = shared || h.data.tree().column[k].multiplier != 1;
    if (shared || h.data.tree().mimic) return;
    for (Index k = 0; k < h.nv; ++k)
      if (J.col(k).norm() > 0) { EXPECT_TRUE(within(J.col(k), S.col(k), k_sweep, largest(S))); }
    // d(spatial velocity of the frame)/dq_j at constant v is psi_dot_j less what the frame's own motion adds, S_j x v.
    const Motion<double> v = [&] {
      forward_kinematics(h.m, h.data, h.x.q, h.x.v);
      return frame_velocity(h.m, h.data, h.m.find_frame(frame), Reference::world);
    }();
    for (Index j = 0; j < h.nv; ++j) {
      if (J.col(j).norm() == 0) continue;
      const Joint* joint = nullptr;
      for (const Joint& x : h.m.joints())
        if (x.v.first <= j && j < x.v.first + x.v.size) joint = &x;
      if (joint == nullptr || joint->v.size != 1) continue;
      const Eigen::MatrixXd by =
          h.along(Eigen::VectorXd::Unit(h.nv, j), Eigen::VectorXd::Zero(h.nv), [&](const ComplexState& s) {
            return reference::Vector6<Complex>(s.jacobian(frame, reference::Axes::world) * s.v());
          });
      const Motion<double> s{{S(0, j), S(1, j), S(2, j)}, {S(3, j), S(4, j), S(5, j)}};
      const Motion<double> p{{first(0, j), first(1, j), first(2, j)}, {first(3, j), first(4, j), first(5, j)}};
      // S_j x (v - v_p) = S_j x v + psi_dot_j
      EXPECT_TRUE(within(six(cross(s, v) + p), by, k_sweep, largest(by) + largest(S) * largest(six(v)) + 10));
    }
  });
}

TEST(Quantities, RefuseWhatDoesNotFit) {
  const Case c = random_case(2, 6);
  Data data(c.model);
  const RandomState x = random_state(c.model, 1);
  Eigen::MatrixXd C(c.model.nv() + 1, c.model.nv());
  EXPECT_THROW(coriolis_matrix(c.model, data, x.q, x.v, C), std::invalid_argument);
  Eigen::VectorXd nan = x.v;
  nan[0] = std::numeric_limits<double>::quiet_NaN();
  C.resize(c.model.nv(), c.model.nv());
  EXPECT_THROW(coriolis_matrix(c.model, data, x.q, nan, C), std::invalid_argument);
  Eigen::VectorXd phi(3);
  EXPECT_THROW(inertial_parameters(c.model, phi), std::invalid_argument);
  EXPECT_THROW(subtree_mass(c.model, data, FrameId(100000)), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
