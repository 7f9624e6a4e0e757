// SPDX-License-Identifier: BSD-3-Clause
// Variational integrator on the groups of the joints: the discrete Lagrangian h L(q_m, x), q_m = q0 (+) h x / 2,
// q1 = q0 (+) h x, with forces at the midpoint (Marsden & West 2001, sec. 3.2) and multipliers at both ends (RATTLE,
// Andersen 1983; of discrete Lagrangians: Leyendecker, Marsden & Ortiz 2008).
//
//   p = M(q) v,   mu = M(q_m) x,   G = dL/dq (x fixed) + tau - effects - gravity
//   A+-, B+-: d(q_m (+) +-h x / 2) by q_m and by the increment. Of the variations of q_m and x:
//     A+^T p1 - A-^T p0* = h G                  p0* = p0 + h/2 J(q0)^T lambda
//     B+^T p1 + B-^T p0* = 2 mu                 lambda such that phi(q1) = target
//   v1: M(q1) v1 = p1 + J(q1)^T mu', mu' such that J(q1) v1 = target_velocity
// Rotors of joints that turn in space are a force without work: see rotors().
// dL/dq = 1/2 d(x^T M x)/dq is half the gradient of x . ID(q, 0, x) without gravity. A+ A- = 1. On coordinates with
// q' = v this is the implicit midpoint rule; on SO(3) a discrete Euler equation. Symplectic, reversible, order 2.
//
// Solved by a factor at q0 of M + h D / 2 (D: dampers): with x = v0 + h a,
//   M(q0) da - J(q0)^T dlambda / 2 = -F / (2 h),   J(q0) da = -phi(q1) / h^2
// until x does not change. Each pass gains the factor O(h).
// Reads: q, v. Cost: two solves, one impulse, 5 to 10 passes of three inverse
// dynamics and one product. Allocates: nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "manifold/instances.hpp"
#include "simulation/stepper.hpp"
#include "zwang/algorithm/real_time_derivatives.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang {
namespace {

constexpr int k_most_steps = 100;
constexpr double k_rounding = 1e-8;  // of a change that no longer falls: below it, the equations are looked at
constexpr double k_solved = 1e-11, k_closed = 1e-11;

class Variational : public Stepper {
 public:
  explicit Variational(Movement& motion)
      : motion_(motion),
        model_(motion.model),
        bare_(model_),
        whole_(model_),
        evaluator_(model_, motion.set),
        linear_(model_, motion.set, linear_settings(motion.settings.solver)),
        nv_(model_.nv()),
        rows_(motion.set.rows()),
        p0_(nv_),
        start_(nv_),
        p1_(nv_),
        x_(nv_),
        half_(nv_),
        zero_(nv_),
        mu_(nv_),
        force_(nv_),
        gradient_(nv_),
        other_(nv_),
        F_(nv_),
        lambda_(rows_),
        J_(rows_ * nv_),
        q_middle_(model_.nq()),
        tau_(2 * nv_),
        beta_(2 * rows_),
        column_(2 * nv_),
        change_(2 * rows_),
        alpha_(nv_),
        rotor_(nv_) {
    inertia_ = linear_.settings().joint_effects;
    for (Data* data : {&bare_, &linear_.data()}) data->set_gravity(Vec3<double>::zero());
    for (const Constraint& x : motion.set.constraints()) check(x);
  }

  void begin() override {
    if (!motion_.prescribed().empty())
      throw UnsupportedError(
          "Simulator: integrator 'variational' takes no prescribed coordinates; use half_explicit, or a joint "
          "constraint "
          "with a target");
  }

  bool step(double h, const MovementState& from, MovementState& to) override {
    if (!motion_.accelerate(from, 0)) return false;
    if (!begin_step(h, from)) return false;
    double before = 0;
    bool rests = false;  // the change no longer falls
    for (int pass = 0;; ++pass) {
      if (!residual(h, from, to)) return false;
      if (rests && solved(h, to)) break;
      if (pass == k_most_steps) return diverged();
      change();
      double moved = 0, size = 0;
      for (Index k = 0; k < nv_; ++k) {
        const double d = column_[nv_ + k] - column_[k];
        alpha_[k] += d;
        x_[k] = from.v[k] + h * alpha_[k];
        moved = std::max(moved, std::fabs(h * d));
        size = std::max(size, std::fabs(x_[k]) + std::fabs(h * alpha_[k]));
      }
      for (Index r = 0; r < rows_; ++r) lambda_[r] += 2 * (change_[rows_ + r] - change_[r]);
      ++passes_;
      if (!(moved < 1e300)) return diverged();
      rests = moved <= 4e-16 * size || (pass > 1 && moved >= 0.5 * before && moved <= k_rounding * size);
      if (pass > 3 && moved > 10 * before && moved > k_rounding * size) return diverged();
      before = moved;
    }
    to.time = from.time + h;
    return end_velocity(to);
  }
  bool keeps_velocities() const override { return true; }
  bool keeps_positions() const override { return true; }
  long iterations() const override { return passes_; }

