// SPDX-License-Identifier: BSD-3-Clause
// Formulas of kinematics and dynamics as lists of operations, for zwang.casadi (symbolic=True): the pages on Symbol.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "recording.hpp"
#include "zwang/algorithm/page/excess_gravity.hpp"
#include "zwang/generic.hpp"

namespace zwang::python {
namespace {

using Symbols = std::vector<Symbol>;

/// What a formula is made of besides the model.
struct Wanted {
  std::string frame, reference, kind;
  std::vector<std::string> wrenches;  ///< frames, each with six more inputs
  std::string in;                     ///< axes of the wrenches
  JointEffects effects;
  Vec3<double> gravity;
};

/// One formula: inputs in the order of the call, then the pages.
class Formula {
 public:
  Formula(const Model& model, const Wanted& wanted) : model_(model), wanted_(wanted), data_(model) {
    data_.gravity = wanted.gravity;
  }

  Symbols of(const std::string& function) {
    if (function == "inverse_dynamics") return dynamics(true);
    if (function == "forward_dynamics") return dynamics(false);
    if (function == "integrate") return integrate();
    if (function == "difference") return difference();
    if (function == "frame_pose") return pose(false);
    if (function == "frame_position") return pose(true);
    if (function == "frame_velocity") return twist();
    if (function == "frame_acceleration") return acceleration();
    if (function == "centre_of_mass") return centre_of_mass();
    throw std::invalid_argument("E_NAME formula: there is no function named '" + function + "'");
  }
  const Recording& recording() const { return record_; }

 private:
  Symbols inputs(Index count) {
    Symbols x;
    for (Index k = 0; k < count; ++k) x.push_back(record_.input());
    return x;
  }
  /// A configuration: what stands for a direction has any length.
  Symbols configuration() {
    Symbols q = inputs(model_.nq());
    page::normalize(data_.tree(), q.data());
    return q;
  }
  Symbols rates() { return inputs(model_.nv()); }

  Mat3<Symbol> axes_of(FrameId id) {
    const Frame& f = model_.frame(id);
    return page::frame_about_centre(data_, f.body.value, f.in_body).R;
  }
  /// Wrenches of the call on their bodies. Reads the positions of q.
  void take_wrenches(const Symbols& q) {
    const Seen seen = Seen::from(model_, wanted_.in.c_str(), "in_");
    const bool excess = wanted_.effects.gravity_scale && data_.excess.size() > 0;
    data_.force.has_external = !wanted_.wrenches.empty() || excess;
    for (auto& f : data_.force.external) f = Force<Symbol>::zero();
    if (!data_.force.has_external) return;
    page::kinematics(data_, q.data());
    if (excess) page::add_excess_gravity(data_);
    for (const std::string& name : wanted_.wrenches) {
      const Symbols w = inputs(6);
      Force<Symbol> wrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
      if (seen.axes) wrench = {axes_of(seen.axes) * wrench.f, axes_of(seen.axes) * wrench.n};
      const Frame& f = model_.frame(name);
      if (f.body.value > 0) page::add_wrench(data_, f.body.value, f.in_body, seen.reference, wrench);
    }
  }
  Symbols dynamics(bool inverse) {
    const Symbols q = configuration(), v = rates(), third = rates();
    take_wrenches(q);
    const JointEffects& e = wanted_.effects;
    const page::PassiveEffects passive{e.damping, e.friction, e.springs};
    data_.armature_factor = e.armature ? 1.0 : 0.0;
    Symbols out(third.size(), Symbol(0.0)), tau = third;
    if (inverse) {
      page::inverse_dynamics(data_, q.data(), v.data(), third.data(), out.data());
      page::add_passive(data_.tree(), q.data(), v.data(), passive, -1.0, out.data());
    } else {
      page::add_passive(data_.tree(), q.data(), v.data(), passive, 1.0, tau.data());
      page::forward_dynamics(data_, q.data(), v.data(), tau.data(), out.data());
    }
    return out;
  }
  Symbols integrate() {
    const Symbols q = configuration(), d = rates();
    Symbols out(q.size());
    page::integrate(data_.tree(), q.data(), d.data(), out.data());
    return out;
  }
  Symbols difference() {
    const Symbols q0 = configuration(), q1 = configuration();
    Symbols out(static_cast<std::size_t>(model_.nv()));
    page::difference(data_.tree(), q0.data(), q1.data(), out.data());
    return out;
  }
  Symbols pose(bool position_alone) {
    const Symbols q = configuration();
    page::kinematics(data_, q.data());
    const Frame& f = model_.frame(wanted_.frame);
    const Transform<Symbol> X = page::frame_about_centre(data_, f.body.value, f.in_body);
    const Vec3<Symbol> p = X.p + data_.position.centre[data_.tree().body[f.body.value].root];
    if (position_alone) return {p.x, p.y, p.z};
    const Symbol zero(0.0);
    return {X.R.r0.x, X.R.r0.y, X.R.r0.z, p.x, X.R.r1.x, X.R.r1.y, X.R.r1.z, p.y,
            X.R.r2.x, X.R.r2.y, X.R.r2.z, p.z, zero,     zero,     zero,     Symbol(1.0)};
  }
  Symbols seen(const Motion<Symbol>& m, const Seen& from) {
    Motion<Symbol> x = m;
    if (from.axes) {
      const Mat3<Symbol> R = axes_of(from.axes);
      x = {transpose_times(R, m.v), transpose_times(R, m.w)};
    }
    return {x.v.x, x.v.y, x.v.z, x.w.x, x.w.y, x.w.z};
  }
  Symbols twist() {
    const Symbols q = configuration(), v = rates();
    page::kinematics(data_, q.data(), v.data());
    const Frame& f = model_.frame(wanted_.frame);
    const Seen from = Seen::from(model_, wanted_.reference.c_str(), "reference");
    const auto view = page::point_of_view(data_, f.body.value, f.in_body, from.reference);
    return seen(view.see(data_.velocity.twist[f.body.value]), from);
  }
  Symbols acceleration() {
    const Symbols q = configuration(), v = rates(), a = rates();
    page::kinematics(data_, q.data(), v.data(), a.data());
    const Frame& f = model_.frame(wanted_.frame);
    const Seen from = Seen::from(model_, wanted_.reference.c_str(), "reference");
    const auto view = page::point_of_view(data_, f.body.value, f.in_body, from.reference);
    const Motion<Symbol>& twist = data_.velocity.twist[f.body.value];
    Motion<Symbol> x = f.body.value == 0 ? Motion<Symbol>::zero() : page::body_acceleration(data_, f.body.value);
    if (acceleration_of("frame_acceleration", "kind", wanted_.kind) == AccelerationKind::classical)
      x.v += cross(twist.w, twist.v + cross(twist.w, view.point));
    return seen(view.see(x), from);
  }
  Symbols centre_of_mass() {
    const Symbols q = configuration();
    page::kinematics(data_, q.data());
    const Vec3<Symbol> c = page::centre_of_mass(data_).position;
    return {c.x, c.y, c.z};
  }

