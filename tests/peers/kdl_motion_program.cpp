// SPDX-License-Identifier: BSD-3-Clause
// A program written for KDL: paths, velocity profiles, trajectories. kdl_test.py compares what it prints with Debian's
// KDL and with compat/kdl. Left out, for KDL fails there: paths without length, half trapeziums slower than their
// fastest on short ways, the text and the copies of circles.
#include <kdl/utilities/error.h>
#include <cstdio>
#include <kdl/path_circle.hpp>
#include <kdl/path_composite.hpp>
#include <kdl/path_cyclic_closed.hpp>
#include <kdl/path_line.hpp>
#include <kdl/path_point.hpp>
#include <kdl/path_roundedcomposite.hpp>
#include <kdl/rotational_interpolation_sa.hpp>
#include <kdl/trajectory_composite.hpp>
#include <kdl/trajectory_segment.hpp>
#include <kdl/trajectory_stationary.hpp>
#include <kdl/velocityprofile_dirac.hpp>
#include <kdl/velocityprofile_rect.hpp>
#include <kdl/velocityprofile_spline.hpp>
#include <kdl/velocityprofile_trap.hpp>
#include <kdl/velocityprofile_traphalf.hpp>
#include <random>

using namespace KDL;

namespace {

std::mt19937 engine(17);
double number(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(engine); }
Vector vector() {
  const double x = number(), y = number(), z = number();
  return Vector(x, y, z);
}
Frame frame() {
  const Vector axis = vector(), origin = vector();
  return Frame(Rotation::Rot(axis, number()), origin);
}
RotationalInterpolation* one_axis() { return new RotationalInterpolation_SingleAxis(); }

void print(const Frame& F) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) std::printf(" %.17g", F(i, j));
}
void print(const Twist& t) {
  for (int i = 0; i < 6; ++i) std::printf(" %.17g", t(i));
}

void show(const char* name, Path& path) {
  const double length = path.PathLength();
  std::printf("%s %d %.17g\n", name, static_cast<int>(path.getIdentifier()), length);
  for (int i = 0; i < 8; ++i) {
    const double s = length * (i + 0.3) / 8;
    std::printf("%s 0", name);
    print(path.Pos(s));
    print(path.Vel(s, 1.5));
    print(path.Acc(s, 1.5, -0.7));
    std::printf("\n");
  }
}
void show(const char* name, const VelocityProfile& profile, bool has_acceleration = true) {
  const double T = profile.Duration();
  std::printf("%s 0 %.17g", name, T);
  for (int i = -1; i <= 12; ++i) {
    const double t = T * (i + 0.3) / 12;
    std::printf(" %.17g %.17g %.17g", profile.Pos(t), profile.Vel(t), has_acceleration ? profile.Acc(t) : 0.);
  }
  std::printf("\n");
}

int rounded(double radius, const std::vector<Vector>& points) {
  try {
    Path_RoundedComposite path(radius, 0.1, one_axis());
    for (const Vector& point : points) path.Add(Frame(point));
    path.Finish();
  } catch (const Error& error) { return error.GetType(); }
  return 0;
}

void paths() {
  const Frame a = frame(), b = frame();
  Path_Line line(a, b, one_axis(), number(0.05, 2));
  show("line", line);
  std::printf("line_length 0 %.17g\n", line.LengthToS(0.3));
  const Twist twist(vector(), vector());
  Path_Line by_twist(a, twist, one_axis(), 0.3);
  show("line_of_twist", by_twist);
  const Vector centre = vector(), side = vector();
  const double angle = number(0.2, 5), eqradius = number(0.05, 2);
  const auto arc = [&] { return new Path_Circle(a, centre, side, b.M, angle, one_axis(), eqradius); };
  Path_Circle circle(a, centre, side, b.M, angle, one_axis(), eqradius);
  show("circle", circle);
  Path_Point point(a);
  show("point", point);
  Path_Composite composite;
  composite.Add(line.Clone());
  composite.Add(arc());
  show("composite", composite);
  int part = 0;
  double inner = 0;
  composite.GetCurrentSegmentLocation(composite.PathLength() * 0.7, part, inner);
  std::printf("location %d %.17g\n", part, inner);
  Path_Cyclic_Closed cyclic(arc(), 3);
  show("cyclic", cyclic);
  Path_RoundedComposite corners(0.05, 0.1, one_axis());
  for (int i = 0; i < 5; ++i) {
    Frame corner = frame();
    corner.p = Vector(i, i % 2, i % 3) + 0.2 * corner.p;
    corners.Add(corner);
  }
  corners.Finish();
  show("rounded", corners);
}

void profiles() {
  const double maxvel = number(0.3, 3), maxacc = number(0.3, 3), from = number(), to = number() + 3;
  VelocityProfile_Trap trap(maxvel, maxacc);
  trap.SetProfile(from, to);
  show("trap", trap);
  trap.SetProfileDuration(to, from, 2 * trap.Duration());
  show("trap_duration", trap);
  trap.SetProfileVelocity(from, to, 0.4);
  show("trap_velocity", trap);
  for (const bool starting : {true, false}) {
    VelocityProfile_TrapHalf half(maxvel, maxacc, starting);
    half.SetProfile(from, to);
    show("half", half);
    VelocityProfile_TrapHalf slow(0.5, 2, starting);
    slow.SetProfileDuration(from, to, 40);
    show("half_duration", slow);
  }
  VelocityProfile_Rectangular constant(maxvel);
  constant.SetProfile(from, to);
  show("rectangular", constant, false);
  constant.SetProfileDuration(from, to, 30);
  show("rectangular_duration", constant, false);
  VelocityProfile_Dirac jump;
  jump.SetProfileDuration(from, to, 2);
  show("dirac", jump, false);
  VelocityProfile_Spline spline;
  spline.SetProfileDuration(from, to, 2);
  show("spline_1", spline);
  spline.SetProfileDuration(from, number(), to, number(), 1.5);
  show("spline_3", spline);
  spline.SetProfileDuration(from, number(), number(), to, number(), number(), 1.5);
  show("spline_5", spline);
}

void trajectories() {
  const Frame a = frame(), b = frame();
  Trajectory_Composite composite;
  composite.Add(new Trajectory_Segment(new Path_Line(a, b, one_axis(), 0.3), new VelocityProfile_Trap(1, 2), 4.));
  composite.Add(new Trajectory_Stationary(1.5, b));
  for (int i = 0; i < 12; ++i) {
    const double t = composite.Duration() * (i + 0.3) / 12;
    std::printf("trajectory 0 %.17g", composite.Duration());
    print(composite.Pos(t));
    print(composite.Vel(t));
    print(composite.Acc(t));
    std::printf("\n");
  }
}

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    paths();
    profiles();
    trajectories();
  }
  const Vector o(0, 0, 0), x(1, 0, 0), xy(1, 1, 0);
  for (const auto& points :
       std::vector<std::vector<Vector>>{{o, o, xy}, {o, x, x}, {o, x, o}, {o, x, xy}, {o, x, Vector(1, 0.5, 0)}})
    for (const double radius : {0.2, 0.6, 2.}) std::printf("rounded_code %d\n", rounded(radius, points));
}
