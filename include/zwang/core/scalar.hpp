// SPDX-License-Identifier: BSD-3-Clause
// The scalar concept: one vocabulary for double, float, long double, std::complex (complex step), Dual and Pack.
//
//   select(mask, a, b)   less(a, b)   any(mask)   all(mask)          values are selected, never branched on
//   sqrt abs min max fma sincos atan2 ...                            the same names for every scalar
//   Uniform<S>                                                       the plain type in which a model constant meets S
//
// A mask has no conversion to bool for packs: code that branches on a value does not compile for lanes.
#pragma once
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "zwang/core/config.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// What a scalar must tell about itself. Specialised beside each scalar type.
template <class S> struct ScalarTraits {
  static_assert(std::is_floating_point_v<S>, "specialise zwang::ScalarTraits for this scalar");
  using Uniform = std::conditional_t<std::is_same_v<S, float>, float, double>;
  static constexpr int lanes = 1;
};
template <class T> struct ScalarTraits<std::complex<T>> {
  using Uniform = T;
  static constexpr int lanes = 1;
};

/// The plain number type (double or float) of model constants beside a state of type S.
template <class S> using Uniform = typename ScalarTraits<S>::Uniform;
/// How many states one S holds.
template <class S> inline constexpr int lanes_of = ScalarTraits<S>::lanes;

/// Sine and cosine of one angle.
template <class S> struct SinCos { S sin, cos; };

// --- plain numbers ----------------------------------------------------------------------------------------
template <class S>
concept Plain = std::is_floating_point_v<S>;

template <Plain S> ZWANG_INLINE bool less(S a, S b) { return a < b; }
template <class S> ZWANG_INLINE S select(bool mask, const S& a, const S& b) { return mask ? a : b; }
ZWANG_INLINE bool any(bool mask) { return mask; }
ZWANG_INLINE bool all(bool mask) { return mask; }
template <Plain S> ZWANG_INLINE S sqrt(S a) { return std::sqrt(a); }
template <Plain S> ZWANG_INLINE S abs(S a) { return std::fabs(a); }
template <Plain S> ZWANG_INLINE S min(S a, S b) { return b < a ? b : a; }
template <Plain S> ZWANG_INLINE S max(S a, S b) { return a < b ? b : a; }
template <Plain S> ZWANG_INLINE S fma(S a, S b, S c) { return a * b + c; }  // contracted where the machine has it
template <Plain S> ZWANG_INLINE S atan2(S y, S x) { return std::atan2(y, x); }
/// The real, derivative-free part in double: for reports and tests, never for algorithms.
template <Plain S> ZWANG_INLINE double value_of(S a) { return static_cast<double>(a); }
/// Neither infinite nor NaN, in all its parts.
template <Plain S> ZWANG_INLINE bool is_finite(S a) { return std::isfinite(a); }

// --- complex step --------------------------------------------------------------------------------------------
// Order and absolute value are those of the real part, so that the step passes through analytically. The functions are
// constrained so that they win over std::sqrt, std::abs, ... which argument-dependent lookup also finds.
template <class T>
requires Plain<T> ZWANG_INLINE bool less(const std::complex<T>& a, const std::complex<T>& b) {
  return a.real() < b.real();
}
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> sqrt(const std::complex<T>& a) { return std::sqrt(a); }
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> abs(const std::complex<T>& a) { return a.real() < 0 ? -a : a; }
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> min(const std::complex<T>& a, const std::complex<T>& b) {
  return less(b, a) ? b : a;
}
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> max(const std::complex<T>& a, const std::complex<T>& b) {
  return less(a, b) ? b : a;
}
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> fma(const std::complex<T>& a, const std::complex<T>& b,
                                                   const std::complex<T>& c) {
  return a * b + c;
}
template <class T>
requires Plain<T> ZWANG_INLINE std::complex<T> atan2(const std::complex<T>& y, const std::complex<T>& x) {
  const T r = y.real() * y.real() + x.real() * x.real();  // first order: all that a complex step carries
  return {std::atan2(y.real(), x.real()), (y.imag() * x.real() - x.imag() * y.real()) / r};
}
template <class T>
requires Plain<T> ZWANG_INLINE double value_of(const std::complex<T>& a) { return static_cast<double>(a.real()); }
template <class T>
requires Plain<T> ZWANG_INLINE bool is_finite(const std::complex<T>& a) {
  return std::isfinite(a.real()) && std::isfinite(a.imag());
}

/// The smallest relative step of the numbers that S stores.
template <class S> inline constexpr Uniform<S> epsilon_of = std::is_same_v<Uniform<S>, float>
                                                                ? Uniform<S>(1.1920928955078125e-07)
                                                                : Uniform<S>(2.220446049250313e-16);
/// Of long double no more than the 64 bits of x86, for which constants and thresholds are made; where it has as many as
/// double, it is double's.
template <> inline constexpr double epsilon_of<long double> =
    std::numeric_limits<long double>::digits < 64 ? 2.220446049250313e-16 : 1.084202172485504434e-19;

}  // namespace ZWANG_ISA
}  // namespace zwang
