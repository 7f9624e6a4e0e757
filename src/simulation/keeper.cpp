// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/keeper.hpp"

#include <algorithm>
#include <cmath>

#include "manifold/instances.hpp"

namespace zwang {
namespace {

/// Joints of which all coordinates are prescribed, and single coordinates of others.
std::vector<std::string> fixed_names(const Model& model, const Prescribed& prescribed) {
  std::vector<bool> is(static_cast<std::size_t>(model.nv()));
  for (const PrescribedCoordinate& p : prescribed) is[static_cast<std::size_t>(p.v)] = true;
  std::vector<std::string> names;
  for (const Joint& j : model.joints()) {
    const auto first = is.begin() + j.v.first;
    if (j.v.size == 0 || !j.mimic.leader.empty() || !std::all_of(first, first + j.v.size, [](bool x) { return x; }))
      continue;
    names.push_back(j.name);
    std::fill_n(first, j.v.size, false);
  }
  for (std::size_t k = 0; k < is.size(); ++k)
    if (is[k]) names.push_back(model.coordinate_names()[k]);
  return names;
}

}  // namespace

std::size_t acceleration_asked(const Constraint& x) {
  const std::vector<double>& beta = x.beta;
  if (!x.target_velocity.empty()) return beta.size();
  return static_cast<std::size_t>(std::find_if(beta.begin(), beta.end(), [](double b) { return b != 0; }) -
                                  beta.begin());
}

Keeper::Keeper(Movement& motion)
    : motion_(motion),
      held_(motion.set),
      seen_(motion.set.constraints().size(), ~std::uint64_t{0}),
      change_(motion.model.nv()) {
  for (const Index c : motion.sided())  // they take no part, and no friction is known to projections
    held_[motion.set.constraints()[static_cast<std::size_t>(c)].name].friction = std::optional<double>();
}

void Keeper::begin(bool always) {
  always_ = always;
  AssemblySettings s{.fixed = fixed_names(motion_.model, motion_.prescribed()),
                     .kinetic = true,
                     .limits = false,
                     .tolerance = motion_.settings.tolerance,
                     .attempts = 0};
  by_mass_ = std::make_unique<Assembler>(motion_.model, held_, s);
  s.kinetic = false;
  by_ones_ = std::make_unique<Assembler>(motion_.model, held_, s);
}

/// Switches and targets as they are now. False: nothing is held.
bool Keeper::follow() {
  some_ = false;
  for (std::size_t c = 0; c < seen_.size(); ++c) {
    const Constraint& from = motion_.set.constraints()[c];
    const std::size_t asks = acceleration_asked(from);
    const bool chooses = motion_.settings.keep == Keep::automatic && !always_;
    const bool held = from.active && from.policy != Policy::soft && !from.is_bounded() &&
                      !(chooses && (asks < from.beta.size() || from.stabilisation.time_constant > 0));
    some_ = some_ || (held && (!chooses || has_position(from)));
    if (held && asks < from.beta.size())
      throw std::invalid_argument("Simulator: row '" + from.row_names[asks] + "' asks for the acceleration " +
                                  std::to_string(from.beta[asks]) +
                                  ", but its velocity would be held at 0; give it a target_velocity, or keep by "
                                  "stabilisation");
    if (seen_[c] == from.stamp()) continue;
    seen_[c] = from.stamp();
    Constraint& to = held_[from.name];
    to.active = held;
    to.target = from.target.value();
    to.target_velocity = from.target_velocity.value();
  }
  return some_;
}

bool Keeper::project(MovementState& state, double* distance) {
  if (distance != nullptr) *distance = 0;
  moved_ = 0;
  if (seen_.empty()) return true;
  motion_.apply_control(state.time, state.q.data(), state.v.data());
  if (!follow()) return true;
  const Assembly* x = &by_mass_->project(view_of(state.q), view_of(state.v));
  if (x->report.status == Status::singular_mass) x = &by_ones_->project(view_of(state.q), view_of(state.v));
  if (x->report.status != Status::ok)
    return motion_.fail(x->report.status,
                        "the state cannot be brought back to the constraints: " + x->report.explain());
  const Tree<double>& tree = motion_.model.tree<double>();
  page::difference(tree, static_cast<const double*>(state.q.data()), x->q.data(), change_.data());
  for (const double d : change_) moved_ = std::max(moved_, std::fabs(d));
  std::copy_n(x->q.data(), state.q.size(), state.q.data());
  std::copy_n(x->v.data(), state.v.size(), state.v.data());
  if (distance != nullptr) *distance = x->report.distance;
  return true;
}

}  // namespace zwang
