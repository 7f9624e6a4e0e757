// SPDX-License-Identifier: BSD-3-Clause
// Rotations about one axis, and paths with one: lines, arcs, points.
#include <algorithm>
#include <cmath>
#include <kdl/frames_io.hpp>
#include <kdl/path_circle.hpp>
#include <kdl/path_line.hpp>
#include <kdl/path_point.hpp>
#include <kdl/rotational_interpolation_sa.hpp>

namespace KDL {

void RotationalInterpolation_SingleAxis::SetStartEnd(Rotation start, Rotation end) {
  start_ = start;
  angle_ = (start.Inverse() * end).GetRotAngle(axis_, 0);
}
Rotation RotationalInterpolation_SingleAxis::Pos(double theta) const { return start_ * Rotation::Rot2(axis_, theta); }
Vector RotationalInterpolation_SingleAxis::Vel(double, double thetad) const { return start_ * (thetad * axis_); }
Vector RotationalInterpolation_SingleAxis::Acc(double, double, double thetadd) const {
  return start_ * (thetadd * axis_);
}
void RotationalInterpolation_SingleAxis::Write(std::ostream& os) const { os << "SingleAxis[] "; }
RotationalInterpolation* RotationalInterpolation_SingleAxis::Clone() const {
  return new RotationalInterpolation_SingleAxis(*this);
}

namespace {

/// The length of a path of that distance and angle, and how much of both there is for a unit of it.
double scale(double distance, double angle, double eqradius, double& linear, double& angular) {
  const double length = std::max(distance, eqradius * angle);
  if (!std::isfinite(distance) || !std::isfinite(eqradius * angle)) throw Error_MotionPlanning_Not_Feasible(0);
  linear = length > 0 ? distance / length : 0;
  angular = length > 0 ? angle / length : 0;
  return length;
}

}  // namespace

Path_Line::Path_Line(const Frame& F_base_start, const Frame& F_base_end, RotationalInterpolation* orient,
                     double eqradius, bool _aggregate)
    : orient_(orient, _aggregate),
      start_(F_base_start),
      end_(F_base_end),
      direction_(F_base_end.p - F_base_start.p),
      eqradius_(eqradius) {
  const double distance = direction_.Norm(0);
  direction_ = distance > 0 ? direction_ / distance : Vector::Zero();
  orient_->SetStartEnd(start_.M, end_.M);
  length_ = scale(distance, orient_->Angle(), eqradius_, linear_, angular_);
}
Path_Line::Path_Line(const Frame& F_base_start, const Twist& twist_in_base, RotationalInterpolation* orient,
                     double eqradius, bool _aggregate)
    : Path_Line(F_base_start,
                Frame(F_base_start.M * Rotation::Rot(twist_in_base.rot, twist_in_base.rot.Norm(0)),
                      F_base_start.p + twist_in_base.vel),
                orient, eqradius, _aggregate) {}

double Path_Line::LengthToS(double length) { return linear_ > 0 ? length / linear_ : length; }
Frame Path_Line::Pos(double s) const {
  return Frame(orient_->Pos(s * angular_), start_.p + direction_ * (s * linear_));
}
Twist Path_Line::Vel(double s, double sd) const {
  return Twist(direction_ * (sd * linear_), orient_->Vel(s * angular_, sd * angular_));
}
Twist Path_Line::Acc(double s, double sd, double sdd) const {
  return Twist(direction_ * (sdd * linear_), orient_->Acc(s * angular_, sd * angular_, sdd * angular_));
}
void Path_Line::Write(std::ostream& os) {
  os << "LINE[  " << start_ << "\n  " << end_ << "\n  ";
  orient_->Write(os);
  os << "\n  " << eqradius_ << "]\n";
}
Path* Path_Line::Clone() { return new Path_Line(start_, end_, orient_->Clone(), eqradius_, true); }

Path_Circle::Path_Circle(const Frame& F_base_start, const Vector& V_base_center, const Vector& V_base_p,
                         const Rotation& R_base_end, double alpha, RotationalInterpolation* otraj, double eqradius,
                         bool _aggregate)
    : orient_(otraj, _aggregate),
      start_(F_base_start),
      end_(R_base_end),
      alpha_(alpha),
      eqradius_(eqradius) {
  Vector x = start_.p - V_base_center, towards = V_base_p - V_base_center;
  radius_ = x.Normalize();
  if (!(radius_ >= epsilon)) throw Error_MotionPlanning_Circle_ToSmall();
  towards.Normalize();
  Vector z = x * towards;
  if (!(z.Normalize() >= epsilon)) throw Error_MotionPlanning_Circle_No_Plane();
  centre_ = Frame(Rotation(x, z * x, z), V_base_center);
  orient_->SetStartEnd(start_.M, end_);
  length_ = scale(std::abs(alpha_) * radius_, orient_->Angle(), eqradius_, linear_, angular_);
  if (alpha_ < 0) linear_ = -linear_;
}

double Path_Circle::LengthToS(double length) { return linear_ != 0 ? length / std::abs(linear_) : length; }
Frame Path_Circle::Pos(double s) const {
  const double a = s * linear_ / radius_;
  return Frame(orient_->Pos(s * angular_), centre_ * Vector(radius_ * std::cos(a), radius_ * std::sin(a), 0));
}
Twist Path_Circle::Vel(double s, double sd) const {
  const double a = s * linear_ / radius_, v = sd * linear_;
  return Twist(centre_.M * Vector(-v * std::sin(a), v * std::cos(a), 0), orient_->Vel(s * angular_, sd * angular_));
}
Twist Path_Circle::Acc(double s, double sd, double sdd) const {
  const double a = s * linear_ / radius_, v = sd * linear_, along = sdd * linear_, inwards = v * v / radius_;
  return Twist(
      centre_.M * Vector(-inwards * std::cos(a) - along * std::sin(a), -inwards * std::sin(a) + along * std::cos(a), 0),
      orient_->Acc(s * angular_, sd * angular_, sdd * angular_));
}
void Path_Circle::Write(std::ostream& os) {
  os << "CIRCLE[  " << start_ << "\n  " << centre_.p << "\n  " << centre_.p + centre_.M.UnitY() << "\n  " << end_
     << "\n  " << alpha_ * rad2deg << "\n  ";
  orient_->Write(os);
  os << "\n  " << eqradius_ << "]\n";
}
Path* Path_Circle::Clone() {
  return new Path_Circle(start_, centre_.p, centre_.p + centre_.M.UnitY(), end_, alpha_, orient_->Clone(), eqradius_,
                         true);
}

void Path_Point::Write(std::ostream& os) { os << "POINT[ " << pose_ << "]\n"; }

}  // namespace KDL
