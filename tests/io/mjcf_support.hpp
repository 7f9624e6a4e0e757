// SPDX-License-Identifier: BSD-3-Clause
// MJCF files against the numbers of another reader (formats of the oracle files: one object for each file).
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"
#include "support/worse.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {

/// The folder beside the shared robots, or an empty path.
inline std::filesystem::path shared_folder(const char* name) {
  if (shared_robots().empty()) return {};
  const std::filesystem::path folder = shared_robots() / ".." / name;
  return std::filesystem::is_directory(folder) ? std::filesystem::canonical(folder) : std::filesystem::path();
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

inline Eigen::VectorXd vector_of(const JsonNode& node) {
  const std::vector<double> numbers = node.numbers();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// How far a robot is from what another reader says of it: each relative to the largest entry.
struct Apart {
  double matrix = 0, bias = 0, pose = 0, mass = 0, limit = 0, joint = 0, rows = 0;
  double worst() const { return worse(matrix, bias, pose, mass, limit, joint, rows); }
};

/// Largest magnitude; NaN where there is one.
inline double largest(const Eigen::MatrixXd& x) { return x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>(); }

inline double relative(const Eigen::VectorXd& got, const Eigen::VectorXd& wanted) {
  if (got.size() != wanted.size()) return 1e300;
  if (wanted.size() == 0) return 0;
  const double scale = wanted.cwiseAbs().maxCoeff();
  return largest(got - wanted) / std::max(scale, 1e-9);
}

inline double total_mass(const Model& model) {
  double mass = 0;
  for (const LinkDescription& l : model.description().links) mass += l.mass;
  return mass;
}

/// M, bias, poses of one state (`q`, `v`, ... beside `bodies` of the file).
inline void compare_state(const Model& model, const JsonNode& state, std::size_t bodies, double force_scale,
                          Apart& apart) {
  const Eigen::VectorXd q = vector_of(state["q"]), v = vector_of(state["v"]);
  if (q.size() != model.nq() || v.size() != model.nv()) {
    ADD_FAILURE() << "nq " << model.nq() << ", nv " << model.nv() << ", not " << q.size() << ", " << v.size();
    apart.matrix = 1e300;
    return;
  }
  Data data(model);
  const Eigen::Index n = model.nv();
  Eigen::MatrixXd M(n, n);
  mass_matrix(model, data, q, M);
  if (state.has("M_lower_triangle")) {
    const Eigen::VectorXd lower = vector_of(state["M_lower_triangle"]);
    Eigen::VectorXd own(n * (n + 1) / 2);
    for (Eigen::Index i = 0, k = 0; i < n; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) own[k++] = M(i, j);
    apart.matrix = worse(apart.matrix, relative(own, lower));
  } else {
    Eigen::VectorXd w(n);
    for (Eigen::Index k = 0; k < n; ++k) w[k] = std::sin(static_cast<double>(k + 1));
    apart.matrix = worse(apart.matrix, relative(M.diagonal(), vector_of(state["M_diagonal"])),
                         relative(M * w, vector_of(state["M_times_sin"])));
  }
  JointEffects bare;
  bare.damping = bare.springs = bare.gravity_scale = false;
  const Eigen::VectorXd h = bias_forces(model, data, q, v, {}, bare), wanted = vector_of(state["bias"]);
  // Bias is a sum of weights and centrifugal forces that may cancel: relative to these at least.
  if (n > 0) apart.bias = worse(apart.bias, largest(h - wanted) / std::max(largest(wanted), force_scale));
  const JsonNode poses = state["poses"];
  for (std::size_t k = 0; k < std::min(bodies, poses.size()); ++k) {
    const std::vector<double> x = poses[k].numbers(12);
    const Transform<double> X = frame_pose(model, data, q, "link:" + model.description().links[k].name);
    double scale = 1;
    for (const double y : x) scale = std::max(scale, std::fabs(y));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        apart.pose = worse(apart.pose, std::fabs(X.R(i, j) - x[static_cast<std::size_t>(4 * i + j)]));
      apart.pose = worse(apart.pose, std::fabs(X.p[i] - x[static_cast<std::size_t>(4 * i + 3)]) / scale);
    }
  }
}

/// Rows of equalities against MuJoCo's (`equality_rows` of a state): of couplings the same phi and J; of a point held,
/// phi = -R^T phi', J = -R^T J' + R^T [p2 - p1] J_w with R, p1, J_w of the first frame; of a weld's rotations the span.
inline double compare_rows(const Robot& robot, const JsonNode& state, const JsonNode& rows) {
  const Model& model = robot.model;
  const Eigen::VectorXd q = vector_of(state["q"]), v = vector_of(state["v"]);
  ConstraintEvaluator evaluator(model, robot.constraints);
  evaluator.evaluate(q, v);
  const Eigen::Index n = model.nv();
  Eigen::MatrixXd J(evaluator.rows(), n);
  evaluator.jacobian(J);
  const Eigen::VectorXd phi = evaluator.position_error();
  Data data(model);
  double apart = 0;
  Eigen::Index at = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const JsonNode row = rows[k];
    const Eigen::VectorXd wanted_phi = vector_of(row["phi"]);
    const Eigen::Index count = wanted_phi.size();
    Eigen::MatrixXd wanted(count, n);
    for (Eigen::Index i = 0; i < count; ++i) wanted.row(i) = vector_of(row["J"][static_cast<std::size_t>(i)]);
    Eigen::Index held = 1;  // of a weld that MuJoCo holds without torques the point alone
    while (at + held < J.rows() && evaluator.constraint_name(at + held) == evaluator.constraint_name(at)) ++held;
    if (at + held > J.rows() || held > count) return 1e300;
    const Eigen::MatrixXd own = J.middleRows(at, held);
    const Eigen::VectorXd own_phi = phi.segment(at, held);
    const std::string name(evaluator.constraint_name(at));
    at += held;
    const double scale = std::max(1.0, wanted.cwiseAbs().maxCoeff());
    if (count < 3) {
      apart = worse(apart, largest(own - wanted) / scale, largest(own_phi - wanted_phi));
      continue;
    }
    const std::string frame_1 = robot.constraints[name].frame, frame_2 = robot.constraints[name].other;
    const Transform<double> one = frame_pose(model, data, q, frame_1), two = frame_pose(model, data, q, frame_2);
    Eigen::MatrixXd frame(6, n);
    jacobian(model, data, q, frame_1, Reference::local_world_aligned, frame);
    const Eigen::Matrix3d R = one.R.eigen(), cross = skew(two.p - one.p).eigen();
    const Eigen::MatrixXd moved = -R.transpose() * wanted.topRows(3) + R.transpose() * cross * frame.bottomRows(3);
    apart = worse(apart, largest(own.topRows(3) - moved) / scale,
                  largest(own_phi.head(3) + R.transpose() * wanted_phi.head(3)));
    if (held < 6) continue;
    // Rotations: what MuJoCo's rows hold is held, and no more.
    Eigen::MatrixXd both(6, n);
    both << own.bottomRows(3), wanted.bottomRows(3);
    const Eigen::VectorXd values = both.jacobiSvd().singularValues(),
                          mine = own.bottomRows(3).jacobiSvd().singularValues();
    const auto rank = [](const Eigen::VectorXd& s) { return (s.array() > 1e-9 * std::max(1.0, s[0])).count(); };
    if (rank(values) != rank(mine)) apart = std::max(apart, 1.0);
  }
  // The other reader leaves out rows that no coordinate moves, and no others.
  if (at != J.rows() && !(J.bottomRows(J.rows() - at).cwiseAbs().maxCoeff() < 1e-12)) return 1e300;
  return apart;
}

}  // namespace zwang::test
