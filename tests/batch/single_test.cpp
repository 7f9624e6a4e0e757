// SPDX-License-Identifier: BSD-3-Clause
// Every function of a Batch against the call for one state, on every robot and random trees: the same page runs with
// lanes full of states, so what differs is the rounding of other instructions (products that are fused or not).
//   all but forward dynamics    k_sweep * epsilon of the largest number of the row and of what is summed to it
//   forward dynamics, M^-1      1000 * epsilon * condition of M
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <functional>

#include "algorithm/cases.hpp"
#include "batch/arrays.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_sweep = 64;

double condition(const Eigen::MatrixXd& M) {
  if (M.rows() == 0) return 1;
  const Vector w = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return w(0) > 0 ? w(w.size() - 1) / w(0) : std::numeric_limits<double>::infinity();
}

/// Every function on a few states of one robot.
template <class T> class Compared {
 public:
  Compared(const Case& c, long states, std::uint64_t seed, Worst& worst)
      : c_(c),
        m_(c.model),
        n_(states),
        x_(random_states<T>(m_, states, seed)),
        batch_(m_, {.threads = 1}),
        data_(m_),
        worst_(worst),
        random_(seed) {
    effects_ = {random_.below(4) != 0, random_.below(4) != 0, random_.below(4) != 0, random_.below(2) != 0};
    frame_ = m_.find_frame(random_frame(c, random_));
    for (const ExternalWrench& e : random_wrenches(c, random_).external) {
      StateRows<T> w(n_, 6);
      for (long s = 0; s < n_; ++s) w.row(s) = random_.vector(6, 5).template cast<T>();
      wrench_.push_back(w);
      frames_.push_back(e);
    }
    for (std::size_t k = 0; k < frames_.size(); ++k) wrenches_.push_back({frames_[k].frame, wrench_[k], frames_[k].in});
    Eigen::MatrixXd M(m_.nv(), m_.nv());
    for (long s = 0; s < n_; ++s) {
      mass_matrix(m_, data_, x_.q_of(s), M, effects_);
      if (!effects_.armature && !(condition(M) < 1e8)) {  // parts of a composite joint that move alike
        effects_.armature = true;
        s = -1;
        continue;
      }
    }
    for (long s = 0; s < n_; ++s) {
      mass_matrix(m_, data_, x_.q_of(s), M, effects_);
      condition_.push_back(condition(M));
      mass_.push_back(largest(M));
      const Vector h = bias_forces(m_, data_, x_.q_of(s), x_.v_of(s), external(s), effects_);
      double terms =
          largest(h) + largest(M) * largest(x_.a_of(s)) + largest(Vector(gravity_forces(m_, data_, x_.q_of(s))));
      for (const ExternalWrench& e : external(s))
        for (int k = 0; k < 6; ++k) terms = std::max(terms, std::fabs(e.wrench[k]));
      force_.push_back(terms);
    }
  }
  Externals external(long s) const {
    Externals list = frames_;
    for (std::size_t k = 0; k < list.size(); ++k)
      for (int i = 0; i < 6; ++i) list[k].wrench[i] = static_cast<double>(wrench_[k](s, i));
    return list;
  }

  using One = std::function<Vector(long)>;
  using Scale = std::function<double(long)>;
  /// `got` by a call of the batch; one(s) by the call for one state.
  void expect(const std::string& name, const StateRows<T>& got, const One& one, const Scale& scale = {},
              const Scale& growth = {}) {
    for (long s = 0; s < n_; ++s) {
      // Beyond what T can tell from singular.
      if (growth && growth(s) * k_epsilon < T >> 1e-3 && batch_.report().status(s) == Status::singular_mass) continue;
      ASSERT_EQ(batch_.report().status(s), Status::ok) << name << ", condition " << (growth ? growth(s) : 1.0);
      const Vector expected = one(s), row = got.row(s).template cast<double>();
      const double size = std::max({largest(expected), scale ? scale(s) : 0.0, 1e-300});
      const double unit = size * k_epsilon<T> * (growth ? growth(s) : 1.0);
      const double error = expected.size() == 0 ? 0 : (row - expected).cwiseAbs().maxCoeff() / unit;
      worst_.see(name, error);
      EXPECT_LE(error, growth ? 1000 : k_sweep) << name << ", state " << s << " of " << c_.name;
      if (!(error <= (growth ? 1000 : k_sweep))) return;
    }
  }

  void dynamics() {
    const Index nv = m_.nv();
    StateRows<T> f(n_, nv), M(n_, nv * nv), e(n_, 1);
    const Scale forces = [this](long s) { return force_[static_cast<std::size_t>(s)]; };
    const Scale kappa = [this](long s) { return condition_[static_cast<std::size_t>(s)]; };
    batch_.inverse_dynamics(x_.q, x_.v, x_.a, f, effects_, wrenches_);
    expect(
        "inverse_dynamics", f,
        [&](long s) {
          return Vector(inverse_dynamics(m_, data_, x_.q_of(s), x_.v_of(s), x_.a_of(s), external(s), effects_));
        },
        forces);
    batch_.bias_forces(x_.q, x_.v, f, effects_, wrenches_);
    expect(
        "bias_forces", f,
        [&](long s) { return Vector(bias_forces(m_, data_, x_.q_of(s), x_.v_of(s), external(s), effects_)); }, forces);
    batch_.gravity_forces(x_.q, f);
    expect("gravity_forces", f, [&](long s) { return Vector(gravity_forces(m_, data_, x_.q_of(s))); });
    batch_.forward_dynamics(x_.q, x_.v, x_.tau, f, effects_, wrenches_);
    const Scale motion = [this](long s) {
      const std::size_t k = static_cast<std::size_t>(s);
      return (force_[k] + 10) / std::max(mass_[k], 1e-300);
    };
    expect(
        "forward_dynamics", f,
        [&](long s) {
          return Vector(forward_dynamics(m_, data_, x_.q_of(s), x_.v_of(s), x_.tau_of(s), external(s), effects_));
        },
        motion, kappa);
    batch_.mass_matrix(x_.q, M, effects_);
    const auto matrix = [&](long s) {
      Eigen::MatrixXd one(nv, nv);
      mass_matrix(m_, data_, x_.q_of(s), one, effects_);
      return one;
    };
    expect("mass_matrix", M, [&](long s) { return Vector(matrix(s).reshaped()); });
    batch_.mass_matrix_inverse(x_.q, M, effects_);
    TreeCholesky factor(m_);
    expect(
        "mass_matrix_inverse", M,
        [&](long s) { return Vector(matrix(s).llt().solve(Eigen::MatrixXd::Identity(nv, nv)).reshaped()); }, {}, kappa);
    batch_.mass_matrix_solve(x_.q, x_.tau, f, effects_);
    expect(
        "mass_matrix_solve", f, [&](long s) { return Vector(matrix(s).llt().solve(x_.tau_of(s))); }, {}, kappa);
    batch_.kinetic_energy(x_.q, x_.v, e, effects_);
    expect("kinetic_energy", e,
           [&](long s) { return Vector::Constant(1, kinetic_energy(m_, data_, x_.q_of(s), x_.v_of(s), effects_)); });
    batch_.potential_energy(x_.q, e, effects_);
    double weight = 0;  // terms of the sum
    for (const LinkDescription& l : links_of(c_)) weight += l.mass * 20;
    expect(
        "potential_energy", e,
        [&](long s) { return Vector::Constant(1, potential_energy(m_, data_, x_.q_of(s), effects_)); },
        [&](long) { return weight; });
  }

  void motion() {
    const Index nv = m_.nv();
    StateRows<T> pose(n_, 16), six(n_, 6), J(n_, 6 * nv), centre(n_, 9), J3(n_, 3 * nv);
    batch_.frame_pose(x_.q, frame_, pose);
    expect("frame_pose", pose, [&](long s) {
      forward_kinematics(m_, data_, x_.q_of(s));
      Vector x = Vector::Zero(16);
      const Eigen::Matrix<double, 3, 4> X = eigen(frame_pose(m_, data_, frame_));
      for (int k = 0; k < 12; ++k) x(k) = X(k / 4, k % 4);
      x(15) = 1;
      return x;
    });
    std::vector<FrameId> frames = {frame_};
    for (const Frame& f : m_.frames()) frames.push_back(m_.find_frame(f.name));
    StateRows<T> poses(n_, 16 * static_cast<Eigen::Index>(frames.size()));
    batch_.frame_poses(x_.q, frames, poses);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      batch_.frame_pose(x_.q, frames[f], pose);
      EXPECT_EQ(poses.middleCols(16 * static_cast<Eigen::Index>(f), 16), pose) << m_.frames()[f == 0 ? 0 : f - 1].name;
    }
    for (const Reference in : k_references) {
      const Scale far = [&](long s) {  // seen from the world's origin, parts of the size of the frame's lever cancel
        forward_kinematics(m_, data_, x_.q_of(s), x_.v_of(s), x_.a_of(s));
        return 1 + largest(six_of(frame_velocity(m_, data_, frame_, in)));
      };
      batch_.frame_velocity(x_.q, x_.v, frame_, six, in);
      expect(
          "frame_velocity", six,
          [&](long s) {
            forward_kinematics(m_, data_, x_.q_of(s), x_.v_of(s));
            return six_of(frame_velocity(m_, data_, frame_, in));
          },
          far);
      for (const AccelerationKind kind : {AccelerationKind::spatial, AccelerationKind::classical})
        for (const bool gravity : {false, true}) {
          batch_.frame_acceleration(x_.q, x_.v, x_.a, frame_, six, kind, in, gravity);
          expect(
              "frame_acceleration", six,
              [&](long s) {
                forward_kinematics(m_, data_, x_.q_of(s), x_.v_of(s), x_.a_of(s));
                return six_of(frame_acceleration(m_, data_, frame_, kind, in, gravity));
              },
              [](long) { return 10.0; });  // gravity is taken off again
        }
      const auto by_rows = [&](const Eigen::MatrixXd& x) { return Vector(Eigen::MatrixXd(x.transpose()).reshaped()); };
      batch_.jacobian(x_.q, frame_, in, J);
      expect("jacobian", J, [&](long s) {
        Eigen::MatrixXd one(6, nv);
        forward_kinematics(m_, data_, x_.q_of(s));
        jacobian(m_, data_, frame_, in, one);
        return by_rows(one);
      });
      batch_.jacobian_dot(x_.q, x_.v, frame_, in, J);
      expect(
          "jacobian_dot", J,
          [&](long s) {
            Eigen::MatrixXd one(6, nv);
            jacobian_dot(m_, data_, x_.q_of(s), x_.v_of(s), frame_, in, one);
            return by_rows(one);
          },
          [](long) { return 1.0; });
    }
    batch_.centre_of_mass(x_.q, x_.v, x_.a, centre);
    expect(
        "centre_of_mass", centre,
        [&](long s) {
          const Vec3<double> p = centre_of_mass(m_, data_, x_.q_of(s));
          forward_kinematics(m_, data_, x_.q_of(s), x_.v_of(s), x_.a_of(s));
          const Vec3<double> v = centre_of_mass_velocity(m_, data_), a = centre_of_mass_acceleration(m_, data_);
          Vector x(9);
          x << eigen(p), eigen(v), eigen(a);
          return x;
        },
        [](long) { return 1.0; });
    batch_.centre_of_mass_jacobian(x_.q, J3);
    expect("centre_of_mass_jacobian", J3, [&](long s) {
      Eigen::MatrixXd one(3, nv);
      centre_of_mass_jacobian(m_, data_, x_.q_of(s), one);
      return Vector(Eigen::MatrixXd(one.transpose()).reshaped());
    });
    StateRows<T> moved(n_, m_.nq()), step(n_, nv);
    batch_.integrate(x_.q, x_.v, moved);
    expect("integrate", moved, [&](long s) { return integrate(m_, x_.q_of(s), x_.v_of(s)); });
    batch_.difference(x_.q, moved, step);
    expect(
        "difference", step,
        [&](long s) { return difference(m_, x_.q_of(s), Vector(moved.row(s).template cast<double>())); },
        [](long) { return 4.0; });  // angles of turns: quotients of numbers up to 1 beside pi
  }

 private:
  static Vector six_of(const Motion<double>& m) { return six(m); }
  static std::vector<LinkDescription> links_of(const Case& c) {
    std::vector<LinkDescription> out;
    for (const reference::RigidLink& l : c.reference.links()) {
      out.emplace_back();
      out.back().mass = static_cast<double>(l.mass);
    }
    return out;
  }
  const Case& c_;
  const Model& m_;
  long n_;
  States<T> x_;
  BasicBatch<T> batch_;
  Data data_;
  Worst& worst_;
  Random random_;
  JointEffects effects_;
  FrameId frame_;
  Externals frames_;
  std::vector<StateRows<T>> wrench_;
  BatchWrenches<T> wrenches_;
  std::vector<double> condition_, mass_, force_;
};

template <class T> class BatchOf : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchOf, Numbers);

TYPED_TEST(BatchOf, RandomTreesIsTheCallForOneState) {
  Worst worst;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(60)); ++seed) {
    const Case c = random_case(seed);
    SCOPED_TRACE(c.name);
    Compared<TypeParam> x(c, 2 + static_cast<long>(seed % 17), seed, worst);
    x.dynamics();
    x.motion();
  }
  worst.record("eps");
}

TYPED_TEST(BatchOf, RealRobotsIsTheCallForOneState) {
  Worst worst;
  for (const RobotFile& f : robot_files()) {
    const Case c = load_case(f);
    SCOPED_TRACE(c.name);
    Compared<TypeParam> x(c, 5, 3, worst);
    x.dynamics();
    x.motion();
  }
  worst.record("eps");
}

}  // namespace
}  // namespace zwang::test
