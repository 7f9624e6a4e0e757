// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/joint_wrench_derivatives.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/page/joint_wrench_derivatives.hpp"
#include "algorithm/support.hpp"
#include "algorithm/turning_wrenches.hpp"

namespace zwang {

void joint_wrench_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, JointId id,
                              MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external) {
  constexpr const char* function = "joint_wrench_derivatives";
  detail::check_data(model, data, function);
  detail::check_q(model, q, function);
  detail::check_v(model, v, function, "v");
  detail::check_v(model, a, function, "a");
  if (id.value < 0 || id.value >= static_cast<Index>(model.joints().size()))
    throw std::invalid_argument("joint_wrench_derivatives: no joint has the id " + std::to_string(id.value));
  const Joint& joint = model.joints()[static_cast<std::size_t>(id.value)];
  if (joint.lumped || joint.body.value == 0)
    throw UnsupportedError("joint_wrench_derivatives: the fixed joint '" + joint.name +
                           "' was merged into a body; build the model with lump = false to have its wrench");
  for (const MatrixOut* out : {&by_q, &by_v, &by_a}) detail::check_matrix(*out, 6, model.nv(), function);
  detail::set_turning_wrenches(model, data, q.data(), external, true);
  page::kinematics(data, q.data(), v.data(), a.data());
  page::vary_columns(data, page::SpanningState<double>(data, q.data(), v.data(), a.data()));
  std::copy_n(q.data(), data.q.size(), data.q.data());
  const Link& child = model.links()[static_cast<std::size_t>(joint.child.value)];
  const auto view = [](MatrixOut& m) {
    return page::MatrixView<double>{m.data(), static_cast<Index>(m.rows()), static_cast<Index>(m.cols()), 1,
                                    static_cast<Index>(m.outerStride())};
  };
  page::joint_wrench_derivatives(data, child.body.value, child.in_body, {view(by_q), view(by_v), view(by_a)});
  for (const MatrixOut* out : {&by_q, &by_v, &by_a}) detail::check_result(*out, function);
}

}  // namespace zwang
