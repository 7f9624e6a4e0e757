// SPDX-License-Identifier: BSD-3-Clause
// wrt= of inverse_dynamics_derivatives and forward_dynamics_derivatives:
// by what is named, of the state or of the robot.
#include "zwang/algorithm/parameter_derivatives.hpp"

#include <algorithm>
#include <map>

#include "bind.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "frames.hpp"
#include "turning_axes.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::python {
namespace {

struct NamedParameter {
  const char* name;
  Parameter parameter;
};
constexpr NamedParameter k_parameters[] = {{"inertial_parameters", Parameter::inertial_parameters},
                                           {"placement", Parameter::placement},
                                           {"armature", Parameter::armature},
                                           {"damping", Parameter::damping},
                                           {"stiffness", Parameter::stiffness},
                                           {"gravity", Parameter::gravity}};

/// What wrt= names.
std::vector<std::string> names_of(const char* function, nb::handle wrt, const char* third) {
  if (wrt.is_none()) return {"q", "v", third};
  std::vector<std::string> known{"q", "v", third, "external"};
  for (const NamedParameter& p : k_parameters) known.emplace_back(p.name);
  return names_argument(function, "wrt", wrt, known);
}

/// The results by name; d.external(frame) is computed when asked for.
struct Selected {
  std::map<std::string, nb::object> found;
  Robot robot = blank_robot();
  nb::object q;
  bool forward = false;
  JointEffects effects = {};
  template <class A> void fields(A& a) { a(found), a(robot), a(q), a(forward), a(effects); }

  nb::object get(const char* name) const {
    const auto at = found.find(name);
    if (at != found.end()) return at->second;
    std::string asked;
    for (const auto& [key, value] : found) asked += (asked.empty() ? "" : ", ") + key;
    throw nb::attribute_error(("'" + std::string(name) + "' was not asked for: wrt= named " + asked).c_str());
  }
};

nb::object by_external(const Selected& d, FrameGiven frame, const char* in) {
  d.get("external");
  const Model& model = d.robot.model;
  const char* const function = "external";
  const FrameId id = frame_of(d.robot, function, frame);
  const Seen seen = Seen::from(model, in, "in_");
  Call call(function, d.robot);
  const Input& q = call.configuration(d.q);
  const Output& out = call.output(nb::none(), {model.nv(), 6});
  TreeCholesky factor(model);
  Eigen::MatrixXd D(model.nv(), 6);
  call.run([&](Workspace& w, Index k) {
    if (d.forward)
      forward_dynamics_wrench_derivatives(model, w.data, factor, vector(q, k), id, seen.reference, D, d.effects);
    else
      inverse_dynamics_wrench_derivatives(model, w.data, vector(q, k), id, seen.reference, D);
    if (seen.axes) {
      const Eigen::Matrix3d R = frame_pose(model, w.data, vector(q, k), seen.axes).R.eigen();
      D.leftCols(3) *= R;
      D.rightCols(3) *= R;
    }
    out.put_matrix(k, D.data());
  });
  return out.array;
}

/// Arrays of the results, made for the number of states.
class Results {
 public:
  Results(const char* function, const Call& call, const Robot& robot, const std::vector<std::string>& names) {
    const Index nv = robot.model.nv(), joints = static_cast<Index>(robot.model.joints().size());
    for (const std::string& name : names) {
      if (name == "external") {
        external_ = true;
        continue;
      }
      const NamedParameter* parameter = nullptr;
      for (const NamedParameter& p : k_parameters)
        if (name == p.name) parameter = &p;
      if (parameter == nullptr)
        add(name, Output(function, name.c_str(), nb::none(), call.states(), {nv, nv}));
      else if (parameter->parameter == Parameter::placement)
        add(name, Output(function, name.c_str(), nb::none(), call.states(), {nv, joints, 6}));
      else
        add(name, Output(function, name.c_str(), nb::none(), call.states(),
                         {nv, columns_of(robot.model, parameter->parameter)}));
    }
  }
  bool wanted(const char* name) const { return outputs_.count(name) > 0; }
  bool external() const { return external_; }
  void put(const char* name, Index state, const Eigen::MatrixXd& x) const {
    const auto at = outputs_.find(name);
    if (at == outputs_.end()) return;
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = x;
    at->second.put_rows(state, rows.data());
  }
  std::map<std::string, nb::object> arrays() const {
    std::map<std::string, nb::object> found;
    for (const auto& [name, out] : outputs_) found[name] = out.array;
    if (external_) found["external"] = nb::none();
    return found;
  }

