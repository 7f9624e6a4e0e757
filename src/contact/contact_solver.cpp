// SPDX-License-Identifier: BSD-3-Clause
// ContactSolver: the order of the stages, and what is said of an answer.
#include "zwang/contact/contact_solver.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>

#include "contact/admm.hpp"
#include "contact/even_loads.hpp"
#include "contact/proximal_newton.hpp"
#include "core/all_finite.hpp"

namespace zwang {
namespace {

using contact::Cone;

constexpr double k_penalties[] = {1e2, 1e4, 1};  // of the proximal Newton method
constexpr double k_fixed_penalties[] = {1e-3, 1e-2, 1e-4, 1e-1, 3e-3, 3e-4};
constexpr double k_goal = 1e-14;  // residual at which the polish ends
constexpr int k_outer = 25, k_fixed_iterations = 6000;
constexpr double k_first_step = 0.25, k_last_step = 1e-4;  // of the homotopy
constexpr int k_homotopy_steps = 120;
constexpr double k_shock = 10;  // times the impulse that an approach can cause

void check(const ContactSettings& s) {
  const auto positive = [](double x, const char* name) {
    if (!(x > 0) || !std::isfinite(x))
      throw std::invalid_argument(std::string("ContactSolver: ") + name + " is to be a number above 0");
  };
  positive(s.accept, "accept");
  positive(s.target, "target");
  if (s.target > s.accept) throw std::invalid_argument("ContactSolver: target is to be at most accept");
  if (s.iterations < 1) throw std::invalid_argument("ContactSolver: iterations is to be 1 or more");
}

}  // namespace

struct ContactSolverParts {
  explicit ContactSolverParts(const ContactSettings& s) : settings(s) { check(s); }

  void reserve(Index n, Index rows, Index cones);
  void begin(Index n, Index m, Index cones);
  void solve();
  bool is_enough(double residual) const { return residual <= settings.target; }
  /// Of impulses so large that it is a matter of acceptance; else 0.
  double rounding_of(const Buffer<double>& impulse) const {
    const double matters = settings.accept / 2, rounding = problem.rounding(impulse.data(), matters);
    return rounding > matters ? rounding : 0;
  }
  /// The best impulses so far, and those of a stage.
  bool keep(double residual, ContactStage stage);
  double homotopy();
  /// root^T root = G by Cholesky's method with pivots, which ends where what is left is rounding.
  void take_root(const Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>& G);
  /// Of answers that are as good: one that sticks before one that turns about a corner, and even loads.
  void choose_among_answers();
  void finish();
  void judge_uniqueness();

