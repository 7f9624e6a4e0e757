// SPDX-License-Identifier: BSD-3-Clause
// Sets, solutions and states as documents: the numbers are those of the calls, bit by bit, in both encodings.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/solution.hpp"
#include "zwang/io/state.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Tree = nlohmann::json;

Model dog() { return build(sample_quadruped(), {.root = "floating"}); }
ConstraintSet feet(const Model& m) {
  ConstraintSet set(m);
  set.add(ContactConstraint{.name = "left", .frame = "LF_foot"});
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});  // redundant
  set.add_group("feet", {"left", "again"});
  return set;
}
void expect_numbers(const Tree& list, const Eigen::VectorXd& x) {
  ASSERT_EQ(list.size(), static_cast<std::size_t>(x.size()));
  for (Eigen::Index k = 0; k < x.size(); ++k) EXPECT_EQ(list[static_cast<std::size_t>(k)].get<double>(), x[k]);
}

/// all_terms sums in another order than the calls: rounding of sums over some dozen bodies.
void expect_close(const Tree& list, const Eigen::VectorXd& x) {
  ASSERT_EQ(list.size(), static_cast<std::size_t>(x.size()));
  const double allowed = 1e4 * 2.2e-16 * (1 + x.cwiseAbs().maxCoeff());
  for (Eigen::Index k = 0; k < x.size(); ++k)
    EXPECT_NEAR(list[static_cast<std::size_t>(k)].get<double>(), x[k], allowed);
}

TEST(SetDocument, BothEncodingsHoldOneTree) {
  const Model m = dog();
  const ConstraintSet set = feet(m);
  const std::vector<std::uint8_t> bytes = to_cbor(set);
  EXPECT_EQ(Tree::parse(to_json(set)), Tree::from_cbor(bytes));
  EXPECT_EQ(Tree::from_cbor(bytes)["format"], "zwang.constraints");
  EXPECT_EQ(to_json(constraints_from_cbor(m, bytes)), to_json(set));
  std::vector<std::byte> memory(bytes.size());
  EXPECT_EQ(to_cbor(set, memory), bytes.size());
  EXPECT_EQ(std::memcmp(memory.data(), bytes.data(), bytes.size()), 0);
  EXPECT_EQ(to_json(set, std::span<std::byte>()), to_json(set).size());
}

TEST(SetDocument, EqualityAndHashSeeTheState) {
  const Model m = dog(), same = dog();
  ConstraintSet a = feet(m);
  const ConstraintSet b = feet(same);
  EXPECT_TRUE(a == b);
  EXPECT_EQ(hash(a), hash(b));
  a["left"].active = false;
  EXPECT_FALSE(same_constraints(a, b));
  EXPECT_NE(hash(a), hash(b));
  a["left"].active = true;
  EXPECT_TRUE(same_constraints(a, b));
  EXPECT_FALSE(same_constraints(feet(build(sample_quadruped(), {.root = "floating", .gravity = {0, 0, -9.8}})), b));
}

TEST(SetDocument, VersionsAndFormatsAreChecked) {
  const Model m = dog();
  EXPECT_EQ(constraints_from_json(m, R"({"constraints": []})").size(), 0);
  EXPECT_THROW(constraints_from_json(m, R"({"format": "zwang.model", "constraints": []})"), JsonError);
  EXPECT_THROW(constraints_from_json(m, R"({"format": "zwang.constraints", "version": 2})"), JsonError);
}

TEST(SolutionDocument, HoldsTheSolution) {
  const Model m = dog();
  const ConstraintSet set = feet(m);
  Solver solver(m, set);
  const RandomState s = random_state(m, 3);
  const Solution& x = solver.solve({.q = s.q, .v = s.v, .tau = s.tau});
  const std::vector<std::uint8_t> bytes = to_cbor(set, x);
  const Tree d = Tree::parse(to_json(set, x));
  EXPECT_EQ(d, Tree::from_cbor(bytes));
  EXPECT_EQ(d["format"], "zwang.solution");
  EXPECT_EQ(d["status"], name_of(x.report.status));
  expect_numbers(d["qdd"], x.acceleration);
  expect_numbers(d["constraints"][0]["lambda"], x["left"].multipliers);
  EXPECT_EQ(d["names"], m.coordinate_names());
  EXPECT_EQ(d["report"]["redundant"].size(), 3u);
  EXPECT_EQ(d["report"], Tree::parse(to_json(x.report)));
  std::vector<std::byte> memory(bytes.size());
  EXPECT_EQ(to_cbor(set, x, memory), bytes.size());
  EXPECT_EQ(std::memcmp(memory.data(), bytes.data(), bytes.size()), 0);
  EXPECT_EQ(to_json(set, x, std::span<std::byte>()), to_json(set, x).size());
}

TEST(StateDocument, HoldsWhatTheCallsGive) {
  for (const Model& m : {dog(), build(sample_zoo()), build(random_robot(3))}) {
    const RandomState s = random_state(m, 3);
    const Tree d = Tree::parse(state_json(m, s.q, s.v, s.a));
    EXPECT_EQ(d, Tree::from_cbor(state_cbor(m, s.q, s.v, s.a)));
    Data data(m);
    expect_numbers(d["tau"], inverse_dynamics(m, data, s.q, s.v, s.a));
    expect_close(d["bias_forces"], bias_forces(m, data, s.q, s.v));
    expect_numbers(d["q"], s.q);
    Eigen::MatrixXd M(m.nv(), m.nv());
    mass_matrix(m, data, s.q, M);
    for (Eigen::Index i = 0; i < m.nv(); ++i) expect_close(d["mass_matrix"][static_cast<std::size_t>(i)], M.row(i));
    const double energy = kinetic_energy(m, data, s.q, s.v);
    EXPECT_NEAR(d["kinetic_energy"].get<double>(), energy, 1e4 * 2.2e-16 * (1 + energy));
    forward_kinematics(m, data, s.q, s.v, s.a);
    ASSERT_EQ(d["links"].size() + d["frames"].size(), m.frames().size());
    for (const char* which : {"links", "frames"})
      for (const Tree& x : d[which]) {
        const std::string name = x["name"];
        const Transform<double> X = frame_pose(m, data, name);
        const Motion<double> a = frame_acceleration(m, data, name, AccelerationKind::classical);
        EXPECT_EQ(x["position"], Tree({X.p.x, X.p.y, X.p.z}));
        EXPECT_EQ(x["rotation"][1], Tree({X.R[1].x, X.R[1].y, X.R[1].z}));
        for (int k = 0; k < 6; ++k) EXPECT_EQ(x["acceleration"][static_cast<std::size_t>(k)].get<double>(), a[k]);
      }
    EXPECT_THROW((void)state_json(m, s.v.head(0), s.v, s.a), std::invalid_argument);
    EXPECT_EQ(state_cbor(m, s.q, s.v, s.a, {}), state_cbor(m, s.q, s.v, s.a).size());
  }
}

}  // namespace
}  // namespace zwang::test
