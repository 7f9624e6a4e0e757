// SPDX-License-Identifier: BSD-3-Clause
// The fastest motion along a path.
//
// Source: Pham & Pham, A new approach to time-optimal path parameterization based on reachability analysis (TOPP-RA),
// IEEE T-RO 2018: backward the set of x = s'^2 from which the end can be reached, forward the highest x in it. Bobrow,
// Dubowsky & Gibson, IJRR 1985 (the problem).
// DIFFERS: limits hold at both ends of every interval, u being constant in it; viscous damping, d q' s' with
// s' = sqrt(x), is replaced by its tangent at the solution before, again and again until that does not change; at first
// where damping alone exceeds a limit, and by nothing where it helps, so that the first solution keeps all limits.
// Limits are looked at between the points of the grid, too, and intervals in which one is exceeded are halved.
//
// Unknowns of interval i: x at its begin, y = x_{i+1} - x_i = 2 h u. Cost: O(grid) programs of two variables.
#include "zwang/path/time_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "path/columns.hpp"
#include "path/limits.hpp"
#include "path/planar_program.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/model/data.hpp"

namespace zwang {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();
constexpr double k_tolerance = 1e-6;  ///< of a limit, relative
constexpr int k_between = 3;          ///< points at least within an interval at which limits are looked at; odd
constexpr double k_turn = 1e-5;       ///< of the path: where friction turns is known to this
constexpr double k_least_end = 1e-4;  ///< of the highest x before a rest at the end

enum Quantity { k_velocity, k_acceleration, k_torque };

/// A limit at a point of the path: |m u + c x + g + d sqrt(x)| <= limit.
struct Row {
  double m, c, g, d, limit, friction;  ///< friction is in g
  int owner;                           ///< coordinate, and which quantity: 3 coordinate + Quantity
};
struct Station {
  double s = 0;
  double highest = k_infinite;  ///< of x, by velocities
  int highest_owner = -1;
  std::vector<Row> rows;
};

struct Limits {
  Numbers velocity, acceleration, torque;
  bool torques = false;
};

class Timing {
 public:
  Timing(const ConfigurationPath& path, const PathLimits& given, const PathTimingSettings& settings);
  PathTiming run();

 private:
  Station station_at(double s) const;
  std::string name_of(int owner) const;
  /// Rows of the interval from stations a to b, width h, in x and y.
  void set_program(std::size_t i);
  bool go_back(PathTiming& out);
  bool go_forward(PathTiming& out);
  void measure(PathTiming& out);
  double use_of(const Row& r, double u, double x) const {
    return std::abs(r.m * u + r.c * x + r.g + r.d * std::sqrt(std::max(x, 0.0))) / r.limit;
  }
  double use_of_grid() const;
  /// The larger utilisation of a station and what it belongs to.
  std::pair<double, int> use_at(const Station& a, double u, double x) const;
  /// The same of points within interval i.
  std::pair<double, int> use_between(std::size_t i, double u);
  int points_within(std::size_t i) const;
  bool solve(PathTiming& out);
  /// Halves the intervals in which a limit is exceeded. False where there are too many, or one is too short.
  bool refine();
  void note_friction(PathTiming& out) const;