  ContactSettings settings;
  ContactReport report;
  contact::ScaledProblem problem;
  contact::Polish polish;
  contact::Admm admm;
  contact::ProximalNewton newton;
  contact::EvenLoads even;
  Interruption stop;
  Index n_room = 0, row_room = 0, cone_room = 0, plain = 0;
  double least = 1e300;
  int best_run = 0;  ///< of the polish, after which the best impulses were found
  bool warm = false;
  Buffer<double> l, best, start, admm_l, clipped, impulses, y, sigma, y_all, whole_mu;
  Buffer<double> root, rest, still;  ///< of a problem that is given by its matrix
};

void ContactSolverParts::reserve(Index n, Index rows, Index cones) {
  if (n <= n_room && rows <= row_room && cones <= cone_room) return;
  n_room = std::max(n, n_room), row_room = std::max(rows, row_room), cone_room = std::max(cones, cone_room);
  const Index all = n_room + row_room;
  problem.reserve(n_room, row_room, cone_room);
  polish.reserve(row_room, all), admm.reserve(row_room, all), newton.reserve(row_room, all);
  even.reserve(row_room, all);
  for (Buffer<double>* x : {&l, &best, &start, &admm_l, &clipped, &impulses, &sigma}) *x = Buffer<double>(row_room);
  y = Buffer<double>(n_room), whole_mu = Buffer<double>(cone_room), y_all = Buffer<double>(all);
  report.conflicts.reserve(static_cast<std::size_t>(cone_room));
  report.not_unique.reserve(static_cast<std::size_t>(cone_room));
  report.shocks.reserve(static_cast<std::size_t>(cone_room));
}

bool ContactSolverParts::keep(double residual, ContactStage stage) {
  const double judged = residual + rounding_of(l);
  if (judged < least) {
    least = judged;
    report.stage = stage;
    best_run = polish.runs;
    std::copy(l.begin(), l.begin() + problem.m, best.begin());
  }
  return is_enough(least) || stop.asked();
}

void ContactSolverParts::solve() {
  const Index m = problem.m;
  const auto restart = [&](const Buffer<double>& from) { std::copy(from.begin(), from.begin() + m, l.begin()); };
  const auto at_zero = [&] { std::fill(l.begin(), l.begin() + m, 0.0); };
  least = 1e300;
  at_zero();
  // No impulse: the answer where things separate, also where others exist.
  const double none = problem.residual(l.data());
  keep(none, ContactStage::none);
  if (none == 0) return;
  if (warm) {
    restart(start);
    if (keep(polish.run(problem, l.data(), 4, k_goal), ContactStage::warm)) return;
  }
  if (settings.effort == ContactSettings::Effort::warm) return;
  warm = warm && problem.residual(start.data()) <= none;  // no start is better than a bad one
  if (warm)
    restart(start);
  else
    at_zero();
  contact::AdmmSettings first{.iterations = settings.iterations, .enough = settings.target, .warm = warm};
  const double by_admm = admm.run(problem, l.data(), first, polish, stop);
  if (keep(by_admm, ContactStage::admm) || admm.infeasible) return;
  std::copy(l.begin(), l.begin() + m, admm_l.begin());
  for (const double rho : k_penalties) {
    restart(admm_l);
    newton.run(problem, l.data(), rho, k_outer, 10 * settings.target, stop);
    if (keep(polish.run(problem, l.data(), 6, k_goal), ContactStage::proximal_newton)) return;
  }
  if (settings.effort == ContactSettings::Effort::ordinary) return;
  if (settings.effort == ContactSettings::Effort::needed && least <= settings.accept) return;
  for (const double rho : k_fixed_penalties) {
    at_zero();
    const contact::AdmmSettings fixed{.iterations = k_fixed_iterations, .rho = rho, .enough = settings.target};
    const double e = admm.run(problem, l.data(), fixed, polish, stop);
    if (keep(e, ContactStage::fixed_penalty) || admm.infeasible) return;
  }
  keep(homotopy(), ContactStage::homotopy);
}

void ContactSolverParts::take_root(const Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>& G) {
  const Index m = static_cast<Index>(G.rows());
  const auto left = [&](Index i, Index j) -> double& { return rest[i * m + j]; };
  const auto refuse = [](const char* what, Index row) {
    throw std::invalid_argument("ContactSolver.solve: G " + std::string(what) + " (row " + std::to_string(row) + ")");
  };
  // In rows of length 1: a row that is small beside others counts as they do.
  for (Index i = 0; i < m; ++i) {
    if (G(i, i) < 0) refuse("has a negative eigenvalue", i);
    still[i] = G(i, i) > 0 ? std::sqrt(G(i, i)) : 0;
  }
  const double rounding = 8 * static_cast<double>(m) * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      const double size = still[i] * still[j];
      if (size == 0 && G(i, j) != 0) refuse("has a negative eigenvalue", i);
      if (std::fabs(G(i, j) - G(j, i)) > rounding * size) refuse("is not symmetric", i);
      left(i, j) = size > 0 ? G(i, j) / size : 0;
    }
  std::fill(root.begin(), root.begin() + m * m, 0.0);
  for (Index k = 0; k < m; ++k) {  // root(k, j) stands at root[j * m + k]
    Index best_row = 0;
    for (Index i = 1; i < m; ++i)
      if (left(i, i) > left(best_row, best_row)) best_row = i;
    const double pivot = left(best_row, best_row);
    if (!(pivot > rounding)) break;
    const double by = 1 / std::sqrt(pivot);
    for (Index j = 0; j < m; ++j) root[j * m + k] = left(best_row, j) * by;
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < m; ++j) left(i, j) -= root[i * m + k] * root[j * m + k];
    for (Index j = 0; j < m; ++j) left(best_row, j) = left(j, best_row) = 0;
  }
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j)
      if (std::fabs(left(i, j)) > 4 * rounding) refuse("has a negative eigenvalue", i);
  for (Index j = 0; j < m; ++j)
    for (Index k = 0; k < m; ++k) root[j * m + k] *= still[j];
  std::fill(still.begin(), still.begin() + m, 0.0);
}

