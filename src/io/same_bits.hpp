// SPDX-License-Identifier: BSD-3-Clause
// Equality of descriptions to the last bit: 0 and -0 differ, any NaN equals any NaN.
#pragma once
#include <cstdint>

#include "io/description_keys.hpp"

namespace zwang::io {

/// A struct as its members are initialised; a pose that is none.
template <class X> X fresh() {
  if constexpr (std::is_same_v<X, Transform<double>>)
    return X::identity();
  else
    return X{};
}

inline std::uint64_t bits_of(double x) { return x != x ? 0x7ff8000000000000u : __builtin_bit_cast(std::uint64_t, x); }

template <class X> bool same_bits(const X& a, const X& b);

template <class X> class Comparison {
 public:
  Comparison(const X& a, const X& b) : a_(a), b_(b) {}
  template <class M> void operator()(const char*, M X::*m) { same_ = same_ && same_bits(a_.*m, b_.*m); }
  template <class M> void needed(const char* key, M X::*m) { (*this)(key, m); }
  template <class M> void later(const char* key, M X::*m) { (*this)(key, m); }
  void place(SourcePlace X::*) {}
  void user(std::shared_ptr<const UserJoint> X::*m) { same_ = same_ && a_.*m == b_.*m; }
  bool same() const { return same_; }

 private:
  const X &a_, &b_;
  bool same_ = true;
};

template <class X> bool same_bits(const X& a, const X& b) {
  if constexpr (std::is_same_v<X, double>) {
    return bits_of(a) == bits_of(b);
  } else if constexpr (std::is_array_v<X>) {
    bool same = true;
    for (std::size_t k = 0; k < std::extent_v<X>; ++k) same = same && same_bits(a[k], b[k]);
    return same;
  } else if constexpr (FixedNumbers<X>) {
    double x[6] = {}, y[6] = {};
    each(a, [to = x](double v) mutable { *to++ = v; });
    each(b, [to = y](double v) mutable { *to++ = v; });
    return same_bits(x, y);
  } else if constexpr (std::is_same_v<X, Mat3<double>>) {
    return same_bits(a.r0, b.r0) && same_bits(a.r1, b.r1) && same_bits(a.r2, b.r2);
  } else if constexpr (Keyed<X>) {
    Comparison<X> both(a, b);
    keys(both, Type<X>());
    return both.same();
  } else if constexpr (List<X>) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!same_bits(a[k], b[k])) return false;
    return true;
  } else {
    return a == b;
  }
}

}  // namespace zwang::io
