// SPDX-License-Identifier: BSD-3-Clause
// Placements, velocities, accelerations and Jacobians of joints and frames.
#include <algorithm>
#include <iterator>

#include "robot.hpp"
#include "zwang/algorithm/quantities.hpp"

namespace zwang::python::pinocchio {

/// WORLD, LOCAL or LOCAL_WORLD_ALIGNED, by their numbers 0, 1, 2.
struct Axes {
  Reference reference;
};

}  // namespace zwang::python::pinocchio

namespace nanobind::detail {

template <> struct type_caster<zwang::python::pinocchio::Axes> {
  NB_TYPE_CASTER(zwang::python::pinocchio::Axes, const_name("ReferenceFrame"))
  bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
    using zwang::Reference;
    static constexpr Reference k_references[] = {Reference::world, Reference::local, Reference::local_world_aligned};
    if (!PyLong_Check(given.ptr()) || PyBool_Check(given.ptr())) return false;
    const long number = PyLong_AsLong(given.ptr());
    if (number < 0 || number > 2) {
      PyErr_Clear();
      return false;
    }
    value.reference = k_references[number];
    return true;
  }
};

}  // namespace nanobind::detail

namespace zwang::python::pinocchio {
namespace {

using Finds = FrameId (*)(const CoreObject&, Py_ssize_t, const char*);

nb::object columns_of(Numbers& s) {
  s.lent = true;
  if (!s.columns.is_valid())
    s.columns = s.core.columns(6, [&](Matrix out) { joint_columns(s.core.model, s.kinematics(), out); });
  return s.columns;
}

nb::object jacobian_of(Numbers& s, FrameId frame, Reference reference) {
  return s.core.columns(6, [&](Matrix out) { jacobian(s.core.model, s.kinematics(), frame, reference, out); });
}

/// Of a frame that is fixed to a joint at `placement`.
nb::object jacobian_at_placement(Numbers& s, FrameId joint, const Pose& placement, Reference reference) {
  if (reference == Reference::world) return jacobian_of(s, joint, reference);
  const Transform<double> X = transform_of(placement.at);
  return s.core.columns(6, [&](Matrix J) {
    jacobian(s.core.model, s.kinematics(), joint, reference, J);
    const Transform<double> back = inverse(X);
    const Vec3<double> arm = frame_pose(s.core.model, s.kinematics(), joint).R * X.p;
    for (Index k = 0; k < s.core.nv; ++k) {
      double* const x = J.data() + 6 * k;
      const Motion<double> m = motion_of(x);
      const Motion<double> y = reference == Reference::local ? back * m : Motion<double>(m.v + cross(m.w, arm), m.w);
      put(y.v, x), put(y.w, x + 3);
    }
  });
}

Motion<double> velocity_of(Numbers& s, FrameId frame, Reference reference, const char* who) {
  s.need_v(who);
  return frame_velocity(s.core.model, s.kinematics(2), frame, reference);
}
Motion<double> acceleration_of(Numbers& s, FrameId frame, Reference reference, AccelerationKind kind, const char* who) {
  s.need_v(who);
  s.need_a(who);
  return frame_acceleration(s.core.model, s.kinematics(3), frame, kind, reference);
}

/// A twist of a joint in its axes as one of a frame fixed to it at X, with the axes and the point of `reference`.
Motion<double> at_placement(const Motion<double>& local, Numbers& s, FrameId joint, const Transform<double>& X,
                            Reference reference) {
  const Motion<double> own = inverse(X) * local;
  if (reference == Reference::local) return own;
  Transform<double> pose = frame_pose(s.core.model, s.kinematics(), joint) * X;
  if (reference == Reference::local_world_aligned) pose.p = Vec3<double>::zero();
  return pose * own;
}

// --- the functions of Pinocchio -------------------------------------------------------------------------------------

void forward(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle a) {
  data.p->move(core_of(model, data), q, v, a);
}
/// The state of the last call, or of q, for a function that computes it again.
const StatePointer& state_at(ModelArgument model, DataArgument data, nb::handle q, const char* who) {
  if (!q.is_none()) return data.p->move(core_of(model, data), q, nb::none(), nb::none());
  now(model, data, who);
  return data.p->afresh();
}

template <Finds find>
nb::object velocity(ModelArgument model, DataArgument data, Py_ssize_t number, Axes axes, const char* who) {
  Numbers& s = *moving(model, data, who, axes.reference == Reference::local);
  return new_motion(velocity_of(s, find(s.core, number, who), axes.reference, who));
}
template <Finds find> nb::object acceleration(ModelArgument model, DataArgument data, Py_ssize_t number, Axes axes,
                                              AccelerationKind kind, const char* who) {
  Numbers& s = *moving(model, data, who, axes.reference == Reference::local);
  return new_motion(acceleration_of(s, find(s.core, number, who), axes.reference, kind, who));
}
nb::object velocity_at(ModelArgument model, DataArgument data, Py_ssize_t joint, const Pose& placement, Axes axes) {
  constexpr const char* who = "getFrameVelocity";
  Numbers& s = *moving(model, data, who, axes.reference == Reference::local);
  const FrameId id = joint_of(s.core, joint, who);
  return new_motion(
      at_placement(velocity_of(s, id, Reference::local, who), s, id, transform_of(placement.at), axes.reference));
}
nb::object acceleration_at(ModelArgument model, DataArgument data, Py_ssize_t joint, const Pose& placement, Axes axes,
                           AccelerationKind kind, const char* who) {
  Numbers& s = *moving(model, data, who, axes.reference == Reference::local);
  const FrameId id = joint_of(s.core, joint, who);
  const Transform<double> X = transform_of(placement.at);
  Motion<double> a =
      at_placement(acceleration_of(s, id, Reference::local, AccelerationKind::spatial, who), s, id, X, axes.reference);
  if (kind == AccelerationKind::classical) {
    const Motion<double> v = at_placement(velocity_of(s, id, Reference::local, who), s, id, X, axes.reference);
    a.v = a.v + cross(v.w, v.v);
  }
  return new_motion(a);
}

#define ZWANG_OF_STATE nb::arg("model"), nb::arg("data")
#define ZWANG_OF_NUMBER(what) ZWANG_OF_STATE, nb::arg(what), nb::arg("reference_frame") = nb::int_(1)
#define ZWANG_OF_PLACEMENT \
  ZWANG_OF_STATE, nb::arg("joint_id"), nb::arg("placement"), nb::arg("reference_frame") = nb::int_(1)

/// A pose with numbers of its own, those at `at`.
nb::object pose_copy(double* at) {
  nb::object object = pose_view(at, nullptr);
  Pose& pose = *nb::inst_ptr<Pose>(object);
  std::copy_n(at, std::size(pose.own), pose.own);
  pose.at = pose.own;
  return object;
}

void bind_placements(nb::module_& m) {
  m.def("forwardKinematics", &forward, ZWANG_OF_STATE, nb::arg("q"), nb::arg("v").none() = nb::none(),
        nb::arg("a").none() = nb::none(),
        "Placements of all joints; with v their velocities, with a their accelerations (without gravity).");
  m.def(
      "updateFramePlacements",
      [](ModelArgument model, DataArgument data) {
        return PoseList{state_at(model, data, nb::none(), "updateFramePlacements"), true};
      },
      ZWANG_OF_STATE, "data.oMf: it follows the last configuration without this call, too.");
  m.def(
      "updateFramePlacement",
      [](ModelArgument model, DataArgument data, Py_ssize_t frame) {
        const StatePointer& s = state_at(model, data, nb::none(), "updateFramePlacement");
        frame_of(s->core, frame, "updateFramePlacement");
        return pose_copy(s->pose(true, static_cast<Index>(frame)));
      },
      ZWANG_OF_STATE, nb::arg("frame_id"), "The placement of one frame.");
  m.def(
      "updateGlobalPlacements",
      [](ModelArgument model, DataArgument data) { state_at(model, data, nb::none(), "updateGlobalPlacements"); },
      ZWANG_OF_STATE, "data.oMi: it follows the last configuration without this call, too.");
  m.def(
      "framesForwardKinematics",
      [](ModelArgument model, DataArgument data, nb::handle q) { state_at(model, data, q, "framesForwardKinematics"); },
      ZWANG_OF_STATE, nb::arg("q").none() = nb::none(), "Placements of all joints and frames.");
}

void bind_motions(nb::module_& m) {
  constexpr auto spatial = AccelerationKind::spatial, classical = AccelerationKind::classical;
  m.def(
      "getVelocity",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, Axes axes) {
        return velocity<joint_of>(model, data, joint, axes, "getVelocity");
      },
      ZWANG_OF_NUMBER("joint_id"), "Velocity of a joint's frame.");
  m.def(
      "getAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, Axes axes) {
        return acceleration<joint_of>(model, data, joint, axes, spatial, "getAcceleration");
      },
      ZWANG_OF_NUMBER("joint_id"), "Spatial acceleration of a joint's frame, without gravity.");
  m.def(
      "getClassicalAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, Axes axes) {
        return acceleration<joint_of>(model, data, joint, axes, classical, "getClassicalAcceleration");
      },
      ZWANG_OF_NUMBER("joint_id"), "Classical acceleration of a joint's frame, without gravity.");
  m.def(
      "getFrameVelocity",
      [](ModelArgument model, DataArgument data, Py_ssize_t frame, Axes axes) {
        return velocity<frame_of>(model, data, frame, axes, "getFrameVelocity");
      },
      ZWANG_OF_NUMBER("frame_id"),
      "Velocity of a frame: (frame_id, reference_frame=LOCAL) or (joint_id, placement, reference_frame=LOCAL).");
  m.def("getFrameVelocity", &velocity_at, ZWANG_OF_PLACEMENT);
  m.def(
      "getFrameAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t frame, Axes axes) {
        return acceleration<frame_of>(model, data, frame, axes, spatial, "getFrameAcceleration");
      },
      ZWANG_OF_NUMBER("frame_id"),
      "Spatial acceleration of a frame, without gravity; arguments as of getFrameVelocity.");
  m.def(
      "getFrameAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, const Pose& placement, Axes axes) {
        return acceleration_at(model, data, joint, placement, axes, spatial, "getFrameAcceleration");
      },
      ZWANG_OF_PLACEMENT);
  m.def(
      "getFrameClassicalAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t frame, Axes axes) {
        return acceleration<frame_of>(model, data, frame, axes, classical, "getFrameClassicalAcceleration");
      },
      ZWANG_OF_NUMBER("frame_id"),
      "Classical acceleration of a frame, without gravity; arguments as of getFrameVelocity.");
  m.def(
      "getFrameClassicalAcceleration",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, const Pose& placement, Axes axes) {
        return acceleration_at(model, data, joint, placement, axes, classical, "getFrameClassicalAcceleration");
      },
      ZWANG_OF_PLACEMENT);
}