/// From the problem without friction to the whole one, each from the answer before.
double ContactSolverParts::homotopy() {
  const Index m = problem.m;
  Buffer<double>& from = admm_l;  // not needed any more
  std::fill(l.begin(), l.begin() + m, 0.0);
  double t = 0, step = k_first_step;
  for (Index c = 0; c < problem.count; ++c) whole_mu[c] = problem.cone[c].mu;
  const auto friction = [&](double of) {
    for (Index c = 0; c < problem.count; ++c) problem.cone[c].mu = of * whole_mu[c];
  };
  friction(0);
  contact::AdmmSettings settings_of{.iterations = 500, .enough = settings.target};
  admm.run(problem, l.data(), settings_of, polish, stop);
  std::copy(l.begin(), l.begin() + m, from.begin());
  settings_of.iterations = 300, settings_of.warm = true;
  for (int k = 0; k < k_homotopy_steps && t < 1 && step > k_last_step && !stop.asked(); ++k) {
    const double next = std::min(1.0, t + step);
    friction(next);
    const auto restart = [&] { std::copy(from.begin(), from.begin() + m, l.begin()); };
    restart();
    double e = polish.run(problem, l.data(), 8, k_goal);
    if (!is_enough(e)) {
      restart();
      newton.run(problem, l.data(), k_penalties[0], 10, 10 * settings.target, stop);
      e = polish.run(problem, l.data(), 6, k_goal);
    }
    if (!is_enough(e)) {
      restart();
      e = admm.run(problem, l.data(), settings_of, polish, stop);
    }
    if (is_enough(e)) {
      t = next;
      step = std::min(k_first_step, 2 * step);
      std::copy(l.begin(), l.begin() + m, from.begin());
    } else {
      step /= 2;
    }
  }
  friction(1);
  std::copy(from.begin(), from.begin() + m, l.begin());
  return problem.residual(l.data());
}

void ContactSolverParts::choose_among_answers() {
  // A start that is an answer stays as it is.
  if ((report.stage == ContactStage::warm && polish.iterations == 0) ||
      (best_run == polish.runs && polish.is_even(best.data())))
    return;
  const double enough = std::fmax(settings.target, least);
  std::copy(best.begin(), best.begin() + problem.m, l.begin());
  if (even.could_stick(problem, enough, l.data())) {
    const double e = polish.run(problem, l.data(), 4, k_goal);
    if (e <= enough) std::copy(l.begin(), l.begin() + problem.m, best.begin());
  }
  even.run(problem, enough, best.data());
}

/// Results in the caller's units, and what is said of them.
void ContactSolverParts::finish() {
  const Index m = problem.m;
  if (report.stage != ContactStage::none && least <= settings.accept) choose_among_answers();
  // In the cone exactly: the projection of lambda - u, or of lambda, whichever is the better answer.
  problem.projected(best.data(), l.data());
  problem.project(best.data(), clipped.data());
  const double a = problem.residual(l.data()), b = problem.residual(clipped.data());
  const Buffer<double>& chosen = a <= b ? l : clipped;
  report.residual = problem.residual(chosen.data(), &report.worst) + rounding_of(chosen);
  problem.motion(chosen.data(), y_all.data(), sigma.data());
  std::copy(y_all.begin(), y_all.begin() + plain, y.begin());
  report.signorini = report.coulomb = report.dissipation = 0;
  for (Index c = 0; c < problem.count; ++c) {
    const Cone& cone = problem.cone[c];
    for (Index k = cone.first; k < cone.first + cone.rows(); ++k) {
      impulses[k] = chosen[k] * cone.scale;
      sigma[k] /= cone.scale;
    }
    if (cone.kind == ContactCone::Kind::friction) continue;
    const Index t = cone.first, normal = cone.is_contact() ? t + 2 : t;
    const double force = impulses[normal], speed = sigma[normal];
    for (const double x : {-speed, -force, std::min(std::fabs(force), std::fabs(speed))})
      report.signorini = std::max(report.signorini, x);
    if (!cone.is_contact()) continue;
    report.coulomb = std::max(report.coulomb, contact::length(impulses[t], impulses[t + 1]) - cone.mu * force);
    const double lost = impulses[t] * sigma[t] + impulses[t + 1] * sigma[t + 1];
    report.dissipation =
        std::max(report.dissipation, std::fabs(lost + cone.mu * force * contact::length(sigma[t], sigma[t + 1])));
  }
  judge_uniqueness();
  report.polish_iterations = polish.iterations, report.admm_iterations = admm.iterations;
  report.newton_iterations = newton.iterations;
  report.status = report.residual <= settings.accept ? Status::ok
                  : admm.infeasible                  ? Status::infeasible
                  : stop.asked()                     ? Status::stopped
                                                     : Status::not_converged;
  if (!all_finite(impulses.data(), static_cast<long>(m)) || !all_finite(y.data(), static_cast<long>(plain)) ||
      !all_finite(sigma.data(), static_cast<long>(m)))
    report.status = Status::overflow;
  if (report.status != Status::infeasible) return;
  double most = contact::largest(m, admm.direction());
  for (Index c = 0; c < problem.count; ++c) {
    const Cone& cone = problem.cone[c];
    if (contact::largest(cone.rows(), admm.direction() + cone.first) > 1e-6 * most) report.conflicts.push_back(c);
  }
}