  const ConfigurationPath& path_;
  const Model model_;
  const PathTimingSettings settings_;
  Limits limits_;
  mutable Data data_;
  std::vector<Station> stations_;
  std::vector<std::vector<Station>> between_;  ///< points within each interval; empty: not looked at yet
  std::vector<double> used_between_;
  std::vector<bool> coarse_;         ///< intervals in which friction turns, too wide to know where
  std::vector<double> low_, high_;   ///< of x, from which the end can be reached
  std::vector<double> x_, tangent_;  ///< the solution, and that of the round before
  bool damped_ = false;
  double box_ = 1;
  PlanarProgram program_;
};

Timing::Timing(const ConfigurationPath& path, const PathLimits& given, const PathTimingSettings& settings)
    : path_(path),
      model_(path.model()),
      settings_(settings),
      data_(model_) {
  const char* const function = "time_path";
  limits_ = {limits_of(model_, given.velocity, model_.velocity_limit(), function, "velocity"),
             limits_of(model_, given.acceleration, {}, function, "acceleration"),
             limits_of(model_, given.torque, model_.effort_limit(), function, "torque")};
  const auto finite = [](const Numbers& x) {
    return std::any_of(x.begin(), x.end(), [](double one) { return one < k_infinite; });
  };
  limits_.torques = finite(limits_.torque);
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument("time_path: " + why); };
  if (settings.grid < 2 || settings.grid > 1000000)
    refuse("setting 'grid' is " + std::to_string(settings.grid) + ", expected 2 to 1000000");
  for (const auto& [name, x] : {std::pair{"start_rate", settings.start_rate}, {"end_rate", settings.end_rate}})
    if (!(x >= 0) || std::isinf(x))
      refuse("setting '" + std::string(name) + "' is " + std::to_string(x) + ", expected a number of at least 0");
  if (!(settings.tolerance > 0))
    refuse(fmt::format("setting 'tolerance' is {}, expected a number above 0", settings.tolerance));
  if (limits_.torques && !model_.loops().empty())
    throw UnsupportedError(
        "time_path: limits of torque of a model with closed loops: the forces in the loops share the load; "
        "give torque = infinity for limits of velocity and acceleration alone");
  for (Index i = 0; limits_.torques && i < model_.nv(); ++i)
    if (!model_.actuated()[static_cast<std::size_t>(i)])
      refuse(
          "coordinate '" + model_.coordinate_names()[static_cast<std::size_t>(i)] +
          "' has no motor, and the torque that the path needs of it is not 0 in general; expected torque = infinity");
  if (!limits_.torques && !finite(limits_.acceleration))
    refuse("nothing limits accelerations: expected a finite number in argument 'acceleration' or 'torque'");

  const VectorView knots = path.knots();
  const double length = path.end() - path.begin();
  for (Eigen::Index k = 0; k + 1 < knots.size(); ++k) {
    const double width = knots[k + 1] - knots[k];
    const int parts = std::max(2, static_cast<int>(std::ceil(settings.grid * width / length - 1e-9)));
    for (int j = 0; j < parts; ++j) stations_.push_back(station_at(knots[k] + width * j / parts));
  }
  stations_.push_back(station_at(path.end()));
  between_.resize(stations_.size() - 1);
  for (const Station& a : stations_)
    for (const Row& r : a.rows) damped_ = damped_ || r.d != 0;
}

std::string Timing::name_of(int owner) const {
  if (owner < 0) return "the end of the path";
  static const char* const words[] = {"velocity of ", "acceleration of ", "torque of "};
  return words[owner % 3] + model_.coordinate_names()[static_cast<std::size_t>(owner / 3)];
}

Station Timing::station_at(double s) const {
  Station out;
  out.s = s;
  const std::size_t nv = at_index(model_.nv());
  Numbers q(at_index(model_.nq())), first(nv), second(nv), none(nv), g(nv), m(nv), c(nv);
  path_.at(s, map_of(q), map_of(first), map_of(second));
  if (limits_.torques) {
    JointEffects still = settings_.joint_effects;  // those that do not go with the rate
    still.damping = still.friction = false;
    const auto torque = [&](const Numbers& v, const Numbers& a, Numbers& to) {
      const VectorView tau = inverse_dynamics(model_, data_, view_of(q), view_of(v), view_of(a), {}, still);
      std::copy_n(tau.data(), nv, to.data());
    };
    torque(none, none, g);
    torque(none, first, m);
    torque(first, second, c);
    for (std::size_t i = 0; i < nv; ++i) {
      m[i] -= g[i];
      c[i] -= g[i];
    }
  }
  const double rest = 1e-12 * largest_of(first);  // a coordinate that moves by rounding alone has no friction
  for (std::size_t i = 0; i < nv; ++i) {
    const int owner = 3 * static_cast<int>(i);
    const double rate = first[i];
    if (const double x = limits_.velocity[i] / std::abs(rate); rate != 0 && x * x < out.highest) {
      out.highest = x * x;
      out.highest_owner = owner + k_velocity;
    }
    if (limits_.acceleration[i] < k_infinite)
      out.rows.push_back({rate, second[i], 0, 0, limits_.acceleration[i], 0, owner + k_acceleration});
    if (limits_.torque[i] < k_infinite) {
      const double sign = rate > rest ? 1 : rate < -rest ? -1 : 0;
      const double friction = settings_.joint_effects.friction ? sign * model_.friction()[i] : 0;
      const double damping = settings_.joint_effects.damping ? model_.damping()[i] * rate : 0;
      out.rows.push_back({m[i], c[i], g[i] + friction, damping, limits_.torque[i], friction, owner + k_torque});
    }
  }
  return out;
}

