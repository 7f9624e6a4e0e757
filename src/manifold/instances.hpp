// SPDX-License-Identifier: BSD-3-Clause
// The pages of the manifold that src/instantiate/manifold.cpp compiles, declared for the rest of the library.
#pragma once
#include "zwang/manifold/page/manifold.hpp"

// One list for the declarations here and the definitions there: HOW is `extern template` or `template`.
#define ZWANG_MANIFOLD_PAGES(HOW, S)                                                                      \
  HOW void page::neutral<S>(const Tree<S>&, S*);                                                          \
  HOW void page::normalize<S>(const Tree<S>&, S*);                                                        \
  HOW void page::integrate<S>(const Tree<S>&, const S*, const S*, S*);                                    \
  HOW void page::difference<S>(const Tree<S>&, const S*, const S*, S*);                                   \
  HOW void page::interpolate<S>(const Tree<S>&, const S*, const S*, const S&, S*);                        \
  HOW S page::squared_distance<S>(const Tree<S>&, const S*, const S*);                                    \
  HOW void page::integrate_jacobians<S>(const Tree<S>&, const S*, const S*, S*, page::MatrixSteps, S*,    \
                                        page::MatrixSteps);                                               \
  HOW void page::difference_jacobians<S>(const Tree<S>&, const S*, const S*, S*, page::MatrixSteps, S*,   \
                                         page::MatrixSteps);                                              \
  HOW void page::transport<S>(const Tree<S>&, const S*, const S*, const S*, page::MatrixSteps, Index, S*, \
                              page::MatrixSteps)

namespace zwang {
ZWANG_MANIFOLD_PAGES(extern template, double);
ZWANG_MANIFOLD_PAGES(extern template, float);
}  // namespace zwang
