// SPDX-License-Identifier: BSD-3-Clause
// The rows of a set as the sweep reads them: gathered where something changed, evaluated at a state where they act
// between bodies.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "dynamics/solver_impl.hpp"
#include "dynamics/vectors.hpp"

namespace zwang {
namespace {

constexpr Index k_lanes = page::RowStage<double>::lanes;

std::string quoted(const std::string& name) { return "constraint '" + name + "'"; }

/// Targets and gains are as they have to be.
bool errors_are_given(const Constraint& x) {
  const Stabilisation& s = x.stabilisation;
  const bool measured =
      x.relation != nullptr || (s.time_constant == 0 && x.target.empty() && x.target_velocity.empty());
  bool good = measured && s.time_constant >= 0 && s.damping_ratio >= 0 && is_finite(s.time_constant + s.damping_ratio);
  for (const std::vector<double>* t : {&x.target.value(), &x.target_velocity.value()})
    good = good && (t->empty() || (t->size() == x.row_names.size() && all_finite(x.size(), t->data())));
  return good;
}

/// What is wrong with a constraint as it stands now.
void check_constraint(const char* owner, const Constraint& x, Index bodies) {
  const std::string who = std::string(owner) + ": ";  // short: allocates nothing
  const auto rows = static_cast<std::size_t>(x.size());
  const RowsOnBody& r = x.rows_on_body;
  const auto finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double a) { return is_finite(a); });
  };
  const auto positive = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double a) { return a > 0 && is_finite(a); });
  };
  if (x.beta.size() != rows || !finite(x.beta))
    throw std::invalid_argument(who + "beta of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " finite entries");
  if (!errors_are_given(x))
    for (const std::vector<double>* t : {&x.target.value(), &x.target_velocity.value()})
      if (!t->empty() && (t->size() != rows || !finite(*t)))
        throw std::invalid_argument(who + "target and target_velocity of " + quoted(x.name) + " need " +
                                    std::to_string(rows) + " finite entries");
  const Stabilisation& s = x.stabilisation;
  if (!(s.time_constant >= 0 && s.damping_ratio >= 0) || !is_finite(s.time_constant + s.damping_ratio))
    throw std::invalid_argument(who + "the stabilisation of " + quoted(x.name) +
                                " has a negative or non-finite number");
  if (!errors_are_given(x))
    throw std::invalid_argument(
        who + quoted(x.name) +
        " has a stabilisation or a target and no error to measure: add it with a target pose or point");
  if (x.relation == nullptr && (r.matrix.size() != 6 * rows || !finite(r.matrix)))
    throw std::invalid_argument(who + "the rows of " + quoted(x.name) + " need " + std::to_string(6 * rows) +
                                " finite numbers");
  if (!is_finite(r.point.x + r.point.y + r.point.z))
    throw std::invalid_argument(who + "the point of " + quoted(x.name) + " is not finite");
  if (r.axes == RowsOnBody::Axes::body && (r.axes_body < 0 || r.axes_body > bodies))
    throw std::invalid_argument(who + "the axes of " + quoted(x.name) +
                                " turn with a body that the model does not have");
  if (!x.compliance.empty() && (x.compliance.size() != rows || !positive(x.compliance)))
    throw std::invalid_argument(who + "compliance of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " entries > 0");
  if (!x.weight.empty() && (x.weight.size() != rows || !positive(x.weight)))
    throw std::invalid_argument(who + "weight of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " entries > 0");
  if (x.policy == Policy::soft && x.compliance.empty())
    throw std::invalid_argument(who + quoted(x.name) + " is soft and has no compliance");
}

/// Combinations that no page does.
void check_combination(const Constraint& x, bool soft, Singularity singularity) {
  if (x.priority < 0)
    throw std::invalid_argument("Solver: priority of " + quoted(x.name) + " is " + std::to_string(x.priority) +
                                "; 0 is the highest");
  if (soft && x.priority > 0)
    throw UnsupportedError("Solver: " + quoted(x.name) + " is soft and has priority " + std::to_string(x.priority) +
                           ": soft rows are weighed by their compliance, levels are for hard rows");
  if (soft && !x.compensate.all())
    throw UnsupportedError("Solver: " + quoted(x.name) +
                           " is soft and leaves drivers uncompensated: that is for hard rows");
  if (x.priority > 0 && (singularity == Singularity::damping || singularity == Singularity::proximal))
    throw UnsupportedError("Solver: " + quoted(x.name) + " has priority " + std::to_string(x.priority) +
                           ": levels are for the singularity policies truncation and weighted, not for " +
                           name_of(singularity));
}

}  // namespace

GatheredConstraint::GatheredConstraint(const Constraint& x)
    : active(x.active),
      policy(x.policy),
      priority(x.priority),
      compensate(x.compensate),
      acceleration(x.acceleration),
      role(x.role),
      axes(x.rows_on_body->axes),
      body(first_body(x)),
      axes_body(x.rows_on_body->axes_body),
      rows(x.size()),
      relation(x.relation.get()),
      beta{x.beta.data(), x.beta.size()},
      matrix{x.rows_on_body->matrix.data(), x.rows_on_body->matrix.size()},
      compliance{x.compliance.data(), x.compliance.size()},
      weight{x.weight.data(), x.weight.size()} {}

/// Nothing but numbers has changed since gather_anew(), and these are as they have to be.
bool SolverImpl::as_gathered() {
  const std::vector<Constraint>& all = constraints();
  if (!is_gathered || !arranged || set.version() != version || static_cast<Index>(all.size()) != added ||
      settings.singularity != gathered_singularity || settings.method != gathered_method)
    return false;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Constraint& x = all[c];
    if (!(GatheredConstraint(x) == gathered[c])) return false;
    if (!x.active) continue;
    const RowsOnBody& r = x.rows_on_body;
    if (!is_finite(r.point.x + r.point.y + r.point.z) || !errors_are_given(x)) return false;
    for (const double a : x.compliance)
      if (!(a > 0) || !is_finite(a)) return false;
    for (const double a : x.weight)
      if (!(a > 0) || !is_finite(a)) return false;
  }
  for (std::size_t k = 0; k < active.size(); ++k)
    if (!take_numbers(k, false)) return false;
  return true;
}

