// SPDX-License-Identifier: BSD-3-Clause
// Paths, velocity profiles, trajectories. A path copies the interpolations and paths that it is made of.
#include <kdl/motion.hpp>

#include "bind.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

// Errors of KDL are exceptions: planning that is not possible is a ValueError, as all of them.
template <class T> std::string written(T& x) {
  std::ostringstream out;
  out.precision(17);
  x.Write(out);
  return out.str();
}
template <class T> T* read(const std::string& text) {
  std::istringstream in(text);
  return T::Read(in);
}

RotationalInterpolation* one_axis() { return new RotationalInterpolation_SingleAxis(); }

void bind_paths(nb::module_& m) {
  using Turns = RotationalInterpolation;
  nb::class_<Turns>(m, "RotationalInterpolation")
      .def("SetStartEnd", &Turns::SetStartEnd, "start"_a, "end"_a)
      .def("Angle", &Turns::Angle)
      .def("Pos", &Turns::Pos, "theta"_a)
      .def("Vel", &Turns::Vel, "theta"_a, "thetad"_a)
      .def("Acc", &Turns::Acc, "theta"_a, "thetad"_a, "thetadd"_a)
      .def("Clone", &Turns::Clone, nb::rv_policy::take_ownership);
  nb::class_<RotationalInterpolation_SingleAxis, Turns>(m, "RotationalInterpolation_SingleAxis").def(nb::init<>());
  nb::class_<Path>(m, "Path")
      .def("PathLength", &Path::PathLength)
      .def("LengthToS", &Path::LengthToS, "length"_a)
      .def("Pos", &Path::Pos, "s"_a)
      .def("Vel", &Path::Vel, "s"_a, "sd"_a)
      .def("Acc", &Path::Acc, "s"_a, "sd"_a, "sdd"_a)
      .def(
          "Write", [](Path& p) { return written(p); }, "The text, which Path.Read() reads.")
      .def_static("Read", &read<Path>, "text"_a, nb::rv_policy::take_ownership)
      .def("Clone", &Path::Clone, nb::rv_policy::take_ownership);
  nb::class_<Path_Line, Path>(m, "Path_Line")
      .def(
          "__init__",
          [](Path_Line* self, const Frame& a, const Frame& b, double eqradius) {
            new (self) Path_Line(a, b, one_axis(), eqradius);
          },
          "F_base_start"_a, "F_base_end"_a, "eqradius"_a)
      .def(
          "__init__",
          [](Path_Line* self, const Frame& a, const Frame& b, const Turns& orient, double eqradius) {
            new (self) Path_Line(a, b, orient.Clone(), eqradius);
          },
          "F_base_start"_a, "F_base_end"_a, "orient"_a, "eqradius"_a);
  nb::class_<Path_Circle, Path>(m, "Path_Circle")
      .def(
          "__init__",
          [](Path_Circle* self, const Frame& start, const Vector& centre, const Vector& p, const Rotation& end,
             double alpha,
             double eqradius) { new (self) Path_Circle(start, centre, p, end, alpha, one_axis(), eqradius); },
          "F_base_start"_a, "V_base_center"_a, "V_base_p"_a, "R_base_end"_a, "alpha"_a, "eqradius"_a)
      .def(
          "__init__",
          [](Path_Circle* self, const Frame& start, const Vector& centre, const Vector& p, const Rotation& end,
             double alpha, const Turns& orient,
             double eqradius) { new (self) Path_Circle(start, centre, p, end, alpha, orient.Clone(), eqradius); },
          "F_base_start"_a, "V_base_center"_a, "V_base_p"_a, "R_base_end"_a, "alpha"_a, "orient"_a, "eqradius"_a);
  nb::class_<Path_Point, Path>(m, "Path_Point").def(nb::init<const Frame&>(), "F_base_start"_a);
  nb::class_<Path_Composite, Path>(m, "Path_Composite")
      .def(nb::init<>())
      .def(
          "Add", [](Path_Composite& p, Path& part) { p.Add(part.Clone()); }, "geom"_a)
      .def("GetNrOfSegments", &Path_Composite::GetNrOfSegments)
      .def("GetLengthToEndOfSegment", &Path_Composite::GetLengthToEndOfSegment, "i"_a);
  nb::class_<Path_RoundedComposite, Path>(m, "Path_RoundedComposite")
      .def(
          "__init__",
          [](Path_RoundedComposite* self, double radius, double eqradius) {
            new (self) Path_RoundedComposite(radius, eqradius, one_axis());
          },
          "radius"_a, "eqradius"_a)
      .def(
          "__init__",
          [](Path_RoundedComposite* self, double radius, double eqradius, const Turns& orient) {
            new (self) Path_RoundedComposite(radius, eqradius, orient.Clone());
          },
          "radius"_a, "eqradius"_a, "orient"_a)
      .def("Add", &Path_RoundedComposite::Add, "F_base_point"_a)
      .def("Finish", &Path_RoundedComposite::Finish)
      .def("GetNrOfSegments", &Path_RoundedComposite::GetNrOfSegments)
      .def("GetLengthToEndOfSegment", &Path_RoundedComposite::GetLengthToEndOfSegment, "i"_a);
  nb::class_<Path_Cyclic_Closed, Path>(m, "Path_Cyclic_Closed")
      .def(
          "__init__",
          [](Path_Cyclic_Closed* self, Path& part, int times) { new (self) Path_Cyclic_Closed(part.Clone(), times); },
          "geom"_a, "times"_a);
}

