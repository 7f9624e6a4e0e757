// SPDX-License-Identifier: BSD-3-Clause
// A four-bar linkage swings for three seconds by five integrators: what its energy does, and how closed it stays.
//
// Nothing drives it and nothing brakes it, so that its energy is constant. The variational integrator lets
// it oscillate, but never drift; Runge and Kutta's and the half-explicit method drift by the fourth power of
// the step, semi-implicit Euler by its first. The loop is kept by projection, but by the variational
// integrator, which closes it by its own multipliers.
#include <zwang/simulation.hpp>
#include <zwang/zwang.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/four_bar.urdf");
  zwang::ConstraintSet pin(robot);
  pin.add(zwang::LoopConstraint{
      .name = "pin", .frame = "rod_end", .other = "crank_pin", .rows = zwang::joint_rows("hinge", {0, 0, 1})});
  const zwang::JointEffects without_losses{true, false, true, false};

  bool ok = true;
  std::printf("integrator        step [ms]   energy off by at most [mJ]   gap [m, rad]\n");
  for (const std::string& name : zwang::integrators()) {
    if (name == "contact") continue;  // its links would touch each other
    double off[2] = {0, 0}, gap = 0;
    for (int run = 0; run < 2; ++run) {
      zwang::SimulationSettings settings{.time = 3, .dt = run == 0 ? 1e-3 : 5e-4};
      settings.integrator = zwang::integrator_of(name);
      settings.keep = zwang::Keep::projection;
      settings.solver.joint_effects = without_losses;
      const zwang::Trajectory t = zwang::simulate(robot, pin, {.q = zwang::neutral(robot)}, settings);
      if (t.report.status != zwang::Status::ok) {
        std::printf("%s\n", t.report.reason.c_str());
        return 1;
      }
      for (const double energy : t.energy) off[run] = std::max(off[run], std::fabs(energy - t.energy[0]));
      gap = std::max(gap, t.report.error);
      std::printf("%-16s %10.1f %28.6f   %s\n", name.c_str(), 1e3 * settings.dt, 1e3 * off[run],
                  t.report.error < 1e-10 ? "below 1e-10" : "open");
    }
    const double order = std::log2(off[0] / off[1]);
    const bool falls = name == "dormand_prince" ? off[0] < 1e-6
                                                : order > (name == "semi_implicit" ? 0.8
                                                           : name == "variational" ? 1.8
                                                                                   : 3.5);
    ok = ok && gap < 1e-10 && falls;
  }
  std::printf("the loop stays closed, the energy's error falls with the order of each integrator: %s\n",
              ok ? "ok" : "NOT ok");
  return ok ? 0 : 1;
}