/// Painlevé's bound at contacts that are open or slip.
void ContactSolverParts::judge_uniqueness() {
  double approach = 0;  // the largest, of any cone
  for (Index c = 0; c < problem.count; ++c) {
    const Cone& cone = problem.cone[c];
    if (cone.kind != ContactCone::Kind::friction)
      approach = std::max(approach, -problem.g[cone.first + cone.rows() - 1]);
  }
  for (Index c = 0; c < problem.count; ++c) {
    const Cone& cone = problem.cone[c];
    if (!cone.is_contact()) continue;
    const Index t = cone.first, normal = t + 2, m = problem.m;
    const double* const G = problem.G.data() + normal * m;
    if (G[normal] > cone.mu * contact::length(G[t], G[t + 1])) continue;
    const double edge = cone.mu * impulses[normal], along = contact::length(impulses[t], impulses[t + 1]);
    if (impulses[normal] > 0 && along < edge * (1 - 1e-12)) continue;  // it sticks
    report.not_unique.push_back(c);
    if (impulses[normal] / cone.scale * G[normal] > k_shock * approach) report.shocks.push_back(c);
  }
}

std::string ContactReport::explain() const {
  std::string text;
  const auto list = [](const std::vector<Index>& cones) {
    std::string all;
    for (const Index c : cones) all += (all.empty() ? "" : ", ") + std::to_string(c);
    return all;
  };
  switch (status) {
    case Status::ok: text = "ok"; break;
    case Status::infeasible: text = "infeasible: cones " + list(conflicts) + " contradict each other"; break;
    case Status::not_converged: text = "not converged: cone " + std::to_string(worst) + " has the residual"; break;
    case Status::stopped: text = "stopped"; break;
    case Status::non_finite_input: return "non_finite_input: a number is not finite.";
    default: return "overflow: numbers are too large, or too small, for a judgement.";
  }
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.1e", residual);
  text += std::string("; residual ") + number.data() + ", stage " +
          words_of(Type<ContactStage>())[static_cast<std::size_t>(stage)];
  if (!not_unique.empty())
    text += "; beyond Painlevé's bound, where there may be other answers: cones " + list(not_unique);
  if (!shocks.empty()) text += "; shocks without a collision: cones " + list(shocks);
  return text + ".";
}

ContactSolver::ContactSolver(const ContactSettings& settings) : parts_(make_owned<ContactSolverParts>(settings)) {}
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;
ContactSolver::~ContactSolver() = default;

void ContactSolver::reserve(Index n, Index rows, Index cones) { parts_->reserve(n, rows, cones); }

namespace {

void check_size(const char* name, Index found, Index expected) {
  if (found != expected)
    throw std::invalid_argument("ContactSolver.solve: " + std::string(name) + " has " + std::to_string(found) +
                                " entries, expected " + std::to_string(expected));
}
Index rows_of(const std::vector<ContactCone>& cones) {
  Index rows = 0;
  for (const ContactCone& c : cones) {
    rows += c.kind == ContactCone::Kind::contact ? 3 : 1;
    if (c.mu < 0 || c.bound < 0) throw std::invalid_argument("ContactSolver.solve: a cone has a negative mu or bound");
  }
  return rows;
}
bool is_finite(const ConstVector& x) { return all_finite(x.data(), static_cast<long>(x.size())); }
bool is_finite(const Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>& A) {
  bool finite = true;
  for (Eigen::Index k = 0; k < A.cols(); ++k)
    finite = finite && all_finite(A.col(k).data(), static_cast<long>(A.rows()));
  return finite;
}
bool is_finite(const std::vector<ContactCone>& cones) {
  bool finite = true;
  for (const ContactCone& c : cones) finite = finite && std::isfinite(c.mu) && std::isfinite(c.bound);
  return finite;
}

}  // namespace

