// SPDX-License-Identifier: BSD-3-Clause
// TI<T>: which type carries the derivative of a T.
#pragma once
#include "utility.h"
namespace KDL {

template <typename T> struct TI { typedef T Ty; };
template <> struct TI<int> { typedef double Ty; };

}  // namespace KDL
