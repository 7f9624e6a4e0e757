// SPDX-License-Identifier: BSD-3-Clause
// Tracked<T>: a value that counts its changes, so that a reader compares one number instead of the whole value.
//
// It reads as a const T. It is written by =, +=, -=, *=, /=, an entry of a vector by x[i] = ..., and by any other
// operation in place in x.change([](T& value) { ... }). No writable reference or iterator is available outside of
// change(), so that every write is counted.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace zwang {

/// A count that never decreases. Being assigned to is a change; a move changes both sides.
class ChangeCount {
 public:
  ChangeCount() = default;
  ChangeCount(const ChangeCount& x) : count_(x.count_ + 1) {}
  ChangeCount(ChangeCount&& x) noexcept : count_(++x.count_) {}
  ChangeCount& operator=(const ChangeCount&) {
    ++count_;
    return *this;
  }
  ChangeCount& operator=(ChangeCount&& x) noexcept {
    ++count_;
    ++x.count_;
    return *this;
  }
  void raise() { ++count_; }
  void raise_above(std::uint64_t x) { count_ = (count_ > x ? count_ : x) + 1; }
  std::uint64_t value() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

struct TrackedTag {};
template <class T> inline constexpr bool is_tracked = std::is_base_of_v<TrackedTag, std::remove_cvref_t<T>>;

/// Common part for values of every type.
template <class T> class TrackedValue : public TrackedTag {
 public:
  TrackedValue() = default;
  explicit TrackedValue(T value) : value_(std::move(value)) {}

  const T& value() const { return value_; }
  operator const T&() const { return value_; }
  const T* operator->() const { return &value_; }
  /// Changes with every write and only then, because it counts writes.
  std::uint64_t stamp() const { return changes_.value(); }

  /// f(value) may write the whole value.
  template <class F> void change(F&& f) {
    struct Counted {  // f may read the stamp, and may throw
      ChangeCount& changes;
      explicit Counted(ChangeCount& x) : changes(x) { changes.raise(); }
      ~Counted() { changes.raise(); }
    } counted(changes_);
    std::forward<F>(f)(value_);
  }
  friend bool operator==(const TrackedValue& a, const TrackedValue& b) { return a.value_ == b.value_; }
  template <class U>
  requires(!is_tracked<U>) friend bool operator==(const TrackedValue& a, const U& b) { return a.value_ == b; }

 protected:
  T& write() {
    changes_.raise();
    return value_;
  }

 private:
  ChangeCount changes_;  // first member: counted even if an assignment throws midway
  T value_{};
};

#define ZWANG_TRACKED_BASICS(T)                                                       \
  Tracked() = default;                                                                \
  explicit Tracked(T x) : Base(std::move(x)) {}                                       \
  template <class U = T>                                                              \
  requires(!is_tracked<U> && std::is_assignable_v<T&, U>) Tracked& operator=(U&& x) { \
    this->write() = std::forward<U>(x);                                               \
    return *this;                                                                     \
  }

/// For numbers, enumerations, structs.
template <class T> class Tracked : public TrackedValue<T> {
  using Base = TrackedValue<T>;

 public:
  ZWANG_TRACKED_BASICS(T)
  Tracked& operator+=(const T& x) { return *this = this->value() + x; }
  Tracked& operator-=(const T& x) { return *this = this->value() - x; }
  Tracked& operator*=(const T& x) { return *this = this->value() * x; }
  Tracked& operator/=(const T& x) { return *this = this->value() / x; }
};

template <> class Tracked<std::string> : public TrackedValue<std::string> {
  using Base = TrackedValue<std::string>;

 public:
  ZWANG_TRACKED_BASICS(std::string)
  operator std::string_view() const { return value(); }
  bool empty() const { return value().empty(); }
  std::size_t size() const { return value().size(); }
  const char* c_str() const { return value().c_str(); }
  friend std::string operator+(const std::string& a, const Tracked& b) { return a + b.value(); }
  friend std::string operator+(const Tracked& a, const std::string& b) { return a.value() + b; }
  friend std::string operator+(const Tracked& a, const Tracked& b) { return a.value() + b.value(); }
  friend std::string operator+(const char* a, const Tracked& b) { return std::string(a) += b.value(); }
  friend std::string operator+(const Tracked& a, const char* b) { return a.value() + b; }
  template <class Stream> friend Stream& operator<<(Stream& s, const Tracked& x) {
    s << x.value();
    return s;
  }
};

template <class T> class Tracked<std::shared_ptr<T>> : public TrackedValue<std::shared_ptr<T>> {
  using Base = TrackedValue<std::shared_ptr<T>>;

 public:
  ZWANG_TRACKED_BASICS(std::shared_ptr<T>)
  T* get() const { return this->value().get(); }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  explicit operator bool() const { return get() != nullptr; }
};

template <class E> class Tracked<std::vector<E>> : public TrackedValue<std::vector<E>> {
  using Base = TrackedValue<std::vector<E>>;

 public:
  using value_type = E;
  using const_iterator = typename std::vector<E>::const_iterator;
  using iterator = const_iterator;
  using const_reference = const E&;

  /// x[i] of a vector that can be written.
  class Entry {
   public:
    Entry(Tracked& of, std::size_t at) : of_(of), at_(at) {}
    Entry(const Entry&) = default;
    operator const E&() const { return of_.value()[at_]; }
    Entry& operator=(const E& x) {
      of_.write()[at_] = x;
      return *this;
    }
    Entry& operator=(const Entry& x) { return *this = static_cast<const E&>(x); }
    Entry& operator+=(const E& x) { return *this = static_cast<const E&>(*this) + x; }
    Entry& operator-=(const E& x) { return *this = static_cast<const E&>(*this) - x; }
    Entry& operator*=(const E& x) { return *this = static_cast<const E&>(*this) * x; }
    Entry& operator/=(const E& x) { return *this = static_cast<const E&>(*this) / x; }
    friend bool operator==(const Entry& a, const Entry& b) {
      return static_cast<const E&>(a) == static_cast<const E&>(b);
    }
    template <class U>
    requires(!std::is_same_v<U, Entry>) friend bool operator==(const Entry& a, const U& b) {
      return static_cast<const E&>(a) == b;
    }

   private:
    Tracked& of_;
    std::size_t at_;
  };

  ZWANG_TRACKED_BASICS(std::vector<E>)
  Tracked& operator=(std::initializer_list<E> x) {
    this->write() = x;
    return *this;
  }
  const_iterator begin() const { return this->value().begin(); }
  const_iterator end() const { return this->value().end(); }
  std::size_t size() const { return this->value().size(); }
  bool empty() const { return this->value().empty(); }
  const E* data() const { return this->value().data(); }
  const E& front() const { return this->value().front(); }
  const E& back() const { return this->value().back(); }
  const E& at(std::size_t i) const { return this->value().at(i); }
  const E& operator[](std::size_t i) const { return this->value()[i]; }
  Entry operator[](std::size_t i) { return {*this, i}; }
  void clear() { this->write().clear(); }
  void push_back(const E& x) { this->write().push_back(x); }
  template <class... X> void resize(std::size_t n, const X&... x) { this->write().resize(n, x...); }
  template <class A, class B> void assign(const A& a, const B& b) { this->write().assign(a, b); }
  void assign(std::initializer_list<E> x) { this->write() = x; }
};

#undef ZWANG_TRACKED_BASICS

}  // namespace zwang