/// A report of nothing, and room for an answer of which nothing is known.
void ContactSolverParts::begin(Index n, Index m, Index cones) {
  reserve(n, m, cones);
  ContactReport& r = report;
  r.conflicts.clear(), r.not_unique.clear(), r.shocks.clear();
  r.status = Status::non_finite_input;
  r.residual = r.signorini = r.coulomb = r.dissipation = std::numeric_limits<double>::quiet_NaN();
  r.stage = ContactStage::none, r.worst = -1;
  r.polish_iterations = r.admm_iterations = r.newton_iterations = 0;
  polish.iterations = admm.iterations = newton.iterations = 0;
  admm.infeasible = false;
  plain = n, problem.m = m;
  for (Buffer<double>* x : {&impulses, &sigma}) std::fill(x->begin(), x->begin() + m, r.residual);
  std::fill(y.begin(), y.begin() + n, r.residual);
}

const ContactReport& ContactSolver::solve(const std::vector<ContactCone>& cones, const ContactInput& input) {
  ContactSolverParts& p = *parts_;
  const Index n = static_cast<Index>(input.W.rows()), m = static_cast<Index>(input.W.cols());
  if (m != rows_of(cones))
    throw std::invalid_argument("ContactSolver.solve: W has " + std::to_string(m) + " columns, expected " +
                                std::to_string(rows_of(cones)) + ": three for each contact, one for each other cone");
  check_size("y", input.y.size(), n);
  if (input.offset.size() > 0) check_size("offset", input.offset.size(), m);
  if (input.compliance.size() > 0) check_size("compliance", input.compliance.size(), m);
  if (input.warm.size() > 0) check_size("warm", input.warm.size(), m);
  for (Index k = 0; k < input.compliance.size(); ++k)
    if (input.compliance.data()[k] < 0) throw std::invalid_argument("ContactSolver.solve: a compliance is negative");
  p.begin(n, m, static_cast<Index>(cones.size()));
  if (!is_finite(input.W) || !is_finite(input.y) || !is_finite(input.offset) || !is_finite(input.compliance) ||
      !is_finite(input.warm) || !is_finite(cones))
    return p.report;
  const auto or_none = [](const ConstVector& x) { return x.size() > 0 ? x.data() : nullptr; };
  p.problem.set(n, m, input.W.data(), static_cast<Index>(input.W.outerStride()), input.y.data(), or_none(input.offset),
                or_none(input.compliance), cones.data(), static_cast<Index>(cones.size()));
  if (!p.problem.is_representable()) {
    p.report.status = Status::overflow;
    return p.report;
  }
  p.warm = input.warm.size() > 0;
  for (Index c = 0; p.warm && c < p.problem.count; ++c) {
    const Cone& cone = p.problem.cone[c];
    for (Index k = cone.first; k < cone.first + cone.rows(); ++k) p.start[k] = input.warm.data()[k] / cone.scale;
  }
  const Interruption::Scope scope(p.stop, p.settings.stop);
  p.solve();
  p.finish();
  return p.report;
}

const ContactReport& ContactSolver::solve(const std::vector<ContactCone>& cones, const ContactMatrixInput& input) {
  ContactSolverParts& p = *parts_;
  const Index m = static_cast<Index>(input.G.rows());
  if (input.G.cols() != m)
    throw std::invalid_argument("ContactSolver.solve: G has " + std::to_string(m) + " rows and " +
                                std::to_string(input.G.cols()) + " columns");
  check_size("g", input.g.size(), m);
  check_size("G, by its rows,", m, rows_of(cones));
  p.begin(m, m, static_cast<Index>(cones.size()));
  if (!is_finite(input.G)) return p.report;
  if (p.root.size() < m * m)
    p.root = Buffer<double>(m * m), p.rest = Buffer<double>(m * m), p.still = Buffer<double>(m);
  p.take_root(input.G);
  using Columns = Eigen::Map<const Eigen::MatrixXd>;
  return solve(
      cones,
      {.W = Columns(p.root.data(), m, m), .y = ConstVector(p.still.data(), m), .offset = input.g, .warm = input.warm});
}

Eigen::Map<const Eigen::VectorXd> ContactSolver::impulses() const {
  return {parts_->impulses.data(), parts_->problem.m};
}
Eigen::Map<const Eigen::VectorXd> ContactSolver::velocity() const { return {parts_->y.data(), parts_->plain}; }
Eigen::Map<const Eigen::VectorXd> ContactSolver::row_velocities() const {
  return {parts_->sigma.data(), parts_->problem.m};
}
const ContactReport& ContactSolver::report() const { return parts_->report; }

}  // namespace zwang
