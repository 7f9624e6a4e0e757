// SPDX-License-Identifier: BSD-3-Clause
// The steps of a solve up to the sweep: settings, the arrangement of rows, the sweep itself.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "dynamics/solver_impl.hpp"
#include "dynamics/vectors.hpp"

namespace zwang {
namespace {

constexpr Method k_methods[] = {
    {"automatic", "popov_vereshchagin", Method::Rows::as_given},
    {"popov_vereshchagin", "popov_vereshchagin", Method::Rows::to_root},
    {"pv_early", "pv_early", Method::Rows::early},
    {"pv_soft", "pv_soft", Method::Rows::soft},
    {"dense_lu", "dense_lu", Method::Rows::matrices, MatrixMethod::lu},
    {"dense_qr", "dense_qr", Method::Rows::matrices, MatrixMethod::qr},
    {"dense_cod", "dense_cod", Method::Rows::matrices, MatrixMethod::cod},
    {"range_space", "range_space", Method::Rows::matrices, MatrixMethod::range_space},
    {"null_space", "null_space", Method::Rows::matrices, MatrixMethod::null_space},
    {"test_force", "test_force", Method::Rows::matrices, MatrixMethod::test_force},
    {"contact_cholesky", "contact_cholesky", Method::Rows::matrices, MatrixMethod::contact_cholesky}};
constexpr Index k_most_rows = 20000;  // the matrix at the root is dense
constexpr Index k_lanes = page::RowStage<double>::lanes;

Index first_body(const Constraint& c) { return c.relation ? c.relation->bodies().front() : c.rows_on_body.body; }
std::size_t part_count(const Constraint& c) { return c.relation ? c.relation->bodies().size() : 1; }
Index body_of_part(const Constraint& c, Index which) {
  return c.relation ? c.relation->bodies()[static_cast<std::size_t>(which)] : c.rows_on_body.body;
}

/// What the rows need at most: all of them active at once. `count` holds rows of each body, then strands of each
/// subtree, then the strands that rows send from a further body.
page::RowRoom room_of(const Tree<double>& tree, const std::vector<Constraint>& constraints, Buffer<Index>& count) {
  Index* const own = count.data();
  Index* const strands = own + tree.n + 1;
  Index* const further = strands + tree.n + 1;
  for (Index& c : count) c = 0;
  page::RowRoom room;
  for (const Constraint& c : constraints) {
    own[first_body(c)] += c.size();
    room.rows += c.size();
    room.early = room.early || c.policy == Policy::early;
    for (std::size_t p = 1; p < part_count(c); ++p) {
      further[body_of_part(c, static_cast<Index>(p))] += (c.size() + k_lanes - 1) / k_lanes + 1;
      room.further += c.size();
    }
  }
  for (Index i = tree.n; i >= 0; --i) {
    const Index blocks = (own[i] + k_lanes - 1) / k_lanes;
    strands[i] += blocks + further[i];
    room.blocks += blocks;
    room.groups += (own[i] > 1 ? 1 : 0) + further[i];  // soft rows stand apart from hard ones
    if (i == 0) break;
    room.w += static_cast<long>(strands[i]) * tree.body[i].nv;
    room.lists += strands[i];
    strands[tree.body[i].parent] += strands[i];
  }
  room.groups += room.blocks;
  return room;
}

page::RowRoom first_room(const Tree<double>& tree, const ConstraintSet& set, const SolverSettings& s,
                         Buffer<Index>& blocks) {
  page::RowRoom room = room_of(tree, set.constraints(), blocks);
  room.rows += s.spare_rows;
  room.blocks += s.spare_rows;
  room.groups += 2 * s.spare_rows;
  room.w += static_cast<long>(s.spare_rows) * tree.spanning_nv;
  room.lists += static_cast<long>(s.spare_rows) * tree.n;
  room.early = room.early || method_of(s.method).rows == Method::Rows::early || s.spare_rows > 0;
  return room;
}

std::string quoted(const std::string& name) { return "constraint '" + name + "'"; }

}  // namespace

const Method& method_of(const std::string& name) {
  for (const Method& m : k_methods)
    if (name == m.name) return m;
  detail::throw_unknown("method", name, methods());
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method& m : k_methods) names.push_back(m.name);
  return names;
}

