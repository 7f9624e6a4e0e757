// SPDX-License-Identifier: BSD-3-Clause
// hash_combine: the hash of several values.
#pragma once
#include <cstddef>
#include <functional>

namespace KDL {

/// Mixes the hash of a value into a seed.
template <class T> void hash_combine(std::size_t& seed, const T& value) {
  seed ^= std::hash<T>{}(value) + 0x9e3779b9 + (seed << 6) + (seed >> 2);
}

}  // namespace KDL
