// SPDX-License-Identifier: BSD-3-Clause
// Impulses: the public calls and their checks.
#include "algorithm/support.hpp"
#include "core/words.hpp"
#include "question/derivatives/linearised.hpp"
#include "question/impulse/impulse_parts.hpp"
#include "solve/solver_calls.hpp"

namespace zwang {
namespace {

struct Wrong {
  Status status = Status::ok;
  const char* argument = nullptr;
  Index entry = 0;
};

/// What is wrong with the numbers of the rows and the model of restitution.
Wrong wrong_rows(const SolverParts& s, const ImpulseInput& input) {
  const Index rows = s.problem.layout.set.rows();
  const auto size = [](const ConstVector& x) { return x.size() == 0 || x.data() != nullptr ? x.size() : -1; };
  const Index given = size(input.restitution);
  if (given != 0 && given != 1 && given != rows) return {Status::invalid_input, "restitution", -1};
  if (size(input.target) != 0 && size(input.target) != rows) return {Status::invalid_input, "target", -1};
  for (Index r = 0; r < given; ++r) {
    const double E = input.restitution.data()[r];
    if (!is_finite(E)) return {Status::non_finite_input, "restitution", r};
    if (E < 0 || E > 1) return {Status::invalid_input, "restitution", r};
  }
  for (Index r = 0; r < input.target.size(); ++r)
    if (!is_finite(input.target.data()[r])) return {Status::non_finite_input, "target", r};
  if (input.model < Restitution::newton || input.model > Restitution::energetic)
    return {Status::invalid_input, "model", -1};
  if (input.model != Restitution::newton && s.settings.singularity == Singularity::damping)
    return {Status::invalid_input, "model", 0};
  if (input.model != Restitution::energetic || given <= 1) return {};
  Index r = 0;
  for (const Constraint& x : s.problem.layout.set.constraints()) {
    double one = 0;
    for (Index i = 0; i < x.size(); ++i, ++r) {
      const double E = input.restitution.data()[r];
      if (one > 0 && E > 0 && E != one) return {Status::invalid_input, "model", r};
      if (E > 0) one = E;
    }
  }
  return {};
}

/// The name of a row of the set.
std::string row_name(const ConstraintSet& set, Index row) {
  for (const Constraint& x : set.constraints()) {
    if (row < x.size()) return x.row_names[static_cast<std::size_t>(row)];
    row -= x.size();
  }
  return {};
}

[[noreturn]] void throw_wrong(const SolverParts& s, const ImpulseInput& input, const Wrong& w) {
  const ConstraintSet& set = s.problem.layout.set;
  const std::string function = "Solver::impulse", argument = w.argument;
  const ConstVector& x = argument == "target" ? input.target : input.restitution;
  if (w.status == Status::non_finite_input)
    detail::throw_not_finite("Solver::impulse", w.argument, w.entry, x.data()[w.entry]);
  if (argument == "restitution" && w.entry >= 0)
    throw std::invalid_argument(function + ": restitution is a number in [0, 1]; got " +
                                std::to_string(x.data()[w.entry]) +
                                (x.size() > 1 ? " for row '" + row_name(set, w.entry) + "'" : ""));
  if (argument == "restitution")
    throw std::invalid_argument(function + ": restitution has " + std::to_string(x.size()) +
                                " numbers, expected one, or one for each of the " + std::to_string(set.rows()) +
                                " rows of the set");
  if (argument == "target") detail::throw_size("Solver::impulse", "target", static_cast<long>(x.size()), set.rows());
  if (w.entry < 0) throw std::invalid_argument(function + ": model is none of newton, poisson, energetic");
  if (s.settings.singularity == Singularity::damping)
    throw UnsupportedError(function + ": restitution '" + name_of(input.model) +
                           "' needs rows that are met; singularity 'damping' misses them");
  throw std::invalid_argument(function + ": energetic restitution is one number for a constraint: row '" +
                              row_name(set, w.entry) + "' has another one than the rows before it, and neither is 0");
}

/// Rows with a sense take part by Newton's law; a force with a limit has no impulse. Throws UnsupportedError.
void check_bounds(const SolverParts& s, Restitution model) {
  for (const Constraint& x : s.problem.layout.set.constraints()) {
    if (!x.active || !x.is_bounded()) continue;
    if (!x.limit.empty())
      throw UnsupportedError("Solver::impulse: '" + x.name +
                             "' has a limit: a force that is limited has no impulse; switch it off for the shock");
    if (model != Restitution::newton)
      throw UnsupportedError(std::string("Solver::impulse: restitution '") + name_of(model) +
                             "' is for rows that hold; '" + x.name + "' has a sense: use 'newton'");
  }
}

template <class Take>
void for_named(const ConstraintSet& set, const NumbersByName& named, const char* function, Take&& take) {
  std::vector<unsigned char> seen(static_cast<std::size_t>(set.size()), 0);
  const auto give = [&](const std::string& name, Index at, const std::vector<double>& numbers) {
    const Constraint& x = set.constraints()[static_cast<std::size_t>(at)];
    if (numbers.size() != 1 && static_cast<Index>(numbers.size()) != x.size())
      throw std::invalid_argument(std::string(function) + ": '" + name + "' has " + std::to_string(numbers.size()) +
                                  " numbers, expected one, or one for each of the " + std::to_string(x.size()) +
                                  " rows of constraint '" + x.name.value() + "'");
    if (seen[static_cast<std::size_t>(at)]++ != 0)
      throw std::invalid_argument(std::string(function) + ": constraint '" + x.name.value() + "' is named twice");
    Index first = 0;
    for (Index c = 0; c < at; ++c) first += set.constraints()[static_cast<std::size_t>(c)].size();
    for (Index i = 0; i < x.size(); ++i)
      take(static_cast<std::size_t>(first + i),
           numbers.size() == 1 ? numbers[0] : numbers[static_cast<std::size_t>(i)]);
  };
  for (const auto& [name, numbers] : named) {
    bool found = false;
    for (Index c = 0; c < set.size(); ++c)
      if (set.constraints()[static_cast<std::size_t>(c)].name.value() == name) give(name, c, numbers), found = true;
    for (const ConstraintGroup& group : set.groups())
      if (group.name == name) {
        for (const Index c : group.members) give(name, c, numbers);
        found = true;
      }
    if (found) continue;
    std::vector<std::string> known;
    for (const Constraint& x : set.constraints()) known.push_back(x.name);
    for (const ConstraintGroup& group : set.groups()) known.push_back(group.name);
    detail::throw_unknown("constraint", name, known);
  }
}

/// The answer of a solver that cannot be asked.
const Impulse& refused_impulse() {
  struct Refused : Impulse {
    Refused() {
      report.status = Status::invalid_input;
      report.invalid = "solver";
    }
  };
  static const Refused refused;
  return refused;
}

}  // namespace

Impulse::Impulse() = default;
Impulse::~Impulse() = default;

Restitution restitution_of(const std::string& word) {
  return words::value_of<Restitution>("model of restitution", word);
}

std::vector<double> restitution_of(const ConstraintSet& set, const NumbersByName& named) {
  std::vector<double> out(static_cast<std::size_t>(set.rows()), 0.0);
  for_named(set, named, "restitution", [&](std::size_t r, double x) { out[r] = x; });
  return out;
}
std::vector<double> target_of(const ConstraintSet& set, const NumbersByName& named) {
  std::vector<double> out;
  for (const Constraint& x : set.constraints())
    for (Index i = 0; i < x.size(); ++i)
      out.push_back(x.target_velocity.empty() ? 0.0 : x.target_velocity[static_cast<std::size_t>(i)]);
  for_named(set, named, "target", [&](std::size_t r, double x) { out[r] = x; });
  return out;
}

ConstraintImpulse Impulse::operator[](const std::string& name) const {
  if (parts_ == nullptr) throw std::logic_error("Impulse: it is empty, no solver has filled it");
  const RowLayout& layout = parts_->parts->problem.layout;
  std::vector<std::string> known;
  for (Index c = 0; c < layout.count && c < layout.set.size(); ++c) {
    if (layout.constraint(c).name != name) continue;
    if (!layout.knows(c)) throw std::logic_error("Impulse: the set was replaced by another one since the last impulse");
    const Index first = layout.first_row_of(c), size = layout.constraint(c).size();
    const auto part = [&](const double* x) { return VectorView(x + first, size); };
    return {part(parts_->parts->numbers.multipliers.data()),
            VectorView(parts_->parts->numbers.wrench.data() + 6 * c, 6),
            part(parts_->rows.velocity.data()),
            part(parts_->rows.after.data()),
            part(parts_->parts->certificate.residual.data()),
            parts_->energy_of(c)};
  }
  for (const Constraint& x : layout.constraints()) known.push_back(x.name);
  detail::throw_unknown("constraint", name, known);
}

ImpulseParts& Solver::impulse_parts(SolverParts& s) {
  if (ImpulseParts* const made = s.questions.find<ImpulseParts>()) return *made;
  SolverSettings settings;
  settings.method = s.method->name;
  settings.spare_rows = s.settings.spare_rows;
  Solver at_rest(s.problem.state.data.model(), s.problem.layout.set, settings);
  return s.questions.keep(std::make_unique<ImpulseParts>(std::move(at_rest.parts_)));
}

const Impulse& Solver::impulse(const ImpulseInput& input) {
  constexpr const char* function = "Solver::impulse";
  SolverParts& s = ready(parts_, function);
  const Model& model = s.problem.state.data.model();
  s.check_settings();
  ImpulseParts& x = impulse_parts(s);
  try {
    check_configuration(model, input.q.data(), input.q.size(), function, "q");
    if (input.v.size() > 0) check_tangent(model, input.v.data(), input.v.size(), function, "v");
    if (input.impulse.size() > 0) check_tangent(model, input.impulse.data(), input.impulse.size(), function, "impulse");
    check_forces(s, function, {}, input.external, input.prescribed);
    if (const Wrong wrong = wrong_rows(s, input); wrong.status != Status::ok) throw_wrong(s, input, wrong);
    check_bounds(s, input.model);
    x.read(s);
  } catch (...) {
    x.refuse(Status::invalid_input, "impulse");
    throw;
  }
  try {
    const Busy busy(s);
    x.solve(input);
  } catch (...) {  // rows that the user has written
    x.refuse(Status::invalid_input, "constraints");
    throw;
  }
  return x.result;
}

namespace {

/// The impulse of a solver, ready for right-hand sides at its factor.
ImpulseParts& to_differentiate(SolverParts& s, const char* function) {
  ImpulseParts* const made = s.questions.find<ImpulseParts>();
  if (made == nullptr) throw std::logic_error(std::string(function) + ": there is no impulse; call impulse() first");
  ImpulseParts& x = *made;
  SolverParts& inner = *x.parts;
  read_again(inner);
  RowReader::take_shock(inner.problem.layout, inner.problem.rows);
  if (inner.factor != nullptr) inner.prepare_right_hand_sides(function);
  inner.questions.find_or_make<Linearised>(inner);
  return x;
}

}  // namespace

const ImpulseDerivatives& Solver::impulse_derivatives() {
  SolverParts& s = ready(parts_, "Solver::impulse_derivatives");
  ImpulseParts& x = to_differentiate(s, "Solver::impulse_derivatives");
  const Busy busy(s);
  return x.differentiate();
}

const ImpulseInputGradient& Solver::impulse_vjp(const ImpulseGradient& of) {
  constexpr const char* function = "Solver::impulse_vjp";
  SolverParts& s = ready(parts_, function);
  ImpulseParts& x = to_differentiate(s, function);
  check_vector(function, "velocity", of.velocity, model().nv());
  check_vector(function, "multipliers", of.multipliers, x.parts->problem.layout.rows());
  const Busy busy(s);
  return x.from_the_left(of);
}

const ImpulseVariation& Solver::impulse_jvp(const ImpulseInputVariation& along) {
  constexpr const char* function = "Solver::impulse_jvp";
  SolverParts& s = ready(parts_, function);
  ImpulseParts& x = to_differentiate(s, function);
  const Index nv = model().nv(), rows = x.parts->problem.layout.rows();
  check_vector(function, "q", along.q, nv);
  check_vector(function, "v", along.v, nv);
  check_vector(function, "impulse", along.impulse, nv);
  check_vector(function, "target", along.target, rows);
  check_vector(function, "restitution", along.restitution, rows);
  const Busy busy(s);
  return x.from_the_right(along);
}

const Impulse& Solver::try_impulse(const ImpulseInput& input) noexcept {
  if (parts_ == nullptr || parts_->busy) return refused_impulse();
  SolverParts& s = *parts_;
  ImpulseParts* made = nullptr;
  try {
    made = &impulse_parts(s);
  } catch (...) {  // no memory, or a set that does not fit
    return refused_impulse();
  }
  ImpulseParts& x = *made;
  const auto refuse = [&](Status status, const char* argument) -> const Impulse& {
    x.refuse(status, argument);
    return x.result;
  };
  const Refusal wrong =
      wrong_state(s, input.q, {{&input.v, "v"}, {&input.impulse, "impulse"}}, input.external, input.prescribed);
  if (wrong.status != Status::ok) return refuse(wrong.status, wrong.argument);
  if (const Wrong rows = wrong_rows(s, input); rows.status != Status::ok) return refuse(rows.status, rows.argument);
  try {
    s.check_settings();
    check_bounds(s, input.model);
    x.read(s);
    const Busy busy(s);
    x.solve(input);
  } catch (...) {  // rows of the user may throw anything
    return refuse(Status::invalid_input, "constraints");
  }
  return x.result;
}

}  // namespace zwang
