// SPDX-License-Identifier: BSD-3-Clause
// A tray stays level while the arm carries it 30 cm aside and 10 cm up,
// and another controller turns the arm's first joint.
//
// Five driver rows hold the tray: two angular rows keep it level (rotation about the vertical stays free), three linear
// rows move it. The first joint is prescribed: its acceleration is an input, its torque a result. Six joints remain for
// five rows; the solve chooses the motion nearest to the free one.
#include <zwang/zwang.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

/// From 0 to 1 in `duration`, at rest at both ends: s, s', s''.
struct Smooth {
  double s, ds, dds;
  Smooth(double t, double duration) {
    const double x = std::min(t / duration, 1.0);
    s = x * x * x * (10 + x * (6 * x - 15));
    ds = 30 * x * x * (1 + x * (x - 2)) / duration;
    dds = 60 * x * (1 + x * (2 * x - 3)) / (duration * duration);
  }
};

}  // namespace

int main() {
  using Eigen::VectorXd;
  using Vec3 = zwang::Vec3<double>;
  const double step = 1e-3, duration = 1.5, kp = 400, kd = 40;
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  VectorXd q = zwang::neutral(arm), v = zwang::zero(arm);
  zwang::Data data(arm);
  const zwang::FrameId tool = arm.find_frame("tool0");
  const Vec3 start = zwang::frame_pose(arm, data, q, "tool0").p, way{0, 0.3, 0.1};

  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{
      .name = "level", .frame = "tool0", .rows = zwang::rows("angular.x angular.y"), .role = zwang::Role::driver});
  constraints.add(zwang::FrameConstraint{
      .name = "path", .frame = "tool0", .rows = zwang::rows("linear"), .role = zwang::Role::driver});
  zwang::Solver solver(arm, constraints);
  zwang::Prescribed turning;
  zwang::prescribe(arm, turning, "joint1", {0});

  double tilt = 0, path_error = 0, proof = 0;
  std::printf("  t [s]    y [mm]    z [mm]  joint1 [rad]  torque of joint1 [N m]\n");
  for (int k = 0; k <= duration / step; ++k) {
    const Smooth m(k * step, duration);
    zwang::forward_kinematics(arm, data, q, v);
    const zwang::Transform<double> pose = zwang::frame_pose(arm, data, tool);
    const zwang::Motion<double> twist = zwang::frame_velocity(arm, data, tool);
    const Vec3 x_d = start + way * m.s, a = way * m.dds + (way * m.ds - twist.v) * kd + (x_d - pose.p) * kp;
    // The tool's z points down: the tilt is the turn that would bring it back there.
    const Vec3 z = column_z(pose.R), lean = cross(Vec3{0, 0, -1}, z);
    constraints["path"].beta = {a.x, a.y, a.z};
    constraints["level"].beta = {-kd * twist.w.x - kp * lean.x, -kd * twist.w.y - kp * lean.y};
    turning[0].acceleration = 0.5 * m.dds;

    const VectorXd tau = zwang::gravity_forces(arm, data, q) - 2 * v;
    const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau, .prescribed = &turning});
    if (s.report.status != zwang::Status::ok) {
      std::puts(s.report.explain().c_str());
      return 1;
    }
    tilt = std::fmax(tilt, norm(lean));
    path_error = std::fmax(path_error, norm(x_d - pose.p));
    const VectorXd again = zwang::forward_dynamics(arm, data, q, v, s.motor_torque);
    proof = std::fmax(proof, (again - s.acceleration).cwiseAbs().maxCoeff());
    if (k % 250 == 0)
      std::printf("%7.2f %9.3f %9.3f %13.6f %23.6f\n", k * step, pose.p.y * 1e3, pose.p.z * 1e3, q[0],
                  s.motor_torque[0]);
    v += step * s.acceleration;
    q = zwang::integrate(arm, q, step * v);
  }
  const bool good = tilt < 1e-3 && path_error < 1e-3 && proof < 1e-8 && std::fabs(q[0] - 0.5) < 1e-3;
  std::printf("largest tilt %.6f rad, largest error of the path %.3f mm\n", tilt, path_error * 1e3);
  std::printf("the motor torques in plain forward dynamics give the same motion: %s\n", good ? "ok" : "NO");
  return good ? 0 : 1;
}
