// SPDX-License-Identifier: BSD-3-Clause
// Random robots, targets and rows, reachable or not, one by one and many at once, beside rows of a constraint or not:
// every answer says of itself what plain matrices say of its q, and `ok` means that every row that is asked for is met.
//
// 1500 problems in the ordinary run; ZWANG_WHOLE_TABLE=1: 100000, with a table.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "inverse_kinematics/plain_kinematics.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "support/robots.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();
constexpr double k_tolerance = 1e-8;

bool whole_table() { return std::getenv("ZWANG_WHOLE_TABLE") != nullptr; }

/// All lengths of a robot of joints of one freedom, times `scale`.
RobotDescription longer(RobotDescription d, double scale) {
  for (JointDescription& j : d.joints) {
    j.origin.p = j.origin.p * scale;
    if (j.type == "helical") j.parameters.at(0) *= scale;
    if (j.type != "prismatic") continue;
    for (std::vector<double>* limit : {&j.lower, &j.upper})
      for (double& x : *limit) x *= scale;
  }
  for (FrameDescription& f : d.frames) f.placement.p = f.placement.p * scale;
  return d;
}

struct RowProblem {
  Model model;
  double scale = 1;                  ///< of lengths
  std::string tip = {}, other = {};  ///< links; `other` has a row of a constraint, if it has a name
  std::vector<int> rows = {};        ///< of 6
  bool local = false;                ///< their axes
  bool reachable = true;
  Transform<double> target = {}, other_target = {};
  Eigen::VectorXd q0 = {};
};

Model any_model(Random& random, double scale) {
  static const std::vector<std::string> files = models();
  const auto seed = static_cast<std::uint64_t>(random.below(1 << 30));
  if (scale == 1 && random.below(4) == 0) {
    LoadOptions options;
    options.root = "fixed";
    options.resolve_meshes = false;
    return load(model_file(files[seed % files.size()]), options);
  }
  RandomRobot options;
  options.joints = 1 + random.below(8);
  options.types = {"revolute", "continuous", "prismatic", "revolute", "helical"};
  options.mimic = random.below(4) == 0 ? 0.2 : 0.0;
  return build(longer(random_robot(seed, options), scale), {.root = "fixed"});
}

