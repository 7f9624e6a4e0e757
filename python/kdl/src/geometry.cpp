// SPDX-License-Identifier: BSD-3-Clause
// Vectors, rotations, frames, twists, wrenches.
#include <kdl/frames.hpp>
#include <kdl/frames_io.hpp>

#include "numbers.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

template <class T> std::vector<double> six(const T& t) { return {t(0), t(1), t(2), t(3), t(4), t(5)}; }
template <class T> T six_from(const std::vector<double>& n) {
  return T(Vector(n.at(0), n.at(1), n.at(2)), Vector(n.at(3), n.at(4), n.at(5)));
}

void bind_vector(nb::module_& m) {
  nb::class_<Vector> type(m, "Vector");
  type.def(nb::init<>())
      .def(nb::init<double, double, double>(), "x"_a, "y"_a, "z"_a)
      .def(nb::init<const Vector&>())
      .def("x", [](Vector& v, double x) { v.x(x); })
      .def("y", [](Vector& v, double y) { v.y(y); })
      .def("z", [](Vector& v, double z) { v.z(z); })
      .def("x", [](const Vector& v) { return v.x(); })
      .def("y", [](const Vector& v) { return v.y(); })
      .def("z", [](const Vector& v) { return v.z(); })
      .def("__len__", [](const Vector&) { return 3; })
      .def("__getitem__", [](const Vector& v, int i) { return v(index_of(i, 3, "Vector")); })
      .def("__setitem__", [](Vector& v, int i, double x) { v(index_of(i, 3, "Vector")) = x; })
      .def("ReverseSign", &Vector::ReverseSign)
      .def(nb::self += nb::self, nb::rv_policy::none)
      .def(nb::self -= nb::self, nb::rv_policy::none)
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self * nb::self)
      .def(nb::self * double())
      .def(double() * nb::self)
      .def(nb::self / double())
      .def(-nb::self)
      .def_static("Zero", [] { return Vector::Zero(); })
      .def(
          "Norm", [](const Vector& v, double eps) { return v.Norm(eps); }, "eps"_a = epsilon)
      .def(
          "Normalize", [](Vector& v, double eps) { return v.Normalize(eps); }, "eps"_a = epsilon);
  value_type(type);
  pickles(
      type, [](const Vector& v) { return numbers(v); },
      [](const std::vector<double>& n) { return Vector(n.at(0), n.at(1), n.at(2)); });
  hashes(type);
  m.def("SetToZero", [](Vector& v) { SetToZero(v); });
  m.def("dot", [](const Vector& a, const Vector& b) { return dot(a, b); });
}

template <class T> void six_numbers(nb::class_<T>& type, const char* name) {
  const std::string what = name;
  type.def(nb::init<>())
      .def(nb::init<const T&>())
      .def("__len__", [](const T&) { return 6; })
      .def("__getitem__", [what](const T& t, int i) { return t(index_of(i, 6, what.c_str())); })
      .def("__setitem__", [what](T& t, int i, double x) { t(index_of(i, 6, what.c_str())) = x; })
      .def("ReverseSign", &T::ReverseSign)
      .def("RefPoint", &T::RefPoint, "base"_a)
      .def(nb::self += nb::self, nb::rv_policy::none)
      .def(nb::self -= nb::self, nb::rv_policy::none)
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self * double())
      .def(double() * nb::self)
      .def(nb::self / double())
      .def(-nb::self)
      .def_static("Zero", [] { return T::Zero(); });
  value_type(type);
  hashes(type);
  pickles(
      type, [](const T& t) { return six(t); }, [](const std::vector<double>& n) { return six_from<T>(n); });
}

