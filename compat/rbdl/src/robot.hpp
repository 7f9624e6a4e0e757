// SPDX-License-Identifier: BSD-3-Clause
// Robot: a Model of RBDL as a zwang::Model, with the state of the last call and what was computed from it.
//
// One link of zwang for each movable body, one joint for each of its joints, in a tree of the same shape. zwang orders
// coordinates depth first: `columns` says where each one of RBDL's is. 6-vectors are linear first in zwang.
#pragma once
#include <rbdl/Model.h>
#include <optional>
#include <zwang/algorithm/tree_cholesky.hpp>
#include <zwang/model/builder.hpp>

#include "custom_joint.hpp"

namespace RigidBodyDynamics::detail {

inline Math::Vector3d from(const zwang::Vec3<double>& v) { return {v[0], v[1], v[2]}; }
inline zwang::Vec3<double> to(const Math::Vector3d& v) { return {v[0], v[1], v[2]}; }
inline Math::SpatialVector from(const zwang::Motion<double>& m) {
  Math::SpatialVector out;
  out << m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2];
  return out;
}
inline Math::Matrix3d from(const zwang::Mat3<double>& R) {
  return {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
}
/// The pose of the other frame: R = E^T, p = r.
inline zwang::Transform<double> pose_of(const Math::SpatialTransform& X) {
  zwang::Transform<double> out;
  for (int i = 0; i < 3; ++i) out.R[i] = {X.E(0, i), X.E(1, i), X.E(2, i)};
  out.p = to(X.r);
  return out;
}
/// The transform into a frame of that pose.
inline Math::SpatialTransform transform_of(const zwang::Transform<double>& pose) {
  return {from(pose.R).transpose(), from(pose.p)};
}
inline zwang::Sym3<double> symmetric(const Math::Matrix3d& I) {
  return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

[[noreturn]] void throw_size(const char* function, const char* argument, long got, long expected);
inline void check_size(const char* function, const char* argument, long got, long expected) {
  if (got != expected) throw_size(function, argument, got, expected);
}
inline void check_shape(const char* function, const Math::MatrixNd& M, long rows, long columns) {
  check_size(function, "the matrix's number of rows", M.rows(), rows);
  check_size(function, "the matrix's number of columns", M.cols(), columns);
}

/// A point or frame of a body with an id: the movable body, and the transform from it to a fixed one.
struct Place {
  unsigned int body;
  zwang::FrameId frame;
  Math::SpatialTransform in_body;
  bool is_fixed;
};

class Robot {
 public:
  explicit Robot(Model& source);

  // What a call is given, in RBDL's order; nothing is computed yet.
  void set_q(const char* function, const Math::VectorNd& Q);
  void set_v(const char* function, const Math::VectorNd& QDot);
  void set_a(const char* function, const Math::VectorNd& QDDot);
  /// What of these is given.
  void set(const char* function, const Math::VectorNd& Q, const Math::VectorNd* QDot, const Math::VectorNd* QDDot) {
    set_q(function, Q);
    if (QDot != nullptr) set_v(function, *QDot);
    if (QDDot != nullptr) set_a(function, *QDDot);
  }
  /// Reads gravity and computes the kinematics up to positions (1), velocities (2) or accelerations (3), where they
  /// are not there, and writes the vectors of the Model.
  void update(int level);
  /// Gravity as the Model has it now.
  void read_gravity();

  Place place(const char* function, unsigned int body_id) const;
  /// Vectors of coordinates: to zwang's order and back.
  void to_model(const char* function, const char* argument, const Math::VectorNd& in, Math::VectorNd& out) const;
  template <class V>
  void from_model(const char* function, const char* argument, const V& in, Math::VectorNd& out) const {
    check_size(function, argument, out.size(), static_cast<long>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) out[static_cast<long>(k)] = in[columns[k]];
  }
  /// The wrenches of f_ext for the calls of zwang.
  zwang::ExternalsIn externals(const char* function, const std::vector<Math::SpatialVector>* f_ext);
  double moving_mass() const;
  /// Q moved by a step of velocity coordinates, in RBDL's order.
  void integrate(const Math::VectorNd& step, Math::VectorNd& Q);
  /// A configuration of zwang's order in RBDL's.
  void write_q(const Eigen::Ref<const Math::VectorNd>& from, Math::VectorNd& Q) const;

  std::vector<std::unique_ptr<ProgramJoint>> programs;  ///< custom joints, which functions of the model refer to
  zwang::Model model;
  zwang::Data data;             ///< of kinematics: written by update() alone
  zwang::Data scratch;          ///< of everything else
  Math::VectorNd q, v, a, tau;  ///< zwang's order: the last state, and torques of the call in progress
  Math::MatrixNd jacobian, matrix;
  std::vector<zwang::Index> columns;  ///< zwang's index of each of RBDL's coordinates of velocity
  zwang::TreeCholesky& cholesky();
  bool cholesky_is_current = false;

 private:
  struct Coordinates {
    unsigned int q_index, w_index, dof;
    zwang::Index q;
    bool is_spherical;
  };
  void write_vectors(int level);

  Model* source_;
  std::vector<zwang::FrameId> frames_;  ///< of movable bodies; 0: the base
  std::vector<Coordinates> coordinates_;
  zwang::Externals externals_;
  std::optional<zwang::TreeCholesky> cholesky_;
  int level_ = 0;
};

}  // namespace RigidBodyDynamics::detail
