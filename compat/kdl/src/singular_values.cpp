// SPDX-License-Identifier: BSD-3-Clause
#include "singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace KDL::detail {

void SingularValues::resize(Eigen::Index rows, Eigen::Index columns) {
  is_tall_ = rows >= columns;
  const Eigen::Index count = std::min(rows, columns);
  matrix_.setZero(rows, columns);
  long_.setZero(std::max(rows, columns), count);
  short_.setZero(count, count);
  values_.setZero(count);
}

/// Makes columns i and j orthogonal; false where they are. The angle t: tan(2t) = 2 a.b / (|b|^2 - |a|^2).
bool SingularValues::rotate(Eigen::Index i, Eigen::Index j, double tiny) {
  auto a = long_.col(i), b = long_.col(j);
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b);
  // Columns at the level of rounding have no direction that could be made orthogonal.
  if (aa <= tiny || bb <= tiny || std::abs(ab) <= 4 * std::numeric_limits<double>::epsilon() * std::sqrt(aa * bb))
    return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double c = 1 / std::sqrt(1 + tangent * tangent), s = c * tangent;
  for (Eigen::Index k = 0; k < long_.rows(); ++k) {
    const double x = long_(k, i), y = long_(k, j);
    long_(k, i) = c * x - s * y;
    long_(k, j) = s * x + c * y;
  }
  for (Eigen::Index k = 0; k < short_.rows(); ++k) {
    const double x = short_(k, i), y = short_(k, j);
    short_(k, i) = c * x - s * y;
    short_(k, j) = s * x + c * y;
  }
  return true;
}

bool SingularValues::decompose(int max_sweeps) {
  if (is_tall_)
    long_ = matrix_;
  else
    long_ = matrix_.transpose();
  short_.setIdentity();
  const double size = long_.norm();
  const double rounding = std::numeric_limits<double>::epsilon() * size;
  bool is_moving = true;
  for (int sweep = 0; is_moving && sweep < max_sweeps; ++sweep) {
    is_moving = false;
    for (Eigen::Index i = 0; i + 1 < count(); ++i)
      for (Eigen::Index j = i + 1; j < count(); ++j)
        if (rotate(i, j, rounding * rounding)) is_moving = true;
  }
  for (Eigen::Index i = 0; i < count(); ++i) {
    values_[i] = long_.col(i).norm();
    if (values_[i] <= rounding) {
      values_[i] = 0;
      long_.col(i).setZero();
    } else {
      long_.col(i) /= values_[i];
    }
  }
  sort();
  return !is_moving && std::isfinite(size);
}

void SingularValues::sort() {
  for (Eigen::Index i = 0; i + 1 < count(); ++i) {
    Eigen::Index largest = i;
    values_.tail(count() - i).maxCoeff(&largest);
    largest += i;
    if (largest == i) continue;
    std::swap(values_[i], values_[largest]);
    long_.col(i).swap(long_.col(largest));
    short_.col(i).swap(short_.col(largest));
  }
}

}  // namespace KDL::detail
