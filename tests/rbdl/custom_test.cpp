// SPDX-License-Identifier: BSD-3-Clause
// Joints and constraints that a program writes, against those that the library has.
#include "support.hpp"

namespace rbdl_test {
namespace {

/// A hinge about x.
struct Hinge : CustomJoint {
  Hinge() {
    mDoFCount = 1;
    S = MatrixNd::Zero(6, 1);
    S(0, 0) = 1;
  }
  void jcalc(Model& model, unsigned int id, const VectorNd& q, const VectorNd& qdot) override {
    jcalc_X_lambda_S(model, id, q);
    model.v_J[id] = S.col(0) * qdot[model.mJoints[id].q_index];
  }
  void jcalc_X_lambda_S(Model& model, unsigned int id, const VectorNd& q) override {
    model.X_J[id] = Xrotx(q[model.mJoints[id].q_index]);
    model.X_lambda[id] = model.X_J[id] * model.X_T[id];
  }
};

/// Turns about z, y and x: axes that turn with q.
struct Gimbal : CustomJoint {
  Gimbal() {
    mDoFCount = 3;
    S = MatrixNd::Zero(6, 3);
  }
  void jcalc(Model& model, unsigned int id, const VectorNd& q, const VectorNd& qdot) override {
    jcalc_X_lambda_S(model, id, q);
    const unsigned int k = model.mJoints[id].q_index;
    model.v_J[id] = S * qdot.segment<3>(k);
    model.c_J[id].head<3>() =
        angular_acceleration_from_angle_rates(q.segment<3>(k), qdot.segment<3>(k), Vector3d::Zero());
  }
  void jcalc_X_lambda_S(Model& model, unsigned int id, const VectorNd& q) override {
    const unsigned int k = model.mJoints[id].q_index;
    model.X_J[id] = Xrotx(q[k + 2]) * Xroty(q[k + 1]) * Xrotz(q[k]);
    model.X_lambda[id] = model.X_J[id] * model.X_T[id];
    for (int i = 0; i < 3; ++i)
      S.block<3, 1>(0, i) = angular_velocity_from_angle_rates(q.segment<3>(k), Vector3d::Unit(i));
  }
};

/// The same robot with joints of the library and with joints of the program, two of them in a row.
struct Twins {
  explicit Twins(unsigned seed) : draw(seed) {
    for (Model* m : {&own, &custom}) m->gravity = Vector3d(1, -3, -9);
    for (int k = 0; k < 6; ++k) {
      const SpatialTransform X = draw.transform();
      const Body body = draw.body();
      const unsigned int parent = k == 0 ? 0 : k == 4 ? 2 : last;
      const std::string name = "b" + std::to_string(k);
      unsigned int id = 0;
      if (k == 0) {
        custom.AddBody(0, X, Joint(JointTypeSpherical), body, name);
        id = own.AddBody(0, X, Joint(JointTypeSpherical), body, name);
      } else if (k == 1 || k == 4) {
        custom.AddBodyCustomJoint(parent, X, &hinge, body, name);
        id = own.AddBody(parent, X, Joint(JointTypeRevoluteX), body, name);
      } else {
        custom.AddBodyCustomJoint(parent, X, &gimbal, body, name);
        id = own.AddBody(parent, X, Joint(JointTypeEulerZYX), body, name);
      }
      last = id;
    }
    q = draw.q(own);
    v = draw.numbers(own.dof_count);
    tau = draw.numbers(own.dof_count);
  }
  Draw draw;
  Hinge hinge;
  Gimbal gimbal;
  Model own, custom;
  VectorNd q, v, tau;
  unsigned int last = 0;
};

TEST(RbdlCustom, JointsOfAProgramMoveAsThoseOfTheLibrary) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Twins t(seed);
    ASSERT_EQ(t.own.q_size, t.custom.q_size);
    const unsigned int n = t.own.dof_count;
    VectorNd a = VectorNd::Zero(n), b = a, f = a, g = a;
    ForwardDynamics(t.own, t.q, t.v, t.tau, a);
    ForwardDynamics(t.custom, t.q, t.v, t.tau, b);
    // The same algorithm over the same numbers but for the rounding of the joints' columns.
    EXPECT_LT(difference(b, a), 1e-11) << seed;
    InverseDynamics(t.custom, t.q, t.v, b, f);
    EXPECT_LT(difference(f, t.tau), 1e-11) << seed;
    MatrixNd H(n, n), K(n, n);
    CompositeRigidBodyAlgorithm(t.own, t.q, H);
    CompositeRigidBodyAlgorithm(t.custom, t.q, K);
    EXPECT_LT(difference(K, H), 1e-13) << seed;
    CalcMInvTimesTau(t.custom, t.q, t.tau, g);
    EXPECT_LT(difference(VectorNd(H * g), t.tau), 1e-11) << seed;
    NonlinearEffects(t.own, t.q, t.v, f);
    NonlinearEffects(t.custom, t.q, t.v, g);
    EXPECT_LT(difference(g, f), 1e-13) << seed;
    const Vector3d point = t.draw.vector();
    EXPECT_LT(difference(CalcPointAcceleration6D(t.custom, t.q, t.v, a, t.last, point),
                         CalcPointAcceleration6D(t.own, t.q, t.v, a, t.last, point)),
              1e-12)
        << seed;
    MatrixNd J(6, n), L(6, n);
    CalcPointJacobian6D(t.own, t.q, t.last, point, J);
    CalcPointJacobian6D(t.custom, t.q, t.last, point, L);
    EXPECT_LT(difference(L, J), 1e-13) << seed;
    Model copy = t.custom;
    ForwardDynamics(copy, t.q, t.v, t.tau, g);
    EXPECT_EQ(g, b) << seed;
  }
}

