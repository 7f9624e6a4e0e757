// SPDX-License-Identifier: BSD-3-Clause
// The fastest motion between limits of velocity, acceleration and jerk.
//
// Source: Biagiotti & Melchiorri, Trajectory Planning for Automatic Machines and Robots, 2008, sections 3.2 to 3.4
// (rest to rest); Berscheid & Kroeger, Jerk-limited real-time trajectory generation with arbitrary target states, RSS
// 2021 (the structure of the general problem).
// DIFFERS: no table of cases and no polynomials of high degree. Ways to the final velocity form two families: the
// velocity is raised first and then lowered, or the mirror image. A family has one parameter, and time grows with it:
//   accelerations rise from a0 to a, are held for a time h, fall to -b, are held for a time g, rise to 0;
//   a^2 - b^2 + J (h A - g B) = k = J (v_end - v0) + a0^2 / 2
//   a <= A, h = 0 unless a = A;   b <= B, g = 0 unless b = B
// The length of the way is a smooth function of the parameter in each of the four parts of a family, and its derivative
// has zeros in closed form. Between them a bracketed root gives the way of the wanted length. Of both families the way
// that takes less time is the fastest.
#include "zwang/path/motion_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "path/limits.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
constexpr const char* k_function = "MotionProfile::fastest";

struct Bounds {
  double v_low, v_high, a_low, a_high, jerk;
  Bounds mirrored() const { return {-v_high, -v_low, -a_high, -a_low, jerk}; }
};
/// Velocity and acceleration.
struct Rate {
  double v, a;
};
/// A time of constant jerk that begins with acceleration a. A leg of duration 0 is none: its a says nothing.
struct Leg {
  double duration = 0, a = 0, jerk = 0;
};

Rate after(const Rate& x, const Leg& l) {
  return {x.v + l.duration * (l.a + l.duration * l.jerk / 2), l.a + l.duration * l.jerk};
}
double distance(const Rate& x, const Leg& l) {
  const double t = l.duration;
  return t * (x.v + t * (l.a / 2 + t * l.jerk / 6));
}

/// Up to velocity v, where the acceleration is 0 again: rise, hold, fall.
std::array<Leg, 3> up_to(const Rate& x, double v, const Bounds& b) {
  if (std::isinf(b.jerk)) return {{{}, {std::max(v - x.v, 0.0) / b.a_high, b.a_high, 0}, {}}};
  // v - x.v = (peak^2 - a^2) / 2j + peak^2 / 2j, and more at the peak where that is cut off
  const double peak = std::sqrt(std::max(b.jerk * (v - x.v) + x.a * x.a / 2, 0.0));
  const double top = std::min(peak, b.a_high);
  const double rise = std::max(top - x.a, 0.0) / b.jerk;
  const double hold = peak > top ? (peak - top) * (peak + top) / (b.jerk * top) : 0;
  return {{{rise, x.a, b.jerk}, {hold, top, 0}, {top / b.jerk, top, -b.jerk}}};
}

/// The fastest way from x to velocity v and acceleration 0.
std::array<Leg, 3> to_velocity(const Rate& x, double v, const Bounds& b) {
  const double lost = std::isinf(b.jerk) ? 0 : x.a * std::abs(x.a) / (2 * b.jerk), stopped = x.v + lost;
  // Where v is the velocity of stopping at once up to rounding e, the square root in up_to() would make sqrt(e) of it.
  const double rounding = 8 * k_epsilon * (std::abs(x.v) + std::abs(v) + std::abs(lost));
  if (std::abs(v - stopped) <= rounding && !std::isinf(b.jerk))
    return {{{}, {}, {std::abs(x.a) / b.jerk, x.a, x.a > 0 ? -b.jerk : b.jerk}}};
  if (v > stopped) return up_to(x, v, b);
  std::array<Leg, 3> legs = up_to({-x.v, -x.a}, -v, b.mirrored());
  for (Leg& l : legs) l = {l.duration, 0 - l.a, 0 - l.jerk};
  return legs;
}

