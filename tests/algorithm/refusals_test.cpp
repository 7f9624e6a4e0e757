// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms refuse and how they say it; models without coordinates;
// arguments that are results of other calls.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_inf = std::numeric_limits<double>::infinity();

/// The message of the exception of type E that f throws; a failure where it throws none or another one.
template <class E> std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& e) { return e.what(); } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}
void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* w : words) EXPECT_NE(text.find(w), std::string::npos) << "no '" << w << "' in: " << text;
}

class Refusals : public testing::Test {
 protected:
  Refusals() : c_(random_case(5, 12)), m_(c_.model), data_(m_), x_(random_state(m_, 1)) {}
  using Call = std::function<void(const Vector& q, const Vector& v, const Vector& a)>;
  /// Every call that takes q, then those that take v, then those that take a or tau.
  std::vector<std::pair<std::string, Call>> calls(int arguments) {
    std::vector<std::pair<std::string, Call>> all;
    const auto add = [&](int takes, const char* name, Call f) {
      if (takes >= arguments) all.emplace_back(name, std::move(f));
    };
    add(1, "forward_kinematics", [&](auto& q, auto&, auto&) { forward_kinematics(m_, data_, q); });
    add(2, "forward_kinematics", [&](auto& q, auto& v, auto&) { forward_kinematics(m_, data_, q, v); });
    add(3, "forward_kinematics", [&](auto& q, auto& v, auto& a) { forward_kinematics(m_, data_, q, v, a); });
    add(2, "forward_kinematics", [&](auto& q, auto& v, auto&) { kinetic_energy(m_, data_, q, v); });
    add(1, "forward_kinematics", [&](auto& q, auto&, auto&) { potential_energy(m_, data_, q); });
    add(1, "forward_kinematics", [&](auto& q, auto&, auto&) { centre_of_mass(m_, data_, q); });
    add(3, "inverse_dynamics", [&](auto& q, auto& v, auto& a) { inverse_dynamics(m_, data_, q, v, a); });
    add(3, "forward_dynamics", [&](auto& q, auto& v, auto& a) { forward_dynamics(m_, data_, q, v, a); });
    add(2, "bias_forces", [&](auto& q, auto& v, auto&) { bias_forces(m_, data_, q, v); });
    add(1, "gravity_forces", [&](auto& q, auto&, auto&) { gravity_forces(m_, data_, q); });
    add(1, "mass_matrix", [&](auto& q, auto&, auto&) { mass_matrix(m_, data_, q); });
    add(1, "centre_of_mass_jacobian", [&](auto& q, auto&, auto&) {
      Matrix J(3, m_.nv());
      centre_of_mass_jacobian(m_, data_, q, J);
    });
    add(1, "TreeCholesky::compute", [&](auto& q, auto&, auto&) { TreeCholesky(m_).compute(data_, q); });
    add(2, "forward_kinematics", [&](auto& q, auto& v, auto&) {
      Matrix J(6, m_.nv());
      jacobian_dot(m_, data_, q, v, FrameId(0), Reference::local, J);
    });
    return all;
  }
  Case c_;
  const Model& m_;
  Data data_;
  RandomState x_;
};

/// Finite arguments whose result leaves the range of double: an exception of the throwing calls, never NaN.
TEST_F(Refusals, OfResultsBeyondTheRangeOfDouble) {
  const Vector huge = Vector::Constant(m_.nv(), 1e160);
  const auto expect = [&](const char* name, const std::function<void()>& f) {
    expect_words(message<ArithmeticOverflowError>(f), {"E_OVERFLOW", name, "range of double"});
  };
  expect("inverse_dynamics", [&] { inverse_dynamics(m_, data_, x_.q, huge, x_.a); });
  expect("forward_dynamics", [&] { forward_dynamics(m_, data_, x_.q, huge, x_.a); });
  expect("bias_forces", [&] { bias_forces(m_, data_, x_.q, huge); });
  expect("kinetic_energy", [&] { kinetic_energy(m_, data_, x_.q, huge); });
  expect("frame_acceleration", [&] {
    forward_kinematics(m_, data_, x_.q, huge, x_.a);
    frame_acceleration(m_, data_, FrameId(static_cast<Index>(m_.frames().size()) - 1), AccelerationKind::classical);
  });
  TreeCholesky factor(m_);
  factor.compute(data_, x_.q);
  Vector x = Vector::Constant(m_.nv(), 1e300);
  expect("TreeCholesky::multiply", [&] {
    for (int k = 0; k < 4000; ++k) factor.multiply(x);  // grows by the largest eigenvalue
  });
  x.setZero();
  x[1] = k_nan;
  expect_words(message<std::invalid_argument>([&] { factor.solve(x); }),
               {"E_NUMBER", "TreeCholesky::solve", "'x'", "entry 1"});
  EXPECT_NO_THROW(inverse_dynamics(m_, data_, x_.q, x_.v, x_.a));
}

