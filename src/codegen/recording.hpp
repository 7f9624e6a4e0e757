// SPDX-License-Identifier: BSD-3-Clause
// A scalar that records what is computed with it: the pages on Symbol give their formulas as a list of operations.
//
//   Recording record;                       // one at a time in a thread
//   Symbol x = record.input(), y = sqrt(x) * 2.0;
//   record.nodes()[y.node]
// Equal operations on equal operands are recorded once; constants are folded, c (d x) too, 0 x = 0, and a sign goes
// outward, to where a sum takes it in: x (-y) = -(x y), a - (-b) = a + b. Both sides of a selection are recorded. A
// comparison in whose place the program itself branches counts as what a regular state gives: any() is false, all() is
// true.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "zwang/codegen/formula.hpp"
#include "zwang/core/sincos.hpp"

namespace zwang::codegen {

/// A number of a formula. All bytes zero: the constant 0.
struct Symbol {
  int node;
  Symbol() = default;
  inline Symbol(double constant);
  static Symbol at(int node) {
    Symbol x;
    x.node = node;
    return x;
  }
  inline Symbol& operator+=(const Symbol& y);
  inline Symbol& operator-=(const Symbol& y);
  inline Symbol& operator*=(const Symbol& y);
  inline Symbol& operator/=(const Symbol& y);
};
/// The outcome of a comparison.
struct Choice {
  int node;
};

class Recording {
 public:
  using Node = FormulaNode;
  Recording() {
    add({Operation::constant, 0, 0, 0, 0});
    before_ = current();
    current() = this;
  }
  ~Recording() { current() = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  static Recording& now() { return *current(); }
  Symbol input() {
    nodes_.push_back({Operation::input, inputs_++, 0, 0, 0});
    return Symbol::at(static_cast<int>(nodes_.size()) - 1);
  }
  int constant(double value) {
    return value == 0 && !std::signbit(value) ? 0 : add({Operation::constant, 0, 0, 0, value});
  }
  int add(const Node& node) {
    const auto [place, is_new] = known_.try_emplace(node, static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return place->second;
  }
  int add(Operation operation, int a, int b = 0, int c = 0) { return add({operation, a, b, c, 0}); }
  bool is_constant(int node) const { return nodes_[static_cast<std::size_t>(node)].operation == Operation::constant; }
  bool is(int node, double value) const { return is_constant(node) && value_of(node) == value; }
  double value_of(int node) const { return nodes_[static_cast<std::size_t>(node)].value; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  struct Same {
    bool operator()(const Node& x, const Node& y) const {
      const bool same_value = x.value == y.value && std::signbit(x.value) == std::signbit(y.value);
      return x.operation == y.operation && x.a == y.a && x.b == y.b && x.c == y.c && same_value;
    }
  };
  struct Hash {
    std::size_t operator()(const Node& n) const {
      std::size_t h = static_cast<std::size_t>(n.operation);
      for (const int x : {n.a, n.b, n.c}) h = h * 1000003 + static_cast<std::size_t>(x);
      return h * 1000003 + std::hash<double>()(n.value);
    }
  };
  static Recording*& current() {
    static thread_local Recording* recording = nullptr;
    return recording;
  }
  std::vector<Node> nodes_;
  std::unordered_map<Node, int, Hash, Same> known_;
  Recording* before_ = nullptr;
  int inputs_ = 0;
};

inline Symbol::Symbol(double constant)
    : node(constant == 0 && !std::signbit(constant) ? 0 : Recording::now().constant(constant)) {}

namespace recorded {
inline Recording& now() { return Recording::now(); }
inline bool folds(const Symbol& x, const Symbol& y) { return now().is_constant(x.node) && now().is_constant(y.node); }
inline double number(const Symbol& x) { return now().value_of(x.node); }
inline Symbol of(Operation o, int a, int b = 0, int c = 0) { return Symbol::at(now().add(o, a, b, c)); }
inline bool is(const Symbol& x, double value) { return now().is(x.node, value); }
inline const Recording::Node& node(const Symbol& x) { return now().nodes()[static_cast<std::size_t>(x.node)]; }
/// x is -y: y is in `a` of its node.
inline bool is_negated(const Symbol& x) { return node(x).operation == Operation::negate; }
inline Symbol negated(const Symbol& x) { return Symbol::at(node(x).a); }
/// y of c y with a constant c, which `factor` receives; else x itself and 1.
inline Symbol without_factor(const Symbol& x, double& factor) {
  const Recording::Node n = node(x);
  factor = 1;
  if (n.operation != Operation::multiply) return x;
  for (const auto& [constant, other] : {std::pair(n.a, n.b), std::pair(n.b, n.a)})
    if (now().is_constant(constant)) {
      factor = now().value_of(constant);
      return Symbol::at(other);
    }
  return x;
}
}  // namespace recorded

inline Symbol operator-(const Symbol& x) {
  if (recorded::now().is_constant(x.node)) return Symbol(0.0 - recorded::number(x));
  return recorded::is_negated(x) ? recorded::negated(x) : recorded::of(Operation::negate, x.node);
}
inline Symbol operator-(const Symbol& x, const Symbol& y);
inline Symbol operator+(const Symbol& x, const Symbol& y) {
  if (recorded::folds(x, y)) return Symbol(recorded::number(x) + recorded::number(y));
  if (recorded::is(x, 0)) return y;
  if (recorded::is(y, 0)) return x;
  if (recorded::is_negated(y)) return x - recorded::negated(y);
  if (recorded::is_negated(x)) return y - recorded::negated(x);
  return recorded::of(Operation::add, std::min(x.node, y.node), std::max(x.node, y.node));
}
inline Symbol operator-(const Symbol& x, const Symbol& y) {
  if (recorded::folds(x, y)) return Symbol(recorded::number(x) - recorded::number(y));
  if (recorded::is(x, 0)) return -y;
  if (recorded::is(y, 0)) return x;
  if (recorded::is_negated(y)) return x + recorded::negated(y);
  return x.node == y.node ? Symbol(0.0) : recorded::of(Operation::subtract, x.node, y.node);
}
inline Symbol operator*(const Symbol& x, const Symbol& y) {
  if (recorded::folds(x, y)) return Symbol(recorded::number(x) * recorded::number(y));
  if (recorded::is(x, 0) || recorded::is(y, 0)) return Symbol(0.0);
  if (recorded::is(x, 1)) return y;
  if (recorded::is(y, 1)) return x;
  if (recorded::is(x, -1)) return -y;
  if (recorded::is(y, -1)) return -x;
  if (recorded::is_negated(x) && recorded::is_negated(y)) return recorded::negated(x) * recorded::negated(y);
  for (const auto& [c, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (!recorded::now().is_constant(c.node)) continue;
    if (recorded::is_negated(other)) return Symbol(0.0 - recorded::number(c)) * recorded::negated(other);
    double factor = 1;
    const Symbol rest = recorded::without_factor(other, factor);
    if (factor != 1) return Symbol(recorded::number(c) * factor) * rest;
  }
  if (recorded::is_negated(x)) return -(recorded::negated(x) * y);
  if (recorded::is_negated(y)) return -(x * recorded::negated(y));
  return recorded::of(Operation::multiply, std::min(x.node, y.node), std::max(x.node, y.node));
}
inline Symbol operator/(const Symbol& x, const Symbol& y) {
  if (recorded::folds(x, y)) return Symbol(recorded::number(x) / recorded::number(y));
  if (recorded::is(x, 0)) return Symbol(0.0);
  return recorded::is(y, 1) ? x : recorded::of(Operation::divide, x.node, y.node);
}
inline Symbol& Symbol::operator+=(const Symbol& y) { return *this = *this + y; }
inline Symbol& Symbol::operator-=(const Symbol& y) { return *this = *this - y; }
inline Symbol& Symbol::operator*=(const Symbol& y) { return *this = *this * y; }
inline Symbol& Symbol::operator/=(const Symbol& y) { return *this = *this / y; }

/// The constants 0 and 1 are the outcomes that are known.
inline Choice known(bool outcome) { return {Symbol(outcome ? 1.0 : 0.0).node}; }
inline Choice less(const Symbol& x, const Symbol& y) {
  if (recorded::folds(x, y)) return known(recorded::number(x) < recorded::number(y));
  return {recorded::of(Operation::less, x.node, y.node).node};
}
inline bool any(const Choice& x) { return recorded::now().is(x.node, 1); }
inline bool all(const Choice& x) { return !recorded::now().is(x.node, 0); }
inline Choice operator!(const Choice& x) {
  if (recorded::now().is_constant(x.node)) return known(recorded::now().is(x.node, 0));
  return {recorded::of(Operation::complement, x.node).node};
}
inline Choice operator&(const Choice& x, const Choice& y) {
  if (recorded::now().is_constant(x.node)) return any(x) ? y : x;
  if (recorded::now().is_constant(y.node)) return any(y) ? x : y;
  return {recorded::of(Operation::both, x.node, y.node).node};
}
inline Choice operator|(const Choice& x, const Choice& y) {
  if (recorded::now().is_constant(x.node)) return any(x) ? x : y;
  if (recorded::now().is_constant(y.node)) return any(y) ? y : x;
  return {recorded::of(Operation::either, x.node, y.node).node};
}
inline Symbol select(const Choice& c, const Symbol& x, const Symbol& y) {
  if (recorded::now().is_constant(c.node)) return any(c) ? x : y;
  return x.node == y.node ? x : recorded::of(Operation::choose, c.node, x.node, y.node);
}

inline Symbol sqrt(const Symbol& x) {
  if (recorded::now().is_constant(x.node)) return Symbol(std::sqrt(recorded::number(x)));
  return recorded::of(Operation::square_root, x.node);
}
inline Symbol abs(const Symbol& x) { return select(less(x, Symbol(0.0)), -x, x); }
inline Symbol min(const Symbol& x, const Symbol& y) { return select(less(y, x), y, x); }
inline Symbol max(const Symbol& x, const Symbol& y) { return select(less(x, y), y, x); }
inline Symbol fma(const Symbol& x, const Symbol& y, const Symbol& z) { return x * y + z; }
inline Symbol atan2(const Symbol& y, const Symbol& x) {
  if (recorded::folds(y, x)) return Symbol(std::atan2(recorded::number(y), recorded::number(x)));
  return recorded::of(Operation::arc_tangent, y.node, x.node);
}
inline SinCos<Symbol> sincos(const Symbol& x) {
  if (recorded::now().is_constant(x.node))
    return {Symbol(std::sin(recorded::number(x))), Symbol(std::cos(recorded::number(x)))};
  return {recorded::of(Operation::sine, x.node), recorded::of(Operation::cosine, x.node)};
}
inline double value_of(const Symbol& x) {
  return recorded::now().is_constant(x.node) ? recorded::number(x) : std::numeric_limits<double>::quiet_NaN();
}
inline bool is_finite(const Symbol&) { return true; }

}  // namespace zwang::codegen

template <> struct zwang::ScalarTraits<zwang::codegen::Symbol> {
  using Uniform = double;
  static constexpr int lanes = 1;
};