  const Model& model_;
  const Wanted& wanted_;
  Recording record_;
  BasicData<Symbol> data_;
};

/// (operation, a, b, c, constant) of every node, each a list; then the nodes of the results.
nb::tuple formula(const Robot& robot, const std::string& function, const std::string& frame,
                  const std::string& reference, const std::string& kind, const std::vector<std::string>& wrenches,
                  const std::string& in, const JointEffects* effects,
                  const std::optional<std::vector<double>>& gravity) {
  const Vec3<double> own = robot.model.gravity();
  Wanted wanted{frame, reference, kind, wrenches, in, effects != nullptr ? *effects : JointEffects(), own};
  if (gravity) {
    if (gravity->size() != 3)
      throw std::invalid_argument("E_SIZE " + function + ": argument 'gravity' has size " +
                                  std::to_string(gravity->size()) + ", expected 3");
    for (std::size_t k = 0; k < 3; ++k)
      if (!std::isfinite((*gravity)[k]))
        detail::throw_not_finite(function.c_str(), "gravity", static_cast<Index>(k), (*gravity)[k]);
    wanted.gravity = {(*gravity)[0], (*gravity)[1], (*gravity)[2]};
  }
  Formula f(robot.model, wanted);
  const Symbols results = f.of(function);
  std::vector<int> operation, a, b, c, out;
  std::vector<double> value;
  for (const Recording::Node& n : f.recording().nodes()) {
    operation.push_back(static_cast<int>(n.operation));
    a.push_back(n.a);
    b.push_back(n.b);
    c.push_back(n.c);
    value.push_back(n.value);
  }
  for (const Symbol& x : results) out.push_back(x.node);
  return nb::make_tuple(operation, a, b, c, value, out);
}

}  // namespace

void bind_formulas(nb::module_& m) {
  m.def("_formula", &formula, nb::arg("model"), nb::arg("function"), nb::arg("frame"), nb::arg("reference"),
        nb::arg("kind"), nb::arg("wrenches"), nb::arg("in_"), nb::arg("joint_effects").none(),
        nb::arg("gravity").none());
}

}  // namespace zwang::python
