// SPDX-License-Identifier: BSD-3-Clause
#include "certify/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithm/page/body_forces.hpp"
#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/motion_residual.hpp"

namespace zwang {

namespace {
constexpr double k_lost = 1e-12;  // of the largest multiplier of a soft row, and of the forces without rows
}

Certificate::Certificate(const Problem& problem)
    : residual(problem.layout.capacity),
      relative(problem.layout.capacity),
      position_error(problem.layout.capacity),
      velocity_error(problem.layout.capacity),
      value_(problem.rows.K.size()),
      scale_(problem.rows.K.size()),
      speed_(problem.rows.K.size()),
      contradicted_(problem.layout.capacity),
      missed_(problem.layout.capacity),
      drifted_(problem.layout.capacity),
      motion_(problem.state.data.model().nv()),
      terms_(problem.state.data.model().nv()),
      pushed_(problem.state.data.model().nv()) {}

void Certificate::begin_report(const Problem& problem, const RowPolicy& policy, Index rank, double residual,
                               SolveReport& report) {
  report.status = Status::ok;
  report.rows = problem.rows.m;
  report.rank = rank;
  report.tolerance = policy.tolerance;
  report.residual = residual;
}

void Certificate::certify(Problem& problem, Answer& answer, const RowPolicy& policy, SolveReport& report) {
  const Index rows = problem.layout.rows();
  for (Buffer<double>* b : {&residual, &relative, &velocity_error}) std::fill_n(b->data(), rows, 0.0);
  std::fill_n(position_error.data(), rows, std::numeric_limits<double>::quiet_NaN());
  for (Buffer<unsigned char>* b : {&missed_, &drifted_}) std::fill_n(b->data(), rows, static_cast<unsigned char>(0));
  largest_ = energy = 0;
  all_held_ = true;
  loose = stiff = hidden = false;
  soft_open = 0;
  HardRows& hard = answer.hard;
  if (problem.rows.m > 0) {
    measure(problem);
    energy = energy_of(answer, policy);
    find_residuals(problem, answer, policy);
  }
  Index rank = problem.rows.m - hard.count + hard.rank();
  if (answer.compressed != nullptr) rank -= answer.compressed->dropped();
  begin_report(problem, policy, rank, largest_, report);
  if (!hard.is_regular() || !all_held_) std::fill_n(contradicted_.data(), rows, static_cast<unsigned char>(0));
  if (answer.compressed != nullptr)
    find_compressed(problem, *answer.compressed, report);
  else if (!hard.is_regular() && hard.is_named())
    find_dependencies(problem, answer, policy, report);
  if (!all_held_) find_given_up(problem, answer, policy, report);
  if (!report.infeasible.empty()) report.status = Status::infeasible;
  const bool best = answer.stiffened || !hard.by_W ||
                    hard.system.ranked.optimality(hard.gross_ratio, hard.free_motion, hard.size.data()) <= 1;
  if (!answer.converged || !best) report.status = Status::not_converged;
}

/// What the answer leaves of the equations of motion, the terms that cancel there, and those of rows among them.
void Certificate::measure_motion(Problem& problem, const Answer& answer) {
  Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  page::MotionResidual<double>(data, answer.acceleration.data())
      .find(problem.state.total.data(), motion_.data(), terms_.data());
  std::fill_n(pushed_.data(), tree.nv, 0.0);
  for (Index k = 0; k < problem.rows.m; ++k)
    page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
      const Force<double> f = K * answer.lambda[k];
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c) {
          const Motion<double> s = data.articulated.column[c].s;
          const auto& column = tree.column[c];
          motion_[column.v] += dot(s, f) * column.multiplier;
          pushed_[column.v] += (norm(s.v) * norm(f.f) + norm(s.w) * norm(f.n)) * std::fabs(column.multiplier);
        }
    });
}

bool Certificate::hides_motion(Problem& problem, const Answer& answer) {
  if (!has_stiff_springs(problem)) return false;
  const bool loses = loses_motion(problem, answer);
  return cancels || (loses && !stiff);
}

