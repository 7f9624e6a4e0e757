// SPDX-License-Identifier: BSD-3-Clause
// The main that a generated source keeps: ten states of each function and the library's results there.
#pragma once
#include <string>
#include <vector>

#include "codegen/examples.hpp"
#include "codegen/straight_line.hpp"

namespace zwang::codegen {

/// A function with what its text is made of.
struct Written {
  GeneratedFunction function;
  Formula formula;
  std::vector<Example> examples;
};

/// What the self-test lets results differ by, beside the scale of an example. Where pivots are checked, so many digits
/// may be lost with the status 0.
double tolerance(const Formula& formula, bool in_float);

/// Text of C behind `#ifdef NAME_SELF_TEST`; `upper_name` is NAME.
std::string self_test(const std::vector<Written>& all, const std::string& name, const std::string& upper_name,
                      const CScalar& scalar);

}  // namespace zwang::codegen
