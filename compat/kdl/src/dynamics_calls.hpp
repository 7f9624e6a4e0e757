// SPDX-License-Identifier: BSD-3-Clause
// What the solvers for the dynamics of chains and trees check before they compute.
#pragma once
#include "dynamics.hpp"

namespace KDL::detail {

/// Follows the chain and compares numbers of joints.
template <class... Arrays> int check(Dynamics& dynamics, const Arrays&... arrays) {
  if (const int code = dynamics.refresh(); code != SolverI::E_NOERROR) return code;
  const bool fits = ((arrays.rows() == dynamics.robot().joints()) && ...);
  return fits ? SolverI::E_NOERROR : SolverI::E_SIZE_MISMATCH;
}

inline int take_wrenches(Dynamics& dynamics, const Wrenches& f_ext) {
  if (f_ext.size() != dynamics.robot().segments()) return SolverI::E_SIZE_MISMATCH;
  dynamics.clear_wrenches();
  for (unsigned int i = 0; i < f_ext.size(); ++i) dynamics.add_wrench(i, f_ext[i]);
  return SolverI::E_NOERROR;
}

}  // namespace KDL::detail
