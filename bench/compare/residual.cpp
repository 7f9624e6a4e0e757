// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tasks.hpp"
#include "zwang/algorithm/derivative_products.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::bench {
namespace {

using Matrix = Eigen::Map<const Eigen::MatrixXd>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

double largest(const Eigen::MatrixXd& x) { return x.size() ? x.lpNorm<Eigen::Infinity>() : 0; }

double orthonormality(const double* poses, Index bodies) {
  double worst = 0;
  for (Index i = 0; i < bodies; ++i) {
    const Eigen::Map<const Eigen::Matrix3d> R(poses + 12 * i);
    worst = std::max(worst, (R.transpose() * R - Eigen::Matrix3d::Identity()).lpNorm<Eigen::Infinity>());
  }
  return worst;
}

}  // namespace

Residual::Residual(const Problem& problem) : problem_(problem), data_(problem.model) {}

/// The largest row of K a over the largest one of the motion without rows.
double Residual::rows(int state, const Eigen::VectorXd& acceleration) {
  if (!acceleration.allFinite()) return HUGE_VAL;
  if (problem_.contacts.empty()) return 0;
  const Problem& p = problem_;
  const auto q = p.q.col(state), v = p.v.col(state);
  const auto missed = [&](const Eigen::VectorXd& a) {
    forward_kinematics(p.model, data_, q, v, a);
    double worst = 0;
    for (const Contact& c : p.contacts) {
      const AccelerationKind kind = c.rows == 6 ? AccelerationKind::spatial : AccelerationKind::classical;
      const Motion<double> x = frame_acceleration(p.model, data_, p.model.find_frame(c.frame), kind);
      for (Index k = 0; k < 3; ++k) worst = std::max({worst, std::abs(x.v[k]), c.rows == 6 ? std::abs(x.w[k]) : 0.0});
    }
    return worst;
  };
  const Eigen::VectorXd free = forward_dynamics(p.model, data_, q, v, p.tau.col(state), {}, k_effects);
  return missed(acceleration) / missed(free);
}

/// The same of loops.
double Residual::loop_rows(int state, const Eigen::VectorXd& acceleration) {
  if (!acceleration.allFinite()) return HUGE_VAL;
  const Problem& p = problem_;
  const Eigen::VectorXd q = p.q.col(state), v = p.v.col(state);
  const auto missed = [&](const Eigen::VectorXd& a) {
    forward_kinematics(p.model, data_, q, v, a);
    double worst = 0;
    for (const Constraint& c : p.loops.constraints()) {
      const auto& bodies = c.relation->bodies();
      const auto n = static_cast<std::size_t>(c.size());
      std::vector<double> phi(n), gamma(n), as_given(6 * n);
      std::vector<Force<double>> K(n * bodies.size());
      c.relation->evaluate(data_, q.data(), v.data(), {phi.data(), gamma.data(), K.data(), as_given.data()});
      for (std::size_t r = 0; r < n; ++r) {
        double x = gamma[r];
        for (std::size_t t = 0; t < bodies.size(); ++t) {
          Motion<double> of_body = Motion<double>(data_.acceleration.joint[bodies[t]]);
          of_body += Motion<double>(data_.velocity.bias[bodies[t]]);
          of_body.v += data_.gravity;
          if (bodies[t] > 0) x += dot(of_body, K[t * n + r]);
        }
        worst = std::max(worst, std::abs(x));
      }
    }
    return worst;
  };
  const Eigen::VectorXd free = forward_dynamics(p.model, data_, q, v, p.tau.col(state), {}, k_effects);
  return missed(acceleration) / missed(free);
}