 private:
  static SolverSettings linear_settings(SolverSettings s) {
    s.joint_effects.damping = s.joint_effects.springs = s.joint_effects.friction = false;
    s.joint_effects.gravity_scale = false;
    return s;
  }
  static void check(const Constraint& x) {
    const std::string who = "Simulator: integrator 'variational' and constraint '" + x.name.value() + "': ";
    if (x.policy == Policy::soft || x.is_bounded())
      throw UnsupportedError(who +
                             "rows with a compliance, a sense or a limit have no discrete multiplier; use rk4 or "
                             "semi_implicit");
    if (!has_position(x))
      throw UnsupportedError(who + "its rows have no position error; give a target, or use half_explicit");
  }
  /// What the step says of itself: F is within k_solved of the largest sum of the terms that cancel in it, phi(q1)
  /// within k_closed of lengths and angles.
  bool solved(double h, const MovementState& to) const {
    double off = 0, reach = 1, open = 0;
    for (Index k = 0; k < nv_; ++k) off = std::max(off, std::fabs(F_[k]));
    for (Index k = 0; k < to.q.size(); ++k) reach = std::max(reach, std::fabs(to.q[k]));
    for (Index r = 0; r < rows_; ++r) open = std::max(open, std::fabs(beta_[rows_ + r]) * h * h);
    return off <= k_solved * terms_ && open <= k_closed * reach;
  }
  bool diverged() {
    return motion_.fail(Status::not_converged,
                        "the equations of the step are not solved: the step is too long for the "
                        "variational integrator");
  }
  bool failed(Status status) { return motion_.fail(status, "numbers of the step leave the range of double"); }
  static BorrowedMatrix two(const Buffer<double>& x, Index rows) { return matrix_in(x.data(), rows, 2); }
  static Eigen::Map<Eigen::MatrixXd> two_out(Buffer<double>& x, Index rows) { return {x.data(), rows, 2}; }

  /// p0, J(q0), and the first guess: half an explicit step.
  bool begin_step(double h, const MovementState& from) {
    const Solution& s = motion_.solver.solution();
    try_inverse_dynamics(model_, bare_, view_of(from.q), view_of(zero_), view_of(from.v), map_of(p0_), {}, inertia_);
    active_ = motion_.solver.active_rows();
    motion_.solver.constraint_jacobian(Eigen::Map<Eigen::MatrixXd>(J_.data(), active_, nv_));
    for (Index k = 0; k < nv_; ++k) {
      alpha_[k] = 0.5 * s.acceleration[k];
      x_[k] = from.v[k] + h * alpha_[k];
    }
    std::copy_n(s.multipliers.data(), rows_, lambda_.data());
    std::fill_n(beta_.data(), 2 * rows_, 0.0);
    std::fill_n(tau_.data(), 2 * nv_, 0.0);
    linear_.data().damping_step = 0.5 * h;  // dF/dx of dampers
    const SolveReport& report = linear_.solve({.q = {from.q.data(), model_.nq()}}).report;
    return report.status == Status::ok || motion_.fail(report.status, report.explain());
  }

  /// F, p1 and q1 at x and lambda, and what the rows miss there.
  bool residual(double h, const MovementState& from, MovementState& to) {
    const Tree<double>& tree = model_.tree<double>();
    for (Index k = 0; k < nv_; ++k) half_[k] = 0.5 * h * x_[k];
    page::integrate(tree, from.q.data(), half_.data(), q_middle_.data());
    page::integrate(tree, q_middle_.data(), half_.data(), to.q.data());
    if (!midpoint(from.time + 0.5 * h)) return false;
    Index at = 0, r = 0;
    std::copy_n(p0_.data(), nv_, start_.data());
    for (const Constraint& c : motion_.set.constraints())
      for (Index i = 0; i < c.size(); ++i, ++r) {
        if (!c.active) continue;
        for (Index k = 0; k < nv_; ++k) start_[k] += 0.5 * h * J_[k * active_ + at] * lambda_[r];
        ++at;
      }
    page::integrate_blocks(tree, q_middle_.data(), half_.data(),
                           [&](Index v, Index n, const double* A, const double* B) {
                             rotors(v, n, A, 1);
                             for (Index i = 0; i < n; ++i) {  // B+ for now: p1 is not known yet
                               F_[v + i] = 2 * mu_[v + i];
                               for (Index j = 0; j < n; ++j) plus_[(v + i) * 6 + j] = B[j * n + i];
                             }
                           });
    for (Index k = 0; k < nv_; ++k) half_[k] = -half_[k];
    terms_ = 0;
    page::integrate_blocks(tree, q_middle_.data(), half_.data(),
                           [&](Index v, Index n, const double* A, const double* B) {
                             double carried[6], middle[6];
                             transposed(A, n, &start_[v], middle);
                             rotors(v, n, A, -1);
                             for (Index i = 0; i < n; ++i) middle[i] += h * force_[v + i] + rotor_[v + i];
                             transposed(A, n, middle, &p1_[v]);
                             transposed(B, n, &start_[v], carried);
                             for (Index i = 0; i < n; ++i) {
                               double terms = std::fabs(F_[v + i]) + std::fabs(carried[i]);
                               F_[v + i] -= carried[i];
                               for (Index j = 0; j < n; ++j) {
                                 const double term = plus_[(v + i) * 6 + j] * p1_[v + j];
                                 F_[v + i] -= term;
                                 terms += std::fabs(term);
                               }
                               terms_ = std::max(terms_, terms + h * std::fabs(force_[v + i]));
                             }
                           });
    return miss(h, from.time + h, to);
  }
  /// The momentum a x of rotors does not turn with the joint: M q'' + h has no a in h.
  /// So (A+ - A-)^T a x is taken back.
  void rotors(Index v, Index n, const double* A, double sign) {
    if (sign > 0) std::fill_n(&rotor_[v], n, 0.0);
    if (!inertia_.armature) return;
    const std::vector<double>& a = model_.armature();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        rotor_[v + i] += sign * A[j * n + i] * a[static_cast<std::size_t>(v + j)] * x_[v + j];
  }
  static void transposed(const double* block, Index n, const double* x, double* out) {
    for (Index i = 0; i < n; ++i) {
      out[i] = 0;
      for (Index j = 0; j < n; ++j) out[i] += block[j * n + i] * x[j];
    }
  }

