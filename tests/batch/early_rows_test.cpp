// SPDX-License-Identifier: BSD-3-Clause
// Rows met early against rows carried to the root, in the same lanes: random trees with two to seven limbs, contacts at
// their tips, on a body halfway, several on one body. Blocks next to singular lose digits as tr E^-1 says, and no more.
#include <gtest/gtest.h>

#include <iostream>

#include "batch/arrays.hpp"
#include "kernels/constrained.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

std::string numbers(Random& random, double size) {
  std::string s;
  for (int k = 0; k < 3; ++k) s += std::to_string(random.uniform(-size, size)) + " ";
  return s;
}
std::string limb_name(int limb, int joint) { return "l" + std::to_string(limb) + "_" + std::to_string(joint); }

/// Limbs of four to seven hinges on a trunk; the later limbs begin halfway down the first one.
struct Limbed {
  Model model;
  std::vector<int> joints;
};
Limbed tree_of(int limbs, Random& random, bool floating, bool mimic = false) {
  std::vector<int> count;
  std::string xml = "<robot name='limbs'>";
  const auto link = [&](const std::string& name, double mass) {
    const double I = 0.02 * mass;
    xml += "<link name='" + name + "'><inertial><origin xyz='" + numbers(random, 0.05) + "'/><mass value='" +
           std::to_string(mass) + "'/><inertia ixx='" + std::to_string(I) + "' iyy='" + std::to_string(1.3 * I) +
           "' izz='" + std::to_string(0.8 * I) + "' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  };
  link("trunk", 8);
  for (int l = 0; l < limbs; ++l) {
    const int joints = 4 + random.below(4);
    count.push_back(joints);
    for (int j = 0; j < joints; ++j) {
      const std::string name = limb_name(l, j);
      const std::string parent = j > 0 ? limb_name(l, j - 1) : l > 3 ? limb_name(0, 1) : "trunk";
      link(name, 0.5 + random.uniform(0, 1));
      xml += "<joint name='j" + name + "' type='continuous'><origin xyz='" + numbers(random, 0.3) + "' rpy='" +
             numbers(random, 2) + "'/><parent link='" + parent + "'/><child link='" + name + "'/><axis xyz='" +
             numbers(random, 1) + "'/>" +
             (mimic && l == 1 && j == 1 ? "<mimic joint='j" + limb_name(0, 1) + "' multiplier='0.5'/>" : "") +
             "</joint>";
    }
    xml += "<link name='knee" + std::to_string(l) + "'/><joint name='k" + std::to_string(l) +
           "' type='fixed'><origin xyz='0.2 0.1 0.1'/><parent link='" + limb_name(l, 2) + "'/><child link='knee" +
           std::to_string(l) + "'/></joint>";
    xml += "<link name='tip" + std::to_string(l) + "'/><joint name='t" + std::to_string(l) +
           "' type='fixed'><origin xyz='0.1 0 0.2'/><parent link='" + limb_name(l, joints - 1) + "'/><child link='tip" +
           std::to_string(l) + "'/></joint>";
  }
  LoadOptions options;
  options.root = floating ? "floating" : "fixed";
  return {loads(xml + "</robot>", options), count};
}

/// Points at tips, a frame of six rows at those with enough columns, and sometimes a point halfway.
ConstraintSet contacts_of(const Limbed& m, Random& random) {
  ConstraintSet set(m.model);
  for (int l = 0; l < static_cast<int>(m.joints.size()); ++l) {
    const std::string tip = "tip" + std::to_string(l);
    if (random.below(4) == 0 && l > 0) continue;
    const bool whole = random.below(3) == 0 && l <= 3 && m.joints[static_cast<std::size_t>(l)] > 5;
    set.add(FrameConstraint{.name = tip, .frame = tip, .rows = rows(whole ? "all" : "linear")});
    if (!whole && l <= 3 && m.joints[static_cast<std::size_t>(l)] > 5 && random.below(2) == 0)
      set.add(FrameConstraint{.name = "knee" + tip, .frame = "knee" + std::to_string(l), .rows = rows("linear")});
  }
  return set;
}

template <class T> struct Kernel {
  using S = NativePack<T>;
  Kernel(const Model& m, const ConstraintSet& set)
      : w(m.tree<T>(), {T(m.gravity().x), T(m.gravity().y), T(m.gravity().z)},
          {set.rows(), set.rows(), static_cast<Index>(set.size()), 0, 0}) {
    Index row = 0, k = 0;
    for (const Constraint& x : set.constraints()) {
      const RowsOnBody& r = x.rows_on_body;
      list.push_back({.rows = &r,
                      .beta = x.beta.data(),
                      .compliance = nullptr,
                      .target_velocity = nullptr,
                      .classical = x.acceleration == AccelerationKind::classical,
                      .driver = false,
                      .contact = false,
                      .count = x.size(),
                      .first_row = row,
                      .constraint = k++});
      row += x.size();
    }
    const auto body = [](const RowsTask& x) { return static_cast<const RowsOnBody*>(x.rows)->body; };
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return body(a) < body(b); });
    task.rows = list.data();
    task.count = static_cast<Index>(list.size());
    task.total_rows = row;
    task.rank_tolerance = std::is_same_v<T, double> ? 1e-7 : 2e-5;
    task.tolerance = 1e-11;
    task.feasibility = std::is_same_v<T, double> ? 1e-11 : 3e-5;
    batch::list_rows(w, task);
  }
  batch::ConstrainedWorkspace<S> w;
  std::vector<RowsTask> list;
  ConstrainedTask<T> task;
};