SolverImpl::SolverImpl(const Model& model, const ConstraintSet& given, const SolverSettings& s)
    : data(model),
      free_data(model),
      set(given),
      settings(s),
      capacity(given.rows() + std::max<Index>(s.spare_rows, 0)),
      constraint_capacity(given.size() + std::max<Index>(s.spare_rows, 0)),
      body_blocks(3 * (model.bodies() + 1)) {
  check_settings();
  const Tree<double>& tree = model.tree<double>();
  const Index nv = model.nv(), n = model.bodies() + 1;
  const page::RowRoom needed = first_room(tree, given, s, body_blocks);
  const long lambda_packs = static_cast<long>(needed.blocks) * needed.blocks * k_lanes;
  if (needed.rows > k_most_rows || lambda_packs > INT_MAX || needed.w > INT_MAX || needed.lists > INT_MAX)
    throw std::invalid_argument("Solver: " + std::to_string(needed.rows) + " rows on " + std::to_string(needed.blocks) +
                                " bodies are more than a solver takes");
  rows = page::RowStage<double>(tree, needed);
  root = RankRevealing(capacity);
  const Index slots = rows.max_blocks * k_lanes;
  single = page::RightHandSide<double>(tree, capacity, slots);
  several = page::RightHandSide<Columns>(tree, capacity, slots);
  alpha = left_out = Buffer<Columns>(capacity);
  part_capacity = constraint_capacity;
  part_row_capacity = capacity + needed.further;
  for (const Constraint& c : given.constraints()) part_capacity += static_cast<Index>(part_count(c)) - 1;
  row_numbers = Buffer<double>(7 * (part_row_capacity + 2 * k_lanes * part_capacity));
  row_copy = Buffer<double>(7 * part_row_capacity);
  relation_K = Buffer<Force<double>>(part_row_capacity);
  phi = phi_rate = gamma = Buffer<double>(capacity);
  as_given = Buffer<double>(6 * capacity);
  row_of = sweep_row = constraint_of = root_of = attached_of = order = active_row = Buffer<Index>(capacity);
  level = Buffer<int>(capacity);
  weight = size = b_root = lambda_root = lambda_sweep = uncompensated = Buffer<double>(capacity);
  q = Buffer<double>(model.nq());
  v = tau = total = torque = acceleration = motor_torque = reaction = articulated = prescribed_value =
      Buffer<double>(nv);
  prescribed = seen = Buffer<unsigned char>(nv);
  contradicted = Buffer<unsigned char>(capacity);
  driver_force = physical_force = Buffer<Force<double>>(n);
  lambda = residual = relative = position_error = velocity_error = Buffer<double>(capacity);
  wrench = Buffer<double>(6 * constraint_capacity);
  const auto room = static_cast<std::size_t>(constraint_capacity);
  parts.reserve(static_cast<std::size_t>(part_capacity));
  bodies.reserve(room);
  first_row.reserve(room + 1);
  active.reserve(static_cast<std::size_t>(part_capacity));
  active_constraint.reserve(static_cast<std::size_t>(part_capacity));
  active_part.reserve(static_cast<std::size_t>(part_capacity));
  gathered.resize(room);
  gathered_method.reserve(32);
  row_value = row_scale = row_speed = Buffer<page::RowStage<double>::Rows>(rows.max_strands);
  loaded = Buffer<unsigned char>(n);
  SolveReport& r = solution.report;
  const auto c = static_cast<std::size_t>(capacity);
  r.redundant.reserve(c);
  r.infeasible.reserve(c);
  r.given_up.reserve(c);
  r.dependencies.reserve(c);
  r.terms.reserve((c + 2) * (c + 2) / 4);
  r.warnings.reserve(2 * c + static_cast<std::size_t>(nv) + 1);
  arrange();
  method = &method_of(s.method);
  if (!by_matrices()) return;
  matrices = std::make_unique<Matrices>(nv, capacity);
  dense::KktProblem nothing;
  dense::KktAnswer none;
  matrices->solve(method->matrices, nv, capacity, nothing, none);  // its workspace
}

