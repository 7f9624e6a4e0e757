// SPDX-License-Identifier: BSD-3-Clause
// No call of compat/rbdl allocates after the first one on a model.
#include <rbdl/rbdl_utils.h>

#include "../rbdl/support.hpp"
#include "support/no_allocation.hpp"

namespace rbdl_test {
namespace {

TEST(NoRbdlAllocation, AfterTheFirstCallOnAModel) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Draw draw(1);
  Model m = draw.model(20, true);
  const long n = m.dof_count;
  const unsigned int id = static_cast<unsigned int>(m.mBodies.size()) - 1, fixed = m.fixed_body_discriminator;
  const VectorNd q = draw.q(m), v = draw.numbers(n), a = draw.numbers(n), tau = draw.numbers(n);
  const Vector3d point = draw.vector();
  std::vector<SpatialVector> f_ext(m.mBodies.size(), draw.spatial());
  VectorNd out(n);
  MatrixNd G(3, n), G6(6, n), H(n, n);
  double mass;
  Vector3d com, vel, acc, L, Ldot, zmp;
  ConstraintSet set;
  for (int k = 0; k < 3; ++k) set.AddContactConstraint(id, point, Vector3d::Unit(k));
  set.AddLoopConstraint(fixed, 3, draw.transform(), draw.transform(), SpatialVector::Unit(4));
  set.Bind(m);
  MatrixNd rows(4, n);
  const auto all = [&] {
    ForwardDynamicsConstraintsDirect(m, q, v, tau, set, out, true, &f_ext);
    ComputeConstraintImpulsesDirect(m, q, v, set, out);
    CalcConstraintsJacobian(m, q, set, rows);
    CalcConstrainedSystemVariables(m, q, v, tau, set);
    set.groups[1].baumgarte = !set.groups[1].baumgarte;
    UpdateKinematics(m, q, v, a);
    UpdateKinematicsCustom(m, &q, &v, nullptr);
    CalcBodyToBaseCoordinates(m, q, fixed, point);
    CalcBaseToBodyCoordinates(m, q, id, point, false);
    CalcBodyWorldOrientation(m, q, id);
    CalcPointJacobian(m, q, id, point, G);
    CalcPointJacobian6D(m, q, fixed, point, G6);
    CalcBodySpatialJacobian(m, q, fixed, G6);
    CalcPointVelocity6D(m, q, v, id, point);
    CalcPointAcceleration6D(m, q, v, a, id, point);
    m.gravity = -m.gravity;
    InverseDynamics(m, q, v, a, out, &f_ext);
    NonlinearEffects(m, q, v, out);
    CompositeRigidBodyAlgorithm(m, q, H);
    ForwardDynamics(m, q, v, tau, out, &f_ext);
    ForwardDynamicsLagrangian(m, q, v, tau, out);
    CalcMInvTimesTau(m, q, tau, out);
    Utils::CalcCenterOfMass(m, q, v, &a, mass, com, &vel, &acc, &L, &Ldot);
    Utils::CalcPotentialEnergy(m, q);
    Utils::CalcKineticEnergy(m, q, v);
    Utils::CalcZeroMomentPoint(m, q, v, a, &zmp);
  };
  all();
  const zwang::test::AllocationGuard guard;
  all();
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace rbdl_test
