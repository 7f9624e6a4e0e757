// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "algorithm/instances.hpp"
#include "manifold/instances.hpp"

namespace zwang {
namespace {

constexpr double k_sticks = 1e-9;   // distance of what sticks from the surface of its cone
constexpr double k_inexact = 0.01;  // residual of a pass that is taken
constexpr double k_energy = 1e-9;   // of the kinetic energy: growth in an impact that is said
constexpr double k_target = 0.01;  // of contact_accuracy: what steps look for, since each begins with the last impulses
constexpr int k_most_hard = 20;    // steps in a row by the last stages
constexpr std::size_t k_room = 64;

ConstVector vector_of(const std::vector<double>& x) { return {x.data(), static_cast<Index>(x.size())}; }

}  // namespace

bool is_before(const ContactState& a, const ContactState& b) {
  const auto key = [](const ContactState& x) { return std::tie(x.a, x.b, x.feature, x.coordinate, x.what); };
  return key(a) < key(b);
}

ContactImpulses::ContactImpulses(Movement& motion)
    : rows(motion),
      motion_(motion),
      model_(motion.model),
      effects_(motion.settings.solver.joint_effects),
      data_(model_),
      metric_(model_, motion.set.rows()),
      solver_({.accept = motion.settings.contact_accuracy,
               .target = k_target * motion.settings.contact_accuracy,
               .effort = ContactSettings::Effort::needed,
               .stop = motion.settings.solver.stop}),
      lengths_({.effort = ContactSettings::Effort::ordinary, .stop = motion.settings.solver.stop}),
      row_(std::max(model_.nv(), model_.nq())),
      before_(model_.nq()),
      J_(motion.set.rows() * model_.nv()) {
  cones_.reserve(k_room);
  for (std::vector<double>* x : {&offset_, &compliance_, &warm_}) x->reserve(3 * k_room);
  for (ContactSolver* x : {&solver_, &lengths_}) x->reserve(model_.nv(), 3 * k_room, k_room);
}

void ContactImpulses::find(const double* q, const double* v, const double* speed, double least, double ahead) {
  if (v != nullptr)
    page::kinematics(data_, q, v);
  else
    page::kinematics(data_, q);
  page::columns_of_positions(data_, q);
  rows.find(data_, q, speed, least, ahead);
}

double ContactImpulses::kinetic_energy(const double* q, const double* v) {
  page::kinematics(data_, q, v);
  const Tree<double>& tree = model_.tree<double>();
  return page::kinetic_energy(data_, tree.mimic ? data_.v_spanning.data() : v);
}

/// M at q, and what holds: rows of the last solve, prescribed coordinates.
bool ContactImpulses::factor(const double* q) {
  const Index active = motion_.solver.active_rows(), nv = model_.nv();
  if (!metric_.factor(data_, vector_in(q, model_.nq()), effects_))
    return motion_.fail(Status::singular_mass, metric_.singular());
  if (active > 0) {
    Eigen::Map<Eigen::MatrixXd> J(J_.data(), active, nv);
    motion_.solver.constraint_jacobian(J);
    for (Index r = 0; r < active; ++r) {
      for (Index k = 0; k < nv; ++k) row_[k] = J(r, k);
      metric_.add_hard_row(row_.data());
    }
  }
  for (const PrescribedCoordinate& x : motion_.prescribed()) metric_.add_hard_coordinate(x.v);
  return true;
}

bool ContactImpulses::has_fast_dampers(double h, const double* q) {
  if (!effects_.damping) return false;
  const std::vector<double>& damping = model_.damping();
  if (std::all_of(damping.begin(), damping.end(), [](double d) { return d == 0; })) return false;
  if (!metric_.factor(data_, vector_in(q, model_.nq()), effects_)) return false;  // a solve says it
  for (Index k = 0; k < model_.nv(); ++k)
    if (h * damping[static_cast<std::size_t>(k)] > metric_.diagonal(k)) return true;
  return false;
}

void ContactImpulses::begin_cones() {
  const auto size = static_cast<std::size_t>(rows.rows());
  for (std::vector<double>* x : {&offset_, &compliance_, &warm_}) x->assign(size, 0.0);
  cones_.clear();
}

void ContactImpulses::take_warm(double h, const Row& x, std::span<const ContactState> last) {
  ContactState same;
  same.what = x.kind;
  same.feature = x.feature;
  same.coordinate = x.is_point() ? -1 : x.coordinate;
  if (x.is_point()) {
    same.a = rows.pair_of(x).a;
    same.b = rows.pair_of(x).b;
  }
  const auto at = std::lower_bound(last.begin(), last.end(), same, is_before);
  if (at == last.end() || is_before(same, *at)) return;
  double* const warm = warm_.data() + x.first;
  if (!x.has_normal()) {
    warm[0] = h * at->force.x * x.side;
    return;
  }
  warm[0] = h * dot(x.t1, at->force);
  warm[1] = h * dot(x.t2, at->force);
  warm[2] = h * dot(x.normal, at->force);
}

bool ContactImpulses::solve(ContactSolver& by, bool is_soft, bool is_warm, const ContactReport*& report) {
  report = &by.solve(cones_, {.W = metric_.W(),
                              .y = metric_.y(),
                              .offset = vector_of(offset_),
                              .compliance = is_soft ? vector_of(compliance_) : ConstVector(),
                              .warm = is_warm ? vector_of(warm_) : ConstVector()});
  return report->status == Status::ok || motion_.fail(report->status, rows.explain(*report));
}

bool ContactImpulses::step(double h, const double* q, std::span<const ContactState> last, double* v) {
  data_.damping_step = effects_.damping ? h : 0;
  const bool regular = factor(q);
  data_.damping_step = 0;
  if (!regular) return false;
  begin_cones();
  bool soft = false;
  for (const Row& x : rows.list()) {
    const auto n = static_cast<std::size_t>(x.normal_row());
    if (x.has_normal())
      cones_.push_back({.mu = x.law.friction});
    else if (x.kind == Row::Kind::friction)
      cones_.push_back({.kind = ContactCone::Kind::friction, .bound = h * x.law.friction});
    else
      cones_.push_back({.kind = ContactCone::Kind::unilateral});
    if (x.gives_way()) {
      const double hardness = h * x.law.stiffness + x.law.damping;
      offset_[n] = x.law.stiffness * x.gap / hardness;
      compliance_[n] = 1 / (h * hardness);
      soft = true;
    } else if (x.kind != Row::Kind::friction) {
      offset_[n] = x.gap > ContactRow::k_touch ? x.gap / h : 0.0;
    }
    take_warm(h, x, last);
  }
  metric_.form(v, rows, offset_.data());
  const ContactReport* report = nullptr;
  if (!solve(solver_, soft, true, report)) return false;
  totals.residual = std::fmax(totals.residual, report->residual);
  totals.signorini = std::fmax(totals.signorini, report->signorini);
  totals.coulomb = std::fmax(totals.coulomb, report->coulomb);
  totals.dissipation = std::fmax(totals.dissipation, report->dissipation);
  const bool warm = report->stage == ContactStage::none || report->stage == ContactStage::warm;
  (warm ? totals.warm_steps : totals.cold_steps) += 1;
  hard = report->stage >= ContactStage::fixed_penalty ? hard + 1 : 0;
  if (hard > k_most_hard)
    return motion_.fail(
        Status::not_converged,
        "step after step the impulses of contact are found by the last stages alone: speeds grow, or the "
        "steps are too long for the forces (a controller with damping d wants d dt below the inertia)");
  totals.iterations += report->polish_iterations;
  totals.most_points = std::max(totals.most_points, static_cast<Index>(cones_.size()));
  if (doubt.about == nullptr && !report->shocks.empty())
    doubt = {"shock_without_collision", rows.list()[static_cast<std::size_t>(report->shocks[0])]};
  if (doubt.about == nullptr && !report->not_unique.empty())
    doubt = {"not_unique", rows.list()[static_cast<std::size_t>(report->not_unique[0])]};
  metric_.add_impulses(solver_.impulses().data(), v);
  return true;
}

void ContactImpulses::publish(double h, std::vector<ContactState>& contacts, double* multipliers) const {
  contacts.clear();
  const double still = k_sticks * h * norm(model_.gravity());  // of loads of a face some may be on their cones
  const auto lambda = solver_.impulses(), sigma = solver_.row_velocities();
  for (const Row& x : rows.list()) {
    ContactState s;
    const Index r = x.first;
    s.what = x.kind;
    s.gap = x.gap;
    if (x.is_point()) {
      s.a = rows.pair_of(x).a;
      s.b = rows.pair_of(x).b;
      s.feature = x.feature;
    } else {
      s.coordinate = x.coordinate;
    }
    if (x.has_normal()) {
      s.point = x.point;
      s.normal = x.normal;
      s.force = (x.t1 * lambda[r] + x.t2 * lambda[r + 1] + x.normal * lambda[r + 2]) * (1 / h);
      s.slip = x.t1 * sigma[r] + x.t2 * sigma[r + 1];
      const double load = lambda[r + 2], pull = std::hypot(lambda[r], lambda[r + 1]);
      const bool inside = pull < x.law.friction * load * (1 - k_sticks) || norm(s.slip) <= still;
      s.kind = !(load > 0) ? ContactState::Kind::open : inside ? ContactState::Kind::stick : ContactState::Kind::slip;
    } else {
      s.force = {x.side * lambda[r] / h, 0, 0};
      s.slip = {x.side * sigma[r], 0, 0};
      if (x.kind != Row::Kind::friction)
        s.kind = lambda[r] > 0 ? ContactState::Kind::stick : ContactState::Kind::open;
      else
        s.kind = std::fabs(lambda[r]) < h * x.law.friction * (1 - k_sticks) ? ContactState::Kind::stick
                                                                            : ContactState::Kind::slip;
    }
    if (x.is_of_user()) rows.sided().add_multipliers(x, lambda.data() + r, h, multipliers);
    contacts.push_back(s);
  }
  std::sort(contacts.begin(), contacts.end(), is_before);
}

void ContactImpulses::add_torques(double h, double* torque) const {
  const auto lambda = solver_.impulses();
  for (Index r = 0; r < rows.rows(); ++r)
    for (Index k = 0; k < model_.nv(); ++k) torque[k] += rows.row(r)[k] * lambda[r] / h;
}

/// The impulses of the last step(), after which the velocity is v.
void ContactImpulses::note_step(const double* v) const {
  const auto lambda = solver_.impulses(), sigma = solver_.row_velocities();
  record->impulses.assign(lambda.data(), lambda.data() + rows.rows());
  record->sigma.assign(sigma.data(), sigma.data() + rows.rows());
  record->v.assign(v, v + model_.nv());
}

bool ContactImpulses::shock(const double* q, double rest, double* v) {
  if (!factor(q)) return false;
  begin_cones();
  for (const Row& x : rows.list()) {
    cones_.push_back(x.has_normal() ? ContactCone{.mu = x.law.friction}
                                    : ContactCone{.kind = ContactCone::Kind::unilateral});
    const double speed = rows.approach(x, v);
    if (!x.is_point() || !(speed < -rest)) continue;
    offset_[static_cast<std::size_t>(x.normal_row())] = x.law.restitution * speed;
    ++totals.impacts;
  }
  metric_.form(v, rows, offset_.data());
  const ContactReport* report = nullptr;
  if (!solve(solver_, false, false, report)) return false;
  totals.residual = std::fmax(totals.residual, report->residual);
  double before = 0, after = 0;
  for (Index k = 0; k < model_.nv(); ++k) {
    before += metric_.y().data()[k] * metric_.y().data()[k];
    after += solver_.velocity()[k] * solver_.velocity()[k];
  }
  if (after > before * (1 + k_energy) && !rows.list().empty()) doubt = {"energy_grows", rows.list()[0]};
  metric_.add_impulses(solver_.impulses().data(), v);
  return true;
}

/// A pass with the rows there are; `before`: the deepest overlap of the step so far.
bool ContactImpulses::move_apart(double* q, double allowed, double before, bool is_last, bool& done) {
  double least = 0;
  for (const Row& x : rows.list()) {
    if (!(x.gap < least)) continue;
    least = x.gap;
    deepest = x;
  }
  totals.penetration = std::fmax(before, -least);
  done = is_last || !(least < -allowed);
  if (done) return true;
  rows.form(data_);
  if (!factor(q)) return false;
  begin_cones();
  for (const Row& x : rows.list()) {
    offset_[static_cast<std::size_t>(x.normal_row())] = x.gap;
    cones_.push_back({.kind = x.has_normal() ? ContactCone::Kind::contact : ContactCone::Kind::unilateral});
  }
  std::fill_n(row_.data(), model_.nv(), 0.0);
  metric_.form(row_.data(), rows, offset_.data());
  const ContactReport* report = nullptr;
  if (!solve(lengths_, false, false, report)) {
    // A pass need not be exact: the next one begins where it ends. Else it stays, and says how deep.
    done = report->status != Status::not_converged || !(report->residual < k_inexact);
    if (done) return report->status != Status::stopped;
  }
  metric_.add_impulses(lengths_.impulses().data(), row_.data());
  std::copy_n(q, model_.nq(), before_.data());
  if (record != nullptr) {
    const auto lengths = lengths_.impulses();
    record->apart.push_back({.from = {q, q + model_.nq()},
                             .moved = {row_.data(), row_.data() + model_.nv()},
                             .rows = rows.list(),
                             .lengths = {lengths.data(), lengths.data() + rows.rows()}});
  }
  page::integrate(model_.tree<double>(), before_.data(), row_.data(), q);
  return true;
}

}  // namespace zwang
