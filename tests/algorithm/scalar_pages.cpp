// SPDX-License-Identifier: BSD-3-Clause
// What the tests of all scalars are held against: the public calls in double (algorithm/scalar_pages.hpp).
#include "algorithm/scalar_pages.hpp"

#include <Eigen/Eigenvalues>

#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {

namespace {
Case make(std::uint64_t seed) {
  return Case(random_description(seed, 18, seed % 2 ? "floating" : "fixed"), {}, "seed " + std::to_string(seed));
}
double condition_of(const Model& m) {
  double worst = 1;
  for (std::uint64_t k = 0; k < 20; ++k) {
    Data d(m);
    const Eigen::MatrixXd M = mass_matrix(m, d, random_state(m, k).q);
    const Eigen::VectorXd w = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
    worst = std::max(worst, w(0) > 0 ? w(w.size() - 1) / w(0) : 1e300);
  }
  return worst;
}
constexpr JointEffects k_rotors_alone{true, false, false, false};
}  // namespace

std::vector<std::uint64_t> scalar_seeds(int count) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; static_cast<int>(seeds.size()) < count; ++seed)
    if (condition_of(make(seed).model) < 1e4) seeds.push_back(seed);
  return seeds;
}

ScalarCase::ScalarCase(std::uint64_t seed)
    : c(make(seed)),
      set(c.model),
      frame(c.model.links().back().name),
      condition(condition_of(c.model)) {
  const std::string other = c.model.links()[c.model.links().size() / 2].name;
  set.add(FrameConstraint{.name = "middle", .frame = other, .rows = rows("linear.x"), .in = "local", .beta = {0.7}});
  set.add(FrameConstraint{.name = "tool",
                          .frame = frame,
                          .rows = rows("linear.y angular.z"),
                          .in = "local_world_aligned",
                          .beta = {0.3, -0.4},
                          .acceleration = AccelerationKind::spatial});
}

Moving random_moving(const Model& m, std::uint64_t seed) {
  Random r(seed + 9);
  const Eigen::VectorXd dq = r.vector(m.nv()), dv = r.vector(m.nv()), da = r.vector(m.nv());
  return {random_state(m, seed), dq, dv, da, r.vector(m.nv(), 5)};
}
Moving moved(const Model& m, const Moving& s, double h) {
  if (h == 0) return s;
  Moving x = s;
  x.x = {integrate(m, s.x.q, h * s.dq), s.x.v + h * s.dv, s.x.a + h * s.da, s.x.tau + h * s.dtau};
  return x;
}

Outputs<double> double_outputs(const ScalarCase& c, const RandomState& x) {
  const Model& m = c.c.model;
  Data d(m);
  Outputs<double> out;
  const auto put = [&](const char* name, const auto& y) {
    const Eigen::MatrixXd z = y;
    out[name] = std::vector<double>(z.data(), z.data() + z.size());
  };
  const FrameId f = m.find_frame(c.frame);
  forward_kinematics(m, d, x.q, x.v, x.a);
  put("frame position", eigen(frame_pose(m, d, f).p));
  put("frame velocity", six(frame_velocity(m, d, f, Reference::local)));
  put("frame acceleration", six(frame_acceleration(m, d, f, AccelerationKind::spatial, Reference::local)));
  put("its velocity", eigen(centre_of_mass_velocity(m, d)));
  put("its acceleration", eigen(centre_of_mass_acceleration(m, d)));
  put("centre of mass", eigen(centre_of_mass(m, d, x.q)));
  out["kinetic energy"] = {kinetic_energy(m, d, x.q, x.v, k_rotors_alone)};
  out["potential energy"] = {potential_energy(m, d, x.q, k_rotors_alone)};
  Eigen::MatrixXd J(6, m.nv()), J3(3, m.nv()), inverse(m.nv(), m.nv()), M(m.nv(), m.nv());
  jacobian_dot(m, d, x.q, x.v, f, Reference::local_world_aligned, J);
  put("Jdot", J);
  jacobian(m, d, f, Reference::local, J);
  put("J", J);
  centre_of_mass_jacobian(m, d, x.q, J3);
  put("J of centre", J3);
  put("tau", inverse_dynamics(m, d, x.q, x.v, x.a, {}, k_rotors_alone));
  mass_matrix(m, d, x.q, M, k_rotors_alone);
  put("M", M);
  TreeCholesky factor(m);
  factor.compute(d, x.q);
  Eigen::VectorXd y = x.tau;
  factor.solve(y);
  put("M^-1 tau", y);
  factor.inverse(inverse);
  put("M^-1", inverse);
  put("a", forward_dynamics(m, d, x.q, x.v, x.tau, {}, k_rotors_alone));
  Solver solver(m, c.set, {.joint_effects = k_rotors_alone});
  const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
  EXPECT_EQ(s.report.rank, 3);
  put("constrained a", s.acceleration);
  for (const Constraint& k : c.set.constraints()) put(("lambda of " + k.name).c_str(), s[k.name].multipliers);
  return out;
}

}  // namespace zwang::test
