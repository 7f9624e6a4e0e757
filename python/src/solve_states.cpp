// SPDX-License-Identifier: BSD-3-Clause
// Solver.solve of N states: in lanes the results that a batch computes; the other parts of a Solution by a solver of
// one state, when they are read.
#include "solve_states.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "states_question.hpp"

namespace zwang::python {
namespace {

nb::object as_numpy(nb::handle x) {
  static PyObject* slot;
  return kept(slot, "numpy", "asarray")(x);
}
nb::object as_double(const nb::object& array) { return array.attr("astype")("float64"); }

/// Integers and booleans of any shape.
nb::object switches(const char* function, nb::handle given) {
  nb::object array = as_numpy(given), dtype = array.attr("dtype");
  const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind != "b" && kind != "i" && kind != "u")
    throw std::invalid_argument("E_DTYPE " + std::string(function) + ": argument 'active' has dtype " +
                                nb::str(dtype).c_str() + ", expected bool");
  return as_double(array);
}

Index size_of(const Model& model, const std::string& name) {
  const JointId joint = model.find_joint(name);
  return joint.value >= 0 ? std::max<Index>(model.joints()[static_cast<std::size_t>(joint.value)].v.size, 1) : 1;
}

}  // namespace

void StateRows::put(const Input& in, Index first, Index count) {
  const auto n = static_cast<std::size_t>(size);
  if (in.states() >= 0 && states < 0) {
    const std::vector<double> one = x;
    x.resize(n * static_cast<std::size_t>(states = in.states()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = one[k % n];
  }
  for (Index s = 0; s < (states < 0 ? 1 : states); ++s)
    for (Index k = 0; k < count; ++k)
      x[n * static_cast<std::size_t>(s) + static_cast<std::size_t>(first + k)] = in.at(s)[in.size() == 1 ? 0 : k];
}

void for_each_constraint(const char* function, const char* name, nb::handle given, const ConstraintSet& set,
                         const std::function<void(Index, nb::handle)>& f) {
  std::vector<std::string> known;
  for (const Constraint& c : set.constraints()) known.push_back(c.name);
  for (const ConstraintGroup& g : set.groups()) known.push_back(g.name);
  std::vector<bool> seen(set.constraints().size());
  for (auto [key, value] : copy_of_dictionary(given)) {
    const std::string word = text_argument(function, name, key);
    const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), word) - known.begin());
    if (at == known.size()) detail::throw_unknown("constraint or group", word, known);
    std::vector<Index> members{static_cast<Index>(at)};
    if (at >= seen.size()) members = set.groups()[at - seen.size()].members;
    for (const Index k : members) {
      const auto c = static_cast<std::size_t>(k);
      if (seen[c])
        throw std::invalid_argument(std::string(function) + ": argument '" + name + "' names constraint '" + known[c] +
                                    "' twice: by itself or by groups");
      seen[c] = true;
      f(k, value);
    }
  }
}