TEST(RbdlCustom, JointsOfAProgramTakeConstraints) {
  Twins t(7);
  VectorNd a = VectorNd::Zero(t.own.dof_count), b = a;
  ConstraintSet one, two;
  for (ConstraintSet* set : {&one, &two}) {
    set->AddContactConstraint(t.last, Vector3d(0.1, 0.2, 0.3), Vector3d(0, 0, 1));
    for (int k = 0; k < 3; ++k)
      set->AddLoopConstraint(2, 5, Xtrans(Vector3d(0.3, 0, 0)), Xtrans(Vector3d(0, 0.2, 0)),
                             SpatialVector::Unit(3 + k));
  }
  one.Bind(t.own);
  two.Bind(t.custom);
  ForwardDynamicsConstraintsDirect(t.own, t.q, t.v, t.tau, one, a);
  ForwardDynamicsConstraintsDirect(t.custom, t.q, t.v, t.tau, two, b);
  EXPECT_LT(difference(b, a), 1e-10);
  EXPECT_LT(difference(two.force, one.force), 1e-10);
}

TEST(RbdlCustom, AJointThatIsNoneIsRefused) {
  Model model;
  Hinge hinge;
  EXPECT_THROW(model.AddBodyCustomJoint(0, SpatialTransform(), nullptr, Body()), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(model.AddBodyCustomJoint(9, SpatialTransform(), &hinge, Body()), Errors::RBDLInvalidParameterError);
  hinge.mDoFCount = 7;
  EXPECT_THROW(model.AddBodyCustomJoint(0, SpatialTransform(), &hinge, Body()), Errors::RBDLInvalidParameterError);
}

/// Rows that a program writes; what this test does not need is empty.
struct Rows : Constraint {
  using Constraint::Constraint;
  void bind(const Model& model) override { n = model.qdot_size; }
  void calcVelocityError(Model&, const double, const VectorNd&, const VectorNd&, const MatrixNd&, VectorNd&,
                         ConstraintCache&, bool) override {}
  void calcConstraintForces(Model&, const double, const VectorNd&, const VectorNd&, const MatrixNd&, const VectorNd&,
                            std::vector<unsigned int>&, std::vector<SpatialTransform>&, std::vector<SpatialVector>&,
                            ConstraintCache&, bool, bool) override {}
  unsigned int n = 0;
};

/// A point that stays where it is, in three directions.
struct Pin : Rows {
  Pin(unsigned int foot, const Vector3d& x) : Rows("pin", ConstraintTypeCustom, 3, 77), body(foot), point(x) {}
  void calcConstraintJacobian(Model& model, const double, const VectorNd& Q, const VectorNd&, MatrixNd& GSys,
                              ConstraintCache& cache, bool update) override {
    cache.mat3NA.setZero();
    CalcPointJacobian(model, Q, body, point, cache.mat3NA, update);
    GSys.middleRows(rowInSystem, 3) = cache.mat3NA;
  }
  void calcGamma(Model& model, const double, const VectorNd& Q, const VectorNd& QDot, const MatrixNd&, VectorNd& gamma,
                 ConstraintCache& cache, bool update) override {
    gamma.segment<3>(rowInSystem) = -CalcPointAcceleration(model, Q, QDot, cache.vecNZeros, body, point, update);
  }
  void calcPositionError(Model& model, const double, const VectorNd& Q, VectorNd& err, ConstraintCache&,
                         bool update) override {
    err.segment<3>(rowInSystem) = CalcBodyToBaseCoordinates(model, Q, body, point, update) - place;
  }
  unsigned int body;
  Vector3d point, place = Vector3d::Zero();
};

TEST(RbdlCustom, RowsOfAProgramHoldAsContactsDo) {
  Draw draw(11);
  Model m = draw.model(14, true);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), tau = draw.numbers(m.dof_count);
  const Vector3d point = draw.vector();
  const unsigned int foot = static_cast<unsigned int>(m.mBodies.size()) - 1;
  ConstraintSet contacts, custom;
  auto pin = std::make_shared<Pin>(foot, point);
  for (ConstraintSet* set : {&contacts, &custom})
    set->AddContactConstraint(4, Vector3d(0.1, 0.2, 0.3), Vector3d(0, 0, 1), "hand");
  for (int k = 0; k < 3; ++k) contacts.AddContactConstraint(foot, point, Vector3d::Unit(k), "foot");
  EXPECT_EQ(custom.AddCustomConstraint(pin), 3u);
  EXPECT_EQ(pin->getConstraintIndex(), 1u);
  EXPECT_THROW(custom.AddCustomConstraint(pin), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(custom.AddCustomConstraint(nullptr), Errors::RBDLInvalidParameterError);
  contacts.Bind(m);
  custom.Bind(m);
  EXPECT_EQ(pin->n, m.dof_count);
  const unsigned int group = custom.getGroupIndexById(77);
  EXPECT_EQ(custom.getGroupSize(group), 3u);
  EXPECT_EQ(custom.getGroupType(group), ConstraintTypeCustom);
  EXPECT_STREQ(custom.getGroupName(group), "pin");
  VectorNd a = VectorNd::Zero(m.dof_count), b = a;
  ForwardDynamicsConstraintsDirect(m, q, v, tau, contacts, a);
  ForwardDynamicsConstraintsDirect(m, q, v, tau, custom, b);
  EXPECT_LT(difference(b, a), 1e-11);
  EXPECT_LT(difference(custom.force, contacts.force), 1e-11);
  ComputeConstraintImpulsesDirect(m, q, v, contacts, a);
  ComputeConstraintImpulsesDirect(m, q, v, custom, b);
  EXPECT_LT(difference(b, a), 1e-11);
  MatrixNd G(4, m.dof_count), K = G;
  CalcConstraintsJacobian(m, q, contacts, G);
  CalcConstraintsJacobian(m, q, custom, K);
  EXPECT_LT(difference(K, G), 1e-13);
  // Without an update the model is where the last call left it, not where a function of the program did.
  EXPECT_EQ(CalcBodyToBaseCoordinates(m, q, foot, point, false), CalcBodyToBaseCoordinates(m, q, foot, point));
}

// calcGamma of the program calls CalcPointAcceleration with accelerations of 0, in the middle of the solve.
TEST(RbdlCustom, RowsOfAProgramTakeTheDesiredAccelerations) {
  Draw draw(13);
  Model m = draw.model(14, true);
  const unsigned int n = m.dof_count, foot = static_cast<unsigned int>(m.mBodies.size()) - 1;
  const VectorNd q = draw.q(m), v = draw.numbers(n), desired = draw.numbers(n);
  const Vector3d point = draw.vector();
  ConstraintSet contacts, custom;
  for (int k = 0; k < 3; ++k) contacts.AddContactConstraint(foot, point, Vector3d::Unit(k), "foot");
  custom.AddCustomConstraint(std::make_shared<Pin>(foot, point));
  std::vector<bool> motors(n, true);
  std::fill_n(motors.begin(), 3, false);
  for (ConstraintSet* set : {&contacts, &custom}) {
    set->Bind(m);
    set->SetActuationMap(m, motors);
    EXPECT_TRUE(isConstrainedSystemFullyActuated(m, q, v, *set));
  }
  for (const auto& inverse : {InverseDynamicsConstraints, InverseDynamicsConstraintsRelaxed}) {
    VectorNd a(n), b(n), tau(n), torque(n);
    inverse(m, q, v, desired, contacts, a, tau, true, nullptr);
    inverse(m, q, v, desired, custom, b, torque, true, nullptr);
    // Two solves of one system whose rows differ by rounding: eps times its condition, of some 1e4.
    EXPECT_LT(difference(b, a), 1e-11);
    EXPECT_LT(difference(torque, tau), 1e-11);
    EXPECT_LT(difference(custom.force, contacts.force), 1e-11);
  }
}

TEST(RbdlCustom, AConstraintServesOneSet) {
  Draw draw(14);
  Model m = draw.model(9, true);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), tau = draw.numbers(m.dof_count);
  const unsigned int tip = static_cast<unsigned int>(m.mBodies.size()) - 1;
  auto pin = std::make_shared<Pin>(tip, draw.vector());
  ConstraintSet first, second;
  first.AddCustomConstraint(pin);
  first.Bind(m);
  VectorNd a = VectorNd::Zero(m.dof_count), b = a;
  ForwardDynamicsConstraintsDirect(m, q, v, tau, first, a);
  second.AddContactConstraint(1, Vector3d(0.1, 0.2, 0.3), Vector3d(0, 0, 1));
  second.AddCustomConstraint(pin);  // writes from row 1 on now
  EXPECT_THROW(ForwardDynamicsConstraintsDirect(m, q, v, tau, first, b), Errors::RBDLInvalidParameterError);
  EXPECT_THROW(first.Bind(m), Errors::RBDLInvalidParameterError);
  second.Bind(m);
  ForwardDynamicsConstraintsDirect(m, q, v, tau, second, b);
  pin->setConstraintIndex(0);
  first.Bind(m);
  ForwardDynamicsConstraintsDirect(m, q, v, tau, first, b);
  EXPECT_EQ(b, a);
}