/// Legs of a motion: those that raise the velocity, the cruise, and those to the final velocity.
struct Plan {
  std::array<Leg, 7> legs{};
  double length = 0;  ///< of the way
  double terms = 0;   ///< sum of the absolute values of what `length` is the sum of

  double duration() const {
    double t = 0;
    for (const Leg& l : legs) t += l.duration;
    return t;
  }

  /// Adds legs k, k + 1, ... from x; the rate at their end.
  template <std::size_t N> Rate add(std::size_t k, const std::array<Leg, N>& more, Rate x) {
    for (const Leg& l : more) {
      legs[k++] = l;
      if (!(l.duration > 0)) continue;
      const double d = distance(x, l);
      length += d;
      terms += l.duration * (std::abs(x.v) + l.duration * (std::abs(l.a) / 2 + l.duration * std::abs(l.jerk) / 6));
      x = after(x, l);
    }
    return x;
  }
};

/// A family of ways: from `start` the velocity rises first, and `end` is the final velocity.
struct Family {
  Rate start;
  double end;
  Bounds b;
  /// J (v - v0) + a0^2 / 2
  double square_of(double v) const { return b.jerk * (v - start.v) + start.a * start.a / 2; }
};

/// Which of the accelerations a and b are held at their limits; the parameter: a + b; b; a; h.
enum class Part { none_held, high_held, low_held, both_held };
struct Section {
  Part part;
  double from, to;
};
struct Sections {
  std::array<Section, 4> of{};
  std::size_t count = 0;
  void add(Part part, double from, double to) { of[count++] = {part, from, std::max(from, to)}; }
};

Plan way_of(const Family& f, Part part, double x) {
  const double A = f.b.a_high, B = -f.b.a_low, J = f.b.jerk, k = f.square_of(f.end);
  Plan p;
  if (std::isinf(J)) {
    const Leg up{x, A, 0}, down{(f.start.v - f.end) / B + x * (A / B), -B, 0};
    p.add(4, std::array<Leg, 1>{down}, p.add(0, std::array<Leg, 1>{up}, f.start));
    return p;
  }
  double a = A, h = 0, b = B, g = 0;
  if (part == Part::none_held) {
    a = x > 0 ? (x + k / x) / 2 : 0;
    b = x > 0 ? (x - k / x) / 2 : 0;
  } else if (part == Part::high_held) {
    b = x;
    h = (k + (b - A) * (b + A)) / (J * A);
  } else if (part == Part::low_held) {
    a = x;
    g = ((a - B) * (a + B) - k) / (J * B);
  } else {
    h = x;
    g = ((A - B) * (A + B) + J * A * h - k) / (J * B);
  }
  const Rate top = p.add(0, std::array<Leg, 2>{{{(a - f.start.a) / J, f.start.a, J}, {h, a, 0}}}, f.start);
  p.add(4, std::array<Leg, 3>{{{(a + b) / J, a, -J}, {g, -b, 0}, {b / J, -b, J}}}, top);
  return p;
}

/// Zeros of the derivative of the length of the way.
std::array<double, 2> turning_points(const Family& f, Part part) {
  const double A = f.b.a_high, B = -f.b.a_low, J = f.b.jerk, k = f.square_of(f.end), a0 = f.start.a;
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(J)) return {-f.start.v / A, none};
  if (part == Part::both_held) return {(a0 * a0 - 2 * J * f.start.v - 2 * A * A - A * B) / (2 * A * J), none};
  // p x^2 + 2 q x + r = 0
  double p = 2, q = A / 2, r = 2 * J * f.end;
  if (part == Part::low_held) {
    q = B / 2;
    r = 2 * J * f.start.v - a0 * a0;
  } else if (part == Part::none_held) {  // of x^2
    p = 3;
    q = 2 * J * (f.start.v + f.end) - a0 * a0;
    r = k * k;
  }
  const double root = std::sqrt(q * q - p * r), larger = -(q + std::copysign(root, q));
  std::array<double, 2> x{larger / p, r / larger};
  if (part == Part::none_held)
    for (double& y : x) y = std::sqrt(y);
  if (!(x[0] < x[1])) std::swap(x[0], x[1]);
  return x;
}

