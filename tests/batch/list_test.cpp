// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms: every row in lanes gives what it gives for one state, whatever it takes and gives.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "batch/arrays.hpp"
#include "support/passive.hpp"
#include "zwang/batch/evaluate.hpp"

namespace zwang::test {
namespace {

template <class T> class AlgorithmList : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(AlgorithmList, Numbers);

/// Vectors of n states and what holds for all of them, for any row.
template <class T> struct Question {
  std::vector<StateRows<T>> vectors;
  std::vector<FrameId> frames;
  StateRows<T> push[3];  ///< in each of the axes
  FrameId pushed[3];
  AlgorithmOptions options;

  Question(const Algorithm& row, const Case& c, long n, std::uint64_t seed) {
    Random random(seed);
    for (const Argument& a : row.takes) {
      if (!is_vector(a)) continue;
      const States<T> x = random_states<T>(c.model, n, ++seed * 31);
      vectors.push_back(a.what == Takes::configuration ? x.q : x.v);
    }
    const auto frame = [&] { return c.model.find_frame(random_frame(c, random)); };
    for (int i = 0; i < 3; ++i) {
      push[i] = StateRows<T>(n, 6);
      pushed[i] = frame();
      for (long s = 0; s < n; ++s) push[i].row(s) = random.vector(6, 5).template cast<T>();
    }
    options.frame = frame(), options.seen_from = frame();
    frames = {frame(), frame(), frame()};
    options.frames = frames;
    options.reference = static_cast<Reference>(seed % 3);
    options.kind = static_cast<AccelerationKind>(seed % 2);
    options.with_gravity = seed % 2 == 0;
    options.effects.friction = true;
    options.number = 0.3;
    options.point = {0.1, -0.2, 0.3};
  }
  Eigen::VectorXd of(std::size_t i, long s) const { return vectors[i].row(s).template cast<double>(); }
};

TYPED_TEST(AlgorithmList, EveryRowInLanesGivesWhatItGivesAlone) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(12)); ++seed) {
    const Case plain = random_case(seed, 3 + static_cast<int>(seed % 6));
    RobotDescription robot = plain.model.description();
    if (seed % 2 == 1) add_passive_forces(robot, seed);
    const Case c(robot, plain.options, plain.name);
    SCOPED_TRACE(c.name);
    const long n = 19;
    Data data(c.model);
    Evaluator alone(c.model);
    BasicBatch<T> batch(c.model, {.threads = 2});
    for (const Algorithm& row : algorithms()) {
      if (!row.lanes) continue;
      SCOPED_TRACE(row.name);
      const Question<T> x(row, c, n, seed);
      const bool pushed = row.reads(Takes::external);
      const Sizes sizes = sizes_of(c.model, x.options);
      std::vector<StatesIn<T>> in(x.vectors.begin(), x.vectors.end());
      std::vector<StateRows<T>> got;
      for (const Result& r : row.gives) got.emplace_back(n, numbers_of(r.shape, sizes));
      std::vector<StatesOut<T>> out(got.begin(), got.end());
      BatchWrenches<T> pushes;
      for (int i = 0; pushed && i < 3; ++i) pushes.push_back({x.pushed[i], x.push[i], static_cast<Reference>(i)});
      const BatchReport& report = batch.run(row, in, out, x.options, pushes);
      for (long s = 0; s < n; ++s) {
        std::vector<Eigen::VectorXd> vectors;
        std::vector<std::vector<double>> right;
        for (std::size_t i = 0; i < x.vectors.size(); ++i) {
          vectors.push_back(x.of(i, s));
          if (vectors.back().size() == c.model.nq() && row.takes[static_cast<int>(i)].what == Takes::configuration)
            normalize(c.model, vectors.back());
        }
        for (const StateRows<T>& g : got) right.emplace_back(static_cast<std::size_t>(g.cols()));
        std::vector<const double*> vector;
        std::vector<double*> results;
        for (const Eigen::VectorXd& v : vectors) vector.push_back(v.data());
        for (std::vector<double>& r : right) results.push_back(r.data());
        Externals external;
        for (int i = 0; pushed && i < 3; ++i) {
          external.push_back({x.pushed[i], {}, static_cast<Reference>(i)});
          for (int k = 0; k < 6; ++k) external.back().wrench[k] = static_cast<double>(x.push[i](s, k));
        }
        bool singular = false;
        try {
          alone.run(row, data, vector, results, x.options, external);
        } catch (const SingularMassError&) { singular = true; }
        if (singular || report.status(s) != Status::ok) {
          EXPECT_EQ(report.status(s), Status::singular_mass) << s;
          continue;
        }
        const bool inverted = std::string(row.name).starts_with("forward_dynamics") ||
                              std::string(row.name).starts_with("mass_matrix_");  // as badly conditioned as M
        for (std::size_t r = 0; r < right.size(); ++r) {
          const Eigen::Map<const Eigen::VectorXd> expected(right[r].data(), got[r].cols());
          const double scale = 1 + (expected.size() > 0 ? expected.cwiseAbs().maxCoeff() : 0);
          const double error =
              (got[r].row(s).transpose().template cast<double>() - expected).cwiseAbs().maxCoeff() / scale;
          EXPECT_LE(error, (inverted ? 1e7 : 1e4) * k_epsilon<T>) << s;
        }
      }
    }
  }
}

TEST(AlgorithmRows, AreFoundByNameAndAliasAndNearestName) {
  EXPECT_EQ(&algorithm("rnea"), &algorithm("inverse_dynamics"));
  for (const Algorithm& row : algorithms()) {
    EXPECT_EQ(&algorithm(row.name), &row);
    EXPECT_EQ(&algorithms()[static_cast<std::size_t>(index_of(row))], &row);
    EXPECT_GT(row.gives.count, 0) << row.name;
  }
  try {
    algorithm("mass_matrx");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'mass_matrix'"), std::string::npos) << e.what();
  }
}

TEST(AlgorithmRows, TakeAsManyVectorsAndResultsAsTheySay) {
  const Case c = random_case(3, 4);
  const States<double> x = random_states(c.model, 5, 1);
  StateRows<double> h(5, c.model.nv()), narrow(5, c.model.nv() + 1);
  Batch batch(c.model, {.threads = 1});
  EXPECT_TRUE(batch.run(algorithm("bias_forces"), {x.q, x.v}, {h}).good());
  EXPECT_THROW(batch.run(algorithm("bias_forces"), {x.q}, {h}), std::invalid_argument);
  EXPECT_THROW(batch.run(algorithm("bias_forces"), {x.q, x.v}, {narrow}), std::invalid_argument);
  EXPECT_THROW(batch.run(algorithm("bias_forces"), {x.q, x.v}, {h, h}), std::invalid_argument);
  EXPECT_THROW(batch.run(algorithm("distance"), {x.q, x.q}, {h}), UnsupportedError);
  Data data(c.model);
  EXPECT_THROW(Evaluator(c.model).run(algorithm("bias_forces"), data, {h.data()}, {h.data()}), std::invalid_argument);
  StateRows<double> velocity(5, 3), all(5, 9);  // of three results one that is wanted
  EXPECT_TRUE(batch.run(algorithm("centre_of_mass_motion"), {x.q, x.v, x.a}, {{}, velocity, {}}).good());
  EXPECT_TRUE(batch.centre_of_mass(x.q, x.v, x.a, all).good());
  EXPECT_TRUE(same_bits(velocity, all.middleCols(3, 3)));
}

}  // namespace
}  // namespace zwang::test
