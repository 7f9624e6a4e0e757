// SPDX-License-Identifier: BSD-3-Clause
// Pick and place: joint values for the poses of a tool along a path, every one near the one before.
#include <zwang/inverse_kinematics.hpp>
#include <zwang/zwang.hpp>

#include <cstdio>
#include <vector>

int main() {
  using Vec3 = zwang::Vec3<double>;
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  zwang::Data data(arm);
  zwang::Mat3<double> down = zwang::Mat3<double>::identity();  // the tool points down
  down[1][1] = down[2][2] = -1;

  const Vec3 corners[] = {
      {0.35, -0.25, 0.35}, {0.35, -0.25, 0.15}, {0.35, -0.25, 0.35}, {0.35, 0.25, 0.35}, {0.35, 0.25, 0.2}};
  std::vector<zwang::Transform<double>> path;
  for (int k = 0; k + 1 < 5; ++k)
    for (int i = 0; i < 25; ++i) path.push_back({down, corners[k] + (corners[k + 1] - corners[k]) * (i / 25.0)});
  path.push_back({down, corners[4]});

  // Of four solutions the nearest to the pose before.
  zwang::InverseKinematics solver(arm, {{.frame = "tool0"}}, nullptr, {.solutions = 4});
  Eigen::VectorXd before = zwang::neutral(arm);
  double off = 0, step = 0;
  bool inside = true;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const zwang::InverseKinematicsSolution& s = solver.solve({path[k]}, before);
    if (s.status != zwang::PoseStatus::ok) {
      std::puts(s.explain().c_str());
      return 1;
    }
    const Eigen::VectorXd q = s.q;
    if (k > 0) step = std::max(step, (q - before).cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      inside = inside && !(q(i) < arm.lower()[at]) && !(q(i) > arm.upper()[at]);
    }
    zwang::forward_kinematics(arm, data, q);
    off = std::max(off, zwang::norm(zwang::frame_pose(arm, data, arm.find_frame("tool0")).p - path[k].p));
    before = q;
    if (k % 25 > 0) continue;
    std::printf("corner %d:", static_cast<int>(k / 25));
    for (Eigen::Index i = 0; i < q.size(); ++i) std::printf(" %.4f", q(i));
    std::printf(" rad\n");
  }
  const bool good = inside && off < 1e-7 && step < 0.5;
  std::printf("%d poses, largest step of a joint %.2f rad\n", static_cast<int>(path.size()), step);
  std::printf("the tool follows its path within the limits, without a jump: %s\n", good ? "ok" : "no");
  return good ? 0 : 1;
}
