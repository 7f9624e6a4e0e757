// SPDX-License-Identifier: BSD-3-Clause
// Paths of several parts.
#include <algorithm>
#include <cmath>
#include <kdl/path_circle.hpp>
#include <kdl/path_cyclic_closed.hpp>
#include <kdl/path_line.hpp>
#include <kdl/path_roundedcomposite.hpp>

namespace KDL {

void Path_Composite::Add(Path* geom, bool aggregate) {
  parts_.emplace_back(geom, aggregate);
  ends_.push_back(PathLength() + geom->PathLength());
}

/// The first part that ends at s or behind it, and s along it.
std::size_t Path_Composite::find(double s, double& inner) const {
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), s);
  const std::size_t i = std::min(static_cast<std::size_t>(end - ends_.begin()), ends_.size() - 1);
  inner = s - (i > 0 ? ends_[i - 1] : 0);
  return i;
}

double Path_Composite::LengthToS(double) { throw Error_MotionPlanning_Not_Applicable(); }
Frame Path_Composite::Pos(double s) const {
  if (parts_.empty()) return Frame::Identity();
  const std::size_t i = find(s, s);
  return parts_[i]->Pos(s);
}
Twist Path_Composite::Vel(double s, double sd) const {
  if (parts_.empty()) return Twist::Zero();
  const std::size_t i = find(s, s);
  return parts_[i]->Vel(s, sd);
}
Twist Path_Composite::Acc(double s, double sd, double sdd) const {
  if (parts_.empty()) return Twist::Zero();
  const std::size_t i = find(s, s);
  return parts_[i]->Acc(s, sd, sdd);
}
void Path_Composite::Write(std::ostream& os) {
  os << "COMPOSITE[ \n   " << parts_.size() << "\n";
  for (const auto& part : parts_) part->Write(os);
  os << "]\n";
}
Path* Path_Composite::Clone() {
  auto out = std::make_unique<Path_Composite>();
  for (const auto& part : parts_) out->Add(part->Clone());
  return out.release();
}
void Path_Composite::GetCurrentSegmentLocation(double s, int& segment_number, double& inner_s) {
  segment_number = parts_.empty() ? 0 : static_cast<int>(find(s, inner_s));
  if (parts_.empty()) inner_s = 0;
}

Path_RoundedComposite::Path_RoundedComposite(double radius, double eqradius, RotationalInterpolation* orient,
                                             bool aggregate)
    : comp_(std::make_unique<Path_Composite>()),
      radius_(radius),
      eqradius_(eqradius),
      orient_(orient, aggregate) {
  if (!(eqradius > 0)) throw Error_MotionPlanning_Not_Feasible(1);
}

/// An arc that touches both lines of a corner begins and ends at d = radius / tan((pi - alpha) / 2) from it; alpha: the
/// angle by which the direction changes.
void Path_RoundedComposite::Add(const Frame& F_base_point) {
  if (points_ == 0) {
    start_ = F_base_point;
  } else if (points_ == 1) {
    via_ = F_base_point;
  } else {
    Vector before = via_.p - start_.p, behind = F_base_point.p - via_.p;
    const double length = before.Normalize(), next_length = behind.Normalize();
    if (!(length >= epsilon)) throw Error_MotionPlanning_Not_Feasible(2);
    if (!(next_length >= epsilon)) throw Error_MotionPlanning_Not_Feasible(3);
    const double alpha = std::acos(std::max(-1., std::min(1., dot(before, behind))));
    if (PI - alpha < epsilon) throw Error_MotionPlanning_Not_Feasible(4);
    if (alpha < epsilon) {
      comp_->Add(new Path_Line(start_, via_, orient_->Clone(), eqradius_));
      start_ = via_;
    } else {
      if (!(radius_ > 0)) throw Error_MotionPlanning_Circle_ToSmall();
      const double d = radius_ / std::tan((PI - alpha) / 2);
      if (d >= length) throw Error_MotionPlanning_Not_Feasible(5);
      if (d >= next_length) throw Error_MotionPlanning_Not_Feasible(6);
      Path_Line to_corner(start_, via_, orient_->Clone(), eqradius_);
      Path_Line from_corner(via_, F_base_point, orient_->Clone(), eqradius_);
      const Frame arc_start = to_corner.Pos(to_corner.LengthToS(length - d));
      const Frame arc_end = from_corner.Pos(from_corner.LengthToS(d));
      Vector inwards = behind - dot(before, behind) * before;
      inwards.Normalize();
      const Vector centre = arc_start.p + radius_ * inwards;
      comp_->Add(new Path_Line(start_, arc_start, orient_->Clone(), eqradius_));
      comp_->Add(new Path_Circle(arc_start, centre, centre + before, arc_end.M, alpha, orient_->Clone(), eqradius_));
      start_ = arc_end;
    }
    via_ = F_base_point;
  }
  ++points_;
}
void Path_RoundedComposite::Finish() {
  if (points_ >= 1) comp_->Add(new Path_Line(start_, points_ == 1 ? start_ : via_, orient_->Clone(), eqradius_));
}
Path* Path_RoundedComposite::Clone() {
  auto out = std::make_unique<Path_RoundedComposite>(radius_, eqradius_, orient_->Clone());
  out->comp_.reset(static_cast<Path_Composite*>(comp_->Clone()));
  out->start_ = start_;
  out->via_ = via_;
  out->points_ = points_;
  return out.release();
}

Path_Cyclic_Closed::Path_Cyclic_Closed(Path* _geom, int _times, bool _aggregate)
    : geom_(_geom, _aggregate),
      times_(_times) {}
double Path_Cyclic_Closed::inner(double s) const {
  const double length = geom_->PathLength();
  return length > 0 ? std::fmod(s, length) : s;
}
double Path_Cyclic_Closed::LengthToS(double) { throw Error_MotionPlanning_Not_Applicable(); }
void Path_Cyclic_Closed::Write(std::ostream& os) {
  os << "CYCLIC_CLOSED[  ";
  geom_->Write(os);
  os << "\n  " << times_ << "\n]\n";
}
Path* Path_Cyclic_Closed::Clone() { return new Path_Cyclic_Closed(geom_->Clone(), times_, true); }

}  // namespace KDL
