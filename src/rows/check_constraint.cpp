// SPDX-License-Identifier: BSD-3-Clause
#include "rows/check_constraint.hpp"

#include <algorithm>

#include "linear/vectors.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

std::string quoted(const std::string& name) { return "constraint '" + name + "'"; }

bool words_are_known(const Constraint& x) {
  const auto within = [](auto word, auto last) { return static_cast<int>(word) >= 0 && word <= last; };
  bool known =
      within(x.acceleration.value(), AccelerationKind::spatial) && within(x.rows_on_body->axes, RowsOnBody::Axes::body);
  const auto check = [&]<Worded E>(E word) {
    known = known && within(word, static_cast<E>(words_of(Type<E>()).size() - 1));
  };
  const auto one = [&]<class X>(const RowOption&, Tracked<X> Constraint::*member) {
    if constexpr (Worded<X>)
      check((x.*member).value());
    else if constexpr (requires { requires Worded<typename X::value_type>; })
      for (const auto word : (x.*member).value()) check(word);
  };
  for_each_option(one, Type<Constraint>());
  return known;
}

/// Whether the numbers of an option may be used with so many rows.
bool may_be_used(const std::vector<double>& x, KeyForm form, std::size_t rows) {
  if (x.empty() && form != KeyForm::or_zeros) return true;
  const auto good = [&](double a) { return is_finite(a) && (form != KeyForm::positive || a > 0); };
  return x.size() == rows && std::all_of(x.begin(), x.end(), good);
}
/// f(option) for each option whose numbers may not be used; `which`: of these forms.
template <class F> void for_each_bad(const Constraint& x, std::initializer_list<KeyForm> which, F&& f) {
  const auto one = [&]<class X>(const RowOption& option, Tracked<X> Constraint::*member) {
    if constexpr (std::is_same_v<X, std::vector<double>>)
      if (std::find(which.begin(), which.end(), option.form) != which.end() &&
          !may_be_used((x.*member).value(), option.form, x.row_names.size()))
        f(option);
  };
  for_each_option(one, Type<Constraint>());
}

}  // namespace

bool axes_are_finite(const RowsOnBody& r) {
  bool good = true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) good = good && is_finite(r.axes_in_body[i][j]);
  return good;
}

bool errors_are_given(const Constraint& x) {
  const Stabilisation& s = x.stabilisation;
  const bool measured =
      x.relation != nullptr || (s.time_constant == 0 && x.target.empty() && x.target_velocity.empty());
  return measured && s.time_constant >= 0 && s.damping_ratio >= 0 && is_finite(s.time_constant + s.damping_ratio);
}

bool numbers_are_good(const Constraint& x) {
  bool good = true;
  for_each_bad(x, {KeyForm::or_zeros, KeyForm::per_row, KeyForm::positive}, [&](const RowOption&) { good = false; });
  return good;
}

void check_constraint(const char* owner, const Constraint& x, Index bodies) {
  const auto who = [&] { return std::string(owner) + ": "; };
  const auto rows = static_cast<std::size_t>(x.size());
  const RowsOnBody& r = x.rows_on_body;
  const auto finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double a) { return is_finite(a); });
  };
  const auto check_numbers = [&](KeyForm which) {
    for_each_bad(x, {which}, [&](const RowOption& option) {
      throw std::invalid_argument(who() + option.name + " of " + quoted(x.name) + " needs " + std::to_string(rows) +
                                  (which == KeyForm::positive ? " entries > 0" : " finite entries"));
    });
  };
  if (x.relation != nullptr && x.relation->rows() != x.size())
    throw std::invalid_argument(who() + "the relation of " + quoted(x.name) + " has " +
                                std::to_string(x.relation->rows()) + " rows, the constraint " +
                                std::to_string(x.size()));
  if (rows == 0) throw std::invalid_argument(who() + quoted(x.name) + " has no rows");
  if (!words_are_known(x))
    throw std::invalid_argument(who() + "policy, role, sense, acceleration or axes of " + quoted(x.name) +
                                " are not one of their words");
  check_numbers(KeyForm::or_zeros);
  check_numbers(KeyForm::per_row);
  const Stabilisation& s = x.stabilisation;
  if (!(s.time_constant >= 0 && s.damping_ratio >= 0) || !is_finite(s.time_constant + s.damping_ratio))
    throw std::invalid_argument(who() + "the stabilisation of " + quoted(x.name) +
                                " has a negative or non-finite number");
  if (!errors_are_given(x))
    throw std::invalid_argument(
        who() + quoted(x.name) +
        " has a stabilisation or a target and no error to measure: add it with a target pose or point");
  if (x.relation == nullptr && (r.matrix.size() != 6 * rows || !finite(r.matrix)))
    throw std::invalid_argument(who() + "the rows of " + quoted(x.name) + " need " + std::to_string(6 * rows) +
                                " finite numbers");
  if (!axes_are_finite(r)) throw std::invalid_argument(who() + "the axes of " + quoted(x.name) + " are not finite");
  if (!is_finite(r.point.x + r.point.y + r.point.z))
    throw std::invalid_argument(who() + "the point of " + quoted(x.name) + " is not finite");
  if (r.axes == RowsOnBody::Axes::body && (r.axes_body < 0 || r.axes_body > bodies))
    throw std::invalid_argument(who() + "the axes of " + quoted(x.name) +
                                " turn with a body that the model does not have");
  check_numbers(KeyForm::positive);
  if (!x.sense.empty() && x.sense.size() != rows)
    throw std::invalid_argument(who() + "sense of " + quoted(x.name) + " needs " + std::to_string(rows) + " entries");
  if (x.friction->has_value())
    throw UnsupportedError(who() + "the friction of " + quoted(x.name) +
                           " is of motions by integrator 'contact': with it, not every state has accelerations");
  if (x.policy == Policy::soft && x.compliance.empty())
    throw std::invalid_argument(who() + quoted(x.name) + " is soft and has no compliance");
}

