// SPDX-License-Identifier: BSD-3-Clause
// What tests of the writers share: two models compared by their dynamics, and losses by code.
#pragma once
#include <Eigen/Dense>
#include <map>
#include <set>

#include "support.hpp"
#include "support/worse.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/core/random.hpp"
#include "zwang/io/write.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {

inline std::string all(const std::vector<Loss>& losses) {
  std::string text;
  for (const Loss& l : losses)
    text +=
        l.code + ' ' + l.element + ' ' + l.name + ": " + l.lost + (l.instead.empty() ? "" : "; " + l.instead) + '\n';
  return text;
}
inline int count(const std::vector<Loss>& losses, const std::string& code) {
  return static_cast<int>(std::count_if(losses.begin(), losses.end(), [&](const Loss& l) { return l.code == code; }));
}
inline std::set<std::string> codes(const std::vector<Loss>& losses) {
  std::set<std::string> out;
  for (const Loss& l : losses) out.insert(l.code);
  return out;
}
/// A model as a robot without constraints and configurations.
inline Robot bare(const Model& model) { return {model, ConstraintSet(model), {}}; }

/// A model's coordinates at some state, by the names of its joints or in their order.
struct Matching {
  /// Joints of a by their names, or by those that the losses say they have in b.
  Matching(const Model& a, const Model& b, bool by_order, const std::vector<Loss>& losses = {}) {
    std::map<std::string, std::string> renamed;
    for (const Loss& l : losses)
      if (l.code == "L_NAME" && l.element == "joint" && l.instead.starts_with("the name "))
        renamed[l.name] = l.instead.substr(9, l.instead.find(',') - 9);
    of_v.assign(static_cast<std::size_t>(a.nv()), -1), of_q.assign(static_cast<std::size_t>(a.nq()), -1);
    const auto pair = [](std::vector<Index>& of, const Range& from, const Range& to) {
      for (Index k = 0; k < from.size && k < to.size; ++k) of[static_cast<std::size_t>(from.first + k)] = to.first + k;
    };
    if (by_order && a.nv() == b.nv() && a.nq() == b.nq()) {
      pair(of_v, {0, a.nv()}, {0, b.nv()}), pair(of_q, {0, a.nq()}, {0, b.nq()});
      return;
    }
    for (const Joint& j : a.joints()) {
      if (!j.mimic.leader.empty() || j.v.size == 0) continue;
      const auto other_name = renamed.find(j.name);
      const JointId id = b.find_joint(other_name == renamed.end() ? j.name : other_name->second);
      if (!id) continue;
      const Joint& other = b.joints()[static_cast<std::size_t>(id.value)];
      pair(of_v, j.v, other.v), pair(of_q, j.q, other.q);
    }
  }
  static Eigen::VectorXd carried(const std::vector<Index>& of, const Eigen::VectorXd& x, Eigen::VectorXd to) {
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0) to[of[i]] = x[static_cast<Index>(i)];
    return to;
  }
  std::vector<Index> of_v, of_q;  ///< of b, for each of a
};

struct StatesOf {
  Eigen::VectorXd q, v, other_q, other_v;
};
inline StatesOf random_states(const Model& a, const Model& b, const Matching& match, Random& random) {
  Eigen::VectorXd step(a.nv()), v(a.nv());
  for (Index i = 0; i < a.nv(); ++i) step[i] = random.uniform(-1, 1), v[i] = random.uniform(-1, 1);
  const Eigen::VectorXd q = integrate(a, neutral(a), step);
  return {q, v, Matching::carried(match.of_q, q, neutral(b)),
          Matching::carried(match.of_v, v, Eigen::VectorXd::Zero(b.nv()))};
}

