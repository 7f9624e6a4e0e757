// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm takes and gives: the types in which the rows of algorithm_list.hpp are written, and the arguments
// of a call by such a row (batch/batch.hpp, batch/evaluate.hpp).
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "zwang/algorithm/reference.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A list of at most N items, stored in place. More than N do not compile.
template <class T, int N> struct Few {
  constexpr Few() = default;
  constexpr Few(std::initializer_list<T> list) {
    for (const T& x : list) item[count++] = x;
  }
  constexpr const T* begin() const { return item; }
  constexpr const T* end() const { return item + count; }
  constexpr const T& operator[](int k) const { return item[k]; }
  T item[N] = {};
  int count = 0;
};

/// Kinds of arguments.
enum class Takes : unsigned char {
  configuration,  ///< nq numbers of each state
  tangent,        ///< nv numbers of each state: v, a, tau, an increment of q
  frame,
  seen_from,     ///< a second frame
  frames,        ///< a list of frames
  point,         ///< three numbers
  number,        ///< one number
  kind,          ///< AccelerationKind
  reference,     ///< Reference, or the axes of a frame
  external,      ///< wrenches on frames
  effects,       ///< JointEffects
  with_gravity,  ///< whether -g is added, as in the reading of an accelerometer
  gravity,       ///< replaces the model's, for one state
};
/// An argument of an algorithm: what it is, and its name.
struct Argument {
  Takes what{};
  const char* name = "";
  bool optional = false;  ///< of a vector: may be absent, which means zeros
};
/// Whether the argument is a configuration, or a vector over v.
constexpr bool is_vector(const Argument& a) { return a.what == Takes::configuration || a.what == Takes::tangent; }

/// Sizes given by a model and a call.
struct Sizes {
  Index nq = 0, nv = 0, joints = 0, links = 0, frames = 0;  ///< frames: in the list of the call
};
/// A number, or a number for each coordinate, joint, link or frame.
struct Extent {
  constexpr Extent(Index n = 0) : factor(n) {}
  constexpr Extent(Index n, Index Sizes::*per_) : factor(n), per(per_) {}
  constexpr Index of(const Sizes& s) const { return per == nullptr ? factor : factor * s.*per; }
  Index factor;
  Index Sizes::*per = nullptr;
};
constexpr Extent operator*(Index n, const Extent& e) { return {n * e.factor, e.per}; }

/// {}: one number; {n}: a vector; {m, n}: a matrix; {k, m, n}: k matrices.
using Extents = Few<Extent, 3>;
/// Numbers per state.
constexpr Index numbers_of(const Extents& shape, const Sizes& sizes) {
  Index n = 1;
  for (const Extent& e : shape) n *= e.of(sizes);
  return n;
}
/// A result of an algorithm: its name, shape and units.
struct Result {
  const char* name = "";
  Extents shape;
  const char* units = "";  ///< for linear coordinates last; "": none, or mixed ones that `doc` explains
};

/// A row of the list of algorithms.
struct Algorithm {
  const char* name;
  const char* alias = "";  ///< a second name
  const char* page;        ///< its equations: algorithm/page/<page>.hpp, or <folder>/page/<page>.hpp
  Few<Argument, 9> takes;  ///< after the model, in the order of the arguments
  Few<Result, 4> gives;
  bool lanes = true;       ///< runs on many states in lanes; false: on one state alone
  bool named = false;      ///< in Python a function written for it gives its results names
  const char* doc;         ///< one paragraph on what it is, then, after an empty line, how it is used
  const char* notes = "";  ///< what it shares with other algorithms

  constexpr bool reads(Takes what) const {
    for (const Argument& a : takes)
      if (a.what == what) return true;
    return false;
  }
  /// How many of its arguments are configurations or vectors over v.
  constexpr int vectors() const {
    int n = 0;
    for (const Argument& a : takes) n += is_vector(a);
    return n;
  }
  /// Numbers of all results per state.
  constexpr Index room(const Sizes& sizes) const {
    Index n = 0;
    for (const Result& r : gives) n += numbers_of(r.shape, sizes);
    return n;
  }
};

}  // namespace ZWANG_ISA

/// Arguments common to all states of a call. An algorithm reads those that its row names.
struct AlgorithmOptions {
  FrameId frame = {}, seen_from = {};
  std::span<const FrameId> frames = {};
  Vec3<double> point = Vec3<double>::zero();
  double number = 0;
  AccelerationKind kind = AccelerationKind::classical;
  Reference reference = Reference::local_world_aligned;
  /// If valid: rows along the world's axes are turned into this frame's axes; only for one state.
  FrameId axes = {};
  JointEffects effects = {};
  bool with_gravity = false;
};

/// All rows, in the order of the list.
std::span<const Algorithm> algorithms();
/// By name or alias; throws std::invalid_argument with the nearest name.
const Algorithm& algorithm(std::string_view name);
/// The row's index in the list.
Index index_of(const Algorithm& algorithm);
/// The sizes that extents of results refer to.
Sizes sizes_of(const Model& model, const AlgorithmOptions& options);

}  // namespace zwang
