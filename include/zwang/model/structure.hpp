// SPDX-License-Identifier: BSD-3-Clause
// What hangs where: the link and the joint of a frame, and the coordinates of a subtree.
#pragma once
#include "zwang/model/model.hpp"

namespace zwang {

/// What a frame is fixed to.
struct FramePlace {
  LinkId link;    ///< the link
  JointId joint;  ///< that carries the link; invalid where the link is a root fixed to the world
  /// Of the frame in the link's frame: of a link exactly the identity, of a joint exactly child_origin, of a frame of
  /// the user the product of the placements from the link to it, with the rounding of products.
  Transform<double> pose;
};
/// Throws std::invalid_argument for an id that no frame has.
FramePlace place_of(const Model& model, FrameId frame);

/// The coordinates of the joints behind a link: positions in q and v, ascending, each once. A joint that mimics has
/// those of its leader, wherever that is. Throws std::invalid_argument for an id that no link has.
Layout subtree_layout(const Model& model, LinkId link);
/// The coordinates of the joint and of the joints behind it, likewise.
Layout subtree_layout(const Model& model, JointId joint);

}  // namespace zwang