void Timing::set_program(std::size_t i) {
  program_.rows.clear();
  const Station &a = stations_[i], &b = stations_[i + 1];
  const double twice = 2 * (b.s - a.s);
  const auto add = [&](double of_x, double of_y, double bound, int owner) {
    program_.rows.push_back({of_x, of_y, bound, owner});
  };
  const double least = tangent_.empty() ? 0 : 1e-12 * *std::max_element(tangent_.begin(), tangent_.end());
  add(-1, 0, 0, -1);
  add(-1, -1, -low_[i + 1], -1);
  if (a.highest < k_infinite) add(1, 0, a.highest, a.highest_owner);
  if (high_[i + 1] < k_infinite) add(1, 1, high_[i + 1], b.highest_owner);
  for (const bool end : {false, true}) {
    const Station& at = end ? b : a;
    const double before = tangent_.empty() ? 0 : std::max(tangent_[i + (end ? 1 : 0)], least);
    for (const Row& r : at.rows)
      for (const double side : {1.0, -1.0}) {
        // side (m u + c x + g + d sqrt(x)) <= limit, with the tangent d (x + t) / (2 sqrt(t)) at t
        const double d = side * r.d, room = r.limit - side * r.g;
        double c = side * r.c, bound = room;
        if (d != 0 && (!tangent_.empty() || d > 0)) {
          const double root = tangent_.empty() ? std::max(room, 1e-9 * r.limit) / d : std::sqrt(before);
          c += d / (2 * root);
          bound -= d * root / 2;
        }
        add(c, side * r.m / twice + (end ? c : 0), bound, r.owner);
      }
  }
}

bool Timing::go_back(PathTiming& out) {
  const std::size_t n = stations_.size() - 1;
  low_.assign(n + 1, 0);
  high_.assign(n + 1, k_infinite);
  low_[n] = high_[n] = settings_.end_rate * settings_.end_rate;
  if (high_[n] > stations_[n].highest * (1 + k_tolerance)) {
    out.status = Status::infeasible;
    out.reason = "the rate at the end of the path exceeds the " + name_of(stations_[n].highest_owner);
    return false;
  }
  box_ = 0;
  for (const Station& a : stations_) box_ = std::max(box_, a.highest < k_infinite ? a.highest : 0);
  const double length = path_.end() - path_.begin();
  const double largest = 1e12 * std::max({length * length, high_[n], settings_.start_rate * settings_.start_rate});
  box_ = box_ > 0 ? 4 * std::max(box_, high_[n]) : largest;
  for (const Station& a : stations_)
    if (!(a.highest < k_infinite)) box_ = std::max(box_, largest);
  for (std::size_t i = n; i-- > 0;) {
    set_program(i);
    double low = 0, high = 0;
    if (!program_.highest(box_, high) || !program_.lowest(box_, low)) {
      const int owner = program_.blocking;
      out.status = Status::infeasible;
      out.reason = "from s = " + std::to_string(stations_[i].s) + " the end of the path cannot be reached: the " +
                   name_of(owner) + " is exceeded for every rate and acceleration along the path";
      for (const Station* at : {&stations_[i], &stations_[i + 1]})
        for (const Row& r : at->rows)
          if (std::abs(r.g) > r.limit) {
            const Texts text = texts_of(std::abs(r.g), r.limit);
            out.reason = fmt::format("at s = {:.6g} the {} is {} at rest, its limit {}", at->s, name_of(r.owner),
                                     text.x, text.y);
          }
      return false;
    }
    high_[i] = std::max(high, 0.0);
    low_[i] = std::clamp(low, 0.0, high_[i]);
    // From rest to rest the last interval would take for ever.
    if (i + 1 == n && high_[n] == 0) low_[i] = std::max(low_[i], k_least_end * high_[i]);
    if (high_[i] > box_ / 2 && !(stations_[i].highest < k_infinite))
      throw std::invalid_argument("time_path: at s = " + std::to_string(stations_[i].s) +
                                  " no limit counts: no coordinate that moves there has one");
  }
  return true;
}