/// Differences of fourth order along q' = v, v' = a, with rows tau' = tau, too.
double Residual::first_derivatives(ZwangPeerTask task, int state, const double* result) {
  const Problem& p = problem_;
  const Index nv = p.model.nv();
  const Eigen::VectorXd q = p.q.col(state), v = p.v.col(state), a = p.a.col(state), tau = p.tau.col(state);
  if (task == ZWANG_PEER_CONSTRAINED_DERIVATIVES && !solver_) {
    SolverSettings settings;
    settings.joint_effects = k_effects;
    solver_.emplace(p.model, p.set, settings);
  }
  const double h = 5e-4;
  const auto at = [&](double t) -> Eigen::VectorXd {
    Eigen::VectorXd moved(p.model.nq()), faster = v + a * t, more = tau * (1 + t);
    integrate(p.model, q, v * t, moved);
    if (task == ZWANG_PEER_RNEA_DERIVATIVES) return inverse_dynamics(p.model, data_, moved, faster, a, {}, k_effects);
    if (task == ZWANG_PEER_ABA_DERIVATIVES) return forward_dynamics(p.model, data_, moved, faster, tau, {}, k_effects);
    const auto of = [](const Eigen::VectorXd& x) { return ConstVector{x.data(), static_cast<Index>(x.size())}; };
    solver_->solve({.q = of(moved), .v = of(faster), .tau = of(more)});
    return solver_->solution().acceleration;
  };
  const Eigen::VectorXd slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  Eigen::VectorXd along = Matrix(result, nv, nv) * v + Matrix(result + nv * nv, nv, nv) * a;
  if (task == ZWANG_PEER_CONSTRAINED_DERIVATIVES) along += Matrix(result + 2 * nv * nv, nv, nv) * tau;
  return largest(along - slope) / largest(slope);
}

/// The same of second derivatives along q' = v: qq(v, v) of the first derivative along v (page of products), qa(v, a)
/// of tau; and along v' = a: vv(a, a), and of the slope by q that is qv(v, a).
double Residual::second_order(int state, const double* result) {
  const Problem& p = problem_;
  const Index nv = p.model.nv();
  const Eigen::VectorXd q = p.q.col(state), v = p.v.col(state), a = p.a.col(state), none = Eigen::VectorXd::Zero(nv);
  const auto torque = [&](double t, const Eigen::VectorXd& velocity, const Eigen::VectorXd& acceleration) {
    Eigen::VectorXd moved(p.model.nq());
    integrate(p.model, q, v * t, moved);
    return Eigen::VectorXd(inverse_dynamics(p.model, data_, moved, velocity, acceleration, {}, k_effects));
  };
  const double h = 3e-3 / std::max(largest(v), 1.0);  // errors of differences grow with (h v)^4
  const auto four = [h](auto&& at) -> Eigen::VectorXd {
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  };
  const auto slope = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y) -> Eigen::VectorXd {
    return four([&](double t) { return torque(t, x, y); });
  };
  // Once more along q' = v, of first derivatives: a second difference of torques would lose half of the digits.
  const auto first = [&](double t) {
    Eigen::VectorXd moved(p.model.nq()), along(nv);
    integrate(p.model, q, v * t, moved);
    inverse_dynamics_jvp(p.model, data_, moved, v, a, v, none, none, along, {}, k_effects);
    return along;
  };
  // tau is quadratic in v and linear in a: these differences are exact but for rounding.
  const Eigen::VectorXd right[] = {four(first), 0.5 * (slope(v + a, a) - slope(v - a, a)),
                                   torque(0, a, none) + torque(0, -a, none) - 2 * torque(0, none, none),
                                   slope(none, a) - slope(none, none)};
  double worst = 0;
  for (int k = 0; k < 4; ++k)
    worst = std::max(worst, largest(Vector(result + k * nv, nv) - right[k]) / largest(right[k]));
  return worst;
}

