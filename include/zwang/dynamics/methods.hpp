// SPDX-License-Identifier: BSD-3-Clause
// The methods of a Solver as values, and what each of them supports.
#pragma once
#include <string>

namespace zwang {

/// THE list of methods, in the order shown to users. A method is a line here and a file in src/dynamics/method.
#define ZWANG_SOLVE_METHODS(a_method)                                                                      \
  a_method(automatic) a_method(popov_vereshchagin) a_method(pv_early) a_method(bbo) a_method(pv_soft)      \
      a_method(dense_lu) a_method(dense_qr) a_method(dense_cod) a_method(range_space) a_method(null_space) \
          a_method(test_force) a_method(contact_cholesky) a_method(constrained_aba) a_method(loop_aba)     \
              a_method(embedding)

/// Each method of the list. `settings.method = name_of(SolveMethod::constrained_aba)`.
enum class SolveMethod {
#define ZWANG_VALUE(name) name,
  ZWANG_SOLVE_METHODS(ZWANG_VALUE)
#undef ZWANG_VALUE
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
/// What the method supports: constants of the library, not of a model.
MethodCapabilities capabilities_of(SolveMethod method);

}  // namespace zwang