 private:
  void add(const std::string& name, Output&& out) { outputs_.emplace(name, std::move(out)); }
  std::map<std::string, Output> outputs_;
  bool external_ = false;
};

nb::object copy_of(const Input& x, Index states) {
  const Output out("wrt", "q", nb::none(), states, {x.size()});
  for (Index k = 0; k < (states < 0 ? 1 : states); ++k) out.put(k, x.at(k));
  return out.array;
}

Selected selected(const char* function, bool forward, const Robot& robot, nb::handle q_, nb::handle v_, nb::handle x_,
                  nb::handle wrt, nb::handle external, const char* in, const JointEffects* given, nb::handle gravity) {
  const char* const third = forward ? "tau" : "a";
  const std::vector<std::string> names = names_of(function, wrt, third);
  const JointEffects effects = given != nullptr ? *given : JointEffects();
  Call call(function, robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &x = call.tangent(third, x_);
  call.environment(gravity, external, in);
  const Results results(function, call, robot, names);
  const Model& model = robot.model;
  TreeCholesky factor(model);
  const bool of_state = results.wanted("q") || results.wanted("v") || results.wanted(third);
  call.run([&](Workspace& w, Index k) {
    const Eigen::VectorXd qk = vector(q, k), vk = vector(v, k), xk = vector(x, k);
    if (of_state && !forward) {
      auto d = inverse_dynamics_derivatives(model, w.data, qk, vk, xk, w.external, effects);
      if (call.needs_axes()) d.q -= by_turning_axes(model, w.data, w.external, call.axes(), qk);
      results.put("q", k, d.q), results.put("v", k, d.v), results.put("a", k, d.a);
    } else if (of_state) {
      auto d = forward_dynamics_derivatives(model, w.data, qk, vk, xk, w.external, effects);
      if (call.needs_axes()) d.q += d.tau * by_turning_axes(model, w.data, w.external, call.axes(), qk);
      results.put("q", k, d.q), results.put("v", k, d.v), results.put("tau", k, d.tau);
    }
    for (const NamedParameter& p : k_parameters) {
      if (!results.wanted(p.name)) continue;
      Eigen::MatrixXd D(model.nv(), columns_of(model, p.parameter));
      if (forward)
        forward_dynamics_parameter_derivatives(model, w.data, factor, qk, vk, xk, p.parameter, D, w.external, effects);
      else
        inverse_dynamics_parameter_derivatives(model, w.data, qk, vk, xk, p.parameter, D, w.external, effects);
      if (call.needs_axes() && p.parameter == Parameter::placement) {
        Eigen::MatrixXd turned = by_axes_of_placements(model, w.data, w.external, call.axes(), qk);
        for (Eigen::Index c = 0; forward && c < turned.cols(); ++c) factor.solve(turned.col(c));
        D += (forward ? 1.0 : -1.0) * turned;
      }
      results.put(p.name, k, D);
    }
  });
  return {results.arrays(), robot, results.external() ? copy_of(q, call.states()) : nb::none(), forward, effects};
}

#define ZWANG_WRT_SIGNATURE                                                                                    \
  "*, wrt: str | Sequence[str] | None, external: External | None = None, in_: str = \"local_world_aligned\", " \
  "joint_effects: JointEffects | None = None, gravity: ArrayLike | None = None) -> SelectedDerivatives"
#define ZWANG_WRT_DOC                                                                                                 \
  "\n\nAttributes of the result, of which only those that wrt names are there; with a leading dimension (N, ...) of " \
  "the\narguments they have it too. Numbers of joints are those of the coordinates' own joints; what does not count " \
  "by\n"                                                                                                              \
  "joint_effects has a derivative of 0. Raises ValueError for other names, naming the nearest."

void bind_selected(nb::module_& m) {
  ClassOf<Selected> d(m, "SelectedDerivatives",
                      "Derivatives by what wrt= named; attributes that were not asked for raise AttributeError.");
  const auto field = [&](const char* name, const char* signature, const char* doc) {
    d.def_prop_ro(
        name, [name](const Selected& x) { return x.get(name); }, nb::sig(signature), doc);
  };
  field("q", "def q(self) -> Array", "(nv, nv) along q (+) d");
  field("v", "def v(self) -> Array", "(nv, nv)");
  field("a", "def a(self) -> Array", "(nv, nv), of inverse dynamics: the mass matrix");
  field("tau", "def tau(self) -> Array", "(nv, nv), of forward dynamics: the inverse of the mass matrix");
  field("inertial_parameters", "def inertial_parameters(self) -> Array",
        "(nv, 10 links) in the order of Model.inertial_parameters");
  field("placement", "def placement(self) -> Array",
        "(nv, joints, 6) along X exp(d), X the joint's frame in its parent link, d = [shift; turn] in joint axes; NaN\n"
        "at joints that are merged into a body: build with lump=False to have them");
  field("armature", "def armature(self) -> Array", "(nv, nv) by the rotor inertia at each coordinate");
  field("damping", "def damping(self) -> Array", "(nv, nv) by the damping at each coordinate");
  field("stiffness", "def stiffness(self) -> Array", "(nv, nv) by the spring at each coordinate");
  field("gravity", "def gravity(self) -> Array", "(nv, 3) by gravity, world axes");
  d.def(ZWANG_SIGNATURE("def external(self, frame: str | int, in_: str = \"local_world_aligned\") -> Array"),
        &by_external, "By a wrench [force; moment] on a frame, (nv, 6), given as `external=` of the call takes it.");
  d.def(
      "__dir__",
      [](const Selected& x) {
        nb::list names;
        for (const auto& [name, value] : x.found) names.append(name.c_str());
        return names;
      },
      nb::sig("def __dir__(self) -> list[str]"));
  d.def("__repr__", [](const Selected& x) {
    std::string names;
    for (const auto& [name, value] : x.found) names += (names.empty() ? "" : ", ") + name;
    return "<zwang.SelectedDerivatives by " + names + ">";
  });
  kept_by_fields<Selected>();
}

}  // namespace

void bind_parameter_derivatives(nb::module_& m) {
  bind_selected(m);
  def(
      m,
      ZWANG_SIGNATURE(
          "def inverse_dynamics_derivatives(model: Model, q: Vector, v: Vector, a: Vector, " ZWANG_WRT_SIGNATURE),
      [](const Robot& robot, nb::handle q, nb::handle v, nb::handle a, nb::handle wrt, nb::handle external,
         const char* in, const JointEffects* effects, nb::handle gravity) {
        return selected("inverse_dynamics_derivatives", false, robot, q, v, a, wrt, external, in, effects, gravity);
      },
      "The same by what wrt names: some of q, v, a, external, inertial_parameters, placement, armature, damping,\n"
      "stiffness and gravity." ZWANG_WRT_DOC);
  def(
      m,
      ZWANG_SIGNATURE(
          "def forward_dynamics_derivatives(model: Model, q: Vector, v: Vector, tau: Vector, " ZWANG_WRT_SIGNATURE),
      [](const Robot& robot, nb::handle q, nb::handle v, nb::handle tau, nb::handle wrt, nb::handle external,
         const char* in, const JointEffects* effects, nb::handle gravity) {
        return selected("forward_dynamics_derivatives", true, robot, q, v, tau, wrt, external, in, effects, gravity);
      },
      "The same by what wrt names: some of q, v, tau, external, inertial_parameters, placement, armature, damping,\n"
      "stiffness and gravity." ZWANG_WRT_DOC " Raises SingularMassError where a coordinate has no inertia.");
}

}  // namespace zwang::python
