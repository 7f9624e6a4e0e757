// SPDX-License-Identifier: BSD-3-Clause
// Writing on a whiteboard: the pen presses with 10 N along the board's normal z and draws a circle in its x-y plane.
//
// Two solvers, as on a real robot. The controller holds the pen in all six directions by the motors (driver rows) and
// takes the board as an external wrench: the reaction that it wants. The world has the board as a physical row. Where
// the controller is right, the world's multiplier is the wanted force, and both find the same acceleration.
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using Eigen::VectorXd;
  const double step = 1e-3, duration = 2, radius = 0.06, press = 10, kp = 400, kd = 40, pi = 3.14159265358979323846;
  const zwang::Model bare = zwang::load(ZWANG_MODELS "/arm7.urdf");
  VectorXd q = zwang::neutral(bare), v = zwang::zero(bare);
  q[5] = -pi / 2;  // the tool points forward
  zwang::Data data(bare);
  // The board's frame: origin where the pen touches first, x-y in the board, z into it.
  const zwang::Transform<double> board = zwang::frame_pose(bare, data, q, "tool0");
  const zwang::Model arm = bare.with_frame("board", "base", board);
  const zwang::Vec3<double> into = column_z(board.R);
  zwang::Data plain(arm);

  zwang::ConstraintSet wishes(arm), facts(arm);
  wishes.add(zwang::FrameConstraint{
      .name = "pen", .frame = "tool0", .rows = zwang::rows("all"), .in = "board", .role = zwang::Role::driver});
  facts.add(zwang::ContactConstraint{.name = "board", .frame = "tool0", .normal = -into, .rows = 1});
  zwang::Solver controller(arm, wishes), world(arm, facts);
  const zwang::Externals reaction{
      zwang::external_wrench(arm, "tool0", {-press * into.x, -press * into.y, -press * into.z, 0, 0, 0})};

  double force_error = 0, path_error = 0, disagreement = 0, proof = 0;
  std::printf("  t [s]   x [mm]   y [mm]   force [N]\n");
  for (int k = 0; k <= duration / step; ++k) {
    // The circle: start and stop at rest, phase = 2 pi (10 s^3 - 15 s^4 + 6 s^5).
    const double s = k * step / duration, f = 2 * pi * s * s * s * (10 + s * (6 * s - 15));
    const double df = 2 * pi * 30 * s * s * (1 + s * (s - 2)) / duration,
                 ddf = 2 * pi * 60 * s * (1 + s * (2 * s - 3)) / (duration * duration);
    const double c = radius * std::cos(f), d = radius * std::sin(f);
    const zwang::Vec3<double> x_d{radius - c, d, 0}, v_d{d * df, c * df, 0},
        a_d{c * df * df + d * ddf, c * ddf - d * df * df, 0};
    // Where the pen is and how it moves, seen from the board.
    zwang::forward_kinematics(arm, plain, q, v);
    const zwang::FrameId tool = arm.find_frame("tool0");
    const zwang::Transform<double> pen = inverse_times(board, zwang::frame_pose(arm, plain, tool));
    const zwang::Motion<double> twist = with_basis(transpose(board.R), zwang::frame_velocity(arm, plain, tool));
    const zwang::Vec3<double> turn{(pen.R.r2.y - pen.R.r1.z) / 2, (pen.R.r0.z - pen.R.r2.x) / 2,
                                   (pen.R.r1.x - pen.R.r0.y) / 2};
    const zwang::Vec3<double> a = a_d + (v_d - twist.v) * kd + (x_d - pen.p) * kp, w = twist.w * -kd + turn * -kp;
    wishes["pen"].beta = {a.x, a.y, a.z, w.x, w.y, w.z};
    facts["board"].beta = {-a.z};  // the board is a stiff one: it pushes back what leaves its plane

    const VectorXd tau = zwang::gravity_forces(arm, plain, q) - 2 * v;  // the one motion left over is calmed
    const zwang::Solution& wish = controller.solve({.q = q, .v = v, .tau = tau, .external = &reaction});
    const zwang::Solution& fact = world.solve({.q = q, .v = v, .tau = wish.motor_torque});
    if (wish.report.status != zwang::Status::ok || fact.report.status != zwang::Status::ok) return 1;
    force_error = std::fmax(force_error, std::fabs(fact["board"].multipliers[0] - press));
    path_error = std::fmax(path_error, norm(pen.p - x_d));
    disagreement = std::fmax(disagreement, (wish.acceleration - fact.acceleration).cwiseAbs().maxCoeff());
    const VectorXd again = zwang::forward_dynamics(arm, plain, q, v, wish.motor_torque, reaction);
    proof = std::fmax(proof, (again - fact.acceleration).cwiseAbs().maxCoeff());
    if (k % 250 == 0)
      std::printf("%7.2f %8.3f %8.3f %11.6f\n", k * step, pen.p.x * 1e3, pen.p.y * 1e3, fact["board"].multipliers[0]);
    v += step * fact.acceleration;
    q = zwang::integrate(arm, q, step * v);
  }
  const bool good = force_error < 1e-8 && path_error < 1e-3 && disagreement < 1e-8 && proof < 1e-8;
  std::printf("largest error of the force %.6f N, of the path %.3f mm\n", force_error, path_error * 1e3);
  std::printf("controller and world, and plain forward dynamics, find one motion: %s\n", good ? "ok" : "NO");
  return good ? 0 : 1;
}