void check_model(const char* owner, const Model& model, const ConstraintSet& set) {
  if (set.model().id() == model.id()) return;
  const bool namesake = set.model().name() == model.name();
  throw WorkspaceMismatch(
      std::string(owner) + ": the constraint set was made for another model ('" + set.model().name() + "')" +
      (namesake ? "; a model that was loaded or unpickled again is another one: use set.model" : ""));
}

void check_combination(const Constraint& x, const RowPurpose& purpose) {
  const Singularity singularity = purpose.singularity;
  const bool soft = x.policy == Policy::soft || purpose.makes_rows_soft;
  const std::string who = "Solver: ";  // short: allocates nothing
  if (soft && x.compliance.empty())
    throw UnsupportedError(who + "method " + purpose.method + " needs a compliance of every row; " + quoted(x.name) +
                           " has none");
  if (x.priority < 0)
    throw std::invalid_argument(who + "priority of " + quoted(x.name) + " is " + std::to_string(x.priority) +
                                "; 0 is the highest");
  if (soft && x.priority > 0)
    throw UnsupportedError(who + quoted(x.name) + " is soft and has priority " + std::to_string(x.priority) +
                           ": soft rows are weighed by their compliance, levels are for hard rows");
  if (soft && !x.compensate.all())
    throw UnsupportedError(who + quoted(x.name) + " is soft and leaves drivers uncompensated: that is for hard rows");
  if (x.priority > 0 && (singularity == Singularity::damping || singularity == Singularity::proximal))
    throw UnsupportedError(who + quoted(x.name) + " has priority " + std::to_string(x.priority) +
                           ": levels are for the singularity policies truncation and weighted, not for " +
                           name_of(singularity));
  if ((x.priority > 0 && !purpose.can.levels) || (!x.compensate.all() && !purpose.can.leaves_drivers))
    throw UnsupportedError(who + "method " + purpose.method + " has no levels and leaves no driver out; " +
                           quoted(x.name) + " asks for it: that is for popov_vereshchagin");
}

void check_purpose(const RowPurpose& purpose, const Model& model) {
  const auto refuse = [&](const std::string& why) {
    throw UnsupportedError(std::string("Solver: method ") + purpose.method + why);
  };
  if (purpose.singularity != Singularity::truncation && !purpose.can.other_policies)
    refuse(std::string(" knows the singularity policy truncation, not ") + name_of(purpose.singularity));
  for (const Joint& j : model.joints())
    if (!purpose.can.mimic && !j.mimic.leader.empty())
      refuse(" has no shared coordinates; joint '" + j.name + "' mimics '" + j.mimic.leader +
             "': popov_vereshchagin does that");
}

void check_bounded(const Constraint& x, bool motors, bool levels, Singularity singularity) {
  const std::string who = "Solver: ";  // short: allocates nothing
  if (!x.compensate.all())
    throw UnsupportedError(who + quoted(x.name) +
                           " leaves drivers uncompensated: that is not supported together with a sense, a limit or "
                           "motor_limits");
  if (!x.is_bounded() && !motors) return;
  if (levels && x.is_sided())
    throw UnsupportedError(who + quoted(x.name) +
                           " has a sense: that is not supported together with rows of several priorities");
  if (singularity == Singularity::damping)
    throw UnsupportedError(who + quoted(x.name) + (x.is_bounded() ? " has a sense or a limit" : " has motor_limits") +
                           ": that is not supported together with the singularity policy damping, which misses rows");
}

}  // namespace zwang
