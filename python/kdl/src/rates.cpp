// SPDX-License-Identifier: BSD-3-Clause
// Vectors, rotations, frames and twists with their rates.
#include <kdl/framevel.hpp>
#include <kdl/framevel_io.hpp>

#include "numbers.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

/// Sums of vectors or twists with rates.
template <class T> void linear(nb::class_<T>& type) {
  type.def(nb::self += nb::self, nb::rv_policy::none)
      .def(nb::self -= nb::self, nb::rv_policy::none)
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self * double())
      .def(double() * nb::self)
      .def(nb::self * doubleVel())
      .def(doubleVel() * nb::self)
      .def(nb::self / double())
      .def(nb::self / doubleVel())
      .def(-nb::self)
      .def("ReverseSign", &T::ReverseSign)
      .def_static("Zero", [] { return T::Zero(); });
}

void bind_double(nb::module_& m) {
  nb::class_<doubleVel> type(m, "doubleVel");
  type.def(nb::init<>())
      .def(nb::init<double>())
      .def(nb::init<double, double>())
      .def(nb::init<const doubleVel&>())
      .def_rw("t", &doubleVel::t)
      .def_rw("grad", &doubleVel::grad)
      .def("value", [](const doubleVel& x) { return x.value(); })
      .def("deriv", [](const doubleVel& x) { return x.deriv(); })
      .def("__neg__", [](const doubleVel& x) { return doubleVel(-x); });
  value_type(type);
  pickles(
      type,
      [](const doubleVel& x) {
        return std::vector<double>{x.t, x.grad};
      },
      [](const std::vector<double>& n) { return doubleVel(n.at(0), n.at(1)); });
  equality<doubleVel>(m);
  differences<doubleVel, doubleVel>(m);
}

void bind_vector(nb::module_& m) {
  nb::class_<VectorVel> type(m, "VectorVel");
  type.def(nb::init<>())
      .def(nb::init<const Vector&, const Vector&>(), "p"_a, "v"_a)
      .def(nb::init<const Vector&>(), "p"_a)
      .def(nb::init<const VectorVel&>())
      .def_rw("p", &VectorVel::p)
      .def_rw("v", &VectorVel::v)
      .def("value", [](const VectorVel& x) { return Vector(x.value()); })
      .def("deriv", [](const VectorVel& x) { return Vector(x.deriv()); })
      .def(
          "Norm", [](const VectorVel& x, double eps) { return x.Norm(eps); }, "eps"_a = epsilon)
      .def(nb::self + Vector())
      .def(nb::self - Vector())
      .def(Vector() + nb::self)
      .def(Vector() - nb::self)
      .def(nb::self * nb::self)
      .def(nb::self * Vector())
      .def(Vector() * nb::self)
      .def(Rotation() * nb::self);
  linear(type);
  value_type<VectorVel, Vector>(type);
  pickles(
      type, [](const VectorVel& x) { return numbers(x.p, x.v); },
      [](const std::vector<double>& n) { return VectorVel(vector_from(n, 0), vector_from(n, 3)); });
  equalities<VectorVel, Vector>(m);
  differences<VectorVel, VectorVel>(m);
  m.def("SetToZero", [](VectorVel& x) { SetToZero(x); });
  m.def("dot", [](const VectorVel& a, const VectorVel& b) { return dot(a, b); });
  m.def("dot", [](const VectorVel& a, const Vector& b) { return dot(a, b); });
  m.def("dot", [](const Vector& a, const VectorVel& b) { return dot(a, b); });
}

void bind_twist(nb::module_& m) {
  nb::class_<TwistVel> type(m, "TwistVel");
  type.def(nb::init<>())
      .def(nb::init<const VectorVel&, const VectorVel&>(), "vel"_a, "rot"_a)
      .def(nb::init<const Twist&, const Twist&>(), "p"_a, "v"_a)
      .def(nb::init<const Twist&>(), "p"_a)
      .def(nb::init<const TwistVel&>())
      .def_rw("vel", &TwistVel::vel)
      .def_rw("rot", &TwistVel::rot)
      .def("value", [](const TwistVel& x) { return x.GetTwist(); })
      .def("deriv", [](const TwistVel& x) { return x.GetTwistDot(); })
      .def(
          "RefPoint", [](const TwistVel& x, const VectorVel& base) { return x.RefPoint(base); }, "base"_a)
      .def("GetTwist", &TwistVel::GetTwist)
      .def("GetTwistDot", &TwistVel::GetTwistDot);
  linear(type);
  value_type<TwistVel, Twist>(type);
  pickles(
      type, [](const TwistVel& x) { return numbers(x.vel.p, x.vel.v, x.rot.p, x.rot.v); },
      [](const std::vector<double>& n) {
        return TwistVel(VectorVel(vector_from(n, 0), vector_from(n, 3)),
                        VectorVel(vector_from(n, 6), vector_from(n, 9)));
      });
  equalities<TwistVel, Twist>(m);
  m.def("SetToZero", [](TwistVel& x) { SetToZero(x); });
}