/// From the direct way, or the one without a rise, up to the highest velocity.
Sections sections_of(const Family& f) {
  const double A = f.b.a_high, B = -f.b.a_low, J = f.b.jerk, a0 = f.start.a;
  Sections s;
  if (std::isinf(J)) {
    s.add(Part::both_held, std::max((f.end - f.start.v) / A, 0.0), (f.b.v_high - f.start.v) / A);
    return s;
  }
  const double k = f.square_of(f.end), highest = std::max(f.square_of(f.b.v_high), 0.0);
  const double a_top = std::min(A, std::sqrt(highest)), h_top = (highest - A * A) / (J * A);
  const bool held = a_top == A && std::isfinite(A);
  const bool direct_rises = a0 < 0 ? k >= 0 : k >= a0 * a0;
  const double b0 = direct_rises ? 0 : std::sqrt(a0 * a0 - k), at_low = std::sqrt(std::max(k + B * B, 0.0));
  double a_begin = a0, b_begin = b0, b_at_top = b0, a_at_low = a0;
  bool low = b0 > B;
  if (low && a0 < 0 && at_low > 0) {  // b falls to B while a rises to 0, and rises again with a
    s.add(Part::low_held, a0, -at_low);
    a_begin = -at_low;
    b_begin = B;
    low = false;
  }
  if (!low && !(direct_rises && k >= A * A)) {
    b_at_top = std::sqrt(std::max(a_top * a_top - k, 0.0));
    low = b_at_top > B;
    a_at_low = low ? at_low : 0;
    const double from = direct_rises ? std::sqrt(k) : a_begin < 0 ? -k / (b_begin - a_begin) : a_begin + b_begin;
    s.add(Part::none_held, from, low ? at_low + B : a_top + b_at_top);
  }
  if (low) {
    s.add(Part::low_held, a_at_low, a_top);
    if (held) s.add(Part::both_held, 0, h_top);
  } else if (held) {
    const double b_end = std::sqrt(std::max(highest - k, 0.0));
    s.add(Part::high_held, b_at_top, std::min(b_end, B));
    if (b_end > B) s.add(Part::both_held, (k + (B - A) * (B + A)) / (J * A), h_top);
  }
  return s;
}

/// x between low and high where f changes its sign. Regula falsi with halved ends (Illinois); every third step bisects.
template <class F> double root_of(F&& f, double low, double high, double f_low, double f_high) {
  for (int k = 0; k < 200 && high - low > k_epsilon * std::abs(high); ++k) {
    const bool bisect = k % 3 == 2;
    double x = high - f_high * (high - low) / (f_high - f_low);
    if (bisect || !(x > low && x < high)) x = low + (high - low) / 2;
    if (x <= low || x >= high) break;
    const double y = f(x);
    if (y == 0) return x;
    if ((y < 0) == (f_low < 0)) {
      low = x;
      f_low = y;
      if (!bisect) f_high /= 2;
    } else {
      high = x;
      f_high = y;
      if (!bisect) f_low /= 2;
    }
  }
  return std::abs(f_low) < std::abs(f_high) ? low : high;
}