StateMasks::StateMasks(Call& call, const char* f, const Model& model, nb::handle prescribed_, nb::handle active_,
                       const ConstraintSet& set)
    : function(f) {
  if (!prescribed_.is_none()) {
    if (!PyDict_Check(prescribed_.ptr()))
      throw std::invalid_argument(std::string(function) + ": argument 'prescribed' has type " + type_text(prescribed_) +
                                  ", expected a dictionary from joint or coordinate names to accelerations");
    Prescribed list;
    std::vector<Input> numbers;
    for (auto [key, value] : copy_of_dictionary(prescribed_)) {
      if (!PyUnicode_Check(key.ptr()))
        throw std::invalid_argument(std::string(function) + ": argument 'prescribed' has a key of type " +
                                    type_text(key) + ", expected the name of a joint or coordinate");
      const std::string name = text_argument(function, "prescribed", key);
      const Index size = size_of(model, name);
      zwang::prescribe(model, list, name, std::vector<double>(static_cast<std::size_t>(size), 0.0));
      nb::object rows = nb::borrow(value);
      if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
        rows = nb::make_tuple(value);
      } else if (size == 1 && nb::hasattr(value, "ndim") && nb::cast<int>(value.attr("ndim")) == 1 &&
                 nb::len(value) != 1) {
        rows = value.attr("reshape")(-1, 1);
      }
      numbers.emplace_back(function, "prescribed", rows, size);
      call.count_states("prescribed", numbers.back().states());
    }
    for (const PrescribedCoordinate& p : list) coordinates.push_back(p.v);
    given.size = static_cast<Index>(list.size());
    given.x.resize(list.size());
    Index first = 0;
    for (const Input& x : numbers) given.put(x, first, x.size()), first += x.size();
  }
  if (active_.is_none()) return;
  has_active = true;
  active.size = static_cast<Index>(set.size());
  for (const Constraint& c : set.constraints()) active.x.push_back(c.active ? 1 : 0);
  const auto put = [&](const Input& in, Index first, Index count) {
    call.count_states("active", in.states());
    active.put(in, first, count);
  };
  if (!PyDict_Check(active_.ptr())) {
    put(Input(function, "active", switches(function, active_), active.size), 0, active.size);
  } else {
    for_each_constraint(function, "active", active_, set, [&](Index c, nb::handle value) {
      const nb::object on = switches(function, value);
      const bool one = nb::cast<int>(on.attr("ndim")) == 0;
      put(Input(function, "active", one ? on.attr("reshape")(1) : on.attr("reshape")(-1, 1), 1), c, 1);
    });
  }
}

Prescribed StateMasks::prescribed() const {
  Prescribed list;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const double a = given.at(0, static_cast<Index>(k));
    if (!std::isfinite(a)) detail::throw_not_finite(function, "prescribed", static_cast<long>(k), a);
    list.push_back({coordinates[k], a});
  }
  return list;
}

StateInputs::StateInputs(Call& call, const char* function, const ConstraintSet& set, const StateGiven& given,
                         const char* name_of_v, const char* name_of_motors)
    : q(call.configuration(given.q)),
      v(given.v.is_none() ? nullptr : &call.tangent(name_of_v, given.v)),
      motors(given.motors.is_none() ? nullptr : &call.tangent(name_of_motors, given.motors)),
      masks((call.environment(given.gravity, given.external, given.in), call), function, set.model(), given.prescribed,
            given.active, set) {}

template <class T> void StatesQuestion<T>::solve_alone(SolutionObject& s, bool reuse, Watch* watch) const {
  const auto own_set = std::make_shared<SharedSet>(set->robot);
  own_set->set = set->set;
  const auto own = std::make_shared<SolverCore>(own_set, settings);
  const std::shared_ptr<SolverCore> of_user = std::exchange(s.core, own);
  SolutionWriter writer("Solver.solve", s, reuse, leading);
  {
    const nb::gil_scoped_release release;
    const Model& model = set->robot.model;
    const auto nv = static_cast<std::size_t>(model.nv());
    std::vector<double> x(static_cast<std::size_t>(model.nq())), xd(nv), torque(nv),
        wanted(static_cast<std::size_t>(set->set.rows()));
    Externals wrenches(external.size());
    Prescribed list(prescribed.size());
    own->solver.data().gravity = gravity;
    if (watch != nullptr) own->solver.settings().stop = {&Watch::asks, watch};
    SolveReport stopped;
    stopped.status = Status::stopped;
    bool go_on = true;
    for (Index k = 0; k < states; ++k) {
      go_on = go_on && (watch == nullptr || watch->go_on(k, states));
      if (!go_on) {
        writer.put_failed(k, stopped);
        continue;
      }
      q.copy(k, x);
      v.copy(k, xd);
      tau.copy(k, torque);
      beta.copy(k, wanted);
      Index row = 0, at = 0;
      for (const RowLayout::Part& part : s.layout->parts) {
        Constraint& c = own_set->set[part.name];
        if (active.there) c.active = active.at(k, at) != 0;
        if (beta.there) c.beta.assign(wanted.begin() + row, wanted.begin() + row + static_cast<long>(c.beta.size()));
        row += c.size(), ++at;
      }
      for (std::size_t i = 0; i < external.size(); ++i) {
        wrenches[i] = {external[i].frame, {}, external[i].in};
        for (Index j = 0; j < 6; ++j) wrenches[i].wrench[j] = static_cast<double>(external[i].wrench.at(k, j));
      }
      for (std::size_t i = 0; i < prescribed.size(); ++i)
        list[i] = {prescribed[i], static_cast<double>(given.at(k, static_cast<Index>(i)))};
      const Solution& answer = own->solver.try_solve({.q = ConstVector(x.data(), model.nq()),
                                                      .v = ConstVector(xd.data(), model.nv()),
                                                      .tau = ConstVector(torque.data(), model.nv()),
                                                      .external = &wrenches,
                                                      .prescribed = &list});
      const Status status = answer.report.status;
      if (has_result(status))
        writer.put(k, answer);
      else
        writer.put_failed(k, answer.report);
    }
  }
  s.core = of_user;
  writer.finish();
}

