// SPDX-License-Identifier: BSD-3-Clause
// The pages on complex and dual numbers: their derivatives against central differences, against each other, and
// against a law.
#include "algorithm/scalar_pages.hpp"

namespace zwang::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // one scalar: instrumenting takes minutes
using Other = Dual<double>;
#else
using Other = std::complex<double>;
#endif

TEST(PagesOnComplexNumbers, DifferentiateByTheComplexStep) {
  for (const std::uint64_t seed : scalar_seeds(effort(6))) expect_scalar_like_double<Other>(seed, 60);
}

TEST(PagesOnDualNumbers, DifferentiateForward) {
  for (const std::uint64_t seed : scalar_seeds(effort(6))) expect_scalar_like_double<Dual<double>>(seed, 60);
}

/// d(T + V)/dt and tau.v on a motion with velocity v and acceleration a, from one evaluation on S.
template <class S> void on_the_way(const ScalarCase& c, const RandomState& x, std::vector<S>& tau, S& energy) {
  const Model& m = c.c.model;
  const std::size_t nv = static_cast<std::size_t>(m.nv());
  std::vector<S> q(static_cast<std::size_t>(m.nq())), dq(nv), v(nv), a(nv);
  for (Index i = 0; i < m.nq(); ++i) Lanes<S>::set(q[static_cast<std::size_t>(i)], 0, x.q(i), 0);
  for (Index i = 0; i < m.nv(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    Lanes<S>::set(dq[k], 0, 0, x.v(i));
    Lanes<S>::set(v[k], 0, x.v(i), x.a(i));
    Lanes<S>::set(a[k], 0, x.a(i), 0);
  }
  page::integrate(m.tree<Uniform<S>>(), q.data(), dq.data(), q.data());
  const Outputs<S> out = page_outputs(c, q, v, a, a);
  tau = out.at("tau");
  energy = out.at("kinetic energy")[0] + out.at("potential energy")[0];
}

TEST(PowerBalance, HoldsToRoundingOnComplexAndDualNumbers) {
  for (const std::uint64_t seed : scalar_seeds(effort(20))) {
    const ScalarCase c(seed);
    SCOPED_TRACE(c.c.name);
    const RandomState x = random_state(c.c.model, seed);
    std::vector<Other> by_step;
    std::vector<Dual<double>> forward;
    Other E;
    Dual<double> F;
    on_the_way(c, x, by_step, E);
    on_the_way(c, x, forward, F);
    double power = 0, scale = 1;
    for (std::size_t k = 0; k < forward.size(); ++k) {
      const double p = forward[k].v * x.v(static_cast<Eigen::Index>(k));
      power += p;
      scale += std::fabs(p);
      const double slope = forward[k].d;  // two ways to the same derivative, of rounding alone
      EXPECT_NEAR(static_cast<double>(Lanes<Other>::derivative(by_step[k], 0)), slope,
                  500 * k_eps * (10 + std::fabs(slope) + std::fabs(forward[k].v)));
    }
    EXPECT_NEAR(F.d, power, 2000 * k_eps * scale);
    EXPECT_NEAR(static_cast<double>(Lanes<Other>::derivative(E, 0)), power, 2000 * k_eps * scale);
  }
}

}  // namespace
}  // namespace zwang::test
