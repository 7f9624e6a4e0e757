// SPDX-License-Identifier: BSD-3-Clause
// Checks and inputs that every public call shares.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang::detail {

inline Index size_of(VectorIn x) { return static_cast<Index>(x.size()); }

/// Data made for this model.
inline void check_data(const Model& model, const Data& data, const char* function) {
  if (!data.made_for(model)) throw_mismatch(function);
}
inline void check_q(const Model& model, VectorIn q, const char* function) {
  check_configuration(model, q.data(), size_of(q), function);
}
inline void check_v(const Model& model, VectorIn v, const char* function, const char* argument) {
  check_tangent(model, v.data(), size_of(v), function, argument);
}
void check_matrix(const MatrixOut& out, Index rows, Index columns, const char* function);
/// check_result for numbers that have only just been stored, one at a time: a load of two would wait for both stores.
inline void check_fresh(const double* x, Index size, const char* function) {
  double a = 0, b = 0, c = 0, d = 0;
  Index i = 0;
  for (; i + 4 <= size; i += 4) a += x[i], b += x[i + 1], c += x[i + 2], d += x[i + 3];
  for (; i < size; ++i) a += x[i];
  if (!(((a + b) + (c + d)) * 0 == 0)) [[unlikely]]  // or a sum of huge numbers
    check_result(x, size, function);
}
// Results that are returned, if they are finite.
inline VectorView checked(const Buffer<double>& x, const char* function) {
  check_fresh(x.data(), x.size(), function);
  return {x.data(), x.size()};
}
inline double checked(double x, const char* function) {
  check_result(&x, 1, function);
  return x;
}
inline Vec3<double> checked(const Vec3<double>& x, const char* function) {
  const double numbers[] = {x.x, x.y, x.z};
  check_result(numbers, 3, function);
  return x;
}
inline Motion<double> checked(const Motion<double>& x, const char* function) {
  const double numbers[] = {x.v.x, x.v.y, x.v.z, x.w.x, x.w.y, x.w.z};
  check_result(numbers, 6, function);
  return x;
}
inline Force<double> checked(const Force<double>& x, const char* function) {
  const double numbers[] = {x.f.x, x.f.y, x.f.z, x.n.x, x.n.y, x.n.z};
  check_result(numbers, 6, function);
  return x;
}
/// Positions overflow; rotations are of sines and cosines.
inline Transform<double> checked(const Transform<double>& x, const char* function) {
  checked(x.p, function);
  return x;
}
inline void check_result(const MatrixOut& x, const char* function) {
  if (x.outerStride() == x.rows()) return check_fresh(x.data(), static_cast<Index>(x.size()), function);
  for (Eigen::Index k = 0; k < x.cols(); ++k)
    check_fresh(x.data() + k * x.outerStride(), static_cast<Index>(x.rows()), function);
}
/// Of a matrix that is symmetric and positive: no entry is larger than the largest on its diagonal.
inline void check_diagonal(const MatrixOut& x, const char* function) {
  double sum = 0;
  for (Eigen::Index k = 0; k < x.cols(); ++k) sum += x(k, k) * 0;
  if (!(sum == 0)) [[unlikely]]
    for (Eigen::Index k = 0; k < x.cols(); ++k) checked(x(k, k), function);
}
void check_stage(const Data& data, unsigned stage, const char* function, const char* needed);
/// Of a known frame; throws std::invalid_argument naming the function, or the nearest name.
FrameId id_of(const Model& model, FrameIn frame, const char* function);
const Frame& frame_of(const Model& model, FrameIn frame, const char* function);

/// From the centre of the branch of `body` to that of `other`'s: motions about the one
/// and the other refer to different points.
inline Vec3<double> between_centres(const Data& data, Index body, Index other) {
  const auto centre = [&](Index i) { return data.position.centre[data.tree().body[i].root]; };
  return centre(other) - centre(body);
}
inline Motion<double> at_point(const Motion<double>& m, const Vec3<double>& point) {
  return {m.v + cross(m.w, point), m.w};
}

/// Known frames and finite entries: `ok`, `invalid_input` or `non_finite_input`.
Status status_of(const Model& model, ExternalsIn external) noexcept;
/// The same by exceptions.
void check_external(const Model& model, const ExternalWrench* external, Index count);
/// Wrenches from outside, into body axes about the bodies' origins. Needs a position stage for wrenches in world axes
/// and makes it. With `gravity_scale` also what links' own scales of gravity add.
void set_external(const Model& model, Data& data, const double* q, const ExternalWrench* external, Index count,
                  bool gravity_scale);
/// Whether some link's own scale of gravity counts.
inline bool has_excess(const Data& data, const JointEffects& effects) {
  return effects.gravity_scale && data.excess.size() > 0;
}

/// Adds the passive joint effects to tau (model coordinates): sign +1 gives the torque on the joints,
/// -1 subtracts them.
void add_passive(Data& data, const double* q, const double* v, const JointEffects& effects, double sign, double* tau);
/// Of the springs, and of links' own scales of gravity. Reads the position stage.
double energy_of_effects(const Data& data, const double* q, const JointEffects& effects);

[[noreturn]] void throw_singular(const Data& data);

}  // namespace zwang::detail
