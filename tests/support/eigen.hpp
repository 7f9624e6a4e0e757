// SPDX-License-Identifier: BSD-3-Clause
// What tests of several folders do with Eigen's matrices.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "zwang/spatial/vec3.hpp"

namespace zwang::test {

inline Eigen::Vector3d eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
inline Eigen::VectorXd eigen(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
/// The largest magnitude, 0 of an empty one.
template <class M> double largest(const M& m) {
  return m.size() == 0 ? 0.0 : static_cast<double>(m.cwiseAbs().maxCoeff());
}

}  // namespace zwang::test
