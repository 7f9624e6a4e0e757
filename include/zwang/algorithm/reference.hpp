// SPDX-License-Identifier: BSD-3-Clause
// Reference point and axes of a motion or a wrench; joint effects that count; external wrenches.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "zwang/core/eigen_types.hpp"
#include "zwang/model/data.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Reference point and axes of a motion.
enum class Reference {
  local,                ///< the frame's origin and axes
  world,                ///< the world's origin and axes
  local_world_aligned,  ///< the frame's origin, the world's axes
};

}  // namespace ZWANG_ISA

/// `local`, `world`, `local_world_aligned`; throws std::invalid_argument naming the three.
Reference reference_of(const std::string& word);

/// Which acceleration of a point is meant: that of the point itself, or the rate of the spatial velocity at a fixed
/// point of space.
enum class AccelerationKind {
  classical,  ///< d/dt of the velocity of the point: what an accelerometer (plus gravity) sees
  spatial,    ///< classical minus w x v
};

/// Which effects of joints count in a dynamics call.
struct JointEffects {
  bool armature = true;   ///< reflected rotor inertia
  bool damping = true;    ///< -d v
  bool springs = true;    ///< -k (q - reference); of spherical joints -k log(R_0^T R)
  bool friction = false;  ///< Coulomb: -c sign(v)
  /// (gravity_scale - 1) m g at the centre of mass of each link: off, gravity pulls at all links alike.
  bool gravity_scale = true;
};

/// A frame as calls take it: an id, or a name, which is looked up in every call (no allocation; unknown names throw
/// std::invalid_argument with the nearest one).
class FrameIn {
 public:
  FrameIn(FrameId id) : id_(id) {}
  FrameIn(const char* name) : name_(name), named_(true) {}
  FrameIn(std::string_view name) : name_(name), named_(true) {}
  FrameIn(const std::string& name) : name_(name), named_(true) {}
  bool named() const { return named_; }
  FrameId id() const { return id_; }
  std::string_view name() const { return name_; }

 private:
  FrameId id_;
  std::string_view name_;
  bool named_ = false;
};

/// An external wrench on a frame. [force; moment about the frame's origin, or about the world's for `world`].
struct ExternalWrench {
  FrameId frame;
  double wrench[6] = {0, 0, 0, 0, 0, 0};  ///< [N, N m]
  Reference in = Reference::local_world_aligned;
};
/// A wrench [f; n] on a frame, about its origin, in the axes of `in`.
ExternalWrench external_wrench(const Model& model, FrameIn frame, const double (&wrench)[6],
                               Reference in = Reference::local_world_aligned);
ExternalWrench external_wrench(const Model& model, FrameIn frame, const Force<double>& wrench,
                               Reference in = Reference::local_world_aligned);

/// A vector that a call reads.
using VectorIn = const Eigen::Ref<const Eigen::VectorXd>&;
/// A vector that a call writes; its size must fit already.
using VectorOut = Eigen::Ref<Eigen::VectorXd>;
/// A matrix that a call reads.
using MatrixIn = const Eigen::Ref<const Eigen::MatrixXd>&;
/// A matrix that a call writes; its shape must fit already.
using MatrixOut = Eigen::Ref<Eigen::MatrixXd>;
/// A result that lives in Data until the same function is called again on it.
using VectorView = Eigen::Map<const Eigen::VectorXd>;
/// Wrenches from outside on frames of the robot.
using Externals = std::vector<ExternalWrench>;
/// Wrenches as a call takes them: none, a vector, or a list in braces, that live as long as the call.
class ExternalsIn {
 public:
  ExternalsIn() = default;
  ExternalsIn(const Externals& list) : data_(list.data()), size_(static_cast<Index>(list.size())) {}
  ExternalsIn(std::initializer_list<ExternalWrench> list) : size_(static_cast<Index>(list.size())) {
    data_ = list.begin();
  }
  const ExternalWrench* data() const { return data_; }
  Index size() const { return size_; }

 private:
  const ExternalWrench* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace zwang