TEST_F(Refusals, NameTheArgumentOfAWrongSize) {
  const Vector q = Vector::Zero(m_.nq() + 1), v = Vector::Zero(m_.nv() - 1);
  const std::string got_q = std::to_string(m_.nq() + 1) + " entries, expected " + std::to_string(m_.nq());
  const std::string got_v = std::to_string(m_.nv() - 1) + " entries, expected " + std::to_string(m_.nv());
  for (const auto& [name, call] : calls(1))
    expect_words(message<std::invalid_argument>([&] { call(q, x_.v, x_.a); }),
                 {"E_SIZE", name.c_str(), "'q'", got_q.c_str()});
  for (const auto& [name, call] : calls(2))
    expect_words(message<std::invalid_argument>([&] { call(x_.q, v, x_.a); }),
                 {"E_SIZE", name.c_str(), "'v'", got_v.c_str()});
  for (const auto& [name, call] : calls(3))
    expect_words(message<std::invalid_argument>([&] { call(x_.q, x_.v, v); }), {"E_SIZE", name.c_str(), got_v.c_str()});
}

TEST_F(Refusals, NameTheEntryThatIsNotFinite) {
  for (const double bad : {k_nan, k_inf, -k_inf}) {
    Vector q = x_.q, v = x_.v;
    q(2) = v(3) = bad;
    for (const auto& [name, call] : calls(1))
      expect_words(message<std::invalid_argument>([&] { call(q, x_.v, x_.a); }),
                   {"E_NUMBER", name.c_str(), "'q'", "entry 2"});
    for (const auto& [name, call] : calls(2))
      expect_words(message<std::invalid_argument>([&] { call(x_.q, v, x_.a); }),
                   {"E_NUMBER", name.c_str(), "'v'", "entry 3"});
    for (const auto& [name, call] : calls(3))
      expect_words(message<std::invalid_argument>([&] { call(x_.q, x_.v, v); }), {"E_NUMBER", name.c_str(), "entry 3"});
  }
}

TEST_F(Refusals, NameTheJointOfAQuaternionWithoutUnitLength) {
  const Joint& base = m_.joint("base");
  ASSERT_EQ(base.type, "floating");
  for (const double factor : {0.0, 0.999, 1.001, 3.0}) {
    Vector q = x_.q;
    q.segment(base.q.first + 3, 4) *= factor;
    for (const auto& [name, call] : calls(1))
      expect_words(message<std::invalid_argument>([&] { call(q, x_.v, x_.a); }),
                   {name.c_str(), "'base'", "unit length"});
  }
  Vector q = x_.q;
  q.segment(base.q.first + 3, 4) *= 1 + 1e-8;  // rounding of a file or of an integration
  for (const auto& [name, call] : calls(1)) EXPECT_NO_THROW(call(q, x_.v, x_.a)) << name;
}