RowProblem any_problem(std::uint64_t seed) {
  Random random(seed);
  const double scale = random.below(3) == 0 ? std::pow(10.0, random.uniform(-6, 6)) : 1.0;
  RowProblem p{.model = any_model(random, scale), .scale = scale};
  const auto any_link = [&] {
    const auto& links = p.model.links();
    return links[1 + static_cast<std::size_t>(random.below(static_cast<int>(links.size()) - 1))].name;
  };
  p.tip = random.below(2) == 0 ? p.model.links().back().name : any_link();
  const int count = 1 + random.below(6);
  std::array<int, 6> order = {0, 1, 2, 3, 4, 5};
  for (int k = 0; k < count; ++k) {
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(k + random.below(6 - k))]);
    p.rows.push_back(order[static_cast<std::size_t>(k)]);
  }
  p.local = random.below(3) == 0;
  const auto q_seed = static_cast<std::uint64_t>(random.below(1 << 30));
  const Eigen::VectorXd wanted = zwang::random(p.model, q_seed);
  p.q0 = random.below(4) == 0 ? default_start(p.model) : zwang::random(p.model, q_seed + 1);
  p.reachable = random.below(2) == 0;
  p.target = pose_of(plain_pose(p.model, wanted, p.tip));
  if (!p.reachable) {
    const double far = random.below(2) == 0 ? 1.0 : 10.0;
    p.target = random.pose(far);
    p.target.p = p.target.p * scale;
    if (random.below(4) == 0) p.target.R = Mat3<double>{Vec3<double>{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  }
  if (random.below(4) == 0) {
    p.other = any_link();
    p.other_target = pose_of(plain_pose(p.model, wanted, p.other));
  }
  return p;
}

/// The largest way from the ground to anything, with slides: what rounding of positions is measured by.
double reach_of(const Model& model, const Eigen::VectorXd& q, const Transform<double>& T) {
  double sum = norm(T.p);
  for (const JointDescription& j : model.description().joints) {
    sum += norm(j.origin.p);
    const double value = j.type == "prismatic" || j.type == "helical" ? std::fabs(plain_value(model, j.name, q)) : 0;
    sum += j.type == "helical" ? std::fabs(j.parameters.at(0)) * value : value;
  }
  return sum;
}

struct Missed {
  double most = 0;   ///< as InverseKinematicsSolution::error
  double angle = 0;  ///< the whole angle of the attitude
};
/// Of a frame at X whose target is T. In its own axes with `local`, else in those of the world.
Missed missed(const Matrix4& X, const Matrix4& T, const std::vector<int>& rows, bool local) {
  const Eigen::Matrix3d R = X.topLeftCorner<3, 3>(), Rt = T.topLeftCorner<3, 3>();
  const Eigen::AngleAxisd turn(local ? Eigen::Matrix3d(R.transpose() * Rt) : Eigen::Matrix3d(Rt * R.transpose()));
  const Eigen::Vector3d apart = (T - X).topRightCorner<3, 1>(), w = turn.angle() * turn.axis();
  const Eigen::Vector3d p = local ? Eigen::Vector3d(R.transpose() * apart) : apart;
  int angles = 0, free = 3;
  for (const int r : rows) angles += r >= 3, free -= r >= 3 ? r - 3 : 0;
  Missed m;
  m.angle = std::fabs(turn.angle());
  for (const int r : rows) m.most = std::max(m.most, std::fabs(r < 3 ? p(r) : angles == 2 ? 0 : w(r - 3)));
  if (angles == 2) {  // the axis that is left over may not tilt
    const Eigen::Vector3d u = Eigen::Vector3d::Unit(free), y = turn.toRotationMatrix() * u;
    m.most = std::max(m.most, std::atan2(u.cross(y).norm(), u.dot(y)));
  }
  if (angles == 3 && m.angle > 3) m.most = std::max(m.most, m.angle);
  return m;
}

RowSelection words_of(const std::vector<int>& rows) {
  static const char* const name[] = {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};
  std::string text;
  for (const int r : rows) text += std::string(name[r]) + " ";
  return zwang::rows(text);
}
std::string described(const RowProblem& p, std::uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ", " + p.model.name() + ", " + p.tip + ", scale " +
                     std::to_string(p.scale) + (p.local ? ", local, rows" : ", rows");
  for (const int r : p.rows) text += " " + std::to_string(r);
  return text + (p.reachable ? ", reachable" : "") + (p.other.empty() ? "" : ", beside " + p.other);
}

/// What an answer says is what matrices say. Rounding of positions: of some ten sums of this reach, 64 eps of it;
/// of angles 1e-12, near half a turn, where log_so3 finds its axis by a root, 1e-6.
void expect_true(const RowProblem& p, const Eigen::VectorXd& q, PoseStatus status, double error,
                 const std::string& what) {
  ASSERT_EQ(q.size(), p.model.nq()) << what;
  ASSERT_TRUE(q.allFinite()) << what;
  EXPECT_TRUE(within_limits(p.model, q)) << what;
  const Missed m = missed(plain_pose(p.model, q, p.tip), plain(p.target), p.rows, p.local);
  const double rounding = 64 * k_eps * reach_of(p.model, q, p.target);
  const double slack = rounding + (m.angle > 3 ? 1e-6 : 1e-12);
  if (std::fabs(m.angle - 3) > 1e-9) { EXPECT_NEAR(error, m.most, slack) << what << " " << name_of(status); }
  const double allowed = std::max(k_tolerance, 8 * k_eps * reach_of(p.model, q, p.target));
  const double off = p.other.empty() ? 0 : std::fabs(plain_pose(p.model, q, p.other)(2, 3) - p.other_target.p.z);
  if (status == PoseStatus::ok) {
    EXPECT_LE(error, allowed) << what;
    EXPECT_LE(m.most, allowed + rounding + 1e-12) << what;
    EXPECT_LE(off, std::max(1e-9 * p.scale, k_tolerance) + rounding) << what;
  } else {  // what is met is said to be met
    EXPECT_FALSE(m.most <= k_tolerance / 4 && off <= 4 * k_eps * p.scale && m.angle < 3)
        << what << ": " << name_of(status) << " with " << m.most << ", " << off;
  }
}

TEST(InverseKinematicsOfAnyRows, SaysWhatMatricesSay) {
  const int cases = whole_table() ? 100000 : effort(1500);
  int reachable[7] = {}, met[7] = {}, beyond[7] = {}, fine[7] = {};
  for (int k = 0; k < cases; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const RowProblem p = any_problem(seed);
    const std::string what = described(p, seed);
    InverseKinematicsSettings settings;
    settings.attempts = k % 8 == 0 ? 4 : 0;
    settings.max_iterations = 200;
    settings.tolerance = k_tolerance;
    PoseTarget target{p.tip, p.target, words_of(p.rows)};
    if (p.local) target.in = "local";
    ConstraintSet set(p.model);
    if (!p.other.empty()) {
      FrameConstraint c{.name = "height", .frame = p.other, .rows = zwang::rows("linear.z")};
      c.has_target = true;
      c.target_pose = p.other_target;
      set.add(c);
    }
    const ConstraintSet* const beside = p.other.empty() ? nullptr : &set;
    InverseKinematics ik(p.model, {target}, beside, settings);
    const InverseKinematicsSolution& s = ik.solve(p.q0);
    ASSERT_EQ(s.errors.size(), 6u) << what;
    const Eigen::VectorXd q = s.q;
    expect_true(p, q, s.status, s.error, what);
    if (k % 8 == 1) {
      Eigen::MatrixXd many(p.model.nq(), 3);
      BatchInverseKinematics batch(p.model, {target}, beside, settings);
      const auto outcomes = batch.solve({p.target, p.target, p.target}, p.q0, many);
      for (Index i = 0; i < 3; ++i) {
        const PoseOutcomeOfMany& o = outcomes[static_cast<std::size_t>(i)];
        EXPECT_TRUE((many.col(i).array() == q.array()).all()) << what;
        EXPECT_EQ(o.error, s.error) << what;
        EXPECT_EQ(o.status, s.status) << what;
      }
    }
    const std::size_t rows = p.rows.size();
    ++(p.reachable ? reachable : beyond)[rows];
    (p.reachable ? met : fine)[rows] += s.status == PoseStatus::ok;
    if (testing::Test::HasFatalFailure()) return;
  }
  int all = 0, all_met = 0;
  for (std::size_t r = 1; r <= 6; ++r) {
    if (whole_table())
      std::printf("%zu rows: %d of %d reachable targets are met, %d of %d others\n", r, met[r], reachable[r], fine[r],
                  beyond[r]);
    all += reachable[r];
    all_met += met[r];
  }
  EXPECT_GE(all_met, all * 3 / 4);  // of the others a descent ends at a local minimum, and few have another attempt
}

}  // namespace
}  // namespace zwang::test
