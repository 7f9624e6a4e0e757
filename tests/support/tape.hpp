// SPDX-License-Identifier: BSD-3-Clause
// A number that records what is computed with it, as CppAD::AD<double> or adept::adouble do: a scalar of a user's own,
// in a namespace of its own. It has no conversion to double, its comparisons none to bool. The reverse sweep gives the
// gradient of a result by all inputs.
//
//   tape::Tape record;                         // one at a time in a thread
//   tape::Number x = record.input(0.3), y = sqrt(x) * 2.0;
//   record.gradient(y)[x]
#pragma once
#include <cmath>
#include <vector>

#include "zwang/core/sincos.hpp"

namespace tape {

struct Number;

class Tape {
 public:
  struct Node {
    int a, b;       ///< what it was computed from; 0: a constant
    double da, db;  ///< its derivatives by these
  };
  struct Gradient {
    std::vector<double> of;
    double operator[](const Number& x) const;
  };
  Tape() { current() = this; }
  ~Tape() { current() = nullptr; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Number input(double value);
  Gradient gradient(const Number& result) const;
  std::size_t size() const { return nodes_.size(); }

  static int record(int a, double da, int b = 0, double db = 0) {
    if (a == 0 && b == 0) return 0;
    current()->nodes_.push_back({a, b, da, db});
    return static_cast<int>(current()->nodes_.size()) - 1;
  }

 private:
  static Tape*& current() {
    static thread_local Tape* tape = nullptr;
    return tape;
  }
  std::vector<Node> nodes_{{0, 0, 0, 0}};
};

/// All bytes zero: the constant 0.
struct Number {
  double value;
  int node;
  Number() = default;
  Number(double constant) : value(constant), node(0) {}
  Number(double v, int n) : value(v), node(n) {}

  friend Number operator+(const Number& x, const Number& y) {
    return {x.value + y.value, Tape::record(x.node, 1, y.node, 1)};
  }
  friend Number operator-(const Number& x, const Number& y) {
    return {x.value - y.value, Tape::record(x.node, 1, y.node, -1)};
  }
  friend Number operator*(const Number& x, const Number& y) {
    return {x.value * y.value, Tape::record(x.node, y.value, y.node, x.value)};
  }
  friend Number operator/(const Number& x, const Number& y) {
    const double i = 1 / y.value, q = x.value * i;
    return {q, Tape::record(x.node, i, y.node, -q * i)};
  }
  Number operator-() const { return {-value, Tape::record(node, -1)}; }
  Number& operator+=(const Number& y) { return *this = *this + y; }
  Number& operator-=(const Number& y) { return *this = *this - y; }
  Number& operator*=(const Number& y) { return *this = *this * y; }
  Number& operator/=(const Number& y) { return *this = *this / y; }
};

/// The outcome of a comparison: it selects, and is not a bool.
struct Choice {
  bool first;
  friend Choice operator&(const Choice& x, const Choice& y) { return {x.first && y.first}; }
  friend Choice operator|(const Choice& x, const Choice& y) { return {x.first || y.first}; }
  friend Choice operator!(const Choice& x) { return {!x.first}; }
};
inline Choice less(const Number& x, const Number& y) { return {x.value < y.value}; }
inline bool any(const Choice& x) { return x.first; }
inline bool all(const Choice& x) { return x.first; }
/// Both are recorded, as a CondExp does.
inline Number select(const Choice& c, const Number& x, const Number& y) {
  return {c.first ? x.value : y.value, Tape::record(x.node, c.first ? 1 : 0, y.node, c.first ? 0 : 1)};
}

inline Number sqrt(const Number& x) {
  const double r = std::sqrt(x.value);
  return {r, Tape::record(x.node, 0.5 / r)};
}
inline Number abs(const Number& x) { return select(less(x, Number(0.0)), -x, x); }
inline Number min(const Number& x, const Number& y) { return select(less(y, x), y, x); }
inline Number max(const Number& x, const Number& y) { return select(less(x, y), y, x); }
inline Number fma(const Number& x, const Number& y, const Number& z) { return x * y + z; }
inline Number atan2(const Number& y, const Number& x) {
  const double r = x.value * x.value + y.value * y.value;
  return {std::atan2(y.value, x.value), Tape::record(y.node, x.value / r, x.node, -y.value / r)};
}
inline zwang::SinCos<Number> sincos(const Number& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return {{s, Tape::record(x.node, c)}, {c, Tape::record(x.node, -s)}};
}
inline double value_of(const Number& x) { return x.value; }
inline bool is_finite(const Number& x) { return std::isfinite(x.value); }

inline Number Tape::input(double value) {
  nodes_.push_back({0, 0, 0, 0});
  return {value, static_cast<int>(nodes_.size()) - 1};
}
inline double Tape::Gradient::operator[](const Number& x) const { return of[static_cast<std::size_t>(x.node)]; }
inline Tape::Gradient Tape::gradient(const Number& result) const {
  Gradient g{std::vector<double>(nodes_.size())};
  g.of[static_cast<std::size_t>(result.node)] = 1;
  for (std::size_t i = nodes_.size(); i-- > 1;) {
    if (g.of[i] == 0) continue;  // what was not selected may have infinite derivatives
    const Node& n = nodes_[i];
    g.of[static_cast<std::size_t>(n.a)] += n.da * g.of[i];
    g.of[static_cast<std::size_t>(n.b)] += n.db * g.of[i];
  }
  return g;
}

}  // namespace tape

template <> struct zwang::ScalarTraits<tape::Number> {
  using Uniform = double;
  static constexpr int lanes = 1;
};