bool Certificate::loses_motion(Problem& problem, const Answer& answer) {
  measure_motion(problem, answer);
  double worst = 1;
  left_over = 0;
  lost_coordinate = -1;
  cancels = false;
  for (Index y = 0; y < terms_.size(); ++y) {
    if (problem.state.prescribed.any && problem.state.prescribed.is[y])
      continue;  // the torque there follows from the motion
    cancels = cancels || epsilon_of<double> * pushed_[y] > k_lost * terms_[y];
    const double beside = std::fabs(motion_[y]) /
                          (page::most_lost<double> * (terms_[y] + pushed_[y]) + std::numeric_limits<double>::min());
    left_over = std::max(left_over, page::most_lost<double> * beside);
    if (beside <= worst) continue;
    worst = beside;
    lost_coordinate = y;
  }
  return lost_coordinate >= 0;
}

/// Residuals, magnitudes of their terms and velocities of all rows. Rows on several bodies are summed over these.
void Certificate::measure(Problem& problem) {
  const page::RowNumbers<double>& rows = problem.rows;
  kernels().hybrid->residuals(&problem.state.data, &rows, value_.data(), scale_.data(), speed_.data());
  for (Index k = 0; k < rows.further; ++k)
    for (Buffer<Side>* x : {&value_, &scale_, &speed_}) {
      const Index at = rows.place[rows.further_row[k]];
      page::set_lane(x->data(), at,
                     page::lane<double>(x->data(), at) + page::lane<double>(x->data(), rows.further_place[k]));
    }
}

/// The energy Z of the hard rows. Lambda lambda = b holds exactly if no row is dependent, damped or stiffened.
double Certificate::energy_of(Answer& answer, const RowPolicy& policy) {
  HardRows& hard = answer.hard;
  const bool exact = policy.is_exact();
  if (exact && !answer.stiffened && hard.by_W) return hard.system.ranked.energy();
  if (hard.energy >= 0) return hard.energy;
  if (!exact || answer.stiffened || !hard.is_regular()) return hard.system.energy(hard.lambda.data());
  return 0.5 * std::inner_product(hard.lambda.data(), hard.lambda.data() + hard.count, hard.b.data(), 0.0);
}

/// The rounding that the terms of hard row i leave in its residual, c eps
/// (sqrt(bound_i) gross + size_i), gross = g |q''|_M.
double Certificate::rounding_of(const HardRows& hard, Index i, double gross) {
  return 8 * epsilon_of<double> * (hard.system.root_bound(i) * gross + hard.size[i]);
}

/// The magnitudes of the terms of a relation's residual, before its wrenches on several bodies cancel. Of a relation
/// between two frames of one body the wrenches leave nothing; w^2 times the lever is the velocity's share.
double Certificate::terms_of_relation(const Problem& problem, Index k) {
  const Constraint& x = problem.constraint_of(k);
  if (x.relation == nullptr) return 0;
  const Data& data = problem.state.data;
  const double* const given = &problem.rows.as_given[6 * problem.rows.row_of[k]];
  const double force = norm(Vec3<double>{given[0], given[1], given[2]});
  const double moment = norm(Vec3<double>{given[3], given[4], given[5]});
  double sum = 0;
  for (const Index body : x.relation->bodies()) {
    const Motion<double> a = data.acceleration.joint[body], bias = data.velocity.bias[body];
    const double lever = norm(data.position.placement[body].p);
    sum += force * (norm(a.v) + norm(bias.v) + norm(data.gravity)) +
           (moment + force * lever) *
               (norm(a.w) + norm(bias.w) + dot(data.velocity.twist[body].w, data.velocity.twist[body].w));
  }
  return sum;
}

/// Whether a residual of dependent rows follows from relations that are not closed: these turn the terms of the row,
/// before they cancel.
bool Certificate::is_drift(const Problem& problem, const HardRows& hard, Index k, Index at, double residual,
                           double scale, double strength) {
  if (hard.is_regular() || at < 0) return false;
  return residual <= problem.drift(k) * (scale + hard.system.root_bound(at) * strength);
}

