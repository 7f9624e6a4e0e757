// SPDX-License-Identifier: BSD-3-Clause
// Model: an immutable robot. Cheap to copy (shared), safe to read from any number of threads.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/core/error.hpp"
#include "zwang/core/index.hpp"
#include "zwang/model/description.hpp"
#include "zwang/model/tree.hpp"

namespace zwang {

struct BuildOptions;  // model/builder.hpp

/// A joint as users see it: one name, its coordinates, its two links.
struct Joint {
  std::string name, type;
  LinkId parent, child;          ///< parent is invalid for the joint between the world and the root link
  Range q, v;                    ///< in the model's configuration and velocity; a mimicking joint shows its leader's
  BodyId body;                   ///< the body it carries; for a lumped fixed joint the body its child was merged into
  Vec3<double> axis;             ///< in the joint frame, unit length
  Mimic mimic;                   ///< leader empty unless the joint mimics
  bool lumped = false;           ///< a fixed joint whose child was merged into the parent's body
  JointDescription description;  ///< as given: limits, dynamics, safety, calibration
};

/// A link as users see it, with its own inertia even where it was merged into a body.
struct Link {
  std::string name;
  BodyId body;    ///< 0 for links merged into the ground
  LinkId parent;  ///< invalid for the root link
  JointId joint;  ///< that carries it; invalid for a fixed root link
  FrameId frame;
  double mass;                ///< [kg]
  Vec3<double> centre;        ///< in the link frame [m]
  Sym3<double> inertia;       ///< about the centre, link axes [kg m^2]
  Transform<double> in_body;  ///< the link frame in the (canonical) body frame
  std::vector<Shape> shapes;
  double gravity_scale;  ///< how much of gravity pulls at its centre of mass
};

/// A joint that closes a loop of the tree. It has no coordinates: it is replaced by rows between its
/// two frames (constraint/types/loop.hpp). Only a ConstraintSet with these rows closes the loop;
/// plain dynamics is that of the open tree.
struct Loop {
  std::string name, type;
  LinkId parent, child;
  FrameId predecessor;           ///< NAME_predecessor: the joint frame on the parent link
  FrameId successor;             ///< NAME_successor: the joint frame on the child link, which meets it at q = 0
  Vec3<double> axis;             ///< in the joint frame, unit length
  Vec3<double> second_axis;      ///< of a universal joint, in the child's frame
  JointDescription description;  ///< as given; limits, dynamics, motor and mimic of it have no effect
};

/// A named frame fixed to a body.
struct Frame {
  enum class Kind { link, joint, user };
  std::string name;
  Kind kind;
  BodyId body;
  LinkId link;                ///< the link it is fixed to
  Transform<double> in_body;  ///< in the (canonical) body frame
};

/// Positions in q and v of the given joints, one after the other: q_other[k] = q[layout.q[k]].
struct Layout {
  std::vector<Index> q, v;
};

class Model {
 public:
  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl);  ///< throws std::invalid_argument where there is none
  // There is no move: a model that has been "moved from" is a copy like the other, not an empty one.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;
  ~Model() = default;

  const std::string& name() const;
  Index nq() const;                     ///< numbers in a configuration
  Index nv() const;                     ///< numbers in a velocity, acceleration or torque
  Index bodies() const;                 ///< moving bodies, without the ground
  double mass() const;                  ///< of everything that moves and of what is merged into the ground [kg]
  const Vec3<double>& gravity() const;  ///< [m/s^2], true gravity: (0, 0, -9.81)
  std::uint64_t id() const;             ///< unique per built model; a Data remembers it

  const std::vector<Joint>& joints() const;  ///< depth first
  const std::vector<Link>& links() const;    ///< in the order of the description
  const std::vector<Frame>& frames() const;  ///< every link, every joint, every frame of the user
  const std::vector<Loop>& loops() const;    ///< in the order of the description
  std::vector<std::string> joint_names() const, link_names() const, frame_names() const;
  /// One name per velocity coordinate: `elbow`, or `root_joint[0]` and so on for several.
  const std::vector<std::string>& coordinate_names() const;

  JointId find_joint(std::string_view name) const;  ///< invalid where there is none
  LinkId find_link(std::string_view name) const;
  FrameId find_frame(std::string_view name) const;
  const Joint& joint(std::string_view name) const;  ///< throws std::invalid_argument with the nearest name
  const Link& link(std::string_view name) const;
  const Frame& frame(std::string_view name) const;
  const Frame& frame(FrameId id) const;

  const std::vector<double>&lower() const, &upper() const;                  ///< [nq]; NaN unknown, +-inf none
  const std::vector<double>&velocity_limit() const, &effort_limit() const;  ///< [nv]
  const std::vector<bool>& actuated() const;                                ///< [nv]
  const std::vector<double>&damping() const, &friction() const;  ///< [nv]; of a mimic group: reflected to its leader
  const std::vector<double>& armature() const;                   ///< [nv] likewise
  Layout layout(const std::vector<std::string>& joint_names) const;

  /// A new model with one more frame fixed to a link or frame.
  Model with_frame(const std::string& name, const std::string& parent, const Transform<double>& pose) const;
  /// What the builder noticed: lumped links, snapped constants, warnings.
  const Diagnostics& diagnostics() const;
  /// The description it was built from.
  const RobotDescription& description() const;
  /// How: build(description(), options()) gives the same model again.
  const BuildOptions& options() const;

  template <class T> const Tree<T>& tree() const;  ///< T is double or float: what kernels read
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Keeps a model alive. Copying and releasing it are calls of ordinary code: kernels hold workspaces without knowing
/// how a model is shared. After a move the source holds none.
class ModelHandle {
 public:
  ModelHandle() = default;
  explicit ModelHandle(const Model& model);
  ModelHandle(const ModelHandle& other);
  ModelHandle(ModelHandle&& other) noexcept
      : model_(std::exchange(other.model_, nullptr)),
        id_(std::exchange(other.id_, 0)) {}
  ModelHandle& operator=(ModelHandle other) noexcept {
    std::swap(model_, other.model_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~ModelHandle() {
    if (model_ != nullptr) drop();
  }
  /// Throws std::logic_error where it holds none.
  const Model& get() const {
    if (model_ == nullptr) [[unlikely]]
      throw_none();
    return *model_;
  }
  std::uint64_t id() const { return id_; }  ///< of the model; 0: none

 private:
  void drop();
  [[noreturn]] static void throw_none();
  const Model* model_ = nullptr;
  std::uint64_t id_ = 0;
};

template <> const Tree<double>& Model::tree<double>() const;
template <> const Tree<float>& Model::tree<float>() const;

}  // namespace zwang