TEST_F(Refusals, OfAWorkspaceThatWasMadeForAnotherModel) {
  const Case same = random_case(5, 12);  // equal numbers, another model
  Data foreign(same.model);
  std::swap(data_, foreign);
  for (const auto& [name, call] : calls(1))
    expect_words(message<WorkspaceMismatch>([&] { call(x_.q, x_.v, x_.a); }), {"E_WORKSPACE_MISMATCH", name.c_str()});
  const FrameId tip = m_.find_frame("tip");
  Matrix J(6, m_.nv());
  EXPECT_THROW(frame_pose(m_, data_, tip), WorkspaceMismatch);
  EXPECT_THROW(frame_velocity(m_, data_, tip), WorkspaceMismatch);
  EXPECT_THROW(frame_acceleration(m_, data_, tip, AccelerationKind::spatial), WorkspaceMismatch);
  EXPECT_THROW(jacobian(m_, data_, tip, Reference::local, J), WorkspaceMismatch);
  EXPECT_THROW(jacobian_at(m_, data_, tip, {0, 0, 0}, J), WorkspaceMismatch);
  EXPECT_THROW(joint_wrench(m_, data_, LinkId(1)), WorkspaceMismatch);
  EXPECT_THROW(centre_of_mass_velocity(m_, data_), WorkspaceMismatch);
  const Model copy = same.model;  // a copy of a model is the same model
  EXPECT_NO_THROW(forward_kinematics(copy, data_, x_.q));
  const Model edited = m_.with_frame("more", "tip", Transform<double>::identity());
  std::swap(data_, foreign);
  EXPECT_THROW(forward_kinematics(edited, data_, x_.q), WorkspaceMismatch);
}

TEST_F(Refusals, OfOutputsThatDoNotFitAndOfFramesThatAreNotThere) {
  forward_kinematics(m_, data_, x_.q, x_.v, x_.a);
  const FrameId tip = m_.find_frame("tip");
  Matrix five(5, m_.nv()), wide(6, m_.nv() + 1), good(6, m_.nv());
  for (Matrix* J : {&five, &wide}) {
    EXPECT_THROW(jacobian(m_, data_, tip, Reference::local, *J), std::invalid_argument);
    EXPECT_THROW(jacobian_at(m_, data_, tip, {0, 0, 0}, *J), std::invalid_argument);
    EXPECT_THROW(jacobian_dot(m_, data_, x_.q, x_.v, tip, Reference::local, *J), std::invalid_argument);
    EXPECT_THROW(centre_of_mass_jacobian(m_, data_, x_.q, *J), std::invalid_argument);
    EXPECT_THROW(mass_matrix(m_, data_, x_.q, *J), std::invalid_argument);
  }
  for (const FrameId none : {FrameId(), FrameId(static_cast<Index>(m_.frames().size()))}) {
    EXPECT_THROW(frame_pose(m_, data_, none), std::invalid_argument);
    EXPECT_THROW(frame_velocity(m_, data_, none), std::invalid_argument);
    EXPECT_THROW(frame_acceleration(m_, data_, none, AccelerationKind::spatial), std::invalid_argument);
    EXPECT_THROW(jacobian(m_, data_, none, Reference::local, good), std::invalid_argument);
    EXPECT_THROW(jacobian_dot(m_, data_, x_.q, x_.v, none, Reference::local, good), std::invalid_argument);
  }
  EXPECT_THROW(reference_of("locale"), std::invalid_argument);
  EXPECT_EQ(reference_of("world"), Reference::world);
  inverse_dynamics(m_, data_, x_.q, x_.v, x_.a);
  EXPECT_THROW(joint_wrench(m_, data_, LinkId()), std::invalid_argument);
  EXPECT_THROW(joint_wrench(m_, data_, LinkId(1000)), std::invalid_argument);
  EXPECT_THROW(joint_wrench(m_, data_, m_.find_link("world")), std::invalid_argument);
}

