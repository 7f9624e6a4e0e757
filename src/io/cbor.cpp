// SPDX-License-Identifier: BSD-3-Clause
// Reading CBOR from untrusted sources. Nothing is reserved for a declared length: memory grows with the bytes read.
#include <cmath>
#include <set>

#include "io/document.hpp"
#include "zwang/core/findings.hpp"
#include "zwang/io/json.hpp"

namespace zwang::io {
namespace {

class CborReader {
 public:
  CborReader(std::span<const std::uint8_t> bytes, const std::string& name) : bytes_(bytes), name_(name) {}
  Json all() {
    Json x = item(0);
    if (next_ != bytes_.size()) fail("there is more after the end of the document");
    return x;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw JsonError(name_ + ": byte " + std::to_string(next_) + ": " + what);
  }
  std::uint64_t big_endian(int count) {
    if (bytes_.size() - next_ < static_cast<std::size_t>(count)) fail("the document ends within a number");
    std::uint64_t x = 0;
    for (int k = 0; k < count; ++k) x = x << 8 | bytes_[next_++];
    return x;
  }
  /// The number in the head of an item: its value or its length.
  std::uint64_t argument(int low) {
    if (low < 24) return static_cast<std::uint64_t>(low);
    if (low > 27) fail(low == 31 ? "a length that is not definite" : "a head that CBOR does not define");
    return big_endian(1 << (low - 24));
  }
  /// A count of things of at least so many bytes each.
  std::size_t count(int low, std::size_t least) {
    const std::uint64_t n = argument(low);
    if (n > (bytes_.size() - next_) / least) fail("a length of " + std::to_string(n) + ", longer than the document");
    return static_cast<std::size_t>(n);
  }
  std::string text(int low) {
    const std::size_t n = count(low, 1);
    std::string x(reinterpret_cast<const char*>(bytes_.data()) + next_, n);
    if (detail::broken_utf8(x) != std::string_view::npos) fail("a text that is not UTF-8");
    next_ += n;
    return x;
  }
  Json list(int low, int depth) {
    Json x = Json::array();
    for (std::size_t k = count(low, 1); k > 0; --k) x.push_back(item(depth + 1));
    return x;
  }
  Json map(int low, int depth) {
    const std::size_t n = count(low, 2);
    if (n > k_json_keys) fail(std::to_string(n) + " keys in one map, at most " + std::to_string(k_json_keys));
    Json x = Json::object();
    std::set<std::string> seen;
    for (std::size_t k = 0; k < n; ++k) {
      if (next_ == bytes_.size()) fail("the document ends within a map");
      const int head = bytes_[next_++];
      if (head >> 5 != 3) fail("a key that is no text");
      std::string key = text(head & 31);
      if (!seen.insert(key).second) fail("the key '" + printable(key) + "' is given twice in one map");
      x.add(std::move(key), item(depth + 1));
    }
    return x;
  }
  Json simple(int low) {
    switch (low) {
      case 20: return false;
      case 21: return true;
      case 22: return nullptr;
      case 25: return finite(half(static_cast<unsigned>(big_endian(2))));
      case 26: return finite(__builtin_bit_cast(float, static_cast<std::uint32_t>(big_endian(4))));
      case 27: return finite(__builtin_bit_cast(double, big_endian(8)));
      default: fail("a value that JSON has not");
    }
  }
  static double half(unsigned bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023;
    double x = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) x = std::nan("");
    return (bits & 0x8000) != 0 ? -x : x;
  }
  Json finite(double x) const {
    if (!std::isfinite(x)) fail("a number that is not finite; the words nan, inf, -inf stand for these");
    return x;
  }
  Json item(int depth) {
    if (depth >= k_json_depth) fail("nested deeper than " + std::to_string(k_json_depth) + " levels");
    if (next_ == bytes_.size()) fail("the document ends too early");
    const int head = bytes_[next_++], low = head & 31;
    switch (head >> 5) {
      case 0: return argument(low);
      case 1: {
        const std::uint64_t n = argument(low);
        if (n > static_cast<std::uint64_t>(INT64_MAX)) fail("a whole number below those of 64 bits");
        return -1 - static_cast<std::int64_t>(n);
      }
      case 3: return text(low);
      case 4: return list(low, depth);
      case 5: return map(low, depth);
      case 7: return simple(low);
      default: fail(head >> 5 == 2 ? "a byte string; names are texts" : "a tag");
    }
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& name_;
  std::size_t next_ = 0;
};

}  // namespace

Json read_cbor(std::span<const std::uint8_t> bytes, const std::string& name, std::size_t limit) {
  if (bytes.size() > limit)
    throw JsonError(name + ": " + std::to_string(bytes.size()) + " bytes, at most " + std::to_string(limit) +
                    " are read");
  return CborReader(bytes, name).all();
}

}  // namespace zwang::io
