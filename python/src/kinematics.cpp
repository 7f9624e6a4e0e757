// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities, accelerations and Jacobians of frames.
#include "zwang/algorithm/kinematics.hpp"

#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {
namespace {

#define ZWANG_FRAME_DOC                                                                                                \
  "\n\n"                                                                                                               \
  "reference: local (the frame's origin and axes), world (the world's), local_world_aligned (the frame's origin,\n"    \
  "    the world's axes), or the name of a frame (origin of `frame`, axes of that frame). q (nq,) or (N, nq) and so\n" \
  "    on; with N states the result has a leading dimension N. out: a float64 array that receives the result.\n"       \
  "Raises ValueError naming argument, got and expected, for unknown frames with the nearest name."

FrameId frame_of(const Robot& robot, const char* name) {
  robot.model.frame(name);  // throws with the nearest name
  return robot.model.find_frame(name);
}

/// The 4 x 4 matrix by rows.
void put_pose(const Transform<double>& X, double* out) {
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) *out++ = i == 3 ? (j == 3 ? 1.0 : 0.0) : j == 3 ? X.p[i] : X.R(i, j);
}

/// Rows in the world's axes, turned into those of a frame.
void turn(const Robot& robot, const Workspace& w, FrameId axes, double* six) {
  const Mat3<double> R = frame_pose(robot.model, w.data, axes).R;
  for (int part = 0; part < 6; part += 3) {
    const Vec3<double> x = transpose_times(R, Vec3<double>{six[part], six[part + 1], six[part + 2]});
    six[part] = x.x, six[part + 1] = x.y, six[part + 2] = x.z;
  }
}
void put(const Robot& robot, const Workspace& w, const Seen& seen, const Output& out, Index k,
         const Motion<double>& m) {
  double six[6] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z};
  if (seen.axes) turn(robot, w, seen.axes, six);
  out.put(k, six);
}
void put_columns(const Robot& robot, const Workspace& w, const Seen& seen, const Output& out, Index k, double* J) {
  for (Index c = 0; seen.axes && c < robot.model.nv(); ++c) turn(robot, w, seen.axes, J + 6 * c);
  out.put_matrix(k, J);
}

void bind_frames(nb::module_& m) {
  m.def(
      "frame_pose",
      [](const Robot& robot, nb::handle q_, const char* name, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("frame_pose", robot, Precision::any);
        const FrameId frame = frame_of(robot, name);
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {4, 4});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k));
              double x[16];
              put_pose(frame_pose(robot.model, w.data, frame), x);
              out.put_rows(k, x);
            },
            [&](auto& x) { x.batch.frame_pose(x(q), frame, x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frame"), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def frame_pose(model: Model, q: Vector, frame: str, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Pose of a frame in the world: the 4 x 4 matrix [R p; 0 1] that maps frame coordinates to the world's  [m].\n\n"
      "Every link, every joint and every frame added by with_frame is a frame. q (nq,) or (N, nq); result (4, 4) or\n"
      "(N, 4, 4). Raises ValueError naming argument, got and expected, for unknown frames with the nearest "
      "name." ZWANG_BATCH_DOC);
  m.def(
      "frame_poses",
      [](const Robot& robot, nb::handle q_, const std::vector<std::string>& names, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("frame_poses", robot, Precision::any);
        std::vector<FrameId> frames;
        for (const std::string& name : names) frames.push_back(frame_of(robot, name.c_str()));
        const Index count = static_cast<Index>(frames.size());
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {count, 4, 4});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k));
              double* const x = w.numbers(16 * count);
              for (Index f = 0; f < count; ++f)
                put_pose(frame_pose(robot.model, w.data, frames[static_cast<std::size_t>(f)]), x + 16 * f);
              out.put_rows(k, x);
            },
            [&](auto& x) { x.batch.frame_poses(x(q), frames, x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frames"), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def frame_poses(model: Model, q: Vector, frames: Sequence[str], *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Poses of many frames by one pass over the robot: what frame_pose gives for each of them, (F, 4, 4) for F "
      "names;\n"
      "q (N, nq) gives (N, F, 4, 4).  [m]\n\n"
      "Raises ValueError naming argument, got and expected, for unknown frames with the nearest name." ZWANG_BATCH_DOC);
  m.def(
      "frame_velocity",
      [](const Robot& robot, nb::handle q_, nb::handle v_, const char* name, const char* reference, nb::handle out_,
         nb::handle status, nb::handle progress) {
        Call call("frame_velocity", robot, Precision::any);
        const FrameId frame = frame_of(robot, name);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        const Output& out = call.output(out_, {6});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k), vector(v, k));
              put(robot, w, seen, out, k, frame_velocity(robot.model, w.data, frame, seen.reference));
            },
            [&](auto& x) { x.batch.frame_velocity(x(q), x(v), frame, x(out), seen.reference); }, !seen.axes);
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(), nb::arg("frame"),
      nb::arg("reference") = "local_world_aligned", nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def frame_velocity(model: Model, q: Vector, v: Vector, frame: str, "
              "reference: str = \"local_world_aligned\", *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Velocity of a frame, [linear; angular]  [m/s, rad/s], shape (6,)." ZWANG_FRAME_DOC ZWANG_BATCH_DOC);
  m.def(
      "frame_acceleration",
      [](const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, const char* name, const char* kind_,
         const char* reference, bool with_gravity, nb::handle gravity, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("frame_acceleration", robot, Precision::any);
        const FrameId frame = frame_of(robot, name);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const AccelerationKind kind = acceleration_of("frame_acceleration", "kind", kind_);
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
        call.gravity(gravity);
        const Output& out = call.output(out_, {6});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              forward_kinematics(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k));
              put(robot, w, seen, out, k,
                  frame_acceleration(robot.model, w.data, frame, kind, seen.reference, with_gravity));
            },
            [&](auto& x) {
              x.batch.frame_acceleration(x(q), x(v), x(a), frame, x(out), kind, seen.reference, with_gravity);
            },
            !seen.axes);
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(), nb::arg("a").none(), nb::arg("frame"),
      nb::arg("kind") = "classical", nb::arg("reference") = "local_world_aligned", nb::kw_only(),
      nb::arg("with_gravity") = false, nb::arg("gravity") = nb::none(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def frame_acceleration(model: Model, q: Vector, v: Vector, a: Vector, frame: str, "
              "kind: str = \"classical\", reference: str = \"local_world_aligned\", *, with_gravity: bool = False, "
              "gravity: ArrayLike | None = None, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "Acceleration of a frame, [linear; angular]  [m/s^2, rad/s^2], gravity not counted (a body at rest has none), "
      "(6,).\n\n"
      "kind: classical (the rate of the velocity of the point) or spatial (classical minus w x v). with_gravity adds\n"
      "-g: what an accelerometer feels." ZWANG_FRAME_DOC ZWANG_BATCH_DOC);
}

