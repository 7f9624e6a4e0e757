// SPDX-License-Identifier: BSD-3-Clause
// The pages of the algorithms for double.
#include "algorithm/instances.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {
ZWANG_ALGORITHM_PAGES(, double);
}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
