// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/path/timed_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "path/columns.hpp"
#include "path/limits.hpp"
#include "zwang/algorithm/dynamics.hpp"
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

[[noreturn]] void throw_range(double s, const ConfigurationPath& path) {
  const Texts text = texts_of(s, s < path.begin() ? path.begin() : path.end());
  throw std::invalid_argument(fmt::format("TimedPath: argument 'law' comes to s = {}, but the path {} at {}", text.x,
                                          s < path.begin() ? "begins" : "ends", text.y));
}

/// Throws where the line leaves the limits of position, its ends first; notes where it begins a little beyond them.
std::vector<std::string> check_positions(const ConfigurationPath& line) {
  const Model& m = line.model();
  Numbers q(at_index(m.nq())), first(at_index(m.nv())), second(first.size());
  const auto refuse = [](const char* where, const std::string& beyond) {
    throw std::invalid_argument(fmt::format("move: {} {}; position_limits = false moves all the same", where, beyond));
  };
  for (const double s : {line.begin(), line.end()}) {
    line.at(s, map_of(q), map_of(first), map_of(second));
    const bool begins = s == line.begin();
    const std::string beyond = beyond_limits(m, view_of(q), begins ? k_start_beyond : k_position_rounding);
    if (!beyond.empty()) refuse(begins ? "at the start" : "at the end", beyond);
  }
  std::vector<std::string> notes;
  const Beyond worst = furthest_beyond(line, k_position_rounding, &notes);
  if (worst.amount > 0) refuse(worst.s == line.begin() ? "at the start" : "between start and end", worst.text);
  return notes;
}

}  // namespace

TimedPath::TimedPath(ConfigurationPath path, const MotionProfile& law, std::vector<std::string> notes)
    : TimedPath(std::move(path), pieces_of(law), std::move(notes)) {}
TimedPath::TimedPath(ConfigurationPath path, std::vector<MotionProfile::Piece> law, std::vector<std::string> notes)
    : path_(std::move(path)),
      law_(std::move(law)),
      notes_(std::move(notes)) {
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
      if (!(x.position >= path_.begin() - room && x.position <= path_.end() + room)) throw_range(x.position, path_);
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
    if (m.loops().empty()) {
      const VectorView tau = inverse_dynamics(m, data, view_of(q), view_of(v), view_of(a));
      out.motor_torque_numbers.insert(out.motor_torque_numbers.end(), tau.data(), tau.data() + tau.size());
    }
    out.energy.push_back(mechanical_energy(m, data, view_of(q), view_of(v)));
    out.error.push_back(0);
    out.velocity_error.push_back(0);
  }
  out.motor_torque_numbers.resize(out.v_numbers.size(),
                                  std::numeric_limits<double>::quiet_NaN());  // loops share the load
  out.report.time = duration_;
  out.report.steps = static_cast<long>(steps);
  return out;
}

TimedPath move(const Model& model, VectorIn q0, VectorIn q1, const MotionLimits& limits) {
  const Numbers v = limits_of(model, limits.velocity, model.velocity_limit(), "move", "velocity");
  const Numbers a = limits_of(model, limits.acceleration, {}, "move", "acceleration");
  const Numbers j = limits_of(model, limits.jerk, {}, "move", "jerk");
  ConfigurationPath path = ConfigurationPath::line(model, q0, q1);
  std::vector<std::string> notes;
  if (limits.position_limits) notes = check_positions(path);
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
  if (largest_of(d) == 0) return TimedPath(std::move(path), MotionProfile(), std::move(notes));
  return TimedPath(std::move(path), MotionProfile::fastest(0, 1, of_s), std::move(notes));
}

}  // namespace zwang
