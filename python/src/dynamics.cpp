// SPDX-License-Identifier: BSD-3-Clause
// JointEffects, and the wrenches of joints by name: functions outside of the list of algorithms.
#include "zwang/algorithm/dynamics.hpp"

#include <vector>

#include "bind.hpp"
#include "call.hpp"
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/algorithm/references.hpp"

namespace zwang::python {
namespace {

/// Joints that transmit a wrench: all but those merged into a body.
nb::object joint_wrenches(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle external,
                          const char* in, const JointEffects* effects, nb::handle gravity, const char* reference,
                          nb::handle out_) {
  Call call("joint_wrenches", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  const bool local = std::string_view(reference) == "local";
  const Seen seen = local ? Seen{Reference::local} : Seen::from(robot.model, reference, "reference");
  Index n = 0;
  for (const Joint& j : robot.model.joints()) n += j.lumped ? 0 : 1;
  const Output& out = call.output(nb::none(), {n, 6});
  if (!out_.is_none() && !PyDict_Check(out_.ptr()))
    throw_type("joint_wrenches", "out", out_, "a dictionary: an earlier result", "E_OUT");
  nb::dict result = out_.is_none() ? nb::dict() : nb::borrow<nb::dict>(out_);
  std::vector<Output> given;
  for (const Joint& j : robot.model.joints())
    if (!j.lumped && result.contains(j.name.c_str()))
      given.emplace_back("joint_wrenches", "out", result[j.name.c_str()], call.states(),
                         std::initializer_list<Index>{6});
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) given[i].refuse_overlap("joint_wrenches", given[k].memory(), "another result");
  Eigen::MatrixXd wrenches;
  call.run([&](Workspace& w, Index k) {
    wrenches.resize(6, static_cast<Index>(robot.model.joints().size()));
    joint_wrenches(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), seen.reference, wrenches, w.external,
                   effects != nullptr ? *effects : JointEffects());
    const Mat3<double> R = seen.axes ? frame_pose(robot.model, w.data, seen.axes).R : Mat3<double>::identity();
    Index j = 0, column = 0;
    for (const Joint& joint : robot.model.joints()) {
      const double* const f = wrenches.data() + 6 * column++;
      if (joint.lumped) continue;
      const Vec3<double> force = transpose_times(R, Vec3<double>{f[0], f[1], f[2]}),
                         moment = transpose_times(R, Vec3<double>{f[3], f[4], f[5]});
      for (Index i = 0; i < 3; ++i) {
        *out.entry(k, j, i) = force[static_cast<int>(i)];
        *out.entry(k, j, 3 + i) = moment[static_cast<int>(i)];
      }
      ++j;
    }
  });
  const nb::object all = nb::ellipsis(), every = nb::slice(nb::none(), nb::none(), nb::none());
  Index row = 0;
  for (const Joint& j : robot.model.joints()) {
    if (j.lumped) continue;
    const nb::object own = out.array[nb::make_tuple(all, row++, every)];
    const char* name = j.name.c_str();
    if (result.contains(name))
      result[name][all] = own;
    else
      result[name] = own;
  }
  return result;
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  ClassOf<JointEffects>(m, "JointEffects",
                        "Which effects of joints count in a dynamics call. Plain attributes that may be changed.\n\n"
                        "armature: reflected rotor inertia; damping: -d v; springs: -k (q - reference), of spherical\n"
                        "joints -k log(R_0^T R); friction: Coulomb, -c sign(v); at v = 0 what holds the joint, up to "
                        "c;\n"
                        "gravity_scale: (gravity_scale - 1) m g at the centre of mass of each link.")
      .def(
          "__init__",
          [](JointEffects* e, bool armature, bool damping, bool springs, bool friction, bool gravity_scale) {
            new (e) JointEffects{armature, damping, springs, friction, gravity_scale};
          },
          nb::kw_only(), nb::arg("armature") = true, nb::arg("damping") = true, nb::arg("springs") = true,
          nb::arg("friction") = false, nb::arg("gravity_scale") = true)
      .def_rw("armature", &JointEffects::armature)
      .def_rw("damping", &JointEffects::damping)
      .def_rw("springs", &JointEffects::springs)
      .def_rw("friction", &JointEffects::friction)
      .def_rw("gravity_scale", &JointEffects::gravity_scale)
      .def(ZWANG_SIGNATURE("def __eq__(self, other: object, /) -> bool"),
           [](const JointEffects& a, nb::handle other) {
             const JointEffects* b = nullptr;
             if (!nb::try_cast(other, b) || b == nullptr) return false;
             return a.armature == b->armature && a.damping == b->damping && a.springs == b->springs &&
                    a.friction == b->friction && a.gravity_scale == b->gravity_scale;
           })
      .def(
          "__getstate__",
          [](const JointEffects& e) {
            return nb::make_tuple(e.armature, e.damping, e.springs, e.friction, e.gravity_scale);
          },
          nb::sig("def __getstate__(self) -> tuple[bool, ...]"))
      .def(
          "__setstate__",
          [](JointEffects& e, nb::object s) {
            new (&e)
                JointEffects{nb::cast<bool>(s[0]), nb::cast<bool>(s[1]), nb::cast<bool>(s[2]), nb::cast<bool>(s[3])};
            if (nb::len(s) > 4) e.gravity_scale = nb::cast<bool>(s[4]);  // four numbers before there were such scales
          },
          nb::sig("def __setstate__(self, state: tuple[bool, ...], /) -> None"))
      .def("__repr__", [](const JointEffects& e) {
        const auto word = [](bool b) { return b ? "True" : "False"; };
        return std::string("JointEffects(armature=") + word(e.armature) + ", damping=" + word(e.damping) +
               ", springs=" + word(e.springs) + ", friction=" + word(e.friction) +
               ", gravity_scale=" + word(e.gravity_scale) + ")";
      });
  def(m,
      ZWANG_SIGNATURE(
          "def joint_wrenches(model: Model, q: Vector, v: Vector, a: Vector, *, external: External | None = None, "
          "in_: str = \"local_world_aligned\", joint_effects: JointEffects | None = None, "
          "gravity: ArrayLike | None = None, reference: str = \"local\", out: dict[str, Array] | None = None) -> "
          "dict[str, Array]"),
      &joint_wrenches,
      (std::string("The wrench [force; moment] [N, N m] that each joint transmits to its child link, by joint name, "
                   "shape (6,) or\n(N, 6): in the child link's axes about its origin, what a force-torque sensor in "
                   "the joint reads;\nreference: local, local_world_aligned (its origin, the world's axes), world "
                   "(the world's origin and axes), or a frame\nwhose axes are meant.\n\nFixed joints that were merged "
                   "into a body are absent: load with lump=False to "
                   "read theirs. out: an earlier\nresult, whose arrays are filled. With a leading dimension (N, ...) "
                   "the results have it too.") +
       algorithm_list::k_environment)
          .c_str());
}

}  // namespace zwang::python