double Residual::of(ZwangPeerTask task, int state, const double* result) {
  const Problem& p = problem_;
  const Index nv = p.model.nv();
  const auto q = p.q.col(state), v = p.v.col(state), a = p.a.col(state), tau = p.tau.col(state);
  const Vector x(result, nv);
  if (task == ZWANG_PEER_FK) return orthonormality(result, p.model.bodies());
  if (task == ZWANG_PEER_CONSTRAINED) return rows(state, x);
  if (task == ZWANG_PEER_CONSTRAINED_LOOP) return loop_rows(state, x);
  if (task == ZWANG_PEER_JACOBIAN || task == ZWANG_PEER_FRAME_JACOBIAN) {
    forward_kinematics(p.model, data_, q, v);
    const Motion<double> V = frame_velocity(p.model, data_, p.model.find_frame(p.contacts.at(0).frame));
    const Eigen::VectorXd Jv = Matrix(result, 6, nv) * v;
    const Eigen::VectorXd twist{{V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z}};
    return largest(Jv - twist) / largest(twist);
  }
  constexpr JointEffects of_links{false, false, false, false};
  if (task == ZWANG_PEER_CENTROIDAL) {
    const Force<double> h = centroidal_momentum(p.model, data_, q, v);
    const Eigen::VectorXd momentum{{h.f.x, h.f.y, h.f.z, h.n.x, h.n.y, h.n.z}};
    return largest(Matrix(result, 6, nv) * v - momentum) / largest(momentum);
  }
  if (task == ZWANG_PEER_CENTROIDAL_DOT) {
    const Force<double> r = centroidal_momentum_rate(p.model, data_, q, v, Eigen::VectorXd::Zero(nv));
    const Eigen::VectorXd rate{{r.f.x, r.f.y, r.f.z, r.n.x, r.n.y, r.n.z}};
    return largest(Matrix(result, 6, nv) * v - rate) / largest(rate);
  }
  if (task == ZWANG_PEER_CORIOLIS) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv);
    const Eigen::VectorXd g = inverse_dynamics(p.model, data_, q, zero, zero, {}, of_links);
    const Eigen::VectorXd bias = inverse_dynamics(p.model, data_, q, v, zero, {}, of_links);
    return largest(Matrix(result, nv, nv) * v + g - bias) / (largest(bias) + largest(g));
  }
  if (task == ZWANG_PEER_REGRESSOR || task == ZWANG_PEER_ALL_TERMS) {
    const JointEffects& effects = task == ZWANG_PEER_REGRESSOR ? of_links : k_effects;
    const Eigen::VectorXd full = inverse_dynamics(p.model, data_, q, v, a, {}, effects);
    return largest(x - full) / largest(full);
  }
  if (task == ZWANG_PEER_SECOND_ORDER) return second_order(state, result);
  if (task == ZWANG_PEER_RNEA_DERIVATIVES || task == ZWANG_PEER_ABA_DERIVATIVES ||
      task == ZWANG_PEER_CONSTRAINED_DERIVATIVES)
    return first_derivatives(task, state, result);
  Eigen::MatrixXd M(nv, nv);
  mass_matrix(p.model, data_, q, M, k_effects);
  const Eigen::VectorXd h = inverse_dynamics(p.model, data_, q, v, Eigen::VectorXd::Zero(nv), {}, k_effects);
  const double m = largest(M);
  switch (task) {
    case ZWANG_PEER_RNEA: return largest(x - M * a - h) / (m * largest(a) + largest(h));
    case ZWANG_PEER_ABA: return largest(M * x + h - tau) / (m * largest(x) + largest(h));
    case ZWANG_PEER_CHOLESKY_SOLVE: return largest(M * x - tau) / (m * largest(x));
    case ZWANG_PEER_MINVERSE: {
      const Matrix X(result, nv, nv);
      return largest(M * X - Eigen::MatrixXd::Identity(nv, nv)) / (m * largest(X));
    }
    default: {  // crba: against inverse dynamics, which does not know of it
      const Eigen::VectorXd full = inverse_dynamics(p.model, data_, q, v, a, {}, k_effects);
      return largest(Matrix(result, nv, nv) * a - (full - h)) / (m * largest(a) + largest(h));
    }
  }
}

}  // namespace zwang::bench
