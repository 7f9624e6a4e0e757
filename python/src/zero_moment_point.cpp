// SPDX-License-Identifier: BSD-3-Clause
// Centre of pressure, zero-moment point, the inertia of a merged body, and `reference=` of momenta and inertias.
#include "zwang/algorithm/zero_moment_point.hpp"

#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "call.hpp"
#include "extended.hpp"
#include "frames.hpp"
#include "record.hpp"
#include "words.hpp"
#include "zwang/algorithm/references.hpp"

namespace zwang::python {
namespace {

/// Numbers and arrays; with N states they have a leading dimension.
struct PointOfPressure {
  nb::object point, normal_force, normal_moment, pressure;
};
template <class V> void fields(V& v, Type<PointOfPressure>) {
  using T = PointOfPressure;
  v.record("CentreOfPressure",
           "Where on a plane a wrench has no moment along the plane; with N of them arrays have a leading dimension.");
  v("point", &T::point, "(3,) on the plane, world [m]; NaN where there is none");
  v("normal_force", &T::normal_force, "() along the normal [N]");
  v("normal_moment", &T::normal_moment, "() about the normal through the point [N m]; NaN where there is none");
  v("pressure", &T::pressure,
    "'pressing': contacts that push can have their centre of pressure there; 'pulling': only contacts that pull give "
    "this\nwrench; 'none': the force along the normal vanishes, there is no such point. A list of N of them",
    {.type = "str | list[str]"});
}

/// Where the results of N wrenches, or of one, are written.
class Points {
 public:
  Points(const char* function, Index states)
      : many_(states >= 0),
        point_(function, "point", nb::none(), states, {3}),
        force_(function, "normal_force", nb::none(), states, {}),
        moment_(function, "normal_moment", nb::none(), states, {}),
        words_(static_cast<std::size_t>(many_ ? states : 1), Pressure::none) {}
  void put(Index k, const CentreOfPressure& c) {
    for (Index i = 0; i < 3; ++i) point_.set(k, i, 0, c.point[static_cast<int>(i)]);
    force_.put(k, c.normal_force);
    moment_.put(k, c.normal_moment);
    words_[static_cast<std::size_t>(k)] = c.pressure;
  }
  PointOfPressure take() const {
    nb::list all;
    for (const Pressure p : words_) all.append(name_of(p));
    return {point_.array, force_.array, moment_.array, many_ ? nb::object(all) : nb::object(all[0])};
  }