/// The way of length d of a family that takes least time; nothing where none has that length.
bool find_way(const Family& family, double d, Plan& way) {
  const Sections sections = sections_of(family);
  for (std::size_t i = 0; i < sections.count; ++i) {
    const auto& [section, from, to] = sections.of[i];
    const auto part = section;  // functions below keep it
    const auto miss = [&](double x) { return way_of(family, part, x).length - d; };
    double low = from, f_low = miss(from);
    const auto reached = [&](double high) {
      const Plan end = way_of(family, part, high);
      const double f_high = end.length - d;
      // At a turning point the length may miss d by rounding alone.
      if (std::abs(f_high) <= 8 * k_epsilon * (end.terms + std::abs(d))) {
        way = end;
        return true;
      }
      if ((f_low < 0) != (f_high < 0)) {
        way = way_of(family, part, root_of(miss, low, high, f_low, f_high));
        return true;
      }
      low = high;
      f_low = f_high;
      return false;
    };
    for (const double x : turning_points(family, part))
      if (x > low && x < to && reached(x)) return true;
    if (std::isfinite(to)) {
      if (reached(to)) return true;
      continue;
    }
    const double scale = std::isinf(family.b.jerk) ? std::sqrt(std::abs(d) / family.b.a_high)
                         : part == Part::none_held ? std::cbrt(std::abs(d) * family.b.jerk) * std::cbrt(family.b.jerk)
                         : part == Part::high_held ? -family.b.a_low
                                                   : std::sqrt(std::abs(d) / family.b.a_high);
    double more = std::max(std::max(scale, std::abs(low)), 1e-150);
    for (int k = 0; k < 2000 && std::isfinite(low + more); ++k, more *= 2)
      if (reached(low + more)) return true;
    detail::throw_overflow(k_function);
  }
  if (!std::isfinite(family.b.v_high)) return false;
  const Rate top{family.b.v_high, 0};
  Plan all;
  all.add(0, to_velocity(family.start, top.v, family.b), family.start);
  all.add(4, to_velocity(top, family.end, family.b), top);
  if (d < all.length) return false;
  all.legs[3] = {(d - all.length) / top.v, 0, 0};
  way = all;
  return true;
}

Plan direct_way(const Rate& from, double velocity, const Bounds& b) {
  Plan p;
  p.add(4, to_velocity(from, velocity, b), from);
  return p;
}

/// The direct way to a velocity that differs by rounding e, of length d. Near the velocity of stopping at once the way
/// changes by v e / peak, much more than e.
bool nearly_direct(const Rate& from, double velocity, double d, const Bounds& b, Plan& way) {
  const double e = 8 * k_epsilon * (std::abs(velocity) + std::abs(from.v));
  const auto miss = [&](double v) { return direct_way(from, v, b).length - d; };
  const double low = velocity - e, high = velocity + e, f_low = miss(low), f_high = miss(high);
  if (e == 0 || (f_low < 0) == (f_high < 0)) return false;
  way = direct_way(from, root_of(miss, low, high, f_low, f_high), b);
  return std::abs(way.length - d) <= 1e3 * k_epsilon * (way.terms + std::abs(d));
}

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(std::string(k_function) + ": " + what);
}

std::string text(double x) { return fmt::format("{:.6g}", x); }

Bounds bounds_of(const ProfileLimits& l) {
  const auto check = [](const char* name, double x) {
    if (!(x > 0))
      refuse("limit '" + std::string(name) + "' is " + text(x) + ", expected a number above 0, or infinity");
  };
  check("velocity", l.velocity);
  check("acceleration", l.acceleration);
  check("jerk", l.jerk);
  const auto lower = [](const char* name, double x, double otherwise) {
    if (std::isnan(x)) return otherwise;
    if (!(x < 0)) refuse("limit '" + std::string(name) + "' is " + text(x) + ", expected a number below 0");
    return x;
  };
  const Bounds b{lower("lower_velocity", l.lower_velocity, -l.velocity), l.velocity,
                 lower("lower_acceleration", l.lower_acceleration, -l.acceleration), l.acceleration, l.jerk};
  if (std::isinf(l.jerk) && (std::isinf(b.a_low) || std::isinf(b.a_high)))
    refuse("neither acceleration nor jerk is limited, expected one of them to be finite");
  return b;
}

/// "2.0000001, expected at most 2": with digits that differ.
std::string beside(double x, double low, double high) {
  const Texts t = texts_of(x, x < low ? low : high);
  return t.x + (x < low ? ", expected at least " : ", expected at most ") + t.y;
}
/// How far x is outside of its limits.
double excess_of(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0; }
/// What of that a start may have.
double room_of(double x, double low, double high) {
  const double limit = std::abs(x < low ? low : high);
  return std::min(k_start_beyond * (1 + limit), 1e-3 * limit) * (1 + 1e-9);
}

/// The velocity at which the acceleration can be brought to 0 at once.
double stopped_of(const Rate& x, const Bounds& b) {
  return std::isinf(b.jerk) ? x.v : x.v + x.a * std::abs(x.a) / (2 * b.jerk);
}

