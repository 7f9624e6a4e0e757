// SPDX-License-Identifier: BSD-3-Clause
// A posture at lower priority: the tool stays where it is; the elbow moves as near to a wished place as that allows.
//
// Level 0 holds the tool in six directions, level 1 pulls the elbow aside in three. Seven joints leave the elbow one
// motion, along a circle: level 1 is met in least squares on it and does not disturb level 0. The other way to a
// posture is a feed-forward torque whose free motion is the wished one; then q'' is that motion under the null-space
// projector (Khatib 1987), which is checked first.
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  using Vec3 = zwang::Vec3<double>;
  const double step = 1e-3, duration = 3, kp = 100, kd = 20;
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  const zwang::FrameId tool = arm.find_frame("tool0"), elbow = arm.find_frame("link4");
  zwang::Data data(arm);
  VectorXd q = zwang::neutral(arm), v = zwang::zero(arm);

  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{.name = "tool", .frame = "tool0", .role = zwang::Role::driver});
  constraints.add(zwang::FrameConstraint{
      .name = "elbow", .frame = "link4", .rows = zwang::rows("linear"), .role = zwang::Role::driver, .priority = 1});
  zwang::Solver solver(arm, constraints);

  // 1. The posture as a torque, at rest: q'' = N q''_wish.
  const VectorXd wish = VectorXd::LinSpaced(arm.nv(), 1, 2);
  const VectorXd push = zwang::inverse_dynamics(arm, data, q, v, wish);
  constraints["elbow"].active = false;
  const VectorXd seen = solver.solve({.q = q, .v = v, .tau = push}).acceleration;
  MatrixXd N(arm.nv(), arm.nv());
  solver.nullspace_projector(N);
  const double khatib = (N * wish - seen).cwiseAbs().maxCoeff();
  std::printf("posture as a torque: |q''| %.6f of |wish| %.6f passes the projector\n", seen.norm(), wish.norm());

  // 2. The posture as rows of level 1.
  constraints["elbow"].active = true;
  zwang::forward_kinematics(arm, data, q);
  const zwang::Transform<double> hold = zwang::frame_pose(arm, data, tool);
  const Vec3 target = zwang::frame_pose(arm, data, elbow).p + Vec3{0, 0.25, 0};
  double strayed = 0, proof = 0, row_error = 0;
  Vec3 miss = Vec3::zero();
  std::printf("  t [s]   elbow y [mm]   distance [mm]   rows given up\n");
  for (int k = 0; k <= duration / step; ++k) {
    zwang::forward_kinematics(arm, data, q, v);
    const Vec3 off = hold.p - zwang::frame_pose(arm, data, tool).p, at = zwang::frame_pose(arm, data, elbow).p;
    const zwang::Motion<double> vt = zwang::frame_velocity(arm, data, tool),
                                ve = zwang::frame_velocity(arm, data, elbow);
    const Vec3 a = vt.v * -kd + off * kp, w = vt.w * -kd;
    miss = target - at;
    const Vec3 b = ve.v * -kd + miss * kp;
    constraints["tool"].beta = {a.x, a.y, a.z, w.x, w.y, w.z};
    constraints["elbow"].beta = {b.x, b.y, b.z};
    const VectorXd tau = zwang::gravity_forces(arm, data, q);
    const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
    if (s.report.status != zwang::Status::ok) {
      std::puts(s.report.explain().c_str());
      return 1;
    }
    strayed = std::fmax(strayed, norm(off));
    row_error = std::fmax(row_error, s["tool"].residual.cwiseAbs().maxCoeff());
    const VectorXd again = zwang::forward_dynamics(arm, data, q, v, s.motor_torque);
    proof = std::fmax(proof, (again - s.acceleration).cwiseAbs().maxCoeff());
    if (k % 500 == 0)
      std::printf("%7.2f %14.4f %15.4f %15d\n", k * step, at.y * 1e3, norm(miss) * 1e3,
                  static_cast<int>(s.report.given_up.size()));
    v += step * s.acceleration;
    q = zwang::integrate(arm, q, step * v);
  }
  // At the end the elbow is at the nearest point of its circle: what it misses is square to the motion that is left.
  constraints["elbow"].active = false;
  solver.solve({.q = q, .v = v});
  solver.nullspace_projector(N);
  const MatrixXd left_over = zwang::jacobian(arm, data, q, "link4").topRows(3) * N;
  const Eigen::Vector3d e(miss.x, miss.y, miss.z);
  const double along = (left_over.transpose() * e).norm() / (left_over.norm() * e.norm());
  const bool good = khatib < 1e-9 && strayed < 1e-3 && row_error < 1e-9 && proof < 1e-8 && along < 1e-3;
  std::printf("the tool strayed by %.4f mm; the elbow misses its wish by %.2f mm, along its circle by %.4f mm\n",
              strayed * 1e3, e.norm() * 1e3, along * e.norm() * 1e3);
  std::printf("level 0 is exact, level 1 the best that is left, the torques give the same motion: %s\n",
              good ? "ok" : "NO");
  return good ? 0 : 1;
}
