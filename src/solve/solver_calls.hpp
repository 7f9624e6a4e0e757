// SPDX-License-Identifier: BSD-3-Clause
// Checks that the public calls of a Solver share.
#pragma once
#include <initializer_list>

#include "solve/solver_parts.hpp"

namespace zwang {

/// The parts of a solver that may be asked; throws std::logic_error where it was moved
/// from or is called by rows that it evaluates.
SolverParts& ready(const Owned<SolverParts>& parts, const char* function);

/// A call is in progress while it lives.
class Busy {
 public:
  explicit Busy(SolverParts& s) : s_(s) { s_.busy = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { s_.busy = false; }

 private:
  SolverParts& s_;
};

/// Throws std::logic_error where the last solve has left no factorisation.
void check_factor(const SolverParts& s, const char* function);
/// Throws std::invalid_argument naming the argument.
void check_forces(SolverParts& s, const char* function, const ConstVector& tau, const Externals* external,
                  const Prescribed* prescribed);

/// Why a state is refused, without an exception.
struct Refusal {
  Status status = Status::ok;
  const char* argument = "";
};
struct NamedVector {
  const ConstVector* vector;  ///< of coordinates of the velocity; empty: zeros
  const char* name;
};
Refusal wrong_state(SolverParts& s, const ConstVector& q, std::initializer_list<NamedVector> others,
                    const Externals* external, const Prescribed* prescribed);

/// Reads the set as it is now for use with the last factorisation. An error in the set makes the factorisation invalid.
void read_again(SolverParts& s);
/// Throws where an entry or the size is wrong; empty vectors are not.
void check_vector(const char* function, const char* name, const ConstVector& x, Index size);

}  // namespace zwang
