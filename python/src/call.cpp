// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <limits>
#include <stdexcept>

#include "frames.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang::python {

Seen Seen::from(const Model& model, const char* word, const char* argument) {
  const std::string_view name = word;
  if (name == "local") return {Reference::local, {}};
  if (name == "world") return {Reference::world, {}};
  if (name == "local_world_aligned") return {Reference::local_world_aligned, {}};
  if (const FrameId id = model.find_frame(name)) return {Reference::local_world_aligned, id};
  if (model.find_link(name)) model.frame(name);  // says that it is ambiguous
  std::vector<std::string> known = model.frame_names();
  known.insert(known.end(), {"local", "world", "local_world_aligned"});
  const std::string near = nearest_name(word, known);
  throw std::invalid_argument("E_NAME: argument '" + std::string(argument) + "' is '" + word +
                              "', expected local, world, local_world_aligned or the name of a frame" +
                              (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

AccelerationKind acceleration_of(const char* function, const char* argument, const std::string& word) {
  if (word == "classical") return AccelerationKind::classical;
  if (word == "spatial") return AccelerationKind::spatial;
  throw std::invalid_argument("E_NAME " + std::string(function) + ": argument '" + argument + "' is '" + word +
                              "', expected 'spatial' or 'classical'");
}

void throw_type(const char* function, const char* name, nb::handle given, const char* expected, const char* code) {
  throw std::invalid_argument(std::string(code) + " " + function + ": argument '" + name + "' has type " +
                              type_text(given) + ", expected " + expected);
}
nb::dict copy_of_dictionary(nb::handle given) {
  nb::object copy = nb::steal(PyDict_Copy(given.ptr()));
  if (!copy.is_valid()) nb::raise_python_error();
  return nb::borrow<nb::dict>(copy);
}

Input one_configuration(const char* function, const char* name, nb::handle given, const Model& model) {
  Input x(function, name, given, model.nq(), VectorKind::configuration, &model);
  if (x.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name +
                                "' has several states, expected one");
  return x;
}

void Call::count_states(const char* name, Index states) {
  if (states < 0) return;
  if (states_ >= 0 && states_ != states)
    throw std::invalid_argument("E_SIZE " + std::string(function_) + ": argument '" + name + "' has " +
                                std::to_string(states) + " states, but '" + first_batch_ + "' has " +
                                std::to_string(states_));
  states_ = states;
  first_batch_ = name;
}

const Input& Call::add(Input&& input) {
  count_states(input.name(), input.states());
  return inputs_.emplace(std::move(input));
}

bool Call::single() {
  const Input* one = nullptr;
  bool all = states_ >= 0;
  for (const Input& x : inputs_) {
    if (x.single() && one == nullptr) one = &x;
    all = all && x.single();
  }
  if (one != nullptr && !all) one->refuse_single();
  return one != nullptr;
}

void Call::environment(nb::handle gravity, nb::handle external, const char* in) {
  if (!gravity.is_none()) {
    gravity_ = vec3(function_, "gravity", gravity);
    has_gravity_ = true;
  }
  in_ = Seen::from(robot_.model, in, "in_");
  if (external.is_none()) return;
  if (!PyDict_Check(external.ptr()))
    throw std::invalid_argument(std::string(function_) + ": argument 'external' has type " + type_text(external) +
                                ", expected a dictionary from frame names to wrenches of shape (6,)");
  for (auto [key, value] : copy_of_dictionary(external)) {
    external_.push_back({frame_of(robot_.model, function_, "external", key), Input(function_, "external", value, 6)});
    count_states("external", external_.back().wrench.states());
  }
}

void Call::place_external(Workspace& w, Index state) const {
  Mat3<double> turned = Mat3<double>::identity();
  if (in_.axes) {
    forward_kinematics(robot_.model, w.data, vector(*inputs_.begin(), state));
    turned = frame_pose(robot_.model, w.data, in_.axes).R;
  }
  w.external.clear();
  for (const External& e : external_) {
    const double* x = e.wrench.at(state);
    const Vec3<double> f = turned * Vec3<double>{x[0], x[1], x[2]}, m = turned * Vec3<double>{x[3], x[4], x[5]};
    w.external.push_back({e.frame, {f.x, f.y, f.z, m.x, m.y, m.z}, in_.reference});
  }
}

const Output& Call::output(nb::handle out, std::span<const Index> shape, const char* name) {
  writes_to_caller_ = writes_to_caller_ || !out.is_none();
  return outputs_.emplace(function_, name, out, states_, shape, single(), true);
}

void Call::report_to(nb::handle status, nb::handle progress) {
  status_ = StatusOutput(function_, status, states_);
  watch_.show(function_, progress);
}

bool Call::finite(Index state) const {
  const auto is_good = [&](const Input& in) {
    const double* const x = in.at(state);
    for (Index k = 0; k < in.size(); ++k)
      if (!is_finite(x[k])) return false;
    return true;
  };
  for (const Input& x : inputs_)
    if (!is_good(x)) return false;
  for (const External& e : external_)
    if (!is_good(e.wrench)) return false;
  return true;
}

void Call::check_state(Index state) const {
  try {
    for (const Input& x : inputs_) {
      if (x.kind() == VectorKind::configuration)
        check_configuration(robot_.model, x.at(state), x.size(), function_, x.name());
      else
        detail::check_entries(x.at(state), x.size(), x.size(), function_, x.name());
    }
    for (const External& e : external_) detail::check_entries(e.wrench.at(state), 6, 6, function_, "external");
  } catch (const std::invalid_argument& error) {
    if (states_ < 0) throw;
    throw std::invalid_argument("state " + std::to_string(state) + ": " + error.what());
  }
}

void Call::check_report(const BatchReport& report) const {
  for (Index k = 0; k < count(); ++k) {
    const Status status = report.status(k);
    if (status != Status::non_finite_input && status != Status::invalid_input) continue;
    check_state(k);
    throw std::invalid_argument("state " + std::to_string(k) + ": E_NUMBER " + function_ + ": " + name_of(status));
  }
}

void Call::note(Index state, Status status) {
  status_.put(state, status);
  if (status == Status::ok) return;
  refused_ = status;
  for (const Output& out : outputs_) out.fill(state, std::numeric_limits<double>::quiet_NaN());
}

void Call::refuse_rest(Index first) {
  for (Index k = first; k < count(); ++k) {
    if (status_.wanted()) status_.put(k, Status::stopped);
    for (const Output& out : outputs_) out.fill(k, std::numeric_limits<double>::quiet_NaN());
  }
}

nb::object Call::result(const Output& out, nb::handle given) const {
  if (!given.is_none() || out.memory()->ndim > 0) return out.array;  // of one state: never float32
  return nb::float_(*out.entry(0, 0, 0));
}

void Call::refuse_overlap(const Output& out) const {
  for (const Input& in : inputs_) { out.refuse_overlap(function_, in.memory(), in.name()); }
  for (const External& e : external_) out.refuse_overlap(function_, e.wrench.memory(), "external");
  out.refuse_overlap(function_, status_.memory(), "status");
}

void Call::check_memory() const {
  for (const Input& in : inputs_) { status_.refuse_overlap(function_, in.memory(), in.name()); }
  for (const External& e : external_) status_.refuse_overlap(function_, e.wrench.memory(), "external");
  for (const Output& out : outputs_) {
    refuse_overlap(out);
    for (const Output* other = outputs_.begin(); other != &out; ++other)
      out.refuse_overlap(function_, other->memory(), "another result");
  }
}

}  // namespace zwang::python
