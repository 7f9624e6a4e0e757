// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics (what a reader found) and the exceptions of the public surface.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace zwang {

/// How grave a finding is: an error refuses the model.
enum class Severity { note, warning, error };

/// One finding about a model or a file. `code` is stable (`E_MIMIC`, `W_UNKNOWN_TAG`);
/// the rest tells where and what to do.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;
  std::string file = {};
  int line = 0;               ///< 1-based; 0 where the finding has no place in a file
  int column = 0;             ///< 1-based; that of the element's start
  std::string path = {};      ///< `robot/joint[elbow]/mimic`
  std::string found = {};     ///< the token or name that was read
  std::string expected = {};  ///< what would have been accepted
  std::string hint = {};      ///< what to do about it

  /// `code file:line:col path: found ..., expected ... (hint)`
  std::string text() const;
};

/// Diagnostics in the order found. A reader adds; nobody removes.
using Diagnostics = std::vector<Diagnostic>;

/// A model that cannot be built or a file that cannot be read. Carries everything found up to the refusal.
class ModelError : public std::invalid_argument {
 public:
  explicit ModelError(Diagnostics found);
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const std::string& code() const { return diagnostics_.front().code; }  ///< of the first error

 private:
  Diagnostics diagnostics_;
};

/// A combination that a solver or an algorithm does not support. Names both.
class UnsupportedError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The mass matrix is singular in the direction of a joint (a massless moving tip
/// without rotor inertia). Names the joint.
class SingularMassError : public std::domain_error {
 public:
  explicit SingularMassError(const std::string& joint);
};

/// Finite arguments lead to a result beyond the range of double. Names the function.
class ArithmeticOverflowError : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

/// A workspace (`Data`, `Solver`) was used with a model that it was not made for.
class WorkspaceMismatch : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {
[[noreturn]] void throw_size(const char* function, const char* argument, long got, long expected);
[[noreturn]] void throw_not_finite(const char* function, const char* argument, long entry, double value);
[[noreturn]] void throw_overflow(const char* function);
[[noreturn]] void throw_mismatch(const char* function);
[[noreturn]] void throw_unknown(const char* kind, const std::string& name, const std::vector<std::string>& known);
}  // namespace detail

/// The name in `known` closest to `name`, or an empty string where none is close (for "did you mean").
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace zwang
