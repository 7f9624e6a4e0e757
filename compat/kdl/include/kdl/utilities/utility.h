// SPDX-License-Identifier: BSD-3-Clause
// Constants and scalar functions that the types of KDL share.
#pragma once
// Programs use what these bring along: isnan, assert, abs, memset of the global namespace.
#include <assert.h>
#include <math.h>
#include <string.h>

#include <cassert>
#include <cmath>
#include <cstdlib>

#include "../config.h"

#ifndef IMETHOD
#define IMETHOD inline
#endif

namespace KDL {

inline constexpr double PI = 3.14159265358979323846;
inline constexpr double PI_2 = PI / 2;
inline constexpr double PI_4 = PI / 4;
inline constexpr double deg2rad = PI / 180;  ///< [rad/degree]
inline constexpr double rad2deg = 180 / PI;  ///< [degree/rad]

/// Comparisons without an accuracy of their own use this one. Changing it changes them for the whole process.
extern double epsilon;

extern int STREAMBUFFERSIZE;  ///< longest word that the readers of text accept
extern int MAXLENFILENAME;    ///< longest file name

using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::exp;
using std::hypot;
using std::log;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

inline double max(double a, double b) { return b < a ? a : b; }
inline double min(double a, double b) { return b < a ? b : a; }
inline double sqr(double x) { return x * x; }
inline double sign(double x) { return x < 0 ? -1 : 1; }
inline double Norm(double x) { return std::fabs(x); }
inline double Neg(double x) { return -x; }
/// a x + b y
inline double LinComb(double a, double x, double b, double y) { return a * x + b * y; }
inline void LinCombR(double a, double x, double b, double y, double& out) { out = LinComb(a, x, b, y); }

/// Uniform in [0, 1), respectively [-1, 1). Each thread draws the same numbers in every run.
void posrandom(double& x);
void random(double& x);

/// (b - a) / dt, and back.
inline double diff(double a, double b, double dt = 1.0) { return (b - a) / dt; }
inline double addDelta(double a, double da, double dt = 1.0) { return a + da * dt; }

inline bool Equal(double a, double b, double eps = epsilon) {
  const double d = a - b;
  return d < eps && d > -eps;
}
inline void SetToZero(double& x) { x = 0; }
inline void SetToIdentity(double& x) { x = 1; }

}  // namespace KDL
