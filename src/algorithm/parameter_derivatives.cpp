// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/parameter_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/friction_at_rest.hpp"
#include "algorithm/instances.hpp"
#include "algorithm/page/excess_gravity.hpp"
#include "algorithm/page/placement_derivatives.hpp"
#include "algorithm/support.hpp"
#include "algorithm/turning_wrenches.hpp"
#include "zwang/model/builder.hpp"

namespace zwang {
namespace {

using detail::check_data, detail::check_matrix, detail::check_q, detail::check_v;

/// Arguments that were checked.
struct State {
  const double *q, *v, *a;
};

void clear(MatrixOut& out) {
  for (Eigen::Index c = 0; c < out.cols(); ++c) std::fill_n(out.data() + c * out.outerStride(), out.rows(), 0.0);
}

const Link* parent_of(const Model& model, const Joint& joint) {
  return joint.parent.value >= 0 ? &model.links()[static_cast<std::size_t>(joint.parent.value)] : nullptr;
}
/// A composite joint is several bodies, one behind the other.
Index first_body(const Model& model, const Joint& joint) {
  const Tree<double>& tree = model.tree<double>();
  const Link* const parent = parent_of(model, joint);
  const Index before = parent != nullptr ? parent->body.value : 0;
  Index i = joint.body.value;
  while (tree.body[i].parent != before) i = tree.body[i].parent;
  return i;
}
/// The placement of a joint in the world, about its branch's centre.
Transform<double> placement_of(const Model& model, const Data& data, const Joint& joint, Index first) {
  Transform<double> X = joint.description.origin;
  const Link* const parent = parent_of(model, joint);
  if (parent != nullptr) X = parent->in_body * X;
  if (parent != nullptr && parent->body.value > 0) return page::frame_about_centre(data, parent->body.value, X);
  X.p -= data.position.centre[data.tree().body[first].root];
  return X;
}

void by_placements(const Model& model, Data& data, const State& x, ExternalsIn external, bool gravity_scale,
                   MatrixOut& out) {
  detail::set_turning_wrenches(model, data, x.q, external, gravity_scale);
  page::kinematics(data, x.q, x.v, x.a);
  page::subtree_terms(data);
  std::copy_n(x.q, data.q.size(), data.q.data());
  Index at = -1;
  for (const Joint& joint : model.joints()) {
    double* const to = out.data() + 6 * ++at * out.outerStride();
    const page::MatrixView<double> view{to, model.nv(), 6, 1, static_cast<Index>(out.outerStride())};
    if (joint.lumped || joint.body.value == 0) {
      for (Index c = 0; c < 6; ++c)
        std::fill_n(to + c * out.outerStride(), model.nv(), std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const Index first = first_body(model, joint);
    page::placement_derivatives(data, first, placement_of(model, data, joint, first), view);
    for (Index c = 0; c < 6; ++c)
      detail::check_fresh(to + c * out.outerStride(), model.nv(), "inverse_dynamics_parameter_derivatives");
  }
}

/// Diagonal: what multiplies the number of each coordinate's own joint in its torque.
template <class F> void by_own_joints(const Model& model, const Data& data, const F& factor, MatrixOut& out) {
  clear(out);
  const Tree<double>& tree = data.tree();
  for (const Joint& joint : model.joints()) {
    if (!joint.mimic.leader.empty()) continue;  // its numbers are not the leader's
    if (joint.lumped || joint.body.value == 0) continue;
    const Index first = first_body(model, joint);
    for (Index i = joint.body.value; i >= first; i = tree.body[i].parent)
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k)
        out(tree.column[k].v, tree.column[k].v) = factor(k);
  }
}

/// The last column that moves a body, or -1.
Index last_column(const Tree<double>& tree, Index body) {
  while (body > 0 && tree.body[body].nv == 0) body = tree.body[body].parent;
  return body > 0 ? tree.body[body].v + tree.body[body].nv - 1 : -1;
}

/// d tau/dg = -(linear part of the momentum of each column's subtree).
void by_gravity(Data& data, const double* q, bool gravity_scale, MatrixOut& out) {
  const Tree<double>& tree = data.tree();
  page::columns(data, q);
  page::composite_inertias(data);
  page::column_forces(data);
  clear(out);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    for (Index c = 0; c < 3; ++c) out(column.v, c) -= data.mass.force[c * data.mass.stride + k] * column.multiplier;
  }
  if (!gravity_scale || data.excess.size() == 0) return;
  for (Index i = 1; i <= tree.n; ++i)
    for (Index k = last_column(tree, i); k >= 0; k = tree.column[k].parent) {
      const Vec3<double> power = page::excess_power(data, i, Motion<double>(data.articulated.column[k].s));
      for (Index c = 0; c < 3; ++c) out(tree.column[k].v, c) -= power[c] * tree.column[k].multiplier;
    }
}

/// What links' own scales of gravity add to the columns by (m, h) of each link.
void add_excess_by_masses(Data& data, const double* q, MatrixOut& out) {
  const Tree<double>& tree = data.tree();
  page::columns(data, q);
  for (Index l = 0; l < tree.links; ++l) {
    const LinkPlace<double>& link = tree.link[l];
    if (link.excess == 0 || link.body == 0) continue;
    const Transform<double> X = page::frame_about_centre(data, link.body, link.in_body);
    const Vec3<double> g = transpose_times(X.R, data.gravity);
    for (Index k = last_column(tree, link.body); k >= 0; k = tree.column[k].parent) {
      const Motion<double> s = inverse_times(X, Motion<double>(data.articulated.column[k].s));
      double row[4] = {0, 0, 0, 0};
      page::add_excess_row(g, s, -link.excess * tree.column[k].multiplier, row);
      for (Index c = 0; c < 4; ++c) out(tree.column[k].v, page::k_link_parameters * l + c) += row[c];
    }
  }
}

/// Of inverse dynamics, arguments being checked.
void derivatives(const Model& model, Data& data, const State& x, Parameter parameter, ExternalsIn external,
                 const JointEffects& effects, MatrixOut& out) {
  const Tree<double>& tree = data.tree();
  switch (parameter) {
    case Parameter::inertial_parameters:
      kernels().quantity->regressor(&data, x.q, x.v, x.a, out.data(), static_cast<Index>(out.outerStride()));
      if (detail::has_excess(data, effects)) add_excess_by_masses(data, x.q, out);
      return;
    case Parameter::placement: return by_placements(model, data, x, external, effects.gravity_scale, out);
    case Parameter::gravity: return by_gravity(data, x.q, effects.gravity_scale, out);
    case Parameter::armature:
      return by_own_joints(
          model, data, [&](Index k) { return effects.armature ? x.a[tree.column[k].v] : 0.0; }, out);
    case Parameter::damping:
      return by_own_joints(
          model, data, [&](Index k) { return effects.damping ? x.v[tree.column[k].v] : 0.0; }, out);
    case Parameter::stiffness:
      return by_own_joints(
          model, data,
          [&](Index k) {
            if (!effects.springs || tree.passive == nullptr) return 0.0;
            return page::spring_stretch(tree, k, x.q);
          },
          out);
  }
}

void check_finite(Parameter parameter, MatrixOut& out, const char* function) {
  if (parameter != Parameter::placement) return detail::check_result(out, function);
  for (Eigen::Index c = 0; c < out.cols(); ++c)  // NaN stands for joints that were merged
    if (const double* const x = out.data() + c * out.outerStride(); out.rows() > 0 && !std::isnan(x[0]))
      detail::check_fresh(x, static_cast<Index>(out.rows()), function);
}

}  // namespace

Index columns_of(const Model& model, Parameter parameter) {
  switch (parameter) {
    case Parameter::inertial_parameters: return 10 * static_cast<Index>(model.links().size());
    case Parameter::placement: return 6 * static_cast<Index>(model.joints().size());
    case Parameter::gravity: return 3;
    case Parameter::armature:
    case Parameter::damping:
    case Parameter::stiffness: return model.nv();
  }
  throw std::invalid_argument("columns_of: unknown parameter " + std::to_string(static_cast<int>(parameter)));
}

void inverse_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                            Parameter parameter, MatrixOut out, ExternalsIn external,
                                            const JointEffects& effects) {
  constexpr const char* function = "inverse_dynamics_parameter_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  detail::check_external(model, external.data(), external.size());
  check_matrix(out, model.nv(), columns_of(model, parameter), function);
  derivatives(model, data, {q.data(), v.data(), a.data()}, parameter, external, effects, out);
  check_finite(parameter, out, function);
}