void bind_jacobians(nb::module_& m) {
  m.def(
      "jacobian",
      [](const Robot& robot, nb::handle q_, const char* name, const char* reference, nb::handle out_, nb::handle status,
         nb::handle progress) {
        Call call("jacobian", robot, Precision::any);
        const FrameId frame = frame_of(robot, name);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {6, nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              Eigen::Map<Eigen::MatrixXd> J(w.numbers(6 * nv), 6, nv);
              if (seen.axes) {
                forward_kinematics(robot.model, w.data, vector(q, k));
                jacobian(robot.model, w.data, frame, seen.reference, J);
              } else {
                jacobian(robot.model, w.data, vector(q, k), frame, seen.reference, J);
              }
              put_columns(robot, w, seen, out, k, J.data());
            },
            [&](auto& x) { x.batch.jacobian(x(q), frame, seen.reference, x(out)); }, !seen.axes);
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frame"), nb::arg("reference") = "local_world_aligned",
      nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def jacobian(model: Model, q: Vector, frame: str, reference: str = \"local_world_aligned\", *, "
              "" ZWANG_BATCH_SIGNATURE ") -> Array"),
      "J with  frame_velocity = J v, shape (6, nv), linear rows first  [m, rad per unit of v]." ZWANG_FRAME_DOC
          ZWANG_BATCH_DOC);
  m.def(
      "jacobian_dot",
      [](const Robot& robot, nb::handle q_, nb::handle v_, const char* name, const char* reference, nb::handle out_,
         nb::handle status, nb::handle progress) {
        Call call("jacobian_dot", robot, Precision::any);
        const FrameId frame = frame_of(robot, name);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const Index nv = robot.model.nv();
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        const Output& out = call.output(out_, {6, nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              double* const numbers = w.numbers(12 * nv);
              Eigen::Map<Eigen::MatrixXd> Jdot(numbers, 6, nv), J(numbers + 6 * nv, 6, nv);
              jacobian_dot(robot.model, w.data, vector(q, k), vector(v, k), frame, seen.reference, Jdot);
              if (seen.axes) {  // d/dt (R^T J) = R^T (dJ/dt - omega x J)
                jacobian(robot.model, w.data, frame, seen.reference, J);
                const Vec3<double> omega =
                    frame_velocity(robot.model, w.data, seen.axes, Reference::local_world_aligned).w;
                for (Index c = 0; c < nv; ++c)
                  for (Index part = 0; part < 6; part += 3) {
                    const Vec3<double> x = cross(omega, Vec3<double>{J(part, c), J(part + 1, c), J(part + 2, c)});
                    for (int i = 0; i < 3; ++i) Jdot(part + i, c) -= x[i];
                  }
              }
              put_columns(robot, w, seen, out, k, Jdot.data());
            },
            [&](auto& x) { x.batch.jacobian_dot(x(q), x(v), frame, seen.reference, x(out)); }, !seen.axes);
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(), nb::arg("frame"),
      nb::arg("reference") = "local_world_aligned", nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def jacobian_dot(model: Model, q: Vector, v: Vector, frame: str, "
              "reference: str = \"local_world_aligned\", *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "dJ/dt, the time derivative of the matrix that jacobian returns, shape (6, nv).\n\n"
      "J a + dJ/dt v is the spatial acceleration for local and world, the classical one for "
      "local_world_aligned." ZWANG_FRAME_DOC ZWANG_BATCH_DOC);
  m.def(
      "jacobian_at",
      [](const Robot& robot, nb::handle q_, const char* name, nb::handle point_, nb::handle out_) {
        Call call("jacobian_at", robot);
        const FrameId frame = frame_of(robot, name);
        const Vec3<double> point = vec3("jacobian_at", "point", point_);
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {6, nv});
        call.run([&](Workspace& w, Index k) {
          forward_kinematics(robot.model, w.data, vector(q, k));
          Eigen::Map<Eigen::MatrixXd> J(w.numbers(6 * nv), 6, nv);
          jacobian_at(robot.model, w.data, frame, point, J);
          out.put_matrix(k, J.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frame"), nb::arg("point").none(), nb::kw_only(),
      nb::arg("out") = nb::none(),
      nb::sig("def jacobian_at(model: Model, q: Vector, frame: str, point: ArrayLike, *, "
              "out: Array | None = None) -> Array"),
      "Jacobian of a point fixed to a frame's body, given in world coordinates [m]; world axes, shape (6, nv).\n\n"
      "q (nq,) or (N, nq). Raises ValueError naming argument, got and expected.");
}

void bind_relative(nb::module_& m) {
  m.def(
      "relative_pose",
      [](const Robot& robot, nb::handle q_, const char* name, const char* from, nb::handle out_) {
        Call call("relative_pose", robot);
        const FrameId frame = frame_of(robot, name), seen_from = frame_of(robot, from);
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {4, 4});
        call.run([&](Workspace& w, Index k) {
          forward_kinematics(robot.model, w.data, vector(q, k));
          double x[16];
          put_pose(relative_pose(robot.model, w.data, frame, seen_from), x);
          out.put_rows(k, x);
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frame"), nb::arg("seen_from"), nb::kw_only(),
      nb::arg("out") = nb::none(),
      nb::sig("def relative_pose(model: Model, q: Vector, frame: str, seen_from: str, *, out: Array | None = None) "
              "-> Array"),
      "Pose of a frame in another: the 4 x 4 matrix [R p; 0 1] that maps coordinates of `frame` to those of\n"
      "`seen_from`  [m]. q (nq,) or (N, nq); result (4, 4) or (N, 4, 4). Raises ValueError naming argument, got and\n"
      "expected, for unknown frames with the nearest name.");
  m.def(
      "relative_velocity",
      [](const Robot& robot, nb::handle q_, nb::handle v_, const char* name, const char* from, const char* reference,
         nb::handle out_) {
        Call call("relative_velocity", robot);
        const FrameId frame = frame_of(robot, name), seen_from = frame_of(robot, from);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
        const Output& out = call.output(out_, {6});
        call.run([&](Workspace& w, Index k) {
          forward_kinematics(robot.model, w.data, vector(q, k), vector(v, k));
          put(robot, w, seen, out, k, relative_velocity(robot.model, w.data, frame, seen_from, seen.reference));
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("v").none(), nb::arg("frame"), nb::arg("seen_from"),
      nb::arg("reference") = "local_world_aligned", nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def relative_velocity(model: Model, q: Vector, v: Vector, frame: str, seen_from: str, "
              "reference: str = \"local_world_aligned\", *, out: Array | None = None) -> Array"),
      "Velocity of a frame as one sees it who moves (and turns) along with the frame seen_from, [linear; angular]\n"
      "[m/s, rad/s], shape (6,): the difference of the two spatial velocities at the origin of "
      "`frame`." ZWANG_FRAME_DOC);
  m.def(
      "relative_jacobian",
      [](const Robot& robot, nb::handle q_, const char* name, const char* from, const char* reference,
         nb::handle out_) {
        Call call("relative_jacobian", robot);
        const FrameId frame = frame_of(robot, name), seen_from = frame_of(robot, from);
        const Seen seen = Seen::from(robot.model, reference, "reference");
        const Index nv = robot.model.nv();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {6, nv});
        call.run([&](Workspace& w, Index k) {
          forward_kinematics(robot.model, w.data, vector(q, k));
          Eigen::Map<Eigen::MatrixXd> J(w.numbers(6 * nv), 6, nv);
          relative_jacobian(robot.model, w.data, frame, seen_from, seen.reference, J);
          put_columns(robot, w, seen, out, k, J.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("frame"), nb::arg("seen_from"),
      nb::arg("reference") = "local_world_aligned", nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def relative_jacobian(model: Model, q: Vector, frame: str, seen_from: str, "
              "reference: str = \"local_world_aligned\", *, out: Array | None = None) -> Array"),
      "J with  relative_velocity = J v, shape (6, nv). Joints that move both frames alike have zero "
      "columns." ZWANG_FRAME_DOC);
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  bind_frames(m);
  bind_jacobians(m);
  bind_relative(m);
}

}  // namespace zwang::python
