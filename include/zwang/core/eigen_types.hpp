// SPDX-License-Identifier: BSD-3-Clause
// The types of Eigen that eigen() of vectors, matrices, poses, motions and forces returns. Unaligned, so that structs
// that hold them need no care. Quaternion and Isometry are complete where <Eigen/Geometry> is included.
#pragma once
#include <Eigen/Core>

#include "zwang/core/eigen_shape.hpp"

namespace zwang {

template <class S> struct EigenTypes {
  using Vector3 = Eigen::Matrix<S, 3, 1>;
  using Vector6 = Eigen::Matrix<S, 6, 1, Eigen::DontAlign>;
  using Matrix3 = Eigen::Matrix<S, 3, 3>;
  using Matrix4 = Eigen::Matrix<S, 4, 4, Eigen::DontAlign>;
  using Matrix6 = Eigen::Matrix<S, 6, 6, Eigen::DontAlign>;
  using Quaternion = Eigen::Quaternion<S, Eigen::DontAlign>;
  using Isometry = Eigen::Transform<S, 3, Eigen::Isometry, Eigen::DontAlign>;
};

}  // namespace zwang