/// The largest tr E^-1 sqrt(sum bound / Lambda_ii) of a lane's blocks, from their factors.
template <class S> double worst_trace(const batch::EarlyRows<S>& early, int lane) {
  double worst = 1;
  for (Index i = 0; i < early.blocks; ++i) {
    const auto& b = early.block[i];
    const Index n = b.count;
    Eigen::MatrixXd L = Eigen::MatrixXd::Identity(n, n), D = Eigen::MatrixXd::Zero(n, n);
    double spread = 0, trace = 0;
    for (Index r = 0; r < n; ++r) {
      for (Index c = 0; c < r; ++c) L(r, c) = static_cast<double>(b.L[r][c][lane]);
      D(r, r) = static_cast<double>(b.inv[r][lane]);
    }
    const Eigen::MatrixXd inverse = L.transpose().inverse() * D * L.inverse();
    for (Index r = 0; r < n; ++r) {
      trace += inverse(r, r) * static_cast<double>(b.diagonal[r][lane]);
      spread += static_cast<double>(b.bound[r][lane] / b.diagonal[r][lane]);
    }
    worst = std::max(worst, trace * std::sqrt(spread));
  }
  return worst;
}

struct EarlyTally {
  long sets = 0, fits = 0, lanes = 0, again = 0, both = 0;
  double worst = 0;
};