 private:
  bool many_;
  Output point_, force_, moment_;
  std::vector<Pressure> words_;
};

PointOfPressure pressure_of(nb::handle wrench_, nb::handle about_, nb::handle normal_, nb::handle point_) {
  constexpr const char* function = "centre_of_pressure";
  const Input wrench(function, "wrench", wrench_, 6);
  const Vec3<double> about = vec3(function, "about", about_), normal = vec3(function, "normal", normal_),
                     point = vec3(function, "point", point_);
  Points out(function, wrench.states());
  const Index count = wrench.states() < 0 ? 1 : wrench.states();
  for (Index k = 0; k < count; ++k) {
    const double* const w = wrench.at(k);
    out.put(k, centre_of_pressure({{w[0], w[1], w[2]}, {w[3], w[4], w[5]}}, about, normal, point));
  }
  return out.take();
}

PointOfPressure point_of_motion(const Robot& robot, nb::handle q_, nb::handle v_, nb::handle a_, nb::handle normal_,
                                nb::handle point_, nb::handle external, const char* in, nb::handle gravity) {
  Call call("zero_moment_point", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_), &a = call.tangent("a", a_);
  call.environment(gravity, external, in);
  const Vec3<double> normal = vec3("zero_moment_point", "normal", normal_),
                     point = vec3("zero_moment_point", "point", point_);
  Points out("zero_moment_point", call.states());
  call.run([&](Workspace& w, Index k) {
    out.put(
        k, zero_moment_point(robot.model, w.data, vector(q, k), vector(v, k), vector(a, k), normal, point, w.external));
  });
  return out.take();
}

void put_inertia(const Output& out, Index k, const Inertia<double>& I) {
  for (Index c = 0; c < 6; ++c) {
    Motion<double> e = Motion<double>::zero();
    e[static_cast<int>(c)] = 1;
    const Force<double> column = I * e;
    for (Index r = 0; r < 6; ++r) out.set(k, r, c, column[static_cast<int>(r)]);
  }
}
nb::object inertia_of_body(const Robot& robot, FrameGiven frame) {
  const Lease lease(robot);
  const FrameId id = frame_of(robot, "body_inertia", frame);
  const Output out("body_inertia", "out", nb::none(), -1, {6, 6});
  put_inertia(out, 0, body_inertia(robot.model, (*lease).data, id));
  return out.array;
}

// --- reference= -----------------------------------------------------------------------------------------------------

/// The axes that results in world axes are turned into, where a frame's name is given.
Transform<double> turned_into(const Robot& robot, const Workspace& w, const Seen& seen) {
  if (!seen.axes) return Transform<double>::identity();
  return {transpose(frame_pose(robot.model, w.data, seen.axes).R), Vec3<double>::zero()};
}
nb::object momentum_seen(const Robot& robot, nb::handle q_, nb::handle v_, FrameGiven frame, const std::string& word,
                         nb::handle out_) {
  Call call("body_momentum", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  const FrameId id = frame_of(robot, "body_momentum", frame);
  const Seen seen = Seen::from(robot.model, word.c_str(), "reference");
  const Output& out = call.output(out_, {6});
  call.run([&](Workspace& w, Index k) {
    const Force<double> p = body_momentum(robot.model, w.data, vector(q, k), vector(v, k), id, seen.reference);
    const Force<double> turned = turned_into(robot, w, seen) * p;
    for (Index r = 0; r < 6; ++r) out.set(k, r, 0, turned[static_cast<int>(r)]);
  });
  return out.array;
}
nb::object inertia_seen(const Robot& robot, nb::handle q_, FrameGiven frame, const std::string& word, nb::handle out_) {
  Call call("composite_inertia", robot);
  const Input& q = call.configuration(q_);
  const FrameId id = frame_of(robot, "composite_inertia", frame);
  const Seen seen = Seen::from(robot.model, word.c_str(), "reference");
  const Output& out = call.output(out_, {6, 6});
  call.run([&](Workspace& w, Index k) {
    const Inertia<double> I = composite_inertia(robot.model, w.data, vector(q, k), id, seen.reference);
    put_inertia(out, k, turned_into(robot, w, seen) * I);
  });
  return out.array;
}
nb::object inertia_rate_seen(const Robot& robot, nb::handle q_, nb::handle v_, FrameGiven frame,
                             const std::string& word, nb::handle out_) {
  Call call("composite_inertia_rate", robot);
  const Input &q = call.configuration(q_), &v = call.tangent("v", v_);
  const FrameId id = frame_of(robot, "composite_inertia_rate", frame);
  const Seen seen = Seen::from(robot.model, word.c_str(), "reference");
  const Output& out = call.output(out_, {6, 6});
  call.run([&](Workspace& w, Index k) {
    Eigen::MatrixXd rate(6, 6), turn = Eigen::MatrixXd::Zero(6, 6);
    composite_inertia_rate(robot.model, w.data, vector(q, k), vector(v, k), id, seen.reference, rate);
    const Mat3<double> R = turned_into(robot, w, seen).R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) turn(i, j) = turn(3 + i, 3 + j) = R(i, j);
    const Eigen::MatrixXd turned = turn * rate * turn.transpose();
    out.put_matrix(k, turned.data());
  });
  return out.array;
}

/// Calls `seen` with what the function was given, and the word of the reference.
void take_reference(nb::module_& m, const char* name, nb::object seen) {
  take(m, name, "reference", "str",
       "local unless given (the frame's origin and axes), local_world_aligned (its origin, the world's axes), world "
       "(the\nworld's origin and axes), or a frame: the frame's origin, the axes of that one.",
       [seen = std::move(seen), plain = nb::object(m.attr(name))](const nb::object& word, const nb::args& given,
                                                                  nb::dict& words) {
         if (!nb::isinstance<nb::str>(word))
           throw std::invalid_argument("argument 'reference' has type " + type_text(word) + ", expected a word");
         if (nb::cast<std::string>(word) == "local") return nb::object(plain(*given, **words));
         words["reference"] = word;
         return nb::object(seen(*given, **words));
       });
}

}  // namespace

void bind_zero_moment_point(nb::module_& m) {
  result_class<PointOfPressure>(m);
  def(m,
      ZWANG_SIGNATURE("def centre_of_pressure(wrench: ArrayLike, about: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, "
                      "0, 1), point: ArrayLike = (0, 0, 0)) -> CentreOfPressure"),
      &pressure_of,
      "Where on the plane through `point` with the normal `normal` a wrench has no moment along the plane.\n\n"
      "wrench: [force; moment] in world axes about the point `about`, (6,) or (N, 6): as solution.group(name).wrench "
      "is it. The "
      "point is\n"
      "point + e x n / (e.f), with e the unit normal and n the moment about `point`. Raises ValueError for numbers "
      "that are\nnot finite and a normal of length 0.");
  def(m,
      ZWANG_SIGNATURE("def zero_moment_point(model: Model, q: Vector, v: Vector, a: Vector, normal: ArrayLike = (0, 0, "
                      "1), point: ArrayLike = (0, 0, 0), *, external: External | None = None, in_: str = "
                      "\"local_world_aligned\", gravity: ArrayLike | None = None) -> CentreOfPressure"),
      &point_of_motion,
      "centre_of_pressure of the wrench that the ground must give for a motion: what moves the robot, minus gravity "
      "and\n"
      "`external`. Vukobratovic and Borovac 2004.\n\n"
      "q (nq,) or (N, nq), and so on. In flight there is none, whatever the motors do. Raises ValueError naming "
      "argument, "
      "got and expected.");
  def(m, ZWANG_SIGNATURE("def body_inertia(model: Model, frame: str | int) -> Array"), &inertia_of_body,
      "Inertia of the frame's body, links that are fixed to each other merged, about the frame's origin, in its axes, "
      "6 x 6:\n[m 1, -[h]; [h], I]. Raises ValueError for frames on the ground.");
  nb::object momentum = nb::cpp_function(&momentum_seen, nb::arg("model"), nb::arg("q"), nb::arg("v"), nb::arg("frame"),
                                         nb::kw_only(), nb::arg("reference"), nb::arg("out") = nb::none());
  nb::object inertia = nb::cpp_function(&inertia_seen, nb::arg("model"), nb::arg("q"), nb::arg("frame"), nb::kw_only(),
                                        nb::arg("reference"), nb::arg("out") = nb::none());
  nb::object rate = nb::cpp_function(&inertia_rate_seen, nb::arg("model"), nb::arg("q"), nb::arg("v"), nb::arg("frame"),
                                     nb::kw_only(), nb::arg("reference"), nb::arg("out") = nb::none());
  take_reference(m, "body_momentum", momentum);
  m.attr("link_momentum") = m.attr("body_momentum");
  take_reference(m, "composite_inertia", inertia);
  take_reference(m, "composite_inertia_rate", rate);
  take_velocity(m, "composite_inertia", "composite_inertia_rate");
}

}  // namespace zwang::python