bool Timing::go_forward(PathTiming& out) {
  const std::size_t n = stations_.size() - 1;
  x_.assign(n + 1, 0);
  const double start = settings_.start_rate * settings_.start_rate;
  if (start < low_[0] * (1 - k_tolerance) || start > high_[0] * (1 + k_tolerance)) {
    out.status = Status::infeasible;
    const bool above = start > high_[0];
    const Texts text = texts_of(settings_.start_rate, std::sqrt(above ? high_[0] : low_[0]));
    out.reason =
        fmt::format("from the rate {} at the start the end cannot be reached within limits: expected s' of at {} {}",
                    text.x, above ? "most" : "least", text.y);
    return false;
  }
  x_[0] = start;
  for (std::size_t i = 0; i < n; ++i) {
    set_program(i);
    double low = -k_infinite, high = k_infinite;
    for (const PlanarRow& r : program_.rows) {
      const double left = r.c - r.a * x_[i];
      if (PlanarProgram::is_free_of_y(r)) continue;
      if (r.b > 0) high = std::min(high, left / r.b);
      if (r.b < 0) low = std::max(low, left / r.b);
    }
    // Rounding may leave nothing between: then the way that keeps the end in reach.
    const double y = high >= low ? high : std::clamp(high, low_[i + 1] - x_[i], high_[i + 1] - x_[i]);
    x_[i + 1] = std::clamp(x_[i] + y, low_[i + 1], high_[i + 1]);
    if (x_[i] <= 0 && x_[i + 1] <= 0) {
      out.status = Status::infeasible;
      out.reason = "at s = " + std::to_string(stations_[i].s) + " the motion cannot leave rest within limits";
      return false;
    }
  }
  return true;
}

std::pair<double, int> Timing::use_at(const Station& a, double u, double x) const {
  std::pair<double, int> most{a.highest < k_infinite ? std::sqrt(std::max(x, 0.0) / a.highest) : 0, a.highest_owner};
  for (const Row& r : a.rows)
    if (const double use = use_of(r, u, x); use > most.first) most = {use, r.owner};
  return most;
}

double Timing::use_of_grid() const {
  double most = 0;
  for (std::size_t i = 0; i + 1 < stations_.size(); ++i) {
    const double u = (x_[i + 1] - x_[i]) / (2 * (stations_[i + 1].s - stations_[i].s));
    most = std::max({most, use_at(stations_[i], u, x_[i]).first, use_at(stations_[i + 1], u, x_[i + 1]).first});
  }
  return most;
}

