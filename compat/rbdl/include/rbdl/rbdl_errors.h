// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of RBDL's names. Arguments that zwang itself refuses (NaN, a mass matrix that is singular) come as
// exceptions of the standard library.
#pragma once
#include <exception>
#include <string>

namespace RigidBodyDynamics {
namespace Errors {

/// What all others are derived from.
class RBDLError : public std::exception {
 public:
  explicit RBDLError(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 protected:
  std::string text_;
};

/// An argument that has no meaning: an unknown id, a name that is taken, an axis of length zero.
class RBDLInvalidParameterError : public RBDLError {
 public:
  using RBDLError::RBDLError;
};

/// A vector or matrix of the wrong size.
class RBDLSizeMismatchError : public RBDLInvalidParameterError {
 public:
  using RBDLInvalidParameterError::RBDLInvalidParameterError;
};

/// A joint with another number of degrees of freedom than a call needs.
class RBDLDofMismatchError : public RBDLError {
 public:
  using RBDLError::RBDLError;
};

/// What this library does not serve. The text names zwang's own way.
class RBDLMissingImplementationError : public RBDLError {
 public:
  using RBDLError::RBDLError;
};

/// A file that cannot be read.
class RBDLInvalidFileError : public RBDLError {
 public:
  using RBDLError::RBDLError;
};

/// A file that is read and refused.
class RBDLFileParseError : public RBDLInvalidFileError {
 public:
  using RBDLInvalidFileError::RBDLInvalidFileError;
};

}  // namespace Errors
}  // namespace RigidBodyDynamics
