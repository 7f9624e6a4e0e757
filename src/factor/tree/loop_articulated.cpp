// SPDX-License-Identifier: BSD-3-Clause
// Repeats the passes of the page until motion and probe have converged.
#include "factor/tree/loop_articulated.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/random.hpp"

namespace zwang {
namespace {

using page::Pair;

CoupledBodies bodies_of(const std::vector<Constraint>& constraints) {
  CoupledBodies x;
  for (const Constraint& c : constraints)
    for (Index r = 0; r < c.size(); ++r, ++x.rows)
      for (std::size_t p = 0; p < part_count(c); ++p) {
        x.row.push_back(x.rows);
        x.body.push_back(body_of_part(c, static_cast<Index>(p)));
      }
  return x;
}

/// Near sqrt(eps): a pass leaves the fraction mu / (mu + sigma) of the error, plus rounding of about eps / k_penalty.
constexpr double k_penalty = 3e-8;
constexpr double k_settled = 1e-11;  ///< largest next correction, relative to the motion
constexpr double k_floor = 1e-10;    ///< largest last correction, at any rate of convergence
constexpr double k_probe = 1e-9;     ///< largest relative residual of the probe's rows

}  // namespace

LoopArticulated::LoopArticulated(const Tree<double>& tree, const std::vector<Constraint>& constraints, Index max_rows,
                                 Index max_parts)
    : set_(bodies_of(constraints)),
      probe_(max_rows) {
  order_ = JointOrder(tree, set_, max_rows, max_parts);
  stage_ = page::LoopStage(tree.n, tree.spanning_nv, max_rows, max_parts, order_.couplings(), order_.pairs());
  active_.row.reserve(static_cast<std::size_t>(max_parts));
  active_.body.reserve(static_cast<std::size_t>(max_parts));
  Random random(0x6c6f6f70);
  for (double& x : probe_) {  // one draw a statement: a compiler may swap operands
    x = random.uniform(0.5, 1.0);
    if (random.uniform() < 0.5) x = -x;
  }
  if (!order_.too_dense()) return;
  std::size_t most = 0;
  for (const Constraint& c : constraints)
    if (part_count(c) > most) {
      most = part_count(c);
      too_dense_ = c.name;
    }
}

bool LoopArticulated::serves(const std::vector<Constraint>& constraints) const {
  Index at = 0, row = 0;
  for (const Constraint& c : constraints)
    for (Index r = 0; r < c.size(); ++r, ++row)
      for (std::size_t p = 0; p < part_count(c); ++p, ++at)
        if (at >= set_.parts() || set_.row_of(at) != row || set_.body_of(at) != body_of_part(c, static_cast<Index>(p)))
          return false;
  return row == set_.rows && at == set_.parts();
}

/// Whether the rows act on the same bodies as in the last solve. If not, the graph is filled anew where it has room.
bool LoopArticulated::know(const page::RowNumbers<double>& rows) {
  bool same = known_ && active_.rows == rows.m && active_.parts() == rows.m + rows.further;
  for (Index k = 0; same && k < rows.m; ++k) same = active_.body_of(k) == rows.body[k];
  for (Index k = 0; same && k < rows.further; ++k)
    same = active_.row_of(rows.m + k) == rows.further_row[k] && active_.body_of(rows.m + k) == rows.further_body[k];
  if (same) return true;
  active_.rows = rows.m;
  active_.row.clear();
  active_.body.clear();
  if (static_cast<std::size_t>(rows.m + rows.further) > active_.row.capacity()) return known_ = false;
  for (Index k = 0; k < rows.m; ++k) {
    active_.row.push_back(k);
    active_.body.push_back(rows.body[k]);
  }
  for (Index k = 0; k < rows.further; ++k) {
    active_.row.push_back(rows.further_row[k]);
    active_.body.push_back(rows.further_body[k]);
  }
  return known_ = order_.fill(active_);
}

void LoopArticulated::take_rows(const TreeProblem& problem) {
  const page::RowNumbers<double>& rows = problem.rows;
  const page::JointGraph& g = order_.graph();
  for (Index p = 0; p < g.parts; ++p) {
    const Index i = g.part_key[p];
    Force<double> K = i < rows.m ? page::attached_row(rows, i) : page::row_at(rows, rows.further_place[i - rows.m]);
    K.n -= cross(stage_.reference[g.part_position[p]], K.f);
    const Vec3<double>& at =
        problem.data.position.placement[i < rows.m ? rows.body[i] : rows.further_body[i - rows.m]].p;
    stage_.part[p] = {K, g.part_row[p], dot(at, at)};
  }
  for (Index k = 0; k < rows.m; ++k) {
    page::LoopRow& r = stage_.row[k];
    r = page::LoopRow{};
    r.l.set(0, problem.residual[k]);
    r.R = rows.compliance[k];
  }
}

/// Updates lambda after a pass and the force on the rows for the next one. Returns the probe's relative residual.
double LoopArticulated::take_residuals(bool first) {
  double lacks = 0;
  for (Index k = 0; k < active_.rows; ++k) {
    page::LoopRow& r = stage_.row[k];
    if (!first) r.lambda = r.pull - r.d / r.mu;
    const Pair rest = -(r.a + r.l + r.lambda * r.R);
    r.pull = r.lambda + rest / r.mu;
    r.a = r.d = Pair(0.0);
    if (r.mobility > 0) lacks = std::max(lacks, std::fabs(rest[1]) / std::sqrt(r.mobility));
  }
  return lacks;
}

void LoopArticulated::solve(const TreeProblem& problem, TreeAnswer& answer) {
  using dense::KktOutcome;
  const page::RowNumbers<double>& rows = problem.rows;
  const page::JointGraph& g = order_.graph();
  page::LoopStage& x = stage_;
  answer.outcome = KktOutcome::unsupported;
  if (!know(rows)) return;
  page::enter_loops(problem.data, g, problem.tau, x);
  take_rows(problem);
  answer.outcome = KktOutcome::singular_mass;
  if (!page::factor_free(g, x)) return;
  answer.outcome = KktOutcome::singular_rows;
  if (!page::measure_rows(g, x, rows.m, k_penalty)) return;
  for (Index k = 0; k < rows.m; ++k) x.row[k].l.set(1, -probe_[k] * std::sqrt(x.row[k].mobility));
  answer.outcome = KktOutcome::not_converged;
  if (!page::factor_loops(g, x)) return;
  settle(problem, answer);
}

void LoopArticulated::apply(const TreeProblem& problem, TreeAnswer& answer) {
  const Tree<double>& tree = problem.data.tree();
  const page::JointGraph& g = order_.graph();
  page::LoopStage& x = stage_;
  for (Index e = 0; e < g.n; ++e) {
    x.body[e].p = Force<double>::zero();
    x.moved[e] = page::LoopBodyMotion{};
    for (Index c = g.node[e].column, k = tree.body[g.node[e].body].v; c < g.node[e + 1].column; ++c, ++k) {
      const auto& column = tree.column[k];
      const bool given = problem.data.articulated.has_given && problem.data.articulated.is_given[k];
      x.column[c].drive = given ? problem.given[column.v] * column.multiplier : problem.tau[column.v];
      x.motion[c] = page::LoopMotion{};
    }
  }
  for (Index k = 0; k < problem.rows.m; ++k) {  // the probe has no right-hand side
    page::LoopRow& r = x.row[k];
    r.lambda = r.pull = r.a = r.d = r.l = Pair(0.0);
    r.l.set(0, problem.residual[k]);
  }
  answer.outcome = dense::KktOutcome::not_converged;
  settle(problem, answer);
}

/// Passes until the motion and the probe have converged.
void LoopArticulated::settle(const TreeProblem& problem, TreeAnswer& answer) {
  using dense::KktOutcome;
  const page::RowNumbers<double>& rows = problem.rows;
  const Tree<double>& tree = problem.data.tree();
  const page::JointGraph& g = order_.graph();
  page::LoopStage& x = stage_;
  take_residuals(true);
  // A direction of the rows with sigma Lambda_kk keeps the fraction k_penalty / (sigma + k_penalty) of its error.
  const double slow = std::min(0.9, k_penalty / (problem.tolerance + k_penalty));
  double scale = 0, before = 0, lacked = 1;
  for (answer.iterations = 1; answer.iterations <= problem.max_iterations; ++answer.iterations) {
    page::pass_inward(g, x);
    if (answer.iterations == 1)
      for (Index c = 0; c < tree.spanning_nv; ++c) scale += x.motion[c].u[0] * x.motion[c].u[0] * x.column[c].weight;
    Pair change, size;
    page::pass_outward(g, x, change, size);
    const double lacks = take_residuals(false), moved = std::sqrt(change[0]);
    scale = std::max(scale, size[0]);
    // The rate of convergence is known from the second correction on.
    const double limit = std::sqrt(scale), rate = answer.iterations > 2 && before > 0 ? moved / before : 1.0;
    const bool settled = moved * std::min(rate, 1.0) <= k_settled * limit || moved <= k_floor * limit;
    if (settled && lacks <= k_probe) {
      answer.outcome = KktOutcome::ok;
      break;
    }
    if (!(moved < 1e300) || !(lacks < 1e300)) return;
    if (lacks > k_probe && lacks > slow * lacked) {
      answer.outcome = KktOutcome::singular_rows;
      return;
    }
    before = moved;
    lacked = lacks;
  }
  if (answer.outcome != KktOutcome::ok) return;
  for (Index e = 0; e < g.n; ++e)
    for (Index c = g.node[e].column, k = tree.body[g.node[e].body].v; c < g.node[e + 1].column; ++c, ++k)
      answer.acceleration[tree.column[k].v] = x.motion[c].acceleration[0];
  for (Index k = 0; k < rows.m; ++k) {
    answer.lambda[k] = x.row[k].lambda[0];
    answer.row_size[k] = std::sqrt(x.row[k].mobility * scale);
  }
}

}  // namespace zwang