TEST(RbdlCustom, FeedbackAndAssemblyUseTheErrorsOfTheProgram) {
  Draw draw(12);
  Model m = draw.model(9);
  const VectorNd q = draw.q(m), v = draw.numbers(m.dof_count), tau = draw.numbers(m.dof_count);
  const unsigned int tip = static_cast<unsigned int>(m.mBodies.size()) - 1;
  auto pin = std::make_shared<Pin>(tip, draw.vector());
  pin->place = CalcBodyToBaseCoordinates(m, q, tip, pin->point) + Vector3d(0.01, -0.02, 0.01);
  pin->setBaumgarteTimeConstant(0.2);
  EXPECT_THROW(pin->setBaumgarteTimeConstant(0), Errors::RBDLInvalidParameterError);
  ConstraintSet set;
  set.AddCustomConstraint(pin);
  set.Bind(m);
  set.enableBaumgarteStabilization(0);
  EXPECT_TRUE(pin->isBaumgarteStabilizationEnabled());
  VectorNd a = VectorNd::Zero(m.dof_count), err(3);
  ForwardDynamicsConstraintsDirect(m, q, v, tau, set, a);
  CalcConstraintsPositionError(m, q, set, err);
  EXPECT_LT(difference(err, Vector3d(-0.01, 0.02, -0.01)), 1e-13);
  const Vector3d wanted = -2 / 0.2 * CalcPointVelocity(m, q, v, tip, pin->point) - err / (0.2 * 0.2);
  EXPECT_LT(difference(CalcPointAcceleration(m, q, v, a, tip, pin->point), wanted), 1e-11);
  VectorNd closed = q;
  EXPECT_TRUE(CalcAssemblyQ(m, q, set, closed, VectorNd::Ones(m.dof_count)));
  EXPECT_LT(difference(CalcBodyToBaseCoordinates(m, closed, tip, pin->point), pin->place), 1e-11);
  VectorNd own;
  pin->getPositionError(err, own);
  EXPECT_EQ(own, err);
  pin->enableConstraintErrorFromVelocity(0);
  EXPECT_FALSE(pin->getPositionLevelError(0));
  CalcConstraintsPositionError(m, q, set, err);
  EXPECT_EQ(err[0], 0);
  EXPECT_NE(err[1], 0);
  pin->enableConstraintErrorFromPosition(0);
  CalcConstraintsPositionError(m, q, set, err);
  EXPECT_NE(err[0], 0);
}