VectorView forward_dynamics_parameter_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                                  VectorIn v, VectorIn tau, Parameter parameter, MatrixOut out,
                                                  ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "forward_dynamics_parameter_derivatives";
  check_matrix(out, model.nv(), columns_of(model, parameter), function);
  const VectorView a = forward_dynamics(model, data, q, v, tau, external, effects);  // checks the rest
  detail::check_differentiable(model, v.data(), effects, function);
  derivatives(model, data, {q.data(), v.data(), a.data()}, parameter, external, effects, out);
  factor.compute(data, q, effects);
  for (Eigen::Index c = 0; c < out.cols(); ++c) {
    VectorOut column = out.col(c);
    if (column.size() > 0 && std::isnan(column[0])) continue;  // the placement of a joint that was merged
    for (Eigen::Index k = 0; k < column.size(); ++k) column[k] = -column[k];
    factor.solve(column);
  }
  check_finite(parameter, out, function);
  return a;
}

void inverse_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                                         MatrixOut out) {
  constexpr const char* function = "inverse_dynamics_wrench_derivatives";
  check_data(model, data, function);
  check_matrix(out, model.nv(), 6, function);
  Eigen::Map<Eigen::MatrixXd> J(data.derivative.product.data(), 6, model.nv());
  jacobian(model, data, q, frame, reference, J);  // checks the rest
  for (Index k = 0; k < model.nv(); ++k)
    for (Index c = 0; c < 6; ++c) out(k, c) = -J(c, k);
}
void forward_dynamics_wrench_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                         FrameIn frame, Reference reference, MatrixOut out,
                                         const JointEffects& effects) {
  inverse_dynamics_wrench_derivatives(model, data, q, frame, reference, out);
  factor.compute(data, q, effects);
  for (Eigen::Index c = 0; c < 6; ++c) {
    VectorOut column = out.col(c);
    for (Eigen::Index k = 0; k < column.size(); ++k) column[k] = -column[k];
    factor.solve(column);
  }
  detail::check_result(out, "forward_dynamics_wrench_derivatives");
}

}  // namespace zwang
