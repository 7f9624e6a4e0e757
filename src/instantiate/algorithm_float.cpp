// SPDX-License-Identifier: BSD-3-Clause
// The pages of the algorithms for float.
#include "algorithm/instances.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {
ZWANG_ALGORITHM_PAGES(, float);
}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
