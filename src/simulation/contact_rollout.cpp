// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a motion of many steps of Integrator::contact: the chain rule, from either end.
#include <algorithm>
#include <cmath>

#include "core/borrowed.hpp"
#include "zwang/core/error.hpp"
#include "zwang/simulation/contact_derivatives.hpp"

namespace zwang {
namespace {

std::size_t at_most(Index k) { return static_cast<std::size_t>(std::max<Index>(k, 0)); }

void check_weights(const char* function, const char* name, MatrixIn x, Index rows, Index columns) {
  if (x.rows() != rows || x.cols() != columns)
    throw std::invalid_argument(std::string(function) + ": argument '" + name + "' is " + std::to_string(x.rows()) +
                                " x " + std::to_string(x.cols()) + ", expected " + std::to_string(rows) + " x " +
                                std::to_string(columns));
  if (!x.allFinite())
    throw std::invalid_argument(std::string(function) + ": argument '" + name + "' has an entry that is not finite");
}

}  // namespace

struct ContactRollout::Impl {
  Impl(const Model& model, const ConstraintSet& set, const SimulationSettings& settings, const Scene& scene)
      : of(model, set, settings, scene),
        nv(of.model().nv()),
        nq(of.model().nq()) {}

  /// d (q', v') of step k by one of q, v, tau: six blocks [nv x nv] after each other.
  Eigen::Map<const Eigen::MatrixXd> block(Index k, Index of_state, Index by) const {
    return {blocks.data() + at_most((6 * k + 3 * of_state + by) * nv * nv), nv, nv};
  }
  void keep(const ContactStepDerivatives& d) {
    for (const StepJacobian* x : {&d.q_by, &d.v_by})
      for (const auto* m : {&x->q, &x->v, &x->tau}) blocks.insert(blocks.end(), m->data(), m->data() + m->size());
    q.insert(q.end(), d.q.data(), d.q.data() + nq);
    v.insert(v.end(), d.v.data(), d.v.data() + nv);
    for (const ContactBorder& b : d.borders) borders.push_back({steps, b});
    ++steps;
  }