void SolverImpl::refuse_by_matrices(const char* function) const {
  if (by_matrices())
    throw UnsupportedError(std::string(function) + ": method " + settings.method +
                           " keeps no factorisation for other right-hand sides; popov_vereshchagin does");
}

void SolverImpl::check_settings() const {
  if (!is_gathered || settings.method != gathered_method) method_of(settings.method);
  const auto refuse = [](const char* name, const char* expected, double got) {
    throw std::invalid_argument(std::string("Solver: ") + name + " is " + expected + "; got " + std::to_string(got));
  };
  if (!(settings.tolerance >= 0 && settings.tolerance < 1))
    refuse("tolerance", "relative, in [0, 1)", settings.tolerance);
  if (!(settings.feasibility > 0 && settings.feasibility < 1))
    refuse("feasibility", "relative, in (0, 1)", settings.feasibility);
  if (!(settings.regularisation >= 0 && settings.regularisation <= 1e6))
    refuse("regularisation", "relative, in [0, 1e6]", settings.regularisation);
  if (settings.max_iterations < 1) refuse("max_iterations", "at least 1", settings.max_iterations);
  if (settings.spare_rows < 0 || settings.spare_rows > k_most_rows)
    refuse("spare_rows", "in [0, 20000]", settings.spare_rows);
  if (settings.singularity < Singularity::truncation || settings.singularity > Singularity::weighted)
    refuse("singularity", "one of the four policies", static_cast<double>(settings.singularity));
}

void SolverImpl::arrange() {
  const std::vector<Constraint>& all = constraints();
  bool same = arranged && set.version() == version && set.model().id() == data.model().id() &&
              static_cast<Index>(all.size()) == added;
  for (Index c = 0; same && c < added; ++c) {
    const Constraint& x = constraint(c);
    const auto k = static_cast<std::size_t>(c);
    same = first_body(x) == bodies[k] && x.size() == first_row[k + 1] - first_row[k];
  }
  if (same) return;
  arranged = false;
  if (set.model().id() != data.model().id())
    throw WorkspaceMismatch("Solver: the set was replaced by one of another model ('" + set.model().name() + "')");
  if (set.rows() > capacity || set.size() > constraint_capacity)
    throw WorkspaceMismatch("Solver: the set has grown to " + std::to_string(set.rows()) +
                            " rows, the solver has room for " + std::to_string(capacity) +
                            ": make a new one, or give it spare_rows");
  std::size_t part_total = 0;
  for (const Constraint& x : all) {
    part_total += part_count(x);
    if (first_body(x) < 0 || body_of_part(x, static_cast<Index>(part_count(x)) - 1) > data.tree().n)
      throw std::invalid_argument("Solver: " + quoted(x.name) + " is on a body that the model does not have");
  }
  const page::RowRoom room = room_of(data.tree(), all, body_blocks);
  if (room.blocks > rows.room.blocks || room.groups > rows.room.groups || room.w > rows.room.w ||
      room.lists > rows.room.lists || room.further > rows.room.further ||
      part_total > static_cast<std::size_t>(part_capacity))
    throw WorkspaceMismatch(
        "Solver: rows were moved to other bodies and do not fit any more: make a new solver, or give it "
        "spare_rows");
  added = set.size();
  version = set.version();
  first_row.clear();
  parts.clear();
  bodies.clear();
  Index row = 0;
  for (Index c = 0; c < added; ++c) {
    first_row.push_back(row);
    row += constraint(c).size();
    const Constraint& x = constraint(c);
    bodies.push_back(first_body(x));
    for (std::size_t p = 0; p < part_count(x); ++p) {
      const Index which = static_cast<Index>(p);
      parts.push_back({body_of_part(x, which), c, which});
      for (std::size_t b = parts.size() - 1; b > 0; --b) {  // insertion keeps the order of equals and allocates nothing
        const auto rank = [](const Part& y) { return 2 * y.body + (y.which == 0 ? 1 : 0); };
        if (rank(parts[b - 1]) <= rank(parts[b])) break;
        std::swap(parts[b - 1], parts[b]);
      }
    }
  }
  first_row.push_back(row);
  const auto bind = [&](VectorView& view, const Buffer<double>& b, Index n) { new (&view) VectorView(b.data(), n); };
  bind(solution.multipliers, lambda, row);
  bind(solution.residual, residual, row);
  bind(solution.position_error, position_error, row);
  bind(solution.velocity_error, velocity_error, row);
  arranged = true;
}

