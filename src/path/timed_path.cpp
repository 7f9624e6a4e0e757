// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/path/timed_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "path/columns.hpp"
#include "path/limits.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/model/data.hpp"

namespace zwang {
namespace {

ProfilePoint moved(const ProfilePoint& x, double t) {
  return {x.position + t * (x.velocity + t * (x.acceleration / 2 + t * x.jerk / 6)),
          x.velocity + t * (x.acceleration + t * x.jerk / 2), x.acceleration + t * x.jerk, x.jerk};
}
std::vector<MotionProfile::Piece> pieces_of(const MotionProfile& law) {
  std::vector<MotionProfile::Piece> out;
  for (Index k = 0; k < law.pieces(); ++k) out.push_back(law.piece(k));
  if (out.empty()) out.push_back({0, {law.at(0).position, 0, 0, 0}});
  return out;
}

/// Coordinates that add are within their limits on a line whose ends are; those of a plane or an attitude are looked at
/// between, too.
void check_positions(const ConfigurationPath& line) {
  constexpr int k_parts = 16;
  const Model& m = line.model();
  Numbers q(at_index(m.nq())), first(at_index(m.nv())), second(first.size());
  for (int k = 0; k <= k_parts; ++k) {
    const int part = k == 0 ? 0 : k_parts + 1 - k;  // the ends first
    line.at(static_cast<double>(part) / k_parts, map_of(q), map_of(first), map_of(second));
    const std::string beyond = beyond_limits(m, q);
    if (beyond.empty()) continue;
    const char* const where = part == 0 ? "at the start" : part == k_parts ? "at the end" : "between start and end";
    throw std::invalid_argument(fmt::format("move: {} {}; position_limits = false moves all the same", where, beyond));
  }
}

}  // namespace

std::vector<double> limits_of(const Model& model, const std::vector<double>& given,
                              const std::vector<double>& otherwise, const char* function, const char* argument) {
  const Index n = model.nv();
  const auto count = static_cast<Index>(given.size());
  Numbers out(at_index(n), std::numeric_limits<double>::infinity());
  if (count != 0 && count != 1 && count != n) detail::throw_size(function, argument, count, n);
  for (Index i = 0; i < n; ++i) {
    const std::vector<double>& from = count == 0 ? otherwise : given;
    if (from.empty()) continue;
    const double x = from[count == 1 ? 0 : static_cast<std::size_t>(i)];
    if (std::isnan(x)) continue;  // none is known
    if (!(x > 0))
      throw std::invalid_argument(
          std::string(function) + ": argument '" + argument + "' is " + std::to_string(x) + " for coordinate '" +
          model.coordinate_names()[static_cast<std::size_t>(i)] +
          "', expected a number above 0, infinity where there is no limit, or NaN where none is known");
    out[at_index(i)] = x;
  }
  return out;
}

std::string beyond_limits(const Model& model, const std::vector<double>& q) {
  for (const Joint& j : model.joints())
    for (Index k = j.q.first; j.mimic.leader.empty() && k < j.q.first + j.q.size; ++k) {
      const double low = model.lower()[at_index(k)], high = model.upper()[at_index(k)], is = q[at_index(k)];
      const double room = 1e-9 * (1 + std::abs(is));
      if (is < low - room || is > high + room)
        return fmt::format("joint '{}' is at {:.6g}, beyond its limits {:.6g} and {:.6g}", j.name, is, low, high);
    }
  return "";
}

TimedPath::TimedPath(ConfigurationPath path, const MotionProfile& law) : path_(std::move(path)), law_(pieces_of(law)) {
  check_law();
}
TimedPath::TimedPath(ConfigurationPath path, std::vector<MotionProfile::Piece> law)
    : path_(std::move(path)),
      law_(std::move(law)) {
  check_law();
}

void TimedPath::check_law() {
  if (law_.empty()) throw std::invalid_argument("TimedPath: argument 'law' has no pieces");
  const double room = 1e-9 * (path_.end() - path_.begin());
  for (const MotionProfile::Piece& p : law_) {
    begin_.push_back(duration_);
    if (!(p.duration >= 0) || !std::isfinite(p.duration))
      throw std::invalid_argument("TimedPath: a piece of argument 'law' has the duration " +
                                  std::to_string(p.duration));
    for (const ProfilePoint& x : {p.start, moved(p.start, p.duration)})
      if (!(x.position >= path_.begin() - room && x.position <= path_.end() + room))
        throw std::invalid_argument("TimedPath: argument 'law' comes to s = " + std::to_string(x.position) +
                                    ", but the path goes from " + std::to_string(path_.begin()) + " to " +
                                    std::to_string(path_.end()));
    duration_ += p.duration;
  }
}

ProfilePoint TimedPath::law_at(double time) const {
  if (std::isnan(time)) detail::throw_not_finite("TimedPath::at", "time", 0, time);
  const double t = std::clamp(time, 0.0, duration_);
  const auto k = static_cast<std::size_t>(
      std::max<std::ptrdiff_t>(std::upper_bound(begin_.begin(), begin_.end(), t) - begin_.begin() - 1, 0));
  ProfilePoint x = moved(law_[k].start, std::min(t - begin_[k], law_[k].duration));
  x.position = std::clamp(x.position, path_.begin(), path_.end());
  if (time < 0 || time > duration_) x.velocity = x.acceleration = x.jerk = 0;
  return x;
}

void TimedPath::at(double time, VectorOut q, VectorOut v, VectorOut a) const {
  const Model& m = path_.model();
  const auto check = [](const char* name, Eigen::Index got, Index expected) {
    if (got != expected) detail::throw_size("TimedPath::at", name, static_cast<long>(got), expected);
  };
  check("q", q.size(), m.nq());
  check("v", v.size(), m.nv());
  check("a", a.size(), m.nv());
  const ProfilePoint s = law_at(time);
  path_.at(s.position, q, v, a);
  for (Index i = 0; i < m.nv(); ++i) {
    const double first = v[i];
    a[i] = a[i] * (s.velocity * s.velocity) + first * s.acceleration;
    v[i] = first * s.velocity;
  }
}

Trajectory TimedPath::sample(double dt) const {
  if (!(dt > 0))
    throw std::invalid_argument("TimedPath::sample: argument 'dt' is " + std::to_string(dt) +
                                ", expected a number above 0");
  const double steps = std::ceil(duration_ / dt * (1 - 1e-12));
  if (!(steps < 1e7)) throw std::invalid_argument("TimedPath::sample: argument 'dt' gives more than 10^7 states");
  const Model& m = path_.model();
  Trajectory out;
  out.nq = m.nq();
  out.nv = m.nv();
  Data data(m);
  Numbers q(at_index(m.nq())), v(at_index(m.nv())), a(at_index(m.nv()));
  const auto append = [](Numbers& to, const Numbers& x) { to.insert(to.end(), x.begin(), x.end()); };
  for (long k = 0; k <= static_cast<long>(steps); ++k) {
    const double time = std::min(static_cast<double>(k) * dt, duration_);
    at(time, map_of(q), map_of(v), map_of(a));
    out.time.push_back(time);
    append(out.q_numbers, q);
    append(out.v_numbers, v);
    append(out.acceleration_numbers, a);
    out.energy.push_back(mechanical_energy(m, data, view_of(q), view_of(v)));
    out.error.push_back(0);
    out.velocity_error.push_back(0);
  }
  out.report.time = duration_;
  out.report.steps = static_cast<long>(steps);
  return out;
}

TimedPath move(const Model& model, VectorIn q0, VectorIn q1, const MotionLimits& limits) {
  const Numbers v = limits_of(model, limits.velocity, model.velocity_limit(), "move", "velocity");
  const Numbers a = limits_of(model, limits.acceleration, {}, "move", "acceleration");
  const Numbers j = limits_of(model, limits.jerk, {}, "move", "jerk");
  ConfigurationPath path = ConfigurationPath::line(model, q0, q1);
  if (limits.position_limits) check_positions(path);
  Numbers q(at_index(model.nq())), d(at_index(model.nv())), none(d.size());
  path.at(0, map_of(q), map_of(d), map_of(none));
  ProfileLimits of_s;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double size = std::abs(d[i]);
    if (size == 0) continue;
    if (std::isinf(a[i]) && std::isinf(j[i]))
      throw std::invalid_argument("move: coordinate '" + model.coordinate_names()[i] +
                                  "' has no limit of acceleration or jerk, expected one in arguments 'acceleration' or "
                                  "'jerk'");
    of_s.velocity = std::min(of_s.velocity, v[i] / size);
    of_s.acceleration = std::min(of_s.acceleration, a[i] / size);
    of_s.jerk = std::min(of_s.jerk, j[i] / size);
  }
  if (largest_of(d) == 0) return TimedPath(std::move(path), MotionProfile());
  return TimedPath(std::move(path), MotionProfile::fastest(0, 1, of_s));
}

}  // namespace zwang
