// SPDX-License-Identifier: BSD-3-Clause
// A humanoid lands on its feet after a fall of 30 cm: on both soles at once, and on one and then the other.
//
// A shock changes velocities alone: one call of impulse() for each touch-down. A sole that stays on the ground takes
// part in the next one. With knees bent the legs give way and most of the momentum stays in the trunk; with straight
// legs the ground takes it at once. Restitution 0.2 along the normals lets the robot bounce, on its way forward with
// 1 m/s: by Newton's law, by Poisson's and by Stronge's.
#include <zwang/mechanisms.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

using Eigen::VectorXd;

/// The vertical impulse of all soles.
double upwards(const zwang::Impulse& r) { return r["left"].wrench[2] + r["right"].wrench[2]; }

int main() {
  const double fall = std::sqrt(2 * 9.81 * 0.3);
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/humanoid.urdf", {{.root = "floating"}});
  zwang::Data data(robot);
  zwang::ConstraintSet soles(robot);
  for (const char* side : {"left", "right"})
    soles.add(zwang::FrameConstraint{.name = side, .frame = std::string(side) + "_sole", .rows = zwang::rows("all")});
  zwang::Solver solver(robot, soles);

  double momentum_error = 0, energy_error = 0;
  const auto check = [&](const zwang::Impulse& r, const VectorXd& q, const VectorXd& before) {
    const zwang::Force<double> m0 = zwang::centroidal_momentum(robot, data, q, before),
                               m1 = zwang::centroidal_momentum(robot, data, q, r.velocity);
    momentum_error = std::fmax(momentum_error, std::fabs(m1.f.z - m0.f.z - upwards(r)));
    energy_error =
        std::fmax(energy_error, std::fabs(r.energy_after - r.energy_before - r["left"].energy - r["right"].energy));
    return r.report.status == zwang::Status::ok;
  };
  bool good = true;
  std::printf("legs       touch-down   impulse up [N s]   energy before [J]   after [J]\n");
  for (const bool bent : {false, true}) {
    VectorXd q = zwang::neutral(robot), v = zwang::zero(robot);
    for (const char* side : {"left", "right"}) {
      const std::string s = side;
      q[robot.joint(s + "_hip_pitch").q.first] = bent ? -0.6 : -0.02;
      q[robot.joint(s + "_knee").q.first] = bent ? 1.2 : 0.04;
      q[robot.joint(s + "_ankle_pitch").q.first] = bent ? -0.6 : -0.02;
    }
    v[2] = -fall;
    const char* const legs = bent ? "bent" : "straight";
    const zwang::Impulse& r = solver.impulse({.q = q, .v = v});
    good = check(r, q, v) && good;
    std::printf("%-8s   %-10s %18.4f %19.4f %11.4f\n", legs, "both", upwards(r), r.energy_before, r.energy_after);
    soles["right"].active = false;
    solver.impulse({.q = q, .v = v});
    good = check(r, q, v) && good;
    std::printf("%-8s   %-10s %18.4f %19.4f %11.4f\n", legs, "left", upwards(r), r.energy_before, r.energy_after);
    soles["right"].active = true;
    v = r.velocity;
    solver.impulse({.q = q, .v = v});
    good = check(r, q, v) && good;
    std::printf("%-8s   %-10s %18.4f %19.4f %11.4f\n", legs, "then right", upwards(r), r.energy_before, r.energy_after);

    v.setZero();
    v[0] = 1;  // on the way forward: sticking is coupled with bouncing
    v[2] = -fall;
    const std::vector<double> E =
        zwang::restitution_of(soles, {{"left", {0, 0, 0.2, 0, 0, 0}}, {"right", {0, 0, 0.2, 0, 0, 0}}});
    for (const zwang::Restitution model :
         {zwang::Restitution::newton, zwang::Restitution::poisson, zwang::Restitution::energetic}) {
      solver.impulse({.q = q, .v = v, .restitution = E, .model = model});
      good = check(r, q, v) && good;
      std::printf("%-8s   %-10s soles leave with %.6f m/s, energy after %.4f J\n", legs, zwang::name_of(model),
                  r["left"].velocity_after[2], r.energy_after);
    }
  }
  good = good && momentum_error < 1e-10 && energy_error < 1e-10;
  std::printf("the ground's impulses are the change of momentum, their work that of energy: %s\n", good ? "ok" : "NO");
  return good ? 0 : 1;
}
