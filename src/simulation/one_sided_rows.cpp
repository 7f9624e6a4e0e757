// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/one_sided_rows.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/all_zero.hpp"
#include "simulation/unfit_side.hpp"

namespace zwang {
namespace {

/// The motion's set with these rows alone. A friction is a law of the step, not of rows.
ConstraintSet alone(const ConstraintSet& set, const std::vector<Index>& sided) {
  ConstraintSet own = set;
  for (Index c = 0; c < own.size(); ++c) {
    Constraint& x = own[set.constraints()[static_cast<std::size_t>(c)].name];
    const bool is_sided = std::find(sided.begin(), sided.end(), c) != sided.end();
    x.active = is_sided;
    if (is_sided) x.friction = std::optional<double>();
  }
  return own;
}

}  // namespace

const char* unfit_side(const Constraint& x) {
  if (x.policy == Policy::soft) return "a compliance";
  if (!x.limit.empty()) return "a limit of its force";
  if (x.role != Role::physical) return "motors that provide its force";
  if (x.priority != 0) return "a priority";
  if (!x.compensate.all()) return "drivers that it does not compensate";
  if (!has_position(x)) return "no error of position: give it a target (of a contact target_point)";
  if (!all_zero(x.beta)) return "a beta";
  if (!all_zero(x.target_velocity)) return "a target_velocity";
  if (x.friction->has_value()) return nullptr;
  if (std::any_of(x.sense.begin(), x.sense.end(), [](Sense s) { return s == Sense::equal; }))
    return "rows without one beside them: give a contact rows=1 or a friction, and make two constraints of others";
  return nullptr;
}

OneSidedRows::OneSidedRows(Movement& motion)
    : motion_(motion),
      own_(alone(motion.set, motion.sided())),
      rows_(motion.model, own_, "Simulator") {
  Index row = 0;
  for (const Constraint& x : own_.constraints()) {
    first_.push_back(row);
    row += x.size();
  }
}

/// What events and a control may have changed.
void OneSidedRows::follow() {
  for (const Index c : motion_.sided()) {
    const Constraint& from = motion_.set.constraints()[static_cast<std::size_t>(c)];
    Constraint& to = own_[from.name];
    if (to.active != from.active) to.active = from.active.value();
    if (!(to.target == from.target)) to.target = from.target.value();
  }
}

void OneSidedRows::find(const Data& data, const double* q, const double* speed, double least, double ahead,
                        std::vector<ContactRow>& out) {
  follow();
  rows_.evaluate(q, nullptr);
  for (Index i = 0; i < rows_.rows;) {
    const Constraint& x = rows_.constraint_of(i);
    const std::optional<double> friction = motion_.set[x.name].friction;
    const Index size = friction ? 3 : 1, normal = i + size - 1;
    ContactRow row;
    row.kind = friction ? ContactRow::Kind::contact : ContactRow::Kind::row;
    row.coordinate = rows_.row_of_set(i);
    row.evaluated = i;
    row.side = x.sense[rows_.row_in_constraint(normal)] == Sense::at_most ? -1 : 1;
    row.gap = row.side * rows_.position_error[normal];
    i += size;
    double rate = 0;
    for (Index k = 0; speed != nullptr && k < rows_.nv; ++k) rate += rows_.row(normal)[k] * speed[k];
    if (!(row.gap <= std::fmax(least, 2 * ahead * std::fabs(rate)))) continue;
    if (friction) {
      const RowsOnBody& on = x.rows_on_body;
      const Transform<double>& body = data.position.placement[on.body];  // about the centre of its branch
      row.point = body * on.point + data.position.centre[data.tree().body[on.body].root];
      const auto axis = [&](std::size_t k) {
        return Vec3<double>{on.matrix[6 * k], on.matrix[6 * k + 1], on.matrix[6 * k + 2]};
      };
      row.t1 = axis(0), row.t2 = axis(1), row.normal = axis(2);
      row.law.friction = *friction;
    }
    out.push_back(row);
  }
}

void OneSidedRows::write(const ContactRow& x, Index k, double* to) const {
  const double* const from = rows_.row(x.evaluated + k);
  for (Index i = 0; i < rows_.nv; ++i) to[i] = x.side * from[i];
}

void OneSidedRows::add_multipliers(const ContactRow& x, const double* impulse, double h, double* multipliers) const {
  for (Index k = 0; k < x.size(); ++k) multipliers[x.coordinate + k] = x.side * impulse[k] / h;
}

std::string OneSidedRows::name(const ContactRow& x) const {
  for (std::size_t c = first_.size(); c-- > 0;) {
    if (first_[c] > x.coordinate) continue;
    const Constraint& of = own_.constraints()[c];
    return x.size() == 3 ? of.name.value() : of.row_names[static_cast<std::size_t>(x.coordinate - first_[c])];
  }
  return {};
}

}  // namespace zwang
