// SPDX-License-Identifier: BSD-3-Clause
// Which fields of a constraint are keys of documents. The lists stand beside the structs (constraint/types/).
#pragma once
#include "zwang/constraint/constraint_types.hpp"

namespace zwang::io {

/// Not the code of a custom constraint, nor the acceleration, whose key is that of the bound constraint.
template <class M> inline constexpr bool k_is_key =
    !std::is_same_v<M, std::shared_ptr<const CustomRows>> && !std::is_same_v<M, AccelerationKind>;
/// Types whose rows are on the acceleration of one body, which may be spatial.
template <class T> inline constexpr bool k_has_acceleration =
    std::is_same_v<T, FrameConstraint> || std::is_same_v<T, ContactConstraint>;

}  // namespace zwang::io
