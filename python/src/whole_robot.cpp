// SPDX-License-Identifier: BSD-3-Clause
#include "whole_robot.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "constraints.hpp"
#include "record.hpp"

namespace zwang::python {

/// A configuration of a file, and all that a file describes.
struct ConfigurationObject {
  nb::object q, v;
};
template <class V> void fields(V& v, Type<ConfigurationObject>) {
  using T = ConfigurationObject;
  v.record("Configuration", "A state that a file of a robot names.");
  v("q", &T::q, "(nq,)");
  v("v", &T::v, "(nv,)");
}
struct RobotObject {
  nb::object model, constraints, configurations;
};
template <class V> void fields(V& v, Type<RobotObject>) {
  using T = RobotObject;
  v.record("Robot", "What a file describes, as load_robot reads it.");
  v("model", &T::model, "the model", {.type = "Model"});
  v("constraints", &T::constraints, "loops of the model first, then the others in the order of the file",
    {.type = "ConstraintSet"});
  v("configurations", &T::configurations, "by name; 'file' is how the file draws the robot",
    {.type = "dict[str, Configuration]"});
}

namespace {

/// q or v of a configuration, (n,).
std::vector<double> numbers_of(const std::string& name, const char* which, nb::handle given, Index count) {
  const nb::object array = nb::getattr(given, which);
  std::vector<double> x;
  for (const nb::handle one : array) x.push_back(nb::cast<double>(one));
  if (static_cast<Index>(x.size()) != count)
    throw std::invalid_argument("configuration '" + name + "': " + which + " has " + std::to_string(x.size()) +
                                " numbers, expected " + std::to_string(count));
  return x;
}

}  // namespace

void define_whole_robot(nb::module_& m) { named_tuples<ConfigurationObject, RobotObject>(m); }

nb::object whole_robot(zwang::Robot robot, std::shared_ptr<Diagnostics> found) {
  Robot model(robot.model, std::move(found));
  const auto set = std::make_shared<SharedSet>(model);
  set->set = std::move(robot.constraints);
  nb::dict states;
  for (const Configuration& c : robot.configurations)
    states[text_of(c.name)] = named_tuple(ConfigurationObject{new_array(c.q), new_array(c.v)});
  const nb::object of_python = nb::cast(std::move(model));
  return named_tuple(RobotObject{of_python, nb::cast(SetObject{set, of_python}), states});
}

zwang::Robot robot_of(const char* function, nb::handle given) {
  if (nb::isinstance<Robot>(given)) {
    const Model& model = nb::cast<const Robot&>(given).model;
    return {model, ConstraintSet(model), {}};
  }
  if (!nb::hasattr(given, "model") || !nb::hasattr(given, "constraints") || !nb::hasattr(given, "configurations") ||
      !nb::isinstance<Robot>(nb::getattr(given, "model")) ||
      !nb::isinstance<SetObject>(nb::getattr(given, "constraints")))
    throw_type(function, "robot", given, "Model or Robot");
  const nb::object of_model = nb::getattr(given, "model"), of_set = nb::getattr(given, "constraints");
  const Model& model = nb::cast<const Robot&>(of_model).model;
  SharedSet& shared = *nb::cast<const SetObject&>(of_set).shared;
  zwang::Robot robot{model, ConstraintSet(model), {}};
  {
    const std::lock_guard<SetMutex> lock(shared.mutex);
    if (shared.set.model().id() != model.id())
      throw std::invalid_argument(std::string(function) + ": the constraints are those of another model");
    robot.constraints = shared.set;
  }
  for (const auto [key, state] : nb::borrow<nb::dict>(nb::getattr(given, "configurations"))) {
    const std::string name = text_argument(function, "configurations", key);
    robot.configurations.push_back(
        {.name = name, .q = numbers_of(name, "q", state, model.nq()), .v = numbers_of(name, "v", state, model.nv())});
  }
  return robot;
}

}  // namespace zwang::python
