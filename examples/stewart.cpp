// SPDX-License-Identifier: BSD-3-Clause
// A Stewart platform: built in code, assembled in a pose, moved along a path,
// and projected after steps of an integrator.
//
// Six legs (a universal joint and a slide each) carry a platform on balls. The platform's pose is fixed; assembly finds
// the legs, whose lengths are known in closed form.
#include <zwang/mechanisms.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using Vec3 = zwang::Vec3<double>;
using Pose = zwang::Transform<double>;
using Eigen::VectorXd;

namespace {

constexpr double k_height = 0.9, k_feet = 0.8, k_heads = 0.5;  // [m]

Vec3 corner(double radius, double angle) { return {radius * std::cos(angle), radius * std::sin(angle), 0}; }

zwang::Mat3<double> axes_along(Vec3 y) {
  y = y * (1 / norm(y));
  Vec3 z = cross(Vec3{1, 0, 0}, y);
  z = z * (1 / norm(z));
  return zwang::from_columns(cross(y, z), y, z);
}
Pose shift(double x, double y, double z) { return {zwang::Mat3<double>::identity(), {x, y, z}}; }
zwang::Sym3<double> moments(double x, double y, double z) { return zwang::Sym3<double>::diagonal(x, y, z); }

struct Leg {
  Vec3 foot, head;
};

zwang::Model platform(Leg* legs) {
  zwang::RobotDescription d;
  d.name = "stewart";
  d.links.push_back({.name = "base"});
  d.links.push_back({.name = "platform", .mass = 20, .inertia = moments(1, 1, 2)});
  d.joints.push_back({.name = "platform_joint",
                      .type = "floating",
                      .parent = "base",
                      .child = "platform",
                      .origin = shift(0, 0, k_height)});
  for (int k = 0; k < 6; ++k) {
    const double third = 2 * std::numbers::pi / 3 * (k / 2), side = k % 2 == 0 ? -1 : 1;
    const Vec3 foot = corner(k_feet, third + side * 0.75), head = corner(k_heads, third + side * 0.2);
    const Vec3 way = head + Vec3{0, 0, k_height} - foot;
    const std::string n = std::to_string(k), cylinder = "cylinder" + n, piston = "piston" + n;
    for (const auto& [name, mass] : {std::pair{cylinder, 3.0}, {piston, 2.0}})
      d.links.push_back({.name = name, .mass = mass, .centre = {0, 0.3, 0}, .inertia = moments(0.1, 0.01, 0.1)});
    d.joints.push_back({.name = "foot" + n,
                        .type = "universal",
                        .parent = "base",
                        .child = cylinder,
                        .origin = {axes_along(way), foot}});
    d.joints.push_back({.name = "leg" + n,
                        .type = "prismatic",
                        .parent = cylinder,
                        .child = piston,
                        .origin = shift(0, norm(way) - 0.6, 0),
                        .axis = {0, 1, 0}});
    d.frames.push_back({"head" + n, piston, shift(0, 0.6, 0)});
    d.frames.push_back({"seat" + n, "platform", {zwang::Mat3<double>::identity(), head}});
    legs[k] = {foot, head};
  }
  return zwang::build(d);
}

double length(const Leg& leg, double angle, const Vec3& moved) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 head = {c * leg.head.x - s * leg.head.y, s * leg.head.x + c * leg.head.y, leg.head.z};
  return norm(head + moved + Vec3{0, 0, k_height} - leg.foot);
}

}  // namespace

int main() {
  Leg legs[6];
  const zwang::Model robot = platform(legs);
  zwang::ConstraintSet constraints(robot);
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k);
    constraints.add(zwang::LoopConstraint{
        .name = "leg" + n, .frame = "head" + n, .other = "seat" + n, .rows = zwang::joint_rows("ball")});
  }
  zwang::Assembler assembler(robot, constraints, {.fixed = {"platform_joint"}});
  VectorXd q = zwang::neutral(robot);
  const zwang::Index root = robot.joint("platform_joint").q.first;

  std::printf("pose of the platform -> travel of the legs [m]\n");
  double worst = 0;
  for (int step = 0; step < 4; ++step) {
    const double angle = 0.1 * step;
    const Vec3 moved{0.1 * std::sin(3 * angle), 0, 0.2 * angle};
    q.segment(root, 7) << moved.x, moved.y, moved.z, 0, 0, std::sin(angle / 2), std::cos(angle / 2);
    const zwang::Assembly& r = assembler.assemble(q);
    if (r.report.status != zwang::Status::ok) {
      std::printf("%s\n", r.report.explain().c_str());
      return 1;
    }
    q = r.q;
    std::printf("  %.1f rad:", angle);
    for (int k = 0; k < 6; ++k) {
      const double travel = q[robot.joint("leg" + std::to_string(k)).q.first];
      worst = std::fmax(worst, std::fabs(travel - (length(legs[k], angle, moved) - length(legs[k], 0, Vec3::zero()))));
      std::printf(" %.4f", travel);
    }
    std::printf(", %d steps\n", r.report.iterations);
  }

  zwang::Assembler projector(robot, constraints, {.kinetic = true});
  VectorXd v = projector.assemble_velocity(q, VectorXd::LinSpaced(robot.nv(), -0.3, 0.3)).v;
  bool held[2] = {false, false}, ok = true;
  for (int k = 0; k < 50; ++k) {  // an integrator that knows nothing of the loops, and a projection after each step
    const VectorXd moved = zwang::integrate(robot, q, 0.01 * v);
    const zwang::Assembly& state = projector.project(moved, v);
    q = state.q, v = state.v;
    ok = state.report.status == zwang::Status::ok;
    held[0] = state.report.residual <= 1e-12, held[1] = state.report.velocity_residual <= 1e-12;
  }
  std::printf("after 50 projected steps: residual %s, velocities %s\n", held[0] ? "ok" : "NOT ok",
              held[1] ? "ok" : "NOT ok");
  ok = ok && worst < 1e-10;
  std::printf("the legs have the lengths of the closed form: %s\n", ok ? "ok" : "NOT ok");
  return ok ? 0 : 1;
}
