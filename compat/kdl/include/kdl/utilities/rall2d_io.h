// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <ostream>

#include "rall2d.h"
#include "utility_io.h"

namespace KDL {

template <class T, class V, class S> std::ostream& operator<<(std::ostream& os, const Rall2d<T, V, S>& r) {
  return os << "Rall2d(" << r.t << "," << r.d << "," << r.dd << ")";
}

}  // namespace KDL