template void StatesQuestion<double>::solve_alone(SolutionObject&, bool, Watch*) const;
template void StatesQuestion<float>::solve_alone(SolutionObject&, bool, Watch*) const;

namespace {

nb::object status_array(Index states) {
  static PyObject* slot;
  return kept(slot, "numpy", "empty")(nb::make_tuple(states), "uint8");
}

[[noreturn]] void refuse_state(const Call& call, Index k, const char* why) {
  call.check_state(k);
  throw std::invalid_argument("state " + std::to_string(k) + ": E_NUMBER Solver.solve: " + why +
                              ", expected finite numbers");
}

/// Throws where the numbers of a state are refused.
void check_state(const Call& call, const StateMasks& masks, Index k) {
  for (Index i = 0; i < masks.given.size; ++i)
    if (!std::isfinite(masks.given.at(k, i))) refuse_state(call, k, "prescribed is not finite");
  call.check_state(k);
}

/// Throws for the first state whose numbers were refused.
template <class F> void refuse_bad_numbers(const Call& call, const StateMasks& masks, Index n, F&& status_of) {
  for (Index k = 0; k < n; ++k) {
    const Status status = status_of(k);
    if (status != Status::non_finite_input && status != Status::invalid_input) continue;
    check_state(call, masks, k);
    refuse_state(call, k, name_of(status));
  }
}

/// The arrays that the batch writes.
class SolvedArrays {
 public:
  SolvedArrays(SolutionObject& s, bool reuse, Call& call)
      : acceleration_(make(s.acceleration, reuse, call, s.model().nv())),
        multipliers_(make(s.multipliers, reuse, call, s.layout->rows)),
        motor_torque_(make(s.motor_torque, reuse, call, s.model().nv())),
        reaction_(make(s.reaction, reuse, call, s.model().nv())) {
    for (const Output* out : {&acceleration_, &multipliers_, &motor_torque_, &reaction_}) call.refuse_overlap(*out);
  }
  template <class T> BatchSolveOutput<T> of(Outputs<T>& out) {
    BatchSolveOutput<T> all{
        .acceleration = out(acceleration_), .motor_torque = out(motor_torque_), .reaction = out(reaction_)};
    if (multipliers_.size() > 0) all.multipliers = out(multipliers_);
    return all;
  }

