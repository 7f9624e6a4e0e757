// SPDX-License-Identifier: BSD-3-Clause
// Geometry as a list of numbers and back, for pickles; functions that all geometry has.
#pragma once
#include <kdl/frames.hpp>

#include "bind.hpp"

namespace zwang::python::kdl {

inline void append(std::vector<double>& out, const KDL::Vector& v) { out.insert(out.end(), v.data, v.data + 3); }
inline void append(std::vector<double>& out, const KDL::Rotation& R) { out.insert(out.end(), R.data, R.data + 9); }

/// The numbers of vectors and rotations, one after the other.
template <class... Parts> std::vector<double> numbers(const Parts&... parts) {
  std::vector<double> out;
  (append(out, parts), ...);
  return out;
}
inline KDL::Vector vector_from(const std::vector<double>& n, std::size_t at) {
  return KDL::Vector(n.at(at), n.at(at + 1), n.at(at + 2));
}
/// The first nine.
inline KDL::Rotation rotation_from(const std::vector<double>& n) {
  return KDL::Rotation(n.at(0), n.at(1), n.at(2), n.at(3), n.at(4), n.at(5), n.at(6), n.at(7), n.at(8));
}

template <class A, class B = A> void equality(nb::module_& m) {
  m.def(
      "Equal", [](const A& a, const B& b, double eps) { return Equal(a, b, eps); }, "a"_a, "b"_a,
      "eps"_a = KDL::epsilon);
}
/// Of a type with rates, with one that rests, too.
template <class T, class Resting> void equalities(nb::module_& m) {
  equality<T>(m);
  equality<Resting, T>(m);
  equality<T, Resting>(m);
}
template <class T, class Difference> void differences(nb::module_& m) {
  m.def(
      "diff", [](const T& a, const T& b, double dt) { return Difference(diff(a, b, dt)); }, "a"_a, "b"_a, "dt"_a = 1.);
  m.def(
      "addDelta", [](const T& a, const Difference& da, double dt) { return T(addDelta(a, da, dt)); }, "a"_a, "da"_a,
      "dt"_a = 1.);
}

}  // namespace zwang::python::kdl
