// SPDX-License-Identifier: BSD-3-Clause
// Where a state stands in a batch, how its numbers lie in memory and how many threads there are changes not one bit of
// its results; nothing is written beside them.
#include <gtest/gtest.h>

#include "batch/arrays.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchPlaces : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchPlaces, Numbers);

/// Robots whose rows are shorter and longer than a register, with and without quaternions, mimics and several roots.
std::vector<Model> robots() {
  std::vector<Model> all{build(sample("cart_pole")), build(sample("gripper")), build(sample("zoo")),
                         build(sample("quadruped"), {.root = "floating"})};
  RandomRobot options;
  options.joints = 1;
  options.types = {"continuous"};
  all.push_back(build(random_robot(3, options)));
  options.types = {"revolute"};
  all.push_back(build(random_robot(4, options)));
  return all;
}

/// Outputs of one call each: forces, accelerations, a matrix, a pose, a sum, moved configurations.
template <class T> struct Results {
  Results(const Model& m, long n)
      : tau(n, m.nv()),
        a(n, m.nv()),
        M(n, m.nv() * m.nv()),
        J(n, 6 * m.nv()),
        pose(n, 16),
        energy(n, 1),
        moved(n, m.nq()) {}
  StateRows<T> tau, a, M, J, pose, energy, moved;
  void compute(BasicBatch<T>& b, const StatesIn<T>& q, const StatesIn<T>& v, const StatesIn<T>& u,
               const BatchWrenches<T>& external) {
    const FrameId tip = b.model().links().back().frame;
    b.inverse_dynamics(q, v, u, tau, {}, external);
    b.forward_dynamics(q, v, u, a, {}, external);
    b.mass_matrix(q, M);
    b.jacobian_dot(q, v, tip, Reference::local, J);
    b.frame_pose(q, tip, pose);
    b.kinetic_energy(q, v, energy);
    b.integrate(q, v, moved);
  }
  void expect_rows(const Results& all, long first, const std::string& what) const {
    const long n = tau.rows();
    EXPECT_TRUE(same_bits(tau, all.tau.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(a, all.a.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(M, all.M.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(J, all.J.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(pose, all.pose.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(energy, all.energy.middleRows(first, n))) << what;
    EXPECT_TRUE(same_bits(moved, all.moved.middleRows(first, n))) << what;
  }
};

TYPED_TEST(BatchPlaces, ThreadsSizesAndPlacesAreOneResult) {
  using T = TypeParam;
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const long n = 1000;
    const States<T> x = random_states<T>(m, n, 5);
    StateRows<T> w(n, 6);
    Random random(9);
    for (long s = 0; s < n; ++s) w.row(s) = random.vector(6).template cast<T>();
    const FrameId tip = m.links().back().frame;
    BasicBatch<T> batch(m, {.threads = 1});
    Results<T> all(m, n);
    all.compute(batch, x.q, x.v, x.tau, {{tip, w, Reference::world}});
    EXPECT_TRUE(batch.report().good());
    for (const int threads : {2, 3, 7}) {
      BasicBatch<T> other(m, {.threads = threads});
      EXPECT_EQ(other.threads(), threads);
      Results<T> again(m, n);
      again.compute(other, x.q, x.v, x.tau, {{tip, w, Reference::world}});
      again.expect_rows(all, 0, std::to_string(threads) + " threads");
    }
    for (long size = 1; size <= 70; ++size) {
      const long first = (size * 37) % (n - size);
      const StateRows<T> q = x.q.middleRows(first, size), v = x.v.middleRows(first, size),
                         u = x.tau.middleRows(first, size), f = w.middleRows(first, size);
      Results<T> some(m, size);
      some.compute(batch, q, v, u, {{tip, f, Reference::world}});
      some.expect_rows(all, first, std::to_string(size) + " states from " + std::to_string(first));
    }
  }
}

constexpr double k_guard = -77.25;

/// An n x size block of a matrix with guards on all sides.
template <class T> struct Padded {
  Padded(long n, long size, long left = 2, long right = 3)
      : n_(n),
        size_(size),
        left_(left),
        all(StateRows<T>::Constant(n + 4, left + size + right, T(k_guard))) {}
  auto block() { return all.block(2, left_, n_, size_); }
  bool untouched() const {
    for (long r = 0; r < all.rows(); ++r)
      for (long c = 0; c < all.cols(); ++c)
        if ((r < 2 || r >= n_ + 2 || c < left_ || c >= left_ + size_) && all(r, c) != T(k_guard)) return false;
    return true;
  }
  long n_, size_, left_;
  StateRows<T> all;
};

TYPED_TEST(BatchPlaces, RowsTilesAndPaddingAreOneResult) {
  using T = TypeParam;
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    for (const long n : {1L, 3L, 8L, 31L, 32L, 33L, 75L}) {
      const States<T> x = random_states<T>(m, n, 5);
      BasicBatch<T> batch(m, {.threads = 2});
      StateRows<T> tau(n, m.nv()), energy(n, 1), pose(n, 16), M(n, m.nv() * m.nv());
      const FrameId tip = m.links().back().frame;
      batch.inverse_dynamics(x.q, x.v, x.a, tau);
      batch.kinetic_energy(x.q, x.v, energy);
      batch.frame_pose(x.q, tip, pose);
      batch.mass_matrix(x.q, M);

      Padded<T> q(n, m.nq()), v(n, m.nv()), a(n, m.nv()), f(n, m.nv()), e(n, 1), p(n, 16), mass(n, m.nv() * m.nv());
      q.block() = x.q, v.block() = x.v, a.block() = x.a;
      const StatesIn<T> q_in(q.block()), v_in(v.block()), a_in(a.block());
      batch.inverse_dynamics(q_in, v_in, a_in, StatesOut<T>(f.block()));
      batch.kinetic_energy(q_in, v_in, StatesOut<T>(e.block()));
      batch.frame_pose(q_in, tip, StatesOut<T>(p.block()));
      batch.mass_matrix(q_in, StatesOut<T>(mass.block()));
      EXPECT_TRUE(same_bits(f.block(), tau) && same_bits(e.block(), energy) && same_bits(p.block(), pose) &&
                  same_bits(mass.block(), M))
          << n;
      EXPECT_TRUE(f.untouched() && e.untouched() && p.untouched() && mass.untouched()) << n;
      Padded<T> none(n, 0);  // a block without columns is not written either
      EXPECT_THROW(batch.gravity_forces(q_in, StatesOut<T>(none.block())), std::invalid_argument);

      const StateTiles<T> q_tiles = tiles_of(x.q), v_tiles = tiles_of(x.v), a_tiles = tiles_of(x.a);
      StateTiles<T> f_tiles(n, m.nv()), M_tiles(n, m.nv() * m.nv());
      for (long k = 0; k < (n + 31) / 32 * 32 * m.nv(); ++k) f_tiles.data()[k] = T(k_guard);
      batch.inverse_dynamics(q_tiles, v_tiles, a_tiles, f_tiles);
      batch.mass_matrix(q_tiles, M_tiles);
      EXPECT_TRUE(same_bits(rows_of(f_tiles), tau) && same_bits(rows_of(M_tiles), M)) << n;
      for (long s = n; s < (n + 31) / 32 * 32; ++s)  // places that belong to nobody
        for (Index k = 0; k < m.nv(); ++k) EXPECT_EQ(f_tiles(s, k), T(k_guard));

      // Column after column, and from a map.
      using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
      const Columns columns = x.q;
      Columns f_columns = Columns::Constant(n + 2, m.nv(), T(k_guard));
      const Eigen::Map<const StateRows<T>> mapped(x.a.data(), n, m.nv());
      batch.inverse_dynamics(columns, v_tiles, mapped, f_columns.topRows(n));
      EXPECT_TRUE(same_bits(f_columns.topRows(n), tau)) << n;
      EXPECT_TRUE((f_columns.bottomRows(2).array() == T(k_guard)).all());
    }
  }
}

/// A view of a vector that is gone at the end of the line is refused where it is compiled.
template <class X>
concept MayHoldForAll = requires(X&& x) {
  StatesIn<double>::for_all(std::forward<X>(x));
};
static_assert(MayHoldForAll<const Eigen::VectorXd&> && MayHoldForAll<Eigen::Map<const Eigen::VectorXd>>);
static_assert(!MayHoldForAll<Eigen::VectorXd> && !MayHoldForAll<decltype(Eigen::VectorXd() + Eigen::VectorXd())>);

TYPED_TEST(BatchPlaces, OneRowForAllAndNothingGiven) {
  using T = TypeParam;
  for (const Model& m : robots()) {
    SCOPED_TRACE(m.name());
    const long n = 41;
    const States<T> x = random_states<T>(m, n, 8);
    BasicBatch<T> batch(m, {.threads = 2});
    StateRows<T> one(n, m.nv()), other(n, m.nv()), v(n, m.nv());
    const Eigen::Matrix<T, Eigen::Dynamic, 1> row = x.v.row(0);
    for (long s = 0; s < n; ++s) v.row(s) = x.v.row(0);
    batch.inverse_dynamics(x.q, v, x.a, one);
    batch.inverse_dynamics(x.q, StatesIn<T>::for_all(row), x.a, other);
    EXPECT_TRUE(same_bits(one, other));
    v.setZero();
    batch.inverse_dynamics(x.q, v, v, one);
    batch.inverse_dynamics(x.q, {}, {}, other);
    EXPECT_TRUE(same_bits(one, other));
    // The output may be an input.
    other = x.a;
    batch.inverse_dynamics(x.q, x.v, x.a, one);
    batch.inverse_dynamics(x.q, x.v, other, other);
    EXPECT_TRUE(same_bits(one, other));
  }
}

/// Numbers of a state lie as far apart as there are states, whatever their number; so many that they pass the caches.
TYPED_TEST(BatchPlaces, ColumnsOfALargeMatrixNeedNoAlignment) {
  using T = TypeParam;
  const Model m = build(sample("arm7"));
  const Index size = m.nv() * m.nv();
  const long n = 4'200'000 / static_cast<long>(size * sizeof(T)) + 1;
  for (const long states : {n / 2 * 2 + 1, (n + 31) / 32 * 32}) {
    const States<T> x = random_states<T>(m, states, 4);
    BasicBatch<T> batch(m, {.threads = 1});
    StateRows<T> rows_of(states, size);
    Buffer<T> memory(static_cast<Index>(states) * size);  // begins with a cache line
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>> columns(memory.data(), states, size);
    batch.mass_matrix(x.q, rows_of);
    batch.mass_matrix(x.q, columns);
    EXPECT_TRUE(same_bits(rows_of, StateRows<T>(columns)));
    batch.mass_matrix_inverse(x.q, rows_of);
    batch.mass_matrix_inverse(x.q, columns);
    EXPECT_TRUE(same_bits(rows_of, StateRows<T>(columns)));
  }
}

TYPED_TEST(BatchPlaces, NoStateIsNoWork) {
  using T = TypeParam;
  const Model m = build(sample("arm7"));
  BasicBatch<T> batch(m, {.threads = 3});
  StateRows<T> q(0, m.nq()), v(0, m.nv()), tau(0, m.nv());
  EXPECT_TRUE(batch.inverse_dynamics(q, v, v, tau).good());
  EXPECT_EQ(batch.report().states, 0);
}

TYPED_TEST(BatchPlaces, AModelThatDoesNotMove) {
  using T = TypeParam;
  RobotDescription d;
  d.name = "stone";
  d.links = {{"stone", 2.0, {0, 0, 1}, {1, 0, 1, 0, 0, 1}}};
  const Model m = build(d);
  ASSERT_EQ(m.nv(), 0);
  BasicBatch<T> batch(m, {.threads = 2});
  StateRows<T> q(40, 0), tau(40, 0), pose(40, 16), wide = StateRows<T>::Constant(40, 4, T(k_guard));
  EXPECT_TRUE(batch.inverse_dynamics(q, q, q, tau).good());
  EXPECT_TRUE(batch.forward_dynamics(q, q, q, StatesOut<T>(wide.leftCols(0))).good());
  EXPECT_TRUE((wide.array() == T(k_guard)).all());
  EXPECT_TRUE(batch.frame_pose(q, m.links()[0].frame, pose).good());
  EXPECT_EQ(pose(39, 15), 1);
}

}  // namespace
}  // namespace zwang::test
