// SPDX-License-Identifier: BSD-3-Clause
// A formula without the operations that no result needs.
#pragma once
#include "zwang/codegen/formula.hpp"

namespace zwang::codegen {

/// The same inputs and results on the nodes that count, in the same order. Node 0 is the constant 0 and stays: operands
/// that are not used name it.
Formula prune(Formula formula);

}  // namespace zwang::codegen
