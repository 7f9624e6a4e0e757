// SPDX-License-Identifier: BSD-3-Clause
// Random: seeded random numbers that do not depend on order or threads.
//
// Number i of a stream is a function of (seed, stream, i) alone: Philox4x32-10 (Salmon, Moraes, Dror &
// Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011), a keyed bijection of a 128-bit counter. Give
// every thread, model or lane its own stream, or jump with `at`. Every call of uniform, normal, integer,
// ... takes exactly one step of the counter.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "zwang/core/config.hpp"

namespace zwang {

/// Four random words from four counter words and two key words.
ZWANG_INLINE std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;  // the golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return c;
}

class Random {
 public:
  ZWANG_INLINE explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// The stream whose first `count` blocks have been computed already (philox4x32 of many streams at once). They must
  /// outlive this object and its copies.
  ZWANG_INLINE Random(std::uint64_t seed, std::uint64_t stream, const std::array<std::uint32_t, 4>* blocks,
                      std::uint64_t count)
      : seed_(seed),
        stream_(stream),
        blocks_(blocks),
        count_(count) {}

  /// The same stream, its next number being number `counter`.
  ZWANG_INLINE Random at(std::uint64_t counter) const {
    Random r(seed_, stream_);
    r.counter_ = counter;
    return r;
  }
  /// How many numbers have been taken; the argument of `at` that continues from here.
  ZWANG_INLINE std::uint64_t counter() const { return counter_; }

  /// In [0, 1), a multiple of 2^-53.
  ZWANG_INLINE double uniform() { return unit(next().a); }
  /// In [a, b); rounding may give b where b - a is a few roundings.
  ZWANG_INLINE double uniform(double a, double b) { return a + (b - a) * uniform(); }
  /// Mean 0, variance 1 (Box & Muller 1958).
  ZWANG_INLINE double normal() {
    const Words w = next();
    return std::sqrt(-2 * std::log(1 - unit(w.a))) * std::cos(k_two_pi * unit(w.b));
  }
  /// In 0 .. n-1, each equally likely to 2^-64; 0 for n = 0.
  ZWANG_INLINE std::uint64_t integer(std::uint64_t n) {
    const Words w = next();  // the integer part of n times the 128-bit fraction 0.ab
    const std::uint64_t low_carry = high_product(w.b, n), low = w.a * n;
    return high_product(w.a, n) + (low + low_carry < low ? 1 : 0);
  }
  /// x, y, z, w of an attitude, uniform over all rotations (Shoemake 1992).
  ZWANG_INLINE std::array<double, 4> unit_quaternion() {
    const std::array<std::uint32_t, 4> block = next_block();  // 32 bits per angle, 64 for the radius
    const double u = unit((std::uint64_t{block[0]} << 32) | block[1]);
    const double s = k_two_pi * 0x1p-32 * block[2], t = k_two_pi * 0x1p-32 * block[3];
    const double a = std::sqrt(1 - u), b = std::sqrt(u);
    return {a * std::sin(s), a * std::cos(s), b * std::sin(t), b * std::cos(t)};
  }

 private:
  struct Words {
    std::uint64_t a, b;
  };
  static constexpr double k_two_pi = 6.283185307179586477;

  ZWANG_INLINE std::array<std::uint32_t, 4> next_block() {
    const std::uint64_t i = counter_++;
    if (i < count_) return blocks_[i];
    return philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                       static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                      {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  }
  ZWANG_INLINE Words next() {
    const std::array<std::uint32_t, 4> w = next_block();
    return {(std::uint64_t{w[0]} << 32) | w[1], (std::uint64_t{w[2]} << 32) | w[3]};
  }
  static ZWANG_INLINE double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  static ZWANG_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
  }

  std::uint64_t seed_, stream_, counter_ = 0;
  const std::array<std::uint32_t, 4>* blocks_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace zwang
