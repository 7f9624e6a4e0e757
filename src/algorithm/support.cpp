// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/support.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/page/excess_gravity.hpp"
#include "core/all_finite.hpp"

namespace zwang {

Reference reference_of(const std::string& word) {
  if (word == "local") return Reference::local;
  if (word == "world") return Reference::world;
  if (word == "local_world_aligned") return Reference::local_world_aligned;
  detail::throw_unknown("reference", word, {"local", "world", "local_world_aligned"});
}

ExternalWrench external_wrench(const Model& model, FrameIn frame, const double (&wrench)[6], Reference in) {
  ExternalWrench e;
  e.frame = detail::id_of(model, frame, "external_wrench");
  std::copy_n(wrench, 6, e.wrench);
  e.in = in;
  return e;
}
ExternalWrench external_wrench(const Model& model, FrameIn frame, const Force<double>& w, Reference in) {
  return external_wrench(model, frame, {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z}, in);
}

namespace detail {

void check_matrix(const MatrixOut& out, Index rows, Index columns, const char* function) {
  if (out.rows() != rows) throw_size(function, "out.rows()", static_cast<long>(out.rows()), rows);
  if (out.cols() != columns) throw_size(function, "out.cols()", static_cast<long>(out.cols()), columns);
}

void check_stage(const Data& data, unsigned stage, const char* function, const char* needed) {
  if ((data.stages & stage) == stage) return;
  throw std::logic_error(std::string(function) + ": Data holds no " + needed +
                         " of the present state; call forward_kinematics first");
}

FrameId id_of(const Model& model, FrameIn frame, const char* function) {
  if (frame.named()) {
    const FrameId id = model.find_frame(frame.name());
    if (!id) model.frame(frame.name());  // throws with the nearest name
    return id;
  }
  if (frame.id().value >= 0 && frame.id().value < static_cast<Index>(model.frames().size())) return frame.id();
  if (!frame.id())
    throw std::invalid_argument(std::string(function) +
                                ": a frame id that no frame has: find_frame() returns it for an unknown name");
  throw std::invalid_argument(std::string(function) + ": frame id " + std::to_string(frame.id().value) +
                              " is not one of the model's " + std::to_string(model.frames().size()) + " frames");
}
const Frame& frame_of(const Model& model, FrameIn frame, const char* function) {
  return model.frames()[static_cast<std::size_t>(id_of(model, frame, function).value)];
}

Status status_of(const Model& model, ExternalsIn external) noexcept {
  for (const ExternalWrench* e = external.data(); e != external.data() + external.size(); ++e) {
    if (e->frame.value < 0 || e->frame.value >= static_cast<Index>(model.frames().size())) return Status::invalid_input;
    if (!all_finite(e->wrench, 6)) return Status::non_finite_input;
  }
  return Status::ok;
}

void check_external(const Model& model, const ExternalWrench* external, Index count) {
  for (Index e = 0; e < count; ++e) {
    const Frame& frame = frame_of(model, external[e].frame, "external wrench");
    for (Index k = 0; k < 6; ++k)
      if (!is_finite(external[e].wrench[k]))
        throw_not_finite("external wrench", frame.name.c_str(), k, external[e].wrench[k]);
  }
}

void set_external(const Model& model, Data& data, const double* q, const ExternalWrench* external, Index count,
                  bool gravity_scale) {
  check_external(model, external, count);
  bool placed = gravity_scale && data.excess.size() > 0;
  data.force.has_external = count > 0 || placed;
  data.force.has_excess = placed;
  if (!data.force.has_external) return;
  for (Index i = 0; i <= data.tree().n; ++i) data.force.external[i] = Force<double>::zero();
  if (placed) {
    page::kinematics(data, q);
    page::add_excess_gravity(data);
  }
  for (Index e = 0; e < count; ++e) {
    const ExternalWrench& x = external[e];
    const Frame& frame = frame_of(model, x.frame, "external wrench");
    if (x.in != Reference::local && !placed) page::kinematics(data, q);
    placed = placed || x.in != Reference::local;
    const Force<double> f{{x.wrench[0], x.wrench[1], x.wrench[2]}, {x.wrench[3], x.wrench[4], x.wrench[5]}};
    page::add_wrench(data, frame.body.value, frame.in_body, x.in, f);
  }
}

void add_passive(Data& data, const double* q, const double* v, const JointEffects& effects, double sign, double* tau) {
  page::add_passive(data.tree(), q, v, page::PassiveEffects{effects.damping, effects.friction, effects.springs}, sign,
                    tau);
}

double energy_of_effects(const Data& data, const double* q, const JointEffects& effects) {
  return (effects.springs ? page::spring_energy(data.tree(), q) : 0.0) +
         (effects.gravity_scale ? page::excess_energy(data) : 0.0);
}

void throw_singular(const Data& data) {
  const Index v = data.tree().column[data.articulated.singular_column].v;
  throw SingularMassError(joint_of_coordinate(data.model(), v).name);
}

}  // namespace detail
}  // namespace zwang