/// Whether some soft row has lost digits: eps of its terms, divided by R, is not small beside its multiplier, nor
/// beside a thousandth of the largest one, which stands for rows at rest.
bool Certificate::find_stiff(const Problem& problem, const Answer& answer) const {
  const page::RowNumbers<double>& rows = problem.rows;
  double largest = 0;
  for (Index k = 0; k < rows.m; ++k)
    if (rows.compliance[k] > 0) largest = std::max(largest, std::fabs(answer.lambda[k]));
  for (Index k = 0; k < rows.m; ++k) {
    if (!(rows.compliance[k] > 0)) continue;
    const double terms = page::lane<double>(scale_.data(), rows.place[k]) + std::fabs(problem.asked(k));
    const double lost = epsilon_of<double> * terms / rows.compliance[k];
    if (lost > k_lost * std::max(std::fabs(answer.lambda[k]), 1e-3 * largest)) return true;
  }
  return false;
}

/// The magnitudes of the terms of a row's own equation K a = beta: those of its bodies' accelerations, and those of the
/// accelerations of joints that these are sums of.
double Certificate::own_terms(const Problem& problem, const Answer& answer, Index k) const {
  double sum = page::lane<double>(scale_.data(), problem.rows.place[k]) + std::fabs(problem.asked(k)) +
               std::fabs(answer.left_out[k]) + answer.scale[k];
  const Tree<double>& tree = problem.state.data.tree();
  for (Index c = 0; c < tree.spanning_nv; ++c)
    sum += std::fabs(problem.jacobian(k, c) * answer.acceleration[tree.column[c].v]);
  return sum;
}

/// |q''_free|_M + |q'' - q''_free|_M: by the Cauchy-Schwarz inequality a row sums up at most the root of its bound
/// times this. The energy of hard rows beside soft ones is also that of springs: the motion itself bounds what moves.
double Certificate::strength_of(const Problem& problem, const Answer& answer) const {
  const double free = answer.hard.free_motion, moved = std::sqrt(2 * std::fabs(energy));
  if (!problem.rows.traits.soft) return free + moved;
  const Data& data = problem.state.data;
  double square = 0;
  for (Index i = 1; i <= data.tree().n; ++i) {
    const Motion<double> a = data.acceleration.joint[i];
    square += dot(a, page::world_inertia(data, i) * a);
  }
  for (Index k = 0; k < data.tree().spanning_nv; ++k) {
    const auto& c = data.tree().column[k];
    const double y = c.multiplier * answer.acceleration[c.v];
    square += column_inertia(data, k) * y * y;
  }
  return free + std::min(moved, free + std::sqrt(std::fabs(square)));
}

/// Whether a soft row adds more than 1e4 times the inertia of a link, the mean of all: then g, in which the rounding of
/// hard rows grows, exceeds 1e2.
bool Certificate::has_stiff_springs(const Problem& problem) {
  const Data& data = problem.state.data;
  const Index n = data.tree().n;
  double mass = 0, moment = 0;
  for (Index i = 1; i <= n; ++i) {
    const Vec3<double>& p = data.position.placement[i].p;
    mass += data.inertia[i].m;
    moment += trace(data.inertia[i].I) + data.inertia[i].m * dot(p, p);
  }
  for (Index k = 0; k < problem.rows.m; ++k) {
    if (problem.is_hard(k)) continue;
    double response = 0;
    page::for_each_part(problem.rows, k, [&](Index, const Force<double>& K) {
      response += (dot(K.f, K.f) / mass + dot(K.n, K.n) / moment) * n;
    });
    if (problem.rows.compliance[k] < 1e-4 * response) return true;
  }
  return false;
}