std::pair<double, int> Timing::use_between(std::size_t i, double u) {
  const double s = stations_[i].s, h = stations_[i + 1].s - s;
  std::pair<double, int> most{0, -1};
  const int points = points_within(i);
  bool turns = false;  // friction
  for (int k = 0; k < points; ++k) {
    double part = (k + 1.) / (points + 1);
    if (i == 0 && x_[0] == 0) part *= part;  // in steps of time where it begins or ends at rest: damping goes with time
    if (i + 2 == stations_.size() && x_[i + 1] == 0) part *= 2 - part;
    if (between_[i].size() == static_cast<std::size_t>(k)) between_[i].push_back(station_at(s + part * h));
    const auto use = use_at(between_[i][static_cast<std::size_t>(k)], u, x_[i] + part * (x_[i + 1] - x_[i]));
    if (use.first > most.first) most = use;
  }
  for (std::size_t r = 0; r < stations_[i].rows.size(); ++r)
    turns = turns || stations_[i].rows[r].friction != stations_[i + 1].rows[r].friction;
  coarse_[i] = turns && h > k_turn * (path_.end() - path_.begin());
  return most;
}

int Timing::points_within(std::size_t i) const {
  const double h = stations_[i + 1].s - stations_[i].s, length = path_.end() - path_.begin();
  const VectorView knots = path_.knots();
  const auto* const next = std::upper_bound(knots.data() + 1, knots.data() + knots.size() - 1, stations_[i].s);
  const double widest = std::min(length / 800, (*next - *(next - 1)) / 64);
  const double wanted = std::min(std::ceil(h / widest * (1 - 1e-9)), 1e6);
  return std::max(k_between, 2 * static_cast<int>(wanted / 2) + 1);
}

bool Timing::refine() {
  std::vector<Station> stations;
  std::vector<std::vector<Station>> between;
  const double least = 1e-9 * (path_.end() - path_.begin());
  const auto wanted = std::count_if(used_between_.begin(), used_between_.end(),
                                    [&](double use) { return use > 1 + settings_.tolerance; }) +
                      std::count(coarse_.begin(), coarse_.end(), true);
  if (static_cast<long>(used_between_.size()) + wanted > std::max(settings_.most_grid, settings_.grid)) return false;
  for (std::size_t i = 0; i + 1 < stations_.size(); ++i) {
    stations.push_back(std::move(stations_[i]));
    const bool halve =
        (used_between_[i] > 1 + settings_.tolerance || coarse_[i]) && stations_[i + 1].s - stations.back().s > least;
    if (!halve) {
      between.push_back(std::move(between_[i]));
      continue;
    }
    stations.push_back(std::move(between_[i][between_[i].size() / 2]));
    between.resize(between.size() + 2);
  }
  stations.push_back(std::move(stations_.back()));
  const bool some = stations.size() > stations_.size();
  stations_ = std::move(stations);
  between_ = std::move(between);
  tangent_.clear();
  return some;
}

void Timing::measure(PathTiming& out) {
  const std::size_t n = stations_.size() - 1;
  used_between_.assign(n, 0);
  coarse_.assign(n, false);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Station &a = stations_[i], &b = stations_[i + 1];
    const double u = (x_[i + 1] - x_[i]) / (2 * (b.s - a.s));
    const auto [first, first_owner] = use_at(a, u, x_[i]);
    const auto [second, second_owner] = use_at(b, u, x_[i + 1]);
    const auto [between, between_owner] = use_between(i, u);
    used_between_[i] = between;
    const double at_grid = std::max(first, second);
    const int owner = first > second ? first_owner : second_owner;
    out.utilisation = std::max(out.utilisation, at_grid);
    out.utilisation_between = std::max(out.utilisation_between, between);
    if (std::max(at_grid, between) > worst) {
      worst = std::max(at_grid, between);
      out.worst = name_of(at_grid > between ? owner : between_owner);
    }
    if (at_grid < 1 - 1e-3) continue;
    const std::string what = name_of(owner);
    if (!out.binding.empty() && out.binding.back().what == what && out.binding.back().end == a.s)
      out.binding.back().end = b.s;
    else
      out.binding.push_back({a.s, b.s, what});
  }
}