void bind_rotation(nb::module_& m) {
  nb::class_<Rotation> type(m, "Rotation");
  const auto at = [](const std::tuple<int, int>& ij) {
    return std::pair(index_of(std::get<0>(ij), 3, "Rotation"), index_of(std::get<1>(ij), 3, "Rotation"));
  };
  type.def(nb::init<>())
      .def(nb::init<double, double, double, double, double, double, double, double, double>(), "xx"_a, "yx"_a, "zx"_a,
           "xy"_a, "yy"_a, "zy"_a, "xz"_a, "yz"_a, "zz"_a)
      .def(nb::init<const Vector&, const Vector&, const Vector&>(), "x"_a, "y"_a, "z"_a)
      .def(nb::init<const Rotation&>())
      .def("__getitem__", [at](const Rotation& R, std::tuple<int, int> ij) { return R(at(ij).first, at(ij).second); })
      .def("__setitem__", [at](Rotation& R, std::tuple<int, int> ij, double x) { R(at(ij).first, at(ij).second) = x; })
      .def("SetInverse", &Rotation::SetInverse)
      .def("Inverse", [](const Rotation& R) { return R.Inverse(); })
      .def("Inverse", [](const Rotation& R, const Vector& v) { return R.Inverse(v); })
      .def("Inverse", [](const Rotation& R, const Wrench& w) { return R.Inverse(w); })
      .def("Inverse", [](const Rotation& R, const Twist& t) { return R.Inverse(t); })
      .def_static("Identity", [] { return Rotation::Identity(); })
      .def_static("RotX", &Rotation::RotX, "angle"_a)
      .def_static("RotY", &Rotation::RotY, "angle"_a)
      .def_static("RotZ", &Rotation::RotZ, "angle"_a)
      .def_static("Rot", &Rotation::Rot, "rotvec"_a, "angle"_a)
      .def_static("Rot2", &Rotation::Rot2, "rotvec"_a, "angle"_a)
      .def_static("EulerZYZ", &Rotation::EulerZYZ, "alpha"_a, "beta"_a, "gamma"_a)
      .def_static("RPY", &Rotation::RPY, "roll"_a, "pitch"_a, "yaw"_a)
      .def_static("EulerZYX", &Rotation::EulerZYX, "alpha"_a, "beta"_a, "gamma"_a)
      .def_static("Quaternion", &Rotation::Quaternion, "x"_a, "y"_a, "z"_a, "w"_a)
      .def("DoRotX", &Rotation::DoRotX, "angle"_a)
      .def("DoRotY", &Rotation::DoRotY, "angle"_a)
      .def("DoRotZ", &Rotation::DoRotZ, "angle"_a)
      .def("GetRot", &Rotation::GetRot)
      .def(
          "GetRotAngle",
          [](const Rotation& R, double eps) {
            Vector axis;
            const double angle = R.GetRotAngle(axis, eps);
            return std::make_tuple(angle, axis);
          },
          "eps"_a = epsilon)
      .def("GetEulerZYZ",
           [](const Rotation& R) {
             double a = 0, b = 0, c = 0;
             R.GetEulerZYZ(a, b, c);
             return std::make_tuple(a, b, c);
           })
      .def("GetRPY",
           [](const Rotation& R) {
             double a = 0, b = 0, c = 0;
             R.GetRPY(a, b, c);
             return std::make_tuple(a, b, c);
           })
      .def("GetEulerZYX",
           [](const Rotation& R) {
             double a = 0, b = 0, c = 0;
             R.GetEulerZYX(a, b, c);
             return std::make_tuple(a, b, c);
           })
      .def("GetQuaternion",
           [](const Rotation& R) {
             double x = 0, y = 0, z = 0, w = 0;
             R.GetQuaternion(x, y, z, w);
             return std::make_tuple(x, y, z, w);
           })
      .def("UnitX", [](const Rotation& R) { return R.UnitX(); })
      .def("UnitY", [](const Rotation& R) { return R.UnitY(); })
      .def("UnitZ", [](const Rotation& R) { return R.UnitZ(); })
      .def("UnitX", [](Rotation& R, const Vector& v) { R.UnitX(v); })
      .def("UnitY", [](Rotation& R, const Vector& v) { R.UnitY(v); })
      .def("UnitZ", [](Rotation& R, const Vector& v) { R.UnitZ(v); })
      .def(nb::self * nb::self)
      .def(nb::self * Vector())
      .def(nb::self * Twist())
      .def(nb::self * Wrench());
  value_type(type);
  hashes(type);
  pickles(
      type, [](const Rotation& R) { return numbers(R); },
      [](const std::vector<double>& n) { return rotation_from(n); });
}

