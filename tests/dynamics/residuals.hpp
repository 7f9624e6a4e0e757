// SPDX-License-Identifier: BSD-3-Clause
// The equations of a solved problem over any scalar, accelerations and multipliers held: an oracle for its derivatives
// that knows nothing of how they are computed.
//
//   torque = ID(q, v, a) + passive - J^T lambda,    row = J a + J' v + stabilisation   (without tau, beta and R lambda)
//   position, velocity: the errors of the rows; position: NaN of rows that have none
#pragma once
#include <limits>
#include <vector>

#include "constraint/page/stabilise.hpp"
#include "dynamics/mixed.hpp"
#include "zwang/algorithm/page/applied.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/generic.hpp"

namespace zwang::test {

template <class S> struct Residuals { std::vector<S> torque, row, position, velocity; };

/// Rows of the set in order of insertion; 0 for inactive ones.
template <class S> Residuals<S> residuals(const Model& model, const ConstraintSet& set, const Externals& external,
                                          const std::vector<S>& q, const std::vector<S>& v,
                                          const Eigen::VectorXd& acceleration, const Eigen::VectorXd& lambda,
                                          const JointEffects& effects) {
  BasicData<S> data(model);
  const auto& tree = data.tree();
  const auto n = static_cast<std::size_t>(model.nv());
  std::vector<S> a(n);
  for (std::size_t k = 0; k < n; ++k) a[k] = S(acceleration(static_cast<Eigen::Index>(k)));
  page::kinematics(data, q.data(), v.data(), a.data());
  std::vector<Force<S>> on(static_cast<std::size_t>(tree.n + 1), Force<S>::zero());  // world axes about the centres
  Residuals<S> out{std::vector<S>(n, S(0)), {}, {}, {}};
  std::vector<S> of_coordinates(n, S(0));  // J^T lambda

  const auto physical = [&](Index body) { return body == 0 ? Motion<S>::zero() : page::body_acceleration(data, body); };
  Index first = 0;
  for (const Constraint& c : set.constraints()) {
    const Index count = c.size();
    for (std::vector<S>* x : {&out.row, &out.velocity}) x->resize(x->size() + static_cast<std::size_t>(count), S(0));
    out.position.resize(out.row.size(), S(std::numeric_limits<double>::quiet_NaN()));
    S *const row = out.row.data() + first, *const position = out.position.data() + first,
             *const velocity = out.velocity.data() + first;
    const double* const l = lambda.data() + first;
    first += count;
    if (!c.active) continue;
    if (c.relation == nullptr) {
      const RowsOnBody& r = c.rows_on_body;
      const page::SeenRows<S> seen(data, r, c.acceleration);
      for (Index i = 0; i < count; ++i) {
        const double* const m = &r.matrix[static_cast<std::size_t>(6 * i)];
        Vec3<S> f{S(m[0]), S(m[1]), S(m[2])}, t{S(m[3]), S(m[4]), S(m[5])};
        if (seen.turned) {
          f = seen.A * f;
          t = seen.A * t;
        }
        const Force<S> K = seen.wrench(f, t);
        row[i] = seen.bias(f, t) + dot(Motion<S>(data.acceleration.joint[r.body]), K);
        velocity[i] = dot(Motion<S>(data.velocity.twist[r.body]), K);
        on[static_cast<std::size_t>(r.body)] += K * S(l[i]);
      }
      continue;
    }
    const RelationPage* const relation = c.relation->page();
    const RelationShape shape = c.relation->shape();
    std::vector<S> phi(static_cast<std::size_t>(count)), gamma(phi.size());
    std::vector<Force<S>> K(phi.size() * static_cast<std::size_t>(shape.body_count));
    evaluate(*relation, data, q.data(), v.data(), shape, {phi.data(), gamma.data(), K.data(), nullptr});
    const Stabilisation& s = c.stabilisation;
    const double inverse = s.time_constant > 0 ? 1 / s.time_constant : 0;
    for (Index i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      S rate(0);
      row[i] = gamma[at];
      for (Index t = 0; t < shape.body_count; ++t) {
        const Index body = shape.bodies[t];
        const Force<S>& k = K[static_cast<std::size_t>(t * count + i)];
        if (body == 0) continue;
        row[i] += dot(physical(body), k);
        rate += dot(Motion<S>(data.velocity.twist[body]), k);
        on[static_cast<std::size_t>(body)] += k * S(l[i]);
      }
      if (!c.target.empty()) phi[at] -= S(c.target[at]);
      if (!c.target_velocity.empty()) rate -= S(c.target_velocity[at]);
      position[i] = phi[at];
      velocity[i] = rate;
      row[i] += page::stabilisation(phi[at], rate, inverse, s.damping_ratio);
    }
  }
  for (std::size_t i = 1; i < on.size(); ++i) {
    const auto body = static_cast<Index>(i);
    const Inertia<S> I = data.position.placement[body] * data.inertia[body];
    const Motion<S> x = data.velocity.twist[body], b = data.acceleration.joint[body] + data.velocity.bias[body];
    on[i] = I * b + cross(x, I * x) - on[i];
  }
  for (Force<S>& f : data.force.external) f = Force<S>::zero();
  for (const ExternalWrench& e : external) {
    const Frame& frame = model.frames()[static_cast<std::size_t>(e.frame.value)];
    const double* const w = e.wrench;
    page::add_wrench(data, frame.body.value, frame.in_body, e.in,
                     Force<S>{{S(w[0]), S(w[1]), S(w[2])}, {S(w[3]), S(w[4]), S(w[5])}});
  }
  for (Index i = tree.n; i > 0; --i) {
    Force<S>& f = on[static_cast<std::size_t>(i)];
    f -= data.position.placement[i] * data.force.external[i];
    const auto& b = tree.body[i];
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const auto& column = tree.column[k];
      S& to = out.torque[static_cast<std::size_t>(column.v)];
      to += dot(Motion<S>(data.articulated.column[k].s), f) * column.multiplier;
      if (effects.armature)
        to += a[static_cast<std::size_t>(column.v)] * (column.armature * column.multiplier * column.multiplier);
    }
    if (b.parent > 0) on[static_cast<std::size_t>(b.parent)] += f;
  }
  page::add_passive(tree, q.data(), v.data(), page::PassiveEffects{effects.damping, false, effects.springs}, -1.0,
                    out.torque.data());
  return out;
}

