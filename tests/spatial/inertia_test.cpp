// SPDX-License-Identifier: BSD-3-Clause
// Rigid and articulated inertias against dense 6x6 matrices: moved, added, reduced, applied, on every scalar.
#include "dense.hpp"

namespace zwang::test {
namespace {

constexpr int k_rounds = 40;
constexpr long double k_tolerance = 64;  // roundings: each entry is a sum of at most 36 products

template <class S> struct Inertias : ::testing::Test { Draw<S> draw{31}; };
TYPED_TEST_SUITE(Inertias, AllScalars);

TYPED_TEST(Inertias, CongruenceAndPointInertiaAreTheDenseProducts) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Mat3<S> R = this->draw.matrix();
    const Sym3<S> A = this->draw.symmetric();
    const Vec3<S> r = this->draw.vector(), h = this->draw.vector();
    const S m = this->draw.number();
    expect_equal(dense(congruence(R, A)), dense(R) * dense(A) * transposed(dense(R)), k_tolerance, 8);
    const Dense<S, 3, 3> rr = cross_matrix(r) * cross_matrix(r);
    expect_equal(dense(point_inertia(m, r)), combine(Dense<S, 3, 3>{}, S(-m), rr), k_tolerance, 4);
    const Vec3<S> k = h + r * m;
    const auto rh = cross_matrix(r) * cross_matrix(h), kr = cross_matrix(k) * cross_matrix(r);
    const auto moved = combine(combine(dense(A), S(-1), rh), S(-1), kr);
    expect_equal(dense(shifted(A, r, h, k)), moved, k_tolerance, 8);
    // Parallel outer products leave a symmetric matrix symmetric.
    const Vec3<S> scaled = r * h.x;
    const auto outer = column(scaled) * transposed(column(r));
    Sym3<S> Y = A;
    subtract_outer(Y, scaled, r);
    expect_equal(dense(Y), combine(dense(A), S(-1), outer), k_tolerance);
    const Sym3<S> B = this->draw.symmetric();
    Y = B;
    add_minus_outer(Y, A, scaled, r);
    expect_equal(dense(Y), combine(combine(dense(B), S(1), dense(A)), S(-1), outer), k_tolerance);
    expect_equal(dense(A + B), combine(dense(A), S(1), dense(B)), k_tolerance);
    expect_equal(dense(A - B), combine(dense(A), S(-1), dense(B)), k_tolerance);
  }
}

TYPED_TEST(Inertias, ActsOnMotionsAsItsMatrix) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Inertia<S> I = this->draw.inertia();
    const ArticulatedInertia<S> A = this->draw.articulated_inertia();
    const Motion<S> x = this->draw.motion();
    expect_equal(column6(I * x), inertia_matrix(I) * column6(x), k_tolerance, 8);
    expect_equal(column6(A * x), inertia_matrix(A) * column6(x), k_tolerance, 8);
    expect_equal(inertia_matrix(articulated(I)), inertia_matrix(I), k_tolerance);
  }
}

TYPED_TEST(Inertias, MovedIsTheCongruenceOfItsMatrixAndKeepsTheEnergy) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Inertia<S> I = this->draw.inertia();
    const Transform<S> X = this->draw.pose(), Y = this->draw.pose();
    const Motion<S> v = this->draw.motion();
    const Dense<S, 6, 6> F = force_matrix(X);
    expect_equal(inertia_matrix(X * I), F * inertia_matrix(I) * transposed(F), k_tolerance, 64);
    expect_equal(inertia_matrix((X * Y) * I), inertia_matrix(X * (Y * I)), k_tolerance, 128);
    expect_equal(column6((X * I) * (X * v)), column6(X * (I * v)), k_tolerance, 256);
    Dense<S, 1, 1> here, there;
    here(0, 0) = dot(v, I * v);
    there(0, 0) = dot(X * v, (X * I) * (X * v));
    expect_equal(there, here, k_tolerance, 1024);
  }
}