/// Refuses a start beyond its limits by more than a measured one may be.
/// Legs that bring a start within, and from there on.
std::array<Leg, 4> back_within(const Rate& from, const Bounds& b) {
  const auto check = [](const char* what, double x, double low, double high) {
    if (const double e = excess_of(x, low, high); e > 0 && e > room_of(x, low, high))
      refuse(std::string(what) + beside(x, low, high));
  };
  check("velocity at the start is ", from.v, b.v_low, b.v_high);
  check("acceleration at the start is ", from.a, b.a_low, b.a_high);
  check("the acceleration at the start cannot be brought to 0 within the limits: the velocity would be ",
        stopped_of(from, b), b.v_low, b.v_high);
  std::array<Leg, 4> legs{};
  Rate x = from;
  if (const double e = excess_of(x.a, b.a_low, b.a_high); e > 0) {
    legs[0] = {e / b.jerk, x.a, x.a > 0 ? -b.jerk : b.jerk};
    x = {after(x, legs[0]).v, x.a > 0 ? b.a_high : b.a_low};
  }
  const double stopped = stopped_of(x, b), rounding = 4 * k_epsilon * std::abs(x.v);
  if (excess_of(stopped, b.v_low, b.v_high) > (std::isinf(b.jerk) ? 0 : rounding)) {
    const std::array<Leg, 3> more = to_velocity(x, stopped > b.v_high ? b.v_high : b.v_low, b);
    std::copy(more.begin(), more.end(), legs.begin() + 1);
  }
  return legs;
}

}  // namespace

MotionProfile MotionProfile::fastest(const ProfilePoint& start, double position, double velocity,
                                     const ProfileLimits& limits) {
  const Bounds b = bounds_of(limits);
  const double given[] = {start.position, start.velocity, start.acceleration, position, velocity};
  const char* const names[] = {"start.position", "start.velocity", "start.acceleration", "position", "velocity"};
  for (int k = 0; k < 5; ++k)
    if (!std::isfinite(given[k])) detail::throw_not_finite(k_function, names[k], 0, given[k]);
  if (excess_of(velocity, b.v_low, b.v_high) > 0)
    refuse("velocity at the end is " + beside(velocity, b.v_low, b.v_high));
  const Rate from{start.velocity, std::isinf(b.jerk) ? 0 : start.acceleration};
  const std::array<Leg, 4> legs = back_within(from, b);
  ProfilePoint x{start.position, from.v, from.a, 0};
  MotionProfile before;
  for (const Leg& l : legs) {
    if (!(l.duration > 0)) continue;
    const Rate rate{x.velocity, l.a};
    before.pieces_[static_cast<std::size_t>(before.count_++)] = {l.duration, {x.position, x.velocity, l.a, l.jerk}};
    before.duration_ += l.duration;
    x = {x.position + distance(rate, l), after(rate, l).v, after(rate, l).a, 0};
  }
  if (before.count_ > 0) x.velocity = std::clamp(x.velocity, b.v_low, b.v_high);  // by rounding
  if (before.count_ > 0) x.acceleration = legs[3].duration > 0 ? 0 : std::clamp(x.acceleration, b.a_low, b.a_high);
  MotionProfile out = within(x, position, velocity, limits);
  for (const Piece& piece : std::span(out.pieces_).first(static_cast<std::size_t>(out.count_)))
    before.pieces_[static_cast<std::size_t>(before.count_++)] = piece;
  out.pieces_ = before.pieces_;
  out.count_ = before.count_;
  out.duration_ += before.duration_;
  out.beyond_ = {excess_of(from.v, b.v_low, b.v_high), excess_of(from.a, b.a_low, b.a_high)};
  return out;
}