TEST_F(Refusals, AreStatusesOfTheCallsForRealTime) {
  Vector out = Vector::Constant(m_.nv(), 7), shorter(m_.nv() - 1);
  const auto both = [&](const Vector& q, const Vector& v, const Vector& a, Vector& to) {
    const Status status = try_forward_dynamics(m_, data_, q, v, a, to);
    EXPECT_EQ(try_inverse_dynamics(m_, data_, q, v, a, to), status);
    return status;
  };
  EXPECT_EQ(both(x_.q, x_.v, x_.a, shorter), Status::invalid_input);
  EXPECT_EQ(both(x_.v, x_.v, x_.a, out), Status::invalid_input);
  EXPECT_EQ(both(x_.q, shorter, x_.a, out), Status::invalid_input);
  EXPECT_EQ(both(x_.q, x_.v, shorter, out), Status::invalid_input);
  for (int k = 0; k < 3; ++k) {
    Vector q = x_.q, v = x_.v, a = x_.a;
    (k == 0 ? q : k == 1 ? v : a)(1) = k == 1 ? k_inf : k_nan;
    EXPECT_EQ(both(q, v, a, out), Status::non_finite_input);
  }
  Vector q = x_.q;
  q.segment(m_.joint("base").q.first + 3, 4) *= 1.01;
  EXPECT_EQ(both(q, x_.v, x_.a, out), Status::invalid_input);
  EXPECT_EQ(out, Vector::Constant(m_.nv(), 7)) << "a refused call left its output alone";
  const Case other = random_case(5, 12);
  Data foreign(other.model);
  EXPECT_EQ(try_forward_dynamics(m_, foreign, x_.q, x_.v, x_.a, out), Status::invalid_input);
  EXPECT_EQ(try_inverse_dynamics(m_, foreign, x_.q, x_.v, x_.a, out), Status::invalid_input);
  EXPECT_EQ(try_forward_dynamics(m_, data_, x_.q, x_.v, x_.tau, out), Status::ok);
  EXPECT_EQ(out, Vector(forward_dynamics(m_, data_, x_.q, x_.v, x_.tau)));
  EXPECT_EQ(try_inverse_dynamics(m_, data_, x_.q, x_.v, x_.a, out), Status::ok);
  EXPECT_EQ(out, Vector(inverse_dynamics(m_, data_, x_.q, x_.v, x_.a)));
  EXPECT_STREQ(name_of(Status::singular_mass), "singular_mass");
}

/// A result beyond the range of double leaves nothing in Data that a later call would read: coordinates that several
/// joints share among them.
TEST(Overflow, IsForgottenByTheNextCall) {
  std::vector<Model> models = {build(sample_gripper())};
  for (int seed = 0; seed < 40; ++seed) models.push_back(random_case(static_cast<std::uint64_t>(seed), 8).model);
  int overflowed = 0;
  for (const Model& m : models) {
    const RandomState x = random_state(m, 3);
    Data data(m), fresh(m);
    Vector a(m.nv()), expected(m.nv());
    const Status ordinary = try_forward_dynamics(m, fresh, x.q, x.v, x.a, expected);
    overflowed += try_forward_dynamics(m, data, x.q, Vector::Constant(m.nv(), 1e200), x.a, a) == Status::overflow;
    ASSERT_EQ(try_forward_dynamics(m, data, x.q, x.v, x.a, a), ordinary);
    EXPECT_EQ(a, expected);
  }
  EXPECT_GT(overflowed, 20);
}

TEST(Aliasing, OfResultsAndArgumentsIsSafe) {
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 12);
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Data data(m), fresh(m);
    const JointEffects all{true, true, true, true};
    const Vector tau = inverse_dynamics(m, fresh, x.q, x.v, x.a), of_tau = inverse_dynamics(m, fresh, x.q, tau, tau);
    const Vector a = forward_dynamics(m, fresh, x.q, x.v, x.tau), of_a = forward_dynamics(m, fresh, x.q, a, a);
    const Vector h = bias_forces(m, fresh, x.q, x.v), of_h = bias_forces(m, fresh, x.q, h, {}, all);
    const VectorView t = inverse_dynamics(m, data, x.q, x.v, x.a);
    EXPECT_EQ(Vector(inverse_dynamics(m, data, x.q, t, t)), of_tau);
    const VectorView b = forward_dynamics(m, data, x.q, x.v, x.tau);
    EXPECT_EQ(Vector(forward_dynamics(m, data, x.q, b, b)), of_a);
    const VectorView g = bias_forces(m, data, x.q, x.v);
    EXPECT_EQ(Vector(bias_forces(m, data, x.q, g, {}, all)), of_h);
    Vector out = tau;
    ASSERT_EQ(try_inverse_dynamics(m, data, x.q, out, out, out), Status::ok);
    EXPECT_EQ(out, of_tau);
    out = a;
    ASSERT_EQ(try_forward_dynamics(m, data, x.q, out, out, out), Status::ok);
    EXPECT_EQ(out, of_a);
  }
}