/// The rows and beta of an active constraint column by column, where they are not already. False where they are not
/// finite.
bool SolverImpl::take_numbers(std::size_t k, bool anew) {
  const Constraint& x = constraint(active_constraint[k]);
  if (x.relation != nullptr)  // the rest is found at each state
    return all_finite(x.size(), x.beta.data()) && x.beta.size() == static_cast<std::size_t>(x.size());
  const std::vector<double>&matrix = x.rows_on_body->matrix, &beta = x.beta;
  const Index n = x.size();
  if (n == 0) return true;
  const auto at = static_cast<Index>(active[k].columns - row_numbers.data()) - 14 * k_lanes * static_cast<Index>(k);
  double* const copy = &row_copy[at];
  const std::size_t bytes = beta.size() * sizeof(double);
  if (!anew && std::memcmp(copy, matrix.data(), 6 * bytes) == 0 && std::memcmp(copy + 6 * n, beta.data(), bytes) == 0)
    return true;
  if (!all_finite(6 * n, matrix.data()) || !all_finite(n, beta.data())) return false;
  std::copy_n(matrix.data(), 6 * n, copy);
  std::copy_n(beta.data(), n, copy + 6 * n);
  double* column = &row_numbers[at + 14 * k_lanes * static_cast<Index>(k)];
  for (Index d = 0; d < 7; ++d, column += n + 2 * k_lanes) {
    std::fill_n(column, n + 2 * k_lanes, 0.0);
    for (Index i = 0; i < n; ++i) column[k_lanes + i] = d < 6 ? copy[6 * i + d] : copy[6 * n + i];
  }
  return true;
}

