// SPDX-License-Identifier: BSD-3-Clause
// MotionProfile.
#include "zwang/path/motion_profile.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

#include "bind.hpp"
#include "path_points.hpp"

namespace zwang::python {
namespace {

ProfileLimits profile_limits(double velocity, double acceleration, double jerk, nb::handle lower_velocity,
                             nb::handle lower_acceleration) {
  ProfileLimits l{velocity, acceleration, jerk};
  if (!lower_velocity.is_none()) l.lower_velocity = nb::cast<double>(nb::float_(nb::borrow(lower_velocity)));
  if (!lower_acceleration.is_none())
    l.lower_acceleration = nb::cast<double>(nb::float_(nb::borrow(lower_acceleration)));
  return l;
}

std::string short_number(double x) {
  char room[32];
  std::snprintf(room, sizeof room, "%.2g", x);
  return room;
}

}  // namespace

void bind_profile(nb::module_& m) {
  using P = MotionProfile;
  ClassOf<P>(
      m, "MotionProfile",
      "The fastest motion of one coordinate between limits of velocity, acceleration and jerk; without a limit of\n"
      "jerk a trapezoid of velocities, with one a double S. From any velocity and acceleration (without a limit of\n"
      "jerk the acceleration at the start is ignored) to a position with a velocity and no acceleration.")
      .def(
          ZWANG_SIGNATURE(
              "def __init__(self, start: float, end: float, *, velocity: float = float(\"inf\"), acceleration: float = "
              "float(\"inf\"), "
              "jerk: float = float(\"inf\"), start_velocity: float = 0.0, start_acceleration: float = 0.0, "
              "end_velocity: float "
              "= 0.0, lower_velocity: float | None = None, lower_acceleration: float | None = None) -> None"),
          [](P* place, double from, double to, double velocity, double acceleration, double jerk, double start_velocity,
             double start_acceleration, double end_velocity, nb::handle lower_velocity, nb::handle lower_acceleration) {
            new (place) P(P::fastest({from, start_velocity, start_acceleration, 0}, to, end_velocity,
                                     profile_limits(velocity, acceleration, jerk, lower_velocity, lower_acceleration)));
          },
          "Limits are positive, in the unit of the coordinate; lower_...: negative ones, where they are others below "
          "zero.")
      .def_prop_ro("duration", &P::duration, "[s]")
      .def_prop_ro(
          "notes",
          [](const P& p) {
            std::vector<std::string> out;
            const auto note = [&](const char* what, double beyond) {
              if (beyond > 0)
                out.push_back(std::string(what) + " at the start is beyond its limit by " + short_number(beyond) +
                              "; the motion brings it back first");
            };
            note("velocity", p.beyond().velocity);
            note("acceleration", p.beyond().acceleration);
            return out;
          },
          "in sentences: a start beyond its limits by no more than 1e-6 (1 + limit)")
      .def(
          ZWANG_SIGNATURE("def at(self, time: ArrayLike) -> ProfilePoint"),
          [](const P& p, nb::handle time) {
            return at_each("MotionProfile.at", "time", time, point_type("ProfilePoint"), {0, 0, 0, 0},
                           [&](double t, const std::vector<double*>& to) {
                             const ProfilePoint x = p.at(t);
                             *to[0] = x.position;
                             *to[1] = x.velocity;
                             *to[2] = x.acceleration;
                             *to[3] = x.jerk;
                           });
          },
          "Position, velocity, acceleration and jerk at a time, or at N times.")
      .def("stretched", &P::stretched, nb::arg("duration"), "The same way in a longer time, from rest to rest.")
      .get("pieces", "Array", "(pieces, 5): duration, and position, velocity, acceleration, jerk at its start",
           [](const P& p) {
             return new_matrix(p.pieces(), 5, [&](Index i, Index j) {
               const P::Piece& x = p.piece(i);
               const double row[5] = {x.duration, x.start.position, x.start.velocity, x.start.acceleration,
                                      x.start.jerk};
               return row[j];
             });
           });
}

}  // namespace zwang::python