bool Timing::solve(PathTiming& out) {
  const auto duration = [&] {
    double t = 0;
    for (std::size_t i = 0; i + 1 < stations_.size(); ++i)
      t += 2 * (stations_[i + 1].s - stations_[i].s) / (std::sqrt(x_[i]) + std::sqrt(x_[i + 1]));
    return t;
  };
  // Solutions that keep the limits with damping as it is; where a tangent makes the next problem infeasible,
  // it is taken nearer to the best of them.
  std::vector<double> best;
  double before = k_infinite, best_time = k_infinite;
  for (int round = 0, retreats = 0; round < 60 && retreats < 20; ++round) {
    if (!go_back(out) || !go_forward(out)) {
      if (best.empty()) return false;
      out = PathTiming();
      for (std::size_t i = 0; i < best.size(); ++i) tangent_[i] = (tangent_[i] + best[i]) / 2;
      ++retreats;
      continue;
    }
    const double t = duration();
    const bool keeps = use_of_grid() <= 1 + k_tolerance;
    if (keeps && t < best_time) {
      best = x_;
      best_time = t;
    }
    if (!damped_ || (keeps && std::abs(t - before) <= 1e-10 * t)) break;
    before = t;
    tangent_ = x_;
  }
  if (!best.empty()) x_ = best;
  return true;
}

void Timing::note_friction(PathTiming& out) const {
  if (settings_.joint_effects.friction) return;
  std::string names;
  int count = 0;
  for (std::size_t i = 0; i < at_index(model_.nv()); ++i)
    if (model_.friction()[i] > 0 && limits_.torque[i] < k_infinite && ++count <= 3)
      names += (names.empty() ? "'" : ", '") + model_.coordinate_names()[i] + "'";
  if (count > 3) names += fmt::format(" and {} more", count - 3);
  if (!names.empty())
    out.notes.push_back("Coulomb friction of " + names +
                        " is not counted in the torques; joint_effects with friction counts it");
}

PathTiming Timing::run() {
  std::vector<std::string> notes;
  if (settings_.position_limits) {
    const Beyond beyond = furthest_beyond(path_, k_position_rounding, &notes);
    if (beyond.amount > 0) {
      PathTiming out;
      out.status = Status::infeasible;
      out.reason = fmt::format("at s = {:.6g} {}", beyond.s, beyond.text);
      return out;
    }
  }
  PathTiming out;
  while (true) {
    out = PathTiming();
    out.notes = notes;
    note_friction(out);
    if (!solve(out)) return out;
    measure(out);
    if (out.utilisation > 1 + k_tolerance) {
      out.status = Status::not_converged;
      out.reason = fmt::format("at a point of the grid the {} exceeds its limit by {:.2g} %", out.worst,
                               100 * (out.utilisation - 1));
      break;
    }
    const bool keeps = out.utilisation_between <= 1 + settings_.tolerance;
    if (keeps && std::none_of(coarse_.begin(), coarse_.end(), [](bool x) { return x; })) break;
    if (refine()) continue;
    if (keeps) break;
    out.status = Status::not_converged;
    out.reason = fmt::format(
        "between points of the grid the {} exceeds its limit by {:.2g} %, more than the tolerance of {:.2g} %, after "
        "{} "
        "intervals; expected a larger most_grid or tolerance",
        out.worst, 100 * (out.utilisation_between - 1), 100 * settings_.tolerance, stations_.size() - 1);
    break;
  }
  std::vector<MotionProfile::Piece> law;
  for (std::size_t i = 0; i + 1 < stations_.size(); ++i) {
    const double h = stations_[i + 1].s - stations_[i].s, rate = std::sqrt(x_[i]), next = std::sqrt(x_[i + 1]);
    law.push_back({2 * h / (rate + next), {stations_[i].s, rate, (x_[i + 1] - x_[i]) / (2 * h), 0}});
  }
  out.motion = TimedPath(path_, std::move(law), out.notes);
  return out;
}

}  // namespace

PathTiming time_path(const ConfigurationPath& path, const PathLimits& limits, const PathTimingSettings& settings) {
  return Timing(path, limits, settings).run();
}

}  // namespace zwang
