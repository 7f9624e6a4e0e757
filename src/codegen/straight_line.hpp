// SPDX-License-Identifier: BSD-3-Clause
// A formula as statements of C, one after the other.
#pragma once
#include <string>

#include "zwang/codegen/generate.hpp"

namespace zwang::codegen {

/// The type of numbers in C.
struct CScalar {
  std::string_view type;    ///< `double`
  std::string_view suffix;  ///< of constants and of functions of math.h: "" or `f`
  bool is_float() const { return !suffix.empty(); }
};

/// A constant in C. Throws UnsupportedError where a float cannot hold it.
std::string literal(double value, const CScalar& scalar);

/// Whether results that are the constant 0 are written, or stand there before.
enum class Zeros { are_written, are_there };

/// The statements that compute a formula and write its results; arguments have the names of the formula. Operations
/// with one use stand in the expression that uses them, as far as it stays short. Sines and cosines of what inputs give
/// without a sine are computed together, by the function `sines` (sines_function); without a name, one by one by
/// math.h.
std::string statements(const Formula& formula, const CScalar& scalar, const std::string& sines,
                       Zeros zeros = Zeros::are_written);

/// A function of C that computes sines and cosines of n angles in a loop without branches.
std::string sines_function(const CScalar& scalar, const std::string& name);

/// Whether a text calls functions of math.h.
bool calls_mathematics(const std::string& text, const CScalar& scalar);

/// Of the nodes of a formula.
OperationCount count_operations(const Formula& formula);

/// A formula whose sines and cosines are a last input `sc`, in pairs, and the formula of the angles that these are of.
struct SinesApart {
  Formula formula, angles;
};
SinesApart with_sines_as_inputs(const Formula& formula);

}  // namespace zwang::codegen