 private:
  static Output make(nb::object& array, bool reuse, Call& call, Index size) {
    Output out("Solver.solve", "out", reuse && array.is_valid() ? nb::handle(array) : nb::handle(nb::none()),
               call.states(), {size}, call.single());
    array = out.array;
    return out;
  }
  Output acceleration_, multipliers_, motor_torque_, reaction_;
};

/// Writes to the solution and to the caller's `status=`.
template <class F> void note_statuses(const Call& call, const SolutionObject& s, Index n, F&& status_of) {
  const StatusOutput own("Solver.solve", s.status, n);
  for (Index k = 0; k < n; ++k) {
    own.put(k, status_of(k));
    if (call.status().wanted()) call.status().put(k, status_of(k));
  }
}

template <class T> void solve_in(SolverCore& core, Call& call, const StateInputs& given, const Input* beta,
                                 const JointEffects* effects, SolutionObject& s, bool reuse) {
  const StateMasks& masks = given.masks;
  const Robot& robot = core.shared->robot;
  const Index n = call.count();
  call.check_memory();
  const bool whole = call.all_or_nothing();
  core.asked = nullptr;
  core.of_states = true;
  std::shared_ptr<StatesQuestion<T>> asked;
  if (!whole) {
    asked = std::dynamic_pointer_cast<StatesQuestion<T>>(s.question);  // its memory is reused
    s.question = nullptr;
  }
  if (asked.use_count() != 1) asked = std::make_shared<StatesQuestion<T>>(robot);
  StatesQuestion<T>& x = *asked;
  LanesOfCall<T> lanes(core, nullptr);
  const std::shared_ptr<Raised> raised = core.shared->raised;
  if (raised) raised->forget();
  {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    x.set->set = core.shared->set;
    x.settings = std::as_const(core.solver).settings();
    if (effects != nullptr) x.settings.joint_effects = *effects;
    lanes.lanes = lanes_for<T>(core, core.shared->set, x.settings);
  }
  x.states = n, x.leading = call.states();
  x.gravity = call.has_gravity() ? call.own_gravity() : robot.model.gravity();
  x.prescribed = masks.coordinates;
  const bool alone = call.has_gravity() || robot.model.nv() == 0;  // a batch has the model's gravity
  nb::object status = s.status;
  if (!reuse || !status.is_valid() || nb::len(status) != static_cast<std::size_t>(n)) status = status_array(n);
  for (Index k = 0; whole && alone && k < n; ++k) check_state(call, masks, k);
  std::optional<SolvedArrays> arrays;
  if (!alone) arrays.emplace(s, reuse, call);
  {
    std::optional<Lease> lease;
    if (call.needs_axes()) lease.emplace(robot);
    std::optional<nb::gil_scoped_release> release;
    if (call.is_long() || raised) release.emplace();  // custom constraints are called in the batch's threads
    x.q.assign(&given.q, n);
    x.v.assign(given.v, n);
    x.tau.assign(given.motors, n);
    x.beta.assign(beta, n);
    x.active.assign(masks.active);
    x.given.assign(masks.given);
    Outputs<T> out(lanes->rooms, n);
    BatchWrenches<T> external;
    call.place_external(out, external, lease ? &**lease : nullptr);
    x.keep(external);
    x.axes = call.needs_axes() ? call.axes() : FrameId{};
    lanes->solver.on_progress(&Watch::look, &call.watch(), call.watch().interval());
    lanes->solver.all_or_nothing(whole);
    if (!alone && n > 0) lanes->solver.solve(x.input(), arrays->of(out));
    if (whole && !alone && n > 0)
      refuse_bad_numbers(call, masks, n, [&](Index k) { return lanes->solver.report().status(k); });
    out.finish();
  }
  s.status = status;
  if (raised) raised->rethrow();
  const BatchReport& report = lanes->solver.report();
  const auto status_of = [&](Index k) {
    return alone ? s.reports[static_cast<std::size_t>(k)].record.status : report.status(k);
  };
  if (alone) {
    x.solve_alone(s, reuse, &call.watch());
    if (raised) raised->rethrow();
  } else {
    s.states = call.states();
    x.forget_answers(s);
    s.question = asked;
  }
  note_statuses(call, s, n, status_of);
  call.watch().finish();
  if (!call.status().wanted()) refuse_bad_numbers(call, masks, n, status_of);
  core.asked = asked;
}

}  // namespace

void solve_states(SolverCore& core, Call& call, const StateInputs& given, const Input* beta,
                  const JointEffects* effects, SolutionObject& s, bool reuse) {
  if (call.single())
    solve_in<float>(core, call, given, beta, effects, s, reuse);
  else
    solve_in<double>(core, call, given, beta, effects, s, reuse);
}

}  // namespace zwang::python