TYPED_TEST(Inertias, FollowTheParallelAxisTheorem) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const S m = this->draw.number() + Uniform<S>(2);
    const Vec3<S> c = this->draw.vector(2), p = this->draw.vector(2);
    const Sym3<S> I_c = this->draw.symmetric();
    const Inertia<S> I = from_centre(m, c, I_c);
    expect_equal(column(I.h), combine(Dense<S, 3, 1>{}, m, column(c)), k_tolerance);
    // I = I_c + m (|c|^2 1 - c c^T)
    Dense<S, 3, 3> steiner = column(c) * transposed(column(c));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) steiner(i, j) = m * (i == j ? dot(c, c) - steiner(i, j) : -steiner(i, j));
    expect_equal(dense(I.I), combine(dense(I_c), S(1), steiner), k_tolerance, 32);
    // Moved without turning, it is the body whose centre lies at p + c.
    const Transform<S> shift{Mat3<S>::identity(), p};
    expect_equal(inertia_matrix(shift * I), inertia_matrix(from_centre(m, Vec3<S>(p + c), I_c)), k_tolerance, 64);
  }
}

TYPED_TEST(Inertias, AddAsTheirMatricesDo) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    Inertia<S> I = this->draw.inertia();
    const Inertia<S> J = this->draw.inertia();
    const auto sum = combine(inertia_matrix(I), S(1), inertia_matrix(J));
    expect_equal(inertia_matrix(I + J), sum, k_tolerance, 4);
    I += J;
    expect_equal(inertia_matrix(I), sum, k_tolerance, 4);
    ArticulatedInertia<S> A = this->draw.articulated_inertia();
    const ArticulatedInertia<S> B = this->draw.articulated_inertia();
    const auto both = combine(inertia_matrix(A), S(1), inertia_matrix(B));
    A += B;
    expect_equal(inertia_matrix(A), both, k_tolerance, 4);
  }
}

TYPED_TEST(Inertias, LoseARankOneTermAsTheirMatricesDo) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const ArticulatedInertia<S> A = this->draw.articulated_inertia(), Y = this->draw.articulated_inertia();
    const Force<S> U = this->draw.force();
    const S d = this->draw.number();
    const Force<S> G = U * d;
    const auto outer = column6(G) * transposed(column6(U));
    ArticulatedInertia<S> B = A;
    subtract_outer(B, G, U);
    expect_equal(inertia_matrix(B), combine(inertia_matrix(A), S(-1), outer), k_tolerance, 8);
    B = Y;
    add_minus_outer(B, A, G, U);
    const auto sum = combine(inertia_matrix(Y), S(1), inertia_matrix(A));
    expect_equal(inertia_matrix(B), combine(sum, S(-1), outer), k_tolerance, 8);
  }
}

// The use that subtract_outer is made for: with a joint along S free, the force on the parent does no work on S.
TYPED_TEST(Inertias, OfAYieldingJointGiveNoForceAlongIt) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    Inertia<S> I = from_centre(this->draw.number() + Uniform<S>(2), this->draw.vector(),
                               Sym3<S>::diagonal(S(Uniform<S>(0.7)), S(Uniform<S>(0.8)), S(Uniform<S>(0.9))));
    const Motion<S> axis{this->draw.vector(), this->draw.vector()}, a = this->draw.motion();
    ArticulatedInertia<S> A = articulated(I);
    const Force<S> U = A * axis;
    const S D = dot(axis, U) + Uniform<S>(0);
    const Force<S> G = U * S(Uniform<S>(1) / D);
    subtract_outer(A, G, U);
    Dense<S, 1, 1> work;
    work(0, 0) = dot(axis, A * a);
    long double smallest = 1;  // the division loses what the joint's own inertia is small
    for (int lane = 0; lane < lanes_of<S>; ++lane) smallest = std::min(smallest, Lanes<S>::value(D, lane));
    expect_equal(work, Dense<S, 1, 1>{}, k_tolerance, 64 / (smallest * smallest));
  }
}

}  // namespace
}  // namespace zwang::test
