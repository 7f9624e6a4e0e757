// SPDX-License-Identifier: BSD-3-Clause
// The table of batch kernels for one scalar.
#pragma once
#include <utility>

#include "kernels/batch_tasks.hpp"
#include "kernels/constrained.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

// Their bodies are in gradients.hpp, and are compiled beside the others. States in float are widened.
template <class S> inline constexpr bool k_has_gradients = sizeof(Uniform<S>) == sizeof(double);
template <class S>
void* make_gradient(const void* tree, const double* gravity, const ConstrainedRoom& room, Index joints);
template <class S> void drop_gradient(void* workspace);
template <class S> void gradient(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last);

/// The algorithm of row k on the states [first, last) of a call.
template <class S, int k> void run(void* workspace, const Call<S>& c, long first, long last) {
  for_each_pack<S>(RowAt<k>(), workspace, c, first, last,
                   [&](Workspace<S>& w) ZWANG_LAMBDA { task(RowAt<k>(), w, c); });
}
template <class S, int k> constexpr BatchKernel<Uniform<S>> kernel() {
  constexpr const Algorithm& row = algorithm_list::k_rows[k];
  if constexpr (!row.lanes)
    return nullptr;
  else if constexpr (is_derivative(k))
    return run_derivative<S, k>;
  else {
    static_assert(!row.reads(Takes::seen_from) && !row.reads(Takes::point) && !row.reads(Takes::number),
                  "BatchCall has no place for these arguments yet");
    return run<S, k>;
  }
}

/// Those of all rows, in the order of the list.
template <class S> struct Kernels {
  constexpr Kernels() : Kernels(std::make_integer_sequence<int, k_algorithms>()) {}
  template <int... k> constexpr explicit Kernels(std::integer_sequence<int, k...>) : of{kernel<S, k>()...} {}
  BatchKernel<Uniform<S>> of[k_algorithms];
};

template <class S> constexpr BatchKernels<Uniform<S>> table(const Kernels<S>& kernels) {
  BatchKernels<Uniform<S>> t{};
  t.lanes = lanes_of<S>;
  t.make = make<S>;
  t.drop = drop<S>;
  t.algorithm = kernels.of;
  t.make_constrained = make_constrained<S>;
  t.drop_constrained = drop_constrained<S>;
  t.constrained = constrained<S>;
  t.rollout = rollout<S>;
  if constexpr (k_has_gradients<S>) {
    t.make_gradient = make_gradient<S>;
    t.drop_gradient = drop_gradient<S>;
    t.gradient = gradient<S>;
  }
  return t;
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
