// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: forces within bounds.
//
//   minimise 1/2 t |u - u*|^2 + 1/2 f |lambda - lambda*|^2 over the multipliers and torques that carry the motion
//   |(lambda_t1, lambda_t2)| <= mu lambda_n     friction cones
//   lambda >= 0 or <= 0, |lambda| <= L          rows with a sense or a limit
//   lower <= u <= upper, |B u| <= effort        motors; joints behind transmissions
// Where the answer without bounds is within them it is the answer. Otherwise a ConeProgram on the ways in which forces
// may still be chosen. If no forces carry the motion, accelerations that are not demanded may give way, too:
//   minimise 1/2 |a - a*|^2_M + k_force of the above, demands kept; with best_effort without demands, where that fails
#include <algorithm>
#include <cmath>

#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_tie = 1e-8;    ///< what counts at least of multipliers and torques, where the other does not decide
constexpr double k_force = 1e-6;  ///< of forces beside motion
constexpr double k_rounding = 64 * epsilon_of<double>;
constexpr double k_zero = 1e-13;  ///< of terms that cancel: rounding

using Kind = ForceBound::Kind;

}  // namespace

ForceBounds::ForceBounds(Index nv, Index rows, Index motors)
    : program(nv + rows + motors + 1, 4 * rows + 2 * motors + 2 * nv + 1),
      list(4 * rows + 2 * motors + 2 * nv + 1),
      left_out(list.size()),
      force_way((nv + rows + motors) * rows),
      motor_way((nv + rows + motors) * motors),
      motion_way((nv + rows + motors) * nv),
      size(nv + rows + motors),
      idle(motors) {}

/// The cones of the settings whose contacts are active.
void InverseParts::find_cones() {
  const InverseProblem& p = problem;
  for (const FrictionCone& cone : settings.friction) {
    const Constraint& x = rows.problem.layout.set[cone.contact];  // throws with the nearest name
    if (x.type != "contact" || (x.size() != 3 && x.size() != 1) || x.role != Role::physical)
      throw UnsupportedError("constrained_inverse_dynamics: friction of '" + cone.contact +
                             "': cones are for physical contacts of three rows, or of one");
    if (x.active && x.policy == Policy::soft)
      throw UnsupportedError("constrained_inverse_dynamics: friction of '" + cone.contact +
                             "': it is soft, its force is that of its springs");
    for (Index k = 0; k < bounds.count; ++k)
      if (&rows.constraint_of(p.physical[bounds.list[k].at]) == &x)
        throw std::invalid_argument("constrained_inverse_dynamics: friction of '" + cone.contact + "' is given twice");
    for (Index j = 0; x.active && j < p.physical_rows; ++j)
      if (&rows.constraint_of(p.physical[j]) == &x) {
        bounds.list[bounds.count++] = {Kind::cone, static_cast<unsigned char>(x.size()), j, 1, cone.mu};
        break;
      }
  }
}

void InverseParts::find_bounds() {
  const InverseProblem& p = problem;
  bounds.count = 0;
  bounds.active = bounds.demands_give_way = false;
  bounds.outcome = dense::ConeOutcome::optimal;
  if (settings.penalty > 0) return;
  find_cones();
  const auto add = [&](Kind kind, Index at, double side, double value) {
    if (std::fabs(value) < unlimited) bounds.list[bounds.count++] = {kind, 1, at, side, value};
  };
  for (Index j = 0; j < p.physical_rows; ++j) {
    const Index i = p.physical[j];
    const double limit = limit_of(i);
    if (sense_of(i) != Sense::equal) add(Kind::sense, j, sense_of(i) == Sense::at_least ? -1 : 1, 0);
    if (sense_of(i) != Sense::at_least) add(Kind::limit, j, -1, -limit);
    if (sense_of(i) != Sense::at_most) add(Kind::limit, j, 1, limit);
  }
  for (Index j = 0; j < motors.count; ++j) {
    add(Kind::motor, j, -1, p.lower[j]);
    add(Kind::motor, j, 1, p.upper[j]);
  }
  if (settings.effort_limits && motors.mapped)
    for (Index c = 0; c < rows.nv; ++c) {
      const double most = rows.problem.state.data.model().effort_limit()[static_cast<std::size_t>(c)];
      if (!motors.actuated[static_cast<std::size_t>(c)] || !(most < unlimited)) continue;
      add(Kind::effort, c, -1, -most);
      add(Kind::effort, c, 1, most);
    }
  for (Index i = 0; i < rows.rows; ++i)  // where the motion may still be chosen
    if (senses.open[i] && sense_of(i) != Sense::equal)
      add(Kind::open, i, sense_of(i) == Sense::at_least ? -1 : 1, rows.gamma[i] * p.inverse[i]);
  std::fill(bounds.left_out.begin(), bounds.left_out.end(), static_cast<unsigned char>(0));
}

