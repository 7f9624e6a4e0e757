// SPDX-License-Identifier: BSD-3-Clause
// Products from the left with bodies and columns side by side are those of the readable page, for every joint type,
// root, wrench and joint effect; so are the gradients by placements and inertial parameters, of the formulas for one
// joint and one link.
#include <gtest/gtest.h>

#include "algorithm/page/left_product_lanes.hpp"
#include "algorithm/row_cases.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Left = page::ProductFromTheLeft<double>;

/// w, Q, P, N, f of all bodies, and the derivatives by q, v and a.
struct Product {
  explicit Product(Index nv) : by_q(Vector::Constant(nv, 0.5)), by_v(by_q), by_a(by_q) {}
  void read(Data& data) {
    const Left x(data);
    for (Index i = 1; i <= data.tree().n; ++i)
      for (int r = 0; r < 6; ++r)
        for (const double number : {x.w(i)[r], x.Q(i)[r], x.P(i)[r], x.N(i)[r], x.f(i)[r]}) bodies.push_back(number);
  }
  page::StateVectors<double> out() { return {by_q.data(), by_v.data(), by_a.data()}; }
  std::vector<double> bodies;  ///< before and after leaving
  Vector by_q, by_v, by_a;
};

double largest(const std::vector<double>& x) {
  double out = 1;
  for (const double number : x) out = std::max(out, std::fabs(number));
  return out;
}

/// How far two products, or what follows from them, are apart.
void expect_near(const double* got, const double* expected, Index count, double size, const char* what) {
  for (Index k = 0; k < count; ++k)
    ASSERT_NEAR(got[k], expected[k], static_cast<double>(k_row_order) * k_eps * size) << what << " " << k;
}

void expect_parameters(RowsState<double>& lanes, RowsState<double>& plain, double size, Random& random) {
  const Tree<double>& tree = plain.data.tree();
  const Left x(plain.data);
  std::vector<page::JointPlace> places;
  for (Index i = tree.n; i > 0; --i) places.push_back({tree.n - i, tree.body[i].parent, i, random.pose(0.5)});
  Vector got = Vector::Constant(6 * tree.n, 0.25), expected = got;
  page::add_placements_left(lanes.data, places.data(), tree.n, -2, got.data());
  for (const page::JointPlace& at : places) {
    Transform<double> X = at.in_body;
    if (at.before > 0)
      X = page::frame_about_centre(plain.data, at.before, X);
    else
      X.p -= plain.data.position.centre[tree.body[at.behind].root];
    const Motion<double> v = plain.data.velocity.twist[at.before],
                         a = plain.data.acceleration.joint[at.before] + plain.data.velocity.bias[at.before],
                         w = at.before > 0 ? x.w(at.before) : Motion<double>::zero();
    const Force<double> Q = x.Q(at.behind), P = x.P(at.behind), N = x.N(at.behind), f = x.f(at.behind);
    const Force<double> sum = inverse_times(X, N - cross(v, P) - cross(a, Q) + cross(v, cross(v, Q)) - cross(w, f));
    for (int c = 0; c < 6; ++c) expected(6 * at.joint + c) -= 2 * sum[c];
  }
  expect_near(got.data(), expected.data(), 6 * tree.n, size * size, "placement");
  got = Vector::Constant(page::k_link_parameters * tree.links, 0.25);
  expected = got;
  page::subtract_inertias_left(lanes.data, got.data());
  for (Index l = 0; l < tree.links; ++l) {
    const auto& link = tree.link[l];
    if (link.body == 0) continue;
    const page::LocalFrame<double> frame = page::local_frame(plain.data, link.body, link.in_body);
    double y[page::k_link_parameters];
    page::wrench_row(frame, acceleration_field(frame.twist.w, frame.al), inverse_times(frame.X, x.w(link.body)), y);
    for (Index k = 0; k < page::k_link_parameters; ++k) expected(page::k_link_parameters * l + k) -= y[k];
  }
  expect_near(got.data(), expected.data(), static_cast<Index>(got.size()), size * size, "inertia");
}

void expect_same_product(const Model& m, std::uint64_t seed, bool wrenches) {
  if (m.nv() == 0) return;
  RowsState<double> lanes(m, seed, wrenches), plain(m, seed, wrenches);
  Random random(seed + 5);
  const Vector y = random.vector(m.nv());
  const page::PassiveEffects effects{seed % 3 != 0, false, seed % 4 != 0};
  Product got(m.nv()), expected(m.nv());
  const auto state = [](RowsState<double>& s) {
    return page::SpanningState<double>(s.data, s.q.data(), s.v.data(), s.a.data());
  };
  page::enter_left_lanes(lanes.data, y.data());
  got.read(lanes.data);
  page::leave_left_lanes(lanes.data, state(lanes), y.data(), effects, got.out());
  got.read(lanes.data);
  page::vary_columns(plain.data, state(plain));
  const Left x = page::enter_from_the_left(plain.data, y.data());
  expected.read(plain.data);
  page::leave_from_the_left(plain.data, x, state(plain).in, y.data(), effects, expected.out());
  expected.read(plain.data);
  const double size = largest(expected.bodies);
  ASSERT_EQ(got.bodies.size(), expected.bodies.size());
  expect_near(got.bodies.data(), expected.bodies.data(), static_cast<Index>(got.bodies.size()), size, "body");
  expect_near(got.by_q.data(), expected.by_q.data(), m.nv(), size * size, "by q");
  expect_near(got.by_v.data(), expected.by_v.data(), m.nv(), size * size, "by v");
  expect_near(got.by_a.data(), expected.by_a.data(), m.nv(), size, "by a");
  expect_parameters(lanes, plain, size, random);
}

TEST(LeftProductInLanes, IsThatOfTheReadablePage) {
  for (int seed = 0; seed < effort(1200); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_product(rows_model(seed), static_cast<std::uint64_t>(seed), seed % 2 == 1);
    if (HasFatalFailure()) return;
  }
}

TEST(LeftProductInLanes, IsThatOfTheReadablePageOfRobots) {
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    const Case c = load_case(file);
    for (const bool wrenches : {false, true}) expect_same_product(c.model, 3, wrenches);
  }
}

/// Those that nobody asks for are not written.
TEST(LeftProductInLanes, LeavesOutWhatIsNotAskedFor) {
  const Model m = rows_model(7);
  RowsState<double> s(m, 7, true);
  const Vector y = Vector::Ones(m.nv());
  Vector by_q = Vector::Zero(m.nv()), alone = by_q, by_v = by_q;
  const page::SpanningState<double> state(s.data, s.q.data(), s.v.data(), s.a.data());
  const auto leave = [&](double* q, double* v) {
    page::enter_left_lanes(s.data, y.data());
    page::leave_left_lanes(s.data, state, y.data(), {true, false, true}, {q, v, nullptr});
  };
  leave(by_q.data(), by_v.data());
  leave(alone.data(), nullptr);
  EXPECT_EQ(alone, by_q);
  alone.setZero();
  leave(nullptr, alone.data());
  EXPECT_EQ(alone, by_v);
}

}  // namespace
}  // namespace zwang::test