void bind_jacobians(nb::module_& m) {
  m.def("columns", [](const StateObject& s) { return columns_of(*s.at); });
  m.def(
      "computeJointJacobians",
      [](ModelArgument model, DataArgument data, nb::handle q) {
        return columns_of(*state_at(model, data, q, "computeJointJacobians"));
      },
      ZWANG_OF_STATE, nb::arg("q").none() = nb::none(),
      "data.J: the columns of all joints about the world's origin, in world axes.");
  m.def(
      "getJointJacobian",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, Axes axes) {
        Numbers& s = *now(model, data, "getJointJacobian");
        return jacobian_of(s, joint_of(s.core, joint, "getJointJacobian"), axes.reference);
      },
      ZWANG_OF_NUMBER("joint_id"), "Jacobian of a joint's frame, (6, nv).");
  m.def(
      "computeJointJacobian",
      [](ModelArgument model, DataArgument data, nb::handle q, Py_ssize_t joint) {
        CoreObject& core = core_in(core_of(model, data));
        std::vector<double> x(static_cast<std::size_t>(core.model.nq()));
        core.read_q(q, x.data());
        const FrameId frame = joint_of(core, joint, "computeJointJacobian");
        return core.columns(6, [&](Matrix out) {
          jacobian(core.model, core.scratch, ConstVector(x.data(), core.model.nq()), frame, Reference::local, out);
        });
      },
      ZWANG_OF_STATE, nb::arg("q"), nb::arg("joint_id"),
      "Jacobian of a joint's frame in its axes, (6, nv); data.J is that matrix in Pinocchio, too.");
  m.def(
      "getFrameJacobian",
      [](ModelArgument model, DataArgument data, Py_ssize_t frame, Axes axes) {
        Numbers& s = *now(model, data, "getFrameJacobian");
        return jacobian_of(s, frame_of(s.core, frame, "getFrameJacobian"), axes.reference);
      },
      ZWANG_OF_NUMBER("frame_id"),
      "Jacobian of a frame, (6, nv): (frame_id, reference_frame) or (joint_id, placement, reference_frame).");
  m.def(
      "getFrameJacobian",
      [](ModelArgument model, DataArgument data, Py_ssize_t joint, const Pose& placement, Axes axes) {
        Numbers& s = *now(model, data, "getFrameJacobian");
        return jacobian_at_placement(s, joint_of(s.core, joint, "getFrameJacobian"), placement, axes.reference);
      },
      ZWANG_OF_PLACEMENT);
  m.def(
      "computeFrameJacobian",
      [](ModelArgument model, DataArgument data, nb::handle q, Py_ssize_t frame, Axes axes) {
        Numbers& s = *data.p->move(core_of(model, data), q, nb::none(), nb::none());
        const FrameId id = frame_of(s.core, frame, "computeFrameJacobian");
        if (s.has(1)) return jacobian_of(s, id, axes.reference);
        return s.core.columns(6, [&](Matrix out) {  // along the frame's own path
          jacobian(s.core.model, s.core.scratch, s.q_(), id, axes.reference, out);
        });
      },
      ZWANG_OF_STATE, nb::arg("q"), nb::arg("frame_id"), nb::arg("reference_frame") = nb::int_(1),
      "Jacobian of a frame, (6, nv), at q.");
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  bind_placements(m);
  bind_motions(m);
  bind_jacobians(m);
}

}  // namespace zwang::python::pinocchio
