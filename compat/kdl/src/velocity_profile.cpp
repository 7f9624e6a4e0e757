// SPDX-License-Identifier: BSD-3-Clause
// Velocity profiles.
#include <algorithm>
#include <cmath>
#include <kdl/velocityprofile_dirac.hpp>
#include <kdl/velocityprofile_rect.hpp>
#include <kdl/velocityprofile_spline.hpp>
#include <kdl/velocityprofile_trap.hpp>
#include <kdl/velocityprofile_traphalf.hpp>

namespace KDL {

namespace {

/// The length of the way. Throws where the numbers define no motion along it.
double way_between(double pos1, double pos2, double maxvel, double maxacc) {
  const double way = std::abs(pos2 - pos1);
  if (!std::isfinite(way) || (way > 0 && !(maxvel > 0 && maxacc > 0))) throw Error_MotionPlanning_Not_Feasible(0);
  return way;
}

}  // namespace

void VelocityProfile_Trap::SetProfile(double pos1, double pos2) {
  const double way = way_between(pos1, pos2, maxvel_, maxacc_), direction = pos2 < pos1 ? -1 : 1;
  start_ = pos1;
  end_ = pos2;
  if (way == 0) {
    t1_ = t2_ = duration_ = velocity_ = acceleration_ = 0;
    return;
  }
  // Speeding up and slowing down need v^2 / a; a shorter way has no constant part.
  const double v = std::min(maxvel_, std::sqrt(maxacc_ * way));
  t1_ = v / maxacc_;
  t2_ = std::max(way / v, t1_);
  duration_ = t1_ + t2_;
  velocity_ = direction * v;
  acceleration_ = direction * maxacc_;
}
/// The same profile in `factor` of its speed.
void VelocityProfile_Trap::slow_down(double factor) {
  for (double* time : {&t1_, &t2_, &duration_}) *time /= factor;
  velocity_ *= factor;
  acceleration_ *= factor * factor;
}
void VelocityProfile_Trap::SetProfileDuration(double pos1, double pos2, double newduration) {
  SetProfile(pos1, pos2);
  if (duration_ > 0 && newduration > duration_) slow_down(duration_ / newduration);
  duration_ = std::max(duration_, newduration);
}
void VelocityProfile_Trap::SetProfileVelocity(double pos1, double pos2, double newvelocity) {
  constexpr double slowest = 1e-6;
  SetProfile(pos1, pos2);
  slow_down(std::max(slowest, std::min(1., newvelocity)));
}
void VelocityProfile_Trap::SetMax(double _maxvel, double _maxacc) {
  maxvel_ = _maxvel;
  maxacc_ = _maxacc;
}
double VelocityProfile_Trap::Pos(double time) const {
  if (time < 0) return start_;
  if (time < t1_) return start_ + acceleration_ * time * time / 2;
  if (time < t2_) return start_ + velocity_ * (time - t1_ / 2);
  const double left = duration_ - time;
  return left > 0 ? end_ - acceleration_ * left * left / 2 : end_;
}
double VelocityProfile_Trap::Vel(double time) const {
  if (time < 0 || time > duration_) return 0;
  if (time < t1_) return acceleration_ * time;
  return time < t2_ ? velocity_ : acceleration_ * (duration_ - time);
}
double VelocityProfile_Trap::Acc(double time) const {
  if (time < 0 || time > duration_) return 0;
  if (time < t1_) return acceleration_;
  return time < t2_ ? 0 : 0 - acceleration_;
}
void VelocityProfile_Trap::Write(std::ostream& os) const { os << "TRAPEZOIDAL[" << maxvel_ << "," << maxacc_ << "]"; }

void VelocityProfile_TrapHalf::SetProfile(double pos1, double pos2) {
  const double way = way_between(pos1, pos2, maxvel_, maxacc_), direction = pos2 < pos1 ? -1 : 1;
  start_ = pos1;
  end_ = pos2;
  rest_ = speeding_ = duration_ = velocity_ = acceleration_ = 0;
  if (way == 0) return;
  const double v = std::min(maxvel_, std::sqrt(2 * maxacc_ * way));
  speeding_ = v / maxacc_;
  duration_ = way / v + speeding_ / 2;
  velocity_ = direction * v;
  acceleration_ = direction * maxacc_;
}
void VelocityProfile_TrapHalf::SetProfileDuration(double pos1, double pos2, double newduration) {
  SetProfile(pos1, pos2);
  if (newduration <= duration_) return;
  if (velocity_ != 0) {
    // way = v (T - t / 2) with t <= T the time of speeding up.
    const double unhurried = (end_ - start_) / velocity_;
    const double moving = std::min(newduration, 2 * unhurried);
    speeding_ = 2 * (moving - unhurried);
    acceleration_ = velocity_ / speeding_;
    rest_ = newduration - moving;
  }
  duration_ = newduration;
}
void VelocityProfile_TrapHalf::SetMax(double _maxvel, double _maxacc, bool _starting) {
  maxvel_ = _maxvel;
  maxacc_ = _maxacc;
  starting_ = _starting;
}
/// The time as it is seen from the end at rest.
double VelocityProfile_TrapHalf::since_rest(double time) const { return starting_ ? time : duration_ - time; }
double VelocityProfile_TrapHalf::Pos(double time) const {
  if (time <= 0) return start_;
  if (time >= duration_) return end_;
  const double t = since_rest(time) - rest_;
  const double way = t <= 0 ? 0 : t < speeding_ ? acceleration_ * t * t / 2 : velocity_ * (t - speeding_ / 2);
  return starting_ ? start_ + way : end_ - way;
}
double VelocityProfile_TrapHalf::Vel(double time) const {
  if (time < 0 || time > duration_) return 0;
  const double t = since_rest(time) - rest_;
  return t <= 0 ? 0 : t < speeding_ ? acceleration_ * t : velocity_;
}
double VelocityProfile_TrapHalf::Acc(double time) const {
  if (time < 0 || time > duration_) return 0;
  const double t = since_rest(time) - rest_;
  // At the time between two parts, the later one counts.
  const bool is_speeding = starting_ ? t >= 0 && t < speeding_ : t > 0 && t <= speeding_;
  return !is_speeding ? 0 : starting_ ? acceleration_ : -acceleration_;
}
void VelocityProfile_TrapHalf::Write(std::ostream& os) const {
  os << "TRAPEZOIDALHALF[" << maxvel_ << "," << maxacc_ << "," << starting_ << "]";
}

void VelocityProfile_Rectangular::SetProfile(double pos1, double pos2) {
  const double way = pos2 - pos1;
  if (!std::isfinite(way) || (way != 0 && !(maxvel_ > 0))) throw Error_MotionPlanning_Incompatible();
  start_ = pos1;
  end_ = pos2;
  velocity_ = way == 0 ? 0 : way < 0 ? -maxvel_ : maxvel_;
  duration_ = way == 0 ? 0 : way / velocity_;
}
void VelocityProfile_Rectangular::SetProfileDuration(double pos1, double pos2, double duration) {
  SetProfile(pos1, pos2);
  if (duration <= duration_) return;
  velocity_ = (pos2 - pos1) / duration;
  duration_ = duration;
}
double VelocityProfile_Rectangular::Pos(double time) const {
  return time <= 0 ? start_ : time >= duration_ ? end_ : start_ + velocity_ * time;
}
double VelocityProfile_Rectangular::Vel(double time) const { return time < 0 || time > duration_ ? 0 : velocity_; }
double VelocityProfile_Rectangular::Acc(double) const { throw Error_MotionPlanning_Incompatible(); }
void VelocityProfile_Rectangular::Write(std::ostream& os) const { os << "CONSTVEL[" << maxvel_ << "]"; }

void VelocityProfile_Dirac::SetProfile(double pos1, double pos2) { SetProfileDuration(pos1, pos2, 0); }
void VelocityProfile_Dirac::SetProfileDuration(double pos1, double pos2, double duration) {
  start_ = pos1;
  end_ = pos2;
  duration_ = std::max(0., duration);
}
double VelocityProfile_Dirac::Pos(double time) const {
  if (time <= 0) return start_;
  return time >= duration_ ? end_ : start_ + (end_ - start_) / duration_ * time;
}
double VelocityProfile_Dirac::Vel(double time) const {
  if (duration_ == 0) throw Error_MotionPlanning_Incompatible();
  return time > 0 && time < duration_ ? (end_ - start_) / duration_ : 0;
}
double VelocityProfile_Dirac::Acc(double) const { throw Error_MotionPlanning_Incompatible(); }
void VelocityProfile_Dirac::Write(std::ostream& os) const { os << "DIRACVEL[ ]"; }

void VelocityProfile_Spline::set(double c0, double c1, double c2, double c3, double c4, double c5, double duration) {
  const double numbers[] = {c0, c1, c2, c3, c4, c5};
  std::copy(numbers, numbers + 6, coeff_);
  duration_ = duration;
}
void VelocityProfile_Spline::SetProfile(double, double pos2) { set(pos2, 0, 0, 0, 0, 0, 0); }
void VelocityProfile_Spline::SetProfileDuration(double pos1, double pos2, double duration) {
  if (!(duration > 0)) return SetProfile(pos1, pos2);
  set(pos1, (pos2 - pos1) / duration, 0, 0, 0, 0, duration);
}
void VelocityProfile_Spline::SetProfileDuration(double pos1, double vel1, double pos2, double vel2, double duration) {
  if (!(duration > 0)) return SetProfile(pos1, pos2);
  const double T = duration, mean = (pos2 - pos1) / T;
  set(pos1, vel1, (3 * mean - 2 * vel1 - vel2) / T, (vel1 + vel2 - 2 * mean) / (T * T), 0, 0, T);
}
void VelocityProfile_Spline::SetProfileDuration(double pos1, double vel1, double acc1, double pos2, double vel2,
                                                double acc2, double duration) {
  if (!(duration > 0)) return SetProfile(pos1, pos2);
  // What is left to the powers 3 to 5 at the end, of position, velocity and acceleration.
  const double T = duration, T2 = T * T, p = pos2 - pos1 - vel1 * T - acc1 * T2 / 2, v = vel2 - vel1 - acc1 * T,
               a = acc2 - acc1;
  set(pos1, vel1, acc1 / 2, (10 * p - 4 * v * T + a * T2 / 2) / (T2 * T), (-15 * p + 7 * v * T - a * T2) / (T2 * T2),
      (6 * p - 3 * v * T + a * T2 / 2) / (T2 * T2 * T), T);
}
double VelocityProfile_Spline::Pos(double time) const {
  double out = 0;
  for (int i = 5; i >= 0; --i) out = out * time + coeff_[i];
  return out;
}
double VelocityProfile_Spline::Vel(double time) const {
  double out = 0;
  for (int i = 5; i >= 1; --i) out = out * time + i * coeff_[i];
  return out;
}
double VelocityProfile_Spline::Acc(double time) const {
  double out = 0;
  for (int i = 5; i >= 2; --i) out = out * time + i * (i - 1) * coeff_[i];
  return out;
}
void VelocityProfile_Spline::Write(std::ostream& os) const {
  os << "SPLINE[" << duration_;
  for (const double c : coeff_) os << "," << c;
  os << "]";
}

}  // namespace KDL
