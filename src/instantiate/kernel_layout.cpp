// SPDX-License-Identifier: BSD-3-Clause
// The layout of the types that kernels share with ordinary code, seen by ordinary code.
#include "algorithm/page/articulated_inverse.hpp"
#include "core/kernel_table.hpp"
#include "factor/page/path_stage.hpp"
#include "factor/page/pv_osimr.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {
namespace {

template <class T> constexpr int bytes = static_cast<int>(sizeof(T));

}  // namespace

const KernelLayout ordinary_layout{.data = bytes<BasicData<double>>,
                                   .column = bytes<page::ArticulatedColumn<double>>,
                                   .inverse_scratch = static_cast<int>(page::inverse_scratch<double>),
                                   .rows = bytes<page::RowNumbers<double>>,
                                   .stage = bytes<page::SweepStage<double>>,
                                   .active = bytes<page::ActiveRows<double>>,
                                   .relation = bytes<RelationPage>,
                                   .path_stage = bytes<PathStage>,
                                   .block = bytes<page::RowBlock<double>>,
                                   .node = bytes<page::OsimrNode<double>>};

}  // namespace zwang
