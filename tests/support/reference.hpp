// SPDX-License-Identifier: BSD-3-Clause
// An independent O(n^3) reference for every kernel: dense, long double, from the definitions of mechanics.
//
// Every link is a rigid body of its own, fixed joints included. Poses are products of joint motions on jets, which
// gives the velocity of each point exactly: Jacobians are first derivatives of poses along the coordinates, their rates
// mixed second derivatives. Dynamics are Newton's and Euler's laws about each centre of mass, projected by those
// Jacobians (Kane). No spatial algebra, no recursion over inertias, no code of the library beyond its descriptions and
// the places of coordinates.
//
//   const Reference robot(description, options, model);
//   const State s = robot.at(q, v);                       // doubles are widened
//   s.mass_matrix(), s.bias(), s.jacobian("tool0", Axes::local)
#pragma once
#include <memory>

#include "support/reference_joints.hpp"
#include "zwang/core/index.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::reference {

template <class S> using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S> using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S> using Vector6 = Eigen::Matrix<S, 6, 1>;  ///< [linear; angular]
template <class S> using Matrix6X = Eigen::Matrix<S, 6, Eigen::Dynamic>;

/// Where a twist, an acceleration or a wrench is referred to: frame origin and frame axes; world origin and axes; frame
/// origin in world axes.
enum class Axes { local, world, local_world_aligned };
enum class Kind { spatial, classical };

/// Which joint effects count (defaults of the library).
struct Effects {
  bool armature = true, damping = true, springs = true, friction = false;
  static Effects none() { return {false, false, false, false}; }
  static Effects inertial() { return {true, false, false, false}; }  ///< armature alone
};

/// Places of the joints in q and v, by name.
struct Coordinates {
  int nq = 0, nv = 0;
  std::map<std::string, std::pair<Range, Range>> of = {};
};
Coordinates coordinates_of(const Model& model);
/// Depth first, joints of a link in the order of the description: what a Model must come to.
Coordinates depth_first_coordinates(const RobotDescription& robot, const BuildOptions& options = {});

struct RigidLink {
  std::string name;
  Real mass = 0;
  Vector3<Real> centre = Vector3<Real>::Zero();   ///< link frame
  Matrix3<Real> inertia = Matrix3<Real>::Zero();  ///< about the centre, link axes
  int parent = -1;                                ///< link; -1 is the ground
  int joint = -1;
};
struct SpanningJoint {
  std::string name;
  int parent = -1, child = -1;  ///< links
  Pose<Real> origin = {};
  std::vector<Part> parts = {};
  Range q = {}, v = {};             ///< in the model's coordinates; a follower's are its leader's
  Real multiplier = 1, offset = 0;  ///< q = multiplier q_leader + offset
  std::vector<Real> armature = {}, damping = {}, friction = {}, stiffness = {},
                    spring_reference = {};  ///< [nv] of this joint
};
struct NamedFrame {
  int link = -1;
  Pose<Real> placement = {};
};

template <class S> class StateOf;
using State = StateOf<Real>;

class Reference {
 public:
  Reference(const RobotDescription& robot, const BuildOptions& options, const Model& model,
            const UserMotions& user = {});
  Reference(const RobotDescription& robot, const BuildOptions& options, const Coordinates& layout,
            const UserMotions& user = {});

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const std::vector<RigidLink>& links() const { return links_; }        ///< parent before child
  const std::vector<SpanningJoint>& joints() const { return joints_; }  ///< joints_[links_[i].joint] carries link i
  const Vector3<Real>& gravity() const { return gravity_; }
  /// A link, a frame of the description, an added frame, or a joint (its child link's frame).
  /// Throws where there is none.
  const NamedFrame& frame(const std::string& name) const;
  const SpanningJoint& joint(const std::string& name) const;
  void add_frame(const std::string& name, const std::string& parent, const Transform<double>& pose);
  void set_gravity(const Vector3<Real>& g) { gravity_ = g; }
  /// Replaces the inertia of a link: what a payload or an override must come to.
  void set_link(const LinkDescription& link);
  /// Whether a link moves with q; links on the ground have no motion, but mass.
  bool moves(int link) const;

  template <class Q, class V> State at(const Eigen::MatrixBase<Q>& q, const Eigen::MatrixBase<V>& v) const;
  template <class Q> State at(const Eigen::MatrixBase<Q>& q) const;
  /// q (+) d
  VectorX<Real> integrate(const VectorX<Real>& q, const VectorX<Real>& d) const;
  /// q (+) i h d for the complex step.
  VectorX<Complex> complex_step(const VectorX<Real>& q, const VectorX<Real>& d, Real h) const;

 private:
  void read_links(const RobotDescription& robot, const BuildOptions& options);
  void read_joints(const RobotDescription& robot, const BuildOptions& options, const Coordinates& layout,
                   const UserMotions& user);
  void read_frames(const RobotDescription& robot);

