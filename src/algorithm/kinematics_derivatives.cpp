// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/kinematics_derivatives.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/page/frame_derivatives.hpp"
#include "algorithm/support.hpp"

namespace zwang {
namespace {

using detail::check_data, detail::check_matrix, detail::check_q, detail::check_result, detail::check_v,
    detail::frame_of;

page::MatrixView<double> matrix_of(MatrixOut& m) {
  return {m.data(), static_cast<Index>(m.rows()), static_cast<Index>(m.cols()), 1, static_cast<Index>(m.outerStride())};
}

/// Kinematics and the variations of all columns.
void vary(Data& data, const double* q, const double* v, const double* a) {
  page::kinematics(data, q, v, a);
  page::vary_columns(data, page::SpanningState<double>(data, q, v, a));
  std::copy_n(q, data.q.size(), data.q.data());
}
/// The same where no acceleration is given: none is in Data afterwards.
void vary(Data& data, const double* q, const double* v) {
  for (double& x : data.work) x = 0;
  vary(data, q, v, data.work.data());
  data.stages &= ~stage_acceleration;
}

}  // namespace

void frame_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn id, Reference reference,
                                MatrixOut by_q, MatrixOut by_v) {
  constexpr const char* function = "frame_velocity_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  const Frame& frame = frame_of(model, id, function);
  for (const MatrixOut* out : {&by_q, &by_v}) check_matrix(*out, 6, model.nv(), function);
  vary(data, q.data(), v.data());
  const Index body = frame.body.value;
  const auto seen = page::seen_frame(data, body, frame.in_body, reference, false, false);
  page::frame_velocity_derivatives(data, body, seen, {matrix_of(by_q), matrix_of(by_v), {}});
  for (const MatrixOut* out : {&by_q, &by_v}) check_result(*out, function);
}

void frame_acceleration_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn id,
                                    AccelerationKind kind, Reference reference, MatrixOut by_q, MatrixOut by_v,
                                    MatrixOut by_a, bool with_gravity) {
  constexpr const char* function = "frame_acceleration_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  const Frame& frame = frame_of(model, id, function);
  for (const MatrixOut* out : {&by_q, &by_v, &by_a}) check_matrix(*out, 6, model.nv(), function);
  vary(data, q.data(), v.data(), a.data());
  const Index body = frame.body.value;
  const auto seen =
      page::seen_frame(data, body, frame.in_body, reference, kind == AccelerationKind::classical, with_gravity);
  page::frame_acceleration_derivatives(data, body, seen, {matrix_of(by_q), matrix_of(by_v), matrix_of(by_a)});
  for (const MatrixOut* out : {&by_q, &by_v, &by_a}) check_result(*out, function);
}

void centre_of_mass_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                         MatrixOut by_v) {
  constexpr const char* function = "centre_of_mass_velocity_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  for (const MatrixOut* out : {&by_q, &by_v}) check_matrix(*out, 3, model.nv(), function);
  detail::set_external(model, data, q.data(), nullptr, 0, false);
  vary(data, q.data(), v.data());
  page::centre_of_mass_velocity_derivatives(data, {matrix_of(by_q), matrix_of(by_v), {}});
  for (const MatrixOut* out : {&by_q, &by_v}) check_result(*out, function);
}

void centroidal_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut momentum_by_q,
                            MatrixOut momentum_by_v, MatrixOut rate_by_q, MatrixOut rate_by_v, MatrixOut rate_by_a) {
  constexpr const char* function = "centroidal_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  MatrixOut* const outputs[] = {&momentum_by_q, &momentum_by_v, &rate_by_q, &rate_by_v, &rate_by_a};
  for (const MatrixOut* out : outputs) check_matrix(*out, 6, model.nv(), function);
  detail::set_external(model, data, q.data(), nullptr, 0, false);
  vary(data, q.data(), v.data(), a.data());
  page::centroidal_derivatives(data, {matrix_of(momentum_by_q), matrix_of(momentum_by_v), {}},
                               {matrix_of(rate_by_q), matrix_of(rate_by_v), matrix_of(rate_by_a)});
  for (const MatrixOut* out : outputs) check_result(*out, function);
}

}  // namespace zwang
