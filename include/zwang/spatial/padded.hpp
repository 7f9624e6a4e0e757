// SPDX-License-Identifier: BSD-3-Clause
// Padded<M>: a motion or force of one state as eight numbers, the last two zero, so that recursions
// over bodies move it in one or two registers. Six is such a vector in registers. Both are for double
// only: other scalars have lanes of their own.
//
// All other code uses a Padded as a Motion or Force; the operations below are those of motion.hpp and force.hpp.
#pragma once
#include "zwang/core/wide.hpp"
#include "zwang/spatial/force.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A vector of one state as four numbers, the last one zero; the same quantity of four bodies.
using Vec4 = Wide<double, 4>;
/// A rotation as its columns: the child's axes.
struct Axes4 {
  Vec4 x, y, z;
};

struct Six {
  Wide<double, 8> x;
};

template <class M> struct alignas(64) Padded : M {
  double rest[2];  ///< zero

  Padded() = default;
  ZWANG_INLINE explicit Padded(const M& m) : M(m), rest{0, 0} {}
  ZWANG_INLINE explicit Padded(const Six& s) { s.x.store(numbers()); }
  ZWANG_INLINE Padded(const Padded& o) : M() { o.six().x.store(numbers()); }
  ZWANG_INLINE Padded& operator=(const M& m) {
    M::operator=(m);
    rest[0] = rest[1] = 0;
    return *this;
  }
  ZWANG_INLINE Padded& operator=(const Six& s) {
    s.x.store(numbers());
    return *this;
  }
  ZWANG_INLINE Padded& operator=(const Padded& o) { return *this = o.six(); }
  ZWANG_INLINE Six six() const { return {Wide<double, 8>::load(reinterpret_cast<const double*>(this))}; }
  ZWANG_INLINE double number(int i) const { return reinterpret_cast<const double*>(this)[i]; }

 private:
  ZWANG_INLINE double* numbers() { return reinterpret_cast<double*>(this); }
};
using PaddedMotion = Padded<Motion<double>>;
using PaddedForce = Padded<Force<double>>;
static_assert(sizeof(PaddedMotion) == 64 && sizeof(PaddedForce) == 64);

ZWANG_INLINE Six operator+(const Six& a, const Six& b) { return {a.x + b.x}; }
ZWANG_INLINE Six operator-(const Six& a, const Six& b) { return {a.x - b.x}; }
ZWANG_INLINE Six operator*(const Six& a, double s) { return {a.x * s}; }
template <class M> ZWANG_INLINE Six operator+(const Padded<M>& a, const Six& b) { return a.six() + b; }
template <class M> ZWANG_INLINE Six operator*(const Padded<M>& a, double s) { return a.six() * s; }
template <class M> ZWANG_INLINE void operator+=(Padded<M>& a, const Six& b) { a = a.six() + b; }
template <class M> ZWANG_INLINE void operator-=(Padded<M>& a, const Six& b) { a = a.six() - b; }
template <class M> ZWANG_INLINE void operator+=(Padded<M>& a, const Padded<M>& b) { a += b.six(); }

ZWANG_INLINE double dot(const Six& m, const Six& f) { return sum(m.x * f.x); }
ZWANG_INLINE double dot(const PaddedMotion& m, const PaddedForce& f) { return dot(m.six(), f.six()); }

/// dot(a, f) by plain numbers, which has less latency where a has just been summed up.
template <class S> ZWANG_INLINE S along(const Motion<S>& a, const Force<S>& f) { return dot(a, f); }

}  // namespace ZWANG_ISA
}  // namespace zwang
