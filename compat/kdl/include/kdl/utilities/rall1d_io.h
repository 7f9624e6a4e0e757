// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <ostream>

#include "rall1d.h"
#include "utility_io.h"

namespace KDL {

template <class T, class V, class S> std::ostream& operator<<(std::ostream& os, const Rall1d<T, V, S>& r) {
  return os << "Rall1d(" << r.t << "," << r.grad << ")";
}

}  // namespace KDL