void Certificate::find_residuals(const Problem& problem, const Answer& answer, const RowPolicy& policy) {
  const page::RowNumbers<double>& rows = problem.rows;
  const double strength = strength_of(problem, answer), gross = std::sqrt(answer.hard.gross_ratio) * strength;
  const unsigned char* const local = rows.local.data();
  const bool stiffened = problem.rows.traits.soft && std::find(local, local + rows.m, 1) != local + rows.m;
  Index k = 0;
  for (std::size_t entry = 0; entry < problem.rows.active.size(); ++entry) {
    if (problem.rows.part[entry] > 0) continue;
    const Constraint& x = problem.layout.constraint(problem.rows.constraint[entry]);
    for (const Index end = k + problem.rows.active[entry].count; k < end; ++k) {
      const Index r = problem.rows.row_of[k];
      const std::size_t i = problem.row_in_constraint(k);
      if (x.relation != nullptr) position_error[r] = problem.rows.phi[r];
      velocity_error[r] =
          page::lane<double>(speed_.data(), rows.place[k]) - (x.target_velocity.empty() ? 0.0 : x.target_velocity[i]);
      residual[r] = page::lane<double>(value_.data(), rows.place[k]) - answer.left_out[k];
      if (!problem.is_hard(k)) {
        const double spring = rows.compliance[k] * answer.lambda[k], size = std::fabs(residual[r] + spring);
        const double terms = page::lane<double>(scale_.data(), rows.place[k]) + std::fabs(problem.asked(k));
        soft_open = std::max(soft_open, terms > 0 ? size / (terms + std::fabs(spring)) : size);
        continue;
      }
      const Index at = answer.at_root(k);
      // Computed where needed only: most rows hold to rounding.
      const auto scale = [&] { return own_terms(problem, answer, k); };
      const double rounding = at >= 0 ? rounding_of(answer.hard, at, gross) : 0.0;
      const double size = std::fabs(residual[r]);
      if (at < 0 && answer.compressed != nullptr)  // rounding() is the larger of the two, and takes longer
        loose = loose || (size > 8 * epsilon_of<double> * scale() && size > problem.rounding(k));
      else
        loose = loose || (at >= 0 && answer.hard.beyond_doubt() && size > rounding);
      const auto is_rounding = [&] {
        if (at < 0) return size > policy.feasibility * scale() && size <= problem.rounding(k);
        return (size <= answer.hard.count * rounding ||
                (size > policy.feasibility * scale() &&
                 size <= 8 * epsilon_of<double> * answer.hard.count * terms_of_relation(problem, k)));
      };
      const double of = is_rounding() ? 0.0 : scale();
      if (of == 0 && stiffened && size > policy.feasibility * page::lane<double>(scale_.data(), rows.place[k]))
        hidden = hidden || size > policy.feasibility * scale();
      relative[r] = of == 0 ? 0.0 : size / of;
      const bool held = relative[r] <= policy.feasibility;
      drifted_[r] = !held && is_drift(problem, answer.hard, k, at, size, of, strength);
      missed_[r] = !held && !drifted_[r];
      all_held_ = all_held_ && !missed_[r];
      largest_ = std::max(largest_, relative[r]);
    }
  }
  stiff = problem.rows.traits.soft && find_stiff(problem, answer);
  hidden = hidden && (stiff || has_stiff_springs(problem));
}

/// Whether sum c_i (beta_i - K_i a) is more than feasibility, rounding and open relations make of the rows' own terms.
bool Certificate::contradicts(const Problem& problem, const Answer& answer, const RowPolicy& policy,
                              const RankRevealing::Circuit& circuit, double sum) const {
  const HardRows& hard = answer.hard;
  const double gross = std::sqrt(hard.gross_ratio) * strength_of(problem, answer);
  double allowed = 0;
  for (Index i = 0; i < hard.count && std::fabs(sum) > allowed; ++i) {
    const double c = std::fabs(circuit.c[i * hard.system.capacity()]);
    if (c == 0) continue;
    const double terms = own_terms(problem, answer, hard.row[i]);
    allowed += c * (policy.feasibility * terms + hard.count * rounding_of(hard, i, gross));
    if (std::fabs(sum) > allowed)  // most rows have no position that could be open
      allowed += c * problem.drift(hard.row[i]) * (terms + hard.free_motion * hard.system.row_scale(i));
  }
  return std::fabs(sum) > allowed;
}

