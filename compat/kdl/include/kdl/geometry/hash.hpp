// SPDX-License-Identifier: BSD-3-Clause
// std::hash of geometric types, over the bits of their numbers (0 and -0 alike). == has a tolerance: two objects may be
// equal and have different hashes, so that a table finds an object only by the same numbers.
#pragma once
#include "../utilities/hash_combine.h"
#include "difference.hpp"
#include "planar.hpp"

namespace KDL {

namespace detail {
template <class... Parts> std::size_t hash_of(const Parts&... parts) {
  std::size_t seed = 0;
  (hash_combine(seed, parts), ...);
  return seed;
}
inline std::size_t hash_of_numbers(const double* data, int count) {
  std::size_t seed = 0;
  for (int i = 0; i < count; ++i) hash_combine(seed, data[i] + 0.0);
  return seed;
}
}  // namespace detail
}  // namespace KDL

template <> struct std::hash<KDL::Vector> {
  std::size_t operator()(const KDL::Vector& v) const noexcept { return KDL::detail::hash_of_numbers(v.data, 3); }
};
template <> struct std::hash<KDL::Rotation> {
  /// Of the unit quaternion x, y, z, w, as KDL's.
  std::size_t operator()(const KDL::Rotation& R) const noexcept {
    double q[4];
    R.GetQuaternion(q[0], q[1], q[2], q[3]);
    return KDL::detail::hash_of_numbers(q, 4);
  }
};
template <> struct std::hash<KDL::Frame> {
  std::size_t operator()(const KDL::Frame& F) const noexcept { return KDL::detail::hash_of(F.p, F.M); }
};
template <> struct std::hash<KDL::Twist> {
  std::size_t operator()(const KDL::Twist& t) const noexcept { return KDL::detail::hash_of(t.vel, t.rot); }
};
template <> struct std::hash<KDL::Wrench> {
  std::size_t operator()(const KDL::Wrench& w) const noexcept { return KDL::detail::hash_of(w.force, w.torque); }
};
template <> struct std::hash<KDL::Vector2> {
  std::size_t operator()(const KDL::Vector2& v) const noexcept { return KDL::detail::hash_of_numbers(v.data, 2); }
};
template <> struct std::hash<KDL::Rotation2> {
  std::size_t operator()(const KDL::Rotation2& R) const noexcept {
    return KDL::detail::hash_of(R(0, 0) + 0.0, R(1, 0) + 0.0);
  }
};
template <> struct std::hash<KDL::Frame2> {
  std::size_t operator()(const KDL::Frame2& F) const noexcept { return KDL::detail::hash_of(F.p, F.M); }
};
