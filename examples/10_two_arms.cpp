// SPDX-License-Identifier: BSD-3-Clause
// Two arms carry one object: a cube of 3 kg between the hands of a humanoid is lifted by 12 cm and tilted by 0.25 rad.
//
// The object's motion is given, and both hands must follow it: 12 driver rows, a_hand = a + alpha x r + w x (w x r).
// The force m (a - g) and the moment I alpha that the object needs are shared by the hands as external wrenches; a
// squeeze of 20 N from both sides cancels. The joints that are neither in an arm nor in a hand are prescribed to stand
// still: 14 joints remain for 12 rows.
#include <zwang/zwang.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using Eigen::VectorXd;
using Vec3 = zwang::Vec3<double>;
using Pose = zwang::Transform<double>;

/// The small turn that leads from one attitude to another, in world axes.
Vec3 turn(const zwang::Mat3<double>& to, const zwang::Mat3<double>& from) {
  const zwang::Mat3<double> R = to * transpose(from);
  return {(R.r2.y - R.r1.z) / 2, (R.r0.z - R.r2.x) / 2, (R.r1.x - R.r0.y) / 2};
}

bool in_an_arm(const std::string& joint) {
  const auto has = [&](const char* part) { return joint.find(part) != std::string::npos; };
  return has("shoulder") || has("elbow") || has("wrist");
}

int main() {
  const double step = 1e-3, duration = 1.5, kp = 400, kd = 40, mass = 3, inertia = 0.03, squeeze = 20;
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/humanoid.urdf", {{.root = "fixed"}});
  zwang::Data data(robot);
  VectorXd q = zwang::neutral(robot), v = zwang::zero(robot);
  const zwang::FrameId left = robot.find_frame("left_hand"), right = robot.find_frame("right_hand");
  zwang::forward_kinematics(robot, data, q);
  const Pose left_0 = zwang::frame_pose(robot, data, left), right_0 = zwang::frame_pose(robot, data, right);
  const Pose object_0{zwang::Mat3<double>::identity(), (left_0.p + right_0.p) * 0.5};
  const Pose grip_left = inverse_times(object_0, left_0), grip_right = inverse_times(object_0, right_0);

  zwang::ConstraintSet constraints(robot);
  for (const char* hand : {"left_hand", "right_hand"})
    constraints.add(zwang::FrameConstraint{.name = hand, .frame = hand, .role = zwang::Role::driver});
  zwang::Solver solver(robot, constraints);
  zwang::Prescribed still;
  for (const std::string& name : robot.coordinate_names())
    if (!in_an_arm(name)) zwang::prescribe(robot, still, name, {0});

  double path_error = 0, grip_error = 0, newton = 0, proof = 0;
  std::printf("  t [s]   height [m]   tilt [rad]   torque of left elbow [N m]\n");
  for (int k = 0; k <= duration / step; ++k) {
    const double x = std::min(k * step / duration, 1.0), s = x * x * x * (10 + x * (6 * x - 15));
    const double ds = 30 * x * x * (1 + x * (x - 2)) / duration,
                 dds = 60 * x * (1 + x * (2 * x - 3)) / (duration * duration);
    zwang::forward_kinematics(robot, data, q, v);
    const Pose l = zwang::frame_pose(robot, data, left), r = zwang::frame_pose(robot, data, right);
    const zwang::Motion<double> vl = zwang::frame_velocity(robot, data, left),
                                vr = zwang::frame_velocity(robot, data, right);
    // The object sits in the right hand; there it is, and thus it moves.
    const Pose object = r * inverse(grip_right);
    const Vec3 arm_r = r.p - object.p, w = vr.w, v_o = vr.v - cross(w, arm_r), up{0, 0, 0.12}, axis{0.25, 0, 0};
    const double c = std::cos(axis.x * s), d = std::sin(axis.x * s);
    const zwang::Mat3<double> wanted{{1, 0, 0}, {0, c, -d}, {0, d, c}};
    const Vec3 lag = object_0.p + up * s - object.p;
    const Vec3 a = up * dds + (up * ds - v_o) * kd + lag * kp;
    const Vec3 alpha = axis * dds + (axis * ds - w) * kd + turn(wanted, object.R) * kp;
    // Where the object holds the left hand; what it strays from there is corrected.
    const Pose hold = object * grip_left;
    const Vec3 arm_l = hold.p - object.p, slip = hold.p - l.p;
    const Vec3 a_r = a + cross(alpha, arm_r) + cross(w, cross(w, arm_r));
    const Vec3 a_l =
        a + cross(alpha, arm_l) + cross(w, cross(w, arm_l)) + (v_o + cross(w, arm_l) - vl.v) * kd + slip * kp;
    const Vec3 w_l = alpha + (w - vl.w) * kd + turn(hold.R, l.R) * kp;
    constraints["right_hand"].beta = {a_r.x, a_r.y, a_r.z, alpha.x, alpha.y, alpha.z};
    constraints["left_hand"].beta = {a_l.x, a_l.y, a_l.z, w_l.x, w_l.y, w_l.z};
    // What the object needs, shared: forces by halves, and the moment that is missing by halves.
    const Vec3 force = (a + Vec3{0, 0, 9.81}) * mass, u = (r.p - l.p) * (squeeze / norm(r.p - l.p));
    const Vec3 f_l = force * 0.5 + u, f_r = force * 0.5 - u, to_l = l.p - object.p;
    const Vec3 n = (alpha * inertia - cross(to_l, f_l) - cross(arm_r, f_r)) * 0.5;
    const zwang::Externals load{
        zwang::external_wrench(robot, "left_hand", {-f_l.x, -f_l.y, -f_l.z, -n.x, -n.y, -n.z}),
        zwang::external_wrench(robot, "right_hand", {-f_r.x, -f_r.y, -f_r.z, -n.x, -n.y, -n.z})};
    const VectorXd tau = zwang::gravity_forces(robot, data, q) - 2 * v;
    const zwang::Solution& answer = solver.solve({.q = q, .v = v, .tau = tau, .external = &load, .prescribed = &still});
    if (answer.report.status != zwang::Status::ok) return 1;
    // The object's law of motion, with the acceleration that the right hand really has.
    const zwang::Motion<double> got =
        zwang::frame_acceleration(robot, solver.data(), right, zwang::AccelerationKind::classical);
    const Vec3 a_o = got.v - cross(got.w, arm_r) - cross(w, cross(w, arm_r));
    newton = std::fmax(newton, norm((a_o + Vec3{0, 0, 9.81}) * mass - f_l - f_r));
    path_error = std::fmax(path_error, norm(lag));
    grip_error = std::fmax(grip_error, norm(slip));
    const VectorXd again = zwang::forward_dynamics(robot, data, q, v, answer.motor_torque, load);
    proof = std::fmax(proof, (again - answer.acceleration).cwiseAbs().maxCoeff());
    if (k % 250 == 0)
      std::printf("%7.2f %12.6f %12.6f %28.6f\n", k * step, object.p.z, std::asin(object.R.r2.y),
                  answer.motor_torque[robot.joint("left_elbow").v.first]);
    v += step * answer.acceleration;
    q = zwang::integrate(robot, q, step * v);
  }
  const bool good = path_error < 1e-3 && grip_error < 1e-4 && newton < 1e-8 && proof < 1e-7;
  std::printf("largest error of the path %.4f mm, of the grip %.4f mm\n", path_error * 1e3, grip_error * 1e3);
  std::printf("the hands' forces move the object, torques and wrenches give the same motion: %s\n", good ? "ok" : "NO");
  return good ? 0 : 1;
}