  int nq_ = 0, nv_ = 0;
  Vector3<Real> gravity_ = Vector3<Real>::Zero();
  std::vector<RigidLink> links_;
  std::vector<SpanningJoint> joints_;
  std::map<std::string, int> link_index_, joint_index_;
  std::map<std::string, NamedFrame> frames_;
};

/// A wrench on a frame's link, [force; moment].
template <class S> struct ExternalOf {
  std::string frame;
  Vector6<S> wrench;
  Axes in = Axes::local_world_aligned;
};
using External = ExternalOf<Real>;

/// Everything at one (q, v). S is Real, or Complex for the complex step.
template <class S> class StateOf {
 public:
  using Externals = std::vector<ExternalOf<S>>;
  StateOf(const Reference& robot, VectorX<S> q, VectorX<S> v);

  const VectorX<S>& q() const { return q_; }
  const VectorX<S>& v() const { return v_; }
  Pose<S> pose(const std::string& frame) const;
  Matrix6X<S> jacobian(const std::string& frame, Axes in) const;
  Matrix6X<S> jacobian_dot(const std::string& frame, Axes in) const;  ///< rate of the matrix above
  Vector6<S> velocity(const std::string& frame, Axes in) const;
  /// Physical (gravity is not in it). Spatial in local_world_aligned:
  /// the spatial acceleration moved to the frame's origin.
  Vector6<S> acceleration(const std::string& frame, const VectorX<S>& a, Axes in, Kind kind) const;
  VectorX<S> generalised_force(const Externals& external) const;  ///< sum of J^T W

  MatrixX<S> mass_matrix(const Effects& effects = {}) const;
  VectorX<S> bias(const Externals& external = {}, const Effects& effects = {}) const;  ///< ID at zero acceleration
  VectorX<S> gravity_forces() const;
  VectorX<S> joint_forces(const Effects& effects = {}) const;  ///< damping v + k (q - ref) + f sign(v), as in ID
  MatrixX<S> coriolis_matrix() const;                          ///< C v = velocity terms of h, M' = C + C^T
  VectorX<S> inverse_dynamics(const VectorX<S>& a, const Externals& external = {}, const Effects& effects = {}) const;
  VectorX<S> forward_dynamics(const VectorX<S>& tau, const Externals& external = {}, const Effects& effects = {}) const;

  S kinetic_energy(const Effects& effects = {}) const;  ///< rotors included where armature counts
  S potential_energy(bool ground = false) const;        ///< -sum m g.c; `ground` adds links that cannot move
  S mass(bool ground = false) const;
  Vector3<S> centre_of_mass(bool ground = false) const;
  MatrixX<S> centre_of_mass_jacobian(bool ground = false) const;
  Vector3<S> centre_of_mass_velocity(bool ground = false) const;
  Vector3<S> centre_of_mass_acceleration(const VectorX<S>& a, bool ground = false) const;
  Vector6<S> momentum() const;          ///< linear; angular about the centre of mass of what moves, world axes
  Matrix6X<S> momentum_matrix() const;  ///< momentum = A v
  /// The wrench that each joint transmits from parent to child, at the child's
  /// origin in the child's axes, by joint name.
  std::map<std::string, Vector6<S>> joint_wrenches(const VectorX<S>& a, const Externals& external = {}) const;

 private:
  struct Moving {  ///< of one link, world axes
    Pose<S> pose;
    Matrix6X<S> J, Jdot;                            ///< of the link frame's origin
    Vector3<S> c;                                   ///< centre of mass
    Eigen::Matrix<S, 3, Eigen::Dynamic> Jc, Jcdot;  ///< of the centre of mass
    Matrix3<S> inertia;                             ///< about the centre
  };
  Pose<Jet<S>> relative_pose(const SpanningJoint& joint, int along) const;
  void differentiate(int k, const std::vector<Pose<Jet<S>>>& relative, const std::vector<Pose<Jet<S>>>& at_rest);
  /// Force through the centre of mass and moment about it that the motion asks for, gravity taken off.
  std::pair<Vector3<S>, Vector3<S>> newton_euler(int link, const VectorX<S>& a, const Vector3<Real>& gravity) const;
  VectorX<S> projected(const VectorX<S>& a, const Vector3<Real>& gravity) const;
  VectorX<S> armature() const;

  /// A copy: a state outlives the Reference it was made from, and does not change with it.
  std::shared_ptr<const Reference> robot_;
  VectorX<S> q_, v_;
  std::vector<Moving> links_;
};

template <class Q, class V> State Reference::at(const Eigen::MatrixBase<Q>& q, const Eigen::MatrixBase<V>& v) const {
  return State(*this, q.template cast<Real>(), v.template cast<Real>());
}
template <class Q> State Reference::at(const Eigen::MatrixBase<Q>& q) const {
  return State(*this, q.template cast<Real>(), VectorX<Real>::Zero(nv_));
}

extern template class StateOf<Real>;
extern template class StateOf<Complex>;

}  // namespace zwang::reference
