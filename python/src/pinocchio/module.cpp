// SPDX-License-Identifier: BSD-3-Clause
// The part _pinocchio of the extension: what zwang.pinocchio calls most, for its Python modules alone.
#include "../wrong_call.hpp"
#include "robot.hpp"

namespace zwang::python {

void bind_pinocchio(nb::module_& m) {
  nb::module_ part = m.def_submodule("_pinocchio", "What zwang.pinocchio calls most.");
  pinocchio::bind_spatial(part);
  pinocchio::bind_exponentials(part);
  pinocchio::bind_rotations(part);
  pinocchio::bind_robot(part);
  pinocchio::bind_configurations(part);
  pinocchio::bind_kinematics(part);
  pinocchio::bind_dynamics(part);
  pinocchio::bind_constraints(part);
  explain_wrong_calls(part);
}

}  // namespace zwang::python
