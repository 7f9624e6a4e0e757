// SPDX-License-Identifier: BSD-3-Clause
// One relation under eight threads: the rows are the serial ones, bit by bit. The user's own rows lend their threads
// arrays; the others keep nothing.
#include <gtest/gtest.h>

#include <thread>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

struct Own : CustomRows {
  Index rows() const override { return 2; }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    for (int r = 0; r < 2; ++r) {
      phi[r] = q[r];
      for (int k = 0; k < 7; ++k) J[7 * r + k] = q[k] + r;
      Jdot_v[r] = v[r] * v[r];
    }
  }
};

std::vector<double> rows_at(const Model& m, Data& data, const Relation& relation, std::uint64_t seed) {
  const RandomState x = random_state(m, seed);
  forward_kinematics(m, data, x.q, x.v);
  const std::size_t rows = static_cast<std::size_t>(relation.rows()), bodies = relation.bodies().size();
  std::vector<double> out(rows * (8 + 6 * bodies));
  std::vector<Force<double>> K(rows * bodies);
  relation.evaluate(data, x.q.data(), x.v.data(), {out.data(), out.data() + rows, K.data(), out.data() + 2 * rows});
  for (std::size_t k = 0; k < K.size(); ++k)
    for (int i = 0; i < 6; ++i) out[8 * rows + 6 * k + static_cast<std::size_t>(i)] = K[k][i];
  return out;
}

TEST(SharedRelation, GivesEveryThreadTheSerialRows) {
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  CustomConstraint own;
  own.name = "own";
  own.rows = std::make_shared<Own>();
  set.add(own);
  LoopConstraint loop;
  loop.name = "loop";
  loop.frame = m.links().front().name;
  loop.other = "tool0";
  set.add(loop);
  const int states = effort(400);
  for (const Constraint& c : set.constraints()) {
    std::vector<std::vector<double>> serial;
    Data data(m);
    for (int k = 0; k < states; ++k) serial.push_back(rows_at(m, data, *c.relation, static_cast<std::uint64_t>(k)));
    std::vector<int> wrong(8, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        Data mine(m);
        for (int k = 0; k < states; ++k)
          wrong[static_cast<std::size_t>(t)] +=
              rows_at(m, mine, *c.relation, static_cast<std::uint64_t>(k)) != serial[static_cast<std::size_t>(k)];
      });
    for (std::thread& t : threads) t.join();
    for (const int w : wrong) EXPECT_EQ(w, 0) << c.name;
  }
}

}  // namespace
}  // namespace zwang::test
