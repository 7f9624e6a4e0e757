// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a constrained solution's derivatives by elimination, at one instruction set.
#include "algorithm/page/inverse_by_rows.hpp"
#include "constraint/page/row_matrices.hpp"
#include "core/kernel_table.hpp"
#include "kernels/gross_inertia.hpp"
#include "linear/page/small_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
using In = page::ByColumns<const double>;
using Out = page::ByColumns<double>;
const Tree<double>& tree_of(const void* tree) { return *static_cast<const Tree<double>*>(tree); }

void row_matrices(void* data, const void* parts, Index count, const Index* place, Index height, double* const* out,
                  unsigned char* moves) {
  page::row_matrices(*static_cast<State*>(data), static_cast<const BasicRowPart<double>*>(parts), count, place,
                     page::RowMatricesView<double>{out[0], out[1], out[2], out[3], height, moves});
}

Index mass_inverse(void* d, double* M, double* out) {
  State& data = *static_cast<State*>(d);
  const page::TreeFactor<double> f = page::tree_factor(data.tree(), M, data.tree().nv);
  double* const bound = data.work.data();
  gross_inertias_of_rows(data, bound);
  Index singular = -1;
  page::ltl_factor(f, [&](Index k, double pivot) ZWANG_LAMBDA {
    if (!(pivot > 32 * epsilon_of<double> * bound[k]) && singular < 0) singular = k;
  });
  if (singular < 0) page::inverse_by_rows(f, out, page::row_of_inverse(f.n), out);
  return singular;
}

/// Where four columns of a matrix that is zero but along paths may have other numbers.
class Related {
 public:
  Related(const Tree<double>& tree, Index* room) : tree_(tree), list_(room), seen_(room + tree.nv) {
    for (Index k = 0; k < tree.nv; ++k) seen_[k] = -1;
  }
  page::InnerList of(Index first, Index columns) {
    Index count = 0, end = first + columns;
    for (Index k = first; k < first + columns; ++k) {
      end = tree_.column[k].end > end ? tree_.column[k].end : end;
      for (Index j = tree_.column[k].parent; j >= 0 && seen_[j] != first; j = tree_.column[j].parent) {
        seen_[j] = first;
        if (j < first) list_[count++] = j;
      }
    }
    for (Index k = first; k < end; ++k) list_[count++] = k;
    return {list_, count};
  }

 private:
  const Tree<double>& tree_;
  Index *list_, *seen_;
};

void negative_product(const void* t, bool along_paths, const double* A, Index a_stride, const double* B, double* out,
                      Index stride, Index* room) {
  const Tree<double>& tree = tree_of(t);
  const Index n = tree.nv;
  const In a{A, a_stride}, b{B, n}, none{nullptr, 0};
  const Out to{out, stride};
  if (tree.mimic || !along_paths) {
    page::add_product<false, true>(n, n, {nullptr, n}, a, b, none, to);
    return;
  }
  Related related(tree, room);
  page::ProductRegister<double> unbounded(0.0);
  Index c = 0;
  for (; c + 4 <= n; c += 4) page::add_columns<4, true, true>(n, c, related.of(c, 4), a, b, none, to, unbounded);
  for (; c < n; ++c) page::add_columns<1, true, true>(n, c, related.of(c, 1), a, b, none, to, unbounded);
}

bool add_product(Index rows, Index columns, const Index* list, Index count, const double* A, Index a_stride,
                 const double* B, Index b_stride, const double* from, Index from_stride, double* out, Index stride) {
  const In a{A, a_stride}, b{B, b_stride}, start{from, from_stride};
  if (list != nullptr)
    return page::add_product<true, false>(rows, columns, {list, count}, a, b, start, Out{out, stride});
  return page::add_product<false, false>(rows, columns, {nullptr, count}, a, b, start, Out{out, stride});
}

bool negative_inverse(Index n, double* A, Index stride) { return page::negative_inverse(n, Out{A, stride}); }
void transpose(Index rows, Index columns, const double* from, Index from_stride, double* to, Index stride) {
  page::transpose(rows, columns, In{from, from_stride}, Out{to, stride});
}
bool put_columns(Index rows, Index columns, const double* from, Index stride, double* to) {
  return page::put_columns(rows, columns, In{from, stride}, to);
}

}  // namespace

extern const EliminationKernels elimination_kernels;
const EliminationKernels elimination_kernels{row_matrices,     mass_inverse, negative_product, add_product,
                                             negative_inverse, transpose,    put_columns};

}  // namespace ZWANG_ISA
}  // namespace zwang
