// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <stdexcept>

namespace zwang::python {

Seen Seen::from(const Model& model, const char* word, const char* argument) {
  const std::string name = word;
  if (name == "local") return {Reference::local, {}};
  if (name == "world") return {Reference::world, {}};
  if (name == "local_world_aligned") return {Reference::local_world_aligned, {}};
  if (const FrameId id = model.find_frame(name)) return {Reference::local_world_aligned, id};
  std::vector<std::string> known = model.frame_names();
  known.insert(known.end(), {"local", "world", "local_world_aligned"});
  const std::string near = nearest_name(name, known);
  throw std::invalid_argument("E_NAME: argument '" + std::string(argument) + "' is '" + name +
                              "', expected local, world, local_world_aligned or the name of a frame" +
                              (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

AccelerationKind acceleration_of(const char* function, const char* argument, const std::string& word) {
  if (word == "classical") return AccelerationKind::classical;
  if (word == "spatial") return AccelerationKind::spatial;
  throw std::invalid_argument("E_NAME " + std::string(function) + ": argument '" + argument + "' is '" + word +
                              "', expected 'spatial' or 'classical'");
}

void Call::count_states(const Input& input) {
  if (input.states() < 0) return;
  if (states_ >= 0 && states_ != input.states())
    throw std::invalid_argument("E_SIZE " + std::string(function_) + ": argument '" + input.name() + "' has " +
                                std::to_string(input.states()) + " states, but '" + first_batch_ + "' has " +
                                std::to_string(states_));
  states_ = input.states();
  first_batch_ = input.name();
}

const Input& Call::add(Input&& input) {
  count_states(input);
  std::optional<Input>& place = inputs_[static_cast<std::size_t>(inputs_given_++)];
  place.emplace(std::move(input));
  return *place;
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
  for (auto [key, value] : nb::borrow<nb::dict>(external)) {
    if (!PyUnicode_Check(key.ptr()))
      throw std::invalid_argument(std::string(function_) + ": argument 'external' has a key of type " + type_text(key) +
                                  ", expected the name of a frame");
    const std::string name = text_argument(function_, "external", key);
    robot_.model.frame(name);  // throws with the nearest name
    external_.push_back({robot_.model.find_frame(name), Input(function_, "external", value, 6)});
    count_states(external_.back().wrench);
  }
}

void Call::place_external(Workspace& w, Index state) const {
  Mat3<double> turned = Mat3<double>::identity();
  if (in_.axes) {
    forward_kinematics(robot_.model, w.data, vector(*inputs_[0], state));
    turned = frame_pose(robot_.model, w.data, in_.axes).R;
  }
  w.external.clear();
  for (const External& e : external_) {
    const double* x = e.wrench.at(state);
    const Vec3<double> f = turned * Vec3<double>{x[0], x[1], x[2]}, m = turned * Vec3<double>{x[3], x[4], x[5]};
    w.external.push_back({e.frame, {f.x, f.y, f.z, m.x, m.y, m.z}, in_.reference});
  }
}

const Output& Call::output(nb::handle out, std::initializer_list<Index> shape, const char* name) {
  std::optional<Output>& place = outputs_[static_cast<std::size_t>(outputs_given_++)];
  place.emplace(function_, name, out, states_, shape);
  return *place;
}

nb::object Call::result(const Output& out, nb::handle given) const {
  if (!given.is_none() || out.memory()->ndim > 0) return out.array;
  return nb::float_(*out.entry(0, 0, 0));
}

void Call::check_memory() const {
  for (int o = 0; o < outputs_given_; ++o) {
    const Output& out = *outputs_[static_cast<std::size_t>(o)];
    for (int i = 0; i < inputs_given_; ++i) {
      const Input& in = *inputs_[static_cast<std::size_t>(i)];
      out.refuse_overlap(function_, in.memory(), in.name());
    }
    for (const External& e : external_) out.refuse_overlap(function_, e.wrench.memory(), "external");
    for (int other = 0; other < o; ++other)
      out.refuse_overlap(function_, outputs_[static_cast<std::size_t>(other)]->memory(), "another result");
  }
}

}  // namespace zwang::python