/// What row r of a bound is about, of forces and motions or of changes of them. The normal of a cone comes first.
double InverseParts::along(const ForceBound& b, Index r, const double* force, const double* motor,
                           const double* motion) const {
  const Index nu = motors.count;
  switch (b.kind) {
    case Kind::cone: return r > 0 ? force[b.at + r - 1] : (b.size == 3 ? b.value : 1.0) * force[b.at + b.size - 1];
    case Kind::motor: return motor[b.at];
    case Kind::effort: return dot(nu, motors.B.data() + b.at * nu, motor);
    case Kind::open: return dot(rows.nv, rows.row(b.at), motion) * problem.inverse[b.at];
    default: return force[b.at];
  }
}

/// By how much a force is outside of its bound.
double InverseParts::outside(const ForceBound& b) const {
  const auto x = [&](Index r) { return along(b, r, lambda.data(), u.data(), a.data()); };
  if (b.kind != Kind::cone) return std::max(0.0, -b.side * (b.value - x(0)));
  return std::max(0.0, (b.size == 3 ? std::hypot(x(1), x(2)) : 0.0) - x(0));
}

/// The size of the terms that cancel in it.
double InverseParts::scale_of(const ForceBound& b) const {
  if (b.kind == Kind::open) return problem.scale;
  if (b.kind == Kind::motor) return bounds.motor_scale;
  if (b.kind != Kind::effort) return bounds.force_scale * problem.inverse[problem.physical[b.at + b.size - 1]];
  double sum = 0;
  for (Index j = 0; j < motors.count; ++j) sum += std::fabs(motors.B[b.at * motors.count + j]);
  return sum * bounds.motor_scale;
}

/// What forces of the size of the largest one are in it.
double InverseParts::unit_of(const ForceBound& b) const {
  return std::max({scale_of(b) * (b.kind == Kind::cone && b.size == 3 ? b.value : 1.0),
                   b.kind == Kind::cone ? 0.0 : outside(b), 1e-300});
}

/// By more than rounding.
bool InverseParts::is_outside() const {
  for (Index k = 0; k < bounds.count; ++k)
    if (const ForceBound& b = bounds.list[k]; b.kind != Kind::open && outside(b) > k_rounding * scale_of(b))
      return true;
  return false;
}

/// A way to change the motion: a += direction. The multipliers follow.
void InverseParts::add_moving_way(const double* direction) {
  const InverseProblem& p = problem;
  const Index n = rows.nv, m = p.physical_rows;
  double* const motion = bounds.motion_way.data() + bounds.ways * n;
  double* const force = bounds.force_way.data() + bounds.ways * m;
  for (Index c = 0; c < n; ++c) motion[c] = p.column[c] * direction[c];
  for (Index c = 0; c < n; ++c) right[c] = dot(n, p.Msoft.data() + c * n, motion);
  for (Index k = 0; k < n; ++k) {
    more[k] = 0;
    motors.each_term(k, [&](Index c, double x) { more[k] += x * right[c]; });
    more[k] *= p.column[motors.coordinate[k]];
  }
  force_span.solve(levels_of_carry(), more.data(), force);
  double largest = 0;
  for (Index j = 0; j < m; ++j) largest = std::max(largest, std::fabs(force[j]));
  for (Index j = 0; j < m; ++j)
    force[j] = std::fabs(force[j]) > k_zero * largest ? force[j] * p.inverse[p.physical[j]] : 0;
  finish_way(right.data());
}

/// Torques of the motors on a way: `torque` less what the multipliers carry. An entry that is rounding is 0.
void InverseParts::finish_way(const double* torque) {
  const InverseProblem& p = problem;
  const Index m = p.physical_rows, nu = motors.count;
  const double* const force = bounds.force_way.data() + bounds.ways * m;
  double* const motor = bounds.motor_way.data() + bounds.ways * nu;
  std::fill_n(motor, nu, 0.0);
  std::fill_n(more.data(), nu, 0.0);  // magnitudes
  if (torque != nullptr)
    motors.read(torque, work.data());
  else
    std::fill_n(work.data(), motors.reach, 0.0);
  for (Index k = 0; k < motors.reach; ++k) {
    double y = work[k], terms = std::fabs(y);
    for (Index j = 0; j < m; ++j) {
      y -= problem.pull[k * m + j] * force[j];
      terms += std::fabs(problem.pull[k * m + j] * force[j]);
    }
    for (Index j = 0; j < nu; ++j) {
      motor[j] += motors.along[k * nu + j] * y;
      more[j] += std::fabs(motors.along[k * nu + j]) * terms;
    }
  }
  for (Index j = 0; j < nu; ++j)
    if (std::fabs(motor[j]) <= k_zero * more[j]) motor[j] = 0;
  bounds.size[bounds.ways++] = 1;
}