  /// mu and G at the midpoint.
  bool midpoint(double time) {
    const auto q = view_of(q_middle_), x = view_of(x_), rest = view_of(zero_);
    const JointEffects& effects = motion_.settings.solver.joint_effects;
    motion_.apply_control(time, q_middle_.data(), x_.data());
    Status status = try_inverse_dynamics_vjp(model_, bare_, q, rest, x, x, map_of(gradient_), map_of(other_),
                                             map_of(mu_), {}, inertia_);
    if (status != Status::ok) return failed(status);
    status = try_inverse_dynamics(model_, whole_, q, x, rest, map_of(force_), motion_.external(), effects);
    if (status != Status::ok) return failed(status);
    status = try_inverse_dynamics(model_, bare_, q, x, rest, map_of(other_), {}, inertia_);
    if (status != Status::ok) return failed(status);
    for (Index k = 0; k < nv_; ++k) force_[k] = 0.5 * gradient_[k] + motion_.tau()[k] - (force_[k] - other_[k]);
    return true;
  }

  /// The right-hand sides of the change: -F / (2 h) and -phi(q1) / h^2.
  bool miss(double h, double time, const MovementState& to) {
    for (Index k = 0; k < nv_; ++k) tau_[nv_ + k] = -F_[k] / (2 * h);
    if (active_ == 0) return true;
    motion_.apply_control(time, to.q.data(), x_.data());  // targets
    evaluator_.evaluate(view_of(to.q), view_of(zero_));
    const VectorView phi = evaluator_.position_error();
    Index at = 0, r = 0;
    for (const Constraint& c : motion_.set.constraints())
      for (Index i = 0; i < c.size(); ++i, ++r) {
        if (!c.active) continue;
        if (std::isnan(phi[at]))
          throw UnsupportedError("Simulator: integrator 'variational': row '" +
                                 c.row_names[static_cast<std::size_t>(i)] +
                                 "' has no position error; use half_explicit");
        beta_[rows_ + r] = -phi[at++] / (h * h);
      }
    return true;
  }
  void change() {
    linear_.solve_columns(two(tau_, nv_), two(beta_, rows_), two_out(column_, nv_), two_out(change_, rows_));
  }

  /// v1 from p1, with J v = target_velocity: an impulse at q1.
  bool end_velocity(MovementState& to) {
    const Impulse& r = motion_.solver.impulse({.q = {to.q.data(), model_.nq()}, .impulse = {p1_.data(), nv_}});
    if (r.report.status != Status::ok) return motion_.fail(r.report.status, r.report.explain());
    std::copy_n(r.velocity.data(), nv_, to.v.data());
    return true;
  }

  Movement& motion_;
  Model model_;
  Data bare_, whole_;  ///< without gravity; as the model is
  JointEffects inertia_;
  ConstraintEvaluator evaluator_;
  Solver linear_;  ///< at rest, without gravity, springs and dampers: nothing but M and J
  Index nv_, rows_, active_ = 0;
  long passes_ = 0;
  double terms_ = 0;
  Buffer<double> p0_, start_, p1_, x_, half_, zero_, mu_, force_, gradient_, other_, F_;
  Buffer<double> lambda_, J_, q_middle_;
  Buffer<double> tau_, beta_, column_, change_;  ///< two columns: zeros, and the right-hand sides of a change
  Buffer<double> alpha_, rotor_;
  Buffer<double> plus_{6 * nv_};  ///< rows of B+^T, 6 places each
};

}  // namespace

/// The midpoint rule keeps a damper stable at any step, but beyond 2 the velocity changes its sign in every step. Its
/// springs are stable; what its iteration cannot solve it says itself.
const IntegratorRow integrator::variational{
    .name = "variational",
    .make = [](Movement& motion) -> std::unique_ptr<Stepper> { return std::make_unique<Variational>(motion); },
    .dampers = 2,
    .springs = std::numeric_limits<double>::infinity()};

}  // namespace zwang
