// SPDX-License-Identifier: BSD-3-Clause
// The steps of a solve up to the sweep: settings, the arrangement of rows, the sweep itself.
#include <algorithm>
#include <climits>
#include <cmath>

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
    {"bbo", "bbo", Method::Rows::where_met},
    {"pv_soft", "pv_soft", Method::Rows::soft},
    {"dense_lu", "dense_lu", Method::Rows::matrices, MatrixMethod::lu},
    {"dense_qr", "dense_qr", Method::Rows::matrices, MatrixMethod::qr},
    {"dense_cod", "dense_cod", Method::Rows::matrices, MatrixMethod::cod},
    {"range_space", "range_space", Method::Rows::matrices, MatrixMethod::range_space},
    {"null_space", "null_space", Method::Rows::matrices, MatrixMethod::null_space},
    {"test_force", "test_force", Method::Rows::matrices, MatrixMethod::test_force},
    {"contact_cholesky", "contact_cholesky", Method::Rows::matrices, MatrixMethod::contact_cholesky},
    {"constrained_aba", "constrained_aba", Method::Rows::on_tree, MatrixMethod::none, TreeMethod::constrained_aba},
    {"loop_aba", "loop_aba", Method::Rows::on_tree, MatrixMethod::none, TreeMethod::loop_aba},
    {"embedding", "embedding", Method::Rows::on_tree, MatrixMethod::none, TreeMethod::embedding}};
constexpr Index k_most_rows = 20000;  // the matrix at the root is dense
constexpr Index k_lanes = page::RowStage<double>::lanes;

bool eliminates_early(const Method& m) { return m.rows == Method::Rows::early || m.rows == Method::Rows::where_met; }

