// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/codegen/formula.hpp"

#include <algorithm>
#include <cmath>

#include "codegen/recorder.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

using codegen::Recorder;

struct Function {
  FormulaFunction what;
  void (Recorder::*record)();
};

/// THE list of functions. Help of Python and the program print it; tests compare it with examples.cpp, docs, loops.
constexpr Function k_functions[] = {
    {{"inverse_dynamics", false, "torques that produce accelerations"}, &Recorder::inverse_dynamics},
    {{"forward_dynamics", false, "accelerations that torques cause"}, &Recorder::forward_dynamics},
    {{"constrained_dynamics", false, "accelerations and multipliers under a fixed set of rows of full rank"},
     &Recorder::constrained_dynamics},
    {{"bias_forces", false, "velocity products, gravity, wrenches and effects of joints"}, &Recorder::bias_forces},
    {{"gravity_forces", false, "torques against gravity"}, &Recorder::gravity_forces},
    {{"mass_matrix", false, "mass matrix"}, &Recorder::mass_matrix},
    {{"coriolis_matrix", false, "Coriolis matrix"}, &Recorder::coriolis_matrix},
    {{"inverse_dynamics_regressor", false, "inverse dynamics by inertial parameters of links"},
     &Recorder::inverse_dynamics_regressor},
    {{"pose", true, "pose of a frame in the world"}, &Recorder::pose},
    {{"position", true, "position of a frame in the world"}, &Recorder::position},
    {{"velocity", true, "velocity of a frame"}, &Recorder::velocity},
    {{"acceleration", true, "acceleration of a frame"}, &Recorder::acceleration},
    {{"jacobian", true, "Jacobian of a frame"}, &Recorder::jacobian},
    {{"inverse_kinematics_step", true, "damped step towards a pose of a frame"}, &Recorder::inverse_kinematics_step},
    {{"centre_of_mass", false, "centre of mass of what moves"}, &Recorder::centre_of_mass},
    {{"integrate", false, "the configuration after a difference"}, &Recorder::integrate},
    {{"difference", false, "the difference of two configurations"}, &Recorder::difference},
};

const Function& function_of(const std::string& name) {
  for (const Function& f : k_functions)
    if (f.what.name == name) return f;
  std::vector<std::string> names;
  for (const Function& f : k_functions) names.emplace_back(f.what.name);
  detail::throw_unknown("function", name, names);
}

/// What a formula has a row for: equalities that are hard or soft, all of one level.
void check_constraints(const ConstraintSet* set) {
  const std::string who = "E_UNSUPPORTED constrained_dynamics: ";
  if (set == nullptr) throw std::invalid_argument("E_MISSING constrained_dynamics: there are no constraints");
  Index rows = 0;
  for (const Constraint& c : set->constraints()) {
    if (!c.active) continue;
    rows += c.size();
    const std::string of = who + "constraint '" + c.name.value() + "' ";
    if (c.is_bounded())
      throw UnsupportedError(of + "has rows with a sense or a limit: which of them hold is not fixed");
    if (c.priority != 0) throw UnsupportedError(of + "has a priority: a formula has rows of one level");
    if (!c.compensate.all()) throw UnsupportedError(of + "does not compensate all causes of motion");
    if (c.relation.value() != nullptr && c.relation.value()->page() == nullptr)
      throw UnsupportedError(of + "has rows of its own that are made for double alone");
  }
  if (rows == 0) throw std::invalid_argument("E_EMPTY constrained_dynamics: the set has no active rows");
}

void check_joints(const Model& model) {
  for (const Joint& j : model.joints())
    if (j.description.user != nullptr)
      throw UnsupportedError("E_UNSUPPORTED formula: joint '" + j.name + "'" + " of type '" + j.type +
                             "' has functions for the scalars of the library alone");
}

double value(const FormulaNode& n, const std::vector<double>& x) {
  const double a = x[static_cast<std::size_t>(n.a)], b = x[static_cast<std::size_t>(n.b)];
  switch (n.operation) {
    case Operation::constant:
    case Operation::input: break;  // known before
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::negate: return -a;
    case Operation::square_root: return std::sqrt(a);
    case Operation::sine: return std::sin(a);
    case Operation::cosine: return std::cos(a);
    case Operation::arc_tangent: return std::atan2(a, b);
    case Operation::less: return a < b;
    case Operation::both: return a != 0 && b != 0;
    case Operation::either: return a != 0 || b != 0;
    case Operation::complement: return a == 0;
    case Operation::choose: return a != 0 ? b : x[static_cast<std::size_t>(n.c)];
  }
  return n.value;
}

}  // namespace

std::vector<FormulaFunction> formula_functions() {
  std::vector<FormulaFunction> all;
  for (const Function& f : k_functions) all.push_back(f.what);
  return all;
}

Formula codegen::record(const Model& model, const std::string& function, const FormulaOptions& options, Digits digits) {
  const Function& f = function_of(function);
  check_joints(model);
  if (f.what.of_frame && options.frame.empty())
    throw std::invalid_argument("E_MISSING " + function + ": a function of a frame, and no frame is given");
  if (f.what.of_frame) (void)model.frame(options.frame);
  for (const std::string& name : options.wrenches) (void)model.frame(name);
  if (options.gravity)
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite((*options.gravity)[k]))
        detail::throw_not_finite(function.c_str(), "gravity", k, (*options.gravity)[k]);
  if (f.record == &Recorder::constrained_dynamics) {
    check_constraints(options.constraints);
    if (options.constraints->model().id() != model.id()) detail::throw_mismatch("constrained_dynamics");
    if (options.gravity)
      throw UnsupportedError(
          "E_UNSUPPORTED constrained_dynamics: argument 'gravity': give it to the model of the set (with_gravity)");
  }
  Recorder recorder(model, options, digits);
  (recorder.*f.record)();
  return recorder.finish(function);
}

Formula formula(const Model& model, const std::string& function, const FormulaOptions& options) {
  return codegen::record(model, function, options, codegen::Digits::of_double);
}

namespace {

/// The results, every node as `rounded` leaves it.
template <class F>
std::vector<double> evaluate_nodes(const Formula& formula, const std::vector<double>& inputs, F&& rounded) {
  std::size_t count = 0;
  for (const FormulaArgument& x : formula.inputs) count += x.nodes.size();
  if (inputs.size() != count)
    throw std::invalid_argument("E_SIZE evaluate: argument 'inputs' has size " + std::to_string(inputs.size()) +
                                ", expected " + std::to_string(count));
  std::vector<double> x(formula.nodes.size(), 0.0), out;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const FormulaNode& n = formula.nodes[k];
    x[k] = rounded(n.operation == Operation::input ? inputs[static_cast<std::size_t>(n.a)] : value(n, x));
  }
  for (const FormulaArgument& result : formula.outputs)
    for (const int k : result.nodes) out.push_back(x[static_cast<std::size_t>(k)]);
  return out;
}

}  // namespace

std::vector<double> evaluate(const Formula& formula, const std::vector<double>& inputs) {
  return evaluate_nodes(formula, inputs, [](double x) { return x; });
}

std::vector<double> codegen::evaluate_in_float(const Formula& formula, const std::vector<double>& inputs) {
  return evaluate_nodes(formula, inputs, [](double x) { return static_cast<double>(static_cast<float>(x)); });
}

}  // namespace zwang
