// SPDX-License-Identifier: BSD-3-Clause
// Internal: the steps of building a Model, each in a file of its own.
//
//   build_order         depth-first order and the root joint
//   build_bodies        lumping and canonical frames
//   build_coordinates   columns, mimic groups, elimination order
//   build_effects       limits, rotors, damping, springs, names of coordinates
//   build_massless      joints that move nothing
//   build_frames        joints, links and frames as users see them
//   build_trees         the arrays of Tree<double> and Tree<float>
#pragma once
#include <deque>
#include <optional>

#include "model/model_impl.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang::building {

/// The type behind a name (`continuous` is a revolute joint); a user's table wins.
/// Nothing for `composite` and unknown names.
std::optional<JointTypeInfo> type_of(const std::string& type, const UserJoint* user);

/// A link and how it hangs on its parent.
struct Edge {
  const JointDescription* joint;  ///< nullptr: the link is fixed to the world
  Index link, parent;             ///< parent -1: the world
  bool root;                      ///< the joint was added by the builder
  Index id = -1;                  ///< number of the joint in the model
};

/// Links depth first, siblings in the order of the description.
struct Order {
  std::deque<JointDescription> root_joints;  ///< those that BuildOptions::root adds
  std::vector<Edge> edges;
};
Order order(const RobotDescription& robot, const BuildOptions& options, Diagnostics& found);

/// A body before its numbers: which part of which joint moves it.
struct BodySource {
  Index edge = -1;  ///< -1 for the ground
  Index part = 0;   ///< of a composite joint
  JointTypeInfo type{};
  Index local_q = 0, local_v = 0;             ///< where its coordinates begin among those of its joint
  Index parameters = 0, parameter_count = 0;  ///< in Bodies::parameters
};

struct Bodies {
  std::vector<Body<double>> body;  ///< [n + 1]; placement, inertia and topology are set
  std::vector<BodySource> source;  ///< [n + 1]
  std::vector<double> parameters;
  std::vector<Index> link_body;
  std::vector<Transform<double>> link_in_body;
  std::vector<Index> edge_body;  ///< of each edge: the body that its link belongs to
  std::vector<char> lumped;      ///< of each edge: a fixed joint that made no body
  double tiny = 0;               ///< lengths below are taken for zero
  long snapped = 0;              ///< constants that were taken for 0, 1 or -1
};
Bodies bodies(const RobotDescription& robot, const BuildOptions& options, const Order& order, Diagnostics& found);

/// Whether a joint of which nothing is said has a motor: a body that floats or slides freely has none.
inline bool is_driven_by_default(const JointDescription& joint) {
  return joint.type != "floating" && joint.type != "planar";
}
/// The pose of a frame in itself, to the last bit: most joints have it as their child_origin.
inline bool is_identity(const Transform<double>& x) {
  for (int i = 0; i < 3; ++i) {
    if (x.p[i] != 0) return false;
    for (int j = 0; j < 3; ++j)
      if (x.R(i, j) != (i == j ? 1 : 0)) return false;
  }
  return true;
}
/// Axes are made orthonormal. Entries within 1e-12 of 0 become 0; of +-1 become +-1 where the rest of their row and
/// column is 0, so that what was a rotation stays one. Lengths below `tiny` become 0.
Transform<double> snapped(const Transform<double>& x, double tiny, long& count);
/// The least turn that takes e_z to the unit vector `axis`; exact for the six axes of the frame.
Mat3<double> canonical_rotation(const Vec3<double>& axis);
/// Unit length, entries within 1e-12 of 0 taken for 0. Nothing where there is no direction.
std::optional<Vec3<double>> unit_axis(const Vec3<double>& axis, long& count);

/// Ranges of the model's coordinates for every edge, and whose coordinate drives it how.
struct Coordinates {
  std::vector<Range> q, v;                 ///< [edges]
  std::vector<Index> leader;               ///< [edges] the edge that owns the coordinates: itself unless it mimics
  std::vector<double> multiplier, offset;  ///< [edges] of the leader's coordinate; chains multiplied out
  Index nq = 0, nv = 0;
};
Coordinates coordinates(const BuildOptions& options, const Order& order, const Bodies& bodies, Diagnostics& found);

/// Numbers the coordinates of the spanning tree, fills columns, mimic groups and the elimination tree.
void fill_columns(const Coordinates& coordinates, Bodies& bodies, ModelArrays& arrays);
/// Elimination tree of the joint-space inertia: parent of k = the greatest j < k with L_kj != 0, fill included.
std::vector<Index> elimination_tree(const std::vector<Body<double>>& body, const std::vector<Column<double>>& column,
                                    Index nv);

/// Limits, damping, friction, springs, rotor inertia, actuation and names of coordinates.
void fill_effects(const BuildOptions& options, const Order& order, const Bodies& bodies, const Coordinates& coordinates,
                  ModelArrays& arrays, Model::Impl& impl, Diagnostics& found);

/// Warns of joints at the end of a chain whose share of the mass matrix has no inverse.
void find_massless(const BuildOptions& options, const Order& order, const Bodies& bodies,
                   const Coordinates& coordinates, const ModelArrays& arrays, Diagnostics& found);

/// Warns of joints that move only bodies without inertia, whose motion joints behind them undo.
void find_dependent(const BuildOptions& options, const Order& order, const Bodies& bodies,
                    const Coordinates& coordinates, const ModelArrays& arrays, Diagnostics& found);

/// Joints, links and frames as users see them.
void fill_names_and_frames(const RobotDescription& robot, const Order& order, const Bodies& bodies,
                           const Coordinates& coordinates, Model::Impl& impl, Diagnostics& found);
/// Where a frame of the user with that parent is; the parent is known.
Frame placed_frame(const std::string& name, const Frame& parent, const Transform<double>& pose, double tiny,
                   long& count);
/// The trees that kernels read, from the arrays in double.
void fill_trees(const RobotDescription& robot, const Coordinates& coordinates, Bodies& bodies, ModelArrays& arrays);
/// A number that no other model of this process has.
std::uint64_t next_model_id();

/// Adds an error about a joint.
void refuse(Diagnostics& found, const char* code, const JointDescription& joint, const std::string& what,
            const std::string& expected, const std::string& hint = {});

}  // namespace zwang::building
