// SPDX-License-Identifier: BSD-3-Clause
#include "question/inverse/motors.hpp"

#include <algorithm>
#include <cmath>

#include "linear/row_span.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_angle = 1e-11;             ///< smallest sine of a row of B to those before it that counts
constexpr double k_zero_coefficient = 1e-13;  ///< of coefficients of a dependency: below, they are rounding of zeros

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("ActuationMap: " + what); }

}  // namespace

ActuationMap::ActuationMap(const Model& model, const std::vector<Motor>& list)
    : coordinates(model.nv()),
      motors(static_cast<Index>(list.size())) {
  matrix.assign(static_cast<std::size_t>(coordinates * motors), 0.0);
  for (std::size_t j = 0; j < list.size(); ++j) {
    names.push_back(list[j].name);
    if (list[j].at.empty()) refuse("motor '" + list[j].name + "' acts nowhere, expected at least one coordinate");
    for (const auto& [where, ratio] : list[j].at) {
      const std::vector<bool> is = actuated_coordinates(model, {where});
      const auto found = std::find(is.begin(), is.end(), true);
      if (std::count(is.begin(), is.end(), true) != 1)
        refuse("motor '" + list[j].name + "' at '" + where +
               "', a joint of several coordinates, expected one of them: '" + where + "[0]'");
      const auto c = static_cast<std::size_t>(found - is.begin());
      matrix[c * list.size() + j] = ratio;
    }
  }
}

Motors::Motors(const Model& model, const std::vector<bool>& is)
    : n(model.nv()),
      actuated(is),
      coordinate(n),
      unit(n),
      equation(n * n) {
  for (Index c = 0; c < n; ++c)
    if (is[static_cast<std::size_t>(c)]) names.push_back(model.coordinate_names()[static_cast<std::size_t>(c)]);
  count = static_cast<Index>(names.size());
  B = Buffer<double>(n * count);
  for (Index c = 0, j = 0; c < n; ++c)
    if (is[static_cast<std::size_t>(c)]) B[c * count + j++] = 1;
  sort();
}

Motors::Motors(const Model& model, const ActuationMap& map)
    : n(model.nv()),
      count(map.motors),
      mapped(true),
      names(map.names),
      coordinate(n),
      unit(n),
      equation(n * n),
      B(n * map.motors) {
  if (map.coordinates != n)
    refuse("a matrix of " + std::to_string(map.coordinates) + " rows, expected nv = " + std::to_string(n));
  if (count == 0) refuse("no motor, expected at least one column");
  if (!names.empty() && static_cast<Index>(names.size()) != count)
    refuse(std::to_string(names.size()) + " names for " + std::to_string(count) + " motors");
  for (Index j = static_cast<Index>(names.size()); j < count; ++j) names.push_back("motor[" + std::to_string(j) + "]");
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j].empty() || std::count(names.begin(), names.end(), names[j]) > 1)
      refuse("motor " + std::to_string(j) + " is named '" + names[j] + "', expected names that are new and not empty");
  for (Index k = 0; k < n * count; ++k) {
    if (!is_finite(map.matrix[static_cast<std::size_t>(k)]))
      refuse("entry (" + std::to_string(k / count) + ", " + std::to_string(k % count) + ") is not finite");
    B[k] = map.matrix[static_cast<std::size_t>(k)];
  }
  for (Index c = 0; c < n; ++c) {
    bool some = false;
    for (Index j = 0; j < count; ++j) some = some || B[c * count + j] != 0;
    actuated.push_back(some);
  }
  sort();
}

/// Equations that no motor reaches first, each with the rows of B that its own depends on; then independent rows.
void Motors::sort() {
  dense::RowSpan span(n, count);
  span.begin(count);
  for (Index c = 0; c < n; ++c) {
    const double* const row = B.data() + c * count;
    span.add(row, k_angle * std::sqrt(dot(count, row, row)));
  }
  reach = span.rank();
  alone = n - reach;
  Buffer<double> on(n);
  for (Index c = 0, k = 0; c < n; ++c) {
    if (span.counts(c)) continue;
    coordinate[k] = c;
    equation[k * n + c] = 1;
    unit[k] = 1;
    const Index depends = span.dependency(c, 0, on.data());
    for (Index l = 0; l < depends; ++l) {
      const double x = std::fabs(on[l]) > k_zero_coefficient ? -on[l] : 0.0;
      equation[k * n + span.row_of(l)] = x;
      if (x != 0) unit[k] = 0;
    }
    ++k;
  }
  for (Index l = 0; l < reach; ++l) {
    coordinate[alone + l] = span.row_of(l);
    equation[(alone + l) * n + span.row_of(l)] = 1;
    unit[alone + l] = 1;
  }
  span.complete();
  reading = Buffer<double>(reach * n);
  along = Buffer<double>(reach * count);
  idle = Buffer<double>((count - reach) * count);
  for (Index l = 0; l < count; ++l)
    std::copy_n(span.basis(l), count, l < reach ? along.data() + l * count : idle.data() + (l - reach) * count);
  for (Index l = 0; l < reach; ++l) {  // T y = tau at the coordinates, T lower triangular
    const double* const row = B.data() + span.row_of(l) * count;
    double* const y = reading.data() + l * n;
    y[span.row_of(l)] = 1;
    for (Index k = 0; k < l; ++k) subtract_multiple(n, dot(count, row, span.basis(k)), reading.data() + k * n, y);
    const double own = dot(count, row, span.basis(l));
    for (Index c = 0; c < n; ++c) y[c] /= own;
  }
}

void Motors::read(const double* tau, double* y) const {
  for (Index k = 0; k < reach; ++k) {
    y[k] = 0;
    for (Index l = 0; l <= k; ++l) {
      const Index c = coordinate[alone + l];
      if (reading[k * n + c] != 0) y[k] += reading[k * n + c] * tau[c];
    }
  }
}

void Motors::apply(const double* u, double* tau) const {
  for (Index c = 0; c < n; ++c) {
    tau[c] = 0;
    for (Index j = 0; j < count; ++j)
      if (B[c * count + j] != 0) tau[c] += B[c * count + j] * u[j];
  }
}

}  // namespace zwang
