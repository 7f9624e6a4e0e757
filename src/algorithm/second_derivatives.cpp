// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/second_derivatives.hpp"

#include <algorithm>
#include <array>

#include "algorithm/instances.hpp"
#include "algorithm/page/column_blocks.hpp"
#include "algorithm/page/excess_gravity.hpp"
#include "algorithm/page/own_second_derivatives.hpp"
#include "algorithm/support.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

using detail::check_data, detail::check_q, detail::check_v;

constexpr Index k_largest = 1000;  // 32 GB; twice that, and numbers of entries leave Index

Index checked_nv(const Model& model) {
  const Index n = model.nv();
  if (n > k_largest)
    throw std::invalid_argument("second derivatives: a model with nv = " + std::to_string(n) + "; expected at most " +
                                std::to_string(k_largest) + ", since each tensor has nv^3 numbers");
  return n;
}

std::array<std::string, 4> names(const char* last) { return {"qq", "qv", "vv", last}; }

/// External wrenches, how they turn with their bodies, and those in local_world_aligned axes. Whether some do not turn.
bool set_external(const Model& model, Data& data, const double* q, ExternalsIn external, bool gravity_scale,
                  page::Aligned<double>* aligned) {
  detail::set_external(model, data, q, external.data(), external.size(), gravity_scale);
  if (!data.force.has_external) return false;
  bool fixed = data.force.has_excess;
  page::clear_turning(data);
  page::kinematics(data, q);
  if (data.force.has_excess) {
    page::add_excess_turning(data);
    const Vec3<double>& g = data.gravity;
    for (Index i = 1; i <= data.tree().n; ++i) {
      const Vec3<double> mc = page::excess_moment(data, i);
      aligned[i] += {g * data.excess[i].m, {mc * g.x, mc * g.y, mc * g.z}};
    }
  }
  for (const ExternalWrench* e = external.data(); e != external.data() + external.size(); ++e) {
    const Frame& frame = detail::frame_of(model, e->frame, "external wrench");
    const double* const w = e->wrench;
    const Force<double> wrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    page::add_turning(data, frame.body.value, frame.in_body, e->in, wrench);
    fixed = fixed || e->in != Reference::local;
    if (e->in == Reference::local_world_aligned && frame.body.value > 0)
      aligned[frame.body.value] += page::aligned(data, frame.body.value, frame.in_body, wrench.f);
  }
  return fixed;
}

/// qq of the springs of spherical joints: their first derivatives over dual numbers, along each axis of the body.
void add_ball_springs(const Data& data, const double* q_model, double* qq) {
  using D = Dual<double>;
  const Tree<double>& tree = data.tree();
  for (Index i = 0; i < tree.ball_springs; ++i) {
    const BallSpring<double>& spring = tree.ball_spring[i];
    const Body<double>& body = tree.body[spring.body];
    const double* const x = q_model + (tree.mimic ? tree.q_source[body.q] : body.q);
    const Quat<double> q{x[0], x[1], x[2], x[3]};
    for (Index y = 0; y < 3; ++y) {
      const Quat<double> rate = q * Quat<double>{y == 0 ? 0.5 : 0.0, y == 1 ? 0.5 : 0.0, y == 2 ? 0.5 : 0.0, 0.0};
      const D moved[] = {D(q.x, rate.x), D(q.y, rate.y), D(q.z, rate.z), D(q.w, rate.w)};
      const Mat3<D> first = right_jacobian_inverse(page::ball_stretch<D>(spring, moved));
      for (Index t = 0; t < 3; ++t)
        for (Index c = 0; c < 3; ++c) {
          const Index row = tree.column[body.v + t].v, by = tree.column[body.v + c].v, then = tree.column[body.v + y].v;
          qq[(row * tree.nv + by) * tree.nv + then] += first(t, c).d * tree.passive[body.v].stiffness;
        }
    }
  }
}

/// check_result of many numbers: sums of eight Sides at once, which are finite only if all are.
void check_tensors(const Buffer<double> (&tensor)[4], const char* function) {
  constexpr Index L = side_lanes<double>, sides = 8;
  for (const Buffer<double>& t : tensor) {
    Side<double> sum[sides], all(0.0);
    for (Side<double>& s : sum) s = Side<double>(0.0);
    Index k = 0;
    for (; k + sides * L <= t.size(); k += sides * L)
#pragma GCC unroll 8
      for (Index i = 0; i < sides; ++i) sum[i] += load_side(t.data() + k + i * L);
    for (const Side<double>& s : sum) all += s;
    double rest[L + 1];
    store_side(rest, all);
    for (rest[L] = 0; k < t.size(); ++k) rest[L] += t[k];
    double zero = 0;
    for (const double x : rest) zero += x * 0;
    if (!(zero == 0)) [[unlikely]]
      detail::check_result(t.data(), t.size(), function);
  }
}

}  // namespace

