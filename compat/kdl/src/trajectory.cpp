// SPDX-License-Identifier: BSD-3-Clause
// Trajectories.
#include <algorithm>
#include <kdl/frames_io.hpp>
#include <kdl/trajectory_composite.hpp>
#include <kdl/trajectory_segment.hpp>
#include <kdl/trajectory_stationary.hpp>

namespace KDL {

Trajectory_Segment::Trajectory_Segment(Path* _geom, VelocityProfile* _motprof, bool _aggregate)
    : motprof_(_motprof, _aggregate),
      geom_(_geom, _aggregate) {}
Trajectory_Segment::Trajectory_Segment(Path* _geom, VelocityProfile* _motprof, double duration, bool _aggregate)
    : Trajectory_Segment(_geom, _motprof, _aggregate) {
  motprof_->SetProfileDuration(0, geom_->PathLength(), duration);
}
Frame Trajectory_Segment::Pos(double time) const { return geom_->Pos(motprof_->Pos(time)); }
Twist Trajectory_Segment::Vel(double time) const { return geom_->Vel(motprof_->Pos(time), motprof_->Vel(time)); }
Twist Trajectory_Segment::Acc(double time) const {
  return geom_->Acc(motprof_->Pos(time), motprof_->Vel(time), motprof_->Acc(time));
}
Trajectory* Trajectory_Segment::Clone() const { return new Trajectory_Segment(geom_->Clone(), motprof_->Clone()); }
void Trajectory_Segment::Write(std::ostream& os) const {
  os << "SEGMENT[ \n  ";
  geom_->Write(os);
  os << "\n  ";
  motprof_->Write(os);
  os << "\n]";
}

void Trajectory_Composite::Add(Trajectory* elem) {
  parts_.emplace_back(elem);
  ends_.push_back(Duration() + elem->Duration());
}
void Trajectory_Composite::Destroy() {
  parts_.clear();
  ends_.clear();
}
/// The part at `time`, which becomes the time in it. Between two parts, the later one counts.
const Trajectory* Trajectory_Composite::find(double& time) const {
  if (parts_.empty()) return nullptr;
  time = std::max(0., std::min(time, Duration()));
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), time);
  const std::size_t i = std::min(static_cast<std::size_t>(end - ends_.begin()), ends_.size() - 1);
  if (i > 0) time -= ends_[i - 1];
  return parts_[i].get();
}
Frame Trajectory_Composite::Pos(double time) const {
  const Trajectory* part = find(time);
  return part != nullptr ? part->Pos(time) : Frame::Identity();
}
Twist Trajectory_Composite::Vel(double time) const {
  const bool is_moving = time >= 0 && time <= Duration();
  const Trajectory* part = find(time);
  return part != nullptr && is_moving ? part->Vel(time) : Twist::Zero();
}
Twist Trajectory_Composite::Acc(double time) const {
  const bool is_moving = time >= 0 && time <= Duration();
  const Trajectory* part = find(time);
  return part != nullptr && is_moving ? part->Acc(time) : Twist::Zero();
}
Trajectory* Trajectory_Composite::Clone() const {
  auto out = std::make_unique<Trajectory_Composite>();
  for (const auto& part : parts_) out->Add(part->Clone());
  return out.release();
}
void Trajectory_Composite::Write(std::ostream& os) const {
  os << "COMPOSITE[ " << parts_.size() << "\n";
  for (const auto& part : parts_) part->Write(os);
  os << "]\n";
}

void Trajectory_Stationary::Write(std::ostream& os) const {
  os << "STATIONARY[ " << duration_ << "\n" << pose_ << "\n]";
}

}  // namespace KDL