/// One minimal set for each redundant row, the redundant rows in the user's order.
void Certificate::find_dependencies(const Problem& problem, Answer& answer, const RowPolicy& policy, SolveReport& r) {
  HardRows& hard = answer.hard;
  const Index count = hard.system.circuits(hard.order.data());
  const auto name_of = [&](Index i) { return problem.row_name(hard.row[i]); };
  for (Index k = count; k-- > 0;) {  // circuits() finds them from the last row to the first
    if (problem.state.interruption.asked()) return;
    const RankRevealing::Circuit x = hard.system.circuit(k);
    const auto first = static_cast<Index>(r.terms.size());
    bool one_level = true;
    double contradiction = 0;
    for (Index i = 0; i < hard.count; ++i) {
      const double c = x.c[hard.order[i] * hard.system.capacity()];
      if (c == 0) continue;
      r.terms.push_back({name_of(hard.order[i]), c});
      contradiction -= c * residual[problem.rows.row_of[hard.row[hard.order[i]]]];
      one_level = one_level && hard.level[hard.order[i]] == hard.level[x.row];
    }
    const bool conflicting = contradicts(problem, answer, policy, x, contradiction);
    for (Index i = 0; i < hard.count; ++i)
      if (x.c[i * hard.system.capacity()] != 0 && one_level && conflicting)
        contradicted_[problem.rows.row_of[hard.row[i]]] = 1;
    r.dependencies.push_back({first, static_cast<Index>(r.terms.size()) - first, contradiction, conflicting});
    r.redundant.push_back(name_of(x.row));
  }
}

/// The sets of dependent rows inside relations, in the user's order. They contradict each other by as much as their
/// residuals: no motion changes this sum.
void Certificate::find_compressed(const Problem& problem, const CompressedRows& rows, SolveReport& r) const {
  for (Index c = 0; c < problem.layout.count; ++c) {
    const CompressedRows::Block* const b = rows.block_of(c);
    for (Index j = 0; b != nullptr && j < b->circuits; ++j) {
      const auto first = static_cast<Index>(r.terms.size());
      double contradiction = 0;
      for (Index i = 0; i < b->size; ++i) {
        const double x = CompressedRows::coefficient(*b, i, j);
        if (x == 0) continue;
        r.terms.push_back({problem.row_name(b->first + i), x});
        contradiction -= x * residual[problem.rows.row_of[b->first + i]];
      }
      r.dependencies.push_back({first, static_cast<Index>(r.terms.size()) - first, contradiction, false});
      r.redundant.push_back(r.terms.back().row);
    }
  }
}

void Certificate::find_given_up(const Problem& problem, const Answer& answer, const RowPolicy& policy,
                                SolveReport& r) const {
  const bool damped = policy.singularity == Singularity::damping;
  const RowTraits& traits = problem.rows.traits;
  r.residual = 0;
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& x = problem.layout.constraint(c);
    for (Index i = 0; x.active && i < x.size(); ++i) {
      const Index row = problem.layout.first_row_of(c) + i;
      const bool top = x.priority == traits.first_level, held = !missed_[row];
      const bool gives_way = traits.levels && x.priority > traits.first_level && !held;
      if (!gives_way) r.residual = std::max(r.residual, relative[row]);
      if (held) continue;
      const std::string_view name = x.row_names[static_cast<std::size_t>(i)];
      const GivenUp::Reason reason = damped                      ? GivenUp::Reason::damping
                                     : top || contradicted_[row] ? GivenUp::Reason::conflict
                                                                 : GivenUp::Reason::priority;
      r.given_up.push_back({name, residual[row], reason});
      if (reason == GivenUp::Reason::conflict && top && answer.converged) r.infeasible.push_back(name);
    }
  }
}

}  // namespace zwang