TEST(RbdlMath, FactorsOfATreeAreThoseOfItsMassMatrix) {
  Draw draw(5);
  Model m = draw.model(12, true);
  const VectorNd q = draw.q(m), x = draw.numbers(m.dof_count);
  MatrixNd H(m.dof_count, m.dof_count);
  CompositeRigidBodyAlgorithm(m, q, H);
  MatrixNd L = H;
  SparseFactorizeLTL(m, L);
  EXPECT_TRUE(L.isLowerTriangular(0));
  EXPECT_LT(difference(MatrixNd(L.transpose() * L), H), 1e-13);
  VectorNd y = x;
  SparseMultiplyLx(m, L, y);
  EXPECT_LT(difference(y, VectorNd(L * x)), 1e-14);
  SparseSolveLx(m, L, y);
  EXPECT_LT(difference(y, x), 1e-12);
  SparseMultiplyLTx(m, L, y);
  EXPECT_LT(difference(y, VectorNd(L.transpose() * x)), 1e-12);
  SparseSolveLTx(m, L, y);
  EXPECT_LT(difference(y, x), 1e-11);
  SparseMultiplyHx(m, H, y);
  EXPECT_LT(difference(y, VectorNd(H * x)), 1e-11);
  VectorNd wrong(3);
  EXPECT_THROW(SparseSolveLx(m, L, wrong), Errors::RBDLSizeMismatchError);
}