/// Motions along the basis of `span` from `first` on, the multipliers that
/// equations without motors leave, idle torques.
void InverseParts::set_ways(const dense::RowSpan& span, Index first) {
  const InverseProblem& p = problem;
  const Index n = rows.nv, m = p.physical_rows, nu = motors.count, decided = decided_of_carry();
  bounds.ways = 0;
  for (Index k = first; k < n; ++k) add_moving_way(span.basis(k));
  bounds.moving = bounds.ways;
  for (Index k = decided; k < m; ++k) {
    double* const force = bounds.force_way.data() + bounds.ways * m;
    for (Index j = 0; j < m; ++j) {
      const double x = force_span.basis(k)[j];
      force[j] = std::fabs(x) > k_zero ? x * p.inverse[p.physical[j]] : 0;
    }
    std::fill_n(bounds.motion_way.data() + bounds.ways * n, n, 0.0);
    finish_way(nullptr);
  }
  for (Index l = 0; l < nu - motors.reach; ++l) {
    std::fill_n(bounds.force_way.data() + bounds.ways * m, m, 0.0);
    std::fill_n(bounds.motion_way.data() + bounds.ways * n, n, 0.0);
    for (Index j = 0; j < nu; ++j) {
      const double x = motors.idle[l * nu + j];
      bounds.motor_way[bounds.ways * nu + j] = std::fabs(x) > k_zero ? x : 0;
    }
    bounds.size[bounds.ways++] = 1;
  }
}

/// P and c, every way with a P of 1.
void InverseParts::write_objective(const InverseInput& input) {
  const InverseProblem& p = problem;
  const Index n = rows.nv, m = p.physical_rows, nu = motors.count, count = bounds.ways;
  dense::ConeProgram& program = bounds.program;
  program.begin(count);
  for (Index k = 0; k < count; ++k) {
    program.c(k) = 0;
    for (Index l = 0; l < count; ++l) program.P(k, l) = 0;
  }
  const auto add_square = [&](double weight, double value, const double* way, Index stride) {
    for (Index k = 0; k < count; ++k) {
      const double x = weight * way[k * stride];
      program.c(k) += x * value;
      for (Index l = 0; x != 0 && l < count; ++l) program.P(k, l) += x * way[l * stride];
    }
  };
  double torques = 0, multiplier_terms = 0, motion = 0;
  for (Index k = 0; k < count; ++k) {
    const double *const motor = bounds.motor_way.data() + k * nu, *const force = bounds.force_way.data() + k * m;
    torques += dot(nu, motor, motor);
    multiplier_terms += dot(m, force, force);
    const double* const way = bounds.motion_way.data() + k * n;
    for (Index c = 0; k < bounds.moving && c < n; ++c) motion += way[c] * dot(n, p.M.data() + c * n, way);
  }
  const auto tie = [](double other, double terms, double own) { return own > 0 ? k_tie * other * terms / own : 0.0; };
  double torque = std::max(settings.torque, tie(settings.force, multiplier_terms, torques));
  double force = std::max(settings.force, tie(settings.torque, torques, multiplier_terms));
  if (!(torque * torques + force * multiplier_terms > 0)) force = 1;  // what is weighed does not change
  if (const double all = torque * torques + force * multiplier_terms; bounds.moving > 0 && all > 0) {
    const double factor = k_force * motion / all;
    torque *= factor;
    force *= factor;
  }
  for (Index j = 0; j < nu; ++j) add_square(torque, u[j] - p.motor_wish[j], bounds.motor_way.data() + j, nu);
  for (Index j = 0; j < m; ++j) {
    const double wish = input.force_wish.size() > 0 ? input.force_wish.data()[rows.row_of_set(p.physical[j])] : 0.0;
    add_square(force, lambda[j] - wish, bounds.force_way.data() + j, m);
  }
  for (Index k = 0; k < bounds.moving; ++k)
    for (Index c = 0; c < n; ++c) {
      const double x = dot(n, p.M.data() + c * n, bounds.motion_way.data() + k * n);
      program.c(k) += x * (a[c] - p.wish[c]);
      for (Index l = 0; l < bounds.moving; ++l) program.P(l, k) += x * bounds.motion_way[l * n + c];
    }
  for (Index k = 0; k < count; ++k) bounds.size[k] = program.P(k, k) > 0 ? 1 / std::sqrt(program.P(k, k)) : 1;
  for (Index k = 0; k < count; ++k) {
    program.c(k) *= bounds.size[k];
    for (Index l = 0; l < count; ++l) program.P(k, l) *= bounds.size[k] * bounds.size[l];
  }
}

