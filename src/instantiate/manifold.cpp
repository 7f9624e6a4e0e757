// SPDX-License-Identifier: BSD-3-Clause
// The pages of the manifold, compiled for double and float.
#include "manifold/instances.hpp"

namespace zwang {
ZWANG_MANIFOLD_PAGES(template, double);
ZWANG_MANIFOLD_PAGES(template, float);
}  // namespace zwang
