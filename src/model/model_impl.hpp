// SPDX-License-Identifier: BSD-3-Clause
// Internal: what a Model is made of, for the sources of this and higher layers. Users read model/model.hpp.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/name_table.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

/// The numbers behind one Tree. Never copied once `tree` points into them.
template <class T> struct TreeArrays {
  std::vector<Body<T>> body;
  std::vector<Column<T>> column;
  std::vector<Passive<T>> passive;  ///< empty where no joint has damping, friction or a spring
  std::vector<BallSpring<T>> ball_spring;
  std::vector<ExcessMass<T>> excess;  ///< empty where every link's gravity_scale is 1
  std::vector<LinkPlace<T>> link;
  std::vector<T> parameters;  ///< of all joints, one after the other
  std::vector<T> q_multiplier, q_offset;
  Tree<T> tree;
};

/// What does not depend on the scalar, and the trees of both scalars.
struct ModelArrays {
  ModelArrays() = default;
  ModelArrays(const ModelArrays&) = delete;
  ModelArrays& operator=(const ModelArrays&) = delete;

  std::vector<Index> angle_q, q_source, shared_of, row_parent, row_first;
  std::vector<SharedCoordinate> shared;
  TreeArrays<double> in_double;
  TreeArrays<float> in_float;
};

/// Constant after building; shared by all copies of a Model.
struct Model::Impl {
  std::string name;
  std::uint64_t id = 0;
  Vec3<double> gravity{0, 0, -9.81};
  double mass = 0;
  double tiny_length = 0;  ///< lengths below are rounding [m]
  std::vector<Joint> joints;
  std::vector<Link> links;
  std::vector<Frame> frames;
  std::vector<Loop> loops;
  std::vector<Index> body_joint;        ///< [n + 1] the joint that each body belongs to; -1 for the ground
  std::vector<Index> coordinate_joint;  ///< [nv] the joint that owns each coordinate (of a mimic group: the leader)
  std::vector<std::string> coordinate_names;
  std::vector<double> lower, upper;                  ///< [nq]
  std::vector<double> velocity_limit, effort_limit;  ///< [nv]
  std::vector<double> damping, friction, armature;   ///< [nv] reflected to the leader of a mimic group
  std::vector<double> stiffness;                     ///< [nv] likewise
  std::vector<bool> actuated;                        ///< [nv]
  detail::NameTable joint_of, link_of;
  detail::NameTable user_frame_of;  ///< of `frames`, those of the user only: frame_number looks everywhere
  Diagnostics diagnostics;
  RobotDescription description;  ///< keeps user-defined joints alive
  BuildOptions options;
  std::shared_ptr<const ModelArrays> arrays;

  Index frame_number(std::string_view frame) const;  ///< links before joints before frames of the user; -1 if unknown
};

}  // namespace zwang