SecondOrderTensors::SecondOrderTensors(const Model& model, const char* last)
    : model_(model),
      nv_(checked_nv(model)),
      last_(last) {
  for (Buffer<double>& t : tensor_) t = Buffer<double>(nv_ * nv_ * nv_);
}
void SecondOrderTensors::check(const Model& model, const char* function) const {
  if (model.id() != model_.id())
    throw std::invalid_argument(std::string(function) +
                                ": 'out' was made for another model; expected one made for this");
}
TensorView SecondOrderTensors::dense(std::string_view name) const {
  const auto known = names(last_);
  for (int k = 0; k < 4; ++k)
    if (name == known[static_cast<std::size_t>(k)]) return view(k);
  throw std::invalid_argument("second derivatives: no tensor \"" + std::string(name) + "\"; expected qq, qv, vv or " +
                              last_);
}
std::vector<double> SecondOrderTensors::symmetric(std::string_view name) const {
  const TensorView H = dense(name);
  if (name != "qq" && name != "vv")
    throw std::invalid_argument("second derivatives: \"" + std::string(name) +
                                "\" is by two different things and has no symmetric part; expected qq or vv");
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(nv_) * static_cast<std::size_t>(nv_) * static_cast<std::size_t>(nv_));
  for (Index t = 0; t < nv_; ++t)
    for (Index x = 0; x < nv_; ++x)
      for (Index y = 0; y < nv_; ++y) out.push_back(0.5 * (H(t, x, y) + H(t, y, x)));
  return out;
}
void SecondOrderTensors::contract(std::string_view name, VectorIn w, MatrixOut out) const {
  const TensorView H = dense(name);
  check_v(model_, w, "SecondDerivatives::contract", "w");
  detail::check_matrix(out, nv_, nv_, "SecondDerivatives::contract");
  for (Index x = 0; x < nv_; ++x)
    for (Index y = 0; y < nv_; ++y) out(x, y) = 0;
  for (Index t = 0; t < nv_; ++t)
    for (Index x = 0; x < nv_; ++x)
      for (Index y = 0; y < nv_; ++y) out(x, y) += w(t) * H(t, x, y);
}

SecondDerivatives::SecondDerivatives(const Model& model) : SecondOrderTensors(model, "qa") {
  const Tree<double>& tree = model.tree<double>();
  const SecondDerivativeKernels& kernel = *kernels().second_derivative;
  const Index stride = kernel.path_stride(tree.spanning_nv);
  path_ = Buffer<double>(page::PathColumns<double>::numbers * stride);
  columns_ = Buffer<Index>(3 * stride);
  aligned_ = Buffer<double>(12 * (tree.n + 1));
  if (!page::has_constant_columns(tree)) gains_ = Buffer<double>(kernel.gain_bytes / 8 + 1);
}
bool SecondDerivatives::compute(Data& data, const double* q, const double* v, const double* a, ExternalsIn external,
                                const JointEffects& effects) {
  std::fill_n(aligned_.data(), aligned_.size(), 0.0);
  auto* const aligned = reinterpret_cast<page::Aligned<double>*>(aligned_.data());
  const bool fixed = set_external(model_, data, q, external, effects.gravity_scale, aligned);
  page::kinematics(data, q, v, a);
  double* const out[] = {tensor_[0].data(), tensor_[1].data(), tensor_[2].data(), tensor_[3].data()};
  const SecondScratch scratch{path_.data(), columns_.data(), gains_.data(), fixed ? aligned : nullptr};
  const bool finite = kernels().second_derivative->inverse_dynamics(&data, q, v, a, scratch, out);
  if (effects.springs) add_ball_springs(data, q, tensor_[0].data());
  std::copy_n(q, data.q.size(), data.q.data());
  return finite;
}

void inverse_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                         SecondDerivatives& out, ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "inverse_dynamics_second_derivatives";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_v(model, a, function, "a");
  out.check(model, function);
  if (!out.compute(data, q.data(), v.data(), a.data(), external, effects)) check_tensors(out.tensor_, function);
}

ForwardSecondDerivatives::ForwardSecondDerivatives(const Model& model)
    : SecondOrderTensors(model, "qtau"),
      inverse_(model),
      work_(nv_ * (nv_ + 32)) {
  for (auto* matrices : {&by_, &rows_})
    for (Buffer<double>& m : *matrices) m = Buffer<double>(nv_ * nv_);
}

VectorView forward_dynamics_second_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               VectorIn v, VectorIn tau, ForwardSecondDerivatives& out,
                                               ExternalsIn external, const JointEffects& effects) {
  constexpr const char* function = "forward_dynamics_second_derivatives";
  out.check(model, function);
  const Index n = model.nv();
  const auto by = [&](int k) { return Eigen::Map<Eigen::MatrixXd>(out.by_[k].data(), n, n); };
  const VectorView a =
      forward_dynamics_derivatives(model, data, factor, q, v, tau, by(0), by(1), by(2), external, effects);
  out.inverse_.compute(data, q.data(), v.data(), a.data(), external, effects);
  for (int k = 0; k < 3; ++k)
    for (Index r = 0; r < n; ++r)
      for (Index c = 0; c < n; ++c) out.rows_[k][r * n + c] = out.by_[k][c * n + r];
  const double* const first[] = {out.rows_[0].data(), out.rows_[1].data(), out.rows_[2].data()};
  const auto& H_ = out.inverse_.tensor_;
  const double* const H[] = {H_[0].data(), H_[1].data(), H_[2].data(), H_[3].data()};
  double* const to[] = {out.tensor_[0].data(), out.tensor_[1].data(), out.tensor_[2].data(), out.tensor_[3].data()};
  kernels().second_derivative->forward_dynamics(n, H, first, out.work_.data(), to);
  check_tensors(out.tensor_, function);
  return a;
}

}  // namespace zwang
