// SPDX-License-Identifier: BSD-3-Clause
// Every term of the one sweep is what the call of its name gives, which other
// tests hold against laws and the reference.
#include "zwang/algorithm/all_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/held.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

TEST(AllTerms, AreWhatTheCallsOfTheirNamesGive) {
  for_cases(120, [](Held& h) {
    AllTerms x(h.m);
    Data other(h.m);
    for (const JointEffects& e : {JointEffects{}, JointEffects{false, true, false, true}}) {
      all_terms(h.m, h.data, h.x.q, h.x.v, x, e);
      const auto same = [&](const auto& got, const Eigen::MatrixXd& expected, const char* name) {
        const double size = expected.size() > 0 ? expected.cwiseAbs().maxCoeff() : 0.0;
        EXPECT_TRUE(within(Eigen::MatrixXd(got), expected, k_sweep, size + 1)) << name;
      };
      same(x.mass_matrix(), mass_matrix(h.m, other, h.x.q, e), "M");
      same(x.coriolis_matrix(), coriolis_matrix(h.m, other, h.x.q, h.x.v), "C");
      same(x.gravity_forces(), gravity_forces(h.m, other, h.x.q), "g");
      const Eigen::VectorXd bias = bias_forces(h.m, other, h.x.q, h.x.v, {}, e);
      const double velocity = static_cast<double>(h.nv) * largest(x.coriolis_matrix()) * (largest(h.x.v) + 1);
      EXPECT_TRUE(within(Eigen::VectorXd(x.bias_forces()), bias, k_sweep, largest(bias) + velocity + 1));
      same(x.centroidal_map(), centroidal_map(h.m, other, h.x.q), "A");
      same(x.centre_of_mass.eigen(), centre_of_mass(h.m, other, h.x.q).eigen(), "c");
      same(x.centre_of_mass_velocity.eigen(), centre_of_mass_velocity(h.m, other, h.x.q, h.x.v).eigen(), "dc/dt");
      EXPECT_NEAR(x.kinetic_energy, kinetic_energy(h.m, other, h.x.q, h.x.v, e), k_sweep * (x.kinetic_energy + 1));
      EXPECT_NEAR(x.potential_energy, potential_energy(h.m, other, h.x.q, e),
                  k_sweep * (std::fabs(x.potential_energy) + 100));
      // A frame's Jacobian is the columns of its support, where no coordinate moves it twice.
      if (h.data.tree().mimic) continue;
      const FrameId frame = h.m.links().back().frame;
      Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, h.nv);
      for (const Index k : support(h.m, frame)) J.col(k) = x.columns().col(k);
      EXPECT_TRUE(within(J, jacobian(h.m, other, h.x.q, frame, Reference::world), k_sweep, largest(J) + 1));
      EXPECT_TRUE(within(frame_velocity(h.m, h.data, frame, Reference::world).eigen(), J * h.x.v, k_sweep,
                         (largest(J) + 1) * (largest(h.x.v) + 1) * static_cast<double>(h.nv)))
          << "the stages are filled";
    }
  });
}

TEST(AllTerms, RefuseWrongArguments) {
  const Case c = random_case(5, 6), other = random_case(6, 9);
  Data data(c.model);
  AllTerms x(c.model), foreign(other.model);
  const RandomState s = random_state(c.model, 1);
  EXPECT_THROW(all_terms(c.model, data, s.q.head(1), s.v, x), std::invalid_argument);
  EXPECT_THROW(all_terms(c.model, data, s.q, s.v.head(1), x), std::invalid_argument);
  if (other.model.nv() != c.model.nv()) {
    EXPECT_THROW(all_terms(c.model, data, s.q, s.v, foreign), std::invalid_argument);
  }
  EXPECT_THROW(all_terms(c.model, data, s.q, Eigen::VectorXd::Constant(c.model.nv(), std::nan("")), x),
               std::invalid_argument);
  const Eigen::VectorXd huge = Eigen::VectorXd::Constant(c.model.nv(), 1e200);
  EXPECT_THROW(all_terms(c.model, data, s.q, huge, x), ArithmeticOverflowError);
}

}  // namespace
}  // namespace zwang::test