TEST(RbdlMath, RatesOfAnglesAreThoseOfTheirRotations) {
  Draw draw(6);
  const Vector3d angles = draw.vector(), rates = draw.vector(), second = draw.vector();
  const double h = 1e-4;  // central differences: h^2 and eps / h
  const auto E = [](const Vector3d& a) { return Matrix3d(rotx(a[2]) * roty(a[1]) * rotz(a[0])); };
  const Matrix3d dE = (E(angles + h * rates) - E(angles - h * rates)) / (2 * h);
  const Vector3d body = angular_velocity_from_angle_rates(angles, rates);
  // dE/dt = -[w] E, w in body axes.
  EXPECT_LT(difference(dE, Matrix3d(-VectorCrossMatrix(body) * E(angles))), 1e-7);
  EXPECT_LT(difference(global_angular_velocity_from_rates(angles, rates), Vector3d(E(angles).transpose() * body)),
            1e-14);
  const auto w = [&](double t) {
    return angular_velocity_from_angle_rates(angles + t * rates + 0.5 * t * t * second, rates + t * second);
  };
  EXPECT_LT(
      difference(angular_acceleration_from_angle_rates(angles, rates, second), Vector3d((w(h) - w(-h)) / (2 * h))),
      1e-7);
  EXPECT_LT(difference(rotxdot(0.3, 2), Matrix3d((rotx(0.3 + 2 * h) - rotx(0.3 - 2 * h)) / (2 * h))), 1e-7);
  EXPECT_LT(difference(rotydot(0.3, 2), Matrix3d((roty(0.3 + 2 * h) - roty(0.3 - 2 * h)) / (2 * h))), 1e-7);
  EXPECT_LT(difference(rotzdot(0.3, 2), Matrix3d((rotz(0.3 + 2 * h) - rotz(0.3 - 2 * h)) / (2 * h))), 1e-7);
  SpatialMatrix X = SpatialMatrixZero;
  SpatialMatrixSetSubmatrix(X, 0, 0, E(angles));
  SpatialMatrixSetSubmatrix(X, 3, 3, E(angles));
  SpatialMatrixSetSubmatrix(X, 3, 0, Matrix3d(-E(angles) * VectorCrossMatrix(rates)));
  EXPECT_TRUE(SpatialMatrixCompareEpsilon(XtransRotZYXEuler(rates, angles), X, 1e-14));
  EXPECT_FALSE(SpatialVectorCompareEpsilon(SpatialVectorZero, SpatialVector::Unit(3), 0.5));
}

TEST(RbdlMath, NumbersBecomeMatricesAndSystemsAreSolved) {
  double numbers[] = {4, 1, 2, 3, 0, 5};
  EXPECT_EQ(VectorFromPtr(6, numbers)[5], 5);
  EXPECT_EQ(MatrixFromPtr(2, 3, numbers)(0, 1), 1);
  EXPECT_EQ(MatrixFromPtr(2, 3, numbers, false)(0, 1), 2);
  const MatrixNd A = MatrixFromPtr(2, 2, numbers);
  VectorNd x(2);
  EXPECT_TRUE(LinSolveGaussElimPivot(A, Vector2d(6, 8), x));
  EXPECT_LT(difference(VectorNd(A * x), Vector2d(6, 8)), 1e-14);
  EXPECT_FALSE(LinSolveGaussElimPivot(MatrixNd::Ones(2, 2), Vector2d(6, 8), x));
}

}  // namespace
}  // namespace rbdl_test
