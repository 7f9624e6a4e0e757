// SPDX-License-Identifier: BSD-3-Clause
// Which of the kernels for the factor of M and for M^-1 costs less on a robot (core/kernel_table.hpp, FactorKernels).
#pragma once
#include "zwang/model/model.hpp"

namespace zwang {

/// The factor from M or from articulated bodies, and M^-1 from the factor or from articulated bodies. The numbers of
/// multiplications along the paths decide (measured: factors cost the same near 50 per coordinate, inverses near 14 per
/// entry). Shared coordinates always need M.
struct CheaperFactor {
  bool matrix, rows;
};
CheaperFactor cheaper_factor(const Tree<double>& tree);

}  // namespace zwang