TEST(Arguments, MayBeScatteredInMemoryOrDenormal) {
  const Case c = random_case(9, 12);
  const Model& m = c.model;
  const RandomState x = random_state(m, 3);
  Data data(m), fresh(m);
  Matrix rows(3, std::max(m.nq(), m.nv()));
  rows.row(0).head(m.nq()) = x.q.transpose();
  rows.row(1).head(m.nv()) = x.v.transpose();
  rows.row(2).head(m.nv()) = x.tau.transpose();
  const Vector expected = forward_dynamics(m, fresh, x.q, x.v, x.tau);
  EXPECT_EQ(Vector(forward_dynamics(m, data, rows.row(0).head(m.nq()).transpose(), rows.row(1).head(m.nv()).transpose(),
                                    rows.row(2).head(m.nv()).transpose())),
            expected);
  Matrix large = Matrix::Constant(2 * m.nv(), 2 * m.nv(), 7);
  mass_matrix(m, data, x.q, large.block(1, 2, m.nv(), m.nv()));
  EXPECT_EQ(Matrix(large.block(1, 2, m.nv(), m.nv())), mass_matrix(m, fresh, x.q));
  large.block(1, 2, m.nv(), m.nv()).setConstant(7);
  EXPECT_EQ(large, Matrix::Constant(2 * m.nv(), 2 * m.nv(), 7)) << "nothing beside the block was written";
  const Vector tiny = Vector::Constant(m.nv(), std::numeric_limits<double>::denorm_min()), zero = Vector::Zero(m.nv());
  EXPECT_TRUE(within(forward_dynamics(m, data, x.q, tiny, tiny), forward_dynamics(m, fresh, x.q, zero, zero), 1e-15,
                     largest(expected)));
}

RobotDescription arm_with_massless_tip() {
  RobotDescription r = sample_chain(4);
  r.links.push_back(make_link("tip", 0, {0, 0, 0}, Sym3<double>::zero()));
  r.joints.push_back(make_joint("wrist", "revolute", r.links[3].name, "tip", {0, 1, 0}, {0.1, 0, 0.3}));
  return r;
}

TEST(SingularMass, OfAMasslessTipIsNamedWhileInverseDynamicsWorks) {
  const Model m = build(arm_with_massless_tip()), shorter = build(sample_chain(4));
  Data data(m), reduced(shorter);
  const RandomState x = random_state(m, 3);
  const auto part = [&](const Vector& y) { return Vector(y.head(shorter.nv())); };
  ASSERT_EQ(m.nv(), shorter.nv() + 1);
  expect_words(message<SingularMassError>([&] { forward_dynamics(m, data, x.q, x.v, x.tau); }),
               {"E_SINGULAR", "wrist"});
  TreeCholesky factor(m);
  expect_words(message<SingularMassError>([&] { factor.compute(data, x.q); }), {"E_SINGULAR", "wrist"});
  Vector out(m.nv()), ones = Vector::Ones(m.nv());
  EXPECT_EQ(try_forward_dynamics(m, data, x.q, x.v, x.tau, out), Status::singular_mass);
  EXPECT_THROW(factor.solve(ones), std::logic_error);

  const Vector tau = inverse_dynamics(m, data, x.q, x.v, x.a);
  const Vector expected = inverse_dynamics(shorter, reduced, part(x.q), part(x.v), part(x.a));
  EXPECT_TRUE(within(part(tau), expected, 100 * k_eps, largest(expected)));  // the same terms in the same order
  EXPECT_EQ(tau(m.nv() - 1), 0);
  const Matrix M = mass_matrix(m, data, x.q);
  EXPECT_EQ(M.row(m.nv() - 1).norm(), 0);
}

TEST(SingularMass, DoesNotDependOnUnitsAndGoesAwayWithARotor) {
  for (const double size : {1e-3, 1.0, 1e3}) {  // a point mass on the axis has no inertia about it
    RobotDescription r{"spindle",
                       {make_link("base", 0, {0, 0, 0}, Sym3<double>::zero()),
                        make_link("upper", 1 * size, {0.3, 0.1, 0}, Sym3<double>::diagonal(size, size, size)),
                        make_link("bit", 2 * size, {0, 0, 0.2}, Sym3<double>::zero())},
                       {make_joint("a", "revolute", "base", "upper", {0, 1, 0}),
                        make_joint("spin", "continuous", "upper", "bit", {0, 0, 1}, {0.5, 0.2, 0})}};
    const Model singular = build(r);
    Data data(singular);
    const RandomState x = random_state(singular, 4);
    expect_words(message<SingularMassError>([&] { forward_dynamics(singular, data, x.q, x.v, x.tau); }), {"spin"});
    r.joints[1].rotor_inertia = {1e-5};
    const Model regular = build(r);
    Data other(regular);
    const Vector a = forward_dynamics(regular, other, x.q, x.v, x.tau);
    const Vector tau = inverse_dynamics(regular, other, x.q, x.v, a);
    EXPECT_TRUE(within(tau, x.tau, 1e-9, largest(x.tau) + size * largest(a)));  // the rotor is 1e-5 to 1e-8 of the rest
    EXPECT_THROW(forward_dynamics(regular, other, x.q, x.v, x.tau, {}, {false, true, true, false}), SingularMassError);
  }
}

