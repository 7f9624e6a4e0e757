// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of the wrench that a joint transmits.
#include "zwang/algorithm/joint_wrench_derivatives.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "turning_axes.hpp"

namespace zwang::python {
namespace {

struct OfJointWrench {
  nb::object q, v, a;
  template <class A> void fields(A& x) { x(q), x(v), x(a); }
};

/// [6 x nv] by q of what wrenches along the axes of a frame, which turn with it, take off the wrench of the joint.
Eigen::MatrixXd by_turning_axes_of(const Model& model, Data& data, const Externals& external, FrameId axes,
                                   const Eigen::VectorXd& q, const Joint& joint) {
  const Link& child = model.links()[static_cast<std::size_t>(joint.child.value)];
  const Index first = child.body.value, last = model.tree<double>().body[first].last;
  Eigen::MatrixXd of_axes(6, model.nv()), out = Eigen::MatrixXd::Zero(6, model.nv());
  jacobian(model, data, q, axes, Reference::local_world_aligned, of_axes);
  forward_kinematics(model, data, q);
  const Transform<double> X = frame_pose(model, data, child.frame);
  for (const ExternalWrench& e : external) {
    const Index body = model.frame(e.frame).body.value;
    if (body < first || body >= last) continue;
    const Vec3<double> arm = frame_pose(model, data, e.frame).p - X.p;
    const Eigen::MatrixXd turned = turned_wrench(e, of_axes.bottomRows(3));
    for (Index k = 0; k < model.nv(); ++k) {
      const Vec3<double> f{turned(0, k), turned(1, k), turned(2, k)}, n{turned(3, k), turned(4, k), turned(5, k)};
      const Vec3<double> force = transpose_times(X.R, f), moment = transpose_times(X.R, n + cross(arm, f));
      for (Index r = 0; r < 3; ++r) out(r, k) += force[r], out(3 + r, k) += moment[r];
    }
  }
  return out;
}

OfJointWrench joint_wrench(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, const std::string& name,
                           nb::handle external, const char* in, nb::handle gravity) {
  constexpr const char* function = "joint_wrench_derivatives";
  Call call(function, robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  const Joint& joint = robot.model.joint(name);  // throws with the nearest name
  const JointId id = robot.model.find_joint(name);
  const Index nv = robot.model.nv();
  const Output &by_q = call.output(nb::none(), {6, nv}, "q"), &by_v = call.output(nb::none(), {6, nv}, "v"),
               &by_a = call.output(nb::none(), {6, nv}, "a");
  call.run([&](Workspace& w, Index k) {
    auto d = joint_wrench_derivatives(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), id, w.external);
    if (call.needs_axes()) d.q -= by_turning_axes_of(robot.model, w.data, w.external, call.axes(), vector(q, k), joint);
    by_q.put_matrix(k, d.q.data());
    by_v.put_matrix(k, d.v.data());
    by_a.put_matrix(k, d.a.data());
  });
  return {by_q.array, by_v.array, by_a.array};
}

}  // namespace

void bind_joint_wrench_derivatives(nb::module_& m) {
  ClassOf<OfJointWrench>(m, "JointWrenchDerivatives", "d of a joint's wrench, (6, nv) or (N, 6, nv) each.")
      .def_ro("q", &OfJointWrench::q, nb::sig("def q(self) -> Array"), "by q, along q (+) d")
      .def_ro("v", &OfJointWrench::v, nb::sig("def v(self) -> Array"), "by v")
      .def_ro("a", &OfJointWrench::a, nb::sig("def a(self) -> Array"), "by a");
  kept_by_fields<OfJointWrench>();
  def(m,
      ZWANG_SIGNATURE(
          "def joint_wrench_derivatives(model: Model, q: Vector, v: Vector, a: Vector, joint: str, *, external: "
          "External | None = None, in_: str = \"local_world_aligned\", gravity: ArrayLike | None = None) -> "
          "JointWrenchDerivatives"),
      &joint_wrench,
      "Derivatives by q, v and a of the wrench that a joint transmits to its child link: joint_wrenches(...)[joint],\n"
      "[force; moment] in the child link's axes about its origin. (6, nv) each.\n\n"
      "By q: along q (+) d at d = 0, a column for each coordinate of v. External wrenches are constant in the axes in\n"
      "which they are given. With a leading dimension (N, ...) the results have it too. Raises ValueError for unknown\n"
      "joints, naming the nearest, and UnsupportedError for fixed joints that were merged into a body.");
}

}  // namespace zwang::python
