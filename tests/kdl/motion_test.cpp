// SPDX-License-Identifier: BSD-3-Clause
// Paths, velocity profiles and trajectories: velocities and accelerations are the derivatives, ends are reached, limits
// kept, text is read back, copies share nothing.
#include <gtest/gtest.h>

#include <functional>
#include <kdl/frames_io.hpp>
#include <kdl/motion.hpp>
#include <limits>
#include <memory>
#include <sstream>

#include "support.hpp"

namespace {

using namespace KDL;
using zwang::test::KdlDraw;

// Central differences with h = 1e-5: truncation h^2 times third derivatives (up to 1e3 here), rounding eps / h = 2e-11.
constexpr double k_step = 1e-5, k_tolerance = 1e-6;

RotationalInterpolation* one_axis() { return new RotationalInterpolation_SingleAxis(); }

std::unique_ptr<Path> line(KdlDraw& draw) {
  const Frame a = draw.frame(), b = draw.frame();
  return std::make_unique<Path_Line>(a, b, one_axis(), draw.number(0.05, 2));
}
std::unique_ptr<Path> arc(KdlDraw& draw, double alpha) {
  const Frame start = draw.frame();
  const Vector centre = draw.vector(), side = draw.vector();
  return std::make_unique<Path_Circle>(start, centre, side, draw.rotation(), alpha, one_axis(), draw.number(0.05, 2));
}
std::unique_ptr<Path> corners(double radius) {
  auto out = std::make_unique<Path_RoundedComposite>(radius, 0.1, one_axis());
  out->Add(Frame(Vector(0, 0, 0)));
  out->Add(Frame(Rotation::RPY(0, 0, 1), Vector(1, 0, 0)));
  out->Add(Frame(Rotation::RPY(0, 1, 1), Vector(1, 1, 0)));
  out->Add(Frame(Rotation::RPY(0.5, 0, 0), Vector(2, 2, 1)));
  out->Finish();
  return out;
}
std::vector<std::unique_ptr<Path>> all_paths(KdlDraw& draw) {
  std::vector<std::unique_ptr<Path>> out;
  out.push_back(line(draw));
  out.push_back(arc(draw, 1.3));
  out.push_back(arc(draw, -2.1));
  out.push_back(corners(0.2));
  out.push_back(std::make_unique<Path_Point>(draw.frame()));
  auto composite = std::make_unique<Path_Composite>();
  composite->Add(line(draw).release());
  composite->Add(arc(draw, 2).release());
  out.push_back(std::move(composite));
  out.push_back(
      std::make_unique<Path_Cyclic_Closed>(new Path_Circle(Frame(Vector(1, 0, 0)), Vector(0, 0, 0), Vector(0, 1, 0),
                                                           Rotation::Identity(), 2 * PI, one_axis(), 0.1),
                                           3));
  return out;
}

bool is_near(const Twist& a, const Twist& b, double tolerance) {
  return Equal(a, b, tolerance * (1 + a.vel.Norm(0) + a.rot.Norm(0)));
}
std::string text_of(Path& path) {
  std::ostringstream out;
  out.precision(17);
  path.Write(out);
  return out.str();
}

TEST(KdlPath, VelocitiesAndAccelerationsAreDerivatives) {
  KdlDraw draw(1);
  for (const auto& path : all_paths(draw)) {
    const double length = path->PathLength();
    for (int i = 0; i < 20; ++i) {
      const double s = draw.number(0.01, 0.99) * length, sd = draw.number(-2, 2), sdd = draw.number(-2, 2);
      const auto at = [&](double t) { return s + sd * t + sdd * t * t / 2; };
      const Twist v = diff(path->Pos(at(-k_step)), path->Pos(at(k_step)), 2 * k_step);
      EXPECT_TRUE(is_near(path->Vel(s, sd), v, k_tolerance)) << path->getIdentifier();
      const Twist before = path->Vel(at(-k_step), sd - sdd * k_step), behind = path->Vel(at(k_step), sd + sdd * k_step);
      EXPECT_TRUE(is_near(path->Acc(s, sd, sdd), (behind - before) / (2 * k_step), k_tolerance))
          << path->getIdentifier();
    }
  }
}

TEST(KdlPath, TextIsReadBackAndCopiesShareNothing) {
  KdlDraw draw(2);
  for (auto& path : all_paths(draw)) {
    std::istringstream in(text_of(*path));
    const std::unique_ptr<Path> read(Path::Read(in)), copy(path->Clone());
    const double length = path->PathLength();
    std::vector<Frame> poses;
    for (int i = 0; i <= 10; ++i) poses.push_back(path->Pos(i * length / 10));
    const auto identifier = path->getIdentifier();
    path.reset();
    EXPECT_EQ(copy->getIdentifier(), identifier);
    for (Path* other : {read.get(), copy.get()}) {
      EXPECT_NEAR(other->PathLength(), length, 1e-13 * (1 + length));
      for (int i = 0; i <= 10; ++i) EXPECT_TRUE(Equal(other->Pos(i * length / 10), poses[i], 1e-13)) << identifier;
    }
  }
}

TEST(KdlPath, LinesBeginAndEndWhereTheyShould) {
  KdlDraw draw(3);
  for (int i = 0; i < 20; ++i) {
    const Frame a = draw.frame(), b = draw.frame();
    Path_Line path(a, b, one_axis(), 0.7);
    Vector axis;
    const double angle = (a.M.Inverse() * b.M).GetRotAngle(axis), distance = (b.p - a.p).Norm();
    EXPECT_NEAR(path.PathLength(), std::max(distance, 0.7 * angle), 1e-13);
    EXPECT_TRUE(Equal(path.Pos(0), a, 1e-14));
    EXPECT_TRUE(Equal(path.Pos(path.PathLength()), b, 1e-12));
    EXPECT_NEAR((path.Pos(path.LengthToS(0.1)).p - a.p).Norm(), 0.1, 1e-13);
  }
  Path_Line still(Frame::Identity(), Frame::Identity(), one_axis(), 0.1);
  EXPECT_EQ(still.PathLength(), 0);
  EXPECT_EQ(still.Vel(0, 1), Twist::Zero());
}

TEST(KdlPath, ArcsKeepTheirDistance) {
  const Frame start(Vector(3, 0, 1));
  Path_Circle path(start, Vector(1, 0, 1), Vector(1, 5, 1), Rotation::RotZ(1), PI / 2, one_axis(), 0.01);
  EXPECT_DOUBLE_EQ(path.PathLength(), PI);
  EXPECT_TRUE(Equal(path.Pos(path.PathLength()).p, Vector(1, 2, 1), 1e-14));
  for (double s = 0; s <= PI; s += 0.3) EXPECT_NEAR((path.Pos(s).p - Vector(1, 0, 1)).Norm(), 2, 1e-14);
  const auto type_of = [&](const Vector& centre, const Vector& side) {
    RotationalInterpolation_SingleAxis orient;
    try {
      Path_Circle broken(start, centre, side, Rotation::Identity(), 1, &orient, 1, false);
    } catch (const Error& error) { return error.GetType(); }
    return 0;
  };
  EXPECT_EQ(type_of(start.p, Vector(0, 0, 0)), 3001);
  EXPECT_EQ(type_of(Vector(1, 0, 1), Vector(2, 0, 1)), 3002);
}

TEST(KdlPath, CornersAreRoundedOrRefused) {
  auto path = corners(0.2);
  auto& rounded = static_cast<Path_RoundedComposite&>(*path);
  ASSERT_EQ(rounded.GetNrOfSegments(), 5);
  for (int i = 0; i < 4; ++i) {  // no step and no corner between the parts
    const double s = rounded.GetLengthToEndOfSegment(i);
    EXPECT_TRUE(Equal(path->Pos(s - 1e-9), path->Pos(s + 1e-9), 1e-7));
    const Vector a = path->Vel(s - 1e-9, 1).vel, b = path->Vel(s + 1e-9, 1).vel;
    EXPECT_NEAR(dot(a, b), a.Norm() * b.Norm(), 1e-7);
  }
  const auto type_of = [](double radius, double eqradius, const std::vector<Vector>& points) {
    try {
      Path_RoundedComposite broken(radius, eqradius, one_axis());
      for (const Vector& point : points) broken.Add(Frame(point));
      broken.Finish();
    } catch (const Error& error) { return error.GetType(); }
    return 0;
  };
  const Vector o(0, 0, 0), x(1, 0, 0), xy(1, 1, 0);
  EXPECT_EQ(type_of(0.2, 0, {o, x, xy}), 3101);
  EXPECT_EQ(type_of(0.2, 0.1, {o, o, xy}), 3102);
  EXPECT_EQ(type_of(0.2, 0.1, {o, x, x}), 3103);
  EXPECT_EQ(type_of(0.2, 0.1, {o, x, o}), 3104);
  EXPECT_EQ(type_of(2, 0.1, {o, x, xy}), 3105);
  EXPECT_EQ(type_of(0.6, 0.1, {o, x, Vector(1, 0.5, 0)}), 3106);
  EXPECT_EQ(type_of(-1, 0.1, {o, x, xy}), 3001);
  EXPECT_EQ(type_of(0.2, 0.1, {o, x, Vector(2, 0, 0)}), 0);
  EXPECT_EQ(type_of(0.2, 0.1, {}), 0);
}

TEST(KdlPath, CompositesKnowTheirParts) {
  Path_Composite path;
  Path_Line first(Frame(Vector(0, 0, 0)), Frame(Vector(2, 0, 0)), one_axis(), 0.1);
  path.Add(&first, false);
  path.Add(new Path_Line(Frame(Vector(2, 0, 0)), Frame(Vector(2, 1, 0)), one_axis(), 0.1));
  EXPECT_EQ(path.GetSegment(0), &first);
  EXPECT_THROW(path.GetSegment(2), std::out_of_range);
  int part = -1;
  double inner = 0;
  path.GetCurrentSegmentLocation(2.25, part, inner);
  EXPECT_EQ(part, 1);
  EXPECT_DOUBLE_EQ(inner, 0.25);
  EXPECT_TRUE(Equal(path.Pos(3.5).p, Vector(2, 1.5, 0), 1e-14)) << "the last part goes on";
  EXPECT_THROW(path.LengthToS(1), Error_MotionPlanning_Not_Applicable);
  EXPECT_TRUE(Equal(Path_Composite().Pos(1), Frame::Identity()));
  for (const char* text : {"LIN[1]", "LINE[1", "COMPOSITE[ 1 ]", "CIRCLE", ""}) {
    std::istringstream in(text);
    EXPECT_THROW(Path::Read(in), Error) << text;
  }
}

void expect_is_a_profile(const VelocityProfile& profile, double pos1, double pos2, double maxvel, double maxacc) {
  const double T = profile.Duration();
  const double rounding = 1e-12 * (1 + std::abs(pos1) + std::abs(pos2));
  EXPECT_NEAR(profile.Pos(0), pos1, rounding);
  EXPECT_NEAR(profile.Pos(T), pos2, rounding);
  for (int i = 1; i < 200; ++i) {
    const double t = T * (i + 0.37) / 201;
    EXPECT_LE(std::abs(profile.Vel(t)), maxvel * (1 + 1e-12));
    const double h = 1e-6 * T, v = (profile.Pos(t + h) - profile.Pos(t - h)) / (2 * h);
    EXPECT_NEAR(profile.Vel(t), v, 1e-5 * (maxvel + 1));
    if (maxacc == 0) continue;
    EXPECT_LE(std::abs(profile.Acc(t)), maxacc * (1 + 1e-12));
  }
}

TEST(KdlProfile, LimitsAndEndsAreKept) {
  KdlDraw draw(4);
  for (int trial = 0; trial < 200; ++trial) {
    const double maxvel = draw.number(0.1, 3), maxacc = draw.number(0.1, 3), pos1 = draw.number(-3, 3),
                 pos2 = draw.number(-3, 3), longer = draw.number(0, 20);
    VelocityProfile_Trap trap(maxvel, maxacc);
    trap.SetProfile(pos1, pos2);
    const double fastest = trap.Duration();
    expect_is_a_profile(trap, pos1, pos2, maxvel, maxacc);
    EXPECT_EQ(trap.Vel(0), 0);
    trap.SetProfileDuration(pos1, pos2, longer);
    EXPECT_NEAR(trap.Duration(), std::max(fastest, longer), 1e-12 * (fastest + longer));
    expect_is_a_profile(trap, pos1, pos2, maxvel, maxacc);
    trap.SetProfileVelocity(pos1, pos2, 0.3);
    EXPECT_NEAR(trap.Duration(), fastest / 0.3, 1e-11 * fastest);
    expect_is_a_profile(trap, pos1, pos2, 0.3 * maxvel, 0.09 * maxacc);
    for (const bool starting : {true, false}) {
      VelocityProfile_TrapHalf half(maxvel, maxacc, starting);
      half.SetProfile(pos1, pos2);
      const double soonest = half.Duration();
      EXPECT_LE(soonest, fastest);
      expect_is_a_profile(half, pos1, pos2, maxvel, maxacc);
      half.SetProfileDuration(pos1, pos2, longer);
      EXPECT_NEAR(half.Duration(), std::max(soonest, longer), 1e-12 * (fastest + longer));
      expect_is_a_profile(half, pos1, pos2, maxvel, maxacc);
      EXPECT_EQ(half.Vel(starting ? 0 : half.Duration()), 0);
    }
    VelocityProfile_Rectangular constant(maxvel);
    constant.SetProfileDuration(pos1, pos2, longer);
    EXPECT_NEAR(constant.Duration(), std::max(longer, std::abs(pos2 - pos1) / maxvel), 1e-12 * (1 + longer));
    expect_is_a_profile(constant, pos1, pos2, maxvel, 0);
    VelocityProfile_Spline spline;
    const double v1 = draw.number(), a1 = draw.number(), v2 = draw.number(), a2 = draw.number(),
                 T = draw.number(0.5, 3);
    spline.SetProfileDuration(pos1, v1, a1, pos2, v2, a2, T);
    const double size = 1e-12 * (1 + std::abs(pos1) + std::abs(pos2)) * 100;
    EXPECT_NEAR(spline.Pos(T), pos2, size);
    EXPECT_NEAR(spline.Vel(0), v1, size);
    EXPECT_NEAR(spline.Vel(T), v2, size);
    EXPECT_NEAR(spline.Acc(0), a1, size);
    EXPECT_NEAR(spline.Acc(T), a2, size * 10);
    spline.SetProfileDuration(pos1, v1, pos2, v2, T);
    EXPECT_NEAR(spline.Pos(T), pos2, size);
    EXPECT_NEAR(spline.Vel(T), v2, size);
    spline.SetProfileDuration(pos1, pos2, T);
    EXPECT_NEAR(spline.Pos(T / 2), (pos1 + pos2) / 2, size);
  }
}

TEST(KdlProfile, NoWayTakesNoTime) {
  VelocityProfile_Trap trap(1, 2);
  VelocityProfile_TrapHalf half(1, 2, true);
  VelocityProfile_Rectangular constant(0);
  VelocityProfile_Dirac jump;
  for (VelocityProfile* profile : std::initializer_list<VelocityProfile*>{&trap, &half, &constant, &jump}) {
    profile->SetProfile(2, 2);
    EXPECT_EQ(profile->Duration(), 0);
    EXPECT_EQ(profile->Pos(0), 2);
    EXPECT_EQ(profile->Pos(1), 2);
    profile->SetProfileDuration(2, 2, 3);
    EXPECT_EQ(profile->Duration(), 3);
    EXPECT_EQ(profile->Vel(1), 0);
  }
  EXPECT_THROW(constant.SetProfile(0, 1), Error_MotionPlanning_Incompatible);
  EXPECT_THROW(constant.Acc(0), Error_MotionPlanning_Incompatible);
  jump.SetProfile(0, 3);
  EXPECT_EQ(jump.Pos(0), 0);
  EXPECT_EQ(jump.Pos(1e-9), 3);
  EXPECT_THROW(jump.Vel(0), Error_MotionPlanning_Incompatible);
}

TEST(KdlProfile, TextIsReadBack) {
  VelocityProfile_Trap trap(1, 2);
  VelocityProfile_TrapHalf half(1, 2, false);
  VelocityProfile_Rectangular constant(0.5);
  VelocityProfile_Dirac jump;
  VelocityProfile_Spline spline;
  spline.SetProfileDuration(0, 0.5, 3, -0.5, 2);
  for (VelocityProfile* profile : std::initializer_list<VelocityProfile*>{&trap, &half, &constant, &jump, &spline}) {
    std::ostringstream text;
    profile->Write(text);
    std::istringstream in(text.str());
    const std::unique_ptr<VelocityProfile> read(VelocityProfile::Read(in));
    std::ostringstream again;
    read->Write(again);
    EXPECT_EQ(again.str(), text.str());
    EXPECT_EQ(typeid(*read), typeid(*profile));
  }
  for (const char* text : {"TRAPEZ[1,2]", "TRAPEZOIDAL[1]", "CONSTVEL[", "SPLINE[1,2]", ""}) {
    std::istringstream in(text);
    EXPECT_THROW(VelocityProfile::Read(in), Error) << text;
  }
}

TEST(KdlTrajectory, VelocitiesAreDerivativesAndTextIsReadBack) {
  KdlDraw draw(6);
  auto profile = std::make_unique<VelocityProfile_Trap>(0.5, 0.7);
  auto path = corners(0.2);
  profile->SetProfile(0, path->PathLength());
  auto composite = std::make_unique<Trajectory_Composite>();
  composite->Add(new Trajectory_Segment(path.release(), profile.release()));
  composite->Add(new Trajectory_Stationary(1.5, Frame(Rotation::RPY(0.5, 0, 0), Vector(2, 2, 1))));
  const double T = composite->Duration();
  std::ostringstream text;
  text.precision(17);
  composite->Write(text);
  std::istringstream in(text.str());
  const std::unique_ptr<Trajectory> read(Trajectory::Read(in)), copy(composite->Clone());
  std::vector<Frame> poses;
  for (int i = 0; i <= 50; ++i) poses.push_back(composite->Pos(i * T / 50));
  composite.reset();
  for (const Trajectory* trajectory : {read.get(), copy.get()}) {
    EXPECT_NEAR(trajectory->Duration(), T, 1e-12 * T);
    for (int i = 0; i <= 50; ++i) {
      EXPECT_TRUE(Equal(trajectory->Pos(i * T / 50), poses[i], 1e-12));
      const double t = T * (i + 0.41) / 51;
      const Twist v = diff(trajectory->Pos(t - k_step), trajectory->Pos(t + k_step), 2 * k_step);
      EXPECT_TRUE(is_near(trajectory->Vel(t), v, 1e-4)) << t;
    }
    EXPECT_EQ(trajectory->Vel(-1), Twist::Zero());
    EXPECT_TRUE(Equal(trajectory->Pos(T + 1), poses.back(), 1e-12));
  }
  Trajectory_Composite empty;
  EXPECT_EQ(empty.Duration(), 0);
  EXPECT_TRUE(Equal(empty.Pos(1), Frame::Identity()));
  std::istringstream broken("SEGMENT[ LINE[ ]");
  EXPECT_THROW(Trajectory::Read(broken), Error);
}

TEST(KdlTrajectory, ADurationStretchesTheProfile) {
  Trajectory_Segment trajectory(new Path_Line(Frame::Identity(), Frame(Vector(1, 0, 0)), one_axis(), 0.1),
                                new VelocityProfile_Trap(1, 2), 4.);
  EXPECT_DOUBLE_EQ(trajectory.Duration(), 4);
  EXPECT_TRUE(Equal(trajectory.Pos(4).p, Vector(1, 0, 0), 1e-14));
  EXPECT_NE(trajectory.GetPath(), nullptr);
  EXPECT_NE(trajectory.GetProfile(), nullptr);
  RotationalInterpolation_SingleAxis shared;  // without `aggregate`, objects stay the caller's
  Path_Line path(Frame::Identity(), Frame(Vector(1, 0, 0)), &shared, 0.1, false);
  VelocityProfile_Trap profile(1, 2);
  profile.SetProfile(0, 1);
  { const Trajectory_Segment view(&path, &profile, false); }
  EXPECT_DOUBLE_EQ(profile.Duration(), 1.5);
}

}  // namespace