void bind_frame(nb::module_& m) {
  nb::class_<Frame> type(m, "Frame");
  type.def(nb::init<>())
      .def(nb::init<const Rotation&, const Vector&>(), "R"_a, "V"_a)
      .def(nb::init<const Vector&, const Rotation&>(), "V"_a, "R"_a)
      .def(nb::init<const Vector&>())
      .def(nb::init<const Rotation&>())
      .def(nb::init<const Frame&>())
      .def_rw("M", &Frame::M)
      .def_rw("p", &Frame::p)
      .def("__getitem__",
           [](const Frame& F, std::tuple<int, int> ij) {
             return F(index_of(std::get<0>(ij), 3, "Frame"), index_of(std::get<1>(ij), 4, "Frame"));
           })
      .def("__setitem__",
           [](Frame& F, std::tuple<int, int> ij, double x) {
             const int i = index_of(std::get<0>(ij), 3, "Frame"), j = index_of(std::get<1>(ij), 4, "Frame");
             (j == 3 ? F.p(i) : F.M(i, j)) = x;
           })
      .def_static("DH_Craig1989", &Frame::DH_Craig1989, "a"_a, "alpha"_a, "d"_a, "theta"_a)
      .def_static("DH", &Frame::DH, "a"_a, "alpha"_a, "d"_a, "theta"_a)
      .def("Inverse", [](const Frame& F) { return F.Inverse(); })
      .def("Inverse", [](const Frame& F, const Vector& v) { return F.Inverse(v); })
      .def("Inverse", [](const Frame& F, const Wrench& w) { return F.Inverse(w); })
      .def("Inverse", [](const Frame& F, const Twist& t) { return F.Inverse(t); })
      .def("SetInverse", &Frame::SetInverse)
      .def("addDelta", &Frame::addDelta, "twist"_a, "dt"_a = 1.,
           "The pose after dt seconds: addDelta(self, twist, dt).")
      .def_static("Identity", [] { return Frame::Identity(); })
      .def("Integrate", &Frame::Integrate, "twist_in_frame"_a, "frequency"_a)
      .def(nb::self * nb::self)
      .def(nb::self * Vector())
      .def(nb::self * Twist())
      .def(nb::self * Wrench());
  value_type(type);
  hashes(type);
  pickles(
      type, [](const Frame& F) { return numbers(F.M, F.p); },
      [](const std::vector<double>& n) { return Frame(rotation_from(n), Vector(n.at(9), n.at(10), n.at(11))); });
}

}  // namespace

void bind_geometry(nb::module_& m) {
  bind_vector(m);
  nb::class_<Twist> twist(m, "Twist");
  twist.def(nb::init<const Vector&, const Vector&>(), "vel"_a, "rot"_a)
      .def_rw("vel", &Twist::vel)
      .def_rw("rot", &Twist::rot);
  six_numbers(twist, "Twist");
  nb::class_<Wrench> wrench(m, "Wrench");
  wrench.def(nb::init<const Vector&, const Vector&>(), "force"_a, "torque"_a)
      .def_rw("force", &Wrench::force)
      .def_rw("torque", &Wrench::torque);
  six_numbers(wrench, "Wrench");
  twist.def(nb::self * nb::self);
  twist.def(nb::self * Wrench());
  bind_rotation(m);
  bind_frame(m);
  m.def("SetToZero", [](Twist& t) { SetToZero(t); });
  m.def("SetToZero", [](Wrench& w) { SetToZero(w); });
  m.def("dot", [](const Twist& a, const Wrench& b) { return dot(a, b); });
  m.def("dot", [](const Wrench& a, const Twist& b) { return dot(a, b); });
  equality<Vector>(m);
  equality<Wrench>(m);
  equality<Twist>(m);
  equality<Rotation>(m);
  equality<Frame>(m);
  differences<Vector, Vector>(m);
  differences<Rotation, Vector>(m);
  differences<Frame, Twist>(m);
  differences<Twist, Twist>(m);
  differences<Wrench, Wrench>(m);
}

void bind_planar(nb::module_& m) {
  nb::class_<Vector2> vector(m, "Vector2");
  vector.def(nb::init<>())
      .def(nb::init<double, double>(), "x"_a, "y"_a)
      .def("x", [](const Vector2& v) { return v.x(); })
      .def("y", [](const Vector2& v) { return v.y(); })
      .def("x", [](Vector2& v, double x) { v.x(x); })
      .def("y", [](Vector2& v, double y) { v.y(y); })
      .def("__getitem__", [](const Vector2& v, int i) { return v(index_of(i, 2, "Vector2")); })
      .def("__setitem__", [](Vector2& v, int i, double x) { v(index_of(i, 2, "Vector2")) = x; })
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self * double())
      .def("Norm", [](const Vector2& v) { return v.Norm(); });
  value_type(vector);
  nb::class_<Rotation2> rotation(m, "Rotation2");
  rotation.def(nb::init<>())
      .def(nb::init<double>(), "angle"_a)
      .def("GetRot", &Rotation2::GetRot)
      .def("Inverse", [](const Rotation2& R) { return R.Inverse(); })
      .def(nb::self * nb::self)
      .def(nb::self * Vector2());
  value_type(rotation);
  nb::class_<Frame2> frame(m, "Frame2");
  frame.def(nb::init<>())
      .def(nb::init<const Rotation2&, const Vector2&>(), "R"_a, "V"_a)
      .def_rw("M", &Frame2::M)
      .def_rw("p", &Frame2::p)
      .def("Inverse", [](const Frame2& F) { return F.Inverse(); })
      .def(nb::self * nb::self)
      .def(nb::self * Vector2());
  value_type(frame);
}

}  // namespace zwang::python::kdl
