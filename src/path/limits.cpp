// SPDX-License-Identifier: BSD-3-Clause
#include "path/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "constraint/joint_columns.hpp"
#include "path/columns.hpp"

namespace zwang {
namespace {

constexpr Index k_parts = 8;  ///< of an interval, where a coordinate is not a cubic in s

struct Limited {
  const Joint* joint;
  Index q;
  double low, high;
};
std::vector<Limited> limited_coordinates(const Model& m) {
  std::vector<Limited> out;
  for (const Joint& j : m.joints())
    for (Index k = j.q.first; j.mimic.leader.empty() && k < j.q.first + j.q.size; ++k)
      if (const double low = m.lower()[at_index(k)], high = m.upper()[at_index(k)];
          std::isfinite(low) || std::isfinite(high))
        out.push_back({&j, k, low, high});
  return out;
}
/// NaN: no limit.
double excess_of(const Limited& l, double x) { return x < l.low ? l.low - x : x > l.high ? x - l.high : 0; }
double size_of(const Limited& l, double x) { return 1 + std::abs(x < l.low ? l.low : x > l.high ? l.high : 0); }

std::string text_of(const Limited& l, double x) {
  const bool below = x < l.low;
  const Texts near = texts_of(x, below ? l.low : l.high);
  const std::string other = fmt::format("{:.6g}", below ? l.high : l.low);
  return fmt::format("joint '{}' is at {}, beyond its limits {} and {} by {:.2g}", l.joint->name, near.x,
                     below ? near.y : other, below ? other : near.y, excess_of(l, x));
}

bool all_add(const Model& m, const std::vector<Limited>& limited) {
  std::vector<bool> adds(at_index(m.nq()), false);
  for (Index v = 0; v < m.nv(); ++v)
    if (const Index q = detail::coordinate_column(m, v).q; q >= 0) adds[at_index(q)] = true;
  return std::all_of(limited.begin(), limited.end(), [&](const Limited& l) { return adds[at_index(l.q)]; });
}

/// Adds the t in (0, 1) at which the cubic through y at 0, 1/3, 2/3, 1 has an extreme beyond the limits.
void add_extremes(const Limited& l, const std::array<double, 4>& y, std::vector<double>& at) {
  const double a = (-11 * y[0] + 18 * y[1] - 9 * y[2] + 2 * y[3]) / 2;
  const double b = 9 * (2 * y[0] - 5 * y[1] + 4 * y[2] - y[3]) / 2, c = 9 * (-y[0] + 3 * y[1] - 3 * y[2] + y[3]) / 2;
  const double square = b * b - 3 * a * c;  // a + 2 b t + 3 c t^2 = 0
  if (!(square >= 0)) return;
  const double larger = -(b + std::copysign(std::sqrt(square), b));
  for (const double t : {larger / (3 * c), a / larger})
    if (t > 0 && t < 1 && excess_of(l, y[0] + t * (a + t * (b + t * c))) > 0) at.push_back(t);
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

Texts texts_of(double x, double y) {
  Texts out;
  for (int digits = 6; digits <= 17; ++digits) {
    out = {fmt::format("{:.{}g}", x, digits), fmt::format("{:.{}g}", y, digits)};
    if (out.x != out.y) break;
  }
  return out;
}

std::string beyond_limits(const Model& model, VectorIn q, double room) {
  if (q.size() != model.nq()) detail::throw_size("beyond_limits", "q", static_cast<long>(q.size()), model.nq());
  const std::vector<Limited> limited = limited_coordinates(model);
  const Limited* worst = nullptr;
  double most = 0;
  for (const Limited& l : limited)
    if (const double e = excess_of(l, q[l.q]); e > room * size_of(l, q[l.q]) && e > most) {
      most = e;
      worst = &l;
    }
  return worst == nullptr ? "" : text_of(*worst, q[worst->q]);
}

std::string question_of_degrees(const Model& model, VectorIn q) {
  if (q.size() != model.nq()) detail::throw_size("question_of_degrees", "q", static_cast<long>(q.size()), model.nq());
  constexpr double k_turn = 2 * std::numbers::pi, k_most = 4 * k_turn;
  for (const Joint& j : model.joints()) {
    if (j.type != "revolute" || j.q.size != 1 || !j.mimic.leader.empty()) continue;
    const Index k = j.q.first;
    const double x = q[k], low = model.lower()[at_index(k)], high = model.upper()[at_index(k)];
    if (!(std::abs(x) > k_most) || (x >= low && x <= high)) continue;
    return fmt::format("joint '{}' is at {:.6g} rad, which are {:.3g} turns: are these degrees?", j.name, x,
                       std::abs(x) / k_turn);
  }
  return "";
}

Beyond furthest_beyond(const ConfigurationPath& path, double room, std::vector<std::string>* notes) {
  const Model& m = path.model();
  const std::vector<Limited> limited = limited_coordinates(m);
  if (limited.empty()) return {};
  Numbers first(at_index(m.nv())), second(first.size()), allowed(limited.size(), 0);
  std::array<Numbers, 4> q;
  q.fill(Numbers(at_index(m.nq())));
  Numbers between(q[0].size());
  Beyond worst;
  const auto look = [&](double s, const Numbers& at) {
    for (std::size_t i = 0; i < limited.size(); ++i) {
      const Limited& l = limited[i];
      const double x = at[at_index(l.q)], e = excess_of(l, x);
      if (e > allowed[i] + room * size_of(l, x) && e > worst.amount) worst = {s, e, text_of(l, x)};
      allowed[i] = std::min(allowed[i], e);
    }
  };
  path.at(path.begin(), map_of(q[0]), map_of(first), map_of(second));
  std::vector<std::string> said;
  for (std::size_t i = 0; i < limited.size(); ++i) {
    const Limited& l = limited[i];
    const double x = q[0][at_index(l.q)], e = excess_of(l, x);
    if (!(e > room * size_of(l, x) && e <= k_start_beyond * (1 + 1e-9) * size_of(l, x))) continue;
    allowed[i] = e;
    said.push_back(text_of(l, x) + " at the start; the motion brings it back");
  }
  look(path.begin(), q[0]);
  const Index parts = all_add(m, limited) ? 1 : k_parts;
  const VectorView knots = path.knots();
  std::vector<double> at;
  for (Eigen::Index k = 0; k + 1 < knots.size(); ++k)
    for (Index part = 0; part < parts; ++part) {
      const double width = (knots[k + 1] - knots[k]) / static_cast<double>(parts),
                   low = knots[k] + static_cast<double>(part) * width;
      const auto s_at = [&](double t) { return t == 1 && part + 1 == parts ? knots[k + 1] : low + t * width; };
      const double nodes[4] = {0, 1. / 3, 2. / 3, 1};
      for (std::size_t i = 1; i < 4; ++i) path.at(s_at(nodes[i]), map_of(q[i]), map_of(first), map_of(second));
      at.assign(nodes + 1, nodes + 4);
      for (const Limited& l : limited)
        add_extremes(l, {q[0][at_index(l.q)], q[1][at_index(l.q)], q[2][at_index(l.q)], q[3][at_index(l.q)]}, at);
      std::sort(at.begin(), at.end());
      for (const double t : at) {
        path.at(s_at(t), map_of(between), map_of(first), map_of(second));
        look(s_at(t), between);
      }
      q[0] = q[3];
    }
  if (worst.amount == 0 && notes != nullptr) notes->insert(notes->end(), said.begin(), said.end());
  return worst;
}

}  // namespace zwang
