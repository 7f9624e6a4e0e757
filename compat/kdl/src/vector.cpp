// SPDX-License-Identifier: BSD-3-Clause
// Lengths of vectors, and changes between space and plane.
#include <kdl/frames.hpp>

namespace KDL {

double epsilon = 1e-6;
int STREAMBUFFERSIZE = 10000;
int MAXLENFILENAME = 255;

namespace {

/// Length of numbers divided by the largest of them, so that no square leaves the range.
template <int count> double length_of(const double (&data)[count], double eps) {
  double largest = 0;
  for (const double number : data) largest = std::fmax(largest, std::fabs(number));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double number : data) sum += sqr(number / largest);
  const double length = largest * std::sqrt(sum);
  return length < eps ? 0.0 : length;
}

/// Length before, NaN kept: std::fmax() drops it.
template <class V> double norm_of(const V& v, double eps) {
  for (const double number : v.data)
    if (std::isnan(number)) return number;
  return length_of(v.data, eps);
}

}  // namespace

double Vector::Norm(double eps) const { return norm_of(*this, eps); }

double Vector::Normalize(double eps) {
  const double length = Norm(0);
  if (length < eps || length == 0) {
    *this = Vector(1, 0, 0);
    return 0;
  }
  *this = *this / length;
  return length;
}

void Vector::Set2DXY(const Vector2& v) { *this = Vector(v(0), v(1), 0); }
void Vector::Set2DYZ(const Vector2& v) { *this = Vector(0, v(0), v(1)); }
void Vector::Set2DZX(const Vector2& v) { *this = Vector(v(1), 0, v(0)); }
void Vector::Set2DPlane(const Frame& F_someframe_XY, const Vector2& v_XY) {
  Set2DXY(v_XY);
  *this = F_someframe_XY * *this;
}

double Vector2::Norm(double eps) const { return norm_of(*this, eps); }

double Vector2::Normalize(double eps) {
  const double length = Norm(0);
  if (length < eps || length == 0) {
    *this = Vector2(1, 0);
    return 0;
  }
  *this = *this / length;
  return length;
}

}  // namespace KDL
