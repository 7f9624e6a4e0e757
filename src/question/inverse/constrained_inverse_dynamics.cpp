// SPDX-License-Identifier: BSD-3-Clause
// ConstrainedInverseDynamics: the public calls and their checks.
#include "zwang/question/constrained_inverse_dynamics.hpp"

#include <algorithm>

#include "algorithm/support.hpp"
#include "linear/vectors.hpp"
#include "question/inverse/inverse_parts.hpp"
#include "rows/check_constraint.hpp"

namespace zwang {
namespace {

constexpr const char* k_who = "constrained_inverse_dynamics";

const InverseSolution& refused_solution() {
  static const InverseSolution refused = [] {
    InverseSolution s;
    s.report.status = Status::invalid_input;
    s.report.invalid = "solver";
    return s;
  }();
  return refused;
}

InverseParts& ready(const Owned<InverseParts>& parts) {
  if (parts == nullptr) throw std::logic_error(std::string(k_who) + ": this object was moved from");
  if (parts->busy) throw std::logic_error(std::string(k_who) + ": this object was called by rows that it evaluates");
  return *parts;
}

struct Given {
  const ConstVector& x;
  Index size;
  const char* name;
};
/// The vectors of an input with the sizes that they must have.
struct GivenVectors {
  GivenVectors(const InverseParts& p, const InverseInput& in)
      : list{{in.v, or_none(in.v, p.rows.nv), "v"},
             {in.a, or_none(in.a, p.rows.nv), "a"},
             {in.weight, or_none(in.weight, p.rows.nv), "weight"},
             {in.torque_wish, or_none(in.torque_wish, p.motors.mapped ? p.motors.count : p.rows.nv), "torque_wish"},
             {in.force_wish, or_none(in.force_wish, p.rows.problem.layout.set.rows()), "force_wish"}} {}
  static Index or_none(const ConstVector& x, Index size) { return x.size() > 0 ? size : 0; }
  const Given list[5];
};

/// What is wrong with settings or weights, or nullptr.
const char* wrong_settings(const InverseParts& p, const InverseInput& in) {
  const InverseSettings& s = p.settings;
  for (const double x : {s.torque, s.force, s.penalty, s.tolerance, s.feasibility})
    if (!is_finite(x) || x < 0) return "settings: a number that is negative or not finite";
  if (s.torque == 0 && s.force == 0) return "settings: torque and force are both 0, expected one of them > 0";
  for (Index k = 0; k < in.weight.size(); ++k)
    if (in.weight.data()[k] < 0) return "weight: a negative entry, expected >= 0";
  if (in.weight.size() > 0 && in.a.size() == 0) return "weight: given without a, which it weighs";
  if (!s.friction.empty() && s.penalty > 0) return "settings: friction and penalty exclude each other";
  if (s.penalty > 0 && (s.effort_limits || in.motor_lower.size() > 0 || in.motor_upper.size() > 0))
    return "settings: limits of motors and penalty exclude each other";
  if (s.penalty > 0 && p.motors.mapped) return "settings: an actuation map and penalty exclude each other";
  for (const FrictionCone& cone : s.friction)
    if (!(cone.mu > 0) || !is_finite(cone.mu)) return "friction: a coefficient that is not a positive number";
  return nullptr;
}
/// Bounds may be infinite: a lower one of -infinity and an upper one of infinity are none.
const char* wrong_limits(const InverseParts& p, const InverseInput& in) {
  const ConstVector &low = in.motor_lower, &high = in.motor_upper;
  const Index nu = p.motors.count;
  if (low.size() > 0 && low.size() != nu) return "motor_lower: a wrong size, expected a number for each motor";
  if (high.size() > 0 && high.size() != nu) return "motor_upper: a wrong size, expected a number for each motor";
  for (Index j = 0; j < nu; ++j) {
    if (low.size() > 0 && !(low.data()[j] < unlimited))
      return "motor_lower: NaN or infinity, expected a number or -infinity";
    if (high.size() > 0 && !(high.data()[j] > -unlimited))
      return "motor_upper: NaN or -infinity, expected a number or infinity";
    if (low.size() > 0 && high.size() > 0 && low.data()[j] > high.data()[j])
      return "motor_lower: an entry above that of motor_upper";
  }
  return nullptr;
}
bool has_driver_rows(const InverseParts& p) {
  for (const Constraint& x : p.rows.problem.layout.set.constraints())
    if (x.active && x.role == Role::driver) return true;
  return false;
}
constexpr const char* k_penalty = "settings: penalty is for sets without driver rows";

/// A call is in progress while it lives.
struct Busy {
  explicit Busy(InverseParts& p) : flag(p.busy) { flag = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { flag = false; }
  bool& flag;
};

}  // namespace

std::vector<bool> actuated_coordinates(const Model& model, const std::vector<std::string>& names) {
  std::vector<bool> is(static_cast<std::size_t>(model.nv()), false);
  Prescribed coordinates;
  for (const std::string& name : names) {
    const JointId joint = model.find_joint(name);
    const Index size = joint.value >= 0 ? model.joints()[static_cast<std::size_t>(joint.value)].v.size : 1;
    coordinates.clear();
    prescribe(model, coordinates, name, std::vector<double>(static_cast<std::size_t>(std::max<Index>(size, 0)), 0.0));
    for (const PrescribedCoordinate& c : coordinates) is[static_cast<std::size_t>(c.v)] = true;
  }
  return is;
}

ConstrainedInverseDynamics::ConstrainedInverseDynamics(const Model& model, const ConstraintSet& constraints,
                                                       const std::vector<std::string>& actuated,
                                                       const InverseSettings& settings) {
  check_model("ConstrainedInverseDynamics", model, constraints);
  parts_ = make_owned<InverseParts>(
      model, constraints, Motors(model, actuated.empty() ? model.actuated() : actuated_coordinates(model, actuated)),
      settings);
  start(constraints);
}
ConstrainedInverseDynamics::ConstrainedInverseDynamics(const Model& model, const ConstraintSet& constraints,
                                                       const ActuationMap& actuation, const InverseSettings& settings) {
  check_model("ConstrainedInverseDynamics", model, constraints);
  parts_ = make_owned<InverseParts>(model, constraints, Motors(model, actuation), settings);
  start(constraints);
}

void ConstrainedInverseDynamics::start(const ConstraintSet& constraints) {
  InverseSolution& s = parts_->solution;
  const auto bind = [](VectorView& v, const Buffer<double>& b, Index size) { new (&v) VectorView(b.data(), size); };
  bind(s.tau, parts_->tau, parts_->rows.nv);
  bind(s.motors, parts_->u, parts_->motors.count);
  bind(s.multipliers, parts_->multipliers, constraints.rows());
  bind(s.acceleration, parts_->a, parts_->rows.nv);
  bind(s.reaction, parts_->reaction, parts_->rows.nv);
}
ConstrainedInverseDynamics::ConstrainedInverseDynamics(ConstrainedInverseDynamics&&) noexcept = default;
ConstrainedInverseDynamics& ConstrainedInverseDynamics::operator=(ConstrainedInverseDynamics&&) noexcept = default;
ConstrainedInverseDynamics::~ConstrainedInverseDynamics() = default;

const InverseSolution& ConstrainedInverseDynamics::solve(const InverseInput& input) {
  InverseParts& p = ready(parts_);
  const Model& model = p.rows.problem.state.data.model();
  try {
    check_configuration(model, input.q.data(), input.q.size(), k_who, "q");
    const GivenVectors given(p, input);
    for (const Given& g : given.list) detail::check_entries(g.x.data(), g.x.size(), g.size, k_who, g.name);
    if (input.external != nullptr)
      detail::check_external(model, input.external->data(), static_cast<Index>(input.external->size()));
    for (const char* wrong : {wrong_settings(p, input), wrong_limits(p, input)})
      if (wrong != nullptr) throw std::invalid_argument(std::string(k_who) + ": " + wrong);
    if (p.settings.penalty > 0 && has_driver_rows(p)) throw UnsupportedError(std::string(k_who) + ": " + k_penalty);
    const Busy busy(p);
    p.solve(input);
  } catch (const ArithmeticOverflowError&) { p.refuse(Status::overflow, {}); } catch (...) {
    p.refuse(Status::invalid_input, "solve");
    throw;
  }
  return p.solution;
}

const InverseSolution& ConstrainedInverseDynamics::try_solve(const InverseInput& input) noexcept {
  if (parts_ == nullptr || parts_->busy) return refused_solution();
  InverseParts& p = *parts_;
  const Model& model = p.rows.problem.state.data.model();
  const auto refuse = [&](Status status, const char* what) -> const InverseSolution& {
    p.refuse(status, what);
    return p.solution;
  };
  const GivenVectors given(p, input);
  const auto fits = [](const ConstVector& x, Index size) { return x.size() == size && (size == 0 || x.data()); };
  if (!fits(input.q, model.nq())) return refuse(Status::invalid_input, "q");
  for (const Given& g : given.list)
    if (!fits(g.x, g.size)) return refuse(Status::invalid_input, g.name);
  if (!all_finite(input.q.size(), input.q.data())) return refuse(Status::non_finite_input, "q");
  for (const Given& g : given.list)
    if (!all_finite(g.size, g.x.data())) return refuse(Status::non_finite_input, g.name);
  if (!detail::normalized_within(p.rows.problem.state.data.tree(), input.q.data(), k_unit_tolerance))
    return refuse(Status::invalid_input, "q");
  if (input.external != nullptr)
    if (const Status s = detail::status_of(model, *input.external); s != Status::ok) return refuse(s, "external");
  if (wrong_settings(p, input) != nullptr || (p.settings.penalty > 0 && has_driver_rows(p)))
    return refuse(Status::invalid_input, "settings");
  if (wrong_limits(p, input) != nullptr) return refuse(Status::invalid_input, "motor limits");
  try {
    const Busy busy(p);
    p.solve(input);
  } catch (const ArithmeticOverflowError&) { return refuse(Status::overflow, ""); } catch (...) {
    return refuse(Status::invalid_input, "constraints");
  }
  return p.solution;
}

const InverseSolution& ConstrainedInverseDynamics::solution() const { return ready(parts_).solution; }
const Model& ConstrainedInverseDynamics::model() const { return ready(parts_).rows.problem.state.data.model(); }
InverseSettings& ConstrainedInverseDynamics::settings() { return ready(parts_).settings; }
const std::vector<bool>& ConstrainedInverseDynamics::actuated() const { return ready(parts_).motors.actuated; }
const std::vector<std::string>& ConstrainedInverseDynamics::motor_names() const { return ready(parts_).motors.names; }
Data& ConstrainedInverseDynamics::data() { return ready(parts_).rows.problem.state.data; }

}  // namespace zwang
