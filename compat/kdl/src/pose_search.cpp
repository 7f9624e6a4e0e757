// SPDX-License-Identifier: BSD-3-Clause
#include "pose_search.hpp"

#include <algorithm>
#include <cmath>
#include <zwang/model/builder.hpp>

namespace KDL::detail {

PoseSearch::PoseSearch(const Chain& chain) : robot_(chain) { renew(); }

PoseSearch::PoseSearch(const PoseSearch& other) : robot_(other.robot_), q_min_(other.q_min_), q_max_(other.q_max_) {
  renew();
}

void PoseSearch::rebuild(const JntArray& q_min, const JntArray& q_max) {
  q_min_ = q_min;
  q_max_ = q_max;
  robot_.rebuild();
  renew();
}

/// A model of the same chain with limits q_model = scale * q. Chains that the search does not know leave it empty.
void PoseSearch::renew() {
  version_ = robot_.version();
  search_.reset();
  if (robot_.joints() == 0 || robot_.has_idle_joint()) return;
  try {
    zwang::RobotDescription robot = robot_.model().description();
    unsigned int j = 0;
    for (zwang::JointDescription& joint : robot.joints) {
      if (joint.type == "fixed") continue;
      if (j < q_min_.rows() && j < q_max_.rows()) {
        const double a = robot_.scale(j) * q_min_(j), b = robot_.scale(j) * q_max_(j);
        if (joint.type == "continuous" && (std::isfinite(a) || std::isfinite(b))) joint.type = "revolute";
        joint.lower = {std::min(a, b)};
        joint.upper = {std::max(a, b)};
      }
      ++j;
    }
    limited_.emplace(zwang::build(std::move(robot), {.root = "fixed"}));
    constexpr int budget = 2000;  // evaluations of the pose: 0.5 ms
    search_.emplace(*limited_, "base", "tip " + std::to_string(robot_.segments() - 1),
                    zwang::SerialInverseKinematicsSettings{
                        .limits = q_min_.rows() > 0, .max_evaluations = budget, .nearest = false});
  } catch (const std::exception&) { search_.reset(); }
}

bool PoseSearch::solve(const JntArray& q_init, const Frame& p_in, JntArray& q_out) {
  if (robot_.refresh() != SolverI::E_NOERROR) return false;
  if (version_ != robot_.version()) renew();
  if (!search_) return false;
  robot_.motions_to(q_init, robot_.q);
  const zwang::SerialSolution& solution = search_->try_solve(to(p_in), robot_.q);
  if (solution.status != zwang::PoseStatus::ok) return false;
  robot_.motions_from(solution.q.data(), q_out);
  for (unsigned int j = 0; j < q_min_.rows(); ++j) q_out(j) = std::clamp(q_out(j), q_min_(j), q_max_(j));
  return true;
}

}  // namespace KDL::detail