/// What the rows need at most: all of them active at once. `count` holds rows of each body, then strands of each
/// subtree, then the strands that rows send from a further body.
page::RowRoom room_of(const Tree<double>& tree, const std::vector<Constraint>& constraints, Buffer<Index>& count) {
  Index* const own = count.data();
  Index* const strands = own + tree.n + 1;
  Index* const further = strands + tree.n + 1;
  for (Index& c : count) c = 0;
  page::RowRoom room;
  for (const Constraint& c : constraints) {
    const Index blocks = (c.size() + k_lanes - 1) / k_lanes;
    if (c.relation != nullptr) {  // blocks of their own where rows are eliminated on the way
      strands[first_body(c)] += blocks;
      room.blocks += blocks;
    } else {
      own[first_body(c)] += c.size();
    }
    room.rows += c.size();
    room.early = room.early || c.policy == Policy::early;
    for (std::size_t p = 1; p < part_count(c); ++p) {
      further[body_of_part(c, static_cast<Index>(p))] += blocks + 1;
      room.further += c.size();
    }
  }
  for (Index i = tree.n; i >= 0; --i) {
    const Index blocks = (own[i] + k_lanes - 1) / k_lanes;  // and those of relations
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
  room.groups += 4 * s.spare_rows;  // of rows between two bodies each
  room.w += 2 * static_cast<long>(s.spare_rows) * tree.spanning_nv;
  room.lists += 2 * static_cast<long>(s.spare_rows) * tree.n;
  room.further += s.spare_rows;
  room.early = room.early || eliminates_early(method_of(s.method)) || s.spare_rows > 0 ||
               (method_of(s.method).rows == Method::Rows::as_given && room.rows >= PlaceOfRows::few);
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
  part_capacity = constraint_capacity + std::max<Index>(s.spare_rows, 0);
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
  relations.reserve(room);
  first_row.reserve(room + 1);
  active.reserve(static_cast<std::size_t>(part_capacity));
  active_constraint.reserve(static_cast<std::size_t>(part_capacity));
  active_part.reserve(static_cast<std::size_t>(part_capacity));
  next_part = Buffer<Index>(part_capacity);
  last_part = Buffer<Index>(constraint_capacity);
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
  r.warnings.reserve(3 * c + static_cast<std::size_t>(nv) + 1);
  arrange();
  method = &method_of(s.method);
  if (method->rows == Method::Rows::on_tree) make_room_on_tree();
  if (!by_matrices()) return;
  matrices = std::make_unique<Matrices>(nv, capacity);
  dense::KktProblem nothing;
  dense::KktAnswer none;
  matrices->solve(method->matrices, nv, capacity, nothing, none);  // its workspace
}

void SolverImpl::refuse_by_matrices(const char* function) const {
  if (by_matrices() || by_tree)
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
    same = x.relation == relations[k] && first_body(x) == bodies[k] && x.size() == first_row[k + 1] - first_row[k];
  }
  if (same) return;
  arranged = false;
  if (set.model().id() != data.model().id())
    throw WorkspaceMismatch(std::string(owner) + ": the set was replaced by one of another model ('" +
                            set.model().name() + "')");
  if (set.rows() > capacity || set.size() > constraint_capacity)
    throw WorkspaceMismatch(std::string(owner) + ": the set has grown to " + std::to_string(set.rows()) +
                            " rows, there is room for " + std::to_string(capacity) + ": " + remedy);
  std::size_t part_total = 0;
  for (const Constraint& x : all) {
    part_total += part_count(x);
    if (first_body(x) < 0 || body_of_part(x, static_cast<Index>(part_count(x)) - 1) > data.tree().n)
      throw std::invalid_argument(std::string(owner) + ": " + quoted(x.name) +
                                  " is on a body that the model does not have");
  }
  const page::RowRoom room = room_of(data.tree(), all, body_blocks);
  if (room.blocks > rows.room.blocks || room.groups > rows.room.groups || room.w > rows.room.w ||
      room.lists > rows.room.lists || room.further > rows.room.further ||
      part_total > static_cast<std::size_t>(part_capacity))
    throw WorkspaceMismatch(std::string(owner) +
                            ": rows were moved to other bodies and do not fit any more: " + remedy);
  added = set.size();
  version = set.version();
  first_row.clear();
  parts.clear();
  bodies.clear();
  relations.clear();
  Index row = 0;
  for (Index c = 0; c < added; ++c) {
    first_row.push_back(row);
    row += constraint(c).size();
    const Constraint& x = constraint(c);
    bodies.push_back(first_body(x));
    relations.push_back(x.relation);
    for (std::size_t p = 0; p < part_count(x); ++p) {
      const Index which = static_cast<Index>(p);
      parts.push_back({body_of_part(x, which), c, which});
      for (std::size_t b = parts.size() - 1; b > 0; --b) {  // insertion keeps the order of equals and allocates nothing
        const auto rank = [&](const Part& y) {
          return 3 * y.body + (y.which > 0 ? 0 : constraint(y.constraint).relation == nullptr ? 1 : 2);
        };
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
    if (rows.slot[k] < 0 || rows.compliance[k] > 0) continue;
    const page::RowResidual<double> e = page::row_residual(data, rows, k);
    if (!(std::fabs(e.value) <= 1e-12 * e.scale)) return false;
  }
  return true;
}

/// Early elimination is a matter of speed: where it cannot be exact the rows go to the root.
bool SolverImpl::may_be_early() const {
  return any_early && !dependent && !many_levels && !leaves_out && !data.tree().mimic && rows.room.early &&
         settings.singularity == Singularity::truncation;
}

void SolverImpl::sweep() {
  using Reason = PlaceOfRows::Reason;
  Reason& reason = solution.report.place.reason;
  reason = Reason::asked;
  by_tree = false;
  if (by_matrices()) return solve_by_matrices();
  if (method->rows == Method::Rows::on_tree && (by_tree = solve_on_tree())) return;
  const bool early = may_be_early();
  reason = dependent || method->rows == Method::Rows::on_tree ? Reason::dependent
           : any_early && !early                              ? Reason::settings
           : estimated && !rows.room.early                    ? Reason::few_rows
           : estimated                                        ? Reason::estimated
                                                              : Reason::asked;
  bool regular = run_sweep(early, false);
  if (early && regular && !fits()) {
    regular = run_sweep(false, false);
    reason = Reason::dependent;
    dependent = estimated;
  }
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
