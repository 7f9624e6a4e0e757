// SPDX-License-Identifier: BSD-3-Clause
// What the codes of ChainIkSolverPos_NR and ChainIkSolverPos_NR_JL say.
#pragma once
#include <kdl/chainiksolverpos_nr.hpp>

namespace KDL::detail {

inline const char* failed_or(const char* other, int code) {
  switch (code) {
    case ChainIkSolverPos_NR::E_IKSOLVER_FAILED: return "The solver for velocities failed";
    case ChainIkSolverPos_NR::E_FKSOLVERPOS_FAILED: return "The solver for forward kinematics failed";
    default: return other;
  }
}

}  // namespace KDL::detail