/// What is wrong with a constraint as it stands now.
static void check_constraint(const Constraint& x, Index bodies) {
  const auto rows = static_cast<std::size_t>(x.size());
  const RowsOnBody& r = x.rows_on_body;
  const auto finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double a) { return is_finite(a); });
  };
  const auto positive = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double a) { return a > 0 && is_finite(a); });
  };
  if (x.beta.size() != rows || !finite(x.beta))
    throw std::invalid_argument("Solver: beta of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " finite entries");
  for (const std::vector<double>* t : {&x.target, &x.target_velocity})
    if (!t->empty() && (t->size() != rows || !finite(*t)))
      throw std::invalid_argument("Solver: target and target_velocity of " + quoted(x.name) + " need " +
                                  std::to_string(rows) + " finite entries");
  const Stabilisation& s = x.stabilisation;
  if (!(s.time_constant >= 0 && s.damping_ratio >= 0) || !is_finite(s.time_constant + s.damping_ratio))
    throw std::invalid_argument("Solver: the stabilisation of " + quoted(x.name) +
                                " has a negative or non-finite number");
  if (x.relation == nullptr && (r.matrix.size() != 6 * rows || !finite(r.matrix)))
    throw std::invalid_argument("Solver: the rows of " + quoted(x.name) + " need " + std::to_string(6 * rows) +
                                " finite numbers");
  if (!is_finite(r.point.x + r.point.y + r.point.z))
    throw std::invalid_argument("Solver: the point of " + quoted(x.name) + " is not finite");
  if (r.axes == RowsOnBody::Axes::body && (r.axes_body < 0 || r.axes_body > bodies))
    throw std::invalid_argument("Solver: the axes of " + quoted(x.name) +
                                " turn with a body that the model does not have");
  if (!x.compliance.empty() && (x.compliance.size() != rows || !positive(x.compliance)))
    throw std::invalid_argument("Solver: compliance of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " entries > 0");
  if (!x.weight.empty() && (x.weight.size() != rows || !positive(x.weight)))
    throw std::invalid_argument("Solver: weight of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                " entries > 0");
  if (x.policy == Policy::soft && x.compliance.empty())
    throw std::invalid_argument("Solver: " + quoted(x.name) + " is soft and has no compliance");
}

/// Combinations that no page does.
static void check_combination(const Constraint& x, bool soft, Singularity singularity) {
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

GatheredConstraint::GatheredConstraint(const Constraint& x)
    : active(x.active),
      policy(x.policy),
      priority(x.priority),
      compensate(x.compensate),
      acceleration(x.acceleration),
      role(x.role),
      axes(x.rows_on_body.axes),
      body(first_body(x)),
      axes_body(x.rows_on_body.axes_body),
      rows(x.size()),
      relation(x.relation.get()),
      beta{x.beta.data(), x.beta.size()},
      matrix{x.rows_on_body.matrix.data(), x.rows_on_body.matrix.size()},
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
    if (!is_finite(r.point.x + r.point.y + r.point.z)) return false;
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
  const std::vector<double>&matrix = x.rows_on_body.matrix, &beta = x.beta;
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
    const Stabilisation& s = x.stabilisation;
    const double inverse_time = s.time_constant > 0 ? 1 / s.time_constant : 0;
    const auto column_of = [&](std::size_t entry, Index c, Index r) -> double& {
      const Index at = static_cast<Index>(active[entry].columns - row_numbers.data());
      return row_numbers[at + c * (m + 2 * k_lanes) + k_lanes + r];
    };
    for (std::size_t e = k, t = 0; t < on.size(); ++e) {
      if (active_constraint[e] != active_constraint[k]) continue;
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
  if (by_matrices() && settings.singularity != Singularity::truncation)
    throw UnsupportedError("Solver: method " + settings.method + " knows the singularity policy truncation, not " +
                           name_of(settings.singularity));
  arrange();
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
      active_constraint.push_back(c);
      active_part.push_back(part.which);
      active.push_back({nullptr, nullptr, x.acceleration, nullptr, nullptr, columns, part.body, x.size(),
                        sweep_row[first_row[static_cast<std::size_t>(c)]]});
      continue;
    }
    check_constraint(x, data.tree().n);
    const bool soft = x.policy == Policy::soft || method->rows == Method::Rows::soft;
    if (soft && x.compliance.empty())
      throw UnsupportedError("Solver: method pv_soft needs a compliance of every row; " + quoted(x.name) + " has none");
    check_combination(x, soft, settings.singularity);
    if (by_matrices() && (x.priority > 0 || !x.compensate.all()))
      throw UnsupportedError("Solver: method " + settings.method + " has no levels and leaves no driver out; " +
                             quoted(x.name) + " asks for it: that is for popov_vereshchagin");
    const RowsOnBody& r = x.rows_on_body;
    role_used[x.role == Role::driver] = true;
    any_weight = any_weight || !x.weight.empty();
    any_relation = any_relation || x.relation != nullptr;
    active_constraint.push_back(c);
    active_part.push_back(0);
    active.push_back({x.relation ? nullptr : &r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr,
                      nullptr, columns, part.body, x.size(), -1});
    take_numbers(active.size() - 1, true);
    for (Index i = 0; i < x.size(); ++i, ++k) {
      row_of[k] = first_row[static_cast<std::size_t>(c)] + i;
      sweep_row[row_of[k]] = k;
      constraint_of[k] = c;
    }
    any_soft = any_soft || soft;
    any_early = any_early || (!soft && (x.policy == Policy::early || method->rows == Method::Rows::early));
    leaves_out = leaves_out || !x.compensate.all();
    look_ahead = look_ahead || (x.relation == nullptr && r.axes == RowsOnBody::Axes::body && r.axes_body > r.body);
    if (!soft) {
      many_levels = many_levels || (first_level >= 0 && first_level != x.priority);
      first_level = first_level < 0 ? x.priority : std::min(first_level, x.priority);
    }
  }
  if (method->rows == Method::Rows::to_root || by_matrices()) any_early = false;
  for (Index c = 0; c < added; ++c) gathered[static_cast<std::size_t>(c)] = GatheredConstraint(constraint(c));
  gathered_method = settings.method;
  gathered_singularity = settings.singularity;
  is_gathered = true;
}

void SolverImpl::take_prescribed(const Prescribed* list, bool same) {
  const Tree<double>& tree = data.tree();
  const Index given = list != nullptr ? static_cast<Index>(list->size()) : 0;
  if (same) {
    Index before = 0;
    for (const unsigned char p : prescribed) before += p;
    bool matches = before == given;
    for (Index k = 0; k < given; ++k) matches = matches && prescribed[(*list)[static_cast<std::size_t>(k)].v] != 0;
    if (!matches) throw WorkspaceMismatch("Solver::resolve: other coordinates are prescribed than in the last solve");
  }
  if (given == 0 && !any_prescribed) return;
  for (unsigned char& p : prescribed) p = 0;
  for (Index k = 0; k < given; ++k) {
    const PrescribedCoordinate& p = (*list)[static_cast<std::size_t>(k)];
    prescribed[p.v] = 1;
    prescribed_value[p.v] = p.acceleration;
  }
  any_prescribed = given > 0;
  auto& a = data.articulated;
  a.has_given = any_prescribed;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    a.is_given[k] = prescribed[c.v];
    a.given[k] = prescribed[c.v] ? prescribed_value[c.v] * c.multiplier : 0.0;
  }
}