void bind_profiles(nb::module_& m) {
  nb::class_<VelocityProfile>(m, "VelocityProfile")
      .def("SetProfile", &VelocityProfile::SetProfile, "pos1"_a, "pos2"_a)
      .def("SetProfileDuration", &VelocityProfile::SetProfileDuration, "pos1"_a, "pos2"_a, "duration"_a)
      .def("Duration", &VelocityProfile::Duration)
      .def("Pos", &VelocityProfile::Pos, "time"_a)
      .def("Vel", &VelocityProfile::Vel, "time"_a)
      .def("Acc", &VelocityProfile::Acc, "time"_a)
      .def("Write", [](VelocityProfile& p) { return written(p); })
      .def_static("Read", &read<VelocityProfile>, "text"_a, nb::rv_policy::take_ownership)
      .def("Clone", &VelocityProfile::Clone, nb::rv_policy::take_ownership);
  nb::class_<VelocityProfile_Trap, VelocityProfile>(m, "VelocityProfile_Trap")
      .def(nb::init<double, double>(), "maxvel"_a = 0., "maxacc"_a = 0.)
      .def("SetProfileVelocity", &VelocityProfile_Trap::SetProfileVelocity, "pos1"_a, "pos2"_a, "newvelocity"_a)
      .def("SetMax", &VelocityProfile_Trap::SetMax, "maxvel"_a, "maxacc"_a);
  nb::class_<VelocityProfile_TrapHalf, VelocityProfile>(m, "VelocityProfile_TrapHalf")
      .def(nb::init<double, double, bool>(), "maxvel"_a = 0., "maxacc"_a = 0., "starting"_a = true)
      .def("SetMax", &VelocityProfile_TrapHalf::SetMax, "maxvel"_a, "maxacc"_a, "starting"_a);
  nb::class_<VelocityProfile_Rectangular, VelocityProfile>(m, "VelocityProfile_Rectangular")
      .def(nb::init<double>(), "maxvel"_a = 0.)
      .def("SetMax", &VelocityProfile_Rectangular::SetMax, "maxvel"_a);
  nb::class_<VelocityProfile_Dirac, VelocityProfile>(m, "VelocityProfile_Dirac").def(nb::init<>());
  using Spline = VelocityProfile_Spline;
  nb::class_<Spline, VelocityProfile>(m, "VelocityProfile_Spline")
      .def(nb::init<>())
      .def(
          "SetProfileDuration", [](Spline& p, double a, double b, double t) { p.SetProfileDuration(a, b, t); },
          "pos1"_a, "pos2"_a, "duration"_a)
      .def(
          "SetProfileDuration",
          [](Spline& p, double a, double va, double b, double vb, double t) { p.SetProfileDuration(a, va, b, vb, t); },
          "pos1"_a, "vel1"_a, "pos2"_a, "vel2"_a, "duration"_a)
      .def(
          "SetProfileDuration",
          [](Spline& p, double a, double va, double aa, double b, double vb, double ab, double t) {
            p.SetProfileDuration(a, va, aa, b, vb, ab, t);
          },
          "pos1"_a, "vel1"_a, "acc1"_a, "pos2"_a, "vel2"_a, "acc2"_a, "duration"_a);
}

void bind_trajectories(nb::module_& m) {
  nb::class_<Trajectory>(m, "Trajectory")
      .def("Duration", &Trajectory::Duration)
      .def("Pos", &Trajectory::Pos, "time"_a)
      .def("Vel", &Trajectory::Vel, "time"_a)
      .def("Acc", &Trajectory::Acc, "time"_a)
      .def("Write", [](Trajectory& t) { return written(t); })
      .def_static("Read", &read<Trajectory>, "text"_a, nb::rv_policy::take_ownership)
      .def("Clone", &Trajectory::Clone, nb::rv_policy::take_ownership);
  nb::class_<Trajectory_Segment, Trajectory>(m, "Trajectory_Segment")
      .def(
          "__init__",
          [](Trajectory_Segment* self, Path& path, VelocityProfile& profile) {
            new (self) Trajectory_Segment(path.Clone(), profile.Clone());
          },
          "geom"_a, "motprof"_a)
      .def(
          "__init__",
          [](Trajectory_Segment* self, Path& path, VelocityProfile& profile, double duration) {
            new (self) Trajectory_Segment(path.Clone(), profile.Clone(), duration);
          },
          "geom"_a, "motprof"_a, "duration"_a);
  nb::class_<Trajectory_Stationary, Trajectory>(m, "Trajectory_Stationary")
      .def(nb::init<double, const Frame&>(), "duration"_a, "pos"_a);
  nb::class_<Trajectory_Composite, Trajectory>(m, "Trajectory_Composite")
      .def(nb::init<>())
      .def(
          "Add", [](Trajectory_Composite& t, Trajectory& part) { t.Add(part.Clone()); }, "elem"_a);
}

}  // namespace

void bind_motion(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      PyErr_SetString(PyExc_ValueError,
                      (std::string(e.Description()) + " (" + std::to_string(e.GetType()) + ")").c_str());
    }
  });
  bind_paths(m);
  bind_profiles(m);
  bind_trajectories(m);
}

}  // namespace zwang::python::kdl