TEST(ModelsWithoutCoordinates, GiveEmptyAnswers) {
  RobotDescription one{"rock", {make_link("rock", 3, {0.1, 0, 0}, Sym3<double>::diagonal(1, 1, 1))}, {}};
  RobotDescription two = one;
  two.links.push_back(make_link("moss", 1, {0, 0.2, 0}, Sym3<double>::diagonal(1, 1, 1)));
  two.joints.push_back(make_joint("root", "fixed", "rock", "moss", {0, 0, 1}, {1, 2, 3}));
  for (const RobotDescription& r : {one, two})
    for (const bool lump : {true, false}) {
      BuildOptions options;
      options.lump = lump;
      const Model m = build(r, options);
      ASSERT_EQ(m.nq(), 0);
      ASSERT_EQ(m.nv(), 0);
      Data d(m);
      const Vector none(0);
      EXPECT_EQ(inverse_dynamics(m, d, none, none, none).size(), 0);
      EXPECT_EQ(forward_dynamics(m, d, none, none, none).size(), 0);
      EXPECT_EQ(bias_forces(m, d, none, none).size(), 0);
      EXPECT_EQ(gravity_forces(m, d, none).size(), 0);
      EXPECT_EQ(mass_matrix(m, d, none).size(), 0);
      EXPECT_EQ(kinetic_energy(m, d, none, none), 0);
      EXPECT_EQ(potential_energy(m, d, none), 0);  // of moving bodies
      EXPECT_EQ(largest(eigen(centre_of_mass(m, d, none))), 0);
      Vector out(0);
      EXPECT_EQ(try_forward_dynamics(m, d, none, none, none, out), Status::ok);
      EXPECT_EQ(try_inverse_dynamics(m, d, none, none, none, out), Status::ok);
      TreeCholesky f(m);
      f.compute(d, none);
      f.solve(out);
      Matrix nothing(0, 0), J(6, 0), J3(3, 0);
      f.inverse(nothing);
      forward_kinematics(m, d, none, none, none);
      const std::string last = r.links.back().name;
      const FrameId frame = m.find_frame(last);
      for (const Reference in : k_references) {
        jacobian(m, d, frame, in, J);
        EXPECT_EQ(largest(six(frame_velocity(m, d, frame, in))), 0);
        EXPECT_EQ(largest(six(frame_acceleration(m, d, frame, AccelerationKind::classical, in))), 0);
        EXPECT_EQ(largest(six(frame_acceleration(m, d, frame, AccelerationKind::spatial, in, true)).tail(3)), 0);
        if (in != Reference::world) {
          EXPECT_DOUBLE_EQ(six(frame_acceleration(m, d, frame, AccelerationKind::spatial, in, true))(2), 9.81);
        }
      }
      jacobian_dot(m, d, none, none, frame, Reference::local, J);
      centre_of_mass_jacobian(m, d, none, J3);
      EXPECT_EQ(frame_pose(m, d, frame).p.z, r.links.size() == 2 ? 3 : 0);
      if (!lump && r.links.size() == 2) {  // the fixed joint carries the weight of what hangs on it
        inverse_dynamics(m, d, none, none, none);
        EXPECT_DOUBLE_EQ(joint_wrench(m, d, m.find_link("moss")).f.z, 9.81);
        EXPECT_NEAR(joint_wrench(m, d, m.find_link("moss")).n.x, 0.2 * 9.81, 1e-15);
      }
    }
}

}  // namespace
}  // namespace zwang::test
