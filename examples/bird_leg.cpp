// SPDX-License-Identifier: BSD-3-Clause
// A leg like Cassie's: two rods close it, and a foot that only pushes stands on the ground.
//
// The Achilles rod (a distance) turns the ankle when the knee bends; assembly finds the angle, which a triangle gives,
// too. The plantar rod (a hinge) turns the foot by the crank. With its motors locked the leg stands on heel and toe:
// contacts with a sense. A push forward lifts the heel, a pull upwards both.
#include <zwang/mechanisms.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using Eigen::VectorXd;
using std::numbers::pi;
using Vec3 = zwang::Vec3<double>;

namespace {

double between(const Vec3& a, const Vec3& b) { return norm(a - b); }

/// The rods of a model of the leg, closed at q = 0. Returns the length of the Achilles rod.
double close(const zwang::Model& robot, zwang::ConstraintSet& set) {
  zwang::Data data(robot);
  const VectorXd q = zwang::neutral(robot);
  const Vec3 top = zwang::frame_pose(robot, data, q, "rod_top").p,
             heel = zwang::frame_pose(robot, data, q, "heel_spring").p;
  const double length = between(top, heel);
  set.add(zwang::DistanceConstraint{.name = "achilles", .frame = "rod_top", .other = "heel_spring", .length = length});
  set.add(zwang::LoopConstraint{
      .name = "plantar", .frame = "rod_end", .other = "foot_pin", .rows = zwang::joint_rows("hinge", {0, 1, 0})});
  return length;
}

/// The direction of a vector of the x-z plane, which a turn about y makes smaller.
double direction(const Vec3& a) { return std::atan2(a.z, a.x); }

}  // namespace

int main() {
  const zwang::Model leg = zwang::load(ZWANG_MODELS "/bird_leg.urdf");
  zwang::ConstraintSet rods(leg);
  const double rod = close(leg, rods);
  const zwang::MobilityReport m = zwang::mobility(leg, rods, zwang::neutral(leg));
  std::printf("mobility %d: %d coordinates, rank %d of %d rows\n", int(m.mobility), int(leg.nv()), int(m.rank),
              int(m.rows));

  // Knee, ankle and both ends of the rod are a triangle on each side of the line from the ankle to the rod's top.
  zwang::Data data(leg);
  const auto place = [&](const VectorXd& q, const char* frame) { return zwang::frame_pose(leg, data, q, frame).p; };
  VectorXd q = zwang::neutral(leg);
  const Vec3 heel0 = place(q, "heel_spring") - place(q, "tarsus");
  const double arm = norm(heel0);
  zwang::Assembler assembler(leg, rods, {.fixed = {"hip_pitch", "knee", "crank_joint"}});
  double worst = 0;
  bool ok = true;
  std::printf("knee [rad]   ankle [rad]   tarsus to thigh [rad]   foot [rad]   steps\n");
  for (const double knee : {-0.6, -0.3, 0.0, 0.3, 0.6}) {
    q = zwang::neutral(leg);
    q[leg.joint("knee").q.first] = knee;
    q[leg.joint("ankle").q.first] = -knee;  // a guess
    const zwang::Assembly& r = assembler.assemble(q);
    ok = ok && r.report.status == zwang::Status::ok;
    q = r.q;
    const double ankle = q[leg.joint("ankle").q.first], tarsus = knee + ankle;
    const Vec3 way = place(q, "rod_top") - place(q, "tarsus");
    const double d = norm(way), angle = std::acos((d * d + arm * arm - rod * rod) / (2 * d * arm));
    worst = std::fmax(worst, std::fabs(std::remainder(direction(heel0) - tarsus - direction(way) - angle, 2 * pi)));
    std::printf("%10.2f %13.6f %23.6f %12.6f %7d\n", knee, ankle, tarsus, q[leg.joint("toe").q.first],
                r.report.iterations);
  }

  // On the ground, with locked motors.
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/bird_leg.urdf", {{.root = "floating"}});
  zwang::ConstraintSet set(robot);
  close(robot, set);
  for (const char* point : {"heel", "toe_tip"})
    set.add(zwang::ContactConstraint{.name = point, .frame = point, .rows = 1, .sense = {zwang::Sense::at_least}});
  zwang::Solver solver(robot, set);
  zwang::Prescribed locked;
  for (const char* motor : {"hip_pitch", "knee", "crank_joint"}) zwang::prescribe(robot, locked, motor, {0});
  const VectorXd q0 = zwang::neutral(robot), rest = zwang::zero(robot);
  zwang::Data whole(robot);
  double balance = 0;
  std::printf("push x, z [N]   ground [N]   held                 released\n");
  const double pushes[3][2] = {{0, 0}, {60, 0}, {0, 200}};
  for (const auto& push : pushes) {
    const zwang::Externals external = {zwang::external_wrench(robot, "pelvis", {push[0], 0, push[1], 0, 0, 0})};
    const zwang::Solution& s = solver.solve({.q = q0, .v = rest, .external = &external, .prescribed = &locked});
    ok = ok && s.report.status == zwang::Status::ok;
    const double ground = s["heel"].wrench[2] + s["toe_tip"].wrench[2];
    zwang::forward_kinematics(robot, whole, q0, rest, s.acceleration);
    const double a = zwang::centre_of_mass_acceleration(robot, whole).z;
    balance = std::fmax(balance, std::fabs(ground + push[1] - robot.mass() * (9.81 + a)));
    std::string held, released;
    for (const auto& name : s.report.held) held += std::string(name) + " ";
    for (const auto& name : s.report.released) released += std::string(name) + " ";
    std::printf("%7.0f %7.0f %12.4f   %-20s %s\n", push[0], push[1], ground, held.c_str(), released.c_str());
  }
  ok = ok && worst < 1e-10 && balance < 1e-9 && m.mobility == 3;
  std::printf("the ankle follows the triangle of the rod, ground and weight move the centre of mass: %s\n",
              ok ? "ok" : "NOT ok");
  return ok ? 0 : 1;
}
