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

constexpr Method k_methods[] = {{"automatic", "popov_vereshchagin", Method::Rows::as_given},
                                {"popov_vereshchagin", "popov_vereshchagin", Method::Rows::to_root},
                                {"pv_early", "pv_early", Method::Rows::early},
                                {"pv_soft", "pv_soft", Method::Rows::soft}};
constexpr Index k_most_rows = 20000;  // the matrix at the root is dense
constexpr Index k_lanes = page::RowStage<double>::lanes;

/// What the rows need at most: all of them active at once. `count` holds rows of each body, then blocks of each
/// subtree.
page::RowRoom room_of(const Tree<double>& tree, const std::vector<Constraint>& constraints, Buffer<Index>& count) {
  Index* const own = count.data();
  Index* const blocks = own + tree.n + 1;
  for (Index& c : count) c = 0;
  page::RowRoom room;
  for (const Constraint& c : constraints) {
    own[c.rows_on_body.body] += c.size();
    room.rows += c.size();
    room.early = room.early || c.policy == Policy::early;
  }
  for (Index i = tree.n; i >= 0; --i) {
    blocks[i] += (own[i] + k_lanes - 1) / k_lanes;
    room.groups += own[i] > 1 ? 1 : 0;  // soft rows stand apart from hard ones
    if (i == 0) break;
    room.w += static_cast<long>(blocks[i]) * tree.body[i].nv;
    room.lists += blocks[i];
    blocks[tree.body[i].parent] += blocks[i];
  }
  room.blocks = blocks[0];
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
      body_blocks(2 * (model.bodies() + 1)) {
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
  row_numbers = Buffer<double>(7 * (capacity + 2 * k_lanes * constraint_capacity));
  row_copy = Buffer<double>(7 * capacity);
  row_of = sweep_row = constraint_of = root_of = attached_of = order = active_row = Buffer<Index>(capacity);
  level = Buffer<int>(capacity);
  weight = size = b_root = lambda_root = lambda_sweep = uncompensated = Buffer<double>(capacity);
  q = Buffer<double>(model.nq());
  v = tau = total = torque = acceleration = motor_torque = reaction = articulated = prescribed_value =
      Buffer<double>(nv);
  prescribed = seen = Buffer<unsigned char>(nv);
  contradicted = Buffer<unsigned char>(capacity);
  driver_force = physical_force = Buffer<Force<double>>(n);
  lambda = residual = relative = Buffer<double>(capacity);
  wrench = Buffer<double>(6 * constraint_capacity);
  const auto room = static_cast<std::size_t>(constraint_capacity);
  by_body.reserve(room);
  bodies.reserve(room);
  first_row.reserve(room + 1);
  active.reserve(room);
  active_constraint.reserve(room);
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
    same = x.rows_on_body.body == bodies[k] && x.size() == first_row[k + 1] - first_row[k];
  }
  if (same) return;
  arranged = false;
  if (set.model().id() != data.model().id())
    throw WorkspaceMismatch("Solver: the set was replaced by one of another model ('" + set.model().name() + "')");
  if (set.rows() > capacity || set.size() > constraint_capacity)
    throw WorkspaceMismatch("Solver: the set has grown to " + std::to_string(set.rows()) +
                            " rows, the solver has room for " + std::to_string(capacity) +
                            ": make a new one, or give it spare_rows");
  for (const Constraint& x : all)
    if (x.rows_on_body.body < 0 || x.rows_on_body.body > data.tree().n)
      throw std::invalid_argument("Solver: " + quoted(x.name) + " is on a body that the model does not have");
  const page::RowRoom room = room_of(data.tree(), all, body_blocks);
  if (room.blocks > rows.room.blocks || room.groups > rows.room.groups || room.w > rows.room.w ||
      room.lists > rows.room.lists)
    throw WorkspaceMismatch(
        "Solver: rows were moved to other bodies and do not fit any more: make a new solver, or give it "
        "spare_rows");
  added = set.size();
  version = set.version();
  first_row.clear();
  by_body.clear();
  bodies.clear();
  Index row = 0;
  for (Index c = 0; c < added; ++c) {
    first_row.push_back(row);
    row += constraint(c).size();
    bodies.push_back(constraint(c).rows_on_body.body);
    by_body.push_back(c);
    for (Index k = c; k > 0; --k) {  // insertion keeps the order of equal bodies and allocates nothing
      const auto b = static_cast<std::size_t>(k);
      if (bodies[static_cast<std::size_t>(by_body[b - 1])] <= bodies[static_cast<std::size_t>(by_body[b])]) break;
      std::swap(by_body[b - 1], by_body[b]);
    }
  }
  first_row.push_back(row);
  const auto bind = [&](VectorView& view, const Buffer<double>& b, Index n) { new (&view) VectorView(b.data(), n); };
  bind(solution.multipliers, lambda, row);
  bind(solution.residual, residual, row);
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
  if (r.matrix.size() != 6 * rows || !finite(r.matrix))
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
      body(x.rows_on_body.body),
      axes_body(x.rows_on_body.axes_body),
      rows(x.size()),
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

void SolverImpl::gather() {
  check_settings();
  if (!as_gathered()) gather_anew();
}

void SolverImpl::gather_anew() {
  is_gathered = numbered = ranked = any_weight = false;
  role_used[0] = role_used[1] = false;
  method = &method_of(settings.method);
  arrange();
  active.clear();
  active_constraint.clear();
  any_early = any_soft = leaves_out = many_levels = look_ahead = false;
  for (Index r = 0; r < row_count(); ++r) sweep_row[r] = -1;
  Index k = 0;
  first_level = -1;
  for (const Index c : by_body) {
    const Constraint& x = constraint(c);
    if (!x.active) continue;
    check_constraint(x, data.tree().n);
    const bool soft = x.policy == Policy::soft || method->rows == Method::Rows::soft;
    if (soft && x.compliance.empty())
      throw UnsupportedError("Solver: method pv_soft needs a compliance of every row; " + quoted(x.name) + " has none");
    check_combination(x, soft, settings.singularity);
    const RowsOnBody& r = x.rows_on_body;
    role_used[x.role == Role::driver] = true;
    any_weight = any_weight || !x.weight.empty();
    active_constraint.push_back(c);
    active.push_back({&r, x.beta.data(), x.acceleration, soft ? x.compliance.data() : nullptr, nullptr,
                      &row_numbers[7 * (k + 2 * k_lanes * static_cast<Index>(active.size()))]});
    take_numbers(active.size() - 1, true);
    for (Index i = 0; i < x.size(); ++i, ++k) {
      row_of[k] = first_row[static_cast<std::size_t>(c)] + i;
      sweep_row[row_of[k]] = k;
      constraint_of[k] = c;
    }
    any_soft = any_soft || soft;
    any_early = any_early || (!soft && (x.policy == Policy::early || method->rows == Method::Rows::early));
    leaves_out = leaves_out || !x.compensate.all();
    look_ahead = look_ahead || (r.axes == RowsOnBody::Axes::body && r.axes_body > r.body);
    if (!soft) {
      many_levels = many_levels || (first_level >= 0 && first_level != x.priority);
      first_level = first_level < 0 ? x.priority : std::min(first_level, x.priority);
    }
  }
  if (method->rows == Method::Rows::to_root) any_early = false;
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
  if (look_ahead) page::kinematics(data, q.data());
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
  return any_early && !many_levels && !leaves_out && !data.tree().mimic && rows.room.early &&
         settings.singularity == Singularity::truncation;
}

void SolverImpl::sweep() {
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