  ContactDerivatives of;
  const Index nv, nq;
  Index steps = 0;
  std::string reason;
  std::vector<double> blocks, q, v, out;
  std::vector<Border> borders;
};

namespace {

template <class Impl> Impl& whole(const Owned<Impl>& impl) {
  if (impl == nullptr) throw std::logic_error("ContactRollout: this object was moved from");
  return *impl;
}

}  // namespace

ContactRollout::ContactRollout(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
                               const Scene& scene)
    : impl_(make_owned<Impl>(model, constraints, settings, scene)) {}
ContactRollout::ContactRollout(ContactRollout&&) noexcept = default;
ContactRollout& ContactRollout::operator=(ContactRollout&&) noexcept = default;
ContactRollout::~ContactRollout() = default;

Status ContactRollout::run(const SimulationInput& input, MatrixIn torques) {
  Impl& x = whole(impl_);
  check_weights("ContactRollout::run", "torques", torques, x.nv, torques.cols());
  x.steps = 0;
  x.reason.clear();
  x.borders.clear();
  for (std::vector<double>* numbers : {&x.blocks, &x.q, &x.v}) numbers->clear();
  std::vector<double> tau(at_most(x.nv));
  for (Index k = 0; k < torques.cols(); ++k) {
    for (Index i = 0; i < x.nv; ++i) tau[at_most(i)] = torques(i, k);
    const bool first = k == 0;
    if (first) {
      SimulationInput with = input;
      with.tau = tau;
      x.of.step(with);
      x.q.assign(input.q.data(), input.q.data() + x.nq);
      x.v.assign(at_most(x.nv), 0.0);
      if (input.v.size() > 0) x.v.assign(input.v.data(), input.v.data() + x.nv);
    } else {
      x.of.next(tau);
    }
    const ContactStepDerivatives& d = x.of.last();
    if (d.status != Status::ok) {
      x.reason = "step " + std::to_string(k) + ": " + d.reason;
      return d.status;
    }
    x.keep(d);
  }
  return Status::ok;
}

const std::string& ContactRollout::reason() const { return whole(impl_).reason; }
Index ContactRollout::steps() const { return whole(impl_).steps; }
const std::vector<ContactRollout::Border>& ContactRollout::borders() const { return whole(impl_).borders; }
Eigen::Map<const Eigen::MatrixXd> ContactRollout::q() const {
  const Impl& x = whole(impl_);
  return {x.q.data(), x.nq, static_cast<Index>(x.q.size()) / std::max<Index>(x.nq, 1)};
}
Eigen::Map<const Eigen::MatrixXd> ContactRollout::v() const {
  const Impl& x = whole(impl_);
  return {x.v.data(), x.nv, static_cast<Index>(x.v.size()) / std::max<Index>(x.nv, 1)};
}

RolloutGradient ContactRollout::vjp(MatrixIn q, MatrixIn v) {
  Impl& x = whole(impl_);
  const Index n = x.nv, steps = x.steps;
  check_weights("ContactRollout::vjp", "q", q, n, steps + 1);
  check_weights("ContactRollout::vjp", "v", v, n, steps + 1);
  x.out.assign(at_most(n * (steps + 4)), 0.0);
  double* const tau = x.out.data();
  double *const by_q = tau + n * steps, *const by_v = by_q + n, *const before = by_v + n;
  for (Index i = 0; i < n; ++i) by_q[i] = q(i, steps), by_v[i] = v(i, steps);
  for (Index k = steps; k-- > 0;) {
    const auto back = [&](Index by, double* to) {
      const auto of_q = x.block(k, 0, by), of_v = x.block(k, 1, by);
      for (Index c = 0; c < n; ++c) {
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += of_q(i, c) * by_q[i] + of_v(i, c) * by_v[i];
        to[c] = sum;
      }
    };
    back(2, tau + n * k);
    back(0, before), back(1, before + n);
    for (Index i = 0; i < n; ++i) by_q[i] = before[i] + q(i, k), by_v[i] = before[n + i] + v(i, k);
  }
  RolloutGradient g;
  new (&g.q) VectorView(by_q, n);
  new (&g.v) VectorView(by_v, n);
  new (&g.tau) Eigen::Map<const Eigen::MatrixXd>(tau, n, steps);
  return g;
}

RolloutVariation ContactRollout::jvp(ConstVector q, ConstVector v, MatrixIn tau) {
  Impl& x = whole(impl_);
  constexpr const char* function = "ContactRollout::jvp";
  const Index n = x.nv, steps = x.steps;
  for (const auto& [name, d] : {std::pair{"q", q}, std::pair{"v", v}}) {
    if (d.size() != 0 && d.size() != n) detail::throw_size(function, name, d.size(), n);
    for (Index i = 0; i < d.size(); ++i)
      if (!std::isfinite(d.data()[i]))
        throw std::invalid_argument(std::string(function) + ": argument '" + name +
                                    "' has an entry that is not finite");
  }
  if (tau.size() > 0) check_weights(function, "tau", tau, n, steps);
  x.out.assign(at_most(2 * n * (steps + 1)), 0.0);
  double *const of_q = x.out.data(), *const of_v = of_q + n * (steps + 1);
  for (Index i = 0; i < q.size(); ++i) of_q[i] = q.data()[i];
  for (Index i = 0; i < v.size(); ++i) of_v[i] = v.data()[i];
  for (Index k = 0; k < steps; ++k)
    for (const Index state : {0, 1}) {
      double* const to = (state == 0 ? of_q : of_v) + n * (k + 1);
      const auto by_q = x.block(k, state, 0), by_v = x.block(k, state, 1), by_tau = x.block(k, state, 2);
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < n; ++c)
          to[i] += by_q(i, c) * of_q[n * k + c] + by_v(i, c) * of_v[n * k + c] +
                   (tau.size() > 0 ? by_tau(i, c) * tau(c, k) : 0);
    }
  RolloutVariation out;
  new (&out.q) Eigen::Map<const Eigen::MatrixXd>(of_q, n, steps + 1);
  new (&out.v) Eigen::Map<const Eigen::MatrixXd>(of_v, n, steps + 1);
  return out;
}

}  // namespace zwang
