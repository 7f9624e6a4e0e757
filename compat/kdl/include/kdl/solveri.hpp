// SPDX-License-Identifier: BSD-3-Clause
// SolverI: what all solvers say of their last call. 0: it succeeded; above 0: it succeeded with a loss; below 0: it
// failed, and the results are as they were before.
#pragma once

namespace KDL {

class SolverI {
 public:
  enum {
    /// A result that meets its definition, but not the whole task.
    E_DEGRADED = +1,
    E_NOERROR = 0,
    /// The iteration did not come to the result.
    E_NO_CONVERGE = -1,
    /// The input has no result: numbers that are not finite, or a joint that nothing resists.
    E_UNDEFINED = -2,
    /// Segments were added or removed: call updateInternalDataStructures().
    E_NOT_UP_TO_DATE = -3,
    E_SIZE_MISMATCH = -4,
    E_MAX_ITERATIONS_EXCEEDED = -5,
    E_OUT_OF_RANGE = -6,
    E_NOT_IMPLEMENTED = -7,
    E_SVD_FAILED = -8
  };

  SolverI() : error(E_NOERROR) {}
  virtual ~SolverI() = default;

  virtual int getError() const { return error; }
  /// A sentence for a code, of the solver's own ones (beyond +-100), too.
  virtual const char* strError(const int code) const;
  /// Adapts the solver to a chain or tree that got other segments. The only call that allocates after construction.
  virtual void updateInternalDataStructures() = 0;

 protected:
  int error;  ///< of the last call
};

}  // namespace KDL
