// SPDX-License-Identifier: BSD-3-Clause
#include <kdl/solveri.hpp>

namespace KDL {

const char* SolverI::strError(const int code) const {
  switch (code) {
    case E_NOERROR: return "No error";
    case E_DEGRADED: return "Converged but degraded solution";
    case E_NO_CONVERGE: return "Failed to converge";
    case E_UNDEFINED: return "Undefined value";
    case E_NOT_UP_TO_DATE: return "Internal data structures not up to date with Chain";
    case E_SIZE_MISMATCH: return "The size of the input does not match the internal state";
    case E_MAX_ITERATIONS_EXCEEDED: return "The maximum number of iterations is exceeded";
    case E_OUT_OF_RANGE: return "The requested index is out of range";
    case E_NOT_IMPLEMENTED: return "The requested function is not yet implemented";
    case E_SVD_FAILED: return "SVD failed";
    default: return "UNKNOWN ERROR";
  }
}

}  // namespace KDL