void SolverImpl::take_forces(const double* feed_forward, const Externals* external) {
  const Index nv = data.model().nv();
  for (Buffer<double>* b : {&tau, &total})
    if (feed_forward != nullptr)
      std::copy_n(feed_forward, nv, b->data());
    else
      std::fill_n(b->data(), nv, 0.0);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  detail::set_external(data.model(), data, q.data(), external != nullptr ? external->data() : nullptr,
                       external != nullptr ? static_cast<Index>(external->size()) : 0);
  detail::add_passive(data, q.data(), v.data(), effects, 1.0, total.data());
}

bool SolverImpl::run_sweep(bool early, bool stiff) {
  rows.early = early;
  stiffened = stiff;
  rows.stiffening_mass = 0;
  if (stiff) {  // of the size of the robot's own inertia: neither lost beside it nor drowning it
    double mass = 0, moment = 0;
    for (Index i = 1; i <= data.tree().n; ++i) {
      mass += data.inertia[i].m;
      moment += trace(data.inertia[i].I) +
                data.inertia[i].m * dot(data.position.placement[i].p, data.position.placement[i].p);
    }
    rows.stiffening_mass = mass > 0 ? mass / data.tree().n : 1.0;
    rows.stiffening_length2 = mass > 0 && moment > 0 ? moment / mass : 1.0;
  }
  if (any_relation) {
    page::kinematics(data, q.data(), v.data());
    evaluate_relations();
  } else if (look_ahead) {
    page::kinematics(data, q.data());
  }
  SolveAtRoot at{*this};
  data.articulated.has_given = any_prescribed;
  converged = true;
  iterations = 1;
  const auto* first = active.data();
  factored =
      run_hybrid(data, rows, first, first + active.size(), at, q.data(), v.data(), total.data(), acceleration.data());
  data.stages |= stage_factor;
  for (Index k = 0; any_prescribed && k < data.tree().nv; ++k)
    if (prescribed[k]) acceleration[k] = prescribed_value[k];
  return factored;
}