template <class T> void compare(const Model& m, const ConstraintSet& set, std::uint64_t seed, EarlyTally& tally) {
  using S = NativePack<T>;
  constexpr int lanes = lanes_of<S>;
  Kernel<T> kernel(m, set);
  auto& w = kernel.w;
  ++tally.sets;
  if (!w.early.fits) return;
  ++tally.fits;
  for (int pack = 0; pack < 8; ++pack) {
    const States<T> x = random_states<T>(m, lanes, seed * 8 + static_cast<std::uint64_t>(pack));
    for (int l = 0; l < lanes; ++l) {
      for (Index k = 0; k < m.nq(); ++k) w.q[k].set(l, x.q(l, k));
      for (Index k = 0; k < m.nv(); ++k) w.v[k].set(l, x.v(l, k)), w.x[k].set(l, x.tau(l, k));
    }
    w.irregular = S(T(0));
    const S again = batch::accelerate_early(w, kernel.task, static_cast<const S*>(w.x.data()));
    std::vector<S> qdd(w.qdd.begin(), w.qdd.end()), lambda;
    for (Index i = 0; i < w.carried.count; ++i) lambda.push_back(w.carried.row[i].lambda);
    std::vector<double> trace;
    for (int l = 0; l < lanes; ++l) trace.push_back(worst_trace(w.early, l));
    const double inertia = static_cast<double>(epsilon_of<S>);
    batch::accelerate(w, kernel.task, static_cast<const S*>(w.x.data()));
    for (int l = 0; l < lanes; ++l) {
      ++tally.lanes;
      tally.again += again[l] != 0;
      if (again[l] != 0 || w.irregular[l] != 0) continue;
      ++tally.both;
      double error = 0, size = 1e-300, force_error = 0, force = 1e-300;
      for (Index k = 0; k < m.nv(); ++k) {
        error = std::max(error, std::abs(static_cast<double>(qdd[k][l] - w.qdd[k][l])));
        size = std::max(size, std::abs(static_cast<double>(w.qdd[k][l])));
      }
      for (Index i = 0; i < w.carried.count; ++i) {
        force_error = std::max(force_error, std::abs(static_cast<double>(lambda[static_cast<std::size_t>(i)][l] -
                                                                         w.carried.row[i].lambda[l])));
        force = std::max(force, std::abs(static_cast<double>(w.carried.row[i].lambda[l])));
      }
      const double gross = static_cast<double>(w.data.articulated.gross_ratio[l]);
      const double unit = inertia * (trace[static_cast<std::size_t>(l)] + gross),
                   off = std::max(error / size, force_error / force) / unit;
      tally.worst = std::max(tally.worst, off);
      EXPECT_LE(off, 100) << "lane " << l << ", trace " << trace[static_cast<std::size_t>(l)] << ", inertia " << gross
                          << ", error " << error / size << ", of multipliers " << force_error / force;
    }
  }
}

template <class T> class EarlyRowsOf : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(EarlyRowsOf, Numbers);

TYPED_TEST(EarlyRowsOf, AreRowsCarriedToTheRoot) {
  EarlyTally tally;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(300)); ++seed) {
    Random random(seed + 900);
    const int limbs = 2 + static_cast<int>(seed % 6);
    const bool floating = seed % 3 != 0;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Limbed m = tree_of(limbs, random, floating);
    compare<TypeParam>(m.model, contacts_of(m, random), seed, tally);
    if (testing::Test::HasFailure()) return;
  }
  std::cout << tally.fits << " of " << tally.sets << " sets fit; of " << tally.lanes << " states " << tally.again
            << " are solved again; worst difference " << tally.worst << " epsilon (tr E^-1 + gross inertia / D)\n";
  EXPECT_GE(tally.fits, tally.sets / 2);
  EXPECT_LE(tally.again, tally.lanes / (sizeof(TypeParam) < 8 ? 3 : 10));
}

TYPED_TEST(EarlyRowsOf, PlansLeaveTheRestToTheRoot) {
  Random random(4);
  const Model m = tree_of(5, random, true).model, shared = tree_of(5, random, true, true).model;
  const auto fits = [](const Model& model, const std::vector<std::pair<std::string, const char*>>& frames) {
    ConstraintSet set(model);
    for (const auto& [frame, which] : frames)
      set.add(FrameConstraint{.name = frame + which, .frame = frame, .rows = rows(which)});
    return Kernel<TypeParam>(model, set).w.early.fits;
  };
  EXPECT_TRUE(fits(m, {{"tip0", "linear"}, {"tip1", "linear"}, {"tip2", "linear"}}));
  EXPECT_TRUE(fits(m, {{"tip4", "linear"}}));
  EXPECT_FALSE(fits(m, {}));
  EXPECT_FALSE(fits(m, {{"trunk", "linear"}}));  // the root itself
  EXPECT_FALSE(fits(m, {{"l0_1", "linear"}}));   // two columns for three rows
  EXPECT_FALSE(fits(m, {{"l1_2", "linear"}}));   // of three columns one turns about the point
  EXPECT_TRUE(fits(m, {{"knee1", "linear"}}));
  EXPECT_FALSE(fits(m, {{"tip0", "all"}, {"tip0", "linear"}}));          // nine rows on one body
  EXPECT_FALSE(fits(shared, {{"tip0", "linear"}, {"tip2", "linear"}}));  // coordinates that joints share
}

}  // namespace
}  // namespace zwang::test