/// phi'' = sum K a + gamma = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2, in the columns that the sweep
/// reads.
void SolverImpl::evaluate_relations() {
  for (std::size_t k = 0; k < active.size(); ++k) {
    const Constraint& x = constraint(active_constraint[k]);
    if (x.relation == nullptr || active_part[k] > 0) continue;
    const Index m = x.size(), first = first_row[static_cast<std::size_t>(active_constraint[k])];
    const std::vector<Index>& on = x.relation->bodies();
    double *const error = &phi[first], *const rate = &phi_rate[first], *const g = &gamma[first];
    const Force<double>* const K = relation_K.data();
    x.relation->evaluate(data, q.data(), v.data(), {error, g, relation_K.data(), &as_given[6 * first]});
    bool is_row = all_finite(m, g);
    for (Index i = 0; i < m * static_cast<Index>(on.size()); ++i)
      for (int c = 0; c < 6; ++c) is_row = is_row && is_finite(K[i][c]);
    if (!is_row && x.relation->page() == nullptr)  // the user's own; others overflow, as the whole solve does
      throw std::invalid_argument(std::string(owner) + ": the rows of " + quoted(x.name) +
                                  " are not finite at this state");
    const Stabilisation& s = x.stabilisation;
    const double inverse_time = s.time_constant > 0 ? 1 / s.time_constant : 0;
    const auto column_of = [&](std::size_t entry, Index c, Index r) -> double& {
      const Index at = static_cast<Index>(active[entry].columns - row_numbers.data());
      return row_numbers[at + c * (m + 2 * k_lanes) + k_lanes + r];
    };
    for (std::size_t e = k, t = 0; t < on.size(); e = static_cast<std::size_t>(next_part[static_cast<Index>(e)])) {
      const Index at = static_cast<Index>(active[e].columns - row_numbers.data());
      std::fill_n(&row_numbers[at], 7 * (m + 2 * k_lanes), 0.0);
      for (Index r = 0; r < m; ++r)
        for (Index c = 0; c < 6; ++c) column_of(e, c, r) = K[static_cast<Index>(t) * m + r][static_cast<int>(c)];
      ++t;
    }
    for (Index r = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      double free = g[r];
      rate[r] = 0;
      for (std::size_t t = 0; t < on.size(); ++t) {
        if (on[t] == 0) continue;  // the ground stays
        const Force<double>& row = K[static_cast<Index>(t) * m + r];
        Motion<double> a = data.velocity.bias[on[t]];
        a.v += data.gravity;
        free += dot(a, row);
        rate[r] += dot(Motion<double>(data.velocity.twist[on[t]]), row);
      }
      if (!x.target.empty()) error[r] -= x.target[at];
      if (!x.target_velocity.empty()) rate[r] -= x.target_velocity[at];
      const double pull = std::isnan(error[r]) ? 0.0 : error[r] * inverse_time;
      column_of(k, 6, r) = x.beta[at] - inverse_time * (2 * s.damping_ratio * rate[r] + pull) - free;
    }
  }
}

void SolverImpl::gather() {
  check_settings();
  if (!as_gathered()) gather_anew();
}