/// From a start within its limits.
MotionProfile MotionProfile::within(const ProfilePoint& start, double position, double velocity,
                                    const ProfileLimits& limits) {
  const Bounds b = bounds_of(limits);
  const Rate from{start.velocity, std::isinf(b.jerk) ? 0 : start.acceleration};
  const double d = position - start.position;
  if (!std::isfinite(d)) detail::throw_overflow(k_function);

  Plan plan = direct_way(from, velocity, b);
  // The last bits of d and of the velocities decide between a little further and there and back again: the direct way
  // counts where it has length d up to rounding, or to a final velocity that is another one by rounding alone.
  const double rounding = 8 * k_epsilon * (plan.terms + std::abs(position) + std::abs(start.position));
  if (std::abs(d - plan.length) > rounding && !nearly_direct(from, velocity, d, b, plan)) {
    Plan up, down;
    const bool rises = find_way({from, velocity, b}, d, up);
    const bool falls = find_way({{-from.v, -from.a}, -velocity, b.mirrored()}, -d, down);
    for (Leg& l : down.legs) l = {l.duration, 0 - l.a, 0 - l.jerk};  // no -0
    plan = falls && (!rises || down.duration() < up.duration()) ? down : up;
  }

  // States of the first legs from the start, of the last ones from the end: both ends are exact.
  MotionProfile out;
  std::array<ProfilePoint, 7> begin;
  ProfilePoint x{start.position, from.v, from.a, 0}, y{position, velocity, 0, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    const Leg& l = plan.legs[k];
    if (!(l.duration > 0)) continue;
    begin[k] = {x.position, x.velocity, l.a, l.jerk};
    const Rate rate{x.velocity, l.a};
    x.position += distance(rate, l);
    x.velocity = after(rate, l).v;
  }
  for (std::size_t k = 7; k-- > 4;) {
    const Leg& l = plan.legs[k];
    if (!(l.duration > 0)) continue;
    const Leg back{-l.duration, l.a + l.duration * l.jerk, l.jerk};
    const Rate rate{y.velocity, back.a};
    y = {y.position + distance(rate, back), after(rate, back).v, l.a, l.jerk};
    begin[k] = y;
  }
  for (std::size_t k = 0; k < 7; ++k) {
    if (!(plan.legs[k].duration > 0)) continue;
    out.pieces_[static_cast<std::size_t>(out.count_++)] = {plan.legs[k].duration, begin[k]};
    out.duration_ += plan.legs[k].duration;
  }
  if (!std::isfinite(out.duration_)) detail::throw_overflow(k_function);
  out.end_ = {position, velocity, 0, 0};
  ProfilePoint& first = out.pieces_[0].start;
  first.position = start.position;
  first.velocity = start.velocity;
  return out;
}

MotionProfile MotionProfile::stretched(double duration) const {
  const double v0 = count_ > 0 ? pieces_[0].start.velocity : 0;
  if (v0 != 0 || end_.velocity != 0)
    throw std::invalid_argument(
        "MotionProfile::stretched: the motion has a velocity at an end, expected one from rest to rest");
  if (!(duration >= duration_) || std::isinf(duration))
    throw std::invalid_argument("MotionProfile::stretched: argument 'duration' is " + texts_of(duration, duration_).x +
                                ", expected at least its own, " + texts_of(duration, duration_).y);
  MotionProfile out = *this;
  if (duration_ == 0) return out;
  const double c = duration / duration_;
  for (Piece& p : out.pieces_) {
    p.duration *= c;
    p.start.velocity /= c;
    p.start.acceleration /= c * c;
    p.start.jerk /= c * c * c;
  }
  out.duration_ = duration;
  return out;
}

ProfilePoint MotionProfile::at(double time) const {
  if (std::isnan(time)) detail::throw_not_finite("MotionProfile::at", "time", 0, time);
  if (time >= duration_) return end_;
  double t = std::max(time, 0.0);
  std::size_t k = 0;
  while (k + 1 < static_cast<std::size_t>(count_) && t >= pieces_[k].duration) t -= pieces_[k++].duration;
  const ProfilePoint& x = pieces_[k].start;
  const Leg l{std::min(t, pieces_[k].duration), x.acceleration, x.jerk};
  const Rate rate{x.velocity, x.acceleration}, next = after(rate, l);
  return {x.position + distance(rate, l), next.v, next.a, x.jerk};
}

}  // namespace zwang
