// SPDX-License-Identifier: BSD-3-Clause
// Strong indices: a frame's number is not a body's number.
#pragma once
#include "zwang/core/config.hpp"

namespace zwang {

/// A number of a thing of one kind; below 0: none.
template <class Tag> struct Id {
  Index value = -1;
  constexpr Id() = default;
  constexpr explicit Id(Index v) : value(v) {}
  constexpr explicit operator bool() const { return value >= 0; }
  friend constexpr bool operator==(Id, Id) = default;
};
using JointId = Id<struct JointTag>;  ///< in the order of the model's joints
using LinkId = Id<struct LinkTag>;    ///< in the order of the description
using BodyId = Id<struct BodyTag>;    ///< depth first; 0 is the ground
using FrameId = Id<struct FrameTag>;  ///< links first, then joints, then frames of the user

/// A run of consecutive coordinates.
struct Range {
  Index first = 0, size = 0;
  constexpr Index end() const { return first + size; }
};

}  // namespace zwang
