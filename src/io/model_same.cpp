// SPDX-License-Identifier: BSD-3-Clause
// Equality and hash of models: the hash is FNV-1a (Fowler, Noll, Vo, 64 bits)
// of the members in the order of their keys.
#include "io/same_bits.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang {
namespace {

class Hash {
 public:
  void bytes(const void* data, std::size_t size) {
    const unsigned char* const p = static_cast<const unsigned char*>(data);
    for (std::size_t k = 0; k < size; ++k) value_ = (value_ ^ p[k]) * 0x100000001b3u;
  }
  /// Least significant byte first, whatever the machine does.
  void whole(std::uint64_t x) {
    for (int k = 0; k < 64; k += 8) {
      const unsigned char byte = static_cast<unsigned char>(x >> k & 0xff);
      bytes(&byte, 1);
    }
  }
  template <class X> void add(const X& x);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

template <class X> class HashedMembers {
 public:
  HashedMembers(const X& x, Hash& hash) : x_(x), hash_(hash) {}
  template <class M> void operator()(const char*, M X::*m) { hash_.add(x_.*m); }
  template <class M> void needed(const char*, M X::*m) { hash_.add(x_.*m); }
  template <class M> void later(const char*, M X::*m) {
    if (!io::same_bits(x_.*m, io::fresh<X>().*m)) hash_.add(x_.*m);
  }
  void place(SourcePlace X::*) {}
  void user(std::shared_ptr<const UserJoint> X::*m) { hash_.add(std::string((x_.*m) == nullptr ? "" : (x_.*m)->name)); }

 private:
  const X& x_;
  Hash& hash_;
};

template <class X> void Hash::add(const X& x) {
  if constexpr (std::is_same_v<X, double>) {
    whole(io::bits_of(x));
  } else if constexpr (std::is_same_v<X, std::string>) {
    whole(x.size());
    bytes(x.data(), x.size());
  } else if constexpr (std::is_same_v<X, Mat3<double>>) {
    add(x.r0), add(x.r1), add(x.r2);
  } else if constexpr (io::FixedNumbers<X>) {
    io::each(x, [&](double a) { add(a); });
  } else if constexpr (io::Keyed<X>) {
    HashedMembers<X> members(x, *this);
    io::keys(members, Type<X>());
  } else if constexpr (io::List<X>) {
    whole(x.size());
    for (const auto& a : x) add(a);
  } else {
    whole(static_cast<std::uint64_t>(x));
  }
}

}  // namespace

bool same_robot(const Model& a, const Model& b) {
  return a.id() == b.id() ||
         (io::same_bits(a.description(), b.description()) && io::same_bits(a.options(), b.options()));
}

std::uint64_t hash(const Model& model) {
  Hash hash;
  hash.add(model.description());
  hash.add(model.options());
  return hash.value();
}

}  // namespace zwang
