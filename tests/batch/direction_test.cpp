// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of the list reads a quaternion (and a point of a circle) as its direction: the greatest and the least
// length that is accepted change no result, of one state or in lanes.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "batch/arrays.hpp"
#include "zwang/batch/evaluate.hpp"
#include "zwang/model/for_each_joint.hpp"

namespace zwang::test {
namespace {

/// q with every quaternion and every point of a circle `length` times as long.
Eigen::VectorXd with_length(const Model& model, Eigen::VectorXd q, double length) {
  for_each_joint(model.tree<double>(), [&](const auto& joint) {
    if (joint.additive() || joint.nq == joint.nv) return;
    for (Index i = joint.nq == 7 ? 3 : 0; i < joint.nq; ++i) q[joint.q + i] *= length;
  });
  return q;
}

struct Asked {
  std::vector<Eigen::VectorXd> vectors;
  AlgorithmOptions options;
};

/// The results of a row, one after the other; nothing where the mass matrix is singular.
Eigen::VectorXd alone(const Model& model, const Algorithm& row, const Asked& x) {
  Data data(model);
  Evaluator evaluator(model);
  const Sizes sizes = sizes_of(model, x.options);
  Index total = 0;
  for (const Result& r : row.gives) total += numbers_of(r.shape, sizes);
  Eigen::VectorXd all(total);
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const Eigen::VectorXd& v : x.vectors) in.push_back(v.data());
  double* at = all.data();
  for (const Result& r : row.gives) {
    out.push_back(at);
    at += numbers_of(r.shape, sizes);
  }
  try {
    evaluator.run(row, data, in, out, x.options, {});
  } catch (const SingularMassError&) { return {}; }
  return all;
}

Eigen::VectorXd in_lanes(const Model& model, const Algorithm& row, const Asked& x) {
  Batch batch(model, {.threads = 1});
  const Sizes sizes = sizes_of(model, x.options);
  std::vector<StateRows<double>> vectors, results;
  for (const Eigen::VectorXd& v : x.vectors) vectors.push_back(v.transpose().replicate(9, 1));
  for (const Result& r : row.gives) results.emplace_back(9, numbers_of(r.shape, sizes));
  std::vector<StatesIn<double>> in(vectors.begin(), vectors.end());
  std::vector<StatesOut<double>> out(results.begin(), results.end());
  if (batch.run(row, in, out, x.options, {}).status(4) != Status::ok) return {};
  Index total = 0;
  for (const Result& r : row.gives) total += numbers_of(r.shape, sizes);
  Eigen::VectorXd all(total);
  Index at = 0;
  for (const StateRows<double>& r : results) {
    all.segment(at, r.cols()) = r.row(4).transpose();
    at += static_cast<Index>(r.cols());
  }
  return all;
}

/// Rows that look at a moving body and at what it carries.
bool is_of_a_subtree(const Algorithm& row) {
  for (const char* name : {"subtree_mass", "subtree_centre_of_mass", "subtree_centre_of_mass_velocity",
                           "subtree_centre_of_mass_acceleration", "subtree_centre_of_mass_jacobian", "body_momentum",
                           "composite_inertia", "composite_inertia_rate", "articulated_inertia"})
    if (row.name == std::string(name)) return true;
  return false;
}

TEST(AlgorithmList, ReadsAQuaternionAsItsDirection) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(12)); ++seed) {
    const Case c = random_case(seed, 3 + static_cast<int>(seed % 6));
    SCOPED_TRACE(c.name);
    for (const Algorithm& row : algorithms()) {
      SCOPED_TRACE(row.name);
      Asked x, off;
      std::uint64_t draw = seed;
      for (const Argument& a : row.takes) {
        if (!is_vector(a)) continue;
        const RandomState state = random_state(c.model, ++draw * 37);
        const bool places = a.what == Takes::configuration;
        x.vectors.push_back(places ? state.q : state.v);
        off.vectors.push_back(places ? with_length(c.model, state.q, seed % 2 ? 1 - 9e-7 : 1 + 9e-7) : state.v);
      }
      Random random(seed);
      const auto frame = [&] { return c.model.find_frame(random_frame(c, random)); };
      x.options.frame = frame(), x.options.seen_from = frame();
      if (is_of_a_subtree(row)) {
        const Link& last = c.model.links().back();
        if (last.body.value == 0 || c.model.tree<double>().mimic) continue;
        x.options.frame = last.frame;
      }
      const std::vector<FrameId> frames{frame(), frame()};
      x.options.frames = frames;
      x.options.reference = static_cast<Reference>(seed % 3);
      x.options.number = 0.3;
      x.options.point = {0.1, -0.2, 0.3};
      off.options = x.options;
      // Roundings of q enter as they do in the tests of each row: those that invert M grow with its condition.
      const bool inverted =
          std::string(row.name).starts_with("forward_dynamics") || std::string(row.name).starts_with("mass_matrix_");
      const auto expect_same = [&](const Eigen::VectorXd& got, const Eigen::VectorXd& right, const char* how) {
        ASSERT_EQ(got.size(), right.size());
        EXPECT_LE(largest(got - right), (inverted ? 1e6 : 1e3) * k_eps * (1 + largest(right))) << how;
      };
      expect_same(alone(c.model, row, off), alone(c.model, row, x), "one state");
      if (row.lanes) expect_same(in_lanes(c.model, row, off), in_lanes(c.model, row, x), "lanes");
    }
  }
}

TEST(Solver, ReadsAQuaternionAsItsDirection) {
  const Model model = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(model);
  for (const Link& link : model.links())
    if (link.name.find("foot") != std::string::npos) set.add(ContactConstraint{.name = link.name, .frame = link.name});
  ASSERT_GT(set.rows(), 0);
  const RandomState x = random_state(model, 5);
  const Eigen::VectorXd off = with_length(model, x.q, 1 + 9e-7);
  for (const std::string& method : methods()) {
    SolverSettings settings;
    settings.method = method;
    Solver solver(model, set, settings);
    Eigen::VectorXd right, got;
    try {
      right = solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).acceleration;
      got = solver.solve({.q = off, .v = x.v, .tau = x.tau}).acceleration;
    } catch (const UnsupportedError&) { continue; }
    EXPECT_LE(largest(got - right), 1e-10 * (1 + largest(right))) << method;
  }
}

}  // namespace
}  // namespace zwang::test
