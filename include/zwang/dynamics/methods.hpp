// SPDX-License-Identifier: BSD-3-Clause
// The methods of a Solver as values, and what each of them supports.
#pragma once
#include <string>

namespace zwang {

/// In the order of methods(). `settings.method = name_of(SolveMethod::constrained_aba)`.
enum class SolveMethod {
  automatic,
  popov_vereshchagin,
  pv_early,
  bbo,
  pv_soft,
  dense_lu,
  dense_qr,
  dense_cod,
  range_space,
  null_space,
  test_force,
  contact_cholesky,
  constrained_aba,
  loop_aba,
  embedding,
};
/// As SolverSettings::method takes it.
const char* name_of(SolveMethod method);
/// Throws std::invalid_argument with the nearest name.
SolveMethod solve_method_of(const std::string& name);

/// What a method supports beyond hard and soft rows with the singularity policy truncation. A solver refuses the rest with
/// UnsupportedError, which names the method.
struct MethodCapabilities {
  bool priorities;             ///< rows of several levels
  bool uncompensated_drivers;  ///< drivers that leave a cause of motion uncompensated (Compensate)
  bool singularity_policies;   ///< all of them; else truncation alone
  bool mimic_joints;           ///< joints that share a coordinate
  bool hard_rows;              ///< else every row needs a compliance
  bool lanes;                  ///< batches solve several states at once by the same elimination
};
MethodCapabilities capabilities_of(SolveMethod method);

}  // namespace zwang