/// d of the residuals along (dq, dv): dual numbers.
inline Residuals<double> residuals_along(const Model& model, const ConstraintSet& set, const Externals& external,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& dq,
                                         const Eigen::VectorXd& dv, const Eigen::VectorXd& acceleration,
                                         const Eigen::VectorXd& lambda, const JointEffects& effects) {
  using D = Dual<double>;
  const auto numbers = [](const Eigen::VectorXd& x, const Eigen::VectorXd& d) {
    std::vector<D> out;
    for (Eigen::Index k = 0; k < x.size(); ++k) out.push_back(D(x(k), d(k)));
    return out;
  };
  const auto at = numbers(q, Eigen::VectorXd::Zero(q.size())), along = numbers(Eigen::VectorXd::Zero(dq.size()), dq);
  std::vector<D> moved(at.size());
  page::integrate(model.tree<double>(), at.data(), along.data(), moved.data());
  const Residuals<D> r = residuals<D>(model, set, external, moved, numbers(v, dv), acceleration, lambda, effects);
  Residuals<double> out;
  for (const D& x : r.torque) out.torque.push_back(x.d);
  for (const D& x : r.row) out.row.push_back(x.d);
  for (const D& x : r.position) out.position.push_back(x.v == x.v ? x.d : x.v);
  for (const D& x : r.velocity) out.velocity.push_back(x.d);
  return out;
}

}  // namespace zwang::test