/// M, bias and the poses of links (which may have become frames) of the same name at random states, relative to the
/// largest entry; without `springs` also without what URDF loses beside them, scales of gravity.
inline void expect_same_dynamics(const Model& a, const Model& b, double tolerance, bool by_order = false,
                                 bool poses = true, bool springs = true, const std::vector<Loss>& losses = {}) {
  ASSERT_EQ(a.nv(), b.nv());
  ASSERT_EQ(a.nq(), b.nq());
  if (a.nv() == 0) return;
  Random random(7);
  Data data_a(a), data_b(b);
  const Matching match(a, b, by_order, losses);
  JointEffects effects;
  effects.springs = effects.gravity_scale = springs;
  for (const Index k : match.of_v) ASSERT_GE(k, 0) << "a joint has no counterpart";
  for (int state = 0; state < 3; ++state) {
    const StatesOf s = random_states(a, b, match, random);
    const Eigen::MatrixXd Ma = mass_matrix(a, data_a, s.q), Mb = mass_matrix(b, data_b, s.other_q);
    const Eigen::VectorXd ha = bias_forces(a, data_a, s.q, s.v, {}, effects),
                          hb = bias_forces(b, data_b, s.other_q, s.other_v, {}, effects);
    double wrong_M = 0, wrong_h = 0;
    for (Index i = 0; i < a.nv(); ++i) {
      const Index k = match.of_v[static_cast<std::size_t>(i)];
      wrong_h = worse(wrong_h, std::fabs(ha[i] - hb[k]));
      for (Index j = 0; j < a.nv(); ++j)
        wrong_M = worse(wrong_M, std::fabs(Ma(i, j) - Mb(k, match.of_v[static_cast<std::size_t>(j)])));
    }
    EXPECT_LE(wrong_M, tolerance * Ma.cwiseAbs().maxCoeff());
    EXPECT_LE(wrong_h, tolerance * (1 + ha.cwiseAbs().maxCoeff()));
    for (const Link& l : a.links()) {
      const bool is_link = bool(b.find_link(l.name));
      if (!poses || l.name == "world" || (!is_link && !b.find_frame(l.name))) continue;
      const Transform<double> X = frame_pose(a, data_a, s.q, "link:" + l.name),
                              Y = frame_pose(b, data_b, s.other_q, (is_link ? "link:" : "") + l.name);
      double wrong = 0;
      for (int i = 0; i < 3; ++i) {
        wrong = worse(wrong, std::fabs(X.p[i] - Y.p[i]));
        for (int k = 0; k < 3; ++k) wrong = worse(wrong, std::fabs(X.R(i, k) - Y.R(i, k)));
      }
      EXPECT_LE(wrong, tolerance * (1 + norm(X.p))) << l.name;
    }
  }
}

/// How far the rows of b are out of the space of a's, each of length 1; rows that are but rounding do not count.
inline double outside(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinV);
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-11 * svd.singularValues()[0]) ++rank;
  const Eigen::MatrixXd V = svd.matrixV().leftCols(rank);
  double most = 0;
  for (Eigen::Index i = 0; i < b.rows(); ++i) {
    const Eigen::VectorXd row = b.row(i).transpose();
    if (row.norm() > 1e-13 * b.cwiseAbs().maxCoeff())
      most = worse(most, (row - V * (V.transpose() * row)).norm() / row.norm());
  }
  return most;
}

/// The rows of both constraint sets span the same space at random states.
inline void expect_same_rows(const Robot& a, const Robot& b, double tolerance, const std::vector<Loss>& losses = {}) {
  ASSERT_EQ(a.constraints.rows(), b.constraints.rows());
  if (a.constraints.rows() == 0) return;
  const Matching match(a.model, b.model, false, losses);
  Random random(11);
  for (int state = 0; state < 2; ++state) {
    const StatesOf s = random_states(a.model, b.model, match, random);
    ConstraintEvaluator of_a(a.model, a.constraints), of_b(b.model, b.constraints);
    of_a.evaluate(s.q, s.v), of_b.evaluate(s.other_q, s.other_v);
    Eigen::MatrixXd Ja(of_a.rows(), a.model.nv()), Jb(of_b.rows(), b.model.nv()), J(of_b.rows(), a.model.nv());
    of_a.jacobian(Ja), of_b.jacobian(Jb);
    for (Index i = 0; i < a.model.nv(); ++i) J.col(i) = Jb.col(match.of_v[static_cast<std::size_t>(i)]);
    EXPECT_LE(outside(Ja, J), tolerance);
    EXPECT_LE(outside(J, Ja), tolerance);
  }
}

/// The same numbers, where both know one; NaN and no limit are the same where `loose`.
inline void expect_same_numbers(const std::vector<double>& a, const std::vector<double>& b, const std::string& what,
                                bool loose = false) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool both = std::isnan(a[i]) && std::isnan(b[i]);
    const bool none = loose && !std::isfinite(a[i]) && !std::isfinite(b[i]);
    EXPECT_TRUE(both || none || a[i] == b[i]) << what << " [" << i << "]: " << a[i] << " and " << b[i];
  }
}

inline LoadOptions without_meshes() {
  LoadOptions options;
  options.resolve_meshes = false;
  options.use_environment = false;
  options.loops = ClosedLoops::constraints;
  return options;
}
/// Files of that ending in a folder, or in the shared ones and the shipped ones.
inline std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const std::string& ending) {
  std::vector<std::filesystem::path> out;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ending) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
/// The folder of all shared files, or an empty path.
inline std::filesystem::path shared_folder_of_files() {
  return shared_robots().empty() ? std::filesystem::path() : shared_robots().parent_path();
}
inline std::vector<std::filesystem::path> robots_as_urdf() {
  std::vector<std::filesystem::path> all = files_of(ZWANG_MODELS, ".urdf");
  for (const auto& path : files_of(shared_robots(), ".urdf")) all.push_back(path);
  return all;
}

}  // namespace zwang::test
