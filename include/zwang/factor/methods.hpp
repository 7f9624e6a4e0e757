// SPDX-License-Identifier: BSD-3-Clause
// The methods of a Solver as values, and what each of them supports.
#pragma once
#include <string>
#include <vector>

namespace zwang {

/// THE list of methods, in the order shown to users. A method is a line here and a file in src/factor/method.
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

/// What a method supports beyond hard and soft rows with the singularity policy truncation. A solver refuses the rest
/// with UnsupportedError, which names the method.
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

/// The names for SolverSettings::method. describe_method() says what each method does, docs/hybrid-dynamics.md compares
/// them.
///
/// `automatic` and the methods of the Popov-Vereshchagin sweep support every problem (`pv_soft` needs a compliance of
/// every row). The methods on the matrices M and J and the methods on the tree have these limits: only singularity
/// truncation, no levels, no uncompensated drivers; `constrained_aba` and `loop_aba` support no mimic joints.
/// UnsupportedError names the method and the constraint or joint that it does not support.
/// Every method keeps its factor for resolve(), solve_columns() and the operators. A solver that was made with another
/// method allocates when it first uses a method that has a workspace of its own.
std::vector<std::string> methods();
/// One line on what a method does; throws std::invalid_argument with the nearest name.
std::string describe_method(const std::string& name);

}  // namespace zwang