bool SolverImpl::fits() const {
  if (root.rank() < rows.root_rows) return false;
  for (Index k = 0; k < rows.m; ++k) {
    if (rows.slot[k] < 0) continue;
    const page::RowResidual<double> e = page::row_residual(data, rows, k);
    if (!(std::fabs(e.value) <= 1e-12 * e.scale)) return false;
  }
  return true;
}

/// Early elimination is a matter of speed: where it cannot be exact the rows go to the root.
bool SolverImpl::may_be_early() const {
  return any_early && !any_relation && !many_levels && !leaves_out && !data.tree().mimic && rows.room.early &&
         settings.singularity == Singularity::truncation;
}

void SolverImpl::sweep() {
  if (by_matrices()) return solve_by_matrices();
  const bool early = may_be_early();
  bool regular = run_sweep(early, false);
  if (early && regular && !fits()) regular = run_sweep(false, false);
  massless_column = regular ? -1 : data.articulated.singular_column;
  const bool exact = settings.singularity != Singularity::damping;
  if (!regular && rows.m > 0 && !leaves_out && exact) regular = run_sweep(false, true);
  SolveReport& r = solution.report;
  r.status = regular ? Status::ok : Status::singular_mass;
  if (regular) return;
  const Index column = data.articulated.singular_column;
  r.singular_joint = detail::joint_of_coordinate(data.model(), data.tree().column[column].v).name;
}

}  // namespace zwang