/// The bounds that the ways reach, each in its own unit. False: one that they do not reach does not hold.
bool InverseParts::write_blocks() {
  dense::ConeProgram& program = bounds.program;
  const Index n = rows.nv, m = problem.physical_rows, nu = motors.count;
  for (Index b = 0; b < bounds.count; ++b) {
    const ForceBound& x = bounds.list[b];
    if (bounds.left_out[b] || (x.kind == Kind::open && bounds.moving == 0)) continue;
    const Index at = program.rows();
    program.add_block(x.size);
    double steepest = 0;
    for (Index r = 0; r < x.size; ++r) {
      const double side = x.kind == Kind::cone ? 1 : -x.side, now = along(x, r, lambda.data(), u.data(), a.data());
      program.s_0(at + r) = x.kind == Kind::cone ? now : x.side * (x.value - now);
      for (Index k = 0; k < bounds.ways; ++k) {
        const double slope = along(x, r, bounds.force_way.data() + k * m, bounds.motor_way.data() + k * nu,
                                   bounds.motion_way.data() + k * n);
        program.S(at + r)[k] = side * slope * bounds.size[k];
        steepest = std::max(steepest, std::fabs(program.S(at + r)[k]));
      }
    }
    if (steepest == 0) {
      program.drop_block();
      if (outside(x) > settings.feasibility * scale_of(x)) return false;
      continue;
    }
    const double unit = unit_of(x);
    for (Index r = 0; r < x.size; ++r) {
      program.s_0(at + r) /= unit;
      for (Index k = 0; k < bounds.ways; ++k) program.S(at + r)[k] /= unit;
    }
  }
  return true;
}

/// Moves forces that rounding has left outside of their bounds onto them: first of single rows, then the tangents of
/// cones. The equations of motion show what that changes.
void InverseParts::settle_forces() {
  const auto each_force = [&](Kind kind, auto&& f) {
    for (Index k = 0; k < bounds.count; ++k)
      if (const ForceBound& b = bounds.list[k]; b.kind == kind) f(b);
  };
  const auto clip = [&](const ForceBound& b) {
    double& x = lambda[b.at];
    x = b.side > 0 ? std::min(x, b.value) : std::max(x, b.value);
  };
  each_force(Kind::sense, clip);
  each_force(Kind::limit, clip);
  each_force(Kind::cone, [&](const ForceBound& b) {
    double* const tangent = &lambda[b.at];
    double& normal = lambda[b.at + b.size - 1];
    normal = std::max(normal, 0.0);
    if (b.size == 1) return;
    const double most = b.value * normal, across = std::hypot(tangent[0], tangent[1]);
    for (Index r = 0; across > most && r < 2; ++r) tangent[r] *= (1 - 4 * epsilon_of<double>)*(most / across);
  });
}

/// Forces, and the motion, by the program. False: there are none within the bounds.
bool InverseParts::solve_program() {
  const Index n = rows.nv, m = problem.physical_rows, nu = motors.count;
  dense::ConeProgram& program = bounds.program;
  bounds.outcome = program.solve();
  if (bounds.outcome != dense::ConeOutcome::optimal) return false;
  bounds.active = true;
  for (Index k = 0; k < bounds.ways; ++k) {
    const double z = bounds.size[k] * program.z()[k];
    subtract_multiple(m, -z, bounds.force_way.data() + k * m, lambda.data());
    subtract_multiple(n, -z, bounds.motion_way.data() + k * n, a.data());
    const Index idle = k - (bounds.ways - (nu - motors.reach));
    if (idle >= 0) bounds.idle[idle] += z;
  }
  settle_forces();
  if (bounds.moving > 0)
    for (Index c = 0; c < n; ++c) forces[c] = problem.hsoft[c] + dot(n, problem.Msoft.data() + c * n, a.data());
  find_motors();
  return true;
}

void InverseParts::obey_bounds(const InverseInput& input) {
  if (!is_outside()) return;
  const auto found = [&](Index first) {
    set_ways(motion_span, first);
    if (bounds.ways == 0) {
      bounds.outcome = dense::ConeOutcome::infeasible;
      return false;
    }
    write_objective(input);
    if (write_blocks()) return solve_program();
    bounds.outcome = dense::ConeOutcome::infeasible;
    return false;
  };
  if (found(rows.nv)) return;
  if (asked.demanded < rows.nv && found(motion_span.rank())) return;
  bounds.demands_give_way = settings.best_effort && asked.decided < motion_span.rank() && found(asked.decided);
  if (bounds.demands_give_way || (settings.best_effort && bounds.outcome != dense::ConeOutcome::infeasible)) return;
  if (is_contradicted()) bounds.outcome = dense::ConeOutcome::infeasible;
}

}  // namespace zwang
