// SPDX-License-Identifier: BSD-3-Clause
// As text: the names of its types are those of the compiler (d: double).
#pragma once
#include <ostream>
#include <typeinfo>

#include "rall1d.h"
#include "utility_io.h"

namespace KDL {

template <class T, class V, class S> std::ostream& operator<<(std::ostream& os, const Rall1d<T, V, S>& r) {
  return os << "Rall1d<" << typeid(T).name() << ", " << typeid(V).name() << ", " << typeid(S).name() << ">(" << r.t
            << "," << r.grad << ")";
}

}  // namespace KDL