void SolverImpl::gather_anew() {
  is_gathered = numbered = ranked = any_weight = false;
  role_used[0] = role_used[1] = false;
  method = &method_of(settings.method);
  const bool on_tree = method->rows == Method::Rows::on_tree;
  if ((by_matrices() || on_tree) && settings.singularity != Singularity::truncation)
    throw UnsupportedError("Solver: method " + settings.method + " knows the singularity policy truncation, not " +
                           name_of(settings.singularity));
  arrange();
  if (on_tree) {
    make_room_on_tree();
    refuse_on_tree();
  }
  active.clear();
  active_constraint.clear();
  active_part.clear();
  any_relation = rows.joined = false;
  any_early = any_soft = leaves_out = many_levels = look_ahead = false;
  for (Index r = 0; r < row_count(); ++r) sweep_row[r] = -1;
  Index k = 0, part_rows = 0;
  first_level = -1;
  for (const Part& part : parts) {
    const Index c = part.constraint;
    const Constraint& x = constraint(c);
    if (!x.active) continue;
    double* const columns = &row_numbers[7 * (part_rows + 2 * k_lanes * static_cast<Index>(active.size()))];
    part_rows += x.size();
    if (part.which > 0) {
      rows.joined = true;
      next_part[last_part[c]] = static_cast<Index>(active.size());
      last_part[c] = static_cast<Index>(active.size());
      active_constraint.push_back(c);
      active_part.push_back(part.which);
      active.push_back({nullptr, nullptr, x.acceleration, nullptr, nullptr, columns, part.body, x.size(),
                        1 + sweep_row[first_row[static_cast<std::size_t>(c)]]});
      continue;
    }
    check_constraint(owner, x, data.tree().n);
    const bool soft = x.policy == Policy::soft || method->rows == Method::Rows::soft;
    if (soft && x.compliance.empty())
      throw UnsupportedError("Solver: method pv_soft needs a compliance of every row; " + quoted(x.name) + " has none");
    check_combination(x, soft, settings.singularity);
    if ((by_matrices() || on_tree) && (x.priority > 0 || !x.compensate.all()))
      throw UnsupportedError("Solver: method " + settings.method + " has no levels and leaves no driver out; " +
                             quoted(x.name) + " asks for it: that is for popov_vereshchagin");
    const RowsOnBody& r = x.rows_on_body;
    role_used[x.role == Role::driver] = true;
    any_weight = any_weight || !x.weight.empty();
    any_relation = any_relation || x.relation != nullptr;
    last_part[c] = static_cast<Index>(active.size());
    active_constraint.push_back(c);
    active_part.push_back(0);
    active.push_back({x.relation ? nullptr : &r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr,
                      nullptr, columns, part.body, x.size(), 0, static_cast<Index>(part_count(x)) - 1});
    take_numbers(active.size() - 1, true);
    for (Index i = 0; i < x.size(); ++i, ++k) {
      row_of[k] = first_row[static_cast<std::size_t>(c)] + i;
      sweep_row[row_of[k]] = k;
      constraint_of[k] = c;
    }
    any_soft = any_soft || soft;
    any_early = any_early || (!soft && (x.policy == Policy::early || method->rows == Method::Rows::early)) ||
                (x.relation != nullptr && method->rows == Method::Rows::where_met);
    leaves_out = leaves_out || !x.compensate.all();
    look_ahead = look_ahead || (x.relation == nullptr && r.axes == RowsOnBody::Axes::body && r.axes_body > r.body);
    if (!soft) {
      many_levels = many_levels || (first_level >= 0 && first_level != x.priority);
      first_level = first_level < 0 ? x.priority : std::min(first_level, x.priority.value());
    }
  }
  if (method->rows == Method::Rows::to_root || by_matrices() || on_tree) any_early = false;
  place = method->rows == Method::Rows::where_met ? Method::Rows::where_met
          : any_early                             ? Method::Rows::early
                                                  : Method::Rows::to_root;
  solution.report.place = {};
  estimated = dependent = false;
  if (method->rows == Method::Rows::as_given && !any_early && k > 0) choose_place();
  for (std::size_t e = 0; e < active.size(); ++e)
    active[e].to_root = place == Method::Rows::where_met && constraint(active_constraint[e]).relation == nullptr;
  for (Index c = 0; c < added; ++c) gathered[static_cast<std::size_t>(c)] = GatheredConstraint(constraint(c));
  gathered_method = settings.method;
  gathered_singularity = settings.singularity;
  is_gathered = true;
}

}  // namespace zwang