void bind_rotation(nb::module_& m) {
  nb::class_<RotationVel> type(m, "RotationVel");
  type.def(nb::init<>())
      .def(nb::init<const Rotation&>(), "R"_a)
      .def(nb::init<const Rotation&, const Vector&>(), "R"_a, "w"_a)
      .def(nb::init<const RotationVel&>())
      .def_rw("R", &RotationVel::R)
      .def_rw("w", &RotationVel::w)
      .def("value", [](const RotationVel& x) { return Rotation(x.value()); })
      .def("deriv", [](const RotationVel& x) { return Vector(x.deriv()); })
      .def("UnitX", [](const RotationVel& x) { return x.UnitX(); })
      .def("UnitY", [](const RotationVel& x) { return x.UnitY(); })
      .def("UnitZ", [](const RotationVel& x) { return x.UnitZ(); })
      .def_static("Identity", [] { return RotationVel::Identity(); })
      .def("Inverse", [](const RotationVel& x) { return x.Inverse(); })
      .def("Inverse", [](const RotationVel& x, const VectorVel& v) { return x.Inverse(v); })
      .def("Inverse", [](const RotationVel& x, const Vector& v) { return x.Inverse(v); })
      .def("Inverse", [](const RotationVel& x, const TwistVel& v) { return x.Inverse(v); })
      .def("Inverse", [](const RotationVel& x, const Twist& v) { return x.Inverse(v); })
      .def("DoRotX", [](RotationVel& x, const doubleVel& a) { x.DoRotX(a); })
      .def("DoRotY", [](RotationVel& x, const doubleVel& a) { x.DoRotY(a); })
      .def("DoRotZ", [](RotationVel& x, const doubleVel& a) { x.DoRotZ(a); })
      .def_static("RotX", [](const doubleVel& a) { return RotationVel::RotX(a); })
      .def_static("RotY", [](const doubleVel& a) { return RotationVel::RotY(a); })
      .def_static("RotZ", [](const doubleVel& a) { return RotationVel::RotZ(a); })
      .def_static("Rot", [](const Vector& axis, const doubleVel& a) { return RotationVel::Rot(axis, a); })
      .def_static("Rot2", [](const Vector& axis, const doubleVel& a) { return RotationVel::Rot2(axis, a); })
      .def(nb::self * nb::self)
      .def(nb::self * Rotation())
      .def(nb::self * VectorVel())
      .def(nb::self * Vector())
      .def(nb::self * TwistVel())
      .def(nb::self * Twist())
      .def(Rotation() * nb::self);
  value_type<RotationVel, Rotation>(type);
  pickles(
      type, [](const RotationVel& x) { return numbers(x.R, x.w); },
      [](const std::vector<double>& n) { return RotationVel(rotation_from(n), vector_from(n, 9)); });
  equalities<RotationVel, Rotation>(m);
  differences<RotationVel, VectorVel>(m);
}

void bind_frame(nb::module_& m) {
  nb::class_<FrameVel> type(m, "FrameVel");
  type.def(nb::init<>())
      .def(nb::init<const Frame&>(), "T"_a)
      .def(nb::init<const Frame&, const Twist&>(), "T"_a, "t"_a)
      .def(nb::init<const RotationVel&, const VectorVel&>(), "M"_a, "p"_a)
      .def(nb::init<const FrameVel&>())
      .def_rw("M", &FrameVel::M)
      .def_rw("p", &FrameVel::p)
      .def("value", [](const FrameVel& x) { return x.GetFrame(); })
      .def("deriv", [](const FrameVel& x) { return x.GetTwist(); })
      .def_static("Identity", [] { return FrameVel::Identity(); })
      .def("Inverse", [](const FrameVel& x) { return x.Inverse(); })
      .def("Inverse", [](const FrameVel& x, const VectorVel& v) { return x.Inverse(v); })
      .def("Inverse", [](const FrameVel& x, const Vector& v) { return x.Inverse(v); })
      .def("Inverse", [](const FrameVel& x, const TwistVel& v) { return x.Inverse(v); })
      .def("Inverse", [](const FrameVel& x, const Twist& v) { return x.Inverse(v); })
      .def(nb::self * nb::self)
      .def(nb::self * Frame())
      .def(nb::self * VectorVel())
      .def(nb::self * Vector())
      .def(nb::self * TwistVel())
      .def(nb::self * Twist())
      .def(Frame() * nb::self)
      .def("GetFrame", &FrameVel::GetFrame)
      .def("GetTwist", &FrameVel::GetTwist);
  value_type<FrameVel, Frame>(type);
  pickles(
      type, [](const FrameVel& x) { return numbers(x.M.R, x.M.w, x.p.p, x.p.v); },
      [](const std::vector<double>& n) {
        return FrameVel(RotationVel(rotation_from(n), vector_from(n, 9)),
                        VectorVel(vector_from(n, 12), vector_from(n, 15)));
      });
  equalities<FrameVel, Frame>(m);
  differences<FrameVel, TwistVel>(m);
}

}  // namespace

void bind_rates(nb::module_& m) {
  bind_double(m);
  bind_vector(m);
  bind_twist(m);
  bind_rotation(m);
  bind_frame(m);
}

}  // namespace zwang::python::kdl
